//! One run, measured.

use holonom::format::Settings;
use holonom::problems::Problem;
use holonom::simulation::solver_options;
use holonom::{Counters, FailureKind, Integrator, Observer, Options, Quiet, System};
use std::time::Instant;

/// What all runs have in common.
pub struct Setup {
    /// Strategies asked for.
    pub settings: Settings,
    /// Seconds after which a run is given up.
    pub time_limit: f64,
}

impl Setup {
    /// Options with these tolerances.
    pub fn options(&self, rtol: f64, atol: f64) -> Options {
        solver_options(&Settings {
            rtol: Some(rtol),
            atol: Some(atol),
            time_limit: Some(self.time_limit),
            ..self.settings.clone()
        })
    }
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Run {
    /// The solution at the end, or as far as it came.
    pub y: Vec<f64>,
    /// Work.
    pub counters: Counters,
    /// Time in seconds, the start included.
    pub seconds: f64,
    /// Strategy names as used; `None` when the run did not start.
    pub strategies: Option<[&'static str; 4]>,
    /// Why the end was not reached.
    pub failure: Option<String>,
    /// The time limit, which depends on the machine, ended the run.
    pub timed_out: bool,
}

/// Solves a problem with this relative tolerance.
pub fn solve(setup: &Setup, problem: &Problem, rtol: f64) -> Run {
    let options = setup.options(rtol, rtol * problem.atol_factor);
    observe((problem.build)(), problem, problem.t_end, options, &mut Quiet)
}

/// Integrates from the start of a problem to `t_end` under the eyes of an observer.
pub fn observe(
    system: Box<dyn System>,
    problem: &Problem,
    t_end: f64,
    options: Options,
    observer: &mut dyn Observer,
) -> Run {
    let Problem { t0, y0, yp0, .. } = problem;
    let begin = Instant::now();
    let mut run = match Integrator::new(system, *t0, y0, yp0, t_end - t0, options) {
        Ok(run) => run,
        Err(failure) => {
            return Run {
                y: y0.clone(),
                counters: Counters::default(),
                seconds: begin.elapsed().as_secs_f64(),
                strategies: None,
                failure: Some(failure.to_string()),
                timed_out: false,
            };
        }
    };
    let failure = run.run(t_end, observer).err();
    Run {
        seconds: begin.elapsed().as_secs_f64(),
        y: run.y().to_vec(),
        counters: *run.counters(),
        strategies: Some(run.report().strategies),
        timed_out: matches!(
            failure.as_ref().map(|f| &f.kind),
            Some(FailureKind::TimeLimit { .. })
        ),
        failure: failure.map(|failure| failure.to_string()),
    }
}
