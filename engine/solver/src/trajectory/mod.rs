//! Results: what a run leaves behind.

mod recorder;

pub use recorder::{Recorder, RecordedEvent};
