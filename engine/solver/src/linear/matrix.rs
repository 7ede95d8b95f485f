//! The matrices of the corrector: ∂F/∂ẏ, ∂F/∂y and the iteration matrix α ∂F/∂ẏ + ∂F/∂y.
//!
//! Two storages behind one type, because the choice is made once per run and every operation here
//! costs at least a pass over the values: the branch is never seen in a profile. Sparse matrices
//! keep one pattern for life (the union over all step sizes), so that adding two of them is an
//! addition of two arrays and a changed α costs just that.

use holonom_dae::Pattern;
use serde::{Deserialize, Serialize};

/// A square matrix, dense by columns or in a fixed compressed-column pattern.
///
/// ```
/// use holonom_solver::linear::Matrix;
/// let mut a = Matrix::dense(2);
/// a.values_mut().copy_from_slice(&[1.0, 3.0, 2.0, 4.0]); // column by column
/// let mut y = [0.0; 2];
/// a.mul_vec(&[1.0, 1.0], &mut y);
/// assert_eq!(y, [3.0, 7.0]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Matrix {
    /// All n² values, column by column.
    Dense {
        /// Number of rows and of columns.
        n: usize,
        /// Entry (i, j) is at `i + j * n`.
        values: Vec<f64>,
    },
    /// The values at the places of a pattern.
    Sparse {
        /// Where the values are.
        pattern: Pattern,
        /// One value for each place, in the order of the pattern.
        values: Vec<f64>,
    },
}

impl Matrix {
    /// The dense zero matrix of size `n`.
    pub fn dense(n: usize) -> Self {
        Self::Dense {
            n,
            values: vec![0.0; n * n],
        }
    }

    /// The zero matrix with the given places for values.
    ///
    /// # Panics
    /// When the pattern is not square.
    #[track_caller]
    pub fn sparse(pattern: Pattern) -> Self {
        assert_eq!(
            pattern.n_rows(),
            pattern.n_columns(),
            "an iteration matrix is square"
        );
        let values = vec![0.0; pattern.len()];
        Self::Sparse { pattern, values }
    }

    /// Number of rows and of columns.
    pub fn n(&self) -> usize {
        match self {
            Self::Dense { n, .. } => *n,
            Self::Sparse { pattern, .. } => pattern.n_rows(),
        }
    }

    /// The stored values: column by column, or in the order of the pattern.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Dense { values, .. } | Self::Sparse { values, .. } => values,
        }
    }

    /// The stored values, to be written.
    pub fn values_mut(&mut self) -> &mut [f64] {
        match self {
            Self::Dense { values, .. } | Self::Sparse { values, .. } => values,
        }
    }

    /// The pattern of a sparse matrix; none for a dense one.
    pub fn pattern(&self) -> Option<&Pattern> {
        match self {
            Self::Dense { .. } => None,
            Self::Sparse { pattern, .. } => Some(pattern),
        }
    }

    /// Entry (i, j); zero outside the pattern.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense { n, values } => values[i + j * n],
            Self::Sparse { pattern, values } => pattern.position(i, j).map_or(0.0, |p| values[p]),
        }
    }

    /// Sets all values to zero; the pattern stays.
    pub fn set_zero(&mut self) {
        self.values_mut().fill(0.0);
    }

    /// self := self + k·other, for a matrix of the same storage.
    ///
    /// # Panics
    /// When the two are stored differently.
    #[track_caller]
    pub fn add_scaled(&mut self, k: f64, other: &Self) {
        self.assert_same_storage(other);
        for (a, b) in self.values_mut().iter_mut().zip(other.values()) {
            *a += k * b;
        }
    }

    /// self := alpha·f_yp + f_y, the iteration matrix, for matrices of the same storage.
    ///
    /// # Panics
    /// When the three are stored differently.
    #[track_caller]
    pub fn combine(&mut self, alpha: f64, f_yp: &Self, f_y: &Self) {
        self.assert_same_storage(f_yp);
        self.assert_same_storage(f_y);
        let sources = f_yp.values().iter().zip(f_y.values());
        for (a, (m, k)) in self.values_mut().iter_mut().zip(sources) {
            *a = alpha * m + k;
        }
    }

    /// out := self·x.
    pub fn mul_vec(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.mul_vec_add(1.0, x, out);
    }

    /// out := out + k·self·x.
    ///
    /// # Panics
    /// When a vector has the wrong length.
    #[track_caller]
    pub fn mul_vec_add(&self, k: f64, x: &[f64], out: &mut [f64]) {
        let n = self.n();
        assert!(x.len() == n && out.len() == n, "vectors of length {n}");
        for j in 0..n {
            let xj = k * x[j];
            match self {
                Self::Dense { values, .. } => {
                    for (o, a) in out.iter_mut().zip(&values[j * n..(j + 1) * n]) {
                        *o += a * xj;
                    }
                }
                Self::Sparse { pattern, values } => {
                    for (&i, a) in pattern.column(j).iter().zip(&values[pattern.range(j)]) {
                        out[i] += a * xj;
                    }
                }
            }
        }
    }

    /// The largest magnitude of an entry; NaN when there is one.
    pub fn max_abs(&self) -> f64 {
        let larger = |m: f64, v: &f64| if v.abs() <= m { m } else { v.abs() };
        let largest = self.values().iter().fold(0.0, larger);
        // a NaN met early would be overwritten by a later value
        if self.values().iter().any(|v| v.is_nan()) {
            f64::NAN
        } else {
            largest
        }
    }

    /// ‖A‖₁, the largest sum of magnitudes in a column.
    pub fn norm_1(&self) -> f64 {
        let sum = |values: &[f64]| values.iter().map(|v| v.abs()).sum::<f64>();
        (0..self.n()).fold(0.0, |m, j| sum(self.column_values(j)).max(m))
    }

    /// Row and column of the first entry, by columns, that is NaN or infinite.
    pub fn first_non_finite(&self) -> Option<(usize, usize)> {
        let position = self.values().iter().position(|v| !v.is_finite())?;
        Some(match self {
            Self::Dense { n, .. } => (position % n, position / n),
            Self::Sparse { pattern, .. } => {
                let starts = pattern.column_start();
                let column = starts.partition_point(|&start| start <= position) - 1;
                (pattern.rows()[position], column)
            }
        })
    }

    /// a_ij := rows_i·a_ij·columns_j.
    ///
    /// # Panics
    /// When a vector has the wrong length.
    #[track_caller]
    pub fn scale_rows_columns(&mut self, rows: &[f64], columns: &[f64]) {
        let n = self.n();
        assert!(rows.len() == n && columns.len() == n, "vectors of length {n}");
        match self {
            Self::Dense { values, .. } => {
                for j in 0..n {
                    for (a, r) in values[j * n..(j + 1) * n].iter_mut().zip(rows) {
                        *a *= r * columns[j];
                    }
                }
            }
            Self::Sparse { pattern, values } => {
                for j in 0..n {
                    let column = pattern.column(j).iter();
                    for (a, &i) in values[pattern.range(j)].iter_mut().zip(column) {
                        *a *= rows[i] * columns[j];
                    }
                }
            }
        }
    }

    /// The same matrix with all n² values stored.
    pub fn to_dense(&self) -> Self {
        let n = self.n();
        let mut result = Self::dense(n);
        self.for_each(|i, j, a| result.values_mut()[i + j * n] = a);
        result
    }

    /// Calls `f(row, column, value)` for every stored value, column by column.
    pub fn for_each(&self, mut f: impl FnMut(usize, usize, f64)) {
        for j in 0..self.n() {
            let values = self.column_values(j).iter().enumerate();
            match self {
                Self::Dense { .. } => values.for_each(|(i, &a)| f(i, j, a)),
                Self::Sparse { pattern, .. } => {
                    let rows = pattern.column(j);
                    values.for_each(|(k, &a)| f(rows[k], j, a));
                }
            }
        }
    }

    /// The stored values of column `j`.
    pub fn column_values(&self, j: usize) -> &[f64] {
        match self {
            Self::Dense { n, values } => &values[j * n..(j + 1) * n],
            Self::Sparse { pattern, values } => &values[pattern.range(j)],
        }
    }

    /// Lengths only: comparing two patterns entry by entry would cost more than the addition.
    #[track_caller]
    fn assert_same_storage(&self, other: &Self) {
        assert!(
            self.n() == other.n() && self.values().len() == other.values().len(),
            "matrices of different storage: {} and {} values",
            self.values().len(),
            other.values().len()
        );
        debug_assert!(
            self.pattern() == other.pattern(),
            "matrices of different patterns"
        );
    }
}
