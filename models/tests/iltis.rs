//! The Iltis against the nominal values of the IAVSD benchmark.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::analysis::statics::{StaticsOptions, equilibrium};
use holonom::analysis::trim::{Trim, TrimError, TrimOptions, trim};
use holonom::format::{InputOffset, read_with_offsets};
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::description::{Constraint, frame};
use holonom::multibody::residual::{Form, Formalism};
use holonom::{Options, solve};
use holonom_models::find;
use std::sync::Arc;

/// Channels at the end of a run with other parameters.
fn at(parameters: &[(&str, &str)], end: f64, channels: &[&str]) -> Vec<f64> {
    let file = find("iltis").unwrap().read_with(parameters).unwrap();
    let model = Arc::new(file.compile().unwrap_or_else(|e| panic!("{e}")));
    let start = model.assemble(&Default::default()).unwrap();
    let equations = start.equations(Form::Ggl, Formalism::Residual).unwrap();
    let (mut y, yp) = start.state(&equations);
    let selection = Catalogue::new(&start).select(channels).unwrap();
    let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
    if end > 0.0 {
        y = solve(equations.system(), (0.0, end), &y, &yp, Options::new(1e-7, 1e-7))
            .unwrap()
            .y;
    }
    let mut row = vec![0.0; channels.len()];
    sampler.sample(end, &y, &[], &mut row);
    println!("{channels:?} {row:?}");
    row
}

#[test]
fn nine_degrees_of_freedom() {
    let file = find("iltis").unwrap().read().unwrap();
    let start = Arc::new(file.compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    // Heave, roll, pitch, four wheels; lateral and yaw besides. x is prescribed.
    assert_eq!(start.degrees_of_freedom(), 9);
}

/// In the start position: leaf −2728.9 N, unit −128.0 N, tyres by their deflection.
#[test]
fn forces_in_the_nominal_position() {
    for corner in ["front_left", "front_right", "rear_left", "rear_right"] {
        let names = ["leaf_spring.force.z", "unit.force.y", "unit.force.z", "tyre.load"];
        let names = names.map(|name| format!("{corner}_{name}"));
        let row = at(&[("v", "0")], 0.0, &names.each_ref().map(String::as_str));
        assert!((row[0] - -2728.9).abs() < 0.05, "{row:?}");
        assert!(
            (row[1].hypot(row[2]) - 128.0).abs() < 0.05 && row[2] < 0.0,
            "{row:?}"
        );
        let load = if corner.starts_with("front") {
            3829.5
        } else {
            3593.52
        };
        assert!((row[3] - load).abs() < 0.01, "{row:?}");
    }
}

/// The position of rest of the same implementation of the benchmark (Robotran, UCLouvain), which has
/// no side forces there: heave −7.083 mm, pitch 0.1465°, and forces.
#[test]
fn position_of_rest() {
    let channels = [
        "motion.z",
        "motion.angle_y",
        "front_left_tyre.load",
        "rear_left_tyre.load",
        "front_left_leaf_spring.force.z",
        "rear_left_leaf_spring.force.z",
    ];
    let row = at(&[("v", "0"), ("bump", "0"), ("grip", "0")], 20.0, &channels);
    // With half a unit of the last digit printed there, and as much again.
    let expected = [
        (0.57 - 0.007083, 2e-6),
        (0.1465_f64.to_radians(), 1e-4_f64.to_radians()),
        (3831.31, 0.01),
        (3591.91, 0.01),
        (-3068.62, 0.06),
        (-2885.51, 0.06),
    ];
    for (found, (expected, tolerance)) in row.iter().zip(expected) {
        assert!((found - expected).abs() < tolerance, "{row:?} {expected}");
    }
    assert!((2.0 * (row[2] + row[3]) - 1513.4 * 9.81).abs() < 1e-2, "{row:?}");
    for (corner, expected) in [("front_right", -335.29), ("rear_right", -241.64)] {
        let names = ["unit.force.y", "unit.force.z"].map(|name| format!("{corner}_{name}"));
        let row = at(
            &[("v", "0"), ("bump", "0"), ("grip", "0")],
            20.0,
            &names.each_ref().map(String::as_str),
        );
        assert!(
            (-row[0].hypot(row[1]) - expected).abs() < 0.05,
            "{row:?} {expected}"
        );
    }
}

/// In the nominal position the loads that hold the vehicle are 3829.6 N and 3593.6 N: with the
/// chassis level, moments about the axles.
#[test]
fn nominal_loads_balance_the_weight() {
    let row = at(
        &[("v", "0")],
        0.0,
        &["front_left_tyre.load", "rear_left_tyre.load"],
    );
    let (sprung, unsprung): (f64, f64) = (1260.0 * 9.81 / 2.0, 63.35 * 9.81);
    let front = sprung * 1.047 / 2.017 + unsprung;
    let rear = sprung * 0.97 / 2.017 + unsprung;
    for (found, (balance, published)) in row.iter().zip([(front, 3829.6), (rear, 3593.6)]) {
        assert!((balance - published).abs() < 0.06, "{balance}");
        // The radii of the data are rounded to a micrometre: 0.46 N.
        assert!((found - balance).abs() < 0.46, "{found} {balance}");
    }
}

/// Over the bump and back to rest on the flat road; both sides alike.
#[test]
fn the_bump_of_the_benchmark() {
    let row = at(
        &[],
        2.0,
        &[
            "front_left_tyre.load",
            "front_right_tyre.load",
            "motion.y",
            "motion.angle_x",
            "motion.z",
        ],
    );
    assert!(
        (row[0] - row[1]).abs() < 0.1 && row[2].abs() < 1e-4 && row[3].abs() < 1e-5,
        "{row:?}"
    );
    assert!((row[4] - 0.57).abs() < 0.05, "{row:?}");
}

/// Steady turns at 20 m/s on the flat road.
fn turns(laterals: &[f64]) -> Result<Vec<Trim>, TrimError> {
    let entry = find("iltis").unwrap();
    let file = entry.read_with(&[("v", "20"), ("bump", "0")]).unwrap();
    let start = Arc::new(file.compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    let overrides = [("v", "20"), ("bump", "0")].map(|(k, v)| (k.to_string(), v.to_string()));
    let mut make = |inputs: &[f64]| {
        let offset = InputOffset {
            name: "steer".into(),
            time: 0.0,
            coefficients: [inputs[0], 0.0, 0.0],
        };
        let file = read_with_offsets(entry.path(), &entry.files(), &overrides, &[offset])
            .map_err(|e| e.to_string())?;
        file.compile().map(Arc::new).map_err(|e| e.to_string())
    };
    trim(&start, 20.0, laterals, &[0.0], &mut make, &TrimOptions::default())
}

/// From straight running to 0.6 g. Beside the formulas of steady turns: the side forces are m a_y, loads
/// add up to the weight, and the angle of the wheels begins with L/R and the understeer of the tyres.
#[test]
fn steady_turns() {
    let laterals: Vec<f64> = (0..7).map(|k| 0.981 * f64::from(k)).collect();
    let all = turns(&laterals).unwrap();
    assert_eq!(all.len(), 7);
    for turn in &all {
        println!("{} {:?}", turn.lateral, turn.inputs);
        assert!(turn.unbalanced < 1e-11, "{turn:?}");
        let loads: f64 = turn.tyres.iter().map(|t| t.load).sum();
        assert!((loads - 1513.4 * 9.81).abs() < 1e-5, "{loads}");
        let selection = Catalogue::new(&turn.start).select(&["*_tyre.lateral"]).unwrap();
        let mut row = vec![0.0; 4];
        Sampler::of_motion(&turn.start, &selection)
            .unwrap()
            .sample_motion(&turn.start.motion(), &mut row);
        // Across the wheels, which are turned a little.
        let side: f64 = row.iter().sum();
        assert!(
            (side - 1513.4 * turn.lateral).abs() < 3e-3 * side.abs() + 1e-6,
            "{row:?}"
        );
        assert!((turn.wheelbase.unwrap() - 2.017).abs() < 1e-3);
    }
    let straight = &all[0];
    assert!(straight.inputs[0].abs() < 1e-9 && straight.sideslip.abs() < 1e-9 && straight.roll.abs() < 1e-9);
    for pair in all.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        assert!(b.inputs[0] > a.inputs[0] && b.roll > a.roll && b.sideslip < a.sideslip);
        // Understeer throughout.
        let slope = (b.inputs[0] - a.inputs[0]) / (b.lateral - a.lateral);
        assert!(slope > 2.017 / 400.0, "{slope}");
    }
    // The mirror image.
    let right = &turns(&[-2.943]).unwrap()[0];
    assert!((right.inputs[0] + all[3].inputs[0]).abs() < 1e-7, "{right:?}");
    assert!((right.sideslip + all[3].sideslip).abs() < 1e-7);
}

#[test]
fn beyond_the_grip_there_is_no_turn() {
    let error = turns(&[3.0, 14.0]).unwrap_err();
    let TrimError::NotFound { reached, tyres, .. } = &error else {
        panic!("{error}");
    };
    println!("{error}");
    assert!(
        (8.0..11.0).contains(&reached.unwrap()) && tyres.iter().any(|t| t.saturated()),
        "{error}"
    );
    assert!(error.to_string().contains("give no more"), "{error}");
}

/// On a road on which the wheels do not slide sideways the nominal position is that of rest: with the
/// treads held, the suspensions keep their travel, and springs and loads are those of the benchmark.
#[test]
fn statics_of_the_standing_vehicle() {
    let mut file = find("iltis")
        .unwrap()
        .read_with(&[("v", "0"), ("bump", "0")])
        .unwrap();
    let mut d = file.description.clone();
    for (corner, x, side) in [
        ("front_left", 0.97, 1.0),
        ("front_right", 0.97, -1.0),
        ("rear_left", -1.047, 1.0),
        ("rear_right", -1.047, -1.0),
    ] {
        // A long rod across, from the point where the tyre stands: it holds y to first order.
        let (anchor, foot) = (format!("{corner}_anchor"), format!("{corner}_foot"));
        d = d.ground_marker(&anchor, frame::at([x, side * 1000.615, 0.0]));
        let wheel = format!("{corner}_wheel");
        let body = d.bodies.iter_mut().find(|b| b.name == wheel).unwrap();
        *body = body.clone().marker(&foot, frame::at([0.0, 0.0, -0.356]));
        d = d.constraint(Constraint::distance(
            format!("{corner}_hold"),
            format!("ground.{anchor}"),
            format!("{wheel}.{foot}"),
            1000.0,
        ));
    }
    file.description = d;
    let start = Arc::new(file.compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    let channels = ["*_tyre.load", "*_leaf_spring.force.z"];
    let selection = Catalogue::new(&rest.start).select(&channels).unwrap();
    let mut row = vec![0.0; selection.len()];
    Sampler::of_motion(&rest.start, &selection)
        .unwrap()
        .sample_motion(&rest.start.motion(), &mut row);
    for (channel, value) in selection.channels().iter().zip(&row) {
        println!("{} {value}", channel.name);
        let expected = match channel.name.as_str() {
            name if name.ends_with("force.z") => -2728.9,
            name if name.starts_with("front") => 3829.6,
            _ => 3593.6,
        };
        assert!(
            (value - expected).abs() < 0.06,
            "{} {value} {expected}",
            channel.name
        );
    }
}

/// The vehicle on its tyres: the treads hold it, and the report names what depends on the way there.
#[test]
fn treads_hold_a_standing_vehicle() {
    let file = find("iltis")
        .unwrap()
        .read_with(&[("v", "0"), ("bump", "0")])
        .unwrap();
    let start = Arc::new(file.compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    assert_eq!(rest.stability.stable, 9, "{:?}", rest.stability);
    assert!(rest.open.is_empty(), "{:?}", rest.open);
    assert_eq!(rest.kept.len(), 8);
    // The same place as that of a run from the same start.
    let row = at(
        &[("v", "0"), ("bump", "0")],
        20.0,
        &["motion.z", "front_left_arm.angle"],
    );
    let names = &rest.start.model.position_names;
    for (name, value) in ["motion.z", "front_left_arm"].iter().zip(&row) {
        let found = rest.state.q[names.iter().position(|n| n == name).unwrap()];
        // The run rolls a little while it swings, which the tread partly forgets.
        assert!((found - value).abs() < 2e-4, "{name} {found} {value}");
    }
}
