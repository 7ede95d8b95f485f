//! Events: zero crossings of functions of the solution, and what happens there.

/// Which crossings of zero count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Either way.
    #[default]
    Both,
}

impl Direction {
    /// Whether a change from `before` to `after` counts. `before` is never zero.
    pub fn matches(self, before: f64, after: f64) -> bool {
        let rises = before < 0.0 && after >= 0.0;
        let falls = before > 0.0 && after <= 0.0;
        match self {
            Direction::Rising => rises,
            Direction::Falling => falls,
            Direction::Both => rises || falls,
        }
    }
}

/// Description of one event function.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Name for reports and messages.
    pub name: String,
    /// Crossings that count.
    pub direction: Direction,
    /// The run is in error when the event has not happened by its end.
    pub required: bool,
}

impl Event {
    /// An event that counts both directions and need not happen.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            direction: Direction::Both,
            required: false,
        }
    }

    /// Counts crossings in one direction only.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Makes it an error when the event does not happen.
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// What the run does after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventAction {
    /// Note it and go on; nothing was changed.
    Continue,
    /// The state or a discrete variable was changed: make it consistent and start afresh.
    Restart,
    /// End the run here.
    Stop,
}
