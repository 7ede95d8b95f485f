//! What elements refer to: names in a description, nodes in a model.
//!
//! An element is one type with a parameter for its references: `BumpStop<Named>` is what a description holds, and
//! `BumpStop<Attached>` is what a model evaluates. Its numbers are the same in both.

use crate::elements::constraints::WheelRail;
use crate::names::CoordinateRef;
use crate::observable::Observed;
use crate::path::PathCurve;
use crate::road::Surface;
use crate::tree::Attachment;
use core::fmt::Debug;
use core::ops::Range;
use std::sync::Arc;

/// The types of references.
pub trait References: Clone + Debug + Default + PartialEq {
    /// A frame.
    type Frame: Clone + Debug;
    /// A coordinate of a joint in the tree.
    type Coordinate: Clone + Debug;
    /// A coordinate of any joint.
    type JointCoordinate: Clone + Debug;
    /// A road.
    type Road: Clone + Debug;
    /// A constraint between a wheel and its rail.
    type Contact: Clone + Debug;
    /// A path.
    type Path: Clone + Debug;
    /// A channel.
    type Channel: Clone + Debug;
    /// A law that is prepared for evaluation.
    type Law<L: Prepare>: Clone + Debug;
}

/// References by name, as in model files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Named;

/// References to nodes of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attached;

impl References for Named {
    type Frame = String;
    type Coordinate = CoordinateRef;
    type JointCoordinate = CoordinateRef;
    type Road = String;
    type Contact = String;
    type Path = String;
    type Channel = String;
    type Law<L: Prepare> = L;
}

impl References for Attached {
    type Frame = Attachment;
    /// The node, which has one coordinate.
    type Coordinate = usize;
    type JointCoordinate = JointCoordinate;
    type Road = RoadPlace;
    type Contact = RollingContact;
    type Path = PathPlace;
    type Channel = SensedChannel;
    type Law<L: Prepare> = L::Ready;
}

/// A law as described, from which something is computed once when a mechanism is compiled.
pub trait Prepare: Clone + Debug {
    /// The law ready for evaluation.
    type Ready: Clone + Debug;

    /// Prepares it; none where it has a fault, which is reported by the check of the element.
    fn prepare(&self) -> Option<Self::Ready>;
}

/// A road at its frame.
#[derive(Clone, Debug)]
pub struct RoadPlace {
    /// Frame of the road.
    pub frame: Attachment,
    /// Its surface.
    pub surface: Surface,
    /// Signs of x and y with which the surface is asked: the road may be reversed or swapped.
    pub signs: [f64; 2],
    /// Friction of the road as a factor.
    pub friction: f64,
}

/// A path at its frame.
#[derive(Clone, Debug)]
pub struct PathPlace {
    /// The path.
    pub curve: Arc<PathCurve>,
    /// Its frame.
    pub frame: Attachment,
    /// Signs of x and y of the path.
    pub signs: [f64; 2],
}

/// A channel that a sensor reads.
#[derive(Clone, Debug)]
pub struct SensedChannel {
    /// Name of the channel.
    pub name: String,
    /// Number of the sensor among the controls. What it reads is put into the place of its output.
    pub control: usize,
    /// What it reads; none for an unknown of the equations, which is one of
    /// [`Model::readings`](crate::Model::readings).
    pub observed: Option<Observed>,
}

/// A wheel on its rail.
#[derive(Clone, Debug)]
pub struct RollingContact {
    /// The constraint.
    pub constraint: WheelRail,
    /// The row with the normal force.
    pub row: usize,
    /// The ground, for a rail whose frame travels.
    pub ground: Attachment,
}

/// A coordinate of a joint, in the tree or cut.
// There are few of them, and each is read in every evaluation: no detour over a pointer.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum JointCoordinate {
    /// The scalar coordinate of a node of the tree.
    Tree {
        /// The node; not a ball.
        node: usize,
        /// The coordinate is an angle.
        turns: bool,
    },
    /// Between the frames of a cut joint.
    Cut {
        /// First frame, turned so that z is the joint's axis.
        from: Attachment,
        /// Second frame.
        to: Attachment,
        /// Axis of the first frame that the coordinate belongs to.
        axis: usize,
        /// The coordinate is an angle about that axis, not a displacement along it.
        turns: bool,
        /// Rows that keep points together; their multipliers are the force that the joint transmits.
        rows: Range<usize>,
    },
}

impl JointCoordinate {
    /// Whether it is an angle.
    pub fn turns(&self) -> bool {
        match self {
            Self::Tree { turns, .. } | Self::Cut { turns, .. } => *turns,
        }
    }
}

/// Finds what names stand for. What does not exist has been reported before, unless something else is said.
pub trait Resolve {
    /// A frame.
    fn frame(&self, name: &str) -> Option<Attachment>;
    /// Some frames.
    fn frames(&self, names: &[String]) -> Option<Vec<Attachment>> {
        names.iter().map(|name| self.frame(name)).collect()
    }
    /// The node of a coordinate; reports a joint that is cut.
    fn coordinate(&mut self, coordinate: &CoordinateRef) -> Option<usize>;
    /// The value of a coordinate, if it is locked.
    fn locked(&self, coordinate: &CoordinateRef) -> Option<f64>;
    /// A coordinate of a joint in the tree or cut; reports one that has no axis where it is cut.
    fn joint_coordinate(&mut self, coordinate: &CoordinateRef) -> Option<JointCoordinate>;
    /// A road; the one without a name is the plane z = 0 of the ground.
    fn road(&self, name: &str) -> Option<RoadPlace>;
    /// A constraint between a wheel and its rail.
    fn contact(&self, name: &str) -> Option<RollingContact>;
}

/// Finds what names in controls stand for. The tree, forces and constraints are there already.
pub trait ResolveControl {
    /// A frame.
    fn frame(&self, name: &str) -> Option<Attachment>;
    /// A path.
    fn path(&self, name: &str) -> Option<PathPlace>;
    /// A channel, seen from a frame; what it is is looked up when all controls are there.
    fn channel(&mut self, name: &str, axes: &str) -> Option<SensedChannel>;
}

/// Attaches an element: `attached!(self, to, BumpStop { from: frame, to: frame, length, rebound, law })` looks up each
/// field with the method of [`Resolve`](crate::elements::references::Resolve) behind its name (or prepares a `law`) and
/// copies the others. All references are
/// looked up before it gives up, so that all faults are reported.
#[macro_export]
macro_rules! attached {
    ($described:ident, $to:ident, $kind:ident { $($field:ident $(: $how:ident)?),* $(,)? }) => {{
        $(let $field = $crate::attached!(@ $described $to $field $($how)?);)*
        Some($kind::<$crate::elements::references::Attached> { $($field: $field?),* }.into())
    }};
    (@ $described:ident $to:ident $field:ident) => {
        Some(Clone::clone(&$described.$field))
    };
    (@ $described:ident $to:ident $field:ident law) => {
        $crate::elements::references::Prepare::prepare(&$described.$field)
    };
    (@ $described:ident $to:ident $field:ident $how:ident) => {
        $to.$how(&$described.$field)
    };
}
pub(crate) use attached;
