//! Functions of one quantity, as builders of elements take them.

use crate::Expression;
use crate::curve::Curve;
use std::sync::Arc;

/// A function of one quantity, as builders take it: a table, an expression or a constant.
///
/// ```
/// use holonom_expression::{Expression, ScalarLaw, Scope};
/// let hardening = Expression::parse("1000*x + 5e4*x^3", &Scope::new().variable("x"), None).unwrap();
/// assert_eq!(ScalarLaw::from(hardening).over("x").evaluate(&[0.1]), 150.0);
/// assert_eq!(ScalarLaw::from(3.0).over("x").evaluate(&[0.1]), 3.0);
/// ```
#[derive(Clone, Debug)]
pub enum ScalarLaw {
    /// A table.
    Curve(Arc<Curve>),
    /// An expression of the quantity.
    Expression(Expression),
}

impl ScalarLaw {
    /// The law as an expression of the variable with this name. An expression that uses another
    /// variable stays as it is: compiling the mechanism names it.
    pub fn over(self, variable: &str) -> Expression {
        match self {
            Self::Curve(curve) => Expression::table(curve, variable),
            Self::Expression(law) => law.over_variables(&[variable]).unwrap_or(law),
        }
    }
}

impl From<Curve> for ScalarLaw {
    fn from(curve: Curve) -> Self {
        Self::Curve(Arc::new(curve))
    }
}

impl From<Arc<Curve>> for ScalarLaw {
    fn from(curve: Arc<Curve>) -> Self {
        Self::Curve(curve)
    }
}

impl From<Expression> for ScalarLaw {
    fn from(law: Expression) -> Self {
        Self::Expression(law)
    }
}

/// A constant; one that is not finite is reported when the mechanism is compiled.
impl From<f64> for ScalarLaw {
    fn from(value: f64) -> Self {
        Self::Expression(Expression::of_constant(value, crate::DimensionState::Any))
    }
}
