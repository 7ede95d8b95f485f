//! Mirror images of mechanisms, see [`crate::mirror`].

use crate::compile::referred::Referred;
use crate::description::{
    Body, Constraint, Coordinate, CoordinateMotion, Description, Force, Frame, Joint, JointKind, Marker,
    Road, StartHint, Track,
};
use crate::elements::joints::Primitive;
use crate::fields::{Field, Look};
use crate::mirror::{Axis, Mirror};
use crate::names::GROUND;
use crate::road::Flat;
use holonom_algebra::{Mat3, Pose, Vec3};

impl Mirror {
    /// Notes the signs that forces of a constraint get, before it becomes its image.
    fn constraint(&mut self, constraint: &Constraint) {
        let signs = constraint.kind.shown_signs(self);
        if !signs.is_empty() {
            self.constraints.insert(constraint.name.clone(), signs);
        }
        if constraint.kind.info().first_frame_turns && self.axis == Axis::Z {
            self.on_turned.insert(constraint.name.clone());
        }
    }

    /// Notes the signs that scalars seen of a force element get.
    fn force(&mut self, force: &Force) {
        let referred = Referred::in_fields(|visitor| force.kind.clone().fields(visitor));
        let on_coordinates: Vec<f64> = referred.coordinates.iter().map(|c| self.coordinate(c)).collect();
        let signs = force.kind.shown_signs(self, &on_coordinates);
        self.forces.insert(force.name.clone(), signs);
    }

    fn vector(&self, vector: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| self.polar(k) * vector[k])
    }

    fn frame(&self, frame: &Frame) -> Frame {
        let rotation = &frame.rotation.0;
        let entry = |i: usize, j: usize| self.polar(i) * self.polar(j) * rotation[i][j];
        let rotation = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
        Pose::new(Mat3(rotation), Vec3(self.vector(frame.position.0)))
    }

    fn body(&self, body: &mut Body) {
        body.centre = self.vector(body.centre);
        // S I S: the products of inertia with the axis.
        const PRODUCTS: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
        for (product, [i, j]) in body.inertia[3..].iter_mut().zip(PRODUCTS) {
            *product *= self.polar(i) * self.polar(j);
        }
        self.markers(&mut body.markers);
    }

    fn markers(&self, markers: &mut [Marker]) {
        for marker in markers {
            marker.frame = self.frame(&marker.frame);
        }
    }

    /// Mirrors a joint and notes the signs of its coordinates.
    fn joint(&mut self, joint: &mut Joint) {
        let info = joint.kind.info();
        let motions = joint.kind.motions();
        let slides = motions.iter().any(|m| matches!(m, Primitive::Slide(_)));
        if info.has_axis {
            // Turns keep their sign about −S a; where there is a displacement, that one does along S a.
            let sign = if slides { 1.0 } else { -1.0 };
            joint.axis = self.vector(joint.axis).map(|x| sign * x);
        }
        joint.kind.mirror();
        let sign = |motion: &Primitive| match (*motion, info.has_axis) {
            (Primitive::Turn(_), true) => {
                if slides {
                    -1.0
                } else {
                    1.0
                }
            }
            (Primitive::Slide(_) | Primitive::Screw { .. }, true) | (Primitive::Ball, _) => 1.0,
            (Primitive::Turn(k), false) => self.axial(k),
            (Primitive::Slide(k), false) => self.polar(k),
            (Primitive::Screw { .. }, false) => self.axial(2),
        };
        let signs: Vec<f64> = motions.iter().map(sign).take(info.coordinates.len()).collect();
        for (coordinate, sign) in joint.coordinates.iter_mut().zip(&signs) {
            self.start(coordinate, *sign);
        }
        for k in 0..3 {
            joint.orientation[k + 1] *= self.axial(k);
            joint.angular_velocity[k] *= self.axial(k);
        }
        let names = info.coordinates.iter().map(|c| c.name);
        self.coordinates
            .insert(joint.name.clone(), names.zip(signs).collect());
    }

    /// Notes the signs of the coordinates that a track prescribes.
    fn track(&mut self, track: &Track) {
        let info = JointKind::Track.info();
        let motions = JointKind::Track.motions();
        let sign = |motion: &Primitive| match motion {
            Primitive::Slide(k) => self.polar(*k),
            Primitive::Turn(k) => self.axial(*k),
            Primitive::Ball | Primitive::Screw { .. } => 1.0,
        };
        let names = info.coordinates.iter().map(|c| c.name);
        let signs = names.zip(motions.iter().map(sign)).collect();
        self.coordinates.insert(track.name.clone(), signs);
    }

    fn hint(&self, hint: &mut StartHint) {
        let frame = self.frame(&hint.frame());
        hint.position = hint.position.map(|_| frame.position.0);
        hint.orientation = hint.orientation.map(|_| frame.rotation);
        hint.velocity = hint.velocity.map(|v| self.vector(v));
        hint.angular_velocity = hint
            .angular_velocity
            .map(|w| [0, 1, 2].map(|k| self.axial(k) * w[k]));
    }

    fn start(&self, coordinate: &mut Coordinate, sign: f64) {
        coordinate.position *= sign;
        coordinate.velocity *= sign;
        if let CoordinateMotion::Prescribed(signal) = &mut coordinate.motion {
            self.signal(signal, sign);
        }
    }
}

impl Description {
    /// The mirror image in the plane through the origin of the ground at a right angle to an axis.
    ///
    /// Everything moves as its image does. Angles of revolute joints keep their values (their
    /// axes change), and so do displacements of prismatic and cylindrical joints; for the other
    /// kinds the signs of some coordinates change, with their start values, prescribed motions,
    /// drivers, couplings and springs.
    pub fn mirrored(mut self, axis: Axis) -> Self {
        let mut mirror = Mirror::new(axis);
        self.gravity = mirror.vector(self.gravity);
        mirror.markers(&mut self.ground);
        for body in &mut self.bodies {
            mirror.body(body);
        }
        for joint in &mut self.joints {
            mirror.joint(joint);
        }
        for constraint in &mut self.constraints {
            mirror.constraint(constraint);
            constraint.kind.mirror(&mut mirror);
        }
        for force in &mut self.forces {
            mirror.force(force);
            force.kind.mirror(&mut mirror);
        }
        if axis == Axis::Z {
            self.name_plane_of_ground();
        }
        for road in &mut self.roads {
            mirror.upper_side(&mut road.frame);
            if axis == Axis::X {
                road.reversed = !road.reversed;
            } else {
                // The frame turned about x sees y the other way round.
                road.swapped = !road.swapped;
            }
        }
        for path in &mut self.paths {
            mirror.upper_side(&mut path.frame);
            if axis == Axis::X {
                path.reversed = !path.reversed;
            } else {
                path.swapped = !path.swapped;
            }
        }
        for hint in &mut self.hints {
            mirror.hint(hint);
        }
        for shape in &mut self.shapes {
            shape.mirrored(axis, |v| mirror.vector(v), |frame| mirror.frame(frame));
        }
        for track in &self.tracks {
            mirror.track(track);
        }
        for control in &mut self.controls {
            control.kind.mirror(&mut mirror);
        }
        for track in &mut self.tracks {
            match axis {
                Axis::X => track.reversed = !track.reversed,
                Axis::Y => {
                    track.curvature = track.curvature.with_signs(-1.0, &[1.0]);
                    track.cant = track.cant.with_signs(-1.0, &[1.0]);
                }
                Axis::Z => {
                    track.cant = track.cant.with_signs(-1.0, &[1.0]);
                    track.gradient = track.gradient.with_signs(-1.0, &[1.0]);
                }
            }
        }
        for (frame, turned) in &mirror.turned {
            self.add_turned(frame, turned);
        }
        self
    }

    /// Gives tyres on the plane z = 0 of the ground, which has no name, a road there: its upper
    /// side may then become its lower one.
    fn name_plane_of_ground(&mut self) {
        let mut name = "plane".to_string();
        while self.roads.iter().any(|road| road.name == name) {
            name += "_";
        }
        let mut naming = NameRoad {
            name: &name,
            used: false,
        };
        for force in &mut self.forces {
            force.kind.fields(&mut naming);
        }
        let used = naming.used;
        if used {
            self.roads.push(Road::new(name, Flat));
        }
    }

    /// Adds the marker `turned`, which is `frame` turned by half a turn about x. Where the frame
    /// does not exist nothing is added: compiling then names what is missing.
    fn add_turned(&mut self, frame: &str, turned: &str) {
        let (body, marker) = match frame.split_once('.') {
            Some((body, marker)) => (body, Some(marker)),
            None => (frame, None),
        };
        let markers = match body {
            GROUND => Some(&mut self.ground),
            _ => (self.bodies.iter_mut().find(|b| b.name == body)).map(|b| &mut b.markers),
        };
        let (Some(markers), Some((_, name))) = (markers, turned.split_once('.')) else {
            return;
        };
        let pose = match marker {
            None => Some(Pose::identity()),
            Some(marker) => markers.iter().find(|m| m.name == marker).map(|m| m.frame),
        };
        if let Some(pose) = pose {
            let mut half = Mat3::identity();
            half.0[1][1] = -1.0;
            half.0[2][2] = -1.0;
            markers.push(Marker {
                name: name.to_string(),
                frame: pose.then(&Pose::new(half, Vec3::zero())),
            });
        }
    }
}

/// Gives a name to the road that has none.
struct NameRoad<'a> {
    name: &'a str,
    used: bool,
}

impl Look for NameRoad<'_> {
    fn road(&mut self, _: &Field, road: &mut String) {
        if road.is_empty() {
            *road = self.name.to_string();
            self.used = true;
        }
    }
}
