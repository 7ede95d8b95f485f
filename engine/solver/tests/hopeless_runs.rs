//! Runs that cannot reach their end: every one ends with a typed error whose message names the
//! culprit and a remedy, and keeps what was computed up to there.
#![allow(clippy::unwrap_used)]

mod common;

use common::{assert_says, failed, problem, refused, with_options};
use holonom_dae::{Closure, FailureKind, InputError, Rejection, Structure};
use holonom_solver::{Options, Start, Stop, solve};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// ẏ = −50 ln y has no value for y ≤ 0, where a bold first step ends up; the solution itself stays
/// above 1.
#[test]
fn residual_that_leaves_its_domain_for_a_moment() {
    let left = Arc::new(AtomicBool::new(false));
    let seen = left.clone();
    let system = Closure::new(Structure::ode(["y"]), move |_t, y, yp, r| {
        seen.fetch_or(y[0] < 0.0, Ordering::Relaxed);
        r[0] = yp[0] + 50.0 * y[0].ln();
    });
    let mut options = Options::new(1e-6, 1e-6).stepper("bdf");
    options.initial_step = Some(0.1);
    let solution = solve(system, (0.0, 1.0), &[2.0], &[0.0], options).unwrap();
    assert!(left.load(Ordering::Relaxed), "the domain was never left");
    assert!((solution.y[0] - 1.0).abs() < 1e-5, "{}", solution.y[0]);
    assert!(solution.counters.rejected_convergence > 0);
}

#[test]
fn residual_that_is_lost_for_good() {
    let system = Closure::new(Structure::ode(["slow", "root"]), |t, _y, yp, r| {
        r[0] = yp[0] - 1.0;
        r[1] = yp[1] + (1.0 - t).sqrt();
    });
    let outputs: Vec<f64> = (0..=20).map(|i| 0.1 * f64::from(i)).collect();
    let options = Options::new(1e-6, 1e-6).outputs(outputs);
    let error = failed(solve(system, (0.0, 2.0), &[0.0, 0.0], &[1.0, -1.0], options));
    match &error.failure.kind {
        FailureKind::NonFinite { equation } => assert_eq!(equation, "d/dt root"),
        FailureKind::StepTooSmall { .. } => {}
        other => panic!("{other:?}"),
    }
    assert_says(&error.failure, &["d/dt root", "root or logarithm"]);
    // What was computed stays: up to where the root ends, and right.
    let partial = error.partial.unwrap();
    assert!(partial.stop.is_none());
    assert!(partial.t > 0.9 && partial.t <= 1.0, "t = {}", partial.t);
    assert!((error.failure.t - partial.t).abs() < 1e-12);
    let reached = partial.outputs.len();
    assert!(
        reached == 10 || reached == 11,
        "{reached} outputs up to t = {}",
        partial.t
    );
    for (t, y) in &partial.outputs {
        let exact = 2.0 / 3.0 * ((1.0 - t).max(0.0).powf(1.5) - 1.0);
        assert!((y[1] - exact).abs() < 1e-4 && (y[0] - t).abs() < 1e-6);
    }
}

#[test]
fn variable_in_no_equation() {
    let build = || {
        Closure::new(Structure::semi_explicit(["a"], ["b", "lost"]), |_t, y, yp, r| {
            r[0] = yp[0] + y[1];
            r[1] = y[1] - y[0];
            r[2] = y[1] + y[0] - 2.0;
        })
    };
    // Found while the start is assembled …
    let (failure, error) = refused(solve(
        build(),
        (0.0, 1.0),
        &[1.0, 1.0, 0.0],
        &[-1.0, 0.0, 0.0],
        Options::default(),
    ));
    assert!(matches!(error, InputError::NoConsistentStart { .. }), "{failure}");
    assert_says(&failure, &["equation for", "no equation determines"]);
    // … or in the first step.
    let options = Options::default().start(Start::Trust);
    let error = failed(solve(
        build(),
        (0.0, 1.0),
        &[1.0, 1.0, 0.0],
        &[-1.0, 0.0, 0.0],
        options,
    ));
    let FailureKind::SingularMatrix {
        variable, structural, ..
    } = &error.failure.kind
    else {
        panic!("{error}");
    };
    assert_eq!((variable.as_str(), *structural), ("lost", true));
    assert_says(&error.failure, &["`lost`", "structurally", "Look for a variable"]);
}

#[test]
fn two_equal_equations() {
    let system = Closure::new(Structure::semi_explicit(["a"], ["b", "c"]), |_t, y, yp, r| {
        r[0] = yp[0] + y[0];
        r[1] = y[1] + y[2] - y[0];
        r[2] = 2.0 * (y[1] + y[2] - y[0]);
    });
    let options = Options::default().start(Start::Trust);
    let error = failed(solve(
        system,
        (0.0, 1.0),
        &[1.0, 0.5, 0.5],
        &[-1.0, 0.0, 0.0],
        options,
    ));
    let FailureKind::SingularMatrix {
        equation,
        variable,
        structural,
    } = &error.failure.kind
    else {
        panic!("{error}");
    };
    assert!(
        ["equation for b", "equation for c"].contains(&equation.as_str()),
        "{equation}"
    );
    assert!(["b", "c"].contains(&variable.as_str()), "{variable}");
    assert!(!structural);
    assert_says(&error.failure, &["numerically", "redundant constraint"]);
}

/// y' = y² has a pole at t = 1.
#[test]
fn solution_with_a_pole() {
    for stepper in ["bdf", "radau"] {
        let system = Closure::new(Structure::ode(["steady", "pole"]), |_t, y, yp, r| {
            r[0] = yp[0] + y[0];
            r[1] = yp[1] - y[1] * y[1];
        });
        let mut options = Options::new(1e-6, 1e-6).stepper(stepper);
        options.max_steps = 300_000;
        let error = failed(solve(system, (0.0, 2.0), &[1.0, 1.0], &[-1.0, 1.0], options));
        assert!(
            (error.failure.t - 1.0).abs() < 1e-2,
            "{stepper}: t = {}",
            error.failure.t
        );
        match &error.failure.kind {
            FailureKind::Unbounded { variable, value, .. } => {
                assert_eq!(variable, "pole");
                assert!(*value > 1e6, "{value}");
            }
            other => panic!("{stepper}: {other:?}"),
        }
    }
}

/// A relay without an event: the residual is discontinuous at y = 0 and the solution slides there.
#[test]
fn discontinuous_residual() {
    let system = Closure::new(Structure::ode(["relay"]), |_t, y, yp, r| {
        r[0] = yp[0] + if y[0] > 0.0 { 1.0 } else { -1.0 };
    });
    let mut options = Options::new(1e-6, 1e-6);
    options.max_steps = 20_000;
    let error = failed(solve(system, (0.0, 3.0), &[1.0], &[-1.0], options));
    match &error.failure.kind {
        FailureKind::StepTooSmall { .. } => assert_says(&error.failure, &["discontinu"]),
        FailureKind::TooManySteps { .. } => assert_says(&error.failure, &["max_steps"]),
        other => panic!("{other:?}"),
    }
    assert!(error.failure.t > 0.99, "t = {}", error.failure.t);
    assert!(error.partial.unwrap().y[0].abs() < 1e-3);
}

#[test]
fn too_much_accuracy() {
    let error = failed(with_options(Options::new(3e-15, 1e-20)));
    assert!(
        matches!(error.failure.kind, FailureKind::TooMuchAccuracy { factor } if factor > 1.0),
        "{:?}",
        error.failure.kind
    );
    assert_says(&error.failure, &["multiply them by at least"]);
    // Below double precision it is a fault of the settings.
    let error = failed(with_options(Options::new(1e-17, 1e-17)));
    assert!(
        matches!(error.failure.kind, FailureKind::Input(_)),
        "{:?}",
        error.failure.kind
    );
    assert_says(&error.failure, &["below double precision"]);
}

#[test]
fn limits() {
    let options = || Options {
        max_step: 1e-3,
        ..Options::new(1e-6, 1e-6).outputs(vec![0.005, 0.9])
    };
    let error = failed(with_options(Options {
        max_steps: 20,
        ..options()
    }));
    assert!(matches!(
        error.failure.kind,
        FailureKind::TooManySteps { steps: 20 }
    ));
    assert_says(&error.failure, &["20 steps", "raise `max_steps`"]);
    let partial = error.partial.unwrap();
    assert_eq!((partial.counters.steps, partial.outputs.len()), (20, 1));

    let slow = Closure::new(Structure::ode(["y"]), |_t, y, yp, r| {
        std::thread::sleep(std::time::Duration::from_millis(2));
        r[0] = yp[0] + y[0];
    });
    let limited = Options {
        time_limit: Some(0.02),
        ..options()
    };
    let error = failed(solve(slow, (0.0, 1.0), &[1.0], &[-1.0], limited));
    assert!(matches!(error.failure.kind, FailureKind::TimeLimit { .. }));
    assert_says(&error.failure, &["0.02 s", "raise `time_limit`"]);
    assert!(error.partial.is_some());
}

/// A partial solution belongs to the time it claims, also when a limit ended the run.
#[test]
fn partial_solution_of_a_limited_run() {
    let error = failed(with_options(Options {
        max_step: 1e-2,
        max_steps: 50,
        ..Options::new(1e-8, 1e-8)
    }));
    let partial = error.partial.unwrap();
    assert!((partial.y[0] - (-partial.t).exp()).abs() < 1e-6);
    assert_eq!(
        partial.t, error.failure.t,
        "the solution shown is older than the run"
    );
}

#[test]
fn interruption() {
    let flag = Arc::new(AtomicBool::new(false));
    let inside = flag.clone();
    let system = Closure::new(Structure::ode(["y"]), move |t, y, yp, r| {
        if t > 0.5 {
            inside.store(true, Ordering::Relaxed);
        }
        r[0] = yp[0] + y[0];
    });
    let options = Options {
        interrupt: Some(flag),
        max_step: 0.01,
        ..Options::new(1e-6, 1e-6).outputs(vec![0.25, 0.75])
    };
    let solution = solve(system, (0.0, 1.0), &[1.0], &[-1.0], options).unwrap();
    assert_eq!(solution.stop, Some(Stop::Interrupted));
    assert!(solution.t > 0.5 && solution.t < 0.52);
    assert!((solution.y[0] - (-solution.t).exp()).abs() < 1e-5);
    assert_eq!(solution.outputs.len(), 1);
}

#[test]
fn fixed_step_that_does_not_converge() {
    let system = Closure::new(Structure::ode(["y"]), |_t, y, yp, r| {
        r[0] = yp[0] - 1e3 * (50.0 * y[0]).sin() * y[0].exp();
    });
    let options = Options {
        fixed_step: Some(0.1),
        ..Options::new(1e-8, 1e-8)
    };
    let error = failed(solve(system, (0.0, 10.0), &[1.0], &[0.0], options));
    assert!(
        matches!(
            error.failure.kind,
            FailureKind::StepTooLong {
                reason: Rejection::Divergence | Rejection::SlowConvergence,
                ..
            }
        ),
        "{error}"
    );
    assert_says(&error.failure, &["Shorten the step"]);
}

/// Absolute tolerances far above y₂ ~ 10⁻⁵ invite negative concentrations, from which Robertson's
/// reaction runs away: success must mean non-negative.
#[test]
fn robertson_with_silly_tolerances() {
    let mut negative = Vec::new();
    for name in ["robertson-ode", "robertson-dae"] {
        for atol in [1e-2, 1.0, 10.0] {
            for rtol in [1e-2, 1e-4] {
                let p = problem(name);
                let mut options = Options::new(rtol, atol);
                options.max_steps = 100_000;
                let mut integrator =
                    holonom_solver::Integrator::new((p.build)(), p.t0, &p.y0, &p.yp0, p.t_end, options)
                        .unwrap();
                if integrator
                    .run(p.t_end, &mut holonom_solver::stepper::Quiet)
                    .is_ok()
                {
                    let y = integrator.y();
                    if !y.iter().all(|y| *y >= 0.0 && y.is_finite()) {
                        negative.push(format!("{name} with atol {atol}, rtol {rtol} ends at {y:?}"));
                    }
                }
            }
        }
    }
    assert!(negative.is_empty(), "{negative:#?}");
}
