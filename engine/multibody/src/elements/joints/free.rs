//! All six freedoms: position in the first frame and Euler parameters.

use super::{CutRow, JointInfo, Primitive, metres, no_fields};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "free",
    doc: "All six degrees of freedom: position in the first frame and Euler parameters.",
    coordinates: &[metres("x"), metres("y"), metres("z")],
    has_axis: false,
    has_orientation: true,
    tree_only: true,
    template: JointKind::Free,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    vec![
        Primitive::Slide(0),
        Primitive::Slide(1),
        Primitive::Slide(2),
        Primitive::Ball,
    ]
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    Vec::new()
}
