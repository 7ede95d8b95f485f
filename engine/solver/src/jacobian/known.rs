//! What the structure gives of a Jacobian without evaluating columns: transposed blocks, and
//! ∂F/∂ẏ where it is a mass matrix.

use super::{JacobianPoint, SplitJacobian};
use crate::equations::{Equations, first_non_finite};
use crate::linear::Matrix;
use holonom_dae::{DerivativeForm, Rejection, Structure};

/// The given parts of a Jacobian.
pub(super) struct Known {
    /// Positions of source and target, and factor, of the entries got by transposition.
    transposed: Vec<(usize, usize, f64)>,
    mass_values: Vec<f64>,
    mass_rows: Vec<usize>,
    mass_positions: Vec<usize>,
}

impl Known {
    /// Finds the places of the given entries in a matrix.
    pub fn new(structure: &Structure, matrix: &Matrix) -> Self {
        let mut transposed = Vec::new();
        for block in &structure.transposed {
            let factor = if block.negated { -1.0 } else { 1.0 };
            for (j, i_source) in block.columns.clone().zip(block.source_rows.clone()) {
                for (i, j_source) in block.rows.clone().zip(block.source_columns.clone()) {
                    let from = super::position(matrix, i_source, j_source);
                    if let (Some(from), Some(to)) = (from, super::position(matrix, i, j)) {
                        transposed.push((from, to, factor));
                    }
                }
            }
        }
        let mass: Vec<(usize, usize)> = match &structure.derivative {
            DerivativeForm::Mass(pattern) => pattern.entries().collect(),
            _ => Vec::new(),
        };
        Self {
            transposed,
            mass_values: vec![0.0; mass.len()],
            mass_rows: mass.iter().map(|e| e.0).collect(),
            // The structure was checked: all of ∂F/∂ẏ lies in the pattern.
            mass_positions: mass
                .iter()
                .filter_map(|&(i, j)| super::position(matrix, i, j))
                .collect(),
        }
    }

    /// Fills in the transposed entries.
    pub fn transpose(&self, f_y: &mut Matrix) {
        let values = f_y.values_mut();
        for &(from, to, factor) in &self.transposed {
            values[to] = factor * values[from];
        }
    }

    /// Renews ∂F/∂ẏ where it depends on the state.
    pub fn derivative_part(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        if self.mass_values.is_empty() {
            return Ok(());
        }
        equations.counters.mass_evaluations += 1;
        equations
            .system
            .derivative_matrix(at.t, at.y, at.yp, &mut self.mass_values)?;
        if let Some(k) = first_non_finite(&self.mass_values) {
            let row = self.mass_rows[k];
            return Err(Rejection::NonFinite { row });
        }
        let values = out.f_yp.values_mut();
        for (&k, &value) in self.mass_positions.iter().zip(&self.mass_values) {
            values[k] = value;
        }
        Ok(())
    }
}
