//! One displacement along the common axis, no turning.

use super::{ALIGNED, along, metres, CoordinateInfo, CutRow, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Prismatic;

impl DescribedJoint for Prismatic {
    const NAME: &str = "prismatic";
    const DOC: &str = "One displacement along the common axis, without rotation.";
    const COORDINATES: &[CoordinateInfo] = &[metres("displacement")];
    const HAS_AXIS: bool = true;

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        [Primitive::Slide(2)].get(index).copied()
    }

    fn cut_rows(_: JointKind) -> Vec<CutRow> {
        [along(0), along(1)].into_iter().chain(ALIGNED).collect()
    }
}
