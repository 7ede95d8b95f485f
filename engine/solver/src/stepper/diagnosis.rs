//! What to say when a run cannot go on: the failure behind a rejection, with the worst rows by
//! name and a remedy.

use super::Stepper;
use holonom_dae::{Failure, FailureKind, NamedValue, Rejection, Structure, System};

/// Rows named in a failure.
const WORST: usize = 3;

/// Puts a failure into context.
pub fn failure(kind: FailureKind, stepper: &dyn Stepper) -> Failure {
    Failure {
        kind,
        t: stepper.t(),
        h: stepper.h(),
        order: stepper.order(),
        worst: Vec::new(),
    }
}

/// The failure behind a rejection that no smaller step than `h` cures, or that steps of fixed size cannot avoid.
pub fn diagnose(
    rejection: Rejection,
    (h, is_fixed): (f64, bool),
    stepper: &mut dyn Stepper,
    system: &mut dyn System,
) -> Failure {
    let singular = system.singular_position(stepper.t(), stepper.y());
    let structure = system.structure();
    let equation = |row: usize| structure.equations[row].name.clone();
    let variable = |column: usize| structure.variables[column].name.clone();
    let grown = |kind| match kind {
        FailureKind::Unbounded { variable, value, .. } => (variable, value),
        _ => (String::new(), f64::NAN),
    };
    let positions_alone = structure.variables.iter().any(|v| v.index == 3);
    let kind = match rejection {
        reason @ (Rejection::Divergence | Rejection::SlowConvergence | Rejection::NonFinite { .. })
            if is_fixed =>
        {
            let grown = unbounded(reason, h, stepper, structure).map(grown);
            match reason {
                Rejection::NonFinite { row } if grown.is_none() => FailureKind::NonFinite {
                    equation: equation(row),
                },
                _ => FailureKind::StepTooLong { h, reason, grown },
            }
        }
        Rejection::SingularMatrix { .. }
        | Rejection::Divergence
        | Rejection::SlowConvergence
        | Rejection::ErrorTest { .. }
        | Rejection::PassedBorder
            if let Some(at) = singular =>
        {
            FailureKind::SingularPosition {
                constraints: at.constraints,
                coordinates: at.coordinates,
                h,
                order: stepper.order(),
                reason: rejection,
                remedy: match super::find(stepper.name()).is_some_and(|entry| entry.in_stages) {
                    _ if positions_alone => {
                        "In the form `index3` rounding errors of velocities grow as steps get shorter: use the form `ggl`, or \
                         loosen the tolerances"
                    }
                    true => {
                        "Choose a looser or tighter tolerance or another stepper, give the data with all digits, or choose \
                         a geometry that avoids this position"
                    }
                    false => {
                        "Choose another stepper (try `radau` first) or tolerance, or a geometry that avoids this position"
                    }
                },
            }
        }
        // On the way to a pole, what the corrector tries may overflow.
        Rejection::NonFinite { row } => {
            unbounded(rejection, h, stepper, structure).unwrap_or_else(|| FailureKind::NonFinite {
                equation: equation(row),
            })
        }
        Rejection::SingularMatrix {
            row,
            column,
            structural,
        } => FailureKind::SingularMatrix {
            equation: equation(row),
            variable: variable(column),
            structural,
        },
        Rejection::BelowBound { variable: column } => FailureKind::BelowBound {
            variable: variable(column),
        },
        reason => unbounded(reason, h, stepper, structure)
            .or_else(|| below_rounding(reason, h, stepper, structure))
            .unwrap_or(FailureKind::StepTooSmall {
                h,
                order: stepper.order(),
                reason,
                remedy: match reason {
                    Rejection::ErrorTest { .. } | Rejection::Divergence | Rejection::SlowConvergence
                        if positions_alone =>
                    {
                        "In the form `index3` rounding errors of velocities grow as steps get shorter, most of all close to \
                         singular positions: use the form `ggl`, or loosen the tolerances. If that does not help, check for a \
                         discontinuity"
                    }
                    reason => remedy(reason),
                },
            }),
    };
    let mut failure = failure(kind, stepper);
    failure.h = h;
    if let Some(corrector) = stepper.corrector() {
        let residual = corrector.last_residual().iter().enumerate();
        let mut worst: Vec<NamedValue> = residual
            .filter(|(_, v)| **v != 0.0)
            .map(|(i, v)| NamedValue {
                name: equation(i),
                value: *v,
            })
            .collect();
        let size = |v: &NamedValue| {
            if v.value.is_finite() {
                v.value.abs()
            } else {
                f64::INFINITY
            }
        };
        worst.sort_by(|a, b| size(b).total_cmp(&size(a)));
        worst.truncate(WORST);
        failure.worst = worst;
    }
    failure
}

/// Part of the tolerance of a variable that rounding may make up without being to blame.
const BLAME: f64 = 0.01;
/// Rounding beyond this part of the size of a variable is no matter of tolerances: the matrix is nearly singular.
const HALF_THE_DIGITS: f64 = 1.5e-8;

/// Steps of the last size, and part of the time so far, within which a variable that grows without bound would double.
const DOUBLES: [f64; 2] = [1e4, 1e-6];
/// Tolerances that such a variable has grown to.
const GROWN: f64 = 30.0;
/// Part of its rate over the last step by which such a variable has changed in it: rates alone may be rounding divided by a
/// power of the step size.
const SEEN: f64 = 0.1;
/// No quantity of a model is this large.
const HUGE: f64 = 1e100;

/// The failure of a run in which a variable grows so fast that it has no value a few steps on: close to a pole at t*, y
/// is in proportion to a power of 1/(t* − t), and y/ẏ to t* − t, which is as short as the steps. Next to a jump, y/ẏ is
/// not.
fn unbounded(reason: Rejection, h: f64, stepper: &dyn Stepper, structure: &Structure) -> Option<FailureKind> {
    let numeric = matches!(
        reason,
        Rejection::ErrorTest { .. }
            | Rejection::Divergence
            | Rejection::SlowConvergence
            | Rejection::OutsideDomain
            | Rejection::NonFinite { .. }
    );
    let t = stepper.t().abs();
    let soon = (DOUBLES[0] * h.abs().max(f64::EPSILON * t)).min(DOUBLES[1] * t);
    let forward = stepper.h().signum();
    let weights = stepper.weights().reciprocal();
    let (mut before, mut slopes) = (stepper.y().to_vec(), stepper.yp().to_vec());
    let last = stepper.last_h();
    stepper.interpolate(stepper.t() - last, &mut before, &mut slopes);
    let grows = |i: &usize| {
        let (y, yp) = (stepper.y()[*i], stepper.yp()[*i]);
        let seen = (y - before[*i]).abs() >= SEEN * (yp * last).abs();
        let is_near = seen && (y / yp).abs() <= soon && (y * weights[*i]).abs() > GROWN;
        y * yp.signum() * forward > 0.0 && (is_near || y.abs() > HUGE)
    };
    let differential = (0..structure.dimension()).filter(|i| structure.variables[*i].kind.is_differential());
    let doubles = |i: usize| (stepper.y()[i] / stepper.yp()[i]).abs();
    let i = differential
        .filter(grows)
        .min_by(|a, b| doubles(*a).total_cmp(&doubles(*b)))?;
    numeric.then(|| FailureKind::Unbounded {
        variable: structure.variables[i].name.clone(),
        value: stepper.y()[i],
        doubles: doubles(i),
    })
}

/// The failure of a run that was asked for more digits of a variable than rounding leaves.
fn below_rounding(
    reason: Rejection,
    h: f64,
    stepper: &dyn Stepper,
    structure: &Structure,
) -> Option<FailureKind> {
    let numeric = matches!(
        reason,
        Rejection::ErrorTest { .. } | Rejection::Divergence | Rejection::SlowConvergence
    );
    if !numeric {
        return None;
    }
    let weights = stepper.weights();
    let judged = |i: usize| {
        let (given, judged) = weights.asked(i, stepper.y()[i]);
        // Errors of variables of higher index count with powers of the step size.
        let variable = &structure.variables[i];
        let graded = h.abs().min(1.0).powi(i32::from(variable.index.saturating_sub(1)));
        let rounding = weights.lowest()[i] / weights.reserve();
        let size = stepper.y()[i].abs().max(variable.scale.unwrap_or(1.0));
        let lost = rounding * graded / size;
        (rounding * graded / judged, i, rounding, given, judged, lost)
    };
    let all = || (0..structure.dimension()).map(judged);
    if all().any(|v| v.5.is_nan() || v.5 > HALF_THE_DIGITS) {
        return None;
    }
    let (part, i, rounding, tolerance, judged, _) = all().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (part.is_finite() && part > BLAME).then(|| FailureKind::BelowRounding {
        h,
        order: stepper.order(),
        reason,
        variable: structure.variables[i].name.clone(),
        rounding,
        tolerance,
        judged,
        advice: tolerance * part / BLAME,
    })
}

fn remedy(reason: Rejection) -> &'static str {
    match reason {
        Rejection::ErrorTest { .. } => {
            "The equations are probably discontinuous here: smooth the switch, for example with \
             `smoothstep`, a transition velocity or an onset"
        }
        Rejection::OutsideDomain => {
            "The solution leaves the domain of the residual: check the model near this point"
        }
        _ => {
            "Check for a discontinuity, a singular position, or tolerances that differ greatly between variables"
        }
    }
}
