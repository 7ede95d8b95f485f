//! What elements, controls and observables depend on: nodes, own states, multipliers, readings.

use super::reactions::ReactionElement;
use crate::elements::constraints::ConstraintElement;
use crate::elements::controls::ControlElement;
use crate::elements::forces::Reach;
use crate::model::{JointPlace, Model, ModelForce};
use std::collections::BTreeSet;

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

/// What an observable depends on.
#[derive(Clone, Debug, Default)]
pub struct Depends {
    /// Nodes whose accelerations enter it.
    pub accelerations: BTreeSet<usize>,
    /// Everything else.
    pub reads: Reads,
}

impl Reads {
    pub(crate) fn add(&mut self, other: &Self) {
        self.nodes.extend(&other.nodes);
        self.states.extend(&other.states);
        self.rows.extend(&other.rows);
        self.readings.extend(&other.readings);
    }

    /// What a force element reads: its nodes, own states and multipliers, and the controls it
    /// names, whose outputs must be known.
    pub(crate) fn of_force(model: &Model, force: &ModelForce, outputs: &[Self]) -> Self {
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
    pub(crate) fn of_outputs(model: &Model) -> Vec<Self> {
        let mut outputs = vec![Self::default(); model.controls.len()];
        for &k in &model.control_order {
            let control = &model.controls[k];
            let mut reads = Self {
                states: control.states.clone().collect(),
                ..Self::default()
            };
            match &control.element {
                ControlElement::Sensor(sensor) => match &sensor.channel.observed {
                    Some(observed) => reads.add(&observed.depends(model, &outputs).reads),
                    None => {
                        let own = model.readings.iter().position(|reading| reading.control == k);
                        reads.readings.extend(own);
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

impl Depends {
    /// What a force element does to its nodes, seen from the ground.
    pub(super) fn force(&mut self, model: &Model, force: &ModelForce, outputs: &[Reads]) {
        self.reads.add(&Reads::of_force(model, force, outputs));
        for node in force.element.nodes() {
            self.reads.nodes.extend(support(model, node));
        }
    }

    /// Through a joint of the tree: the motion of all beyond it, and what acts there. Through a
    /// constraint: its multipliers.
    pub(super) fn reaction(&mut self, model: &Model, element: ReactionElement, outputs: &[Reads]) {
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
    pub(super) fn through(&mut self, model: &Model, tip: usize, outputs: &[Reads]) {
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
            if force.element.nodes().any(|node| beyond[node]) {
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
pub(crate) fn constraint_nodes(model: &Model, element: &ConstraintElement) -> Vec<usize> {
    match (element, element.sides()) {
        (ConstraintElement::Coordinates(c), _) => c.terms.iter().map(|t| t.0).collect(),
        (_, Some([first, second])) => between(model, first.node, second.node),
        (_, None) => Vec::new(),
    }
}

/// Nodes that a force element reads and acts on.
pub(crate) fn force_nodes(model: &Model, force: &ModelForce) -> Vec<usize> {
    match force.element.reach() {
        Reach::Frame(at) => support(model, at.node),
        Reach::Pair(a, b) | Reach::Line(a, b) | Reach::Hinge(a, b) => between(model, a.node, b.node),
        Reach::Frames([a, b, c]) => among(model, a.node, [b.node, c.node]),
        Reach::Chain(a, over, b) => {
            let over = over.iter().map(|at| at.node);
            among(model, a.node, over.chain([b.node]))
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

/// The nodes from `node` down to the ground.
pub(crate) fn support(model: &Model, node: usize) -> Vec<usize> {
    let mut nodes = Vec::new();
    let mut i = node;
    while i != 0 {
        nodes.push(i);
        i = model.tree.nodes[i].parent;
    }
    nodes
}

/// The nodes that move one of several nodes against another, each once.
fn among(model: &Model, first: usize, others: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut nodes = Vec::new();
    for other in others {
        for node in between(model, first, other) {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
    }
    nodes
}

/// The nodes that move one side against the other: those below `a` first, then those below `b`, down to the node that
/// carries both.
pub(crate) fn between(model: &Model, mut a: usize, mut b: usize) -> Vec<usize> {
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
