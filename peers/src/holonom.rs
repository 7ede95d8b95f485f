//! Holonom's own solver behind the same interface as its peers.

use crate::interface::{Run, Settings, cpu_time, excluded};
use holonom_dae::problems::Problem;
use holonom_dae::{FailureKind, System, Tolerances};
use holonom_solver::trajectory::Recorder;
use holonom_solver::{Integrator, Options, Start};

/// Whether [`integrate`] does anything.
pub const CONNECTED: bool = true;

/// Integrates with Holonom: default options, or DASSL's when asked to behave like it.
pub fn integrate(system: &mut dyn System, problem: &Problem, settings: &Settings<'_>) -> Result<Run, String> {
    integrate_by("bdf", system, problem, settings)
}

/// The same with the stepper `radau`.
pub fn integrate_radau(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate_by("radau", system, problem, settings)
}

/// The same with the stepper `auto`.
pub fn integrate_auto(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate_by("auto", system, problem, settings)
}

fn integrate_by(
    stepper: &str,
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    let options = Options::new(settings.rtol, settings.atol).stepper(stepper);
    let mut options = options.start(Start::Trust);
    options.max_steps = settings.max_steps;
    // The solver's limit is by the clock on the wall, which may run ahead where others use the machine.
    options.time_limit = settings.limit.map(|s| 2.0 * s);
    options.outputs = settings.times.to_vec().into();
    if settings.like_dassl {
        // Multipliers are kept out of all tests the way they are for DASSL.
        let atol = excluded(system.structure());
        let atol = atol
            .iter()
            .map(|e| if *e { 1e6 } else { settings.atol })
            .collect();
        options = options.tolerances(Tolerances::each(settings.rtol, atol)).dassl();
    }
    let n = system.structure().dimension();
    let mut recorder = Recorder::outputs(n);
    let mut run = Run::default();
    let begin = cpu_time();
    let span = problem.t_end - problem.t0;
    let integrator = Integrator::new(
        Box::new(system),
        problem.t0,
        &problem.y0,
        &problem.yp0,
        span,
        options,
    );
    let mut integrator = integrator.map_err(|e| e.to_string())?;
    let result = integrator.run(problem.t_end, &mut recorder);
    run.cpu = cpu_time() - begin;
    run.y = integrator.y().to_vec();
    run.outputs = (0..recorder.len()).map(|i| recorder.y(i).to_vec()).collect();
    let c = integrator.counters();
    run.steps = c.steps;
    run.residuals = c.residuals;
    run.residuals_own = c.residuals_corrector;
    run.jacobians = c.jacobians;
    run.error_failures = c.rejected_error;
    run.convergence_failures = c.rejected_convergence;
    let ended = matches!(&result, Err(e) if matches!(e.kind, FailureKind::TimeLimit { .. }));
    run.failure = result.err().map(|e| e.to_string());
    if ended || settings.limit.is_some_and(|s| run.cpu > s) {
        run.cut(settings.limit);
    }
    Ok(run)
}
