//! Derivatives of explicit accelerations by the implicit function theorem.
//!
//! The accelerations are defined by M a − f = 0. With their values from articulated bodies of plain
//! numbers, δa = −M⁻¹ δ(M a − f), where the derivative on the right is that at constant a: recursive
//! Newton–Euler outwards with derivatives, then the sweeps of a solve with the plain articulated
//! inertias. In the sweep inwards both share one load: its value is the load that crosses the
//! joint, its derivatives are those of the load less what the joints beyond give way to, so that
//! carrying it to the parent adds the derivatives of the geometry by itself.

use super::aba::AbaNode;
use super::crba::size;
use super::rnea::RneaNode;
use crate::kinematics::freedom::by_kind;
use crate::tree::{Geometry, Tree};
use holonom_algebra::{Real, Twist};

/// a := derivatives of the accelerations M⁻¹(τ + f); their values are left for the caller.
///
/// `work` must hold the loads of the nodes for the accelerations, without those of other nodes
/// ([`rnea::loads`](super::rnea::loads)), and `factors` what [`aba`](super::aba::aba) leaves behind
/// with the `values` of the geometry.
pub fn slopes<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    values: &[Geometry<f64>],
    factors: &[AbaNode<f64>],
    tau: &[T],
    work: &mut [RneaNode<T>],
    a: &mut [T],
) {
    T::sweep(|| inward(tree, geometry, factors, tau, work, a));
    T::sweep(|| outward(tree, values, factors, work, a));
}

/// From tip to base: what is left for the joints, in `a`.
#[inline(always)]
fn inward<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    factors: &[AbaNode<f64>],
    tau: &[T],
    work: &mut [RneaNode<T>],
    a: &mut [T],
) {
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1).rev() {
        let (before, from) = work.split_at_mut(i);
        let (parent, load) = (&mut before[node.parent].load, &mut from[0].load);
        let factor = &factors[i];
        by_kind!(T, *node, *g, |r, p, f| {
            if node.prescribed.is_none() {
                let rest = &mut a[node.v..];
                f.project(load, rest);
                for k in 0..size::<T, _>(&f) {
                    rest[k] = tau[node.v + k] - rest[k];
                }
                if node.parent != 0 {
                    f.push(&factor.inertia, &factor.inverse, rest, load);
                }
            }
            if node.parent != 0 {
                load.add_to_parent(&r, p, parent);
            }
        });
    }
}

/// From base to tip: accelerations from what is left for the joints.
#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    values: &[Geometry<f64>],
    factors: &[AbaNode<f64>],
    work: &mut [RneaNode<T>],
    a: &mut [T],
) {
    work[0].acceleration = Twist::zero();
    for (i, (node, g)) in tree.nodes.iter().zip(values).enumerate().skip(1) {
        let (before, from) = work.split_at_mut(i);
        let (parent, acceleration) = (&before[node.parent].acceleration, &mut from[0].acceleration);
        let factor = &factors[i];
        by_kind!(f64, *node, *g, |r, p, f| {
            *acceleration = parent.to_child(&r, p);
            if node.prescribed.is_none() {
                let a = &mut a[node.v..];
                let mut rest = [T::zero(); 3];
                let n = size::<T, _>(&f);
                rest[..n].copy_from_slice(&a[..n]);
                f.respond(&factor.inertia, &factor.inverse, &rest, acceleration, a);
                f.add_motion(a, acceleration);
            }
        });
    }
}
