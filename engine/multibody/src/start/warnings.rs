//! What is not wrong with a start but should be known.

use crate::elements::constraints::{ConstraintElement, PairRow};
use crate::elements::forces::Reach;
use crate::model::Model;
use crate::tree::Attachment;
use crate::workspace::Workspace;
use core::fmt;
use holonom_algebra::Vec3;

/// Ends nearer to each other than this part of the mechanism's size coincide: the direction of
/// the line between them is rounding.
const COINCIDENT: f64 = 1e-10;

/// Something about the start that its author may not have meant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The ends of a spring–damper coincide, and it has a tension all the same.
    SpringWithoutDirection {
        /// The force element.
        force: String,
    },
    /// The ends of a distance constraint or rod coincide in the start values.
    DistanceWithoutDirection {
        /// The constraint or rod.
        constraint: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SpringWithoutDirection { force } => write!(
                f,
                "force \"{force}\": the ends coincide in the initial position, so its tension has no \
                 direction and does not act; move one of its frames, change the initial values, or set free \
                 length and preload to zero"
            ),
            Self::DistanceWithoutDirection { constraint } => write!(
                f,
                "constraint \"{constraint}\": the ends coincide in the initial values, so assembly chose the \
                 direction in which to separate them; give initial values in which they are apart"
            ),
        }
    }
}

/// Looks at the positions as given and as assembled, in a mechanism of the given size.
pub(super) fn look(model: &Model, t: f64, given: &[f64], assembled: &[f64], size: f64) -> Vec<Warning> {
    if !model.needs_world {
        return Vec::new();
    }
    let mut work = Workspace::new(model);
    work.set_time(model, t);
    work.set_positions(model, given);
    let mut warnings = Vec::new();
    for constraint in &model.constraints {
        let ConstraintElement::Pair(pair) = &constraint.element else {
            continue;
        };
        let distance = |row: &PairRow| matches!(row, PairRow::Distance { .. });
        if pair.rows.iter().any(distance) && coincide(&work, &pair.from, &pair.to, size) {
            let constraint = constraint.name.clone();
            warnings.push(Warning::DistanceWithoutDirection { constraint });
        }
    }
    work.set_positions(model, assembled);
    for force in &model.forces {
        if force.element.tension_without_length() != 0.0
            && let Reach::Line(from, to) = force.element.reach()
            && coincide(&work, from, to, size)
        {
            let force = force.name.clone();
            warnings.push(Warning::SpringWithoutDirection { force });
        }
    }
    warnings
}

fn coincide(work: &Workspace<f64>, a: &Attachment, b: &Attachment, size: f64) -> bool {
    let origin = |at: &Attachment| -> Vec3<f64> {
        let node = &work.known.world[at.node];
        node.position + node.rotation.times(at.frame.position)
    };
    (origin(a) - origin(b)).norm() <= COINCIDENT * size
}
