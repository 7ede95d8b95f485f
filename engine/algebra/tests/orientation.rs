//! Orientations of dual numbers against matrices of dual numbers.

use holonom_algebra::{
    AxisRotation, Dual8, DualOrientation, Fused, Inertia, Mat3, Orientation, Oriented, PlaneTurn, Quaternion,
    Real, Rotation, Sym3, Twist, Vec3, Wrench,
};
use proptest::prelude::*;

/// A number with derivatives along all directions.
fn number(x: [f64; 9]) -> Dual8 {
    (0..8).fold(Dual8::constant(x[0]), |d, i| d.with_derivative(i, x[i + 1]))
}

fn dual() -> impl Strategy<Value = Dual8> {
    prop::array::uniform9(-2.0..2.0f64).prop_map(number)
}

fn vector() -> impl Strategy<Value = Vec3<Dual8>> {
    [dual(), dual(), dual()].prop_map(Vec3)
}

fn parameters() -> impl Strategy<Value = [Dual8; 4]> {
    [dual(), dual(), dual(), dual()].prop_filter("no rotation near zero", |e| {
        e.iter().map(|x| x.value() * x.value()).sum::<f64>() > 0.1
    })
}

fn constant() -> impl Strategy<Value = Mat3<f64>> {
    prop::array::uniform3(-3.0..3.0f64).prop_map(|x| Mat3(Quaternion::exponential(x).rotation_matrix()))
}

fn numbers(found: Dual8, expected: Dual8) -> bool {
    (found.value() - expected.value()).abs() < 1e-14
        && (0..8).all(|i| (found.derivative(i) - expected.derivative(i)).abs() < 1e-11)
}

fn vectors(found: Vec3<Dual8>, expected: Vec3<Dual8>) -> bool {
    (0..3).all(|i| numbers(found[i], expected[i]))
}

fn matrices(found: &Mat3<Dual8>, expected: &Mat3<Dual8>) -> bool {
    (0..3).all(|j| vectors(found.column(j), expected.column(j)))
}

/// M · R(e/|e|) in both forms, the matrix written out with dual numbers.
fn both(m: &Mat3<f64>, [a, b, c, d]: [Dual8; 4]) -> (DualOrientation<2>, Mat3<Dual8>) {
    let k = (a * a + b * b + c * c + d * d).recip() * 2.0;
    let one = |x: Dual8| -x + 1.0;
    let r = Mat3([
        [one((c * c + d * d) * k), (b * c - a * d) * k, (b * d + a * c) * k],
        [(b * c + a * d) * k, one((b * b + d * d) * k), (c * d - a * b) * k],
        [(b * d - a * c) * k, (c * d + a * b) * k, one((b * b + c * c) * k)],
    ]);
    let mut o = DualOrientation::constant(m);
    o.set_euler_parameters(m, [a, b, c, d]);
    (o, r.premultiplied(m))
}

/// The turn about axis `A` as a matrix.
fn turn<const A: usize>(angle: Dual8) -> Mat3<Dual8> {
    let (sin, cos) = angle.sin_cos();
    let mut r = Mat3::identity();
    let (b, c) = ((A + 1) % 3, (A + 2) % 3);
    (r.0[b][b], r.0[c][c]) = (cos, cos);
    (r.0[b][c], r.0[c][b]) = (-sin, sin);
    r
}

fn turns<const A: usize>(o: &DualOrientation<2>, r: &Mat3<Dual8>, angle: Dual8) -> bool {
    let by = angle.turn();
    let after = Oriented::<Dual8>::after(&AxisRotation::<_, A>(by), o);
    let mut alone = DualOrientation::constant(&Mat3::identity());
    alone.set_turn(A, &by);
    matrices(&after.to_matrix(), &r.matrix(&turn::<A>(angle)))
        && matrices(&alone.to_matrix(), &turn::<A>(angle))
}

proptest! {
    #[test]
    fn small_turns_are_the_derivatives_of_the_matrix(
        (e, f) in (parameters(), parameters()),
        (m, n) in (constant(), constant()),
        v in vector(),
        angle in dual(),
    ) {
        let (o, r) = both(&m, e);
        prop_assert!(matrices(&o.to_matrix(), &r));
        prop_assert!(vectors(o.times(v), r.times(v)));
        prop_assert!(vectors(o.times_constant(v.value()), r.times(v.value())));
        prop_assert!(vectors(o.transpose_times(v), r.transpose_times(v)));
        prop_assert!(matrices(&o.then_constant(&n).to_matrix(), &r.matrix(&n)));
        let (p, s) = both(&n, f);
        prop_assert!(matrices(&o.relative(&p).to_matrix(), &r.transpose().matrix(&s)));
        prop_assert!(matrices(&p.after(&o).to_matrix(), &r.matrix(&s)));
        prop_assert!(turns::<0>(&o, &r, angle) && turns::<1>(&o, &r, angle) && turns::<2>(&o, &r, angle));
        let mut z = DualOrientation::constant(&m);
        z.set_turn_z(&m, &angle.turn());
        prop_assert!(matrices(&z.to_matrix(), &turn::<2>(angle).premultiplied(&m)));
    }

    #[test]
    fn turns_about_an_axis_and_quadratic_terms_have_the_derivatives_of_their_formulas(
        (a, b, w) in (vector(), vector(), vector()),
        x in prop::array::uniform6(-2.0..2.0f64),
        angle in dual(),
    ) {
        let (about, r) = (AxisRotation::<_, 1>(angle.turn()), turn::<1>(angle));
        prop_assert!(vectors(about.to_parent(a), r.times(a)));
        prop_assert!(vectors(about.to_child(a), r.transpose_times(a)));
        let inertia = Inertia {
            mass: 1.5,
            first: Vec3([x[5], x[0], x[3]]),
            second: Sym3(x),
        };
        let motion = Twist::new(a, b);
        let mut load = Wrench::zero();
        inertia.newton_euler(&w, &motion, &mut load);
        let (h, i) = (inertia.first, inertia.second);
        let force = b.scale(1.5).plus_cross(a, h).plus_cross(w, w.cross(h));
        let moment = i.times(a).minus_cross(b, h).plus_cross(w, i.times(w));
        prop_assert!(vectors(load.force, force) && vectors(load.moment, moment));
        let acceleration = <Dual8 as Fused<f64>>::carried(&w, &motion, h);
        prop_assert!(vectors(acceleration, b.plus_cross(a, h).plus_cross(w, w.cross(h))));
    }

    #[test]
    fn inertias_turn_alike(e in parameters(), m in constant(), x in prop::array::uniform6(-2.0..2.0f64)) {
        let (o, r) = both(&m, e);
        let s = Sym3::<Dual8>::constant(&Sym3(x));
        prop_assert!(matrices(&o.symmetric_to_parent(&s).full(), &r.symmetric_to_parent(&s).full()));
        prop_assert!(matrices(&o.matrix_to_parent(&s.full()), &r.matrix_to_parent(&s.full())));
    }
}

#[test]
fn values_are_those_of_plain_numbers_to_the_bit() {
    let e = [0.3, -0.5, 0.7, 0.2];
    let m = Mat3(Quaternion::exponential([0.4, -1.1, 0.6]).rotation_matrix());
    let mut plain = Mat3::<f64>::constant(&m);
    Orientation::<f64>::set_euler_parameters(&mut plain, &m, e);
    let (o, _) = both(&m, e.map(|x| Dual8::variable(x, 3)));
    assert_eq!(o.value(), plain);
    let v = Vec3([0.1, 0.7, -1.3]);
    let dual = Vec3(v.0.map(|x| Dual8::variable(x, 1)));
    assert_eq!(o.times(dual).value(), plain.times(v));
    assert_eq!(o.transpose_times(dual).value(), plain.transpose_times(v));
    let turn = Dual8::variable(0.8, 2).turn();
    assert_eq!(o.turned::<1>(&turn).value(), plain.turned::<1>(&turn.value()));
    let about = AxisRotation::<_, 0>(turn);
    let plain = AxisRotation::<_, 0>(turn.value());
    assert_eq!(about.to_child(dual).value(), plain.to_child(v));
    assert_eq!(about.to_parent(dual).value(), plain.to_parent(v));
    let inertia = Inertia {
        mass: 1.5,
        first: Vec3([0.3, -0.2, 0.9]),
        second: Sym3([1.0, 2.0, 3.0, 0.1, 0.2, -0.3]),
    };
    let (mut load, mut expected) = (Wrench::zero(), Wrench::zero());
    inertia.newton_euler(&dual, &Twist::new(dual, dual), &mut load);
    inertia.newton_euler(&v, &Twist::new(v, v), &mut expected);
    assert_eq!(load.force.value(), expected.force);
    assert_eq!(load.moment.value(), expected.moment);
    let acceleration = <Dual8 as Fused<f64>>::carried(&dual, &Twist::new(dual, dual), inertia.first);
    let expected = <f64 as Fused<f64>>::carried(&v, &Twist::new(v, v), inertia.first);
    assert_eq!(acceleration.value(), expected);
}
