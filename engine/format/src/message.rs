//! Messages that point at the place: file, line and column, the line underlined, what helps.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use core::fmt;
use core::ops::Range;
use holonom_multibody::diagnostic::Diagnostic;
use std::borrow::Cow;
use std::sync::Arc;

/// A file that was read, for messages about it.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name as shown to users.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// A named text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            text: text.into(),
        })
    }

    /// Line and column, both from 1, of a byte; columns count characters.
    pub fn line_and_column(&self, at: usize) -> (usize, usize) {
        let at = floor(&self.text, at);
        let before = &self.text[..at];
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// The start of the character that a byte belongs to.
fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub source: Arc<Source>,
    /// The bytes.
    pub span: Range<usize>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used; the user should know.
    Note,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, with the name of the thing.
    pub text: String,
    /// Where; none when no place in a file is to blame.
    pub place: Option<Place>,
    /// What helps.
    pub help: Option<String>,
}

impl Message {
    /// An error at a place.
    pub fn error(place: Option<Place>, text: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            text: text.into(),
            place,
            help: None,
        }
    }

    /// The error that a diagnostic tells, at a place.
    pub fn of(diagnostic: &Diagnostic, place: Option<Place>) -> Self {
        let message = Self::error(place, diagnostic.headline());
        match &diagnostic.remedy {
            Some(remedy) => message.help(remedy),
            None => message,
        }
    }

    /// A note at a place.
    pub fn note(place: Option<Place>, text: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(place, text)
        }
    }

    /// The same with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// File, line and column.
    pub fn position(&self) -> Option<(&str, usize, usize)> {
        let place = self.place.as_ref()?;
        let (line, column) = place.source.line_and_column(place.span.start);
        Some((&place.source.name, line, column))
    }

    /// The message with the source line underlined, in colour when asked for.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Note => Level::NOTE,
        };
        // Names may hold what would steer the terminal; a line is told in one line.
        let text = visible(&self.text);
        let excerpt = self.place.as_ref().map(Excerpt::of);
        let mut group = Group::with_title(level.primary_title(text.as_ref()));
        if let (Some(place), Some(excerpt)) = (&self.place, &excerpt) {
            group = group.element(
                Snippet::source(excerpt.text.as_ref())
                    .path(visible(&place.source.name).into_owned())
                    .line_start(excerpt.line)
                    .annotation(AnnotationKind::Primary.span(excerpt.span.clone())),
            );
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(visible(help).into_owned()));
        }
        renderer.render(&[group])
    }
}

/// The text with control characters as escapes, new lines and tabs excepted.
fn visible(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The line of a place, cut to a bearable length. Only the first line of a longer place is shown.
struct Excerpt<'a> {
    text: Cow<'a, str>,
    line: usize,
    span: Range<usize>,
}

impl<'a> Excerpt<'a> {
    /// Longest part of a line that is shown, in bytes before and after the place.
    const REACH: usize = 200;

    fn of(place: &'a Place) -> Self {
        let text = &place.source.text;
        let start = floor(text, place.span.start);
        let end = floor(text, place.span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |n| n + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |n| start + n);
        let from = floor(text, line_start.max(start.saturating_sub(Self::REACH)));
        let to = floor(text, line_end.min(start + Self::REACH)).max(start);
        let shown = text[from..to].trim_end_matches('\r');
        let clip = |at: usize| at.clamp(from, from + shown.len()) - from;
        Self {
            text: match shown.contains(|c: char| c.is_control() && c != '\t') {
                // Of the same length in bytes: the span stays where it is.
                true => shown
                    .replace(|c: char| c.is_ascii_control() && c != '\t', "?")
                    .into(),
                false => shown.into(),
            },
            line: text[..start].bytes().filter(|b| *b == b'\n').count() + 1,
            span: clip(start)..clip(end),
        }
    }
}

/// All messages about a model, by file and line once it has been read.
///
/// ```
/// use holonom_format::{Files, read};
/// let files = Files::in_memory([("wheel.toml", "[model]\nformat = 1\nname = \"wheel\"\n[[body]]\nnam = 1\n")]);
/// let messages = read("wheel.toml", &files, &[]).unwrap_err();
/// assert!(messages.to_string().contains("wheel.toml:5:1"));
/// assert!(messages.to_string().contains("did you mean `name`?"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages(pub Vec<Message>);

impl Messages {
    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|m| m.severity == Severity::Error)
    }

    /// Messages at most that are told: who has more looks at the first ones anyway.
    pub const MOST: usize = 100;

    /// Whether no more are told.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= Self::MOST
    }

    /// Orders them by file and line: files as they were first met, what has no place at the end.
    pub fn sort(&mut self) {
        let mut files: Vec<String> = Vec::new();
        let keys: Vec<(usize, usize)> = self
            .0
            .iter()
            .map(|message| match &message.place {
                Some(place) => {
                    let name = &place.source.name;
                    let known = files.iter().position(|file| file == name);
                    let number = known.unwrap_or_else(|| {
                        files.push(name.clone());
                        files.len() - 1
                    });
                    (number, place.span.start)
                }
                None => (usize::MAX, 0),
            })
            .collect();
        let mut messages: Vec<_> = keys.into_iter().zip(std::mem::take(&mut self.0)).collect();
        messages.sort_by_key(|(key, _)| *key);
        self.0 = messages.into_iter().map(|(_, message)| message).collect();
    }

    /// Says in the last message that there are more.
    pub(crate) fn say_that_there_are_more(&mut self) {
        if let Some(last) = self.0.last_mut() {
            last.text += " (only the first errors are shown)";
        }
    }

    /// All messages for a terminal, in colour when asked for.
    pub fn render(&self, colour: bool) -> String {
        let texts: Vec<String> = self.0.iter().map(|m| m.render(colour)).collect();
        texts.join("\n\n")
    }
}

impl fmt::Display for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Messages {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_the_place() {
        let source = Source::new("m.toml", "a = 1\nmäss = 3\n");
        let place = Some(Place { source, span: 6..11 });
        let message = Message::error(place, "unknown key `mäss`").help("did you mean `mass`?");
        assert_eq!(message.position(), Some(("m.toml", 2, 1)));
        let text = message.render(false);
        assert!(text.contains("m.toml:2:1") && text.contains("^^^^"), "{text}");
        assert!(text.contains("help: did you mean"), "{text}");
    }

    #[test]
    fn places_outside_the_text_do_no_harm() {
        let source = Source::new("m", "ä");
        let backwards = core::ops::Range { start: 2, end: 1 };
        for span in [0..0, 1..1, 1..9, 7..9, backwards] {
            let place = Some(Place {
                source: source.clone(),
                span,
            });
            let _ = Message::error(place, "x").render(false);
        }
        let long = Source::new("m", "x".repeat(100_000));
        let place = Some(Place {
            source: long,
            span: 50_000..50_010,
        });
        assert!(Message::error(place, "x").render(false).len() < 3_000);
    }
}
