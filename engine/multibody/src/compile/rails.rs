//! Wheels on rails, and tracks.

use super::names::Names;
use crate::description::{Description, Joint, Track};
use crate::diagnostic::{Diagnostic, ThingKind};
use crate::elements::faults::{motion_of_control, not_finite};

/// The description with a joint for every track without faults; none where there are no tracks.
pub(super) fn expanded(description: &Description, errors: &mut Vec<Diagnostic>) -> Option<Description> {
    if description.tracks.is_empty() {
        return None;
    }
    let names = Names::new(description);
    let mut with_joints = description.clone();
    for track in &description.tracks {
        let place = ThingKind::Track.named(&track.name);
        let before = errors.len();
        for frame in [&track.from, &track.to] {
            errors.extend(names.frame(frame).err().map(|error| error.of(&place)));
        }
        let joint = joint(track).map_err(|fault| errors.push(fault.of(&place))).ok();
        if errors.len() == before {
            with_joints.joints.extend(joint);
        }
    }
    Some(with_joints)
}

fn joint(track: &Track) -> Result<Joint, Diagnostic> {
    for law in [&track.curvature, &track.cant, &track.gradient] {
        law.over_variables(&["s"])
            .map_err(|error| Diagnostic::from(&error))?;
    }
    if !track.travel.is_finite() {
        return Err(not_finite("`travel`").field("travel"));
    }
    // A motion needs derivatives that controls do not have.
    if let Some(control) = track.travel.controls().into_iter().next() {
        return Err(motion_of_control(&control));
    }
    track.joint().map_err(|error| Diagnostic::from(&error))
}
