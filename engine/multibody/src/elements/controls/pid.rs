//! Proportional, integral and derivative action.

use super::follow::limited;
use super::{ControlInfo, ControlLaw, same, zero};
use crate::description::ControlKind;
use crate::description::fields::{Field, Fields};
use crate::elements::forces::OwnState;
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// The entry of the registry.
pub(super) const CONTROL: ControlInfo = ControlInfo {
    name: "pid",
    doc: "Controller with proportional, integral and filtered derivative action, and output limits.",
    in_files: true,
    template,
    fields,
    mirror: same,
};

fn template() -> ControlKind {
    ControlKind::Pid {
        input: zero(),
        target: zero(),
        proportional: 0.0,
        integral: 0.0,
        derivative: 0.0,
        filter: 0.01,
        limited: false,
        low: 0.0,
        high: 0.0,
        start: 0.0,
        derivative_of: 0,
    }
}

fn fields(kind: &mut ControlKind, visitor: &mut dyn Fields) {
    let ControlKind::Pid {
        input,
        target,
        proportional,
        integral,
        derivative,
        filter,
        limited,
        low,
        high,
        start,
        derivative_of,
    } = kind
    else {
        return;
    };
    let doc = "Measured value of the controlled quantity, usually the name of a sensor.";
    visitor.signal(&Field::required("input", "", doc), input);
    visitor.signal(&Field::optional("target", "", "Set point of the controlled quantity."), target);
    let doc = "Proportional gain.";
    visitor.number(&Field::optional("proportional", "", doc), proportional);
    visitor.number(
        &Field::optional("integral", "", "Integral gain, per s."),
        integral,
    );
    visitor.number(
        &Field::optional("derivative", "", "Derivative gain, times s."),
        derivative,
    );
    let doc = "Time constant of the derivative filter.";
    visitor.number(&Field::optional("filter", "s", doc), filter);
    let doc = "Limit the output to the range from `low` to `high`.";
    visitor.flag(&Field::optional("limited", "", doc), limited);
    visitor.number(&Field::optional("low", "", "Smallest output."), low);
    visitor.number(&Field::optional("high", "", "Largest output."), high);
    visitor.number(
        &Field::optional("start", "", "Initial value of the integral part."),
        start,
    );
    let doc = "Signal of the derivative part: the error, or the input alone, which avoids derivative kicks from the target.";
    visitor.choice(
        &Field::optional("derivative_of", "", doc),
        &Pid::DERIVATIVES,
        derivative_of,
    );
}

/// With the error e = target − input, and d = e or d = −input, filtered: τ ż = d − z, z(0) = d(0),
///
/// u = P e + w + D (d − z)/τ,  y = sat(u),  ẇ = I e + (y − u)/T,
///
/// the last term being the anti-windup of back calculation with T = P/I, or 1 s where that is not
/// a positive time. sat is the identity between the limits but for a parabola over 2 % of the
/// range at each of them, which makes it continuously differentiable.
///
/// Without derivative gain there is no z, without integral gain no w.
#[derive(Clone, Debug)]
pub struct Pid {
    /// What is controlled.
    pub input: Signal,
    /// What it should be.
    pub target: Signal,
    /// Gains P, I, D.
    pub gains: [f64; 3],
    /// τ > 0.
    pub filter: f64,
    /// Limits of the output.
    pub limits: Option<[f64; 2]>,
    /// w at the start.
    pub start: f64,
    /// d is −input, not e.
    pub of_input: bool,
}

impl Pid {
    /// y for u.
    fn limited<T: Real>(&self, u: T) -> T {
        match self.limits {
            Some(limits) => limited(u, limits),
            None => u,
        }
    }

    /// What the derivative part may be taken of.
    pub const DERIVATIVES: [&'static str; 2] = ["error", "input"];

    /// d.
    fn derived<T: Real>(&self, scene: &Scene<T>) -> T {
        let input = scene.value(&self.input);
        match self.of_input {
            true => -input,
            false => scene.value(&self.target) - input,
        }
    }

    /// e, and u.
    fn unlimited<T: Real>(&self, scene: &Scene<T>) -> (T, T) {
        let [p, i, d] = self.gains;
        let error = scene.value(&self.target) - scene.value(&self.input);
        let mut u = error * p;
        let mut states = scene.own.iter();
        if i != 0.0 {
            u += states.next().copied().unwrap_or(T::zero());
        }
        if d != 0.0 {
            let z = states.next().copied().unwrap_or(T::zero());
            u += (self.derived(scene) - z) * (d / self.filter);
        }
        (error, u)
    }
}

impl ControlLaw for Pid {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        self.limited(self.unlimited(scene).1)
    }

    fn states(&self) -> Vec<OwnState> {
        let mut states = Vec::new();
        if self.gains[1] != 0.0 {
            states.push(OwnState::new(
                "integral",
                "1",
                "integral part of the output",
                self.start,
            ));
        }
        if self.gains[2] != 0.0 {
            states.push(OwnState::new("filtered", "1", "filtered error or input", 0.0));
        }
        states
    }

    fn begin(&self, scene: &Scene<f64>, own: &mut [f64]) -> bool {
        let [_, i, d] = self.gains;
        let filtered = usize::from(i != 0.0);
        match own.get_mut(filtered) {
            Some(z) if d != 0.0 => {
                *z = self.derived(scene);
                true
            }
            _ => false,
        }
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let [p, i, d] = self.gains;
        let (error, u) = self.unlimited(scene);
        let mut at = 0;
        if i != 0.0 {
            let time = if p / i > 0.0 { p / i } else { 1.0 };
            out[at] = error * i + (self.limited(u) - u) * (1.0 / time);
            at += 1;
        }
        if d != 0.0 {
            out[at] = (self.derived(scene) - scene.own[at]) * (1.0 / self.filter);
        }
    }
}
