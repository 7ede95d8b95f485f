//! What `auto` chooses for Jacobians and their updates, beside every fixed choice, on the shipped models.
//!
//! Costs are counted, not timed: evaluations of the equations in plain residuals
//! (`Counters::residual_equivalents`). Single runs move with rounding, and the best of many fixed choices is the one
//! that rounding favoured most; hence sums over several tolerances.

use crate::measure::{self, Run};
use crate::parallel;
use crate::report::{Check, Limit};
use crate::{Error, Report};
use holonom::Counters;
use holonom::format::Settings;
use holonom::multibody::residual::Formalism;
use holonom::prelude::*;
use holonom::simulation::Simulation;
use holonom_text::{Align, Table, number};
use serde_json::{Value, json};

/// What `auto` may cost, in units of the best fixed choice.
const MOST: f64 = 1.1;
/// Tolerances within ±10 % of those of the model, over which costs are summed.
const RUNS: u32 = 9;
/// Runs are as long as their model's own, or this many steps of the plain choice: long enough for everything
/// that is evaluated once to be paid for or not.
const STEPS: u64 = 500;
/// Tolerances of the runs that errors are taken against, in units of those of the model.
const SHARP: f64 = 1e-2;
/// The choice whose steps are counted for that.
const PLAIN: Choice = Choice {
    jacobian: "ad-grouped",
    sparsity: "traced",
    update: "partitioned",
};

/// Names as in the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    jacobian: &'static str,
    sparsity: &'static str,
    update: &'static str,
}

impl Choice {
    const AUTO: Self = Self {
        jacobian: "auto",
        sparsity: "auto",
        update: "auto",
    };

    /// Every fixed choice; `extended` is another one than `partitioned` only where there are inputs.
    fn fixed(inputs: usize) -> Vec<Self> {
        let engines = [
            ("fd-dense", "traced"),
            ("fd-grouped", "traced"),
            ("fd-grouped", "estimated"),
            ("ad-dense", "traced"),
            ("ad-grouped", "traced"),
            ("ad-grouped", "estimated"),
        ];
        let updates = ["none", "partitioned", "extended"];
        let updates = &updates[..if inputs > 0 { 3 } else { 2 }];
        let of_engine = |(jacobian, sparsity)| {
            let choice = move |&update| Self {
                jacobian,
                sparsity,
                update,
            };
            updates.iter().map(choice)
        };
        engines.into_iter().flat_map(of_engine).collect()
    }

    fn name(&self) -> String {
        if self.jacobian.ends_with("dense") {
            format!("{}, {}", self.jacobian, self.update)
        } else {
            format!("{}, {}, {}", self.jacobian, self.sparsity, self.update)
        }
    }
}

/// A model in one formalism.
struct Case {
    name: String,
    simulation: Simulation,
    inputs: usize,
    end: f64,
    /// Positions, velocities and own states at the end of a run with much tighter tolerances.
    exact: Vec<f64>,
}

/// What one choice took, or why a run failed.
type Work = Result<Sum, String>;

/// Sums over all runs, and the largest error at the end of one.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    counters: Counters,
    error: f64,
}

impl Case {
    /// Root mean square of the errors at the end, in units of the tolerance of a run.
    fn error(&self, y: &[f64], scale: f64) -> f64 {
        let tolerances = &self.simulation.solver.tolerances;
        let (rtol, atol) = (scale * tolerances.rtol, scale * tolerances.absolute(0));
        let off = |(y, exact): (&f64, &f64)| ((y - exact) / (rtol * exact.abs() + atol)).powi(2);
        let sum: f64 = y.iter().zip(&self.exact).map(off).sum();
        (sum / y.len().max(1) as f64).sqrt()
    }
}

/// Ends a run after some steps.
struct Few;

impl Observer for Few {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        if step.steps < STEPS {
            Control::Continue
        } else {
            Control::Stop
        }
    }
}

/// One run with tolerances `scale` times those of the model.
fn once(
    simulation: &Simulation,
    choice: Choice,
    scale: f64,
    end: f64,
    observer: &mut dyn Observer,
) -> Result<Run, String> {
    let mut options = simulation
        .solver
        .clone()
        .jacobian(choice.jacobian)
        .sparsity(choice.sparsity)
        .update(choice.update);
    let (rtol, atol) = (options.tolerances.rtol, options.tolerances.absolute(0));
    options.tolerances = Tolerances::new(scale * rtol, scale * atol);
    measure::model(simulation, end, options, observer)
}

/// Sums over the tolerances.
fn sum(case: &Case, choice: Choice) -> Work {
    let mut all = Sum::default();
    let sum = &mut all.counters;
    for k in 0..RUNS {
        let scale = 0.9 + 0.2 * f64::from(k) / f64::from(RUNS - 1);
        let run = once(&case.simulation, choice, scale, case.end, &mut Quiet)?;
        let c = &run.counters;
        sum.steps += c.steps;
        sum.residuals += c.residuals;
        sum.residuals_corrector += c.residuals_corrector;
        sum.residuals_dual += c.residuals_dual;
        sum.residuals_dual4 += c.residuals_dual4;
        sum.residuals_dual12 += c.residuals_dual12;
        sum.accelerations += c.accelerations;
        sum.mass_evaluations += c.mass_evaluations;
        sum.constraint_evaluations += c.constraint_evaluations;
        sum.jacobians += c.jacobians;
        sum.updates_partitioned += c.updates_partitioned;
        sum.updates_extended += c.updates_extended;
        all.error = all.error.max(case.error(&run.differential, scale));
    }
    Ok(all)
}

/// The models of these names, all where there are none, in both formalisms; and what cannot be measured.
fn cases(models: &[String], report: &mut Report) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    let wanted = |name: &str| models.is_empty() || models.iter().any(|m| m == name);
    for entry in holonom_models::all().iter().filter(|e| wanted(e.name)) {
        let file = entry.read().map_err(Error::Model)?;
        for formalism in Formalism::ALL {
            let settings = Settings {
                formalism: Some(formalism.name().into()),
                stepper: Some("bdf".into()),
                ..Settings::default()
            };
            let simulation = Simulation::new(&file, &settings).map_err(Error::Model)?;
            if simulation.is_kinematic() {
                report.missing.push(format!(
                    "{}: all motion is prescribed, so nothing is integrated",
                    entry.name
                ));
                break;
            }
            let name = format!("{}/{}", entry.name, formalism.name());
            let equations = simulation
                .start
                .equations_with(simulation.form, simulation.formalism, simulation.ggl_metric)
                .map_err(|e| Error::Failed(e.to_string()))?;
            let inputs = equations.system().inputs();
            let plain = once(&simulation, PLAIN, 1.0, simulation.t_end, &mut Few);
            let end = plain.map_err(|e| Error::Failed(format!("{name}: {e}")))?.t;
            let sharp = once(&simulation, PLAIN, SHARP, end, &mut Quiet);
            let exact = sharp.map(|run| run.differential).unwrap_or_default();
            cases.push(Case {
                name,
                simulation,
                inputs,
                end,
                exact,
            });
        }
    }
    Ok(cases)
}

pub fn run(models: &[String]) -> Result<Report, Error> {
    let mut report = Report::default();
    let cases = cases(models, &mut report)?;
    let mut tasks: Vec<(usize, Choice)> = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        tasks.push((i, Choice::AUTO));
        tasks.extend(Choice::fixed(case.inputs).into_iter().map(|choice| (i, choice)));
    }
    let works = parallel::map(&tasks, |&(i, choice)| sum(&cases[i], choice));
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("t [s]", Align::Right),
        ("auto", Align::Right),
        ("best fixed", Align::Right),
        ("which", Align::Left),
        ("auto/best", Align::Right),
        ("worst/best", Align::Right),
        ("error: auto", Align::Right),
        ("best", Align::Right),
    ]);
    for (i, case) in cases.iter().enumerate() {
        let of_case: Vec<(Choice, &Work)> = (tasks.iter().zip(&works))
            .filter(|((k, _), _)| *k == i)
            .map(|((_, choice), work)| (*choice, work))
            .collect();
        add(case, &of_case, &mut table, &mut report);
    }
    report.text = table.render();
    report.text += "\nEvaluations of the equations in plain residuals, sums over 9 tolerances within ±10 % of the model's own. \
                      Errors: root mean square at the end, in tolerances, the largest of them.\n";
    Ok(report)
}

/// The row and the check of a model.
fn add(case: &Case, works: &[(Choice, &Work)], table: &mut Table, report: &mut Report) {
    let cost = |work: &Work| work.as_ref().ok().map(|sum| sum.counters.residual_equivalents());
    let auto = works.iter().find(|(choice, _)| *choice == Choice::AUTO);
    let auto = auto.and_then(|(_, work)| cost(work));
    let error = |choice: Choice| {
        let of = works.iter().find(|(c, _)| *c == choice);
        let of = of
            .and_then(|(_, work)| work.as_ref().ok())
            .filter(|_| !case.exact.is_empty());
        of.map_or("–".into(), |sum| format!("{:.2}", sum.error))
    };
    let fixed = works.iter().filter(|(choice, _)| *choice != Choice::AUTO);
    let costs: Vec<(Choice, f64)> = fixed
        .filter_map(|(choice, work)| Some((*choice, cost(work)?)))
        .collect();
    let best = costs.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let worst = costs.iter().map(|c| c.1).fold(0.0, f64::max);
    let shown = |x: Option<f64>| x.map_or("failed".into(), |x| format!("{x:.0}"));
    let ratio = auto.zip(best).map(|(auto, best)| auto / best.1);
    table.row([
        case.name.clone(),
        number(case.end),
        shown(auto),
        shown(best.map(|b| b.1)),
        best.map_or(String::new(), |b| b.0.name()),
        ratio.map_or("–".into(), |r| format!("{r:.3}")),
        best.map_or("–".into(), |b| format!("{:.2}", worst / b.1)),
        error(Choice::AUTO),
        best.map_or("–".into(), |b| error(b.0)),
    ]);
    let row = |(choice, work): &(Choice, &Work)| -> Value {
        json!({
            "jacobian": choice.jacobian, "sparsity": choice.sparsity, "update": choice.update,
            "residual_equivalents": cost(work),
            "counters": work.as_ref().ok().map(|sum| sum.counters), "error": work.as_ref().ok().map(|sum| sum.error), "failure": work.as_ref().err(),
        })
    };
    report.rows.push(json!({
        "model": case.name, "t_end": case.end, "choices": works.iter().map(row).collect::<Vec<_>>(),
    }));
    report.checks.push(Check::new(
        format!("jacobian-choice/{}", case.name),
        ratio,
        Limit::AtMost(MOST),
        "auto over the best fixed choice, in plain residuals",
    ));
}
