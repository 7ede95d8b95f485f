//! Points from a text of columns.

use super::{Curve, CurveError, Extrapolation, Interpolation, MAX_POINTS};
use crate::{Dimension, Unit};

/// A column of a text: by number or by its heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// The number of the column, from 0.
    Index(usize),
    /// The heading of the column.
    Name(String),
}

impl From<usize> for Column {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl From<&str> for Column {
    fn from(name: &str) -> Self {
        Self::Name(name.to_string())
    }
}

impl From<String> for Column {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

/// What stands between two fields.
#[derive(Clone, Copy, PartialEq)]
enum Separator {
    Mark(char),
    Blank,
}

impl Separator {
    /// The one that the first line uses.
    fn of(line: &str) -> Self {
        [';', '\t', ',']
            .into_iter()
            .find(|mark| line.contains(*mark))
            .map_or(Self::Blank, Self::Mark)
    }

    fn fields(self, line: &str) -> Vec<&str> {
        match self {
            Self::Mark(mark) => {
                // A mark between quotes separates nothing.
                let mut quoted = false;
                let separates = move |c: char| {
                    quoted ^= c == '"';
                    c == mark && !quoted
                };
                line.split(separates)
                    .map(|field| field.trim().trim_matches('"').trim())
                    .collect()
            }
            Self::Blank => line
                .split_whitespace()
                .map(|field| field.trim_matches('"'))
                .collect(),
        }
    }

    /// Fields of a line of headings: a unit belongs to the name before it.
    fn headings(self, line: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for field in self.fields(line) {
            match all.last_mut() {
                Some(name) if self == Self::Blank && field.starts_with(['[', '(']) => {
                    name.push(' ');
                    name.push_str(field);
                }
                _ => all.push(field.to_string()),
            }
        }
        all
    }

    fn number(self, field: &str) -> Option<f64> {
        // Where fields are not separated by commas, a comma is a decimal one.
        if self != Self::Mark(',') && field.contains(',') && !field.contains('.') {
            return field.replacen(',', ".", 1).parse().ok();
        }
        field.parse().ok()
    }
}

/// Whether a field looks like a number with a comma in it, which cannot be told from a thousands separator.
fn has_ambiguous_comma(field: &str) -> bool {
    field.contains(',') && field.parse::<f64>().is_err() && field.replace(',', "").parse::<f64>().is_ok()
}

fn ambiguous_comma(field: &str) -> (String, &'static str) {
    (
        format!("the comma in \"{field}\" may be a decimal or a thousands separator"),
        "write the number with a decimal point and no thousands separator, or separate the fields by semicolons \
         if it is a decimal comma",
    )
}

/// A heading without its unit, such as `z [mm]`, `z (mm)`, `z/mm`, `z mm` or `z_mm`, and the unit.
///
/// What stands in brackets has to be a unit; elsewhere it may be anything. Behind a stroke, a blank or an underscore
/// only units that change the numbers count, because `s` or `m` may be a part of the name there.
fn split_heading(heading: &str) -> Result<(&str, Option<Unit>), (String, &'static str)> {
    let inner = |open: char, close: char| {
        let (name, rest) = heading.strip_suffix(close)?.rsplit_once(open)?;
        Some((name.trim(), rest.trim()))
    };
    let unit = |text: &str| {
        let plain = text
            .replace('²', "^2")
            .replace('³', "^3")
            .replace(['·', ' '], "*");
        Unit::parse(&plain).ok()
    };
    if let Some((name, text)) = inner('[', ']') {
        if ["", "-", "–", "1"].contains(&text) {
            return Ok((name, None));
        }
        return match unit(text) {
            Some(unit) => Ok((name, Some(unit))),
            None => Err((
                format!("`{text}` in the heading \"{heading}\" is not a unit"),
                "write one such as [mm] or [N/m], or remove the brackets",
            )),
        };
    }
    match inner('(', ')') {
        Some((name, text)) if unit(text).is_some() => return Ok((name, unit(text))),
        _ => {}
    }
    // A heading such as `km/h` is a unit alone; one letter before a stroke is a quantity, as in `t/ms`.
    let stroke = heading
        .split_once('/')
        .filter(|(name, _)| name.trim().chars().count() == 1 || unit(name.trim()).is_none());
    let suffixes = [stroke, heading.rsplit_once(' '), heading.rsplit_once('_')];
    let scaled = suffixes.into_iter().flatten().find_map(|(name, text)| {
        let text = text.trim();
        let text = text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'))
            .unwrap_or(text);
        let unit = unit(text).filter(|unit| unit.in_si(1.0) != 1.0 || unit.in_si(0.0) != 0.0)?;
        (!name.trim().is_empty()).then_some((name.trim(), Some(unit)))
    });
    Ok(scaled.unwrap_or((heading, None)))
}

impl Curve {
    /// Reads points from two columns of a text.
    ///
    /// Fields are separated by semicolons, tabs, commas or blanks, whichever the first line
    /// uses. A first line that is not all numbers holds the headings. Empty lines are skipped, as
    /// is everything behind a `#`. Decimal commas are understood unless fields are separated by
    /// commas. Units in headings count, as in `z [mm]`, `z (mm)`, `z/mm`,
    /// `z mm` or `z_mm`; numbers without are in SI units.
    ///
    /// ```
    /// use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
    /// let text = "# measured\ns, z\n0, 0\n1, 0.02\n2, 0.01\n";
    /// let (between, outside) = (Interpolation::Linear, Extrapolation::Hold);
    /// let road = Curve::from_csv("road", text, ["s", "z"], between, outside)?;
    /// assert_eq!(road.evaluate(0.5), 0.01);
    /// # Ok::<(), holonom_expression::curve::CurveError>(())
    /// ```
    ///
    /// # Errors
    /// When a line cannot be read, with its number, and those of [`Curve::new`].
    pub fn from_csv(
        name: impl Into<String>,
        text: &str,
        columns: [impl Into<Column>; 2],
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<Self, CurveError> {
        let name = name.into();
        let points = points(&name, text, columns.map(Into::into), true)?;
        let [x, y] = points.columns;
        let curve = Self::new(name, x, y, interpolation, extrapolation)?;
        Ok(Self {
            dimensions: points.dimensions,
            ..curve
        })
    }
}

/// Two columns of a text in SI units.
pub struct Points {
    /// The numbers.
    pub columns: [Vec<f64>; 2],
    /// What they are, where their headings have units.
    pub dimensions: [Option<Dimension>; 2],
    /// The line of the headings, or the first one.
    line: usize,
}

impl Points {
    /// The numbers, which have to be lengths unless nothing is said.
    pub fn lengths(self, name: &str) -> Result<[Vec<f64>; 2], CurveError> {
        match self
            .dimensions
            .iter()
            .flatten()
            .find(|d| **d != Dimension::LENGTH)
        {
            None => Ok(self.columns),
            Some(other) => Err(CurveError::Csv {
                name: name.to_string(),
                line: self.line,
                fault: format!("a column is in {other}, but a length is expected"),
                remedy: Some("correct its heading".to_string()),
            }),
        }
    }
}

/// The numbers of two columns of a text, those of the first rising if they have to.
pub fn points(name: &str, text: &str, columns: [Column; 2], rising: bool) -> Result<Points, CurveError> {
    let fail = |line: usize, (fault, remedy): (String, &str)| CurveError::Csv {
        name: name.to_string(),
        line,
        fault,
        remedy: (!remedy.is_empty()).then(|| remedy.to_string()),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(k, line)| (k + 1, line.split('#').next().unwrap_or("").trim()))
        .filter(|(_, line)| !line.is_empty())
        .peekable();
    let Some(&(start, first)) = lines.peek() else {
        let fault = "the text has no lines with numbers".to_string();
        return Err(fail(1, (fault, "give at least two, with x and y")));
    };
    let separator = Separator::of(first);
    let fields = separator.fields(first);
    let has_headings = fields
        .iter()
        .any(|field| !field.is_empty() && separator.number(field).is_none());
    if has_headings && let Some(field) = fields.iter().find(|field| has_ambiguous_comma(field)) {
        return Err(fail(start, ambiguous_comma(field)));
    }
    let headings = separator.headings(first);
    let bare =
        |heading: &str| split_heading(heading).map_or(heading.to_string(), |(name, _)| name.to_string());
    let find = |column: &Column| match column {
        Column::Index(k) => Ok(*k),
        Column::Name(heading) if has_headings => {
            let places = |same: &dyn Fn(&str) -> bool| -> Vec<usize> {
                (0..headings.len()).filter(|k| same(&headings[*k])).collect()
            };
            let mut found = places(&|field| field == heading);
            if found.is_empty() {
                found = places(&|field| bare(field) == *heading);
            }
            match found[..] {
                [one] => Ok(one),
                [] => {
                    let there = headings.join("\", \"");
                    let fault = format!("there is no column \"{heading}\"");
                    Err(fail(start, (fault, &format!("there are \"{there}\""))))
                }
                [first, second, ..] => {
                    let (first, second) = (first + 1, second + 1);
                    let fault = format!("columns {first} and {second} both have the heading \"{heading}\"");
                    Err(fail(start, (fault, "give the column number")))
                }
            }
        }
        Column::Name(heading) => {
            let fault = format!("the column \"{heading}\" cannot be found because the file has no headings");
            Err(fail(start, (fault, "give the column number")))
        }
    };
    let indices = [find(&columns[0])?, find(&columns[1])?];
    let mut units = [None, None];
    if has_headings {
        lines.next();
        for (unit, index) in units.iter_mut().zip(indices) {
            let heading = headings.get(index).map_or("", String::as_str);
            *unit = split_heading(heading).map_err(|reason| fail(start, reason))?.1;
        }
    }
    let mut points = [Vec::new(), Vec::new()];
    for (line, content) in lines {
        if points[0].len() >= MAX_POINTS {
            return Err(fail(
                line,
                (format!("there are more than {MAX_POINTS} points"), ""),
            ));
        }
        let fields = separator.fields(content);
        for ((&index, unit), column) in indices.iter().zip(&units).zip(&mut points) {
            let Some(field) = fields.get(index) else {
                let fault = format!("column {} is missing", index + 1);
                return Err(fail(line, (fault, &format!("there are {}", fields.len()))));
            };
            match separator.number(field) {
                Some(x) if x.is_finite() => column.push(unit.map_or(x, |unit| unit.in_si(x))),
                _ if has_ambiguous_comma(field) => return Err(fail(line, ambiguous_comma(field))),
                _ => return Err(fail(line, (format!("\"{field}\" is not a finite number"), ""))),
            }
        }
        if rising
            && let [.., before, after] = points[0][..]
            && after <= before
        {
            let fault = format!("x must be increasing, but {after} follows {before}");
            return Err(fail(line, (fault, "")));
        }
    }
    Ok(Points {
        columns: points,
        dimensions: units.map(|unit| unit.map(|unit| unit.dimension())),
        line: start,
    })
}
