//! End stops on one coordinate.

use super::bump_stop::StopLaw;
use super::contact::NOTICED;
use super::faults::Faults;
use super::{ForceInfo, ForceLaw, Reach};
use crate::description::fields::{Field, Fields};
use crate::description::{CoordinateRef, ForceKind, Mirror};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::Real;
use holonom_dae::Gap;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "joint-stop",
    doc: "End stops on one coordinate of a joint in the tree.",
    in_files: true,
    template,
    fields,
    mirror,
};

fn template() -> ForceKind {
    ForceKind::JointStop {
        coordinate: CoordinateRef::from(""),
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        law: StopLaw::default(),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::JointStop { coordinate, lower, upper, law } = kind else {
        return;
    };
    visitor.coordinate(&Field::required("coordinate", "", "Coordinate on which it acts."), coordinate);
    visitor.number(&Field::optional("lower", "rad or m", "Position at which the lower stop starts to act."), lower);
    visitor.number(&Field::optional("upper", "rad or m", "Position at which the upper stop starts to act."), upper);
    visitor.number(&Field::required("stiffness", "N m/rad or N/m", "Stiffness beyond the onset."), &mut law.stiffness);
    visitor.number(&Field::optional("damping", "N m s/rad or N s/m", "Damping beyond the onset."), &mut law.damping);
    let doc = "Deflection over which stiffness and damping rise to their full values.";
    visitor.number(&Field::required("onset", "rad or m", doc), &mut law.onset);
}

fn mirror(kind: &mut ForceKind, mirror: &mut Mirror) {
    if let ForceKind::JointStop { coordinate, lower, upper, .. } = kind
        && mirror.coordinate(coordinate) < 0.0
    {
        (*lower, *upper) = (-*upper, -*lower);
    }
}

/// What is wrong with the ends.
pub(crate) fn faults(lower: f64, upper: f64, law: &StopLaw) -> Faults {
    let mut faults = law.faults();
    for (field, end, open) in [("lower", lower, f64::NEG_INFINITY), ("upper", upper, f64::INFINITY)] {
        if end != open {
            faults.finite(field, end);
        }
    }
    faults.require(
        lower.is_finite() || upper.is_finite(),
        "lower",
        "it has no end to stop at",
        "give `lower`, `upper` or both",
    );
    faults.require(
        lower < upper || lower.is_nan() || upper.is_nan(),
        "upper",
        "the upper stop is not above the lower one",
        "exchange or correct them",
    );
    faults
}

/// [`StopLaw`] of the deflections x_l − x and x − x_u of the scalar coordinate of a node.
#[derive(Clone, Debug)]
pub struct JointStop {
    /// The node whose coordinate it acts on; not a ball.
    pub node: usize,
    /// Where the lower stop begins; −∞ for none.
    pub lower: f64,
    /// Where the upper stop begins; ∞ for none.
    pub upper: f64,
    /// Numbers.
    pub law: StopLaw,
}

impl ForceLaw for JointStop {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let [x, rate, _] = scene.coordinate(self.node);
        let mut force = T::zero();
        if self.lower.is_finite() {
            force += self.law.force(-x + self.lower, -rate);
        }
        if self.upper.is_finite() {
            force -= self.law.force(x - self.upper, rate);
        }
        loads.add_generalised(scene.tree, self.node, force);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let [x, ..] = scene.coordinate(self.node);
        let mut energy = T::zero();
        if self.lower.is_finite() {
            energy += self.law.energy(-x + self.lower);
        }
        if self.upper.is_finite() {
            energy += self.law.energy(x - self.upper);
        }
        Some(energy)
    }

    fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
        let [x, rate, _] = scene.coordinate(self.node);
        Some(Gap {
            distance: (x - self.lower).min(self.upper - x),
            speed: rate.abs(),
            depth: NOTICED * self.law.onset,
        })
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Coordinate(self.node)
    }
}
