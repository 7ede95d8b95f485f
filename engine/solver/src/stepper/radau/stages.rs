//! The nonlinear system of a step: F(t₀ + c_i h, y₀ + Z_i, Σ_j (A⁻¹)_ij Z_j / h) = 0 for all stages, by
//! simplified Newton iteration in the coordinates W = (T⁻¹ ⊗ I) Z in which its matrix
//! A⁻¹ ⊗ F_ẏ / h + I ⊗ F_y falls apart into blocks [Hairer, Wanner 1996, §IV.8].

use super::coefficients::Method;
use crate::equations::{Equations, Purpose};
use crate::newton::operator::{Blocks, IterationOperator, Placed, Shift};
use crate::newton::{Corrector, CorrectorStep, Iteration, NewtonOptions, RateMemory, Scheme};
use holonom_dae::{Rejection, Weights};

/// Room for the stages of a step, Z_1, Z_2, … one after the other.
pub(super) struct Room {
    pub z: Vec<f64>,
    predicted: Vec<f64>,
    w: Vec<f64>,
    pub y: Vec<f64>,
    pub yp: Vec<f64>,
    /// Where the Jacobian is evaluated.
    middle: (Vec<f64>, Vec<f64>),
    pub r: Vec<f64>,
}

impl Room {
    pub fn new(n: usize, stages: usize) -> Self {
        Self {
            z: vec![0.0; n * stages],
            predicted: vec![0.0; n * stages],
            w: vec![0.0; n * stages],
            y: vec![0.0; n],
            yp: vec![0.0; n],
            middle: (vec![0.0; n], vec![0.0; n]),
            r: vec![0.0; n],
        }
    }
}

/// How an iteration went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// Corrections.
    pub corrections: u32,
    /// Contraction, where two corrections or more tell it.
    pub rate: Option<f64>,
    /// Factor for the step size with which it would have converged in time.
    pub factor: Option<f64>,
}

/// out := Σ_j coefficients_j z_j.
pub(super) fn combine(coefficients: &[f64], z: &[f64], out: &mut [f64]) {
    let n = out.len();
    out.fill(0.0);
    for (c, z) in coefficients.iter().zip(z.chunks_exact(n)) {
        for (o, z) in out.iter_mut().zip(z) {
            *o += c * z;
        }
    }
}

/// The stages of one step.
pub(super) struct Stages<'a> {
    pub method: &'a Method,
    pub blocks: &'a mut Blocks,
    pub room: &'a mut Room,
    pub t0: f64,
    pub h: f64,
    pub y0: &'a [f64],
    pub yp0: &'a [f64],
    /// The iteration failed before: the prediction is not to be trusted.
    pub unsure: bool,
    pub newton: NewtonOptions,
    /// What rounding does, in the norm of the corrections.
    pub noise: f64,
    pub outcome: Outcome,
}

impl Stages<'_> {
    /// w := −T⁻¹ F of all stages, with the rows scaled.
    fn residuals(&mut self, c: &mut Corrector, equations: &mut Equations<'_>) -> Result<(), Rejection> {
        let Self { method, room, .. } = self;
        let (n, s) = (self.y0.len(), method.s);
        room.w[..n * s].fill(0.0);
        let per_h = 1.0 / self.h;
        for i in 0..s {
            let z = &room.z[i * n..(i + 1) * n];
            for ((y, y0), z) in room.y.iter_mut().zip(self.y0).zip(z) {
                *y = y0 + z;
            }
            combine(&method.a_inverse[i * s..(i + 1) * s], &room.z, &mut room.yp);
            room.yp.iter_mut().for_each(|x| *x *= per_h);
            let t = self.t0 + method.c[i] * self.h;
            c.look_in_rows(equations, (t, &room.y, &room.yp))?;
            let (residual, scale) = c.residual_and_row_scale();
            for (x, (r, s)) in room.r.iter_mut().zip(residual.iter().zip(scale)) {
                *x = -r * s;
            }
            for (k, w) in room.w[..n * s].chunks_exact_mut(n).enumerate() {
                let t = method.t_inverse[k * s + i];
                for (w, r) in w.iter_mut().zip(&room.r) {
                    *w += t * r;
                }
            }
        }
        Ok(())
    }
}

/// A correction beyond this part of the tolerance is not the last one, however fast the iteration seems to converge: after a
/// poor prediction the first correction is large by what any matrix finds, and tells nothing about the rate of the rest. For
/// matrices with parts of different age only: elsewhere it never mattered, and costs the chains a quarter at loose tolerances.
const LARGEST_LAST: f64 = 0.1;

impl Placed for Stages<'_> {
    fn place(&self) -> (f64, &[f64], &[f64]) {
        // The Jacobian varies along the step: in the middle it is wrong by half as much as at its start.
        let share = if self.unsure {
            0.0
        } else {
            self.method.c[self.method.s / 2]
        };
        let (y, yp) = &self.room.middle;
        (self.t0 + share * self.h, y, yp)
    }

    fn operator(&mut self) -> &mut dyn IterationOperator {
        self.blocks
    }
}

impl Scheme for Stages<'_> {
    const NEEDS_MATCH: bool = true;

    fn work(&self) -> f64 {
        self.method.s as f64
    }

    fn begin(
        &mut self,
        _: &mut Corrector,
        _: &mut Equations<'_>,
        _: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let used = self.y0.len() * self.method.s;
        let Room {
            z, predicted, middle, ..
        } = &mut *self.room;
        predicted[..used].copy_from_slice(&z[..used]);
        if self.unsure {
            middle.0.copy_from_slice(self.y0);
            middle.1.copy_from_slice(self.yp0);
            return Ok(());
        }
        let (s, n, i) = (self.method.s, self.y0.len(), self.method.s / 2);
        for ((y, y0), z) in middle.0.iter_mut().zip(self.y0).zip(&z[i * n..]) {
            *y = y0 + z;
        }
        combine(&self.method.a_inverse[i * s..(i + 1) * s], z, &mut middle.1);
        middle.1.iter_mut().for_each(|x| *x /= self.h);
        Ok(())
    }

    fn residual_for_jacobian(
        &mut self,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        _: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let r = c.residual_for_jacobian_mut();
        let (t, y, yp) = self.place();
        equations.residual(Purpose::Other, t, y, yp, r)
    }

    fn shift(&self, _: &CorrectorStep) -> Shift<'static> {
        self.method.shift(self.h)
    }

    fn iterate(
        &mut self,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        weights: &Weights,
        _: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let rounding = 100.0 * f64::EPSILON * weights.graded_norm(self.y0);
        self.outcome = Outcome::default();
        let rule = self.newton;
        let mut newton = *c.newton();
        let mut corrections = Correction {
            stages: self,
            c,
            equations,
            weights,
            rounding,
            confirmed: false,
        };
        let done = newton.run(&rule, &mut corrections);
        c.set_newton(newton);
        done
    }

    fn respect_bounds(
        &mut self,
        c: &mut Corrector,
        weights: &Weights,
        _: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let n = self.y0.len();
        let last = (self.method.s - 1) * n..self.method.s * n;
        let Room { z, y, .. } = &mut *self.room;
        let z = &mut z[last];
        for ((y, y0), z) in y.iter_mut().zip(self.y0).zip(z.iter()) {
            *y = y0 + z;
        }
        c.within_bounds(weights, y, |_, i, d| z[i] += d)
    }

    fn rewind(&mut self, _: &mut Corrector) {
        let used = self.y0.len() * self.method.s;
        self.room.z[..used].copy_from_slice(&self.room.predicted[..used]);
    }
}

impl Stages<'_> {
    /// Step size factor after an iteration that is too slow: with the rate in proportion to h, the error
    /// left at the limit on iterations would be within its share [Hairer, Wanner 1996, §IV.8].
    fn factor_for_convergence(&self, left: f64, rate: Option<f64>) -> Option<f64> {
        let rate = rate?;
        let more = self
            .newton
            .max_iterations
            .saturating_sub(self.outcome.corrections as usize) as f64;
        let q = (left * rate.powf(more) / self.newton.share).clamp(1e-4, 20.0);
        Some(0.8 * q.powf(-1.0 / (4.0 + more)))
    }
}

/// Corrections of all stages.
struct Correction<'a, 's, 'e> {
    stages: &'a mut Stages<'s>,
    c: &'a mut Corrector,
    equations: &'a mut Equations<'e>,
    weights: &'a Weights,
    rounding: f64,
    /// Where the prediction is not to be trusted: the last correction was small.
    confirmed: bool,
}

impl Iteration for Correction<'_, '_, '_> {
    fn correct(&mut self) -> Result<f64, Rejection> {
        let (n, s) = (self.stages.y0.len(), self.stages.method.s);
        self.stages.residuals(self.c, self.equations)?;
        let Stages {
            method, room, blocks, ..
        } = &mut *self.stages;
        let (first, pairs) = room.w[..n * s].split_at_mut(n);
        blocks.solve_real(first);
        for (k, pair) in pairs.chunks_exact_mut(2 * n).enumerate() {
            let (re, im) = pair.split_at_mut(n);
            blocks.solve_complex(k, re, im);
        }
        self.equations.counters.solves += method.s.div_ceil(2) as u64;
        self.equations.counters.newton_iterations += 1;
        let column_scale = &self.c.linearisation().scaling.scales().columns;
        let mut sum = 0.0;
        for (i, z) in room.z[..n * s].chunks_exact_mut(n).enumerate() {
            combine(&method.t[i * s..(i + 1) * s], &room.w[..n * s], &mut room.r);
            for ((z, d), scale) in z.iter_mut().zip(&mut room.r).zip(column_scale) {
                *d *= scale;
                *z += *d;
            }
            let norm = self.weights.graded_norm(&room.r);
            sum += norm * norm;
        }
        Ok((sum / s as f64).sqrt())
    }

    fn rounding(&self) -> f64 {
        self.rounding
    }

    fn judged(&mut self, corrections: u32, rate: RateMemory) {
        let outcome = &mut self.stages.outcome;
        outcome.corrections = corrections;
        outcome.rate = rate.rate.filter(|_| corrections > 1);
    }

    fn is_last(&mut self, norm: f64) -> bool {
        // Where the iteration went astray before, small corrections may be those of a matrix from
        // there; they are small at a solution only if the next one is small as well.
        if self.stages.unsure && !self.confirmed {
            self.confirmed = true;
            return false;
        }
        !(norm > LARGEST_LAST && self.c.renews_constraints())
    }

    fn goes_on(&mut self) {
        self.confirmed = false;
    }

    fn is_amplified_rounding(&mut self, norm: f64, share: f64) -> bool {
        norm <= share.max(self.stages.noise)
    }

    fn is_too_slow(&mut self, left: f64, rate: Option<f64>) {
        self.stages.outcome.factor = self.stages.factor_for_convergence(left, rate);
    }
}
