//! The articulated-body algorithm: explicit accelerations φ = M⁻¹f in O(N), Arnold (2).
//!
//! Three sweeps: velocities and bias terms out, articulated inertias and biases in,
//! accelerations out. [`factorise`] keeps what depends on positions only, so that further
//! right-hand sides cost two light sweeps ([`solve`]).

use super::freedom::{Freedom, by_kind};
use crate::tree::{Geometry, Tree};
use holonom_algebra::{Articulated, Fused, Real, Rotation, Sym3, Twist, Vec3, Wrench};

/// Memory of the recursion, one entry per node.
#[derive(Clone, Debug)]
pub struct AbaNode<T> {
    /// Angular velocity, node axes.
    pub omega: Vec3<T>,
    /// Acceleration that remains when neither the parent nor the joint accelerates.
    pub bias: Twist<T>,
    /// Articulated bias load.
    pub load: Wrench<T>,
    /// Articulated inertia, before the node's own freedom is released.
    pub inertia: Articulated<T>,
    /// (Sᵀ I S)⁻¹; the first entry of it for a single freedom.
    pub inverse: Sym3<T>,
    /// Generalised force left for the joint, τ − Sᵀ p.
    pub rest: [T; 3],
    /// Acceleration.
    pub acceleration: Twist<T>,
}

impl<T: Real> AbaNode<T> {
    /// Before the first sweep.
    pub fn zero() -> Self {
        Self {
            omega: Vec3::zero(),
            bias: Twist::zero(),
            load: Wrench::zero(),
            inertia: Articulated::new(&holonom_algebra::Inertia::zero()),
            inverse: Sym3::zero(),
            rest: [T::zero(); 3],
            acceleration: Twist::zero(),
        }
    }
}

/// a := M⁻¹(τ + f): accelerations for generalised forces `tau` besides gravity, gyroscopic and
/// `applied` loads. The geometry must have been filled.
///
/// Entries of `a` are not finite when the mass matrix is singular.
pub fn aba<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    signals: &[[T; 3]],
    v: &[T],
    tau: &[T],
    applied: Option<&[Wrench<T>]>,
    work: &mut [AbaNode<T>],
    a: &mut [T],
) {
    work[0].omega = Vec3::zero();
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1) {
        let prescribed = node.prescribed.map(|s| &signals[s]);
        let rate: &[T] = match prescribed {
            Some(s) => &s[1..2],
            None => &v[node.v..],
        };
        let (before, from) = work.split_at_mut(i);
        let (parent, w) = (&before[node.parent], &mut from[0]);
        by_kind!(T, *node, *g, |r, p, f| {
            w.omega = r.to_child(parent.omega);
            w.bias.angular = Vec3::zero();
            w.bias.linear = r.to_child(centripetal(&parent.omega, p));
            f.advance(rate, &mut w.omega, &mut w.bias);
            if let Some(s) = prescribed {
                f.add_motion(&s[2..3], &mut w.bias);
            }
        });
        w.inertia.set(&node.inertia);
        if node.has_inertia {
            node.inertia.gyroscopic(&w.omega, &mut w.load);
        } else {
            w.load = Wrench::zero();
        }
        if let Some(applied) = applied {
            w.load = w.load - applied[i];
        }
    }
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1).rev() {
        let (before, from) = work.split_at_mut(i);
        let (parent, w) = (&mut before[node.parent], &mut from[0]);
        by_kind!(held T, *node, *g, |r, p, f| {
            let released = f.release(&w.inertia, &mut w.inverse);
            rest(&f, &tau[node.v..], w);
            if node.parent != 0 {
                let mut load = f.bias_load(&released, &w.bias);
                load += w.load;
                f.push(&w.inertia, &w.inverse, &w.rest, &mut load);
                load.add_to_parent(&r, p, &mut parent.load);
                parent.inertia += f.carry(&released, &r, p);
            }
        });
    }
    outward(tree, geometry, true, work, a);
}

/// ω × (ω × p).
#[inline(always)]
fn centripetal<T, P: Copy>(omega: &Vec3<T>, p: Vec3<P>) -> Vec3<T>
where
    T: Real + Fused<P>,
{
    T::outlined(|| omega.cross(omega.cross(p)))
}

/// τ − Sᵀ p.
#[inline(always)]
fn rest<T: Real, F: Freedom<T>>(f: &F, tau: &[T], w: &mut AbaNode<T>) {
    f.project(&w.load, &mut w.rest);
    for k in 0..F::N {
        w.rest[k] = tau[k] - w.rest[k];
    }
}

/// Accelerations from base to tip; with `moving`, gravity and the bias terms act.
fn outward<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    moving: bool,
    work: &mut [AbaNode<T>],
    a: &mut [T],
) {
    work[0].acceleration = if moving {
        Twist::new(Vec3::zero(), -Vec3::constant(tree.gravity))
    } else {
        Twist::zero()
    };
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1) {
        let (before, from) = work.split_at_mut(i);
        let (parent, w) = (&before[node.parent], &mut from[0]);
        by_kind!(held T, *node, *g, |r, p, f| {
            let mut acc = parent.acceleration.to_child(&r, p);
            if moving {
                acc += w.bias;
            }
            let a = &mut a[node.v..];
            f.respond(&w.inertia, &w.inverse, &w.rest, &acc, a);
            f.add_motion(a, &mut acc);
            w.acceleration = acc;
        });
    }
}

/// Fills what [`solve`] needs: articulated inertias of the present geometry.
pub fn factorise<T: Real>(tree: &Tree, geometry: &[Geometry<T>], work: &mut [AbaNode<T>]) {
    for (w, node) in work.iter_mut().zip(&tree.nodes).skip(1) {
        w.inertia.set(&node.inertia);
    }
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1).rev() {
        let (before, from) = work.split_at_mut(i);
        let (parent, w) = (&mut before[node.parent], &mut from[0]);
        by_kind!(held T, *node, *g, |r, p, f| {
            let released = f.release(&w.inertia, &mut w.inverse);
            if node.parent != 0 {
                parent.inertia += f.carry(&released, &r, p);
            }
        });
    }
}

/// a := M⁻¹(tau + Σ Jᵀ loads) after [`factorise`]; nothing moves, there is no gravity.
pub fn solve<T: Real>(
    tree: &Tree,
    geometry: &[Geometry<T>],
    tau: &[T],
    loads: Option<&[Wrench<T>]>,
    work: &mut [AbaNode<T>],
    a: &mut [T],
) {
    for (i, w) in work.iter_mut().enumerate().skip(1) {
        w.load = loads.map_or(Wrench::zero(), |l| -l[i]);
    }
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1).rev() {
        let (before, from) = work.split_at_mut(i);
        let (parent, w) = (&mut before[node.parent], &mut from[0]);
        by_kind!(held T, *node, *g, |r, p, f| {
            rest(&f, &tau[node.v..], w);
            if node.parent != 0 {
                let mut load = w.load;
                f.push(&w.inertia, &w.inverse, &w.rest, &mut load);
                load.add_to_parent(&r, p, &mut parent.load);
            }
        });
    }
    outward(tree, geometry, false, work, a);
}
