//! Where the value of a sensor comes from, with exact derivatives: computed where it is on position and
//! velocity level, an unknown of its own otherwise.

use crate::description::JointKind;
use crate::elements::constraints::ConstraintElement;
use crate::elements::constraints::relative::Relative;
use crate::elements::forces::{ForceElement, seen};
use crate::elements::joint_motion;
use crate::elements::scene::{Loads, Scene};
use crate::tree::Attachment;
use holonom_algebra::{Mat3, Orientation, Quaternion, Real, Vec3};

/// What a frame can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameChannel {
    /// Position of the origin in the ground's frame.
    Position,
    /// Euler parameters, w ≥ 0.
    Orientation,
    /// Velocity of the origin in the ground's axes.
    Velocity,
    /// Angular velocity in the ground's axes.
    AngularVelocity,
}

/// What a force element can be asked for.
#[derive(Clone, Copy, Debug)]
pub enum ForceReading {
    /// The scalar at a place of all that can be seen of it.
    Scalar {
        /// The place.
        place: usize,
    },
    /// A component of the vector that begins at a place.
    Vector {
        /// The place.
        place: usize,
        /// Number of the component.
        component: usize,
        /// In the axes of this frame.
        axes: Attachment,
    },
    /// Power on the mechanism.
    Power,
    /// Energy stored in it.
    Energy,
}

impl ForceReading {
    /// Whether it depends on the way things stand in the ground's frame, not only to each other; and on
    /// which node besides those of the element.
    pub(crate) fn against_ground(self) -> Option<usize> {
        match self {
            Self::Scalar { .. } => None,
            Self::Vector { axes, .. } => Some(axes.node),
            // Where nothing reacts, the work of a load depends on the way in the ground's frame.
            Self::Power | Self::Energy => Some(0),
        }
    }

    /// The value, with `loads` used meanwhile and left as they were.
    pub(crate) fn value<T: Real>(self, element: &ForceElement, scene: &Scene<T>, loads: &mut Loads<T>) -> T {
        match self {
            Self::Scalar { place } => seen::values(element, scene, loads)[place],
            Self::Vector {
                place,
                component,
                axes,
            } => {
                let values = seen::values(element, scene, loads);
                let vector = Vec3([values[place], values[place + 1], values[place + 2]]);
                along(scene, &axes, component, vector)
            }
            Self::Power => seen::power(element, scene, loads),
            Self::Energy => element.energy(scene).unwrap_or(T::zero()),
        }
    }
}

/// Rows of a constraint at most.
const MOST_ROWS: usize = 6;

/// Source of a scalar value.
#[derive(Clone, Debug)]
pub enum Probe {
    /// A locked coordinate, or its rate.
    Constant(f64),
    /// Value (0) or rate (1) of the scalar coordinate of a node.
    Coordinate {
        /// The node.
        node: usize,
        /// 0 or 1.
        order: usize,
    },
    /// Value (0) or rate (1) of a coordinate of a cut joint.
    CutCoordinate {
        /// Kind of the joint.
        kind: JointKind,
        /// Number of the coordinate.
        index: usize,
        /// 0 or 1.
        order: usize,
        /// Its frames, turned so that z is the axis.
        frames: [Attachment; 2],
    },
    /// A component of the Euler parameters of the second frame of a joint seen from the first.
    JointOrientation {
        /// Number of the component, w first.
        component: usize,
        /// The frames.
        frames: [Attachment; 2],
    },
    /// A component of the Euler parameters of a ball in the tree, which do not jump.
    Ball {
        /// The node.
        node: usize,
        /// The tree runs from the joint's second frame to its first.
        reversed: bool,
        /// Number of the component, w first.
        component: usize,
    },
    /// A component of the angular velocity of a joint in the axes of the second frame.
    Spin {
        /// Number of the component.
        component: usize,
        /// The frames.
        frames: [Attachment; 2],
    },
    /// A component of the motion of a frame.
    Frame {
        /// The frame.
        frame: Attachment,
        /// What of it.
        channel: FrameChannel,
        /// Number of the component.
        component: usize,
        /// Seen from this frame, in its axes.
        axes: Attachment,
    },
    /// A multiplier, times a sign.
    Multiplier {
        /// The row.
        row: usize,
        /// +1 or −1.
        sign: f64,
    },
    /// An own state.
    State {
        /// Number among all own states.
        state: usize,
    },
    /// Something of a force element. The workspace evaluates the element, which needs room for its
    /// load, and puts the value into the place of the sensor's own output.
    Force {
        /// Number of the element.
        force: usize,
        /// What of it.
        reading: ForceReading,
        /// Number of the sensor among the controls.
        control: usize,
    },
    /// A row of a constraint, or its rate.
    Gap {
        /// The constraint.
        element: Box<ConstraintElement>,
        /// Number of the row in it.
        row: usize,
        /// 0 or 1.
        order: usize,
    },
    /// The output of another control.
    Control {
        /// Its number.
        control: usize,
    },
    /// What follows from accelerations or multipliers, or belongs to the whole mechanism: an unknown of
    /// the equations, see [`ModelReading`](crate::model::ModelReading). The workspace puts it into the
    /// place of the sensor's own output.
    Reading {
        /// Number of the reading.
        reading: usize,
        /// Number of the sensor among the controls.
        control: usize,
    },
}

impl Probe {
    /// The value.
    pub fn value<T: Real>(&self, scene: &Scene<T>) -> T {
        match self {
            Self::Constant(x) => T::constant(*x),
            Self::Coordinate { node, order } => scene.coordinate(*node)[*order],
            Self::CutCoordinate {
                kind,
                index,
                order,
                frames: [from, to],
            } => joint_motion::coordinate(*kind, *index, *order, &Relative::new(scene, from, to)),
            Self::JointOrientation {
                component,
                frames: [from, to],
            } => {
                let (a, b) = (scene.frame(from).axes, scene.frame(to).axes);
                euler(&a.relative(&b).to_matrix().0)[*component]
            }
            Self::Ball {
                node,
                reversed,
                component,
            } => ball(scene.q, scene.tree.nodes[*node].q, *reversed).0[*component],
            Self::Spin {
                component,
                frames: [from, to],
            } => joint_motion::spin(1, &Relative::new(scene, from, to)).0[*component],
            Self::Frame {
                frame,
                channel,
                component,
                axes,
            } => {
                let state = scene.frame(frame);
                match channel {
                    FrameChannel::Position => {
                        let from = scene.frame(axes).origin;
                        along(scene, axes, *component, state.origin - from)
                    }
                    FrameChannel::Orientation => {
                        euler(&scene.frame(axes).axes.relative(&state.axes).to_matrix().0)[*component]
                    }
                    FrameChannel::Velocity => along(scene, axes, *component, state.velocity),
                    FrameChannel::AngularVelocity => along(scene, axes, *component, state.omega),
                }
            }
            Self::Multiplier { row, sign } => scene.lambda[*row] * *sign,
            Self::State { state } => scene.x[*state],
            Self::Gap { element, row, order } => {
                let mut rows = [T::zero(); MOST_ROWS];
                match order {
                    0 => element.position(scene, &mut rows[..element.rows()]),
                    _ => element.velocity(scene, &mut rows[..element.rows()]),
                }
                rows[*row]
            }
            Self::Force { control, .. } | Self::Reading { control, .. } | Self::Control { control } => {
                scene.controls[control + 1]
            }
        }
    }

    /// Whether it needs nodes in the ground's frame.
    pub fn needs_world(&self) -> bool {
        !matches!(
            self,
            Self::Constant(_)
                | Self::Coordinate { .. }
                | Self::Ball { .. }
                | Self::Multiplier { .. }
                | Self::State { .. }
                | Self::Control { .. }
        )
    }
}

/// A component of a vector in the axes of a frame.
pub(crate) fn along<T: Real>(scene: &Scene<T>, axes: &Attachment, component: usize, vector: Vec3<T>) -> T {
    // The ground's axes as they are: nothing is rounded there.
    if axes.node == 0 && axes.frame.rotation == Mat3::identity() {
        return vector.0[component];
    }
    let axis = axes.frame.rotation.column(component);
    scene.world[axes.node].rotation.times_constant(axis).dot(vector)
}

/// Euler parameters of a ball in the tree that begin at `at` in q, of length one.
pub(crate) fn ball<T: Real>(q: &[T], at: usize, reversed: bool) -> Quaternion<T> {
    let e = Quaternion([q[at], q[at + 1], q[at + 2], q[at + 3]]).normalised();
    if reversed { e.conjugate() } else { e }
}

/// Euler parameters of a rotation matrix with w ≥ 0, by the largest component as
/// [`Quaternion::from_rotation_matrix`] does.
pub(crate) fn euler<T: Real>(r: &[[T; 3]; 3]) -> [T; 4] {
    let value = Quaternion::from_rotation_matrix(&r.map(|row| row.map(T::value))).0;
    let largest = (0..4).fold(0, |m, i| if value[i].abs() > value[m].abs() { i } else { m });
    let (t, skew) = (
        r[0][0] + r[1][1] + r[2][2],
        [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]],
    );
    // 4 eₘ e, which has the length 4 eₘ.
    let mut e = [T::zero(); 4];
    match largest {
        0 => {
            e[0] = t + 1.0;
            e[1..].copy_from_slice(&skew);
        }
        m => {
            let i = m - 1;
            for k in 0..3 {
                e[1 + k] = if k == i {
                    r[i][i] * 2.0 - t + 1.0
                } else {
                    r[i][k] + r[k][i]
                };
            }
            e[0] = skew[i];
        }
    }
    let square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    let mut scale = square.sqrt().recip();
    if e[0].value() < 0.0 {
        scale = -scale;
    }
    e.map(|x| x * scale)
}
