//! An angle about and a displacement along the common axis.

use super::{PARALLEL, along, metres, radians, CoordinateInfo, CutRow, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Cylindrical;

impl DescribedJoint for Cylindrical {
    const NAME: &str = "cylindrical";
    const DOC: &str = "An angle about and a displacement along the common axis.";
    const COORDINATES: &[CoordinateInfo] = &[radians("angle"), metres("displacement")];
    const HAS_AXIS: bool = true;

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        [Primitive::Turn(2), Primitive::Slide(2)].get(index).copied()
    }

    fn cut_rows(_: JointKind) -> Vec<CutRow> {
        [along(0), along(1)].into_iter().chain(PARALLEL).collect()
    }
}
