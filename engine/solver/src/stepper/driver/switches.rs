//! Switches of the equations: their sides at the start, and what becomes of them at their borders.

use super::Integrator;
use crate::stepper::{Takes, find};
use holonom_dae::{ErrorTest, Failure, FailureKind, System, Turn, Turned, Weights};

/// A state moved by a tolerance in each variable that has one.
fn aside(system: &dyn System, weights: &Weights, y: &[f64]) -> Vec<f64> {
    let tests = system.structure().default_error_test();
    let moved = y.iter().zip(weights.reciprocal()).zip(tests);
    moved
        .enumerate()
        .map(|(i, ((y, weight), test))| {
            // Not all the same way: differences of coordinates would not change.
            let sign = if (i * 7) % 3 == 1 { -1.0 } else { 1.0 };
            y + if test == ErrorTest::Excluded { 0.0 } else { sign / weight }
        })
        .collect()
}

/// Puts all switches on the sides on which the state lies.
pub(super) fn settle(system: &mut dyn System, mut weights: Weights, t: f64, y: &[f64], yp: &[f64]) {
    weights.update(y, 1.0);
    let aside = aside(system, &weights, y);
    system.turn(Turn::Settle, t, y, yp, &aside);
}

impl Integrator<'_> {
    /// Turns the switch of an event at the state seen from outside; whether another method takes over, which is to be
    /// started and bound.
    pub(super) fn turn(&mut self, event: usize) -> Result<bool, Failure> {
        let excursion = self.finder.excursion(event);
        let aside = aside(self.system.as_ref(), self.stepper.weights(), &self.y);
        let turn = Turn::Cross { event, excursion };
        let turned = self.system.turn(turn, self.t, &self.y, &self.yp, &aside);
        let stepper = self.stepper.name();
        let explicit = find(stepper).is_some_and(|entry| entry.takes == Takes::Explicit);
        if turned == Turned::Other || !explicit {
            return Ok(false);
        }
        // Stiff as long as it slides.
        if self.chooses && self.change_method_where_it_slides() {
            return Ok(true);
        }
        let name = self.system.events()[event].name.clone();
        Err(self.failed(FailureKind::SwitchSlides { name, stepper }))
    }
}
