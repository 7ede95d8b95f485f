//! The mechanics: one recursion per file.

pub mod aba;
pub mod cholesky;
pub mod constraint_matrix;
pub mod crba;
pub(crate) mod depends;
pub mod energy;
#[cfg(test)]
mod identities;
pub(crate) mod implicit;
pub(crate) mod eigen;
pub(crate) mod lu;
pub(crate) mod observe;
pub mod reactions;
pub mod rnea;
pub mod rods;
