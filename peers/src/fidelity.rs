//! `peers fidelity`: does our solver, told to behave like DASSL, take DASSL's steps?

use crate::codes::{self, Code, OURS};
use crate::interface::{RUNS, Settings, factors};
use crate::report::{Check, Report, table};
use holonom_dae::problems::Problem;
use serde_json::json;

/// Nominal problem and tolerances; each is run at 20 tolerances within ±10 % of them.
const CASES: [(&str, f64, Option<f64>); 2] = [
    ("car-axle", 1e-6, None),
    ("chain-residual:16:0.05", 1e-4, Some(1e-6)),
];

/// Mean steps and Jacobians over the tolerances.
fn mean(problem: &Problem, code: Code, rtol: f64, atol: f64) -> Result<(f64, f64), String> {
    let (mut steps, mut jacobians) = (0, 0);
    for factor in factors() {
        let settings = Settings {
            like_dassl: true,
            ..Settings::new(rtol * factor, atol * factor)
        };
        let mut system = (problem.build)();
        let run = (code.integrate)(system.as_mut(), problem, &settings)?;
        if let Some(failure) = run.failure {
            return Err(format!("rtol {:.3e}: {failure}", settings.rtol));
        }
        steps += run.steps;
        jacobians += run.jacobians;
    }
    Ok((steps as f64 / f64::from(RUNS), jacobians as f64 / f64::from(RUNS)))
}

/// Measures and prints everything.
pub fn fidelity(find: impl Fn(&str) -> Result<Problem, String>) -> Report {
    let mut report = Report::new("peers fidelity");
    let mut printed = Vec::new();
    for (name, rtol, atol) in CASES {
        let mut means = Vec::new();
        for code in ["dassl", OURS] {
            let measured = find(name).and_then(|problem| {
                let atol = atol.unwrap_or(rtol * problem.atol_factor);
                mean(&problem, codes::find(code)?, rtol, atol)
            });
            match measured {
                Ok((steps, jacobians)) => {
                    printed.push(vec![
                        name.to_owned(),
                        code.to_owned(),
                        format!("{steps:.1}"),
                        format!("{jacobians:.1}"),
                    ]);
                    report.rows.push(json!({ "problem": name, "code": code, "rtol": rtol, "steps": steps, "jacobians": jacobians }));
                    means.push((steps, jacobians));
                }
                Err(reason) => report.missing.push(format!("{name} with {code}: {reason}")),
            }
        }
        if let [(steps, jacobians), (ours, ours_jacobians)] = means[..] {
            for (what, value, limit) in [
                ("steps", ours / steps - 1.0, 0.15),
                ("jacobians", ours_jacobians / jacobians - 1.0, 0.30),
            ] {
                report.checks.push(Check {
                    id: format!("{what}/{name}"),
                    value: value.abs(),
                    limit,
                    source: format!(
                        "relative difference to DASSL, mean over {RUNS} tolerances; signed {value:+.3}"
                    ),
                });
            }
        }
    }
    table(&["problem", "code", "steps", "Jacobians"], &printed);
    report
}
