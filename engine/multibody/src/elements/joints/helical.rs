//! An angle about the common axis with a proportional displacement along it.

use super::{PARALLEL, along, radians, CoordinateInfo, CutRow, DescribedJoint, JointKind, Primitive};
use crate::fields::{Field, Fields};
use crate::elements::constraints::PairRow;
use crate::elements::faults::Faults;

/// The kind.
pub(super) struct Helical;

impl DescribedJoint for Helical {
    const NAME: &str = "helical";
    const DOC: &str = "An angle about the common axis with a proportional displacement along it.";
    const COORDINATES: &[CoordinateInfo] = &[radians("angle")];
    const HAS_AXIS: bool = true;

    fn fields(kind: &mut JointKind, visitor: &mut dyn Fields) {
        if let JointKind::Helical { pitch } = kind {
            let doc = "Displacement per angle.";
            visitor.number(&Field::required("pitch", "m/rad", doc), pitch);
        }
    }

    fn faults(kind: JointKind, faults: &mut Faults) {
        let pitch = pitch(kind);
        if faults.finite_quantity("the pitch", &[pitch]) {
            faults.require(pitch != 0.0, "pitch", "the pitch is zero", "use a revolute joint");
        }
    }

    fn mirror(kind: &mut JointKind) {
        if let JointKind::Helical { pitch } = kind {
            *pitch = -*pitch;
        }
    }

    fn motion(kind: JointKind, index: usize) -> Option<Primitive> {
        (index == 0).then(|| Primitive::Screw { pitch: pitch(kind) })
    }

    fn cut_rows(kind: JointKind) -> Vec<CutRow> {
        let screw = CutRow {
            name: "screw",
            row: PairRow::Screw { pitch: pitch(kind) },
        };
        let guide = [along(0), along(1)].into_iter().chain(PARALLEL);
        guide.chain([screw]).collect()
    }
}

fn pitch(kind: JointKind) -> f64 {
    match kind {
        JointKind::Helical { pitch } => pitch,
        _ => 0.0,
    }
}
