//! From a compiled mechanism to one that can be integrated: loops closed, independent rows
//! chosen, velocities, accelerations and multipliers consistent.

mod assembly;
mod closure;
mod contacts;
mod eigen;
mod kinematic;
mod mechanical;
mod open;
mod past;
mod redundancy;
mod warnings;

pub use assembly::{
    Assembled, AssemblyError, AssemblyOptions, Level, MovedCoordinate, UnsuitableForm, assemble,
};
pub use kinematic::{KinematicError, KinematicRun, KinematicState};
pub use mechanical::MechanicalModel;
pub use open::OpenLoop;
pub use redundancy::{DroppedRow, ReactionUniqueness, RowReport};
pub use warnings::Warning;
