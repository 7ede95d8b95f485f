//! What a [`Scheme`](super::Scheme) sees of a [`Corrector`].

use super::corrector::Corrector;
use super::{NewtonOptions, linearisation::Linearisation};
use crate::equations::Equations;
use holonom_dae::{Rejection, Weights};

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
