//! [`EquationsWorkspace`]: the memory of an evaluation.

use super::Equations;
use super::loops::LoopsRoom;
use super::readings::ReadingSlopes;
use crate::workspace::Workspace;
use holonom_algebra::Real;

/// Memory of [`Equations`].
#[derive(Debug)]
pub struct EquationsWorkspace<T: Real> {
    pub(super) mechanism: Workspace<T>,
    /// Rows of g that take part now, and those of them that are conditions on positions.
    pub(super) active: Vec<usize>,
    pub(super) positions: Vec<usize>,
    /// g.
    pub(super) rows: Vec<T>,
    /// Dense M, where it must be solved with.
    pub(super) factor: Vec<T>,
    /// Multipliers of which those of open contacts are zero; empty without contacts.
    pub(super) multipliers: Vec<T>,
    /// Gaps of contacts and their rates.
    pub(super) gaps: Vec<T>,
    pub(super) speeds: Vec<T>,
    /// Dense M and G for ∂F/∂ẏ; empty until these are needed.
    pub(super) mass: Vec<f64>,
    pub(super) matrix: Vec<f64>,
    /// v − W Gᵀη, and Gᵀη; empty where there is no η, or W = I.
    pub(super) stabilised: Vec<T>,
    pub(super) projected: Vec<T>,
    /// Accelerations by the explicit formalism, where readings need them.
    pub(super) accelerations: Vec<T>,
    /// For derivatives of readings by accelerations; plain numbers only.
    pub(super) dual: Option<Box<ReadingSlopes>>,
    /// For looks at the constraints; plain numbers only.
    pub(super) loops: Option<Box<LoopsRoom>>,
}

impl Equations {
    /// Brings the rows that take part to those of the discrete variables.
    pub(super) fn follow<T: Real>(&self, discrete: &[f64], work: &mut EquationsWorkspace<T>) {
        let Some(loops) = self.exchanging() else {
            return;
        };
        loops.follow(discrete, &mut work.active);
        for (position, &k) in work.positions.iter_mut().zip(&self.holonomic) {
            *position = work.active[k];
        }
    }
}
