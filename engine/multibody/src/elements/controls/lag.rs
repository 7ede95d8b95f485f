//! A first-order lag.

use super::{ControlElement, ControlKind, ControlLaw, DescribedControl};
use crate::fields::{Field, Fields};
use crate::description::Control;
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::ResolveControl;
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// T ẏ = u − y, the transfer function 1/(1 + T s).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lag {
    /// Input u.
    pub input: Signal,
    /// Time constant T > 0.
    pub time_constant: f64,
    /// y at the start.
    pub start: f64,
}

impl DescribedControl for Lag {
    const NAME: &str = "lag";
    const DOC: &str = "First-order lag: follows the input with a time constant.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self {
            input,
            time_constant,
            start,
        } = self;
        visitor.signal(&Field::required("input", "", "Input signal."), input);
        let doc = "Time constant; must be positive.";
        visitor.number(&Field::required("time_constant", "s", doc), time_constant);
        visitor.number(&Field::optional("start", "", "Initial output."), start);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.signal_quantity("the input", &self.input);
        faults.positive_quantity("time_constant", "the time constant", self.time_constant, "correct it");
        faults.finite_quantity("the start value", &[self.start]);
    }

    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        Some(self.clone().into())
    }
}


/// Constructors.
impl Control {
    /// A first-order lag with a time constant in s.
    pub fn lag(name: impl Into<String>, input: Signal, time_constant: f64) -> Self {
        let kind = ControlKind::Lag(Lag {
            input,
            time_constant,
            start: 0.0,
        });
        Self::new(name, kind)
    }
}

impl ControlLaw for Lag {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        scene.own[0]
    }

    fn direct(&self) -> bool {
        false
    }

    fn states(&self) -> Vec<OwnState> {
        vec![OwnState::new("state", "1", "output of the lag", self.start)]
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        out[0] = (scene.value(&self.input) - scene.own[0]) * (1.0 / self.time_constant);
    }
}
