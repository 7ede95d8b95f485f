//! Wheels on rails, and tracks.

use super::error::ModelError;
use super::names::Names;
use crate::description::{Description, Track};

pub(super) fn track_place(name: &str) -> String {
    format!("track \"{name}\"")
}

/// The description with a joint for every track without faults; none where there are no tracks.
pub(super) fn expanded(description: &Description, errors: &mut Vec<ModelError>) -> Option<Description> {
    if description.tracks.is_empty() {
        return None;
    }
    let names = Names::new(description);
    let mut with_joints = description.clone();
    for track in &description.tracks {
        let place = track_place(&track.name);
        let before = errors.len();
        for frame in [&track.from, &track.to] {
            errors.extend(names.frame(frame, &place).err());
        }
        let joint = joint(track, place, errors);
        if errors.len() == before {
            with_joints.joints.extend(joint);
        }
    }
    Some(with_joints)
}

fn joint(track: &Track, place: String, errors: &mut Vec<ModelError>) -> Option<crate::description::Joint> {
    for law in [&track.curvature, &track.cant, &track.gradient] {
        if let Err(error) = law.over_variables(&["s"]) {
            errors.push(ModelError::LawVariables { place, error });
            return None;
        }
    }
    if !track.travel.is_finite() {
        let quantity = "`travel`".to_string();
        errors.push(ModelError::NotFinite { place, quantity });
        return None;
    }
    // A motion needs derivatives that controls do not have.
    if let Some(control) = track.travel.controls().into_iter().next() {
        errors.push(ModelError::MotionOfControl { place, control });
        return None;
    }
    match track.joint() {
        Ok(joint) => Some(joint),
        Err(error) => {
            let reason = error.to_string();
            errors.push(ModelError::BadData { place, reason });
            None
        }
    }
}
