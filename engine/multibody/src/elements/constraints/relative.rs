//! The motion of one frame seen from another, as far as it is asked for.

use crate::elements::scene::{Loads, Scene};
use crate::kinematics::world::WorldNode;
use crate::tree::Attachment;
use holonom_algebra::{Orientation, Real, Twist, Vec3, Wrench};

/// The second frame (`to`) seen from the first (`from`), components in the ground's axes.
///
/// Derivatives here are those an observer on the first frame sees. Rows are scalars, so they do
/// not depend on the observer, and for this one the axes of the first frame stand still.
pub struct Relative<'a, T: Real> {
    from: &'a Attachment,
    to: &'a Attachment,
    from_node: &'a WorldNode<T>,
    to_node: &'a WorldNode<T>,
    /// From the origin of the first side's node to the second frame's origin.
    from_arm: Vec3<T>,
    /// From the origin of the second side's node to the second frame's origin.
    to_arm: Vec3<T>,
    /// From the first frame's origin to the second's.
    pub distance: Vec3<T>,
}

impl<'a, T: Real> Relative<'a, T> {
    /// Looks at two frames.
    #[inline]
    pub fn new(scene: &Scene<'a, T>, from: &'a Attachment, to: &'a Attachment) -> Self {
        let (from_node, to_node) = (&scene.world[from.node], &scene.world[to.node]);
        let to_arm = to_node.rotation.times_constant(to.frame.position);
        let from_arm = to_node.position + to_arm - from_node.position;
        let distance = from_arm - from_node.rotation.times_constant(from.frame.position);
        Self {
            from,
            to,
            from_node,
            to_node,
            from_arm,
            to_arm,
            distance,
        }
    }

    /// Orientation of the first frame.
    #[inline]
    pub fn first_axes(&self) -> T::Orientation {
        self.from_node.rotation.then_constant(&self.from.frame.rotation)
    }

    /// Orientation of the second frame.
    #[inline]
    pub fn second_axes(&self) -> T::Orientation {
        self.to_node.rotation.then_constant(&self.to.frame.rotation)
    }

    /// Axis `k` of the first frame.
    #[inline]
    pub fn first_axis(&self, k: usize) -> Vec3<T> {
        self.from_node
            .rotation
            .times_constant(self.from.frame.rotation.column(k))
    }

    /// Axis `k` of the second frame.
    #[inline]
    pub fn second_axis(&self, k: usize) -> Vec3<T> {
        self.to_node
            .rotation
            .times_constant(self.to.frame.rotation.column(k))
    }

    /// Origin of the second frame in the ground's frame.
    #[inline]
    pub fn point(&self) -> Vec3<T> {
        self.to_node.position + self.to_arm
    }

    /// Velocity: w = ω_to − ω_from and u, the velocity of the second origin.
    #[inline]
    pub fn velocity(&self) -> Twist<T> {
        let (a, b) = (self.from_node, self.to_node);
        let u = b.velocity + b.omega.cross(self.to_arm) - a.velocity - a.omega.cross(self.from_arm);
        Twist::new(b.omega - a.omega, u)
    }

    /// Acceleration: the derivatives of w and u that the first frame sees.
    #[inline]
    pub fn acceleration(&self, velocity: &Twist<T>) -> Twist<T> {
        let (a, b) = (self.from_node, self.to_node);
        // Euler, centripetal and Coriolis terms of the observer; ẇ is turned by ω_from as well.
        let coriolis = a.omega.cross(velocity.linear).scale(2.0);
        let linear = carried(b, self.to_arm) - carried(a, self.from_arm) - coriolis;
        let angular = b.alpha - a.alpha - a.omega.cross(velocity.angular);
        Twist::new(angular, linear)
    }

    /// Adds a load at the second origin to the second side and its opposite, at the same point,
    /// to the first.
    #[inline]
    pub fn add_load(&self, load: &Wrench<T>, loads: &mut Loads<T>) {
        loads.add(self.to.node, self.to_arm, load.force, load.moment);
        loads.add(self.from.node, self.from_arm, -load.force, -load.moment);
    }
}

/// Acceleration of the point of a node `arm` away from its origin.
#[inline]
fn carried<T: Real>(node: &WorldNode<T>, arm: Vec3<T>) -> Vec3<T> {
    node.acceleration + node.alpha.cross(arm) + node.omega.cross(node.omega.cross(arm))
}
