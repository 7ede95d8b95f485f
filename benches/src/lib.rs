//! Pieces of work whose instructions are counted: recursions, residuals, Jacobians, and a run with every stepper.
//!
//! `cargo bench` counts them with callgrind and compares them with `baseline.json`; see `instructions.rs` beside. A new case is a
//! function and a line in [`cases`].

mod case;
mod kernels;
mod runs;

pub use case::{Case, Fault, Work};

/// All cases.
pub fn cases() -> Vec<Case> {
    let mut all = kernels::recursions();
    all.extend(kernels::residuals());
    all.extend(kernels::jacobians());
    all.extend(runs::steppers());
    all.extend(runs::models());
    all
}
