//! The order of the method with step sizes that change all the time.
#![allow(clippy::unwrap_used)]

use crate::equations::Equations;
use crate::stepper::setup::assemble_parts;
use crate::trajectory::Recorder;
use crate::{Integrator, Options, Start};
use holonom_dae::Counters;
use holonom_dae::problems::{self, Problem};

/// A consistent start, and the solution at `t_end`.
fn reference(problem: &Problem, t_end: f64) -> [Vec<f64>; 3] {
    let mut system = (problem.build)();
    let options = Options::new(1e-12, 1e-12).stepper("radau").start(Start::Assemble);
    let mut run = Integrator::new(
        Box::new(system.as_mut()),
        problem.t0,
        &problem.y0,
        &problem.yp0,
        t_end,
        options,
    )
    .unwrap();
    let start = (run.y().to_vec(), run.yp().to_vec());
    run.run(t_end, &mut Recorder::outputs(problem.y0.len())).unwrap();
    [start.0, start.1, run.y().to_vec()]
}

/// The solution at `t_end` by steps of these parts of h, again and again.
fn solve(problem: &Problem, t_end: f64, h: f64, pattern: &[f64], y0: &[f64], yp0: &[f64]) -> Vec<f64> {
    let mut system = (problem.build)();
    let mut options = Options::new(1e-12, 1e-12).stepper("generalized-alpha");
    options.fixed_step = Some(h);
    let (mut stepper, ..) = assemble_parts(system.as_ref(), &options).unwrap();
    stepper.start(problem.t0, y0, yp0, h);
    stepper.bind(system.as_mut()).unwrap();
    let mut counters = Counters::default();
    let mut equations = Equations {
        system: system.as_mut(),
        counters: &mut counters,
    };
    for part in pattern.iter().cycle() {
        let left = t_end - stepper.t();
        if left < 1e-9 * h {
            break;
        }
        stepper.set_h((h * part).min(left));
        stepper.attempt(&mut equations).unwrap();
        stepper.accept(&mut equations);
    }
    stepper.y().to_vec()
}

/// Without the memory of the step size multipliers are off by what does not fall with h at all after each of its changes, or
/// by h where it is even.
#[test]
fn second_order_with_steps_that_change() {
    let held: Vec<f64> = [0.5, 1.0, 0.8, 0.4, 0.2, 0.4].map(|part| [part; 3]).concat();
    let patterns = [&[1.0][..], &[1.0, 0.5], &[1.0, 1.0, 1.0, 0.5, 0.5], &held];
    for (name, steps) in [
        ("pendulum-index2", 128.0),
        ("pendulum-ggl", 128.0),
        ("pendulum-index3", 128.0),
        ("car-axle-ggl", 400.0),
        ("car-axle-index3", 400.0),
    ] {
        let (problem, t_end) = (problems::find(name).unwrap(), 1.0);
        let layout = (problem.build)().structure().layout.clone().unwrap();
        let [y0, yp0, exact] = reference(&problem, t_end);
        let mut even = None;
        for pattern in patterns {
            let errors = |h: f64| {
                let y = solve(&problem, t_end, h, pattern, &y0, &yp0);
                let off = |i: usize| (y[i] - exact[i]).abs() / (1.0 + exact[i].abs());
                [&layout.q, &layout.v, &layout.lambda].map(|r| r.clone().map(off).fold(0.0, f64::max))
            };
            let (coarse, fine) = (errors(t_end / steps), errors(t_end / steps / 8.0));
            let even_lambda = *even.get_or_insert(fine[2]);
            for (k, what) in ["positions", "velocities"].into_iter().enumerate() {
                let order = (coarse[k] / fine[k]).log(8.0);
                assert!(
                    order > 1.9,
                    "{name}, {pattern:?}: order {order:.2} of {what}, errors {coarse:?} {fine:?}"
                );
            }
            // Multipliers show where in the pattern the end lies, which is no order.
            assert!(
                fine[2] < 30.0 * even_lambda,
                "{name}, {pattern:?}: multipliers off by {:.1e}, {even_lambda:.1e} with even steps",
                fine[2]
            );
        }
    }
}
