//! Checks what refers to frames and coordinates, before there is a tree.

use super::names::{ADD_IT, GROUND, Names, Place};
use super::referred::Referred;
use crate::description::{
    ConstraintKind, ControlKind, CoordinateMotion, CoordinateRef, Description, ForceKind,
};
use crate::diagnostic::{Diagnostic, Sort, Thing, ThingKind, owner};
use holonom_text::nearest;
use std::collections::HashMap;

/// Gives the ends of each joint, none where they do not exist.
pub(super) fn check(
    description: &Description,
    names: &Names,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Option<[Place; 2]>> {
    let mut check = Check {
        description,
        names,
        errors,
        driven: HashMap::new(),
    };
    let mut ends = Vec::with_capacity(description.joints.len());
    for joint in &description.joints {
        ends.push(check.pair(&joint.from, &joint.to, &ThingKind::Joint.named(&joint.name)));
    }
    for constraint in &description.constraints {
        check.constraint(&ThingKind::Constraint.named(&constraint.name), &constraint.kind);
    }
    for rod in &description.rods {
        check.pair(&rod.from, &rod.to, &ThingKind::Rod.named(&rod.name));
    }
    for road in &description.roads {
        check.frame(&road.frame, &ThingKind::Road.named(&road.name));
    }
    for path in &description.paths {
        check.frame(&path.frame, &ThingKind::Path.named(&path.name));
    }
    for hint in &description.hints {
        check.pair(&hint.from, &hint.to, &ThingKind::StartHint.named(&hint.to));
    }
    for (number, shape) in description.shapes.iter().enumerate() {
        check.frame(&shape.on, &description.shape_place(number));
    }
    for control in &description.controls {
        check.control(&ThingKind::Control.named(&control.name), &control.kind);
    }
    for force in &description.forces {
        check.force(&ThingKind::Force.named(&force.name), &force.kind);
    }
    ends
}

struct Check<'a, 'b> {
    description: &'a Description,
    names: &'b Names<'a>,
    errors: &'b mut Vec<Diagnostic>,
    /// The driver of a coordinate, by joint and number.
    driven: HashMap<(usize, usize), Thing>,
}

impl Check<'_, '_> {
    fn frame(&mut self, reference: &str, place: &Thing) -> Option<Place> {
        let found = self.names.frame(reference);
        found.map_err(|error| self.errors.push(error.of(place))).ok()
    }

    /// Two frames on different bodies.
    fn pair(&mut self, from: &str, to: &str, place: &Thing) -> Option<[Place; 2]> {
        let first = self.frame(from, place);
        let second = self.frame(to, place);
        let ends = [first?, second?];
        if ends[0].body == ends[1].body {
            self.errors.push(same_body(place, self.names.body(ends[0].body)));
        }
        Some(ends)
    }

    /// A line over frames, which are not all on one body.
    fn line(&mut self, frames: &[String], place: &Thing) {
        let found: Vec<Option<Place>> = frames.iter().map(|frame| self.frame(frame, place)).collect();
        let found: Option<Vec<Place>> = found.into_iter().collect();
        if let Some([first, others @ ..]) = found.as_deref()
            && others.iter().all(|other| other.body == first.body)
        {
            self.errors.push(same_body(place, self.names.body(first.body)));
        }
    }

    fn coordinate(&mut self, reference: &CoordinateRef, place: &Thing) -> Option<Found> {
        match self.names.coordinate(reference) {
            Ok(joint) => {
                let described = &self.description.joints[joint];
                let motion = described.coordinates.get(reference.index).map(|c| &c.motion);
                Some(Found {
                    joint,
                    index: reference.index,
                    name: described.kind.info().coordinates[reference.index].name,
                    locked: matches!(motion, Some(CoordinateMotion::Locked)),
                    prescribed: matches!(motion, Some(CoordinateMotion::Prescribed(_))),
                })
            }
            Err(error) => {
                self.errors.push(error.of(place));
                None
            }
        }
    }

    fn taken(&mut self, place: &Thing, found: &Found, state: &str, remedy: &str) {
        let joint = &self.description.joints[found.joint].name;
        let fault = format!("{} of the joint \"{joint}\" is already {state}", found.name);
        self.errors.push(place.fault(fault).remedy(remedy).said(joint));
    }

    fn constraint(&mut self, place: &Thing, kind: &ConstraintKind) {
        let referred = Referred::in_fields(|visitor| kind.clone().fields(visitor));
        if let [first, second] = &referred.frames[..] {
            self.pair(first, second, place);
        }
        for terms in &referred.sums {
            self.coupling(place, terms);
        }
        for coordinate in &referred.coordinates {
            self.driver(place, coordinate);
        }
    }

    fn coupling(&mut self, place: &Thing, terms: &[(CoordinateRef, f64)]) {
        let mut seen: Vec<(usize, usize)> = Vec::new();
        let (mut known, mut can_move) = (true, false);
        for (reference, factor) in terms {
            let Some(found) = self.coordinate(reference, place) else {
                known = false;
                continue;
            };
            if *factor == 0.0 {
                let fault = format!("the factor of the joint \"{}\" is zero", reference.joint);
                let fault = place.fault(fault).remedy("remove the term or correct the factor");
                self.errors.push(fault.said(&reference.joint));
            }
            if seen.contains(&(found.joint, found.index)) {
                let joint = &reference.joint;
                let fault = format!("{} of the joint \"{joint}\" appears twice", found.name);
                let fault = place.fault(fault).remedy("combine its factors");
                self.errors.push(fault.said(joint));
            }
            seen.push((found.joint, found.index));
            can_move |= !found.locked && !found.prescribed;
        }
        if known && !can_move {
            let fault = place.fault("none of its coordinates can move");
            let fault = fault.remedy(match terms.is_empty() {
                true => "name the coordinates that it couples",
                false => "all of them are locked or prescribed: release one of them",
            });
            self.errors.push(fault.sort(Sort::Connection));
        }
    }

    fn driver(&mut self, place: &Thing, coordinate: &CoordinateRef) {
        let Some(found) = self.coordinate(coordinate, place) else {
            return;
        };
        if found.locked {
            self.taken(place, &found, "locked", "remove the driver or the lock");
        } else if found.prescribed {
            self.taken(
                place,
                &found,
                "prescribed",
                "remove the driver or the prescribed motion",
            );
        }
        let key = (found.joint, found.index);
        match self.driven.get(&key) {
            Some(other) => {
                let state = format!("driven by {other}");
                self.taken(place, &found, &state, "remove one of the two drivers");
            }
            None => {
                self.driven.insert(key, place.clone());
            }
        }
    }

    fn force(&mut self, place: &Thing, kind: &ForceKind) {
        let referred = Referred::in_fields(|visitor| kind.clone().fields(visitor));
        for contact in &referred.constraints {
            self.contact(place, contact);
        }
        if let [road] = referred.roads.as_slice() {
            for wheel in &referred.frames {
                self.wheel(place, wheel, road);
            }
            return;
        }
        match referred.frames.as_slice() {
            [frame] if !referred.leads_over => {
                if self.frame(frame, place).is_some_and(|found| found.body == 0) {
                    let fault = place.fault("it acts only on the ground, which does not move");
                    let fault = fault.remedy("attach it to a body");
                    self.errors.push(fault.field("frame").field("wheel"));
                }
            }
            frames if referred.leads_over => self.line(frames, place),
            // The first is what the others act against.
            [first, others @ ..] => {
                for other in others {
                    self.pair(first, other, place);
                }
            }
            [] => {}
        }
        for coordinate in &referred.coordinates {
            if let Some(found) = self.coordinate(coordinate, place)
                && found.locked
            {
                self.taken(place, &found, "locked", "release it or remove the force");
            }
        }
    }
}

impl Check<'_, '_> {
    /// Reports a name of something that does not exist.
    fn missing(
        &mut self,
        place: &Thing,
        what: &str,
        (kind, name): (ThingKind, &str),
        suggestion: Option<&str>,
    ) {
        let fault = place.fault(format!("there is no {what} \"{name}\""));
        let fault = fault.did_you_mean(suggestion, ADD_IT).said(name);
        self.errors.push(fault.sort(Sort::Missing(kind)));
    }

    /// The constraint whose normal force a force needs.
    fn contact(&mut self, place: &Thing, contact: &str) {
        let wheels = self.description.constraints.iter();
        let wheels = wheels.filter(|c| c.kind.info().rolling_contact);
        let names: Vec<&str> = wheels.map(|c| c.name.as_str()).collect();
        if !names.contains(&contact) {
            let suggestion = nearest(contact, names);
            self.missing(
                place,
                "wheel-rail constraint",
                (ThingKind::Constraint, contact),
                suggestion,
            );
        }
    }

    /// What a driver or a sensor refers to.
    fn control(&mut self, place: &Thing, kind: &ControlKind) {
        let referred = Referred::in_fields(|visitor| kind.clone().fields(visitor));
        for frame in &referred.frames {
            self.frame(frame, place);
        }
        for path in &referred.paths {
            let paths = &self.description.paths;
            if !paths.iter().any(|known| known.name == *path) {
                let names = paths.iter().map(|path| path.name.as_str());
                let suggestion = nearest(path, names);
                self.missing(place, "path", (ThingKind::Path, path), suggestion);
            }
        }
    }

    /// A wheel and the road it rolls on.
    fn wheel(&mut self, place: &Thing, wheel: &str, name: &str) {
        let roads = &self.description.roads;
        let frame = match roads.iter().find(|road| road.name == name) {
            Some(road) => road.frame.as_str(),
            None if name.is_empty() => GROUND,
            None => {
                let names = roads.iter().map(|road| road.name.as_str());
                let suggestion = nearest(name, names);
                self.missing(place, "road", (ThingKind::Road, name), suggestion);
                GROUND
            }
        };
        // The frame of the road is checked with the road.
        let carrier = self.names.frame(frame).map_or(0, |found| found.body);
        if let Some(wheel) = self.frame(wheel, place)
            && wheel.body == carrier
        {
            self.errors.push(same_body(place, self.names.body(carrier)));
        }
    }
}

fn same_body(place: &Thing, body: &str) -> Diagnostic {
    let fault = format!("both ends are attached to {}", owner(body));
    place.fault(fault).remedy("attach one of them to another body")
}

/// A coordinate that exists.
struct Found {
    joint: usize,
    index: usize,
    name: &'static str,
    locked: bool,
    prescribed: bool,
}
