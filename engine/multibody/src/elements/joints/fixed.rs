//! No freedom: the two frames coincide.

use super::{ALIGNED, POINT, CutRow, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Fixed;

impl DescribedJoint for Fixed {
    const NAME: &str = "fixed";
    const DOC: &str = "No degrees of freedom: the two frames coincide.";

    fn motion(_: JointKind, _: usize) -> Option<Primitive> {
        None
    }

    fn cut_rows(_: JointKind) -> Vec<CutRow> {
        [POINT, ALIGNED].concat()
    }
}
