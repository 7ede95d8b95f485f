//! The library of elements: every kind is one file and one line of registration.

pub mod constraints;
pub mod controls;
pub mod faults;
pub mod forces;
pub mod joints;
pub mod references;
pub mod scene;
