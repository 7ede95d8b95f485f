//! How commands end.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As asked.
    Done,
    /// It ran to the end, and a check does not hold.
    DoesNotHold,
}
