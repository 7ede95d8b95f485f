//! The run itself: steps, output rows, checkpoints.

use super::Simulation;
use super::report::{ConstraintReport, EnergyReport, RunReport, Status, Used};
use super::undefined::Undefined;
use holonom_dae::{Counters, Failure, FailureKind, Timing};
use holonom_multibody::Model;
use holonom_multibody::channels::{ForeignSelection, Sampler, Selection};
use holonom_multibody::curve::{Refusal, forget_refusal, watch_refusals};
use holonom_multibody::residual::Form;
use holonom_multibody::start::{KinematicError, UnsuitableForm};
use holonom_solver::stepper::{Control, Observer, StepInfo};
use holonom_solver::{Checkpoint, Integrator, Stop};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Where the rows of a run go.
pub trait Sink {
    /// Takes a row: the time, then one number per channel.
    ///
    /// # Errors
    /// In words, when it cannot be kept; the run ends.
    fn row(&mut self, row: &[f64]) -> Result<(), String>;

    /// Takes a checkpoint: all rows handed over so far belong to it.
    ///
    /// # Errors
    /// In words, when it cannot be kept; the run ends.
    fn checkpoint(&mut self, _checkpoint: &RunCheckpoint) -> Result<(), String> {
        Ok(())
    }

    /// Is told after every step how far the run is.
    fn progress(&mut self, _t: f64, _steps: u64) {}
}

/// Rows in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory(pub Vec<Vec<f64>>);

impl Sink for Memory {
    fn row(&mut self, row: &[f64]) -> Result<(), String> {
        self.0.push(row.to_vec());
        Ok(())
    }
}

/// How a run is to be recorded and watched.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// What to record.
    pub selection: Selection,
    /// Set to true from elsewhere to end the run after the step at hand.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Take a checkpoint after this much computing time, again and again.
    pub checkpoint_every: Option<Duration>,
    /// Go on from here.
    pub resume: Option<RunCheckpoint>,
}

impl RunOptions {
    /// Records a selection of channels; no checkpoints.
    pub fn new(selection: Selection) -> Self {
        Self {
            selection,
            interrupt: None,
            checkpoint_every: None,
            resume: None,
        }
    }
}

/// Everything the rest of a run depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunCheckpoint {
    /// State of the solver.
    pub solver: Checkpoint,
    /// Rows written so far.
    pub rows: u64,
    /// Violations of the constraints so far.
    pub constraint: ConstraintReport,
    /// Energy at the start.
    pub energy_start: f64,
    /// Rows so far whose accelerations could not be computed.
    pub failed_rows: u64,
    /// Rows so far in singular positions.
    pub singular_rows: u64,
    /// Computing time so far.
    pub timing_s: Timing,
    /// Time spent on output rows so far, s.
    pub output_s: f64,
    /// Whether the run had reached its end.
    pub finished: bool,
}

/// Why a run could not begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The channels are those of another mechanism.
    #[error(transparent)]
    Selection(#[from] ForeignSelection),
    /// The form does not fit the mechanism.
    #[error(transparent)]
    Form(#[from] UnsuitableForm),
    /// The solver refuses its options or the checkpoint.
    #[error(transparent)]
    Solver(#[from] Failure),
    /// Checkpoints of runs without integration do not exist.
    #[error("a kinematic run has no checkpoints: it takes no longer to begin again")]
    KinematicCheckpoint,
}

impl Simulation {
    /// Runs to the end, or as far as it goes: how it ended is in the report.
    ///
    /// # Errors
    /// Only what is found before the first step.
    pub fn run(&self, options: &RunOptions, sink: &mut dyn Sink) -> Result<RunReport, RunError> {
        if self.is_kinematic() {
            self.run_kinematic(options, sink)
        } else {
            self.run_dynamic(options, sink)
        }
    }

    fn run_dynamic(&self, options: &RunOptions, sink: &mut dyn Sink) -> Result<RunReport, RunError> {
        let equations = self
            .start
            .equations_with(self.form, self.formalism, self.ggl_metric)?;
        let sampler = Sampler::new(&self.start, &equations, &options.selection)?;
        let (y, yp) = self.start.state(&equations);
        let mut solver = self.solver.clone();
        solver.outputs = self.outputs.clone();
        solver.interrupt.clone_from(&options.interrupt);
        let system = equations.system();
        let mut watch = Watch::new(self, sampler, sink)?;
        let mut integrator = match &options.resume {
            Some(checkpoint) => {
                watch.before = Some(checkpoint.clone());
                watch.rows = checkpoint.rows;
                watch.constraint = checkpoint.constraint;
                watch.energy_start = checkpoint.energy_start;
                Integrator::resume(system, solver, &checkpoint.solver)?
            }
            None => {
                let span = self.t_end - self.start.t;
                Integrator::new(system, self.start.t, &y, &yp, span, solver)?
            }
        };
        let done = options.resume.as_ref().is_some_and(|c| c.finished);
        let (status, message) = if done {
            (Status::Finished, String::new())
        } else {
            drive(&mut integrator, &mut watch, self, options)
        };
        let (t, y) = (integrator.t(), integrator.y());
        let (q, v) = y[..watch.n_q + watch.n_v].split_at(watch.n_q);
        watch.look(t, q, v);
        let report = watch.report();
        let energy_end = watch.energy(t, y);
        let last = watch.last(options, |sampler, row| sampler.sample(t, y, &[], row));
        let strategies = integrator.report().strategies;
        Ok(RunReport {
            status,
            message,
            t,
            last,
            used: self.used(strategies),
            counters: *integrator.counters(),
            timing_s: watch.timing(integrator.timing()),
            energy: EnergyReport {
                start: watch.energy_start,
                end: energy_end,
            },
            ..report
        })
    }

    fn used(&self, [stepper, jacobian, linear, refresh]: [&str; 4]) -> Used {
        Used {
            form: self.form.name().to_string(),
            formalism: self.formalism.name().to_string(),
            stepper: stepper.to_string(),
            jacobian: jacobian.to_string(),
            linear: linear.to_string(),
            refresh: refresh.to_string(),
        }
    }

    fn run_kinematic(&self, options: &RunOptions, sink: &mut dyn Sink) -> Result<RunReport, RunError> {
        if options.resume.is_some() {
            return Err(RunError::KinematicCheckpoint);
        }
        let begin = Instant::now();
        let sampler = Sampler::of_motion(&self.start, &options.selection)?;
        let mut watch = Watch::new(self, sampler, sink)?;
        let mut t = self.start.t;
        let mut end = (self.start.q.clone(), self.start.v.clone());
        let mut interrupted = false;
        let interrupt = options.interrupt.as_deref();
        let (result, refusal) = watch_refusals(|| {
            self.start.follow_drives(self.outputs.iter(), &mut |state| {
                watch.look(state.t, &state.q, &state.v);
                watch.row(state.t, |sampler, row| sampler.sample_kinematic(state, row));
                if watch.fault.is_some() {
                    return false;
                }
                t = state.t;
                end.0.copy_from_slice(&state.q);
                end.1.copy_from_slice(&state.v);
                watch.sink.progress(state.t, watch.rows);
                interrupted = interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
                !interrupted
            })
        });
        let (steps, failure) = match result {
            Ok(steps) => (steps as u64, None),
            Err(error) => {
                let steps = match &error {
                    KinematicError::Stuck { partial, .. } => partial.steps as u64,
                    _ => 0,
                };
                let message = match refusal {
                    Some(refusal) => format!("at t = {t}: {refusal}"),
                    None => error.to_string(),
                };
                (steps, Some(message))
            }
        };
        let (status, message) = match (failure.or(watch.fault.take()), interrupted) {
            (Some(message), _) => (Status::Failed, message),
            (None, true) => (Status::Interrupted, "interrupted".to_string()),
            (None, false) => (Status::Finished, String::new()),
        };
        let report = watch.report();
        let energy_end = watch.energy_of(t, &end.0, &end.1);
        let last = watch.last(options, |sampler, row| {
            sampler.sample_state(t, &end.0, &end.1, row)
        });
        Ok(RunReport {
            status,
            message,
            t,
            last,
            used: self.used(["kinematic", "–", "–", "–"]),
            counters: Counters {
                steps,
                ..Counters::default()
            },
            timing_s: Timing {
                total: begin.elapsed().as_secs_f64(),
                ..Timing::default()
            },
            energy: EnergyReport {
                start: watch.energy_start,
                end: energy_end,
            },
            ..report
        })
    }
}

/// Runs to the end in stretches between checkpoints.
fn drive(
    integrator: &mut Integrator<'_>,
    watch: &mut Watch<'_>,
    simulation: &Simulation,
    options: &RunOptions,
) -> (Status, String) {
    let (t_end, time_limit) = (simulation.t_end, simulation.solver.time_limit);
    let interrupted = || {
        options
            .interrupt
            .as_ref()
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    };
    // To the solver every stretch is a run of its own, with all of the time.
    let limit = time_limit.filter(|_| options.checkpoint_every.is_some());
    let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    loop {
        let pause = options
            .checkpoint_every
            .and_then(|every| Instant::now().checked_add(every));
        watch.pause_at = match (pause, deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, other) => one.or(other),
        };
        let (result, refusal) = watch_refusals(|| integrator.run(t_end, watch));
        if let Some(fault) = watch.fault.take() {
            return (Status::Failed, fault);
        }
        let finished = matches!(result, Ok(Stop::Finished | Stop::Event { .. }));
        // What ends early leaves a checkpoint, asked for or not.
        if !finished || options.checkpoint_every.is_some() {
            let report = watch.report();
            let checkpoint = RunCheckpoint {
                solver: integrator.checkpoint(),
                rows: watch.rows,
                constraint: watch.constraint,
                energy_start: watch.energy_start,
                failed_rows: report.failed_rows,
                singular_rows: report.singular_rows,
                timing_s: watch.timing(integrator.timing()),
                output_s: report.output_s,
                finished,
            };
            if let Err(fault) = watch.sink.checkpoint(&checkpoint) {
                return (Status::Failed, fault);
            }
        }
        match result {
            Err(failure) => return (Status::Failed, told(&failure, refusal.as_ref())),
            Ok(_) if finished => return (Status::Finished, String::new()),
            Ok(_) if interrupted() => {
                return (
                    Status::Interrupted,
                    format!("interrupted at t = {} s", integrator.t()),
                );
            }
            Ok(_) if deadline.is_some_and(|at| Instant::now() >= at) => {
                let seconds = time_limit.unwrap_or_default();
                let kind = FailureKind::TimeLimit { seconds };
                return (Status::Failed, format!("at t = {}: {kind}", integrator.t()));
            }
            Ok(_) => {}
        }
    }
}

/// Why a run failed: the table without a value there, if that is why no smaller step helped.
fn told(failure: &Failure, refusal: Option<&Refusal>) -> String {
    let spent = matches!(
        failure.kind,
        FailureKind::TimeLimit { .. } | FailureKind::TooManySteps { .. }
    );
    match refusal {
        Some(refusal) if !spent => format!("at t = {}: {refusal}", failure.t),
        _ => failure.to_string(),
    }
}

/// One row of so many is timed: looking at the clock costs a tenth of a short row. A prime, so that
/// the rows that fill a chunk of the file are met as often as others.
const TIMED: u64 = 17;

/// One step of so many is looked at for violations of the constraints, which costs a tenth of a
/// step of a small mechanism.
const LOOKED_AT: u64 = 4;

/// Watches the steps: rows, violations, progress, pauses for checkpoints.
struct Watch<'a> {
    model: Arc<Model>,
    sampler: Sampler,
    /// Norms of the residuals, where there are constraints.
    residuals: Option<Sampler>,
    energies: Sampler,
    sink: &'a mut dyn Sink,
    /// Time and channels.
    buffer: Vec<f64>,
    n_q: usize,
    n_v: usize,
    rows: u64,
    constraint: ConstraintReport,
    energy_start: f64,
    /// What was counted before a resumed run went on.
    before: Option<RunCheckpoint>,
    /// Time of the rows that were timed.
    output: Duration,
    /// Number of these rows.
    timed: u64,
    pause_at: Option<Instant>,
    fault: Option<String>,
}

impl<'a> Watch<'a> {
    fn new(simulation: &Simulation, sampler: Sampler, sink: &'a mut dyn Sink) -> Result<Self, RunError> {
        let start = &simulation.start;
        let catalogue = &simulation.catalogue;
        let some = |patterns: &[&str]| -> Result<Option<Sampler>, RunError> {
            match catalogue.select(patterns) {
                Ok(selection) => Ok(Some(Sampler::of_motion(start, &selection)?)),
                Err(_) => Ok(None),
            }
        };
        let constrained = !start.rows.active.is_empty() && simulation.form != Form::Ode;
        let residuals = if constrained {
            some(&["residual.position", "residual.velocity"])?
        } else {
            None
        };
        let energies = match some(&["energy.total"])? {
            Some(energies) => energies,
            None => sampler.clone(),
        };
        let tree = &start.model.tree;
        let mut watch = Self {
            model: start.model.clone(),
            buffer: vec![0.0; sampler.columns() + 1],
            sampler,
            residuals,
            energies,
            sink,
            n_q: tree.n_q,
            n_v: tree.n_v,
            rows: 0,
            constraint: ConstraintReport::default(),
            energy_start: 0.0,
            before: None,
            output: Duration::ZERO,
            timed: 0,
            pause_at: None,
            fault: None,
        };
        watch.energy_start = watch.energy_of(start.t, &start.q, &start.v);
        watch.look(start.t, &start.q, &start.v);
        Ok(watch)
    }

    fn energy(&mut self, t: f64, y: &[f64]) -> f64 {
        let (q, v) = y[..self.n_q + self.n_v].split_at(self.n_q);
        self.energy_of(t, q, v)
    }

    fn energy_of(&mut self, t: f64, q: &[f64], v: &[f64]) -> f64 {
        let mut row = vec![0.0; self.energies.columns()];
        self.energies.sample_state(t, q, v, &mut row);
        row.first().copied().unwrap_or(f64::NAN)
    }

    /// The recorded channels at the end, which need not be an output time.
    fn last(
        &mut self,
        options: &RunOptions,
        fill: impl FnOnce(&mut Sampler, &mut [f64]),
    ) -> Vec<(String, f64)> {
        fill(&mut self.sampler, &mut self.buffer[1..]);
        let channels = options.selection.channels().iter();
        channels
            .zip(&self.buffer[1..])
            .map(|(channel, x)| (channel.name.clone(), *x))
            .collect()
    }

    /// Notes the violations of the constraints.
    fn look(&mut self, t: f64, q: &[f64], v: &[f64]) {
        if let Some(residuals) = &mut self.residuals {
            let mut row = [0.0; 2];
            residuals.sample_state(t, q, v, &mut row);
            self.constraint.position = self.constraint.position.max(row[0]);
            self.constraint.velocity = self.constraint.velocity.max(row[1]);
        }
    }

    fn row(&mut self, t: f64, fill: impl FnOnce(&mut Sampler, &mut [f64])) {
        if self.fault.is_some() {
            return;
        }
        // What is prescribed need not be part of the equations.
        if let Some(undefined) = Undefined::find(&self.model, t) {
            self.fault = Some(format!("at t = {t}: {undefined}"));
            return;
        }
        // Not the first one, which finds its memory cold.
        let begin = (self.rows % TIMED == TIMED / 2).then(Instant::now);
        self.buffer[0] = t;
        fill(&mut self.sampler, &mut self.buffer[1..]);
        // What is only recorded may lack a value.
        forget_refusal();
        match self.sink.row(&self.buffer) {
            Ok(()) => self.rows += 1,
            Err(fault) => self.fault = Some(fault),
        }
        if let Some(begin) = begin {
            self.output += begin.elapsed();
            self.timed += 1;
        }
    }

    /// Time of the solver, with that before a resumed run went on.
    fn timing(&self, now: Timing) -> Timing {
        let Some(RunCheckpoint { timing_s: before, .. }) = &self.before else {
            return now;
        };
        Timing {
            total: before.total + now.total,
            jacobian: before.jacobian + now.jacobian,
            factorisation: before.factorisation + now.factorisation,
            start: before.start + now.start,
        }
    }

    /// The part of the report that was watched.
    fn report(&self) -> RunReport {
        let before = self.before.as_ref();
        let rows_here = self.rows - before.map_or(0, |b| b.rows);
        let output = self.output.as_secs_f64() * rows_here as f64 / self.timed.max(1) as f64;
        RunReport {
            rows: self.rows,
            output_s: output + before.map_or(0.0, |b| b.output_s),
            constraint: self.constraint,
            failed_rows: self.sampler.failures() + before.map_or(0, |b| b.failed_rows),
            singular_rows: self.sampler.singular() + before.map_or(0, |b| b.singular_rows),
            ..RunReport::default()
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        forget_refusal();
        if step.steps.is_multiple_of(LOOKED_AT) {
            let (q, v) = step.y[..self.n_q + self.n_v].split_at(self.n_q);
            self.look(step.t, q, v);
        }
        self.sink.progress(step.t, step.steps);
        let pause = self.pause_at.is_some_and(|at| Instant::now() >= at);
        if pause || self.fault.is_some() {
            Control::Stop
        } else {
            Control::Continue
        }
    }

    fn output(&mut self, t: f64, y: &[f64], yp: &[f64]) {
        self.row(t, |sampler, row| sampler.sample(t, y, yp, row));
    }
}
