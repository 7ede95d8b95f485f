//! Two angles: about x of the first frame, then about y of the second.

use super::{CutRow, JointInfo, POINT, Primitive, no_fields, perpendicular, radians};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "universal",
    doc: "Two angles: about x of the first frame, then about y of the second.",
    coordinates: &[radians("angle_x"), radians("angle_y")],
    has_axis: false,
    has_orientation: false,
    tree_only: false,
    template: JointKind::Universal,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    vec![Primitive::Turn(0), Primitive::Turn(1)]
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    POINT.into_iter().chain([perpendicular(0, 1)]).collect()
}
