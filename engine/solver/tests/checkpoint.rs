//! Checkpoints: a run resumed from one, by way of JSON, gives the same bits as the run it was
//! taken from; a checkpoint that does not fit is refused.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, assert_says, bits, input_error, integrator, options, problem};
use holonom_algebra::Real;
use holonom_dae::{
    Bound, Closure, Counters, Direction, Event, EventAction, EventState, FailureKind, InputError, Point,
    Rejection, Residual, Structure, System,
};
use holonom_solver::stepper::{Control, Observer, Quiet, StepInfo};
use holonom_solver::{Checkpoint, Integrator, Options, Start, Stop};

/// Everything a run shows to the outside, as bits.
#[derive(Clone, Debug, Default, PartialEq)]
struct Log {
    outputs: Vec<Vec<u64>>,
    events: Vec<(usize, Vec<u64>, bool)>,
}

/// Logs, and stops after a given step.
#[derive(Default)]
struct Logger {
    log: Log,
    stop_at: Option<u64>,
}

impl Observer for Logger {
    fn step(&mut self, step: &StepInfo<'_>) -> Control {
        if self.stop_at == Some(step.steps) {
            Control::Stop
        } else {
            Control::Continue
        }
    }

    fn output(&mut self, t: f64, y: &[f64], yp: &[f64]) {
        self.log.outputs.push(bits(&[&[t], y, yp].concat()));
    }

    fn event(&mut self, event: usize, t: f64, y: &[f64], after: bool) {
        self.log.events.push((event, bits(&[&[t], y].concat()), after));
    }
}

/// A run from start to end.
struct Case {
    build: Box<dyn Fn() -> Box<dyn System>>,
    t0: f64,
    y0: Vec<f64>,
    yp0: Vec<f64>,
    t_end: f64,
    options: Options,
}

impl Case {
    fn new(name: &str, tol: f64, t_end: Option<f64>) -> Self {
        let p = problem(name);
        let t_end = t_end.unwrap_or(p.t_end);
        let mut options = options(&p, tol);
        options.outputs = (0..=40)
            .map(|i| p.t0 + (t_end - p.t0) * f64::from(i) / 40.0)
            .collect();
        Self {
            t0: p.t0,
            y0: p.y0,
            yp0: p.yp0,
            build: p.build,
            t_end,
            options: options.start(Start::Trust),
        }
    }

    fn with(mut self, change: impl Fn(Options) -> Options) -> Self {
        self.options = change(self.options);
        self
    }

    fn start(&self) -> Integrator<'static> {
        let span = self.t_end - self.t0;
        Integrator::new(
            (self.build)(),
            self.t0,
            &self.y0,
            &self.yp0,
            span,
            self.options.clone(),
        )
        .unwrap()
    }
}

type End = (u64, Vec<u64>, Vec<u64>, Counters, Vec<u64>);

fn end(integrator: &mut Integrator<'_>) -> End {
    let discrete = bits(integrator.system().discrete());
    (
        integrator.t().to_bits(),
        bits(integrator.y()),
        bits(integrator.yp()),
        *integrator.counters(),
        discrete,
    )
}

fn through_json(checkpoint: &Checkpoint) -> Checkpoint {
    let text = serde_json::to_string(checkpoint).unwrap();
    let back: Checkpoint = serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("a checkpoint does not survive JSON (a NaN or infinity in it?): {e}"));
    assert_eq!(text, serde_json::to_string(&back).unwrap());
    back
}

/// Resumes from `wanted` pseudo-random steps.
fn check(case: &Case, wanted: usize) {
    let mut whole = case.start();
    let mut logger = Logger::default();
    assert_eq!(whole.run(case.t_end, &mut logger).unwrap(), Stop::Finished);
    let expected = end(&mut whole);
    let log = logger.log;
    let total = expected.3.steps;
    assert!(total > wanted as u64, "only {total} steps");

    let mut random = Random(4);
    let mut chosen: Vec<u64> = (0..wanted)
        .map(|_| 1 + random.below(total as usize - 1) as u64)
        .collect();
    chosen.sort_unstable();
    chosen.dedup();

    // One run that is interrupted again and again: interruption itself changes nothing.
    let mut interrupted = case.start();
    let mut logger = Logger::default();
    for &step in &chosen {
        logger.stop_at = Some(step);
        assert_eq!(
            interrupted.run(case.t_end, &mut logger).unwrap(),
            Stop::Interrupted
        );
        assert_eq!(interrupted.counters().steps, step);
        let checkpoint = through_json(&interrupted.checkpoint());

        let mut resumed = Integrator::resume((case.build)(), case.options.clone(), &checkpoint).unwrap();
        let mut rest = Logger {
            log: logger.log.clone(),
            stop_at: None,
        };
        assert_eq!(resumed.run(case.t_end, &mut rest).unwrap(), Stop::Finished);
        assert_eq!(
            end(&mut resumed),
            expected,
            "resumed after step {step} of {total}"
        );
        assert_eq!(rest.log, log, "resumed after step {step} of {total}");
    }
    logger.stop_at = None;
    interrupted.run(case.t_end, &mut logger).unwrap();
    assert_eq!(end(&mut interrupted), expected);
    assert_eq!(logger.log, log);
}

#[test]
fn van_der_pol() {
    check(&Case::new("van-der-pol", 1e-5, None), 50);
}

#[test]
fn car_axle() {
    check(&Case::new("car-axle", 1e-5, None), 50);
}

#[test]
fn car_axle_with_the_rule_of_dassl() {
    check(&Case::new("car-axle", 1e-5, Some(1.0)).with(Options::dassl), 50);
}

#[test]
fn andrews() {
    check(&Case::new("andrews", 1e-4, None), 50);
}

#[test]
fn sparse_brusselator() {
    check(
        &Case::new("brusselator:40", 1e-6, None).with(|o| o.linear("lu-sparse")),
        50,
    );
}

#[test]
fn chain() {
    check(&Case::new("chain-residual", 1e-9, None), 50);
}

#[test]
fn robertson() {
    check(&Case::new("robertson-dae", 1e-5, None), 50);
}

#[test]
fn backward_euler() {
    check(
        &Case::new("hires", 1e-3, None).with(|o| o.stepper("backward-euler")),
        50,
    );
}

/// A ball that loses speed at every bounce; every third bounce the gravity changes, and the apex
/// is noted.
#[derive(Clone)]
struct Ball;

impl Residual for Ball {
    type Workspace<T: Real> = ();

    fn structure(&self) -> Structure {
        Structure::ode(["height", "velocity"])
    }

    fn workspace<T: Real>(&self) {}

    fn residual<T: Real>(&self, at: Point<'_, T>, _: &mut (), r: &mut [T]) -> Result<(), Rejection> {
        let drag = at.y[1] * 0.1;
        r[0] = at.yp[0] - at.y[1];
        r[1] = at.yp[1] + drag + at.discrete[1];
        Ok(())
    }

    fn discrete(&self) -> Vec<f64> {
        vec![0.0, 9.81]
    }

    fn events(&self) -> Vec<Event> {
        vec![
            Event::new("ground").direction(Direction::Falling),
            Event::new("apex").direction(Direction::Falling),
        ]
    }

    fn event_values(&self, at: Point<'_, f64>, _: &mut (), values: &mut [f64]) {
        values.copy_from_slice(at.y);
    }

    fn on_event(&self, event: usize, state: EventState<'_>) -> EventAction {
        if event == 1 {
            return EventAction::Continue;
        }
        state.y[1] *= -0.95;
        state.discrete[0] += 1.0;
        if state.discrete[0] % 3.0 == 0.0 {
            state.discrete[1] = 15.0 - state.discrete[1];
        }
        EventAction::Restart
    }
}

fn ball() -> Case {
    let mut options = Options::new(1e-6, 1e-6).stepper("bdf");
    options.outputs = (0..100).map(|i| 0.05 * f64::from(i)).collect();
    Case {
        build: Box::new(|| Box::new(Bound::new(Ball))),
        t0: 0.0,
        y0: vec![1.0, 0.0],
        yp0: vec![0.0, -9.81],
        t_end: 5.0,
        options,
    }
}

#[test]
fn bouncing_ball() {
    check(&ball(), 50);
}

#[test]
fn before_the_first_step() {
    let case = ball();
    let mut whole = case.start();
    let checkpoint = through_json(&whole.checkpoint());
    whole.run(case.t_end, &mut Quiet).unwrap();
    let mut resumed = Integrator::resume((case.build)(), case.options.clone(), &checkpoint).unwrap();
    resumed.run(case.t_end, &mut Quiet).unwrap();
    assert_eq!(end(&mut resumed), end(&mut whole));
}

/// What is known about an event function (its usual size, whether it came to zero) is part of
/// the state too.
#[test]
fn memory_of_events() {
    let build = || {
        Closure::new(Structure::ode(["x"]), |_t, _y, yp, r| r[0] = yp[0] - 1.0).event(
            Event::new("parabola").required(),
            |_t, y, _yp| (y[0] - 1.0).powi(2),
            |_| EventAction::Continue,
        )
    };
    let mut options = Options::new(1e-6, 1e-6).stepper("bdf");
    options.max_step = 0.01;
    let start =
        |o: &Options| Integrator::new(Box::new(build()), 0.0, &[0.0], &[1.0], 2.0, o.clone()).unwrap();
    let whole = start(&options).run(1.2, &mut Quiet).unwrap_err();
    assert!(
        matches!(whole.kind, FailureKind::EventNeverFired { touched: true, .. }),
        "{whole}"
    );
    let mut first = start(&options);
    let _ = first.run(0.99, &mut Quiet);
    let checkpoint = through_json(&first.checkpoint());
    let mut resumed = Integrator::resume(Box::new(build()), options, &checkpoint).unwrap();
    assert_eq!(resumed.run(1.2, &mut Quiet).unwrap_err(), whole);
}

/// The message of a refused checkpoint.
fn refused(system: Box<dyn System>, options: Options, checkpoint: &Checkpoint) -> String {
    match Integrator::resume(system, options, checkpoint) {
        Ok(_) => panic!("the checkpoint was taken"),
        Err(failure) => {
            assert_says(&failure, &["the checkpoint does not match"]);
            match input_error(&failure) {
                InputError::Checkpoint(message) => message.clone(),
                other => panic!("{other:?}"),
            }
        }
    }
}

fn hires_checkpoint() -> (Options, Checkpoint) {
    let p = problem("hires");
    let options = options(&p, 1e-4);
    let mut integrator = integrator(&p, options.clone());
    for _ in 0..20 {
        integrator.step().unwrap();
    }
    let checkpoint = integrator.checkpoint();
    (options, checkpoint)
}

#[test]
fn another_dimension_is_refused() {
    let (options, checkpoint) = hires_checkpoint();
    let message = refused((problem("van-der-pol").build)(), options, &checkpoint);
    assert!(message.contains('8') && message.contains('2'), "{message}");
}

#[test]
fn another_system_of_the_same_dimension_is_refused() {
    let (options, checkpoint) = hires_checkpoint();
    // Both have eight unknowns.
    refused((problem("transistor-amplifier").build)(), options, &checkpoint);
}

#[test]
fn other_strategies_are_refused() {
    let (options, checkpoint) = hires_checkpoint();
    for (other, old, new) in [
        (options.clone().stepper("backward-euler"), "bdf", "backward-euler"),
        (options.clone().refresh("dassl"), "classical", "dassl"),
    ] {
        let message = refused((problem("hires").build)(), other, &checkpoint);
        assert!(message.contains(old) && message.contains(new), "{message}");
    }
}

#[test]
fn another_version_is_refused() {
    let (options, mut checkpoint) = hires_checkpoint();
    checkpoint.version += 1;
    let message = refused((problem("hires").build)(), options, &checkpoint);
    assert!(message.contains("format"), "{message}");
}

#[test]
fn other_discrete_variables_or_events_are_refused() {
    let ball = ball();
    let mut integrator = ball.start();
    integrator.step().unwrap();
    let checkpoint = integrator.checkpoint();
    let plain = |discrete: usize| {
        Closure::new(Structure::ode(["height", "velocity"]), |_t, _y, _yp, _r| {})
            .with_discrete(vec![0.0; discrete])
    };
    let message = refused(Box::new(plain(3)), ball.options.clone(), &checkpoint);
    assert!(message.contains("discrete"), "{message}");
    let message = refused(Box::new(plain(2)), ball.options.clone(), &checkpoint);
    assert!(message.contains("event"), "{message}");
}
