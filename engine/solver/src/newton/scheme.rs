//! [`Scheme`]: a nonlinear system that a [`Corrector`] solves, and what it sees of it.

use super::corrector::{Corrector, CorrectorStep};
use super::operator::{IterationOperator, Shift};
use super::{NewtonOptions, linearisation::Linearisation};
use crate::equations::Equations;
use holonom_dae::{Rejection, Weights};

/// A nonlinear system with the operator by which it is solved.
pub(crate) trait Scheme {
    /// Whether the operator must have the α of the step, because nothing makes up for another one.
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

    /// The operator.
    fn operator(&mut self) -> &mut dyn IterationOperator;

    /// What the operator is to be made for.
    fn shift(&self, step: &CorrectorStep) -> Shift<'static>;

    /// Iterates with the operator in use, from the prediction.
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

/// What schemes see of a corrector.
impl Corrector {
    /// The stopping rule asked for.
    pub(crate) fn options(&self) -> NewtonOptions {
        self.newton.rule
    }

    /// The parts of the Jacobian in use.
    pub(crate) fn linearisation(&self) -> &Linearisation {
        &self.linearisation
    }

    /// The residual looked at last and the scales of its rows.
    pub(crate) fn residual_and_row_scale(&self) -> (&[f64], &[f64]) {
        (&self.residuals.last, &self.linearisation.scaling.scales().rows)
    }

    /// Room for the residual where the Jacobian is evaluated.
    pub(crate) fn residual_for_jacobian_mut(&mut self) -> &mut [f64] {
        &mut self.residuals.at_jacobian
    }

    /// Whether updates renew the matrix of constraints, so that parts of the Jacobian are of different age.
    pub(crate) fn renews_constraints(&self) -> bool {
        self.linearisation.age().gives_constraints
    }

    /// Whether there is an operator.
    pub(crate) fn has_operator(&self) -> bool {
        self.standing.exists
    }

    /// Looks at the residual at a place: it becomes the last one, in the rows that the operator takes.
    pub(crate) fn look_in_rows(
        &mut self,
        equations: &mut Equations<'_>,
        at: (f64, &[f64], &[f64]),
    ) -> Result<(), Rejection> {
        self.linearisation
            .residual(equations, at, &mut self.residuals.last)?;
        self.linearisation.carry(&mut self.residuals.last);
        Ok(())
    }

    /// The same, before the rows of motion are brought to the mass matrix in use.
    pub(crate) fn look(
        &mut self,
        equations: &mut Equations<'_>,
        at: (f64, &[f64], &[f64]),
    ) -> Result<(), Rejection> {
        self.linearisation
            .residual(equations, at, &mut self.residuals.last)
    }

    /// Brings the rows of motion of a right-hand side to the mass matrix in use, where they are carried.
    pub(crate) fn carry(&mut self, r: &mut [f64]) {
        self.linearisation.carry(r);
    }

    /// r := F in the rows that the operator takes.
    pub(crate) fn residual_in_rows(
        &mut self,
        equations: &mut Equations<'_>,
        at: (f64, &[f64], &[f64]),
        r: &mut [f64],
    ) -> Result<(), Rejection> {
        self.linearisation.residual(equations, at, r)?;
        self.linearisation.carry(r);
        Ok(())
    }

    /// Scales rows and columns for steps of size `h`.
    pub(crate) fn scale_for(&mut self, h: f64) {
        self.linearisation.scaling.set(h);
    }

    /// Moves variables that fell below their bound back onto it, by calling `move_by` with their number and
    /// the distance, when that is within the share of the tolerance the iteration may use; rejects
    /// otherwise.
    pub(crate) fn within_bounds(
        &self,
        weights: &Weights,
        y: &mut [f64],
        move_by: impl FnMut(&mut [f64], usize, f64),
    ) -> Result<(), Rejection> {
        let allowed = (self.rounding.each(), self.newton.rule.share);
        self.bounds.respect(allowed, weights, y, move_by)
    }
}
