//! Both faces of every joint: the motion in the tree is the one described, forward and reversed,
//! aligned and turned, and the rows of the cut joint vanish along it.
#![allow(clippy::unwrap_used)]

use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};
use holonom_multibody::description::{Body, Description, Frame, Joint, JointKind, frame};
use holonom_multibody::elements::joints::JOINTS;
use holonom_multibody::elements::scene::Scene;
use holonom_multibody::forest::Hint;
use holonom_multibody::kinematics::positions::positions;
use holonom_multibody::kinematics::world::{WorldNode, world_positions, world_velocities};
use holonom_multibody::model::JointPlace;
use holonom_multibody::tree::Attachment;
use holonom_multibody::tree::{Geometry, NodeKind};
use holonom_multibody::{Model, Signal};
use holonom_testing::with_numbers;

/// A small linear congruential generator, numbers in −1..1.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector<const N: usize>(&mut self) -> [f64; N] {
        core::array::from_fn(|_| self.number())
    }
}

/// All kinds of joints, with numbers in them.
fn kinds() -> impl Iterator<Item = JointKind> {
    JOINTS.iter().map(|info| with_numbers((info.template)(), 0.3))
}

const AXES: [[f64; 3]; 6] = [
    [0.0, 0.0, 1.0],
    [2.0, 0.0, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, -1.0],
    [-1.0, 0.0, 0.0],
    [0.3, -0.8, 0.4],
];

fn turn(axis: Vec3<f64>, angle: f64) -> Frame {
    Pose::new(
        Mat3(Quaternion::from_axis_angle(axis.0, angle).rotation_matrix()),
        Vec3::zero(),
    )
}

fn slide(axis: Vec3<f64>, distance: f64) -> Frame {
    frame::at(axis.scale(distance).0)
}

/// The second frame in the first, straight from the definition of the joint.
fn described(joint: &Joint) -> Frame {
    let x = |i: usize| joint.coordinates.get(i).map_or(0.0, |c| c.position);
    let axis = Vec3(joint.axis).normalised().unwrap();
    let [ex, ey, ez] = [0, 1, 2].map(Vec3::unit);
    let ball = frame::oriented([0.0; 3], joint.orientation);
    match joint.kind {
        JointKind::Fixed => Pose::identity(),
        JointKind::Revolute => turn(axis, x(0)),
        JointKind::Prismatic => slide(axis, x(0)),
        JointKind::Cylindrical => turn(axis, x(0)).then(&slide(axis, x(1))),
        JointKind::Helical { pitch } => turn(axis, x(0)).then(&slide(axis, pitch * x(0))),
        JointKind::Universal => turn(ex, x(0)).then(&turn(ey, x(1))),
        JointKind::Planar => frame::at([x(0), x(1), 0.0]).then(&turn(ez, x(2))),
        JointKind::ConstantVelocity => unreachable!("it is always cut"),
        JointKind::Spherical => ball,
        JointKind::Free => frame::at([x(0), x(1), x(2)]).then(&ball),
        JointKind::FreeCardan => frame::at([x(0), x(1), x(2)])
            .then(&turn(ex, x(3)))
            .then(&turn(ey, x(4)))
            .then(&turn(ez, x(5))),
        JointKind::Track => frame::at([x(0), x(1), x(2)])
            .then(&turn(ez, x(3)))
            .then(&turn(ey, x(4)))
            .then(&turn(ex, x(5))),
    }
}

fn world(model: &Model, q: &[f64], v: &[f64], t: f64) -> Vec<WorldNode<f64>> {
    let tree = &model.tree;
    let signals: Vec<[f64; 3]> = model.signals.iter().map(|s| s.evaluate(t)).collect();
    let mut geometry: Vec<Geometry<f64>> = tree.nodes.iter().map(Geometry::new).collect();
    let mut world = vec![WorldNode::ground(); tree.nodes.len()];
    positions(tree, q, &signals, &mut geometry);
    world_positions(tree, &geometry, &mut world);
    world_velocities(tree, &geometry, &signals, v, &mut world);
    world
}

fn pose(world: &[WorldNode<f64>], at: &Attachment) -> Frame {
    let node = &world[at.node];
    Pose::new(node.rotation, node.position).then(&at.frame)
}

fn assert_same(a: &Frame, b: &Frame, what: &str) {
    let rotation = a.rotation - b.rotation;
    let worst = rotation
        .0
        .as_flattened()
        .iter()
        .fold(0.0_f64, |m, x| m.max(x.abs()));
    let apart = (a.position - b.position).norm();
    assert!(worst < 1e-12 && apart < 1e-12, "{what}: {a:?}\n{b:?}");
}

/// Bodies A (free) and B with markers.
fn bodies(random: &mut Random, turned: bool) -> Description {
    let mut marker = || match turned {
        true => frame::oriented(random.vector(), random.vector()),
        false => frame::at(random.vector()),
    };
    let (m, n) = (marker(), marker());
    Description::new("pair")
        .body(Body::cuboid("a", 2.0, [0.3, 0.4, 0.5]).marker("m", m))
        .body(Body::cuboid("b", 1.0, [0.5, 0.2, 0.3]).marker("n", n))
}

fn carrier(random: &mut Random, name: &str, body: &str) -> Joint {
    (0..3)
        .fold(Joint::free(name, "ground", body), |j, i| {
            j.start_at(i, random.number(), random.number())
        })
        .orientation(random.vector())
        .angular_velocity(random.vector())
}

/// The joint under test at a random state, from A to B or from B to A.
fn tested(random: &mut Random, kind: JointKind, axis: [f64; 3], backward: bool) -> Joint {
    let (from, to) = if backward { ("b.n", "a.m") } else { ("a.m", "b.n") };
    let info = kind.info();
    let mut joint = Joint::new("j", kind, from, to);
    if info.has_axis {
        joint = joint.axis(axis);
    }
    for i in 0..info.coordinates.len() {
        joint = joint.start_at(i, random.number(), random.number());
    }
    if info.has_orientation {
        joint = joint
            .orientation(random.vector())
            .angular_velocity(random.vector());
    }
    joint
}

fn each(mut run: impl FnMut(&mut Random, JointKind, [f64; 3], bool, bool)) {
    let mut random = Random(7);
    for kind in kinds().filter(|kind| !kind.info().cut_only) {
        let axes = if kind.info().has_axis {
            &AXES[..]
        } else {
            &AXES[..1]
        };
        for &axis in axes {
            for turned in [false, true] {
                for backward in [false, true] {
                    run(&mut random, kind, axis, turned, backward);
                }
            }
        }
    }
}

#[test]
fn every_entry_of_the_registry_is_tested() {
    for kind in kinds() {
        let info = kind.info();
        let motions = kind.motions();
        assert_eq!(
            motions.len(),
            info.coordinates.len() + usize::from(info.has_orientation)
        );
        let freedoms = info.coordinates.len() + if info.has_orientation { 3 } else { 0 };
        match (info.tree_only, info.cut_only) {
            (true, _) => assert_eq!((kind.cut_rows().len(), info.freedoms()), (0, freedoms)),
            // The rows leave fewer freedoms than its motions.
            (_, true) => assert!(info.freedoms() < freedoms && info.freedoms() + kind.cut_rows().len() == 6),
            _ => assert_eq!((kind.cut_rows().len(), info.freedoms()), (6 - freedoms, freedoms)),
        }
    }
}

#[test]
fn tree_face_is_as_described() {
    each(|random, kind, axis, turned, backward| {
        let what = format!("{kind:?} {axis:?} turned {turned} backward {backward}");
        let joint = tested(random, kind, axis, backward);
        let model = bodies(random, turned)
            .joint(carrier(random, "carrier", "a"))
            .joint(joint.clone())
            .compile()
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        let compiled = &model.joints[1];
        assert!(matches!(compiled.place, JointPlace::Tree { reversed, .. } if reversed == backward));
        let nodes = world(&model, &model.q0, &model.v0, 0.0);
        let (from, to) = (pose(&nodes, &compiled.from), pose(&nodes, &compiled.to));
        assert_same(&from.inverse().then(&to), &described(&joint), &what);

        // The inertia on the node is that of the body, as it is placed there.
        let body = &model.bodies[2];
        let back = body.frame.inverse();
        let found = model.tree.nodes[body.node]
            .inertia
            .moved(&back.rotation, back.position);
        let cuboid = Body::cuboid("b", 1.0, [0.5, 0.2, 0.3]);
        assert!(
            (found.mass - 1.0).abs() < 1e-12 && found.first.norm() < 1e-12,
            "{what}"
        );
        for (x, y) in found.second.0.iter().zip(cuboid.inertia) {
            assert!((x - y).abs() < 1e-12, "{what}");
        }

        // Velocities: the relative pose a moment later.
        let h = 1e-6;
        let mut later = joint.clone();
        for c in &mut later.coordinates {
            c.position += h * c.velocity;
        }
        if kind.info().has_orientation {
            let omega = Vec3(joint.angular_velocity).scale(h);
            let step = Quaternion::exponential(omega.0);
            later.orientation = (Quaternion(joint.orientation) * step).0;
        }
        let q: Vec<f64> = step_positions(&model, h);
        let nodes = world(&model, &q, &model.v0, 0.0);
        let (from, to) = (pose(&nodes, &compiled.from), pose(&nodes, &compiled.to));
        let (moved, wanted) = (from.inverse().then(&to), described(&later));
        assert_same(&moved, &wanted, &format!("{what}, later"));
    });
}

/// q0 moved along v0, exactly on the group.
fn step_positions(model: &Model, h: f64) -> Vec<f64> {
    let mut q = model.q0.clone();
    for node in &model.tree.nodes[1..] {
        if node.kind == NodeKind::Ball {
            let e = Quaternion(core::array::from_fn(|i| model.q0[node.q + i]));
            let omega: [f64; 3] = core::array::from_fn(|i| h * model.v0[node.v + i]);
            q[node.q..node.q + 4].copy_from_slice(&(e * Quaternion::exponential(omega)).0);
        } else if node.n_q() == 1 {
            q[node.q] += h * model.v0[node.v];
        }
    }
    q
}

#[test]
fn aligned_joints_bring_no_rotation() {
    for (axis, kind) in [
        ([1.0, 0.0, 0.0], NodeKind::RevoluteX),
        ([0.0, 3.0, 0.0], NodeKind::RevoluteY),
        ([0.0, 0.0, 1.0], NodeKind::RevoluteZ),
        ([0.0, 0.0, -1.0], NodeKind::RevoluteTurned),
    ] {
        let model = Description::new("chain")
            .body(Body::ball("a", 1.0, 0.1).marker("end", frame::along([1.0, 0.0, 0.0], axis)))
            .body(Body::ball("b", 1.0, 0.1).marker("end", frame::along([-1.0, 0.0, 0.0], axis)))
            .joint(Joint::revolute("one", "ground", "a").axis(axis))
            .joint(Joint::revolute("two", "a.end", "b.end"))
            .compile()
            .unwrap();
        assert_eq!((model.tree.nodes[1].kind, model.tree.nodes[1].parent), (kind, 0));
        // The second joint has the same axis by turned markers; a negative axis became z of the
        // first node, so that it is aligned there.
        let second = if kind == NodeKind::RevoluteTurned {
            NodeKind::RevoluteZ
        } else {
            kind
        };
        assert_eq!(model.tree.nodes[2].kind, second);
    }
}

#[test]
fn cut_face_vanishes_along_the_motion() {
    each(|random, kind, axis, turned, backward| {
        let info = kind.info();
        if info.tree_only {
            return;
        }
        let what = format!("{kind:?} {axis:?} turned {turned} backward {backward}");
        let joint = tested(random, kind, axis, backward);
        let parts = bodies(random, turned).joint(carrier(random, "carrier", "a"));
        let tree = parts.clone().joint(joint.clone()).compile().unwrap();
        let nodes = world(&tree, &tree.q0, &tree.v0, 0.0);
        let loose = parts
            .joint(Joint::free("other", "ground", "b"))
            .joint(joint)
            .compile()
            .unwrap();
        assert_eq!(loose.joints[2].place, JointPlace::Cut { constraint: 0 });
        assert_eq!(loose.rows.len(), 6 - info.freedoms());
        assert!(loose.rows.iter().all(|row| row.name.starts_with("j.")));

        // The second body of the loose model where that of the tree is.
        let (mut q, mut v) = (loose.q0.clone(), loose.v0.clone());
        let body = &tree.bodies[2];
        let at = pose(
            &nodes,
            &Attachment {
                node: body.node,
                frame: body.frame,
            },
        );
        q[7..10].copy_from_slice(&at.position.0);
        q[10..14].copy_from_slice(&Quaternion::from_rotation_matrix(&at.rotation.0).0);
        let node = &nodes[body.node];
        let arm = at.position - node.position;
        v[6..9].copy_from_slice(&(node.velocity + node.omega.cross(arm)).0);
        v[9..12].copy_from_slice(&at.rotation.transpose_times(node.omega).0);
        let rows = evaluate(&loose, &q, &v);
        for (g, rate) in &rows {
            assert!(g.abs() < 1e-12 && rate.abs() < 1e-12, "{what}: {rows:?}");
        }
        // And not elsewhere.
        q[7..10].iter_mut().for_each(|x| *x += 0.1);
        q[10] += 0.1;
        assert!(
            evaluate(&loose, &q, &v).iter().any(|(g, _)| g.abs() > 1e-4),
            "{what}"
        );
    });
}

fn evaluate(model: &Model, q: &[f64], v: &[f64]) -> Vec<(f64, f64)> {
    let nodes = world(model, q, v, 0.0);
    let scene = Scene {
        tree: &model.tree,
        world: &nodes,
        q,
        v,
        a: &[],
        signals: &[],
        t: 0.0,
        x: &[],
        own: &[],
        lambda: &[],
        controls: &[],
        sides: &[],
    };
    let element = &model.constraints[0].element;
    let (mut g, mut rate) = (vec![0.0; element.rows()], vec![0.0; element.rows()]);
    element.position(&scene, &mut g);
    element.velocity(&scene, &mut rate);
    g.into_iter().zip(rate).collect()
}

#[test]
fn locked_and_prescribed_coordinates() {
    each(|random, kind, axis, turned, backward| {
        let info = kind.info();
        // Bits say what happens to each coordinate: free, locked, prescribed.
        for choice in 0..3_usize.pow(info.coordinates.len().min(3) as u32) {
            let what = format!("{kind:?} {axis:?} turned {turned} backward {backward} choice {choice}");
            let free = tested(random, kind, axis, backward);
            let mut joint = free.clone();
            let (mut n_q, mut signals) = (0, 0);
            for (i, c) in free.coordinates.iter().enumerate() {
                match choice / 3_usize.pow(i.min(2) as u32) % 3 {
                    0 => n_q += 1,
                    1 => joint = joint.locked(i, c.position),
                    _ => {
                        signals += 1;
                        joint.coordinates[i] = Default::default();
                        joint = joint.prescribed(i, Signal::linear(c.position - 2.0, 1.0));
                    }
                }
            }
            if info.has_orientation && choice % 2 == 1 {
                joint.angular_velocity = [0.0; 3];
                joint = joint.orientation_locked();
            } else if info.has_orientation {
                n_q += 4;
            }
            let model = bodies(random, turned)
                .joint(carrier(random, "carrier", "a"))
                .joint(joint.clone())
                .compile()
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(
                (model.tree.n_q, model.signals.len()),
                (7 + n_q, signals),
                "{what}"
            );
            assert_eq!(model.position_names.len(), model.q0.len());
            assert_eq!(model.velocity_names.len(), model.v0.len());
            let compiled = &model.joints[1];
            let nodes = world(&model, &model.q0, &model.v0, 2.0);
            let (from, to) = (pose(&nodes, &compiled.from), pose(&nodes, &compiled.to));
            assert_same(&from.inverse().then(&to), &described(&free), &what);
            for (node, c) in compiled.coordinates.iter().zip(&joint.coordinates) {
                use holonom_multibody::description::CoordinateMotion::*;
                match &c.motion {
                    Locked => assert_eq!(*node, 0),
                    Prescribed(_) => assert!(model.tree.nodes[*node].prescribed.is_some()),
                    Free => assert_eq!(model.q0[model.tree.nodes[*node].q], c.position),
                }
            }
        }
    });
}

#[test]
fn joints_with_bound_coordinates_stay_in_the_tree() {
    let bar = |name: &str| Body::cuboid(name, 1.0, [1.0, 0.1, 0.1]).marker("end", frame::at([1.0, 0.0, 0.0]));
    let square = |first: Joint| {
        Description::new("four-bar")
            .body(bar("crank"))
            .body(bar("coupler"))
            .body(bar("rocker"))
            .ground_marker("far", frame::at([1.0, 0.0, 0.0]))
            .joint(Joint::revolute("b", "crank.end", "coupler").start(-1.0, 0.0))
            .joint(Joint::revolute("c", "coupler.end", "rocker.end"))
            .joint(Joint::revolute("d", "ground.far", "rocker").start(1.5, 0.0))
            .joint(first)
    };
    let drive = Joint::revolute("a", "ground", "crank");
    let model = square(drive.clone().prescribed(0, Signal::linear(1.5, 2.0)))
        .compile()
        .unwrap();
    assert!(matches!(model.joints[3].place, JointPlace::Tree { .. }));
    assert_eq!((model.rows.len(), model.tree.n_q), (5, 2));
    let cut = &model.constraints[0];
    let paths = cut.to_path.len() + cut.from_path.len();
    assert_eq!(paths, 2);
    // Something refers to the coordinate of "c": it is kept in the tree without a hint.
    let model = square(drive.hint(Hint::Auto))
        .force(holonom_multibody::description::Force::joint_spring(
            "s", "c", 1.0, 0.1, 0.0,
        ))
        .compile()
        .unwrap();
    assert!(matches!(model.joints[1].place, JointPlace::Tree { .. }));
}

#[test]
fn inertia_and_rods_arrive_at_the_nodes() {
    use holonom_multibody::description::Rod;
    let model = Description::new("rods")
        .body(
            Body::new("a", 2.0)
                .centre([0.0, 0.5, 0.0])
                .inertia_diagonal([0.1, 0.1, 0.1]),
        )
        .body(Body::new("b", 0.0).marker("tip", frame::at([0.0, 0.0, 0.2])))
        .joint(Joint::revolute("hinge", "ground", "a").axis([1.0, 0.0, 0.0]))
        .joint(
            Joint::prismatic("slider", "ground", "b")
                .axis([0.0, 1.0, 0.0])
                .start(1.0, 0.0),
        )
        .rod(Rod::new("rod", "a", "b.tip", 1.0).mass(0.6))
        .compile()
        .unwrap();
    assert_eq!(model.tree.nodes[1].inertia.mass, 2.0 + 0.2);
    // Without its own mass the slider still has a third of the rod's.
    assert!((model.tree.nodes[2].inertia.mass - 0.2).abs() < 1e-15);
    assert_eq!(model.rods[0].constraint, 0);
    assert_eq!(
        (
            model.constraints[0].from_path.clone(),
            model.constraints[0].to_path.clone()
        ),
        (vec![1], vec![2])
    );
    assert_eq!(model.position_names, ["hinge", "slider"]);
}
