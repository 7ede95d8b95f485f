//! Kinds of elements that a program adds are as good as those of the engine.

#![allow(clippy::unwrap_used)]

#[path = "../examples/hysteresis/bouc_wen.rs"]
mod bouc_wen;

use bouc_wen::BoucWen;
use holonom::format::{Files, ModelFile, Settings, read, schema, write};
use holonom::multibody::description::Axis;
use holonom::multibody::elements::LibraryError;
use holonom::multibody::elements::constraints::{Pair, Point};
use holonom::multibody::elements::controls::Lag;
use holonom::multibody::elements::forces::Maxwell;
use holonom::multibody::elements::prelude::*;
use holonom::simulation::{Memory, RunOptions, RunReport, Simulation};

/// A force of the engine as one of this program.
#[derive(Clone, Debug, Default, PartialEq)]
struct OwnMaxwell(Maxwell<Named>);

#[derive(Clone, Debug)]
struct OwnMaxwellLaw(Maxwell);

impl DescribedForce for OwnMaxwell {
    const NAME: &str = "own-maxwell";
    const DOC: &str = "The same as maxwell.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        self.0.fields(visitor);
    }
    fn faults(&self, faults: &mut Faults) {
        self.0.faults(faults);
    }
    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
        match self.0.attach(to)? {
            ForceElement::Maxwell(law) => Some(ForceElement::custom(OwnMaxwellLaw(law))),
            _ => None,
        }
    }
}

impl ForceLaw for OwnMaxwellLaw {
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
        self.0.evaluate(scene, loads);
    }
    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
        self.0.energy(scene)
    }
    fn reach(&self) -> Reach<'_> {
        self.0.reach()
    }
    fn states(&self) -> Vec<OwnState> {
        self.0.states()
    }
    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.0.rates(scene, out);
    }
}

/// A constraint of the engine as one of this program.
#[derive(Clone, Debug, Default, PartialEq)]
struct OwnPoint(Point);

#[derive(Clone, Debug)]
struct OwnPointLaw(Pair);

impl DescribedConstraint for OwnPoint {
    const NAME: &str = "own-point";
    const DOC: &str = "The same as point.";
    const ROWS: usize = 3;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        self.0.fields(visitor);
    }
    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        match self.0.attach(to)? {
            ConstraintElement::Pair(pair) => Some(ConstraintElement::custom(OwnPointLaw(pair))),
            _ => None,
        }
    }
}

impl ConstraintLaw for OwnPointLaw {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn levels(&self) -> Vec<RowLevel> {
        self.0.levels()
    }
    fn row_names(&self) -> Vec<String> {
        self.0.row_names()
    }
    fn sides(&self) -> Option<[Attachment; 2]> {
        self.0.sides()
    }
    fn has_torque(&self) -> bool {
        self.0.has_torque()
    }
    fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]) {
        self.0.position(scene, g);
    }
    fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.0.velocity(scene, out);
    }
    fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.0.acceleration(scene, out);
    }
    fn directions<T: Real>(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>> {
        self.0.directions(scene, out)
    }
    fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
        self.0.loads(scene, multipliers, loads);
    }
}

/// A control of the engine as one of this program.
#[derive(Clone, Debug, Default, PartialEq)]
struct OwnLag(Lag);

impl DescribedControl for OwnLag {
    const NAME: &str = "own-lag";
    const DOC: &str = "The same as lag.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        self.0.fields(visitor);
    }
    fn faults(&self, faults: &mut Faults) {
        self.0.faults(faults);
    }
    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        Some(ControlElement::custom::<Self>(self.clone()))
    }
}

impl ControlLaw for OwnLag {
    fn output<T: Real>(&self, scene: &Scene<T>) -> T {
        self.0.output(scene)
    }
    fn direct(&self) -> bool {
        self.0.direct()
    }
    fn states(&self) -> Vec<OwnState> {
        self.0.states()
    }
    fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        self.0.rates(scene, out);
    }
}

fn library() -> Library {
    let library = Library::standard().with_force::<OwnMaxwell>().unwrap();
    let library = library.with_constraint::<OwnPoint>().unwrap();
    let library = library.with_control::<OwnLag>().unwrap();
    library.with_force::<BoucWen<Named>>().unwrap()
}

/// Two bars whose loop is closed by a constraint, with a strut and a motor behind a lag; `own` is before the names of
/// the three kinds.
fn linkage(own: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "linkage"

[[body]]
name = "left"
mass = 2
centre = [0, 0, -0.5]
inertia = [0.17, 0.17, 0.01]
markers = {{ end = [0, 0, -1] }}

[[body]]
name = "right"
mass = 3
centre = [0, 0, -0.7]
inertia = [0.2, 0.2, 0.02]
markers = {{ end = [0, 0, -1.4] }}

[ground]
markers = {{ pivot = [1, 0, 0.2], post = [0.4, 0.5, -0.3] }}

[[joint]]
name = "A"
kind = "universal"
from = "ground"
to = "left"
angle_x = "15 deg"
angle_y = "-20 deg"

[[joint]]
name = "B"
kind = "spherical"
from = "ground.pivot"
to = "right"

[[constraint]]
name = "C"
kind = "{own}point"
from = "left.end"
to = "right.end"

[[force]]
name = "strut"
kind = "{own}maxwell"
from = "ground.post"
to = "left.end"
stiffness = 300
damping = 40
free_length = 0.6

[[control]]
name = "angle"
kind = "sensor"
channel = "A.angle_y"

[[control]]
name = "filtered"
kind = "{own}lag"
input = "3*sin(4*t) - 2*angle"
time_constant = 0.2

[[force]]
name = "motor"
kind = "joint-spring"
coordinate = "A.angle_y"
motor = "4*filtered"

[simulation]
t_end = 2
output_step = 0.1
"#
    )
}

fn parsed(text: &str) -> ModelFile {
    let files = Files::in_memory([("model.toml", text)]).library(library());
    read("model.toml", &files, &[]).unwrap_or_else(|messages| panic!("{messages}"))
}

fn run(file: &ModelFile, stepper: &str) -> (Vec<Vec<f64>>, RunReport) {
    let mut settings = Settings::default();
    settings.set(
        "stepper",
        holonom::format::SettingValue::Name(stepper.to_string()),
    );
    let simulation = Simulation::new(file, &settings).unwrap_or_else(|messages| panic!("{messages}"));
    let selection = simulation.catalogue.select(&["*"]).unwrap();
    let mut rows = Memory::default();
    let report = simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
    (rows.0, report)
}

#[test]
fn an_element_of_another_crate_gives_the_same_bits() {
    for stepper in ["bdf", "radau", "dormand-prince"] {
        let (inside, standard) = run(&parsed(&linkage("")), stepper);
        let (outside, custom) = run(&parsed(&linkage("own-")), stepper);
        assert!(standard.counters.steps > 10 && inside.len() == 21);
        for (k, (a, b)) in inside.iter().flatten().zip(outside.iter().flatten()).enumerate() {
            assert!(a == b, "{stepper}: value {k} is {a} and {b}");
        }
        assert_eq!(inside.iter().flatten().count(), outside.iter().flatten().count());
        assert_eq!(standard.counters, custom.counters, "{stepper}");
    }
}

#[test]
fn files_with_own_kinds_are_written_and_read_again() {
    let file = parsed(&linkage("own-"));
    let text = write(&file).unwrap();
    assert!(text.contains("own-maxwell") && text.contains("own-point") && text.contains("own-lag"));
    assert!(parsed(&text) == file);
    assert!(parsed(&linkage("")).description != file.description);
}

/// A mirrored part with a prefix moves as its image.
#[test]
fn parts_with_own_kinds_are_included_and_mirrored() {
    let host = |mirror: &str| {
        format!(
            "[model]\nformat = 1\nname = \"host\"\n[[include]]\nfile = \"part.toml\"\nprefix = \"p_\"\n{mirror}\n\
             [simulation]\nt_end = 2\noutput_step = 0.1\n"
        )
    };
    let included = |mirror: &str| {
        let texts = [("host.toml", host(mirror)), ("part.toml", linkage("own-"))];
        let file = read("host.toml", &Files::in_memory(texts).library(library()), &[]).unwrap();
        let simulation = Simulation::new(&file, &Settings::default()).unwrap();
        let wanted = ["p_left.end.position.y", "p_strut.tension", "p_filtered"];
        let selection = simulation.catalogue.select(&wanted).unwrap();
        let mut rows = Memory::default();
        simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
        rows.0
    };
    let (plain, mirrored) = (included(""), included("mirror = \"y\""));
    assert_eq!(plain.len(), mirrored.len());
    let mut largest = 0.0_f64;
    for (a, b) in plain.iter().zip(&mirrored) {
        let n = a.len();
        assert!((a[n - 3] + b[n - 3]).abs() < 1e-5, "{a:?} {b:?}");
        assert!((a[n - 2] - b[n - 2]).abs() < 1e-3, "{a:?} {b:?}");
        assert!((a[n - 1] - b[n - 1]).abs() < 1e-5, "{a:?} {b:?}");
        largest = largest.max(a[n - 2].abs());
    }
    assert!(largest > 1.0);
    assert_eq!(Axis::from_name("y"), Some(Axis::Y));
}

#[test]
fn messages_and_the_schema_know_own_kinds() {
    let refused = |text: &str| {
        let files = Files::in_memory([("model.toml", text)]).library(library());
        let model = read("model.toml", &files, &[])
            .and_then(|file| Simulation::new(&file, &Settings::default()).map(|_| ()));
        model.unwrap_err().to_string()
    };
    let text = refused(&linkage("own-").replace("own-maxwell", "own-maxwel"));
    assert!(text.contains("own-maxwell"), "{text}");
    let text = refused(&linkage("own-").replace("stiffness", "stifness"));
    assert!(text.contains("stiffness"), "{text}");
    let text = refused(&linkage("own-").replace("damping = 40", "damping = -4"));
    assert!(text.contains("model.toml") && text.contains("damping"), "{text}");
    let text = refused(&linkage("own-").replace("to = \"left.end\"", "to = \"lift.end\""));
    assert!(text.contains("did you mean"), "{text}");
    // Without the library the kinds do not exist.
    let files = Files::in_memory([("model.toml", linkage("own-"))]);
    let text = read("model.toml", &files, &[]).unwrap_err().to_string();
    assert!(text.contains("own-point"), "{text}");

    let kinds = |part: &str| schema(&library())["properties"][part].to_string();
    for (part, name) in [
        ("force", "bouc-wen"),
        ("constraint", "own-point"),
        ("control", "own-lag"),
    ] {
        assert!(kinds(part).contains(&format!("\"{name}\"")), "{part}");
        assert!(!schema(&Library::standard()).to_string().contains(name));
    }
}

/// A kind with the name of another one.
#[derive(Clone, Debug, Default, PartialEq)]
struct Taken(Lag);

impl DescribedControl for Taken {
    const NAME: &str = "lag";
    const DOC: &str = "Another lag.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        self.0.fields(visitor);
    }
    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        None
    }
}

/// A kind with fields that model files cannot have.
#[derive(Clone, Debug, Default, PartialEq)]
struct Unwritable([f64; 2]);

impl DescribedControl for Unwritable {
    const NAME: &str = "unwritable";
    const DOC: &str = "Shows its field twice.";

    fn fields(&mut self, visitor: &mut dyn Fields) {
        for value in &mut self.0 {
            visitor.number(&Field::required("gain", "", "A gain."), value);
        }
    }
    fn attach(&self, _: &mut dyn ResolveControl) -> Option<ControlElement> {
        None
    }
}

#[test]
fn a_library_refuses_kinds_that_files_cannot_name() {
    let refused = Library::standard().with_control::<Taken>().unwrap_err();
    let name = "lag";
    assert_eq!(
        refused,
        LibraryError::NameTaken {
            sort: "control",
            name
        }
    );
    let refused = Library::standard()
        .with_control::<Unwritable>()
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`gain`") && refused.contains("twice"),
        "{refused}"
    );
    let twice = library().with_force::<OwnMaxwell>();
    assert!(twice.is_err());
}

/// A held Bouc–Wen spring in a motion that goes on: z and the tension of its closed solution for n = 2, γ = β = 1/2.
/// While it is stretched at rest from zero, dz/dx = 1 − (z/d)², so that z = d tanh(x/d).
#[test]
fn the_example_is_a_hysteretic_spring() {
    let text = r#"
[model]
format = 1
name = "stretched"
[[body]]
name = "end"
mass = 1
[[joint]]
name = "slide"
kind = "prismatic"
from = "ground"
to = "end"
axis = [1, 0, 0]
displacement = { follows = "1 + 0.05*t" }
[[force]]
name = "spring"
kind = "bouc-wen"
from = "ground"
to = "end"
stiffness = 2000
hardening = 0.2
yield_displacement = 0.02
free_length = 1
[simulation]
t_end = 1
output_step = 0.25
rtol = 1e-9
atol = 1e-9
"#;
    let simulation = Simulation::new(&parsed(text), &Settings::default()).unwrap();
    let wanted = ["spring.tension", "spring.hysteretic", "spring.displacement"];
    let selection = simulation.catalogue.select(&wanted).unwrap();
    let mut rows = Memory::default();
    simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
    assert_eq!(rows.0.len(), 5);
    for (k, row) in rows.0.iter().enumerate() {
        let x = 0.05 * 0.25 * k as f64;
        let z = 0.02 * (x / 0.02).tanh();
        let tension = 2000.0 * (0.2 * x + 0.8 * z);
        let n = row.len();
        let error = [row[n - 3] - tension, row[n - 2] - z, row[n - 1] - x];
        assert!(
            error[0].abs() < 1e-5 && error[1].abs() < 1e-8 && error[2].abs() < 1e-12,
            "{row:?} {error:?}"
        );
    }
}
