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
