//! The origins of two frames keep a distance.

use super::ConstraintInfo;
use crate::description::include::same_constraint;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::ConstraintKind;

/// The entry of the registry.
pub(super) const CONSTRAINT: ConstraintInfo = ConstraintInfo {
    name: "distance",
    doc: "The origins of two frames keep a constant distance.",
    rows: 1,
    template,
    fields,
    mirror: same_constraint,
};

fn template() -> ConstraintKind {
    ConstraintKind::Distance {
        from: String::new(),
        to: String::new(),
        length: 0.0,
    }
}

fn fields(kind: &mut ConstraintKind, visitor: &mut dyn Fields) {
    let ConstraintKind::Distance { from, to, length } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    visitor.number(&Field::required("length", "m", "Distance; must be positive."), length);
}
