//! `peers chain`: the chain of pendulums with every code, counts averaged over tolerances, errors at whole seconds.

use crate::codes::{Code, OURS};
use crate::interface::{RUNS, Settings, factors};
use crate::report::{Check, Report, number, seconds, table};
use holonom_dae::problems::{self, Problem};
use serde_json::json;

/// The excitation and the tolerances of Arnold, Fuchs, Führer 2004, §4.2.1, with ω taken as rad/s: the case that
/// is judged.
pub const OMEGA: f64 = 0.05;
/// Relative tolerance there.
pub const RTOL: f64 = 1e-4;
/// Absolute tolerance there.
pub const ATOL: f64 = 1e-6;
/// The code that ours is judged by, and what ours may need of its residuals. DASSL raises its order until BDF is unstable
/// for the lightly damped modes, and pays with short steps; detecting that is to save nine in ten evaluations.
const BASELINE: &str = "dassl";
const MOST: f64 = 0.1;

/// Averages over the tolerances.
#[derive(Default)]
struct Mean {
    steps: f64,
    residuals: f64,
    residuals_own: f64,
    jacobians: f64,
    error_failures: f64,
    convergence_failures: f64,
    cpu: f64,
    /// The largest error of an angle in any run; none if one stopped short.
    error: Option<f64>,
    failure: Option<String>,
}

/// Runs a code at all tolerances; `Err` where it cannot take the problem.
fn mean(
    code: &Code,
    problem: &Problem,
    n: usize,
    settings: &Settings<'_>,
    reference: &[Vec<f64>],
) -> Result<Mean, String> {
    let mut mean = Mean {
        error: Some(0.0),
        ..Mean::default()
    };
    for factor in factors() {
        let asked = Settings {
            rtol: factor * settings.rtol,
            atol: factor * settings.atol,
            ..settings.clone()
        };
        let mut system = (problem.build)();
        let run = (code.integrate)(system.as_mut(), problem, &asked)?;
        let share = |x: u64| x as f64 / f64::from(RUNS);
        mean.steps += share(run.steps);
        mean.residuals += share(run.residuals);
        mean.residuals_own += share(run.residuals_own);
        mean.jacobians += share(run.jacobians);
        mean.error_failures += share(run.error_failures);
        mean.convergence_failures += share(run.convergence_failures);
        mean.cpu += run.cpu / f64::from(RUNS);
        let error = error_of_angles(n, reference, &run.outputs);
        mean.error = mean.error.zip(error).map(|(a, b)| a.max(b));
        if let Some(failure) = run.failure {
            mean.failure = Some(format!("rtol {:.3e}: {failure}", asked.rtol));
        }
    }
    Ok(mean)
}

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
        let asked = Settings {
            times: &times,
            ..settings.clone()
        };
        // Residuals of ours and of the code that it is judged by.
        let (mut ours, mut theirs) = (None, None);
        for code in codes {
            let mut refusal = String::new();
            for form in ["residual", "explicit"] {
                let problem = find(&format!("chain-{form}:{n}:{omega}"))?;
                let mean = match mean(code, &problem, *n, &asked, &reference) {
                    Ok(mean) => mean,
                    Err(reason) => {
                        refusal = reason;
                        continue;
                    }
                };
                refusal.clear();
                report.rows.push(json!({
                    "n": n, "omega": omega, "rtol": settings.rtol, "atol": settings.atol, "runs": RUNS, "code": code.name,
                    "form": form, "steps": mean.steps, "residuals": mean.residuals, "residuals_own": mean.residuals_own,
                    "jacobians": mean.jacobians, "error_failures": mean.error_failures,
                    "convergence_failures": mean.convergence_failures, "cpu_s": mean.cpu,
                    "max_angle_error": mean.error.map_or(serde_json::Value::Null, number),
                }));
                let mut cells = vec![format!("{n}"), code.name.to_owned(), form.to_owned()];
                let counts = [
                    mean.steps,
                    mean.residuals,
                    mean.residuals_own,
                    mean.jacobians,
                    mean.error_failures,
                    mean.convergence_failures,
                ];
                cells.extend(counts.map(|x| format!("{x:.1}")));
                cells.push(seconds(mean.cpu));
                cells.push(mean.error.map_or("-".into(), |e| format!("{e:.2e}")));
                printed.push(cells);
                match (&mean.failure, code.name) {
                    (Some(failure), name) => report.missing.push(format!("N = {n} with {name}: {failure}")),
                    (None, OURS) => ours = Some(mean.residuals),
                    (None, BASELINE) => theirs = Some(mean.residuals),
                    _ => {}
                }
                break;
            }
            if !refusal.is_empty() {
                report
                    .missing
                    .push(format!("N = {n} with {}: {refusal}", code.name));
            }
        }
        let judged = (omega, settings.rtol, settings.atol) == (OMEGA, RTOL, ATOL);
        if let (true, Some(ours), Some(theirs)) = (judged, ours, theirs) {
            report.checks.push(Check {
                id: format!("residuals-over-{BASELINE}/chain-{n}"),
                value: ours / theirs,
                limit: MOST,
                source: format!("with stability detection, mean over {RUNS} tolerances"),
            });
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
