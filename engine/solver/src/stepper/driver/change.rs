//! Going on with another method in the middle of a run, and with other accelerations behind a jump.

use super::super::chooser;
use super::super::dormand_prince::{Rates, behind};
use super::super::setup::assemble_parts;
use super::{FAILURE_LIMIT, Integrator};
use crate::equations::Equations;
use crate::explain::{Because, Decision};
use holonom_dae::{Failure, Rejection};

impl Integrator<'_> {
    /// Whether a method should be given up after this rejection. Next to a singular position of loops the sooner the
    /// better, for the state loses digits there: projections fail, or steps become much shorter all at once.
    pub(super) fn is_astray(&self, rejection: Rejection) -> bool {
        let layout = self.system.structure().layout.as_ref();
        let loops = layout.is_some_and(|l| !l.lambda.is_empty());
        let collapsed = self.stepper.h() < 0.1 * self.stepper.last_h();
        self.options.fixed_step.is_none()
            && (loops && (collapsed || rejection == Rejection::Divergence)
                || self.stepper.failures_in_a_row() >= FAILURE_LIMIT / 2)
    }

    /// Goes on with another method where the one in use failed, from the step before, or is at a disadvantage; whether
    /// it does.
    pub(super) fn change_method(&mut self, failed: bool) -> Result<bool, Failure> {
        let equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let in_use = self.stepper.name();
        let at_border = self.stepper.steps_at_border();
        let replacement = chooser::replace(&equations, &self.options, in_use, at_border, failed);
        let Some((name, because)) = replacement else {
            return Ok(false);
        };
        let (mut t, h) = (self.stepper.t(), self.stepper.last_h().max(self.stepper.h()));
        // The end of a step has been looked at.
        let _ = self.show_at(t);
        if failed && self.stepper.last_h() > 0.0 {
            // Next to a singular position the state has lost digits: no shorter step mends that. The one before has not.
            t -= self.stepper.last_h();
            self.t = t;
            self.stepper.interpolate(t, &mut self.y, &mut self.yp);
            self.renew_slopes();
        }
        self.counters.restarts += 1;
        self.use_method(t, name, because)?;
        self.stepper.start(t, &self.y, &self.yp, h);
        self.hindsight.begin(t);
        self.stepper.bind(self.system.as_mut())?;
        Ok(true)
    }

    /// Takes an implicit method where the one in use is explicit and a switch slides; whether there is one.
    pub(super) fn change_method_where_it_slides(&mut self) -> Result<bool, Failure> {
        let equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let Some((name, _)) = chooser::replace(&equations, &self.options, self.stepper.name(), 0, true)
        else {
            return Ok(false);
        };
        self.use_method(self.t, name, Because::Slides)?;
        Ok(true)
    }

    /// Puts another method in place, which is to be started.
    fn use_method(&mut self, t: f64, name: &'static str, because: Because) -> Result<(), Failure> {
        self.options.stepper = name.into();
        let (stepper, strategies, decisions) = assemble_parts(self.system.as_ref(), &self.options)?;
        self.stepper = stepper;
        self.report.strategies = strategies;
        self.report.decisions.push(Decision::stepper(t, name, because));
        let later = decisions.into_iter().map(|d| Decision { t: Some(t), ..d });
        self.report.decisions.extend(later);
        Ok(())
    }

    /// ẏ, and multipliers with it, behind a point where forces may jump: methods that go on from accelerations would
    /// carry the old ones along. Equations that cannot be solved for ẏ are left as they are.
    pub(super) fn renew_slopes(&mut self) {
        let Ok(mut rates) = Rates::new(self.system.as_mut()) else {
            return;
        };
        let mut equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let after = behind(self.t);
        let mut slopes = self.yp.clone();
        if rates
            .evaluate(&mut equations, after, &self.y, &mut slopes)
            .is_ok()
        {
            self.yp.copy_from_slice(&slopes);
            rates.complete(&mut equations, &mut self.y);
        }
    }
}
