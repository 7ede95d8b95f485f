//! Forces that are smooth piece by piece: tables of the state and stops. Methods of high order lose their order across
//! the borders of pieces, and their estimates of the error do not show it.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation, Status};

/// Values of the channels at the end of a run.
fn end(text: &str, channels: &[&str], stepper: &str, tolerance: f64, max_step: Option<f64>) -> Vec<f64> {
    let files = Files::in_memory([("pieces.toml", text)]);
    let file = read("pieces.toml", &files, &[]).unwrap();
    let settings = Settings {
        stepper: Some(stepper.into()),
        rtol: Some(tolerance),
        atol: Some(tolerance),
        max_step,
        max_steps: Some(1_000_000),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let selection = simulation.catalogue.select(channels).unwrap();
    let mut rows = Memory::default();
    let report = simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
    let done = report.status == Status::Finished;
    assert!(done, "{stepper}, {tolerance:e}: {}", report.message);
    rows.0.last().unwrap()[1..].to_vec()
}

/// A rotor driven by a bell of its angle that is given by 25 points of a spline, as pressure in a cylinder is: each point
/// is a jump of the third derivative only.
fn rotor() -> String {
    let places: Vec<f64> = (0..25)
        .map(|k| f64::from(k) * std::f64::consts::TAU / 24.0)
        .collect();
    let mut bell: Vec<f64> = (places.iter())
        .map(|x| (-((x - std::f64::consts::PI) / 0.55).powi(2)).exp())
        .collect();
    bell[24] = bell[0];
    format!(
        r#"
[model]
format = 1
name = "rotor"
[[table]]
name = "push"
x = {places:?}
y = {bell:?}
interpolation = "spline"
extrapolation = "hold"
[[body]]
name = "rotor"
mass = 2.0
inertia = [0.02, 0.02, 0.02]
[[joint]]
name = "axle"
kind = "revolute"
from = "ground"
to = "rotor"
axis = [0, 1, 0]
angle = {{ start = 0.1, velocity = 60 }}
[[control]]
name = "phi"
kind = "sensor"
channel = "axle.angle"
[[control]]
name = "torque"
kind = "expression"
value = "25 N*m*push(phi - 2*pi*floor(phi/(2*pi)))"
[[force]]
name = "drive"
kind = "joint-spring"
coordinate = "axle"
damping = 0.09
motor = "torque"
[simulation]
t_end = 0.6
output_step = 0.1
"#
    )
}

/// A mass on a spring between two stops with an onset, each of which has three pieces.
const STOPS: &str = r#"
[model]
format = 1
name = "stops"
gravity = [0, 0, 0]
[[body]]
name = "mass"
mass = 1
[[joint]]
name = "slide"
kind = "prismatic"
from = "ground"
to = "mass"
axis = [1, 0, 0]
displacement = { start = 0.01, velocity = 2.3 }
[[force]]
name = "spring"
kind = "joint-spring"
coordinate = "slide"
stiffness = 40
[[force]]
name = "stops"
kind = "joint-stop"
coordinate = "slide"
lower = -0.05
upper = 0.08
stiffness = 3e5
damping = 20
onset = 0.002
[simulation]
t_end = 1
output_step = 0.1
"#;

/// Errors at the end in tolerances of methods of high order.
fn check(text: &str, channels: &[&str], most: f64) {
    let steps = Some(5e-5);
    let exact = end(text, channels, "radau", 1e-12, steps);
    let other = end(text, channels, "dormand-prince", 1e-12, steps);
    let apart = |a: &[f64], b: &[f64], tolerance: f64| {
        let each = a.iter().zip(b);
        holonom_testing::largest(each.map(|(a, b)| (a - b) / (tolerance * (b.abs() + 1.0))))
    };
    // Two methods with steps far shorter than all pieces agree.
    let known = apart(&other, &exact, 1.0);
    for tolerance in [1e-6, 1e-8, 1e-10] {
        assert!(known < 0.2 * most * tolerance, "{known:e}");
        for stepper in ["dormand-prince", "auto"] {
            let found = end(text, channels, stepper, tolerance, None);
            let error = apart(&found, &exact, tolerance);
            assert!(error <= most, "{stepper}, {tolerance:e}: {error:.1} tolerances");
        }
    }
}

#[test]
fn points_of_splines_are_no_errors() {
    check(&rotor(), &["axle.angle", "axle.angle.velocity"], 20.0);
}

#[test]
fn onsets_of_stops_are_no_errors() {
    check(
        STOPS,
        &["slide.displacement", "slide.displacement.velocity"],
        20.0,
    );
}
