//! No freedom: the two frames coincide.

use super::{ALIGNED, CutRow, JointInfo, POINT, Primitive, no_fields};
use crate::description::JointKind;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "fixed",
    doc: "No degrees of freedom: the two frames coincide.",
    coordinates: &[],
    has_axis: false,
    has_orientation: false,
    tree_only: false,
    template: JointKind::Fixed,
    fields: no_fields,
    motions,
    cut_rows,
};

fn motions(_: JointKind) -> Vec<Primitive> {
    Vec::new()
}

fn cut_rows(_: JointKind) -> Vec<CutRow> {
    [POINT, ALIGNED].concat()
}
