//! Which coordinates enter which rows: sparsity from the topology.
//!
//! * Inertia: a row of the Newton–Euler recursion depends on nodes between the ground and the
//!   tips through its own node.
//! * Elements between two frames: their loads depend on the relative motion only and act between
//!   the two sides only, so that nodes below the lowest common ancestor are left out.
//! * Loads fixed in space and rods with mass depend on everything down to the ground.

use crate::formalism::depends::{Depends, Reads, between, constraint_nodes, force_nodes, support};
use crate::model::Model;
use core::ops::Range;

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
    pub readings: Vec<Depends>,
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
            .map(|reading| reading.observed.depends(model, &outputs))
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
