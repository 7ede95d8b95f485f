//! Known gaps: checks that are known not to hold, each with the reason.
//!
//! A gap says how bad it is. A value beyond that is a regression, as it is for a check without a gap; a value within the limit
//! of the check is told, so that the entry here can go. Limits are not loosened instead: what is asked stays visible.

use crate::limit::Limit;
use holonom_text::Pattern;

/// A check that is known not to hold.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Its id; `*` stands for any text.
    pub check: &'static str,
    /// The worst value that is known.
    pub worst: f64,
    /// Why it does not hold.
    pub reason: &'static str,
}

impl Gap {
    /// Whether a value that misses the limit is no worse than known.
    pub fn covers(&self, value: Option<f64>, limit: Limit) -> bool {
        value.is_some_and(|value| limit.at(self.worst).admits(value))
    }
}

/// All known gaps.
pub const GAPS: &[Gap] = &[];

/// The gap declared for a check.
pub fn find<'a>(known: &'a [Gap], id: &str) -> Option<&'a Gap> {
    let is_meant = |gap: &&Gap| Pattern::new(gap.check).is_ok_and(|pattern| pattern.matches(id));
    known.iter().find(is_meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_well_formed() {
        for gap in GAPS {
            assert!(Pattern::new(gap.check).is_ok(), "{}", gap.check);
            assert!(gap.worst.is_finite() && !gap.reason.is_empty(), "{}", gap.check);
        }
    }
}
