//! [`Sampler`]: rows of channel values along a run.

use super::Selection;
use super::catalogue::Tables;
use super::source::{LARGEST, Scratch, Source, Stage, State};
use crate::formalism::constraint_matrix::largest_constraint;
use crate::formalism::reactions::{Motion, place};
use crate::formalism::world::world_velocities;
use crate::model::Model;
use crate::residual::Equations;
use crate::start::{Assembled, KinematicState, MechanicalModel};
use core::ops::Range;
use holonom_dae::Mechanical;
use std::sync::Arc;

/// A selection that belongs to another mechanism than the one to be sampled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the channels were selected for `{selected}`, compiled or assembled apart from the `{given}` that is \
     sampled: select them from the catalogue of the same assembled mechanism"
)]
pub struct ForeignSelection {
    /// The mechanism of the selection.
    pub selected: String,
    /// The mechanism handed in.
    pub given: String,
}

/// Values that are computed together, and where they go.
#[derive(Clone, Debug)]
struct Task {
    source: Source,
    stage: Stage,
    /// Its part of the targets.
    targets: Range<usize>,
}

/// Evaluates selected channels; allocates when made, not afterwards.
///
/// Only what the selection needs is computed. Accelerations, multipliers and reactions follow from
/// (t, q, v) by the equations of motion; those of the integration, which is less accurate in them,
/// are not used.
///
/// ```
/// use holonom_multibody::Description;
/// use holonom_multibody::channels::{Catalogue, Sampler};
/// use holonom_multibody::description::{Body, Joint};
/// use holonom_multibody::residual::{Form, Formalism};
/// use std::sync::Arc;
///
/// let model = Description::new("pendulum")
///     .body(Body::new("bob", 2.0).centre([1.0, 0.0, 0.0]))
///     .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, -1.0, 0.0]))
///     .compile()
///     .map(Arc::new)?;
/// let start = model.assemble(&Default::default())?;
/// let equations = start.equations(Form::Ode, Formalism::Residual)?;
/// let selection = Catalogue::new(&start).select(&["pin.angle*", "energy.total"])?;
/// let mut sampler = Sampler::new(&start, &equations, &selection)?;
/// let (y, yp) = start.state(&equations);
/// let mut row = vec![0.0; selection.len()];
/// sampler.sample(start.t, &y, &yp, &mut row);
/// assert_eq!(selection.channels()[2].name, "pin.angle.acceleration");
/// assert!((row[2] + 9.81).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    tables: Arc<Tables>,
    active: Vec<usize>,
    mechanical: MechanicalModel,
    scratch: Scratch,
    /// By stage, so that those that fail are the last.
    tasks: Vec<Task>,
    /// (place in the values of the source, column).
    targets: Vec<(u8, usize)>,
    stage: Stage,
    columns: usize,
    a: Vec<f64>,
    lambda: Vec<f64>,
    multipliers: Vec<f64>,
    rest: Vec<f64>,
    values: Vec<f64>,
    failures: u64,
}

impl Sampler {
    /// A sampler along solutions y of `equations`.
    ///
    /// # Errors
    /// A selection from the catalogue of another mechanism.
    pub fn new(
        assembled: &Assembled,
        equations: &Equations,
        selection: &Selection,
    ) -> Result<Self, ForeignSelection> {
        if !Arc::ptr_eq(equations.model(), &assembled.model) {
            return Err(foreign(&assembled.model, equations.model()));
        }
        Self::with_rows(assembled, equations.active().to_vec(), selection)
    }

    /// A sampler along a kinematic run, or along any motion that has been computed otherwise.
    ///
    /// # Errors
    /// A selection from the catalogue of another mechanism.
    pub fn of_motion(assembled: &Assembled, selection: &Selection) -> Result<Self, ForeignSelection> {
        Self::with_rows(assembled, assembled.rows.active.clone(), selection)
    }

    fn with_rows(
        assembled: &Assembled,
        active: Vec<usize>,
        selection: &Selection,
    ) -> Result<Self, ForeignSelection> {
        let (model, tables) = (&assembled.model, selection.tables.clone());
        if !Arc::ptr_eq(&tables.model, model) {
            return Err(foreign(&tables.model, model));
        }
        let (tasks, targets) = tasks(selection);
        Ok(Self {
            stage: tasks.last().map_or(Stage::Position, |task| task.stage),
            columns: selection.len(),
            a: vec![0.0; model.tree.n_v],
            lambda: vec![0.0; active.len()],
            multipliers: vec![0.0; model.rows.len()],
            rest: vec![0.0; model.tree.n_v],
            values: vec![0.0; LARGEST.max(largest_constraint(&model.constraints))],
            scratch: Scratch::new(model),
            mechanical: MechanicalModel::new(model.clone(), active.clone()),
            active,
            tables,
            tasks,
            targets,
            failures: 0,
        })
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows in which accelerations could not be computed. Everything that depends on them is NaN
    /// there.
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// Rows at singular positions: the multipliers are the smallest of many there.
    pub fn singular(&self) -> u64 {
        self.mechanical.regularised() as u64
    }

    /// Fills one row from a solution of the equations. The derivatives are those an integrator hands
    /// out; nothing is taken from them.
    ///
    /// # Panics
    /// When `y` is shorter than positions and velocities together, or `row` has not one entry per
    /// channel.
    pub fn sample(&mut self, t: f64, y: &[f64], _yp: &[f64], row: &mut [f64]) {
        let (n_q, n_v) = (self.tables.model.tree.n_q, self.tables.model.tree.n_v);
        let (q, v) = y[..n_q + n_v].split_at(n_q);
        self.sample_state(t, q, v, row);
    }

    /// Fills one row from time, positions and velocities.
    ///
    /// # Panics
    /// When `q`, `v` or `row` have the wrong length.
    pub fn sample_state(&mut self, t: f64, q: &[f64], v: &[f64], row: &mut [f64]) {
        let mut fine = true;
        if self.stage >= Stage::Acceleration {
            let (lambda, a) = (&mut self.lambda, &mut self.a);
            fine = self.mechanical.accelerations(t, q, v, lambda, a).is_ok();
        }
        self.fill(t, q, v, fine, row);
    }

    /// Fills one row from a motion with its accelerations and multipliers.
    ///
    /// # Panics
    /// When one of the parts of `motion`, or `row`, has the wrong length.
    pub fn sample_motion(&mut self, motion: &Motion<'_>, row: &mut [f64]) {
        self.a.copy_from_slice(motion.a);
        self.lambda.copy_from_slice(motion.lambda);
        self.fill(motion.t, motion.q, motion.v, true, row);
    }

    /// Fills one row from a state of a kinematic run.
    ///
    /// # Panics
    /// When the state is that of another mechanism, or `row` has the wrong length.
    pub fn sample_kinematic(&mut self, state: &KinematicState, row: &mut [f64]) {
        let KinematicState { t, q, v, a, lambda } = state;
        let motion = Motion {
            t: *t,
            q,
            v,
            a,
            lambda,
        };
        self.sample_motion(&motion, row);
    }

    /// Fills a row; the accelerations and multipliers are known if they are `fine`.
    fn fill(&mut self, t: f64, q: &[f64], v: &[f64], fine: bool, row: &mut [f64]) {
        assert_eq!(row.len(), self.columns, "one entry per selected channel");
        let tables = &*self.tables;
        let model = &*tables.model;
        let work = self.mechanical.workspace();
        place(model, work, t, q);
        if self.stage >= Stage::Velocity {
            work.set_velocities(model, v);
            if !model.needs_world {
                world_velocities(&model.tree, &work.geometry, &work.signals, v, &mut work.world);
            }
        }
        if self.stage >= Stage::Acceleration && fine {
            work.set_accelerations(model, Some(&self.a));
            for (&row, &l) in self.active.iter().zip(&self.lambda) {
                self.multipliers[row] = l;
            }
        }
        if self.stage >= Stage::Reaction && fine {
            work.clear_loads();
            work.add_forces(model);
            work.add_multipliers(model, &self.active, &self.lambda, -1.0);
            work.newton_euler(model, &self.a, &mut self.rest);
        }
        let mut state = State {
            tables,
            work,
            multipliers: &self.multipliers,
            scratch: &mut self.scratch,
        };
        for task in &self.tasks {
            let targets = &self.targets[task.targets.clone()];
            if task.stage >= Stage::Acceleration && !fine {
                self.values.fill(f64::NAN);
            } else {
                state.evaluate(task.source, &mut self.values);
            }
            for &(place, column) in targets {
                row[column] = self.values[usize::from(place)];
            }
        }
        self.failures += u64::from(!fine);
    }
}

fn foreign(selected: &Model, given: &Model) -> ForeignSelection {
    ForeignSelection {
        selected: selected.name.clone(),
        given: given.name.clone(),
    }
}

/// Channels with the same source become one task; channels of one source are neighbours in the
/// catalogue.
fn tasks(selection: &Selection) -> (Vec<Task>, Vec<(u8, usize)>) {
    let mut order: Vec<usize> = (0..selection.len()).collect();
    let key = |&column: &usize| {
        let (number, entry) = &selection.entries[column];
        (entry.source.stage(), *number)
    };
    order.sort_by_key(key);
    let (mut tasks, mut targets): (Vec<Task>, Vec<(u8, usize)>) = (Vec::new(), Vec::new());
    for column in order {
        let entry = &selection.entries[column].1;
        match tasks.last_mut() {
            Some(task) if task.source == entry.source => task.targets.end += 1,
            _ => tasks.push(Task {
                source: entry.source,
                stage: entry.source.stage(),
                targets: targets.len()..targets.len() + 1,
            }),
        }
        targets.push((entry.place, column));
    }
    (tasks, targets)
}
