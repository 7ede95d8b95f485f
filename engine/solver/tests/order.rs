//! Order of convergence: BDF of order k on constant steps from exact starting values has order k,
//! on an ODE, an index-1 system and the stabilised pendulum.
#![allow(clippy::unwrap_used)]

mod common;

use holonom_dae::problems::constrained::Form;
use holonom_dae::problems::{linear::Linear, pendulum};
use holonom_dae::{Bound, Closure, Counters, Structure, System, Weights};
use holonom_solver::equations::Equations;
use holonom_solver::newton::Corrector;
use holonom_solver::stepper::{Bdf, Parts, Stepper};
use holonom_solver::{Options, jacobian, linear, refresh};

/// A problem with a known solution on [0, t_end].
struct Known {
    name: &'static str,
    system: fn() -> Box<dyn System>,
    exact: fn(f64) -> Vec<f64>,
    /// Components to be judged.
    judged: std::ops::Range<usize>,
    t_end: f64,
    /// Steps of the coarser of the two runs, by order.
    steps: [usize; 5],
}

/// A BDF method of order `k` that keeps its step, with corrections down to rounding.
fn method(structure: &Structure, k: usize, h: f64) -> Bdf {
    let mut options = Options::new(1e-13, 1e-13).stepper("bdf").max_order(k);
    options.fixed_step = Some(h);
    options.error_budget = None;
    options.newton.share = 1e-6;
    options.newton.max_iterations = 12;
    options.newton.look_ahead = false;
    let n = structure.dimension();
    let engine = jacobian::find("fd-dense").unwrap();
    let corrector = Corrector::new(
        structure,
        options.newton,
        (engine.build)(structure, jacobian::Setup::default()),
        (refresh::find("classical").unwrap().build)(&options.own),
        jacobian::allocate(structure, false, false),
    );
    let weights = Weights::new(
        options.tolerances.clone(),
        structure.default_error_test(),
        structure,
    );
    Bdf::new(
        n,
        Parts {
            structure,
            weights,
            options: &options,
            linear: linear::find("lu-dense").unwrap(),
            caution: 0,
        },
        corrector,
    )
}

/// Largest error over the second half of the interval.
fn error(p: &Known, k: usize, steps: usize) -> f64 {
    let mut system = (p.system)();
    let h = p.t_end / steps as f64;
    let mut bdf = method(system.structure(), k, h);
    let mut counters = Counters::default();
    let mut equations = Equations {
        system: system.as_mut(),
        counters: &mut counters,
    };
    let values: Vec<Vec<f64>> = (0..=k).rev().map(|i| (p.exact)(i as f64 * h)).collect();
    let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
    let zero = vec![0.0; values[0].len()];
    bdf.start(k as f64 * h, values[0], &zero, h);
    bdf.set_history(h, &values);
    let mut worst = 0.0f64;
    for i in k..steps {
        if let Err(rejection) = bdf.attempt(&mut equations) {
            panic!("{} at order {k}, step {i}: {rejection}", p.name);
        }
        bdf.accept(&mut equations);
        assert_eq!((bdf.last_order(), bdf.last_h()), (k, h));
        if 2 * i >= steps {
            let exact = (p.exact)((i + 1) as f64 * h);
            let judged = p.judged.clone();
            worst = worst.max(common::distance(&bdf.y()[judged.clone()], &exact[judged]));
        }
    }
    worst
}

fn check(p: &Known) {
    let mut report = String::new();
    let mut good = true;
    for k in 1..=5 {
        let n = p.steps[k - 1];
        let [coarse, middle, fine] = [n, 2 * n, 4 * n].map(|n| error(p, k, n));
        let [first, order] = [coarse / middle, middle / fine].map(f64::log2);
        good &= (order - k as f64).abs() < 0.1;
        report += &format!(
            "\norder {k}: measured {first:.3}, {order:.3} (errors {coarse:.2e}, {middle:.2e}, {fine:.2e})"
        );
    }
    assert!(good, "{}:{report}", p.name);
    eprintln!("{}:{report}", p.name);
}

#[test]
fn nonlinear_ode() {
    check(&Known {
        name: "ẏ₁ = y₁ y₂, ẏ₂ = −ln y₁",
        system: || {
            Box::new(Closure::new(Structure::ode(["y1", "y2"]), |_t, y, yp, r| {
                r[0] = yp[0] - y[0] * y[1];
                r[1] = yp[1] + y[0].ln();
            }))
        },
        exact: |t| vec![t.sin().exp(), t.cos()],
        judged: 0..2,
        t_end: 4.0,
        steps: [800, 400, 200, 200, 100],
    });
}

#[test]
fn index_1() {
    check(&Known {
        name: "linear system of index 1",
        system: || Box::new(Bound::new(Linear::new(1))),
        exact: |t| Linear::new(1).exact(t),
        judged: 0..5,
        t_end: 4.0,
        steps: [800, 400, 200, 200, 100],
    });
}

#[test]
fn stabilised_pendulum() {
    check(&Known {
        name: "pendulum in stabilised form",
        system: || (pendulum::problem(Form::Ggl).build)(),
        exact: |t| {
            let mut y = pendulum::exact(t).to_vec();
            y.push(0.0);
            y
        },
        judged: 0..4,
        t_end: 2.0,
        steps: [1600, 800, 400, 400, 200],
    });
}
