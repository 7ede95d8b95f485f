//! Bounds of an expression of one variable, and of its slope, over an interval [Moore 1966].
//!
//! Rounding is not bounded: users allow for it.

use super::number::{HUGE, Number, Unary};
use super::program::Op;
use crate::curve::{Curve, Extrapolation};
use std::sync::Arc;

/// Bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub lo: f64,
    pub hi: f64,
}

impl Range {
    pub const ALL: Self = Self {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };

    pub fn new(a: f64, b: f64) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self::ALL;
        }
        Self {
            lo: a.min(b),
            hi: a.max(b),
        }
    }

    pub fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    fn hull(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// Largest size.
    pub fn size(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    fn add(self, other: Self) -> Self {
        Self::new(self.lo + other.lo, self.hi + other.hi)
    }

    fn subtract(self, other: Self) -> Self {
        Self::new(self.lo - other.hi, self.hi - other.lo)
    }

    fn multiply(self, other: Self) -> Self {
        // A factor that is zero makes zero, whatever the other.
        if self == Self::ZERO || other == Self::ZERO {
            return Self::ZERO;
        }
        let products = [
            self.lo * other.lo,
            self.lo * other.hi,
            self.hi * other.lo,
            self.hi * other.hi,
        ];
        if products.iter().any(|x| x.is_nan()) {
            return Self::ALL;
        }
        Self {
            lo: products.iter().copied().fold(f64::INFINITY, f64::min),
            hi: products.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn scale(self, k: f64) -> Self {
        self.multiply(Self::point(k))
    }

    fn reciprocal(self) -> Self {
        if self.contains(0.0) {
            Self::ALL
        } else {
            Self::new(1.0 / self.lo, 1.0 / self.hi)
        }
    }

    /// Of a monotone function.
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self::new(f(self.lo), f(self.hi))
    }

    /// xⁿ.
    fn power(self, n: i32) -> Self {
        match n {
            0 => Self::point(1.0),
            n if n < 0 => self.power(-n).reciprocal(),
            n if n % 2 == 1 => self.map(|x| x.powi(n)),
            n => {
                let ends = self.map(|x| x.powi(n));
                if self.contains(0.0) {
                    Self { lo: 0.0, ..ends }
                } else {
                    ends
                }
            }
        }
    }

    /// sin x.
    fn sine(self) -> Self {
        use core::f64::consts::{FRAC_PI_2, TAU};
        if !self.is_finite() || self.hi - self.lo >= TAU {
            return Self { lo: -1.0, hi: 1.0 };
        }
        let ends = self.map(f64::sin);
        // Whether a peak k 2π + place lies inside.
        let peak = |place: f64| ((self.hi - place) / TAU).floor() >= ((self.lo - place) / TAU).ceil();
        Self {
            lo: if peak(-FRAC_PI_2) { -1.0 } else { ends.lo },
            hi: if peak(FRAC_PI_2) { 1.0 } else { ends.hi },
        }
    }

    /// Whether a multiple of π lies inside, or close to an end.
    fn passes_pole(self) -> bool {
        use core::f64::consts::PI;
        const CLOSE: f64 = 1e-9;
        !self.is_finite() || ((self.hi / PI + CLOSE).floor() >= (self.lo / PI - CLOSE).ceil())
    }

    fn cosine(self) -> Self {
        self.add(Self::point(core::f64::consts::FRAC_PI_2)).sine()
    }
}

/// Bounds of a value and of its slope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosure {
    pub value: Range,
    /// Where it has one.
    pub slope: Range,
    /// It may jump.
    pub jumps: bool,
}

impl Enclosure {
    pub fn constant(x: f64) -> Self {
        Self {
            value: Range::point(x),
            slope: Range::ZERO,
            jumps: false,
        }
    }

    /// The variable itself.
    pub fn variable(lo: f64, hi: f64) -> Self {
        Self {
            value: Range { lo, hi },
            slope: Range::point(1.0),
            jumps: false,
        }
    }

    /// Nothing known.
    fn unknown() -> Self {
        Self {
            value: Range::ALL,
            slope: Range::ALL,
            jumps: true,
        }
    }

    /// f(x) from the ranges of f and f′.
    fn chain(self, value: Range, slope: Range) -> Self {
        Self {
            value,
            slope: slope.multiply(self.slope),
            jumps: self.jumps,
        }
    }

    pub fn add(self, other: Self) -> Self {
        Self {
            value: self.value.add(other.value),
            slope: self.slope.add(other.slope),
            jumps: self.jumps || other.jumps,
        }
    }

    pub fn subtract(self, other: Self) -> Self {
        Self {
            value: self.value.subtract(other.value),
            slope: self.slope.subtract(other.slope),
            jumps: self.jumps || other.jumps,
        }
    }

    fn multiply(self, other: Self) -> Self {
        let slope = self.slope.multiply(other.value);
        Self {
            value: self.value.multiply(other.value),
            slope: slope.add(self.value.multiply(other.slope)),
            jumps: self.jumps || other.jumps,
        }
    }

    fn reciprocal(self) -> Self {
        if self.value.contains(0.0) {
            return Self::unknown();
        }
        let value = self.value.reciprocal();
        self.falling(value, value.power(2).scale(-1.0))
    }

    /// The same for a negative power of what is huge and has no bounded slope: evaluated, it is flat.
    fn falling(self, value: Range, slope: Range) -> Self {
        let chained = self.chain(value, slope);
        let huge = self.value.lo >= HUGE || self.value.hi <= -HUGE;
        if huge && value.size() <= 1.0 / HUGE && !chained.slope.is_finite() {
            Self {
                slope: Range::ZERO,
                ..chained
            }
        } else {
            chained
        }
    }

    /// One of the two, undecided.
    fn either(self, other: Self) -> Self {
        Self {
            value: self.value.hull(other.value),
            slope: self.slope.hull(other.slope),
            jumps: self.jumps || other.jumps,
        }
    }

    fn unary(self, f: Unary) -> Self {
        let x = self.value;
        let value = |x: f64| <f64 as Number>::unary(x, f);
        match f {
            Unary::Sin => self.chain(x.sine(), x.cosine()),
            Unary::Cos => self.chain(x.cosine(), x.sine().scale(-1.0)),
            Unary::Exp => self.chain(x.map(f64::exp), x.map(f64::exp)),
            Unary::Sinh => self.chain(x.map(f64::sinh), cosh(x)),
            Unary::Cosh => self.chain(cosh(x), x.map(f64::sinh)),
            Unary::Tanh => {
                let value = x.map(f64::tanh);
                self.chain(value, Range::point(1.0).subtract(value.power(2)))
            }
            Unary::Atan => self.chain(x.map(f64::atan), Range::point(1.0).add(x.power(2)).reciprocal()),
            Unary::Ln | Unary::Log10 if x.lo > 0.0 => {
                let scale = if f == Unary::Ln {
                    1.0
                } else {
                    core::f64::consts::LOG10_E
                };
                self.chain(x.map(value), x.reciprocal().scale(scale))
            }
            Unary::Sqrt if x.lo >= 0.0 => {
                let root = x.map(f64::sqrt);
                let slope = if x.lo > 0.0 {
                    root.reciprocal().scale(0.5)
                } else {
                    Range {
                        lo: 0.0,
                        ..Range::ALL
                    }
                };
                self.chain(root, slope)
            }
            Unary::Asin | Unary::Acos if x.lo >= -1.0 && x.hi <= 1.0 => {
                let sign = if f == Unary::Asin { 1.0 } else { -1.0 };
                let cofunction = Range::point(1.0).subtract(x.power(2));
                let cofunction = Range::new(cofunction.lo.max(0.0), cofunction.hi).map(f64::sqrt);
                let slope = if cofunction.lo > 0.0 {
                    cofunction.reciprocal()
                } else {
                    Range {
                        lo: 1.0,
                        ..Range::ALL
                    }
                };
                self.chain(x.map(value), slope.scale(sign))
            }
            Unary::Abs if !x.contains(0.0) => self.chain(x.map(f64::abs), Range::point(x.lo.signum())),
            Unary::Abs => self.chain(
                Range {
                    lo: 0.0,
                    hi: x.size(),
                },
                Range { lo: -1.0, hi: 1.0 },
            ),
            Unary::Sign | Unary::Floor | Unary::Step => {
                let ends = x.map(value);
                Self {
                    value: ends,
                    slope: Range::ZERO,
                    jumps: ends.lo != ends.hi,
                }
            }
            // Between two poles it rises.
            Unary::Tan if !x.add(Range::point(core::f64::consts::FRAC_PI_2)).passes_pole() => {
                let tangent = x.map(f64::tan);
                self.chain(tangent, tangent.power(2).add(Range::point(1.0)))
            }
            Unary::Tan | Unary::Ln | Unary::Log10 | Unary::Sqrt | Unary::Asin | Unary::Acos => {
                Self::unknown()
            }
        }
    }

    fn extreme(self, other: Self, larger: bool) -> Self {
        let (a, b) = if larger { (other, self) } else { (self, other) };
        // `a` is the result where it is surely below b, for the smaller one; the other way round for the larger one.
        if a.value.hi < b.value.lo {
            return if larger { b } else { a };
        }
        if b.value.hi < a.value.lo {
            return if larger { a } else { b };
        }
        let value = if larger {
            Range {
                lo: a.value.lo.max(b.value.lo),
                hi: a.value.hi.max(b.value.hi),
            }
        } else {
            Range {
                lo: a.value.lo.min(b.value.lo),
                hi: a.value.hi.min(b.value.hi),
            }
        };
        Self { value, ..a.either(b) }
    }

    fn compare(self, other: Self, how: super::grammar::Comparison) -> Self {
        let d = self.value.subtract(other.value);
        // Decided where all differences have one sign.
        if d.lo > 0.0 || d.hi < 0.0 {
            let sign = if d.lo > 0.0 { 1.0 } else { -1.0 };
            return Self::constant(f64::from(how.holds(sign, 0.0)));
        }
        Self {
            value: Range { lo: 0.0, hi: 1.0 },
            slope: Range::ZERO,
            jumps: true,
        }
    }

    fn choose(self, a: Self, b: Self) -> Self {
        if !self.value.contains(0.0) {
            a
        } else if self.value == Range::ZERO {
            b
        } else {
            Self {
                jumps: true,
                ..a.either(b)
            }
        }
    }

    fn smoothstep(self, [x0, y0, x1, y1]: [Self; 4]) -> Self {
        let s = self.subtract(x0).multiply(x1.subtract(x0).reciprocal());
        let clamped = Range::new(s.value.lo.clamp(0.0, 1.0), s.value.hi.clamp(0.0, 1.0));
        let blend = clamped.map(|s| s * s * s * (10.0 + s * (6.0 * s - 15.0)));
        // 30 s² (1 − s)².
        let inside = clamped.multiply(Range::point(1.0).subtract(clamped));
        let blend = s.chain(blend, inside.power(2).scale(30.0));
        y0.add(y1.subtract(y0).multiply(blend))
    }

    fn curve(self, curve: &Curve) -> Self {
        let x = self.value;
        let [first, last] = curve.range();
        let outside = x.lo < first || x.hi > last;
        if !x.is_finite() || (outside && curve.extrapolation() == Extrapolation::Refuse) {
            return Self::unknown();
        }
        let (mut value, mut slope): (Option<Range>, Option<Range>) = (None, None);
        let mut note = |v: Range, s: Range| {
            value = Some(value.map_or(v, |all| all.hull(v)));
            slope = Some(slope.map_or(s, |all| all.hull(s)));
        };
        for (end, beyond) in [(first, x.lo < first), (last, x.hi > last)] {
            if beyond {
                let part = if end == first {
                    Range::new(x.lo, x.hi.min(first))
                } else {
                    Range::new(x.lo.max(last), x.hi)
                };
                let jets = [part.lo, part.hi].map(|x| curve.jet(x));
                note(
                    Range::new(jets[0][0], jets[1][0]),
                    Range::new(jets[0][1], jets[1][1]),
                );
            }
        }
        curve.pieces_within(x.lo, x.hi, |[a, b, c, d], from, to| {
            // Control points of the cubic, whose hull holds it; those of its derivative.
            let h = to - from;
            let value = |u: f64| ((d * u + c) * u + b) * u + a;
            let slope = |u: f64| (3.0 * d * u + 2.0 * c) * u + b;
            let (u0, u1) = (from, to);
            let (v0, v1, m0, m1) = (value(u0), value(u1), slope(u0), slope(u1));
            let mut range = Range::new(v0, v1);
            let mut slopes = Range::new(m0, m1);
            if h > 0.0 && (c != 0.0 || d != 0.0) {
                range = range
                    .hull(Range::point(v0 + h * m0 / 3.0))
                    .hull(Range::point(v1 - h * m1 / 3.0));
                slopes = slopes.hull(Range::point(3.0 * (v1 - v0) / h - m0 - m1));
            }
            note(range, slopes);
        });
        match (value, slope) {
            (Some(value), Some(slope)) => self.chain(value, slope),
            _ => Self::unknown(),
        }
    }
}

fn cosh(x: Range) -> Range {
    let ends = x.map(f64::cosh);
    if x.contains(0.0) {
        Range { lo: 1.0, ..ends }
    } else {
        ends
    }
}

/// Bounds over an interval of the variable; `stack` is room.
pub(super) fn enclose(
    program: &[Op],
    tables: &[Arc<Curve>],
    lo: f64,
    hi: f64,
    stack: &mut Vec<Enclosure>,
) -> Enclosure {
    stack.clear();
    for op in program {
        let at = stack.len() - op.operands();
        let operand = |k: usize| stack[at + k];
        let result = match *op {
            Op::Constant(k) => Enclosure::constant(k),
            Op::Variable(_) => Enclosure::variable(lo, hi),
            Op::Negate => operand(0).multiply(Enclosure::constant(-1.0)),
            Op::Add => operand(0).add(operand(1)),
            Op::Subtract => operand(0).subtract(operand(1)),
            Op::Multiply => operand(0).multiply(operand(1)),
            Op::Divide => operand(0).multiply(operand(1).reciprocal()),
            Op::Shift(k) => operand(0).add(Enclosure::constant(k)),
            Op::Scale(k) => operand(0).multiply(Enclosure::constant(k)),
            Op::Over(k) => operand(0).multiply(Enclosure::constant(1.0 / k)),
            Op::Power(p) => {
                let x = operand(0);
                let p = p.value();
                if p.fract() == 0.0 && p.abs() <= 64.0 {
                    let n = p as i32;
                    let (value, slope) = (x.value.power(n), x.value.power(n - 1).scale(p));
                    if n < 0 {
                        x.falling(value, slope)
                    } else {
                        x.chain(value, slope)
                    }
                } else if x.value.lo > 0.0 {
                    let slope = x.value.map(|x| x.powf(p - 1.0)).scale(p);
                    let value = x.value.map(|x| x.powf(p));
                    if p < 0.0 {
                        x.falling(value, slope)
                    } else {
                        x.chain(value, slope)
                    }
                } else {
                    Enclosure::unknown()
                }
            }
            Op::GeneralPower => {
                let (a, b) = (operand(0), operand(1));
                if a.value.lo > 0.0 {
                    b.multiply(a.unary(Unary::Ln)).unary(Unary::Exp)
                } else {
                    Enclosure::unknown()
                }
            }
            Op::Unary(f) => operand(0).unary(f),
            Op::Atan2 => {
                let (y, x) = (operand(0), operand(1));
                if x.value.lo > 0.0 {
                    y.multiply(x.reciprocal()).unary(Unary::Atan)
                } else {
                    Enclosure {
                        value: Range {
                            lo: -core::f64::consts::PI,
                            hi: core::f64::consts::PI,
                        },
                        ..Enclosure::unknown()
                    }
                }
            }
            Op::Hypot => {
                let [a, b] = [0, 1].map(&operand);
                a.multiply(a).add(b.multiply(b)).unary(Unary::Sqrt)
            }
            Op::Min => operand(0).extreme(operand(1), false),
            Op::Max => operand(0).extreme(operand(1), true),
            Op::Compare(how) => operand(0).compare(operand(1), how),
            Op::If => operand(0).choose(operand(1), operand(2)),
            Op::Smoothstep => operand(0).smoothstep([1, 2, 3, 4].map(operand)),
            Op::Table(k) => operand(0).curve(&tables[k as usize]),
            // Functions of time have none.
            Op::Switch(..) => Enclosure::unknown(),
            Op::Weigh => operand(0).choose(operand(1), operand(2)),
        };
        stack.truncate(at);
        stack.push(result);
    }
    stack.first().copied().unwrap_or_else(Enclosure::unknown)
}
