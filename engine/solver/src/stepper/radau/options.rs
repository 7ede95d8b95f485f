//! Options of the Radau method, and what follows from the tolerance.

use super::coefficients::Method;
use crate::options::Options;
use crate::settings::SettingKind::Count;
use crate::settings::{OwnOptions, Refusal, Setting, SettingValue, settings_of};
use holonom_dae::Absolute;

/// Options of the Radau method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RadauOptions {
    /// Number of stages, 3, 5 or 7; `None`: chosen from step to step.
    pub stages: Option<usize>,
}

impl OwnOptions for RadauOptions {
    const SETTINGS: &'static [Setting<Self>] = settings_of!(Self:
        "stages" = stages: Count, "Number of stages of `radau`: 3, 5 or 7.", automatic "chosen automatically", check stages;
    );
}

fn stages(value: &SettingValue) -> Result<(), Refusal> {
    match value {
        SettingValue::Count(3 | 5 | 7) => Ok(()),
        other => Err(Refusal::of(other, "choose 3, 5 or 7, or remove it")),
    }
}

impl Options {
    /// Sets the number of stages of `radau`.
    pub fn stages(self, stages: usize) -> Self {
        self.with(RadauOptions { stages: Some(stages) })
    }
}

/// Most by which the error estimated in a step may exceed the tolerance: inside the step the error is about
/// a quarter of the estimate, and outputs lie there.
const MOST_ALLOWED: f64 = 5.0;

/// What the method goes by in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    pub stages: Option<usize>,
    /// The tolerance by which the error allowed in a step is chosen.
    pub tolerance: f64,
    /// Keep this step size throughout, without error control.
    pub fixed_step: Option<f64>,
    /// Outputs lie between steps: steps are judged there too.
    pub seen_between_steps: bool,
}

impl Rules {
    pub fn new(options: &Options) -> Self {
        let absolute = match &options.tolerances.atol {
            Absolute::Same(a) => *a,
            Absolute::Each(each) => each.iter().copied().fold(f64::INFINITY, f64::min),
        };
        Self {
            stages: options.own::<RadauOptions>().stages,
            tolerance: options.tolerances.rtol.max(absolute).min(1.0),
            fixed_step: options.fixed_step,
            seen_between_steps: options.outputs.get(0).is_some(),
        }
    }

    /// By how much the error estimated in a step may exceed the tolerance.
    ///
    /// The estimate is of order s, the method of order 2 s − 1: an estimate of 0.1 tol^((s+1)/2s) goes with
    /// an error at the end of steps in proportion to the tolerance [Hairer, Wanner 1999].
    pub fn allowance(&self, s: usize) -> f64 {
        let s = s as f64;
        (0.1 * self.tolerance.powf(-(s - 1.0) / (2.0 * s))).min(MOST_ALLOWED)
    }

    /// Share of the error estimated in a step that the iteration may leave: small enough for the order at
    /// the end of steps, which is higher than that of the estimate, and not below rounding
    /// [Hairer, Wanner 1999].
    ///
    /// What is left of constraints of index 2 and 3 comes back in the next step as velocities and multipliers
    /// times γ/h and (γ/h)². As they count with h and h² in the error test, no shorter step makes up for it.
    pub fn share(&self, method: &Method, index: u8) -> f64 {
        /// Of what is left by the order; at most this, and less where velocities follow from positions divided by h: what is
        /// left of these across the constraints lies along them where their directions turn; and rounding in units of ε.
        const MOST: f64 = 0.03;
        const TURNED: f64 = 1e-3;
        const ROUNDING: f64 = 10.0 * f64::EPSILON;
        let error = self.tolerance * self.allowance(method.s);
        let turned = if index >= 3 { TURNED } else { 1.0 };
        let most = MOST * turned * method.gamma.powi(1 - i32::from(index.clamp(1, 3)));
        let s = method.s as f64;
        error.powf((s - 1.0) / (s + 1.0)).min(most).max(ROUNDING / error)
    }
}
