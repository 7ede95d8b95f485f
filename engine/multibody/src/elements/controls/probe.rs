//! Where the value of a sensor comes from: channels on position and velocity level, with exact
//! derivatives.

use crate::channels::joint_motion;
use crate::description::JointKind;
use crate::elements::constraints::relative::Relative;
use crate::elements::forces::ForceElement;
use crate::elements::scene::Scene;
use crate::model::Attachment;
use core::ops::Range;
use holonom_algebra::{Quaternion, Real};

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
    /// A quantity that a force element offers.
    Force {
        /// The element.
        element: Box<ForceElement>,
        /// Its own states.
        states: Range<usize>,
        /// Number of the quantity.
        quantity: usize,
        /// Number of the element.
        force: usize,
    },
    /// The output of another control.
    Control {
        /// Its number.
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
                euler(&a.transpose().matrix(&b).0)[*component]
            }
            Self::Spin {
                component,
                frames: [from, to],
            } => joint_motion::spin(1, &Relative::new(scene, from, to)).0[*component],
            Self::Frame {
                frame,
                channel,
                component,
            } => {
                let state = scene.frame(frame);
                match channel {
                    FrameChannel::Position => state.origin.0[*component],
                    FrameChannel::Orientation => euler(&state.axes.0)[*component],
                    FrameChannel::Velocity => state.velocity.0[*component],
                    FrameChannel::AngularVelocity => state.omega.0[*component],
                }
            }
            Self::Multiplier { row, sign } => scene.lambda[*row] * *sign,
            Self::State { state } => scene.x[*state],
            Self::Force {
                element,
                states,
                quantity,
                ..
            } => element.quantity(*quantity, &scene.of(states)),
            Self::Control { control } => scene.controls[control + 1],
        }
    }

    /// Whether it needs nodes in the ground's frame.
    pub fn needs_world(&self) -> bool {
        !matches!(
            self,
            Self::Constant(_)
                | Self::Coordinate { .. }
                | Self::Multiplier { .. }
                | Self::State { .. }
                | Self::Control { .. }
        )
    }
}

/// Euler parameters of a rotation matrix with w ≥ 0, by the largest component as
/// [`Quaternion::from_rotation_matrix`] does.
fn euler<T: Real>(r: &[[T; 3]; 3]) -> [T; 4] {
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
