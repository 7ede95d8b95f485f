//! What is not used, counted by kind, so that a robot with a hundred pictures gives one note.

use super::Note;
use core::ops::Range;
use std::collections::HashMap;

/// Names in one note.
pub(super) const NAMES: usize = 20;

/// Notes shown.
const SHOWN: usize = 100;

/// Notes in the making.
#[derive(Default)]
pub(super) struct Notes {
    counted: Vec<Counted>,
    index: HashMap<String, usize>,
    single: Vec<Note>,
}

struct Counted {
    what: String,
    fate: &'static str,
    span: Range<usize>,
    count: usize,
    names: Vec<String>,
}

impl Notes {
    /// Counts a thing: `what` in the singular, with `%` where the plural has its s unless that is
    /// at the end, and after "is" or "are" its `fate`. The owner's name is listed.
    pub fn count(&mut self, what: &str, fate: &'static str, span: Range<usize>, owner: Option<&str>) {
        let key = format!("{what}\n{fate}");
        let next = self.counted.len();
        let at = *self.index.entry(key).or_insert(next);
        if at == next {
            self.counted.push(Counted {
                what: what.to_string(),
                fate,
                span,
                count: 0,
                names: Vec::new(),
            });
        }
        let counted = &mut self.counted[at];
        counted.count += 1;
        if let Some(name) = owner
            && counted.names.len() <= NAMES
            && !counted.names.iter().any(|n| n == name)
        {
            counted.names.push(name.to_string());
        }
    }

    /// Adds a note of its own.
    pub fn add(&mut self, span: Range<usize>, message: String, help: Option<&str>) {
        self.single.push(Note {
            span,
            message,
            help: help.map(str::to_string),
        });
    }

    /// All notes in the order of the text.
    pub fn finish(self) -> Vec<Note> {
        let mut notes = self.single;
        for counted in self.counted {
            let (plural, verb) = match counted.count {
                1 => ("", "is"),
                _ => ("s", "are"),
            };
            let what = match counted.what.split_once('%') {
                Some((before, after)) => format!("{before}{plural}{after}"),
                None => format!("{}{plural}", counted.what),
            };
            let mut message = format!("{} {what} {verb} {}", counted.count, counted.fate);
            if !counted.names.is_empty() {
                message.push_str(&format!(" ({})", listed(&counted.names)));
            }
            notes.push(Note {
                span: counted.span,
                message,
                help: None,
            });
        }
        notes.sort_by_key(|note| note.span.start);
        if notes.len() > SHOWN {
            let more = notes.len() - SHOWN;
            notes.truncate(SHOWN);
            notes.extend(notes.last().cloned().map(|last| Note {
                span: last.span,
                message: format!("there are {more} more notes"),
                help: None,
            }));
        }
        notes
    }
}

/// Names with commas, the first ones of many.
pub(super) fn listed(names: &[String]) -> String {
    let mut text = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > NAMES {
        text.push_str(" and more");
    }
    text
}
