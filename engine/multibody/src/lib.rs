//! Mechanisms: from bodies and joints to equations of motion.
//!
//! The stages in reading order: [`description`] (what was said) → [`compile`] → [`model`]
//! (index-based, immutable), with [`elements`] (the library of joints, constraints and forces)
//! and [`forest`] (topology); [`formalism`] (the recursions over [`tree`]); [`residual`] (the
//! equations in every index, as `holonom-dae` systems); [`start`] (assembly, redundancy,
//! kinematic runs); [`channels`] (what can be plotted, by name).

pub mod rail;
mod signal;
pub mod document;
pub(crate) mod names;
pub mod fields;
pub mod mirror;
pub mod tree;
pub mod forest;
pub mod kinematics;
pub mod tyre;
pub mod road;
pub mod path;
pub mod elements;
pub mod description;
pub mod model;
pub mod formalism;
pub mod workspace;
pub mod dependencies;
pub mod compile;
pub mod include;
pub mod mechanical;
pub mod start;
pub mod residual;
pub mod channels;
mod snapshot;

pub use description::Description;
pub use model::{Examination, Model};
pub use signal::{Signal, SignalFunction};
pub use snapshot::Snapshot;
