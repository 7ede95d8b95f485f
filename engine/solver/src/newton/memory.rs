//! What the corrector remembers from step to step.

use super::RateMemory;
use serde::{Deserialize, Serialize};

/// What the corrector remembers from step to step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Memory {
    pub(super) has_matrix: bool,
    /// A full evaluation is wanted at the next opportunity.
    pub(super) requested: bool,
    /// The factorisation let entries grow: solves are refined.
    pub(super) refine: bool,
    /// α of the factorised matrix.
    pub(super) alpha: f64,
    /// α of the last iteration: another α means another iteration.
    pub(super) alpha_last: f64,
    pub(super) rate: RateMemory,
    /// Corrections in the iteration at hand.
    pub(super) corrections: u32,
    /// Fewest corrections of a step since ∂F/∂y was evaluated; 0 before the first.
    pub(super) fewest: u32,
    /// Whether the iteration at hand began with nothing known about its rate of convergence.
    pub(super) blind: bool,
    /// Residuals that a correction takes.
    pub(super) work: f64,
    /// Residuals for corrections beyond the fewest, summed over the steps since then.
    pub(super) excess: f64,
    /// The same since ∂F/∂y was evaluated or brought up to date in part.
    pub(super) recent_excess: f64,
    /// Time at which it did.
    pub(super) followed_at: Option<f64>,
    /// Whether the system gives the matrix G of its constraints by itself; known from the first evaluation on.
    pub(super) gives_constraints: bool,
    /// Time for which G in the matrix was last renewed.
    pub(super) constraints_at: Option<f64>,
    /// Residuals the last evaluation of ∂F/∂y took.
    pub(super) cost: f64,
    /// Whether the iteration converged poorly although the matrix was fresh.
    pub(super) poor: bool,
    /// Work that missing entries may have caused since they were last looked for, in residuals.
    pub(super) doubt: f64,
    /// How many times the price of looking for missing entries the doubt must reach: doubled when
    /// nothing was found, so that other causes of slow convergence do not cost much.
    pub(super) patience: f64,
    /// What rounding does to the solution, in units of the tolerance; the most of it since it was found
    /// amplified; none while nothing is known.
    pub(super) noise: Option<f64>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            has_matrix: false,
            requested: false,
            refine: false,
            alpha: 0.0,
            alpha_last: 0.0,
            rate: RateMemory::default(),
            corrections: 0,
            fewest: 0,
            blind: true,
            work: 1.0,
            excess: 0.0,
            recent_excess: 0.0,
            followed_at: None,
            gives_constraints: false,
            constraints_at: None,
            cost: f64::MAX,
            poor: false,
            doubt: 0.0,
            patience: 1.0,
            noise: None,
        }
    }
}

impl Memory {
    /// A step was accepted: what it cost in corrections tells how well ∂F/∂y still serves.
    pub fn step_accepted(&mut self) {
        self.fewest = if self.fewest == 0 {
            self.corrections
        } else {
            self.fewest.min(self.corrections)
        };
        // A matrix of which no rate is known takes a second correction to learn it, however good it is.
        let needed = if self.blind {
            self.fewest.max(2)
        } else {
            self.fewest
        };
        let excess = self.work * f64::from(self.corrections.saturating_sub(needed));
        self.excess += excess;
        self.recent_excess += excess;
        if self.poor {
            self.doubt += self.work * f64::from(self.corrections.saturating_sub(1));
        }
    }
}
