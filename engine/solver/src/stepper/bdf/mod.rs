//! Backward differentiation formulas of variable order and step size in fixed-leading-
//! coefficient form, Arnold (12)–(14): ẏ_{n+1} = α y_{n+1} + β with α = Σ_{i≤k} 1/i / h.
//!
//! Error test and order choice are DASSL's [Brenan, Campbell, Petzold 1996, §5.2];
//! [`stability`] adds what DASSL lacks: it notices when lightly damped modes, not accuracy,
//! limit the step.

mod coefficients;
mod history;
mod options;
mod order;
mod stability;

pub use options::BdfOptions;

use super::tangent::Tangent;
use super::{Build, Entry, Parts, Stepper, Takes, across};
use crate::equations::Equations;
use crate::newton::{Corrector, CorrectorState, CorrectorStep, PointSolver};
use crate::state::State;
use coefficients::{Coefficients, MAX_ORDER};
use history::History;
use holonom_dae::{Counters, InputError, Rejection, System, Weights};
use options::Rules;
use order::{Estimates, StepChange, error_above, step_factor};
use serde::{Deserialize, Serialize};
use stability::Stability;

/// Names in options and reports.
pub(super) const NAME: &str = "bdf";
pub(super) const BACKWARD_EULER: &str = "backward-euler";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "variable-order, variable-step backward differentiation (BDF), order 1 to 5, fixed leading coefficient",
    literature: "Arnold (12)–(14); [Brenan, Campbell, Petzold 1996]",
    max_order: 5,
    takes: Takes::Everything,
    fixed_step: false,
    start_order: 1,
    in_stages: false,
    options: Some(|| Box::new(BdfOptions::default())),
    build: Build::Iterative(|n, parts, corrector| Box::new(Bdf::new(n, parts, corrector))),
};

/// Step sizes with which it is tried again from where trouble with rounding began, in parts of the one that failed first
/// there: the steps from there on end at other places.
const AGAIN: [f64; 5] = [0.7, 1.4, 0.85, 0.5, 1.7];
/// Failures in a row, or part of the step size, after which that is done.
const FAILURES_TO_GO_BACK: u32 = 5;
const COLLAPSED: f64 = 1e-3;
/// Trouble is over so many of the steps that failed first later.
const OVER: f64 = 8.0;

/// Errors of velocities along the constraints up to this part of what is allowed do not limit steps.
const MINOR: f64 = 0.05;

/// Steps after a rejected attempt that are judged without the budget, where caution is asked for.
const RELAXED: u32 = 2;
/// Up to this the tolerance is tightened in proportion to the number of steps, from there on with
/// its fourth root: long runs keep falling with the tolerance and do not pay for each step.
const PROPORTIONAL_TIGHTENING: f64 = 300.0;
/// Tolerances are not tightened below this relative one: rounding would take over.
const TIGHTEST: f64 = 1e-12;

impl Rules {
    /// How much tighter than the tolerance a step is judged after `steps` accepted ones.
    fn tightening(&self, steps: u64, rtol: f64) -> f64 {
        match self.budget {
            None => 1.0,
            Some(budget) => {
                let x = (1.0 + steps as f64 / budget) / PROPORTIONAL_TIGHTENING;
                let by_steps = PROPORTIONAL_TIGHTENING * if x > 1.0 { x.powf(0.25) } else { x };
                (self.form_factor * by_steps).min((rtol / TIGHTEST).max(1.0))
            }
        }
    }
}

/// Everything of the method that outlives a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct BdfState {
    t: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    history: History,
    coefficients: Coefficients,
    /// Order of the next attempt.
    k: usize,
    /// Order of the last accepted step; 0 before the first.
    k_last: usize,
    h: f64,
    h_last: f64,
    /// Order and step are still being raised in every step.
    initial_phase: bool,
    error_failures: u32,
    other_failures: u32,
    /// Step size of the first of the other failures in a row.
    #[serde(default)]
    failed: f64,
    /// Accepted steps since the start.
    steps: u64,
    /// Accepted steps to come that must not be followed by a doubled step.
    hold: u32,
    /// Steps left with a new Jacobian each.
    caution: u32,
    /// Steps left that are judged without the budget.
    relaxed: u32,
    stability: Stability,
    /// Where trouble with rounding began, and how often it was tried again from there.
    #[serde(default)]
    began: Option<(Box<BdfState>, usize)>,
}

/// The BDF method.
pub struct Bdf {
    name: &'static str,
    options: Rules,
    weights: Weights,
    corrector: Corrector,
    solver: PointSolver,
    state: BdfState,
    /// Where velocities count with the step size.
    tangent: Option<Tangent>,
    /// Columns of the history that the running attempt has scaled.
    scaled: std::ops::Range<usize>,
    estimates: Estimates,
    /// By how much more errors of velocities along the constraints count than the estimates.
    along: f64,
    y_new: Vec<f64>,
    yp_new: Vec<f64>,
    e: Vec<f64>,
}

impl Bdf {
    /// Allocates the method for `n` unknowns.
    pub fn new(n: usize, parts: Parts<'_>, corrector: Corrector) -> Self {
        let rules = Rules::new(&parts, parts.options.own());
        Self::with(NAME, n, rules, parts, corrector)
    }

    /// The backward Euler method, which is that of order 1.
    pub fn backward_euler(n: usize, parts: Parts<'_>, corrector: Corrector) -> Self {
        let order = BdfOptions {
            max_order: 1,
            ..BdfOptions::default()
        };
        let rules = Rules::new(&parts, order);
        Self::with(BACKWARD_EULER, n, rules, parts, corrector)
    }

    fn with(name: &'static str, n: usize, rules: Rules, parts: Parts<'_>, corrector: Corrector) -> Self {
        Self {
            name,
            options: rules,
            solver: PointSolver::new(&corrector, parts.linear_solver()),
            weights: parts.weights,
            corrector,
            state: BdfState {
                t: 0.0,
                y: vec![0.0; n],
                yp: vec![0.0; n],
                history: History::new(n),
                coefficients: Coefficients::default(),
                k: 1,
                k_last: 0,
                h: 0.0,
                h_last: 0.0,
                initial_phase: true,
                error_failures: 0,
                other_failures: 0,
                failed: 0.0,
                steps: 0,
                hold: 0,
                caution: 0,
                relaxed: 0,
                stability: Stability::default(),
                began: None,
            },
            tangent: None,
            scaled: 0..0,
            estimates: Estimates::default(),
            along: 1.0,
            y_new: vec![0.0; n],
            yp_new: vec![0.0; n],
            e: vec![0.0; n],
        }
    }

    /// Replaces the history by values at t, t − h, t − 2h, … (newest first), so that a
    /// fixed-step run starts at its full order.
    pub fn set_history(&mut self, h: f64, values: &[&[f64]]) {
        let s = &mut self.state;
        let k = values.len() - 1;
        s.history.set_equidistant(values);
        for (j, psi) in s.coefficients.psi.iter_mut().enumerate() {
            *psi = (j + 1) as f64 * h;
        }
        s.coefficients.constant_steps = 0;
        (s.k, s.k_last) = (k, k);
        (s.h, s.h_last) = (h, 0.0);
        s.initial_phase = false;
        s.y.copy_from_slice(values[0]);
    }

    /// Remembers where trouble with rounding began, and goes back there where it gets worse: next to a singular
    /// position shorter and shorter steps end in front of it.
    fn go_back(&mut self, failed: f64) {
        let s = &mut self.state;
        let Some((began, times)) = &mut s.began else {
            let mut began = Box::new(s.clone());
            began.h = failed;
            s.began = Some((began, 0));
            return;
        };
        let stuck = s.other_failures >= FAILURES_TO_GO_BACK || s.h < COLLAPSED * began.h;
        if !stuck || *times >= AGAIN.len() {
            return;
        }
        let mut again = (**began).clone();
        again.h = AGAIN[*times] * began.h;
        *times += 1;
        again.began = s.began.take();
        (again.error_failures, again.other_failures) = (0, 1);
        again.failed = again.h;
        (again.caution, again.relaxed) = (self.options.caution, RELAXED);
        *s = again;
        self.weights
            .update(&s.y, self.options.tightening(0, self.weights.rtol()));
        self.corrector.request_evaluation();
    }

    /// Norm of the errors of velocities along the constraints where they count with the step size, if it may exceed `norm`.
    fn error_along(&mut self, equations: &mut Equations<'_>, t: f64, norm: f64) -> f64 {
        let share = self.options.factor_along;
        match &mut self.tangent {
            Some(tangent) if self.options.fixed_step.is_none() => {
                let at = (t, &self.y_new[..]);
                share * tangent.norm(equations, &self.weights, at, &self.e, norm / share)
            }
            _ => 0.0,
        }
    }

    /// Order and step of the next attempt after the step just accepted, DASSL's choice.
    fn choose_next(&mut self, k_before: usize, counters: &mut Counters) {
        let s = &mut self.state;
        let k = s.k;
        let est = &self.estimates;
        if self.options.stability_detection
            && k > stability::A_STABLE
            && s.stability.must_lower(k, est.error, est.error_at_2)
        {
            counters.order_reductions_stability += 1;
            s.initial_phase = false;
            s.k = stability::A_STABLE;
            if let StepChange::Shrink(r) = StepChange::new(est.error_at_2, s.k) {
                s.h *= r.clamp(0.5, 0.9);
            }
            return;
        }
        let limit = s.stability.max_order(self.options.max_order);
        if est.lower || k >= limit {
            s.initial_phase = false;
        }
        if s.initial_phase {
            s.k = k + 1;
            s.h *= 2.0;
            return;
        }
        let hold = self.options.hold_after_failure && s.hold > 0;
        s.hold = s.hold.saturating_sub(1);
        // The order above can be judged after enough constant steps.
        let above = (k < self.options.max_order
            && k + 1 < s.coefficients.constant_steps
            && k.wrapping_sub(k_before) != 1)
            .then(|| self.along * error_above(k, &self.e, &s.history, &self.weights));
        let mut chosen = (k, est.error);
        if est.lower && !hold {
            chosen = (k - 1, est.error_below);
        } else if let Some(above) = above {
            if s.stability.is_held() && k == stability::A_STABLE {
                s.stability.look_up(est.error, above);
            }
            let limit = s.stability.max_order(self.options.max_order);
            let term_above = (k + 2) as f64 * above;
            if k > 1 && est.term_below <= est.term.min(term_above) {
                if !hold {
                    chosen = (k - 1, est.error_below);
                }
            } else if k < limit && term_above < if k == 1 { 0.5 * est.term } else { est.term } {
                chosen = (k + 1, above);
            }
        }
        s.k = chosen.0;
        // differs from DASSL: right after a failed error test the step is not doubled at once.
        // Doubling and failing in turn would keep the step from ever being constant long
        // enough to raise the order (transistor amplifier: 70,608 failures at 10⁻⁸).
        match StepChange::new(chosen.1, chosen.0) {
            StepChange::Double if !hold => s.h *= 2.0,
            StepChange::Shrink(r) => s.h *= r.clamp(0.5, 0.9),
            StepChange::Double | StepChange::Keep => {}
        }
    }
}

impl Stepper for Bdf {
    fn name(&self) -> &'static str {
        self.name
    }

    fn bind(&mut self, system: &mut dyn System) -> Result<(), InputError> {
        self.tangent = Tangent::new(system, &self.weights, false);
        Ok(())
    }

    fn start(&mut self, t: f64, y: &[f64], yp: &[f64], h: f64) {
        let s = &mut self.state;
        s.t = t;
        s.y.copy_from_slice(y);
        s.yp.copy_from_slice(yp);
        s.h = self.options.fixed_step.unwrap_or(h);
        s.h_last = 0.0;
        (s.k, s.k_last) = (1, 0);
        s.initial_phase = true;
        (s.error_failures, s.other_failures) = (0, 0);
        (s.hold, s.caution, s.relaxed) = (0, 0, 0);
        s.began = None;
        s.coefficients = Coefficients::default();
        s.coefficients.psi[0] = s.h;
        s.history.column_mut(0).copy_from_slice(y);
        let h = s.h;
        for (p, yp) in s.history.column_mut(1).iter_mut().zip(yp) {
            *p = h * yp;
        }
        s.stability.restart();
        self.weights
            .update(y, self.options.tightening(s.steps, self.weights.rtol()));
        self.corrector.request_evaluation();
    }

    fn attempt(&mut self, equations: &mut Equations<'_>) -> Result<(), Rejection> {
        let s = &mut self.state;
        if s.k_last == 0 {
            // Before the first step h may still change: φ₂ = h ẏ must follow.
            let h = s.h;
            s.coefficients.psi[0] = h;
            for (p, yp) in s.history.column_mut(1).iter_mut().zip(&s.yp) {
                *p = h * yp;
            }
        }
        // Coefficients and prediction.
        self.scaled = s.coefficients.advance(s.h, s.k, s.h_last, s.k_last);
        let c = &s.coefficients;
        s.history.scale(self.scaled.clone(), |j| c.beta[j]);
        s.history
            .predict(s.k, &c.gamma, &mut self.y_new, &mut self.yp_new);

        // Correction.
        self.weights.grade(s.h);
        if s.caution > 0 {
            self.corrector.request_evaluation();
        }
        let step = CorrectorStep {
            t: s.t + s.h,
            alpha: c.leading,
            h: s.h,
            after_error_failure: s.error_failures > 0,
        };
        let point = (&mut self.y_new[..], &mut self.yp_new[..], &mut self.e[..]);
        self.solver
            .solve(&mut self.corrector, equations, &self.weights, step, point)?;

        // Error test.
        let e_norm = self.weights.error_norm(&self.e);
        self.estimates = Estimates::new(s.k, e_norm, &self.e, &s.history, c, &self.weights);
        let (error_constant, t) = (c.error_constant, s.t + s.h);
        let along = self.error_along(equations, t, e_norm.max(MINOR / error_constant));
        self.along = (along / e_norm).max(1.0);
        if self.along > 1.0 {
            self.estimates.scale(self.along);
        }
        let ratio = error_constant * e_norm.max(along);
        if ratio > 1.0 && self.options.fixed_step.is_none() {
            return Err(Rejection::ErrorTest { ratio });
        }
        Ok(())
    }

    fn accept(&mut self, equations: &mut Equations<'_>) {
        let s = &mut self.state;
        s.t += s.h;
        std::mem::swap(&mut s.y, &mut self.y_new);
        std::mem::swap(&mut s.yp, &mut self.yp_new);
        let (k, k_before) = (s.k, s.k_last);
        s.k_last = k;
        s.h_last = s.h;
        s.steps += 1;
        (s.error_failures, s.other_failures) = (0, 0);
        if s.began
            .as_ref()
            .is_some_and(|(began, _)| s.t > began.t + OVER * began.h)
        {
            s.began = None;
        }
        s.caution = s.caution.saturating_sub(1);
        s.relaxed = s.relaxed.saturating_sub(1);
        self.corrector.step_accepted();

        if self.options.fixed_step.is_some() {
            s.k = (k + 1).min(self.options.max_order);
        } else {
            self.choose_next(k_before, equations.counters);
        }
        let s = &mut self.state;
        s.history.update(k, &self.e, k < MAX_ORDER);
        if let Some(rounding) = self.corrector.new_rounding() {
            self.weights.set_rounding(rounding);
        }
        let steps = if s.relaxed > 0 { 0 } else { s.steps };
        self.weights
            .update(&s.y, self.options.tightening(steps, self.weights.rtol()));
    }

    fn reject(&mut self, rejection: Rejection) {
        let s = &mut self.state;
        let failed = s.h;
        s.initial_phase = false;
        // What rounding does may be known since this attempt only.
        if self.weights.reserve() > 1.0
            && let Some(rounding) = self.corrector.new_rounding()
        {
            self.weights.set_rounding(rounding);
            self.weights
                .update(&s.y, self.options.tightening(s.steps, self.weights.rtol()));
        }
        s.caution = if self.corrector.is_noisy() {
            self.options.caution
        } else {
            0
        };
        if s.caution > 0 {
            s.relaxed = RELAXED;
            self.weights
                .update(&s.y, self.options.tightening(0, self.weights.rtol()));
        }
        // The history as before the attempt.
        let beta = s.coefficients.beta;
        s.history.scale(self.scaled.clone(), |j| 1.0 / beta[j]);
        s.coefficients.take_back(s.h, s.k);
        // As a new run of constant steps begins, the attempt must not count towards one.
        s.coefficients.constant_steps = 0;
        match rejection {
            Rejection::ErrorTest { .. } => {
                s.error_failures += 1;
                s.hold = s.k as u32 + 2;
                let (k, error) = if self.estimates.lower {
                    (s.k - 1, self.estimates.error_below)
                } else {
                    (s.k, self.estimates.error)
                };
                // differs from DASSL: when an attempt fails whose order was just lowered, the
                // estimate for the lower order was wrong; go back to what worked.
                let lowered = self.options.hold_after_failure && s.k < s.k_last;
                match s.error_failures {
                    1 if lowered => {
                        s.k = s.k_last;
                        s.h = s.h_last.min(0.5 * s.h);
                        s.hold = s.k as u32 + 4;
                    }
                    1 => {
                        s.k = k;
                        s.h *= (0.9 * step_factor(error, k)).clamp(0.25, 0.9);
                    }
                    2 => {
                        s.k = k;
                        s.h *= 0.25;
                    }
                    _ => {
                        s.k = 1;
                        s.h *= 0.25;
                    }
                }
            }
            _ => {
                s.other_failures += 1;
                if s.other_failures == 1 {
                    s.failed = s.h;
                }
                if s.caution > 0 {
                    s.h = across(s.failed, s.other_failures);
                } else {
                    s.h *= 0.25;
                }
            }
        }
        if self.state.caution > 0 && self.options.fixed_step.is_none() {
            self.go_back(failed);
        }
    }

    fn carry(&mut self, map: &dyn Fn(&mut [f64])) {
        let s = &mut self.state;
        map(&mut s.y);
        map(&mut s.yp);
        s.history.carry(map);
        s.began = None;
        self.corrector.equations_exchanged();
    }

    fn failures_in_a_row(&self) -> u32 {
        self.state.other_failures
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
        self.state.k
    }

    fn goes_on_from_several(&self) -> bool {
        true
    }

    fn last_order(&self) -> usize {
        self.state.k_last
    }

    fn interpolate(&self, t: f64, y: &mut [f64], yp: &mut [f64]) {
        let s = &self.state;
        if s.k_last == 0 || t == s.t {
            y.copy_from_slice(&s.y);
            yp.copy_from_slice(&s.yp);
            return;
        }
        s.history.interpolate(t, s.t, s.k_last, &s.coefficients, y, yp);
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
        State::new(self.name, kept)
    }

    fn restore(&mut self, state: &State) -> bool {
        let kept = state.get::<(BdfState, CorrectorState, (State, bool))>(self.name);
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
        self.weights.update(
            &self.state.y,
            self.options.tightening(self.state.steps, self.weights.rtol()),
        );
        true
    }
}
