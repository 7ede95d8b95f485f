//! Constant-velocity joints: speed, torque and bending.

use crate::stand::{close, file, integrate, run};
use holonom::multibody::residual::Form;

/// Two shafts at an angle, joined by a constant-velocity joint: they turn alike and carry the same torque.
#[test]
fn shafts_at_an_angle_turn_alike() {
    let text = r#"
[model]
format = 1
name = "half shafts"
gravity = [0, 0, 0]
[ground]
markers = { bent = { position = [0, 0, 0], z_axis = [0.6, 0.2, 0.7] } }
[[body]]
name = "input"
mass = 1
inertia = [0.02, 0.02, 0.01]
[[body]]
name = "output"
mass = 1
inertia = [0.05, 0.05, 0.03]
[[joint]]
name = "in"
kind = "revolute"
from = "ground"
to = "input"
angle = { start = 0.2, velocity = 4 }
[[joint]]
name = "out"
kind = "revolute"
from = "ground.bent"
to = "output"
[[joint]]
name = "cv"
kind = "constant-velocity"
from = "input"
to = "output"
[[force]]
name = "engine"
kind = "joint-spring"
coordinate = "in"
motor = "0.5*sin(2*t)"
[[force]]
name = "brake"
kind = "joint-spring"
coordinate = "out"
damping = 0.02
"#;
    let times = [0.0, 0.3, 1.1, 2.5];
    let channels = [
        "in.angle",
        "in.angle.velocity",
        "out.angle",
        "out.angle.velocity",
        "cv.torque.z",
    ];
    let rows = run(&file(text, &[]), Form::Ggl, &times, &channels);
    // (J₁ + J₂) ω̇ = M − c ω for the shafts together; the joint transmits what moves the second one.
    let rate = |t: f64, [_, w]: [f64; 2]| (0.5 * (2.0 * t).sin() - 0.02 * w) / 0.04;
    let offset = rows[0][2] - rows[0][0];
    for (t, row) in times.into_iter().zip(&rows) {
        let [angle, speed] = match t {
            0.0 => [0.2, 4.0],
            _ => integrate([0.2, 4.0], t, rate),
        };
        close(row[0], angle, 1e-7, "in");
        close(row[1], speed, 1e-7, "speed in");
        close(row[2] - row[0], offset, 1e-7, "out");
        close(row[3], speed, 1e-7, "speed out");
        // The first shaft feels the torque about its axis: power in is power out.
        let torque = 0.03 * rate(t, [angle, speed]) + 0.02 * speed;
        close(row[4].abs(), torque.abs(), 1e-6, "torque");
    }
}

/// A body that hangs on a constant-velocity joint alone: two degrees of freedom, and it never twists.
#[test]
fn a_body_hangs_on_a_constant_velocity_joint() {
    let text = r#"
[model]
format = 1
name = "hanging"
[ground]
markers = { hook = { position = [0, 0, 0], z_axis = [0, 0, -1] } }
[[body]]
name = "bob"
mass = 2
centre = [0.05, 0, 0.5]
inertia = [0.17, 0.15, 0.04]
[[joint]]
name = "hook"
kind = "constant-velocity"
from = "ground.hook"
to = "bob"
orientation = [0.96, 0.2, 0.1, 0]
angular_velocity = [1, -0.5, 0]
"#;
    let compiled = std::sync::Arc::new(file(text, &[]).compile().unwrap());
    let start = compiled.assemble(&Default::default()).unwrap();
    assert_eq!(start.degrees_of_freedom(), 2);
    let channels = [
        "hook.orientation.x",
        "hook.orientation.y",
        "hook.orientation.z",
        "energy.total",
    ];
    let rows = run(&file(text, &[]), Form::Ggl, &[0.0, 0.7, 1.9], &channels);
    for row in &rows {
        assert!(row[2].abs() < 1e-7, "{row:?}");
        close(row[3], rows[0][3], 1e-7, "energy");
    }
    assert!(
        (rows[0][0] - 0.2 / (0.96_f64.powi(2) + 0.05).sqrt()).abs() < 1e-3,
        "{:?}",
        rows[0]
    );
    assert!(
        (rows[0][0] - rows[2][0]).abs() > 0.01 && (rows[0][1] - rows[2][1]).abs() > 0.01,
        "{rows:?}"
    );
    let refused = |line: &str| {
        let text = text.replace("orientation = [0.96, 0.2, 0.1, 0]", line);
        file(&text, &[]).compile().unwrap_err().to_string()
    };
    assert!(refused("hint = \"tree\"").contains("remove its hint"));
    assert!(refused("orientation_locked = true").contains("fixed joint"));
}
