//! What sensors read as unknowns of their own: accelerations, reactions, totals.

use super::Workspace;
use crate::formalism::observe::LARGEST;
use crate::model::Model;
use crate::observable::{Observable, Stage};
use holonom_algebra::Real;

/// Memory of [`Workspace::measure`].
#[derive(Clone, Debug)]
pub(crate) struct Measuring<T> {
    /// Values of one observable.
    values: Vec<T>,
    /// Multipliers of all rows.
    multipliers: Vec<T>,
    /// M v̇ − f + Gᵀλ.
    rest: Vec<T>,
    /// What the latest of the readings needs.
    stage: Stage,
}

impl<T: Real> Measuring<T> {
    pub fn new(model: &Model) -> Self {
        Self {
            values: vec![T::zero(); LARGEST],
            multipliers: vec![T::zero(); model.rows.len()],
            rest: vec![T::zero(); model.tree.n_v],
            stage: latest(model),
        }
    }
}

/// What the latest of the readings needs.
fn latest(model: &Model) -> Stage {
    let stages = model
        .readings
        .iter()
        .map(|reading| reading.observed.observable.stage(model));
    stages.max().unwrap_or(Stage::Position)
}

/// Where the loads that cross the joints come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointLoads {
    /// The workspace has them, for the same accelerations and multipliers.
    Known,
    /// They are to be computed where a reading needs them.
    Unknown,
}

impl<T: Real> Workspace<T> {
    /// out := the channels of all readings at the accelerations `a` and with the multipliers of the
    /// active rows; everything else must have been set, and the outputs of controls computed.
    pub(crate) fn measure(
        &mut self,
        model: &Model,
        (active, lambda): (&[usize], &[T]),
        a: &[T],
        loads: JointLoads,
        out: &mut [T],
    ) {
        let Some(mut memory) = self.measuring.take() else {
            return;
        };
        if memory.stage >= Stage::Reaction && loads == JointLoads::Unknown {
            self.clear_loads();
            self.add_forces(model);
            self.add_multipliers(model, active, lambda, -1.0);
            self.newton_euler(model, a, &mut memory.rest);
        }
        if memory.stage >= Stage::Acceleration {
            self.set_accelerations(model, Some(a));
        }
        // Rows that are not active transmit nothing.
        for (&row, &l) in active.iter().zip(lambda) {
            memory.multipliers[row] = l;
        }
        let mut view = self.view(model, Some(&memory.multipliers));
        let mut before: Option<&Observable> = None;
        for (reading, out) in model.readings.iter().zip(out) {
            let observed = &reading.observed;
            // Neighbours are often components of one vector.
            if before != Some(&observed.observable) {
                view.evaluate(&observed.observable, &mut memory.values);
                before = Some(&observed.observable);
            }
            *out = observed.of_values(&view, &memory.values);
        }
        self.measuring = Some(memory);
    }
}
