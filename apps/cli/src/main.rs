//! The `holonom` command.
//!
//! `main` checks the processor, reads the command line and hands over to the command; every
//! command has a file in `commands` and a line in its registry. Exit codes: 0 done, 1 a run
//! failed or a check does not hold, 2 bad usage.

mod commands;
mod error;
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
            eprintln!("holonom: {message}");
            ExitCode::from(2)
        }
    }
}

#[inline(never)]
fn run() -> ExitCode {
    let typed = commands::with_report_names(std::env::args_os());
    let matches = commands::command_line().get_matches_from(typed);
    match commands::run(&matches) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::DoesNotHold) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{}", error.shown());
            match error {
                Error::Usage(_) | Error::Model(_) => ExitCode::from(2),
                Error::Failed(_) => ExitCode::from(1),
            }
        }
    }
}
