//! On what force elements act.

use crate::tree::Attachment;

/// On what a force element acts. Its loads depend on nothing else of the mechanism.
#[derive(Clone, Copy, Debug)]
pub enum Reach<'a> {
    /// A frame; nothing reacts.
    Frame(&'a Attachment),
    /// Two frames: any load on the second, its opposite on the first.
    Pair(&'a Attachment, &'a Attachment),
    /// Two frames: a force along the line between their origins.
    Line(&'a Attachment, &'a Attachment),
    /// Two frames: a torque about z of the first.
    Hinge(&'a Attachment, &'a Attachment),
    /// Three frames: loads on the second and the third, their opposites on the first.
    Frames([&'a Attachment; 3]),
    /// A line from a frame over others to another one: forces along its pieces.
    Chain(&'a Attachment, &'a [Attachment], &'a Attachment),
    /// The scalar coordinate of a node.
    Coordinate(usize),
    /// The scalar coordinates of two nodes.
    Coordinates([usize; 2]),
}

impl<'a> Reach<'a> {
    /// Nodes whose wrench, or the generalised force of whose coordinate, it adds to. A node may come twice.
    pub fn nodes(self) -> impl Iterator<Item = usize> + 'a {
        let (three, over): (_, &[Attachment]) = match self {
            Self::Frame(at) => ([Some(at.node), None, None], &[]),
            Self::Pair(a, b) | Self::Line(a, b) | Self::Hinge(a, b) => {
                ([Some(a.node), Some(b.node), None], &[])
            }
            Self::Frames([a, b, c]) => ([Some(a.node), Some(b.node), Some(c.node)], &[]),
            Self::Chain(a, over, b) => ([Some(a.node), Some(b.node), None], over),
            Self::Coordinate(node) => ([Some(node), None, None], &[]),
            Self::Coordinates([a, b]) => ([Some(a), Some(b), None], &[]),
        };
        three.into_iter().flatten().chain(over.iter().map(|at| at.node))
    }
}
