//! A table read field by field: [`Fields`] that fills.

use super::expressions::dimension;
use super::{Reader, shortened};
use crate::message::Message;
use crate::tree::{Kind, Table, Value};
use core::ops::Range;
use holonom_expression::Expression;
use holonom_multibody::Signal;
use holonom_multibody::description::fields::{Field, Fields, Need};
use holonom_multibody::description::{CoordinateRef, Document};
use holonom_multibody::diagnostic::ThingKind;

/// Reads the fields of one thing; [`TableReader::finish`] reports what is left over.
pub(super) struct TableReader<'t, 'a, 's, 'f> {
    pub reader: &'a mut Reader<'s, 'f>,
    pub table: &'t Table,
    /// The thing in words, such as `joint "knee"`.
    pub thing: String,
    /// The thing is one of several: its name tells where it is.
    named: bool,
    known: Vec<String>,
    /// Units of the coordinates it refers to, rad or m.
    coordinates: Vec<&'static str>,
}

/// Between the units of a field that depend on the coordinate: that of an angle goes first.
const OR: &str = " or ";

impl<'t, 'a, 's, 'f> TableReader<'t, 'a, 's, 'f> {
    pub fn new(reader: &'a mut Reader<'s, 'f>, table: &'t Table, thing: impl Into<String>) -> Self {
        Self {
            reader,
            table,
            thing: thing.into(),
            named: false,
            known: Vec::new(),
            coordinates: Vec::new(),
        }
    }

    /// Reads the name, which stands in all messages from then on, and remembers the place.
    pub fn name(&mut self, kind: ThingKind) -> String {
        self.named = true;
        let (name, span) = match self.required("name", "its name") {
            Some(value) => (
                self.reader.text(value).unwrap_or("").to_string(),
                value.span.clone(),
            ),
            None => (String::new(), self.table.span.clone()),
        };
        self.thing = kind.named(shortened(&name)).to_string();
        self.reader.subject.clone_from(&self.thing);
        self.reader.kind = Some(kind);
        self.reader.remember(kind.named(&name), Some(self.table), &span);
        name
    }

    /// A value that may be there.
    pub fn optional(&mut self, key: &str) -> Option<&'t Value> {
        self.known.push(key.to_string());
        self.table.get(key)
    }

    /// A value that must be there.
    pub fn required(&mut self, key: &str, about: &str) -> Option<&'t Value> {
        let value = self.optional(key);
        if value.is_none() {
            let text = format!("{} needs `{key}`", self.thing);
            self.reader
                .error_with_help(&self.head(), text, format!("add `{key}`: {about}"));
        }
        value
    }

    /// Where the thing begins.
    pub fn head(&self) -> Range<usize> {
        match self.table.get("name") {
            Some(name) if self.named => name.span.clone(),
            _ => self.table.span.clone(),
        }
    }

    /// Reports what was not asked for.
    pub fn finish(self) {
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        self.reader.unknown_keys(self.table, &self.thing, &known);
    }

    fn field(&mut self, field: &Field) -> Option<&'t Value> {
        match field.need {
            Need::Default => self.optional(field.name),
            Need::Required => {
                let doc = field.doc.trim_end_matches('.');
                let about = match field.unit {
                    "" => doc.to_string(),
                    unit => format!("{doc} [{unit}]"),
                };
                self.required(field.name, &about)
            }
        }
    }

    /// The unit of a field: of those that depend on the coordinate the one for the coordinate it
    /// refers to, all of them where that is not known.
    fn unit_of(&self, field: &Field) -> &'static str {
        let unit = field.unit;
        let Some((angle, displacement)) = unit.split_once(OR) else {
            return unit;
        };
        let mut units = self.coordinates.iter();
        match units.next() {
            Some(first) if units.all(|unit| unit == first) => match *first {
                "rad" => angle,
                _ => displacement,
            },
            _ => unit,
        }
    }

    /// A number in one of several units.
    fn of_units(&mut self, value: &Value, units: &str) -> f64 {
        let one = match self.reader.dimension_of(value) {
            Some(found) => {
                let mut all = units.split(OR);
                let fits = all.find(|unit| dimension(unit) == Some(found));
                fits.or(units.split(OR).next()).unwrap_or("")
            }
            None => "",
        };
        self.reader.number(value, one)
    }

    fn number_in(&mut self, value: &Value, unit: &str) -> f64 {
        if unit.contains(OR) {
            self.of_units(value, unit)
        } else {
            self.reader.number(value, unit)
        }
    }

    /// Negative stiffness and damping are possible, and mostly a slip.
    fn remark_on_sign(&mut self, field: &Field, value: &Value, number: f64) {
        let effect = match field.name {
            "damping" | "viscous" | "dissipation" => "adds energy to the motion",
            "stiffness" => "pushes away from rest",
            _ => return,
        };
        if number < 0.0 {
            let text = self.reader.about(format!("a negative `{}` {effect}", field.name));
            let place = self.reader.place(&value.span);
            let message =
                Message::note(Some(place), text).help("change the sign, unless this is what the part does");
            self.reader.report(message);
        }
    }

    /// Three of something.
    fn three<'v>(&mut self, value: &'v Value, what: &str) -> Option<&'v [Value]> {
        let list = self.reader.list(value)?;
        if list.len() == 3 {
            return Some(list);
        }
        let text = self
            .reader
            .about(format!("3 {what} are expected here, not {}", list.len()));
        self.reader.error(&value.span, text);
        None
    }
}

impl Fields for TableReader<'_, '_, '_, '_> {
    fn number(&mut self, field: &Field, out: &mut f64) {
        if let Some(value) = self.field(field) {
            *out = self.number_in(value, self.unit_of(field));
            self.remark_on_sign(field, value, *out);
        }
    }

    fn vector(&mut self, field: &Field, out: &mut [f64; 3]) {
        if let Some(value) = self.field(field)
            && let Some(list) = self.three(value, "numbers")
        {
            for (out, value) in out.iter_mut().zip(list) {
                *out = self.reader.number(value, field.unit);
            }
        }
    }

    fn numbers(&mut self, field: &Field, out: &mut Vec<f64>) {
        if let Some(value) = self.field(field)
            && let Some(list) = self.reader.many(value, field.unit)
        {
            *out = list;
        }
    }

    fn channel(&mut self, field: &Field, out: &mut String) {
        self.frame(field, out);
    }

    fn symmetric(&mut self, field: &Field, out: &mut [f64; 6]) {
        let Some(value) = self.field(field) else { return };
        let Some(list) = self.reader.list(value) else {
            return;
        };
        if ![3, 6].contains(&list.len()) {
            let text = self.reader.about(format!(
                "3 numbers (xx, yy, zz) or 6 (xx, yy, zz, xy, yz, zx) are expected here, not {}",
                list.len()
            ));
            self.reader.error(&value.span, text);
            return;
        }
        *out = [0.0; 6];
        for (out, value) in out.iter_mut().zip(list) {
            *out = self.reader.number(value, field.unit);
        }
    }

    fn signal(&mut self, field: &Field, out: &mut Signal) {
        if let Some(value) = self.field(field) {
            *out = self.reader.signal(value, self.unit_of(field));
        }
    }

    fn motion(&mut self, field: &Field, out: &mut Signal) {
        if let Some(value) = self.field(field) {
            *out = self.reader.motion(value, self.unit_of(field));
        }
    }

    fn velocity(&mut self, field: &Field, out: &mut Signal) {
        if let Some(value) = self.field(field) {
            *out = self.reader.velocity(value, self.unit_of(field));
        }
    }

    fn signals(&mut self, field: &Field, out: &mut [Signal; 3]) {
        if let Some(value) = self.field(field)
            && let Some(list) = self.three(value, "numbers or expressions")
        {
            for (out, value) in out.iter_mut().zip(list) {
                *out = self.reader.signal(value, field.unit);
            }
        }
    }

    fn expressions(&mut self, field: &Field, variables: &[&'static str], out: &mut [Expression; 3]) {
        if let Some(value) = self.field(field)
            && let Some(law) = self.reader.laws(value, field.unit, variables)
        {
            // A law that says what an absent one means is not written: the same model without it.
            let same = law
                .iter()
                .zip(out.iter())
                .all(|(a, b)| a.to_string() == b.to_string());
            if !same {
                *out = law;
            }
        }
    }

    fn expression(&mut self, field: &Field, variables: &[&'static str], out: &mut Expression) {
        if let Some(value) = self.field(field)
            && let Some(law) = self.reader.law(value, self.unit_of(field), variables)
            && law.to_string() != out.to_string()
        {
            *out = law;
        }
    }

    fn matrix(&mut self, field: &Field, out: &mut [[f64; 6]; 6]) {
        let Some(value) = self.field(field) else { return };
        let Some(list) = self.reader.list(value) else {
            return;
        };
        if list.len() != 6 {
            let text = self.reader.about(format!(
                "6 numbers (the diagonal) or 6 rows of 6 are expected here, not {}",
                list.len()
            ));
            self.reader.error(&value.span, text);
            return;
        }
        *out = [[0.0; 6]; 6];
        // Displacements, then rotations, and what couples them.
        let units: Vec<&'static str> = field.unit.split(OR).collect();
        let unit = |i: usize, j: usize| {
            let which = match (i < 3, j < 3) {
                (true, true) => 0,
                (false, false) => 1,
                _ => 2,
            };
            units.get(which).copied().unwrap_or("")
        };
        let rows = list.iter().any(|item| matches!(item.kind, Kind::List(_)));
        for (k, item) in list.iter().enumerate() {
            if !rows {
                out[k][k] = self.reader.number(item, unit(k, k));
                continue;
            }
            let Some(row) = self.reader.list(item) else {
                return;
            };
            if row.len() != 6 {
                let text = self
                    .reader
                    .about(format!("6 numbers are expected in each row, not {}", row.len()));
                self.reader.error(&item.span, text);
                return;
            }
            for (j, (out, item)) in out[k].iter_mut().zip(row).enumerate() {
                *out = self.reader.number(item, unit(k, j));
            }
        }
    }

    fn frame(&mut self, field: &Field, out: &mut String) {
        if let Some(value) = self.field(field)
            && let Some(text) = self.reader.text(value)
        {
            *out = text.to_string();
        }
    }

    fn frames(&mut self, field: &Field, out: &mut Vec<String>) {
        if let Some(value) = self.field(field)
            && let Some(list) = self.reader.list(value)
        {
            let frames = list.iter().filter_map(|item| self.reader.text(item));
            *out = frames.map(String::from).collect();
        }
    }

    fn coordinate(&mut self, field: &Field, out: &mut CoordinateRef) {
        if let Some(value) = self.field(field)
            && let Some(text) = self.reader.text(value)
        {
            *out = self.reader.coordinate(text, &value.span);
            self.coordinates.extend(self.reader.coordinate_unit(out));
        }
    }

    fn terms(&mut self, field: &Field, out: &mut Vec<(CoordinateRef, f64)>) {
        let Some(value) = self.field(field) else { return };
        let Kind::Table(table) = &value.kind else {
            self.reader
                .expected("a table such as { wheel = 2, \"shaft.angle\" = -1 }", value);
            return;
        };
        for entry in &table.entries {
            let coordinate = self.reader.coordinate(&entry.key, &entry.key_span);
            // Its unit depends on the coordinates: m/rad for a rack.
            out.push((coordinate, self.reader.any_number(&entry.value)));
        }
    }

    fn flag(&mut self, field: &Field, out: &mut bool) {
        if let Some(value) = self.field(field)
            && let Some(flag) = self.reader.flag(value)
        {
            *out = flag;
        }
    }

    fn choice(&mut self, field: &Field, names: &[&'static str], out: &mut usize) {
        if let Some(value) = self.field(field)
            && let Some(index) = self.reader.choice(value, field.name, names)
        {
            *out = index;
        }
    }

    fn road(&mut self, field: &Field, out: &mut String) {
        if let Some(value) = self.field(field)
            && let Some(text) = self.reader.text(value)
        {
            *out = text.to_string();
        }
    }

    fn path(&mut self, field: &Field, out: &mut String) {
        self.road(field, out);
    }

    fn constraint(&mut self, field: &Field, out: &mut String) {
        self.road(field, out);
    }

    fn text(&mut self, field: &Field, out: &mut String) {
        self.road(field, out);
    }

    fn points(&mut self, field: &Field, out: &mut Vec<[f64; 3]>) {
        if let Some(value) = self.field(field)
            && let Some(list) = self.reader.list(value)
        {
            let unit = field.unit;
            let points = list.iter().filter_map(|point| self.reader.numbers(point, unit));
            *out = points.collect();
        }
    }

    fn document(&mut self, field: &Field, out: &mut Document) {
        if let Some(value) = self.field(field)
            && let Some(document) = self.reader.document(value)
        {
            *out = document;
        }
    }
}
