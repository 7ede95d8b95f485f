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
//! (1/6 − β − Δ/2) h³ v̈ in the positions and (Δ²/2 − 1/12) h³ v⃛ in the velocities; the derivatives of v̇ are
//! taken from differences. When h changes, a is moved to its new time: a − v̇ grows with h.

mod options;
mod step;

pub use options::{Family, GeneralizedAlphaOptions};

use super::{Parts, Stepper, StepperState, across};
use crate::equations::Equations;
use crate::newton::Corrector;
use holonom_dae::{InputError, MechanicalLayout, Rejection, System, Weights};
use serde::{Deserialize, Serialize};
use step::{Matrices, Method, Motion};

/// Name in options and reports.
pub(super) const NAME: &str = "generalized-alpha";

/// Largest growth and reduction of the step size at once.
const GROWTH: f64 = 2.0;
const REDUCTION: f64 = 0.2;
/// Step sizes that could grow by less are kept: the factors serve again.
const KEEP: f64 = 1.15;

/// Everything of the method that outlives a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GeneralizedAlphaState {
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
    /// v̇ and λ one step before.
    w_before: Vec<f64>,
    lambda_before: Vec<f64>,
    /// Error of the last accepted step.
    error_last: f64,
    failures: u32,
    /// Step size of the first of the failures in a row.
    #[serde(default)]
    failed: f64,
    error_failures: u32,
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
            options: parts.generalized_alpha,
            fixed: parts.bdf.fixed_step,
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
                w_before: Vec::new(),
                lambda_before: Vec::new(),
                error_last: 1.0,
                failures: 0,
                failed: 0.0,
                error_failures: 0,
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
        s.w_before.copy_from_slice(&m.w);
        s.lambda_before.copy_from_slice(&m.lambda);
        if let Some(method) = &mut self.method {
            method.matrices.stale = true;
        }
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

    /// Weighted norm of the local errors of q and v.
    fn estimate(&mut self, system: &mut dyn System) -> f64 {
        let (Some(layout), Some(method), Some(mechanical)) =
            (&self.layout, &self.method, system.mechanical())
        else {
            return f64::NAN;
        };
        let (s, m, to, c) = (&self.state, &self.state.motion, &self.to, &method.c);
        let (h, before) = (s.h, s.h_last);
        self.estimate.fill(0.0);
        for i in 0..to.v.len() {
            // h³ v̈ ≈ h² (v̇₁ − v̇₀).
            self.direction[i] = c.error_q() * h * h * (to.w[i] - m.w[i]);
            self.estimate[layout.v.start + i] = if before > 0.0 {
                // h³ v⃛ from the second divided difference of v̇.
                let (new, old) = ((to.w[i] - m.w[i]) / h, (m.w[i] - s.w_before[i]) / before);
                c.error_v() * h * h * h * 2.0 * (new - old) / (h + before)
            } else {
                // a₀ = v̇₀ stands for v̇(Δ h): the first step has an error of Δ h² v̈.
                c.delay() * h * (to.w[i] - m.w[i])
            };
        }
        mechanical.velocity_map(&to.q, &self.direction, &mut self.estimate[layout.q.clone()]);
        for (i, k) in layout.x.clone().enumerate() {
            // Of the trapezoidal rule, h³ x⃛/12, with the change of ẋ for h² x⃛: on the safe side.
            self.estimate[k] = h / 12.0 * (to.s[i] - m.s[i]);
        }
        self.weights.error_norm(&self.estimate)
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
                "it needs the mechanics behind the equations, which this system does not have; choose `bdf`",
            )
        };
        let structure = system.structure().clone();
        let layout = structure.layout.clone().ok_or_else(missing)?;
        if !layout.readings.is_empty() {
            return Err(InputError::Option {
                option: "stepper",
                value: format!("`{NAME}`"),
                remedy: "sensors of accelerations, reactions or totals are unknowns of the equations, which only methods that \
                         solve all of them know; choose `bdf`"
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
                "it keeps constraints on positions or velocities, not on accelerations; choose the form `ggl`, `index3` \
                 or `index2`",
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
        (s.failures, s.error_failures, s.steps) = (0, 0, 0);
        for (to, from) in [
            (&mut s.y, y),
            (&mut s.yp, yp),
            (&mut s.y_last, y),
            (&mut s.yp_last, yp),
        ] {
            to.copy_from_slice(from);
        }
        self.weights.update(y, 1.0);
        if self.method.is_some() {
            self.load();
        }
    }

    fn attempt(&mut self, equations: &mut Equations<'_>) -> Result<(), Rejection> {
        let s = &mut self.state;
        // a belongs to v̇ at t + Δ h: with another h it lies elsewhere on the same line.
        if s.h_of_a > 0.0 && s.h_of_a != s.h {
            let ratio = s.h / s.h_of_a;
            for (a, w) in s.motion.a.iter_mut().zip(&s.motion.w) {
                *a = w + ratio * (*a - w);
            }
            s.h_of_a = s.h;
        }
        self.weights.grade(s.h);
        self.predict();
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
        if layout.eta.len() == to.eta.len() {
            self.y_new[layout.eta.clone()].copy_from_slice(&to.eta);
        }
        mechanical.velocity_map(&to.q, &to.v, &mut self.yp_new[layout.q.clone()]);
        self.yp_new[layout.v.clone()].copy_from_slice(&to.w);
        self.yp_new[layout.x.clone()].copy_from_slice(&to.s);
        self.error = self.estimate(equations.system);
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
        let first = s.h_last == 0.0;
        s.h_last = s.h;
        s.h_of_a = s.h;
        s.steps += 1;
        std::mem::swap(&mut s.y, &mut s.y_last);
        std::mem::swap(&mut s.yp, &mut s.yp_last);
        std::mem::swap(&mut s.y, &mut self.y_new);
        std::mem::swap(&mut s.yp, &mut self.yp_new);
        s.w_before.copy_from_slice(&s.motion.w);
        s.lambda_before.copy_from_slice(&s.motion.lambda);
        std::mem::swap(&mut s.motion, &mut self.to);
        if first && let Some(method) = &self.method {
            // The line through the first two v̇ gives the delay that was missing.
            for i in 0..s.motion.a.len() {
                s.motion.a[i] = s.motion.w[i] + method.c.delay() * (s.motion.w[i] - s.w_before[i]);
            }
        }
        self.weights.update(&s.y, 1.0);
        match self.fixed {
            Some(h) => s.h = h,
            None => {
                let error = self.error.max(1e-6);
                // Proportional-integral control for an error of h³.
                let mut factor = 0.9 * error.powf(-0.7 / 3.0) * s.error_last.powf(0.4 / 3.0);
                if s.failures + s.error_failures > 0 {
                    factor = factor.min(1.0);
                }
                s.h *= if (1.0..KEEP).contains(&factor) {
                    1.0
                } else {
                    factor.clamp(REDUCTION, GROWTH)
                };
                s.error_last = error;
            }
        }
        (s.failures, s.error_failures) = (0, 0);
    }

    fn reject(&mut self, rejection: Rejection) {
        let s = &mut self.state;
        match rejection {
            Rejection::ErrorTest { ratio } => {
                s.error_failures += 1;
                let factor = if s.error_failures > 2 {
                    REDUCTION
                } else {
                    0.9 * ratio.powf(-1.0 / 3.0)
                };
                s.h *= factor.clamp(REDUCTION, 0.9);
            }
            _ => {
                s.failures += 1;
                if s.failures == 1 {
                    s.failed = s.h;
                }
                if s.motion.lambda.is_empty() {
                    s.h *= 0.25;
                } else {
                    s.h = across(s.failed, s.failures);
                }
            }
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

    fn checkpoint(&self) -> StepperState {
        let mut state = self.state.clone();
        state.matrices = self.method.as_ref().map(|m| m.matrices.clone());
        StepperState::GeneralizedAlpha(Box::new(state))
    }

    fn restore(&mut self, state: &StepperState) -> bool {
        let StepperState::GeneralizedAlpha(state) = state else {
            return false;
        };
        if state.y.len() != self.y_new.len() {
            return false;
        }
        self.state = (**state).clone();
        self.weights.update(&self.state.y, 1.0);
        true
    }
}
