//! Controls: what their names stand for, their order, and where sensors read.

use super::error::ModelError;
use super::names::GROUND;
use super::paths;
use crate::channels::build::build;
use crate::channels::source::{FrameQuantity, Source};
use crate::description::fields::{Field, Fields};
use crate::description::{Control, ControlKind, CoordinateRef, Description, Document, Pursuit};
use crate::elements::constraints::ConstraintElement;
use crate::elements::controls::probe::{ForceReading, FrameChannel};
use crate::elements::controls::{
    ControlElement, Delay, DriverSpeed, DriverSteering, Expression, PathSensor, Pid, Probe, Sensor,
    TransferFunction,
};
use crate::elements::forces::seen::{self, What};
use crate::expression::Expression as Formula;
use crate::model::{
    Attachment, JointPlace, Model, ModelConstraint, ModelControl, ModelForce, ModelJoint, ModelReading,
};
use crate::path::PathCurve;
use crate::residual::forces_need_readings;
use crate::signal::Signal;
use crate::tree::NodeKind;
use holonom_algebra::Mat3;
use holonom_text::nearest;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn control_place(name: &str) -> String {
    format!("control \"{name}\"")
}

/// Lets functions of time know the controls they name; as [`Fields`] it visits those of a thing.
pub(super) struct Bind<'a> {
    /// `t`, then all controls.
    names: Vec<&'a str>,
    place: String,
    /// Numbers of the controls that were found in what it visited.
    pub read: Vec<usize>,
    pub errors: Vec<ModelError>,
}

impl<'a> Bind<'a> {
    pub fn new(description: &'a Description) -> Self {
        let controls = description.controls.iter().map(|c| c.name.as_str());
        Self {
            names: core::iter::once("t").chain(controls).collect(),
            place: String::new(),
            read: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Begins with another thing.
    pub fn at(&mut self, place: String) {
        self.place = place;
        self.read.clear();
    }

    fn bind(&mut self, signal: &mut Signal) {
        signal.change_expressions(&mut |expression| self.bound(expression));
    }

    fn bound(&mut self, expression: &Formula) -> Option<Formula> {
        let used: Vec<&String> = expression
            .variables()
            .iter()
            .enumerate()
            .filter(|&(k, name)| name != "t" && expression.uses(k))
            .map(|(_, name)| name)
            .collect();
        if used.is_empty() {
            // Others that it may know but does not use do not count.
            let more = expression.variables().len() > 1;
            return more.then(|| expression.over_variables(&["t"]).ok()).flatten();
        }
        for name in used {
            match self.names.iter().skip(1).position(|known| known == name) {
                Some(control) if self.read.contains(&control) => {}
                Some(control) => self.read.push(control),
                None => {
                    let known = self.names.iter().skip(1).copied();
                    self.errors.push(ModelError::UnknownControl {
                        place: self.place.clone(),
                        name: name.clone(),
                        suggestion: nearest(name, known).map(str::to_string),
                    });
                }
            }
        }
        expression.over_variables(&self.names).ok()
    }
}

impl Fields for Bind<'_> {
    fn number(&mut self, _: &Field, _: &mut f64) {}
    fn numbers(&mut self, _: &Field, _: &mut Vec<f64>) {}
    fn vector(&mut self, _: &Field, _: &mut [f64; 3]) {}
    fn symmetric(&mut self, _: &Field, _: &mut [f64; 6]) {}
    fn signal(&mut self, _: &Field, value: &mut Signal) {
        self.bind(value);
    }
    fn signals(&mut self, _: &Field, value: &mut [Signal; 3]) {
        value.iter_mut().for_each(|signal| self.bind(signal));
    }
    fn expressions(&mut self, _: &Field, _: &[&'static str], _: &mut [Formula; 3]) {}
    fn expression(&mut self, _: &Field, _: &[&'static str], _: &mut Formula) {}
    fn matrix(&mut self, _: &Field, _: &mut [[f64; 6]; 6]) {}
    fn road(&mut self, _: &Field, _: &mut String) {}
    fn path(&mut self, _: &Field, _: &mut String) {}
    fn constraint(&mut self, _: &Field, _: &mut String) {}
    fn document(&mut self, _: &Field, _: &mut Document) {}
    fn frame(&mut self, _: &Field, _: &mut String) {}
    fn channel(&mut self, _: &Field, _: &mut String) {}
    fn coordinate(&mut self, _: &Field, _: &mut CoordinateRef) {}
    fn terms(&mut self, _: &Field, _: &mut Vec<(CoordinateRef, f64)>) {}
    fn flag(&mut self, _: &Field, _: &mut bool) {}
    fn choice(&mut self, _: &Field, _: &[&'static str], _: &mut usize) {}
}

/// What sensors may read.
pub(super) struct Readable<'a> {
    pub description: &'a Description,
    pub model: &'a Model,
}

/// A channel that is not on position or velocity level.
pub(super) struct Unread {
    /// Number of the sensor.
    control: usize,
    channel: String,
    axes: Attachment,
}

/// Compiles all controls into the model, without their own states and without what sensors read as
/// unknowns; the caller adds these.
pub(super) fn compile(
    readable: &Readable<'_>,
    bind: &mut Bind<'_>,
    unread: &mut Vec<Unread>,
    errors: &mut Vec<ModelError>,
) -> Vec<ModelControl> {
    let mut controls = Vec::new();
    // What is wrong with them has been reported before.
    let curves = paths::curves(readable.description, &mut Vec::new());
    for (number, control) in readable.description.controls.iter().enumerate() {
        bind.at(control_place(&control.name));
        let mut kind = control.kind.clone();
        (kind.info().fields)(&mut kind, bind);
        if let Some(element) = element(readable, control, number, kind, &curves, unread, errors) {
            controls.push(ModelControl {
                name: control.name.clone(),
                element,
                states: 0..0,
                controls: bind.read.clone(),
            });
        }
    }
    controls
}

fn element(
    readable: &Readable<'_>,
    control: &Control,
    number: usize,
    kind: ControlKind,
    curves: &HashMap<&str, Arc<PathCurve>>,
    unread: &mut Vec<Unread>,
    errors: &mut Vec<ModelError>,
) -> Option<ControlElement> {
    let follow = |pursuit: &Pursuit| paths::follow(readable.description, readable.model, curves, pursuit);
    Some(match kind {
        ControlKind::Sensor {
            channel,
            factor,
            axes,
        } => match axes_of(readable.model, &axes).and_then(|axes| {
            let probe = probe(readable, &channel, number, axes)?;
            Ok((probe, axes))
        }) {
            Ok((probe, axes)) => {
                let probe = probe.unwrap_or_else(|| {
                    unread.push(Unread {
                        control: number,
                        channel: channel.clone(),
                        axes,
                    });
                    // The number follows.
                    Probe::Reading {
                        reading: 0,
                        control: number,
                    }
                });
                ControlElement::Sensor(Sensor {
                    channel,
                    probe,
                    factor,
                })
            }
            Err(reason) => {
                errors.push(ModelError::CannotSense {
                    place: control_place(&control.name),
                    channel,
                    reason,
                });
                return None;
            }
        },
        ControlKind::Expression { value } => ControlElement::Expression(Expression { value }),
        ControlKind::Pid {
            input,
            target,
            proportional,
            integral,
            derivative,
            filter,
            limited,
            low,
            high,
            start,
        } => ControlElement::Pid(Pid {
            input,
            target,
            gains: [proportional, integral, derivative],
            filter,
            limits: limited.then_some([low, high]),
            start,
        }),
        ControlKind::TransferFunction {
            input,
            numerator,
            denominator,
            start,
        } => {
            let function = TransferFunction::new(input, &numerator, &denominator, &start);
            if function.is_none() {
                errors.push(ModelError::ImproperTransferFunction {
                    place: control_place(&control.name),
                });
            }
            ControlElement::TransferFunction(function?)
        }
        ControlKind::Delay {
            input,
            time_constant,
            start,
        } => ControlElement::Delay(Delay {
            input,
            time_constant,
            start,
        }),
        ControlKind::PathSensor {
            pursuit,
            quantity,
            factor,
        } => ControlElement::PathSensor(PathSensor {
            follow: follow(&pursuit)?,
            quantity,
            factor,
        }),
        ControlKind::DriverSteering { pursuit, law } => ControlElement::DriverSteering(DriverSteering {
            follow: follow(&pursuit)?,
            law,
        }),
        ControlKind::DriverSpeed {
            frame,
            reversed,
            target,
            feed_forward,
            law,
        } => ControlElement::DriverSpeed(DriverSpeed {
            frame: paths::frame(readable.model, &frame)?,
            reversed,
            target,
            feed_forward,
            law,
        }),
    })
}

/// The order in which outputs are computed: each after those it uses directly. Otherwise the
/// names of a ring.
pub(super) fn order(controls: &[ModelControl], forces: &[ModelForce]) -> Result<Vec<usize>, Vec<String>> {
    // What the output of a control needs first.
    let needs = |k: usize| -> Vec<usize> {
        let control = &controls[k];
        match &control.element {
            ControlElement::Sensor(sensor) => match &sensor.probe {
                Probe::Control { control } => vec![*control],
                Probe::Force { force, .. } => forces[*force].controls.clone(),
                _ => Vec::new(),
            },
            element if element.direct() => control.controls.clone(),
            _ => Vec::new(),
        }
    };
    let (mut order, mut done) = (Vec::with_capacity(controls.len()), vec![false; controls.len()]);
    for start in 0..controls.len() {
        // Depth first, with the way back to name a ring by.
        let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
        if !done[start] {
            path.push((start, needs(start)));
        }
        while let Some((k, open)) = path.last_mut() {
            let k = *k;
            match open.pop() {
                Some(next) if done[next] => {}
                Some(next) => {
                    if let Some(at) = path.iter().position(|(seen, _)| *seen == next) {
                        return Err(path[at..]
                            .iter()
                            .map(|(k, _)| controls[*k].name.clone())
                            .collect());
                    }
                    path.push((next, needs(next)));
                }
                None => {
                    done[k] = true;
                    order.push(k);
                    path.pop();
                }
            }
        }
    }
    Ok(order)
}

const AXES: [&str; 3] = ["x", "y", "z"];
const EULER: [&str; 4] = ["w", "x", "y", "z"];

/// A frame by its name.
fn axes_of(model: &Model, name: &str) -> Result<Attachment, String> {
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
fn probe(
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

const SEVERAL: &str = "several things have this channel; put the kind in front: `joint:`, `body:`, `constraint:`, \
                       `force:` or `control:`";

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
                    sensor.probe = probe;
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

const UNKNOWN: &str = "there is no such channel; sensors read all that can be recorded: coordinates, velocities, \
                       accelerations and reactions of joints, motions of bodies and markers, own states, loads, \
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
        (ConstraintElement::Impact(_), ["gap"]) => Some(gap(constraint, 0)),
        (ConstraintElement::Impact(_), ["gap", "velocity"]) => Some(gap(constraint, 1)),
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
    let (name, component) = match rest {
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
