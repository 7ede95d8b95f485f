//! The nonlinear solve: simplified Newton with kept matrices, and the consistent start.

mod convergence;
mod corrector;
mod extended;
pub mod initial;
mod matrices;
mod memory;
mod metric;
mod pattern_log;
mod point;
mod scheme;

pub use crate::options::NewtonOptions;
pub use convergence::{Convergence, RateMemory, Verdict};
pub use corrector::{Corrector, CorrectorState, CorrectorStep};
pub use pattern_log::PatternEvent;
pub(crate) use scheme::Scheme;
