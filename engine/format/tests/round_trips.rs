//! Writing and reading are inverse: random mechanisms, flattened includes, all shipped models.
#![allow(clippy::unwrap_used)]

use holonom_format::{Files, ModelFile, read, write};
use holonom_multibody::Signal;
use holonom_multibody::description::fields::{Field, Look};
use holonom_multibody::description::{Coordinate, CoordinateMotion, Description, Hold, StartHint};
use std::path::{Path, PathBuf};

fn reread(text: &str) -> ModelFile {
    let files = Files::in_memory([("again.toml", text)]);
    read("again.toml", &files, &[]).unwrap_or_else(|messages| panic!("{messages}\n{text}"))
}

/// Takes out the functions of time, each at some times with its derivatives.
fn values(description: &mut Description) -> Vec<f64> {
    struct Take(Vec<f64>);
    impl Take {
        fn take(&mut self, signal: &mut Signal) {
            // What names controls is compared as it is.
            if !signal.controls().is_empty() {
                return;
            }
            for t in [0.0, 0.1, 0.77, 3.0] {
                self.0.extend(signal.evaluate(t));
            }
            *signal = Signal::constant(0.0);
        }
    }
    impl Look for Take {
        fn signal(&mut self, _: &Field, value: &mut Signal) {
            self.take(value);
        }
        fn signals(&mut self, _: &Field, value: &mut [Signal; 3]) {
            value.iter_mut().for_each(|signal| self.take(signal));
        }
    }
    let mut take = Take(Vec::new());
    for joint in &mut description.joints {
        for coordinate in &mut joint.coordinates {
            if let CoordinateMotion::Prescribed(signal) = &mut coordinate.motion {
                take.take(signal);
            }
        }
        // A coordinate that says nothing is not written.
        while joint
            .coordinates
            .last()
            .is_some_and(|c| *c == Coordinate::default())
        {
            joint.coordinates.pop();
        }
    }
    for constraint in &mut description.constraints {
        constraint.kind.fields(&mut take);
    }
    for force in &mut description.forces {
        force.kind.fields(&mut take);
    }
    for control in &mut description.controls {
        control.kind.fields(&mut take);
    }
    for track in &mut description.tracks {
        track.fields(&mut take);
    }
    take.0
}

/// Initial values are stated or fixed by turns, and some frames have hints.
fn say_how_it_is_meant(description: &mut Description, seed: u64) {
    let mut turn = seed;
    let mut hold = |value: &[f64]| {
        turn += 1;
        match turn % 3 {
            0 if value.iter().all(|x| *x == 0.0) => Hold::Free,
            0 | 1 => Hold::Stated,
            _ => Hold::Fixed,
        }
    };
    for joint in &mut description.joints {
        for coordinate in &mut joint.coordinates {
            if coordinate.motion == CoordinateMotion::Free {
                coordinate.position_hold = hold(&[coordinate.position]);
                coordinate.velocity_hold = hold(&[coordinate.velocity]);
            }
        }
        if joint.kind.info().has_orientation && !joint.orientation_locked {
            joint.orientation_hold = hold(&joint.orientation);
            joint.angular_velocity_hold = hold(&joint.angular_velocity);
        }
    }
    let last = description.bodies[description.bodies.len() - 1].name.clone();
    let hint = StartHint::new(last).position([0.1, 0.2, -0.3]);
    description.hints.push(match seed % 3 {
        0 => hint.orientation([1.0, 0.2, -0.1, 0.4]),
        1 => hint.velocity([1.0, 0.0, 0.5]),
        _ => hint.angular_velocity([0.0, -2.0, 1.0]),
    });
}

#[test]
fn random_mechanisms() {
    let mut functions = 0;
    for seed in 0..500 {
        let mut description = holonom_testing::description(seed, 12);
        say_how_it_is_meant(&mut description, seed);
        let text = write(&ModelFile::new(description.clone())).unwrap();
        let file = reread(&text);
        // The same as described, functions of time up to rounding.
        let (mut described, mut read) = (description, file.description.clone());
        let (expected, found) = (values(&mut described), values(&mut read));
        assert!(described == read, "mechanism {seed}:\n{text}");
        functions += expected.len();
        assert_eq!(expected.len(), found.len());
        for (a, b) in expected.iter().zip(&found) {
            assert!(
                (a - b).abs() <= 1e-13 * (1.0 + a.abs()),
                "mechanism {seed}: {a} {b}\n{text}"
            );
        }
        // From then on to the bit.
        let again = write(&file).unwrap();
        let same = reread(&again);
        assert!(same == file, "mechanism {seed}:\n{text}\n{again}");
        assert_eq!(write(&same).unwrap(), again);
        file.compile().unwrap();
    }
    assert!(functions > 5000, "{functions}");
}

fn check(path: &Path, files: &Files) -> ModelFile {
    let file = read(path, files, &[]).unwrap_or_else(|messages| panic!("{messages}"));
    let text = write(&file).unwrap();
    let same = reread(&text);
    assert!(
        same == file,
        "{}: {}\n{text}",
        path.display(),
        difference(&same, &file)
    );
    assert_eq!(write(&same).unwrap(), text, "{}", path.display());
    file
}

/// The first things that are not equal.
fn difference(a: &ModelFile, b: &ModelFile) -> String {
    let (d, e) = (&a.description, &b.description);
    let forces = d.forces.iter().zip(&e.forces).find(|(x, y)| x != y);
    let joints = d.joints.iter().zip(&e.joints).find(|(x, y)| x != y);
    let bodies = d.bodies.iter().zip(&e.bodies).find(|(x, y)| x != y);
    let inputs = a.inputs.iter().zip(&b.inputs).find(|(x, y)| x != y);
    format!("{forces:#?} {joints:#?} {bodies:#?} {inputs:#?}")
}

/// Model files below a folder.
fn model_files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut folders = vec![root];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "toml") && !path.ends_with("Cargo.toml") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn shipped_models_and_templates() {
    let models = model_files("models");
    assert!(models.len() >= 13, "{}", models.len());
    let templates = model_files("apps/cli/templates");
    assert!(templates.len() >= 4, "{}", templates.len());
    for path in models.iter().chain(&templates) {
        check(path, &Files::disk()).compile().unwrap();
    }
}

const AXLE: &str = r#"
[model]
format = 1
name = "axle"
[parameters]
track = "1.5 m"
height = 0.02
[[table]]
name = "road"
x = [0, 1, 2]
y = [0, "height", 0]
extrapolation = "hold"
[[input]]
name = "bump"
unit = "m"
expression = "road(t)"
[ground]
markers = { hub = [0, "track/2", 0] }
[[body]]
name = "wheel"
mass = 10
solid = { cylinder = { radius = 0.3, length = 0.2 } }
markers = { rim = { position = [0.3, 0, 0], cardan = ["10 deg", 0, "20 deg"] } }
[[joint]]
name = "spin"
kind = "cylindrical"
from = "ground.hub"
to = "wheel"
axis = [0, 1, 0]
displacement = { follows = "0.1*bump" }
[[force]]
name = "brake"
kind = "joint-spring"
coordinate = "spin.angle"
damping = 3
motor = "5 N*m * sin(3*t) + 0.1*bump*100"
[[force]]
name = "drag"
kind = "expression"
from = "ground"
to = "wheel"
force = ["-0.3*vx", 0, "-road(x)"]
[simulation]
t_end = 3
[[output]]
channels = ["nothing"]
"#;

#[test]
fn included_and_mirrored_parts() {
    let car = r#"
[model]
format = 1
name = "car"
[[body]]
name = "chassis"
mass = 1000
solid = { box = [3, 1.5, 1] }
markers = { front = { position = [1.2, 0, 0], z_axis = [0, 0.1, 1] } }
[[joint]]
name = "float"
kind = "free"
from = "ground"
to = "chassis"
orientation = { cardan = [0, 0, "5 deg"] }
[[include]]
file = "axle.toml"
prefix = "left-"
on = "chassis.front"
[[include]]
file = "axle.toml"
prefix = "right-"
on = "chassis.front"
position = [0, 0.1, 0]
cardan = [0, 0, "2 deg"]
mirror = "y"
parameters = { track = "1.6 m", height = 0.05 }
[[input]]
name = "left_road"
expression = 1
[[constraint]]
name = "differential"
kind = "coupling"
terms = { "left-spin.angle" = 1, "right-spin.angle" = -2 }
"#;
    let files = Files::in_memory([("car.toml", car), ("axle.toml", AXLE)]);
    let file = check(Path::new("car.toml"), &files);
    assert_eq!(file.description.bodies.len(), 3);
    // Tables and inputs of the parts keep apart, under names that expressions can use.
    let names: Vec<&str> = file.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["left_road", "left_bump", "right_bump"]);
    let bump = |index: usize| file.inputs[index].signal.evaluate(1.0)[0];
    assert_eq!((bump(1), bump(2)), (0.02, 0.05));
    // How to run it and what to record are those of the file that is run.
    assert!(file.outputs.is_empty() && file.settings.t_end.is_none());
    file.compile().unwrap();
}

#[test]
fn columns_by_number_or_heading() {
    let model = |columns: &str| {
        format!(
            "[model]\nformat = 1\nname = \"m\"\n[[table]]\nname = \"road\"\nfile = \"road.csv\"\n{columns}\n\
             [[body]]\nname = \"b\"\nmass = \"road(1)\"\ninertia = [1, 1, 1]\n\
             [[joint]]\nname = \"j\"\nkind = \"free\"\nfrom = \"ground\"\nto = \"b\"\n"
        )
    };
    let mass = |columns: &str, csv: &str| {
        let files = Files::in_memory([("m.toml", model(columns).as_str()), ("road.csv", csv)]);
        read("m.toml", &files, &[])
            .unwrap_or_else(|m| panic!("{m}"))
            .description
            .bodies[0]
            .mass
    };
    let (plain, headed) = ("0 10 20\n1 11 21\n", "s;z;w\n0;10;20\n1;11;21\n");
    assert_eq!(mass("", plain), 11.0);
    assert_eq!(mass("", headed), 11.0);
    assert_eq!(mass("columns = [1, 3]", plain), 21.0);
    assert_eq!(mass("columns = [\"s\", \"w\"]", headed), 21.0);
}

#[test]
fn parameters_from_elsewhere() {
    let files = Files::in_memory([("axle.toml", AXLE)]);
    let set = |name: &str, value: &str| read("axle.toml", &files, &[(name.to_string(), value.to_string())]);
    let file = set("track", "200 cm").unwrap();
    assert_eq!(file.description.ground[0].frame.position.0, [0.0, 1.0, 0.0]);
    for (name, value, expected) in [
        ("trak", "1 m", "did you mean `track`?"),
        ("track", "2 kg", "a quantity in m, but this is one in kg"),
        ("track", "2 furlongs", "furlongs"),
        ("track", "2*(", ""),
        ("track", "1/0", "not a finite number"),
        ("height", "t", ""),
    ] {
        let messages = set(name, value).unwrap_err();
        let shown = messages.to_string();
        assert!(shown.contains("--set:1:") && shown.contains(expected), "{shown}");
    }
}

/// A law that says what an absent one means is left out, and the model stays the same.
#[test]
fn laws_that_say_nothing() {
    let text = "[model]\nformat = 1\nname = \"m\"\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n\
                [[joint]]\nname = \"j\"\nkind = \"free\"\nfrom = \"ground\"\nto = \"b\"\n\
                [[force]]\nname = \"f\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"b\"\nforce = [0, 0, 0]\n";
    check(Path::new("m.toml"), &Files::in_memory([("m.toml", text)]));
}
