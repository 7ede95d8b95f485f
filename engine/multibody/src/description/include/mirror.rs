//! Mirror images of mechanisms.
//!
//! With S the matrix that changes the sign of one coordinate, a frame with rotation R at p becomes
//! the frame with S R S at S p. Seen from each frame the mirror is then the same S: components of
//! polar vectors (positions, forces, displacements) are multiplied by S, those of axial ones
//! (angular velocities, torques, the vector in Euler parameters) by −S, in whichever frame they
//! are given. A turn about a by φ becomes the turn about −S a by φ, or about S a by −φ.

use super::super::{
    Body, Constraint, Coordinate, CoordinateMotion, CoordinateRef, Description, Force, Frame, Joint,
    JointKind, Marker, Road, StartHint, Track,
};
use super::signals::scaled;
use crate::compile::names::GROUND;
use crate::compile::referred::Referred;
use crate::description::fields::{Field, Look};
use crate::elements::joints::Primitive;
use crate::road::RoadKind;
use crate::signal::Signal;
use holonom_algebra::{Dual4, Dual8, Function, MAX_ARGUMENTS, Mat3, Pose, Real, Trace, Vec3};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// An axis of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// x.
    X,
    /// y.
    Y,
    /// z.
    Z,
}

impl Axis {
    /// All axes.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// Name in model files.
    pub fn name(self) -> &'static str {
        ["x", "y", "z"][self.index()]
    }

    /// The axis with a name.
    ///
    /// ```
    /// use holonom_multibody::description::Axis;
    /// assert_eq!(Axis::from_name("y"), Some(Axis::Y));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|axis| axis.name() == name)
    }

    /// Its number, from 0.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// What kinds of constraints and forces need to know to become their mirror image.
#[derive(Debug)]
pub struct Mirror {
    axis: Axis,
    /// Signs of the coordinates of all joints, by name.
    coordinates: HashMap<String, Vec<(&'static str, f64)>>,
    /// Signs of what is seen of force elements, by name, where it has a direction.
    forces: HashMap<String, Vec<(&'static str, f64)>>,
    /// The same of constraints.
    constraints: HashMap<String, Vec<(&'static str, f64)>>,
    /// Constraints whose first frame is turned by half a turn about x.
    on_turned: HashSet<String>,
    /// Frames that are needed turned by half a turn about x, and what they are called then.
    turned: Vec<(String, String)>,
}

impl Mirror {
    /// Sign of component `k` of a polar vector: position, velocity, force. The entry of S.
    pub fn polar(&self, k: usize) -> f64 {
        if k == self.axis.index() { -1.0 } else { 1.0 }
    }

    /// Sign of component `k` of an axial vector: angular velocity, torque, an angle about axis k.
    pub fn axial(&self, k: usize) -> f64 {
        -self.polar(k)
    }

    /// The axis whose coordinate changes its sign.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Sign that a coordinate of a joint, and the force on it, gets. It is +1 for what does not
    /// exist: that is found when the mechanism is compiled.
    pub fn coordinate(&self, coordinate: &CoordinateRef) -> f64 {
        let signs = self.coordinates.get(&coordinate.joint);
        signs
            .and_then(|signs| signs.get(coordinate.index))
            .map_or(1.0, |(_, sign)| *sign)
    }

    /// Sign that a channel gets; +1 for what has no direction, and for what is left of constraints.
    pub fn channel(&self, channel: &str) -> f64 {
        let (kind, name) = match channel.split_once(':') {
            Some((kind, name)) => (Some(kind), name),
            None => (None, channel),
        };
        let parts: Vec<&str> = name.split('.').collect();
        let axis = parts
            .last()
            .and_then(|last| ["x", "y", "z"].iter().position(|a| a == last));
        // Reactions are given in the axes of the first frame.
        let turned = parts.first().is_some_and(|name| self.on_turned.contains(*name));
        let turned = turned && matches!(kind, None | Some("constraint"));
        let turn = |k: usize| if turned && k > 0 { -1.0 } else { 1.0 };
        match (parts.get(parts.len().wrapping_sub(2)), axis) {
            (Some(&"force"), Some(k)) => return self.polar(k) * turn(k),
            (Some(&"torque"), Some(k)) => return self.axial(k) * turn(k),
            (Some(&("position" | "velocity" | "acceleration" | "momentum" | "deflection")), Some(k)) => {
                return self.polar(k);
            }
            (
                Some(
                    &("orientation"
                    | "angular_velocity"
                    | "angular_acceleration"
                    | "angular_momentum"
                    | "rotation"),
                ),
                Some(k),
            ) => return self.axial(k),
            _ => {}
        }
        // The function that a coordinate or a driver follows.
        let (parts, input) = match &parts[..] {
            ["input", rest @ ..] if rest.first().is_some_and(|name| self.knows(name)) => (rest, true),
            all => (all, false),
        };
        let (Some(thing), name) = (parts.first(), parts.get(1).copied()) else {
            return 1.0;
        };
        let name = match name {
            // A driver's function has the sign of its force.
            _ if input && self.constraints.contains_key(*thing) => "force",
            Some(name) => name,
            None => return 1.0,
        };
        let tables = match kind {
            Some("joint") => [Some(&self.coordinates), None, None],
            Some("force") => [None, Some(&self.forces), None],
            Some("constraint") => [None, None, Some(&self.constraints)],
            _ => [
                Some(&self.coordinates),
                Some(&self.forces),
                Some(&self.constraints),
            ],
        };
        let signs = tables.into_iter().flatten().filter_map(|table| table.get(*thing));
        let sign = signs.flatten().find(|(known, _)| *known == name);
        sign.map_or(1.0, |(_, sign)| *sign)
    }

    /// Whether a name is that of a joint or driver.
    fn knows(&self, name: &str) -> bool {
        self.coordinates.contains_key(name) || self.constraints.contains_key(name)
    }

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

    /// Gives a signal a sign.
    pub fn signal(&self, signal: &mut Signal, sign: f64) {
        *signal = scaled(signal, sign);
    }

    /// Gives components of a polar vector their signs.
    pub fn polar_signals(&self, signals: &mut [Signal; 3]) {
        for (k, signal) in signals.iter_mut().enumerate() {
            self.signal(signal, self.polar(k));
        }
    }

    /// Gives components of an axial vector their signs.
    pub fn axial_signals(&self, signals: &mut [Signal; 3]) {
        for (k, signal) in signals.iter_mut().enumerate() {
            self.signal(signal, self.axial(k));
        }
    }

    /// Signs of what a law between two frames sees, see [`User`](crate::elements::forces::User).
    pub fn law_inputs(&self) -> Vec<f64> {
        let mut inputs = vec![1.0];
        inputs.extend((0..3).map(|k| self.polar(k)));
        inputs.extend((0..9).map(|k| self.polar(k / 3) * self.polar(k % 3)));
        inputs.extend((0..3).map(|k| self.polar(k)));
        inputs.extend((0..3).map(|k| self.axial(k)));
        inputs
    }

    /// The mirror image of a law between two frames, see [`User`](crate::elements::forces::User).
    pub fn law(&self, law: &Arc<dyn Function>) -> Arc<dyn Function> {
        let inputs = self.law_inputs();
        let mut outputs: Vec<f64> = (0..3).map(|k| self.polar(k)).collect();
        outputs.extend((0..3).map(|k| self.axial(k)));
        Arc::new(MirroredLaw {
            law: law.clone(),
            inputs,
            outputs,
        })
    }

    /// Changes a reference to a frame whose x–y plane has two sides: the image of what is on the
    /// side of z may be on the other side of the frame's image, which is then turned about x.
    pub fn upper_side(&mut self, frame: &mut String) {
        if self.axis != Axis::Z {
            return;
        }
        let known = self.turned.iter().find(|(original, _)| original == frame);
        let turned = match known {
            Some((_, turned)) => turned.clone(),
            None => {
                let turned = match frame.contains('.') {
                    true => format!("{frame}_turned"),
                    false => format!("{frame}.turned"),
                };
                self.turned.push((frame.clone(), turned.clone()));
                turned
            }
        };
        *frame = turned;
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
        let motions = (info.motions)(joint.kind);
        let slides = motions.iter().any(|m| matches!(m, Primitive::Slide(_)));
        if info.has_axis {
            // Turns keep their sign about −S a; where there is a displacement, that one does along S a.
            let sign = if slides { 1.0 } else { -1.0 };
            joint.axis = self.vector(joint.axis).map(|x| sign * x);
        }
        if let JointKind::Helical { pitch } = &mut joint.kind {
            *pitch = -*pitch;
        }
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
        let motions = (info.motions)(JointKind::Track);
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
        let mut mirror = Mirror {
            axis,
            coordinates: HashMap::new(),
            forces: HashMap::new(),
            constraints: HashMap::new(),
            on_turned: HashSet::new(),
            turned: Vec::new(),
        };
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
            self.roads.push(Road::new(name, RoadKind::Flat));
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

/// A law that sees the world in a mirror.
#[derive(Debug)]
struct MirroredLaw {
    law: Arc<dyn Function>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

impl MirroredLaw {
    fn run<T: Real>(&self, x: &[T], y: &mut [T]) {
        let mut seen = [T::zero(); MAX_ARGUMENTS];
        for ((seen, x), sign) in seen.iter_mut().zip(x).zip(&self.inputs) {
            *seen = *x * *sign;
        }
        T::call(self.law.as_ref(), &seen[..x.len()], y);
        for (y, sign) in y.iter_mut().zip(&self.outputs) {
            *y *= *sign;
        }
    }
}

impl Function for MirroredLaw {
    fn inputs(&self) -> usize {
        self.law.inputs()
    }
    fn outputs(&self) -> usize {
        self.law.outputs()
    }
    fn evaluate_f64(&self, x: &[f64], y: &mut [f64]) {
        self.run(x, y);
    }
    fn evaluate_dual4(&self, x: &[Dual4], y: &mut [Dual4]) {
        self.run(x, y);
    }
    fn evaluate_dual8(&self, x: &[Dual8], y: &mut [Dual8]) {
        self.run(x, y);
    }
    fn evaluate_trace(&self, x: &[Trace], y: &mut [Trace]) {
        self.run(x, y);
    }
}
