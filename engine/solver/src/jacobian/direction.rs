//! A cheap test of a whole Jacobian: its product with one direction against the change of the
//! residual along that direction.
//!
//! Columns grouped by a pattern that lacks entries are not just incomplete: what belongs to one
//! column is taken for an entry of another of the group, in the ratio of their increments. Such a
//! matrix can be much too large, its corrections much too small, and the corrector takes that for
//! convergence. Therefore every matrix from an estimated pattern is tested, at the price of one
//! residual.

use super::{JacobianPoint, SplitJacobian};
use holonom_dae::Weights;

/// √ε: the smallest relative change that leaves half of the digits to the difference.
const ROOT: f64 = 1.490_116_119_384_765_6e-8;
/// Changes are at least this part of the size that tolerances give to a variable.
const PART_OF_TOLERANCE: f64 = 1e-3;
/// A row is wrong if it is off by more than this part of its size: ten times what a single entry
/// may have that the estimate leaves out, because many may be left out.
pub(super) const LIMIT: f64 = 1e-4;
/// The same where nothing but rounding may be left out.
pub(super) const EXACT: f64 = 1e-8;
/// Part of α ∂F/∂ẏ below which errors of ∂F/∂y do not count, were the step a hundred times as
/// long.
const DERIVATIVE_PART: f64 = 1e-2;
/// Rounding errors of a row in units of ε times its terms, at most: of the change along the
/// direction, and of each quotient.
const ROUNDING: f64 = 1e3;
const ROUNDING_OF_QUOTIENTS: f64 = 8.0;
/// Noise met once may be so many times as large at another time.
const MORE_NOISE: f64 = 4.0;
/// What is left of the noise met after each test that holds.
const FORGETTING: f64 = 0.8;

/// The direction and room for what is compared.
pub(super) struct Direction {
    /// Signs and lengths between 1 and 2, all different: no two columns cancel.
    factors: Vec<f64>,
    /// The direction itself: in proportion to the tolerances.
    pub d: Vec<f64>,
    product: Vec<f64>,
    size: Vec<f64>,
    /// Size of the terms of each row, and Σ |d/δ| over its entries.
    terms: Vec<f64>,
    stretch: Vec<f64>,
    /// Rounding errors of each row as met.
    pub noise: Vec<f64>,
    /// Changes at the last test, and where that was.
    change: Vec<f64>,
    at: Vec<f64>,
}

impl Direction {
    pub fn new(wanted: &[bool]) -> Self {
        let factor = |(j, wanted): (usize, &bool)| {
            // Weyl's sequence to the golden ratio: spread evenly.
            let bits = (j as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let length = 1.0 + (bits >> 12) as f64 / (1u64 << 52) as f64;
            let sign = if bits & 1 << 11 == 0 { 1.0 } else { -1.0 };
            if *wanted { sign * length } else { 0.0 }
        };
        let n = wanted.len();
        Self {
            factors: wanted.iter().enumerate().map(factor).collect(),
            d: vec![0.0; n],
            product: vec![0.0; n],
            size: vec![0.0; n],
            terms: vec![0.0; n],
            stretch: vec![0.0; n],
            noise: vec![0.0; n],
            change: vec![0.0; n],
            at: vec![f64::NAN; n],
        }
    }

    /// Chooses the direction for this point: long enough for rounding not to matter, and in
    /// proportion to the tolerances, as corrections are.
    pub fn choose(&mut self, y: &[f64], weights: &Weights) {
        let tolerance = |j: usize| 1.0 / weights.reciprocal()[j];
        let length = (0..y.len())
            .map(|j| ROOT * y[j].abs() / tolerance(j))
            .fold(PART_OF_TOLERANCE, f64::max);
        for j in 0..y.len() {
            let d = self.factors[j] * length * tolerance(j);
            // The difference actually taken, free of rounding.
            self.d[j] = (y[j] + d) - y[j];
        }
    }

    /// Whether the matrix explains the changes of all rows, which are kept for
    /// [`calibrate`](Self::calibrate). `increments`: those of the quotients that it consists of, if
    /// it does; `limit`: what a row may be off by, in units of its size.
    pub fn agrees(
        &mut self,
        at: &JacobianPoint<'_>,
        out: &SplitJacobian,
        increments: Option<&[f64]>,
        limit: f64,
        change: impl Fn(usize) -> f64,
    ) -> bool {
        for (i, c) in self.change.iter_mut().enumerate() {
            *c = change(i);
        }
        self.at.copy_from_slice(at.y);
        self.multiply(at, out, increments);
        let agrees = (0..at.y.len()).all(|i| {
            let noise = self.noise[i].max(ROUNDING_OF_QUOTIENTS * f64::EPSILON * self.terms[i]);
            let rounding = ROUNDING * f64::EPSILON * self.terms[i] + noise * self.stretch[i];
            (self.change[i] - self.product[i]).abs() <= limit * self.size[i] + rounding
        });
        if agrees {
            self.noise.iter_mut().for_each(|noise| *noise *= FORGETTING);
        }
        agrees
    }

    /// Learns the noise of the quotients from a matrix that lacks nothing, if it belongs to the
    /// point of the last test: sums that cancel have more than their terms tell.
    pub fn calibrate(&mut self, at: &JacobianPoint<'_>, out: &SplitJacobian, increments: &[f64]) {
        if self.at != at.y {
            return;
        }
        self.multiply(at, out, Some(increments));
        for i in 0..at.y.len() {
            let off = (self.change[i] - self.product[i]).abs();
            self.noise[i] = self.noise[i].max(MORE_NOISE * off / (1.0 + self.stretch[i]));
        }
    }

    /// J d, with the size of its parts and of the terms of the rows.
    fn multiply(&mut self, at: &JacobianPoint<'_>, out: &SplitJacobian, increments: Option<&[f64]>) {
        self.product.fill(0.0);
        self.size.fill(0.0);
        self.terms.fill(0.0);
        self.stretch.fill(1.0);
        out.f_y.for_each(|i, j, value| {
            let part = value * self.d[j];
            self.product[i] += part;
            self.size[i] += part.abs();
            self.terms[i] += (value * at.y[j]).abs();
            if let Some(increments) = increments.filter(|_| value != 0.0) {
                self.stretch[i] += (self.d[j] / increments[j]).abs();
            }
        });
        if out.separated {
            let k = DERIVATIVE_PART * at.alpha;
            out.f_yp
                .for_each(|i, j, value| self.size[i] += (k * value * self.d[j]).abs());
        }
    }
}
