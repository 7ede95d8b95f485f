//! Functions of time: u(t) with its first two derivatives.

mod multiples;
mod survey;

use crate::rail::TrackCurve;
use core::fmt;
use holonom_algebra::Real;
use holonom_expression::curve::Curve;
use holonom_expression::{Expression, ExpressionError, Scope, number};
use std::sync::Arc;

/// A user's function t ↦ [u, u̇, ü].
pub type SignalFunction = dyn Fn(f64) -> [f64; 3] + Send + Sync;

/// An excitation u(t), with u̇ and ü as rheonomic joints need them, Arnold (4)–(6).
///
/// ```
/// use holonom_multibody::Signal;
/// let u = Signal::harmonic(0.1, 2.0, 0.0);
/// let [x, v, a] = u.evaluate(0.0_f64);
/// assert_eq!((x, v, a), (0.0, 0.2, 0.0));
/// ```
#[derive(Clone)]
pub enum Signal {
    /// Σ cₖ tᵏ.
    Polynomial(Vec<f64>),
    /// offset + amplitude · sin(ω t + phase).
    Harmonic {
        /// Mean value.
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// Angular frequency ω in rad/s.
        frequency: f64,
        /// Phase in rad.
        phase: f64,
    },
    /// Sum of other signals.
    Sum(Vec<Signal>),
    /// A factor times another signal.
    Scaled(f64, Box<Signal>),
    /// An expression of the single variable t, with exact derivatives.
    Expression(Arc<Expression>),
    /// A user's function.
    Function(Arc<SignalFunction>),
    /// A coordinate of a frame that travels along a track.
    Track {
        /// The track.
        curve: Arc<TrackCurve>,
        /// The place s(t) along it.
        travel: Box<Signal>,
        /// Number of the coordinate in [`TrackCurve::COORDINATES`].
        coordinate: usize,
    },
}

impl From<f64> for Signal {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

/// Zero.
impl Default for Signal {
    fn default() -> Self {
        Self::constant(0.0)
    }
}

impl Signal {
    /// A constant.
    pub fn constant(value: f64) -> Self {
        Self::Polynomial(vec![value])
    }

    /// offset + rate · t.
    pub fn linear(offset: f64, rate: f64) -> Self {
        Self::Polynomial(vec![offset, rate])
    }

    /// amplitude · sin(ω t + phase).
    pub fn harmonic(amplitude: f64, frequency: f64, phase: f64) -> Self {
        Self::Harmonic {
            offset: 0.0,
            amplitude,
            frequency,
            phase,
        }
    }

    /// A user's function t ↦ [u, u̇, ü].
    pub fn function(f: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(f))
    }

    /// An expression of t, see [`holonom_expression`].
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// let u = Signal::expression("0.3*sin(2*t)")?;
    /// assert_eq!(u.evaluate(0.0), [0.0, 0.6, 0.0]);
    /// # Ok::<(), holonom_expression::ExpressionError>(())
    /// ```
    ///
    /// # Errors
    /// The first fault of the text.
    pub fn expression(text: &str) -> Result<Self, ExpressionError> {
        match Expression::parse(text, &Scope::time(), None) {
            Ok(expression) => Ok(Self::Expression(Arc::new(expression))),
            Err(mut errors) => Err(errors.swap_remove(0)),
        }
    }

    /// An expression of t and controls, which are known by these names.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// let u = Signal::of("3*controller + sin(t)", &["controller"])?;
    /// assert_eq!(u.controls(), ["controller"]);
    /// # Ok::<(), holonom_expression::ExpressionError>(())
    /// ```
    ///
    /// # Errors
    /// The first fault of the text.
    pub fn of(text: &str, controls: &[&str]) -> Result<Self, ExpressionError> {
        let scope = controls
            .iter()
            .fold(Scope::time(), |scope, name| scope.variable(*name));
        match Expression::parse(text, &scope, None) {
            Ok(expression) => Ok(Self::Expression(Arc::new(expression.over_used()))),
            Err(mut errors) => Err(errors.swap_remove(0)),
        }
    }

    /// The controls it names: what its expressions use besides t.
    pub fn controls(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        self.each_expression(&mut |expression| {
            for (k, name) in expression.variables().iter().enumerate() {
                if name != "t" && expression.uses(k) && !names.contains(name) {
                    names.push(name.clone());
                }
            }
        });
        names
    }

    /// Replaces expressions in it; those for which `change` has nothing to say stay.
    pub(crate) fn change_expressions(&mut self, change: &mut impl FnMut(&Expression) -> Option<Expression>) {
        match self {
            Self::Expression(expression) => {
                if let Some(other) = change(expression) {
                    *expression = Arc::new(other);
                }
            }
            Self::Sum(parts) => parts.iter_mut().for_each(|part| part.change_expressions(change)),
            Self::Scaled(_, signal) | Self::Track { travel: signal, .. } => signal.change_expressions(change),
            Self::Polynomial(_) | Self::Harmonic { .. } | Self::Function(_) => {}
        }
    }

    /// Whether all numbers in it are finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Polynomial(c) => c.iter().all(|x| x.is_finite()),
            Self::Harmonic {
                offset,
                amplitude,
                frequency,
                phase,
            } => [offset, amplitude, frequency, phase]
                .iter()
                .all(|x| x.is_finite()),
            Self::Sum(s) => s.iter().all(Self::is_finite),
            Self::Scaled(factor, signal) => factor.is_finite() && signal.is_finite(),
            Self::Expression(_) | Self::Function(_) => true,
            Self::Track { travel, .. } => travel.is_finite(),
        }
    }

    /// Whether its value changes with time, as far as can be told.
    pub(crate) fn varies(&self) -> bool {
        match self {
            Self::Polynomial(c) => c.iter().skip(1).any(|c| *c != 0.0),
            Self::Harmonic {
                amplitude, frequency, ..
            } => *amplitude != 0.0 && *frequency != 0.0,
            Self::Sum(parts) => parts.iter().any(Self::varies),
            Self::Scaled(factor, signal) => *factor != 0.0 && signal.varies(),
            Self::Expression(expression) => !expression.is_constant(),
            Self::Track { travel, .. } => travel.varies(),
            Self::Function(f) => {
                let start = f(0.0)[0];
                [0.1, 0.77, 1.3, 2.9, 17.0].iter().any(|&t| f(t)[0] != start)
            }
        }
    }

    /// [u, u̇, ü] at time t; not numbers where controls are named.
    pub fn evaluate<T: Real>(&self, t: T) -> [T; 3] {
        match self {
            Self::Polynomial(c) => {
                // Horner for the value and both derivatives at once.
                let (mut u, mut du, mut ddu) = (T::zero(), T::zero(), T::zero());
                for &k in c.iter().rev() {
                    ddu = ddu * t + du * 2.0;
                    du = du * t + u;
                    u = u * t + k;
                }
                [u, du, ddu]
            }
            Self::Harmonic {
                offset,
                amplitude,
                frequency,
                phase,
            } => {
                let (s, c) = (t * *frequency + *phase).sin_cos();
                let u = s * *amplitude;
                [
                    u + *offset,
                    c * (*amplitude * frequency),
                    -(u * (frequency * frequency)),
                ]
            }
            Self::Sum(parts) => {
                let mut sum = [T::zero(); 3];
                for p in parts {
                    for (a, b) in sum.iter_mut().zip(p.evaluate(t)) {
                        *a += b;
                    }
                }
                sum
            }
            Self::Scaled(factor, signal) => signal.evaluate(t).map(|u| u * *factor),
            Self::Expression(expression) => expression.jet(t),
            Self::Track {
                curve,
                travel,
                coordinate,
            } => curve.coordinate(*coordinate, travel.evaluate(t)),
            Self::Function(f) => {
                let at = t.value();
                let [u, du, ddu] = f(at);
                // Chain rule along t; the third derivative is a difference of the second.
                let dt = t - at;
                let step = 1e-5 * at.abs().max(1.0);
                let third = (f(at + step)[2] - f(at - step)[2]) / (2.0 * step);
                [dt * du + u, dt * ddu + du, dt * third + ddu]
            }
        }
    }
}

/// A factor before a term, without the factors 1 and −1.
fn term(factor: f64, text: &str) -> String {
    match factor {
        1.0 => text.to_string(),
        -1.0 => format!("-{text}"),
        _ => format!("{}*{text}", number(factor)),
    }
}

/// Terms with their signs between them.
fn sum(terms: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for term in terms {
        match (text.is_empty(), term.strip_prefix('-')) {
            (true, _) => text.push_str(&term),
            (false, Some(rest)) => text.extend([" - ", rest]),
            (false, None) => text.extend([" + ", &term]),
        }
    }
    if text.is_empty() { "0".to_string() } else { text }
}

impl Signal {
    /// The signal as the text of an expression of t, with all digits of its numbers.
    ///
    /// None when it contains a user's function or a track, or a number that is not finite.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// let u = Signal::Sum(vec![Signal::linear(0.5, -2.0), Signal::harmonic(0.1, 3.0, 0.0)]);
    /// assert_eq!(u.to_expression_text().unwrap(), "0.5 - 2*t + 0.1*sin(3*t)");
    /// ```
    pub fn to_expression_text(&self) -> Option<String> {
        let text = self.terms()?;
        // Signals can be nested deeper than expressions.
        Self::expression_with(&text, self).then_some(text)
    }

    /// The tables that its expressions use.
    pub fn tables(&self) -> Vec<Arc<Curve>> {
        let mut tables: Vec<Arc<Curve>> = Vec::new();
        self.each_expression(&mut |expression| {
            for table in expression.tables() {
                if !tables.contains(table) {
                    tables.push(table.clone());
                }
            }
        });
        tables
    }

    /// Whether the text can be read back; tables are known by those the signal uses.
    fn expression_with(text: &str, signal: &Self) -> bool {
        Expression::parse(text, &signal.scope(), None).is_ok()
    }

    /// What its text may use: t, the controls and the tables in it.
    pub fn scope(&self) -> Scope {
        let mut scope = self.controls().into_iter().fold(Scope::time(), Scope::variable);
        for table in self.tables() {
            scope = scope.table(table);
        }
        scope
    }

    /// The same as an expression, where it can be written as one.
    pub(crate) fn as_expression(&self) -> Option<Expression> {
        match self {
            Self::Expression(expression) => Some((**expression).clone()),
            other => {
                let text = other.terms()?;
                Expression::parse(&text, &other.scope(), None).ok()
            }
        }
    }

    /// The functions of time alone in it: itself, unless it names controls.
    pub(crate) fn parts(&self) -> Vec<Self> {
        match self {
            Self::Expression(expression) => {
                let time = expression.variables().iter().position(|name| name == "t");
                let parts = time.map_or_else(Vec::new, |t| expression.parts_of(t));
                parts
                    .into_iter()
                    .map(|part| Self::Expression(Arc::new(part)))
                    .collect()
            }
            Self::Sum(parts) => parts.iter().flat_map(Self::parts).collect(),
            Self::Scaled(_, signal) => signal.parts(),
            Self::Polynomial(c) if c.len() < 2 => Vec::new(),
            other => vec![other.clone()],
        }
    }

    /// Visits all expressions in it.
    pub(crate) fn each_expression(&self, visit: &mut impl FnMut(&Expression)) {
        match self {
            Self::Expression(expression) => visit(expression),
            Self::Sum(parts) => parts.iter().for_each(|part| part.each_expression(visit)),
            Self::Scaled(_, signal) | Self::Track { travel: signal, .. } => signal.each_expression(visit),
            Self::Polynomial(_) | Self::Harmonic { .. } | Self::Function(_) => {}
        }
    }

    fn terms(&self) -> Option<String> {
        if !self.is_finite() {
            return None;
        }
        Some(match self {
            Self::Polynomial(c) => {
                sum(c
                    .iter()
                    .enumerate()
                    .filter(|(_, c)| **c != 0.0)
                    .map(|(k, &c)| match k {
                        0 => number(c),
                        1 => term(c, "t"),
                        _ => term(c, &format!("t^{k}")),
                    }))
            }
            Self::Harmonic {
                offset,
                amplitude,
                frequency,
                phase,
            } => {
                let mut terms = Vec::new();
                if *offset != 0.0 {
                    terms.push(number(*offset));
                }
                if *amplitude != 0.0 {
                    let angle = Self::linear(*phase, *frequency).terms()?;
                    let angle = match (*phase != 0.0, *frequency != 0.0) {
                        // The usual order: ω t + φ.
                        (true, true) => sum([term(*frequency, "t"), number(*phase)]),
                        _ => angle,
                    };
                    terms.push(term(*amplitude, &format!("sin({angle})")));
                }
                sum(terms)
            }
            Self::Sum(parts) => {
                let mut terms = Vec::new();
                for part in parts {
                    let text = part.terms()?;
                    // Comparisons bind more loosely than sums.
                    let loose = matches!(part, Self::Expression(_) | Self::Scaled(..));
                    terms.push(if loose { format!("({text})") } else { text });
                }
                sum(terms)
            }
            Self::Scaled(factor, signal) => term(*factor, &format!("({})", signal.terms()?)),
            Self::Expression(expression) => expression.to_string(),
            Self::Function(_) | Self::Track { .. } => return None,
        })
    }
}

/// Users' functions are equal when they are the same object.
impl PartialEq for Signal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Polynomial(a), Self::Polynomial(b)) => a == b,
            (
                Self::Harmonic {
                    offset,
                    amplitude,
                    frequency,
                    phase,
                },
                Self::Harmonic {
                    offset: o,
                    amplitude: a,
                    frequency: w,
                    phase: p,
                },
            ) => [offset, amplitude, frequency, phase] == [o, a, w, p],
            (Self::Sum(a), Self::Sum(b)) => a == b,
            (Self::Scaled(k, a), Self::Scaled(l, b)) => k == l && a == b,
            (Self::Expression(a), Self::Expression(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Function(a), Self::Function(b)) => Arc::ptr_eq(a, b),
            (
                Self::Track {
                    curve,
                    travel,
                    coordinate,
                },
                Self::Track {
                    curve: c,
                    travel: s,
                    coordinate: k,
                },
            ) => coordinate == k && travel == s && curve == c,
            _ => false,
        }
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Polynomial(c) => f.debug_tuple("Polynomial").field(c).finish(),
            Self::Harmonic {
                offset,
                amplitude,
                frequency,
                phase,
            } => write!(f, "Harmonic({offset} + {amplitude} sin({frequency} t + {phase}))"),
            Self::Sum(s) => f.debug_tuple("Sum").field(s).finish(),
            Self::Scaled(factor, s) => f.debug_tuple("Scaled").field(factor).field(s).finish(),
            Self::Expression(e) => write!(f, "Expression({e})"),
            Self::Function(_) => f.write_str("Function(..)"),
            Self::Track {
                travel, coordinate, ..
            } => write!(f, "Track({coordinate} at {travel:?})"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        let signals = [
            Signal::Polynomial(vec![1.0, -2.0, 0.5, 0.25]),
            Signal::Harmonic {
                offset: 0.3,
                amplitude: 2.0,
                frequency: 3.0,
                phase: 0.4,
            },
            Signal::Sum(vec![Signal::linear(1.0, 2.0), Signal::harmonic(1.0, 2.0, 0.1)]),
        ];
        let h = 1e-5;
        for s in &signals {
            let (a, b, c) = (s.evaluate(0.7 - h), s.evaluate(0.7), s.evaluate(0.7 + h));
            assert!(((c[0] - a[0]) / (2.0 * h) - b[1]).abs() < 1e-8);
            assert!(((c[1] - a[1]) / (2.0 * h) - b[2]).abs() < 1e-8);
        }
    }

    #[test]
    fn every_signal_but_a_function_has_a_text() {
        let expression = |text| Signal::expression(text).unwrap();
        for (signal, text) in [
            (Signal::constant(0.1), "0.1"),
            (Signal::Polynomial(vec![]), "0"),
            (
                Signal::Polynomial(vec![-1.0, 0.0, 0.5, -1.0]),
                "-1 + 0.5*t^2 - t^3",
            ),
            (Signal::harmonic(-1.0, 2.0, -0.5), "-sin(2*t - 0.5)"),
            (Signal::harmonic(2.0, 0.0, 0.5), "2*sin(0.5)"),
            (Signal::harmonic(0.0, 2.0, 0.5), "0"),
            (expression("exp(-t)*(1 + t)"), "exp(-t)*(t + 1)"),
            (Signal::Scaled(-2.0, Box::new(expression("t < 1"))), "-2*(t < 1)"),
            (
                Signal::Sum(vec![expression("t > 1"), Signal::linear(-1.0, 1e-300)]),
                "(t > 1) - 1 + 1e-300*t",
            ),
        ] {
            assert_eq!(signal.to_expression_text().as_deref(), Some(text));
            let back = expression(text);
            for t in [0.3, 1.7] {
                let [a, b] = [signal.evaluate(t), back.evaluate(t)];
                for k in 0..3 {
                    assert!((a[k] - b[k]).abs() < 1e-15 * (1.0 + a[k].abs()), "{text}");
                }
            }
        }
        assert!(Signal::function(|t| [t, 1.0, 0.0]).to_expression_text().is_none());
        assert!(Signal::constant(f64::NAN).to_expression_text().is_none());
        let deep = (0..100).fold(Signal::linear(0.0, 1.0), |s, _| Signal::Scaled(2.0, Box::new(s)));
        assert!(deep.to_expression_text().is_none());
    }

    #[test]
    fn signals_compare() {
        let f = Signal::function(|t| [t, 1.0, 0.0]);
        assert_eq!(f, f.clone());
        assert_ne!(f, Signal::function(|t| [t, 1.0, 0.0]));
        assert_eq!(
            Signal::expression("2*t").unwrap(),
            Signal::expression("t*2").unwrap()
        );
        assert_ne!(Signal::expression("2*t").unwrap(), Signal::linear(0.0, 2.0));
        assert_eq!(Signal::linear(0.0, 2.0), Signal::Polynomial(vec![0.0, 2.0]));
        assert_eq!(Signal::expression("2*x").unwrap_err().message, "unknown name `x`");
    }
}
