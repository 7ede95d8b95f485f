//! Reports of `verify` and `reproduce`: where they go, and the exit code that follows.

use crate::error::Error;
use crate::outcome::Outcome;
use crate::output;
use crate::progress;
use clap::{Arg, ArgMatches};
use holonom_experiments::Report;
use holonom_experiments::progress::Progress;
use std::path::{Path, PathBuf};

/// The option `--json`.
pub fn argument() -> Arg {
    Arg::new("json")
        .long("json")
        .value_name("FILE")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("-")
        .help("Write the report as JSON to FILE, or to standard output instead of the text")
}

/// Where the report for programs goes.
pub enum Target {
    /// Nowhere: people read the text.
    None,
    /// To standard output, instead of the text.
    Output,
    /// To a file.
    File(PathBuf),
}

impl Target {
    /// What `--json` says. A file that cannot be written is refused before the work, not after it.
    pub fn of(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(match matches.get_one::<String>("json").map(String::as_str) {
            None => Self::None,
            Some("-") => Self::Output,
            Some(file) => {
                output::check_file(Path::new(file))?;
                Self::File(file.into())
            }
        })
    }

    /// Writes a text for programs, and one for people.
    pub fn put(&self, json: &str, text: &str) -> Result<(), Error> {
        match self {
            Self::None => output::print(text),
            Self::Output => output::print(json),
            Self::File(file) => {
                output::write(file, json)?;
                output::print(text)
            }
        }
    }
}

/// Writes a report.
pub fn put(report: &Report, target: &Target) -> Result<Outcome, Error> {
    target.put(&report.json(), &report.text())?;
    Ok(match report.holds() {
        true => Outcome::Done,
        false => Outcome::DoesNotHold,
    })
}

/// Writes the pictures of a report to a folder and returns their files.
pub fn draw(report: &Report, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let write = |picture: &holonom_experiments::report::Picture| {
        let file = folder.join(format!("{}.svg", picture.name));
        output::write(&file, &picture.svg)?;
        Ok(file)
    };
    report.pictures.iter().map(write).collect()
}

/// The progress bar of an experiment.
#[derive(Default)]
pub struct Bar(Option<progress::Progress>);

impl Progress for Bar {
    fn begin(&mut self, pieces: usize) {
        // The one before is cleared first.
        self.0 = None;
        self.0 = Some(progress::Progress::new(pieces));
    }

    fn at(&mut self, what: &str) {
        if let Some(bar) = &self.0 {
            bar.at(what);
        }
    }

    fn done(&mut self) {
        if let Some(bar) = &self.0 {
            bar.done();
        }
    }
}
