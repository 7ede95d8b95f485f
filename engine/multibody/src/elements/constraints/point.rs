//! The origins of two frames coincide.

use super::ConstraintInfo;
use crate::description::include::same_constraint;
use crate::description::fields::{FROM, Fields, TO};
use crate::description::ConstraintKind;

/// The entry of the registry.
pub(super) const CONSTRAINT: ConstraintInfo = ConstraintInfo {
    name: "point",
    doc: "The origins of two frames coincide.",
    rows: 3,
    template,
    fields,
    mirror: same_constraint,
};

fn template() -> ConstraintKind {
    ConstraintKind::Point {
        from: String::new(),
        to: String::new(),
    }
}

fn fields(kind: &mut ConstraintKind, visitor: &mut dyn Fields) {
    let ConstraintKind::Point { from, to } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
}
