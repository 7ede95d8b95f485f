//! Wheels on rails and travelling frames, in whole mechanisms.

#![allow(clippy::unwrap_used)]

use holonom_algebra::Vec3;
use holonom_expression::{Expression, Scope};
use holonom_multibody::description::{Axis, Body, Constraint, Force, Joint, Track, frame};
use holonom_multibody::elements::constraints::WheelRailShape;
use holonom_multibody::elements::forces::{CreepData, ForceElement};
use holonom_multibody::rail::CreepLaw;
use holonom_multibody::workspace::Workspace;
use holonom_multibody::{Description, Model, Signal};
use std::sync::Arc;

fn over_arc(text: &str) -> Expression {
    Expression::parse(text, &Scope::new().variable("s"), None).unwrap()
}

fn track(curvature: &str, cant: &str, travel: Signal) -> Track {
    Track {
        curvature: over_arc(curvature),
        cant: over_arc(cant),
        length: 3000.0,
        travel,
        ..Track::new("line", "car")
    }
}

/// The marker `seat` of the body on a track, in the world: origin, velocity, acceleration, axes.
fn seat(track: Track, t: f64) -> ([Vec3<f64>; 3], [Vec3<f64>; 3]) {
    let model = Description::new("ride")
        .body(Body::new("car", 0.0).marker("seat", frame::at([0.0, 0.5, 1.2])))
        .track(track)
        // Something that has to be known in the world.
        .force(Force::applied("load", "car.seat", [0.0; 3].map(Signal::constant)))
        .compile()
        .unwrap_or_else(|e| panic!("{e}"));
    let mut work = Workspace::<f64>::new(&model);
    work.set_time(&model, t);
    work.set_positions(&model, &[]);
    work.set_velocities(&model, &[]);
    work.set_accelerations(&model, None);
    let at = model.bodies[1].markers[0].frame;
    let (scene, ..) = work.scene(&model);
    let state = scene.frame(&at);
    let (_, acceleration) = scene.acceleration(&at);
    let axes = [0, 1, 2].map(|k| state.axes.column(k));
    ([state.origin, state.velocity, acceleration], axes)
}

#[test]
fn a_circle_at_constant_speed() {
    let (speed, radius, cant) = (40.0_f64, 300.0_f64, -0.1_f64);
    let line = track("1/300", "-0.1", Signal::linear(7.0, speed));
    for t in [0.0, 3.3, 20.0, 60.0] {
        let ([origin, velocity, acceleration], axes) = seat(line.clone(), t);
        // The seat is on a circle of its own, about the same centre.
        let out = radius - (0.5 * cant.cos() - 1.2 * cant.sin());
        let centre = Vec3([0.0, radius, origin.0[2]]);
        let inwards = (centre - origin).scale(1.0 / out);
        assert!((inwards.norm() - 1.0).abs() < 1e-12, "{}", inwards.norm());
        let expected = inwards.scale((speed / radius).powi(2) * out);
        assert!(
            (acceleration - expected).norm() < 1e-10,
            "{acceleration:?} {expected:?}"
        );
        assert!((velocity - axes[0].scale(speed / radius * out)).norm() < 1e-10);
        // Negative cant: the left rail is lower, the frame leans into the bend.
        assert!((axes[1].0[2] - cant.sin()).abs() < 1e-14);
    }
    // Along the middle of the track itself: v²/R.
    let model = Description::new("ride")
        .body(Body::new("car", 0.0))
        .track(line)
        .compile()
        .unwrap();
    let [x, y] = [0, 1].map(|k| model.signals[k].evaluate(11.0)[2]);
    assert!((f64::hypot(x, y) - speed * speed / radius).abs() < 1e-10);
}

#[test]
fn travel_that_accelerates_through_a_transition() {
    let travel = Signal::Polynomial(vec![30.0, 12.0, 1.5]);
    let mut line = track(
        "if(s < 40, 0, if(s < 100, (s - 40)/60/400, 1/400))",
        "-0.002*s",
        travel,
    );
    line.gradient = over_arc("0.01 + 0.0003*s");
    let h = 1e-4;
    for t in [0.2, 1.0, 3.0] {
        let ([_, v, a], axes) = seat(line.clone(), t);
        assert!(axes[0].0[2] > 0.0);
        let ([before, v_before, _], _) = seat(line.clone(), t - h);
        let ([after, v_after, _], _) = seat(line.clone(), t + h);
        assert!(((after - before).scale(0.5 / h) - v).norm() < 1e-5, "{t}");
        assert!(((v_after - v_before).scale(0.5 / h) - a).norm() < 1e-5, "{t}");
    }
}

/// A load that slides along the track: gravity pulls it down the slope, whatever the cant.
#[test]
fn a_gradient_turns_gravity() {
    for (gradient, cant) in [("0.04", "0"), ("-0.1", "0.12")] {
        let mut line = track("0", cant, Signal::constant(5.0));
        line.gradient = over_arc(gradient);
        let d = Description::new("ride")
            .body(Body::new("car", 0.0))
            .body(Body::new("load", 3.0))
            .track(line)
            .joint(Joint::prismatic("slide", "car", "load").axis([1.0, 0.0, 0.0]));
        let start = Arc::new(d.compile().unwrap())
            .assemble(&Default::default())
            .unwrap();
        let slope = gradient.parse::<f64>().unwrap().atan();
        assert!((start.a[0] + 9.81 * slope.sin()).abs() < 1e-13, "{}", start.a[0]);
    }
}

#[test]
fn cant_turns_gravity() {
    let sliding = |cant: &str| {
        let d = Description::new("ride")
            .body(Body::new("car", 0.0))
            .body(Body::new("load", 3.0))
            .track(track("0", cant, Signal::constant(5.0)))
            .joint(Joint::prismatic("slide", "car", "load").axis([0.0, 1.0, 0.0]));
        Arc::new(d.compile().unwrap())
            .assemble(&Default::default())
            .unwrap()
            .a[0]
    };
    for cant in ["0", "0.1", "-0.15"] {
        let angle: f64 = cant.parse().unwrap();
        // Left rail up: everything slides to the right.
        assert!((sliding(cant) + 9.81 * angle.sin()).abs() < 1e-13);
    }
}

/// A wheelset between rails, on the ground or on a track that travels.
fn wheelset(line: Option<Track>, data: CreepData) -> Description {
    let moving = line.is_some();
    let rails = if moving { "car" } else { "ground" };
    let cone = WheelRailShape::cone(0.46, 0.05, 0.3);
    let mut d = Description::new("wheelset")
        .ground_marker("left", frame::at([0.0, 0.75, 0.0]))
        .ground_marker("right", frame::at([0.0, -0.75, 0.0]))
        .body(
            Body::new("wheelset", 1200.0)
                .inertia([600.0, 90.0, 600.0, 0.0, 0.0, 0.0])
                .marker("left", frame::at([0.0, 0.75, 0.0]))
                .marker("right", frame::at([0.0, -0.75, 0.0])),
        )
        .joint(Joint::free("motion", rails, "wheelset"))
        .constraint(Constraint::wheel_rail(
            "left",
            "wheelset.left",
            format!("{rails}.left"),
            false,
            cone.clone(),
        ))
        .constraint(Constraint::wheel_rail(
            "right",
            "wheelset.right",
            format!("{rails}.right"),
            true,
            cone,
        ));
    for side in ["left", "right"] {
        let data = CreepData {
            travelling: moving,
            ..data
        };
        d = d.force(Force::creep(format!("creep_{side}"), side, data));
    }
    if let Some(line) = line {
        let car = Body::new("car", 0.0)
            .marker("left", frame::at([0.0, 0.75, 0.0]))
            .marker("right", frame::at([0.0, -0.75, 0.0]));
        d = d.body(car).track(line);
    }
    d
}

/// Positions (x, y, z, Euler parameters) and velocities (position, angular in body axes).
type State = ([f64; 7], [f64; 6]);

fn state(y: f64, yaw: f64, roll: f64, v: [f64; 6]) -> State {
    let half = [0.5 * roll, 0.5 * yaw];
    let mut q = [0.0, y, 0.46, 1.0, half[0], 0.0, half[1]];
    let norm = q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
    q[3..].iter_mut().for_each(|x| *x /= norm);
    (q, v)
}

const NORMAL: f64 = 45e3;

/// Loads of the creep forces on the coordinates, and creepages of both sides.
fn creeping(model: &Model, (q, v): &State, t: f64) -> (Vec<f64>, [[f64; 3]; 2], f64) {
    let mut work = Workspace::<f64>::new(model);
    work.set_time(model, t);
    work.set_positions(model, q);
    work.set_velocities(model, v);
    work.set_multipliers(model, &[0, 1], &[-NORMAL; 2]);
    work.clear_loads();
    work.add_forces(model);
    let mut out = vec![0.0; 6];
    work.project_loads(model, &mut out);
    let (scene, loads) = work.scene(model);
    let nodes = loads.wrenches.iter().zip(scene.world);
    let power = nodes.map(|(load, node)| load.force.dot(node.velocity) + load.moment.dot(node.omega));
    let power = power.sum();
    let creep = [0, 1].map(|k| {
        let ForceElement::Creep(element) = &model.forces[k].element else {
            panic!("a creep force");
        };
        let (creep, _, normal) = element.contact_forces(&scene);
        assert!((normal - NORMAL).abs() < 1e-6 * NORMAL);
        [creep.longitudinal, creep.lateral, creep.spin]
    });
    (out, creep, power)
}

#[test]
fn a_travelling_frame_sees_the_same_creep_as_the_ground() {
    for law in CreepLaw::ALL {
        let data = CreepData {
            law,
            ..CreepData::default()
        };
        let fixed = wheelset(None, data).compile().unwrap();
        let line = track("0", "0", Signal::linear(0.0, 30.0));
        let moving = wheelset(Some(line), data).compile().unwrap();
        let spin = 30.0 / 0.46;
        let on_ground = state(3e-3, 2e-3, 1e-4, [30.1, 0.05, 0.0, 0.01, spin, 0.04]);
        let mut on_track = on_ground;
        on_track.1[0] -= 30.0;
        let (a, creep_a, power) = creeping(&fixed, &on_ground, 0.0);
        let (b, creep_b, _) = creeping(&moving, &on_track, 0.0);
        for (a, b) in a
            .iter()
            .zip(&b)
            .chain(creep_a.as_flattened().iter().zip(creep_b.as_flattened()))
        {
            assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
        }
        assert!(power < 0.0);
    }
}

#[test]
fn kalker_s_forces_take_energy_always() {
    let model = wheelset(None, CreepData::default()).compile().unwrap();
    for k in 0..200 {
        let x = |i: i32| (f64::from(k * 37 + i * 101).sin() * 43_758.545).fract();
        let v = [20.0 + x(1), x(2), 0.1 * x(3), 0.2 * x(4), 43.5 + x(5), 0.3 * x(6)];
        let (_, _, power) = creeping(&model, &state(0.01 * x(7), 0.02 * x(8), 1e-3 * x(9), v), 0.0);
        assert!(power <= 0.0, "{power}");
    }
}

#[test]
fn a_wheelset_rolls_freely_through_a_bend_beside_the_middle() {
    let radius = 1500.0;
    let line = track("1/1500", "0", Signal::linear(0.0, 20.0));
    let model = wheelset(Some(line), CreepData::default()).compile().unwrap();
    let longitudinal = |y: f64| {
        let spin = 20.0 / 0.46;
        let (_, [left, right], _) =
            creeping(&model, &state(y, 0.0, 0.0, [0.0, 0.0, 0.0, 0.0, spin, 0.0]), 5.0);
        left[0] - right[0]
    };
    // In the middle, the outer wheel has the longer way: 2 e₀/R, with contacts inside of the rolling circles.
    let contact = 0.75 - 0.3 * 0.05;
    let middle = longitudinal(0.0);
    assert!(
        (middle + 2.0 * contact / radius).abs() < 0.01 * middle.abs(),
        "{middle}"
    );
    // y = −r₀ e₀/(γ R): the radii make up for it.
    let y = -0.46 * contact / (0.05 * radius);
    assert!(longitudinal(y).abs() < 0.01 * middle.abs(), "{}", longitudinal(y));
}

#[test]
fn loads_of_the_start_carry_the_weight() {
    let d = wheelset(None, CreepData::default());
    let start = Arc::new(d.compile().unwrap()).assemble(&Default::default());
    // Started in the wheels' centres on the ground: the assembly lifts it onto the rails.
    let start = start.unwrap();
    let up: f64 = start
        .lambda
        .iter()
        .map(|l| -l / (1.0_f64 + 0.05 * 0.05).sqrt())
        .sum();
    assert!((up - 1200.0 * 9.81).abs() < 1e-3 * up, "{up}");
    assert!((start.q[2] - 0.46).abs() < 1e-3);
}

#[test]
fn a_mirrored_track_bends_the_other_way() {
    let mut line = track("1/300", "-0.1", Signal::linear(0.0, 10.0));
    line.gradient = over_arc("0.03");
    let d = Description::new("ride").body(Body::new("car", 0.0)).track(line);
    let at = |d: &Description| {
        let model = d.compile().unwrap();
        let signals: Vec<f64> = model.signals.iter().map(|s| s.evaluate(20.0)[0]).collect();
        signals
    };
    let one = at(&d);
    for (axis, signs) in [
        (Axis::X, [-1.0, 1.0, 1.0, -1.0, -1.0, 1.0]),
        (Axis::Y, [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]),
        (Axis::Z, [1.0, 1.0, -1.0, 1.0, -1.0, -1.0]),
    ] {
        let image = at(&d.clone().mirrored(axis));
        for k in 0..6 {
            assert!((image[k] - signs[k] * one[k]).abs() < 1e-12, "{axis:?} {k}");
        }
    }
}
