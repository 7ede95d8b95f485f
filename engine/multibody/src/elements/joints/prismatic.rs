//! One displacement along the common axis, no turning.

use super::{ALIGNED, CutRow, JointInfo, Primitive, along, metres, no_fields};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "prismatic",
    doc: "One displacement along the common axis, without rotation.",
    coordinates: &[metres("displacement")],
    has_axis: true,
    has_orientation: false,
    tree_only: false,
    template: JointKind::Prismatic,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    vec![Primitive::Slide(2)]
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    [along(0), along(1)].into_iter().chain(ALIGNED).collect()
}
