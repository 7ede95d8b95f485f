//! The assembly against dual numbers, for every problem that uses it.

use super::*;
use crate::problems::andrews::Andrews;
use crate::problems::car_axle::CarAxle;
use crate::problems::pendulum::Pendulum;
use crate::{Bound, ElementSet, System};
use holonom_algebra::{Dual4, Dual8};

/// Numbers in (−1, 1), always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

#[track_caller]
fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs() + b.abs()), "{a} and {b}");
}

/// ∂F/∂y (or ∂F/∂ẏ), dense, column by column.
fn jacobian(system: &mut dyn System, t: f64, y: &[f64], yp: &[f64], by_derivative: bool) -> Vec<f64> {
    let n = y.len();
    let mut matrix = Vec::new();
    for j in 0..n {
        let mut dy: Vec<Dual8> = y.iter().map(|x| Dual8::constant(*x)).collect();
        let mut dyp: Vec<Dual8> = yp.iter().map(|x| Dual8::constant(*x)).collect();
        let x = if by_derivative { &mut dyp } else { &mut dy };
        x[j] = x[j].with_derivative(0, 1.0);
        let mut r = vec![Dual8::zero(); n];
        system
            .residual_dual8(Dual8::constant(t), &dy, &dyp, &mut r)
            .expect("inside the domain");
        matrix.extend(r.iter().map(|r| r.derivative(0)));
    }
    matrix
}

fn check_structure<P: ConstrainedMotion>(motion: P, random: &mut Random) {
    for form in Form::ALL {
        let mut system = Bound::new(Assembly::new(motion.clone(), form));
        let structure = system.structure().clone();
        structure.check().expect("consistent structure");
        let n = structure.dimension();
        for _ in 0..3 {
            let (t, y, yp) = (random.next(), random.vector(n), random.vector(n));
            // ∂F/∂ẏ in the declared pattern, zero elsewhere.
            let exact = jacobian(&mut system, t, &y, &yp, true);
            let DerivativeForm::Mass(pattern) = &structure.derivative else {
                panic!("a mass form")
            };
            let mut values = vec![f64::NAN; pattern.len()];
            system
                .derivative_matrix(t, &y, &yp, &mut values)
                .expect("inside the domain");
            for j in 0..n {
                for i in 0..n {
                    let value = pattern.position(i, j).map_or(0.0, |k| values[k]);
                    assert_close(value, exact[i + j * n]);
                }
            }
            // The columns of λ and η.
            let exact = jacobian(&mut system, t, &y, &yp, false);
            let layout = structure.layout.clone().expect("a layout");
            let given: usize = structure.transposed.iter().map(|b| b.columns.len()).sum();
            let expected = if form == Form::Index1 {
                0
            } else {
                layout.lambda.len() + layout.eta.len()
            };
            assert_eq!(given, expected);
            for block in &structure.transposed {
                for (k, j) in block.columns.clone().enumerate() {
                    for i in 0..n {
                        let value = match i.checked_sub(block.rows.start) {
                            Some(l) if l < block.rows.len() => {
                                exact[block.source_rows.start + k + (block.source_columns.start + l) * n]
                            }
                            _ => 0.0,
                        };
                        assert_close(value, exact[i + j * n]);
                    }
                }
            }
        }
    }
}

fn check_parts<P: ConstrainedMotion>(motion: P, random: &mut Random) {
    let n = motion.positions().len();
    let m = motion.n_g();
    let mut mechanics = Mechanics::new(motion.clone());
    for _ in 0..3 {
        let (t, q, v) = (random.next(), random.vector(n), random.vector(n));
        let constants = |x: &[f64]| x.iter().map(|x| Dual4::constant(*x)).collect::<Vec<_>>();
        // G and g_t are the derivatives of g.
        let (mut matrix, mut rate) = (vec![f64::NAN; m * n], vec![f64::NAN; m]);
        mechanics.constraint_matrix(t, &q, &mut matrix).expect("inside");
        mechanics.constraint_rate(t, &q, &mut rate).expect("inside");
        let mut g = vec![Dual4::zero(); m];
        for j in 0..n {
            let mut dual = constants(&q);
            dual[j] = dual[j].with_derivative(0, 1.0);
            motion.constraint(Dual4::variable(t, 1), &dual, &mut g);
            for i in 0..m {
                assert_close(matrix[i + j * m], g[i].derivative(0));
                assert_close(rate[i], g[i].derivative(1));
            }
        }
        // γ by hand and by duals.
        let (mut hand, mut dual) = (vec![f64::NAN; m], vec![f64::NAN; m]);
        motion.constraint_bias(t, &q, &v, &mut hand);
        mechanics.constraint_bias(t, &q, &v, &mut dual).expect("inside");
        for i in 0..m {
            assert_close(hand[i], dual[i]);
        }
        // M is symmetric; apply and solve are inverse to each other.
        let x = random.vector(n);
        let (mut mass, mut product) = (vec![f64::NAN; n * n], vec![f64::NAN; n]);
        mechanics.mass(t, &q, &mut mass).expect("inside");
        mechanics.apply_mass(t, &q, &x, &mut product).expect("inside");
        mechanics.solve_mass(t, &q, &mut product).expect("regular");
        for i in 0..n {
            assert_close(product[i], x[i]);
            for j in 0..n {
                assert_eq!(mass[i + j * n], mass[j + i * n]);
            }
        }
        // Directional derivative and assembled Jacobians of the forces.
        let w = random.vector(n);
        let (mut f_q, mut f_v) = (vec![f64::NAN; n * n], vec![f64::NAN; n * n]);
        let all = ElementSet::All;
        mechanics
            .force_jacobians(t, &q, &v, &[], all, &mut f_q, &mut f_v)
            .expect("inside");
        let mut along = vec![f64::NAN; n];
        mechanics
            .force_derivative(t, &q, &v, &[], &x, &w, &mut along)
            .expect("inside");
        for i in 0..n {
            let sum: f64 = (0..n)
                .map(|j| f_q[i + j * n] * x[j] + f_v[i + j * n] * w[j])
                .sum();
            assert_close(sum, along[i]);
        }
        let none = ElementSet::Some(&[]);
        mechanics
            .force_jacobians(t, &q, &v, &[], none, &mut f_q, &mut f_v)
            .expect("inside");
        assert!(f_q.iter().chain(&f_v).all(|x| *x == 0.0));
    }
}

/// The index-1 residual vanishes at the accelerations and multipliers of the mechanics.
fn check_residual<P: ConstrainedMotion>(motion: P, random: &mut Random) {
    let (n, m) = (motion.positions().len(), motion.n_g());
    let mut system = Bound::new(Assembly::new(motion, Form::Index1));
    let t = random.next();
    let mut y = random.vector(2 * n);
    let mut yp = y[n..].to_vec();
    let (mut lambda, mut a) = (vec![0.0; m], vec![0.0; n]);
    let mechanics = system.mechanical().expect("mechanics");
    assert_eq!((mechanics.n_q(), mechanics.n_v(), mechanics.n_g()), (n, n, m));
    mechanics
        .accelerations(t, &y[..n], &y[n..], &mut lambda, &mut a)
        .expect("regular");
    y.extend(lambda);
    yp.extend(a);
    yp.resize(2 * n + m, 0.0);
    let mut r = vec![f64::NAN; 2 * n + m];
    system.residual(t, &y, &yp, &mut r).expect("inside");
    // Accelerations may be large at random states; the residual is small against them.
    let size = yp.iter().chain(&y).fold(1.0, |s: f64, x| s.max(x.abs()));
    assert!(r.iter().all(|r| r.abs() < 1e-12 * size), "{r:?}");
}

#[test]
fn structure_agrees_with_duals() {
    let mut random = Random(1);
    check_structure(Pendulum, &mut random);
    check_structure(CarAxle, &mut random);
    check_structure(Andrews, &mut random);
}

#[test]
fn parts_agree_with_duals() {
    let mut random = Random(2);
    check_parts(Pendulum, &mut random);
    check_parts(CarAxle, &mut random);
    check_parts(Andrews, &mut random);
}

#[test]
fn accelerations_satisfy_the_residual() {
    let mut random = Random(3);
    check_residual(Pendulum, &mut random);
    check_residual(CarAxle, &mut random);
    check_residual(Andrews, &mut random);
}
