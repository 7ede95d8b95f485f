//! What is stated about a start is kept, or it is told.

use super::*;
use holonom_multibody::description::{Coordinate, Hold, StartHint};
use holonom_multibody::start::MovedCoordinate;
use holonom_testing::Random;

/// A four-bar linkage that says nothing about its start.
fn silent() -> Description {
    let mut d = four_bar(LENGTHS, [0.0; 3]);
    for joint in &mut d.joints {
        joint.coordinates.clear();
    }
    d
}

fn velocity(start: &Assembled, name: &str) -> f64 {
    let names = &start.model.velocity_names;
    start.v[names.iter().position(|n| n == name).expect("a velocity")]
}

/// Values of the tree that are stated or fixed, against what they became.
fn changed(start: &Assembled, level: Hold) -> f64 {
    let model = &start.model;
    let mut most = 0.0_f64;
    for node in model.tree.nodes.iter().filter(|n| n.n_v() > 0) {
        if model.start.positions[node.v] == level {
            for i in node.q..node.q + node.n_q() {
                most = most.max((start.q[i] - model.q0[i]).abs());
            }
        }
        for j in node.v..node.v + node.n_v() {
            if model.start.velocities[j] == level {
                most = most.max((start.v[j] - model.v0[j]).abs());
            }
        }
    }
    most
}

#[test]
fn velocities_that_are_not_stated_follow() {
    let mut d = silent();
    d.joints[0] = d.joints[0].clone().start_position(0, 1.3).start_velocity(0, 6.0);
    let start = assembled(&d);
    assert_eq!((position(&start, "left"), velocity(&start, "left")), (1.3, 6.0));
    assert!(
        start
            .moved
            .iter()
            .chain(&start.moved_velocities)
            .all(|m| !m.stated)
    );
    assert!(inconsistency(&start) < 1e-8);
    // With a zero that contradicts both give way, and it is told.
    d.joints[2] = d.joints[2].clone().start_velocity(0, 0.0);
    let start = assembled(&d);
    let stated: Vec<&MovedCoordinate> = start.moved_velocities.iter().filter(|m| m.stated).collect();
    let names: Vec<&str> = stated.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["left", "right"]);
    assert_eq!((stated[0].from, stated[1].from), (6.0, 0.0));
}

#[test]
fn fixed_values_are_kept_or_refused() {
    let mut d = silent();
    d.joints[0] = d.joints[0].clone().fixed_position(0, 1.3).fixed_velocity(0, 6.0);
    d.joints[1] = d.joints[1].clone().start(0.4, 3.0);
    d.joints[2] = d.joints[2].clone().start(0.9, -2.0);
    let start = assembled(&d);
    assert_eq!((position(&start, "left"), velocity(&start, "left")), (1.3, 6.0));
    assert!(
        start
            .moved_velocities
            .iter()
            .any(|m| m.stated && m.name == "right")
    );
    d.joints[2] = d.joints[2].clone().fixed_velocity(0, -2.0);
    let error = compiled(&d)
        .assemble(&AssemblyOptions::default())
        .expect_err("too much");
    let AssemblyError::Fixed {
        level: Level::Velocity,
        fixed,
        loops,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(loops[0].constraint, "loop");
    assert!(
        fixed.iter().any(|m| m.name == "right" && m.from == -2.0),
        "{error}"
    );
    d.joints[2] = d.joints[2].clone().fixed_position(0, 2.9);
    let error = compiled(&d)
        .assemble(&AssemblyOptions::default())
        .expect_err("too much");
    assert!(
        matches!(
            error,
            AssemblyError::Fixed {
                level: Level::Position,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error.to_string().contains("`right` is fixed at 2.900000, but "),
        "{error}"
    );
}

#[test]
fn values_of_a_cut_joint_count() {
    let mut d = silent();
    // The angle between coupler and rocker alone says where the linkage is.
    d.joints[3] = d.joints[3].clone().start(0.9, 2.0);
    let start = assembled(&d);
    let relative = || {
        let angle = position(&start, "right") - position(&start, "left") - position(&start, "elbow");
        let rate = velocity(&start, "right") - velocity(&start, "left") - velocity(&start, "elbow");
        (angle, rate)
    };
    let (angle, rate) = relative();
    let tau = std::f64::consts::TAU;
    let turns = ((angle - 0.9) / tau).round();
    assert!((angle - turns * tau - 0.9).abs() < 1e-10, "{angle}");
    assert!((rate - 2.0).abs() < 1e-10, "{rate}");
    // One that contradicts what else is stated is told, and fixed it is refused.
    d.joints[0] = d.joints[0].clone().fixed_position(0, 1.0);
    d.joints[1] = d.joints[1].clone().fixed_position(0, 0.3);
    let error = compiled(&d).assemble(&AssemblyOptions::default());
    assert!(matches!(error, Err(AssemblyError::Fixed { .. })), "{error:?}");
    d.joints[1] = d.joints[1].clone().start_position(0, 0.3);
    let start = assembled(&d);
    assert_eq!(position(&start, "left"), 1.0);
    assert!(
        start
            .moved
            .iter()
            .any(|m| m.stated && m.name == "loop" && m.from == 0.9),
        "{:?}",
        start.moved
    );
}

#[test]
fn hints_choose_the_branch() {
    for side in [1.0, -1.0] {
        let mut d =
            silent().start_hint(StartHint::new("rocker.end").position([LENGTHS[3] - 0.3, side * 1.1, 0.0]));
        d.joints[0] = d.joints[0].clone().fixed_position(0, 0.4);
        let start = assembled(&d);
        let snapshot = start.model.snapshot(0.0, &start.q, &start.v);
        let rocker = start.model.body_index("rocker").expect("a body");
        let (end, _) = snapshot.point(rocker, [LENGTHS[2], 0.0, 0.0]);
        assert!(side * end[1] > 0.3, "{side}: {end:?}");
        assert_eq!(position(&start, "left"), 0.4);
    }
}

/// A hint chooses the position also where errors of the data open the redundant rows a little.
#[test]
fn hints_count_where_data_are_rounded() {
    for error in [0.0, 1e-12, 1e-9, 1e-7] {
        let door = Body::thin_rod("door", 1.0, [1.0, 0.0, 0.0])
            .marker("top", frame::at([error, 0.0, 1.0]))
            .marker("edge", frame::at([1.0, 0.0, 0.0]));
        let d = Description::new("door")
            .ground_marker("top", frame::at([0.0, 0.0, 1.0]))
            .body(door)
            .joint(Joint::revolute("low", "ground", "door"))
            .joint(Joint::revolute("high", "ground.top", "door.top"))
            .start_hint(StartHint::new("door.edge").position([0.7, 0.7, 0.0]));
        let angle = position(&assembled(&d), "low");
        assert!(
            (angle - 0.25 * core::f64::consts::PI).abs() < 1e-3,
            "{error}: {angle}"
        );
    }
}

/// Stated values that are one too many and rounded move by their rounding, wherever the other one begins.
#[test]
fn rounded_values_move_by_their_rounding() {
    for crank in [0.4, 1.3, 2.9, 4.4] {
        let mut d = silent();
        d.joints[0] = d.joints[0].clone().start_position(0, crank);
        let start = assembled(&d);
        let exact = ["left", "elbow"].map(|name| position(&start, name));
        for digits in [3, 6, 8] {
            let unit = 10_f64.powi(-digits);
            let mut d = silent();
            for (joint, angle) in d.joints.iter_mut().zip(exact) {
                *joint = joint.clone().start_position(0, (angle / unit).round() * unit);
            }
            let moved = changed(&assembled(&d), Hold::Stated);
            assert!(moved < 10.0 * unit, "{crank}, {digits} digits: {moved}");
        }
    }
}

/// A parallelogram stretched flat, where its branches meet.
#[test]
fn a_singular_start_gains_no_energy() {
    for stated in [
        [5.0, 0.0, 0.0],
        [5.0, -5.0, 0.0],
        [3.0, 1.0, -2.0],
        [5.0, -5.0, 5.0],
    ] {
        let mut d = four_bar([1.0, 2.0, 1.0, 2.0], [0.0; 3]);
        for (joint, velocity) in d.joints.iter_mut().zip(stated) {
            *joint = joint.clone().start_position(0, 0.0).start_velocity(0, velocity);
        }
        let start = assembled(&d);
        assert!(start.rows.singular_start);
        let energy = |v: &[f64]| start.model.snapshot(0.0, &start.q, v).kinetic_energy();
        assert!(
            energy(&start.v) <= energy(&start.model.v0) * (1.0 + 1e-9),
            "{stated:?}: {:?}",
            start.v
        );
        assert!(
            inconsistency(&start) < 1e-6,
            "{stated:?}: {}",
            inconsistency(&start)
        );
    }
    // Only the crank is stated: it is kept.
    let mut d = four_bar([1.0, 2.0, 1.0, 2.0], [0.0; 3]);
    for joint in &mut d.joints {
        joint.coordinates.clear();
    }
    d.joints[0] = d.joints[0].clone().start(0.0, 5.0);
    let start = assembled(&d);
    assert!((velocity(&start, "left") - 5.0).abs() < 1e-9, "{:?}", start.v);
    assert!(inconsistency(&start) < 1e-6);
}

/// One of three linkages that close at the values given back.
fn linkage(r: &mut Random) -> Description {
    match r.below(3) {
        0 => {
            let lengths = [
                r.range(0.3, 0.6),
                r.range(1.6, 2.2),
                r.range(1.0, 1.6),
                r.range(1.8, 2.2),
            ];
            four_bar(
                lengths,
                [r.range(0.0, 6.0), r.range(-1.0, 1.0), r.range(1.0, 2.0)],
            )
        }
        1 => slider_crank(r.range(0.2, 1.3)),
        _ => spatial_four_bar(),
    }
}

/// States or fixes values of a joint at random, at what they are in a consistent start or off it.
fn say(r: &mut Random, joint: &mut Joint, at: &Assembled, off: f64) {
    let names = &at.model.position_names;
    let mut hold = || match r.below(4) {
        0 => Hold::Free,
        1 | 2 => Hold::Stated,
        _ => Hold::Fixed,
    };
    let holds = [hold(), hold()];
    if joint.kind.info().has_orientation {
        let first =
            |names: &[String], part: &str| names.iter().position(|n| *n == format!("{}.{part}", joint.name));
        if let (Some(i), Some(j)) = (first(names, "e0"), first(&at.model.velocity_names, "wx")) {
            joint.orientation = [0, 1, 2, 3].map(|k| at.q[i + k]);
            joint.angular_velocity = [0, 1, 2].map(|k| at.v[j + k]);
            (joint.orientation_hold, joint.angular_velocity_hold) = (holds[0], holds[1]);
        }
        return;
    }
    let Some(i) = names.iter().position(|n| *n == joint.name) else {
        return;
    };
    let j = at
        .model
        .velocity_names
        .iter()
        .position(|n| *n == joint.name)
        .expect("both");
    joint.coordinates = vec![Coordinate {
        position: at.q[i] + off * r.range(-1.0, 1.0),
        velocity: at.v[j] + off * r.range(-1.0, 1.0),
        position_hold: holds[0],
        velocity_hold: holds[1],
        ..Coordinate::default()
    }];
}

#[test]
fn three_hundred_starts_keep_what_is_fixed() {
    let (mut kept, mut refused, mut told) = (0, 0, 0);
    for seed in 0..300_u64 {
        let r = &mut Random::new(91_000 + seed);
        let mut d = linkage(r);
        for joint in &mut d.joints {
            if let Some(coordinate) = joint.coordinates.first_mut() {
                coordinate.velocity = r.range(-2.0, 2.0);
            }
        }
        let at = assembled(&d);
        // Consistent to rounding, or off.
        let off = if seed % 3 == 0 { 0.0 } else { 0.2 };
        for joint in &mut d.joints {
            say(r, joint, &at, off);
        }
        match compiled(&d).assemble(&AssemblyOptions::default()) {
            Ok(start) => {
                assert_eq!(changed(&start, Hold::Fixed), 0.0, "seed {seed}");
                assert!(
                    inconsistency(&start) < 1e-6,
                    "seed {seed}: {}",
                    inconsistency(&start)
                );
                let moved = start
                    .moved
                    .iter()
                    .chain(&start.moved_velocities)
                    .any(|m| m.stated);
                assert_eq!(moved, changed(&start, Hold::Stated) > 1e-9, "seed {seed}");
                assert!(
                    off > 0.0 || !moved,
                    "seed {seed}: {:?} {:?}",
                    start.moved,
                    start.moved_velocities
                );
                kept += 1;
                told += usize::from(moved);
            }
            Err(AssemblyError::Fixed { fixed, loops, .. }) => {
                assert!(off > 0.0, "seed {seed}: {fixed:?} {loops:?}");
                assert!(
                    !fixed.is_empty() && !loops.is_empty(),
                    "seed {seed}: {fixed:?} {loops:?}"
                );
                refused += 1;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(kept > 100 && refused > 20 && told > 20, "{kept} {told} {refused}");
}

#[test]
fn parts_and_mirror_images_start_alike() {
    use holonom_multibody::description::Axis;
    use holonom_multibody::include::Placement;
    for (axis, sign) in [(Axis::Y, [1.0, -1.0, 1.0]), (Axis::X, [-1.0, 1.0, 1.0])] {
        for side in [1.0, -1.0] {
            let mut part = silent().start_hint(StartHint::new("rocker.end").position([
                LENGTHS[3] - 0.3,
                side * 1.1,
                0.0,
            ]));
            part.joints[0] = part.joints[0].clone().fixed_position(0, 0.4);
            part.joints[3] = part.joints[3].clone().fixed_velocity(0, 1.5);
            let end = |d: &Description, name: &str| {
                let start = assembled(d);
                let snapshot = start.model.snapshot(0.0, &start.q, &start.v);
                let body = start.model.body_index(name).expect("a body");
                snapshot.point(body, [LENGTHS[2], 0.0, 0.0])
            };
            let (x, v) = end(&part, "rocker");
            let host = Description::new("host").gravity(DOWN);
            let at = Placement::new("p_").at(frame::at([0.5, 0.0, 0.2])).mirror(axis);
            let host = host.include(part.clone(), &at).expect("fits");
            assert_eq!(host.hints[0].to, "p_rocker.end");
            // The mirror image has the end of its rocker along x as well, or against it.
            let start = assembled(&host);
            let snapshot = start.model.snapshot(0.0, &start.q, &start.v);
            let body = start.model.body_index("p_rocker").expect("a body");
            let marker = host.bodies[body - 1].markers[0].frame.position.0;
            let (y, w) = snapshot.point(body, marker);
            for k in 0..3 {
                let offset = [0.5, 0.0, 0.2][k];
                assert!(
                    (y[k] - offset - sign[k] * x[k]).abs() < 1e-9,
                    "{axis:?} {side}: {x:?} {y:?}"
                );
                assert!(
                    (w[k] - sign[k] * v[k]).abs() < 1e-8,
                    "{axis:?} {side}: {v:?} {w:?}"
                );
            }
        }
    }
}
