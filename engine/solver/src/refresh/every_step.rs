//! A new Jacobian and a new factorisation in every step: dear, and the yardstick for what all other policies cost in steps.

use super::{Entry, Plan, Reason, RefreshPolicy, Renewal, Situation};

/// Name in options and reports.
pub(super) const NAME: &str = "every-step";

/// In the registry.
pub(super) const ENTRY: Entry = Entry {
    name: NAME,
    description: "evaluates the Jacobian and factorises in every step",
    literature: "Newton's method, once per step",
    combined_differences: false,
    options: None,
    build: |_| Box::new(EveryStep),
};

/// Evaluates everything at the beginning of every attempt, and never twice.
pub struct EveryStep;

impl RefreshPolicy for EveryStep {
    fn name(&self) -> &'static str {
        NAME
    }

    fn decide(&mut self, s: &Situation) -> Plan {
        let again = !matches!(
            s.reason,
            Reason::FirstStep | Reason::NewStep | Reason::ErrorTestFailure | Reason::Requested
        );
        let renewal = match s.pattern_is_doubtful() {
            true if !again || s.fresh => Renewal::RegroupSparsity,
            _ if again && s.fresh => Renewal::Keep,
            _ => Renewal::FullEvaluation,
        };
        renewal.into()
    }
}
