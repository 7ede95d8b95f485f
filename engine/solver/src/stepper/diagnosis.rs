//! What to say when a run cannot go on: the failure behind a rejection, with the worst rows by
//! name and a remedy.

use super::Stepper;
use holonom_dae::{Failure, FailureKind, NamedValue, Rejection, System};

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

/// The failure behind a rejection that no smaller step than `h` cures.
pub fn diagnose(rejection: Rejection, h: f64, stepper: &mut dyn Stepper, system: &dyn System) -> Failure {
    let structure = system.structure();
    let equation = |row: usize| structure.equations[row].name.clone();
    let variable = |column: usize| structure.variables[column].name.clone();
    let kind = match rejection {
        Rejection::NonFinite { row } => FailureKind::NonFinite {
            equation: equation(row),
        },
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
        reason => FailureKind::StepTooSmall {
            h,
            order: stepper.order(),
            reason,
            remedy: remedy(reason),
        },
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

fn remedy(reason: Rejection) -> &'static str {
    match reason {
        Rejection::ErrorTest { .. } => {
            "The equations are probably discontinuous here: smooth what switches, as `smoothstep`, transition velocities \
             and onsets do"
        }
        Rejection::OutsideDomain => {
            "The solution leaves the domain of the residual: check the model near this point"
        }
        _ => {
            "Check for a discontinuity, a singular position, or tolerances that differ wildly between variables"
        }
    }
}
