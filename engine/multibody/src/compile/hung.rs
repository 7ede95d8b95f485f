//! Bodies that hang on a joint that is always cut, or whose reaction a force depends on.
//!
//! The latter is cut, too, for its reaction is an unknown then. Where it alone leads to a body, a free joint
//! between the same frames carries the body in the tree instead: it starts where the joint puts it.

use super::lower::{axis_frame, displaced};
use super::names::GROUND;
use crate::description::{Coordinate, CoordinateMotion, Description, Frame, Joint};
use crate::elements::joints::Primitive;
use crate::forest::Hint;
use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};
use std::collections::HashMap;

/// The description with a free joint beside every joint that is cut for one of these reasons and that alone holds
/// bodies; none where there are no such joints. What is wrong with joints is found later.
pub(super) fn carried(description: &Description) -> Option<Description> {
    let felt = |joint: &Joint| {
        joint.kind.info().cut_only
            || joint.hint != Hint::Tree
                && !joint.kind.info().tree_only
                && !joint.orientation_locked
                && joint
                    .coordinates
                    .iter()
                    .all(|c| matches!(c.motion, CoordinateMotion::Free))
                && (description
                    .forces
                    .iter()
                    .filter_map(|force| force.kind.reaction()))
                .any(|coordinate| coordinate.joint == joint.name)
    };
    let (cut, others): (Vec<&Joint>, Vec<&Joint>) = description.joints.iter().partition(|joint| felt(joint));
    if cut.is_empty() {
        return None;
    }
    let mut sets = Sets::default();
    for joint in others.into_iter().filter(|joint| joint.hint != Hint::Cut) {
        sets.join(&joint.from, &joint.to);
    }
    let mut carried = description.clone();
    for joint in cut {
        if sets.join(&joint.from, &joint.to) {
            let free = free(joint, &carried);
            carried.joints.push(free);
        }
    }
    (carried.joints.len() > description.joints.len()).then_some(carried)
}

/// Which bodies are connected.
#[derive(Default)]
struct Sets<'a>(HashMap<&'a str, &'a str>);

impl<'a> Sets<'a> {
    fn top(&self, frame: &'a str) -> &'a str {
        let mut body = frame.split_once('.').map_or(frame, |(body, _)| body);
        if body.is_empty() {
            body = GROUND;
        }
        while let Some(&next) = self.0.get(body) {
            body = next;
        }
        body
    }

    /// Connects two bodies; false when they were connected.
    fn join(&mut self, a: &'a str, b: &'a str) -> bool {
        let (a, b) = (self.top(a), self.top(b));
        if a != b {
            self.0.insert(a, b);
        }
        a != b
    }
}

/// The free joint that starts as a joint does.
fn free(joint: &Joint, description: &Description) -> Joint {
    let mut name = format!("{}_free", joint.name);
    while description.joints.iter().any(|known| known.name == name) {
        name.push('_');
    }
    let start = Start::of(joint);
    let mut free = Joint::free(name, joint.from.clone(), joint.to.clone());
    let place = start.pose.position.0.into_iter().zip(start.velocity.0);
    free.coordinates = place
        .map(|(position, velocity)| Coordinate {
            position,
            velocity,
            ..Coordinate::default()
        })
        .collect();
    free.orientation = Quaternion::from_rotation_matrix(&start.pose.rotation.0).0;
    free.angular_velocity = start.pose.rotation.transpose_times(start.omega).0;
    free
}

/// The second frame of a joint at its start values, seen from the first and in its axes.
struct Start {
    pose: Frame,
    velocity: Vec3<f64>,
    omega: Vec3<f64>,
}

impl Start {
    fn of(joint: &Joint) -> Self {
        let turn = axis_frame(joint);
        let mut start = Self {
            pose: turn,
            velocity: Vec3::zero(),
            omega: Vec3::zero(),
        };
        let motions = joint.kind.motions();
        for (index, motion) in motions.into_iter().enumerate() {
            let coordinate = joint.coordinates.get(index);
            let (position, rate) = coordinate.map_or((0.0, 0.0), |c| (c.position, c.velocity));
            let axis = |a: usize, pose: &Frame| pose.rotation.column(a);
            match motion {
                Primitive::Turn(a) => start.omega += axis(a, &start.pose).scale(rate),
                Primitive::Slide(a) => start.slide(axis(a, &start.pose), position, rate),
                Primitive::Screw { pitch } => {
                    let along = axis(2, &start.pose);
                    start.slide(along, pitch * position, pitch * rate);
                    start.omega += along.scale(rate);
                }
                Primitive::Ball => {
                    let rotation = Mat3(Quaternion(joint.orientation).normalised().rotation_matrix());
                    start.pose = start.pose.then(&Pose::new(rotation, Vec3::zero()));
                    start.omega += start.pose.rotation.times(Vec3(joint.angular_velocity));
                    continue;
                }
            }
            start.pose = start.pose.then(&displaced(motion, position));
        }
        start.pose = start.pose.then(&turn.inverse());
        start
    }

    /// The origin moves along an axis that turns already.
    fn slide(&mut self, axis: Vec3<f64>, position: f64, rate: f64) {
        self.velocity += axis.scale(rate) + self.omega.cross(axis.scale(position));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::description::JointKind;

    /// The start of a free joint against the derivative of its pose.
    #[test]
    fn velocities_are_those_of_the_motion() {
        for kind in [
            JointKind::Revolute,
            JointKind::Prismatic,
            JointKind::Cylindrical,
            JointKind::Helical { pitch: 0.2 },
            JointKind::Universal,
            JointKind::Planar,
        ] {
            let count = kind.info().coordinates.len();
            let at = |t: f64| {
                let mut joint = Joint::new("j", kind, "ground", "b");
                if kind.info().has_axis {
                    joint.axis = [0.6, 0.0, 0.8];
                }
                for k in 0..count {
                    let (x, v) = (0.3 + 0.2 * k as f64, 0.7 - 0.5 * k as f64);
                    joint = joint.start_at(k, x + v * t, v);
                }
                Start::of(&joint)
            };
            let (start, h) = (at(0.0), 1e-6);
            let (a, b) = (at(-h).pose, at(h).pose);
            let velocity = (b.position - a.position).scale(0.5 / h);
            assert!((velocity - start.velocity).norm() < 1e-8, "{kind:?}");
            // (R(h) − R(−h))/2h = [ω] R.
            for k in 0..3 {
                let change = (b.rotation.column(k) - a.rotation.column(k)).scale(0.5 / h);
                let expected = start.omega.cross(start.pose.rotation.column(k));
                assert!((change - expected).norm() < 1e-8, "{kind:?}");
            }
        }
    }
}
