//! Coefficients of Kalker's linear theory of rolling contact.

use super::{Patch, RailError, poisson_ratio};
use holonom_algebra::Real;

/// Rows of Kalker's table E.3 for g = 0.1, 0.2, … 1: C₁₁, C₂₂, C₂₃, C₃₃, each for ν = 0, ¼, ½.
type Rows = [[[f64; 3]; 4]; 10];

/// For a/b = g.
#[allow(clippy::approx_constant)] // Some happen to be 3.14.
#[rustfmt::skip]
const SLENDER_ACROSS: Rows = [
    [[2.51, 3.31, 4.85], [2.51, 2.52, 2.53], [0.334, 0.473, 0.731], [6.42, 8.28, 11.7]],
    [[2.59, 3.37, 4.81], [2.59, 2.63, 2.66], [0.483, 0.603, 0.809], [3.46, 4.27, 5.66]],
    [[2.68, 3.44, 4.8], [2.68, 2.75, 2.81], [0.607, 0.715, 0.889], [2.49, 2.96, 3.72]],
    [[2.78, 3.53, 4.82], [2.78, 2.88, 2.98], [0.72, 0.823, 0.977], [2.02, 2.32, 2.77]],
    [[2.88, 3.62, 4.83], [2.88, 3.01, 3.14], [0.827, 0.929, 1.07], [1.74, 1.93, 2.22]],
    [[2.98, 3.72, 4.91], [2.98, 3.14, 3.31], [0.93, 1.03, 1.18], [1.56, 1.68, 1.86]],
    [[3.09, 3.81, 4.97], [3.09, 3.28, 3.48], [1.03, 1.14, 1.29], [1.43, 1.5, 1.6]],
    [[3.19, 3.91, 5.05], [3.19, 3.41, 3.65], [1.13, 1.25, 1.4], [1.34, 1.37, 1.42]],
    [[3.29, 4.01, 5.12], [3.29, 3.54, 3.82], [1.23, 1.36, 1.51], [1.27, 1.27, 1.27]],
    [[3.4, 4.12, 5.2], [3.4, 3.67, 3.98], [1.33, 1.47, 1.63], [1.21, 1.19, 1.16]],
];

/// For b/a = g.
#[rustfmt::skip]
const SLENDER_ALONG: Rows = [
    [[10.7, 11.7, 12.9], [10.7, 12.8, 16.0], [12.2, 14.6, 18.0], [0.795, 0.526, 0.228]],
    [[6.96, 7.78, 8.82], [6.96, 8.14, 9.79], [5.72, 6.63, 7.89], [0.828, 0.601, 0.341]],
    [[5.57, 6.34, 7.34], [5.57, 6.4, 7.51], [3.79, 4.32, 5.01], [0.868, 0.674, 0.446]],
    [[4.84, 5.57, 6.57], [4.84, 5.48, 6.31], [2.88, 3.24, 3.7], [0.912, 0.747, 0.549]],
    [[4.37, 5.1, 6.11], [4.37, 4.9, 5.56], [2.35, 2.62, 2.96], [0.958, 0.819, 0.65]],
    [[4.06, 4.78, 5.8], [4.06, 4.5, 5.04], [2.01, 2.23, 2.5], [1.01, 0.892, 0.751]],
    [[3.82, 4.54, 5.58], [3.82, 4.21, 4.67], [1.76, 1.95, 2.18], [1.05, 0.965, 0.852]],
    [[3.65, 4.36, 5.42], [3.65, 3.99, 4.39], [1.58, 1.75, 1.94], [1.1, 1.04, 0.954]],
    [[3.51, 4.22, 5.3], [3.51, 3.81, 4.16], [1.44, 1.59, 1.77], [1.16, 1.11, 1.06]],
    [[3.4, 4.12, 5.2], [3.4, 3.67, 3.98], [1.33, 1.47, 1.63], [1.21, 1.19, 1.16]],
];

/// Coefficients for one ellipse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients<T> {
    /// C₁₁: longitudinal.
    pub c11: T,
    /// C₂₂: lateral.
    pub c22: T,
    /// C₂₃: lateral force of spin, and moment of lateral creepage.
    pub c23: T,
    /// C₃₃: moment of spin.
    pub c33: T,
}

/// The table for one Poisson's ratio.
///
/// C₁₁, C₂₂ and C₂₃ are those of the table as printed. C₃₃ is the column of the same table as it is
/// usually quoted; an own solution of rolling without slip between half-spaces (constant tractions on
/// 40 × 40 elements, its error scaled off by that of C₁₁ C₂₂) agrees with it within 1 % for eleven of
/// thirteen ellipses and ratios from 1 : 10 to 10 : 1, and within 2.5 % for the others.
///
/// Coefficients are interpolated linearly over g = min(a/b, b/a), and their reciprocals
/// quadratically over Poisson's ratio. More slender ellipses than 1 : 10 have the values of that one.
///
/// ```
/// use holonom_multibody::rail::{KalkerTable, Patch};
/// let c = KalkerTable::new(0.25)?.coefficients(&Patch { a: 5e-3, b: 5e-3 });
/// assert_eq!([c.c11, c.c22, c.c23, c.c33], [4.12, 3.67, 1.47, 1.19]);
/// # Ok::<(), holonom_multibody::rail::RailError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KalkerTable {
    across: [[f64; 4]; 10],
    along: [[f64; 4]; 10],
}

impl KalkerTable {
    /// The table for a Poisson's ratio.
    ///
    /// # Errors
    /// When it is not between 0 and ½.
    pub fn new(poisson: f64) -> Result<Self, RailError> {
        poisson_ratio(poisson)?;
        let at = |rows: &Rows| rows.map(|row| row.map(|c| over_poisson(c, poisson)));
        Ok(Self {
            across: at(&SLENDER_ACROSS),
            along: at(&SLENDER_ALONG),
        })
    }

    /// Coefficients for an ellipse with a along the direction of rolling.
    pub fn coefficients<T: Real>(&self, patch: &Patch<T>) -> Coefficients<T> {
        let (a, b) = (patch.a, patch.b);
        let is_across = a.value() <= b.value();
        let g = T::select(is_across, a / b, b / a);
        let rows = if is_across { &self.across } else { &self.along };
        // g = 0.1 (1 + place).
        let place = g * 10.0 - 1.0;
        let at = place.value();
        let place = T::select(at > 0.0, place, T::zero());
        let low = (place.value() as usize).min(8);
        let part = place - low as f64;
        let [c11, c22, c23, c33] = core::array::from_fn(|k| {
            let (first, second) = (rows[low][k], rows[low + 1][k]);
            // At the end of the table its number, not one that is rounded.
            part * (second - first) + first
        });
        Coefficients { c11, c22, c23, c33 }
    }
}

/// The value at ν of a coefficient known at 0, ¼ and ½: its reciprocal is a parabola.
fn over_poisson(c: [f64; 3], poisson: f64) -> f64 {
    let x = 4.0 * poisson;
    if let Some(k) = [0.0, 1.0, 2.0].iter().position(|node| *node == x) {
        return c[k];
    }
    let [r0, r1, r2] = c.map(f64::recip);
    let (first, second) = (r1 - r0, r2 - 2.0 * r1 + r0);
    (r0 + x * first + 0.5 * x * (x - 1.0) * second).recip()
}
