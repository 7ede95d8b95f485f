//! Where functions of one variable are not smooth.

use super::Expression;
use super::program::Op;

/// Whose points count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Those of all tables: between them they are polynomials.
    All,
    /// Those of tables with corners; splines have none.
    WithCorners,
}

impl Expression {
    /// Values of a variable at which the expression may have a kink or a jump, in itself or in a derivative, as far as
    /// they can be told from its program: where what is linear in the variable alone reaches a bound. In no order.
    pub fn kinks(&self, variable: usize, tables: Tables) -> Vec<f64> {
        let mut kinks = Vec::new();
        // What each operand is if it is a x + b.
        let mut stack: Vec<Option<[f64; 2]>> = Vec::new();
        for op in &self.0.program {
            let operands = stack.split_off(stack.len().saturating_sub(op.operands()));
            let operand = |k: usize| operands.get(k).copied().flatten();
            let mut crossing = |p: Option<[f64; 2]>, q: Option<[f64; 2]>| {
                if let (Some([a, b]), Some([c, d])) = (p, q)
                    && a != c
                {
                    kinks.push((d - b) / (a - c));
                }
            };
            let sum = |sign: f64| {
                let ([a, b], [c, d]) = (operand(0)?, operand(1)?);
                Some([a + sign * c, b + sign * d])
            };
            let scaled = |k: f64| operand(0).map(|[a, b]| [k * a, k * b]);
            stack.push(match *op {
                Op::Constant(k) => Some([0.0, k]),
                Op::Variable(k) if k as usize == variable => Some([1.0, 0.0]),
                Op::Negate => scaled(-1.0),
                Op::Add => sum(1.0),
                Op::Subtract => sum(-1.0),
                Op::Shift(k) => operand(0).map(|[a, b]| [a, b + k]),
                Op::Scale(k) => scaled(k),
                Op::Over(k) => scaled(1.0 / k),
                Op::Unary(f) if f.has_kinks() => {
                    crossing(operand(0), Some([0.0, 0.0]));
                    None
                }
                Op::Min | Op::Max | Op::Compare(_) => {
                    crossing(operand(0), operand(1));
                    None
                }
                Op::Smoothstep => {
                    [1, 3].into_iter().for_each(|k| crossing(operand(0), operand(k)));
                    None
                }
                Op::Table(k) => {
                    let table = self.0.tables.get(k as usize);
                    let seen = table.filter(|t| tables == Tables::All || !t.is_smooth());
                    let knots = seen.map_or(&[][..], |table| table.x());
                    knots
                        .iter()
                        .for_each(|knot| crossing(operand(0), Some([0.0, *knot])));
                    None
                }
                _ => None,
            });
        }
        kinks.retain(|x| x.is_finite());
        kinks
    }
}
