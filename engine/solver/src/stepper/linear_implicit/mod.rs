//! The linear-implicit Euler method for mechanical systems: fixed step, bounded work, bounded drift.
//!
//! After B. Burgermeister, M. Arnold, B. Esterl: DAE time integration for real-time applications in
//! multi-body dynamics; numbers in parentheses are theirs. [`options`] says what can be chosen,
//! [`euler`] is the step, [`partition`] finds the stiff elements. [`LinearImplicit`] makes a [`Stepper`] of it, for
//! runs with outputs, events and checkpoints; [`RealTime`](super::RealTime) is the shell for loops with hardware.

mod bound;
mod euler;
mod options;
mod partition;
mod stabilise;
mod state;
mod step_limit;
mod work;

pub use bound::{DriftBound, drift_bound};
pub use euler::LinearImplicitEuler;
pub use options::{
    Level, LinearImplicitOptions, Ordering, Partition, Projections, Stabilisation, StiffTerms,
};
pub use stabilise::baumgarte as baumgarte_parameters;
pub use state::MotionState;
pub use step_limit::StepLimit;
pub use work::Work;

use super::{Build, Entry, Parts, Stepper, Takes};
use crate::equations::Equations;
use crate::newton::Corrector;
use crate::state::State;
use euler::Matrices;
use holonom_dae::{InputError, MechanicalLayout, Rejection, System, Weights};
use serde::{Deserialize, Serialize};

/// Name in options and reports.
pub(super) const NAME: &str = "linear-implicit-euler";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "linearly implicit Euler method for mechanisms in real time: fixed step, one linear solve, no iteration",
    literature: "Burgermeister §2, §3",
    max_order: 1,
    takes: Takes::Mechanisms,
    fixed_step: true,
    start_order: 1,
    in_stages: false,
    options: Some(|| Box::new(LinearImplicitOptions::default())),
    build: Build::Direct(|n, parts| Box::new(LinearImplicit::new(n, parts))),
};

/// Everything of the method that outlives a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LinearImplicitState {
    /// Time of the last start and steps since: t without accumulated rounding.
    origin: f64,
    steps: u64,
    t: f64,
    h: f64,
    h_last: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// Unknowns at the beginning of the last step.
    y_last: Vec<f64>,
    failures: u32,
    /// Whether the first step after the last start has been tried, which evaluates the matrices anew.
    begun: bool,
    /// What the method has chosen and keeps, in a checkpoint.
    matrices: Option<Matrices>,
}

/// The method as a [`Stepper`].
pub struct LinearImplicit {
    options: LinearImplicitOptions,
    /// The step size of the run; a single step may be shorter, to meet a stop time.
    fixed: f64,
    layout: Option<MechanicalLayout>,
    weights: Weights,
    euler: Option<LinearImplicitEuler>,
    /// Whether what is kept from step to step belongs to the present state.
    placed: bool,
    state: LinearImplicitState,
    from: MotionState,
    to: MotionState,
    y_new: Vec<f64>,
    yp_new: Vec<f64>,
}

impl LinearImplicit {
    /// Allocates a method for `n` unknowns; [`bind`](Stepper::bind) does the rest.
    pub fn new(n: usize, parts: Parts<'_>) -> Self {
        let zeros = vec![0.0; n];
        Self {
            options: parts.options.own(),
            fixed: parts.options.fixed_step.unwrap_or(f64::NAN),
            layout: None,
            weights: parts.weights,
            euler: None,
            placed: false,
            state: LinearImplicitState {
                origin: 0.0,
                steps: 0,
                t: 0.0,
                h: 0.0,
                h_last: 0.0,
                y: zeros.clone(),
                yp: zeros.clone(),
                y_last: zeros.clone(),
                failures: 0,
                begun: false,
                matrices: None,
            },
            from: MotionState::default(),
            to: MotionState::default(),
            y_new: zeros.clone(),
            yp_new: zeros,
        }
    }

    /// Evaluations and operations of every step; none before [`bind`](Stepper::bind).
    pub fn work(&self) -> Work {
        self.euler.as_ref().map_or_else(Work::default, |e| e.work())
    }
}

/// Takes the state out of the unknowns.
fn load(layout: &MechanicalLayout, t: f64, y: &[f64], state: &mut MotionState) {
    state.t = t;
    state.q.copy_from_slice(&y[layout.q.clone()]);
    state.v.copy_from_slice(&y[layout.v.clone()]);
    state.x.copy_from_slice(&y[layout.x.clone()]);
    if layout.lambda.len() == state.lambda.len() {
        state.lambda.copy_from_slice(&y[layout.lambda.clone()]);
    }
}

impl Stepper for LinearImplicit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bind(&mut self, system: &mut dyn System) -> Result<(), InputError> {
        let missing = || InputError::Option {
            option: "stepper",
            value: format!("`{NAME}`"),
            remedy:
                "it supports only mechanical systems (`Mechanical`), which this system is not; choose `bdf`"
                    .into(),
        };
        let layout = system.structure().layout.clone().ok_or_else(missing)?;
        if !layout.readings.is_empty() {
            return Err(InputError::Option {
                option: "stepper",
                value: format!("`{NAME}`"),
                remedy: "it does not support sensors of accelerations, reactions or totals, which are \
                additional unknowns of the equations; choose `bdf`"
                    .into(),
            });
        }
        let mechanical = system.mechanical().ok_or_else(missing)?;
        (self.from, self.to) = (MotionState::new(mechanical), MotionState::new(mechanical));
        if layout.q.len() != self.from.q.len()
            || layout.v.len() != self.from.v.len()
            || layout.x.len() != self.from.x.len()
        {
            return Err(missing());
        }
        load(&layout, self.state.t, &self.state.y, &mut self.from);
        let mut euler = LinearImplicitEuler::new(mechanical, self.fixed, &self.from, self.options.clone())?;
        if let Some(matrices) = &self.state.matrices
            && !euler.restore(mechanical, matrices)
        {
            return Err(InputError::Checkpoint("its stiff elements differ".into()));
        }
        self.placed = false;
        self.euler = Some(euler);
        self.layout = Some(layout);
        Ok(())
    }

    fn start(&mut self, t: f64, y: &[f64], yp: &[f64], _h: f64) {
        let s = &mut self.state;
        (s.origin, s.steps, s.t) = (t, 0, t);
        (s.h, s.h_last, s.failures) = (self.fixed, 0.0, 0);
        s.y.copy_from_slice(y);
        s.yp.copy_from_slice(yp);
        s.y_last.copy_from_slice(y);
        s.begun = false;
        self.placed = false;
        self.weights.update(y, 1.0);
    }

    fn attempt(&mut self, equations: &mut Equations<'_>) -> Result<(), Rejection> {
        let s = &mut self.state;
        let counters = &mut *equations.counters;
        let (Some(euler), Some(layout), Some(mechanical)) =
            (&mut self.euler, &self.layout, equations.system.mechanical())
        else {
            return Err(Rejection::OutsideDomain);
        };
        load(layout, s.t, &s.y, &mut self.from);
        if !self.placed {
            match s.begun {
                true => euler.begin(mechanical, &self.from)?,
                false => euler.start(mechanical, &self.from)?,
            }
            (self.placed, s.begun) = (true, true);
        }
        let whole = s.h == self.fixed;
        self.to.t = if whole {
            s.origin + (s.steps + 1) as f64 * s.h
        } else {
            s.t + s.h
        };
        let work = euler.work();
        counters.residuals += u64::from(work.force);
        counters.mass_evaluations += u64::from(work.mass);
        counters.jacobians += u64::from(work.jacobian_sweeps + work.jacobian_elements > 0);
        counters.factorisations += u64::from(work.factorisations);
        counters.solves += u64::from(work.solves);
        euler
            .step(mechanical, s.h, &self.from, &mut self.to)
            .map_err(|rejection| match rejection {
                // Named by the unknown; rows and unknowns of a mechanism are as many.
                Rejection::NonFinite { row } => Rejection::NonFinite {
                    row: unknown(layout, &self.to, row),
                },
                other => other,
            })?;
        let (q, v, x) = (layout.q.clone(), layout.v.clone(), layout.x.clone());
        self.y_new.copy_from_slice(&s.y);
        self.y_new[q.clone()].copy_from_slice(&self.to.q);
        self.y_new[v.clone()].copy_from_slice(&self.to.v);
        self.y_new[x.clone()].copy_from_slice(&self.to.x);
        if layout.lambda.len() == self.to.lambda.len() {
            self.y_new[layout.lambda.clone()].copy_from_slice(&self.to.lambda);
        }
        // Positions move with the velocities, the rest as it did in the step.
        self.yp_new.fill(0.0);
        mechanical.velocity_map(&self.to.q, &self.to.v, &mut self.yp_new[q]);
        for range in [v, x] {
            for i in range {
                self.yp_new[i] = (self.y_new[i] - s.y[i]) / s.h;
            }
        }
        Ok(())
    }

    fn accept(&mut self, _equations: &mut Equations<'_>) {
        let s = &mut self.state;
        s.t = self.to.t;
        if s.h == self.fixed {
            s.steps += 1;
        } else {
            (s.origin, s.steps) = (s.t, 0);
        }
        s.h_last = s.h;
        s.h = self.fixed;
        s.failures = 0;
        s.y_last.copy_from_slice(&s.y);
        std::mem::swap(&mut s.y, &mut self.y_new);
        std::mem::swap(&mut s.yp, &mut self.yp_new);
        if let Some(euler) = &mut self.euler {
            euler.commit();
        }
        self.weights.update(&s.y, 1.0);
    }

    fn reject(&mut self, _rejection: Rejection) {
        self.state.failures += 1;
    }

    fn carry(&mut self, map: &dyn Fn(&mut [f64])) {
        map(&mut self.state.y);
        map(&mut self.state.y_last);
        self.state.begun = false;
        self.placed = false;
    }

    fn failures_in_a_row(&self) -> u32 {
        self.state.failures
    }

    fn t(&self) -> f64 {
        self.state.t
    }

    fn y(&self) -> &[f64] {
        &self.state.y
    }

    fn yp(&self) -> &[f64] {
        &self.state.yp
    }

    fn h(&self) -> f64 {
        self.state.h
    }

    fn set_h(&mut self, h: f64) {
        self.state.h = h;
    }

    fn last_h(&self) -> f64 {
        self.state.h_last
    }

    fn order(&self) -> usize {
        1
    }

    fn last_order(&self) -> usize {
        usize::from(self.state.h_last > 0.0)
    }

    fn interpolate(&self, t: f64, y: &mut [f64], yp: &mut [f64]) {
        let s = &self.state;
        yp.copy_from_slice(&s.yp);
        y.copy_from_slice(&s.y);
        if s.h_last == 0.0 || t == s.t {
            return;
        }
        // A straight line: all that a method of order 1 knows, and events on it are simple zeros.
        let share = (s.t - t) / s.h_last;
        for (y, last) in y.iter_mut().zip(&s.y_last) {
            *y += share * (last - *y);
        }
    }

    fn corrector(&mut self) -> Option<&mut Corrector> {
        None
    }

    fn stiff_elements(&self) -> Option<&[usize]> {
        self.euler.as_ref()?.stiff_elements()
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn checkpoint(&self) -> State {
        let mut state = self.state.clone();
        state.matrices = self.euler.as_ref().map(LinearImplicitEuler::matrices);
        State::new(NAME, state)
    }

    fn restore(&mut self, state: &State) -> bool {
        let Some(state) = state.get::<LinearImplicitState>(NAME) else {
            return false;
        };
        if state.y.len() != self.y_new.len() {
            return false;
        }
        self.state = state;
        self.placed = false;
        self.weights.update(&self.state.y, 1.0);
        true
    }
}

/// The unknown behind a place in (q, v, x, λ).
fn unknown(layout: &MechanicalLayout, state: &MotionState, place: usize) -> usize {
    let mut place = place;
    let parts = [
        (&layout.q, state.q.len()),
        (&layout.v, state.v.len()),
        (&layout.x, state.x.len()),
        (&layout.lambda, state.lambda.len()),
    ];
    for (range, count) in parts {
        if place < count {
            // Multipliers that are not among the unknowns are told as the first velocity.
            return if place < range.len() {
                range.start + place
            } else {
                layout.v.start
            };
        }
        place -= count;
    }
    layout.v.start
}
