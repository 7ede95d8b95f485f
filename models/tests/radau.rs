//! The stepper `radau` on shipped models: digits against references, and against `bdf`.

#![allow(clippy::unwrap_used)]

mod common;

use common::{assembled, parts};
use holonom::format::Settings;
use holonom::multibody::residual::Formalism;
use holonom::simulation::{Memory, RunOptions, Simulation};
use holonom::{Options, solve};
use holonom_models::{find, reference};

/// Digits of a reference with this tolerance.
fn digits(name: &str, tolerance: f64) -> f64 {
    let r = reference::find(name).unwrap();
    let start = assembled(&(r.build)().unwrap());
    let equations = start.equations(r.form, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let options = Options::new(tolerance, tolerance).stepper("radau");
    let end = solve(equations.system(), (0.0, r.t_end), &y, &yp, options).unwrap();
    let (q, v) = parts(&start.model, &end.y);
    r.digits(&start.model, q, v)
}

#[test]
fn andrews_has_ten_digits() {
    let digits = digits("andrews", 1e-11);
    assert!(digits >= 10.0, "{digits}");
}

/// A body that turns over again and again: what is off by little at one turn is off by much at the next.
#[test]
fn tumbling_body_has_eight_digits() {
    let digits = digits("tumbling-body", 1e-10);
    assert!(digits >= 8.0, "{digits}");
}

/// Through level positions, where the loops lose rank and the motion could branch.
#[test]
fn four_bars_have_eight_digits_behind_singular_positions() {
    for name in ["n-four-bar:2", "n-four-bar:40"] {
        // How close steps come to these positions, and what rounding makes of it, differs from run to run.
        let runs = [0.8e-8, 0.9e-8, 1e-8, 1.1e-8, 1.2e-8].map(|tolerance| digits(name, tolerance));
        let (least, mean) = (
            runs.iter().fold(f64::MAX, |a, b| a.min(*b)),
            runs.iter().sum::<f64>() / 5.0,
        );
        assert!(mean >= 8.0 && least >= 7.5, "{name}: {runs:?}");
    }
}

/// Whatever the tolerance, the run gets there, and with digits in proportion to it.
#[test]
fn singular_positions_are_passed_at_all_tolerances() {
    for exponent in 4..=11 {
        let digits = digits("n-four-bar:2", 10f64.powi(-exponent));
        assert!(digits >= f64::from(exponent) - 2.0, "1e-{exponent}: {digits}");
    }
}

/// Outputs of a shipped model over a time.
fn rows(name: &str, stepper: &str, rtol: f64, t_end: f64) -> Vec<Vec<f64>> {
    rows_in(None, name, stepper, rtol, t_end)
}

/// The same in a form of the equations.
fn rows_in(form: Option<&str>, name: &str, stepper: &str, rtol: f64, t_end: f64) -> Vec<Vec<f64>> {
    let file = find(name).unwrap().read().unwrap();
    let settings = Settings {
        form: form.map(String::from),
        stepper: Some(stepper.into()),
        rtol: Some(rtol),
        atol: Some(rtol),
        t_end: Some(t_end),
        ..Settings::default()
    };
    let simulation = Simulation::new(&file, &settings).unwrap();
    let patterns: Vec<&str> = file.outputs.iter().map(String::as_str).collect();
    let selection = simulation.catalogue.select(&patterns).unwrap();
    let mut memory = Memory::default();
    simulation.run(&RunOptions::new(selection), &mut memory).unwrap();
    memory.0
}

/// No channel is farther apart than `limit`, in units of one plus its largest value.
fn compare(name: &str, a: &[Vec<f64>], b: &[Vec<f64>], limit: f64) {
    assert!(a.len() == b.len() && a.len() > 10, "{name}");
    for k in 1..a[0].len() {
        let size = 1.0 + b.iter().map(|r| r[k].abs()).fold(0.0, f64::max);
        let pairs = a.iter().zip(b);
        let off = pairs.map(|(x, y)| (x[k] - y[k]).abs()).fold(0.0, f64::max);
        assert!(
            off <= limit * size,
            "{name}, channel {k}: {off:.1e} of {size:.1e}"
        );
    }
}

/// Mixed digits, as `holonom verify` asks them of velocities: three fewer than the tolerance has.
#[test]
fn outputs_are_those_of_bdf() {
    let tolerance = 1e-7;
    for (name, t_end) in [
        ("pendulum", 2.0),
        ("n-pendulum", 1.0),
        ("spatial-pendulum", 1.0),
        ("arnold-chain", 5.0),
        ("slider-crank", 1.0),
        ("four-bar", 1.0),
        ("spatial-four-bar", 1.0),
        ("gear-train", 1.0),
        ("rolling-disc", 1.0),
        ("double-wishbone", 0.5),
        ("wheelset", 0.5),
        ("arm", 0.5),
        ("tumbling-body", 2.0),
        ("bouncing-ball", 1.5),
    ] {
        let (a, b) = (
            rows(name, "radau", tolerance, t_end),
            rows(name, "bdf", tolerance, t_end),
        );
        compare(name, &a, &b, 1e3 * tolerance);
    }
}

/// Stiff bushings between steps of many seconds: what is left of an error within the tolerance in their forces.
/// Those of `bdf` at the same tolerance are off by more, hence a tighter one there.
#[test]
fn stiff_forces_between_long_steps() {
    let a = rows("rear-axle-stamp", "radau", 1e-6, 40.0);
    let b = rows("rear-axle-stamp", "bdf", 1e-8, 40.0);
    compare("rear-axle-stamp", &a, &b, 1e-3);
}

/// Forces that are large multiples of small creepages, and depend on multipliers: two digits for two decades of the tolerance,
/// everywhere in the run.
#[test]
fn creep_forces_follow_the_tolerance_in_forms_of_index_2() {
    for name in ["wheelset", "curving"] {
        let reference = rows_in(Some("index2"), name, "radau", 1e-11, 2.0);
        let sizes: Vec<f64> = (0..reference[0].len())
            .map(|k| reference.iter().map(|r| r[k].abs()).fold(0.0, f64::max))
            .collect();
        let errors = [1e-5, 1e-7, 1e-9].map(|tolerance| {
            let rows = rows_in(Some("index2"), name, "radau", tolerance, 2.0);
            let mut worst = 0.0f64;
            for (a, b) in rows.iter().zip(&reference) {
                for k in 1..a.len() {
                    worst = worst.max((a[k] - b[k]).abs() / (1.0 + sizes[k]));
                }
            }
            worst
        });
        for pair in errors.windows(2) {
            let digits = (pair[0] / pair[1]).log10();
            assert!(digits > 0.5, "{name}: {digits:.1} digits more, errors {errors:?}");
        }
        let digits = (errors[0] / errors[2]).log10();
        assert!(
            digits > 3.2,
            "{name}: {digits:.1} digits in four decades, errors {errors:?}"
        );
    }
}

/// Where contact profiles change their curvature, multipliers that follow from accelerations jump: no step is so short that
/// they would not.
#[test]
fn multipliers_of_index_1_may_jump() {
    let exact = rows("curving", "radau", 1e-9, 3.0);
    let rows = rows_in(Some("index1"), "curving", "radau", 1e-8, 3.0);
    compare("curving", &rows, &exact, 1e-4);
}
