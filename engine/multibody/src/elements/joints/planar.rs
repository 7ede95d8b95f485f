//! Displacements along x and y of the first frame and an angle about z.

use super::{CutRow, JointInfo, PARALLEL, Primitive, along, metres, no_fields, radians};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "planar",
    doc: "Displacements along x and y of the first frame and an angle about z.",
    coordinates: &[metres("x"), metres("y"), radians("angle")],
    has_axis: false,
    has_orientation: false,
    tree_only: false,
    template: JointKind::Planar,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    vec![Primitive::Slide(0), Primitive::Slide(1), Primitive::Turn(2)]
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    [along(2)].into_iter().chain(PARALLEL).collect()
}
