//! Step size and number of stages from step to step.

use super::coefficients::Method;
use super::stages::Outcome;
use serde::{Deserialize, Serialize};

/// Share of the step size that the estimate allows.
const SAFETY: f64 = 0.9;
/// Step size factors at least and at most.
const SMALLEST: f64 = 0.2;
const LARGEST: f64 = 8.0;
/// Factors for which the step and with it all matrices are kept.
const KEPT: std::ops::RangeInclusive<f64> = 1.0..=1.2;
/// Errors below this count as this in the predictive controller.
const SMALL_ERROR: f64 = 1e-2;

/// Convergence faster than this lets the number of stages rise, slower than that makes it fall
/// [Hairer, Wanner 1999].
const FAST: f64 = 0.002;
const SLOW: f64 = 0.8;
/// Steps with the same number of stages before it rises.
const PATIENCE: u32 = 10;
/// Step size factors beyond which the number of stages does not rise, below which it does not fall.
const RISING: f64 = 1.2;
const FALLING: f64 = 0.8;

/// What the choice of the next step depends on.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Control {
    /// Step size and error of the last accepted step; zero before the first.
    h: f64,
    error: f64,
    /// Accepted steps with this number of stages.
    same_stages: u32,
    /// The step at hand was rejected before.
    rejected: bool,
    /// Its iteration failed.
    failed: bool,
}

impl Control {
    /// Whether the estimate is worth a second, filtered look: at the first step and after a rejection.
    pub fn is_doubtful(&self) -> bool {
        self.rejected || self.h == 0.0
    }

    /// Factor for the step size by the error alone, with `corrections` of at most `most`.
    fn by_error(method: &Method, error: f64, corrections: u32, most: usize) -> f64 {
        let (taken, most) = (f64::from(corrections), most as f64);
        let safety = SAFETY * (2.0 * most + 1.0) / (2.0 * most + taken);
        let factor = safety.min(SAFETY) * error.max(1e-30).powf(-1.0 / (method.s as f64 + 1.0));
        factor.clamp(SMALLEST, LARGEST)
    }

    /// Factor for the step size after an accepted step: the smaller of what the error and what its
    /// tendency say [Gustafsson 1994].
    pub fn accept(&mut self, method: &Method, h: f64, error: f64, outcome: &Outcome, most: usize) -> f64 {
        let mut factor = Self::by_error(method, error, outcome.corrections, most);
        if self.h > 0.0 {
            let tendency = (error * error / self.error).max(1e-30);
            let predicted = SAFETY * h / self.h * tendency.powf(-1.0 / (method.s as f64 + 1.0));
            factor = factor.min(predicted.clamp(SMALLEST, LARGEST));
        }
        if self.rejected {
            factor = factor.min(1.0);
        }
        self.h = h;
        self.error = error.max(SMALL_ERROR);
        self.same_stages += 1;
        if KEPT.contains(&factor) { 1.0 } else { factor }
    }

    /// Factor for the step size after a failed error test.
    pub fn reject(&mut self, method: &Method, error: f64, outcome: &Outcome, most: usize) -> f64 {
        self.rejected = true;
        if self.h == 0.0 {
            return 0.1;
        }
        Self::by_error(method, error, outcome.corrections, most).min(0.9)
    }

    /// Factor for the step size after an iteration that failed.
    pub fn fail(&mut self, outcome: &Outcome) -> f64 {
        self.rejected = true;
        self.failed = true;
        outcome.factor.unwrap_or(0.5).clamp(0.1, 0.7)
    }

    /// By how many places in the list of methods the next step moves, after an accepted step; ends the
    /// account of the step.
    pub fn change_of_stages(&mut self, outcome: &Outcome, factor: f64) -> isize {
        let slow = self.failed || outcome.rate.is_some_and(|r| r >= SLOW);
        let fast = outcome.rate.is_some_and(|r| r <= FAST) || outcome.corrections == 1;
        let change = if slow && factor >= FALLING {
            -1
        } else if fast && !self.rejected && self.same_stages >= PATIENCE && factor <= RISING {
            1
        } else {
            0
        };
        (self.rejected, self.failed) = (false, false);
        change
    }

    /// The number of stages has changed.
    pub fn changed_stages(&mut self) {
        self.same_stages = 0;
        // The errors of different methods do not make a tendency.
        self.error = 1.0;
    }
}
