//! Names to numbers, with suggestions for what does not exist.

use super::error::ModelError;
use crate::description::{CoordinateRef, Description, Frame, Marker};
pub(crate) use crate::names::GROUND;
use holonom_algebra::Pose;
use holonom_text::nearest;
use std::collections::HashMap;

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
    pub fn frame(&self, reference: &str, place: &str) -> Result<Place, ModelError> {
        let (name, marker) = match reference.split_once('.') {
            Some((body, marker)) => (body, Some(marker)),
            None => (reference, None),
        };
        let Some(&body) = self.bodies.get(name) else {
            return Err(ModelError::UnknownBody {
                place: place.to_string(),
                name: name.to_string(),
                suggestion: nearest(name, self.bodies.keys().copied()).map(str::to_string),
            });
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
            None => Err(ModelError::UnknownMarker {
                place: place.to_string(),
                body: name.to_string(),
                name: marker.to_string(),
                suggestion: nearest(marker, markers.iter().map(|m| m.name.as_str()))
                    .map(|m| format!("{name}.{m}")),
            }),
        }
    }

    /// The joint of a coordinate, if the coordinate exists.
    pub fn coordinate(&self, reference: &CoordinateRef, place: &str) -> Result<usize, ModelError> {
        let name = reference.joint.as_str();
        let Some(&joint) = self.joints.get(name) else {
            return Err(ModelError::UnknownJoint {
                place: place.to_string(),
                name: name.to_string(),
                suggestion: nearest(name, self.joints.keys().copied()).map(str::to_string),
            });
        };
        let info = self.description.joints[joint].kind.info();
        if reference.index >= info.coordinates.len() {
            return Err(ModelError::UnknownCoordinate {
                place: place.to_string(),
                joint: name.to_string(),
                kind: info.name,
                index: reference.index,
                coordinates: info.coordinates.iter().map(|c| c.name).collect(),
                has_orientation: info.has_orientation,
            });
        }
        Ok(joint)
    }
}
