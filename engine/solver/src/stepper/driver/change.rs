//! Going on with another method in the middle of a run, and with other accelerations behind a jump.

use super::super::chooser;
use super::super::dormand_prince::{Rates, behind};
use super::super::setup::{assemble_parts, first_step};
use super::pilot::{Advice, Mark};
use super::{FAILURE_LIMIT, Integrator};
use crate::equations::Equations;
use crate::explain::{Because, Decision};
use holonom_dae::{Counters, Failure, Rejection};

impl Integrator<'_> {
    /// Whether a method should be given up after this rejection. Next to a singular position of loops the sooner the
    /// better, for the state loses digits there: projections fail, or steps become much shorter all at once.
    pub(super) fn is_astray(&self, rejection: Rejection) -> bool {
        let layout = self.system.structure().layout.as_ref();
        let loops = layout.is_some_and(|l| !l.lambda.is_empty());
        let collapsed = self.stepper.h() < 0.1 * self.stepper.last_h();
        self.options.fixed_step.is_none()
            && rejection != Rejection::PassedBorder
            && (loops && (collapsed || rejection == Rejection::Divergence)
                || self.stepper.failures_in_a_row() >= FAILURE_LIMIT / 2)
    }

    /// Goes on with another method where an explicit one failed, from the step before; whether it does.
    pub(super) fn change_method(&mut self) -> Result<bool, Failure> {
        let equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let in_use = self.stepper.name();
        let Some((mut name, because)) = chooser::replace(&equations, &self.options, in_use, true) else {
            return Ok(false);
        };
        if let Some(pilot) = self.pilot.as_mut().filter(|pilot| pilot.tries()) {
            name = pilot.instead(self.stepper.t()).unwrap_or(name);
        }
        let (mut t, h) = (self.stepper.t(), self.stepper.last_h().max(self.stepper.h()));
        // The end of a step has been looked at.
        let _ = self.show_at(t);
        if self.stepper.last_h() > 0.0 {
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
        self.tell_pilot(name, true);
        Ok(true)
    }

    /// Another method is in place for reasons other than its work.
    fn tell_pilot(&mut self, name: &'static str, failed: bool) {
        let now = self.mark();
        if let Some(pilot) = &mut self.pilot {
            pilot.replaced(name, now, failed);
        }
    }

    /// Measures the method in use, and changes it where another one is likely to need less work.
    pub(super) fn steer(&mut self) -> Result<(), Failure> {
        if self.pilot.is_none() {
            return Ok(());
        }
        let now = self.mark();
        let limited = self.stepper.steps_at_border() >= chooser::PATIENCE;
        let Some(pilot) = &mut self.pilot else {
            return Ok(());
        };
        let outputs = self.options.outputs.len() - self.outputs_done.min(self.options.outputs.len());
        let equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let likely = |left: f64| chooser::likely(&equations, &self.options, outputs as f64, left);
        let mut advice = pilot.decide(now, limited, &likely);
        if advice == Advice::Measure {
            advice = self.measure_stability(now);
        }
        if let Advice::Compare(name) = advice {
            advice = self.compare(name)?;
        }
        match advice {
            Advice::Stay | Advice::Measure | Advice::Compare(_) => Ok(()),
            Advice::Remember => {
                if let Some(pilot) = &mut self.pilot {
                    pilot.piece_begins(self.stepper.y(), self.stepper.yp());
                }
                Ok(())
            }
            Advice::Keep(name, because) => {
                let decision = Decision::stepper(self.stepper.t(), name, because);
                self.report.decisions.push(decision);
                Ok(())
            }
            Advice::Change(name, because) => self.go_on_with(name, because),
        }
    }

    /// Work so far, and where.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            t: self.stepper.t(),
            work: self.counters.work(self.is_constrained()),
        }
    }

    fn is_constrained(&self) -> bool {
        let layout = self.system.structure().layout.as_ref();
        layout.is_some_and(|l| !l.lambda.is_empty())
    }

    /// What stability would ask of the explicit method.
    fn measure_stability(&mut self, now: Mark) -> Advice {
        let left = self.pilot.as_ref().map_or(0.0, |pilot| pilot.left(now.t));
        let mut equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let at = (self.stepper.t(), self.stepper.y());
        let radius = chooser::radius(&mut equations, at, left);
        let constrained = self.is_constrained();
        let one = Counters {
            residuals: 1,
            accelerations: 1,
            ..Counters::default()
        };
        match &mut self.pilot {
            Some(pilot) => pilot.stability(now, radius, one.work(constrained)),
            None => Advice::Stay,
        }
    }

    /// Lets another method take the piece of the run that ends here, aside.
    fn compare(&mut self, name: &'static str) -> Result<Advice, Failure> {
        let in_use = std::mem::replace(&mut self.options.stepper, name.into());
        let parts = assemble_parts(self.system.as_ref(), &self.options);
        let Some(pilot) = &self.pilot else {
            return Ok(Advice::Stay);
        };
        let (piece, limit) = (pilot.piece(), pilot.limit(name));
        let (begin, end) = (piece.begin().t, self.stepper.t());
        let structure = self.system.structure();
        let span = 1e3 * (end - begin);
        let h = first_step(&self.options, structure, begin, &piece.y, &piece.yp, span);
        let constrained = structure.layout.as_ref().is_some_and(|l| !l.lambda.is_empty());
        self.options.stepper = in_use;
        let (mut other, ..) = parts?;
        other.start(begin, &piece.y, &piece.yp, h);
        other.bind(self.system.as_mut())?;
        let outputs = &self.options.outputs;
        let counted = |t: f64| outputs.not_after(t) as f64;
        let (before, shown) = (self.counters.work(constrained), counted(begin));
        let mut settled = None;
        let mut failures = 0;
        let verdict = loop {
            let h = other.h().min(self.options.max_step);
            let next_end = |times: &[f64]| {
                let t = other.t();
                times
                    .get(times.partition_point(|s| *s <= t * (1.0 + 4.0 * f64::EPSILON.copysign(t))))
                    .copied()
            };
            let ends = [
                next_end(&self.options.step_ends),
                next_end(&self.options.stop_times),
            ];
            let h = ends.into_iter().flatten().fold(h, |h, e| h.min(e - other.t()));
            if h != other.h() {
                other.set_h(h);
            }
            let mut equations = Equations {
                system: self.system.as_mut(),
                counters: &mut self.counters,
            };
            match other.attempt(&mut equations) {
                Ok(()) => {
                    other.accept(&mut equations);
                    failures = 0;
                }
                Err(rejection) => {
                    other.reject(rejection);
                    failures += 1;
                }
            }
            let refined = chooser::output_work(name) * (counted(other.t().min(end)) - shown);
            let spent = Mark {
                t: other.t(),
                work: self.counters.work(constrained) - before + refined,
            };
            if settled.is_none() && spent.work >= piece.settling() {
                settled = Some(spent);
            }
            let tiny = other.h() <= 4.0 * f64::EPSILON * other.t().abs();
            if failures >= FAILURE_LIMIT || tiny {
                break (
                    false,
                    Because::Worse {
                        // It would have taken more.
                        now: spent.work / (end - begin),
                        before: 0.0,
                    },
                );
            }
            if let Some(verdict) = piece.verdict(limit, spent, settled) {
                break verdict;
            }
        };
        let now = self.mark();
        Ok(self
            .pilot
            .as_mut()
            .map_or(Advice::Stay, |pilot| pilot.compared(name, now, verdict)))
    }

    /// Goes on with another method from the last accepted step.
    fn go_on_with(&mut self, name: &'static str, because: Because) -> Result<(), Failure> {
        let (t, h) = (self.stepper.t(), self.stepper.last_h().max(self.stepper.h()));
        // The end of a step has been looked at.
        let _ = self.show_at(t);
        self.renew_slopes();
        self.counters.restarts += 1;
        self.use_method(t, name, because)?;
        let (structure, span) = (self.system.structure(), 1e3 * h);
        let h = first_step(&self.options, structure, t, &self.y, &self.yp, span);
        self.stepper.start(t, &self.y, &self.yp, h);
        self.hindsight.begin(t);
        self.stepper.bind(self.system.as_mut())?;
        Ok(())
    }

    /// Goes on with another method where the one in use has failed for good; whether there is one.
    pub(super) fn rescue(&mut self) -> Result<bool, Failure> {
        let t = self.stepper.t();
        let Some(name) = self.pilot.as_mut().and_then(|pilot| pilot.instead(t)) else {
            return Ok(false);
        };
        self.go_on_with(name, Because::Failed)?;
        self.tell_pilot(name, true);
        Ok(true)
    }

    /// Takes an implicit method where the one in use is explicit and a switch slides; whether there is one.
    pub(super) fn change_method_where_it_slides(&mut self) -> Result<bool, Failure> {
        let equations = Equations {
            system: self.system.as_mut(),
            counters: &mut self.counters,
        };
        let Some((name, _)) = chooser::replace(&equations, &self.options, self.stepper.name(), true) else {
            return Ok(false);
        };
        self.use_method(self.t, name, Because::Slides)?;
        self.tell_pilot(name, true);
        Ok(true)
    }

    /// Puts another method in place, which is to be started.
    fn use_method(&mut self, t: f64, name: &'static str, because: Because) -> Result<(), Failure> {
        if let Some(corrector) = self.stepper.corrector() {
            self.report
                .decisions
                .extend(corrector.decisions().iter().cloned());
            self.timing.jacobian += corrector.timing().jacobian;
            self.timing.factorisation += corrector.timing().factorisation;
        }
        self.options.stepper = name.into();
        let (stepper, strategies, decisions) = assemble_parts(self.system.as_ref(), &self.options)?;
        self.stepper = stepper;
        self.report.strategies = strategies;
        self.report.decisions.push(Decision::stepper(t, name, because));
        let told = &mut self.report.decisions;
        for decision in decisions {
            let known = |d: &Decision| (d.subject, &d.chosen) == (decision.subject, &decision.chosen);
            if !told.iter().any(known) {
                told.push(Decision {
                    t: Some(t),
                    ..decision
                });
            }
        }
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
