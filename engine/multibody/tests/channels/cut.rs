//! A joint shows the same values whether it is in the tree or cut, and whichever way the tree runs.

use super::*;
use holonom_algebra::{Quaternion, Vec3};
use holonom_multibody::description::{Body, Coordinate, Joint, JointKind};
use holonom_multibody::forest::Hint;
use holonom_multibody::{Signal, model::JointPlace};

const KINDS: [JointKind; 8] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Helical { pitch: 0.2 },
    JointKind::Universal,
    JointKind::Planar,
    JointKind::Spherical,
];

/// A body on a carrier that turns in a prescribed way, by a joint `K` with random frames.
fn one_joint(r: &mut holonom_testing::Random, kind: JointKind) -> Description {
    let mut joint = Joint::new("K", kind, "carrier.seat", "b.own");
    if kind.info().has_axis {
        joint = joint.axis(r.vector(1.0));
    }
    joint.coordinates = kind
        .info()
        .coordinates
        .iter()
        .map(|_| Coordinate {
            position: r.range(-1.2, 1.2),
            velocity: r.range(-1.0, 1.0),
            ..Default::default()
        })
        .collect();
    if kind.info().has_orientation {
        // w > 0, as a cut joint shows it.
        let e = r.quaternion();
        let e = if e[0] < 0.0 { e.map(|x| -x) } else { e };
        joint = joint.orientation(e).angular_velocity(r.vector(1.0));
    }
    Description::new("one joint")
        .gravity(r.vector(10.0))
        .body(Body::cuboid("carrier", 1.0, [0.3, 0.2, 0.1]).marker("seat", r.frame(0.4)))
        .body(
            Body::cuboid("b", 2.0, [0.1, 0.2, 0.5])
                .centre(r.vector(0.2))
                .marker("own", r.frame(0.3)),
        )
        .joint(
            Joint::revolute("carry", "ground", "carrier")
                .axis(r.vector(1.0))
                .prescribed(0, Signal::harmonic(0.5, 2.0, 0.3)),
        )
        .joint(joint)
}

/// The same with the body free and `K` cut, from the same state.
fn cut(tree: &Description, now: &HashMap<String, f64>) -> Description {
    let mut d = tree.clone();
    let k = d.joints.pop().unwrap();
    let part = |axis: &str| now[&format!("b.orientation.{axis}")];
    let e = ["w", "x", "y", "z"].map(part);
    let omega = Quaternion(e)
        .conjugate()
        .rotate(vector(now, "b.angular_velocity").0);
    let (x, u) = (vector(now, "b.position"), vector(now, "b.velocity"));
    let mut free = Joint::new("free", JointKind::Free, "ground", "b")
        .orientation(e)
        .angular_velocity(omega);
    free.coordinates = (0..3)
        .map(|i| Coordinate {
            position: x.0[i],
            velocity: u.0[i],
            ..Default::default()
        })
        .collect();
    d.joint(free).joint(k.hint(Hint::Cut))
}

#[test]
fn cut_joints_show_the_coordinates_of_the_tree() {
    for kind in KINDS {
        for seed in 0..6 {
            let r = &mut holonom_testing::Random::new(100 + seed);
            let description = one_joint(r, kind);
            let start = assembled(&description);
            let tree = at_start(&start);
            let cut_start = assembled(&cut(&description, &tree));
            assert!(matches!(
                cut_start.model.joints.last().unwrap().place,
                JointPlace::Cut { .. }
            ));
            let loops = at_start(&cut_start);
            let mut compared = 0;
            for (name, x) in tree.iter().filter(|(name, _)| !name.starts_with("carry.")) {
                let y = loops[name];
                let error = (x - y).abs() / (1.0 + x.abs());
                assert!(error < 1e-8, "{kind:?} {seed}: {name} tree {x}, cut {y}");
                compared += usize::from(name.starts_with("K."));
            }
            let info = kind.info();
            let expected = 3 * info.coordinates.len() + if info.has_orientation { 10 } else { 0 } + 6;
            assert_eq!(compared, expected);
            // What holds the carrier: its own joint, which carries both bodies here and one there.
            assert!(Vec3(["x", "y", "z"].map(|k| loops[&format!("K.force.{k}")])).norm() > 0.0);
        }
    }
}

/// The first and the second frame changed: the tree runs the other way through the joint.
#[test]
fn reversed_balls_show_the_second_frame() {
    for seed in 0..6 {
        let r = &mut holonom_testing::Random::new(seed);
        let description = one_joint(r, JointKind::Spherical);
        let now = at_start(&assembled(&description));
        let mut reversed = description.clone();
        let k = reversed.joints.last_mut().unwrap();
        core::mem::swap(&mut k.from, &mut k.to);
        let e = Quaternion(k.orientation);
        k.orientation = e.conjugate().0;
        k.angular_velocity = e.rotate(k.angular_velocity).map(|w| -w);
        let other = at_start(&assembled(&reversed));
        // Seen from the other side: conjugate parameters, opposite velocity in the other axes.
        let part = |axis: &str| now[&format!("K.orientation.{axis}")];
        let e = Quaternion(["w", "x", "y", "z"].map(part));
        for (axis, expected) in ["w", "x", "y", "z"].iter().zip(e.conjugate().0) {
            assert!((other[&format!("K.orientation.{axis}")] - expected).abs() < 1e-12);
        }
        for name in ["angular_velocity", "angular_acceleration"] {
            let expected = e.rotate(vector(&now, &format!("K.{name}")).0);
            let found = vector(&other, &format!("K.{name}"));
            assert!(
                (found + Vec3(expected)).norm() < 1e-9,
                "{name} {found:?} {expected:?}"
            );
        }
        for axis in ["x", "y", "z"] {
            let name = format!("b.acceleration.{axis}");
            assert!((now[&name] - other[&name]).abs() < 1e-9);
        }
    }
}

#[test]
fn locked_and_prescribed_coordinates() {
    let description = Description::new("special")
        .body(Body::cuboid("a", 1.0, [0.1, 0.2, 0.3]))
        .joint(
            Joint::planar("P", "ground", "a")
                .locked(0, 4.5)
                .prescribed(1, Signal::linear(1.0, 2.0)),
        );
    let start = assembled(&description);
    let now = values(&start, 0.5, &start.q, &start.v);
    for (name, expected) in [
        ("P.x", 4.5),
        ("P.x.velocity", 0.0),
        ("P.y", 2.0),
        ("P.y.velocity", 2.0),
        ("input.P.y", 2.0),
        ("input.P.y.rate", 2.0),
        ("a.position.x", 4.5),
        ("a.velocity.y", 2.0),
    ] {
        assert!((now[name] - expected).abs() < 1e-14, "{name}");
    }
    let mut locked = Joint::spherical("S", "ground", "a").orientation([-0.6, 0.0, 0.8, 0.0]);
    locked.orientation_locked = true;
    let description = Description::new("held")
        .body(Body::cuboid("a", 1.0, [0.1, 0.2, 0.3]))
        .joint(locked);
    let now = at_start(&assembled(&description));
    for (axis, expected) in [("w", 0.6), ("x", 0.0), ("y", -0.8), ("z", 0.0)] {
        assert!((now[&format!("S.orientation.{axis}")] - expected).abs() < 1e-14);
    }
    assert_eq!(now["S.angular_velocity.y"], 0.0);
}
