//! The line between the origins of two frames.

use crate::elements::scene::{Loads, Scene};
use crate::tree::Attachment;
use holonom_algebra::{Orientation, Real, Vec3};

/// ℓ and 1/ℓ; both zero when the ends coincide (√ has no derivative there).
#[inline]
pub(super) fn length<T: Real>(d: Vec3<T>) -> (T, T) {
    let square = d.norm_squared();
    let apart = square.value() >= f64::MIN_POSITIVE;
    let length = square.sqrt();
    let zero = T::zero();
    (
        T::select(apart, length, zero),
        T::select(apart, length.recip(), zero),
    )
}

/// From the first origin to the second, and how the distance changes.
pub(super) struct Line<T> {
    from: (usize, Vec3<T>),
    to: (usize, Vec3<T>),
    /// From the first origin to the second.
    pub span: Vec3<T>,
    /// Distance.
    pub length: T,
    /// Unit vector from the first origin to the second, zero where they coincide.
    pub direction: Vec3<T>,
    /// Rate of the distance.
    pub rate: T,
}

impl<T: Real> Line<T> {
    /// The line between two frames.
    #[inline]
    pub fn new(scene: &Scene<T>, from: &Attachment, to: &Attachment) -> Self {
        let (a, b) = (scene.frame(from), scene.frame(to));
        let span = b.origin - a.origin;
        let (length, inverse) = length(span);
        let direction = span.scale(inverse);
        Self {
            from: (from.node, a.arm),
            to: (to.node, b.arm),
            span,
            length,
            direction,
            rate: direction.dot(b.velocity - a.velocity),
        }
    }

    /// Adds a force on the second frame and its opposite on the first.
    #[inline]
    pub fn push(&self, force: Vec3<T>, loads: &mut Loads<T>) {
        loads.add(self.to.0, self.to.1, force, Vec3::zero());
        loads.add(self.from.0, self.from.1, -force, Vec3::zero());
    }

    /// The distance alone.
    #[inline]
    pub fn length(scene: &Scene<T>, from: &Attachment, to: &Attachment) -> T {
        let end = |at: &Attachment| {
            let node = &scene.world[at.node];
            node.position + node.rotation.times_constant(at.frame.position)
        };
        length(end(to) - end(from)).0
    }
}
