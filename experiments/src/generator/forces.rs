//! Force elements, drives and couplings on a mechanism.

use super::builder::Builder;
use crate::geometry::{V3, add, apply, norm, normalised, product, scale, sub, turned};
use crate::mechanism::{ConstraintLaw, Coordinate, Drive, Force, ForceLaw, JointKind, Signal, is_angle};

const GRAVITY: f64 = 9.81;

/// Some force elements, soft or stiff.
pub fn add_forces(b: &mut Builder) {
    let count = b
        .random
        .weighted(&[(0, 0.15), (1, 0.25), (2, 0.25), (3, 0.2), (4, 0.15)]);
    let stiffest = b.random.weighted(&[(0.5, 0.4), (1.2, 0.4), (2.3, 0.2)]);
    for _ in 0..count {
        let omega = b.random.decades(-0.5, stiffest) / b.tau;
        let zeta = if b.random.chance(0.5) {
            0.0
        } else {
            b.random.within(0.0, 0.4)
        };
        if let Some(law) = force(b, omega, zeta) {
            let name = format!("f{}", b.forces.len() + 1);
            b.forces.push(Force { name, law });
        }
    }
}

/// A sine of this size, slow enough for the mechanism.
fn signal(b: &mut Builder, size: f64) -> Signal {
    Signal {
        mean: 0.0,
        amplitude: size * b.random.within(-1.0, 1.0),
        frequency: b.random.within(0.5, 5.0) / b.tau,
        phase: 0.3,
    }
}

/// Frames of two bodies whose origins are apart.
fn apart(b: &mut Builder) -> Option<(usize, usize, f64)> {
    let (i, j) = b.pair();
    for _ in 0..50 {
        let (p, q) = (b.near(i), b.near(j));
        let length = norm(sub(q, p));
        if length > 0.3 * b.size {
            let (r, s) = (b.random.rotation(), b.random.rotation());
            return Some((b.marker(i, (p, r)), b.marker(j, (q, s)), length));
        }
    }
    None
}

/// Coordinates that force elements may act on.
fn free_coordinates(b: &Builder) -> Vec<Coordinate> {
    let joints = b.joints.iter().enumerate();
    joints
        .filter(|(_, j)| j.in_tree && j.kind != JointKind::FreeCardan)
        .flat_map(|(i, j)| (0..j.start.len()).map(move |k| (i, k)))
        .filter(|(i, k)| b.joints[*i].drives[*k] == Drive::None)
        .collect()
}

fn force(b: &mut Builder, omega: f64, zeta: f64) -> Option<ForceLaw> {
    let kind = b.random.weighted(&[
        ("spring-damper", 0.2),
        ("joint-spring", 0.16),
        ("torsion-spring", 0.1),
        ("bushing", 0.12),
        ("applied", 0.1),
        ("actuator", 0.06),
        ("servo", 0.06),
        ("joint-stop", 0.06),
        ("contact", 0.07),
        ("switch", 0.07),
    ]);
    match kind {
        "spring-damper" | "actuator" | "switch" => {
            let (from, to, length) = apart(b)?;
            let (m, i) = b.inertia_of([b.frames[from].body, b.frames[to].body]);
            let (stiffness, damping) = (m * omega * omega, 2.0 * zeta * m * omega);
            Some(match kind {
                "spring-damper" => ForceLaw::SpringDamper {
                    from,
                    to,
                    stiffness,
                    damping,
                    free_length: length * b.random.within(0.6, 1.4),
                    preload: if b.random.chance(0.2) {
                        m * GRAVITY * b.random.within(-1.0, 1.0)
                    } else {
                        0.0
                    },
                },
                "actuator" => ForceLaw::Actuator {
                    from,
                    to,
                    force: signal(b, m * GRAVITY),
                    torque: signal(b, i / b.tau.powi(2)),
                },
                _ => ForceLaw::Switch {
                    from,
                    to,
                    gap: b.random.within(-0.5, 0.5) * b.size,
                    stiffness,
                    damping_in: damping,
                    damping_out: 0.3 * damping,
                },
            })
        }
        "bushing" => {
            let (i, j) = b.pair();
            let (m, inertia) = b.inertia_of([i, j]);
            let p = b.near(i);
            let q = add(p, b.random.vector(0.1 * b.size));
            let r = b.random.rotation();
            let s = product(&r, &turned(b.random.vector(0.4)));
            let scale: [f64; 6] = std::array::from_fn(|k| if k < 3 { m } else { inertia });
            let share: [f64; 6] = std::array::from_fn(|_| b.random.within(0.2, 1.0));
            Some(ForceLaw::Bushing {
                from: b.marker(i, (p, r)),
                to: b.marker(j, (q, s)),
                stiffness: std::array::from_fn(|k| scale[k] * omega * omega * share[k]),
                damping: std::array::from_fn(|k| 2.0 * zeta * omega * scale[k] * share[k]),
            })
        }
        "applied" => {
            let body = b.random.below(b.bodies.len());
            let (m, i) = b.inertia_of([Some(body), None]);
            let place = (b.near(Some(body)), b.random.rotation());
            let constant = |b: &mut Builder, size: f64| Signal::constant(size * b.random.within(-1.0, 1.0));
            let torque = i / b.tau.powi(2);
            Some(ForceLaw::Applied {
                frame: b.marker(Some(body), place),
                force: [
                    constant(b, m * GRAVITY),
                    signal(b, m * GRAVITY),
                    constant(b, m * GRAVITY),
                ],
                torque: [constant(b, torque), constant(b, torque), signal(b, torque)],
                follower: b.random.chance(0.5),
            })
        }
        "joint-spring" | "servo" | "joint-stop" => {
            let options = free_coordinates(b);
            if options.is_empty() {
                return None;
            }
            let coordinate = *b.random.pick(&options);
            let joint = &b.joints[coordinate.0];
            let (m, i) = b.inertia_of([b.frames[joint.from].body, b.frames[joint.to].body]);
            let angle = is_angle(joint.kind.coordinates()[coordinate.1]);
            let inertia = match joint.kind {
                JointKind::Helical => i + m * joint.pitch.powi(2),
                _ if angle => i,
                _ => m,
            };
            let (start, unit) = (joint.start[coordinate.1], if angle { 1.0 } else { b.size });
            let (stiffness, damping) = (inertia * omega * omega, 2.0 * zeta * inertia * omega);
            Some(match kind {
                "joint-spring" => ForceLaw::JointSpring {
                    coordinate,
                    stiffness,
                    damping,
                    free_position: start + 0.5 * unit * b.random.within(-1.0, 1.0),
                    motor: if b.random.chance(0.3) {
                        signal(b, inertia * unit / b.tau.powi(2))
                    } else {
                        Signal::constant(0.0)
                    },
                },
                "servo" => ForceLaw::Servo {
                    coordinate,
                    target: Signal {
                        mean: start,
                        ..signal(b, 0.5 * unit)
                    },
                    stiffness,
                    damping,
                },
                _ => ForceLaw::JointStop {
                    coordinate,
                    lower: start - unit * b.random.within(0.05, 0.5),
                    upper: start + unit * b.random.within(0.05, 0.5),
                    stiffness: 10.0 * stiffness,
                    damping: 3.0 * damping,
                    onset: 0.1 * unit,
                },
            })
        }
        "torsion-spring" => {
            use JointKind::{Cylindrical, Helical, Revolute};
            let turning = |k: JointKind| matches!(k, Revolute | Cylindrical | Helical);
            let options: Vec<usize> = (0..b.joints.len())
                .filter(|j| turning(b.joints[*j].kind))
                .collect();
            if options.is_empty() {
                return None;
            }
            let joint = b.joints[*b.random.pick(&options)].clone();
            let (ends, places) = (b.ends(&joint), (b.placed(joint.from), b.placed(joint.to)));
            let (_, inertia) = b.inertia_of([ends.0, ends.1]);
            let axis = apply(&places.0.1, joint.unit_axis());
            let r = b.frame_with(axis);
            let twist = turned(scale(b.random.within(-0.8, 0.8), [0.0, 0.0, 1.0]));
            Some(ForceLaw::TorsionSpring {
                from: b.marker(ends.0, (places.0.0, r)),
                to: b.marker(ends.1, (places.1.0, product(&r, &twist))),
                stiffness: inertia * omega * omega,
                damping: 2.0 * zeta * omega * inertia,
                free_angle: b.random.within(-0.5, 0.5),
            })
        }
        _ => {
            let body = b.random.below(b.bodies.len());
            let m = b.bodies[body].mass;
            let centre = b.near(Some(body));
            let radius = b.size * b.random.within(0.05, 0.2);
            // A little above a plane that faces it from any side.
            let up: V3 = normalised(add(b.random.direction(), [0.0, 0.0, 0.5]));
            let on = sub(centre, scale(radius + b.size * b.random.within(0.0, 0.3), up));
            let (r, s) = (b.frame_with(up), b.random.rotation());
            Some(ForceLaw::SphereOnPlane {
                plane: b.marker(None, (on, r)),
                body: b.marker(Some(body), (centre, s)),
                radius,
                // About m ω² of the depth that belongs to the size.
                stiffness: m * omega * omega / (0.05 * b.size).sqrt(),
                dissipation: b.random.within(0.0, 0.5) * b.tau / b.size,
                friction: if b.random.chance(0.5) {
                    b.random.within(0.0, 0.6)
                } else {
                    0.0
                },
                slip_speed: 0.05 * b.size / b.tau,
            })
        }
    }
}

/// Prescribed coordinates, drivers and couplings.
pub fn add_drives(b: &mut Builder) {
    let mut options: Vec<Coordinate> = free_coordinates(b);
    options.retain(|(j, _)| b.joints[*j].kind.can_be_cut() && b.joints[*j].kind != JointKind::Helical);
    b.random.shuffle(&mut options);
    for (what, probability) in [
        ("locked", 0.35),
        ("follows", 0.4),
        ("driver", 0.35),
        ("coupling", 0.35),
    ] {
        if !b.random.chance(probability) {
            continue;
        }
        let Some((j, k)) = options.pop() else { return };
        let start = b.joints[j].start[k];
        let angle = is_angle(b.joints[j].kind.coordinates()[k]);
        let unit = if angle { 1.0 } else { b.size };
        let follows = Signal {
            mean: start,
            amplitude: unit * b.random.within(-0.6, 0.6),
            frequency: b.random.within(0.5, 4.0) / b.tau,
            phase: 0.0,
        };
        match what {
            "locked" => b.joints[j].drives[k] = Drive::Locked,
            "follows" => b.joints[j].drives[k] = Drive::Follows(follows),
            "driver" => b.constrain(ConstraintLaw::Driver {
                coordinate: (j, k),
                follows,
            }),
            _ => {
                let alike = |c: &Coordinate| is_angle(b.joints[c.0].kind.coordinates()[c.1]) == angle;
                let Some(other) = options.iter().position(alike) else {
                    continue;
                };
                let (i, l) = options.swap_remove(other);
                let factors = [0, 1].map(|_| b.random.within(0.3, 2.0) * b.random.sign());
                let offset = factors[0] * start + factors[1] * b.joints[i].start[l];
                b.constrain(ConstraintLaw::Coupling {
                    terms: vec![((j, k), factors[0]), ((i, l), factors[1])],
                    offset,
                });
            }
        }
    }
}
