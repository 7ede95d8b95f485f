//! Settings that no run can honour, found before it begins.

use holonom_dae::InputError;
use holonom_format::Settings;
use holonom_solver::stepper::{self, AUTO, Build};

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
    let positive = [
        ("output_step", settings.output_step),
        ("atol", settings.atol),
        ("initial_step", settings.initial_step),
        ("max_step", settings.max_step),
        ("fixed_step", settings.fixed_step),
        ("time_limit", settings.time_limit),
    ];
    for (setting, value) in positive {
        if let Some(x) = value
            && !(x > 0.0 && x.is_finite())
        {
            faults.push(Fault::new(
                setting,
                format!("`{setting}` is {x}"),
                "give a positive number",
            ));
        }
    }
    if let Some(rtol) = settings.rtol
        && !(rtol >= 0.0 && rtol.is_finite())
    {
        faults.push(Fault::new(
            "rtol",
            format!("`rtol` is {rtol}"),
            "give a positive number such as 1e-6",
        ));
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
    if let Some(min) = settings.min_step
        && !(min >= 0.0 && min < settings.max_step.unwrap_or(f64::INFINITY))
    {
        let help = "give a number from 0 up to `max_step`";
        faults.push(Fault::new("min_step", format!("`min_step` is {min}"), help));
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
    if let Some(order) = settings.max_order
        && !(1..=5).contains(&order)
    {
        faults.push(Fault::new(
            "max_order",
            format!("`max_order` is {order}"),
            "choose 1 to 5",
        ));
    }
    if let Some(stages) = settings.stages
        && ![3, 5, 7].contains(&stages)
    {
        faults.push(Fault::new(
            "stages",
            format!("`stages` is {stages}"),
            "choose 3, 5 or 7, or remove it",
        ));
    }
    // A tolerance of a tenth leaves no digit.
    const COARSEST: f64 = 0.1;
    if let Some(rtol) = settings.rtol
        && rtol > COARSEST
        && rtol.is_finite()
    {
        faults.push(Fault::new(
            "rtol",
            format!("`rtol` is {rtol}, which leaves no digit right"),
            "give a relative error such as 1e-6",
        ));
    }
    // Ten units of rounding: the solver cannot tell errors that small from noise.
    const SHARPEST: f64 = 2e-15;
    if let Some(rtol) = settings.rtol
        && rtol > 0.0
        && rtol < SHARPEST
    {
        faults.push(Fault::new(
            "rtol",
            format!("`rtol` is {rtol:e}, which is below double precision"),
            "give 1e-12 or more; 1e-8 is tight enough for most purposes",
        ));
    }
    if settings.max_steps == Some(0) {
        faults.push(Fault::new(
            "max_steps",
            "`max_steps` is 0".to_string(),
            "give at least 1",
        ));
    }
    faults
}

/// Settings that change nothing in a run with the stepper, with what they are for.
pub(super) fn unused(settings: &Settings, stepper: &str) -> Vec<(&'static str, String)> {
    const OF_METHODS: [(&str, &str); 13] = [
        ("alpha_family", "generalized-alpha"),
        ("spectral_radius", "generalized-alpha"),
        ("stages", "radau"),
        ("stiff_terms", "linear-implicit-euler"),
        ("assembly", "linear-implicit-euler"),
        ("stabilisation", "linear-implicit-euler"),
        ("ordering", "linear-implicit-euler"),
        ("stiff", "linear-implicit-euler"),
        ("jacobian_shares", "linear-implicit-euler"),
        ("baumgarte_alpha", "linear-implicit-euler"),
        ("baumgarte_beta", "linear-implicit-euler"),
        ("projection_steps", "linear-implicit-euler"),
        ("regularisation_epsilon", "linear-implicit-euler"),
    ];
    let mut unused = Vec::new();
    for (setting, method) in OF_METHODS {
        // Of these methods `auto` chooses `radau` only.
        let applies = stepper == method || (stepper == AUTO && method == "radau");
        if settings.get(setting).is_some() && !applies {
            let text = format!(
                "the setting `{setting}` has no effect with `{stepper}`; remove it, or set `stepper = \"{method}\"`"
            );
            unused.push((setting, text));
        }
    }
    // `auto` takes the method that has these settings.
    for setting in ["max_order", "stability_detection"] {
        if settings.get(setting).is_some() && !["bdf", AUTO].contains(&stepper) {
            let text = format!(
                "the setting `{setting}` has no effect with `{stepper}`; remove it, or set `stepper = \"bdf\"`"
            );
            unused.push((setting, text));
        }
    }
    // Methods that solve no equations with a corrector.
    let is_direct = stepper::find(stepper).is_some_and(|entry| matches!(entry.build, Build::Direct(_)));
    for (setting, value) in [
        ("jacobian", &settings.jacobian),
        ("sparsity", &settings.sparsity),
        ("linear", &settings.linear),
        ("refresh", &settings.refresh),
        ("update", &settings.update),
    ] {
        if is_direct && value.as_ref().is_some_and(|value| value != AUTO) {
            let text = format!(
                "the setting `{setting}` has no effect with `{stepper}`; remove it, or choose another stepper, such as `bdf`"
            );
            unused.push((setting, text));
        }
    }
    for setting in ["max_step", "min_step"] {
        if settings.fixed_step.is_some() && settings.get(setting).is_some() {
            let text = format!("the setting `{setting}` has no effect with `fixed_step`; remove one of them");
            unused.push((setting, text));
        }
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
