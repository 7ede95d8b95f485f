//! Newton's iteration: corrections until they are small enough, or will not become so.

use super::linearisation::StepCost;
use super::{Convergence, NewtonOptions, RateMemory, Verdict};
use holonom_dae::Rejection;
use serde::{Deserialize, Serialize};

/// A nonlinear system that is solved by corrections.
pub(crate) trait Iteration {
    /// Makes the next correction and returns its norm.
    fn correct(&mut self) -> Result<f64, Rejection>;

    /// Norm of corrections that consist of rounding.
    fn rounding(&self) -> f64;

    /// Hears how the iteration goes: corrections so far, and what they tell about its rate.
    fn judged(&mut self, corrections: u32, rate: RateMemory) {
        let _ = (corrections, rate);
    }

    /// Whether a correction that seems to be the last one is.
    fn is_last(&mut self, norm: f64) -> bool {
        let _ = norm;
        true
    }

    /// Another correction follows because the last one was not small enough.
    fn goes_on(&mut self) {}

    /// Whether a correction that should have been smaller consists of what rounding does to the solution; `share` is what
    /// the slowest rate allowed would leave within the tolerance.
    fn is_amplified_rounding(&mut self, norm: f64, share: f64) -> bool;

    /// The iteration ends because it is too slow: what the last correction leaves, and the rate.
    fn is_too_slow(&mut self, left: f64, rate: Option<f64>) {
        let _ = (left, rate);
    }
}

/// The iteration with what it remembers.
#[derive(Clone, Copy, Debug)]
pub struct Newton {
    /// The stopping rule.
    pub rule: NewtonOptions,
    memory: NewtonState,
}

/// What of it later steps depend on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct NewtonState {
    rate: RateMemory,
    /// α of the last iteration: another α means another iteration.
    alpha: f64,
    /// Corrections in the iteration at hand.
    corrections: u32,
    /// Residuals that a correction takes.
    work: f64,
    /// Whether the iteration at hand began with nothing known about its rate of convergence.
    blind: bool,
}

impl Newton {
    /// With this stopping rule.
    pub fn new(rule: NewtonOptions) -> Self {
        Self {
            rule,
            memory: NewtonState {
                rate: RateMemory::default(),
                alpha: 0.0,
                corrections: 0,
                work: 1.0,
                blind: true,
            },
        }
    }

    /// A system with this α is to be solved, at so many residuals for each correction.
    pub(super) fn begin(&mut self, alpha: f64, work: f64) {
        let m = &mut self.memory;
        m.work = work;
        if alpha != m.alpha {
            m.rate.s = RateMemory::default().s;
            m.alpha = alpha;
        }
    }

    /// There is another operator, made for this α.
    pub(super) fn forget_rate(&mut self) {
        self.memory.rate = RateMemory::default();
    }

    /// The same, from an operator that a scheme made by itself.
    pub(crate) fn begin_anew(&mut self, alpha: f64) {
        self.memory.alpha = alpha;
        self.forget_rate();
    }

    /// What is known about the rate of convergence with the operator in use.
    pub(super) fn rate(&self) -> RateMemory {
        self.memory.rate
    }

    /// An iteration begins with what is known now.
    pub(super) fn set_out(&mut self) {
        self.memory.blind = !self.memory.rate.is_known();
    }

    /// What the last iteration cost.
    pub(super) fn cost(&self) -> StepCost {
        StepCost {
            corrections: self.memory.corrections,
            work: self.memory.work,
            blind: self.memory.blind,
        }
    }

    /// Corrects until the rule is satisfied.
    ///
    /// # Errors
    /// The iteration diverges or is too slow, or a correction cannot be computed.
    pub(crate) fn run(&mut self, rule: &NewtonOptions, it: &mut impl Iteration) -> Result<(), Rejection> {
        let m = &mut self.memory;
        m.corrections = 0;
        let mut convergence = Convergence::new();
        loop {
            let norm = it.correct()?;
            m.corrections += 1;
            let verdict = convergence.judge(norm, || it.rounding(), &mut m.rate, rule);
            it.judged(m.corrections, m.rate);
            match verdict {
                Verdict::Converged if it.is_last(norm) => return Ok(()),
                Verdict::Converged => {}
                Verdict::Continue => it.goes_on(),
                Verdict::Diverges | Verdict::TooSlow => {
                    // Corrections this small are rounding, not divergence: even at the
                    // slowest rate allowed the error left would be within its share.
                    let r = rule.rejection_rate;
                    let share = rule.share * (1.0 - r) / r;
                    if rule.accept_rounding && it.is_amplified_rounding(norm, share) {
                        return Ok(());
                    }
                    if verdict == Verdict::Diverges {
                        return Err(Rejection::Divergence);
                    }
                    it.is_too_slow(m.rate.s * norm, m.rate.rate);
                    return Err(Rejection::SlowConvergence);
                }
            }
        }
    }

    /// What later steps depend on.
    pub(super) fn checkpoint(&self) -> NewtonState {
        self.memory
    }

    /// Takes back what [`checkpoint`](Self::checkpoint) gave.
    pub(super) fn restore(&mut self, state: NewtonState) {
        self.memory = state;
    }
}
