//! Initial values that are no coordinates of the tree: those of cut joints, and hints.

use super::attach::{Attach, paths};
use super::lower::displaced;
use crate::description::{Hold, Joint};
use crate::elements::constraints::{ConstraintElement, Pair, PairRow, StartRow};
use crate::elements::joints::Primitive;
use crate::model::{CutStart, ModelConstraint};
use crate::tree::Attachment;
use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};

impl Attach<'_, '_> {
    /// Rows that are zero where the coordinates of a cut joint have their initial values: at the value x of a
    /// coordinate, the joint between frames that are displaced by x is at zero.
    pub(super) fn cut_start(&mut self, joint: &Joint, from: Attachment, to: Attachment) {
        let info = joint.kind.info();
        for (index, coordinate) in joint.coordinates.iter().take(info.coordinates.len()).enumerate() {
            let Some(motion) = joint.kind.motion(index) else {
                continue;
            };
            let name = match info.freedoms() {
                1 => joint.name.clone(),
                _ => format!("{}.{}", joint.name, info.coordinates[index].name),
            };
            let (row, factor) = match motion {
                Primitive::Turn(axis) => (PairRow::Start(StartRow::Turned { axis }), 1.0),
                Primitive::Slide(axis) => (PairRow::Along { axis }, 1.0),
                Primitive::Screw { pitch } => (PairRow::Along { axis: 2 }, pitch),
                Primitive::Ball => continue,
            };
            // The displacement of a screw counts the turns.
            let shift = match motion {
                Primitive::Screw { pitch } => displaced(Primitive::Slide(2), pitch * coordinate.position),
                // R = Rx(α) Ry(β): the second turn is next to the second frame.
                Primitive::Turn(1) => displaced(motion, -coordinate.position),
                motion => displaced(motion, coordinate.position),
            };
            let (mut first, mut second) = (from, to);
            match motion {
                Primitive::Turn(1) => second.frame = second.frame.then(&shift),
                _ => first.frame = first.frame.then(&shift),
            }
            if coordinate.position_hold != Hold::Free {
                let start = self.rows_of(&name, [first, second], vec![row], coordinate.position_hold);
                self.cuts.push(CutStart {
                    values: vec![coordinate.position],
                    factor,
                    ..start
                });
            }
            if coordinate.velocity_hold != Hold::Free {
                let start = self.rows_of(&name, [from, to], vec![row], coordinate.velocity_hold);
                self.cuts.push(CutStart {
                    values: vec![factor * coordinate.velocity],
                    factor,
                    rate: true,
                    ..start
                });
            }
        }
        if !info.has_orientation {
            return;
        }
        let rows = |row: fn(usize) -> StartRow| (0..3).map(|axis| PairRow::Start(row(axis))).collect();
        if joint.orientation_hold != Hold::Free {
            let mut first = from;
            let turn = Mat3(Quaternion(joint.orientation).normalised().rotation_matrix());
            first.frame = first.frame.then(&Pose::new(turn, Vec3::zero()));
            let twist = rows(|axis| StartRow::Twist { axis });
            let name = format!("{}.orientation", joint.name);
            let start = self.rows_of(&name, [first, to], twist, joint.orientation_hold);
            self.cuts.push(start);
        }
        if joint.angular_velocity_hold != Hold::Free {
            let spin = rows(|axis| StartRow::Spin { axis });
            let name = format!("{}.angular_velocity", joint.name);
            let start = self.rows_of(&name, [from, to], spin, joint.angular_velocity_hold);
            self.cuts.push(CutStart {
                values: joint.angular_velocity.to_vec(),
                rate: true,
                ..start
            });
        }
    }

    /// Rows that are zero where a hint is met.
    pub(super) fn all_hints(&mut self) {
        for hint in &self.description.hints {
            let (Some(from), Some(to)) = (self.frame(&hint.from), self.frame(&hint.to)) else {
                continue;
            };
            let displaced = |frame| Attachment {
                frame: from.frame.then(&frame),
                ..from
            };
            let along: Vec<PairRow> = (0..3).map(|axis| PairRow::Along { axis }).collect();
            let twist: Vec<PairRow> = (0..3)
                .map(|axis| PairRow::Start(StartRow::Twist { axis }))
                .collect();
            if let Some(position) = hint.position {
                let there = displaced(Pose::new(Mat3::identity(), Vec3(position)));
                let start = self.rows_of(&hint.to, [there, to], along.clone(), Hold::Free);
                self.hints.push(start);
            }
            if let Some(orientation) = hint.orientation {
                let there = displaced(Pose::new(orientation, Vec3::zero()));
                let start = self.rows_of(&hint.to, [there, to], twist.clone(), Hold::Free);
                self.hints.push(start);
            }
            for (rate, rows) in [(hint.velocity, along), (hint.angular_velocity, twist)] {
                if let Some(rate) = rate {
                    let start = self.rows_of(&hint.to, [from, to], rows, Hold::Free);
                    self.hints.push(CutStart {
                        values: rate.to_vec(),
                        rate: true,
                        ..start
                    });
                }
            }
        }
    }

    /// A position that is as stated where the rows between two frames are zero.
    fn rows_of(&self, name: &str, [from, to]: [Attachment; 2], rows: Vec<PairRow>, hold: Hold) -> CutStart {
        let (from_path, to_path) = paths(&self.lowered.tree, from.node, to.node);
        CutStart {
            constraint: ModelConstraint {
                name: name.to_string(),
                rows: 0..rows.len(),
                element: ConstraintElement::Pair(Pair {
                    from,
                    to,
                    rows,
                    length: None,
                }),
                to_path,
                from_path,
            },
            rate: false,
            values: Vec::new(),
            factor: 1.0,
            hold,
        }
    }
}
