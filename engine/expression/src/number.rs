//! What a program computes with: plain scalars, and scalars with two derivatives along t.

use super::grammar::Comparison;
use crate::curve::Curve;
use holonom_algebra::Real;

/// A function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Log10,
    Sqrt,
    Abs,
    Sign,
    Floor,
    Step,
}

impl Unary {
    pub const ALL: [(&'static str, Self); 17] = [
        ("sin", Self::Sin),
        ("cos", Self::Cos),
        ("tan", Self::Tan),
        ("asin", Self::Asin),
        ("acos", Self::Acos),
        ("atan", Self::Atan),
        ("sinh", Self::Sinh),
        ("cosh", Self::Cosh),
        ("tanh", Self::Tanh),
        ("exp", Self::Exp),
        ("ln", Self::Ln),
        ("log10", Self::Log10),
        ("sqrt", Self::Sqrt),
        ("abs", Self::Abs),
        ("sign", Self::Sign),
        ("floor", Self::Floor),
        ("step", Self::Step),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, f)| *f == self)
            .map_or("", |(name, _)| name)
    }

    /// Whether it has corners or jumps.
    pub fn has_kinks(self) -> bool {
        matches!(self, Self::Abs | Self::Sign | Self::Floor | Self::Step)
    }
}

/// `y` without derivatives along `x`, which a recording scalar sees all the same.
fn flat<T: Real>(x: T, y: f64) -> T {
    T::select(true, T::constant(y), x)
}

fn sinh<T: Real>(x: T) -> T {
    let at = x.value();
    ((x - at) * at.cosh()).with_value(at.sinh())
}

fn cosh<T: Real>(x: T) -> T {
    let at = x.value();
    // Also at 0, where the slope vanishes, it is a function of x.
    T::select(true, ((x - at) * at.sinh()).with_value(at.cosh()), x)
}

/// Beyond this size of a denominator, and below its inverse in the quotient, the slope of the denominator counts
/// for nothing where it has left the range of numbers: b′/b would have to be about as large for the quotient to show it.
pub(super) const HUGE: f64 = 1e100;

/// Whether a quotient by `b`, or a negative power of it, is flat for that reason.
fn vanishes(quotient: f64, b: f64) -> bool {
    quotient.abs() <= 1.0 / HUGE && b.abs() >= HUGE
}

/// a/b, whose derivatives are finite where those of a are and b, or only its slope, has grown beyond all numbers.
fn quotient<T: Real>(a: T, b: T) -> T {
    let q = a / b;
    if !q.is_finite() && vanishes(q.value(), b.value()) {
        T::select(true, a / b.value(), b)
    } else {
        q
    }
}

/// Whether f has come to its limit at x: no slope of x, however large, is left in the value.
fn saturates(f: Unary, x: f64) -> bool {
    match f {
        Unary::Exp => x < -800.0,
        Unary::Tanh => x.abs() > 400.0,
        Unary::Atan => x.abs() >= HUGE,
        _ => false,
    }
}

/// √(1 − x²) without cancellation near ±1.
fn cofunction<T: Real>(x: T) -> T {
    ((T::one() - x) * (x + 1.0)).sqrt()
}

fn sign(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() { x } else { x.signum() }
}

/// f(x).
fn value<T: Real>(f: Unary, x: T) -> T {
    let y = plain_value(f, x);
    if !y.is_finite() && saturates(f, x.value()) {
        flat(x, y.value())
    } else {
        y
    }
}

/// f(x), by the rules of the scalar alone.
fn plain_value<T: Real>(f: Unary, x: T) -> T {
    match f {
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.atan2(cofunction(x)),
        Unary::Acos => cofunction(x).atan2(x),
        Unary::Atan => x.atan(),
        Unary::Sinh => sinh(x),
        Unary::Cosh => cosh(x),
        Unary::Tanh => x.tanh(),
        Unary::Exp => x.exp(),
        Unary::Ln => x.ln(),
        Unary::Log10 => {
            let y = x.ln() / core::f64::consts::LN_10;
            // Powers of ten give whole numbers.
            let exact = x.value().log10();
            if exact.is_finite() {
                y - y.value() + exact
            } else {
                y
            }
        }
        Unary::Sqrt => x.sqrt(),
        Unary::Abs => x.abs(),
        Unary::Sign => flat(x, sign(x.value())),
        Unary::Floor => flat(x, x.value().floor()),
        Unary::Step => {
            let at = x.value();
            let y = if at.is_nan() { at } else { f64::from(at >= 0.0) };
            flat(x, y)
        }
    }
}

/// f(x) with its derivatives along t, those of x given.
fn derivatives<T: Real>(f: Unary, [x, dx, ddx]: [T; 3]) -> [T; 3] {
    if saturates(f, x.value()) {
        return [value(f, x), flat(x, 0.0), flat(x, 0.0)];
    }
    let y = value(f, x);
    let [y, d, dd] = match f {
        Unary::Sin => [y, x.cos(), -y],
        Unary::Cos => [y, -x.sin(), -y],
        Unary::Tan => {
            let d = y * y + 1.0;
            [y, d, y * d * 2.0]
        }
        Unary::Asin | Unary::Acos => {
            let r = cofunction(x).recip();
            let (d, dd) = (r, x * r * r * r);
            if f == Unary::Asin {
                [y, d, dd]
            } else {
                [y, -d, -dd]
            }
        }
        Unary::Atan => {
            let r = quotient(T::one(), x * x + 1.0);
            [y, r, x * r * r * -2.0]
        }
        Unary::Sinh => [y, cosh(x), y],
        Unary::Cosh => [y, sinh(x), y],
        Unary::Tanh => {
            // 1/cosh² keeps its digits where 1 − tanh² loses them.
            let c = quotient(T::one(), cosh(x));
            let d = c * c;
            [y, d, y * d * -2.0]
        }
        Unary::Exp => [y, y, y],
        Unary::Abs => [y, flat(x, if x.value() < 0.0 { -1.0 } else { 1.0 }), flat(x, 0.0)],
        Unary::Sign | Unary::Floor | Unary::Step => [y, flat(x, 0.0), flat(x, 0.0)],
        // From x = exp(y) and x = y², differentiated twice: f″ = −1/x² and f′² leave the range of
        // numbers where the derivatives along t are far from its ends.
        Unary::Ln | Unary::Log10 => {
            let (d, dd) = (dx / x, ddx / x);
            let scale = if f == Unary::Ln {
                1.0
            } else {
                core::f64::consts::LOG10_E
            };
            return [y, d * scale, (dd - d * d) * scale];
        }
        Unary::Sqrt => {
            let d = dx / y * 0.5;
            return [y, d, (ddx * 0.5 - d * d) / y];
        }
    };
    [y, d * dx, dd * dx * dx + d * ddx]
}

/// xᵖ with its derivatives by x. p is not 0 or 1 unless `n` says so.
fn power<T: Real>(x: T, p: Exponent) -> [T; 3] {
    match p {
        Exponent::Whole(0) => [T::one(), T::zero(), T::zero()],
        Exponent::Whole(1) => [x, T::one(), T::zero()],
        Exponent::Whole(n) => {
            let k = f64::from(n);
            let lower = |by: i32| plain_power(x, Exponent::Whole(n - by));
            [lower(0), lower(1) * k, lower(2) * (k * (k - 1.0))]
        }
        Exponent::Real(p) => {
            let lower = |by: f64| plain_power(x, Exponent::Real(p - by));
            [lower(0.0), lower(1.0) * p, lower(2.0) * (p * (p - 1.0))]
        }
    }
}

/// xᵖ as a number with derivatives.
fn plain_power<T: Real>(x: T, p: Exponent) -> T {
    let y = match p {
        Exponent::Whole(n) => x.powi(n),
        Exponent::Real(p) => x.powf(p),
    };
    if y.is_finite() || p.value() >= 0.0 {
        return y;
    }
    let exact = x.value().powf(p.value());
    if vanishes(exact, x.value()) {
        flat(x, exact)
    } else {
        y
    }
}

/// A constant exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Exponent {
    Whole(i32),
    Real(f64),
}

impl Exponent {
    pub fn new(p: f64) -> Self {
        // Products are exact to the last digits only for moderate powers.
        if p.fract() == 0.0 && p.abs() <= 64.0 {
            Self::Whole(p as i32)
        } else {
            Self::Real(p)
        }
    }

    pub fn value(self) -> f64 {
        match self {
            Self::Whole(n) => f64::from(n),
            Self::Real(p) => p,
        }
    }
}

/// aᵇ for a variable exponent: exp(b ln a), with the value as exact as the machine has it.
fn general_power<T: Real>(a: T, b: T) -> T {
    let y = value(Unary::Exp, b * a.ln());
    let exact = a.value().powf(b.value());
    if y.is_finite() && exact.is_finite() {
        y - y.value() + exact
    } else {
        y
    }
}

/// What the operations of a program need.
pub(super) trait Number: Copy {
    fn constant(x: f64) -> Self;
    fn value(self) -> f64;
    fn negate(self) -> Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn divide(self, other: Self) -> Self;
    fn shift(self, k: f64) -> Self;
    fn scale(self, k: f64) -> Self;
    fn over(self, k: f64) -> Self;
    fn unary(self, f: Unary) -> Self;
    fn power(self, p: Exponent) -> Self;
    fn general_power(self, p: Self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn curve(self, curve: &Curve) -> Self;
    /// One of the two; a recording scalar keeps both.
    fn select(condition: bool, a: Self, b: Self) -> Self;

    /// A constant that a recording scalar takes for a function of `self`.
    fn flat(self, y: f64) -> Self {
        Self::select(true, Self::constant(y), self)
    }

    fn hypot(self, other: Self) -> Self {
        self.multiply(self).add(other.multiply(other)).unary(Unary::Sqrt)
    }

    /// The smaller (or larger) of two; not a number when one is none.
    fn extreme(self, other: Self, larger: bool) -> Self {
        let (a, b) = (self.value(), other.value());
        let first = a.is_nan() || if larger { a > b } else { a < b };
        Self::select(first, self, other)
    }

    /// 1 or 0; not a number when an operand is none.
    fn compare(self, other: Self, how: Comparison) -> Self {
        let (a, b) = (self.value(), other.value());
        let y = if a.is_nan() || b.is_nan() {
            f64::NAN
        } else {
            f64::from(how.holds(a, b))
        };
        Self::select(true, self.flat(y), other)
    }

    /// `a` where `self` is not zero, else `b`.
    fn choose(self, a: Self, b: Self) -> Self {
        let condition = self.value();
        let y = Self::select(condition != 0.0, a, b);
        let y = if condition.is_nan() { y.flat(f64::NAN) } else { y };
        // The condition decides on the value, so a recording scalar must see it.
        Self::select(true, y, self)
    }

    /// The same where the condition is 1 or 0, or any other value while a switch slides: both take part by their shares,
    /// also a little beyond the border, so that iterations see one line.
    fn weigh(self, a: Self, b: Self) -> Self {
        let condition = self.value();
        if condition == 0.0 || condition == 1.0 {
            self.choose(a, b)
        } else {
            b.add(a.subtract(b).multiply(self))
        }
    }

    /// From y0 at x0 to y1 at x1 by s³(10 − 15 s + 6 s²), whose first and second derivatives
    /// vanish at both ends.
    fn smoothstep(self, [x0, y0, x1, y1]: [Self; 4]) -> Self {
        let s = self.subtract(x0).divide(x1.subtract(x0));
        let at = s.value();
        let s = Self::select(at < 0.0, s.flat(0.0), s);
        let s = Self::select(at > 1.0, s.flat(1.0), s);
        let polynomial = s.scale(6.0).shift(-15.0).multiply(s).shift(10.0);
        let blend = s.multiply(s).multiply(s).multiply(polynomial);
        y0.add(y1.subtract(y0).multiply(blend))
    }
}

impl<T: Real> Number for T {
    fn constant(x: f64) -> Self {
        T::constant(x)
    }
    fn value(self) -> f64 {
        T::value(self)
    }
    fn negate(self) -> Self {
        -self
    }
    fn add(self, other: Self) -> Self {
        self + other
    }
    fn subtract(self, other: Self) -> Self {
        self - other
    }
    fn multiply(self, other: Self) -> Self {
        self * other
    }
    fn divide(self, other: Self) -> Self {
        quotient(self, other)
    }
    fn shift(self, k: f64) -> Self {
        self + k
    }
    fn scale(self, k: f64) -> Self {
        self * k
    }
    fn over(self, k: f64) -> Self {
        self / k
    }
    fn unary(self, f: Unary) -> Self {
        value(f, self)
    }
    fn power(self, p: Exponent) -> Self {
        plain_power(self, p)
    }
    fn general_power(self, p: Self) -> Self {
        general_power(self, p)
    }
    fn atan2(self, x: Self) -> Self {
        Real::atan2(self, x)
    }
    fn curve(self, curve: &Curve) -> Self {
        curve.evaluate(self)
    }
    fn select(condition: bool, a: Self, b: Self) -> Self {
        T::select(condition, a, b)
    }
}

/// A value with its first and second derivative by t.
///
/// The coefficients are scalars themselves: with dual numbers each carries its own derivatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jet<T>(pub [T; 3]);

impl<T: Real> Jet<T> {
    /// The independent variable.
    pub fn variable(t: T) -> Self {
        Self([t, T::one(), T::zero()])
    }

    /// f(x) with f, f′, f″ known.
    fn chain(self, [f, df, ddf]: [T; 3]) -> Self {
        let [_, d, dd] = self.0;
        Self([f, df * d, ddf * d * d + df * dd])
    }
}

impl<T: Real> Number for Jet<T> {
    fn constant(x: f64) -> Self {
        Self([T::constant(x), T::zero(), T::zero()])
    }
    fn value(self) -> f64 {
        self.0[0].value()
    }
    fn negate(self) -> Self {
        Self(self.0.map(|x| -x))
    }
    fn add(self, other: Self) -> Self {
        let ([a, da, dda], [b, db, ddb]) = (self.0, other.0);
        Self([a + b, da + db, dda + ddb])
    }
    fn subtract(self, other: Self) -> Self {
        let ([a, da, dda], [b, db, ddb]) = (self.0, other.0);
        Self([a - b, da - db, dda - ddb])
    }
    fn multiply(self, other: Self) -> Self {
        let ([a, da, dda], [b, db, ddb]) = (self.0, other.0);
        Self([a * b, da * b + a * db, dda * b + da * db * 2.0 + a * ddb])
    }
    fn divide(self, other: Self) -> Self {
        let ([a, da, dda], [b, db, ddb]) = (self.0, other.0);
        // From a = q b, differentiated twice; without what has left the range of numbers under a huge b.
        let q = quotient(a, b);
        let without = |full: T, numerator: T| {
            if !full.is_finite() && vanishes(q.value(), b.value()) {
                T::select(true, quotient(numerator, b), full)
            } else {
                full
            }
        };
        let dq = without((da - q * db) / b, da);
        Self([q, dq, without((dda - dq * db * 2.0 - q * ddb) / b, dda)])
    }
    fn shift(self, k: f64) -> Self {
        let [a, da, dda] = self.0;
        Self([a + k, da, dda])
    }
    fn scale(self, k: f64) -> Self {
        Self(self.0.map(|x| x * k))
    }
    fn over(self, k: f64) -> Self {
        Self(self.0.map(|x| x / k))
    }
    fn unary(self, f: Unary) -> Self {
        Self(derivatives(f, self.0))
    }
    fn power(self, p: Exponent) -> Self {
        let x = self.0[0];
        let Self([y, dy, ddy]) = self.chain(power(x, p));
        let without = |full: T| {
            if !full.is_finite() && p.value() < 0.0 && vanishes(y.value(), x.value()) {
                T::select(true, T::zero(), full)
            } else {
                full
            }
        };
        Self([y, without(dy), without(ddy)])
    }
    fn general_power(self, p: Self) -> Self {
        let y = general_power(self.0[0], p.0[0]);
        let exponent = p.multiply(self.unary(Unary::Ln));
        if saturates(Unary::Exp, exponent.value()) {
            return exponent.unary(Unary::Exp);
        }
        exponent.chain([y, y, y])
    }
    fn atan2(self, x: Self) -> Self {
        let ([y, dy, ddy], [x, dx, ddx]) = (self.0, x.0);
        let r = x * x + y * y;
        let d = (x * dy - y * dx) / r;
        let dr = (x * dx + y * dy) * 2.0;
        Self([y.atan2(x), d, (x * ddy - y * ddx - d * dr) / r])
    }
    fn curve(self, curve: &Curve) -> Self {
        self.chain(curve.jet(self.0[0]))
    }
    fn select(condition: bool, a: Self, b: Self) -> Self {
        Self([0, 1, 2].map(|k| T::select(condition, a.0[k], b.0[k])))
    }
}
