//! One angle about the common axis.

use super::{PARALLEL, POINT, radians, CoordinateInfo, CutRow, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Revolute;

impl DescribedJoint for Revolute {
    const NAME: &str = "revolute";
    const DOC: &str = "One angle about the common axis.";
    const COORDINATES: &[CoordinateInfo] = &[radians("angle")];
    const HAS_AXIS: bool = true;

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        [Primitive::Turn(2)].get(index).copied()
    }

    fn cut_rows(_: JointKind) -> Vec<CutRow> {
        POINT.into_iter().chain(PARALLEL).collect()
    }
}
