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

/// What is to be done with the sides on which switches of the equations are kept, see
/// [`System::switches`](crate::System::switches).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// All switches go to the sides on which the state lies.
    Settle,
    /// The switch of this event, which slides, is put on a side of its border.
    Assume {
        /// Number of the event.
        event: usize,
        /// 1 where its function is positive, −1 where it is negative.
        side: f64,
    },
    /// The switch of this event has come to its border.
    Cross {
        /// Number of the event.
        event: usize,
        /// Largest value of its event function since it came to its border before.
        excursion: f64,
        /// The same on the side before that.
        before: f64,
        /// It slid before it was on the side from which it comes.
        slid: bool,
        /// Of one that slides the side to which the forces lead it away, 1 or −1; 0 where only its place tells.
        way: f64,
    },
}

/// What became of a switch at its border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// It is on another side.
    Other,
    /// It slid, and is on the side on which it left the border.
    Left,
    /// Both sides lead back to the border: it slides along it, and takes a value between those of its sides.
    Slides,
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
