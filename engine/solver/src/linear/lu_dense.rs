//! `lu-dense`: LU with partial pivoting in blocks of four columns, P A = L U.
//!
//! The matrices are small, so the whole cost is in short loops. The columns are stored with a length rounded up to a multiple
//! of four; blocks start at multiples of four: then a block's update of the columns right of it (rank 4, two columns
//! at a time, so that a load serves several multiplications) runs over whole groups of four rows, one vector register
//! each, without a remainder. For larger matrices the same steps are taken in another order, outer blocks of
//! [`OUTER`] columns, so that a column to the right is fetched once for eight updates [Dongarra, Duff, Sorensen,
//! van der Vorst 1998, §5.4]; the results have the same bits.
//!
//! Pivots are compared after a row equilibration that is never carried out, see `scaling.rs`.

use super::condition::{inverse_norm_1, solve_refined};
use super::lu_small::{SMALL, SmallTask, eliminate_small};
use super::scaling::{NOT_FINITE, fused, larger, magnitude, power_of_two, zero_pivot_ratio};
use super::{Factorised, Factors, LinearSolver, Matrix, Singular, SolverState, diagnose};
use serde::{Deserialize, Serialize};

/// Rows in a group and columns in a block.
const B: usize = 4;

/// Columns in an outer block.
const OUTER: usize = 32;

/// Dense LU with partial pivoting.
#[derive(Clone, Debug)]
pub struct LuDense {
    state: DenseState,
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
    n: usize,
    /// n rounded up to a multiple of four.
    stride: usize,
    /// L below the diagonal (its own is one), U on and above; the identity in the rounded-up part.
    values: Vec<f64>,
    reciprocal_pivots: Vec<f64>,
    /// Row exchanged with row k in step k.
    exchanges: Vec<u32>,
    row_order: Vec<u32>,
    column_order: Vec<u32>,
    /// Scale of each row, in the order of the pivots; zero in the rounded-up part.
    row_scale: Vec<f64>,
    is_factorised: bool,
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

    /// Finds the row scales and the largest scaled magnitude in each column; whether all entries are finite.
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
        let mut vanished = None;
        for outer in (0..n).step_by(OUTER) {
            let outer_end = (outer + OUTER).min(n);
            for k in (outer..outer_end).step_by(B) {
                vanished = vanished.or(self.state.factorise_block(k, &self.column_max));
                self.state.update_columns(k, k + B, outer_end);
            }
            self.state.update_after_outer_block(outer, outer_end);
        }
        self.state.exchange_rows_of_lower();
        match vanished {
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

/// max |v_i|·s_i for slices of a length that is a multiple of four.
#[inline(always)]
fn largest_scaled(v: &[f64], s: &[f64]) -> f64 {
    let mut m = [0.0; B];
    for (v, s) in v.as_chunks::<B>().0.iter().zip(s.as_chunks::<B>().0) {
        for l in 0..B {
            m[l] = larger(m[l], v[l].abs() * s[l]);
        }
    }
    larger(larger(m[0], m[1]), larger(m[2], m[3]))
}

impl DenseState {
    /// Factorises columns k..k+4 from row k on, with exchanges of rows in these columns only.
    ///
    /// Returns the first column of the block whose pivot vanished.
    fn factorise_block(&mut self, k: usize, column_max: &[f64]) -> Option<usize> {
        let zero_ratio = zero_pivot_ratio(self.n);
        let stride = self.stride;
        let width = B.min(self.n - k);
        let mut vanished = None;
        let block = &mut self.values[k * stride..(k + width) * stride];
        for j in 0..width {
            let c = k + j;

            // the largest scaled entry on or below the diagonal
            let column = &block[j * stride..(j + 1) * stride];
            let mut best = largest_scaled(&column[k + B..], &self.row_scale[k + B..]);
            let mut row = NO_ROW;
            for i in (c..k + B).rev() {
                let size = column[i].abs() * self.row_scale[i];
                if size >= best {
                    best = size;
                    row = i;
                }
            }
            if row == NO_ROW {
                row = (k + B..stride)
                    .find(|&i| column[i].abs() * self.row_scale[i] == best)
                    .unwrap_or(c);
            }
            if row >= self.n {
                row = c; // the column is zero
            }

            // exchange
            self.exchanges[c] = row as u32;
            self.row_order.swap(c, row);
            self.row_scale.swap(c, row);
            for column in block.chunks_exact_mut(stride) {
                column.swap(c, row);
            }

            // a vanishing pivot is replaced, so that the factors can tell what is dependent on what
            if best <= zero_ratio * column_max[c] {
                vanished = vanished.or(Some(c));
                let size = if column_max[c] > 0.0 {
                    column_max[c]
                } else {
                    1.0
                };
                block[c + j * stride] = zero_ratio * size / self.row_scale[c];
            }

            // multipliers, and their effect on the rest of the block
            let reciprocal = 1.0 / block[c + j * stride];
            self.reciprocal_pivots[c] = reciprocal;
            let (done, rest) = block.split_at_mut((j + 1) * stride);
            let column = &mut done[j * stride..];
            for i in c + 1..k + B {
                column[i] *= reciprocal;
            }
            let (top, below) = column.split_at_mut(k + B);
            for l in below.as_chunks_mut::<B>().0 {
                *l = l.map(|l| l * reciprocal);
            }
            for other in rest.chunks_exact_mut(stride) {
                let u = -other[c];
                let (other_top, other_below) = other.split_at_mut(k + B);
                for i in c + 1..k + B {
                    other_top[i] = fused(top[i], u, other_top[i]);
                }
                let groups = other_below.as_chunks_mut::<B>().0.iter_mut();
                for (x, l) in groups.zip(below.as_chunks::<B>().0) {
                    *x = add_product(*x, *l, u);
                }
            }
        }
        vanished
    }

    /// Applies the block of columns k..k+4 to the columns from..to right of it, two at a time.
    #[inline(always)]
    fn update_columns(&mut self, k: usize, from: usize, to: usize) {
        let stride = self.stride;
        if from >= to {
            return;
        }
        let (left, right) = self.values.split_at_mut(from * stride);
        let right = &mut right[..(to - from) * stride];
        let block = &left[k * stride..(k + B) * stride];
        let exchanges = &self.exchanges[k..k + B];
        let mut pairs = right.chunks_exact_mut(2 * stride);
        for pair in &mut pairs {
            let (one, two) = pair.split_at_mut(stride);
            apply_block(block, exchanges, k, [one, two]);
        }
        let last = pairs.into_remainder();
        if !last.is_empty() {
            apply_block(block, exchanges, k, [last]);
        }
    }

    /// Applies the blocks of an outer block to all columns right of it, pair by pair.
    fn update_after_outer_block(&mut self, outer: usize, outer_end: usize) {
        let mut j = outer_end;
        while j < self.n {
            let end = (j + 2).min(self.n);
            for k in (outer..outer_end).step_by(B) {
                self.update_columns(k, j, end);
            }
            j = end;
        }
    }

    /// Carries out in L the exchanges of later blocks, which are done column by column at the end.
    fn exchange_rows_of_lower(&mut self) {
        for j in 0..self.n {
            let column = &mut self.values[j * self.stride..(j + 1) * self.stride];
            let first = j / B * B + B;
            if first < self.n {
                for (c, &row) in self.exchanges.iter().enumerate().skip(first) {
                    column.swap(c, row as usize);
                }
            }
        }
    }

    /// x := U⁻¹ L⁻¹ x for a vector of length `stride` in the order of the pivots.
    fn solve_ordered(&self, x: &mut [f64]) {
        let stride = self.stride;
        let blocks = self.values.chunks_exact(B * stride);
        for (k, block) in blocks.clone().enumerate().map(|(b, block)| (B * b, block)) {
            let [c0, c1, c2, c3] = columns_of(block, stride);
            let (top, below) = x[k..].split_at_mut(B);
            let x0 = top[0];
            let x1 = top[1] - c0[k + 1] * x0;
            let x2 = top[2] - c0[k + 2] * x0 - c1[k + 2] * x1;
            let x3 = top[3] - c0[k + 3] * x0 - c1[k + 3] * x1 - c2[k + 3] * x2;
            top.copy_from_slice(&[x0, x1, x2, x3]);
            let l = [&c0[k + B..], &c1[k + B..], &c2[k + B..], &c3[k + B..]];
            rank_four(l, [[-x0, -x1, -x2, -x3]], [below]);
        }
        for (k, block) in blocks.enumerate().map(|(b, block)| (B * b, block)).rev() {
            let [c0, c1, c2, c3] = columns_of(block, stride);
            let d = &self.reciprocal_pivots[k..k + B];
            let (above, rest) = x.split_at_mut(k);
            let x3 = rest[3] * d[3];
            let x2 = (rest[2] - c3[k + 2] * x3) * d[2];
            let x1 = (rest[1] - c3[k + 1] * x3 - c2[k + 1] * x2) * d[1];
            let x0 = (rest[0] - c3[k] * x3 - c2[k] * x2 - c1[k] * x1) * d[0];
            rest[..B].copy_from_slice(&[x0, x1, x2, x3]);
            let u = [&c0[..k], &c1[..k], &c2[..k], &c3[..k]];
            rank_four(u, [[-x0, -x1, -x2, -x3]], [above]);
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

/// A row beyond every matrix.
const NO_ROW: usize = usize::MAX;

/// The four columns of a block.
#[inline(always)]
fn columns_of(block: &[f64], stride: usize) -> [&[f64]; B] {
    let (c0, rest) = block.split_at(stride);
    let (c1, rest) = rest.split_at(stride);
    let (c2, c3) = rest.split_at(stride);
    [c0, c1, c2, c3]
}

/// Exchanges, rows k..k+4 of U, and the update of the rows below, for `C` columns.
#[inline(always)]
fn apply_block<const C: usize>(
    block: &[f64],
    exchanges: &[u32],
    k: usize,
    mut columns: [&mut [f64]; C],
) {
    let stride = columns[0].len();
    let [c0, c1, c2, c3] = columns_of(block, stride);
    let mut minus_u = [[0.0; B]; C];
    for (column, minus_u) in columns.iter_mut().zip(&mut minus_u) {
        for (c, &row) in exchanges.iter().enumerate() {
            column.swap(k + c, row as usize);
        }
        let u = &mut column[k..k + B];
        u[1] = fused(-c0[k + 1], u[0], u[1]);
        u[2] = fused(-c1[k + 2], u[1], fused(-c0[k + 2], u[0], u[2]));
        u[3] = fused(-c1[k + 3], u[1], fused(-c0[k + 3], u[0], u[3]));
        u[3] = fused(-c2[k + 3], u[2], u[3]);
        *minus_u = [-u[0], -u[1], -u[2], -u[3]];
    }
    let l = [&c0[k + B..], &c1[k + B..], &c2[k + B..], &c3[k + B..]];
    rank_four(l, minus_u, columns.map(|column| &mut column[k + B..]));
}

/// x_c := x_c + Σ_b l_b·f_cb for slices of one length, a multiple of four.
#[inline(always)]
fn rank_four<const C: usize>(l: [&[f64]; B], f: [[f64; B]; C], x: [&mut [f64]; C]) {
    let [l0, l1, l2, l3] = l.map(|l| l.as_chunks::<B>().0);
    let mut x = x.map(|x| x.as_chunks_mut::<B>().0);
    let groups = l0.len();
    let (l1, l2, l3) = (&l1[..groups], &l2[..groups], &l3[..groups]);
    for x in &mut x {
        *x = &mut core::mem::take(x)[..groups];
    }
    for g in 0..groups {
        // by value: the groups are then vector registers
        let l = [l0[g], l1[g], l2[g], l3[g]];
        for c in 0..C {
            let mut v = x[c][g];
            for b in 0..B {
                v = add_product(v, l[b], f[c][b]);
            }
            x[c][g] = v;
        }
    }
}

/// v + l·f.
#[inline(always)]
fn add_product(v: [f64; B], l: [f64; B], f: f64) -> [f64; B] {
    [
        fused(l[0], f, v[0]),
        fused(l[1], f, v[1]),
        fused(l[2], f, v[2]),
        fused(l[3], f, v[3]),
    ]
}

impl LinearSolver for LuDense {
    fn name(&self) -> &'static str {
        "lu-dense"
    }

    fn factorise(&mut self, a: &Matrix) -> Result<Factorised, Singular> {
        self.state.is_factorised = false;
        self.load(a);
        let elimination = self.eliminate();
        self.state.is_factorised = true;
        match elimination {
            Elimination::Done { growth } => Ok(Factorised {
                repivoted: false,
                pivot_growth: growth,
            }),
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
        state.solve_ordered(&mut self.x);
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

    fn checkpoint(&self) -> SolverState {
        SolverState::Dense(self.state.clone())
    }

    fn restore(&mut self, state: &SolverState) {
        match state {
            SolverState::Dense(state) if state.n == self.state.n => self.state.clone_from(state),
            _ => self.state.is_factorised = false,
        }
    }
}
