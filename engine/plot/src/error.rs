//! Why a picture could not be made.

/// Why a bitmap could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No memory is set aside for a picture of this size.
    #[error("a bitmap of {width} × {height} pixels cannot be made; choose a size between 1 and 10⁸ pixels")]
    Size {
        /// Pixels across.
        width: String,
        /// Pixels downwards.
        height: String,
    },
    /// The encoder failed.
    #[error("cannot write a bitmap: {0}")]
    Encoding(String),
}
