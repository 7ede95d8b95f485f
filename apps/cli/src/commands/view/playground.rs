//! A model to play with: joints that can be moved with the loops closed, parameters that run it anew.

use super::shown::{Shown, Still};
use crate::error::Error;
use crate::film::{self, Film};
use crate::model::{Asked, Named, Origin};
use holonom::format::Settings;
use holonom::multibody::Model;
use holonom::multibody::description::Hold;
use holonom::multibody::model::JointPlace;
use holonom::multibody::start::AssemblyOptions;
use holonom::simulation::{Replay, RunOptions, Simulation, Sink, Status};
use holonom_results::{Column, Metadata, Writer, WriterOptions, keys};
use holonom_scene::Poser;
use holonom_scene::poser::numbers;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is removed with its owner.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Scratch {
    fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("holonom-view-{}-{number}.arrows", std::process::id())))
    }
}

/// A slider for a coordinate.
struct Coordinate {
    name: String,
    unit: &'static str,
    /// Place in q, and in v.
    q: usize,
    v: usize,
}

/// A model with its present position and parameters.
pub struct Playground {
    asked: Asked,
    settings: Settings,
    named: Named,
    /// Values that sliders have.
    changed: BTreeMap<String, f64>,
    /// Values of the file.
    original: BTreeMap<String, f64>,
    still: Arc<Still>,
    coordinates: Vec<Coordinate>,
    film: Option<(Arc<Film>, Scratch)>,
}

fn simulated(named: &Named, settings: &Settings) -> Result<Still, Error> {
    let simulation = Simulation::new(&named.file, settings).map_err(Error::Model)?;
    let scene = film::scene_of(&simulation, &named.file.description, named.folder.as_deref());
    let q = simulation.start.q.clone();
    let replay = Replay::of(named.file.description.clone(), simulation);
    let replay = replay.map_err(|error| Error::Usage(error.to_string()))?;
    Ok(Still { replay, scene, q })
}

fn coordinates(model: &Model) -> Vec<Coordinate> {
    let mut all = Vec::new();
    for joint in &model.joints {
        let JointPlace::Tree { .. } = joint.place else {
            continue;
        };
        let info = joint.kind.info();
        for (coordinate, node) in info.coordinates.iter().zip(&joint.coordinates) {
            let own = &model.tree.nodes[*node];
            if *node == 0 || own.prescribed.is_some() {
                continue;
            }
            let name = match info.coordinates.len() {
                1 => joint.name.clone(),
                _ => format!("{}.{}", joint.name, coordinate.name),
            };
            all.push(Coordinate {
                name,
                unit: coordinate.unit,
                q: own.q,
                v: own.v,
            });
        }
    }
    all
}

impl Playground {
    /// Reads and assembles a model.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn open(asked: Asked, settings: Settings) -> Result<Self, Error> {
        let named = crate::model::load(&asked)?;
        let still = Arc::new(simulated(&named, &settings)?);
        let original = named
            .file
            .parameters
            .iter()
            .map(|p| (p.name.clone(), p.value))
            .collect();
        let coordinates = coordinates(still.replay.model());
        Ok(Self {
            asked,
            settings,
            named,
            changed: BTreeMap::new(),
            original,
            still,
            coordinates,
            film: None,
        })
    }

    /// The folder of the model on disk.
    pub fn folder(&self) -> Option<&Path> {
        self.named.folder.as_deref()
    }

    /// Reads the files again, with the values of the sliders.
    ///
    /// # Errors
    /// Everything that is wrong now; the old model stays.
    pub fn reread(&mut self) -> Result<(), Error> {
        let origin = Origin::of(&self.asked)?;
        let fresh = origin.load(&self.asked.sets, &[])?;
        self.original = fresh
            .file
            .parameters
            .iter()
            .map(|p| (p.name.clone(), p.value))
            .collect();
        self.changed.retain(|name, _| self.original.contains_key(name));
        let had_run = self.film.is_some();
        self.reload()?;
        if had_run { self.run() } else { Ok(()) }
    }

    fn reload(&mut self) -> Result<(), Error> {
        let typed = self.asked.sets.iter().filter(|set| {
            let name = set.split('=').next().unwrap_or("").trim();
            !self.changed.contains_key(name)
        });
        let moved = self
            .changed
            .iter()
            .map(|(name, value)| format!("{name}={value:?}"));
        let sets: Vec<String> = typed.cloned().chain(moved).collect();
        let named = Origin::of(&self.asked)?.load(&sets, &[])?;
        let still = simulated(&named, &self.settings)?;
        self.coordinates = coordinates(still.replay.model());
        (self.named, self.still, self.film) = (named, Arc::new(still), None);
        Ok(())
    }

    /// Motion if it has run, else the position.
    pub fn shown(&self) -> Shown {
        match &self.film {
            Some((film, _)) => Shown::Film(film.clone()),
            None => Shown::Still(self.still.clone()),
        }
    }

    /// The sliders as the page wants them.
    pub fn sliders(&self) -> Value {
        let unit = self.still.scene.unit;
        let coordinates = self.coordinates.iter().map(|own| {
            let value = self.still.q[own.q];
            let reach = if own.unit == "rad" { PI } else { 1.5 * unit.max(value.abs()) };
            json!({ "name": own.name, "unit": own.unit, "value": value, "low": value - reach, "high": value + reach })
        });
        let parameters = self.named.file.parameters.iter().map(|p| {
            let original = self.original.get(&p.name).copied().unwrap_or(p.value);
            let (low, high) = match original {
                0.0 => (-1.0, 1.0),
                x if x > 0.0 => (0.25 * x, 2.0 * x),
                x => (2.0 * x, 0.25 * x),
            };
            json!({ "name": p.name, "unit": p.unit, "about": p.about, "value": p.value,
                    "low": low.min(p.value), "high": high.max(p.value) })
        });
        json!({ "coordinates": coordinates.collect::<Vec<_>>(), "parameters": parameters.collect::<Vec<_>>() })
    }

    /// Moves a coordinate; the others follow so that loops stay closed. Where that is not possible, the answer says so
    /// and everything stays as near as it came.
    pub fn moved(&mut self, name: &str, value: f64) -> Value {
        let Some(own) = self.coordinates.iter().find(|own| own.name == name) else {
            return json!({ "error": format!("there is no coordinate `{name}` that can be moved") , "poses": [], "coordinates": [] });
        };
        if !value.is_finite() {
            return json!({ "error": format!("`{name}` needs a number"), "poses": [], "coordinates": [] });
        }
        // Small moves stay on the same way to close the loops.
        let most = if own.unit == "rad" {
            0.1
        } else {
            0.1 * self.still.scene.unit
        };
        let start = &self.still.replay.simulation().start;
        let mut model = (*start.model).clone();
        model.start.positions.fill(Hold::Free);
        model.start.velocities.fill(Hold::Free);
        model.start.positions[own.v] = Hold::Fixed;
        let model = Arc::new(model);
        let mut q = self.still.q.clone();
        let from = q[own.q];
        let steps = ((value - from).abs() / most).ceil().clamp(1.0, 80.0);
        let mut error = String::new();
        for step in 1..=steps as usize {
            let mut wanted = q.clone();
            wanted[own.q] = from + (value - from) * step as f64 / steps;
            let options = AssemblyOptions {
                time: start.t,
                positions: Some(wanted),
                velocities: Some(vec![0.0; model.tree.n_v]),
                other_starts: 0,
                ..AssemblyOptions::default()
            };
            match model.assemble(&options) {
                Ok(found) => q = found.q,
                Err(_) => {
                    error = format!("`{name}` cannot be moved to {value:.4}: the loops do not close there");
                    break;
                }
            }
        }
        let still = Still {
            replay: match Replay::of(
                self.named.file.description.clone(),
                self.still.replay.simulation().clone(),
            ) {
                Ok(replay) => replay,
                Err(error) => return json!({ "error": error.to_string(), "poses": [], "coordinates": [] }),
            },
            scene: self.still.scene.clone(),
            q,
        };
        let start = &still.replay.simulation().start;
        let mut poser = Poser::new(&start.model);
        let poses = poser.poses(&start.model, start.t, &still.q);
        let poses: Vec<Value> = poses[1..]
            .iter()
            .flat_map(numbers)
            .map(|x| json!(x.is_finite().then_some(x)))
            .collect();
        let coordinates: Vec<Value> = self
            .coordinates
            .iter()
            .map(|own| json!({ "name": own.name, "value": still.q[own.q] }))
            .collect();
        self.still = Arc::new(still);
        json!({ "error": error, "poses": poses, "coordinates": coordinates })
    }

    /// Changes a parameter.
    ///
    /// # Errors
    /// One that is not there, or a value with which the model has faults; the old value stays then.
    pub fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        if !self.original.contains_key(name) || !value.is_finite() {
            return Err(Error::Usage(format!(
                "the model has no parameter `{name}`, or {value} is no value for it"
            )));
        }
        let before = self.changed.insert(name.to_string(), value);
        let changed = self.reload();
        if changed.is_err() {
            match before {
                Some(before) => self.changed.insert(name.to_string(), before),
                None => self.changed.remove(name),
            };
        }
        changed
    }

    /// Simulates from the start; the result is a file that goes away with the playground.
    ///
    /// # Errors
    /// A run that failed; what it computed until then is shown.
    pub fn run(&mut self) -> Result<(), Error> {
        let failed = |error: holonom_results::Error| Error::Failed(error.to_string());
        let simulation = self.still.replay.simulation();
        let selection = simulation.wanted(&self.named.file).map_err(Error::Model)?;
        let state = simulation
            .state_columns()
            .map_err(|error| Error::Usage(error.to_string()))?;
        let channels = selection
            .channels()
            .iter()
            .map(|c| Column::new(&c.name, &c.unit, &c.description));
        let columns: Vec<Column> = std::iter::once(Column::time())
            .chain(channels)
            .chain(state.iter().map(|c| Column::new(&c.name, "", c.description)))
            .collect();
        let mut file = self.named.file.clone();
        file.settings = file.settings.overridden_by(&self.settings);
        file.outputs.clear();
        let text = holonom::format::write(&file).map_err(|error| Error::Failed(error.to_string()))?;
        let mut metadata = Metadata::new();
        metadata.insert(keys::STATE.to_string(), state.len().to_string());
        metadata.insert(keys::MODEL_TEXT.to_string(), text);
        if let Some(folder) = self.named.folder_of_meshes() {
            metadata.insert(keys::MODEL_FOLDER.to_string(), folder);
        }
        let scratch = Scratch::new();
        let mut options = WriterOptions::default();
        options.interval = f64::INFINITY;
        let mut rows = Rows(Writer::create(&scratch.0, &columns, &metadata, &options).map_err(failed)?);
        let options = RunOptions::new(selection).state(true);
        let report = simulation
            .run(&options, &mut rows)
            .map_err(|error| Error::Usage(error.to_string()))?;
        rows.0.finish().map_err(failed)?;
        self.film = Some((Arc::new(Film::open(&scratch.0, &self.asked.library)?), scratch));
        match report.status {
            Status::Finished => Ok(()),
            _ => Err(Error::Failed(format!(
                "at t = {} s: {}",
                report.t, report.message
            ))),
        }
    }
}

struct Rows(Writer);

impl Sink for Rows {
    fn row(&mut self, row: &[f64]) -> Result<(), String> {
        self.0.push(row).map_err(|error| error.to_string())
    }
}
