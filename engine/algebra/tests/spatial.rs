//! Identities of vectors, rotations and inertias.

use holonom_algebra::{
    Articulated, AxisRotation, Composite, Dual8, Inertia, Mat3, NoRotation, Oriented, Pose, Quaternion, Real,
    Rotation, Sym3, Twist, Vec3, Wrench,
};
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = Vec3<f64>> {
    prop::array::uniform3(-2.0..2.0f64).prop_map(Vec3)
}

fn rotation() -> impl Strategy<Value = Mat3<f64>> {
    prop::array::uniform3(-3.0..3.0f64).prop_map(|x| Mat3(Quaternion::exponential(x).rotation_matrix()))
}

fn symmetric() -> impl Strategy<Value = Sym3<f64>> {
    prop::array::uniform6(-2.0..2.0f64).prop_map(Sym3)
}

fn inertia() -> impl Strategy<Value = Inertia> {
    (0.1..5.0f64, vector(), prop::array::uniform3(0.1..1.0f64)).prop_map(|(m, c, d)| {
        // Moments of a flat body in each plane: always possible.
        let [a, b, c2] = d;
        Inertia::at_centre(m, c, &Sym3([b + c2, a + c2, a + b, 0.0, 0.0, 0.0]))
    })
}

fn twist() -> impl Strategy<Value = Twist<f64>> {
    (vector(), vector()).prop_map(|(a, b)| Twist::new(a, b))
}

fn close(a: Vec3<f64>, b: Vec3<f64>) -> bool {
    (a - b).norm() <= 1e-12 * (1.0 + a.norm() + b.norm())
}

fn same(a: &Wrench<f64>, b: &Wrench<f64>) -> bool {
    close(a.moment, b.moment) && close(a.force, b.force)
}

/// All that a rotation offers, against its matrix.
fn agrees<R: Rotation<f64> + Oriented<f64>>(
    r: &R,
    m: &Mat3<f64>,
    v: Vec3<f64>,
    s: &Sym3<f64>,
    a: &Mat3<f64>,
) -> bool {
    let matrix = |x: Mat3<f64>, y: Mat3<f64>| (0..3).all(|j| close(x.column(j), y.column(j)));
    close(r.to_parent(v), m.times(v))
        && close(r.to_child(v), m.transpose().times(v))
        && matrix(
            r.symmetric_to_parent(s).full(),
            m.matrix(&s.full()).matrix(&m.transpose()),
        )
        && matrix(r.matrix_to_parent(a), m.matrix(a).matrix(&m.transpose()))
        && matrix(r.after(a), a.matrix(m))
}

proptest! {
    #[test]
    fn special_rotations_are_rotations(angle in -4.0..4.0f64, v in vector(), s in symmetric(), a in rotation()) {
        let turn = angle.turn();
        let axis = |k: usize| {
            let mut x = [0.0; 3];
            x[k] = angle;
            Mat3(Quaternion::exponential(x).rotation_matrix())
        };
        prop_assert!(agrees(&AxisRotation::<_, 0>(turn), &axis(0), v, &s, &a));
        prop_assert!(agrees(&AxisRotation::<_, 1>(turn), &axis(1), v, &s, &a));
        prop_assert!(agrees(&AxisRotation::<_, 2>(turn), &axis(2), v, &s, &a));
        prop_assert!(agrees(&NoRotation, &Mat3::identity(), v, &s, &a));
        prop_assert!(agrees(&a, &a, v, &s, &a));
    }

    #[test]
    fn inertias_move_with_their_frames(i in inertia(), r in rotation(), p in vector(), a in twist()) {
        // The load of a motion does not depend on the frame it is computed in.
        let child = Twist::new(r.to_child(a.angular), r.to_child(a.linear + a.angular.cross(p)));
        let load = i.times(&child).to_parent(&r, p);
        prop_assert!(same(&i.moved(&r, p).times(&a), &load));
        let mut carried = Articulated::new(&Inertia::zero());
        r.add_inertia(&Articulated::new(&i), p, &mut carried);
        prop_assert!(same(&carried.times(&a), &load));
        let c = Composite::<f64>::new(&i).to_parent(&r, p);
        let composite = Inertia { mass: c.mass, first: c.first, second: c.second };
        prop_assert!(same(&composite.times(&a), &load));
        prop_assert!((child.power(&i.times(&child)) - a.power(&load)).abs() < 1e-10 * (1.0 + load.force.norm() + load.moment.norm()));
    }

    #[test]
    fn newton_euler_is_the_rate_of_momentum(i in inertia(), omega in vector(), alpha in vector(), v in vector(), acc in vector()) {
        // Momentum about a fixed point that coincides with the origin, differentiated by a dual
        // number along time: the body turns with ω and its origin moves with v.
        let t = Dual8::variable(0.0, 0);
        let at = |x: Vec3<f64>, y: Vec3<f64>| Vec3([0, 1, 2].map(|k| t * y[k] + x[k]));
        let body = Quaternion([Dual8::constant(1.0), t * (omega[0] / 2.0), t * (omega[1] / 2.0), t * (omega[2] / 2.0)]);
        let r = Mat3(body.rotation_matrix());
        let w = at(omega, alpha);
        let momentum = i.times(&Twist::new(r.transpose_times(w), r.transpose_times(at(v, acc))));
        let (force, moment) = (r.times(momentum.force), r.times(momentum.moment));
        let d = |x: Vec3<Dual8>| Vec3(x.0.map(|c| c.derivative(0)));
        // The moment of momentum about the fixed point gains v × p as the origin moves on.
        let rate = Wrench::new(d(moment) + v.cross(force.value()), d(force));
        let mut load = Wrench::zero();
        i.newton_euler(&omega, &Twist::new(alpha, acc), &mut load);
        prop_assert!(same(&rate, &load), "{rate:?} {load:?}");
        let mut still = Wrench::zero();
        i.newton_euler(&omega, &Twist::zero(), &mut still);
        i.gyroscopic(&omega, &mut load);
        prop_assert!(same(&still, &load));
    }

    #[test]
    fn a_released_turn_has_shorter_formulas(i in inertia(), j in inertia(), r in rotation(), p in vector(), a in twist(), angle in -4.0..4.0f64) {
        let mut full = Articulated::new(&j);
        r.add_inertia(&Articulated::new(&i), p, &mut full);
        // Forces per motion, so that the inertias differ where motions tell them apart.
        full.mass = full.mass + Sym3([0.1, 0.2, 0.3, 0.05, 0.02, 0.01]);
        let k = 1.0 / full.inertia.0[1];
        let column = full.times(&Twist::new(Vec3::unit(1), Vec3::zero()));
        let (long, mut short) = (full.minus_outer(&column, k), full);
        short.release_turn::<1>(&k);
        let mut across = a;
        across.angular[1] = 0.0;
        let mut load = column;
        short.add_times_without_turn::<1>(&across, &mut load);
        prop_assert!(same(&(long.times(&across) + column), &load));
        let turn = AxisRotation::<_, 1>(angle.turn());
        let mut parents = [Articulated::new(&j); 2];
        turn.add_inertia(&long, p, &mut parents[0]);
        turn.add_released::<f64, 1>(&short, p, &mut parents[1]);
        prop_assert!(same(&parents[0].times(&a), &parents[1].times(&a)));
        parents = [Articulated::new(&j); 2];
        r.add_inertia(&long, p, &mut parents[0]);
        r.add_released::<f64, 1>(&short, p, &mut parents[1]);
        prop_assert!(same(&parents[0].times(&a), &parents[1].times(&a)));
        // All three turns: what remains does not resist them.
        let inverse = full.inertia.inverse();
        let mut rest = Articulated::new(&Inertia::zero());
        let mut released = full;
        released.release_turning(&inverse);
        rest.mass = released.mass;
        let x = inverse.times(full.coupling.times(a.linear));
        prop_assert!(same(&full.times(&Twist::new(-x, a.linear)), &rest.times(&a)));
        parents = [Articulated::new(&j); 2];
        parents[0].add_shifted(&rest, p);
        parents[1].add_mass(&rest.mass, p);
        prop_assert!(same(&parents[0].times(&a), &parents[1].times(&a)));
    }

    #[test]
    fn poses_compose(r in rotation(), s in rotation(), p in vector(), q in vector(), x in vector()) {
        let (a, b) = (Pose::new(r, p), Pose::new(s, q));
        prop_assert!(close(a.then(&b).point(x), a.point(b.point(x))));
        prop_assert!(close(a.inverse().point(a.point(x)), x));
    }

    #[test]
    fn symmetric_inverse(d in prop::array::uniform3(0.5..3.0f64), r in rotation(), x in vector()) {
        let s = Sym3([d[0], d[1], d[2], 0.0, 0.0, 0.0]).rotated(&r);
        prop_assert!(close(s.inverse().times(s.times(x)), x));
    }
}
