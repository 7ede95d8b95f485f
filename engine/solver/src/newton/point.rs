//! The corrector iteration at one point, Arnold (18):
//! y ← y − c J̄⁻¹ F(t, y, αy + β), with the matrix kept over many steps.

use super::corrector::{Corrector, CorrectorStep};
use super::scheme::Scheme;
use super::{Convergence, Verdict};
use crate::equations::Equations;
use crate::linear::{Factorised, Singular};
use holonom_dae::{Rejection, Weights};

/// F(t, y, αy + β) = 0, from a prediction.
pub(super) struct Point<'a> {
    pub t: f64,
    pub y: &'a mut [f64],
    pub yp: &'a mut [f64],
    /// y minus its prediction.
    pub e: &'a mut [f64],
}

impl Scheme for Point<'_> {
    const NEEDS_MATCH: bool = false;

    fn work(&self) -> f64 {
        1.0
    }

    fn begin(
        &mut self,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        step: &CorrectorStep,
    ) -> Result<(), Rejection> {
        c.look(equations, (step.t, self.y, self.yp))?;
        c.residual_predicted.copy_from_slice(&c.residual);
        c.predicted.copy_from_slice(self.y);
        c.derivative_predicted.copy_from_slice(self.yp);
        Ok(())
    }

    fn residual_for_jacobian(
        &mut self,
        _: &mut Corrector,
        _: &mut Equations<'_>,
        _: &CorrectorStep,
    ) -> Result<(), Rejection> {
        // It is that of the prediction.
        Ok(())
    }

    fn place(&self) -> (f64, &[f64], &[f64]) {
        (self.t, self.y, self.yp)
    }

    fn factorise(
        &mut self,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        step: &CorrectorStep,
    ) -> Result<Factorised, Singular> {
        c.form_matrix(step.alpha);
        equations.counters.factorisations += 1;
        c.linear.factorise(&c.matrix)
    }

    fn solve_scaled(&mut self, c: &mut Corrector, b: &mut [f64]) {
        c.linear.solve(b);
    }

    fn iterate(
        &mut self,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let alpha = step.alpha;
        // The factor c of Arnold (18) for a matrix made for another α [Burrage et al. 1980].
        let factor = 2.0 / (1.0 + alpha / c.memory.alpha);
        c.memory.corrections = 0;
        let mut convergence = Convergence::new();
        loop {
            c.delta.copy_from_slice(&c.residual);
            c.carry_delta();
            if c.scaled {
                for (d, s) in c.delta.iter_mut().zip(&c.row_scale) {
                    *d *= s * factor;
                }
            } else {
                for d in &mut c.delta {
                    *d *= factor;
                }
            }
            if c.memory.refine {
                c.linear.solve_refined(&c.matrix, &mut c.delta);
            } else {
                c.linear.solve(&mut c.delta);
            }
            equations.counters.solves += 1;
            equations.counters.newton_iterations += 1;
            c.memory.corrections += 1;
            if c.scaled {
                for (d, s) in c.delta.iter_mut().zip(&c.column_scale) {
                    *d *= s;
                }
            }
            if c.memory.corrections == 1 {
                for (e, d) in self.e.iter_mut().zip(&c.delta) {
                    *e = -d;
                }
            } else {
                for (e, d) in self.e.iter_mut().zip(&c.delta) {
                    *e -= d;
                }
            }
            for ((y, yp), d) in self.y.iter_mut().zip(self.yp.iter_mut()).zip(&c.delta) {
                *y -= d;
                *yp -= alpha * d;
            }
            let norm = weights.norm(&c.delta);
            let rounding = || 100.0 * f64::EPSILON * weights.norm(&c.predicted);
            let verdict = convergence.judge(norm, rounding, &mut c.memory.rate, &c.options);
            match verdict {
                Verdict::Converged => return Ok(()),
                Verdict::Continue => {}
                Verdict::Diverges | Verdict::TooSlow => {
                    // Corrections this small are rounding, not divergence: even at the
                    // slowest rate allowed the error left would be within its share.
                    let r = c.options.rejection_rate;
                    let small = (c.options.share * (1.0 - r) / r).max(c.amplified_rounding(weights));
                    if c.options.accept_rounding && weights.graded_norm(&c.delta) <= small {
                        return Ok(());
                    }
                    return Err(match verdict {
                        Verdict::TooSlow => Rejection::SlowConvergence,
                        _ => Rejection::Divergence,
                    });
                }
            }
            c.look(equations, (step.t, self.y, self.yp))?;
        }
    }

    fn respect_bounds(
        &mut self,
        c: &mut Corrector,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let Self { y, yp, e, .. } = self;
        c.within_bounds(weights, y, |y, i, d| {
            y[i] += d;
            e[i] += d;
            yp[i] += step.alpha * d;
        })
    }

    fn rewind(&mut self, c: &mut Corrector) {
        self.y.copy_from_slice(&c.predicted);
        self.yp.copy_from_slice(&c.derivative_predicted);
        c.residual.copy_from_slice(&c.residual_predicted);
    }
}
