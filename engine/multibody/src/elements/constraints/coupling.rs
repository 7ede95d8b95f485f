//! A sum of coordinates with factors is constant: gears, racks, belts, differentials.

use super::ConstraintInfo;
use crate::description::fields::{Field, Fields};
use crate::description::{ConstraintKind, Mirror};

/// The entry of the registry.
pub(super) const CONSTRAINT: ConstraintInfo = ConstraintInfo {
    name: "coupling",
    doc: "A weighted sum of coordinates is constant: gears, racks, belts, differentials.",
    rows: 1,
    template,
    fields,
    mirror,
};

fn template() -> ConstraintKind {
    ConstraintKind::Coupling {
        terms: Vec::new(),
        offset: 0.0,
    }
}

fn fields(kind: &mut ConstraintKind, visitor: &mut dyn Fields) {
    let ConstraintKind::Coupling { terms, offset } = kind else {
        return;
    };
    visitor.terms(&Field::required("terms", "", "Coordinates and their factors."), terms);
    let doc = "Value of the sum, in the unit of the terms.";
    visitor.number(&Field::optional("offset", "", doc), offset);
}

fn mirror(kind: &mut ConstraintKind, mirror: &mut Mirror) {
    if let ConstraintKind::Coupling { terms, .. } = kind {
        for (coordinate, factor) in terms {
            *factor *= mirror.coordinate(coordinate);
        }
    }
}
