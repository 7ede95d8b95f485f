//! Spring and damper between two points.

use super::{ForceInfo, ForceLaw};
use crate::description::include::same_force;
use crate::description::fields::{FROM, Field, Fields, TO};
use crate::description::ForceKind;
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use holonom_algebra::{Real, Vec3};

/// The entry of the registry.
pub(super) const FORCE: ForceInfo = ForceInfo {
    name: "spring-damper",
    doc: "Spring and damper between the origins of two frames.",
    in_files: true,
    template,
    fields,
    mirror: same_force,
};

fn template() -> ForceKind {
    ForceKind::SpringDamper {
        from: String::new(),
        to: String::new(),
        stiffness: 0.0,
        damping: 0.0,
        free_length: 0.0,
        preload: 0.0,
    }
}

fn fields(kind: &mut ForceKind, visitor: &mut dyn Fields) {
    let ForceKind::SpringDamper { from, to, stiffness, damping, free_length, preload } = kind else {
        return;
    };
    visitor.frame(&FROM, from);
    visitor.frame(&TO, to);
    visitor.number(&Field::required("stiffness", "N/m", "Stiffness of the spring."), stiffness);
    visitor.number(&Field::optional("damping", "N s/m", "Damping along the line between the ends."), damping);
    visitor.number(&Field::required("free_length", "m", "Length without force of the spring."), free_length);
    visitor.number(&Field::optional("preload", "N", "Tension that acts besides."), preload);
}

/// Tension k (ℓ − ℓ₀) + c ℓ̇ + F₀ along the line between two origins, with ℓ their distance.
///
/// At ℓ = 0 the line has no direction and there is no force; a spring with ℓ₀ = F₀ = 0 has the
/// right derivatives there, too.
#[derive(Clone, Debug)]
pub struct SpringDamper {
    /// First end.
    pub from: Attachment,
    /// Second end.
    pub to: Attachment,
    /// Stiffness k.
    pub stiffness: f64,
    /// Damping c.
    pub damping: f64,
    /// Length ℓ₀ without force of the spring.
    pub free_length: f64,
    /// Additional tension F₀.
    pub preload: f64,
}

/// ℓ and 1/ℓ; both zero when the ends coincide (√ has no derivative there).
fn length<T: Real>(d: Vec3<T>) -> (T, T) {
    let square = d.norm_squared();
    let apart = square.value() >= f64::MIN_POSITIVE;
    let length = square.sqrt();
    let zero = T::zero();
    (
        T::select(apart, length, zero),
        T::select(apart, length.recip(), zero),
    )
}

impl ForceLaw for SpringDamper {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        let (a, b) = (scene.frame(&self.from), scene.frame(&self.to));
        let d = b.origin - a.origin;
        let (_, inverse) = length(d);
        let direction = d.scale(inverse);
        let rate = direction.dot(b.velocity - a.velocity);
        // k d is kept apart: it needs no direction.
        let rest = rate * self.damping + (self.preload - self.stiffness * self.free_length);
        let pull = d.scale(self.stiffness) + direction.scale(rest);
        loads.add(self.to.node, b.arm, -pull, Vec3::zero());
        loads.add(self.from.node, a.arm, pull, Vec3::zero());
    }

    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        let end = |at: &Attachment| {
            let node = &scene.world[at.node];
            node.position + node.rotation.times(at.frame.position)
        };
        let (length, _) = length(end(&self.to) - end(&self.from));
        let spring = (length - self.free_length).square() * (0.5 * self.stiffness);
        Some(spring + length * self.preload)
    }

    fn quantities(&self) -> &'static [&'static str] {
        &["length", "tension"]
    }

    fn quantity<T: Real>(&self, number: usize, scene: &Scene<T>) -> T {
        let (a, b) = (scene.frame(&self.from), scene.frame(&self.to));
        let d = b.origin - a.origin;
        let (length, inverse) = length(d);
        if number == 0 {
            return length;
        }
        let rate = d.scale(inverse).dot(b.velocity - a.velocity);
        (length - self.free_length) * self.stiffness + rate * self.damping + self.preload
    }

    fn nodes(&self) -> [Option<usize>; 2] {
        [Some(self.from.node), Some(self.to.node)]
    }
}
