//! Runs that need a table outside its points say which one, and what to do.
#![allow(clippy::unwrap_used)]

use holonom::format::{Files, Settings, read};
use holonom::simulation::{Memory, RunOptions, RunReport, Simulation, Status};

/// A sliding body with a table, a force or motion, and settings.
fn simulation(slide: &str, table: &str, rest: &str) -> Result<Simulation, String> {
    let text = format!(
        r#"
[model]
format = 1
name = "slide"
gravity = [0, 0, 0]
[[table]]
name = "f"
{table}
[[body]]
name = "b"
mass = 1
[[joint]]
name = "J"
kind = "prismatic"
from = "ground"
to = "b"
axis = [1, 0, 0]
displacement = {slide}
{rest}
[simulation]
t_end = 3
output_step = 0.1
"#
    );
    let file = read("a.toml", &Files::in_memory([("a.toml", text.as_str())]), &[]).unwrap();
    Simulation::new(&file, &Settings::default()).map_err(|messages| messages.to_string())
}

fn run(simulation: &Simulation) -> RunReport {
    let options = RunOptions::new(simulation.catalogue.default_selection());
    simulation.run(&options, &mut Memory::default()).unwrap()
}

const POINTS: &str = "x = [0, 1, 2]\ny = [0, 1, 0]";
const LAW: &str = "[[force]]\nname = \"F\"\nkind = \"expression\"\nfrom = \"ground\"\nto = \"b\"\n";

#[test]
fn a_run_names_the_table_it_leaves() {
    let of_time = format!("{LAW}force = [\"f(t)\", 0, 0]\n");
    let of_place = format!("{LAW}force = [\"f(x)\", 0, 0]\n");
    for (slide, rest, side, at) in [
        ("0", of_time.as_str(), "above 2", 2.0),
        ("{ start = 1, velocity = -2 }", of_place.as_str(), "below 0", 0.5),
        ("{ follows = \"f(t)\" }", "", "above 2", 2.0),
    ] {
        let report = run(&simulation(slide, POINTS, rest).unwrap());
        assert_eq!(report.status, Status::Failed, "{slide} {rest}");
        let says = |what: &str| assert!(report.message.contains(what), "{what}: {}", report.message);
        says("the table \"f\" covers x = 0 to 2");
        says(side);
        says("extrapolation = \"hold\"");
        assert!((report.t - at).abs() < 0.15, "{}", report.t);
        // The remedy helps.
        let held = format!("{POINTS}\nextrapolation = \"hold\"");
        let report = run(&simulation(slide, &held, rest).unwrap());
        assert_eq!(report.status, Status::Finished, "{}", report.message);
    }
}

#[test]
fn a_motion_without_value_ends_the_run() {
    let follows = "{ follows = \"sqrt(2 - t)\" }";
    let report = run(&simulation(follows, POINTS, "").unwrap());
    assert_eq!(report.status, Status::Failed);
    assert!(
        report.message.contains("follows a function"),
        "{}",
        report.message
    );
    assert!(report.t < 2.0 && report.last.iter().all(|(_, x)| x.is_finite()));
}

#[test]
fn what_is_only_recorded_is_not_to_blame() {
    let late = "x = [5, 6]\ny = [0, 1]";
    let input = "[[input]]\nname = \"u\"\nexpression = \"f(t)\"\n";
    let root = format!("{LAW}force = [\"sqrt(2 - t)\", 0, 0]\n{input}");
    let report = run(&simulation("0", late, &root).unwrap());
    assert_eq!(report.status, Status::Failed);
    assert!(report.message.contains("not finite"), "{}", report.message);
}

#[test]
fn a_start_outside_a_table_stands_at_the_table() {
    let late = "x = [1, 2]\ny = [0, 1]";
    let error = simulation("{ follows = \"f(t)\" }", late, "").err().unwrap();
    assert!(error.contains("a.toml:7"), "{error}");
    assert!(error.contains("a value below 1"), "{error}");
}
