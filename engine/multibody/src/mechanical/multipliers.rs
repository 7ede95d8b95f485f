//! Multipliers from S = G M⁻¹ Gᵀ.

use super::MechanicalModel;
use crate::formalism::{cholesky, eigen};
use holonom_dae::{ElementSet, Mechanical, Rejection};

/// Pivots of G M⁻¹ Gᵀ, scaled to a unit diagonal, below this count as zero.
const SINGULAR: f64 = 1e-13;

/// A diagonal entry of G M⁻¹ Gᵀ below this part of the largest one is that of a zero row.
const NOTHING: f64 = 1e-24;

impl MechanicalModel {
    /// Prepares [`multipliers`](Self::multipliers) for S in `schur`. Gives whether S is regular.
    ///
    /// S is scaled to a unit diagonal first, so that units and masses of single rows do not decide
    /// what counts as singular.
    pub(super) fn factorise_schur(&mut self) -> bool {
        let m = self.active.len();
        let largest = (0..m).map(|i| self.schur[i * m + i]).fold(0.0, f64::max);
        for i in 0..m {
            let d = self.schur[i * m + i];
            // A row that consists of rounding carries no force.
            self.scale[i] = if d > NOTHING * largest {
                1.0 / d.sqrt()
            } else {
                0.0
            };
        }
        for j in 0..m {
            for i in 0..m {
                self.schur[j * m + i] *= self.scale[i] * self.scale[j];
            }
        }
        for i in (0..m).filter(|&i| !self.takes_part[i]) {
            self.schur[i * m + i] = 1.0;
        }
        self.factor.copy_from_slice(&self.schur);
        let regular = cholesky::factorise(&mut self.factor, m).is_ok()
            && (0..m).all(|i| self.factor[i * m + i].powi(2) > SINGULAR);
        self.regularised += usize::from(!regular);
        regular
    }

    /// Notes which entries of G are not zero.
    pub(super) fn sparse_rows(&mut self, matrix: &[f64]) {
        let m = self.active.len();
        if self.row_ends.capacity() == 0 {
            // Room for all that may ever differ from zero: evaluations do not allocate.
            let mut entries = 0;
            let Self {
                work, model, active, ..
            } = self;
            work.constraint_entries(model, active, |_, _, _| entries += 1);
            self.row_entries.reserve_exact(entries);
            self.row_ends.reserve_exact(m);
        }
        self.row_entries.clear();
        self.row_ends.clear();
        for i in 0..m {
            let entries = matrix.iter().skip(i).step_by(m).enumerate();
            self.row_entries
                .extend(entries.filter(|(_, g)| **g != 0.0).map(|(j, g)| (j, *g)));
            self.row_ends.push(self.row_entries.len());
        }
    }

    /// λ with S λ = right, the smallest one where S is singular.
    pub(super) fn multipliers(&mut self, regular: bool, lambda: &mut [f64]) {
        let m = self.active.len();
        for (right, scale) in self.right.iter_mut().zip(&self.scale) {
            *right *= scale;
        }
        if regular {
            lambda.copy_from_slice(&self.right);
            cholesky::solve(&self.factor, m, lambda);
        } else {
            // Minimum norm: eigenvectors with small eigenvalues do not take part.
            self.factor.copy_from_slice(&self.schur);
            eigen::minimum_norm(&mut self.factor, m, SINGULAR.sqrt(), &self.right, lambda);
        }
        for (l, s) in lambda.iter_mut().zip(&self.scale) {
            *l *= s;
        }
    }

    /// right := γ + G a.
    pub(super) fn constraint_right(
        &mut self,
        (t, q, v): (f64, &[f64], &[f64]),
        a: &[f64],
    ) -> Result<(), Rejection> {
        let mut column = std::mem::take(&mut self.right);
        let done = self.constraint_bias(t, q, v, &mut column);
        self.right = column;
        self.add_constraint_product(a);
        done
    }

    /// right := right + G a.
    pub(super) fn add_constraint_product(&mut self, a: &[f64]) {
        let m = self.active.len();
        for (j, a) in a.iter().enumerate() {
            for i in 0..m {
                self.right[i] += self.matrix[j * m + i] * a;
            }
        }
    }

    /// Corrects multipliers and accelerations by what is left of G v̇ + γ: bodies of very different masses make S nearly
    /// singular to rounding.
    pub(super) fn refine_multipliers(
        &mut self,
        at: (f64, &[f64], &[f64]),
        lambda: &mut [f64],
        accelerations: &mut [f64],
    ) -> Result<(), Rejection> {
        self.constraint_right(at, accelerations)?;
        let mut change = std::mem::take(&mut self.change);
        self.multipliers(true, &mut change);
        self.subtract_reactions(&change, accelerations);
        lambda.iter_mut().zip(&change).for_each(|(l, c)| *l += c);
        self.change = change;
        Ok(())
    }

    /// image := Φ(λ) = S⁻¹(G M⁻¹ f(λ) + γ), accelerations := M⁻¹ f(λ), with positions, velocities and readings
    /// in the workspace; and measured := what sensors read then, where forces depend on that.
    pub(super) fn image(&mut self, lambda: &[f64], regular: bool, accelerations: &mut [f64]) {
        self.force_here(lambda, accelerations);
        self.solve_prepared(accelerations);
        let mut image = std::mem::take(&mut self.implicit.image);
        if !self.active.is_empty() {
            self.right.copy_from_slice(&self.implicit.bias);
            self.add_constraint_product(accelerations);
            self.multipliers(regular, &mut image);
        }
        if self.implicit.readings > 0 {
            let mut motion = std::mem::take(&mut self.implicit.motion);
            motion.copy_from_slice(accelerations);
            self.subtract_reactions(&image, &mut motion);
            self.measure(&motion, &image);
            self.implicit.motion = motion;
        }
        self.implicit.image = image;
    }

    /// f with positions and velocities that are in the workspace.
    pub(super) fn force_here(&mut self, lambda: &[f64], force: &mut [f64]) {
        self.work.set_multipliers(&self.model, &self.active, lambda);
        let mut zero = std::mem::take(&mut self.force);
        zero.fill(0.0);
        Self::elements_force(&self.model, &mut self.work, ElementSet::All, &zero, force);
        self.force = zero;
    }

    /// accelerations := accelerations − M⁻¹Gᵀ λ.
    pub(super) fn subtract_reactions(&self, lambda: &[f64], accelerations: &mut [f64]) {
        let n = accelerations.len();
        for (k, l) in lambda.iter().enumerate() {
            for (j, a) in accelerations.iter_mut().enumerate() {
                *a -= self.solved[k * n + j] * l;
            }
        }
    }
}
