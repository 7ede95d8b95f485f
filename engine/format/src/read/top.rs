//! The tables of a model file.

use super::parameters::Override;
use super::table_reader::TableReader;
use super::{MAX_ELEMENTS, Reader, VERSION};
use crate::message::Message;
use crate::model_file::Input;
use crate::settings::{SETTINGS, SettingKind, SettingValue};
use crate::tree::{Kind, Table, Value};
use holonom_expression::{DimensionState, Expression, Scope};
use holonom_multibody::Signal;
use holonom_multibody::description::{
    Constraint, Control, Force, ForceKind, Path, Road, Rod, StartHint, Track,
};
use holonom_multibody::diagnostic::ThingKind;
use holonom_multibody::elements::forces::Tyre;
use holonom_multibody::path::PATHS;
use holonom_multibody::road::ROADS;
use holonom_multibody::tyre::tir::TirFile;
use std::sync::Arc;

/// All tables of a model file.
pub(crate) const TABLES: [&str; 19] = [
    "model",
    "parameters",
    "table",
    "include",
    "ground",
    "body",
    "joint",
    "constraint",
    "rod",
    "start",
    "shape",
    "force",
    "road",
    "control",
    "track",
    "path",
    "input",
    "output",
    "simulation",
];

impl Reader<'_, '_> {
    pub(super) fn top(&mut self, root: &Table, overrides: Vec<Override>) {
        self.unknown_keys(root, "a model file", &TABLES);
        self.header(root);
        self.parameters(root.get("parameters"), overrides);
        for table in self.tables(root, "table") {
            self.curve(table);
        }
        for table in self.tables(root, "input") {
            self.input(table);
        }
        self.own_controls(root);
        if let Some(ground) = root.get("ground") {
            self.ground(ground);
        }
        for table in self.tables(root, "body") {
            self.body(table);
        }
        for table in self.tables(root, "joint") {
            self.joint(table);
        }
        let d = &self.model.description;
        self.session.elements += d.bodies.len() + d.joints.len();
        for table in self.tables(root, "include") {
            self.include(table);
        }
        if self.session.elements > MAX_ELEMENTS {
            let text = format!("this is a mechanism of more than {MAX_ELEMENTS} bodies and joints");
            let at = self.model.places.root();
            self.report(Message::error(at, text).help("split it into models that run by themselves"));
            return;
        }
        self.number_joints();
        self.controls_of_parts();
        for table in self.tables(root, "constraint") {
            self.constraint(table);
        }
        for table in self.tables(root, "rod") {
            self.rod(table);
        }
        for table in self.tables(root, "start") {
            self.start_hint(table);
        }
        for table in self.tables(root, "shape") {
            self.shape(table);
        }
        for table in self.tables(root, "road") {
            self.road(table);
        }
        for table in self.tables(root, "track") {
            self.track(table);
        }
        for table in self.tables(root, "path") {
            self.path(table);
        }
        for table in self.tables(root, "force") {
            self.force(table);
        }
        for table in self.tables(root, "control") {
            self.control(table);
        }
        for table in self.tables(root, "output") {
            self.output(table);
        }
        if let Some(simulation) = root.get("simulation") {
            self.simulation(simulation);
        }
        self.unused_parameters(root.get("parameters"));
    }

    fn header(&mut self, root: &Table) {
        let head = root.get("model").map_or(0..0, |value| value.span.clone());
        self.model.places.root = Some(self.place(&head));
        let Some(value) = root.get("model") else {
            let help = format!("begin with\n[model]\nformat = {VERSION}\nname = \"my machine\"");
            self.error_with_help(&(0..0), "the table [model] is missing", help);
            return;
        };
        let Some(table) = self.table(value) else { return };
        self.is_about("[model]");
        let mut fields = TableReader::new(self, table, "[model]");
        let format = fields.required("format", &format!("the version of the format, {VERSION}"));
        let name = fields.required("name", "the name of the mechanism");
        let about = fields.optional("description");
        let source = fields.optional("source");
        let gravity = fields.optional("gravity");
        fields.finish();
        if let Some(format) = format {
            match format.kind {
                Kind::Number(version) if version == VERSION as f64 => {}
                Kind::Number(version) => {
                    let text = format!("format {version} is not known; this program reads format {VERSION}");
                    self.error_with_help(&format.span, text, "use a newer program, or correct the number");
                }
                _ => self.expected("a number", format),
            }
        }
        if let Some(value) = name
            && let Some(name) = self.text(value)
        {
            self.model.places.root = Some(self.place(&value.span));
            self.model.description.name = name.to_string();
        }
        if let Some(about) = about.and_then(|value| self.text(value)) {
            self.model.about = about.trim().to_string();
        }
        if let Some(source) = source.and_then(|value| self.text(value)) {
            self.model.source = source.trim().to_string();
        }
        // Parameters are not known yet: gravity waits.
        self.names.gravity = gravity.cloned();
    }

    fn constraint(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a constraint");
        let name = fields.name(ThingKind::Constraint);
        let infos: Vec<_> = fields.reader.library().constraints().collect();
        let known: Vec<&str> = infos.iter().map(|c| c.name).collect();
        let kind = fields.required("kind", &format!("one of {}", known.join(", ")));
        let kind = kind.and_then(|value| fields.reader.choice(value, "kind of constraint", &known));
        let Some(info) = kind.map(|index| infos[index]) else {
            return;
        };
        let mut kind = (info.template)();
        kind.fields(&mut fields);
        fields.finish();
        self.model
            .description
            .constraints
            .push(Constraint::new(name, kind));
    }

    fn rod(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a rod");
        let name = fields.name(ThingKind::Rod);
        let mut rod = Rod::new(name, "", "", 0.0);
        rod.fields(&mut fields);
        fields.finish();
        self.model.description.rods.push(rod);
    }

    /// A pose near which loops are to close.
    fn start_hint(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a start hint");
        let mut hint = StartHint::new("");
        hint.fields(&mut fields);
        let (position, turn) = fields.frame_fields();
        let velocity = fields.optional("velocity");
        let angular_velocity = fields.optional("angular_velocity");
        fields.finish();
        if position.is_none() && turn.is_none() && velocity.is_none() && angular_velocity.is_none() {
            let text = format!("the start hint for \"{}\" contains no value", hint.to);
            let help = "give a `position`, an orientation, a `velocity` or an `angular_velocity`";
            self.error_with_help(&table.span, text, help);
            return;
        }
        let Some(frame) = self.frame(position, turn) else {
            return;
        };
        hint.position = position.map(|_| frame.position.0);
        hint.orientation = turn.map(|_| frame.rotation);
        hint.velocity = velocity.and_then(|value| self.numbers(value, "m/s"));
        hint.angular_velocity = angular_velocity.and_then(|value| self.numbers(value, "rad/s"));
        let thing = ThingKind::StartHint.named(&hint.to);
        self.remember(thing, Some(table), &table.span);
        self.model.description.hints.push(hint);
    }

    fn road(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a road");
        let name = fields.name(ThingKind::Road);
        let known: Vec<&str> = ROADS.iter().map(|road| road.name).collect();
        let kind = fields.required("kind", &format!("one of {}", known.join(", ")));
        let kind = kind.and_then(|value| fields.reader.choice(value, "kind of road", &known));
        let Some(info) = kind.map(|index| ROADS[index]) else {
            return;
        };
        let mut road = Road::new(name, (info.template)());
        road.fields(&mut fields);
        fields.finish();
        self.model.description.roads.push(road);
    }

    fn track(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a track");
        let name = fields.name(ThingKind::Track);
        let mut track = Track::new(name, "");
        track.fields(&mut fields);
        fields.finish();
        self.model.description.tracks.push(track);
    }

    fn path(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a path");
        let name = fields.name(ThingKind::Path);
        let known: Vec<&str> = PATHS.iter().map(|path| path.name).collect();
        let kind = fields.required("kind", &format!("one of {}", known.join(", ")));
        let kind = kind.and_then(|value| fields.reader.choice(value, "kind of path", &known));
        let Some(info) = kind.map(|index| PATHS[index]) else {
            return;
        };
        let mut path = Path::new(name, (info.template)());
        path.fields(&mut fields);
        fields.finish();
        self.model.description.paths.push(path);
    }

    fn force(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a force");
        let name = fields.name(ThingKind::Force);
        let infos: Vec<_> = fields.reader.library().forces().filter(|f| f.in_files).collect();
        let known: Vec<&str> = infos.iter().map(|f| f.name).collect();
        let kind = fields.required("kind", &format!("one of {}", known.join(", ")));
        let kind = kind.and_then(|value| fields.reader.choice(value, "kind of force", &known));
        let Some(info) = kind.map(|index| infos[index]) else {
            return;
        };
        let mut kind = (info.template)();
        fields.reader.names.controlled = true;
        kind.fields(&mut fields);
        fields.reader.names.controlled = false;
        fields.finish();
        self.tyre_defaults(table, &kind);
        self.model.description.forces.push(Force { name, kind });
    }

    /// Says which keys a tyre property file leaves out; what is wrong with it compiling tells.
    fn tyre_defaults(&mut self, table: &Table, kind: &ForceKind) {
        const MOST: usize = 12;
        let ForceKind::Tyre(Tyre { data, .. }) = kind else {
            return;
        };
        let Some(file) = table.get("file") else { return };
        let Ok(parsed) = TirFile::parse(&data.text) else {
            return;
        };
        let Ok((_, absent)) = parsed.magic_formula() else {
            return;
        };
        let place = self.place(&file.span);
        let unused = parsed.not_used();
        if !unused.is_empty() {
            let text = format!(
                "`{}` gives {}, which this tyre does not use{}",
                data.name,
                unused.join(", "),
                match unused.contains(&"TYRESIDE") {
                    true => "; for a tyre on the side that TYRESIDE does not name write `mirrored = true`",
                    false => "",
                }
            );
            self.report(Message::note(Some(place.clone()), text));
        }
        if parsed.wants_steady_slip() {
            let text = format!(
                "USE_MODE in `{}` asks for slips without delay; here they always follow with the relaxation \
                 lengths of the file",
                data.name
            );
            self.report(Message::note(Some(place.clone()), text));
        }
        // Scaling factors are often left out on purpose.
        let absent: Vec<&str> = absent.into_iter().filter(|key| !key.starts_with('L')).collect();
        if absent.is_empty() {
            return;
        }
        let more = match absent.len() {
            n if n > MOST => format!(" and {} more", n - MOST),
            _ => String::new(),
        };
        let listed = absent[..absent.len().min(MOST)].join(", ");
        let text = format!(
            "`{}` does not give {listed}{more}: they are zero, ranges unbounded",
            data.name
        );
        self.report(Message::note(Some(place), text));
    }

    fn control(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a control");
        let name = fields.name(ThingKind::Control);
        let infos: Vec<_> = fields
            .reader
            .library()
            .controls()
            .filter(|c| c.in_files)
            .collect();
        let known: Vec<&str> = infos.iter().map(|c| c.name).collect();
        let kind = fields.required("kind", &format!("one of {}", known.join(", ")));
        let kind = kind.and_then(|value| {
            if matches!(&value.kind, Kind::Text(name) if name == "delay") {
                let text = "there is no kind of control \"delay\"";
                let help = "the first-order lag T y' = u - y is \"lag\", u(t - T) is \"dead-time\"";
                fields.reader.error_with_help(&value.span, text, help);
                return None;
            }
            fields.reader.choice(value, "kind of control", &known)
        });
        let Some(info) = kind.map(|index| infos[index]) else {
            return;
        };
        let mut kind = (info.template)();
        fields.reader.names.controlled = true;
        kind.fields(&mut fields);
        fields.reader.names.controlled = false;
        fields.finish();
        self.model.description.controls.push(Control { name, kind });
    }

    /// Makes the names of the file's own controls known, before anything may use them.
    fn own_controls(&mut self, root: &Table) {
        let mut names = Vec::new();
        for table in self.tables(root, "control") {
            if let Some(value) = table.get("name")
                && let Kind::Text(name) = &value.kind
                && self.declare_name("control", name, &value.span)
            {
                names.push(name.clone());
            }
        }
        self.know_controls(names);
    }

    /// The same for those of parts, when these have been read.
    fn controls_of_parts(&mut self) {
        let controls = self.model.description.controls.iter();
        let free = controls.filter(|control| !self.names.taken.contains(&control.name));
        let names = free.map(|control| control.name.clone()).collect();
        self.know_controls(names);
    }

    fn know_controls(&mut self, names: Vec<String>) {
        let reason = "it is a control, which only force elements and controls can follow";
        for name in names {
            let all = &mut self.names;
            let signals = all.signals.take().unwrap_or_else(|| all.functions.clone());
            all.signals = Some(signals.variable(&name));
            all.functions = std::mem::take(&mut all.functions).forbid(&name, reason);
            all.constants = std::mem::take(&mut all.constants).forbid(&name, reason);
        }
    }

    fn input(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "an input");
        let name = fields.name(ThingKind::Input);
        let unit = fields.optional("unit");
        let live = fields.optional("live");
        if let Some(value) = live
            && fields.reader.flag(value) == Some(true)
        {
            let text = format!(
                "input \"{name}\": live inputs, which receive values during a run, are not supported yet"
            );
            let help = "give an `expression` of t, or a [[table]] with what was recorded";
            fields.reader.error_with_help(&value.span, text, help);
            fields.optional("expression");
            let head = fields.head();
            fields.finish();
            // Known by name, so that its users do not complain as well.
            self.declare_input(&name, &Signal::constant(1.0), "", &head);
            return;
        }
        let expression = fields.required("expression", "a function of t, such as \"0.1*sin(2*t)\"");
        let head = fields.head();
        fields.finish();
        let unit = unit.and_then(|value| self.unit(value)).unwrap_or_default();
        let signal = match expression {
            Some(value) => self.signal(value, &unit),
            None => Signal::constant(1.0),
        };
        let (full, free) = self.session.full_name(&self.prefix, &name);
        let signal = self.with_offset(&full, signal);
        if self.declare_input(&name, &signal, &unit, &head) {
            if !free {
                let text = format!(
                    "input \"{name}\" of this part would be called `{}{name}`, but this name is already used",
                    self.prefix
                );
                self.error_with_help(&head, text, "give the include another `prefix`");
            }
            self.model.inputs.push(Input {
                name: full,
                unit,
                signal,
            });
        }
    }

    /// An input with what is added to it.
    fn with_offset(&self, name: &str, signal: Signal) -> Signal {
        let Some(offset) = self.session.offsets.iter().find(|offset| offset.name == name) else {
            return signal;
        };
        let base = match &signal {
            Signal::Expression(expression) => expression.clone(),
            constant => match Expression::constant(constant.evaluate(0.0)[0], DimensionState::Any) {
                Ok(expression) => Arc::new(expression),
                Err(_) => return signal,
            },
        };
        let [c, d, e] = offset.coefficients;
        let any = DimensionState::Any;
        let scope = Scope::time()
            .input("u", base)
            .constant("c", c, any)
            .constant("d", d, any)
            .constant("e", 0.5 * e, any)
            .constant("s", offset.time, any);
        match Expression::parse("u + c + d*(t - s) + e*(t - s)*(t - s)", &scope, None) {
            Ok(expression) => Signal::Expression(Arc::new(expression)),
            Err(_) => signal,
        }
    }

    fn output(&mut self, table: &Table) {
        self.is_about("an output");
        let mut fields = TableReader::new(self, table, "an output");
        let channels = fields.required("channels", "a list of names or patterns, such as [\"crank.*\"]");
        fields.finish();
        let Some(list) = channels.and_then(|value| self.list(value)) else {
            return;
        };
        for item in list {
            if let Some(pattern) = self.text(item) {
                let place = self.place(&item.span);
                let thing = ThingKind::Channel.named(pattern);
                self.model.places.add(thing, place, Vec::new(), Vec::new());
                self.model.outputs.push(pattern.to_string());
            }
        }
    }

    fn simulation(&mut self, value: &Value) {
        let Some(table) = self.table(value) else { return };
        self.is_about("[simulation]");
        let mut fields = TableReader::new(self, table, "[simulation]");
        let mut given = Vec::new();
        for info in SETTINGS.iter() {
            if let Some(value) = fields.optional(info.name) {
                given.push((info, value));
            }
        }
        fields.finish();
        for (info, value) in given {
            let read = match info.kind {
                SettingKind::Number(unit) => {
                    // Settings without a unit are pure numbers.
                    let number = self.number(value, if unit.is_empty() { "1" } else { unit });
                    (!number.is_nan()).then_some(SettingValue::Number(number))
                }
                SettingKind::Count => self.count(value).map(SettingValue::Count),
                SettingKind::Flag => self.flag(value).map(SettingValue::Flag),
                SettingKind::Choice(names) => {
                    let names = names();
                    let chosen = self.choice(value, info.name, &names);
                    chosen.map(|index| SettingValue::Name(names[index].to_string()))
                }
                SettingKind::Names(words) => match value.kind {
                    Kind::Text(_) => {
                        let words = words();
                        let chosen = self.choice(value, info.name, &words);
                        chosen.map(|index| SettingValue::Names(vec![words[index].to_string()]))
                    }
                    _ => self.list(value).map(|list| {
                        let names = list.iter().filter_map(|item| self.text(item));
                        SettingValue::Names(names.map(String::from).collect())
                    }),
                },
            };
            if let Some(read) = read {
                self.model.settings.set(info.name, read);
                let place = self.place(&value.span);
                let thing = ThingKind::Setting.named(info.name);
                self.model.places.add(thing, place, Vec::new(), Vec::new());
            }
        }
    }

    fn count(&mut self, value: &Value) -> Option<u64> {
        match value.kind {
            Kind::Number(number) if number >= 0.0 && number.fract() == 0.0 && number < 9e15 => {
                Some(number as u64)
            }
            _ => {
                self.expected("a whole number", value);
                None
            }
        }
    }
}
