//! The mechanics: one recursion per file.

pub mod aba;
pub mod cholesky;
pub mod constraint_matrix;
pub mod crba;
pub(crate) mod depends;
pub mod energy;
pub(crate) mod freedom;
#[cfg(test)]
mod identities;
pub(crate) mod implicit;
pub(crate) mod lu;
pub(crate) mod observe;
pub mod positions;
pub mod reactions;
pub(crate) mod readings;
pub mod rnea;
pub mod rods;
pub mod world;
