//! The whole configuration of a run as plain data.

use crate::jacobian::{self, Sparsity, sparsity};
use crate::newton::NewtonOptions;
use crate::output_times::OutputTimes;
use crate::refresh::update::{self, Update};
use crate::stepper::{
    BdfOptions, GeneralizedAlphaOptions, LinearImplicitOptions, RadauOptions, StabilityOptions,
};
use crate::{linear, refresh, stepper};
use holonom_dae::{Absolute, ErrorTest, InputError, Structure, Survey, System, Tolerances};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    /// Highest order; methods in stages have a number of stages instead.
    pub max_order: usize,
    /// Number of stages of `radau`, 3, 5 or 7; `None`: chosen from step to step.
    pub stages: Option<usize>,
    /// Whether a step limited by stability lowers the order.
    pub stability_detection: bool,
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
    /// Fixed step size at order `max_order`, without error control.
    pub fixed_step: Option<f64>,
    /// Options of the method `linear-implicit-euler`.
    pub linear_implicit: LinearImplicitOptions,
    /// Options of the method `generalized-alpha`.
    pub generalized_alpha: GeneralizedAlphaOptions,
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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerances: Tolerances::default(),
            error_test: None,
            stepper: stepper::AUTO.into(),
            jacobian: "auto".into(),
            sparsity: Sparsity::Auto.name().into(),
            linear: "auto".into(),
            refresh: "classical".into(),
            update: Update::Auto.name().into(),
            max_order: 5,
            stages: None,
            stability_detection: true,
            error_budget: Some(50.0),
            hold_after_failure: true,
            long_first_step: true,
            newton: NewtonOptions::default(),
            start: Start::default(),
            initial_step: None,
            max_step: f64::INFINITY,
            min_step: 0.0,
            fixed_step: None,
            linear_implicit: LinearImplicitOptions::default(),
            generalized_alpha: GeneralizedAlphaOptions::default(),
            max_steps: 10_000_000,
            time_limit: None,
            outputs: OutputTimes::default(),
            stop_times: Vec::new(),
            step_ends: Vec::new(),
            foresight: true,
            surveys: Arc::from([]),
            interrupt: None,
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

    /// Sets the highest order.
    pub fn max_order(mut self, order: usize) -> Self {
        self.max_order = order;
        self
    }

    /// Sets the number of stages of methods that have some.
    pub fn stages(mut self, stages: usize) -> Self {
        self.stages = Some(stages);
        self
    }

    /// Switches the detection of stability-limited steps.
    pub fn stability_detection(mut self, on: bool) -> Self {
        self.stability_detection = on;
        self
    }

    /// Sets what to do about inconsistent start values.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
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

    /// DASSL as it is: its method, refresh policy and stopping rule, no stability detection.
    pub fn dassl(mut self) -> Self {
        self.stepper = "bdf".into();
        self.refresh = "dassl".into();
        self.stability_detection = false;
        self.error_budget = None;
        self.foresight = false;
        self.hold_after_failure = false;
        self.long_first_step = false;
        self.newton.look_ahead = false;
        self.newton.accept_rounding = false;
        self.newton.share = 0.33;
        self
    }

    /// Refuses options no run of this system can honour.
    pub fn check(&self, system: &dyn System) -> Result<(), InputError> {
        let structure = system.structure();
        self.tolerances.check(structure)?;
        let n = structure.dimension();
        let option = |option: &'static str, value: String, remedy: String| {
            Err(InputError::Option {
                option,
                value,
                remedy,
            })
        };
        let choice = |name: &'static str, value: &str, auto: bool, all: Vec<&'static str>| {
            if (auto && value == "auto") || all.contains(&value) {
                return Ok(());
            }
            let auto = if auto { "auto, " } else { "" };
            option(
                name,
                format!("`{value}`"),
                format!("choose one of {auto}{}", all.join(", ")),
            )
        };
        choice(
            "stepper",
            &self.stepper,
            true,
            stepper::REGISTRY.iter().map(|e| e.name).collect(),
        )?;
        choice(
            "jacobian",
            &self.jacobian,
            true,
            jacobian::REGISTRY.iter().map(|e| e.name).collect(),
        )?;
        choice(
            "sparsity",
            &self.sparsity,
            true,
            sparsity::REGISTRY.iter().map(|e| e.name).collect(),
        )?;
        choice(
            "linear",
            &self.linear,
            true,
            linear::REGISTRY.iter().map(|e| e.name).collect(),
        )?;
        choice(
            "refresh",
            &self.refresh,
            false,
            refresh::REGISTRY.iter().map(|e| e.name).collect(),
        )?;
        choice(
            "update",
            &self.update,
            true,
            update::REGISTRY.iter().map(|e| e.name).collect(),
        )?;
        if let Some(tests) = &self.error_test {
            if tests.len() != n {
                return Err(InputError::WrongSize {
                    what: "the list of error tests",
                    found: tests.len(),
                    expected: n,
                });
            }
            if tests
                .iter()
                .any(|t| matches!(t, ErrorTest::StepPower(p) if *p < 0))
            {
                let remedy = "a negative power makes the test stricter as the step shrinks; give 0 or more";
                return option("error_test", "StepPower below 0".into(), remedy.into());
            }
            if tests.iter().all(|t| *t == ErrorTest::Excluded) {
                let remedy = "at least one variable must be included in the error test; for a run without \
                error control, set fixed_step";
                return option("error_test", "all excluded".into(), remedy.into());
            }
        }
        if !(1..=5).contains(&self.max_order) {
            return option("max_order", self.max_order.to_string(), "choose 1 to 5".into());
        }
        if let Some(stages) = self.stages
            && ![3, 5, 7].contains(&stages)
        {
            return option("stages", stages.to_string(), "choose 3, 5 or 7, or none".into());
        }
        let positive = |name: &'static str, x: f64| {
            if x > 0.0 && (x.is_finite() || name == "max_step") {
                Ok(())
            } else {
                option(name, x.to_string(), "give a positive, finite number".into())
            }
        };
        positive("max_step", self.max_step)?;
        positive("newton.share", self.newton.share)?;
        let rate = self.newton.rejection_rate;
        if !(rate > 0.0 && rate < 1.0) {
            return option(
                "newton.rejection_rate",
                rate.to_string(),
                "give a number between 0 and 1".into(),
            );
        }
        if self.fixed_step.is_some() && self.initial_step.is_some() {
            let remedy = "`initial_step` and `fixed_step` exclude each other: give one of the two";
            return option(
                "initial_step",
                "set together with fixed_step".into(),
                remedy.into(),
            );
        }
        if self.newton.max_iterations == 0 {
            return option("newton.max_iterations", "0".into(), "give at least 1".into());
        }
        for (name, x) in [
            ("initial_step", self.initial_step),
            ("fixed_step", self.fixed_step),
            ("time_limit", self.time_limit),
            ("error_budget", self.error_budget),
        ] {
            if let Some(x) = x {
                positive(name, x)?;
            }
        }
        if !(self.min_step >= 0.0 && self.min_step < self.max_step) {
            return option(
                "min_step",
                self.min_step.to_string(),
                "give a number from 0 up to max_step".into(),
            );
        }
        let stop_times = OutputTimes::List(self.stop_times.clone());
        let step_ends = OutputTimes::List(self.step_ends.clone());
        for (name, times) in [
            ("outputs", &self.outputs),
            ("stop_times", &stop_times),
            ("step_ends", &step_ends),
        ] {
            if let Some((i, t)) = times.disorder() {
                return option(
                    name,
                    format!("{t} at entry {i}"),
                    "give finite times in ascending order".into(),
                );
            }
        }
        let entry = stepper::find(&self.stepper);
        if entry.is_some_and(|e| e.takes == stepper::Takes::Mechanisms) {
            if self.fixed_step.is_none() && entry.is_some_and(|e| e.fixed_step) {
                let remedy = "it needs a fixed step size; set `fixed_step`, such as 1 ms";
                return option("stepper", format!("`{}`", self.stepper), remedy.into());
            }
            if structure.layout.is_none() {
                let remedy = "it supports only mechanical systems (`Mechanical`), which this system is not; \
                choose `bdf`";
                return option("stepper", format!("`{}`", self.stepper), remedy.into());
            }
            self.linear_implicit.check()?;
            self.generalized_alpha.check()?;
        }
        if !system.has_duals() && jacobian::find(&self.jacobian).is_some_and(|e| e.needs_duals) {
            let remedy = "needs a residual that can be evaluated with dual numbers, which this system \
                          cannot: write it as a `Residual`, or choose differences";
            return option("jacobian", format!("`{}`", self.jacobian), remedy.into());
        }
        if structure.sparsity.is_none() {
            if self.linear == "lu-sparse" {
                let remedy = "needs the sparsity pattern, which this system does not declare; \
                              add it to the structure or choose the dense variant";
                return option("linear", format!("`{}`", self.linear), remedy.into());
            }
            if self.sparsity == Sparsity::Traced.name() {
                let remedy = "needs the sparsity pattern, which this system does not declare; \
                              add it to the structure or choose `estimated`";
                return option("sparsity", format!("`{}`", self.sparsity), remedy.into());
            }
        }
        Ok(())
    }

    /// Names of the Jacobian engine and the linear solver after resolving `auto`.
    ///
    /// Mechanisms get exact derivatives: next to singular positions the rounding of differences
    /// is as large as what is left of the matrix.
    pub fn resolve(&self, system: &dyn System) -> (&'static str, &'static str) {
        let structure = system.structure();
        let n = structure.dimension();
        let density = || {
            let entries = structure.sparsity.as_ref().map(|p| p.len() as f64);
            entries.map_or(1.0, |entries| entries / (n * n) as f64)
        };
        // Dense LU costs about 0.7 n³ vectorised operations, sparse LU much overhead per entry.
        let linear = match self.linear.as_str() {
            "auto" if n >= 50 && density() < 0.2 => "lu-sparse",
            "auto" => "lu-dense",
            name => linear::REGISTRY
                .iter()
                .map(|e| e.name)
                .find(|e| *e == name)
                .unwrap_or("lu-dense"),
        };
        let jacobian = match self.jacobian.as_str() {
            "auto" if self.has_exact_jacobian(system) => "ad-grouped",
            "auto" if structure.sparsity.is_some() || self.sparsity != Sparsity::Auto.name() => "fd-grouped",
            "auto" => "fd-dense",
            name => jacobian::find(name).map_or("fd-dense", |e| e.name),
        };
        (jacobian, linear)
    }

    /// Whether exact derivatives are what `auto` takes: for mechanisms of bodies and joints. The policy `dassl` is the
    /// baseline and works with differences.
    pub(crate) fn has_exact_jacobian(&self, system: &dyn System) -> bool {
        let structure = system.structure();
        structure.sparsity.is_some()
            && structure.layout.is_some()
            && system.has_duals()
            && self.refresh != "dassl"
    }

    /// Where the sparsity pattern comes from.
    pub(crate) fn sparsity_choice(&self) -> Sparsity {
        sparsity::find(&self.sparsity).unwrap_or_default()
    }

    /// What may stand in for a full evaluation.
    pub(crate) fn update_choice(&self) -> Update {
        update::find(&self.update).unwrap_or_default()
    }

    /// The same for a system with this many inputs, with `auto` resolved.
    pub(crate) fn update_in_use(&self, inputs: usize) -> Update {
        let combined = refresh::find(&self.refresh).is_some_and(|e| (e.build)().combined_differences());
        match self.update_choice() {
            Update::Auto if combined => Update::None,
            Update::Auto => Update::Partitioned,
            Update::Extended if inputs == 0 => Update::Partitioned,
            other => other,
        }
    }

    /// Tells apart options that lead to other numbers.
    pub(crate) fn fingerprint(&self) -> u64 {
        let numbers = format!(
            "{:?}",
            (
                (
                    &self.tolerances,
                    &self.error_test,
                    &self.sparsity,
                    &self.update,
                    self.max_order,
                    self.stability_detection
                ),
                (
                    self.error_budget,
                    self.hold_after_failure,
                    self.long_first_step,
                    self.newton,
                    self.start,
                    self.initial_step
                ),
                (&self.linear_implicit, self.generalized_alpha),
                (
                    self.max_step,
                    self.min_step,
                    self.fixed_step,
                    self.foresight,
                    self.stages
                ),
            )
        );
        stepper::fingerprint([numbers.as_str()])
    }

    /// The part of the options a Radau method needs.
    pub fn radau(&self) -> RadauOptions {
        let absolute = match &self.tolerances.atol {
            Absolute::Same(a) => *a,
            Absolute::Each(each) => each.iter().copied().fold(f64::INFINITY, f64::min),
        };
        RadauOptions {
            stages: self.stages,
            tolerance: self.tolerances.rtol.max(absolute).min(1.0),
            fixed_step: self.fixed_step,
            seen_between_steps: self.outputs.get(0).is_some(),
        }
    }

    /// The part of the options a BDF method needs.
    pub fn bdf(&self, structure: &Structure) -> BdfOptions {
        BdfOptions {
            max_order: self.max_order,
            stability: StabilityOptions {
                enabled: self.stability_detection,
            },
            budget: self.error_budget,
            form_factor: structure.local_error_factor(),
            factor_along: structure.factor_along(),
            hold_after_failure: self.hold_after_failure,
            caution: 0,
            fixed_step: self.fixed_step,
        }
    }
}
