//! Steady motion of a car with driven wheels: formulas of the single-track model, and runs that stay steady.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use holonom::analysis::modes::modes;
use holonom::analysis::trim::{Trim, TrimError, TrimOptions, start_speed, trim};
use holonom::multibody::description::{Body, Carcass, Force, Joint, JointKind, Mount, frame};
use holonom::multibody::residual::{Form, Formalism};
use holonom::multibody::tyre::Linear;
use holonom::multibody::{Description, Signal};
use holonom::{Options, solve};
use std::sync::Arc;

const MASS: f64 = 1400.0;
const WHEEL: f64 = 20.0;
const FRONT: f64 = 1.1;
const REAR: f64 = 1.5;
const HALF_TRACK: f64 = 0.7;
const RADIUS: f64 = 0.3;
/// Per tyre, N/rad: soft in front, so that the car understeers.
const STIFFNESS: [f64; 2] = [40e3, 60e3];

/// A rigid body on four wheels, the front ones steered, the rear ones driven.
fn car(steer: f64, torque: f64, (kind, resistance): (JointKind, f64)) -> Description {
    let mut d = Description::new("car")
        .gravity([0.0, 0.0, -9.81])
        .body(Body::new("body", MASS).inertia_diagonal([400.0, 1800.0, 2000.0]));
    let mut motion = Joint::new("motion", kind, "ground", "body").start_at(2, 0.5, 0.0);
    motion = motion.start_at(0, 0.0, 20.0);
    d = d.joint(motion);
    for (name, x, y) in [
        ("fl", FRONT, HALF_TRACK),
        ("fr", FRONT, -HALF_TRACK),
        ("rl", -REAR, HALF_TRACK),
        ("rr", -REAR, -HALF_TRACK),
    ] {
        let front = x > 0.0;
        let (hub, wheel, marker) = (
            format!("{name}_hub"),
            format!("{name}_wheel"),
            format!("{name}_place"),
        );
        let body = d.bodies.iter_mut().find(|b| b.name == "body").unwrap();
        // Flat, so that the roll of the body needs only the tyres: their centres are as high as its own.
        *body = body.clone().marker(&marker, frame::at([x, y, -0.2]));
        let angle = Signal::constant(if front { steer } else { 0.0 });
        d = d
            .body(Body::new(&hub, 0.0))
            .body(Body::new(&wheel, WHEEL).inertia_diagonal([0.5, 1.0, 0.5]))
            .joint(
                Joint::revolute(format!("{name}_steer"), format!("body.{marker}"), &hub)
                    .axis([0.0, 0.0, 1.0])
                    .prescribed(0, angle),
            )
            .joint(
                Joint::revolute(format!("{name}_spin"), &hub, &wheel)
                    .axis([0.0, 1.0, 0.0])
                    .start(0.0, 20.0 / RADIUS),
            )
            .force(Force::linear_tyre(
                format!("{name}_tyre"),
                Mount::new(&wheel),
                Carcass {
                    radius: RADIUS,
                    stiffness: 200e3,
                    damping: 2e3,
                    rolling_radius: 0.0,
                    rolling_resistance: resistance,
                    relaxation_x: 0.1,
                    relaxation_y: 0.3,
                    ..Carcass::default()
                },
                Linear {
                    cornering_stiffness: STIFFNESS[usize::from(!front)],
                    slip_stiffness: 80e3,
                    ..Linear::default()
                },
            ));
        if !front {
            d = d.force(Force::motor(
                format!("{name}_drive"),
                format!("{name}_spin").as_str(),
                Signal::constant(0.5 * torque),
            ));
        }
    }
    d
}

fn turns(kind: (JointKind, f64), speed: f64, laterals: &[f64]) -> Result<Vec<Trim>, TrimError> {
    let start = Arc::new(car(0.0, 0.0, kind).compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    assert!((start_speed(&start).unwrap() - 20.0).abs() < 1e-12);
    let mut make = |inputs: &[f64]| {
        let model = car(inputs[0], inputs[1], kind).compile();
        model.map(Arc::new).map_err(|e| e.to_string())
    };
    trim(
        &start,
        speed,
        laterals,
        &[0.0, 0.0],
        &mut make,
        &TrimOptions::default(),
    )
}

/// δ = L/R + (m_f/C_f − m_r/C_r) a_y, to first order; all joints that move freely alike. m_f and m_r are
/// what the axles carry: the car is heavier in front, where it sinks deeper into its tyres, and the pitch
/// moves the axles under the centre of mass. The formula knows no forces along the wheels, so that nothing
/// resists rolling here.
#[test]
fn understeer_of_the_single_track_model() {
    let (speed, lateral) = (25.0, 0.2);
    let total = MASS + 4.0 * WHEEL;
    let length = FRONT + REAR;
    let mut angles = Vec::new();
    for kind in [JointKind::FreeCardan, JointKind::Free] {
        let all = turns((kind, 0.0), speed, &[0.0, lateral, 4.0]).unwrap();
        let carried = |name: &str| {
            let own = all[0].tyres.iter().filter(|t| t.name.starts_with(name));
            own.map(|t| t.load / 9.81).sum::<f64>()
        };
        let (front, rear) = (carried("f"), carried("r"));
        assert!((front + rear - total).abs() < 1e-6);
        let understeer = front / (2.0 * STIFFNESS[0]) - rear / (2.0 * STIFFNESS[1]);
        let expected = length * lateral / (speed * speed) + understeer * lateral;
        let found = all[1].inputs[0];
        println!("{found} {expected}");
        // What is left is of the order of the squares of angles: δ and the slips are 2e-3, the pitch too.
        assert!((found - expected).abs() < 1e-5 * expected, "{found} {expected}");
        assert!((all[1].wheelbase.unwrap() - length).abs() < 1e-3);
        // The drive makes up for the drag of the side forces, which is of second order.
        assert!(all[0].inputs[1].abs() < 1e-6, "{:?}", all[0].inputs);
        assert!(all[2].inputs[1] > 10.0, "{:?}", all[2].inputs);
        // And for the resistance to rolling.
        let straight = &turns((kind, 0.01), speed, &[0.0]).unwrap()[0];
        // The moments 0.01 r₀ F_z of the rear axle, and the pull of the front one on the radius of the rear.
        let drawn = |name: &str| {
            let own = straight.tyres.iter().filter(|t| t.name.starts_with(name));
            let load = own.map(|t| t.load).sum::<f64>();
            (load, RADIUS - 0.5 * load / 200e3)
        };
        let ((front, front_radius), (rear, rear_radius)) = (drawn("f"), drawn("r"));
        let resistance = 0.01 * RADIUS * (front * rear_radius / front_radius + rear);
        println!("{} {resistance}", straight.inputs[1]);
        // The direction of rolling is (1 + (1 cm/s)²/V²)^−1/2 instead of one: 8e-8.
        assert!(
            (straight.inputs[1] - resistance).abs() < 1e-6 * resistance,
            "{:?}",
            straight.inputs
        );
        assert!(all[2].unbalanced < 1e-10);
        angles.push(all[2].inputs.clone());
    }
    for (a, b) in angles[0].iter().zip(&angles[1]) {
        assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{angles:?}");
    }
}

/// A run from the state stays: speed, yaw rate, roll and the deflections of the treads.
#[test]
fn a_run_from_a_steady_turn_stays_in_it() {
    for kind in [JointKind::FreeCardan, JointKind::Free] {
        let turn = &turns((kind, 0.01), 20.0, &[4.0]).unwrap()[0];
        let model = &turn.start.model;
        let equations = turn.start.equations(Form::Ode, Formalism::Residual).unwrap();
        let (y, yp) = turn.start.state(&equations);
        let end = solve(equations.system(), (0.0, 3.0), &y, &yp, Options::new(1e-8, 1e-8)).unwrap();
        let (n_q, n_v) = (model.tree.n_q, model.tree.n_v);
        let at = |y: &[f64]| {
            let snapshot = model.snapshot(0.0, &y[..n_q], &y[n_q..n_q + n_v]);
            let pose = snapshot.pose(1);
            let omega = pose.rotation.times(snapshot.angular_velocity(1));
            let (place, velocity) = snapshot.point(1, [0.0; 3]);
            let seen = pose.rotation.transpose_times(velocity);
            let mut out = vec![
                seen.0[0],
                seen.0[1],
                omega.0[2],
                place.0[2],
                pose.rotation.0[2][1],
            ];
            out.extend(&y[n_q + n_v..n_q + n_v + model.states.len()]);
            out
        };
        let (before, after) = (at(&y), at(&end.y));
        assert!((before[2] - 0.2).abs() < 1e-12);
        for (a, b) in before.iter().zip(&after) {
            assert!((a - b).abs() < 1e-5 * (1.0 + a.abs()), "{before:?} {after:?}");
        }
    }
}

/// Modes of the straight run: the lateral ones are those of the single-track model, where relaxation is
/// short; an unstable one appears for an oversteering car beyond its critical speed only.
#[test]
fn straight_running_is_stable() {
    let turn = &turns((JointKind::FreeCardan, 0.01), 20.0, &[0.0]).unwrap()[0];
    let found = modes(&turn.start, &turn.state).unwrap();
    assert_eq!(
        found.growing(),
        0,
        "{:?}",
        found.modes.iter().map(|m| m.eigenvalue).collect::<Vec<_>>()
    );
}

#[test]
fn what_is_missing_is_named() {
    let start = Arc::new(car(0.0, 0.0, (JointKind::FreeCardan, 0.0)).compile().unwrap())
        .assemble(&Default::default())
        .unwrap();
    let mut make = |_: &[f64]| Err("never".to_string());
    let mut error = |speed: f64, inputs: &[f64]| {
        trim(&start, speed, &[0.0], inputs, &mut make, &TrimOptions::default()).unwrap_err()
    };
    assert_eq!(error(20.0, &[0.0]), TrimError::Count { found: 1, wanted: 2 });
    assert_eq!(error(0.0, &[0.0, 0.0]), TrimError::Speed(0.0));
    let reason = "never".to_string();
    assert_eq!(error(20.0, &[0.0, 0.0]), TrimError::Inputs { reason });
}
