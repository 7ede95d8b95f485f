//! Euler parameters and Cardan angles: identities, differences, round trips.

use holonom_algebra::{CardanAngles, Dual4, Quaternion, Real, Trace};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

type Vector = [f64; 3];
type Matrix = [[f64; 3]; 3];

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn transposed(a: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

fn near_matrix(a: &Matrix, b: &Matrix, tolerance: f64) -> bool {
    near(a.as_flattened(), b.as_flattened(), tolerance)
}

const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The body's angular velocity from a rotation matrix and its rate: RᵀṘ = ω̃.
fn spin(r: &[[Dual4; 3]; 3], direction: usize) -> Vector {
    let value = r.map(|row| row.map(|x| x.value()));
    let rate = r.map(|row| row.map(|x| x.derivative(direction)));
    let w = times(&transposed(&value), &rate);
    assert!((w[0][1] + w[1][0]).abs() < 1e-13 && w[0][0].abs() < 1e-13);
    [w[2][1], w[0][2], w[1][0]]
}

fn moving<const N: usize>(x: [f64; N], rate: [f64; N]) -> [Dual4; N] {
    std::array::from_fn(|i| Dual4::constant(x[i]).with_derivative(1, rate[i]))
}

fn vector(range: f64) -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-range..range)
}

/// Of any length but zero.
fn quaternion() -> impl Strategy<Value = Quaternion<f64>> {
    prop::array::uniform4(-2.0f64..2.0)
        .prop_map(Quaternion)
        .prop_filter("not near zero", |e| e.norm() > 0.1)
}

proptest! {
    #[test]
    fn products_are_products_of_matrices(e in quaternion(), p in quaternion()) {
        let (r, s) = (e.rotation_matrix(), p.rotation_matrix());
        prop_assert!(near_matrix(&times(&r, &transposed(&r)), &IDENTITY, 1e-14));
        prop_assert!(near_matrix(&(e * p).rotation_matrix(), &times(&r, &s), 1e-14));
        prop_assert!(near_matrix(&e.relative(p).rotation_matrix(), &times(&transposed(&r), &s), 1e-14));
        prop_assert!(near_matrix(&e.normalised().rotation_matrix(), &r, 1e-14));
        prop_assert!(((e * p).norm() - e.norm() * p.norm()).abs() < 1e-14 * e.norm() * p.norm());
        let unit = (e * e.conjugate()).0;
        prop_assert!(near(&unit, &[e.norm_squared(), 0.0, 0.0, 0.0], 1e-14));
        // e ∘ (0, v) ∘ ē = |e|² (0, R v).
        let v = [0.3, -0.7, 1.1];
        let turned = e * Quaternion([0.0, v[0], v[1], v[2]]) * e.conjugate();
        let expected = e.rotate(v).map(|x| x * e.norm_squared());
        prop_assert!(near(&turned.0[1..], &expected, 1e-13));
    }

    #[test]
    fn matrices_give_their_quaternion(e in quaternion()) {
        let back = Quaternion::from_rotation_matrix(&e.rotation_matrix());
        let unit = e.normalised().0;
        let unit = if unit[0] < 0.0 { unit.map(|x| -x) } else { unit };
        prop_assert!(back.0[0] >= 0.0 && near(&back.0, &unit, 1e-14));
    }

    #[test]
    fn half_turns_have_a_quaternion(axis in vector(1.0), deviation in -1e-9f64..1e-9) {
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assume!(length > 0.1);
        let r = Quaternion::from_axis_angle(axis.map(|x| x / length), PI + deviation).rotation_matrix();
        prop_assert!(near_matrix(&Quaternion::from_rotation_matrix(&r).rotation_matrix(), &r, 1e-14));
    }

    #[test]
    fn rates_of_euler_parameters(e in quaternion(), omega in vector(3.0), g in quaternion()) {
        let rate = e.rate(omega);
        let product = (e * Quaternion([0.0, omega[0], omega[1], omega[2]])).0.map(|x| 0.5 * x);
        prop_assert!(near(&rate, &product, 1e-14));
        prop_assert!(near(&e.angular_velocity(rate), &omega, 1e-13));
        prop_assert!(near(&spin(&Quaternion(moving(e.0, rate)).rotation_matrix(), 1), &omega, 1e-12));
        // gᵀ(V ω) = (Vᵀ g)ᵀ ω, and Vᵀ e = 0: the length stays.
        let power: f64 = (0..4).map(|i| g.0[i] * rate[i]).sum();
        let same: f64 = (0..3).map(|i| e.rate_transposed(g.0)[i] * omega[i]).sum();
        prop_assert!((power - same).abs() < 1e-13);
        prop_assert!(near(&e.rate_transposed(e.0), &[0.0; 3], 1e-15));
    }

    #[test]
    fn exponential_and_logarithm(direction in vector(1.0), exponent in -12.0f64..0.49) {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assume!(length > 0.1);
        let angle = 10f64.powf(exponent);
        let (axis, phi) = (direction.map(|x| x / length), direction.map(|x| x / length * angle));
        let e = Quaternion::exponential(phi);
        prop_assert!(near(&e.0, &Quaternion::from_axis_angle(axis, angle).0, 1e-15));
        prop_assert!(near(&e.logarithm(), &phi, 4e-15 * angle.max(1e-3)));
        let longer = Quaternion(e.0.map(|x| -3.0 * x));
        prop_assert!(near(&longer.logarithm(), &phi, 4e-15 * angle.max(1e-3)));
        // Derivatives along a fixed rate, through both maps and back.
        let rate = [0.4, -0.9, 0.2];
        let back = Quaternion::exponential(moving(phi, rate)).logarithm();
        prop_assert!(near(&back.map(|x| x.derivative(1)), &rate, 1e-12));
    }

    #[test]
    fn cardan_angles_and_matrices(angles in vector(3.1), omega in vector(2.0)) {
        let cardan = CardanAngles(angles);
        let r = cardan.rotation_matrix();
        // The definition: elementary rotations one after the other.
        let turn = |axis, i: usize| Quaternion::from_axis_angle(axis, angles[i]);
        let [x, y, z] = IDENTITY;
        prop_assert!(near_matrix(&r, &(turn(x, 0) * turn(y, 1) * turn(z, 2)).rotation_matrix(), 1e-14));
        let back = CardanAngles::from_rotation_matrix(&r);
        prop_assert!(back.0[1].abs() <= FRAC_PI_2 + 1e-15);
        prop_assert!(near_matrix(&back.rotation_matrix(), &r, 1e-14));

        let distance = cardan.distance_to_singularity();
        prop_assert!((distance.sin() - angles[1].cos().abs()).abs() < 1e-14);
        prop_assume!(distance > 1e-3);
        let rates = cardan.rates(omega);
        let scale = 1.0 / distance;
        prop_assert!(near(&cardan.angular_velocity(rates), &omega, 1e-14 * scale));
        let moving = CardanAngles(moving(angles, rates.map(|x| x / scale))).rotation_matrix();
        prop_assert!(near(&spin(&moving, 1), &omega.map(|x| x / scale), 1e-13));
        let found = CardanAngles::from_rotation_matrix(&moving).0.map(|x| x.derivative(1) * scale);
        // The other half of the angles has the opposite rate of β.
        let sign = if angles[1].abs() < FRAC_PI_2 { 1.0 } else { -1.0 };
        prop_assert!(near(&found, &[rates[0], sign * rates[1], rates[2]], 1e-11 * scale * scale));
    }

    #[test]
    fn cardan_angles_survive_the_singularity(a in -3.0f64..3.0, c in -3.0f64..3.0, exponent in -20.0f64..-3.0) {
        for b in [FRAC_PI_2, -FRAC_PI_2, FRAC_PI_2 - 10f64.powf(exponent), 10f64.powf(exponent) - FRAC_PI_2] {
            let r = CardanAngles([a, b, c]).rotation_matrix();
            let back = CardanAngles::from_rotation_matrix(&r);
            prop_assert!(near_matrix(&back.rotation_matrix(), &r, 1e-14));
        }
    }
}

#[test]
fn exact_singularity_and_small_distance() {
    for r in [
        [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]],
        [[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
    ] {
        assert!(near_matrix(
            &CardanAngles::from_rotation_matrix(&r).rotation_matrix(),
            &r,
            1e-15
        ));
    }
    let distance = |b: f64| CardanAngles([0.0, b, 0.0]).distance_to_singularity();
    assert_eq!(distance(0.0), FRAC_PI_2);
    assert!(distance(FRAC_PI_2) < 1e-15 && distance(-5.0 * FRAC_PI_2) < 1e-14);
    assert!((distance(PI - 0.25) - (FRAC_PI_2 - 0.25)).abs() < 1e-14);
}

#[test]
fn derivatives_exist_at_no_rotation() {
    let zero = moving([0.0; 3], [1.0, 2.0, 3.0]);
    let e = Quaternion::exponential(zero);
    assert_eq!(e.value(), Quaternion::identity());
    assert_eq!(e.0.map(|x| x.derivative(1)), [0.0, 0.5, 1.0, 1.5]);
    assert_eq!(e.logarithm().map(|x| x.derivative(1)), [1.0, 2.0, 3.0]);
    assert_eq!(
        Quaternion::<Dual4>::constant(e.value())
            .logarithm()
            .map(|x| x.value()),
        [0.0; 3]
    );
}

#[test]
fn traces_see_the_structure() {
    Trace::scope_at(&[0.1, 0.2, 0.3], |x| {
        let r = CardanAngles([x[0], x[1], x[2]]).rotation_matrix();
        let list = |y: Trace| y.dependencies().collect::<Vec<_>>();
        assert_eq!(
            (list(r[0][2]), list(r[0][0]), list(r[2][2])),
            (vec![1], vec![1, 2], vec![0, 1])
        );
    });
}
