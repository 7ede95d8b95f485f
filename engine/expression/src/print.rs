//! A program as text that parses back to the same program.

use super::Expression;
use super::number::Unary;
use super::program::{Op, Shape};
use core::fmt;

/// The shortest text that reads back as the same number.
pub fn number(x: f64) -> String {
    // `Debug` chooses an exponent for very large and small numbers, `Display` never does.
    let text = format!("{x:?}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_string(),
        None => text,
    }
}

/// Parentheses where the operand binds too loosely.
fn wrapped((text, shape): (String, Shape), op: Op, operand: usize) -> String {
    if shape.level < op.needs()[operand.min(1)] {
        format!("({text})")
    } else {
        text
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack: Vec<(String, Shape)> = Vec::new();
        for &op in &self.0.program {
            let operands = stack.split_off(stack.len().saturating_sub(op.operands()));
            let shapes: Vec<Shape> = operands.iter().map(|(_, shape)| *shape).collect();
            let texts = operands.into_iter().enumerate();
            let mut texts = texts.map(|(k, operand)| wrapped(operand, op, k));
            let mut first = texts.next().unwrap_or_default();
            let mut infix = |symbol: &str| {
                // Appending keeps long sums cheap.
                first.push_str(symbol);
                first.push_str(&texts.next().unwrap_or_default());
                core::mem::take(&mut first)
            };
            let text = match op {
                Op::Constant(k) => number(k),
                Op::Variable(k) => self.0.variables.get(k as usize).cloned().unwrap_or_default(),
                Op::Add => infix(" + "),
                Op::Subtract => infix(" - "),
                Op::Multiply => infix("*"),
                Op::Divide => infix("/"),
                Op::GeneralPower => infix("^"),
                Op::Compare(how) => infix(&format!(" {} ", how.symbol())),
                Op::Negate => format!("-{first}"),
                Op::Shift(k) if k.is_sign_negative() => infix(&format!(" - {}", number(-k))),
                Op::Shift(k) => infix(&format!(" + {}", number(k))),
                Op::Scale(k) => format!("{}*{first}", number(k)),
                Op::Over(k) => infix(&format!("/{}", number(k))),
                Op::Power(p) => infix(&format!("^{}", number(p.value()))),
                call => {
                    let name = match call {
                        Op::Unary(f) => f.name(),
                        Op::Table(k) => self.0.tables.get(k as usize).map_or("", |table| table.name()),
                        Op::Switch(kind, _) => kind.name(),
                        Op::Weigh => "if",
                        other => named(other),
                    };
                    let rest: Vec<String> = texts.collect();
                    let all: Vec<String> = core::iter::once(first).chain(rest).collect();
                    format!("{name}({})", all.join(", "))
                }
            };
            stack.push((text, op.shape(&shapes)));
        }
        f.write_str(stack.last().map_or("", |(text, _)| text))
    }
}

/// Functions of several arguments by name.
pub(super) const FUNCTIONS: [(&str, Op); 6] = [
    ("atan2", Op::Atan2),
    ("hypot", Op::Hypot),
    ("min", Op::Min),
    ("max", Op::Max),
    ("if", Op::If),
    ("smoothstep", Op::Smoothstep),
];

fn named(op: Op) -> &'static str {
    FUNCTIONS
        .iter()
        .find(|(_, f)| *f == op)
        .map_or("", |(name, _)| name)
}

/// Names of the language's functions.
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    let unary = Unary::ALL.iter().map(|(name, _)| *name);
    unary
        .chain(FUNCTIONS.iter().map(|(name, _)| *name))
        .chain(["pow"])
}

/// Whether a name belongs to the language: its functions and `pi`.
pub fn is_reserved(name: &str) -> bool {
    name == "pi" || function_names().any(|function| function == name)
}
