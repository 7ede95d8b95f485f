//! The number of stages of the next steps.
//!
//! More stages allow longer steps at the same error and take more work per step, as long as the iteration
//! converges: its rate grows with the step. Hairer and Wanner [1999] raise the number of stages where the
//! iteration is fast and lower it where it is slow. Here the rate enters a forecast of the work for a given
//! time, and the forecast is checked: a number of stages that turns out worse than the one before is given
//! up, and not tried again for some time.

use super::coefficients::Method;
use super::control::BEST_RATE;
use super::stages::Outcome;
use serde::{Deserialize, Serialize};

/// Steps over which work is summed before it is judged.
const WINDOW: u32 = 8;
/// Forecast of the work, relative to that now, at which another number of stages is tried.
const WORTH_TRYING: f64 = 0.9;
/// Work relative to that before at which it is kept.
const WORTH_KEEPING: f64 = 1.0;
/// Failures of the iteration within a window after which fewer stages are tried at once.
const MANY_FAILURES: u32 = 2;
/// Steps for which a number of stages that failed is not tried: at first, and at most.
const FIRST_PAUSE: u32 = 40;
const LONGEST_PAUSE: u32 = 1280;
/// A rate this small is as good as zero: one correction, and one to see it.
const FASTEST: f64 = 1e-3;

/// What is known about the methods, by their place in the list.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Choice {
    /// Steps, work, time and failures of the window, and the largest rate in it.
    steps: u32,
    #[serde(with = "crate::numbers::one")]
    work: f64,
    time: f64,
    failures: u32,
    #[serde(with = "crate::numbers::one")]
    rate: f64,
    /// Step size that the error would have allowed, relative to the one taken: smallest in the window.
    #[serde(with = "crate::numbers::one")]
    reserve: f64,
    /// The method before and its work per time, while another one is on trial.
    before: Option<(usize, f64)>,
    /// Steps for which a method is not tried, and the next such pause.
    paused: [u32; 3],
    pause: [u32; 3],
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            steps: 0,
            work: 0.0,
            time: 0.0,
            failures: 0,
            rate: 0.0,
            reserve: f64::MAX,
            before: None,
            paused: [0; 3],
            pause: [FIRST_PAUSE; 3],
        }
    }
}

impl Choice {
    /// The place in the list to begin with, by the error allowed in a step.
    pub fn first(error: f64) -> usize {
        match error {
            e if e > 1e-3 => 0,
            e if e > 1e-7 => 1,
            _ => 2,
        }
    }

    fn clear(&mut self) {
        (self.steps, self.failures) = (0, 0);
        (self.work, self.time, self.rate) = (0.0, 0.0, 0.0);
        self.reserve = f64::MAX;
    }

    /// An iteration failed, with this work lost.
    pub fn failed(&mut self, method: &Method, outcome: &Outcome) {
        self.failures += 1;
        self.work += work(method, outcome);
    }

    /// An attempt failed its error test.
    pub fn rejected(&mut self, method: &Method, outcome: &Outcome) {
        self.work += work(method, outcome);
    }

    /// Takes note of an accepted step of size `h` with the given error, relative to the one allowed;
    /// `allowed` is that error relative to the solution. Returns the place of the next method.
    pub fn accepted(
        &mut self,
        methods: &[Method; 3],
        now: usize,
        h: f64,
        error: f64,
        allowed: f64,
        outcome: &Outcome,
    ) -> usize {
        let method = &methods[now];
        self.steps += 1;
        self.work += work(method, outcome);
        self.time += h;
        self.rate = self.rate.max(outcome.rate.unwrap_or(0.0));
        let by_error = error.max(1e-12).powf(-1.0 / (method.s as f64 + 1.0));
        self.reserve = self.reserve.min(by_error);
        for p in &mut self.paused {
            *p = p.saturating_sub(1);
        }
        let per_time = self.work / self.time;
        if self.failures >= MANY_FAILURES && now > 0 && self.paused[now - 1] == 0 {
            self.before = Some((now, per_time));
            self.clear();
            return now - 1;
        }
        if self.steps < WINDOW {
            return now;
        }
        let next = match self.before.take() {
            Some((before, worked)) if per_time > WORTH_KEEPING * worked => {
                self.give_up(now);
                return before;
            }
            _ => self.best(methods, now, allowed),
        };
        if next != now {
            self.before = Some((now, per_time));
        }
        self.clear();
        next
    }

    /// Another method takes over; this one is not tried for some time.
    fn give_up(&mut self, now: usize) {
        self.paused[now] = self.pause[now];
        self.pause[now] = (2 * self.pause[now]).min(LONGEST_PAUSE);
        self.before = None;
        self.clear();
    }

    /// The place next to this one that promises least work for a given time.
    fn best(&self, methods: &[Method; 3], now: usize, allowed: f64) -> usize {
        let rate = self.rate.max(FASTEST);
        let s = methods[now].s as f64;
        let mut best = (now, WORTH_TRYING);
        let neighbours = [now.checked_sub(1), Some(now + 1)];
        for next in neighbours.into_iter().flatten().filter(|k| *k < methods.len()) {
            if self.paused[next] > 0 {
                continue;
            }
            // Error (h/R)^(s+1) of a solution that varies on the scale R.
            let t = methods[next].s as f64;
            let longer = allowed.min(1.0).powf(1.0 / (t + 1.0) - 1.0 / (s + 1.0));
            let ratio = (self.reserve * longer).min((BEST_RATE / rate).max(1.0));
            let rate_then = (rate * ratio).clamp(FASTEST, 0.9);
            let corrections = rate.min(0.9).ln() / rate_then.ln();
            let forecast = t / s * corrections / ratio;
            if forecast < best.1 {
                best = (next, forecast);
            }
        }
        best.0
    }
}

/// Work of an attempt: residuals of the stages, and about as much again for matrices and the estimate.
fn work(method: &Method, outcome: &Outcome) -> f64 {
    method.s as f64 * (1.0 + f64::from(outcome.corrections))
}
