//! Equations of joints and constraints: value, gradient, and what the second derivative has besides.

use super::{At, Oracle, State};
use crate::geometry::{UNIT, V3, add, apply, cross, dot, perpendicular, scale, sub, wrapped};
use crate::mechanism::{ConstraintLaw, Drive, Joint, JointKind, Mechanism, Signal};

/// One equation.
#[derive(Clone, Debug)]
pub(super) struct Row {
    name: String,
    law: Law,
}

#[derive(Clone, Debug)]
enum Law {
    /// Displacement of the second frame along a direction of the first one's body.
    Along(Line),
    /// The same minus the pitch times the angle.
    Screw { line: Line, angle: Scalar, pitch: f64 },
    /// Directions on two bodies at right angles.
    Normal { i: usize, j: usize, u: V3, w: V3 },
    /// Distance of two points: (d² − ℓ²)/(2ℓ).
    Distance { a: At, b: At, length: f64 },
    /// Coordinates with factors equal a function of time.
    Linear {
        terms: Vec<(f64, Scalar)>,
        signal: Signal,
        length: bool,
    },
}

/// Two points and a direction on the first one's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    a: At,
    b: At,
    n: V3,
}

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar {
    /// A displacement.
    Along(Line),
    /// An angle about `axis`, which is fixed on body i (or j, where `on_second`), from u to `moving`, of the one body
    /// seen from the other.
    About {
        i: usize,
        j: usize,
        axis: V3,
        on_second: bool,
        u: V3,
        v: V3,
        moving: V3,
        key: (usize, usize),
    },
}

impl Scalar {
    /// The coordinate of a joint, whole turns not counted.
    pub fn of(joint: &Joint, k: usize, frames: &[At]) -> Self {
        Self::of_joint(joint, usize::MAX, k, frames)
    }

    fn of_joint(joint: &Joint, index: usize, k: usize, frames: &[At]) -> Self {
        let (a, b) = (frames[joint.from], frames[joint.to]);
        let (i, j, key) = (a.body, b.body, (index, k));
        let name = joint.kind.coordinates()[k];
        let axis = joint.unit_axis();
        match (joint.kind, name) {
            (JointKind::Universal, "angle_x") => Self::About {
                i,
                j,
                axis: apply(&a.turn, UNIT[0]),
                on_second: false,
                u: apply(&a.turn, UNIT[1]),
                v: apply(&a.turn, UNIT[2]),
                moving: apply(&b.turn, UNIT[1]),
                key,
            },
            // x of the first frame seen from the second one is (cos, 0, sin) of the angle.
            (JointKind::Universal, _) => Self::About {
                i,
                j,
                axis: apply(&b.turn, UNIT[1]),
                on_second: true,
                u: apply(&b.turn, UNIT[0]),
                v: apply(&b.turn, UNIT[2]),
                moving: apply(&a.turn, UNIT[0]),
                key,
            },
            (_, "angle") => {
                let axis = if joint.kind == JointKind::Planar {
                    UNIT[2]
                } else {
                    axis
                };
                let (u, v) = perpendicular(axis);
                Self::About {
                    i,
                    j,
                    axis: apply(&a.turn, axis),
                    on_second: false,
                    u: apply(&a.turn, u),
                    v: apply(&a.turn, v),
                    moving: apply(&b.turn, u),
                    key,
                }
            }
            (_, name) => {
                let n = match name {
                    "x" => UNIT[0],
                    "y" => UNIT[1],
                    "z" => UNIT[2],
                    _ => axis,
                };
                Self::Along(Line {
                    a,
                    b,
                    n: apply(&a.turn, n),
                })
            }
        }
    }

    pub fn value(&self, o: &Oracle, s: &State) -> f64 {
        match self {
            Self::Along(line) => line.value(s),
            Self::About {
                i,
                j,
                on_second,
                u,
                v,
                moving,
                key,
                ..
            } => {
                let (base, other) = if *on_second { (j, i) } else { (i, j) };
                let x = apply(&s.rot[*other], *moving);
                let (u, v) = (apply(&s.rot[*base], *u), apply(&s.rot[*base], *v));
                let raw = dot(x, v).atan2(dot(x, u));
                match o.angles.get(key.0) {
                    Some(before) => before[key.1] + wrapped(raw - before[key.1]),
                    None => raw,
                }
            }
        }
    }

    pub fn gradient(&self, s: &State, visit: &mut dyn FnMut(usize, V3, V3)) {
        match self {
            Self::Along(line) => line.gradient(s, visit),
            Self::About { i, j, .. } => {
                let axis = self.axis(s);
                visit(*i, [0.0; 3], scale(-1.0, axis));
                visit(*j, [0.0; 3], axis);
            }
        }
    }

    fn axis(&self, s: &State) -> V3 {
        match self {
            Self::About {
                i,
                j,
                axis,
                on_second,
                ..
            } => apply(&s.rot[if *on_second { *j } else { *i }], *axis),
            Self::Along(_) => [0.0; 3],
        }
    }

    pub fn rate(&self, _o: &Oracle, s: &State) -> f64 {
        let mut sum = 0.0;
        self.gradient(s, &mut |b, linear, angular| {
            sum += dot(linear, s.v[b]) + dot(angular, s.om[b]);
        });
        sum
    }

    /// The second derivative without accelerations.
    fn rest(&self, s: &State) -> f64 {
        match self {
            Self::Along(line) => line.rest(s),
            Self::About { i, j, on_second, .. } => {
                let base = if *on_second { *j } else { *i };
                dot(cross(s.om[base], self.axis(s)), sub(s.om[*j], s.om[*i]))
            }
        }
    }
}

impl Line {
    /// Arms, direction, distance.
    fn placed(&self, s: &State) -> [V3; 4] {
        let a = apply(&s.rot[self.a.body], self.a.arm);
        let b = apply(&s.rot[self.b.body], self.b.arm);
        let n = apply(&s.rot[self.a.body], self.n);
        let d = sub(add(s.r[self.b.body], b), add(s.r[self.a.body], a));
        [a, b, n, d]
    }

    fn value(&self, s: &State) -> f64 {
        let [_, _, n, d] = self.placed(s);
        dot(n, d)
    }

    fn gradient(&self, s: &State, visit: &mut dyn FnMut(usize, V3, V3)) {
        let [a, b, n, d] = self.placed(s);
        visit(self.a.body, scale(-1.0, n), scale(-1.0, cross(add(a, d), n)));
        visit(self.b.body, n, cross(b, n));
    }

    fn rest(&self, s: &State) -> f64 {
        let [a, b, n, d] = self.placed(s);
        let (oi, oj) = (s.om[self.a.body], s.om[self.b.body]);
        let rate = sub(
            add(s.v[self.b.body], cross(oj, b)),
            add(s.v[self.a.body], cross(oi, a)),
        );
        let inward = sub(cross(oj, cross(oj, b)), cross(oi, cross(oi, a)));
        let turning = cross(oi, n);
        dot(n, inward) + 2.0 * dot(turning, rate) + dot(cross(oi, turning), d)
    }
}

impl Row {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a length; an angle or a number otherwise.
    pub fn is_length(&self) -> bool {
        match &self.law {
            Law::Normal { .. } => false,
            Law::Linear { length, .. } => *length,
            _ => true,
        }
    }

    pub fn value(&self, o: &Oracle, s: &State) -> f64 {
        match &self.law {
            Law::Along(line) => line.value(s),
            Law::Screw { line, angle, pitch } => {
                // Whole turns as the displacement tells.
                let turned = angle.value(o, s);
                pitch * wrapped(line.value(s) / pitch - turned)
            }
            Law::Normal { i, j, u, w } => dot(apply(&s.rot[*i], *u), apply(&s.rot[*j], *w)),
            Law::Distance { a, b, length } => {
                let line = Line {
                    a: *a,
                    b: *b,
                    n: UNIT[0],
                };
                let [_, _, _, d] = line.placed(s);
                (dot(d, d) - length * length) / (2.0 * length)
            }
            Law::Linear { terms, signal, .. } => {
                let sum: f64 = terms.iter().map(|(f, x)| f * x.value(o, s)).sum();
                sum - signal.at(s.t)[0]
            }
        }
    }

    pub fn gradient(&self, _o: &Oracle, s: &State, visit: &mut dyn FnMut(usize, V3, V3)) {
        match &self.law {
            Law::Along(line) => line.gradient(s, visit),
            Law::Screw { line, angle, pitch } => {
                line.gradient(s, visit);
                angle.gradient(s, &mut |b, linear, angular| {
                    visit(b, linear, scale(-pitch, angular))
                });
            }
            Law::Normal { i, j, u, w } => {
                let x = cross(apply(&s.rot[*i], *u), apply(&s.rot[*j], *w));
                visit(*i, [0.0; 3], x);
                visit(*j, [0.0; 3], scale(-1.0, x));
            }
            Law::Distance { a, b, length } => {
                let line = Line {
                    a: *a,
                    b: *b,
                    n: UNIT[0],
                };
                let [arm, other, _, d] = line.placed(s);
                let n = scale(1.0 / length, d);
                visit(a.body, scale(-1.0, n), scale(-1.0, cross(arm, n)));
                visit(b.body, n, cross(other, n));
            }
            Law::Linear { terms, .. } => {
                for (f, x) in terms {
                    x.gradient(s, &mut |b, linear, angular| {
                        visit(b, scale(*f, linear), scale(*f, angular))
                    });
                }
            }
        }
    }

    /// G v + φ_t.
    pub fn rate(&self, o: &Oracle, s: &State) -> f64 {
        let mut sum = match &self.law {
            Law::Linear { signal, .. } => -signal.at(s.t)[1],
            _ => 0.0,
        };
        self.gradient(o, s, &mut |b, linear, angular| {
            sum += dot(linear, s.v[b]) + dot(angular, s.om[b]);
        });
        sum
    }

    /// γ: what the second derivative has besides G a.
    pub fn rest(&self, _o: &Oracle, s: &State) -> f64 {
        match &self.law {
            Law::Along(line) => line.rest(s),
            Law::Screw { line, angle, pitch } => line.rest(s) - pitch * angle.rest(s),
            Law::Normal { i, j, u, w } => {
                let (u, w) = (apply(&s.rot[*i], *u), apply(&s.rot[*j], *w));
                let (oi, oj) = (s.om[*i], s.om[*j]);
                let (ou, ow) = (cross(oi, u), cross(oj, w));
                dot(cross(oi, ou), w) + 2.0 * dot(ou, ow) + dot(u, cross(oj, ow))
            }
            Law::Distance { a, b, length } => {
                let line = Line {
                    a: *a,
                    b: *b,
                    n: UNIT[0],
                };
                let [arm, other, _, d] = line.placed(s);
                let (oi, oj) = (s.om[a.body], s.om[b.body]);
                let rate = sub(
                    add(s.v[b.body], cross(oj, other)),
                    add(s.v[a.body], cross(oi, arm)),
                );
                let inward = sub(cross(oj, cross(oj, other)), cross(oi, cross(oi, arm)));
                (dot(rate, rate) + dot(d, inward)) / length
            }
            Law::Linear { terms, signal, .. } => {
                let sum: f64 = terms.iter().map(|(f, x)| f * x.rest(s)).sum();
                sum - signal.at(s.t)[2]
            }
        }
    }
}

/// The scalar coordinate that force elements act on.
pub(super) fn coordinate(m: &Mechanism, (joint, k): (usize, usize), frames: &[At]) -> Scalar {
    Scalar::of_joint(&m.joints[joint], joint, k, frames)
}

/// All equations of a mechanism.
pub(super) fn all(m: &Mechanism, frames: &[At]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (index, joint) in m.joints.iter().enumerate() {
        let (a, b) = (frames[joint.from], frames[joint.to]);
        let axis = joint.unit_axis();
        let (u, v) = perpendicular(axis);
        let mut push = |law| {
            rows.push(Row {
                name: joint.name.clone(),
                law,
            });
        };
        let along = |n: V3| Line {
            a,
            b,
            n: apply(&a.turn, n),
        };
        let normal = |p: V3, q: V3| Law::Normal {
            i: a.body,
            j: b.body,
            u: apply(&a.turn, p),
            w: apply(&b.turn, q),
        };
        use JointKind::*;
        match joint.kind {
            Fixed | Revolute | Universal | Spherical => {
                UNIT.map(along).into_iter().for_each(|l| push(Law::Along(l)))
            }
            Prismatic | Cylindrical | Helical => {
                [u, v].map(along).into_iter().for_each(|l| push(Law::Along(l)))
            }
            Planar => push(Law::Along(along(UNIT[2]))),
            Free | FreeCardan => {}
        }
        match joint.kind {
            Fixed | Prismatic => (0..3).for_each(|k| push(normal(UNIT[k], UNIT[(k + 1) % 3]))),
            Revolute | Cylindrical | Helical => [u, v].into_iter().for_each(|p| push(normal(p, axis))),
            Universal => push(normal(UNIT[0], UNIT[1])),
            Planar => [0, 1].into_iter().for_each(|k| push(normal(UNIT[k], UNIT[2]))),
            Spherical | Free | FreeCardan => {}
        }
        if joint.kind == Helical {
            push(Law::Screw {
                line: along(axis),
                angle: Scalar::of(joint, 0, frames),
                pitch: joint.pitch,
            });
        }
        for (k, drive) in joint.drives.iter().enumerate() {
            let signal = match drive {
                Drive::None => continue,
                Drive::Locked => Signal::constant(joint.start[k]),
                Drive::Follows(signal) => signal.clone(),
            };
            push(linear(m, &[((index, k), 1.0)], signal, frames));
        }
    }
    for constraint in &m.constraints {
        let mut push = |law| {
            rows.push(Row {
                name: constraint.name.clone(),
                law,
            });
        };
        match &constraint.law {
            ConstraintLaw::Point { from, to } => {
                let (a, b) = (frames[*from], frames[*to]);
                for n in UNIT {
                    let n = apply(&a.turn, n);
                    push(Law::Along(Line { a, b, n }));
                }
            }
            ConstraintLaw::Distance { from, to, length } => push(Law::Distance {
                a: frames[*from],
                b: frames[*to],
                length: *length,
            }),
            ConstraintLaw::Driver { coordinate, follows } => {
                push(linear(m, &[(*coordinate, 1.0)], follows.clone(), frames));
            }
            ConstraintLaw::Coupling { terms, offset } => {
                push(linear(m, terms, Signal::constant(*offset), frames));
            }
        }
    }
    rows
}

fn linear(m: &Mechanism, terms: &[((usize, usize), f64)], signal: Signal, frames: &[At]) -> Law {
    let terms: Vec<(f64, Scalar)> = terms
        .iter()
        .map(|(c, f)| (*f, coordinate(m, *c, frames)))
        .collect();
    Law::Linear {
        length: terms.iter().any(|(_, x)| matches!(x, Scalar::Along(_))),
        terms,
        signal,
    }
}
