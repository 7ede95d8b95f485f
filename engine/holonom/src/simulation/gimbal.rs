//! Gimbal lock: where the middle one of three Cardan angles comes to ±90°, the first and the last turn about the same
//! axis, and their rates have no bound.

use holonom_algebra::Vec3;
use holonom_multibody::model::Model;
use holonom_multibody::tree::NodeKind;
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
    /// The joints of the first and the last angle, where each angle has a joint of its own.
    #[serde(default)]
    pub others: Option<[String; 2]>,
    /// The sum of this and the middle angle is ±90° in gimbal lock, rad.
    #[serde(default)]
    pub offset: f64,
}

impl fmt::Display for GimbalLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { joint, t, angle, .. } = self;
        let off = (angle + self.offset).cos().abs().asin().to_degrees();
        if let Some([first, last]) = &self.others {
            return write!(
                f,
                "joints `{first}`, `{joint}` and `{last}` are in gimbal lock, to within {off:.2}°, at t = {t:.6} \
                 ({joint} at {:.2}°): the axes of the first and the last coincide, and no mass resists their opposite \
                 rotation; keep `{joint}` away from this angle, or replace the three joints by a spherical one",
                angle.to_degrees()
            );
        }
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

/// Three revolute joints in a row whose axes meet at right angles in one point, with no mass in between, as URDF files
/// describe ball joints.
fn sequences(model: &Model) -> Vec<Middle> {
    const RIGHT: f64 = 1e-3;
    let nodes = &model.tree.nodes;
    let axis = |i: usize| match nodes[i].kind {
        NodeKind::RevoluteX => Some(Vec3::unit(0)),
        NodeKind::RevoluteY => Some(Vec3::unit(1)),
        NodeKind::RevoluteZ | NodeKind::RevoluteTurned => Some(Vec3::unit(2)),
        _ => None,
    };
    let axis = |i: usize| axis(i).filter(|_| nodes[i].n_v() == 1);
    let only_child = |i: usize| (1..nodes.len()).filter(|&k| nodes[k].parent == i).count() == 1;
    let joint = |node: usize| model.joints.iter().find(|j| j.coordinates == [node]);
    let sequence = |last: usize| {
        let second = nodes[last].parent;
        let first = nodes[second].parent;
        let is_light = |i: usize| i != 0 && !nodes[i].has_inertia && only_child(i);
        let meets = |i: usize| nodes[i].placement.position.norm() < 1e-9;
        if !(is_light(first) && is_light(second) && meets(second) && meets(last)) {
            return None;
        }
        let (a, b, c) = (axis(first)?, axis(second)?, axis(last)?);
        // Both seen from the frame of the middle joint at angle zero.
        let a = nodes[second].placement.rotation.transpose_times(a);
        let c = nodes[last].placement.rotation.times(c);
        if b.dot(a).abs() > RIGHT || b.dot(c).abs() > RIGHT {
            return None;
        }
        Some(Middle {
            joint: joint(second)?.name.clone(),
            others: Some([joint(first)?.name.clone(), joint(last)?.name.clone()]),
            place: nodes[second].q,
            offset: b.dot(a.cross(c)).atan2(a.dot(c)) - 0.5 * PI,
        })
    };
    (1..nodes.len()).filter_map(sequence).collect()
}

/// A middle angle.
#[derive(Clone, Debug)]
struct Middle {
    joint: String,
    others: Option<[String; 2]>,
    /// Its place among the unknowns.
    place: usize,
    offset: f64,
}

/// Watches the joints of a model that have three Cardan angles, and sequences of three joints without mass in between.
#[derive(Clone, Debug, Default)]
pub(super) struct Gimbals {
    middle: Vec<Middle>,
    closest: Vec<Option<GimbalLock>>,
    /// Where each was looked at last.
    last: Vec<Option<(f64, f64)>>,
    /// Steps may go beyond the end of the run; nobody sees that.
    t_end: f64,
}

impl Gimbals {
    pub fn new(model: &Model, t_end: f64) -> Self {
        let joints = model.joints.iter();
        let mut middle: Vec<_> = joints
            .filter_map(|joint| {
                let first = joint.kind.info().cardan_angles?;
                let nodes = joint.coordinates.get(first..first + 3)?;
                // A locked or prescribed angle leaves two that are never about the same axis, or rates that are known.
                let free = |&node: &usize| node != 0 && model.tree.nodes[node].n_v() == 1;
                nodes.iter().all(free).then(|| Middle {
                    joint: joint.name.clone(),
                    others: None,
                    place: model.tree.nodes[nodes[1]].q,
                    offset: 0.0,
                })
            })
            .collect();
        middle.extend(sequences(model));
        Self {
            closest: vec![None; middle.len()],
            last: vec![None; middle.len()],
            t_end,
            middle,
        }
    }

    /// How many of the leading unknowns are looked at.
    pub fn leading(&self) -> usize {
        self.middle.iter().map(|m| m.place + 1).max().unwrap_or(0)
    }

    /// Looks at positions.
    pub fn look(&mut self, t: f64, q: &[f64]) {
        if t > self.t_end {
            return;
        }
        let joints = self.middle.iter().zip(&mut self.closest).zip(&mut self.last);
        for ((middle, closest), last) in joints {
            let Some(&angle) = q.get(middle.place) else {
                continue;
            };
            let angle = angle + middle.offset;
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
            let before = closest
                .as_ref()
                .map_or(CLOSE, |c| (c.angle + c.offset).cos().abs());
            if cosine.abs() < before {
                *closest = Some(GimbalLock {
                    joint: middle.joint.clone(),
                    t: at.0,
                    angle: at.1 - middle.offset,
                    others: middle.others.clone(),
                    offset: middle.offset,
                });
            }
        }
    }

    /// Goes on from what was found before.
    pub fn go_on(&mut self, found: &[GimbalLock]) {
        for (middle, closest) in self.middle.iter().zip(&mut self.closest) {
            *closest = found.iter().find(|f| f.joint == middle.joint).cloned();
        }
        self.last.fill(None);
    }

    /// Joints that came close.
    pub fn found(&self) -> Vec<GimbalLock> {
        self.closest.iter().flatten().cloned().collect()
    }
}
