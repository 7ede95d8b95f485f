//! Controls in model files: in parts, in the mirror, and what is refused.

#![allow(clippy::unwrap_used)]

use holonom_format::{Files, read, write};
use holonom_multibody::description::ControlKind;
use holonom_multibody::elements::controls::Sensor;

const WHEEL: &str = r#"
[model]
format = 1
name = "wheel"

[parameters]
gain = 20

[[body]]
name = "hub"
mass = 2
inertia = [0.1, 0.1, 0.1]

[[joint]]
name = "place"
kind = "planar"
from = "ground"
to = "hub"
y = 0.2

[[control]]
name = "side"
kind = "sensor"
channel = "place.y"

[[control]]
name = "push"
kind = "pid"
input = "side"
target = "0.1*t"
proportional = "2*gain"
integral = 5
limited = true
low = -30
high = 40

[[control]]
name = "shaped"
kind = "transfer-function"
input = "push + side"
numerator = [1, "gain"]
denominator = [1, 2, "gain"]

[[force]]
name = "motor"
kind = "joint-spring"
coordinate = "place.y"
motor = "3*shaped + t"
"#;

const CAR: &str = r#"
[model]
format = 1
name = "car"

[[body]]
name = "frame"
mass = 10
inertia = [1, 1, 1]

[[joint]]
name = "rail"
kind = "prismatic"
from = "ground"
to = "frame"

[[include]]
file = "wheel.toml"
prefix = "left_"
on = "frame"

[[include]]
file = "wheel.toml"
prefix = "right_"
on = "frame"
mirror = "y"

[[force]]
name = "drive"
kind = "joint-spring"
coordinate = "rail"
motor = "left_push + right_push - hold"

[[control]]
name = "hold"
kind = "expression"
value = "2*sin(t)"
"#;

fn files(car: &str) -> Files {
    Files::in_memory([("car.toml", car), ("wheel.toml", WHEEL)])
}

#[test]
fn parts_bring_their_controls() {
    let file = read("car.toml", &files(CAR), &[]).unwrap_or_else(|m| panic!("{m}"));
    let d = &file.description;
    let names: Vec<&str> = d.controls.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "left_side",
            "left_push",
            "left_shaped",
            "right_side",
            "right_push",
            "right_shaped",
            "hold"
        ]
    );
    // The image measures the other way round, so that both controllers see the same.
    let factor = |k: usize| match &d.controls[k].kind {
        ControlKind::Sensor(Sensor { channel, factor, .. }) => (channel.as_str(), *factor),
        other => panic!("{other:?}"),
    };
    assert_eq!(factor(0), ("left_place.y", 1.0));
    assert_eq!(factor(3), ("right_place.y", -1.0));
    let model = file.compile().unwrap_or_else(|m| panic!("{m}"));
    assert_eq!(model.controls.len(), 7);
    assert_eq!(model.states.len(), 6);
    // Written and read again it is the same.
    let text = write(&file).unwrap();
    let again = read(
        "again.toml",
        &Files::in_memory([("again.toml", text.as_str())]),
        &[],
    );
    let again = again.unwrap_or_else(|m| panic!("{m}\n{text}"));
    assert!(again == file, "{text}");
    assert_eq!(write(&again).unwrap(), text);
}

#[test]
fn what_is_refused_is_shown_at_its_place() {
    for (old, new, expected) in [
        ("left_push + right_push - hold", "left_pusch", "left_push"),
        ("mass = 10", "mass = \"hold\"", "it is a control"),
        (
            "kind = \"prismatic\"",
            "kind = \"prismatic\"\ndisplacement = { follows = \"left_push\" }",
            "left_push",
        ),
        (
            "[[force]]",
            "[[control]]\nname = \"speed\"\nkind = \"sensor\"\nchannel = \"frame.aceleration.x\"\n\n[[force]]",
            "did you mean \"frame.acceleration.x\"",
        ),
        (
            "[[force]]",
            "[[control]]\nname = \"left_push\"\nkind = \"expression\"\nvalue = 1\n\n[[force]]",
            "left_push",
        ),
        (
            "[[force]]",
            "[[control]]\nname = \"sin\"\nkind = \"expression\"\nvalue = 1\n\n[[force]]",
            "reserved in expressions",
        ),
    ] {
        assert!(CAR.contains(old), "{old}");
        let text = CAR.replacen(old, new, 1);
        let shown = match read("car.toml", &files(&text), &[]) {
            Err(messages) => messages.to_string(),
            Ok(file) => match file.compile() {
                Err(messages) => messages.to_string(),
                Ok(_) => panic!("accepted: {new}"),
            },
        };
        assert!(shown.contains(expected), "{new}:\n{shown}");
    }
}
