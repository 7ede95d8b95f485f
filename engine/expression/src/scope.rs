//! What the names in an expression stand for.

use super::{Dimension, DimensionState, Expression};
use crate::curve::Curve;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names that an expression may use.
///
/// ```
/// use holonom_expression::{Ast, DimensionState, Dimension, Scope};
/// let scope = Scope::time().constant("L", 0.15, DimensionState::Known(Dimension::LENGTH));
/// let u = Ast::parse("L*sin(2*t)")?.bind(&scope, Some(Dimension::LENGTH)).unwrap();
/// assert_eq!(u.jet(0.0), [0.0, 0.3, 0.0]);
/// # Ok::<(), holonom_expression::ExpressionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub(super) variables: Vec<String>,
    /// Dimensions of variables and inputs that have one by what they are.
    pub(super) measured: BTreeMap<String, Dimension>,
    pub(super) constants: BTreeMap<String, (f64, DimensionState)>,
    pub(super) tables: BTreeMap<String, Arc<Curve>>,
    pub(super) inputs: BTreeMap<String, Arc<Expression>>,
    pub(super) forbidden: BTreeMap<String, String>,
}

impl Scope {
    /// No names besides those of the language.
    pub fn new() -> Self {
        Self::default()
    }

    /// The variable `t` alone: functions of time.
    pub fn time() -> Self {
        Self::new().quantity("t", Dimension::TIME)
    }

    /// One more variable, behind the others, whose dimension is known.
    #[must_use]
    pub fn quantity(mut self, name: impl Into<String>, dimension: Dimension) -> Self {
        let name = name.into();
        self.measured.insert(name.clone(), dimension);
        self.variable(name)
    }

    /// One more variable, behind the others.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>) -> Self {
        self.variables.push(name.into());
        self
    }

    /// A named number in SI. A plain one becomes [`DimensionState::Any`]: a parameter without
    /// unit may stand for any quantity.
    #[must_use]
    pub fn constant(mut self, name: impl Into<String>, value: f64, dimension: DimensionState) -> Self {
        self.set_constant(name, value, dimension);
        self
    }

    /// Adds or replaces a named number, see [`Scope::constant`].
    pub fn set_constant(&mut self, name: impl Into<String>, value: f64, dimension: DimensionState) {
        let dimension = match dimension {
            DimensionState::Plain => DimensionState::Any,
            other => other,
        };
        self.constants.insert(name.into(), (value, dimension));
    }

    /// A function of one argument, called by the curve's name.
    #[must_use]
    pub fn table(mut self, curve: Arc<Curve>) -> Self {
        self.tables.insert(curve.name().to_string(), curve);
        self
    }

    /// The same, called by another name: tables of parts keep apart by longer names of their own.
    #[must_use]
    pub fn table_as(mut self, name: impl Into<String>, curve: Arc<Curve>) -> Self {
        self.tables.insert(name.into(), curve);
        self
    }

    /// A named expression; its variables must be among those of the scope.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>, expression: Arc<Expression>) -> Self {
        self.inputs.insert(name.into(), expression);
        self
    }

    /// The same with the dimension that its unit tells.
    #[must_use]
    pub fn input_in(
        self,
        name: impl Into<String>,
        expression: Arc<Expression>,
        dimension: Dimension,
    ) -> Self {
        let name = name.into();
        let mut scope = self.input(name.clone(), expression);
        scope.measured.insert(name, dimension);
        scope
    }

    /// What is known about the dimension of a variable.
    pub(super) fn measure(&self, name: &str) -> DimensionState {
        let dimension = self.measured.get(name);
        dimension.map_or(DimensionState::Any, |d| DimensionState::Measured(*d))
    }

    /// A name that exists elsewhere; `reason` completes "`name` cannot be used here: …".
    #[must_use]
    pub fn forbid(mut self, name: impl Into<String>, reason: impl Into<String>) -> Self {
        self.forbidden.insert(name.into(), reason.into());
        self
    }

    /// Its variables, in the order of the values that evaluation takes.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// All names it knows besides functions, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        // What the user named comes first.
        let strings = self.constants.keys().chain(self.inputs.keys());
        strings.chain(&self.variables).map(String::as_str)
    }
}
