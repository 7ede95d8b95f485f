//! Singular values by one-sided Jacobi turns [Hestenes 1958].

use super::{Matrix, dot};

/// Cosines between columns that count as zero.
const ORTHOGONAL: f64 = 1e-15;

/// Sweeps at most; 6 to 10 are usual.
const SWEEPS: usize = 60;

/// A = U Σ Vᵀ with the columns of U Σ together.
#[derive(Clone, Debug)]
pub struct Svd {
    /// U Σ.
    scaled: Matrix,
    /// V.
    pub right: Matrix,
    /// Singular values, the largest first.
    pub values: Vec<f64>,
}

impl Svd {
    /// Turns the columns of a matrix until they are orthogonal.
    pub fn new(a: &Matrix) -> Self {
        let n = a.columns();
        let mut u = a.clone();
        let mut v = Matrix::identity(n);
        let floor = (0..n).map(|j| dot(u.column(j), u.column(j))).fold(0.0, f64::max) * 1e-31;
        for _ in 0..SWEEPS {
            let mut turned = false;
            for q in 1..n {
                for p in 0..q {
                    let (xx, yy) = (dot(u.column(p), u.column(p)), dot(u.column(q), u.column(q)));
                    let xy = dot(u.column(p), u.column(q));
                    if !(xx > floor && yy > floor && xy.abs() > ORTHOGONAL * (xx * yy).sqrt()) {
                        continue;
                    }
                    turned = true;
                    let zeta = (yy - xx) / (2.0 * xy);
                    let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                    let c = 1.0 / t.hypot(1.0);
                    turn(&mut u, p, q, c, c * t);
                    turn(&mut v, p, q, c, c * t);
                }
            }
            if !turned {
                break;
            }
        }
        let length = |j: usize| dot(u.column(j), u.column(j)).sqrt();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| length(b).total_cmp(&length(a)));
        let rows: Vec<usize> = (0..a.rows()).collect();
        let all: Vec<usize> = (0..n).collect();
        Self {
            values: order.iter().map(|&j| length(j)).collect(),
            scaled: u.part(&rows, &order),
            right: v.part(&all, &order),
        }
    }

    /// Number of singular values above a threshold.
    pub fn rank(&self, threshold: f64) -> usize {
        self.values.iter().filter(|s| **s > threshold).count()
    }

    /// An orthonormal basis of what A maps to less than the threshold.
    pub fn null_space(&self, threshold: f64) -> Matrix {
        let rank = self.rank(threshold);
        let n = self.right.rows();
        Matrix::from_fn(n, n - rank, |i, j| self.right[(i, rank + j)])
    }

    /// The shortest x of all with the smallest |A x − b|; singular values below the threshold count as
    /// zero.
    pub fn least_squares(&self, b: &[f64], threshold: f64) -> Vec<f64> {
        let mut x = vec![0.0; self.right.rows()];
        for k in 0..self.rank(threshold) {
            let sigma = self.values[k];
            let along = dot(self.scaled.column(k), b) / (sigma * sigma);
            for (x, v) in x.iter_mut().zip(self.right.column(k)) {
                *x += along * v;
            }
        }
        x
    }
}

fn turn(a: &mut Matrix, p: usize, q: usize, c: f64, s: f64) {
    for i in 0..a.rows() {
        let (x, y) = (a[(i, p)], a[(i, q)]);
        a[(i, p)] = c * x - s * y;
        a[(i, q)] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_of_rank_two() {
        let a = Matrix::from_fn(4, 3, |i, j| {
            (1.0 + i as f64) * (1.0 + j as f64) + f64::from(u8::from(i == j && i < 1))
        });
        let svd = Svd::new(&a);
        assert_eq!(svd.rank(1e-12 * svd.values[0]), 2);
        let null = svd.null_space(1e-12);
        assert_eq!(null.columns(), 1);
        assert!(a.times(&null).norm() < 1e-13);
        let x = svd.least_squares(&a.times_vector(&[1.0, 2.0, 3.0]), 1e-12);
        let rest: f64 = (0..4)
            .map(|i| {
                (0..3)
                    .map(|j| a[(i, j)] * (x[j] - 1.0 - j as f64))
                    .sum::<f64>()
                    .abs()
            })
            .sum();
        assert!(rest < 1e-12);
        assert!(dot(&x, null.column(0)).abs() < 1e-13);
    }
}
