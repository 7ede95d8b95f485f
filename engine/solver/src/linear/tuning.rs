//! Constants that steer the linear solvers.
//!
//! Each with its source. What was chosen on the shipped models and problems is not confirmed on generated mechanisms yet.

/// Relative accuracy of solves for which none is asked.
///
/// Source: what rounding leaves of some dozen products.
pub(super) const ACCURATE: f64 = 1e-13;

/// What a step of Gram–Schmidt leaves of a vector that lies in the space already.
///
/// Source: rounding of a scalar product, with some room.
pub(super) const NOTHING: f64 = 1e-14;

/// Kept pivots may be smaller than fresh ones, relative to the largest candidate, by this factor.
///
/// Source: own choice on the shipped models and problems.
pub(super) const WORN_PIVOT: f64 = 1e-2;

/// Kept pivots may let entries grow to this, or to [`WORN_GROWTH_RATIO`] times what fresh ones did.
///
/// Source: own choice on the shipped models and problems.
pub(super) const WORN_GROWTH: f64 = 1e4;

/// See [`WORN_GROWTH`].
///
/// Source: own choice on the shipped models and problems.
pub(super) const WORN_GROWTH_RATIO: f64 = 1e2;

/// Unknowns from which on, and part of non-zero entries below which, `auto` takes a sparse solver.
///
/// Source: own choice on the shipped models and problems.
pub(super) const SPARSE_FROM: usize = 50;

///
/// Source: own choice on the shipped models and problems.
pub(super) const SPARSE_BELOW: f64 = 0.2;

/// Rows with more entries than this times √n are ordered last, untouched.
///
/// Source: the default of AMD [Amestoy, Davis, Duff 1996].
pub(super) const DENSE_ROW: f64 = 10.0;
