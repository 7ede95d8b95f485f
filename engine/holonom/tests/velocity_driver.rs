//! A velocity driver: an unbalanced rotor runs up and holds its speed. Angle and driving torque are known in closed form.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Messages, ModelFile, Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation, Status};
use std::f64::consts::PI;

fn file(velocity: &str) -> Result<ModelFile, Messages> {
    let text = format!(
        r#"
[model]
format = 1
name = "rotor"
gravity = [0, -9.81, 0]
[parameters]
n = "900 rpm"
[[body]]
name = "rotor"
mass = 2
centre = [0.1, 0, 0]
inertia = [0.2, 0.2, 0.3]
[[joint]]
name = "shaft"
kind = "revolute"
from = "ground"
to = "rotor"
angle = {{ start = "30 deg" }}
[[constraint]]
name = "motor"
kind = "velocity-driver"
coordinate = "shaft"
velocity = "{velocity}"
[simulation]
t_end = 4
output_step = 0.125
"#
    );
    read(
        "rotor.toml",
        &Files::in_memory([("rotor.toml", text.as_str())]),
        &[],
    )
}

/// Speed, angle turned and acceleration at a time.
fn motion(t: f64) -> [f64; 3] {
    let n = 30.0 * PI;
    match t < 2.0 {
        true => [n * t / 2.0, n * t * t / 4.0, n / 2.0],
        false => [n, n * (t - 1.0), 0.0],
    }
}

#[test]
fn a_run_up_holds_its_speed() {
    for stepper in ["bdf", "radau", "dormand-prince", "generalized-alpha"] {
        for form in ["ggl", "index1", "index2", "index3"] {
            if form != "ggl" && stepper != "bdf" {
                continue;
            }
            let settings = Settings {
                stepper: Some(stepper.into()),
                form: Some(form.into()),
                ..Settings::default()
            };
            let simulation = Simulation::new(&file("min(n*t/(2 s), n)").unwrap(), &settings).unwrap();
            assert!(
                !simulation.is_kinematic(),
                "positions do not follow from velocities"
            );
            let channels = ["shaft.angle", "shaft.angle.velocity", "motor.force"];
            let selection = simulation.catalogue.select(&channels).unwrap();
            let mut rows = Memory::default();
            let report = simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
            assert_eq!(
                report.status,
                Status::Finished,
                "{stepper} {form}: {}",
                report.message
            );
            assert_eq!(rows.0.len(), 33);
            for row in &rows.0 {
                let [t, angle, velocity, torque] = row[..] else {
                    unreachable!()
                };
                let [speed, turned, acceleration] = motion(t);
                let expected = PI / 6.0 + turned;
                assert!(
                    (angle - expected).abs() < 1e-5,
                    "{stepper} {form} {t}: {angle} {expected}"
                );
                assert!(
                    (velocity - speed).abs() < 1e-6,
                    "{stepper} {form} {t}: {velocity} {speed}"
                );
                // At the corner the acceleration jumps.
                let load = (0.3 + 2.0 * 0.01) * acceleration + 2.0 * 0.1 * 9.81 * expected.cos();
                let corner = (t - 2.0).abs() < 1e-9;
                assert!(
                    corner || (torque - load).abs() < 2e-5,
                    "{stepper} {form} {t}: {torque} {load}"
                );
            }
        }
    }
}

#[test]
fn a_velocity_must_not_jump() {
    assert!(file("smoothstep(t, 0, 0, 1, n)").is_ok());
    let text = file("if(t < 1, 0, n)").err().unwrap().render(false);
    assert!(
        text.contains("jumps at t = 1 s") && text.contains("velocity"),
        "{text}"
    );
    // The unit is that of a velocity.
    assert!(file("5 m").is_err() && file("5 deg/s").is_ok());
}
