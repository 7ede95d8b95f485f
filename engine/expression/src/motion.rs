//! Whether a function of time can be followed: its value and its rate must not jump.

use super::Expression;
use super::program::Op;
use core::fmt;

/// Why nothing can follow a function of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionFault {
    /// It has corners, and the instants at which they are cannot be told from the expression.
    Hidden,
    /// Its value jumps.
    Value {
        /// When, s.
        t: f64,
        /// The value before.
        before: f64,
        /// The value after.
        after: f64,
    },
    /// Its rate jumps: an infinite acceleration.
    Rate {
        /// When, s.
        t: f64,
        /// The rate before.
        before: f64,
        /// The rate after.
        after: f64,
    },
}

impl fmt::Display for MotionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden => {
                f.write_str("this function has corners at times that cannot be determined in advance")
            }
            Self::Value { t, before, after } => {
                write!(
                    f,
                    "the value of this function jumps at t = {t} s from {before} to {after}"
                )
            }
            Self::Rate { t, before, after } => {
                write!(
                    f,
                    "the rate of this function jumps at t = {t} s from {before} to {after}"
                )
            }
        }
    }
}

/// What an operand is as a function of t.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// a t + b.
    Line(f64, f64),
    /// Constant between corners that are known.
    Steps,
    Other,
}

impl Expression {
    /// Checks that something can move as this function of its only variable t says: between its
    /// corners it has two derivatives, and at them neither value nor rate jumps. The acceleration may.
    ///
    /// ```
    /// use holonom_expression::{Expression, Scope};
    /// let of_time = |text: &str| Expression::parse(text, &Scope::time(), None);
    /// // Run up at constant acceleration, then hold the speed.
    /// assert!(of_time("if(t < 2, 3*t^2/4, 3*(t - 1))")?.check_motion().is_ok());
    /// assert!(of_time("if(t < 2, 3*t^2/4, 3*(t - 2))")?.check_motion().is_err());
    /// assert!(of_time("abs(t - 1)")?.check_motion().is_err());
    /// # Ok::<(), Vec<holonom_expression::ExpressionError>>(())
    /// ```
    ///
    /// # Errors
    /// The first jump, or corners that cannot be told.
    pub fn check_motion(&self) -> Result<(), MotionFault> {
        self.check_corners(true)
    }

    /// Checks that a velocity can follow this function of its only variable t: its value does not jump. Its rate may.
    ///
    /// ```
    /// use holonom_expression::{Expression, Scope};
    /// let of_time = |text: &str| Expression::parse(text, &Scope::time(), None);
    /// assert!(of_time("min(3*t, 6)")?.check_velocity().is_ok());
    /// assert!(of_time("if(t < 2, 0, 6)")?.check_velocity().is_err());
    /// # Ok::<(), Vec<holonom_expression::ExpressionError>>(())
    /// ```
    ///
    /// # Errors
    /// The first jump, or corners whose times cannot be determined.
    pub fn check_velocity(&self) -> Result<(), MotionFault> {
        self.check_corners(false)
    }

    fn check_corners(&self, rates: bool) -> Result<(), MotionFault> {
        if !self.has_kinks() {
            return Ok(());
        }
        let mut corners = self.corners().ok_or(MotionFault::Hidden)?;
        corners.sort_by(f64::total_cmp);
        corners.dedup();
        // Next to a corner, so near that nothing else happens between.
        const NEAR: f64 = 1e-9;
        for t in corners {
            let size = t.abs().max(1.0);
            let h = NEAR * size;
            let side = |h: f64| {
                let [u, v, a] = self.jet(t + h);
                [u - h * v + 0.5 * h * h * a, v - h * a, a]
            };
            let ([u, v, a], [u1, v1, a1]) = (side(-h), side(h));
            if [u, v, a, u1, v1, a1].iter().any(|x| !x.is_finite()) {
                // Where a table ends, which is told when it happens.
                continue;
            }
            let (rate, curvature) = (v.abs().max(v1.abs()), a.abs().max(a1.abs()));
            let slack = 1e-9 * u.abs().max(u1.abs()) + 1e-12 * size * (rate + size * curvature);
            if (u1 - u).abs() > slack {
                return Err(MotionFault::Value {
                    t,
                    before: u,
                    after: u1,
                });
            }
            if rates && (v1 - v).abs() > 1e-9 * rate + 1e-12 * size * curvature {
                return Err(MotionFault::Rate {
                    t,
                    before: v,
                    after: v1,
                });
            }
        }
        Ok(())
    }

    /// Where the function may have corners or jumps; none where that cannot be told.
    fn corners(&self) -> Option<Vec<f64>> {
        let mut corners = Vec::new();
        let mut stack: Vec<Shape> = Vec::new();
        for op in &self.0.program {
            let operands = stack.split_off(stack.len().saturating_sub(op.operands()));
            let operand = |k: usize| operands.get(k).copied().unwrap_or(Shape::Other);
            let steps = operands
                .iter()
                .all(|shape| matches!(shape, Shape::Steps | Shape::Line(0.0, _)));
            let mut crossing = |p: Shape, q: Shape| match (p, q) {
                (Shape::Line(a, b), Shape::Line(c, d)) => {
                    if a != c {
                        corners.push((d - b) / (a - c));
                    }
                    Some(())
                }
                _ => steps.then_some(()),
            };
            let flat = Shape::Line(0.0, 0.0);
            let line = |k: f64, shift: f64| match operand(0) {
                Shape::Line(a, b) => Shape::Line(k * a, k * b + shift),
                other => other,
            };
            let sum = |sign: f64| match (operand(0), operand(1)) {
                (Shape::Line(a, b), Shape::Line(c, d)) => Shape::Line(a + sign * c, b + sign * d),
                _ if steps => Shape::Steps,
                _ => Shape::Other,
            };
            stack.push(match *op {
                Op::Constant(k) => Shape::Line(0.0, k),
                Op::Variable(_) => Shape::Line(1.0, 0.0),
                Op::Negate => line(-1.0, 0.0),
                Op::Add => sum(1.0),
                Op::Subtract => sum(-1.0),
                Op::Shift(k) => line(1.0, k),
                Op::Scale(k) => line(k, 0.0),
                Op::Over(k) => line(1.0 / k, 0.0),
                Op::Unary(f) if f.name() == "floor" => {
                    // As many corners as there are whole numbers.
                    steps.then_some(Shape::Steps)?
                }
                Op::Unary(f) if f.has_kinks() => {
                    crossing(operand(0), flat)?;
                    match f.name() {
                        "abs" if !steps => Shape::Other,
                        _ => Shape::Steps,
                    }
                }
                Op::Compare(_) => {
                    crossing(operand(0), operand(1))?;
                    Shape::Steps
                }
                Op::Min | Op::Max => {
                    crossing(operand(0), operand(1))?;
                    if steps { Shape::Steps } else { Shape::Other }
                }
                Op::If => match operand(0) {
                    Shape::Steps | Shape::Line(0.0, _) if steps => Shape::Steps,
                    Shape::Steps | Shape::Line(0.0, _) => Shape::Other,
                    _ => return None,
                },
                Op::Table(k) => {
                    let table = self.0.tables.get(k as usize)?;
                    if !table.is_smooth() {
                        for knot in table.x() {
                            crossing(operand(0), Shape::Line(0.0, *knot))?;
                        }
                    }
                    if steps { Shape::Steps } else { Shape::Other }
                }
                _ if steps => Shape::Steps,
                _ => Shape::Other,
            });
        }
        corners.retain(|t| t.is_finite());
        Some(corners)
    }
}
