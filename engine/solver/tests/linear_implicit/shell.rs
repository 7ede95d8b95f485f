//! What [`RealTime`] promises: work known before, no failure, and the same numbers as the driver.

use super::{axle, choose};
use holonom_dae::problems::{self, car_axle::CarAxle, constrained::Form, constrained::Mechanics};
use holonom_dae::{ElementSet, Mechanical, Rejection};
use holonom_solver::stepper::{
    Advance, Checkpoint, Level, LinearImplicitOptions, MotionState, Ordering, Partition, Projections,
    RealTime, Stabilisation, StiffTerms, Work,
};
use holonom_solver::{Integrator, Options, solve};
use std::sync::{Arc, Mutex};

/// Counts what a step evaluates.
struct Counting {
    inner: Mechanics<CarAxle>,
    work: Arc<Mutex<Work>>,
}

macro_rules! counted {
    ($self:ident, $what:ident, $call:expr) => {{
        $self.work.lock().unwrap().$what += 1;
        $call
    }};
}

impl Mechanical for Counting {
    fn n_q(&self) -> usize {
        self.inner.n_q()
    }
    fn n_v(&self) -> usize {
        self.inner.n_v()
    }
    fn n_g(&self) -> usize {
        self.inner.n_g()
    }
    fn velocity_map(&mut self, q: &[f64], x: &[f64], out: &mut [f64]) {
        counted!(self, velocity_map, self.inner.velocity_map(q, x, out));
    }
    fn mass(&mut self, t: f64, q: &[f64], mass: &mut [f64]) -> Result<(), Rejection> {
        counted!(self, mass, self.inner.mass(t, q, mass))
    }
    fn apply_mass(&mut self, t: f64, q: &[f64], x: &[f64], out: &mut [f64]) -> Result<(), Rejection> {
        self.inner.apply_mass(t, q, x, out)
    }
    fn solve_mass(&mut self, t: f64, q: &[f64], x: &mut [f64]) -> Result<(), Rejection> {
        self.inner.solve_mass(t, q, x)
    }
    fn force(&mut self, t: f64, q: &[f64], v: &[f64], l: &[f64], f: &mut [f64]) -> Result<(), Rejection> {
        counted!(self, force, self.inner.force(t, q, v, l, f))
    }
    fn force_derivative(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        l: &[f64],
        x: &[f64],
        w: &[f64],
        out: &mut [f64],
    ) -> Result<(), Rejection> {
        counted!(
            self,
            derivative,
            self.inner.force_derivative(t, q, v, l, x, w, out)
        )
    }
    fn force_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        l: &[f64],
        elements: ElementSet<'_>,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection> {
        counted!(
            self,
            jacobian_sweeps,
            self.inner.force_jacobians(t, q, v, l, elements, f_q, f_v)
        )
    }
    fn constraint(&mut self, t: f64, q: &[f64], g: &mut [f64]) -> Result<(), Rejection> {
        counted!(self, constraint, self.inner.constraint(t, q, g))
    }
    fn constraint_matrix(&mut self, t: f64, q: &[f64], matrix: &mut [f64]) -> Result<(), Rejection> {
        counted!(
            self,
            constraint_matrix,
            self.inner.constraint_matrix(t, q, matrix)
        )
    }
    fn constraint_rate(&mut self, t: f64, q: &[f64], g_t: &mut [f64]) -> Result<(), Rejection> {
        counted!(self, constraint_rate, self.inner.constraint_rate(t, q, g_t))
    }
    fn constraint_bias(&mut self, t: f64, q: &[f64], v: &[f64], gamma: &mut [f64]) -> Result<(), Rejection> {
        counted!(self, constraint_bias, self.inner.constraint_bias(t, q, v, gamma))
    }
    fn accelerations(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &mut [f64],
        a: &mut [f64],
    ) -> Result<(), Rejection> {
        self.inner.accelerations(t, q, v, lambda, a)
    }
}

fn start() -> MotionState {
    let y0 = problems::car_axle::problem(Form::Index1).y0;
    super::state(CarAxle, &y0[..4], &y0[4..8])
}

/// Every combination that is not refused.
fn combinations() -> Vec<LinearImplicitOptions> {
    let mut all = Vec::new();
    for &terms in StiffTerms::ALL {
        for &level in Level::ALL {
            for &stabilisation in Stabilisation::ALL {
                for &ordering in Ordering::ALL {
                    for steps in [1, 3] {
                        let options = LinearImplicitOptions {
                            ordering,
                            projections: Projections::Fixed(steps),
                            ..choose(terms, level, stabilisation)
                        };
                        if options.check().is_ok() {
                            all.push(options);
                        }
                    }
                }
            }
        }
    }
    all
}

/// The work told before the first step is what every step does.
#[test]
fn work_is_known_before() {
    for options in combinations() {
        let work = Arc::new(Mutex::new(Work::default()));
        let counting = Counting {
            inner: Mechanics::new(CarAxle),
            work: work.clone(),
        };
        let mut system = RealTime::new(Box::new(counting), 1e-3, start(), options.clone()).unwrap();
        let told = system.work();
        for _ in 0..3 {
            *work.lock().unwrap() = Work::default();
            assert_eq!(system.step(), Advance::Done);
            let mut done = *work.lock().unwrap();
            // Linear algebra is not seen from the model.
            (done.factorisations, done.factorisation_flops) = (told.factorisations, told.factorisation_flops);
            (done.solves, done.solve_flops) = (told.solves, told.solve_flops);
            assert_eq!(done, told, "{options:?}");
        }
        assert!(told.factorisations >= 1 && told.solves >= 1 && told.factorisation_flops > 0);
    }
}

/// A bad input holds the state and its time; when it is gone, everything goes on as if it had not been.
#[test]
fn holds_and_goes_on() {
    for options in combinations() {
        let mut system = axle(1e-3, options.clone());
        let mut twin = axle(1e-3, options.clone());
        for _ in 0..20 {
            assert_eq!(system.step(), Advance::Done);
            assert_eq!(twin.step(), Advance::Done);
        }
        let before = system.state().clone();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            system.external_forces()[1] = bad;
            assert!(matches!(system.step(), Advance::Held(_)), "{options:?}");
            assert!(system.is_held());
            assert_eq!(system.state(), &before);
        }
        assert_eq!(system.held(), 3);
        system.external_forces()[1] = 0.0;
        for _ in 0..20 {
            assert_eq!(system.step(), Advance::Done);
            assert_eq!(twin.step(), Advance::Done);
        }
        assert!(!system.is_held());
        assert_eq!(system.state(), twin.state(), "{options:?}");
    }
}

/// A state that cannot be is not taken; a good one is gone on from.
#[test]
fn restarts() {
    let mut system = axle(1e-3, LinearImplicitOptions::default());
    let first = system.state().clone();
    for _ in 0..50 {
        system.step();
    }
    let after = system.state().clone();
    let mut bad = first.clone();
    bad.q[0] = f64::NAN;
    assert!(matches!(system.restart(&bad), Advance::Held(_)));
    assert_eq!(system.state(), &after);
    assert_eq!(system.restart(&first), Advance::Done);
    for _ in 0..50 {
        system.step();
    }
    assert_eq!(system.state(), &after);
}

/// What is not for real time, and starts that are none, are refused before the first step.
#[test]
fn refusals() {
    let refused = |start: MotionState, options: LinearImplicitOptions| {
        RealTime::new(Box::new(Mechanics::new(CarAxle)), 1e-3, start, options)
            .err()
            .unwrap()
            .to_string()
    };
    let converged = LinearImplicitOptions {
        projections: Projections::Converged,
        ..LinearImplicitOptions::default()
    };
    assert!(refused(start(), converged).contains("no bound"));
    let named = LinearImplicitOptions {
        partition: Partition::Named(vec!["spring".into()]),
        ..LinearImplicitOptions::default()
    };
    assert!(refused(start(), named).contains("choose from"));
    let mut nowhere = start();
    nowhere.v[2] = f64::INFINITY;
    assert!(refused(nowhere, LinearImplicitOptions::default()).contains("finite"));
    let mut short = start();
    short.q.pop();
    assert!(refused(short, LinearImplicitOptions::default()).contains("3 entries"));
}

/// The driver does the same steps: same numbers at the output times, with events and checkpoints.
#[test]
fn driver_takes_the_same_steps() {
    let problem = problems::find("car-axle-index2").unwrap();
    for (options, shares) in [
        (combinations().swap_remove(0), 1),
        (LinearImplicitOptions::default(), 2),
    ] {
        let options = LinearImplicitOptions { shares, ..options };
        let times: Vec<f64> = (1..=30).map(|i| 0.01 * f64::from(i)).collect();
        let run = Options {
            fixed_step: Some(1e-3),
            ..Options::new(1e-6, 1e-6)
                .stepper("linear-implicit-euler")
                .with(options.clone())
                .outputs(times)
                .start(holonom_solver::Start::Trust)
        };
        let solution = solve(
            (problem.build)(),
            (0.0, 0.3),
            &problem.y0,
            &problem.yp0,
            run.clone(),
        )
        .unwrap();
        assert_eq!(solution.counters.steps, 300);
        let mut system = axle(1e-3, options);
        for (i, (_, y)) in solution.outputs.iter().enumerate() {
            while system.steps() < 10 * (i as u64 + 1) {
                system.step();
            }
            for (a, b) in y.iter().zip(system.state().q.iter().chain(&system.state().v)) {
                assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} and {b}");
            }
        }
        // Interrupted and resumed: the same to the bit.
        let run = Options {
            outputs: holonom_solver::OutputTimes::default(),
            ..run
        };
        let mut whole = integrator(&problem, run.clone());
        let mut first = integrator(&problem, run.clone());
        for _ in 0..77 {
            whole.step().unwrap();
            first.step().unwrap();
        }
        let text = serde_json::to_string(&first.checkpoint()).unwrap();
        let checkpoint: Checkpoint = serde_json::from_str(&text).unwrap();
        let mut second = Integrator::resume((problem.build)(), run, &checkpoint).unwrap();
        for _ in 0..77 {
            whole.step().unwrap();
            second.step().unwrap();
        }
        assert_eq!(
            (whole.t(), whole.y(), whole.yp()),
            (second.t(), second.y(), second.yp())
        );
    }
}

fn integrator(problem: &problems::Problem, options: Options) -> Integrator<'static> {
    Integrator::new((problem.build)(), 0.0, &problem.y0, &problem.yp0, 3.0, options).unwrap()
}

/// A run that blows up ends with a failure that names an unknown; what makes no sense does not begin.
#[test]
fn driver_refuses_and_fails_with_names() {
    let problem = problems::find("car-axle-index2").unwrap();
    let go = |step: Option<f64>, options: LinearImplicitOptions, t_end: f64| {
        let run = Options {
            fixed_step: step,
            ..Options::new(1e-6, 1e-6)
                .stepper("linear-implicit-euler")
                .with(options)
        };
        solve((problem.build)(), (0.0, t_end), &problem.y0, &problem.yp0, run)
            .unwrap_err()
            .to_string()
    };
    let explicit = choose(StiffTerms::None, Level::Index2, Stabilisation::None);
    let blown = go(Some(0.05), explicit, 300.0);
    assert!(
        blown.contains("Shorten the step") && blown.contains("`xr` has grown"),
        "{blown}"
    );
    assert!(go(None, LinearImplicitOptions::default(), 1.0).contains("fixed_step"));
    let exact = choose(StiffTerms::Exact, Level::Index2, Stabilisation::None);
    assert!(go(Some(1e-3), exact, 1.0).contains("index1"));
    let hires = problems::find("hires").unwrap();
    let run = Options {
        fixed_step: Some(1e-3),
        ..Options::new(1e-6, 1e-6).stepper("linear-implicit-euler")
    };
    let refused = solve((hires.build)(), (0.0, 1.0), &hires.y0, &hires.yp0, run).unwrap_err();
    assert!(refused.to_string().contains("mechanical systems"), "{refused}");
}
