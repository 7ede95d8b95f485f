//! Two shafts that meet at a point and turn by the same angle about their own axes, however they are bent.

use super::{CutRow, DescribedJoint, JointKind, POINT, Primitive};
use crate::elements::constraints::PairRow;

/// The kind.
///
/// The second frame is turned against the first about an axis in their x–y planes: the component of the turn along both
/// z axes is zero. Homokinetic joints such as Rzeppa's, and double Cardan joints with a centring, fulfil it.
pub(super) struct ConstantVelocity;

impl DescribedJoint for ConstantVelocity {
    const NAME: &str = "constant-velocity";
    const DOC: &str = "Joint between two shafts along z that bend at a common point and rotate at the same speed.";
    const HAS_ORIENTATION: bool = true;
    const CUT_ONLY: bool = true;

    fn motion(_: JointKind, index: usize) -> Option<Primitive> {
        (index == 0).then_some(Primitive::Ball)
    }

    fn cut_rows(_: JointKind) -> Vec<CutRow> {
        let turn = CutRow {
            name: "turn_z",
            row: PairRow::Untwisted,
        };
        POINT.into_iter().chain([turn]).collect()
    }
}
