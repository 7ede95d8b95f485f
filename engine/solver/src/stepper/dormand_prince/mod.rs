//! The explicit Runge–Kutta method of order 8 with error estimates of order 5 and 3 and an interpolant of order 7
//! [Dormand, Prince 1981; Hairer, Nørsett, Wanner 1993, §II.5 and §II.6].
//!
//! For what is not stiff: no matrices, no iteration, large steps at tight tolerances. Works on ẏ = f(t, y) and on
//! mechanisms, there with v̇ from the mechanics: O(N) for trees, one factorisation for loops. Loops are closed by
//! projection at the end of each step, positions and then velocities. That a step is limited by stability instead
//! of the error is seen from the largest eigenvalue the last two stages tell of.

mod coefficients;
mod rates;

use super::pieces::{Pieces, PiecesMemory, Quadrature, Span};
use super::{Build, Entry, Parts, Stepper, Takes};
use crate::equations::Equations;
use crate::newton::Corrector;
use crate::state::State;
use coefficients::{A, ALL, C, D, ERROR_3, ERROR_5, STAGES, TERMS};
use holonom_dae::{InputError, Rejection, System, Weights};
pub(super) use rates::Rates;
use serde::{Deserialize, Serialize};

/// Name in options and reports.
pub(super) const NAME: &str = "dormand-prince";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "explicit Runge–Kutta method of order 8 for non-stiff models; loops are closed by projection",
    literature: "[Dormand, Prince 1981; Hairer, Nørsett, Wanner 1993, §II.5]",
    max_order: 8,
    takes: Takes::Explicit,
    fixed_step: false,
    start_order: 7,
    in_stages: false,
    options: None,
    build: Build::Direct(|n, parts| Box::new(DormandPrince::new(n, parts))),
};

/// Order of the method.
pub(super) const ORDER: usize = 8;
/// Share of the step size the estimate asks for.
const SAFETY: f64 = 0.9;
/// Largest growth and reduction of the step size at once.
const GROWTH: f64 = 6.0;
const REDUCTION: f64 = 0.333;
/// By how much the error inside a step, where the interpolant of order 7 is, may exceed the estimate at its end.
const INSIDE: f64 = 4.0;
/// |h λ| beyond which the step is at the border of the stability domain.
const BORDER: f64 = 6.1;
/// Violations of constraints inside of a step, in tolerances, up to which its polynomial is taken for the solution.
const FITS: f64 = 0.1;
/// Part of the tolerance by which forces may change velocities unseen where they pass from one smooth piece to another.
const UNSEEN: f64 = 0.01;
/// Attempts at a place inside of a step, in parts of it.
const MOST_PARTS: usize = 64;
/// Steps away from the border after which those at it are forgotten.
const CALM: u32 = 3;

/// Everything of the method that outlives a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct DormandPrinceState {
    t: f64,
    h: f64,
    h_last: f64,
    y: Vec<f64>,
    /// Slope there; without one it is evaluated first.
    yp: Vec<f64>,
    has_slope: bool,
    y_last: Vec<f64>,
    yp_last: Vec<f64>,
    /// Terms of the interpolant in the last step, if it was asked for.
    terms: Vec<f64>,
    has_terms: bool,
    /// In checkpoints: the slopes of the last step, from which the terms can be made.
    slopes: Option<Vec<f64>>,
    failures: u32,
    error_failures: u32,
    /// Steps at the border of the stability domain, until some are not, and how many were not.
    at_border: u32,
    calm: u32,
    /// The step size that the error would have allowed where one ends at a border of pieces; zero elsewhere.
    natural: f64,
    /// What is remembered of pieces, in checkpoints.
    pieces: Option<PiecesMemory>,
}

/// The method as a [`Stepper`].
pub struct DormandPrince {
    fixed: Option<f64>,
    weights: Weights,
    rates: Option<Rates>,
    /// Forces that consist of smooth pieces, and the part of the attempt at hand that ends at a border of two.
    pieces: Option<Box<Pieces>>,
    border: f64,
    state: DormandPrinceState,
    /// Slopes of the stages, one after the other; the last step's until an attempt.
    k: Vec<f64>,
    stage: Vec<f64>,
    y_new: Vec<f64>,
    /// The beginning of the last step and its slope, while other steps begin there.
    kept: [Vec<f64>; 2],
    estimate: Vec<f64>,
    error: f64,
    stretch: f64,
    /// The slopes in `k` are those of the last accepted step.
    k_of_last: bool,
}

impl DormandPrince {
    /// Allocates the method for `n` unknowns; [`bind`](Stepper::bind) does the rest.
    pub fn new(n: usize, parts: Parts<'_>) -> Self {
        Self::with(n, parts.weights, parts.options.fixed_step)
    }

    fn with(n: usize, weights: Weights, fixed: Option<f64>) -> Self {
        let zeros = vec![0.0; n];
        Self {
            fixed,
            weights,
            rates: None,
            pieces: None,
            border: 1.0,
            state: DormandPrinceState {
                t: 0.0,
                h: 0.0,
                h_last: 0.0,
                y: zeros.clone(),
                yp: zeros.clone(),
                has_slope: false,
                y_last: zeros.clone(),
                yp_last: zeros.clone(),
                terms: vec![0.0; n * TERMS],
                has_terms: false,
                slopes: None,
                failures: 0,
                error_failures: 0,
                at_border: 0,
                calm: 0,
                natural: 0.0,
                pieces: None,
            },
            k: vec![0.0; n * ALL],
            stage: zeros.clone(),
            y_new: zeros.clone(),
            kept: [zeros.clone(), zeros.clone()],
            estimate: zeros,
            error: 0.0,
            stretch: 0.0,
            k_of_last: false,
        }
    }

    /// Stage i: its place and its slope.
    fn slope(
        &mut self,
        equations: &mut Equations<'_>,
        i: usize,
        (t, h): (f64, f64),
        from_last: bool,
    ) -> Result<(), Rejection> {
        let n = self.stage.len();
        let y = if from_last {
            &self.state.y_last
        } else {
            &self.state.y
        };
        let (before, slope) = self.k.split_at_mut(i * n);
        combine(A[i], before, &mut self.stage);
        for (x, y) in self.stage.iter_mut().zip(y) {
            *x = y + h * *x;
        }
        let rates = self.rates.as_mut().ok_or(Rejection::OutsideDomain)?;
        rates.evaluate(equations, t + C[i] * h, &self.stage, &mut slope[..n])
    }

    /// The solution at `t` inside the last step by steps of the method from its beginning, in `y_new`.
    fn step_to(&mut self, equations: &mut Equations<'_>, t: f64) -> Result<(), Rejection> {
        let n = self.stage.len();
        let (mut here, end) = (self.state.t - self.state.h_last, t);
        // The state at the beginning is kept: steps begin from `y_last`.
        self.kept[0].copy_from_slice(&self.state.y_last);
        self.kept[1].copy_from_slice(&self.state.yp_last);
        let mut h = end - here;
        let mut done = Err(Rejection::Divergence);
        for _ in 0..MOST_PARTS {
            done = self.part(equations, (here, h));
            if done.is_err() {
                h *= 0.5;
                continue;
            }
            here += h;
            if end - here <= 4.0 * f64::EPSILON * end.abs() {
                break;
            }
            self.state.y_last.copy_from_slice(&self.y_new);
            self.state
                .yp_last
                .copy_from_slice(&self.k[STAGES * n..(STAGES + 1) * n]);
            (h, done) = (end - here, Err(Rejection::Divergence));
        }
        std::mem::swap(&mut self.state.y_last, &mut self.kept[0]);
        std::mem::swap(&mut self.state.yp_last, &mut self.kept[1]);
        done
    }

    /// One step from `y_last` into `y_new`, with the error test and on the constraints.
    fn part(&mut self, equations: &mut Equations<'_>, (t, h): (f64, f64)) -> Result<(), Rejection> {
        let n = self.stage.len();
        self.k[..n].copy_from_slice(&self.state.yp_last);
        for i in 1..STAGES {
            self.slope(equations, i, (t, h), true)?;
        }
        combine(A[STAGES], &self.k, &mut self.y_new);
        for (x, y) in self.y_new.iter_mut().zip(&self.state.y_last) {
            *x = y + h * *x;
        }
        let error = self.estimate(h);
        if error.is_nan() || error > 1.0 {
            return Err(Rejection::ErrorTest { ratio: error });
        }
        self.settle(equations, t + h)
    }

    /// Brings `y_new` to the constraints, and puts its slope behind the stages.
    fn settle(&mut self, equations: &mut Equations<'_>, t: f64) -> Result<(), Rejection> {
        let n = self.stage.len();
        let rates = self.rates.as_mut().ok_or(Rejection::OutsideDomain)?;
        self.estimate.copy_from_slice(&self.y_new);
        rates.project(equations, t, &mut self.y_new)?;
        // What leaves the constraints is part of the error. A projection that moves more goes astray, which happens
        // next to singular positions.
        for (e, y) in self.estimate.iter_mut().zip(&self.y_new) {
            *e -= y;
        }
        let moved = self.weights.error_norm(&self.estimate);
        if moved.is_nan() || (moved > INSIDE && self.fixed.is_none()) {
            return Err(Rejection::Divergence);
        }
        rates.evaluate(
            equations,
            t,
            &self.y_new,
            &mut self.k[STAGES * n..(STAGES + 1) * n],
        )?;
        rates.complete(equations, &mut self.y_new);
        Ok(())
    }

    /// The error test of DOP853: the estimate of order 5, corrected by that of order 3 where this one is small.
    fn estimate(&mut self, h: f64) -> f64 {
        combine(&ERROR_5, &self.k, &mut self.estimate);
        self.estimate.iter_mut().for_each(|e| *e *= h);
        let fifth = self.weights.error_norm(&self.estimate);
        combine(&ERROR_3, &self.k, &mut self.estimate);
        self.estimate.iter_mut().for_each(|e| *e *= h);
        let third = self.weights.error_norm(&self.estimate);
        let below = (fifth * fifth + 0.01 * third * third).sqrt();
        if below > 0.0 {
            INSIDE * fifth * fifth / below
        } else {
            0.0
        }
    }
}

/// Where the slope at the start of a run is looked at: behind a stop time, where excitations may jump.
pub(super) fn behind(t: f64) -> f64 {
    t + 64.0 * f64::EPSILON * t.abs()
}

/// out := Σ coefficient_i k_i.
fn combine(coefficients: &[f64], k: &[f64], out: &mut [f64]) {
    let n = out.len();
    out.fill(0.0);
    for (c, k) in coefficients.iter().zip(k.chunks_exact(n.max(1))) {
        if *c != 0.0 {
            for (o, k) in out.iter_mut().zip(k) {
                *o += c * k;
            }
        }
    }
}

impl Stepper for DormandPrince {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bind(&mut self, system: &mut dyn System) -> Result<(), InputError> {
        self.rates = Some(Rates::new(system)?);
        if self.fixed.is_none() {
            let mut pieces = Pieces::new(system).map(Box::new);
            if let (Some(pieces), Some(memory)) = (&mut pieces, self.state.pieces.take()) {
                pieces.restore(&memory);
            }
            self.pieces = pieces;
        }
        Ok(())
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
        (s.has_slope, s.has_terms) = (false, false);
        (s.failures, s.error_failures) = (0, 0);
        (s.at_border, s.calm, s.natural) = (0, 0, 0.0);
        if let Some(pieces) = &mut self.pieces {
            pieces.forget();
        }
        self.k_of_last = false;
        self.weights.update(y, 1.0);
    }

    fn attempt(&mut self, equations: &mut Equations<'_>) -> Result<(), Rejection> {
        let n = self.stage.len();
        let (t, h) = (self.state.t, self.state.h);
        self.weights.grade(h);
        if self.rates.is_none() {
            self.rates = Some(Rates::new(equations.system).map_err(|_| Rejection::OutsideDomain)?);
        }
        self.k_of_last = false;
        if self.state.has_slope {
            self.k[..n].copy_from_slice(&self.state.yp);
        } else {
            if let Some(rates) = &mut self.rates {
                rates.begin(&self.state.y);
            }
            self.slope(equations, 0, (behind(t), h), false)?;
            self.state.yp.copy_from_slice(&self.k[..n]);
            self.state.has_slope = true;
        }
        for i in 1..STAGES {
            self.slope(equations, i, (t, h), false)?;
        }
        combine(A[STAGES], &self.k, &mut self.y_new);
        for (x, y) in self.y_new.iter_mut().zip(&self.state.y) {
            *x = y + h * *x;
        }
        self.error = self.estimate(h);
        if self.error.is_nan() {
            return Err(Rejection::NonFinite { row: 0 });
        }
        if self.error > 1.0 && self.fixed.is_none() {
            return Err(Rejection::ErrorTest { ratio: self.error });
        }
        // `stage` is still the last stage, at the end of the step too: how far apart slopes are for two places
        // there tells of the largest eigenvalue.
        let apart = distance(&self.y_new, &self.stage);
        self.settle(equations, t + h)?;
        let (before, slope) = self.k.split_at(STAGES * n);
        let slopes = distance(&slope[..n], &before[(STAGES - 1) * n..]);
        self.stretch = if apart > 0.0 { h * slopes / apart } else { 0.0 };
        if let Some(pieces) = &mut self.pieces {
            let s = &self.state;
            let step = Span {
                t,
                h,
                y: [&s.y, &self.y_new],
                yp: [&s.yp, &slope[..n]],
            };
            if let Some(border) = pieces.passed(equations, &self.weights, &step, QUADRATURE) {
                self.border = border;
                return Err(Rejection::PassedBorder);
            }
        }
        Ok(())
    }

    fn accept(&mut self, equations: &mut Equations<'_>) {
        let n = self.stage.len();
        let s = &mut self.state;
        s.t += s.h;
        s.h_last = s.h;
        std::mem::swap(&mut s.y, &mut s.y_last);
        std::mem::swap(&mut s.yp, &mut s.yp_last);
        std::mem::swap(&mut s.y, &mut self.y_new);
        s.yp.copy_from_slice(&self.k[STAGES * n..(STAGES + 1) * n]);
        s.has_terms = false;
        self.k_of_last = true;
        if self.stretch > BORDER {
            (s.at_border, s.calm) = (s.at_border + 1, 0);
        } else {
            s.calm += 1;
            if s.calm >= CALM {
                s.at_border = 0;
            }
        }
        self.weights.update(&s.y, 1.0);
        s.h = match self.fixed {
            Some(h) => h,
            None => {
                let wanted = SAFETY * self.error.max(1e-10).powf(-1.0 / ORDER as f64);
                let most = if s.failures + s.error_failures > 0 {
                    1.0
                } else {
                    GROWTH
                };
                // Behind a border the step that led to it does not tell how long the next one may be.
                let natural = std::mem::take(&mut s.natural);
                let h = s.h * wanted.clamp(REDUCTION, most);
                if wanted > 1.0 { h.max(natural) } else { h }
            }
        };
        (s.failures, s.error_failures) = (0, 0);
        if let Some(pieces) = &mut self.pieces {
            pieces.accept(s.h_last);
            if let Some(border) = pieces.ahead(equations, &self.weights, s.h, QUADRATURE) {
                s.natural = s.h;
                s.h *= border;
            }
        }
    }

    fn reject(&mut self, rejection: Rejection) {
        let s = &mut self.state;
        match rejection {
            Rejection::ErrorTest { ratio } => {
                s.error_failures += 1;
                s.h *= (SAFETY * ratio.powf(-1.0 / ORDER as f64)).clamp(REDUCTION, SAFETY);
            }
            Rejection::PassedBorder => {
                s.natural = s.natural.max(s.h);
                s.h *= self.border;
            }
            _ => {
                s.failures += 1;
                s.h *= 0.25;
            }
        }
    }

    fn carry(&mut self, map: &dyn Fn(&mut [f64])) {
        // Multipliers are found anew in every evaluation.
        map(&mut self.state.y);
        map(&mut self.state.y_last);
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

    fn sees_its_end(&self) -> bool {
        false
    }

    fn steps_at_border(&self) -> u32 {
        self.state.at_border
    }

    fn prepare_interpolation(&mut self, equations: &mut Equations<'_>) {
        let h = self.state.h_last;
        if h == 0.0 || self.state.has_terms || !self.k_of_last {
            return;
        }
        let (n, t) = (self.stage.len(), self.state.t - h);
        for i in STAGES + 1..ALL {
            // Without them the interpolant is that of the ends of the step.
            if self.slope(equations, i, (t, h), true).is_err() {
                return;
            }
        }
        let s = &mut self.state;
        for i in 0..n {
            let (d, p, r) = (s.y[i] - s.y_last[i], h * s.yp_last[i], h * s.yp[i]);
            s.terms[i] = d;
            s.terms[n + i] = p - d;
            s.terms[2 * n + i] = 2.0 * d - p - r;
        }
        for (row, term) in D.iter().zip(s.terms[3 * n..].chunks_exact_mut(n.max(1))) {
            combine(row, &self.k, term);
            term.iter_mut().for_each(|x| *x *= h);
        }
        s.has_terms = true;
    }

    fn degree(&self) -> usize {
        TERMS
    }

    fn interpolate(&self, t: f64, y: &mut [f64], yp: &mut [f64]) {
        let s = &self.state;
        y.copy_from_slice(&s.y);
        yp.copy_from_slice(&s.yp);
        if s.h_last == 0.0 || t == s.t {
            return;
        }
        let (n, h) = (y.len(), s.h_last);
        // From 0 at the beginning of the step to 1 at its end.
        let x = 1.0 + (t - s.t) / h;
        for i in 0..n {
            // u (x) := F₀ + (1 − x)(F₁ + x (F₂ + (1 − x)(F₃ + …))), y = y₀ + x u, and its derivative.
            let (mut u, mut du) = (0.0, 0.0);
            if s.has_terms {
                for k in (0..TERMS).rev() {
                    u += s.terms[k * n + i];
                    if k % 2 == 0 {
                        (u, du) = (u * x, du * x + u);
                    } else {
                        (u, du) = (u * (1.0 - x), du * (1.0 - x) - u);
                    }
                }
            } else {
                // Cubic with both values and slopes.
                let (d, p, r) = (s.y[i] - s.y_last[i], h * s.yp_last[i], h * s.yp[i]);
                let (b, c) = (3.0 * d - 2.0 * p - r, p + r - 2.0 * d);
                u = x * (p + x * (b + x * c));
                du = p + x * (2.0 * b + 3.0 * x * c);
            }
            y[i] = s.y_last[i] + u;
            yp[i] = du / h;
        }
    }

    /// The slope at the second stage has no weight, neither in the solution nor in the estimate of its error, and what it
    /// does to later stages cancels there. It does not between the ends of the step.
    fn tests_all(&self) -> bool {
        false
    }

    /// The polynomial inside of a step goes through slopes of stages, which lie off the constraints: next to
    /// singular positions they are far from those of the solution, and the error test, at the end of the step, does
    /// not see it. How far the polynomial leaves the constraints does; steps to the place itself take its stead there.
    fn refine(&mut self, equations: &mut Equations<'_>, t: f64, y: &mut [f64], yp: &mut [f64]) {
        let s = &self.state;
        if s.h_last == 0.0 || t == s.t || self.fixed.is_some() {
            return;
        }
        let misfit = equations.system.misfit(t, y, Some(self.weights.tolerances()));
        let most = misfit.velocities.max(misfit.positions.unwrap_or(0.0));
        if most <= FITS {
            return;
        }
        self.k_of_last = false;
        if self.step_to(equations, t).is_ok() {
            y.copy_from_slice(&self.y_new);
            let n = y.len();
            yp.copy_from_slice(&self.k[STAGES * n..(STAGES + 1) * n]);
        }
    }

    fn complete(&mut self, equations: &mut Equations<'_>, t: f64, y: &mut [f64]) {
        let s = &self.state;
        if let Some(rates) = &mut self.rates
            && s.h_last > 0.0
            && t != s.t
        {
            rates.complete_at(equations, t, y, &mut self.stage);
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
        if self.k_of_last && !state.has_terms {
            state.slopes = Some(self.k.clone());
        }
        state.pieces = self.pieces.as_ref().map(|pieces| pieces.memory.clone());
        State::new(NAME, state)
    }

    fn restore(&mut self, state: &State) -> bool {
        let Some(state) = state.get::<DormandPrinceState>(NAME) else {
            return false;
        };
        if state.y.len() != self.y_new.len() {
            return false;
        }
        self.state = state;
        let slopes = self.state.slopes.take();
        self.k_of_last = slopes.is_some();
        if let Some(slopes) = slopes {
            if slopes.len() != self.k.len() {
                return false;
            }
            self.k = slopes;
        }
        self.weights.update(&self.state.y, 1.0);
        true
    }
}

/// How a step integrates what depends on time alone.
const QUADRATURE: Quadrature<'static> = Quadrature {
    places: &C,
    weights: A[STAGES],
    unseen: UNSEEN,
};

/// Euclidean distance.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}
