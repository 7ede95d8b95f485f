//! Radau IIA: orders of convergence on problems with exact solutions.
#![allow(clippy::unwrap_used)]

mod common;

use holonom_dae::problems::{self, linear::Linear};
use holonom_dae::{Bound, Closure, Structure, System};
use holonom_solver::stepper::Quiet;
use holonom_solver::stepper::RadauOptions;
use holonom_solver::{Integrator, Options, Start};
use std::ops::Range;

/// A problem with a known solution on [0, t_end].
struct Known {
    system: fn() -> Box<dyn System>,
    exact: fn(f64) -> (Vec<f64>, Vec<f64>),
    t_end: f64,
}

impl Known {
    /// Largest errors of groups of variables over the second half, with constant steps and the iteration down to rounding.
    fn errors(&self, stages: usize, steps: usize, groups: &[Range<usize>]) -> Vec<f64> {
        let mut options = Options::new(1e-12, 1e-12).stepper("radau").stages(stages);
        options.fixed_step = Some(self.t_end / steps as f64);
        options.newton.share = 2.0;
        options.newton.max_iterations = 40;
        options.newton.look_ahead = false;
        options.start = Start::Trust;
        let (y0, yp0) = (self.exact)(0.0);
        let mut run = Integrator::new((self.system)(), 0.0, &y0, &yp0, self.t_end, options).unwrap();
        let mut worst = vec![0.0_f64; groups.len()];
        for step in 0..steps {
            run.step().unwrap();
            if 2 * step >= steps {
                let (exact, _) = (self.exact)(run.t());
                for (w, g) in worst.iter_mut().zip(groups) {
                    *w = w.max(common::distance(&run.y()[g.clone()], &exact[g.clone()]));
                }
            }
        }
        worst
    }

    /// Slopes of straight lines through (log h, log error), fitted where errors lie in 10⁻³…10⁻¹¹.
    fn orders(&self, stages: usize, steps: &[usize], groups: &[Range<usize>]) -> Vec<f64> {
        let errors: Vec<Vec<f64>> = steps.iter().map(|n| self.errors(stages, *n, groups)).collect();
        (0..groups.len())
            .map(|g| {
                let points: Vec<(f64, f64)> = steps
                    .iter()
                    .zip(&errors)
                    .filter(|(_, e)| (1e-11..1e-3).contains(&e[g]))
                    .map(|(n, e)| (-(*n as f64).ln(), e[g].ln()))
                    .collect();
                eprintln!(
                    "{stages} stages, group {g}: {:?}",
                    errors.iter().map(|e| e[g]).collect::<Vec<_>>()
                );
                assert!(points.len() >= 3, "{stages} stages: errors {errors:?}");
                let mean =
                    |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
                let (x, y) = (mean(|p| p.0), mean(|p| p.1));
                let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
                covariance / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
            })
            .collect()
    }
}

/// Numbers of steps over an interval, from step size `first` down by the same factor each.
fn steps(t_end: f64, first: f64, ratio: f64) -> Vec<usize> {
    let mut steps: Vec<usize> = (0..9)
        .map(|k| (t_end / first * ratio.powi(k)).round() as usize)
        .collect();
    steps.dedup();
    steps
}

/// Step sizes at which errors lie in the range, with the ratio of the next.
const FORCED: [(usize, f64, f64); 3] = [(3, 0.3, 1.5), (5, 0.4, 1.15), (7, 0.5, 1.1)];

/// ẋ = φ̇ + φ² − x², x = φ(t) = 2 + sin 4t: the solution is fast, the equation is not.
#[test]
fn ode_has_order_2s_minus_1() {
    let known = Known {
        system: || {
            Box::new(Closure::new(Structure::ode(["x"]), |t, y, yp, r| {
                let (sin, cos) = (4.0 * t).sin_cos();
                r[0] = yp[0] - 4.0 * cos - (2.0 + sin).powi(2) + y[0] * y[0];
            }))
        },
        exact: |t| (vec![2.0 + (4.0 * t).sin()], vec![4.0 * (4.0 * t).cos()]),
        t_end: 10.0,
    };
    for (stages, first, ratio) in FORCED {
        let order = known.orders(stages, &steps(10.0, first, ratio), std::slice::from_ref(&(0..1)))[0];
        assert!(
            (order - (2 * stages - 1) as f64).abs() < 0.7,
            "{stages} stages: order {order:.2}"
        );
    }
}

fn linear<const INDEX: u8>() -> Known {
    Known {
        system: || Box::new(Bound::new(Linear::new(INDEX))),
        exact: |t| {
            let system = Linear::new(INDEX);
            (system.exact(t), system.exact_derivative(t))
        },
        t_end: 20.0,
    }
}

/// The same for the linear problems.
const LINEAR: [(usize, f64, f64); 3] = [(3, 0.4, 1.4), (5, 0.9, 1.15), (7, 1.2, 1.07)];

/// ẋ = φ̇ + φ² − x z, 3z + sin z = 3x + sin x with the same φ: x = z = φ.
#[test]
fn index_1_has_order_2s_minus_1() {
    let known = Known {
        system: || {
            let structure = Structure::semi_explicit(["x"], ["z"]);
            Box::new(Closure::new(structure, |t, y, yp, r| {
                let (sin, cos) = (4.0 * t).sin_cos();
                r[0] = yp[0] - 4.0 * cos - (2.0 + sin).powi(2) + y[0] * y[1];
                r[1] = 3.0 * y[1] + y[1].sin() - 3.0 * y[0] - y[0].sin();
            }))
        },
        exact: |t| {
            let (x, slope) = (2.0 + (4.0 * t).sin(), 4.0 * (4.0 * t).cos());
            (vec![x, x], vec![slope, slope])
        },
        t_end: 10.0,
    };
    for (stages, first, ratio) in FORCED {
        for order in known.orders(stages, &steps(10.0, first, ratio), &[0..1, 1..2]) {
            assert!(
                (order - (2 * stages - 1) as f64).abs() < 0.7,
                "{stages} stages: order {order:.2}"
            );
        }
    }
}

/// Index 2: differential variables 2 s − 1, algebraic ones s [Hairer, Lubich, Roche 1989].
#[test]
fn index_2() {
    for (stages, first, ratio) in LINEAR {
        let orders = linear::<2>().orders(stages, &steps(20.0, first, ratio), &[0..4, 4..6]);
        assert!(
            (orders[0] - (2 * stages - 1) as f64).abs() < 0.7,
            "{stages} stages: {orders:?}"
        );
        assert!(
            (orders[1] - stages as f64).abs() < 0.7,
            "{stages} stages: {orders:?}"
        );
    }
}

/// Index 3: 2 s − 2 at least for the variables of index 1, s for those of index 2, s − 1 for those of
/// index 3 [Hairer, Lubich, Roche 1989; Jay 1993].
#[test]
fn index_3() {
    for (stages, first, ratio) in LINEAR {
        let orders = linear::<3>().orders(stages, &steps(20.0, first, ratio), &[0..3, 3..6, 6..8]);
        assert!(
            orders[0] > (2 * stages - 2) as f64 - 0.7,
            "{stages} stages: {orders:?}"
        );
        assert!(
            (orders[1] - stages as f64).abs() < 0.7,
            "{stages} stages: {orders:?}"
        );
        assert!(
            (orders[2] - (stages - 1) as f64).abs() < 0.7,
            "{stages} stages: {orders:?}"
        );
    }
}

/// Every problem is solved with every number of stages, also at tolerances at which seven are too many.
#[test]
fn no_number_of_stages_fails() {
    let all = problems::all().into_iter();
    let others = ["andrews-index3", "car-axle-index3"].into_iter();
    for problem in all.chain(others.map(|name| problems::find(name).unwrap())) {
        for stages in [None, Some(3), Some(5), Some(7)] {
            for tolerance in [1e-3, 1e-4, 1e-6] {
                let mut options = Options::new(tolerance, problem.atol_factor * tolerance)
                    .stepper("radau")
                    .start(Start::Assemble);
                options = options.with(RadauOptions { stages });
                options.max_steps = 5_000;
                let span = problem.t_end - problem.t0;
                let mut run = Integrator::new(
                    (problem.build)(),
                    problem.t0,
                    &problem.y0,
                    &problem.yp0,
                    span,
                    options,
                )
                .unwrap();
                let end = run.run(problem.t_end, &mut Quiet);
                assert!(
                    end.is_ok(),
                    "{} with {stages:?} at {tolerance:e}: {end:?}",
                    problem.name
                );
            }
        }
    }
}
