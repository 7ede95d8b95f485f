//! The elimination of `lu-dense` for up to 32 rows.
//!
//! At this size the arithmetic is cheap and everything around it counts. Columns are arrays of `G`
//! groups of four rows with `G` known at compile time. Rows are not exchanged: a row that has been
//! a pivot is masked out, and L is put in order at the end, so no vector load waits for a scalar
//! store. The search finds the largest entry and its row in one integer maximum. The arithmetic is
//! that of the blocked elimination, operation by operation.

use super::lu_dense::Elimination;
use super::scaling::{NOT_FINITE, fused, larger, magnitude, power_of_two, zero_pivot_ratio};

/// Most rows.
pub(super) const SMALL: usize = 32;

/// A column, `G` groups of four rows.
type Column<const G: usize> = [[f64; 4]; G];

/// What the elimination works on; see the fields of the same names in `lu_dense.rs`.
pub(super) struct SmallTask<'a> {
    pub n: usize,
    /// Copy of A with columns of length 4 G, overwritten.
    pub matrix: &'a mut [f64],
    // results
    pub column_max: &'a mut [f64],
    pub row_scale: &'a mut [f64],
    pub values: &'a mut [f64],
    pub reciprocal_pivots: &'a mut [f64],
    pub row_order: &'a mut [u32],
}

/// P A = L U.
pub(super) fn eliminate_small(task: SmallTask<'_>) -> Elimination {
    match task.n.div_ceil(4) {
        0 => Elimination::Done { growth: 0.0 },
        1 => eliminate::<1>(task),
        2 => eliminate::<2>(task),
        3 => eliminate::<3>(task),
        4 => eliminate::<4>(task),
        5 => eliminate::<5>(task),
        6 => eliminate::<6>(task),
        7 => eliminate::<7>(task),
        _ => eliminate::<8>(task),
    }
}

fn eliminate<const G: usize>(task: SmallTask<'_>) -> Elimination {
    let SmallTask {
        n,
        matrix,
        column_max,
        row_scale,
        values,
        reciprocal_pivots,
        row_order,
    } = task;
    let stride = 4 * G;
    let columns = &mut matrix.as_chunks_mut::<4>().0.as_chunks_mut::<G>().0[..n];
    let column_max = &mut column_max[..n];
    let Some(all_scales) = find_scales(columns, n) else {
        return Elimination::NotFinite;
    };
    for (m, column) in column_max.iter_mut().zip(columns.iter()) {
        *m = largest_scaled(column, &all_scales);
    }
    let mut per_column = [0.0; SMALL];
    for (r, m) in per_column.iter_mut().zip(column_max.iter()) {
        *r = 1.0 / m;
    }

    let zero_ratio = zero_pivot_ratio(n);
    let mut scale = all_scales;
    let mut vanished = None;
    let mut growth = 0.0;
    for k in 0..n {
        let Some((column, rest)) = columns[k..].split_first_mut() else {
            break;
        };

        // pivot row; rows that are pivots already have scale zero
        let (mut size, mut row) = find_largest(column, &scale);
        if !(size > 0.0 && size.is_finite()) {
            (size, row) = (0.0, first_free(&scale));
        }
        let (group, lane) = (row / 4, row % 4);
        let scale_of_row = all_scales[group][lane];
        let mut pivot = column[group][lane];
        if size <= zero_ratio * column_max[k] {
            vanished = vanished.or(Some(k));
            let reference = if column_max[k] > 0.0 { column_max[k] } else { 1.0 };
            pivot = zero_ratio * reference / scale_of_row;
        }
        let reciprocal = 1.0 / pivot;
        row_order[k] = row as u32;
        row_scale[k] = scale_of_row;
        reciprocal_pivots[k] = reciprocal;
        values[k + k * stride] = pivot;
        growth = larger(growth, size * per_column[k]);
        mask_out(&mut scale, row);

        // multipliers: zero in the rows masked out
        let mut l = *column;
        for g in 0..G {
            for i in 0..4 {
                let multiplier = l[g][i] * reciprocal;
                l[g][i] = if scale[g][i] > 0.0 { multiplier } else { 0.0 };
            }
        }
        *column = l;

        // row k of U, and the columns to the right
        let right = values[(k + 1) * stride..].chunks_exact_mut(stride);
        for ((x, target), r) in rest.iter_mut().zip(right).zip(&per_column[k + 1..]) {
            let u = x[group][lane];
            target[k] = u;
            growth = larger(growth, u.abs() * scale_of_row * r);
            for g in 0..G {
                let mut v = x[g];
                for i in 0..4 {
                    v[i] = fused(l[g][i], -u, v[i]);
                }
                x[g] = v;
            }
        }
    }

    // L in the order of the pivots
    for (k, (column, target)) in columns.iter().zip(values.chunks_exact_mut(stride)).enumerate() {
        let column = column.as_flattened();
        let order = row_order[k + 1..n].iter();
        for (t, &i) in target[k + 1..n].iter_mut().zip(order) {
            *t = column[i as usize];
        }
    }
    vanished.map_or(Elimination::Done { growth }, |k| Elimination::Vanished { k })
}

/// Powers of two that equilibrate the rows, zero from row n on; none if an entry is not finite.
#[inline(always)]
fn find_scales<const G: usize>(columns: &[Column<G>], n: usize) -> Option<Column<G>> {
    let mut largest = [[0; 4]; G];
    for column in columns {
        for g in 0..G {
            for i in 0..4 {
                let m = magnitude(column[g][i]);
                largest[g][i] = if m > largest[g][i] { m } else { largest[g][i] };
            }
        }
    }
    let mut is_finite = true;
    let mut scale = [[0.0; 4]; G];
    for g in 0..G {
        for i in 0..4 {
            is_finite &= largest[g][i] < NOT_FINITE;
            let s = power_of_two(largest[g][i]);
            scale[g][i] = if 4 * g + i < n { s } else { 0.0 };
        }
    }
    is_finite.then_some(scale)
}

/// Largest |x_i|·s_i.
#[inline(always)]
fn largest_scaled<const G: usize>(x: &Column<G>, s: &Column<G>) -> f64 {
    let mut m = [0.0; 4];
    for g in 0..G {
        for i in 0..4 {
            m[i] = larger(m[i], x[g][i].abs() * s[g][i]);
        }
    }
    larger(larger(m[0], m[1]), larger(m[2], m[3]))
}

/// Largest |x_i|·s_i, to 46 bits, and its row; the first of equals.
#[inline(always)]
fn find_largest<const G: usize>(x: &Column<G>, s: &Column<G>) -> (f64, usize) {
    const INDEX: i64 = 63;
    let mut best = [0; 4];
    for g in 0..G {
        for i in 0..4 {
            // the row takes the place of the last bits
            let size = magnitude(x[g][i] * s[g][i]);
            let key = (size & !INDEX) | (INDEX - (4 * g + i) as i64);
            best[i] = if key > best[i] { key } else { best[i] };
        }
    }
    let best = best[0].max(best[1]).max(best[2].max(best[3]));
    let row = (INDEX - (best & INDEX)) as usize;
    (f64::from_bits((best & !INDEX) as u64), row.min(4 * G - 1))
}

/// The first row that is not a pivot yet.
#[cold]
fn first_free<const G: usize>(scale: &Column<G>) -> usize {
    let free = scale.as_flattened().iter().position(|&s| s > 0.0);
    free.unwrap_or(0)
}

/// scale_row := 0, by comparing all rows: a scalar store would delay the vector loads that follow.
#[inline(always)]
fn mask_out<const G: usize>(scale: &mut Column<G>, row: usize) {
    for g in 0..G {
        for i in 0..4 {
            let keep = (4 * g + i) as u64 != row as u64;
            scale[g][i] = if keep { scale[g][i] } else { 0.0 };
        }
    }
}
