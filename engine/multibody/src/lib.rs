//! Mechanisms: from bodies and joints to equations of motion.
//!
//! Modules are listed in the order in which data flow; each uses only those above it:
//!
//! - functions of time, fields and names, mirror images: what [`description`]s are made of;
//! - [`tree`], [`forest`], [`kinematics`]: nodes, which joints are cut, how nodes move;
//! - tyres, rails, roads and paths, then [`elements`] (the library of joints, constraints, forces and controls);
//! - [`description`] (what was said) and [`model`] (what it is compiled to: index-based, immutable);
//! - [`formalism`] (the recursions), [`workspace`] (their memory), [`mechanical`] (what steppers evaluate);
//! - [`start`] (assembly, redundancy, kinematic runs) and [`residual`] (the equations in every index);
//! - [`channels`] (what can be recorded, by name), and [`compile`], which looks sensors up among them.

pub mod diagnostic;
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
pub mod mechanical;
pub mod start;
pub mod residual;
pub mod channels;
pub mod compile;
pub mod include;
mod snapshot;

pub use description::Description;
pub use elements::observable;
pub use model::{Examination, Model};
pub use signal::{Signal, SignalFunction};
pub use snapshot::{BodyMotion, Snapshot};
