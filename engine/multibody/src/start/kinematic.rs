//! Kinematic runs: the motion of mechanisms in which everything is prescribed or driven.
//!
//! Positions come from g(t, q) = 0 by Newton's method from a prediction with the last velocities
//! and accelerations, velocities from G v + g_t = 0, accelerations and multipliers (the forces of
//! the drives) from the equations of motion. Where Newton's method does not converge, or leads far
//! away from the prediction, the step is divided.

use super::OpenLoop;
use super::assembly::Assembled;
use super::border::Border;
use super::closure::{Closure, distance, moved};
use super::open::open_loops;
use super::report::Level;
use crate::elements::constraints::RowLevel;
use crate::mechanical::MechanicalModel;
use holonom_dae::Mechanical;

/// Gap of a closed loop: rad, or parts of the mechanism's size.
const TOLERANCE: f64 = 1e-12;

/// What is left of velocities relative to them that is still rounding.
const VELOCITY_TOLERANCE: f64 = 1e-7;

/// The correction of a prediction may be this part of the step …
const RELATIVE_CORRECTION: f64 = 0.2;

/// … or this many rad or parts of the size, before another branch is feared.
const ABSOLUTE_CORRECTION: f64 = 0.02;

/// Largest turn (or part of the size) in one step.
const LARGEST_STEP: f64 = 0.5;

/// How often a step is halved.
const MAXIMUM_HALVINGS: i32 = 24;

/// The state at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct KinematicState {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations.
    pub a: Vec<f64>,
    /// Multipliers of the active rows; those of drivers are, with the sign changed, their forces.
    pub lambda: Vec<f64>,
}

/// The states at the times asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KinematicRun {
    /// One state per time.
    pub states: Vec<KinematicState>,
    /// Steps that were needed.
    pub steps: usize,
}

/// Why a kinematic run ended early.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KinematicError {
    /// Something moves freely.
    #[error(
        "`{model}` has {freedoms} free degrees of freedom: drive or prescribe that many coordinates, or \
         integrate the equations of motion"
    )]
    Freedom {
        /// The mechanism.
        model: String,
        /// How many.
        freedoms: usize,
    },
    /// Own states of elements need integration.
    #[error(
        "`{model}` has no degree of freedom, but its elements have states ({states}): integrate the \
         equations of motion"
    )]
    OwnStates {
        /// The mechanism.
        model: String,
        /// Names of the states.
        states: String,
    },
    /// Constraints on velocities need integration.
    #[error(
        "`{model}` has constraints on velocities ({constraints}), from which positions do not follow: \
         integrate the equations of motion"
    )]
    Velocities {
        /// The mechanism.
        model: String,
        /// Names of the constraints.
        constraints: String,
    },
    /// Impacts need integration.
    #[error(
        "`{model}` has impacts ({impacts}), which kinematic simulation does not support: integrate the \
         equations of motion"
    )]
    Impacts {
        /// The mechanism.
        model: String,
        /// Names of the impacts.
        impacts: String,
    },
    /// No way on.
    #[error(
        "the mechanism cannot follow its drives beyond t = {t}: {}it is at a singular position or at the \
         limit of its range; change the drives or the geometry", worst(.open)
    )]
    Stuck {
        /// The last time reached.
        t: f64,
        /// The constraint that could not be satisfied any more, where it can be told.
        open: Option<OpenLoop>,
        /// The states up to there.
        partial: KinematicRun,
    },
    /// Times must not go back and forth.
    #[error("the times must ascend or descend throughout, but {after} follows {before}")]
    Times {
        /// A time.
        before: f64,
        /// The one after it.
        after: f64,
    },
}

fn worst(open: &Option<OpenLoop>) -> String {
    open.as_ref()
        .map_or(String::new(), |open| format!("{open} stays open; "))
}

/// Follows the drives of an assembled mechanism from its start through the given times.
pub(super) fn run(start: &Assembled, times: &[f64]) -> Result<KinematicRun, KinematicError> {
    let mut states = Vec::new();
    let result = follow(start, times.iter().copied(), &mut |state| {
        states.push(state.clone());
        true
    });
    match result {
        Ok(steps) => Ok(KinematicRun { states, steps }),
        Err(KinematicError::Stuck { t, open, partial }) => {
            let partial = KinematicRun { states, ..partial };
            Err(KinematicError::Stuck { t, open, partial })
        }
        Err(error) => Err(error),
    }
}

/// The same, showing each state instead of keeping it; `visit` says whether to go on. Gives the
/// number of steps.
pub(super) fn follow(
    start: &Assembled,
    times: impl IntoIterator<Item = f64>,
    visit: &mut dyn FnMut(&KinematicState) -> bool,
) -> Result<usize, KinematicError> {
    if start.degrees_of_freedom() > 0 {
        return Err(KinematicError::Freedom {
            model: start.model.name.clone(),
            freedoms: start.degrees_of_freedom(),
        });
    }
    let impacts = start.model.constraints.iter().filter(|c| c.impact().is_some());
    let impacts: Vec<&str> = impacts.map(|c| c.name.as_str()).collect();
    if !impacts.is_empty() {
        return Err(KinematicError::Impacts {
            model: start.model.name.clone(),
            impacts: impacts.join(", "),
        });
    }
    let mut velocities: Vec<&str> = start.velocity_constraints().collect();
    velocities.dedup();
    if !velocities.is_empty() {
        return Err(KinematicError::Velocities {
            model: start.model.name.clone(),
            constraints: velocities.join(", "),
        });
    }
    if !start.model.states.is_empty() {
        let names: Vec<&str> = start.model.states.iter().map(|s| s.name.as_str()).collect();
        return Err(KinematicError::OwnStates {
            model: start.model.name.clone(),
            states: names.join(", "),
        });
    }
    let holonomic = |row: &usize| start.model.rows[*row].level == RowLevel::Holonomic;
    let mut follower = Follower {
        closure: Closure::new(start.model.clone(), start.t, &start.q, start.data_precision),
        exact: start.rows.misfitting().next().is_none(),
        active: start.rows.active.iter().copied().filter(holonomic).collect(),
        chosen: start.rows.active.clone(),
        enough: Border::new(start.data_precision).enough().max(start.rows.noise),
        noise: start.rows.noise,
        mechanical: start.mechanical(),
        state: KinematicState {
            t: start.t,
            q: start.q.clone(),
            v: start.v.clone(),
            a: start.a.clone(),
            lambda: start.lambda.clone(),
        },
        open: None,
    };
    let mut steps = 0;
    let mut direction = 0.0;
    for t in times {
        let ahead = t - follower.state.t;
        if ahead * direction < 0.0 || !t.is_finite() {
            return Err(KinematicError::Times {
                before: follower.state.t,
                after: t,
            });
        }
        if ahead != 0.0 {
            direction = ahead;
        }
        if !follower.go_to(t, &mut steps) {
            return Err(KinematicError::Stuck {
                t: follower.state.t,
                open: follower.open,
                partial: KinematicRun {
                    states: Vec::new(),
                    steps,
                },
            });
        }
        if !visit(&follower.state) {
            break;
        }
    }
    Ok(steps)
}

struct Follower {
    closure: Closure,
    /// Whether all rows hold at the start.
    exact: bool,
    /// The conditions on positions that take part, and all rows that do.
    active: Vec<usize>,
    chosen: Vec<usize>,
    /// Gap, and relative speed of a gap, that errors of the data explain in the others.
    enough: f64,
    noise: f64,
    mechanical: MechanicalModel,
    state: KinematicState,
    /// What was open at the last step that failed.
    open: Option<OpenLoop>,
}

impl Follower {
    fn go_to(&mut self, t: f64, steps: &mut usize) -> bool {
        let whole = t - self.state.t;
        let least = whole.abs() * 0.5_f64.powi(MAXIMUM_HALVINGS);
        let mut h = whole;
        while self.state.t != t {
            let left = t - self.state.t;
            let last = h.abs() >= left.abs();
            let next = if last { t } else { self.state.t + h };
            match self.step(next) {
                Some(state) => {
                    *steps += 1;
                    self.state = state;
                    h *= 2.0;
                }
                None => {
                    h = 0.5 * (next - self.state.t);
                    if h.abs() < least || self.state.t + h == self.state.t {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn step(&mut self, t: f64) -> Option<KinematicState> {
        let s = &self.state;
        let (model, h) = (self.closure.model.clone(), t - s.t);
        let ahead: Vec<f64> =
            s.v.iter()
                .zip(&s.a)
                .map(|(v, a)| h * v + 0.5 * h * h * a)
                .collect();
        let size = self.closure.largest_step(&ahead);
        if size > LARGEST_STEP {
            return None;
        }
        let predicted = moved(&model, &s.q, &ahead, 1.0);
        let mut v: Vec<f64> = s.v.iter().zip(&s.a).map(|(v, a)| v + h * a).collect();
        let rows = self.closure.holonomic();
        let mut q = predicted.clone();
        self.closure.t = t;
        // Rows that hold but for errors of the data cannot all be closed.
        let closing = if self.exact { &rows } else { &self.active };
        let closed = self.closure.close(&mut q, closing, TOLERANCE, TOLERANCE);
        let gaps = self.closure.gaps(&q);
        let limit = if self.exact { f64::INFINITY } else { self.enough };
        if closed.is_err() || self.closure.largest_misfit(&gaps, &rows) > limit {
            let open = open_loops(&self.closure, &gaps, &rows, Level::Position, TOLERANCE);
            self.open = open.into_iter().next();
            return None;
        }
        let correction = distance(&self.closure, &q, &predicted);
        if correction > (RELATIVE_CORRECTION * size).max(ABSOLUTE_CORRECTION) {
            return None;
        }
        // From the predicted velocities: where a singular position leaves them open, these stay.
        let rest = self
            .closure
            .project_velocities(&q, &mut v, &self.chosen, &[])
            .ok()?;
        let all: Vec<usize> = (0..rest.len()).collect();
        let tolerance = VELOCITY_TOLERANCE.max(self.noise) * (1.0 + self.closure.largest_step(&v));
        if let Some(open) = open_loops(&self.closure, &rest, &all, Level::Velocity, tolerance)
            .into_iter()
            .next()
        {
            self.open = Some(open);
            return None;
        }
        let mut lambda = self.state.lambda.clone();
        let mut a = vec![0.0; v.len()];
        self.mechanical
            .accelerations(t, &q, &v, &mut lambda, &mut a)
            .ok()?;
        self.open = None;
        Some(KinematicState { t, q, v, a, lambda })
    }
}

impl Assembled {
    /// The motion at the given times of a mechanism that has no freedom left because everything is
    /// prescribed or driven.
    ///
    /// # Errors
    /// Degrees of freedom that are left; a singular position on the way, with the states before it.
    pub fn kinematic_run(&self, times: &[f64]) -> Result<KinematicRun, KinematicError> {
        run(self, times)
    }

    /// The same for any number of times: each state is shown and not kept. `visit` says whether
    /// to go on. Gives the number of steps it took.
    ///
    /// # Errors
    /// As [`kinematic_run`](Self::kinematic_run), without states.
    pub fn follow_drives(
        &self,
        times: impl IntoIterator<Item = f64>,
        visit: &mut dyn FnMut(&KinematicState) -> bool,
    ) -> Result<usize, KinematicError> {
        follow(self, times, visit)
    }
}
