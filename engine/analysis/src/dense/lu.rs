//! Gaussian elimination with partial pivoting, real and complex.

use super::{Complex, Matrix};

/// Factors of a square matrix.
#[derive(Clone, Debug)]
pub struct Lu {
    a: Matrix,
    pivots: Vec<usize>,
    conditioning: f64,
}

impl Lu {
    /// Factorises; rows are scaled before pivots are compared.
    pub fn new(mut a: Matrix) -> Self {
        let n = a.rows();
        let scale: Vec<f64> = (0..n)
            .map(|i| (0..n).fold(0.0, |m: f64, j| m.max(a[(i, j)].abs())))
            .collect();
        let mut scale: Vec<f64> = scale
            .iter()
            .map(|s| if *s > 0.0 { 1.0 / s } else { 1.0 })
            .collect();
        let mut pivots = Vec::with_capacity(n);
        let mut least = f64::INFINITY;
        for k in 0..n {
            let mut p = k;
            for i in k + 1..n {
                if a[(i, k)].abs() * scale[i] > a[(p, k)].abs() * scale[p] {
                    p = i;
                }
            }
            let size = a[(p, k)].abs() * scale[p];
            least = if size.is_nan() { 0.0 } else { least.min(size) };
            scale.swap(k, p);
            pivots.push(p);
            for j in 0..n {
                let (x, y) = (a[(k, j)], a[(p, j)]);
                (a[(k, j)], a[(p, j)]) = (y, x);
            }
            let pivot = a[(k, k)];
            if pivot == 0.0 {
                continue;
            }
            for i in k + 1..n {
                a[(i, k)] /= pivot;
            }
            for j in k + 1..n {
                let f = a[(k, j)];
                if f != 0.0 {
                    for i in k + 1..n {
                        a[(i, j)] -= a[(i, k)] * f;
                    }
                }
            }
        }
        Self {
            a,
            pivots,
            conditioning: least,
        }
    }

    /// The smallest pivot, of rows scaled to entries of at most one: zero when singular, infinite
    /// for an empty matrix.
    pub fn smallest_pivot(&self) -> f64 {
        self.conditioning
    }

    /// x := A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.pivots.len();
        for (k, &p) in self.pivots.iter().enumerate() {
            x.swap(k, p);
        }
        for k in 0..n {
            for i in k + 1..n {
                x[i] -= self.a[(i, k)] * x[k];
            }
        }
        for k in (0..n).rev() {
            x[k] /= self.a[(k, k)];
            for i in 0..k {
                x[i] -= self.a[(i, k)] * x[k];
            }
        }
    }

    /// A⁻¹ B.
    #[must_use]
    pub fn solve_matrix(&self, mut b: Matrix) -> Matrix {
        for j in 0..b.columns() {
            self.solve(b.column_mut(j));
        }
        b
    }
}

/// Factors of a complex matrix, stored column by column.
#[derive(Clone, Debug)]
pub struct ComplexLu {
    n: usize,
    a: Vec<Complex>,
    pivots: Vec<usize>,
}

impl ComplexLu {
    /// Factorises an n × n matrix.
    pub fn new(mut a: Vec<Complex>, n: usize) -> Self {
        let mut pivots = Vec::with_capacity(n);
        for k in 0..n {
            let mut p = k;
            for i in k + 1..n {
                if a[k * n + i].abs() > a[k * n + p].abs() {
                    p = i;
                }
            }
            pivots.push(p);
            for j in 0..n {
                a.swap(j * n + k, j * n + p);
            }
            let pivot = a[k * n + k];
            if pivot.abs() == 0.0 {
                continue;
            }
            for i in k + 1..n {
                a[k * n + i] = a[k * n + i] / pivot;
            }
            for j in k + 1..n {
                let f = a[j * n + k];
                if f != Complex::ZERO {
                    for i in k + 1..n {
                        let l = a[k * n + i];
                        a[j * n + i] -= l * f;
                    }
                }
            }
        }
        Self { n, a, pivots }
    }

    /// x := A⁻¹ x.
    pub fn solve(&self, x: &mut [Complex]) {
        let n = self.n;
        for (k, &p) in self.pivots.iter().enumerate() {
            x.swap(k, p);
        }
        for k in 0..n {
            for i in k + 1..n {
                let xk = x[k];
                x[i] -= self.a[k * n + i] * xk;
            }
        }
        for k in (0..n).rev() {
            x[k] = x[k] / self.a[k * n + k];
            for i in 0..k {
                let xk = x[k];
                x[i] -= self.a[k * n + i] * xk;
            }
        }
    }
}
