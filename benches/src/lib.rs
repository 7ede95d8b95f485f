//! Pieces of work whose instructions are counted: recursions, residuals, Jacobians, and a run with every stepper.
//!
//! `cargo bench` counts them with callgrind and compares them with `baseline.json`; see `instructions.rs` beside. A new case is a
//! function and a line in [`cases`].

mod kernels;
mod runs;

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
    fn new(name: impl Into<String>, prepare: impl Fn() -> Result<Work, Fault> + 'static) -> Self {
        Self {
            name: name.into(),
            prepare: Box::new(prepare),
        }
    }
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let mut all = kernels::recursions();
    all.extend(kernels::residuals());
    all.extend(kernels::jacobians());
    all.extend(runs::steppers());
    all.extend(runs::models());
    all
}
