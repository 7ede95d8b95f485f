//! All six freedoms: position in the first frame and Cardan angles about x, y and z.

use super::{metres, radians, CoordinateInfo, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct FreeCardan;

impl DescribedJoint for FreeCardan {
    const NAME: &str = "free-cardan";
    const DOC: &str = "All six degrees of freedom: position in the first frame and Cardan angles about x, y and z.";
    const COORDINATES: &[CoordinateInfo] = &[
        metres("x"),
        metres("y"),
        metres("z"),
        radians("angle_x"),
        radians("angle_y"),
        radians("angle_z"),
    ];
    const TREE_ONLY: bool = true;
    const MOVES_FREELY: bool = true;
    const CARDAN_ANGLES: Option<usize> = Some(3);

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        let motions = [
            Primitive::Slide(0),
            Primitive::Slide(1),
            Primitive::Slide(2),
            Primitive::Turn(0),
            Primitive::Turn(1),
            Primitive::Turn(2),
        ];
        motions.get(index).copied()
    }
}
