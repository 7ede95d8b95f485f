//! One angle about the common axis.

use super::{CutRow, JointInfo, PARALLEL, POINT, Primitive, no_fields, radians};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "revolute",
    doc: "One angle about the common axis.",
    coordinates: &[radians("angle")],
    has_axis: true,
    has_orientation: false,
    tree_only: false,
    template: JointKind::Revolute,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    vec![Primitive::Turn(2)]
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    POINT.into_iter().chain(PARALLEL).collect()
}
