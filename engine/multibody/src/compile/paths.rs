//! Paths, and what follows them.

use super::controls::control_place;
use super::error::ModelError;
use crate::description::{ControlKind, Description, Pursuit};
use crate::elements::controls::{Follow, PathSensor, SpeedLaw, SteeringLaw};
use crate::model::{Attachment, Model};
use crate::path::{PathCurve, PathError};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn path_place(name: &str) -> String {
    format!("path \"{name}\"")
}

/// All paths by their names; what makes none is reported.
pub(super) fn curves<'a>(
    description: &'a Description,
    errors: &mut Vec<ModelError>,
) -> HashMap<&'a str, Arc<PathCurve>> {
    let mut curves = HashMap::new();
    for path in &description.paths {
        match PathCurve::new(&path.kind) {
            Ok(curve) => {
                curves.insert(path.name.as_str(), Arc::new(curve));
            }
            Err(error) => errors.push(ModelError::BadData {
                place: path_place(&path.name),
                reason: with_remedy(&error),
            }),
        }
    }
    curves
}

/// A fault of a path, and what to do.
fn with_remedy(error: &PathError) -> String {
    let remedy = match error {
        // These say it themselves.
        PathError::Lengths { .. } | PathError::SamePlace { .. } => return error.to_string(),
        PathError::TooFew { .. } => "add points",
        PathError::TooMany { .. } => "leave some out",
        _ => "correct it",
    };
    format!("{error}; {remedy}")
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

/// What follows a path.
pub(super) fn follow(
    description: &Description,
    model: &Model,
    curves: &HashMap<&str, Arc<PathCurve>>,
    pursuit: &Pursuit,
) -> Option<Follow> {
    let path = description.paths.iter().find(|path| path.name == pursuit.path)?;
    Some(Follow {
        curve: curves.get(pursuit.path.as_str())?.clone(),
        path: frame(model, &path.frame)?,
        frame: frame(model, &pursuit.frame)?,
        signs: [path.reversed, path.swapped].map(|turned| if turned { -1.0 } else { 1.0 }),
        reversed: pursuit.reversed,
        settling: pursuit.settling,
        start: pursuit.start,
    })
}

/// Checks paths and the numbers of drivers and sensors of paths.
pub(super) fn check(description: &Description, errors: &mut Vec<ModelError>) {
    let curves = curves(description, errors);
    for control in &description.controls {
        let mut faults = Vec::new();
        match &control.kind {
            ControlKind::PathSensor {
                pursuit,
                quantity,
                factor,
            } => {
                check_pursuit(pursuit, &mut faults);
                finite("factor", *factor, &mut faults);
                let asks_for_lane =
                    matches!(PathSensor::QUANTITIES.get(*quantity), Some(&("left" | "right")));
                let curve = curves.get(pursuit.path.as_str());
                if asks_for_lane && curve.is_some_and(|curve| !curve.has_lane()) {
                    faults.push(format!(
                        "the path \"{}\" has no lane, so distances from its borders cannot be measured; add \
                         a `lane`, or choose another `quantity`",
                        pursuit.path
                    ));
                }
            }
            ControlKind::DriverSteering { pursuit, law } => {
                check_pursuit(pursuit, &mut faults);
                check_steering(law, &mut faults);
            }
            ControlKind::DriverSpeed { law, .. } => check_speed(law, &mut faults),
            _ => {}
        }
        errors.extend(faults.into_iter().map(|reason| ModelError::BadData {
            place: control_place(&control.name),
            reason,
        }));
    }
}

fn finite(name: &str, value: f64, faults: &mut Vec<String>) {
    bounded(name, value, value.is_finite(), "finite", faults);
}

fn positive(name: &str, value: f64, faults: &mut Vec<String>) {
    bounded(name, value, value > 0.0 && value.is_finite(), "positive", faults);
}

fn not_negative(name: &str, value: f64, faults: &mut Vec<String>) {
    let good = value >= 0.0 && value.is_finite();
    bounded(name, value, good, "zero or positive", faults);
}

fn bounded(name: &str, value: f64, good: bool, bounds: &str, faults: &mut Vec<String>) {
    if !good {
        faults.push(format!("`{name}` is {value}, but must be {bounds}; correct it"));
    }
}

fn check_pursuit(pursuit: &Pursuit, faults: &mut Vec<String>) {
    finite("start", pursuit.start, faults);
    positive("settling", pursuit.settling, faults);
}

fn check_steering(law: &SteeringLaw, faults: &mut Vec<String>) {
    positive("wheelbase", law.wheelbase, faults);
    finite("understeer", law.understeer, faults);
    not_negative("preview_time", law.preview_time, faults);
    positive("preview_distance", law.preview_distance, faults);
    not_negative("anticipation", law.anticipation, faults);
    let most = SteeringLaw::MOST_POINTS;
    let good = (1.0..=most).contains(&law.points) && law.points.fract() == 0.0;
    let bounds = format!("a whole number from 1 to {most}");
    bounded("points", law.points, good, &bounds, faults);
    positive("reaction", law.reaction, faults);
    positive("limit", law.limit, faults);
    if law.rate != f64::INFINITY {
        positive("rate", law.rate, faults);
    }
    finite("factor", law.factor, faults);
}

fn check_speed(law: &SpeedLaw, faults: &mut Vec<String>) {
    not_negative("proportional", law.proportional, faults);
    not_negative("integral", law.integral, faults);
    finite("inertia", law.inertia, faults);
    positive("drive", law.drive, faults);
    positive("brake", law.brake, faults);
    finite("start", law.start, faults);
}
