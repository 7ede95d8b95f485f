//! Lists the channels of a mechanism.

mod elements;

use super::catalogue::{Channel, Entry, Tables};
use super::source::{FrameQuantity, Source};
use crate::description::Input;
use crate::elements::constraints::RowLevel;
use crate::elements::constraints::{ConstraintElement, CoordinateSum, PairRow};
use crate::formalism::reactions::ReactionElement;
use crate::model::{JointPlace, Model};
use crate::start::RowReport;
use crate::tree::Attachment;
use crate::tree::NodeKind;
use std::collections::{HashMap, HashSet};

/// Positions of bodies are recorded without being asked for up to this many bodies.
const FEW_BODIES: usize = 8;

const AXES: [&str; 3] = ["x", "y", "z"];
const EULER: [&str; 4] = ["w", "x", "y", "z"];

/// All channels, and what their sources refer to. Without `rows`, before a mechanism is assembled,
/// descriptions do not say what dependent constraints leave open.
pub(crate) fn build(model: &Model, rows: Option<&RowReport>, inputs: &[Input]) -> (Vec<Entry>, Tables) {
    let tables = Tables {
        frames: Vec::new(),
        joints: joint_frames(model),
        reactions: ReactionElement::all(model),
        inputs: Vec::new(),
    };
    let mut builder = Builder {
        model,
        rows,
        tables,
        entries: Vec::new(),
        owners: Vec::new(),
        owner: Owner::default(),
    };
    for joint in 0..model.joints.len() {
        builder.joint(joint);
    }
    builder.bodies();
    builder.constraints();
    for force in 0..model.forces.len() {
        builder.force(force);
    }
    for control in 0..model.controls.len() {
        builder.control(control);
    }
    builder.whole();
    builder.residuals();
    builder.inputs(inputs);
    builder.finish()
}

/// Frames of joints whose z axis is the joint's axis. Balls have no axis to choose; of other joints
/// in the tree the frames are not needed.
fn joint_frames(model: &Model) -> Vec<[Attachment; 2]> {
    let joints = model.joints.iter();
    let frames = joints.map(|joint| match joint.place {
        JointPlace::Cut { constraint } => model.constraints[constraint].element.sides(),
        JointPlace::Tree { .. } => None,
    });
    let own = model.joints.iter().map(|joint| [joint.from, joint.to]);
    frames
        .zip(own)
        .map(|(turned, own)| turned.unwrap_or(own))
        .collect()
}

/// The thing that channels belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Owner {
    /// Goes in front where names coincide; none for the mechanism as a whole.
    kind: Option<&'static str>,
    /// First part of the names.
    stem: String,
}

struct Builder<'a> {
    model: &'a Model,
    rows: Option<&'a RowReport>,
    tables: Tables,
    entries: Vec<Entry>,
    /// Of each entry, the kind and name of the thing it belongs to.
    owners: Vec<Owner>,
    owner: Owner,
}

impl Builder<'_> {
    fn own(&mut self, kind: Option<&'static str>, stem: impl Into<String>) {
        self.owner = Owner {
            kind,
            stem: stem.into(),
        };
    }

    fn push(&mut self, name: &str, unit: &str, description: String, source: Source, place: usize) {
        let channel = Channel {
            name: match name {
                "" => self.owner.stem.clone(),
                _ => format!("{}.{name}", self.owner.stem),
            },
            unit: unit.to_string(),
            description,
        };
        self.entries.push(Entry {
            channel,
            kind: self.owner.kind,
            prefix: 0,
            source,
            place: place as u8,
            usual: false,
        });
        self.owners.push(self.owner.clone());
    }

    /// Components of a vector, `first` the place of the first one.
    fn push_all(
        &mut self,
        (name, axes): (&str, &[&str]),
        unit: &str,
        description: &str,
        source: Source,
        first: usize,
    ) {
        for (k, axis) in axes.iter().enumerate() {
            let name = format!("{name}.{axis}");
            let description = format!("{axis} of the {description}");
            self.push(&name, unit, description, source, first + k);
        }
    }

    /// Marks the entries from number `first` as usual.
    fn usual(&mut self, first: usize) {
        self.entries[first..].iter_mut().for_each(|e| e.usual = true);
    }

    fn joint(&mut self, number: usize) {
        let joint = &self.model.joints[number];
        let info = joint.kind.info();
        self.own(Some("joint"), &joint.name);
        for (index, coordinate) in info.coordinates.iter().enumerate() {
            let first = self.entries.len();
            let locked = joint.locked.get(index).copied().flatten();
            let node = joint.coordinates.get(index).copied();
            let note = match (locked, node) {
                (Some(_), _) => ", locked",
                (None, None) => match (info.name, coordinate.unit) {
                    ("helical", _) => {
                        ", cut: computed from its frames, revolutions counted by the displacement"
                    }
                    (_, "rad") => ", cut: computed from its frames, in (-pi, pi]",
                    _ => ", cut: computed from its frames",
                },
                (None, Some(node)) => match self.model.tree.nodes[node].prescribed {
                    Some(_) => ", prescribed",
                    None => "",
                },
            };
            let source = |order: usize| match (locked, node) {
                (Some(value), _) => Source::Constant(if order == 0 { value } else { 0.0 }),
                (None, Some(node)) => Source::Coordinate { node, order },
                (None, None) => Source::CutCoordinate {
                    joint: number,
                    index,
                    order,
                },
            };
            let (name, kind) = (coordinate.name, info.name);
            let text = format!("{name} of the {kind} joint{note}");
            self.push(name, coordinate.unit, text, source(0), 0);
            for (order, rate) in [(1, "velocity"), (2, "acceleration")] {
                let unit = rate_unit(coordinate.unit, order);
                let text = format!("{rate} of {name} of the {kind} joint{note}");
                self.push(&format!("{name}.{rate}"), &unit, text, source(order), 0);
                if order == 1 && locked.is_none() {
                    self.usual(first);
                }
            }
        }
        self.drives(number);
        if info.has_orientation {
            self.orientation(number);
        }
        self.reaction(number, true);
    }

    /// What leads the prescribed coordinates of a joint.
    fn drives(&mut self, number: usize) {
        let joint = &self.model.joints[number];
        let info = joint.kind.info();
        for (index, coordinate) in info.coordinates.iter().enumerate() {
            let locked = joint.locked.get(index).copied().flatten().is_some();
            let Some(&node) = joint.coordinates.get(index) else {
                continue;
            };
            if !locked && self.model.tree.nodes[node].prescribed.is_some() {
                let name = coordinate.name;
                let text = format!("force or torque that moves {name} of the joint as prescribed");
                let unit = force_unit(coordinate.unit);
                self.push(&format!("{name}.drive"), unit, text, Source::Drive { node }, 0);
            }
        }
    }

    fn orientation(&mut self, number: usize) {
        let joint = &self.model.joints[number];
        let nodes = &self.model.tree.nodes;
        let (source, note) = match &joint.place {
            JointPlace::Tree {
                nodes: range,
                reversed,
            } => match range.clone().find(|&n| nodes[n].kind == NodeKind::Ball) {
                Some(node) => (
                    Source::Ball {
                        node,
                        reversed: *reversed,
                    },
                    "",
                ),
                None => (Source::Orientation { joint: number }, ", locked, w >= 0"),
            },
            JointPlace::Cut { .. } => (Source::Orientation { joint: number }, ", cut, w >= 0"),
        };
        let first = self.entries.len();
        let text = format!("Euler parameters of the second frame in the first{note}");
        self.push_all(("orientation", &EULER), "1", &text, source, 0);
        for (order, name, words, unit) in [
            (1, "angular_velocity", "angular velocity", "rad/s"),
            (2, "angular_acceleration", "angular acceleration", "rad/s^2"),
        ] {
            let text =
                format!("{words} of the second frame relative to the first, in the axes of the second{note}");
            let source = Source::Spin { joint: number, order };
            self.push_all((name, &AXES), unit, &text, source, 0);
            if order == 1 && !note.starts_with(", locked") {
                self.usual(first);
            }
        }
    }

    /// Force and, if it can have one, torque of a joint or constraint between frames.
    fn reaction(&mut self, reaction: usize, torque: bool) {
        let source = Source::Reaction { reaction };
        let unique = self.rows.and_then(|rows| rows.uniqueness.get(reaction));
        let unique = unique.map(|u| u.components.clone());
        for (k, name, unit) in [(0, "force", "N"), (1, "torque", "N m")] {
            if k == 1 && !torque {
                continue;
            }
            for (axis, letter) in AXES.iter().enumerate() {
                let place = 3 * k + axis;
                let known = unique.as_ref().and_then(|u| u.get(place)).copied();
                let note = open_note(known);
                let text = format!(
                    "{letter} of the {name} on the second frame at its origin, in the axes of the first{note}"
                );
                self.push(&format!("{name}.{letter}"), unit, text, source, place);
            }
        }
    }

    fn bodies(&mut self) {
        let few = self.model.bodies.len() <= FEW_BODIES + 1;
        let model = self.model;
        for body in model.bodies.iter().skip(1) {
            self.own(Some("body"), &body.name);
            let at = Attachment {
                node: body.node,
                frame: body.frame,
            };
            self.frame("", "body", at, few);
            for marker in &body.markers {
                self.frame(&format!("{}.", marker.name), "marker", marker.frame, false);
            }
        }
    }

    fn frame(&mut self, stem: &str, what: &str, at: Attachment, usual: bool) {
        use FrameQuantity as F;
        let frame = self.tables.frames.len();
        self.tables.frames.push(at);
        for (quantity, name, unit, text) in [
            (F::Position, "position", "m", "position of the origin"),
            (F::Orientation, "orientation", "1", "Euler parameters, w >= 0,"),
            (F::Velocity, "velocity", "m/s", "velocity of the origin"),
            (
                F::AngularVelocity,
                "angular_velocity",
                "rad/s",
                "angular velocity",
            ),
            (
                F::Acceleration,
                "acceleration",
                "m/s^2",
                "acceleration of the origin",
            ),
            (
                F::AngularAcceleration,
                "angular_acceleration",
                "rad/s^2",
                "angular acceleration",
            ),
        ] {
            let axes: &[&str] = match quantity {
                F::Orientation => &EULER,
                _ => &AXES,
            };
            let where_to = match quantity {
                F::Position | F::Orientation => "in the ground's frame",
                _ => "in the ground's axes",
            };
            let text = format!("{text} of the {what} {where_to}");
            let first = self.entries.len();
            let name = format!("{stem}{name}");
            self.push_all((&name, axes), unit, &text, Source::Frame { frame, quantity }, 0);
            if usual && quantity == F::Position {
                self.usual(first);
            }
        }
    }

    /// Energies and momenta.
    fn whole(&mut self) {
        self.own(None, "energy");
        let first = self.entries.len();
        for (place, name, text) in [
            (0, "kinetic", "kinetic energy"),
            (
                1,
                "potential",
                "energy of gravity (zero at the ground's origin) and of springs",
            ),
            (2, "total", "kinetic and potential energy"),
        ] {
            self.push(name, "J", text.to_string(), Source::Energy, place);
        }
        self.usual(first);
        for (first, stem, unit, text) in [
            (0, "momentum", "kg m/s", "total momentum of the mechanism"),
            (
                3,
                "angular_momentum",
                "kg m^2/s",
                "angular momentum about the ground's origin",
            ),
        ] {
            self.own(None, stem);
            for (k, axis) in AXES.iter().enumerate() {
                let text = format!("{axis} of the {text}");
                self.push(axis, unit, text, Source::Momentum, first + k);
            }
        }
    }

    /// What is left of the constraints.
    fn residuals(&mut self) {
        self.own(None, "constraint");
        let model = self.model;
        let always = model.constraints.iter().enumerate();
        for (number, constraint) in always.filter(|(_, c)| c.impact().is_none()) {
            for (rate, source) in [
                (false, Source::Gap { constraint: number }),
                (true, Source::GapRate { constraint: number }),
            ] {
                for row in constraint.rows.clone() {
                    let (place, r) = (row - constraint.rows.start, &model.rows[row]);
                    if !rate && r.level == RowLevel::Nonholonomic {
                        continue;
                    }
                    let active = |rows: &RowReport| rows.active.binary_search(&row).is_ok();
                    let note = match self.rows.is_none_or(active) {
                        true => "",
                        false => "; redundant: the other rows imply it",
                    };
                    let unit = row_unit(model, &constraint.element, place);
                    if rate {
                        let text = format!("violation of the constraint row on velocities{note}");
                        self.push(
                            &format!("{}.rate", r.name),
                            &rate_unit(unit, 1),
                            text,
                            source,
                            place,
                        );
                    } else {
                        let text = format!("violation of the constraint row on positions{note}");
                        self.push(&r.name, unit, text, source, place);
                    }
                }
            }
        }
        if model.switched().start == 0 {
            return;
        }
        self.own(None, "residual");
        let first = self.entries.len();
        for (name, text, source) in [
            (
                "position",
                "largest violation of all constraint rows on positions, in m or rad",
                Source::LargestGap,
            ),
            (
                "velocity",
                "largest violation of all constraint rows on velocities, in m/s or rad/s",
                Source::LargestGapRate,
            ),
        ] {
            self.push(name, "1", text.to_string(), source, 0);
        }
        self.usual(first);
    }

    fn inputs(&mut self, further: &[Input]) {
        let model = self.model;
        for joint in &model.joints {
            for (index, &node) in joint.coordinates.iter().enumerate() {
                if let Some(signal) = model.tree.nodes[node].prescribed {
                    let coordinate = &joint.kind.info().coordinates[index];
                    self.own(Some("joint"), format!("input.{}.{}", joint.name, coordinate.name));
                    let what = format!(
                        "function that {} of joint {} follows",
                        coordinate.name, joint.name
                    );
                    self.input(coordinate.unit, &what, model.signals[signal].clone());
                }
            }
        }
        for constraint in &model.constraints {
            if let Some(signal) = constraint.element.signal() {
                self.own(Some("constraint"), format!("input.{}", constraint.name));
                let (unit, what) = match &constraint.element {
                    ConstraintElement::Coordinates(sum) => {
                        let unit = sum_unit(model, sum);
                        match sum.rate {
                            true => (rate_unit(unit, 1), "velocity that the driver prescribes"),
                            false => (unit.to_string(), "function that the driver follows"),
                        }
                    }
                    _ => ("m".to_string(), "function that the distance follows"),
                };
                self.input(&unit, what, signal.clone());
            }
        }
        for input in further {
            self.own(Some("input"), format!("input.{}", input.name));
            self.input(&input.unit, "input of the model", input.signal.clone());
        }
    }

    fn input(&mut self, unit: &str, what: &str, signal: crate::Signal) {
        let source = Source::Input {
            input: self.tables.inputs.len(),
        };
        self.tables.inputs.push(signal);
        self.push("", unit, what.to_string(), source, 0);
        for (order, name) in [(1, "rate"), (2, "acceleration")] {
            let text = format!("{name} of the {what}");
            self.push(name, &rate_unit(unit, order), text, source, order);
        }
    }

    /// Makes names differ.
    fn finish(mut self) -> (Vec<Entry>, Tables) {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for entry in &self.entries {
            *seen.entry(&entry.channel.name).or_default() += 1;
        }
        let twice = |entry: &Entry| seen.get(entry.channel.name.as_str()).is_some_and(|&n| n > 1);
        let both = self.entries.iter().zip(&self.owners);
        let ambiguous: HashSet<Owner> = both
            .filter(|(entry, owner)| owner.kind.is_some() && twice(entry))
            .map(|(_, owner)| owner.clone())
            .collect();
        for (entry, owner) in self.entries.iter_mut().zip(&self.owners) {
            if let Some(kind) = owner.kind
                && ambiguous.contains(owner)
            {
                entry.channel.name = format!("{kind}:{}", entry.channel.name);
                entry.prefix = kind.len() + 1;
            }
        }
        let mut seen: HashMap<String, usize> = HashMap::new();
        for entry in &mut self.entries {
            let name = &mut entry.channel.name;
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                *name = format!("{name}#{count}");
            }
        }
        (self.entries, self.tables)
    }
}

/// A remark for reactions that the motion does not determine.
fn open_note(unique: Option<bool>) -> &'static str {
    match unique {
        Some(false) => "; not unique because of redundant constraints: one of many possible values",
        _ => "",
    }
}

/// Unit of a first or second derivative.
fn rate_unit(unit: &str, order: usize) -> String {
    let per = if order == 1 { "s" } else { "s^2" };
    if unit.contains('/') {
        format!("({unit})/{per}")
    } else {
        format!("{unit}/{per}")
    }
}

/// Unit of what moves a coordinate of the given unit.
fn force_unit(unit: &str) -> &'static str {
    match unit {
        "m" => "N",
        "rad" => "N m",
        _ => "1",
    }
}

/// Unit of the scalar coordinate of a node.
fn node_unit(model: &Model, node: usize) -> &'static str {
    if model.tree.nodes[node].kind.turns() {
        "rad"
    } else {
        "m"
    }
}

/// Unit of a sum of coordinates: theirs or, where they differ, that of one with factor ±1.
fn sum_unit(model: &Model, sum: &CoordinateSum) -> &'static str {
    let mut units = sum.terms.iter().map(|&(node, _)| node_unit(model, node));
    let first = units.next().unwrap_or("1");
    if units.all(|unit| unit == first) {
        return first;
    }
    let plain = sum.terms.iter().find(|(_, factor)| factor.abs() == 1.0);
    plain.map_or("1", |&(node, _)| node_unit(model, node))
}

/// Unit of a row on positions; sines of small angles count as angles.
fn row_unit(model: &Model, element: &ConstraintElement, row: usize) -> &'static str {
    match element {
        ConstraintElement::Pair(pair) => match pair.rows[row] {
            PairRow::Perpendicular { .. } => "rad",
            PairRow::Start(row) if row.is_angle() => "rad",
            PairRow::Along { .. } | PairRow::Distance { .. } | PairRow::Screw { .. } | PairRow::Start(_) => {
                "m"
            }
        },
        ConstraintElement::Coordinates(sum) => sum_unit(model, sum),
        _ => "m",
    }
}
