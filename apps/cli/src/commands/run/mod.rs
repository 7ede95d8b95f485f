//! `holonom run`: a model over time.

mod record;
mod summary;
mod sweep;

use super::view::Watched;
use super::{Command, Outcome, step_size, view};
use crate::error::Error;
use crate::interrupt::on_interrupt;
use crate::model::{self, Asked, Named};
use crate::output;
use crate::settings;
use clap::{Arg, ArgAction, ArgMatches};
use holonom::format::{Settings, WriteError, write};
use holonom::multibody::elements::Library;
use holonom::simulation::{Replay, RunOptions, Simulation, StateColumn, Status};
use record::{Paths, Recorder, SavedRun};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The entry of the registry.
pub const COMMAND: Command = Command { define, run };

const AFTER_HELP: &str = "\
Examples:
  holonom run four-bar                               run a shipped model with its own settings
  holonom run crane.toml --t-end 20 --rtol 1e-8      simulate longer and more accurately
  holonom run crane.toml --set \"L=250 mm\"            override a parameter
  holonom run crane.toml --channel 'hook.*' --csv    record these channels, also write CSV
  holonom run crane.toml --sweep L=0.2:0.4:5         five runs, on all cores
  holonom run crane.toml --explain                   report what was chosen automatically, and why
  holonom run crane.toml --checkpoint-every 60       after a crash, repeat with --resume to continue
  holonom run crane.toml --resume --t-end 40         extend a finished run to 40 s

A run writes NAME.arrows while it is in progress (readable at any time, also after a crash) and NAME.parquet
when it finishes. Plot the results with `holonom plot NAME.parquet`.";

fn define() -> clap::Command {
    let command = clap::Command::new("run")
        .about("Simulate a model and write its results")
        .after_help(AFTER_HELP);
    let command = model::arguments(command)
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help(
                    "Name of the result files, or a folder for them; default: the model's name in the current folder",
                ),
        )
        .arg(
            Arg::new("channel")
                .long("channel")
                .value_name("PATTERN")
                .action(ArgAction::Append)
                .help("Record these channels instead of those selected in the model, such as 'wheel_*.force.z'"),
        )
        .arg(
            Arg::new("no_state")
                .long("no-state")
                .action(ArgAction::SetTrue)
                .help("Leave the state and the model out of the results: the files are smaller, but channels that are not recorded cannot be computed later, and the motion cannot be viewed"),
        )
        .arg(
            Arg::new("csv")
                .long("csv")
                .action(ArgAction::SetTrue)
                .help("Also write NAME.csv"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("FILE")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("-")
                .help("Write the report as JSON to FILE, or to standard output instead of the text"),
        )
        .arg(
            Arg::new("explain")
                .long("explain")
                .action(ArgAction::SetTrue)
                .conflicts_with("sweep")
                .help(
                    "Report why the stepper, Jacobian, sparsity, update and linear solver were chosen, and when they changed",
                ),
        )
        .arg(
            Arg::new("checkpoint_every")
                .long("checkpoint-every")
                .value_name("SECONDS")
                .help("Save a checkpoint each time this much computing time has passed"),
        )
        .arg(
            Arg::new("resume")
                .long("resume")
                .action(ArgAction::SetTrue)
                .help("Continue an interrupted run, or extend a finished one to a later --t-end, with the same results as a single run"),
        )
        .arg(
            Arg::new("sweep")
                .long("sweep")
                .value_name("K=A:B:N")
                .action(ArgAction::Append)
                .conflicts_with_all(["resume", "checkpoint_every"])
                .help(
                    "Run N times with parameter K varied from A to B, on all cores; repeat for a grid of several parameters",
                ),
        );
    let command =
        view::arguments(command).mut_arg("view", |arg| arg.conflicts_with_all(["sweep", "no_state"]));
    settings::arguments(command, |_| true)
}

/// What was typed.
pub(super) struct Request {
    asked: Asked,
    settings: Settings,
    channels: Vec<String>,
    no_state: bool,
    output: Option<PathBuf>,
    csv: bool,
    json: Option<String>,
    checkpoint_every: Option<Duration>,
    resume: bool,
    explain: bool,
}

impl Request {
    fn typed(matches: &ArgMatches, library: &Library) -> Result<Self, Error> {
        let many = |name: &str| -> Vec<String> {
            matches
                .get_many::<String>(name)
                .into_iter()
                .flatten()
                .cloned()
                .collect()
        };
        let checkpoint_every = match matches.get_one::<String>("checkpoint_every") {
            Some(text) => {
                let seconds = settings::number("checkpoint-every", text, "s")?;
                let every = Duration::try_from_secs_f64(seconds).ok();
                Some(every.ok_or_else(|| {
                    Error::Usage(format!(
                        "--checkpoint-every {text}: give a positive number of seconds"
                    ))
                })?)
            }
            None => None,
        };
        Ok(Self {
            asked: Asked::typed(matches, library),
            settings: settings::typed(matches)?,
            channels: many("channel"),
            no_state: matches.get_flag("no_state"),
            output: matches.get_one::<PathBuf>("output").cloned(),
            csv: matches.get_flag("csv"),
            json: matches.get_one::<String>("json").cloned(),
            checkpoint_every,
            resume: matches.get_flag("resume"),
            explain: matches.get_flag("explain"),
        })
    }

    fn paths(&self, named: &Named) -> Result<Paths, Error> {
        if let Some(folder) = self.output.as_deref().filter(|path| output::names_folder(path)) {
            output::make_folder(folder)?;
        }
        let paths = Paths::new(self.output.as_deref(), &named.stem, self.csv);
        output::check_file(&paths.stream)?;
        self.check_json()?;
        Ok(paths)
    }

    /// Refuses a report that could not be written after the run.
    fn check_json(&self) -> Result<(), Error> {
        match self.json.as_deref() {
            None | Some("-") => Ok(()),
            Some(file) => output::check_file(Path::new(file)),
        }
    }
}

fn run(matches: &ArgMatches, library: &Library) -> Result<Outcome, Error> {
    let request = Request::typed(matches, library)?;
    match matches.get_many::<String>("sweep") {
        Some(sweeps) => sweep::run(&request, &sweeps.cloned().collect::<Vec<_>>()),
        None => single(&request, matches),
    }
}

fn single(request: &Request, matches: &ArgMatches) -> Result<Outcome, Error> {
    let named = model::load(&request.asked)?;
    let paths = request.paths(&named)?;
    let mut saved = if request.resume {
        SavedRun::read(&paths.checkpoint)?
    } else {
        None
    };
    let mut settings = request.settings.clone();
    if settings.output_step.is_none() && named.file.settings.output_step.is_none() {
        // By default the interval depends on the length of the run, but rows go on as they began.
        settings.output_step = saved.as_ref().and_then(SavedRun::output_step);
    }
    let simulation = Simulation::new(&named.file, &settings).map_err(Error::Model)?;
    let prepared = Prepared::new(&named, simulation, request)?;
    let _lock = paths.lock()?;
    let interrupt = on_interrupt();
    if let Some(saved) = &mut saved {
        saved.go_on(&paths.checkpoint, &prepared)?;
    } else if request.resume {
        output::remark(&format!(
            "there is no checkpoint `{}`; starting from the beginning",
            paths.checkpoint.display()
        ));
    }
    if prepared.simulation.is_kinematic() && request.checkpoint_every.is_some() {
        output::remark(
            "all motion is prescribed or driven, so the simulation is kinematic and has no checkpoints",
        );
    }
    let notes = named.file.notes.render(false);
    if !notes.is_empty() {
        output::say(&notes);
    }
    for remark in prepared.simulation.remarks() {
        output::remark(&remark);
    }
    let fixed = prepared.simulation.fixed_steps();
    let advice = fixed.map(|(options, h)| step_size::at_start(&prepared.simulation, &options, h));
    if let (Some(advice), true) = (&advice, request.json.as_deref() != Some("-")) {
        output::print(&step_size::text(advice))?;
    }
    let watched = Watched::start(matches, &named, &prepared.simulation, Replay::width)?;
    let mut recorder = Recorder::start(&prepared, &paths, saved.as_ref(), watched.as_ref())?;
    let options = RunOptions::new(prepared.selection.clone())
        .interrupt(interrupt.clone())
        .checkpoint_every(request.checkpoint_every)
        .checkpoint_at_end(prepared.keeps_checkpoint)
        .resume(saved.map(|saved| saved.run))
        .state(!prepared.state.is_empty());
    let report = prepared
        .simulation
        .run(&options, &mut recorder)
        .map_err(|error| Error::Usage(error.to_string()))?;
    let files = recorder.finish(&report)?;
    let mut json = summary::json(&prepared, &report, &files);
    let mut text = summary::text(&prepared, &report, &files);
    if let Some(advice) = &advice {
        json["advice"] = step_size::report(advice);
    }
    if request.explain {
        json["explain"] = summary::explained(&report);
        text += &summary::explanation(&report);
    }
    match request.json.as_deref() {
        Some("-") => output::print(&format!("{}\n", summary::pretty(&json)))?,
        Some(file) => {
            output::write(Path::new(file), format!("{}\n", summary::pretty(&json)))?;
            output::print(&text)?;
        }
        None => output::print(&text)?,
    }
    if let Some(watched) = watched {
        let result = files.written.iter().find(|file| **file == paths.parquet);
        watched.stay(
            result.or(Some(&paths.stream)).map(PathBuf::as_path),
            &request.asked.library,
            &interrupt,
        );
    }
    let go_on = match report.status {
        Status::Finished => return Ok(Outcome::Done),
        _ if !files.written.contains(&paths.checkpoint) => "",
        Status::Interrupted => "; to continue, repeat the command with --resume",
        Status::Failed => "; the results so far are kept",
    };
    Err(Error::Failed(format!("{}{go_on}", report.message)))
}

/// A model ready to run, with what its results say about it.
pub(super) struct Prepared {
    pub name: String,
    /// What the model is, in a sentence.
    pub about: String,
    pub simulation: Simulation,
    pub selection: holonom::multibody::channels::Selection,
    /// Settings as used: those of the file with those typed.
    pub settings: Settings,
    /// Fingerprint of the model with its parameters.
    pub hash: String,
    /// Parameters with the values used.
    pub parameters: Vec<(String, f64)>,
    /// A finished run keeps its checkpoint.
    pub keeps_checkpoint: bool,
    /// In a sweep, the values of this run in words.
    pub swept: Option<String>,
    /// Entries of the state that are recorded; none with --no-state.
    pub state: Vec<StateColumn>,
    /// The model with its parameters and settings as a text, where the state is recorded.
    pub text: String,
    /// The folder of the model, where it has meshes.
    pub folder: Option<String>,
}

impl Prepared {
    pub fn new(named: &Named, simulation: Simulation, request: &Request) -> Result<Self, Error> {
        let file = &named.file;
        let selection = if !request.channels.is_empty() {
            let patterns: Vec<&str> = request.channels.iter().map(String::as_str).collect();
            let chosen = simulation.catalogue.select(&patterns);
            chosen.map_err(|error| Error::Usage(format!("--channel: {error}")))?
        } else {
            simulation.wanted(file).map_err(Error::Model)?
        };
        // How it is run and recorded is compared by itself.
        let mut mechanism = file.clone();
        (mechanism.settings, mechanism.outputs) = (Settings::default(), Vec::new());
        // Nor does it matter what it looks like.
        mechanism.description.shapes.clear();
        // The matrices in a checkpoint grow with the square of this.
        const MOST_UNKNOWNS: usize = 400;
        let tree = &simulation.start.model.tree;
        let keeps_checkpoint = request.checkpoint_every.is_some() || tree.n_q + tree.n_v <= MOST_UNKNOWNS;
        let unwritable = |error: WriteError| Error::Failed(error.to_string());
        let mechanics = write(&mechanism).map_err(unwritable)?;
        let settings = file.settings.overridden_by(&request.settings);
        let (mut state, mut text) = (Vec::new(), String::new());
        if !request.no_state {
            let columns = simulation.state_columns();
            state = columns.map_err(|error| Error::Usage(error.to_string()))?;
            mechanism.settings = settings.clone();
            mechanism.description.shapes.clone_from(&file.description.shapes);
            text = write(&mechanism).map_err(unwritable)?;
        }
        Ok(Self {
            state,
            text,
            folder: named.folder_of_meshes(),
            name: file.description.name.clone(),
            about: model::first_sentence(&file.about),
            simulation,
            selection,
            settings,
            hash: format!(
                "{:016x}",
                holonom::solver::stepper::fingerprint([mechanics.as_str()])
            ),
            parameters: file
                .parameters
                .iter()
                .map(|p| (p.name.clone(), p.value))
                .collect(),
            keeps_checkpoint,
            swept: None,
        })
    }
}
