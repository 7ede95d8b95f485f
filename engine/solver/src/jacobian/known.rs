//! What a Jacobian holds that needs no evaluation of columns: ∂F/∂ẏ where it is a mass matrix, the matrix G
//! of constraints, and transposed blocks.

use super::{JacobianPoint, SplitJacobian};
use crate::equations::{Equations, first_non_finite};
use crate::linear::Matrix;
use core::ops::Range;
use holonom_dae::{DerivativeForm, EquationLevel, Rejection, Structure};

/// The given parts of a Jacobian.
pub(super) struct Known {
    /// Positions of source and target, and factor, of the entries got by transposition.
    transposed: Vec<(usize, usize, f64)>,
    mass_values: Vec<f64>,
    mass_rows: Vec<usize>,
    mass_positions: Vec<usize>,
    constraints: Option<Constraints>,
}

/// Entries of G for each unknown up to which it is worth having by itself: it comes densely, in a time that grows
/// with its size, the residual in one that grows with the number of unknowns.
const MOST_PER_UNKNOWN: usize = 64;

/// Where G := (∂g/∂q) V stands in ∂F/∂y.
struct Constraints {
    q: Range<usize>,
    values: Vec<f64>,
    /// Entry of G, and position of the entry of ∂F/∂y that is the same.
    places: Vec<(usize, usize)>,
}

impl Constraints {
    /// None where Gᵀ in the columns of λ is not declared: then forces depend on λ, or rows of G may be switched off.
    fn new(structure: &Structure, matrix: &Matrix) -> Option<Self> {
        let layout = structure.layout.as_ref()?;
        let (n_g, n_v) = (layout.lambda.len(), layout.v.len());
        let transpose_in =
            |columns: &Range<usize>| structure.transposed.iter().find(|b| b.columns == *columns);
        let block = transpose_in(&layout.lambda).filter(|_| n_g > 0)?;
        if n_g * n_v > MOST_PER_UNKNOWN * structure.dimension() {
            return None;
        }
        let mut blocks = vec![(block.source_rows.clone(), block.source_columns.clone())];
        // With q̇ = v − Gᵀη, G is ∂g/∂q too.
        if !layout.eta.is_empty() && transpose_in(&layout.eta).is_some() {
            let is_position = |i: &usize| structure.equations[*i].level == EquationLevel::Position;
            let first = (0..structure.equations.len()).find(is_position)?;
            blocks.push((first..first + layout.eta.len(), layout.q.clone()));
        }
        let mut places = Vec::new();
        for (rows, columns) in blocks {
            for (l, j) in columns.enumerate() {
                for (k, i) in rows.clone().enumerate() {
                    let to = super::position(matrix, i, j);
                    places.extend(to.map(|to| (k + l * n_g, to)));
                }
            }
        }
        Some(Self {
            q: layout.q.clone(),
            values: vec![0.0; n_g * n_v],
            places,
        })
    }
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
            constraints: Constraints::new(structure, matrix),
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

    /// Whether G has a place in ∂F/∂y.
    pub fn holds_constraints(&self) -> bool {
        self.constraints.is_some()
    }

    /// Renews G, where the system gives it by itself, and its transposes.
    pub fn constraint_part(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        let (Some(constraints), Some(mechanical)) = (&mut self.constraints, equations.system.mechanical())
        else {
            return Ok(());
        };
        equations.counters.constraint_evaluations += 1;
        let Constraints { q, values, places } = constraints;
        mechanical.constraint_matrix(at.t, &at.y[q.clone()], values)?;
        let entries = out.f_y.values_mut();
        for &(from, to) in &*places {
            entries[to] = values[from];
        }
        self.transpose(&mut out.f_y);
        Ok(())
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
