//! Gimbal lock: where the middle one of three Cardan angles comes to ±90°, the first and the last turn about the same
//! axis, and their rates have no bound.

use holonom_multibody::description::JointKind;
use holonom_multibody::model::Model;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::fmt;

/// |cos| of the middle angle from which on a run tells: 3° from the position in which the angles are no coordinates.
/// There the rates of the others are twenty times the angular velocity.
const CLOSE: f64 = 0.05;

/// How close the orientation of a joint came to gimbal lock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GimbalLock {
    /// The joint.
    pub joint: String,
    /// When it was closest.
    pub t: f64,
    /// The middle angle then, rad.
    pub angle: f64,
}

impl fmt::Display for GimbalLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { joint, t, angle } = self;
        let off = angle.cos().abs().asin().to_degrees();
        let how = if off < 1e-6 {
            "passes through gimbal lock".to_string()
        } else {
            format!("comes within {off:.2}° of gimbal lock")
        };
        write!(
            f,
            "angle_y of joint `{joint}` {how} ({:.2}°) at t = {t:.6}: angle_x and angle_z lose accuracy and \
             change rapidly there; use a joint of kind `free`, whose Euler parameters have no such \
             singularity",
            angle.to_degrees()
        )
    }
}

/// Watches the joints of a model that have three Cardan angles.
#[derive(Clone, Debug, Default)]
pub(super) struct Gimbals {
    /// Joint and place of the middle angle among the unknowns.
    middle: Vec<(String, usize)>,
    closest: Vec<Option<GimbalLock>>,
    /// Where each was looked at last.
    last: Vec<Option<(f64, f64)>>,
    /// Steps may go beyond the end of the run; nobody sees that.
    t_end: f64,
}

impl Gimbals {
    pub fn new(model: &Model, t_end: f64) -> Self {
        let cardan = model.joints.iter().filter(|j| j.kind == JointKind::FreeCardan);
        let middle: Vec<_> = cardan
            .filter_map(|joint| {
                let nodes = joint.coordinates.get(3..6)?;
                // A locked or prescribed angle leaves two that are never about the same axis, or rates that are known.
                let free = |&node: &usize| node != 0 && model.tree.nodes[node].n_v() == 1;
                nodes
                    .iter()
                    .all(free)
                    .then(|| (joint.name.clone(), model.tree.nodes[nodes[1]].q))
            })
            .collect();
        Self {
            closest: vec![None; middle.len()],
            last: vec![None; middle.len()],
            t_end,
            middle,
        }
    }

    /// How many of the leading unknowns are looked at.
    pub fn leading(&self) -> usize {
        self.middle.iter().map(|(_, place)| place + 1).max().unwrap_or(0)
    }

    /// Looks at positions.
    pub fn look(&mut self, t: f64, q: &[f64]) {
        if t > self.t_end {
            return;
        }
        let joints = self.middle.iter().zip(&mut self.closest).zip(&mut self.last);
        for (((joint, place), closest), last) in joints {
            let Some(&angle) = q.get(*place) else { continue };
            let (mut at, mut cosine) = ((t, angle), angle.cos());
            // Between two looks it may have gone through.
            if let Some((t_last, last)) = last.replace((t, angle))
                && last.cos() * cosine < 0.0
            {
                let lock = ((0.5 * (last + angle) / PI - 0.5).round() + 0.5) * PI;
                at = (
                    t_last + (t - t_last) * ((lock - last) / (angle - last)).clamp(0.0, 1.0),
                    lock,
                );
                cosine = 0.0;
            }
            let before = closest.as_ref().map_or(CLOSE, |c| c.angle.cos().abs());
            if cosine.abs() < before {
                *closest = Some(GimbalLock {
                    joint: joint.clone(),
                    t: at.0,
                    angle: at.1,
                });
            }
        }
    }

    /// Goes on from what was found before.
    pub fn go_on(&mut self, found: &[GimbalLock]) {
        for ((joint, _), closest) in self.middle.iter().zip(&mut self.closest) {
            *closest = found.iter().find(|f| f.joint == *joint).cloned();
        }
        self.last.fill(None);
    }

    /// Joints that came close.
    pub fn found(&self) -> Vec<GimbalLock> {
        self.closest.iter().flatten().cloned().collect()
    }
}
