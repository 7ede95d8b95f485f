//! The contract between equations and integrators.
//!
//! A DAE is F(t, y, ẏ) = 0: as many equations as unknowns, some derivatives possibly absent.
//! Write it once as a [`Residual`], generic over the scalar, and wrap it in a [`Bound`]; or
//! hand over a plain function in a [`Closure`]. Either is a [`System`], which every solver takes.
//!
//! | module | what it fixes |
//! |---|---|
//! | `residual`, `system`, `closure` | the residual and its object-safe twin |
//! | `structure` | kinds of variables and equations, form of ∂F/∂ẏ, sparsity, scaling |
//! | `mechanical` | M, f, g, G and friends, for steppers that use the parts |
//! | `events` | zero crossings and discrete updates |
//! | `weights` | tolerances and weighted norms |
//! | `outcome` | rejections (try again) and failures (final) |
//! | `counters` | what a run cost |
//! | [`problems`] | reference problems with verified solutions |

mod outcome;
mod counters;
mod pattern;
mod mechanical;
mod structure;
mod form;
mod weights;
mod events;
mod look;
mod residual;
mod system;
mod bound;
mod closure;
pub mod problems;

pub use bound::Bound;
pub use closure::Closure;
pub use counters::{Counters, Timing, cost};
pub use events::{Direction, Event, EventAction, Turn, Turned};
pub use form::{Form, Sizes, UnknownName};
pub use look::{Gap, Hidden, Look, Misfit, SingularPosition, Survey};
pub use mechanical::{ElementSet, JacobianPlan, Mechanical, MechanicalLayout};
pub use outcome::{Failure, FailureKind, InputError, NamedValue, Rejection};
pub use pattern::{LazyPattern, Pattern};
pub use residual::{EventState, Point, Residual};
pub use structure::{
    DerivativeForm, Equation, EquationLevel, ErrorTest, Structure, TransposedBlock, Variable, VariableKind,
};
pub use system::System;
pub use weights::{Absolute, RESERVE, Tolerances, Weights, weighted_norm};
