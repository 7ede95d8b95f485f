//! Forces on the joints: dampers, Coulomb friction, end stops.
//!
//! URDF says where a stop is, but not how stiff. A stop is made so stiff that what hangs on the
//! joint would oscillate against it at [`FREQUENCY`], or that the motor deflects it by [`GIVES`].

use super::Options;
use super::elements::Robot;
use super::mimic::Positions;
use super::tree::Tree;
use super::xml::Reader;
use core::f64::consts::TAU;
use holonom_algebra::{Inertia, Mat3, Pose, Sym3, Vec3};
use holonom_multibody::description::{Force, Frame, JointKind};
use holonom_multibody::elements::forces::StopLaw;

/// Frequency of what hangs on a joint against its stop, Hz.
const FREQUENCY: f64 = 20.0;
/// Damping ratio of that oscillation.
const RATIO: f64 = 0.5;
/// Stiffness for the motor at most, as a multiple of that for the inertia: the efforts in some
/// files are no limits at all.
const FOR_MOTOR: f64 = 100.0;

/// Lengths of a stop, in rad or m.
struct Reach {
    /// Deflection over which it becomes stiff.
    onset: f64,
    /// Deflection under the largest effort of the motor.
    gives: f64,
}

const ANGLE: Reach = Reach {
    onset: 0.01,
    gives: 0.02,
};
const DISPLACEMENT: Reach = Reach {
    onset: 1e-3,
    gives: 2e-3,
};

/// The forces on all joints that move, from base to tip.
pub(super) fn forces(
    reader: &mut Reader,
    robot: &Robot,
    tree: &Tree,
    positions: &Positions,
    options: &Options,
) -> Vec<Force> {
    let inertias = inertias(robot, tree);
    let mut forces = Vec::new();
    for edge in &tree.joints {
        let joint = &robot.joints[edge.joint];
        if positions.locked[edge.joint] || ![JointKind::Revolute, JointKind::Prismatic].contains(&joint.kind)
        {
            continue;
        }
        let here = joint.here.as_str();
        if options.damping && joint.damping != 0.0 {
            let name = format!("{here}_damping");
            forces.push(Force::joint_spring(name, here, 0.0, joint.damping, 0.0));
        }
        if options.friction && joint.friction != 0.0 {
            let name = format!("{here}_friction");
            forces.push(Force::coulomb_friction(name, here, joint.friction));
        }
        let Some([lower, upper]) = joint.limits.filter(|_| options.limits) else {
            continue;
        };
        let start = positions.starts[edge.joint];
        if start < lower || start > upper {
            // Only joints that follow others start outside.
            let fate = "not used: the joint to mimic leads it outside at the start";
            let (span, name) = (joint.span.clone(), Some(joint.name.as_str()));
            reader.notes.count("end stop", fate, span, name);
            continue;
        }
        let law = stop(joint.kind, inertias[edge.joint], joint.effort);
        forces.push(Force::joint_stop(
            format!("{here}_stop"),
            here,
            [lower, upper],
            law,
        ));
    }
    forces
}

/// A stop for a joint that moves this inertia (kg m² or kg) and has a motor of this effort.
fn stop(kind: JointKind, inertia: f64, effort: Option<f64>) -> StopLaw {
    let reach = match kind {
        JointKind::Prismatic => DISPLACEMENT,
        _ => ANGLE,
    };
    let omega = TAU * FREQUENCY;
    let least = inertia * omega * omega;
    let stiffness = (effort.unwrap_or(0.0) / reach.gives).clamp(least, FOR_MOTOR * least);
    StopLaw {
        stiffness,
        damping: 2.0 * RATIO * (stiffness * inertia).sqrt(),
        onset: reach.onset,
    }
}

/// For each joint the inertia that it moves while all others stand at zero: kg m² about the axis
/// of a revolute joint, kg for others. Never zero.
fn inertias(robot: &Robot, tree: &Tree) -> Vec<f64> {
    let mut places: Vec<Frame> = vec![Pose::identity(); robot.links.len()];
    for edge in &tree.joints {
        places[edge.child] = places[edge.parent].then(&robot.joints[edge.joint].origin);
    }
    // Of what hangs on each link, seen from the root.
    let mut whole: Vec<Inertia> = robot
        .links
        .iter()
        .zip(&places)
        .map(|(link, place)| {
            Inertia::at_centre(link.mass, Vec3(link.centre), &Sym3(link.inertia))
                .moved(&place.rotation, place.position)
        })
        .collect();
    let mut inertias = vec![0.0; robot.joints.len()];
    for edge in tree.joints.iter().rev() {
        let (joint, place, own) = (&robot.joints[edge.joint], &places[edge.child], whole[edge.child]);
        whole[edge.parent] = whole[edge.parent] + own;
        let about = own.moved(&Mat3::identity(), place.position.scale(-1.0)).second;
        let axis = Vec3(joint.axis).normalised().unwrap_or(Vec3::unit(0));
        let axis = place.rotation.times(axis);
        let inertia = match joint.kind {
            JointKind::Revolute => axis.dot(about.times(axis)),
            _ => own.mass,
        };
        inertias[edge.joint] = inertia.max(f64::MIN_POSITIVE.sqrt());
    }
    inertias
}
