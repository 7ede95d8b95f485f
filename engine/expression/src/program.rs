//! The compiled form: operations on a stack of bounded depth.

use super::grammar::{Comparison, Level};
use super::number::{Exponent, Number, Unary};
use super::sides::{Side, SwitchKind};
use crate::curve::Curve;
use std::sync::Arc;

/// Deepest stack of operands.
pub(super) const MAX_STACK: usize = 64;
/// Depth that most expressions keep to: theirs costs less to set up.
const SMALL_STACK: usize = 8;
/// Most operations.
pub(super) const MAX_OPERATIONS: usize = 1 << 15;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    Constant(f64),
    Variable(u32),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    /// x + k.
    Shift(f64),
    /// k x.
    Scale(f64),
    /// x / k.
    Over(f64),
    Power(Exponent),
    GeneralPower,
    Unary(Unary),
    Atan2,
    Hypot,
    Min,
    Max,
    Compare(Comparison),
    If,
    Smoothstep,
    Table(u32),
    /// A switch on the state by its number; of a comparison the operand is the difference of its sides.
    Switch(SwitchKind, u32),
    /// `If` whose condition may lie between 0 and 1, where a switch in it slides.
    Weigh,
}

impl Op {
    /// How many operands it takes.
    pub fn operands(self) -> usize {
        match self {
            Self::Constant(_) | Self::Variable(_) => 0,
            Self::Negate
            | Self::Shift(_)
            | Self::Scale(_)
            | Self::Over(_)
            | Self::Power(_)
            | Self::Unary(_)
            | Self::Table(_)
            | Self::Switch(..) => 1,
            Self::Add
            | Self::Subtract
            | Self::Multiply
            | Self::Divide
            | Self::GeneralPower
            | Self::Atan2
            | Self::Hypot
            | Self::Min
            | Self::Max
            | Self::Compare(_) => 2,
            Self::If | Self::Weigh => 3,
            Self::Smoothstep => 5,
        }
    }

    /// Whether its result may have corners or jumps.
    pub fn has_kinks(self, tables: &[Arc<Curve>]) -> bool {
        match self {
            Self::Min | Self::Max | Self::Compare(_) | Self::If | Self::Switch(..) | Self::Weigh => true,
            Self::Unary(f) => f.has_kinks(),
            Self::Table(k) => tables.get(k as usize).is_none_or(|table| !table.is_smooth()),
            _ => false,
        }
    }

    /// The least level its first and its later operands may have without parentheses.
    pub fn needs(self) -> [Level; 2] {
        match self {
            Self::Negate => [Level::Power; 2],
            Self::Add | Self::Subtract | Self::Shift(_) => [Level::Sum, Level::Product],
            Self::Multiply | Self::Divide | Self::Over(_) => [Level::Product, Level::Sign],
            Self::Scale(_) => [Level::Sign; 2],
            Self::Power(_) | Self::GeneralPower => [Level::Atom, Level::Sign],
            Self::Compare(_) => [Level::Sum; 2],
            _ => [Level::Compare; 2],
        }
    }

    /// How its printed form looks to the parser, given its operands.
    pub fn shape(self, operands: &[Shape]) -> Shape {
        let needs = self.needs();
        let inner = operands.iter().enumerate().map(|(k, operand)| {
            let own = operand.nesting + usize::from(operand.level < needs[k.min(1)]);
            // An exponent is parsed one level further in.
            own + usize::from(self == Self::GeneralPower && k == 1)
        });
        let inner = inner.max().unwrap_or(0);
        let sign = |k: f64| usize::from(k.is_sign_negative());
        let (level, nesting) = match self {
            Self::Constant(k) if k.is_sign_negative() => (Level::Sign, 1),
            Self::Constant(_) | Self::Variable(_) => (Level::Atom, 0),
            Self::Negate => (Level::Sign, inner + 1),
            Self::Add | Self::Subtract | Self::Shift(_) => (Level::Sum, inner),
            Self::Multiply | Self::Divide => (Level::Product, inner),
            Self::Scale(k) | Self::Over(k) => (Level::Product, inner.max(sign(k))),
            Self::Power(p) => (Level::Power, inner.max(1 + sign(p.value()))),
            Self::GeneralPower => (Level::Power, inner),
            Self::Compare(_) => (Level::Compare, inner),
            _ => (Level::Atom, inner + 1),
        };
        Shape { level, nesting }
    }
}

/// How loosely a printed form binds and how deep it nests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub level: Level,
    pub nesting: usize,
}

/// Runs a program whose stack is at most `depth` deep, with the numbers of the sides on which switches are.
pub(super) fn run<N: Number>(
    program: &[Op],
    depth: usize,
    tables: &[Arc<Curve>],
    sides: &[f64],
    variable: impl Fn(usize) -> N,
) -> N {
    if depth <= SMALL_STACK {
        run_on::<N, SMALL_STACK>(program, tables, sides, variable)
    } else {
        run_on::<N, MAX_STACK>(program, tables, sides, variable)
    }
}

/// The binder has checked that operands are there and that the stack is deep enough.
fn run_on<N: Number, const DEPTH: usize>(
    program: &[Op],
    tables: &[Arc<Curve>],
    sides: &[f64],
    variable: impl Fn(usize) -> N,
) -> N {
    let mut stack = [N::constant(f64::NAN); DEPTH];
    // Number of operands on the stack.
    let mut n = 0;
    for op in program {
        let at = n - op.operands();
        let operand = |k: usize| stack[at + k];
        let result = match *op {
            Op::Constant(k) => N::constant(k),
            Op::Variable(k) => variable(k as usize),
            Op::Negate => operand(0).negate(),
            Op::Add => operand(0).add(operand(1)),
            Op::Subtract => operand(0).subtract(operand(1)),
            Op::Multiply => operand(0).multiply(operand(1)),
            Op::Divide => operand(0).divide(operand(1)),
            Op::Shift(k) => operand(0).shift(k),
            Op::Scale(k) => operand(0).scale(k),
            Op::Over(k) => operand(0).over(k),
            Op::Power(p) => operand(0).power(p),
            Op::GeneralPower => operand(0).general_power(operand(1)),
            Op::Unary(f) => operand(0).unary(f),
            Op::Atan2 => operand(0).atan2(operand(1)),
            Op::Hypot => operand(0).hypot(operand(1)),
            Op::Min => operand(0).extreme(operand(1), false),
            Op::Max => operand(0).extreme(operand(1), true),
            Op::Compare(how) => operand(0).compare(operand(1), how),
            Op::If => operand(0).choose(operand(1), operand(2)),
            Op::Smoothstep => operand(0).smoothstep([1, 2, 3, 4].map(operand)),
            Op::Table(k) => operand(0).curve(&tables[k as usize]),
            Op::Switch(kind, k) => kind.value(operand(0), Side::of(sides, k as usize)),
            Op::Weigh => operand(0).weigh(operand(1), operand(2)),
        };
        stack[at] = result;
        n = at + 1;
    }
    stack[0]
}
