//! The scalars of Holonom: plain numbers and dual numbers behind one trait.
//!
//! A residual is written once, generic over [`Real`]; the solvers evaluate it with `f64` for
//! values and with [`Dual4`] or [`Dual8`] for exact derivatives. Nothing here allocates.

mod dual;
mod scalar;

pub use dual::{Dual, Dual4, Dual8};
pub use scalar::Real;
