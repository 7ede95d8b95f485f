//! End stops on one coordinate.

use super::bump_stop::StopLaw;
use super::contact::NOTICED;
use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach};
use crate::fields::{Field, Fields};
use crate::description::{CoordinateRef, Force, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::Real;
use holonom_dae::Gap;

/// [`StopLaw`] of the deflections x_l − x and x − x_u of the scalar coordinate of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct JointStop<R: References = Attached> {
    /// The coordinate on which it acts.
    pub coordinate: R::Coordinate,
    /// Where the lower stop begins; −∞ for none.
    pub lower: f64,
    /// Where the upper stop begins; ∞ for none.
    pub upper: f64,
    /// Numbers.
    pub law: StopLaw,
}

impl Default for JointStop<Named> {
    fn default() -> Self {
        Self {
            coordinate: CoordinateRef::default(),
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            law: StopLaw::default(),
        }
    }
}

impl DescribedForce for JointStop<Named> {
    const NAME: &str = "joint-stop";
    const DOC: &str = "End stops on one coordinate of a joint in the tree.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { coordinate, lower, upper, law } = self;
        visitor.coordinate(&Field::required("coordinate", "", "Coordinate on which it acts."), coordinate);
        visitor.number(&Field::optional("lower", "rad or m", "Position at which the lower stop starts to act."), lower);
        visitor.number(&Field::optional("upper", "rad or m", "Position at which the upper stop starts to act."), upper);
        visitor.number(&Field::required("stiffness", "N m/rad or N/m", "Stiffness beyond the onset."), &mut law.stiffness);
        visitor.number(&Field::optional("damping", "N m s/rad or N s/m", "Damping beyond the onset."), &mut law.damping);
        let doc = "Deflection over which stiffness and damping rise to their full values.";
        visitor.number(&Field::required("onset", "rad or m", doc), &mut law.onset);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(faults);
        for (field, end, open) in [("lower", self.lower, f64::NEG_INFINITY), ("upper", self.upper, f64::INFINITY)] {
            if end != open {
                faults.finite(field, end);
            }
        }
        let (lower, upper) = (self.lower, self.upper);
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
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, JointStop { coordinate: coordinate, lower, upper, law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        if mirror.coordinate(&self.coordinate) < 0.0 {
            (self.lower, self.upper) = (-self.upper, -self.lower);
        }
    }
}


/// Constructors.
impl Force {
    /// End stops of a coordinate, which begin to act at its ends; an infinite end is none.
    pub fn joint_stop(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        [lower, upper]: [f64; 2],
        law: StopLaw,
    ) -> Self {
        let kind = ForceKind::JointStop(JointStop {
            coordinate: coordinate.into(),
            lower,
            upper,
            law,
        });
        Self::new(name, kind)
    }
}

impl ForceLaw for JointStop {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let [x, rate, _] = scene.coordinate(self.coordinate);
        let mut force = T::zero();
        if self.lower.is_finite() {
            force += self.law.force(-x + self.lower, -rate);
        }
        if self.upper.is_finite() {
            force -= self.law.force(x - self.upper, rate);
        }
        loads.add_generalised(scene.tree, self.coordinate, force);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let [x, ..] = scene.coordinate(self.coordinate);
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
        let [x, rate, _] = scene.coordinate(self.coordinate);
        Some(Gap {
            distance: (x - self.lower).min(self.upper - x),
            speed: rate.abs(),
            depth: NOTICED * self.law.onset,
        })
    }

    fn has_gap(&self) -> bool {
        true
    }

    fn piecewise(&self) -> [usize; 2] {
        [2, 2]
    }

    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
        let [x, rate, _] = scene.coordinate(self.coordinate);
        out.copy_from_slice(&[x, rate]);
    }

    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        let [x, rate] = [inputs[0], inputs[1]];
        // An end at infinity is never reached.
        (values[0], pieces[0]) = self.law.piece(self.lower.max(-f64::MAX) - x, -rate);
        (values[1], pieces[1]) = self.law.piece(x - self.upper.min(f64::MAX), rate);
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Coordinate(self.coordinate)
    }
}
