//! Exact derivatives by dual numbers, eight groups of columns per evaluation.
//!
//! The same two modes as for differences: ∂F/∂y apart, or together with α ∂F/∂ẏ. The cost of
//! one evaluation is about that of three plain ones; it is counted apart.
//!
//! Derivatives are exact with the traced pattern, which `auto` therefore takes where there is one.
//! With an estimated pattern, on request, what is left out is missing here as with differences.

use super::direction::Direction;
use super::grouping::{Grouping, PatternChange, PatternUse};
use super::known::Known;
use super::{EngineState, JacobianEngine, JacobianPoint, Setup, Sparsity, SplitJacobian};
use crate::equations::Equations;
use crate::linear::Matrix;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{DerivativeForm, Pattern, Rejection, Structure};

/// Forward derivatives over groups of columns.
pub struct Forward {
    name: &'static str,
    combined: bool,
    grouping: Grouping,
    direction: Direction,
    /// Derivatives along the direction.
    along: Vec<f64>,
    known: Known,
    /// A matrix in the storage of the results, for the places of entries.
    storage: Matrix,
    y: Vec<Dual8>,
    yp: Vec<Dual8>,
    r: Vec<Dual8>,
}

impl Forward {
    /// One column at a time.
    pub fn dense(structure: &Structure, setup: Setup) -> Self {
        Self::new("ad-dense", structure, setup, Grouping::columns)
    }

    /// Independent columns together.
    pub fn grouped(structure: &Structure, setup: Setup) -> Self {
        let sparsity = match setup.sparsity {
            Sparsity::Auto if structure.sparsity.is_some() => Sparsity::Traced,
            choice => choice,
        };
        Self::new("ad-grouped", structure, setup, |structure, matrix| {
            Grouping::new(structure, matrix, setup.combined, sparsity)
        })
    }

    fn new(
        name: &'static str,
        structure: &Structure,
        setup: Setup,
        grouping: impl Fn(&Structure, &Matrix) -> Grouping,
    ) -> Self {
        let n = structure.dimension();
        let storage = super::allocate(structure, setup.sparse, setup.combined).f_y;
        let zero = vec![Dual8::constant(0.0); n];
        let grouping = grouping(structure, &storage);
        Self {
            name,
            combined: setup.combined || structure.derivative == DerivativeForm::Unknown,
            direction: Direction::new(grouping.wanted()),
            along: vec![0.0; n],
            grouping,
            known: Known::new(structure, &storage),
            storage,
            y: zero.clone(),
            yp: zero.clone(),
            r: zero,
        }
    }

    fn evaluate_columns(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
        everything: bool,
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
        let partition = self.grouping.partition(everything);
        let groups = &partition.groups;
        // With an estimate one more direction is wanted, for the test.
        let directions = groups.len() + usize::from(!everything);
        for first in (0..directions).step_by(Dual8::DIRECTIONS) {
            let pack = first..groups.len().min(first + Dual8::DIRECTIONS);
            let test = (groups.len() - first).min(Dual8::DIRECTIONS);
            let test = (!everything && test < Dual8::DIRECTIONS).then_some(test);
            for g in pack.clone() {
                for &j in &groups[g] {
                    self.y[j] = Dual8::variable(at.y[j], g - first);
                    self.yp[j] = Dual8::constant(at.yp[j]).with_derivative(g - first, alpha);
                }
            }
            if let Some(k) = test {
                self.direction.choose(at.y, at.weights);
                for (j, &d) in self.direction.d.iter().enumerate() {
                    self.y[j] = self.y[j].with_derivative(k, d);
                    self.yp[j] = self.yp[j].with_derivative(k, alpha * d);
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
                let columns = &groups[g];
                partition.store(columns, &mut out.f_y, |i, _| self.r[i].derivative(g - first));
                for &j in columns {
                    self.y[j] = Dual8::constant(at.y[j]);
                    self.yp[j] = Dual8::constant(at.yp[j]);
                }
            }
            if let Some(k) = test {
                for (a, r) in self.along.iter_mut().zip(&self.r) {
                    *a = r.derivative(k);
                }
            }
        }
        Ok(())
    }

    fn evaluate_over(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
        suspected: bool,
    ) -> Result<(), Rejection> {
        let everything = suspected || !self.grouping.pattern_use().estimated;
        self.evaluate_columns(equations, at, out, everything)?;
        out.alpha = at.alpha;
        out.separated = !self.combined;
        if everything {
            self.grouping.learn(at.weights, out, suspected);
        }
        if out.separated {
            self.evaluate_derivative_part(equations, at, out)?;
        }
        if !everything {
            let along = &self.along;
            let agrees = self.direction.agrees(at, out, None, |i| along[i]);
            self.grouping.tested(agrees);
        }
        self.known.transpose(&mut out.f_y);
        Ok(())
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
        self.evaluate_over(equations, at, out, false)
    }

    fn regroup(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        self.evaluate_over(equations, at, out, true)
    }

    fn evaluate_derivative_part(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        self.known.derivative_part(equations, at, out)
    }

    fn pattern_use(&self) -> PatternUse {
        self.grouping.pattern_use()
    }

    fn take_change(&mut self) -> Option<PatternChange> {
        self.grouping.take_change()
    }

    fn assume_pattern(&mut self, pattern: &Pattern) {
        self.grouping.assume(pattern, &self.storage);
    }

    fn checkpoint(&self) -> EngineState {
        EngineState {
            numbers: Vec::new(),
            grouping: self.grouping.checkpoint(),
        }
    }

    fn restore(&mut self, state: &EngineState) {
        self.grouping.restore(state.grouping.as_ref(), &self.storage);
    }
}
