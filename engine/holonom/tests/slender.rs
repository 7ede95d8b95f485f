//! Bodies whose mass matrix has entries of very different size: thin rods, frames far from the centre of mass. With
//! M v̇ − f in the rows of motion a kept matrix goes stale much sooner than with v̇ − M⁻¹ f, unless rows are brought to
//! the mass matrix that was kept.
#![allow(clippy::unwrap_used)]

use core::fmt::Write;
use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, RunReport, Simulation, Status};

/// The report of a run and its last row.
fn run(text: &str, settings: &Settings) -> (RunReport, Vec<f64>) {
    let files = Files::in_memory([("slender.toml", text)]);
    let file = read("slender.toml", &files, &[]).unwrap();
    let simulation = Simulation::new(&file, settings).unwrap();
    let selection = simulation.catalogue.select(&["b*.position.?"]).unwrap();
    let mut rows = Memory::default();
    let report = simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
    assert_eq!(report.status, Status::Finished, "{}", report.message);
    let last = rows.0.last().unwrap()[1..].to_vec();
    (report, last)
}

fn settings(formalism: &str, stepper: &str, tolerance: f64) -> Settings {
    Settings {
        formalism: Some(formalism.into()),
        stepper: Some(stepper.into()),
        rtol: Some(tolerance),
        atol: Some(tolerance),
        ..Settings::default()
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// Both formalisms take about the same steps, and end where explicit steps of a tight tolerance do.
fn same_in_both(text: &str, stepper: &str, tolerance: f64) {
    let (residual, found) = run(text, &settings("residual", stepper, tolerance));
    let (explicit, _) = run(text, &settings("explicit", stepper, tolerance));
    let (_, expected) = run(text, &settings("explicit", "dormand-prince", 1e-11));
    let (steps, limit) = (residual.counters.steps, explicit.counters.steps);
    // Two matrices must have been renewed before it is known that rows are to be carried, and one is evaluated then; that is much of the few steps of
    // `radau`, and a good deal of its work.
    let (before, dear) = if stepper == "radau" {
        (10, 500.0)
    } else {
        (0, 150.0)
    };
    assert!(
        2 * steps <= 3 * limit + 2 * before,
        "{stepper} at {tolerance:e}: {steps} steps, explicit {limit}"
    );
    let (work, most) = (
        residual.counters.residual_equivalents(),
        explicit.counters.residual_equivalents(),
    );
    assert!(
        work <= 1.5 * most + dear,
        "{stepper} at {tolerance:e}: {work} residuals, explicit {most}"
    );
    let error = distance(&found, &expected) / tolerance;
    assert!(error < 100.0, "{stepper} at {tolerance:e}: {error} tolerances");
}

/// Rods on ball joints, each a hundredth of its length thick, with spin about their axes.
fn rods(number: usize, radius: f64) -> String {
    let (mass, length) = (0.01, 0.1);
    let (about, across) = (
        0.5 * mass * radius * radius,
        mass * (length * length / 12.0 + 0.25 * radius * radius),
    );
    let mut text = "[model]\nformat = 1\nname = \"rods\"\n".to_string();
    let mut before = "ground".to_string();
    for k in 1..=number {
        let turn = (k as f64 * 2.4).sin();
        write!(
            text,
            r#"
[[body]]
name = "b{k}"
mass = {mass}
centre = [{half}, 0, 0]
inertia = [{about}, {across}, {across}]
markers.end = {{ position = [{length}, 0, 0] }}
[[joint]]
name = "j{k}"
kind = "spherical"
from = "{before}"
to = "b{k}"
angular_velocity = [{spin}, {turn}, {other}]
"#,
            half = 0.5 * length,
            spin = 10.0 * turn,
            other = (k as f64 * 1.7).cos(),
        )
        .unwrap();
        before = format!("b{k}.end");
    }
    text + "[simulation]\nt_end = 0.2\noutput_step = 0.2\n"
}

#[test]
fn thin_rods_take_the_steps_of_the_explicit_form() {
    for radius in [1e-3, 1e-5] {
        let text = rods(8, radius);
        for (stepper, tolerance) in [("bdf", 1e-4), ("bdf", 1e-6), ("radau", 1e-6)] {
            same_in_both(&text, stepper, tolerance);
        }
    }
}

/// A body in free flight; numbers between −1 and 1 say where its frame lies and how it turns.
fn thrown(r: [f64; 6]) -> String {
    format!(
        r#"
[model]
format = 1
name = "thrown"
[[body]]
name = "b1"
mass = 1
centre = [{}, {}, {}]
inertia = [0.01, 0.008, 0.009]
[[joint]]
name = "j1"
kind = "free"
from = "ground"
to = "b1"
angular_velocity = [{}, {}, {}]
[simulation]
t_end = 1
output_step = 1
"#,
        r[0],
        r[1],
        r[2],
        6.0 * r[3],
        6.0 * r[4],
        6.0 * r[5]
    )
}

#[test]
fn a_frame_off_the_centre_of_mass_is_no_harder_than_one_in_it() {
    let mut seed = 12345u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    for _ in 0..6 {
        let text = thrown(core::array::from_fn(|_| random()));
        for (stepper, tolerance) in [("bdf", 1e-4), ("bdf", 1e-6), ("bdf", 1e-8), ("radau", 1e-6)] {
            same_in_both(&text, stepper, tolerance);
        }
    }
}

#[test]
fn a_run_tells_when_rows_are_brought_to_the_mass_matrix_kept() {
    let (report, _) = run(&rods(3, 1e-3), &settings("residual", "bdf", 1e-6));
    let said: Vec<String> = report.explain.iter().map(ToString::to_string).collect();
    assert!(
        said.iter().any(|s| s.starts_with("mass matrix at t = ")),
        "{said:?}"
    );
    let (report, _) = run(&rods(3, 1e-3), &settings("explicit", "bdf", 1e-6));
    let said: Vec<String> = report.explain.iter().map(ToString::to_string).collect();
    assert!(!said.iter().any(|s| s.starts_with("mass matrix")), "{said:?}");
}
