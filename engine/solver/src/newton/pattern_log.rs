//! What is told about changes of the sparsity pattern in a run.

use crate::explain::{Because, Change, Decision, Subject};
use crate::jacobian::PatternChange;
use crate::refresh::Reason;
use std::fmt;

/// A change of the sparsity pattern by which columns are grouped, or a search for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternEvent {
    /// Time of the step.
    pub t: f64,
    /// Why the Jacobian was evaluated.
    pub reason: Reason,
    /// What changed; none when missing entries were looked for and there were none.
    pub change: Option<PatternChange>,
}

impl PatternEvent {
    /// As a decision of the run.
    pub(super) fn decision(self) -> Decision {
        let change = self.change.map(|c| Change {
            before: c.before.map(|(_, groups)| groups),
            groups: c.groups,
        });
        let chosen = match self.change {
            Some(c) if !c.in_use => "traced",
            _ => "estimated",
        };
        Decision {
            t: Some(self.t),
            subject: Subject::Sparsity,
            chosen: chosen.into(),
            because: Because::Pattern {
                change,
                reason: self.reason,
            },
        }
    }
}

impl fmt::Display for PatternEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.reason {
            Reason::SlowConvergence => "slow convergence with a new Jacobian",
            Reason::Divergence => "divergence with a new Jacobian",
            Reason::PatternViolated => "the Jacobian failed its test",
            Reason::FirstStep => "first evaluation",
            _ => "regular evaluation",
        };
        let Some(PatternChange {
            before,
            entries,
            groups,
            in_use,
        }) = self.change
        else {
            return write!(
                f,
                "t = {}: no entries are missing in the sparsity pattern ({why})",
                self.t
            );
        };
        let what = match (in_use, before) {
            (true, _) => "estimated sparsity pattern",
            (false, None) => "no use for an estimated sparsity pattern",
            (false, Some(_)) => "back to the declared sparsity pattern",
        };
        write!(
            f,
            "t = {}: {what} with {entries} entries in {groups} groups",
            self.t
        )?;
        if let Some((entries, groups)) = before {
            write!(f, " instead of {entries} in {groups}")?;
        }
        write!(f, " ({why})")
    }
}

/// Pattern changes kept for reports.
pub(super) const MOST_EVENTS: usize = 1000;
