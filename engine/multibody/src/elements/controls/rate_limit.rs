//! An output that changes with a limited rate.

use super::{ControlElement, ControlKind, ControlLaw, DescribedControl};
use crate::description::Control;
use crate::fields::{Field, Fields};
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::ResolveControl;
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// ẏ = (u − y)/T within the limits −f ≤ ẏ ≤ r: y runs after a step of the input on a straight line, and follows a slow
/// input with a lag of T.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateLimit {
    /// Input u.
    pub input: Signal,
    /// Largest rate r > 0.
    pub rise: f64,
    /// Largest rate f > 0 downwards; zero for r.
    pub fall: f64,
    /// Time constant T > 0.
    pub time_constant: f64,
    /// y at the start.
    pub start: f64,
}

impl DescribedControl for RateLimit {
    const NAME: &str = "rate-limit";
    const DOC: &str = "Rate limiter: follows the input, but changes by no more than a given rate.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { input, rise, fall, time_constant, start } = self;
        visitor.signal(&Field::required("input", "", "Input signal."), input);
        let doc = "Largest rate of the output upwards, per s; must be positive.";
        visitor.number(&Field::required("rise", "", doc), rise);
        let doc = "Largest rate of the output downwards, per s, as a positive number; zero for the same as upwards.";
        visitor.number(&Field::optional("fall", "", doc), fall);
        let doc = "Time constant with which the output follows an input that stays within the limits; must be positive.";
        visitor.number(&Field::required("time_constant", "s", doc), time_constant);
        visitor.number(&Field::optional("start", "", "Initial output."), start);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.signal("input", &self.input);
        faults.positive("rise", self.rise);
        faults.not_negative("fall", self.fall);
        faults.positive("time_constant", self.time_constant);
        faults.finite("start", self.start);
    }

    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        Some(self.clone().into())
    }
}

/// Constructors.
impl Control {
    /// A rate limiter with the largest rate in both directions, per s, and the time constant, s, with which it follows
    /// a slow input.
    pub fn rate_limit(name: impl Into<String>, input: Signal, rate: f64, time_constant: f64) -> Self {
        let kind = ControlKind::RateLimit(RateLimit {
            input,
            rise: rate,
            fall: 0.0,
            time_constant,
            start: 0.0,
        });
        Self::new(name, kind)
    }
}

impl ControlLaw for RateLimit {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        scene.own[0]
    }

    fn direct(&self) -> bool {
        false
    }

    fn states(&self) -> Vec<OwnState> {
        vec![OwnState::new("state", "1", "output of the rate limiter", self.start)]
    }

    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let wanted = (scene.value(&self.input) - scene.own[0]) * (1.0 / self.time_constant);
        let fall = if self.fall > 0.0 { self.fall } else { self.rise };
        let above = T::select(wanted.value() > self.rise, T::constant(self.rise), wanted);
        out[0] = T::select(above.value() < -fall, T::constant(-fall), above);
    }
}
