//! Options of the BDF method.

use super::coefficients::MAX_ORDER;
use crate::options::Options;
use crate::settings::SettingKind::{Count, Flag};
use crate::settings::{OwnOptions, Refusal, Setting, SettingValue, settings_of};
use crate::stepper::Parts;

/// Options of the BDF method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BdfOptions {
    /// Highest order used, 1 to 5.
    pub max_order: usize,
    /// Whether a step limited by stability lowers the order.
    pub stability_detection: bool,
}

impl Default for BdfOptions {
    fn default() -> Self {
        Self {
            max_order: MAX_ORDER,
            stability_detection: true,
        }
    }
}

impl OwnOptions for BdfOptions {
    const SETTINGS: &'static [Setting<Self>] = settings_of!(Self:
        "max_order" = max_order: Count, "Maximum order of `bdf`.", check order;
        "stability_detection" = stability_detection: Flag, "Lower the order of `bdf` when stability limits the step size.";
    );
}

fn order(value: &SettingValue) -> Result<(), Refusal> {
    match value {
        SettingValue::Count(1..=5) => Ok(()),
        other => Err(Refusal::of(other, "choose 1 to 5")),
    }
}

impl Options {
    /// Sets the highest order of `bdf`.
    pub fn max_order(self, max_order: usize) -> Self {
        let own = self.own::<BdfOptions>();
        self.with(BdfOptions { max_order, ..own })
    }

    /// Switches the detection of steps limited by stability in `bdf`.
    pub fn stability_detection(self, on: bool) -> Self {
        let own = self.own::<BdfOptions>();
        self.with(BdfOptions {
            stability_detection: on,
            ..own
        })
    }

    /// DASSL as it is: its method, refresh policy and stopping rule, no stability detection.
    pub fn dassl(mut self) -> Self {
        self.error_budget = None;
        self.foresight = false;
        self.hold_after_failure = false;
        self.long_first_step = false;
        self.newton.look_ahead = false;
        self.newton.accept_rounding = false;
        self.newton.share = 0.33;
        self.stepper(super::NAME)
            .refresh("dassl")
            .stability_detection(false)
    }
}

/// What the method goes by in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    pub max_order: usize,
    pub stability_detection: bool,
    /// Steps after which the share of the tolerance that a step may use begins to fall, so
    /// that the sum over a long run stays in proportion to the tolerance; `None`: never (DASSL).
    pub budget: Option<f64>,
    /// How much tighter steps are judged because of the form of the equations
    /// ([`Structure::local_error_factor`](holonom_dae::Structure::local_error_factor)).
    pub form_factor: f64,
    /// The part of that which holds for errors of velocities along the constraints, where those count with the step size
    /// ([`Structure::factor_along`](holonom_dae::Structure::factor_along)).
    pub factor_along: f64,
    /// Keep a step size that followed a failed error test for some steps (DASSL does not).
    pub hold_after_failure: bool,
    /// Steps after a rejected attempt that are taken with a new Jacobian each, the first two of
    /// them judged without the budget.
    ///
    /// Next to a singular position of a mechanism what an old matrix leaves of the constraint
    /// residuals appears divided by the smallest singular value in the solution, fails the error
    /// test there, and ever smaller steps end at the singular position instead of behind it.
    pub caution: u32,
    /// Keep this step size and the highest order throughout, without error control.
    pub fixed_step: Option<f64>,
}

impl Rules {
    pub fn new(parts: &Parts<'_>, own: BdfOptions) -> Self {
        let options = parts.options;
        Self {
            max_order: own.max_order,
            stability_detection: own.stability_detection,
            budget: options.error_budget,
            form_factor: parts.structure.local_error_factor(),
            factor_along: parts.structure.factor_along(),
            hold_after_failure: options.hold_after_failure,
            caution: parts.caution,
            fixed_step: options.fixed_step,
        }
    }
}
