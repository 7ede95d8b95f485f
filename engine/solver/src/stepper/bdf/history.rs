//! The history of a BDF method: modified divided differences of the last solutions.

use super::coefficients::{COLUMNS, Coefficients, MAX_ORDER};
use serde::{Deserialize, Serialize};

/// Columns φ₁ … φ_{k+2}, each of n entries; column 0 is the solution itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct History {
    n: usize,
    phi: Vec<f64>,
}

impl History {
    /// Room for `n` unknowns.
    pub fn new(n: usize) -> Self {
        Self {
            n,
            phi: vec![0.0; COLUMNS * n],
        }
    }

    /// Column `j`.
    #[inline]
    pub fn column(&self, j: usize) -> &[f64] {
        &self.phi[j * self.n..(j + 1) * self.n]
    }

    /// Column `j`, to be changed.
    #[inline]
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.phi[j * self.n..(j + 1) * self.n]
    }

    /// Maps every column.
    pub fn carry(&mut self, map: &dyn Fn(&mut [f64])) {
        self.phi.chunks_exact_mut(self.n.max(1)).for_each(map);
    }

    /// Multiplies columns by factors: φ → φ* and back.
    pub fn scale(&mut self, columns: std::ops::Range<usize>, factor: impl Fn(usize) -> f64) {
        for j in columns {
            let b = factor(j);
            for x in self.column_mut(j) {
                *x *= b;
            }
        }
    }

    /// Predicted y = Σ φ_j and ẏ = Σ γ_j φ_j over the first k + 1 columns.
    pub fn predict(&self, k: usize, gamma: &[f64; COLUMNS], y: &mut [f64], yp: &mut [f64]) {
        match k {
            1 => self.predict_from::<1>(gamma, y, yp),
            2 => self.predict_from::<2>(gamma, y, yp),
            3 => self.predict_from::<3>(gamma, y, yp),
            4 => self.predict_from::<4>(gamma, y, yp),
            _ => self.predict_from::<MAX_ORDER>(gamma, y, yp),
        }
    }

    /// The same for an order known beforehand, each entry carried through all columns at once.
    fn predict_from<const K: usize>(&self, gamma: &[f64; COLUMNS], y: &mut [f64], yp: &mut [f64]) {
        let n = self.n;
        let (y, yp, last) = (&mut y[..n], &mut yp[..n], &self.column(0)[..n]);
        let columns: [&[f64]; K] = std::array::from_fn(|j| &self.column(j + 1)[..n]);
        for i in 0..n {
            let (mut sum, mut slope) = (last[i], 0.0);
            for (j, column) in columns.iter().enumerate() {
                sum += column[i];
                slope += gamma[j + 1] * column[i];
            }
            (y[i], yp[i]) = (sum, slope);
        }
    }

    /// Brings the columns to the new point, given the correction `e` of the accepted step of
    /// order `k`; keeps `e` as next column when there is room (`keep`).
    ///
    /// φ_j becomes φ_j + φ_{j+1} + … + e: running sums from the top, each column touched once.
    pub fn update(&mut self, k: usize, e: &[f64], keep: bool) {
        const LANES: usize = 4;
        let n = self.n;
        if keep {
            self.column_mut(k + 1).copy_from_slice(e);
        }
        let mut all = self.phi.chunks_exact_mut(n);
        let mut columns: [&mut [f64]; COLUMNS] = std::array::from_fn(|_| all.next().unwrap_or_default());
        let columns = &mut columns[..=k];
        let whole = n - n % LANES;
        for start in (0..whole).step_by(LANES) {
            let mut sum: [f64; LANES] = std::array::from_fn(|l| e[start + l]);
            for column in columns.iter_mut().rev() {
                for (sum, phi) in sum.iter_mut().zip(&mut column[start..start + LANES]) {
                    *sum += *phi;
                    *phi = *sum;
                }
            }
        }
        for i in whole..n {
            let mut sum = e[i];
            for column in columns.iter_mut().rev() {
                sum += column[i];
                column[i] = sum;
            }
        }
    }

    /// Values of the interpolating polynomial of degree `k` and its derivative at `t`, for a
    /// history that ends at `t_n`.
    pub fn interpolate(
        &self,
        t: f64,
        t_n: f64,
        k: usize,
        coefficients: &Coefficients,
        y: &mut [f64],
        yp: &mut [f64],
    ) {
        let psi = &coefficients.psi;
        let tau = t - t_n;
        y.copy_from_slice(self.column(0));
        yp.fill(0.0);
        let (mut c, mut d) = (1.0, 0.0);
        let mut gamma = tau / psi[0];
        for j in 1..=k {
            d = d * gamma + c / psi[j - 1];
            c *= gamma;
            gamma = (tau + psi[j - 1]) / psi[j];
            for ((y, yp), p) in y.iter_mut().zip(yp.iter_mut()).zip(self.column(j)) {
                *y += c * p;
                *yp += d * p;
            }
        }
    }

    /// Backward differences of values at equidistant times, newest first.
    pub fn set_equidistant(&mut self, values: &[&[f64]]) {
        for (j, v) in values.iter().enumerate() {
            self.column_mut(j).copy_from_slice(v);
        }
        // Column j becomes ∇ʲ: repeated differencing, oldest last.
        for level in 1..values.len() {
            for j in (level..values.len()).rev() {
                let n = self.n;
                let (low, high) = self.phi.split_at_mut(j * n);
                for (p, q) in high[..n].iter_mut().zip(&low[(j - 1) * n..]) {
                    *p = q - *p;
                }
            }
        }
    }
}
