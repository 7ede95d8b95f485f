//! [`Recorder`]: keeps the solution at the output times, or at every step.

use crate::stepper::{Control, Observer, StepInfo};

/// An event as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedEvent {
    /// Number of the event.
    pub event: usize,
    /// Its time.
    pub t: f64,
}

/// Keeps times and solutions in two growing arrays, row by row.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    n: usize,
    every_step: bool,
    t: Vec<f64>,
    y: Vec<f64>,
    events: Vec<RecordedEvent>,
}

impl Recorder {
    /// Keeps the output times.
    pub fn outputs(n: usize) -> Self {
        Self { n, ..Self::default() }
    }

    /// Keeps every accepted step.
    pub fn steps(n: usize) -> Self {
        Self {
            n,
            every_step: true,
            ..Self::default()
        }
    }

    /// Times kept.
    pub fn t(&self) -> &[f64] {
        &self.t
    }

    /// Solution at the i-th time kept.
    pub fn y(&self, i: usize) -> &[f64] {
        &self.y[i * self.n..(i + 1) * self.n]
    }

    /// Number of times kept.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// Events met.
    pub fn events(&self) -> &[RecordedEvent] {
        &self.events
    }

    fn push(&mut self, t: f64, y: &[f64]) {
        self.t.push(t);
        self.y.extend_from_slice(y);
    }
}

impl Observer for Recorder {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        if self.every_step {
            self.push(step.t, step.y);
        }
        Control::Continue
    }

    fn output(&mut self, t: f64, y: &[f64], _yp: &[f64]) {
        if !self.every_step {
            self.push(t, y);
        }
    }

    fn event(&mut self, event: usize, t: f64, _y: &[f64], after: bool) {
        if !after {
            self.events.push(RecordedEvent { event, t });
        }
    }
}
