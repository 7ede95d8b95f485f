//! The pivoting factorisation of `lu-sparse`: which rows become pivots, and where L and U have
//! entries.
//!
//! Left-looking: column k of L and U is the solution of a triangular system with the columns before
//! it. A depth-first search in the graph of L predicts the non-zeros of that solution and an order
//! for its computation, so the work is proportional to the arithmetic [Gilbert, Peierls 1988]. The
//! search skips entries of L that lead nowhere new, found by symmetric pruning [Eisenstat, Liu
//! 1992]. The row matched to the column by the transversal is kept as pivot if it is within a
//! tolerance of the largest candidate; otherwise, of the rows within that tolerance, one with few
//! entries.
//!
//! Only the pattern and the order come out of here. Their values are computed by the
//! refactorisation that runs for every later matrix, so a factorisation depends on the matrix and
//! its pivots, not on how they were found.

use super::Scalar;
use super::scaling::zero_pivot_ratio;
use super::transversal::NONE;
use holonom_dae::Pattern;
use serde::{Deserialize, Serialize};

/// Places of the entries of L and U in the order of the pivots, rows ascending; diagonals left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Symbolic {
    pub lower_start: Vec<usize>,
    pub lower_rows: Vec<u32>,
    pub upper_start: Vec<usize>,
    pub upper_rows: Vec<u32>,
    /// Row of A which is row k of L U.
    pub row_order: Vec<u32>,
}

/// A matrix with what was found out about it before.
pub(super) struct Task<'a, T> {
    pub pattern: &'a Pattern,
    pub values: &'a [T],
    /// Powers of two that equilibrate the rows.
    pub row_scale: &'a [f64],
    /// Column to eliminate as number k.
    pub column_order: &'a [u32],
    /// Row that column k of this order should have its pivot in.
    pub preferred_row: &'a [u32],
    /// Smallest ratio of the preferred pivot to the largest candidate.
    pub tolerance: f64,
}

/// Chooses pivots for this matrix. A vanishing pivot is replaced by a tiny one, for the caller to
/// find and report.
pub(super) fn choose_pivots<T: Scalar>(task: &Task<'_, T>) -> Symbolic {
    let mut elimination = Elimination::new(task);
    for k in 0..task.column_order.len() {
        let j = task.column_order[k] as usize;
        elimination.find_pattern(k, j);
        let column_max = elimination.compute_column(j);
        let pivot = elimination.choose_row(k);
        elimination.store_column(k, pivot, column_max);
        elimination.prune(k, pivot);
    }
    elimination.into_symbolic()
}

struct Elimination<'a, T> {
    task: &'a Task<'a, T>,
    // L with its rows in the numbering of A, and the part of each column that the search has to
    // follow
    lower_start: Vec<usize>,
    lower_rows: Vec<u32>,
    lower_values: Vec<T>,
    search_end: Vec<usize>,
    is_pruned: Vec<bool>,
    // the pattern of U
    upper_start: Vec<usize>,
    upper_rows: Vec<u32>,
    // rows: number as a pivot, entries in A
    position: Vec<u32>,
    row_order: Vec<u32>,
    row_count: Vec<u32>,
    first_free: usize,
    // the column at hand: values by row of A, columns it depends on (last first), rows that may
    // become its pivot
    x: Vec<T>,
    depends_on: Vec<u32>,
    candidates: Vec<u32>,
    mark: Vec<u32>,
    stack: Vec<(u32, usize)>,
}

impl<'a, T: Scalar> Elimination<'a, T> {
    fn new(task: &'a Task<'a, T>) -> Self {
        let n = task.column_order.len();
        let mut row_count = vec![0; n];
        for &i in task.pattern.rows() {
            row_count[i] += 1;
        }
        Self {
            task,
            lower_start: vec![0],
            lower_rows: Vec::with_capacity(2 * task.pattern.len()),
            lower_values: Vec::with_capacity(2 * task.pattern.len()),
            search_end: vec![0; n],
            is_pruned: vec![false; n],
            upper_start: vec![0],
            upper_rows: Vec::with_capacity(2 * task.pattern.len()),
            position: vec![NONE; n],
            row_order: Vec::with_capacity(n),
            row_count,
            first_free: 0,
            x: vec![T::default(); n],
            depends_on: Vec::with_capacity(n),
            candidates: Vec::with_capacity(n),
            mark: vec![NONE; n],
            stack: Vec::new(),
        }
    }

    /// Depth-first search from the entries of column j of A through the columns of L.
    fn find_pattern(&mut self, k: usize, j: usize) {
        let stamp = k as u32;
        self.depends_on.clear();
        self.candidates.clear();
        for &i in self.task.pattern.column(j) {
            self.visit(i, stamp);
            while let Some(&(c, from)) = self.stack.last() {
                let (top, c) = (self.stack.len() - 1, c as usize);
                let mut p = from;
                while p < self.search_end[c] && self.stack.len() == top + 1 {
                    self.visit(self.lower_rows[p] as usize, stamp);
                    p += 1;
                }
                self.stack[top].1 = p;
                if self.stack.len() == top + 1 {
                    self.stack.pop();
                    self.depends_on.push(c as u32);
                }
            }
        }
    }

    /// Marks row i: a candidate if it is not a pivot yet, else a column of L to be followed.
    #[inline(always)]
    fn visit(&mut self, i: usize, stamp: u32) {
        if self.mark[i] == stamp {
            return;
        }
        self.mark[i] = stamp;
        match self.position[i] {
            NONE => self.candidates.push(i as u32),
            c => self.stack.push((c, self.lower_start[c as usize])),
        }
    }

    /// x := L⁻¹ a_j on the pattern found; the largest scaled magnitude in a_j.
    fn compute_column(&mut self, j: usize) -> f64 {
        let Task {
            pattern,
            values,
            row_scale,
            ..
        } = self.task;
        let mut column_max: f64 = 0.0;
        for (&i, &a) in pattern.column(j).iter().zip(&values[pattern.range(j)]) {
            self.x[i] = a;
            column_max = column_max.max(a.size() * row_scale[i]);
        }
        for &c in self.depends_on.iter().rev() {
            let c = c as usize;
            let u = self.x[self.row_order[c] as usize];
            self.x[self.row_order[c] as usize] = T::default();
            let column = self.lower_start[c]..self.lower_start[c + 1];
            let rows = &self.lower_rows[column.clone()];
            for (&i, l) in rows.iter().zip(&self.lower_values[column]) {
                self.x[i as usize] -= *l * u;
            }
        }
        column_max
    }

    /// The pivot row of column k.
    fn choose_row(&mut self, k: usize) -> usize {
        let size = |i: u32| self.x[i as usize].size() * self.task.row_scale[i as usize];
        let largest = self
            .candidates
            .iter()
            .fold(0.0, |m, &i| if size(i) > m { size(i) } else { m });
        let limit = self.task.tolerance * largest;
        let preferred = self.task.preferred_row[k];
        let is_free = self.position[preferred as usize] == NONE;
        if is_free && self.mark[preferred as usize] == k as u32 && size(preferred) >= limit {
            return preferred as usize;
        }
        // few entries first, then large ones, then the first
        let better = |a: u32, b: u32| {
            let counts = (self.row_count[a as usize], self.row_count[b as usize]);
            counts.0 < counts.1 || counts.0 == counts.1 && (size(a) > size(b) || size(a) == size(b) && a < b)
        };
        let mut best = None;
        for &i in self.candidates.iter().filter(|&&i| size(i) >= limit) {
            if best.is_none_or(|b| better(i, b)) {
                best = Some(i);
            }
        }
        // no candidate at all: the matrix is singular, any free row will do
        best.map_or_else(
            || {
                while self.position[self.first_free] != NONE {
                    self.first_free += 1;
                }
                self.first_free
            },
            |i| i as usize,
        )
    }

    /// Moves the column at hand into L and U.
    fn store_column(&mut self, k: usize, pivot: usize, column_max: f64) {
        let scale = self.task.row_scale[pivot];
        let zero = zero_pivot_ratio(self.x.len()) * if column_max > 0.0 { column_max } else { 1.0 };
        let mut value = self.x[pivot];
        if value.size() * scale <= zero {
            value = T::real(zero / scale);
        }
        self.x[pivot] = T::default();
        for &i in &self.candidates {
            if i as usize != pivot {
                self.lower_rows.push(i);
                self.lower_values.push(self.x[i as usize] / value);
                self.x[i as usize] = T::default();
            }
        }
        self.lower_start.push(self.lower_rows.len());
        self.search_end[k] = self.lower_rows.len();
        self.upper_rows.extend(&self.depends_on);
        self.upper_start.push(self.upper_rows.len());
        self.position[pivot] = k as u32;
        self.row_order.push(pivot as u32);
    }

    /// Where column c of L reaches the new pivot row and row c of U column k, the search may leave
    /// c's later rows to k.
    fn prune(&mut self, k: usize, pivot: usize) {
        for p in self.upper_start[k]..self.upper_start[k + 1] {
            let c = self.upper_rows[p] as usize;
            if self.is_pruned[c] {
                continue;
            }
            let column = self.lower_start[c]..self.lower_start[c + 1];
            if !self.lower_rows[column.clone()].contains(&(pivot as u32)) {
                continue;
            }
            // rows that are pivots first
            let (mut front, mut back) = (column.start, column.end);
            while front < back {
                if self.position[self.lower_rows[front] as usize] != NONE {
                    front += 1;
                } else {
                    back -= 1;
                    self.lower_rows.swap(front, back);
                    self.lower_values.swap(front, back);
                }
            }
            self.search_end[c] = front;
            self.is_pruned[c] = true;
        }
    }

    /// Rows in the order of the pivots, ascending.
    fn into_symbolic(mut self) -> Symbolic {
        for i in &mut self.lower_rows {
            *i = self.position[*i as usize];
        }
        for ends in self.lower_start.windows(2) {
            self.lower_rows[ends[0]..ends[1]].sort_unstable();
        }
        for ends in self.upper_start.windows(2) {
            self.upper_rows[ends[0]..ends[1]].sort_unstable();
        }
        Symbolic {
            lower_start: self.lower_start,
            lower_rows: self.lower_rows,
            upper_start: self.upper_start,
            upper_rows: self.upper_rows,
            row_order: self.row_order,
        }
    }
}
