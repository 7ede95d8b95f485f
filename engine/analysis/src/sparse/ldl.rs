//! A = L D Lᵀ of symmetric matrices without exchanges: the signs of D count eigenvalues (Sylvester's law of inertia).
//!
//! The order is that of minimum degree; columns of the factor follow from the elimination tree, row by row
//! [Davis 2005]. Without exchanges the factors of an indefinite matrix may grow. Growth is measured, and callers
//! move their shift where it is large.

use super::Sparse;
use holonom_dae::Pattern;
use holonom_solver::linear::{approximate_minimum_degree, postordered};

/// Growth of entries by elimination that leaves enough digits for counting.
const GROWTH: f64 = 1e7;

const NONE: u32 = u32::MAX;

/// Factors of symmetric matrices with one pattern.
pub struct Ldl {
    order: Vec<usize>,
    /// Upper triangle of the permuted matrix by columns: row, place in the values of the original.
    upper: Vec<Vec<(u32, u32)>>,
    parent: Vec<u32>,
    start: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

/// Signs of the pivots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Negative ones.
    pub negative: usize,
    /// Largest entry met in elimination, in parts of the largest of the matrix.
    pub growth: f64,
    /// Smallest pivot, in parts of the same.
    pub smallest: f64,
}

impl Ldl {
    /// Order and structure for a symmetric pattern.
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.n_columns();
        let diagonal: Vec<usize> = (0..n).collect();
        let order = approximate_minimum_degree(pattern, &diagonal);
        let order = postordered(pattern, &diagonal, &order);
        let mut place = vec![0u32; n];
        for (k, &j) in order.iter().enumerate() {
            place[j] = k as u32;
        }
        let mut upper = vec![Vec::new(); n];
        for j in 0..n {
            for (p, &i) in pattern.range(j).zip(pattern.column(j)) {
                let (row, column) = (place[i], place[j]);
                if row <= column {
                    upper[column as usize].push((row, p as u32));
                }
            }
        }
        // Elimination tree and lengths of the columns.
        let (mut parent, mut flag) = (vec![NONE; n], vec![NONE; n]);
        let mut length = vec![0usize; n];
        for k in 0..n {
            flag[k] = k as u32;
            for &(i, _) in &upper[k] {
                let mut i = i as usize;
                while i < k && flag[i] != k as u32 {
                    if parent[i] == NONE {
                        parent[i] = k as u32;
                    }
                    length[i] += 1;
                    flag[i] = k as u32;
                    i = parent[i] as usize;
                }
            }
        }
        let mut start = vec![0; n + 1];
        for k in 0..n {
            start[k + 1] = start[k] + length[k];
        }
        let entries = start[n];
        Self {
            order,
            upper,
            parent,
            start,
            rows: vec![0; entries],
            values: vec![0.0; entries],
            diagonal: vec![0.0; n],
        }
    }

    /// Factorises a matrix with these values at the places of the pattern.
    pub fn factorise(&mut self, values: &[f64]) -> Inertia {
        let n = self.order.len();
        let mut y = vec![0.0; n];
        let (mut flag, mut path, mut stack) = (vec![NONE; n], vec![0u32; n], vec![0u32; n]);
        let mut length = vec![0usize; n];
        let size = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let tiny = f64::EPSILON * f64::EPSILON * size;
        let (mut negative, mut largest, mut smallest) = (0, 0.0_f64, f64::INFINITY);
        for k in 0..n {
            let mut top = n;
            flag[k] = k as u32;
            for &(i, p) in &self.upper[k] {
                y[i as usize] += values[p as usize];
                let (mut i, mut count) = (i as usize, 0);
                while flag[i] != k as u32 {
                    path[count] = i as u32;
                    count += 1;
                    flag[i] = k as u32;
                    i = self.parent[i] as usize;
                }
                while count > 0 {
                    top -= 1;
                    count -= 1;
                    stack[top] = path[count];
                }
            }
            let mut d = y[k];
            y[k] = 0.0;
            for &i in &stack[top..] {
                let i = i as usize;
                let yi = y[i];
                y[i] = 0.0;
                let column = self.start[i]..self.start[i] + length[i];
                for (r, l) in self.rows[column.clone()].iter().zip(&self.values[column.clone()]) {
                    y[*r as usize] -= l * yi;
                }
                let l = yi / self.diagonal[i];
                d -= l * yi;
                largest = largest.max((l * yi).abs());
                self.rows[column.end] = k as u32;
                self.values[column.end] = l;
                length[i] += 1;
            }
            if d.abs() <= tiny {
                // A pivot of rounding: any sign may be right, and growth tells so.
                d = if d < 0.0 {
                    -tiny
                } else {
                    tiny.max(f64::MIN_POSITIVE)
                };
            }
            largest = largest.max(d.abs());
            smallest = smallest.min(d.abs());
            negative += usize::from(d < 0.0);
            self.diagonal[k] = d;
        }
        Inertia {
            negative,
            growth: if size > 0.0 { largest / size } else { 1.0 },
            smallest: if size > 0.0 { smallest / size } else { 0.0 },
        }
    }

    /// x := A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.order.len();
        let mut y: Vec<f64> = self.order.iter().map(|&j| x[j]).collect();
        for k in 0..n {
            let yk = y[k];
            let column = self.start[k]..self.start[k + 1];
            for (r, l) in self.rows[column.clone()].iter().zip(&self.values[column]) {
                y[*r as usize] -= l * yk;
            }
        }
        for k in (0..n).rev() {
            let column = self.start[k]..self.start[k + 1];
            let entries = self.rows[column.clone()].iter().zip(&self.values[column]);
            let sum: f64 = entries.map(|(r, l)| l * y[*r as usize]).sum();
            y[k] = y[k] / self.diagonal[k] - sum;
        }
        for (y, &j) in y.iter().zip(&self.order) {
            x[j] = *y;
        }
    }
}

/// Two symmetric matrices on one pattern, for factors of A − σ B.
pub struct Pair {
    /// The common pattern, with the whole diagonal.
    pub pattern: Pattern,
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Pair {
    /// Both matrices in the union of their patterns.
    pub fn new(a: &Sparse, b: &Sparse) -> Self {
        let n = a.rows();
        let places = a.entries().chain(b.entries()).map(|(i, j, _)| (i, j));
        // The mean with the transpose, as the two differ by rounding.
        let places = places.flat_map(|(i, j)| [(i, j), (j, i)]);
        let pattern = Pattern::from_entries(n, n, places.chain((0..n).map(|i| (i, i))));
        let fill = |from: &Sparse| {
            let mut all = Sparse::zeros(pattern.clone());
            for (i, j, x) in from.entries() {
                all.add(i, j, 0.5 * x);
                all.add(j, i, 0.5 * x);
            }
            all.values
        };
        let (a, b) = (fill(a), fill(b));
        Self { pattern, a, b }
    }

    /// A.
    #[cfg(test)]
    pub fn a(&self) -> Sparse {
        Sparse {
            pattern: self.pattern.clone(),
            values: self.a.clone(),
        }
    }

    /// B.
    pub fn b(&self) -> Sparse {
        Sparse {
            pattern: self.pattern.clone(),
            values: self.b.clone(),
        }
    }

    /// Values of A − σ B.
    pub fn shifted(&self, sigma: f64) -> Vec<f64> {
        self.a.iter().zip(&self.b).map(|(a, b)| a - sigma * b).collect()
    }

    /// The number of eigenvalues of A x = λ B x below σ, B being positive definite; none where elimination is
    /// doubtful there.
    pub fn below(&self, factors: &mut Ldl, sigma: f64) -> Option<usize> {
        let inertia = factors.factorise(&self.shifted(sigma));
        (inertia.growth <= GROWTH).then_some(inertia.negative)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::dense::{Matrix, symmetric_eigen};

    #[test]
    fn signs_of_pivots_count_eigenvalues_and_factors_solve() {
        for n in [1usize, 2, 5, 40] {
            let mut seed = 11 + n as u64;
            let mut next = || {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (seed >> 33) as f64 / f64::from(1u32 << 30) - 1.0
            };
            let mut triplets = Vec::new();
            for i in 0..n {
                triplets.push((i, i, 3.0 * next()));
                for _ in 0..2 {
                    let j = ((next() + 1.0) * 0.5 * n as f64) as usize % n;
                    let x = next();
                    triplets.push((i, j, x));
                    triplets.push((j, i, x));
                }
            }
            let a = Sparse::from_triplets(n, n, &triplets);
            let pair = Pair::new(&a, &Sparse::from_dense(&Matrix::identity(n)));
            let (values, _) = symmetric_eigen(a.to_dense()).unwrap();
            let mut ldl = Ldl::new(&pair.pattern);
            let mut counted = 0;
            for k in 0..=40 {
                let sigma = -4.0 + 0.2 * f64::from(k);
                if let Some(below) = pair.below(&mut ldl, sigma) {
                    counted += 1;
                    assert_eq!(
                        below,
                        values.iter().filter(|x| **x < sigma).count(),
                        "{n} {sigma}"
                    );
                }
            }
            assert!(counted > 35);
            ldl.factorise(&pair.shifted(-20.0));
            let x: Vec<f64> = (0..n).map(|_| next()).collect();
            let mut b = a.times(&x);
            b.iter_mut().zip(&x).for_each(|(b, x)| *b += 20.0 * x);
            ldl.solve(&mut b);
            assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-13));
        }
    }
}
