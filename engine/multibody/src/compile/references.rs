//! Checks what refers to frames and coordinates, before there is a tree.

use super::controls::control_place;
use super::error::ModelError;
use super::names::{GROUND, Names, Place};
use super::paths::path_place;
use super::referred::Referred;
use crate::description::{
    ConstraintKind, ControlKind, CoordinateMotion, CoordinateRef, Description, ForceKind,
};
use holonom_text::nearest;
use std::collections::HashMap;

/// Gives the ends of each joint, none where they do not exist.
pub(super) fn check(
    description: &Description,
    names: &Names,
    errors: &mut Vec<ModelError>,
) -> Vec<Option<[Place; 2]>> {
    let mut check = Check {
        description,
        names,
        errors,
        driven: HashMap::new(),
    };
    let mut ends = Vec::with_capacity(description.joints.len());
    for joint in &description.joints {
        ends.push(check.pair(&joint.from, &joint.to, &joint_place(&joint.name)));
    }
    for constraint in &description.constraints {
        check.constraint(&constraint_place(&constraint.name), &constraint.kind);
    }
    for rod in &description.rods {
        check.pair(&rod.from, &rod.to, &rod_place(&rod.name));
    }
    for road in &description.roads {
        check.frame(&road.frame, &road_place(&road.name));
    }
    for path in &description.paths {
        check.frame(&path.frame, &path_place(&path.name));
    }
    for hint in &description.hints {
        check.pair(&hint.from, &hint.to, &hint_place(&hint.to));
    }
    for (number, shape) in description.shapes.iter().enumerate() {
        check.frame(&shape.on, &description.shape_place(number));
    }
    for control in &description.controls {
        check.control(&control_place(&control.name), &control.kind);
    }
    for force in &description.forces {
        check.force(&force_place(&force.name), &force.kind);
    }
    ends
}

pub(super) fn joint_place(name: &str) -> String {
    format!("joint \"{name}\"")
}

pub(super) fn constraint_place(name: &str) -> String {
    format!("constraint \"{name}\"")
}

pub(super) fn hint_place(frame: &str) -> String {
    format!("start hint for \"{frame}\"")
}

pub(super) fn rod_place(name: &str) -> String {
    format!("rod \"{name}\"")
}

pub(super) fn force_place(name: &str) -> String {
    format!("force \"{name}\"")
}

pub(super) fn road_place(name: &str) -> String {
    format!("road \"{name}\"")
}

struct Check<'a, 'b> {
    description: &'a Description,
    names: &'b Names<'a>,
    errors: &'b mut Vec<ModelError>,
    /// The driver of a coordinate, by joint and number.
    driven: HashMap<(usize, usize), String>,
}

impl Check<'_, '_> {
    fn frame(&mut self, reference: &str, place: &str) -> Option<Place> {
        match self.names.frame(reference, place) {
            Ok(found) => Some(found),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// Two frames on different bodies.
    fn pair(&mut self, from: &str, to: &str, place: &str) -> Option<[Place; 2]> {
        let first = self.frame(from, place);
        let second = self.frame(to, place);
        let ends = [first?, second?];
        if ends[0].body == ends[1].body {
            self.errors.push(ModelError::SameBody {
                place: place.to_string(),
                body: self.names.body(ends[0].body).to_string(),
            });
        }
        Some(ends)
    }

    fn coordinate(&mut self, reference: &CoordinateRef, place: &str) -> Option<Found> {
        match self.names.coordinate(reference, place) {
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
                self.errors.push(error);
                None
            }
        }
    }

    fn taken(&mut self, place: &str, found: &Found, state: impl Into<String>, remedy: &'static str) {
        self.errors.push(ModelError::CoordinateTaken {
            place: place.to_string(),
            joint: self.description.joints[found.joint].name.clone(),
            coordinate: found.name,
            state: state.into(),
            remedy,
        });
    }

    fn constraint(&mut self, place: &str, kind: &ConstraintKind) {
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

    fn coupling(&mut self, place: &str, terms: &[(CoordinateRef, f64)]) {
        let mut seen: Vec<(usize, usize)> = Vec::new();
        let (mut known, mut can_move) = (true, false);
        for (reference, factor) in terms {
            let Some(found) = self.coordinate(reference, place) else {
                known = false;
                continue;
            };
            if *factor == 0.0 {
                self.errors.push(ModelError::ZeroFactor {
                    place: place.to_string(),
                    joint: reference.joint.clone(),
                });
            }
            if seen.contains(&(found.joint, found.index)) {
                self.errors.push(ModelError::RepeatedTerm {
                    place: place.to_string(),
                    joint: reference.joint.clone(),
                    coordinate: found.name,
                });
            }
            seen.push((found.joint, found.index));
            can_move |= !found.locked && !found.prescribed;
        }
        if known && !can_move {
            self.errors.push(ModelError::CouplingWithoutFreedom {
                place: place.to_string(),
                remedy: if terms.is_empty() {
                    "name the coordinates that it couples"
                } else {
                    "all of them are locked or prescribed: release one of them"
                },
            });
        }
    }

    fn driver(&mut self, place: &str, coordinate: &CoordinateRef) {
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
                self.taken(place, &found, state, "remove one of the two drivers");
            }
            None => {
                self.driven.insert(key, place.to_string());
            }
        }
    }

    fn force(&mut self, place: &str, kind: &ForceKind) {
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
            [frame] => {
                if self.frame(frame, place).is_some_and(|found| found.body == 0) {
                    self.errors.push(ModelError::LoadOnGround {
                        place: place.to_string(),
                    });
                }
            }
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
    /// The constraint whose normal force a force needs.
    fn contact(&mut self, place: &str, contact: &str) {
        let wheels = self.description.constraints.iter();
        let wheels = wheels.filter(|c| c.kind.info().rolling_contact);
        let names: Vec<&str> = wheels.map(|c| c.name.as_str()).collect();
        if !names.contains(&contact) {
            self.errors.push(ModelError::UnknownContact {
                place: place.to_string(),
                name: contact.to_string(),
                suggestion: nearest(contact, names).map(str::to_string),
            });
        }
    }

    /// What a driver or a sensor refers to.
    fn control(&mut self, place: &str, kind: &ControlKind) {
        let referred = Referred::in_fields(|visitor| kind.clone().fields(visitor));
        for frame in &referred.frames {
            self.frame(frame, place);
        }
        for path in &referred.paths {
            let paths = &self.description.paths;
            if !paths.iter().any(|known| known.name == *path) {
                let names = paths.iter().map(|path| path.name.as_str());
                self.errors.push(ModelError::UnknownPath {
                    place: place.to_string(),
                    name: path.clone(),
                    suggestion: nearest(path, names).map(str::to_string),
                });
            }
        }
    }

    /// A wheel and the road it rolls on.
    fn wheel(&mut self, place: &str, wheel: &str, name: &str) {
        let roads = &self.description.roads;
        let frame = match roads.iter().find(|road| road.name == name) {
            Some(road) => road.frame.as_str(),
            None if name.is_empty() => GROUND,
            None => {
                let names = roads.iter().map(|road| road.name.as_str());
                self.errors.push(ModelError::UnknownRoad {
                    place: place.to_string(),
                    name: name.to_string(),
                    suggestion: nearest(name, names).map(str::to_string),
                });
                GROUND
            }
        };
        // The frame of the road is checked with the road.
        let carrier = self.names.frame(frame, place).map_or(0, |found| found.body);
        if let Some(wheel) = self.frame(wheel, place)
            && wheel.body == carrier
        {
            self.errors.push(ModelError::SameBody {
                place: place.to_string(),
                body: self.names.body(carrier).to_string(),
            });
        }
    }
}

/// A coordinate that exists.
struct Found {
    joint: usize,
    index: usize,
    name: &'static str,
    locked: bool,
    prescribed: bool,
}
