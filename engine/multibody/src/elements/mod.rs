//! The library of elements: every kind is one file and one line of registration. Programs add kinds of their own to a
//! [`Library`].

pub mod called;
pub mod constraints;
pub mod controls;
pub mod faults;
pub mod forces;
pub mod joints;
mod library;
pub mod mount;
pub mod observable;
pub mod pursuit;
pub mod references;
pub mod scene;

pub use library::{Library, LibraryError};

/// What a file with a kind of element needs, for `use holonom_multibody::elements::prelude::*`.
pub mod prelude {
    pub use super::Library;
    pub use super::called::{Called, ElementKind};
    pub use super::constraints::relative::Relative;
    pub use super::constraints::{Constraint, RowLevel};
    pub use super::constraints::{ConstraintElement, ConstraintKind, ConstraintLaw, DescribedConstraint};
    pub use super::controls::Control;
    pub use super::controls::{ControlElement, ControlKind, ControlLaw, DescribedControl};
    pub use super::faults::Faults;
    pub use super::forces::Force;
    pub use super::forces::{DescribedForce, ForceElement, ForceKind, ForceLaw, OwnState, Reach, ShownValue};
    pub use super::references::{Attached, Named, References, Resolve, ResolveControl};
    pub use super::scene::{Loads, Scene};
    pub use crate::attached;
    pub use crate::fields::{FROM, Field, Fields, TO};
    pub use crate::mirror::Mirror;
    pub use crate::signal::Signal;
    pub use crate::tree::Attachment;
    pub use holonom_algebra::{Real, Vec3, Wrench};
}
