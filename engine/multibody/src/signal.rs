//! Functions of time: u(t) with its first two derivatives.

mod multiples;

use crate::rail::TrackCurve;
use core::fmt;
use holonom_algebra::Real;
use holonom_dae::Survey;
use holonom_expression::curve::Curve;
use holonom_expression::{Break, Expression, ExpressionError, Places, Scope, number};
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

/// What a survey of a function of time gives.
pub(crate) struct Surveyed {
    /// Of its value, and where it prescribes a motion of its second derivative.
    pub surveys: Vec<Survey>,
    /// Its name with a place where something may be hidden all the same.
    pub suspect: Option<(String, f64)>,
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

/// Pieces of a range within which a motion is taken to pass a place once at most.
const PIECES: usize = 1000;

/// When a motion passes places.
fn crossings(travel: &Signal, [from, to]: [f64; 2], places: &[f64]) -> Vec<f64> {
    let at = |t: f64| travel.evaluate(t)[0];
    let instant = |k: usize| from + (to - from) * k as f64 / PIECES as f64;
    let mut found = Vec::new();
    for place in places {
        for k in 0..PIECES {
            let (mut a, mut b) = (instant(k), instant(k + 1));
            let side = at(a) - place;
            if side * (at(b) - place) > 0.0 || side == 0.0 {
                continue;
            }
            loop {
                let middle = 0.5 * (a + b);
                if middle <= a || middle >= b {
                    break;
                }
                if (at(middle) - place) * side > 0.0 {
                    a = middle;
                } else {
                    b = middle;
                }
            }
            found.push(b);
        }
    }
    found
}

/// Many places of a range, and both sides of breaks.
fn evenly([from, to]: [f64; 2], breaks: &[Break]) -> Vec<f64> {
    const PLACES: usize = 2000;
    let mut times: Vec<f64> = (0..=PLACES)
        .map(|k| from + (to - from) * k as f64 / PLACES as f64)
        .collect();
    times.extend(breaks.iter().flat_map(Break::sides));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
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

    /// Instants within a range, ascending, at which it has a corner or a jump, in itself or in a derivative: where a
    /// comparison changes, wherever it stands, at the points of a table without spline, where a `smoothstep` begins and
    /// ends, at the places of a track where something begins. What a user's function hides is not found, nor what
    /// depends on controls. Integration methods do well to end a step there.
    ///
    /// ```
    /// use holonom_multibody::Signal;
    /// let pulse = Signal::expression("step(t - 2) - step(t - 2.1)")?;
    /// let times: Vec<f64> = pulse.breaks([0.0, 10.0]).iter().map(|b| b.at).collect();
    /// assert_eq!(times, [2.0, 2.1]);
    /// # Ok::<(), holonom_expression::ExpressionError>(())
    /// ```
    ///
    /// Empty where there are more than a hundred thousand, or where they cannot be told in reasonable time.
    pub fn breaks(&self, range: [f64; 2]) -> Vec<Break> {
        self.search_breaks(range).0
    }

    /// The same with the functions in it whose breaks are too many, or take too long to find.
    pub(crate) fn search_breaks(&self, [from, to]: [f64; 2]) -> (Vec<Break>, Vec<String>) {
        let mut unknown = Vec::new();
        let mut breaks = self.breaks_in([from, to], &mut unknown);
        breaks.retain(|b| b.at > from && b.at < to);
        Break::sort(&mut breaks);
        (breaks, unknown)
    }

    /// The same in no order, with some beyond the range.
    fn breaks_in(&self, range: [f64; 2], unknown: &mut Vec<String>) -> Vec<Break> {
        match self {
            Self::Polynomial(_) | Self::Harmonic { .. } | Self::Function(_) => Vec::new(),
            Self::Sum(parts) => {
                let breaks = parts.iter().flat_map(|part| part.breaks_in(range, unknown));
                breaks.collect()
            }
            Self::Scaled(_, signal) => signal.breaks_in(range, unknown),
            Self::Expression(_) => {
                let parts = self.parts().into_iter();
                let breaks = parts.filter_map(|part| match part {
                    Self::Expression(part) => {
                        let breaks = part.breaks(range);
                        if breaks.is_none() {
                            unknown.push(part.to_string());
                        }
                        breaks
                    }
                    _ => None,
                });
                breaks.flatten().collect()
            }
            Self::Track { curve, travel, .. } => {
                let mut breaks = travel.breaks_in(range, unknown);
                let places = crossings(travel, range, &curve.breaks());
                breaks.extend(places.into_iter().map(|at| Break::new(at, 2)));
                breaks
            }
        }
    }

    /// Where it has to be looked at within a range so that nothing of it is missed, given its breaks: of itself, and where it
    /// prescribes a `motion` of its second derivative as well. None where nothing is known, as of a user's function.
    pub(crate) fn survey(&self, range: [f64; 2], breaks: &[Break], motion: bool) -> Option<Surveyed> {
        if range[1] <= range[0] || self.is_unknown() {
            return None;
        }
        let (times, suspect) = match self.as_expression() {
            Some(expression) => {
                if (1..expression.variables().len()).any(|k| expression.uses(k)) {
                    return None;
                }
                let Places { times, suspect } = expression.survey(range, breaks, motion);
                (times, suspect.map(|at| (expression.to_string(), at)))
            }
            // Tracks are built of long pieces.
            None => (evenly(range, breaks), None),
        };
        let jets: Vec<[f64; 3]> = times.iter().map(|t| self.evaluate(*t)).collect();
        let each = if motion { &[0, 2][..] } else { &[0][..] };
        let survey = |k: &usize| Survey::new(times.clone(), jets.iter().map(|jet| jet[*k]).collect());
        let surveys = each.iter().map(survey).collect();
        Some(Surveyed { surveys, suspect })
    }

    /// Whether a user's function is in it.
    fn is_unknown(&self) -> bool {
        match self {
            Self::Function(_) => true,
            Self::Sum(parts) => parts.iter().any(Self::is_unknown),
            Self::Scaled(_, signal) | Self::Track { travel: signal, .. } => signal.is_unknown(),
            Self::Polynomial(_) | Self::Harmonic { .. } | Self::Expression(_) => false,
        }
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
