//! A mechanism in real time: from settings and an assembled model to [`RealTime`].

use super::Simulation;
use holonom_dae::{FailureKind, InputError, System};
use holonom_multibody::channels::Sampler;
use holonom_multibody::residual::Form;
use holonom_solver::Options;
use holonom_solver::stepper::{self, LinearImplicitOptions, MotionState, RealTime};

/// Whether a method with a fixed step, `linear-implicit-euler`, is to be used.
pub(super) fn is_chosen(options: &Options) -> bool {
    stepper::find(&options.stepper).is_some_and(|entry| entry.fixed_step)
}

/// Watches all constraints on positions beside [`RealTime`], also those that others imply and that take no part in it.
pub struct LoopWatch {
    system: Box<dyn System>,
    sampler: Sampler,
    y: Vec<f64>,
    gap: f64,
}

impl LoopWatch {
    /// Looks at a state.
    ///
    /// # Errors
    /// A loop that came apart by more than a hundredth of its size, or a mechanism that changed the branch at a singular
    /// position.
    pub fn look(&mut self, state: &MotionState) -> Result<(), FailureKind> {
        let (n_q, n_v) = (state.q.len(), state.v.len());
        self.y[..n_q].copy_from_slice(&state.q);
        self.y[n_q..n_q + n_v].copy_from_slice(&state.v);
        let mut gap = [0.0];
        self.sampler.sample_state(state.t, &state.q, &state.v, &mut gap);
        self.gap = self.gap.max(gap[0]);
        self.system.look(state.t, &self.y, None).map(|_| ())
    }

    /// Largest |gᵢ| of all rows so far.
    pub fn gap(&self) -> f64 {
        self.gap
    }
}

impl Simulation {
    /// Options and step size of `linear-implicit-euler`, where this is the method of [`run`](Self::run).
    pub fn fixed_steps(&self) -> Option<(LinearImplicitOptions, f64)> {
        let chosen = is_chosen(&self.solver) && !self.is_kinematic();
        let h = self.solver.fixed_step.filter(|_| chosen)?;
        Some((self.solver.own(), h))
    }

    /// Names of the force elements that `linear-implicit-euler` counts as stiff, from their numbers; `None`: all.
    pub fn stiff_names(&self, numbers: Option<&[usize]>) -> Option<Vec<String>> {
        let forces = &self.start.model.forces;
        let name = |&k: &usize| forces.get(k).map(|force| force.name.clone());
        Some(numbers?.iter().filter_map(name).collect())
    }

    /// What watches the loops of a mechanism in [real time](Self::real_time), if it has any. Looking at a state is no part
    /// of a step, and may allocate.
    ///
    /// # Errors
    /// The mechanism has loops that cannot be written as equations.
    pub fn loop_watch(&self) -> Result<Option<LoopWatch>, InputError> {
        let Ok(selection) = self.catalogue.select(&["residual.position"]) else {
            return Ok(None);
        };
        let refused = |error: String| InputError::Option {
            option: "model",
            value: self.start.model.name.clone(),
            remedy: error,
        };
        let equations = self.start.equations(Form::Index2, self.formalism);
        let equations = equations.map_err(|error| refused(error.to_string()))?;
        let sampler = Sampler::of_motion(&self.start, &selection);
        let sampler = sampler.map_err(|error| refused(error.to_string()))?;
        let y = self.start.state(&equations).0;
        Ok(Some(LoopWatch {
            system: equations.system(),
            sampler,
            y,
            gap: 0.0,
        }))
    }

    /// The mechanism at its start as a fixed-step loop with bounded work, with steps of size `fixed_step` and the
    /// options of `linear-implicit-euler`.
    ///
    /// ```
    /// use holonom::format::{Files, Settings, read};
    /// use holonom::simulation::Simulation;
    /// use holonom::solver::stepper::Advance;
    ///
    /// # let text = r#"
    /// # [model]
    /// # format = 1
    /// # name = "pendulum"
    /// # [[body]]
    /// # name = "bob"
    /// # mass = 1
    /// # markers = { hinge = [0, 0, 1] }
    /// # [[joint]]
    /// # name = "hinge"
    /// # kind = "revolute"
    /// # from = "ground"
    /// # to = "bob.hinge"
    /// # axis = [0, 1, 0]
    /// # angle = "20 deg"
    /// # "#;
    /// let file = read("pendulum.toml", &Files::in_memory([("pendulum.toml", text)]), &[])?;
    /// let settings = Settings { fixed_step: Some(1e-3), ..Settings::default() };
    /// let mut pendulum = Simulation::new(&file, &settings)?.real_time()?;
    /// assert_eq!(pendulum.step(), Advance::Done);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No step size, options that do not go together, or a model that needs events.
    pub fn real_time(&self) -> Result<RealTime<'static>, InputError> {
        let Some(h) = self.solver.fixed_step else {
            return Err(InputError::Option {
                option: "fixed_step",
                value: "not set".into(),
                remedy: "real time needs a fixed step size; give one, such as 1 ms".into(),
            });
        };
        if !self.start.model.switched().is_empty() {
            return Err(InputError::Option {
                option: "stepper",
                value: "to be used in real time".into(),
                remedy: "the model has impacts, which must be located by iteration; use `holonom run`, or \
                replace the impacts by contact forces"
                    .into(),
            });
        }
        if !self.start.model.readings.is_empty() {
            return Err(InputError::Option {
                option: "stepper",
                value: "to be used in real time".into(),
                remedy: "the model has sensors of accelerations, reactions or totals, which must be solved \
                by iteration; use `holonom run`, or let the sensors read velocities, forces and multipliers"
                    .into(),
            });
        }
        let mechanical = self.start.mechanical();
        let start = MotionState {
            t: self.start.t,
            q: self.start.q.clone(),
            v: self.start.v.clone(),
            x: self.start.x.clone(),
            ..MotionState::new(&mechanical)
        };
        let options: LinearImplicitOptions = self.solver.own();
        options.check_with(h, &mechanical)?;
        RealTime::new(Box::new(mechanical), h, start, options)
    }
}
