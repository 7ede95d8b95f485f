//! Gaussian elimination whose work depends on the size alone.
//!
//! `lu-dense` stops at what is not finite and mends vanished pivots; a step in real time must do
//! the same work whatever the numbers are. A singular matrix gives infinities or NaN in the solution, which
//! the caller notices there.

/// P A = L U of a dense matrix, column by column.
#[derive(Clone, Debug)]
pub struct BoundedSolver {
    n: usize,
    values: Vec<f64>,
    scale: Vec<f64>,
    pivots: Vec<usize>,
}

impl BoundedSolver {
    /// Allocates for n rows.
    pub fn new(n: usize) -> Self {
        Self {
            n,
            values: vec![0.0; n * n],
            scale: vec![0.0; n],
            pivots: vec![0; n],
        }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.n
    }

    /// The matrix, to be filled before [`factorise`](Self::factorise).
    pub fn matrix(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Multiplications and additions of a factorisation.
    pub fn factorisation_flops(&self) -> u64 {
        let n = self.n as u64;
        // Σ over pivots of (rows below) divisions and 2 (rows below)² updates.
        (0..n).map(|k| (n - 1 - k) * (2 * (n - 1 - k) + 1)).sum()
    }

    /// Multiplications and additions of a solve.
    pub fn solve_flops(&self) -> u64 {
        let n = self.n as u64;
        2 * n * n
    }

    /// Factorises in place, pivots by size relative to their row.
    pub fn factorise(&mut self) {
        let n = self.n;
        self.scale.fill(0.0);
        for column in self.values.chunks_exact(n.max(1)) {
            for (s, a) in self.scale.iter_mut().zip(column) {
                *s = s.max(a.abs());
            }
        }
        for s in &mut self.scale {
            *s = if *s > 0.0 { 1.0 / *s } else { 1.0 };
        }
        for k in 0..n {
            // The largest entry of the column, measured by its row.
            let (mut p, mut largest) = (k, -1.0);
            for i in k..n {
                let size = self.values[i + k * n].abs() * self.scale[i];
                let better = size > largest;
                p = if better { i } else { p };
                largest = if better { size } else { largest };
            }
            self.pivots[k] = p;
            // Exchanged even where nothing changes: the same work every time.
            for j in 0..n {
                self.values.swap(k + j * n, p + j * n);
            }
            self.scale.swap(k, p);
            let reciprocal = 1.0 / self.values[k + k * n];
            let (left, right) = self.values.split_at_mut((k + 1) * n);
            let pivot = &mut left[k * n + k + 1..];
            for l in pivot.iter_mut() {
                *l *= reciprocal;
            }
            for column in right.chunks_exact_mut(n) {
                let u = column[k];
                for (a, l) in column[k + 1..].iter_mut().zip(pivot.iter()) {
                    *a -= l * u;
                }
            }
        }
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        // L is stored in the order of the pivots: all exchanges come first.
        for k in 0..n {
            b.swap(k, self.pivots[k]);
        }
        for k in 0..n {
            let x = b[k];
            for (b, l) in b[k + 1..]
                .iter_mut()
                .zip(&self.values[k * n + k + 1..(k + 1) * n])
            {
                *b -= l * x;
            }
        }
        for k in (0..n).rev() {
            let x = b[k] / self.values[k + k * n];
            b[k] = x;
            for (b, u) in b[..k].iter_mut().zip(&self.values[k * n..k * n + k]) {
                *b -= u * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_badly_scaled_saddles() {
        // (K Gᵀ; G 0) with K of 1e9 and G of 1e-3, exact solution (1, 2, 3).
        let a = [2e9, 1e9, 1e-3, 1e9, 3e9, -1e-3, 1e-3, -1e-3, 0.0];
        let x = [1.0, 2.0, 3.0];
        let mut b: Vec<f64> = (0..3)
            .map(|i| (0..3).map(|j| a[i + 3 * j] * x[j]).sum())
            .collect();
        let mut lu = BoundedSolver::new(3);
        lu.matrix().copy_from_slice(&a);
        lu.factorise();
        lu.solve(&mut b);
        // λ comes from a balance of terms that are 1e12 times as large.
        for (b, (x, tolerance)) in b.iter().zip(x.iter().zip([1e-13, 1e-13, 1e-2])) {
            assert!((b - x).abs() < tolerance, "{b} for {x}");
        }
    }

    /// Every pivot comes from somewhere else.
    #[test]
    fn solves_with_many_exchanges() {
        let n = 7;
        let entry = |i: usize, j: usize| {
            let far = (i + 3 * j) % n;
            if far == 2 {
                10.0 + i as f64
            } else {
                ((7 * i + 5 * j + i * j) % 11) as f64 / 11.0
            }
        };
        let mut lu = BoundedSolver::new(n);
        for j in 0..n {
            for i in 0..n {
                lu.matrix()[i + j * n] = entry(i, j);
            }
        }
        let x: Vec<f64> = (0..n).map(|i| 1.0 - 0.3 * i as f64).collect();
        let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
        lu.factorise();
        lu.solve(&mut b);
        for (b, x) in b.iter().zip(&x) {
            assert!((b - x).abs() < 1e-13, "{b} for {x}");
        }
    }

    #[test]
    fn singular_shows_in_the_solution() {
        let mut lu = BoundedSolver::new(2);
        lu.matrix().copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        lu.factorise();
        let mut b = [1.0, 1.0];
        lu.solve(&mut b);
        assert!(b.iter().any(|x| !x.is_finite()));
    }

    #[test]
    fn counts_its_work() {
        // n³·2/3 to leading order.
        let lu = BoundedSolver::new(30);
        let expected = 2.0 / 3.0 * 27000.0;
        assert!((lu.factorisation_flops() as f64 / expected - 1.0).abs() < 0.05);
        assert_eq!(lu.solve_flops(), 1800);
    }
}
