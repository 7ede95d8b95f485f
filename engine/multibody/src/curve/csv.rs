//! Points from a text of columns.

use super::{Curve, CurveError, Extrapolation, Interpolation, MAX_POINTS};

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
            Self::Mark(mark) => line
                .split(mark)
                .map(|field| field.trim().trim_matches('"').trim())
                .collect(),
            Self::Blank => line
                .split_whitespace()
                .map(|field| field.trim_matches('"'))
                .collect(),
        }
    }

    fn number(self, field: &str) -> Option<f64> {
        // Where fields are not separated by commas, a comma is a decimal one.
        if self != Self::Mark(',') && field.contains(',') && !field.contains('.') {
            return field.replacen(',', ".", 1).parse().ok();
        }
        field.parse().ok()
    }
}

impl Curve {
    /// Reads points from two columns of a text.
    ///
    /// Fields are separated by semicolons, tabs, commas or blanks, whichever the first line
    /// uses. A first line that is not all numbers holds the headings. Empty lines are skipped, as
    /// is everything behind a `#`. Decimal commas are understood unless fields are separated by
    /// commas.
    ///
    /// ```
    /// use holonom_multibody::curve::{Curve, Extrapolation, Interpolation};
    /// let text = "# measured\ns, z\n0, 0\n1, 0.02\n2, 0.01\n";
    /// let (between, outside) = (Interpolation::Linear, Extrapolation::Hold);
    /// let road = Curve::from_csv("road", text, ["s", "z"], between, outside)?;
    /// assert_eq!(road.evaluate(0.5), 0.01);
    /// # Ok::<(), holonom_multibody::curve::CurveError>(())
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
        let [x, y] = points(&name, text, columns.map(Into::into), true)?;
        Self::new(name, x, y, interpolation, extrapolation)
    }
}

/// The numbers of two columns of a text, those of the first rising if they have to.
pub(crate) fn points(
    name: &str,
    text: &str,
    columns: [Column; 2],
    rising: bool,
) -> Result<[Vec<f64>; 2], CurveError> {
    let fail = |line: usize, reason: String| CurveError::Csv {
        name: name.to_string(),
        line,
        reason,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(k, line)| (k + 1, line.split('#').next().unwrap_or("").trim()))
        .filter(|(_, line)| !line.is_empty())
        .peekable();
    let Some(&(start, first)) = lines.peek() else {
        return Err(fail(1, "the text has no lines with numbers".to_string()));
    };
    let separator = Separator::of(first);
    let fields = separator.fields(first);
    let has_headings = fields
        .iter()
        .any(|field| !field.is_empty() && separator.number(field).is_none());
    let find = |column: &Column| match column {
        Column::Index(k) => Ok(*k),
        Column::Name(heading) if has_headings => {
            let found = fields.iter().position(|field| field == heading);
            found.ok_or_else(|| {
                let there = fields.join("\", \"");
                fail(
                    start,
                    format!("there is no column \"{heading}\"; there are \"{there}\""),
                )
            })
        }
        Column::Name(heading) => Err(fail(
            start,
            format!("the column \"{heading}\" is asked for, but there are no headings; give its number"),
        )),
    };
    let indices = [find(&columns[0])?, find(&columns[1])?];
    if has_headings {
        lines.next();
    }
    let mut points = [Vec::new(), Vec::new()];
    for (line, content) in lines {
        if points[0].len() >= MAX_POINTS {
            return Err(fail(line, format!("there are more than {MAX_POINTS} points")));
        }
        let fields = separator.fields(content);
        for (&index, column) in indices.iter().zip(&mut points) {
            let Some(field) = fields.get(index) else {
                let there = fields.len();
                return Err(fail(
                    line,
                    format!("column {} is missing; there are {there}", index + 1),
                ));
            };
            match separator.number(field) {
                Some(x) if x.is_finite() => column.push(x),
                _ => return Err(fail(line, format!("\"{field}\" is not a finite number"))),
            }
        }
        if rising
            && let [.., before, after] = points[0][..]
            && after <= before
        {
            let reason = format!("x must rise, but {after} does not exceed {before} before it");
            return Err(fail(line, reason));
        }
    }
    Ok(points)
}
