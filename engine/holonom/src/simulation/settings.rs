//! Settings that no run can honour, found before it begins.

use holonom_dae::InputError;
use holonom_format::Settings;
use holonom_multibody::residual::Form;
use holonom_solver::Options;
use holonom_solver::stepper::{self, AUTO};

/// End time of a run that does not say when it ends, s after its start.
pub const DEFAULT_END: f64 = 10.0;

/// Rows of a run that does not say how often it is recorded.
const DEFAULT_ROWS: f64 = 1000.0;

/// Output rows at most: more would not be looked at, and hint at a slip of units.
const MAX_ROWS: f64 = 1e10;

/// A setting with an impossible value.
pub(super) struct Fault {
    pub setting: &'static str,
    pub text: String,
    pub help: String,
}

impl Fault {
    fn new(setting: &'static str, text: String, help: impl Into<String>) -> Self {
        Self {
            setting,
            text,
            help: help.into(),
        }
    }
}

/// Start, end and output step.
pub(super) struct Times {
    pub start: f64,
    pub end: f64,
    pub step: f64,
}

impl Times {
    pub fn of(settings: &Settings) -> Self {
        let start = settings.t_start.unwrap_or(0.0);
        let end = settings.t_end.unwrap_or(start + DEFAULT_END);
        let step = settings.output_step.unwrap_or((end - start) / DEFAULT_ROWS);
        Self { start, end, step }
    }
}

/// Largest relative error of data with which dependence can still be told.
const COARSEST_DATA: f64 = 1e-3;

/// All settings with impossible values.
pub(super) fn faults(settings: &Settings) -> Vec<Fault> {
    let mut faults = Vec::new();
    let Times { start, end, step } = Times::of(settings);
    if !start.is_finite() {
        faults.push(Fault::new(
            "t_start",
            format!("the start time is {start} s"),
            "give a finite number",
        ));
    } else if !(end.is_finite() && end > start) {
        let text = format!("the end time {end} s is not after the start time {start} s");
        faults.push(Fault::new("t_end", text, "increase `t_end`"));
    } else if step != 0.0 && start + step.abs() == start {
        let text = format!(
            "the output interval of {step} s is too small to change the start time {start} s \
        in double precision"
        );
        let setting = if settings.output_step.is_some() {
            "output_step"
        } else {
            "t_start"
        };
        faults.push(Fault::new(
            setting,
            text,
            "increase `output_step`, or reduce `t_start`",
        ));
    } else if step > 0.0 && (end - start) / step > MAX_ROWS {
        let text = format!(
            "an output interval of {step} s produces {:.1e} rows",
            (end - start) / step
        );
        faults.push(Fault::new("output_step", text, "increase `output_step`"));
    }
    if let Some(interval) = settings.output_step
        && !(interval > 0.0 && interval.is_finite())
    {
        let text = format!("`output_step` is {interval}");
        faults.push(Fault::new("output_step", text, "give a positive number"));
    }
    if let Some(precision) = settings.data_precision
        && !(precision > 0.0 && precision <= COARSEST_DATA)
    {
        faults.push(Fault::new(
            "data_precision",
            format!("`data_precision` is {precision}"),
            "give a positive number up to 0.001, such as 1e-6 for data with six digits",
        ));
    }
    if let (Some(fixed), Some(max)) = (settings.fixed_step, settings.max_step)
        && fixed > max
        && max > 0.0
    {
        faults.push(Fault::new(
            "fixed_step",
            format!("`fixed_step` is {fixed}, longer than `max_step`, which is {max}"),
            "remove `max_step`: steps of fixed size are not limited otherwise",
        ));
    }
    faults.extend(super::solver_options(settings).faults().iter().map(fault_of));
    faults
}

/// Settings that change nothing in a run with these options and this form, each with the reason.
pub(super) fn unused(settings: &Settings, solver: &Options, form: Form) -> Vec<(&'static str, String)> {
    let found = solver.unused(settings.names()).into_iter();
    let mut unused: Vec<(&'static str, String)> = found.map(|unused| (unused.setting, unused.text)).collect();
    let in_use = &solver.stepper;
    // Methods that work on the parts of a mechanism evaluate no residual.
    let by_parts = stepper::find(in_use).is_some_and(|entry| !entry.takes_residual());
    let named = |value: &Option<String>| value.as_ref().is_some_and(|value| value != AUTO);
    if by_parts && named(&settings.formalism) {
        let text = format!(
            "the setting `formalism` has no effect with `{in_use}`; remove it, or choose another stepper, such as `bdf`"
        );
        unused.push(("formalism", text));
    }
    // Steppers of fixed steps have assemblies of their own.
    if stepper::find(in_use).is_some_and(|entry| entry.fixed_step) && named(&settings.form) {
        let text = format!("the setting `form` has no effect with `{in_use}`; remove it, or set `assembly`");
        unused.push(("form", text));
    }
    if settings.ggl_metric.is_some() && (form != Form::Ggl || by_parts) {
        let with = match form {
            Form::Ggl => in_use.as_str(),
            other => other.name(),
        };
        let text = format!(
            "the setting `ggl_metric` has no effect with `{with}`; remove it, or set `form = \"ggl\"` and a stepper such as `bdf`"
        );
        unused.push(("ggl_metric", text));
    }
    let Times { start, end, step } = Times::of(settings);
    if settings.output_step.is_some() && step > end - start {
        let text = format!(
            "the output step of {step} s is longer than the run of {} s: only its start and end are recorded; \
             give a shorter one",
            end - start
        );
        unused.push(("output_step", text));
    }
    unused
}

/// What the solver refuses, as a fault of the setting.
pub(super) fn fault_of(error: &InputError) -> Fault {
    match error {
        InputError::Option {
            option,
            value,
            remedy,
        } => Fault::new(option, format!("`{option}` is {value}"), remedy.clone()),
        InputError::Tolerance {
            what, value, remedy, ..
        } => {
            let setting = if *what == "relative" { "rtol" } else { "atol" };
            Fault::new(setting, format!("`{setting}` is {value}"), *remedy)
        }
        other => Fault::new("stepper", other.to_string(), "choose other settings"),
    }
}
