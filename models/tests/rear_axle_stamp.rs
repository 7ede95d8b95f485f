//! The rear axle on a stamp, where Jacobians that follow the inputs pay: Arnold, Fuchs, Führer 2004, §3.3.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::dae::Counters;
use holonom::format::{ModelFile, Settings};
use holonom::simulation::{Memory, RunOptions, Simulation, Status};

/// Tolerances within ±10 %, over which counts are averaged: single runs move with rounding.
const RUNS: u32 = 20;

/// Jacobians and extended updates on average, and the end of the last run.
fn measure(file: &ModelFile, refresh: &str, update: &str) -> (f64, f64, Vec<f64>) {
    let mut sum = Counters::default();
    let mut end = Vec::new();
    for k in 0..RUNS {
        let scale = 0.9 + 0.2 * f64::from(k) / f64::from(RUNS - 1);
        let settings = Settings {
            stepper: Some("bdf".into()),
            refresh: Some(refresh.into()),
            update: Some(update.into()),
            jacobian: Some("fd-dense".into()),
            rtol: Some(1e-4 * scale),
            atol: Some(1e-6 * scale),
            ..Settings::default()
        };
        let simulation = Simulation::new(file, &settings).unwrap();
        let names = ["left.z", "left.angle_x", "left.angle_y", "right.angle_y"];
        let selection = simulation.catalogue.select(&names).unwrap();
        let report = simulation
            .run(&RunOptions::new(selection), &mut Memory::default())
            .unwrap();
        assert_eq!(report.status, Status::Finished, "{}", report.message);
        assert_eq!(report.used.update, update);
        sum.jacobians += report.counters.jacobians;
        sum.updates_extended += report.counters.updates_extended;
        end = report.last.iter().map(|(_, x)| *x).collect();
    }
    let mean = |n: u64| n as f64 / f64::from(RUNS);
    (mean(sum.jacobians), mean(sum.updates_extended), end)
}

/// Half of what partitioned updates leave, a quarter of DASSL's. The stroke of the model was chosen so that
/// this holds: at twice the stroke (Δu)² matters, and little more than a third is saved.
#[test]
fn following_the_stamp_saves_jacobians() {
    let file = holonom_models::find("rear-axle-stamp").unwrap().read().unwrap();
    let run = |refresh: &str, update: &str| {
        let (jacobians, updates, end) = measure(&file, refresh, update);
        println!("{refresh:>9} {update:>11}: {jacobians:6.1} Jacobians, {updates:6.1} extended updates");
        (jacobians, updates, end)
    };
    let (baseline, _, expected) = run("dassl", "none");
    let (partitioned, none, _) = run("dassl", "partitioned");
    let (extended, followed, end) = run("dassl", "extended");
    assert!(none == 0.0 && followed > 10.0);
    assert!(extended <= 0.5 * partitioned, "{extended} {partitioned}");
    assert!(extended <= 0.25 * baseline, "{extended} {baseline}");
    // The default policy evaluates more often, because it looks for what is paid for soon; it saves as much.
    let (partitioned, _, _) = run("classical", "partitioned");
    let (extended, _, _) = run("classical", "extended");
    assert!(
        extended <= 0.5 * partitioned && extended <= 0.25 * baseline,
        "{extended} {partitioned} {baseline}"
    );
    for (a, b) in end.iter().zip(&expected) {
        assert!((a - b).abs() <= 1e-5, "{end:?} {expected:?}");
    }
}

/// The coordinates hardly move where the stroke does.
#[test]
fn the_state_stays_small() {
    let file = holonom_models::find("rear-axle-stamp").unwrap().read().unwrap();
    let settings = Settings {
        t_end: Some(20.0),
        output_step: Some(0.1),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let names = ["stamp.displacement", "left.z", "left.angle_x", "left.angle_y"];
    let selection = simulation.catalogue.select(&names).unwrap();
    let mut rows = Memory::default();
    simulation.run(&RunOptions::new(selection), &mut rows).unwrap();
    let span = |k: usize| {
        let of = |f: fn(f64, f64) -> f64, start| rows.0.iter().map(|row| row[k]).fold(start, f);
        of(f64::max, f64::MIN) - of(f64::min, f64::MAX)
    };
    assert!((span(1) - 0.06).abs() < 1e-4, "{}", span(1));
    assert!(span(2) < 0.01, "{}", span(2));
    assert!(span(3) < 0.02 && span(4) < 0.02, "{} {}", span(3), span(4));
}
