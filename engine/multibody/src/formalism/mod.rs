//! The mechanics: one recursion per file.

pub mod aba;
pub mod cholesky;
pub mod constraint_matrix;
pub mod crba;
pub mod energy;
#[cfg(test)]
mod identities;
pub(crate) mod implicit;
pub(crate) mod eigen;
pub(crate) mod lu;
pub mod reactions;
pub(crate) mod readings;
pub mod rnea;
pub mod rods;
