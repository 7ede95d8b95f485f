//! Time integration of F(t, y, ẏ) = 0.
//!
//! In order of the data flow: [`jacobian`] → [`linear`] → [`newton`] → [`refresh`] →
//! [`stepper`] → [`trajectory`]. [`solve`](solve()) is the front door, [`Integrator`]
//! the one for callers with a loop of their own, [`Options`] the whole configuration,
//! [`explain`] the reasons behind what `auto` chose.

mod auto;
pub mod equations;
pub mod explain;
pub mod jacobian;
pub mod linear;
pub mod newton;
mod numbers;
mod options;
mod output_times;
pub mod refresh;
mod registry;
pub mod settings;
mod solve;
mod state;
pub mod stepper;
pub mod trajectory;

pub use options::{NewtonOptions, Options, Start};
pub use output_times::OutputTimes;
pub use solve::{RunError, Solution, solve};
pub use state::State;
pub use stepper::{Checkpoint, Integrator, Stop};
