//! Force elements: loads, stored energy and power belong together.

use crate::stand::{Collected, Random, Run, Stand, close, hinge, node};
use holonom_algebra::{
    Dual4, Formula, Function, Generic, Inertia, Orientation, Plain, Pose, Real, Trace, Vec3,
};
use holonom_expression::Expression;
use holonom_multibody::Signal;
use holonom_multibody::elements::forces::ExpressionLaw;
use holonom_multibody::elements::forces::{
    Applied, ForceElement, JointSpring, SpringDamper, TorsionSpring, User,
};
use holonom_multibody::formalism::energy::force_power;
use holonom_multibody::tree::Attachment;
use holonom_multibody::tree::{NodeKind, Tree};
use std::sync::Arc;

fn loads_of<T: Real>(force: &ForceElement, stand: &Stand, run: &Run<T>) -> Collected<T> {
    let mut collected = Collected::new(&stand.tree);
    force.evaluate(&run.scene(&stand.tree), &mut collected.loads());
    collected
}

fn power(force: &ForceElement, stand: &Stand, run: &Run<f64>) -> f64 {
    let scene = run.scene(&stand.tree);
    let mut scratch = Collected::new(&stand.tree);
    let power = force_power(force, &scene, &mut scratch.loads());
    assert!(
        scratch
            .wrenches
            .iter()
            .all(|w| *w == holonom_algebra::Wrench::zero())
    );
    assert!(scratch.generalised.iter().all(|x| *x == 0.0));
    close(
        power,
        loads_of(force, stand, run).power(&scene),
        1e-12,
        "power by node",
    );
    power
}

/// Springs with the given damping.
fn springs(stand: &Stand, damping: f64, r: &mut Random) -> Vec<ForceElement> {
    let mut list = vec![];
    for (from, to) in [
        (node::ARM, node::TIP),
        (0, node::FREE),
        (node::SIDE, node::DRIVEN),
    ] {
        list.push(ForceElement::from(SpringDamper {
            from: r.attachment(from),
            to: r.attachment(to),
            stiffness: 30.0,
            damping,
            free_length: 0.4,
            preload: 3.0,
        }));
    }
    for turn in [node::LOW, node::SIDE] {
        let (from, to) = hinge(stand, turn, r);
        list.push(ForceElement::from(TorsionSpring {
            from,
            to,
            stiffness: 7.0,
            damping,
            free_angle: 0.4,
        }));
    }
    for node in [node::ARM, node::LOW, node::TIP] {
        list.push(ForceElement::from(JointSpring {
            coordinate: node,
            stiffness: 11.0,
            damping,
            free_position: -0.3,
            motor: Signal::constant(0.0),
        }));
    }
    list
}

#[test]
fn springs_pull_down_the_slope_of_their_energy() {
    for seed in 1..8 {
        let stand = Stand::new(seed);
        let mut r = Random::new(seed);
        for force in springs(&stand, 0.0, &mut r) {
            let shift = r.many(stand.tree.n_v);
            let run = stand.shifted(&shift);
            let energy = force.energy(&run.scene(&stand.tree)).unwrap();
            let moved = stand.with_velocities(&shift, false);
            let collected = loads_of(&force, &stand, &moved);
            let work = collected.power(&moved.scene(&stand.tree));
            close(work, -energy.derivative(0), 1e-12, &format!("{force:?}"));
        }
    }
}

#[test]
fn power_is_the_loss_of_energy_and_what_dampers_take() {
    for seed in 1..8 {
        let stand = Stand::new(seed);
        let damped = springs(&stand, 5.0, &mut Random::new(seed));
        for (undamped, damped) in springs(&stand, 0.0, &mut Random::new(seed)).iter().zip(&damped) {
            let energy = undamped.energy(&stand.dual().scene(&stand.tree)).unwrap();
            let run = stand.now();
            let given = power(undamped, &stand, &run);
            close(given, -energy.derivative(0), 1e-12, "no damping");
            let lost = given - power(damped, &stand, &run);
            let scene = run.scene(&stand.tree);
            let rate = match damped {
                ForceElement::SpringDamper(s) => {
                    let (a, b) = (scene.frame(&s.from), scene.frame(&s.to));
                    let d = b.origin - a.origin;
                    d.dot(b.velocity - a.velocity) / d.norm()
                }
                ForceElement::TorsionSpring(s) => scene.v[stand.tree.nodes[s.to.node].v],
                ForceElement::JointSpring(s) => scene.coordinate(s.coordinate)[1],
                _ => unreachable!(),
            };
            close(lost, 5.0 * rate * rate, 1e-11, "damping");
        }
    }
}

#[test]
fn a_spring_of_no_length_has_no_direction() {
    let mut tree = Tree::new(Vec3::zero());
    let body = tree.push(
        0,
        NodeKind::PrismaticX,
        Pose::identity(),
        0.0,
        None,
        Inertia::zero(),
    );
    let at = |node| Attachment {
        node,
        frame: Pose::identity(),
    };
    let spring = |free_length, preload| {
        ForceElement::from(SpringDamper {
            from: at(0),
            to: at(body),
            stiffness: 10.0,
            damping: 1.0,
            free_length,
            preload,
        })
    };
    for q in [0.0, 1e-300, 1e-170, 1e-150] {
        for force in [spring(0.0, 0.0), spring(0.5, 2.0)] {
            let x = Dual4::variable(q, 0);
            let v = Dual4::variable(1.0, 1);
            let run = Run::new(&tree, vec![x], vec![v], vec![], vec![], Dual4::zero());
            let mut collected = Collected::new(&tree);
            force.evaluate(&run.scene(&tree), &mut collected.loads());
            let f = collected.wrenches[body].force;
            assert!(
                f.value().0.iter().all(|f| f.is_finite() && f.abs() < 20.0),
                "{q}: {f:?}"
            );
            if q < 1e-160 {
                assert_eq!(f[0].value(), -10.0 * q);
                assert_eq!(f[0].derivative(0), -10.0);
                assert!(force.energy(&run.scene(&tree)).unwrap().is_finite());
            }
        }
    }
    // The tracing scalar sees the dependence even there.
    Trace::scope_at(&[0.0, 0.0], |x| {
        let run = Run::new(&tree, vec![x[0]], vec![x[1]], vec![], vec![], Trace::zero());
        let mut collected = Collected::new(&tree);
        spring(0.5, 2.0).evaluate(&run.scene(&tree), &mut collected.loads());
        let mut found: Vec<usize> = collected.wrenches[body].force[0].dependencies().collect();
        found.sort_unstable();
        assert_eq!(found, [0, 1]);
    });
}

#[test]
fn a_torsion_spring_knows_angles_within_half_a_turn() {
    let mut tree = Tree::new(Vec3::zero());
    let turn = tree.push(
        0,
        NodeKind::RevoluteZ,
        Pose::identity(),
        0.0,
        None,
        Inertia::zero(),
    );
    let at = |node| Attachment {
        node,
        frame: Pose::identity(),
    };
    let force = ForceElement::from(TorsionSpring {
        from: at(0),
        to: at(turn),
        stiffness: 2.0,
        damping: 0.5,
        free_angle: 0.25,
    });
    for angle in [-3.0, -1.0, 0.0, 0.25, 2.0, 3.1] {
        for turns in -2..=2 {
            let q = angle + turns as f64 * core::f64::consts::TAU;
            let run = Run::new(&tree, vec![q], vec![3.0], vec![], vec![], 0.0);
            let mut collected = Collected::new(&tree);
            force.evaluate(&run.scene(&tree), &mut collected.loads());
            let torque = collected.wrenches[turn].moment;
            close(torque[2], -2.0 * (angle - 0.25) - 1.5, 1e-12, "torque");
            assert_eq!(collected.wrenches[0].moment, -torque);
        }
    }
}

#[test]
fn a_torsion_spring_seen_end_on_is_finite() {
    let mut tree = Tree::new(Vec3::zero());
    let turn = tree.push(
        0,
        NodeKind::RevoluteX,
        Pose::identity(),
        0.0,
        None,
        Inertia::zero(),
    );
    // x of the second frame along z of the first.
    let edge = holonom_algebra::Mat3([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    let force = ForceElement::from(TorsionSpring {
        from: Attachment {
            node: 0,
            frame: Pose::identity(),
        },
        to: Attachment {
            node: turn,
            frame: Pose::new(edge, Vec3::zero()),
        },
        stiffness: 2.0,
        damping: 0.5,
        free_angle: 0.25,
    });
    let run = Run::new(
        &tree,
        vec![Dual4::variable(0.0, 0)],
        vec![Dual4::zero()],
        vec![],
        vec![],
        Dual4::zero(),
    );
    let mut collected = Collected::new(&tree);
    force.evaluate(&run.scene(&tree), &mut collected.loads());
    assert!(collected.wrenches[turn].moment.0.iter().all(|x| x.is_finite()));
    assert_eq!(collected.wrenches[turn].moment[2].value(), 0.5);
}

#[test]
fn an_applied_load_may_follow_its_frame() {
    let stand = Stand::new(3);
    let mut r = Random::new(9);
    let frame = r.attachment(node::TIP);
    let signal = |x| Signal::linear(x, 0.5);
    for follower in [false, true] {
        let force = ForceElement::from(Applied {
            frame,
            force: [1.0, -2.0, 3.0].map(signal),
            torque: [0.1, 0.2, -0.3].map(signal),
            follower,
        });
        let run = stand.now();
        let scene = run.scene(&stand.tree);
        let state = scene.frame(&frame);
        let turn = |v: [f64; 3]| {
            let v = Vec3(v.map(|x| x + 0.5 * stand.t));
            if follower { state.axes.times(v) } else { v }
        };
        let (f, m) = (turn([1.0, -2.0, 3.0]), turn([0.1, 0.2, -0.3]));
        let expected = f.dot(state.velocity) + m.dot(state.omega);
        close(power(&force, &stand, &run), expected, 1e-13, "power");
        assert!(force.energy(&scene).is_none());
    }
}

#[test]
fn a_motor_acts_on_its_coordinate() {
    let stand = Stand::new(4);
    let run = stand.now();
    for (node, free) in [(node::ARM, true), (node::DRIVEN, false)] {
        let motor = ForceElement::from(JointSpring {
            coordinate: node,
            stiffness: 0.0,
            damping: 0.0,
            free_position: 0.0,
            motor: Signal::linear(1.0, 2.0),
        });
        let collected = loads_of(&motor, &stand, &run);
        let mut expected = vec![0.0; stand.tree.n_v];
        if free {
            expected[stand.tree.nodes[node].v] = 1.0 + 2.0 * stand.t;
        }
        assert_eq!(collected.generalised, expected);
    }
}

/// A nonlinear bushing; also what [`SpringDamper`] does, written by a user.
struct Bushing;

impl Formula for Bushing {
    fn inputs(&self) -> usize {
        User::INPUTS
    }
    fn outputs(&self) -> usize {
        User::OUTPUTS
    }
    fn evaluate<T: Real>(&self, x: &[T], y: &mut [T]) {
        for k in 0..3 {
            y[k] = -(x[1 + k] * 20.0 + x[1 + k].powi(3) * 5.0 + x[13 + k] * 2.0) + x[0].sin();
            y[3 + k] = x[4 + 4 * k].sin() * x[5 + k] - x[16 + k] * x[16 + k].abs() * 0.7;
        }
    }
}

fn user(law: impl Function + 'static, from: Attachment, to: Attachment) -> ForceElement {
    ForceElement::from(User {
        from,
        to,
        law: Arc::new(law),
        switched: None,
    })
}

#[test]
fn a_plain_law_is_as_good_as_a_generic_one() {
    for seed in 1..5 {
        let stand = Stand::new(seed);
        let mut r = Random::new(seed);
        let (from, to) = (r.attachment(node::ARM), r.attachment(node::TIP));
        let exact = user(Generic::new(Bushing).unwrap(), from, to);
        let law = |x: &[f64], y: &mut [f64]| Bushing.evaluate(x, y);
        let plain = user(Plain::new(User::INPUTS, User::OUTPUTS, law).unwrap(), from, to);
        let run = stand.dual();
        let (a, b) = (loads_of(&exact, &stand, &run), loads_of(&plain, &stand, &run));
        for (a, b) in a.wrenches.iter().zip(&b.wrenches) {
            for (a, b) in [(a.force, b.force), (a.moment, b.moment)] {
                for k in 0..3 {
                    assert_eq!(a[k].value(), b[k].value());
                    close(b[k].derivative(0), a[k].derivative(0), 1e-7, "derivative");
                }
            }
        }
        // Derivatives along the motion against differences of values.
        let h = 1e-6;
        let (ahead, behind) = (
            loads_of(&exact, &stand, &stand.later(h)),
            loads_of(&exact, &stand, &stand.later(-h)),
        );
        for i in [node::ARM, node::TIP] {
            for k in 0..3 {
                let slope = (ahead.wrenches[i].moment[k] - behind.wrenches[i].moment[k]) / (2.0 * h);
                close(a.wrenches[i].moment[k].derivative(0), slope, 1e-6, "difference");
            }
        }
    }
}

#[test]
fn a_law_of_expressions_is_as_good_as_a_written_one() {
    let scope = ExpressionLaw::scope();
    let bind = |text: String| Expression::parse(&text, &scope, None).unwrap();
    let names = ExpressionLaw::VARIABLES;
    let force = [0, 1, 2].map(|k| {
        let (x, v) = (names[1 + k], names[13 + k]);
        bind(format!("-(20*{x} + 5*{x}^3 + 2*{v}) + sin(t)"))
    });
    let torque = [0, 1, 2].map(|k| {
        let (r, s, w) = (names[4 + 4 * k], names[5 + k], names[16 + k]);
        bind(format!("sin({r})*{s} - {w}*abs({w})*0.7"))
    });
    let law = || Generic::new(ExpressionLaw::new(force.clone(), torque.clone()).unwrap()).unwrap();
    for seed in 1..5 {
        let stand = Stand::new(seed);
        let mut r = Random::new(seed);
        let (from, to) = (r.attachment(node::ARM), r.attachment(node::TIP));
        let exact = user(Generic::new(Bushing).unwrap(), from, to);
        let read = user(law(), from, to);
        let run = stand.dual();
        let (a, b) = (loads_of(&exact, &stand, &run), loads_of(&read, &stand, &run));
        for (a, b) in a.wrenches.iter().zip(&b.wrenches) {
            for (a, b) in [(a.force, b.force), (a.moment, b.moment)] {
                for k in 0..3 {
                    close(b[k].value(), a[k].value(), 1e-13, "value");
                    close(b[k].derivative(0), a[k].derivative(0), 1e-13, "derivative");
                }
            }
        }
    }
}

/// Outputs inputs `force..force + 3` as force and `torque..torque + 3` as torque.
fn passing(force: usize, torque: usize, from: Attachment, to: Attachment) -> ForceElement {
    let law = move |x: &[f64], y: &mut [f64]| {
        y[..3].copy_from_slice(&x[force..force + 3]);
        y[3..].copy_from_slice(&x[torque..torque + 3]);
    };
    user(Plain::new(User::INPUTS, User::OUTPUTS, law).unwrap(), from, to)
}

#[test]
fn the_inputs_of_a_law_are_what_they_are_said_to_be() {
    let stand = Stand::new(5);
    let mut r = Random::new(5);
    let (from, to) = (r.attachment(node::ARM), r.attachment(node::TIP));
    let run = stand.now();
    let scene = run.scene(&stand.tree);
    let (a, b) = (scene.frame(&from), scene.frame(&to));
    // Position and its derivative, seen from the first frame.
    let seen = {
        let run = stand.dual();
        let scene = run.scene(&stand.tree);
        let (a, b) = (scene.frame(&from), scene.frame(&to));
        a.axes.transpose_times(b.origin - a.origin)
    };
    let rate = Vec3(seen.0.map(|x| x.derivative(0)));
    let force = |first: usize| {
        let collected = loads_of(&passing(first, 16, from, to), &stand, &run);
        let (on, off) = (collected.wrenches[node::TIP], collected.wrenches[node::ARM]);
        assert!((on.force + off.force).norm() < 1e-13);
        // The law has no work on common motion, and the rest is that of the relative motion.
        let moment = on.moment - b.arm.cross(on.force);
        let w = b.omega - a.omega;
        assert!((moment - w).norm() < 1e-12, "{moment:?} {w:?}");
        let relative = on.force.dot(a.axes.times(rate)) + moment.dot(w);
        close(collected.power(&scene), relative, 1e-12, "power");
        a.axes.transpose_times(on.force)
    };
    let near = |x: Vec3<f64>, y: Vec3<f64>| assert!((x - y).norm() < 1e-12, "{x:?} {y:?}");
    near(force(1), seen.value());
    near(force(13), rate);
    near(force(16), a.axes.transpose_times(b.omega - a.omega));
    let rotation = a.axes.transpose().matrix(&b.axes);
    for k in 0..3 {
        near(force(4 + 3 * k), Vec3(rotation.0[k]));
    }
    // Two frames on one node do not move relative to each other.
    let same = passing(13, 16, r.attachment(node::TIP), to);
    assert!(loads_of(&same, &stand, &run).wrenches[node::TIP].force.norm() < 1e-13);
}
