//! `lu-sparse`: P A Q = L U for matrices with few entries.
//!
//! Three stages by how often they run. Once for a pattern: a zero-free diagonal (`transversal.rs`)
//! and a fill-reducing order (`ordering.rs`). Once in a while: pivots (`gilbert_peierls.rs`). For
//! every matrix: the values of L and U on the known pattern, without search, comparison or
//! allocation [Davis, Palamadai Natarajan 2010]. The last stage watches the multipliers and the
//! growth of the entries; if old pivots no longer suit, new ones are chosen at once and the caller
//! is told.
//!
//! Pivots are compared after a row equilibration that is never carried out, see `scaling.rs`.

use super::tuning::{WORN_GROWTH, WORN_GROWTH_RATIO, WORN_PIVOT};
use super::condition::{inverse_norm_1, solve_refined};
use super::gilbert_peierls::{Symbolic, Task, choose_pivots};
use super::scaling::{NOT_FINITE, magnitude, power_of_two, zero_pivot_ratio};
use super::{
    Columns, Entry, Factorised, Factors, LinearSolver, Matrix, Scalar, Singular, approximate_minimum_degree,
    diagnose, maximum_transversal, postordered,
};
use crate::state::State;
use holonom_dae::Pattern;
use serde::{Deserialize, Serialize};

/// Name in options and reports.
pub(super) const NAME: &str = "lu-sparse";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "left-looking sparse LU; pattern and pivots are reused as long as they remain suitable",
    literature: "Gilbert, Peierls 1988; Duff 1981; Amestoy, Davis, Duff 1996",
    sparse: true,
    needs_pattern: true,
    complex: true,
    options: None,
    build: |n, _, _| Box::new(LuSparse::new(n)),
};

/// Sparse LU of real matrices, the solver `lu-sparse`.
pub type LuSparse = SparseLu<f64>;

/// Sparse LU that keeps its pattern and pivots.
#[derive(Clone, Debug)]
pub struct SparseLu<T> {
    /// Smallest ratio of the pivot that the ordering asks for to the largest candidate in its
    /// column; smaller values mean less fill and larger rounding errors.
    pub pivot_tolerance: f64,
    state: SparseState<T>,
    // scratch: by row and by column of A
    magnitudes: Vec<i64>,
    scale_of_row: Vec<f64>,
    column_max: Vec<f64>,
    // scratch by pivot
    x: Vec<T>,
    residual: Vec<f64>,
    work: Vec<f64>,
}

/// What the later results of a [`SparseLu`] depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparseState<T = f64> {
    n: usize,
    // filled by `analyse`
    pattern: Pattern,
    column_order: Vec<u32>,
    preferred_row: Vec<u32>,
    is_analysed: bool,
    // filled by `pivot`
    symbolic: Symbolic,
    /// Number as a pivot of the row of each entry of A.
    target: Vec<u32>,
    fresh_growth: f64,
    has_pivots: bool,
    // filled by `refactorise`
    lower: Vec<T>,
    upper: Vec<T>,
    pivots: Vec<T>,
    reciprocal_pivots: Vec<T>,
    /// By pivot.
    row_scale: Vec<f64>,
    is_factorised: bool,
}

/// How a refactorisation ended.
enum Outcome {
    /// Largest growth of an entry relative to its column.
    Done { growth: f64 },
    /// The pivot of this number vanished or is much smaller than what is below it.
    BadPivot { k: usize },
}

impl<T: Scalar> SparseLu<T> {
    /// A solver for matrices of size `n`; the pattern is taken from the first matrix.
    pub fn new(n: usize) -> Self {
        Self {
            pivot_tolerance: 0.1,
            state: SparseState {
                n,
                pattern: Pattern::from_entries(n, n, []),
                column_order: Vec::new(),
                preferred_row: Vec::new(),
                is_analysed: false,
                symbolic: Symbolic::default(),
                target: Vec::new(),
                fresh_growth: 0.0,
                has_pivots: false,
                lower: Vec::new(),
                upper: Vec::new(),
                pivots: vec![T::default(); n],
                reciprocal_pivots: vec![T::default(); n],
                row_scale: vec![0.0; n],
                is_factorised: false,
            },
            magnitudes: vec![0; n],
            scale_of_row: vec![0.0; n],
            column_max: vec![0.0; n],
            x: vec![T::default(); n],
            residual: vec![0.0; n],
            work: vec![0.0; 2 * n],
        }
    }

    /// Transversal and ordering for a pattern; none is a dense one.
    fn analyse(&mut self, pattern: Option<&Pattern>, values: &[T]) -> Result<(), Singular> {
        let state = &mut self.state;
        state.is_analysed = false;
        state.has_pivots = false;
        let n = state.n;
        state.pattern = pattern.map_or_else(|| Pattern::dense(n, n), Pattern::clone);
        find_row_scale(
            values,
            &state.pattern,
            &mut self.magnitudes,
            &mut self.scale_of_row,
        )?;
        let rows = state.pattern.rows();
        let size = |p: usize| values[p].size() * self.scale_of_row[rows[p]];
        let transversal = maximum_transversal(&state.pattern, size);
        if let Some((row, column)) = transversal.unmatched {
            return Err(Singular::Structural { row, column });
        }
        let row_of: Vec<usize> = transversal.row_of_column.into_iter().flatten().collect();
        let order = approximate_minimum_degree(&state.pattern, &row_of);
        let order = postordered(&state.pattern, &row_of, &order);
        state.preferred_row = order.iter().map(|&j| row_of[j] as u32).collect();
        state.column_order = order.into_iter().map(|j| j as u32).collect();
        state.is_analysed = true;
        Ok(())
    }

    /// Chooses pivots for these values and makes room for the factors.
    fn pivot(&mut self, values: &[T]) {
        let state = &mut self.state;
        state.symbolic = choose_pivots(&Task {
            pattern: &state.pattern,
            values,
            row_scale: &self.scale_of_row,
            column_order: &state.column_order,
            preferred_row: &state.preferred_row,
            tolerance: self.pivot_tolerance,
        });
        let mut position = vec![0; state.n];
        for (k, &i) in state.symbolic.row_order.iter().enumerate() {
            position[i as usize] = k as u32;
        }
        state.target.clear();
        state
            .target
            .extend(state.pattern.rows().iter().map(|&i| position[i]));
        state.lower.clear();
        state.lower.resize(state.symbolic.lower_rows.len(), T::default());
        state.upper.clear();
        state.upper.resize(state.symbolic.upper_rows.len(), T::default());
        state.has_pivots = true;
    }

    /// Factorises the matrix with these values at the places of a pattern; none is a dense one. A pivot that
    /// vanishes ends it, by its number.
    fn factorise_places(&mut self, pattern: Option<&Pattern>, values: &[T]) -> Result<Factorised, Trouble> {
        self.state.is_factorised = false;
        if self.state.has_pattern(pattern) {
            let Self {
                state,
                magnitudes,
                scale_of_row,
                ..
            } = self;
            find_row_scale(values, &state.pattern, magnitudes, scale_of_row)?;
        } else {
            self.analyse(pattern, values)?;
        }

        // with the pivots at hand
        let repivoted = self.state.has_pivots;
        let Self {
            state,
            scale_of_row,
            column_max,
            x,
            ..
        } = self;
        if state.has_pivots {
            let worn = Some(WORN_PIVOT * self.pivot_tolerance);
            let outcome = state.refactorise(values, scale_of_row, worn, x, column_max);
            let limit = WORN_GROWTH.max(WORN_GROWTH_RATIO * state.fresh_growth);
            if let Outcome::Done { growth } = outcome
                && growth <= limit
            {
                state.is_factorised = true;
                return Ok(Factorised {
                    repivoted: false,
                    pivot_growth: growth,
                });
            }
        }

        // with new ones
        self.pivot(values);
        let Self {
            state,
            scale_of_row,
            column_max,
            x,
            ..
        } = self;
        match state.refactorise(values, scale_of_row, None, x, column_max) {
            Outcome::Done { growth } => {
                state.fresh_growth = growth;
                state.is_factorised = true;
                Ok(Factorised {
                    repivoted,
                    pivot_growth: growth,
                })
            }
            Outcome::BadPivot { k } => Err(Trouble::Vanished { k }),
        }
    }

    /// Factorises the matrix with these values at the places of a pattern, as
    /// [`LinearSolver::factorise`] does.
    pub fn factorise_values(&mut self, pattern: &Pattern, values: &[T]) -> Result<Factorised, Singular> {
        let factorised = self.factorise_places(Some(pattern), values);
        factorised.map_err(|trouble| match trouble {
            Trouble::Found(singular) => singular,
            Trouble::Vanished { k } => Singular::Numerical {
                row: self.state.symbolic.row_order[k] as usize,
                column: self.state.column_order[k] as usize,
            },
        })
    }

    /// Calls `b` for the rows of a right-hand side, and `x` for the columns of the solution; false without a
    /// factorisation.
    pub fn solve_values(&mut self, b: impl Fn(usize) -> T, mut x: impl FnMut(usize, T)) -> bool {
        let state = &self.state;
        if !state.is_factorised {
            return false;
        }
        for (x, &i) in self.x.iter_mut().zip(&state.symbolic.row_order) {
            *x = b(i as usize);
        }
        state.solve_ordered(&mut self.x);
        for (value, &j) in self.x.iter().zip(&state.column_order) {
            x(j as usize, *value);
        }
        true
    }

    /// Everything the results of later calls depend on.
    pub fn state(&self) -> &SparseState<T> {
        &self.state
    }

    /// Takes over the state of a solver of the same size; any other leaves it without a factorisation.
    pub fn set_state(&mut self, state: &SparseState<T>) {
        if state.n == self.state.n {
            self.state.clone_from(state);
        } else {
            self.state.is_factorised = false;
        }
    }
}

impl LuSparse {
    /// Names the singularity met in step `k`, with the help of the factors of the perturbed matrix.
    #[cold]
    fn name_singularity(&mut self, a: &Matrix, k: usize) -> Singular {
        let row = self.state.symbolic.row_order[k] as usize;
        let column = self.state.column_order[k] as usize;
        let (scale, column_max) = (self.scale_of_row.clone(), self.column_max.clone());
        self.state.is_factorised = true;
        let singular = diagnose(self, a, row, column, &scale, &column_max);
        self.state.is_factorised = false;
        singular
    }
}

/// Why there is no factorisation.
enum Trouble {
    /// Known by row and column.
    Found(Singular),
    /// The pivot of this number vanished.
    Vanished { k: usize },
}

impl From<Singular> for Trouble {
    fn from(singular: Singular) -> Self {
        Self::Found(singular)
    }
}

/// Powers of two that equilibrate the rows; an error if there is an entry that is not finite.
fn find_row_scale<T: Scalar>(
    values: &[T],
    pattern: &Pattern,
    magnitudes: &mut [i64],
    scale: &mut [f64],
) -> Result<(), Singular> {
    magnitudes.fill(0);
    for (&i, &v) in pattern.rows().iter().zip(values) {
        magnitudes[i] = magnitudes[i].max(magnitude(v.size()));
    }
    let mut largest = 0;
    for (s, &m) in scale.iter_mut().zip(magnitudes.iter()) {
        *s = power_of_two(m);
        largest = largest.max(m);
    }
    if largest >= NOT_FINITE
        && let Some(position) = values.iter().position(|v| !v.size().is_finite())
    {
        let column = pattern.column_start().partition_point(|&start| start <= position) - 1;
        let row = pattern.rows()[position];
        return Err(Singular::NonFinite { row, column });
    }
    Ok(())
}

impl<T: Scalar> SparseState<T> {
    fn has_pattern(&self, pattern: Option<&Pattern>) -> bool {
        self.is_analysed
            && match pattern {
                None => self.pattern.len() == self.n * self.n,
                Some(pattern) => self.pattern == *pattern,
            }
    }

    /// Computes L and U on the known pattern. With `worn_ratio`, stops at a pivot that vanishes or
    /// is smaller than this fraction of what is below it; without, replaces vanishing pivots by
    /// tiny ones, goes on, and reports the first of them.
    fn refactorise(
        &mut self,
        values: &[T],
        scale_of_row: &[f64],
        worn_ratio: Option<f64>,
        x: &mut [T],
        column_max: &mut [f64],
    ) -> Outcome {
        let n = self.n;
        let zero_ratio = zero_pivot_ratio(n);
        let Symbolic {
            lower_start,
            lower_rows,
            upper_start,
            upper_rows,
            row_order,
        } = &self.symbolic;
        for (s, &i) in self.row_scale.iter_mut().zip(row_order) {
            *s = scale_of_row[i as usize];
        }
        let scale = &self.row_scale[..n];
        let x = &mut x[..n];
        x.fill(T::default());
        let mut growth: f64 = 0.0;
        let mut vanished = None;
        for k in 0..n {
            // the column of A
            let j = self.column_order[k] as usize;
            let entries = self.pattern.range(j);
            let mut largest_a: f64 = 0.0;
            for (&i, &a) in self.target[entries.clone()].iter().zip(&values[entries]) {
                x[i as usize] = a;
                largest_a = largest_a.max(a.size() * scale[i as usize]);
            }
            column_max[j] = largest_a;

            // minus the columns of L before it, times the entries of U as they appear
            let mut largest_u: f64 = 0.0;
            let column = upper_start[k]..upper_start[k + 1];
            let targets = &mut self.upper[column.clone()];
            for (&c, target) in upper_rows[column].iter().zip(targets) {
                let c = c as usize;
                let u = x[c];
                x[c] = T::default();
                *target = u;
                largest_u = largest_u.max(u.size() * scale[c]);
                let below = lower_start[c]..lower_start[c + 1];
                let rows = &lower_rows[below.clone()];
                for (&i, l) in rows.iter().zip(&self.lower[below]) {
                    x[i as usize] -= *l * u;
                }
            }

            // the pivot and what is below it
            let mut pivot = x[k];
            x[k] = T::default();
            let size = pivot.size() * scale[k];
            let is_zero = size <= zero_ratio * largest_a;
            if is_zero {
                if worn_ratio.is_some() {
                    return Outcome::BadPivot { k };
                }
                vanished = vanished.or(Some(k));
                let reference = if largest_a > 0.0 { largest_a } else { 1.0 };
                pivot = T::real(zero_ratio * reference / scale[k]);
            }
            let reciprocal = pivot.reciprocal();
            let below = lower_start[k]..lower_start[k + 1];
            let targets = &mut self.lower[below.clone()];
            let mut largest_below: f64 = 0.0;
            for (&i, target) in lower_rows[below].iter().zip(targets) {
                let i = i as usize;
                let candidate = x[i];
                x[i] = T::default();
                largest_below = largest_below.max(candidate.size() * scale[i]);
                *target = candidate * reciprocal;
            }
            if worn_ratio.is_some_and(|ratio| size < ratio * largest_below) {
                return Outcome::BadPivot { k };
            }
            self.pivots[k] = pivot;
            self.reciprocal_pivots[k] = reciprocal;
            growth = growth.max(largest_u.max(size).max(largest_below) / largest_a);
        }
        match vanished {
            Some(k) => Outcome::BadPivot { k },
            None => Outcome::Done { growth },
        }
    }

    /// x := U⁻¹ L⁻¹ x, in the order of the pivots.
    fn solve_ordered(&self, x: &mut [T]) {
        let n = self.n;
        let Symbolic {
            lower_start,
            lower_rows,
            upper_start,
            upper_rows,
            ..
        } = &self.symbolic;
        let x = &mut x[..n];
        for k in 0..n {
            let xk = x[k];
            let column = lower_start[k]..lower_start[k + 1];
            let rows = &lower_rows[column.clone()];
            for (&i, l) in rows.iter().zip(&self.lower[column]) {
                x[i as usize] -= *l * xk;
            }
        }
        for k in (0..n).rev() {
            let xk = x[k] * self.reciprocal_pivots[k];
            x[k] = xk;
            let column = upper_start[k]..upper_start[k + 1];
            let rows = &upper_rows[column.clone()];
            for (&i, u) in rows.iter().zip(&self.upper[column]) {
                x[i as usize] -= *u * xk;
            }
        }
    }
}

impl SparseState {
    /// x := L⁻ᵀ U⁻ᵀ x, in the order of the pivots.
    fn solve_transposed_ordered(&self, x: &mut [f64]) {
        let symbolic = &self.symbolic;
        let dot = |start: &[usize], rows: &[u32], values: &[f64], k: usize, x: &[f64]| {
            let column = start[k]..start[k + 1];
            let rows = rows[column.clone()].iter();
            rows.zip(&values[column])
                .map(|(&i, v)| v * x[i as usize])
                .sum::<f64>()
        };
        for k in 0..self.n {
            let sum = dot(&symbolic.upper_start, &symbolic.upper_rows, &self.upper, k, x);
            x[k] = (x[k] - sum) * self.reciprocal_pivots[k];
        }
        for k in (0..self.n).rev() {
            x[k] -= dot(&symbolic.lower_start, &symbolic.lower_rows, &self.lower, k, x);
        }
    }
}

impl LinearSolver for LuSparse {
    fn name(&self) -> &'static str {
        NAME
    }

    fn factorise(&mut self, a: &Matrix) -> Result<Factorised, Singular> {
        let n = self.state.n;
        assert_eq!(a.n(), n, "matrix of size {}, solver of size {n}", a.n());
        let factorised = self.factorise_places(a.pattern(), a.values());
        factorised.map_err(|trouble| match trouble {
            Trouble::Found(singular) => singular,
            Trouble::Vanished { k } => self.name_singularity(a, k),
        })
    }

    fn solve(&mut self, b: &mut [f64]) {
        let state = &self.state;
        assert_eq!(b.len(), state.n, "right-hand side of the wrong length");
        if !state.is_factorised {
            b.fill(f64::NAN);
            return;
        }
        for (x, &i) in self.x.iter_mut().zip(&state.symbolic.row_order) {
            *x = b[i as usize];
        }
        state.solve_ordered(&mut self.x);
        for (x, &j) in self.x.iter().zip(&state.column_order) {
            b[j as usize] = *x;
        }
    }

    fn solve_transposed(&mut self, b: &mut [f64]) {
        let state = &self.state;
        assert_eq!(b.len(), state.n, "right-hand side of the wrong length");
        if !state.is_factorised {
            b.fill(f64::NAN);
            return;
        }
        for (x, &j) in self.x.iter_mut().zip(&state.column_order) {
            *x = b[j as usize];
        }
        state.solve_transposed_ordered(&mut self.x);
        for (x, &i) in self.x.iter().zip(&state.symbolic.row_order) {
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
        let symbolic = &state.symbolic;
        state.is_factorised.then_some(Factors::Sparse {
            lower: Columns {
                start: &symbolic.lower_start,
                rows: &symbolic.lower_rows,
                values: &state.lower,
            },
            upper: Columns {
                start: &symbolic.upper_start,
                rows: &symbolic.upper_rows,
                values: &state.upper,
            },
            pivots: &state.pivots,
            row_order: &symbolic.row_order,
            column_order: &state.column_order,
            row_scale: &state.row_scale,
        })
    }

    fn forget(&mut self) {
        // The order of elimination follows from the pattern alone.
        (self.state.has_pivots, self.state.is_factorised) = (false, false);
    }

    fn checkpoint(&self) -> State {
        State::new(NAME, self.state.clone())
    }

    fn restore(&mut self, state: &State) {
        match state.get::<SparseState>(NAME) {
            Some(state) => self.set_state(&state),
            None => self.state.is_factorised = false,
        }
    }
}
