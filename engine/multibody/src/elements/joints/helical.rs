//! An angle about the common axis with a proportional displacement along it.

use super::{CutRow, JointInfo, PARALLEL, Primitive, along, radians};
use crate::fields::{Field, Fields};
use crate::description::JointKind;
use crate::elements::constraints::PairRow;

/// The entry of the registry.
pub(super) const JOINT: JointInfo = JointInfo {
    name: "helical",
    doc: "An angle about the common axis with a proportional displacement along it.",
    coordinates: &[radians("angle")],
    has_axis: true,
    has_orientation: false,
    tree_only: false,
    template: JointKind::Helical { pitch: 0.0 },
    fields,
    motions,
    cut_rows,
};

fn fields(kind: &mut JointKind, visitor: &mut dyn Fields) {
    if let JointKind::Helical { pitch } = kind {
        let doc = "Displacement per angle.";
        visitor.number(&Field::required("pitch", "m/rad", doc), pitch);
    }
}

fn pitch(kind: JointKind) -> f64 {
    match kind {
        JointKind::Helical { pitch } => pitch,
        _ => 0.0,
    }
}

fn motions(kind: JointKind) -> Vec<Primitive> {
    vec![Primitive::Screw { pitch: pitch(kind) }]
}

fn cut_rows(kind: JointKind) -> Vec<CutRow> {
    let screw = CutRow {
        name: "screw",
        row: PairRow::Screw { pitch: pitch(kind) },
    };
    let guide = [along(0), along(1)].into_iter().chain(PARALLEL);
    guide.chain([screw]).collect()
}
