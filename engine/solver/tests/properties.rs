//! Properties that hold for whatever input: random linear systems of index 1 and any stiffness
//! are solved, random output times are delivered once each and in order.
#![allow(clippy::unwrap_used)]

mod common;

use holonom_dae::{Closure, Structure};
use holonom_solver::stepper::{Control, Observer, StepInfo};
use holonom_solver::{Integrator, Options, Start, solve};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Component i of the solution and of its derivative.
fn exact(i: usize, t: f64) -> (f64, f64) {
    let (omega, phase) = (1.0 + 0.3 * i as f64, i as f64);
    ((omega * t + phase).sin(), omega * (omega * t + phase).cos())
}

/// F = E(ẏ − ẏ*) − K(y − y*), E = diag(1 … 1, 0 … 0), K = −diag(10^s) + couplings.
#[derive(Clone, Debug)]
struct Random {
    n_differential: usize,
    stiffness: Vec<f64>,
    couplings: Vec<f64>,
}

impl Random {
    fn n(&self) -> usize {
        self.stiffness.len()
    }

    fn system(&self, unknown: bool) -> Closure<'_> {
        let n = self.n();
        let structure = if unknown {
            Structure::unknown(n)
        } else {
            Structure::semi_explicit(
                (0..self.n_differential).map(|i| format!("x{i}")),
                (self.n_differential..n).map(|i| format!("z{i}")),
            )
        };
        Closure::new(structure, move |t, y, yp, r| {
            for i in 0..n {
                let differential = i < self.n_differential;
                r[i] = if differential { yp[i] - exact(i, t).1 } else { 0.0 };
                let own = if differential {
                    10f64.powf(self.stiffness[i])
                } else {
                    2.0
                };
                for j in 0..n {
                    let k = if i == j {
                        -own
                    } else {
                        0.2 * self.couplings[i * n + j]
                    };
                    r[i] -= k * (y[j] - exact(j, t).0);
                }
            }
        })
    }
}

fn random() -> impl Strategy<Value = Random> {
    (1usize..5, 0usize..4).prop_flat_map(|(n_differential, n_algebraic)| {
        let n = n_differential + n_algebraic;
        (
            prop::collection::vec(-1.0..8.0f64, n),
            prop::collection::vec(-1.0..1.0f64, n * n),
        )
            .prop_map(move |(stiffness, couplings)| Random {
                n_differential,
                stiffness,
                couplings,
            })
    })
}

/// What was delivered.
#[derive(Default)]
struct Outputs(Vec<(f64, Vec<f64>)>);

impl Observer for Outputs {
    fn output(&mut self, t: f64, y: &[f64], _yp: &[f64]) {
        self.0.push((t, y.to_vec()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn linear_index_1(problem in random(), exponent in 3.0..9.0f64, unknown: bool, dassl: bool) {
        let tol = 10f64.powf(-exponent);
        let n = problem.n();
        let (y0, yp0): (Vec<f64>, Vec<f64>) = (0..n).map(|i| exact(i, 0.0)).unzip();
        let mut options = Options::new(tol, tol).stepper("bdf");
        if dassl {
            options = options.dassl();
        }
        let solution = match solve(problem.system(unknown), (0.0, 2.0), &y0, &yp0, options) {
            Ok(solution) => solution,
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        for i in 0..n {
            let error = (solution.y[i] - exact(i, 2.0).0).abs();
            prop_assert!(solution.y[i].is_finite() && solution.yp[i].is_finite());
            prop_assert!(error < 1000.0 * tol, "component {} off by {:.1e} at tolerance {:.1e}", i, error, tol);
        }
    }

    #[test]
    fn outputs_come_once_and_in_order(
        mut times in prop::collection::vec(0.0..3.0f64, 0..200),
        ends in prop::collection::vec(0.1..3.0f64, 0..4),
        exponent in 3.0..9.0f64,
    ) {
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut ends = [ends, vec![3.0]].concat();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let tol = 10f64.powf(-exponent);
        let system = Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
            r[0] = yp[0] - y[1];
            r[1] = yp[1] + y[0];
        });
        let options = Options::new(tol, tol).stepper("bdf").outputs(times.clone()).start(Start::Trust);
        let mut integrator =
            Integrator::new(Box::new(system), 0.0, &[0.0, 1.0], &[1.0, 0.0], 3.0, options).unwrap();
        let mut outputs = Outputs::default();
        // In several pieces: the pieces neither lose nor repeat an output.
        for end in ends {
            integrator.run(end, &mut outputs).unwrap();
            prop_assert_eq!(integrator.t(), end);
            let due = times.iter().filter(|t| **t <= end).count();
            prop_assert_eq!(outputs.0.len(), due);
        }
        let delivered: Vec<f64> = outputs.0.iter().map(|o| o.0).collect();
        prop_assert_eq!(&delivered, &times);
        for (t, y) in &outputs.0 {
            prop_assert!((y[0] - t.sin()).abs() < 1000.0 * tol, "{} at {t}", y[0]);
        }
    }

    #[test]
    fn stop_times_are_steps(
        mut stops in prop::collection::vec(0.01..2.9f64, 1..6),
        exponent in 3.0..8.0f64,
    ) {
        stops.sort_by(f64::total_cmp);
        stops.dedup();
        let tol = 10f64.powf(-exponent);
        let system = Closure::new(Structure::ode(["x", "v"]), |_t, y, yp, r| {
            r[0] = yp[0] - y[1];
            r[1] = yp[1] + y[0];
        });
        let mut options = Options::new(tol, tol).stepper("bdf");
        options.stop_times = stops.clone();
        struct Steps(Vec<f64>);
        impl Observer for Steps {
            fn step(&mut self, step: &StepInfo<'_>) -> Control {
                self.0.push(step.t);
                Control::Continue
            }
        }
        let mut integrator =
            Integrator::new(Box::new(system), 0.0, &[0.0, 1.0], &[1.0, 0.0], 3.0, options).unwrap();
        let mut steps = Steps(Vec::new());
        integrator.run(3.0, &mut steps).unwrap();
        for stop in stops {
            let near = steps.0.iter().any(|t| (t - stop).abs() <= 4.0 * f64::EPSILON * stop.abs());
            prop_assert!(near, "no step ends at {stop}");
        }
        prop_assert!((integrator.y()[0] - 3f64.sin()).abs() < 1000.0 * tol);
    }
}
