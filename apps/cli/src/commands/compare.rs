//! `holonom compare`: how two results differ, channel by channel.

use super::{Command, Outcome};
use crate::error::Error;
use crate::output;
use clap::{CommandFactory, FromArgMatches};
use holonom::multibody::elements::Library;
use holonom_results::{CompareOptions, Comparison, Table, compare};
use holonom_text::{Align, Table as Text};
use std::path::PathBuf;

/// The entry of the registry.
pub const COMMAND: Command = Command {
    define: || Arguments::command(),
    run,
};

/// Compare two results, channel by channel
///
/// Values are compared at the times of the first result; the second is interpolated where its times differ.
#[derive(clap::Parser)]
#[command(
    name = "compare",
    after_help = "Examples:\n  holonom compare coarse.parquet fine.parquet\n  holonom compare a.parquet b.parquet --channel 'hook.*' --limit 1e-4\n\nThe exit code is 1 if a channel exceeds --limit."
)]
struct Arguments {
    /// First result
    a: PathBuf,

    /// Second result
    b: PathBuf,

    /// Only these channels, such as 'hook.*'
    #[arg(long, value_name = "PATTERN")]
    channel: Vec<String>,

    /// Fail if a channel differs by more than this fraction of its range
    #[arg(long, value_name = "PART")]
    limit: Option<f64>,

    /// Write the comparison as JSON to FILE, or to standard output instead of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<String>,
}

fn run(matches: &clap::ArgMatches, _: &Library) -> Result<Outcome, Error> {
    let arguments = Arguments::from_arg_matches(matches).map_err(|error| Error::Usage(error.to_string()))?;
    let usage = |error: holonom_results::Error| Error::Usage(error.to_string());
    let open = |path: &PathBuf| -> Result<Table, Error> {
        let table = Table::open(path).map_err(usage)?;
        if let Some(lost) = table.lost() {
            output::remark(&format!("{}: {lost}", path.display()));
        }
        Ok(table)
    };
    if let Some(limit) = arguments.limit.filter(|limit| limit.is_nan() || *limit < 0.0) {
        return Err(Error::Usage(format!(
            "--limit {limit}: give a number, zero or more"
        )));
    }
    if let Some(file) = arguments.json.as_deref().filter(|file| *file != "-") {
        output::check_file(file.as_ref())?;
    }
    let (a, b) = (open(&arguments.a)?, open(&arguments.b)?);
    let options = CompareOptions::default().columns(arguments.channel);
    let comparison = compare(&a, &b, &options).map_err(usage)?;
    if comparison.channels.is_empty() {
        let names = [&arguments.a, &arguments.b].map(|path| path.display().to_string());
        return Err(Error::Usage(format!(
            "`{}` and `{}` have no channel in common; record the same channels (`holonom run --channel …`)",
            names[0], names[1]
        )));
    }
    let json = || serde_json::to_string_pretty(&comparison).map_err(|error| Error::Failed(error.to_string()));
    match arguments.json.as_deref() {
        Some("-") => output::print(&(json()? + "\n"))?,
        Some(file) => {
            output::write(file.as_ref(), &(json()? + "\n"))?;
            output::print(&text(&comparison))?;
        }
        None => output::print(&text(&comparison))?,
    }
    // A difference that is not a number exceeds every limit.
    let over = |limit: f64| {
        comparison
            .channels
            .iter()
            .filter(|c| c.relative.is_nan() || c.relative > limit)
            .count()
    };
    match arguments.limit.map(|limit| (limit, over(limit))) {
        Some((limit, count)) if count > 0 => {
            let all = comparison.channels.len();
            output::remark(&format!(
                "{count} of {all} channels differ by more than the limit of {limit} of their range"
            ));
            Ok(Outcome::DoesNotHold)
        }
        _ => Ok(Outcome::Done),
    }
}

fn text(comparison: &Comparison) -> String {
    let mut table = Text::new(&[
        ("channel", Align::Left),
        ("unit", Align::Left),
        ("largest difference", Align::Right),
        ("at t [s]", Align::Right),
        ("root mean square", Align::Right),
        ("part of range", Align::Right),
    ]);
    for c in &comparison.channels {
        table.row([
            c.name.clone(),
            c.unit.clone(),
            format!("{:.3e}", c.max_abs),
            format!("{:.6}", c.at),
            format!("{:.3e}", c.rms),
            format!("{:.1e}", c.relative),
        ]);
    }
    let (from, to) = comparison.interval;
    let how = if comparison.same_times {
        "the same times"
    } else {
        "interpolated"
    };
    let mut out = format!(
        "{} rows from {from} to {to} s, {how}\n\n{}",
        comparison.rows,
        table.render()
    );
    for (which, columns) in [
        ("first", &comparison.only_first),
        ("second", &comparison.only_second),
    ] {
        if !columns.is_empty() {
            let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
            out += &format!("\nOnly in the {which}: {}\n", names.join(", "));
        }
    }
    out
}
