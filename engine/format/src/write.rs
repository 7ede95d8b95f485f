//! From a [`ModelFile`] to a TOML text that reads back as the same.
//!
//! Numbers are written with the shortest digits that give them back to the bit; what has its
//! default value is left out. Expressions come out with the values of parameters in them.

use crate::model_file::ModelFile;
use crate::read::VERSION;
use crate::read::syntax::HINTS;
use crate::settings::{SETTINGS, SettingValue};
use core::fmt::Write;
use holonom_algebra::Mat3;
use holonom_expression::Expression;
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
use holonom_multibody::Signal;
use holonom_multibody::description::fields::{Field, Fields, Need, diagonal};
use holonom_multibody::description::{
    Body, Coordinate, CoordinateMotion, CoordinateRef, Description, Document, Frame, Hold, Joint, Marker,
    Path, Road, Rod, Shape, StartHint, Track,
};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Something that a file cannot say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{thing} cannot be written to a model file: {reason}")]
pub struct WriteError {
    /// The thing in words.
    pub thing: String,
    /// Why.
    pub reason: String,
}

/// Writes a model file.
///
/// # Errors
/// When something in it has no form in a file, such as a user's function.
pub fn write(file: &ModelFile) -> Result<String, WriteError> {
    let mut writer = Writer {
        description: &file.description,
        tables: BTreeMap::new(),
        fault: None,
        thing: String::new(),
    };
    let body = writer.body(file);
    if let Some(fault) = writer.fault {
        return Err(fault);
    }
    let mut text = header(file);
    for curve in writer.tables.values() {
        text += &table(curve);
    }
    text += &body;
    Ok(text)
}

fn header(file: &ModelFile) -> String {
    let d = &file.description;
    let mut text = format!("[model]\nformat = {VERSION}\nname = {}\n", quoted(&d.name));
    for (key, value) in [("description", &file.about), ("source", &file.source)] {
        if !value.is_empty() {
            let _ = writeln!(text, "{key} = {}", quoted(value));
        }
    }
    if d.gravity != Description::new("").gravity {
        let _ = writeln!(text, "gravity = {}", list(d.gravity.iter().map(|x| number(*x))));
    }
    text
}

fn table(curve: &Curve) -> String {
    let interpolation = match curve.interpolation() {
        Interpolation::Linear => "linear",
        Interpolation::Spline => "spline",
        Interpolation::Monotone => "monotone",
    };
    let extrapolation = match curve.extrapolation() {
        Extrapolation::Hold => "hold",
        Extrapolation::Linear => "linear",
        Extrapolation::Refuse => "refuse",
    };
    format!(
        "\n[[table]]\nname = {}\nx = {}\ny = {}\ninterpolation = \"{interpolation}\"\nextrapolation = \"{extrapolation}\"\n",
        quoted(curve.name()),
        list(curve.x().iter().map(|x| number(*x))),
        list(curve.y().iter().map(|y| number(*y))),
    )
}

struct Writer<'a> {
    description: &'a Description,
    /// Tables that expressions use, by name.
    tables: BTreeMap<String, Arc<Curve>>,
    fault: Option<WriteError>,
    /// What is being written, in words.
    thing: String,
}

impl Writer<'_> {
    fn refuse(&mut self, reason: impl Into<String>) {
        if self.fault.is_none() {
            self.fault = Some(WriteError {
                thing: self.thing.clone(),
                reason: reason.into(),
            });
        }
    }

    fn body(&mut self, file: &ModelFile) -> String {
        let d = self.description;
        let mut text = String::new();
        for input in &file.inputs {
            self.thing = format!("input \"{}\"", input.name);
            let _ = write!(text, "\n[[input]]\nname = {}\n", quoted(&input.name));
            if !input.unit.is_empty() {
                let _ = writeln!(text, "unit = {}", quoted(&input.unit));
            }
            let _ = writeln!(text, "expression = {}", self.signal(&input.signal));
        }
        if !d.ground.is_empty() {
            self.thing = "the ground".to_string();
            let _ = write!(text, "\n[ground]\nmarkers = {}\n", self.markers(&d.ground));
        }
        for body in &d.bodies {
            self.thing = format!("body \"{}\"", body.name);
            let template = |v: &mut dyn Fields| Body::new("", 0.0).fields(v);
            let fields = self.fields(template, |v| body.clone().fields(v));
            let _ = write!(text, "\n[[body]]\nname = {}\n{fields}", quoted(&body.name));
            if !body.markers.is_empty() {
                let _ = writeln!(text, "markers = {}", self.markers(&body.markers));
            }
        }
        for joint in &d.joints {
            text += &self.joint(joint);
        }
        for constraint in &d.constraints {
            self.thing = format!("constraint \"{}\"", constraint.name);
            let info = constraint.kind.info();
            let template = |v: &mut dyn Fields| (info.template)().fields(v);
            let fields = self.fields(template, |v| constraint.kind.clone().fields(v));
            let name = quoted(&constraint.name);
            let _ = write!(
                text,
                "\n[[constraint]]\nname = {name}\nkind = \"{}\"\n{fields}",
                info.name
            );
        }
        for rod in &d.rods {
            self.thing = format!("rod \"{}\"", rod.name);
            let template = |v: &mut dyn Fields| Rod::new("", "", "", 0.0).fields(v);
            let fields = self.fields(template, |v| rod.clone().fields(v));
            let _ = write!(text, "\n[[rod]]\nname = {}\n{fields}", quoted(&rod.name));
        }
        for hint in &d.hints {
            self.thing = format!("start hint for \"{}\"", hint.to);
            let template = |v: &mut dyn Fields| StartHint::new("").fields(v);
            let fields = self.fields(template, |v| hint.clone().fields(v));
            let _ = write!(text, "\n[[start]]\n{fields}");
            let mut vector = |key: &str, x: &[f64]| {
                let numbers: Vec<String> = x.iter().map(|x| self.number(*x)).collect();
                format!("{key} = {}\n", list(numbers))
            };
            for (key, value) in [
                ("position", hint.position),
                ("velocity", hint.velocity),
                ("angular_velocity", hint.angular_velocity),
            ] {
                text += &value.map_or(String::new(), |value| vector(key, &value));
            }
            if let Some(rotation) = &hint.orientation {
                let rows = rotation.0.iter().map(|row| {
                    let numbers: Vec<String> = row.iter().map(|x| self.number(*x)).collect();
                    list(numbers)
                });
                let rows: Vec<String> = rows.collect();
                let _ = writeln!(text, "matrix = {}", list(rows));
            }
        }
        for (number, shape) in d.shapes.iter().enumerate() {
            self.thing = d.shape_place(number).to_string();
            text += &self.shape(shape);
        }
        for road in &d.roads {
            self.thing = format!("road \"{}\"", road.name);
            let info = road.kind.info();
            let template = |v: &mut dyn Fields| Road::new("", (info.template)()).fields(v);
            let fields = self.fields(template, |v| road.clone().fields(v));
            let (name, kind) = (quoted(&road.name), info.name);
            let _ = write!(text, "\n[[road]]\nname = {name}\nkind = \"{kind}\"\n{fields}");
        }
        for track in &d.tracks {
            self.thing = format!("track \"{}\"", track.name);
            let template = |v: &mut dyn Fields| Track::new("", "").fields(v);
            let fields = self.fields(template, |v| track.clone().fields(v));
            let _ = write!(text, "\n[[track]]\nname = {}\n{fields}", quoted(&track.name));
        }
        for path in &d.paths {
            self.thing = format!("path \"{}\"", path.name);
            let info = path.kind.info();
            let template = |v: &mut dyn Fields| Path::new("", (info.template)()).fields(v);
            let fields = self.fields(template, |v| path.clone().fields(v));
            let (name, kind) = (quoted(&path.name), info.name);
            let _ = write!(text, "\n[[path]]\nname = {name}\nkind = \"{kind}\"\n{fields}");
        }
        for force in &d.forces {
            self.thing = format!("force \"{}\"", force.name);
            let info = force.kind.info();
            if !info.in_files {
                self.refuse("it is a function in a program; write it as a force of kind \"expression\"");
            }
            let template = |v: &mut dyn Fields| (info.template)().fields(v);
            let fields = self.fields(template, |v| force.kind.clone().fields(v));
            let name = quoted(&force.name);
            let _ = write!(
                text,
                "\n[[force]]\nname = {name}\nkind = \"{}\"\n{fields}",
                info.name
            );
        }
        for control in &d.controls {
            self.thing = format!("control \"{}\"", control.name);
            let info = control.kind.info();
            let template = |v: &mut dyn Fields| (info.template)().fields(v);
            let fields = self.fields(template, |v| control.kind.clone().fields(v));
            let name = quoted(&control.name);
            let _ = write!(
                text,
                "\n[[control]]\nname = {name}\nkind = \"{}\"\n{fields}",
                info.name
            );
        }
        if !file.outputs.is_empty() {
            let patterns = list(file.outputs.iter().map(|pattern| quoted(pattern)));
            let _ = write!(text, "\n[[output]]\nchannels = {patterns}\n");
        }
        text + &self.settings(file)
    }

    fn settings(&mut self, file: &ModelFile) -> String {
        self.thing = "[simulation]".to_string();
        let mut text = String::new();
        for info in SETTINGS.iter() {
            let value = match file.settings.get(info.name) {
                None => continue,
                Some(SettingValue::Number(x)) => self.number(x),
                Some(SettingValue::Count(n)) => n.to_string(),
                Some(SettingValue::Flag(flag)) => flag.to_string(),
                Some(SettingValue::Name(name)) => quoted(&name),
                Some(SettingValue::Names(names)) => list(names.iter().map(|name| quoted(name))),
            };
            let _ = writeln!(text, "{} = {value}", info.name);
        }
        if text.is_empty() {
            text
        } else {
            format!("\n[simulation]\n{text}")
        }
    }

    /// The fields that are required or differ from those of the template.
    fn fields(
        &mut self,
        template: impl FnOnce(&mut dyn Fields),
        show: impl FnOnce(&mut dyn Fields),
    ) -> String {
        let mut usual = FieldWriter {
            writer: self,
            fields: Vec::new(),
        };
        template(&mut usual);
        let usual = usual.fields;
        let mut actual = FieldWriter {
            writer: self,
            fields: Vec::new(),
        };
        show(&mut actual);
        let mut text = String::new();
        for entry in actual.fields {
            if entry.0 == Need::Required || !usual.contains(&entry) {
                // Texts are quoted: these are numbers.
                if ["inf", "-inf", "NaN"].contains(&entry.2.as_str()) {
                    self.refuse(format!("{} is not a finite number", entry.2));
                }
                let _ = writeln!(text, "{} = {}", entry.1, entry.2);
            }
        }
        text
    }

    fn joint(&mut self, joint: &Joint) -> String {
        self.thing = format!("joint \"{}\"", joint.name);
        let info = joint.kind.info();
        let usual = Joint::new("", joint.kind, "", "");
        let template = usual.clone();
        let fields = self.fields(|v| template.clone().fields(v), |v| joint.clone().fields(v));
        let name = quoted(&joint.name);
        let mut text = format!("\n[[joint]]\nname = {name}\nkind = \"{}\"\n{fields}", info.name);
        for (index, coordinate) in joint.coordinates.iter().enumerate() {
            let Some(known) = info.coordinates.get(index) else {
                self.refuse(format!(
                    "a {} joint has {} coordinates",
                    info.name,
                    info.coordinates.len()
                ));
                break;
            };
            if let Some(value) = self.coordinate(coordinate) {
                let _ = writeln!(text, "{} = {value}", known.name);
            }
        }
        let numbers = |x: &[f64]| list(x.iter().map(|x| number(*x)));
        if joint.orientation != usual.orientation || joint.orientation_hold != Hold::Free {
            let _ = writeln!(text, "orientation = {}", numbers(&joint.orientation));
        }
        if joint.angular_velocity != usual.angular_velocity || joint.angular_velocity_hold != Hold::Free {
            let _ = writeln!(text, "angular_velocity = {}", numbers(&joint.angular_velocity));
        }
        for (key, hold) in [
            ("orientation_fixed", joint.orientation_hold),
            ("angular_velocity_fixed", joint.angular_velocity_hold),
        ] {
            if hold == Hold::Fixed {
                let _ = writeln!(text, "{key} = true");
            }
        }
        if joint.orientation_locked {
            text += "orientation_locked = true\n";
        }
        if joint.hint != usual.hint
            && let Some((name, _)) = HINTS.iter().find(|(_, hint)| *hint == joint.hint)
        {
            let _ = writeln!(text, "hint = \"{name}\"");
        }
        text
    }

    /// None for a coordinate that says nothing.
    fn coordinate(&mut self, coordinate: &Coordinate) -> Option<String> {
        let mut parts = Vec::new();
        if coordinate.position != 0.0 || coordinate.position_hold != Hold::Free {
            parts.push(format!("start = {}", self.number(coordinate.position)));
        }
        if coordinate.velocity != 0.0 || coordinate.velocity_hold != Hold::Free {
            parts.push(format!("velocity = {}", self.number(coordinate.velocity)));
        }
        let holds = [
            ("start", coordinate.position_hold),
            ("velocity", coordinate.velocity_hold),
        ];
        let fixed = holds.into_iter().filter(|(_, hold)| *hold == Hold::Fixed);
        let fixed: Vec<String> = fixed.map(|(key, _)| quoted(key)).collect();
        if !fixed.is_empty() {
            parts.push(format!("fixed = {}", list(fixed)));
        }
        match &coordinate.motion {
            CoordinateMotion::Free => {}
            CoordinateMotion::Locked => parts.push("locked = true".to_string()),
            CoordinateMotion::Prescribed(signal) => {
                if !parts.is_empty() {
                    self.refuse("a prescribed coordinate has no start values of its own");
                }
                parts.push(format!("follows = {}", self.signal(signal)));
            }
        }
        (!parts.is_empty()).then(|| format!("{{ {} }}", parts.join(", ")))
    }

    fn markers(&mut self, markers: &[Marker]) -> String {
        let mut parts = Vec::with_capacity(markers.len());
        let mut names = HashSet::new();
        for marker in markers {
            if !names.insert(marker.name.as_str()) {
                self.refuse(format!("it has two markers with the name \"{}\"", marker.name));
            }
            parts.push(format!("{} = {}", key(&marker.name), self.frame(&marker.frame)));
        }
        format!("{{ {} }}", parts.join(", "))
    }

    fn frame(&mut self, frame: &Frame) -> String {
        let mut row = |row: &[f64]| {
            let numbers: Vec<String> = row.iter().map(|x| self.number(*x)).collect();
            list(numbers)
        };
        let position = row(&frame.position.0);
        let identity = holonom_algebra::Mat3::<f64>::identity();
        if frame.rotation == identity {
            return position;
        }
        let matrix = list(frame.rotation.0.iter().map(|r| row(r)).collect::<Vec<_>>());
        format!("{{ position = {position}, matrix = {matrix} }}")
    }

    fn number(&mut self, x: f64) -> String {
        if !x.is_finite() {
            self.refuse(format!("{x} is not a finite number"));
        }
        number(x)
    }

    fn signal(&mut self, signal: &Signal) -> String {
        if let Signal::Polynomial(c) = signal
            && let [value] = c.as_slice()
        {
            return self.number(*value);
        }
        for curve in signal.tables() {
            self.table(curve.clone());
        }
        match signal.to_expression_text() {
            Some(text) => quoted(&text),
            None => {
                self.refuse("it follows a function in a program; write it as an expression of t");
                String::new()
            }
        }
    }

    fn expression(&mut self, expression: &Expression) -> String {
        for curve in expression.tables() {
            self.table(curve.clone());
        }
        quoted(&expression.to_string())
    }

    fn table(&mut self, curve: Arc<Curve>) {
        let known = self
            .tables
            .entry(curve.name().to_string())
            .or_insert_with(|| curve.clone());
        if **known != *curve {
            let reason = format!("it uses two tables with the name \"{}\"", curve.name());
            self.refuse(reason);
        }
    }

    fn shape(&mut self, shape: &Shape) -> String {
        let info = shape.kind.info();
        let template = |v: &mut dyn Fields| Shape::new("", (info.template)()).fields(v);
        let fields = self.fields(template, |v| shape.clone().fields(v));
        let mut text = format!("\n[[shape]]\nkind = \"{}\"\n{fields}", info.name);
        if shape.frame.position.0 != [0.0; 3] {
            let position = list(shape.frame.position.0.map(|x| self.number(x)));
            let _ = writeln!(text, "position = {position}");
        }
        if shape.frame.rotation != Mat3::identity() {
            let rows = shape
                .frame
                .rotation
                .0
                .map(|row| list(row.map(|x| self.number(x))));
            let _ = writeln!(text, "matrix = {}", list(rows));
        }
        text
    }

    fn reference(&mut self, coordinate: &CoordinateRef) -> String {
        let joint = self
            .description
            .joints
            .iter()
            .find(|j| j.name == coordinate.joint);
        let Some(joint) = joint else {
            self.refuse(format!("there is no joint \"{}\"", coordinate.joint));
            return String::new();
        };
        let coordinates = joint.kind.info().coordinates;
        match coordinates.get(coordinate.index) {
            Some(_) if coordinates.len() == 1 => joint.name.clone(),
            Some(known) => format!("{}.{}", joint.name, known.name),
            None => {
                self.refuse(format!(
                    "joint \"{}\" has no coordinate {}",
                    joint.name, coordinate.index
                ));
                String::new()
            }
        }
    }
}

/// Notes fields as texts.
struct FieldWriter<'w, 'a> {
    writer: &'w mut Writer<'a>,
    fields: Vec<(Need, &'static str, String)>,
}

impl FieldWriter<'_, '_> {
    fn add(&mut self, field: &Field, text: String) {
        self.fields.push((field.need, field.name, text));
    }
}

impl Fields for FieldWriter<'_, '_> {
    fn number(&mut self, field: &Field, value: &mut f64) {
        // Infinite where the template is, as a limit that is not given.
        self.add(field, number(*value));
    }

    fn vector(&mut self, field: &Field, value: &mut [f64; 3]) {
        let text = list(value.map(|x| self.writer.number(x)));
        self.add(field, text);
    }

    fn numbers(&mut self, field: &Field, value: &mut Vec<f64>) {
        let numbers: Vec<String> = value.iter().map(|x| self.writer.number(*x)).collect();
        self.add(field, list(numbers));
    }

    fn channel(&mut self, field: &Field, value: &mut String) {
        self.add(field, quoted(value));
    }

    fn symmetric(&mut self, field: &Field, value: &mut [f64; 6]) {
        let shown = if value[3..] == [0.0; 3] { 3 } else { 6 };
        let numbers: Vec<String> = value[..shown].iter().map(|x| self.writer.number(*x)).collect();
        self.add(field, list(numbers));
    }

    fn signal(&mut self, field: &Field, value: &mut Signal) {
        let text = self.writer.signal(value);
        self.add(field, text);
    }

    fn signals(&mut self, field: &Field, value: &mut [Signal; 3]) {
        let texts: Vec<String> = value.iter().map(|s| self.writer.signal(s)).collect();
        self.add(field, list(texts));
    }

    fn expressions(&mut self, field: &Field, _: &[&'static str], value: &mut [Expression; 3]) {
        let texts: Vec<String> = value.iter().map(|e| self.writer.expression(e)).collect();
        self.add(field, list(texts));
    }

    fn expression(&mut self, field: &Field, _: &[&'static str], value: &mut Expression) {
        let text = self.writer.expression(value);
        self.add(field, text);
    }

    fn matrix(&mut self, field: &Field, value: &mut [[f64; 6]; 6]) {
        let mut row = |row: &[f64; 6]| list(row.map(|x| self.writer.number(x)));
        let text = match diagonal(value) {
            Some(diagonal) => row(&diagonal),
            None => list(value.iter().map(row)),
        };
        self.add(field, text);
    }

    fn frame(&mut self, field: &Field, value: &mut String) {
        self.add(field, quoted(value));
    }

    fn frames(&mut self, field: &Field, value: &mut Vec<String>) {
        self.add(field, list(value.iter().map(|frame| quoted(frame))));
    }

    fn coordinate(&mut self, field: &Field, value: &mut CoordinateRef) {
        // A template refers to nothing.
        let text = if value.joint.is_empty() {
            String::new()
        } else {
            self.writer.reference(value)
        };
        self.add(field, quoted(&text));
    }

    fn terms(&mut self, field: &Field, value: &mut Vec<(CoordinateRef, f64)>) {
        let mut parts = Vec::with_capacity(value.len());
        let mut names = HashSet::new();
        for (coordinate, factor) in value {
            let name = self.writer.reference(coordinate);
            if !names.insert(name.clone()) {
                self.writer
                    .refuse(format!("the coordinate \"{name}\" appears twice in it"));
            }
            parts.push(format!("{} = {}", key(&name), self.writer.number(*factor)));
        }
        self.add(field, format!("{{ {} }}", parts.join(", ")));
    }

    fn flag(&mut self, field: &Field, value: &mut bool) {
        self.add(field, value.to_string());
    }

    fn choice(&mut self, field: &Field, names: &[&'static str], value: &mut usize) {
        self.add(field, quoted(names.get(*value).copied().unwrap_or_default()));
    }

    fn road(&mut self, field: &Field, value: &mut String) {
        self.add(field, quoted(value));
    }

    fn path(&mut self, field: &Field, value: &mut String) {
        self.add(field, quoted(value));
    }

    fn constraint(&mut self, field: &Field, value: &mut String) {
        self.add(field, quoted(value));
    }

    fn text(&mut self, field: &Field, value: &mut String) {
        self.add(field, quoted(value));
    }

    fn points(&mut self, field: &Field, value: &mut Vec<[f64; 3]>) {
        let points: Vec<String> = value
            .iter()
            .map(|point| list(point.map(|x| self.writer.number(x))))
            .collect();
        self.add(field, list(points));
    }

    fn document(&mut self, field: &Field, value: &mut Document) {
        // A written model stands alone: the text comes along.
        self.add(field, format!("{{ text = {} }}", quoted(&value.text)));
    }
}

/// The shortest digits that give the number back, as TOML wants them.
fn number(x: f64) -> String {
    format!("{x:?}")
}

fn list(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    format!("[{}]", parts.join(", "))
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A TOML key, bare where that is allowed.
fn key(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !text.is_empty() && text.chars().all(bare) {
        text.to_string()
    } else {
        quoted(text)
    }
}
