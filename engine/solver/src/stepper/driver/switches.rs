//! Switches of the equations: their sides at the start, and what becomes of them at their borders.

use super::super::dormand_prince::{Rates, behind};
use super::Integrator;
use crate::equations::{Equations, Purpose};
use crate::stepper::{Takes, find, setup};
use holonom_dae::{ErrorTest, Failure, FailureKind, System, Turn, Turned, Weights};

/// What becomes of a run after switches were turned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// It starts afresh.
    pub restart: bool,
    /// With another method, which is to be bound.
    pub other_method: bool,
}

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
    /// Turns the switches among the events found last, at the state seen from outside. Nothing has changed where the
    /// equations are the same on both sides, as those of a condition inside of a branch that is not taken.
    pub(super) fn turn_switches(&mut self) -> Result<Change, Failure> {
        let first = self
            .finder
            .together()
            .iter()
            .position(|event| self.finder.is_switch(*event));
        let Some(first) = first else {
            return Ok(Change::default());
        };
        let before = self.residuals_around();
        let mut change = Change::default();
        for k in first..self.finder.together().len() {
            let event = self.finder.together()[k];
            self.counters.events += 1;
            change.other_method |= self.turn(event)?;
        }
        change.restart = change.other_method || before.is_none() || before != self.residuals_around();
        Ok(change)
    }

    /// The residuals at the state seen from outside and at the end of the last step; none where they have none.
    fn residuals_around(&mut self) -> Option<[Vec<f64>; 2]> {
        let mut equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let mut here = vec![0.0; self.y.len()];
        let mut end = here.clone();
        let (s, purpose) = (&self.stepper, Purpose::Other);
        equations
            .residual(purpose, self.t, &self.y, &self.yp, &mut here)
            .ok()?;
        equations.residual(purpose, s.t(), s.y(), s.yp(), &mut end).ok()?;
        Some([here, end])
    }

    /// The time scale of the motion that begins where a switch was turned: of ẏ by the derivatives f of the equations,
    /// (‖f_y² ẏ‖ / ‖ẏ‖)^−½. The equations on the other side may be far faster than before, and methods that damp fast
    /// motion find no error in a first step that passes over it.
    pub(super) fn time_scale(&mut self) -> Option<f64> {
        let entry = find(self.stepper.name())?;
        if entry.start_order <= 1 || self.options.fixed_step.is_some() {
            return None;
        }
        let mut weights = setup::weights(&self.options, self.system.structure());
        weights.update(&self.y, 1.0);
        let mut rates = Rates::new(self.system.as_mut()).ok()?;
        let mut equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let t = behind(self.t);
        let mut here = self.yp.clone();
        rates.evaluate(&mut equations, t, &self.y, &mut here).ok()?;
        let mut moved = self.y.clone();
        let mut direction = here.clone();
        let mut scale = 1.0;
        for _ in 0..2 {
            let size = weights.error_norm(&direction);
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            for ((moved, y), d) in moved.iter_mut().zip(&self.y).zip(&direction) {
                *moved = y + d / size;
            }
            rates.evaluate(&mut equations, t, &moved, &mut direction).ok()?;
            direction.iter_mut().zip(&here).for_each(|(d, f)| *d -= f);
            scale *= weights.error_norm(&direction);
        }
        (scale > 0.0 && scale.is_finite()).then(|| 1.0 / scale.sqrt())
    }

    /// Turns the switch of an event; whether another method takes over, which is to be started and bound.
    fn turn(&mut self, event: usize) -> Result<bool, Failure> {
        let turn = self.finder.crossing(event);
        // Those of the method may be tightened.
        let mut weights = setup::weights(&self.options, self.system.structure());
        weights.update(&self.y, 1.0);
        let aside = aside(self.system.as_ref(), &weights, &self.y);
        let aside = aside.each_ref().map(Vec::as_slice);
        let turned = self.system.turn(turn, self.t, &self.y, &self.yp, aside);
        if let Err(count) = self.finder.turned(event, turned) {
            let name = self.system.events()[event].name.clone();
            return Err(self.failed(FailureKind::SwitchChattering { name, count }));
        }
        let stepper = self.stepper.name();
        let explicit = find(stepper).is_some_and(|entry| entry.takes == Takes::Explicit);
        if turned != Turned::Slides || !explicit {
            return Ok(false);
        }
        // Stiff as long as it slides.
        if self.chooses && self.change_method_where_it_slides()? {
            return Ok(true);
        }
        let name = self.system.events()[event].name.clone();
        Err(self.failed(FailureKind::SwitchSlides { name, stepper }))
    }
}
