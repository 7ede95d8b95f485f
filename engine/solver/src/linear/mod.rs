//! Linear equations with the iteration matrix α ∂F/∂ẏ + ∂F/∂y.
//!
//! A solver is chosen by name from [`REGISTRY`]; the corrector sees [`LinearSolver`] only. Both
//! solvers pivot on rows equilibrated by powers of two (constraints and equations of motion have
//! different units), keep everything they need between calls, and tell *which* row and column of
//! the caller's matrix make it singular: usually a redundant constraint.
//!
//! ```
//! use holonom_solver::linear::{self, Matrix};
//! let mut a = Matrix::dense(2);
//! a.values_mut().copy_from_slice(&[0.0, 2.0, 1.0, 0.0]);
//! let mut lu = linear::build("lu-dense", 2, None).ok_or("unknown solver")?;
//! lu.factorise(&a)?;
//! let mut b = [3.0, 4.0];
//! lu.solve(&mut b);
//! assert_eq!(b, [2.0, 3.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded;
mod condition;
mod gilbert_peierls;
mod lu_blocked;
mod lu_complex;
mod lu_small;
mod matrix;
mod ordering;
mod postorder;
mod scalar;
mod scaling;
mod transversal;
mod tuning;

registry! {
    /// All linear solvers.
    Entry:
    lu_dense,
    lu_sparse,
    gmres,
}

#[cfg(test)]
mod conformance;

pub(crate) use bounded::BoundedSolver;
pub use lu_complex::{ComplexState, LuComplex};
pub use lu_dense::{DenseState, LuDense};
pub use lu_sparse::{LuSparse, SparseLu, SparseState};
pub use matrix::Matrix;
pub use ordering::approximate_minimum_degree;
pub use postorder::postordered;
pub use scalar::{Complex, Scalar};
pub use transversal::{Transversal, maximum_transversal};

use crate::refresh::Phase;
use crate::registry::registry;
use crate::settings::{Factory, Owned};
use crate::state::State;
use condition::largest;
use holonom_dae::{Pattern, Rejection};
use tuning::{SPARSE_BELOW, SPARSE_FROM};

/// A direct solver that keeps one factorised matrix.
///
/// A solver that holds no factorisation answers a solve with NaN, which the corrector rejects like
/// any other non-finite result. Vectors of the wrong length are a programming error and panic.
pub trait LinearSolver: Send {
    /// The name in the registry.
    fn name(&self) -> &'static str;

    /// Factorises `a`, which need not be kept.
    ///
    /// The first call may allocate, and so may one after a change of pattern, one that has to
    /// choose new pivots, and one that fails; all others do not. After an error there is no
    /// factorisation.
    fn factorise(&mut self, a: &Matrix) -> Result<Factorised, Singular>;

    /// b := A⁻¹b.
    fn solve(&mut self, b: &mut [f64]);

    /// b := A⁻¹b, to this relative accuracy at least; direct solvers are as accurate as they can be.
    ///
    /// # Errors
    /// An iteration that does not get there; `b` holds the best there is.
    fn solve_to(&mut self, b: &mut [f64], tolerance: f64) -> Result<Solved, Stalled> {
        let _ = tolerance;
        self.solve(b);
        Ok(Solved::DIRECTLY)
    }

    /// Forgets pivots and patterns: the next factorisation gives what that of a new solver would.
    fn forget(&mut self) {}

    /// From the next factorisation on works as a policy asks for in this phase; direct solvers work in one way only.
    fn enter(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// b := A⁻ᵀb.
    fn solve_transposed(&mut self, b: &mut [f64]);

    /// b := A⁻¹b with one step of iterative refinement; `a` is the matrix that was factorised.
    fn solve_refined(&mut self, a: &Matrix, b: &mut [f64]);

    /// Estimate of 1/(‖A‖₁‖A⁻¹‖₁) by a few solves; from above, seldom by more than a factor of
    /// three.
    fn reciprocal_condition(&mut self, norm_1_of_a: f64) -> f64;

    /// The factors and permutations, if there are any.
    fn factors(&self) -> Option<Factors<'_>>;

    /// Everything the results of later calls depend on.
    fn checkpoint(&self) -> State;

    /// Takes over the state of a solver of the same name and size: later calls give the same bits
    /// there and here. Any other state leaves the solver without a factorisation.
    fn restore(&mut self, state: &State);
}

/// What a solve reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Iterations that it took; 0 for a direct solver.
    pub iterations: u32,
    /// By how much each of them made the residual smaller; 0 for a direct solver.
    pub rate: f64,
}

impl Solved {
    /// Without iterations.
    pub const DIRECTLY: Self = Self {
        iterations: 0,
        rate: 0.0,
    };
}

/// A solve that did not reach its accuracy.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{iterations} iterations have left {left:.1e} of the residual")]
pub struct Stalled {
    /// Iterations made.
    pub iterations: u32,
    /// Part of the residual that is left.
    pub left: f64,
}

/// What a factorisation reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factorised {
    /// Whether pivots that had served before were given up for new ones.
    pub repivoted: bool,
    /// Largest growth of an entry by elimination, relative to its column of the row-scaled matrix;
    /// the loss of accuracy is at most of this order, and one step of refinement makes up for it.
    pub pivot_growth: f64,
}

/// Why a matrix cannot be factorised, with indices of the caller's matrix.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Singular {
    /// Singular whatever the values of its non-zeros: this row and this column stay without a
    /// partner.
    #[error("structurally singular: no pivot is available for row {row} and column {column}")]
    Structural {
        /// An equation that determines nothing the others do not.
        row: usize,
        /// An unknown that no equation is left for.
        column: usize,
    },
    /// Singular to rounding: this row and this column have the largest part in the dependence.
    #[error("numerically singular, mostly in row {row} and column {column}")]
    Numerical {
        /// Row with the largest share in a combination of rows that vanishes.
        row: usize,
        /// Column with the largest share in a combination of columns that vanishes.
        column: usize,
    },
    /// An entry is NaN or infinite.
    #[error("the entry in row {row} and column {column} is not finite")]
    NonFinite {
        /// Row of the first such entry.
        row: usize,
        /// Column of the first such entry.
        column: usize,
    },
}

impl Singular {
    /// The rejection of a step whose matrix this is, with `index` from rows and columns of the matrix to
    /// those of the system.
    pub(crate) fn rejection(self, index: impl Fn(usize) -> usize) -> Rejection {
        let singular = |row, column, structural| Rejection::SingularMatrix {
            row: index(row),
            column: index(column),
            structural,
        };
        match self {
            Self::NonFinite { row, .. } => Rejection::NonFinite { row: index(row) },
            Self::Structural { row, column } => singular(row, column, true),
            Self::Numerical { row, column } => singular(row, column, false),
        }
    }
}

/// The factors of P A Q = L U, open for reading (and for leaving out small entries).
///
/// Rows are not scaled; `row_scale` holds the powers of two by which pivots were compared, in the
/// order of the pivots: entry (i, j) of U measures `row_scale[i]·u_ij` in the equilibrated matrix,
/// entry (i, j) of L `row_scale[i]/row_scale[j]·l_ij`.
#[derive(Clone, Copy, Debug)]
pub enum Factors<'a> {
    /// Both factors in one array by columns: L below the diagonal, U on and above it.
    Dense {
        /// Size of the matrix.
        n: usize,
        /// Distance between columns.
        stride: usize,
        /// Entry (i, j) is at `i + j * stride`.
        values: &'a [f64],
        /// Row of A which is row k of L U.
        row_order: &'a [u32],
        /// Column of A which is column k of L U.
        column_order: &'a [u32],
        /// Scale of each row in the comparison of pivots.
        row_scale: &'a [f64],
    },
    /// Compressed columns, rows ascending.
    Sparse {
        /// L without its unit diagonal.
        lower: Columns<'a>,
        /// U without its diagonal.
        upper: Columns<'a>,
        /// The diagonal of U.
        pivots: &'a [f64],
        /// Row of A which is row k of L U.
        row_order: &'a [u32],
        /// Column of A which is column k of L U.
        column_order: &'a [u32],
        /// Scale of each row in the comparison of pivots.
        row_scale: &'a [f64],
    },
}

/// A matrix in compressed columns.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// Column j is at `start[j]..start[j + 1]`.
    pub start: &'a [usize],
    /// Row of each value.
    pub rows: &'a [u32],
    /// The values.
    pub values: &'a [f64],
}

impl Columns<'_> {
    fn for_each(&self, f: &mut impl FnMut(usize, usize, f64)) {
        for (j, ends) in self.start.windows(2).enumerate() {
            for p in ends[0]..ends[1] {
                f(self.rows[p] as usize, j, self.values[p]);
            }
        }
    }
}

impl Factors<'_> {
    /// Calls `f(row, column, value)` for the entries of L below the diagonal.
    pub fn for_each_lower(&self, mut f: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense {
                n, stride, values, ..
            } => {
                for j in 0..*n {
                    (j + 1..*n).for_each(|i| f(i, j, values[i + j * stride]));
                }
            }
            Self::Sparse { lower, .. } => lower.for_each(&mut f),
        }
    }

    /// Calls `f(row, column, value)` for the entries of U on and above the diagonal.
    pub fn for_each_upper(&self, mut f: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense {
                n, stride, values, ..
            } => {
                for j in 0..*n {
                    (0..=j).for_each(|i| f(i, j, values[i + j * stride]));
                }
            }
            Self::Sparse { upper, pivots, .. } => {
                upper.for_each(&mut f);
                pivots.iter().enumerate().for_each(|(k, &d)| f(k, k, d));
            }
        }
    }

    /// Rows and columns of A in the order of the pivots.
    pub fn orders(&self) -> (&[u32], &[u32]) {
        match self {
            Self::Dense {
                row_order,
                column_order,
                ..
            }
            | Self::Sparse {
                row_order,
                column_order,
                ..
            } => (row_order, column_order),
        }
    }

    /// Number of stored entries of L and U, the diagonal counted once.
    pub fn n_entries(&self) -> usize {
        match self {
            Self::Dense { n, .. } => n * n,
            Self::Sparse {
                lower, upper, pivots, ..
            } => lower.rows.len() + upper.rows.len() + pivots.len(),
        }
    }
}

/// A linear solver one can choose by name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in files, options and reports.
    pub name: &'static str,
    /// One line for lists.
    pub description: &'static str,
    /// Where it comes from.
    pub literature: &'static str,
    /// Whether matrices are stored in the sparsity pattern of the system, where it declares one.
    pub sparse: bool,
    /// Whether the system must declare one.
    pub needs_pattern: bool,
    /// Whether it can solve with the complex matrices of methods in stages, too.
    pub complex: bool,
    /// Its options, if it has some.
    pub options: Option<Factory>,
    /// Makes a solver for matrices of size `n`; the pattern is used by those that can.
    pub build: fn(n: usize, pattern: Option<&Pattern>, own: &Owned) -> Box<dyn LinearSolver>,
}

/// Makes the solver of this name, if there is one.
pub fn build(name: &str, n: usize, pattern: Option<&Pattern>) -> Option<Box<dyn LinearSolver>> {
    Some((find(name)?.build)(n, pattern, &Owned::default()))
}

/// The solver that `auto` takes for `n` unknowns, of which this part of the entries may be non-zero. Dense LU costs
/// about 0.7 n³ vectorised operations, sparse LU much overhead per entry.
pub fn automatic(n: usize, density: f64) -> &'static Entry {
    let wants_sparse = n >= SPARSE_FROM && density < SPARSE_BELOW;
    let fits = |entry: &&Entry| entry.sparse == wants_sparse;
    REGISTRY.iter().find(fits).unwrap_or(&REGISTRY[0])
}

/// A direct solver for `n` unknowns, for matrices in a pattern or dense ones.
pub fn direct(n: usize, sparse: bool) -> Box<dyn LinearSolver> {
    match sparse {
        true => Box::new(LuSparse::new(n)),
        false => Box::new(LuDense::new(n)),
    }
}

/// Says which row and column make `a` singular, given a solver that holds the factors of `a` with
/// the pivot at (`row`, `column`) changed from nothing to a tiny number.
///
/// One solve with the row's unit vector is then a step of inverse iteration: it returns the
/// combination of columns that vanishes, and likewise for rows. Rows and columns are weighed by
/// their size.
fn diagnose(
    solver: &mut dyn LinearSolver,
    a: &Matrix,
    row: usize,
    column: usize,
    row_scale: &[f64],
    column_max: &[f64],
) -> Singular {
    // zeros alone may be the cause, also in a matrix whose storage has room for other values
    let mut entries = Vec::new();
    a.for_each(|i, j, v| {
        if v != 0.0 {
            entries.push((i, j));
        }
    });
    let n = a.n();
    let non_zeros = Pattern::from_entries(n, n, entries);
    if let Some((row, column)) = maximum_transversal(&non_zeros, |_| 1.0).unmatched {
        return Singular::Structural { row, column };
    }
    let mut share = vec![0.0; n];
    share[row] = 1.0;
    solver.solve(&mut share);
    for (x, c) in share.iter_mut().zip(column_max) {
        *x *= c;
    }
    let worst_column = largest(&share);
    share.fill(0.0);
    share[column] = 1.0;
    solver.solve_transposed(&mut share);
    for (x, r) in share.iter_mut().zip(row_scale) {
        *x /= r;
    }
    Singular::Numerical {
        row: largest(&share),
        column: worst_column,
    }
}
