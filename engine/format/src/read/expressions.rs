//! Numbers and functions of time, from numbers and expressions.

use super::Reader;
use super::remarks::{MOST_SEEN, Seen, UNITS};
use crate::message::{Message, Place, Source};
use crate::tree::{Kind, Table, Value};
use core::ops::Range;
use holonom_expression::curve::{Column, Curve, CurveError, Extrapolation, Interpolation};
use holonom_expression::{
    Ast, Dimension, DimensionState, Expression, ExpressionError, MotionFault, Scope, is_reserved,
};
use holonom_multibody::Signal;
use holonom_multibody::diagnostic::ThingKind;
use std::sync::Arc;

/// What expressions of a file may use.
#[derive(Default)]
pub(super) struct Names {
    /// Parameters that have been evaluated, with tables: what constants may use.
    pub constants: Scope,
    /// The same with t and the inputs: what functions of time may use.
    pub functions: Scope,
    /// The same with the names of controls, where there are some: what forces and controls may use.
    pub signals: Option<Scope>,
    /// What is being read may use them.
    pub controlled: bool,
    /// Names of parameters, tables, inputs and controls.
    pub taken: std::collections::BTreeSet<String>,
    /// Parameters that something has used.
    pub used: std::collections::BTreeSet<String>,
    /// What laws of forces may use, once one has been read, with the variables it is for.
    pub laws: Option<(Variables, Scope)>,
    /// Gravity, which waits for the parameters.
    pub gravity: Option<Value>,
}

/// Variables of a law besides t, with their dimensions where these are known.
type Variables = Vec<(String, Option<Dimension>)>;

/// The dimension of a variable of a law: of one variable and a torque it is an angle or its rate, else a length or
/// velocity. Nothing is known where the law may be that of an angle or of a displacement.
fn measure(name: &str, unit: &str, variables: &[&str]) -> Option<Dimension> {
    let turning = unit == "N m" && variables.len() == 1;
    let one_of = |turned, moved| Some(if turning { turned } else { moved });
    match name {
        _ if unit.contains(" or ") => None,
        "x" | "y" | "z" | "s" => one_of(Dimension::NONE, Dimension::LENGTH),
        "v" => one_of(Dimension::ANGULAR_VELOCITY, Dimension::VELOCITY),
        "vx" | "vy" | "vz" => Some(Dimension::VELOCITY),
        "wx" | "wy" | "wz" => Some(Dimension::ANGULAR_VELOCITY),
        _ => None,
    }
}

/// Where the points of a table come from.
struct Points<'v> {
    file: Option<&'v Value>,
    columns: Option<&'v Value>,
    x: Option<&'v Value>,
    y: Option<&'v Value>,
}

/// A stretch of text that expressions stand in.
pub(super) struct Text<'a> {
    pub source: &'a Arc<Source>,
    /// Where the text begins in the source, if its bytes stand there as they are.
    pub start: Option<usize>,
    /// The whole value.
    pub span: Range<usize>,
}

impl Text<'_> {
    pub fn place(&self, span: &Range<usize>) -> Place {
        let span = match self.start {
            Some(start) => start + span.start..start + span.end.max(span.start),
            None => self.span.clone(),
        };
        Place {
            source: self.source.clone(),
            span,
        }
    }

    fn message(&self, error: ExpressionError, unit: &str) -> Message {
        let message = Message::error(Some(self.place(&error.span)), error.message);
        match error.help {
            Some(help) => message.help(help),
            None if error.wrong_dimension => message.help(format!("give it in {unit}")),
            None => message,
        }
    }
}

impl Reader<'_, '_> {
    /// A number in SI units; NaN where one is missing, which has been reported then.
    pub(super) fn number(&mut self, value: &Value, unit: &str) -> f64 {
        self.constant(value, unit).map_or(f64::NAN, |(x, _)| x)
    }

    /// A number of any dimension.
    pub(super) fn any_number(&mut self, value: &Value) -> f64 {
        self.constant(value, "").map_or(f64::NAN, |(x, _)| x)
    }

    /// The dimension of a value, where it is known; faults are told when the value is read.
    pub(super) fn dimension_of(&self, value: &Value) -> Option<Dimension> {
        let Kind::Text(text) = &value.kind else {
            return None;
        };
        let expression = Ast::parse(text).ok()?.bind(&self.names.constants, None).ok()?;
        expression.dimension().known()
    }

    /// A number with its dimension, as far as known.
    pub(super) fn quantity(&mut self, value: &Value) -> Option<(f64, DimensionState)> {
        self.constant(value, "")
    }

    /// Some numbers of one unit.
    pub(super) fn numbers<const N: usize>(&mut self, value: &Value, unit: &str) -> Option<[f64; N]> {
        let list = self.list(value)?;
        if list.len() != N {
            let text = self.about(format!("{N} numbers are expected here, not {}", list.len()));
            self.error(&value.span, text);
            return None;
        }
        let mut numbers = [0.0; N];
        for (number, value) in numbers.iter_mut().zip(list) {
            *number = self.number(value, unit);
        }
        Some(numbers)
    }

    fn constant(&mut self, value: &Value, unit: &str) -> Option<(f64, DimensionState)> {
        let (x, dimension) = match &value.kind {
            Kind::Number(x) => (*x, DimensionState::Any),
            Kind::Text(text) => {
                let expression = self.bind(text, &value.span, unit, false)?;
                (expression.value()?, expression.dimension())
            }
            _ => {
                self.expected("a number or an expression", value);
                return None;
            }
        };
        if !x.is_finite() {
            let text = self.about(format!("this number is {x}, which is not finite or too large"));
            self.error(&value.span, text);
            return None;
        }
        if let Some(unit) = UNITS.iter().find(|own| **own == unit)
            && self.session.seen.len() < MOST_SEEN
        {
            let has_unit = dimension.known().is_some_and(|d| !d.is_none()) || says_angle(value);
            let (place, subject) = (self.place(&value.span), self.subject.clone());
            let kind = self.kind;
            self.session.seen.push(Seen {
                place,
                subject,
                kind,
                unit,
                value: x,
                has_unit,
            });
        }
        Some((x, dimension))
    }

    /// A function of time.
    pub(super) fn signal(&mut self, value: &Value, unit: &str) -> Signal {
        // Not zero, by which what uses it may divide.
        let nothing = Signal::constant(1.0);
        match &value.kind {
            Kind::Text(text) => match self.bind(text, &value.span, unit, true) {
                Some(expression) => match expression.value() {
                    Some(x) if x.is_finite() => Signal::constant(x),
                    Some(x) => {
                        self.error(&value.span, format!("this number is {x}, which is not finite"));
                        nothing
                    }
                    None => Signal::Expression(Arc::new(expression.over_used())),
                },
                None => nothing,
            },
            Kind::Number(_) => Signal::constant(self.number(value, unit)),
            _ => {
                self.expected("a number or a function of t", value);
                nothing
            }
        }
    }

    /// A function of time that a motion follows: it needs two derivatives.
    pub(super) fn motion(&mut self, value: &Value, unit: &str) -> Signal {
        let signal = self.signal(value, unit);
        if let Signal::Expression(expression) = &signal
            && let Err(fault) = expression.check_motion()
        {
            let text = self.about(format!("{fault}, so a coordinate cannot follow it"));
            let help = match fault {
                MotionFault::Hidden => {
                    "a prescribed motion needs a continuous rate: use a table with interpolation = \
                     \"spline\", or smoothstep, or `if` with conditions such as t < 2"
                }
                _ => {
                    "give both pieces the same value and rate there, or use smoothstep or a table with \
                     interpolation = \"spline\""
                }
            };
            self.error_with_help(&value.span, text, help);
        }
        signal
    }

    /// A function of time that a velocity follows: it must be continuous.
    pub(super) fn velocity(&mut self, value: &Value, unit: &str) -> Signal {
        let signal = self.signal(value, unit);
        if let Signal::Expression(expression) = &signal
            && let Err(fault) = expression.check_velocity()
        {
            let text = self.about(format!("{fault}, so a velocity cannot follow it"));
            let help = match fault {
                MotionFault::Hidden => {
                    "a prescribed velocity must be continuous: use a table, or smoothstep, or `if` with \
                     conditions such as t < 2"
                }
                _ => "give both pieces the same value there, or use smoothstep or a table",
            };
            self.error_with_help(&value.span, text, help);
        }
        signal
    }

    /// Three expressions of the given variables.
    pub(super) fn laws(&mut self, value: &Value, unit: &str, variables: &[&str]) -> Option<[Expression; 3]> {
        let list = self.list(value)?;
        if list.len() != 3 {
            let text = format!("3 numbers or expressions are expected here, not {}", list.len());
            self.error(&value.span, text);
            return None;
        }
        let mut laws = Vec::with_capacity(3);
        for item in list {
            laws.extend(self.law(item, unit, variables));
        }
        laws.try_into().ok()
    }

    /// An expression of the given variables.
    pub(super) fn law(&mut self, value: &Value, unit: &str, variables: &[&str]) -> Option<Expression> {
        let text = match &value.kind {
            Kind::Text(text) => text.clone(),
            Kind::Number(x) => format!("{x:?}"),
            _ => {
                self.expected("a number or an expression", value);
                return None;
            }
        };
        let others = variables.iter().copied().filter(|name| *name != "t");
        let others: Variables = others
            .map(|name| (name.to_string(), measure(name, unit, variables)))
            .collect();
        // Made once: there may be many parameters and many laws.
        let scope = match self.names.laws.take() {
            Some((same, scope)) if same == others => scope,
            // Behind t, which functions of time have already; inputs come with them.
            _ => others
                .iter()
                .fold(self.names.functions.clone(), |scope, (name, known)| match known {
                    Some(dimension) => scope.quantity(name, *dimension),
                    None => scope.variable(name),
                }),
        };
        let (start, span) = self.text_of(&text, &value.span);
        let place = Text {
            source: &self.source,
            start,
            span,
        };
        let result = bound(&scope, &text, &place, unit);
        self.note_names(&text);
        self.names.laws = Some((others, scope));
        let law = self.keep(result)?;
        if variables.contains(&"t") {
            return Some(law);
        }
        match law.over_variables(variables) {
            Ok(law) => Some(law),
            Err(error) => {
                let text = self.about(error.message);
                self.error_with_help(&value.span, text, error.help.unwrap_or_default());
                None
            }
        }
    }

    /// A unit, as a label.
    pub(super) fn unit(&mut self, value: &Value) -> Option<String> {
        let unit = self.text(value)?;
        if unit.is_empty() || dimension(unit).is_some() {
            return Some(unit.to_string());
        }
        self.error_with_help(
            &value.span,
            format!("`{unit}` is not a unit"),
            "write it like N/m or rad/s",
        );
        None
    }

    /// Makes a name known, unless it is taken or not a name.
    pub(super) fn declare_name(&mut self, what: &str, name: &str, span: &Range<usize>) -> bool {
        let mut letters = name.chars();
        let is_name = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || c == '_');
        let fault = if !is_name {
            "must start with a letter and contain only letters, digits and _"
        } else if is_reserved(name) || name == "t" {
            "is reserved in expressions"
        } else if !self.names.taken.insert(name.to_string()) {
            "is already used by another parameter, table, input or control"
        } else {
            return true;
        };
        self.error_with_help(
            span,
            format!("the name `{name}` of the {what} {fault}"),
            "choose another one",
        );
        false
    }

    /// Makes an input known to the expressions that follow.
    pub(super) fn declare_input(
        &mut self,
        name: &str,
        signal: &Signal,
        unit: &str,
        head: &Range<usize>,
    ) -> bool {
        if !self.declare_name("input", name, head) {
            return false;
        }
        let names = &mut self.names;
        let reason = "it changes with time, and this number must be constant";
        names.constants = std::mem::take(&mut names.constants).forbid(name, reason);
        let expression = match signal {
            Signal::Expression(expression) => Some(expression.clone()),
            signal => {
                let value = signal.evaluate(0.0)[0];
                Expression::constant(value, DimensionState::Any)
                    .ok()
                    .map(Arc::new)
            }
        };
        if let Some(expression) = expression {
            let functions = std::mem::take(&mut names.functions);
            names.functions = match dimension(unit) {
                Some(dimension) if !unit.is_empty() => functions.input_in(name, expression, dimension),
                _ => functions.input(name, expression),
            };
        }
        true
    }

    /// A table that expressions may call.
    pub(super) fn curve(&mut self, table: &Table) {
        use super::table_reader::TableReader;
        let mut fields = TableReader::new(self, table, "a table");
        let name = fields.name(ThingKind::Table);
        let head = fields.head();
        let file = fields.optional("file");
        let columns = fields.optional("columns");
        let (x, y) = (fields.optional("x"), fields.optional("y"));
        let interpolation = fields.optional("interpolation");
        let extrapolation = fields.optional("extrapolation");
        fields.finish();
        let interpolation = match interpolation {
            Some(value) => self.choice(value, "interpolation", &["spline", "linear", "monotone"]),
            None => Some(0),
        };
        let extrapolation = match extrapolation {
            Some(value) => self.choice(value, "extrapolation", &["refuse", "hold", "linear"]),
            None => Some(0),
        };
        if !self.declare_name("table", &name, &head) {
            return;
        }
        let (own, _) = self.session.full_name(&self.prefix, &name);
        let points = Points { file, columns, x, y };
        let curve = match (interpolation, extrapolation) {
            (Some(interpolation), Some(extrapolation)) => {
                let interpolation = [
                    Interpolation::Spline,
                    Interpolation::Linear,
                    Interpolation::Monotone,
                ][interpolation];
                let extrapolation =
                    [Extrapolation::Refuse, Extrapolation::Hold, Extrapolation::Linear][extrapolation];
                self.curve_through(points, [&name, &own], &head, interpolation, extrapolation)
            }
            _ => None,
        };
        // Known by name, so that its users do not complain as well.
        let known = || {
            let ends = vec![0.0, 1.0];
            Curve::new(
                &own,
                ends,
                vec![1.0; 2],
                Interpolation::Spline,
                Extrapolation::Hold,
            )
            .ok()
        };
        if let Some(curve) = curve.or_else(known).map(Arc::new) {
            let names = &mut self.names;
            names.constants = std::mem::take(&mut names.constants).table_as(&name, curve.clone());
            names.functions = std::mem::take(&mut names.functions).table_as(&name, curve);
        }
    }

    /// The curve through the points of a table; none where it has faults, which are reported then.
    fn curve_through(
        &mut self,
        points: Points<'_>,
        [name, own]: [&str; 2],
        head: &Range<usize>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Option<Curve> {
        let Points { file, columns, x, y } = points;
        match (file, x, y) {
            (Some(file), None, None) => {
                self.curve_from_file(own, file, columns, interpolation, extrapolation)
            }
            (None, Some(x), Some(y)) => {
                if let Some(columns) = columns {
                    self.error(&columns.span, "`columns` needs a `file`");
                }
                let points = x.clone();
                let (x, y) = (self.many(x, ""), self.many(y, ""));
                let (x, y) = (x?, y?);
                if x.iter().chain(&y).any(|number| number.is_nan()) {
                    // Said where the number stands.
                    return None;
                }
                match Curve::new(own, x, y, interpolation, extrapolation) {
                    Ok(curve) => Some(curve),
                    Err(error) => {
                        let at = point_at_fault(&error, &points).unwrap_or(head).clone();
                        self.error(&at, error.to_string());
                        None
                    }
                }
            }
            _ => {
                let text = format!("table \"{name}\" needs `file`, or `x` and `y`");
                self.error_with_help(head, text, "give the points in one of these two ways");
                None
            }
        }
    }

    fn curve_from_file(
        &mut self,
        name: &str,
        file: &Value,
        columns: Option<&Value>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Option<Curve> {
        let file_name = self.text(file)?;
        let path = self.folder.join(file_name);
        let mut wanted = [Column::Index(0), Column::Index(1)];
        if let Some(columns) = columns {
            let list = self.list(columns)?;
            if list.len() != 2 {
                self.error(&columns.span, "two columns are expected here: x and y");
                return None;
            }
            for (wanted, item) in wanted.iter_mut().zip(list) {
                *wanted = match &item.kind {
                    Kind::Text(name) => Column::Name(name.clone()),
                    Kind::Number(n) if *n >= 1.0 && n.fract() == 0.0 && *n < 1e6 => {
                        Column::Index(*n as usize - 1)
                    }
                    Kind::Number(n) => {
                        self.error(
                            &item.span,
                            format!("there is no column {n}; columns are counted from 1"),
                        );
                        return None;
                    }
                    _ => {
                        self.expected("the name or number of a column", item);
                        return None;
                    }
                };
            }
        }
        let text = match self.session.text(&path) {
            Ok(text) => text,
            Err(reason) => {
                self.error(&file.span, format!("cannot read `{}`: {reason}", path.display()));
                return None;
            }
        };
        match Curve::from_csv(name, &text, wanted, interpolation, extrapolation) {
            Ok(curve) => Some(curve),
            Err(CurveError::Csv {
                line, fault, remedy, ..
            }) => {
                // At the line of that file.
                let source = Source::new(path.display().to_string(), text);
                let start = source
                    .text
                    .split_inclusive('\n')
                    .take(line - 1)
                    .map(str::len)
                    .sum();
                let length = source.text[start..].lines().next().map_or(0, str::len);
                let place = Place {
                    span: start..start + length,
                    source,
                };
                let message = Message::error(Some(place), format!("table \"{name}\": {fault}"));
                self.report(match remedy {
                    Some(remedy) => message.help(remedy),
                    None => message,
                });
                None
            }
            Err(error) => {
                self.error(&file.span, format!("`{}`: {error}", path.display()));
                None
            }
        }
    }

    pub(super) fn many(&mut self, value: &Value, unit: &str) -> Option<Vec<f64>> {
        let list = self.list(value)?;
        Some(list.iter().map(|item| self.number(item, unit)).collect())
    }

    /// Where an expression stands; its bytes are those of the file unless it has escapes.
    pub(super) fn text_of(&self, text: &str, span: &Range<usize>) -> (Option<usize>, Range<usize>) {
        let raw = self.source.text.get(span.clone()).unwrap_or("");
        let start = raw.find(text).map(|at| span.start + at);
        (start, span.clone())
    }

    /// Binds an expression in one of the scopes of the file.
    fn bind(&mut self, text: &str, span: &Range<usize>, unit: &str, of_time: bool) -> Option<Expression> {
        if self.session.is_full() {
            return None;
        }
        let (start, span) = self.text_of(text, span);
        let place = Text {
            source: &self.source,
            start,
            span,
        };
        let scope = match (&self.names.signals, of_time) {
            (Some(signals), true) if self.names.controlled => signals,
            (_, true) => &self.names.functions,
            (_, false) => &self.names.constants,
        };
        let result = bound(scope, text, &place, unit);
        self.note_names(text);
        self.keep(result)
    }

    fn note_names(&mut self, text: &str) {
        if let Ok(ast) = Ast::parse(text) {
            self.names
                .used
                .extend(ast.names().iter().map(|used| used.name.to_string()));
        }
    }

    fn keep<T>(&mut self, result: Result<T, Vec<Message>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(messages) => {
                for mut message in messages {
                    message.text = self.about(message.text);
                    self.report(message);
                }
                None
            }
        }
    }
}

/// Whether an angle comes from anything but a plain number: a unit, or an expression.
fn says_angle(value: &Value) -> bool {
    match &value.kind {
        Kind::Text(text) => text.contains(|c: char| c.is_whitespace() || "*/+^(".contains(c)),
        _ => false,
    }
}

/// The value of x that is to blame.
fn point_at_fault<'v>(error: &CurveError, points: &'v Value) -> Option<&'v Range<usize>> {
    let (CurveError::NotRising { index, .. } | CurveError::TooSteep { index, .. }) = error else {
        return None;
    };
    match &points.kind {
        Kind::List(list) => list.get(*index).map(|item| &item.span),
        _ => None,
    }
}

/// An expression bound in a scope, which has to have a unit unless that is empty, with the messages at their places.
pub(super) fn bound(
    scope: &Scope,
    text: &str,
    place: &Text<'_>,
    unit: &str,
) -> Result<Expression, Vec<Message>> {
    let expected = dimension(unit);
    let bound = Ast::parse_as(text, expected)
        .map_err(|error| vec![error])
        .and_then(|ast| ast.bind(scope, expected));
    bound.map_err(|errors| {
        let errors = errors.into_iter();
        errors.map(|error| place.message(error, unit)).collect()
    })
}

/// The dimension of a unit as it stands in field lists (`kg m²`, `N s/m`, `1` for pure numbers); none for an
/// empty or unknown one.
pub(super) fn dimension(unit: &str) -> Option<Dimension> {
    match unit {
        "" => return None,
        "1" => return Some(Dimension::NONE),
        _ => {}
    }
    let plain = unit.replace('²', "^2").replace('³', "^3").replace(' ', "*");
    Dimension::parse(&plain).ok()
}
