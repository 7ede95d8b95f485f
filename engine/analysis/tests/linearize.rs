//! Linear models and responses against formulas, and against small motions of the true equations.

#![allow(clippy::unwrap_used)]

use holonom_analysis::dense::Complex;
use holonom_analysis::linearize::{LinearModel, Operation, Perturbed, linearize};
use holonom_analysis::response::{logarithmic, response};
use holonom_analysis::statics::{StaticsOptions, equilibrium};
use holonom_dae::Mechanical;
use holonom_multibody::channels::{Catalogue, Input};
use holonom_multibody::description::{Body, Constraint, Force, Joint, frame};
use holonom_multibody::{Description, Signal};
use std::sync::Arc;

/// The linear model of `make(u)` at its equilibrium.
fn linear(make: &dyn Fn(Signal) -> Description, u: Signal, outputs: &[&str]) -> LinearModel {
    let input = |signal: Signal| {
        vec![Input {
            name: "u".into(),
            unit: "m".into(),
            signal,
        }]
    };
    let model = Arc::new(make(u.clone()).compile().unwrap());
    let start = model.assemble(&Default::default()).unwrap();
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    let inputs = input(u.clone());
    let selection = Catalogue::with_inputs(&rest.start, &inputs)
        .select(outputs)
        .unwrap();
    let operation = Operation {
        start: &rest.start,
        state: &rest.state,
        moving: Some(&model),
    };
    let mut perturb = |_: usize, [c, d, e]: [f64; 3]| {
        let signal = Signal::Sum(vec![u.clone(), Signal::Polynomial(vec![c, d, 0.5 * e])]);
        Ok(Perturbed {
            model: Arc::new(make(signal.clone()).compile().unwrap()),
            inputs: input(signal),
        })
    };
    linearize(operation, &inputs, &selection, &mut perturb).unwrap()
}

/// A load on a spring and damper on a carriage that follows u, by a prescribed coordinate or by a driver.
fn carriage(u: Signal, driven: bool) -> Description {
    let x = Joint::prismatic("x", "ground", "carriage").axis([1.0, 0.0, 0.0]);
    let d = Description::new("carriage")
        .gravity([0.0, 0.0, -9.81])
        .body(Body::new("carriage", 1.0))
        .body(Body::new("load", 3.0))
        .joint(
            Joint::prismatic("y", "carriage", "load")
                .axis([1.0, 0.0, 0.0])
                .start(0.1, 0.0),
        )
        .force(Force::joint_spring("spring", "y", 500.0, 6.0, 0.1));
    if driven {
        d.joint(x).constraint(Constraint::driver("drive", "x", u))
    } else {
        d.joint(x.prescribed(0, u))
    }
}

#[test]
fn a_moved_foundation() {
    let (m, k, c) = (3.0, 500.0, 6.0);
    for driven in [false, true] {
        let make = |u: Signal| carriage(u, driven);
        let found = linear(
            &make,
            Signal::harmonic(0.2, 5.0, 0.4),
            &["load.position.x", "y.displacement", "input.u"],
        );
        assert_eq!(found.states.len(), 2);
        // The load is moved by u, the relative motion by ü; u̇ enters where velocities are dependent.
        assert_eq!(found.inputs[0].name, "u");
        assert!(found.inputs.iter().any(|i| i.name == "u''"));
        let frequencies = logarithmic(0.1, 20.0, 40);
        let all = response(&found, &frequencies);
        assert_eq!(all.len(), 1);
        for (f, values) in frequencies.iter().zip(&all[0].values) {
            let s = Complex::new(0.0, core::f64::consts::TAU * f);
            let below = (s * s).scale(m) + s.scale(c) + Complex::real(k);
            // x_load = u + y, m (ü + ÿ) + c ẏ + k y = 0.
            let y = -((s * s).scale(m) / below);
            let exact = [Complex::real(1.0) + y, y, Complex::real(1.0)];
            for (value, exact) in values.iter().zip(exact) {
                assert!(
                    (*value - exact).abs() < 1e-8 * (1.0 + exact.abs()),
                    "{driven} {f}: {value:?} {exact:?}"
                );
            }
        }
    }
}

/// A four-bar with a spring, whose crank carries a torque u.
fn four_bar(u: Signal) -> Description {
    let bar = |name: &str, length: f64| {
        Body::planar(name, 2.0 * length, 0.1)
            .centre([0.5 * length, 0.0, 0.0])
            .marker("end", frame::at([length, 0.0, 0.0]))
    };
    Description::new("four-bar")
        .gravity([0.0, -9.81, 0.0])
        .ground_marker("right", frame::at([2.0, 0.0, 0.0]))
        .body(bar("crank", 0.5))
        .body(bar("coupler", 2.0))
        .body(bar("rocker", 1.0))
        .joint(Joint::revolute("A", "ground", "crank").start(1.5, 0.0))
        .joint(Joint::revolute("B", "crank.end", "coupler").start(-1.3, 0.0))
        .joint(Joint::revolute("D", "ground.right", "rocker").start(1.5, 0.0))
        .joint(Joint::revolute("C", "coupler.end", "rocker.end"))
        .force(Force::joint_spring("spring", "D", 60.0, 2.0, 1.2))
        .force(Force::motor("motor", "A", u))
}

#[test]
fn the_linear_model_moves_like_the_mechanism() {
    let outputs = [
        "A.angle",
        "rocker.end.position.x",
        "C.force.x",
        "energy.kinetic",
        "A.angle.acceleration",
    ];
    let found = linear(&|u| four_bar(u), Signal::constant(1.0), &outputs);
    assert_eq!((found.a.rows(), found.inputs.len()), (2, 1));
    // The true mechanism under a small step of the torque, by the classical Runge–Kutta method in all
    // coordinates; the constraints drift by less than is compared.
    let step = 1e-4;
    let model = Arc::new(four_bar(Signal::constant(1.0)).compile().unwrap());
    let start = model.assemble(&Default::default()).unwrap();
    let rest = equilibrium(&start, &StaticsOptions::default()).unwrap();
    let pushed = Arc::new(four_bar(Signal::constant(1.0 + step)).compile().unwrap());
    let mut mechanical =
        holonom_multibody::mechanical::MechanicalModel::new(pushed, rest.start.rows.active.clone());
    let n = rest.state.q.len();
    let mut y = [rest.state.q.clone(), rest.state.v.clone()].concat();
    let mut z = [0.0; 2];
    let mut rates = |y: &[f64]| {
        let (mut a, mut lambda) = (vec![0.0; n], rest.state.lambda.clone());
        mechanical
            .accelerations(0.0, &y[..n], &y[n..], &mut lambda, &mut a)
            .unwrap();
        [y[n..].to_vec(), a].concat()
    };
    let linear_rates = |z: &[f64; 2]| {
        [0, 1].map(|i| (0..2).map(|j| found.a[(i, j)] * z[j]).sum::<f64>() + found.b[(i, 0)] * step)
    };
    let h = 1e-3;
    let crank = |y: &[f64]| y[0] - rest.state.q[0];
    let mut most: f64 = 0.0;
    for _ in 0..600 {
        let add =
            |y: &[f64], k: &[f64], h: f64| -> Vec<f64> { y.iter().zip(k).map(|(y, k)| y + h * k).collect() };
        let k1 = rates(&y);
        let k2 = rates(&add(&y, &k1, 0.5 * h));
        let k3 = rates(&add(&y, &k2, 0.5 * h));
        let k4 = rates(&add(&y, &k3, h));
        for i in 0..y.len() {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        let shift = |z: &[f64; 2], k: &[f64; 2], h: f64| [z[0] + h * k[0], z[1] + h * k[1]];
        let k1 = linear_rates(&z);
        let k2 = linear_rates(&shift(&z, &k1, 0.5 * h));
        let k3 = linear_rates(&shift(&z, &k2, 0.5 * h));
        let k4 = linear_rates(&shift(&z, &k3, h));
        for i in 0..2 {
            z[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        let linear_crank = (0..2).map(|j| found.c[(0, j)] * z[j]).sum::<f64>();
        most = most.max(crank(&y).abs());
        assert!(
            (crank(&y) - linear_crank).abs() < 3e-4 * most + 1e-12,
            "{} {linear_crank}",
            crank(&y)
        );
    }
    assert!(most > 1e-7);
    // At rest nothing has kinetic energy to first order.
    for j in 0..2 {
        assert!(found.c[(3, j)].abs() < 1e-9);
    }
    assert!((found.d[(4, 0)] - found.b[(1, 0)] * found.c[(0, 0)]).abs() < 1e-7 * found.d[(4, 0)].abs());
}

#[test]
fn texts_carry_all_numbers() {
    let found = linear(&|u| four_bar(u), Signal::constant(1.0), &["A.angle"]);
    let (csv, matlab) = (found.to_csv(), found.to_matlab("four-bar"));
    let last: f64 = csv
        .lines()
        .nth(2)
        .unwrap()
        .split(',')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(last, found.a[(1, 0)]);
    assert!(csv.contains("\nB,\"u\"\n") && csv.contains("\nC,"));
    assert!(matlab.contains("inputs = {'u'};") && matlab.contains("A = [\n"));
}
