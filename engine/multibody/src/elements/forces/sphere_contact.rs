//! Contact of two spheres.

use super::contact::{self, ContactLaw, NOTICED, Touching, between};
use super::faults::Faults;
use super::line::length;
use super::{ForceInfo, ForceLaw, Reach, ShownValue};
use crate::description::ForceKind;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::include::same_force;
use crate::elements::constraints::relative::Relative;
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use holonom_algebra::Real;
use holonom_dae::Gap;

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "sphere-contact",
    doc: "Contact of two spheres centred at the origins of two frames: Hunt–Crossley penalty force with friction.",
    in_files: true,
    template,
    fields,
    mirror: same_force,
};

fn template() -> ForceKind {
    ForceKind::SphereContact {
        from: String::new(),
        to: String::new(),
        radii: [0.0; 2],
        law: ContactLaw::default(),
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::SphereContact { from, to, radii, law } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    visitor.number(&Field::required("radius", "m", "Radius of the first sphere."), &mut radii[0]);
    visitor.number(&Field::required("second_radius", "m", "Radius of the second sphere."), &mut radii[1]);
    law.fields(visitor);
}

/// What is wrong with it.
pub(crate) fn faults(radii: [f64; 2], law: &ContactLaw) -> Faults {
    let mut faults = law.faults();
    faults.positive("radius", radii[0]);
    faults.positive("second_radius", radii[1]);
    faults
}

/// [`ContactLaw`] of the depth r₁ + r₂ − |d| along the line d of the centres, at the point in the middle
/// between both surfaces: which sphere is the first makes no difference. Where the centres coincide the
/// line has no direction and there is no force.
#[derive(Clone, Debug)]
pub struct SphereContact {
    /// Centre of the first sphere.
    pub from: Attachment,
    /// Centre of the second sphere.
    pub to: Attachment,
    /// Radii.
    pub radii: [f64; 2],
    /// Numbers.
    pub law: ContactLaw,
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
