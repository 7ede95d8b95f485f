//! What corrections are computed with: the inverse of α ∂F/∂ẏ + ∂F/∂y, or something close to it.

mod blocks;
mod direct;
mod elimination;

pub use blocks::{Blocks, BlocksState};
pub use direct::Direct;

use super::linearisation::Linearisation;
use crate::linear::{Factorised, Singular, Solved, Stalled};
use crate::refresh::Phase;
use holonom_dae::Counters;

/// For what an operator is made from a linearisation.
#[derive(Clone, Copy, Debug)]
pub struct Shift<'a> {
    /// α of the real operator α ∂F/∂ẏ + ∂F/∂y.
    pub alpha: f64,
    /// Step size.
    pub h: f64,
    /// (α + iβ) h of the complex ones, for methods in stages.
    pub pairs: &'a [(f64, f64)],
}

/// An operator that corrections are computed with. It works in the scaling of the linearisation it was made from.
pub trait IterationOperator: Send {
    /// Makes it anew from a linearisation. `phase` is that of the policy, for operators that work in several ways.
    ///
    /// # Errors
    /// The matrix is singular.
    fn refresh(
        &mut self,
        linearisation: &Linearisation,
        shift: Shift<'_>,
        phase: Phase,
        counters: &mut Counters,
    ) -> Result<Factorised, Singular>;

    /// b := operator⁻¹ b, to this relative accuracy at least; direct ones are as accurate as they can be.
    ///
    /// # Errors
    /// An iteration inside that does not get there; `b` holds the best there is.
    fn solve(&mut self, b: &mut [f64], tolerance: f64) -> Result<Solved, Stalled>;

    /// b := about operator⁻¹ b, for estimates, in one pass.
    fn solve_roughly(&mut self, b: &mut [f64]);

    /// α of the matrix it was made from last.
    fn alpha(&self) -> f64;

    /// out := (α ∂F/∂ẏ + ∂F/∂y) x with the linearisation at hand, in its scaling.
    fn apply(&self, linearisation: &Linearisation, x: &[f64], out: &mut [f64]) {
        linearisation.apply(self.alpha(), x, out);
    }
}

/// Something that has an operator and a place where it was made.
pub(crate) trait Placed {
    /// Where the Jacobian is evaluated: t, y and ẏ.
    fn place(&self) -> (f64, &[f64], &[f64]);

    /// The operator.
    fn operator(&mut self) -> &mut dyn IterationOperator;
}
