//! Why an experiment gave no report.

use holonom::format::Messages;

/// Why an experiment gave no report. The text is complete: what is wrong and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What was asked for does not exist or makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A model file is wrong.
    #[error("{}", .0.render(false))]
    Model(Messages),
    /// Something went wrong on the way.
    #[error("{0}")]
    Failed(String),
}
