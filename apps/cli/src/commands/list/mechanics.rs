//! What mechanisms are made of, and the forms their equations come in.

use super::{Entry, Named};
use holonom::multibody::description::fields::{Noted, note};
use holonom::multibody::description::{Joint as Described, Rod, SHAPES, Shape, ShapeInfo};
use holonom::multibody::elements::Library;
use holonom::multibody::elements::constraints::ConstraintInfo;
use holonom::multibody::elements::controls::ControlInfo;
use holonom::multibody::elements::forces::ForceInfo;
use holonom::multibody::elements::joints::{JOINTS, JointInfo};
use holonom::multibody::path::{PATHS, PathInfo};
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::road::{ROADS, RoadInfo};
use holonom_text::{Align, Table};
use serde::Serialize;

/// Joints, constraints, forces, roads, paths, controls, forms and formalisms as listed.
#[derive(Serialize)]
pub struct Mechanics {
    joints: Vec<Joint>,
    constraints: Vec<Constraint>,
    rod: Vec<Field>,
    forces: Vec<Force>,
    roads: Vec<Force>,
    shapes: Vec<Force>,
    paths: Vec<Force>,
    controls: Vec<Force>,
    forms: Vec<Named>,
    formalisms: Vec<Named>,
}

/// A kind of joint.
#[derive(Serialize)]
struct Joint {
    name: &'static str,
    description: &'static str,
    coordinates: Vec<Coordinate>,
    /// Euler parameters besides the coordinates.
    has_orientation: bool,
    /// None where the joint cannot be cut.
    rows_when_cut: Option<usize>,
    fields: Vec<Field>,
}

/// A scalar coordinate of a joint.
#[derive(Serialize)]
struct Coordinate {
    name: &'static str,
    unit: &'static str,
}

/// A kind of constraint.
#[derive(Serialize)]
struct Constraint {
    name: &'static str,
    description: &'static str,
    rows: usize,
    fields: Vec<Field>,
}

/// A kind of force element, road, path or control.
#[derive(Serialize)]
struct Force {
    name: &'static str,
    description: &'static str,
    /// False where it can be described from Rust only.
    in_files: bool,
    fields: Vec<Field>,
}

/// A field of a thing in a model file.
#[derive(Serialize)]
struct Field {
    name: &'static str,
    value: String,
    unit: &'static str,
    /// What an absent field means; none where it must be given.
    default: Option<String>,
    description: &'static str,
}

fn field(noted: Noted) -> Field {
    Field {
        name: noted.field.name,
        value: noted.sort.text(),
        unit: noted.field.unit,
        default: noted.default,
        description: noted.field.doc,
    }
}

fn fields(noted: Vec<Noted>) -> Vec<Field> {
    noted.into_iter().map(field).collect()
}

fn joint(info: &&JointInfo) -> Joint {
    let coordinates = info.coordinates.iter();
    Joint {
        name: info.name,
        description: info.doc,
        coordinates: coordinates
            .map(|c| Coordinate {
                name: c.name,
                unit: c.unit,
            })
            .collect(),
        has_orientation: info.has_orientation,
        rows_when_cut: (!info.tree_only).then(|| info.rows_when_cut()),
        fields: fields(note(|visitor| {
            Described::new("", (info.template)(), "", "").fields(visitor);
        })),
    }
}

fn constraint(info: &ConstraintInfo) -> Constraint {
    Constraint {
        name: info.name,
        description: info.doc,
        rows: info.rows,
        fields: fields(note(|visitor| (info.template)().fields(visitor))),
    }
}

fn force(info: &ForceInfo) -> Force {
    Force {
        name: info.name,
        description: info.doc,
        in_files: info.in_files,
        fields: fields(note(|visitor| (info.template)().fields(visitor))),
    }
}

fn control(info: &ControlInfo) -> Force {
    Force {
        name: info.name,
        description: info.doc,
        in_files: info.in_files,
        fields: fields(note(|visitor| (info.template)().fields(visitor))),
    }
}

fn road(info: &&RoadInfo) -> Force {
    Force {
        name: info.name,
        description: info.doc,
        in_files: true,
        fields: fields(note(|visitor| (info.template)().fields(visitor))),
    }
}

fn shape(info: &ShapeInfo) -> Force {
    Force {
        name: info.name,
        description: info.doc,
        in_files: true,
        fields: fields(note(|visitor| Shape::new("", (info.template)()).fields(visitor))),
    }
}

fn path(info: &&PathInfo) -> Force {
    Force {
        name: info.name,
        description: info.doc,
        in_files: true,
        fields: fields(note(|visitor| (info.template)().fields(visitor))),
    }
}

impl Mechanics {
    pub fn new(library: &Library) -> Self {
        let form = |form: Form| Named {
            name: form.name(),
            description: form.doc(),
        };
        let formalism = |formalism: Formalism| Named {
            name: formalism.name(),
            description: formalism.doc(),
        };
        Self {
            joints: JOINTS.iter().map(joint).collect(),
            constraints: library.constraints().map(constraint).collect(),
            rod: fields(note(|visitor| Rod::new("", "", "", 0.0).fields(visitor))),
            forces: library.forces().map(force).collect(),
            roads: ROADS.iter().map(road).collect(),
            shapes: SHAPES.iter().map(shape).collect(),
            paths: PATHS.iter().map(path).collect(),
            controls: library.controls().map(control).collect(),
            forms: Form::ALL.map(form).to_vec(),
            formalisms: Formalism::ALL.map(formalism).to_vec(),
        }
    }

    /// What is called `name`, in detail.
    pub fn entries(&self, name: &str) -> Vec<Entry> {
        let mut found = Vec::new();
        for j in self.joints.iter().filter(|j| j.name == name) {
            found.push(Entry::new("joint", j, j.text()));
        }
        for c in self.constraints.iter().filter(|c| c.name == name) {
            found.push(Entry::new("constraint", c, c.text()));
        }
        if name == "rod" {
            let text = format!("{ROD}\n\n{}", table(&self.rod));
            found.push(Entry::new("rod", &self.rod, text));
        }
        for f in self.forces.iter().filter(|f| f.name == name) {
            found.push(Entry::new("force", f, f.text()));
        }
        for r in self.roads.iter().filter(|r| r.name == name) {
            found.push(Entry::new("road", r, r.text()));
        }
        for s in self.shapes.iter().filter(|s| s.name == name) {
            found.push(Entry::new("shape", s, s.text()));
        }
        for p in self.paths.iter().filter(|p| p.name == name) {
            found.push(Entry::new("path", p, p.text()));
        }
        for c in self.controls.iter().filter(|c| c.name == name) {
            found.push(Entry::new("control", c, c.text()));
        }
        for (sort, list) in [("form", &self.forms), ("formalism", &self.formalisms)] {
            for entry in list.iter().filter(|entry| entry.name == name) {
                found.push(Entry::new(sort, entry, format!("{}\n", entry.description)));
            }
        }
        found
    }

    /// All names that [`entries`](Self::entries) knows.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let named = self.forms.iter().chain(&self.formalisms).map(|n| n.name);
        (self.joints.iter().map(|j| j.name))
            .chain(self.constraints.iter().map(|c| c.name))
            .chain(["rod"])
            .chain(self.forces.iter().map(|f| f.name))
            .chain(self.roads.iter().map(|r| r.name))
            .chain(self.shapes.iter().map(|s| s.name))
            .chain(self.paths.iter().map(|p| p.name))
            .chain(self.controls.iter().map(|c| c.name))
            .chain(named)
    }

    pub fn text(&self) -> String {
        let mut joints = Table::new(&[
            ("name", Align::Left),
            ("coordinates", Align::Left),
            ("rows when cut", Align::Right),
            ("description", Align::Left),
        ]);
        for j in &self.joints {
            let rows = j.rows_when_cut.map_or("–".into(), |rows| rows.to_string());
            joints.row([j.name.into(), j.freedoms(), rows, j.description.into()]);
        }
        let mut constraints = Table::new(&[
            ("name", Align::Left),
            ("rows", Align::Right),
            ("fields", Align::Left),
            ("description", Align::Left),
        ]);
        for c in &self.constraints {
            constraints.row([
                c.name.into(),
                c.rows.to_string(),
                names(&c.fields),
                c.description.into(),
            ]);
        }
        constraints.row(["rod".into(), "1".to_string(), names(&self.rod), ROD.to_string()]);
        let mut text = format!(
            "Joints\n\n{}\nConstraints\n\n{}\n",
            joints.render_within(super::WIDTH),
            constraints.render_within(super::WIDTH)
        );
        for (title, list) in [
            ("Forces", &self.forces),
            ("Roads", &self.roads),
            ("Shapes", &self.shapes),
            ("Paths", &self.paths),
            ("Controls", &self.controls),
        ] {
            let mut table = Table::new(&["name", "fields", "description"].map(|c| (c, Align::Left)));
            for entry in list {
                let fields = names(&entry.fields);
                table.row([entry.name.into(), fields, entry.description.to_string()]);
            }
            text += &format!("{title}\n\n{}\n", table.render_within(super::WIDTH));
        }
        for (title, list) in [
            ("Forms of the equations of motion", &self.forms),
            ("Formalisms", &self.formalisms),
        ] {
            let mut table = Table::new(&[("name", Align::Left), ("description", Align::Left)]);
            for entry in list {
                table.row([entry.name, entry.description]);
            }
            text += &format!("{title}\n\n{}\n", table.render_within(super::WIDTH));
        }
        text
    }
}

const ROD: &str = "A slender body kept as a distance and a mass matrix on its end points.";

/// Names of fields; the detailed view says more.
fn names(fields: &[Field]) -> String {
    fields.iter().map(|f| f.name).collect::<Vec<_>>().join(", ")
}

/// Fields in detail.
fn table(fields: &[Field]) -> String {
    let columns = ["field", "value", "unit", "default", "description"];
    let mut table = Table::new(&columns.map(|c| (c, Align::Left)));
    for f in fields {
        let default = f.default.as_deref().unwrap_or("required");
        table.row([f.name, f.value.as_str(), f.unit, default, f.description]);
    }
    table.render_within(super::WIDTH)
}

impl Joint {
    fn text(&self) -> String {
        let rows = match self.rows_when_cut {
            Some(rows) => format!("Rows when cut: {rows}."),
            None => "Stays in the tree.".to_string(),
        };
        format!(
            "{}\nCoordinates: {}. {rows}\n\n{}",
            self.description,
            self.freedoms(),
            table(&self.fields)
        )
    }

    /// The coordinates in words.
    fn freedoms(&self) -> String {
        let mut words: Vec<String> = self
            .coordinates
            .iter()
            .map(|c| format!("{} [{}]", c.name, c.unit))
            .collect();
        if self.has_orientation {
            words.push("Euler parameters".into());
        }
        if words.is_empty() {
            "–".into()
        } else {
            words.join(", ")
        }
    }
}

impl Constraint {
    fn text(&self) -> String {
        format!(
            "{}\nRows: {}.\n\n{}",
            self.description,
            self.rows,
            table(&self.fields)
        )
    }
}

impl Force {
    fn text(&self) -> String {
        let place = if self.in_files {
            ""
        } else {
            "It cannot be written in a model file.\n"
        };
        format!("{}\n{place}\n{}", self.description, table(&self.fields))
    }
}
