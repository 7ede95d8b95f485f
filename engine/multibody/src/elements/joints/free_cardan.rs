//! All six freedoms: position in the first frame and Cardan angles about x, y and z.

use super::{CutRow, JointInfo, Primitive, metres, no_fields, radians};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "free-cardan",
    doc: "All six degrees of freedom: position in the first frame and Cardan angles about x, y and z.",
    coordinates: &[
        metres("x"),
        metres("y"),
        metres("z"),
        radians("angle_x"),
        radians("angle_y"),
        radians("angle_z"),
    ],
    has_axis: false,
    has_orientation: false,
    tree_only: true,
    template: JointKind::FreeCardan,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    let slides = (0..3).map(Primitive::Slide);
    slides.chain((0..3).map(Primitive::Turn)).collect()
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    Vec::new()
}
