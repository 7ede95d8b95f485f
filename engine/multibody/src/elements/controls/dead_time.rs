//! A dead time.

use super::{ControlElement, ControlKind, ControlLaw, DescribedControl};
use crate::fields::{Field, Fields};
use crate::description::Control;
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::ResolveControl;
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// y(t) ≈ u(t − T), from a history that is part of the state.
///
/// The states xᵢ, i < n, are the coefficients of the shifted Legendre polynomials of u over the time from
/// t − T to t: u(t − r T) ≈ Σ xᵢ Pᵢ(2 r − 1). They obey
///
/// T ẋᵢ = Σⱼ aᵢⱼ xⱼ + (2 i + 1) (−1)ⁱ u, aᵢⱼ = (2 i + 1) (−1 for i < j, otherwise (−1)^(i − j + 1)),
///
/// and y = Σ xᵢ, since all Pᵢ(1) = 1 (A. R. Voelker, C. Eliasmith, Neural Computation 30 (2018) 569–609). From u
/// to y this is the Padé approximation [n − 1/n] of exp(−T s), in coordinates that stay well conditioned.
/// The output does not depend on the input directly. Before the start the input is taken as constant, so
/// that x = (u(0), 0, …).
#[derive(Clone, Debug, PartialEq)]
pub struct DeadTime {
    /// Input u.
    pub input: Signal,
    /// Dead time T > 0.
    pub delay: f64,
    /// Number of states n, a whole number.
    pub order: f64,
}

impl Default for DeadTime {
    fn default() -> Self {
        Self {
            input: Signal::default(),
            delay: 0.0,
            order: 8.0,
        }
    }
}

impl DescribedControl for DeadTime {
    const NAME: &str = "dead-time";
    const DOC: &str = "Dead time: the input, delayed by a given time.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { input, delay, order } = self;
        visitor.signal(&Field::required("input", "", "Input that is delayed."), input);
        let doc = "Delay; must be positive.";
        visitor.number(&Field::required("delay", "s", doc), delay);
        let doc = "Number of states that represent the past: an integer from 1 to 30.";
        visitor.number(&Field::optional("order", "", doc), order);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.signal_quantity("the input", &self.input);
        faults.positive_quantity("delay", "the dead time", self.delay, "correct it");
        let known = self.order.fract() == 0.0 && (1.0..=Self::MOST).contains(&self.order);
        faults.bounded("order", self.order, known, "a whole number from 1 to 30");
    }

    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        Some(self.clone().into())
    }
}


impl DeadTime {
    /// States at most.
    const MOST: f64 = 30.0;
}

/// Constructors.
impl Control {
    /// What the input was a time in s ago, see [`DeadTime`].
    pub fn dead_time(name: impl Into<String>, input: Signal, delay: f64) -> Self {
        let kind = ControlKind::DeadTime(DeadTime {
            input,
            delay,
            order: 8.0,
        });
        Self::new(name, kind)
    }
}

impl ControlLaw for DeadTime {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        scene.own.iter().fold(T::zero(), |sum, x| sum + *x)
    }

    fn direct(&self) -> bool {
        false
    }

    fn states(&self) -> Vec<OwnState> {
        let doc = "coefficient of a Legendre polynomial of the input over the dead time";
        let state = |k: usize| OwnState::new(format!("past{}", k + 1), "1", doc, 0.0);
        (0..self.order as usize).map(state).collect()
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let x = scene.own;
        let input = scene.value(&self.input);
        // Σ over j > i of xⱼ, and Σ over j ≤ i of (−1)^(i − j) xⱼ.
        let mut behind = x.iter().fold(T::zero(), |sum, x| sum + *x);
        let mut alternating = T::zero();
        let mut sign = 1.0;
        for (i, (out, &x)) in out.iter_mut().zip(x).enumerate() {
            behind -= x;
            alternating = x - alternating;
            let factor = (2 * i + 1) as f64 / self.delay;
            *out = (input * sign - behind - alternating) * factor;
            sign = -sign;
        }
    }

    fn begin(&self, scene: &Scene<f64>, own: &mut [f64]) -> bool {
        own.fill(0.0);
        if let Some(first) = own.first_mut() {
            *first = scene.value(&self.input);
        }
        true
    }
}
