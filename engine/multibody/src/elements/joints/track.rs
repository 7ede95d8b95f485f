//! Position, yaw about z, pitch about the new y and then roll about the own x: the frame of a track.

use super::{metres, radians, CoordinateInfo, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Track;

impl DescribedJoint for Track {
    const NAME: &str = "track";
    const DOC: &str = "Frame of a track: displacements, yaw about z, pitch about the rotated y, then roll about the rotated x.";
    const COORDINATES: &[CoordinateInfo] = &[
        metres("x"),
        metres("y"),
        metres("z"),
        radians("yaw"),
        radians("pitch"),
        radians("roll"),
    ];
    const TREE_ONLY: bool = true;

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        let motions = [
            Primitive::Slide(0),
            Primitive::Slide(1),
            Primitive::Slide(2),
            Primitive::Turn(2),
            Primitive::Turn(1),
            Primitive::Turn(0),
        ];
        motions.get(index).copied()
    }
}
