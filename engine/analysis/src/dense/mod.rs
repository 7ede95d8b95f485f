//! Small dense linear algebra: what the analyses need and no more. Matrices are stored column by
//! column.

mod complex;
mod eigen;
mod lu;
mod schur;
mod svd;
mod symmetric;

pub use complex::Complex;
pub use eigen::{Eigen, NoConvergence, eigen, zero_eigenvalues};
pub use lu::{ComplexLu, Lu};
pub use schur::{ComplexMatrix, complex_schur, reorder, triangular_vector};
pub use svd::Svd;
pub use symmetric::symmetric_eigen;

use core::ops::{Index, IndexMut};

/// A dense real matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            data: vec![0.0; rows * columns],
        }
    }

    /// The identity.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| f64::from(u8::from(i == j)))
    }

    /// Entry by entry.
    pub fn from_fn(rows: usize, columns: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut m = Self::zeros(rows, columns);
        for j in 0..columns {
            for i in 0..rows {
                m[(i, j)] = f(i, j);
            }
        }
        m
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One column.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// One column, to be changed.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// All entries, column by column.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// All entries, column by column, to be changed.
    pub fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// The product with another matrix.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::zeros(self.rows, other.columns);
        for j in 0..other.columns {
            let column = self.times_vector(other.column(j));
            product.column_mut(j).copy_from_slice(&column);
        }
        product
    }

    /// The product with a vector.
    #[must_use]
    pub fn times_vector(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.rows];
        for (j, &x) in x.iter().enumerate() {
            if x != 0.0 {
                for (y, a) in y.iter_mut().zip(self.column(j)) {
                    *y += a * x;
                }
            }
        }
        y
    }

    /// The product of the transpose with a vector.
    #[must_use]
    pub fn transpose_times_vector(&self, x: &[f64]) -> Vec<f64> {
        (0..self.columns).map(|j| dot(self.column(j), x)).collect()
    }

    /// Some rows and columns, in the given order.
    #[must_use]
    pub fn part(&self, rows: &[usize], columns: &[usize]) -> Self {
        Self::from_fn(rows.len(), columns.len(), |i, j| self[(rows[i], columns[j])])
    }

    /// Writes a matrix into this one, its corner at (i, j).
    pub fn put(&mut self, i: usize, j: usize, part: &Self) {
        for k in 0..part.columns {
            self.column_mut(j + k)[i..i + part.rows].copy_from_slice(part.column(k));
        }
    }

    /// The root of the sum of all squares.
    pub fn norm(&self) -> f64 {
        dot(&self.data, &self.data).sqrt()
    }

    /// Whether all entries are finite.
    pub fn is_finite(&self) -> bool {
        self.data.iter().all(|x| x.is_finite())
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[j * self.rows + i]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[j * self.rows + i]
    }
}

/// Σ xᵢ yᵢ.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The largest |xᵢ|; NaN where one is not a number.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most: f64, x| {
        if x.is_nan() || most.is_nan() {
            f64::NAN
        } else {
            most.max(x.abs())
        }
    })
}

/// Columns of a matrix that are as independent as can be, the longest remaining one first
/// (Gram–Schmidt with column pivoting [Businger, Golub 1965]). Stops at columns with less than
/// `threshold` of the longest left.
pub(crate) fn independent_columns(a: &Matrix, candidates: &[usize], threshold: f64) -> Vec<usize> {
    let mut rest: Vec<(usize, Vec<f64>)> = candidates.iter().map(|&j| (j, a.column(j).to_vec())).collect();
    let mut chosen = Vec::new();
    let mut first = 0.0;
    while chosen.len() < a.rows() && !rest.is_empty() {
        // The first among equals, where rounding does not decide.
        let (mut best, mut length) = (0, 0.0);
        for (k, (_, column)) in rest.iter().enumerate() {
            let own = dot(column, column).sqrt();
            if own > length * (1.0 + 1e-9) {
                (best, length) = (k, own);
            }
        }
        if chosen.is_empty() {
            first = length;
        }
        if length <= threshold * first {
            break;
        }
        let (j, mut unit) = rest.remove(best);
        unit.iter_mut().for_each(|x| *x /= length);
        chosen.push(j);
        for (_, column) in &mut rest {
            // Twice is enough [Kahan].
            for _ in 0..2 {
                let along = dot(&unit, column);
                for (x, u) in column.iter_mut().zip(&unit) {
                    *x -= along * u;
                }
            }
        }
    }
    chosen
}
