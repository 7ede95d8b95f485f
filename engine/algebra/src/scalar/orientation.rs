//! Orientations of frames: rotation matrices of any scalar, with no more derivatives than a
//! rotation has.

use crate::{AxisRotation, Mat3, PlaneTurn, Real, Rotation, Vec3};
use core::fmt::Debug;

/// The orientation R of a frame: x = R x_frame.
///
/// For plain numbers this is the matrix. Dual numbers carry the plain matrix and the small turns
/// δθ along all directions, δR = \[δθ\] R with \[a\] b = a × b: three derivatives per direction
/// instead of nine, and products with vectors cost accordingly less.
///
/// ```
/// use holonom_algebra::{Dual4, Mat3, Orientation, PlaneTurn, Real, Vec3};
/// type Turned = <Dual4 as Real>::Orientation;
/// let mut r = Turned::constant(&Mat3::identity());
/// let turn = Dual4::variable(0.5, 0).turn();
/// r.set_turn(2, &turn);
/// let x = r.times_constant(Vec3::new(1.0, 0.0, 0.0));
/// assert_eq!(x[1].value(), turn.sin().value());
/// assert!((x[1].derivative(0) - turn.cos().value()).abs() < 1e-15);
/// ```
pub trait Orientation<T: Real>: Rotation<T> + Oriented<T> + Debug + Send + Sync + 'static {
    /// One that does not turn.
    fn constant(m: &Mat3<f64>) -> Self;
    /// The matrix without derivatives.
    fn value(&self) -> Mat3<f64>;
    /// The matrix.
    fn to_matrix(&self) -> Mat3<T>;
    /// Column `j`: axis `j` of the frame.
    fn column(&self, j: usize) -> Vec3<T>;
    /// R v.
    fn times(&self, v: Vec3<T>) -> Vec3<T>;
    /// R v of a vector that stands still in the frame.
    fn times_constant(&self, v: Vec3<f64>) -> Vec3<T>;
    /// Rᵀ v.
    fn transpose_times(&self, v: Vec3<T>) -> Vec3<T>;
    /// R · M: a frame that stands still in this one.
    fn then_constant(&self, m: &Mat3<f64>) -> Self;
    /// Rᵀ · O: the other orientation seen from this one.
    fn relative(&self, o: &Self) -> Self;
    /// R · (turn about axis `A`).
    fn turned<const A: usize>(&self, turn: &T::Turn) -> Self;
    /// Becomes M · (turn about z); must be of the same M already.
    fn set_turn_z(&mut self, m: &Mat3<f64>, turn: &T::Turn);
    /// Becomes the turn about axis `a`; must be one already.
    fn set_turn(&mut self, a: usize, turn: &T::Turn);
    /// Becomes M · R(e/|e|) of Euler parameters, scalar first.
    fn set_euler_parameters(&mut self, m: &Mat3<f64>, e: [T; 4]);
}

/// A rotation that leads from one orientation to another.
pub trait Oriented<T: Real> {
    /// `a` · R: the orientation of the child when `a` is that of the parent.
    fn after(&self, a: &T::Orientation) -> T::Orientation;
}

impl<T: Real, R: Oriented<T>> Oriented<T> for &R {
    #[inline(always)]
    fn after(&self, a: &T::Orientation) -> T::Orientation {
        (*self).after(a)
    }
}

impl<T: Real> Oriented<T> for crate::NoRotation {
    #[inline(always)]
    fn after(&self, a: &T::Orientation) -> T::Orientation {
        *a
    }
}

impl<T: Real, const A: usize> Oriented<T> for AxisRotation<T::Turn, A> {
    #[inline(always)]
    fn after(&self, a: &T::Orientation) -> T::Orientation {
        a.turned::<A>(&self.0)
    }
}

impl<T: Real<Orientation = Self>> Oriented<T> for Mat3<T> {
    #[inline]
    fn after(&self, a: &Self) -> Self {
        a.matrix(self)
    }
}

impl<T: Real<Orientation = Self>> Orientation<T> for Mat3<T> {
    #[inline]
    fn constant(m: &Mat3<f64>) -> Self {
        Self::constant(m)
    }
    #[inline]
    fn value(&self) -> Mat3<f64> {
        self.value()
    }
    #[inline]
    fn to_matrix(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn column(&self, j: usize) -> Vec3<T> {
        self.column(j)
    }
    #[inline(always)]
    fn times(&self, v: Vec3<T>) -> Vec3<T> {
        self.times(v)
    }
    #[inline(always)]
    fn times_constant(&self, v: Vec3<f64>) -> Vec3<T> {
        self.times(v)
    }
    #[inline(always)]
    fn transpose_times(&self, v: Vec3<T>) -> Vec3<T> {
        self.transpose_times(v)
    }
    #[inline]
    fn then_constant(&self, m: &Mat3<f64>) -> Self {
        self.matrix(m)
    }
    #[inline]
    fn relative(&self, o: &Self) -> Self {
        self.transpose().matrix(o)
    }
    #[inline]
    fn turned<const A: usize>(&self, turn: &T::Turn) -> Self {
        let (b, d) = ((A + 1) % 3, (A + 2) % 3);
        let mut r = *self;
        for i in 0..3 {
            [r.0[i][b], r.0[i][d]] = turn.back(self.0[i][b], self.0[i][d]);
        }
        r
    }
    #[inline(always)]
    fn set_turn_z(&mut self, m: &Mat3<f64>, turn: &T::Turn) {
        let (m, s, c) = (&m.0, turn.sin(), turn.cos());
        for i in 0..3 {
            self.0[i][0] = c * m[i][0] + s * m[i][1];
            self.0[i][1] = c * m[i][1] - s * m[i][0];
        }
    }
    #[inline(always)]
    fn set_turn(&mut self, a: usize, turn: &T::Turn) {
        let (sin, cos) = (turn.sin(), turn.cos());
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        (self.0[b][b], self.0[c][c]) = (cos, cos);
        (self.0[b][c], self.0[c][b]) = (-sin, sin);
    }
    #[inline(always)]
    fn set_euler_parameters(&mut self, m: &Mat3<f64>, [a, b, c, d]: [T; 4]) {
        let k = (a * a + b * b + c * c + d * d).recip() * 2.0;
        let (bk, ck, dk) = (b * k, c * k, d * k);
        let one = |x: T| -x + 1.0;
        let r = Self([
            [one(c * ck + d * dk), b * ck - a * dk, b * dk + a * ck],
            [b * ck + a * dk, one(b * bk + d * dk), c * dk - a * bk],
            [b * dk - a * ck, c * dk + a * bk, one(b * bk + c * ck)],
        ]);
        *self = r.premultiplied(m);
    }
}
