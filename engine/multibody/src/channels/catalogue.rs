//! [`Catalogue`]: the channels of a mechanism; [`Selection`]: some of them.

use super::build;
use crate::description::Input;
use crate::diagnostic::{Diagnostic, quoted};
use crate::model::Model;
use crate::observable::Observable;
use crate::start::Assembled;
use holonom_text::{Pattern, PatternError, nearest};
use std::sync::Arc;

/// A quantity that can be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Name, unique in the catalogue.
    pub name: String,
    /// Unit, such as `N m`; `1` for pure numbers.
    pub unit: String,
    /// What it is, in a sentence.
    pub description: String,
}

/// A channel with what it observes.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub channel: Channel,
    /// Kind of the thing it belongs to; none for the mechanism as a whole.
    pub kind: Option<&'static str>,
    /// Length of the kind in front of the name, with the colon.
    pub prefix: usize,
    pub observable: Observable,
    /// Which of the values of the observable it is.
    pub place: u8,
    /// Whether it is recorded when nothing is asked for.
    pub usual: bool,
}

impl Entry {
    /// Whether it goes by a name, with or without the kind of its thing in front.
    pub fn is_called(&self, name: &str) -> bool {
        let own = &self.channel.name;
        if own == name || self.prefix > 0 && &own[self.prefix..] == name {
            return true;
        }
        // The kind may be given where it is not needed.
        let (Some((kind, name)), Some(own_kind)) = (name.split_once(':'), self.kind) else {
            return false;
        };
        self.prefix == 0 && kind == own_kind && own == name
    }
}

/// All channels of an assembled mechanism.
#[derive(Clone, Debug)]
pub struct Catalogue {
    entries: Vec<Entry>,
    model: Arc<Model>,
    /// Functions of time besides those of the model.
    inputs: Arc<[Input]>,
}

/// Some channels, in the order of their columns.
#[derive(Clone, Debug)]
pub struct Selection {
    channels: Vec<Channel>,
    /// Number in the catalogue, and the entry.
    pub(super) entries: Vec<(usize, Entry)>,
    pub(super) model: Arc<Model>,
    pub(super) inputs: Arc<[Input]>,
}

/// Why a name, or a [`Pattern`] with `*`, `?` and `[xy]`, selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Diagnostic::from(self))]
pub enum UnknownChannel {
    /// No channel fits.
    NoMatch {
        /// The name or pattern.
        pattern: String,
        /// What may have been meant.
        suggestion: Option<String>,
        /// Some channels that there are.
        examples: Vec<String>,
    },
    /// The pattern cannot be read.
    Pattern(#[from] PatternError),
}

impl From<&UnknownChannel> for Diagnostic {
    fn from(error: &UnknownChannel) -> Self {
        match error {
            UnknownChannel::NoMatch {
                pattern,
                suggestion,
                examples,
            } => {
                let none = match is_name(pattern) {
                    true => "there is no channel",
                    false => "no channel fits",
                };
                let available = format!("available channels include {}", quoted(examples));
                Self::new(format!("{none} \"{pattern}\"")).did_you_mean(suggestion.as_ref(), &available)
            }
            UnknownChannel::Pattern(error) => Self::new(error.to_string()),
        }
    }
}

/// Whether a text stands for itself alone.
fn is_name(text: &str) -> bool {
    Pattern::new(text).is_ok_and(|pattern| pattern.is_literal())
}

impl Catalogue {
    /// The channels of a mechanism.
    pub fn new(assembled: &Assembled) -> Self {
        Self::with_inputs(assembled, &[])
    }

    /// The channels of a mechanism and of further functions of time.
    pub fn with_inputs(assembled: &Assembled, inputs: &[Input]) -> Self {
        Self {
            entries: build::all(&assembled.model, Some(&assembled.rows), inputs),
            model: assembled.model.clone(),
            inputs: inputs.into(),
        }
    }

    /// All channels: joints, bodies with their markers, reactions, force elements, and what belongs
    /// to the whole mechanism.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = &Channel> {
        self.entries.iter().map(|e| &e.channel)
    }

    /// Number of channels.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The channel with this name.
    pub fn find(&self, name: &str) -> Option<&Channel> {
        self.channels().find(|c| c.name == name)
    }

    /// The channels that fit the [`Pattern`]s: names in which `*` stands for any text, dots included,
    /// `?` for one character and `[xy]` for one of some. In the order of the patterns, for one
    /// pattern in that of the catalogue; what fits twice comes once. A name fits itself, whatever
    /// characters it has.
    ///
    /// # Errors
    /// A pattern that no channel fits, or that cannot be read.
    pub fn select(&self, patterns: &[&str]) -> Result<Selection, UnknownChannel> {
        let mut chosen = Vec::new();
        let mut taken = vec![false; self.entries.len()];
        for text in patterns {
            let pattern = Pattern::new(text);
            let fits = |name: &str| name == *text || pattern.as_ref().is_ok_and(|p| p.matches(name));
            let mut found = false;
            for (number, entry) in self.entries.iter().enumerate() {
                let name = &entry.channel.name;
                if fits(name) || entry.prefix > 0 && fits(&name[entry.prefix..]) {
                    found = true;
                    if !core::mem::replace(&mut taken[number], true) {
                        chosen.push(number);
                    }
                }
            }
            if !found {
                return Err(self.unknown(&pattern?));
            }
        }
        Ok(self.selection(chosen))
    }

    /// What is worth a look in every run and costs little: coordinates with their velocities,
    /// positions of the bodies where these are few, energies, and how well constraints are kept.
    pub fn default_selection(&self) -> Selection {
        let usual = |&number: &usize| self.entries[number].usual;
        self.selection((0..self.entries.len()).filter(usual).collect())
    }

    /// Everything.
    pub fn everything(&self) -> Selection {
        self.selection((0..self.entries.len()).collect())
    }

    fn selection(&self, numbers: Vec<usize>) -> Selection {
        let entry = |number: usize| (number, self.entries[number].clone());
        Selection {
            channels: numbers
                .iter()
                .map(|&number| self.entries[number].channel.clone())
                .collect(),
            entries: numbers.into_iter().map(entry).collect(),
            model: self.model.clone(),
            inputs: self.inputs.clone(),
        }
    }

    fn unknown(&self, pattern: &Pattern) -> UnknownChannel {
        UnknownChannel::NoMatch {
            pattern: pattern.to_string(),
            suggestion: self.suggestion(pattern),
            examples: self.channels().take(3).map(|c| c.name.clone()).collect(),
        }
    }

    /// The nearest name; where there is none, or `pattern` is more than a name, the pattern with its
    /// first parts replaced by those of a channel.
    fn suggestion(&self, pattern: &Pattern) -> Option<String> {
        let names = || self.entries.iter().map(|e| e.channel.name.as_str());
        if pattern.is_literal() {
            return nearest(pattern.as_str(), names()).map(str::to_string);
        }
        let parts: Vec<&str> = pattern.as_str().split('.').collect();
        let literal = parts.iter().take_while(|part| is_name(part)).count();
        for length in (1..=literal).rev() {
            let heads = names().filter_map(|name| head(name, length));
            let Some(better) = nearest(&parts[..length].join("."), heads) else {
                continue;
            };
            let rest = parts[length..].iter().map(|part| format!(".{part}"));
            let whole = better.to_string() + &rest.collect::<String>();
            if Pattern::new(&whole).is_ok_and(|whole| names().any(|name| whole.matches(name))) {
                return Some(whole);
            }
        }
        None
    }
}

/// The first parts of a name with dots.
fn head(name: &str, parts: usize) -> Option<&str> {
    let end = name.match_indices('.').nth(parts - 1).map(|(at, _)| at);
    match end {
        Some(end) => Some(&name[..end]),
        None => (name.split('.').count() == parts).then_some(name),
    }
}

impl Selection {
    /// The channels in the order of the columns.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.channels.len()
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// The column of a channel.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|c| c.name == name)
    }
}
