//! What is the same although it looks different.

use super::{Oscillator, choose, state};
use holonom_dae::problems::car_axle::{self, CarAxle};
use holonom_dae::problems::constrained::{Form, Mechanics};
use holonom_dae::{ElementSet, Mechanical};
use holonom_solver::stepper::{
    Advance, Level, LinearImplicitOptions, MotionState, Ordering, RealTime, Stabilisation, StiffTerms,
};

/// A x = b by elimination with pivots; A column by column.
fn solve(mut a: Vec<f64>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n)
            .max_by(|&i, &j| a[i + k * n].abs().total_cmp(&a[j + k * n].abs()))
            .unwrap();
        for j in 0..n {
            a.swap(k + j * n, p + j * n);
        }
        b.swap(k, p);
        for i in k + 1..n {
            let l = a[i + k * n] / a[k + k * n];
            for j in k..n {
                a[i + j * n] -= l * a[k + j * n];
            }
            b[i] -= l * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k + j * n] * b[j];
        }
        b[k] /= a[k + k * n];
    }
    b
}

fn one_step(motion: Oscillator, h: f64, options: LinearImplicitOptions, q: &[f64], v: &[f64]) -> MotionState {
    let mut system =
        RealTime::new(Box::new(Mechanics::new(motion)), h, state(motion, q, v), options).unwrap();
    assert_eq!(system.step(), Advance::Done);
    system.state().clone()
}

fn assert_near(a: &[f64], b: &[f64], tolerance: f64) {
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} and {b}");
    }
}

/// `exact` is (3) with the full Jacobian of 2n rows; the elimination behind it has the matrix of `j2`, and
/// the velocities of both are the same.
#[test]
fn exact_needs_no_system_of_twice_the_size() {
    let motion = Oscillator {
        a: 40.0,
        b: 3.0,
        coupling: 25.0,
        cubic: 7.0,
    };
    let (q, v, h) = ([0.8, -0.4], [1.3, 0.6], 0.05);
    let mut mechanics = Mechanics::new(motion);
    let (mut f, mut f_q, mut f_v) = (vec![0.0; 2], vec![0.0; 4], vec![0.0; 4]);
    mechanics.force(0.0, &q, &v, &[], &mut f).unwrap();
    let all = ElementSet::All;
    mechanics
        .force_jacobians(0.0, &q, &v, &[], all, &mut f_q, &mut f_v)
        .unwrap();
    let mass = [1.0, 3.0];
    // I − hJ, J = (0 I; M⁻¹f_q M⁻¹f_v).
    let mut matrix = vec![0.0; 16];
    for i in 0..2 {
        matrix[5 * i] = 1.0;
        matrix[5 * (i + 2)] = 1.0;
        matrix[i + 4 * (i + 2)] = -h;
        for j in 0..2 {
            matrix[i + 2 + 4 * j] -= h * f_q[i + 2 * j] / mass[i];
            matrix[i + 2 + 4 * (j + 2)] -= h * f_v[i + 2 * j] / mass[i];
        }
    }
    let delta = solve(matrix, vec![v[0], v[1], f[0] / mass[0], f[1] / mass[1]]);
    let expected: Vec<f64> = (0..2).map(|i| q[i] + h * delta[i]).collect();
    let expected_v: Vec<f64> = (0..2).map(|i| v[i] + h * delta[i + 2]).collect();

    let exact = one_step(
        motion,
        h,
        choose(StiffTerms::Exact, Level::Index1, Stabilisation::None),
        &q,
        &v,
    );
    assert_near(&exact.q, &expected, 1e-14);
    assert_near(&exact.v, &expected_v, 1e-14);
    let j2 = one_step(
        motion,
        h,
        choose(StiffTerms::J2, Level::Index1, Stabilisation::None),
        &q,
        &v,
    );
    assert_near(&j2.v, &exact.v, 1e-14);
    assert!((j2.q[0] - exact.q[0]).abs() > 1e-2);
}

/// The 2 × 2 matrix of a step for q̈ = −aq − bq̇ by its trace and determinant.
fn polynomial(options: &LinearImplicitOptions, a: f64, b: f64, h: f64) -> (f64, f64) {
    let motion = Oscillator {
        a,
        b,
        coupling: 0.0,
        cubic: 0.0,
    };
    let column = |q, v| {
        let s = one_step(motion, h, options.clone(), &[q, 0.0], &[v, 0.0]);
        [s.q[0], s.v[0]]
    };
    let (x, y) = (column(1.0, 0.0), column(0.0, 1.0));
    (x[0] + y[1], x[0] * y[1] - x[1] * y[0])
}

/// (14) has the characteristic polynomial of `j2`: trace 2 − h(b + ha)/D, determinant 1 − hb/D with
/// D = 1 + hb + h²a.
#[test]
fn velocities_first_has_the_polynomial_of_j2() {
    let j2 = choose(StiffTerms::J2, Level::Index1, Stabilisation::None);
    let vedyna = LinearImplicitOptions {
        ordering: Ordering::VelocitiesFirst,
        ..j2.clone()
    };
    for (a, b, h) in [
        (1.0, 0.0, 0.1),
        (50.0, 2.0, 0.3),
        (1e4, 30.0, 1e-2),
        (3.0, 100.0, 1.0),
    ] {
        let d = 1.0 + h * b + h * h * a;
        let expected = (2.0 - h * (b + h * a) / d, 1.0 - h * b / d);
        for options in [&j2, &vedyna] {
            let found = polynomial(options, a, b, h);
            assert_near(&[found.0, found.1], &[expected.0, expected.1], 1e-13);
        }
    }
    // `exact` is another method: trace (2 + hb)/D, determinant 1/D.
    let exact = choose(StiffTerms::Exact, Level::Index1, Stabilisation::None);
    let found = polynomial(&exact, 50.0, 2.0, 0.3);
    let d = 1.0 + 0.6 + 4.5;
    assert_near(&[found.0, found.1], &[2.6 / d, 1.0 / d], 1e-13);
}

/// The form of Gear, Gupta and Leimkuhler, (9), with one Newton step for its μ and then (6b): written out for
/// the car axle, it is `index2` with `projection`.
#[test]
fn ggl_with_one_newton_step() {
    let problem = car_axle::problem(Form::Index1);
    let h = 1e-3;
    let options = choose(StiffTerms::J2, Level::Index2, Stabilisation::Projection);
    let mut system = super::axle(h, options);
    let mut m = Mechanics::new(CarAxle);
    let (mut q, mut v) = (problem.y0[..4].to_vec(), problem.y0[4..8].to_vec());
    for step in 0..300 {
        let (t, t1) = (f64::from(step) * h, f64::from(step + 1) * h);
        let (mut mass, mut f, mut f_q, mut f_v) = (vec![0.0; 16], vec![0.0; 4], vec![0.0; 16], vec![0.0; 16]);
        let (mut g0, mut g1, mut g, mut g_t) = (vec![0.0; 8], vec![0.0; 8], vec![0.0; 2], vec![0.0; 2]);
        m.mass(t, &q, &mut mass).unwrap();
        m.force(t, &q, &v, &[], &mut f).unwrap();
        m.force_jacobians(t, &q, &v, &[], ElementSet::All, &mut f_q, &mut f_v)
            .unwrap();
        m.constraint_matrix(t, &q, &mut g0).unwrap();
        // M q₁ = M (q₀ + h v₀) − h Gᵀμ with g(q₁) linearised about q₀ + h v₀, G at the beginning of the step.
        let saddle = |upper: &dyn Fn(usize, usize) -> f64, lower: &[f64]| {
            let mut a = vec![0.0; 36];
            for j in 0..4 {
                for i in 0..4 {
                    a[i + 6 * j] = upper(i, j);
                }
                for k in 0..2 {
                    a[4 + k + 6 * j] = lower[k + 2 * j];
                    a[j + 6 * (4 + k)] = g0[k + 2 * j];
                }
            }
            a
        };
        let predicted: Vec<f64> = (0..4).map(|i| q[i] + h * v[i]).collect();
        m.constraint(t1, &predicted, &mut g).unwrap();
        // Unknowns: q₁ − (q₀ + h v₀) and h μ.
        let moved = solve(
            saddle(&|i, j| mass[i + 4 * j], &g0),
            vec![0.0, 0.0, 0.0, 0.0, -g[0], -g[1]],
        );
        let q1: Vec<f64> = (0..4).map(|i| predicted[i] + moved[i]).collect();
        // (6b).
        m.constraint_matrix(t1, &q1, &mut g1).unwrap();
        m.constraint_rate(t1, &q1, &mut g_t).unwrap();
        let a = saddle(
            &|i, j| mass[i + 4 * j] - h * (f_v[i + 4 * j] + h * f_q[i + 4 * j]),
            &g1,
        );
        let mut b: Vec<f64> = (0..4)
            .map(|i| h * (f[i] + h * (0..4).map(|j| f_q[i + 4 * j] * v[j]).sum::<f64>()))
            .collect();
        for k in 0..2 {
            b.push(-g_t[k] - (0..4).map(|j| g1[k + 2 * j] * v[j]).sum::<f64>());
        }
        let dv = solve(a, b);
        q = q1;
        v = (0..4).map(|i| v[i] + dv[i]).collect();
        assert_eq!(system.step(), Advance::Done);
        assert_near(&system.state().q, &q, 1e-12);
        assert_near(&system.state().v, &v, 1e-10);
    }
}
