//! Numbers a factorisation can work with: real ones, and complex ones for methods whose stages are
//! decoupled by complex eigenvalues.

use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A complex number.
///
/// ```
/// use holonom_solver::linear::Complex;
/// let i = Complex::new(0.0, 1.0);
/// assert_eq!(i * i, Complex::new(-1.0, 0.0));
/// assert_eq!(Complex::new(1.0, 1.0) / i, Complex::new(1.0, -1.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// re + i im.
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }
}

impl Add for Complex {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::new(self.re + b.re, self.im + b.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.re - b.re, self.im - b.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re)
    }
}

impl Div for Complex {
    type Output = Self;
    #[inline(always)]
    #[allow(clippy::suspicious_arithmetic_impl, reason = "by the reciprocal")]
    fn div(self, b: Self) -> Self {
        self * b.reciprocal()
    }
}

impl Neg for Complex {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

impl AddAssign for Complex {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl SubAssign for Complex {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

/// What elimination needs of a number.
pub trait Scalar:
    Copy
    + Default
    + Send
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// The real number `x`.
    fn real(x: f64) -> Self;

    /// This number times a real one.
    fn times(self, x: f64) -> Self;

    /// A size that is zero for zero only: |x|, or |Re x| + |Im x|, which costs no root.
    fn size(self) -> f64;

    /// 1/x.
    fn reciprocal(self) -> Self;
}

impl Scalar for f64 {
    #[inline(always)]
    fn real(x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn times(self, x: f64) -> Self {
        self * x
    }

    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }

    #[inline(always)]
    fn reciprocal(self) -> Self {
        1.0 / self
    }
}

impl Scalar for Complex {
    #[inline(always)]
    fn real(x: f64) -> Self {
        Self::new(x, 0.0)
    }

    #[inline(always)]
    fn times(self, x: f64) -> Self {
        Self::new(self.re * x, self.im * x)
    }

    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    /// By the larger part, so that squares neither overflow nor vanish [Smith 1962].
    #[inline(always)]
    fn reciprocal(self) -> Self {
        if self.re.abs() >= self.im.abs() {
            let r = self.im / self.re;
            let d = 1.0 / (self.re + self.im * r);
            Self::new(d, -r * d)
        } else {
            let r = self.re / self.im;
            let d = 1.0 / (self.im + self.re * r);
            Self::new(r * d, -d)
        }
    }
}
