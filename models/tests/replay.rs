//! Recorded states give every channel again, to rounding: the text of a model rounds what was computed while it was read.
#![allow(clippy::unwrap_used)]

use holonom::format::{Settings, write};
use holonom::simulation::{Memory, Replay, RunOptions, Simulation};

/// Runs a model with all channels and its state; replays the text of the model.
fn replayed(name: &str, t_end: f64) {
    let entry = holonom_models::find(name).unwrap();
    let mut file = entry.read().unwrap();
    file.settings.t_end = Some(t_end);
    let simulation = Simulation::new(&file, &Settings::default()).unwrap();
    let everything = simulation.catalogue.everything();
    let channels = everything.len();
    let mut recorded = Memory::default();
    let options = RunOptions::new(everything.clone()).state(true);
    let report = simulation.run(&options, &mut recorded).unwrap();
    assert!(
        report.rows > 20,
        "{name}: {} rows, {}",
        report.rows,
        report.message
    );
    let width = simulation.state_columns().unwrap().len();
    assert!(recorded.0.iter().all(|row| row.len() == 1 + channels + width));

    file.outputs.clear();
    let replay = Replay::new(&write(&file).unwrap(), width).unwrap();
    assert_eq!(replay.simulation().catalogue.len(), channels);
    let names: Vec<&str> = everything.channels().iter().map(|c| c.name.as_str()).collect();
    let selection = replay.simulation().catalogue.everything();
    let mut sampler = replay.sampler(&selection).unwrap();
    let mut again = vec![0.0; channels];
    // Kinematic runs have accelerations and multipliers from their drives, replays from the equations of motion.
    let kinematic = simulation.is_kinematic();
    for row in recorded.0.iter().step_by(7) {
        sampler.sample(row[0], &row[1 + channels..], &mut again);
        // What nearly cancels is as exact as what it is the difference of.
        let finite = row[1..=channels].iter().filter(|x| x.is_finite());
        let scale = finite.fold(1.0_f64, |most, x| most.max(x.abs()));
        for ((name, a), b) in names.iter().zip(&row[1..]).zip(&again) {
            let same = (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= 1e-12 * scale;
            let near = (a - b).abs() <= 1e-6 * (1.0 + a.abs());
            assert!(
                same || (kinematic && near),
                "{name} at t = {}: {a} and {b}",
                row[0]
            );
        }
    }
    assert!(Replay::new(&write(&file).unwrap(), width + 1).is_err());
}

#[test]
fn loops_impacts_tyres_controls_rails_and_drives() {
    for (name, t_end) in [
        ("four-bar", 0.4),
        ("bouncing-ball", 1.5),
        ("iltis-lane-change", 0.6),
        ("curving", 0.5),
        ("circular-track", 1.5),
        ("crank-press", 0.5),
        ("spatial-pendulum", 0.3),
        ("gear-train", 0.3),
    ] {
        replayed(name, t_end);
    }
}
