//! The run itself: steps, output rows, checkpoints.

use super::formulas::State;
use super::pipeline::{Feed, OutputThread};
use super::report::{ConstraintReport, EnergyReport, RunReport, Status, Used};
use super::undefined::Undefined;
use super::watch::Watch;
use super::{GimbalLock, Simulation};
use holonom_dae::{Counters, Failure, FailureKind, Hidden, Timing};
use holonom_expression::curve::{Refusal, watch_refusals};
use holonom_multibody::channels::{ForeignSelection, Sampler, Selection};
use holonom_multibody::residual::UnsuitableForm;
use holonom_multibody::start::KinematicError;
use holonom_solver::stepper::{self, AUTO};
use holonom_solver::{Checkpoint, Integrator, Options, Stop};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Where the rows of a run go. Rows and progress may come from another thread than the one that asked
/// for the run (see [`OutputThread`]), one after the other and in order.
pub trait Sink: Send {
    /// Takes a row: the time, then one number per channel, then the state where it was asked for.
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

    /// Is told after every step how far the run is; now and then that is a little late.
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
#[non_exhaustive]
pub struct RunOptions {
    /// What to record.
    pub selection: Selection,
    /// Set to true from elsewhere to end the run after the step at hand.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Take a checkpoint after this much computing time, again and again.
    pub checkpoint_every: Option<Duration>,
    /// Take a checkpoint of a finished run as well, from which a run to a later end can go on.
    pub checkpoint_at_end: bool,
    /// Go on from here.
    pub resume: Option<RunCheckpoint>,
    /// Which thread makes the rows.
    pub output_thread: OutputThread,
    /// Adds the state to every row, behind the channels: [`Simulation::state_columns`] says what it consists of.
    pub state: bool,
}

impl RunOptions {
    /// Records a selection of channels; no checkpoints.
    pub fn new(selection: Selection) -> Self {
        Self {
            selection,
            interrupt: None,
            checkpoint_every: None,
            checkpoint_at_end: false,
            resume: None,
            output_thread: OutputThread::default(),
            state: false,
        }
    }

    /// Sets [`interrupt`](Self::interrupt).
    #[must_use]
    pub fn interrupt(mut self, interrupt: Arc<AtomicBool>) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// Sets [`checkpoint_every`](Self::checkpoint_every).
    #[must_use]
    pub fn checkpoint_every(mut self, checkpoint_every: Option<Duration>) -> Self {
        self.checkpoint_every = checkpoint_every;
        self
    }

    /// Sets [`checkpoint_at_end`](Self::checkpoint_at_end).
    #[must_use]
    pub fn checkpoint_at_end(mut self, checkpoint_at_end: bool) -> Self {
        self.checkpoint_at_end = checkpoint_at_end;
        self
    }

    /// Sets [`resume`](Self::resume).
    #[must_use]
    pub fn resume(mut self, resume: Option<RunCheckpoint>) -> Self {
        self.resume = resume;
        self
    }

    /// Sets [`output_thread`](Self::output_thread).
    #[must_use]
    pub fn output_thread(mut self, output_thread: OutputThread) -> Self {
        self.output_thread = output_thread;
        self
    }

    /// Sets [`state`](Self::state).
    #[must_use]
    pub fn state(mut self, state: bool) -> Self {
        self.state = state;
        self
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
    /// Joints that came close to gimbal lock so far.
    #[serde(default)]
    pub gimbal_lock: Vec<GimbalLock>,
    /// Computing time so far.
    pub timing_s: Timing,
    /// Time that output rows took from the run so far, s.
    pub output_s: f64,
    /// Time spent on output rows beside it so far, s.
    #[serde(default)]
    pub output_beside_s: f64,
    /// The first recorded column without a value so far, with its time.
    #[serde(default)]
    pub blank: Option<(usize, f64)>,
    /// Whether the run had reached its end.
    pub finished: bool,
}

impl RunCheckpoint {
    /// Prepares to go on to the end of `simulation`, which may be later than that of the run so far. If step sizes do not
    /// depend on the length of the run (see [`Simulation::depends_on_length`]), the result is that of a single run, to
    /// the bit.
    pub fn extend_to(&mut self, simulation: &Simulation) {
        self.finished = false;
        self.solver.extend_to(simulation.t_end);
        // A grid that meets its end exactly may differ by rounding from one that meets another end.
        let outputs = &simulation.outputs;
        if let Some(last) = &mut self.solver.outputs_to {
            let slack = 64.0 * f64::EPSILON * last.abs();
            let written = outputs.not_after(*last + slack);
            *last = written
                .checked_sub(1)
                .and_then(|i| outputs.get(i))
                .unwrap_or(*last);
        }
    }
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
    #[error("kinematic simulations have no checkpoints: start the run again")]
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

    /// Whether step sizes may depend on the length of the run: `auto` chooses the method by it, methods that begin with a
    /// high order limit their first step to a fraction of it, and narrow changes of functions of time, and narrow features
    /// of roads, contacts and other laws, are searched for at distances that are fractions of it.
    ///
    /// # Errors
    /// A form that does not fit the mechanism.
    pub fn depends_on_length(&self) -> Result<bool, RunError> {
        let starts_high = stepper::find(&self.solver.stepper).is_none_or(|entry| entry.start_order > 1);
        if starts_high && self.solver.initial_step.or(self.solver.fixed_step).is_none() {
            return Ok(true);
        }
        if self.solver.stepper == AUTO {
            return Ok(true);
        }
        if !self.solver.foresight || self.solver.fixed_step.is_some() {
            return Ok(false);
        }
        let equations = self
            .start
            .equations_with(self.form, self.formalism, self.ggl_metric)?;
        let system = equations.system();
        Ok(system.excitations() > 0 || system.hidden() != Hidden::Nothing)
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
        let recorded = self.recorded(&equations);
        let system = equations.system();
        let mut watch = Watch::new(self, sampler, sink)?;
        watch.guard(self, options);
        if options.state {
            watch.record_state(recorded, self.start.model.sides());
        }
        let mut feed = Feed::new(&self.start.model, &watch, options.output_thread);
        let mut integrator = match &options.resume {
            Some(checkpoint) => {
                watch.go_on(checkpoint);
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
            drive(&mut integrator, &mut feed, &mut watch, self, options)
        };
        watch.set_sides(integrator.system().discrete());
        let (t, y) = (integrator.t(), integrator.y());
        watch.look(t, y);
        let (status, message) = self.told_blank(&watch, options, status, message);
        let report = watch.report(feed.lost_s());
        let energy_end = watch.energy(t, y);
        let last = watch.last(options, |sampler, row| sampler.sample(t, y, &[], row));
        let message = match watch.locked_at(t, y) {
            Some(lock) if status == Status::Failed => format!("{message}; {lock}"),
            _ => message,
        };
        let (strategies, sparsity) = (integrator.report().strategies, integrator.sparsity());
        Ok(RunReport {
            status,
            message,
            t,
            last,
            used: Used {
                update: integrator.update().to_string(),
                ..self.used(strategies, sparsity)
            },
            stiff: self.stiff_names(integrator.stepper().stiff_elements()),
            counters: *integrator.counters(),
            timing_s: watch.timing(integrator.timing()),
            energy: EnergyReport {
                start: watch.energy_start,
                end: energy_end,
            },
            explain: integrator.decisions(),
            ..report
        })
    }

    /// A finished run in which a recorded channel lacks values has failed.
    fn told_blank(
        &self,
        watch: &Watch<'_>,
        options: &RunOptions,
        status: Status,
        message: String,
    ) -> (Status, String) {
        match (status, watch.blank) {
            (Status::Finished, Some((column, t))) => {
                let channel = options.selection.channels().get(column);
                let name = channel.map_or("", |channel| channel.name.as_str());
                (Status::Failed, self.formulas.blank(name, t).failure(t))
            }
            other => (other.0, message),
        }
    }

    /// The formula that may be why a run ended where it did.
    fn without_value(&self, t: f64, y: &[f64], rates: &[f64]) -> Option<String> {
        let model = &self.start.model;
        let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
        let known = y.get(..n_q + n_v + model.x0.len())?;
        let (q, rest) = known.split_at(n_q);
        let (v, x) = rest.split_at(n_v);
        let state = State { t, q, v, x };
        let missing = self
            .formulas
            .missing_near(model, [self.start.t, self.t_end], state, rates);
        missing.map(|missing| missing.failure(t))
    }

    fn used(&self, [stepper, jacobian, linear, refresh]: [&str; 4], sparsity: &str) -> Used {
        Used {
            form: self.form.name().to_string(),
            formalism: self.formalism.name().to_string(),
            stepper: stepper.to_string(),
            jacobian: jacobian.to_string(),
            sparsity: sparsity.to_string(),
            linear: linear.to_string(),
            refresh: refresh.to_string(),
            update: "–".to_string(),
        }
    }

    fn run_kinematic(&self, options: &RunOptions, sink: &mut dyn Sink) -> Result<RunReport, RunError> {
        if options.resume.is_some() {
            return Err(RunError::KinematicCheckpoint);
        }
        let begin = Instant::now();
        let sampler = Sampler::of_motion(&self.start, &options.selection)?;
        let mut watch = Watch::new(self, sampler, sink)?;
        watch.guard(self, options);
        let sides = vec![f64::NAN; self.start.model.sides()];
        let (n_q, n_v) = (self.start.q.len(), self.start.v.len());
        let mut unknowns = [&self.start.q[..], &self.start.v, &self.start.x].concat();
        if options.state {
            watch.record_state(unknowns.len(), sides.len());
        }
        let mut t = self.start.t;
        let mut end = (self.start.q.clone(), self.start.v.clone());
        let mut interrupted = false;
        let interrupt = options.interrupt.as_deref();
        let (result, refusal) = watch_refusals(|| {
            self.start.follow_drives(self.outputs.iter(), &mut |state| {
                watch.look_at(state.t, &state.q, &state.v);
                // What is prescribed need not be part of what is solved.
                match Undefined::find(&self.start.model, state.t) {
                    Some(undefined) => watch.fault = Some(format!("at t = {}: {undefined}", state.t)),
                    None => {
                        unknowns[..n_q].copy_from_slice(&state.q);
                        unknowns[n_q..n_q + n_v].copy_from_slice(&state.v);
                        watch.row(state.t, &[&unknowns, &sides], |sampler, row| {
                            sampler.sample_kinematic(state, row);
                        });
                    }
                }
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
        let (status, message) = self.told_blank(&watch, options, status, message);
        let report = watch.report(0.0);
        let energy_end = watch.energy_of(t, &end.0, &end.1);
        let last = watch.last(options, |sampler, row| {
            sampler.sample_state(t, &end.0, &end.1, row)
        });
        Ok(RunReport {
            status,
            message,
            t,
            last,
            used: self.used(["kinematic", "–", "–", "–"], "–"),
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
    feed: &mut Feed,
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
        feed.pause_at = match (pause, deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, other) => one.or(other),
        };
        let (result, refusal) = feed.stretch(watch, |observer| {
            watch_refusals(|| integrator.run(t_end, observer))
        });
        if let Some(fault) = watch.fault.take() {
            return (Status::Failed, fault);
        }
        let finished = matches!(result, Ok(Stop::Finished | Stop::Event { .. }));
        // What ends early leaves a checkpoint, asked for or not.
        if !finished || options.checkpoint_at_end || options.checkpoint_every.is_some() {
            let report = watch.report(feed.lost_s());
            let checkpoint = RunCheckpoint {
                solver: integrator.checkpoint(),
                rows: watch.rows,
                constraint: watch.constraint,
                energy_start: watch.energy_start,
                failed_rows: report.failed_rows,
                singular_rows: report.singular_rows,
                gimbal_lock: report.gimbal_lock,
                timing_s: watch.timing(integrator.timing()),
                output_s: report.output_s,
                output_beside_s: report.output_beside_s,
                blank: watch.blank,
                finished,
            };
            if let Err(fault) = watch.sink.checkpoint(&checkpoint) {
                return (Status::Failed, fault);
            }
        }
        match result {
            Err(failure) => {
                let pace = spent(&failure).then(|| {
                    let steps = integrator.counters().steps;
                    simulation.pace(integrator.t(), steps, Options::default().max_steps)
                });
                let t = integrator.t();
                let blamed = match &failure.kind {
                    _ if refusal.is_some() || spent(&failure) => None,
                    // On the way to a pole formulas of the state overflow; those of time may be why there is one.
                    FailureKind::Unbounded { .. } => {
                        let missing = simulation
                            .formulas
                            .missing_in_time([simulation.start.t, t_end], t);
                        missing.map(|missing| missing.failure(t))
                    }
                    _ => simulation.without_value(t, integrator.y(), integrator.yp()),
                };
                let message = match blamed {
                    Some(blamed) => blamed,
                    None => told(&failure, refusal.as_ref()),
                };
                return match pace.flatten() {
                    Some(pace) => (Status::Failed, format!("{message}. {pace}")),
                    None => (Status::Failed, message),
                };
            }
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
    match refusal {
        Some(refusal) if !spent(failure) => format!("at t = {}: {refusal}", failure.t),
        _ => failure.to_string(),
    }
}

/// Whether steps or time are used up.
fn spent(failure: &Failure) -> bool {
    matches!(
        failure.kind,
        FailureKind::TimeLimit { .. } | FailureKind::TooManySteps { .. }
    )
}
