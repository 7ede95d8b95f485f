//! The motion of nodes: in their parents, and in the ground.

pub(crate) mod freedom;
pub mod positions;
pub mod world;
