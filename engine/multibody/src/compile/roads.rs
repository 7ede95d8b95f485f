//! Roads on their nodes.

use super::names::GROUND;
use crate::description::Description;
use crate::diagnostic::{Diagnostic, ThingKind};
use crate::elements::references::RoadPlace;
use crate::road::{Flat, Surface};
use crate::tree::Attachment;

/// All roads by name; the one without a name is the plane z = 0 of the ground.
pub(super) fn roads(
    description: &Description,
    frame: impl Fn(&str) -> Option<Attachment>,
    errors: &mut Vec<Diagnostic>,
) -> Vec<(String, RoadPlace)> {
    let mut roads = Vec::with_capacity(description.roads.len() + 1);
    if let Some(frame) = frame(GROUND) {
        let plane = RoadPlace {
            frame,
            surface: Surface::Flat(Flat),
            signs: [1.0; 2],
            friction: 1.0,
        };
        roads.push((String::new(), plane));
    }
    for road in &description.roads {
        let mut fault = |fault: Diagnostic| errors.push(fault.of(&ThingKind::Road.named(&road.name)));
        if !(road.friction >= 0.0 && road.friction.is_finite()) {
            let quantity = format!("the friction is {}, but must be zero or positive", road.friction);
            fault(Diagnostic::new(quantity).remedy("correct it").field("friction"));
        }
        match (Surface::new(&road.kind), frame(&road.frame)) {
            (Ok(surface), Some(frame)) => {
                let place = RoadPlace {
                    frame,
                    surface,
                    signs: [road.reversed, road.swapped].map(|turned| if turned { -1.0 } else { 1.0 }),
                    friction: road.friction,
                };
                roads.push((road.name.clone(), place));
            }
            (Err(error), _) => fault(Diagnostic::from(&error)),
            (Ok(_), None) => {}
        }
    }
    roads
}
