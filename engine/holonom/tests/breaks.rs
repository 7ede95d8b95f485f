//! Excitations that begin and end at known times: no step jumps over them.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, Simulation};

/// A mass at rest on a slide, with a force that acts for a short while. Nothing else ever happens.
fn model(force: &str, more: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "pulse"
gravity = [0, 0, 0]
[[body]]
name = "mass"
mass = 2
[[joint]]
name = "slide"
kind = "prismatic"
from = "ground"
to = "mass"
axis = [1, 0, 0]
[[force]]
name = "push"
kind = "applied"
frame = "mass"
force = ["{force}", 0, 0]
{more}
[simulation]
t_end = 100
output_step = 50
"#
    )
}

/// Displacement and velocity at the end.
fn end(text: &str, stepper: &str) -> [f64; 2] {
    let files = Files::in_memory([("pulse.toml", text)]);
    let file = read("pulse.toml", &files, &[]).unwrap();
    let settings = Settings {
        stepper: Some(stepper.into()),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let selection = simulation
        .catalogue
        .select(&["slide.displacement", "slide.displacement.velocity"]);
    let mut rows = Memory::default();
    let report = simulation.run(&RunOptions::new(selection.unwrap()), &mut rows);
    assert!(report.unwrap().counters.steps < 300, "{stepper}");
    let last = rows.0.last().unwrap();
    [last[1], last[2]]
}

#[test]
fn no_method_jumps_over_a_short_pulse() {
    for stepper in ["bdf", "radau", "dormand-prince", "generalized-alpha", "auto"] {
        // 8 N on 2 kg for 10 ms: 0.04 m/s.
        let [x, v] = end(&model("8*(step(t - 63) - step(t - 63.01))", ""), stepper);
        assert!((v - 0.04).abs() < 1e-5, "{stepper}: {v}");
        assert!((x - 0.04 * (100.0 - 63.005)).abs() < 1e-3, "{stepper}: {x}");
        // Up and down within 20 ms along a table: ∫ = 0.08 N s.
        let table = "[[table]]\nname = \"f\"\ninterpolation = \"linear\"\nx = [0, 7, 7.01, 7.02, 90]\ny = [0, 0, 8, 0, 0]\n";
        let [_, v] = end(&model("f(t)", table), stepper);
        assert!((v - 0.04).abs() < 1e-5, "{stepper}: {v}");
    }
}

#[test]
fn a_dense_table_is_left_to_the_control_of_errors() {
    let points = |f: &dyn Fn(f64) -> f64| {
        let numbers = (0..=150).map(|k| format!("{:.6}", f(f64::from(k) / 1.5)));
        numbers.collect::<Vec<_>>().join(", ")
    };
    let table = format!(
        "[[table]]\nname = \"f\"\ninterpolation = \"linear\"\nx = [{}]\ny = [{}]\n",
        points(&|t| t),
        points(&|t| 1e-3 * (0.2 * t).sin())
    );
    let files = Files::in_memory([("pulse.toml", model("f(t)", &table))]);
    let file = read("pulse.toml", &files, &[]).unwrap();
    let simulation = Simulation::new(&file, &Settings::default()).unwrap();
    assert!(simulation.solver.stop_times.is_empty());
}
