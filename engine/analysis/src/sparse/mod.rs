//! Sparse matrices in compressed columns, of any shape, and their factors.

mod basis;
mod krylov;
mod lanczos;
mod ldl;

pub use basis::null_basis;
pub use krylov::Krylov;
pub use lanczos::{Wanted, lanczos};
pub use ldl::{Ldl, Pair};

use crate::dense::{Complex, Matrix};
use holonom_dae::Pattern;
use holonom_solver::linear::{self, LinearSolver, LuSparse, Singular, SparseLu};

/// A sparse matrix: a pattern with a value for each of its places.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// The places.
    pub pattern: Pattern,
    /// Their values.
    pub values: Vec<f64>,
}

impl Sparse {
    /// Zeros at the places of a pattern.
    pub fn zeros(pattern: Pattern) -> Self {
        let values = vec![0.0; pattern.len()];
        Self { pattern, values }
    }

    /// Sums of (row, column, value).
    pub fn from_triplets(rows: usize, columns: usize, triplets: &[(usize, usize, f64)]) -> Self {
        let places = triplets.iter().map(|&(i, j, _)| (i, j));
        let mut all = Self::zeros(Pattern::from_entries(rows, columns, places));
        for &(i, j, x) in triplets {
            all.add(i, j, x);
        }
        all
    }

    /// The entries of a dense matrix that are not zero.
    #[cfg(test)]
    pub fn from_dense(a: &Matrix) -> Self {
        let all = (0..a.columns()).flat_map(|j| (0..a.rows()).map(move |i| (i, j)));
        let entries: Vec<_> = all
            .filter(|&(i, j)| a[(i, j)] != 0.0)
            .map(|(i, j)| (i, j, a[(i, j)]))
            .collect();
        Self::from_triplets(a.rows(), a.columns(), &entries)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.pattern.n_rows()
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.pattern.n_columns()
    }

    /// Adds to an entry of the pattern; nothing happens outside of it.
    pub fn add(&mut self, i: usize, j: usize, x: f64) {
        if let Some(p) = self.pattern.position(i, j) {
            self.values[p] += x;
        }
    }

    /// Rows and values of a column.
    pub fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let values = &self.values[self.pattern.range(j)];
        self.pattern.column(j).iter().copied().zip(values.iter().copied())
    }

    /// All entries by columns: row, column, value.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.columns()).flat_map(move |j| self.column(j).map(move |(i, x)| (i, j, x)))
    }

    /// One entry.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.pattern.position(i, j).map_or(0.0, |p| self.values[p])
    }

    /// y := y + k A x.
    pub fn times_add(&self, k: f64, x: &[f64], y: &mut [f64]) {
        for (j, x) in x.iter().enumerate() {
            if *x != 0.0 {
                for (i, a) in self.column(j) {
                    y[i] += k * a * x;
                }
            }
        }
    }

    /// A x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.rows()];
        self.times_add(1.0, x, &mut y);
        y
    }

    /// Aᵀ x.
    pub fn transpose_times(&self, x: &[f64]) -> Vec<f64> {
        let dot = |j: usize| self.column(j).map(|(i, a)| a * x[i]).sum();
        (0..self.columns()).map(dot).collect()
    }

    /// y := y + A x for complex vectors.
    pub fn times_add_complex(&self, k: Complex, x: &[Complex], y: &mut [Complex]) {
        for (j, x) in x.iter().enumerate() {
            let x = k * *x;
            for (i, a) in self.column(j) {
                y[i] += x.scale(a);
            }
        }
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let triplets: Vec<_> = self.entries().map(|(i, j, x)| (j, i, x)).collect();
        Self::from_triplets(self.columns(), self.rows(), &triplets)
    }

    /// Some rows and columns; both ranges.
    #[must_use]
    pub fn block(&self, rows: core::ops::Range<usize>, columns: core::ops::Range<usize>) -> Self {
        let (first, n) = (columns.start, columns.len());
        let triplets: Vec<_> = columns
            .flat_map(|j| self.column(j).map(move |(i, x)| (i, j - first, x)))
            .filter(|(i, _, _)| rows.contains(i))
            .map(|(i, j, x)| (i - rows.start, j, x))
            .collect();
        Self::from_triplets(rows.len(), n, &triplets)
    }

    /// Some rows, in the given order.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let mut place = vec![usize::MAX; self.rows()];
        for (k, &i) in rows.iter().enumerate() {
            place[i] = k;
        }
        let triplets: Vec<_> = self
            .entries()
            .filter(|(i, _, _)| place[*i] != usize::MAX)
            .map(|(i, j, x)| (place[i], j, x))
            .collect();
        Self::from_triplets(rows.len(), self.columns(), &triplets)
    }

    /// Some columns, in the given order.
    #[must_use]
    pub fn select_columns(&self, columns: &[usize]) -> Self {
        let triplets: Vec<_> = (columns.iter().enumerate())
            .flat_map(|(k, &j)| self.column(j).map(move |(i, x)| (i, k, x)))
            .collect();
        Self::from_triplets(self.rows(), columns.len(), &triplets)
    }

    /// All entries.
    pub fn to_dense(&self) -> Matrix {
        let mut a = Matrix::zeros(self.rows(), self.columns());
        for (i, j, x) in self.entries() {
            a[(i, j)] = x;
        }
        a
    }

    /// A B.
    #[must_use]
    pub fn times_matrix(&self, b: &Self) -> Self {
        let n = self.rows();
        let (mut sum, mut at, mut touched) = (vec![0.0; n], vec![usize::MAX; n], Vec::new());
        let mut triplets = Vec::new();
        for j in 0..b.columns() {
            touched.clear();
            for (k, x) in b.column(j).filter(|(_, x)| *x != 0.0) {
                for (i, a) in self.column(k) {
                    if at[i] != j {
                        at[i] = j;
                        sum[i] = 0.0;
                        touched.push(i);
                    }
                    sum[i] += a * x;
                }
            }
            triplets.extend(touched.iter().map(|&i| (i, j, sum[i])));
        }
        Self::from_triplets(n, b.columns(), &triplets)
    }

    /// Bᵀ A B.
    #[must_use]
    pub fn congruent(&self, b: &Self) -> Self {
        b.transpose().times_matrix(&self.times_matrix(b))
    }

    /// Rows and columns divided by scales.
    #[must_use]
    pub fn scaled(mut self, rows: impl Fn(usize) -> f64, columns: impl Fn(usize) -> f64) -> Self {
        for j in 0..self.columns() {
            let places = self.pattern.range(j);
            let divisor = columns(j);
            for (x, &i) in self.values[places].iter_mut().zip(self.pattern.column(j)) {
                *x /= rows(i) * divisor;
            }
        }
        self
    }

    /// The root of the sum of all squares.
    pub fn norm(&self) -> f64 {
        self.values.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// The largest |a_ij − a_ji| and the largest |a_ij|.
    pub fn asymmetry(&self) -> (f64, f64) {
        let off = |(i, j, x): (usize, usize, f64)| (x - self.get(j, i)).abs();
        let most = self.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        (self.entries().map(off).fold(0.0, f64::max), most)
    }
}

/// Factors of a square sparse matrix.
pub struct Factors {
    matrix: linear::Matrix,
    lu: LuSparse,
}

impl Factors {
    /// Factorises.
    pub fn new(a: Sparse) -> Result<Self, Singular> {
        let mut lu = LuSparse::new(a.rows());
        let Sparse { pattern, values } = a;
        let matrix = linear::Matrix::Sparse { pattern, values };
        lu.factorise(&matrix)?;
        Ok(Self { matrix, lu })
    }

    /// x := A⁻¹ x, with one step of refinement.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.lu.solve_refined(&self.matrix, x);
    }

    /// An estimate of 1/(‖A‖ ‖A⁻¹‖).
    pub fn reciprocal_condition(&mut self) -> f64 {
        self.lu.reciprocal_condition(self.matrix.norm_1())
    }
}

/// Factors of a square complex matrix with a real pattern.
pub struct ComplexFactors {
    lu: SparseLu<linear::Complex>,
    n: usize,
}

impl ComplexFactors {
    /// For matrices of this size.
    pub fn new(n: usize) -> Self {
        Self {
            lu: SparseLu::new(n),
            n,
        }
    }

    /// Factorises other values; the order of the first is kept while the pattern stays.
    pub fn factorise(&mut self, pattern: &Pattern, values: &[linear::Complex]) -> Result<(), Singular> {
        self.lu.factorise_values(pattern, values).map(|_| ())
    }

    /// A⁻¹ b.
    pub fn solve(&mut self, b: &[Complex]) -> Vec<Complex> {
        let mut x = vec![Complex::ZERO; self.n];
        let read = |i: usize| linear::Complex::new(b[i].re, b[i].im);
        let done = self.lu.solve_values(read, |j, z| x[j] = Complex::new(z.re, z.im));
        if !done {
            x.fill(Complex::real(f64::NAN));
        }
        x
    }
}
