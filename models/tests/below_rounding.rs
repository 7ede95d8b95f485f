//! Tolerances near and below what rounding leaves: runs go on, or name the variable.
#![allow(clippy::unwrap_used)]

use holonom::format::Settings;
use holonom::simulation::{Memory, RunOptions, RunReport, Simulation, Status};

fn run(name: &str, form: &str, (rtol, atol): (f64, f64), t_end: f64) -> RunReport {
    let file = holonom_models::find(name).unwrap().read().unwrap();
    let settings = Settings {
        stepper: Some("bdf".into()),
        form: Some(form.into()),
        rtol: Some(rtol),
        atol: Some(atol),
        t_end: Some(t_end),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let selection = simulation.catalogue.select(&["energy.total"]).unwrap();
    simulation
        .run(&RunOptions::new(selection), &mut Memory::default())
        .unwrap()
}

#[test]
fn a_small_absolute_tolerance_costs_some_steps_and_no_run() {
    for (name, t_end) in [("andrews", 0.01), ("n-four-bar", 0.3), ("slider-crank", 1.5)] {
        let usual = run(name, "ggl", (1e-8, 1e-8), t_end);
        for atol in [1e-10, 1e-12, 1e-14] {
            let report = run(name, "ggl", (1e-8, atol), t_end);
            assert_eq!(
                report.status,
                Status::Finished,
                "{name} {atol:e}: {}",
                report.message
            );
            let (steps, usual) = (report.counters.steps, usual.counters.steps);
            assert!(
                steps < 2 * usual,
                "{name} {atol:e}: {steps} steps, {usual} at 1e-8"
            );
            assert!(report.counters.rejected_convergence < 10, "{name} {atol:e}");
        }
    }
}

#[test]
fn index_3_runs_at_tight_tolerances() {
    for (name, t_end) in [
        ("andrews", 0.01),
        ("four-bar", 1.0),
        ("slider-crank", 1.0),
        ("spatial-four-bar", 1.0),
    ] {
        for tolerance in [1e-8, 1e-10] {
            let report = run(name, "index3", (tolerance, tolerance), t_end);
            assert_eq!(
                report.status,
                Status::Finished,
                "{name} {tolerance:e}: {}",
                report.message
            );
            let c = report.counters;
            assert!(
                20 * c.rejected_convergence <= c.steps,
                "{name} {tolerance:e}: {c:?}"
            );
        }
    }
}
