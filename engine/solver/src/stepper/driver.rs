//! The only loop: attempts, acceptance, events, output times, limits.

mod change;
mod consistent;
mod defect;
mod foresight;
mod hindsight;
mod laws;
mod pilot;
mod switches;

use super::NONE;
use super::checkpoint::{Checkpoint, VERSION};
use super::diagnosis;
use super::events::EventFinder;
use super::projection::Projection;
use super::setup::{self, assemble_parts, check_start, fingerprint_of_system, first_step};
use super::{AUTO, Control, Observer, Piece, Quiet, StepInfo, Stepper, chooser};
use crate::equations::Equations;
use crate::explain::{Because, Decision, Subject};
use crate::jacobian::Sparsity;
use crate::newton::PatternEvent;
use crate::newton::initial::{self, StartReport};
use crate::options::{Options, Start};
use crate::refresh::Update;
use foresight::Foresight;
pub use foresight::ForesightMemory;
pub use hindsight::HindsightMemory;
use hindsight::{Cut, Hindsight, Passed};
use holonom_dae::{
    Counters, EventAction, Failure, FailureKind, InputError, Look, Rejection, System, Timing, Tolerances,
};
pub(super) use pilot::METHODS;
pub use pilot::PilotMemory;
use pilot::{Mark, Pilot};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Why a run ended without error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// The end time is reached.
    Finished,
    /// An event ended the run.
    Event {
        /// Number of the event.
        event: usize,
    },
    /// The observer or the interrupt flag ended the run.
    Interrupted,
}

/// What was used and what moved at the start.
#[derive(Clone, Debug)]
pub struct Report {
    /// Strategy names as used: stepper, Jacobian, linear solver, refresh policy.
    pub strategies: [&'static str; 4],
    /// What the consistent start moved.
    pub start: StartReport,
    /// Why the strategies are what they are.
    pub decisions: Vec<Decision>,
}

/// Consecutive failures of the corrector after which a run is given up, as in DASSL.
const FAILURE_LIMIT: u32 = 10;

/// A run: a system, a method and everything between steps.
pub struct Integrator<'s> {
    system: Box<dyn System + 's>,
    options: Options,
    stepper: Box<dyn Stepper>,
    finder: EventFinder,
    foresight: Foresight,
    hindsight: Hindsight,
    counters: Counters,
    timing: Timing,
    report: Report,
    outputs_done: usize,
    /// Room to bring states between steps to the constraints; made when it is needed first.
    projection: Option<Box<Projection>>,
    /// The method is chosen here, and may be changed.
    chooses: bool,
    /// By what is measured; none where settings leave no choice.
    pilot: Option<Pilot>,
    lower_bounds: Vec<(usize, f64)>,
    /// Up to where pieces of the solution have been shown, and room for one.
    pieces_to: Option<f64>,
    piece: Vec<f64>,
    /// The solution as seen from outside: at the last goal, event or step.
    t: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
}

/// Steps that were cut short and are told of.
const MOST_CUTS_TOLD: u64 = 64;

/// Share of the last step, below which the next one says that what begins there is of another kind. Errors of a method that
/// goes on from long steps before are judged too low by about this factor in the first short one.
const SUDDEN: f64 = 0.05;

/// What the steps keep to; nothing where their size is fixed.
fn tolerances(options: &Options) -> Option<&Tolerances> {
    options.fixed_step.is_none().then_some(&options.tolerances)
}

/// Whether `t` is one of some ascending times, up to rounding.
fn is_among(times: &[f64], t: f64) -> bool {
    let rounding = 4.0 * f64::EPSILON;
    let behind = times.partition_point(|s| *s < t - 2.0 * rounding * t.abs());
    let near = |s: &f64| (s - t).abs() <= rounding * s.abs().max(t.abs());
    times[behind..].iter().take(3).any(near)
}

impl<'s> Integrator<'s> {
    /// Checks the input, makes the start consistent and gets ready to step from `t0`.
    ///
    /// `span` is the length of the interval of interest; it bounds the first step.
    pub fn new(
        mut system: Box<dyn System + 's>,
        t0: f64,
        y0: &[f64],
        yp0: &[f64],
        span: f64,
        mut options: Options,
    ) -> Result<Self, Failure> {
        let structure = system.structure();
        structure.check()?;
        options.check(&*system)?;
        check_start(structure, t0, y0, yp0)?;
        if !(span > 0.0 && span.is_finite()) {
            return Err(InputError::Interval { t0, t_end: t0 + span }.into());
        }
        if let Some(early) = options.outputs.get(0).filter(|t| *t < t0) {
            return Err(InputError::Option {
                option: "outputs",
                value: early.to_string(),
                remedy: format!("the first output time must not be before the start time {t0}"),
            }
            .into());
        }
        let lower_bounds = structure.lower_bounds();
        let mut counters = Counters::default();
        let mut timing = Timing::default();
        let (mut y, mut yp) = (y0.to_vec(), yp0.to_vec());
        let begin = Instant::now();
        // In steps of fixed size switches follow the state.
        let keeps_sides = options.fixed_step.is_none() && system.switches() > 0;
        if keeps_sides {
            let weights = setup::weights(&options, system.structure());
            switches::settle(system.as_mut(), weights, t0, &y, &yp);
        }
        let start = {
            let mut equations = Equations {
                system: system.as_mut(),
                counters: &mut counters,
            };
            match options.start {
                Start::Trust => {
                    equations.system.structure().check_bounds(y0)?;
                    StartReport::default()
                }
                mode => initial::make_consistent(&mut equations, &options, mode, t0, span, &mut y, &mut yp)?,
            }
        };
        if keeps_sides && y != y0 {
            let weights = setup::weights(&options, system.structure());
            switches::settle(system.as_mut(), weights, t0, &y, &yp);
        }
        timing.start = begin.elapsed().as_secs_f64();
        let chooses = options.stepper == AUTO;
        let mut choice = None;
        let mut pilot = None;
        if chooses {
            let mut equations = Equations {
                system: system.as_mut(),
                counters: &mut counters,
            };
            let (name, because) = chooser::choose(&mut equations, &options, (t0, &y), span);
            if options.fixed_step.is_none() && because != Because::OfBdf {
                let explicit = chooser::is_explicit(&mut equations);
                let work = equations.counters.work(false);
                pilot = Pilot::new(name, explicit, Mark { t: t0, work }, t0 + span);
            }
            options.stepper = name.into();
            choice = Some(Decision::at_start(Subject::Stepper, name, because));
        }
        let (mut stepper, strategies, mut decisions) = assemble_parts(system.as_ref(), &options)?;
        let unchecked = options.start == Start::Trust || system.structure().layout.is_some();
        if unchecked && stepper.corrector().is_some() {
            initial::check_derivative_form(system.as_mut(), t0, &y, &yp)?;
        }
        decisions.splice(0..0, choice);
        let mut finder = EventFinder::new(system.as_mut());
        let h = first_step(&options, system.structure(), t0, &y, &yp, span);
        stepper.start(t0, &y, &yp, h);
        stepper.bind(system.as_mut())?;
        finder.arm(system.as_mut(), t0, &y, &yp, h);
        let foresight = Foresight::new(system.as_ref(), &options, [t0, t0 + span]);
        let mut hindsight = Hindsight::new(system.as_mut(), &options, span);
        hindsight.begin(t0);
        Ok(Self {
            system,
            options,
            stepper,
            finder,
            foresight,
            hindsight,
            counters,
            timing,
            report: Report {
                strategies,
                start,
                decisions,
            },
            outputs_done: 0,
            projection: None,
            chooses,
            pilot,
            lower_bounds,
            pieces_to: None,
            piece: Vec::new(),
            t: t0,
            y,
            yp,
        })
    }

    /// Continues a run from a checkpoint, with the system and options it was taken with.
    pub fn resume(
        mut system: Box<dyn System + 's>,
        mut options: Options,
        checkpoint: &Checkpoint,
    ) -> Result<Self, Failure> {
        let structure = system.structure();
        structure.check()?;
        options.check(&*system)?;
        let misfit = |s: String| Err(InputError::Checkpoint(s).into());
        if checkpoint.version != VERSION {
            return misfit(format!(
                "it has format {}, this build reads {VERSION}",
                checkpoint.version
            ));
        }
        let n = structure.dimension();
        let lower_bounds = structure.lower_bounds();
        if checkpoint.dimension != n {
            return misfit(format!(
                "it has {} unknowns, the system has {n}",
                checkpoint.dimension
            ));
        }
        let chooses = options.stepper == AUTO;
        if chooses && let Some(entry) = super::find(&checkpoint.strategies[0]) {
            options.stepper = entry.name.into();
        }
        // What was decided, and why, the checkpoint tells.
        let (mut stepper, strategies, _) = assemble_parts(system.as_ref(), &options)?;
        if checkpoint.strategies != strategies {
            return misfit(format!(
                "it was written with {}, but the options specify {}",
                checkpoint.strategies.join(", "),
                strategies.join(", ")
            ));
        }
        if checkpoint.discrete.len() != system.discrete().len() {
            return misfit("the number of discrete variables differs".into());
        }
        if checkpoint.system != fingerprint_of_system(system.as_ref()) {
            return misfit(
                "the names of the variables, equations or events differ, so it belongs to another system"
                    .into(),
            );
        }
        if checkpoint.options != options.fingerprint() {
            return misfit(
                "tolerances or other numerical options differ from those of the run that wrote it".into(),
            );
        }
        system.discrete_mut().copy_from_slice(&checkpoint.discrete);
        if !stepper.restore(&checkpoint.stepper) {
            return misfit("the size of the history differs".into());
        }
        stepper.bind(system.as_mut())?;
        let mut finder = EventFinder::new(system.as_mut());
        finder.restore(&checkpoint.events);
        let mut foresight = Foresight::new(system.as_ref(), &options, [0.0, 0.0]);
        if !foresight.restore(&checkpoint.foresight) {
            return misfit("the number of excitations differs".into());
        }
        let mut hindsight = Hindsight::new(system.as_mut(), &options, 0.0);
        if !hindsight.restore(&checkpoint.hindsight) {
            return misfit("the number of gaps differs".into());
        }
        let outputs_done = checkpoint
            .outputs_to
            .map_or(0, |last| options.outputs.not_after(last));
        let reachable = stepper.t() - stepper.last_h();
        if let Some(early) = options.outputs.get(outputs_done).filter(|t| *t < reachable) {
            return misfit(format!(
                "output time {early} is before the step at which it was written"
            ));
        }
        // The last step of a finished run goes beyond its end. What it did not know of there has been stepped over.
        let (seen, reached) = (checkpoint.t, stepper.t());
        let slack = 256.0 * f64::EPSILON * seen.abs();
        let ends = options.stop_times.iter().chain(&options.step_ends).copied();
        let within = |t: &f64| *t > seen + slack && *t < reached;
        let missed = ends.filter(within).reduce(f64::min);
        if let Some(missed) =
            missed.or_else(|| foresight.missed(system.as_mut(), stepper.as_ref(), seen + slack))
        {
            return misfit(format!(
                "its last step goes from t = {} to t = {reached}, across a change of a function of time at t = {missed}: \
                 start the run again",
                reached - stepper.last_h()
            ));
        }
        let pilot = checkpoint.pilot.as_ref().filter(|_| chooses).map(|memory| {
            let mut looks = Counters::default();
            let explicit = chooser::is_explicit(&mut Equations {
                system: system.as_mut(),
                counters: &mut looks,
            });
            Pilot::resume(memory, explicit)
        });
        let mut run = Self {
            system,
            options,
            stepper,
            finder,
            foresight,
            hindsight,
            counters: checkpoint.counters,
            timing: Timing::default(),
            report: Report {
                strategies,
                start: StartReport::default(),
                decisions: checkpoint.decisions.clone(),
            },
            outputs_done,
            projection: None,
            chooses,
            pilot,
            lower_bounds,
            pieces_to: None,
            piece: Vec::new(),
            t: checkpoint.t,
            y: vec![0.0; n],
            yp: vec![0.0; n],
        };
        run.show_at(checkpoint.t)?;
        Ok(run)
    }

    /// Everything the rest of the run depends on, as of the last accepted step.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            version: VERSION,
            dimension: self.y.len(),
            system: fingerprint_of_system(self.system.as_ref()),
            options: self.options.fingerprint(),
            strategies: self.report.strategies.map(String::from),
            stepper: self.stepper.checkpoint(),
            discrete: self.system.discrete().to_vec(),
            events: self.finder.memory().clone(),
            foresight: self.foresight.memory().clone(),
            hindsight: self.hindsight.memory().clone(),
            pilot: self.pilot.as_ref().map(|pilot| pilot.memory().clone()),
            decisions: self.report.decisions.clone(),
            counters: self.counters,
            t: self.t,
            outputs_to: self
                .outputs_done
                .checked_sub(1)
                .and_then(|i| self.options.outputs.get(i)),
        }
    }

    /// Integrates to `t_end`, passing it if the step at hand does; the solution there is
    /// interpolated. May be called again with a later time, also after an event ended the run.
    /// What was reached before a failure stays available.
    pub fn run(&mut self, t_end: f64, observer: &mut dyn Observer) -> Result<Stop, Failure> {
        let begin = Instant::now();
        let result = self.run_loop(t_end, observer, begin);
        if let Err(failure) = &result
            && !matches!(failure.kind, FailureKind::Input(_))
        {
            // What is wrong there is told already.
            let _ = self.show_at(self.finder.searched_to().min(t_end));
        }
        self.timing.total += begin.elapsed().as_secs_f64();
        result
    }

    /// One accepted step with the events and the stop time in it, without outputs; for callers
    /// with a loop of their own.
    ///
    /// # Errors
    /// The step fails, or the limits on steps or computing time are reached; the time is that spent inside of the
    /// integrator so far.
    pub fn step(&mut self) -> Result<Option<Stop>, Failure> {
        let begin = Instant::now();
        let done = self.one_step();
        self.timing.total += begin.elapsed().as_secs_f64();
        done
    }

    fn one_step(&mut self) -> Result<Option<Stop>, Failure> {
        self.begin_step(f64::INFINITY)?;
        self.check_limits(self.timing.total)?;
        self.advance()?;
        let stop = self.handle_events(f64::INFINITY, &mut Quiet)?;
        if stop.is_none() {
            self.show_at(self.stepper.t())?;
        }
        Ok(stop.or_else(|| self.is_interrupted().then_some(Stop::Interrupted)))
    }

    fn is_interrupted(&self) -> bool {
        let flag = self.options.interrupt.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    fn run_loop(&mut self, t_end: f64, observer: &mut dyn Observer, begin: Instant) -> Result<Stop, Failure> {
        if t_end.is_nan() || t_end <= self.t {
            return Err(InputError::Interval { t0: self.t, t_end }.into());
        }
        let mut control = Control::Continue;
        loop {
            // What lies behind the last step: events, outputs, then the goal.
            if let Some(stop) = self.handle_events(t_end, observer)? {
                return Ok(stop);
            }
            let ended = self.has_reached(t_end);
            let reached = if ended { t_end } else { self.stepper.t() };
            self.deliver_outputs(reached, observer)?;
            if ended {
                self.show_at(t_end)?;
                self.look_at_end(t_end)?;
                return match self.finder.missing(self.system.as_ref(), t_end) {
                    Some(kind) => Err(self.failed(kind)),
                    None => Ok(Stop::Finished),
                };
            }
            if control == Control::Stop {
                self.show_at(reached)?;
                return Ok(Stop::Interrupted);
            }
            self.begin_step(t_end)?;
            self.check_limits(begin.elapsed().as_secs_f64())?;
            self.advance()?;
            let info = StepInfo {
                t: self.stepper.t(),
                h: self.stepper.last_h(),
                order: self.stepper.last_order(),
                y: self.stepper.y(),
                yp: self.stepper.yp(),
                steps: self.counters.steps,
            };
            control = observer.step(&info);
            if self.is_interrupted() {
                control = Control::Stop;
            }
        }
    }

    /// Starts afresh where the equations change.
    fn begin_step(&mut self, t_end: f64) -> Result<(), Failure> {
        let t = self.stepper.t();
        self.look(t_end)?;
        if self.stepper.last_h() != 0.0 && self.is_stop_time(t) {
            self.show_at(t)?;
            self.restart(t_end)?;
        }
        self.steer()
    }

    /// Lets the system look at the state accepted last, and goes on with the equations it wants to be taken.
    fn look(&mut self, t_end: f64) -> Result<(), Failure> {
        let t = self.stepper.t();
        let look = self
            .system
            .look(t, self.stepper.y(), tolerances(&self.options))
            .map_err(|kind| self.failed(kind))?;
        let Look::Exchanged { restart } = look else {
            return Ok(());
        };
        self.counters.row_changes += 1;
        self.interrupt_comparison();
        let system = self.system.as_ref();
        self.stepper.carry(&|vector| system.carry(vector));
        let decision = Decision::rows(t, self.system.exchange());
        match self.stepper.corrector() {
            Some(corrector) => corrector.decided(decision),
            None => self.report.decisions.push(decision),
        }
        if restart {
            self.show_at(t)?;
            self.restart(t_end)?;
        }
        Ok(())
    }

    /// The same at the end of a run. Inside of the last step the solution is only judged: a run that goes on does so
    /// from the end of the step, as if it had not been asked.
    fn look_at_end(&mut self, t_end: f64) -> Result<(), Failure> {
        if self.stepper.t() <= t_end {
            return self.look(t_end);
        }
        let discrete = self.system.discrete().to_vec();
        let look = self.system.look(t_end, &self.y, tolerances(&self.options));
        self.system.discrete_mut().copy_from_slice(&discrete);
        look.map(|_| ()).map_err(|kind| Failure {
            t: t_end,
            ..self.failed(kind)
        })
    }

    /// Whether a run to `t_end` is over: there, or at a stop time so little before it that only rounding is between
    /// them. A step across would see the equations behind.
    fn has_reached(&self, t_end: f64) -> bool {
        let t = self.stepper.t();
        let rounding = 64.0 * f64::EPSILON * t_end.abs();
        t >= t_end || (t_end - t <= rounding && self.stepper.last_h() != 0.0 && self.is_stop_time(t))
    }

    /// Whether `t` is a stop time, up to rounding.
    fn is_stop_time(&self, t: f64) -> bool {
        is_among(&self.options.stop_times, t)
    }

    /// One accepted step, whatever number of attempts it takes; several where a change of method went back.
    fn advance(&mut self) -> Result<(), Failure> {
        let been_to = self.stepper.t();
        if self.limit_step() && self.stepper.goes_on_from_several() {
            self.show_at(been_to)?;
            self.restart(f64::INFINITY)?;
            self.limit_step();
        }
        // At t = 0 any step is long next to t.
        let vanishing = f64::EPSILON.powi(2) * self.stepper.h().abs();
        loop {
            let t = self.stepper.t();
            let h = self.stepper.h();
            let spacing = (4.0 * f64::EPSILON * t.abs()).max(vanishing);
            let mut equations = Equations {
                system: self.system.as_mut(),
                counters: &mut self.counters,
            };
            match self.stepper.attempt(&mut equations) {
                Ok(()) => {
                    equations.counters.steps += 1;
                    self.stepper.accept(&mut equations);
                    if self.stepper.t() > been_to {
                        return Ok(());
                    }
                    self.limit_step();
                }
                Err(rejection) => {
                    match rejection {
                        Rejection::ErrorTest { .. } | Rejection::PassedBorder => {
                            self.counters.rejected_error += 1;
                        }
                        _ => self.counters.rejected_convergence += 1,
                    }
                    self.stepper.reject(rejection);
                    if self.stepper.h() > h {
                        self.limit_step();
                    }
                    // An implicit method may know how to go on where an explicit one does not.
                    if self.chooses && self.is_astray(rejection) && self.change_method()? {
                        continue;
                    }
                    let too_small =
                        self.stepper.h().abs() < spacing.max(self.min_step()).max(f64::MIN_POSITIVE);
                    // An entry may vanish at one point by accident: a few smaller steps tell.
                    let singular_for_good = self.stepper.failures_in_a_row() >= 3
                        && matches!(rejection, Rejection::SingularMatrix { structural: true, .. });
                    let tries = self.pilot.as_ref().is_some_and(Pilot::tries);
                    let patience = if tries { FAILURE_LIMIT / 2 } else { FAILURE_LIMIT };
                    if too_small
                        || singular_for_good
                        || self.options.fixed_step.is_some()
                        || self.stepper.failures_in_a_row() >= patience
                    {
                        if self.rescue()? {
                            self.limit_step();
                            continue;
                        }
                        return Err(diagnosis::diagnose(
                            rejection,
                            (h, self.options.fixed_step.is_some()),
                            self.stepper.as_mut(),
                            self.system.as_mut(),
                        ));
                    }
                }
            }
        }
    }

    /// Keeps the next step within the largest size, before the next time at which one is to end, and short enough to
    /// see what lies ahead; whether something comes there that is much faster than all before.
    fn limit_step(&mut self) -> bool {
        let t = self.stepper.t();
        let mut h = self
            .stepper
            .h()
            .max(self.min_step())
            .min(self.options.max_step)
            .min(self.finder.longest());
        let later = |s: &f64| *s > t * (1.0 + 4.0 * f64::EPSILON.copysign(t));
        let next = |times: &[f64]| times.get(times.partition_point(|s| !later(s))).copied();
        let end = next(&self.options.step_ends);
        if let Some(end) = end.filter(|end| t + 2.0 * h > *end) {
            // Two like steps: a short one would take many to grow from.
            h = if t + h * (1.0 + 1e-10) >= end {
                end - t
            } else {
                h.min(0.5 * (end - t))
            };
        }
        if let Some(stop) = next(&self.options.stop_times) {
            // A little stretch avoids a tiny last step.
            if t + h * (1.0 + 1e-10) >= stop {
                h = stop - t;
            }
        }
        // The whole of a smooth piece between two ends in one step may deceive an estimate of errors by its symmetry.
        let is_end = |t: f64| is_among(&self.options.step_ends, t) || is_among(&self.options.stop_times, t);
        if self.foresight.has_places(t, h) && is_end(t) && is_end(t + h) {
            h *= 0.5;
        }
        // At such an end something begins.
        let mut begins = is_end(t);
        if self.foresight.looks_at(t, h) {
            let mut equations = Equations {
                system: self.system.as_mut(),
                counters: &mut self.counters,
            };
            let seen = self.foresight.shorten(&mut equations, self.stepper.as_ref(), h);
            begins |= seen < h;
            h = seen;
        }
        let sudden = begins && h < SUDDEN * self.stepper.last_h();
        h = self.hindsight.limit(t, h);
        if h != self.stepper.h() {
            self.stepper.set_h(h);
        }
        sudden
    }

    fn interrupt_comparison(&mut self) {
        if let Some(pilot) = &mut self.pilot {
            pilot.interrupt();
        }
    }

    /// No step is to be shorter; steps of a fixed size are as long as they are.
    fn min_step(&self) -> f64 {
        match self.options.fixed_step {
            Some(_) => 0.0,
            None => self.options.min_step,
        }
    }

    fn check_limits(&self, spent: f64) -> Result<(), Failure> {
        if self.counters.steps >= self.options.max_steps {
            return Err(self.failed(FailureKind::TooManySteps {
                steps: self.options.max_steps,
            }));
        }
        if let Some(seconds) = self.options.time_limit
            && spent > seconds
        {
            return Err(self.failed(FailureKind::TimeLimit { seconds }));
        }
        // Tolerances below rounding make every test meaningless.
        let weights = self.stepper.weights();
        let factor = 100.0 * f64::EPSILON * weights.bound_of_solution();
        if factor > 1.0 && 100.0 * f64::EPSILON * weights.norm(self.stepper.y()) > 1.0 {
            return Err(self.failed(FailureKind::TooMuchAccuracy { factor }));
        }
        Ok(())
    }

    /// Shows the solution from where it was shown last, or the beginning of the last step, up to `t` in it.
    fn deliver_piece(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Failure> {
        let begin = self.stepper.t() - self.stepper.last_h();
        let from = self.pieces_to.map_or(begin, |shown| shown.max(begin));
        if self.stepper.last_h() == 0.0 || t <= from {
            return Ok(());
        }
        self.prepare_interpolation();
        let (n, points) = (self.y.len(), self.stepper.degree() + 1);
        let mut piece = std::mem::take(&mut self.piece);
        piece.resize(n * points, 0.0);
        for (i, values) in piece.chunks_exact_mut(n.max(1)).enumerate() {
            self.interpolate(Piece::node((from, t), i, points))?;
            values.copy_from_slice(&self.y);
        }
        observer.piece(&Piece {
            from,
            to: t,
            values: &piece,
        });
        self.piece = piece;
        self.pieces_to = Some(t);
        Ok(())
    }

    /// Delivers the outputs up to `t`.
    fn deliver_outputs(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Failure> {
        if observer.wants_pieces() {
            self.deliver_piece(t, observer)?;
        }
        if self.system.switches() > 0 {
            observer.discrete(self.system.discrete());
        }
        while let Some(t_out) = self.options.outputs.get(self.outputs_done) {
            if t_out > t {
                break;
            }
            self.interpolate(t_out)?;
            if observer.wants_multipliers() {
                self.complete(t_out);
            }
            observer.output(t_out, &self.y, &self.yp);
            self.outputs_done += 1;
        }
        Ok(())
    }

    /// Events inside the last step and up to `t_end`, in order of time.
    fn handle_events(&mut self, t_end: f64, observer: &mut dyn Observer) -> Result<Option<Stop>, Failure> {
        self.look_back();
        loop {
            // Behind a cut the step is void.
            let cut = self.hindsight.memory().cut;
            let t_to = self.stepper.t().min(cut.map_or(t_end, |cut| t_end.min(cut.t)));
            if !self.finder.is_empty() {
                self.prepare_interpolation();
            }
            let mut equations = Equations {
                system: self.system.as_mut(),
                counters: &mut self.counters,
            };
            let found = self.finder.find(&mut equations, self.stepper.as_mut(), t_to);
            let Some(t) = found.map_err(|kind| self.failed(kind))? else {
                if let Some(cut) = cut.filter(|cut| cut.t <= t_end) {
                    self.cut_step(cut, t_end, observer)?;
                }
                return Ok(None);
            };
            self.deliver_outputs(t, observer)?;
            self.show_at(t)?;
            // All updates of events at this time, then what the strongest of them asks for.
            let last_h = self.stepper.last_h();
            let switched = self.turn_switches()?;
            let (mut stop, mut changed) = (None, switched.restart);
            for k in 0..self.finder.together().len() {
                let event = self.finder.together()[k];
                if self.finder.is_switch(event) {
                    break;
                }
                self.counters.events += 1;
                observer.event(event, t, &self.y, false);
                match self.system.on_event(event, t, &mut self.y, &mut self.yp) {
                    EventAction::Continue => {}
                    EventAction::Restart => changed = true,
                    EventAction::Stop => stop = stop.or(Some(Stop::Event { event })),
                }
            }
            if changed || stop.is_some() {
                // After a stop too: a run that goes on goes on from the state at the event.
                self.restart_after(last_h, t_end)?;
                if switched.other_method {
                    self.stepper.bind(self.system.as_mut())?;
                }
                let finder = &self.finder;
                for &event in finder.together().iter().filter(|e| !finder.is_switch(**e)) {
                    observer.event(event, t, &self.y, true);
                }
            } else {
                let mut equations = Equations {
                    system: self.system.as_mut(),
                    counters: &mut self.counters,
                };
                self.finder.pass(&mut equations, self.stepper.as_mut(), t);
            }
            if stop.is_some() {
                return Ok(stop);
            }
        }
    }

    /// Looks along the last step for what acts inside of it and was not seen.
    fn look_back(&mut self) {
        let mut equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let begin = self.stepper.t() - self.stepper.last_h();
        let watched = self.foresight.watches(begin);
        self.hindsight
            .look(&mut equations, self.stepper.as_mut(), watched);
    }

    /// Ends the last step where something begins to act that it did not see, and starts afresh from there.
    fn cut_step(&mut self, cut: Cut, t_end: f64, observer: &mut dyn Observer) -> Result<(), Failure> {
        self.deliver_outputs(cut.t, observer)?;
        self.show_at(cut.t)?;
        self.counters.steps_cut += 1;
        self.hindsight.take_cut();
        let name = match cut.what {
            Passed::Gap(gap) => format!("`{}`", self.system.gap_name(gap)),
            Passed::Law(value) => self.system.law_name(value),
            Passed::Something => "something".into(),
        };
        let decision = Decision::cut(cut.t, name, self.stepper.last_h());
        match self.stepper.corrector() {
            Some(corrector) => corrector.decided(decision),
            None if self.counters.steps_cut < MOST_CUTS_TOLD => self.report.decisions.push(decision),
            None => {}
        }
        self.restart(t_end)
    }

    /// Starts afresh from `self.y`, `self.yp`, after a discrete update or at a stop time.
    fn restart(&mut self, t_end: f64) -> Result<(), Failure> {
        self.restart_after(self.stepper.last_h(), t_end)
    }

    /// The same after a step of the size given, which another method may have made.
    fn restart_after(&mut self, last: f64, t_end: f64) -> Result<(), Failure> {
        self.counters.restarts += 1;
        self.interrupt_comparison();
        let rest = if t_end.is_finite() { t_end - self.t } else { last };
        let span = rest.max(1e-12 * self.t.abs().max(1.0));
        if self.options.start != Start::Trust {
            let mut equations = Equations {
                system: self.system.as_mut(),
                counters: &mut self.counters,
            };
            // After a discrete update the derivatives are never right: always assemble.
            initial::make_consistent(
                &mut equations,
                &self.options,
                Start::Assemble,
                self.t,
                span,
                &mut self.y,
                &mut self.yp,
            )
            .map_err(|error| Failure {
                t: self.t,
                ..Failure::from(error)
            })?;
        } else {
            self.renew_slopes();
        }
        // The step before tells the time scale, and that alone: a run in pieces goes as one in one.
        let span = if last > 0.0 { 1e3 * last } else { span };
        let mut h = first_step(
            &self.options,
            self.system.structure(),
            self.t,
            &self.y,
            &self.yp,
            span,
        );
        if self.finder.has_turned(self.t) {
            h = h.min(self.time_scale().unwrap_or(h));
        }
        self.stepper.start(self.t, &self.y, &self.yp, h);
        self.hindsight.begin(self.t);
        self.finder
            .arm(self.system.as_mut(), self.t, &self.y, &self.yp, h);
        Ok(())
    }

    /// Shows the solution at `t`. This does not count as work: a run in pieces counts as one in one.
    fn show_at(&mut self, t: f64) -> Result<(), Failure> {
        let counters = self.counters;
        self.t = t;
        let done = self.interpolate(t);
        if done.is_ok() {
            self.complete(t);
        }
        self.counters = counters;
        done
    }

    /// Multipliers and readings at `t`, which some methods have at the ends of steps only.
    fn complete(&mut self, t: f64) {
        let mut equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        self.stepper.complete(&mut equations, t, &mut self.y);
    }

    /// The solution at `t` in the last step, within its bounds and on its constraints.
    fn interpolate(&mut self, t: f64) -> Result<(), Failure> {
        if t != self.stepper.t() {
            self.prepare_interpolation();
        }
        self.stepper.interpolate(t, &mut self.y, &mut self.yp);
        let mut equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        self.stepper.refine(&mut equations, t, &mut self.y, &mut self.yp);
        for &(i, bound) in &self.lower_bounds {
            self.y[i] = self.y[i].max(bound);
        }
        // A run that ends at a stop time, up to rounding, ends on its near side.
        self.bring_to_constraints(t.min(self.stepper.t()))
    }

    fn prepare_interpolation(&mut self) {
        let mut equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        self.stepper.prepare_interpolation(&mut equations);
    }

    fn failed(&self, kind: FailureKind) -> Failure {
        diagnosis::failure(kind, self.stepper.as_ref())
    }

    /// Time of the solution seen from outside.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// The solution at [`t`](Self::t).
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// Its derivative.
    pub fn yp(&self) -> &[f64] {
        &self.yp
    }

    /// Work so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Where the time went.
    pub fn timing(&mut self) -> Timing {
        let mut timing = self.timing;
        if let Some(c) = self.stepper.corrector() {
            timing.jacobian += c.timing().jacobian;
            timing.factorisation += c.timing().factorisation;
        }
        timing
    }

    /// Changes of the estimated sparsity pattern, where one is used.
    pub fn pattern_log(&mut self) -> &[PatternEvent] {
        self.stepper.corrector().map_or(&[], |c| c.pattern_log())
    }

    /// The origin of the sparsity pattern in use: `traced`, `estimated`, or `none` where every
    /// column is evaluated alone.
    pub fn sparsity(&mut self) -> &'static str {
        let pattern = self.stepper.corrector().map(|c| c.pattern_use());
        match pattern {
            Some(p) if p.estimated => Sparsity::Estimated.name(),
            Some(p) if p.grouped => Sparsity::Traced.name(),
            _ => "none",
        }
    }

    /// What may stand in for a full evaluation of the Jacobian, as used now: where there are no inputs to
    /// follow, or it does not pay, `extended` is `partitioned`.
    pub fn update(&mut self) -> &'static str {
        match self.stepper.corrector() {
            Some(corrector) if corrector.follows_inputs() => Update::Extended.name(),
            Some(_) => self.options.update_in_use(self.system.inputs()).name(),
            None => NONE,
        }
    }

    /// Why strategies were chosen before the first step, and every change since then, with its time; after a
    /// checkpoint also those before it.
    pub fn decisions(&mut self) -> Vec<Decision> {
        let mut all = self.report.decisions.clone();
        let later = self.stepper.corrector().map_or(&[][..], |c| c.decisions());
        all.extend(later.iter().cloned());
        all
    }

    /// What was used and what moved at the start.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The system under integration.
    pub fn system(&mut self) -> &mut dyn System {
        self.system.as_mut()
    }

    /// The method in use.
    pub fn stepper(&mut self) -> &mut dyn Stepper {
        self.stepper.as_mut()
    }
}
