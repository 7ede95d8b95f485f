//! Free turning about a common point: Euler parameters.

use super::{POINT, CutRow, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Spherical;

impl DescribedJoint for Spherical {
    const NAME: &str = "spherical";
    const DOC: &str = "Free rotation about a common point, described by Euler parameters.";
    const HAS_ORIENTATION: bool = true;

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        [Primitive::Ball].get(index).copied()
    }

    fn cut_rows(_: JointKind) -> Vec<CutRow> {
        POINT.to_vec()
    }
}
