//! The nonlinear solve, and the consistent start.
//!
//! Four owners: a [`Linearisation`] has ∂F/∂y and ∂F/∂ẏ and knows how old they are; an [`operator`] is made from it for a
//! step size and solves linear systems; [`Newton`] iterates; and a [policy](crate::refresh) says when the first two are
//! renewed. A [`Corrector`] brings them together.

mod bounds;
mod convergence;
mod corrector;
mod extended;
pub mod initial;
mod iteration;
mod linearisation;
mod metric;
pub mod operator;
mod pattern_log;
mod point;
mod rounding;
mod scaling;
mod scheme;
mod tuning;

pub use crate::options::NewtonOptions;
pub use convergence::{Convergence, RateMemory, Verdict};
pub(crate) use corrector::Scheme;
pub use corrector::{Corrector, CorrectorState, CorrectorStep};
pub(crate) use iteration::Iteration;
pub use iteration::Newton;
pub use linearisation::Linearisation;
pub use pattern_log::PatternEvent;
pub use point::PointSolver;
pub use scaling::Scales;
