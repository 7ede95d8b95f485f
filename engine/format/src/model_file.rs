//! [`ModelFile`]: everything a model file says, with expressions evaluated.

use crate::message::{Message, Messages, Place};
use crate::settings::Settings;
use holonom_multibody::compile::{ModelError, ModelErrors};
use holonom_multibody::include::Placement;
use holonom_multibody::{Description, Signal};
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
    /// Its SI unit where the file gave one, else empty.
    pub unit: String,
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
        let inputs = description.inputs.iter().map(|input| Input {
            name: input.name.clone(),
            unit: input.unit.clone(),
            signal: input.signal.clone(),
        });
        Self {
            about: String::new(),
            source: String::new(),
            inputs: inputs.collect(),
            description,
            parameters: Vec::new(),
            outputs: Vec::new(),
            settings: Settings::default(),
            notes: Messages::default(),
            places: Places::default(),
        }
    }

    /// Faults of the mechanism with their places in the file.
    pub fn locate(&self, errors: &ModelErrors) -> Messages {
        let mut messages = Messages::default();
        // Of several things of one name the first may keep it.
        let mut repeated: HashMap<String, usize> = HashMap::new();
        // Where one thing says a wrong name several times, each fault has its own place.
        let mut said: HashMap<(String, String), usize> = HashMap::new();
        for error in &errors.0 {
            if messages.is_full() {
                break;
            }
            let number = match error {
                ModelError::DuplicateName { place, other, .. } if other == "another one" => {
                    let number = repeated.entry(place.clone()).or_default();
                    *number += 1;
                    *number
                }
                _ => 0,
            };
            let subject = error.subject();
            let nth = match (
                subject.place,
                wrong_text(error).or(subject.name.map(String::from)),
            ) {
                (Some(place), Some(text)) => {
                    let count = said.entry((place, text)).or_default();
                    *count += 1;
                    *count - 1
                }
                _ => 0,
            };
            messages.0.push(self.message(error, number, nth));
        }
        messages.sort();
        if errors.0.len() > messages.0.len() {
            messages.say_that_there_are_more();
        }
        messages
    }

    /// The message about a fault of the thing with this number among those of its name; `nth`
    /// counts the faults of the thing that are about the same text.
    pub(crate) fn message(&self, error: &ModelError, number: usize, nth: usize) -> Message {
        let subject = error.subject();
        let thing = subject.place.and_then(|thing| self.places.thing(&thing, number));
        let text = error.to_string();
        // The remedy stands after the last semicolon.
        let (fault, remedy) = match text.rsplit_once("; ") {
            Some((fault, remedy)) => (fault.to_string(), Some(remedy.to_string())),
            None => (text, None),
        };
        let remedy = match error {
            ModelError::NotARotation { .. } => {
                Some("give `cardan`, `quaternion` or `z_axis` instead of `matrix`".to_string())
            }
            _ => remedy,
        };
        if let (ModelError::DuplicateName { .. }, Some(include)) =
            (error, thing.and_then(|thing| thing.include.clone()))
        {
            let help = "give this include a different `prefix`, or rename one of them";
            return Message::error(Some(include), fault).help(help);
        }
        let place = match thing {
            Some(thing) => Some(match error {
                ModelError::BadData { .. } => thing.named_in(&fault),
                _ => wrong_text(error)
                    .and_then(|text| thing.text(&text, nth))
                    .unwrap_or_else(|| thing.place(subject.name, subject.fields, nth)),
            }),
            None => self.places.root.clone(),
        };
        let message = Message::error(place, fault);
        match remedy {
            Some(remedy) => message.help(remedy),
            None => message,
        }
    }
}

/// The whole text that is wrong, where a name alone would not tell it from others.
fn wrong_text(error: &ModelError) -> Option<String> {
    match error {
        ModelError::UnknownMarker { body, name, .. } => Some(format!("{body}.{name}")),
        _ => None,
    }
}

/// What a place in a file is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// `joint "knee"`.
    Named(&'static str, String),
    /// A marker on a body, or on the ground.
    Marker(String, Option<String>),
    /// Something of one file alone, such as a setting: including it does not hand it on.
    Own(String),
}

impl Label {
    /// As errors call it.
    fn text(&self) -> String {
        match self {
            Self::Named(kind, name) => format!("{kind} \"{name}\""),
            Self::Marker(name, Some(body)) => format!("marker \"{name}\" on body \"{body}\""),
            Self::Marker(name, None) => format!("marker \"{name}\" on ground"),
            Self::Own(text) => text.clone(),
        }
    }

    /// The same thing as part of another mechanism, with its ground on a body or on the ground.
    fn included(self, prefix: &str, carrier: Option<&str>) -> Option<Self> {
        Some(match self {
            Self::Named(kind, name) => Self::Named(kind, format!("{prefix}{name}")),
            Self::Marker(name, Some(body)) => Self::Marker(name, Some(format!("{prefix}{body}"))),
            Self::Marker(name, None) => Self::Marker(format!("{prefix}{name}"), carrier.map(str::to_string)),
            Self::Own(_) => return None,
        })
    }
}

/// Where things stand in the files, by what errors call them, such as `joint "knee"`.
#[derive(Clone, Debug, Default)]
pub struct Places {
    things: Vec<Thing>,
    /// Numbers of the things that errors call so.
    named: HashMap<String, Vec<usize>>,
    /// The head of the file, for faults of the whole mechanism.
    pub(crate) root: Option<Place>,
}

#[derive(Clone, Debug)]
struct Thing {
    label: Label,
    /// The name, or the head of the table.
    head: Place,
    /// Values by key.
    values: Vec<(String, Place)>,
    /// Texts in it with their places: what may be misspelt.
    texts: Vec<(String, Place)>,
    /// The include that brought it, for what comes from another file.
    include: Option<Place>,
}

impl Thing {
    /// The value of the field that a text names first, as in "`lane` is -3", or the head.
    fn named_in(&self, text: &str) -> Place {
        let quoted = text.split('`').skip(1).step_by(2);
        let value = |key: &str| self.values.iter().find(|(name, _)| name == key);
        let found = quoted.filter_map(value).map(|(_, place)| place).next();
        found.unwrap_or(&self.head).clone()
    }

    /// The nth place, from 0, of a text, or its last.
    fn text(&self, text: &str, nth: usize) -> Option<Place> {
        let all = self.texts.iter().filter(|(own, _)| own == text);
        all.take(nth + 1).last().map(|(_, place)| place.clone())
    }

    /// The nth text, from 0, that says `name`, the value of one of the fields, or the head.
    fn place(&self, name: Option<&str>, fields: &[&str], nth: usize) -> Place {
        let says = |text: &str, name: &str| text == name || text.split('.').any(|part| part == name);
        let text = name.and_then(|name| {
            let all = self.texts.iter().filter(|(text, _)| says(text, name));
            all.take(nth + 1).last()
        });
        let value = || {
            fields
                .iter()
                .find_map(|field| self.values.iter().find(|(key, _)| key == field))
        };
        text.or_else(value).map_or(&self.head, |(_, place)| place).clone()
    }
}

impl Places {
    /// Remembers a thing.
    pub(crate) fn add(
        &mut self,
        label: Label,
        head: Place,
        values: Vec<(String, Place)>,
        texts: Vec<(String, Place)>,
    ) {
        self.push(Thing {
            label,
            head,
            values,
            texts,
            include: None,
        });
    }

    fn push(&mut self, thing: Thing) {
        self.named
            .entry(thing.label.text())
            .or_default()
            .push(self.things.len());
        self.things.push(thing);
    }

    /// Takes over the places of an included part, whose ground becomes a marker; `at` is where it
    /// is included.
    pub(crate) fn adopt(&mut self, part: Self, placement: &Placement, at: &Place) {
        let prefix = placement.prefix.as_str();
        let carrier = placement.on.split('.').next().filter(|body| *body != "ground");
        self.push(Thing {
            label: Label::Marker(placement.ground_marker(), carrier.map(str::to_string)),
            head: at.clone(),
            values: Vec::new(),
            texts: Vec::new(),
            include: Some(at.clone()),
        });
        for thing in part.things {
            if let Some(label) = thing.label.included(prefix, carrier) {
                self.push(Thing {
                    label,
                    include: Some(at.clone()),
                    ..thing
                });
            }
        }
    }

    /// What errors call the things that have a name, all of them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    /// Whether a place is the head of the thing, and not that of one of its values.
    pub(crate) fn is_head(&self, called: &str, place: &Place) -> bool {
        self.thing(called, 0).is_some_and(|thing| thing.head == *place)
    }

    /// Whether a place lies between the first and the last value of a thing.
    pub(crate) fn is_within(&self, called: &str, place: &Place) -> bool {
        let Some(thing) = self.thing(called, 0) else {
            return false;
        };
        let own = || thing.values.iter().map(|(_, own)| own).chain([&thing.head]);
        let begin = own().map(|own| own.span.start).min();
        let end = own().map(|own| own.span.end).max();
        thing.head.source == place.source && begin <= Some(place.span.start) && Some(place.span.end) <= end
    }

    /// The thing with this number among those that errors call so, or the last of them.
    fn thing(&self, called: &str, number: usize) -> Option<&Thing> {
        let all = self.named.get(called)?;
        self.things.get(*all.get(number).or(all.last())?)
    }

    /// The place of a thing, or of a text in it that says `name`.
    pub fn find(&self, thing: &str, name: Option<&str>) -> Option<Place> {
        Some(self.thing(thing, 0)?.place(name, &[], 0))
    }

    /// The place of the value of a field, or of the thing if it does not give one.
    pub fn field(&self, thing: &str, field: &str) -> Option<Place> {
        Some(self.thing(thing, 0)?.place(None, &[field], 0))
    }

    /// The place of the constraint, joint, rod or force of this name.
    pub fn named(&self, name: &str) -> Option<Place> {
        ["joint", "constraint", "rod", "force", "body", "control"]
            .iter()
            .find_map(|kind| self.find(&format!("{kind} \"{name}\""), None))
    }

    /// The head of the file, for faults of the whole mechanism.
    pub fn root(&self) -> Option<Place> {
        self.root.clone()
    }
}
