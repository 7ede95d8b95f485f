//! Time integration of F(t, y, ẏ) = 0.
//!
//! In order of the data flow: [`settings`] → [`refresh`] → [`linear`] → [`jacobian`] → [`newton`] →
//! [`stepper`] → [`trajectory`]. [`solve`](solve()) is the front door, [`Integrator`]
//! the one for callers with a loop of their own, [`Options`] the whole configuration,
//! [`explain`] the reasons behind what `auto` chose.

mod numbers;
mod state;
mod registry;
pub mod settings;
mod output_times;
pub mod equations;
pub mod refresh;
pub mod linear;
pub mod jacobian;
pub mod explain;
mod options;
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
