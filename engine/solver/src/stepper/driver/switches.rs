//! Switches of the equations: their sides at the start, and what becomes of them at their borders.

use super::Integrator;
use crate::stepper::{Takes, find, setup};
use holonom_dae::{ErrorTest, Failure, FailureKind, System, Turn, Turned, Weights};

/// A state moved by a tolerance in each variable that has one: all the same way, and every other one back, so that what
/// cancels in one of them adds up in the other.
fn aside(system: &dyn System, weights: &Weights, y: &[f64]) -> [Vec<f64>; 2] {
    let tests = system.structure().default_error_test();
    [1.0, -1.0].map(|other| {
        let moved = y.iter().zip(weights.reciprocal()).zip(&tests).enumerate();
        let each = moved.map(|(i, ((y, weight), test))| match test {
            ErrorTest::Excluded => *y,
            _ if i % 2 == 0 => y + 1.0 / weight,
            _ => y + other / weight,
        });
        each.collect()
    })
}

/// Puts all switches on the sides on which the state lies.
pub(super) fn settle(system: &mut dyn System, mut weights: Weights, t: f64, y: &[f64], yp: &[f64]) {
    weights.update(y, 1.0);
    let aside = aside(system, &weights, y);
    system.turn(Turn::Settle, t, y, yp, aside.each_ref().map(Vec::as_slice));
}

impl Integrator<'_> {
    /// Turns the switch of an event at the state seen from outside; whether another method takes over, which is to be
    /// started and bound.
    pub(super) fn turn(&mut self, event: usize) -> Result<bool, Failure> {
        let excursion = self.finder.excursion(event);
        // Those of the method may be tightened.
        let mut weights = setup::weights(&self.options, self.system.structure());
        weights.update(&self.y, 1.0);
        let aside = aside(self.system.as_ref(), &weights, &self.y);
        let turn = Turn::Cross { event, excursion };
        let aside = aside.each_ref().map(Vec::as_slice);
        let turned = self.system.turn(turn, self.t, &self.y, &self.yp, aside);
        self.finder.turned(event, turned);
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
