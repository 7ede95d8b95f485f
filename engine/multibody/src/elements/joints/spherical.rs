//! Free turning about a common point: Euler parameters.

use super::{CutRow, JointInfo, POINT, Primitive, no_fields};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "spherical",
    doc: "Free rotation about a common point, described by Euler parameters.",
    coordinates: &[],
    has_axis: false,
    has_orientation: true,
    tree_only: false,
    template: JointKind::Spherical,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    vec![Primitive::Ball]
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    POINT.to_vec()
}
