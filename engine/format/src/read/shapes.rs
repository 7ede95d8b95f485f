//! Shapes, and the shapes that homogeneous solids stand for.

use super::Reader;
use super::table_reader::TableReader;
use crate::files::outside;
use crate::tree::Table;
use holonom_algebra::Vec3;
use holonom_multibody::description::{Body, Frame, SHAPES, Shape, ShapeKind, frame, shape_thing};

impl Reader<'_, '_> {
    pub(super) fn shape(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a shape");
        let known: Vec<&str> = SHAPES.iter().map(|shape| shape.name).collect();
        let kind = fields.required("kind", &format!("one of {}", known.join(", ")));
        let kind = kind.and_then(|value| fields.reader.choice(value, "kind of shape", &known));
        let Some(info) = kind.map(|index| &SHAPES[index]) else {
            return;
        };
        let mut shape = Shape::new("", (info.template)());
        shape.fields(&mut fields);
        let (position, turn) = fields.frame_fields();
        fields.finish();
        let Some(frame) = self.frame(position, turn) else {
            return;
        };
        shape.frame = frame;
        if let ShapeKind::Mesh { file, .. } = &mut shape.kind
            && let Some(entry) = table.entries.iter().find(|entry| entry.key == "file")
        {
            if let Some(reason) = outside(file) {
                let text = format!("the mesh `{file}` {reason}");
                let help = "copy the file there and give its name";
                self.error_with_help(&entry.value.span, text, help);
                return;
            }
            *file = self.within(file);
        }
        let same = self
            .model
            .description
            .shapes
            .iter()
            .filter(|own| own.on == shape.on);
        let thing = shape_thing(&shape.on, same.count());
        self.remember(thing, Some(table), &table.span);
        self.model.description.shapes.push(shape);
    }

    /// The name of a file beside this one as seen from the folder of the model.
    fn within(&self, file: &str) -> String {
        let path = self.folder.strip_prefix(&self.session.folder);
        match path {
            Ok(below) if below.components().next().is_some() => {
                below.join(file).to_string_lossy().replace('\\', "/")
            }
            _ => file.to_string(),
        }
    }

    /// The look of a homogeneous solid, shown while the body has no other; numbers that make no solid are refused
    /// with the body.
    pub(super) fn look_of_solid(&mut self, body: &Body, kind: ShapeKind) {
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        let good = match &kind {
            ShapeKind::Box { size } => size.iter().all(positive),
            ShapeKind::Sphere { radius } => positive(radius),
            ShapeKind::Cylinder { radius, length } => positive(radius) && positive(length),
            _ => false,
        };
        if good {
            self.look(body, kind, frame::at(body.centre));
        }
    }

    /// The look of a thin rod from the origin of its body to a point.
    pub(super) fn look_of_rod(&mut self, body: &Body, end: [f64; 3]) {
        let length = Vec3(end).norm();
        if length > 0.0 && length.is_finite() {
            let kind = ShapeKind::Capsule {
                radius: 0.02 * length,
                length,
            };
            self.look(body, kind, frame::along(end.map(|x| 0.5 * x), end));
        }
    }

    /// A shape that nobody wrote. A name with a dot is refused with the body; a shape would take it for a marker.
    fn look(&mut self, body: &Body, kind: ShapeKind, at: Frame) {
        if !body.name.contains('.') {
            let shape = Shape::new(&body.name, kind).at(at).stand_in();
            self.model.description.shapes.push(shape);
        }
    }
}
