//! Sparsity patterns in compressed-column form: which entries of a matrix may be non-zero.

use core::fmt;
use core::ops::Deref;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// The places of the possible non-zeros of a matrix, column by column, rows ascending in each.
///
/// ```
/// use holonom_dae::Pattern;
/// let p = Pattern::from_entries(2, 2, [(1, 0), (0, 0), (1, 1), (1, 1)]);
/// assert_eq!(p.column(0), &[0, 1]);
/// assert_eq!(p.len(), 3); // entries named twice count once
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    n_rows: usize,
    column_start: Vec<usize>,
    rows: Vec<usize>,
}

impl Pattern {
    /// Builds a pattern from (row, column) pairs in any order; repeated pairs count once.
    ///
    /// # Panics
    /// When a pair lies outside the matrix.
    #[track_caller]
    pub fn from_entries(
        n_rows: usize,
        n_columns: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); n_columns];
        for (i, j) in entries {
            assert!(
                i < n_rows && j < n_columns,
                "entry ({i}, {j}) outside a {n_rows} × {n_columns} pattern"
            );
            // Most callers go row by row, so that repetitions come one after the other.
            if columns[j].last() != Some(&i) {
                columns[j].push(i);
            }
        }
        let mut column_start = Vec::with_capacity(n_columns + 1);
        let mut rows = Vec::new();
        column_start.push(0);
        for mut column in columns {
            if !column.is_sorted_by(|a, b| a < b) {
                column.sort_unstable();
                column.dedup();
            }
            rows.extend(column);
            column_start.push(rows.len());
        }
        Self {
            n_rows,
            column_start,
            rows,
        }
    }

    /// The pattern with every entry possible.
    pub fn dense(n_rows: usize, n_columns: usize) -> Self {
        Self {
            n_rows,
            column_start: (0..=n_columns).map(|j| j * n_rows).collect(),
            rows: (0..n_columns).flat_map(|_| 0..n_rows).collect(),
        }
    }

    /// Number of rows of the matrix.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns of the matrix.
    pub fn n_columns(&self) -> usize {
        self.column_start.len() - 1
    }

    /// Number of possible non-zeros.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no entry is possible.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows of column `j`, ascending.
    pub fn column(&self, j: usize) -> &[usize] {
        &self.rows[self.range(j)]
    }

    /// Where the entries of column `j` lie in an array of values stored in this pattern's order.
    pub fn range(&self, j: usize) -> core::ops::Range<usize> {
        self.column_start[j]..self.column_start[j + 1]
    }

    /// Column starts, `n_columns + 1` of them.
    pub fn column_start(&self) -> &[usize] {
        &self.column_start
    }

    /// Row indices in storage order.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Position of entry (i, j) in storage order, if it is in the pattern.
    pub fn position(&self, i: usize, j: usize) -> Option<usize> {
        let start = self.column_start[j];
        self.column(j).binary_search(&i).ok().map(|k| start + k)
    }

    /// All entries as (row, column), column by column.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n_columns()).flat_map(move |j| self.column(j).iter().map(move |&i| (i, j)))
    }

    /// The union of two patterns of the same size.
    #[track_caller]
    pub fn union(&self, other: &Self) -> Self {
        assert_eq!(self.n_rows, other.n_rows);
        assert_eq!(self.n_columns(), other.n_columns());
        Self::from_entries(
            self.n_rows,
            self.n_columns(),
            self.entries().chain(other.entries()),
        )
    }
}

/// A declared pattern that is built when it is first read.
///
/// Patterns of mechanisms can have n² entries, as that of the mass matrix of a chain in joint coordinates has. Methods
/// that solve no linear systems never read them. Clones share what was built.
///
/// ```
/// use holonom_dae::{LazyPattern, Pattern};
/// let declared = LazyPattern::new(3, || Pattern::from_entries(3, 3, [(0, 1)]));
/// assert!(!declared.is_built());
/// assert_eq!(declared.len(), 1);
/// assert!(declared.is_built());
/// assert_eq!(declared, LazyPattern::from(Pattern::from_entries(3, 3, [(0, 1)])));
/// ```
#[derive(Clone)]
pub struct LazyPattern(Arc<Promise>);

struct Promise {
    n: usize,
    pattern: OnceLock<Pattern>,
    build: Box<dyn Fn() -> Pattern + Send + Sync>,
}

impl LazyPattern {
    /// The n × n pattern that `build` returns.
    pub fn new(n: usize, build: impl Fn() -> Pattern + Send + Sync + 'static) -> Self {
        Self(Arc::new(Promise {
            n,
            pattern: OnceLock::new(),
            build: Box::new(build),
        }))
    }

    /// Whether the pattern has been read.
    pub fn is_built(&self) -> bool {
        self.0.pattern.get().is_some()
    }

    /// Number of unknowns that it was declared for. Does not build the pattern.
    pub fn dimension(&self) -> usize {
        self.0.n
    }
}

impl Deref for LazyPattern {
    type Target = Pattern;

    fn deref(&self) -> &Pattern {
        self.0.pattern.get_or_init(&self.0.build)
    }
}

impl From<Pattern> for LazyPattern {
    fn from(pattern: Pattern) -> Self {
        let n = pattern.n_columns();
        Self(Arc::new(Promise {
            n,
            pattern: OnceLock::from(pattern),
            build: Box::new(move || Pattern::from_entries(n, n, [])),
        }))
    }
}

impl PartialEq for LazyPattern {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl fmt::Debug for LazyPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_built() {
            (**self).fmt(f)
        } else {
            write!(f, "LazyPattern({}, not built)", self.0.n)
        }
    }
}
