//! Location of events on the interpolant of the last step.

use super::Stepper;
use super::sliding::Sliding;
use crate::equations::Equations;
use holonom_dae::{FailureKind, System, Turn, Turned};
use serde::{Deserialize, Serialize};

/// What is remembered about the event functions between steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventMemory {
    /// Values at the last step; exactly zero means not armed: its sign there says nothing.
    #[serde(with = "crate::numbers::many")]
    values: Vec<f64>,
    /// Steps in a row at exactly zero.
    zeros: Vec<u32>,
    /// How often each event fired.
    fired: Vec<u64>,
    /// Whether the function ever became zero without crossing.
    touched: Vec<bool>,
    /// Largest size met of each function.
    #[serde(with = "crate::numbers::many")]
    scale: Vec<f64>,
    /// Time up to which events have been looked for.
    searched_to: f64,
    /// End of the step looked at last.
    looked_at: f64,
    /// Time up to which switches have been looked for: the end of a step, however far a run was asked to go, or an event.
    switched_to: f64,
    /// Of each switch the largest value of its function since it was last at its border, that on the side before, the slope
    /// of the function at the last step, whether the switch slides, and whether it slid before it came to its side.
    #[serde(with = "crate::numbers::many")]
    excursion: Vec<f64>,
    #[serde(with = "crate::numbers::many")]
    before: Vec<f64>,
    #[serde(with = "crate::numbers::many")]
    slope: Vec<f64>,
    slides: Vec<bool>,
    slid: Vec<bool>,
    /// The fastest rate at which the margin of a sliding switch has changed in the last step.
    pace: f64,
    /// How often each has come to slide since it was last away from its border.
    returns: Vec<u32>,
    /// Time and number of the last event and how many came there in a row.
    last: Option<(f64, usize, u32)>,
}

/// Steps in a row at exactly zero that make an event function meaningless.
const ZERO_LIMIT: u32 = 20;
/// Times that a switch may come to slide without having been away from its border.
const RETURN_LIMIT: u32 = 300;
/// Share of a step beside its end from which the slope there is taken.
const BESIDE: f64 = 1e-3;
/// Places in a step at which switches are looked at where they may come to their borders in between: both ends with their
/// slopes, and between them.
const PLACES: [f64; 8] = [0.0, BESIDE, 0.23, 0.41, 0.59, 0.77, 1.0 - BESIDE, 1.0];
/// Events in a row without progress that count as chattering.
const CHATTER_LIMIT: u32 = 100;

/// The value of the function of a switch that is on its side, which rounding may put a little beyond its border.
fn beside_border(value: f64) -> f64 {
    if value.is_finite() {
        value.max(f64::MIN_POSITIVE)
    } else {
        f64::MAX
    }
}

/// Buffers for event handling.
pub struct EventFinder {
    memory: EventMemory,
    /// Number of the first event that belongs to a switch.
    first_switch: usize,
    /// Values of the functions at the end of the search and in between.
    values_now: Vec<f64>,
    values_mid: Vec<f64>,
    /// Times of the events found, infinite for the others.
    times: Vec<f64>,
    /// Events at the time found last, in order of their number.
    together: Vec<usize>,
    /// Values at the end of a step, slopes of those of switches there, and values at the places in it, one place after
    /// the other.
    ends: Vec<f64>,
    slopes: Vec<f64>,
    samples: Vec<f64>,
    /// The samples are those of the step at hand, from this time on.
    sampled_from: Option<f64>,
    y: Vec<f64>,
    yp: Vec<f64>,
    sliding: Sliding,
}

/// By how much margins of sliding switches, which are 1 at most, may change up and down in a step.
const VARIATION: f64 = 2.0;
/// Part of a step over which the forces beside borders are looked at.
const MOMENT: f64 = 1e-3;

impl EventFinder {
    /// For the event functions of a system.
    pub fn new(system: &mut dyn System) -> Self {
        let n_events = system.events().len();
        let n = system.structure().dimension();
        let switches = system.switches();
        Self {
            first_switch: n_events - switches,
            memory: EventMemory {
                values: vec![0.0; n_events],
                zeros: vec![0; n_events],
                fired: vec![0; n_events],
                touched: vec![false; n_events],
                scale: vec![0.0; n_events],
                searched_to: 0.0,
                looked_at: f64::MIN,
                switched_to: 0.0,
                // The first passage is one in any case.
                excursion: vec![f64::MAX; switches],
                before: vec![f64::MAX; switches],
                slope: vec![f64::MAX; switches],
                slides: vec![false; switches],
                slid: vec![false; switches],
                pace: 0.0,
                returns: vec![0; switches],
                last: None,
            },
            values_now: vec![0.0; n_events],
            values_mid: vec![0.0; n_events],
            times: vec![f64::INFINITY; n_events],
            together: Vec::with_capacity(n_events),
            ends: vec![0.0; n_events],
            slopes: vec![0.0; switches],
            samples: vec![0.0; if switches > 0 { PLACES.len() * n_events } else { 0 }],
            sampled_from: None,
            y: vec![0.0; n],
            yp: vec![0.0; n],
            sliding: Sliding::new(system),
        }
    }

    /// Whether an event belongs to a switch.
    pub fn is_switch(&self, event: usize) -> bool {
        event >= self.first_switch
    }

    /// Whether a switch came to its border at this time.
    pub fn has_turned(&self, t: f64) -> bool {
        let last = self.memory.last;
        last.is_some_and(|(at, event, _)| at == t && self.is_switch(event))
    }

    /// The longest step in which places are close enough to see a sliding switch leave its border and come back.
    pub fn longest(&self) -> f64 {
        if self.memory.slides.contains(&true) && self.memory.pace > 0.0 {
            VARIATION / self.memory.pace
        } else {
            f64::INFINITY
        }
    }

    /// What is to be done with a switch at its border: where it has been since it was last there.
    pub fn crossing(&mut self, event: usize) -> Turn {
        let (k, memory) = (event - self.first_switch, &mut self.memory);
        let excursion = std::mem::take(&mut memory.excursion[k]);
        Turn::Cross {
            event,
            excursion,
            before: std::mem::replace(&mut memory.before[k], excursion),
            slid: memory.slid[k],
            way: self.sliding.way(event),
        }
    }

    /// Notes what became of a switch at its border.
    ///
    /// # Errors
    /// It has come to slide too often without having been away from its border in between.
    pub fn turned(&mut self, event: usize, turned: Turned) -> Result<(), u32> {
        let k = event - self.first_switch;
        self.memory.slid[k] = turned == Turned::Left;
        let returns = &mut self.memory.returns[k];
        match turned {
            Turned::Other => *returns = 0,
            Turned::Left => {}
            Turned::Slides => *returns += 1,
        }
        if *returns < RETURN_LIMIT {
            Ok(())
        } else {
            Err(*returns)
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

    /// Events at the time found last, in order of their number.
    pub fn together(&self) -> &[usize] {
        &self.together
    }

    /// Time up to which events have been looked for.
    pub fn searched_to(&self) -> f64 {
        self.memory.searched_to
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
    pub fn arm(&mut self, system: &mut dyn System, t: f64, y: &[f64], yp: &[f64], h: f64) {
        self.memory.searched_to = t;
        self.memory.switched_to = t;
        if self.is_empty() {
            return;
        }
        system.event_values(t, y, yp, &mut self.memory.values);
        let just_fired = &self.together;
        let on_surface = |i: usize, m: &EventMemory| {
            m.values[i] == 0.0 || (just_fired.contains(&i) && m.values[i].abs() <= 1e-9 * m.scale[i])
        };
        if (0..self.first_switch).any(|i| on_surface(i, &self.memory)) {
            let moment = 1e-2 * h;
            for ((next, y), yp) in self.y.iter_mut().zip(y).zip(yp) {
                *next = y + moment * yp;
            }
            system.event_values(t + moment, &self.y, yp, &mut self.values_mid);
            for i in 0..self.first_switch {
                if on_surface(i, &self.memory) {
                    // The change, not the value: rounding decides the sign of the value here.
                    self.memory.values[i] = self.values_mid[i] - self.memory.values[i];
                }
            }
        }
        // A switch has been put on the side on which the solution goes on, or leaves it at once.
        self.begin_switches(system, t);
    }

    /// The time of the first events up to `t_to`, inside the last step; which ones,
    /// [`together`](Self::together) tells.
    pub fn find(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        t_to: f64,
    ) -> Result<Option<f64>, FailureKind> {
        self.together.clear();
        let t_from = self.memory.searched_to;
        if t_from >= t_to {
            return Ok(None);
        }
        // A run in pieces counts as one in one: each step is looked at for free after the first time.
        let counters = *equations.counters;
        let again = std::mem::replace(&mut self.memory.looked_at, stepper.t()) == stepper.t();
        let found = self.find_from(equations, stepper, [t_from, t_to]);
        if again {
            *equations.counters = counters;
        }
        found
    }

    /// The same in a part of the last step.
    fn find_from(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        [t_from, t_to]: [f64; 2],
    ) -> Result<Option<f64>, FailureKind> {
        if self.is_empty() {
            self.memory.searched_to = t_to;
            return Ok(None);
        }
        self.look_at(equations, stepper, t_to);
        equations
            .system
            .event_values(t_to, &self.y, &self.yp, &mut self.values_now);
        for i in 0..self.first_switch {
            let now = self.values_now[i];
            let before = self.memory.values[i];
            let name = || equations.system.events()[i].name.clone();
            self.times[i] = f64::INFINITY;
            if !now.is_finite() {
                return Err(FailureKind::EventNotFinite { name: name() });
            }
            self.memory.scale[i] = self.memory.scale[i].max(now.abs()).max(before.abs());
            self.memory.zeros[i] = if now == 0.0 && before == 0.0 {
                self.memory.zeros[i] + 1
            } else {
                0
            };
            if self.memory.zeros[i] >= ZERO_LIMIT {
                return Err(FailureKind::EventAlwaysZero {
                    name: name(),
                    steps: ZERO_LIMIT,
                });
            }
            if before == 0.0 {
                continue;
            }
            let event = &equations.system.events()[i];
            if event.direction.matches(before, now) {
                self.times[i] = self.locate(equations, stepper, i, [t_from, t_to], [before, now]);
            } else if event.required && self.memory.fired[i] == 0 && before * now > 0.0 {
                self.memory.touched[i] |= self.touches(equations, stepper, i, t_from, t_to);
            }
        }
        if self.first_switch < self.times.len() {
            self.find_switches(equations, stepper, t_to);
        }
        let first = self.times.iter().copied().fold(f64::INFINITY, f64::min);
        if first < stepper.t() || t_to >= stepper.t() {
            self.note_excursions(first.min(stepper.t()), stepper.t());
        }
        if first.is_infinite() {
            self.memory.searched_to = t_to;
            if t_to >= stepper.t() {
                self.keep_switches(stepper.t());
            }
            for i in 0..self.first_switch {
                if self.values_now[i] != 0.0 {
                    self.memory.values[i] = self.values_now[i];
                } else {
                    // A zero keeps the sign it came from, so that a later crossing is still seen.
                    self.memory.touched[i] = true;
                }
            }
            return Ok(None);
        }
        // Events that floating point cannot tell apart in time happen together.
        let resolution = 8.0 * f64::EPSILON * first.abs();
        let chattering = self.note_time(stepper, first, resolution);
        for i in 0..self.times.len() {
            if self.times[i] <= first + resolution {
                self.together.push(i);
                self.memory.fired[i] += 1;
            }
        }
        self.memory.searched_to = first;
        match chattering {
            Some(count) => {
                let name = equations.system.events()[self.together[0]].name.clone();
                Err(match self.is_switch(self.together[0]) {
                    true => FailureKind::SwitchChattering { name, count },
                    false => FailureKind::EventChattering { name, count },
                })
            }
            None => Ok(Some(first)),
        }
    }

    /// Takes the values at hand for the functions of switches at `t`, behind an event or at a start.
    fn begin_switches(&mut self, system: &dyn System, t: f64) {
        let (first, memory) = (self.first_switch, &mut self.memory);
        for (k, slides) in memory.slides.iter_mut().enumerate() {
            *slides = system.slides(first + k);
        }
        memory.switched_to = t;
        memory.slope.fill(f64::MAX);
        for (value, excursion) in memory.values[self.first_switch..]
            .iter_mut()
            .zip(&mut memory.excursion)
        {
            *value = beside_border(*value);
            *excursion = excursion.max(*value);
        }
    }

    /// Times at which switches come to their borders, up to `t_to`. All of the step at hand is looked at, so that they are
    /// the same wherever a run is interrupted.
    fn find_switches(&mut self, equations: &mut Equations<'_>, stepper: &mut dyn Stepper, t_to: f64) {
        let (first, n) = (self.first_switch, self.times.len());
        let (from, to) = (self.memory.switched_to, stepper.t());
        let h = to - from;
        self.sampled_from = None;
        if h <= 0.0 {
            self.times[first..].fill(f64::INFINITY);
            return;
        }
        self.look_at(equations, stepper, to);
        equations
            .system
            .event_values(to, &self.y, &self.yp, &mut self.ends);
        let (slides, at) = (&self.memory.slides, (to, MOMENT * h));
        self.sliding
            .correct(equations, at, &self.y, slides, &mut self.ends);
        // Inside of a branch that is not taken a condition need not be defined.
        for end in self.ends[first..].iter_mut().filter(|end| !end.is_finite()) {
            *end = f64::MAX;
        }
        self.look_at(equations, stepper, to - BESIDE * h);
        equations
            .system
            .event_values(to - BESIDE * h, &self.y, &self.yp, &mut self.values_mid);
        let mut look_inside = false;
        for i in first..n {
            let slope = (self.ends[i] - self.values_mid[i]) / (BESIDE * h);
            self.slopes[i - first] = if slope.is_finite() { slope } else { f64::MAX };
            let least = self.memory.values[i].min(self.ends[i]);
            let reach = h * (self.memory.slope[i - first].abs() + slope.abs());
            // Within its band a sliding one follows forces that may lead out of it and back within a step.
            look_inside |= self.memory.slides[i - first] || least <= reach;
        }
        self.sampled_from = look_inside.then_some(from);
        if look_inside {
            self.sample(equations, stepper, [from, to]);
        }
        for i in first..n {
            let left = if look_inside {
                self.first_below(equations, stepper, i, [from, to])
            } else {
                (self.ends[i] < 0.0).then_some(([from, to], [self.memory.values[i], self.ends[i]]))
            };
            self.times[i] = f64::INFINITY;
            let Some((bracket, values)) = left else { continue };
            let t = self.locate(equations, stepper, i, bracket, values);
            if t > t_to {
                continue;
            }
            self.times[i] = t;
            // Its way there may have led far from the border.
            let mut peak = self.memory.excursion[i - first];
            for part in [0.25, 0.5, 0.75] {
                peak = peak.max(self.value_at(equations, stepper, i, from + part * (t - from)));
            }
            self.memory.excursion[i - first] = peak;
        }
    }

    /// Notes how far the functions of switches have been from their borders up to `t` in a step to `end`. Its ends do not
    /// tell: a step may begin at the border of a narrow band and end at the other.
    fn note_excursions(&mut self, t: f64, end: f64) {
        let (first, n) = (self.first_switch, self.times.len());
        let Some(from) = self.sampled_from else { return };
        for (k, place) in PLACES.iter().enumerate() {
            if from + place * (end - from) > t {
                break;
            }
            let samples = &self.samples[k * n + first..(k + 1) * n];
            for (excursion, sample) in self.memory.excursion.iter_mut().zip(samples) {
                *excursion = excursion.max(*sample);
            }
        }
    }

    /// Keeps what was found of switches that are on their sides until `t`, the end of a step.
    fn keep_switches(&mut self, t: f64) {
        let (first, memory) = (self.first_switch, &mut self.memory);
        if t <= memory.switched_to {
            return;
        }
        memory.switched_to = t;
        memory.slope.copy_from_slice(&self.slopes);
        // A step may end at a border exactly.
        for (value, end) in memory.values[first..].iter_mut().zip(&self.ends[first..]) {
            *value = beside_border(*end);
        }
        for (excursion, end) in memory.excursion.iter_mut().zip(&self.ends[first..]) {
            *excursion = excursion.max(*end);
        }
    }

    /// Values of all functions at the [`PLACES`] of a part of the last step.
    fn sample(&mut self, equations: &mut Equations<'_>, stepper: &mut dyn Stepper, [t_from, t_to]: [f64; 2]) {
        let n = self.times.len();
        for (k, place) in PLACES.iter().enumerate() {
            let t = t_from + place * (t_to - t_from);
            self.look_at(equations, stepper, t);
            let samples = &mut self.samples[k * n..(k + 1) * n];
            equations.system.event_values(t, &self.y, &self.yp, samples);
            let (slides, at) = (&self.memory.slides, (t, MOMENT * (t_to - t_from)));
            self.sliding.correct(equations, at, &self.y, slides, samples);
        }
        for i in self.first_switch..n {
            self.samples[i] = self.memory.values[i];
            self.samples[(PLACES.len() - 1) * n + i] = self.ends[i];
        }
        self.memory.pace = 0.0;
        for i in (self.first_switch..n).filter(|i| self.memory.slides[i - self.first_switch]) {
            // The first value may be that of the side from which it came.
            let way: f64 = (2..PLACES.len())
                .map(|k| (self.samples[k * n + i] - self.samples[(k - 1) * n + i]).abs())
                .sum();
            self.memory.pace = self.memory.pace.max(way / (t_to - t_from));
        }
    }

    /// The first part of a step, and the values at its ends, in which function `i` falls below zero. Between samples
    /// without change of sign it may do so where straight lines through the samples on either side meet below zero,
    /// which no convex function undercuts: only then is its least value looked for.
    fn first_below(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        i: usize,
        [t_from, t_to]: [f64; 2],
    ) -> Option<([f64; 2], [f64; 2])> {
        let n = self.times.len();
        let time = |k: usize| t_from + PLACES[k] * (t_to - t_from);
        for k in 0..PLACES.len() - 1 {
            let value = |k: usize| self.samples[k * n + i];
            let (a, b) = (value(k), value(k + 1));
            if b < 0.0 {
                return Some(([time(k), time(k + 1)], [a, b]));
            }
            let (Some(before), true) = (k.checked_sub(1), k + 2 < PLACES.len()) else {
                continue;
            };
            let falls = (a - value(before)) / (time(k) - time(before));
            let rises = (value(k + 2) - b) / (time(k + 2) - time(k + 1));
            if !(falls < 0.0 && rises > 0.0) {
                continue;
            }
            // a + falls u = b − rises (w − u).
            let width = time(k + 1) - time(k);
            let meet = ((b - a - rises * width) / (falls - rises)).clamp(0.0, width);
            if a + falls * meet > 0.0 && b - rises * (width - meet) > 0.0 {
                continue;
            }
            if let Some((t, value)) = self.least(equations, stepper, i, [time(k), time(k + 1)]) {
                return Some(([time(k), t], [a, value]));
            }
        }
        None
    }

    /// A time in a part of the step at which function `i`, positive at its ends, is negative: golden sections around its
    /// least value.
    fn least(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        i: usize,
        [mut a, mut b]: [f64; 2],
    ) -> Option<(f64, f64)> {
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        let mut at = |t: f64| (t, self.value_at(equations, stepper, i, t));
        let (mut c, mut d) = (at(b - GOLDEN * (b - a)), at(a + GOLDEN * (b - a)));
        for _ in 0..60 {
            if let Some(found) = [c, d].into_iter().find(|x| x.1 < 0.0) {
                return Some(found);
            }
            if c.1 < d.1 {
                (b, d) = (d.0, c);
                c = at(b - GOLDEN * (b - a));
            } else {
                (a, c) = (c.0, d);
                d = at(a + GOLDEN * (b - a));
            }
        }
        None
    }

    /// Keeps count of events without progress; `Some` with the count when there are too many.
    fn note_time(&mut self, stepper: &mut dyn Stepper, t: f64, resolution: f64) -> Option<u32> {
        let event = self.times.iter().position(|x| *x == t).unwrap_or(0);
        let spacing = 1e-9 * stepper.last_h().abs() + 100.0 * f64::EPSILON * t.abs();
        let mut count = 1;
        let mut stuck = false;
        if let Some((t_last, event_last, before)) = self.memory.last
            && t - t_last <= spacing
        {
            count = before + 1;
            // The same event again with no time between that floating point can tell.
            stuck = event == event_last && t - t_last <= resolution && !self.is_switch(event);
        }
        self.memory.last = Some((t, event, count));
        (stuck || count >= CHATTER_LIMIT).then_some(count)
    }

    /// The solution at a time within the last step, with multipliers and readings: contacts open by them, and methods that
    /// do not integrate them have none between the ends of steps.
    fn look_at(&mut self, equations: &mut Equations<'_>, stepper: &mut dyn Stepper, t: f64) {
        stepper.interpolate(t, &mut self.y, &mut self.yp);
        stepper.complete(equations, t, &mut self.y);
    }

    /// Value of function `i` on the interpolant.
    fn value_at(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        i: usize,
        t: f64,
    ) -> f64 {
        self.look_at(equations, stepper, t);
        let values = &mut self.values_mid;
        equations.system.event_values(t, &self.y, &self.yp, values);
        if i >= self.first_switch && self.memory.slides[i - self.first_switch] {
            let (slides, at) = (&self.memory.slides, (t, MOMENT * stepper.last_h()));
            self.sliding.correct(equations, at, &self.y, slides, values);
        }
        self.values_mid[i]
    }

    /// Whether function `i`, of one sign at both ends of the step, comes to zero in between.
    fn touches(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        i: usize,
        t_from: f64,
        t_to: f64,
    ) -> bool {
        let mut size = |t: f64| self.value_at(equations, stepper, i, t).abs();
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
        equations: &mut Equations<'_>,
        stepper: &mut dyn Stepper,
        i: usize,
        [mut a, mut b]: [f64; 2],
        [before, behind]: [f64; 2],
    ) -> f64 {
        let (mut fa, mut fb) = (before, behind);
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
            let f = self.value_at(equations, stepper, i, t);
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

    /// After events that changed nothing: the values behind them are the new starting point.
    pub fn pass(&mut self, equations: &mut Equations<'_>, stepper: &mut dyn Stepper, t: f64) {
        self.look_at(equations, stepper, t);
        equations
            .system
            .event_values(t, &self.y, &self.yp, &mut self.values_mid);
        for i in 0..self.first_switch {
            let (before, now) = (self.memory.values[i], self.values_mid[i]);
            if self.together.contains(&i) {
                // The sign behind the crossing.
                self.memory.values[i] = if now != 0.0 { now } else { -before };
            } else if before == 0.0 || before * now > 0.0 {
                self.memory.values[i] = now;
            }
            // A function that has crossed here, but was located later, keeps its sign until then.
        }
        if self.together.iter().any(|event| self.is_switch(*event)) {
            let first = self.first_switch;
            self.memory.values[first..].copy_from_slice(&self.values_mid[first..]);
            self.begin_switches(equations.system, t);
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
