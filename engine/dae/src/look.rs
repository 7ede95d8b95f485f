//! What a system says of a state that a method has accepted.

/// What looking at an accepted state came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Everything goes on as it is.
    Same,
    /// Equations have taken the place of others that say the same: unknowns that went with them mean something
    /// else now, and [`System::carry`](crate::System::carry) tells what.
    Exchanged {
        /// The state does not satisfy the new ones to the tolerance and has to be made consistent.
        restart: bool,
    },
}

/// How far a state is from the constraints that the equations keep, in tolerances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Misfit {
    /// Largest violation of a condition on positions; none where the equations do not keep them.
    pub positions: Option<f64>,
    /// Largest violation of a condition on velocities.
    pub velocities: f64,
}

/// A position where constraints lose rank.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularPosition {
    /// The constraints, named.
    pub constraints: String,
    /// The coordinates there, with their values.
    pub coordinates: String,
}
