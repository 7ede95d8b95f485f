//! Rotations from a child frame to its parent that know their own zeros.
//!
//! The recursions are written once over the trait [`Rotation`]; a joint that turns about a
//! coordinate axis in a frame parallel to its parent's uses [`AxisRotation`] (4 products per
//! vector instead of 9), one that only slides [`NoRotation`]. A rotation of plain numbers turns
//! what carries derivatives too.

use crate::{Articulated, Fused, Mat3, PlaneTurn, Real, Sym3, Vec3};

/// A rotation R from child to parent components: x_parent = R x_child.
pub trait Rotation<T: Real>: Copy {
    /// R v.
    fn to_parent(&self, v: Vec3<T>) -> Vec3<T>;
    /// Rᵀ v.
    fn to_child(&self, v: Vec3<T>) -> Vec3<T>;
    /// R S Rᵀ.
    fn symmetric_to_parent(&self, s: &Sym3<T>) -> Sym3<T>;
    /// R A Rᵀ.
    fn matrix_to_parent(&self, a: &Mat3<T>) -> Mat3<T>;
    /// Adds the articulated inertia `i` of a child to that of its parent, in whose frame the
    /// child's origin is at `p`.
    #[inline(always)]
    fn add_inertia<P: Copy>(&self, i: &Articulated<T>, p: Vec3<P>, parent: &mut Articulated<T>)
    where
        T: Fused<P>,
    {
        let turned = Articulated {
            mass: self.symmetric_to_parent(&i.mass),
            coupling: self.matrix_to_parent(&i.coupling),
            inertia: self.symmetric_to_parent(&i.inertia),
        };
        parent.add_shifted(&turned, p);
    }
    /// [`add_inertia`](Self::add_inertia) of one from which the turn about axis `A` has been
    /// [released](Articulated::release_turn). A rotation about one axis is about this one.
    #[inline(always)]
    fn add_released<P: Copy, const A: usize>(
        &self,
        i: &Articulated<T>,
        p: Vec3<P>,
        parent: &mut Articulated<T>,
    ) where
        T: Fused<P>,
    {
        self.add_inertia(&i.without_turn::<A>(), p, parent);
    }
}

impl<T: Real, R: Rotation<T>> Rotation<T> for &R {
    #[inline(always)]
    fn to_parent(&self, v: Vec3<T>) -> Vec3<T> {
        (*self).to_parent(v)
    }
    #[inline(always)]
    fn to_child(&self, v: Vec3<T>) -> Vec3<T> {
        (*self).to_child(v)
    }
    #[inline(always)]
    fn symmetric_to_parent(&self, s: &Sym3<T>) -> Sym3<T> {
        (*self).symmetric_to_parent(s)
    }
    #[inline(always)]
    fn matrix_to_parent(&self, a: &Mat3<T>) -> Mat3<T> {
        (*self).matrix_to_parent(a)
    }
    #[inline(always)]
    fn add_inertia<P: Copy>(&self, i: &Articulated<T>, p: Vec3<P>, parent: &mut Articulated<T>)
    where
        T: Fused<P>,
    {
        (*self).add_inertia(i, p, parent);
    }
    #[inline(always)]
    fn add_released<P: Copy, const A: usize>(
        &self,
        i: &Articulated<T>,
        p: Vec3<P>,
        parent: &mut Articulated<T>,
    ) where
        T: Fused<P>,
    {
        (*self).add_released::<P, A>(i, p, parent);
    }
}

/// Parallel frames.
#[derive(Clone, Copy, Debug)]
pub struct NoRotation;

impl<T: Real> Rotation<T> for NoRotation {
    #[inline(always)]
    fn to_parent(&self, v: Vec3<T>) -> Vec3<T> {
        v
    }
    #[inline(always)]
    fn to_child(&self, v: Vec3<T>) -> Vec3<T> {
        v
    }
    #[inline]
    fn symmetric_to_parent(&self, s: &Sym3<T>) -> Sym3<T> {
        *s
    }
    #[inline]
    fn matrix_to_parent(&self, a: &Mat3<T>) -> Mat3<T> {
        *a
    }
    #[inline(always)]
    fn add_inertia<P: Copy>(&self, i: &Articulated<T>, p: Vec3<P>, parent: &mut Articulated<T>)
    where
        T: Fused<P>,
    {
        parent.add_shifted(i, p);
    }
}

/// A turn about coordinate axis `A`.
#[derive(Clone, Copy, Debug)]
pub struct AxisRotation<U, const A: usize>(pub U);

impl<U, const A: usize> AxisRotation<U, A> {
    const B: usize = (A + 1) % 3;
    const C: usize = (A + 2) % 3;
}

impl<T: Real + Fused<U::Part>, U: PlaneTurn<T>, const A: usize> Rotation<T> for AxisRotation<U, A> {
    #[inline(always)]
    fn to_parent(&self, v: Vec3<T>) -> Vec3<T> {
        let mut r = v;
        [r[Self::B], r[Self::C]] = self.0.forward(v[Self::B], v[Self::C]);
        r
    }
    #[inline(always)]
    fn to_child(&self, v: Vec3<T>) -> Vec3<T> {
        let mut r = v;
        [r[Self::B], r[Self::C]] = self.0.back(v[Self::B], v[Self::C]);
        r
    }
    #[inline]
    fn symmetric_to_parent(&self, m: &Sym3<T>) -> Sym3<T> {
        // In the plane of B and C: with δ = s (c (m_bb − m_cc) ...) the trace stays.
        let (s, c) = (self.0.sin(), self.0.cos());
        let (bb, cc) = (m.0[Self::B], m.0[Self::C]);
        // Entry 3 + a joins a and a + 1: (A,B) at 3 + A, (B,C) at 3 + B, (C,A) at 3 + C.
        let (ab, bc, ca) = (m.0[3 + A], m.0[3 + Self::B], m.0[3 + Self::C]);
        let x = ((bb - cc) * s).plus_product(bc + bc, c); // 2 × shear turned half-way
        let mut r = *m;
        r.0[Self::B] = bb.minus_product(x, s);
        r.0[Self::C] = cc.plus_product(x, s);
        r.0[3 + Self::B] = x * c - bc;
        r.0[3 + A] = (ab * c).minus_product(ca, s);
        r.0[3 + Self::C] = (ab * s).plus_product(ca, c);
        r
    }
    #[inline]
    fn matrix_to_parent(&self, m: &Mat3<T>) -> Mat3<T> {
        let (b, d) = (Self::B, Self::C);
        let mut r = *m;
        for i in 0..3 {
            [r.0[i][b], r.0[i][d]] = self.0.forward(m.0[i][b], m.0[i][d]);
        }
        for j in 0..3 {
            [r.0[b][j], r.0[d][j]] = self.0.forward(r.0[b][j], r.0[d][j]);
        }
        r
    }
    #[inline(always)]
    fn add_released<Q: Copy, const B: usize>(
        &self,
        i: &Articulated<T>,
        p: Vec3<Q>,
        parent: &mut Articulated<T>,
    ) where
        T: Fused<Q>,
    {
        debug_assert_eq!(A, B, "turns about its own axis");
        parent.add_without_turn(i, self, p);
    }
}

/// Any rotation, as a matrix.
impl<T: Real + Fused<P>, P: Copy> Rotation<T> for Mat3<P> {
    #[inline(always)]
    fn to_parent(&self, v: Vec3<T>) -> Vec3<T> {
        let m = &self.0;
        Vec3::from_fn(|i| v.dot(Vec3(m[i])))
    }
    #[inline(always)]
    fn to_child(&self, v: Vec3<T>) -> Vec3<T> {
        let m = &self.0;
        Vec3::from_fn(|j| v.dot(Vec3([m[0][j], m[1][j], m[2][j]])))
    }
    #[inline]
    fn symmetric_to_parent(&self, s: &Sym3<T>) -> Sym3<T> {
        s.rotated(self)
    }
    #[inline]
    fn matrix_to_parent(&self, a: &Mat3<T>) -> Mat3<T> {
        let turned = a.premultiplied(self);
        let row = |i: usize| Rotation::to_parent(self, Vec3(turned.0[i])).0;
        Mat3([row(0), row(1), row(2)])
    }
}
