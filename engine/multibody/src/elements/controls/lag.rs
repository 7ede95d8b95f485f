//! A first-order lag.

use super::{ControlInfo, ControlLaw, same, zero};
use crate::description::ControlKind;
use crate::description::fields::{Field, Fields};
use crate::elements::forces::OwnState;
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const CONTROL: ControlInfo = ControlInfo {
    name: "lag",
    doc: "First-order lag: follows the input with a time constant.",
    in_files: true,
    template,
    fields,
    mirror: same,
};

fn template() -> ControlKind {
    ControlKind::Lag {
        input: zero(),
        time_constant: 0.0,
        start: 0.0,
    }
}

fn fields(kind: &mut ControlKind, visitor: &mut dyn Fields) {
    let ControlKind::Lag {
        input,
        time_constant,
        start,
    } = kind
    else {
        return;
    };
    visitor.signal(&Field::required("input", "", "Function that the coordinate follows."), input);
    let doc = "Time constant; must be positive.";
    visitor.number(&Field::required("time_constant", "s", doc), time_constant);
    visitor.number(&Field::optional("start", "", "Initial output."), start);
}

/// T ẏ = u − y, the transfer function 1/(1 + T s).
#[derive(Clone, Debug)]
pub struct Lag {
    /// Input u.
    pub input: Signal,
    /// Time constant T > 0.
    pub time_constant: f64,
    /// y at the start.
    pub start: f64,
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
