//! Topology: from bodies and joints to a spanning forest rooted in ground, and the loops that the other
//! joints close. No mechanics here; a joint counts only by its ends and its number of freedoms.
//!
//! # The rule
//!
//! Ground and the bodies are spanned by a tree; the joints outside of it are *cut* and come back as
//! constraints. A joint with k freedoms brings k coordinates in the tree or 6 − k rows when cut. Three
//! numbers are to be small, in this order: the *size* (coordinates + rows), the total *length* of the loops
//! (joints around each, summed) and the *depth* (joints between ground and the farthest body).
//!
//! 1. **Growth.** The tree grows from ground by one joint at a time. Of the joints that lead to a new body
//!    comes first the one that is required (hint [`Tree`](Hint::Tree) or [`tree_only`](Edge::tree_only)),
//!    then the one whose new body is least deep, then the one with the fewest freedoms, then the one
//!    declared first. Joints with the hint [`Cut`](Hint::Cut) are passed over. Without hints this is a
//!    breadth-first tree: no tree is less deep.
//! 2. **Exchange.** Cut joints are visited in the order of declaration. A cut joint changes places with
//!    the tree joint of its loop that lowers (size, length, depth) most in lexicographic order, the first
//!    declared among equals, if there is any that lowers it. Required joints and hinted cuts stay. No
//!    exchange may make a mechanism more than one joint deeper than growth left it. The visits are
//!    repeated until nothing changes.
//!
//! A mechanism is a set of bodies connected otherwise than through ground. Depths are compared within
//! a mechanism, so that its cuts do not depend on what else the model contains. The result depends on
//! the graph alone, and is a local optimum: no single exchange improves it.
//!
//! Size first means that joints with many freedoms are cut: a spherical joint (3 rows, 3 coordinates
//! saved) rather than a revolute one (5 rows, 1 coordinate saved). Length second keeps the constraint
//! matrix sparse: a ladder standing on ground is climbed on one side, with loops of constant length,
//! rather than on both, with loops down to ground.
//!
//! ```
//! use holonom_multibody::forest::{Edge, Forest, Graph, Names};
//!
//! // A spatial four-bar: crank, coupler and rocker; the coupler has spherical ends.
//! let edges = vec![Edge::new(0, 1, 1), Edge::new(1, 2, 3), Edge::new(2, 3, 3), Edge::new(3, 0, 1)];
//! let graph = Graph { bodies: 4, edges };
//! let forest = Forest::build(&graph).unwrap();
//! assert_eq!(forest.cut, [2]);
//! assert_eq!((forest.coordinates(&graph), forest.rows(&graph)), (5, 3));
//! // The crank turns and the coupler spins about its own axis.
//! assert_eq!(Forest::degrees(&graph), 2);
//! println!("{}", forest.text(&graph, &Names::default()));
//! ```

mod graph;
mod loops;
mod order;
mod print;
mod spanning;

pub use graph::{Edge, Graph, Hint};
pub use loops::Loop;
pub use order::Path;
pub use print::Names;

/// A joint of the tree, seen from ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeJoint {
    /// The edge of the graph.
    pub edge: usize,
    /// The body on the side of ground.
    pub parent: usize,
    /// The body that hangs on the joint.
    pub child: usize,
    /// The joint runs against its declaration: the child is `from` of the edge.
    pub reversed: bool,
}

/// A spanning forest with the loops closed by the cut joints. The [module](self) states the rule.
///
/// ```
/// use holonom_multibody::forest::{Edge, Forest, Graph};
///
/// let edges = vec![Edge::new(0, 1, 1), Edge::new(2, 1, 1)];
/// let forest = Forest::build(&Graph { bodies: 3, edges }).unwrap();
/// assert_eq!((forest.joints[1].parent, forest.joints[1].child), (1, 2));
/// assert!(forest.joints[1].reversed);
/// assert!(forest.is_ancestor(1, 2) && forest.loops.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forest {
    /// Tree joints from base to tip: parents before children, every subtree contiguous.
    pub joints: Vec<TreeJoint>,
    /// For every body the tree joint it hangs on; none for ground.
    pub joint_of_body: Vec<Option<usize>>,
    /// For every body the number of tree joints between it and ground.
    pub depth: Vec<usize>,
    /// For every body the tree joints that hang on it, ascending.
    pub children: Vec<Vec<usize>>,
    /// Cut edges in the order of declaration.
    pub cut: Vec<usize>,
    /// The loop of each cut edge, in the order of `cut`.
    pub loops: Vec<Loop>,
    /// For every tree joint the end of its subtree.
    subtree_end: Vec<usize>,
}

impl Forest {
    /// Chooses the tree by the rule of the [module](self).
    ///
    /// # Errors
    ///
    /// All faults that are found, not only the first. Connection is judged only when every joint joins
    /// two known bodies, because a mistaken end would show up there a second time.
    pub fn build(graph: &Graph) -> Result<Self, Vec<ForestError>> {
        let mut errors = graph.edge_errors();
        errors.extend(spanning::hint_errors(graph));
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut forest = order::number(graph, &spanning::choose(graph));
        forest.loops = loops::fundamental(graph, &forest);
        Ok(forest)
    }

    /// Degrees of freedom by the count of Grübler: 6 for each moving body, less 6 − k for each joint.
    /// Negative for mechanisms that move only thanks to special dimensions, like planar loops in space.
    ///
    /// ```
    /// use holonom_multibody::forest::{Edge, Forest, Graph};
    ///
    /// let pins = [(0, 1), (1, 2), (2, 3), (3, 0)];
    /// let four_bar = Graph { bodies: 4, edges: pins.map(|(from, to)| Edge::new(from, to, 1)).into() };
    /// assert_eq!(Forest::degrees(&four_bar), -2);
    /// ```
    pub fn degrees(graph: &Graph) -> isize {
        let rows: isize = graph.edges.iter().map(|edge| 6 - edge.freedoms as isize).sum();
        6 * (graph.size() as isize - 1) - rows
    }

    /// Velocity coordinates of the tree.
    pub fn coordinates(&self, graph: &Graph) -> usize {
        self.joints
            .iter()
            .map(|joint| graph.edges[joint.edge].freedoms)
            .sum()
    }

    /// Constraint rows of the cut joints.
    pub fn rows(&self, graph: &Graph) -> usize {
        self.cut.iter().map(|&edge| graph.edges[edge].rows()).sum()
    }
}

/// Why a graph has no forest, or none that honours its hints. Printing gives numbers;
/// [`describe`](Self::describe) gives names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForestError {
    /// A joint names a body that does not exist.
    UnknownBody {
        /// The joint.
        edge: usize,
        /// The body it names.
        body: usize,
        /// Number of bodies there are, with ground.
        bodies: usize,
    },
    /// A joint joins a body with itself.
    SelfJoint {
        /// The joint.
        edge: usize,
    },
    /// A joint that may not be cut has the hint to cut it.
    CutOfTreeOnly {
        /// The joint.
        edge: usize,
    },
    /// Joints that all have to be in the tree form a loop.
    HintTreeCycle {
        /// The joints, in order around the loop.
        edges: Vec<usize>,
    },
    /// Bodies, connected among each other, to which no joints lead from ground.
    Disconnected {
        /// The bodies.
        bodies: Vec<usize>,
    },
    /// With all hinted joints cut, bodies lose their connection to ground.
    HintCutDisconnects {
        /// The first declared of the hinted joints that would connect them.
        edge: usize,
        /// The bodies.
        bodies: Vec<usize>,
    },
}
