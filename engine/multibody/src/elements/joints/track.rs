//! Position, yaw about z, pitch about the new y and then roll about the own x: the frame of a track.

use super::{CutRow, JointInfo, Primitive, metres, no_fields, radians};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "track",
    doc: "Frame of a track: displacements, yaw about z, pitch about the rotated y, then roll about the rotated x.",
    coordinates: &[
        metres("x"),
        metres("y"),
        metres("z"),
        radians("yaw"),
        radians("pitch"),
        radians("roll"),
    ],
    has_axis: false,
    has_orientation: false,
    tree_only: true,
    template: JointKind::Track,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    vec![
        Primitive::Slide(0),
        Primitive::Slide(1),
        Primitive::Slide(2),
        Primitive::Turn(2),
        Primitive::Turn(1),
        Primitive::Turn(0),
    ]
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    Vec::new()
}
