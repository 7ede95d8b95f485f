//! The whole configuration of a run as plain data.

mod newton;

pub use newton::NewtonOptions;

use crate::output_times::OutputTimes;
use crate::settings::{OwnOptions, Owned};
use holonom_dae::{ErrorTest, Survey, Tolerances};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The name of a strategy that stands for the choice among them.
pub const AUTO: &str = "auto";

/// What to do about start values that do not satisfy the equations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Move them as little as needed and report what moved.
    #[default]
    Assemble,
    /// Refuse them, naming the equation.
    Check,
    /// Take them as they are.
    Trust,
}

/// Options of a run. Strategy names are those of the registries; `auto` picks by size and
/// structure.
///
/// These are the options of every run, in one flat list because callers fill it in with `..Options::default()`. Options of
/// a single method belong to the method and are among [`own`](Self::own).
///
/// ```
/// use holonom_solver::Options;
/// let options = Options::new(1e-8, 1e-10).max_order(2).stop_at(5.0);
/// assert_eq!(options.stepper, "auto");
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Relative and absolute tolerances.
    pub tolerances: Tolerances,
    /// How each variable takes part in the error test; `None`: as its index demands.
    pub error_test: Option<Vec<ErrorTest>>,
    /// Integration method, or `auto`.
    pub stepper: String,
    /// Jacobian engine, or `auto`.
    pub jacobian: String,
    /// Where the sparsity pattern comes from by which columns of the Jacobian are grouped, or
    /// `auto`; engines that take columns one by one need none.
    pub sparsity: String,
    /// Linear solver, or `auto`.
    pub linear: String,
    /// Refresh policy.
    pub refresh: String,
    /// What may stand in for a full evaluation of the Jacobian, or `auto`.
    pub update: String,
    /// Steps after which the share of the tolerance that a single step may use begins to fall
    /// like 1/(1 + steps/budget), so that the global error of a long run stays in proportion
    /// to the tolerance; `None`: every step may use all of it, as in DASSL.
    pub error_budget: Option<f64>,
    /// Keep a step size that followed a failed error test for some steps, and go back to the
    /// order before when the failure came right after the order was lowered (DASSL does not).
    pub hold_after_failure: bool,
    /// With multipliers of index 2 or more, choose a first step whose movement along ẏ is the square
    /// root of the tolerance instead of the tolerance (DASSL: no). Shorter ones give multipliers that
    /// consist of rounding.
    pub long_first_step: bool,
    /// Stopping rule of the corrector.
    pub newton: NewtonOptions,
    /// What to do about inconsistent start values.
    pub start: Start,
    /// First step size; `None`: chosen.
    pub initial_step: Option<f64>,
    /// Largest step size.
    pub max_step: f64,
    /// Smallest step size, except to meet a stop time; a run that needs smaller ones fails.
    /// Zero: the spacing of floating-point numbers.
    pub min_step: f64,
    /// Fixed step size, without error control.
    pub fixed_step: Option<f64>,
    /// Accepted steps at most, over the whole run.
    pub max_steps: u64,
    /// Computing time at most, in seconds.
    pub time_limit: Option<f64>,
    /// Times at which the solution is wanted, ascending; got by interpolation, steps do not
    /// bend to them.
    pub outputs: OutputTimes,
    /// Times at which the equations change, ascending: the integration steps onto them, never
    /// across, and starts afresh there.
    pub stop_times: Vec<f64>,
    /// Times at which a high derivative of the equations jumps, ascending: a step ends there, and the method goes on with
    /// its history.
    pub step_ends: Vec<f64>,
    /// Look at the equations ahead of long steps, so that no short excitation is stepped over.
    pub foresight: bool,
    /// Of each excitation of the system where it is to be looked at; others are sampled evenly.
    pub surveys: Arc<[Option<Survey>]>,
    /// Set to true from elsewhere to interrupt the run after the step at hand.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Keep the solution at all times, not only at the output times; see [`Solution::at`](crate::Solution::at).
    pub dense_output: bool,
    /// Options of single methods, linear solvers and policies; see [`own`](Self::own).
    pub own: Owned,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerances: Tolerances::default(),
            error_test: None,
            stepper: AUTO.into(),
            jacobian: AUTO.into(),
            sparsity: AUTO.into(),
            linear: AUTO.into(),
            refresh: "classical".into(),
            update: AUTO.into(),
            error_budget: Some(50.0),
            hold_after_failure: true,
            long_first_step: true,
            newton: NewtonOptions::default(),
            start: Start::default(),
            initial_step: None,
            max_step: f64::INFINITY,
            min_step: 0.0,
            fixed_step: None,
            max_steps: 10_000_000,
            time_limit: None,
            outputs: OutputTimes::default(),
            stop_times: Vec::new(),
            step_ends: Vec::new(),
            foresight: true,
            surveys: Arc::from([]),
            interrupt: None,
            dense_output: false,
            own: Owned::default(),
        }
    }
}

impl Options {
    /// Default options with these tolerances.
    pub fn new(rtol: f64, atol: f64) -> Self {
        Self {
            tolerances: Tolerances::new(rtol, atol),
            ..Self::default()
        }
    }

    /// Sets the tolerances.
    pub fn tolerances(mut self, tolerances: Tolerances) -> Self {
        self.tolerances = tolerances;
        self
    }

    /// Sets the integration method.
    pub fn stepper(mut self, name: &str) -> Self {
        self.stepper = name.into();
        self
    }

    /// Sets the Jacobian engine.
    pub fn jacobian(mut self, name: &str) -> Self {
        self.jacobian = name.into();
        self
    }

    /// Sets where the sparsity pattern comes from.
    pub fn sparsity(mut self, name: &str) -> Self {
        self.sparsity = name.into();
        self
    }

    /// Sets the linear solver.
    pub fn linear(mut self, name: &str) -> Self {
        self.linear = name.into();
        self
    }

    /// Sets the refresh policy.
    pub fn refresh(mut self, name: &str) -> Self {
        self.refresh = name.into();
        self
    }

    /// Sets what may stand in for a full evaluation of the Jacobian.
    pub fn update(mut self, name: &str) -> Self {
        self.update = name.into();
        self
    }

    /// Sets the options of a method, a linear solver or a policy.
    ///
    /// ```
    /// use holonom_solver::Options;
    /// use holonom_solver::stepper::RadauOptions;
    /// let options = Options::default().with(RadauOptions { stages: Some(5) });
    /// assert_eq!(options.own::<RadauOptions>().stages, Some(5));
    /// ```
    pub fn with<T: OwnOptions>(mut self, options: T) -> Self {
        self.own.put(options);
        self
    }

    /// The options of a method, a linear solver or a policy.
    pub fn own<T: OwnOptions>(&self) -> T {
        self.own.of()
    }

    /// Sets what to do about inconsistent start values.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// Keeps the solution at all times.
    pub fn dense_output(mut self) -> Self {
        self.dense_output = true;
        self
    }

    /// Sets the output times.
    pub fn outputs(mut self, times: impl Into<OutputTimes>) -> Self {
        self.outputs = times.into();
        self
    }

    /// Adds a time the integration steps onto, never across.
    pub fn stop_at(mut self, t: f64) -> Self {
        self.stop_times.push(t);
        self
    }
}
