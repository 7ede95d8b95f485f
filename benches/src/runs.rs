//! Whole runs: one per stepper on a problem it takes, and shipped models with their own settings.

use crate::case::{Case, Fault, Work};
use holonom::format::Settings;
use holonom::problems;
use holonom::simulation::Simulation;
use holonom::solver::stepper::{REGISTRY, Takes};
use holonom::{Integrator, Options, Quiet};
use std::hint::black_box;

/// One run with every stepper of the registry.
pub fn steppers() -> Vec<Case> {
    let case = |(name, takes, order, fixed): (&'static str, Takes, usize, bool)| {
        let (problem, tolerance, share) = match takes {
            Takes::Everything if order == 1 => ("hires", 1e-3, 1.0),
            Takes::Everything => ("car-axle", 1e-6, 0.3),
            Takes::Explicit => ("chain-explicit:8", 1e-6, 0.1),
            Takes::Mechanisms => ("car-axle-index2", 1e-4, 0.3),
        };
        let step = fixed.then_some(1e-3);
        Case::new(format!("run/{name}/{problem}"), move || {
            run(name, problem, tolerance, share, step)
        })
    };
    let entries = REGISTRY
        .iter()
        .map(|e| (e.name, e.takes, e.max_order, e.fixed_step));
    entries.map(case).collect()
}

/// From the start over a share of the interval.
fn run(
    stepper: &str,
    problem: &str,
    tolerance: f64,
    share: f64,
    fixed_step: Option<f64>,
) -> Result<Work, Fault> {
    let problem = problems::find(problem).ok_or_else(|| format!("there is no problem `{problem}`"))?;
    let options = Options {
        fixed_step,
        ..Options::new(tolerance, tolerance * problem.atol_factor).stepper(stepper)
    };
    let span = problem.t_end - problem.t0;
    let mut run = Integrator::new(
        (problem.build)(),
        problem.t0,
        &problem.y0,
        &problem.yp0,
        span,
        options,
    )?;
    Ok(Box::new(move || {
        run.run(problem.t0 + share * span, &mut Quiet)?;
        black_box(run.y());
        Ok(())
    }))
}

/// Shipped models with default settings, from their start to this time.
const MODELS: [(&str, f64); 4] = [
    ("four-bar", 0.5),
    ("andrews", 0.01),
    ("vehicle", 0.2),
    ("curving", 0.02),
];

/// Shipped models with their own settings.
pub fn models() -> Vec<Case> {
    let case = |(model, t_end): (&'static str, f64)| {
        Case::new(format!("run/auto/{model}"), move || {
            let entry = holonom_models::find(model).ok_or_else(|| format!("there is no model `{model}`"))?;
            let simulation = Simulation::new(&entry.read()?, &Settings::default())?;
            let work = move || -> Result<(), Fault> {
                let start = &simulation.start;
                let equations =
                    start.equations_with(simulation.form, simulation.formalism, simulation.ggl_metric)?;
                let (y, yp) = start.state(&equations);
                let span = simulation.t_end - start.t;
                let options = simulation.solver.clone();
                let mut run = Integrator::new(equations.system(), start.t, &y, &yp, span, options)?;
                run.run(start.t + t_end, &mut Quiet)?;
                black_box(run.y());
                Ok(())
            };
            Ok(Box::new(work) as Work)
        })
    };
    MODELS.into_iter().map(case).collect()
}
