//! A force element of this program: hysteresis after Bouc and Wen.

use holonom::multibody::elements::prelude::*;

/// Tension α k x + (1 − α) k z along the line between two origins, with x their distance beyond the free length, and
/// the hysteretic displacement z as state: ż = ẋ − (β |ẋ| |z|ⁿ⁻¹ z + γ ẋ |z|ⁿ)/dⁿ with β + γ = 1. In a motion that goes
/// on in one direction z reaches ±d.
#[derive(Clone, Debug, PartialEq)]
pub struct BoucWen<R: References = Attached> {
    /// First end.
    pub from: R::Frame,
    /// Second end.
    pub to: R::Frame,
    /// Stiffness k at small displacements.
    pub stiffness: f64,
    /// Part α of the stiffness that remains beyond the yield displacement.
    pub hardening: f64,
    /// Yield displacement d.
    pub yield_displacement: f64,
    /// Sharpness n of the transition.
    pub sharpness: f64,
    /// Share β of the term that narrows the loop.
    pub shape: f64,
    /// Length without force.
    pub free_length: f64,
    /// z at the start.
    pub start: f64,
}

/// The values of absent fields.
impl Default for BoucWen<Named> {
    fn default() -> Self {
        Self {
            from: String::new(),
            to: String::new(),
            stiffness: 0.0,
            hardening: 0.0,
            yield_displacement: 0.0,
            sharpness: 2.0,
            shape: 0.5,
            free_length: 0.0,
            start: 0.0,
        }
    }
}

impl DescribedForce for BoucWen<Named> {
    const NAME: &str = "bouc-wen";
    const DOC: &str = "Hysteretic spring between the origins of two frames, after Bouc and Wen.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self {
            from,
            to,
            stiffness,
            hardening,
            yield_displacement,
            sharpness,
            shape,
            free_length,
            start,
        } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        let doc = "Stiffness at small displacements.";
        visitor.number(&Field::required("stiffness", "N/m", doc), stiffness);
        let doc = "Part of the stiffness that remains beyond the yield displacement, from 0 to 1.";
        visitor.number(&Field::optional("hardening", "", doc), hardening);
        let doc = "Displacement at which it yields.";
        visitor.number(
            &Field::required("yield_displacement", "m", doc),
            yield_displacement,
        );
        let doc = "Sharpness of the transition; at least 1.";
        visitor.number(&Field::optional("sharpness", "", doc), sharpness);
        let doc = "Shape of the loop, from 0 to 1: 0.5 unloads with the full stiffness.";
        visitor.number(&Field::optional("shape", "", doc), shape);
        visitor.number(
            &Field::required("free_length", "m", "Length without force."),
            free_length,
        );
        let doc = "Initial hysteretic displacement.";
        visitor.number(&Field::optional("start", "m", doc), start);
    }

    fn faults(&self, faults: &mut Faults) {
        let within = |x: f64| (0.0..=1.0).contains(&x);
        faults.positive("stiffness", self.stiffness);
        faults.bounded("hardening", self.hardening, within(self.hardening), "from 0 to 1");
        faults.positive("yield_displacement", self.yield_displacement);
        faults.bounded("sharpness", self.sharpness, self.sharpness >= 1.0, "at least 1");
        faults.bounded("shape", self.shape, within(self.shape), "from 0 to 1");
        faults.finite("free_length", self.free_length);
        faults.finite("start", self.start);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(
            self,
            to,
            BoucWen {
                from: frame,
                to: frame,
                stiffness,
                hardening,
                yield_displacement,
                sharpness,
                shape,
                free_length,
                start
            }
        )
    }
}

impl From<BoucWen> for ForceElement {
    fn from(law: BoucWen) -> Self {
        Self::custom(law)
    }
}

impl BoucWen {
    /// x, and its rate.
    fn displacement<T: Real>(&self, relative: &Relative<T>) -> [T; 2] {
        let length = relative.distance.norm();
        let rate = relative.distance.dot(relative.velocity().linear) / length;
        [length - self.free_length, rate]
    }

    fn tension<T: Real>(&self, displacement: T, z: T) -> T {
        (displacement * self.hardening + z * (1.0 - self.hardening)) * self.stiffness
    }
}

impl ForceLaw for BoucWen {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let [displacement, _] = self.displacement(&relative);
        let direction = relative.distance.scale(relative.distance.norm().recip());
        let pull = direction.scale(-self.tension(displacement, scene.own[0]));
        relative.add_load(&Wrench::new(Vec3::zero(), pull), loads);
    }

    /// Of the part that is elastic; what the hysteresis stores has no potential.
    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let relative = Relative::new(scene, &self.from, &self.to);
        let [displacement, _] = self.displacement(&relative);
        let elastic = displacement.square() * self.hardening;
        let hysteretic = scene.own[0].square() * (1.0 - self.hardening);
        Some((elastic + hysteretic) * (0.5 * self.stiffness))
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }

    fn outputs(&self) -> Vec<ShownValue> {
        vec![ShownValue {
            name: "displacement",
            unit: "m",
            doc: "displacement from the free length",
        }]
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        out[0] = self.displacement(&Relative::new(scene, &self.from, &self.to))[0];
    }

    fn states(&self) -> Vec<OwnState> {
        vec![OwnState::new(
            "hysteretic",
            "m",
            "hysteretic displacement",
            self.start,
        )]
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let [_, rate] = self.displacement(&Relative::new(scene, &self.from, &self.to));
        let ratio = scene.own[0] * (1.0 / self.yield_displacement);
        // |z|ⁿ has no derivative at zero through the logarithm of powf.
        let size = T::select(ratio.value().abs() > 1e-150, ratio.abs(), T::zero());
        let power = |p: f64| match p {
            0.0 => T::one(),
            _ => T::select(size.value() > 0.0, size.powf(p), T::zero()),
        };
        let narrowing = rate.abs() * power(self.sharpness - 1.0) * ratio * self.shape;
        let bending = rate * power(self.sharpness) * (1.0 - self.shape);
        out[0] = rate - narrowing - bending;
    }
}
