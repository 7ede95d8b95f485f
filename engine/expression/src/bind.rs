//! Names to meanings, dimensions checked, constants folded.
//!
//! One pass over the syntax: operands stand before their operators there as in the program, so
//! that a stack of what is known about each operand is all it takes.

use super::expression::Compiled;
use super::lexer::MAX_LENGTH;
use super::number::{Exponent, Unary};
use super::parse::{Binary, MAX_NESTING, NodeKind};
use super::print::{FUNCTIONS, function_names};
use super::program::{MAX_OPERATIONS, MAX_STACK, Op, Shape, run};
use super::{Ast, Dimension, DimensionState, Expression, ExpressionError, Scope, units};
use crate::curve::Curve;
use core::ops::Range;
use holonom_text::nearest;
use std::sync::Arc;

impl Expression {
    /// Parses and binds in one go, see [`Ast::parse`] and [`Ast::bind`].
    ///
    /// # Errors
    /// Those of both.
    pub fn parse(
        text: &str,
        scope: &Scope,
        expected: Option<Dimension>,
    ) -> Result<Self, Vec<ExpressionError>> {
        Ast::parse_as(text, expected)
            .map_err(|error| vec![error])?
            .bind(scope, expected)
    }
}

/// Operations whose printed form is short enough in any case but that of absurdly long names.
const SHORT: usize = 500;

/// What is known about an operand.
#[derive(Clone, Debug)]
struct Operand {
    /// Where its code begins.
    start: usize,
    /// Its value, if constant: its code is then that constant alone.
    constant: Option<f64>,
    state: DimensionState,
    span: Range<usize>,
    shape: Shape,
    depth: usize,
}

struct Binder<'a> {
    scope: &'a Scope,
    program: Vec<Op>,
    tables: Vec<Arc<Curve>>,
    stack: Vec<Operand>,
    errors: Vec<ExpressionError>,
}

impl Ast {
    /// Looks up all names, checks the dimensions and compiles.
    ///
    /// # Errors
    /// All faults found: unknown or forbidden names, contradicting dimensions (also with the one
    /// expected), wrong numbers of arguments, constants that are not finite, too deep nesting.
    pub fn bind(
        &self,
        scope: &Scope,
        expected: Option<Dimension>,
    ) -> Result<Expression, Vec<ExpressionError>> {
        let mut binder = Binder {
            scope,
            program: Vec::with_capacity(self.nodes.len()),
            tables: Vec::new(),
            stack: Vec::new(),
            errors: Vec::new(),
        };
        for node in &self.nodes {
            let span = node.span.clone();
            match &node.kind {
                NodeKind::Number(value, state) => binder.leaf(Op::Constant(*value), *state, span),
                NodeKind::Name => binder.name(&self.text[span.clone()], span),
                NodeKind::Negate => {
                    let state = binder.top(0).state;
                    binder.emit(Op::Negate, state, span);
                }
                NodeKind::Binary(binary) => binder.binary(*binary, span),
                NodeKind::Call(name, arguments) => {
                    binder.call(&self.text[name.clone()], name, *arguments, span);
                }
            }
            if binder.program.len() > MAX_OPERATIONS {
                let message = format!("the expression has more than {MAX_OPERATIONS} operations");
                binder
                    .errors
                    .push(ExpressionError::new(0..self.text.len(), message));
                return Err(binder.errors);
            }
        }
        binder.finish(expected, 0..self.text.len())
    }
}

impl Binder<'_> {
    /// The operand `k` below the top. The parser puts all operands there; a missing one would
    /// be a plain zero.
    fn top(&self, k: usize) -> Operand {
        let index = self.stack.len().checked_sub(k + 1);
        index.and_then(|i| self.stack.get(i)).cloned().unwrap_or(Operand {
            start: self.program.len(),
            constant: None,
            state: DimensionState::Any,
            span: 0..0,
            shape: Op::Constant(0.0).shape(&[]),
            depth: 1,
        })
    }

    fn error(&mut self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        let mut error = ExpressionError::new(span, message);
        error.help = help;
        self.errors.push(error);
    }

    fn leaf(&mut self, op: Op, state: DimensionState, span: Range<usize>) {
        self.stack.push(Operand {
            start: self.program.len(),
            constant: match op {
                Op::Constant(value) => Some(value),
                _ => None,
            },
            state,
            span,
            shape: op.shape(&[]),
            depth: 1,
        });
        self.program.push(op);
    }

    /// What stands for an operand that has an error: it can be anything.
    fn unknown(&mut self, span: Range<usize>) {
        self.leaf(Op::Variable(0), DimensionState::Any, span);
    }

    fn name(&mut self, name: &str, span: Range<usize>) {
        let scope = self.scope;
        if let Some(k) = scope.variables.iter().position(|variable| variable == name) {
            return self.leaf(Op::Variable(k as u32), scope.measure(name), span);
        }
        if let Some(&(value, state)) = scope.constants.get(name) {
            if !value.is_finite() {
                self.error(span.clone(), format!("`{name}` is not a finite number"), None);
                return self.unknown(span);
            }
            return self.leaf(Op::Constant(value), state, span);
        }
        if let Some(input) = scope.inputs.get(name) {
            return self.inline(name, input, span);
        }
        if name == "pi" {
            let pi = Op::Constant(core::f64::consts::PI);
            return self.leaf(pi, DimensionState::Plain, span);
        }
        let (message, help) = if let Some(reason) = scope.forbidden.get(name) {
            (format!("`{name}` cannot be used here: {reason}"), None)
        } else if scope.tables.contains_key(name) || function_names().any(|f| f == name) {
            let help = format!("write `{name}(…)`");
            (format!("`{name}` is a function"), Some(help))
        } else {
            (format!("unknown name `{name}`"), self.suggest(name))
        };
        self.error(span.clone(), message, help);
        self.unknown(span);
    }

    /// Help on a name that does not exist.
    fn suggest(&self, name: &str) -> Option<String> {
        if let Some(meant) = nearest(name, self.scope.names().chain(["pi"])) {
            return Some(format!("did you mean `{meant}`?"));
        }
        if units::find(name).is_some() {
            return Some(format!("write a unit directly after a number: `1 {name}`"));
        }
        const MOST: usize = 12;
        let mut names: Vec<&str> = self.scope.names().take(MOST + 1).collect();
        if names.len() > MOST {
            names[MOST] = "…";
        }
        Some(match names.is_empty() {
            true => "only `pi` and functions can be used here".to_string(),
            false => format!("known here: {}", names.join(", ")),
        })
    }

    /// The code of a named expression in place of its name.
    fn inline(&mut self, name: &str, input: &Expression, span: Range<usize>) {
        let names: Vec<&str> = self.scope.variables.iter().map(String::as_str).collect();
        let Ok(input) = input.over_variables(&names) else {
            let message = format!("`{name}` cannot be used here: it depends on other variables");
            self.error(span.clone(), message, None);
            return self.unknown(span);
        };
        // Keeps hostile chains of inputs from growing before the limit is checked.
        if self.program.len() + input.0.program.len() > 2 * MAX_OPERATIONS {
            self.error(span.clone(), "the expression has too many operations", None);
            return self.unknown(span);
        }
        let start = self.program.len();
        for op in &input.0.program {
            let op = match op {
                Op::Table(k) => match input.0.tables.get(*k as usize) {
                    Some(table) => Op::Table(self.intern(table)),
                    None => continue,
                },
                other => *other,
            };
            self.program.push(op);
        }
        let state = match (input.0.dimension, self.scope.measure(name)) {
            (known @ DimensionState::Known(_), _) => known,
            (own, DimensionState::Any) => own,
            (_, measured) => measured,
        };
        self.stack.push(Operand {
            start,
            constant: input.value(),
            state,
            span,
            shape: input.0.shape,
            depth: input.0.depth,
        });
    }

    fn intern(&mut self, table: &Arc<Curve>) -> u32 {
        let same = |other: &Arc<Curve>| Arc::ptr_eq(other, table) || other == table;
        let known = self.tables.iter().position(same);
        known.unwrap_or_else(|| {
            self.tables.push(table.clone());
            self.tables.len() - 1
        }) as u32
    }

    /// The common dimension of two operands; an error where they contradict.
    fn same(
        &mut self,
        a: DimensionState,
        b: DimensionState,
        span: &Range<usize>,
        say: impl FnOnce(String, String) -> String,
    ) -> DimensionState {
        match a.same(b) {
            Ok(state) => state,
            Err([a, b]) => {
                self.error(span.clone(), say(a.describe(), b.describe()), None);
                DimensionState::Any
            }
        }
    }

    fn binary(&mut self, binary: Binary, span: Range<usize>) {
        let (a, b) = (self.top(1), self.top(0));
        let (op, state) = match binary {
            Binary::Add => (
                Op::Add,
                self.same(a.state, b.state, &span, |a, b| format!("cannot add {a} and {b}")),
            ),
            Binary::Subtract => (
                Op::Subtract,
                self.same(a.state, b.state, &span, |a, b| {
                    format!("cannot subtract {b} from {a}")
                }),
            ),
            Binary::Compare(how) => {
                self.same(a.state, b.state, &span, |a, b| {
                    format!("cannot compare {a} with {b}")
                });
                (Op::Compare(how), DimensionState::Plain)
            }
            Binary::Multiply | Binary::Divide => {
                let divide = binary == Binary::Divide;
                let state = a.state.product(b.state, divide).unwrap_or_else(|| {
                    self.error(span.clone(), "the powers of the units are out of range", None);
                    DimensionState::Any
                });
                (if divide { Op::Divide } else { Op::Multiply }, state)
            }
            Binary::Power => (Op::GeneralPower, self.power(&a, &b, &span)),
        };
        self.emit(op, state, span);
    }

    /// The dimension of a power.
    fn power(&mut self, base: &Operand, exponent: &Operand, span: &Range<usize>) -> DimensionState {
        self.pure(exponent, "an exponent");
        let (DimensionState::Known(d) | DimensionState::Measured(d) | DimensionState::Scaled(d)) = base.state
        else {
            return base.state;
        };
        let like = |d: Dimension| match base.state {
            DimensionState::Known(_) => DimensionState::Known(d),
            DimensionState::Measured(_) => DimensionState::Measured(d),
            _ => DimensionState::Scaled(d),
        };
        if d.is_none() {
            return DimensionState::Plain;
        }
        if !matches!(base.state, DimensionState::Known(_)) {
            let power = exponent.constant.and_then(|p| d.power(p));
            return power.map_or(DimensionState::Any, like);
        }
        let Some(p) = exponent.constant else {
            let message = format!("the power of {} needs a constant exponent", d.describe());
            self.error(exponent.span.clone(), message, None);
            return DimensionState::Any;
        };
        match d.power(p) {
            Some(d) if d.is_none() => DimensionState::Plain,
            Some(d) => DimensionState::Known(d),
            None => {
                let message = format!("{} cannot be raised to the power {p}", d.describe());
                self.error(span.clone(), message, None);
                DimensionState::Any
            }
        }
    }

    /// The operand must be a plain number or an angle.
    fn pure(&mut self, operand: &Operand, what: &str) {
        if let DimensionState::Known(d) = operand.state
            && !d.is_none()
        {
            let message = format!(
                "{what} must be a plain number or an angle, but this is {}",
                d.describe()
            );
            self.error(operand.span.clone(), message, None);
        }
    }

    fn call(&mut self, name: &str, at: &Range<usize>, arguments: usize, span: Range<usize>) {
        let unary = Unary::ALL
            .iter()
            .find(|(f, _)| *f == name)
            .map(|(_, f)| Op::Unary(*f));
        let several = || FUNCTIONS.iter().find(|(f, _)| *f == name).map(|(_, op)| *op);
        let power = || (name == "pow").then_some(Op::GeneralPower);
        let table = || self.scope.tables.get(name).cloned();
        let op = match unary.or_else(several).or_else(power) {
            Some(op) => op,
            None => match table() {
                Some(table) => Op::Table(self.intern(&table)),
                None => {
                    self.no_function(name, at.clone());
                    self.drop_operands(arguments);
                    return self.unknown(span);
                }
            },
        };
        let many = matches!(op, Op::Min | Op::Max);
        let needed = op.operands();
        if arguments < needed || (arguments > needed && !many) {
            let least = if many { "at least " } else { "" };
            let s = if needed == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {least}{needed} argument{s}, not {arguments}");
            let usage = match op {
                Op::If => Some("if(condition, a, b)".to_string()),
                Op::Atan2 => Some("atan2(y, x)".to_string()),
                Op::Smoothstep => Some("smoothstep(x, x0, y0, x1, y1)".to_string()),
                _ if needed == 1 => Some(format!("{name}(x)")),
                _ => None,
            };
            self.error(
                span.clone(),
                message,
                usage.map(|usage| format!("write `{usage}`")),
            );
            self.drop_operands(arguments);
            return self.unknown(span);
        }
        if many {
            // min(a, b, c) is min(a, min(b, c)).
            for _ in 1..arguments {
                let state = self.several(name, &span, [1, 0]);
                self.emit(op, state, span.clone());
            }
            return;
        }
        let state = self.call_dimension(op, name, &span);
        self.emit(op, state, span);
    }

    fn several(&mut self, name: &str, span: &Range<usize>, [i, j]: [usize; 2]) -> DimensionState {
        let (a, b) = (self.top(i).state, self.top(j).state);
        self.same(a, b, span, |a, b| {
            format!("the arguments of `{name}` are {a} and {b}, which cannot be compared")
        })
    }

    /// Checks the dimensions of the arguments on the stack.
    fn call_dimension(&mut self, op: Op, name: &str, span: &Range<usize>) -> DimensionState {
        let x = self.top(0);
        match op {
            Op::Unary(Unary::Abs) => x.state,
            Op::Unary(Unary::Sign | Unary::Step) => DimensionState::Plain,
            Op::Unary(Unary::Sqrt) => match x.state {
                DimensionState::Known(d) => d.power(0.5).map_or_else(
                    || {
                        let message = format!("{} has no square root", d.describe());
                        self.error(span.clone(), message, None);
                        DimensionState::Any
                    },
                    DimensionState::Known,
                ),
                DimensionState::Measured(d) => {
                    d.power(0.5).map_or(DimensionState::Any, DimensionState::Measured)
                }
                DimensionState::Scaled(d) => d.power(0.5).map_or(DimensionState::Any, DimensionState::Scaled),
                other => other,
            },
            Op::Unary(_) => {
                self.pure(&x, &format!("the argument of `{name}`"));
                DimensionState::Plain
            }
            Op::Atan2 => {
                self.several(name, span, [1, 0]);
                DimensionState::Plain
            }
            Op::Hypot => self.several(name, span, [1, 0]),
            Op::If => {
                let (a, b) = (self.top(1).state, x.state);
                self.same(a, b, span, |a, b| {
                    format!("one branch of `if` is {a}, the other {b}")
                })
            }
            Op::Smoothstep => {
                // On the stack, from the top: y1, x1, y0, x0, x.
                let (x1, x0) = (self.top(1), self.top(3));
                self.several(name, span, [4, 3]);
                self.several(name, span, [4, 1]);
                if let (Some(a), Some(b)) = (x0.constant, x1.constant)
                    && a == b
                {
                    self.error(x1.span, "x0 and x1 of `smoothstep` must differ", None);
                }
                self.several(name, span, [2, 0])
            }
            Op::GeneralPower => {
                let base = self.top(1);
                self.power(&base, &x, span)
            }
            Op::Table(k) => {
                let table = self.tables.get(k as usize);
                let [argument, value] = table.map_or([None; 2], |table| table.dimensions());
                let given = match x.state {
                    DimensionState::Known(given) | DimensionState::Measured(given) => Some(given),
                    _ => None,
                };
                if let (Some(argument), Some(given)) = (argument, given)
                    && argument != given
                {
                    let message = format!(
                        "the argument of `{name}` is {}, but its table is over {}",
                        given.describe(),
                        argument.describe()
                    );
                    self.error(x.span, message, None);
                }
                value.map_or(DimensionState::Any, DimensionState::Known)
            }
            _ => DimensionState::Any,
        }
    }

    fn no_function(&mut self, name: &str, span: Range<usize>) {
        let is_number = name == "pi" || self.scope.names().any(|other| other == name);
        if is_number {
            let help = format!("to multiply, write `{name}*(…)`");
            return self.error(span, format!("`{name}` is not a function"), Some(help));
        }
        if let Some(reason) = self.scope.forbidden.get(name) {
            let message = format!("`{name}` cannot be used here: {reason}");
            return self.error(span, message, None);
        }
        let mut known: Vec<&str> = self.scope.tables.keys().map(String::as_str).collect();
        for function in function_names() {
            known.push(function);
        }
        let help = match name {
            "log" => Some("the natural logarithm is `ln`, the decimal one `log10`".to_string()),
            _ => nearest(name, known).map(|f| format!("did you mean `{f}`?")),
        };
        self.error(span, format!("unknown function `{name}`"), help);
    }

    /// Takes operands away with their code.
    fn drop_operands(&mut self, n: usize) {
        for _ in 0..n {
            if let Some(operand) = self.stack.pop() {
                self.program.truncate(operand.start);
            }
        }
    }

    /// An operation on the operands on top of the stack.
    fn emit(&mut self, op: Op, state: DimensionState, span: Range<usize>) {
        let n = op.operands().min(self.stack.len());
        let mut operands = self.stack.split_off(self.stack.len() - n);
        let start = operands
            .first()
            .map_or(self.program.len(), |operand| operand.start);
        if operands.iter().all(|operand| operand.constant.is_some()) {
            return self.fold(op, state, span, start, n);
        }
        if let (Op::If, [condition, a, b]) = (op, &operands[..])
            && let Some(condition) = condition.constant
        {
            // Only the branch that is always taken remains.
            let kept = if condition != 0.0 {
                self.program.truncate(b.start);
                a.clone()
            } else {
                self.program.drain(a.start..b.start);
                b.clone()
            };
            self.program.remove(start);
            self.stack.push(Operand {
                start,
                state,
                span,
                ..kept
            });
            return;
        }
        let constant = |k: usize| operands.get(k).and_then(|operand| operand.constant);
        // Operations with a constant have their own, cheaper form: which operand goes away.
        let special = match (op, constant(0), constant(1)) {
            (Op::Add, _, Some(k)) => Some((Op::Shift(k), 1)),
            (Op::Add, Some(k), _) => Some((Op::Shift(k), 0)),
            (Op::Subtract, _, Some(k)) => Some((Op::Shift(-k), 1)),
            (Op::Multiply, _, Some(k)) => Some((Op::Scale(k), 1)),
            (Op::Multiply, Some(k), _) => Some((Op::Scale(k), 0)),
            (Op::Divide, _, Some(k)) if k != 0.0 => Some((Op::Over(k), 1)),
            (Op::GeneralPower, _, Some(p)) => Some((Op::Power(Exponent::new(p)), 1)),
            _ => None,
        };
        let op = match special {
            Some((op, gone)) => {
                self.program.remove(operands[gone].start);
                operands.remove(gone);
                op
            }
            None => op,
        };
        if let (Op::Divide, Some(divisor)) = (op, operands.get(1))
            && divisor.constant.is_some()
        {
            self.error(divisor.span.clone(), "division by zero", None);
        }
        let shapes: Vec<Shape> = operands.iter().map(|operand| operand.shape).collect();
        let depths = operands.iter().enumerate().map(|(k, operand)| k + operand.depth);
        let depth = depths.max().unwrap_or(1);
        let shape = op.shape(&shapes);
        if depth > MAX_STACK || shape.nesting > MAX_NESTING {
            let help = "use a table, or fewer named expressions within each other".to_string();
            self.error(span.clone(), "the expression is nested too deep", Some(help));
            // Once is enough: what contains it goes on with something simple.
            self.program.truncate(start);
            return self.unknown(span);
        }
        self.program.push(op);
        self.stack.push(Operand {
            start,
            constant: None,
            state,
            span,
            shape,
            depth,
        });
    }

    /// The value of an operation on constants in place of its code.
    fn fold(&mut self, op: Op, state: DimensionState, span: Range<usize>, start: usize, n: usize) {
        // Constants raised to a power go the way of variables: the same digits either way.
        let op = match (op, self.program.last()) {
            (Op::GeneralPower, Some(&Op::Constant(p))) => {
                self.program.pop();
                Op::Power(Exponent::new(p))
            }
            _ => op,
        };
        self.program.push(op);
        let value = run::<f64>(&self.program[start..], n.max(1), &self.tables, &[], |_| f64::NAN);
        self.program.truncate(start);
        if value.is_finite() {
            return self.leaf(Op::Constant(value), state, span);
        }
        let help = match op {
            Op::Table(k) => self.tables.get(k as usize).map(|table| {
                let [from, to] = table.range();
                format!("`{}` is given from {from} to {to} only", table.name())
            }),
            _ => None,
        };
        self.error(span.clone(), "this is not a finite number", help);
        self.unknown(span);
    }

    fn finish(
        mut self,
        expected: Option<Dimension>,
        span: Range<usize>,
    ) -> Result<Expression, Vec<ExpressionError>> {
        let result = self.top(0);
        if let (Some(expected), DimensionState::Known(d)) = (expected, result.state)
            && d != expected
        {
            let message = format!(
                "this is {}, but {} is expected",
                d.describe(),
                expected.describe()
            );
            let late =
                expected.times(Dimension::TIME) == Some(d) && self.scope.variables.iter().any(|v| v == "t");
            let help = late
                .then(|| "t is a time in s: what it is multiplied by is a rate, such as 3 m/s".to_string());
            self.error(result.span, message, help);
            if let Some(error) = self.errors.last_mut() {
                error.wrong_dimension = true;
            }
        }
        if self.stack.len() != 1 && self.errors.is_empty() {
            self.error(span.clone(), "the expression is not complete", None);
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        // Tables of branches that were folded away are not used; number the others anew.
        let mut tables: Vec<Arc<Curve>> = Vec::new();
        for op in &mut self.program {
            if let Op::Table(k) = op
                && let Some(table) = self.tables.get(*k as usize)
            {
                let known = tables.iter().position(|other| Arc::ptr_eq(other, table));
                *k = known.unwrap_or_else(|| {
                    tables.push(table.clone());
                    tables.len() - 1
                }) as u32;
            }
        }
        let expression = Expression(Arc::new(Compiled {
            program: self.program,
            depth: result.depth,
            shape: result.shape,
            variables: self.scope.variables.iter().cloned().collect(),
            tables,
            dimension: result.state,
        }));
        // What is printed must be readable again. Short programs need no look.
        if expression.0.program.len() > SHORT && expression.to_string().len() > MAX_LENGTH {
            let message = format!(
                "the expression is longer than {} KiB when written out",
                MAX_LENGTH / 1024
            );
            return Err(vec![ExpressionError::new(span, message).with_help("use a table")]);
        }
        Ok(expression)
    }
}
