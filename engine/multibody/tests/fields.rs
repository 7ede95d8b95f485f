//! What holds for the fields of every kind in the registries.

use holonom_multibody::description::fields::{Field, Look, Need, Noted, note};
use holonom_multibody::description::{
    Body, Constraint, Control, CoordinateRef, Description, Force, Joint, Path, Road, Rod,
};
use holonom_multibody::elements::constraints::CONSTRAINTS;
use holonom_multibody::elements::controls::CONTROLS;
use holonom_multibody::elements::forces::FORCES;
use holonom_multibody::elements::joints::JOINTS;
use holonom_multibody::include::Placement;
use holonom_multibody::path::{PATHS, Straight};
use holonom_multibody::road::{Flat, ROADS};

/// A kind by its name, with its fields.
fn all() -> Vec<(&'static str, Vec<Noted>)> {
    let joints = JOINTS.iter().map(|info| {
        let mut joint = Joint::new("", (info.template)(), "", "");
        (info.name, note(|visitor| joint.fields(visitor)))
    });
    let constraints = CONSTRAINTS.iter().map(|info| {
        let fields = note(|visitor| (info.template)().fields(visitor));
        (info.name, fields)
    });
    let forces = FORCES.iter().map(|info| {
        let fields = note(|visitor| (info.template)().fields(visitor));
        (info.name, fields)
    });
    let roads = ROADS.iter().map(|info| {
        let mut road = Road::new("", (info.template)());
        (info.name, note(|visitor| road.fields(visitor)))
    });
    let paths = PATHS.iter().map(|info| {
        let mut path = Path::new("", (info.template)());
        (info.name, note(|visitor| path.fields(visitor)))
    });
    let controls = CONTROLS.iter().map(|info| {
        let fields = note(|visitor| (info.template)().fields(visitor));
        (info.name, fields)
    });
    let parts = [
        ("body", note(|visitor| Body::new("", 0.0).fields(visitor))),
        ("rod", note(|visitor| Rod::new("", "", "", 0.0).fields(visitor))),
    ];
    let elements = joints
        .chain(constraints)
        .chain(forces)
        .chain(roads)
        .chain(paths)
        .chain(controls);
    elements.chain(parts).collect()
}

#[test]
fn names_and_texts_are_complete() {
    let kinds = all();
    let elements = CONSTRAINTS.len() + FORCES.len() + ROADS.len() + PATHS.len() + CONTROLS.len();
    assert_eq!(kinds.len(), JOINTS.len() + elements + 2);
    for (kind, fields) in kinds {
        assert!(!fields.is_empty(), "{kind}");
        for (i, noted) in fields.iter().enumerate() {
            let Field { name, doc, need, .. } = noted.field;
            let lower = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(!name.is_empty() && name.chars().all(lower), "{kind}.{name}");
            // These stand beside the fields in model files.
            assert!(!["name", "kind", "hint"].contains(&name), "{kind}.{name}");
            assert!(doc.ends_with('.'), "{kind}.{name}: {doc}");
            assert!(
                fields[..i].iter().all(|other| other.field.name != name),
                "{kind}.{name}"
            );
            assert_eq!(noted.default.is_some(), need == Need::Default, "{kind}.{name}");
        }
    }
}

#[test]
fn templates_are_of_their_kind() {
    for info in JOINTS {
        assert_eq!((info.template)().info().name, info.name);
    }
    for info in CONSTRAINTS {
        assert_eq!((info.template)().info().name, info.name);
        assert!(info.rows > 0);
    }
    for info in FORCES {
        assert_eq!((info.template)().info().name, info.name);
    }
    for info in ROADS {
        assert_eq!((info.template)().info().name, info.name);
    }
    for info in PATHS {
        assert_eq!((info.template)().info().name, info.name);
    }
    for info in CONTROLS {
        assert_eq!((info.template)().info().name, info.name);
    }
}

/// Fills references, or collects them.
#[derive(Default)]
struct References {
    fill: bool,
    found: Vec<String>,
}

impl References {
    fn name(&mut self, value: &mut String, filling: &str) {
        if self.fill {
            *value = filling.to_string();
        }
        self.found.push(value.clone());
    }
}

impl Look for References {
    fn channel(&mut self, _: &Field, value: &mut String) {
        self.name(value, "joint.angle");
    }
    fn frame(&mut self, _: &Field, value: &mut String) {
        let frames = ["body.marker", "ground.marker", "ground"];
        let filling = frames[self.found.len() % 3];
        self.name(value, filling);
    }
    fn frames(&mut self, field: &Field, value: &mut Vec<String>) {
        if self.fill {
            *value = vec![String::new(); 2];
        }
        value.iter_mut().for_each(|frame| self.frame(field, frame));
    }
    fn coordinate(&mut self, _: &Field, value: &mut CoordinateRef) {
        self.name(&mut value.joint, "joint");
    }
    fn terms(&mut self, _: &Field, value: &mut Vec<(CoordinateRef, f64)>) {
        if self.fill {
            *value = vec![("joint".into(), 1.0), ("joint".into(), 2.0)];
        }
        for (coordinate, _) in value {
            self.found.push(coordinate.joint.clone());
        }
    }
    fn road(&mut self, _: &Field, value: &mut String) {
        self.name(value, "road");
    }
    fn path(&mut self, _: &Field, value: &mut String) {
        self.name(value, "path");
    }
    fn constraint(&mut self, _: &Field, value: &mut String) {
        self.name(value, "contact");
    }
}

#[test]
fn every_reference_is_shown_and_renamed() {
    let mut fill = References {
        fill: true,
        ..Default::default()
    };
    let mut part = Description::new("part");
    for info in CONSTRAINTS {
        let mut kind = (info.template)();
        kind.fields(&mut fill);
        part = part.constraint(Constraint::new(info.name, kind));
    }
    for info in FORCES {
        let mut kind = (info.template)();
        kind.fields(&mut fill);
        part = part.force(Force::new(info.name, kind));
    }
    let mut road = Road::new("road", Flat);
    road.fields(&mut fill);
    part = part.road(road);
    let mut path = Path::new("path", Straight::default());
    path.fields(&mut fill);
    part = part.path(path);
    for info in CONTROLS {
        let mut kind = (info.template)();
        kind.fields(&mut fill);
        part = part.control(Control::new(info.name, kind));
    }
    // A reference that was left out still has the template's empty name.
    let text = format!("{part:?}");
    assert!(!text.contains("\"\""), "{text}");

    let place = Placement::new("p_");
    let whole = Description::new("whole").include(part, &place);
    let mut whole = whole.unwrap_or_else(|e| panic!("{e}"));
    let mut collect = References::default();
    for constraint in &mut whole.constraints {
        constraint.kind.fields(&mut collect);
    }
    for force in &mut whole.forces {
        force.kind.fields(&mut collect);
    }
    for road in &mut whole.roads {
        assert_eq!(road.name, "p_road");
        road.fields(&mut collect);
    }
    for path in &mut whole.paths {
        assert_eq!(path.name, "p_path");
        path.fields(&mut collect);
    }
    for control in &mut whole.controls {
        control.kind.fields(&mut collect);
    }
    let expected = fill.found.iter().map(|name| match name.as_str() {
        "body.marker" => "p_body.marker",
        "ground.marker" => "ground.p_marker",
        "ground" => "ground.p_ground",
        "joint" => "p_joint",
        "road" => "p_road",
        "path" => "p_path",
        "joint.angle" => "p_joint.angle",
        "contact" => "p_contact",
        other => panic!("{other}"),
    });
    assert_eq!(collect.found, expected.collect::<Vec<_>>());
}
