//! `lu-dense`: LU of a full matrix with partial pivoting, P A = L U.
//!
//! The matrices are small, so the whole cost is in short loops. Columns are stored with a length
//! rounded up to a multiple of four, so that everything runs over whole groups of four rows; up to
//! 32 rows the elimination is that of `lu_small.rs`, above that of `lu_blocked.rs`. Pivots are
//! compared after a row equilibration that is never carried out, see `scaling.rs`.

use super::condition::{inverse_norm_1, solve_refined};
use super::lu_blocked::{B, add_product, columns_of, largest_scaled, rank_four};
use super::lu_small::{SMALL, SmallTask, eliminate_small};
use super::scaling::{NOT_FINITE, fused, larger, magnitude, power_of_two};
use super::{Entry, Factorised, Factors, LinearSolver, Matrix, Singular, diagnose};
use crate::state::State;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Name in options and reports.
pub(super) const NAME: &str = "lu-dense";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "dense LU with partial pivoting on equilibrated rows",
    literature: "Golub, Van Loan 2013, §3.4",
    sparse: false,
    needs_pattern: false,
    complex: true,
    options: None,
    build: |n, _, _| Box::new(LuDense::new(n)),
};

/// Dense LU with partial pivoting.
#[derive(Clone, Debug)]
pub struct LuDense {
    state: DenseState,
    /// Where the factors are not zero.
    shapes: Vec<BlockShape>,
    // scratch, filled by `equilibrate`
    magnitudes: Vec<i64>,
    column_max: Vec<f64>,
    small: Vec<f64>,
    // scratch of the solves
    x: Vec<f64>,
    residual: Vec<f64>,
    work: Vec<f64>,
}

/// What the next solve of [`LuDense`] depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DenseState {
    pub(super) n: usize,
    /// n rounded up to a multiple of four.
    pub(super) stride: usize,
    /// L below the diagonal (its own is one), U on and above; the identity in the rounded-up part.
    pub(super) values: Vec<f64>,
    pub(super) reciprocal_pivots: Vec<f64>,
    /// Row exchanged with row k in step k.
    pub(super) exchanges: Vec<u32>,
    pub(super) row_order: Vec<u32>,
    column_order: Vec<u32>,
    /// Scale of each row, in the order of the pivots; zero in the rounded-up part.
    pub(super) row_scale: Vec<f64>,
    is_factorised: bool,
}

/// Where four columns of the factors are not zero. Kinematic rows q̇ = v give factors that are diagonal for half of
/// the columns; a solve is bound by the latency of what depends on each other, so that it pays not to wait for zeros.
/// Left out is what adds ±0 only.
#[derive(Clone, Debug, Default)]
struct BlockShape {
    /// Whether L and U are diagonal within the block.
    diagonal: (bool, bool),
    /// Rows below and above the block, in whole groups of four.
    below: Range<usize>,
    above: Range<usize>,
    /// Above the diagonal of the block: U with its rows divided by their pivots, so that no unknown waits for a product
    /// with the reciprocal of its own.
    upper: Upper,
}

/// u₀₁, u₀₂, u₀₃, u₁₂, u₁₃, u₂₃ of a block.
type Upper = [f64; 6];

/// x := L⁻¹ x within a block; `l[j][i]`.
#[inline(always)]
fn solve_lower(l: [&[f64; B]; 3], x: &mut [f64; B]) {
    x[1] = fused(-l[0][1], x[0], x[1]);
    x[2] = fused(-l[1][2], x[1], fused(-l[0][2], x[0], x[2]));
    x[3] = fused(-l[2][3], x[2], fused(-l[1][3], x[1], fused(-l[0][3], x[0], x[3])));
}

/// x := U⁻¹ x within a block, with the reciprocals `d` of the pivots.
#[inline(always)]
fn solve_upper([u01, u02, u03, u12, u13, u23]: &Upper, d: &[f64; B], x: &mut [f64; B]) {
    *x = std::array::from_fn(|i| x[i] * d[i]);
    x[2] = fused(-u23, x[3], x[2]);
    x[1] = fused(-u12, x[2], fused(-u13, x[3], x[1]));
    x[0] = fused(-u01, x[1], fused(-u02, x[2], fused(-u03, x[3], x[0])));
}

/// How an elimination ended.
pub(super) enum Elimination {
    /// Largest growth of an entry relative to its column.
    Done { growth: f64 },
    /// The first step whose pivot vanished; it was replaced by a tiny one.
    Vanished { k: usize },
    /// The matrix has an entry that is not finite.
    NotFinite,
}

impl LuDense {
    /// A solver for matrices of size `n`.
    pub fn new(n: usize) -> Self {
        let stride = n.next_multiple_of(B);
        let mut values = vec![0.0; stride * stride];
        for k in n..stride {
            values[k + k * stride] = 1.0;
        }
        Self {
            state: DenseState {
                n,
                stride,
                values,
                reciprocal_pivots: vec![1.0; stride],
                exchanges: vec![0; n],
                row_order: (0..n as u32).collect(),
                column_order: (0..n as u32).collect(),
                row_scale: vec![0.0; stride],
                is_factorised: false,
            },
            shapes: vec![BlockShape::default(); stride / B],
            magnitudes: vec![0; stride],
            column_max: vec![0.0; n],
            small: vec![0.0; if n <= SMALL { stride * n } else { 0 }],
            x: vec![0.0; stride],
            residual: vec![0.0; n],
            work: vec![0.0; 2 * n],
        }
    }

    /// Copies A to where it is eliminated.
    fn load(&mut self, a: &Matrix) {
        let DenseState {
            n, stride, values, ..
        } = &mut self.state;
        let (n, stride) = (*n, *stride);
        assert_eq!(a.n(), n, "matrix of size {}, solver of size {n}", a.n());
        let values = if n <= SMALL { &mut self.small } else { values };
        match a {
            Matrix::Dense { values: source, .. } if n == stride => {
                values[..n * n].copy_from_slice(source);
            }
            Matrix::Dense { values: source, .. } => {
                for j in 0..n {
                    let target = values[j * stride..j * stride + n].iter_mut();
                    for (t, s) in target.zip(&source[j * n..(j + 1) * n]) {
                        *t = *s;
                    }
                }
            }
            Matrix::Sparse { .. } => {
                for j in 0..n {
                    values[j * stride..j * stride + n].fill(0.0);
                }
                a.for_each(|i, j, v| values[i + j * stride] = v);
            }
        }
    }

    /// Finds the row scales and the largest scaled magnitude in each column; whether all entries
    /// are finite.
    fn equilibrate(&mut self) -> bool {
        let DenseState {
            n,
            stride,
            values,
            row_order,
            row_scale,
            ..
        } = &mut self.state;
        let (n, stride) = (*n, *stride);
        self.magnitudes.fill(0);
        for column in values.chunks_exact(stride).take(n) {
            let largest = self.magnitudes.as_chunks_mut::<B>().0.iter_mut();
            for (m, v) in largest.zip(column.as_chunks::<B>().0) {
                for i in 0..B {
                    m[i] = m[i].max(magnitude(v[i]));
                }
            }
        }
        let mut is_finite = true;
        for i in 0..n {
            is_finite &= self.magnitudes[i] < NOT_FINITE;
            row_scale[i] = power_of_two(self.magnitudes[i]);
            row_order[i] = i as u32;
        }
        for (m, column) in self.column_max.iter_mut().zip(values.chunks_exact(stride)) {
            *m = largest_scaled(column, row_scale);
        }
        is_finite
    }

    /// P A = L U in place.
    fn eliminate(&mut self) -> Elimination {
        let n = self.state.n;
        if n <= SMALL {
            return eliminate_small(SmallTask {
                n,
                matrix: &mut self.small,
                column_max: &mut self.column_max,
                row_scale: &mut self.state.row_scale,
                values: &mut self.state.values,
                reciprocal_pivots: &mut self.state.reciprocal_pivots,
                row_order: &mut self.state.row_order,
            });
        }
        if !self.equilibrate() {
            return Elimination::NotFinite;
        }
        match self.state.eliminate_blocked(&self.column_max) {
            Some(k) => Elimination::Vanished { k },
            None => Elimination::Done {
                growth: self.pivot_growth(),
            },
        }
    }

    /// max_j (max_i |u_ij| / max_i |a_ij|) of the scaled matrix.
    fn pivot_growth(&self) -> f64 {
        let DenseState {
            n,
            stride,
            values,
            row_scale,
            ..
        } = &self.state;
        let mut growth = 0.0;
        for j in 0..*n {
            let whole = j / B * B;
            let column = &values[j * stride..j * stride + j + 1];
            let mut u = largest_scaled(&column[..whole], &row_scale[..whole]);
            for i in whole..=j {
                u = larger(u, column[i].abs() * row_scale[i]);
            }
            growth = larger(growth, u / self.column_max[j]);
        }
        growth
    }

    /// Names the singularity met in step `k`, with the help of the factors of the perturbed matrix.
    #[cold]
    fn name_singularity(&mut self, a: &Matrix, k: usize) -> Singular {
        self.state.find_shapes(&mut self.shapes);
        let row = self.state.row_order[k] as usize;
        let mut scale = vec![0.0; self.state.n];
        for (&i, &r) in self.state.row_order.iter().zip(&self.state.row_scale) {
            scale[i as usize] = r;
        }
        let column_max = self.column_max.clone();
        let singular = diagnose(self, a, row, k, &scale, &column_max);
        self.state.is_factorised = false;
        singular
    }
}

impl DenseState {
    /// Finds where the factors are not zero.
    fn find_shapes(&self, shapes: &mut [BlockShape]) {
        let stride = self.stride;
        let blocks = self.values.chunks_exact(B * stride);
        for (b, (block, shape)) in blocks.zip(shapes).enumerate() {
            let k = B * b;
            let columns = columns_of(block, stride);
            let group_is_zero = |i: usize| {
                let entries = columns.iter().map(|c| &c[i..i + B]);
                entries.flatten().all(|x| *x == 0.0)
            };
            let nonzero = |rows: Range<usize>| {
                let groups = || rows.clone().step_by(B);
                let first = groups().find(|i| !group_is_zero(*i));
                let last = groups().rev().find(|i| !group_is_zero(*i));
                first
                    .zip(last)
                    .map_or(rows.end..rows.end, |(first, last)| first..last + B)
            };
            let diagonal = |lower: bool| {
                let off = |(i, j): &(usize, usize)| if lower { i > j } else { i < j };
                let places = (0..B).flat_map(|i| (0..B).map(move |j| (i, j)));
                places.filter(off).all(|(i, j)| columns[j][k + i] == 0.0)
            };
            let upper = |i: usize, j: usize| columns[j][k + i] * self.reciprocal_pivots[k + i];
            *shape = BlockShape {
                upper: [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| upper(i, j)),
                diagonal: (diagonal(true), diagonal(false)),
                below: nonzero(k + B..stride),
                above: nonzero(0..k),
            };
        }
    }

    /// x := U⁻¹ L⁻¹ x for a vector of length `stride` in the order of the pivots.
    fn solve_ordered(&self, shapes: &[BlockShape], x: &mut [f64]) {
        match self.stride / B {
            1 => self.solve_few::<1>(shapes, x),
            2 => self.solve_few::<2>(shapes, x),
            3 => self.solve_few::<3>(shapes, x),
            4 => self.solve_few::<4>(shapes, x),
            _ => self.solve_blocks(shapes, x),
        }
    }

    /// The same for `G` groups of four unknowns, which fit into registers: few unknowns would otherwise cost more for
    /// bookkeeping than for arithmetic. The bits are those of [`solve_blocks`](Self::solve_blocks).
    fn solve_few<const G: usize>(&self, shapes: &[BlockShape], x: &mut [f64]) {
        let (values, []) = self.values.as_chunks::<B>() else {
            return;
        };
        let (columns, []) = values.as_chunks::<G>() else {
            return;
        };
        let (x, d) = (
            x.as_chunks_mut::<B>().0,
            self.reciprocal_pivots.as_chunks::<B>().0,
        );
        let (Some(x), Some(d)) = (x.first_chunk_mut::<G>(), d.first_chunk::<G>()) else {
            return;
        };
        let (blocks, _) = columns.as_chunks::<B>();
        let (Some(blocks), Some(shapes)) = (blocks.first_chunk::<G>(), shapes.first_chunk::<G>()) else {
            return;
        };
        let mut v = *x;
        for k in 0..G {
            let c = &blocks[k];
            let mut x = v[k];
            solve_lower([&c[0][k], &c[1][k], &c[2][k]], &mut x);
            v[k] = x;
            for g in k + 1..G {
                for b in 0..B {
                    v[g] = add_product(v[g], c[b][g], -x[b]);
                }
            }
        }
        for k in (0..G).rev() {
            let (c, d) = (&blocks[k], &d[k]);
            let mut x = v[k];
            solve_upper(&shapes[k].upper, d, &mut x);
            v[k] = x;
            for g in 0..k {
                for b in 0..B {
                    v[g] = add_product(v[g], c[b][g], -x[b]);
                }
            }
        }
        *x = v;
    }

    /// The same for any number of unknowns.
    fn solve_blocks(&self, shapes: &[BlockShape], x: &mut [f64]) {
        let stride = self.stride;
        let blocks = self.values.chunks_exact(B * stride).zip(shapes).enumerate();
        for (b, (block, shape)) in blocks.clone() {
            let k = B * b;
            let [c0, c1, c2, c3] = columns_of(block, stride);
            let (top, below) = x[k..].split_at_mut(B);
            let mut x = [top[0], top[1], top[2], top[3]];
            let within = [c0, c1, c2].map(|c| c[k..].first_chunk());
            if !shape.diagonal.0
                && let [Some(l0), Some(l1), Some(l2)] = within
            {
                solve_lower([l0, l1, l2], &mut x);
                top.copy_from_slice(&x);
            }
            let rows = &shape.below;
            let l = [c0, c1, c2, c3].map(|c| &c[rows.clone()]);
            rank_four(
                l,
                [x.map(|x| -x)],
                [&mut below[rows.start - k - B..rows.end - k - B]],
            );
        }
        for (b, (block, shape)) in blocks.rev() {
            let k = B * b;
            let [c0, c1, c2, c3] = columns_of(block, stride);
            let d: [f64; B] = std::array::from_fn(|i| self.reciprocal_pivots[k + i]);
            let (above, rest) = x.split_at_mut(k);
            let mut x = [rest[0], rest[1], rest[2], rest[3]];
            if shape.diagonal.1 {
                x = std::array::from_fn(|i| x[i] * d[i]);
            } else {
                solve_upper(&shape.upper, &d, &mut x);
            }
            rest[..B].copy_from_slice(&x);
            let rows = shape.above.clone();
            let u = [c0, c1, c2, c3].map(|c| &c[rows.clone()]);
            rank_four(u, [x.map(|x| -x)], [&mut above[rows]]);
        }
    }

    /// x := L⁻ᵀ U⁻ᵀ x, in the order of the pivots; used for estimates only.
    fn solve_transposed_ordered(&self, x: &mut [f64]) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for k in 0..self.n {
            let column = &self.values[k * self.stride..(k + 1) * self.stride];
            x[k] = (x[k] - dot(&column[..k], &x[..k])) * self.reciprocal_pivots[k];
        }
        for k in (0..self.n).rev() {
            let column = &self.values[k * self.stride..(k + 1) * self.stride];
            x[k] -= dot(&column[k + 1..], &x[k + 1..]);
        }
    }
}

impl LinearSolver for LuDense {
    fn name(&self) -> &'static str {
        NAME
    }

    fn factorise(&mut self, a: &Matrix) -> Result<Factorised, Singular> {
        self.state.is_factorised = false;
        self.load(a);
        let elimination = self.eliminate();
        self.state.is_factorised = true;
        match elimination {
            Elimination::Done { growth } => {
                self.state.find_shapes(&mut self.shapes);
                Ok(Factorised {
                    repivoted: false,
                    pivot_growth: growth,
                })
            }
            Elimination::Vanished { k } => Err(self.name_singularity(a, k)),
            Elimination::NotFinite => {
                self.state.is_factorised = false;
                let (row, column) = a.first_non_finite().unwrap_or((0, 0));
                Err(Singular::NonFinite { row, column })
            }
        }
    }

    fn solve(&mut self, b: &mut [f64]) {
        let state = &self.state;
        assert_eq!(b.len(), state.n, "right-hand side of the wrong length");
        if !state.is_factorised {
            b.fill(f64::NAN);
            return;
        }
        for (x, &i) in self.x.iter_mut().zip(&state.row_order) {
            *x = b[i as usize];
        }
        self.x[state.n..].fill(0.0);
        state.solve_ordered(&self.shapes, &mut self.x);
        b.copy_from_slice(&self.x[..state.n]);
    }

    fn solve_transposed(&mut self, b: &mut [f64]) {
        let state = &self.state;
        assert_eq!(b.len(), state.n, "right-hand side of the wrong length");
        if !state.is_factorised {
            b.fill(f64::NAN);
            return;
        }
        self.x[..state.n].copy_from_slice(b);
        self.x[state.n..].fill(0.0);
        state.solve_transposed_ordered(&mut self.x);
        for (x, &i) in self.x.iter().zip(&state.row_order) {
            b[i as usize] = *x;
        }
    }

    fn solve_refined(&mut self, a: &Matrix, b: &mut [f64]) {
        let mut residual = core::mem::take(&mut self.residual);
        solve_refined(self, a, b, &mut residual);
        self.residual = residual;
    }

    fn reciprocal_condition(&mut self, norm_1_of_a: f64) -> f64 {
        let mut work = core::mem::take(&mut self.work);
        let inverse = inverse_norm_1(self, &mut work);
        self.work = work;
        1.0 / (norm_1_of_a * inverse)
    }

    fn factors(&self) -> Option<Factors<'_>> {
        let state = &self.state;
        state.is_factorised.then_some(Factors::Dense {
            n: state.n,
            stride: state.stride,
            values: &state.values,
            row_order: &state.row_order,
            column_order: &state.column_order,
            row_scale: &state.row_scale[..state.n],
        })
    }

    fn checkpoint(&self) -> State {
        State::new(NAME, self.state.clone())
    }

    fn restore(&mut self, state: &State) {
        match state.get::<DenseState>(NAME) {
            Some(state) if state.n == self.state.n => {
                self.state = state;
                self.state.find_shapes(&mut self.shapes);
            }
            _ => self.state.is_factorised = false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few unknowns are solved for with the same bits as many, zeros in the factors or not.
    #[test]
    fn few_unknowns_have_the_bits_of_many() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for n in 1..=16 {
            for kinematic in [false, true] {
                let mut a = Matrix::dense(n);
                for j in 0..n {
                    for i in 0..n {
                        let zero = kinematic && i < n / 2 && j != i && j != i + n / 2;
                        a.values_mut()[i + j * n] = if zero {
                            0.0
                        } else {
                            random() + f64::from(u8::from(i == j))
                        };
                    }
                }
                let mut lu = LuDense::new(n);
                assert!(lu.factorise(&a).is_ok(), "{n}");
                let mut x: Vec<f64> = (0..n).map(|_| random()).collect();
                x.resize(lu.state.stride, 0.0);
                let mut other = x.clone();
                lu.state.solve_ordered(&lu.shapes, &mut x);
                lu.state.solve_blocks(&lu.shapes, &mut other);
                assert_eq!(x, other, "{n}");
            }
        }
    }
}
