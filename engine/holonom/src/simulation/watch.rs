//! What becomes of the states of a run: rows, violations of the constraints, progress.

use super::Simulation;
use super::gimbal::{GimbalLock, Gimbals};
use super::report::{ConstraintReport, RunReport};
use super::run::{RunCheckpoint, RunError, RunOptions, Sink};
use holonom_dae::Timing;
use holonom_expression::curve::forget_refusal;
use holonom_multibody::channels::Sampler;
use holonom_multibody::residual::Form;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// One row of so many is timed: looking at the clock costs a tenth of a short row. A prime, so that
/// the rows that fill a chunk of the file are met as often as others.
const TIMED: u64 = 17;

/// How long something takes that happens often, from some of the times it happens.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meter {
    count: u64,
    timed: u64,
    time: Duration,
}

impl Meter {
    /// Begins once more; a time where this one is timed. Not the first one, which finds its memory
    /// cold.
    pub fn begin(&mut self) -> Option<Instant> {
        let timed = self.count % TIMED == TIMED / 2;
        self.count += 1;
        timed.then(Instant::now)
    }

    /// Ends what [`Meter::begin`] began.
    pub fn end(&mut self, begin: Option<Instant>) {
        if let Some(begin) = begin {
            self.time += begin.elapsed();
            self.timed += 1;
        }
    }

    /// All of them, s.
    pub fn seconds(&self) -> f64 {
        self.time.as_secs_f64() * self.count as f64 / self.timed.max(1) as f64
    }
}

/// Takes the states of a run, on whichever thread, and makes rows of them.
pub(super) struct Watch<'a> {
    sampler: Sampler,
    /// Norms of the residuals, where there are constraints.
    residuals: Option<Sampler>,
    energies: Sampler,
    gimbals: Gimbals,
    pub sink: &'a mut dyn Sink,
    /// Time and channels, and the state where it is recorded.
    buffer: Vec<f64>,
    /// Columns of channels.
    channels: usize,
    /// Entries of a state that are recorded.
    state: usize,
    pub rows: u64,
    pub constraint: ConstraintReport,
    pub energy_start: f64,
    /// What was counted before a resumed run went on.
    before: Option<RunCheckpoint>,
    /// Whether the integration goes on meanwhile, on another thread.
    pub beside: bool,
    /// Rows on the thread of the integration, and beside it.
    meters: [Meter; 2],
    pub fault: Option<String>,
    /// Columns of the rows that must have values: of inputs, controls and forces.
    guarded: Vec<usize>,
    /// The first of them without a value, with its time.
    pub blank: Option<(usize, f64)>,
}

impl<'a> Watch<'a> {
    pub fn new(simulation: &Simulation, sampler: Sampler, sink: &'a mut dyn Sink) -> Result<Self, RunError> {
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
        let mut watch = Self {
            buffer: vec![0.0; sampler.columns() + 1],
            channels: sampler.columns(),
            state: 0,
            sampler,
            residuals,
            energies,
            gimbals: Gimbals::new(&start.model, simulation.t_end),
            sink,
            rows: 0,
            constraint: ConstraintReport::default(),
            energy_start: 0.0,
            before: None,
            beside: false,
            meters: [Meter::default(); 2],
            fault: None,
            guarded: Vec::new(),
            blank: None,
        };
        watch.energy_start = watch.energy_of(start.t, &start.q, &start.v);
        watch.look_at(start.t, &start.q, &start.v);
        Ok(watch)
    }

    /// Looks for values that are missing in columns of inputs, controls and forces.
    pub fn guard(&mut self, simulation: &Simulation, options: &RunOptions) {
        let model = &simulation.start.model;
        let controls = model.controls.iter().map(|control| control.name.as_str());
        let owners: HashSet<&str> = controls
            .chain(model.forces.iter().map(|force| force.name.as_str()))
            .collect();
        let is_owned = |channel: &str| {
            let ends = channel.match_indices('.').map(|(at, _)| at);
            let mut owner = ends.chain([channel.len()]).map(|end| &channel[..end]);
            channel.starts_with("input.") || owner.any(|owner| owners.contains(owner))
        };
        let channels = options.selection.channels().iter().enumerate();
        let guarded = channels.filter(|(_, channel)| is_owned(&channel.name));
        self.guarded = guarded.map(|(column, _)| column).collect();
    }

    /// Records so many of the leading unknowns with every row, and the sides of switches.
    pub fn record_state(&mut self, leading: usize, sides: usize) {
        self.state = leading;
        self.buffer.resize(1 + self.channels + leading + sides, 0.0);
    }

    /// Goes on counting where a checkpoint stood.
    pub fn go_on(&mut self, checkpoint: &RunCheckpoint) {
        self.before = Some(checkpoint.clone());
        self.rows = checkpoint.rows;
        self.constraint = checkpoint.constraint;
        self.energy_start = checkpoint.energy_start;
        self.blank = checkpoint.blank;
        self.gimbals.go_on(&checkpoint.gimbal_lock);
    }

    /// How many of the leading unknowns are needed of a state.
    pub fn leading(&self) -> usize {
        let others = [self.residuals.as_ref(), Some(&self.energies)];
        let others = others.into_iter().flatten().map(Sampler::leading);
        let own = self.sampler.leading().max(self.gimbals.leading()).max(self.state);
        others.fold(own, usize::max)
    }

    /// Keeps switches of expressions on sides: the last of the discrete variables.
    pub fn set_sides(&mut self, discrete: &[f64]) {
        self.sampler.set_sides(discrete);
        self.energies.set_sides(discrete);
        if let Some(residuals) = &mut self.residuals {
            residuals.set_sides(discrete);
        }
    }

    /// Energy of a solution.
    pub fn energy(&mut self, t: f64, y: &[f64]) -> f64 {
        let mut row = vec![0.0; self.energies.columns()];
        self.energies.sample(t, y, &[], &mut row);
        row.first().copied().unwrap_or(f64::NAN)
    }

    /// Energy of a motion.
    pub fn energy_of(&mut self, t: f64, q: &[f64], v: &[f64]) -> f64 {
        let mut row = vec![0.0; self.energies.columns()];
        self.energies.sample_state(t, q, v, &mut row);
        row.first().copied().unwrap_or(f64::NAN)
    }

    /// The recorded channels at the end, which need not be an output time.
    pub fn last(
        &mut self,
        options: &RunOptions,
        fill: impl FnOnce(&mut Sampler, &mut [f64]),
    ) -> Vec<(String, f64)> {
        let row = 1..self.channels + 1;
        fill(&mut self.sampler, &mut self.buffer[row.clone()]);
        let channels = options.selection.channels().iter();
        channels
            .zip(&self.buffer[row])
            .map(|(channel, x)| (channel.name.clone(), *x))
            .collect()
    }

    /// Notes the violations of the constraints in a solution.
    pub fn look(&mut self, t: f64, y: &[f64]) {
        self.gimbals.look(t, y);
        self.look_with(|residuals, row| residuals.sample(t, y, &[], row));
    }

    /// Notes the violations of the constraints in a motion.
    pub fn look_at(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.gimbals.look(t, q);
        self.look_with(|residuals, row| residuals.sample_state(t, q, v, row));
    }

    /// A joint next to gimbal lock in a solution.
    pub fn locked_at(&self, t: f64, y: &[f64]) -> Option<GimbalLock> {
        let mut here = self.gimbals.clone();
        here.go_on(&[]);
        here.look(t, y);
        here.found().into_iter().next()
    }

    fn look_with(&mut self, fill: impl FnOnce(&mut Sampler, &mut [f64])) {
        if let Some(residuals) = &mut self.residuals {
            let mut row = [0.0; 2];
            fill(residuals, &mut row);
            self.constraint.position = self.constraint.position.max(row[0]);
            self.constraint.velocity = self.constraint.velocity.max(row[1]);
        }
    }

    /// After every accepted step.
    pub fn step(&mut self, t: f64, y: &[f64], steps: u64) {
        self.look(t, y);
        // What is only looked at may lack a value.
        forget_refusal();
        self.sink.progress(t, steps);
    }

    /// A row for the sink. `state` is what is recorded of it where that was asked for: the unknowns, then the sides of
    /// switches.
    pub fn row(&mut self, t: f64, state: &[&[f64]; 2], fill: impl FnOnce(&mut Sampler, &mut [f64])) {
        if self.fault.is_some() {
            return;
        }
        let meter = usize::from(self.beside);
        let begin = self.meters[meter].begin();
        self.buffer[0] = t;
        let (row, kept) = self.buffer.split_at_mut(self.channels + 1);
        fill(&mut self.sampler, &mut row[1..]);
        if !kept.is_empty() {
            let (unknowns, sides) = kept.split_at_mut(self.state);
            unknowns.copy_from_slice(&state[0][..unknowns.len()]);
            sides.copy_from_slice(state[1]);
        }
        // What is only recorded may lack a value: the run goes on, and tells at its end.
        forget_refusal();
        if self.blank.is_none() {
            let mut columns = self.guarded.iter();
            let blank = columns.find(|column| !self.buffer[**column + 1].is_finite());
            self.blank = blank.map(|column| (*column, t));
        }
        match self.sink.row(&self.buffer) {
            Ok(()) => self.rows += 1,
            Err(fault) => self.fault = Some(fault),
        }
        self.meters[meter].end(begin);
    }

    /// Time of the solver, with that before a resumed run went on.
    pub fn timing(&self, now: Timing) -> Timing {
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

    /// The part of the report that was watched. `lost_s` is what the integrating thread lost to rows
    /// that it did not make itself.
    pub fn report(&self, lost_s: f64) -> RunReport {
        let before = self.before.as_ref();
        let [here, beside] = self.meters.map(|meter| meter.seconds());
        RunReport {
            rows: self.rows,
            output_s: here + lost_s + before.map_or(0.0, |b| b.output_s),
            output_beside_s: beside + before.map_or(0.0, |b| b.output_beside_s),
            constraint: self.constraint,
            gimbal_lock: self.gimbals.found(),
            failed_rows: self.sampler.failures() + before.map_or(0, |b| b.failed_rows),
            singular_rows: self.sampler.singular() + before.map_or(0, |b| b.singular_rows),
            ..RunReport::default()
        }
    }
}
