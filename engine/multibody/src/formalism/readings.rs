//! What sensors read as unknowns of their own: accelerations, reactions, totals.

use crate::channels::source::{LARGEST, Scratch, Source, Stage, State};
use crate::elements::controls::probe::along;
use crate::formalism::constraint_matrix::largest_constraint;
use crate::model::{Model, ModelReading};
use crate::workspace::Workspace;
use holonom_algebra::{Real, Vec3};

/// Memory of [`Workspace::measure`].
#[derive(Clone, Debug)]
pub(crate) struct Measuring<T> {
    scratch: Scratch<T>,
    /// Values of one source.
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
            scratch: Scratch::new(model),
            values: vec![T::zero(); LARGEST.max(largest_constraint(&model.constraints))],
            multipliers: vec![T::zero(); model.rows.len()],
            rest: vec![T::zero(); model.tree.n_v],
            stage: latest(model),
        }
    }
}

/// What the latest of the readings needs.
fn latest(model: &Model) -> Stage {
    let stages = model.readings.iter().map(|reading| reading.stage(model));
    stages.max().unwrap_or(Stage::Position)
}

impl ModelReading {
    /// What it needs.
    pub(crate) fn stage(&self, model: &Model) -> Stage {
        self.source.stage(model)
    }

    /// Whether its channel depends on multipliers when accelerations are given.
    pub(crate) fn needs_multipliers(&self, model: &Model) -> bool {
        matches!(self.source, Source::Tension { .. } | Source::Contact { .. })
            || self.stage(model) >= Stage::Reaction
    }
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
        let mut before: Option<Source> = None;
        for (reading, out) in model.readings.iter().zip(out) {
            let mut state = State {
                model,
                tables: &model.sources,
                work: self,
                multipliers: &memory.multipliers,
                scratch: &mut memory.scratch,
            };
            // Neighbours are often components of one vector.
            if before != Some(reading.source) {
                state.evaluate(reading.source, &mut memory.values);
                before = Some(reading.source);
            }
            *out = self.component(model, reading, &memory.values);
        }
        self.measuring = Some(memory);
    }

    /// A reading from the values of its source.
    fn component(&mut self, model: &Model, reading: &ModelReading, values: &[T]) -> T {
        let Some(axes) = &reading.axes else {
            return values[reading.place];
        };
        let first = reading.place - reading.place % 3;
        let vector = Vec3([values[first], values[first + 1], values[first + 2]]);
        along(&self.scene(model).0, axes, reading.place % 3, vector)
    }
}
