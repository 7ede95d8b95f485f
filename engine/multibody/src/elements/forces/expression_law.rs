//! Force laws written as expressions.

use super::User;
use holonom_algebra::{Formula, Real};
use holonom_expression::{Expression, ExpressionError, Scope};

/// A law between two frames from six expressions: force and torque on the second frame.
///
/// Inputs and outputs are those of [`User`]: all in the axes of the first frame.
///
/// ```
/// use holonom_expression::Ast;
/// use holonom_multibody::elements::forces::ExpressionLaw;
/// let scope = ExpressionLaw::scope();
/// let text = |text: &str| Ast::parse(text).unwrap().bind(&scope, None).unwrap();
/// let cubic = ExpressionLaw::new(
///     [text("-1000*x - 5e4*x^3 - 20*vx"), text("0"), text("0")],
///     [text("0"), text("0"), text("-0.1*wz")],
/// )?;
/// # Ok::<(), holonom_expression::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionLaw {
    outputs: [Expression; User::OUTPUTS],
}

impl ExpressionLaw {
    /// Names of the inputs: time, position of the second origin, rotation matrix of the second
    /// frame row by row, velocity of the second origin, relative angular velocity.
    pub const VARIABLES: [&'static str; User::INPUTS] = [
        "t", "x", "y", "z", "r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33", "vx", "vy", "vz",
        "wx", "wy", "wz",
    ];

    /// A scope with these variables.
    pub fn scope() -> Scope {
        Self::VARIABLES.into_iter().fold(Scope::new(), Scope::variable)
    }

    /// A law from the components of force and torque.
    ///
    /// # Errors
    /// When an expression uses a variable that is not among [`Self::VARIABLES`].
    pub fn new(force: [Expression; 3], torque: [Expression; 3]) -> Result<Self, ExpressionError> {
        let [fx, fy, fz] = force;
        let [mx, my, mz] = torque;
        let mut outputs = [fx, fy, fz, mx, my, mz];
        for output in &mut outputs {
            *output = output.over_variables(&Self::VARIABLES)?;
        }
        Ok(Self { outputs })
    }

    /// The components: force (3), torque (3).
    pub fn outputs(&self) -> &[Expression] {
        &self.outputs
    }

    /// Whether it has numbered switches.
    pub(crate) fn has_switches(&self) -> bool {
        self.outputs.iter().any(Expression::has_switches)
    }

    /// y = f(x) with switches on the sides of a run.
    pub(crate) fn evaluate_on<T: Real>(&self, x: &[T], sides: &[f64], y: &mut [T]) {
        for (y, output) in y.iter_mut().zip(&self.outputs) {
            *y = output.evaluate_on(x, sides);
        }
    }
}

impl Formula for ExpressionLaw {
    fn inputs(&self) -> usize {
        User::INPUTS
    }
    fn outputs(&self) -> usize {
        User::OUTPUTS
    }
    fn evaluate<T: Real>(&self, x: &[T], y: &mut [T]) {
        for (y, output) in y.iter_mut().zip(&self.outputs) {
            *y = output.evaluate(x);
        }
    }
}
