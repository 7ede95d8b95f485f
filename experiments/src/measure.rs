//! One run, measured: for [`verify`](crate::verify) and [`reproduce`](crate::reproduce).

use holonom::problems::Problem;
use holonom::simulation::Simulation;
use holonom::{Counters, FailureKind, Integrator, Observer, Options, System};
use std::time::Instant;

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Run {
    /// Time reached.
    pub t: f64,
    /// The solution at the end, or as far as it came.
    pub y: Vec<f64>,
    /// What of it is integrated: of mechanisms positions, velocities and own states.
    pub differential: Vec<f64>,
    /// Work.
    pub counters: Counters,
    /// Time in seconds, the start included.
    pub seconds: f64,
    /// Strategy names as used at the end, the method first; `None` when the run did not start.
    pub strategies: Option<[&'static str; 4]>,
    /// Why the end was not reached.
    pub failure: Option<String>,
    /// The time limit, which depends on the machine, ended the run.
    pub timed_out: bool,
}

impl Run {
    /// Of a run that failed only why.
    pub fn reached(self) -> Result<Self, String> {
        match self.failure {
            Some(reason) => Err(reason),
            None => Ok(self),
        }
    }
}

/// Where a run begins: t, y, ẏ.
type Begin<'a> = (f64, &'a [f64], &'a [f64]);

/// Integrates from the start of a problem to `t_end` under the eyes of an observer.
pub fn problem(problem: &Problem, t_end: f64, options: Options, observer: &mut dyn Observer) -> Run {
    let begin = (problem.t0, &problem.y0[..], &problem.yp0[..]);
    let span = t_end - problem.t0;
    integrate((problem.build)(), begin, span, t_end, options, observer)
}

/// Integrates a model, with these options instead of its own, to `t_end` at most. First steps are chosen by the time of the
/// model, so that a run which ends earlier is the beginning of a whole one.
pub fn model(
    simulation: &Simulation,
    t_end: f64,
    options: Options,
    observer: &mut dyn Observer,
) -> Result<Run, String> {
    let start = &simulation.start;
    let equations = start
        .equations_with(simulation.form, simulation.formalism, simulation.ggl_metric)
        .map_err(|e| e.to_string())?;
    let (y, yp) = start.state(&equations);
    let span = simulation.t_end - start.t;
    let begin = (start.t, &y[..], &yp[..]);
    integrate(equations.system(), begin, span, t_end, options, observer).reached()
}

fn integrate(
    system: Box<dyn System + '_>,
    (t0, y0, yp0): Begin<'_>,
    span: f64,
    t_end: f64,
    options: Options,
    observer: &mut dyn Observer,
) -> Run {
    let kinds = system.structure().variables.iter().map(|v| v.kind);
    let integrated: Vec<bool> = kinds.map(|kind| kind.is_differential()).collect();
    let differential = |y: &[f64]| {
        let kept = y.iter().zip(&integrated).filter(|(_, kept)| **kept);
        kept.map(|(y, _)| *y).collect()
    };
    let begin = Instant::now();
    let mut run = match Integrator::new(system, t0, y0, yp0, span, options) {
        Ok(run) => run,
        Err(failure) => {
            return Run {
                t: t0,
                y: y0.to_vec(),
                differential: differential(y0),
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
        t: run.t(),
        y: run.y().to_vec(),
        differential: differential(run.y()),
        counters: *run.counters(),
        strategies: Some(run.report().strategies),
        timed_out: matches!(
            failure.as_ref().map(|f| &f.kind),
            Some(FailureKind::TimeLimit { .. })
        ),
        failure: failure.map(|failure| failure.to_string()),
    }
}
