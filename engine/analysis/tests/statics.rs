//! Equilibria: loops, redundancy, suspensions, what is open and what does not exist.

#![allow(clippy::unwrap_used)]

use holonom_analysis::modes::modes;
use holonom_analysis::statics::{Equilibrium, StaticsError, StaticsOptions, equilibrium};
use holonom_multibody::description::{Body, Constraint, Force, Joint, frame};
use holonom_multibody::start::Assembled;
use holonom_multibody::{Description, Signal};
use std::sync::Arc;

fn assembled(d: &Description) -> Assembled {
    Arc::new(d.compile().unwrap())
        .assemble(&Default::default())
        .unwrap()
}

fn rest(d: &Description) -> Equilibrium {
    equilibrium(&assembled(d), &StaticsOptions::default()).unwrap()
}

fn near(x: f64, exact: f64, tolerance: f64) {
    assert!(
        (x - exact).abs() <= tolerance * exact.abs().max(1.0),
        "{x} is not {exact}"
    );
}

fn bar(name: &str, length: f64) -> Body {
    Body::planar(name, 2.0 * length, length.powi(3) / 6.0)
        .centre([0.5 * length, 0.0, 0.0])
        .marker("end", frame::at([length, 0.0, 0.0]))
}

/// A four-bar linkage with a spring on its crank, gravity along −y.
fn four_bar(stiffness: f64) -> Description {
    Description::new("four-bar")
        .gravity([0.0, -9.81, 0.0])
        .ground_marker("right", frame::at([2.0, 0.0, 0.0]))
        .body(bar("crank", 0.5))
        .body(bar("coupler", 2.0))
        .body(bar("rocker", 1.0))
        .joint(Joint::revolute("A", "ground", "crank").start(1.5, 0.0))
        .joint(Joint::revolute("B", "crank.end", "coupler").start(-1.3, 0.0))
        .joint(Joint::revolute("D", "ground.right", "rocker").start(1.5, 0.0))
        .joint(Joint::revolute("C", "coupler.end", "rocker.end"))
        .force(Force::joint_spring("spring", "A", stiffness, 0.3, 1.2))
}

/// Potential energy over the crank angle, other joints following, for comparison.
fn energy(start: &Assembled, angle: f64) -> f64 {
    let options = holonom_multibody::start::AssemblyOptions {
        positions: Some({
            let mut q = start.q.clone();
            q[0] = angle;
            q
        }),
        ..Default::default()
    };
    let d = four_bar(60.0).constraint(Constraint::driver("hold", "A", Signal::constant(angle)));
    let held = Arc::new(d.compile().unwrap()).assemble(&options).unwrap();
    held.model.snapshot(0.0, &held.q, &held.v).potential_energy()
}

#[test]
fn a_four_bar_rests_where_its_energy_is_least() {
    let found = rest(&four_bar(60.0));
    assert_eq!(
        (
            found.stability.stable,
            found.stability.unstable,
            found.stability.neutral
        ),
        (1, 0, 0)
    );
    assert!(found.unbalanced < 1e-10 && found.open.is_empty());
    let angle = found.state.q[0];
    let h = 1e-3;
    let e = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| energy(&found.start, angle + k * h));
    let slope = (8.0 * (e[3] - e[1]) - (e[4] - e[0])) / (12.0 * h);
    let curvature = (16.0 * (e[3] + e[1]) - (e[4] + e[0]) - 30.0 * e[2]) / (12.0 * h * h);
    assert!(slope.abs() < 1e-8 * curvature, "{slope} {curvature}");
    // ω² = E″/m with m from the kinetic energy of the mode; damping c/(2 m ω).
    let at = modes(&found.start, &found.state).unwrap();
    assert_eq!((at.zeros, at.modes.len(), at.states), (0, 1, 2));
    let shape: Vec<f64> = at.modes[0]
        .shape
        .coordinates
        .iter()
        .map(|z| z.re / at.modes[0].shape.coordinates[0].re)
        .collect();
    let mass = 2.0
        * found
            .start
            .model
            .snapshot(0.0, &found.state.q, &shape)
            .kinetic_energy();
    let eigenvalue = at.modes[0].eigenvalue;
    near(eigenvalue.abs().powi(2), curvature / mass, 1e-6);
    near(-2.0 * eigenvalue.re, 0.3 / mass, 1e-9);
}

#[test]
fn a_parallelogram_with_a_third_bar_is_redundant() {
    // A table on three parallel swinging arms: spatial revolutes, most rows of the loops are redundant.
    let length = 0.8;
    let arm = |name: &str| {
        Body::thin_rod(name, 1.0, [0.0, 0.0, -length]).marker("end", frame::at([0.0, 0.0, -length]))
    };
    let mut table = Body::cuboid("table", 5.0, [2.0, 0.5, 0.1]);
    let mut d = Description::new("swing").gravity([0.0, 0.0, -9.81]);
    for (k, x) in [-0.9, 0.0, 0.9].into_iter().enumerate() {
        d = d.ground_marker(format!("hook{k}"), frame::at([x, 0.0, 0.0]));
        table = table.marker(format!("eye{k}"), frame::at([x, 0.0, 0.0]));
        d = d.body(arm(&format!("arm{k}")));
    }
    d = d.body(table);
    for k in 0..3 {
        let y = [0.0, 1.0, 0.0];
        d = d
            .joint(
                Joint::revolute(format!("top{k}"), format!("ground.hook{k}"), format!("arm{k}"))
                    .axis(y)
                    .start(0.5, 0.0),
            )
            .joint(
                Joint::revolute(format!("low{k}"), format!("arm{k}.end"), format!("table.eye{k}"))
                    .axis(y)
                    .start(-0.5, 0.0),
            );
    }
    let start = assembled(&d);
    // Four joints in the tree, ten rows of two loops: three of them are independent.
    assert_eq!((start.degrees_of_freedom(), start.rows.dropped.len()), (1, 7));
    let found = equilibrium(&start, &StaticsOptions::default()).unwrap();
    assert_eq!(found.stability.word(), "stable");
    for (name, q) in found.start.model.position_names.iter().zip(&found.state.q) {
        near(*q, 0.0, 1e-9);
        assert!(!name.is_empty());
    }
    let at = modes(&found.start, &found.state).unwrap();
    assert_eq!((at.zeros, at.modes.len()), (0, 1));
    // ω² = g (M + 3 m/2) L / ((M + m) L²), with m/3 of each arm at its end.
    let (m, table) = (1.0, 5.0);
    let omega = (9.81 * (table + 1.5 * m) / ((table + m) * length)).sqrt();
    near(at.modes[0].eigenvalue.im, omega, 1e-9);
    // The table does not turn, and moves along x.
    let motion = at.modes[0]
        .shape
        .bodies
        .iter()
        .find(|b| b.name == "table")
        .unwrap();
    assert!(motion.rotation.iter().all(|z| z.abs() < 1e-12) && motion.translation[2].abs() < 1e-12);
    near(motion.translation[0].abs(), length, 1e-12);
}

#[test]
fn a_door_on_two_hinges_swings_freely() {
    let d = Description::new("door")
        .gravity([0.0, 0.0, -9.81])
        .ground_marker("low", frame::at([0.0, 0.0, 0.3]))
        .ground_marker("high", frame::at([0.0, 0.0, 1.7]))
        .body(
            Body::cuboid("door", 20.0, [0.9, 0.04, 2.0])
                .centre([0.45, 0.0, 1.0])
                .marker("low", frame::at([0.0, 0.0, 0.3]))
                .marker("high", frame::at([0.0, 0.0, 1.7])),
        )
        .joint(Joint::revolute("low", "ground.low", "door.low").start(0.4, 0.0))
        .joint(Joint::revolute("high", "ground.high", "door.high"));
    let found = rest(&d);
    assert_eq!(
        (found.stability.word(), found.open.len(), found.newton_steps),
        ("neutral", 1, 1)
    );
    assert_eq!(found.open[0].to_string(), "low");
    near(found.state.q[0], 0.4, 1e-12);
    let at = modes(&found.start, &found.state).unwrap();
    assert_eq!((at.zeros, at.rigid.len(), at.modes.len()), (2, 1, 0));
}

/// A wheel carrier on a wishbone and a strut, with stiff bushings made of springs at the wishbone.
fn suspension() -> Description {
    let bush = 2e7;
    let mut d = Description::new("suspension")
        .gravity([0.0, 0.0, -9.81])
        .ground_marker("front", frame::at([0.2, 0.3, 0.3]))
        .ground_marker("rear", frame::at([-0.2, 0.3, 0.3]))
        .ground_marker("dome", frame::at([0.0, 0.5, 0.9]))
        .ground_marker("rack", frame::at([-0.15, 0.35, 0.35]))
        .ground_marker("road", frame::at([0.0, 0.75, 0.0]))
        .body(
            Body::cuboid("wishbone", 4.0, [0.4, 0.4, 0.03])
                .marker("front", frame::at([0.2, -0.2, 0.0]))
                .marker("rear", frame::at([-0.2, -0.2, 0.0]))
                .marker("ball", frame::at([0.0, 0.2, 0.0])),
        )
        .body(
            Body::cylinder("carrier", 25.0, 0.3, 0.2)
                .marker("ball", frame::at([0.0, -0.05, 0.0]))
                .marker("strut", frame::at([0.0, -0.1, 0.2]))
                .marker("arm", frame::at([-0.15, -0.05, 0.05]))
                .marker("patch", frame::at([0.0, 0.0, -0.3])),
        )
        .joint(
            Joint::free("float", "ground", "wishbone")
                .start_at(1, 0.5, 0.0)
                .start_at(2, 0.3, 0.0),
        )
        .joint(Joint::spherical("ball", "wishbone.ball", "carrier.ball"))
        .rod(holonom_multibody::description::Rod::new(
            "tie",
            "ground.rack",
            "carrier.arm",
            0.35,
        ))
        .force(Force::spring_damper(
            "strut",
            "ground.dome",
            "carrier.strut",
            3e4,
            2e3,
            0.5,
        ))
        .force(Force::spring_damper(
            "tyre",
            "ground.road",
            "carrier.patch",
            2e5,
            50.0,
            0.02,
        ));
    // A bushing: springs along three directions to far points, so that they stay linear.
    for side in ["front", "rear"] {
        let at = if side == "front" {
            [0.2, 0.3, 0.3]
        } else {
            [-0.2, 0.3, 0.3]
        };
        for k in 0..3 {
            let mut far = at;
            far[k] += 10.0;
            d = d
                .ground_marker(format!("{side}{k}"), frame::at(far))
                .force(Force::spring_damper(
                    format!("bush_{side}{k}"),
                    format!("ground.{side}{k}"),
                    format!("wishbone.{side}"),
                    bush,
                    100.0,
                    10.0,
                ));
        }
    }
    // A little lateral hold at the tyre.
    d.ground_marker("kerb", frame::at([0.0, 5.0, 0.0]))
        .force(Force::spring_damper(
            "side",
            "ground.kerb",
            "carrier.patch",
            1e4,
            10.0,
            4.2,
        ))
}

#[test]
fn a_stiff_suspension_settles() {
    let start = assembled(&suspension());
    let found = equilibrium(&start, &StaticsOptions::default()).unwrap();
    assert!(found.unbalanced < 1e-9, "{}", found.unbalanced);
    let dof = start.degrees_of_freedom();
    assert_eq!(dof, 8);
    assert_eq!(found.stability.unstable, 0);
    // Nothing moves when it is let go: accelerations of the true equations vanish.
    let mut mechanical = found.start.mechanical();
    let (mut lambda, mut a) = (found.state.lambda.clone(), vec![0.0; found.state.v.len()]);
    use holonom_dae::Mechanical;
    mechanical
        .accelerations(0.0, &found.state.q, &found.state.v, &mut lambda, &mut a)
        .unwrap();
    // 2e7 N/m on 4 kg: a rounding of 1e-16 m is 5e-10 m/s².
    assert!(a.iter().all(|a| a.abs() < 1e-4), "{a:?}");
    for (x, y) in lambda.iter().zip(&found.state.lambda) {
        near(*x, *y, 1e-6);
    }
    let at = modes(&found.start, &found.state).unwrap();
    let count: usize = at.modes.iter().map(|m| if m.oscillates() { 2 } else { 1 }).sum();
    assert_eq!(count + at.zeros, 2 * dof);
    assert_eq!(at.growing(), 0);
    // From hundreds of Hz of bushings down to the wheel hop.
    let (slow, fast) = (at.modes[0].frequency(), at.modes[at.modes.len() - 1].frequency());
    assert!(slow < 40.0 && fast > 300.0, "{slow} {fast}");
}

#[test]
fn what_nothing_holds_has_no_equilibrium() {
    let d = Description::new("fall")
        .gravity([0.0, 0.0, -9.81])
        .body(Body::new("stone", 2.0))
        .joint(Joint::prismatic("drop", "ground", "stone"));
    let error = equilibrium(&assembled(&d), &StaticsOptions::default()).unwrap_err();
    let StaticsError::NoEquilibrium { worst, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(worst[0].name, "drop");
    near(worst[0].force, -2.0 * 9.81, 1e-12);
    assert!(error.to_string().contains("restrain them"), "{error}");
}

#[test]
fn motors_and_drivers_are_held() {
    // A mass on a spring on a moving carriage: at rest where the carriage is at t = 0.
    let d = Description::new("carriage")
        .gravity([0.0; 3])
        .body(Body::new("carriage", 1.0))
        .body(Body::new("load", 3.0))
        .joint(
            Joint::prismatic("x", "ground", "carriage")
                .axis([1.0, 0.0, 0.0])
                .prescribed(0, Signal::harmonic(0.2, 5.0, 0.4)),
        )
        .joint(
            Joint::prismatic("y", "carriage", "load")
                .axis([1.0, 0.0, 0.0])
                .start(0.3, 0.0),
        )
        .force(Force::joint_spring("spring", "y", 100.0, 0.0, 0.1))
        .force(Force::motor("motor", "y", Signal::linear(5.0, 3.0)));
    let found = rest(&d);
    assert_eq!(found.held, ["x"]);
    near(found.state.q[0], 0.15, 1e-12);
}
