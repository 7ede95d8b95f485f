//! [`Observable`]: everything about a mechanism that has a value at an instant.
//!
//! Channels, sensors, readings and result files name the same things. Each is an observable, and has one
//! place that says when it is known, what it depends on and what its value is: `formalism::observe`.
//! Their names, units and descriptions are listed in [`channels`](crate::channels).

use crate::elements::constraints::Impact;
pub use crate::mirror::Nature;
use crate::tree::Attachment;

/// What must be known before an observable can be evaluated. Each stage needs those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// t and q.
    Position,
    /// v.
    Velocity,
    /// v̇ and λ.
    Acceleration,
    /// The loads that cross the joints.
    Reaction,
}

/// Part of the motion of a frame; in the ground's axes unless others are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameQuantity {
    /// Position of the origin.
    Position,
    /// Euler parameters, w ≥ 0.
    Orientation,
    /// Velocity of the origin.
    Velocity,
    /// Angular velocity.
    AngularVelocity,
    /// Acceleration of the origin.
    Acceleration,
    /// Angular acceleration.
    AngularAcceleration,
}

/// What a reaction belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReactionElement {
    /// A joint, in the tree or cut: number in `Model::joints`.
    Joint(usize),
    /// A constraint that is no cut joint: number in `Model::constraints`.
    Constraint(usize),
}

/// A function of time that is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeFunction {
    /// The motion of prescribed coordinates, by its number in [`Model::signals`](crate::Model::signals).
    Prescribed(usize),
    /// The function that the constraint with this number follows.
    Followed(usize),
    /// An input of the model.
    Input(usize),
}

/// A few values that are computed together. `order` is 0 for a value, 1 for its rate and 2 for its second
/// derivative; what carries a number is numbered as in the [`Model`](crate::Model).
#[derive(Clone, Debug, PartialEq)]
pub enum Observable {
    /// A locked coordinate, or its rate.
    Constant(f64),
    /// The scalar coordinate of a node of the tree.
    Coordinate {
        /// The node.
        node: usize,
        /// 0, 1 or 2.
        order: usize,
    },
    /// A coordinate of a cut joint, from the motion of its frames.
    CutCoordinate {
        /// The joint.
        joint: usize,
        /// Number of the coordinate.
        index: usize,
        /// 0, 1 or 2.
        order: usize,
    },
    /// Euler parameters of a ball in the tree, which do not jump.
    Ball {
        /// The node.
        node: usize,
        /// The tree runs from the joint's second frame to its first.
        reversed: bool,
    },
    /// Euler parameters of a joint from the orientation of its frames, w ≥ 0.
    Orientation {
        /// The joint.
        joint: usize,
    },
    /// Angular velocity (1) or acceleration (2) of a joint in the axes of the second frame.
    Spin {
        /// The joint.
        joint: usize,
        /// 1 or 2.
        order: usize,
    },
    /// Motion of a body, or of a marker on it.
    Frame {
        /// The body.
        body: usize,
        /// The marker among those of the body.
        marker: Option<usize>,
        /// What of the motion.
        quantity: FrameQuantity,
    },
    /// Force x, y, z and torque x, y, z that a joint or constraint transmits.
    Reaction(ReactionElement),
    /// Force or torque by which a prescribed coordinate is led.
    Drive {
        /// The node.
        node: usize,
    },
    /// A multiplier, times a sign: tension of a distance or rod, force of a driver or coupling.
    Multiplier {
        /// The row.
        row: usize,
        /// +1 or −1.
        sign: f64,
    },
    /// Force that presses on a contact, and whether it is closed.
    Contact {
        /// The row.
        row: usize,
    },
    /// All that is seen of a force element: force x, y, z and torque x, y, z, then what its kind has besides.
    Force {
        /// The element.
        force: usize,
    },
    /// Power of a force element on the mechanism.
    Power {
        /// The element.
        force: usize,
    },
    /// Energy stored in a force element.
    Stored {
        /// The element.
        force: usize,
    },
    /// An own state of an element.
    State {
        /// Number among all own states.
        state: usize,
    },
    /// The output of a control.
    Control {
        /// The control.
        control: usize,
    },
    /// Kinetic, potential and total energy.
    Energy,
    /// Linear momentum x, y, z, angular momentum x, y, z.
    Momentum,
    /// g (0) or G v + g_t (1) of the rows of a constraint.
    Gap {
        /// The constraint.
        constraint: usize,
        /// 0 or 1.
        order: usize,
    },
    /// Distance to the plane of an impact. It has the impact itself: assembly leaves open contacts out of the
    /// mechanism, where sensors read them nevertheless.
    Clearance {
        /// The impact.
        impact: Box<Impact>,
        /// 0 or 1.
        order: usize,
    },
    /// The largest |g| (0) or |G v + g_t| (1) of all rows.
    LargestGap {
        /// 0 or 1.
        order: usize,
    },
    /// Value, rate and second derivative of a function of time.
    Time(TimeFunction),
}

/// One value of an observable, as a sensor reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// What is read.
    pub observable: Observable,
    /// Number of the value.
    pub place: usize,
    /// Of what is known in the ground's axes: the frame in whose axes the component is wanted instead, and
    /// from which positions and orientations are seen.
    pub axes: Option<Attachment>,
}
