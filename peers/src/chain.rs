//! `peers chain`: the chain of pendulums with every code, errors at whole seconds.

use crate::codes::Code;
use crate::interface::Settings;
use crate::report::{Report, number, seconds, table};
use holonom_dae::problems::{self, Problem};
use serde_json::json;

/// Measures and prints everything: the residual form, or the explicit one for a code that cannot
/// take it.
pub fn chain(
    sizes: &[usize],
    omega: f64,
    settings: &Settings<'_>,
    codes: &[Code],
    find: impl Fn(&str) -> Result<Problem, String>,
) -> Result<Report, String> {
    let mut report = Report::new("peers chain");
    let mut printed = Vec::new();
    for n in sizes {
        let t_end = find(&format!("chain-residual:{n}:{omega}"))?.t_end;
        let times: Vec<f64> = (1..).map(f64::from).take_while(|t| *t <= t_end).collect();
        let reference = problems::chain::reference(*n, omega, &times);
        for code in codes {
            let mut refusal = String::new();
            for form in ["residual", "explicit"] {
                let problem = find(&format!("chain-{form}:{n}:{omega}"))?;
                let mut system = (problem.build)();
                let asked = Settings {
                    times: &times,
                    ..settings.clone()
                };
                let run = match (code.integrate)(system.as_mut(), &problem, &asked) {
                    Ok(run) => run,
                    Err(reason) => {
                        refusal = reason;
                        continue;
                    }
                };
                refusal.clear();
                if let Some(failure) = &run.failure {
                    report
                        .missing
                        .push(format!("N = {n} with {}: {failure}", code.name));
                }
                let error = error_of_angles(*n, &reference, &run.outputs);
                report.rows.push(json!({
                    "n": n, "omega": omega, "rtol": settings.rtol, "atol": settings.atol, "code": code.name, "form": form,
                    "steps": run.steps, "residuals": run.residuals, "residuals_own": run.residuals_own,
                    "jacobians": run.jacobians, "error_failures": run.error_failures,
                    "convergence_failures": run.convergence_failures, "cpu_s": run.cpu,
                    "max_angle_error": error.map_or(serde_json::Value::Null, number),
                }));
                printed.push(vec![
                    format!("{n}"),
                    code.name.to_owned(),
                    form.to_owned(),
                    run.steps.to_string(),
                    run.residuals.to_string(),
                    run.residuals_own.to_string(),
                    run.jacobians.to_string(),
                    run.error_failures.to_string(),
                    run.convergence_failures.to_string(),
                    seconds(run.cpu),
                    error.map_or("-".into(), |e| format!("{e:.2e}")),
                ]);
                break;
            }
            if !refusal.is_empty() {
                report
                    .missing
                    .push(format!("N = {n} with {}: {refusal}", code.name));
            }
        }
    }
    table(
        &[
            "N",
            "code",
            "form",
            "steps",
            "residuals",
            "own count",
            "Jacobians",
            "error fails",
            "conv. fails",
            "CPU",
            "max angle error",
        ],
        &printed,
    );
    Ok(report)
}

/// Largest error of an angle over the whole seconds; `None` if the run stopped short of them.
fn error_of_angles(n: usize, reference: &[Vec<f64>], outputs: &[Vec<f64>]) -> Option<f64> {
    (outputs.len() == reference.len()).then(|| {
        let at = |(y, r): (&Vec<f64>, &Vec<f64>)| (0..n).map(|i| (y[i] - r[i]).abs()).fold(0.0, f64::max);
        outputs.iter().zip(reference).map(at).fold(0.0, f64::max)
    })
}
