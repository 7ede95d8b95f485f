//! [`RealTime`]: the fixed-step shell for loops with hardware in them.

use super::linear_implicit::{LinearImplicitEuler, LinearImplicitOptions, MotionState, Projections, Work};
use holonom_dae::{InputError, Mechanical, Rejection};

/// What a step in real time came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advance {
    /// The state is that at the end of the step.
    Done,
    /// The step could not be done, for this reason; the state is still the last valid one, with its time.
    Held(Rejection),
}

/// A mechanical system that advances in steps of fixed size with bounded work.
///
/// After [`new`](Self::new) nothing here allocates, iterates, locks or calls the operating system, and no step
/// fails: when inputs or results are not finite, the last valid state with its time is held, and
/// [`is_held`](Self::is_held) and [`held`](Self::held) tell. Stepping goes on from there as soon as it can. What
/// elements of the model do inside, such as the search for a contact point, is bounded by their own laws.
///
/// ```
/// use holonom_dae::problems::{car_axle, constrained::{Form, Mechanics}};
/// use holonom_solver::stepper::{Advance, LinearImplicitOptions, MotionState, RealTime};
///
/// let problem = car_axle::problem(Form::Index2);
/// let mechanics = Mechanics::new(car_axle::CarAxle);
/// let mut start = MotionState::new(&mechanics);
/// start.q.copy_from_slice(&problem.y0[..4]);
/// start.v.copy_from_slice(&problem.y0[4..8]);
/// let mut axle = RealTime::new(Box::new(mechanics), 1e-3, start, LinearImplicitOptions::default())?;
/// println!("{}", axle.work());
/// for _ in 0..1000 {
///     assert_eq!(axle.step(), Advance::Done);
/// }
/// assert!((axle.state().t - 1.0).abs() < 1e-12 && axle.violation() < 1e-8);
///
/// // A measured force that is no number: the state stays where it is.
/// axle.external_forces()[0] = f64::NAN;
/// assert!(matches!(axle.step(), Advance::Held(_)));
/// assert!((axle.state().t - 1.0).abs() < 1e-12 && axle.held() == 1);
/// # Ok::<(), holonom_dae::InputError>(())
/// ```
pub struct RealTime<'m> {
    mechanical: Box<dyn Mechanical + 'm>,
    euler: LinearImplicitEuler,
    state: MotionState,
    trial: MotionState,
    h: f64,
    /// Time and number of steps: t = origin + steps · h, without accumulated rounding.
    origin: f64,
    steps: u64,
    held: u64,
    is_held: bool,
    g: Vec<f64>,
}

impl<'m> RealTime<'m> {
    /// Gets ready to step from `start`, which should satisfy the constraints, in steps of size `h`. Allocates
    /// everything; multipliers at the start are found here.
    ///
    /// # Errors
    /// Options that do not go together or are not for real time, or a start that is not finite.
    pub fn new(
        mut mechanical: Box<dyn Mechanical + 'm>,
        h: f64,
        mut start: MotionState,
        options: LinearImplicitOptions,
    ) -> Result<Self, InputError> {
        if options.projections == Projections::Converged {
            return Err(InputError::Option {
                option: "projection_steps",
                value: "0".into(),
                remedy:
                    "projection until convergence has no bounded cost; give the number of steps, such as \
                1"
                    .into(),
            });
        }
        for (what, found, expected) in [
            ("the start q", start.q.len(), mechanical.n_q()),
            ("the start v", start.v.len(), mechanical.n_v()),
            ("the start x", start.x.len(), mechanical.n_x()),
            ("the start λ", start.lambda.len(), mechanical.n_g()),
        ] {
            if found != expected {
                return Err(InputError::WrongSize {
                    what,
                    found,
                    expected,
                });
            }
        }
        mechanical.set_states(&start.x);
        let mut accelerations = vec![0.0; start.v.len()];
        let mut lambda = start.lambda.clone();
        // Forces of the first step may depend on multipliers. Where there are none, zero ones do.
        if mechanical
            .accelerations(start.t, &start.q, &start.v, &mut lambda, &mut accelerations)
            .is_ok()
        {
            start.lambda = lambda;
        }
        if let Some(index) = start.first_non_finite() {
            let all = start
                .q
                .iter()
                .chain(&start.v)
                .chain(&start.x)
                .chain(&start.lambda);
            return Err(InputError::NonFiniteStart {
                what: "(q, v, x, λ)",
                name: String::new(),
                index,
                value: all.copied().nth(index).unwrap_or(start.t),
            });
        }
        let euler = LinearImplicitEuler::new(mechanical.as_mut(), h, &start, options)?;
        Ok(Self {
            g: vec![0.0; mechanical.n_g()],
            mechanical,
            euler,
            trial: start.clone(),
            h,
            origin: start.t,
            state: start,
            steps: 0,
            held: 0,
            is_held: false,
        })
    }

    /// One step. The work is [`work`](Self::work), whatever the numbers are.
    pub fn step(&mut self) -> Advance {
        self.trial.t = self.origin + (self.steps + 1) as f64 * self.h;
        let done = self
            .euler
            .step(self.mechanical.as_mut(), self.h, &self.state, &mut self.trial);
        match done {
            Ok(()) => {
                self.euler.commit();
                std::mem::swap(&mut self.state, &mut self.trial);
                self.steps += 1;
                self.is_held = false;
                Advance::Done
            }
            Err(reason) => {
                self.held += 1;
                self.is_held = true;
                Advance::Held(reason)
            }
        }
    }

    /// The last valid state.
    pub fn state(&self) -> &MotionState {
        &self.state
    }

    /// Goes on from another state, at its own time, without allocating. Nothing changes when it is not
    /// finite or the model cannot be evaluated there.
    pub fn restart(&mut self, from: &MotionState) -> Advance {
        if let Some(row) = from.first_non_finite() {
            self.is_held = true;
            return Advance::Held(Rejection::NonFinite { row });
        }
        match self.euler.start(self.mechanical.as_mut(), from) {
            Ok(()) => {
                self.state.copy_from(from);
                (self.origin, self.steps) = (from.t, 0);
                self.is_held = false;
                Advance::Done
            }
            Err(reason) => {
                // Back to where it was; it could be evaluated there.
                let _ = self.euler.start(self.mechanical.as_mut(), &self.state);
                self.is_held = true;
                Advance::Held(reason)
            }
        }
    }

    /// Generalised forces from outside, added to those of the model until they are changed.
    pub fn external_forces(&mut self) -> &mut [f64] {
        self.euler.external_forces()
    }

    /// The model. After a change of its discrete variables, [`restart`](Self::restart) from the present state.
    pub fn mechanical(&mut self) -> &mut (dyn Mechanical + 'm) {
        self.mechanical.as_mut()
    }

    /// Largest |gᵢ| of the present state, of the rows that take part; infinite where it cannot be evaluated.
    pub fn violation(&mut self) -> f64 {
        let s = &self.state;
        match self.mechanical.constraint(s.t, &s.q, &mut self.g) {
            Ok(()) => self.g.iter().fold(0.0, |most, g| f64::max(most, g.abs())),
            Err(_) => f64::INFINITY,
        }
    }

    /// Step size.
    pub fn h(&self) -> f64 {
        self.h
    }

    /// Steps done since the start or restart.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Steps that could not be done.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Whether the last step could not be done.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// Evaluations and operations of every step.
    pub fn work(&self) -> Work {
        self.euler.work()
    }

    /// The method, with the choices it made.
    pub fn method(&self) -> &LinearImplicitEuler {
        &self.euler
    }
}
