//! The `holonom` command as a library: the command line, and what it does.
//!
//! [`main`] checks the processor, reads the command line and hands over to the command; every command has a file in `commands`
//! and a line in its registry. Exit codes: 0 done, 1 a run failed or a check does not hold, 2 bad usage.
//!
//! A program with commands of its own can offer these beside them, and one with kinds of elements of its own has all
//! commands for them:
//!
//! ```
//! use holonom::multibody::elements::Library;
//!
//! let line = holonom_cli::command_line();
//! assert!(line.get_subcommands().any(|command| command.get_name() == "run"));
//! let code = holonom_cli::main(["holonom", "check", "four-bar"], Library::standard());
//! assert_eq!(code, std::process::ExitCode::SUCCESS);
//! ```

mod processor;
mod outcome;
mod error;
mod output;
mod progress;
mod interrupt;
mod lock;
mod failure;
mod model;
mod settings;
mod report;
mod film;
mod commands;

pub use commands::command_line;

use error::Error;
use holonom::multibody::elements::Library;
use outcome::Outcome;
use std::ffi::OsString;
use std::process::ExitCode;

/// Does what the words of a command line ask for, the first of which names the program, with models made of the kinds
/// of a library.
pub fn main<W: Into<OsString>>(words: impl IntoIterator<Item = W>, library: Library) -> ExitCode {
    // First of all: the rest may use instructions the processor does not have.
    match processor::check() {
        Ok(()) => run(words.into_iter().map(Into::into).collect(), &library),
        Err(message) => {
            output::remark(&message.to_string());
            ExitCode::from(2)
        }
    }
}

#[inline(never)]
fn run(words: Vec<OsString>, library: &Library) -> ExitCode {
    let typed = commands::with_report_names(words);
    let matches = match commands::command_line().try_get_matches_from(&typed) {
        Ok(matches) => matches,
        Err(error) => {
            // Help and the version come this way as well.
            if error.use_stderr() {
                failure::tell_of_usage(&error.to_string(), &typed);
            }
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match commands::run(&matches, library) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::DoesNotHold) => ExitCode::from(1),
        Err(error) => {
            failure::tell(&error, &matches);
            output::say(&error.shown());
            match error {
                Error::Usage(_) | Error::Model(_) => ExitCode::from(2),
                Error::Failed(_) => ExitCode::from(1),
            }
        }
    }
}
