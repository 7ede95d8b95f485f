//! Names by which a description refers to its parts.

/// The fixed world.
pub(crate) const GROUND: &str = "ground";

/// One coordinate of a joint, by the joint's name and the number of the coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoordinateRef {
    /// Joint.
    pub joint: String,
    /// Number of the coordinate, from 0.
    pub index: usize,
}
