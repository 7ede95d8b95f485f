//! Spring and damper between two points.

use super::line::Line;
use super::{DescribedForce, ForceElement, ForceLaw, Reach};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::{Called, Force};
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use holonom_algebra::Real;

/// Tension k (ℓ − ℓ₀) + c ℓ̇ + F₀ along the line between two origins, with ℓ their distance.
///
/// At ℓ = 0 the line has no direction and there is no force; a spring with ℓ₀ = F₀ = 0 has the
/// right derivatives there, too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringDamper<R: References = Attached> {
    /// First end.
    pub from: R::Frame,
    /// Second end.
    pub to: R::Frame,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Length ℓ₀ without force of the spring.
    pub free_length: f64,
    /// Additional tension F₀.
    pub preload: f64,
}

impl DescribedForce for SpringDamper<Named> {
    const NAME: &str = "spring-damper";
    const DOC: &str = "Spring and damper between the origins of two frames.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, stiffness, damping, free_length, preload } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        visitor.number(&Field::required("stiffness", "N/m", "Stiffness of the spring."), stiffness);
        visitor.number(&Field::optional("damping", "N s/m", "Damping along the line between the ends."), damping);
        visitor.number(&Field::required("free_length", "m", "Length at zero spring force."), free_length);
        visitor.number(&Field::optional("preload", "N", "Additional constant tension."), preload);
    }

    fn faults(&self, faults: &mut Faults) {
        // Negative values are allowed: they describe instabilities on purpose.
        faults.finite_quantity("the stiffness", &[self.stiffness]);
        faults.finite_quantity("the damping", &[self.damping]);
        faults.finite_quantity("the free length", &[self.free_length]);
        faults.finite_quantity("the preload", &[self.preload]);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, SpringDamper { from: frame, to: frame, stiffness, damping, free_length, preload })
    }
}


/// Constructors.
impl Force {
    /// Spring and damper between the origins of two frames: stiffness in N/m, damping in N s/m,
    /// length without force in m.
    pub fn spring_damper(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        stiffness: f64,
        damping: f64,
        free_length: f64,
    ) -> Called<SpringDamper<Named>> {
        let kind = SpringDamper {
            from: from.into(),
            to: to.into(),
            stiffness,
            damping,
            free_length,
            preload: 0.0,
        };
        Called::new(name, kind)
    }
}

impl Called<SpringDamper<Named>> {
    /// Sets the additional tension, N.
    pub fn preload(mut self, tension: f64) -> Self {
        self.kind.preload = tension;
        self
    }
}

impl ForceLaw for SpringDamper {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let line = Line::new(scene, &self.from, &self.to);
        // k d is kept apart: it needs no direction.
        let rest = line.rate * self.damping + (self.preload - self.stiffness * self.free_length);
        let pull = line.span.scale(self.stiffness) + line.direction.scale(rest);
        line.push(-pull, loads);
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let length = Line::length(scene, &self.from, &self.to);
        let spring = (length - self.free_length).square() * (0.5 * self.stiffness);
        Some(spring + length * self.preload)
    }

    fn tension_without_length(&self) -> f64 {
        self.preload - self.stiffness * self.free_length
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }
}
