//! DASSL's refresh rule, the baseline of all comparisons: reasons a–c of Arnold §2.3.

use super::tuning::DRASTIC_IN_DASSL;
use super::{Entry, Plan, Reason, RefreshPolicy, Renewal, Situation};

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: "dassl",
    description: "DASSL's rule: re-evaluate everything after slow convergence, a failure or a large change of α",
    literature: "Arnold §2.3 (a)–(c); [Brenan, Campbell, Petzold 1996]",
    combined_differences: true,
    options: None,
    build: |_| Box::new(Dassl),
};

/// Reasons a (no convergence), b (slow convergence) and c (α changed drastically).
pub struct Dassl;

/// The update that takes the place of an evaluation where ∂F/∂ẏ and ∂F/∂y are apart.
fn cheap(s: &Situation) -> Option<Renewal> {
    match (s.separated, s.moved.inputs) {
        (false, _) => None,
        (true, true) => Some(Renewal::ExtendedUpdate),
        (true, false) => Some(Renewal::PartitionedUpdate),
    }
}

impl RefreshPolicy for Dassl {
    fn name(&self) -> &'static str {
        "dassl"
    }

    fn decide(&mut self, s: &Situation) -> Plan {
        let renewal = match s.reason {
            Reason::FirstStep | Reason::Requested => Renewal::FullEvaluation,
            Reason::NewStep | Reason::ErrorTestFailure => {
                if s.pattern_is_doubtful() {
                    Renewal::RegroupSparsity
                } else if s.alpha_ratio < DRASTIC_IN_DASSL || s.alpha_ratio > 1.0 / DRASTIC_IN_DASSL {
                    // Reason c says nothing about ∂F/∂y, Arnold §3.2.
                    cheap(s).unwrap_or(Renewal::FullEvaluation)
                } else {
                    Renewal::Keep
                }
            }
            Reason::PatternViolated if s.pattern_is_doubtful() => Renewal::RegroupSparsity,
            Reason::PatternViolated => Renewal::Keep,
            Reason::SlowConvergence | Reason::Divergence | Reason::Stalled => {
                if s.fresh && s.pattern_is_doubtful() {
                    Renewal::RegroupSparsity
                } else if s.fresh {
                    Renewal::Keep
                } else if s.moved.inputs {
                    Renewal::ExtendedUpdate
                } else if s.separated && (!s.matched || s.moved.constraints) {
                    Renewal::PartitionedUpdate
                } else {
                    Renewal::FullEvaluation
                }
            }
        };
        renewal.into()
    }
}
