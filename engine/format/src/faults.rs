//! All faults of a mechanism, including those that its compiler only meets when others are gone.
//!
//! The compiler checks in stages, and a stage needs a mechanism that passed those before it. What
//! is at fault is therefore repaired or left out, and the rest compiled again: what then comes to
//! light is a fault of the file as well, unless it is about what was left out.

use crate::message::{Message, Messages, Place};
use crate::model_file::ModelFile;
use holonom_multibody::diagnostic::{Diagnostic, ModelErrors, Sort, Thing, ThingKind};
use holonom_multibody::{Description, Model};
use std::collections::HashSet;

/// How often the rest is compiled again at most: more than the compiler has stages.
const ROUNDS: usize = 4;

/// Things at most in mechanisms of which more than the first faults are told: who has more than so many
/// made them by a program, and a mechanism is compiled several times here.
const MOST_THINGS: usize = 10_000;

impl ModelFile {
    /// Compiles the mechanism.
    ///
    /// # Errors
    /// All its faults, each with its place in the file.
    pub fn compile(&self) -> Result<Model, Messages> {
        self.description
            .compile()
            .map_err(|errors| self.locate(&all(&self.description, errors)))
    }
}

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
fn repair(rest: &mut Description, errors: &[Diagnostic], gone: &mut HashSet<String>) -> bool {
    for error in errors {
        let Some(thing) = &error.subject else {
            return false;
        };
        let is = |own: &String| *own == thing.name;
        let about = |field: &str| error.fields.contains(&field);
        match thing.kind {
            ThingKind::Body if about("mass") || about("inertia") => {
                for body in rest.bodies.iter_mut().filter(|body| is(&body.name)) {
                    body.mass = 1.0;
                    body.inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
                }
            }
            ThingKind::Joint if about("axis") => {
                let joints = rest.joints.iter_mut().filter(|joint| is(&joint.name));
                joints.for_each(|joint| joint.axis = [0.0, 0.0, 1.0]);
            }
            ThingKind::Constraint => rest.constraints.retain(|c| !is(&c.name)),
            ThingKind::Rod => rest.rods.retain(|rod| !is(&rod.name)),
            ThingKind::Force => rest.forces.retain(|force| !is(&force.name)),
            ThingKind::Control => rest.controls.retain(|control| !is(&control.name)),
            ThingKind::Shape => {
                let on = name_of_shape(&thing.name);
                rest.shapes.retain(|shape| shape.on != on);
            }
            ThingKind::Road => rest.roads.retain(|road| !is(&road.name)),
            ThingKind::StartHint => rest.hints.retain(|hint| !is(&hint.to)),
            ThingKind::Path => rest.paths.retain(|path| !is(&path.name)),
            _ => return false,
        }
        gone.insert(thing.name.clone());
    }
    !errors.is_empty()
}

/// Whether a fault is about what was left out.
fn follows(error: &Diagnostic, gone: &HashSet<String>) -> bool {
    let said = error.said.as_deref();
    let thing = said.and_then(|said| said.split('.').next());
    error.sort == Sort::Massless || thing.is_some_and(|thing| gone.contains(thing))
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
    let complete = complete && !has_unread(file);
    let told = |place: &Place| {
        known.0.iter().any(|message| {
            message.place.as_ref().is_some_and(|own| {
                own.source == place.source
                    && own.span.start <= place.span.end
                    && place.span.start <= own.span.end
            })
        })
    };
    let caused = |error: &Diagnostic| match error.sort {
        // Every number that is read is finite; masses may be missing for the reason that was told.
        Sort::NotFinite | Sort::Massless => true,
        Sort::Missing(_) => !complete || error.said.as_ref().is_some_and(String::is_empty),
        Sort::Connection => !complete,
        Sort::Plain | Sort::Repeated { .. } | Sort::Rotation => false,
    };
    let thing_at_fault = |thing: &Thing| {
        let mut places = known.0.iter().filter_map(|message| message.place.as_ref());
        places.any(|place| file.places.is_within(thing, place))
    };
    let mut more = Vec::new();
    for error in errors.0.into_iter().filter(|error| !caused(error)) {
        let thing = error.subject.clone();
        for message in file.locate(&ModelErrors(vec![error])).0 {
            let Some(place) = &message.place else { continue };
            let vague = thing
                .as_deref()
                .is_some_and(|thing| file.places.is_head(thing, place) && thing_at_fault(thing));
            if !told(place) && !vague {
                more.push(message);
            }
        }
    }
    more
}

/// Whether something has a name in the file, but could not be read.
fn has_unread(file: &ModelFile) -> bool {
    let d = &file.description;
    let things = file.places.things();
    let mut missing = things.filter(|thing| match thing.kind {
        ThingKind::Body => !d.bodies.iter().any(|x| x.name == thing.name),
        ThingKind::Joint => !d.joints.iter().any(|x| x.name == thing.name),
        ThingKind::Constraint => !d.constraints.iter().any(|x| x.name == thing.name),
        ThingKind::Rod => !d.rods.iter().any(|x| x.name == thing.name),
        ThingKind::Road => !d.roads.iter().any(|x| x.name == thing.name),
        ThingKind::Track => !d.tracks.iter().any(|x| x.name == thing.name),
        ThingKind::Path => !d.paths.iter().any(|x| x.name == thing.name),
        ThingKind::Control => !d.controls.iter().any(|x| x.name == thing.name),
        _ => false,
    });
    missing.next().is_some()
}

/// The frame of a shape by what errors call it.
fn name_of_shape(name: &str) -> &str {
    name.split('#').next().unwrap_or(name)
}
