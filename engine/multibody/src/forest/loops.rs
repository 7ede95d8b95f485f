//! Fundamental loops: what each cut joint closes.

use super::{Forest, Graph};

/// The loop that a cut joint closes over the tree.
///
/// Around the loop one goes from the apex down `from_side`, over the cut joint, and back up `to_side`.
///
/// ```
/// use holonom_multibody::forest::{Edge, Forest, Graph};
///
/// let edges = vec![Edge::new(0, 1, 1), Edge::new(1, 2, 1), Edge::new(2, 0, 3)];
/// let forest = Forest::build(&Graph { bodies: 3, edges }).unwrap();
/// let closed = &forest.loops[0];
/// assert_eq!((closed.edge, closed.apex, closed.length()), (2, 0, 3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The cut edge.
    pub edge: usize,
    /// The lowest body above both ends of the cut edge: their lowest common ancestor.
    pub apex: usize,
    /// Tree joints (indices into [`Forest::joints`]) from the apex down to `from` of the cut edge.
    pub from_side: Vec<usize>,
    /// Tree joints from the apex down to `to` of the cut edge.
    pub to_side: Vec<usize>,
}

impl Loop {
    /// Number of joints around the loop, the cut one included.
    pub fn length(&self) -> usize {
        self.from_side.len() + self.to_side.len() + 1
    }
}

/// One loop for each cut edge, in the same order.
pub(super) fn fundamental(graph: &Graph, forest: &Forest) -> Vec<Loop> {
    let close = |&edge: &usize| {
        let path = forest.path(graph.edges[edge].from, graph.edges[edge].to);
        Loop {
            edge,
            apex: path.apex,
            from_side: path.from_side,
            to_side: path.to_side,
        }
    };
    forest.cut.iter().map(close).collect()
}
