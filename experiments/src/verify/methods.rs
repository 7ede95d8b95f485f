//! Work–precision diagrams of all integration methods side by side: of the problems, and of the shipped models against
//! a sharp run of their own.

use super::accuracy::Digits;
use super::setup::Setup;
use crate::measure::{self, Run};
use crate::progress::Progress;
use crate::{Error, Report};
use holonom::format::Settings;
use holonom::prelude::*;
use holonom::problems::Problem;
use holonom::simulation::Simulation;
use holonom_plot::work_precision::{self, Diagram, Sample};

/// The methods that are drawn; those that refuse a problem are left out there.
const METHODS: [&str; 4] = ["bdf", "radau", "dormand-prince", "generalized-alpha"];
/// Relative tolerances.
const LADDER: [f64; 8] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];
/// The runs that shipped models are compared with: the first one that reaches the end.
const JUDGES: [(&str, f64); 4] = [
    ("radau", 1e-12),
    ("radau", 1e-11),
    ("dormand-prince", 1e-12),
    ("bdf", 1e-10),
];
/// A method that took longer than this, in seconds, is not run at tighter tolerances: damped methods of low order would
/// take hours for a digit more.
const LONG: f64 = 1.0;

/// What one run of a method gave: digits, residuals, seconds.
type Measured = Option<(f64, f64, f64)>;

/// Adds `steppers-PROBLEM` for every problem with a reference.
pub fn draw_problems(setup: &Setup, problems: &[Problem], report: &mut Report, progress: &mut dyn Progress) {
    progress.begin(problems.len());
    for problem in problems {
        progress.at(&format!("methods on {}", problem.name));
        if problem.reference.is_some() {
            let structure = (problem.build)().structure().clone();
            let diagram = diagram(
                (&problem.name, problem.title),
                &format!("{} unknowns", problem.y0.len()),
                |method, rtol| {
                    let setup = Setup {
                        settings: Settings {
                            stepper: Some(method.into()),
                            ..setup.settings.clone()
                        },
                        time_limit: setup.time_limit,
                    };
                    let run = setup.solve(problem, rtol);
                    if run.failure.is_some() {
                        return None;
                    }
                    let groups = Digits::of(problem, &structure, &run.y).groups();
                    // Multipliers, the last group, are no aim of an error test.
                    let judged = groups.iter().filter(|(name, _)| *name != "multipliers");
                    let worst = judged.filter_map(|(_, d)| *d).reduce(f64::min)?;
                    Some((worst, run.counters.residuals as f64, run.seconds))
                },
            );
            let name = format!("steppers-{}", problem.name.replace(':', "_"));
            report.picture(name, work_precision::figure(&diagram));
        }
        progress.done();
    }
}

/// Adds `model-NAME` for every shipped model in which something is integrated.
pub fn draw_models(setup: &Setup, report: &mut Report, progress: &mut dyn Progress) -> Result<(), Error> {
    let models = holonom_models::all();
    progress.begin(models.len());
    for entry in models {
        progress.at(&format!("methods on {}", entry.name));
        let file = entry.read().map_err(Error::Model)?;
        let simulation = Simulation::new(&file, &Settings::default()).map_err(Error::Model)?;
        let mut judges = JUDGES.iter().filter(|_| !simulation.is_kinematic());
        let judged = judges.find_map(|(judge, sharp)| {
            let run = solve(setup, &simulation, judge, *sharp)?;
            Some((judge, sharp, run.differential))
        });
        if let Some((judge, sharp, exact)) = judged {
            let title = format!("to t = {} s", simulation.t_end);
            let against =
                format!("digits of positions and velocities at the end against `{judge}` at {sharp:e}");
            let diagram = diagram((entry.name, &title), &against, |method, rtol| {
                let run = solve(setup, &simulation, method, rtol)?;
                let pairs = run.differential.iter().zip(&exact);
                let off = pairs.map(|(y, e)| (y - e).abs() / (1.0 + e.abs()));
                let error = off.fold(0.0, f64::max);
                let residuals = run.counters.residuals as f64;
                Some((-error.max(1e-16).log10(), residuals, run.seconds))
            });
            report.picture(format!("model-{}", entry.name), work_precision::figure(&diagram));
        }
        progress.done();
    }
    Ok(())
}

/// One run of a model; none where it fails.
fn solve(setup: &Setup, simulation: &Simulation, method: &str, rtol: f64) -> Option<Run> {
    let mut options = simulation.solver.clone().stepper(method);
    options.tolerances = Tolerances::new(rtol, rtol);
    options.time_limit = Some(setup.time_limit);
    measure::model(simulation, simulation.t_end, options, &mut Quiet).ok()
}

/// One diagram with a curve for each method that gives results.
fn diagram((name, title): (&str, &str), subtitle: &str, run: impl Fn(&str, f64) -> Measured) -> Diagram {
    let mut curves: Vec<&'static str> = Vec::new();
    let mut samples: Vec<Sample> = Vec::new();
    let mut failed: Vec<String> = Vec::new();
    for method in METHODS {
        let mut own = Vec::new();
        for rtol in LADDER {
            match run(method, rtol) {
                Some((digits, residuals, seconds)) => {
                    own.push((rtol, digits, residuals, seconds));
                    if seconds > LONG {
                        break;
                    }
                }
                None => failed.push(format!("{method} {rtol:.0e}")),
            }
        }
        if own.is_empty() {
            // What refuses the problem is no failure.
            failed.retain(|f| !f.starts_with(method));
            continue;
        }
        let place = curves.len();
        curves.push(method);
        samples.extend(own.into_iter().map(|(rtol, digits, residuals, seconds)| {
            let mut all = vec![None; METHODS.len()];
            all[place] = Some(digits);
            Sample {
                rtol,
                digits: all,
                residuals,
                seconds,
            }
        }));
    }
    Diagram {
        name: name.into(),
        title: title.into(),
        subtitle: format!("{subtitle}; rtol from 1e-3 to 1e-10"),
        remark: match failed.is_empty() {
            true => String::new(),
            false => format!(" Failed: {}.", failed.join(", ")),
        },
        curves,
        samples,
    }
}
