//! DASSL's refresh rule, the baseline of all comparisons: reasons a–c of Arnold §2.3.

use super::{Action, Reason, RefreshPolicy, Situation};

/// Reasons a (no convergence), b (slow convergence) and c (α changed drastically).
pub struct Dassl;

/// A change of α by more than this ratio, either way, counts as drastic:
/// (1 − x)/(1 + x) with x = 0.25.
const DRASTIC: f64 = 0.6;

/// The update that takes the place of an evaluation where ∂F/∂ẏ and ∂F/∂y are apart.
fn cheap(s: &Situation) -> Option<Action> {
    match (s.separated, s.moved.inputs) {
        (false, _) => None,
        (true, true) => Some(Action::ExtendedUpdate),
        (true, false) => Some(Action::PartitionedUpdate),
    }
}

impl RefreshPolicy for Dassl {
    fn name(&self) -> &'static str {
        "dassl"
    }

    fn decide(&mut self, s: &Situation) -> Action {
        match s.reason {
            Reason::FirstStep | Reason::Requested => Action::FullEvaluation,
            Reason::NewStep | Reason::ErrorTestFailure => {
                if s.pattern_is_doubtful() {
                    Action::RegroupSparsity
                } else if s.alpha_ratio < DRASTIC || s.alpha_ratio > 1.0 / DRASTIC {
                    // Reason c says nothing about ∂F/∂y, Arnold §3.2.
                    cheap(s).unwrap_or(Action::FullEvaluation)
                } else {
                    Action::Keep
                }
            }
            Reason::PatternViolated if s.pattern_is_doubtful() => Action::RegroupSparsity,
            Reason::PatternViolated => Action::Keep,
            Reason::SlowConvergence | Reason::Divergence => {
                if s.fresh && s.pattern_is_doubtful() {
                    Action::RegroupSparsity
                } else if s.fresh {
                    Action::Keep
                } else if s.moved.inputs {
                    Action::ExtendedUpdate
                } else if s.separated && (!s.matched || s.moved.constraints) {
                    Action::PartitionedUpdate
                } else {
                    Action::FullEvaluation
                }
            }
        }
    }
}
