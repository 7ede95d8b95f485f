//! Assembly: from rough start values to a state that satisfies everything.

use super::border::Border;
use super::closure::{Closure, RowScales, distance, exceeds};
use super::open::{OpenLoop, open_loops, worst_rows};
use super::past::{self, NoBeginning};
use super::problem::StartProblem;
use super::redundancy;
use super::report::RowReport;
use super::warnings::{self, Warning};
use super::{KinematicError, KinematicRun, KinematicState, contacts, kinematic};
use crate::diagnostic::Diagnostic;
use crate::elements::constraints::RowLevel;
use crate::elements::controls::ControlElement;
use crate::formalism::reactions::{Motion, Reaction};
use crate::mechanical::MechanicalModel;
use crate::model::Model;
use crate::signal::Signal;
use crate::tree::NodeKind;
use core::fmt;
use holonom_dae::{Mechanical, Rejection};
use std::sync::Arc;

/// What is left of G v̇ + γ, relative to the accelerations, that is still rounding.
const ACCELERATION_TOLERANCE: f64 = 1e-7;

/// Changes of coordinates below this are not reported: rad, or parts of the mechanism's size.
const NOT_MOVED: f64 = 1e-10;

/// Relative error of data that are printed with six digits.
pub const DATA_PRECISION: f64 = 1e-6;

/// Positions that were moved by more than this, in sizes or radians, although the loops were closed, are suspicious.
const MOVED_FAR: f64 = 0.03;

/// How a mechanism is assembled.
#[derive(Clone, Debug, PartialEq)]
pub struct AssemblyOptions {
    /// Start time, s.
    pub time: f64,
    /// Close loops and correct velocities. When off, start values that do not fit are an error.
    pub assemble: bool,
    /// Gap of a closed loop: rad, or parts of the mechanism's size.
    pub tolerance: f64,
    /// Gap, and speed of a gap, that start values may have when nothing is corrected.
    pub check_tolerance: f64,
    /// Relative error of the data: of lengths in parts of the loop's length, of directions in rad. Rows that
    /// conflict by no more than it explains are redundant.
    pub data_precision: f64,
    /// How many other starts are tried when loops do not close from the given one.
    pub other_starts: usize,
    /// Positions to start from instead of those of the model.
    pub positions: Option<Vec<f64>>,
    /// Velocities to start from instead of those of the model.
    pub velocities: Option<Vec<f64>>,
}

impl Default for AssemblyOptions {
    fn default() -> Self {
        Self {
            time: 0.0,
            assemble: true,
            tolerance: 1e-12,
            check_tolerance: 1e-8,
            data_precision: DATA_PRECISION,
            other_starts: 36,
            positions: None,
            velocities: None,
        }
    }
}

/// A coordinate that assembly changed.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedCoordinate {
    /// Its name.
    pub name: String,
    /// Value as described.
    pub from: f64,
    /// Value after assembly.
    pub to: f64,
    /// Whether the value before was stated.
    pub stated: bool,
}

impl fmt::Display for MovedCoordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = self.to - self.from;
        write!(
            f,
            "{}: {:.6} -> {:.6} ({change:+.3e})",
            self.name, self.from, self.to
        )
    }
}

/// Level of a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Positions.
    Position,
    /// Velocities.
    Velocity,
    /// Accelerations.
    Acceleration,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "positions",
            Self::Velocity => "velocities",
            Self::Acceleration => "accelerations",
        })
    }
}

/// Why a mechanism could not be assembled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", Diagnostic::from(self))]
pub enum AssemblyError {
    /// No position was found that closes all loops.
    CannotClose {
        /// The loops that stay open where the gaps are smallest, the worst first.
        loops: Vec<OpenLoop>,
    },
    /// The start values do not fit and assembly is off.
    Inconsistent {
        /// Positions or velocities.
        level: Level,
        /// What is not satisfied, the worst first.
        loops: Vec<OpenLoop>,
    },
    /// Joints close only with their axes opposite or turned, or half a turn off their thread.
    TurnedOver {
        /// The joints.
        joints: Vec<String>,
    },
    /// Fixed initial values contradict the constraints.
    Fixed {
        /// Positions or velocities.
        level: Level,
        /// Fixed values, with what the constraints need instead.
        fixed: Vec<MovedCoordinate>,
        /// What is not satisfied, the worst first.
        loops: Vec<OpenLoop>,
    },
    /// Constraints depend on each other but ask for different things.
    Contradiction {
        /// Where they contradict.
        level: Level,
        /// What is not satisfied, the worst first.
        loops: Vec<OpenLoop>,
    },
    /// Start values of the wrong number.
    WrongSize {
        /// Positions or velocities.
        what: &'static str,
        /// How many were given.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// The mechanism cannot be evaluated at the assembled position.
    Rejected(Rejection),
    /// What a sensor reads of accelerations, reactions or totals depends on itself with gain 1.
    SensorRing {
        /// The sensor.
        sensor: String,
        /// What it reads.
        channel: String,
    },
    /// A control that begins with what it sees sees itself.
    NoPast {
        /// The control.
        control: String,
    },
    /// A body is behind the plane that it can only hit.
    Penetration {
        /// The impact.
        constraint: String,
        /// How deep, m.
        depth: f64,
    },
    /// A body touches a plane at the start and moves into it.
    HitAtStart {
        /// The impact.
        constraint: String,
        /// Speed of the approach, m/s.
        speed: f64,
        /// Speed up to which it would rest, m/s.
        rest_speed: f64,
    },
}

impl From<&AssemblyError> for Diagnostic {
    fn from(error: &AssemblyError) -> Self {
        use AssemblyError as E;
        match error {
            E::CannotClose { loops } => Self::sentence(format!("cannot close {}", list(loops))).remedy(
                "check the lengths and markers of these loops, check that drivers and prescribed coordinates do \
                 not require a position out of reach, or give initial values closer to the closed position",
            ),
            E::Inconsistent { level, loops } => {
                Self::sentence(format!("the initial {level} do not satisfy {}", list(loops)))
                    .remedy("correct them, or enable assembly")
            }
            E::TurnedOver { joints } => Self::sentence(format!(
                "{} only in a flipped position, in which axes that should coincide are opposite or exchanged, or \
                 a screw is half a turn off its thread",
                turned(joints)
            ))
            .remedy("start closer to the intended position, give a start hint, or check the markers"),
            E::Fixed {
                level,
                fixed,
                loops,
            } => Self::sentence(format!(
                "the fixed initial {level} contradict {} ({})",
                list(loops),
                needed(fixed)
            ))
            .remedy("correct them, or do not fix all of them"),
            E::Contradiction { level, loops } => Self::sentence(format!(
                "the constraints contradict each other in the {level}; not satisfied: {}. Two drivers may move \
                 the same coordinate, or the mechanism is locked in a singular position",
                list(loops)
            ))
            .remedy("remove one of the constraints or change the geometry"),
            E::WrongSize {
                what,
                found,
                expected,
            } => Self::sentence(format!(
                "{found} {what} were given, but the mechanism has {expected}"
            )),
            E::Rejected(rejection) => Self::sentence(format!(
                "the accelerations at the start cannot be computed ({rejection}): a body without mass or inertia \
                 may be able to move on its own"
            ))
            .remedy("give it mass and inertia"),
            E::SensorRing { sensor, channel } => Self::sentence(format!(
                "sensor \"{sensor}\" reads {channel}, which depends on forces that depend on the sensor: this \
                 algebraic loop has gain 1 and no unique solution at the start"
            ))
            .remedy(
                "change the gain, or insert a `lag` or another filter between the sensor and the force",
            ),
            E::NoPast { control } => Self::sentence(format!(
                "control \"{control}\" is initialised from its input at the start, which depends on its own \
                 output in a loop with too much gain"
            ))
            .remedy("insert a `lag` in the loop"),
            E::Penetration { constraint, depth } => Self::sentence(format!(
                "impact `{constraint}` starts {depth:.3e} m behind its plane"
            ))
            .remedy("move the body to the side to which z of the plane points, or correct the radius"),
            E::HitAtStart {
                constraint,
                speed,
                rest_speed,
            } => Self::sentence(format!(
                "impact `{constraint}` is in contact at the start and approaches at {speed:.3e} m/s, faster than \
                 its rest speed of {rest_speed:.3e} m/s"
            ))
            .remedy("start before the impact, or with the velocity after it"),
        }
    }
}

fn turned(joints: &[String]) -> String {
    let names: Vec<String> = joints.iter().map(|joint| format!("`{joint}`")).collect();
    match names.as_slice() {
        [one] => format!("joint {one} closes"),
        all => format!("joints {} close", all.join(", ")),
    }
}

fn needed(fixed: &[MovedCoordinate]) -> String {
    let word = |m: &MovedCoordinate| {
        // As many digits as tell the two apart.
        let apart = (m.to - m.from).abs();
        let digits = if apart > 0.0 {
            (1.0 - apart.log10().floor()).clamp(6.0, 15.0) as usize
        } else {
            6
        };
        format!(
            "`{}` is fixed at {:.digits$}, but {:.digits$} would fit",
            m.name, m.from, m.to
        )
    };
    let mut text: Vec<String> = fixed.iter().take(5).map(word).collect();
    if fixed.len() > 5 {
        text.push(format!("{} more", fixed.len() - 5));
    }
    let text = text.join(", ");
    // The values belong to one position.
    if fixed.len() > 1 {
        format!("{text}, all of these together")
    } else {
        text
    }
}

fn list(loops: &[OpenLoop]) -> String {
    let mut text: Vec<String> = loops.iter().take(5).map(OpenLoop::to_string).collect();
    if loops.len() > 5 {
        text.push(format!("{} more", loops.len() - 5));
    }
    text.join(", ")
}

/// A mechanism with a consistent state at its start.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The mechanism.
    pub model: Arc<Model>,
    /// Time.
    pub t: f64,
    /// Positions with g = 0.
    pub q: Vec<f64>,
    /// Velocities with G v + g_t = 0.
    pub v: Vec<f64>,
    /// Accelerations v̇.
    pub a: Vec<f64>,
    /// Own states of elements, at their start values.
    pub x: Vec<f64>,
    /// Derivatives of the own states.
    pub x_rates: Vec<f64>,
    /// Multipliers of the active rows.
    pub lambda: Vec<f64>,
    /// What sensors read of accelerations, multipliers and totals, in the order of
    /// [`Model::readings`].
    pub readings: Vec<f64>,
    /// Which rows are active.
    pub rows: RowReport,
    /// Relative error of the data, as assumed.
    pub data_precision: f64,
    /// Positions that were changed.
    pub moved: Vec<MovedCoordinate>,
    /// Velocities that were changed.
    pub moved_velocities: Vec<MovedCoordinate>,
    /// What its author may not have meant.
    pub warnings: Vec<Warning>,
}

impl Model {
    /// Closes loops, chooses independent rows and makes velocities, accelerations and multipliers
    /// consistent.
    ///
    /// ```
    /// use holonom_multibody::Description;
    /// use holonom_multibody::description::{Body, Joint, frame};
    /// use std::sync::Arc;
    ///
    /// // A planar four-bar linkage of spatial revolute joints, from rough angles.
    /// let bar = |name: &str, length: f64| {
    ///     Body::planar(name, 1.0, 0.1)
    ///         .centre([0.5 * length, 0.0, 0.0])
    ///         .marker("end", frame::at([length, 0.0, 0.0]))
    /// };
    /// let model = Description::new("four-bar")
    ///     .gravity([0.0, -9.81, 0.0])
    ///     .ground_marker("right", frame::at([2.0, 0.0, 0.0]))
    ///     .body(bar("crank", 0.5))
    ///     .body(bar("coupler", 2.0))
    ///     .body(bar("rocker", 1.0))
    ///     .joint(Joint::revolute("left", "ground", "crank").start(1.5, 0.0))
    ///     .joint(Joint::revolute("elbow", "crank.end", "coupler").start(-1.3, 0.0))
    ///     .joint(Joint::revolute("right", "ground.right", "rocker").start(1.5, 0.0))
    ///     .joint(Joint::revolute("loop", "coupler.end", "rocker.end"))
    ///     .compile()
    ///     .map(Arc::new)?;
    /// let start = model.assemble(&Default::default())?;
    /// assert_eq!(start.degrees_of_freedom(), 1);
    /// assert_eq!(start.rows.dropped.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Loops that do not close, constraints that contradict each other; by name.
    pub fn assemble(self: &Arc<Self>, options: &AssemblyOptions) -> Result<Assembled, AssemblyError> {
        assemble(self.clone(), options)
    }
}

/// The same as [`Model::assemble`].
///
/// # Errors
/// See there.
pub fn assemble(model: Arc<Model>, options: &AssemblyOptions) -> Result<Assembled, AssemblyError> {
    if model.switched().is_empty() {
        return assemble_rows(model, options);
    }
    contacts::assemble(model, options)
}

/// Names the row that takes part and is most nearly implied by the others, where the given positions close the loops as
/// well as the data are known, and were moved far all the same: it may be made by errors of the data.
fn doubt_what_moved_far(closure: &mut Closure, (given, found): (&[f64], &[f64]), rows: &mut RowReport) {
    let gaps = closure.gaps(given);
    let open = gaps
        .iter()
        .zip(&closure.gap_scale)
        .map(|(g, scale)| g.abs() / scale);
    let open = open.fold(0.0, f64::max);
    let unit = position_units(closure);
    let moved = given.iter().zip(found).zip(&unit);
    let moved = moved.map(|((a, b), unit)| (a - b).abs() / unit);
    let moved = moved.fold(0.0, f64::max);
    let explained = Border::new(closure.precision).enough();
    if open <= explained
        && moved > MOVED_FAR
        && let Some(weakest) = rows.weakest.clone()
        && rows.doubtful.iter().all(|d| d.row != weakest.row)
    {
        rows.doubtful.push(weakest);
    }
}

/// The same as [`assemble`], all rows taken as conditions that hold.
pub(super) fn assemble_rows(
    model: Arc<Model>,
    options: &AssemblyOptions,
) -> Result<Assembled, AssemblyError> {
    let mut q = given("positions", &options.positions, &model.q0)?;
    let mut v = given("velocities", &options.velocities, &model.v0)?;
    normalise(&model, &mut q);
    let mut closure = Closure::new(model.clone(), options.time, &q, options.data_precision);
    let mut problem = StartProblem::new(&closure, &q, options);
    let (q_given, v_given) = (q.clone(), v.clone());
    let gap = problem.close(&mut q, options)?;
    let mut rows = redundancy::choose(&mut closure, &q, options.tolerance).map_err(|wrong| {
        AssemblyError::Contradiction {
            level: Level::Position,
            loops: worst_rows(&closure, &wrong.0, Level::Position),
        }
    })?;
    if gap > options.tolerance.max(closure.rounding) {
        problem.close_chosen(&q_given, &mut q, &rows, options)?;
    }
    doubt_what_moved_far(&mut closure, (&q_given, &q), &mut rows);
    let gaps = closure.gaps(&q);
    for dropped in &mut rows.dropped {
        dropped.misfit = gaps[dropped.row].abs();
    }
    problem.fit_velocities(&q, &mut v, &rows, options)?;
    if rows.singular_start && options.assemble {
        problem
            .follow_branches(&q, &mut v, &v_given, &rows)
            .map_err(AssemblyError::Rejected)?;
    }
    let mut mechanical = MechanicalModel::new(model.clone(), rows.active.clone());
    let mut lambda = vec![0.0; rows.active.len()];
    let mut a = vec![0.0; model.tree.n_v];
    mechanical
        .accelerations(options.time, &q, &v, &mut lambda, &mut a)
        .map_err(|rejection| rejected(&model, rejection))?;
    let mut x = model.x0.clone();
    past::begin(
        &mut mechanical,
        (options.time, &q, &v),
        &mut x,
        &mut lambda,
        &mut a,
    )
    .map_err(|fault| match fault {
        NoBeginning::Rejected(rejection) => rejected(&model, rejection),
        NoBeginning::Ring(number) => AssemblyError::NoPast {
            control: model.controls[number].name.clone(),
        },
    })?;
    let mut readings = vec![0.0; model.readings.len()];
    mechanical.readings(&mut readings);
    let mut x_rates = vec![0.0; x.len()];
    mechanical
        .state_rates(options.time, &q, &v, &lambda, &mut x_rates)
        .map_err(AssemblyError::Rejected)?;
    check_accelerations(&mut closure, &q, &v, &a, rows.noise_at_start)?;
    let unit = position_units(&closure);
    let stated = |i: usize| problem.is_stated_position(i);
    let mut moved = changes(&model.position_names, &q_given, &q, &unit, stated);
    let stated = |i: usize| problem.is_stated_velocity(i);
    let mut moved_velocities = changes(&model.velocity_names, &v_given, &v, &closure.unit, stated);
    moved.extend(problem.value_moves(false, &q, &v));
    moved_velocities.extend(problem.value_moves(true, &q, &v));
    Ok(Assembled {
        t: options.time,
        moved,
        moved_velocities,
        warnings: warnings::look(&model, options.time, &q_given, &q, closure.size),
        model,
        q,
        v,
        a,
        x,
        x_rates,
        lambda,
        readings,
        rows,
        data_precision: options.data_precision,
    })
}

/// Why there are no accelerations, by name.
fn rejected(model: &Model, rejection: Rejection) -> AssemblyError {
    let reading = match rejection {
        Rejection::SingularRing { reading } => model.readings.get(reading),
        _ => None,
    };
    let control = reading.map(|reading| &model.controls[reading.control]);
    match control.map(|control| (&control.name, &control.element)) {
        Some((name, ControlElement::Sensor(sensor))) => AssemblyError::SensorRing {
            sensor: name.clone(),
            channel: sensor.channel.name.clone(),
        },
        _ => AssemblyError::Rejected(rejection),
    }
}

fn given(what: &'static str, option: &Option<Vec<f64>>, start: &[f64]) -> Result<Vec<f64>, AssemblyError> {
    match option {
        Some(x) if x.len() != start.len() => Err(AssemblyError::WrongSize {
            what,
            found: x.len(),
            expected: start.len(),
        }),
        Some(x) => Ok(x.clone()),
        None => Ok(start.to_vec()),
    }
}

/// Euler parameters to length one.
fn normalise(model: &Model, q: &mut [f64]) {
    for node in model.tree.nodes.iter().filter(|n| n.kind == NodeKind::Ball) {
        let e = &mut q[node.q..node.q + 4];
        let length = e.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            e.iter_mut().for_each(|x| *x /= length);
        } else {
            e[0] = 1.0;
        }
    }
}

/// Rows that were dropped must be satisfied by the accelerations as well.
fn check_accelerations(
    closure: &mut Closure,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    noise: f64,
) -> Result<(), AssemblyError> {
    let all: Vec<usize> = (0..closure.model.rows.len()).collect();
    let bias = closure.acceleration_gaps(q, v, &vec![0.0; a.len()]);
    let rest = closure.acceleration_gaps(q, v, a);
    let size = 1.0 + closure.largest_step(a) + closure.largest_gap(&bias, &all);
    let square = closure.largest_step(v).powi(2);
    let loops = open_loops(
        closure,
        &rest,
        &all,
        Level::Acceleration,
        (ACCELERATION_TOLERANCE * size).max(noise * (size + square)),
    );
    let level = Level::Acceleration;
    if loops.is_empty() {
        Ok(())
    } else {
        Err(AssemblyError::Contradiction { level, loops })
    }
}

/// What each position is measured by.
fn position_units(closure: &Closure) -> Vec<f64> {
    let mut unit = vec![1.0; closure.model.tree.n_q];
    for node in closure.model.tree.nodes.iter().filter(|node| node.n_q() == 1) {
        unit[node.q] = closure.unit[node.v];
    }
    unit
}

fn changes(
    names: &[String],
    from: &[f64],
    to: &[f64],
    unit: &[f64],
    stated: impl Fn(usize) -> bool,
) -> Vec<MovedCoordinate> {
    let changed = |&i: &usize| exceeds(to[i] - from[i], NOT_MOVED * unit[i]);
    let moved = |i: usize| MovedCoordinate {
        name: names[i].clone(),
        from: from[i],
        to: to[i],
        stated: stated(i),
    };
    (0..from.len()).filter(changed).map(moved).collect()
}

impl Assembled {
    /// Whether nothing can move: no degree of freedom is left, and no drive or prescribed motion changes with time.
    pub fn is_locked(&self) -> bool {
        let mut rows = self
            .model
            .constraints
            .iter()
            .map(|constraint| &constraint.element);
        let driven = rows.any(|element| element.signal().is_some_and(Signal::varies));
        self.degrees_of_freedom() == 0 && !driven && !self.model.signals.iter().any(Signal::varies)
    }

    /// Names of constraints with active rows on velocities, such as rolling and velocity drivers. Positions do not
    /// follow from these rows; they have to be integrated.
    pub fn velocity_constraints(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows.active.iter().map(|&row| &self.model.rows[row]);
        let rows = rows.filter(|row| row.level == RowLevel::Nonholonomic);
        rows.map(|row| self.model.constraints[row.constraint].name.as_str())
    }

    /// Velocities that can be chosen freely.
    pub fn degrees_of_freedom(&self) -> usize {
        self.rows.degrees_of_freedom
    }

    /// The largest turn or slide between two positions of this mechanism, turns in rad and slides in parts of its size.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let closure = Closure::new(self.model.clone(), self.t, &self.q, self.data_precision);
        distance(&closure, a, b)
    }

    /// The scales of the rows at the start.
    pub(crate) fn row_scales(&self) -> RowScales {
        Closure::new(self.model.clone(), self.t, &self.q, self.data_precision).scales()
    }

    /// The mechanism with its parts apart, with the active rows.
    pub fn mechanical(&self) -> MechanicalModel {
        let mut mechanical = MechanicalModel::new(self.model.clone(), self.rows.active.clone());
        mechanical.set_readings(&self.readings);
        mechanical.set_states(&self.x);
        mechanical
    }

    /// The same after its motion was changed by hand: what sensors read of it is found again.
    ///
    /// # Errors
    /// Loads that depend on what is read of them in a ring without a solution.
    pub fn with_readings(mut self) -> Result<Self, Rejection> {
        if !self.readings.is_empty() {
            let mut mechanical = self.mechanical();
            mechanical.set_states(&self.x);
            mechanical.find_readings((self.t, &self.q, &self.v), &self.a, &self.lambda)?;
            mechanical.readings(&mut self.readings);
        }
        Ok(self)
    }

    /// The start as a state of motion.
    pub fn motion(&self) -> Motion<'_> {
        Motion {
            t: self.t,
            q: &self.q,
            v: &self.v,
            a: &self.a,
            x: &self.x,
            lambda: &self.lambda,
        }
    }

    /// Reactions in all joints and constraints at a state of motion, with λ of the active rows;
    /// components that dependent rows leave open are marked.
    pub fn reactions(&self, motion: &Motion<'_>) -> Vec<Reaction> {
        let mut mechanical = self.mechanical();
        mechanical.set_states(motion.x);
        // Where nothing can be read, the loads cannot be computed either: they become NaN.
        let at = (motion.t, motion.q, motion.v);
        if mechanical.find_readings(at, motion.a, motion.lambda).is_err() {
            mechanical.workspace().known.readings.fill(f64::NAN);
        }
        let work = mechanical.workspace();
        let mut reactions = work.reactions(&self.model, &self.rows.active, motion);
        for (reaction, known) in reactions.iter_mut().zip(&self.rows.uniqueness) {
            reaction.unique.clone_from(&known.components);
        }
        reactions
    }

    /// The motion at the given times of a mechanism that has no freedom left because everything is
    /// prescribed or driven.
    ///
    /// # Errors
    /// Degrees of freedom that are left; a singular position on the way, with the states before it.
    pub fn kinematic_run(&self, times: &[f64]) -> Result<KinematicRun, KinematicError> {
        kinematic::run(self, times)
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
        kinematic::follow(self, times, visit)
    }
}
