//! [`ModelFile`]: everything a model file says, with expressions evaluated.

use crate::message::{Message, Messages, Place};
use crate::settings::Settings;
use holonom_multibody::diagnostic::{Diagnostic, ModelErrors, Sort, Thing, ThingKind};
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
        let mut repeated: HashMap<&Thing, usize> = HashMap::new();
        // Where one thing says a wrong name several times, each fault has its own place.
        let mut said: HashMap<(&Thing, &str), usize> = HashMap::new();
        for error in &errors.0 {
            if messages.is_full() {
                break;
            }
            let (mut number, mut nth) = (0, 0);
            if let Some(subject) = error.subject.as_deref() {
                if error.sort == (Sort::Repeated { same_kind: true }) {
                    let count = repeated.entry(subject).or_default();
                    *count += 1;
                    number = *count;
                }
                if let Some(text) = &error.said {
                    let count = said.entry((subject, text)).or_default();
                    nth = *count;
                    *count += 1;
                }
            }
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
    pub(crate) fn message(&self, error: &Diagnostic, number: usize, nth: usize) -> Message {
        let thing = error.subject.as_deref();
        let thing = thing.and_then(|thing| self.places.entry(thing, number));
        if let (Sort::Repeated { .. }, Some(include)) = (error.sort, thing.and_then(|t| t.include.clone())) {
            let help = "give this include a different `prefix`, or rename one of them";
            return Message::error(Some(include), error.headline()).help(help);
        }
        let place = match thing {
            Some(thing) => Some(thing.place(error.said.as_deref(), &error.fields, nth)),
            None => self.places.root.clone(),
        };
        let message = Message::of(error, place);
        match error.sort {
            Sort::Rotation => message.help("give `cardan`, `quaternion` or `z_axis` instead of `matrix`"),
            _ => message,
        }
    }
}

/// Where things stand in the files.
#[derive(Clone, Debug, Default)]
pub struct Places {
    entries: Vec<Entry>,
    /// Numbers of the entries of a thing.
    named: HashMap<Thing, Vec<usize>>,
    /// The head of the file, for faults of the whole mechanism.
    pub(crate) root: Option<Place>,
}

#[derive(Clone, Debug)]
struct Entry {
    thing: Thing,
    /// The name, or the head of the table.
    head: Place,
    /// Values by key.
    values: Vec<(String, Place)>,
    /// Texts in it with their places: what may be misspelt.
    texts: Vec<(String, Place)>,
    /// The include that brought it, for what comes from another file.
    include: Option<Place>,
}

/// The same thing as part of another mechanism, with its ground on a body or on the ground; none for what is of
/// one file alone, such as a setting.
fn included(thing: Thing, prefix: &str, carrier: Option<&str>) -> Option<Thing> {
    match (thing.kind, thing.body) {
        (ThingKind::Channel | ThingKind::Setting, _) => None,
        (ThingKind::Marker, Some(body)) => Some(Thing::marker(thing.name, Some(format!("{prefix}{body}")))),
        (ThingKind::Marker, None) => {
            let name = format!("{prefix}{}", thing.name);
            Some(Thing::marker(name, carrier.map(str::to_string)))
        }
        (kind, _) => Some(kind.named(format!("{prefix}{}", thing.name))),
    }
}

impl Entry {
    /// The nth text, from 0, that says `name`, the value of one of the fields, or the head.
    fn place(&self, name: Option<&str>, fields: &[&str], nth: usize) -> Place {
        let nth_that = |says: &dyn Fn(&str) -> bool| {
            let all = self.texts.iter().filter(|(text, _)| says(text));
            all.take(nth + 1).last()
        };
        // The whole text, or else one that has the name as a part.
        let text = name.and_then(|name| {
            let last = name.split('.').next_back().unwrap_or(name);
            let part = |text: &str| text == name || text.split('.').any(|part| part == last);
            let whole = nth_that(&|text| text == name);
            match name == last {
                true => nth_that(&part),
                false => whole.or_else(|| nth_that(&part)),
            }
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
        thing: Thing,
        head: Place,
        values: Vec<(String, Place)>,
        texts: Vec<(String, Place)>,
    ) {
        self.push(Entry {
            thing,
            head,
            values,
            texts,
            include: None,
        });
    }

    fn push(&mut self, entry: Entry) {
        let numbers = self.named.entry(entry.thing.clone()).or_default();
        numbers.push(self.entries.len());
        self.entries.push(entry);
    }

    /// Takes over the places of an included part, whose ground becomes a marker; `at` is where it
    /// is included.
    pub(crate) fn adopt(&mut self, part: Self, placement: &Placement, at: &Place) {
        let prefix = placement.prefix.as_str();
        let carrier = placement.on.split('.').next().filter(|body| *body != "ground");
        self.push(Entry {
            thing: Thing::marker(placement.ground_marker(), carrier.map(str::to_string)),
            head: at.clone(),
            values: Vec::new(),
            texts: Vec::new(),
            include: Some(at.clone()),
        });
        for entry in part.entries {
            if let Some(thing) = included(entry.thing.clone(), prefix, carrier) {
                self.push(Entry {
                    thing,
                    include: Some(at.clone()),
                    ..entry
                });
            }
        }
    }

    /// The things that have a name, each once.
    pub(crate) fn things(&self) -> impl Iterator<Item = &Thing> {
        self.named.keys()
    }

    /// Whether a place is the head of the thing, and not that of one of its values.
    pub(crate) fn is_head(&self, thing: &Thing, place: &Place) -> bool {
        self.entry(thing, 0).is_some_and(|entry| entry.head == *place)
    }

    /// Whether a place lies between the first and the last value of a thing.
    pub(crate) fn is_within(&self, thing: &Thing, place: &Place) -> bool {
        let Some(entry) = self.entry(thing, 0) else {
            return false;
        };
        let own = || entry.values.iter().map(|(_, own)| own).chain([&entry.head]);
        let begin = own().map(|own| own.span.start).min();
        let end = own().map(|own| own.span.end).max();
        entry.head.source == place.source && begin <= Some(place.span.start) && Some(place.span.end) <= end
    }

    /// The entry with this number among those of a thing, or the last of them.
    fn entry(&self, thing: &Thing, number: usize) -> Option<&Entry> {
        let all = self.named.get(thing)?;
        self.entries.get(*all.get(number).or(all.last())?)
    }

    /// The place of a thing, or of a text in it that says `name`.
    pub fn find(&self, thing: &Thing, name: Option<&str>) -> Option<Place> {
        Some(self.entry(thing, 0)?.place(name, &[], 0))
    }

    /// The place of the value of a field, or of the thing if it does not give one.
    pub fn field(&self, thing: &Thing, field: &str) -> Option<Place> {
        Some(self.entry(thing, 0)?.place(None, &[field], 0))
    }

    /// The place of the constraint, joint, rod or force of this name.
    pub fn named(&self, name: &str) -> Option<Place> {
        let kinds = [
            ThingKind::Joint,
            ThingKind::Constraint,
            ThingKind::Rod,
            ThingKind::Force,
            ThingKind::Body,
            ThingKind::Control,
        ];
        kinds.iter().find_map(|kind| self.find(&kind.named(name), None))
    }

    /// The head of the file, for faults of the whole mechanism.
    pub fn root(&self) -> Option<Place> {
        self.root.clone()
    }
}
