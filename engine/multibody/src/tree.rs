//! The spanning tree as the recursions see it: a list of nodes from base to tip.
//!
//! A node is one primitive motion (a turn or a slide about or along one axis, a screw, a ball)
//! behind a constant placement. Joints with several freedoms are short sequences of nodes, with
//! massless frames between them, so that the recursions know six motions only and every scalar
//! coordinate can be prescribed or locked by itself.

use holonom_algebra::{Inertia, Orientation, Pose, Real, Vec3};

/// The motion of a node in its placement, by how much of the geometry is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Constant, parallel to its parent.
    Fixed,
    /// Constant, any orientation.
    FixedTurned,
    /// Turns about x; placement parallel to the parent.
    RevoluteX,
    /// Turns about y; placement parallel to the parent.
    RevoluteY,
    /// Turns about z; placement parallel to the parent.
    RevoluteZ,
    /// Turns about the z axis of a placement of any orientation.
    RevoluteTurned,
    /// Slides along x; placement parallel to the parent.
    PrismaticX,
    /// Slides along y; placement parallel to the parent.
    PrismaticY,
    /// Slides along z; placement parallel to the parent.
    PrismaticZ,
    /// Slides along the z axis of a placement of any orientation.
    PrismaticTurned,
    /// Turns about and slides along the z axis of a placement of any orientation.
    Screw,
    /// Turns freely: Euler parameters, angular velocity in the axes of the node.
    Ball,
}

impl NodeKind {
    /// Number of position and velocity coordinates when they are free.
    pub fn sizes(self) -> (usize, usize) {
        match self {
            Self::Fixed | Self::FixedTurned => (0, 0),
            Self::Ball => (4, 3),
            _ => (1, 1),
        }
    }

    /// Whether the orientation changes.
    #[inline(always)]
    pub fn turns(self) -> bool {
        use NodeKind::{Ball, RevoluteTurned, RevoluteX, RevoluteY, RevoluteZ, Screw};
        matches!(
            self,
            RevoluteX | RevoluteY | RevoluteZ | RevoluteTurned | Screw | Ball
        )
    }

    /// Whether the position in the parent's frame changes.
    #[inline(always)]
    pub fn slides(self) -> bool {
        use NodeKind::{PrismaticTurned, PrismaticX, PrismaticY, PrismaticZ, Screw};
        matches!(
            self,
            PrismaticX | PrismaticY | PrismaticZ | PrismaticTurned | Screw
        )
    }

    /// Whether there is no motion.
    #[inline(always)]
    pub fn is_constant(self) -> bool {
        matches!(self, Self::Fixed | Self::FixedTurned)
    }
}

/// One primitive motion with the inertia that moves along.
#[derive(Clone, Debug)]
pub struct Node {
    /// The node it is placed on; 0 is the ground.
    pub parent: usize,
    /// The motion.
    pub kind: NodeKind,
    /// Frame of the motion in the parent's frame, at coordinate zero.
    pub placement: Pose<f64>,
    /// Displacement per angle, for a screw.
    pub pitch: f64,
    /// Where its positions begin in q. Not used when prescribed.
    pub q: usize,
    /// Where its velocities begin in v. Not used when prescribed.
    pub v: usize,
    /// Number of the signal that prescribes the coordinate, if one does.
    pub prescribed: Option<usize>,
    /// Inertia in the node's frame.
    pub inertia: Inertia,
    /// Whether there is any inertia.
    pub has_inertia: bool,
}

impl Node {
    /// Whether it turns about something.
    pub(crate) fn turns(&self) -> bool {
        use NodeKind::{PrismaticTurned, PrismaticX, PrismaticY, PrismaticZ};
        !matches!(self.kind, PrismaticX | PrismaticY | PrismaticZ | PrismaticTurned)
    }

    /// Number of free velocity coordinates.
    #[inline(always)]
    pub fn n_v(&self) -> usize {
        if self.prescribed.is_some() {
            0
        } else {
            self.kind.sizes().1
        }
    }

    /// Number of free position coordinates.
    #[inline(always)]
    pub fn n_q(&self) -> usize {
        if self.prescribed.is_some() {
            0
        } else {
            self.kind.sizes().0
        }
    }
}

/// The spanning tree: nodes from base to tip, node 0 is the ground.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The nodes; parents come before children.
    pub nodes: Vec<Node>,
    /// For every velocity, the one next towards the ground on its own way; none is `usize::MAX`.
    pub below: Vec<usize>,
    /// Number of positions.
    pub n_q: usize,
    /// Number of velocities.
    pub n_v: usize,
    /// Number of signals that prescribe coordinates.
    pub n_signals: usize,
    /// Acceleration of free fall.
    pub gravity: Vec3<f64>,
}

impl Tree {
    /// The ground alone.
    pub fn new(gravity: Vec3<f64>) -> Self {
        let ground = Node {
            parent: 0,
            kind: NodeKind::Fixed,
            placement: Pose::identity(),
            pitch: 0.0,
            q: 0,
            v: 0,
            prescribed: None,
            inertia: Inertia::zero(),
            has_inertia: false,
        };
        Self {
            nodes: vec![ground],
            below: Vec::new(),
            n_q: 0,
            n_v: 0,
            n_signals: 0,
            gravity,
        }
    }

    /// The velocity nearest to node `i` on its way to the ground, its own among them.
    fn last_velocity(&self, mut i: usize) -> usize {
        while i != 0 {
            let node = &self.nodes[i];
            if node.n_v() > 0 {
                return node.v + node.n_v() - 1;
            }
            i = node.parent;
        }
        usize::MAX
    }

    /// Adds a node; its coordinates come after those already there. Gives its number.
    pub fn push(
        &mut self,
        parent: usize,
        kind: NodeKind,
        placement: Pose<f64>,
        pitch: f64,
        prescribed: Option<usize>,
        inertia: Inertia,
    ) -> usize {
        debug_assert!(parent < self.nodes.len());
        let node = Node {
            parent,
            kind,
            placement,
            pitch,
            q: self.n_q,
            v: self.n_v,
            prescribed,
            inertia,
            has_inertia: !inertia.is_zero(),
        };
        self.n_q += node.n_q();
        self.n_v += node.n_v();
        let mut below = self.last_velocity(parent);
        for k in node.v..self.n_v {
            self.below.push(below);
            below = k;
        }
        if let Some(s) = prescribed {
            self.n_signals = self.n_signals.max(s + 1);
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// Orientation and position of a node in its parent's frame, as far as they move.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<T: Real> {
    /// Orientation; filled for nodes whose frame is not parallel and not turned about one axis.
    pub rotation: T::Orientation,
    /// For turns about one axis.
    pub turn: T::Turn,
    /// Position; filled where it moves.
    pub offset: Vec3<T>,
}

impl<T: Real> Geometry<T> {
    /// The placement of a node, before any motion.
    pub fn new(node: &Node) -> Self {
        Self {
            rotation: T::Orientation::constant(&node.placement.rotation),
            turn: T::zero().turn(),
            offset: Vec3::constant(node.placement.position),
        }
    }
}

/// A frame fixed on a node: where elements attach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The node; 0 is the ground.
    pub node: usize,
    /// The frame in the node's frame.
    pub frame: Pose<f64>,
}
