//! From a TOML text to a [`ModelFile`].
//!
//! The order of the work: syntax; parameters; tables and inputs, which expressions may use;
//! ground, bodies and joints; the files it includes; then what refers to joints. Everything that is
//! wrong is collected; reading goes on with a stand-in.

mod bodies;
mod expressions;
mod includes;
mod joints;
mod parameters;
mod plain;
mod remarks;
mod shapes;
pub(crate) mod syntax {
    //! Words of the format that the writer and the schema share.
    pub(crate) use super::bodies::ORIENTATIONS;
    pub(crate) use super::joints::HINTS;
    pub(crate) use super::top::TABLES;
}
mod table_reader;
mod top;

use crate::faults;
use crate::files::Files;
use crate::message::{Message, Messages, Place, Severity, Source};
use crate::model_file::ModelFile;
use crate::tree::{Kind, MAX_TEXT, Table, Value};
use crate::urdf;
use core::ops::Range;
use expressions::Names;
use holonom_expression::is_reserved;
use holonom_multibody::Description;
use holonom_multibody::channels;
use holonom_multibody::description::{Document, ShapeKind};
use holonom_multibody::diagnostic::{Thing, ThingKind};
use holonom_multibody::elements::Library;
use holonom_text::nearest;
use parameters::Override;
use remarks::Seen;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the format that is read and written.
pub const VERSION: u64 = 1;

/// Reads a model file and what it includes. A name that ends in `.urdf` is read as URDF.
///
/// `overrides` are parameters with values that replace those of the file, as texts.
///
/// Of an included file the mechanism counts, with its parameters, tables and inputs. Its gravity,
/// its `[[output]]` and its `[simulation]` apply only when it is run by itself.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read(
    path: impl AsRef<Path>,
    files: &Files,
    overrides: &[(String, String)],
) -> Result<ModelFile, Messages> {
    read_with_offsets(path, files, overrides, &[])
}

/// What is added to an input: c₀ + c₁ (t − t₀) + c₂ (t − t₀)²/2.
///
/// Derivatives by inputs are taken with it, through all places where an input is used.
#[derive(Clone, Debug, PartialEq)]
pub struct InputOffset {
    /// Name of the input, as in [`ModelFile::inputs`].
    pub name: String,
    /// t₀.
    pub time: f64,
    /// c₀, c₁, c₂.
    pub coefficients: [f64; 3],
}

/// The same as [`read`], with something added to inputs.
///
/// # Errors
/// As there.
pub fn read_with_offsets(
    path: impl AsRef<Path>,
    files: &Files,
    overrides: &[(String, String)],
    offsets: &[InputOffset],
) -> Result<ModelFile, Messages> {
    let mut session = Session {
        files,
        offsets,
        messages: Messages::default(),
        told: HashSet::new(),
        errors: 0,
        notes: 0,
        open: Vec::new(),
        folder: path.as_ref().parent().map(Path::to_path_buf).unwrap_or_default(),
        files_read: 0,
        bytes_read: 0,
        elements: 0,
        names: HashSet::new(),
        complete: true,
        seen: Vec::new(),
    };
    let overrides = overrides.iter().map(Override::typed).collect();
    let model = session.file(path.as_ref(), None, Part::default(), overrides);
    let (complete, too_many) = (session.complete, session.errors > Messages::MOST);
    let too_large = session.elements > MAX_ELEMENTS;
    let looks = remarks::remarks(&session.seen);
    let mut messages = session.messages;
    if messages.has_errors() {
        // What is only worth knowing can wait.
        messages.0.retain(|message| message.severity == Severity::Error);
    }
    messages.sort();
    if too_many {
        messages.say_that_there_are_more();
    }
    let Some(mut model) = model else {
        return Err(messages);
    };
    plain::plain_signals(&mut model.description);
    // Sensors may read them.
    let inputs = model.inputs.iter();
    model.description.inputs = inputs
        .map(|input| channels::Input {
            name: input.name.clone(),
            unit: input.unit.clone(),
            signal: input.signal.clone(),
        })
        .collect();
    if !messages.has_errors() {
        messages.0.extend(looks);
        messages.sort();
        model.notes = messages;
        return Ok(model);
    }
    // What is wrong with the mechanism besides is told with it, as far as it was read.
    if !messages.is_full() && !too_large {
        let more = faults::besides(&model, &messages, complete);
        messages.0.extend(more);
        messages.sort();
        if messages.is_full() {
            messages.0.truncate(Messages::MOST);
            messages.say_that_there_are_more();
        }
    }
    Err(messages)
}

/// Files at most, each counted as often as it is included: what is hostile stops here.
const MAX_FILES: usize = 1000;

/// Bodies and joints at most in a file and what it includes.
const MAX_ELEMENTS: usize = 200_000;

/// Depth of includes at most.
const MAX_DEPTH: usize = 32;

/// How a file is included.
#[derive(Default)]
struct Part {
    /// Goes before all its names, over all includes.
    prefix: String,
    /// For URDF files.
    robot: urdf::Options,
}

/// What all files of one reading share.
struct Session<'f> {
    files: &'f Files,
    /// What is added to inputs.
    offsets: &'f [InputOffset],
    messages: Messages,
    /// All messages there were, by place and text: a file that is included twice has its faults
    /// twice, and they are told once.
    told: HashSet<u64>,
    errors: usize,
    notes: usize,
    /// Files being read, the outermost first.
    open: Vec<PathBuf>,
    /// The folder of the outermost.
    folder: PathBuf,
    files_read: usize,
    bytes_read: usize,
    /// Bodies and joints of all files, each counted as often as it is included.
    elements: usize,
    /// Names of tables and inputs that are taken, over all files.
    names: HashSet<String>,
    /// Whether all parts could be read.
    complete: bool,
    /// Numbers that may look as if their unit had been forgotten.
    seen: Vec<Seen>,
}

impl Session<'_> {
    /// Whether errors are no longer told.
    fn is_full(&self) -> bool {
        self.errors >= Messages::MOST
    }

    /// Keeps a message, unless it was told before or there are too many.
    fn report(&mut self, mut message: Message) {
        if message.help.is_none() {
            message.help = usual_remedy(&message.text).map(String::from);
        }
        let mut hasher = DefaultHasher::new();
        let place = message.place.as_ref();
        place
            .map(|p| (&p.source.name, p.span.start, p.span.end))
            .hash(&mut hasher);
        message.text.hash(&mut hasher);
        let (most, count) = match message.severity {
            Severity::Error => (Messages::MOST, &mut self.errors),
            Severity::Note => (Messages::MOST, &mut self.notes),
        };
        // Counted, but not kept: what comes after the last that is told.
        if *count > most || !self.told.insert(hasher.finish()) {
            return;
        }
        *count += 1;
        if *count <= most {
            self.messages.0.push(message);
        }
    }

    /// A file, within the bounds of the session.
    fn source(&mut self, path: &Path) -> Result<Arc<Source>, String> {
        let source = match self.files.known(path) {
            Some(source) => source,
            None => Source::new(path.display().to_string(), self.text(path)?),
        };
        self.bytes_read += source.text.len();
        if self.bytes_read > MAX_TEXT {
            return Err(format!("with this file, the total size exceeds {MAX_TEXT} bytes"));
        }
        Ok(source)
    }

    fn text(&mut self, path: &Path) -> Result<String, String> {
        if is_urdf(path) {
            let (text, latin) = self.files.text_or_latin(path)?;
            if latin {
                let shown = path.display();
                let message = format!("`{shown}` is not UTF-8 text; reading it as Latin-1");
                self.report(Message::note(None, message));
            }
            Ok(text)
        } else {
            self.files.text(path)
        }
    }

    /// A name that expressions of the whole mechanism can use for a table or an input of a part;
    /// false when it was taken, and had to be changed.
    fn full_name(&mut self, prefix: &str, name: &str) -> (String, bool) {
        let letter = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
        let mut full: String = prefix.chars().map(letter).chain(name.chars()).collect();
        if full.starts_with(char::is_numeric) {
            full.insert(0, '_');
        }
        let taken =
            |names: &HashSet<String>, name: &str| names.contains(name) || is_reserved(name) || name == "t";
        let first = !taken(&self.names, &full);
        let mut unique = full.clone();
        let mut number = 2;
        while taken(&self.names, &unique) {
            unique = format!("{full}_{number}");
            number += 1;
        }
        self.names.insert(unique.clone());
        (unique, first)
    }

    /// Reads one file; `at` is where it is asked for.
    fn file(
        &mut self,
        path: &Path,
        at: Option<Place>,
        part: Part,
        overrides: Vec<Override>,
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
            self.report(Message::error(at, text).help("remove one of these includes"));
            return None;
        }
        if self.elements > MAX_ELEMENTS {
            // Said where it was found.
            return None;
        }
        if self.open.len() >= MAX_DEPTH || self.files_read > MAX_FILES {
            if self.files_read <= MAX_FILES + 1 {
                let text = format!("too many includes: at most {MAX_FILES} files, {MAX_DEPTH} deep");
                self.report(
                    Message::error(at, text).help("check whether a file includes itself under another name"),
                );
            }
            return None;
        }
        let source = match self.source(path) {
            Ok(source) => source,
            Err(reason) => {
                self.report(Message::error(at, format!("cannot read `{shown}`: {reason}")));
                return None;
            }
        };
        self.open.push(identity);
        let model = if is_urdf(path) {
            self.urdf(&source, &part.robot, &overrides)
        } else {
            self.toml(path, source, part.prefix, overrides)
        };
        self.open.pop();
        model
    }

    fn toml(
        &mut self,
        path: &Path,
        source: Arc<Source>,
        prefix: String,
        overrides: Vec<Override>,
    ) -> Option<ModelFile> {
        match self.files.parse(path, &source) {
            Ok(root) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
                let mut reader = Reader {
                    session: self,
                    source,
                    folder,
                    prefix,
                    subject: String::new(),
                    kind: None,
                    names: Names::default(),
                    joints: HashMap::new(),
                    model: ModelFile::new(Description::new("")),
                };
                reader.top(&root, overrides);
                Some(reader.model)
            }
            Err(faults) => {
                faults.into_iter().for_each(|fault| self.report(fault));
                None
            }
        }
    }

    /// Meshes beside a file that is included from another folder, as seen from the folder of the model.
    fn within_folder(&self, source: &Source, robot: &mut urdf::Imported) {
        let folder = Path::new(&source.name).parent();
        let below = folder.and_then(|folder| folder.strip_prefix(&self.folder).ok());
        let Some(below) = below.filter(|below| below.components().next().is_some()) else {
            return;
        };
        for shape in &mut robot.description.shapes {
            if let ShapeKind::Mesh { file, .. } = &mut shape.kind {
                *file = below.join(&*file).to_string_lossy().replace('\\', "/");
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
            self.report(Message::error(Some(given.place.clone()), text));
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
        let robot = urdf::Options {
            strict: robot.strict || self.files.is_strict(),
            ..robot.clone()
        };
        match urdf::read_with(&source.text, &source.name, &robot) {
            Ok(mut robot) => {
                self.within_folder(source, &mut robot);
                for note in robot.notes {
                    self.report(with_help(Message::note(at(note.span), note.message), note.help));
                }
                let mut model = ModelFile::new(robot.description);
                model.places.root = at(source.text.find("<robot").map_or(0..0, |start| start..start + 6));
                Some(model)
            }
            Err(errors) => {
                for error in errors {
                    self.report(with_help(
                        Message::error(at(error.span), error.message),
                        error.help,
                    ));
                }
                None
            }
        }
    }
}

/// What helps against faults that say only what is wrong.
fn usual_remedy(text: &str) -> Option<&'static str> {
    const REMEDIES: [(&str, &str); 13] = [
        ("cannot add", "give both in units of the same dimension"),
        ("cannot subtract", "give both in units of the same dimension"),
        ("cannot be compared", "give both in units of the same dimension"),
        ("cannot compare", "give both in units of the same dimension"),
        ("one branch of `if`", "give both in units of the same dimension"),
        (
            "but its table is over",
            "correct the argument, or the unit in the heading of the table",
        ),
        ("is never closed", "add the `)`"),
        ("finite", "give a number of usual size"),
        ("not UTF-8 text", "save it as UTF-8"),
        (
            "cannot read `",
            "correct the name (relative to this file), or add the file",
        ),
        (
            "it is a control",
            "use it in a force element or in another control",
        ),
        (
            "columns are counted from 1",
            "count the first column as 1, or give its heading",
        ),
        (
            "is missing; there",
            "give as many fields in every line, or correct the numbers of the columns",
        ),
    ];
    let found = REMEDIES.iter().find(|(part, _)| text.contains(part));
    found.map(|(_, remedy)| *remedy)
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

/// The beginning of a text that may be long.
fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    if text.chars().count() <= MOST {
        return text.to_string();
    }
    text.chars().take(MOST).chain(['…']).collect()
}

/// The reader of one file.
struct Reader<'s, 'f> {
    session: &'s mut Session<'f>,
    source: Arc<Source>,
    folder: PathBuf,
    /// Goes before all names of the file, over all includes.
    prefix: String,
    /// What is being read, in words, for messages about values.
    subject: String,
    /// Kind of the thing that it reads, if it has a name.
    kind: Option<ThingKind>,
    /// What expressions may use.
    names: Names,
    /// Numbers of the joints, for what refers to them.
    joints: HashMap<String, usize>,
    model: ModelFile,
}

impl Reader<'_, '_> {
    /// The kinds of elements that may be named.
    fn library(&self) -> &Library {
        self.session.files.known_kinds()
    }

    fn place(&self, span: &Range<usize>) -> Place {
        Place {
            source: self.source.clone(),
            span: span.clone(),
        }
    }

    fn report(&mut self, message: Message) {
        self.session.report(message);
    }

    fn error(&mut self, span: &Range<usize>, text: impl Into<String>) {
        let message = Message::error(Some(self.place(span)), text);
        self.report(message);
    }

    fn error_with_help(&mut self, span: &Range<usize>, text: impl Into<String>, help: impl Into<String>) {
        let message = Message::error(Some(self.place(span)), text).help(help);
        self.report(message);
    }

    /// Reads from now on what has no name, in words.
    fn is_about(&mut self, subject: impl Into<String>) {
        self.subject = subject.into();
        self.kind = None;
    }

    /// A text with what it is about before it.
    fn about(&self, text: String) -> String {
        if self.subject.is_empty() {
            text
        } else {
            format!("{}: {text}", self.subject)
        }
    }

    /// Something of the wrong type.
    fn expected(&mut self, what: &str, value: &Value) {
        let found = match &value.kind {
            Kind::Text(text) => format!("the text \"{}\"", shortened(text)),
            Kind::Number(x) => format!("the number {x}"),
            kind => kind.name().to_string(),
        };
        let text = self.about(format!("{what} is expected here, not {found}"));
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

    /// A text: the name of its file, relative to this one, or a table with the text itself.
    fn document(&mut self, value: &Value) -> Option<Document> {
        if let Kind::Table(table) = &value.kind {
            self.unknown_keys(table, "a text", &["text"]);
            let text = table.get("text").map(|value| self.text(value));
            return match text {
                Some(text) => Some(Document::new("", text?)),
                None => {
                    self.expected("the name of a file or { text = … }", value);
                    None
                }
            };
        }
        let name = self.text(value)?;
        let path = self.folder.join(name);
        match self.session.text(&path) {
            Ok(text) => Some(Document::new(name, text)),
            Err(reason) => {
                let text = format!("cannot read `{}`: {reason}", path.display());
                self.error(&value.span, text);
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
            let text = self.about(format!("there is no {what} \"{}\"", shortened(text)));
            self.error_with_help(&value.span, text, help);
        }
        found
    }

    /// Reports keys that are none of the known ones.
    fn unknown_keys(&mut self, table: &Table, thing: &str, known: &[&str]) {
        for entry in &table.entries {
            if !known.contains(&entry.key.as_str()) {
                if self.session.is_full() {
                    // Counted, to say that there are more.
                    self.session.errors += 1;
                    return;
                }
                let key = shortened(&entry.key);
                let help = match nearest(&entry.key, known.iter().copied()) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("it has {}", known.join(", ")),
                };
                let text = format!("{thing} has no `{key}`");
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
            Kind::List(list) => {
                let tables: Vec<&Table> = list.iter().filter_map(|item| self.table(item)).collect();
                self.session.complete &= tables.len() == list.len();
                tables
            }
            _ => {
                let text = format!("`{key}` must be an array of tables");
                self.error_with_help(&value.span, text, format!("write [[{key}]] above each of them"));
                self.session.complete = false;
                Vec::new()
            }
        }
    }

    /// Remembers where a thing stands.
    fn remember(&mut self, thing: Thing, table: Option<&Table>, head: &Range<usize>) {
        let (mut values, mut texts) = (Vec::new(), Vec::new());
        for entry in table.into_iter().flat_map(|table| &table.entries) {
            values.push((entry.key.clone(), self.place(&entry.value.span)));
            if entry.key != "name" {
                self.collect_text(&entry.value, &mut texts);
            }
        }
        let head = self.place(head);
        self.model.places.add(thing, head, values, texts);
    }

    fn collect_text(&self, value: &Value, out: &mut Vec<(String, Place)>) {
        match &value.kind {
            Kind::Text(text) => out.push((text.clone(), self.place(&value.span))),
            Kind::List(list) => list.iter().for_each(|item| self.collect_text(item, out)),
            Kind::Table(table) => {
                for entry in &table.entries {
                    // Keys may be names: the coordinates of a coupling.
                    out.push((entry.key.clone(), self.place(&entry.key_span)));
                    self.collect_text(&entry.value, out);
                }
            }
            _ => {}
        }
    }
}
