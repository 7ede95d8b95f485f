//! Integrators: one driver, many methods.

mod checkpoint;
mod chooser;
#[cfg(test)]
mod conformance;
mod diagnosis;
pub(crate) mod driver;
mod events;
mod observer;
mod pieces;
mod projection;
mod realtime;
mod setup;
mod sliding;
mod strategies;
mod tangent;

pub use crate::options::AUTO;
registry! {
    /// All methods.
    Entry:
    bdf,
    backward_euler,
    linear_implicit,
    generalized_alpha,
    radau,
    dormand_prince,
    trapezoidal,
}

pub use bdf::{Bdf, BdfOptions};
pub use checkpoint::Checkpoint;
pub use checkpoint::fingerprint;
pub use dormand_prince::DormandPrince;
pub use driver::{Integrator, Report, Stop};
pub use generalized_alpha::{Family, GeneralizedAlpha, GeneralizedAlphaOptions};
pub use linear_implicit::{DriftBound, StepLimit, baumgarte_parameters, drift_bound};
pub use linear_implicit::{
    Level, LinearImplicit, LinearImplicitEuler, LinearImplicitOptions, MotionState, Ordering, Partition,
    Projections, Stabilisation, StiffTerms, Work,
};
pub use observer::{Control, Observer, Piece, Quiet, StepInfo};
pub use radau::{Radau, RadauOptions};

pub use realtime::{Advance, RealTime};
pub use strategies::{Unused, settings};

use crate::equations::Equations;
use crate::linear::{self, LinearSolver};
use crate::newton::Corrector;
use crate::options::Options;
use crate::registry::registry;
use crate::settings::Factory;
use crate::state::State;
use holonom_dae::{InputError, Rejection, Structure, System, Weights};

/// A time integration method.
///
/// The driver owns acceptance, events, output and limits; a method only knows how to attempt
/// a step, keep or drop it, and look back into the last one.
pub trait Stepper: Send {
    /// Name in options and reports.
    fn name(&self) -> &'static str;
    /// Looks at the system once, after the first [`start`](Stepper::start) or
    /// [`restore`](Stepper::restore); may allocate, and refuses a system or options it cannot work with.
    fn bind(&mut self, _system: &mut dyn System) -> Result<(), InputError> {
        Ok(())
    }
    /// Starts afresh at (t, y, ẏ) with first step size `h`; forgets all history.
    fn start(&mut self, t: f64, y: &[f64], yp: &[f64], h: f64);
    /// Attempts one step of the size [`h`](Stepper::h).
    fn attempt(&mut self, equations: &mut Equations<'_>) -> Result<(), Rejection>;
    /// Makes the attempt the new state and chooses order and size of the next step.
    fn accept(&mut self, equations: &mut Equations<'_>);
    /// Drops the attempt and chooses order and size of the next one.
    fn reject(&mut self, rejection: Rejection);
    /// Expresses everything that is kept of the last steps in unknowns that some equations have been
    /// [exchanged](holonom_dae::Look::Exchanged) for: `map` does it for one vector of the kind of y or ẏ. Matrices
    /// are no longer right.
    fn carry(&mut self, map: &dyn Fn(&mut [f64]));
    /// Rejections in a row by the corrector or a singular matrix.
    fn failures_in_a_row(&self) -> u32;
    /// Time reached.
    fn t(&self) -> f64;
    /// Unknowns there.
    fn y(&self) -> &[f64];
    /// Their derivatives.
    fn yp(&self) -> &[f64];
    /// Size of the next step.
    fn h(&self) -> f64;
    /// Changes the size of the next step.
    fn set_h(&mut self, h: f64);
    /// Size of the last accepted step; zero before the first.
    fn last_h(&self) -> f64;
    /// Order of the next step.
    fn order(&self) -> usize;
    /// Order of the last accepted step.
    fn last_order(&self) -> usize;
    /// Steps in a row that were limited by stability, not by the error, in an explicit method.
    fn steps_at_border(&self) -> u32 {
        0
    }
    /// Whether the error test takes into account how the equations are at the end of a step.
    fn sees_its_end(&self) -> bool {
        true
    }
    /// Whether all that was evaluated in a step enters the test of its error. What does not may spoil the solution
    /// inside of the step alone.
    fn tests_all(&self) -> bool {
        true
    }
    /// Whether a step goes on from several before it. Its error is judged as if the solution were as smooth as there.
    fn goes_on_from_several(&self) -> bool {
        false
    }
    /// Makes [`interpolate`](Stepper::interpolate) as good as it can be inside the last accepted step, where that
    /// takes evaluations which are in vain when nobody looks there.
    fn prepare_interpolation(&mut self, _equations: &mut Equations<'_>) {}
    /// Solution inside the last accepted step.
    fn interpolate(&self, t: f64, y: &mut [f64], yp: &mut [f64]);
    /// Degree of the polynomial that [`interpolate`](Stepper::interpolate) follows in the last accepted step.
    fn degree(&self) -> usize {
        self.last_order().max(1)
    }
    /// Brings what [`interpolate`](Stepper::interpolate) gave for `t` closer to a solution of the equations,
    /// for outputs; changes nothing of what later steps depend on.
    fn refine(&mut self, _equations: &mut Equations<'_>, _t: f64, _y: &mut [f64], _yp: &mut [f64]) {}
    /// Enters what is not integrated into a state inside the last accepted step: multipliers and readings, where a
    /// method has them at the ends of steps only; changes nothing of what later steps depend on.
    fn complete(&mut self, _equations: &mut Equations<'_>, _t: f64, _y: &mut [f64]) {}
    /// The corrector inside, for implicit methods.
    fn corrector(&mut self) -> Option<&mut Corrector>;
    /// Numbers of the force elements whose derivatives enter the step, where a method chooses among them; `None`: all.
    fn stiff_elements(&self) -> Option<&[usize]> {
        None
    }
    /// The weights in use.
    fn weights(&self) -> &Weights;
    /// Everything the next step depends on.
    fn checkpoint(&self) -> State;
    /// Takes back what [`checkpoint`](Stepper::checkpoint) gave; false when it does not fit.
    fn restore(&mut self, state: &State) -> bool;
}

/// Step sizes tried after failures of the iteration next to a singular position, in parts of the first that failed.
/// What fails there is the end of the step, not its length: shorter steps alone lead closer and closer to it, and
/// further into the region where rounding is amplified; longer ones lead across.
const ACROSS: [f64; 9] = [0.25, 1.5, 0.6, 2.2, 0.1, 3.3, 0.03, 1.2, 0.01];

/// The step size after so many failures in a row, the first of them with `first`.
fn across(first: f64, failures: u32) -> f64 {
    let last = ACROSS.len() - 1;
    first * ACROSS[last.min(failures.saturating_sub(1) as usize)]
}

/// What a method is built from.
pub struct Parts<'a> {
    /// What is known about the system.
    pub structure: &'a Structure,
    /// Error weights.
    pub weights: Weights,
    /// Options of the run, with those of the method among them.
    pub options: &'a Options,
    /// The linear solver, for methods that take one.
    pub linear: &'static linear::Entry,
    /// Steps after a rejected attempt for which a method with a corrector is to be careful, with a new Jacobian
    /// in each; 0 for most systems.
    pub caution: u32,
}

impl Parts<'_> {
    /// A linear solver for the whole system.
    pub fn linear_solver(&self) -> Box<dyn LinearSolver> {
        let (n, pattern) = (self.structure.dimension(), self.structure.sparsity.as_deref());
        (self.linear.build)(n, pattern, &self.options.own)
    }
}

/// What a method works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Any F(t, y, ẏ) = 0.
    Everything,
    /// Mechanisms, by their parts.
    Mechanisms,
    /// Mechanisms, by their parts, and ẏ = f(t, y).
    Explicit,
}

/// One method, as listed to users.
pub struct Entry {
    /// Name in options and reports.
    pub name: &'static str,
    /// One line for `holonom list`.
    pub description: &'static str,
    /// Where it comes from.
    pub literature: &'static str,
    /// Highest order.
    pub max_order: usize,
    /// What it works on.
    pub takes: Takes,
    /// Whether it needs a fixed step size.
    pub fixed_step: bool,
    /// Order of the first step, by which its size is chosen.
    pub start_order: usize,
    /// Whether its stages are solved together: the parts of the Jacobian are kept apart, variables count in
    /// the error test by their index, and the option `stages` takes the place of `max_order`.
    pub in_stages: bool,
    /// Its options, if it has some.
    pub options: Option<Factory>,
    /// How it is built.
    pub build: Build,
}

/// Builds a method for `n` unknowns.
#[derive(Clone, Copy)]
pub enum Build {
    /// One that solves for its steps, with a corrector: Jacobian engine, linear solver and refresh policy.
    Iterative(fn(n: usize, parts: Parts<'_>, corrector: Corrector) -> Box<dyn Stepper>),
    /// One that has no use for these, for which they are not made.
    Direct(fn(n: usize, parts: Parts<'_>) -> Box<dyn Stepper>),
}

/// What reports name in place of a strategy that a method has no use for.
pub const NONE: &str = "none";
