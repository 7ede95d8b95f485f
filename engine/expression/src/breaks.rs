//! Where functions of time jump or have corners, found by bisection with bounds over intervals.

use super::enclosure::{Enclosure, Range, enclose};
use super::expression::Compiled;
use super::grammar::Comparison;
use super::number::{Exponent, Unary};
use super::program::{MAX_OPERATIONS, MAX_STACK, Op, Shape, run};
use super::{DimensionState, Expression};
use crate::curve::{Curve, Interpolation};
use std::sync::Arc;

/// A place at which a function is not smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    /// Where.
    pub at: f64,
    /// How far on each side of it rounding may move it: far where the function passes its bound at a small angle.
    pub margin: f64,
    /// Which derivative is the lowest that jumps: 0 the function itself, 1 its slope, and so on. 3 stands for the third
    /// and all above it.
    pub order: u8,
    /// It is a point of a table.
    pub knot: bool,
}

impl Break {
    /// The order that stands for all derivatives beyond the second.
    pub const SMOOTH: u8 = 3;

    /// One at a place that is known to rounding.
    pub fn new(at: f64, order: u8) -> Self {
        Self {
            at,
            margin: spacing(at),
            order,
            knot: false,
        }
    }

    /// The last instant that is surely before it, and the first that is surely behind.
    pub fn sides(&self) -> [f64; 2] {
        [self.at - self.margin, self.at + self.margin]
    }

    /// Sorts, and keeps of breaks at one place the one of the lowest order.
    pub fn sort(breaks: &mut Vec<Self>) {
        breaks.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.order.cmp(&b.order)));
        breaks.dedup_by(|later, kept| {
            let rounding = 1e-12 * later.at.abs().max(kept.at.abs());
            let same = later.at - kept.at <= rounding.max(later.margin).max(kept.margin);
            if same {
                if later.margin < kept.margin {
                    (kept.at, kept.margin) = (later.at, later.margin);
                }
                kept.order = kept.order.min(later.order);
                kept.knot &= later.knot;
            }
            same
        });
    }
}

/// Some spacings of floating-point numbers: how far rounding moves a place where nothing multiplies it.
fn spacing(t: f64) -> f64 {
    16.0 * f64::EPSILON * t.abs()
}

/// Most breaks of one function: more are no schedule, but a vibration.
pub const MOST: usize = 100_000;
/// Operations that the search in one function may cost.
const EFFORT: usize = 8_000_000;
/// Smallest interval, relative to the range, that is still divided.
const FINEST: f64 = 1e-12;

/// Values at which a function passes from one piece to the next.
enum Levels<'e> {
    Zero,
    Whole,
    Knots(&'e [f64]),
}

impl Levels<'_> {
    /// Number of levels up to and including x, for the knots and zero; counted from anywhere.
    fn up_to(&self, x: f64) -> f64 {
        match self {
            Self::Zero => f64::from(x >= 0.0),
            Self::Whole => x.floor(),
            Self::Knots(knots) => knots.partition_point(|knot| *knot <= x) as f64,
        }
    }

    /// Whether one lies in a range.
    fn meets(&self, range: Range) -> bool {
        match self {
            Self::Zero => range.contains(0.0),
            Self::Whole => range.lo.ceil() <= range.hi,
            Self::Knots(knots) => knots
                .get(knots.partition_point(|knot| *knot < range.lo))
                .is_some_and(|knot| *knot <= range.hi),
        }
    }
}

/// An operation that may make a corner or a jump, where a function of its operands passes a level.
struct Kink<'e> {
    /// The function: the first program less the second.
    first: &'e [Op],
    second: &'e [Op],
    levels: Levels<'e>,
    /// What lies behind it is at least twice differentiable.
    smooth: bool,
}

impl Kink<'_> {
    fn is_knot(&self) -> bool {
        matches!(self.levels, Levels::Knots(_))
    }
}

/// What the search needs to know of a function.
struct Search<'e> {
    tables: &'e [Arc<Curve>],
    depth: usize,
    stack: Vec<Enclosure>,
    effort: usize,
    found: Vec<Found>,
}

/// A passage.
struct Found {
    at: f64,
    margin: f64,
    smooth: bool,
    knot: bool,
}

impl Search<'_> {
    fn value(&self, kink: &Kink<'_>, t: f64) -> f64 {
        let run = |program: &[Op]| run::<f64>(program, self.depth, self.tables, &[], |_| t);
        let second = if kink.second.is_empty() {
            0.0
        } else {
            run(kink.second)
        };
        run(kink.first) - second
    }

    fn bounds(&mut self, kink: &Kink<'_>, [a, b]: [f64; 2]) -> Enclosure {
        self.effort += kink.first.len() + kink.second.len();
        let first = enclose(kink.first, self.tables, a, b, &mut self.stack);
        if kink.second.is_empty() {
            return first;
        }
        let second = enclose(kink.second, self.tables, a, b, &mut self.stack);
        let difference = first.subtract(second);
        // Values that differ by rounding are the same.
        let rounding = 8.0 * f64::EPSILON * first.value.size().max(second.value.size());
        let rounding = if rounding.is_finite() { rounding } else { 0.0 };
        Enclosure {
            value: Range::new(difference.value.lo - rounding, difference.value.hi + rounding),
            ..difference
        }
    }

    /// Passages of one operation; whether all of them were found.
    fn passages(&mut self, kink: &Kink<'_>, range: [f64; 2]) -> bool {
        let finest = FINEST * (range[1] - range[0]).max(range[0].abs()).max(range[1].abs());
        let mut open = vec![range];
        while let Some([a, b]) = open.pop() {
            if self.effort > EFFORT || self.found.len() > MOST {
                return false;
            }
            let bounds = self.bounds(kink, [a, b]);
            if !kink.levels.meets(bounds.value) {
                continue;
            }
            let level = bounds.slope == Range::ZERO;
            if !bounds.jumps && (level || !bounds.slope.contains(0.0)) {
                if !level {
                    self.monotone(kink, [a, b]);
                }
                continue;
            }
            let middle = 0.5 * (a + b);
            if b - a <= finest || middle <= a || middle >= b {
                self.found.push(Found {
                    at: b,
                    margin: spacing(b).max(b - a),
                    smooth: kink.smooth,
                    knot: kink.is_knot(),
                });
                continue;
            }
            open.extend([[middle, b], [a, middle]]);
        }
        true
    }

    /// All passages of a monotone function.
    fn monotone(&mut self, kink: &Kink<'_>, [a, b]: [f64; 2]) {
        let at = |search: &Self, t: f64| kink.levels.up_to(search.value(kink, t));
        let (from, to) = (at(self, a), at(self, b));
        // At its very beginning: the interval before ends there.
        let start = self.value(kink, a);
        if kink.levels.meets(Range::point(start)) {
            let margin = self.margin(kink, a, [a - f64::MIN_POSITIVE, b]);
            self.found.push(Found {
                at: a,
                margin,
                smooth: kink.smooth,
                knot: kink.is_knot(),
            });
        }
        let range = [a, b];
        let mut open = vec![([a, b], [from, to])];
        while let Some(([a, b], [from, to])) = open.pop() {
            if from == to || from.is_nan() || to.is_nan() || self.found.len() > MOST {
                continue;
            }
            let middle = 0.5 * (a + b);
            if middle <= a || middle >= b {
                let margin = self.margin(kink, b, range);
                self.found.push(Found {
                    at: b,
                    margin,
                    smooth: kink.smooth,
                    knot: kink.is_knot(),
                });
                continue;
            }
            let between = at(self, middle);
            self.effort += kink.first.len() + kink.second.len();
            open.extend([([middle, b], [between, to]), ([a, middle], [from, between])]);
        }
    }
}

impl Search<'_> {
    /// How large the terms are whose difference reaches the level.
    fn size(&self, kink: &Kink<'_>, t: f64) -> f64 {
        let run = |program: &[Op]| run::<f64>(program, self.depth, self.tables, &[], |_| t).abs();
        let largest = |program: &[Op]| match program.last() {
            Some(Op::Shift(k)) => k.abs(),
            Some(Op::Add | Op::Subtract) => run(last_operand(program)),
            Some(_) => run(program),
            None => 0.0,
        };
        largest(kink.first).max(largest(kink.second))
    }

    /// How far rounding may move a passage at `at` of a function that is monotone over a range. Where the function is
    /// flat its values are stairs much wider than the spacing of times; another way of evaluating them moves the place by
    /// a stair, and some steps are out of order: so places are tried at larger distances too, until no place is on
    /// the wrong side.
    fn margin(&mut self, kink: &Kink<'_>, at: f64, [a, b]: [f64; 2]) -> f64 {
        const SCALES: i32 = 12;
        const PROBES: i32 = 6;
        let [a0, b0] = [at - 1e-3 * (at - a), at + 1e-3 * (b - at)];
        let slope = (self.value(kink, b0) - self.value(kink, a0)).abs() / (b0 - a0);
        let stair = 4.0 * f64::EPSILON * self.size(kink, at) / slope;
        let least = if stair.is_finite() {
            spacing(at).max(stair)
        } else {
            spacing(at)
        };
        let mut margin = least;
        let level = |search: &Self, t: f64| kink.levels.up_to(search.value(kink, t));
        // Beyond that other passages are near, and not rounding.
        let most = 1e-6 * (b - a);
        for scale in 0..SCALES {
            let reach = least * 4.0_f64.powi(scale);
            if reach > most {
                break;
            }
            for side in [-1.0, 1.0] {
                let place = |k: i32| at + side * reach * (0.25 + 0.75 * f64::from(k) / f64::from(PROBES));
                let beyond = at + 4.0 * side * reach;
                if beyond <= a || beyond >= b {
                    continue;
                }
                let settled = level(self, beyond);
                if (0..=PROBES).any(|k| level(self, place(k)) != settled) {
                    margin = 8.0 * reach;
                }
            }
            self.effort += 2 * PROBES as usize * (kink.first.len() + kink.second.len());
        }
        margin
    }
}

/// The last operand of the last operation of a program.
fn last_operand(program: &[Op]) -> &[Op] {
    let end = program.len().saturating_sub(1);
    let (mut start, mut wanted) = (end, 1);
    while wanted > 0 && start > 0 {
        start -= 1;
        wanted = wanted + program[start].operands() - 1;
    }
    &program[start..end]
}

/// Parts of a program: where the operands of each operation begin, and whether they are functions of one variable.
struct Part {
    start: usize,
    end: usize,
    /// Depends on nothing but the variable.
    alone: bool,
    /// Depends on it.
    moves: bool,
}

/// Calls `visit` for every operation with the parts of the program that are its operands.
fn walk(program: &[Op], variable: usize, mut visit: impl FnMut(Op, usize, &[Part])) -> Option<Part> {
    let mut stack: Vec<Part> = Vec::new();
    for (number, op) in program.iter().enumerate() {
        let operands = stack.split_off(stack.len().saturating_sub(op.operands()));
        visit(*op, number, &operands);
        let (own, known) = match op {
            Op::Variable(k) => (*k as usize == variable, *k as usize == variable),
            _ => (false, true),
        };
        stack.push(Part {
            start: operands.first().map_or(number, |part| part.start),
            end: number + 1,
            alone: known && operands.iter().all(|part| part.alone),
            moves: own || operands.iter().any(|part| part.moves),
        });
    }
    stack.pop()
}

impl Expression {
    /// The largest parts of it that depend on one variable alone, each as an expression of that variable; the whole
    /// where nothing else is in it, none where it is constant.
    pub fn parts_of(&self, variable: usize) -> Vec<Self> {
        let mut places: Vec<[usize; 2]> = Vec::new();
        let mut keep = |part: &Part| {
            if part.alone && part.moves {
                places.push([part.start, part.end]);
            }
        };
        let whole = walk(&self.0.program, variable, |_, _, operands| {
            if operands.iter().any(|part| !part.alone) {
                operands.iter().for_each(&mut keep);
            }
        });
        if let Some(whole) = whole {
            keep(&whole);
        }
        let mut parts: Vec<Self> = Vec::new();
        for [start, end] in places {
            let part = self.part(start, end);
            // The bare variable has no features.
            if part.0.program.len() > 1 && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts
    }

    /// Whether it may change within a short range of other variables than one (no number of a variable stands for none):
    /// it is more than a polynomial of them. Switches on the state are located and do not count.
    pub fn has_features(&self, but: usize) -> bool {
        let mut found = false;
        walk(&self.0.program, but, |op, _, operands| {
            let sharp = match op {
                Op::Min | Op::Max | Op::Compare(_) | Op::Smoothstep | Op::Table(_) | Op::GeneralPower => true,
                Op::Divide => operands.last().is_some_and(|divisor| !divisor.alone),
                Op::Unary(f) => !matches!(
                    f,
                    Unary::Sqrt | Unary::Ln | Unary::Log10 | Unary::Asin | Unary::Acos
                ),
                _ => false,
            };
            found |= sharp && operands.iter().any(|part| !part.alone);
        });
        found
    }

    /// The same with other expressions, each of its own first variable, in place of some variables: as an expression of
    /// its first variable, and those that are left. None where it becomes too long.
    pub fn with<'e>(&self, known: impl Fn(usize) -> Option<&'e Self>) -> Option<Self> {
        let mut program = Vec::with_capacity(self.0.program.len());
        let mut tables = self.0.tables.clone();
        for op in &self.0.program {
            let inner = match op {
                Op::Variable(k) => known(*k as usize),
                _ => None,
            };
            let Some(inner) = inner else {
                program.push(*op);
                continue;
            };
            let offset = tables.len() as u32;
            tables.extend_from_slice(&inner.0.tables);
            program.extend(inner.0.program.iter().map(|op| match op {
                Op::Variable(_) => Op::Variable(0),
                Op::Table(k) => Op::Table(k + offset),
                other => *other,
            }));
        }
        let mut shapes: Vec<Shape> = Vec::new();
        let mut depth = 0;
        for op in &program {
            let operands = shapes.split_off(shapes.len().saturating_sub(op.operands()));
            shapes.push(op.shape(&operands));
            depth = depth.max(shapes.len());
        }
        let fits = depth <= MAX_STACK && program.len() <= MAX_OPERATIONS;
        fits.then(|| {
            Self(Arc::new(Compiled {
                depth,
                shape: shapes.pop().unwrap_or(self.0.shape),
                program,
                variables: self.0.variables.clone(),
                tables,
                dimension: DimensionState::Any,
            }))
        })
    }

    /// A part of the program as an expression of the only variable in it.
    fn part(&self, start: usize, end: usize) -> Self {
        let program: Vec<Op> = self.0.program[start..end]
            .iter()
            .map(|op| match op {
                Op::Variable(_) => Op::Variable(0),
                other => *other,
            })
            .collect();
        let mut shapes: Vec<Shape> = Vec::new();
        for op in &program {
            let operands = shapes.split_off(shapes.len().saturating_sub(op.operands()));
            shapes.push(op.shape(&operands));
        }
        Self(Arc::new(Compiled {
            depth: self.0.depth.min(MAX_STACK),
            shape: shapes.pop().unwrap_or(self.0.shape),
            program,
            variables: Arc::new(["t".to_string()]),
            tables: self.0.tables.clone(),
            dimension: DimensionState::Any,
        }))
    }

    /// Places within a range at which a function of one variable, its first, jumps or has a corner, in itself or in a
    /// derivative; ascending. `None` where there are too many to tell.
    ///
    /// Corners and jumps come from operations that pass from one piece to another. Bounds over intervals tell where
    /// none of them can; where the operand is monotone, bisection finds the place to the last digit.
    pub fn breaks(&self, [from, to]: [f64; 2]) -> Option<Vec<Break>> {
        if to <= from {
            return Some(Vec::new());
        }
        let compiled = &self.0;
        let mut kinks = Vec::new();
        walk(&compiled.program, 0, |op, _, operands| {
            self.kinks_of(op, operands, &mut kinks);
        });
        if kinks.is_empty() {
            return Some(Vec::new());
        }
        let mut search = Search {
            tables: &compiled.tables,
            depth: compiled.depth,
            stack: Vec::with_capacity(compiled.depth),
            effort: 0,
            found: Vec::new(),
        };
        for kink in &kinks {
            if !search.passages(kink, [from, to]) {
                return None;
            }
        }
        let mut found = search.found;
        found.retain(|found| found.at > from && found.at < to);
        found.sort_by(|a, b| a.at.total_cmp(&b.at));
        let scale = self.scale_of_jets([from, to]);
        let mut breaks: Vec<Break> = found
            .into_iter()
            .filter_map(|found| {
                let order = self.order_at(found.at, found.margin, &scale);
                (order < Break::SMOOTH || found.smooth).then_some(Break {
                    at: found.at,
                    margin: found.margin,
                    order,
                    knot: found.knot,
                })
            })
            .collect();
        Break::sort(&mut breaks);
        Some(breaks)
    }

    /// What an operation on some parts can do.
    fn kinks_of<'e>(&'e self, op: Op, operands: &[Part], kinks: &mut Vec<Kink<'e>>) {
        let program = |k: usize| &self.0.program[operands[k].start..operands[k].end];
        let moves = |k: usize| operands[k].moves;
        let mut add = |first: usize, second: Option<usize>, levels: Levels<'e>, smooth: bool| {
            if moves(first) || second.is_some_and(moves) {
                kinks.push(Kink {
                    first: program(first),
                    second: second.map_or(&[][..], program),
                    levels,
                    smooth,
                });
            }
        };
        match op {
            Op::Unary(Unary::Floor) => add(0, None, Levels::Whole, false),
            Op::Unary(f) if f.has_kinks() || f == Unary::Sqrt => add(0, None, Levels::Zero, false),
            Op::Power(Exponent::Real(_)) | Op::Atan2 => add(0, None, Levels::Zero, false),
            Op::Min | Op::Max => add(0, Some(1), Levels::Zero, false),
            // An equality holds for no time.
            Op::Compare(Comparison::Equal | Comparison::NotEqual) => {}
            Op::Compare(_) => add(0, Some(1), Levels::Zero, false),
            // A comparison has been looked at itself.
            Op::If if !matches!(program(0).last(), Some(Op::Compare(_))) => add(0, None, Levels::Zero, false),
            Op::Smoothstep => {
                add(0, Some(1), Levels::Zero, true);
                add(0, Some(3), Levels::Zero, true);
            }
            Op::Table(k) => {
                if let Some(table) = self.0.tables.get(k as usize) {
                    let knots = table.x();
                    if table.interpolation() == Interpolation::Spline {
                        add(0, None, Levels::Knots(&knots[..1]), false);
                        add(0, None, Levels::Knots(&knots[knots.len() - 1..]), false);
                    } else {
                        add(0, None, Levels::Knots(knots), false);
                    }
                }
            }
            _ => {}
        }
    }

    /// How large the function and its derivatives become, roughly.
    fn scale_of_jets(&self, [from, to]: [f64; 2]) -> [f64; 3] {
        const SAMPLES: usize = 64;
        let mut scale = [0.0; 3];
        for k in 0..=SAMPLES {
            let t = from + (to - from) * k as f64 / SAMPLES as f64;
            for (scale, x) in scale.iter_mut().zip(self.jet(t)) {
                *scale = if x.is_finite() {
                    x.abs().max(*scale)
                } else {
                    *scale
                };
            }
        }
        scale
    }

    /// The lowest derivative that jumps at a place.
    fn order_at(&self, at: f64, margin: f64, scale: &[f64; 3]) -> u8 {
        // Wide enough for the place and the jump, which rounding may keep apart.
        let moment = (4.0 * margin).max(f64::MIN_POSITIVE);
        let [before, behind]: [[f64; 3]; 2] = [at - moment, at + moment].map(|t| self.jet(t));
        for k in 0..3 {
            let (a, b) = (before[k], behind[k]);
            if !(a.is_finite() && b.is_finite()) {
                return k as u8;
            }
            // What the next derivative does in this moment is none.
            let change = match k {
                0 | 1 => 4.0 * moment * before[k + 1].abs().max(behind[k + 1].abs()),
                _ => 0.0,
            };
            let size = scale[k].max(a.abs()).max(b.abs());
            if (b - a).abs() > 1e-9 * size + if change.is_finite() { change } else { 0.0 } {
                return k as u8;
            }
        }
        Break::SMOOTH
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Scope;

    fn breaks(text: &str, to: f64) -> Vec<(f64, u8)> {
        let expression = Expression::parse(text, &Scope::time(), None).unwrap();
        let found = expression.breaks([0.0, to]).unwrap();
        found.into_iter().map(|b| (b.at, b.order)).collect()
    }

    fn assert_breaks(text: &str, to: f64, expected: &[(f64, u8)]) {
        let found = breaks(text, to);
        let same = found.len() == expected.len()
            && (found.iter().zip(expected)).all(|(a, b)| (a.0 - b.0).abs() < 1e-12 * b.0 && a.1 == b.1);
        assert!(same, "{text}: {found:?}, not {expected:?}");
    }

    #[test]
    fn breaks_carry_the_lowest_derivative_that_jumps() {
        assert_breaks("step(t - 2)", 9.0, &[(2.0, 0)]);
        assert_breaks("max(0, t - 2)", 9.0, &[(2.0, 1)]);
        assert_breaks("max(0, t - 2)^2", 9.0, &[(2.0, 2)]);
        assert_breaks("smoothstep(t, 1, 0, 3, 5)", 9.0, &[(1.0, 3), (3.0, 3)]);
        assert_breaks("floor(t/2)", 5.0, &[(2.0, 0), (4.0, 0)]);
        assert_breaks(
            "if(t < 2, 0, if(t > 4, 0, sin(pi*(t - 2)/2)))",
            9.0,
            &[(2.0, 1), (4.0, 1)],
        );
    }

    #[test]
    fn breaks_that_change_nothing_are_none() {
        // A branch never taken, and two that are equal where they meet.
        assert_breaks("if(t < 20, 0, step(t - 5))", 9.0, &[]);
        assert_breaks("if(t < 5, 2*t, t + t)", 9.0, &[]);
        assert_breaks("abs(sin(t) + 2)", 9.0, &[]);
    }

    #[test]
    fn nonlinear_bounds_are_solved() {
        use core::f64::consts::PI;
        assert_breaks("sin(t) > 0.5", 6.5, &[(PI / 6.0, 0), (5.0 * PI / 6.0, 0)]);
        assert_breaks("abs(exp(t) - 2)", 7.0, &[(2.0_f64.ln(), 1)]);
        assert_breaks("(t*t > 4)*(t < 3)", 7.0, &[(2.0, 0), (3.0, 0)]);
        // Some inner part jumps: the outer bound is passed there and elsewhere.
        assert_breaks(
            "step(t - 2*step(t - 1) - 0.5)",
            7.0,
            &[(0.5, 0), (1.0, 0), (2.5, 0)],
        );
    }

    #[test]
    fn bounds_passed_at_small_angles_have_margins() {
        // Pulses of a ten-thousandth of a period: rounding of the sine moves their ends by far more than that of t.
        for (bound, w) in [
            (0.999999, 3.1),
            (0.99999999, 3.1),
            (0.99999999, 700.0),
            (1.0 - 1e-10, 40.0),
        ] {
            for text in [
                format!("sin({w}*t) > {bound}"),
                format!("max(0, sin({w}*t) - {bound})/(1 - {bound})"),
            ] {
                let expression = Expression::parse(&text, &Scope::time(), None).unwrap();
                let found = expression.breaks([0.0, 10.0]).unwrap();
                let half = f64::acos(bound) / w;
                let peak = |k: usize| core::f64::consts::FRAC_PI_2 * (1.0 + 4.0 * k as f64) / w;
                let expected: Vec<f64> = (0..)
                    .map(peak)
                    .take_while(|t| *t < 11.0)
                    .flat_map(|t| [t - half, t + half])
                    .filter(|t| *t < 10.0)
                    .collect();
                assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
                for (b, t) in found.iter().zip(&expected) {
                    assert!((b.at - t).abs() <= b.margin + 1e-13, "{text}: {b:?}, not {t}");
                    assert!(b.margin < 0.05 * half, "{text}: {b:?}, {half}");
                    let [before, behind] = b.sides().map(|t| expression.evaluate(&[t]) > 0.0);
                    assert_ne!(before, behind, "{text}: {b:?}");
                }
            }
        }
    }

    #[test]
    fn thousands_are_found() {
        let found = breaks("if(sin(2*pi*50*t) > 0, 1, 0)", 60.0);
        // One at every half period inside.
        assert_eq!(found.len(), 2 * 50 * 60 - 1);
        let off = found
            .iter()
            .enumerate()
            .map(|(k, b)| (b.0 - 0.01 * (k as f64 + 1.0)).abs());
        assert!(off.fold(0.0, f64::max) < 1e-12);
    }

    #[test]
    fn parts_of_time_are_found_in_laws_of_more() {
        let scope = Scope::time().variable("x");
        let law = Expression::parse("2*max(0, step(t - 1) + 3 - x) + x*sin(t)", &scope, None).unwrap();
        let parts: Vec<String> = law.parts_of(0).iter().map(Expression::to_string).collect();
        assert_eq!(parts, ["step(t - 1) + 3", "sin(t)"]);
        assert!(law.has_features(0));
        let hill = Expression::parse("tanh(9*x) - tanh(9*x - 1)", &scope, None).unwrap();
        assert!(hill.has_features(0));
        let band = Expression::parse("(x > 1)*(x < 2)", &scope, None).unwrap();
        assert!(band.has_features(0));
        let smooth = Expression::parse("step(t - 1)*x^3/(1 + t^2) - 2*x", &scope, None).unwrap();
        assert!(!smooth.has_features(0));
    }

    #[test]
    fn bounds_hold_at_random_places() {
        let texts = [
            "sin(3*t)*exp(-t) + t^3/(1 + t*t)",
            "cos(t)^2 - tanh(2*t - 1) + atan(t)",
            "max(sin(t), 0.2*t) - min(t, cos(2*t))",
            "smoothstep(t, 1, 0, 3, 2)*hypot(t, 1) + sqrt(t + 1)",
            "if(t < 2, t, 4 - t) + abs(t - 1) + ln(t + 1)",
        ];
        let mut stack = Vec::new();
        for text in texts {
            let e = Expression::parse(text, &Scope::time(), None).unwrap();
            for k in 0..200 {
                let a = 4.0 * f64::from(k) * 0.618 % 4.0;
                let b = a + f64::from(k % 17) * 0.05;
                let bounds = enclose(&e.0.program, &e.0.tables, a, b, &mut stack);
                for j in 0..=10 {
                    let t = a + (b - a) * f64::from(j) / 10.0;
                    let [y, dy, _] = e.jet(t);
                    let inside = |r: Range, x: f64| r.lo - 1e-12 <= x && x <= r.hi + 1e-12;
                    assert!(inside(bounds.value, y), "{text} at {t} in {a}..{b}: {y}");
                    assert!(inside(bounds.slope, dy), "{text}′ at {t} in {a}..{b}: {dy}");
                }
            }
        }
    }
}
