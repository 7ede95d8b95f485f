//! Which step sizes are stable for q̈ = −aq − bq̇, Burgermeister §2.

use super::options::{Ordering, StiffTerms};
use core::cmp;
use core::fmt;

/// Step sizes with which something is stable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepLimit {
    /// Any.
    Any,
    /// Up to this one.
    UpTo(f64),
    /// None: it grows with every step size.
    Never,
}

impl StepLimit {
    /// Whether a step size is stable.
    pub fn admits(self, h: f64) -> bool {
        match self {
            Self::Any => true,
            Self::UpTo(limit) => h <= limit,
            Self::Never => false,
        }
    }

    /// The limit as a number: infinite for any, zero for none.
    pub fn value(self) -> f64 {
        match self {
            Self::Any => f64::INFINITY,
            Self::UpTo(limit) => limit,
            Self::Never => 0.0,
        }
    }

    /// The stricter of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match self.value().total_cmp(&other.value()) {
            cmp::Ordering::Greater => other,
            _ => self,
        }
    }
}

impl fmt::Display for StepLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.pad("any"),
            Self::UpTo(limit) => f.pad(&format!("{limit:.3e}")),
            Self::Never => f.pad("never"),
        }
    }
}

impl StiffTerms {
    /// Step sizes that are stable for q̈ = −aq − bq̇.
    ///
    /// With x = h²a and y = hb a step has the characteristic polynomial
    /// * `exact`: (1 + x + y) z² − (2 + y) z + 1, and `j2`: (1 + x + y) z² − (2 + x + y) z + 1 + x, stable for all h;
    /// * `j1`: (1 + y) z² − (2 + y − x) z + 1, stable up to x = 2y + 4;
    /// * `j3`: z² − (2 − x − y) z + 1 − y, stable up to x = 4 − 2y, and so y ≤ 2;
    /// * `none`: z² − (2 − y) z + 1 − y + x, stable up to x = y, and 4 − 2y + x ≥ 0.
    ///
    /// With velocities first `j2` and `j1` have the same ones, and `none` that of `j3`. Where the equation itself
    /// grows, a < 0 or b < 0, no step size is stable.
    ///
    /// ```
    /// use holonom_solver::stepper::{Ordering, StepLimit, StiffTerms};
    /// let limit = |terms: StiffTerms| terms.step_limit(Ordering::PositionsFirst, 100.0, 0.0);
    /// assert_eq!(limit(StiffTerms::J1), StepLimit::UpTo(0.2));
    /// assert_eq!((limit(StiffTerms::J2), limit(StiffTerms::None)), (StepLimit::Any, StepLimit::Never));
    /// ```
    pub fn step_limit(self, ordering: Ordering, a: f64, b: f64) -> StepLimit {
        if !(a >= 0.0 && b >= 0.0) {
            return StepLimit::Never;
        }
        if a == 0.0 && b == 0.0 {
            return StepLimit::Any;
        }
        let root = (b * b + 4.0 * a).sqrt();
        match (self, ordering) {
            (Self::Exact | Self::J2, _) => StepLimit::Any,
            (Self::J1, _) if a == 0.0 => StepLimit::Any,
            (Self::J1, _) => StepLimit::UpTo((b + root) / a),
            (Self::J3, _) | (Self::None, Ordering::VelocitiesFirst) => StepLimit::UpTo(4.0 / (b + root)),
            (Self::None, Ordering::PositionsFirst) if b == 0.0 => StepLimit::Never,
            // |1 + hλ| ≤ 1 for both roots λ of λ² + bλ + a.
            (Self::None, Ordering::PositionsFirst) if b * b < 4.0 * a => StepLimit::UpTo(b / a),
            (Self::None, Ordering::PositionsFirst) => StepLimit::UpTo(4.0 / (b + (b * b - 4.0 * a).sqrt())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients of z², z and 1.
    fn polynomial(terms: StiffTerms, ordering: Ordering, x: f64, y: f64) -> [f64; 3] {
        match (terms, ordering) {
            (StiffTerms::Exact, _) => [1.0 + x + y, -(2.0 + y), 1.0],
            (StiffTerms::J2, _) => [1.0 + x + y, -(2.0 + x + y), 1.0 + x],
            (StiffTerms::J1, _) => [1.0 + y, -(2.0 + y - x), 1.0],
            (StiffTerms::J3, _) | (StiffTerms::None, Ordering::VelocitiesFirst) => {
                [1.0, -(2.0 - x - y), 1.0 - y]
            }
            (StiffTerms::None, Ordering::PositionsFirst) => [1.0, -(2.0 - y), 1.0 - y + x],
        }
    }

    /// Whether both roots are in the unit circle: c ≤ a and |b| ≤ a + c, which needs no roots and so no care for
    /// double ones.
    fn is_stable([a, b, c]: [f64; 3]) -> bool {
        let rounding = 1e-14 * (a + b.abs() + c.abs());
        c <= a + rounding && b.abs() <= a + c + rounding
    }

    /// Within the limit nothing grows, beyond it something does.
    #[test]
    fn limits_are_those_of_the_polynomials() {
        for &terms in StiffTerms::ALL {
            for &ordering in Ordering::ALL {
                for a in [0.0, 0.3, 1.0, 40.0, 1e4] {
                    for b in [0.0, 0.2, 1.0, 3.0, 50.0] {
                        let limit = terms.step_limit(ordering, a, b);
                        let at = |h: f64| is_stable(polynomial(terms, ordering, h * h * a, h * b));
                        match limit {
                            StepLimit::Any => {
                                for k in -20..20 {
                                    let h = 2f64.powi(k);
                                    assert!(at(h), "{terms:?} {a} {b} {h}");
                                }
                            }
                            StepLimit::UpTo(h) => {
                                assert!(at(0.999 * h), "{terms:?} {ordering:?} {a} {b}: {h}");
                                assert!(at(0.3 * h), "{terms:?} {ordering:?} {a} {b}: {h}");
                                assert!(!at(1.001 * h), "{terms:?} {ordering:?} {a} {b}: {h}");
                            }
                            StepLimit::Never => assert!(!at(1e-3), "{terms:?} {a} {b}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_grows_by_itself_has_no_limit() {
        for (a, b) in [(-1.0, 0.0), (1.0, -0.1), (f64::NAN, 0.0)] {
            assert_eq!(
                StiffTerms::J2.step_limit(Ordering::default(), a, b),
                StepLimit::Never
            );
        }
        assert_eq!(StepLimit::Any.and(StepLimit::UpTo(2.0)), StepLimit::UpTo(2.0));
        assert_eq!(StepLimit::UpTo(2.0).and(StepLimit::Never), StepLimit::Never);
    }
}
