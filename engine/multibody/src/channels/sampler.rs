//! [`Sampler`]: rows of channel values along a run.

use super::Selection;
use crate::description::Input;
use crate::formalism::observe::{LARGEST, View};
use crate::formalism::reactions::Motion;
use crate::mechanical::MechanicalModel;
use crate::model::Model;
use crate::observable::{Observable, Stage};
use crate::residual::{Equations, Loops, LoopsRoom};
use crate::start::{Assembled, KinematicState};
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
    observable: Observable,
    stage: Stage,
    /// Its part of the targets.
    targets: Range<usize>,
}

/// What a row takes.
#[derive(Clone, Debug, Default)]
struct Plan {
    /// Free coordinates need no evaluation: (number in q, v or v̇, column).
    copies: [Vec<(usize, usize)>; 3],
    /// Everything else, by stage.
    tasks: Vec<Task>,
    /// (place in the values of the observable, column).
    targets: Vec<(u8, usize)>,
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
    model: Arc<Model>,
    inputs: Arc<[Input]>,
    active: Vec<usize>,
    /// How many of the active rows, the last ones, are contacts that are open or closed; 1 for each
    /// of them that is closed.
    contacts: Vec<f64>,
    mechanical: MechanicalModel,
    /// Where active rows are exchanged for better ones: how, those to begin with, and room.
    exchange: Option<Box<(Loops, Vec<usize>, LoopsRoom)>>,
    /// Where readings lie in y; empty without them.
    readings: Range<usize>,
    plan: Plan,
    /// The latest stage of all channels, coordinates among them.
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
        let mut sampler = Self::with_rows(assembled, equations.active().to_vec(), selection)?;
        sampler.contacts = vec![0.0; equations.switched()];
        sampler.readings = equations.readings();
        if let Some(loops) = equations.exchanging() {
            let room = loops.room(&sampler.model);
            sampler.exchange = Some(Box::new((loops.clone(), sampler.active.clone(), room)));
        }
        Ok(sampler)
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
        let model = &assembled.model;
        if !Arc::ptr_eq(&selection.model, model) {
            return Err(foreign(&selection.model, model));
        }
        let stages = selection
            .entries
            .iter()
            .map(|(_, entry)| entry.observable.stage(model));
        let mut mechanical = MechanicalModel::new(model.clone(), active.clone());
        mechanical.set_states(&assembled.x);
        Ok(Self {
            stage: stages.max().unwrap_or(Stage::Position),
            plan: Plan::new(model, selection),
            columns: selection.len(),
            a: vec![0.0; model.tree.n_v],
            lambda: vec![0.0; active.len()],
            multipliers: vec![0.0; model.rows.len()],
            rest: vec![0.0; model.tree.n_v],
            values: vec![0.0; LARGEST],
            mechanical,
            active,
            exchange: None,
            contacts: Vec::new(),
            readings: 0..0,
            model: model.clone(),
            inputs: selection.inputs.clone(),
            failures: 0,
        })
    }

    /// How many of the first entries of y [`sample`](Self::sample) reads: positions, velocities,
    /// own states and, of mechanisms with impacts, multipliers; all of them where sensors read
    /// something as an unknown of its own.
    pub fn leading(&self) -> usize {
        let known = match self.contacts.len() {
            0 => self.motion(),
            _ => self.motion() + self.active.len(),
        };
        known.max(self.readings.end)
    }

    /// Positions, velocities and own states.
    fn motion(&self) -> usize {
        let model = &self.model;
        model.tree.n_q + model.tree.n_v + model.states.len()
    }

    /// Sets the own states of elements for [`sample_state`](Self::sample_state) and
    /// [`sample_kinematic`](Self::sample_kinematic); until then they are at their start values.
    ///
    /// # Panics
    /// When `x` has the wrong length.
    pub fn set_states(&mut self, x: &[f64]) {
        self.mechanical.set_states(x);
    }

    /// Keeps switches of expressions on the sides that a run gives with its discrete variables, the last of them; until
    /// then they follow the state.
    pub fn set_sides(&mut self, sides: &[f64]) {
        self.mechanical.workspace().set_sides(sides);
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
    /// When `y` is shorter than [`leading`](Self::leading), or `row` has not one entry per channel.
    pub fn sample(&mut self, t: f64, y: &[f64], _yp: &[f64], row: &mut [f64]) {
        let (n_q, n_v) = (self.model.tree.n_q, self.model.tree.n_v);
        let (known, multipliers) = y[..self.leading()].split_at(self.motion());
        // An open contact has λ = 0 exactly: that is its equation.
        let first = self.active.len() - self.contacts.len();
        for (closed, &lambda) in self.contacts.iter_mut().zip(multipliers.iter().skip(first)) {
            *closed = f64::from(u8::from(lambda != 0.0));
        }
        self.mechanical.set_contacts(&self.contacts);
        let (motion, x) = known.split_at(n_q + n_v);
        let (q, v) = motion.split_at(n_q);
        self.mechanical.set_states(x);
        if !self.readings.is_empty() {
            self.mechanical.set_readings(&y[self.readings.clone()]);
        }
        self.sample_state(t, q, v, row);
    }

    /// Fills one row from time, positions and velocities, with the own states as last set. Readings
    /// that forces depend on are looked for from those of the row before.
    ///
    /// # Panics
    /// When `q`, `v` or `row` have the wrong length.
    pub fn sample_state(&mut self, t: f64, q: &[f64], v: &[f64], row: &mut [f64]) {
        if self.stage < Stage::Acceleration {
            return self.fill(t, q, v, Known::State, row);
        }
        if let Some(exchange) = &mut self.exchange {
            // From those at the start, so that a row depends on its state alone.
            let (loops, active, room) = &mut **exchange;
            self.active.copy_from_slice(active);
            let with = (self.mechanical.workspace(), &mut *room);
            loops.choose(&self.model, (t, q), &mut self.active, with);
            self.mechanical.set_active(&self.active);
            self.multipliers.fill(0.0);
        }
        let (lambda, a) = (&mut self.lambda, &mut self.a);
        let known = match self.mechanical.accelerations(t, q, v, lambda, a) {
            Ok(()) => Known::Solved,
            Err(_) => Known::Failed,
        };
        self.fill(t, q, v, known, row);
    }

    /// Fills one row from a motion with its accelerations and multipliers.
    ///
    /// # Panics
    /// When one of the parts of `motion`, or `row`, has the wrong length.
    pub fn sample_motion(&mut self, motion: &Motion<'_>, row: &mut [f64]) {
        self.a.copy_from_slice(motion.a);
        self.mechanical.set_states(motion.x);
        self.lambda.copy_from_slice(motion.lambda);
        self.fill(motion.t, motion.q, motion.v, Known::State, row);
    }

    /// Fills one row from a state of a kinematic run.
    ///
    /// # Panics
    /// When the state is that of another mechanism, or `row` has the wrong length.
    pub fn sample_kinematic(&mut self, state: &KinematicState, row: &mut [f64]) {
        self.a.copy_from_slice(&state.a);
        self.lambda.copy_from_slice(&state.lambda);
        self.fill(state.t, &state.q, &state.v, Known::State, row);
    }

    /// Fills a row; accelerations and multipliers are in the sampler.
    fn fill(&mut self, t: f64, q: &[f64], v: &[f64], mut known: Known, row: &mut [f64]) {
        assert_eq!(row.len(), self.columns, "one entry per selected channel");
        let late = known == Known::State && self.stage >= Stage::Acceleration;
        if late && !self.model.readings.is_empty() {
            let found = self.mechanical.find_readings((t, q, v), &self.a, &self.lambda);
            if found.is_err() {
                known = Known::Failed;
            }
        }
        let fine = known != Known::Failed;
        if !fine {
            self.failures += 1;
            self.a.fill(f64::NAN);
        }
        for (copies, x) in self.plan.copies.iter().zip([q, v, &self.a]) {
            for &(from, column) in copies {
                row[column] = x[from];
            }
        }
        let Some(stage) = self.plan.tasks.last().map(|task| task.stage) else {
            return;
        };
        let model = &*self.model;
        let work = self.mechanical.workspace();
        if known == Known::State {
            work.set_time(model, t);
            work.set_positions(model, q);
            if stage >= Stage::Velocity {
                work.set_velocities(model, v);
            }
        }
        work.show_motion(model);
        if stage >= Stage::Acceleration && fine {
            work.set_accelerations(model, Some(&self.a));
            for (&row, &l) in self.active.iter().zip(&self.lambda) {
                self.multipliers[row] = l;
            }
            work.set_multipliers(model, &self.active, &self.lambda);
        }
        if stage >= Stage::Velocity && fine {
            work.evaluate_controls(model);
        }
        if stage >= Stage::Reaction && fine {
            work.clear_loads();
            work.add_forces(model);
            work.add_multipliers(model, &self.active, &self.lambda, -1.0);
            work.newton_euler(model, &self.a, &mut self.rest);
        }
        let mut view = View {
            inputs: &self.inputs,
            ..work.view(model, Some(&self.multipliers))
        };
        for task in &self.plan.tasks {
            if task.stage >= Stage::Acceleration && !fine {
                self.values.fill(f64::NAN);
            } else {
                view.evaluate(&task.observable, &mut self.values);
            }
            for &(place, column) in &self.plan.targets[task.targets.clone()] {
                row[column] = self.values[usize::from(place)];
            }
        }
    }
}

/// What the workspace and the sampler know when a row is to be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing is in the workspace yet.
    State,
    /// The equations of motion have been solved there.
    Solved,
    /// They have been tried: there are no accelerations.
    Failed,
}

fn foreign(selected: &Model, given: &Model) -> ForeignSelection {
    ForeignSelection {
        selected: selected.name.clone(),
        given: given.name.clone(),
    }
}

impl Plan {
    /// Channels of the same observable become one task; they are neighbours in the catalogue.
    fn new(model: &Model, selection: &Selection) -> Self {
        let mut order: Vec<usize> = (0..selection.len()).collect();
        order.sort_by_key(|&column| {
            let (number, entry) = &selection.entries[column];
            (entry.observable.stage(model), *number)
        });
        let mut plan = Self::default();
        for column in order {
            let entry = &selection.entries[column].1;
            if let Observable::Coordinate { node, order } = entry.observable {
                let node = &model.tree.nodes[node];
                if node.prescribed.is_none() {
                    let from = if order == 0 { node.q } else { node.v };
                    plan.copies[order].push((from, column));
                    continue;
                }
            }
            match plan.tasks.last_mut() {
                Some(task) if task.observable == entry.observable => task.targets.end += 1,
                _ => plan.tasks.push(Task {
                    observable: entry.observable.clone(),
                    stage: entry.observable.stage(model),
                    targets: plan.targets.len()..plan.targets.len() + 1,
                }),
            }
            plan.targets.push((entry.place, column));
        }
        plan
    }
}
