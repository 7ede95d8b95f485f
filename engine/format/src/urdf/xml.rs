//! Elements and attributes with their places: what is there, what is missing, what is misspelt.

use super::UrdfError;
use super::names::suggestion;
use super::notes::Notes;
use core::ops::Range;
use roxmltree::{Attribute, Document, Error, Node, ParsingOptions};

/// Elements, texts and comments in a file. The largest robots have some thousands.
const NODES: u32 = 2_000_000;

/// Errors shown.
const SHOWN: usize = 100;

/// Letters of a name or value shown in a message.
const LETTERS: usize = 60;

const SPACES: [char; 4] = [' ', '\t', '\n', '\r'];

/// Reads the text as XML. Document type definitions are refused, and with them all entities that
/// could grow.
pub(super) fn parse(text: &str) -> Result<Document<'_>, UrdfError> {
    let options = ParsingOptions {
        nodes_limit: NODES,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).map_err(|error| not_xml(text, &error))
}

fn not_xml(text: &str, error: &Error) -> UrdfError {
    let (start, message, help) = match error {
        Error::DtdDetected => (
            text.find("<!DOCTYPE").unwrap_or(0),
            "a document type definition is not read".to_string(),
            Some("remove <!DOCTYPE …>; URDF needs none"),
        ),
        Error::NodesLimitReached => (
            0,
            format!("the file has more than {NODES} elements"),
            Some("is it a robot?"),
        ),
        Error::NoRootNode => (
            0,
            "there is no element in the file".to_string(),
            Some("a robot is <robot name=\"…\"> … </robot>"),
        ),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => (
            text.trim_end().len(),
            "the file ends inside an element".to_string(),
            Some("close it with </…>"),
        ),
        Error::UnexpectedCloseTag(expected, found, _) => (
            offset(text, error),
            format!("</{}> closes <{}>", shortened(found), shortened(expected)),
            Some("each element is closed by its own name"),
        ),
        Error::UnknownNamespace(prefix, _) => (
            offset(text, error),
            format!("the prefix {} is not declared", quoted(prefix)),
            Some(match prefix.as_str() {
                "xacro" => "expand the macros first: xacro model.xacro > model.urdf",
                _ => "declare it with xmlns:…=\"…\" on <robot>",
            }),
        ),
        _ => {
            let whole = error.to_string();
            // The place is told by the span.
            let message = whole.rsplit_once(" at ").map_or(whole.as_str(), |(m, _)| m);
            (offset(text, error), format!("this is not XML: {message}"), None)
        }
    };
    let width = text[start..].chars().next().map_or(0, char::len_utf8);
    UrdfError {
        span: start..start + width,
        message,
        help: help.map(str::to_string),
    }
}

/// Byte of a row and column, both from 1, columns in letters.
fn offset(text: &str, error: &Error) -> usize {
    let position = error.pos();
    let row = (position.row as usize).saturating_sub(1);
    let start = match row {
        0 => 0,
        _ => text
            .match_indices('\n')
            .nth(row - 1)
            .map_or(text.len(), |(at, _)| at + 1),
    };
    let column = (position.col as usize).saturating_sub(1);
    text[start..]
        .char_indices()
        .nth(column)
        .map_or(text.len(), |(at, _)| start + at)
}

/// Errors in the order of the text; of very many the first.
pub(super) fn in_order(mut errors: Vec<UrdfError>) -> Vec<UrdfError> {
    errors.sort_by_key(|error| error.span.start);
    if errors.len() > SHOWN {
        let more = errors.len() - SHOWN;
        errors.truncate(SHOWN);
        errors.extend(errors.last().cloned().map(|last| UrdfError {
            span: last.span,
            message: format!("there are {more} more errors"),
            help: None,
        }));
    }
    errors
}

/// A text between quotation marks, cut if it is very long.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(text))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}

/// Collects what is wrong and what is worth knowing.
pub(super) struct Reader<'t> {
    text: &'t str,
    /// Oddities are errors instead of notes.
    pub strict: bool,
    pub errors: Vec<UrdfError>,
    pub notes: Notes,
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str, strict: bool) -> Self {
        Self {
            text,
            strict,
            errors: Vec::new(),
            notes: Notes::default(),
        }
    }

    pub fn error(&mut self, span: Range<usize>, message: String, help: Option<String>) {
        self.errors.push(UrdfError { span, message, help });
    }

    /// Something that other programs read and this one does not understand or cannot use as it
    /// is: an error when reading is strict, otherwise a note that says what is made of it.
    pub fn odd(&mut self, span: Range<usize>, message: String, taken: &str, help: Option<String>) {
        if self.strict {
            self.error(span, message, help);
        } else {
            let message = format!("{message}; {taken}");
            self.notes.add(span, message, help.as_deref());
        }
    }

    /// The opening tag without its bracket: what to underline of an element.
    pub fn tag(&self, node: Node) -> Range<usize> {
        let start = node.range().start;
        let end = match node.attributes().next_back() {
            Some(last) => last.range().end,
            None => {
                let rest = &self.text[start..];
                let name = rest.find(|c: char| SPACES.contains(&c) || c == '/' || c == '>');
                start + name.unwrap_or(rest.len())
            }
        };
        start..end
    }

    /// The known children of an element. Unknown ones are errors when they may be misspelt or
    /// reading is strict; other unknown ones, `unused` ones, with the reason, and those of other
    /// namespaces are counted. `owner` is the element in words.
    pub fn children<'a, 'i>(
        &mut self,
        node: Node<'a, 'i>,
        owner: &str,
        known: &[&str],
        unused: &[(&str, &'static str)],
    ) -> Vec<Node<'a, 'i>> {
        let mut children = Vec::new();
        for child in node.children() {
            if child.is_text() {
                self.stray_text(child, owner);
            }
            if !child.is_element() {
                continue;
            }
            let name = child.tag_name().name();
            // A default namespace on <robot> is that of URDF itself.
            let foreign =
                child.tag_name().namespace() != child.document().root_element().tag_name().namespace();
            if foreign {
                self.foreign(child);
            } else if known.contains(&name) {
                children.push(child);
            } else if let Some((_, reason)) = unused.iter().find(|(n, _)| *n == name) {
                let span = self.tag(child);
                self.notes.count(&format!("{name} element"), reason, span, None);
            } else {
                let names = known.iter().chain(unused.iter().map(|(n, _)| n)).copied();
                let near = suggestion(self, name, names);
                let misspelt = suggestion(self, name, known.iter().copied()).is_some();
                let span = self.tag(child);
                if self.strict || misspelt {
                    let help = near.or_else(|| Some(format!("what is read here: {}", known.join(", "))));
                    self.error(span, format!("{owner}: <{}> is not known", shortened(name)), help);
                } else {
                    let what = format!("unknown element% in <{}>", shortened(node.tag_name().name()));
                    let name = format!("<{}>", shortened(name));
                    self.notes.count(&what, "not used", span, Some(&name));
                }
            }
        }
        children
    }

    fn foreign(&mut self, node: Node) {
        let uri = node.tag_name().namespace().unwrap_or_default();
        let span = self.tag(node);
        if uri.contains("xacro") {
            self.error(
                span,
                format!("the xacro element <{}> is not expanded", node.tag_name().name()),
                Some("expand the macros first: xacro model.xacro > model.urdf".to_string()),
            );
        } else {
            let what = format!("element of the namespace {}", quoted(uri));
            self.notes.count(&what, "not URDF, and not used", span, None);
        }
    }

    fn stray_text(&mut self, node: Node, owner: &str) {
        let text = node.text().unwrap_or_default();
        if !text.trim().is_empty() {
            let range = node.range();
            let raw = &self.text[range.clone()];
            let start = range.start + raw.len() - raw.trim_start().len();
            let span = start..start + raw.trim().len();
            // What has these may be an element without its first bracket.
            if !self.strict && !text.contains(['=', '>', '"']) {
                let name = quoted(text.trim());
                self.notes
                    .count("piece% of text between elements", "not used", span, Some(&name));
                return;
            }
            let message = format!("{owner}: the text {} is not read", quoted(text.trim()));
            let help = Some("is a bracket missing? comments are <!-- … -->".to_string());
            self.error(span, message, help);
        }
    }

    /// Checks that an element has no attributes but the known ones. Unknown ones are errors when
    /// they may be misspelt or reading is strict, otherwise they are counted.
    pub fn attributes(&mut self, node: Node, owner: &str, known: &[&str]) {
        for attribute in node.attributes() {
            let name = attribute.name();
            if attribute.namespace().is_some() {
                let what = format!(
                    "attribute of the namespace {}",
                    quoted(attribute.namespace().unwrap_or_default())
                );
                self.notes
                    .count(&what, "not URDF, and not used", attribute.range(), None);
            } else if !known.contains(&name) {
                // What is there already is not what was meant.
                let absent = known.iter().copied().filter(|k| !node.has_attribute(*k));
                let near = suggestion(self, name, absent);
                if !self.strict && near.is_none() {
                    let what = format!("unknown attribute% of <{}>", shortened(node.tag_name().name()));
                    let name = shortened(name);
                    self.notes
                        .count(&what, "not used", attribute.range_qname(), Some(&name));
                    continue;
                }
                let help = near.or_else(|| {
                    Some(match known {
                        [] => "it has no attributes".to_string(),
                        _ => format!("its attributes are {}", known.join(", ")),
                    })
                });
                let message = format!(
                    "{owner}: <{}> has no attribute {}",
                    node.tag_name().name(),
                    quoted(name)
                );
                self.error(attribute.range_qname(), message, help);
            }
        }
    }

    /// Checks that an element has neither unknown attributes nor children.
    pub fn leaf(&mut self, node: Node, owner: &str, known: &[&str]) {
        self.attributes(node, owner, known);
        let inside = format!("{owner}: inside <{}>", node.tag_name().name());
        self.children(node, &inside, &[], &[]);
    }

    /// An attribute that must be there.
    pub fn required<'a, 'i>(
        &mut self,
        node: Node<'a, 'i>,
        name: &str,
        owner: &str,
    ) -> Option<Attribute<'a, 'i>> {
        let attribute = node.attribute_node(name);
        if attribute.is_none() {
            let element = node.tag_name().name();
            let span = self.tag(node);
            let message = format!(
                "{owner}: the attribute {} of <{element}> is missing",
                quoted(name)
            );
            self.error(span, message, Some(format!("write <{element} {name}=\"…\">")));
        }
        attribute
    }

    /// A required attribute that is a name.
    pub fn name<'a>(
        &mut self,
        node: Node<'a, '_>,
        attribute: &str,
        owner: &str,
    ) -> Option<(&'a str, Range<usize>)> {
        let found = self.required(node, attribute, owner)?;
        let (name, span) = (found.value(), found.range_value());
        if name.trim().is_empty() {
            let message = format!("{owner}: the attribute {} is empty", quoted(attribute));
            self.error(found.range(), message, Some("write a name".to_string()));
            return None;
        }
        Some((name, span))
    }

    /// The only child of a name, if it is there.
    pub fn single<'a, 'i>(
        &mut self,
        children: &[Node<'a, 'i>],
        name: &str,
        owner: &str,
    ) -> Option<Node<'a, 'i>> {
        let mut all = children.iter().filter(|c| c.tag_name().name() == name);
        let first = all.next().copied();
        for again in all {
            let span = self.tag(*again);
            let message = format!("{owner}: there is another <{name}>");
            let help = Some("keep one of them".to_string());
            // Which link is meant cannot be guessed.
            if ["parent", "child", "link1", "link2"].contains(&name) {
                self.error(span, message, help);
            } else {
                self.odd(span, message, "the first one counts", help);
            }
        }
        first
    }

    /// The only child of a name, which must be there.
    pub fn single_required<'a, 'i>(
        &mut self,
        parent: Node<'a, 'i>,
        children: &[Node<'a, 'i>],
        name: &str,
        owner: &str,
    ) -> Option<Node<'a, 'i>> {
        let child = self.single(children, name, owner);
        if child.is_none() {
            let element = parent.tag_name().name();
            let span = self.tag(parent);
            let message = format!("{owner}: <{name}> is missing");
            self.error(
                span,
                message,
                Some(format!("write <{name} …/> inside <{element}>")),
            );
        }
        child
    }

    /// The numbers of an attribute; zeros, and an error, for what is not numbers.
    pub fn numbers<const N: usize>(&mut self, attribute: Attribute, owner: &str) -> [f64; N] {
        let mut numbers = [0.0; N];
        let (mut count, mut good) = (0, true);
        let name = attribute.name();
        for word in attribute.value().split(SPACES).filter(|w| !w.is_empty()) {
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    if let Some(place) = numbers.get_mut(count) {
                        *place = number;
                    }
                }
                Ok(_) => {
                    let message = format!("{owner}: {} is not a finite number", quoted(word));
                    self.error(attribute.range_value(), message, Some("correct it".to_string()));
                    good = false;
                }
                Err(_) => {
                    let message = format!("{owner}: {} is not a number", quoted(word));
                    self.error(attribute.range_value(), message, Some(advice(word)));
                    good = false;
                }
            }
            count += 1;
        }
        if good && count != N {
            let needs = match N {
                1 => "one number".to_string(),
                _ => format!("{N} numbers"),
            };
            let message = format!("{owner}: {} needs {needs}, but has {count}", quoted(name));
            self.error(
                attribute.range(),
                message,
                Some("write numbers with spaces between them".to_string()),
            );
        }
        numbers
    }

    /// A number that may be missing.
    pub fn number(&mut self, node: Node, name: &str, owner: &str) -> Option<f64> {
        let attribute = node.attribute_node(name)?;
        let [number] = self.numbers(attribute, owner);
        Some(number)
    }

    /// A number that must be there.
    pub fn number_required(&mut self, node: Node, name: &str, owner: &str) -> Option<f64> {
        let attribute = self.required(node, name, owner)?;
        let [number] = self.numbers(attribute, owner);
        Some(number)
    }
}

/// What may be meant by a word that is no number.
fn advice(word: &str) -> String {
    let starts_as_number = word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if word.contains("${") {
        "expand the macros first: xacro model.xacro > model.urdf"
    } else if word.contains(',') {
        "numbers are separated by spaces, and have a decimal point"
    } else if starts_as_number && word.ends_with(|c: char| c.is_alphabetic() || c == '°') {
        "URDF has no units: write metres, kilograms, seconds and radians"
    } else {
        "write a number such as 0.5 or 1e-3"
    }
    .to_string()
}
