//! Results: what a run leaves behind.

mod recorder;

pub use recorder::{RecordedEvent, Recorder};
