//! Analyses that are not runs: statics, modes, linear models, responses, kinematic sweeps, steady motion.

mod follower;
pub mod kinematics;
pub mod linearize;
pub mod modes;
pub mod response;
pub mod statics;
mod suspension;
pub mod trim;

use crate::error::Error;
use crate::model::{self, Asked, Named, Origin};
use crate::output;
use crate::settings;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::analysis::State;
use holonom::analysis::linearize::{LinearModel, LinearizeError, Operation, Perturbed};
use holonom::analysis::modes::state_of;
use holonom::analysis::statics::{Equilibrium, StaticsError, StaticsOptions, equilibrium};
use holonom::analysis::trim::Trim;
use holonom::format::{InputOffset, ModelFile};
use holonom::multibody::channels::{Catalogue, Input, Selection};
use holonom::multibody::elements::Library;
use holonom::multibody::start::Assembled;
use holonom::simulation::Simulation;
use holonom_plot::Figure;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Model, parameters, report and settings: what all analyses take.
fn with_common(command: clap::Command) -> clap::Command {
    let command = model::arguments(command).arg(
        Arg::new("json")
            .long("json")
            .value_name("FILE")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("-")
            .help("Write the report as JSON to FILE, or to standard output instead of the text"),
    );
    settings::arguments(command, |name| ["t_start", "assemble"].contains(&name))
}

/// Where small motions are looked at.
fn at_argument() -> Arg {
    Arg::new("at")
        .long("at")
        .value_name("STATE")
        .value_parser(["equilibrium", "start", "trim"])
        .default_value("equilibrium")
        .help(
            "Operating point: the static equilibrium, the initial state with its velocities, or (for vehicles) steady straight-line motion at the initial speed",
        )
}

fn channel_argument(help: &'static str) -> Arg {
    Arg::new("channel")
        .long("channel")
        .value_name("PATTERN")
        .action(ArgAction::Append)
        .help(help)
}

/// A model as it was asked for.
struct Case {
    origin: Origin,
    /// Parameters as `K=V`.
    sets: Vec<String>,
    named: Named,
    simulation: Simulation,
}

impl Case {
    fn load(matches: &ArgMatches, library: &Library) -> Result<Self, Error> {
        let asked = Asked::typed(matches, library);
        // Analyses read the model again for other values of inputs and parameters.
        let origin = Origin::of(&asked)?.parsed_once();
        let named = origin.load(&asked.sets, &[])?;
        let simulation = Simulation::new(&named.file, &settings::typed(matches)?).map_err(Error::Model)?;
        if let Some(path) = matches.get_one::<String>("json").filter(|path| *path != "-") {
            output::check_file(path.as_ref())?;
        }
        Ok(Self {
            origin,
            sets: asked.sets,
            named,
            simulation,
        })
    }

    fn name(&self) -> &str {
        &self.named.file.description.name
    }

    /// The equilibrium next to the start.
    fn rest(&self) -> Result<Equilibrium, Error> {
        equilibrium(&self.simulation.start, &StaticsOptions::default()).map_err(|error| failed(&error))
    }

    /// The state to linearise at.
    fn state(&self, matches: &ArgMatches) -> Result<Linearised, Error> {
        match matches.get_one::<String>("at").map(String::as_str) {
            Some("start") => {
                let start = self.simulation.start.clone();
                return Ok(Linearised {
                    state: state_of(&start),
                    start,
                    rest: None,
                    trim: None,
                    offsets: Vec::new(),
                });
            }
            Some("trim") => {
                let (trim, offsets) = trim::straight(self, matches)?;
                return Ok(Linearised {
                    state: trim.state.clone(),
                    start: trim.start.clone(),
                    rest: None,
                    trim: Some(trim),
                    offsets,
                });
            }
            _ => {}
        }
        let rest = self.rest()?;
        Ok(Linearised {
            start: rest.start.clone(),
            state: rest.state.clone(),
            rest: Some(rest),
            trim: None,
            offsets: Vec::new(),
        })
    }

    /// Channels that were asked for, or else those that the model records.
    fn selection(&self, start: &Assembled, matches: &ArgMatches) -> Result<Selection, Error> {
        let typed: Vec<&String> = matches.get_many("channel").into_iter().flatten().collect();
        let catalogue = Catalogue::with_inputs(start, &inputs(&self.named.file));
        let patterns: Vec<&str> = if typed.is_empty() {
            self.named.file.outputs.iter().map(String::as_str).collect()
        } else {
            typed.iter().map(|p| p.as_str()).collect()
        };
        if patterns.is_empty() {
            return Ok(catalogue.default_selection());
        }
        catalogue
            .select(&patterns)
            .map_err(|error| Error::Usage(format!("--channel: {error}")))
    }

    /// The model with something added to an input.
    fn offset(&self, offset: InputOffset) -> Result<ModelFile, Error> {
        self.offsets(&[], offset)
    }

    /// The model with something added to an input, besides what inputs have got already.
    fn offsets(&self, before: &[InputOffset], mut offset: InputOffset) -> Result<ModelFile, Error> {
        let (same, mut others): (Vec<&InputOffset>, Vec<InputOffset>) = (
            before.iter().filter(|o| o.name == offset.name).collect(),
            before.iter().filter(|o| o.name != offset.name).cloned().collect(),
        );
        for other in same {
            for (c, more) in offset.coefficients.iter_mut().zip(other.coefficients) {
                *c += more;
            }
        }
        others.push(offset);
        self.origin.load(&self.sets, &others).map(|named| named.file)
    }

    /// The linear model from all inputs to the channels asked for.
    fn linear(&self, at: &Linearised, matches: &ArgMatches) -> Result<LinearModel, Error> {
        let outputs = self.selection(&at.start, matches)?;
        let inputs = inputs(&self.named.file);
        let t = at.state.t;
        let operation = Operation {
            start: &at.start,
            state: &at.state,
            moving: at.rest.is_some().then_some(&*self.simulation.start.model),
        };
        let mut perturb = |input: usize, coefficients: [f64; 3]| {
            let offset = InputOffset {
                name: inputs[input].name.clone(),
                time: t,
                coefficients,
            };
            let file = self
                .offsets(&at.offsets, offset)
                .map_err(|error| error.to_string())?;
            let model = file.compile().map_err(|messages| messages.render(false))?;
            Ok(Perturbed {
                model: Arc::new(model),
                inputs: crate::commands::analyses::inputs(&file),
            })
        };
        holonom::analysis::linearize::linearize(operation, &inputs, &outputs, &mut perturb)
            .map_err(|error: LinearizeError| Error::Failed(format!("{}: {error}", self.name())))
    }

    /// Writes the report, and the text unless standard output belongs to the report.
    fn report(&self, matches: &ArgMatches, report: &Value, text: &str) -> Result<(), Error> {
        match matches.get_one::<String>("json").map(String::as_str) {
            Some("-") => output::print(&format!("{report:#}\n")),
            Some(path) => {
                output::write(path.as_ref(), format!("{report:#}\n"))?;
                output::print(text)
            }
            None => output::print(text),
        }
    }
}

/// A state with the mechanism it belongs to.
struct Linearised {
    start: Assembled,
    state: State,
    rest: Option<Equilibrium>,
    trim: Option<Trim>,
    /// What steady motion adds to inputs.
    offsets: Vec<InputOffset>,
}

impl Linearised {
    /// Where it is, for headings.
    fn words(&self) -> String {
        if let Some(trim) = &self.trim {
            return format!("in steady straight-line motion at {} m/s", number(trim.speed));
        }
        match &self.rest {
            Some(rest) => format!(
                "at the equilibrium ({}) at t = {} s",
                rest.stability.word(),
                self.state.t
            ),
            None => format!("at the start, t = {} s", self.state.t),
        }
    }

    /// What should be known about the state.
    fn remarks(&self) -> String {
        match &self.rest {
            Some(rest) => statics::remarks(rest),
            None => {
                let most = self.state.a.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
                if most > 1e-6 {
                    format!(
                        "Note: the start is not a steady state (accelerations up to {most:.3e}); the results \
                         are for the equations frozen there.\n"
                    )
                } else {
                    String::new()
                }
            }
        }
    }
}

fn failed(error: &StaticsError) -> Error {
    Error::Failed(error.to_string())
}

/// The inputs of a file as channels.
fn inputs(file: &ModelFile) -> Vec<Input> {
    let input = |input: &holonom::format::Input| Input {
        name: input.name.clone(),
        unit: input.unit.clone(),
        signal: input.signal.clone(),
    };
    file.inputs.iter().map(input).collect()
}

/// Refuses a picture that could not be written.
fn check_picture(path: &Path) -> Result<(), Error> {
    let ending = path.extension().map(|e| e.to_ascii_lowercase());
    if !ending.is_some_and(|e| e == "svg" || e == "png") {
        return Err(Error::Usage(format!(
            "--plot {}: the file name must end in .svg or .png",
            path.display()
        )));
    }
    output::check_file(path)
}

fn write_picture(path: &Path, figure: &Figure) -> Result<(), Error> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        output::write(path, figure.png(2.0)?)
    } else {
        output::write(path, figure.svg())
    }
}

/// So many things.
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A number for tables: six digits; what is rounding is zero.
fn number(x: f64) -> String {
    let x = if x.abs() < 1e-13 { 0.0 } else { x };
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}
