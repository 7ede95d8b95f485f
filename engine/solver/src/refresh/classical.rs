//! Our default: ∂F/∂y is kept as long as it serves; a changed α is followed by refactorising
//! α ∂F/∂ẏ + ∂F/∂y with the kept part, which costs no residual.

use super::{Action, Reason, RefreshPolicy, Situation};

/// Separate fates for ∂F/∂y (dear) and the factorisation (cheap).
pub struct Classical;

/// Change of α, either way, that is worth a factorisation. Below it the factor
/// c = 2/(1 + α/ᾱ) of Arnold (18) repairs most of the damage.
const WORTH_FACTORISING: f64 = 0.85;
/// Corrections too many that are worth a factorisation where ∂F/∂y can be brought up to date in part.
const WORTH_FOLLOWING: f64 = 2.0;
/// Without separated parts a change of α needs a full evaluation: only when drastic.
const DRASTIC: f64 = 0.6;
impl RefreshPolicy for Classical {
    fn name(&self) -> &'static str {
        "classical"
    }

    fn decide(&mut self, s: &Situation) -> Action {
        let changed = |limit: f64| s.alpha_ratio < limit || s.alpha_ratio > 1.0 / limit;
        match s.reason {
            Reason::FirstStep | Reason::Requested => Action::FullEvaluation,
            Reason::NewStep | Reason::ErrorTestFailure => {
                // The classical ski-rental rule: when the extra corrections so far would have
                // paid for an evaluation, pay. At most twice the cost of knowing the future.
                let due = s.excess >= s.cost;
                let late = s.recent_excess >= WORTH_FOLLOWING;
                if s.pattern_is_doubtful() {
                    Action::RegroupSparsity
                } else if due && (s.matched || !s.separated) {
                    Action::FullEvaluation
                } else if s.moved.inputs && (changed(WORTH_FACTORISING) || late) {
                    Action::ExtendedUpdate
                } else if s.separated && (changed(WORTH_FACTORISING) || due || late && s.moved.constraints) {
                    Action::PartitionedUpdate
                } else if !s.separated && changed(DRASTIC) {
                    Action::FullEvaluation
                } else {
                    Action::Keep
                }
            }
            Reason::PatternViolated if s.pattern_is_doubtful() => Action::RegroupSparsity,
            Reason::PatternViolated => Action::Keep,
            // A fresh matrix that does not help may lack entries; else it leaves a smaller step as
            // the only remedy.
            Reason::SlowConvergence | Reason::Divergence => {
                if s.fresh && s.pattern_is_doubtful() {
                    Action::RegroupSparsity
                } else if s.fresh {
                    Action::Keep
                } else if s.moved.inputs {
                    Action::ExtendedUpdate
                } else if s.separated && s.moved.constraints {
                    Action::PartitionedUpdate
                } else {
                    Action::FullEvaluation
                }
            }
        }
    }
}
