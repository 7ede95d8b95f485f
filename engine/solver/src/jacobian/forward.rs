//! Exact derivatives by dual numbers, eight groups of columns per evaluation.
//!
//! The same two modes as for differences: ∂F/∂y apart, or together with α ∂F/∂ẏ. The cost of
//! one evaluation is about that of three plain ones; it is counted apart.

use super::known::{Known, store_columns};
use super::{JacobianEngine, JacobianPoint, SplitJacobian};
use crate::equations::Equations;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{DerivativeForm, Pattern, Rejection, Structure};

/// Forward derivatives over given groups of columns.
pub struct Forward {
    name: &'static str,
    combined: bool,
    groups: Vec<Vec<usize>>,
    pattern: Option<Pattern>,
    known: Known,
    y: Vec<Dual8>,
    yp: Vec<Dual8>,
    r: Vec<Dual8>,
}

impl Forward {
    /// Allocates everything evaluation needs.
    pub fn new(
        name: &'static str,
        structure: &Structure,
        sparse: bool,
        combined: bool,
        groups: Vec<Vec<usize>>,
    ) -> Self {
        let n = structure.dimension();
        let matrix = super::allocate(structure, sparse, combined).f_y;
        let zero = vec![Dual8::constant(0.0); n];
        Self {
            name,
            combined: combined || structure.derivative == DerivativeForm::Unknown,
            groups: Known::remaining(structure, groups),
            pattern: structure.sparsity.clone(),
            known: Known::new(structure, &matrix),
            y: zero.clone(),
            yp: zero.clone(),
            r: zero,
        }
    }
}

impl JacobianEngine for Forward {
    fn name(&self) -> &'static str {
        self.name
    }

    fn evaluate(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        equations.counters.jacobians += 1;
        let alpha = if self.combined { at.alpha } else { 0.0 };
        for (d, &x) in self.y.iter_mut().zip(at.y) {
            *d = Dual8::constant(x);
        }
        for (d, &x) in self.yp.iter_mut().zip(at.yp) {
            *d = Dual8::constant(x);
        }
        out.f_y.set_zero();
        for first in (0..self.groups.len()).step_by(Dual8::DIRECTIONS) {
            let pack = first..self.groups.len().min(first + Dual8::DIRECTIONS);
            for g in pack.clone() {
                for &j in &self.groups[g] {
                    self.y[j] = Dual8::variable(at.y[j], g - first);
                    self.yp[j] = Dual8::constant(at.yp[j]).with_derivative(g - first, alpha);
                }
            }
            equations.counters.residuals_dual += 1;
            equations
                .system
                .residual_dual8(Dual8::constant(at.t), &self.y, &self.yp, &mut self.r)?;
            if let Some(row) = self.r.iter().position(|x| !x.is_finite()) {
                return Err(Rejection::NonFinite { row });
            }
            for g in pack {
                let columns = &self.groups[g];
                store_columns(self.pattern.as_ref(), columns, &mut out.f_y, |i, _| {
                    self.r[i].derivative(g - first)
                });
                for &j in &self.groups[g] {
                    self.y[j] = Dual8::constant(at.y[j]);
                    self.yp[j] = Dual8::constant(at.yp[j]);
                }
            }
        }
        self.known.transpose(&mut out.f_y);
        out.alpha = at.alpha;
        out.separated = !self.combined;
        if self.combined {
            return Ok(());
        }
        self.evaluate_derivative_part(equations, at, out)
    }

    fn evaluate_derivative_part(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        self.known.derivative_part(equations, at, out)
    }

    fn checkpoint(&self) -> Vec<f64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[f64]) {}
}
