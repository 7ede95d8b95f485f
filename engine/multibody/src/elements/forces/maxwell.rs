//! Spring and damper in series between two points.

use super::{DescribedForce, ForceElement, ForceKind, ForceLaw, OwnState, Reach};
use crate::fields::{FROM, Field, Fields, TO};
use crate::description::Force;
use crate::elements::faults::Faults;
use crate::elements::references::{Attached, Named, References, Resolve, attached};
use crate::elements::scene::{Loads, Scene};
use crate::tree::Attachment;
use holonom_algebra::{Orientation, Real, Vec3};

/// Tension F = k (ℓ − ℓ₀ − d) along the line between two origins, with ℓ their distance and the
/// displacement d of the damper as state: ḋ = F/c. Fast motion finds a spring, slow motion a
/// damper; the time constant is c/k.
///
/// At ℓ = 0 the line has no direction and there is no force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Maxwell<R: References = Attached> {
    /// First end.
    pub from: R::Frame,
    /// Second end.
    pub to: R::Frame,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c > 0.
    pub damping: f64,
    /// Length ℓ₀ without force at d = 0.
    pub free_length: f64,
    /// d at the start.
    pub start: f64,
}

impl DescribedForce for Maxwell<Named> {
    const NAME: &str = "maxwell";
    const DOC: &str = "Spring and damper in series between the origins of two frames.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { from, to, stiffness, damping, free_length, start } = self;
        visitor.frame(&FROM, from);
        visitor.frame(&TO, to);
        let doc = "Stiffness of the spring.";
        visitor.number(&Field::required("stiffness", "N/m", doc), stiffness);
        let doc = "Damping coefficient; must be positive.";
        visitor.number(&Field::required("damping", "N s/m", doc), damping);
        let doc = "Length at zero force when the damper's displacement is zero.";
        visitor.number(&Field::required("free_length", "m", doc), free_length);
        let doc = "Initial displacement of the damper.";
        visitor.number(&Field::optional("start", "m", doc), start);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.finite_quantity("the stiffness", &[self.stiffness]);
        faults.positive_quantity("damping", "the damping", self.damping, "correct it");
        faults.finite_quantity("the free length", &[self.free_length]);
        faults.finite_quantity("the start displacement", &[self.start]);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        attached!(self, to, Maxwell { from: frame, to: frame, stiffness, damping, free_length, start })
    }
}


impl Maxwell {
    /// F and the direction from the first to the second end.
    fn tension<T: Real>(&self, scene: &Scene<T>, d: Vec3<T>) -> (T, Vec3<T>) {
        let square = d.norm_squared();
        let apart = square.value() >= f64::MIN_POSITIVE;
        // √ has no derivative at zero.
        let length = T::select(apart, square.sqrt(), T::zero());
        let inverse = T::select(apart, square.sqrt().recip(), T::zero());
        let stretch = length - self.free_length - scene.own[0];
        (stretch * self.stiffness, d.scale(inverse))
    }

    fn distance<T: Real>(&self, scene: &Scene<T>) -> Vec3<T> {
        let end = |at: &Attachment| {
            let node = &scene.world[at.node];
            node.position + node.rotation.times_constant(at.frame.position)
        };
        end(&self.to) - end(&self.from)
    }
}

/// Constructors.
impl Force {
    /// Spring and damper in series between the origins of two frames: stiffness in N/m, damping
    /// in N s/m, length without force at the start in m.
    pub fn maxwell(
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        stiffness: f64,
        damping: f64,
        free_length: f64,
    ) -> Self {
        let kind = ForceKind::Maxwell(Maxwell {
            from: from.into(),
            to: to.into(),
            stiffness,
            damping,
            free_length,
            start: 0.0,
        });
        Self::new(name, kind)
    }
}

impl ForceLaw for Maxwell {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let (a, b) = (scene.frame(&self.from), scene.frame(&self.to));
        let (tension, direction) = self.tension(scene, b.origin - a.origin);
        let pull = direction.scale(tension);
        loads.add(self.to.node, b.arm, -pull, Vec3::zero());
        loads.add(self.from.node, a.arm, pull, Vec3::zero());
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let (tension, _) = self.tension(scene, self.distance(scene));
        // A spring without stiffness stores nothing.
        let compliance = if self.stiffness > 0.0 { 0.5 / self.stiffness } else { 0.0 };
        Some(tension.square() * compliance)
    }

    fn reach(&self) -> Reach<'_> {
        Reach::Line(&self.from, &self.to)
    }

    fn states(&self) -> Vec<OwnState> {
        vec![OwnState::new(
            "displacement",
            "m",
            "displacement of the damper",
            self.start,
        )]
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let (tension, _) = self.tension(scene, self.distance(scene));
        out[0] = tension * (1.0 / self.damping);
    }
}
