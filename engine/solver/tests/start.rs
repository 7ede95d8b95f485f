//! The consistent start: what is wrong is moved and reported, what is right stays.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, distance, problem};
use holonom_dae::problems::{self, Problem};
use holonom_dae::{Closure, Structure, System};
use holonom_solver::stepper::Quiet;
use holonom_solver::{Integrator, Options};

/// Largest residual at the state of the integrator.
fn residual(integrator: &mut Integrator<'_>) -> f64 {
    let (t, y, yp) = (integrator.t(), integrator.y().to_vec(), integrator.yp().to_vec());
    let mut r = vec![0.0; y.len()];
    integrator.system().residual(t, &y, &yp, &mut r).unwrap();
    r.iter().fold(0.0, |m, r| m.max(r.abs()))
}

fn moved(integrator: &Integrator<'_>) -> Vec<String> {
    let mut names: Vec<String> = (integrator.report().start.moved.iter())
        .map(|m| m.name.clone())
        .collect();
    names.sort();
    names
}

fn start<'s>(system: impl System + 's, y0: &[f64], yp0: &[f64], tol: f64) -> Integrator<'s> {
    Integrator::new(Box::new(system), 0.0, y0, yp0, 1.0, Options::new(tol, tol)).unwrap()
}

fn index_1(structure: Structure) -> Closure<'static> {
    Closure::new(structure, |_t, y, yp, r| {
        r[0] = yp[0] + y[0] - y[1];
        r[1] = 2.0 * yp[1] - yp[0] + y[2];
        r[2] = y[2] + y[2].powi(3) - y[0] - 2.0 * y[1];
    })
}

#[test]
fn algebraic_variable_from_a_wrong_guess() {
    let system = Closure::new(Structure::semi_explicit(["a", "b"], ["z"]), |_t, y, yp, r| {
        r[0] = yp[0] + y[0] - y[2];
        r[1] = yp[1] + y[1] * y[2];
        r[2] = y[2] + y[2].powi(3) - y[0] - 2.0 * y[1];
    });
    let mut integrator = start(system, &[1.0, 2.0, -3.0], &[0.0; 3], 1e-6);
    assert!(residual(&mut integrator) < 1e-13);
    assert_eq!(integrator.y()[..2], [1.0, 2.0]);
    assert_eq!(moved(&integrator), ["z"]);
    let m = &integrator.report().start.moved[0];
    assert_eq!((m.from, m.to), (-3.0, integrator.y()[2]));
    let derivatives = &integrator.report().start.moved_derivatives;
    assert!(derivatives.iter().any(|m| m.name == "d/dt a") && derivatives.iter().any(|m| m.name == "d/dt b"));
    assert!(integrator.report().start.residual < 1e-13);
}

/// Nothing is known: neither which variables are algebraic nor how the derivatives enter.
#[test]
fn unknown_form() {
    let mut integrator = start(index_1(Structure::unknown(3)), &[1.0, 2.0, -3.0], &[0.0; 3], 1e-6);
    assert!(residual(&mut integrator) < 1e-11, "{}", residual(&mut integrator));
    assert!(distance(&integrator.y()[..2], &[1.0, 2.0]) < 1e-6);
    let z = integrator.y()[2];
    assert!((z + z.powi(3) - 5.0).abs() < 1e-6);
    assert!(moved(&integrator).contains(&"y[2]".to_string()));
    integrator.run(1.0, &mut Quiet).unwrap();
}

#[test]
fn nonlinear_in_the_derivative() {
    let system = Closure::new(Structure::unknown(1), |_t, y, yp, r| {
        r[0] = yp[0] + yp[0].powi(3) + 2.0 * y[0];
    });
    let mut integrator = start(system, &[1.0], &[0.0], 1e-6);
    assert!(residual(&mut integrator) < 1e-12);
    assert_eq!(integrator.y(), [1.0]);
    assert!((integrator.yp()[0] + 1.0).abs() < 1e-12);
    assert!(moved(&integrator).is_empty());
}

/// y₁ − y₂ is what the differential equation carries on; only y₁ + y₂ may be moved.
#[test]
fn singular_derivative_matrix_of_unknown_form() {
    for (t0, span, tol) in [
        (0.0, 1.0, 1e-3),
        (0.0, 1.0, 1e-6),
        (0.0, 100.0, 1e-10),
        (50.0, 1.0, 1e-8),
    ] {
        let system = Closure::new(Structure::unknown(2), |_t, y, yp, r| {
            r[0] = yp[0] - yp[1] + y[0];
            r[1] = y[0] + y[1] - 1.0;
        });
        let options = Options::new(tol, tol);
        let mut integrator =
            Integrator::new(Box::new(system), t0, &[1.0, 0.5], &[0.0; 2], span, options).unwrap();
        let (y, yp) = (integrator.y().to_vec(), integrator.yp().to_vec());
        assert!(distance(&y, &[0.75, 0.25]) < 1e-12, "{y:?}");
        assert!(distance(&yp, &[-0.375, 0.375]) < 1e-6, "{yp:?}");
        assert!(residual(&mut integrator) < 1e-12);
        assert!(integrator.report().start.residual < 1e-12);
        integrator.run(t0 + 0.5 * span.min(1.0), &mut Quiet).unwrap();
    }
}

/// The algebraic equation moves in time and is not linear: ẏ follows it.
#[test]
fn derivative_follows_a_moving_constraint() {
    let system = Closure::new(Structure::unknown(2), |t, y, yp, r| {
        r[0] = yp[0] - yp[1] + 10.0 * y[0];
        r[1] = y[0] + y[1].powi(3) - 1.0 - 3.0 * t;
    });
    let mut integrator = start(system, &[0.5, 0.4], &[0.0; 2], 1e-6);
    let (y, yp) = (integrator.y().to_vec(), integrator.yp().to_vec());
    assert!((y[0] - y[1] - 0.1).abs() < 1e-11, "{y:?}");
    assert!((y[0] + y[1].powi(3) - 1.0).abs() < 1e-12, "{y:?}");
    // ẏ₁ − ẏ₂ = −10 y₁ and ẏ₁ + 3 y₂² ẏ₂ = 3.
    let slope = 3.0 * y[1] * y[1];
    let second = (3.0 + 10.0 * y[0]) / (1.0 + slope);
    assert!((yp[1] - second).abs() < 1e-4, "{yp:?} instead of {second}");
    assert!((yp[0] - second + 10.0 * y[0]).abs() < 1e-4, "{yp:?}");
    assert!(residual(&mut integrator) < 1e-11);
    integrator.run(1.0, &mut Quiet).unwrap();
}

/// ∂F/∂ẏ singular and not diagonal: the hidden constraints are sums of rows.
#[test]
fn transistor_amplifier() {
    let p = problem("transistor-amplifier");
    let options = || Options::new(1e-6, 1e-6);
    let mut exact = Integrator::new((p.build)(), p.t0, &p.y0, &p.yp0, p.t_end, options()).unwrap();
    exact.run(p.t_end, &mut Quiet).unwrap();
    let usual = exact.counters().steps;

    let mut random = Random(1);
    let y0: Vec<f64> = p.y0.iter().map(|y| y + random.between(-0.05, 0.05)).collect();
    let mut integrator = Integrator::new((p.build)(), p.t0, &y0, &[0.0; 8], p.t_end, options()).unwrap();
    // Currents are about 10⁻³.
    assert!(residual(&mut integrator) < 1e-12, "{}", residual(&mut integrator));
    let y = integrator.y().to_vec();
    let r = 9000.0;
    let diode = |u: f64| 1e-6 * ((u / 0.026).exp() - 1.0);
    let (g23, g56) = (diode(y[1] - y[2]), diode(y[4] - y[5]));
    let hidden = [
        y[0] / 1000.0 + y[1] / r + (y[1] - 6.0) / r + 0.01 * g23,
        (y[3] - 6.0) / r + 0.99 * g23 + y[4] / r + (y[4] - 6.0) / r + 0.01 * g56,
        (y[6] - 6.0) / r + 0.99 * g56 + y[7] / r,
    ];
    for h in hidden {
        assert!(h.abs() < 1e-12, "{hidden:?}");
    }
    assert!(!moved(&integrator).is_empty());
    // What the movement leaves in ẏ must not hold up the run.
    integrator.run(p.t_end, &mut Quiet).unwrap();
    let steps = integrator.counters().steps;
    assert!(steps < usual + usual / 2 + 50, "{steps} steps instead of {usual}");
    let reference = p.reference.unwrap().y;
    assert!(distance(integrator.y(), &reference) < 0.1);
}

/// Positions and velocities 10 % off, accelerations and multipliers unknown.
fn check_mechanics(name: &str) {
    let p = problem(name);
    let mut random = Random(7);
    let layout = (p.build)().structure().layout.clone().unwrap();
    let n = p.y0.len();
    let mut y0 = vec![0.0; n];
    for i in layout.q.clone() {
        y0[i] = p.y0[i] * random.between(0.9, 1.1) + random.between(-0.01, 0.01);
    }
    for i in layout.v.clone() {
        y0[i] = p.y0[i] + random.between(-0.1, 0.1);
    }
    let mut integrator = Integrator::new(
        (p.build)(),
        p.t0,
        &y0,
        &vec![0.0; n],
        p.t_end,
        Options::new(1e-6, 1e-6),
    )
    .unwrap();
    let y = integrator.y().to_vec();
    let (q, v) = (&y[layout.q.clone()], &y[layout.v.clone()]);
    let mechanical = integrator.system().mechanical().unwrap();
    let (n_v, n_g) = (mechanical.n_v(), mechanical.n_g());
    let (mut g, mut rate, mut matrix) = (vec![0.0; n_g], vec![0.0; n_g], vec![0.0; n_g * n_v]);
    mechanical.constraint(p.t0, q, &mut g).unwrap();
    mechanical.constraint_rate(p.t0, q, &mut rate).unwrap();
    mechanical.constraint_matrix(p.t0, q, &mut matrix).unwrap();
    for i in 0..n_g {
        for j in 0..n_v {
            rate[i] += matrix[i + j * n_g] * v[j];
        }
    }
    for i in 0..n_g {
        assert!(g[i].abs() <= 1e-12, "{name}: g[{i}] = {:.1e}", g[i]);
        assert!(
            rate[i].abs() <= 1e-12,
            "{name}: (Gv + g_t)[{i}] = {:.1e}",
            rate[i]
        );
    }
    // Forces of the car axle are about 10⁴ in units of its masses.
    assert!(
        residual(&mut integrator) < 1e-10,
        "{name}: {:.1e}",
        residual(&mut integrator)
    );
    // It moved no more than needed, and said so.
    assert!(
        distance(&y[layout.q.clone()], &p.y0[layout.q.clone()]) < 0.3,
        "{name}: {y:?}"
    );
    let names = moved(&integrator);
    for i in 0..n {
        let structure = (p.build)().structure().clone();
        let variable = &structure.variables[i].name;
        if (y[i] - y0[i]).abs() > 1e-10 {
            assert!(
                names.contains(variable),
                "{name}: {variable} moved, but only {names:?} are reported"
            );
        }
    }
    assert!(!names.is_empty());
    integrator.run(0.01 * p.t_end, &mut Quiet).unwrap();
}

#[test]
fn pendulum() {
    for form in ["index1", "index2", "index3", "ggl"] {
        check_mechanics(&format!("pendulum-{form}"));
    }
}

#[test]
fn car_axle() {
    for form in ["index1", "index2", "index3"] {
        check_mechanics(&format!("car-axle-{form}"));
    }
    check_mechanics("car-axle");
}

#[test]
fn andrews() {
    check_mechanics("andrews");
}

#[test]
fn consistent_values_are_left_alone() {
    let others = [
        "car-axle-index1",
        "car-axle-index2",
        "car-axle-index3",
        "andrews-index3",
    ];
    let all = problems::all().into_iter().chain(others.map(problem));
    let mut disturbed = Vec::new();
    for p in all {
        let Problem {
            name,
            t0,
            t_end,
            y0,
            yp0,
            ..
        } = &p;
        let integrator =
            Integrator::new((p.build)(), *t0, y0, yp0, t_end - t0, common::options(&p, 1e-6)).unwrap();
        if !moved(&integrator).is_empty() {
            disturbed.push(format!("{name}: {:?}", integrator.report().start.moved[0]));
            continue;
        }
        let size = y0.iter().fold(1.0, |m: f64, y| m.max(y.abs()));
        assert!(distance(integrator.y(), y0) <= 1e-12 * size, "{name}");
        let structure = (p.build)().structure().clone();
        for m in &integrator.report().start.moved_derivatives {
            let i = structure
                .variables
                .iter()
                .position(|v| m.name == format!("d/dt {}", v.name))
                .unwrap();
            assert!(
                !structure.variables[i].kind.is_differential()
                    || (m.to - m.from).abs() < 1e-6 * (1.0 + m.from.abs()),
                "{name}: {m:?}"
            );
        }
    }
    assert!(disturbed.is_empty(), "{disturbed:#?}");
}
