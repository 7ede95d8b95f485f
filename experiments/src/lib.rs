//! What is measured and judged: reference problems, published tables and figures, and studies over generated mechanisms.
//!
//! - [`verify`]: reference problems over a ladder of tolerances, with the digits reached and what they cost;
//! - [`reproduce`]: tables and figures of papers, ours beside theirs;
//! - [`generator`]: mechanisms of many families from seeds, as plain data and as model files;
//! - [`oracle`]: the same mechanisms in absolute coordinates, sharing nothing with the engine;
//! - [`engine`]: model files run as a user would, in this process;
//! - [`studies`]: what is asked of all of them, with a seed and a count;
//! - [`report`]: the shape in which all of these answer, and [`gaps`]: what is known not to hold.

mod error;
mod limit;
pub mod gaps;
pub mod report;
pub mod progress;
pub mod dense;
pub mod random;
pub mod parallel;
pub mod geometry;
pub mod mechanism;
pub mod generator;
pub mod oracle;
pub mod engine;
pub mod studies;
mod measure;
pub mod verify;
pub mod reproduce;

pub use error::Error;
pub use report::Report;
