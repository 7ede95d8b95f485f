//! Proportional, integral and derivative action.

use super::follow::limited;
use crate::diagnostic::Diagnostic;
use super::{ControlElement, ControlLaw, DescribedControl};
use crate::fields::{Field, Fields};
use crate::description::{Called, Control};
use crate::elements::faults::Faults;
use crate::elements::forces::OwnState;
use crate::elements::references::ResolveControl;
use crate::elements::scene::Scene;
use crate::signal::Signal;
use holonom_algebra::Real;

/// With the error e = target − input, and d = e or d = −input, filtered: τ ż = d − z, z(0) = d(0),
///
/// u = P e + w + D (d − z)/τ,  y = sat(u),  ẇ = I e + (y − u)/T,
///
/// the last term being the anti-windup of back calculation with T = P/I, or 1 s where that is not
/// a positive time. sat is the identity between the limits but for a parabola over 2 % of the
/// range at each of them, which makes it continuously differentiable.
///
/// Without derivative gain there is no z, without integral gain no w.
#[derive(Clone, Debug, PartialEq)]
pub struct Pid {
    /// What is controlled.
    pub input: Signal,
    /// What it should be.
    pub target: Signal,
    /// Proportional gain P.
    pub proportional: f64,
    /// Integral gain I, per s.
    pub integral: f64,
    /// Derivative gain D, times s.
    pub derivative: f64,
    /// τ > 0, s.
    pub filter: f64,
    /// Whether the output is limited.
    pub limited: bool,
    /// Least output.
    pub low: f64,
    /// Largest output.
    pub high: f64,
    /// w at the start.
    pub start: f64,
    /// What d is: number in [`DERIVATIVES`](Self::DERIVATIVES).
    pub derivative_of: usize,
}

impl Default for Pid {
    fn default() -> Self {
        Self {
            input: Signal::default(),
            target: Signal::default(),
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
}

impl DescribedControl for Pid {
    const NAME: &str = "pid";
    const DOC: &str = "Controller with proportional, integral and filtered derivative action, and output limits.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self {
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
        } = self;
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

    fn faults(&self, faults: &mut Faults) {
        faults.signal_quantity("the input", &self.input);
        faults.signal_quantity("the target", &self.target);
        faults.finite_quantity("a gain", &self.gains());
        faults.positive_quantity("filter", "the time constant of the filter", self.filter, "correct it");
        faults.finite_quantity("the start value", &[self.start]);
        let (low, high) = (self.low, self.high);
        let finite = faults.finite_quantity("a limit", &[low, high]);
        if !self.limited && (low != 0.0 || high != 0.0) {
            let fault = "the limits `low` and `high` have no effect without `limited = true`";
            faults.add(limits(fault.to_string()).remedy("add it, or remove them"));
        }
        if self.limited && finite && low >= high {
            let fault = format!("the lower limit {low} must be below the upper limit {high}");
            faults.add(limits(fault).remedy("correct `low` or `high`"));
        }
    }

    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        Some(self.clone().into())
    }
}


impl Pid {
    /// y for u.
    fn within_limits<T: Real>(&self, u: T) -> T {
        match self.limited {
            true => limited(u, [self.low, self.high]),
            false => u,
        }
    }

    /// P, I, D.
    fn gains(&self) -> [f64; 3] {
        [self.proportional, self.integral, self.derivative]
    }

    /// What the derivative part may be taken of.
    pub const DERIVATIVES: [&'static str; 2] = ["error", "input"];

    /// d.
    fn derived<T: Real>(&self, scene: &Scene<T>) -> T {
        let input = scene.value(&self.input);
        match self.derivative_of {
            1 => -input,
            _ => scene.value(&self.target) - input,
        }
    }

    /// e, and u.
    fn unlimited<T: Real>(&self, scene: &Scene<T>) -> (T, T) {
        let [p, i, d] = self.gains();
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

/// Constructors.
impl Control {
    /// A controller with gains P, I, D that keeps its input at zero; set another target with
    /// [`target`](Called::target).
    pub fn pid(
        name: impl Into<String>,
        input: Signal,
        [proportional, integral, derivative]: [f64; 3],
    ) -> Called<Pid> {
        let kind = Pid {
            input,
            target: Signal::constant(0.0),
            proportional,
            integral,
            derivative,
            filter: 0.01,
            limited: false,
            low: 0.0,
            high: 0.0,
            start: 0.0,
            derivative_of: 0,
        };
        Called::new(name, kind)
    }
}

impl Called<Pid> {
    /// Sets what the input should be.
    pub fn target(mut self, signal: Signal) -> Self {
        self.kind.target = signal;
        self
    }

    /// Takes the derivative part from what is measured instead of the error.
    pub fn derivative_of_input(mut self) -> Self {
        self.kind.derivative_of = 1;
        self
    }

    /// Limits the output.
    pub fn limits(mut self, lowest: f64, highest: f64) -> Self {
        let pid = &mut self.kind;
        (pid.limited, pid.low, pid.high) = (true, lowest, highest);
        self
    }
}

impl ControlLaw for Pid {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        self.within_limits(self.unlimited(scene).1)
    }

    fn states(&self) -> Vec<OwnState> {
        let mut states = Vec::new();
        if self.integral != 0.0 {
            states.push(OwnState::new(
                "integral",
                "1",
                "integral part of the output",
                self.start,
            ));
        }
        if self.derivative != 0.0 {
            states.push(OwnState::new("filtered", "1", "filtered error or input", 0.0));
        }
        states
    }

    fn begin(&self, scene: &Scene<f64>, own: &mut [f64]) -> bool {
        let [_, i, d] = self.gains();
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
        let [p, i, d] = self.gains();
        let (error, u) = self.unlimited(scene);
        let mut at = 0;
        if i != 0.0 {
            let time = if p / i > 0.0 { p / i } else { 1.0 };
            out[at] = error * i + (self.within_limits(u) - u) * (1.0 / time);
            at += 1;
        }
        if d != 0.0 {
            out[at] = (self.derived(scene) - scene.own[at]) * (1.0 / self.filter);
        }
    }
}

fn limits(fault: String) -> Diagnostic {
    Diagnostic::new(fault).field("low").field("high")
}
