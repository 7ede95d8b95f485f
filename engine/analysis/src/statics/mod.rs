//! Where a mechanism rests: v = 0, v̇ = 0, ẋ = 0, with all constraints.
//!
//! Prescribed coordinates and drivers are held at their values of the given time. Unknown are
//! displacements that keep the constraints (δs = T ξ with G T = 0), the states of elements and the
//! multipliers, which balance whatever they can at every position. States whose rates vanish with the
//! velocity whatever they are (the tread of a tyre that does not roll) do not follow from ẋ = 0: they keep
//! what motion leaves in them, ∫(∂ẋ/∂v) ds along the way from the start. Newton's method has exact
//! derivatives, a line search on the length of the unbalanced forces (divided by √M_ii, so that
//! units do not matter), and takes the shortest step where the tangent stiffness does not determine
//! one. It has converged where the forces balance and the next step is short: forces that only fade with distance
//! leave steps that do not shrink. Where it gets stuck, or ends in an unstable position, the mechanism is relaxed instead: it
//! follows its forces in pseudo-time, with implicit steps along which the forces do work, until it
//! rests. A position that is still unstable, such as a saddle, is left along the displacement that
//! grows most, to both sides, until a stable one is found. The report says which way it was, and
//! where nothing stable was found that it was looked for.

mod dense;
mod local;
mod search;
mod sparse;

use crate::AnalysisError;
use crate::tangent::State;
use core::fmt;
use holonom_dae::Rejection;
use holonom_multibody::Signal;
use holonom_multibody::diagnostic::Diagnostic;
use holonom_multibody::elements::constraints::ConstraintElement;
use holonom_multibody::model::Model;
use holonom_multibody::start::{Assembled, MovedCoordinate};
use local::Local;
use search::Search;
use std::sync::Arc;

/// How equilibria are looked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StaticsOptions {
    /// Unbalanced forces, in parts of the forces at work, that count as none.
    pub tolerance: f64,
    /// Newton steps at most.
    pub newton_steps: usize,
    /// Steps of relaxation at most; none when 0.
    pub relaxation_steps: usize,
    /// Unknowns (coordinates, multipliers and states of elements) up to which matrices are dense and ranks come from
    /// singular values. Larger mechanisms have sparse matrices.
    pub dense_up_to: usize,
}

impl Default for StaticsOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            newton_steps: 60,
            relaxation_steps: 3000,
            dense_up_to: 80,
        }
    }
}

impl StaticsOptions {
    /// Sets [`tolerance`](Self::tolerance).
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Sets [`newton_steps`](Self::newton_steps).
    #[must_use]
    pub fn newton_steps(mut self, newton_steps: usize) -> Self {
        self.newton_steps = newton_steps;
        self
    }

    /// Sets [`relaxation_steps`](Self::relaxation_steps).
    #[must_use]
    pub fn relaxation_steps(mut self, relaxation_steps: usize) -> Self {
        self.relaxation_steps = relaxation_steps;
        self
    }

    /// Sets [`dense_up_to`](Self::dense_up_to).
    #[must_use]
    pub fn dense_up_to(mut self, dense_up_to: usize) -> Self {
        self.dense_up_to = dense_up_to;
        self
    }
}

/// Unstable positions at most from which the search goes on.
const DEPARTURES: usize = 8;

/// How an equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By Newton's method alone.
    Newton,
    /// Newton's method did not converge; the mechanism was relaxed.
    Relaxed,
    /// Newton's method led to an unstable position; relaxation from the start led to this one.
    RelaxedFromUnstable,
    /// The search led to an unstable position; relaxation from next to it led to this one.
    LeftUnstable,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Newton => "Newton's method",
            Self::Relaxed => "relaxation, since Newton's method did not converge",
            Self::RelaxedFromUnstable => "relaxation, since Newton's method led to an unstable position",
            Self::LeftUnstable => "relaxation from an unstable position after a disturbance",
        })
    }
}

/// Signs of the tangent stiffness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stability {
    /// Directions in which a displacement is pushed back.
    pub stable: usize,
    /// Directions in which it grows.
    pub unstable: usize,
    /// Directions that nothing resists.
    pub neutral: usize,
}

impl Stability {
    /// In a few words.
    pub fn word(&self) -> &'static str {
        match self {
            Self { unstable: 1.., .. } => "unstable",
            Self { neutral: 1.., .. } => "neutral",
            Self { stable: 0, .. } => "without freedom",
            _ => "stable",
        }
    }
}

/// A displacement that the forces do not determine.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDirection {
    /// Displacements by coordinate, the largest first; the others are zero.
    pub coordinates: Vec<(String, f64)>,
}

impl fmt::Display for OpenDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |(name, x): &(String, f64)| match x {
            x if (x - 1.0).abs() < 1e-9 => name.clone(),
            x if (x + 1.0).abs() < 1e-9 => format!("−{name}"),
            x => format!("{x:.3} {name}"),
        };
        let mut parts: Vec<String> = self.coordinates.iter().take(4).map(name).collect();
        if self.coordinates.len() > 4 {
            parts.push("…".to_string());
        }
        f.write_str(&parts.join(" + ").replace("+ −", "− "))
    }
}

/// A position of rest.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// The mechanism with what is prescribed held fixed; positions and multipliers are those of the
    /// equilibrium.
    pub start: Assembled,
    /// The equilibrium.
    pub state: State,
    /// How it was found.
    pub way: Way,
    /// Newton steps.
    pub newton_steps: usize,
    /// Steps of relaxation.
    pub relaxation_steps: usize,
    /// Unstable positions from which a stable one was looked for to both sides.
    pub departures: usize,
    /// What is left unbalanced, in parts of the forces at work.
    pub unbalanced: f64,
    /// Signs of the tangent stiffness along the motions that the constraints allow.
    pub stability: Stability,
    /// Displacements that nothing resists: the equilibrium is one of several.
    pub open: Vec<OpenDirection>,
    /// Coordinates that differ from the start.
    pub moved: Vec<MovedCoordinate>,
    /// What moves by itself and was held.
    pub held: Vec<String>,
    /// States of elements that keep what motion leaves in them, such as the deflection of a tread that
    /// does not roll: where the mechanism rests depends on the way there.
    pub kept: Vec<String>,
}

/// A force that nothing balances.
#[derive(Clone, Debug, PartialEq)]
pub struct Unbalanced {
    /// Coordinate.
    pub name: String,
    /// Force or torque along it, N or N m.
    pub force: f64,
}

impl fmt::Display for Unbalanced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.4e})", self.name, self.force)
    }
}

/// A coordinate that the remaining forces would still move.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsettled {
    /// Coordinate.
    pub name: String,
    /// How far the next step would move it, m or rad.
    pub step: f64,
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.4e})", self.name, self.step)
    }
}

/// Why no equilibrium was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", Diagnostic::from(self))]
pub enum StaticsError {
    /// Forces remain.
    NoEquilibrium {
        /// The largest unbalanced forces, N or N m, the largest first.
        worst: Vec<Unbalanced>,
        /// Steps of both methods.
        steps: usize,
    },
    /// Forces have faded, but the positions do not settle.
    Unsettled {
        /// The coordinates that the next step would move most, the farthest first.
        farthest: Vec<Unsettled>,
        /// Steps of both methods.
        steps: usize,
    },
    /// The stiffness is not symmetric, and too large for all its eigenvalues.
    StabilityUnknown {
        /// Directions that the constraints allow.
        directions: usize,
    },
    /// The mechanism could not be linearised.
    Analysis(#[from] AnalysisError),
}

impl From<&StaticsError> for Diagnostic {
    fn from(error: &StaticsError) -> Self {
        const RESTRAIN: &str = "restrain them with a spring, a stop, a lock or a driver, or start closer to the \
                                equilibrium";
        match error {
            StaticsError::NoEquilibrium { worst, steps } => Self::sentence(format!(
                "no equilibrium was found from this initial position: after {steps} steps these coordinates are \
                 unbalanced: {}",
                list(worst)
            ))
            .remedy(RESTRAIN),
            StaticsError::Unsettled { farthest, steps } => Self::sentence(format!(
                "no equilibrium was found from this initial position: the forces become small, but they never \
                 vanish; after {steps} steps they would still move these coordinates: {}",
                list(farthest)
            ))
            .remedy(RESTRAIN),
            StaticsError::StabilityUnknown { directions } => Self::sentence(format!(
                "the stability of the equilibrium cannot be determined: the stiffness is not symmetric and has \
                 {directions} directions"
            ))
            .remedy("use `holonom modes` with `--at start` from the position found by a damped run"),
            StaticsError::Analysis(error) => error.into(),
        }
    }
}

impl From<Rejection> for StaticsError {
    fn from(rejection: Rejection) -> Self {
        Self::Analysis(rejection.into())
    }
}

fn list(worst: &[impl fmt::Display]) -> String {
    let all: Vec<String> = worst.iter().map(ToString::to_string).collect();
    all.join(", ")
}

/// The equilibrium next to the positions of an assembled mechanism, at its time.
///
/// # Errors
/// Forces that nothing balances, with the coordinates they act on; singular positions.
pub fn equilibrium(start: &Assembled, options: &StaticsOptions) -> Result<Equilibrium, StaticsError> {
    let (mut model, mut held) = hold(&start.model, None, start.t);
    stop(&mut model, &mut held);
    let model = Arc::new(model);
    let mut search = Search::new(model.clone(), start, options);
    let first = search.state(start);
    let at_start = search.look(first.clone())?;
    let rests_already = search.is_balanced(&at_start);
    let mut way = Way::Newton;
    let mut end = match search.newton(at_start.clone())? {
        Ok(local) => {
            let unstable = |local: &Local| local.stability().map(|s| s.unstable > 0);
            if !rests_already && unstable(&local)? {
                match search.relax(at_start)? {
                    Ok(other) if !unstable(&other)? => {
                        way = Way::RelaxedFromUnstable;
                        other
                    }
                    _ => local,
                }
            } else {
                local
            }
        }
        Err(_) => {
            way = Way::Relaxed;
            match search.relax(at_start)? {
                Ok(local) => local,
                Err(stuck) => return Err(search.none(&stuck)),
            }
        }
    };
    // A mechanism that starts at rest in an unstable position was put there on purpose.
    let mut departures = 0;
    while !rests_already && departures < DEPARTURES && end.stability()?.unstable > 0 {
        departures += 1;
        match search.leave(&end)? {
            Some(other) => (end, way) = (other, Way::LeftUnstable),
            None => break,
        }
    }
    end.state.a.fill(0.0);
    let stability = end.stability()?;
    let moved = (start.q.iter().zip(&end.state.q).zip(&model.position_names))
        .filter(|((from, to), _)| (*to - *from).abs() > 1e-10)
        .map(|((from, to), name)| MovedCoordinate {
            stated: true,
            name: name.clone(),
            from: *from,
            to: *to,
        })
        .collect();
    let at = Assembled {
        q: end.state.q.clone(),
        v: vec![0.0; model.tree.n_v],
        a: vec![0.0; model.tree.n_v],
        lambda: end.state.lambda.clone(),
        x: end.state.x.clone(),
        x_rates: vec![0.0; end.state.x.len()],
        model: model.clone(),
        ..start.clone()
    };
    Ok(Equilibrium {
        start: at.with_readings().map_err(AnalysisError::from)?,
        unbalanced: if end.length > 0.0 {
            end.length / search.scale
        } else {
            0.0
        },
        open: end.open(&search.equation)?,
        kept: (end.kept.iter())
            .map(|(k, _)| model.states[*k].name.clone())
            .collect(),
        state: end.state,
        way,
        newton_steps: search.newton_steps,
        relaxation_steps: search.relaxation_steps,
        departures,
        stability,
        moved,
        held,
    })
}

/// Sets prescribed velocities to zero, as at rest, and adds the names of those that were not.
fn stop(model: &mut Model, names: &mut Vec<String>) {
    for constraint in &mut model.constraints {
        if let ConstraintElement::Coordinates(sum) = &mut constraint.element
            && sum.rate
            && let Some(velocity) = &mut sum.signal
        {
            if velocity.evaluate(0.0)[0] != 0.0 {
                names.push(constraint.name.clone());
            }
            *velocity = Signal::constant(0.0);
        }
    }
    names.dedup();
}

/// The mechanism with all that is prescribed held at its value, and the names of what moved. With a
/// `base`, it is held at the values there, and only what differs from it still moves.
pub(crate) fn hold(model: &Model, base: Option<&Model>, t: f64) -> (Model, Vec<String>) {
    let mut still = model.clone();
    let mut names = Vec::new();
    let mut hold = |signal: &mut Signal, base: Option<&Signal>, name: &str| {
        let [u, rate, acceleration] = signal.evaluate(t);
        if rate != 0.0 || acceleration != 0.0 {
            names.push(name.to_string());
        }
        *signal = match base {
            None => Signal::constant(u),
            Some(base) => Signal::Sum(vec![
                Signal::constant(base.evaluate(t)[0]),
                signal.clone(),
                Signal::Scaled(-1.0, Box::new(base.clone())),
            ]),
        };
    };
    for (k, signal) in still.signals.iter_mut().enumerate() {
        let node = model.tree.nodes.iter().position(|n| n.prescribed == Some(k));
        let joint = model
            .joints
            .iter()
            .find(|j| node.is_some_and(|n| j.coordinates.contains(&n)));
        let name = joint.map_or("a prescribed coordinate", |j| j.name.as_str());
        hold(signal, base.and_then(|base| base.signals.get(k)), name);
    }
    for (k, constraint) in still.constraints.iter_mut().enumerate() {
        let base = base.and_then(|base| base.constraints.get(k));
        let base = base.and_then(|base| base.element.signal());
        if let Some(signal) = constraint.element.signal_mut() {
            hold(signal, base, &constraint.name);
        }
    }
    // Set points that depend on time alone: the rate of others is not known and counts as zero already.
    for (k, force) in still.forces.iter_mut().enumerate() {
        let base = base.and_then(|base| base.forces.get(k)?.element.set_point());
        if let Some(target) = force.element.set_point_mut()
            && target.controls().is_empty()
        {
            hold(target, base, &force.name);
        }
    }
    for (k, control) in still.controls.iter_mut().enumerate() {
        let base = base.and_then(|base| base.controls.get(k)?.element.set_point());
        if let Some(target) = control.element.set_point_mut()
            && target.controls().is_empty()
        {
            hold(target, base, &control.name);
        }
    }
    names.dedup();
    (still, names)
}
