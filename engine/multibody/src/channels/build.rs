//! Lists the channels of a mechanism.

mod elements;

use super::catalogue::{Channel, Entry};
use crate::description::Input;
use crate::elements::constraints::RowLevel;
use crate::elements::constraints::{ConstraintElement, CoordinateSum};
use crate::formalism::reactions::ReactionElement;
use crate::model::{JointPlace, Model};
use crate::observable::{FrameQuantity, Observable, TimeFunction};
use crate::start::{ReactionUniqueness, RowReport};
use crate::tree::NodeKind;
use std::collections::{HashMap, HashSet};

/// Positions of bodies are recorded without being asked for up to this many bodies.
const FEW_BODIES: usize = 8;

const AXES: [&str; 3] = ["x", "y", "z"];
const EULER: [&str; 4] = ["w", "x", "y", "z"];

/// All channels. Without `rows`, before a mechanism is assembled, descriptions do not say what dependent
/// constraints leave open.
pub(crate) fn all(model: &Model, rows: Option<&RowReport>, inputs: &[Input]) -> Vec<Entry> {
    Builder::new(model, rows).list(inputs)
}

/// The channels that go by a name, with or without the kind of their thing in front: more than one where the
/// name is ambiguous.
pub(crate) fn called(model: &Model, name: &str) -> Vec<Entry> {
    let own = name.split_once(':').map_or(name, |(_, own)| own);
    let head = own.split('.').next().unwrap_or(own);
    let mut builder = Builder::new(model, None);
    builder.only = Some(head);
    let mut found = builder.list(&model.inputs);
    found.retain(|entry| entry.is_called(name));
    found
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
    /// First part of the names that are wanted; none for all.
    only: Option<&'a str>,
    entries: Vec<Entry>,
    /// Of each entry, the kind and name of the thing it belongs to.
    owners: Vec<Owner>,
    owner: Owner,
}

impl<'a> Builder<'a> {
    fn new(model: &'a Model, rows: Option<&'a RowReport>) -> Self {
        Self {
            model,
            rows,
            only: None,
            entries: Vec::new(),
            owners: Vec::new(),
            owner: Owner::default(),
        }
    }

    fn list(mut self, inputs: &[Input]) -> Vec<Entry> {
        let model = self.model;
        for (number, joint) in model.joints.iter().enumerate() {
            if self.wants(&joint.name) {
                self.joint(number);
            }
        }
        self.bodies();
        self.constraints();
        for (number, force) in model.forces.iter().enumerate() {
            if self.wants(&force.name) {
                self.force(number);
            }
        }
        for (number, control) in model.controls.iter().enumerate() {
            if self.wants(&control.name) {
                self.control(number);
            }
        }
        self.whole();
        if self.wants("constraint") || self.wants("residual") {
            self.residuals();
        }
        if self.wants("input") {
            self.inputs(inputs);
        }
        self.finish()
    }

    /// Whether names that begin with this part are wanted.
    fn wants(&self, head: &str) -> bool {
        self.only.is_none_or(|only| only == head)
    }

    fn own(&mut self, kind: Option<&'static str>, stem: impl Into<String>) {
        self.owner = Owner {
            kind,
            stem: stem.into(),
        };
    }

    fn push(&mut self, name: &str, unit: &str, description: String, observable: Observable, place: usize) {
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
            observable,
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
        observable: &Observable,
        first: usize,
    ) {
        for (k, axis) in axes.iter().enumerate() {
            let name = format!("{name}.{axis}");
            let description = format!("{axis} of the {description}");
            self.push(&name, unit, description, observable.clone(), first + k);
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
            let observable = |order: usize| match (locked, node) {
                (Some(value), _) => Observable::Constant(if order == 0 { value } else { 0.0 }),
                (None, Some(node)) => Observable::Coordinate { node, order },
                (None, None) => Observable::CutCoordinate {
                    joint: number,
                    index,
                    order,
                },
            };
            let (name, kind) = (coordinate.name, info.name);
            let text = format!("{name} of the {kind} joint{note}");
            self.push(name, coordinate.unit, text, observable(0), 0);
            for (order, rate) in [(1, "velocity"), (2, "acceleration")] {
                let unit = rate_unit(coordinate.unit, order);
                let text = format!("{rate} of {name} of the {kind} joint{note}");
                self.push(&format!("{name}.{rate}"), &unit, text, observable(order), 0);
                if order == 1 && locked.is_none() {
                    self.usual(first);
                }
            }
        }
        self.drives(number);
        if info.has_orientation {
            self.orientation(number);
        }
        self.reaction((number, ReactionElement::Joint(number)), true);
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
                self.push(
                    &format!("{name}.drive"),
                    unit,
                    text,
                    Observable::Drive { node },
                    0,
                );
            }
        }
    }

    fn orientation(&mut self, number: usize) {
        let joint = &self.model.joints[number];
        let nodes = &self.model.tree.nodes;
        let mut moves = true;
        let (observable, note) = match &joint.place {
            JointPlace::Tree {
                nodes: range,
                reversed,
            } => match range.clone().find(|&n| nodes[n].kind == NodeKind::Ball) {
                Some(node) => (
                    Observable::Ball {
                        node,
                        reversed: *reversed,
                    },
                    "",
                ),
                None => {
                    moves = false;
                    (Observable::Orientation { joint: number }, ", locked, w >= 0")
                }
            },
            JointPlace::Cut { .. } => (Observable::Orientation { joint: number }, ", cut, w >= 0"),
        };
        let first = self.entries.len();
        let text = format!("Euler parameters of the second frame in the first{note}");
        self.push_all(("orientation", &EULER), "1", &text, &observable, 0);
        for (order, name, words, unit) in [
            (1, "angular_velocity", "angular velocity", "rad/s"),
            (2, "angular_acceleration", "angular acceleration", "rad/s^2"),
        ] {
            let text =
                format!("{words} of the second frame relative to the first, in the axes of the second{note}");
            let spin = Observable::Spin { joint: number, order };
            self.push_all((name, &AXES), unit, &text, &spin, 0);
            if order == 1 && moves {
                self.usual(first);
            }
        }
    }

    /// Force and, if it can have one, torque of a joint or constraint between frames.
    fn reaction(&mut self, (number, element): (usize, ReactionElement), torque: bool) {
        let unique = self.uniqueness(number);
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
                let name = format!("{name}.{letter}");
                self.push(&name, unit, text, Observable::Reaction(element), place);
            }
        }
    }

    /// What the motion says about a reaction, by its number among all.
    fn uniqueness(&self, reaction: usize) -> Option<&'a ReactionUniqueness> {
        self.rows?.uniqueness.get(reaction)
    }

    fn bodies(&mut self) {
        let few = self.model.bodies.len() <= FEW_BODIES + 1;
        let model = self.model;
        for (number, body) in model.bodies.iter().enumerate().skip(1) {
            if !self.wants(&body.name) {
                continue;
            }
            self.own(Some("body"), &body.name);
            self.frame("", "body", (number, None), few);
            for (marker, own) in body.markers.iter().enumerate() {
                self.frame(&format!("{}.", own.name), "marker", (number, Some(marker)), false);
            }
        }
    }

    fn frame(&mut self, stem: &str, what: &str, (body, marker): (usize, Option<usize>), usual: bool) {
        use FrameQuantity as F;
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
            let observable = Observable::Frame {
                body,
                marker,
                quantity,
            };
            self.push_all((&name, axes), unit, &text, &observable, 0);
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
            self.push(name, "J", text.to_string(), Observable::Energy, place);
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
                self.push(axis, unit, text, Observable::Momentum, first + k);
            }
        }
    }

    /// What is left of the constraints.
    fn residuals(&mut self) {
        self.own(None, "constraint");
        let model = self.model;
        let always = model.constraints.iter().enumerate();
        for (number, constraint) in always.filter(|(_, c)| c.impact().is_none()) {
            for rate in [false, true] {
                let gap = Observable::Gap {
                    constraint: number,
                    order: usize::from(rate),
                };
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
                            gap.clone(),
                            place,
                        );
                    } else {
                        let text = format!("violation of the constraint row on positions{note}");
                        self.push(&r.name, unit, text, gap.clone(), place);
                    }
                }
            }
        }
        if model.switched().start == 0 {
            return;
        }
        self.own(None, "residual");
        let first = self.entries.len();
        for (order, name, text) in [
            (
                0,
                "position",
                "largest violation of all constraint rows on positions, in m or rad",
            ),
            (
                1,
                "velocity",
                "largest violation of all constraint rows on velocities, in m/s or rad/s",
            ),
        ] {
            self.push(name, "1", text.to_string(), Observable::LargestGap { order }, 0);
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
                    self.input(coordinate.unit, &what, TimeFunction::Prescribed(signal));
                }
            }
        }
        for (number, constraint) in model.constraints.iter().enumerate() {
            if constraint.element.signal().is_some() {
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
                self.input(&unit, what, TimeFunction::Followed(number));
            }
        }
        for (number, input) in further.iter().enumerate() {
            self.own(Some("input"), format!("input.{}", input.name));
            self.input(&input.unit, "input of the model", TimeFunction::Input(number));
        }
    }

    fn input(&mut self, unit: &str, what: &str, function: TimeFunction) {
        let time = Observable::Time(function);
        self.push("", unit, what.to_string(), time.clone(), 0);
        for (order, name) in [(1, "rate"), (2, "acceleration")] {
            let text = format!("{name} of the {what}");
            self.push(name, &rate_unit(unit, order), text, time.clone(), order);
        }
    }

    /// Makes names differ.
    fn finish(mut self) -> Vec<Entry> {
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
        self.entries
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
        ConstraintElement::Coordinates(sum) => sum_unit(model, sum),
        element if element.is_angle(row) => "rad",
        _ => "m",
    }
}
