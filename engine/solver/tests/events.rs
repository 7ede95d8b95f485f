//! Events: found once, in the right order, at the right time, with the right consequences.
#![allow(clippy::unwrap_used)]

mod common;

use common::{assert_says, failed};
use holonom_dae::{Closure, Direction, Event, EventAction, FailureKind, Structure};
use holonom_solver::stepper::{Observer, Quiet, Stop};
use holonom_solver::{Integrator, Options, Solution, solve};
use std::f64::consts::PI;

const GRAVITY: f64 = 9.81;

/// ẏ = 1: the unknown is the time.
fn clock<'a>() -> Closure<'a> {
    Closure::new(Structure::ode(["clock"]), |_t, _y, yp, r| r[0] = yp[0] - 1.0)
}

/// x = sin t, v = cos t.
fn oscillator<'a>() -> Closure<'a> {
    Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
        r[0] = yp[0] - y[1];
        r[1] = yp[1] + y[0];
    })
}

fn ball<'a>(direction: Direction, restitution: f64) -> Closure<'a> {
    Closure::new(Structure::ode(["height", "velocity"]), |_t, y, yp, r| {
        r[0] = yp[0] - y[1];
        r[1] = yp[1] + GRAVITY;
    })
    .event(
        Event::new("ground").direction(direction),
        |_t, y, _yp| y[0],
        move |state| {
            state.y[0] = 0.0;
            state.y[1] *= -restitution;
            EventAction::Restart
        },
    )
}

fn times(solution: &Solution, event: usize) -> Vec<f64> {
    let of = solution.events.iter().filter(|e| e.event == event);
    of.map(|e| e.t).collect()
}

#[track_caller]
fn assert_times(found: &[f64], exact: &[f64], tolerance: f64) {
    assert_eq!(found.len(), exact.len(), "found {found:?} instead of {exact:?}");
    for (f, e) in found.iter().zip(exact) {
        assert!(
            (f - e).abs() < tolerance,
            "{f} instead of {e}: off by {:.1e}",
            f - e
        );
    }
}

#[test]
fn bouncing_ball() {
    let t_end = 3.0;
    let mut exact = Vec::new();
    let (mut t, mut speed) = ((2.0 / GRAVITY).sqrt(), (2.0 * GRAVITY).sqrt());
    while t < t_end {
        exact.push(t);
        speed *= 0.8;
        t += 2.0 * speed / GRAVITY;
    }
    for direction in [Direction::Falling, Direction::Both] {
        for tol in [1e-5, 1e-7, 1e-9] {
            let ball = ball(direction, 0.8);
            let outputs: Vec<f64> = (0..=300).map(|i| 0.01 * f64::from(i)).collect();
            let options = Options::new(tol, tol).outputs(outputs);
            let solution = solve(ball, (0.0, t_end), &[1.0, 0.0], &[0.0, -GRAVITY], options).unwrap();
            assert_times(&times(&solution, 0), &exact, 10.0 * tol);
            assert_eq!(solution.counters.events, exact.len() as u64);
            assert_eq!(solution.counters.restarts, exact.len() as u64);
            // The flights between the bounces.
            assert_eq!(solution.outputs.len(), 301);
            for (t, y) in &solution.outputs {
                let flight = exact.iter().filter(|e| *e < t).count();
                let (since, up) = match flight {
                    0 => (0.0, 0.0),
                    i => (exact[i - 1], (2.0 * GRAVITY).sqrt() * 0.8f64.powi(i as i32)),
                };
                let start = if flight == 0 { 1.0 } else { 0.0 };
                let s = t - since;
                let height = start + up * s - 0.5 * GRAVITY * s * s;
                assert!(
                    (y[0] - height).abs() < 100.0 * tol,
                    "{} instead of {height} at {t}",
                    y[0]
                );
            }
        }
    }
}

#[test]
fn directions() {
    for (direction, exact) in [
        (
            Direction::Both,
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|k| k * PI).to_vec(),
        ),
        (Direction::Rising, [2.0, 4.0, 6.0].map(|k| k * PI).to_vec()),
        (Direction::Falling, [1.0, 3.0, 5.0].map(|k| k * PI).to_vec()),
    ] {
        let system = oscillator().event(
            Event::new("crossing").direction(direction),
            |_t, y, _yp| y[0],
            |_| EventAction::Continue,
        );
        // The function is zero at the start: not an event.
        let solution = solve(
            system,
            (0.0, 20.0),
            &[0.0, 1.0],
            &[1.0, 0.0],
            Options::new(1e-9, 1e-9),
        )
        .unwrap();
        assert_times(&times(&solution, 0), &exact, 1e-7);
        assert_eq!(solution.counters.restarts, 0);
    }
}

#[test]
fn events_that_change_nothing_do_not_change_the_solution() {
    for stepper in ["bdf", "radau", "dormand-prince"] {
        let options = || Options::new(1e-6, 1e-6).stepper(stepper);
        let plain = solve(oscillator(), (0.0, 20.0), &[0.0, 1.0], &[1.0, 0.0], options()).unwrap();
        let system = oscillator().event(Event::new("x"), |_t, y, _yp| y[0], |_| EventAction::Continue);
        let watched = solve(system, (0.0, 20.0), &[0.0, 1.0], &[1.0, 0.0], options()).unwrap();
        assert_eq!(common::bits(&plain.y), common::bits(&watched.y), "{stepper}");
        assert_eq!(plain.counters.steps, watched.counters.steps, "{stepper}");
    }
}

#[test]
fn terminal_event() {
    let system = oscillator()
        .event(
            Event::new("minimum"),
            |_t, y, _yp| y[1],
            |_| EventAction::Continue,
        )
        .event(
            Event::new("zero").direction(Direction::Falling).required(),
            |_t, y, _yp| y[0],
            |_| EventAction::Stop,
        );
    let outputs: Vec<f64> = (0..100).map(|i| 0.1 * f64::from(i)).collect();
    let options = Options::new(1e-9, 1e-9).outputs(outputs);
    let solution = solve(system, (0.0, 10.0), &[0.0, 1.0], &[1.0, 0.0], options).unwrap();
    assert_eq!(solution.stop, Some(Stop::Event { event: 1 }));
    assert!((solution.t - PI).abs() < 1e-7);
    assert!(solution.y[0].abs() < 1e-8 && (solution.y[1] + 1.0).abs() < 1e-7);
    // Outputs up to the event and none behind it.
    assert_eq!(solution.outputs.len(), 32);
    assert_eq!(solution.events.len(), 2);
}

#[test]
fn several_events_in_one_step() {
    // Times in an order that is not that of the events, three within one step; two at one time.
    let at = [0.55, 0.5, 0.52, 0.55, 3.0];
    let mut system = clock();
    for (i, at) in at.into_iter().enumerate() {
        system = system.event(
            Event::new(format!("{i}")),
            move |_t, y, _yp| y[0] - at,
            |_| EventAction::Continue,
        );
    }
    let mut options = Options::new(1e-3, 1e-3);
    options.initial_step = Some(0.4);
    let solution = solve(system, (0.0, 4.0), &[0.0], &[1.0], options).unwrap();
    assert!(solution.counters.steps < 6);
    let order: Vec<usize> = solution.events.iter().map(|e| e.event).collect();
    assert!(order == [1, 2, 0, 3, 4] || order == [1, 2, 3, 0, 4], "{order:?}");
    for e in &solution.events {
        assert!((e.t - at[e.event]).abs() < 1e-12);
    }
    assert!(solution.events.windows(2).all(|w| w[0].t <= w[1].t));
}

/// A restart drops what the step found behind it; it is found again in the new steps.
#[test]
fn restart_before_other_events_in_the_same_step() {
    let system = clock()
        .event(
            Event::new("late"),
            |_t, y, _yp| y[0] - 10.4,
            |_| EventAction::Continue,
        )
        .event(
            Event::new("jump"),
            |t, _y, _yp| t - 0.5,
            |state| {
                state.y[0] += 10.0;
                EventAction::Restart
            },
        )
        .event(
            Event::new("never"),
            |_t, y, _yp| y[0] - 5.0,
            |_| EventAction::Continue,
        )
        .event(
            Event::new("after"),
            |_t, y, _yp| y[0] - 10.6,
            |_| EventAction::Continue,
        );
    let mut options = Options::new(1e-6, 1e-6);
    options.initial_step = Some(0.4);
    let solution = solve(system, (0.0, 1.0), &[0.0], &[1.0], options).unwrap();
    // The jump carries the clock across 10.4 and 5; what jumps across a surface does not cross it.
    assert_times(&times(&solution, 1), &[0.5], 1e-12);
    assert_times(&times(&solution, 3), &[0.6], 1e-6);
    assert_eq!(times(&solution, 0).len() + times(&solution, 2).len(), 0);
    assert!((solution.y[0] - 11.0).abs() < 1e-6);
}

/// A heater switched by its own temperature: ẏ = u − y, u ∈ {0, 2}.
#[test]
fn discrete_variables() {
    use holonom_algebra::Real;
    use holonom_dae::{Bound, EventState, Point, Rejection, Residual};
    struct Thermostat;
    impl Residual for Thermostat {
        type Workspace<T: Real> = ();
        fn structure(&self) -> Structure {
            Structure::ode(["temperature"])
        }
        fn workspace<T: Real>(&self) {}
        fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
            r[0] = at.yp[0] + at.y[0] - T::constant(at.discrete[0]);
            Ok(())
        }
        fn discrete(&self) -> Vec<f64> {
            vec![0.0]
        }
        fn events(&self) -> Vec<Event> {
            vec![
                Event::new("cold").direction(Direction::Falling),
                Event::new("warm").direction(Direction::Rising),
            ]
        }
        fn event_values(&self, at: Point<'_, f64>, _: &mut (), values: &mut [f64]) {
            values[0] = at.y[0] - 0.5;
            values[1] = at.y[0] - 1.5;
        }
        fn on_event(&self, event: usize, state: EventState<'_>) -> EventAction {
            state.discrete[0] = if event == 0 { 2.0 } else { 0.0 };
            EventAction::Restart
        }
    }
    let options = Options::new(1e-9, 1e-9).outputs(vec![1.0, 2.0, 9.5]);
    let solution = solve(Bound::new(Thermostat), (0.0, 10.0), &[1.0], &[-1.0], options).unwrap();
    let switch = |k: f64| 2f64.ln() + k * 3f64.ln();
    assert_times(&times(&solution, 0), &[0.0, 2.0, 4.0, 6.0, 8.0].map(switch), 1e-7);
    assert_times(&times(&solution, 1), &[1.0, 3.0, 5.0, 7.0].map(switch), 1e-7);
    // At t = 1 it is heated since ln 2, at t = 9.5 since the last time it got cold.
    for (t, y) in &solution.outputs {
        let k = ((t - switch(0.0)) / 3f64.ln()).floor();
        let s = (t - switch(k)).exp();
        let exact = if k % 2.0 == 0.0 { 2.0 - 1.5 / s } else { 1.5 / s };
        assert!((y[0] - exact).abs() < 1e-7, "{} instead of {exact} at {t}", y[0]);
    }
}

/// What happened, in order.
#[derive(Default)]
struct Diary(Vec<(char, f64, f64)>);

impl Observer for Diary {
    fn output(&mut self, t: f64, y: &[f64], _yp: &[f64]) {
        self.0.push(('o', t, y[0]));
    }

    fn event(&mut self, _event: usize, t: f64, y: &[f64], after: bool) {
        self.0.push((if after { 'a' } else { 'b' }, t, y[0]));
    }
}

#[test]
fn event_at_an_output_time() {
    let system = clock().event(
        Event::new("jump"),
        |t, _y, _yp| t - 0.5,
        |state| {
            state.y[0] += 10.0;
            EventAction::Restart
        },
    );
    let options = Options::new(1e-6, 1e-6).outputs(vec![0.25, 0.5, 0.75, 1.0]);
    let mut integrator =
        holonom_solver::Integrator::new(Box::new(system), 0.0, &[0.0], &[1.0], 1.0, options).unwrap();
    let mut diary = Diary::default();
    integrator.run(1.0, &mut diary).unwrap();
    let rounded: Vec<(char, f64, f64)> = (diary.0.iter())
        .map(|(c, t, y)| (*c, (t * 1e6).round() / 1e6, (y * 1e5).round() / 1e5))
        .collect();
    // At the time of the event the output shows the solution before it.
    let expected = [
        ('o', 0.25, 0.25),
        ('o', 0.5, 0.5),
        ('b', 0.5, 0.5),
        ('a', 0.5, 10.5),
        ('o', 0.75, 10.75),
        ('o', 1.0, 11.0),
    ];
    assert_eq!(rounded, expected);
}

/// An event at the end of the interval, up to rounding, counts.
#[test]
fn event_at_the_end() {
    let system = clock().event(
        Event::new("end").required(),
        |t, _y, _yp| t - 1.0,
        |_| EventAction::Continue,
    );
    let solution = solve(system, (0.0, 1.0), &[0.0], &[1.0], Options::new(1e-6, 1e-6)).unwrap();
    assert_eq!(times(&solution, 0), [1.0]);
}

#[test]
fn required_event_that_never_comes() {
    let system = oscillator().event(
        Event::new("too high").required(),
        |_t, y, _yp| y[0] - 2.0,
        |_| EventAction::Stop,
    );
    let error = failed(solve(
        system,
        (0.0, 10.0),
        &[0.0, 1.0],
        &[1.0, 0.0],
        Options::new(1e-6, 1e-6),
    ));
    let FailureKind::EventNeverFired { name, t_end, touched } = &error.failure.kind else {
        panic!("{error}");
    };
    assert_eq!((name.as_str(), *t_end, *touched), ("too high", 10.0, false));
    assert_says(&error.failure, &["too high", "extend the interval"]);
    // The run itself went to its end.
    assert_eq!(error.partial.unwrap().t, 10.0);
}

/// A function of the distance from t = 1.03 that touches zero there must be recognised as such.
fn check_touching(function: fn(f64) -> f64, max_step: f64) {
    for tol in [1e-3, 1e-6] {
        let mut options = Options::new(tol, tol);
        options.max_step = max_step;
        let system = clock().event(
            Event::new("touch").required(),
            move |_t, y, _yp| function(y[0] - 1.03),
            |_| EventAction::Stop,
        );
        let error = failed(solve(system, (0.0, 3.0), &[0.0], &[1.0], options));
        assert!(
            matches!(
                &error.failure.kind,
                FailureKind::EventNeverFired { touched: true, .. }
            ),
            "tolerance {tol}: {error}"
        );
        assert_says(&error.failure, &["touch", "touches zero", "changes sign"]);
    }
}

#[test]
fn required_square_on_small_steps() {
    check_touching(|d| d * d, 0.01);
}

#[test]
fn required_square_on_large_steps() {
    check_touching(|d| d * d, f64::INFINITY);
}

#[test]
fn required_absolute_value() {
    check_touching(f64::abs, 0.01);
    check_touching(f64::abs, f64::INFINITY);
}

#[test]
fn event_function_that_is_always_zero() {
    let system = oscillator().event(Event::new("nothing"), |_t, _y, _yp| 0.0, |_| EventAction::Stop);
    // It takes some steps to tell: methods of high order make few in ten seconds.
    let error = failed(solve(
        system,
        (0.0, 10.0),
        &[0.0, 1.0],
        &[1.0, 0.0],
        Options::new(1e-6, 1e-6).stepper("bdf"),
    ));
    assert!(matches!(&error.failure.kind, FailureKind::EventAlwaysZero { name, .. } if name == "nothing"));
    assert_says(&error.failure, &["nothing", "non-zero"]);
}

#[test]
fn event_function_that_is_not_a_number() {
    for from in [-1.0, 0.7] {
        let system = clock().event(
            Event::new("root"),
            move |_t, y, _yp| if y[0] > from { f64::NAN } else { -1.0 },
            |_| EventAction::Stop,
        );
        let error = failed(solve(
            system,
            (0.0, 1.0),
            &[0.0],
            &[1.0],
            Options::new(1e-6, 1e-6),
        ));
        assert!(
            matches!(&error.failure.kind, FailureKind::EventNotFinite { name } if name == "root"),
            "{error}"
        );
        assert_says(&error.failure, &["root", "not finite"]);
    }
}

/// A relay: ẏ = −sign y slides along y = 0, the switches follow each other without end.
#[test]
fn chattering() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let positive = Arc::new(AtomicBool::new(true));
    let (inside, falls, rises) = (positive.clone(), positive.clone(), positive);
    let system = Closure::new(Structure::ode(["y"]), move |_t, _y, yp, r| {
        r[0] = yp[0] + if inside.load(Ordering::Relaxed) { 1.0 } else { -1.0 };
    })
    .event(
        Event::new("falls").direction(Direction::Falling),
        |_t, y, _yp| y[0],
        move |_| {
            falls.store(false, Ordering::Relaxed);
            EventAction::Restart
        },
    )
    .event(
        Event::new("rises").direction(Direction::Rising),
        |_t, y, _yp| y[0],
        move |_| {
            rises.store(true, Ordering::Relaxed);
            EventAction::Restart
        },
    );
    let mut options = Options::new(1e-6, 1e-6).stepper("bdf");
    options.max_steps = 100_000;
    let error = failed(solve(system, (0.0, 2.0), &[1.0], &[-1.0], options));
    assert!(
        matches!(&error.failure.kind, FailureKind::EventChattering { .. }),
        "{error}"
    );
    assert_says(
        &error.failure,
        &["falls", "off the surface"].map(|w| if w == "falls" { "event" } else { w }),
    );
    assert!((error.failure.t - 1.0).abs() < 1e-3);
}

/// Infinitely many bounces up to t = 3 t₁: the run may end there with an error or stay on the
/// ground, but never below it.
#[test]
fn ball_at_rest_does_not_fall_through_the_ground() {
    let mut options = Options::new(1e-6, 1e-6);
    options.max_steps = 100_000;
    let t_end = 6.0 * (2.0 / GRAVITY).sqrt();
    let ball = ball(Direction::Falling, 0.5);
    let lowest = match solve(ball, (0.0, t_end), &[1.0, 0.0], &[0.0, -GRAVITY], options) {
        Ok(solution) => solution.y[0],
        Err(error) => error.partial.unwrap().y[0],
    };
    assert!(lowest > -1e-3, "the ball is at {lowest}");
}

/// A run in pieces meets the events at the same times as a run in one: also those between the
/// end of a piece and the end of the step that passed it.
#[test]
fn pieces_meet_the_same_events() {
    let system = || {
        oscillator().event(
            Event::new("level"),
            |_t, y, _yp| y[0] - 0.7719,
            |state| {
                state.y[1] += 1.0;
                EventAction::Restart
            },
        )
    };
    let start = || {
        let options = Options::new(1e-8, 1e-8);
        Integrator::new(Box::new(system()), 0.0, &[1.0, 0.0], &[0.0, -1.0], 2.0, options).unwrap()
    };
    let (mut once, mut pieces) = (start(), start());
    once.run(2.0, &mut Quiet).unwrap();
    for t in [0.685, 0.69, 0.705, 0.71, 1.3, 2.0] {
        pieces.run(t, &mut Quiet).unwrap();
    }
    assert_eq!(once.counters().events, pieces.counters().events);
    for (a, b) in once.y().iter().zip(pieces.y()) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

/// After an event ended the run, it can go on and does not meet the same event again.
#[test]
fn going_on_after_a_stop() {
    let system = oscillator().event(
        Event::new("level"),
        |_t, y, _yp| y[0] - 0.7719,
        |_| EventAction::Stop,
    );
    let options = Options::new(1e-8, 1e-8);
    let mut integrator =
        Integrator::new(Box::new(system), 0.0, &[1.0, 0.0], &[0.0, -1.0], 10.0, options).unwrap();
    let mut times = Vec::new();
    while integrator.run(10.0, &mut Quiet).unwrap() != Stop::Finished {
        times.push(integrator.t());
    }
    let first = 0.7719f64.acos();
    let turn = std::f64::consts::TAU;
    for (t, exact) in times.iter().zip([first, turn - first, turn + first]) {
        assert!((t - exact).abs() < 1e-6, "{t} {exact}");
    }
    assert_eq!(times.len(), 3);
    assert!((integrator.y()[0] - 10f64.cos()).abs() < 1e-6);
}

/// Events at the same time all happen, followed by one restart.
#[test]
fn events_at_the_same_time() {
    let system = oscillator()
        .event(Event::new("a"), |t, _y, _yp| t - 1.5, |_| EventAction::Restart)
        .event(
            Event::new("b"),
            |t, _y, _yp| 3.0 * (t - 1.5),
            |_| EventAction::Restart,
        );
    let solution = solve(
        system,
        (0.0, 3.0),
        &[1.0, 0.0],
        &[0.0, -1.0],
        Options::new(1e-8, 1e-8),
    )
    .unwrap();
    assert_eq!(
        solution.events.iter().map(|e| e.event).collect::<Vec<_>>(),
        [0, 1]
    );
    assert_eq!(solution.counters.restarts, 1);
}

/// A stop time at the end of a piece restarts the next one, as it does inside a run.
#[test]
fn stop_time_at_the_end_of_a_piece() {
    let system = Closure::new(Structure::ode(["x"]), |t, _y, yp, r| {
        r[0] = yp[0] - if t <= 1.0 { 1.0 } else { -1.0 };
    });
    let options = Options::new(1e-6, 1e-6).stop_at(1.0);
    let mut integrator = Integrator::new(Box::new(system), 0.0, &[0.0], &[1.0], 2.0, options).unwrap();
    integrator.run(1.0, &mut Quiet).unwrap();
    integrator.run(2.0, &mut Quiet).unwrap();
    assert_eq!(integrator.counters().restarts, 1);
    assert!(integrator.y()[0].abs() < 1e-9);
}

/// Single steps handle events and say when one ends the run.
#[test]
fn single_steps_see_events() {
    let system = oscillator().event(
        Event::new("level"),
        |_t, y, _yp| y[0] - 0.7719,
        |_| EventAction::Stop,
    );
    let options = Options::new(1e-6, 1e-6);
    let mut integrator =
        Integrator::new(Box::new(system), 0.0, &[1.0, 0.0], &[0.0, -1.0], 10.0, options).unwrap();
    let stop = loop {
        if let Some(stop) = integrator.step().unwrap() {
            break stop;
        }
    };
    assert_eq!(stop, Stop::Event { event: 0 });
    assert!((integrator.t() - 0.7719f64.acos()).abs() < 1e-5);
}

/// At rest until a bell of 2 % of the run pushes: nobody has said that there is one.
#[test]
fn an_undeclared_pulse_is_not_stepped_over() {
    for stepper in ["bdf", "backward-euler", "radau", "dormand-prince"] {
        let mut system = Closure::new(Structure::ode(["x", "v"]), |t, y, yp, r| {
            let push = (-((t - 63.0) / 0.5).powi(2)).exp();
            r[0] = yp[0] - y[1];
            r[1] = yp[1] - push;
        });
        let options = Options::new(1e-4, 1e-4).stepper(stepper);
        let mut run =
            Integrator::new(Box::new(&mut system), 0.0, &[0.0; 2], &[0.0; 2], 100.0, options).unwrap();
        run.run(100.0, &mut Quiet).unwrap();
        let (v, exact) = (run.y()[1], 0.5 * PI.sqrt());
        assert!((v - exact).abs() < 0.02, "{stepper}: {v} instead of {exact}");
    }
}

/// Steps end where they are told to, and the history goes on: no restart.
#[test]
fn steps_end_without_a_restart() {
    let mut options = Options::new(1e-6, 1e-6);
    options.step_ends = vec![1.0, 2.5];
    let mut system = oscillator();
    let mut run =
        Integrator::new(Box::new(&mut system), 0.0, &[0.0, 1.0], &[1.0, 0.0], 4.0, options).unwrap();
    struct Ends(Vec<f64>);
    impl Observer for Ends {
        fn step(&mut self, info: &holonom_solver::stepper::StepInfo<'_>) -> holonom_solver::stepper::Control {
            self.0.push(info.t);
            holonom_solver::stepper::Control::Continue
        }
    }
    let mut ends = Ends(Vec::new());
    run.run(4.0, &mut ends).unwrap();
    for wanted in [1.0, 2.5] {
        assert!(ends.0.contains(&wanted), "{wanted} in {:?}", ends.0);
    }
    assert_eq!(run.counters().restarts, 0);
}
