//! Forces of all elements on the bodies.

use super::rows::coordinate;
use super::{At, Oracle, State};
use crate::geometry::{
    M3, V3, add, apply, apply_transposed, column, cross, dot, norm, product, rotation_vector, scale,
    solve_lower, solve_upper, sub, transposed,
};
use crate::mechanism::{ForceLaw, Signal};

/// Sums over all elements, about the centres of mass, in the axes of the ground; and the energy stored.
pub(super) struct Loads {
    forces: Vec<V3>,
    torques: Vec<V3>,
    pub energy: f64,
}

/// What one frame sees of another: the second origin and its velocity, the rotation and the angular velocity, all in the axes
/// of the first.
struct Seen {
    arms: [V3; 2],
    /// From the first origin to the second, ground.
    distance: V3,
    turns: [M3; 2],
    position: V3,
    rotation: M3,
    velocity: V3,
    angular: V3,
}

impl Loads {
    fn apply(&mut self, body: usize, arm: V3, force: V3, torque: V3) {
        self.forces[body] = add(self.forces[body], force);
        self.torques[body] = add(self.torques[body], add(cross(arm, force), torque));
    }

    /// A load on the second frame at its origin, and the opposite on the first body at the same point.
    fn pair(&mut self, a: At, b: At, seen: &Seen, force: V3, torque: V3) {
        self.apply(b.body, seen.arms[1], force, torque);
        let there = add(seen.arms[0], seen.distance);
        self.apply(a.body, there, scale(-1.0, force), scale(-1.0, torque));
    }
}

/// e + d where it pushes clearly; smoothly to zero where d takes more than half of e.
fn one_sided(elastic: f64, viscous: f64) -> f64 {
    if elastic <= 0.0 {
        return 0.0;
    }
    let x = viscous / elastic;
    if x >= -0.5 {
        elastic + viscous
    } else if x > -1.5 {
        elastic * (x + 1.5).powi(2) / 2.0
    } else {
        0.0
    }
}

fn values(signals: &[Signal; 3], t: f64) -> V3 {
    [signals[0].at(t)[0], signals[1].at(t)[0], signals[2].at(t)[0]]
}

impl Oracle {
    fn seen(&self, s: &State, a: At, b: At) -> Seen {
        let arms = [apply(&s.rot[a.body], a.arm), apply(&s.rot[b.body], b.arm)];
        let distance = sub(add(s.r[b.body], arms[1]), add(s.r[a.body], arms[0]));
        let turns = [product(&s.rot[a.body], &a.turn), product(&s.rot[b.body], &b.turn)];
        let (oi, oj) = (s.om[a.body], s.om[b.body]);
        let rate = sub(
            add(s.v[b.body], cross(oj, arms[1])),
            add(s.v[a.body], cross(oi, arms[0])),
        );
        Seen {
            arms,
            distance,
            position: apply_transposed(&turns[0], distance),
            rotation: product(&transposed(&turns[0]), &turns[1]),
            velocity: apply_transposed(&turns[0], sub(rate, cross(oi, distance))),
            angular: apply_transposed(&turns[0], sub(oj, oi)),
            turns,
        }
    }

    pub(super) fn loads(&self, s: &State) -> Loads {
        let n = self.bodies();
        let mut loads = Loads {
            forces: vec![[0.0; 3]; n + 1],
            torques: vec![[0.0; 3]; n + 1],
            energy: 0.0,
        };
        let gravity = self.mechanism.gravity;
        for (b, inertia) in self.inertias.iter().enumerate() {
            loads.forces[b] = scale(inertia.mass, gravity);
            loads.energy -= inertia.mass * dot(gravity, s.r[b]);
        }
        for force in &self.mechanism.forces {
            self.add_load(&force.law, s, &mut loads);
        }
        loads
    }

    fn add_load(&self, law: &ForceLaw, s: &State, loads: &mut Loads) {
        let on = |c| coordinate(&self.mechanism, c, &self.frames);
        let mut generalised = |c, law: &dyn Fn(f64, f64) -> (f64, f64)| {
            let x = on(c);
            let (force, energy) = law(x.value(self, s), x.rate(self, s));
            x.gradient(s, &mut |b, linear, angular| {
                loads.forces[b] = add(loads.forces[b], scale(force, linear));
                loads.torques[b] = add(loads.torques[b], scale(force, angular));
            });
            loads.energy += energy;
        };
        match law {
            ForceLaw::JointSpring {
                coordinate,
                stiffness,
                damping,
                free_position,
                motor,
            } => generalised(*coordinate, &|x, v| {
                let dx = x - free_position;
                let force = -stiffness * dx - damping * v + motor.at(s.t)[0];
                (force, 0.5 * stiffness * dx * dx)
            }),
            ForceLaw::Servo {
                coordinate,
                target,
                stiffness,
                damping,
            } => generalised(*coordinate, &|x, v| {
                let [r, rate, _] = target.at(s.t);
                (stiffness * (r - x) + damping * (rate - v), 0.0)
            }),
            ForceLaw::JointStop {
                coordinate,
                lower,
                upper,
                stiffness,
                damping,
                onset,
            } => generalised(*coordinate, &|x, v| {
                let one = |deflection: f64, rate: f64| {
                    let s = deflection / onset;
                    let (g, slope, integral) = if s <= 0.0 {
                        (0.0, 0.0, 0.0)
                    } else if s < 1.0 {
                        (
                            s.powi(3) - s.powi(4) / 2.0,
                            3.0 * s * s - 2.0 * s.powi(3),
                            s.powi(4) / 4.0 - s.powi(5) / 10.0,
                        )
                    } else {
                        (s - 0.5, 1.0, 0.15 + (s - 1.0) * s / 2.0)
                    };
                    let force = one_sided(stiffness * onset * g, damping * slope * rate);
                    (force, stiffness * onset * onset * integral)
                };
                let (low, e) = one(lower - x, -v);
                let (high, f) = one(x - upper, v);
                (low - high, e + f)
            }),
            ForceLaw::SpringDamper {
                from,
                to,
                stiffness,
                damping,
                free_length,
                preload,
            } => {
                let (a, b) = (self.frames[*from], self.frames[*to]);
                let seen = self.seen(s, a, b);
                let length = norm(seen.position);
                let n = scale(1.0 / length, seen.distance);
                let rate = dot(seen.position, seen.velocity) / length;
                let tension = stiffness * (length - free_length) + damping * rate + preload;
                loads.energy += 0.5 * stiffness * (length - free_length).powi(2) + preload * length;
                loads.pair(a, b, &seen, scale(-tension, n), [0.0; 3]);
            }
            ForceLaw::Actuator {
                from,
                to,
                force,
                torque,
            } => {
                let (a, b) = (self.frames[*from], self.frames[*to]);
                let seen = self.seen(s, a, b);
                let push = scale(force.at(s.t)[0] / norm(seen.distance), seen.distance);
                let torque = scale(torque.at(s.t)[0], column(&seen.turns[0], 2));
                loads.pair(a, b, &seen, push, torque);
            }
            ForceLaw::TorsionSpring {
                from,
                to,
                stiffness,
                damping,
                free_angle,
            } => {
                let (a, b) = (self.frames[*from], self.frames[*to]);
                let seen = self.seen(s, a, b);
                let x = &seen.rotation;
                let angle = (x[1][0] - x[0][1]).atan2(x[0][0] + x[1][1]) - free_angle;
                let torque = -stiffness * angle - damping * seen.angular[2];
                loads.energy += 0.5 * stiffness * angle * angle;
                loads.pair(a, b, &seen, [0.0; 3], scale(torque, column(&seen.turns[0], 2)));
            }
            ForceLaw::Bushing {
                from,
                to,
                stiffness,
                damping,
            } => {
                let (a, b) = (self.frames[*from], self.frames[*to]);
                let seen = self.seen(s, a, b);
                let theta = rotation_vector(&seen.rotation);
                let rate = inverse_slope(theta, seen.angular, -1.0);
                let load = |k: usize, x: f64, v: f64| -stiffness[k] * x - damping[k] * v;
                let force: V3 = std::array::from_fn(|k| load(k, seen.position[k], seen.velocity[k]));
                let moment: V3 = std::array::from_fn(|k| load(k + 3, theta[k], rate[k]));
                let energy = |k: usize, x: f64| 0.5 * stiffness[k] * x * x;
                loads.energy += (0..3)
                    .map(|k| energy(k, seen.position[k]) + energy(k + 3, theta[k]))
                    .sum::<f64>();
                let torque = inverse_slope(theta, moment, 1.0);
                let turn = seen.turns[0];
                loads.pair(a, b, &seen, apply(&turn, force), apply(&turn, torque));
            }
            ForceLaw::Applied {
                frame,
                force,
                torque,
                follower,
            } => {
                let b = self.frames[*frame];
                let (mut f, mut m) = (values(force, s.t), values(torque, s.t));
                if *follower {
                    let turn = product(&s.rot[b.body], &b.turn);
                    (f, m) = (apply(&turn, f), apply(&turn, m));
                }
                loads.apply(b.body, apply(&s.rot[b.body], b.arm), f, m);
            }
            ForceLaw::SphereOnPlane {
                plane,
                body,
                radius,
                stiffness,
                dissipation,
                friction,
                slip_speed,
            } => {
                let (a, b) = (self.frames[*plane], self.frames[*body]);
                let seen = self.seen(s, a, b);
                let depth = radius - seen.position[2];
                if depth <= 0.0 {
                    return;
                }
                // The lowest point of the sphere, from its centre, in the axes of the plane.
                let point = [0.0, 0.0, -radius];
                let v = add(seen.velocity, cross(seen.angular, point));
                let elastic = stiffness * depth.powf(1.5);
                let push = one_sided(elastic, -1.5 * dissipation * v[2] * elastic);
                let speed = (v[0] * v[0] + v[1] * v[1] + slip_speed * slip_speed).sqrt();
                let f = [
                    -friction * push * v[0] / speed,
                    -friction * push * v[1] / speed,
                    push,
                ];
                let turn = seen.turns[0];
                loads.energy += 0.4 * stiffness * depth.powf(2.5);
                loads.pair(a, b, &seen, apply(&turn, f), apply(&turn, cross(point, f)));
            }
            ForceLaw::Switch {
                from,
                to,
                gap,
                stiffness,
                damping_in,
                damping_out,
            } => {
                let (a, b) = (self.frames[*from], self.frames[*to]);
                let seen = self.seen(s, a, b);
                let depth = seen.position[2] - gap;
                if depth > 0.0 {
                    let v = seen.velocity[2];
                    let damping = if v > 0.0 { damping_in } else { damping_out };
                    let onset = 1.0 - (-20.0 * depth / self.size()).exp();
                    let f = -stiffness * depth - damping * v * onset;
                    loads.pair(a, b, &seen, scale(f, column(&seen.turns[0], 2)), [0.0; 3]);
                }
            }
        }
    }

    /// Accelerations (V̇, ẇ) without joints.
    pub(super) fn free_accelerations(&self, s: &State) -> Vec<f64> {
        let loads = self.loads(s);
        let mut a = Vec::with_capacity(6 * self.bodies());
        for (b, inertia) in self.inertias.iter().enumerate() {
            a.extend(scale(1.0 / inertia.mass, loads.forces[b]));
            let torque = apply_transposed(&s.rot[b], loads.torques[b]);
            let w = s.w[b];
            let rest = sub(torque, cross(w, apply(&inertia.tensor, w)));
            a.extend(solve_upper(&inertia.root, solve_lower(&inertia.root, rest)));
        }
        a
    }
}

/// (I ± [θ]/2 + c [θ]²) x, c = (1 − (φ/2) cot(φ/2))/φ²: J⁻¹ x with the lower sign, J⁻ᵀ x with the upper one.
fn inverse_slope(theta: V3, x: V3, sign: f64) -> V3 {
    let angle = norm(theta);
    let c = if angle < 1e-4 {
        1.0 / 12.0
    } else {
        (1.0 - (angle / 2.0) / (angle / 2.0).tan()) / (angle * angle)
    };
    let once = cross(theta, x);
    add(x, add(scale(sign / 2.0, once), scale(c, cross(theta, once))))
}
