//! Generated mechanisms, an oracle that judges them, and studies over many of them.
//!
//! - [`generator`]: mechanisms of many families from seeds, as plain data and as model files;
//! - [`oracle`]: the same mechanisms in absolute coordinates, sharing nothing with the engine;
//! - [`engine`]: model files run as a user would, in this process;
//! - [`studies`]: what is asked of all of them, with a seed and a count;
//! - [`report`]: the shape in which commands that check something answer.

pub mod dense;
pub mod engine;
pub mod generator;
pub mod geometry;
pub mod mechanism;
pub mod oracle;
pub mod parallel;
pub mod random;
pub mod report;
pub mod studies;
