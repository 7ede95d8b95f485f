//! What can go wrong with a result file. Every message names the file, the reason and the remedy.

use holonom_text::PatternError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What the functions of this crate return.
pub type Result<T> = core::result::Result<T, Error>;

/// Why a file could not be written, read or compared.
#[derive(Debug, Error)]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried: "create", "read", "write", …
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The columns handed over cannot make a file.
    #[error("{reason}")]
    Columns {
        /// What is wrong and what to do.
        reason: String,
    },
    /// A row has the wrong length.
    #[error("the row has {found} values, but the file has {expected} columns; pass one value per column")]
    RowLength {
        /// Columns of the file.
        expected: usize,
        /// Values in the row.
        found: usize,
    },
    /// The file cannot be continued from the position.
    #[error("cannot continue writing {}: {reason}", path.display())]
    Resume {
        /// The file.
        path: PathBuf,
        /// What does not fit and what to do.
        reason: String,
    },
    /// The first bytes belong to none of the known formats.
    #[error(
        "{} is not a result file: it is neither Arrow, Parquet nor text; give a file ending in .arrows, \
         .arrow, .parquet or .csv", path.display()
    )]
    NotRecognised {
        /// The file.
        path: PathBuf,
    },
    /// The description of the columns, without which nothing can be read, is damaged.
    #[error("the header of {} is damaged: {reason}; the data cannot be recovered, run the simulation again", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A valid file with something that is not supported here.
    #[error("{} {what}; {remedy}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it holds.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A Parquet file is damaged.
    #[error("{} is not a valid Parquet file: {reason}; export it again from the .arrows file", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A text file does not hold a table of numbers.
    #[error("{}, line {line}: {reason}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The file changed while it was read.
    #[error("{} changed while it was being read: {reason}; open it again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What does not fit any more.
        reason: String,
    },
    /// No column has this name.
    #[error("{} has no column `{name}`{}", path.display(), guess(suggestion))]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// A column number lies beyond the last column.
    #[error("{} has {columns} columns, but column {index} was requested; columns are numbered from 0", path.display())]
    ColumnIndex {
        /// The file.
        path: PathBuf,
        /// The number asked for.
        index: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// A pattern selects nothing.
    #[error("no column of {} matches `{pattern}`{}", path.display(), guess(suggestion))]
    NoMatch {
        /// The file.
        path: PathBuf,
        /// The pattern.
        pattern: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// A pattern cannot be read.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Times go backwards or are no numbers, so that nothing can be interpolated.
    #[error(
        "the time in row {row} of {} is {found}, after {before}; \
         comparison needs times that do not decrease", path.display()
    )]
    Time {
        /// The file.
        path: PathBuf,
        /// Row, from 0.
        row: usize,
        /// Time in the row before.
        before: f64,
        /// Time in this row.
        found: f64,
    },
    /// Two results have no time in common.
    #[error(
        "the results do not overlap in time: {} covers {first}, {} covers {second}; compare runs over the \
         same interval", paths.0.display(), paths.1.display()
    )]
    NoOverlap {
        /// The two files.
        paths: Box<(PathBuf, PathBuf)>,
        /// Interval of the first.
        first: String,
        /// Interval of the second.
        second: String,
    },
    /// A setting has no sensible meaning.
    #[error("{setting} is {found}; {remedy}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// Its value.
        found: String,
        /// What to give instead.
        remedy: &'static str,
    },
}

impl Error {
    /// For `map_err` on input and output.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { doing, path, source }
    }
}

/// What a misspelt name may have meant.
fn guess(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(name) => format!("; did you mean `{name}`?"),
        None => "; list the columns to see the names".to_string(),
    }
}
