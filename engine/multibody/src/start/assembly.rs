//! Assembly: from rough start values to a state that satisfies everything.

use super::border::Border;
use super::closure::{Closure, RowScales, distance, exceeds};
use super::error::{AssemblyError, AssemblyOptions, MovedCoordinate};
use super::open::{open_loops, worst_rows};
use super::past::{self, NoBeginning};
use super::problem::StartProblem;
use super::redundancy;
use super::report::{Level, RowReport};
use super::warnings::{self, Warning};
use crate::elements::constraints::RowLevel;
use crate::elements::controls::ControlElement;
use crate::formalism::reactions::{Motion, Reaction};
use crate::mechanical::MechanicalModel;
use crate::model::Model;
use crate::signal::Signal;
use crate::tree::NodeKind;
use holonom_dae::{Mechanical, Rejection};
use std::sync::Arc;

/// What is left of G v̇ + γ, relative to the accelerations, that is still rounding.
const ACCELERATION_TOLERANCE: f64 = 1e-7;

/// Changes of coordinates below this are not reported: rad, or parts of the mechanism's size.
const NOT_MOVED: f64 = 1e-10;

/// Positions that were moved by more than this, in sizes or radians, although the loops were closed, are suspicious.
const MOVED_FAR: f64 = 0.03;

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
}
