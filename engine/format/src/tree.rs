//! A TOML text as a tree with source positions.

use crate::message::{Message, Messages, Place, Source};
use core::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// Largest text that is read, in bytes.
pub const MAX_TEXT: usize = 64 << 20;

/// A value with its place.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the text.
    pub span: Range<usize>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A string.
    Text(String),
    /// An integer or a float.
    Number(f64),
    /// true or false.
    Flag(bool),
    /// A date or a time, which no field takes.
    Date,
    /// A list.
    List(Vec<Value>),
    /// A table.
    Table(Table),
}

impl Kind {
    /// Its name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::Date => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// A table: keys with values in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Bytes of the header or of the inline table.
    pub span: Range<usize>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Its bytes.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Value,
}

impl Table {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.value)
    }
}

/// Parses a text.
///
/// # Errors
/// All faults of syntax.
pub fn parse(source: &Arc<Source>) -> Result<Table, Vec<Message>> {
    if source.text.len() > MAX_TEXT {
        let text = format!(
            "`{}` has {} bytes; model files of more than {MAX_TEXT} are not read",
            source.name,
            source.text.len()
        );
        let place = Place {
            source: Source::new(&source.name, ""),
            span: 0..0,
        };
        return Err(vec![Message::error(Some(place), text)]);
    }
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    if errors.is_empty() {
        return Ok(convert_table(table.get_ref(), table.span()));
    }
    let mut messages: Vec<Message> = Vec::new();
    let (mut last, mut told) = (0, Vec::new());
    for error in &errors {
        let span = error.span().unwrap_or_default();
        let (line, _) = source.line_and_column(span.start);
        let slip = Slip::of(error);
        // What is not closed spoils the lines that follow: only the first of them is told.
        let follows = line == last || line == last + 1;
        let open = told.contains(&Slip::Open);
        let twice = slip == Slip::Twice && told.iter().any(|other| *other != Slip::Twice);
        last = line.max(last);
        if (follows && !messages.is_empty()) || open || twice {
            continue;
        }
        messages.push(syntax_message(error, slip, source, span));
        told.push(slip);
        if messages.len() >= Messages::MOST {
            break;
        }
    }
    Err(messages)
}

/// The usual slips of syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    /// A key is given twice.
    Twice,
    /// A bracket or brace is not closed.
    Open,
    /// A comma is missing, or a bracket.
    Between,
    /// A text without quotation marks.
    Unquoted,
    /// A number that begins or ends with its point.
    Point,
    /// Any other.
    Other,
}

impl Slip {
    /// The parser gives its faults in words only: this is the one place that reads them.
    fn of(error: &toml::de::Error) -> Self {
        let says = |words: &[&str]| words.iter().any(|word| error.message().contains(word));
        if error.message() == "duplicate key" {
            Self::Twice
        } else if says(&["inline table", "array"]) {
            Self::Open
        } else if says(&["between"]) {
            Self::Between
        } else if says(&["string values must be quoted", "unquoted"]) {
            Self::Unquoted
        } else if says(&["mantissa", "expected digits"]) {
            Self::Point
        } else {
            Self::Other
        }
    }

    /// What helps.
    fn remedy(self) -> Option<&'static str> {
        match self {
            Self::Twice => Some(
                "remove one of them; several bodies, joints and the like each begin with [[body]], [[joint]]",
            ),
            Self::Open | Self::Between => {
                Some("is a bracket or brace before this not closed, or a comma missing?")
            }
            Self::Unquoted => {
                Some("write texts, expressions and quantities in quotation marks, such as \"12 mm\"")
            }
            Self::Point => Some("write numbers with digits on both sides of the point, such as 0.1 or 1.0"),
            Self::Other => None,
        }
    }
}

/// A fault of syntax, with advice on the usual slips.
fn syntax_message(error: &toml::de::Error, slip: Slip, source: &Arc<Source>, span: Range<usize>) -> Message {
    let found = source.text.get(span.clone()).unwrap_or("");
    let text = match slip {
        Slip::Twice => format!("syntax: `{found}` is given twice"),
        _ => format!("syntax: {}", error.message()),
    };
    let message = Message::error(
        Some(Place {
            source: source.clone(),
            span,
        }),
        text,
    );
    match slip.remedy() {
        Some(help) => message.help(help),
        None => message,
    }
}

fn convert_table(table: &DeTable<'_>, span: Range<usize>) -> Table {
    let entries = table.iter().map(|(key, value)| Entry {
        key: key.get_ref().to_string(),
        key_span: key.span(),
        value: convert(value.get_ref(), value.span()),
    });
    Table {
        entries: entries.collect(),
        span,
    }
}

/// The parser bounds the depth, and with it this recursion.
fn convert(value: &DeValue<'_>, span: Range<usize>) -> Value {
    let kind = match value {
        DeValue::String(text) => Kind::Text(text.to_string()),
        DeValue::Integer(number) => {
            let parsed = i128::from_str_radix(number.as_str(), number.radix());
            let too_long = || number.as_str().parse().unwrap_or(f64::INFINITY);
            Kind::Number(parsed.map_or_else(|_| too_long(), |n| n as f64))
        }
        DeValue::Float(number) => Kind::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Kind::Flag(*flag),
        DeValue::Datetime(_) => Kind::Date,
        DeValue::Array(list) => Kind::List(
            list.iter()
                .map(|item| convert(item.get_ref(), item.span()))
                .collect(),
        ),
        DeValue::Table(table) => Kind::Table(convert_table(table, span.clone())),
    };
    Value { kind, span }
}
