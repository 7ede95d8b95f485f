//! A rational transfer function.

use super::{ControlInfo, ControlLaw, same, zero};
use crate::description::ControlKind;
use crate::description::fields::{Field, Fields};
use crate::elements::forces::OwnState;
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const CONTROL: ControlInfo = ControlInfo {
    name: "transfer-function",
    doc: "Rational transfer function: a quotient of two polynomials in s.",
    in_files: true,
    template,
    fields,
    mirror: same,
};

fn template() -> ControlKind {
    ControlKind::TransferFunction {
        input: zero(),
        numerator: vec![1.0],
        denominator: vec![1.0],
        start: Vec::new(),
    }
}

fn fields(kind: &mut ControlKind, visitor: &mut dyn Fields) {
    let ControlKind::TransferFunction {
        input,
        numerator,
        denominator,
        start,
    } = kind
    else {
        return;
    };
    visitor.signal(&Field::required("input", "", "Input signal."), input);
    let doc = "Coefficients of the numerator, highest power of s first.";
    visitor.numbers(&Field::required("numerator", "", doc), numerator);
    let doc = "Coefficients of the denominator, highest power of s first.";
    visitor.numbers(&Field::required("denominator", "", doc), denominator);
    let doc = "Initial states in controllable canonical form; default zero.";
    visitor.numbers(&Field::optional("start", "", doc), start);
}

/// y = (bₙ sⁿ + … + b₀)/(sⁿ + … + a₀) u in controllable canonical form:
/// ẋₖ = xₖ₊₁, ẋₙ = u − Σ aₖ xₖ₊₁, y = Σ (bₖ − bₙ aₖ) xₖ₊₁ + bₙ u.
#[derive(Clone, Debug)]
pub struct TransferFunction {
    /// Input u.
    pub input: Signal,
    /// a₀, …, aₙ₋₁, the denominator having been divided by its first coefficient.
    pub denominator: Vec<f64>,
    /// bₖ − bₙ aₖ.
    pub numerator: Vec<f64>,
    /// bₙ: what passes directly.
    pub feedthrough: f64,
    /// The states at the start.
    pub start: Vec<f64>,
}

impl TransferFunction {
    /// From coefficients, the highest power first. None unless the function is proper: leading
    /// zeros aside, the denominator has a coefficient and not a lower power than the numerator.
    pub fn new(input: Signal, numerator: &[f64], denominator: &[f64], start: &[f64]) -> Option<Self> {
        let led = |c: &[f64]| -> Vec<f64> { c.iter().copied().skip_while(|c| *c == 0.0).collect() };
        let (mut b, a) = (led(numerator), led(denominator));
        let first = *a.first()?;
        let order = a.len() - 1;
        if b.len() > a.len() || start.len() > order {
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
        let mut start = start.to_vec();
        start.resize(order, 0.0);
        Some(Self {
            input,
            denominator: a,
            numerator,
            feedthrough,
            start,
        })
    }
}

impl ControlLaw for TransferFunction {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        let mut y = T::zero();
        for (&x, &b) in scene.own.iter().zip(&self.numerator) {
            y += x * b;
        }
        if self.feedthrough != 0.0 {
            y += scene.value(&self.input) * self.feedthrough;
        }
        y
    }

    fn direct(&self) -> bool {
        self.feedthrough != 0.0
    }

    fn states(&self) -> Vec<OwnState> {
        let state = |(k, &start): (usize, &f64)| {
            let doc = "state of the transfer function in controllable canonical form";
            OwnState::new(format!("x{}", k + 1), "1", doc, start)
        };
        self.start.iter().enumerate().map(state).collect()
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let n = out.len();
        let Some(last) = n.checked_sub(1) else { return };
        out[..last].copy_from_slice(&scene.own[1..]);
        let mut highest = scene.value(&self.input);
        for (&x, &a) in scene.own.iter().zip(&self.denominator) {
            highest -= x * a;
        }
        out[last] = highest;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn coefficients_become_the_canonical_form() {
        // (2 s² + 3)/(4 s² + 8 s + 12): b₂ = 0.5, a = (3, 2), c = (0.75 − 1.5, −1).
        let f = TransferFunction::new(zero(), &[2.0, 0.0, 3.0], &[4.0, 8.0, 12.0], &[0.7]).unwrap();
        assert_eq!(f.feedthrough, 0.5);
        assert_eq!(f.denominator, [3.0, 2.0]);
        assert_eq!(f.numerator, [-0.75, -1.0]);
        assert_eq!(f.start, [0.7, 0.0]);
        assert!(f.direct() && f.states().len() == 2);
        // Leading zeros do not count; an improper function, and none at all, are refused.
        let lag = TransferFunction::new(zero(), &[0.0, 0.0, 1.0], &[0.0, 2.0, 1.0], &[]).unwrap();
        assert!(!lag.direct() && lag.denominator == [0.5] && lag.numerator == [0.5]);
        assert!(TransferFunction::new(zero(), &[1.0, 0.0], &[1.0], &[]).is_none());
        assert!(TransferFunction::new(zero(), &[1.0], &[0.0], &[]).is_none());
        assert!(TransferFunction::new(zero(), &[1.0], &[1.0], &[1.0]).is_none());
    }
}
