//! The origins of two frames keep a distance, which may be a function of time.

use super::ConstraintInfo;
use crate::description::include::same_constraint;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::ConstraintKind;
use crate::signal::Signal;

/// The entry of the registry.
pub(super) const CONSTRAINT: ConstraintInfo = ConstraintInfo {
    name: "distance",
    doc: "The origins of two frames keep a distance, which may be a function of time.",
    rows: 1,
    template,
    fields,
    mirror: same_constraint,
};

fn template() -> ConstraintKind {
    ConstraintKind::Distance {
        from: String::new(),
        to: String::new(),
        length: Signal::constant(0.0),
    }
}

fn fields(kind: &mut ConstraintKind, visitor: &mut dyn Fields) {
    let ConstraintKind::Distance { from, to, length } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    let doc = "Distance; must be positive. A function of time models a hoist rope or a telescope.";
    visitor.signal(&Field::required("length", "m", doc), length);
}
