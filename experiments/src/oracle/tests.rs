//! The oracle beside closed forms and published values.

use super::{Oracle, State};
use crate::generator::{Family, Wanted, generate};
use crate::geometry::{
    UNIT, V3, add, apply, cross, dot, norm, product, rotation_vector, scale, sub, transposed,
};
use crate::mechanism::{Body, Drive, Frame, Joint, JointKind, Mechanism};

/// A body on the ground by a joint at its origin; without a joint where there is none.
fn single(kind: Option<JointKind>, mass: f64, centre: V3, moments: V3, gravity: V3) -> Mechanism {
    let frame = |name: &str, body| Frame {
        name: name.into(),
        body,
        position: [0.0; 3],
        rotation: UNIT,
    };
    let mut inertia = [[0.0; 3]; 3];
    (0..3).for_each(|k| inertia[k][k] = moments[k]);
    let joint = |kind: JointKind| Joint {
        name: "j1".into(),
        kind,
        from: 0,
        to: 1,
        axis: None,
        pitch: 0.0,
        start: vec![0.0; kind.coordinates().len()],
        rates: vec![0.0; kind.coordinates().len()],
        drives: vec![Drive::None; kind.coordinates().len()],
        orientation: UNIT,
        angular_velocity: [0.0; 3],
        in_tree: true,
    };
    Mechanism {
        seed: 0,
        family: Family::Tree,
        size: 1.0,
        tau: 1.0,
        gravity,
        bodies: vec![Body {
            name: "b1".into(),
            mass,
            centre,
            inertia,
            position: [0.0; 3],
            rotation: UNIT,
            velocity: [0.0; 3],
            omega: [0.0; 3],
        }],
        frames: vec![frame("ground", None), frame("b1", Some(0))],
        joints: kind.map(joint).into_iter().collect(),
        constraints: Vec::new(),
        forces: Vec::new(),
        t_end: 1.0,
        freedoms: 0,
        rank: 0,
        condition: 1.0,
    }
}

fn integrated(oracle: &Oracle, start: &State, t: f64) -> State {
    match oracle.clone().integrate(start, t, 1e-12) {
        Ok(end) => end,
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn the_middle_axis_turns_over_as_published() {
    // Reference with 18 digits from a Radau method in binary128, rates equal to the Jacobi elliptic functions.
    let oracle = Oracle::new(&single(None, 1.0, [0.0; 3], [1.0, 2.0, 3.0], [0.0; 3]));
    let mut start = oracle.start();
    start.set_velocity(0, [0.0; 3], [0.001, 1.0, 0.001]);
    let end = integrated(&oracle, &start, 50.0);
    let w = [0.0253640862814745328, 0.999678779972399892, 0.0146667068888927778];
    let e = [
        0.380979709192103532,
        -0.0099999921021775702,
        -0.924489842150399004,
        -0.00854360009521411242,
    ];
    for k in 0..3 {
        assert!(
            (end.velocity(0).1[k] - w[k]).abs() < 1e-9,
            "{:?}",
            end.velocity(0)
        );
    }
    for k in 0..4 {
        assert!((end.e[0][k] - e[k]).abs() < 1e-9, "{:?}", end.e[0]);
    }
}

#[test]
fn a_pendulum_has_its_period() {
    // Mass 2 kg, 0.7 m from the axis z, moment 0.3 kg m² about its centre; gravity along −y; released at 2 rad.
    let (m, l, i, angle) = (2.0, 0.7, 0.3, 2.0f64);
    let mut model = single(
        Some(JointKind::Revolute),
        m,
        [0.0, -l, 0.0],
        [0.5, 0.4, i],
        [0.0, -9.81, 0.0],
    );
    let turned = crate::geometry::about([0.0, 0.0, 1.0], angle);
    model.bodies[0].rotation = turned;
    model.joints[0].start = vec![angle];
    let oracle = Oracle::new(&model);
    assert_eq!(oracle.freedoms(&oracle.start()), 1);
    // T = 2π √(I/(m g l)) / agm(1, cos(φ/2)).
    let (mut a, mut b) = (1.0f64, (angle / 2.0).cos());
    while (a - b).abs() > 1e-15 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let period = std::f64::consts::TAU * ((i + m * l * l) / (m * 9.81 * l)).sqrt() / a;
    let start = oracle.start();
    let half = integrated(&oracle, &start, 0.5 * period);
    let end = integrated(&oracle, &start, period);
    let turn = rotation_vector(&product(&transposed(&turned), &end.rot[0]));
    assert!(norm(turn) < 1e-9 && norm(end.velocity(0).1) < 1e-9, "{turn:?}");
    let there = rotation_vector(&half.rot[0]);
    assert!((there[2] + angle).abs() < 1e-9, "{there:?}");
}

#[test]
fn a_heavy_top_keeps_its_integrals() {
    let (m, l) = (1.5, 0.4);
    let mut model = single(
        Some(JointKind::Spherical),
        m,
        [0.0, 0.0, l],
        [0.2, 0.2, 0.1],
        [0.0, 0.0, -9.81],
    );
    model.bodies[0].rotation = crate::geometry::about([1.0, 0.0, 0.0], 0.5);
    model.joints[0].orientation = model.bodies[0].rotation;
    let oracle = Oracle::new(&model);
    let mut start = oracle.start();
    start.set_velocity(0, [0.0; 3], [0.1, 0.3, 40.0]);
    oracle.project_velocities(&mut start);
    let end = integrated(&oracle, &start, 2.0);
    let integrals = |s: &State| {
        let own = apply(&model.bodies[0].inertia, s.w[0]);
        let about = add(apply(&s.rot[0], own), cross(s.r[0], scale(m, s.v[0])));
        let (kinetic, potential) = oracle.energies(s);
        [s.w[0][2], about[2], kinetic + potential]
    };
    for (a, b) in integrals(&start).into_iter().zip(integrals(&end)) {
        assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{a} {b}");
    }
    // It has moved.
    assert!(norm(sub(start.r[0], end.r[0])) > 1e-2 && dot(end.r[0], end.r[0]) > 0.0);
}

#[test]
fn known_linkages_have_one_freedom() {
    for (family, bodies) in [
        (Family::Bennett, [3, 3]),
        (Family::Sarrus, [5, 7]),
        (Family::Bricard, [5, 5]),
        (Family::Parallelogram, [3, 4]),
    ] {
        let mut alone = 0;
        for seed in 0..20 {
            let wanted = Wanted {
                drives: false,
                ..Wanted::of(family)
            };
            let m = generate(seed, &wanted).expect("drawn");
            // Others have something hanging on them.
            if m.joints.iter().all(|j| j.kind == JointKind::Revolute) && bodies.contains(&m.bodies.len()) {
                alone += 1;
                assert_eq!(m.freedoms, 1, "{} {seed}", family.name());
            }
        }
        assert!(alone > 10, "{}", family.name());
    }
}

#[test]
fn energy_stays_without_forces_and_dampers() {
    for family in Family::ALL {
        let mut compared = 0;
        for seed in 100..103 {
            let wanted = Wanted {
                forces: false,
                drives: false,
                ..Wanted::of(family)
            };
            let m = generate(seed, &wanted).expect("drawn");
            let mut oracle = Oracle::new(&m);
            let start = oracle.start();
            let Ok(end) = oracle.integrate(&start, m.t_end, 1e-11) else {
                continue;
            };
            compared += 1;
            let sum = |(a, b): (f64, f64)| a + b;
            let (before, after) = (oracle.energies(&start), oracle.energies(&end));
            let masses: f64 = m.bodies.iter().map(|b| b.mass).sum();
            let unit = before
                .0
                .max(after.0)
                .max(1e-3 * masses * (m.size / m.tau).powi(2));
            let off = (sum(before) - sum(after)).abs() / unit;
            assert!(off < 1e-7, "{} {seed}: {off:e}", family.name());
        }
        assert!(compared >= 1, "{}", family.name());
    }
}
