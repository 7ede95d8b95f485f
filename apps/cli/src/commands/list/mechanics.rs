//! What mechanisms are made of, and the forms their equations come in.

use crate::table::{Align, Table};
use holonom::multibody::description::{ConstraintKind, ForceKind};
use holonom::multibody::elements::joints::{JOINTS, JointInfo};
use holonom::multibody::residual::{Form, Formalism};
use serde::Serialize;

/// Joints, constraints, forces, forms and formalisms as listed.
#[derive(Serialize)]
pub struct Mechanics {
    joints: Vec<Joint>,
    constraints: Vec<Constraint>,
    forces: Vec<Named>,
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
}

/// A scalar coordinate of a joint.
#[derive(Serialize)]
struct Coordinate {
    name: &'static str,
    unit: &'static str,
}

/// A kind of constraint.
#[derive(Clone, Serialize)]
struct Constraint {
    name: &'static str,
    description: &'static str,
    rows: usize,
}

/// A name and what it stands for.
#[derive(Clone, Serialize)]
struct Named {
    name: &'static str,
    description: &'static str,
}

/// Lists the kinds of an enum; a kind that is left out does not compile.
macro_rules! kinds {
    ($list:ident: $item:ident of $kind:ident; $($variant:ident { $($field:ident: $value:expr),* })*) => {
        const $list: &[$item] = &[$($item { $($field: $value),* }),*];
        const _: fn(&$kind) = |kind| match kind {
            $($kind::$variant { .. } => (),)*
        };
    };
}

kinds! {
    CONSTRAINTS: Constraint of ConstraintKind;
    Point { name: "point", description: "The origins of two frames coincide.", rows: 3 }
    Distance { name: "distance", description: "The origins of two frames keep a distance.", rows: 1 }
    Coupling { name: "coupling", description: "Sum of coordinates: gears, racks, belts, differentials.", rows: 1 }
    Driver { name: "driver", description: "A coordinate follows a function of time.", rows: 1 }
    Rolling { name: "rolling", description: "A disc or ball rolls on a plane without slipping.", rows: 3 }
}

kinds! {
    FORCES: Named of ForceKind;
    Applied { name: "applied", description: "A force and a torque over time at a frame." }
    SpringDamper { name: "spring-damper", description: "Spring and damper between two points." }
    TorsionSpring { name: "torsion-spring", description: "Spring and damper about the z axis of two frames." }
    JointSpring { name: "joint-spring", description: "Spring, damper and motor on a coordinate of a joint." }
    User { name: "user", description: "A law of your own between two frames." }
}

fn form(form: Form) -> Named {
    let description = match form {
        Form::Ode => "No constraints: mechanisms without loops.",
        Form::Index1 => "Constraints on accelerations; positions drift.",
        Form::Index2 => "Constraints on velocities; positions drift little.",
        Form::Index3 => "Constraints on positions.",
        Form::Ggl => {
            "Constraints on velocities and positions: nothing drifts [Gear, Gupta, Leimkuhler 1985]."
        }
    };
    let name = form.name();
    Named { name, description }
}

fn formalism(formalism: Formalism) -> Named {
    let description = match formalism {
        Formalism::Residual => "Recursive Newton–Euler, M v̇ − f + Gᵀλ: the cheaper one.",
        Formalism::Explicit => "Articulated bodies: v̇ itself.",
    };
    let name = formalism.name();
    Named { name, description }
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
        rows_when_cut: (!info.tree_only).then(|| 6 - info.freedoms()),
    }
}

impl Mechanics {
    pub fn new() -> Self {
        Self {
            joints: JOINTS.iter().map(joint).collect(),
            constraints: CONSTRAINTS.to_vec(),
            forces: FORCES.to_vec(),
            forms: Form::ALL.map(form).to_vec(),
            formalisms: Formalism::ALL.map(formalism).to_vec(),
        }
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
            ("description", Align::Left),
        ]);
        for c in &self.constraints {
            constraints.row([c.name.into(), c.rows.to_string(), c.description.to_owned()]);
        }
        let mut text = format!(
            "Joints\n\n{}\nConstraints\n\n{}\n",
            joints.render(),
            constraints.render()
        );
        for (title, list) in [
            ("Forces", &self.forces),
            ("Forms of the equations of motion", &self.forms),
            ("Formalisms", &self.formalisms),
        ] {
            let mut table = Table::new(&[("name", Align::Left), ("description", Align::Left)]);
            for entry in list {
                table.row([entry.name, entry.description]);
            }
            text += &format!("{title}\n\n{}\n", table.render());
        }
        text
    }
}

impl Joint {
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
