//! Which coordinates enter which rows: sparsity from the topology.
//!
//! * Inertia: a row of the Newton–Euler recursion depends on nodes between the ground and the
//!   tips through its own node.
//! * Elements between two frames: their loads depend on the relative motion only and act between
//!   the two sides only, so that nodes below the lowest common ancestor are left out.
//! * Loads fixed in space and rods with mass depend on everything down to the ground.

use crate::channels::source::{Source, Stage};
use crate::elements::constraints::ConstraintElement;
use crate::elements::controls::{ControlElement, Probe};
use crate::elements::forces::Reach;
use crate::formalism::reactions::ReactionElement;
use crate::model::{JointPlace, Model, ModelForce, ModelReading};
use core::ops::Range;
use std::collections::BTreeSet;

/// Dependencies between nodes, and of constraints on nodes.
#[derive(Clone, Debug)]
pub struct Dependencies {
    n: usize,
    mass: Vec<bool>,
    dynamic: Vec<bool>,
    /// What force elements with own states, or that read multipliers, depend on.
    pub elements: Vec<ElementDependencies>,
    /// What the readings of sensors depend on.
    pub readings: Vec<ReadingDependencies>,
    /// For every constraint the nodes whose velocities enter its rows.
    pub constraints: Vec<Vec<usize>>,
    /// For every node the number of the mechanism it belongs to: nodes of one mechanism can
    /// influence each other's accelerations.
    pub mechanism: Vec<usize>,
}

/// What an element with own states, or one that reads own states, multipliers or controls, depends
/// on and acts on.
#[derive(Clone, Debug)]
pub struct ElementDependencies {
    /// Nodes that it acts on.
    pub acts: Vec<usize>,
    /// Its own states.
    pub states: Range<usize>,
    /// What it reads.
    pub reads: Reads,
}

/// What something depends on.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Nodes with their positions and velocities.
    pub nodes: BTreeSet<usize>,
    /// Own states.
    pub states: BTreeSet<usize>,
    /// Multipliers of rows.
    pub rows: BTreeSet<usize>,
    /// What sensors read as unknowns of their own.
    pub readings: BTreeSet<usize>,
}

/// What the channel of a reading depends on.
#[derive(Clone, Debug, Default)]
pub struct ReadingDependencies {
    /// Nodes whose accelerations enter it.
    pub accelerations: BTreeSet<usize>,
    /// Everything else.
    pub reads: Reads,
}

impl Reads {
    fn add(&mut self, other: &Self) {
        self.nodes.extend(&other.nodes);
        self.states.extend(&other.states);
        self.rows.extend(&other.rows);
        self.readings.extend(&other.readings);
    }

    /// What a force element reads: its nodes, own states and multipliers, and the controls it
    /// names, whose outputs must be known.
    fn of_force(model: &Model, force: &ModelForce, outputs: &[Self]) -> Self {
        let mut reads = Self {
            nodes: force_nodes(model, force).into_iter().collect(),
            states: force.states.clone().collect(),
            rows: force.element.multipliers().collect(),
            readings: BTreeSet::new(),
        };
        force.controls.iter().for_each(|&k| reads.add(&outputs[k]));
        reads
    }

    /// What the outputs of all controls read.
    fn of_outputs(model: &Model) -> Vec<Self> {
        let mut outputs = vec![Self::default(); model.controls.len()];
        for &k in &model.control_order {
            let control = &model.controls[k];
            let mut reads = Self {
                states: control.states.clone().collect(),
                ..Self::default()
            };
            match &control.element {
                ControlElement::Sensor(sensor) => match &sensor.probe {
                    Probe::Constant(_) => {}
                    Probe::Coordinate { node, .. } | Probe::Ball { node, .. } => {
                        reads.nodes.insert(*node);
                    }
                    Probe::CutCoordinate { frames: [a, b], .. }
                    | Probe::JointOrientation { frames: [a, b], .. }
                    | Probe::Spin { frames: [a, b], .. } => {
                        reads.nodes.extend(between(model, a.node, b.node));
                    }
                    Probe::Frame { frame, axes, .. } => {
                        reads.nodes.extend(support(model, frame.node));
                        reads.nodes.extend(support(model, axes.node));
                    }
                    Probe::Multiplier { row, .. } => {
                        reads.rows.insert(*row);
                    }
                    Probe::State { state } => {
                        reads.states.insert(*state);
                    }
                    Probe::Force { force, reading, .. } => {
                        let force = &model.forces[*force];
                        reads.add(&Self::of_force(model, force, &outputs));
                        if let Some(axes) = reading.against_ground() {
                            let nodes = force.element.nodes().into_iter().flatten();
                            for node in nodes.chain([axes]) {
                                reads.nodes.extend(support(model, node));
                            }
                        }
                    }
                    Probe::Gap { element, .. } => reads.nodes.extend(constraint_nodes(model, element)),
                    Probe::Reading { reading, .. } => {
                        reads.readings.insert(*reading);
                    }
                    Probe::Control { control } => {
                        let other = outputs[*control].clone();
                        reads.add(&other);
                    }
                },
                element if element.direct() => {
                    if let Some([a, b]) = element.frames() {
                        reads.nodes.extend(between(model, a.node, b.node));
                    }
                    for &other in &control.controls {
                        let other = outputs[other].clone();
                        reads.add(&other);
                    }
                }
                _ => {}
            }
            outputs[k] = reads;
        }
        outputs
    }
}

/// Whether forces depend on readings of sensors, directly or through other controls.
pub(crate) fn forces_need_readings(model: &Model) -> bool {
    let outputs = Reads::of_outputs(model);
    let mut forces = model.forces.iter();
    forces.any(|force| force.controls.iter().any(|&k| !outputs[k].readings.is_empty()))
}

impl ReadingDependencies {
    fn new(model: &Model, reading: &ModelReading, outputs: &[Reads]) -> Self {
        let mut d = Self::default();
        let frames = &model.sources.joints;
        let all = 1..model.tree.nodes.len();
        let nodes = match reading.source {
            Source::Constant(_) | Source::Input { .. } => Vec::new(),
            Source::Coordinate { node, .. } | Source::Ball { node, .. } => vec![node],
            Source::CutCoordinate { joint, .. }
            | Source::Orientation { joint }
            | Source::Spin { joint, .. } => between(model, frames[joint][0].node, frames[joint][1].node),
            Source::Frame { frame, .. } => support(model, model.sources.frames[frame].node),
            Source::Reaction { reaction } => {
                d.reaction(model, model.sources.reactions[reaction], outputs);
                Vec::new()
            }
            Source::Drive { node } => {
                d.reads.nodes.extend(support(model, node));
                d.through(model, node, outputs);
                // What constraints put on the coordinate.
                for constraint in &model.constraints {
                    if let ConstraintElement::Coordinates(sum) = &constraint.element
                        && sum.terms.iter().any(|term| term.0 == node)
                    {
                        d.reads.rows.extend(constraint.rows.clone());
                    }
                }
                Vec::new()
            }
            Source::Tension { row } | Source::Contact { row } => {
                d.reads.rows.insert(row);
                Vec::new()
            }
            Source::Force { force } | Source::Power { force } | Source::Stored { force } => {
                d.force(model, &model.forces[force], outputs);
                Vec::new()
            }
            Source::State { state } => {
                d.reads.states.insert(state);
                Vec::new()
            }
            Source::Control { control } => {
                d.reads.add(&outputs[control]);
                Vec::new()
            }
            Source::Energy => {
                for force in &model.forces {
                    d.force(model, force, outputs);
                }
                all.collect()
            }
            Source::Momentum => all.collect(),
            Source::Gap { constraint } | Source::GapRate { constraint } => {
                constraint_nodes(model, &model.constraints[constraint].element)
            }
            Source::LargestGap | Source::LargestGapRate => {
                let constraints = model.constraints.iter();
                constraints
                    .flat_map(|c| constraint_nodes(model, &c.element))
                    .collect()
            }
        };
        if reading.stage(model) >= Stage::Acceleration {
            d.accelerations.extend(&nodes);
        }
        d.reads.nodes.extend(nodes);
        if let Some(axes) = &reading.axes {
            d.reads.nodes.extend(support(model, axes.node));
        }
        d
    }

    /// What a force element does to its nodes, seen from the ground.
    fn force(&mut self, model: &Model, force: &ModelForce, outputs: &[Reads]) {
        self.reads.add(&Reads::of_force(model, force, outputs));
        for node in force.element.nodes().into_iter().flatten() {
            self.reads.nodes.extend(support(model, node));
        }
    }

    /// Through a joint of the tree: the motion of all beyond it, and what acts there. Through a
    /// constraint: its multipliers.
    fn reaction(&mut self, model: &Model, element: ReactionElement, outputs: &[Reads]) {
        for side in element.sides(model).into_iter().flatten() {
            self.reads.nodes.extend(support(model, side.node));
        }
        let joint = match element {
            ReactionElement::Joint(joint) => &model.joints[joint].place,
            ReactionElement::Constraint(constraint) => &JointPlace::Cut { constraint },
        };
        let tip = match joint {
            JointPlace::Tree { nodes, .. } => nodes.end - 1,
            JointPlace::Cut { constraint } => {
                self.reads
                    .rows
                    .extend(model.constraints[*constraint].rows.clone());
                return;
            }
        };
        self.through(model, tip, outputs);
    }

    /// Through a node: the motion of all beyond it, and what acts there.
    fn through(&mut self, model: &Model, tip: usize, outputs: &[Reads]) {
        let n = model.tree.nodes.len();
        let beyond: Vec<bool> = (0..n).map(|i| support(model, i).contains(&tip)).collect();
        for node in (0..n).filter(|&i| beyond[i]) {
            self.accelerations.extend(support(model, node));
        }
        for rod in &model.rods {
            if rod.ends.iter().any(|end| beyond[end.node]) {
                for end in &rod.ends {
                    self.accelerations.extend(support(model, end.node));
                }
            }
        }
        self.reads.nodes.extend(&self.accelerations);
        for force in &model.forces {
            if force
                .element
                .nodes()
                .into_iter()
                .flatten()
                .any(|node| beyond[node])
            {
                self.force(model, force, outputs);
            }
        }
        for constraint in &model.constraints {
            let sides = constraint.element.sides().into_iter().flatten();
            let nodes: Vec<usize> = sides.map(|side| side.node).collect();
            if nodes.iter().any(|&node| beyond[node]) {
                self.reads.rows.extend(constraint.rows.clone());
                for node in nodes {
                    self.reads.nodes.extend(support(model, node));
                }
            }
        }
    }
}

/// Nodes that a constraint reads and acts on.
fn constraint_nodes(model: &Model, element: &ConstraintElement) -> Vec<usize> {
    match element {
        ConstraintElement::Pair(p) => between(model, p.from.node, p.to.node),
        ConstraintElement::Coordinates(c) => c.terms.iter().map(|t| t.0).collect(),
        ConstraintElement::Rolling(r) => between(model, r.plane.node, r.wheel.node),
        ConstraintElement::Impact(i) => between(model, i.plane.node, i.body.node),
        ConstraintElement::WheelRail(w) => between(model, w.rail.node, w.wheel.node),
    }
}

/// Nodes that a force element reads and acts on.
fn force_nodes(model: &Model, force: &ModelForce) -> Vec<usize> {
    match force.element.reach() {
        Reach::Frame(at) => support(model, at.node),
        Reach::Pair(a, b) | Reach::Line(a, b) | Reach::Hinge(a, b) => between(model, a.node, b.node),
        Reach::Frames([a, b, c]) => {
            let mut nodes = between(model, a.node, b.node);
            for node in between(model, a.node, c.node) {
                if !nodes.contains(&node) {
                    nodes.push(node);
                }
            }
            nodes
        }
        Reach::Coordinate(node) => vec![node],
        Reach::Coordinates(nodes) => nodes.to_vec(),
    }
}

/// For each of the chosen force elements the nodes it acts on and those it reads, controls included.
pub fn force_dependencies(model: &Model, elements: &[usize]) -> Vec<(Vec<usize>, BTreeSet<usize>)> {
    let outputs = Reads::of_outputs(model);
    elements
        .iter()
        .map(|&k| {
            let force = &model.forces[k];
            let reads = Reads::of_force(model, force, &outputs);
            (force_nodes(model, force), reads.nodes)
        })
        .collect()
}

impl Dependencies {
    /// Reads them off a model.
    pub fn new(model: &Model) -> Self {
        let n = model.tree.nodes.len();
        let mut d = Self {
            n,
            mass: vec![false; n * n],
            dynamic: vec![false; n * n],
            elements: Vec::new(),
            readings: Vec::new(),
            constraints: Vec::new(),
            mechanism: (0..n).collect(),
        };
        for i in 1..n {
            let mut j = i;
            while j != 0 {
                for (a, b) in [(i, j), (j, i)] {
                    d.mass[a * n + b] = true;
                    d.dynamic[a * n + b] = true;
                }
                d.join(i, j);
                j = model.tree.nodes[j].parent;
            }
        }
        let outputs = Reads::of_outputs(model);
        let readings = model.readings.iter();
        d.readings = readings
            .map(|r| ReadingDependencies::new(model, r, &outputs))
            .collect();
        for force in &model.forces {
            let acts = force_nodes(model, force);
            d.couple(&acts, false);
            let reads = Reads::of_force(model, force, &outputs);
            for &node in &reads.nodes {
                for &a in &acts {
                    d.dynamic[a * n + node] = true;
                    d.join(a, node);
                }
            }
            if !reads.states.is_empty() || !reads.rows.is_empty() || !reads.readings.is_empty() {
                let states = force.states.clone();
                d.elements.push(ElementDependencies { acts, states, reads });
            }
        }
        for control in model.controls.iter().filter(|c| !c.states.is_empty()) {
            let mut reads = Reads {
                states: control.states.clone().collect(),
                ..Reads::default()
            };
            control.controls.iter().for_each(|&k| reads.add(&outputs[k]));
            if let Some([a, b]) = control.element.frames() {
                reads.nodes.extend(between(model, a.node, b.node));
            }
            d.elements.push(ElementDependencies {
                acts: Vec::new(),
                states: control.states.clone(),
                reads,
            });
        }
        for constraint in &model.constraints {
            let nodes = constraint_nodes(model, &constraint.element);
            d.couple(&nodes, false);
            d.constraints.push(nodes);
        }
        // Forces that depend on λ reach as far as its constraint does.
        for k in 0..d.elements.len() {
            let element = &d.elements[k];
            let read = element.reads.rows.iter().filter_map(|&row| model.rows.get(row));
            let paths: Vec<usize> = read
                .filter_map(|row| d.constraints[row.constraint].first().copied())
                .collect();
            if let Some(&first) = element.acts.first() {
                paths.into_iter().for_each(|node| d.join(first, node));
            }
        }
        for rod in &model.rods {
            let mut nodes = support(model, rod.ends[0].node);
            nodes.extend(support(model, rod.ends[1].node));
            d.couple(&nodes, true);
        }
        d
    }

    /// Whether the mass matrix couples two nodes.
    pub fn mass(&self, i: usize, j: usize) -> bool {
        self.mass[i * self.n + j]
    }

    /// Whether positions and velocities of node `j` enter the dynamic rows of node `i`.
    pub fn dynamic(&self, i: usize, j: usize) -> bool {
        self.dynamic[i * self.n + j]
    }

    fn couple(&mut self, nodes: &[usize], mass: bool) {
        for &a in nodes {
            for &b in nodes {
                self.dynamic[a * self.n + b] = true;
                if mass {
                    self.mass[a * self.n + b] = true;
                }
            }
            if let Some(&first) = nodes.first() {
                self.join(a, first);
            }
        }
    }

    /// Puts two nodes into one mechanism.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.mechanism[a], self.mechanism[b]);
        if a == b {
            return;
        }
        let (keep, drop) = (a.min(b), a.max(b));
        for m in &mut self.mechanism {
            if *m == drop {
                *m = keep;
            }
        }
    }
}

/// The nodes from `node` down to the ground.
fn support(model: &Model, node: usize) -> Vec<usize> {
    let mut nodes = Vec::new();
    let mut i = node;
    while i != 0 {
        nodes.push(i);
        i = model.tree.nodes[i].parent;
    }
    nodes
}

/// The nodes that move one side against the other.
fn between(model: &Model, a: usize, b: usize) -> Vec<usize> {
    let (a, b) = (support(model, a), support(model, b));
    let mut nodes: Vec<usize> = a.iter().copied().filter(|i| !b.contains(i)).collect();
    nodes.extend(b.iter().filter(|i| !a.contains(i)));
    nodes
}
