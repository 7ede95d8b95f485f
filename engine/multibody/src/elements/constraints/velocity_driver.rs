//! The velocity of a coordinate follows a function of time; the position is integrated.

use super::ConstraintInfo;
use crate::description::fields::{Field, Fields};
use crate::description::{ConstraintKind, CoordinateRef, Mirror};
use crate::signal::Signal;

/// The entry of the registry.
pub(super) const CONSTRAINT: ConstraintInfo = ConstraintInfo {
    name: "velocity-driver",
    doc: "The velocity of a coordinate follows a function of time; the multiplier is the driving force.",
    rows: 1,
    template,
    fields,
    mirror,
};

fn template() -> ConstraintKind {
    ConstraintKind::VelocityDriver {
        coordinate: CoordinateRef::from(""),
        velocity: Signal::constant(0.0),
    }
}

fn fields(kind: &mut ConstraintKind, visitor: &mut dyn Fields) {
    let ConstraintKind::VelocityDriver { coordinate, velocity } = kind else {
        return;
    };
    visitor.coordinate(&Field::required("coordinate", "", "Driven coordinate."), coordinate);
    let doc = "Function that the velocity of the coordinate follows.";
    visitor.signal(&Field::required("velocity", "rad/s or m/s", doc), velocity);
}

fn mirror(kind: &mut ConstraintKind, mirror: &mut Mirror) {
    if let ConstraintKind::VelocityDriver { coordinate, velocity } = kind {
        let sign = mirror.coordinate(coordinate);
        mirror.signal(velocity, sign);
    }
}
