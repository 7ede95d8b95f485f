//! Shared by the tests of several crates: random mechanisms, a counting allocator, largest deviations.
//!
//! Nothing here is used outside of tests, so it may panic.
#![allow(clippy::unwrap_used)]

mod allocations;
mod joints;
mod largest;
mod random;
mod mechanisms;

pub use allocations::{Allocations, Counting, allocated, allocations};
pub use joints::with_numbers;
pub use largest::{Largest, largest};
pub use mechanisms::*;
pub use random::Random;
