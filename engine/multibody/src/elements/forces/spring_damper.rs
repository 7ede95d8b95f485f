//! Spring and damper between two points.

use super::ForceLaw;
use crate::elements::scene::{Loads, Scene};
use crate::model::Attachment;
use holonom_algebra::{Real, Vec3};

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

    fn nodes(&self) -> [Option<usize>; 2] {
        [Some(self.from.node), Some(self.to.node)]
    }
}
