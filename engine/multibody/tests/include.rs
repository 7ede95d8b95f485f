//! Parts in mechanisms: placed, named, mirrored.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom_algebra::{Formula, Generic, Mat3, Pose, Quaternion, Real, Vec3};
use holonom_expression::{Expression, Scope};
use holonom_multibody::description::{
    Axis, Body, Carcass, Constraint, Control, Coordinate, CoordinateRef, Description, Force, ForceKind,
    Frame, Joint, JointKind, Mount, Road, Rod, frame,
};
use holonom_multibody::elements::forces::ExpressionLaw;
use holonom_multibody::elements::forces::{
    self, AntiRollLaw, Applied, CableLaw, ContactLaw, Cylinders, JointSpring, ServoLaw, StopLaw,
};
use holonom_multibody::include::Placement;
use holonom_multibody::kinematics::world::WorldNode;
use holonom_multibody::road::Flat;
use holonom_multibody::start::{Assembled, AssemblyError, AssemblyOptions};
use holonom_multibody::tyre::Linear;
use holonom_multibody::workspace::Workspace;
use holonom_multibody::{Model, Signal};
use holonom_testing::with_numbers;
use holonom_testing::{PLANE_CONTACT, Random, between, description};
use std::sync::Arc;

/// Pose, velocity, angular velocity and their derivatives of a body's frame, in ground axes.
#[derive(Clone, Copy, Debug)]
struct Motion {
    pose: Frame,
    rates: [Vec3<f64>; 4],
}

fn assemble(description: &Description) -> Result<Assembled, AssemblyError> {
    let model = description.compile().unwrap_or_else(|errors| panic!("{errors}"));
    Arc::new(model).assemble(&later())
}

/// A little later than the start, so that signals move.
fn later() -> AssemblyOptions {
    AssemblyOptions {
        time: 0.1,
        ..Default::default()
    }
}

/// Assembles the image of a mechanism from the state of the original, with the signs that the
/// start values have got. Where a mechanism settles on its way from rough values is then the same.
fn assemble_like(original: &Assembled, image: &Description) -> Assembled {
    let model = image.compile().unwrap_or_else(|errors| panic!("{errors}"));
    let with_signs = |values: &[f64], from: &[f64], to: &[f64]| {
        assert_eq!((values.len(), from.len()), (from.len(), to.len()));
        let signs = from.iter().zip(to).map(|(a, b)| {
            assert!((a.abs() - b.abs()).abs() < 1e-15, "{a} and {b}");
            if a * b < 0.0 { -1.0 } else { 1.0 }
        });
        Some(values.iter().zip(signs).map(|(x, sign)| x * sign).collect())
    };
    let options = AssemblyOptions {
        positions: with_signs(&original.q, &original.model.q0, &model.q0),
        velocities: with_signs(&original.v, &original.model.v0, &model.v0),
        ..later()
    };
    let start = Arc::new(model).assemble(&options);
    start.unwrap_or_else(|e| panic!("{}: {e}", image.name))
}

fn motions(start: &Assembled) -> Vec<Motion> {
    let model: &Model = &start.model;
    let mut w = Workspace::new(model);
    w.moving(model, start.t, &start.q, &start.v);
    w.set_accelerations(model, Some(&start.a));
    let motion = |node: &WorldNode<f64>, frame: &Frame| {
        let pose = Pose::new(node.rotation, node.position).then(frame);
        let arm = pose.position - node.position;
        let turning = node.omega.cross(arm);
        let rates = [
            node.velocity + turning,
            node.omega,
            node.acceleration + node.alpha.cross(arm) + node.omega.cross(turning),
            node.alpha,
        ];
        Motion { pose, rates }
    };
    let bodies = model.bodies.iter();
    bodies.map(|b| motion(&w.known.world[b.node], &b.frame)).collect()
}

/// The image of a motion in the plane at a right angle to an axis of the ground.
fn image(motion: &Motion, axis: Axis) -> Motion {
    let s = |k: usize| if k == axis.index() { -1.0 } else { 1.0 };
    let polar = |x: Vec3<f64>| Vec3([0, 1, 2].map(|k| s(k) * x.0[k]));
    let r = &motion.pose.rotation.0;
    let rotation = [0, 1, 2].map(|i| [0, 1, 2].map(|j| s(i) * s(j) * r[i][j]));
    let [v, omega, a, alpha] = motion.rates;
    Motion {
        pose: Pose::new(Mat3(rotation), polar(motion.pose.position)),
        rates: [polar(v), -polar(omega), polar(a), -polar(alpha)],
    }
}

/// The motion of a part's body when the part's ground is at a pose on the ground.
fn moved(motion: &Motion, pose: &Frame) -> Motion {
    Motion {
        pose: pose.then(&motion.pose),
        rates: motion.rates.map(|x| pose.rotation.times(x)),
    }
}

/// Largest difference, relative to the size of each rate.
fn difference(a: &[Motion], b: &[Motion]) -> f64 {
    assert_eq!(a.len(), b.len());
    let mut worst = 0.0_f64;
    let size = |k: usize| a.iter().fold(1.0_f64, |m, x| m.max(x.rates[k].norm()));
    let sizes = [0, 1, 2, 3].map(size);
    for (a, b) in a.iter().zip(b) {
        let turned = a.pose.rotation - b.pose.rotation;
        let entries = turned.0.as_flattened().iter();
        worst = entries.fold(worst, |m, x| m.max(x.abs()));
        worst = worst.max((a.pose.position - b.pose.position).norm());
        for ((x, y), size) in a.rates.iter().zip(&b.rates).zip(sizes) {
            worst = worst.max((*x - *y).norm() / size);
        }
    }
    assert!(worst.is_finite());
    worst
}

/// Includes `part` alone, with the gravity that belongs to it there.
fn alone(part: &Description, placement: &Placement) -> Description {
    let mirrored = match placement.mirror {
        Some(axis) => part.clone().mirrored(axis).gravity,
        None => part.gravity,
    };
    let gravity = placement.frame.rotation.times(Vec3(mirrored)).0;
    Description::new("host")
        .gravity(gravity)
        .include(part.clone(), placement)
        .unwrap()
}

/// Asserts that a mechanism, mirrored and moved, moves as its image. None when it cannot be
/// assembled, or moves on in a way that a singular position leaves open.
fn check_image(part: &Description, what: &str) -> Option<f64> {
    let original = match assemble(part) {
        Ok(start) if !start.rows.singular_start => start,
        _ => return None,
    };
    let motion = motions(&original);
    let pose = Random::new(part.bodies.len() as u64).frame(2.0);
    let mut worst = 0.0_f64;
    for axis in Axis::ALL {
        let placement = Placement::new("part_").at(pose).mirror(axis);
        let host = alone(part, &placement);
        let start = assemble_like(&original, &host);
        let mut expected: Vec<Motion> = motion.iter().map(|m| moved(&image(m, axis), &pose)).collect();
        // The ground of the host stays where it is.
        expected[0] = motion[0];
        let far = difference(&expected, &motions(&start));
        // Near singular positions accelerations have a few digits less.
        assert!(far < 1e-9, "{what}, {axis:?}: {far:e}");
        worst = worst.max(far);
    }
    Some(worst)
}

/// The same where everything is far from singular.
fn check_exactly(part: &Description, what: &str) {
    let far = check_image(part, what).unwrap_or_else(|| panic!("{what}: not assembled"));
    assert!(far < 1e-10, "{what}: {far:e}");
}

#[test]
fn random_mechanisms_move_as_their_mirror_images() {
    let (mut worst, mut checked, mut exact) = (0.0_f64, 0, 0);
    for seed in 0..150 {
        let d = description(seed, 12);
        if let Some(far) = check_image(&d, &format!("mechanism {seed}")) {
            worst = worst.max(far);
            checked += 1;
            exact += usize::from(far < 1e-10);
        }
    }
    println!("{checked} mechanisms, {exact} of them exact, worst {worst:.1e}");
    assert!(checked > 120 && exact + 2 > checked, "{exact} of {checked}");
}

/// What sensors read of a part, mirrored and turned with it, is what they read of the part: a sensor of
/// what changes its sign gets that sign.
#[test]
fn sensors_of_mirror_images_read_the_same() {
    let mut r = Random::new(77);
    let lean = Quaternion([0.99, 0.1, 0.0, 0.05]).normalised().rotation_matrix();
    let leaning = Pose::new(Mat3(lean), Vec3([0.0; 3]));
    let mut part = Description::new("part")
        .ground_marker("seat", frame::along([0.2, -0.4, 0.3], [0.3, 0.5, 1.0]))
        .body(Body::cuboid("arm", 1.5, [0.3, 0.5, 0.8]).marker("tip", r.frame(0.4)))
        .body(Body::cuboid("wheel", 2.0, [0.4, 0.2, 0.4]).marker("hub", leaning))
        .joint(
            Joint::revolute("hip", "ground.seat", "arm")
                .axis([0.3, 1.0, -0.2])
                .start(0.4, 1.1),
        )
        .joint(
            Joint::free("flight", "ground", "wheel")
                .start_at(0, 0.3, 4.0)
                .start_at(1, -0.2, 0.5)
                .start_at(2, 0.28, -0.2)
                .angular_velocity([0.3, 9.0, 0.8]),
        )
        .force(Force::spring_damper(
            "spring",
            "ground.seat",
            "wheel",
            40.0,
            3.0,
            0.3,
        ))
        .force(Force::torsion_spring(
            "twist",
            "ground.seat",
            "arm.tip",
            7.0,
            0.5,
            0.1,
        ))
        .force(Force::joint_spring("hold", "hip", 5.0, 0.4, 0.2))
        .force(Force::joint_friction("rub", "hip", 0.2, 3.0))
        .force(Force::linear_tyre(
            "tyre",
            Mount::new("wheel.hub").on("road"),
            Carcass::new(0.3, 2e5),
            Linear {
                slip_stiffness: 4e4,
                cornering_stiffness: 3e4,
                trail: 0.03,
                ..Linear::default()
            },
        ))
        .road(Road::new("road", Flat));
    let channels = [
        "hip.angle",
        "hip.angle.velocity",
        "wheel.position.x",
        "wheel.velocity.y",
        "arm.orientation.y",
        "wheel.angular_velocity.z",
        "spring.length",
        "spring.tension",
        "spring.force.x",
        "spring.force.y",
        "spring.power",
        "spring.energy",
        "twist.angle",
        "twist.moment",
        "twist.torque.y",
        "hold.force",
        "rub.friction",
        "rub.normal",
        "tyre.load",
        "tyre.longitudinal",
        "tyre.lateral",
        "tyre.aligning",
        "tyre.longitudinal_slip",
        "tyre.lateral_slip",
        "tyre.camber",
        "tyre.u",
        "tyre.w",
        "tyre.force.z",
    ];
    for (k, channel) in channels.iter().enumerate() {
        part = part.control(Control::sensor(format!("s{k}"), *channel));
    }
    // Own states start at zero; those of a tread along and across the wheel have the signs of forces.
    let read = |description: &Description, tread: [f64; 2]| -> Vec<f64> {
        let model = Arc::new(description.compile().unwrap());
        let start = model.assemble(&Default::default()).unwrap();
        let mut w = Workspace::new(&model);
        w.set_time(&model, start.t);
        w.set_positions(&model, &start.q);
        w.set_velocities(&model, &start.v);
        w.set_states(&tread);
        w.evaluate_controls(&model);
        w.known.controls[1..].to_vec()
    };
    let original = read(&part, [0.01, -0.02]);
    for (channel, value) in channels.iter().zip(&original) {
        assert!(*value != 0.0, "{channel}");
    }
    for axis in Axis::ALL {
        let placement = Placement::new("part_").at(r.frame(2.0)).mirror(axis);
        let tread = match axis {
            Axis::Y => [0.01, 0.02],
            Axis::X | Axis::Z => [-0.01, -0.02],
        };
        let found = read(&alone(&part, &placement), tread);
        for ((channel, a), b) in channels.iter().zip(&original).zip(&found) {
            assert!(
                (a - b).abs() < 1e-10 * (1.0 + a.abs()),
                "{axis:?} {channel}: {a} {b}"
            );
        }
    }
}

/// A body on a joint with everything set, and another behind it.
fn on_joint(kind: JointKind, r: &mut Random) -> Description {
    let body = |r: &mut Random, name: &str| {
        Body::cuboid(name, r.range(0.5, 2.0), [0.3, 0.5, 0.8])
            .centre(r.vector(0.3))
            .marker("a", r.frame(0.4))
            .marker("b", r.frame(0.4))
    };
    let mut joint = Joint::new("first", kind, "ground.seat", "one.a");
    let info = kind.info();
    if info.has_axis {
        joint = joint.axis(r.vector(1.0));
    }
    joint.coordinates = (info.coordinates.iter())
        .map(|_| Coordinate {
            position: r.range(-1.0, 1.0),
            velocity: r.range(-1.0, 1.0),
            ..Coordinate::default()
        })
        .collect();
    joint = joint.orientation(r.quaternion());
    if info.has_orientation {
        joint = joint.angular_velocity(r.vector(1.0));
    } else {
        joint.orientation = [1.0, 0.0, 0.0, 0.0];
    }
    Description::new("joint")
        .gravity(r.vector(10.0))
        .ground_marker("seat", r.frame(0.5))
        .body(body(r, "one"))
        .body(body(r, "two"))
        .joint(joint)
        .joint(
            Joint::spherical("second", "one.b", "two.a")
                .orientation(r.quaternion())
                .angular_velocity(r.vector(1.0)),
        )
}

fn kinds() -> impl Iterator<Item = JointKind> {
    holonom_multibody::elements::joints::JOINTS
        .iter()
        .map(|info| with_numbers((info.template)(), 0.4))
}

fn wave(r: &mut Random) -> Signal {
    Signal::Sum(vec![
        Signal::linear(r.range(-1.0, 1.0), r.range(-1.0, 1.0)),
        Signal::harmonic(r.range(0.1, 0.5), r.range(0.5, 3.0), r.range(-1.0, 1.0)),
        Signal::function(|t| [t * t, 2.0 * t, 2.0]),
    ])
}

#[test]
fn every_joint_has_its_image_with_springs_motors_drivers_and_prescribed_motion() {
    let r = &mut Random::new(11);
    for kind in kinds() {
        let d = on_joint(kind, r);
        let info = kind.info();
        check_exactly(&d, info.name);
        for index in 0..info.coordinates.len() {
            let what = format!("{} {}", info.name, info.coordinates[index].name);
            let at = CoordinateRef::from(("first", index));
            let spring = Force::new(
                "spring",
                ForceKind::JointSpring(JointSpring {
                    coordinate: at.clone(),
                    stiffness: 30.0,
                    damping: 0.7,
                    free_position: 0.4,
                    motor: wave(r),
                }),
            );
            check_exactly(&d.clone().force(spring), &what);
            let driver = Constraint::driver("driver", at, wave(r));
            check_exactly(&d.clone().constraint(driver), &format!("driver of {what}"));
            let mut led = d.clone();
            led.joints[0].coordinates[index] = Coordinate::default();
            led.joints[0] = led.joints[0].clone().prescribed(index, wave(r));
            check_exactly(&led, &format!("prescribed {what}"));
            let mut locked = d.clone();
            locked.joints[0] = locked.joints[0].clone().locked(index, 0.6);
            check_exactly(&locked, &format!("locked {what}"));
        }
        if !info.tree_only && kind != JointKind::Fixed {
            // The same joint, cut.
            let mut d = d;
            d.joints[0].hint = holonom_multibody::forest::Hint::Cut;
            let mut float = Joint::free("float", "ground", "one")
                .orientation(r.quaternion())
                .angular_velocity(r.vector(1.0));
            for k in 0..3 {
                float = float.start_at(k, r.range(-1.0, 1.0), r.range(-1.0, 1.0));
            }
            check_exactly(&d.joint(float), &format!("cut {}", info.name));
        }
    }
}

/// Some force and torque that depend on everything, and have no symmetry.
struct Law;

impl Formula for Law {
    fn inputs(&self) -> usize {
        19
    }
    fn outputs(&self) -> usize {
        6
    }
    fn evaluate<T: Real>(&self, x: &[T], y: &mut [T]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = T::zero();
            for (j, x) in x.iter().enumerate() {
                *y += *x * ((i * 7 + j * 3) % 11) as f64 - x.square() * (i as f64 - 2.0);
            }
        }
    }
}

/// The same as expressions.
fn expressions(from: &str, to: &str) -> ForceKind {
    let scope = ExpressionLaw::scope();
    let bound = |text: &str| Expression::parse(text, &scope, None).unwrap();
    ForceKind::Expression(forces::Expression {
        from: from.into(),
        to: to.into(),
        force: ["-3*x + y*z - sin(wy)", "-(vx*vy) + r12^2 - 2", "r31 - t*z"].map(bound),
        torque: ["-x", "1.5", "wx*wz - r23*exp(-vz)"].map(bound),
    })
}

#[test]
fn expressions_come_back_from_the_mirror() {
    let force = Force::new("law", expressions("ground", "one"));
    let prescribed = Joint::revolute("hinge", "ground", "one").prescribed(0, wave(&mut Random::new(1)));
    let mut motor = Joint::universal("cross", "ground", "two");
    let text = Expression::parse("0.3*sin(2*t)", &Scope::time(), None).unwrap();
    motor = motor.prescribed(0, Signal::Expression(Arc::new(text)));
    let d = Description::new("law")
        .force(force)
        .joint(prescribed)
        .joint(motor);
    for axis in Axis::ALL {
        let once = d.clone().mirrored(axis);
        assert!(once.forces != d.forces);
        assert_eq!(once.clone().mirrored(axis), d);
        // The image can be written and read, too.
        let ForceKind::Expression(forces::Expression { force, torque, .. }) = &once.forces[0].kind else {
            panic!("{once:?}");
        };
        for component in force.iter().chain(torque) {
            let text = component.to_string();
            let read = Expression::parse(&text, &ExpressionLaw::scope(), None).unwrap();
            let inputs: Vec<f64> = (0..19).map(|k| 0.3 + 0.1 * f64::from(k)).collect();
            let (a, b) = (component.evaluate(&inputs), read.evaluate(&inputs));
            assert!((a - b).abs() < 1e-14, "{text}: {a} and {b}");
        }
    }
}

#[test]
fn every_force_and_constraint_has_its_image() {
    let r = &mut Random::new(5);
    let law = Arc::new(Generic::new(Law).unwrap());
    for round in 0..5 {
        let d = on_joint(JointKind::FreeCardan, r).ground_marker("far", r.frame(1.0));
        let loads = [[0; 3].map(|_| wave(r)), [0; 3].map(|_| wave(r))];
        let applied = |follower| {
            ForceKind::Applied(Applied {
                frame: "two.b".into(),
                force: loads[0].clone(),
                torque: loads[1].clone(),
                follower,
            })
        };
        let anti_roll = AntiRollLaw {
            stiffness: 20.0,
            damping: 1.5,
            lever: 0.4,
            free_twist: 0.3,
        };
        let touch = ContactLaw {
            stiffness: 50.0,
            dissipation: 0.4,
            friction: 0.5,
            ..ContactLaw::default()
        };
        let servo = ServoLaw {
            stiffness: 8.0,
            damping: 0.5,
            limit: 3.0,
        };
        let forces = [
            Force::new("load", applied(false)),
            Force::new("follower", applied(true)),
            Force::spring_damper("spring", "ground.far", "two.b", 40.0, 2.0, 0.3)
                .preload(3.0)
                .into(),
            Force::torsion_spring("torsion", "ground.far", "two.b", 8.0, 0.6, 0.5),
            Force::torsion_spring("torsion", "one.b", "two.b", 8.0, 0.6, -0.8),
            Force::user("law", "ground.far", "two.b", law.clone()),
            Force::user("law", "two.b", "one", law.clone()),
            Force::new("expressions", expressions("ground.far", "two.b")),
            Force::new("expressions", expressions("two.b", "one.a")),
            Force::cable(
                "cable",
                "ground.far",
                ["two.b", "one.b"],
                "two",
                Signal::Sum(vec![Signal::constant(0.5), Signal::harmonic(0.1, 2.0, 0.0)]),
                CableLaw {
                    axial_stiffness: 20.0,
                    damping_time: 0.1,
                    onset: 0.1,
                },
            )
            .into(),
            Force::anti_roll_bar("bar", "ground.far", "one.b", "two.b", anti_roll),
            Force::torque_actuator("torque", "ground.far", "two.b", wave(r)),
            Force::cylinder_contact(
                "crossed",
                "ground.far",
                "two.b",
                Cylinders::crossed([2.0, 1.0]),
                touch,
            ),
            Force::cylinder_contact(
                "parallel",
                "ground.far",
                "two.b",
                Cylinders::parallel([2.0, 1.0], 0.7),
                touch,
            ),
            Force::joint_anti_roll_bar("slides", ("first", 0), ("first", 1), 9.0, 0.2),
            Force::joint_anti_roll_bar("slide and angle", ("first", 2), ("first", 4), 9.0, 0.2),
        ];
        let more = (0..=PLANE_CONTACT).map(|kind| {
            let names = ["element", "ground.far", "two.b"].map(str::to_string);
            between(r, kind, names, 2.0)
        });
        let forces: Vec<Force> = forces.into_iter().chain(more).collect();
        let stop = StopLaw {
            stiffness: 30.0,
            damping: 2.0,
            onset: 0.2,
        };
        let text = |text: &str, variable: &str| {
            Expression::parse(text, &Scope::new().variable(variable), None).unwrap()
        };
        let coordinates = (0..6).flat_map(|index| {
            let at = || CoordinateRef::from(("first", index));
            [
                Force::nonlinear_joint_spring("spring", at(), text("3*x + x^2", "x"), 0.2)
                    .damper(text("v + v^2", "v"))
                    .into(),
                Force::joint_stop("stop", at(), [-0.1, 0.3], stop),
                Force::joint_stop("stop", at(), [f64::NEG_INFINITY, -0.3], stop),
                Force::servo("servo", at(), wave(&mut Random::new(3)), servo),
            ]
        });
        let forces: Vec<Force> = forces.into_iter().chain(coordinates).collect();
        for force in forces {
            let what = format!("{} {round}", force.name);
            check_exactly(&d.clone().force(force), &what);
        }
        let start = motions(&assemble(&d).unwrap());
        let end = start[2].pose.then(&d.bodies[1].markers[1].frame).position;
        let away = (end - d.ground[1].frame.position).norm();
        let terms = |a: usize, b: usize| [(("first", a), 1.0), (("first", b), -0.4)];
        let constraints = [
            Constraint::distance("distance", "ground.far", "two.b", away),
            Constraint::point("point", "ground.at", "two.b"),
            Constraint::coupling("slide and angle", terms(1, 3), 0.1),
            Constraint::coupling("slides", terms(0, 2), 0.1),
            Constraint::coupling("angles", terms(4, 5), 0.1),
        ];
        let d = d.ground_marker("at", frame::at(end.0));
        for constraint in constraints {
            let what = format!("{} {round}", constraint.name);
            check_exactly(&d.clone().constraint(constraint), &what);
        }
        for mass in [0.0, 0.7] {
            let rod = Rod::new("rod", "ground.far", "two.b", away).mass(mass);
            check_exactly(&d.clone().rod(rod), "rod");
        }
    }
}

/// A disc, or a ball, on a tilted plane.
fn rolling(sphere: bool, plane: &str) -> Description {
    let tilt = Quaternion::from_axis_angle([0.6, 0.8, 0.0], 0.3).0;
    let slope = frame::oriented([0.1, -0.2, 0.3], tilt);
    let lean = Quaternion::from_axis_angle([1.0, 0.2, 0.1], 1.2).0;
    let float = Joint::free("float", plane, "wheel")
        .orientation(lean)
        .angular_velocity([0.4, -0.3, 2.0])
        .start_at(0, 0.2, 0.5)
        .start_at(1, -0.1, 0.4)
        .start_at(2, 0.3, 0.1);
    let d = Description::new("rolling")
        .ground_marker("slope", slope)
        .body(
            Body::cylinder("wheel", 2.0, 0.3, 0.05)
                .centre([0.02, 0.01, 0.03])
                .marker("off", frame::at([0.0, 0.0, 0.01])),
        )
        .joint(float);
    d.constraint(match sphere {
        true => Constraint::rolling_ball("contact", "wheel.off", plane, 0.3),
        false => Constraint::rolling_disc("contact", "wheel.off", plane, 0.3),
    })
}

#[test]
fn wheels_roll_on_the_right_side_of_the_image_of_their_plane() {
    for sphere in [false, true] {
        for plane in ["ground", "ground.slope"] {
            check_exactly(&rolling(sphere, plane), plane);
        }
    }
}

#[test]
fn the_image_of_the_image_is_the_original() {
    for seed in 0..60 {
        let d = description(seed, 12);
        for axis in Axis::ALL {
            let once = d.clone().mirrored(axis);
            assert!(once != d, "{seed}");
            // The plane of a path is turned, twice: a frame with another name.
            if axis == Axis::Z && !d.paths.is_empty() {
                continue;
            }
            assert!(once.mirrored(axis) == d, "{seed} {axis:?}");
        }
    }
    // Turned planes come back as well, as frames.
    let d = rolling(false, "ground.slope");
    let twice = d.clone().mirrored(Axis::Z).mirrored(Axis::Z);
    let (a, b) = (assemble(&d).unwrap(), assemble(&twice).unwrap());
    assert!(difference(&motions(&a), &motions(&b)) < 1e-12);
}

#[test]
fn a_part_placed_on_the_ground_moves_as_by_itself() {
    for seed in 0..40 {
        let d = description(seed, 8);
        let Ok(start) = assemble(&d) else { continue };
        if start.rows.singular_start {
            continue;
        }
        let motion = motions(&start);
        let (seat, offset) = (Random::new(seed).frame(1.0), Random::new(seed + 1).frame(1.0));
        let pose = seat.then(&offset);
        let host = Description::new("host")
            .gravity(pose.rotation.times(Vec3(d.gravity)).0)
            .ground_marker("seat", seat)
            .include(d, &Placement::new("p_").on("ground.seat").at(offset))
            .unwrap();
        let mut expected: Vec<Motion> = motion.iter().map(|m| moved(m, &pose)).collect();
        expected[0] = motion[0];
        let far = difference(&expected, &motions(&assemble_like(&start, &host)));
        assert!(far < 1e-10, "{seed}: {far:e}");
    }
}

/// A pendulum with a spring to its ground.
fn pendulum() -> Description {
    Description::new("pendulum")
        .ground_marker("pivot", frame::at([0.3, 0.5, 0.0]))
        .body(
            Body::ball("bob", 1.0, 0.1)
                .marker("pin", frame::at([0.0, 0.0, 0.7]))
                .marker("hook", frame::at([0.1, 0.0, 0.0])),
        )
        .joint(
            Joint::revolute("pin", "ground.pivot", "bob.pin")
                .axis([0.2, 1.0, 0.0])
                .start(0.4, 0.0),
        )
        .force(Force::spring_damper(
            "spring", "ground", "bob.hook", 50.0, 1.0, 0.4,
        ))
}

#[test]
fn a_part_twice_on_a_moving_body() {
    let host = || {
        Description::new("car")
            .body(
                Body::cuboid("car", 20.0, [2.0, 1.0, 0.5])
                    .marker("front", frame::oriented([1.0, 0.0, 0.2], [0.9, 0.1, -0.2, 0.3])),
            )
            .joint(Joint::free("float", "ground", "car").angular_velocity([0.3, -0.5, 0.7]))
    };
    let seat = frame::at([0.2, 0.0, 0.1]);
    let place = |prefix: &str| Placement::new(prefix).on("car.front").at(seat);
    let both = host()
        .include(pendulum(), &place("left_"))
        .unwrap()
        .include(pendulum(), &place("right_").mirror(Axis::Y))
        .unwrap();
    let names: Vec<&str> = both.bodies[0].markers.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "front",
            "left_ground",
            "left_pivot",
            "right_ground",
            "right_pivot"
        ]
    );
    assert_eq!(both.joints[1].from, "car.left_pivot");
    // By hand: the same bodies, joints and springs on the car itself.
    let front = both.bodies[0].markers[0].frame.then(&seat);
    let mut by_hand = host();
    let sides = [("left_", pendulum()), ("right_", pendulum().mirrored(Axis::Y))];
    for (side, part) in sides {
        let pivot = front.then(&part.ground[0].frame);
        let own = by_hand.bodies[0].clone();
        by_hand.bodies[0] = own
            .marker(format!("{side}ground"), front)
            .marker(format!("{side}pivot"), pivot);
        let mut body = part.bodies[0].clone();
        body.name = format!("{side}bob");
        let mut joint = part.joints[0].clone();
        joint.name = format!("{side}pin");
        joint.from = format!("car.{side}pivot");
        joint.to = format!("{side}bob.pin");
        let (from, to) = (format!("car.{side}ground"), format!("{side}bob.hook"));
        let spring = Force::spring_damper(format!("{side}spring"), from, to, 50.0, 1.0, 0.4);
        by_hand = by_hand.body(body).joint(joint).force(spring);
    }
    assert_eq!(both, by_hand);
    let start = assemble(&both).unwrap();
    assert_eq!(start.degrees_of_freedom(), 8);
}

#[test]
fn what_cannot_be_included_is_named_with_the_remedy() {
    let host = Description::new("car")
        .body(Body::ball("car", 20.0, 0.5).marker("front", frame::at([1.0, 0.0, 0.2])))
        .joint(Joint::free("float", "ground", "car"));
    let refused = |part: Description, on: &str| {
        let placement = Placement::new("p_").on(on);
        host.clone().include(part, &placement).unwrap_err()
    };
    let error = refused(pendulum(), "car.frnt");
    assert_eq!(error.said.as_deref(), Some("car.frnt"));
    let text = error.to_string();
    assert!(
        text.contains("include \"p_\"") && text.contains("did you mean \"car.front\""),
        "{text}"
    );
    assert!(refused(pendulum(), "cra").to_string().contains("\"car\""));
    let wind = || Force::applied("wind", "bob", [1.0, 0.0, 0.0].map(Signal::constant));
    let text = refused(pendulum().force(wind()), "car").to_string();
    assert!(
        text.contains("\"wind\"") && text.contains("follow its frame"),
        "{text}"
    );
    let follower = pendulum().force(wind().follower());
    assert!(
        host.clone()
            .include(follower, &Placement::new("p_").on("car"))
            .is_ok()
    );
}

#[test]
fn without_a_prefix_on_the_ground_things_are_simply_added() {
    let part = pendulum();
    let mut host = Description::new("pendulum")
        .include(part.clone(), &Placement::new(""))
        .unwrap();
    assert_eq!(host, part);
    // Again, under other names and elsewhere: two grounds.
    let there = Placement::new("b_").at(frame::at([1.0, 0.0, 0.0]));
    host = host.include(part, &there).unwrap();
    assert_eq!(host.compile().unwrap().tree.n_v, 2);
}
