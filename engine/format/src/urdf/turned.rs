//! Frames as URDF writes them.

use holonom_algebra::{Mat3, Pose, Vec3};
use holonom_multibody::description::Frame;

/// A frame from its position and roll, pitch, yaw about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll).
pub(super) fn frame(position: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Frame {
    let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
    let rotation = Mat3([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]);
    Pose::new(rotation, Vec3(position))
}
