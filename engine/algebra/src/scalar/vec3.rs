//! Vectors and matrices of three dimensions on plain arrays, generic over the scalar.
//!
//! The right operand of a product may be any type the scalar can be multiplied by, `f64` among
//! them, so that constants of a model cost no derivatives.

use crate::{Fused, Real};
use core::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

/// A vector of three components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3<T>(pub [T; 3]);

impl<T: Real> Vec3<T> {
    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([T::zero(); 3])
    }

    /// From components.
    #[inline(always)]
    pub fn new(x: T, y: T, z: T) -> Self {
        Self([x, y, z])
    }

    /// From a function of the number of the component.
    ///
    /// (`map` on arrays of long scalars is not inlined, and copies.)
    #[inline(always)]
    pub fn from_fn(f: impl Fn(usize) -> T) -> Self {
        Self([f(0), f(1), f(2)])
    }

    /// A constant vector.
    #[inline(always)]
    pub fn constant(v: Vec3<f64>) -> Self {
        Self::from_fn(|i| T::constant(v.0[i]))
    }

    /// The unit vector along axis `a`.
    #[inline(always)]
    pub fn unit(a: usize) -> Self {
        let mut e = Self::zero();
        e.0[a] = T::one();
        e
    }

    /// The values without derivatives.
    #[inline(always)]
    pub fn value(self) -> Vec3<f64> {
        Vec3([self.0[0].value(), self.0[1].value(), self.0[2].value()])
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot<P: Copy>(self, o: Vec3<P>) -> T
    where
        T: Fused<P>,
    {
        (self.0[0] * o.0[0])
            .plus_product(self.0[1], o.0[1])
            .plus_product(self.0[2], o.0[2])
    }

    /// Vector product self × o.
    #[inline(always)]
    pub fn cross<P: Copy>(self, o: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([
            (b * z).minus_product(c, y),
            (c * x).minus_product(a, z),
            (a * y).minus_product(b, x),
        ])
    }

    /// self + a × b.
    #[inline(always)]
    pub fn plus_cross<P: Copy>(self, a: Self, b: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        let ([s, t, u], [a, b, c], [x, y, z]) = (self.0, a.0, b.0);
        Self([
            s.plus_product(b, z).minus_product(c, y),
            t.plus_product(c, x).minus_product(a, z),
            u.plus_product(a, y).minus_product(b, x),
        ])
    }

    /// self − a × b.
    #[inline(always)]
    pub fn minus_cross<P: Copy>(self, a: Self, b: Vec3<P>) -> Self
    where
        T: Fused<P>,
    {
        let ([s, t, u], [a, b, c], [x, y, z]) = (self.0, a.0, b.0);
        Self([
            s.minus_product(b, z).plus_product(c, y),
            t.minus_product(c, x).plus_product(a, z),
            u.minus_product(a, y).plus_product(b, x),
        ])
    }

    /// self + a k.
    #[inline(always)]
    pub fn plus_scaled<P: Copy>(self, a: Self, k: P) -> Self
    where
        T: Fused<P>,
    {
        Self::from_fn(|i| self.0[i].plus_product(a.0[i], k))
    }

    /// The unit vector of axis `a` × self.
    #[inline(always)]
    pub fn crossed_by_unit(self, a: usize) -> Self {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        let mut r = Self::zero();
        r.0[b] = -self.0[c];
        r.0[c] = self.0[b];
        r
    }

    /// Scaled by `k`.
    #[inline(always)]
    pub fn scale<P: Copy>(self, k: P) -> Self
    where
        T: Fused<P>,
    {
        Self::from_fn(|i| self.0[i] * k)
    }

    /// Adds a constant vector.
    #[inline(always)]
    pub fn add_f64(self, o: Vec3<f64>) -> Self {
        Self([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2]])
    }

    /// Square of the length.
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.dot(self)
    }

    /// Length.
    #[inline(always)]
    pub fn norm(self) -> T {
        self.norm_squared().sqrt()
    }
}

impl Vec3<f64> {
    /// The direction of the vector; none when it is zero or not finite.
    pub fn normalised(self) -> Option<Self> {
        let n = self.norm();
        (n > 0.0 && n.is_finite()).then(|| self.scale(1.0 / n))
    }

    /// A unit vector at a right angle to this one.
    pub fn perpendicular(self) -> Self {
        let [x, y, z] = self.0.map(f64::abs);
        let a = if x <= y && x <= z {
            0
        } else if y <= z {
            1
        } else {
            2
        };
        self.cross(Self::unit(a))
            .normalised()
            .unwrap_or(Self([1.0, 0.0, 0.0]))
    }
}

impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        &self.0[i]
    }
}

impl<T> IndexMut<usize> for Vec3<T> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.0[i]
    }
}

impl<T: Real> Add for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2]])
    }
}

impl<T: Real> Sub for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self([self.0[0] - o.0[0], self.0[1] - o.0[1], self.0[2] - o.0[2]])
    }
}

impl<T: Real> Neg for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::from_fn(|i| -self.0[i])
    }
}

impl<T: Real> AddAssign for Vec3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Real> SubAssign for Vec3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

/// A 3×3 matrix, row by row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat3<T>(pub [[T; 3]; 3]);

impl<T: Real> Mat3<T> {
    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([[T::zero(); 3]; 3])
    }

    /// The identity.
    #[inline(always)]
    pub fn identity() -> Self {
        let (o, z) = (T::one(), T::zero());
        Self([[o, z, z], [z, o, z], [z, z, o]])
    }

    /// A constant matrix.
    #[inline(always)]
    pub fn constant(m: &Mat3<f64>) -> Self {
        let row = |i: usize| Vec3::constant(Vec3(m.0[i])).0;
        Self([row(0), row(1), row(2)])
    }

    /// The values without derivatives.
    #[inline(always)]
    pub fn value(&self) -> Mat3<f64> {
        Mat3(self.0.map(|r| r.map(T::value)))
    }

    /// Column `j`.
    #[inline(always)]
    pub fn column(&self, j: usize) -> Vec3<T> {
        Vec3([self.0[0][j], self.0[1][j], self.0[2][j]])
    }

    /// From columns.
    #[inline(always)]
    pub fn from_columns(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Self {
        Self([[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]]])
    }

    /// The transpose.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        let m = &self.0;
        Self([
            [m[0][0], m[1][0], m[2][0]],
            [m[0][1], m[1][1], m[2][1]],
            [m[0][2], m[1][2], m[2][2]],
        ])
    }

    /// Matrix times vector.
    #[inline(always)]
    pub fn times<P: Copy>(&self, v: Vec3<P>) -> Vec3<T>
    where
        T: Fused<P>,
    {
        let m = &self.0;
        Vec3::from_fn(|i| {
            (m[i][0] * v[0])
                .plus_product(m[i][1], v[1])
                .plus_product(m[i][2], v[2])
        })
    }

    /// y + matrix times vector.
    #[inline(always)]
    pub fn times_plus<P: Copy>(&self, v: Vec3<P>, y: Vec3<T>) -> Vec3<T>
    where
        T: Fused<P>,
    {
        let m = &self.0;
        Vec3::from_fn(|i| {
            y[i].plus_product(m[i][0], v[0])
                .plus_product(m[i][1], v[1])
                .plus_product(m[i][2], v[2])
        })
    }

    /// y + transpose times vector.
    #[inline(always)]
    pub fn transpose_times_plus<P: Copy>(&self, v: Vec3<P>, y: Vec3<T>) -> Vec3<T>
    where
        T: Fused<P>,
    {
        let m = &self.0;
        Vec3::from_fn(|j| {
            y[j].plus_product(m[0][j], v[0])
                .plus_product(m[1][j], v[1])
                .plus_product(m[2][j], v[2])
        })
    }

    /// Transpose times vector.
    #[inline(always)]
    pub fn transpose_times<P: Copy>(&self, v: Vec3<P>) -> Vec3<T>
    where
        T: Fused<P>,
    {
        let m = &self.0;
        Vec3::from_fn(|j| {
            (m[0][j] * v[0])
                .plus_product(m[1][j], v[1])
                .plus_product(m[2][j], v[2])
        })
    }

    /// Matrix product.
    #[inline]
    pub fn matrix<P: Copy>(&self, o: &Mat3<P>) -> Self
    where
        T: Fused<P>,
    {
        let mut r = Self::zero();
        for i in 0..3 {
            for j in 0..3 {
                r.0[i][j] = (self.0[i][0] * o.0[0][j])
                    .plus_product(self.0[i][1], o.0[1][j])
                    .plus_product(self.0[i][2], o.0[2][j]);
            }
        }
        r
    }

    /// Matrix product with the other matrix on the left: `o` · self.
    #[inline]
    pub fn premultiplied<P: Copy>(&self, o: &Mat3<P>) -> Self
    where
        T: Fused<P>,
    {
        let mut r = Self::zero();
        for i in 0..3 {
            for j in 0..3 {
                r.0[i][j] = (self.0[0][j] * o.0[i][0])
                    .plus_product(self.0[1][j], o.0[i][1])
                    .plus_product(self.0[2][j], o.0[i][2]);
            }
        }
        r
    }
}

impl<T: Real> Add for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let mut r = self;
        for i in 0..3 {
            for j in 0..3 {
                r.0[i][j] += o.0[i][j];
            }
        }
        r
    }
}

impl<T: Real> Sub for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        let mut r = self;
        for i in 0..3 {
            for j in 0..3 {
                r.0[i][j] -= o.0[i][j];
            }
        }
        r
    }
}

impl<T: Real> AddAssign<&Self> for Mat3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: &Self) {
        for i in 0..3 {
            for j in 0..3 {
                self.0[i][j] += o.0[i][j];
            }
        }
    }
}

impl Mul<Vec3<f64>> for Mat3<f64> {
    type Output = Vec3<f64>;
    fn mul(self, v: Vec3<f64>) -> Vec3<f64> {
        self.times(v)
    }
}

/// A symmetric 3×3 matrix: xx, yy, zz, xy, yz, zx.
///
/// The off-diagonal entry number 3 + a joins the axes a and a + 1 (cyclic), which lets code that
/// is written for one axis serve all three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sym3<T>(pub [T; 6]);

impl<T: Real> Sym3<T> {
    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([T::zero(); 6])
    }

    /// A multiple of the identity.
    #[inline(always)]
    pub fn diagonal(k: T) -> Self {
        let z = T::zero();
        Self([k, k, k, z, z, z])
    }

    /// A constant matrix.
    #[inline(always)]
    pub fn constant(m: &Sym3<f64>) -> Self {
        let m = &m.0;
        let c = T::constant;
        Self([c(m[0]), c(m[1]), c(m[2]), c(m[3]), c(m[4]), c(m[5])])
    }

    /// Where entry (i, j) is stored.
    #[inline(always)]
    pub const fn index(i: usize, j: usize) -> usize {
        if i == j {
            i
        } else if (i + 1) % 3 == j {
            3 + i
        } else {
            3 + j
        }
    }

    /// Entry (i, j).
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> T {
        self.0[Self::index(i, j)]
    }

    /// Column `j`.
    #[inline(always)]
    pub fn column(&self, j: usize) -> Vec3<T> {
        Vec3([self.at(0, j), self.at(1, j), self.at(2, j)])
    }

    /// Matrix times a vector, which may be of another scalar.
    #[inline(always)]
    pub fn times<V: Real + Fused<T>>(&self, v: Vec3<V>) -> Vec3<V> {
        let m = &self.0;
        Vec3([
            (v[0] * m[0]).plus_product(v[1], m[3]).plus_product(v[2], m[5]),
            (v[0] * m[3]).plus_product(v[1], m[1]).plus_product(v[2], m[4]),
            (v[0] * m[5]).plus_product(v[1], m[4]).plus_product(v[2], m[2]),
        ])
    }

    /// h + \[p\] · self, where \[p\] x = p × x.
    #[inline(always)]
    pub fn crossed_plus<P: Copy>(&self, p: Vec3<P>, h: &Mat3<T>) -> Mat3<T>
    where
        T: Fused<P>,
    {
        let mut r = *h;
        for i in 0..3 {
            let (a, b) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                r.0[i][j] = r.0[i][j]
                    .plus_product(self.at(b, j), p[a])
                    .minus_product(self.at(a, j), p[b]);
            }
        }
        r
    }

    /// As a full matrix.
    #[inline(always)]
    pub fn full(&self) -> Mat3<T> {
        let m = &self.0;
        Mat3([[m[0], m[3], m[5]], [m[3], m[1], m[4]], [m[5], m[4], m[2]]])
    }

    /// The symmetric part of a full matrix (its upper triangle is read).
    #[inline(always)]
    pub fn from_full(m: &Mat3<T>) -> Self {
        let m = &m.0;
        Self([m[0][0], m[1][1], m[2][2], m[0][1], m[1][2], m[0][2]])
    }

    /// R · self · Rᵀ.
    #[inline]
    pub fn rotated<P: Copy>(&self, r: &Mat3<P>) -> Self
    where
        T: Fused<P>,
    {
        let rs = self.full().premultiplied(r);
        let entry = |i: usize, j: usize| {
            (rs.0[i][0] * r.0[j][0])
                .plus_product(rs.0[i][1], r.0[j][1])
                .plus_product(rs.0[i][2], r.0[j][2])
        };
        Self([
            entry(0, 0),
            entry(1, 1),
            entry(2, 2),
            entry(0, 1),
            entry(1, 2),
            entry(2, 0),
        ])
    }

    /// self − u uᵀ k.
    #[inline]
    pub fn minus_outer(&self, u: Vec3<T>, k: T) -> Self {
        let w = u.scale(k);
        let m = &self.0;
        Self([
            m[0].minus_product(u[0], w[0]),
            m[1].minus_product(u[1], w[1]),
            m[2].minus_product(u[2], w[2]),
            m[3].minus_product(u[0], w[1]),
            m[4].minus_product(u[1], w[2]),
            m[5].minus_product(u[2], w[0]),
        ])
    }

    /// The inverse; entries are not finite when the matrix is singular.
    #[inline]
    pub fn inverse(&self) -> Self {
        let [a, b, c, d, e, f] = self.0; // [a d f; d b e; f e c]
        let (xx, yy, zz) = (
            (b * c).minus_product(e, e),
            (a * c).minus_product(f, f),
            (a * b).minus_product(d, d),
        );
        let (xy, yz, zx) = (
            (e * f).minus_product(d, c),
            (d * f).minus_product(a, e),
            (d * e).minus_product(b, f),
        );
        let r = (a * xx).plus_product(d, xy).plus_product(f, zx).recip();
        Self([xx * r, yy * r, zz * r, xy * r, yz * r, zx * r])
    }
}

impl<T: Real> Add for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let mut r = self;
        for (a, b) in r.0.iter_mut().zip(o.0) {
            *a += b;
        }
        r
    }
}

impl<T: Real> AddAssign<&Self> for Sym3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: &Self) {
        for (a, b) in self.0.iter_mut().zip(&o.0) {
            *a += *b;
        }
    }
}

impl<T: Real> Sub for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        let mut r = self;
        for (a, b) in r.0.iter_mut().zip(o.0) {
            *a -= b;
        }
        r
    }
}
