//! Sound robots: freedoms, masses, poses, forces.

use crate::common::{Placement, close, robot, robot_with, same};
use holonom_format::urdf::{self, Base, Loop, LoopEnd, Options};
use holonom_multibody::description::JointKind;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, PI};

const G: f64 = 9.81;
const O: Placement = Placement::ORIGIN;
const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

fn free() -> Options {
    Options {
        base: Base::Free,
        ..Options::default()
    }
}

#[test]
fn pendulum() {
    let robot = robot("pendulum");
    assert_eq!((robot.freedoms(), robot.mass()), (1, 2.0));
    same(robot.pose("bob", &[0.0]), O);
    same(robot.pose("bob", &[0.7]), O.turned(Y, 0.7));
    // m g l sin θ, and I + m l².
    close(&robot.holding(&[0.7], &[0.0]), &[2.0 * G * 0.5 * 0.7_f64.sin()]);
    close(&robot.mass_matrix(&[0.7]), &[0.1 + 2.0 * 0.25]);
}

#[test]
fn planar_joints_move_across_their_axis() {
    let robot = robot("planar");
    assert_eq!((robot.freedoms(), robot.mass()), (3, 1.5));
    same(robot.pose("puck", &[0.0; 3]), O.shifted([0.0, 0.0, 1.0]));
    // Axis x by default: the plane of y and z.
    let there = O.shifted([0.0, 0.3, 1.4]).turned(X, FRAC_PI_2);
    same(robot.pose("puck", &[0.3, 0.4, FRAC_PI_2]), there);
    close(&robot.holding(&[0.3, 0.4, 0.2], &[0.0; 3]), &[0.0, 1.5 * G, 0.0]);
}

#[test]
fn floating_joints_are_free() {
    let robot = robot("floating");
    assert_eq!((robot.freedoms(), robot.mass()), (6, 1.2));
    let mut q = [0.0; 7];
    q[3] = 1.0;
    let camera = |body: Placement| body.shifted([0.1, 0.0, -0.03]).turned(Y, FRAC_PI_2);
    same(robot.pose("camera", &q), camera(O.shifted([0.0, 0.0, 2.0])));
    // A quarter turn about z: (cos 45°, 0, 0, sin 45°).
    let half = 0.5_f64.sqrt();
    let q = [0.5, -1.0, 3.0, half, 0.0, 0.0, half];
    same(
        robot.pose("camera", &q),
        Placement {
            position: [0.5, -0.9, 4.97],
            axes: [[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]],
        },
    );
}

#[test]
fn fingers_mimic() {
    let robot = robot("gripper");
    assert_eq!(robot.freedoms(), 1);
    close(&[robot.mass()], &[1.05]);
    assert_eq!(robot.imported.description.joints[0].name, "palm_base");
    let start = robot.model.assemble(&Default::default()).unwrap();
    assert!(start.moved.is_empty(), "the start fits as it is read");
    assert_eq!(start.q, [0.0, 0.0, 0.5]);
    let start = robot
        .model
        .assemble(&holonom_multibody::start::AssemblyOptions {
            positions: Some(vec![0.03, 0.03, 3.5]),
            ..Default::default()
        })
        .unwrap();
    assert!(start.moved.is_empty(), "{:?}", start.moved);
    same(robot.pose("right", &start.q), O.shifted([0.0, -0.05, 0.1]));
}

#[test]
fn a_multiplier_of_zero_locks() {
    let robot = robot("locked_mimic");
    assert_eq!(robot.freedoms(), 1);
    let b = |q: f64| O.turned(Z, q).shifted([1.0, 0.0, 0.0]).turned(Z, FRAC_PI_2);
    same(robot.pose("b", &[0.0]), b(0.0));
    same(robot.pose("b", &[0.4]), b(0.4));
}

#[test]
fn frames_without_mass_become_markers() {
    let robot = robot("frames");
    assert_eq!((robot.freedoms(), robot.mass()), (1, 3.2));
    let frame = |link| robot.imported.frame(link).unwrap();
    assert_eq!(
        ["base", "arm", "flange", "tool0", "camera", "lens"].map(frame),
        [
            "ground.base",
            "arm",
            "arm.flange",
            "arm.tool0",
            "arm.camera",
            "lens"
        ]
    );
    let joints: Vec<Option<&str>> = robot.imported.joints.iter().map(|j| j.here.as_deref()).collect();
    assert_eq!(joints, [Some("turn"), None, None, None, Some("camera_lens")]);
    // z of the flange is x of the arm; x of the flange is −z.
    let lens = Placement {
        position: [0.48, 0.0, 0.25],
        axes: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    };
    let by_hand = O
        .shifted([0.0, 0.0, 0.3])
        .shifted([0.4, 0.0, 0.0])
        .turned(Y, FRAC_PI_2);
    let camera = by_hand.shifted([0.05, 0.0, 0.1]).turned(Z, FRAC_PI_2);
    same(robot.pose("camera", &[0.0]), camera);
    let found = robot.pose("lens", &[0.0]);
    same(found, camera.shifted([0.0, 0.02, 0.0]));
    // y of the camera is −x of the flange, which is z of the ground: 0.25 + 0.02 up.
    close(&found.position, &[0.5, 0.0, 0.27]);
    close(found.axes.as_flattened(), lens.axes.as_flattened());
    close(&robot.pose("tool0", &[FRAC_PI_2]).position, &[0.0, 0.5, 0.3]);
}

#[test]
fn frames_without_mass_may_move_if_something_is_behind() {
    let robot = robot("gimbal");
    assert_eq!((robot.freedoms(), robot.mass()), (3, 1.0));
    same(robot.pose("head", &[0.0; 3]), O);
    let q = [0.3, -0.4, 0.5];
    same(
        robot.pose("head", &q),
        O.turned(Z, q[0]).turned(Y, q[1]).turned(X, q[2]),
    );
}

#[test]
fn slides_along_turned_axes_with_damping() {
    let robot = robot_with(
        "slide",
        &Options {
            friction: false,
            limits: false,
            ..Options::default()
        },
    );
    assert_eq!((robot.freedoms(), robot.mass()), (1, 4.0));
    // Yaw 90°, then pitch 30° down: x points along (0, cos 30°, −sin 30°).
    let along = [0.0, 0.75_f64.sqrt(), -0.5];
    let at = |q: f64| [1.0, 2.0 + q * along[1], 3.0 + q * along[2]];
    close(&robot.pose("sledge", &[0.0]).position, &at(0.0));
    close(&robot.pose("sledge", &[1.6]).position, &at(1.6));
    same(
        robot.pose("sledge", &[0.0]),
        O.shifted([1.0, 2.0, 3.0])
            .turned(Z, FRAC_PI_2)
            .turned(Y, FRAC_PI_6),
    );
    // Held against m g sin 30° downhill, and driven against 3.5 N s/m.
    close(&robot.holding(&[0.0], &[2.0]), &[-4.0 * G * 0.5 + 7.0]);
}

#[test]
fn arm_of_six_axes() {
    let robot = robot("arm");
    assert_eq!(robot.freedoms(), 6);
    close(&[robot.mass()], &[20.0 + 12.0 + 10.2 + 8.4 + 6.6 + 4.8 + 3.0]);
    let rows: [([f64; 3], [f64; 3], [f64; 3]); 6] = [
        ([0.0, 0.0, 0.4], [0.0; 3], Z),
        ([0.025, 0.0, 0.1], [0.0; 3], Y),
        ([0.0, 0.0, 0.455], [0.0; 3], Y),
        ([0.2, 0.0, 0.035], [0.0; 3], X),
        ([0.22, 0.0, 0.0], [0.3, -0.2, 0.1], Y),
        ([0.08, 0.0, 0.0], [0.0, FRAC_PI_2, 0.0], Z),
    ];
    let expected = |q: &[f64; 6]| {
        let mut at = O;
        for ((xyz, rpy, axis), q) in rows.iter().zip(q) {
            at = at.origin(*xyz, *rpy).turned(*axis, *q);
        }
        at.shifted([0.0, 0.0, 0.06])
    };
    let zero = robot.pose("tool0", &[0.0; 6]);
    same(zero, expected(&[0.0; 6]));
    // From the wrist on, 0.14 m along x of link 5: (cos y cos p, sin y cos p, −sin p).
    let x5 = [
        0.1_f64.cos() * 0.2_f64.cos(),
        0.1_f64.sin() * 0.2_f64.cos(),
        0.2_f64.sin(),
    ];
    close(
        &zero.position,
        &[0.445 + 0.14 * x5[0], 0.14 * x5[1], 0.99 + 0.14 * x5[2]],
    );
    for k in 0..20 {
        let q: [f64; 6] = std::array::from_fn(|i| ((k * 7 + i * 3) as f64).sin() * 2.5);
        same(robot.pose("tool0", &q), expected(&q));
    }
    // The first axis is vertical: nothing holds it.
    close(&robot.holding(&[0.3; 6], &[0.0; 6])[..1], &[0.0]);
    // Turned steadily about it the robot stays as it is: only the damper resists.
    let turning = robot.holding(&[0.3; 6], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    close(&turning[..1], &[0.5]);
}

#[test]
fn scara_has_the_mass_matrix_of_two_links() {
    let robot = robot("scara");
    assert_eq!((robot.freedoms(), robot.mass()), (3, 8.0));
    let q = [0.4, -0.9, 0.1];
    // The tip looks down.
    close(&robot.pose("tip", &[0.0; 3]).position, &[0.7, 0.0, 0.4]);
    let (a, b) = (0.4_f64, 0.4 - 0.9_f64);
    let tip = robot.pose("tip", &q);
    close(
        &tip.position,
        &[0.4 * a.cos() + 0.3 * b.cos(), 0.4 * a.sin() + 0.3 * b.sin(), 0.3],
    );
    same(
        tip,
        Placement {
            position: tip.position,
            ..O.turned(Z, b).turned(X, PI)
        },
    );
    // Upper arm 4 kg, 0.06 kg m² at 0.2 m; fore arm 3 kg, 0.03 kg m² at 0.15 m; quill 1 kg,
    // 0.002 kg m² at 0.3 m.
    let c = q[1].cos();
    let fore = |length: f64, mass: f64, i: f64| {
        let (l1, l) = (0.4, length);
        let m22 = i + mass * l * l;
        [
            m22 + mass * (l1 * l1 + 2.0 * l1 * l * c),
            m22 + mass * l1 * l * c,
            m22,
        ]
    };
    let (f, t) = (fore(0.15, 3.0, 0.03), fore(0.3, 1.0, 0.002));
    let m: [f64; 3] = std::array::from_fn(|i| f[i] + t[i]);
    let m11 = m[0] + 0.06 + 4.0 * 0.04;
    close(
        &robot.mass_matrix(&q),
        &[m11, m[1], 0.0, 0.0, m[2], 0.0, 0.0, 0.0, 1.0],
    );
    // Lifting is along −z.
    close(&robot.holding(&q, &[0.0; 3]), &[0.0, 0.0, -G]);
}

#[test]
fn legs_branch_from_a_floating_pelvis() {
    let fixed = robot("legs");
    assert_eq!((fixed.freedoms(), fixed.mass()), (8, 26.0));
    let robot = robot_with("legs", &free());
    assert_eq!((robot.freedoms(), robot.mass()), (14, 26.0));
    let mut q = robot.model.q0.clone();
    close(&robot.pose("left_sole", &q).position, &[0.05, 0.1, -0.91]);
    close(&robot.pose("right_sole", &q).position, &[0.05, -0.1, -0.91]);
    let set = |q: &mut [f64], name: &str, value: f64| {
        q[robot.model.position_names.iter().position(|n| n == name).unwrap()] = value;
    };
    set(&mut q, "pelvis_base.z", 1.0);
    set(&mut q, "right_hip_roll", -0.2);
    set(&mut q, "right_hip_pitch", -FRAC_PI_2);
    set(&mut q, "right_knee", FRAC_PI_2);
    let foot = O
        .shifted([0.0, -0.1, 0.95])
        .turned(X, -0.2)
        // The thigh is level, the shank hangs.
        .shifted([0.4, 0.0, -0.4]);
    same(robot.pose("right_foot", &q), foot);
    close(&robot.pose("left_sole", &q).position, &[0.05, 0.1, 0.09]);
    // A free base is held with the whole weight.
    let holding = robot.holding(&q, &vec![0.0; robot.model.tree.n_v]);
    close(&holding[..3], &[0.0, 0.0, 26.0 * G]);
}

#[test]
fn loop_joints_close_loops() {
    let robot = robot("four_bar");
    assert_eq!((robot.freedoms(), robot.mass()), (1, 3.0));
    assert_eq!(robot.model.position_names, ["left", "elbow", "right"]);
    let start = robot.model.assemble(&Default::default()).unwrap();
    // The ends of coupler and rocker meet.
    let end = |link, length| robot.pose(link, &start.q).shifted([length, 0.0, 0.0]).position;
    close(&end("coupler", 2.0), &end("rocker", 1.0));
}

#[test]
fn loops_come_from_options_as_well() {
    let path = crate::common::folder("good/four_bar.urdf");
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once("  <loop_joint").unwrap();
    let (_, after) = rest.split_once("</loop_joint>").unwrap();
    let open = format!("{before}{after}");
    let end = |link: &str, x: f64| LoopEnd {
        link: link.to_string(),
        position: [x, 0.0, 0.0],
        rpy: [0.0; 3],
    };
    let close = |kind, link: &str| Options {
        loops: vec![Loop {
            name: "close".to_string(),
            kind,
            first: end("coupler", 2.0),
            second: end(link, 1.0),
            axis: Z,
        }],
        ..Options::default()
    };
    let freedoms = |options: &Options| {
        let model = urdf::read_with(&open, "f", options)
            .unwrap()
            .description
            .compile()
            .unwrap();
        std::sync::Arc::new(model)
            .assemble(&Default::default())
            .unwrap()
            .degrees_of_freedom()
    };
    assert_eq!(freedoms(&Options::default()), 3);
    assert_eq!(freedoms(&close(JointKind::Revolute, "rocker")), 1);
    assert_eq!(freedoms(&close(JointKind::Spherical, "rocker")), 1);
    let message = |options: &Options| {
        urdf::read_with(&open, "f", options).unwrap_err()[0]
            .message
            .clone()
    };
    assert_eq!(
        message(&close(JointKind::Revolute, "roker")),
        "loop joint \"close\": there is no link \"roker\""
    );
    assert_eq!(
        message(&close(JointKind::Free, "rocker")),
        "loop joint \"close\": a free joint closes no loop"
    );
}

#[test]
fn world_is_the_ground() {
    let robot = robot("world");
    // Without the mass of the world.
    assert_eq!((robot.freedoms(), robot.mass()), (2, 3.0));
    assert_eq!(robot.imported.frame("world"), Some("ground"));
    close(&robot.pose("pole", &[0.0, 0.0]).position, &[0.0, 0.0, 0.1]);
    same(
        robot.pose("pole", &[0.7, 0.2]),
        O.shifted([0.7, 0.0, 0.1]).turned(Y, 0.2),
    );
    // m l cos θ between them.
    let expected = [3.0, 0.5 * 0.2_f64.cos(), 0.0, 0.08 + 0.25];
    close(&robot.mass_matrix(&[0.7, 0.2]), &expected);
    close(
        &robot.holding(&[0.7, 0.2], &[0.0; 2]),
        &[0.0, -G * 0.5 * 0.2_f64.sin()],
    );
    let text = std::fs::read_to_string(crate::common::folder("good/world.urdf")).unwrap();
    let errors = urdf::read_with(&text, "world.urdf", &free()).unwrap_err();
    assert_eq!(
        errors[0].message,
        "link \"world\": the root is the ground and cannot float"
    );
}

#[test]
fn inertia_is_turned_into_the_axes_of_the_link() {
    let robot = robot("rotated_inertia");
    assert_eq!((robot.freedoms(), robot.mass()), (1, 2.0));
    // Roll 90° takes y to z and z to −y: diag(1, 2.5, 2); then yaw 30° in the x–y plane.
    let (c2, s2, cs) = (0.75, 0.25, 0.1875_f64.sqrt());
    let expected = [c2 + 2.5 * s2, s2 + 2.5 * c2, 2.0, (1.0 - 2.5) * cs, 0.0, 0.0];
    close(&robot.imported.description.bodies[0].inertia, &expected);
    close(&robot.mass_matrix(&[0.3]), &[2.0 + 2.0 * 0.01]);
    same(robot.pose("rotor", &[0.3]), O.turned(Z, 0.3));
}

#[test]
fn names_are_mapped() {
    let robot = robot("names");
    assert_eq!((robot.freedoms(), robot.mass()), (1, 2.0));
    let frame = |link| robot.imported.frame(link).unwrap();
    assert_eq!(
        ["robot/base.link", "ground", "arm 1", "tool.0"].map(frame),
        ["ground.robot_base_link", "ground_", "arm_1", "arm_1.tool_0"]
    );
    assert_eq!(robot.model.position_names, ["joint_1", "arm_1"]);
    assert_eq!(robot.imported.description.forces[0].name, "arm_1_damping");
    // The marker of a joint gives way to a link of the same name.
    assert_eq!(robot.imported.description.joints[1].from, "ground_.arm_1_joint");
    close(&robot.pose("tool.0", &[0.0, 0.0]).position, &[1.5, 0.0, 1.0]);
    close(
        &robot.pose("tool.0", &[FRAC_PI_2, -PI]).position,
        &[0.0, 0.5, 1.0],
    );
}

#[test]
fn extensions_do_not_disturb() {
    let robot = robot("extensions");
    assert_eq!((robot.freedoms(), robot.mass()), (1, 1.0));
    same(robot.pose("wheel", &[0.9]), O.turned(Z, 0.9));
}

#[test]
fn a_free_base_needs_mass() {
    let text = std::fs::read_to_string(crate::common::folder("good/pendulum.urdf")).unwrap();
    let errors = urdf::read_with(&text, "p", &free()).unwrap_err();
    assert_eq!(
        errors[0].message,
        "link \"post\" floats, but neither it nor a link fixed to it has mass"
    );
}
