//! The articulated-body algorithm: explicit accelerations φ = M⁻¹f in O(N), Arnold (2).
//!
//! Three sweeps: velocities and bias terms out, articulated inertias and biases in,
//! accelerations out. [`factorise`] keeps what depends on positions only, so that further
//! right-hand sides cost two light sweeps ([`solve`]).

use crate::kinematics::freedom::{Freedom, by_kind};
use crate::tree::{Geometry, Tree};
use holonom_algebra::{Articulated, Fused, Inertia, Real, Rotation, Sym3, Twist, Vec3, Wrench};

/// Memory of the recursion, one entry per node.
#[derive(Clone, Debug)]
pub struct AbaNode<T> {
    /// Angular velocity, node axes.
    pub omega: Vec3<T>,
    /// Acceleration that remains when neither the parent nor the joint accelerates.
    pub bias: Twist<T>,
    /// Articulated bias load; on the way in, what of it the joint hands on.
    pub load: Wrench<T>,
    /// Articulated inertia; after the sweep in, the parts I S of it and what else the
    /// `Freedom` leaves.
    pub inertia: Articulated<T>,
    /// Whether the inertia of the node itself is in `inertia` already: it is put there only when
    /// the sweep in comes by, which spares one way through memory.
    begun: bool,
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
            inertia: Articulated::new(&Inertia::zero()),
            begun: false,
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
        w.begun = false;
        if node.has_inertia {
            node.inertia.gyroscopic(&w.omega, &mut w.load);
        } else {
            w.load = Wrench::zero();
        }
        if let Some(applied) = applied {
            w.load = w.load - applied[i];
        }
    }
    let mut room = Articulated::new(&Inertia::zero());
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1).rev() {
        let (before, from) = work.split_at_mut(i);
        let (parent, w) = (&mut before[node.parent], &mut from[0]);
        begin(w, &node.inertia);
        begin(parent, &tree.nodes[node.parent].inertia);
        by_kind!(held T, *node, *g, |r, p, f| {
            f.invert(&w.inertia, &mut w.inverse);
            rest(&f, &tau[node.v..], w);
            if node.parent != 0 {
                f.push(&w.inertia, &w.inverse, &w.rest, &mut w.load);
                let released = f.release(&mut w.inertia, &w.inverse, &mut room);
                f.add_bias_load(released, &w.bias, &mut w.load);
                w.load.add_to_parent(&r, p, &mut parent.load);
                f.carry(released, &r, p, &mut parent.inertia);
            }
        });
    }
    outward(tree, geometry, true, work, a);
}

/// Puts the inertia of the node itself in place, unless that has been done.
#[inline(always)]
fn begin<T: Real>(w: &mut AbaNode<T>, inertia: &Inertia) {
    if !w.begun {
        w.begun = true;
        w.inertia.set(inertia);
    }
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
    for w in work.iter_mut() {
        w.begun = false;
    }
    let mut room = Articulated::new(&Inertia::zero());
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1).rev() {
        let (before, from) = work.split_at_mut(i);
        let (parent, w) = (&mut before[node.parent], &mut from[0]);
        begin(w, &node.inertia);
        begin(parent, &tree.nodes[node.parent].inertia);
        by_kind!(held T, *node, *g, |r, p, f| {
            f.invert(&w.inertia, &mut w.inverse);
            if node.parent != 0 {
                let released = f.release(&mut w.inertia, &w.inverse, &mut room);
                f.carry(released, &r, p, &mut parent.inertia);
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
                f.push(&w.inertia, &w.inverse, &w.rest, &mut w.load);
                w.load.add_to_parent(&r, p, &mut parent.load);
            }
        });
    }
    outward(tree, geometry, false, work, a);
}
