//! What a run leaves behind: recorded rows, and the solution at all times.

mod dense;
mod recorder;

pub use dense::Trajectory;
pub use recorder::{RecordedEvent, Recorder};
