//! Dense output: the solution at all times, of every method, across events and restarts.
#![allow(clippy::unwrap_used)]

mod common;

use common::problem;
use holonom_dae::{Closure, Direction, Event, EventAction, Structure, problems};
use holonom_solver::stepper::{self, Takes};
use holonom_solver::trajectory::Trajectory;
use holonom_solver::{Integrator, Options, Start, solve};

/// ẋ = x v, v̇ = −ln x: x = exp(sin t), v = cos t.
fn ode() -> Closure<'static> {
    Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
        r[0] = yp[0] - y[0] * y[1];
        r[1] = yp[1] + y[0].ln();
    })
}

#[test]
fn every_method_is_as_accurate_between_its_steps() {
    for entry in stepper::REGISTRY.iter().filter(|e| e.takes != Takes::Mechanisms) {
        let tol = if entry.max_order == 1 { 1e-3 } else { 1e-6 };
        let options = Options::new(tol, tol).stepper(entry.name).dense_output();
        let solution = solve(ode(), (0.0, 3.0), &[1.0, 1.0], &[1.0, 0.0], options).unwrap();
        let trajectory = solution.trajectory.as_ref().unwrap();
        assert_eq!(trajectory.span(), Some((0.0, 3.0)), "{}", entry.name);
        assert_eq!(trajectory.len() as u64, solution.counters.steps, "{}", entry.name);
        for k in 0..=1000 {
            let t = 0.003 * f64::from(k);
            let y = solution.at(t).unwrap();
            let error = (y[0] - t.sin().exp()).abs().max((y[1] - t.cos()).abs());
            assert!(error < 100.0 * tol, "{} at {t}: off by {error:.1e}", entry.name);
        }
        assert_eq!(solution.at(3.0).unwrap(), solution.y, "{}", entry.name);
        assert_eq!(solution.at(3.1), None);
    }
}

/// A trajectory changes nothing of a run, and goes through its outputs.
#[test]
fn asking_for_it_changes_nothing() {
    let p = problem("pendulum-ggl");
    let times: Vec<f64> = (1..20).map(|k| 0.05 * f64::from(k)).collect();
    for entry in stepper::REGISTRY
        .iter()
        .filter(|e| !e.fixed_step && e.max_order > 1)
    {
        let go = |dense: bool| {
            let mut options = Options::new(1e-6, 1e-6)
                .stepper(entry.name)
                .outputs(times.clone());
            options.dense_output = dense;
            solve(
                (p.build)(),
                (0.0, 1.0),
                &p.y0,
                &p.yp0,
                options.start(Start::Trust),
            )
            .unwrap()
        };
        let (plain, dense) = (go(false), go(true));
        assert_eq!(plain.y, dense.y, "{}", entry.name);
        assert_eq!(plain.counters.steps, dense.counters.steps, "{}", entry.name);
        assert_eq!(plain.at(0.5), None);
        for (t, y) in &dense.outputs {
            let exact = problems::pendulum::exact(*t);
            let found = dense.at(*t).unwrap();
            for i in 0..4 {
                let (here, there) = ((found[i] - exact[i]).abs(), (y[i] - exact[i]).abs());
                assert!(
                    here < 10.0 * there + 1e-4,
                    "{} at {t}: {here:.1e}, {there:.1e}",
                    entry.name
                );
            }
        }
    }
}

fn ball() -> Closure<'static> {
    Closure::new(Structure::ode(["height", "speed"]), |_t, y, yp, r| {
        r[0] = yp[0] - y[1];
        r[1] = yp[1] + 10.0;
    })
    .event(
        Event::new("floor").direction(Direction::Falling),
        |_t, y, _yp| y[0],
        |at| {
            at.y[0] = 0.0;
            at.y[1] *= -0.5;
            EventAction::Restart
        },
    )
}

/// A ball that bounces: values jump at events, and pieces end there.
#[test]
fn events_end_pieces() {
    for name in ["bdf", "dormand-prince", "trapezoidal"] {
        let Some(entry) = stepper::find(name) else {
            continue;
        };
        let options = Options::new(1e-8, 1e-8).stepper(entry.name);
        let mut run =
            Integrator::new(Box::new(ball()), 0.0, &[5.0, 0.0], &[0.0, -10.0], 2.0, options).unwrap();
        let mut trajectory = Trajectory::new(2);
        // In two pieces, the second of which begins inside of a step.
        run.run(0.7, &mut trajectory).unwrap();
        run.run(1.8, &mut trajectory).unwrap();
        assert_eq!(trajectory.span(), Some((0.0, 1.8)));
        for k in 0..=180 {
            let t = 0.01 * f64::from(k);
            let y = trajectory.at(t).unwrap();
            let height = match t <= 1.0 {
                true => 5.0 - 5.0 * t * t,
                false => 5.0 * (t - 1.0) - 5.0 * (t - 1.0) * (t - 1.0),
            };
            assert!(
                (y[0] - height).abs() < 1e-5,
                "{name} at {t}: {} for {height}",
                y[0]
            );
        }
        // Before the jump at its time, behind it just after.
        assert!((trajectory.at(0.9999).unwrap()[1] + 10.0).abs() < 1e-2);
        assert!((trajectory.at(1.0001).unwrap()[1] - 5.0).abs() < 1e-2);
    }
}

/// Limits hold for callers with a loop of their own.
#[test]
fn single_steps_honour_limits() {
    let start = |options: Options| {
        Integrator::new(
            Box::new(ode()),
            0.0,
            &[1.0, 1.0],
            &[1.0, 0.0],
            3.0,
            options.stepper("bdf"),
        )
        .unwrap()
    };
    let few = Options {
        max_steps: 3,
        ..Options::new(1e-6, 1e-6)
    };
    let mut run = start(few);
    for _ in 0..3 {
        run.step().unwrap();
    }
    assert!(run.step().unwrap_err().to_string().contains("3 steps"));
    let hasty = Options {
        time_limit: Some(1e-12),
        ..Options::new(1e-6, 1e-6)
    };
    let mut run = start(hasty);
    let ended = (0..5).find_map(|_| run.step().err());
    assert!(ended.is_some());
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let interrupted = Options {
        interrupt: Some(flag),
        ..Options::new(1e-6, 1e-6)
    };
    assert_eq!(
        start(interrupted).step().unwrap(),
        Some(holonom_solver::Stop::Interrupted)
    );
}
