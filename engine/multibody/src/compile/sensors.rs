//! What sensors read, found by the names of channels.

use crate::channels::build::{all, called};
use crate::description::Description;
use crate::diagnostic::{Diagnostic, Sort, ThingKind};
use crate::elements::controls::ControlElement;
use crate::formalism::depends::forces_need_readings;
use crate::formalism::observe::is_ground;
use crate::model::{Model, ModelReading};
use crate::observable::{Observable, Observed};
use crate::tree::Attachment;
use holonom_text::nearest;

/// What a sensor is to read, besides the name of the channel.
pub(super) struct Wanted {
    /// Number of the sensor.
    pub control: usize,
    /// The frame in whose axes it reads.
    pub axes: Attachment,
}

const READABLE: &str = "sensors can read all channels that can be recorded: coordinates, velocities, \
accelerations and reactions of joints, motions of bodies and markers, states, loads, powers and energies of force \
elements, reactions of constraints, other controls, `energy`, `momentum` and `residual`";

/// Finds what sensors read. All controls must be there, by the numbers that they have in the description.
pub(super) fn resolve(
    model: &mut Model,
    description: &Description,
    wanted: Vec<Wanted>,
    errors: &mut Vec<Diagnostic>,
) {
    for Wanted { control, axes } in wanted {
        let ControlElement::Sensor(sensor) = &model.controls[control].element else {
            continue;
        };
        let channel = sensor.channel.name.clone();
        let mut found = called(model, &channel);
        let thing = ThingKind::Control.named(&description.controls[control].name);
        let fault = |reason: &str| {
            let fault = Diagnostic::sentence(format!("{thing} cannot read \"{channel}\": {reason}"));
            let fault = fault.of(&thing).said(&channel).field("channel");
            fault.sort(Sort::Connection)
        };
        errors.push(match (found.pop(), found.is_empty()) {
            (Some(entry), true) => {
                let place = usize::from(entry.place);
                let turned = entry.observable.is_in_ground_axes(place) && !is_ground(&axes);
                let observed = Observed {
                    observable: entry.observable,
                    place,
                    axes: turned.then_some(axes),
                };
                add(model, control, observed);
                continue;
            }
            (Some(_), false) => fault("several elements have this channel")
                .remedy("prefix the kind: `joint:`, `body:`, `constraint:`, `force:` or `control:`"),
            (None, _) => {
                let entries = all(model, None, &model.inputs);
                let names = entries.iter().map(|entry| entry.channel.name.as_str());
                fault("there is no such channel").did_you_mean(nearest(&channel, names), READABLE)
            }
        });
    }
    if errors.is_empty() {
        model.needs_world |= !model.readings.is_empty();
    }
}

/// Lets a sensor read something, as an unknown of the equations where it cannot be evaluated at once.
fn add(model: &mut Model, control: usize, observed: Observed) {
    if !observed.observable.is_direct(model) {
        model.readings.push(ModelReading { control, observed });
        return;
    }
    model.needs_world |= observed.observable.needs_world();
    if let Observable::Multiplier { row, .. } = observed.observable {
        model.read_rows.push(row);
    }
    if let ControlElement::Sensor(sensor) = &mut model.controls[control].element {
        sensor.channel.observed = Some(observed);
    }
}

/// Notes whether forces depend on readings; the order of the controls must be known.
pub(super) fn finish(model: &mut Model) {
    model.forces_need_readings = !model.readings.is_empty() && forces_need_readings(model);
}
