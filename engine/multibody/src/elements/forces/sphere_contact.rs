//! Contact of two spheres.

use super::contact::{self, ContactLaw, NOTICED, Touching, between};
use super::line::length;
use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, Reach, ShownValue};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::Force;
use crate::elements::constraints::relative::Relative;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::Real;
use holonom_dae::Gap;

/// [`ContactLaw`] of the depth r₁ + r₂ − |d| along the line d of the centres, at the point in the middle
/// between both surfaces: which sphere is the first makes no difference. Where the centres coincide the
/// line has no direction and there is no force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SphereContact<R: References = Attached> {
    /// Centre of the first sphere.
    pub from: R::Frame,
    /// Centre of the second sphere.
    pub to: R::Frame,
    /// Radii.
    pub radii: [f64; 2],
    /// Numbers.
    pub law: ContactLaw,
}

impl DescribedForce for SphereContact<Named> {
    const NAME: &str = "sphere-contact";
    const DOC: &str = "Contact of two spheres centred at the origins of two frames: Hunt–Crossley penalty force with friction.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, radii, law } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        visitor.number(&Field::required("radius", "m", "Radius of the first sphere."), &mut radii[0]);
        visitor.number(&Field::required("second_radius", "m", "Radius of the second sphere."), &mut radii[1]);
        law.fields(visitor);
    }

    fn faults(&self, faults: &mut Faults) {
        self.law.faults(faults);
        faults.positive("radius", self.radii[0]);
        faults.positive("second_radius", self.radii[1]);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, SphereContact { from: frame, to: frame, radii, law })
    }
}


impl SphereContact {
    fn touching<'r, 'a, T: Real>(&self, relative: &'r Relative<'a, T>) -> Touching<'r, 'a, T> {
        let (distance, inverse) = length(relative.distance);
        let normal = relative.distance.scale(inverse);
        let depth = T::select(distance.value() > 0.0, -distance + (self.radii[0] + self.radii[1]), T::zero());
        let mut touching = Touching::new(relative);
        touching.point(&self.law, depth, normal, -normal.scale(between(self.radii[1], depth)));
        touching
    }
}

/// Constructors.
impl Force {
    /// Two spheres about the origins of two frames.
    pub fn sphere_contact(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        radii: [f64; 2],
        law: ContactLaw,
    ) -> Self {
        let kind = ForceKind::SphereContact(SphereContact {
            from: from.into(),
            to: to.into(),
            radii,
            law,
        });
        Self::new(name, kind)
    }
}

impl ForceLaw for SphereContact {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.from, &self.to);
        self.touching(&relative).finish(loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let (distance, _) = length(Relative::new(scene, &self.from, &self.to).distance);
        Some(self.law.energy(-distance + (self.radii[0] + self.radii[1])))
    }

    fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
        let relative = Relative::new(scene, &self.from, &self.to);
        let sum = self.radii[0] + self.radii[1];
        Some(Gap {
            distance: relative.distance.norm() - sum,
            speed: relative.velocity().linear.norm(),
            depth: NOTICED * self.radii[0].min(self.radii[1]),
        })
    }

    fn has_gap(&self) -> bool {
        true
    }

    fn piecewise(&self) -> [usize; 2] {
        [1, 1]
    }

    fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
        let distance = Relative::new(scene, &self.from, &self.to).distance.norm();
        out[0] = self.radii[0] + self.radii[1] - distance;
    }

    fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
        (values[0], pieces[0]) = self.law.piece(inputs[0]);
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Pair(&self.from, &self.to)
    }

    fn outputs(&self) -> Vec<ShownValue> {
        contact::outputs()
    }

    fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = Relative::new(scene, &self.from, &self.to);
        self.touching(&relative).show(out);
    }
}
