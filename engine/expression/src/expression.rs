//! [`Expression`]: what is evaluated.

use crate::curve::Curve;
use crate::dimension::DimensionState;
use crate::error::ExpressionError;
use crate::number::Jet;
use crate::program::{Op, Shape, run};
use holonom_algebra::Real;
use std::sync::Arc;

/// A bound expression: numbers in, number out, with exact derivatives.
///
/// Printing gives a text with all constants as numbers that parses back to an equal expression.
/// Equality looks at what is computed, not at dimensions.
/// Copies share the program.
#[derive(Clone, Debug)]
pub struct Expression(pub(crate) Arc<Compiled>);

#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) program: Vec<Op>,
    /// Deepest stack.
    pub(crate) depth: usize,
    /// How the printed form looks to the parser.
    pub(crate) shape: Shape,
    pub(crate) variables: Arc<[String]>,
    pub(crate) tables: Vec<Arc<Curve>>,
    pub(crate) dimension: DimensionState,
}

impl Expression {
    /// A constant.
    ///
    /// # Errors
    /// When it is not finite.
    pub fn constant(value: f64, dimension: DimensionState) -> Result<Self, ExpressionError> {
        if !value.is_finite() {
            return Err(ExpressionError::new(
                0..0,
                format!("{value} is not a finite number"),
            ));
        }
        Ok(Self::of_constant(value, dimension))
    }

    /// Zero, of any dimension.
    pub fn zero() -> Self {
        Self::of_constant(0.0, DimensionState::Any)
    }

    pub(crate) fn of_constant(value: f64, dimension: DimensionState) -> Self {
        let op = Op::Constant(value);
        Self(Arc::new(Compiled {
            program: vec![op],
            depth: 1,
            shape: op.shape(&[]),
            variables: Arc::new([]),
            tables: Vec::new(),
            dimension,
        }))
    }

    /// The value of a table at a variable.
    ///
    /// ```
    /// use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
    /// use holonom_expression::Expression;
    /// let curve = Curve::new("rubber", vec![0.0, 1.0], vec![0.0, 5.0], Interpolation::Linear, Extrapolation::Hold)?;
    /// let law = Expression::table(curve.into(), "x");
    /// assert_eq!((law.evaluate(&[0.5]), law.to_string().as_str()), (2.5, "rubber(x)"));
    /// # Ok::<(), holonom_expression::curve::CurveError>(())
    /// ```
    pub fn table(curve: Arc<Curve>, variable: &str) -> Self {
        let (argument, call) = (Op::Variable(0), Op::Table(0));
        Self(Arc::new(Compiled {
            program: vec![argument, call],
            depth: 1,
            shape: call.shape(&[argument.shape(&[])]),
            variables: Arc::new([variable.to_string()]),
            tables: vec![curve],
            dimension: DimensionState::Any,
        }))
    }

    /// Its value for values of the variables. A variable without value is not a number.
    pub fn evaluate<T: Real>(&self, variables: &[T]) -> T {
        self.evaluate_on(variables, &[])
    }

    /// The same with switches on the sides of a run, which are two numbers for each; without them switches follow
    /// their operands.
    ///
    /// A step looks beyond the border of a switch before it is located, and the branch that is kept need not be defined
    /// there, as the root in `if(z < 0, sqrt(-z), 0)`: then the switches follow their operands.
    pub fn evaluate_on<T: Real>(&self, variables: &[T], sides: &[f64]) -> T {
        let on = |sides: &[f64]| {
            run(&self.0.program, self.0.depth, &self.0.tables, sides, |k| {
                variables.get(k).copied().unwrap_or(T::constant(f64::NAN))
            })
        };
        let kept = on(sides);
        if kept.is_finite() || sides.is_empty() || !self.has_switches() {
            return kept;
        }
        on(&[])
    }

    /// Value, first and second derivative by its first variable, for functions of time.
    ///
    /// With dual numbers the results carry their derivatives: those of the last are third ones.
    /// Other variables than the first are not numbers here.
    pub fn jet<T: Real>(&self, t: T) -> [T; 3] {
        run(&self.0.program, self.0.depth, &self.0.tables, &[], |k| match k {
            0 => Jet::variable(t),
            _ => Jet([T::constant(f64::NAN); 3]),
        })
        .0
    }

    /// Value, first and second derivative by one of its variables, the others held.
    pub fn partial<T: Real>(&self, variables: &[T], by: usize) -> [T; 3] {
        run(&self.0.program, self.0.depth, &self.0.tables, &[], |k| {
            let value = variables.get(k).copied().unwrap_or(T::constant(f64::NAN));
            if k == by {
                Jet::variable(value)
            } else {
                Jet([value, T::zero(), T::zero()])
            }
        })
        .0
    }

    /// Whether it depends on no variable.
    pub fn is_constant(&self) -> bool {
        self.value().is_some()
    }

    /// Its value when it is constant.
    pub fn value(&self) -> Option<f64> {
        match self.0.program[..] {
            [Op::Constant(value)] => Some(value),
            _ => None,
        }
    }

    /// What is known about its dimension.
    pub fn dimension(&self) -> DimensionState {
        self.0.dimension
    }

    /// Names of the variables, in the order of their values.
    pub fn variables(&self) -> &[String] {
        &self.0.variables
    }

    /// Whether it uses the variable of a number.
    pub fn uses(&self, variable: usize) -> bool {
        let used = |op: &Op| matches!(op, Op::Variable(k) if *k as usize == variable);
        self.0.program.iter().any(used)
    }

    /// The tables it uses.
    pub fn tables(&self) -> &[Arc<Curve>] {
        &self.0.tables
    }

    /// Whether it may have corners or jumps: `abs`, `sign`, `floor`, `step`, `min`, `max`,
    /// comparisons, `if` and tables that are not splines. It is then not twice differentiable
    /// everywhere. Of a table only its range counts, not how it goes on outside.
    pub fn has_kinks(&self) -> bool {
        self.0.program.iter().any(|op| op.has_kinks(&self.0.tables))
    }

    /// sign · f(signs · variables), each sign +1 or −1; variables without a sign keep theirs.
    ///
    /// Doing it twice gives the original.
    pub fn with_signs(&self, sign: f64, signs: &[f64]) -> Self {
        let mut program = Vec::with_capacity(self.0.program.len() + 1);
        let mut ops = self.0.program.iter().copied().peekable();
        while let Some(op) = ops.next() {
            program.push(op);
            let negative = |k: u32| signs.get(k as usize).is_some_and(|sign| *sign < 0.0);
            // Two negations are none.
            if matches!(op, Op::Variable(k) if negative(k)) && ops.next_if_eq(&Op::Negate).is_none() {
                program.push(Op::Negate);
            }
        }
        if sign < 0.0 {
            match program.pop() {
                Some(Op::Negate) => {}
                Some(Op::Constant(value)) if program.is_empty() => program.push(Op::Constant(0.0 - value)),
                last => {
                    program.extend(last);
                    program.push(Op::Negate);
                }
            }
        }
        let mut shapes: Vec<Shape> = Vec::new();
        for op in &program {
            let operands = shapes.split_off(shapes.len().saturating_sub(op.operands()));
            shapes.push(op.shape(&operands));
        }
        let compiled = Compiled {
            program,
            shape: shapes.pop().unwrap_or(self.0.shape),
            ..Compiled::clone(&self.0)
        };
        Self(Arc::new(compiled))
    }

    /// The same over its first variable and those that it uses, by name: equal expressions stay
    /// equal, whatever else they might have used.
    pub fn over_used(&self) -> Self {
        let mut names = self.0.variables.iter().enumerate();
        let first = names.next().map(|(_, name)| name.as_str());
        let mut used: Vec<&str> = names
            .filter(|&(k, _)| self.uses(k))
            .map(|(_, name)| name.as_str())
            .collect();
        used.sort_unstable();
        let list: Vec<&str> = first.into_iter().chain(used).collect();
        self.over_variables(&list).unwrap_or_else(|_| self.clone())
    }

    /// The same with other names of its variables.
    pub fn with_variables(&self, name: impl Fn(&str) -> String) -> Self {
        let mut renamed = Compiled::clone(&self.0);
        renamed.variables = self.0.variables.iter().map(|variable| name(variable)).collect();
        Self(Arc::new(renamed))
    }

    /// The same over another list of variables, found by name.
    ///
    /// # Errors
    /// When a variable that is used is not in the list.
    pub fn over_variables(&self, names: &[&str]) -> Result<Self, ExpressionError> {
        let mut moved = Compiled::clone(&self.0);
        for op in &mut moved.program {
            if let Op::Variable(k) = op {
                let name = self.0.variables.get(*k as usize).map_or("", String::as_str);
                let Some(to) = names.iter().position(|other| *other == name) else {
                    let message = format!("the variable `{name}` does not exist here");
                    return Err(ExpressionError::new(0..0, message)
                        .with_help(format!("there are: {}", names.join(", "))));
                };
                *k = to as u32;
            }
        }
        moved.variables = names.iter().map(|name| (*name).to_string()).collect();
        Ok(Self(Arc::new(moved)))
    }
}

/// Zero.
impl Default for Expression {
    fn default() -> Self {
        Self::zero()
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        // Of a constant it does not matter which variables it does not use.
        self.0.program == other.0.program
            && (self.is_constant() || self.0.variables == other.0.variables)
            && self.0.tables.len() == other.0.tables.len()
            && self
                .0
                .tables
                .iter()
                .zip(&other.0.tables)
                .all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
    }
}
