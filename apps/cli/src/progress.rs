//! A progress bar on standard error, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Progress of a command in equal pieces of work.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of this many pieces; none when standard error is not a terminal.
    pub fn new(pieces: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(pieces as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Says what is under way.
    pub fn at(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
    }

    /// One piece is done.
    pub fn done(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Progress of a run in simulated time. Runs of less than two seconds show nothing.
pub struct Clock {
    bar: ProgressBar,
    t_start: f64,
    /// Not a number where nothing is shown.
    t_end: f64,
    begin: Instant,
    shown: Instant,
    visible: bool,
}

/// Units of the bar over the whole run.
const UNITS: f64 = 1000.0;

impl Clock {
    /// From the start of a run to its end.
    pub fn new(t_start: f64, t_end: f64) -> Self {
        let now = Instant::now();
        let t_end = if std::io::stderr().is_terminal() {
            t_end
        } else {
            f64::NAN
        };
        Self {
            bar: ProgressBar::with_draw_target(Some(UNITS as u64), ProgressDrawTarget::hidden()),
            t_start,
            t_end,
            begin: now,
            shown: now,
            visible: false,
        }
    }

    /// A clock that shows nothing.
    pub fn silent() -> Self {
        let mut clock = Self::new(0.0, 0.0);
        clock.t_end = f64::NAN;
        clock
    }

    /// The run has reached `t`.
    pub fn at(&mut self, t: f64, steps: u64) {
        // The clock is looked at rarely: a step may take a microsecond.
        if self.t_end.is_nan()
            || !steps.is_multiple_of(4)
            || self.shown.elapsed() < Duration::from_millis(100)
        {
            return;
        }
        self.shown = Instant::now();
        let elapsed = self.begin.elapsed().as_secs_f64();
        if !self.visible {
            if elapsed < 2.0 {
                return;
            }
            self.visible = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                self.bar.set_style(style);
            }
        }
        let share = (t - self.t_start) / (self.t_end - self.t_start);
        let left = elapsed * (1.0 - share) / share.max(1e-9);
        let rate = (t - self.t_start) / elapsed;
        self.bar.set_position((UNITS * share) as u64);
        let message = format!("t = {t:.3} of {} s, {rate:.2} s/s, {left:.0} s left", self.t_end);
        self.bar.set_message(message);
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
