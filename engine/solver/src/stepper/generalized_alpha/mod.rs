//! The generalised-α method for constrained mechanisms, with variable step size.
//!
//! [Chung, Hulbert 1993]; constrained systems after [Arnold, Brüls 2007], Lie groups and the stabilised form
//! after [Brüls, Cardona, Arnold 2012; Arnold, Hante, Köbis 2017]:
//! ```text
//! q₁ = q₀ ⊕ h Δq,  Δq = v₀ + h ((½ − β) a₀ + β a₁) − Gᵀ(q₀) η
//! v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)
//! (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀
//! M v̇₁ = f − Gᵀλ₁,  0 = g(t₁, q₁) and/or 0 = G v₁ + g_t
//! ```
//! ⊕ is the exponential map where positions are Euler parameters: their length stays one. The form of the
//! equations decides: `ggl` has both constraints and η, `index3` positions, `index2` velocities, `ode` none.
//!
//! The step size follows the local error. With a ≈ v̇(t + Δ h), Δ = α_m − α_f, the leading errors are
//! C h³ v̈, C = 1/6 − β − Δ/2, in the positions and (Δ²/2 − 1/12) h³ v⃛ in the velocities; the derivatives of v̇ are
//! taken from differences. Each step may use a part of the tolerance that falls with the number of steps: with errors of
//! h³ the number grows like tol^(−1/2), and the error of the run is in proportion to the tolerance.
//!
//! Memory of the step size: a lies Δ h away from v̇ along its slope, and where λ keeps positions the velocities of
//! the method are v + C h² v̈ across the constraints, since only these make up for the error of the positions. Both are
//! moved when h changes, and begin there [Arnold, Brüls, Cardona 2015]: otherwise every change of h leaves an error
//! of order one in λ. For the whole vector, not only across the constraints, v + C h² v̈ is of second order as well; what is
//! shown is v.

mod options;
mod step;
#[cfg(test)]
mod tests;

pub use options::{Family, GeneralizedAlphaOptions};

use super::{Build, Entry, Parts, Stepper, Takes, across};
use crate::equations::Equations;
use crate::newton::Corrector;
use crate::state::State;
use holonom_dae::{InputError, MechanicalLayout, Rejection, System, Weights, weighted_norm};
use serde::{Deserialize, Serialize};
use step::{Matrices, Method, Motion};

/// Name in options and reports.
pub(super) const NAME: &str = "generalized-alpha";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "generalised-α method for mechanisms (optionally HHT): order 2, adjustable damping of fast modes, variable step",
    literature: "[Chung, Hulbert 1993; Arnold, Brüls 2007; Arnold, Hante, Köbis 2017]",
    max_order: 2,
    takes: Takes::Mechanisms,
    fixed_step: false,
    start_order: 1,
    in_stages: false,
    options: Some(|| Box::new(GeneralizedAlphaOptions::default())),
    build: Build::Direct(|n, parts| Box::new(GeneralizedAlpha::new(n, parts))),
};

/// Largest growth and reduction of the step size at once.
const GROWTH: f64 = 2.0;
const REDUCTION: f64 = 0.2;
/// Step sizes for which these factors are found are kept: the factors of the matrix serve again, and errors of λ where it
/// keeps positions, which a change leaves, die away.
const KEPT: std::ops::Range<f64> = 0.93..1.15;
/// So many steps are kept there before the size grows again.
const HOLD: u32 = 4;
/// After n steps a step may use (1 + n/BUDGET)^−FALL of the tolerance: all together BUDGET/(FALL − 1) tolerances at most, however
/// many they are. With FALL = 1 the sum would grow with the logarithm of their number.
const BUDGET: f64 = 5.0;
const FALL: f64 = 1.2;
/// Tolerances are not tightened below this relative one: rounding would take over.
const TIGHTEST: f64 = 1e-14;
/// After so many failures in a row, of the iteration or of the error test, a step may use all of the tolerance.
const JUDGED: (u32, u32) = (2, 4);
/// For as long as so many steps like the one that failed first.
const NEARBY: f64 = 8.0;
/// Where λ keeps positions, velocities show their rounding divided by h across the constraints; what is left of it in the error
/// estimated, in units of ε/h: no shorter step makes it smaller.
const ROUNDING: f64 = 0.02;
/// Attempts at the first step: v̈, which the memory begins with, comes from the attempt before. Where λ keeps positions its error
/// falls to C/(β (1 − α_f)/(1 − α_m)), about a third, with each.
const PASSES: usize = 4;

/// Everything of the method that outlives a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct GeneralizedAlphaState {
    t: f64,
    h: f64,
    h_last: f64,
    /// Step size that a belongs to.
    h_of_a: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    y_last: Vec<f64>,
    yp_last: Vec<f64>,
    motion: Motion,
    /// v̇ two steps before, with the size of the first of these steps; v̇ and λ one step before.
    w_long_before: Vec<f64>,
    h_before: f64,
    w_before: Vec<f64>,
    lambda_before: Vec<f64>,
    /// Error of the last accepted step.
    error_last: f64,
    /// Steps of this size.
    held: u32,
    failures: u32,
    /// Step size of the first of the failures in a row.
    #[serde(default)]
    failed: f64,
    error_failures: u32,
    /// Until when steps may use all of the tolerance.
    #[serde(default)]
    loose_to: f64,
    steps: u64,
    matrices: Option<Matrices>,
}

/// The method as a [`Stepper`].
pub struct GeneralizedAlpha {
    options: GeneralizedAlphaOptions,
    fixed: Option<f64>,
    layout: Option<MechanicalLayout>,
    weights: Weights,
    method: Option<Method>,
    state: GeneralizedAlphaState,
    to: Motion,
    y_new: Vec<f64>,
    yp_new: Vec<f64>,
    error: f64,
    estimate: Vec<f64>,
    direction: Vec<f64>,
}

impl GeneralizedAlpha {
    /// Allocates a method for `n` unknowns; [`bind`](Stepper::bind) does the rest.
    pub fn new(n: usize, parts: Parts<'_>) -> Self {
        let zeros = vec![0.0; n];
        Self {
            options: parts.options.own(),
            fixed: parts.options.fixed_step,
            layout: None,
            weights: parts.weights,
            method: None,
            state: GeneralizedAlphaState {
                t: 0.0,
                h: 0.0,
                h_last: 0.0,
                h_of_a: 0.0,
                y: zeros.clone(),
                yp: zeros.clone(),
                y_last: zeros.clone(),
                yp_last: zeros.clone(),
                motion: Motion::default(),
                w_long_before: Vec::new(),
                h_before: 0.0,
                w_before: Vec::new(),
                lambda_before: Vec::new(),
                error_last: 1.0,
                held: 0,
                failures: 0,
                failed: 0.0,
                error_failures: 0,
                loose_to: f64::MIN,
                steps: 0,
                matrices: None,
            },
            to: Motion::default(),
            y_new: zeros.clone(),
            yp_new: zeros.clone(),
            error: 0.0,
            estimate: zeros,
            direction: Vec::new(),
        }
    }

    /// Takes the motion out of y and ẏ after a start.
    fn load(&mut self) {
        let (Some(layout), s) = (&self.layout, &mut self.state) else {
            return;
        };
        let m = &mut s.motion;
        m.q.copy_from_slice(&s.y[layout.q.clone()]);
        m.v.copy_from_slice(&s.y[layout.v.clone()]);
        m.x.copy_from_slice(&s.y[layout.x.clone()]);
        m.w.copy_from_slice(&s.yp[layout.v.clone()]);
        m.a.copy_from_slice(&m.w);
        m.s.copy_from_slice(&s.yp[layout.x.clone()]);
        m.lambda.copy_from_slice(&s.y[layout.lambda.clone()]);
        m.eta.fill(0.0);
        s.w_long_before.copy_from_slice(&m.w);
        s.w_before.copy_from_slice(&m.w);
        s.lambda_before.copy_from_slice(&m.lambda);
        if let Some(method) = &mut self.method {
            method.matrices.stale = true;
        }
    }

    /// How much tighter than the tolerance the next step is judged.
    fn tightening(&self) -> f64 {
        if self.state.t < self.state.loose_to {
            return 1.0;
        }
        let by_steps = (1.0 + self.state.steps as f64 / BUDGET).powf(FALL);
        by_steps.min((self.weights.rtol() / TIGHTEST).max(1.0))
    }

    /// Moves a and, where λ keeps positions, v from step size `was` to `h`, with v̈ = `slope` (w − w_before).
    fn remember(&mut self, was: f64) {
        let (s, Some(method)) = (&mut self.state, &self.method) else {
            return;
        };
        let ratio = s.h / was;
        if !method.keeps_positions() {
            for (a, w) in s.motion.a.iter_mut().zip(&s.motion.w) {
                *a = w + ratio * (*a - w);
            }
        } else {
            // Errors of λ change their sign from step to step: the slope over two of them hardly sees any.
            let along = method.c.error_q() * (s.h * s.h - was * was);
            let ahead = method.c.delay() * s.h;
            for (i, w) in s.motion.w.iter().enumerate() {
                let slope = (w - s.w_long_before[i]) / (s.h_last + s.h_before);
                s.motion.a[i] = w + ahead * slope;
                s.motion.v[i] += along * slope;
            }
        }
        s.h_of_a = s.h;
    }

    /// a and v at the start, with h v̈ = to.w − w: the attempt before.
    fn begin(&mut self) {
        let (s, Some(method), Some(layout)) = (&mut self.state, &self.method, &self.layout) else {
            return;
        };
        let (delay, along) = (method.c.delay(), method.c.error_q() * s.h);
        let keeps = method.keeps_positions();
        let m = &mut s.motion;
        for (i, k) in layout.v.clone().enumerate() {
            let change = self.to.w[i] - m.w[i];
            m.a[i] = m.w[i] + delay * change;
            m.v[i] = s.y[k] + if keeps { along * change } else { 0.0 };
        }
        s.h_of_a = s.h;
    }

    /// Where the iteration begins: v̇ and λ on straight lines, x along ẋ.
    fn predict(&mut self) {
        let s = &self.state;
        let (m, to) = (&s.motion, &mut self.to);
        to.copy_from(m);
        if s.h_last > 0.0 {
            let ratio = s.h / s.h_last;
            for (i, w) in to.w.iter_mut().enumerate() {
                *w += ratio * (m.w[i] - s.w_before[i]);
            }
            for (i, l) in to.lambda.iter_mut().enumerate() {
                *l += ratio * (m.lambda[i] - s.lambda_before[i]);
            }
        }
        for (i, x) in to.x.iter_mut().enumerate() {
            *x += s.h * m.s[i];
        }
        to.eta.fill(0.0);
    }

    /// Weighted norm of the local errors of q, v and x.
    fn estimate(&mut self, equations: &mut Equations<'_>) -> Result<f64, Rejection> {
        let counters = &mut *equations.counters;
        let (Some(layout), Some(method), Some(mechanical)) =
            (&self.layout, &mut self.method, equations.system.mechanical())
        else {
            return Err(Rejection::OutsideDomain);
        };
        let (s, m, to, c) = (&self.state, &self.state.motion, &self.to, method.c);
        let (h, before) = (s.h, s.h_last);
        let at = (s.t + h, &to.q[..]);
        let rounding = if method.keeps_positions() {
            let largest = to.q.iter().fold(0.0f64, |a, q| a.max(q.abs()));
            ROUNDING * f64::EPSILON * largest / h
        } else {
            0.0
        };
        self.estimate.fill(0.0);
        for i in 0..to.v.len() {
            // h³ v̈ ≈ h² (v̇₁ − v̇₀).
            self.direction[i] = c.error_q() * h * h * (to.w[i] - m.w[i]);
        }
        method.filter(mechanical, counters, at, &mut self.direction)?;
        mechanical.velocity_map(&to.q, &self.direction, &mut self.estimate[layout.q.clone()]);
        if before > 0.0 {
            for k in layout.q.clone() {
                let (f0, f1, f2) = (s.yp[k], self.yp_new[k], s.yp_last[k]);
                let bend = ((f1 - f0) / h - (f0 - f2) / before) / (h + before);
                let e = self.y_new[k] - s.y[k] - 0.5 * h * (f0 + f1) + h * h * h / 6.0 * bend;
                if e.abs() > self.estimate[k].abs() {
                    self.estimate[k] = e;
                }
            }
        }
        for i in 0..to.v.len() {
            self.direction[i] = if before > 0.0 {
                // h³ v⃛ from the second divided difference of v̇.
                let (new, old) = ((to.w[i] - m.w[i]) / h, (m.w[i] - s.w_before[i]) / before);
                c.error_v() * h * h * h * 2.0 * (new - old) / (h + before)
            } else {
                // No more than v̈ is known yet; what it is worth is an error of Δ h² v̈.
                c.delay() * h * (to.w[i] - m.w[i])
            };
        }
        method.filter(mechanical, counters, at, &mut self.direction)?;
        for (to, e) in self.estimate[layout.v.clone()].iter_mut().zip(&self.direction) {
            *to = (e.abs() - rounding).max(0.0);
        }
        for (i, k) in layout.x.clone().enumerate() {
            // Of the trapezoidal rule, h³ x⃛/12, from the second divided difference of ẋ; from its change before there is one,
            // on the safe side. An estimate of order two would ask for ever more steps as the tolerance of a step falls.
            let change = to.s[i] - m.s[i];
            self.estimate[k] = if before > 0.0 {
                let (new, old) = (change / h, (m.s[i] - s.yp_last[k]) / before);
                h * h * h / 6.0 * (new - old) / (h + before)
            } else {
                h / 12.0 * change
            };
        }
        // Velocities count fully in all forms: there is no order to choose that their errors could mislead.
        let all = self.estimate.len() as f64;
        let judged = (layout.q.len() + layout.v.len() + layout.x.len()).max(1) as f64;
        Ok((all / judged).sqrt() * weighted_norm(&self.estimate, self.weights.reciprocal()))
    }
}

impl Stepper for GeneralizedAlpha {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bind(&mut self, system: &mut dyn System) -> Result<(), InputError> {
        self.options.check()?;
        let refused = |remedy: &str| InputError::Option {
            option: "stepper",
            value: format!("`{NAME}`"),
            remedy: remedy.into(),
        };
        let missing = || {
            refused(
                "it supports only mechanical systems (`Mechanical`), which this system is not; choose `bdf`",
            )
        };
        let structure = system.structure().clone();
        let layout = structure.layout.clone().ok_or_else(missing)?;
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
        let fresh = Motion::new(mechanical);
        if layout.q.len() != fresh.q.len()
            || layout.v.len() != fresh.v.len()
            || layout.x.len() != fresh.x.len()
        {
            return Err(missing());
        }
        let method = Method::new(mechanical, &structure, self.options.coefficients());
        let mut method = method.ok_or_else(|| {
            refused(
                "it does not support constraints on accelerations; choose the form `ggl`, `index3` or `index2`",
            )
        })?;
        self.direction = fresh.v.clone();
        self.to = fresh.clone();
        self.layout = Some(layout);
        match &self.state.matrices {
            Some(matrices) => {
                if !method.restore(matrices) {
                    return Err(InputError::Checkpoint("the size of its matrices differs".into()));
                }
                self.method = Some(method);
            }
            None => {
                self.state.w_long_before = fresh.w.clone();
                self.state.w_before = fresh.w.clone();
                self.state.lambda_before = fresh.lambda.clone();
                self.state.motion = fresh;
                self.method = Some(method);
                self.load();
            }
        }
        Ok(())
    }

    fn start(&mut self, t: f64, y: &[f64], yp: &[f64], h: f64) {
        let s = &mut self.state;
        s.t = t;
        s.h = self.fixed.unwrap_or(h);
        (s.h_last, s.h_of_a, s.error_last) = (0.0, 0.0, 1.0);
        (s.held, s.failures, s.error_failures) = (0, 0, 0);
        for (to, from) in [
            (&mut s.y, y),
            (&mut s.yp, yp),
            (&mut s.y_last, y),
            (&mut s.yp_last, yp),
        ] {
            to.copy_from_slice(from);
        }
        let tightening = self.tightening();
        self.weights.update(y, tightening);
        if self.method.is_some() {
            self.load();
        }
    }

    fn attempt(&mut self, equations: &mut Equations<'_>) -> Result<(), Rejection> {
        let first = self.state.h_last == 0.0;
        if !first && self.state.h_of_a != self.state.h {
            self.remember(self.state.h_of_a);
        }
        self.weights.grade(self.state.h);
        self.predict();
        for _ in 0..if first { PASSES } else { 1 } {
            if first {
                self.begin();
            }
            let s = &self.state;
            let counters = &mut *equations.counters;
            let (Some(method), Some(layout), Some(mechanical)) =
                (&mut self.method, &self.layout, equations.system.mechanical())
            else {
                return Err(Rejection::OutsideDomain);
            };
            method.step(
                mechanical,
                counters,
                (layout, &self.weights),
                (s.t + s.h, s.h),
                &s.motion,
                &mut self.to,
            )?;
        }
        let (s, Some(method), Some(layout), Some(mechanical)) = (
            &self.state,
            &self.method,
            &self.layout,
            equations.system.mechanical(),
        ) else {
            return Err(Rejection::OutsideDomain);
        };
        let to = &self.to;
        self.y_new.fill(0.0);
        self.yp_new.fill(0.0);
        for (range, values) in [
            (&layout.q, &to.q),
            (&layout.v, &to.v),
            (&layout.x, &to.x),
            (&layout.lambda, &to.lambda),
        ] {
            self.y_new[range.clone()].copy_from_slice(values);
        }
        if method.keeps_positions() {
            let along = method.c.error_q() * s.h;
            for (i, v) in self.y_new[layout.v.clone()].iter_mut().enumerate() {
                *v -= along * (to.w[i] - s.motion.w[i]);
            }
        }
        if layout.eta.len() == to.eta.len() {
            self.y_new[layout.eta.clone()].copy_from_slice(&to.eta);
        }
        let v = &self.y_new[layout.v.clone()];
        mechanical.velocity_map(&to.q, v, &mut self.yp_new[layout.q.clone()]);
        self.yp_new[layout.v.clone()].copy_from_slice(&to.w);
        self.yp_new[layout.x.clone()].copy_from_slice(&to.s);
        self.error = self.estimate(equations)?;
        if self.error.is_nan() {
            return Err(Rejection::NonFinite { row: 0 });
        }
        if self.error > 1.0 && self.fixed.is_none() {
            return Err(Rejection::ErrorTest { ratio: self.error });
        }
        Ok(())
    }

    fn accept(&mut self, _equations: &mut Equations<'_>) {
        let s = &mut self.state;
        s.t += s.h;
        s.h_before = s.h_last;
        s.h_last = s.h;
        s.h_of_a = s.h;
        s.steps += 1;
        std::mem::swap(&mut s.y, &mut s.y_last);
        std::mem::swap(&mut s.yp, &mut s.yp_last);
        std::mem::swap(&mut s.y, &mut self.y_new);
        std::mem::swap(&mut s.yp, &mut self.yp_new);
        std::mem::swap(&mut s.w_long_before, &mut s.w_before);
        s.w_before.copy_from_slice(&s.motion.w);
        s.lambda_before.copy_from_slice(&s.motion.lambda);
        std::mem::swap(&mut s.motion, &mut self.to);
        let tightening = self.tightening();
        let keeps_positions = self.method.as_ref().is_some_and(Method::keeps_positions);
        let s = &mut self.state;
        self.weights.update(&s.y, tightening);
        match self.fixed {
            Some(h) => s.h = h,
            None => {
                let error = self.error.max(1e-6);
                // Proportional-integral control for an error of h³.
                let mut factor = 0.9 * error.powf(-0.7 / 3.0) * s.error_last.powf(0.4 / 3.0);
                if s.failures + s.error_failures > 0 {
                    factor = factor.min(1.0);
                }
                let may_grow = !keeps_positions || s.held >= HOLD;
                let factor = if factor < KEPT.start {
                    factor.max(REDUCTION)
                } else if factor >= KEPT.end && may_grow {
                    factor.min(GROWTH)
                } else {
                    1.0
                };
                s.h *= factor;
                s.held = if factor == 1.0 { s.held + 1 } else { 0 };
                s.error_last = error;
            }
        }
        (s.failures, s.error_failures) = (0, 0);
    }

    fn reject(&mut self, rejection: Rejection) {
        let s = &mut self.state;
        s.held = 0;
        match rejection {
            Rejection::ErrorTest { ratio } => {
                s.error_failures += 1;
                if s.failures + s.error_failures == 1 {
                    s.failed = s.h;
                }
                let factor = if s.error_failures > 2 {
                    REDUCTION
                } else {
                    0.9 * ratio.powf(-1.0 / 3.0)
                };
                s.h *= factor.clamp(REDUCTION, 0.9);
            }
            _ => {
                s.failures += 1;
                if s.failures + s.error_failures == 1 {
                    s.failed = s.h;
                }
                if s.motion.lambda.is_empty() {
                    s.h *= 0.25;
                } else {
                    s.h = across(s.failed, s.failures);
                }
            }
        }
        // Next to singular positions rounding is amplified beyond the part of the tolerance that is left for a step, and shorter
        // steps do not make it smaller, but creep up to the position. The few steps there may use all of the tolerance. Without
        // constraints there is no such position: many failures come from an excitation that begins.
        let by_error = s.error_failures == JUDGED.1;
        if !s.motion.lambda.is_empty() && (by_error || s.failures == JUDGED.0) {
            if by_error {
                s.h = s.h.max(s.failed);
            }
            s.loose_to = s.loose_to.max(s.t + NEARBY * s.failed);
            self.weights.update(&s.y, 1.0);
        }
    }

    fn carry(&mut self, map: &dyn Fn(&mut [f64])) {
        let (Some(layout), s) = (&self.layout, &mut self.state) else {
            return;
        };
        map(&mut s.y);
        map(&mut s.y_last);
        s.motion.lambda.copy_from_slice(&s.y[layout.lambda.clone()]);
        s.lambda_before.copy_from_slice(&s.y_last[layout.lambda.clone()]);
        if let Some(method) = &mut self.method {
            method.matrices.stale = true;
        }
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
        2
    }

    fn last_order(&self) -> usize {
        if self.state.h_last > 0.0 { 2 } else { 0 }
    }

    fn degree(&self) -> usize {
        3
    }

    fn interpolate(&self, t: f64, y: &mut [f64], yp: &mut [f64]) {
        let s = &self.state;
        y.copy_from_slice(&s.y);
        yp.copy_from_slice(&s.yp);
        let (Some(layout), true) = (&self.layout, s.h_last > 0.0 && t != s.t) else {
            return;
        };
        let h = s.h_last;
        // From 0 at the beginning of the step to 1 at its end.
        let x = 1.0 + (t - s.t) / h;
        for range in [&layout.q, &layout.v, &layout.x] {
            for i in range.clone() {
                // Cubic with both values and slopes.
                let (d, p, r) = (s.y[i] - s.y_last[i], h * s.yp_last[i], h * s.yp[i]);
                let (b, c) = (3.0 * d - 2.0 * p - r, p + r - 2.0 * d);
                y[i] = s.y_last[i] + x * (p + x * (b + x * c));
                yp[i] = (p + x * (2.0 * b + 3.0 * x * c)) / h;
            }
        }
        for i in layout.lambda.clone().chain(layout.eta.clone()) {
            y[i] = s.y_last[i] + x * (s.y[i] - s.y_last[i]);
        }
    }

    fn corrector(&mut self) -> Option<&mut Corrector> {
        None
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn checkpoint(&self) -> State {
        let mut state = self.state.clone();
        state.matrices = self.method.as_ref().map(|m| m.matrices.clone());
        State::new(NAME, state)
    }

    fn restore(&mut self, state: &State) -> bool {
        let Some(state) = state.get::<GeneralizedAlphaState>(NAME) else {
            return false;
        };
        if state.y.len() != self.y_new.len() {
            return false;
        }
        self.state = state;
        let tightening = self.tightening();
        self.weights.update(&self.state.y, tightening);
        true
    }
}
