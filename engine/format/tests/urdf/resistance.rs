//! Damping, friction and end stops of joints.

use crate::common::{Robot, close, odd, robot, robot_of, robot_with};
use holonom_format::urdf::Options;
use holonom_multibody::description::{Force, ForceKind};
use holonom_multibody::elements::forces::{JointStop, StopLaw};
use std::f64::consts::TAU;

const G: f64 = 9.81;

fn without() -> Options {
    Options {
        damping: false,
        friction: false,
        limits: false,
        ..Options::default()
    }
}

fn stop(robot: &Robot, name: &str) -> (f64, f64, StopLaw) {
    let force: &Force = robot
        .imported
        .description
        .forces
        .iter()
        .find(|f| f.name == name)
        .unwrap();
    match &force.kind {
        ForceKind::JointStop(JointStop {
            lower, upper, law, ..
        }) => (*lower, *upper, *law),
        other => panic!("{other:?}"),
    }
}

#[test]
fn friction_is_coulombs() {
    let robot = robot("slide");
    let rest = -4.0 * G * 0.5;
    let q = [1.0];
    // Far above the speed below which it is made smooth: 0.4 N, besides the damper's 3.5 N s/m.
    close(&robot.holding(&q, &[2.0]), &[rest + 7.0 + 0.4]);
    close(&robot.holding(&q, &[-2.0]), &[rest - 7.0 - 0.4]);
    close(&robot.holding(&q, &[0.0]), &[rest]);
}

#[test]
fn resistance_can_be_left_out() {
    let robot = robot_with("slide", &without());
    assert!(robot.imported.description.forces.is_empty());
    // Beyond both limits.
    for q in [-1.0, 3.0] {
        close(&robot.holding(&[q], &[2.0]), &[-4.0 * G * 0.5]);
    }
    assert_eq!(robot.model.q0, [0.0]);
}

#[test]
fn stops_push_back_beyond_the_limits() {
    let robot = robot("slide");
    let (lower, upper, law) = stop(&robot, "run_stop");
    assert_eq!((lower, upper), (0.1, 2.0));
    // It starts at the limit that is nearer to zero.
    assert_eq!(robot.model.q0, [0.1]);
    // 4 kg at 20 Hz need more than the motor of 5 N.
    let stiffness = 4.0 * (20.0 * TAU) * (20.0 * TAU);
    close(&[law.stiffness], &[stiffness]);
    close(&[law.damping], &[(stiffness * 4.0).sqrt()]);
    let rest = -4.0 * G * 0.5;
    for q in [lower, 1.0, upper] {
        close(&robot.holding(&[q], &[0.0]), &[rest]);
    }
    // Behind the onset the force is k (δ − w/2).
    let force = stiffness * (0.05 - 0.5 * law.onset);
    close(&robot.holding(&[upper + 0.05], &[0.0]), &[rest + force]);
    close(&robot.holding(&[lower - 0.05], &[0.0]), &[rest - force]);
}

/// A stop withstands the motor of its joint, but not one that no joint can have.
#[test]
fn stops_are_stiff_enough_for_the_motor() {
    let file = |effort: &str| {
        format!(
            "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"><inertial><origin xyz=\"0.3 0 0.4\"/><mass \
             value=\"2\"/><inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.2\" iyz=\"0\" izz=\"0.2\"/></inertial></link>\
             <joint name=\"j\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><origin xyz=\"5 6 7\" \
             rpy=\"1 2 3\"/><axis xyz=\"0 3 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"{effort}\" \
             velocity=\"1\"/></joint></robot>"
        )
    };
    let of = |effort: &str| stop(&robot_of(&file(effort), "r", &Options::default()), "j_stop").2;
    // Iyy + m r².
    let inertia: f64 = 0.2 + 2.0 * 0.25;
    let least = inertia * (20.0 * TAU) * (20.0 * TAU);
    close(&[of("10").stiffness], &[least]);
    // 1000 N m deflect it by 0.02 rad.
    close(&[of("1000").stiffness], &[1000.0 / 0.02]);
    close(&[of("1e12").stiffness], &[100.0 * least]);
    for law in [of("10"), of("1000")] {
        close(&[law.damping], &[(law.stiffness * inertia).sqrt()]);
    }
}

#[test]
fn only_what_urdf_defines_resists() {
    let robot = odd("vendors");
    let names: Vec<&str> = robot
        .imported
        .description
        .forces
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    // D, K and mu_viscous are nobody's; those of fixed joints move nothing.
    assert_eq!(names, ["shoulder_damping", "shoulder_stop"]);
}
