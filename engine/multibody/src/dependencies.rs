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
///
/// Every node depends on those between the ground and the tips through it. These pairs, n² of them in a chain, follow
/// from the tree and are not stored.
#[derive(Clone, Debug)]
pub struct Dependencies {
    line: Lines,
    /// Pairs of nodes that are coupled otherwise, by the mass of rods and by loads.
    mass: Couplings,
    dynamic: Couplings,
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
                ControlElement::Sensor(sensor) => match &sensor.channel.probe {
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
    match (element, element.sides()) {
        (ConstraintElement::Coordinates(c), _) => c.terms.iter().map(|t| t.0).collect(),
        (_, Some([first, second])) => between(model, first.node, second.node),
        (_, None) => Vec::new(),
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
        let mut mechanisms = Mechanisms::new(n);
        for i in 1..n {
            match model.tree.nodes[i].parent {
                0 => {}
                parent => mechanisms.join(i, parent),
            }
        }
        let mut d = Self {
            line: Lines::new(model),
            mass: Couplings::new(n),
            dynamic: Couplings::new(n),
            elements: Vec::new(),
            readings: Vec::new(),
            constraints: Vec::new(),
            mechanism: Vec::new(),
        };
        let outputs = Reads::of_outputs(model);
        let readings = model.readings.iter();
        d.readings = readings
            .map(|r| ReadingDependencies::new(model, r, &outputs))
            .collect();
        for force in &model.forces {
            let acts = force_nodes(model, force);
            mechanisms.join_all(&acts);
            d.couple(&acts);
            let plain = force.controls.is_empty() && force.states.is_empty();
            if plain && force.element.multipliers().is_empty() {
                continue;
            }
            let reads = Reads::of_force(model, force, &outputs);
            if !force.controls.is_empty() {
                let read: Vec<usize> = reads.nodes.iter().copied().collect();
                if let Some(&first) = acts.first() {
                    read.iter().for_each(|&node| mechanisms.join(first, node));
                }
                d.dynamic.add(&acts, &read);
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
            mechanisms.join_all(&nodes);
            d.couple(&nodes);
            d.constraints.push(nodes);
        }
        // Forces that depend on λ reach as far as its constraint does.
        for element in &d.elements {
            let read = element.reads.rows.iter().filter_map(|&row| model.rows.get(row));
            let paths = read.filter_map(|row| d.constraints[row.constraint].first().copied());
            if let Some(&first) = element.acts.first() {
                paths.for_each(|node| mechanisms.join(first, node));
            }
        }
        for rod in &model.rods {
            let mut nodes = support(model, rod.ends[0].node);
            nodes.extend(support(model, rod.ends[1].node));
            mechanisms.join_all(&nodes);
            d.couple(&nodes);
            if !d.line.holds(&nodes) {
                d.mass.add(&nodes, &nodes);
            }
        }
        d.mechanism = mechanisms.labels();
        d
    }

    /// The nodes that the mass matrix couples with a node; some may come twice.
    pub fn mass(&self, node: usize) -> Vec<usize> {
        self.related(node, &self.mass)
    }

    /// The nodes whose positions and velocities enter the dynamic rows of a node; some may come twice.
    pub fn dynamic(&self, node: usize) -> Vec<usize> {
        self.related(node, &self.dynamic)
    }

    fn related(&self, node: usize, couplings: &Couplings) -> Vec<usize> {
        let mut nodes = Vec::new();
        if node != 0 {
            self.line.through(node, &mut nodes);
        }
        nodes.extend(couplings.of(node));
        nodes
    }

    /// Lets the loads on each of these nodes depend on all of them.
    fn couple(&mut self, nodes: &[usize]) {
        if !self.line.holds(nodes) {
            self.dynamic.add(nodes, nodes);
        }
    }
}

/// Which nodes lie between the ground and the tips through a node.
#[derive(Clone, Debug)]
struct Lines {
    parent: Vec<usize>,
    /// The nodes in an order in which all that are carried by one follow it.
    order: Vec<usize>,
    /// For every node its place in this order, and the end of those that it carries.
    carried: Vec<Range<usize>>,
}

impl Lines {
    fn new(model: &Model) -> Self {
        let parent: Vec<usize> = model.tree.nodes.iter().map(|node| node.parent).collect();
        let n = parent.len();
        // Parents come before what they carry, so that one pass from the end counts, one from the start places.
        let mut size = vec![1; n];
        for i in (1..n).rev() {
            size[parent[i]] += size[i];
        }
        let mut next = vec![1; n];
        let mut first = vec![0; n];
        let mut order = vec![0; n];
        for i in 1..n {
            let p = parent[i];
            first[i] = next[p];
            next[p] += size[i];
            next[i] = first[i] + 1;
            order[first[i]] = i;
        }
        Self {
            parent,
            order,
            carried: first.iter().zip(&size).map(|(&at, n)| at..at + n).collect(),
        }
    }

    /// Adds the nodes from `node` down to the ground, and all that it carries.
    fn through(&self, node: usize, nodes: &mut Vec<usize>) {
        let mut below = self.parent[node];
        while below != 0 {
            nodes.push(below);
            below = self.parent[below];
        }
        nodes.extend_from_slice(&self.order[self.carried[node].clone()]);
    }

    /// Whether one of two nodes carries the other for every pair of `nodes`.
    fn holds(&self, nodes: &[usize]) -> bool {
        let mut places: Vec<usize> = nodes.iter().map(|&node| self.carried[node].start).collect();
        places.sort_unstable();
        let carries = |a: usize, b: usize| self.carried[self.order[a]].contains(&b);
        places.windows(2).all(|pair| carries(pair[0], pair[1]))
    }
}

/// Rows of nodes that depend on columns of nodes, as pairs of sets.
#[derive(Clone, Debug)]
struct Couplings {
    columns: Vec<Vec<usize>>,
    /// For every node the sets that it depends on.
    of_node: Vec<Vec<usize>>,
}

impl Couplings {
    fn new(n: usize) -> Self {
        Self {
            columns: Vec::new(),
            of_node: vec![Vec::new(); n],
        }
    }

    fn add(&mut self, rows: &[usize], columns: &[usize]) {
        for &row in rows {
            self.of_node[row].push(self.columns.len());
        }
        self.columns.push(columns.to_vec());
    }

    fn of(&self, node: usize) -> impl Iterator<Item = usize> {
        let sets = self.of_node[node].iter().map(|&k| &self.columns[k]);
        sets.flatten().copied()
    }
}

/// Sets of nodes that can influence each other, joined step by step.
struct Mechanisms {
    /// A node of the same set with a lower number; itself for the lowest.
    lower: Vec<usize>,
}

impl Mechanisms {
    fn new(n: usize) -> Self {
        Self {
            lower: (0..n).collect(),
        }
    }

    fn lowest(&mut self, mut node: usize) -> usize {
        while self.lower[node] != node {
            self.lower[node] = self.lower[self.lower[node]];
            node = self.lower[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.lowest(a), self.lowest(b));
        self.lower[a.max(b)] = a.min(b);
    }

    fn join_all(&mut self, nodes: &[usize]) {
        nodes.windows(2).for_each(|pair| self.join(pair[0], pair[1]));
    }

    /// For every node the lowest number in its set.
    fn labels(mut self) -> Vec<usize> {
        (0..self.lower.len()).map(|node| self.lowest(node)).collect()
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

/// The nodes that move one side against the other: those below `a` first, then those below `b`, down to the node that
/// carries both.
fn between(model: &Model, mut a: usize, mut b: usize) -> Vec<usize> {
    let (mut nodes, mut others) = (Vec::new(), Vec::new());
    // Parents have lower numbers.
    while a != b {
        let (side, list) = match a > b {
            true => (&mut a, &mut nodes),
            false => (&mut b, &mut others),
        };
        list.push(*side);
        *side = model.tree.nodes[*side].parent;
    }
    nodes.append(&mut others);
    nodes
}
