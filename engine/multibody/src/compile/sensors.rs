//! Where sensors read.

use super::controls::{Readable, control_place};
use super::error::ModelError;
use super::names::GROUND;
use crate::channels::build::build;
use crate::channels::source::{FrameQuantity, Source};
use crate::dependencies::forces_need_readings;
use crate::description::Description;
use crate::elements::constraints::ConstraintElement;
use crate::elements::controls::probe::{ForceReading, FrameChannel};
use crate::elements::controls::{ControlElement, Probe};
use crate::elements::forces::seen::{self, What};
use crate::model::{JointPlace, Model, ModelConstraint, ModelJoint, ModelReading};
use crate::tree::Attachment;
use crate::tree::NodeKind;
use holonom_algebra::Mat3;
use holonom_text::nearest;
use std::sync::Arc;

/// A channel that is not on position or velocity level.
pub(super) struct Unread {
    /// Number of the sensor.
    pub control: usize,
    pub channel: String,
    pub axes: Attachment,
}

const AXES: [&str; 3] = ["x", "y", "z"];
const EULER: [&str; 4] = ["w", "x", "y", "z"];

/// A frame by its name.
pub(super) fn axes_of(model: &Model, name: &str) -> Result<Attachment, String> {
    let (body, marker) = match name.split_once('.') {
        Some((body, marker)) => (body, Some(marker)),
        None => (name, None),
    };
    let body = model.bodies.iter().find(|b| b.name == body);
    let frame = body.and_then(|body| match marker {
        None => Some(Attachment {
            node: body.node,
            frame: body.frame,
        }),
        Some(marker) => body.markers.iter().find(|m| m.name == marker).map(|m| m.frame),
    });
    frame.ok_or_else(|| format!("there is no frame \"{name}\" for its axes; name a body or a marker on one"))
}

/// Where a channel comes from, none for one that is not on position or velocity level; or why it cannot
/// be measured. `own` is the number of the sensor.
pub(super) fn probe(
    readable: &Readable<'_>,
    channel: &str,
    own: usize,
    axes: Attachment,
) -> Result<Option<Probe>, String> {
    let (kind, name) = match channel.split_once(':') {
        Some((kind, name)) => (Some(kind), name),
        None => (None, channel),
    };
    let parts: Vec<&str> = name.split('.').collect();
    let wanted = |which: &str| kind.is_none_or(|kind| kind == which);
    let mut found = Vec::new();
    let (description, model) = (readable.description, readable.model);
    if wanted("control")
        && let [single] = parts[..]
        && let Some(control) = description.controls.iter().position(|c| c.name == single)
    {
        found.push(Probe::Control { control });
    }
    let [first, rest @ ..] = &parts[..] else {
        return Ok(None);
    };
    if wanted("joint")
        && let Some(joint) = model.joints.iter().find(|j| j.name == *first)
    {
        found.extend(of_joint(model, joint, rest));
    }
    if wanted("body")
        && *first != GROUND
        && let Some(body) = model.bodies.iter().find(|b| b.name == *first)
    {
        let frame = Attachment {
            node: body.node,
            frame: body.frame,
        };
        found.extend(of_frame(frame, rest, axes));
        if let [marker, rest @ ..] = rest
            && let Some(marker) = body.markers.iter().find(|m| m.name == *marker)
        {
            found.extend(of_frame(marker.frame, rest, axes));
        }
    }
    if wanted("constraint")
        && let Some(constraint) = model.constraints.iter().find(|c| c.name == *first)
    {
        found.extend(of_constraint(constraint, rest));
    }
    if wanted("force")
        && let Some(number) = model.forces.iter().position(|f| f.name == *first)
    {
        found.extend(of_force(model, number, own, rest, axes));
    }
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(SEVERAL.to_string()),
    }
}

const SEVERAL: &str = "several elements have this channel; prefix the kind: `joint:`, `body:`, \
`constraint:`, `force:` or `control:`";

/// Adds what sensors read as unknowns of their own, by the list of all channels.
pub(super) fn add_readings(
    model: &mut Model,
    description: &Description,
    unread: Vec<Unread>,
    errors: &mut Vec<ModelError>,
) {
    if unread.is_empty() {
        return;
    }
    let (entries, tables) = build(model, None, &description.inputs);
    model.sources = Arc::new(tables);
    for Unread {
        control,
        channel,
        axes,
    } in unread
    {
        let mut found = entries.iter().filter(|entry| entry.is_called(&channel));
        let reason = match (found.next(), found.next()) {
            (Some(entry), None) => {
                let probe = match entry.source {
                    Source::State { state } => Probe::State { state },
                    source => {
                        model.readings.push(ModelReading {
                            control,
                            source,
                            place: usize::from(entry.place),
                            axes: other_axes(source, axes),
                        });
                        Probe::Reading {
                            reading: model.readings.len() - 1,
                            control,
                        }
                    }
                };
                // Numbers of controls mean nothing where one could not be compiled.
                if let Some(ControlElement::Sensor(sensor)) =
                    model.controls.get_mut(control).map(|c| &mut c.element)
                {
                    sensor.channel.probe = probe;
                }
                continue;
            }
            (None, _) => {
                let names = entries.iter().map(|entry| entry.channel.name.as_str());
                match nearest(&channel, names) {
                    Some(name) => format!("there is no such channel; did you mean \"{name}\"?"),
                    None => UNKNOWN.to_string(),
                }
            }
            _ => SEVERAL.to_string(),
        };
        errors.push(ModelError::CannotSense {
            place: control_place(&description.controls[control].name),
            channel,
            reason,
        });
    }
    model.needs_world |= !model.readings.is_empty();
    if errors.is_empty() {
        model.forces_need_readings = forces_need_readings(model);
    }
}

const UNKNOWN: &str = "there is no such channel; sensors can read all channels that can be recorded: \
coordinates, velocities, \
                       accelerations and reactions of joints, motions of bodies and markers, states, loads, \
                       powers and energies of force elements, reactions of constraints, other controls, `energy`, \
                       `momentum` and `residual`";

/// The axes for components of a vector that is known in those of the ground, where they are others.
fn other_axes(source: Source, axes: Attachment) -> Option<Attachment> {
    let vector = matches!(
        source,
        Source::Momentum
            | Source::Frame {
                quantity: FrameQuantity::Acceleration | FrameQuantity::AngularAcceleration,
                ..
            }
    );
    let same = axes.node == 0 && axes.frame.rotation == Mat3::identity();
    (vector && !same).then_some(axes)
}

fn of_joint(model: &Model, joint: &ModelJoint, rest: &[&str]) -> Option<Probe> {
    let info = joint.kind.info();
    let turned = match joint.place {
        JointPlace::Cut { constraint } => model.constraints[constraint].element.sides(),
        JointPlace::Tree { .. } => None,
    };
    let frames = turned.unwrap_or([joint.from, joint.to]);
    if info.has_orientation {
        match rest {
            ["orientation", axis] => {
                let component = EULER.iter().position(|a| a == axis)?;
                return Some(orientation(model, joint, component, frames));
            }
            ["angular_velocity", axis] => {
                let component = AXES.iter().position(|a| a == axis)?;
                return Some(Probe::Spin { component, frames });
            }
            _ => {}
        }
    }
    let (coordinate, order) = match rest {
        [coordinate] => (coordinate, 0),
        [coordinate, "velocity"] => (coordinate, 1),
        _ => return None,
    };
    let index = info.coordinates.iter().position(|c| c.name == *coordinate)?;
    if let Some(value) = joint.locked.get(index).copied().flatten() {
        return Some(Probe::Constant(if order == 0 { value } else { 0.0 }));
    }
    Some(match joint.coordinates.get(index) {
        Some(&node) => Probe::Coordinate { node, order },
        None => Probe::CutCoordinate {
            kind: joint.kind,
            index,
            order,
            frames,
        },
    })
}

/// Of a ball in the tree as it moves, otherwise as its frames stand.
fn orientation(model: &Model, joint: &ModelJoint, component: usize, frames: [Attachment; 2]) -> Probe {
    if let JointPlace::Tree { nodes, reversed } = &joint.place
        && let Some(node) = nodes
            .clone()
            .find(|&n| model.tree.nodes[n].kind == NodeKind::Ball)
    {
        return Probe::Ball {
            node,
            reversed: *reversed,
            component,
        };
    }
    Probe::JointOrientation { component, frames }
}

fn of_frame(frame: Attachment, rest: &[&str], axes: Attachment) -> Option<Probe> {
    let [name, axis] = rest else { return None };
    let channel = match *name {
        "position" => FrameChannel::Position,
        "orientation" => FrameChannel::Orientation,
        "velocity" => FrameChannel::Velocity,
        "angular_velocity" => FrameChannel::AngularVelocity,
        _ => return None,
    };
    let components: &[&str] = if channel == FrameChannel::Orientation {
        &EULER
    } else {
        &AXES
    };
    let component = components.iter().position(|a| a == axis)?;
    Some(Probe::Frame {
        frame,
        channel,
        component,
        axes,
    })
}

fn of_constraint(constraint: &ModelConstraint, rest: &[&str]) -> Option<Probe> {
    let row = constraint.rows.start;
    match (&constraint.element, rest) {
        (ConstraintElement::Pair(pair), ["tension"])
            if matches!(
                pair.rows[..],
                [crate::elements::constraints::PairRow::Distance { .. }]
            ) =>
        {
            Some(Probe::Multiplier { row, sign: 1.0 })
        }
        (ConstraintElement::Coordinates(_), ["force"]) => Some(Probe::Multiplier { row, sign: -1.0 }),
        (_, ["gap"]) if constraint.impact().is_some() => Some(gap(constraint, 0)),
        (_, ["gap", "velocity"]) if constraint.impact().is_some() => Some(gap(constraint, 1)),
        _ => None,
    }
}

fn gap(constraint: &ModelConstraint, order: usize) -> Probe {
    Probe::Gap {
        element: Box::new(constraint.element.clone()),
        row: 0,
        order,
    }
}

fn of_force(model: &Model, number: usize, control: usize, rest: &[&str], axes: Attachment) -> Option<Probe> {
    let force = &model.forces[number];
    let read = |reading| {
        Some(Probe::Force {
            force: number,
            reading,
            control,
        })
    };
    let full = format!("{}.{}", force.name, rest.join("."));
    if let Some(state) = force.states.clone().find(|&s| model.states[s].name == full) {
        return Some(Probe::State { state });
    }
    let list = seen::list(&force.element);
    let dotted = rest.join(".");
    let (name, component) = match rest {
        _ if list
            .iter()
            .any(|seen| matches!(seen.what, What::Shown { .. }) && seen.name == dotted) =>
        {
            (&dotted.as_str(), None)
        }
        ["power"] => return read(ForceReading::Power),
        ["energy"] if force.element.stores_energy() => return read(ForceReading::Energy),
        [name] => (name, None),
        [name, axis] => (name, Some(AXES.iter().position(|a| a == axis)?)),
        _ => return None,
    };
    let found = list
        .iter()
        .find(|seen| seen.name == *name && matches!(seen.what, What::Vector { .. }) == component.is_some())?;
    let place = found.place;
    read(match component {
        None => ForceReading::Scalar { place },
        Some(component) => ForceReading::Vector {
            place,
            component,
            axes,
        },
    })
}
