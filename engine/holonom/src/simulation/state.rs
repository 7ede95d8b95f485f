//! States in results: what is recorded of them, and every channel from them afterwards.

use super::Simulation;
use super::run::RunError;
use holonom_format::{Files, Messages, Settings, read};
use holonom_multibody::channels::{Sampler, Selection};
use holonom_multibody::elements::Library;
use holonom_multibody::residual::{Equations, Form};
use holonom_multibody::{Description, Model};

/// One entry of a recorded state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateColumn {
    /// Name, unlike that of any channel.
    pub name: String,
    /// What it is, in a sentence.
    pub description: &'static str,
}

/// In front of the names of recorded states: no channel begins with it.
const PREFIX: &str = "state:";

impl Simulation {
    /// How many of the leading unknowns are recorded: positions, velocities, own states, multipliers of the
    /// constraints, and everything up to the last reading of a sensor.
    pub(super) fn recorded(&self, equations: &Equations) -> usize {
        let model = &self.start.model;
        let motion = model.tree.n_q + model.tree.n_v + model.states.len();
        let multipliers = match equations.form() {
            Form::Ode => 0,
            _ => equations.active().len(),
        };
        (motion + multipliers).max(equations.readings().end)
    }

    fn equations(&self) -> Result<Equations, RunError> {
        let equations = self
            .start
            .equations_with(self.form, self.formalism, self.ggl_metric)?;
        Ok(equations)
    }

    /// The entries of the state that a run with [`RunOptions::state`](super::RunOptions::state) records with every
    /// row, in their order.
    ///
    /// # Errors
    /// A form that does not fit the mechanism.
    pub fn state_columns(&self) -> Result<Vec<StateColumn>, RunError> {
        let model = &self.start.model;
        let column = |name: String, description| StateColumn {
            name: format!("{PREFIX}{name}"),
            description,
        };
        let positions = model.position_names.iter();
        let velocities = model.velocity_names.iter();
        let own = model.states.iter();
        let mut columns: Vec<StateColumn> = positions
            .map(|name| column(format!("position {name}"), "position of the state"))
            .chain(velocities.map(|name| column(format!("velocity {name}"), "velocity of the state")))
            .chain(own.map(|state| column(format!("own {}", state.name), "own state of an element")))
            .collect();
        if !self.is_kinematic() {
            let equations = self.equations()?;
            let leading = self.recorded(&equations);
            let system = equations.system();
            let others = system
                .structure()
                .variables
                .iter()
                .take(leading)
                .skip(columns.len());
            let others = others.map(|variable| column(variable.name.clone(), "unknown of the equations"));
            columns.extend(others);
        }
        let sides = 0..model.sides();
        columns.extend(sides.map(|side| column(format!("side {side}"), "side of a switch")));
        Ok(columns)
    }
}

/// Why recorded states cannot be played again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The text of the model is refused.
    #[error("the model in the result cannot be read again:\n{0}")]
    Model(Messages),
    /// The model is accepted, but its equations are not.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The states are those of another model.
    #[error(
        "the result has {found} entries of state in every row, but its model has {expected}; it was written by \
         another version: run the simulation again"
    )]
    Width {
        /// Entries of the model.
        expected: usize,
        /// Entries in the result.
        found: usize,
    },
}

/// A mechanism rebuilt from the text in a result, for the states in it.
///
/// ```
/// use holonom::format::{Files, Settings, read, write};
/// use holonom::simulation::{Memory, Replay, RunOptions, Simulation};
///
/// let text = r#"
/// [model]
/// format = 1
/// name = "pendulum"
/// [[body]]
/// name = "bob"
/// mass = 1
/// markers = { hinge = [0, 0, 1] }
/// [[joint]]
/// name = "hinge"
/// kind = "revolute"
/// from = "ground"
/// to = "bob.hinge"
/// axis = [0, 1, 0]
/// angle = "20 deg"
/// [simulation]
/// t_end = 1
/// "#;
/// let file = read("pendulum.toml", &Files::in_memory([("pendulum.toml", text)]), &[])?;
/// let simulation = Simulation::new(&file, &Settings::default())?;
/// let mut rows = Memory::default();
/// let none = simulation.catalogue.select(&["energy.total"])?;
/// simulation.run(&RunOptions::new(none).state(true), &mut rows)?;
///
/// let replay = Replay::new(&write(&file)?, simulation.state_columns()?.len())?;
/// let forces = replay.simulation().catalogue.select(&["hinge.force.z"])?;
/// let mut sampler = replay.sampler(&forces)?;
/// let (row, mut force) = (&rows.0[0], [0.0]);
/// sampler.sample(row[0], &row[2..], &mut force);
/// assert!(force[0].is_finite());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Replay {
    description: Description,
    simulation: Simulation,
    /// Entries of a state before the sides of switches.
    leading: usize,
    sides: usize,
}

impl Replay {
    /// Reads the text and assembles the mechanism; `width` is the number of entries of each state.
    ///
    /// # Errors
    /// A text that is no model, and states that do not belong to it.
    pub fn new(text: &str, width: usize) -> Result<Self, ReplayError> {
        Self::with_library(text, width, &Library::standard())
    }

    /// The same with the kinds of a library.
    ///
    /// # Errors
    /// A text that is no model, and states that do not belong to it.
    pub fn with_library(text: &str, width: usize, library: &Library) -> Result<Self, ReplayError> {
        const NAME: &str = "result.toml";
        let files = Files::in_memory([(NAME, text)]).library(library.clone());
        let file = read(NAME, &files, &[]).map_err(ReplayError::Model)?;
        let simulation = Simulation::new(&file, &Settings::default()).map_err(ReplayError::Model)?;
        let replay = Self::of(file.description, simulation)?;
        if replay.leading + replay.sides != width {
            return Err(ReplayError::Width {
                expected: replay.leading + replay.sides,
                found: width,
            });
        }
        Ok(replay)
    }

    /// For the states of a simulation at hand.
    ///
    /// # Errors
    /// A form that does not fit the mechanism.
    pub fn of(description: Description, simulation: Simulation) -> Result<Self, RunError> {
        let sides = simulation.start.model.sides();
        let leading = simulation.state_columns()?.len() - sides;
        Ok(Self {
            description,
            simulation,
            leading,
            sides,
        })
    }

    /// The mechanism, at its start.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The mechanism as described.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The compiled mechanism.
    pub fn model(&self) -> &Model {
        &self.simulation.start.model
    }

    /// Entries of a state.
    pub fn width(&self) -> usize {
        self.leading + self.sides
    }

    /// The positions among the entries of a state.
    pub fn positions<'s>(&self, state: &'s [f64]) -> &'s [f64] {
        &state[..self.model().tree.n_q]
    }

    /// Evaluates channels from states.
    ///
    /// # Errors
    /// Channels of another mechanism.
    pub fn sampler(&self, selection: &Selection) -> Result<StateSampler, RunError> {
        let start = &self.simulation.start;
        let kinematic = self.simulation.is_kinematic();
        let sampler = match kinematic {
            true => Sampler::of_motion(start, selection)?,
            false => Sampler::new(start, &self.simulation.equations()?, selection)?,
        };
        let tree = &start.model.tree;
        Ok(StateSampler {
            sampler,
            kinematic,
            leading: self.leading,
            split: [tree.n_q, tree.n_v],
        })
    }
}

/// Fills rows of channels from recorded states.
pub struct StateSampler {
    sampler: Sampler,
    kinematic: bool,
    leading: usize,
    split: [usize; 2],
}

impl StateSampler {
    /// Number of channels.
    pub fn columns(&self) -> usize {
        self.sampler.columns()
    }

    /// The channels in a state.
    ///
    /// # Panics
    /// When the state or the row have another length than the mechanism.
    pub fn sample(&mut self, t: f64, state: &[f64], row: &mut [f64]) {
        let (unknowns, sides) = state.split_at(self.leading);
        if self.kinematic {
            let (q, rest) = unknowns.split_at(self.split[0]);
            let (v, x) = rest.split_at(self.split[1]);
            self.sampler.set_states(x);
            self.sampler.sample_state(t, q, v, row);
        } else {
            self.sampler.set_sides(sides);
            self.sampler.sample(t, unknowns, &[], row);
        }
    }
}
