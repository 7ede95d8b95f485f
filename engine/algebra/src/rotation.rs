//! Rotations from a child frame to its parent that know their own zeros.
//!
//! The recursions are written once over the trait [`Rotation`]; a joint that turns about a
//! coordinate axis in a frame parallel to its parent's uses [`AxisRotation`] (4 products per
//! vector instead of 9), one that only slides [`NoRotation`].

use crate::{Articulated, Fused, Mat3, Real, Sym3, Vec3};

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
    /// `a` · R: the rotation from the child to where `a` leads from the parent.
    fn after(&self, a: &Mat3<T>) -> Mat3<T>;
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
    fn after(&self, a: &Mat3<T>) -> Mat3<T> {
        (*self).after(a)
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
    #[inline]
    fn after(&self, a: &Mat3<T>) -> Mat3<T> {
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

/// A turn about coordinate axis `A`, given by sine and cosine.
#[derive(Clone, Copy, Debug)]
pub struct AxisRotation<T, const A: usize> {
    /// Sine of the angle.
    pub sin: T,
    /// Cosine of the angle.
    pub cos: T,
}

impl<T: Real, const A: usize> AxisRotation<T, A> {
    const B: usize = (A + 1) % 3;
    const C: usize = (A + 2) % 3;
}

impl<T: Real, const A: usize> Rotation<T> for AxisRotation<T, A> {
    #[inline(always)]
    fn to_parent(&self, v: Vec3<T>) -> Vec3<T> {
        let (b, c) = (v[Self::B], v[Self::C]);
        let mut r = v;
        r[Self::B] = (self.cos * b).minus_product(self.sin, c);
        r[Self::C] = (self.sin * b).plus_product(self.cos, c);
        r
    }
    #[inline(always)]
    fn to_child(&self, v: Vec3<T>) -> Vec3<T> {
        let (b, c) = (v[Self::B], v[Self::C]);
        let mut r = v;
        r[Self::B] = (self.cos * b).plus_product(self.sin, c);
        r[Self::C] = (self.cos * c).minus_product(self.sin, b);
        r
    }
    #[inline]
    fn symmetric_to_parent(&self, m: &Sym3<T>) -> Sym3<T> {
        // In the plane of B and C: with δ = s (c (m_bb − m_cc) ...) the trace stays.
        let (s, c) = (self.sin, self.cos);
        let (bb, cc) = (m.0[Self::B], m.0[Self::C]);
        // Entry 3 + a joins a and a + 1: (A,B) at 3 + A, (B,C) at 3 + B, (C,A) at 3 + C.
        let (ab, bc, ca) = (m.0[3 + A], m.0[3 + Self::B], m.0[3 + Self::C]);
        let x = (s * (bb - cc)).plus_product(c + c, bc); // 2 × shear turned half-way
        let mut r = *m;
        r.0[Self::B] = bb.minus_product(s, x);
        r.0[Self::C] = cc.plus_product(s, x);
        r.0[3 + Self::B] = (c * x) - bc;
        r.0[3 + A] = (c * ab).minus_product(s, ca);
        r.0[3 + Self::C] = (s * ab).plus_product(c, ca);
        r
    }
    #[inline]
    fn matrix_to_parent(&self, m: &Mat3<T>) -> Mat3<T> {
        let (s, c, b, d) = (self.sin, self.cos, Self::B, Self::C);
        let mut r = *m;
        for i in 0..3 {
            let (x, y) = (m.0[i][b], m.0[i][d]);
            r.0[i][b] = (c * x).minus_product(s, y);
            r.0[i][d] = (s * x).plus_product(c, y);
        }
        for j in 0..3 {
            let (x, y) = (r.0[b][j], r.0[d][j]);
            r.0[b][j] = (c * x).minus_product(s, y);
            r.0[d][j] = (s * x).plus_product(c, y);
        }
        r
    }
    #[inline]
    fn after(&self, m: &Mat3<T>) -> Mat3<T> {
        let (s, c, b, d) = (self.sin, self.cos, Self::B, Self::C);
        let mut r = *m;
        for i in 0..3 {
            let (x, y) = (m.0[i][b], m.0[i][d]);
            r.0[i][b] = (c * x).plus_product(s, y);
            r.0[i][d] = (c * y).minus_product(s, x);
        }
        r
    }
    #[inline(always)]
    fn add_released<P: Copy, const B: usize>(
        &self,
        i: &Articulated<T>,
        p: Vec3<P>,
        parent: &mut Articulated<T>,
    ) where
        T: Fused<P>,
    {
        debug_assert_eq!(A, B, "turns about its own axis");
        parent.add_without_turn(i, self, p);
    }
}

/// Any rotation, as a matrix.
impl<T: Real> Rotation<T> for Mat3<T> {
    #[inline(always)]
    fn to_parent(&self, v: Vec3<T>) -> Vec3<T> {
        self.times(v)
    }
    #[inline(always)]
    fn to_child(&self, v: Vec3<T>) -> Vec3<T> {
        self.transpose_times(v)
    }
    #[inline]
    fn symmetric_to_parent(&self, s: &Sym3<T>) -> Sym3<T> {
        s.rotated(self)
    }
    #[inline]
    fn matrix_to_parent(&self, a: &Mat3<T>) -> Mat3<T> {
        self.matrix(a).matrix(&self.transpose())
    }
    #[inline]
    fn after(&self, a: &Mat3<T>) -> Mat3<T> {
        a.matrix(self)
    }
}
