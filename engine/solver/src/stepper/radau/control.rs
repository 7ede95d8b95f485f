//! The size of the next step: from the estimated error and its tendency, and from how fast the iteration
//! converged.

use super::coefficients::Method;
use super::stages::Outcome;
use serde::{Deserialize, Serialize};

/// Share of the step size that the estimate allows.
const SAFETY: f64 = 0.9;
/// Step size factors at least and at most. A polynomial of high degree that goes on far beyond its step is
/// no prediction: the more stages, the slower steps grow.
const SMALLEST: f64 = 0.2;
fn largest(method: &Method) -> f64 {
    match method.s {
        3 => 8.0,
        5 => 4.0,
        _ => 2.5,
    }
}
/// After a failed iteration steps stay below this part of the one that failed, each longer by this factor.
const BELOW_FAILURE: f64 = 0.8;
const RECOVERY: f64 = 1.3;
/// Factors for which the step and with it all matrices are kept.
const KEPT: std::ops::RangeInclusive<f64> = 1.0..=1.2;
/// Errors below this count as this in the predictive controller.
const SMALL_ERROR: f64 = 1e-2;
/// Failed error tests in a row after which multipliers that follow from accelerations no longer count: where curvature jumps they
/// do, and no step is so short that they would not.
const STUBBORN: u32 = 3;
/// The rate of convergence is in proportion to h, the number of corrections to −1/log of it: the work for
/// a given time is least at 1/e. Longer steps than that do not pay.
pub(super) const BEST_RATE: f64 = 0.37;

/// What the choice of the next step size depends on.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Control {
    /// Step size and error of the last accepted step; zero before the first.
    h: f64,
    error: f64,
    /// The step at hand was rejected before.
    rejected: bool,
    /// So often because of its error.
    too_large: u32,
    /// Step size that a failed iteration allows; zero where none has failed.
    longest: f64,
}

impl Control {
    /// Whether the estimate is worth a second, filtered look: at the first step and after a rejection.
    pub fn is_doubtful(&self) -> bool {
        self.rejected || self.h == 0.0
    }

    /// Whether shorter steps have not made the error smaller, as where multipliers jump.
    pub fn is_stubborn(&self) -> bool {
        self.too_large >= STUBBORN
    }

    /// Factor for the step size by the error alone, with `corrections` of at most `most`.
    fn by_error(method: &Method, error: f64, corrections: u32, most: usize) -> f64 {
        let (taken, most) = (f64::from(corrections), most as f64);
        let safety = SAFETY * (2.0 * most + 1.0) / (2.0 * most + taken);
        let factor = safety.min(SAFETY) * error.max(1e-30).powf(-1.0 / (method.s as f64 + 1.0));
        factor.clamp(SMALLEST, largest(method))
    }

    /// Factor for the step size after an accepted step: the smallest of what the error, its tendency
    /// [Gustafsson 1994] and the convergence say.
    pub fn accept(&mut self, method: &Method, h: f64, error: f64, outcome: &Outcome, most: usize) -> f64 {
        let mut factor = Self::by_error(method, error, outcome.corrections, most);
        if self.h > 0.0 {
            let tendency = (error * error / self.error).max(1e-30);
            let predicted = SAFETY * h / self.h * tendency.powf(-1.0 / (method.s as f64 + 1.0));
            factor = factor.min(predicted.clamp(SMALLEST, largest(method)));
        }
        if let Some(rate) = outcome.rate {
            // Not below 1: another matrix may do as well.
            factor = factor.min((BEST_RATE / rate).max(1.0));
        }
        if self.rejected {
            factor = factor.min(1.0);
        }
        if self.longest > 0.0 {
            self.longest *= RECOVERY;
            factor = factor.min((self.longest / h).max(SMALLEST));
        }
        self.h = h;
        self.error = error.max(SMALL_ERROR);
        self.rejected = false;
        self.too_large = 0;
        if KEPT.contains(&factor) { 1.0 } else { factor }
    }

    /// Factor for the step size after a failed error test.
    pub fn reject(&mut self, method: &Method, error: f64, outcome: &Outcome, most: usize) -> f64 {
        self.rejected = true;
        self.too_large += 1;
        if self.h == 0.0 {
            return 0.1;
        }
        Self::by_error(method, error, outcome.corrections, most).min(0.9)
    }

    /// Factor for the step size after an iteration that failed.
    pub fn fail(&mut self, h: f64, outcome: &Outcome) -> f64 {
        self.rejected = true;
        self.longest = BELOW_FAILURE * h;
        outcome.factor.unwrap_or(0.5).clamp(0.1, 0.7)
    }

    /// The number of stages has changed: the errors of different methods do not make a tendency.
    pub fn changed_stages(&mut self) {
        self.error = 1.0;
        self.longest = 0.0;
    }
}
