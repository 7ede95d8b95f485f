//! Torsion bar between two coordinates.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{Field, Fields};
use crate::description::{CoordinateRef, Force, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::Real;

/// Numbers of a [`JointAntiRollBar`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAntiRollLaw {
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Factors r₁, r₂ of the coordinates; 1 unless given.
    pub ratios: [f64; 2],
    /// Twist without torque.
    pub free_twist: f64,
}

impl Default for JointAntiRollLaw {
    fn default() -> Self {
        Self {
            stiffness: 0.0,
            damping: 0.0,
            ratios: [1.0; 2],
            free_twist: 0.0,
        }
    }
}

impl JointAntiRollLaw {
    /// What is wrong with it.
    pub(crate) fn faults(&self, same: bool, faults: &mut Faults) {
        faults.not_negative("stiffness", self.stiffness);
        faults.not_negative("damping", self.damping);
        for (field, ratio) in [("left_ratio", self.ratios[0]), ("right_ratio", self.ratios[1])] {
            faults.range(field, ratio, ratio != 0.0, "not be zero", "correct it or use a joint-spring");
        }
        faults.finite("free_twist", self.free_twist);
        faults.require(!same, "right", "both sides are the same coordinate", "choose another one or use a joint-spring");
    }
}

/// The torque T = k (φ − φ₀) + c φ̇ of the twist φ = r₁ x₁ − r₂ x₂: −r₁ T on the first coordinate,
/// r₂ T on the second. On a prescribed coordinate it moves nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointAntiRollBar<R: References = Attached> {
    /// One coordinate.
    pub left: R::Coordinate,
    /// The other.
    pub right: R::Coordinate,
    /// Numbers.
    pub law: JointAntiRollLaw,
}

impl DescribedForce for JointAntiRollBar<Named> {
    const NAME: &str = "joint-anti-roll-bar";
    const DOC: &str = "Spring and damper between the coordinates of two joints in the tree, such as an \
                       anti-roll bar between suspension arms.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { left, right, law } = self;
        visitor.coordinate(&Field::required("left", "", "Coordinate of one side."), left);
        visitor.coordinate(&Field::required("right", "", "Coordinate of the other side."), right);
        let doc = "Stiffness of the twist, left_ratio · left − right_ratio · right.";
        visitor.number(&Field::required("stiffness", "N m/rad or N/m", doc), &mut law.stiffness);
        visitor.number(&Field::optional("damping", "N m s/rad or N s/m", "Damping of the twist."), &mut law.damping);
        visitor.number(&Field::optional("left_ratio", "", "Factor of the left coordinate."), &mut law.ratios[0]);
        visitor.number(&Field::optional("right_ratio", "", "Factor of the right coordinate."), &mut law.ratios[1]);
        visitor.number(&Field::optional("free_twist", "rad or m", "Twist at zero torque."), &mut law.free_twist);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(self.left == self.right, faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, JointAntiRollBar { left: coordinate, right: coordinate, law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        self.law.ratios[0] *= mirror.coordinate(&self.left);
        self.law.ratios[1] *= mirror.coordinate(&self.right);
    }
}


impl JointAntiRollBar {
    /// φ − φ₀ and φ̇.
    fn twist<T: Real>(&self, scene: &Scene<T>) -> [T; 2] {
        let [left, right] = [self.left, self.right].map(|node| scene.coordinate(node));
        let [a, b] = self.law.ratios;
        [
            left[0] * a - right[0] * b - self.law.free_twist,
            left[1] * a - right[1] * b,
        ]
    }
}

/// Constructors.
impl Force {
    /// Torsion bar between two coordinates: torque stiffness · (left − right).
    pub fn joint_anti_roll_bar(
        name: impl Into<String>,
        left: impl Into<CoordinateRef>,
        right: impl Into<CoordinateRef>,
        stiffness: f64,
        damping: f64,
    ) -> Self {
        let law = JointAntiRollLaw {
            stiffness,
            damping,
            ..JointAntiRollLaw::default()
        };
        let (left, right) = (left.into(), right.into());
        Self::new(
            name,
            ForceKind::JointAntiRollBar(JointAntiRollBar { left, right, law }),
        )
    }
}

impl ForceLaw for JointAntiRollBar {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let [twist, rate] = self.twist(scene);
        let torque = twist * self.law.stiffness + rate * self.law.damping;
        loads.add_generalised(scene.tree, self.left, -torque * self.law.ratios[0]);
        loads.add_generalised(scene.tree, self.right, torque * self.law.ratios[1]);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        Some(self.twist(scene)[0].square() * (0.5 * self.law.stiffness))
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Coordinates([self.left, self.right])
    }

    fn outputs(&self) -> Vec<ShownValue> {
        let show = |name, unit, doc| ShownValue { name, unit, doc };
        vec![
            show("twist", "rad", "twist of the bar, in the unit of the coordinates"),
            show("bar_torque", "N m", "torque or force that twists the bar, with its damping"),
        ]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let [twist, rate] = self.twist(scene);
        out[0] = twist + self.law.free_twist;
        out[1] = twist * self.law.stiffness + rate * self.law.damping;
    }
}
