//! Three Cardan angles are no coordinates where the middle one is ±90°: runs tell when they come there.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, RunReport, Simulation};

/// A free body that tilts by `rate` about y and turns by `across` about z.
fn run(kind: &str, motion: &str, stepper: &str) -> RunReport {
    let text = format!(
        r#"
[model]
format = 1
name = "lock"
gravity = [0, 0, 0]
[[body]]
name = "b1"
mass = 1
inertia = [0.01, 0.02, 0.03]
[[joint]]
name = "j1"
kind = "{kind}"
from = "ground"
to = "b1"
{motion}
[simulation]
t_end = 1.2
output_step = 0.4
"#
    );
    let files = Files::in_memory([("lock.toml", text.as_str())]);
    let file = read("lock.toml", &files, &[]).unwrap();
    let settings = Settings {
        stepper: Some(stepper.into()),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let selection = simulation.catalogue.select(&["energy.total"]).unwrap();
    simulation
        .run(&RunOptions::new(selection), &mut Memory::default())
        .unwrap()
}

#[test]
fn a_run_tells_the_joint_the_time_and_the_angle() {
    for stepper in ["bdf", "radau", "dormand-prince"] {
        // Beside it, within 3°.
        let near = run(
            "free-cardan",
            "angle_y = { velocity = 2 }\nangle_z = { velocity = 0.02 }",
            stepper,
        );
        let [lock] = near.gimbal_lock.as_slice() else {
            panic!("{stepper}: {:?}", near.gimbal_lock)
        };
        assert_eq!(lock.joint, "j1");
        assert!((lock.t - 0.785).abs() < 0.01, "{stepper}: {}", lock.t);
        assert!(lock.angle.cos().abs() < 0.05, "{stepper}: {}", lock.angle);
        assert!(lock.to_string().contains("`j1`") && lock.to_string().contains("`free`"));
        // Right through it, in steps that are longer than the neighbourhood.
        let through = run("free-cardan", "angle_y = { velocity = -2 }", stepper);
        let [lock] = through.gimbal_lock.as_slice() else {
            panic!("{stepper}: {:?}", through.gimbal_lock)
        };
        assert!((lock.t - 0.785).abs() < 0.1, "{stepper}: {}", lock.t);
        assert!((lock.angle + core::f64::consts::FRAC_PI_2).abs() < 0.05);
    }
}

#[test]
fn other_runs_say_nothing() {
    let far = run("free-cardan", "angle_y = { velocity = 1 }", "bdf");
    assert_eq!(far.gimbal_lock, []);
    let euler = run("free", "angular_velocity = [0, 2, 0]", "bdf");
    assert_eq!(euler.gimbal_lock, []);
}

/// Three revolute joints in a row, as URDF files describe ball joints; the middle one turns to its singular position.
#[test]
fn joints_in_a_row_are_named() {
    let text = r#"
[model]
format = 1
name = "row"
gravity = [0, 0, 0]
[[body]]
name = "first"
mass = 0
[[body]]
name = "second"
mass = 0
[[body]]
name = "arm"
mass = 1
inertia = [0.03, 0.03, 0.03]
[[joint]]
name = "jz"
kind = "revolute"
from = "ground"
to = "first"
angle = { velocity = 0.05 }
[[joint]]
name = "jx"
kind = "revolute"
from = "first"
to = "second"
axis = [1, 0, 0]
angle = { follows = "MOTION" }
[[joint]]
name = "jy"
kind = "revolute"
from = "second"
to = "arm"
axis = [0, 1, 0]
[simulation]
t_end = 1
"#;
    let run = |text: String| {
        let files = Files::in_memory([("row.toml", text.as_str())]);
        let file = read("row.toml", &files, &[]).unwrap();
        let simulation = Simulation::new(&file, &Settings::default()).unwrap();
        let selection = simulation.catalogue.select(&["energy.total"]).unwrap();
        simulation
            .run(&RunOptions::new(selection), &mut Memory::default())
            .unwrap()
            .gimbal_lock
    };
    // Prescribed, it is no coordinate; free, it comes within 3° of 90°.
    assert!(run(text.replace("MOTION", "1.55*t")).is_empty());
    let free = text.replace("follows = \"MOTION\"", "velocity = 1.6");
    let found = run(free.clone());
    let [lock] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (lock.joint.as_str(), &lock.others),
        ("jx", &Some(["jz".into(), "jy".into()]))
    );
    assert!((lock.angle - std::f64::consts::FRAC_PI_2).abs() < 0.06, "{lock}");
    // Mass in between resists.
    let heavy = free.replace("mass = 0", "mass = 0.1\ninertia = [0.01, 0.01, 0.01]");
    assert!(run(heavy).is_empty());
}
