//! Checks names and numbers, each thing by itself.

use super::names::GROUND;
use super::paths;
use crate::description::{Body, Control, CoordinateMotion, Description, Joint, Marker};
use crate::diagnostic::{Diagnostic, Sort, Thing, ThingKind};
use crate::elements::faults::{Faults, motion_of_control, not_finite};
use crate::forest::Hint;
use crate::signal::Signal;
use holonom_algebra::{Mat3, Vec3};
use holonom_expression::{is_name, is_reserved};
use std::collections::HashMap;

/// Adds all faults. Gives whether each body can be told by its name.
pub(super) fn check(description: &Description, errors: &mut Vec<Diagnostic>) -> bool {
    let mut check = Check { errors };
    if description.bodies.is_empty() {
        let fault = format!("the mechanism \"{}\" has no bodies", description.name);
        let fault = Diagnostic::sentence(fault).remedy("add a body and a joint that carries it");
        check.errors.push(fault.sort(Sort::Connection));
    }
    check.finite(
        &description.gravity,
        &ThingKind::Mechanism.named(&description.name),
        "the gravity",
    );
    let told = check.all_names(description);
    check.markers(&description.ground, None);
    for body in &description.bodies {
        check.body(body);
    }
    for joint in &description.joints {
        check.joint(joint);
    }
    for constraint in &description.constraints {
        let mut faults = Faults::default();
        constraint.kind.faults(&mut faults);
        faults.report(&ThingKind::Constraint.named(&constraint.name), check.errors);
    }
    for hint in &description.hints {
        let place = ThingKind::StartHint.named(&hint.to);
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
        let place = ThingKind::Rod.named(&rod.name);
        let mut faults = Faults::default();
        faults.positive_quantity("length", "the length", rod.length, "correct it");
        faults.report(&place, check.errors);
        check.mass(rod.mass, &place);
    }
    for force in &description.forces {
        let mut faults = Faults::default();
        force.kind.faults(&mut faults);
        faults.report(&ThingKind::Force.named(&force.name), check.errors);
    }
    for control in &description.controls {
        check.control(control);
    }
    for (number, shape) in description.shapes.iter().enumerate() {
        let mut faults = Faults::default();
        shape.faults(&mut faults);
        faults.report(&description.shape_place(number), check.errors);
    }
    paths::check(description, errors);
    told
}

struct Check<'a> {
    errors: &'a mut Vec<Diagnostic>,
}

impl Check<'_> {
    /// Names that the rows and reactions carry must differ, and bodies and forces among themselves.
    fn all_names(&mut self, description: &Description) -> bool {
        let before = self.errors.len();
        let bodies = description.bodies.iter().map(|b| ThingKind::Body.named(&b.name));
        self.names(bodies);
        let told = self.errors.len() == before;
        let joints = description.joints.iter().map(|j| ThingKind::Joint.named(&j.name));
        let constraints = description.constraints.iter();
        let constraints = constraints.map(|c| ThingKind::Constraint.named(&c.name));
        let rods = description.rods.iter().map(|r| ThingKind::Rod.named(&r.name));
        self.names(joints.chain(constraints).chain(rods));
        self.names(description.forces.iter().map(|f| ThingKind::Force.named(&f.name)));
        self.names(description.roads.iter().map(|r| ThingKind::Road.named(&r.name)));
        self.names(description.paths.iter().map(|p| ThingKind::Path.named(&p.name)));
        self.names(
            description
                .controls
                .iter()
                .map(|c| ThingKind::Control.named(&c.name)),
        );
        told
    }

    fn names(&mut self, things: impl Iterator<Item = Thing>) {
        let mut seen: HashMap<String, Thing> = HashMap::new();
        for thing in things {
            self.name(&thing);
            match seen.get(&thing.name) {
                Some(other) => {
                    let same_kind = *other == thing;
                    let other = if same_kind {
                        "another one".to_string()
                    } else {
                        other.to_string()
                    };
                    let fault = format!("the name \"{}\" is already used by {other}", thing.name);
                    let fault = thing.fault(fault).remedy("rename one of them");
                    let sort = Sort::Repeated { same_kind };
                    self.errors.push(fault.said(&thing.name).sort(sort));
                }
                None => {
                    seen.insert(thing.name.clone(), thing);
                }
            }
        }
    }

    fn name(&mut self, thing: &Thing) {
        let name = &thing.name;
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
        let fault = thing.fault(format!("a name must not {problem}"));
        self.errors.push(fault.remedy("choose another one"));
    }

    fn finite(&mut self, numbers: &[f64], place: &Thing, quantity: &str) -> bool {
        let finite = numbers.iter().all(|x| x.is_finite());
        if !finite {
            self.errors.push(not_finite(quantity).of(place));
        }
        finite
    }

    fn mass(&mut self, mass: f64, place: &Thing) -> bool {
        let finite = self.finite(&[mass], place, "the mass");
        if finite && mass < 0.0 {
            let fault = place.fault(format!("the mass is {mass} kg, but must not be negative"));
            self.errors.push(fault.remedy("correct it").field("mass"));
        }
        finite && mass >= 0.0
    }

    fn signal(&mut self, signal: &Signal, place: &Thing, quantity: &str) {
        if !signal.is_finite() {
            self.finite(&[f64::NAN], place, quantity);
        }
    }

    /// A motion needs derivatives that controls do not have.
    fn motion(&mut self, signal: &Signal, place: &Thing) {
        if let Some(control) = signal.controls().into_iter().next() {
            self.errors.push(motion_of_control(&control).of(place));
        }
    }

    fn control(&mut self, control: &Control) {
        let place = ThingKind::Control.named(&control.name);
        if !is_name(&control.name) || is_reserved(&control.name) || control.name == "t" {
            let fault = place.fault(
                "the name of a control must start with a letter, contain only letters, digits and _, and not \
                 be reserved in expressions",
            );
            self.errors.push(fault.remedy("choose another name or prefix"));
        }
        let mut faults = Faults::default();
        control.kind.faults(&mut faults);
        faults.report(&place, self.errors);
    }

    fn markers(&mut self, markers: &[Marker], body: Option<&str>) {
        let place = |name: &str| Thing::marker(name, body.map(str::to_string));
        self.names(markers.iter().map(|m| place(&m.name)));
        for marker in markers {
            let place = place(&marker.name);
            let rotation = &marker.frame.rotation;
            let finite = self.finite(&marker.frame.position.0, &place, "the position");
            if self.finite(rotation.0.as_flattened(), &place, "the orientation") && finite {
                self.rotation(rotation, &place);
            }
        }
    }

    fn rotation(&mut self, rotation: &Mat3<f64>, place: &Thing) {
        let product = rotation.transpose().matrix(rotation) - Mat3::identity();
        let skewed = product.0.as_flattened().iter().any(|x| x.abs() > 1e-9);
        let mirrored = rotation
            .column(0)
            .cross(rotation.column(1))
            .dot(rotation.column(2))
            < 0.0;
        if skewed || mirrored {
            let fault = "the orientation is not a rotation matrix (orthonormal and right-handed)";
            let fault = place.fault(fault).sort(Sort::Rotation);
            self.errors
                .push(fault.remedy("create it with frame::oriented or frame::along"));
        }
    }

    fn body(&mut self, body: &Body) {
        let place = ThingKind::Body.named(&body.name);
        let good = self.mass(body.mass, &place);
        self.finite(&body.centre, &place, "the centre of mass");
        let finite = self.finite(&body.inertia, &place, "the moment of inertia");
        self.markers(&body.markers, Some(&body.name));
        if !good || !finite || body.unphysical || body.inertia == [0.0; 6] {
            return;
        }
        let principal = principal_moments(body.inertia);
        // Six digits printed are off by up to 5·10⁻⁶; what a program computed is better by far.
        let slack = 1e-5 * principal[2].abs().max(principal[0].abs());
        let fault = if principal[0] < -slack {
            let moments = moments(&principal);
            place
                .fault(format!("one of the principal moments of inertia {moments} is negative"))
                .remedy(
                    "check the signs of the products of inertia, and that the moments are about the centre of mass",
                )
        } else if principal[2] > principal[0] + principal[1] + slack {
            let moments = moments(&principal);
            place
                .fault(format!(
                    "no rigid body has the principal moments of inertia {moments}: the largest exceeds the sum \
                     of the others"
                ))
                .remedy("for a planar body set the moments about x and y to at least half of the one about z")
        } else if body.mass == 0.0 {
            Diagnostic::sentence(format!("{place} has a moment of inertia but no mass"))
                .of(&place)
                .remedy("give it a mass, or remove the moment of inertia")
        } else {
            return;
        };
        self.errors.push(fault.field("inertia").field("solid"));
    }

    fn joint(&mut self, joint: &Joint) {
        let place = ThingKind::Joint.named(&joint.name);
        let info = joint.kind.info();
        let not_for = |setting: &str, remedy: &str| {
            place
                .fault(format!("a {} joint has no {setting}", info.name))
                .remedy(remedy)
        };
        if self.finite(&joint.axis, &place, "the axis") {
            // Also where the square of a tiny length is zero.
            if Vec3(joint.axis).normalised().is_none() {
                let remedy =
                    "specify three numbers that are not all zero and neither extremely small nor large";
                let fault = place.fault("the axis has no direction").remedy(remedy);
                self.errors.push(fault.field("axis"));
            } else if !info.has_axis && joint.axis != [0.0, 0.0, 1.0] {
                self.errors
                    .push(not_for("axis to choose", "turn the frames it joins instead"));
            }
        }
        let mut faults = Faults::default();
        joint.kind.faults(&mut faults);
        faults.report(&place, self.errors);
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
        if joint.orientation_locked && (!info.has_orientation || info.cut_only) {
            let remedy = match info.cut_only {
                true => "use a fixed joint instead",
                false => "lock its coordinates instead",
            };
            self.errors.push(not_for("orientation to lock", remedy));
        }
        if info.cut_only && joint.hint == Hint::Tree {
            self.errors.push(not_for("place in the tree", "remove its hint"));
        }
        if joint.coordinates.len() > info.coordinates.len() {
            let (given, allowed) = (count(joint.coordinates.len()), count(info.coordinates.len()));
            let fault = format!("{given} given, but a {} joint has {allowed}", info.name);
            let fault = match info.has_orientation {
                true => fault + " besides its orientation",
                false => fault,
            };
            self.errors.push(place.fault(fault).remedy(match info.has_orientation {
                true => {
                    "remove the others: to lock or prescribe angles, use a free-cardan joint or three revolute \
                     joints, and orientation_locked locks the entire orientation"
                }
                false => "remove the others",
            }));
        }
        for (coordinate, info) in joint.coordinates.iter().zip(info.coordinates) {
            let useless = |state: &str, quantity: &str| {
                let fault = useless_start(&place, info.name, state, quantity);
                match info.name {
                    "angle" | "displacement" => fault.field(info.name),
                    _ => fault,
                }
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

    fn orientation(&mut self, joint: &Joint, place: &Thing) {
        if self.finite(&joint.orientation, place, "the start orientation") && joint.orientation == [0.0; 4] {
            let fault = place.fault("the initial orientation is the zero quaternion");
            let fault = fault.remedy("use (1, 0, 0, 0) for no rotation");
            self.errors.push(fault.field("orientation"));
        }
        self.finite(&joint.angular_velocity, place, "the start angular velocity");
        if joint.orientation_locked && joint.angular_velocity != [0.0; 3] {
            let fault = useless_start(place, "the orientation", "locked", "velocity");
            self.errors
                .push(fault.field("angular_velocity").field("orientation"));
        }
    }
}

/// A start value that something else decides.
fn useless_start(place: &Thing, coordinate: &str, state: &str, quantity: &str) -> Diagnostic {
    let fault = format!("{coordinate} is {state}, so its initial {quantity} cannot be set");
    place.fault(fault).remedy("set it to zero")
}

fn count(number: usize) -> String {
    match number {
        0 => "no coordinates".to_string(),
        1 => "1 coordinate".to_string(),
        _ => format!("{number} coordinates"),
    }
}

fn moments(principal: &[f64; 3]) -> String {
    let [a, b, c] = principal.map(|m| {
        let rounded: f64 = format!("{m:.4e}").parse().unwrap_or(m);
        match rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) {
            true => rounded.to_string(),
            false => format!("{rounded:e}"),
        }
    });
    format!("{a}, {b} and {c} kg m²")
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
