//! Switches: operations whose value jumps where a function of the state passes zero or a whole number.
//!
//! Between events a run keeps each of them on one side, so that integrators see a smooth function; the passage is
//! located as an event. Where both sides lead back to the border the switch slides along it [Filippov 1988, §4]: it
//! then goes over linearly from one side to the other within a band so narrow that tolerances do not notice.

use crate::dimension::DimensionState;
use crate::expression::{Compiled, Expression};
use crate::grammar::Comparison;
use crate::number::Unary;
use crate::program::{Op, Shape};
pub use crate::sides::{Order, Side, SwitchKind};
use std::sync::Arc;

/// A switch in an expression.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Which operation it is.
    pub kind: SwitchKind,
    /// The function of the state whose passages turn it.
    pub function: Expression,
    /// As it is written.
    pub text: String,
}

/// What is known of an operand while switches are looked for.
struct Operand {
    /// Where its code begins.
    start: usize,
    /// It depends on the state.
    moves: bool,
    /// It is 1 or 0, and a switch in it may take any value between when it slides.
    truth: bool,
}

impl Expression {
    /// The same with its switches on the state numbered from `first`, and these; none without such switches. `still`
    /// tells of a variable whether it is a function of time alone.
    pub fn switched(&self, first: usize, still: impl Fn(usize) -> bool) -> Option<(Self, Vec<Switch>)> {
        let mut found: Vec<Switch> = Vec::new();
        let mut program: Vec<Op> = Vec::with_capacity(self.0.program.len());
        let mut stack: Vec<Operand> = Vec::new();
        for &op in &self.0.program {
            let operands = stack.split_off(stack.len().saturating_sub(op.operands()));
            let start = operands.first().map_or(program.len(), |operand| operand.start);
            let moves = match op {
                Op::Variable(k) => !still(k as usize),
                _ => operands.iter().any(|operand| operand.moves),
            };
            let all_truths = operands.iter().all(|operand| operand.truth);
            let truth = match op {
                Op::Compare(_) | Op::Unary(Unary::Step) => true,
                Op::Multiply | Op::Min | Op::Max => all_truths,
                // 1 − x negates.
                Op::Subtract => {
                    let one = operands
                        .first()
                        .is_some_and(|one| matches!(program[one.start..], [Op::Constant(1.0), ..]));
                    one && operands
                        .last()
                        .is_some_and(|last| last.truth && last.start == start + 1)
                }
                _ => false,
            };
            let kind = match op {
                _ if !moves => None,
                Op::Compare(how) => Order::of(how).map(SwitchKind::Compare),
                Op::Unary(Unary::Sign) => Some(SwitchKind::Sign),
                Op::Unary(Unary::Step) => Some(SwitchKind::Step),
                Op::Unary(Unary::Floor) => Some(SwitchKind::Floor),
                _ => None,
            };
            match (kind, op) {
                (Some(kind), _) => {
                    let mut function = program[start..].to_vec();
                    program.push(op);
                    let text = self.piece(program[start..].to_vec()).to_string();
                    program.pop();
                    if op.operands() == 2 {
                        function.push(Op::Subtract);
                        program.push(Op::Subtract);
                    }
                    program.push(Op::Switch(kind, (first + found.len()) as u32));
                    found.push(Switch {
                        kind,
                        function: self.piece(function),
                        text,
                    });
                }
                (None, Op::If) if moves && operands.first().is_some_and(|condition| condition.truth) => {
                    program.push(Op::Weigh);
                }
                _ => program.push(op),
            }
            stack.push(Operand { start, moves, truth });
        }
        if found.is_empty() {
            return None;
        }
        Some((self.piece(program), found))
    }

    /// Comparisons with `==` and `!=` of what changes with its variables, as they are written. They hold, or fail to hold,
    /// only for an instant of a motion, which no integrator meets. Whole numbers and sides of switches keep their values
    /// for a while: comparing these is meant.
    pub fn equalities(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        // Where the code of each operand begins, and whether it changes gradually.
        let mut stack: Vec<(usize, bool)> = Vec::new();
        for (k, op) in self.0.program.iter().enumerate() {
            let operands = stack.split_off(stack.len().saturating_sub(op.operands()));
            let start = operands.first().map_or(k, |operand| operand.0);
            let gradually = operands.iter().any(|operand| operand.1);
            if gradually && matches!(op, Op::Compare(Comparison::Equal | Comparison::NotEqual)) {
                let text = self.piece(self.0.program[start..=k].to_vec()).to_string();
                if !found.contains(&text) {
                    found.push(text);
                }
            }
            let gradually = match op {
                Op::Variable(_) => true,
                Op::Compare(_) | Op::Switch(..) => false,
                Op::Unary(Unary::Sign | Unary::Step | Unary::Floor) => false,
                _ => gradually,
            };
            stack.push((start, gradually));
        }
        found
    }

    /// The same as it was before its switches were numbered.
    pub fn unswitched(&self) -> Self {
        if !self.has_switches() {
            return self.clone();
        }
        let mut program: Vec<Op> = Vec::with_capacity(self.0.program.len());
        for &op in &self.0.program {
            let before = match op {
                Op::Switch(SwitchKind::Compare(order), _) => {
                    // Its operand is the difference of its sides.
                    program.pop();
                    Op::Compare(order.comparison())
                }
                Op::Switch(SwitchKind::Sign, _) => Op::Unary(Unary::Sign),
                Op::Switch(SwitchKind::Step, _) => Op::Unary(Unary::Step),
                Op::Switch(SwitchKind::Floor, _) => Op::Unary(Unary::Floor),
                Op::Weigh => Op::If,
                op => op,
            };
            program.push(before);
        }
        self.piece(program)
    }

    /// Whether it has numbered switches.
    pub fn has_switches(&self) -> bool {
        self.0.program.iter().any(|op| matches!(op, Op::Switch(..)))
    }

    /// Another program over the same variables.
    fn piece(&self, program: Vec<Op>) -> Self {
        let mut shapes: Vec<Shape> = Vec::new();
        for op in &program {
            let operands = shapes.split_off(shapes.len().saturating_sub(op.operands()));
            shapes.push(op.shape(&operands));
        }
        Self(Arc::new(Compiled {
            program,
            shape: shapes.pop().unwrap_or(self.0.shape),
            dimension: DimensionState::Any,
            ..Compiled::clone(&self.0)
        }))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Scope;
    use super::*;
    use holonom_algebra::{Dual4, Real};

    fn switched(text: &str, first: usize) -> Option<(Expression, Vec<Switch>)> {
        let scope = Scope::time().variable("x").variable("v");
        let expression = Expression::parse(text, &scope, None).unwrap();
        let result = expression.switched(first, |variable| variable == 0);
        // Without sides it says the same.
        if let Some((other, _)) = &result {
            assert_eq!(other.unswitched(), expression, "{text}");
            for place in [
                [0.3, -1.2, 0.4],
                [2.0, 0.0, 0.0],
                [1.0, 1.0, -3.5],
                [0.0, 0.25, 1.0],
            ] {
                assert_eq!(
                    other.evaluate(&place),
                    expression.evaluate(&place),
                    "{text} at {place:?}"
                );
            }
        }
        result
    }

    #[test]
    fn switches_on_the_state_are_found_and_those_on_time_are_not() {
        for (text, expected) in [
            ("if(t > 1, x, 2*x)", &[][..]),
            ("sin(x) + abs(v) + max(x, 0)", &[]),
            ("if(x == 0, 1, 2)", &[]),
            ("3*sign(v) + floor(2*t)", &["sign(v)"]),
            (
                "if((x > 0.2*t)*(v <= 1), floor(10*x), step(t - 1))",
                &["x > 0.2*t", "v <= 1", "floor(10*x)"],
            ),
            (
                "if(if(x > 0, v, -v) >= 1, 1, 0)",
                &["x > 0", "if(step(x - 0), v, -v) >= 1"],
            ),
        ] {
            let found = switched(text, 3).map_or(Vec::new(), |(_, switches)| switches);
            assert_eq!(found.len(), expected.len(), "{text}");
            for (switch, expected) in found.iter().zip(expected) {
                if !expected.contains("step") {
                    assert_eq!(switch.text, *expected);
                }
            }
        }
    }

    #[test]
    fn equalities_of_what_changes_gradually_are_named() {
        for (text, expected) in [
            ("if(x == 0.5, 1, 2)", &["x == 0.5"][..]),
            ("(t != 3)*v + max(if(2*x == v, 1, 0), 1)", &["t != 3", "2*x == v"]),
            ("if(floor(x) == 2, 1, 0) + (sign(v) != 1) + (step(t) == 1)", &[]),
            ("if(1 == 2, x, v)", &[]),
            ("x >= 1", &[]),
        ] {
            let scope = Scope::time().variable("x").variable("v");
            let expression = Expression::parse(text, &scope, None).unwrap();
            assert_eq!(expression.equalities(), expected, "{text}");
        }
    }

    #[test]
    fn kept_switches_stay_and_sliding_ones_go_over_linearly() {
        let (law, switches) = switched("if(1 - (x < 0), 5, 1) + 10*sign(v)", 0).unwrap();
        let kept = [Side::Kept(1.0).numbers(), Side::Kept(-1.0).numbers()].concat();
        // x ≥ 0 and v < 0 are kept on the other sides too.
        assert_eq!(law.evaluate_on(&[0.0, -3.0, 2.0], &kept), 5.0 - 10.0);
        let slides = switches[0].kind.sliding(0.0, 0.5).numbers();
        let sides = [slides, Side::Kept(1.0).numbers()].concat();
        for x in [-0.49, -0.2, 0.0, 0.1, 0.49] {
            let at = [Dual4::zero(), Dual4::variable(x, 0), Dual4::zero()];
            let value = law.evaluate_on(&at, &sides);
            assert!((Real::value(value) - (3.0 + 4.0 * x + 10.0)).abs() < 1e-14, "{x}");
            assert!((value.derivative(0) - 4.0).abs() < 1e-14, "{x}");
        }
    }

    #[test]
    fn margins_are_positive_on_the_side_and_turns_lead_to_the_next_one() {
        let floor = SwitchKind::Floor;
        assert_eq!(floor.side(2.3), 2.0);
        let side = Side::Kept(2.0);
        assert!(
            floor.margin(side, 2.3) > 0.0 && floor.margin(side, 3.1) < 0.0 && floor.margin(side, 1.9) < 0.0
        );
        assert_eq!(floor.turned(side, 3.000_001), Side::Kept(3.0));
        assert_eq!(floor.turned(side, 1.999_999), Side::Kept(1.0));
        assert_eq!(
            floor.sliding(2.999, 0.1),
            Side::Slides {
                border: 3.0,
                width: 0.1
            }
        );
        assert_eq!(floor.turned(floor.sliding(3.0, 0.1), 3.2), Side::Kept(3.0));
        assert_eq!(floor.turned(floor.sliding(3.0, 0.1), 2.8), Side::Kept(2.0));
        let sign = SwitchKind::Sign;
        assert!(sign.margin(Side::Kept(-1.0), -0.5) > 0.0);
        assert_eq!(sign.turned(Side::Kept(-1.0), 1e-17), Side::Kept(1.0));
        assert_eq!(Side::of(&Side::LIVE, 0), Side::Live);
        assert_eq!(Side::of(&[], 4), Side::Live);
    }
}
