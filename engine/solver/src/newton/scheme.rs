//! [`Scheme`]: what is solved with the matrices of a [`Corrector`], and what it sees of them.

use super::corrector::{Corrector, CorrectorStep};
use super::{Convergence, NewtonOptions, RateMemory, Verdict};
use crate::equations::Equations;
use crate::jacobian::SplitJacobian;
use crate::linear::{Factorised, Singular};
use holonom_dae::{RESERVE, Rejection, Weights};

/// A nonlinear system that is solved with the matrices of a [`Corrector`].
pub(crate) trait Scheme {
    /// Whether the matrix must have the α of the step, because nothing makes up for another one.
    const NEEDS_MATCH: bool;

    /// Residuals that one correction takes.
    fn work(&self) -> f64;

    /// Gets ready to iterate from the prediction.
    fn begin(
        &mut self,
        corrector: &mut Corrector,
        equations: &mut Equations<'_>,
        step: &CorrectorStep,
    ) -> Result<(), Rejection>;

    /// Gives the corrector the residual where the Jacobian is evaluated.
    fn residual_for_jacobian(
        &mut self,
        corrector: &mut Corrector,
        equations: &mut Equations<'_>,
        step: &CorrectorStep,
    ) -> Result<(), Rejection>;

    /// Where the Jacobian is evaluated: t, y and ẏ.
    fn place(&self) -> (f64, &[f64], &[f64]);

    /// Forms and factorises what the iteration needs from the parts of the Jacobian.
    fn factorise(
        &mut self,
        corrector: &mut Corrector,
        equations: &mut Equations<'_>,
        step: &CorrectorStep,
    ) -> Result<Factorised, Singular>;

    /// Applies the inverse of α ∂F/∂ẏ + ∂F/∂y in the scaling in use.
    fn solve_scaled(&mut self, corrector: &mut Corrector, b: &mut [f64]);

    /// Iterates with the matrices in use, from the prediction.
    fn iterate(
        &mut self,
        corrector: &mut Corrector,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection>;

    /// After convergence: moves what fell below its bound back onto it.
    fn respect_bounds(
        &mut self,
        corrector: &mut Corrector,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection>;

    /// Back to the prediction, to the bit: differences from a residual that belongs to another rounding
    /// of y would show entries where there are none.
    fn rewind(&mut self, corrector: &mut Corrector);
}

impl Corrector {
    /// Accuracy to which rounding lets each variable be determined, from the last evaluation.
    pub(crate) fn rounding(&self) -> &[f64] {
        &self.rounding
    }

    /// Corrections that rounding alone produces with the matrix in use, and that leave room in the error test; zero where
    /// no variable has an index above 1.
    pub(crate) fn amplified_rounding(&self, weights: &Weights) -> f64 {
        /// Corrections go to and fro by some of what rounding does to the solution.
        const SOME: f64 = 4.0;
        /// Share of the error allowed: that of the lowest tolerance.
        const MOST: f64 = SOME / RESERVE;
        if weights.reserve() < RESERVE {
            return 0.0;
        }
        (SOME * weights.graded_norm(&self.rounding)).min(MOST)
    }

    /// The stopping rule asked for.
    pub(crate) fn options(&self) -> NewtonOptions {
        self.options
    }

    /// The parts of the Jacobian in use.
    pub(crate) fn split(&self) -> &SplitJacobian {
        &self.split
    }

    /// Scales of rows and columns in the matrices in use.
    pub(crate) fn scales(&self) -> (&[f64], &[f64]) {
        (&self.row_scale, &self.column_scale)
    }

    /// The residual looked at last and the scales of its rows.
    pub(crate) fn residual_and_row_scale(&self) -> (&[f64], &[f64]) {
        (&self.residual, &self.row_scale)
    }

    /// Room for the residual where the Jacobian is evaluated.
    pub(crate) fn residual_for_jacobian_mut(&mut self) -> &mut [f64] {
        &mut self.residual_predicted
    }

    /// Whether updates renew the matrix of constraints, so that parts of the Jacobian are of different age.
    pub(crate) fn renews_constraints(&self) -> bool {
        self.memory.gives_constraints
    }

    /// Whether there is a factorisation.
    pub(crate) fn has_matrix(&self) -> bool {
        self.memory.has_matrix
    }

    /// A new iteration begins.
    pub(crate) fn begin_corrections(&mut self) {
        self.memory.corrections = 0;
    }

    /// Judges a correction and remembers what it says about the matrices in use.
    pub(crate) fn judge(
        &mut self,
        convergence: &mut Convergence,
        norm: f64,
        rounding: f64,
        options: &NewtonOptions,
    ) -> (Verdict, RateMemory) {
        self.memory.corrections += 1;
        let verdict = convergence.judge(norm, || rounding, &mut self.memory.rate, options);
        (verdict, self.memory.rate)
    }

    /// Moves variables that fell below their bound back onto it, by calling `move_by` with their number and
    /// the distance, when that is within the share of the tolerance the iteration may use; rejects
    /// otherwise.
    pub(crate) fn within_bounds(
        &self,
        weights: &Weights,
        y: &mut [f64],
        mut move_by: impl FnMut(&mut [f64], usize, f64),
    ) -> Result<(), Rejection> {
        if self.lower_bounds.is_empty() {
            return Ok(());
        }
        let mut sum = 0.0;
        let mut worst = (0.0, 0);
        for &(i, bound) in &self.lower_bounds {
            let below = bound - y[i];
            // Rounding alone may carry a variable across its bound.
            let d = if below > 2.0 * self.rounding[i] {
                below * weights.reciprocal()[i]
            } else {
                0.0
            };
            sum += d * d;
            if d > worst.0 {
                worst = (d, i);
            }
        }
        if (sum / y.len() as f64).sqrt() > self.options.share {
            return Err(Rejection::BelowBound { variable: worst.1 });
        }
        for &(i, bound) in &self.lower_bounds {
            let d = bound - y[i];
            if d > 0.0 {
                move_by(y, i, d);
                y[i] = bound;
            }
        }
        Ok(())
    }
}
