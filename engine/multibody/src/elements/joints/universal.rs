//! Two angles: about x of the first frame, then about y of the second.

use super::{POINT, perpendicular, radians, CoordinateInfo, CutRow, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Universal;

impl DescribedJoint for Universal {
    const NAME: &str = "universal";
    const DOC: &str = "Two angles: about x of the first frame, then about y of the second.";
    const COORDINATES: &[CoordinateInfo] = &[radians("angle_x"), radians("angle_y")];

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        [Primitive::Turn(0), Primitive::Turn(1)].get(index).copied()
    }

    fn cut_rows(_: JointKind) -> Vec<CutRow> {
        POINT.into_iter().chain([perpendicular(0, 1)]).collect()
    }
}
