//! Names to numbers, with suggestions for what does not exist.

use crate::description::{CoordinateRef, Description, Frame, Marker};
use crate::diagnostic::{Diagnostic, Sort, ThingKind, owner};
use crate::elements::joints::JointInfo;
pub(crate) use crate::names::GROUND;
use holonom_algebra::Pose;
use holonom_text::nearest;
use std::collections::HashMap;

/// What helps where a name is unknown and none is like it.
pub(super) const ADD_IT: &str = "add it or correct the name";

/// The numbers of the coordinates that there are.
fn coordinates(info: &JointInfo) -> String {
    let names: Vec<&str> = info.coordinates.iter().map(|c| c.name).collect();
    let numbers = match &names[..] {
        [] => "it has none".to_string(),
        [one] => format!("it has only number 0 ({one})"),
        [first, .., last] => format!("it has numbers 0 to {} ({first} … {last})", names.len() - 1),
    };
    match info.has_orientation {
        true => numbers + ", its orientation is not a coordinate (the angles of a free-cardan joint are)",
        false => numbers,
    }
}

/// A frame on a body of the description; body 0 is the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub body: usize,
    pub frame: Frame,
}

/// Where names lead.
pub(crate) struct Names<'a> {
    description: &'a Description,
    bodies: HashMap<&'a str, usize>,
    joints: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub fn new(description: &'a Description) -> Self {
        let mut bodies = HashMap::from([(GROUND, 0)]);
        for (index, body) in description.bodies.iter().enumerate() {
            bodies.entry(body.name.as_str()).or_insert(index + 1);
        }
        let mut joints = HashMap::new();
        for (index, joint) in description.joints.iter().enumerate() {
            joints.entry(joint.name.as_str()).or_insert(index);
        }
        Self {
            description,
            bodies,
            joints,
        }
    }

    /// Name of a body; 0 is the ground.
    pub fn body(&self, body: usize) -> &'a str {
        match body {
            0 => GROUND,
            _ => &self.description.bodies[body - 1].name,
        }
    }

    /// Markers on a body; 0 is the ground.
    fn markers(&self, body: usize) -> &'a [Marker] {
        match body {
            0 => &self.description.ground,
            _ => &self.description.bodies[body - 1].markers,
        }
    }

    /// `body` or `body.marker`.
    ///
    /// # Errors
    /// What is wrong, without the thing that refers to the frame.
    pub fn frame(&self, reference: &str) -> Result<Place, Diagnostic> {
        let (name, marker) = match reference.split_once('.') {
            Some((body, marker)) => (body, Some(marker)),
            None => (reference, None),
        };
        let Some(&body) = self.bodies.get(name) else {
            let suggestion = nearest(name, self.bodies.keys().copied());
            return Err(Diagnostic::new(format!("there is no body \"{name}\""))
                .did_you_mean(suggestion, ADD_IT)
                .said(name)
                .sort(Sort::Missing(ThingKind::Body)));
        };
        let Some(marker) = marker else {
            return Ok(Place {
                body,
                frame: Pose::identity(),
            });
        };
        let markers = self.markers(body);
        match markers.iter().find(|m| m.name == marker) {
            Some(m) => Ok(Place { body, frame: m.frame }),
            None => {
                let suggestion = nearest(marker, markers.iter().map(|m| m.name.as_str()));
                let suggestion = suggestion.map(|marker| format!("{name}.{marker}"));
                let fault = format!("{} has no marker \"{marker}\"", owner(name));
                Err(Diagnostic::new(fault)
                    .did_you_mean(suggestion, "add it or attach to the body's own frame")
                    .said(reference))
            }
        }
    }

    /// The joint of a coordinate, if the coordinate exists.
    ///
    /// # Errors
    /// What is wrong, without the thing that refers to the coordinate.
    pub fn coordinate(&self, reference: &CoordinateRef) -> Result<usize, Diagnostic> {
        let name = reference.joint.as_str();
        let Some(&joint) = self.joints.get(name) else {
            let suggestion = nearest(name, self.joints.keys().copied());
            return Err(Diagnostic::new(format!("there is no joint \"{name}\""))
                .did_you_mean(suggestion, ADD_IT)
                .said(name)
                .sort(Sort::Missing(ThingKind::Joint)));
        };
        let info = self.description.joints[joint].kind.info();
        if reference.index >= info.coordinates.len() {
            let fault = format!(
                "the {} joint \"{name}\" has no coordinate number {}",
                info.name, reference.index
            );
            return Err(Diagnostic::new(fault).remedy(coordinates(info)).said(name));
        }
        Ok(joint)
    }
}
