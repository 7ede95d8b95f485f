//! The run itself: steps, output rows, checkpoints.

use super::report::{ConstraintReport, EnergyReport, RunReport, Status, Used};
use super::Simulation;
use holonom_dae::{Counters, Failure, Timing};
use holonom_multibody::channels::{ForeignSelection, Sampler, Selection};
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
            return self.run_kinematic(options, sink);
        }
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
            drive(&mut integrator, &mut watch, self.t_end, options)
        };
        let (t, y) = (integrator.t(), integrator.y());
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
            timing_s: integrator.timing(),
            energy: EnergyReport {
                start: watch.energy_start,
                end: energy_end,
            },
            ..watch.report()
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
        let result = self.start.follow_drives(self.outputs.iter(), &mut |state| {
            t = state.t;
            end.0.copy_from_slice(&state.q);
            end.1.copy_from_slice(&state.v);
            watch.look(state.t, &state.q, &state.v);
            watch.row(state.t, |sampler, row| sampler.sample_kinematic(state, row));
            watch.sink.progress(state.t, watch.rows);
            interrupted = interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
            !interrupted && watch.fault.is_none()
        });
        let (steps, failure) = match result {
            Ok(steps) => (steps as u64, None),
            Err(KinematicError::Stuck { t, open, partial }) => {
                let steps = partial.steps as u64;
                (steps, Some(KinematicError::Stuck { t, open, partial }.to_string()))
            }
            Err(error) => (0, Some(error.to_string())),
        };
        let (status, message) = match (failure.or(watch.fault.take()), interrupted) {
            (Some(message), _) => (Status::Failed, message),
            (None, true) => (Status::Interrupted, "interrupted".to_string()),
            (None, false) => (Status::Finished, String::new()),
        };
        let energy_end = watch.energy_of(t, &end.0, &end.1);
        let last = watch.last(options, |sampler, row| sampler.sample_state(t, &end.0, &end.1, row));
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
            ..watch.report()
        })
    }
}

/// Runs to the end in stretches between checkpoints.
fn drive(
    integrator: &mut Integrator<'_>,
    watch: &mut Watch<'_>,
    t_end: f64,
    options: &RunOptions,
) -> (Status, String) {
    let interrupted = || options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    loop {
        watch.pause_at = options.checkpoint_every.map(|every| Instant::now() + every);
        let result = integrator.run(t_end, watch);
        if let Some(fault) = watch.fault.take() {
            return (Status::Failed, fault);
        }
        let finished = matches!(result, Ok(Stop::Finished | Stop::Event { .. }));
        // What ends early leaves a checkpoint, asked for or not.
        if !finished || options.checkpoint_every.is_some() {
            let checkpoint = RunCheckpoint {
                solver: integrator.checkpoint(),
                rows: watch.rows,
                constraint: watch.constraint,
                energy_start: watch.energy_start,
                finished,
            };
            if let Err(fault) = watch.sink.checkpoint(&checkpoint) {
                return (Status::Failed, fault);
            }
        }
        match result {
            Err(failure) => return (Status::Failed, failure.to_string()),
            Ok(_) if finished => return (Status::Finished, String::new()),
            Ok(_) if interrupted() => {
                return (Status::Interrupted, format!("interrupted at t = {} s", integrator.t()));
            }
            Ok(_) => {}
        }
    }
}

/// Watches the steps: rows, violations, progress, pauses for checkpoints.
struct Watch<'a> {
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
    output: Duration,
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
            output: Duration::ZERO,
            pause_at: None,
            fault: None,
        };
        watch.energy_start = watch.energy_of(start.t, &start.q, &start.v);
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
        let begin = Instant::now();
        self.buffer[0] = t;
        fill(&mut self.sampler, &mut self.buffer[1..]);
        match self.sink.row(&self.buffer) {
            Ok(()) => self.rows += 1,
            Err(fault) => self.fault = Some(fault),
        }
        self.output += begin.elapsed();
    }

    /// The part of the report that was watched.
    fn report(&self) -> RunReport {
        RunReport {
            rows: self.rows,
            output_s: self.output.as_secs_f64(),
            constraint: self.constraint,
            failed_rows: self.sampler.failures(),
            singular_rows: self.sampler.singular(),
            ..RunReport::default()
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        let (q, v) = step.y[..self.n_q + self.n_v].split_at(self.n_q);
        self.look(step.t, q, v);
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
