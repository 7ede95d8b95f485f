//! Our default: ∂F/∂y is kept as long as it serves; a changed α is followed by refactorising
//! α ∂F/∂ẏ + ∂F/∂y with the kept part, which costs no residual.

use super::tuning::{DRASTIC, WORTH_FACTORISING, WORTH_FOLLOWING};
use super::{Entry, Plan, Reason, RefreshPolicy, Renewal, Situation};

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: "classical",
    description: "reuses ∂F/∂y as long as the corrector converges well; a change of α costs a matrix addition",
    literature: "own; Arnold (22)–(25)",
    combined_differences: false,
    options: None,
    build: |_| Box::new(Classical),
};

/// Separate fates for ∂F/∂y (dear) and the factorisation (cheap).
pub struct Classical;

impl RefreshPolicy for Classical {
    fn name(&self) -> &'static str {
        "classical"
    }

    fn decide(&mut self, s: &Situation) -> Plan {
        let changed = |limit: f64| s.alpha_ratio < limit || s.alpha_ratio > 1.0 / limit;
        let renewal = match s.reason {
            Reason::FirstStep | Reason::Requested => Renewal::FullEvaluation,
            Reason::NewStep | Reason::ErrorTestFailure => {
                // The classical ski-rental rule: when the extra corrections so far would have
                // paid for an evaluation, pay. At most twice the cost of knowing the future.
                let due = s.excess >= s.cost;
                let late = s.recent_excess >= WORTH_FOLLOWING;
                if s.pattern_is_doubtful() {
                    Renewal::RegroupSparsity
                } else if due && (s.matched || !s.separated) {
                    Renewal::FullEvaluation
                } else if s.moved.inputs && (changed(WORTH_FACTORISING) || late) {
                    Renewal::ExtendedUpdate
                } else if s.separated && (changed(WORTH_FACTORISING) || due || late && s.moved.constraints) {
                    Renewal::PartitionedUpdate
                } else if !s.separated && changed(DRASTIC) {
                    Renewal::FullEvaluation
                } else {
                    Renewal::Keep
                }
            }
            Reason::PatternViolated if s.pattern_is_doubtful() => Renewal::RegroupSparsity,
            Reason::PatternViolated => Renewal::Keep,
            // A fresh matrix that does not help may lack entries; else it leaves a smaller step as
            // the only remedy.
            Reason::SlowConvergence | Reason::Divergence | Reason::Stalled => {
                if s.fresh && s.pattern_is_doubtful() {
                    Renewal::RegroupSparsity
                } else if s.fresh {
                    Renewal::Keep
                } else if s.moved.inputs {
                    Renewal::ExtendedUpdate
                } else if s.separated && s.moved.constraints {
                    Renewal::PartitionedUpdate
                } else {
                    Renewal::FullEvaluation
                }
            }
        };
        renewal.into()
    }
}
