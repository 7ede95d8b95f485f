//! What the server shows at a time, and what changes it.

use super::playground::Playground;
use super::shown::Shown;
use crate::error::Error;
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shared by all requests.
#[derive(Default)]
pub struct Room {
    inside: Mutex<Inside>,
    playground: Mutex<Option<Playground>>,
}

#[derive(Default)]
struct Inside {
    /// The run, and one to compare it with.
    runs: Vec<Shown>,
    /// Counts what has been shown.
    version: u64,
    running: bool,
    /// Why there is nothing new to see.
    error: String,
    /// Something to know.
    note: String,
    kind: &'static str,
    /// Sliders.
    play: Value,
}

impl Room {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn playground(&self) -> MutexGuard<'_, Option<Playground>> {
        self.playground.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows something else from now on.
    pub fn show(&self, runs: Vec<Shown>, kind: &'static str, running: bool) {
        let mut inside = self.inside();
        inside.runs = runs;
        inside.kind = kind;
        inside.running = running;
        inside.error.clear();
        inside.version += 1;
    }

    /// Why the model or the run is not shown.
    pub fn fail(&self, error: String) {
        let mut inside = self.inside();
        if inside.error != error {
            inside.error = error;
        }
    }

    /// Makes a model changeable.
    pub fn play(&self, playground: Playground) {
        let sliders = playground.sliders();
        let shown = playground.shown();
        *self.playground() = Some(playground);
        self.inside().play = sliders;
        self.show(vec![shown], "model", false);
    }

    /// Files of the model that are looked at for changes.
    pub fn replace(&self, change: impl FnOnce(&mut Playground) -> Result<(), Error>) {
        let mut playground = self.playground();
        let Some(own) = playground.as_mut() else { return };
        match change(own) {
            Ok(()) => {
                let (sliders, shown) = (own.sliders(), own.shown());
                self.inside().play = sliders;
                self.show(vec![shown], "model", false);
            }
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// One of the runs.
    pub fn shown(&self, run: usize) -> Result<Shown, Error> {
        let inside = self.inside();
        inside
            .runs
            .get(run)
            .cloned()
            .ok_or_else(|| Error::Usage(format!("there is no run {run}")))
    }

    /// What the page asks for again and again.
    pub fn status(&self) -> Value {
        let inside = self.inside();
        json!({
            "version": inside.version, "kind": inside.kind, "running": inside.running, "error": inside.error,
            "note": inside.note, "runs": inside.runs.len(), "empty": inside.runs.is_empty(), "play": inside.play,
        })
    }

    /// Moves a coordinate of the model.
    pub fn moved(&self, name: &str, value: f64) -> Result<Value, Error> {
        match self.playground().as_mut() {
            Some(playground) => Ok(playground.moved(name, value)),
            None => Err(no_model()),
        }
    }

    /// Runs the model with another value of a parameter.
    pub fn with_parameter(&self, name: &str, value: f64) -> Result<Value, Error> {
        let mut playground = self.playground();
        let own = playground.as_mut().ok_or_else(no_model)?;
        own.set_parameter(name, value)?;
        self.run_with(own)
    }

    /// Runs the model.
    pub fn run(&self) -> Result<Value, Error> {
        let mut playground = self.playground();
        self.run_with(playground.as_mut().ok_or_else(no_model)?)
    }

    fn run_with(&self, own: &mut Playground) -> Result<Value, Error> {
        let ran = own.run();
        let (sliders, shown) = (own.sliders(), own.shown());
        self.inside().play = sliders;
        self.show(vec![shown], "model", false);
        match ran {
            Ok(()) => Ok(json!({})),
            Err(error) => {
                self.fail(error.to_string());
                Ok(json!({ "error": error.to_string() }))
            }
        }
    }
}

fn no_model() -> Error {
    Error::Usage("a result cannot be changed: view the model instead, `holonom view MODEL`".to_string())
}
