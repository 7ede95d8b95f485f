//! Failures for programs: with `--json`, a command that ends early writes why instead of its report.

use crate::error::Error;
use crate::output;
use clap::ArgMatches;
use clap::parser::ValueSource;
use holonom::format::{Message, Messages};
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Messages about a model, one object each.
pub fn listed(messages: &Messages) -> Vec<Value> {
    let one = |m: &Message| {
        let (file, line, column) = m
            .position()
            .map_or((None, None, None), |(f, l, c)| (Some(f), Some(l), Some(c)));
        json!({ "text": m.text, "help": m.help, "file": file, "line": line, "column": column })
    };
    messages.0.iter().map(one).collect()
}

/// The report of a failure: `{status, exit_code, message, messages}`.
fn report(error: &Error) -> Value {
    let (status, exit_code, messages) = match error {
        Error::Usage(_) => ("refused", 2, Vec::new()),
        Error::Model(messages) => ("refused", 2, listed(messages)),
        Error::Failed(_) => ("failed", 1, Vec::new()),
    };
    let mut report = json!({
        "status": status,
        "exit_code": exit_code,
        "message": error.to_string(),
        "messages": messages,
    });
    if let Error::Model(_) = error {
        report["valid"] = json!(false);
    }
    report
}

/// Writes the report of a failure to where the command that was typed was to write its own, unless it has.
pub fn tell(error: &Error, matches: &ArgMatches) {
    let Some((_, arguments)) = matches.subcommand() else {
        return;
    };
    let Ok(Some(mut given)) = arguments.try_get_raw("json") else {
        return;
    };
    if arguments.value_source("json") == Some(ValueSource::CommandLine)
        && let Some(target) = given.next()
    {
        write(error, target);
    }
}

/// The same for a command line that could not be read.
pub fn tell_of_usage(text: &str, typed: &[OsString]) {
    let words = || typed.iter().take_while(|word| *word != "--");
    let file = words().find_map(|word| word.to_str()?.strip_prefix("--json="));
    let target = match file {
        Some(file) => OsStr::new(file),
        None if words().any(|word| word == "--json") => OsStr::new("-"),
        None => return,
    };
    write(&Error::Usage(text.trim_end().to_string()), target);
}

fn write(error: &Error, target: &OsStr) {
    // A flag has the value "true": its report goes to standard output.
    let prints = target == "-" || target == "true";
    let reported = match prints {
        true => output::has_printed(),
        false => output::has_written(Path::new(target)),
    };
    if reported {
        return;
    }
    let text = format!("{:#}\n", report(error));
    let written = match prints {
        true => output::print(&text),
        false => output::write(Path::new(target), text),
    };
    // The failure itself is told anyway; that its report cannot be written is said besides.
    if let Err(error) = written {
        output::say(&error.shown());
    }
}
