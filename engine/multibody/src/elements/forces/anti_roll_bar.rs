//! Torsion bar between two points, carried by a third body.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{Field, Fields};
use crate::description::{Force, Mirror};
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::{Real, Vec3, Wrench};

/// Numbers of an anti-roll bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AntiRollLaw {
    /// Stiffness k against torsion, N m/rad.
    pub stiffness: f64,
    /// Damping c of the torsion, N m s/rad.
    pub damping: f64,
    /// Length a of the levers, m.
    pub lever: f64,
    /// Twist without torque, rad.
    pub free_twist: f64,
}

impl AntiRollLaw {
    /// What is wrong with it.
    pub(crate) fn faults(&self, faults: &mut Faults) {
        faults.not_negative("stiffness", self.stiffness);
        faults.not_negative("damping", self.damping);
        faults.positive("lever", self.lever);
        faults.finite("free_twist", self.free_twist);
    }
}

/// Torque T = k (φ − φ₀) + c φ̇ of a bar with the twist φ = (z₁ − z₂)/a, where z₁ and z₂ are the
/// heights of the two points along z of the bar's frame: the force T/a pushes the first point down
/// and the second up along that axis, and both react on the frame that carries the bar.
///
/// This is a bar with levers of length a and long drop links along z, for twists whose sine is their
/// angle. The energy ½ k (φ − φ₀)² is exact for this measure, in any motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AntiRollBar<R: References = Attached> {
    /// Carries the bar.
    pub bar: R::Frame,
    /// First point.
    pub left: R::Frame,
    /// Second point.
    pub right: R::Frame,
    /// Numbers.
    pub law: AntiRollLaw,
}

impl DescribedForce for AntiRollBar<Named> {
    const NAME: &str = "anti-roll-bar";
    const DOC: &str = "Torsion bar mounted on a body, with a lever and a vertical drop link to a point on each side.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { bar, left, right, law } = self;
        let doc = "Frame that carries the bar; the drop links are along its z axis.";
        visitor.frame(&Field::required("bar", "", doc), bar);
        visitor.frame(&Field::required("left", "", "Frame whose origin is the end of the first link."), left);
        visitor.frame(&Field::required("right", "", "Frame whose origin is the end of the second link."), right);
        visitor.number(&Field::required("stiffness", "N m/rad", "Torsional stiffness of the bar."), &mut law.stiffness);
        visitor.number(&Field::optional("damping", "N m s/rad", "Damping of the torsion."), &mut law.damping);
        visitor.number(&Field::required("lever", "m", "Length of the levers."), &mut law.lever);
        let doc = "Twist at zero torque: height of the left end above the right one, divided by the lever length.";
        visitor.number(&Field::optional("free_twist", "rad", doc), &mut law.free_twist);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(faults);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, AntiRollBar { bar: frame, left: frame, right: frame, law })
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        self.law.free_twist *= mirror.polar(2);
    }

    /// Heights along z of the bar's frame.
    fn shown_signs(&self, mirror: &Mirror, _: &[f64]) -> Vec<(&'static str, f64)> {
        vec![("twist", mirror.polar(2)), ("bar_torque", mirror.polar(2))]
    }
}


impl AntiRollBar {
    fn sides<'a, T: Real>(&'a self, scene: &Scene<'a, T>) -> [Relative<'a, T>; 2] {
        [&self.left, &self.right].map(|side| Relative::new(scene, &self.bar, side))
    }

    /// φ and T.
    fn twist_and_torque<T: Real>(&self, sides: &[Relative<T>; 2]) -> [T; 2] {
        let axis = sides[0].first_axis(2);
        let [left, right] = [0, 1].map(|k| {
            let side = &sides[k];
            [axis.dot(side.distance), axis.dot(side.velocity().linear)]
        });
        let inverse = 1.0 / self.law.lever;
        let twist = (left[0] - right[0]) * inverse;
        let rate = (left[1] - right[1]) * inverse;
        let torque = (twist - self.law.free_twist) * self.law.stiffness + rate * self.law.damping;
        [twist, torque]
    }
}

/// Constructors.
impl Force {
    /// Torsion bar carried by the frame `bar`, with levers and links along its z axis to two others.
    pub fn anti_roll_bar(
        name: impl Into<String>,
        bar: impl Into<String>,
        left: impl Into<String>,
        right: impl Into<String>,
        law: AntiRollLaw,
    ) -> Self {
        let kind = ForceKind::AntiRollBar(AntiRollBar {
            bar: bar.into(),
            left: left.into(),
            right: right.into(),
            law,
        });
        Self::new(name, kind)
    }
}

impl ForceLaw for AntiRollBar {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let sides = self.sides(scene);
        let [_, torque] = self.twist_and_torque(&sides);
        let force = sides[0].first_axis(2).scale(torque * (1.0 / self.law.lever));
        sides[0].add_load(&Wrench::new(Vec3::zero(), -force), loads);
        sides[1].add_load(&Wrench::new(Vec3::zero(), force), loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let [left, right] = [&self.left, &self.right].map(|side| {
            let side = Relative::new(scene, &self.bar, side);
            side.first_axis(2).dot(side.distance)
        });
        let twist = (left - right) * (1.0 / self.law.lever) - self.law.free_twist;
        Some(twist.square() * (0.5 * self.law.stiffness))
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Frames([&self.bar, &self.left, &self.right])
    }

    fn outputs(&self) -> Vec<ShownValue> {
        let show = |name, unit, doc| ShownValue { name, unit, doc };
        vec![
            show("twist", "rad", "twist of the bar: height of the left end above the right one, over the lever"),
            show("bar_torque", "N m", "torque that twists the bar, with its damping"),
        ]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        [out[0], out[1]] = self.twist_and_torque(&self.sides(scene));
    }
}
