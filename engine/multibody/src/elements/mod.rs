//! The library of elements: every kind is one file and one line of registration.

pub mod called;
pub mod constraints;
pub mod controls;
pub mod faults;
pub mod forces;
pub(crate) mod joint_motion;
pub mod joints;
pub mod mount;
pub mod observable;
pub mod pursuit;
pub mod references;
pub mod scene;
