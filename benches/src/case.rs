//! What is counted.

/// What can go wrong while a case is prepared.
pub type Fault = Box<dyn std::error::Error>;

/// Work that is ready to be counted.
pub type Work = Box<dyn FnMut() -> Result<(), Fault>>;

/// A piece of work.
pub struct Case {
    /// Its name, from the general to the particular, with slashes.
    pub name: String,
    /// Prepares it; what this costs is not counted.
    pub prepare: Box<dyn Fn() -> Result<Work, Fault>>,
}

impl Case {
    pub(crate) fn new(name: impl Into<String>, prepare: impl Fn() -> Result<Work, Fault> + 'static) -> Self {
        Self {
            name: name.into(),
            prepare: Box::new(prepare),
        }
    }
}
