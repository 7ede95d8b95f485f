//! Exact derivatives by dual numbers, eight groups of columns per evaluation.
//!
//! The same two modes as for differences: ∂F/∂y apart, or together with α ∂F/∂ẏ. The cost of
//! one evaluation is about that of three plain ones; it is counted apart.
//!
//! Derivatives are exact with the traced pattern, which `auto` therefore takes where there is one.
//! With an estimated pattern, on request, what is left out is missing here as with differences.

use super::grouping::{Grouping, PatternChange, PatternUse, Watch};
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
    watch: Watch,
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
        Self {
            name,
            combined: setup.combined || structure.derivative == DerivativeForm::Unknown,
            grouping: grouping(structure, &storage),
            watch: Watch::new(n),
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
        let estimated = self.grouping.pattern_use().estimated && !everything;
        self.watch.begin();
        for first in (0..groups.len()).step_by(Dual8::DIRECTIONS) {
            let pack = first..groups.len().min(first + Dual8::DIRECTIONS);
            for g in pack.clone() {
                for &j in &groups[g] {
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
                let r = &self.r;
                let derivative = |i: usize| r[i].derivative(g - first);
                partition.store(&groups[g], &mut out.f_y, |i, _| derivative(i));
                if estimated {
                    let weight = |j: &usize| 1.0 / at.weights.reciprocal()[*j];
                    let factor = groups[g].iter().map(weight).fold(f64::INFINITY, f64::min);
                    self.watch.look(partition, g, factor, derivative);
                }
                for &j in &groups[g] {
                    self.y[j] = Dual8::constant(at.y[j]);
                    self.yp[j] = Dual8::constant(at.yp[j]);
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
        self.grouping
            .learn(&self.watch, at.weights, out, everything, suspected);
        self.known.transpose(&mut out.f_y);
        out.alpha = at.alpha;
        out.separated = !self.combined;
        if self.combined {
            return Ok(());
        }
        self.evaluate_derivative_part(equations, at, out)
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
