//! [`ModelFile`]: everything a model file says, with expressions evaluated.

use crate::message::{Message, Messages, Place};
use crate::settings::Settings;
use holonom_multibody::compile::{ModelError, ModelErrors};
use holonom_multibody::{Description, Model, Signal};
use std::collections::HashMap;

/// A model file after reading: the mechanism, and how to run and look at it.
///
/// Two are equal when the mechanism, the inputs, the outputs and the settings are; where things
/// stand in the text does not count, and parameters have done their work.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// What it is, in a sentence or paragraph.
    pub about: String,
    /// Where its data come from.
    pub source: String,
    /// The mechanism.
    pub description: Description,
    /// Parameters with the values used.
    pub parameters: Vec<Parameter>,
    /// Named functions of time.
    pub inputs: Vec<Input>,
    /// Patterns of the channels to record; empty for the usual ones.
    pub outputs: Vec<String>,
    /// How to run it.
    pub settings: Settings,
    /// What the user should know.
    pub notes: Messages,
    /// Where things stand in the files.
    pub places: Places,
}

/// A named number.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value in SI units.
    pub value: f64,
    /// What it is.
    pub about: String,
}

/// A named function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its unit, as a label of its channel.
    pub unit: String,
    /// The function.
    pub signal: Signal,
}

impl PartialEq for ModelFile {
    fn eq(&self, other: &Self) -> bool {
        self.about == other.about
            && self.source == other.source
            && self.description == other.description
            && self.inputs == other.inputs
            && self.outputs == other.outputs
            && self.settings == other.settings
    }
}

impl ModelFile {
    /// A mechanism without anything about running it.
    pub fn new(description: Description) -> Self {
        Self {
            about: String::new(),
            source: String::new(),
            description,
            parameters: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            settings: Settings::default(),
            notes: Messages::default(),
            places: Places::default(),
        }
    }

    /// Compiles the mechanism.
    ///
    /// # Errors
    /// All its faults, each with its place in the file.
    pub fn compile(&self) -> Result<Model, Messages> {
        self.description.compile().map_err(|errors| self.locate(&errors))
    }

    /// Faults of the mechanism with their places in the file.
    pub fn locate(&self, errors: &ModelErrors) -> Messages {
        Messages(errors.0.iter().map(|error| self.message(error)).collect())
    }

    fn message(&self, error: &ModelError) -> Message {
        let subject = error.subject();
        let place = subject
            .place
            .and_then(|thing| self.places.find(&thing, subject.name));
        let text = error.to_string();
        // The remedy stands after the last semicolon.
        match text.rsplit_once("; ") {
            Some((fault, remedy)) => Message::error(place, fault).help(remedy),
            None => Message::error(place, text),
        }
    }
}

/// Where things stand in the files, by what errors call them, such as `joint "knee"`.
#[derive(Clone, Debug, Default)]
pub struct Places(HashMap<String, Thing>);

#[derive(Clone, Debug)]
struct Thing {
    /// The name, or the head of the table.
    head: Place,
    /// Texts in it with their places: what may be misspelt.
    texts: Vec<(String, Place)>,
}

impl Places {
    /// Remembers a thing; the first of several stays.
    pub(crate) fn add(&mut self, thing: String, head: Place, texts: Vec<(String, Place)>) {
        self.0.entry(thing).or_insert(Thing { head, texts });
    }

    /// Takes over the places of an included part.
    pub(crate) fn adopt(&mut self, part: Self, prefix: &str) {
        for (thing, place) in part.0 {
            self.0.entry(prefixed(&thing, prefix)).or_insert(place);
        }
    }

    /// The place of a thing, or of a text in it that begins with `name`.
    pub fn find(&self, thing: &str, name: Option<&str>) -> Option<Place> {
        let thing = self.0.get(thing)?;
        let text = name.and_then(|name| {
            let says = |text: &str| text == name || text.split('.').any(|part| part == name);
            thing.texts.iter().find(|(text, _)| says(text))
        });
        Some(text.map_or(&thing.head, |(_, place)| place).clone())
    }

    /// The place of the constraint, joint, rod or force of this name.
    pub fn named(&self, name: &str) -> Option<Place> {
        ["joint", "constraint", "rod", "force", "body"]
            .iter()
            .find_map(|kind| self.find(&format!("{kind} \"{name}\""), None))
    }
}

/// `joint "knee"` → `joint "front_knee"`; the last quoted name of `marker "m" on body "b"`.
fn prefixed(thing: &str, prefix: &str) -> String {
    let mut quotes = thing.match_indices('"').map(|(at, _)| at);
    match thing.matches('"').count() {
        2 => {
            let at = quotes.next().unwrap_or(0) + 1;
            format!("{}{prefix}{}", &thing[..at], &thing[at..])
        }
        4 => {
            let at = quotes.nth(2).unwrap_or(0) + 1;
            format!("{}{prefix}{}", &thing[..at], &thing[at..])
        }
        _ => thing.to_string(),
    }
}
