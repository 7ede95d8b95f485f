//! Generated mechanisms, an oracle that judges them, and studies over many of them.

pub mod dense;
pub mod generator;
pub mod geometry;
pub mod mechanism;
pub mod oracle;
pub mod random;
