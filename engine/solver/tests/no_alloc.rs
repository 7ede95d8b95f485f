//! Stepping does not allocate, whatever strategies are combined. Exempt: sparse factorisations
//! that choose new pivots.
#![allow(clippy::unwrap_used)]

mod common;

use common::{options, problem};
use holonom_dae::{Closure, Event, EventAction, Structure};
use holonom_solver::stepper::{Observer, Quiet};
use holonom_solver::{Integrator, Options, jacobian, linear, refresh, stepper};
use holonom_testing::{Counting, allocated};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> u64 {
    allocated().count
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    let v = std::hint::black_box(vec![0u8; 1000]);
    assert_eq!(allocations(), before + 1);
    drop(v);
}

const WARM_UP: usize = 30;
const STEPS: usize = 100;

/// No allocation once warm, except for new pivots and new sparsity patterns.
fn check_steps(mut integrator: Integrator<'_>, what: &str) {
    for _ in 0..WARM_UP {
        integrator.step().unwrap();
    }
    for step in 0..STEPS {
        let exempt = |i: &Integrator<'_>| (i.counters().repivotings, i.counters().sparsity_updates);
        let exempt_before = exempt(&integrator);
        let before = allocations();
        integrator.step().unwrap();
        let new = allocations() - before;
        if exempt(&integrator) == exempt_before {
            assert_eq!(new, 0, "{what}: step {step} after the warm-up");
        }
    }
}

/// Every combination that the structure of the problem allows; returns how many that were.
fn check(name: &str) -> usize {
    let p = problem(name);
    let has_pattern = (p.build)().structure().sparsity.is_some();
    let mut combinations = 0;
    for stepper in stepper::REGISTRY
        .iter()
        .filter(|e| e.takes == stepper::Takes::Everything)
    {
        for jacobian in jacobian::REGISTRY {
            for linear in linear::REGISTRY {
                for refresh in refresh::REGISTRY {
                    if !has_pattern && linear.needs_pattern || stepper.in_stages && !linear.complex {
                        continue;
                    }
                    let sparsities = ["auto", "traced", "estimated"];
                    for sparsity in sparsities.iter().take(if jacobian.needs_pattern { 3 } else { 1 }) {
                        if !has_pattern && *sparsity == "traced" {
                            continue;
                        }
                        let what = [stepper.name, jacobian.name, sparsity, linear.name, refresh.name];
                        let mut options = options(&p, 1e-6)
                            .stepper(stepper.name)
                            .jacobian(jacobian.name)
                            .sparsity(sparsity)
                            .linear(linear.name)
                            .refresh(refresh.name);
                        // No method, however long its steps, leaves the interval of the problem.
                        options.max_step = (p.t_end - p.t0) / (WARM_UP + STEPS) as f64;
                        check_steps(common::integrator(&p, options), &format!("{name} with {what:?}"));
                        combinations += 1;
                    }
                }
            }
        }
    }
    combinations
}

#[test]
fn car_axle() {
    assert!(check("car-axle") >= 4);
}

#[test]
fn hires() {
    assert!(check("hires") >= 4);
}

#[test]
fn brusselator() {
    assert!(check("brusselator:30") >= 16);
}

/// Methods for explicit equations and mechanisms: an ODE, and a mechanism with constraints.
#[test]
fn explicit_methods() {
    for stepper in stepper::REGISTRY
        .iter()
        .filter(|e| e.takes == stepper::Takes::Explicit)
    {
        for name in ["chain-explicit", "car-axle"] {
            let p = problem(name);
            let mut options = options(&p, 1e-6).stepper(stepper.name);
            options.max_step = (p.t_end - p.t0) / (WARM_UP + STEPS) as f64;
            check_steps(
                common::integrator(&p, options),
                &format!("{name} with {}", stepper.name),
            );
        }
    }
}

/// Generalised-α in all its forms, with tolerances and with a fixed step.
#[test]
fn generalized_alpha() {
    for name in ["pendulum-index2", "car-axle", "car-axle-index3"] {
        let p = problem(name);
        for fixed_step in [None, Some(1e-3)] {
            let mut options = options(&p, 1e-6).stepper("generalized-alpha");
            options.fixed_step = fixed_step;
            options.max_step = (p.t_end - p.t0) / (WARM_UP + STEPS) as f64;
            check_steps(
                common::integrator(&p, options),
                &format!("{name} with generalized-alpha"),
            );
        }
    }
}

/// Where the usual iteration fails, `radau` solves for all stages with a Jacobian each: with few corrections to a small
/// share of the tolerance, in many steps.
#[test]
fn coupled_stages() {
    let p = problem("car-axle");
    // With more stages the usual iteration gets on even so.
    {
        let stages = 3;
        let mut options = options(&p, 1e-6).stepper("radau").stages(stages);
        options.newton.max_iterations = 1;
        options.newton.share = 1e-8;
        options.max_step = (p.t_end - p.t0) / (WARM_UP + STEPS) as f64;
        let mut integrator = common::integrator(&p, options);
        let mut coupled = 0;
        let (mut jacobians, mut steps, mut allocated) = (0, 0, 0);
        for step in 0..WARM_UP + STEPS {
            let before = allocations();
            integrator.step().unwrap();
            let counters = integrator.counters();
            // An evaluation for every stage.
            let here = counters.jacobians - jacobians >= stages as u64;
            (jacobians, steps) = (counters.jacobians, counters.steps);
            if step >= WARM_UP {
                coupled += u32::from(here);
                allocated += allocations() - before;
            }
        }
        assert!(
            coupled > 5,
            "{stages} stages: {coupled} of {steps} steps with coupled stages"
        );
        assert_eq!(allocated, 0, "{stages} stages");
    }
}

/// Derivatives by inputs, found again with every evaluation.
#[test]
fn inputs_that_are_followed() {
    let p = problem("chain-residual");
    for refresh in refresh::REGISTRY {
        let mut options = options(&p, 1e-6).update("extended").refresh(refresh.name);
        options.max_step = (p.t_end - p.t0) / (WARM_UP + STEPS) as f64;
        let integrator = common::integrator(&p, options);
        check_steps(
            integrator,
            &format!("chain-residual with {} and extended", refresh.name),
        );
    }
}

/// Keeps one number, allocates nothing.
#[derive(Default)]
struct Sum(f64, u32);

impl Observer for Sum {
    fn output(&mut self, _t: f64, y: &[f64], _yp: &[f64]) {
        self.0 += y[0];
    }

    fn event(&mut self, _event: usize, _t: f64, _y: &[f64], _after: bool) {
        self.1 += 1;
    }
}

/// The driver neither: outputs, and events after which the run just goes on.
#[test]
fn outputs_and_events() {
    let system = Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
        r[0] = yp[0] - y[1];
        r[1] = yp[1] + y[0];
    })
    .event(Event::new("x"), |_t, y, _yp| y[0], |_| EventAction::Continue)
    .event(Event::new("v"), |_t, y, _yp| y[1], |_| EventAction::Continue);
    let times: Vec<f64> = (0..200).map(|i| 0.1 * f64::from(i)).collect();
    let options = Options::new(1e-6, 1e-6).stepper("bdf").outputs(times);
    let mut integrator =
        Integrator::new(Box::new(system), 0.0, &[1.0, 0.0], &[0.0, -1.0], 20.0, options).unwrap();
    integrator.run(5.0, &mut Quiet).unwrap();
    let mut sum = Sum::default();
    let before = allocations();
    integrator.run(20.0, &mut sum).unwrap();
    assert_eq!(allocations() - before, 0);
    assert!(sum.1 == 9, "{} events", sum.1);
}

/// Nor does a loop in real time, nor the driver with its method, with every combination of options.
#[test]
fn real_time() {
    use holonom_dae::problems::{car_axle::CarAxle, constrained::Mechanics};
    use stepper::{
        Advance, Level, LinearImplicitOptions, MotionState, Ordering, RealTime, Stabilisation, StiffTerms,
    };
    let p = problem("car-axle-index2");
    let mut combinations = 0;
    for &stiff_terms in StiffTerms::ALL {
        for &assembly in Level::ALL {
            for &stabilisation in Stabilisation::ALL {
                for &ordering in Ordering::ALL {
                    let chosen = LinearImplicitOptions {
                        stiff_terms,
                        assembly,
                        stabilisation,
                        ordering,
                        ..LinearImplicitOptions::default()
                    };
                    if chosen.check().is_err() {
                        continue;
                    }
                    combinations += 1;
                    let mechanics = Mechanics::new(CarAxle);
                    let mut start = MotionState::new(&mechanics);
                    start.q.copy_from_slice(&p.y0[..4]);
                    start.v.copy_from_slice(&p.y0[4..8]);
                    let mut system = RealTime::new(Box::new(mechanics), 1e-3, start, chosen.clone()).unwrap();
                    let before = allocations();
                    // Long enough once for what would happen rarely.
                    let steps = if chosen == LinearImplicitOptions::default() {
                        1_000_000
                    } else {
                        2000
                    };
                    for step in 0..steps {
                        // A bad input now and then.
                        system.external_forces()[0] = if step % 100 == 99 { f64::NAN } else { 0.0 };
                        let done = system.step() == Advance::Done;
                        assert_eq!(done, step % 100 != 99);
                        std::hint::black_box(system.violation());
                    }
                    assert_eq!(allocations() - before, 0, "{chosen:?}");
                    let options = Options {
                        fixed_step: Some(1e-3),
                        ..options(&p, 1e-6).stepper("linear-implicit-euler").with(chosen)
                    };
                    check_steps(common::integrator(&p, options), "linear-implicit-euler");
                }
            }
        }
    }
    assert_eq!(combinations, 40);
}
