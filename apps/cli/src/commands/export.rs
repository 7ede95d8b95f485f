//! `holonom export`: a result in another format.

use super::{Command, Outcome};
use crate::error::Error;
use crate::output;
use clap::{CommandFactory, FromArgMatches};
use holonom::multibody::elements::Library;
use holonom_results::{Format, Table};
use std::path::PathBuf;

/// The entry of the registry.
pub const COMMAND: Command = Command {
    define: || {
        let endings = Format::endings();
        Arguments::command().mut_arg("output", |arg| {
            arg.help(format!("File to write, ending in {endings}"))
        })
    },
    run,
};

/// Convert a result to another format
///
/// The extension of FILE selects the format. Results of a crashed run are written up to the last complete chunk.
#[derive(clap::Parser)]
#[command(
    name = "export",
    after_help = "Examples:\n  holonom export crane.arrows -o crane.csv --channel 'hook.*'\n  holonom export crane.arrows -o crane.parquet"
)]
struct Arguments {
    /// Result file (.arrows, .parquet, .csv)
    result: PathBuf,

    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Only these channels (not Parquet), such as 'wheel_*.force.z'
    #[arg(long, value_name = "PATTERN")]
    channel: Vec<String>,
}

fn run(matches: &clap::ArgMatches, _: &Library) -> Result<Outcome, Error> {
    let arguments = Arguments::from_arg_matches(matches).map_err(|error| Error::Usage(error.to_string()))?;
    let usage = |error: holonom_results::Error| Error::Usage(error.to_string());
    output::check_file(&arguments.output)?;
    let same = |path: &PathBuf| std::fs::canonicalize(path).ok();
    if same(&arguments.output).is_some_and(|path| Some(path) == same(&arguments.result)) {
        let text = format!(
            "`{}` cannot be overwritten with itself; choose another file name",
            arguments.result.display()
        );
        return Err(Error::Usage(text));
    }
    let table = Table::open(&arguments.result).map_err(usage)?;
    if let Some(lost) = table.lost() {
        output::remark(&format!("{}: {lost}", arguments.result.display()));
    }
    let Some(format) = Format::of(&arguments.output) else {
        return Err(Error::Usage(format!(
            "the format of `{}` is unknown: the file name must end in {}",
            arguments.output.display(),
            Format::endings()
        )));
    };
    if !format.selects && !arguments.channel.is_empty() {
        return Err(Error::Usage(format!(
            "--channel: {} files take all channels; other programs can read single columns of them",
            format.name
        )));
    }
    let summary = format
        .export(&table, &arguments.output, &arguments.channel)
        .map_err(usage)?;
    let text = format!(
        "{}: {} rows, {} columns, {} bytes\n",
        summary.path.display(),
        summary.rows,
        summary.columns,
        summary.bytes
    );
    output::print(&text)?;
    Ok(Outcome::Done)
}
