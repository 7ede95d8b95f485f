//! Eigenvalues of an operator that need not be symmetric: the Krylov–Schur method [Stewart 2001] with locking.
//!
//! A V = U X + V S + v bᴴ, where U are locked Schur vectors, S is brought to Schur form at every restart with the
//! largest eigenvalues in front, and a vector is locked when its entry of b is small. As a Krylov space holds one vector
//! of a multiple eigenvalue, later spaces begin from new vectors orthogonal to all locked ones, until they hold nothing
//! larger than what is known.

use crate::dense::{Complex, ComplexMatrix, NoConvergence, complex_schur, reorder, triangular_vector};

/// Residuals that are enough, in parts of the eigenvalue.
const CONVERGED: f64 = 1e-12;

/// Restarts at most from one beginning.
const RESTARTS: usize = 200;

type Vector = Vec<Complex>;

/// Schur vectors that are known.
pub struct Krylov<F: FnMut(&[Complex]) -> Vector> {
    operator: F,
    n: usize,
    locked: Vec<Vector>,
    /// Columns of the triangular matrix.
    triangle: Vec<Vector>,
    random: u64,
}

fn product(x: &[Complex], y: &[Complex]) -> Complex {
    let (mut re, mut im) = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        re += x.re * y.re + x.im * y.im;
        im += x.re * y.im - x.im * y.re;
    }
    Complex::new(re, im)
}

fn length(x: &[Complex]) -> f64 {
    x.iter().map(|x| x.re * x.re + x.im * x.im).sum::<f64>().sqrt()
}

/// Removes what a vector has of others, twice; gives the coefficients.
fn orthogonalise(w: &mut [Complex], others: &[Vector]) -> Vector {
    let mut coefficients = vec![Complex::ZERO; others.len()];
    for _ in 0..2 {
        for (c, v) in coefficients.iter_mut().zip(others) {
            let along = product(v, w);
            *c += along;
            w.iter_mut().zip(v).for_each(|(w, v)| *w -= along * *v);
        }
    }
    coefficients
}

fn normalise(w: &mut [Complex]) -> f64 {
    let size = length(w);
    if size > 0.0 {
        w.iter_mut().for_each(|x| *x = x.scale(1.0 / size));
    }
    size
}

impl<F: FnMut(&[Complex]) -> Vector> Krylov<F> {
    /// For vectors of length n.
    pub fn new(n: usize, operator: F) -> Self {
        Self {
            operator,
            n,
            locked: Vec::new(),
            triangle: Vec::new(),
            random: 0x2545_f491_4f6c_dd1d,
        }
    }

    /// Known eigenvalues.
    pub fn values(&self) -> Vector {
        self.triangle
            .iter()
            .enumerate()
            .map(|(k, column)| column[k])
            .collect()
    }

    /// The eigenvector of a known eigenvalue.
    pub fn vector(&self, k: usize) -> Vector {
        let size = self.values().iter().map(|x| x.abs()).fold(0.0, f64::max);
        self.combination(&triangular_vector(|i, j| self.triangle[j][i], k, size))
    }

    /// Columns of the inverse of the leading m rows and columns of the triangular matrix.
    pub fn inverse_triangle(&self, m: usize) -> Vec<Vector> {
        let column = |j: usize| {
            let mut x = vec![Complex::ZERO; j + 1];
            x[j] = Complex::real(1.0);
            for k in (0..=j).rev() {
                x[k] = x[k] / self.triangle[k][k];
                for i in 0..k {
                    let change = self.triangle[k][i] * x[k];
                    x[i] -= change;
                }
            }
            x
        };
        (0..m).map(column).collect()
    }

    /// Σ y_k u_k of the leading Schur vectors.
    pub fn combination(&self, y: &[Complex]) -> Vector {
        let mut x = vec![Complex::ZERO; self.n];
        for (y, u) in y.iter().zip(&self.locked) {
            x.iter_mut().zip(u).for_each(|(x, u)| *x += *y * *u);
        }
        x
    }

    /// A new beginning for `count` eigenvalues; locks what it finds. The largest modulus among them; none where the
    /// space is exhausted. It ends early where all that is left is clearly smaller than `enough`.
    pub fn begin(&mut self, count: usize, enough: f64) -> Result<Option<f64>, NoConvergence> {
        let room = self.n - self.locked.len().min(self.n);
        if room == 0 {
            return Ok(None);
        }
        let most = (2 * count + 24).min(room);
        let mut start: Vector = (0..self.n)
            .map(|_| {
                let mut next = || {
                    self.random = self
                        .random
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    (self.random >> 33) as f64 / f64::from(1u32 << 30) - 1.0
                };
                Complex::new(next(), next())
            })
            .collect();
        // The image of the operator, where constraints hold.
        start = (self.operator)(&start);
        let before = length(&start);
        orthogonalise(&mut start, &self.locked);
        let size = normalise(&mut start);
        if size <= 1e-11 * before {
            return Ok(None);
        }
        if !size.is_finite() {
            return Err(NoConvergence);
        }
        let mut basis = vec![start];
        // Columns of X and S.
        let (mut x, mut s): (Vec<Vector>, Vec<Vector>) = (Vec::new(), Vec::new());
        for _ in 0..RESTARTS {
            let mut residual = 0.0;
            let mut next = None;
            while s.len() < most {
                let j = s.len();
                let mut w = (self.operator)(&basis[j]);
                let before = length(&w);
                x.push(orthogonalise(&mut w, &self.locked));
                s.push(orthogonalise(&mut w, &basis));
                residual = normalise(&mut w);
                if !residual.is_finite() {
                    return Err(NoConvergence);
                }
                if residual <= 1e-14 * before {
                    residual = 0.0;
                    break;
                }
                if j + 1 < most {
                    basis.push(w);
                    s[j].push(Complex::real(residual));
                } else {
                    next = Some(w);
                }
            }
            let m = s.len();
            let mut matrix = ComplexMatrix::zeros(m);
            for (j, column) in s.iter().enumerate() {
                for (i, x) in column.iter().enumerate().take(m) {
                    matrix.set(i, j, *x);
                }
            }
            let (mut t, mut q) = complex_schur(matrix)?;
            reorder(&mut t, &mut q, |a, b| a.abs() > b.abs() * (1.0 + 1e-13));
            let rest = |k: usize| q.get(m - 1, k).scale(residual);
            let size = |k: usize| t.get(k, k).abs();
            let done = (0..m)
                .take_while(|&k| rest(k).abs() <= CONVERGED * size(k))
                .count();
            let exhausted = next.is_none();
            let smaller = m > 0 && rest(0).abs() <= 0.1 * size(0) && 1.3 * size(0) < enough;
            let finished = done >= count || exhausted || smaller;
            let turned = |columns: &[Vector], k: usize| -> Vector {
                let mut sum = vec![Complex::ZERO; columns.first().map_or(0, Vec::len)];
                for (column, c) in columns.iter().zip(q.column(k)) {
                    sum.iter_mut().zip(column).for_each(|(s, v)| *s += *c * *v);
                }
                sum
            };
            if finished {
                let take = if exhausted { m } else { done };
                let largest = (0..m.min(take.max(1))).map(size).fold(0.0, f64::max);
                for k in 0..take {
                    let mut column = turned(&x, k);
                    column.extend((0..=k).map(|i| t.get(i, k)));
                    let mut vector = turned(&basis, k);
                    orthogonalise(&mut vector, &self.locked);
                    normalise(&mut vector);
                    self.locked.push(vector);
                    self.triangle.push(column);
                }
                return Ok(Some(largest));
            }
            let keep = (count + 10).max(done + 2).min(m - 1);
            let mut kept: Vec<Vector> = (0..keep).map(|k| turned(&basis, k)).collect();
            let new_x: Vec<Vector> = (0..keep).map(|k| turned(&x, k)).collect();
            // The columns of S with the row bᴴ below.
            let new_s = (0..keep).map(|k| {
                let mut column: Vector = (0..keep).map(|i| t.get(i, k)).collect();
                column.push(rest(k));
                column
            });
            s = new_s.collect();
            x = new_x;
            kept.extend(next);
            basis = kept;
        }
        Err(NoConvergence)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A block-diagonal matrix with pairs a ± b i, some of them equal, mixed by a shear.
    #[test]
    fn pairs_and_multiple_eigenvalues_are_found() {
        let n = 120;
        let pair = |k: usize| {
            let k = (k / 2 * 2 / 4) as f64;
            (0.2 * k, 1.0 + k)
        };
        let apply = |z: &[Complex]| -> Vector {
            let mut y = z.to_vec();
            // x = (I + N) z, y = D x, back by I − N + N² …: N couples neighbours of the other half.
            for i in 0..n / 2 {
                y[i] += z[n / 2 + (7 * i) % (n / 2)].scale(0.5);
            }
            let x = y.clone();
            for k in 0..n / 2 {
                let (a, b) = pair(k);
                let (i, j) = (2 * k, 2 * k + 1);
                y[i] = x[i].scale(a) - x[j].scale(b);
                y[j] = x[i].scale(b) + x[j].scale(a);
            }
            let x = y.clone();
            for i in 0..n / 2 {
                y[i] -= x[n / 2 + (7 * i) % (n / 2)].scale(0.5);
            }
            y
        };
        let mut krylov = Krylov::new(n, apply);
        let mut reach = 0.0;
        krylov.begin(12, reach).unwrap();
        for _ in 0..12 {
            let mut sizes: Vec<f64> = krylov.values().iter().map(|x| x.abs()).collect();
            sizes.sort_by(|a, b| b.total_cmp(a));
            reach = sizes[11];
            if krylov.begin(2, reach).unwrap().is_none_or(|x| x < reach * 0.99) {
                break;
            }
        }
        let mut exact: Vec<f64> = (0..n / 2)
            .flat_map(|k| {
                let (a, b) = pair(k);
                [a.hypot(b), a.hypot(b)]
            })
            .collect();
        exact.sort_by(|a, b| b.total_cmp(a));
        let values = krylov.values();
        let mut sizes: Vec<f64> = values.iter().map(|x| x.abs()).collect();
        sizes.sort_by(|a, b| b.total_cmp(a));
        for k in 0..12 {
            assert!(
                (sizes[k] - exact[k]).abs() < 1e-9,
                "{k}: {} {}",
                sizes[k],
                exact[k]
            );
        }
        for (k, value) in values.iter().enumerate() {
            let x = krylov.vector(k);
            let ax = apply(&x);
            let worst = ax
                .iter()
                .zip(&x)
                .map(|(a, x)| (*a - *value * *x).abs())
                .fold(0.0, f64::max);
            assert!(worst < 1e-8 * length(&x), "{k} {worst:e}");
        }
    }
}
