//! The `holonom` command.
//!
//! `main` checks the processor, reads the command line and hands over to the command; every
//! command has a file in `commands` and a line in its registry. Exit codes: 0 done, 1 a run
//! failed or a check does not hold, 2 bad usage.

mod commands;
mod error;
mod failure;
mod film;
mod lock;
mod model;
mod output;
mod plot;
mod processor;
mod progress;
use holonom_experiments::report;
mod settings;
mod table;

use commands::Outcome;
use error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: the rest may use instructions the processor does not have.
    match processor::check() {
        Ok(()) => run(),
        Err(message) => {
            output::remark(&message.to_string());
            ExitCode::from(2)
        }
    }
}

#[inline(never)]
fn run() -> ExitCode {
    let typed = commands::with_report_names(std::env::args_os());
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
    match commands::run(&matches) {
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
