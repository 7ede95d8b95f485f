//! Rows of the start problem: they vanish where a joint is closed as it is meant, and nowhere else.
//!
//! Products of axes vanish for parallel and antiparallel axes alike. These rows are angles instead, as they are
//! on the way back. Their directions are those of small angles: exact where the row is zero, and on the way back
//! along a single axis.

use super::relative::Relative;
use holonom_algebra::{Real, Vec3, Wrench};

/// Sines below this have no direction.
const NO_DIRECTION: f64 = 1e-9;

/// A row of the start problem. With a the axes of the first frame, b those of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StartRow {
    /// Component of the turn that takes a_z to b_z on the shortest way.
    Tilt {
        /// 0 or 1.
        axis: usize,
    },
    /// Component of the turn that takes the first frame to the second.
    Twist {
        /// 0 to 2.
        axis: usize,
    },
    /// p times the angle in (−π, π] by which a screw is off its thread.
    Thread {
        /// Displacement per angle, p.
        pitch: f64,
    },
    /// The angle of a joint: about a_z, or the first (0) or second (1) one of a universal joint; in (−π, π].
    Turned {
        /// Which one.
        axis: usize,
    },
    /// Component along b of the angular velocity; nothing on positions.
    Spin {
        /// 0 to 2.
        axis: usize,
    },
}

impl StartRow {
    pub(super) fn position<T: Real>(&self, relative: &Relative<T>) -> T {
        let product = |i: usize, j: usize| relative.first_axis(i).dot(relative.second_axis(j));
        match *self {
            Self::Tilt { axis } => {
                let (a, b) = (relative.first_axis(2), relative.second_axis(2));
                let across = a.cross(b);
                let (sin, cos) = (across.norm_squared(), a.dot(b));
                if sin.value().sqrt() < NO_DIRECTION {
                    let half = T::constant(core::f64::consts::PI);
                    // Upside down: back about x.
                    return match (cos.value() < 0.0, axis) {
                        (true, 0) => half,
                        (true, _) => T::zero(),
                        (false, _) => relative.first_axis(axis).dot(across),
                    };
                }
                let sin = sin.sqrt();
                relative.first_axis(axis).dot(across) * (sin.atan2(cos) * sin.recip())
            }
            Self::Twist { axis } => {
                let half = |i: usize, j: usize| (product(i, j) - product(j, i)) * 0.5;
                let sines = Vec3([half(2, 1), half(0, 2), half(1, 0)]);
                let cos = (product(0, 0) + product(1, 1) + product(2, 2) - T::one()) * 0.5;
                let sin = sines.norm_squared();
                if sin.value().sqrt() >= NO_DIRECTION {
                    let sin = sin.sqrt();
                    return sines[axis] * (sin.atan2(cos) * sin.recip());
                }
                if cos.value() > 0.0 {
                    return sines[axis];
                }
                // Half a turn: R = 2 n nᵀ − I.
                let most = (0..3).max_by(|&i, &j| product(i, i).value().total_cmp(&product(j, j).value()));
                let most = most.unwrap_or(0);
                let length = ((product(most, most) + T::one()) * 0.5).sqrt();
                let n = if axis == most {
                    length
                } else {
                    product(axis, most) * (length * 2.0).recip()
                };
                n * core::f64::consts::PI
            }
            Self::Thread { pitch } => {
                let (sin, cos) = (relative.first_axis(2).dot(relative.distance) * (1.0 / pitch)).sin_cos();
                let (cos_angle, sin_angle) = (product(0, 0), product(1, 0));
                let off = (sin * cos_angle - cos * sin_angle).atan2(cos * cos_angle + sin * sin_angle);
                off * pitch
            }
            Self::Turned { axis: 0 } => product(2, 1).atan2(product(1, 1)),
            Self::Turned { axis: 1 } => product(0, 2).atan2(product(0, 0)),
            Self::Turned { .. } => product(1, 0).atan2(product(0, 0)),
            Self::Spin { .. } => T::zero(),
        }
    }

    pub(super) fn direction<T: Real>(&self, relative: &Relative<T>) -> Wrench<T> {
        let moment = |m| Wrench::new(m, Vec3::zero());
        match *self {
            Self::Tilt { axis } | Self::Twist { axis } => moment(relative.first_axis(axis)),
            Self::Turned { axis: 1 } => moment(relative.second_axis(1)),
            Self::Turned { axis } => moment(relative.first_axis(axis)),
            Self::Spin { axis } => moment(relative.second_axis(axis)),
            Self::Thread { pitch } => {
                let z = relative.first_axis(2);
                Wrench::new(z.scale(-pitch), z)
            }
        }
    }

    /// The row is an angle, not a displacement.
    pub(crate) fn is_angle(&self) -> bool {
        !matches!(self, Self::Thread { .. })
    }

    pub(super) fn name(&self) -> String {
        const AXES: [&str; 3] = ["x", "y", "z"];
        match *self {
            Self::Tilt { axis } => format!("tilt_{}", AXES[axis]),
            Self::Twist { axis } | Self::Turned { axis } => format!("turn_{}", AXES[axis]),
            Self::Thread { .. } => "thread".to_string(),
            Self::Spin { axis } => format!("spin_{}", AXES[axis]),
        }
    }
}
