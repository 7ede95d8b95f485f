//! Mechanisms: from bodies and joints to equations of motion.
//!
//! The stages in reading order: [`description`] (what was said) → [`compile`] → [`model`]
//! (index-based, immutable), with [`elements`] (the library of joints, constraints and forces)
//! and [`forest`] (topology); [`formalism`] (the recursions over [`tree`]); [`residual`] (the
//! equations in every index, as `holonom-dae` systems); [`start`] (assembly, redundancy,
//! kinematic runs); [`channels`] (what can be plotted, by name).

pub mod channels;
pub mod compile;
pub mod description;
pub mod diagnostic;
pub mod elements;
pub mod forest;
pub mod formalism;
pub mod model;
pub mod observable;
pub mod path;
pub mod rail;
pub mod residual;
pub mod road;
mod signal;
mod snapshot;
pub mod start;
pub mod tree;
pub mod tyre;
pub mod workspace;

pub use description::Description;
pub use model::{Examination, Model};
pub use signal::{Signal, SignalFunction};
pub use snapshot::{BodyMotion, Snapshot};
