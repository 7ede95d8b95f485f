//! States on their way from the integration to the rows: at once, or over a second thread.
//!
//! Sampling and writing a row may take as long as a step of a small mechanism, and nothing in the
//! integration waits for its result. A run therefore begins with rows made at once, and goes over to
//! a second thread when it turns out not to be short. The integrating thread then only copies states
//! into batches. Rows are the same to the bit either way: one thread at a time makes them, in order.

use super::undefined::Undefined;
use super::watch::{Meter, Watch};
use holonom_expression::curve::forget_refusal;
use holonom_multibody::Model;
use holonom_solver::stepper::{Control, Observer, StepInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// Which thread samples and writes the rows of a run. Rows do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputThread {
    /// A second one as soon as a run is not short, where the machine has a second core for it.
    #[default]
    Auto,
    /// That of the integration: for several runs at a time, which keep all cores busy already.
    Never,
    /// A second one from the first row on.
    Always,
}

/// States until a run is no longer short: to sample these takes several times as long as to start a
/// thread.
const SHORT: u64 = 256;

/// Batches under way at most, a megabyte: one is filled, one emptied, the others even out how long
/// rows take, and the moments in which a busy machine does not let the second thread run. Memory that
/// is not needed is not touched.
const BATCHES: usize = 32;

/// Numbers in a batch, unless a single state has more.
const BATCH_NUMBERS: usize = 4096;

/// States at most in a batch.
const BATCH_STATES: usize = 256;

/// States do not wait longer than this for their batch to fill, once another step is done.
const PATIENCE: Duration = Duration::from_millis(20);

/// Why a state is handed over.
#[derive(Clone, Copy, Debug)]
enum Mark {
    /// An output time.
    Output,
    /// The end of an accepted step, with its number.
    Step(u64),
}

/// States one after the other. Allocates when made, not afterwards.
#[derive(Debug)]
struct Batch {
    marks: Vec<Mark>,
    /// For every mark t, then the leading unknowns and the sides of switches.
    numbers: Vec<f64>,
    leading: usize,
    width: usize,
    capacity: usize,
}

impl Batch {
    fn new(leading: usize, sides: usize) -> Self {
        let width = leading + 1 + sides;
        let capacity = (BATCH_NUMBERS / width).clamp(1, BATCH_STATES);
        Self {
            marks: Vec::with_capacity(capacity),
            numbers: Vec::with_capacity(capacity * width),
            leading,
            width,
            capacity,
        }
    }

    /// Stands in while the other one is on its way.
    fn none() -> Self {
        Self {
            marks: Vec::new(),
            numbers: Vec::new(),
            leading: 0,
            width: 1,
            capacity: 0,
        }
    }

    fn push(&mut self, mark: Mark, t: f64, y: &[f64], sides: &[f64]) {
        self.marks.push(mark);
        self.numbers.push(t);
        self.numbers.extend_from_slice(&y[..self.leading]);
        self.numbers.extend_from_slice(sides);
    }

    fn is_full(&self) -> bool {
        self.marks.len() >= self.capacity
    }

    fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    fn clear(&mut self) {
        self.marks.clear();
        self.numbers.clear();
    }

    /// Makes rows of all states, up to the first fault.
    fn give(&self, watch: &mut Watch<'_>) {
        for (mark, state) in self.marks.iter().zip(self.numbers.chunks_exact(self.width)) {
            let (y, sides) = state[1..].split_at(self.leading);
            take(watch, *mark, state[0], y, sides);
            if watch.fault.is_some() {
                return;
            }
        }
    }
}

/// The one way of a state, whatever the thread.
fn take(watch: &mut Watch<'_>, mark: Mark, t: f64, y: &[f64], sides: &[f64]) {
    match mark {
        Mark::Output => {
            watch.set_sides(sides);
            watch.look(t, y);
            watch.row(t, &[y, sides], |sampler, row| sampler.sample(t, y, &[], row));
        }
        Mark::Step(steps) => watch.step(t, y, steps),
    }
}

/// The side of the integrating thread, over all stretches of a run.
pub(super) struct Feed {
    model: Arc<Model>,
    leading: usize,
    /// The sides on which switches are.
    sides: Vec<f64>,
    thread: OutputThread,
    /// States so far.
    states: u64,
    /// Batches that nobody uses.
    pool: Vec<Batch>,
    /// Copying states.
    copies: Meter,
    /// Handing batches over, and waiting for empty ones and for the last one.
    waited: Duration,
    /// When to end the stretch at hand.
    pub pause_at: Option<Instant>,
    /// What this side has found.
    fault: Option<String>,
}

impl Feed {
    pub fn new(model: &Arc<Model>, watch: &Watch<'_>, thread: OutputThread) -> Self {
        Self {
            model: model.clone(),
            leading: watch.leading(),
            sides: vec![f64::NAN; model.sides()],
            thread,
            states: 0,
            pool: Vec::new(),
            copies: Meter::default(),
            waited: Duration::ZERO,
            pause_at: None,
            fault: None,
        }
    }

    /// What the integrating thread lost to rows made elsewhere, s.
    pub fn lost_s(&self) -> f64 {
        self.copies.seconds() + self.waited.as_secs_f64()
    }

    /// Integrates for a while. Afterwards all rows of it have been made: `watch` has them, and the
    /// first fault.
    pub fn stretch<R>(&mut self, watch: &mut Watch<'_>, integrate: impl FnOnce(&mut dyn Observer) -> R) -> R {
        let result = std::thread::scope(|scope| {
            let mut stretch = Stretch {
                feed: &mut *self,
                scope,
                lane: Lane::Here(&mut *watch),
            };
            let result = integrate(&mut stretch);
            stretch.end();
            result
        });
        watch.beside = false;
        // Whatever went before it in time was found by the other side.
        if watch.fault.is_none() {
            watch.fault = self.fault.take();
        }
        result
    }

    /// Whether the next state is to go to a second thread.
    fn goes_over(&mut self) -> bool {
        match self.thread {
            OutputThread::Never => false,
            OutputThread::Always => true,
            OutputThread::Auto if self.states < SHORT => false,
            OutputThread::Auto => {
                // Asked once: the answer is read from files.
                let several = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
                self.thread = if several {
                    OutputThread::Always
                } else {
                    OutputThread::Never
                };
                several
            }
        }
    }

    fn fill_pool(&mut self) {
        while self.pool.len() < BATCHES {
            self.pool.push(Batch::new(self.leading, self.sides.len()));
        }
    }
}

/// Where states go.
enum Lane<'scope, 'a> {
    /// Rows are made at once.
    Here(&'scope mut Watch<'a>),
    /// Rows are made by a second thread.
    There(Second<'scope>),
    /// The second thread has ended early: no more rows.
    Gone,
}

/// The second thread, seen from the first.
struct Second<'scope> {
    batch: Batch,
    /// When the batch was begun.
    since: Instant,
    full: SyncSender<Batch>,
    empty: Receiver<Batch>,
    broken: Arc<AtomicBool>,
    thread: ScopedJoinHandle<'scope, ()>,
}

/// A stretch of a run between two checkpoints.
struct Stretch<'f, 'scope, 'env, 'a> {
    feed: &'f mut Feed,
    scope: &'scope Scope<'scope, 'env>,
    lane: Lane<'scope, 'a>,
}

impl<'scope, 'a: 'scope> Stretch<'_, 'scope, '_, 'a> {
    fn state(&mut self, mark: Mark, t: f64, y: &[f64]) {
        if matches!(self.lane, Lane::Here(_)) && self.feed.goes_over() {
            self.go_over();
        }
        self.feed.states += 1;
        match &mut self.lane {
            Lane::Here(watch) => take(watch, mark, t, y, &self.feed.sides),
            Lane::There(second) => {
                let begin = self.feed.copies.begin();
                second.batch.push(mark, t, y, &self.feed.sides);
                self.feed.copies.end(begin);
                if second.batch.is_full() {
                    self.hand_over();
                }
            }
            Lane::Gone => {}
        }
    }

    /// Starts the second thread; without one, rows go on being made here.
    fn go_over(&mut self) {
        let Lane::Here(watch) = std::mem::replace(&mut self.lane, Lane::Gone) else {
            return;
        };
        let (full, batches) = sync_channel::<Batch>(BATCHES);
        let (emptied, empty) = sync_channel::<Batch>(BATCHES);
        let broken = Arc::new(AtomicBool::new(false));
        let noted = broken.clone();
        // Handed over when the thread is there: without one it stays here.
        let (give, given) = sync_channel::<&'scope mut Watch<'a>>(1);
        let thread = Builder::new()
            .name("holonom-output".to_string())
            .spawn_scoped(self.scope, move || {
                let Ok(watch) = given.recv() else { return };
                watch.beside = true;
                for mut batch in batches {
                    batch.give(watch);
                    if watch.fault.is_some() {
                        noted.store(true, Ordering::Relaxed);
                        return;
                    }
                    batch.clear();
                    if emptied.send(batch).is_err() {
                        return;
                    }
                }
            });
        let Ok(thread) = thread else {
            self.feed.thread = OutputThread::Never;
            self.lane = Lane::Here(watch);
            return;
        };
        // Cannot fail: the thread waits for it.
        let _ = give.send(watch);
        self.feed.fill_pool();
        self.lane = Lane::There(Second {
            batch: self
                .feed
                .pool
                .pop()
                .unwrap_or_else(|| Batch::new(self.feed.leading, self.feed.sides.len())),
            since: Instant::now(),
            full,
            empty,
            broken,
            thread,
        });
    }

    /// Hands the batch over and takes an empty one; waits when the second thread is slower.
    fn hand_over(&mut self) {
        let Lane::There(second) = &mut self.lane else {
            return;
        };
        let begin = Instant::now();
        let batch = std::mem::replace(&mut second.batch, Batch::none());
        let next = match second.full.send(batch) {
            // One that came back before one that was never used.
            Ok(()) => match second.empty.try_recv().ok().or_else(|| self.feed.pool.pop()) {
                Some(batch) => Some(batch),
                None => second.empty.recv().ok(),
            },
            Err(_) => None,
        };
        second.since = Instant::now();
        self.feed.waited += second.since - begin;
        match next {
            Some(batch) => second.batch = batch,
            // A fault, which `watch` has, or a panic, which the scope passes on.
            None => self.lane = Lane::Gone,
        }
    }

    /// Waits until all rows are made.
    fn end(&mut self) {
        let Lane::There(second) = std::mem::replace(&mut self.lane, Lane::Gone) else {
            return;
        };
        let begin = Instant::now();
        let Second {
            batch,
            full,
            empty,
            thread,
            ..
        } = second;
        if batch.is_empty() {
            self.feed.pool.push(batch);
        } else {
            // Refused only after a fault.
            let _ = full.send(batch);
        }
        drop(full);
        let ended = thread.join();
        self.feed.pool.extend(empty.try_iter());
        self.feed.waited += begin.elapsed();
        if let Err(panic) = ended {
            std::panic::resume_unwind(panic);
        }
    }

    /// Whether no more rows can be made.
    fn is_over(&self) -> bool {
        let there = match &self.lane {
            Lane::Here(watch) => watch.fault.is_some(),
            Lane::There(second) => second.broken.load(Ordering::Relaxed),
            Lane::Gone => true,
        };
        there || self.feed.fault.is_some()
    }
}

impl<'scope, 'a: 'scope> Observer for Stretch<'_, 'scope, '_, 'a> {
    /// Rows have them from the state.
    fn wants_multipliers(&self) -> bool {
        false
    }

    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        forget_refusal();
        self.state(Mark::Step(step.steps), step.t, step.y);
        let mut now = None;
        if let Lane::There(second) = &self.lane {
            let at = *now.insert(Instant::now());
            if !second.batch.is_empty() && at.saturating_duration_since(second.since) >= PATIENCE {
                self.hand_over();
            }
        }
        let pause = self.feed.pause_at;
        let pause = pause.is_some_and(|at| now.unwrap_or_else(Instant::now) >= at);
        if pause || self.is_over() {
            Control::Stop
        } else {
            Control::Continue
        }
    }

    fn discrete(&mut self, discrete: &[f64]) {
        let sides = &mut self.feed.sides;
        let first = discrete.len() - sides.len();
        sides.copy_from_slice(&discrete[first..]);
    }

    fn output(&mut self, t: f64, y: &[f64], _yp: &[f64]) {
        if self.feed.fault.is_some() {
            return;
        }
        // What is prescribed need not be part of the equations. Found here, so that the run ends at
        // the same step whatever the thread of its rows.
        if let Some(undefined) = Undefined::find(&self.feed.model, t) {
            self.feed.fault = Some(format!("at t = {t}: {undefined}"));
            return;
        }
        self.state(Mark::Output, t, y);
    }
}
