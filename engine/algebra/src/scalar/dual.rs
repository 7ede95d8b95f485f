//! Dual numbers: a value with its derivatives along several directions at once.
//!
//! The operations are explicit ones of packs of four (`wide::f64x4`), because compilers do not
//! vectorise plain arrays of derivatives reliably. The packs are stored as plain arrays all the
//! same: aligned ones would leave a quarter of a `Dual8` and more of a `Dual4` to padding, which
//! is copied along and fills the caches.

mod orientation;
mod turn;

pub use orientation::DualOrientation;
pub use turn::DualTurn;

use crate::{EachScalar, Family, Function, Fused, Inertia, MAX_ARGUMENTS, Real, Twist, Vec3, Wrench};
use core::cmp::Ordering;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use wide::f64x4;

/// A value and 4·K directional derivatives.
///
/// Packs come first: they are then where copies of the whole, 32 bytes at a time, take them. A copy
/// of something that was stored in other pieces has to wait until it has arrived in the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Dual<const K: usize> {
    d: [[f64; 4]; K],
    v: f64,
}

/// Dual number with four directions.
pub type Dual4 = Dual<1>;
/// Dual number with eight directions.
pub type Dual8 = Dual<2>;
/// Twelve directions.
pub type Dual12 = Dual<3>;

/// Memory that begins at the border of a page.
#[repr(align(4096))]
struct Page(#[expect(dead_code, reason = "its place is what counts")] u8);

/// `f` of every pack. (`map` of arrays is not always inlined.)
#[inline(always)]
fn each<const K: usize>(mut d: [[f64; 4]; K], f: impl Fn(f64x4) -> f64x4) -> [[f64; 4]; K] {
    for x in &mut d {
        *x = f(f64x4::new(*x)).to_array();
    }
    d
}

/// Σ c_j d_j + e, pack by pack.
#[inline(always)]
fn sum<const K: usize, const N: usize>(
    terms: [(f64, &[[f64; 4]; K]); N],
    rest: Option<&[[f64; 4]; K]>,
) -> [[f64; 4]; K] {
    let mut r = [[0.0; 4]; K];
    for k in 0..K {
        let mut s = match rest {
            Some(x) => f64x4::new(x[k]),
            None => f64x4::ZERO,
        };
        for (c, d) in &terms {
            s = f64x4::new(d[k]).mul_add(f64x4::splat(*c), s);
        }
        r[k] = s.to_array();
    }
    r
}

impl<const K: usize> Dual<K> {
    /// Number of directions carried.
    pub const DIRECTIONS: usize = 4 * K;

    /// The independent variable of direction `i`: value `x`, derivative one along `i`.
    ///
    /// # Panics
    /// When `i` is not below [`Self::DIRECTIONS`].
    #[inline]
    #[track_caller]
    pub fn variable(x: f64, i: usize) -> Self {
        Self::constant(x).with_derivative(i, 1.0)
    }

    /// The same value with the derivative along direction `i` set to `dx`.
    #[inline]
    #[track_caller]
    pub fn with_derivative(mut self, i: usize, dx: f64) -> Self {
        self.d[i / 4][i % 4] = dx;
        self
    }

    /// The derivative along direction `i`.
    #[inline]
    #[track_caller]
    pub fn derivative(&self, i: usize) -> f64 {
        self.d[i / 4][i % 4]
    }

    /// Sets the derivative along direction `i` where the number is, without a copy of it.
    #[inline]
    #[track_caller]
    pub fn set_derivative(&mut self, i: usize, dx: f64) {
        self.d[i / 4][i % 4] = dx;
    }

    /// f(x) with f′(x) known: the chain rule.
    #[inline(always)]
    fn chain(self, f: f64, df: f64) -> Self {
        let k = f64x4::splat(df);
        Self {
            v: f,
            d: each(self.d, |d| d * k),
        }
    }

    /// Whether all derivatives are zero.
    #[inline]
    pub fn is_constant(self) -> bool {
        self.d.iter().all(|d| d.iter().all(|x| *x == 0.0))
    }

    /// Adds `slope` times the derivatives of `x`: one term of the chain rule.
    #[inline]
    pub(crate) fn add_scaled_derivatives(&mut self, x: Self, slope: f64) {
        let k = f64x4::splat(slope);
        *self = self.zip(x, self.v, |a, b| b.mul_add(k, a));
    }

    /// The slice itself when it already has `M` packs.
    #[inline(always)]
    fn with_packs<const M: usize>(x: &[Self]) -> Option<&[Dual<M>]> {
        // SAFETY: `Dual<K>` and `Dual<M>` are the same type when K = M.
        (K == M).then(|| unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), x.len()) })
    }

    /// The slice itself when it already has `M` packs.
    #[inline(always)]
    fn with_packs_mut<const M: usize>(x: &mut [Self]) -> Option<&mut [Dual<M>]> {
        // SAFETY: `Dual<K>` and `Dual<M>` are the same type when K = M.
        (K == M).then(|| unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) })
    }

    /// A call pack by pack, for widths of which [`Function`] knows nothing.
    fn call_by_packs(function: &dyn Function, x: &[Self], y: &mut [Self]) {
        assert!(
            x.len().max(y.len()) <= MAX_ARGUMENTS,
            "too many arguments for {function:?}"
        );
        let mut from = [Dual4::constant(0.0); MAX_ARGUMENTS];
        let mut to = [Dual4::constant(0.0); MAX_ARGUMENTS];
        for pack in 0..K.max(1) {
            for (a, x) in from.iter_mut().zip(x) {
                *a = Dual {
                    v: x.v,
                    d: [x.d.get(pack).copied().unwrap_or([0.0; 4])],
                };
            }
            function.evaluate_dual4(&from[..x.len()], &mut to[..y.len()]);
            for (b, y) in to.iter().zip(y.iter_mut()) {
                y.v = b.v;
                if let Some(d) = y.d.get_mut(pack) {
                    *d = b.d[0];
                }
            }
        }
    }

    #[inline(always)]
    fn zip(self, other: Self, v: f64, op: impl Fn(f64x4, f64x4) -> f64x4) -> Self {
        let mut d = self.d;
        for k in 0..K {
            d[k] = op(f64x4::new(d[k]), f64x4::new(other.d[k])).to_array();
        }
        Self { v, d }
    }
}

impl<const K: usize> PartialEq for Dual<K> {
    fn eq(&self, other: &Self) -> bool {
        self.v == other.v
    }
}

/// Comparisons look at the value only: they decide branches.
impl<const K: usize> PartialOrd for Dual<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.v.partial_cmp(&other.v)
    }
}

impl<const K: usize> Neg for Dual<K> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            v: -self.v,
            d: each(self.d, |d| -d),
        }
    }
}

impl<const K: usize> Add for Dual<K> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.zip(o, self.v + o.v, |a, b| a + b)
    }
}

impl<const K: usize> Sub for Dual<K> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.zip(o, self.v - o.v, |a, b| a - b)
    }
}

impl<const K: usize> Mul for Dual<K> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let (x, y) = (f64x4::splat(self.v), f64x4::splat(o.v));
        self.zip(o, self.v * o.v, |a, b| a.mul_add(y, x * b))
    }
}

impl<const K: usize> Fused<Self> for Dual<K> {
    #[inline(always)]
    fn plus_product(self, a: Self, p: Self) -> Self {
        let (x, y) = (f64x4::splat(a.v), f64x4::splat(p.v));
        let mut d = self.d;
        for k in 0..K {
            let (a, p) = (f64x4::new(a.d[k]), f64x4::new(p.d[k]));
            d[k] = a.mul_add(y, p.mul_add(x, f64x4::new(d[k]))).to_array();
        }
        Self {
            v: self.v.plus_product(a.v, p.v),
            d,
        }
    }
    #[inline(always)]
    fn minus_product(self, a: Self, p: Self) -> Self {
        let (x, y) = (f64x4::splat(a.v), f64x4::splat(p.v));
        let mut d = self.d;
        for k in 0..K {
            let (a, p) = (f64x4::new(a.d[k]), f64x4::new(p.d[k]));
            d[k] = a.mul_neg_add(y, p.mul_neg_add(x, f64x4::new(d[k]))).to_array();
        }
        Self {
            v: self.v.minus_product(a.v, p.v),
            d,
        }
    }
}

impl<const K: usize> Fused<f64> for Dual<K> {
    #[inline(always)]
    fn plus_product(self, a: Self, p: f64) -> Self {
        let y = f64x4::splat(p);
        self.zip(a, self.v.plus_product(a.v, p), |c, a| a.mul_add(y, c))
    }
    #[inline(always)]
    fn minus_product(self, a: Self, p: f64) -> Self {
        let y = f64x4::splat(p);
        self.zip(a, self.v.minus_product(a.v, p), |c, a| a.mul_neg_add(y, c))
    }
    #[inline(always)]
    fn carried(omega: &Vec3<Self>, a: &Twist<Self>, p: Vec3<f64>) -> Vec3<Self> {
        turn::carried(omega, a, p)
    }
}

impl<const K: usize> Div for Dual<K> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let r = 1.0 / o.v;
        let q = self.v / o.v;
        let (rr, qq) = (f64x4::splat(r), f64x4::splat(q));
        self.zip(o, q, |a, b| (a - qq * b) * rr)
    }
}

macro_rules! mixed_with_f64 {
    ($($trait:ident $method:ident $d:expr;)*) => {$(
        impl<const K: usize> $trait<f64> for Dual<K> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, k: f64) -> Self {
                let scale: fn(f64x4, f64) -> f64x4 = $d;
                Self { v: self.v.$method(k), d: each(self.d, |d| scale(d, k)) }
            }
        }
    )*};
}
mixed_with_f64! {
    Add add |d, _| d;
    Sub sub |d, _| d;
    Mul mul |d, k| d * f64x4::splat(k);
    Div div |d, k| d / f64x4::splat(k);
}

macro_rules! assign {
    ($($trait:ident $method:ident $by:ident $rhs:ty),* $(,)?) => {$(
        impl<const K: usize> $trait<$rhs> for Dual<K> {
            #[inline(always)]
            fn $method(&mut self, o: $rhs) {
                *self = (*self).$by(o);
            }
        }
    )*};
}
assign! {
    AddAssign add_assign add Self,
    SubAssign sub_assign sub Self,
    MulAssign mul_assign mul Self,
    DivAssign div_assign div Self,
    AddAssign add_assign add f64,
    SubAssign sub_assign sub f64,
    MulAssign mul_assign mul f64,
}

impl<const K: usize> Real for Dual<K> {
    type Orientation = DualOrientation<K>;
    type Turn = DualTurn<K>;
    const CARRIES_DERIVATIVES: bool = true;
    #[inline(never)]
    fn outlined<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    /// What lies across the border of two pages of memory is written and read at a tenth of the
    /// speed. Recursions keep up to 4 KiB of duals on the stack, at places that depend on where the
    /// system lets the stack begin: without this, some runs of a program are a fifth slower.
    #[inline(never)]
    fn sweep<R>(f: impl FnOnce() -> R) -> R {
        let page = core::mem::MaybeUninit::<Page>::uninit();
        core::hint::black_box(&page);
        Self::outlined(f)
    }
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Self {
            v: x,
            d: [[0.0; 4]; K],
        }
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self.v
    }
    #[inline(always)]
    fn with_value(self, x: f64) -> Self {
        Self { v: x, d: self.d }
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = crate::sin_cos(self.v);
        (self.chain(s, c), self.chain(c, -s))
    }
    #[inline(always)]
    fn turn(self) -> DualTurn<K> {
        DualTurn::new(self)
    }
    #[inline(always)]
    fn newton_euler(inertia: &Inertia, omega: &Vec3<Self>, a: &Twist<Self>, out: &mut Wrench<Self>) {
        turn::newton_euler(inertia, omega, a, out);
    }
    #[inline]
    fn atan(self) -> Self {
        self.chain(self.v.atan(), 1.0 / (1.0 + self.v * self.v))
    }
    #[inline]
    fn atan2(self, x: Self) -> Self {
        let r2 = self.v * self.v + x.v * x.v;
        let (p, q) = (f64x4::splat(x.v / r2), f64x4::splat(self.v / r2));
        self.zip(x, self.v.atan2(x.v), |dy, dx| p * dy - q * dx)
    }
    #[inline]
    fn sqrt(self) -> Self {
        let r = self.v.sqrt();
        self.chain(r, 0.5 / r)
    }
    #[inline]
    fn exp(self) -> Self {
        let e = self.v.exp();
        self.chain(e, e)
    }
    #[inline]
    fn ln(self) -> Self {
        self.chain(self.v.ln(), 1.0 / self.v)
    }
    #[inline]
    fn tanh(self) -> Self {
        let t = self.v.tanh();
        self.chain(t, 1.0 - t * t)
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        if n == 0 {
            return Self::constant(1.0);
        }
        let p = self.v.powi(n - 1);
        self.chain(p * self.v, f64::from(n) * p)
    }
    #[inline]
    fn powf(self, p: f64) -> Self {
        if p == 0.0 {
            return Self::constant(1.0);
        }
        self.chain(self.v.powf(p), p * self.v.powf(p - 1.0))
    }
    fn is_finite(self) -> bool {
        self.v.is_finite() && self.d.iter().all(|d| d.iter().all(|x| x.is_finite()))
    }
    #[inline]
    fn call(function: &dyn Function, x: &[Self], y: &mut [Self]) {
        if let (Some(x), Some(y)) = (Self::with_packs::<1>(x), Self::with_packs_mut::<1>(y)) {
            function.evaluate_dual4(x, y);
        } else if let (Some(x), Some(y)) = (Self::with_packs::<2>(x), Self::with_packs_mut::<2>(y)) {
            function.evaluate_dual8(x, y);
        } else {
            Self::call_by_packs(function, x, y);
        }
    }
    #[inline(always)]
    fn member<F: Family>(each: &EachScalar<F>) -> F::Of<Self> {
        const {
            assert!(
                K >= 1 && K <= 3,
                "families have members for Dual4, Dual8 and Dual12"
            )
        };
        // SAFETY: `Dual<K>` is `Dual4` when K = 1, `Dual8` when K = 2 and `Dual12` when K = 3, and so are the members.
        unsafe {
            match K {
                1 => core::ptr::from_ref(&each.dual4).cast::<F::Of<Self>>().read(),
                2 => core::ptr::from_ref(&each.dual8).cast::<F::Of<Self>>().read(),
                _ => core::ptr::from_ref(&each.dual12).cast::<F::Of<Self>>().read(),
            }
        }
    }
}
