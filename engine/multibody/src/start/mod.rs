//! From a compiled mechanism to one that can be integrated: loops closed, independent rows
//! chosen, velocities, accelerations and multipliers consistent.

mod assembly;
mod blocks;
mod border;
mod closure;
mod contacts;
mod dependence;
mod error;
mod kinematic;
mod open;
mod past;
mod problem;
mod redundancy;
mod report;
mod scales;
mod warnings;

pub use assembly::Assembled;
pub(crate) use closure::RowScales;
pub(crate) use dependence::Dependence;
pub use error::{AssemblyError, AssemblyOptions, DATA_PRECISION, MovedCoordinate};
pub use kinematic::{KinematicError, KinematicRun, KinematicState};
pub use open::OpenLoop;
pub use report::{DoubtfulRow, DroppedRow, Level, ReactionUniqueness, RowReport};
pub use warnings::Warning;

use crate::model::Model;
use std::sync::Arc;

impl Model {
    /// Closes loops, chooses independent rows and makes velocities, accelerations and multipliers
    /// consistent.
    ///
    /// ```
    /// use holonom_multibody::Description;
    /// use holonom_multibody::description::{Body, Joint, frame};
    /// use std::sync::Arc;
    ///
    /// // A planar four-bar linkage of spatial revolute joints, from rough angles.
    /// let bar = |name: &str, length: f64| {
    ///     Body::planar(name, 1.0, 0.1)
    ///         .centre([0.5 * length, 0.0, 0.0])
    ///         .marker("end", frame::at([length, 0.0, 0.0]))
    /// };
    /// let model = Description::new("four-bar")
    ///     .gravity([0.0, -9.81, 0.0])
    ///     .ground_marker("right", frame::at([2.0, 0.0, 0.0]))
    ///     .body(bar("crank", 0.5))
    ///     .body(bar("coupler", 2.0))
    ///     .body(bar("rocker", 1.0))
    ///     .joint(Joint::revolute("left", "ground", "crank").start(1.5, 0.0))
    ///     .joint(Joint::revolute("elbow", "crank.end", "coupler").start(-1.3, 0.0))
    ///     .joint(Joint::revolute("right", "ground.right", "rocker").start(1.5, 0.0))
    ///     .joint(Joint::revolute("loop", "coupler.end", "rocker.end"))
    ///     .compile()
    ///     .map(Arc::new)?;
    /// let start = model.assemble(&Default::default())?;
    /// assert_eq!(start.degrees_of_freedom(), 1);
    /// assert_eq!(start.rows.dropped.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Loops that do not close, constraints that contradict each other; by name.
    pub fn assemble(self: &Arc<Self>, options: &AssemblyOptions) -> Result<Assembled, AssemblyError> {
        assemble(self.clone(), options)
    }
}

/// The same as [`Model::assemble`].
///
/// # Errors
/// See there.
pub fn assemble(model: Arc<Model>, options: &AssemblyOptions) -> Result<Assembled, AssemblyError> {
    if model.switched().is_empty() {
        return assembly::assemble_rows(model, options);
    }
    contacts::assemble(model, options)
}
