//! The front door: solve an initial-value problem in one call.

use crate::newton::initial::StartReport;
use crate::options::Options;
use crate::stepper::{Control, Integrator, Observer, Piece, StepInfo, Stop};
use crate::trajectory::{RecordedEvent, Recorder, Trajectory};
use holonom_dae::{Counters, Failure, System, Timing};
use std::fmt;

/// A solution with everything there is to say about how it was obtained.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Time reached.
    pub t: f64,
    /// Solution there.
    pub y: Vec<f64>,
    /// Its derivative.
    pub yp: Vec<f64>,
    /// Solution at the output times reached.
    pub outputs: Vec<(f64, Vec<f64>)>,
    /// Solution at all times, if the options ask for it.
    pub trajectory: Option<Trajectory>,
    /// Events met.
    pub events: Vec<RecordedEvent>,
    /// Why the run ended.
    pub stop: Option<Stop>,
    /// Work.
    pub counters: Counters,
    /// Time.
    pub timing: Timing,
    /// Strategy names as used: stepper, Jacobian, linear solver, refresh policy.
    pub strategies: [&'static str; 4],
    /// What the consistent start moved.
    pub start: StartReport,
}

impl Solution {
    /// The solution at a time, if the options ask for [dense output](Options::dense_output): none before the start and after
    /// the time reached.
    pub fn at(&self, t: f64) -> Option<Vec<f64>> {
        self.trajectory.as_ref()?.at(t)
    }
}

/// Records outputs and, if asked for, the solution between them.
struct Both {
    recorder: Recorder,
    trajectory: Option<Trajectory>,
}

impl Observer for Both {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        self.recorder.step(step)
    }

    fn output(&mut self, t: f64, y: &[f64], yp: &[f64]) {
        self.recorder.output(t, y, yp);
    }

    fn event(&mut self, event: usize, t: f64, y: &[f64], after: bool) {
        self.recorder.event(event, t, y, after);
    }

    fn wants_pieces(&self) -> bool {
        self.trajectory.is_some()
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.push(piece);
        }
    }
}

/// A run that failed, with what was computed up to there.
#[derive(Clone, Debug)]
pub struct RunError {
    /// What happened.
    pub failure: Failure,
    /// What was reached before; `None` when the run did not start.
    pub partial: Option<Solution>,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.failure)
    }
}

/// Solves F(t, y, ẏ) = 0 from `t0` to `t_end`.
///
/// ```
/// use holonom_dae::{Closure, Structure};
/// use holonom_solver::{Options, solve};
///
/// // Index 1: y' = −y + z, 0 = z − y/2.
/// let structure = Structure::semi_explicit(["y"], ["z"]);
/// let system = Closure::new(structure, |_t, y, yp, r| {
///     r[0] = yp[0] + y[0] - y[1];
///     r[1] = y[1] - 0.5 * y[0];
/// });
/// // The guess for z is wrong; the start is made consistent.
/// let solution = solve(system, (0.0, 2.0), &[1.0, 0.0], &[0.0, 0.0], Options::new(1e-8, 1e-8)).unwrap();
/// assert!((solution.y[0] - (-1.0f64).exp()).abs() < 1e-6);
/// assert_eq!(solution.start.moved[0].name, "z");
/// ```
pub fn solve<'s>(
    system: impl System + 's,
    (t0, t_end): (f64, f64),
    y0: &[f64],
    yp0: &[f64],
    options: Options,
) -> Result<Solution, Box<RunError>> {
    let dense = options.dense_output;
    let mut integrator =
        Integrator::new(Box::new(system), t0, y0, yp0, t_end - t0, options).map_err(|failure| {
            Box::new(RunError {
                failure,
                partial: None,
            })
        })?;
    let mut both = Both {
        recorder: Recorder::outputs(y0.len()),
        trajectory: dense.then(|| Trajectory::new(y0.len())),
    };
    let result = integrator.run(t_end, &mut both);
    let Both { recorder, trajectory } = both;
    let solution = Solution {
        t: integrator.t(),
        y: integrator.y().to_vec(),
        yp: integrator.yp().to_vec(),
        outputs: (0..recorder.len())
            .map(|i| (recorder.t()[i], recorder.y(i).to_vec()))
            .collect(),
        trajectory,
        events: recorder.events().to_vec(),
        stop: result.as_ref().ok().copied(),
        counters: *integrator.counters(),
        timing: integrator.timing(),
        strategies: integrator.report().strategies,
        start: integrator.report().start.clone(),
    };
    match result {
        Ok(_) => Ok(solution),
        Err(failure) => Err(Box::new(RunError {
            failure,
            partial: Some(solution),
        })),
    }
}
