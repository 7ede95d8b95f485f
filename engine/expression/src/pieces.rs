//! On which of its smooth pieces an expression is.
//!
//! Tables, `abs`, `min` and others are made of pieces. Integrators of high order lose their order across the border of two
//! of them, even where the values and their first derivatives agree there, as those of splines do.

use super::curve::Curve;
use super::expression::Expression;
use super::grammar::Comparison;
use super::number::{Exponent, Number, Unary};
use super::program::{Op, run};

/// A value, and a number that is the same as long as all operations before it stay on their pieces.
#[derive(Clone, Copy, Debug)]
struct Traced {
    x: f64,
    piece: u64,
}

/// One number for two.
fn mixed(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, one) | (one, 0) => one,
        _ => (a ^ b.rotate_left(23)).wrapping_mul(0x9E37_79B9_7F4A_7C15),
    }
}

impl Traced {
    fn of(x: f64, operands: [Self; 2]) -> Self {
        let piece = mixed(operands[0].piece, operands[1].piece);
        Self { x, piece }
    }

    /// A value from this one, on a piece of the operation at hand.
    fn on(self, x: f64, piece: u64) -> Self {
        let piece = mixed(
            self.piece,
            piece.wrapping_add(1).wrapping_mul(0xD6E8_FEB8_6659_FD93),
        );
        Self { x, piece }
    }
}

impl Number for Traced {
    fn constant(x: f64) -> Self {
        Self { x, piece: 0 }
    }
    fn value(self) -> f64 {
        self.x
    }
    fn negate(self) -> Self {
        Self { x: -self.x, ..self }
    }
    fn add(self, other: Self) -> Self {
        Self::of(self.x + other.x, [self, other])
    }
    fn subtract(self, other: Self) -> Self {
        Self::of(self.x - other.x, [self, other])
    }
    fn multiply(self, other: Self) -> Self {
        Self::of(self.x * other.x, [self, other])
    }
    fn divide(self, other: Self) -> Self {
        Self::of(Number::divide(self.x, other.x), [self, other])
    }
    fn shift(self, k: f64) -> Self {
        Self {
            x: self.x + k,
            ..self
        }
    }
    fn scale(self, k: f64) -> Self {
        Self {
            x: self.x * k,
            ..self
        }
    }
    fn over(self, k: f64) -> Self {
        Self {
            x: self.x / k,
            ..self
        }
    }
    fn unary(self, f: Unary) -> Self {
        let x = Number::unary(self.x, f);
        match f {
            Unary::Abs => self.on(x, u64::from(self.x < 0.0)),
            Unary::Sign | Unary::Step | Unary::Floor => self.on(x, x.to_bits()),
            _ => Self { x, ..self },
        }
    }
    fn power(self, p: Exponent) -> Self {
        Self {
            x: Number::power(self.x, p),
            ..self
        }
    }
    fn general_power(self, p: Self) -> Self {
        Self::of(Number::general_power(self.x, p.x), [self, p])
    }
    fn atan2(self, x: Self) -> Self {
        Self::of(self.x.atan2(x.x), [self, x])
    }
    fn curve(self, curve: &Curve) -> Self {
        self.on(curve.evaluate(self.x), curve.piece_at(self.x) as u64)
    }
    fn select(condition: bool, a: Self, b: Self) -> Self {
        let x = if condition { a.x } else { b.x };
        Self::of(x, [a, b])
    }
    fn extreme(self, other: Self, larger: bool) -> Self {
        let x = Number::extreme(self.x, other.x, larger);
        Self::of(x, [self, other]).on(x, u64::from(self.x > other.x))
    }
    fn compare(self, other: Self, how: Comparison) -> Self {
        let x = Number::compare(self.x, other.x, how);
        Self::of(x, [self, other]).on(x, x.to_bits())
    }
    fn choose(self, a: Self, b: Self) -> Self {
        let chosen = if self.x == 0.0 { b } else { a };
        Self::of(Number::choose(self.x, a.x, b.x), [self, chosen])
    }
    fn smoothstep(self, [x0, y0, x1, y1]: [Self; 4]) -> Self {
        let x = Number::smoothstep(self.x, [x0.x, y0.x, x1.x, y1.x]);
        let s = (self.x - x0.x) / (x1.x - x0.x);
        let side = u64::from(s > 0.0) + u64::from(s > 1.0);
        [x0, y0, x1, y1]
            .into_iter()
            .fold(self, |all, one| Self::of(x, [all, one]))
            .on(x, side)
    }
}

impl Expression {
    /// Whether it is made of smooth pieces whose borders nothing else locates: switches on the state are events.
    pub fn has_pieces(&self) -> bool {
        let several = |op: &Op| match op {
            Op::Min | Op::Max | Op::Compare(_) | Op::Smoothstep | Op::Table(_) => true,
            Op::Unary(f) => f.has_kinks(),
            _ => false,
        };
        self.0.program.iter().any(several)
    }

    /// Its value with switches on the sides of a run, and the number of the piece on which it is: another number
    /// on another piece.
    pub fn evaluate_piece(&self, variables: &[f64], sides: &[f64]) -> (f64, u64) {
        let y = run(&self.0.program, self.0.depth, &self.0.tables, sides, |k| {
            Traced::constant(variables.get(k).copied().unwrap_or(f64::NAN))
        });
        (y.x, y.piece)
    }
}
