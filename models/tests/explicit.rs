//! The explicit method `dormand-prince` on shipped models, and the choice of a method by `auto`.

#![allow(clippy::unwrap_used)]

mod common;

use common::{assembled, parts};
use holonom::format::Settings;
use holonom::multibody::residual::Formalism;
use holonom::simulation::{Memory, RunOptions, RunReport, Simulation};
use holonom::solver::explain::Subject;
use holonom::{Integrator, Options, solve};
use holonom_models::{find, reference};

fn settings(stepper: &str, rtol: f64, t_end: Option<f64>) -> Settings {
    Settings {
        stepper: Some(stepper.into()),
        rtol: Some(rtol),
        atol: Some(rtol),
        t_end,
        ..Settings::default()
    }
}

/// Outputs of a shipped model over a time, and the report.
fn run(name: &str, settings: &Settings) -> (Vec<Vec<f64>>, RunReport) {
    let file = find(name).unwrap().read().unwrap();
    let simulation = Simulation::new(&file, settings).unwrap();
    let patterns: Vec<&str> = file.outputs.iter().map(String::as_str).collect();
    let selection = simulation.catalogue.select(&patterns).unwrap();
    let mut memory = Memory::default();
    let report = simulation.run(&RunOptions::new(selection), &mut memory).unwrap();
    (memory.0, report)
}

/// Digits against references, with the exponent of the tolerance less two.
#[test]
fn references_are_met() {
    for name in ["andrews", "double-pendulum", "tumbling-body"] {
        let r = reference::find(name).unwrap_or_else(|| panic!("{name}"));
        let start = assembled(&(r.build)().unwrap());
        let equations = start.equations(r.form, Formalism::Residual).unwrap();
        let (y, yp) = start.state(&equations);
        let options = Options::new(1e-10, 1e-10).stepper("dormand-prince");
        let end = solve(equations.system(), (0.0, r.t_end), &y, &yp, options).unwrap();
        let (q, v) = parts(&start.model, &end.y);
        let digits = r.digits(&start.model, q, v);
        assert!(digits >= 8.0, "{name}: {digits}");
    }
}

/// Trees, loops, Euler parameters, rolling, own states, events: outputs between steps are those of `bdf`, and loops stay
/// closed.
#[test]
fn outputs_are_those_of_bdf() {
    let tolerance = 1e-7;
    for (name, t_end) in [
        ("pendulum", 2.0),
        ("n-pendulum", 1.0),
        ("spatial-pendulum", 1.0),
        ("slider-crank", 1.0),
        ("four-bar", 1.0),
        ("spatial-four-bar", 1.0),
        ("gear-train", 1.0),
        ("rolling-disc", 1.0),
        ("vehicle", 1.0),
        ("arm", 0.5),
        ("tumbling-body", 2.0),
        ("bouncing-ball", 1.5),
        ("car-axle", 1.0),
        ("iltis", 0.5),
    ] {
        let (a, report) = run(name, &settings("dormand-prince", tolerance, Some(t_end)));
        let (b, _) = run(name, &settings("bdf", tolerance, Some(t_end)));
        assert!(a.len() == b.len() && a.len() > 10, "{name}");
        for k in 1..a[0].len() {
            let size = 1.0 + b.iter().map(|r| r[k].abs()).fold(0.0, f64::max);
            let off = a
                .iter()
                .zip(&b)
                .map(|(x, y)| (x[k] - y[k]).abs())
                .fold(0.0, f64::max);
            assert!(
                off <= 1e3 * tolerance * size,
                "{name}, channel {k}: {off:.1e} of {size:.1e}"
            );
        }
        let c = &report.constraint;
        // Of all outputs, between steps too.
        assert!(
            c.position < tolerance && c.velocity < 10.0 * tolerance,
            "{name}: {c:?}"
        );
    }
}

/// What is not stiff runs explicit, what is does not for long, and the reasons are given.
#[test]
fn auto_tells_stiff_from_not_stiff() {
    for (name, t_end, expected) in [
        ("slider-crank", Some(0.5), &["dormand-prince"][..]),
        ("n-pendulum", Some(0.5), &["dormand-prince"]),
        ("spatial-four-bar", Some(0.5), &["dormand-prince"]),
        ("rear-axle-stamp", None, &["radau", "bdf"]),
        ("wheelset", None, &["radau", "bdf"]),
        ("curving", None, &["radau", "bdf"]),
    ] {
        let (_, report) = run(name, &settings("auto", 1e-6, t_end));
        let used = report.used.stepper.as_str();
        assert!(expected.contains(&used), "{name}: {:?}", report.explain);
        let first = &report.explain[0];
        assert!(
            first.subject == Subject::Stepper && first.t.is_none(),
            "{name}: {first}"
        );
        let mut later = report.explain[1..].iter();
        let changed = later.rfind(|d| d.subject == Subject::Stepper);
        let last = changed.unwrap_or(first);
        assert_eq!(last.chosen, used, "{name}: {last}");
    }
}

/// Given steps that follow the fastest motion, 10 1/s of the controller, need one solution each; longer ones, and those of
/// runs with events, a method of one step that is always stable.
#[test]
fn auto_looks_at_given_steps() {
    for (name, step, expected) in [
        ("circular-track", 1e-3, "bdf"),
        ("circular-track", 5e-2, "radau"),
        ("bouncing-ball", 1e-3, "radau"),
    ] {
        let settings = Settings {
            fixed_step: Some(step),
            ..settings("auto", 1e-6, Some(1.0))
        };
        let (_, report) = run(name, &settings);
        assert_eq!(report.used.stepper, expected, "{name}: {}", report.explain[0]);
    }
}

/// Without an error test nothing but the corrector keeps a run on its track: it must not go by the convergence of
/// Jacobians it has left behind.
#[test]
fn given_steps_stay_on_the_track() {
    for tolerance in [1e-3, 1e-4, 1e-6] {
        for stepper in ["bdf", "radau"] {
            let (_, report) = run("circular-track", &settings(stepper, tolerance, None));
            let off = report.constraint.position;
            assert!(off < tolerance && off < 1e-5, "{stepper}: {off} at {tolerance}");
        }
    }
}

/// Where the explicit method stops, at a singular position, the implicit one goes on.
#[test]
fn auto_passes_singular_positions() {
    let r = reference::find("n-four-bar:2").unwrap();
    let start = assembled(&(r.build)().unwrap());
    let equations = start.equations(r.form, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations);
    let options = Options::new(1e-10, 1e-10).stepper("auto");
    let end = solve(equations.system(), (0.0, r.t_end), &y, &yp, options).unwrap();
    let (q, v) = parts(&start.model, &end.y);
    let digits = r.digits(&start.model, q, v);
    assert!(digits >= 8.0, "{digits}");
}

/// A run with `auto` that is continued from checkpoints, before and after its change of method, is the same to the bit.
#[test]
fn resumed_runs_change_alike() {
    let r = reference::find("n-four-bar:2").unwrap();
    let start = assembled(&(r.build)().unwrap());
    let equations = || start.equations(r.form, Formalism::Residual).unwrap();
    let (y, yp) = start.state(&equations());
    let run = |tolerance: f64| {
        let options = Options::new(tolerance, tolerance).stepper("auto");
        let mut whole =
            Integrator::new(equations().system(), 0.0, &y, &yp, r.t_end, options.clone()).unwrap();
        let mut saved = Vec::new();
        while whole.stepper().t() < 6.0 {
            whole.step().unwrap();
            saved.push((
                whole.stepper().name(),
                serde_json::to_string(&whole.checkpoint()).unwrap(),
            ));
        }
        let end = (
            whole.stepper().t(),
            whole.stepper().y().to_vec(),
            *whole.counters(),
        );
        (options, saved, end)
    };
    // At which tolerances a step ends too close to a singular position is a matter of rounding. Below 1e-11 no method has
    // room above it there, with or without a change.
    let mut runs = [1e-9, 1e-10, 1e-11].into_iter().map(run);
    let changed = |(_, saved, _): &(_, Vec<(&str, _)>, _)| {
        saved[0].0 == "dormand-prince" && saved.iter().any(|(name, _)| *name != "dormand-prince")
    };
    let (options, saved, end) = runs.find(changed).unwrap();
    for (name, text) in [&saved[3], &saved[saved.len() - 4]] {
        let checkpoint = serde_json::from_str(text).unwrap();
        let mut rest = Integrator::resume(equations().system(), options.clone(), &checkpoint).unwrap();
        assert_eq!(rest.stepper().name(), *name);
        while rest.stepper().t() < 6.0 {
            rest.step().unwrap();
        }
        let found = (rest.stepper().t(), rest.stepper().y().to_vec(), *rest.counters());
        assert_eq!(found, end, "from {name}");
    }
}
