//! Rate estimate and stopping rule of the corrector iteration.

use super::tuning::NOTHING_KNOWN;
use crate::options::NewtonOptions;
use serde::{Deserialize, Serialize};

/// What the last corrections say about the convergence with the matrix in use.
///
/// s = r/(1 − r) bounds the error left after a correction by s times its norm. It belongs to
/// one matrix and one α and is forgotten when either changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateMemory {
    /// r/(1 − r); large when nothing is known.
    pub s: f64,
    /// Rate of the last iteration that took at least two corrections with this matrix.
    pub rate: Option<f64>,
}

impl Default for RateMemory {
    fn default() -> Self {
        Self {
            s: NOTHING_KNOWN,
            rate: None,
        }
    }
}

impl RateMemory {
    /// Whether the error left after a correction can be told from its norm alone.
    pub fn is_known(&self) -> bool {
        self.s < NOTHING_KNOWN
    }
}

/// Verdict on one correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accurate enough.
    Converged,
    /// Correct again.
    Continue,
    /// Diverging.
    Diverges,
    /// Converging, but not within the allowed iterations.
    TooSlow,
}

/// The stopping rule within one iteration.
#[derive(Clone, Copy, Debug)]
pub struct Convergence {
    first: f64,
    iteration: usize,
}

impl Convergence {
    /// Before the first correction.
    pub fn new() -> Self {
        Self {
            first: 0.0,
            iteration: 0,
        }
    }

    /// Judges a correction of weighted norm `norm`; `rounding` gives the norm that rounding
    /// alone produces, and is asked for where that can matter.
    pub fn judge(
        &mut self,
        norm: f64,
        rounding: impl FnOnce() -> f64,
        memory: &mut RateMemory,
        options: &NewtonOptions,
    ) -> Verdict {
        let m = self.iteration;
        self.iteration += 1;
        // Most steps end here, whatever rounding is.
        if m == 0 && options.remember && memory.s * norm <= options.share {
            return Verdict::Converged;
        }
        if norm <= rounding() {
            return Verdict::Converged;
        }
        if !norm.is_finite() {
            return Verdict::Diverges;
        }
        if m == 0 {
            self.first = norm;
            if !options.remember {
                memory.s = NOTHING_KNOWN;
            }
        } else {
            // Geometric mean of the contraction over the corrections so far.
            let ratio = norm / self.first;
            let rate = match m {
                1 => ratio,
                2 => ratio.sqrt(),
                _ => ratio.powf(1.0 / m as f64),
            };
            if rate > options.rejection_rate {
                return Verdict::Diverges;
            }
            memory.s = rate / (1.0 - rate);
            memory.rate = Some(rate);
        }
        if memory.s * norm <= options.share {
            return Verdict::Converged;
        }
        if self.iteration >= options.max_iterations {
            return Verdict::TooSlow;
        }
        if options.look_ahead
            && m > 0
            && let Some(rate) = memory.rate
        {
            let left = (options.max_iterations - self.iteration) as i32;
            if memory.s * norm * rate.powi(left) > 2.0 * options.share {
                return Verdict::TooSlow;
            }
        }
        Verdict::Continue
    }
}

impl Default for Convergence {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_correction_is_enough_only_when_the_rate_is_known() {
        let options = NewtonOptions::default();
        let mut memory = RateMemory::default();
        let mut c = Convergence::new();
        assert_eq!(c.judge(0.1, || 0.0, &mut memory, &options), Verdict::Continue);
        assert_eq!(c.judge(0.01, || 0.0, &mut memory, &options), Verdict::Converged);
        assert!(memory.rate.is_some_and(|r| (r - 0.1).abs() < 1e-12));
        // The same matrix in the next step: the remembered rate suffices.
        assert_eq!(
            Convergence::new().judge(0.1, || 0.0, &mut memory, &options),
            Verdict::Converged
        );
        // Unless nothing would find out that it has grown.
        let forgetful = NewtonOptions {
            remember: false,
            ..options
        };
        assert_eq!(
            Convergence::new().judge(0.1, || 0.0, &mut memory, &forgetful),
            Verdict::Continue
        );
        memory = RateMemory::default();
        assert_eq!(
            Convergence::new().judge(0.1, || 0.0, &mut memory, &options),
            Verdict::Continue
        );
    }

    #[test]
    fn divergence_and_slowness_are_told_apart() {
        let options = NewtonOptions::default();
        let mut memory = RateMemory::default();
        let mut c = Convergence::new();
        c.judge(1.0, || 0.0, &mut memory, &options);
        assert_eq!(c.judge(1.5, || 0.0, &mut memory, &options), Verdict::Diverges);
        let mut c = Convergence::new();
        c.judge(100.0, || 0.0, &mut memory, &options);
        assert_eq!(c.judge(80.0, || 0.0, &mut memory, &options), Verdict::TooSlow);
        assert_eq!(
            Convergence::new().judge(f64::NAN, || 0.0, &mut memory, &options),
            Verdict::Diverges
        );
    }
}
