//! Tyres in runs: a parked wheel, a wheel that starts to roll, a tyre from a file.

#![allow(clippy::unwrap_used)]

use holonom::format::{Files, ModelFile, read, write};
use holonom::multibody::channels::{Catalogue, Sampler};
use holonom::multibody::residual::{Form, Formalism};
use holonom::prelude::*;
use std::sync::Arc;

fn file(text: &str, others: &[(&str, &str)]) -> ModelFile {
    let files = std::iter::once(("model.toml", text)).chain(others.iter().copied());
    read("model.toml", &Files::in_memory(files), &[]).unwrap_or_else(|messages| panic!("{messages}"))
}

/// Values of channels at some times.
fn run(file: &ModelFile, times: &[f64], channels: &[&str]) -> Vec<Vec<f64>> {
    let model = Arc::new(file.compile().unwrap_or_else(|messages| panic!("{messages}")));
    let start = model.assemble(&Default::default()).unwrap();
    let equations = start.equations(Form::Ode, Formalism::Residual).unwrap();
    let (mut y, mut yp) = start.state(&equations);
    let selection = Catalogue::new(&start).select(channels).unwrap();
    let mut sampler = Sampler::new(&start, &equations, &selection).unwrap();
    let mut rows = Vec::new();
    let mut t = 0.0;
    for &end in times {
        let solution = solve(
            equations.clone().system(),
            (t, end),
            &y,
            &yp,
            Options::new(1e-8, 1e-8),
        )
        .unwrap();
        (y, yp, t) = (solution.y, solution.yp, end);
        let mut row = vec![0.0; channels.len()];
        sampler.sample(end, &y, &[], &mut row);
        rows.push(row);
    }
    rows
}

/// A block on one locked wheel, on a road that rises by 10 % in its frame; held upright.
const SLOPE: &str = r#"
[model]
format = 1
name = "parked"

[[body]]
name = "block"
mass = 400
inertia = [20, 20, 20]

[[joint]]
name = "motion"
kind = "free-cardan"
from = "ground"
to = "block"
z = 0.29
angle_x = { locked = true }
angle_y = { locked = true }
angle_z = { locked = true }

[[road]]
name = "hill"
kind = "height"
height = "0.1*x - 0.05*y"

[[force]]
name = "tyre"
kind = "linear-tyre"
wheel = "block"
road = "hill"
radius = 0.3
stiffness = "200 N/mm"
damping = 2000
slip_stiffness = 80e3
cornering_stiffness = 60e3
"#;

#[test]
fn a_parked_wheel_holds_on_a_slope() {
    let channels = [
        "motion.x.velocity",
        "motion.y.velocity",
        "motion.z.velocity",
        "motion.x",
        "tyre.load",
        "tyre.u",
    ];
    let rows = run(&file(SLOPE, &[]), &[5.0, 10.0, 30.0], &channels);
    for row in &rows {
        for velocity in &row[..3] {
            assert!(velocity.abs() < 1e-6, "{row:?}");
        }
    }
    // Nothing has moved between 5 s and 30 s.
    assert!((rows[0][3] - rows[2][3]).abs() < 1e-6, "{rows:?}");
    // The load is the part of the weight along the normal, (−0.1, 0.05, 1)/|…|, and the tread is
    // deflected uphill against what pulls downhill.
    let normal = 400.0 * 9.81 / 1.0125_f64.sqrt();
    assert!((rows[2][4] - normal).abs() < 1e-3, "{rows:?}");
    assert!(rows[2][5] > 1e-3, "{rows:?}");
}

#[test]
fn a_steep_slope_does_not_hold() {
    let steep = SLOPE.replace("0.1*x - 0.05*y", "1.2*x");
    let rows = run(&file(&steep, &[]), &[1.0], &["motion.x.velocity"]);
    assert!(rows[0][0] < -0.5, "{rows:?}");
}

/// A free wheel that is set down with a speed, without spin: it slides, then rolls.
const WHEEL: &str = r#"
[model]
format = 1
name = "wheel"

[[body]]
name = "wheel"
mass = 100
inertia = [2, 4, 2]

[[joint]]
name = "motion"
kind = "free-cardan"
from = "ground"
to = "wheel"
x = { velocity = 10 }
z = 0.3
angle_x = { locked = true }
angle_z = { locked = true }

[[force]]
name = "tyre"
kind = "tyre"
wheel = "wheel"
file = "car.tir"
"#;

const CAR: &str = "\
[UNITS]
LENGTH = 'mm'
FORCE = 'newton'
[MODEL]
PROPERTY_FILE_FORMAT = 'PAC2002'
[DIMENSION]
UNLOADED_RADIUS = 300
[VERTICAL]
VERTICAL_STIFFNESS = 200
VERTICAL_DAMPING = 2
FNOMIN = 1000
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.65
PDX1 = 1.0
PKX1 = 22
PTX1 = 0.8
[LATERAL_COEFFICIENTS]
PCY1 = 1.3
PDY1 = 1.0
PKY1 = -14.0
PKY2 = 1.6
";

#[test]
fn a_sliding_wheel_begins_to_roll() {
    let model = file(WHEEL, &[("car.tir", CAR)]);
    let note = model.notes.to_string();
    assert!(
        note.contains("`car.tir` does not give WIDTH, RIM_RADIUS"),
        "{note}"
    );
    let rows = run(
        &model,
        &[4.0],
        &["motion.x.velocity", "motion.angle_y.velocity", "motion.z"],
    );
    let [speed, spin, height] = rows[0][..] else {
        unreachable!()
    };
    // Angular momentum about the contact: v = v₀/(1 + I/(m r²)) once it rolls, r the rolling radius,
    // which is the unloaded one without BREFF, DREFF, FREFF.
    let expected = 10.0 / (1.0 + 4.0 / (100.0 * 0.09));
    assert!((speed - expected).abs() < 1e-3, "{rows:?}, {expected}");
    assert!((speed - 0.3 * spin).abs() < 1e-5, "{rows:?}");
    assert!((height - (0.3 - 981.0 / 200e3)).abs() < 1e-6, "{rows:?}");
    // A written model carries the data of the tyre along.
    let text = write(&model).unwrap();
    let again = file(&text, &[]);
    assert!(again == model, "{text}");
}

#[test]
fn faults_of_roads_and_tyres_are_told_at_their_place() {
    let broken = |text: &str, others: &[(&str, &str)]| {
        let files = std::iter::once(("model.toml", text)).chain(others.iter().copied());
        match read("model.toml", &Files::in_memory(files), &[]) {
            Err(messages) => messages.to_string(),
            Ok(file) => file.compile().unwrap_err().to_string(),
        }
    };
    for (text, tir, expected) in [
        (
            SLOPE.replace("road = \"hill\"", "road = \"hil\""),
            CAR.to_string(),
            "did you mean \"hill\"?",
        ),
        (
            SLOPE.replace("0.1*x - 0.05*y", "0.1*x + t"),
            CAR.to_string(),
            "`t`",
        ),
        (
            SLOPE.replace("radius = 0.3", "radius = -0.3"),
            CAR.to_string(),
            "`radius` is -0.3, but must be positive",
        ),
        (
            SLOPE.replace("kind = \"height\"", "kind = \"hight\""),
            CAR.to_string(),
            "did you mean \"height\"?",
        ),
        (
            WHEEL.replace("car.tir", "cart.tir"),
            CAR.to_string(),
            "cannot read `cart.tir`",
        ),
        (
            WHEEL.to_string(),
            CAR.replace("PKX1 = 22", ""),
            "`PKX1` in [LONGITUDINAL_COEFFICIENTS] is missing",
        ),
        (
            WHEEL.to_string(),
            CAR.replace("= 22", "= x"),
            "`car.tir`: line 15: `PKX1` is `x`",
        ),
    ] {
        let found = broken(&text, &[("car.tir", &tir)]);
        assert!(found.contains(expected), "{found}\nshould contain {expected}");
    }
}
