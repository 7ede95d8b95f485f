//! The trapezoidal rule, with variable or fixed step size:
//! y₁ = y₀ + h (ẏ₀ + ẏ₁)/2, F(t₁, y₁, ẏ₁) = 0 [Hairer, Nørsett, Wanner 1993, §II.7; Gresho, Sani 1998, §3.16].
//!
//! Order 2, no damping of oscillations and none of the fastest modes: for short runs of undamped systems and as a
//! yardstick. The error is a third or less of the distance from an explicit prediction of order 2. Of variables without
//! derivative in the equations the slope is that of the parabola through the last three values, because the rule would
//! carry on an oscillation in it.

use super::{Build, Entry, Parts, Stepper, Takes, across};
use crate::equations::Equations;
use crate::newton::{Corrector, CorrectorState, CorrectorStep, PointSolver};
use crate::state::State;
use holonom_dae::{Rejection, Weights};
use serde::{Deserialize, Serialize};

/// Name in options and reports.
const NAME: &str = "trapezoidal";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "trapezoidal rule: order 2, no damping, variable or fixed step",
    literature: "[Hairer, Nørsett, Wanner 1993, §II.7; Gresho, Sani 1998]",
    max_order: 2,
    takes: Takes::Everything,
    fixed_step: false,
    start_order: 1,
    in_stages: false,
    options: None,
    build: Build::Iterative(|n, parts, corrector| Box::new(Trapezoidal::new(n, parts, corrector))),
};

const ORDER: usize = 2;
/// Share of the step size that the error allows, and largest growth and reduction at once.
const SAFETY: f64 = 0.9;
const GROWTH: f64 = 2.0;
const REDUCTION: f64 = 0.2;
/// Growth for which a step size is kept, so that the matrix serves again.
const KEPT: f64 = 1.2;
/// After n steps a step may use (1 + n/BUDGET)^−FALL of the tolerance: all together BUDGET/(FALL − 1) tolerances at most, as
/// with `generalized-alpha`, which has the same order.
const BUDGET: f64 = 5.0;
const FALL: f64 = 1.2;
/// Tolerances are not tightened below this relative one: rounding would take over.
const TIGHTEST: f64 = 1e-13;

/// Everything of the method that outlives a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TrapezoidalState {
    t: f64,
    h: f64,
    h_last: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    y_last: Vec<f64>,
    yp_last: Vec<f64>,
    steps: u64,
    failures: u32,
    error_failures: u32,
    /// Step size of the first of the failures in a row.
    failed: f64,
}

/// The method.
struct Trapezoidal {
    fixed: Option<f64>,
    weights: Weights,
    corrector: Corrector,
    solver: PointSolver,
    /// Variables without derivative in the equations.
    algebraic: Vec<usize>,
    constrained: bool,
    state: TrapezoidalState,
    predicted: Vec<f64>,
    y_new: Vec<f64>,
    yp_new: Vec<f64>,
    e: Vec<f64>,
    error: f64,
}

impl Trapezoidal {
    fn new(n: usize, parts: Parts<'_>, corrector: Corrector) -> Self {
        let zeros = || vec![0.0; n];
        let variables = parts.structure.variables.iter().enumerate();
        let algebraic = variables.filter(|(_, v)| !v.kind.is_differential());
        Self {
            fixed: parts.options.fixed_step,
            algebraic: algebraic.map(|(i, _)| i).collect(),
            constrained: parts.structure.layout.as_ref().is_some_and(|l| !l.lambda.is_empty()),
            solver: PointSolver::new(&corrector, parts.linear_solver()),
            weights: parts.weights,
            corrector,
            state: TrapezoidalState {
                t: 0.0,
                h: 0.0,
                h_last: 0.0,
                y: zeros(),
                yp: zeros(),
                y_last: zeros(),
                yp_last: zeros(),
                steps: 0,
                failures: 0,
                error_failures: 0,
                failed: 0.0,
            },
            predicted: zeros(),
            y_new: zeros(),
            yp_new: zeros(),
            e: zeros(),
            error: 0.0,
        }
    }

    fn update_weights(&mut self) {
        let by_steps = (1.0 + self.state.steps as f64 / BUDGET).powf(FALL);
        let tightening = by_steps.min((self.weights.rtol() / TIGHTEST).max(1.0));
        self.weights.update(&self.state.y, tightening);
    }
}

impl Stepper for Trapezoidal {
    fn name(&self) -> &'static str {
        NAME
    }

    fn start(&mut self, t: f64, y: &[f64], yp: &[f64], h: f64) {
        let s = &mut self.state;
        (s.t, s.h, s.h_last) = (t, self.fixed.unwrap_or(h), 0.0);
        for (to, from) in [
            (&mut s.y, y),
            (&mut s.yp, yp),
            (&mut s.y_last, y),
            (&mut s.yp_last, yp),
        ] {
            to.copy_from_slice(from);
        }
        (s.failures, s.error_failures) = (0, 0);
        self.update_weights();
        self.corrector.request_evaluation();
    }

    fn attempt(&mut self, equations: &mut Equations<'_>) -> Result<(), Rejection> {
        let s = &self.state;
        let (h, before) = (s.h, s.h_last);
        // ẏ on a straight line through the last two, and y along it.
        let bend = if before > 0.0 { 0.5 * h * h / before } else { 0.0 };
        for i in 0..s.y.len() {
            self.predicted[i] = s.y[i] + h * s.yp[i] + bend * (s.yp[i] - s.yp_last[i]);
            self.y_new[i] = self.predicted[i];
            self.yp_new[i] = 2.0 / h * (self.y_new[i] - s.y[i]) - s.yp[i];
        }
        self.weights.grade(h);
        let step = CorrectorStep {
            t: s.t + h,
            alpha: 2.0 / h,
            h,
            after_error_failure: s.error_failures > 0,
        };
        let point = (&mut self.y_new[..], &mut self.yp_new[..], &mut self.e[..]);
        self.solver
            .solve(&mut self.corrector, equations, &self.weights, step, point)?;
        // The rule errs by −h³ y⃛/12, the prediction by (1/6 + h₋₁/(4 h)) h³ y⃛.
        let ratio = if before > 0.0 { before / h } else { 0.0 };
        let part = 1.0 / (3.0 * (1.0 + ratio));
        for ((e, y), p) in self.e.iter_mut().zip(&self.y_new).zip(&self.predicted) {
            *e = part * (y - p);
        }
        self.error = self.weights.error_norm(&self.e);
        if self.error.is_nan() {
            return Err(Rejection::NonFinite { row: 0 });
        }
        if self.error > 1.0 && self.fixed.is_none() {
            return Err(Rejection::ErrorTest { ratio: self.error });
        }
        Ok(())
    }

    fn accept(&mut self, _: &mut Equations<'_>) {
        let s = &mut self.state;
        for &i in &self.algebraic {
            let slope = (self.y_new[i] - s.y[i]) / s.h;
            let before = match s.h_last > 0.0 {
                true => (s.y[i] - s.y_last[i]) / s.h_last,
                false => slope,
            };
            self.yp_new[i] = slope + (slope - before) * s.h / (s.h + s.h_last);
        }
        s.t += s.h;
        s.h_last = s.h;
        s.steps += 1;
        std::mem::swap(&mut s.y_last, &mut s.y);
        std::mem::swap(&mut s.yp_last, &mut s.yp);
        std::mem::swap(&mut s.y, &mut self.y_new);
        std::mem::swap(&mut s.yp, &mut self.yp_new);
        self.corrector.step_accepted();
        if self.fixed.is_none() {
            let factor = SAFETY * self.error.max(1e-6).powf(-1.0 / 3.0);
            let most = if s.failures + s.error_failures > 0 { 1.0 } else { GROWTH };
            if !(1.0..KEPT).contains(&factor) {
                s.h *= factor.clamp(REDUCTION, most);
            }
        }
        (s.failures, s.error_failures) = (0, 0);
        if let Some(rounding) = self.corrector.new_rounding() {
            self.weights.set_rounding(rounding);
        }
        self.update_weights();
    }

    fn reject(&mut self, rejection: Rejection) {
        let s = &mut self.state;
        match rejection {
            Rejection::ErrorTest { ratio } => {
                s.error_failures += 1;
                s.h *= (SAFETY * ratio.powf(-1.0 / 3.0)).clamp(REDUCTION, SAFETY);
            }
            _ => {
                s.failures += 1;
                if s.failures == 1 {
                    s.failed = s.h;
                }
                s.h = match self.constrained {
                    true => across(s.failed, s.failures),
                    false => 0.25 * s.h,
                };
            }
        }
    }

    fn carry(&mut self, map: &dyn Fn(&mut [f64])) {
        let s = &mut self.state;
        for vector in [&mut s.y, &mut s.yp, &mut s.y_last, &mut s.yp_last] {
            map(vector);
        }
        self.corrector.equations_exchanged();
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
        ORDER
    }

    fn last_order(&self) -> usize {
        if self.state.h_last > 0.0 { ORDER } else { 0 }
    }

    fn goes_on_from_several(&self) -> bool {
        true
    }

    fn degree(&self) -> usize {
        3
    }

    fn interpolate(&self, t: f64, y: &mut [f64], yp: &mut [f64]) {
        let s = &self.state;
        y.copy_from_slice(&s.y);
        yp.copy_from_slice(&s.yp);
        if s.h_last == 0.0 || t == s.t {
            return;
        }
        let h = s.h_last;
        // From 0 at the beginning of the step to 1 at its end: cubic with both values and slopes.
        let x = 1.0 + (t - s.t) / h;
        for i in 0..y.len() {
            let (d, p, r) = (s.y[i] - s.y_last[i], h * s.yp_last[i], h * s.yp[i]);
            let (b, c) = (3.0 * d - 2.0 * p - r, p + r - 2.0 * d);
            y[i] = s.y_last[i] + x * (p + x * (b + x * c));
            yp[i] = (p + x * (2.0 * b + 3.0 * x * c)) / h;
        }
    }

    fn corrector(&mut self) -> Option<&mut Corrector> {
        Some(&mut self.corrector)
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn checkpoint(&self) -> State {
        let kept = (
            self.state.clone(),
            self.corrector.checkpoint(),
            self.solver.checkpoint(),
        );
        State::new(NAME, kept)
    }

    fn restore(&mut self, state: &State) -> bool {
        let kept = state.get::<(TrapezoidalState, CorrectorState, (State, bool))>(NAME);
        let Some((state, corrector, solver)) = kept else {
            return false;
        };
        if state.y.len() != self.y_new.len() || !self.corrector.restore(&corrector) {
            return false;
        }
        self.state = state;
        self.solver.restore(&solver, &self.corrector);
        if let Some(rounding) = self.corrector.new_rounding() {
            self.weights.set_rounding(rounding);
        }
        self.update_weights();
        true
    }
}
