//! All faults of a mechanism, including those that its compiler only meets when others are gone.
//!
//! The compiler checks in stages, and a stage needs a mechanism that passed those before it. What
//! is at fault is therefore repaired or left out, and the rest compiled again: what then comes to
//! light is a fault of the file as well, unless it is about what was left out.

use crate::message::{Message, Messages, Place};
use crate::model_file::ModelFile;
use holonom_multibody::Description;
use holonom_multibody::compile::{ModelError, ModelErrors};
use std::collections::HashSet;

/// How often the rest is compiled again at most: more than the compiler has stages.
const ROUNDS: usize = 4;

/// Things at most in mechanisms of which more than the first faults are told: who has more than so many
/// made them by a program, and a mechanism is compiled several times here.
const MOST_THINGS: usize = 10_000;

fn is_large(d: &Description) -> bool {
    let connections = d.joints.len() + d.constraints.len() + d.rods.len();
    d.bodies.len() + connections + d.forces.len() + d.controls.len() > MOST_THINGS
}

/// The faults that were found, with those that only the rest of the mechanism shows.
pub(crate) fn all(description: &Description, found: ModelErrors) -> ModelErrors {
    let mut all = found;
    if is_large(description) || all.0.len() > Messages::MOST {
        return all;
    }
    let mut rest = description.clone();
    let mut gone = HashSet::new();
    let mut from = 0;
    for _ in 0..ROUNDS {
        if !repair(&mut rest, &all.0[from..], &mut gone) {
            break;
        }
        from = all.0.len();
        let Err(more) = rest.compile() else { break };
        all.0
            .extend(more.0.into_iter().filter(|error| !follows(error, &gone)));
        if all.0.len() == from || all.0.len() > Messages::MOST {
            break;
        }
    }
    all
}

/// Repairs what is at fault, or leaves it out; false where that would leave another mechanism.
fn repair(rest: &mut Description, errors: &[ModelError], gone: &mut HashSet<String>) -> bool {
    for error in errors {
        let Some(place) = error.subject().place else {
            return false;
        };
        let Some((kind, name)) = place
            .split_once(" \"")
            .map(|(kind, name)| (kind, name.trim_end_matches('"').to_string()))
        else {
            return false;
        };
        let is = |own: &String| *own == name;
        match (kind, error) {
            (
                "body",
                ModelError::NegativeMass { .. }
                | ModelError::IndefiniteInertia { .. }
                | ModelError::ImpossibleInertia { .. }
                | ModelError::InertiaWithoutMass { .. },
            ) => {
                for body in rest.bodies.iter_mut().filter(|body| is(&body.name)) {
                    body.mass = 1.0;
                    body.inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
                }
            }
            ("joint", ModelError::ZeroAxis { .. }) => {
                let joints = rest.joints.iter_mut().filter(|joint| is(&joint.name));
                joints.for_each(|joint| joint.axis = [0.0, 0.0, 1.0]);
            }
            ("constraint", _) => rest.constraints.retain(|c| !is(&c.name)),
            ("rod", _) => rest.rods.retain(|rod| !is(&rod.name)),
            ("force", _) => rest.forces.retain(|force| !is(&force.name)),
            ("control", _) => rest.controls.retain(|control| !is(&control.name)),
            ("shape on" | "second shape on" | "third shape on" | "further shape on", _) => {
                rest.shapes.retain(|shape| !is(&shape.on));
            }
            ("road", _) => rest.roads.retain(|road| !is(&road.name)),
            ("start hint for", _) => rest.hints.retain(|hint| !is(&hint.to)),
            ("path", _) => rest.paths.retain(|path| !is(&path.name)),
            _ => return false,
        }
        gone.insert(name);
    }
    !errors.is_empty()
}

/// Whether a fault is about what was left out.
fn follows(error: &ModelError, gone: &HashSet<String>) -> bool {
    error.subject().name.is_some_and(|name| gone.contains(name))
        || match error {
            ModelError::CannotSense { channel, .. } => channel
                .split('.')
                .next()
                .is_some_and(|thing| gone.contains(thing)),
            ModelError::NoInertia { .. } | ModelError::SingularStart { .. } => true,
            _ => false,
        }
}

/// Faults of the mechanism besides those that reading has found.
///
/// Values that could not be read have stand-ins: what only these could have caused is not told.
/// `complete` is false where a part could not be read, which may hold what is missing.
pub(crate) fn besides(file: &ModelFile, known: &Messages, complete: bool) -> Vec<Message> {
    if is_large(&file.description) {
        return Vec::new();
    }
    let Err(errors) = file.description.compile() else {
        return Vec::new();
    };
    let errors = all(&file.description, errors);
    let unread = unread(file);
    let complete = complete && unread.is_empty();
    let told = |place: &Place| {
        known.0.iter().any(|message| {
            message.place.as_ref().is_some_and(|own| {
                own.source == place.source
                    && own.span.start <= place.span.end
                    && place.span.start <= own.span.end
            })
        })
    };
    let caused = |error: &ModelError| match error {
        // Every number that is read is finite; masses may be missing for the reason that was told.
        ModelError::NotFinite { .. } | ModelError::NoInertia { .. } | ModelError::SingularStart { .. } => {
            true
        }
        ModelError::UnknownBody { name, .. }
        | ModelError::UnknownJoint { name, .. }
        | ModelError::UnknownRoad { name, .. }
        | ModelError::UnknownPath { name, .. }
        | ModelError::UnknownContact { name, .. }
        | ModelError::UnknownControl { name, .. } => !complete || name.is_empty(),
        ModelError::Disconnected { .. }
        | ModelError::RequiredLoop { .. }
        | ModelError::Topology { .. }
        | ModelError::Empty { .. }
        | ModelError::CannotSense { .. }
        | ModelError::CouplingWithoutFreedom { .. }
        | ModelError::ConstraintWithoutFreedom { .. } => !complete,
        _ => false,
    };
    let thing_at_fault = |called: &str| {
        let mut places = known.0.iter().filter_map(|message| message.place.as_ref());
        places.any(|place| file.places.is_within(called, place))
    };
    let mut more = Vec::new();
    for error in errors.0.into_iter().filter(|error| !caused(error)) {
        let called = error.subject().place;
        for message in file.locate(&ModelErrors(vec![error])).0 {
            let Some(place) = &message.place else { continue };
            let vague = called
                .as_deref()
                .is_some_and(|called| file.places.is_head(called, place) && thing_at_fault(called));
            if !told(place) && !vague {
                more.push(message);
            }
        }
    }
    more
}

/// What has a name in the file, but could not be read.
fn unread(file: &ModelFile) -> Vec<String> {
    let d = &file.description;
    let mut read: HashSet<String> = HashSet::new();
    let mut add = |kind: &str, name: &str| {
        read.insert(format!("{kind} \"{name}\""));
    };
    d.bodies.iter().for_each(|x| add("body", &x.name));
    d.joints.iter().for_each(|x| add("joint", &x.name));
    d.constraints.iter().for_each(|x| add("constraint", &x.name));
    d.rods.iter().for_each(|x| add("rod", &x.name));
    d.roads.iter().for_each(|x| add("road", &x.name));
    d.tracks.iter().for_each(|x| add("track", &x.name));
    d.paths.iter().for_each(|x| add("path", &x.name));
    d.controls.iter().for_each(|x| add("control", &x.name));
    let kinds = [
        "body",
        "joint",
        "constraint",
        "rod",
        "road",
        "track",
        "path",
        "control",
    ];
    let names = file.places.names().filter(|called| {
        let kind = called.split(" \"").next().unwrap_or("");
        kinds.contains(&kind) && !read.contains(*called)
    });
    names.map(String::from).collect()
}
