//! Springs, stops, contacts and drives in model files.
#![allow(clippy::unwrap_used)]

use holonom_format::{Files, ModelFile, read, write};
use holonom_multibody::elements::forces::FORCES;
use holonom_multibody::tyre::MagicFormula;
use holonom_multibody::tyre::tir::TirFile;

const HEAD: &str = r#"
[model]
format = 1
name = "all"
[parameters]
k = "30 N/mm"
[[table]]
name = "rubber"
x = [-0.1, 0, 0.05]
y = [-9000, 0, 2000]
interpolation = "monotone"
extrapolation = "linear"
[[body]]
name = "one"
mass = 2
solid = { box = [1, 1, 1] }
markers = { end = [0.5, 0, 0] }
[[body]]
name = "two"
mass = 2
solid = { box = [1, 1, 1] }
[[joint]]
name = "slide"
kind = "prismatic"
from = "ground"
to = "one"
[[joint]]
name = "turn"
kind = "revolute"
from = "one.end"
to = "two"
"#;

const FORCES_OF_ALL_KINDS: &str = r#"
[[force]]
name = "f1"
kind = "nonlinear-spring"
from = "ground"
to = "two"
spring = "rubber(x) + k*x"
damper = "1500*v + 20*v*abs(v)"
free_length = "300 mm"
[[force]]
name = "f2"
kind = "nonlinear-joint-spring"
coordinate = "turn"
spring = "5*sin(x)"
free_position = "10 deg"
[[force]]
name = "f3"
kind = "bushing"
from = "ground"
to = "two"
stiffness = ["800 N/mm", 8e5, 1e5, 90, 90, 30]
damping = [[4, 1, 0, 0, 0, 0], [1, 4, 0, 0, 0, 0], [0, 0, 4, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]
preload_force = [0, 0, "1 kN"]
force = ["1e9*s^3", 0, "rubber(s)"]
[[force]]
name = "f4"
kind = "anti-roll-bar"
bar = "ground"
left = "one"
right = "two"
stiffness = 900
lever = "250 mm"
[[force]]
name = "f5"
kind = "joint-anti-roll-bar"
left = "slide"
right = "turn"
stiffness = 400
left_ratio = 3
[[force]]
name = "f6"
kind = "air-spring"
from = "ground"
to = "two"
height = 0.2
volume = 0.01
area = "0.03 + 0.02*x"
load = "15 kN"
exponent = 1.3
[[force]]
name = "f7"
kind = "bump-stop"
from = "ground"
to = "two"
length = 0.1
rebound = true
stiffness = "k"
onset = "5 mm"
[[force]]
name = "f7b"
kind = "cable"
from = "ground"
over = ["two", "ground"]
to = "two"
length = "0.3 - 0.1*t"
axial_stiffness = "20 kN"
onset = 1e-3
[[force]]
name = "f8"
kind = "joint-stop"
coordinate = "turn"
upper = "30 deg"
stiffness = 1000
damping = 2
onset = "2 deg"
[[force]]
name = "f9"
kind = "plane-contact"
plane = "ground"
body = "two"
shape = "box"
size = [0.3, 0.2, 0.1]
stiffness = 1e6
friction = 0.4
[[force]]
name = "f10"
kind = "sphere-contact"
from = "ground"
to = "two"
radius = 0.1
second_radius = 0.2
stiffness = 1e6
[[force]]
name = "f11"
kind = "cylinder-contact"
from = "ground"
to = "two"
radius = 0.1
second_radius = 0.2
axes = "parallel"
length = 0.3
stiffness = 1e6
dissipation = 0.4
[[force]]
name = "f12"
kind = "actuator"
from = "ground"
to = "two"
force = "100*sin(2*t)"
torque = "3 N*m"
[[force]]
name = "f13"
kind = "servo"
coordinate = "turn"
target = "0.3*sin(t)"
stiffness = 400
limit = 60
[[force]]
name = "f14"
kind = "maxwell"
from = "ground"
to = "two"
stiffness = "k"
damping = 2000
free_length = "300 mm"
start = 0.01
[[force]]
name = "f15"
kind = "joint-friction"
coordinate = "turn"
coefficient = 0.2
stribeck = 0.1
viscous = 3
normal_force = "1 kN"
radius = "20 mm"
[[road]]
name = "test track"
kind = "tracks"
left = "rubber(x)/1e6"
right = 0
track = 1.5
frame = "one"
friction = 0.8
swapped = true
[[force]]
name = "f16"
kind = "linear-tyre"
wheel = "two"
road = "test track"
enveloping = 0.1
radius = 0.3
stiffness = "200 N/mm"
slip_stiffness = 8e4
cornering_stiffness = 5e4
[[force]]
name = "f17"
kind = "calspan-tyre"
wheel = "two"
mirrored = true
radius = 0.3
stiffness = 2e5
a_three = 2.3
[[force]]
name = "f18"
kind = "tmeasy-tyre"
wheel = "two"
radius = 0.3
stiffness = 2e5
nominal_load = 3000
stiffness_x = 150000
stiffness_y = 100000
slope_x = 90000
slope_x_double = 160000
peak_force_x = 3200
peak_force_x_double = 6000
peak_slip_x = 0.11
peak_slip_x_double = 0.12
sliding_force_x = 3000
sliding_force_x_double = 5400
sliding_slip_x = 0.4
sliding_slip_x_double = 0.5
slope_y = 60000
slope_y_double = 95000
peak_force_y = 3000
peak_force_y_double = 5500
peak_slip_y = 0.18
peak_slip_y_double = 0.2
sliding_force_y = 2900
sliding_force_y_double = 5300
sliding_slip_y = 0.6
sliding_slip_y_double = 0.8
trail = 0.16
trail_double = 0.18
trail_zero_slip = 0.2
trail_zero_slip_double = 0.22
trail_end_slip = 0.4
trail_end_slip_double = 0.45
[[body]]
name = "car"
mass = 0
[[track]]
name = "line"
to = "car"
curvature = "if(s < 50, 0, 0.002)"
cant = "-0.001*s"
length = "2 km"
travel = "5 m + 20 m/s*t"
[[constraint]]
name = "tread"
kind = "wheel-rail"
wheel = "two"
rail = "ground"
side = "right"
profile = "curved"
radius = "460 mm"
wheel_profile = "-0.05*s"
rail_profile = "-1.7*s^2"
smoothing = "0.02 mm"
[[force]]
name = "f20"
kind = "creep"
contact = "tread"
law = "polach"
friction = 0.4
"#;

/// A tyre whose data are in the model file itself.
fn tyre() -> String {
    let data = MagicFormula {
        unloaded_radius: 0.3,
        vertical_stiffness: 2e5,
        fnomin: 4000.0,
        pcy1: 1.3,
        pdy1: 1.0,
        pky1: -14.0,
        pky2: 1.6,
        pcx1: 1.65,
        pdx1: 1.1,
        pkx1: 22.0,
        ..MagicFormula::default()
    };
    let text = TirFile::from_magic_formula(&data).to_string();
    format!(
        "[[force]]\nname = \"f19\"\nkind = \"tyre\"\nwheel = \"two\"\nroad = \"test track\"\nfile = {{ text = \'\'\'\n{text}\'\'\' }}\n"
    )
}

fn from_text(text: &str) -> Result<ModelFile, String> {
    let files = Files::in_memory([("m.toml", text)]);
    let file = read("m.toml", &files, &[]).map_err(|messages| messages.to_string())?;
    file.compile().map_err(|messages| messages.to_string())?;
    Ok(file)
}

#[test]
fn all_kinds_are_read_and_written() {
    let file = from_text(&format!("{HEAD}{FORCES_OF_ALL_KINDS}{}", tyre())).unwrap_or_else(|m| panic!("{m}"));
    let text = write(&file).unwrap();
    let again = from_text(&text).unwrap_or_else(|m| panic!("{m}\n{text}"));
    assert!(again == file, "{text}");
    assert_eq!(write(&again).unwrap(), text);
    assert_eq!(file.description.tracks.len(), 1);
    // Those of this file and the older ones are all there are.
    let older = [
        "applied",
        "spring-damper",
        "torsion-spring",
        "joint-spring",
        "user",
        "expression",
    ];
    for info in FORCES {
        let here = file
            .description
            .forces
            .iter()
            .any(|f| f.kind.info().name == info.name);
        let known = here || older.contains(&info.name) || !info.in_files;
        assert!(known, "add \"{}\" to this test or to another one", info.name);
    }
}

#[test]
fn faults_are_shown_where_they_are() {
    for (from, to, expected) in [
        (
            "spring = \"rubber(x) + k*x\"",
            "spring = \"rubber(x) + t\"",
            "the variable `t` does not exist here",
        ),
        (
            "spring = \"rubber(x) + k*x\"",
            "spring = \"rubber(v)\"",
            "unknown name `v`",
        ),
        (
            "spring = \"rubber(x) + k*x\"",
            "spring = \"3 kg\"",
            "this is a mass",
        ),
        (
            "\"800 N/mm\", 8e5, 1e5",
            "8e5, 1e5",
            "6 numbers (the diagonal) or 6 rows of 6 are expected here, not 5",
        ),
        (
            "[4, 1, 0, 0, 0, 0]",
            "[4, 1, 0, 0, 0]",
            "6 numbers are expected in each row, not 5",
        ),
        (
            "[4, 1, 0, 0, 0, 0]",
            "[4, 2, 0, 0, 0, 0]",
            "the damping is not symmetric",
        ),
        (
            "lever = \"250 mm\"",
            "lever = -1",
            "`lever` is -1, but must be positive",
        ),
        ("load = \"15 kN\"", "", "the static state needs exactly one of"),
        ("onset = \"5 mm\"", "", "needs `onset`"),
        ("upper = \"30 deg\"", "", "it has no end to stop at"),
        ("shape = \"box\"", "shape = \"cone\"", "cone"),
        ("size = [0.3, 0.2, 0.1]", "radius = 0.1", "a box has no radius"),
        (
            "axes = \"parallel\"",
            "axes = \"crossed\"",
            "crossed cylinders have no ends",
        ),
        ("limit = 60", "limit = 0", "`limit` is 0, but must be positive"),
    ] {
        let text = format!("{HEAD}{FORCES_OF_ALL_KINDS}");
        assert!(text.contains(from), "{from}");
        let broken = text.replacen(from, to, 1);
        let messages = from_text(&broken).expect_err(to);
        assert!(messages.contains(expected), "{to}: {messages}");
        assert!(messages.contains("m.toml:"), "{messages}");
    }
}
