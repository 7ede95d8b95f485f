//! A rational transfer function.

use super::{ControlElement, ControlKind, ControlLaw, DescribedControl};
use crate::fields::{Field, Fields};
use crate::description::Control;
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::{Attached, Named, Prepare, References, ResolveControl};
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// y = (bₙ sⁿ + … + b₀)/(sⁿ + … + a₀) u in controllable canonical form:
/// ẋₖ = xₖ₊₁, ẋₙ = u − Σ aₖ xₖ₊₁, y = Σ (bₖ − bₙ aₖ) xₖ₊₁ + bₙ u.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransferFunction<R: References = Attached> {
    /// Input u.
    pub input: Signal,
    /// The function.
    pub function: R::Law<Polynomials>,
}

impl DescribedControl for TransferFunction<Named> {
    const NAME: &str = "transfer-function";
    const DOC: &str = "Rational transfer function: a quotient of two polynomials in s.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { input, function } = self;
        visitor.signal(&Field::required("input", "", "Input signal."), input);
        let doc = "Coefficients of the numerator, highest power of s first.";
        visitor.numbers(&Field::required("numerator", "", doc), &mut function.numerator);
        let doc = "Coefficients of the denominator, highest power of s first.";
        visitor.numbers(&Field::required("denominator", "", doc), &mut function.denominator);
        let doc = "Initial states in controllable canonical form; default zero.";
        visitor.numbers(&Field::optional("start", "", doc), &mut function.start);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.signal_quantity("the input", &self.input);
        let function = &self.function;
        let mut finite = true;
        for list in [&function.numerator, &function.denominator, &function.start] {
            finite &= faults.finite_quantity("a coefficient", list);
        }
        if finite && function.prepare().is_none() {
            let fault = "the denominator of a transfer function must be non-zero and of at least the degree of \
                         the numerator, and there may be at most as many initial values as its degree";
            faults.require(false, "denominator", fault, "correct the coefficients");
        }
    }

    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        let function: TransferFunction = TransferFunction {
            input: self.input.clone(),
            function: self.function.prepare()?,
        };
        Some(function.into())
    }
}


/// Polynomials in s.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomials {
    /// Coefficients, the highest power first.
    pub numerator: Vec<f64>,
    /// Coefficients, the highest power first; not a lower power than the numerator.
    pub denominator: Vec<f64>,
    /// States at the start; missing ones are zero.
    pub start: Vec<f64>,
}

impl Default for Polynomials {
    fn default() -> Self {
        Self {
            numerator: vec![1.0],
            denominator: vec![1.0],
            start: Vec::new(),
        }
    }
}

/// The controllable canonical form of a quotient of polynomials.
#[derive(Clone, Debug)]
pub struct CanonicalForm {
    /// a₀, …, aₙ₋₁, the denominator having been divided by its first coefficient.
    pub denominator: Vec<f64>,
    /// bₖ − bₙ aₖ.
    pub numerator: Vec<f64>,
    /// bₙ: what passes directly.
    pub feedthrough: f64,
    /// The states at the start.
    pub start: Vec<f64>,
}

impl Prepare for Polynomials {
    type Ready = CanonicalForm;

    /// None unless the function is proper: leading zeros aside, the denominator has a coefficient and not a lower power
    /// than the numerator.
    fn prepare(&self) -> Option<CanonicalForm> {
        let led = |c: &[f64]| -> Vec<f64> { c.iter().copied().skip_while(|c| *c == 0.0).collect() };
        let (mut b, a) = (led(&self.numerator), led(&self.denominator));
        let first = *a.first()?;
        let order = a.len() - 1;
        if b.len() > a.len() || self.start.len() > order {
            return None;
        }
        while b.len() < a.len() {
            b.insert(0, 0.0);
        }
        let feedthrough = b[0] / first;
        // From a₀ on.
        let a: Vec<f64> = a[1..].iter().rev().map(|a| a / first).collect();
        let b = b[1..].iter().rev().map(|b| b / first);
        let numerator = b.zip(&a).map(|(b, a)| b - feedthrough * a).collect();
        let mut start = self.start.clone();
        start.resize(order, 0.0);
        Some(CanonicalForm {
            denominator: a,
            numerator,
            feedthrough,
            start,
        })
    }
}

/// Constructors.
impl Control {
    /// A transfer function: coefficients of numerator and denominator, the highest power first.
    pub fn transfer_function(
        name: impl Into<String>,
        input: Signal,
        numerator: impl Into<Vec<f64>>,
        denominator: impl Into<Vec<f64>>,
    ) -> Self {
        let kind = ControlKind::TransferFunction(TransferFunction {
            input,
            function: Polynomials {
                numerator: numerator.into(),
                denominator: denominator.into(),
                start: Vec::new(),
            },
        });
        Self::new(name, kind)
    }
}

impl ControlLaw for TransferFunction {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        let mut y = T::zero();
        for (&x, &b) in scene.own.iter().zip(&self.function.numerator) {
            y += x * b;
        }
        if self.function.feedthrough != 0.0 {
            y += scene.value(&self.input) * self.function.feedthrough;
        }
        y
    }

    fn direct(&self) -> bool {
        self.function.feedthrough != 0.0
    }

    fn states(&self) -> Vec<OwnState> {
        let state = |(k, &start): (usize, &f64)| {
            let doc = "state of the transfer function in controllable canonical form";
            OwnState::new(format!("x{}", k + 1), "1", doc, start)
        };
        self.function.start.iter().enumerate().map(state).collect()
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let n = out.len();
        let Some(last) = n.checked_sub(1) else { return };
        out[..last].copy_from_slice(&scene.own[1..]);
        let mut highest = scene.value(&self.input);
        for (&x, &a) in scene.own.iter().zip(&self.function.denominator) {
            highest -= x * a;
        }
        out[last] = highest;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn function(numerator: &[f64], denominator: &[f64], start: &[f64]) -> Option<TransferFunction> {
        let polynomials = Polynomials {
            numerator: numerator.to_vec(),
            denominator: denominator.to_vec(),
            start: start.to_vec(),
        };
        Some(TransferFunction {
            input: Signal::default(),
            function: polynomials.prepare()?,
        })
    }

    #[test]
    fn coefficients_become_the_canonical_form() {
        // (2 s² + 3)/(4 s² + 8 s + 12): b₂ = 0.5, a = (3, 2), c = (0.75 − 1.5, −1).
        let f = function(&[2.0, 0.0, 3.0], &[4.0, 8.0, 12.0], &[0.7]).unwrap();
        let form = &f.function;
        assert_eq!(form.feedthrough, 0.5);
        assert_eq!(form.denominator, [3.0, 2.0]);
        assert_eq!(form.numerator, [-0.75, -1.0]);
        assert_eq!(form.start, [0.7, 0.0]);
        assert!(f.direct() && f.states().len() == 2);
        // Leading zeros do not count; an improper function, and none at all, are refused.
        let lag = function(&[0.0, 0.0, 1.0], &[0.0, 2.0, 1.0], &[]).unwrap();
        assert!(!lag.direct() && lag.function.denominator == [0.5] && lag.function.numerator == [0.5]);
        assert!(function(&[1.0, 0.0], &[1.0], &[]).is_none());
        assert!(function(&[1.0], &[0.0], &[]).is_none());
        assert!(function(&[1.0], &[1.0], &[1.0]).is_none());
    }
}
