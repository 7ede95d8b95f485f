//! Names of URDF in Holonom: letters, digits, `_` and `-`; all else becomes `_`.

use super::xml::{Reader, quoted};
use core::ops::Range;
use holonom_text::nearest;
use std::collections::HashMap;

/// Suggestions cost time: none after so many errors, nor for names as long as that.
const SUGGESTED: usize = 50;
const SUGGESTED_LENGTH: usize = 64;

/// The name that Holonom can have: a dot separates body and marker, and `ground` is the world.
pub(super) fn mapped(name: &str) -> String {
    let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut here: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if here == "ground" {
        here.push('_');
    }
    here
}

/// Names of one sort of thing: where each one leads, and that no two become the same.
pub(super) struct Names {
    what: &'static str,
    by_urdf: HashMap<String, usize>,
    /// The name in the file for each name in Holonom.
    by_here: HashMap<String, String>,
    renamed: Vec<String>,
    first_renamed: Option<Range<usize>>,
}

impl Names {
    pub fn new(what: &'static str) -> Self {
        Self {
            what,
            by_urdf: HashMap::new(),
            by_here: HashMap::new(),
            renamed: Vec::new(),
            first_renamed: None,
        }
    }

    /// Registers a thing by its number; gives its name in Holonom.
    pub fn add(&mut self, reader: &mut Reader, name: &str, number: usize, span: Range<usize>) -> String {
        let (what, here) = (self.what, mapped(name));
        match self.by_here.get(&here) {
            Some(other) if other == name => reader.error(
                span,
                format!("there is another {what} {}", quoted(name)),
                Some("rename one of them".to_string()),
            ),
            Some(other) => {
                let message = format!(
                    "the {what}s {} and {} would both be called {}",
                    quoted(other),
                    quoted(name),
                    quoted(&here)
                );
                let help = "rename one of them; a name has letters, digits, _ and -";
                reader.error(span, message, Some(help.to_string()));
                self.by_urdf.entry(name.to_string()).or_insert(number);
            }
            None => {
                if here != name {
                    self.renamed
                        .push(format!("{} to {}", quoted(name), quoted(&here)));
                    self.first_renamed.get_or_insert(span);
                }
                self.by_here.insert(here.clone(), name.to_string());
                self.by_urdf.insert(name.to_string(), number);
            }
        }
        here
    }

    /// The number of a thing, by its name in the file.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_urdf.get(name).copied()
    }

    /// Whether something has this name in Holonom.
    pub fn is_taken(&self, here: &str) -> bool {
        self.by_here.contains_key(here)
    }

    /// A name that is not taken yet, with underscores behind it if need be; it is taken then.
    pub fn fresh(&mut self, wish: String) -> String {
        let mut here = wish;
        while self.is_taken(&here) {
            here.push('_');
        }
        self.by_here.insert(here.clone(), here.clone());
        here
    }

    /// "did you mean …", for a name that does not exist.
    pub fn suggestion(&self, reader: &Reader, name: &str) -> Option<String> {
        suggestion(reader, name, self.by_urdf.keys().map(String::as_str))
    }

    /// Notes which names have changed.
    pub fn note_renamed(self, reader: &mut Reader) {
        if let Some(span) = self.first_renamed {
            let message = format!("{}s renamed: {}", self.what, super::notes::listed(&self.renamed));
            let help = "names have letters, digits, _ and -; \"ground\" is the fixed world";
            reader.notes.add(span, message, Some(help));
        }
    }
}

/// Names with commas, each once.
pub(super) fn listed_once(names: impl Iterator<Item = String>) -> String {
    let mut once: Vec<String> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
        if once.len() > super::notes::NAMES {
            break;
        }
    }
    super::notes::listed(&once)
}

/// "did you mean …", if some name is similar.
pub(super) fn suggestion<'a>(
    reader: &Reader,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> Option<String> {
    if reader.errors.len() > SUGGESTED || name.len() > SUGGESTED_LENGTH {
        return None;
    }
    nearest(name, names.filter(|n| n.len() <= SUGGESTED_LENGTH))
        .map(|near| format!("did you mean {}?", quoted(near)))
}
