//! Time integration of F(t, y, ẏ) = 0.
//!
//! In order of the data flow: [`jacobian`] → [`linear`] → [`newton`] → [`refresh`] →
//! [`stepper`] → [`trajectory`]. [`solve`](solve()) is the front door, [`Integrator`]
//! the one for callers with a loop of their own, [`Options`] the whole configuration,
//! [`explain`] the reasons behind what `auto` chose.

pub mod equations;
mod numbers;
mod output_times;
mod registry;
pub mod settings;
mod options;
mod state;
pub mod refresh;
pub mod explain;
pub mod linear;
pub mod jacobian;
mod auto;
pub mod newton;
pub mod stepper;
pub mod trajectory;
mod solve;

pub use options::{NewtonOptions, Options, Start};
pub use output_times::OutputTimes;
pub use solve::{RunError, Solution, solve};
pub use state::State;
pub use stepper::{Checkpoint, Integrator, Stop};
