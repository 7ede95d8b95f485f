//! Files that a file includes: sub-assemblies with prefix, placement, mirror and parameters.

use super::parameters::Override;
use super::table_reader::TableReader;
use super::{Part, Reader, is_urdf, shortened};
use crate::message::Place;
use crate::model_file::ModelFile;
use crate::tree::Table;
use crate::urdf::{self, Base};
use holonom_multibody::description::Axis;
use holonom_multibody::include::Placement;

const AXES: [(&str, Axis); 3] = [("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)];

impl Reader<'_, '_> {
    pub(super) fn include(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "an include");
        let file = fields.required("file", "the model file to include, relative to this one");
        let prefix = fields.optional("prefix");
        let on = fields.optional("on");
        let (position, turn) = fields.frame_fields();
        let mirror = fields.optional("mirror");
        let parameters = fields.optional("parameters");
        let base = fields.optional("base");
        let strict = fields.optional("strict");
        let resistance = ["damping", "friction", "limits"].map(|key| fields.optional(key));
        fields.finish();
        self.is_about("an include");
        let Some(file) = file else {
            self.session.complete = false;
            return;
        };
        let Some(name) = self.text(file) else {
            self.session.complete = false;
            return;
        };
        self.is_about(format!("the include of `{}`", shortened(name)));
        let mut placement = Placement::new("");
        if let Some(prefix) = prefix.and_then(|value| self.text(value)) {
            placement.prefix = prefix.to_string();
        }
        if let Some(on) = on.and_then(|value| self.text(value)) {
            placement.on = on.to_string();
        }
        if let Some(frame) = self.frame(position, turn) {
            placement.frame = frame;
        }
        if let Some(mirror) = mirror
            && let Some(index) = self.choice(mirror, "axis", &AXES.map(|(name, _)| name))
        {
            placement.mirror = Some(AXES[index].1);
        }
        let mut overrides = Vec::new();
        if let Some(table) = parameters.and_then(|value| self.table(value)) {
            for entry in &table.entries {
                let place = self.place(&entry.key_span);
                if let Some((value, dimension)) = self.quantity(&entry.value) {
                    overrides.push(Override::number(&entry.key, value, dimension, place));
                }
            }
        }
        let path = self.folder.join(name);
        let mut robot = urdf::Options::default();
        for value in [base, strict].into_iter().chain(resistance).flatten() {
            if !is_urdf(&path) {
                let text = "`base`, `strict`, `damping`, `friction` and `limits` are for URDF files";
                self.error(&value.span, text);
            }
        }
        if let Some(index) = base.and_then(|value| self.choice(value, "base", &["fixed", "free"])) {
            robot.base = [Base::Fixed, Base::Free][index];
        }
        if let Some(strict) = strict.and_then(|value| self.flag(value)) {
            robot.strict = strict;
        }
        let settings = [&mut robot.damping, &mut robot.friction, &mut robot.limits];
        for (setting, value) in settings.into_iter().zip(resistance) {
            if let Some(value) = value.and_then(|value| self.flag(value)) {
                *setting = value;
            }
        }
        let at = self.place(&file.span);
        let part = Part {
            prefix: format!("{}{}", self.prefix, placement.prefix),
            robot,
        };
        let Some(part) = self.session.file(&path, Some(at.clone()), part, overrides) else {
            self.session.complete = false;
            return;
        };
        self.adopt(part, &placement, table, &at);
    }

    fn adopt(&mut self, part: ModelFile, placement: &Placement, table: &Table, at: &Place) {
        if let Err(error) = self.model.description.add_part(part.description, placement) {
            let at = table.get("on").map_or(&table.span, |on| &on.span).clone();
            match &error.remedy {
                Some(remedy) => self.error_with_help(&at, error.headline(), remedy),
                None => self.error(&at, error.headline()),
            }
            self.session.complete = false;
            return;
        }
        self.model.places.adopt(part.places, placement, at);
        self.model.inputs.extend(part.inputs);
    }
}
