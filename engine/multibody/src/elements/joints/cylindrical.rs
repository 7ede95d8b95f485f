//! An angle about and a displacement along the common axis.

use super::{CutRow, JointInfo, PARALLEL, Primitive, along, metres, no_fields, radians};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "cylindrical",
    doc: "An angle about and a displacement along the common axis.",
    coordinates: &[radians("angle"), metres("displacement")],
    has_axis: true,
    has_orientation: false,
    tree_only: false,
    template: JointKind::Cylindrical,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    vec![Primitive::Turn(2), Primitive::Slide(2)]
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    [along(0), along(1)].into_iter().chain(PARALLEL).collect()
}
