//! From a compiled mechanism to one that can be integrated: loops closed, independent rows
//! chosen, velocities, accelerations and multipliers consistent.

mod assembly;
mod blocks;
mod border;
mod closure;
mod contacts;
mod dependence;
mod eigen;
mod kinematic;
mod mechanical;
mod open;
mod past;
mod problem;
mod redundancy;
mod report;
mod scales;
mod warnings;

pub use assembly::{
    Assembled, AssemblyError, AssemblyOptions, DATA_PRECISION, Level, MovedCoordinate, UnsuitableForm,
    assemble,
};
pub(crate) use closure::{RowScales, turns};
pub(crate) use dependence::Dependence;
pub use kinematic::{KinematicError, KinematicRun, KinematicState};
pub use mechanical::MechanicalModel;
pub use open::OpenLoop;
pub use report::{DoubtfulRow, DroppedRow, ReactionUniqueness, RowReport};
pub use warnings::Warning;
