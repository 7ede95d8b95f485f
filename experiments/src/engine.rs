//! Model files run in this process, as the command would.

use crate::geometry::V3;
use crate::oracle::{BodyAcceleration, Oracle, State};
use holonom::Counters;
use holonom::format::{Files, Settings, read};
use holonom::multibody::channels::Sampler;
use holonom::simulation::{Memory, OutputThread, RunOptions, Simulation, Status};
use holonom::solver::explain::Subject;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is recorded of every body.
const OF_BODIES: [&str; 4] = [
    "b*.position.?",
    "b*.orientation.?",
    "b*.velocity.?",
    "b*.angular_velocity.?",
];

/// A run of the engine.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Why it did not reach its end; empty where it did.
    pub message: String,
    /// Time reached.
    pub t: f64,
    /// Steps.
    pub steps: u64,
    /// Work in plain residuals, with iterations and factorisations.
    pub work: f64,
    /// What was counted.
    pub counters: Counters,
    /// Time of the integration without its output rows, s: the one thing that differs from run to run.
    pub seconds: f64,
    /// Positions, velocities, constraints and unknowns.
    pub size: [usize; 4],
    /// The stepper at the end.
    pub stepper: String,
    /// What was decided about it, in words.
    pub why: Vec<String>,
    /// Values of channels at the time reached.
    pub last: Vec<(String, f64)>,
}

impl Ran {
    /// Whether it says that it is done.
    pub fn is_done(&self) -> bool {
        self.message.is_empty()
    }

    /// The state that the bodies have at the end, for the oracle.
    pub fn state(&self, oracle: &Oracle) -> Option<State> {
        state(oracle, self.t, &|name| {
            self.last.iter().find(|(n, _)| n == name).map(|(_, x)| *x)
        })
    }
}

fn state(oracle: &Oracle, t: f64, value: &dyn Fn(&str) -> Option<f64>) -> Option<State> {
    let vector = |b: usize, what: &str| -> Option<V3> {
        let mut v = [0.0; 3];
        for (k, axis) in ["x", "y", "z"].iter().enumerate() {
            v[k] = value(&format!("b{}.{what}.{axis}", b + 1))?;
        }
        Some(v)
    };
    let one = |b: usize| {
        let mut e = [0.0; 4];
        for (k, c) in ["w", "x", "y", "z"].iter().enumerate() {
            e[k] = value(&format!("b{}.orientation.{c}", b + 1))?;
        }
        let (p, v) = (vector(b, "position")?, vector(b, "velocity")?);
        Some((p, e, v, vector(b, "angular_velocity")?))
    };
    let bodies: Option<Vec<_>> = (0..oracle.bodies()).map(one).collect();
    Some(oracle.state_of(t, &bodies?))
}

/// A model read, compiled and assembled.
///
/// # Errors
/// All messages, in words.
pub fn assemble(text: &str, settings: &Settings) -> Result<Simulation, String> {
    let made = catch_unwind(AssertUnwindSafe(|| {
        let file =
            read("case.toml", &Files::in_memory([("case.toml", text)]), &[]).map_err(|e| e.to_string())?;
        Simulation::new(&file, settings).map_err(|e| e.to_string())
    }));
    made.unwrap_or_else(|_| Err("panicked".into()))
}

/// Runs a model and records channels of these patterns at the end.
///
/// # Errors
/// Why it could not begin, in words.
pub fn run(text: &str, settings: &Settings, channels: &[&str]) -> Result<Ran, String> {
    let simulation = assemble(text, settings)?;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let selection = simulation.catalogue.select(channels).map_err(|e| e.to_string())?;
        let options = RunOptions::new(selection).output_thread(OutputThread::Never);
        let report = simulation
            .run(&options, &mut Memory::default())
            .map_err(|e| e.to_string())?;
        let done = report.status == Status::Finished;
        Ok(Ran {
            message: match (done, report.message.is_empty()) {
                (true, _) => String::new(),
                (false, true) => "ended early without a message".into(),
                (false, false) => report.message,
            },
            t: report.t,
            steps: report.counters.steps,
            work: report.counters.work(!simulation.start.rows.active.is_empty()),
            counters: report.counters,
            seconds: report.timing_s.total - report.output_s,
            size: {
                let tree = &simulation.start.model.tree;
                let constraints = simulation.start.rows.active.len();
                [tree.n_q, tree.n_v, constraints, tree.nodes.len()]
            },
            stepper: report.used.stepper,
            why: {
                let of_stepper = report.explain.iter().filter(|d| d.subject == Subject::Stepper);
                of_stepper.map(ToString::to_string).collect()
            },
            last: report.last,
        })
    }));
    ran.unwrap_or_else(|_| Err("panicked".into()))
}

/// Runs a generated mechanism and records its bodies.
///
/// # Errors
/// Why it could not begin, in words.
pub fn run_bodies(text: &str, settings: &Settings) -> Result<Ran, String> {
    run(text, settings, &OF_BODIES)
}

/// Runs a generated mechanism and gives the states of its bodies in all rows, and why it did not reach its end.
///
/// # Errors
/// Why it could not begin, in words.
pub fn run_rows(text: &str, settings: &Settings, oracle: &Oracle) -> Result<(Vec<State>, String), String> {
    let simulation = assemble(text, settings)?;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let selection = simulation
            .catalogue
            .select(&OF_BODIES)
            .map_err(|e| e.to_string())?;
        let mut rows = Memory::default();
        let options = RunOptions::new(selection.clone()).output_thread(OutputThread::Never);
        let report = simulation.run(&options, &mut rows).map_err(|e| e.to_string())?;
        let one = |row: &Vec<f64>| state(oracle, row[0], &|name| selection.column(name).map(|k| row[k + 1]));
        let states: Option<Vec<State>> = rows.0.iter().map(one).collect();
        let message = match report.status {
            Status::Finished => String::new(),
            _ => report.message,
        };
        Ok((states.ok_or("channels of bodies are missing")?, message))
    }));
    ran.unwrap_or_else(|_| Err("panicked".into()))
}

/// The state and the accelerations of all bodies at the start.
///
/// # Errors
/// In words.
pub fn accelerations(
    simulation: &Simulation,
    oracle: &Oracle,
) -> Result<(State, Vec<BodyAcceleration>), String> {
    let patterns: Vec<&str> = OF_BODIES
        .into_iter()
        .chain(["b*.acceleration.?", "b*.angular_acceleration.?"])
        .collect();
    let selection = simulation
        .catalogue
        .select(&patterns)
        .map_err(|e| e.to_string())?;
    let mut sampler = Sampler::of_motion(&simulation.start, &selection).map_err(|e| e.to_string())?;
    let start = &simulation.start;
    let mut row = vec![0.0; selection.len()];
    sampler.sample_state(start.t, &start.q, &start.v, &mut row);
    let value = |name: &str| selection.column(name).map(|k| row[k]);
    let state = state(oracle, start.t, &value).ok_or("a channel of a body is missing")?;
    let vector = |b: usize, what: &str| -> Option<V3> {
        let mut v = [0.0; 3];
        for (k, axis) in ["x", "y", "z"].iter().enumerate() {
            v[k] = value(&format!("b{}.{what}.{axis}", b + 1))?;
        }
        Some(v)
    };
    let all = (0..oracle.bodies()).map(|b| {
        Some(BodyAcceleration {
            linear: vector(b, "acceleration")?,
            angular: vector(b, "angular_acceleration")?,
        })
    });
    let all: Option<Vec<BodyAcceleration>> = all.collect();
    Ok((state, all.ok_or("an acceleration is missing")?))
}
