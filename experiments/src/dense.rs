//! Small dense linear algebra of the oracle: singular values and systems with dependent rows.

/// A matrix by rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Entries.
    pub entries: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            entries: vec![0.0; rows * columns],
        }
    }

    /// A row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.columns..][..self.columns]
    }

    /// A row to write to.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.columns..][..self.columns]
    }

    /// Divides every row by its norm; rows of zeros stay. Returns the norms, one for zeros.
    pub fn normalise_rows(&mut self) -> Vec<f64> {
        (0..self.rows)
            .map(|i| {
                let row = self.row_mut(i);
                let n = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                let n = if n > 0.0 { n } else { 1.0 };
                row.iter_mut().for_each(|x| *x /= n);
                n
            })
            .collect()
    }

    /// The product with a vector.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let sum = |i| self.row(i).iter().zip(x).map(|(a, b)| a * b).sum();
        (0..self.rows).map(sum).collect()
    }
}

/// Singular values in descending order, one per row, and the right singular vectors that belong to them, as rows: one-sided
/// Jacobi rotations of the rows (M. R. Hestenes, J. SIAM 6 (1958) 51–90), accurate for small ones, too.
pub fn singular_values(a: &Matrix) -> (Vec<f64>, Matrix) {
    let mut a = a.clone();
    let m = a.rows;
    let squares = |i: usize| a.row(i).iter().map(|x| x * x).sum::<f64>();
    let nothing = 1e-30 * (0..m).map(squares).fold(0.0, f64::max);
    for _ in 0..60 {
        let mut turned = false;
        for p in 0..m {
            for q in p + 1..m {
                let (x, y) = a.entries.split_at_mut(q * a.columns);
                let (x, y) = (&mut x[p * a.columns..][..a.columns], &mut y[..a.columns]);
                let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
                for (x, y) in x.iter().zip(&*y) {
                    xx += x * x;
                    yy += y * y;
                    xy += x * y;
                }
                if xy.abs() <= 1e-15 * (xx * yy).sqrt() || xx.min(yy) <= nothing {
                    continue;
                }
                turned = true;
                let zeta = (yy - xx) / (2.0 * xy);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = c * t;
                for (x, y) in x.iter_mut().zip(y) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
        if !turned {
            break;
        }
    }
    let norms = a.normalise_rows_or_zero();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|i, j| norms[*j].total_cmp(&norms[*i]));
    let mut vectors = Matrix::zeros(m, a.columns);
    for (k, i) in order.iter().enumerate() {
        vectors.row_mut(k).copy_from_slice(a.row(*i));
    }
    (order.iter().map(|i| norms[*i]).collect(), vectors)
}

impl Matrix {
    /// Divides every row by its norm; the norms, zero for rows of zeros.
    fn normalise_rows_or_zero(&mut self) -> Vec<f64> {
        let zero: Vec<bool> = (0..self.rows)
            .map(|i| self.row(i).iter().all(|x| *x == 0.0))
            .collect();
        let norms = self.normalise_rows();
        let none = |(n, zero): (f64, bool)| if zero { 0.0 } else { n };
        norms.into_iter().zip(zero).map(none).collect()
    }
}

/// Rows by pivoting: Gram–Schmidt, twice is enough, always taking the row with the largest remainder.
#[derive(Clone, Debug, Default)]
pub struct IndependentRows {
    /// The rows taken, in this order.
    pub rows: Vec<usize>,
    /// Remainders of the rows taken, of normalised rows.
    pub remainders: Vec<f64>,
}

/// The `rank` most independent rows of a matrix whose rows have been normalised.
pub fn independent_rows(a: &Matrix, rank: usize) -> IndependentRows {
    let mut rest = a.clone();
    let mut left: Vec<usize> = (0..a.rows).collect();
    let mut found = IndependentRows::default();
    let n = a.columns;
    while found.rows.len() < rank && !left.is_empty() {
        let size = |i: usize| rest.row(i).iter().map(|x| x * x).sum::<f64>();
        let mut best = 0;
        let mut most = -1.0;
        for (k, &i) in left.iter().enumerate() {
            let s = size(i);
            if s > most {
                (best, most) = (k, s);
            }
        }
        let i = left.swap_remove(best);
        let norm = most.sqrt();
        let q: Vec<f64> = rest.row(i).iter().map(|x| x / norm.max(1e-300)).collect();
        for &j in &left {
            let row = &mut rest.entries[j * n..][..n];
            let s: f64 = row.iter().zip(&q).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(&q).for_each(|(a, b)| *a -= s * b);
        }
        found.rows.push(i);
        found.remainders.push(norm);
    }
    found
}

/// The smallest x with A x = b for independent rows: A = L Qᵀ, Householder-free by Gram–Schmidt with a second pass.
pub fn least_norm(a: &Matrix, b: &[f64]) -> Vec<f64> {
    let (m, n) = (a.rows, a.columns);
    let mut q = a.clone();
    let mut y = vec![0.0; m];
    let mut x = vec![0.0; n];
    for i in 0..m {
        let (before, rest) = q.entries.split_at_mut(i * n);
        let row = &mut rest[..n];
        let mut sum = 0.0;
        // The second pass only removes what rounding left.
        for _ in 0..2 {
            for j in 0..i {
                let qj = &before[j * n..][..n];
                let s: f64 = row.iter().zip(qj).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(qj).for_each(|(a, b)| *a -= s * b);
                sum += s * y[j];
            }
        }
        let r = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        y[i] = (b[i] - sum) / r;
        row.iter_mut().for_each(|x| *x /= r);
        for (x, q) in x.iter_mut().zip(&*row) {
            *x += y[i] * q;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn ranks_and_smallest_solutions() {
        let mut random = Random::new(3);
        for (rows, columns, rank) in [(5, 12, 5), (8, 12, 5), (20, 18, 11), (3, 6, 0)] {
            let left: Vec<f64> = (0..rows * rank).map(|_| random.normal()).collect();
            let right: Vec<f64> = (0..rank * columns).map(|_| random.normal()).collect();
            let mut a = Matrix::zeros(rows, columns);
            for i in 0..rows {
                for k in 0..rank {
                    for j in 0..columns {
                        a.entries[i * columns + j] += left[i * rank + k] * right[k * columns + j];
                    }
                }
            }
            let (s, v) = singular_values(&a);
            let trace: f64 = a.entries.iter().map(|x| x * x).sum();
            assert!((s.iter().map(|x| x * x).sum::<f64>() - trace).abs() <= 1e-12 * trace);
            assert_eq!(s.iter().filter(|x| **x > 1e-10 * s[0].max(1e-300)).count(), rank);
            let wanted: Vec<f64> = (0..columns).map(|_| random.normal()).collect();
            let b = a.times(&wanted);
            let found = independent_rows(&a, rank);
            let mut chosen = Matrix::zeros(rank, columns);
            let mut c = vec![0.0; rank];
            for (k, i) in found.rows.iter().enumerate() {
                chosen.row_mut(k).copy_from_slice(a.row(*i));
                c[k] = b[*i];
            }
            let x = least_norm(&chosen, &c);
            for (got, want) in a.times(&x).iter().zip(&b) {
                assert!((got - want).abs() < 1e-10);
            }
            // In the span of the rows: nothing is left after taking out the singular vectors.
            let mut rest = x.clone();
            for k in 0..rank {
                let s: f64 = v.row(k).iter().zip(&x).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(v.row(k)).for_each(|(r, v)| *r -= s * v);
            }
            assert!(rest.iter().all(|r| r.abs() < 1e-10));
        }
    }
}
