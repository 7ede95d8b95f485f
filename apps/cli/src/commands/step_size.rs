//! What is known of a run in steps of fixed size beforehand, for `holonom realtime` and `holonom run`: stable step sizes, stiff
//! elements, and the bound of the error in the constraints.

use crate::error::Error;
use holonom::analysis::modes::state_of;
use holonom::analysis::step_size::{Advice, advice};
use holonom::simulation::Simulation;
use holonom::solver::stepper::{DriftBound, LinearImplicitOptions, StepLimit, StiffTerms, drift_bound};
use serde_json::{Map, Value, json};

/// Steps at which the constants of the bound are computed, at most about this many.
const SAMPLES: u64 = 10_000;

/// The advice at the start of a run, or why there is none.
pub fn at_start(simulation: &Simulation, options: &LinearImplicitOptions, h: f64) -> Result<Advice, String> {
    let start = &simulation.start;
    advice(start, &state_of(start), options, h).map_err(|error| error.to_string())
}

/// The advice as printed before a run.
pub fn text(found: &Result<Advice, String>) -> String {
    match found {
        Ok(advice) => format!("{advice}\n\n"),
        Err(reason) => format!("No advice on the step size: {reason}\n\n"),
    }
}

fn limit(limit: StepLimit) -> Value {
    match limit {
        StepLimit::Any => json!("any"),
        StepLimit::UpTo(h) => json!(h),
        StepLimit::Never => json!("never"),
    }
}

/// The advice in reports.
pub fn report(found: &Result<Advice, String>) -> Value {
    let advice = match found {
        Ok(advice) => advice,
        Err(reason) => return json!({ "reason": reason }),
    };
    let names = || StiffTerms::ALL.iter().map(|terms| terms.name().to_string());
    let modes = advice.modes.iter().map(|mode| {
        json!({
            "eigenvalue": [mode.eigenvalue.re, mode.eigenvalue.im],
            "kind": mode.kind.name(),
            "a": mode.a,
            "b": mode.b,
            "limits": names().zip(mode.limits.iter().map(|l| limit(*l))).collect::<Map<_, _>>(),
        })
    });
    let whole = advice.limits.iter().map(|found| {
        let value = json!({
            "limit": limit(found.limit),
            "factor": found.factor,
            "stable": found.is_stable,
            "assembly": found.options.assembly.name(),
            "ordering": found.options.ordering.name(),
            "stabilisation": found.options.stabilisation.name(),
        });
        (found.options.stiff_terms.name().to_string(), value)
    });
    json!({
        "step": advice.h,
        "stable": advice.is_stable(),
        "promise": advice.is_promise(),
        "growth": advice.growth,
        "zero_eigenvalues": advice.zeros,
        "model": whole.collect::<Map<_, _>>(),
        "modes": modes.collect::<Vec<_>>(),
    })
}

/// The elements that count as stiff, as printed.
pub fn stiff_text(names: &[String]) -> String {
    match names {
        [] => "none".to_string(),
        names => names.join(", "),
    }
}

/// The bound along a run of its own.
pub fn bound(simulation: &Simulation, steps: u64) -> Result<DriftBound, Error> {
    let usage = |error: holonom::InputError| Error::Usage(format!("--bound: {error}"));
    let mut system = simulation.real_time().map_err(usage)?;
    drift_bound(&mut system, steps, steps.div_ceil(SAMPLES)).map_err(usage)
}

/// The bound in reports.
pub fn bound_report(bound: &DriftBound) -> Value {
    json!({
        "steps": bound.steps,
        "samples": bound.samples,
        "c0": bound.c0,
        "c1": bound.c1,
        "c2": bound.c2,
        "condition": bound.condition(),
        "holds": bound.holds(),
        "g_lim": bound.limit(),
        "start": bound.start,
        "observed": bound.observed,
        "rounding": bound.rounding,
        "factor": bound.factor(),
        "kept": bound.is_kept(),
    })
}
