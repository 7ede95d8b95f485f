//! Poses first, then markers so that all joints fit: loops close by construction.

use super::Rejected;
use crate::geometry::{
    M3, UNIT, V3, about, add, apply, apply_transposed, norm, of_columns, perpendicular, product, scale, sub,
    transposed,
};
use crate::mechanism::{Body, Constraint, ConstraintLaw, Drive, Force, Frame, Joint, JointKind, is_angle};
use crate::random::Random;
use std::f64::consts::{PI, TAU};

/// How masses and inertias are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masses {
    /// Decades over which the masses of one mechanism spread, to both sides.
    pub spread: f64,
    /// Thin rods instead of compact bodies.
    pub slender: bool,
}

/// A mechanism in the making.
pub struct Builder {
    pub random: Random,
    /// Length, m.
    pub size: f64,
    /// Time of falling, s.
    pub tau: f64,
    pub mass: f64,
    pub masses: Masses,
    pub bodies: Vec<Body>,
    pub frames: Vec<Frame>,
    pub joints: Vec<Joint>,
    pub constraints: Vec<Constraint>,
    pub forces: Vec<Force>,
    /// Which frame is the body's own.
    own: Vec<usize>,
    markers: usize,
}

/// A place in the world for a frame.
pub type Place = (V3, M3);

impl Builder {
    pub fn new(mut random: Random, size: f64) -> Self {
        let masses = Masses {
            spread: if random.chance(0.25) { 3.0 } else { 0.7 },
            slender: random.chance(0.3),
        };
        let mass = random.decades(-3.0, 3.0);
        let ground = Frame {
            name: "ground".into(),
            body: None,
            position: [0.0; 3],
            rotation: UNIT,
        };
        Self {
            random,
            size,
            tau: (size / 9.81).sqrt(),
            mass,
            masses,
            bodies: Vec::new(),
            frames: vec![ground],
            joints: Vec::new(),
            constraints: Vec::new(),
            forces: Vec::new(),
            own: Vec::new(),
            markers: 0,
        }
    }

    /// The pose of a body, or the ground.
    pub fn pose(&self, body: Option<usize>) -> Place {
        body.map_or(([0.0; 3], UNIT), |b| {
            (self.bodies[b].position, self.bodies[b].rotation)
        })
    }

    /// Where a frame is.
    pub fn placed(&self, frame: usize) -> Place {
        let frame = &self.frames[frame];
        let (p, r) = self.pose(frame.body);
        (add(p, apply(&r, frame.position)), product(&r, &frame.rotation))
    }

    /// The frame of a body itself.
    pub fn own_frame(&self, body: Option<usize>) -> usize {
        body.map_or(0, |b| self.own[b])
    }

    /// The bodies a joint connects.
    pub fn ends(&self, joint: &Joint) -> (Option<usize>, Option<usize>) {
        (self.frames[joint.from].body, self.frames[joint.to].body)
    }

    /// A body with a random inertia.
    pub fn add_body(&mut self, (position, rotation): Place) -> usize {
        let random = &mut self.random;
        let mass = self.mass * random.decades(-self.masses.spread, self.masses.spread);
        // Second moments of a distribution of mass: whatever is made from positive ones is possible.
        let radius = self.size * random.within(0.1, 0.4);
        let mut p: V3 = std::array::from_fn(|_| mass * radius.powi(2) * random.decades(-1.0, 0.0));
        if self.masses.slender {
            let along = random.below(3);
            let thin = p[along] * random.decades(-6.0, -2.0);
            p = std::array::from_fn(|k| if k == along { p[k] } else { thin });
        } else if random.chance(0.12) {
            p[random.below(3)] = 0.0;
        }
        let axes = if random.chance(0.8) {
            random.rotation()
        } else {
            UNIT
        };
        let moments = [p[1] + p[2], p[2] + p[0], p[0] + p[1]];
        let turned: M3 = std::array::from_fn(|i| std::array::from_fn(|j| axes[i][j] * moments[j]));
        let raw = product(&turned, &transposed(&axes));
        let inertia = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (raw[i][j] + raw[j][i])));
        let centre = if random.chance(0.15) {
            [0.0; 3]
        } else {
            random.vector(0.5 * self.size)
        };
        let b = self.bodies.len();
        let name = format!("b{}", b + 1);
        self.own.push(self.frames.len());
        self.frames.push(Frame {
            name: name.clone(),
            body: Some(b),
            position: [0.0; 3],
            rotation: UNIT,
        });
        self.bodies.push(Body {
            name,
            mass,
            centre,
            inertia,
            position,
            rotation,
            velocity: [0.0; 3],
            omega: [0.0; 3],
        });
        b
    }

    /// A marker on a body at a place of the world.
    pub fn marker(&mut self, body: Option<usize>, (p, r): Place) -> usize {
        let (pb, rb) = self.pose(body);
        self.markers += 1;
        let on = body.map_or("ground", |b| &self.bodies[b].name);
        self.frames.push(Frame {
            name: format!("{on}.m{}", self.markers),
            body,
            position: apply_transposed(&rb, sub(p, pb)),
            rotation: product(&transposed(&rb), &r),
        });
        self.frames.len() - 1
    }

    /// A point within the size.
    pub fn point(&mut self) -> V3 {
        self.random.vector(self.size)
    }

    /// A point near a body.
    pub fn near(&mut self, body: Option<usize>) -> V3 {
        match body {
            None => self.point(),
            Some(b) => add(self.bodies[b].position, self.random.vector(0.7 * self.size)),
        }
    }

    /// The body added last, or any body or the ground.
    pub fn any_body(&mut self, last: f64) -> Option<usize> {
        let n = self.bodies.len();
        if n == 0 {
            return None;
        }
        if self.random.chance(last) {
            return Some(n - 1);
        }
        self.random.below(n + 1).checked_sub(1)
    }

    /// Two different bodies, one of which may be the ground.
    pub fn pair(&mut self) -> (Option<usize>, Option<usize>) {
        let n = self.bodies.len();
        let a = self.random.below(n + 1);
        let mut b = self.random.below(n);
        b += usize::from(b >= a);
        (a.checked_sub(1), b.checked_sub(1))
    }

    /// The smaller mass and the smaller moment of inertia of what takes part.
    pub fn inertia_of(&self, bodies: [Option<usize>; 2]) -> (f64, f64) {
        let of = |b: usize| {
            let body = &self.bodies[b];
            let largest = (0..3).map(|k| body.inertia[k][k]).fold(0.0, f64::max);
            (body.mass, largest)
        };
        let all = bodies.into_iter().flatten().map(of);
        all.fold((f64::INFINITY, f64::INFINITY), |a, b| {
            (a.0.min(b.0), a.1.min(b.1))
        })
    }

    /// A rotation whose z is along a direction, turned about it by anything.
    pub fn frame_with(&mut self, z: V3) -> M3 {
        let (u, v) = perpendicular(z);
        let spin = self.random.within(-PI, PI);
        product(
            &of_columns(u, v, scale(1.0 / norm(z), z)),
            &about([0.0, 0.0, 1.0], spin),
        )
    }

    /// A frame and an axis in it along a direction of the world: its z, or any other axis.
    pub fn frame_axis(&mut self, direction: V3) -> (M3, Option<V3>) {
        if self.random.chance(0.5) {
            (self.frame_with(direction), None)
        } else {
            let r = self.random.rotation();
            (r, Some(apply_transposed(&r, direction)))
        }
    }

    /// An axis as users write it.
    pub fn axis(&mut self, kind: JointKind) -> Option<V3> {
        let random = &mut self.random;
        if !kind.has_axis() || random.chance(0.4) {
            None
        } else if random.chance(0.4) {
            let mut axis = [0.0; 3];
            axis[random.below(3)] = random.sign();
            Some(axis)
        } else {
            Some(scale(random.decades(-1.0, 1.0), random.direction()))
        }
    }

    /// Coordinates within the range of a joint.
    pub fn coordinates(&mut self, kind: JointKind) -> Vec<f64> {
        let size = self.size;
        let random = &mut self.random;
        let names = kind.coordinates().iter();
        names
            .map(|name| {
                let zero = random.chance(0.2);
                let limit = match (kind, *name) {
                    (JointKind::Universal, "angle_y") => 1.2,
                    (JointKind::FreeCardan, "angle_y") => 0.9,
                    (_, name) if is_angle(name) => PI,
                    _ => size,
                };
                let turns = match kind {
                    JointKind::Revolute | JointKind::Cylindrical if random.chance(0.05) => {
                        TAU * random.sign()
                    }
                    _ => 0.0,
                };
                let x = if zero { 0.0 } else { random.within(-limit, limit) };
                if is_angle(name) { x + turns } else { x }
            })
            .collect()
    }

    /// A joint between two bodies; without the second one a body is made. The first frame is at `at`, or the frame `first`
    /// which is there.
    pub fn connect(
        &mut self,
        kind: JointKind,
        from: Option<usize>,
        to: Option<usize>,
        at: Place,
        axis: Option<V3>,
        first: Option<usize>,
    ) -> usize {
        let start = self.coordinates(kind);
        let orientation = if self.random.chance(0.15) {
            UNIT
        } else {
            self.random.rotation()
        };
        let pitch = match kind {
            JointKind::Helical => self.size * self.random.within(0.05, 0.6) * self.random.sign(),
            _ => 0.0,
        };
        let unit = axis.map_or([0.0, 0.0, 1.0], |a| scale(1.0 / norm(a), a));
        let (t, x) = kind.motion(unit, pitch, &start, &orientation);
        let second = (add(at.0, apply(&at.1, t)), product(&at.1, &x));
        let from_frame = match first {
            Some(frame) => frame,
            None => self.marker(from, at),
        };
        let (body, to_frame) = match to {
            Some(b) => (b, self.marker(Some(b), second)),
            None if self.random.chance(0.3) => {
                let b = self.add_body(second);
                (b, self.own[b])
            }
            None => {
                let place = (
                    add(second.0, self.random.vector(0.7 * self.size)),
                    self.random.rotation(),
                );
                let b = self.add_body(place);
                (b, self.marker(Some(b), second))
            }
        };
        let in_tree = to.is_none();
        let n = start.len();
        let mut joint = Joint {
            name: format!("j{}", self.joints.len() + 1),
            kind,
            from: from_frame,
            to: to_frame,
            axis,
            pitch,
            start,
            rates: vec![0.0; n],
            drives: vec![Drive::None; n],
            orientation,
            angular_velocity: [0.0; 3],
            in_tree,
        };
        if in_tree && self.random.chance(0.3) {
            turn_around(&mut joint, t, &x);
        }
        self.joints.push(joint);
        body
    }

    /// Chooses two bodies that are not joined directly, rarely ones that are.
    pub fn pair_to_close(&mut self) -> Result<(Option<usize>, usize), Rejected> {
        let n = self.bodies.len();
        let mut pairs: Vec<(Option<usize>, usize)> = (0..=n)
            .flat_map(|a| (0..n).map(move |b| (a.checked_sub(1), b)))
            .filter(|(a, b)| *a != Some(*b))
            .collect();
        self.random.shuffle(&mut pairs);
        let joined = |a: Option<usize>, b: usize| {
            let ends = |j: &Joint| self.ends(j);
            let same = |e: (Option<usize>, Option<usize>)| e == (a, Some(b)) || e == (Some(b), a);
            self.joints.iter().any(|j| same(ends(j)))
        };
        let apart: Vec<_> = pairs.iter().copied().filter(|(a, b)| !joined(*a, *b)).collect();
        if let Some(first) = apart.first().copied()
            && self.random.chance(0.95)
        {
            return Ok(first);
        }
        pairs.first().copied().ok_or(Rejected::NothingToClose)
    }

    /// Adds a constraint.
    pub fn constrain(&mut self, law: ConstraintLaw) {
        let name = format!("c{}", self.constraints.len() + 1);
        self.constraints.push(Constraint { name, law });
    }
}

/// The same joint seen from the other side, where it is one of its kind.
fn turn_around(joint: &mut Joint, t: V3, x: &M3) {
    let back = scale(-1.0, apply_transposed(x, t));
    match joint.kind {
        JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Helical => {
            joint.start.iter_mut().for_each(|x| *x = -*x);
        }
        JointKind::Planar => joint.start = vec![back[0], back[1], -joint.start[2]],
        JointKind::Spherical => joint.orientation = transposed(x),
        JointKind::Free => {
            joint.start = back.to_vec();
            joint.orientation = transposed(x);
        }
        JointKind::Fixed | JointKind::Universal | JointKind::FreeCardan => return,
    }
    std::mem::swap(&mut joint.from, &mut joint.to);
}
