//! Displacements along x and y of the first frame and an angle about z.

use super::{PARALLEL, along, metres, radians, CoordinateInfo, CutRow, DescribedJoint, JointKind, Primitive};

/// The kind.
pub(super) struct Planar;

impl DescribedJoint for Planar {
    const NAME: &str = "planar";
    const DOC: &str = "Displacements along x and y of the first frame and an angle about z.";
    const COORDINATES: &[CoordinateInfo] = &[metres("x"), metres("y"), radians("angle")];

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        [Primitive::Slide(0), Primitive::Slide(1), Primitive::Turn(2)].get(index).copied()
    }

    fn cut_rows(_: JointKind) -> Vec<CutRow> {
        [along(2)].into_iter().chain(PARALLEL).collect()
    }
}
