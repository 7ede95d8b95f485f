//! Checks names and numbers, each thing by itself.

use super::controls::control_place;
use super::error::ModelError;
use super::faults;
use super::names::GROUND;
use super::paths::{self, path_place};
use super::references::{constraint_place, force_place, hint_place, joint_place, road_place, rod_place};
use crate::description::{Body, Control, CoordinateMotion, Description, Joint, JointKind, Marker};
use crate::elements::faults::Faults;
use crate::signal::Signal;
use holonom_algebra::{Mat3, Vec3};
use holonom_expression::{is_name, is_reserved};
use std::collections::HashMap;

/// Adds all faults. Gives whether each body can be told by its name.
pub(super) fn check(description: &Description, errors: &mut Vec<ModelError>) -> bool {
    let mut check = Check { errors };
    if description.bodies.is_empty() {
        check.errors.push(ModelError::Empty {
            name: description.name.clone(),
        });
    }
    check.finite(&description.gravity, "the mechanism", "the gravity");
    let told = check.all_names(description);
    check.markers(&description.ground, GROUND);
    for body in &description.bodies {
        check.body(body);
    }
    for joint in &description.joints {
        check.joint(joint);
    }
    for constraint in &description.constraints {
        let mut faults = Faults::default();
        constraint.kind.faults(&mut faults);
        faults::report(faults, &constraint_place(&constraint.name), check.errors);
    }
    for hint in &description.hints {
        let place = hint_place(&hint.to);
        let known = [hint.position, hint.velocity, hint.angular_velocity];
        for (value, what) in known
            .into_iter()
            .zip(["the position", "the velocity", "the angular velocity"])
        {
            check.finite(&value.unwrap_or_default(), &place, what);
        }
        if let Some(rotation) = &hint.orientation
            && check.finite(rotation.0.as_flattened(), &place, "the orientation")
        {
            check.rotation(rotation, &place);
        }
    }
    for rod in &description.rods {
        let place = rod_place(&rod.name);
        check.positive(rod.length, &place, "the length");
        check.mass(rod.mass, &place);
    }
    for force in &description.forces {
        let mut faults = Faults::default();
        force.kind.faults(&mut faults);
        faults::report(faults, &force_place(&force.name), check.errors);
    }
    for control in &description.controls {
        check.control(control);
    }
    for (number, shape) in description.shapes.iter().enumerate() {
        let mut faults = Faults::default();
        shape.faults(&mut faults);
        if !faults.0.is_empty() {
            faults::report(faults, &description.shape_place(number), check.errors);
        }
    }
    paths::check(description, errors);
    told
}

struct Check<'a> {
    errors: &'a mut Vec<ModelError>,
}

impl Check<'_> {
    /// Names that the rows and reactions carry must differ, and bodies and forces among themselves.
    fn all_names(&mut self, description: &Description) -> bool {
        let before = self.errors.len();
        let body_place = |body: &Body| format!("body \"{}\"", body.name);
        let bodies = description
            .bodies
            .iter()
            .map(|b| (b.name.as_str(), body_place(b)));
        self.names(bodies);
        let told = self.errors.len() == before;
        let joints = description
            .joints
            .iter()
            .map(|j| (j.name.as_str(), joint_place(&j.name)));
        let constraints = description
            .constraints
            .iter()
            .map(|c| (c.name.as_str(), constraint_place(&c.name)));
        let rods = description
            .rods
            .iter()
            .map(|r| (r.name.as_str(), rod_place(&r.name)));
        self.names(joints.chain(constraints).chain(rods));
        self.names(
            description
                .forces
                .iter()
                .map(|f| (f.name.as_str(), force_place(&f.name))),
        );
        self.names(
            description
                .roads
                .iter()
                .map(|r| (r.name.as_str(), road_place(&r.name))),
        );
        let paths = description.paths.iter();
        self.names(paths.map(|p| (p.name.as_str(), path_place(&p.name))));
        let controls = description.controls.iter();
        self.names(controls.map(|c| (c.name.as_str(), control_place(&c.name))));
        told
    }

    fn names<'n>(&mut self, names: impl Iterator<Item = (&'n str, String)>) {
        let mut seen: HashMap<&str, String> = HashMap::new();
        for (name, place) in names {
            self.name(name, &place);
            match seen.get(name) {
                Some(other) => self.errors.push(ModelError::DuplicateName {
                    place: place.clone(),
                    other: if *other == place {
                        "another one".to_string()
                    } else {
                        other.clone()
                    },
                    name: name.to_string(),
                }),
                None => {
                    seen.insert(name, place);
                }
            }
        }
    }

    fn name(&mut self, name: &str, place: &str) {
        let problem = if name.trim().is_empty() {
            "be empty"
        } else if name.contains('.') {
            "contain a dot, which separates body and marker"
        } else if name == GROUND {
            "be \"ground\", which is the fixed world"
        } else if name.contains(char::is_control) {
            "contain control characters"
        } else {
            return;
        };
        self.errors.push(ModelError::BadName {
            place: place.to_string(),
            problem,
        });
    }

    fn finite(&mut self, numbers: &[f64], place: &str, quantity: &str) -> bool {
        let finite = numbers.iter().all(|x| x.is_finite());
        if !finite {
            self.errors.push(ModelError::NotFinite {
                place: place.to_string(),
                quantity: quantity.to_string(),
            });
        }
        finite
    }

    fn positive(&mut self, number: f64, place: &str, quantity: &'static str) {
        if self.finite(&[number], place, quantity) && number <= 0.0 {
            self.errors.push(ModelError::NotPositive {
                place: place.to_string(),
                quantity,
                value: number,
                remedy: match quantity {
                    "the distance" => "for distance zero use a point constraint",
                    _ => "correct it",
                },
            });
        }
    }

    fn mass(&mut self, mass: f64, place: &str) -> bool {
        let finite = self.finite(&[mass], place, "the mass");
        if finite && mass < 0.0 {
            self.errors.push(ModelError::NegativeMass {
                place: place.to_string(),
                mass,
            });
        }
        finite && mass >= 0.0
    }

    fn signal(&mut self, signal: &Signal, place: &str, quantity: &str) {
        if !signal.is_finite() {
            self.finite(&[f64::NAN], place, quantity);
        }
    }

    /// A motion needs derivatives that controls do not have.
    fn motion(&mut self, signal: &Signal, place: &str) {
        if let Some(control) = signal.controls().into_iter().next() {
            self.errors.push(ModelError::MotionOfControl {
                place: place.to_string(),
                control,
            });
        }
    }

    fn control(&mut self, control: &Control) {
        let place = control_place(&control.name);
        if !is_name(&control.name) || is_reserved(&control.name) || control.name == "t" {
            self.errors.push(ModelError::ControlName { place: place.clone() });
        }
        let mut faults = Faults::default();
        control.kind.faults(&mut faults);
        faults::report(faults, &place, self.errors);
    }

    fn markers(&mut self, markers: &[Marker], body: &str) {
        let place = |name: &str| format!("marker \"{name}\" on {body}");
        self.names(markers.iter().map(|m| (m.name.as_str(), place(&m.name))));
        for marker in markers {
            let place = place(&marker.name);
            let rotation = &marker.frame.rotation;
            let finite = self.finite(&marker.frame.position.0, &place, "the position");
            if self.finite(rotation.0.as_flattened(), &place, "the orientation") && finite {
                self.rotation(rotation, &place);
            }
        }
    }

    fn rotation(&mut self, rotation: &Mat3<f64>, place: &str) {
        let product = rotation.transpose().matrix(rotation) - Mat3::identity();
        let skewed = product.0.as_flattened().iter().any(|x| x.abs() > 1e-9);
        let mirrored = rotation
            .column(0)
            .cross(rotation.column(1))
            .dot(rotation.column(2))
            < 0.0;
        if skewed || mirrored {
            self.errors.push(ModelError::NotARotation {
                place: place.to_string(),
            });
        }
    }

    fn body(&mut self, body: &Body) {
        let place = format!("body \"{}\"", body.name);
        let good = self.mass(body.mass, &place);
        self.finite(&body.centre, &place, "the centre of mass");
        let finite = self.finite(&body.inertia, &place, "the moment of inertia");
        self.markers(&body.markers, &place);
        if !good || !finite || body.unphysical || body.inertia == [0.0; 6] {
            return;
        }
        let name = body.name.clone();
        let principal = principal_moments(body.inertia);
        // Six digits printed are off by up to 5·10⁻⁶; what a program computed is better by far.
        let slack = 1e-5 * principal[2].abs().max(principal[0].abs());
        if principal[0] < -slack {
            self.errors.push(ModelError::IndefiniteInertia {
                body: name,
                principal,
            });
        } else if principal[2] > principal[0] + principal[1] + slack {
            self.errors.push(ModelError::ImpossibleInertia {
                body: name,
                principal,
            });
        } else if body.mass == 0.0 {
            self.errors.push(ModelError::InertiaWithoutMass { body: name });
        }
    }

    fn joint(&mut self, joint: &Joint) {
        let place = joint_place(&joint.name);
        let info = joint.kind.info();
        let not_for = |setting, remedy| ModelError::NotForThisKind {
            joint: joint.name.clone(),
            kind: info.name,
            setting,
            remedy,
        };
        if self.finite(&joint.axis, &place, "the axis") {
            // Also where the square of a tiny length is zero.
            if Vec3(joint.axis).normalised().is_none() {
                self.errors.push(ModelError::ZeroAxis {
                    joint: joint.name.clone(),
                });
            } else if !info.has_axis && joint.axis != [0.0, 0.0, 1.0] {
                self.errors
                    .push(not_for("axis to choose", "turn the frames it joins instead"));
            }
        }
        if let JointKind::Helical { pitch } = joint.kind
            && self.finite(&[pitch], &place, "the pitch")
            && pitch == 0.0
        {
            self.errors.push(ModelError::ZeroPitch {
                joint: joint.name.clone(),
            });
        }
        let oriented = joint.orientation != [1.0, 0.0, 0.0, 0.0];
        if info.has_orientation {
            self.orientation(joint, &place);
        } else if oriented {
            self.errors
                .push(not_for("start orientation", "set its coordinates instead"));
        }
        if !info.has_orientation && joint.angular_velocity != [0.0; 3] {
            self.errors.push(not_for(
                "start angular velocity",
                "set the velocities of its coordinates instead",
            ));
        }
        if !info.has_orientation && joint.orientation_locked {
            self.errors
                .push(not_for("orientation to lock", "lock its coordinates instead"));
        }
        if joint.coordinates.len() > info.coordinates.len() {
            self.errors.push(ModelError::TooManyCoordinates {
                joint: joint.name.clone(),
                kind: info.name,
                given: joint.coordinates.len(),
                allowed: info.coordinates.len(),
                has_orientation: info.has_orientation,
            });
        }
        for (coordinate, info) in joint.coordinates.iter().zip(info.coordinates) {
            let useless = |state, quantity| ModelError::UselessStart {
                joint: joint.name.clone(),
                coordinate: info.name,
                state,
                quantity,
            };
            let of = |quantity: &str| format!("the {quantity} of {}", info.name);
            self.finite(&[coordinate.position], &place, &of("start value"));
            self.finite(&[coordinate.velocity], &place, &of("start velocity"));
            match &coordinate.motion {
                CoordinateMotion::Free => {}
                CoordinateMotion::Locked if coordinate.velocity != 0.0 => {
                    self.errors.push(useless("locked", "velocity"));
                }
                CoordinateMotion::Locked => {}
                CoordinateMotion::Prescribed(signal) => {
                    self.motion(signal, &place);
                    self.signal(signal, &place, &of("prescribed motion"));
                    if coordinate.position != 0.0 {
                        self.errors.push(useless("prescribed", "value"));
                    }
                    if coordinate.velocity != 0.0 {
                        self.errors.push(useless("prescribed", "velocity"));
                    }
                }
            }
        }
    }

    fn orientation(&mut self, joint: &Joint, place: &str) {
        if self.finite(&joint.orientation, place, "the start orientation") && joint.orientation == [0.0; 4] {
            self.errors.push(ModelError::ZeroQuaternion {
                joint: joint.name.clone(),
            });
        }
        self.finite(&joint.angular_velocity, place, "the start angular velocity");
        if joint.orientation_locked && joint.angular_velocity != [0.0; 3] {
            self.errors.push(ModelError::UselessStart {
                joint: joint.name.clone(),
                coordinate: "the orientation",
                state: "locked",
                quantity: "velocity",
            });
        }
    }
}

impl Body {
    /// Principal moments of inertia about the centre of mass, ascending, kg m².
    pub fn principal_moments(&self) -> [f64; 3] {
        principal_moments(self.inertia)
    }
}

/// Eigenvalues of a symmetric matrix (xx, yy, zz, xy, yz, zx), ascending: Jacobi's rotations.
fn principal_moments([xx, yy, zz, xy, yz, zx]: [f64; 6]) -> [f64; 3] {
    let mut a = [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]];
    // Converges quadratically; three sweeps suffice, ten are safe.
    for _ in 0..10 {
        for (p, q) in [(0, 1), (1, 2), (0, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
            let (s, c) = angle.sin_cos();
            for k in 0..3 {
                let (x, y) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
            }
            for k in 0..3 {
                let (x, y) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
            }
        }
    }
    let mut moments = [a[0][0], a[1][1], a[2][2]];
    moments.sort_by(f64::total_cmp);
    moments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_moments_of_a_turned_body() {
        let r = holonom_algebra::Quaternion([0.3, -0.5, 0.2, 0.7]).rotation_matrix();
        let turned = holonom_algebra::Sym3([3.0, 1.0, 2.5, 0.0, 0.0, 0.0]).rotated(&Mat3(r));
        let found = principal_moments(turned.0);
        for (a, b) in found.into_iter().zip([1.0, 2.5, 3.0]) {
            assert!((a - b).abs() < 1e-14, "{found:?}");
        }
    }
}
