//! Steady motion of a vehicle: straight on or in a turn, at constant speed.
//!
//! In a frame that turns along, a steady turn is a rest: nothing changes but the place, the heading
//! and the angles of what spins, none of which matter on a flat road. Unknown are the position of the
//! carrier (height, roll, pitch) and of everything on it, its sideslip, the speeds of the wheels, the
//! states of elements, multipliers, and the values of inputs: steering and drive. Conditions are the
//! equations of motion with the accelerations of uniform circular motion, ẋ = 0, and the constraints. The carrier is
//! the heaviest body on a joint `free` or `free-cardan`. Where its way along x is prescribed, the
//! reaction there drives it, and steering is the only input that is needed.
//!
//! Newton's method has a line search; larger lateral accelerations are approached from smaller ones.
//! Derivatives by positions, states and multipliers are exact; those by the place of the carrier,
//! with the velocities and accelerations that follow it, and by inputs are central differences.

mod carrier;
mod search;

use crate::AnalysisError;
use crate::statics::Unbalanced;
use crate::tangent::State;
use carrier::{Carrier, Place};
use core::fmt;
use holonom_algebra::Vec3;
use holonom_multibody::Model;
use holonom_multibody::channels::{Catalogue, Sampler};
use holonom_multibody::formalism::reactions::Motion;
use holonom_multibody::start::Assembled;
use holonom_multibody::tree::NodeKind;
use search::{Look, Point, Search, Target};
use std::sync::Arc;

/// Makes the mechanism with other values of the inputs that are looked for.
pub type Make<'a> = dyn FnMut(&[f64]) -> Result<Arc<Model>, String> + 'a;

/// How steady motion is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrimOptions {
    /// Unbalanced forces, by √M_ii and g √M of the heaviest coordinate, that count as none.
    pub tolerance: f64,
    /// Newton steps at most, for one lateral acceleration.
    pub newton_steps: usize,
    /// The least step of lateral acceleration, m/s².
    pub least_step: f64,
    /// The largest angle between the velocity and the x axis of the carrier, rad. This is what a turn is taken
    /// for, not a result: beyond the grip of its tyres a vehicle that is driven can be pushed round at any
    /// sideslip, with part of its drive as side force. The default is 20°, where tyres on paved roads have
    /// their largest side force behind them or close before them.
    pub largest_sideslip: f64,
}

impl Default for TrimOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            newton_steps: 40,
            least_step: 1e-2,
            largest_sideslip: 20.0 * core::f64::consts::PI / 180.0,
        }
    }
}

impl TrimOptions {
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

    /// Sets [`least_step`](Self::least_step).
    #[must_use]
    pub fn least_step(mut self, least_step: f64) -> Self {
        self.least_step = least_step;
        self
    }

    /// Sets [`largest_sideslip`](Self::largest_sideslip).
    #[must_use]
    pub fn largest_sideslip(mut self, largest_sideslip: f64) -> Self {
        self.largest_sideslip = largest_sideslip;
        self
    }
}

/// How much a tyre is used.
#[derive(Clone, Debug, PartialEq)]
pub struct TyreUse {
    /// Name of the element.
    pub name: String,
    /// Load, N.
    pub load: f64,
    /// Force along the road by load.
    pub used: f64,
    /// Relative growth of the side force per relative growth of the slip: 1 at small slip, 0 where more
    /// slip gives no more force.
    pub reserve: f64,
}

impl TyreUse {
    /// Whether it gives no more, or carries nothing.
    pub fn saturated(&self) -> bool {
        self.load <= 0.0 || self.reserve < 0.15
    }
}

impl fmt::Display for TyreUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.load <= 0.0 {
            return write!(f, "{} (in the air)", self.name);
        }
        write!(
            f,
            "{} ({:.2} of its load of {:.0} N)",
            self.name, self.used, self.load
        )
    }
}

/// A steady motion.
#[derive(Clone, Debug)]
pub struct Trim {
    /// The mechanism, with what is prescribed as the motion needs it.
    pub start: Assembled,
    /// The state; accelerations are those of the turn.
    pub state: State,
    /// Values of the inputs.
    pub inputs: Vec<f64>,
    /// Speed of the carrier's origin, m/s.
    pub speed: f64,
    /// Lateral acceleration V r, positive to the left, m/s².
    pub lateral: f64,
    /// Yaw rate r, rad/s.
    pub yaw_rate: f64,
    /// Direction of the velocity against the x axis of the carrier, rad.
    pub sideslip: f64,
    /// Newton steps so far.
    pub steps: usize,
    /// What is left unbalanced, by g √M of the heaviest coordinate.
    pub unbalanced: f64,
    /// Tyres.
    pub tyres: Vec<TyreUse>,
    /// Distance along the x axis of the carrier from the middle of the tyres in front of their mean to the
    /// middle of those behind, m; none without tyres on both sides.
    pub wheelbase: Option<f64>,
    /// Roll of the carrier: turn about its x axis, positive when it leans to the right, rad.
    pub roll: f64,
}

/// Why there is no steady motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrimError {
    /// No body moves freely.
    #[error(
        "no body can move along a circle: a trim needs a body connected to the ground by a joint of kind \
    `free` or `free-cardan`"
    )]
    NoCarrier,
    /// The carrier cannot turn and move in the plane.
    #[error(
        "`{body}` cannot move along a circle: all six coordinates of its joint must be free, except x, which \
         may be prescribed"
    )]
    Locked {
        /// The body.
        body: String,
    },
    /// Too few or too many inputs.
    #[error(
        "{found} inputs are given, {wanted} are needed to hold speed and direction: steering{}",
        if *.wanted > 1 { " and drive" } else { " alone, since the motion along x is prescribed" }
    )]
    Count {
        /// Inputs given.
        found: usize,
        /// Inputs needed.
        wanted: usize,
    },
    /// The model cannot be made with other inputs.
    #[error("the inputs cannot be changed: {reason}")]
    Inputs {
        /// What was said.
        reason: String,
    },
    /// The equations cannot be evaluated.
    #[error("the equations of motion cannot be evaluated near the start: check tables and expressions there")]
    Undefined,
    /// Speeds that are none.
    #[error("steady motion needs a positive speed, not {0} m/s")]
    Speed(f64),
    /// No steady motion.
    #[error("no steady motion was found at a lateral acceleration of {lateral:.3} m/s²{}", told(.reached, .tyres, .worst, *.sliding))]
    NotFound {
        /// The lateral acceleration asked for, m/s².
        lateral: f64,
        /// The largest one towards it that was found, m/s².
        reached: Option<f64>,
        /// Tyres there.
        tyres: Vec<TyreUse>,
        /// Forces that are left unbalanced, N or N m.
        worst: Vec<Unbalanced>,
        /// Beyond it, there is a motion with more than [`TrimOptions::largest_sideslip`].
        sliding: bool,
    },
    /// The road or something else changes along the way.
    #[error(
        "the motion is not steady: after a displacement of {moved}, other forces act on the vehicle; a trim \
         needs a flat road and no force that connects the vehicle to a fixed place"
    )]
    NotFlat {
        /// How far.
        moved: &'static str,
    },
    /// The mechanism could not be linearised.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

fn told(reached: &Option<f64>, tyres: &[TyreUse], worst: &[Unbalanced], sliding: bool) -> String {
    let list = |all: Vec<String>| all.join(", ");
    let mut out = match reached {
        Some(lateral) => format!("; the last one found is at {lateral:.3} m/s²"),
        None => String::new(),
    };
    let full: Vec<String> = (tyres.iter().filter(|t| t.saturated()))
        .map(ToString::to_string)
        .collect();
    if !full.is_empty() {
        out += &format!(", where these tyres are at their limit: {}", list(full));
    } else if !tyres.is_empty() {
        let mut order: Vec<&TyreUse> = tyres.iter().collect();
        order.sort_by(|a, b| a.reserve.total_cmp(&b.reserve));
        let most = order.iter().take(2).map(ToString::to_string).collect();
        out += &format!(", where the most heavily loaded tyres are {}", list(most));
    } else if !worst.is_empty() {
        let worst = worst.iter().map(ToString::to_string).collect();
        out += &format!("; unbalanced are {}", list(worst));
    }
    if sliding {
        out += "; beyond that, the sideslip is too large for a steady turn";
    }
    out
}

/// Steady motions at one speed, for lateral accelerations in this order; each is approached from the one
/// before, the first from straight running. `inputs` are first values of steering, and of the drive where
/// the way along x is free.
///
/// # Errors
/// No body that moves freely, inputs that do not fit, no steady motion (with what saturates).
pub fn trim(
    start: &Assembled,
    speed: f64,
    laterals: &[f64],
    inputs: &[f64],
    make: &mut Make<'_>,
    options: &TrimOptions,
) -> Result<Vec<Trim>, TrimError> {
    if !(speed > 0.0 && speed.is_finite()) {
        return Err(TrimError::Speed(speed));
    }
    let carrier = Carrier::find(&start.model)?;
    let prescribed = |place: &&Place| matches!(place, Place::Prescribed(_));
    let wanted = match carrier.places.iter().filter(prescribed).count() {
        0 => 2,
        1 => 1,
        _ => {
            let body = start.model.bodies[carrier.body].name.clone();
            return Err(TrimError::Locked { body });
        }
    };
    if inputs.len() != wanted {
        let found = inputs.len();
        return Err(TrimError::Count { found, wanted });
    }
    let wheels = spinning(&start.model);
    let mut search = Search {
        t: start.t,
        active: start.rows.active.clone(),
        carrier,
        spinning: wheels.iter().map(|w| w.0).collect(),
        make,
        options: *options,
        weight: Vec::new(),
        scale: 1.0,
        made: None,
        steps: 0,
        shift: 0.0,
        slid: false,
    };
    let at = |lateral: f64| Target {
        speed,
        yaw_rate: lateral / speed,
    };
    let mut point = Point {
        q: start.q.clone(),
        x: vec![0.0; start.x.len()],
        lambda: start.lambda.clone(),
        spins: wheels.iter().map(|(_, radius)| speed / radius).collect(),
        sideslip: 0.0,
        inputs: inputs.to_vec(),
    };
    let mut reached: Option<(f64, Look)> = None;
    let mut out = Vec::new();
    let straight: &[f64] = if laterals.first() == Some(&0.0) {
        &[]
    } else {
        &[0.0]
    };
    for (k, &lateral) in straight.iter().chain(laterals).enumerate() {
        // In parts where it is too far at once.
        let mut at_last = reached.as_ref().map(|r| r.0);
        let mut step = at_last.map_or(0.0, |last| lateral - last);
        loop {
            let next = at_last.map_or(lateral, |last| {
                if (lateral - last).abs() <= step.abs() * (1.0 + 1e-9) {
                    lateral
                } else {
                    last + step
                }
            });
            match search.newton(point.clone(), at(next))? {
                Ok((found, look)) => {
                    point = found;
                    reached = Some((next, look));
                    at_last = Some(next);
                    if next == lateral {
                        break;
                    }
                }
                Err(worst) => {
                    step *= 0.5;
                    if step.abs() < options.least_step {
                        let (reached, tyres) = match &reached {
                            Some((at, look)) => (Some(*at), tyres(start, look)),
                            None => (None, Vec::new()),
                        };
                        return Err(TrimError::NotFound {
                            lateral,
                            reached,
                            tyres,
                            worst,
                            sliding: search.slid,
                        });
                    }
                }
            }
        }
        let Some((_, look)) = &reached else { continue };
        if out.is_empty() && k == 0 {
            check_flat(&mut search, &point, look, at(lateral))?;
        }
        if k >= straight.len() {
            out.push(Trim {
                start: assembled(start, look),
                state: look.state.clone(),
                inputs: point.inputs.clone(),
                speed,
                lateral,
                yaw_rate: lateral / speed,
                sideslip: point.sideslip,
                steps: search.steps,
                unbalanced: look.length / search.scale,
                tyres: tyres(start, look),
                wheelbase: wheelbase(&search.carrier, look),
                roll: roll(&search.carrier, look),
            });
        }
    }
    Ok(out)
}

fn assembled(start: &Assembled, look: &Look) -> Assembled {
    let at = Assembled {
        model: look.equation.model.clone(),
        q: look.state.q.clone(),
        v: look.state.v.clone(),
        a: look.state.a.clone(),
        x: look.state.x.clone(),
        x_rates: vec![0.0; look.state.x.len()],
        lambda: look.state.lambda.clone(),
        ..start.clone()
    };
    // What sensors read was found there before, when the equations were evaluated.
    at.clone().with_readings().unwrap_or(at)
}

/// The same motion elsewhere.
fn check_flat(search: &mut Search<'_>, at: &Point, look: &Look, target: Target) -> Result<(), TrimError> {
    for (axis, moved) in [(0, "1.7 m along x"), (1, "1.7 m along y")] {
        let mut model = (*look.equation.model).clone();
        let mut twist = [0.0; 6];
        twist[axis] = 1.7;
        let mut s = vec![0.0; look.state.v.len()];
        let mut shift = 0.0;
        for (place, d) in search
            .carrier
            .displacement(&mut model, (search.t, &at.q), twist)?
        {
            match place {
                Place::Free(i) => s[i] = d,
                Place::Prescribed(_) => shift = d,
            }
        }
        let mut other = at.clone();
        other.q = look.equation.moved(&at.q, &s);
        search.shift = shift;
        let found = search.look(&other, target)?;
        search.shift = 0.0;
        let held = found.is_some_and(|other| other.length <= 1e-6 * search.scale);
        if !held {
            return Err(TrimError::NotFlat { moved });
        }
    }
    Ok(())
}

/// Velocities of wheels that spin about the axles of their tyres, with the radii.
fn spinning(model: &Model) -> Vec<(usize, f64)> {
    let mut out: Vec<(usize, f64)> = Vec::new();
    for force in &model.forces {
        let Some((wheel, radius)) = force.element.wheel() else {
            continue;
        };
        let node = &model.tree.nodes[wheel.node];
        let axis = match node.kind {
            NodeKind::RevoluteX => [1.0, 0.0, 0.0],
            NodeKind::RevoluteY => [0.0, 1.0, 0.0],
            NodeKind::RevoluteZ | NodeKind::RevoluteTurned => [0.0, 0.0, 1.0],
            _ => continue,
        };
        let along = wheel.frame.rotation.column(1).dot(Vec3(axis));
        if node.prescribed.is_none() && along.abs() > 1.0 - 1e-9 && !out.iter().any(|(v, _)| *v == node.v) {
            out.push((node.v, radius * along.signum()));
        }
    }
    out
}

/// How much the tyres are used.
fn tyres(start: &Assembled, look: &Look) -> Vec<TyreUse> {
    let at = assembled(start, look);
    let mut out = Vec::new();
    for force in &at.model.forces {
        if force.element.wheel().is_none() {
            continue;
        }
        let name = &force.name;
        let patterns = ["load", "longitudinal", "lateral"].map(|part| format!("{name}.{part}"));
        let patterns = patterns.each_ref().map(String::as_str);
        let Ok(selection) = Catalogue::new(&at).select(&patterns) else {
            continue;
        };
        let Ok(mut sampler) = Sampler::of_motion(&at, &selection) else {
            continue;
        };
        let mut sample = |x: &[f64]| {
            let mut row = [0.0; 3];
            let motion = Motion { x, ..at.motion() };
            sampler.sample_motion(&motion, &mut row);
            row
        };
        let [load, along, across] = sample(&at.x);
        // One percent more slip.
        let mut more = at.x.clone();
        for x in &mut more[force.states.clone()] {
            *x *= 1.01;
        }
        let [_, _, further] = sample(&more);
        out.push(TyreUse {
            name: name.clone(),
            load,
            used: if load > 0.0 {
                along.hypot(across) / load
            } else {
                0.0
            },
            reserve: if across == 0.0 {
                1.0
            } else {
                (further / across - 1.0) / 0.01
            },
        });
    }
    out
}

/// Distance of the axles along the x axis of the carrier.
fn wheelbase(carrier: &Carrier, look: &Look) -> Option<f64> {
    let model = &look.equation.model;
    let snapshot = model.snapshot(look.state.t, &look.state.q, &look.state.v);
    let pose = snapshot.pose(carrier.body);
    let wheel = |force: &holonom_multibody::model::ModelForce| {
        let (wheel, _) = force.element.wheel()?;
        let body = (1..model.bodies.len()).find(|&b| model.bodies[b].node == wheel.node)?;
        let inner = &model.bodies[body].frame;
        let place = inner
            .rotation
            .transpose_times(wheel.frame.position - inner.position);
        let (centre, _) = snapshot.point(body, place.0);
        Some(pose.rotation.transpose_times(centre - pose.position).0[0])
    };
    let places: Vec<f64> = model.forces.iter().filter_map(wheel).collect();
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let middle = mean(&places);
    let (front, rear): (Vec<f64>, Vec<f64>) = places.iter().partition(|x| **x > middle);
    (!front.is_empty() && !rear.is_empty()).then(|| mean(&front) - mean(&rear))
}

fn roll(carrier: &Carrier, look: &Look) -> f64 {
    let state = &look.state;
    let snapshot = look.equation.model.snapshot(state.t, &state.q, &state.v);
    let turn = snapshot.pose(carrier.body).rotation;
    turn.0[2][1].atan2(turn.0[2][2])
}

/// The speed in the plane of the ground with which the carrier starts, m/s.
///
/// # Errors
/// No body that moves freely.
pub fn start_speed(start: &Assembled) -> Result<f64, TrimError> {
    let carrier = Carrier::find(&start.model)?;
    let snapshot = start.model.snapshot(start.t, &start.q, &start.v);
    let (_, velocity) = snapshot.point(carrier.body, [0.0; 3]);
    Ok(velocity.0[0].hypot(velocity.0[1]))
}
