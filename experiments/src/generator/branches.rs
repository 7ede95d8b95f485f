//! Linkages whose motion leads through positions where they could go on in another way: bars in line, platforms flat on
//! their base. Which way is right is known in closed form.

use super::builder::Builder;
use super::families::{along, ring};
use super::{Family, Rejected, finished, judge, set_velocities};
use crate::geometry::{
    V3, about, add, apply, column, cross, dot, norm, normalised, of_columns, product, scale, sub,
};
use crate::mechanism::{JointKind, Mechanism};
use crate::oracle::{Oracle, State};
use crate::random::Random;
use std::f64::consts::TAU;

/// Kinds of linkages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Linkage {
    /// Opposite bars alike, and parallel.
    Parallelogram,
    /// Opposite bars alike, and crossed.
    Antiparallelogram,
    /// Two bars alike, and the two others.
    Kite,
    /// A slider-crank with crank and connecting rod alike.
    SliderCrank,
    /// Parallel cranks with a rod on ball joints, which can turn about itself.
    BallRod,
    /// Sarrus' linkage with two legs alike.
    Sarrus,
    /// Opposite arcs alike, one half the other turned by half a turn.
    SphericalParallelogram,
    /// Opposite arcs alike, one half the other mirrored.
    SphericalAntiparallelogram,
    /// Two arcs alike, and the two others.
    SphericalKite,
}

impl Linkage {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Parallelogram,
        Self::Antiparallelogram,
        Self::Kite,
        Self::SliderCrank,
        Self::BallRod,
        Self::Sarrus,
        Self::SphericalParallelogram,
        Self::SphericalAntiparallelogram,
        Self::SphericalKite,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parallelogram => "parallelogram",
            Self::Antiparallelogram => "antiparallelogram",
            Self::Kite => "kite",
            Self::SliderCrank => "slider-crank",
            Self::BallRod => "ball-rod",
            Self::Sarrus => "sarrus",
            Self::SphericalParallelogram => "spherical parallelogram",
            Self::SphericalAntiparallelogram => "spherical antiparallelogram",
            Self::SphericalKite => "spherical kite",
        }
    }
}

/// A linkage in motion.
#[derive(Clone, Debug)]
pub struct Branched {
    /// Its kind.
    pub linkage: Linkage,
    /// By how much of its length one bar is off: nothing where branches cross.
    pub off: f64,
    /// The mechanism.
    pub mechanism: Mechanism,
}

/// Draws before a seed is given up.
const DRAWS: u64 = 400;

/// The linkage of a seed, with one bar off by a part of its length; `None` when no draw is good.
pub fn branched(seed: u64, linkage: Linkage, off: f64) -> Option<Branched> {
    (0..DRAWS).find_map(|k| {
        let mechanism = draw(seed, k, linkage, off).ok()?;
        Some(Branched {
            linkage,
            off,
            mechanism,
        })
    })
}

fn draw(seed: u64, k: u64, linkage: Linkage, off: f64) -> Result<Mechanism, Rejected> {
    let mut random = Random::of(seed, k + ((100 + linkage as u64) << 32));
    let size = random.decades(-3.0, 3.0);
    let mut b = Builder::new(random, size);
    use Linkage::*;
    match linkage {
        Parallelogram | Antiparallelogram | Kite | BallRod => four_bar(&mut b, linkage, off)?,
        SliderCrank => slider_crank(&mut b, off),
        Sarrus => sarrus(&mut b, off)?,
        SphericalParallelogram | SphericalAntiparallelogram | SphericalKite => {
            spherical(&mut b, linkage, off)?;
        }
    }
    let gravity = if b.random.chance(0.4) {
        scale(9.81, b.random.direction())
    } else {
        [0.0; 3]
    };
    let (mut m, mut random) = finished(b, (seed, Family::Planar), gravity, 1.0);
    judge(&mut m, &mut random)?;
    set_velocities(&mut m, &mut random, 1.0)?;
    // Fast enough to come round: the first joint turns at a few times what gravity makes of it.
    let rate = (m.joints.iter())
        .flat_map(|j| j.rates.iter().take(usize::from(j.kind == JointKind::Revolute)))
        .fold(0.0_f64, |most, rate| most.max(rate.abs()));
    if rate == 0.0 {
        return Err(Rejected::NoFreedom);
    }
    let wanted = random.within(3.0, 8.0) / m.tau;
    let factor = wanted / rate;
    for body in &mut m.bodies {
        (body.velocity, body.omega) = (scale(factor, body.velocity), scale(factor, body.omega));
    }
    for joint in &mut m.joints {
        joint.rates.iter_mut().for_each(|rate| *rate *= factor);
        joint.angular_velocity = scale(factor, joint.angular_velocity);
    }
    m.t_end = super::rounded(TAU * random.within(0.7, 2.5) / wanted);
    Ok(m)
}

/// Where circles of radii r and s about p and q meet in a plane with this normal; the side tells on which of both sides.
fn meet(p: V3, r: f64, q: V3, s: f64, normal: V3, side: f64) -> Option<V3> {
    let d = sub(q, p);
    let length = norm(d);
    let along = (length * length + r * r - s * s) / (2.0 * length);
    let height = (r * r - along * along).sqrt();
    let across = normalised(cross(normal, d));
    let point = add(add(p, scale(along / length, d)), scale(side * height, across));
    height.is_finite().then_some(point)
}

/// Four bars in a plane somewhere in space: A and D on the ground, B and C on the cranks.
fn four_bar(b: &mut Builder, linkage: Linkage, off: f64) -> Result<(), Rejected> {
    let frame = b.random.rotation();
    let normal = column(&frame, 2);
    let (crank, long) = (
        b.size * b.random.within(0.2, 0.6),
        b.size * b.random.within(0.65, 1.0),
    );
    // Bars AB, BC, CD and DA.
    let bars = match linkage {
        Linkage::Kite => [crank, long, long * (1.0 + off), crank],
        _ if b.random.chance(0.5) => [crank, long, crank * (1.0 + off), long],
        _ => [long, crank, long * (1.0 + off), crank],
    };
    let a = b.point();
    let d = add(a, scale(bars[3], column(&frame, 0)));
    let (s, c) = (b.random.within(0.4, 2.7) * b.random.sign()).sin_cos();
    let pin = add(a, scale(bars[0], apply(&frame, [c, s, 0.0])));
    let found = |side| meet(pin, bars[1], d, bars[2], normal, side).ok_or(Rejected::DoesNotClose);
    let (one, other) = (found(1.0)?, found(-1.0)?);
    // Parallel where the coupler does not turn.
    let turned = |c: V3| norm(sub(sub(c, pin), sub(d, a)));
    let (parallel, crossed) = if turned(one) < turned(other) {
        (one, other)
    } else {
        (other, one)
    };
    let end = match linkage {
        Linkage::Antiparallelogram => crossed,
        Linkage::Kite if b.random.chance(0.5) => crossed,
        _ => parallel,
    };
    if linkage == Linkage::BallRod {
        let first = along(b, JointKind::Revolute, None, None, a, normal);
        let turn = b.random.rotation();
        let rod = b.connect(JointKind::Spherical, Some(first), None, (pin, turn), None, None);
        let last = along(b, JointKind::Revolute, None, None, d, normal);
        let turn = b.random.rotation();
        b.connect(
            JointKind::Spherical,
            Some(last),
            Some(rod),
            (end, turn),
            None,
            None,
        );
        // A, B, D and C here: `points` puts them in order.
    } else {
        ring(b, &[a, pin, end, d].map(|p| (p, normal)));
    }
    Ok(())
}

/// Crank and connecting rod alike: the slider passes the crank's axis.
fn slider_crank(b: &mut Builder, off: f64) {
    let frame = b.random.rotation();
    let normal = column(&frame, 2);
    let crank = b.size * b.random.within(0.3, 0.8);
    let rod = crank * (1.0 + off);
    let a = b.point();
    let (s, c) = (b.random.within(0.3, 1.2) * b.random.sign()).sin_cos();
    let pin = add(a, scale(crank, apply(&frame, [c, s, 0.0])));
    let reach = crank * c + (rod * rod - (crank * s).powi(2)).sqrt();
    let end = add(a, scale(reach, column(&frame, 0)));
    let first = along(b, JointKind::Revolute, None, None, a, normal);
    let second = along(b, JointKind::Revolute, Some(first), None, pin, normal);
    let slider = along(b, JointKind::Revolute, Some(second), None, end, normal);
    along(
        b,
        JointKind::Prismatic,
        None,
        Some(slider),
        end,
        column(&frame, 0),
    );
}

/// Two legs alike: they are stretched or flat at once.
fn sarrus(b: &mut Builder, off: f64) -> Result<(), Rejected> {
    let frame = b.random.rotation();
    let up = column(&frame, 2);
    let lower = b.size * b.random.within(0.3, 0.8);
    let (upper, aside) = if b.random.chance(0.5) {
        (lower, 0.0)
    } else {
        (
            b.size * b.random.within(0.3, 0.8),
            b.size * b.random.within(-0.4, 0.4),
        )
    };
    let height = lower * b.random.within(0.3, 0.8);
    let inward = b.random.sign();
    let turn = b.random.within(0.5, 2.6);
    let base = b.point();
    let mut platform = None;
    for leg in 0..2 {
        let upper = if leg == 1 { upper * (1.0 + off) } else { upper };
        let out = apply(
            &product(&frame, &about([0.0, 0.0, 1.0], turn * leg as f64)),
            [1.0, 0.0, 0.0],
        );
        let axis = cross(up, out);
        let foot = add(base, scale(b.size * b.random.within(0.2, 0.6), out));
        let end = add(foot, add(scale(aside, out), scale(height, up)));
        let knee = meet(foot, lower, end, upper, axis, inward).ok_or(Rejected::DoesNotClose)?;
        let low = along(b, JointKind::Revolute, None, None, foot, axis);
        let high = along(b, JointKind::Revolute, Some(low), None, knee, axis);
        let last = along(b, JointKind::Revolute, Some(high), platform, end, axis);
        platform = platform.or(Some(last));
    }
    Ok(())
}

/// Four axes through a point, with arcs in the place of bars.
fn spherical(b: &mut Builder, linkage: Linkage, off: f64) -> Result<(), Rejected> {
    let frame = b.random.rotation();
    let centre = b.point();
    let (crank, long) = (b.random.within(0.25, 0.6), b.random.within(0.7, 1.2));
    let arcs = match linkage {
        Linkage::SphericalKite => [crank, long, long * (1.0 + off), crank],
        _ if b.random.chance(0.5) => [crank, long, crank * (1.0 + off), long],
        _ => [long, crank, long * (1.0 + off), crank],
    };
    let place = |arc: f64, about_first: f64| {
        let turn = product(&frame, &about([0.0, 0.0, 1.0], about_first));
        apply(&turn, [arc.sin(), 0.0, arc.cos()])
    };
    let angle = b.random.within(0.4, 2.7) * b.random.sign();
    let (first, pin, last) = (column(&frame, 2), place(arcs[0], angle), place(arcs[3], 0.0));
    // c with c·pin and c·last given.
    let (x, y, along) = (arcs[1].cos(), arcs[2].cos(), dot(pin, last));
    let normal = cross(pin, last);
    let square = dot(normal, normal);
    let (u, v) = ((x - along * y) / square, (y - along * x) / square);
    let flat = add(scale(u, pin), scale(v, last));
    let height = (1.0 - dot(flat, flat)).max(-1.0) / square;
    if height.is_nan() || height <= 0.0 {
        return Err(Rejected::DoesNotClose);
    }
    let both = [1.0, -1.0].map(|side| add(flat, scale(side * height.sqrt(), normal)));
    let mirrored = |c: V3| norm(cross(sub(first, c), sub(pin, last)));
    let halves = |c: V3| norm(cross(add(first, c), add(pin, last)));
    let end = match linkage {
        Linkage::SphericalParallelogram if halves(both[0]) < halves(both[1]) => both[0],
        Linkage::SphericalParallelogram => both[1],
        Linkage::SphericalAntiparallelogram if mirrored(both[0]) < mirrored(both[1]) => both[0],
        Linkage::SphericalAntiparallelogram => both[1],
        _ => *b.random.pick(&both),
    };
    ring(b, &[first, pin, end, last].map(|d| (centre, d)));
    Ok(())
}

/// Positions that are this close to a singular one, in sizes or radians, belong to all branches.
const BETWEEN: f64 = 0.1;

impl Branched {
    /// How far a state is from the branch on which the linkage began, in sizes or radians; nothing where branches are so
    /// close that they cannot be told apart.
    pub fn strays(&self, oracle: &Oracle, state: &State) -> f64 {
        let m = &self.mechanism;
        let of = |joint: usize| oracle.place(state, m.joints[joint].from);
        let axis_of = |joint: usize| {
            let axis = m.joints[joint].axis.unwrap_or([0.0, 0.0, 1.0]);
            normalised(apply(&of(joint).1, axis))
        };
        let size = m.size;
        use Linkage::*;
        match self.linkage {
            Parallelogram | Antiparallelogram | Kite | SliderCrank | BallRod => {
                let normal = axis_of(0);
                let origin = of(0).0;
                let point = |joint: usize| {
                    let x = sub(of(joint).0, origin);
                    scale(1.0 / size, sub(x, scale(dot(x, normal), normal)))
                };
                let order = if self.linkage == BallRod {
                    [0, 1, 3, 2]
                } else {
                    [0, 1, 2, 3]
                };
                let [a, b, c, d] = order.map(point);
                match self.linkage {
                    Antiparallelogram => norm(cross(sub(a, c), sub(b, d))),
                    Kite if norm(sub(b, d)) < BETWEEN => {
                        // The diagonal AC halves BD.
                        let half = 0.5 * norm(sub(b, d)) / norm(sub(d, a));
                        0.5 * (norm(cross(normalised(sub(c, a)), normalised(sub(d, a)))) - half).max(0.0)
                    }
                    Kite => 0.0,
                    SliderCrank => {
                        let line = axis_of(3);
                        let c = dot(sub(c, a), line);
                        if c.abs() < BETWEEN {
                            // The bars lie on both sides of the pin's height.
                            let half = 0.5 * c.abs() / norm(sub(b, a));
                            0.5 * (dot(normalised(sub(b, a)), line).abs() - half).max(0.0)
                        } else {
                            0.0
                        }
                    }
                    _ => norm(sub(add(a, c), add(b, d))),
                }
            }
            Sarrus => {
                // Joints of a leg: foot, knee, end; the platform is the body that the last joints hold.
                let frame = of_columns(axis_of(0), axis_of(3), normalised(cross(axis_of(0), axis_of(3))));
                let up = column(&frame, 2);
                let leg = |first: usize| {
                    let axis = axis_of(first);
                    let flat = |joint: usize| {
                        let x = sub(of(joint).0, of(first).0);
                        scale(1.0 / size, sub(x, scale(dot(x, axis), axis)))
                    };
                    let out = cross(axis, up);
                    let at = |x: V3| [dot(x, out), dot(x, up)];
                    (at(flat(first + 1)), at(flat(first + 2)))
                };
                let ((knee, end), (other_knee, other_end)) = (leg(0), leg(3));
                let apart = |x: [f64; 2], y: [f64; 2]| (x[0] - y[0]).hypot(x[1] - y[1]);
                apart(knee, other_knee).max(apart(end, other_end))
            }
            SphericalParallelogram | SphericalAntiparallelogram | SphericalKite => {
                let [a, b, c, d] = [0, 1, 2, 3].map(axis_of);
                match self.linkage {
                    SphericalParallelogram => norm(cross(add(a, c), add(b, d))),
                    SphericalAntiparallelogram => norm(cross(sub(a, c), sub(b, d))),
                    _ if norm(sub(b, d)) < BETWEEN => {
                        let across = |x: V3| normalised(cross(a, x));
                        // As in the plane, with sines of arcs in the place of lengths.
                        let half = 0.5 * norm(sub(b, d)) / norm(cross(a, d));
                        0.5 * (norm(cross(across(c), across(d))) - half).max(0.0)
                    }
                    _ => 0.0,
                }
            }
        }
    }
}
