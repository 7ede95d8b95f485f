//! [`simulate`]: the motion of a mechanism, by the names of its parts.

use crate::{Options, RunError, Solution, solve};
use holonom_multibody::BodyMotion;
use holonom_multibody::channels::{Catalogue, ForeignSelection, Sampler, Selection, UnknownChannel};
use holonom_multibody::residual::{Equations, Form, Formalism, UnsuitableForm};
use holonom_multibody::start::Assembled;

/// Why a mechanism could not be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The equations do not suit it.
    #[error(transparent)]
    Form(#[from] UnsuitableForm),
    /// The run failed; what was computed before is in it.
    #[error(transparent)]
    Run(#[from] Box<RunError>),
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoValue {
    /// The mechanism has no such channel.
    #[error(transparent)]
    Channel(#[from] UnknownChannel),
    /// The channel belongs to another mechanism.
    #[error(transparent)]
    Foreign(#[from] ForeignSelection),
    /// Nothing was recorded at that time.
    #[error("no motion was recorded at t = {t} s; add it to the output times")]
    Time {
        /// The time.
        t: f64,
    },
}

/// The motion of a mechanism from its start to a time, at the output times of the options, at the start and at the
/// end.
///
/// ```
/// use holonom::mechanism::simulate;
/// use holonom::multibody::Description;
/// use holonom::multibody::description::{Body, Joint};
/// use holonom::prelude::*;
/// use std::sync::Arc;
///
/// let mut model = Description::new("pendulum");
/// let bob = model.add(Body::new("bob", 2.0).centre([1.0, 0.0, 0.0]));
/// model.add(Joint::revolute("pin", "ground", &bob).axis([0.0, 1.0, 0.0]));
///
/// let start = Arc::new(model.compile()?).assemble(&Default::default())?;
/// let options = Options::new(1e-8, 1e-8).outputs(vec![0.1, 0.2]);
/// let solution = simulate(&start, 0.5, options)?;
///
/// let motion = solution.motion(0.2)?;
/// let turning = motion.body(&bob).ok_or("it is there")?.angular_velocity;
/// assert!((motion.channel("energy.total")? - 0.0).abs() < 1e-6);
/// assert!((motion.channel("pin.angle.velocity")? - turning[1]).abs() < 1e-12);
/// assert_eq!(solution.channel("pin.force.z")?.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A run that fails.
pub fn simulate(start: &Assembled, t_end: f64, options: Options) -> Result<MechanismSolution, SimulateError> {
    let constrained = !start.rows.active.is_empty() || !start.model.switched().is_empty();
    let form = if constrained { Form::Ggl } else { Form::Ode };
    let equations = start.equations(form, Formalism::default())?;
    let (y, yp) = start.state(&equations);
    let solution = solve(equations.clone().system(), (start.t, t_end), &y, &yp, options)?;
    let mut states = vec![(start.t, y)];
    states.extend(solution.outputs.iter().cloned());
    states.push((solution.t, solution.y.clone()));
    states.dedup_by(|later, earlier| later.0 == earlier.0);
    Ok(MechanismSolution {
        solution,
        catalogue: Catalogue::with_inputs(start, &start.model.inputs),
        start: start.clone(),
        equations,
        states,
    })
}

/// What [`simulate`] has found.
#[derive(Debug)]
pub struct MechanismSolution {
    /// The solution of the equations, with the work that it took.
    pub solution: Solution,
    start: Assembled,
    equations: Equations,
    catalogue: Catalogue,
    /// Times and unknowns.
    states: Vec<(f64, Vec<f64>)>,
}

impl MechanismSolution {
    /// The times at which the motion is known.
    pub fn times(&self) -> impl ExactSizeIterator<Item = f64> {
        self.states.iter().map(|(t, _)| *t)
    }

    /// The motion at one of these times.
    ///
    /// # Errors
    /// Any other time.
    pub fn motion(&self, t: f64) -> Result<Motion<'_>, NoValue> {
        let at = self.states.iter().find(|(known, _)| *known == t);
        let (_, y) = at.ok_or(NoValue::Time { t })?;
        Ok(Motion { solution: self, t, y })
    }

    /// The motion at the end.
    pub fn end(&self) -> Motion<'_> {
        Motion {
            solution: self,
            t: self.solution.t,
            y: &self.solution.y,
        }
    }

    /// The channels that there are, by name.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// A channel at all times that are known: time and value.
    ///
    /// # Errors
    /// A name that is no channel.
    pub fn channel(&self, name: &str) -> Result<Vec<(f64, f64)>, NoValue> {
        let selection = self.catalogue.select(&[name])?;
        let mut row = vec![0.0; selection.len()];
        let mut sampler = self.sampler(&selection)?;
        let value = |(t, y): &(f64, Vec<f64>)| {
            sampler.sample(*t, y, &[], &mut row);
            (*t, row[0])
        };
        Ok(self.states.iter().map(value).collect())
    }

    fn sampler(&self, selection: &Selection) -> Result<Sampler, ForeignSelection> {
        Sampler::new(&self.start, &self.equations, selection)
    }
}

/// The motion of a mechanism at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    solution: &'a MechanismSolution,
    /// The time.
    pub t: f64,
    y: &'a [f64],
}

impl Motion<'_> {
    /// How the body of this name, or with this handle, moves.
    pub fn body(&self, name: impl AsRef<str>) -> Option<BodyMotion> {
        let model = &self.solution.start.model;
        let (q, rest) = self.y.split_at(model.tree.n_q);
        model.snapshot(self.t, q, &rest[..model.tree.n_v]).body(name)
    }

    /// The value of a channel, such as `pin.angle` or `energy.total`.
    ///
    /// # Errors
    /// A name that is no channel.
    pub fn channel(&self, name: &str) -> Result<f64, NoValue> {
        let selection = self.solution.catalogue.select(&[name])?;
        let mut row = vec![0.0; selection.len()];
        let mut sampler = self.solution.sampler(&selection)?;
        sampler.sample(self.t, self.y, &[], &mut row);
        Ok(row[0])
    }
}
