//! Errors that end a command, by exit code.

use std::fmt;

/// Why a command ended early. The text is complete: what is wrong and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The command line or a file named there is wrong; exit code 2.
    Usage(String),
    /// Something went wrong on the way; exit code 1.
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(text) | Self::Failed(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Error {}
