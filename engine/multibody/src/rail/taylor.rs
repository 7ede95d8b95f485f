//! Values with their first two derivatives along a motion.

use core::ops::{Add, Mul, Sub};
use holonom_algebra::Real;

/// x, ẋ and ẍ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taylor<T>(pub [T; 3]);

impl<T: Real> Taylor<T> {
    /// A constant.
    pub fn constant(x: f64) -> Self {
        Self([T::constant(x), T::zero(), T::zero()])
    }

    /// f(x) with f, f′, f″ known.
    pub fn chain(self, [f, df, ddf]: [T; 3]) -> Self {
        let [_, d, dd] = self.0;
        Self([f, df * d, ddf * d * d + df * dd])
    }

    /// x + c.
    pub fn plus(self, c: f64) -> Self {
        let [x, d, dd] = self.0;
        Self([x + c, d, dd])
    }

    /// c x.
    pub fn scale(self, c: f64) -> Self {
        Self(self.0.map(|x| x * c))
    }

    /// √x.
    pub fn sqrt(self) -> Self {
        let root = self.0[0].sqrt();
        let slope = root.recip() * 0.5;
        self.chain([root, slope, -(slope / self.0[0] * 0.5)])
    }

    /// 1/x.
    pub fn recip(self) -> Self {
        let r = self.0[0].recip();
        let square = r.square();
        self.chain([r, -square, square * r * 2.0])
    }

    /// eˣ.
    pub fn exp(self) -> Self {
        let e = self.0[0].exp();
        self.chain([e, e, e])
    }

    /// ln x.
    pub fn ln(self) -> Self {
        let r = self.0[0].recip();
        self.chain([self.0[0].ln(), r, -r.square()])
    }
}

impl<T: Real> Add for Taylor<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let ([a, da, dda], [b, db, ddb]) = (self.0, other.0);
        Self([a + b, da + db, dda + ddb])
    }
}

impl<T: Real> Sub for Taylor<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        let ([a, da, dda], [b, db, ddb]) = (self.0, other.0);
        Self([a - b, da - db, dda - ddb])
    }
}

impl<T: Real> Mul for Taylor<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let ([a, da, dda], [b, db, ddb]) = (self.0, other.0);
        Self([a * b, da * b + a * db, dda * b + da * db * 2.0 + a * ddb])
    }
}
