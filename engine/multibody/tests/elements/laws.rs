//! Values and limits of single force elements, on a body with the freedom that shows them.

use crate::stand::{Collected, Run, close};
use holonom_algebra::{Dual4, Inertia, Mat3, Pose, Quaternion, Real, Vec3, Wrench};
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
use holonom_expression::{Expression, ScalarLaw, Scope};
use holonom_multibody::Signal;
use holonom_multibody::elements::forces::*;
use holonom_multibody::elements::references::{Attached, Prepare};
use holonom_multibody::tree::Attachment;
use holonom_multibody::tree::{NodeKind, Tree};

fn tree(kinds: &[NodeKind]) -> (Tree, usize) {
    let mut tree = Tree::new(Vec3::zero());
    let mut node = 0;
    for kind in kinds {
        node = tree.push(node, *kind, Pose::identity(), 0.0, None, Inertia::zero());
    }
    (tree, node)
}

fn at(node: usize) -> Attachment {
    Attachment {
        node,
        frame: Pose::identity(),
    }
}

const CARDAN: [NodeKind; 6] = [
    NodeKind::PrismaticX,
    NodeKind::PrismaticY,
    NodeKind::PrismaticZ,
    NodeKind::RevoluteX,
    NodeKind::RevoluteY,
    NodeKind::RevoluteZ,
];

/// The load on the last node.
fn load<T: Real>(element: &ForceElement, (tree, node): &(Tree, usize), q: &[T], v: &[T]) -> Wrench<T> {
    let run = Run::new(tree, q.to_vec(), v.to_vec(), vec![], vec![], T::constant(0.5));
    let mut collected = Collected::new(tree);
    element.evaluate(&run.scene(tree), &mut collected.loads());
    collected.wrenches[*node]
}

/// The generalised force on the first coordinate.
fn on_coordinate<T: Real>(element: &ForceElement, (tree, _): &(Tree, usize), q: T, v: T) -> T {
    let run = Run::new(tree, vec![q], vec![v], vec![], vec![], T::constant(0.5));
    let mut collected = Collected::new(tree);
    element.evaluate(&run.scene(tree), &mut collected.loads());
    collected.generalised[0]
}

fn energy(element: &ForceElement, (tree, _): &(Tree, usize), q: &[f64]) -> f64 {
    let v = vec![0.0; q.len()];
    let run = Run::new(tree, q.to_vec(), v, vec![], vec![], 0.0);
    element.energy(&run.scene(tree)).unwrap()
}

fn law(text: &str, variable: &str) -> Expression {
    Expression::parse(text, &Scope::new().variable(variable), None).unwrap()
}

#[test]
fn a_table_gives_its_tension_and_its_energy() {
    let stand = tree(&[NodeKind::PrismaticX]);
    let (x, y) = (vec![-1.0, 0.0, 0.5, 2.0], vec![-4.0, 0.0, 3.0, 5.0]);
    let curve = Curve::new("f", x, y, Interpolation::Linear, Extrapolation::Hold).unwrap();
    let law = SpringLaw {
        spring: ScalarLaw::from(curve).over("x"),
        damper: law("2*v", "v"),
        free: 1.0,
    };
    let spring = ForceElement::from(NonlinearSpring::<Attached> {
        from: at(0),
        to: at(stand.1),
        law: law.prepare().unwrap(),
    });
    for (q, tension, stored) in [
        (1.0, 0.0, 0.0),
        (1.25, 1.5, 0.1875),
        (2.0, 3.0 + 2.0 / 3.0, 0.75 + 0.5 * (3.0 + 11.0 / 3.0) * 0.5),
        (0.5, -2.0, 0.5),
        // Held outside the table.
        (4.0, 5.0, 0.75 + 6.0 + 5.0),
    ] {
        close(
            load(&spring, &stand, &[q], &[0.0]).force[0],
            -tension,
            1e-14,
            "tension",
        );
        close(
            load(&spring, &stand, &[q], &[0.3]).force[0],
            -tension - 0.6,
            1e-14,
            "damper",
        );
        close(energy(&spring, &stand, &[q]), stored, 1e-14, "energy");
    }
}

#[test]
fn a_curved_spring_without_length_has_its_slope() {
    let stand = tree(&CARDAN);
    let law = SpringLaw {
        spring: law("7*x + 3*x^2", "x"),
        ..SpringLaw::default()
    };
    let spring = ForceElement::from(NonlinearSpring::<Attached> {
        from: at(0),
        to: at(stand.1),
        law: law.prepare().unwrap(),
    });
    let mut q = [Dual4::zero(); 6];
    for k in 0..3 {
        q[k] = Dual4::variable(0.0, k);
    }
    let force = load(&spring, &stand, &q, &[Dual4::zero(); 6]).force;
    for i in 0..3 {
        for j in 0..3 {
            assert_eq!(force[i].derivative(j), if i == j { -7.0 } else { 0.0 });
        }
    }
}

#[test]
fn a_bushing_turns_back_about_the_axis_of_its_rotation() {
    let stand = tree(&[NodeKind::Ball]);
    let law = BushingLaw::diagonal([0.0, 0.0, 0.0, 5.0, 5.0, 5.0], [0.0, 0.0, 0.0, 2.0, 2.0, 2.0]);
    let bushing = ForceElement::from(Bushing::<Attached> {
        from: at(0),
        to: at(stand.1),
        law: Box::new(law.clone()).prepare().unwrap(),
    });
    let axis = Vec3([2.0, -1.0, 2.0]).scale(1.0 / 3.0);
    for angle in [0.0, 1e-9, 1e-3, 0.19, 0.21, 0.49, 0.51, 1.0, 2.5, 3.1] {
        let e = Quaternion::from_axis_angle(axis.0, angle).0;
        let turning = axis.scale(0.3);
        // Spinning about the axis, the same in both frames.
        let moment = load(&bushing, &stand, &e, &turning.0).moment;
        let expected = axis.scale(-5.0 * angle - 0.6);
        assert!(
            (moment - expected).norm() < 1e-12 * (1.0 + 5.0 * angle),
            "{angle}: {moment:?}"
        );
        close(
            energy(&bushing, &stand, &e[..]),
            2.5 * angle * angle,
            1e-13,
            "energy",
        );
    }
}

#[test]
fn a_stiffness_matrix_is_the_derivative_of_the_loads() {
    let stand = tree(&CARDAN);
    let mut law = BushingLaw::default();
    for i in 0..6 {
        for j in 0..=i {
            let k = 10.0 * f64::from(i as u32 == j as u32) + 0.3 * (i + 2 * j) as f64;
            (law.stiffness[i][j], law.stiffness[j][i]) = (k, k);
        }
    }
    let bushing = ForceElement::from(Bushing::<Attached> {
        from: at(0),
        to: at(stand.1),
        law: Box::new(law.clone()).prepare().unwrap(),
    });
    for j in 0..6 {
        let mut q = [Dual4::zero(); 6];
        q[j] = Dual4::variable(0.0, 0);
        let load = load(&bushing, &stand, &q, &[Dual4::zero(); 6]);
        for i in 0..3 {
            close(load.force[i].derivative(0), -law.stiffness[i][j], 1e-14, "force");
            close(
                load.moment[i].derivative(0),
                -law.stiffness[i + 3][j],
                1e-14,
                "moment",
            );
        }
    }
}

#[test]
fn an_air_spring_carries_its_static_load_with_the_stiffness_of_its_gas() {
    let stand = tree(&[NodeKind::PrismaticX]);
    for exponent in [1.0, 1.38] {
        let law = GasLaw {
            height: 0.2,
            volume: 0.008,
            area: ScalarLaw::from(0.04).over("x"),
            load: 20e3,
            exponent,
            ..GasLaw::default()
        };
        let spring = ForceElement::from(AirSpring::<Attached> {
            from: at(0),
            to: at(stand.1),
            law: law.prepare().unwrap(),
        });
        let force = load(&spring, &stand, &[Dual4::variable(0.2, 0)], &[Dual4::zero()]).force[0];
        close(force.value(), 20e3, 1e-13, "load");
        // dF/dℓ = −n p₀ A²/V₀.
        let pressure = 101_325.0 + 20e3 / 0.04;
        close(
            force.derivative(0),
            -exponent * pressure * 0.0016 / 0.008,
            1e-13,
            "stiffness",
        );
        // Half the volume.
        let force = load(&spring, &stand, &[0.1], &[0.0]).force[0];
        let expected = (pressure * 2f64.powf(exponent) - 101_325.0) * 0.04;
        close(force, expected, 1e-13, "half the volume");
        // No volume is left at zero: beyond a hundredth the force grows along the tangent.
        let forces: Vec<f64> = (1..200)
            .map(|k| load(&spring, &stand, &[0.004 - 2e-5 * f64::from(k)], &[0.0]).force[0])
            .collect();
        assert!(forces.windows(2).all(|f| f[1] > f[0] && f[1].is_finite()));
    }
    // A given pressure is as good as the load that belongs to it.
    let law = GasLaw {
        height: 0.2,
        volume: 0.008,
        area: law("0.04 + 0.1*x", "x"),
        pressure: 6e5,
        ..GasLaw::default()
    };
    let spring = ForceElement::from(AirSpring::<Attached> {
        from: at(0),
        to: at(stand.1),
        law: law.prepare().unwrap(),
    });
    let force = load(&spring, &stand, &[0.2], &[0.0]).force[0];
    close(force, (6e5 - 101_325.0) * 0.04, 1e-13, "pressure");
    let force = load(&spring, &stand, &[0.25], &[0.0]).force[0];
    let volume: f64 = 0.008 + 0.04 * 0.05 + 0.05 * 0.05 * 0.05;
    let pressure = 6e5 * (0.008 / volume).powf(1.38);
    close(force, (pressure - 101_325.0) * 0.045, 1e-13, "growing area");
}

#[test]
fn stops_push_back_softly_and_never_pull() {
    let stand = tree(&[NodeKind::PrismaticX]);
    let law = StopLaw {
        stiffness: 1000.0,
        damping: 40.0,
        onset: 0.02,
    };
    let ends = ForceElement::from(JointStop {
        coordinate: 1,
        lower: -0.1,
        upper: 0.2,
        law,
    });
    let force = |q: f64, v: f64| on_coordinate(&ends, &stand, q, v);
    assert_eq!(force(0.05, 3.0), 0.0);
    close(force(0.25, 0.0), -1000.0 * (0.05 - 0.01), 1e-13, "upper");
    close(force(-0.15, 0.0), 1000.0 * (0.05 - 0.01), 1e-13, "lower");
    close(force(0.25, 0.5), -40.0 - 20.0, 1e-13, "damping");
    let (mut before, h) = (Dual4::zero(), 1e-4);
    for k in 0..2000 {
        let q = Dual4::variable(0.15 + h * f64::from(k), 0);
        for v in [0.0, -0.3, 5.0, -5.0] {
            let f = on_coordinate(&ends, &stand, q, Dual4::variable(v, 1));
            assert!(f.is_finite() && f.value() <= 0.0);
            if v == 0.0 {
                // Neither the force nor its slope jumps: the second derivative is below 1.5 k/w.
                assert!((f.value() - before.value()).abs() <= 1000.0 * h * 1.001);
                assert!((f.derivative(0) - before.derivative(0)).abs() <= 1.5 * 1000.0 / 0.02 * h * 1.001);
                before = f;
            }
        }
    }
    let bump = |rebound| {
        ForceElement::from(BumpStop {
            from: at(0),
            to: at(1),
            length: 0.5,
            rebound,
            law,
        })
    };
    let (push, pull) = (bump(false), bump(true));
    close(load(&push, &stand, &[0.4], &[0.0]).force[0], 90.0, 1e-13, "bump");
    close(
        load(&pull, &stand, &[0.6], &[0.0]).force[0],
        -90.0,
        1e-13,
        "rebound",
    );
    assert_eq!(load(&push, &stand, &[0.6], &[1.0]).force[0], 0.0);
    assert_eq!(load(&pull, &stand, &[0.4], &[1.0]).force[0], 0.0);
}

fn contact() -> ContactLaw {
    ContactLaw {
        stiffness: 2000.0,
        dissipation: 0.5,
        friction: 0.3,
        slip_speed: 0.01,
        ..ContactLaw::default()
    }
}

fn on_plane(shape: Shape, node: usize) -> ForceElement {
    ForceElement::from(PlaneContact {
        plane: at(0),
        body: at(node),
        shape,
        law: contact(),
    })
}

#[test]
fn a_sphere_presses_slides_and_lifts_off() {
    let stand = tree(&CARDAN);
    let sphere = on_plane(Shape::sphere(0.2), stand.1);
    let force =
        |height: f64, v: [f64; 6]| load(&sphere, &stand, &[0.4, 0.7, height, 0.1, 0.2, 0.3], &v).force;
    let k = 2000.0 * 0.01f64.powf(1.5);
    let still = force(0.19, [0.0; 6]);
    assert!((still - Vec3([0.0, 0.0, k])).norm() < 1e-13);
    // Hunt and Crossley.
    let down = force(0.19, [0.0, 0.0, -0.4, 0.0, 0.0, 0.0])[2];
    close(down, k * (1.0 + 1.5 * 0.5 * 0.4), 1e-13, "approach");
    // It never pulls, however fast it leaves.
    for speed in [0.1, 0.5, 1.0, 1.9, 2.1, 1e3] {
        let up = force(0.19, [0.0, 0.0, speed, 0.0, 0.0, 0.0])[2];
        assert!((0.0..k).contains(&up), "{speed}: {up}");
    }
    assert_eq!(force(0.2, [1.0; 6]), Vec3::zero());
    assert_eq!(force(0.3, [1.0; 6]), Vec3::zero());
    // Friction against the sliding, at most μ times the normal force.
    let slide = force(0.19, [3.0, -4.0, 0.0, 0.0, 0.0, 0.0]);
    assert!((slide - Vec3([-0.18 * k, 0.24 * k, k])).norm() < 1e-5 * k);
    let creep = force(0.19, [1e-5, 0.0, 0.0, 0.0, 0.0, 0.0]);
    close(creep[0], -0.3 * k * 1e-3, 1e-6, "creep");
    // Rolling has no friction: v = ω r about y.
    let (flat, roll) = (
        [0.4, 0.7, 0.19, 0.0, 0.0, 0.0],
        [0.2 * 5.0, 0.0, 0.0, 0.0, 5.0, 0.0],
    );
    assert!(load(&sphere, &stand, &flat, &roll).force[0].abs() < 1e-13);
}

#[test]
fn cylinders_and_boxes_rest_on_what_is_lowest() {
    let stand = tree(&CARDAN);
    let point = |depth: f64| 2000.0 * depth.powf(1.5);
    // Lying: both rims carry.
    let lying = [0.0, 0.0, 0.19, core::f64::consts::FRAC_PI_2, 0.0, 0.0];
    let cylinder = on_plane(Shape::cylinder(0.2, 0.6), stand.1);
    let load_lying = load(&cylinder, &stand, &lying, &[0.0; 6]);
    close(load_lying.force[2], 2.0 * point(0.01), 1e-12, "lying");
    assert!(load_lying.moment.norm() < 1e-12);
    // Standing: the middle of the lower face.
    let standing = load(&cylinder, &stand, &[0.0, 0.0, 0.29, 0.0, 0.0, 0.0], &[0.0; 6]);
    close(standing.force[2], point(0.01), 1e-12, "standing");
    assert!(standing.moment.norm() < 1e-12);
    // Tilted by more than the rounding the rim carries and sets it upright.
    let tilted = load(&cylinder, &stand, &[0.0, 0.0, 0.29, 0.02, 0.0, 0.0], &[0.0; 6]);
    assert!(tilted.moment[0] < -0.15 * tilted.force[2], "{tilted:?}");
    let disc = on_plane(Shape::cylinder(0.2, 0.0), stand.1);
    close(
        load(&disc, &stand, &lying, &[0.0; 6]).force[2],
        point(0.01),
        1e-3,
        "disc",
    );
    // A flat box on four corners, a tilted one on one edge.
    let cuboid = on_plane(Shape::cuboid([0.4, 0.6, 0.2]), stand.1);
    let flat = load(&cuboid, &stand, &[0.3, 0.0, 0.095, 0.0, 0.0, 0.8], &[0.0; 6]);
    close(flat.force[2], 4.0 * point(0.005), 1e-12, "flat");
    assert!(flat.moment.norm() < 1e-12);
    let edge = load(&cuboid, &stand, &[0.0, 0.0, 0.12, 0.2, 0.0, 0.0], &[0.0; 6]);
    let depth = 0.3 * 0.2f64.sin() + 0.1 * 0.2f64.cos() - 0.12;
    close(edge.force[2], 2.0 * point(depth), 1e-12, "edge");
    assert!(edge.moment[0] < 0.0);
}

#[test]
fn spheres_and_cylinders_press_along_their_common_normal() {
    let stand = tree(&CARDAN);
    let spheres = ForceElement::from(SphereContact {
        from: at(0),
        to: at(stand.1),
        radii: [0.3, 0.2],
        law: contact(),
    });
    let q = [0.0, 0.28, 0.39, 0.4, 0.1, 0.2];
    let distance = 0.28f64.hypot(0.39);
    let force = load(&spheres, &stand, &q, &[0.0; 6]).force;
    let expected = 2000.0 * (0.5 - distance).powf(1.5);
    let direction = Vec3([0.0, 0.28, 0.39]).scale(1.0 / distance);
    assert!((force - direction.scale(expected)).norm() < 1e-12);
    let cylinders = |cylinders| {
        ForceElement::from(CylinderContact {
            from: at(0),
            to: at(stand.1),
            cylinders,
            law: contact(),
        })
    };
    // Axes along z and, turned about x by a right angle, along −y; 0.48 apart along x. The second
    // one is shifted along both.
    let crossed = cylinders(Cylinders::crossed([0.3, 0.2]));
    let q = [0.48, 0.4, -0.7, core::f64::consts::FRAC_PI_2, 0.0, 0.0];
    let load_crossed = load(&crossed, &stand, &q, &[0.0; 6]);
    close(
        load_crossed.force[0],
        2000.0 * 0.02f64.powf(1.5),
        1e-10,
        "crossed",
    );
    // The force acts where the axes are closest: 0.4 along y from the second origin.
    assert!((load_crossed.moment - Vec3([0.0, 0.0, 0.4 * load_crossed.force[0]])).norm() < 1e-12);
    // Parallel axes: both ends of the second one.
    let parallel = cylinders(Cylinders::parallel([0.3, 0.2], 0.8));
    let load_parallel = load(&parallel, &stand, &[0.0, 0.49, 3.0, 0.0, 0.0, 0.0], &[0.0; 6]);
    close(
        load_parallel.force[1],
        2.0 * 2000.0 * 0.01f64.powf(1.5),
        1e-10,
        "parallel",
    );
    assert!(load_parallel.moment.norm() < 1e-12);
    // Axes that do not cross have no common normal.
    let none = load(&crossed, &stand, &[0.48, 0.0, 0.0, 0.0, 0.0, 0.0], &[1.0; 6]);
    assert_eq!(none.force, Vec3::zero());
}

#[test]
fn an_anti_roll_bar_answers_to_roll_and_not_to_heave() {
    let mut tree = Tree::new(Vec3::zero());
    let left = tree.push(
        0,
        NodeKind::PrismaticZ,
        Pose::identity(),
        0.0,
        None,
        Inertia::zero(),
    );
    let right = tree.push(
        0,
        NodeKind::PrismaticZ,
        Pose::identity(),
        0.0,
        None,
        Inertia::zero(),
    );
    let place = |node, y: f64| Attachment {
        node,
        frame: Pose::new(Mat3::identity(), Vec3([0.1, y, 0.0])),
    };
    let law = AntiRollLaw {
        stiffness: 900.0,
        damping: 0.0,
        lever: 0.3,
        free_twist: 0.0,
    };
    let bar = ForceElement::from(AntiRollBar {
        bar: at(0),
        left: place(left, 0.7),
        right: place(right, -0.7),
        law,
    });
    let joints = ForceElement::from(JointAntiRollBar {
        left,
        right,
        law: JointAntiRollLaw {
            stiffness: 900.0,
            ratios: [1.0 / 0.3; 2],
            ..JointAntiRollLaw::default()
        },
    });
    for (q, force) in [([0.05, 0.05], 0.0), ([0.02, -0.01], 900.0 * 0.03 / 0.09)] {
        let run = Run::new(&tree, q.to_vec(), vec![0.0; 2], vec![], vec![], 0.0);
        let mut collected = Collected::new(&tree);
        bar.evaluate(&run.scene(&tree), &mut collected.loads());
        close(collected.wrenches[left].force[2], -force, 1e-12, "left");
        close(collected.wrenches[right].force[2], force, 1e-12, "right");
        // The body that carries the bar feels a torque against roll.
        close(collected.wrenches[0].moment[0], 1.4 * force, 1e-12, "roll");
        // The same on the coordinates.
        joints.evaluate(&run.scene(&tree), &mut collected.loads());
        close(collected.generalised[0], -force, 1e-12, "left");
        close(collected.generalised[1], force, 1e-12, "right");
    }
}

#[test]
fn drives_give_what_is_asked_up_to_their_limit() {
    let stand = tree(&[NodeKind::PrismaticX]);
    let actuator = ForceElement::from(Actuator {
        from: at(0),
        to: at(1),
        force: Signal::linear(1.0, 4.0),
        torque: Signal::constant(0.7),
    });
    let loads = load(&actuator, &stand, &[-2.0], &[0.0]);
    assert_eq!(
        (loads.force, loads.moment),
        (Vec3([-3.0, 0.0, 0.0]), Vec3([0.0, 0.0, 0.7]))
    );
    let servo = |limit| {
        ForceElement::from(Servo {
            coordinate: 1,
            target: Signal::linear(0.0, 2.0),
            law: ServoLaw {
                stiffness: 50.0,
                damping: 3.0,
                limit,
            },
        })
    };
    let free = |q, v| on_coordinate(&servo(f64::INFINITY), &stand, q, v);
    close(free(0.6, 1.5), 50.0 * 0.4 + 3.0 * 0.5, 1e-14, "unlimited");
    let limited = |q: f64| on_coordinate(&servo(10.0), &stand, q, 2.0);
    assert!(limited(-50.0) <= 10.0 && limited(-50.0) > 9.999);
    assert!(limited(50.0) >= -10.0 && limited(50.0) < -9.999);
    close(limited(0.9999), 50.0 * 1e-4, 1e-6, "small");
}
