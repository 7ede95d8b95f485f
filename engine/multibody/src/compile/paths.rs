//! Paths, and what follows them.

use super::referred::Referred;
use crate::description::Description;
use crate::diagnostic::{Diagnostic, ThingKind};
use crate::elements::faults::Faults;
use crate::elements::references::PathPlace;
use crate::model::Model;
use crate::path::PathCurve;
use crate::tree::Attachment;
use std::collections::HashMap;
use std::sync::Arc;

/// All paths by their names; what makes none is reported.
pub(super) fn curves<'a>(
    description: &'a Description,
    errors: &mut Vec<Diagnostic>,
) -> HashMap<&'a str, Arc<PathCurve>> {
    let mut curves = HashMap::new();
    for path in &description.paths {
        match PathCurve::new(&path.kind) {
            Ok(curve) => {
                curves.insert(path.name.as_str(), Arc::new(curve));
            }
            Err(error) => errors.push(Diagnostic::from(&error).of(&ThingKind::Path.named(&path.name))),
        }
    }
    curves
}

/// A frame of the compiled model: `body` or `body.marker`. What does not exist has been reported.
pub(super) fn frame(model: &Model, reference: &str) -> Option<Attachment> {
    let (body, marker) = match reference.split_once('.') {
        Some((body, marker)) => (body, Some(marker)),
        None => (reference, None),
    };
    let body = model.bodies.iter().find(|b| b.name == body)?;
    match marker {
        Some(marker) => Some(body.markers.iter().find(|m| m.name == marker)?.frame),
        None => Some(Attachment {
            node: body.node,
            frame: body.frame,
        }),
    }
}

/// A path at its frame.
pub(super) fn place(
    description: &Description,
    model: &Model,
    curves: &HashMap<&str, Arc<PathCurve>>,
    name: &str,
) -> Option<PathPlace> {
    let path = description.paths.iter().find(|path| path.name == name)?;
    Some(PathPlace {
        curve: curves.get(name)?.clone(),
        frame: frame(model, &path.frame)?,
        signs: [path.reversed, path.swapped].map(|turned| if turned { -1.0 } else { 1.0 }),
    })
}

/// Checks paths, and what controls want of them.
pub(super) fn check(description: &Description, errors: &mut Vec<Diagnostic>) {
    let curves = curves(description, errors);
    for control in &description.controls {
        let referred = Referred::in_fields(|visitor| control.kind.clone().fields(visitor));
        for curve in referred.paths.iter().filter_map(|path| curves.get(path.as_str())) {
            let mut faults = Faults::default();
            control.kind.path_faults(curve, &mut faults);
            faults.report(&ThingKind::Control.named(&control.name), errors);
        }
    }
}
