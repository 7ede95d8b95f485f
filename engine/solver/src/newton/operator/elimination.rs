//! The kinematic rows leave the matrix before it is factorised.
//!
//! q̇ = V(q) v takes half of the rows of a mechanical system and little work: in
//!
//! ```text
//! ( K  R ) (x_q)   (a)        K = α V̇-part: diagonal, or small blocks for rotations
//! ( D  S ) (x  ) = (b)        S − D K⁻¹ R: velocities, own states and multipliers
//! ```
//!
//! with K = λ ∂F/∂q̇ + ∂F/∂q of these rows, only S − D K⁻¹ R needs a factorisation. D and R are real and the
//! same for all blocks of a step.

use crate::jacobian::SplitJacobian;
use crate::linear::{Matrix, Scalar, Singular};
use holonom_dae::{DerivativeForm, EquationLevel, Pattern, Structure, VariableKind};
use std::ops::Range;

/// Largest block of K that is inverted as such.
const LARGEST: usize = 8;

/// Which rows and columns are eliminated.
pub(super) struct Plan {
    /// Rows and columns of the blocks of K, in the order of elimination.
    groups: Vec<Range<usize>>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// Rows and columns that stay.
    rest_rows: Vec<usize>,
    rest_columns: Vec<usize>,
    /// K is diagonal as far as is known: to be checked.
    assumed: bool,
}

impl Plan {
    /// Everything stays.
    pub fn nothing(n: usize) -> Self {
        Self {
            groups: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            rest_rows: (0..n).collect(),
            rest_columns: (0..n).collect(),
            assumed: false,
        }
    }

    /// What the structure allows to eliminate.
    pub fn new(structure: &Structure) -> Self {
        Self::of_kinematics(structure).unwrap_or_else(|| Self::nothing(structure.dimension()))
    }

    fn of_kinematics(structure: &Structure) -> Option<Self> {
        structure.layout.as_ref()?;
        let n = structure.dimension();
        let is_row = |i: &usize| structure.equations[*i].level == EquationLevel::Kinematic;
        let is_column = |j: &usize| structure.variables[*j].kind == VariableKind::Position;
        let rows: Vec<usize> = (0..n).filter(is_row).collect();
        let columns: Vec<usize> = (0..n).filter(is_column).collect();
        if rows.len() != columns.len() || rows.is_empty() {
            return None;
        }
        // ∂F/∂ẏ must not couple what is eliminated with the rest.
        let couples = |(i, j): (usize, usize)| is_row(&i) != is_column(&j);
        let coupled = match &structure.derivative {
            DerivativeForm::Identity => (0..n)
                .filter(|i| structure.variables[*i].kind.is_differential())
                .any(|i| couples((i, i))),
            DerivativeForm::Constant(entries) => entries.iter().any(|&(i, j, _)| couples((i, j))),
            DerivativeForm::Mass(pattern) => pattern.entries().any(couples),
            DerivativeForm::Unknown => true,
        };
        if coupled {
            return None;
        }
        let groups = match &structure.sparsity {
            Some(pattern) => components(pattern, &rows, &columns)?,
            None => (0..rows.len()).map(|i| vec![i]).collect(),
        };
        let mut plan = Self {
            groups: Vec::with_capacity(groups.len()),
            rows: Vec::with_capacity(rows.len()),
            columns: Vec::with_capacity(rows.len()),
            rest_rows: (0..n).filter(|i| !is_row(i)).collect(),
            rest_columns: (0..n).filter(|j| !is_column(j)).collect(),
            assumed: structure.sparsity.is_none(),
        };
        for group in groups {
            let start = plan.rows.len();
            plan.rows.extend(group.iter().map(|&k| rows[k]));
            plan.columns.extend(group.iter().map(|&k| columns[k]));
            plan.groups.push(start..plan.rows.len());
        }
        Some(plan)
    }

    /// Number of rows that stay.
    pub fn rest(&self) -> usize {
        self.rest_rows.len()
    }

    /// Number of rows eliminated.
    pub fn eliminated(&self) -> usize {
        self.rows.len()
    }

    /// Row and column of the whole matrix behind row `i` and column `j` of what is factorised.
    pub fn original(&self, i: usize, j: usize) -> (usize, usize) {
        (self.rest_rows[i], self.rest_columns[j])
    }
}

/// Blocks of K: numbers of rows, which are those of columns too, that belong together. None where a block
/// is too large.
fn components(pattern: &Pattern, rows: &[usize], columns: &[usize]) -> Option<Vec<Vec<usize>>> {
    let place = |list: &[usize], x: usize| list.binary_search(&x).ok();
    let mut label: Vec<usize> = (0..rows.len()).collect();
    for (k, &j) in columns.iter().enumerate() {
        for &i in pattern.column(j) {
            let Some(i) = place(rows, i) else { continue };
            let (from, to) = (label[i].max(label[k]), label[i].min(label[k]));
            if from != to {
                label.iter_mut().filter(|l| **l == from).for_each(|l| *l = to);
            }
        }
    }
    let mut groups = Vec::new();
    for l in 0..rows.len() {
        let group: Vec<usize> = (0..rows.len()).filter(|k| label[*k] == l).collect();
        if group.len() > LARGEST {
            return None;
        }
        if !group.is_empty() {
            groups.push(group);
        }
    }
    Some(groups)
}

/// D and R, scaled.
pub(super) struct Coupling {
    /// D, column by column: rows that stay, columns that are eliminated.
    d: Vec<f64>,
    /// R of each group, in the order of the groups: the columns in which it has entries, then its values
    /// column by column.
    r_columns: Vec<u32>,
    r_values: Vec<f64>,
    /// Where the columns and the values of a group begin.
    starts: Vec<(usize, usize)>,
}

impl Coupling {
    pub fn new(plan: &Plan) -> Self {
        let (e, m) = (plan.eliminated(), plan.rest());
        Self {
            d: vec![0.0; e * m],
            r_columns: Vec::with_capacity(plan.groups.len() * m),
            r_values: Vec::with_capacity(e * m),
            starts: Vec::with_capacity(plan.groups.len() + 1),
        }
    }

    /// Takes D and R from a dense ∂F/∂y; false if K is not what the plan assumes.
    pub fn load(&mut self, plan: &Plan, f_y: &[f64], rows: &[f64], columns: &[f64]) -> bool {
        let n = rows.len();
        let m = plan.rest();
        for (&j, target) in plan.columns.iter().zip(self.d.chunks_exact_mut(m.max(1))) {
            let source = &f_y[j * n..(j + 1) * n];
            for (t, &i) in target.iter_mut().zip(&plan.rest_rows) {
                *t = source[i] * rows[i] * columns[j];
            }
        }
        self.r_columns.clear();
        self.r_values.clear();
        self.starts.clear();
        for group in &plan.groups {
            self.starts.push((self.r_columns.len(), self.r_values.len()));
            let group_rows = &plan.rows[group.clone()];
            for (k, &j) in plan.rest_columns.iter().enumerate() {
                let source = &f_y[j * n..(j + 1) * n];
                if group_rows.iter().any(|&i| source[i] != 0.0) {
                    self.r_columns.push(k as u32);
                    let values = group_rows.iter().map(|&i| source[i] * rows[i] * columns[j]);
                    self.r_values.extend(values);
                }
            }
        }
        self.starts.push((self.r_columns.len(), self.r_values.len()));
        !plan.assumed
            || plan.columns.iter().enumerate().all(|(k, &j)| {
                let others = plan.rows.iter().enumerate().filter(|(l, _)| *l != k);
                others.into_iter().all(|(_, &i)| f_y[j * n + i] == 0.0)
            })
    }
}

/// A matrix that takes up what stays.
pub(super) trait Target<S> {
    /// Column `j` := its values `row_i (λ m_i + k_i) column`, for the rows given.
    fn set_column(&mut self, j: usize, lambda: S, rest: RestColumn<'_>);
    /// Column `j` −= coefficient · d.
    fn subtract(&mut self, j: usize, coefficient: S, d: &[f64]);
}

/// The entries of a column in the rows that stay.
pub(super) struct RestColumn<'a> {
    pub rows: &'a [usize],
    pub f_yp: &'a [f64],
    pub f_y: &'a [f64],
    pub row_scale: &'a [f64],
    pub scale: f64,
}

/// K⁻¹ and K⁻¹ R for one eigenvalue.
pub(super) struct Eliminated<S> {
    /// By groups, row by row.
    inverse: Vec<S>,
    /// K⁻¹ R, in the order of R.
    p: Vec<S>,
    u: Vec<S>,
}

impl<S: Scalar> Eliminated<S> {
    pub fn new(plan: &Plan) -> Self {
        let entries = plan.groups.iter().map(|g| g.len() * g.len()).sum();
        Self {
            inverse: vec![S::default(); entries],
            p: Vec::with_capacity(plan.eliminated() * plan.rest()),
            u: vec![S::default(); plan.eliminated()],
        }
    }

    /// Forms what stays of λ ∂F/∂ẏ + ∂F/∂y in `target`.
    pub fn form(
        &mut self,
        plan: &Plan,
        coupling: &Coupling,
        split: &SplitJacobian,
        scales: (&[f64], &[f64]),
        lambda: S,
        target: &mut impl Target<S>,
    ) -> Result<(), Singular> {
        let (row_scale, column_scale) = scales;
        let n = row_scale.len();
        let (f_y, f_yp) = (split.f_y.values(), split.f_yp.values());
        let m = plan.rest();
        for (k, &j) in plan.rest_columns.iter().enumerate() {
            let range = j * n..(j + 1) * n;
            let rest = RestColumn {
                rows: &plan.rest_rows,
                f_yp: &f_yp[range.clone()],
                f_y: &f_y[range],
                row_scale,
                scale: column_scale[j],
            };
            target.set_column(k, lambda, rest);
        }
        self.p.clear();
        let mut start = 0;
        for (g, group) in plan.groups.iter().enumerate() {
            let size = group.len();
            let inverse = &mut self.inverse[start..start + size * size];
            start += size * size;
            let entry = |a: usize, b: usize| {
                let (i, j) = (plan.rows[group.start + a], plan.columns[group.start + b]);
                let k = j * n + i;
                (lambda.times(f_yp[k]) + S::real(f_y[k])).times(row_scale[i] * column_scale[j])
            };
            if !invert(size, entry, inverse) {
                let (row, column) = (plan.rows[group.start], plan.columns[group.start]);
                return Err(Singular::Numerical { row, column });
            }
            let (columns, values) = (coupling.starts[g], coupling.starts[g + 1]);
            let r_columns = &coupling.r_columns[columns.0..values.0];
            let r_values = &coupling.r_values[columns.1..values.1];
            for (&c, r) in r_columns.iter().zip(r_values.chunks_exact(size)) {
                for a in 0..size {
                    let mut sum = S::default();
                    for (b, r) in r.iter().enumerate() {
                        sum += inverse[a * size + b].times(*r);
                    }
                    self.p.push(sum);
                    let k = group.start + a;
                    target.subtract(c as usize, sum, &coupling.d[k * m..(k + 1) * m]);
                }
            }
        }
        Ok(())
    }

    /// From the right-hand side `b` of all rows to that of the rows that stay, b − D K⁻¹ a.
    pub fn reduce(&mut self, plan: &Plan, coupling: &Coupling, b: impl Fn(usize) -> S, rest: &mut [S]) {
        for (r, &i) in rest.iter_mut().zip(&plan.rest_rows) {
            *r = b(i);
        }
        let m = plan.rest();
        let mut start = 0;
        for group in &plan.groups {
            let size = group.len();
            for a in 0..size {
                let mut sum = S::default();
                for c in 0..size {
                    sum += self.inverse[start + a * size + c] * b(plan.rows[group.start + c]);
                }
                let k = group.start + a;
                self.u[k] = sum;
                for (r, d) in rest.iter_mut().zip(&coupling.d[k * m..(k + 1) * m]) {
                    *r -= sum.times(*d);
                }
            }
            start += size * size;
        }
    }

    /// From the solution in the rows that stay to all of it: calls `set` for every column.
    pub fn extend(&self, plan: &Plan, coupling: &Coupling, rest: &[S], mut set: impl FnMut(usize, S)) {
        for (x, &j) in rest.iter().zip(&plan.rest_columns) {
            set(j, *x);
        }
        let mut p = self.p.iter();
        for (g, group) in plan.groups.iter().enumerate() {
            let mut x = [S::default(); LARGEST];
            let size = group.len();
            x[..size].copy_from_slice(&self.u[group.clone()]);
            let range = coupling.starts[g].0..coupling.starts[g + 1].0;
            for &c in &coupling.r_columns[range] {
                for (x, p) in x[..size].iter_mut().zip(p.by_ref()) {
                    *x -= *p * rest[c as usize];
                }
            }
            for (x, k) in x.iter().zip(group.clone()) {
                set(plan.columns[k], *x);
            }
        }
    }
}

/// Inverse of a small matrix, row by row, by Gauß–Jordan elimination with row exchanges; false if there
/// is none.
fn invert<S: Scalar>(n: usize, entry: impl Fn(usize, usize) -> S, inverse: &mut [S]) -> bool {
    if n == 1 {
        let a = entry(0, 0);
        inverse[0] = a.reciprocal();
        return a.size() > 0.0 && a.size().is_finite();
    }
    let mut w = [[S::default(); 2 * LARGEST]; LARGEST];
    for (i, row) in w[..n].iter_mut().enumerate() {
        for j in 0..n {
            row[j] = entry(i, j);
        }
        row[n + i] = S::real(1.0);
    }
    for k in 0..n {
        let mut p = k;
        for i in k + 1..n {
            if w[i][k].size() > w[p][k].size() {
                p = i;
            }
        }
        let size = w[p][k].size();
        if !(size > 0.0 && size.is_finite()) {
            return false;
        }
        w.swap(k, p);
        let r = w[k][k].reciprocal();
        for x in &mut w[k][..2 * n] {
            *x = *x * r;
        }
        let pivot = w[k];
        for (i, row) in w[..n].iter_mut().enumerate() {
            let f = row[k];
            if i != k && f.size() > 0.0 {
                for (x, p) in row[..2 * n].iter_mut().zip(&pivot) {
                    *x -= f * *p;
                }
            }
        }
    }
    for (target, row) in inverse.chunks_exact_mut(n).zip(&w) {
        target.copy_from_slice(&row[n..2 * n]);
    }
    true
}

impl Target<f64> for Matrix {
    fn set_column(&mut self, j: usize, lambda: f64, rest: RestColumn<'_>) {
        let m = rest.rows.len();
        let column = &mut self.values_mut()[j * m..(j + 1) * m];
        for (x, &i) in column.iter_mut().zip(rest.rows) {
            *x = (lambda * rest.f_yp[i] + rest.f_y[i]) * (rest.row_scale[i] * rest.scale);
        }
    }

    fn subtract(&mut self, j: usize, coefficient: f64, d: &[f64]) {
        let m = d.len();
        for (x, d) in self.values_mut()[j * m..(j + 1) * m].iter_mut().zip(d) {
            *x -= coefficient * d;
        }
    }
}
