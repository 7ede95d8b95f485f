//! All six freedoms: position in the first frame and Euler parameters.

use super::{metres, CoordinateInfo, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Free;

impl DescribedJoint for Free {
    const NAME: &str = "free";
    const DOC: &str = "All six degrees of freedom: position in the first frame and Euler parameters.";
    const COORDINATES: &[CoordinateInfo] = &[metres("x"), metres("y"), metres("z")];
    const HAS_ORIENTATION: bool = true;
    const TREE_ONLY: bool = true;
    const MOVES_FREELY: bool = true;

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        let motions = [
            Primitive::Slide(0),
            Primitive::Slide(1),
            Primitive::Slide(2),
            Primitive::Ball,
        ];
        motions.get(index).copied()
    }
}
