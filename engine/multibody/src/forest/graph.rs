//! Bodies and joints as an undirected multigraph.

use super::ForestError;

/// What the model says about the place of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hint {
    /// Tree or cut, as the rule decides.
    #[default]
    Auto,
    /// Must be a tree joint.
    Tree,
    /// Must be cut.
    Cut,
}

/// A joint between two bodies.
///
/// ```
/// use holonom_multibody::forest::{Edge, Hint};
///
/// let knee = Edge::new(1, 2, 1).hint(Hint::Tree);
/// assert_eq!(knee.rows(), 5);
/// assert_eq!(knee.other(2), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// First body; 0 is ground.
    pub from: usize,
    /// Second body; 0 is ground.
    pub to: usize,
    /// Velocity coordinates of the joint when it is in the tree.
    pub freedoms: usize,
    /// Wish of the model.
    pub hint: Hint,
    /// There is no constraint form of the joint: it may not be cut.
    pub tree_only: bool,
}

impl Edge {
    /// A joint that may be in the tree or cut.
    pub fn new(from: usize, to: usize, freedoms: usize) -> Self {
        Self {
            from,
            to,
            freedoms,
            hint: Hint::Auto,
            tree_only: false,
        }
    }

    /// Sets the hint.
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hint = hint;
        self
    }

    /// Forbids to cut the joint.
    pub fn tree_only(mut self) -> Self {
        self.tree_only = true;
        self
    }

    /// Constraint rows the joint brings when it is cut.
    pub fn rows(&self) -> usize {
        6usize.saturating_sub(self.freedoms)
    }

    /// The body at the other end.
    pub fn other(&self, body: usize) -> usize {
        if body == self.from { self.to } else { self.from }
    }

    /// Whether the joint has to be in the tree.
    pub(super) fn is_required(&self) -> bool {
        self.tree_only || self.hint == Hint::Tree
    }

    /// Whether the joint has to be cut. A refused wish is an error of its own and has no effect.
    pub(super) fn is_refused(&self) -> bool {
        self.hint == Hint::Cut && !self.tree_only
    }
}

/// Bodies and the joints between them. Several joints between the same two bodies are allowed.
///
/// ```
/// use holonom_multibody::forest::{Edge, Graph};
///
/// let pendulum = Graph { bodies: 2, edges: vec![Edge::new(0, 1, 1)] };
/// assert_eq!(pendulum.edges.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Number of bodies with ground, which is body 0 and always there (0 is read as 1).
    pub bodies: usize,
    /// The joints in the order of declaration.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// Number of bodies, ground included.
    pub(super) fn size(&self) -> usize {
        self.bodies.max(1)
    }

    /// Whether both ends of the edge exist and differ.
    pub(super) fn is_sound(&self, edge: &Edge) -> bool {
        edge.from != edge.to && edge.from < self.size() && edge.to < self.size()
    }

    /// Faults of single edges.
    pub(super) fn edge_errors(&self) -> Vec<ForestError> {
        let mut errors = Vec::new();
        for (index, edge) in self.edges.iter().enumerate() {
            // A joint from a body to itself is one fault, even where that body is unknown.
            let ends = [edge.from, edge.to];
            for &body in &ends[..if edge.from == edge.to { 1 } else { 2 }] {
                if body >= self.size() {
                    errors.push(ForestError::UnknownBody {
                        edge: index,
                        body,
                        bodies: self.size(),
                    });
                }
            }
            if edge.from == edge.to && edge.from < self.size() {
                errors.push(ForestError::SelfJoint { edge: index });
            }
            if edge.tree_only && edge.hint == Hint::Cut {
                errors.push(ForestError::CutOfTreeOnly { edge: index });
            }
        }
        errors
    }

    /// For every body its joints in the order of declaration, each with the body at its other end.
    /// Unsound edges are left out.
    pub(super) fn neighbours(&self) -> Vec<Vec<(usize, usize)>> {
        let mut near = vec![Vec::new(); self.size()];
        for (index, edge) in self
            .edges
            .iter()
            .enumerate()
            .filter(|(_, edge)| self.is_sound(edge))
        {
            near[edge.from].push((index, edge.to));
            near[edge.to].push((index, edge.from));
        }
        near
    }

    /// The sets of bodies connected by the chosen edges. Unsound edges connect nothing.
    pub(super) fn connected(&self, chosen: impl Fn(&Edge) -> bool) -> Sets {
        let mut sets = Sets::new(self.size());
        for edge in self
            .edges
            .iter()
            .filter(|edge| self.is_sound(edge) && chosen(edge))
        {
            sets.join(edge.from, edge.to);
        }
        sets
    }
}

/// Disjoint sets of bodies; each is known by its lowest body.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    up: Vec<usize>,
}

impl Sets {
    pub(super) fn new(bodies: usize) -> Self {
        Self {
            up: (0..bodies).collect(),
        }
    }

    /// The lowest body of the set.
    pub(super) fn lowest(&mut self, mut body: usize) -> usize {
        while self.up[body] != body {
            self.up[body] = self.up[self.up[body]];
            body = self.up[body];
        }
        body
    }

    /// Unites two sets; false if they were one already.
    pub(super) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.lowest(a), self.lowest(b));
        self.up[a.max(b)] = a.min(b);
        a != b
    }

    /// The bodies of the set, ascending.
    pub(super) fn members(&mut self, body: usize) -> Vec<usize> {
        let lowest = self.lowest(body);
        (0..self.up.len())
            .filter(|&other| self.lowest(other) == lowest)
            .collect()
    }

    /// All sets in the order of their lowest bodies.
    pub(super) fn all(&mut self) -> Vec<Vec<usize>> {
        let mut place = vec![usize::MAX; self.up.len()];
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for body in 0..self.up.len() {
            let lowest = self.lowest(body);
            if lowest == body {
                place[body] = sets.len();
                sets.push(Vec::new());
            }
            sets[place[lowest]].push(body);
        }
        sets
    }
}
