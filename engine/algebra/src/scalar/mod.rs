//! The trait [`Real`]: what a residual may do with a number; the scalars; vectors, orientations and spatial
//! quantities over them.
//!
//! They define one another: a scalar names its orientations and turns, and users' functions name all scalars, which are
//! a closed set.

mod dual;
mod function;
mod orientation;
mod rotation;
mod spatial;
mod trace;
mod turn;
mod vec3;

pub use dual::{Dual, Dual4, Dual8, Dual12, DualOrientation, DualTurn};
pub use function::{Formula, FunctionError, Generic, Plain};
pub use orientation::{Orientation, Oriented};
pub use rotation::{AxisRotation, NoRotation, Rotation};
pub use spatial::{Articulated, Composite, Inertia, Pose, Twist, Wrench};
pub use trace::Trace;
pub use turn::{PlaneTurn, SinCos};
pub use vec3::{Mat3, Sym3, Vec3};

use core::fmt::{self, Debug};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// Sums with a product: fused, with one rounding, where the machine can.
///
/// Products of 3-vectors and matrices are written with these, which makes them shorter in time
/// by a third; the compiler does not fuse by itself.
pub trait Fused<P: Copy>: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<P, Output = Self> {
    /// self + a p.
    #[inline(always)]
    fn plus_product(self, a: Self, p: P) -> Self {
        self + a * p
    }
    /// self − a p.
    #[inline(always)]
    fn minus_product(self, a: Self, p: P) -> Self {
        self - a * p
    }
    /// Acceleration of the point at `p` of a frame: a + α × p + ω × (ω × p).
    #[inline(always)]
    fn carried(omega: &Vec3<Self>, a: &Twist<Self>, p: Vec3<P>) -> Vec3<Self>
    where
        Self: Real,
    {
        let linear = a.linear.plus_cross(a.angular, p);
        linear.plus_cross(*omega, omega.cross(p))
    }
}

/// Without the instruction `mul_add` is a call of a library function.
#[cfg(any(target_feature = "fma", target_arch = "aarch64"))]
impl Fused<f64> for f64 {
    #[inline(always)]
    fn plus_product(self, a: f64, p: f64) -> f64 {
        a.mul_add(p, self)
    }
    #[inline(always)]
    fn minus_product(self, a: f64, p: f64) -> f64 {
        (-a).mul_add(p, self)
    }
}

#[cfg(not(any(target_feature = "fma", target_arch = "aarch64")))]
impl Fused<f64> for f64 {}

/// A real scalar: plain `f64` or a number that carries derivatives along.
///
/// Mixed operations with `f64` are part of the trait because model constants stay `f64`:
/// multiplying a dual number by a constant then costs no derivative of that constant.
///
/// ```
/// use holonom_algebra::{Dual4, Real};
/// fn energy<T: Real>(x: T, v: T) -> T { (v * v + x.sin() * 9.81) * 0.5 }
/// assert_eq!(energy(0.0, 2.0), 2.0);
/// let x = Dual4::variable(0.0, 0);
/// assert_eq!(energy(x, Dual4::constant(2.0)).derivative(0), 9.81 * 0.5);
/// ```
pub trait Real:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign<f64>
    + SubAssign<f64>
    + MulAssign<f64>
    + Fused<Self>
    + Fused<f64>
{
    /// The orientation of a frame in this scalar.
    type Orientation: Orientation<Self>;
    /// A turn about a coordinate axis by an angle of this scalar.
    type Turn: PlaneTurn<Self, Part = Self> + Debug + Send + Sync + 'static;

    /// Whether derivatives along given directions are carried along: what an equation defines can
    /// then be solved for with plain numbers, and its derivatives follow from the equation.
    const CARRIES_DERIVATIVES: bool = false;

    /// Runs `f`. Scalars of which every operation is many instructions do it in a function of
    /// its own: `f` is then compiled once for all places into which its caller is inlined.
    #[inline(always)]
    fn outlined<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    /// Runs `f`, an evaluation or a way through a tree. Scalars that do not fit into registers do it with a stack
    /// that begins at the border of a page: see [`Dual`](crate::Dual).
    #[inline(always)]
    fn sweep<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    /// A constant: all derivatives zero.
    fn constant(x: f64) -> Self;
    /// The value without derivatives.
    fn value(self) -> f64;
    /// The same derivatives with another value.
    fn with_value(self, x: f64) -> Self;
    /// Zero.
    fn zero() -> Self {
        Self::constant(0.0)
    }
    /// One.
    fn one() -> Self {
        Self::constant(1.0)
    }
    /// Sine and cosine together.
    fn sin_cos(self) -> (Self, Self);
    /// The turn by this angle.
    fn turn(self) -> Self::Turn;
    /// See [`Inertia::newton_euler`].
    #[inline(always)]
    fn newton_euler(inertia: &Inertia, omega: &Vec3<Self>, a: &Twist<Self>, out: &mut Wrench<Self>) {
        let (h, second) = (inertia.first, &inertia.second);
        let force = a.linear.scale(inertia.mass).plus_cross(a.angular, h);
        out.force = force.plus_cross(*omega, omega.cross(h));
        let moment = second.times(a.angular).minus_cross(a.linear, h);
        out.moment = moment.plus_cross(*omega, second.times(*omega));
    }
    /// Sine.
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    /// Cosine.
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// Tangent.
    fn tan(self) -> Self {
        let (s, c) = self.sin_cos();
        s / c
    }
    /// Arc tangent.
    fn atan(self) -> Self;
    /// Angle of the point (`x`, `self`), in (−π, π].
    fn atan2(self, x: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Exponential function.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Integer power.
    fn powi(self, n: i32) -> Self;
    /// Real power with a constant exponent.
    fn powf(self, p: f64) -> Self;
    /// Absolute value; the derivative at zero is that of the right side.
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }
    /// `self²`.
    fn square(self) -> Self {
        self * self
    }
    /// 1/`self`.
    fn recip(self) -> Self {
        Self::one() / self
    }
    /// `a` where `condition` holds, else `b`: the branch of a piecewise law.
    ///
    /// A function of its own so that a recording scalar can keep both branches.
    fn select(condition: bool, a: Self, b: Self) -> Self {
        if condition { a } else { b }
    }
    /// Whether the value and all derivatives are finite.
    fn is_finite(self) -> bool;
    /// y = f(x) for a function of the user: each scalar calls its own method of `function`.
    ///
    /// # Panics
    /// When the lengths of `x` and `y` are not those of the function.
    fn call(function: &dyn Function, x: &[Self], y: &mut [Self]);
    /// The member for this scalar.
    fn member<F: Family>(each: &EachScalar<F>) -> F::Of<Self>;
}

/// Most inputs and most outputs of a [`Function`]: work arrays of this length fit the stack.
pub const MAX_ARGUMENTS: usize = 64;

/// A function y = f(x) of a user, callable with every scalar of the engine.
///
/// Generic code calls it by [`Real::call`]. Build one with [`Generic`] or [`Plain`]; implement
/// the trait itself only where derivatives are known in closed form. An implementor must not
/// have more than [`MAX_ARGUMENTS`] inputs or outputs.
///
/// ```
/// use holonom_algebra::{Dual4, Function, Plain, Real};
/// fn twice<T: Real>(f: &dyn Function, x: T) -> T {
///     let mut y = [T::zero()];
///     T::call(f, &[x], &mut y);
///     y[0] * 2.0
/// }
/// let cube = Plain::new(1, 1, |x: &[f64], y: &mut [f64]| y[0] = x[0].powi(3)).unwrap();
/// assert_eq!(twice(&cube, 2.0), 16.0);
/// assert!((twice(&cube, Dual4::variable(2.0, 1)).derivative(1) - 24.0).abs() < 1e-8);
/// ```
pub trait Function: Send + Sync + fmt::Debug {
    /// Number of inputs: the length of x.
    fn inputs(&self) -> usize;
    /// Number of outputs: the length of y.
    fn outputs(&self) -> usize;
    /// Values.
    fn evaluate_f64(&self, x: &[f64], y: &mut [f64]);
    /// Values with four directional derivatives.
    fn evaluate_dual4(&self, x: &[Dual4], y: &mut [Dual4]);
    /// Values with eight directional derivatives.
    fn evaluate_dual8(&self, x: &[Dual8], y: &mut [Dual8]);
    /// Values with the inputs they depend on.
    fn evaluate_trace(&self, x: &[Trace], y: &mut [Trace]);
}

/// Two functions are equal when they are the same object: what they compute cannot be compared.
impl PartialEq for dyn Function {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::addr_eq(self, other)
    }
}

impl Real for f64 {
    type Orientation = Mat3<Self>;
    type Turn = SinCos<Self>;
    #[inline(always)]
    fn constant(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn with_value(self, x: f64) -> Self {
        x
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        crate::sin_cos(self)
    }
    #[inline(always)]
    fn turn(self) -> SinCos<Self> {
        SinCos::new(self)
    }
    #[inline]
    fn tan(self) -> Self {
        f64::tan(self)
    }
    #[inline]
    fn atan(self) -> Self {
        f64::atan(self)
    }
    #[inline]
    fn atan2(self, x: Self) -> Self {
        f64::atan2(self, x)
    }
    #[inline]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline]
    fn exp(self) -> Self {
        f64::exp(self)
    }
    #[inline]
    fn ln(self) -> Self {
        f64::ln(self)
    }
    #[inline]
    fn tanh(self) -> Self {
        f64::tanh(self)
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        f64::powi(self, n)
    }
    #[inline]
    fn powf(self, p: f64) -> Self {
        f64::powf(self, p)
    }
    #[inline]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
    #[inline]
    fn call(function: &dyn Function, x: &[Self], y: &mut [Self]) {
        function.evaluate_f64(x, y);
    }
    #[inline(always)]
    fn member<F: Family>(each: &EachScalar<F>) -> F::Of<Self> {
        each.f64
    }
}

/// A type for each scalar.
pub trait Family {
    /// The type for a scalar.
    type Of<T: Real>: Copy;
}

/// The members of a family for all scalars of the engine: generic code calls objects with them.
///
/// A method generic over [`Real`] cannot be called through `dyn`. An object can have one trait per scalar instead,
/// `dyn At<f64>`, `dyn At<Dual4>` and so on, and generic code picks the one of its scalar with [`Real::member`].
///
/// ```
/// use holonom_algebra::{Dual4, Dual8, Dual12, EachScalar, Family, Real, Trace};
///
/// trait Law {
///     fn force<T: Real>(&self, x: T) -> T;
/// }
/// trait LawAt<T> {
///     fn force_at(&self, x: T) -> T;
/// }
/// impl<L: Law, T: Real> LawAt<T> for L {
///     fn force_at(&self, x: T) -> T {
///         self.force(x)
///     }
/// }
/// trait Object: LawAt<f64> + LawAt<Dual4> + LawAt<Dual8> + LawAt<Dual12> + LawAt<Trace> {}
/// impl<L: Law> Object for L {}
///
/// struct Members<'a>(&'a ());
/// impl<'a> Family for Members<'a> {
///     type Of<T: Real> = &'a dyn LawAt<T>;
/// }
/// fn twice<T: Real>(law: &dyn Object, x: T) -> T {
///     let members = EachScalar::<Members> { f64: law, dual4: law, dual8: law, dual12: law, trace: law };
///     T::member(&members).force_at(x) * 2.0
/// }
///
/// struct Cubic;
/// impl Law for Cubic {
///     fn force<T: Real>(&self, x: T) -> T {
///         x.powi(3)
///     }
/// }
/// assert_eq!(twice(&Cubic, 2.0), 16.0);
/// assert_eq!(twice(&Cubic, Dual4::variable(2.0, 1)).derivative(1), 24.0);
/// assert_eq!(twice(&Cubic, Dual12::variable(2.0, 11)).derivative(11), 24.0);
/// ```
pub struct EachScalar<F: Family> {
    /// For `f64`.
    pub f64: F::Of<f64>,
    /// For [`Dual4`].
    pub dual4: F::Of<Dual4>,
    /// For [`Dual8`].
    pub dual8: F::Of<Dual8>,
    /// For [`Dual12`].
    pub dual12: F::Of<Dual12>,
    /// For [`Trace`].
    pub trace: F::Of<Trace>,
}
