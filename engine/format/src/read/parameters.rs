//! The table `[parameters]`: named numbers that may depend on each other.

use super::expressions::{Text, bound};
use super::table_reader::TableReader;
use super::{Reader, shortened};
use crate::message::{Message, Place, Source};
use crate::model_file::Parameter;
use crate::tree::{Kind, Value};
use core::ops::Range;
use holonom_expression::{Ast, Dimension, DimensionState};
use holonom_text::nearest;
use std::collections::HashMap;
use std::sync::Arc;

/// A value that replaces that of the file.
pub(super) struct Override {
    pub name: String,
    given: Given,
    pub place: Place,
}

enum Given {
    Text(String),
    Number(f64, DimensionState),
}

impl Override {
    /// From the command line.
    pub fn typed((name, text): &(String, String)) -> Self {
        Self {
            name: name.clone(),
            given: Given::Text(text.clone()),
            place: Place {
                source: Source::new("--set", format!("{name}={text}")),
                span: 0..name.len(),
            },
        }
    }

    /// From a file that includes this one.
    pub fn number(name: &str, value: f64, dimension: DimensionState, place: Place) -> Self {
        Self {
            name: name.to_string(),
            given: Given::Number(value, dimension),
            place,
        }
    }
}

/// A parameter before it is evaluated.
struct Declared {
    name: String,
    head: Range<usize>,
    about: String,
    given: Given,
    /// What the file says, when the value comes from elsewhere.
    own: Option<Given>,
    /// Where its text stands.
    source: Arc<Source>,
    start: Option<usize>,
    span: Range<usize>,
}

impl Reader<'_, '_> {
    pub(super) fn parameters(&mut self, value: Option<&Value>, overrides: Vec<Override>) {
        let mut declared = Vec::new();
        self.is_about("[parameters]");
        if let Some(table) = value.and_then(|value| self.table(value)) {
            for entry in &table.entries {
                declared.extend(self.declare(&entry.key, &entry.key_span, &entry.value));
            }
        }
        for given in overrides {
            self.replace(&mut declared, given);
        }
        // Functions of time have it as a variable, which goes first.
        let constants = std::mem::take(&mut self.names.constants);
        self.names.constants = constants.forbid("t", "this number must be constant");
        self.evaluate(declared);
        self.names.functions = self.names.constants.clone().quantity("t", Dimension::TIME);
        self.is_about("[model]");
        if let Some(gravity) = self.names.gravity.take()
            && let Some(gravity) = self.numbers(&gravity, "m/s²")
        {
            self.model.description.gravity = gravity;
        }
    }

    fn declare(&mut self, name: &str, head: &Range<usize>, value: &Value) -> Option<Declared> {
        let (value, about) = match &value.kind {
            Kind::Table(table) => {
                let mut fields = TableReader::new(self, table, format!("parameter `{name}`"));
                let inner = fields.required("value", "a number or an expression");
                let about = fields.optional("description");
                fields.finish();
                let about = about.and_then(|value| self.text(value)).unwrap_or_default();
                (inner?, about.to_string())
            }
            _ => (value, String::new()),
        };
        let given = match &value.kind {
            Kind::Number(x) => Given::Number(*x, DimensionState::Any),
            Kind::Text(text) => Given::Text(text.clone()),
            _ => {
                self.expected("a number or an expression", value);
                return None;
            }
        };
        let (start, span) = match &given {
            Given::Text(text) => self.text_of(text, &value.span),
            Given::Number(..) => (None, value.span.clone()),
        };
        Some(Declared {
            name: name.to_string(),
            head: head.clone(),
            about,
            given,
            own: None,
            source: self.source.clone(),
            start,
            span,
        })
    }

    /// Takes the value from elsewhere.
    fn replace(&mut self, declared: &mut [Declared], given: Override) {
        let names = declared.iter().map(|d| d.name.as_str());
        let help = match nearest(&given.name, names) {
            Some(name) => format!("did you mean `{name}`?"),
            None if declared.is_empty() => "it has no parameters".to_string(),
            None => {
                let names: Vec<&str> = declared.iter().map(|d| d.name.as_str()).take(12).collect();
                format!("it has {}", names.join(", "))
            }
        };
        let Some(parameter) = declared.iter_mut().find(|d| d.name == given.name) else {
            let text = format!("`{}` has no parameter `{}`", self.source.name, given.name);
            self.report(Message::error(Some(given.place), text).help(help));
            return;
        };
        match &given.given {
            Given::Text(text) => {
                let start = given.name.len() + 1;
                parameter.start = Some(start);
                parameter.span = start..start + text.len();
            }
            Given::Number(..) => {
                parameter.start = None;
                parameter.span = given.place.span;
            }
        }
        parameter.source = given.place.source;
        parameter.own = Some(std::mem::replace(&mut parameter.given, given.given));
    }

    /// Evaluates what depends on nothing first.
    fn evaluate(&mut self, declared: Vec<Declared>) {
        let index: HashMap<&str, usize> = declared
            .iter()
            .enumerate()
            .map(|(i, d)| (d.name.as_str(), i))
            .collect();
        let mut waits_for = vec![0_usize; declared.len()];
        let mut needed_by = vec![Vec::new(); declared.len()];
        let mut needs = vec![Vec::new(); declared.len()];
        for (i, parameter) in declared.iter().enumerate() {
            if let Given::Text(text) = &parameter.given
                && let Ok(ast) = Ast::parse(text)
            {
                for used in ast.names() {
                    self.names.used.insert(used.name.to_string());
                    if let Some(&other) = index.get(used.name)
                        && !needs[i].contains(&other)
                    {
                        needs[i].push(other);
                        needed_by[other].push(i);
                        waits_for[i] += 1;
                    }
                }
            }
        }
        let mut ready: Vec<usize> = (0..declared.len()).rev().filter(|i| waits_for[*i] == 0).collect();
        let mut values = vec![None; declared.len()];
        let mut done = vec![false; declared.len()];
        let mut from = 0;
        loop {
            while let Some(i) = ready.pop() {
                if !done[i] {
                    done[i] = true;
                    values[i] = self.evaluate_one(&declared[i]);
                }
                for &other in &needed_by[i] {
                    waits_for[other] = waits_for[other].saturating_sub(1);
                    if waits_for[other] == 0 && !done[other] {
                        ready.push(other);
                    }
                }
            }
            // What is left is in a ring, or needs one that is.
            let Some(first) = done[from..].iter().position(|done| !done) else {
                break;
            };
            from += first;
            let ring = ring(from, &needs, &done);
            self.report_ring(&ring, &declared);
            for i in ring {
                if !done[i] {
                    done[i] = true;
                    ready.push(i);
                    // Known by name, so that its users do not complain as well.
                    let name = &declared[i].name;
                    self.names.constants.set_constant(name, 1.0, DimensionState::Any);
                }
            }
        }
        for (parameter, value) in declared.into_iter().zip(values) {
            if let Some(value) = value {
                let (value, unit) = value;
                self.model.parameters.push(Parameter {
                    name: parameter.name,
                    value,
                    unit,
                    about: parameter.about,
                });
            }
        }
    }

    fn report_ring(&mut self, ring: &[usize], declared: &[Declared]) {
        const MOST: usize = 12;
        let mut names: Vec<String> = ring.iter().map(|i| format!("`{}`", declared[*i].name)).collect();
        if names.len() > MOST {
            names.drain(MOST - 2..names.len() - 1);
            names.insert(MOST - 2, "…".to_string());
        }
        let text = match names.as_slice() {
            [name, _] => format!("the parameter {name} depends on itself"),
            names => format!(
                "the parameters {} depend on each other circularly",
                names.join(" → ")
            ),
        };
        let at = ring.first().map_or(0..0, |i| declared[*i].head.clone());
        let help = if names.len() == 2 {
            "give it a number"
        } else {
            "give one of them a number"
        };
        self.error_with_help(&at, text, help);
    }

    /// Reports a value from elsewhere that is another quantity than the one in the file; the
    /// dimension to go on with.
    fn check_quantity(
        &mut self,
        parameter: &Declared,
        given: DimensionState,
        place: &Text<'_>,
    ) -> DimensionState {
        let Some(Given::Text(own)) = &parameter.own else {
            return given;
        };
        let Some(own) = Ast::parse(own)
            .ok()
            .and_then(|ast| ast.bind(&self.names.constants, None).ok())
        else {
            return given;
        };
        if let (DimensionState::Known(own), DimensionState::Known(given)) = (own.dimension(), given)
            && own != given
        {
            let name = &parameter.name;
            let text = format!("the parameter `{name}` is a quantity in {own}, but this is one in {given}");
            let at = place.place(&(0..parameter.span.len()));
            self.report(Message::error(Some(at), text).help(format!("give it in {own}")));
            return DimensionState::Known(own);
        }
        given
    }

    /// The value of a parameter with its unit.
    fn evaluate_one(&mut self, parameter: &Declared) -> Option<(f64, String)> {
        if self.session.is_full() {
            return None;
        }
        let place = Text {
            source: &parameter.source,
            start: parameter.start,
            span: parameter.span.clone(),
        };
        let (value, dimension) = match &parameter.given {
            Given::Number(value, dimension) => (*value, *dimension),
            Given::Text(text) => match bound(&self.names.constants, text, &place, "") {
                Ok(expression) => (expression.value()?, expression.dimension()),
                Err(messages) => {
                    messages.into_iter().for_each(|message| self.report(message));
                    // Known by name, so that its users do not complain as well.
                    self.names
                        .constants
                        .set_constant(&parameter.name, 1.0, DimensionState::Any);
                    return None;
                }
            },
        };
        let dimension = self.check_quantity(parameter, dimension, &place);
        if !value.is_finite() {
            let text = format!(
                "the parameter `{}` is {value}, not a finite number",
                parameter.name
            );
            let message = Message::error(Some(place.place(&(0..parameter.span.len()))), text);
            self.report(message);
            self.names
                .constants
                .set_constant(&parameter.name, 1.0, DimensionState::Any);
            return None;
        }
        if self.declare_name("parameter", &parameter.name, &parameter.head) {
            self.names
                .constants
                .set_constant(&parameter.name, value, dimension);
        }
        let unit = dimension
            .known()
            .filter(|d| !d.is_none())
            .map_or(String::new(), Dimension::unit);
        Some((value, unit))
    }

    /// Adds a note for every parameter that is not used.
    pub(super) fn unused_parameters(&mut self, value: Option<&Value>) {
        let Some(Kind::Table(table)) = value.map(|value| &value.kind) else {
            return;
        };
        for entry in &table.entries {
            if !self.names.used.contains(&entry.key) {
                let place = self.place(&entry.key_span);
                let text = format!("the parameter `{}` is not used", shortened(&entry.key));
                let help = "remove it, or use its name where the value is needed";
                self.report(Message::note(Some(place), text).help(help));
            }
        }
    }
}

/// A ring of parameters that need each other, from one that could not be evaluated.
fn ring(first: usize, needs: &[Vec<usize>], done: &[bool]) -> Vec<usize> {
    let mut path = vec![first];
    let mut place = HashMap::from([(first, 0)]);
    loop {
        let last = path[path.len() - 1];
        let Some(&next) = needs[last].iter().find(|i| !done[**i]) else {
            return path;
        };
        if let Some(at) = place.insert(next, path.len()) {
            path.drain(..at);
            path.push(next);
            return path;
        }
        path.push(next);
    }
}
