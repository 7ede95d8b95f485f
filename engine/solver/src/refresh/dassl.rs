//! DASSL's refresh rule, the baseline of all comparisons: reasons a–c of Arnold §2.3.

use super::{Action, Reason, RefreshPolicy, Situation};

/// Reasons a (no convergence), b (slow convergence) and c (α changed drastically).
pub struct Dassl;

/// A change of α by more than this ratio, either way, counts as drastic:
/// (1 − x)/(1 + x) with x = 0.25.
const DRASTIC: f64 = 0.6;

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
                    Action::FullEvaluation
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
                } else {
                    Action::FullEvaluation
                }
            }
        }
    }

    fn combined_differences(&self) -> bool {
        true
    }
}
