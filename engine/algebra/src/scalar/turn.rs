//! Turns about a coordinate axis: what they do to the two components in their plane.

use crate::{Fused, Real};

/// A turn in the plane of two axes by some angle, of vectors of the scalar `T`.
///
/// Plain numbers keep sine and cosine. Dual numbers keep those of the plain angle and its derivatives:
/// turned vectors cost less than with a sine and a cosine that carry derivatives each.
///
/// ```
/// use holonom_algebra::{Dual4, PlaneTurn, Real};
/// let turn = Dual4::variable(0.5, 0).turn();
/// let [x, y] = turn.forward(Dual4::constant(1.0), Dual4::constant(0.0));
/// assert_eq!([x.value(), y.value()], [turn.cos().value(), turn.sin().value()]);
/// assert_eq!(y.derivative(0), turn.cos().value());
/// ```
pub trait PlaneTurn<T: Real + Fused<Self::Part>>: Copy {
    /// What sine and cosine are.
    type Part: Real;
    /// Sine of the angle.
    fn sin(&self) -> Self::Part;
    /// Cosine of the angle.
    fn cos(&self) -> Self::Part;
    /// The turn without derivatives.
    fn value(&self) -> SinCos<f64> {
        SinCos {
            sin: self.sin().value(),
            cos: self.cos().value(),
        }
    }
    /// Components from the turned axes to those that stand still: (b cos − c sin, b sin + c cos).
    #[inline(always)]
    fn forward(&self, b: T, c: T) -> [T; 2] {
        let (sin, cos) = (self.sin(), self.cos());
        [(b * cos).minus_product(c, sin), (b * sin).plus_product(c, cos)]
    }
    /// The way back: (b cos + c sin, c cos − b sin).
    #[inline(always)]
    fn back(&self, b: T, c: T) -> [T; 2] {
        let (sin, cos) = (self.sin(), self.cos());
        [(b * cos).plus_product(c, sin), (c * cos).minus_product(b, sin)]
    }
}

/// A turn by its sine and cosine.
#[derive(Clone, Copy, Debug)]
pub struct SinCos<P> {
    /// Sine of the angle.
    pub sin: P,
    /// Cosine of the angle.
    pub cos: P,
}

impl<P: Real> SinCos<P> {
    /// The turn by an angle.
    #[inline(always)]
    pub fn new(angle: P) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self { sin, cos }
    }
}

impl<T: Real + Fused<P>, P: Real> PlaneTurn<T> for SinCos<P> {
    type Part = P;
    #[inline(always)]
    fn sin(&self) -> P {
        self.sin
    }
    #[inline(always)]
    fn cos(&self) -> P {
        self.cos
    }
}
