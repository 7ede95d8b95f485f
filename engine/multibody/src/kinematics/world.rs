//! Motion of all nodes in the ground's axes: what force elements and constraints see.

use super::freedom::by_kind;
use crate::tree::{Geometry, Node, Tree};
use holonom_algebra::{Mat3, Orientation, Oriented, Real, Vec3};

/// Motion of a node, in the ground's axes. Position, velocity and acceleration are those of the
/// node's origin; gravity is not among the accelerations.
#[derive(Clone, Copy, Debug)]
pub struct WorldNode<T: Real> {
    /// Orientation; filled by [`world_positions`].
    pub rotation: T::Orientation,
    /// Position; filled by [`world_positions`].
    pub position: Vec3<T>,
    /// Angular velocity; filled by [`world_velocities`].
    pub omega: Vec3<T>,
    /// Velocity; filled by [`world_velocities`].
    pub velocity: Vec3<T>,
    /// Angular acceleration; filled by [`world_accelerations`].
    pub alpha: Vec3<T>,
    /// Acceleration; filled by [`world_accelerations`].
    pub acceleration: Vec3<T>,
}

impl<T: Real> WorldNode<T> {
    /// The ground.
    pub fn ground() -> Self {
        Self {
            rotation: T::Orientation::constant(&Mat3::identity()),
            position: Vec3::zero(),
            omega: Vec3::zero(),
            velocity: Vec3::zero(),
            alpha: Vec3::zero(),
            acceleration: Vec3::zero(),
        }
    }
}

/// Orientations and positions from base to tip.
pub fn world_positions<T: Real>(tree: &Tree, geometry: &[Geometry<T>], world: &mut [WorldNode<T>]) {
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1) {
        let (before, from) = world.split_at_mut(i);
        let (parent, w) = (&before[node.parent], &mut from[0]);
        by_kind!(T, *node, *g, |r, _p, _f| {
            w.rotation = Oriented::<T>::after(&r, &parent.rotation);
        });
        w.position = parent.position + turned_offset(node, g, &parent.rotation);
    }
}

/// The position of a node in its parent's frame, turned by `r`.
#[inline(always)]
pub(crate) fn turned_offset<T: Real>(node: &Node, g: &Geometry<T>, r: &T::Orientation) -> Vec3<T> {
    if node.kind.slides() {
        r.times(g.offset)
    } else {
        r.times_constant(node.placement.position)
    }
}

/// Angular and linear velocities from base to tip.
pub fn world_velocities<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    signals: &[[T; 3]],
    v: &[T],
    world: &mut [WorldNode<T>],
) {
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1) {
        let rate: &[T] = match node.prescribed {
            Some(s) => &signals[s][1..2],
            None => &v[node.v..],
        };
        let (before, from) = world.split_at_mut(i);
        let (parent, w) = (&before[node.parent], &mut from[0]);
        let arm = w.position - parent.position;
        w.omega = parent.omega;
        w.velocity = parent.velocity + parent.omega.cross(arm);
        // The joint's own motion is about the node's axes, at the node's origin.
        by_kind!(T, *node, *g, |_r, _p, f| {
            f.add_turned(rate, &w.rotation, &mut w.omega, &mut w.velocity);
        });
    }
}

/// Angular and linear accelerations from base to tip; without `a`, those that remain at v̇ = 0.
pub fn world_accelerations<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    signals: &[[T; 3]],
    v: &[T],
    a: Option<&[T]>,
    world: &mut [WorldNode<T>],
) {
    let nothing = [T::zero(); 3];
    for i in 1..tree.nodes.len() {
        let node = &tree.nodes[i];
        let (rate, accel): (&[T], &[T]) = match (node.prescribed, a) {
            (Some(s), _) => (&signals[s][1..2], &signals[s][2..3]),
            (None, Some(a)) => (&v[node.v..], &a[node.v..]),
            (None, None) => (&v[node.v..], &nothing),
        };
        let (rates, accels) = by_kind!(T, *node, geometry[i], |_r, _p, f| (
            f.motion(rate),
            f.motion(accel)
        ));
        let (before, from) = world.split_at_mut(i);
        let (parent, w) = (&before[node.parent], &mut from[0]);
        let arm = w.position - parent.position;
        let (spin, slide) = (w.rotation.times(rates.angular), w.rotation.times(rates.linear));
        let o = parent.omega;
        w.alpha = parent.alpha + w.rotation.times(accels.angular) + o.cross(spin);
        w.acceleration = parent.acceleration
            + parent.alpha.cross(arm)
            + o.cross(o.cross(arm))
            + o.cross(slide).scale(2.0)
            + w.rotation.times(accels.linear);
    }
}
