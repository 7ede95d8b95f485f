//! Detection of steps that are limited by stability rather than accuracy.
//!
//! BDF of order 3 and more amplifies lightly damped modes next to the imaginary axis. Such a
//! mode grows out of rounding until it reaches the size of the tolerance; from then on it fills
//! the higher differences and the error test cuts the step, although the solution itself would
//! allow far larger ones. The sign of it: the differences ∇³y … ∇^{k+1}y no longer fall with
//! their order, so that the order in use allows hardly a larger step than order 2 would. On an
//! accuracy-limited smooth solution they fall steeply and order 2 would need much smaller steps.
//!
//! What is tested is therefore the gain of the order in use over order 2. Without gain the
//! order is held at 2, which is A-stable and damps the mode, until order 3 promises a gain
//! again. This costs next to nothing when it is wrong, because order 2 then allows about the
//! same step. (A-stable order-2 BDF on the pendulum chain of arnold-2004 §4.2.1 needs 129
//! steps where DASSL takes 5,111.)

use super::order::compare_factors;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The step a higher order must allow, relative to order 2, to be worth its instability.
const GAIN: f64 = 1.2;
/// Steps in a row without gain after which the order is lowered.
const PATIENCE: u32 = 2;
/// Largest number of steps in a row with gain that is asked for before the order may rise.
const MAX_CAUTION: u32 = 16;
/// The highest A-stable order.
pub const A_STABLE: usize = 2;

/// State of the detection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stability {
    /// The order is held at 2.
    held: bool,
    /// Steps in a row without gain (when free) or with gain (when held).
    streak: u32,
    /// Steps in a row with gain that end the holding; doubles each time.
    caution: u32,
}

impl Stability {
    /// Forgets everything.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// The highest order allowed now.
    pub fn max_order(&self, max_order: usize) -> usize {
        if self.held {
            max_order.min(A_STABLE)
        } else {
            max_order
        }
    }

    /// Looks at an accepted step of order `k` ≥ 3 with local error `error`, which would have
    /// been `error_at_2` at order 2; true when the order must be lowered.
    pub fn must_lower(&mut self, k: usize, error: f64, error_at_2: f64) -> bool {
        let gain = compare_factors((error, k), GAIN, (error_at_2, A_STABLE));
        self.streak = if gain.is_some_and(Ordering::is_lt) {
            self.streak + 1
        } else {
            0
        };
        if self.streak < PATIENCE {
            return false;
        }
        self.held = true;
        self.streak = 0;
        self.caution = (2 * self.caution).clamp(PATIENCE, MAX_CAUTION);
        true
    }

    /// Looks at a step of order 2 while held: order 3 would have had error `above`.
    pub fn look_up(&mut self, error: f64, above: f64) {
        let gain = compare_factors((above, A_STABLE + 1), GAIN, (error, A_STABLE));
        self.streak = if gain.is_some_and(Ordering::is_ge) {
            self.streak + 1
        } else {
            0
        };
        if self.streak >= self.caution {
            self.held = false;
            self.streak = 0;
        }
    }

    /// Whether the order is held down.
    pub fn is_held(&self) -> bool {
        self.held
    }
}
