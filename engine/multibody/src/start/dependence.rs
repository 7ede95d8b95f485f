//! [`Dependence`]: how well chosen rows of a matrix stand for all of them.

use crate::formalism::eigen::dot;

/// Directions of which this much lies in a kernel stay what they are in it.
const CLOSE: f64 = 0.1;

/// Rows in memory of their own, with an orthonormal basis of the chosen ones. Nothing allocates after construction.
#[derive(Clone, Debug)]
pub(crate) struct Dependence {
    rows: usize,
    columns: usize,
    /// Row by row.
    b: Vec<f64>,
    chosen: Vec<usize>,
    /// Orthonormal rows, and the chosen rows in them: b = Σ r q, upper triangular, then its inverse.
    basis: Vec<f64>,
    r: Vec<f64>,
    /// Distances of the chosen rows from the span of the others.
    distances: Vec<f64>,
    /// A row in the chosen ones, and in the basis.
    shares: Vec<f64>,
    along: Vec<f64>,
}

impl Dependence {
    /// For at most so many rows, chosen ones, and columns.
    pub fn new(rows: usize, chosen: usize, columns: usize) -> Self {
        Self {
            rows: 0,
            columns: 0,
            b: vec![0.0; rows * columns],
            chosen: Vec::with_capacity(chosen),
            basis: vec![0.0; chosen * columns],
            r: vec![0.0; chosen * chosen],
            distances: vec![0.0; chosen],
            shares: vec![0.0; chosen],
            along: vec![0.0; chosen],
        }
    }

    /// Takes the matrix with these entries.
    pub fn set(&mut self, rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) {
        (self.rows, self.columns) = (rows, columns);
        for (i, row) in self.b.chunks_exact_mut(columns.max(1)).take(rows).enumerate() {
            for (j, x) in row.iter_mut().enumerate() {
                *x = entry(i, j);
            }
        }
    }

    /// Chooses rows.
    pub fn choose(&mut self, chosen: impl Iterator<Item = usize>) {
        self.chosen.clear();
        self.chosen.extend(chosen);
        self.factorise();
    }

    /// Puts a row in the place of the chosen one at `place`.
    pub fn swap(&mut self, place: usize, row: usize) {
        self.chosen[place] = row;
        self.factorise();
    }

    /// Gram–Schmidt, each row twice, and the inverse of what it gives.
    fn factorise(&mut self) {
        let (n, r) = (self.columns, self.chosen.len());
        self.r[..r * r].fill(0.0);
        for k in 0..r {
            let (before, rest) = self.basis.split_at_mut(k * n);
            let x = &mut rest[..n];
            let row = self.chosen[k];
            x.copy_from_slice(&self.b[row * n..(row + 1) * n]);
            let whole = dot(x, x).sqrt();
            for _ in 0..2 {
                for (i, q) in before.chunks_exact(n.max(1)).enumerate() {
                    let along = dot(q, x);
                    self.r[i * r + k] += along;
                    x.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
                }
            }
            // What is rounding has no direction.
            let length = dot(x, x).sqrt();
            let length = length.max(f64::EPSILON * whole).max(f64::MIN_POSITIVE.sqrt());
            x.iter_mut().for_each(|x| *x /= length);
            self.r[k * r + k] = length;
        }
        // The inverse in place, from the last column; entry (i, k) is at i * r + k.
        for k in 0..r {
            self.r[k * r + k] = 1.0 / self.r[k * r + k];
            for i in (0..k).rev() {
                // Columns before k hold the inverse, column k still the factor.
                let sum: f64 = (i..k).map(|l| self.r[i * r + l] * self.r[l * r + k]).sum();
                self.along[i] = -sum * self.r[k * r + k];
            }
            for i in 0..k {
                self.r[i * r + k] = self.along[i];
            }
        }
        for k in 0..r {
            let row = &self.r[k * r + k..(k + 1) * r];
            self.distances[k] = 1.0 / dot(row, row).sqrt();
        }
    }

    /// How far the chosen rows are from dependence: a lower bound of their smallest singular value, at most
    /// √(number) times less.
    pub fn distance(&self) -> f64 {
        let distances = &self.distances[..self.chosen.len()];
        let sum: f64 = distances.iter().map(|d| 1.0 / (d * d)).sum();
        if sum > 0.0 { 1.0 / sum.sqrt() } else { 1.0 }
    }

    /// How far directions lie outside of the kernel of the chosen rows: for orthonormal ones, each with `n` entries,
    /// the sum of the squares of the sines of the angles between both.
    pub fn across(&self, directions: &[f64], n: usize) -> f64 {
        let basis = || self.basis.chunks_exact(n.max(1)).take(self.chosen.len());
        let squares = directions
            .chunks_exact(n.max(1))
            .map(|d| basis().map(|q| dot(q, d).powi(2)).sum::<f64>());
        squares.sum()
    }

    /// An orthonormal basis of the kernel of the chosen rows, one direction after the other: as near as possible to the
    /// directions given, any where these are zero.
    pub fn kernel(&self, out: &mut [f64], n: usize) {
        let basis = self.basis.chunks_exact(n.max(1)).take(self.chosen.len());
        for k in 0..out.len() / n.max(1) {
            let (before, rest) = out.split_at_mut(k * n);
            let x = &mut rest[..n];
            let project = |x: &mut [f64]| {
                for _ in 0..2 {
                    for q in basis.clone().chain(before.chunks_exact(n.max(1))) {
                        let along = dot(q, x);
                        x.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
                    }
                }
                let length = dot(x, x).sqrt();
                x.iter_mut()
                    .for_each(|x| *x /= length.max(f64::MIN_POSITIVE.sqrt()));
                length
            };
            if project(x) > CLOSE {
                continue;
            }
            // What is left of unit vectors: the longest has the most digits.
            let left = |j: usize| {
                let of = |q: &[f64]| q[j] * q[j];
                let taken = basis.clone().map(of).sum::<f64>();
                1.0 - taken - before.chunks_exact(n.max(1)).map(of).sum::<f64>()
            };
            let best = (0..n).fold((0, f64::MIN), |best, j| {
                let rest = left(j);
                if rest > best.1 { (j, rest) } else { best }
            });
            x.fill(0.0);
            x[best.0] = 1.0;
            project(x);
        }
    }

    /// The sign of the determinant of the chosen rows with the directions of a kernel after them.
    pub fn side(&self, kernel: &[f64], n: usize, room: &mut [f64]) -> f64 {
        let rows = self.chosen.len() * n;
        let a = &mut room[..rows + kernel.len()];
        a[..rows].copy_from_slice(&self.basis[..rows]);
        a[rows..].copy_from_slice(kernel);
        let mut sign = 1.0;
        for k in 0..n {
            let best = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()));
            let best = best.unwrap_or(k);
            if best != k {
                for j in k..n {
                    a.swap(k * n + j, best * n + j);
                }
                sign = -sign;
            }
            let pivot = a[k * n + k];
            if pivot < 0.0 {
                sign = -sign;
            }
            for i in k + 1..n {
                let factor = a[i * n + k] / pivot;
                for j in k + 1..n {
                    a[i * n + j] -= factor * a[k * n + j];
                }
            }
        }
        sign
    }

    /// The smallest x for which the chosen rows times x are these values, one for each row of the matrix.
    pub fn nearest(&mut self, values: &[f64], x: &mut [f64]) {
        let (n, r) = (self.columns, self.chosen.len());
        x.fill(0.0);
        for (k, q) in self.basis.chunks_exact(n.max(1)).take(r).enumerate() {
            let along: f64 = (0..=k).map(|i| self.r[i * r + k] * values[self.chosen[i]]).sum();
            x.iter_mut().zip(q).for_each(|(x, q)| *x += along * q);
        }
    }

    /// The largest of the values of chosen rows.
    pub fn most_of_chosen(&self, values: &[f64]) -> f64 {
        self.chosen.iter().fold(0.0, |most, &i| values[i].abs().max(most))
    }

    /// The row, and the place of the chosen one, for which it would be better by the largest factor: at least by
    /// `factor`, and further than `least` from the span of the other chosen ones. Its shares are kept.
    pub fn better(
        &mut self,
        factor: f64,
        least: f64,
        may: impl Fn(usize, usize) -> bool,
    ) -> Option<(usize, usize)> {
        let mut best = None;
        let mut most = factor;
        for i in 0..self.rows {
            if self.chosen.contains(&i) {
                continue;
            }
            self.express(i);
            for (k, z) in self.shares[..self.chosen.len()].iter().enumerate() {
                if z.abs() > most && z.abs() * self.distances[k] > least && may(i, k) {
                    most = z.abs();
                    best = Some((i, k));
                }
            }
        }
        if let Some((i, _)) = best {
            self.express(i);
        }
        best
    }

    /// Shares of the chosen rows in a row, as near as they come to it.
    fn express(&mut self, row: usize) {
        let (n, r) = (self.columns, self.chosen.len());
        let b = &self.b[row * n..(row + 1) * n];
        for (along, q) in self
            .along
            .iter_mut()
            .zip(self.basis.chunks_exact(n.max(1)))
            .take(r)
        {
            *along = dot(q, b);
        }
        for k in 0..r {
            let row = &self.r[k * r + k..(k + 1) * r];
            self.shares[k] = dot(row, &self.along[k..r]);
        }
    }

    /// Shares of the chosen rows in the last row that was [better](Self::better).
    pub fn shares(&self) -> &[f64] {
        &self.shares[..self.chosen.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_the_place_of_one_that_has_become_dependent() {
        // Rows 0 and 1 are nearly parallel; row 2 = 100 row 1 − 100 row 0 lies across.
        let b = [[1.0, 0.0, 0.0], [1.0, 0.01, 0.0], [0.0, 1.0, 0.0]];
        let mut dependence = Dependence::new(3, 2, 3);
        dependence.set(3, 3, |i, j| b[i][j]);
        dependence.choose([0, 1].into_iter());
        assert!((dependence.distance() - 0.00707).abs() < 1e-4);
        let found = dependence.better(5.0, 1e-6, |_, _| true);
        assert!(matches!(found, Some((2, _))));
        let z = dependence.shares();
        assert!((z[0] + 100.0).abs() < 1e-9 && (z[1] - 100.0).abs() < 1e-9);
        dependence.swap(1, 2);
        assert!((dependence.distance() - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(dependence.better(5.0, 1e-6, |_, _| true), None);
    }

    #[test]
    fn kernels_tell_how_far_directions_turn() {
        let b = [[1.0, 2.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0]];
        let mut dependence = Dependence::new(2, 2, 4);
        dependence.set(2, 4, |i, j| b[i][j]);
        dependence.choose([0, 1].into_iter());
        let mut kernel = [0.0; 8];
        dependence.kernel(&mut kernel, 4);
        for k in kernel.chunks_exact(4) {
            assert!((dot(k, k) - 1.0).abs() < 1e-14);
            assert!(b.iter().all(|row| dot(row, k).abs() < 1e-14));
        }
        assert!(dot(&kernel[..4], &kernel[4..]).abs() < 1e-14);
        assert!(dependence.across(&kernel, 4) < 1e-28);
        // A turn by 0.1 rad of one of both.
        let q = [1.0 / 5.0_f64.sqrt(), 2.0 / 5.0_f64.sqrt(), 0.0, 0.0];
        let (s, c) = 0.1_f64.sin_cos();
        let turned: Vec<f64> = kernel[..4].iter().zip(q).map(|(k, q)| c * k + s * q).collect();
        assert!((dependence.across(&turned, 4) - s * s).abs() < 1e-14);
        let mut x = [0.0; 4];
        dependence.nearest(&[3.0, -1.0], &mut x);
        assert!((dot(&b[0], &x) - 3.0).abs() < 1e-14 && (dot(&b[1], &x) + 1.0).abs() < 1e-14);
        // The same directions again, and the sense they have with the rows.
        let before = kernel;
        dependence.kernel(&mut kernel, 4);
        assert!(kernel.iter().zip(before).all(|(a, b)| (a - b).abs() < 1e-14));
        let mut room = [0.0; 16];
        let side = dependence.side(&kernel, 4, &mut room);
        kernel[..4].iter_mut().for_each(|x| *x = -*x);
        assert!(side.abs() == 1.0 && dependence.side(&kernel, 4, &mut room) == -side);
        let mut along = [0.0; 4];
        dependence.kernel(&mut kernel, 4);
        for k in kernel.chunks_exact(4) {
            let part = dot(&x, k);
            along.iter_mut().zip(k).for_each(|(a, k)| *a += part * k);
        }
        assert!(dot(&along, &along) < 1e-28);
    }

    #[test]
    fn nothing_is_better_where_all_rows_are_dependent() {
        let b = [[1.0, 0.0], [1.0, 1e-9], [1e-9, 1e-8]];
        let mut dependence = Dependence::new(3, 2, 2);
        dependence.set(3, 2, |i, j| b[i][j]);
        dependence.choose([0, 1].into_iter());
        assert_eq!(dependence.better(5.0, 1e-6, |_, _| true), None);
        // Not even a number is asked of rows that are zero.
        dependence.set(3, 2, |_, _| 0.0);
        dependence.choose([0, 1].into_iter());
        assert!(dependence.distance() < 1e-100);
        assert_eq!(dependence.better(5.0, 1e-6, |_, _| true), None);
    }
}
