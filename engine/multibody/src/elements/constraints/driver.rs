//! A coordinate follows a function of time by a force, which is the multiplier.

use super::ConstraintInfo;
use crate::description::fields::{Field, Fields};
use crate::description::{ConstraintKind, CoordinateRef, Mirror};
use crate::signal::Signal;

/// The entry of the registry.
pub(super) const CONSTRAINT: ConstraintInfo = ConstraintInfo {
    name: "driver",
    doc: "A coordinate follows a function of time; the multiplier is the driving force.",
    rows: 1,
    template,
    fields,
    mirror,
};

fn template() -> ConstraintKind {
    ConstraintKind::Driver {
        coordinate: CoordinateRef::from(""),
        signal: Signal::constant(0.0),
    }
}

fn fields(kind: &mut ConstraintKind, visitor: &mut dyn Fields) {
    let ConstraintKind::Driver { coordinate, signal } = kind else {
        return;
    };
    visitor.coordinate(&Field::required("coordinate", "", "Driven coordinate."), coordinate);
    visitor.signal(&Field::required("follows", "rad or m", "Function that the coordinate follows."), signal);
}

fn mirror(kind: &mut ConstraintKind, mirror: &mut Mirror) {
    if let ConstraintKind::Driver { coordinate, signal } = kind {
        let sign = mirror.coordinate(coordinate);
        mirror.signal(signal, sign);
    }
}
