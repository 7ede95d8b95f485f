//! Recursive Newton–Euler: the residual formalism, Arnold (3).
//!
//! Φ(q, v, a) = M a − f for given accelerations, in two sweeps: accelerations from base to tip,
//! forces from tip to base. Accelerations are those of points (second derivatives of position),
//! not spatial ones, so that linear velocities are not needed.

use crate::kinematics::freedom::{Freedom, by_kind};
use crate::tree::{Geometry, Tree};
use holonom_algebra::{Fused, Real, Rotation, Twist, Vec3, Wrench};

/// Memory of the recursion, one entry per node.
#[derive(Clone, Debug)]
pub struct RneaNode<T> {
    /// Angular velocity, node axes.
    pub omega: Vec3<T>,
    /// Angular acceleration and acceleration of the origin less gravity, node axes.
    pub acceleration: Twist<T>,
    /// Load that crosses the node from its parent: at the node's origin, node axes.
    pub load: Wrench<T>,
}

impl<T: Real> RneaNode<T> {
    /// At rest.
    pub fn zero() -> Self {
        Self {
            omega: Vec3::zero(),
            acceleration: Twist::zero(),
            load: Wrench::zero(),
        }
    }
}

/// tau := M a − f, with `applied` the external loads on the nodes (node origin, node axes).
///
/// The geometry must have been filled by [`positions`](crate::kinematics::positions::positions).
pub fn rnea<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    signals: &[[T; 3]],
    v: &[T],
    a: &[T],
    applied: Option<&[Wrench<T>]>,
    work: &mut [RneaNode<T>],
    tau: &mut [T],
) {
    loads(tree, geometry, signals, v, a, applied, work);
    collect(tree, geometry, work, tau);
}

/// The first half of [`rnea`]: what each node needs for its acceleration less what is applied.
pub fn loads<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    signals: &[[T; 3]],
    v: &[T],
    a: &[T],
    applied: Option<&[Wrench<T>]>,
    work: &mut [RneaNode<T>],
) {
    sweep(tree, geometry, signals, v, Some(a), Some(applied), work);
}

/// Sweeps accelerations from base to tip; without `a`, those that remain at v̇ = 0.
pub fn accelerations<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    signals: &[[T; 3]],
    v: &[T],
    a: Option<&[T]>,
    work: &mut [RneaNode<T>],
) {
    sweep(tree, geometry, signals, v, a, None, work);
}

/// From base to tip: accelerations and, if `loads`, what each body needs for them less what is
/// applied.
fn sweep<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    signals: &[[T; 3]],
    v: &[T],
    a: Option<&[T]>,
    loads: Option<Option<&[Wrench<T>]>>,
    work: &mut [RneaNode<T>],
) {
    T::sweep(|| outward(tree, geometry, signals, v, a, loads, work));
}

#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    signals: &[[T; 3]],
    v: &[T],
    a: Option<&[T]>,
    loads: Option<Option<&[Wrench<T>]>>,
    work: &mut [RneaNode<T>],
) {
    work[0].omega = Vec3::zero();
    work[0].acceleration = Twist::new(Vec3::zero(), -Vec3::constant(tree.gravity));
    let nothing = [T::zero(); 3];
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1) {
        let (rate, accel): (&[T], &[T]) = match (node.prescribed, a) {
            (Some(s), _) => (&signals[s][1..2], &signals[s][2..3]),
            (None, Some(a)) => (&v[node.v..], &a[node.v..]),
            (None, None) => (&v[node.v..], &nothing),
        };
        let (before, from) = work.split_at_mut(i);
        let (parent, w) = (&before[node.parent], &mut from[0]);
        by_kind!(T, *node, *g, |r, p, f| forward(&r, p, &f, parent, rate, accel, w));
        let Some(applied) = loads else { continue };
        if node.has_inertia {
            node.inertia.newton_euler(&w.omega, &w.acceleration, &mut w.load);
        } else {
            w.load = Wrench::zero();
        }
        if let Some(applied) = applied {
            w.load = w.load - applied[i];
        }
    }
}

/// Motion of a node from its parent's.
#[inline(always)]
fn forward<T, R: Rotation<T>, P: Copy, F: Freedom<T>>(
    r: &R,
    p: Vec3<P>,
    f: &F,
    parent: &RneaNode<T>,
    rate: &[T],
    accel: &[T],
    w: &mut RneaNode<T>,
) where
    T: Real + Fused<P>,
{
    w.omega = r.to_child(parent.omega);
    w.acceleration.angular = r.to_child(parent.acceleration.angular);
    w.acceleration.linear = r.to_child(carried(&parent.omega, &parent.acceleration, p));
    f.advance(rate, &mut w.omega, &mut w.acceleration);
    f.add_motion(accel, &mut w.acceleration);
}

/// Acceleration of the point at `p` of a frame.
#[inline(always)]
fn carried<T, P: Copy>(omega: &Vec3<T>, a: &Twist<T>, p: Vec3<P>) -> Vec3<T>
where
    T: Real + Fused<P>,
{
    T::outlined(|| T::carried(omega, a, p))
}

/// Sweeps loads from tip to base and projects them on the freedoms.
pub fn collect<T: Real>(tree: &Tree, geometry: &[Geometry<T>], work: &mut [RneaNode<T>], tau: &mut [T]) {
    T::sweep(|| {
        for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1).rev() {
            let (before, from) = work.split_at_mut(i);
            let (parent, load) = (&mut before[node.parent].load, &from[0].load);
            by_kind!(T, *node, *g, |r, p, f| {
                if node.prescribed.is_none() {
                    f.project(load, &mut tau[node.v..]);
                }
                if node.parent != 0 {
                    load.add_to_parent(&r, p, parent);
                }
            });
        }
    });
}
