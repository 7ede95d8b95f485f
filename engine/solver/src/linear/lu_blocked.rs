//! The elimination of `lu-dense` for more than 32 rows, in blocks of four columns.
//!
//! Columns have a length that is a multiple of four and blocks start at multiples of four: then a
//! block's update of the columns right of it (rank 4, two columns at a time, so that a load serves
//! several multiplications) runs over whole groups of four rows, one vector register each, without
//! a remainder. The steps are taken in outer blocks of [`OUTER`] columns, so that a column to the
//! right is fetched once for eight updates; the bits are those of taking them one after the other.

use super::lu_dense::DenseState;
use super::scaling::{fused, larger, zero_pivot_ratio};

/// Rows in a group and columns in a block.
pub(super) const B: usize = 4;

/// Columns in an outer block.
const OUTER: usize = 32;

impl DenseState {
    /// P A = L U in place; the first step whose pivot vanished, if any (replaced by a tiny one).
    pub(super) fn eliminate_blocked(&mut self, column_max: &[f64]) -> Option<usize> {
        let mut vanished = None;
        for outer in (0..self.n).step_by(OUTER) {
            let outer_end = (outer + OUTER).min(self.n);
            for k in (outer..outer_end).step_by(B) {
                vanished = vanished.or(self.factorise_block(k, column_max));
                self.update_columns(k, k + B, outer_end);
            }
            self.update_after_outer_block(outer, outer_end);
        }
        self.exchange_rows_of_lower();
        vanished
    }

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
                let size = if column_max[c] > 0.0 { column_max[c] } else { 1.0 };
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
}

/// max |v_i|·s_i for slices of a length that is a multiple of four.
#[inline(always)]
pub(super) fn largest_scaled(v: &[f64], s: &[f64]) -> f64 {
    let mut m = [0.0; B];
    for (v, s) in v.as_chunks::<B>().0.iter().zip(s.as_chunks::<B>().0) {
        for l in 0..B {
            m[l] = larger(m[l], v[l].abs() * s[l]);
        }
    }
    larger(larger(m[0], m[1]), larger(m[2], m[3]))
}

/// A row beyond every matrix.
const NO_ROW: usize = usize::MAX;

/// The four columns of a block.
#[inline(always)]
pub(super) fn columns_of(block: &[f64], stride: usize) -> [&[f64]; B] {
    let (c0, rest) = block.split_at(stride);
    let (c1, rest) = rest.split_at(stride);
    let (c2, c3) = rest.split_at(stride);
    [c0, c1, c2, c3]
}

/// Exchanges, rows k..k+4 of U, and the update of the rows below, for `C` columns.
#[inline(always)]
fn apply_block<const C: usize>(block: &[f64], exchanges: &[u32], k: usize, mut columns: [&mut [f64]; C]) {
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
pub(super) fn rank_four<const C: usize>(l: [&[f64]; B], f: [[f64; B]; C], x: [&mut [f64]; C]) {
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
pub(super) fn add_product(v: [f64; B], l: [f64; B], f: f64) -> [f64; B] {
    [
        fused(l[0], f, v[0]),
        fused(l[1], f, v[1]),
        fused(l[2], f, v[2]),
        fused(l[3], f, v[3]),
    ]
}
