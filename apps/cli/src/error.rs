//! Errors that end a command, by exit code.

use holonom::format::Messages;
use std::fmt;
use std::io::IsTerminal;

/// Why a command ended early. The text is complete: what is wrong and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The command line or a file named there is wrong; exit code 2.
    Usage(String),
    /// A model file is wrong; exit code 2.
    Model(Messages),
    /// Something went wrong on the way; exit code 1.
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Failed(text) => write!(f, "holonom: {text}"),
            Self::Model(messages) => f.write_str(&messages.render(false)),
        }
    }
}

impl Error {
    /// The text for standard error, in colour on a terminal that wants it.
    pub fn shown(&self) -> String {
        match self {
            Self::Model(messages) => {
                let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
                messages.render(colour)
            }
            other => crate::output::harmless(&other.to_string()).into_owned(),
        }
    }
}

impl std::error::Error for Error {}

impl From<holonom_experiments::Error> for Error {
    fn from(error: holonom_experiments::Error) -> Self {
        match error {
            holonom_experiments::Error::Usage(text) => Self::Usage(text),
            holonom_experiments::Error::Model(messages) => Self::Model(messages),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<holonom_plot::Error> for Error {
    fn from(error: holonom_plot::Error) -> Self {
        match error {
            holonom_plot::Error::Size { .. } => Self::Usage(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}
