//! Constants that steer the nonlinear solve.
//!
//! Each with its source. What was chosen on the shipped models and problems is not confirmed on generated mechanisms yet.

/// Rounding that reaches this part of the share is amplified: as next to singular positions, where it
/// comes out divided by what is left of the smallest singular value. Elsewhere it stays below a
/// thousandth of that: of the shipped models 10⁻⁹ to 4·10⁻⁶ of the tolerance, 5·10⁻⁵ to 3·10⁻³ next to the singular
/// positions of `n-four-bar`.
///
/// Source: measured on the shipped models, as given above; decision 0006.
pub(super) const AMPLIFIED: f64 = 0.01;

/// A fresh matrix should contract faster than this.
///
/// Source: own choice on the shipped models and problems.
pub(super) const POOR_RATE: f64 = 0.25;

/// Stands for "nothing known": one correction is enough only if it is tiny.
///
/// Source: the first estimate of DASSL [Brenan, Campbell, Petzold 1996, §5.2].
pub(super) const NOTHING_KNOWN: f64 = 100.0;

/// Increment of an input, in units of its value or of 1: differences of Jacobians that are differences
/// themselves need a large one.
///
/// Source: own choice on the shipped models and problems.
pub(super) const INCREMENT: f64 = 1e-3;

/// What must be left of the change of ∂F/∂y at most for following to help.
///
/// Source: own choice on the shipped models and problems.
pub(super) const EXPLAINED: f64 = 0.7;

/// Work after which following is judged, in units of the price of the slopes.
///
/// Source: own choice on the shipped models and problems.
pub(super) const ENOUGH: f64 = 4.0;

/// Work per step, in units of that before, from which on following does not pay; motions change.
///
/// Source: own choice on the shipped models and problems.
pub(super) const WORSE: f64 = 1.2;

/// Part of an error that the change of M in one step may leave behind after a correction.
///
/// Source: own choice on the shipped models; decision 0012.
pub(super) const MOST_PER_STEP: f64 = 0.05;

/// The same where the matrix of constraints is renewed with M, which rows that are carried would have to go without.
///
/// Source: own choice on the shipped models; decision 0012.
pub(super) const MOST_WITH_CONSTRAINTS: f64 = 3.0;

/// Renewals of M in a row that must find more than that.
///
/// Source: own choice on the shipped models; decision 0012.
pub(super) const METRIC_PATIENCE: u32 = 2;

/// Relative accuracy of linear solves by iteration: errors of corrections below the share of the tolerance that an iteration
/// may leave.
///
/// Source: a thousandth of the smallest share of the tolerance that an iteration may leave, 10⁻³.
pub(super) const LINEAR_ACCURACY: f64 = 1e-6;

/// Longest patience with a doubtful pattern, see [`Suspicion::patience`].
///
/// Source: eight searches in vain, each twice as rare as the one before.
pub(super) const MOST_PATIENCE: f64 = 256.0;
