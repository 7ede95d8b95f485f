//! The files of a run: the stream, the checkpoint beside it, and what is made of them at the end.

use super::Prepared;
use crate::commands::view::Watched;
use crate::error::Error;
use crate::lock::Lock;
use crate::output;
use crate::progress::Clock;
use holonom::simulation::{RunCheckpoint, RunReport, Sink, Status};
use holonom_results::{
    Column, FORMATS, Format, Metadata, Position, Table, Writer, WriterOptions, keys, to_parquet,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Endings of the files that every run writes.
const STREAM: &str = "arrows";
const PARQUET: &str = "parquet";

/// Names of the files of a run.
pub struct Paths {
    /// The stream written while the run goes on.
    pub stream: PathBuf,
    /// The same in columns, at the end.
    pub parquet: PathBuf,
    /// The state of the run.
    pub checkpoint: PathBuf,
    /// The same in other formats, on request.
    others: Vec<(&'static Format, PathBuf)>,
}

impl Paths {
    /// Names from that of the output (with or without a known ending), or from that of the model.
    pub fn new(output: Option<&Path>, stem: &str, csv: bool) -> Self {
        let base = match output {
            // A folder holds the results under the name of the model.
            Some(folder) if folder.is_dir() || output::names_folder(folder) => folder.join(stem),
            Some(name) => name.to_path_buf(),
            None => PathBuf::from(stem),
        };
        let named = Format::of(&base);
        let ending = named.map(|format| format.ending).or_else(|| {
            let ending = base.extension()?;
            ending.eq_ignore_ascii_case(STREAM).then_some(STREAM)
        });
        let base = match ending {
            // One extension for each point.
            Some(ending) => ending.split('.').fold(base, |base, _| base.with_extension("")),
            None => base,
        };
        let with = |ending: &str| {
            let mut name = base.clone().into_os_string();
            name.push(".");
            name.push(ending);
            PathBuf::from(name)
        };
        let is_wanted = |format: &&Format| {
            let is_named = named.is_some_and(|named| named.ending == format.ending);
            format.ending != PARQUET && (is_named || csv && format.ending == "csv")
        };
        let others = FORMATS.iter().filter(is_wanted);
        Self {
            stream: with(STREAM),
            parquet: with(PARQUET),
            checkpoint: with("checkpoint"),
            others: others.map(|format| (format, with(format.ending))).collect(),
        }
    }

    /// Takes the right to write these files, for as long as the run goes on.
    pub fn lock(&self) -> Result<Lock, Error> {
        Lock::take(&self.stream.with_extension(""))
    }

    /// Makes room for a new run: results of an earlier one would be taken for its own.
    fn clear(&self, quiet: bool) -> Result<(), Error> {
        let existing = self.others.iter().filter(|(_, path)| path.exists());
        for (format, path) in existing {
            if !format.is_result(path) {
                return Err(Error::Usage(format!(
                    "`{}` already exists and is not a Holonom result; choose another name with -o",
                    path.display()
                )));
            }
        }
        let others = self.others.iter().map(|(_, path)| path);
        let mut replaced = Vec::new();
        for path in [&self.checkpoint, &self.parquet].into_iter().chain(others) {
            match std::fs::remove_file(path) {
                Ok(()) => replaced.push(format!("`{}`", path.display())),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(Error::Usage(format!(
                        "cannot replace `{}`: {error}",
                        path.display()
                    )));
                }
            }
        }
        if self.stream.exists() {
            replaced.push(format!("`{}`", self.stream.display()));
        }
        if !quiet && !replaced.is_empty() {
            output::remark(&format!("replaced: {}", replaced.join(", ")));
        }
        Ok(())
    }
}

/// A checkpoint on disk.
#[derive(Serialize, Deserialize)]
pub struct SavedRun {
    /// Fingerprint of the model.
    model: String,
    /// Channels recorded.
    channels: Vec<String>,
    /// The state is recorded with them.
    #[serde(default)]
    state: bool,
    /// Settings that the values depend on.
    options: Map<String, Value>,
    /// Where the stream stood.
    position: Position,
    /// State of the run.
    pub run: RunCheckpoint,
}

impl SavedRun {
    /// Reads a checkpoint; none if the file does not exist.
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        let shown = path.display();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Error::Usage(format!(
                    "cannot read the checkpoint `{shown}`: {error}"
                )));
            }
        };
        let saved: Self = serde_json::from_str(&text)
            .map_err(|error| Error::Usage(format!("`{shown}` is not a checkpoint: {error}")))?;
        Ok(Some(saved))
    }

    /// The output interval of the run.
    pub fn output_step(&self) -> Option<f64> {
        self.options.get("output_step")?.as_f64()
    }

    /// Checks that the checkpoint belongs to this run or to one with an earlier or later end, and prepares to go on to
    /// the end of this one.
    pub fn go_on(&mut self, path: &Path, prepared: &Prepared) -> Result<(), Error> {
        let shown = path.display();
        let refuse = |what: &str| {
            Err(Error::Usage(format!(
                "the checkpoint `{shown}` belongs to {what}; run without --resume to start again"
            )))
        };
        if self.model != prepared.hash {
            return refuse("another model, or to other parameter values");
        }
        if self.channels != names(prepared) {
            return refuse("a run that records other channels");
        }
        match (self.state, !prepared.state.is_empty()) {
            (true, false) => return refuse("a run that records the state; continue it without --no-state"),
            (false, true) => return refuse("a run with --no-state; continue it with this option"),
            _ => {}
        }
        let now = decisive(prepared);
        let missing = Value::from("unset");
        let names = self.options.keys().chain(now.keys());
        let rounding = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs(),
            _ => false,
        };
        let differs = |name: &&String| match (self.options.get(*name), now.get(*name)) {
            _ if *name == "t_end" => false,
            // A grid that meets its end exactly may differ by rounding from one that meets another end.
            (Some(there), Some(here)) if *name == "output_step" => !rounding(there, here),
            (there, here) => there != here,
        };
        if let Some(name) = names.into_iter().find(differs) {
            let there = self.options.get(name).unwrap_or(&missing);
            let here = now.get(name).unwrap_or(&missing);
            return refuse(&format!(
                "a run with other settings (`{name}` was {there} and is {here} now)"
            ));
        }
        let simulation = &prepared.simulation;
        let (reached, t_end) = (self.run.solver.t, simulation.t_end);
        if self.options.get("t_end") == now.get("t_end") {
            if self.run.finished {
                output::remark(&format!(
                    "the run is complete; to extend it, set --t-end to a time after {t_end} s"
                ));
            }
            return Ok(());
        }
        if t_end <= reached {
            return Err(Error::Usage(format!(
                "the run has already reached t = {reached} s: set --t-end to a later time, or run without --resume"
            )));
        }
        self.run.extend_to(simulation);
        let depends = simulation
            .depends_on_length()
            .map_err(|error| Error::Usage(error.to_string()))?;
        let how = match depends {
            true => {
                "; step sizes may differ from those of a single run, because the choice of the method, the first step and \
                 the distances at which narrow changes of the equations are searched for depend on the length of a run"
            }
            false => "",
        };
        output::remark(&format!("continuing from t = {reached} s to t = {t_end} s{how}"));
        Ok(())
    }
}

/// The settings that values depend on. Limits of steps and time may be raised to go on.
fn decisive(prepared: &Prepared) -> Map<String, Value> {
    let mut options = super::summary::options(prepared);
    for name in ["max_steps", "time_limit", "parameters"] {
        options.remove(name);
    }
    options
}

fn names(prepared: &Prepared) -> Vec<String> {
    let channels = prepared.selection.channels().iter();
    channels.map(|channel| channel.name.clone()).collect()
}

/// Files that a run has written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Files {
    /// All of them, the most useful first.
    pub written: Vec<PathBuf>,
    /// Number of channels.
    pub channels: usize,
}

/// Writes the rows of a run.
pub struct Recorder<'a> {
    prepared: &'a Prepared,
    paths: &'a Paths,
    writer: Writer,
    clock: Clock,
    /// Steps after which it is said how long the run takes, if it takes too long.
    look_at_pace: u64,
    /// Who watches the run meanwhile.
    watched: Option<&'a Watched>,
}

/// The first steps say little: a run may begin with a quick transient.
const PACE_STEPS: u64 = 100_000;

impl<'a> Recorder<'a> {
    /// Starts the stream, or goes on with the one of a checkpoint.
    pub fn start(
        prepared: &'a Prepared,
        paths: &'a Paths,
        saved: Option<&SavedRun>,
        watched: Option<&'a Watched>,
    ) -> Result<Self, Error> {
        let simulation = &prepared.simulation;
        let clock = Clock::new(simulation.start.t, simulation.t_end);
        let Some(saved) = saved else {
            paths.clear(false)?;
            return Ok(Self {
                watched,
                ..Self::create(prepared, paths, clock)?
            });
        };
        let (columns, options) = (columns(prepared), WriterOptions::default());
        let writer = Writer::resume(&paths.stream, &saved.position, &columns, &options).map_err(usage)?;
        Ok(Self {
            prepared,
            paths,
            writer,
            clock,
            look_at_pace: PACE_STEPS,
            watched,
        })
    }

    fn create(prepared: &'a Prepared, paths: &'a Paths, clock: Clock) -> Result<Self, Error> {
        let (columns, options) = (columns(prepared), WriterOptions::default());
        let (stream, parquet) = (&paths.stream, &paths.parquet);
        let writer = Writer::create_with_parquet(stream, parquet, &columns, &metadata(prepared), &options)
            .map_err(usage)?;
        Ok(Self {
            prepared,
            paths,
            writer,
            clock,
            look_at_pace: PACE_STEPS,
            watched: None,
        })
    }

    /// One of several at a time: no progress bar of its own.
    pub fn quiet(prepared: &'a Prepared, paths: &'a Paths) -> Result<Self, Error> {
        paths.clear(true)?;
        Self::create(prepared, paths, Clock::silent())
    }

    /// Ends the stream and makes the other files.
    pub fn finish(self, report: &RunReport) -> Result<Files, Error> {
        let Self {
            prepared,
            paths,
            mut writer,
            clock,
            ..
        } = self;
        drop(clock);
        let mut files = Files {
            written: Vec::new(),
            channels: prepared.selection.len(),
        };
        if report.status != Status::Finished {
            // Left open, so that a resumed run can go on.
            writer.flush().map_err(failed)?;
            drop(writer);
            files.written.push(paths.stream.clone());
            if paths.checkpoint.exists() {
                files.written.push(paths.checkpoint.clone());
            }
            return Ok(files);
        }
        let finished = writer.finish_all().map_err(failed)?;
        let open = || Table::open(&paths.stream).map_err(failed);
        if finished.copy.is_none() {
            // A resumed run, or the disk was full for a while.
            to_parquet(&open()?, &paths.parquet).map_err(failed)?;
        }
        files.written.push(paths.parquet.clone());
        for (format, path) in &paths.others {
            format.export(&open()?, path, &[]).map_err(failed)?;
            files.written.push(path.clone());
        }
        files.written.push(paths.stream.clone());
        if !prepared.keeps_checkpoint {
            let _ = std::fs::remove_file(&paths.checkpoint);
        }
        Ok(files)
    }

    fn save(&mut self, run: &RunCheckpoint) -> Result<(), String> {
        let position = self.writer.checkpoint().map_err(|error| error.to_string())?;
        let saved = SavedRun {
            model: self.prepared.hash.clone(),
            channels: names(self.prepared),
            state: !self.prepared.state.is_empty(),
            options: decisive(self.prepared),
            position,
            run: run.clone(),
        };
        let text = serde_json::to_string(&saved).map_err(|error| error.to_string())?;
        replace(&self.paths.checkpoint, &text)
    }
}

/// Writes a file beside and moves it into place: a crash leaves the old one or the new one.
fn replace(path: &Path, text: &str) -> Result<(), String> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let written = std::fs::File::create(&beside).and_then(|mut file| {
        use std::io::Write;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written
        .and_then(|()| std::fs::rename(&beside, path))
        .map_err(|error| format!("cannot write the checkpoint `{}`: {error}", path.display()))
}

impl Sink for Recorder<'_> {
    fn row(&mut self, row: &[f64]) -> Result<(), String> {
        if let Some(watched) = self.watched {
            watched.row(row[0], &row[1 + self.prepared.selection.len()..]);
        }
        self.writer.push(row).map_err(|error| error.to_string())
    }

    fn checkpoint(&mut self, checkpoint: &RunCheckpoint) -> Result<(), String> {
        self.save(checkpoint)
    }

    fn progress(&mut self, t: f64, steps: u64) {
        self.clock.at(t, steps);
        if steps >= self.look_at_pace {
            self.look_at_pace = u64::MAX;
            let simulation = &self.prepared.simulation;
            if let Some(pace) = simulation.pace(t, steps, simulation.solver.max_steps) {
                output::remark(&format!(
                    "after {steps} steps, the run has reached t = {t:.3e} s. {pace}"
                ));
            }
        }
    }
}

fn columns(prepared: &Prepared) -> Vec<Column> {
    let channels = prepared.selection.channels().iter();
    let channels = channels.map(|c| Column::new(&c.name, &c.unit, &c.description));
    let state = prepared
        .state
        .iter()
        .map(|c| Column::new(&c.name, "", c.description));
    std::iter::once(Column::time())
        .chain(channels)
        .chain(state)
        .collect()
}

fn metadata(prepared: &Prepared) -> Metadata {
    let mut metadata = Metadata::new();
    metadata.insert(keys::VERSION.to_string(), env!("CARGO_PKG_VERSION").to_string());
    metadata.insert(keys::MODEL_NAME.to_string(), prepared.name.clone());
    metadata.insert(keys::MODEL_HASH.to_string(), prepared.hash.clone());
    metadata.insert(
        keys::OPTIONS.to_string(),
        Value::Object(super::summary::options(prepared)).to_string(),
    );
    if !prepared.state.is_empty() {
        metadata.insert(keys::STATE.to_string(), prepared.state.len().to_string());
        metadata.insert(keys::MODEL_TEXT.to_string(), prepared.text.clone());
        if let Some(folder) = &prepared.folder {
            metadata.insert(keys::MODEL_FOLDER.to_string(), folder.clone());
        }
    }
    if let Some(swept) = &prepared.swept {
        metadata.insert(keys::SWEPT.to_string(), swept.clone());
    }
    metadata
}

fn usage(error: holonom_results::Error) -> Error {
    Error::Usage(error.to_string())
}

fn failed(error: holonom_results::Error) -> Error {
    Error::Failed(format!(
        "{error}; make room there, or write to another place with -o"
    ))
}
