//! What `stepper = "auto"` takes beside every fixed method, on the shipped models at three tolerances.
//!
//! Times, not counts: methods differ in what is beside the evaluations. Each is the least of several runs that take
//! turns, of more where they are short and other work on the machine shows. A run that fails or takes too long is no
//! choice.

use crate::measure::{self, Run};
use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::format::Settings;
use holonom::prelude::*;
use holonom::simulation::Simulation;
use holonom_text::{Align, Table, number};
use serde_json::json;

/// What `auto` may take, in units of the best fixed method, and on how many of the pairs of model and tolerance.
const MOST: f64 = 1.25;
const SHARE: f64 = 0.9;
/// Tolerances, relative and absolute.
const TOLERANCES: [f64; 3] = [1e-4, 1e-6, 1e-8];
/// The methods; the last one is judged.
const AUTO: &str = "auto";
const METHODS: [&str; 4] = ["bdf", "radau", "dormand-prince", AUTO];
/// Rounds of runs; and rounds at most of what takes up to so many times the least, as long as they have taken less than
/// so many seconds; and the time after which a run is given up.
const ROUNDS: usize = 3;
const MOST_ROUNDS: usize = 20;
const NEAR: f64 = 4.0;
const ENOUGH: f64 = 1.0;
const TOO_LONG: f64 = 5.0;

/// One run.
fn once(simulation: &Simulation, method: &str, tolerance: f64) -> Result<Run, String> {
    let mut options = simulation.solver.clone().stepper(method);
    options.tolerances = Tolerances::new(tolerance, tolerance);
    options.time_limit = Some(TOO_LONG);
    measure::model(simulation, simulation.t_end, options, &mut Quiet)
}

pub fn run() -> Result<Report, Error> {
    let mut report = Report::default();
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("tolerance", Align::Right),
        ("bdf [ms]", Align::Right),
        ("radau", Align::Right),
        ("dormand-prince", Align::Right),
        ("auto", Align::Right),
        ("auto/best", Align::Right),
        ("auto ends with", Align::Left),
    ]);
    let (mut within, mut pairs) = (0, 0);
    for entry in holonom_models::all() {
        let file = entry.read().map_err(Error::Model)?;
        let simulation = Simulation::new(&file, &Settings::default()).map_err(Error::Model)?;
        if simulation.is_kinematic() {
            let text = format!(
                "{}: all motion is prescribed, so nothing is integrated",
                entry.name
            );
            report.missing.push(text);
            continue;
        }
        for tolerance in TOLERANCES {
            let mut times: [Result<f64, String>; 4] = std::array::from_fn(|_| Ok(f64::INFINITY));
            let mut used = "";
            let mut spent = 0.0;
            for round in 0..MOST_ROUNDS {
                let again = round >= ROUNDS;
                if again && spent > ENOUGH {
                    break;
                }
                let reach = NEAR * times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
                for (method, time) in METHODS.iter().zip(&mut times) {
                    // What failed once fails again.
                    let Ok(least) = *time else { continue };
                    if again && least > reach {
                        continue;
                    }
                    match once(&simulation, method, tolerance) {
                        Ok(run) => {
                            *time = Ok(least.min(run.seconds));
                            spent += if again { run.seconds } else { 0.0 };
                            if let (AUTO, Some([stepper, ..])) = (*method, run.strategies) {
                                used = stepper;
                            }
                        }
                        Err(reason) => *time = Err(reason),
                    }
                }
            }
            let fixed = times[..3].iter().flatten().copied();
            let best = fixed.fold(f64::INFINITY, f64::min);
            let auto = times[3].as_ref().copied().unwrap_or(f64::INFINITY);
            let ratio = auto / best;
            pairs += 1;
            within += usize::from(ratio <= MOST);
            let shown =
                |t: &Result<f64, String>| t.as_ref().map_or("–".into(), |t| format!("{:.2}", 1e3 * t));
            table.row([
                entry.name.to_owned(),
                format!("{tolerance:.0e}"),
                shown(&times[0]),
                shown(&times[1]),
                shown(&times[2]),
                shown(&times[3]),
                format!("{ratio:.2}"),
                used.to_owned(),
            ]);
            let runs = METHODS.iter().zip(&times).map(|(method, time)| {
                json!({ "method": method, "seconds": time.as_ref().ok(), "failure": time.as_ref().err() })
            });
            report.rows.push(json!({
                "model": entry.name, "tolerance": tolerance, "runs": runs.collect::<Vec<_>>(), "ends_with": used,
            }));
        }
    }
    report.text = table.render();
    report.text += &format!(
        "\n{within} of {pairs} pairs within {} of the best\n",
        number(MOST)
    );
    report.checks.push(Check::new(
        "stepper-choice/share",
        Some(within as f64 / pairs.max(1) as f64),
        Limit::AtLeast(SHARE),
        "pairs of model and tolerance on which auto takes at most 1.25 times the best fixed method",
    ));
    Ok(report)
}
