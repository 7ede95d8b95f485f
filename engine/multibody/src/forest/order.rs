//! Base-to-tip numbering of the tree joints and what follows from it.

use super::graph::Sets;
use super::{Forest, Graph, TreeJoint};
use core::ops::Range;

/// The way through the tree between two bodies.
///
/// ```
/// use holonom_multibody::forest::{Edge, Forest, Graph};
///
/// let edges = vec![Edge::new(0, 1, 1), Edge::new(1, 2, 1), Edge::new(1, 3, 1)];
/// let forest = Forest::build(&Graph { bodies: 4, edges }).unwrap();
/// let path = forest.path(2, 3);
/// assert_eq!((path.apex, path.from_side, path.to_side), (1, vec![1], vec![2]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Lowest common ancestor of the two bodies.
    pub apex: usize,
    /// Tree joints from the apex down to the first body.
    pub from_side: Vec<usize>,
    /// Tree joints from the apex down to the second body.
    pub to_side: Vec<usize>,
}

/// Numbers the chosen edges depth-first from ground, the children of a body in the order of declaration.
/// The loops are left empty.
pub(super) fn number(graph: &Graph, in_tree: &[bool]) -> Forest {
    let near = graph.neighbours();
    let mut forest = Forest {
        joints: Vec::with_capacity(graph.size() - 1),
        joint_of_body: vec![None; graph.size()],
        depth: vec![0; graph.size()],
        children: vec![Vec::new(); graph.size()],
        cut: (0..graph.edges.len()).filter(|&edge| !in_tree[edge]).collect(),
        loops: Vec::new(),
        subtree_end: Vec::new(),
    };
    let mut waiting: Vec<(usize, usize)> = Vec::new();
    let mut parent = 0;
    loop {
        let arrived_by = forest.joint_of_body[parent].map(|joint| forest.joints[joint].edge);
        // The last pushed comes first, hence the reversal.
        for &(edge, child) in near[parent].iter().rev() {
            if in_tree[edge] && Some(edge) != arrived_by {
                waiting.push((edge, child));
            }
        }
        let Some((edge, child)) = waiting.pop() else { break };
        let reversed = graph.edges[edge].from == child;
        let above = graph.edges[edge].other(child);
        let joint = forest.joints.len();
        forest.joints.push(TreeJoint {
            edge,
            parent: above,
            child,
            reversed,
        });
        forest.joint_of_body[child] = Some(joint);
        forest.depth[child] = forest.depth[above] + 1;
        forest.children[above].push(joint);
        parent = child;
    }
    forest.subtree_end = (1..=forest.joints.len()).collect();
    for joint in (0..forest.joints.len()).rev() {
        if let Some(above) = forest.parent_joint(joint) {
            forest.subtree_end[above] = forest.subtree_end[above].max(forest.subtree_end[joint]);
        }
    }
    forest
}

/// Queries. Bodies and joints that do not exist panic, like indices out of range.
impl Forest {
    /// The tree joint on which the parent body of this one hangs; none below ground.
    pub fn parent_joint(&self, joint: usize) -> Option<usize> {
        self.joint_of_body[self.joints[joint].parent]
    }

    /// The tree joints of the subtree of a body: the one it hangs on and all below it; for ground, all.
    ///
    /// ```
    /// use holonom_multibody::forest::{Edge, Forest, Graph};
    ///
    /// let edges = vec![Edge::new(0, 1, 1), Edge::new(0, 2, 1), Edge::new(1, 3, 1)];
    /// let forest = Forest::build(&Graph { bodies: 4, edges }).unwrap();
    /// let children: Vec<usize> = forest.joints[forest.subtree(1)].iter().map(|joint| joint.child).collect();
    /// assert_eq!(children, [1, 3]);
    /// ```
    pub fn subtree(&self, body: usize) -> Range<usize> {
        match self.joint_of_body[body] {
            Some(joint) => joint..self.subtree_end[joint],
            None => 0..self.joints.len(),
        }
    }

    /// The tree joints from ground down to a body, on which its motion depends.
    pub fn support(&self, body: usize) -> Vec<usize> {
        self.descend(0, body)
    }

    /// Whether the first body lies on the way from ground to the second; every body is its own ancestor.
    pub fn is_ancestor(&self, ancestor: usize, body: usize) -> bool {
        match self.joint_of_body[body] {
            Some(joint) => self.subtree(ancestor).contains(&joint),
            None => self.joint_of_body[ancestor].is_none(),
        }
    }

    /// The lowest body from which both bodies descend (one of them, if it is above the other).
    pub fn lowest_common_ancestor(&self, first: usize, second: usize) -> usize {
        let mut apex = first;
        while !self.is_ancestor(apex, second) {
            // Ground is an ancestor of all, so that a body that is none hangs on a joint.
            apex = self.joint_of_body[apex].map_or(0, |joint| self.joints[joint].parent);
        }
        apex
    }

    /// The way through the tree between two bodies.
    pub fn path(&self, from: usize, to: usize) -> Path {
        let apex = self.lowest_common_ancestor(from, to);
        Path {
            apex,
            from_side: self.descend(apex, from),
            to_side: self.descend(apex, to),
        }
    }

    /// The trees below ground, each as the range of its joints; the first of them is its base joint.
    pub fn trees(&self) -> Vec<Range<usize>> {
        self.children[0]
            .iter()
            .map(|&joint| joint..self.subtree_end[joint])
            .collect()
    }

    /// The bodies that are connected otherwise than through ground, by tree or cut joints: the
    /// mechanisms that do not influence each other's kinematics. Ground belongs to none.
    ///
    /// ```
    /// use holonom_multibody::forest::{Edge, Forest, Graph};
    ///
    /// // A four-bar and a pendulum: three trees, two mechanisms.
    /// let pins = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)];
    /// let graph = Graph { bodies: 5, edges: pins.map(|(from, to)| Edge::new(from, to, 1)).into() };
    /// let forest = Forest::build(&graph).unwrap();
    /// assert_eq!(forest.trees().len(), 3);
    /// assert_eq!(forest.mechanisms(&graph), [vec![1, 2, 3], vec![4]]);
    /// ```
    pub fn mechanisms(&self, graph: &Graph) -> Vec<Vec<usize>> {
        mechanisms(graph).all().split_off(1)
    }

    /// Tree joints from an ancestor down to a body.
    fn descend(&self, ancestor: usize, body: usize) -> Vec<usize> {
        let mut joints = Vec::with_capacity(self.depth[body] - self.depth[ancestor]);
        let mut at = body;
        while at != ancestor
            && let Some(joint) = self.joint_of_body[at]
        {
            joints.push(joint);
            at = self.joints[joint].parent;
        }
        joints.reverse();
        joints
    }
}

/// The sets of bodies connected otherwise than through ground, which is alone in its set.
pub(super) fn mechanisms(graph: &Graph) -> Sets {
    graph.connected(|edge| edge.from != 0 && edge.to != 0)
}
