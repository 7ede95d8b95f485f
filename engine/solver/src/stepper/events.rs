//! Location of events on the interpolant of the last step.

use super::Stepper;
use holonom_dae::{Failure, FailureKind, System};
use serde::{Deserialize, Serialize};

/// What is remembered about the event functions between steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventMemory {
    /// Values at the last step; exactly zero means not armed: its sign there says nothing.
    values: Vec<f64>,
    /// Steps in a row at exactly zero.
    zeros: Vec<u32>,
    /// How often each event fired.
    fired: Vec<u64>,
    /// Whether the function ever became zero without crossing.
    touched: Vec<bool>,
    /// Largest size met of each function.
    scale: Vec<f64>,
    /// Time and number of the last event and how many came there in a row.
    last: Option<(f64, usize, u32)>,
}

/// Steps in a row at exactly zero that make an event function meaningless.
const ZERO_LIMIT: u32 = 20;
/// Events in a row without progress that count as chattering.
const CHATTER_LIMIT: u32 = 100;

/// A located event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located {
    /// Number of the event.
    pub event: usize,
    /// Its time: the first found at which the sign has changed.
    pub t: f64,
}

/// Buffers for event handling.
pub struct EventFinder {
    memory: EventMemory,
    /// Times at which an event may already have been handled in the current step.
    values_now: Vec<f64>,
    values_mid: Vec<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
}

impl EventFinder {
    /// For `n_events` functions of `n` unknowns.
    pub fn new(n_events: usize, n: usize) -> Self {
        Self {
            memory: EventMemory {
                values: vec![0.0; n_events],
                zeros: vec![0; n_events],
                fired: vec![0; n_events],
                touched: vec![false; n_events],
                scale: vec![0.0; n_events],
                last: None,
            },
            values_now: vec![0.0; n_events],
            values_mid: vec![0.0; n_events],
            y: vec![0.0; n],
            yp: vec![0.0; n],
        }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.memory.values.is_empty()
    }

    /// The memory, for a checkpoint.
    pub fn memory(&self) -> &EventMemory {
        &self.memory
    }

    /// Takes back a memory.
    pub fn restore(&mut self, memory: &EventMemory) {
        self.memory = memory.clone();
    }

    /// Takes the values at a (re)start whose first step is of size `h`.
    ///
    /// A function that is zero there up to rounding, as that of the event that has just fired,
    /// is armed with the sign it takes next, that of its change along ẏ: a ball that bounces
    /// leaves the ground upwards, a relay that switched goes on to the other side.
    pub fn arm(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &[f64],
        yp: &[f64],
        just_fired: Option<usize>,
        h: f64,
    ) {
        if self.is_empty() {
            return;
        }
        system.event_values(t, y, yp, &mut self.memory.values);
        let on_surface = |i: usize, m: &EventMemory| {
            m.values[i] == 0.0 || (just_fired == Some(i) && m.values[i].abs() <= 1e-9 * m.scale[i])
        };
        if (0..self.memory.values.len()).any(|i| on_surface(i, &self.memory)) {
            let moment = 1e-2 * h;
            for ((next, y), yp) in self.y.iter_mut().zip(y).zip(yp) {
                *next = y + moment * yp;
            }
            system.event_values(t + moment, &self.y, yp, &mut self.values_mid);
            for i in 0..self.memory.values.len() {
                if on_surface(i, &self.memory) {
                    // The change, not the value: rounding decides the sign of the value here.
                    self.memory.values[i] = self.values_mid[i] - self.memory.values[i];
                }
            }
        }
    }

    /// The first event in (`t_from`, end of the last step], at most up to `t_max`.
    pub fn find(
        &mut self,
        system: &mut dyn System,
        stepper: &dyn Stepper,
        t_from: f64,
        t_max: f64,
    ) -> Result<Option<Located>, FailureKind> {
        if self.is_empty() {
            return Ok(None);
        }
        let t_end = stepper.t().min(t_max);
        if t_from >= t_end {
            return Ok(None);
        }
        stepper.interpolate(t_end, &mut self.y, &mut self.yp);
        system.event_values(t_end, &self.y, &self.yp, &mut self.values_now);
        let mut first: Option<Located> = None;
        for i in 0..self.values_now.len() {
            let now = self.values_now[i];
            let before = self.memory.values[i];
            if !now.is_finite() {
                return Err(FailureKind::EventNotFinite {
                    name: system.events()[i].name.clone(),
                });
            }
            self.memory.scale[i] = self.memory.scale[i].max(now.abs()).max(before.abs());
            self.memory.zeros[i] = if now == 0.0 && before == 0.0 {
                self.memory.zeros[i] + 1
            } else {
                0
            };
            if self.memory.zeros[i] >= ZERO_LIMIT {
                let name = system.events()[i].name.clone();
                return Err(FailureKind::EventAlwaysZero {
                    name,
                    steps: ZERO_LIMIT,
                });
            }
            if before == 0.0 {
                continue;
            }
            let direction = system.events()[i].direction;
            if direction.matches(before, now) {
                let t = self.locate(system, stepper, i, t_from, t_end, before);
                if first.is_none_or(|f| t < f.t) {
                    first = Some(Located { event: i, t });
                }
            } else if system.events()[i].required && self.memory.fired[i] == 0 && before * now > 0.0 {
                self.memory.touched[i] |= self.touches(system, stepper, i, t_from, t_end);
            }
        }
        match first {
            None => {
                // A zero keeps the sign it came from, so that a later crossing is still seen.
                for i in 0..self.values_now.len() {
                    if self.values_now[i] != 0.0 {
                        self.memory.values[i] = self.values_now[i];
                    } else {
                        self.memory.touched[i] = true;
                    }
                }
            }
            Some(located) => {
                self.memory.fired[located.event] += 1;
                let spacing = 1e-9 * stepper.last_h().abs() + 100.0 * f64::EPSILON * located.t.abs();
                let resolution = 4.0 * f64::EPSILON * located.t.abs();
                let mut count = 1;
                let mut stuck = false;
                if let Some((t, event, before)) = self.memory.last
                    && located.t - t <= spacing
                {
                    count = before + 1;
                    // The same event again with no time between that floating point can tell.
                    stuck = event == located.event && located.t - t <= resolution;
                }
                self.memory.last = Some((located.t, located.event, count));
                if stuck || count >= CHATTER_LIMIT {
                    let name = system.events()[located.event].name.clone();
                    return Err(FailureKind::EventChattering { name, count });
                }
            }
        }
        Ok(first)
    }

    /// Whether function `i`, of one sign at both ends of the step, comes to zero in between.
    fn touches(
        &mut self,
        system: &mut dyn System,
        stepper: &dyn Stepper,
        i: usize,
        t_from: f64,
        t_to: f64,
    ) -> bool {
        let mut size = |t: f64| {
            stepper.interpolate(t, &mut self.y, &mut self.yp);
            system.event_values(t, &self.y, &self.yp, &mut self.values_mid);
            self.values_mid[i].abs()
        };
        // The smallest of some samples, then golden sections around it.
        const SAMPLES: usize = 8;
        let at = |k: usize| t_from + (t_to - t_from) * k as f64 / SAMPLES as f64;
        let smallest = (1..=SAMPLES)
            .map(|k| (k, size(at(k))))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(1, |s| s.0);
        let (mut a, mut b) = (at(smallest - 1), at((smallest + 1).min(SAMPLES)));
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        for _ in 0..60 {
            let (c, d) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
            if size(c) < size(d) {
                b = d;
            } else {
                a = c;
            }
        }
        let reached = size(0.5 * (a + b));
        reached <= 1e-6 * self.memory.scale[i]
    }

    /// Bisection with regula falsi (Illinois) on the interpolant; returns the right end of the
    /// last bracket, where the sign has changed already.
    fn locate(
        &mut self,
        system: &mut dyn System,
        stepper: &dyn Stepper,
        i: usize,
        t_from: f64,
        t_to: f64,
        before: f64,
    ) -> f64 {
        let (mut a, mut b) = (t_from, t_to);
        let (mut fa, mut fb) = (before, self.values_now[i]);
        let tolerance = 4.0 * f64::EPSILON * (a.abs().max(b.abs())).max((b - a).abs());
        let mut side = 0i8;
        for iteration in 0..200 {
            if (b - a).abs() <= tolerance || fb == 0.0 {
                break;
            }
            // Every fourth step bisects, so that the bracket surely shrinks.
            let mut t = if iteration % 4 == 3 {
                0.5 * (a + b)
            } else {
                b - fb * (b - a) / (fb - fa)
            };
            if !(t > a && t < b) {
                t = 0.5 * (a + b);
            }
            if t <= a || t >= b {
                break;
            }
            stepper.interpolate(t, &mut self.y, &mut self.yp);
            system.event_values(t, &self.y, &self.yp, &mut self.values_mid);
            let f = self.values_mid[i];
            if f != 0.0 && (f > 0.0) == (before > 0.0) {
                (a, fa) = (t, f);
                if side == -1 {
                    fb *= 0.5;
                }
                side = -1;
            } else {
                (b, fb) = (t, f);
                if side == 1 {
                    fa *= 0.5;
                }
                side = 1;
            }
        }
        b
    }

    /// After an event that changed nothing: the values behind it are the new starting point.
    pub fn pass(&mut self, system: &mut dyn System, stepper: &dyn Stepper, located: Located) {
        stepper.interpolate(located.t, &mut self.y, &mut self.yp);
        system.event_values(located.t, &self.y, &self.yp, &mut self.values_mid);
        for i in 0..self.values_mid.len() {
            if i == located.event {
                // The sign behind the crossing.
                let before = self.memory.values[i];
                let v = self.values_mid[i];
                self.memory.values[i] = if v != 0.0 { v } else { -before };
            } else if self.values_mid[i] != 0.0 {
                self.memory.values[i] = self.values_mid[i];
            }
        }
    }

    /// The first required event that never came.
    pub fn missing(&self, system: &dyn System, t_end: f64) -> Option<FailureKind> {
        (system.events().iter().enumerate())
            .find(|(i, e)| e.required && self.memory.fired[*i] == 0)
            .map(|(i, e)| FailureKind::EventNeverFired {
                name: e.name.clone(),
                t_end,
                touched: self.memory.touched[i],
            })
    }
}

/// Puts a failure into context.
pub fn failure(kind: FailureKind, stepper: &dyn Stepper) -> Failure {
    Failure {
        kind,
        t: stepper.t(),
        h: stepper.h(),
        order: stepper.order(),
        worst: Vec::new(),
    }
}
