//! From a compiled mechanism to one that can be integrated: loops closed, independent rows
//! chosen, velocities, accelerations and multipliers consistent.

mod assembly;
mod blocks;
mod border;
mod closure;
mod contacts;
mod dependence;
mod kinematic;
mod open;
mod past;
mod problem;
mod redundancy;
mod report;
mod scales;
mod warnings;

pub use assembly::{
    Assembled, AssemblyError, AssemblyOptions, DATA_PRECISION, Level, MovedCoordinate, assemble,
};
pub(crate) use closure::RowScales;
pub(crate) use dependence::Dependence;
pub use kinematic::{KinematicError, KinematicRun, KinematicState};
pub use open::OpenLoop;
pub use report::{DoubtfulRow, DroppedRow, ReactionUniqueness, RowReport};
pub use warnings::Warning;
