//! One-sided differences, Arnold (16) and (20), in groups of columns.
//!
//! Two modes. Separated: y alone is perturbed, which gives ∂F/∂y; ∂F/∂ẏ comes from the
//! structure. Combined (DASSL's way, and the only one when the form of ∂F/∂ẏ is unknown): ẏ
//! moves along by α δ, which gives the iteration matrix for this α.

use super::known::{Known, store_columns};
use super::{JacobianEngine, JacobianPoint, SplitJacobian};
use crate::equations::{Equations, Purpose};
use crate::linear::Matrix;
use holonom_dae::{DerivativeForm, Pattern, Rejection, Structure};

/// √ε: the relative increment that balances truncation and rounding.
const ROOT: f64 = 1.490_116_119_384_765_6e-8;
/// ⁴√ε: below this fraction of a variable's usual size its increment is not reduced, Arnold (17).
const FOURTH_ROOT: f64 = 1.220_703_125e-4;

/// Difference quotients over given groups of columns.
pub struct Differences {
    name: &'static str,
    combined: bool,
    groups: Vec<Vec<usize>>,
    pattern: Option<Pattern>,
    known: Known,
    /// Usual size of each variable: declared, or the largest value met so far.
    size: Vec<f64>,
    declared_size: Vec<bool>,
    /// Columns that need no second look: nothing was lost there to rounding.
    cleared: Vec<bool>,
    /// Size of the terms of each row and of its largest entry.
    terms: Vec<f64>,
    largest: Vec<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
    perturbed: Vec<f64>,
    increments: Vec<f64>,
}

impl Differences {
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
        Self {
            name,
            combined: combined || structure.derivative == DerivativeForm::Unknown,
            groups: Known::remaining(structure, groups),
            pattern: structure.sparsity.clone(),
            known: Known::new(structure, &matrix),
            size: structure
                .variables
                .iter()
                .map(|v| v.scale.unwrap_or(0.0))
                .collect(),
            declared_size: structure.variables.iter().map(|v| v.scale.is_some()).collect(),
            cleared: vec![false; n],
            terms: vec![0.0; n],
            largest: vec![0.0; n],
            y: vec![0.0; n],
            yp: vec![0.0; n],
            perturbed: vec![0.0; n],
            increments: vec![0.0; n],
        }
    }

    /// The increment of variable `j`.
    fn increment(&self, j: usize, at: &JacobianPoint<'_>) -> f64 {
        let (y, step) = (at.y[j], at.h * at.yp[j]);
        let tolerance = 1.0 / at.weights.reciprocal()[j];
        let size = if self.combined {
            // DASSL's increments, for the baseline.
            y.abs().max(step.abs()).max(tolerance)
        } else {
            // differs from (17): its floor ⁴√ε presumes variables of size one, and is not needed
            // where the size is declared: an angle that starts at zero is no small angle.
            let usual = if self.size[j] > 0.0 { self.size[j] } else { 1.0 };
            let floor = if self.declared_size[j] {
                usual
            } else {
                FOURTH_ROOT * usual
            };
            y.abs().max(step.abs()).max(floor).max(tolerance.min(usual))
        };
        let delta = (ROOT * size).copysign(step);
        // The difference actually taken, free of rounding.
        let there = y + delta;
        there - y
    }

    /// Differences the columns of a group into `f_y`, on whichever side the residual has a value.
    fn difference(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        alpha: f64,
        group: &[usize],
        f_y: &mut Matrix,
    ) -> Result<(), Rejection> {
        // The domain may end on one side (√y at y = 0): then difference the other way.
        match self.on_either_side(equations, at, alpha, group) {
            Ok(()) => self.store(group, at, f_y),
            Err(rejection) if group.len() == 1 => return Err(rejection),
            Err(_) => {
                // Columns may need different sides.
                for column in group.chunks(1) {
                    self.on_either_side(equations, at, alpha, column)?;
                    self.store(column, at, f_y);
                }
            }
        }
        Ok(())
    }

    /// The residual with these columns perturbed; with all signs changed if that is rejected.
    fn on_either_side(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        alpha: f64,
        columns: &[usize],
    ) -> Result<(), Rejection> {
        let evaluated = self.perturb(equations, at, alpha, columns);
        if evaluated.is_ok() {
            return evaluated;
        }
        for &j in columns {
            self.increments[j] = -self.increments[j];
        }
        self.perturb(equations, at, alpha, columns)
    }

    /// `self.perturbed` := the residual with these columns perturbed by their increments.
    fn perturb(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        alpha: f64,
        columns: &[usize],
    ) -> Result<(), Rejection> {
        for &j in columns {
            self.y[j] = at.y[j] + self.increments[j];
            self.yp[j] = at.yp[j] + alpha * self.increments[j];
        }
        let evaluated = equations.residual(Purpose::Other, at.t, &self.y, &self.yp, &mut self.perturbed);
        for &j in columns {
            self.y[j] = at.y[j];
            self.yp[j] = at.yp[j];
        }
        evaluated
    }

    /// Difference quotients of columns perturbed together.
    fn store(&self, columns: &[usize], at: &JacobianPoint<'_>, f_y: &mut Matrix) {
        let (there, here) = (&self.perturbed, at.residual);
        store_columns(self.pattern.as_ref(), columns, f_y, |i, j| {
            (there[i] - here[i]) * (1.0 / self.increments[j])
        });
    }

    /// Repeats columns whose increment was too small for some row to see it.
    ///
    /// In y₁ + y₂ + y₃ = 1 with y₃ ~ 10⁻¹⁴ an increment in proportion to y₃ is lost next to y₁,
    /// and the entry of the very variable the row determines comes out as noise. Rows whose
    /// noise ε·(size of the terms)/δ is not small against their largest entry take the entry
    /// from a second, larger increment; the other rows keep theirs. The columns of a group are
    /// repeated together, at the cost of one evaluation; where that is rejected, the group keeps
    /// what it has.
    fn recover_lost_entries(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        f_y: &mut Matrix,
    ) {
        /// Noise tolerated, in units of the largest entry of the row.
        const NOISE: f64 = 1e-3;
        let n = at.y.len();
        let sparse = matches!(f_y, Matrix::Sparse { .. });
        let values = f_y.values_mut();
        let lost = |i: usize, delta: f64, terms: &[f64], largest: &[f64]| {
            f64::EPSILON * terms[i] > NOISE * largest[i] * delta.abs()
        };
        self.terms.fill(0.0);
        self.largest.fill(0.0);
        for j in 0..n {
            for (i, k) in entries(self.pattern.as_ref(), n, sparse, false, j) {
                self.terms[i] += (values[k] * at.y[j]).abs();
                self.largest[i] = self.largest[i].max(values[k].abs());
            }
        }
        for group in &self.groups {
            let shared = group.len() > 1;
            let pattern = self.pattern.as_ref();
            let mut any = false;
            for &j in group.iter().filter(|j| !self.cleared[**j]) {
                let delta = self.increments[j];
                let wanted = entries(pattern, n, sparse, shared, j)
                    .filter(|&(i, _)| lost(i, delta, &self.terms, &self.largest) && self.largest[i] > 0.0)
                    .map(|(i, _)| 1e3 * f64::EPSILON * self.terms[i] / (NOISE * self.largest[i]))
                    .fold(0.0, f64::max);
                if wanted > delta.abs() {
                    self.y[j] = at.y[j] + wanted.copysign(delta);
                    any = true;
                }
            }
            if !any {
                continue;
            }
            let evaluated = equations.residual(Purpose::Other, at.t, &self.y, &self.yp, &mut self.perturbed);
            for &j in group {
                let taken = self.y[j] - at.y[j];
                self.y[j] = at.y[j];
                if evaluated.is_err() || taken == 0.0 {
                    continue;
                }
                let r = 1.0 / taken;
                let mut found = false;
                for (i, k) in entries(pattern, n, sparse, shared, j) {
                    if lost(i, self.increments[j], &self.terms, &self.largest) {
                        let entry = (self.perturbed[i] - at.residual[i]) * r;
                        found |= entry != 0.0;
                        values[k] = entry;
                    }
                }
                self.cleared[j] = !found;
            }
        }
    }
}

/// Row and position among the values of the entries of column `j`: those of the pattern where
/// the matrix is sparse or the column was differenced together with others, else all.
fn entries(
    pattern: Option<&Pattern>,
    n: usize,
    sparse: bool,
    shared: bool,
    j: usize,
) -> impl Iterator<Item = (usize, usize)> + '_ {
    let pattern = pattern.filter(|_| sparse || shared);
    let rows = pattern.map(|p| p.column(j));
    let first = pattern.filter(|_| sparse).map(|p| p.range(j).start);
    (0..rows.map_or(n, <[usize]>::len)).map(move |k| {
        let i = rows.map_or(k, |rows| rows[k]);
        (i, first.map_or(j * n + i, |first| first + k))
    })
}

impl JacobianEngine for Differences {
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
        for j in 0..at.y.len() {
            if !self.declared_size[j] {
                self.size[j] = self.size[j].max(at.y[j].abs());
            }
            self.increments[j] = self.increment(j, at);
        }
        self.y.copy_from_slice(at.y);
        self.yp.copy_from_slice(at.yp);
        let alpha = if self.combined { at.alpha } else { 0.0 };

        out.f_y.set_zero();
        for g in 0..self.groups.len() {
            // Taken out for as long as the rest of `self` is needed; this does not allocate.
            let group = core::mem::take(&mut self.groups[g]);
            let evaluated = self.difference(equations, at, alpha, &group, &mut out.f_y);
            self.groups[g] = group;
            evaluated?;
        }
        if !self.combined {
            self.recover_lost_entries(equations, at, &mut out.f_y);
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
        let cleared = self.cleared.iter().map(|c| f64::from(u8::from(*c)));
        self.size.iter().copied().chain(cleared).collect()
    }

    fn restore(&mut self, state: &[f64]) {
        let (size, cleared) = state.split_at(self.size.len());
        self.size.copy_from_slice(size);
        for (c, s) in self.cleared.iter_mut().zip(cleared) {
            *c = *s != 0.0;
        }
    }
}
