//! Which coordinates enter which rows: sparsity from the topology.
//!
//! * Inertia: a row of the Newton–Euler recursion depends on nodes between the ground and the
//!   tips through its own node.
//! * Elements between two frames: their loads depend on the relative motion only and act between
//!   the two sides only, so that nodes below the lowest common ancestor are left out.
//! * Loads fixed in space and rods with mass depend on everything down to the ground.

use crate::elements::constraints::ConstraintElement;
use crate::elements::forces::Reach;
use crate::model::Model;
use core::ops::Range;

/// Dependencies between nodes, and of constraints on nodes.
#[derive(Clone, Debug)]
pub struct Dependencies {
    n: usize,
    mass: Vec<bool>,
    dynamic: Vec<bool>,
    /// What force elements with own states, or that read multipliers, depend on.
    pub elements: Vec<ElementDependencies>,
    /// For every constraint the nodes whose velocities enter its rows.
    pub constraints: Vec<Vec<usize>>,
    /// For every node the number of the mechanism it belongs to: nodes of one mechanism can
    /// influence each other's accelerations.
    pub mechanism: Vec<usize>,
}

/// What an element with own states, or one that reads multipliers, depends on and acts on.
#[derive(Clone, Debug)]
pub struct ElementDependencies {
    /// Nodes that it reads and acts on.
    pub nodes: Vec<usize>,
    /// Its own states.
    pub states: Range<usize>,
    /// Rows whose multipliers it reads.
    pub rows: Range<usize>,
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
        for force in &model.forces {
            let nodes = match force.element.reach() {
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
            };
            d.couple(&nodes, false);
            let rows = force.element.multipliers();
            if !force.states.is_empty() || !rows.is_empty() {
                let states = force.states.clone();
                d.elements.push(ElementDependencies { nodes, states, rows });
            }
        }
        for constraint in &model.constraints {
            let nodes = match &constraint.element {
                ConstraintElement::Pair(p) => between(model, p.from.node, p.to.node),
                ConstraintElement::Coordinates(c) => c.terms.iter().map(|t| t.0).collect(),
                ConstraintElement::Rolling(r) => between(model, r.plane.node, r.wheel.node),
                ConstraintElement::WheelRail(w) => between(model, w.rail.node, w.wheel.node),
            };
            d.couple(&nodes, false);
            d.constraints.push(nodes);
        }
        // Forces that depend on λ reach as far as its constraint does.
        for k in 0..d.elements.len() {
            let element = &d.elements[k];
            let read = element.rows.clone().filter_map(|row| model.rows.get(row));
            let paths: Vec<usize> = read
                .filter_map(|row| d.constraints[row.constraint].first().copied())
                .collect();
            if let Some(&first) = element.nodes.first() {
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
