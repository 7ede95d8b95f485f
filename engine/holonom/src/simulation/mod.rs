//! From a model to a run: the front door for mechanisms.
//!
//! ```
//! use holonom::format::{Files, Settings, read};
//! use holonom::simulation::{Memory, RunOptions, Simulation};
//!
//! let text = r#"
//! [model]
//! format = 1
//! name = "pendulum"
//! [[body]]
//! name = "bob"
//! mass = 1
//! markers = { hinge = [0, 0, 1] }
//! [[joint]]
//! name = "hinge"
//! kind = "revolute"
//! from = "ground"
//! to = "bob.hinge"
//! axis = [0, 1, 0]
//! angle = "20 deg"
//! [simulation]
//! t_end = 2
//! output_step = 0.1
//! "#;
//! let file = read("pendulum.toml", &Files::in_memory([("pendulum.toml", text)]), &[])?;
//! let simulation = Simulation::new(&file, &Settings::default())?;
//! let mut rows = Memory::default();
//! let options = RunOptions::new(simulation.catalogue.select(&["hinge.angle"])?);
//! let report = simulation.run(&options, &mut rows)?;
//! assert_eq!((report.rows, rows.0.len()), (21, 21));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod report;
mod run;

pub use report::{ConstraintReport, EnergyReport, RunReport, Status, Used};
pub use run::{Memory, RunCheckpoint, RunError, RunOptions, Sink};

use holonom_format::{Message, Messages, ModelFile, Place, Settings};
use holonom_multibody::channels::{Catalogue, Input, Selection, UnknownChannel};
use holonom_multibody::residual::{Form, Formalism, GglMetric};
use holonom_multibody::start::{Assembled, AssemblyError, AssemblyOptions};
use holonom_solver::{Options, OutputTimes, Start};
use std::sync::Arc;

/// End time of a run that does not say when it ends, s.
pub const DEFAULT_END: f64 = 10.0;

/// Rows of a run that does not say how often it is recorded.
const DEFAULT_ROWS: f64 = 1000.0;

/// A mechanism, assembled, with everything chosen that a run needs.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The mechanism at its start.
    pub start: Assembled,
    /// Everything that can be recorded.
    pub catalogue: Catalogue,
    /// Form of the equations.
    pub form: Form,
    /// How they are evaluated.
    pub formalism: Formalism,
    /// Metric of the stabilised form.
    pub ggl_metric: GglMetric,
    /// End time.
    pub t_end: f64,
    /// Output times.
    pub outputs: OutputTimes,
    /// Options of the solver, without output times.
    pub solver: Options,
}

impl Simulation {
    /// Compiles and assembles a model; `settings` go before those of the file.
    ///
    /// # Errors
    /// Everything that is wrong with the model or the settings, with places in the file.
    pub fn new(file: &ModelFile, settings: &Settings) -> Result<Self, Messages> {
        let settings = file.settings.overridden_by(settings);
        let model = Arc::new(file.compile()?);
        let one = |message: Message| Messages(vec![message]);
        let place = |name: &str| file.places.find(&format!("setting \"{name}\""), None);
        let times = Times::of(&settings).map_err(|(name, text)| one(Message::error(place(name), text)))?;
        let assembly = AssemblyOptions {
            time: times.start,
            assemble: settings.assemble.unwrap_or(true),
            ..AssemblyOptions::default()
        };
        let start = model
            .assemble(&assembly)
            .map_err(|error| one(assembly_message(file, &error)))?;
        let usual = if start.rows.active.is_empty() { Form::Ode } else { Form::Ggl };
        let named = |name: &'static str, error: String| one(Message::error(place(name), error));
        let form = match &settings.form {
            Some(name) => name.parse().map_err(|e| named("form", format!("{e}")))?,
            None => usual,
        };
        let formalism = match &settings.formalism {
            Some(name) => name.parse().map_err(|e| named("formalism", format!("{e}")))?,
            None => Formalism::default(),
        };
        let ggl_metric = match &settings.ggl_metric {
            Some(name) => name.parse().map_err(|e| named("ggl_metric", format!("{e}")))?,
            None => GglMetric::default(),
        };
        // Refused here, not at the first step.
        start
            .equations_with(form, formalism, ggl_metric)
            .map_err(|e| named("form", e.to_string()))?;
        let inputs: Vec<Input> = file
            .inputs
            .iter()
            .map(|input| Input {
                name: input.name.clone(),
                unit: input.unit.clone(),
                signal: input.signal.clone(),
            })
            .collect();
        Ok(Self {
            catalogue: Catalogue::with_inputs(&start, &inputs),
            start,
            form,
            formalism,
            ggl_metric,
            t_end: times.end,
            outputs: OutputTimes::every(times.start, times.step, times.end),
            solver: solver_options(&settings),
        })
    }

    /// The channels that the file wants recorded, or the usual ones.
    ///
    /// # Errors
    /// The patterns that fit no channel, with their places in the file.
    pub fn wanted(&self, file: &ModelFile) -> Result<Selection, Messages> {
        if file.outputs.is_empty() {
            return Ok(self.catalogue.default_selection());
        }
        let message = |error: UnknownChannel| {
            let place = file.places.find(&format!("channel \"{}\"", error.pattern), None);
            Message::error(place, error.to_string())
        };
        let patterns: Vec<&str> = file.outputs.iter().map(String::as_str).collect();
        let one_by_one = patterns.chunks(1).filter_map(|pattern| self.catalogue.select(pattern).err());
        let faults: Vec<Message> = one_by_one.map(message).collect();
        if !faults.is_empty() {
            return Err(Messages(faults));
        }
        self.catalogue.select(&patterns).map_err(|error| Messages(vec![message(error)]))
    }

    /// Whether nothing is left to integrate: everything is prescribed or driven.
    pub fn is_kinematic(&self) -> bool {
        self.start.degrees_of_freedom() == 0
    }
}

/// Start, end and output step.
struct Times {
    start: f64,
    end: f64,
    step: f64,
}

/// Output rows at most: more would not be looked at, and hint at a slip of units.
const MAX_ROWS: f64 = 1e10;

impl Times {
    /// The times, or the setting at fault and why.
    fn of(settings: &Settings) -> Result<Self, (&'static str, String)> {
        let start = settings.t_start.unwrap_or(0.0);
        let end = settings.t_end.unwrap_or(start + DEFAULT_END);
        if !(start.is_finite() && end.is_finite() && end > start) {
            return Err((
                "t_end",
                format!("the run is to end at {end} s, but starts at {start} s; let it end later"),
            ));
        }
        let step = settings.output_step.unwrap_or((end - start) / DEFAULT_ROWS);
        if !(step > 0.0 && step.is_finite()) {
            return Err(("output_step", format!("the output step is {step} s, but must be positive")));
        }
        let rows = (end - start) / step;
        if rows > MAX_ROWS {
            let text = format!("an output step of {step} s makes {rows:.1e} rows; give a larger one");
            return Err(("output_step", text));
        }
        Ok(Self { start, end, step })
    }
}

fn solver_options(settings: &Settings) -> Options {
    let usual = Options::default();
    let name = |set: &Option<String>, usual: String| set.clone().unwrap_or(usual);
    Options {
        stepper: name(&settings.stepper, usual.stepper),
        jacobian: name(&settings.jacobian, usual.jacobian),
        linear: name(&settings.linear, usual.linear),
        refresh: name(&settings.refresh, usual.refresh),
        max_order: settings
            .max_order
            .map_or(usual.max_order, |n| usize::try_from(n).unwrap_or(usize::MAX)),
        stability_detection: settings.stability_detection.unwrap_or(usual.stability_detection),
        initial_step: settings.initial_step,
        max_step: settings.max_step.unwrap_or(usual.max_step),
        min_step: settings.min_step.unwrap_or(usual.min_step),
        fixed_step: settings.fixed_step,
        max_steps: settings.max_steps.unwrap_or(usual.max_steps),
        time_limit: settings.time_limit,
        // Assembly has made the start consistent.
        start: Start::Trust,
        ..Options::new(settings.rtol.unwrap_or(1e-6), settings.atol.unwrap_or(1e-6))
    }
}

/// Why a mechanism could not be assembled, at the loop that is to blame.
fn assembly_message(file: &ModelFile, error: &AssemblyError) -> Message {
    let loops = match error {
        AssemblyError::CannotClose { loops }
        | AssemblyError::Inconsistent { loops, .. }
        | AssemblyError::Contradiction { loops, .. } => loops.as_slice(),
        _ => &[],
    };
    let place: Option<Place> = loops.iter().find_map(|open| file.places.named(&open.constraint));
    let text = error.to_string();
    match text.rsplit_once(": ") {
        Some((fault, remedy)) => Message::error(place, fault).help(remedy),
        None => Message::error(place, text),
    }
}
