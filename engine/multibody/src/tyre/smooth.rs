//! Smooth replacements of corners, with finite derivatives everywhere.

use holonom_algebra::Real;

/// The quintic step 10u³ − 15u⁴ + 6u⁵, held at 0 and 1 outside, with its slope. Its second
/// derivative is continuous.
pub(crate) fn rise<T: Real>(u: T) -> [T; 2] {
    let at = u.value();
    let square = u * u;
    let v = -u + 1.0;
    let value = square * u * ((u * 6.0 - 15.0) * u + 10.0);
    let slope = square * v * v * 30.0;
    let (zero, one) = (T::zero(), T::one());
    [
        T::select(at <= 0.0, zero, T::select(at >= 1.0, one, value)),
        T::select(at <= 0.0 || at >= 1.0, zero, slope),
    ]
}

/// |x| with its corner rounded over `width`: x²/√(x² + width²). Zero at zero.
pub(crate) fn magnitude<T: Real>(x: T, width: f64) -> T {
    let square = x.square();
    square / (square + width * width).sqrt()
}

/// The sign of x, passing zero over `width`.
pub(crate) fn direction<T: Real>(x: T, width: f64) -> T {
    x / (x.square() + width * width).sqrt()
}

/// √x for x ≥ 0 with a finite slope at zero: x/√(x + width).
pub(crate) fn root<T: Real>(x: T, width: f64) -> T {
    x / (x + width).sqrt()
}

/// a/b, zero where b is: a b/(b² + width²).
pub(crate) fn quotient<T: Real>(a: T, b: T, width: f64) -> T {
    a * b / (b.square() + width * width)
}

/// x, or the bound it would fall below.
pub(crate) fn at_least<T: Real>(x: T, bound: f64) -> T {
    T::select(x.value() > bound, x, T::constant(bound))
}

/// x, or the bound it would exceed.
pub(crate) fn at_most<T: Real>(x: T, bound: f64) -> T {
    T::select(x.value() < bound, x, T::constant(bound))
}
