//! From a TOML text to a [`ModelFile`].
//!
//! The order of the work: syntax; parameters; tables and inputs, which expressions may use; the
//! files it includes; ground, bodies and joints; then what refers to joints. Everything that is
//! wrong is collected; reading goes on with a stand-in.

mod bodies;
mod expressions;
mod includes;
mod joints;
mod parameters;
pub(crate) mod syntax {
    //! Words of the format that the writer and the schema share.
    pub(crate) use super::bodies::ORIENTATIONS;
    pub(crate) use super::joints::HINTS;
    pub(crate) use super::top::TABLES;
}
mod table_reader;
mod top;

use crate::files::Files;
use crate::message::{Message, Messages, Place, Source};
use crate::model_file::ModelFile;
use crate::tree::{Kind, Table, Value};
use crate::urdf;
use core::ops::Range;
use expressions::Names;
use holonom_multibody::Description;
use holonom_multibody::names::nearest;
use parameters::Override;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the format that is read and written.
pub const VERSION: u64 = 1;

/// Reads a model file and what it includes. A name that ends in `.urdf` is read as URDF.
///
/// `overrides` are parameters with values that replace those of the file, as texts.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read(
    path: impl AsRef<Path>,
    files: &Files,
    overrides: &[(String, String)],
) -> Result<ModelFile, Messages> {
    let mut session = Session {
        files,
        messages: Vec::new(),
        open: Vec::new(),
        files_read: 0,
    };
    let overrides = overrides.iter().map(Override::typed).collect();
    let model = session.file(path.as_ref(), None, overrides, &urdf::Options::default());
    // A file that is included twice has its faults twice.
    let mut told: Vec<Message> = Vec::new();
    for message in session.messages {
        if !told.contains(&message) {
            told.push(message);
        }
    }
    let messages = Messages(told);
    match model {
        Some(mut model) if !messages.has_errors() => {
            model.notes = messages;
            Ok(model)
        }
        _ => Err(messages),
    }
}

/// Files at most, each counted as often as it is included: what is hostile stops here.
const MAX_FILES: usize = 1000;

/// Depth of includes at most.
const MAX_DEPTH: usize = 32;

/// What all files of one reading share.
struct Session<'f> {
    files: &'f Files,
    messages: Vec<Message>,
    /// Files being read, the outermost first.
    open: Vec<PathBuf>,
    files_read: usize,
}

impl Session<'_> {
    /// Reads one file; `at` is where it is asked for.
    fn file(
        &mut self,
        path: &Path,
        at: Option<Place>,
        overrides: Vec<Override>,
        robot: &urdf::Options,
    ) -> Option<ModelFile> {
        let shown = path.display();
        self.files_read += 1;
        let identity = self.files.identity(path);
        if self.open.contains(&identity) {
            let chain: Vec<String> = self.open.iter().map(|p| format!("`{}`", short(p))).collect();
            let text = format!(
                "`{shown}` includes itself: {} → `{}`",
                chain.join(" → "),
                short(&identity)
            );
            self.messages
                .push(Message::error(at, text).help("remove one of these includes"));
            return None;
        }
        if self.open.len() >= MAX_DEPTH || self.files_read > MAX_FILES {
            if self.files_read <= MAX_FILES + 1 {
                let text = format!("too many includes: at most {MAX_FILES} files, {MAX_DEPTH} deep");
                self.messages.push(Message::error(at, text));
            }
            return None;
        }
        let text = match self.files.text(path) {
            Ok(text) => text,
            Err(reason) => {
                let message = Message::error(at, format!("cannot read `{shown}`: {reason}"));
                self.messages.push(message);
                return None;
            }
        };
        let source = Source::new(shown.to_string(), text);
        self.open.push(identity);
        let model = if is_urdf(path) {
            self.urdf(&source, robot, &overrides)
        } else {
            self.toml(path, source, overrides)
        };
        self.open.pop();
        model
    }

    fn toml(&mut self, path: &Path, source: Arc<Source>, overrides: Vec<Override>) -> Option<ModelFile> {
        match crate::tree::parse(&source) {
            Ok(root) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
                let mut reader = Reader {
                    session: self,
                    source,
                    folder,
                    names: Names::default(),
                    model: ModelFile::new(Description::new("")),
                };
                reader.top(&root, overrides);
                Some(reader.model)
            }
            Err(faults) => {
                self.messages.extend(faults);
                None
            }
        }
    }

    fn urdf(
        &mut self,
        source: &Arc<Source>,
        robot: &urdf::Options,
        overrides: &[Override],
    ) -> Option<ModelFile> {
        for given in overrides {
            let text = format!(
                "`{}` is a URDF file: it has no parameter `{}`",
                source.name, given.name
            );
            self.messages.push(Message::error(given.place.clone(), text));
        }
        let at = |span: Range<usize>| {
            Some(Place {
                source: source.clone(),
                span,
            })
        };
        let with_help = |message: Message, help: Option<String>| match help {
            Some(help) => message.help(help),
            None => message,
        };
        match urdf::read_with(&source.text, &source.name, robot) {
            Ok(robot) => {
                let notes = robot.notes.into_iter();
                self.messages
                    .extend(notes.map(|n| with_help(Message::note(at(n.span), n.message), n.help)));
                Some(ModelFile::new(robot.description))
            }
            Err(errors) => {
                let errors = errors.into_iter();
                self.messages
                    .extend(errors.map(|e| with_help(Message::error(at(e.span), e.message), e.help)));
                None
            }
        }
    }
}

fn is_urdf(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("urdf"))
}

/// The last part of a path: enough for a message.
fn short(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// The reader of one file.
struct Reader<'s, 'f> {
    session: &'s mut Session<'f>,
    source: Arc<Source>,
    folder: PathBuf,
    /// What expressions may use.
    names: Names,
    model: ModelFile,
}

impl Reader<'_, '_> {
    fn place(&self, span: &Range<usize>) -> Place {
        Place {
            source: self.source.clone(),
            span: span.clone(),
        }
    }

    fn report(&mut self, message: Message) {
        self.session.messages.push(message);
    }

    fn error(&mut self, span: &Range<usize>, text: impl Into<String>) {
        let message = Message::error(Some(self.place(span)), text);
        self.report(message);
    }

    fn error_with_help(&mut self, span: &Range<usize>, text: impl Into<String>, help: impl Into<String>) {
        let message = Message::error(Some(self.place(span)), text).help(help);
        self.report(message);
    }

    /// Something of the wrong type.
    fn expected(&mut self, what: &str, value: &Value) {
        let text = format!("{what} is expected here, not {}", value.kind.name());
        self.error(&value.span, text);
    }

    fn text<'v>(&mut self, value: &'v Value) -> Option<&'v str> {
        match &value.kind {
            Kind::Text(text) => Some(text),
            _ => {
                self.expected("a text", value);
                None
            }
        }
    }

    fn flag(&mut self, value: &Value) -> Option<bool> {
        match value.kind {
            Kind::Flag(flag) => Some(flag),
            _ => {
                self.expected("true or false", value);
                None
            }
        }
    }

    fn table<'v>(&mut self, value: &'v Value) -> Option<&'v Table> {
        match &value.kind {
            Kind::Table(table) => Some(table),
            _ => {
                self.expected("a table", value);
                None
            }
        }
    }

    fn list<'v>(&mut self, value: &'v Value) -> Option<&'v [Value]> {
        match &value.kind {
            Kind::List(list) => Some(list),
            _ => {
                self.expected("a list", value);
                None
            }
        }
    }

    /// One of some names, by its number.
    fn choice(&mut self, value: &Value, what: &str, names: &[&str]) -> Option<usize> {
        let text = self.text(value)?;
        let found = names.iter().position(|name| *name == text);
        if found.is_none() {
            let help = match nearest(text, names.iter().copied()) {
                Some(name) => format!("did you mean \"{name}\"?"),
                None => format!("there are {}", names.join(", ")),
            };
            self.error_with_help(&value.span, format!("there is no {what} \"{text}\""), help);
        }
        found
    }

    /// Reports keys that are none of the known ones.
    fn unknown_keys(&mut self, table: &Table, thing: &str, known: &[&str]) {
        for entry in &table.entries {
            if !known.contains(&entry.key.as_str()) {
                let help = match nearest(&entry.key, known.iter().copied()) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("it has {}", known.join(", ")),
                };
                let text = format!("{thing} has no `{}`", entry.key);
                self.error_with_help(&entry.key_span, text, help);
            }
        }
    }

    /// The tables of a list such as `[[body]]`; a single table counts as one.
    fn tables<'v>(&mut self, root: &'v Table, key: &str) -> Vec<&'v Table> {
        let Some(value) = root.get(key) else {
            return Vec::new();
        };
        match &value.kind {
            Kind::List(list) => list.iter().filter_map(|item| self.table(item)).collect(),
            _ => {
                let text = format!("`{key}` is a list of tables");
                self.error_with_help(&value.span, text, format!("write [[{key}]] above each of them"));
                Vec::new()
            }
        }
    }

    /// Remembers where a thing stands.
    fn remember(&mut self, thing: String, table: &Table, head: &Range<usize>) {
        let mut texts = Vec::new();
        self.collect_texts(table, &mut texts);
        let head = self.place(head);
        self.model.places.add(thing, head, texts);
    }

    fn collect_texts(&self, table: &Table, out: &mut Vec<(String, Place)>) {
        for entry in &table.entries {
            self.collect_text(&entry.value, out);
        }
    }

    fn collect_text(&self, value: &Value, out: &mut Vec<(String, Place)>) {
        match &value.kind {
            Kind::Text(text) => out.push((text.clone(), self.place(&value.span))),
            Kind::List(list) => list.iter().for_each(|item| self.collect_text(item, out)),
            Kind::Table(table) => self.collect_texts(table, out),
            _ => {}
        }
    }
}
