//! An oracle for mechanisms: absolute coordinates and multipliers, sharing nothing with the engine.
//!
//! The state of a body is its centre of mass r and velocity V in the axes of the ground, Euler parameters e, and the angular
//! velocity w in its own axes. Every joint is a set of equations φ = 0 between two bodies; accelerations solve
//!
//! M a + Gᵀλ = f, G a = −γ
//!
//! for the rows that are independent where a step begins, chosen anew for each step, so that no row loses its worth under
//! way. An explicit extrapolation method of high order integrates with tight tolerances; positions and velocities are
//! projected after every step, and all rows, those not chosen too, must then hold.

mod extrapolation;
mod loads;
mod rows;
#[cfg(test)]
mod tests;

pub use extrapolation::IntegrationError;

use crate::dense::{Matrix, independent_rows, least_norm, singular_values};
use crate::geometry::{
    M3, UNIT, V3, about, add, apply, apply_transposed, cardan_of, cholesky, column, cross, dot, largest,
    norm, product, quaternion_of_rotation, quaternion_rate, rotation_of_quaternion, rotation_vector, scale,
    solve_lower, solve_upper, sub, transposed, unit,
};
use crate::mechanism::{JointKind, Mechanism};
use crate::random::Random;
use rows::{Row, Scalar};

/// Poses and velocities of all bodies; the ground is the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time, s.
    pub t: f64,
    r: Vec<V3>,
    e: Vec<[f64; 4]>,
    v: Vec<V3>,
    w: Vec<V3>,
    /// Rotation matrices and angular velocities in the axes of the ground, from e and w.
    rot: Vec<M3>,
    om: Vec<V3>,
}

impl State {
    fn update(&mut self) {
        for b in 0..self.e.len() {
            self.rot[b] = rotation_of_quaternion(self.e[b]);
            self.om[b] = apply(&self.rot[b], self.w[b]);
        }
    }

    /// Velocity of the centre of mass, and angular velocity in the axes of the body.
    pub fn velocity(&self, body: usize) -> (V3, V3) {
        (self.v[body], self.w[body])
    }

    /// Sets both.
    pub fn set_velocity(&mut self, body: usize, v: V3, w: V3) {
        (self.v[body], self.w[body]) = (v, w);
        self.om[body] = apply(&self.rot[body], w);
    }

    /// Whether all numbers are finite.
    fn is_finite(&self) -> bool {
        let vectors = self.r.iter().chain(&self.v).chain(&self.w);
        vectors.flatten().all(|x| x.is_finite()) && self.e.iter().flatten().all(|x| x.is_finite())
    }
}

/// What is seen of a body in results of the engine: its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// Position of its frame.
    pub position: V3,
    /// Rotation.
    pub rotation: M3,
    /// Velocity of the origin of its frame, axes of the ground.
    pub velocity: V3,
    /// Angular velocity, axes of the ground.
    pub angular_velocity: V3,
}

/// Accelerations of a body's frame, axes of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyAcceleration {
    /// Of the origin.
    pub linear: V3,
    /// Angular.
    pub angular: V3,
}

/// Data of a body as the oracle uses them.
#[derive(Clone, Debug)]
struct Inertia {
    mass: f64,
    centre: V3,
    tensor: M3,
    /// I = L Lᵀ.
    root: M3,
}

/// A frame: its body, its place from the centre of mass, its rotation.
#[derive(Clone, Copy, Debug)]
struct At {
    body: usize,
    arm: V3,
    turn: M3,
}

/// The equations of a mechanism.
#[derive(Clone, Debug)]
pub struct Oracle {
    mechanism: Mechanism,
    inertias: Vec<Inertia>,
    frames: Vec<At>,
    rows: Vec<Row>,
    rank: usize,
    /// How close to losing rank rows may come, in parts of what they are at the start.
    closest: f64,
    /// Rows that are used at the moment.
    chosen: Vec<usize>,
    /// Whole turns of joints are counted from these angles: those of the last step.
    angles: Vec<Vec<f64>>,
}

impl Oracle {
    /// Sets the equations up.
    pub fn new(mechanism: &Mechanism) -> Self {
        let n = mechanism.bodies.len();
        let inertias: Vec<Inertia> = (mechanism.bodies.iter())
            .map(|b| Inertia {
                mass: b.mass,
                centre: b.centre,
                tensor: b.inertia,
                root: cholesky(&b.inertia),
            })
            .collect();
        let frames: Vec<At> = (mechanism.frames.iter())
            .map(|f| At {
                body: f.body.unwrap_or(n),
                arm: f.body.map_or(f.position, |b| sub(f.position, inertias[b].centre)),
                turn: f.rotation,
            })
            .collect();
        let rows = rows::all(mechanism, &frames);
        let mut oracle = Self {
            mechanism: mechanism.clone(),
            inertias,
            frames,
            rows,
            rank: 0,
            closest: 0.02,
            chosen: Vec::new(),
            angles: mechanism.joints.iter().map(|j| j.start.clone()).collect(),
        };
        let rank = if mechanism.rank > 0 {
            mechanism.rank
        } else {
            oracle.rank_at(&oracle.start())
        };
        oracle.set_rank(rank);
        oracle
    }

    /// Bodies.
    pub fn bodies(&self) -> usize {
        self.inertias.len()
    }

    /// Size of the mechanism, m.
    pub fn size(&self) -> f64 {
        self.mechanism.size
    }

    /// Its unit of time, s.
    pub fn tau(&self) -> f64 {
        self.mechanism.tau
    }

    /// The state at the start.
    pub fn start(&self) -> State {
        let bodies = &self.mechanism.bodies;
        let n = bodies.len();
        let mut state = State {
            t: 0.0,
            r: vec![[0.0; 3]; n + 1],
            e: vec![[1.0, 0.0, 0.0, 0.0]; n + 1],
            v: vec![[0.0; 3]; n + 1],
            w: vec![[0.0; 3]; n + 1],
            rot: vec![UNIT; n + 1],
            om: vec![[0.0; 3]; n + 1],
        };
        for (b, body) in bodies.iter().enumerate() {
            state.r[b] = add(body.position, apply(&body.rotation, body.centre));
            state.e[b] = quaternion_of_rotation(&body.rotation);
            (state.v[b], state.w[b]) = (body.velocity, body.omega);
        }
        state.update();
        state
    }

    /// The state of results: position, Euler parameters, velocity and angular velocity of every body's frame in the axes of
    /// the ground.
    pub fn state_of(&self, t: f64, bodies: &[(V3, [f64; 4], V3, V3)]) -> State {
        let mut state = self.start();
        state.t = t;
        for (b, (p, e, v, om)) in bodies.iter().enumerate() {
            let turn = rotation_of_quaternion(*e);
            let arm = apply(&turn, self.inertias[b].centre);
            state.r[b] = add(*p, arm);
            state.e[b] = *e;
            state.v[b] = add(*v, cross(*om, arm));
            state.w[b] = apply_transposed(&turn, *om);
        }
        state.update();
        state
    }

    /// What is seen of a body.
    pub fn motion(&self, s: &State, body: usize) -> BodyMotion {
        let arm = scale(-1.0, apply(&s.rot[body], self.inertias[body].centre));
        BodyMotion {
            position: add(s.r[body], arm),
            rotation: s.rot[body],
            velocity: add(s.v[body], cross(s.om[body], arm)),
            angular_velocity: s.om[body],
        }
    }

    /// Position and rotation of a frame of the mechanism.
    pub fn place(&self, s: &State, frame: usize) -> (V3, M3) {
        let At { body, arm, turn } = self.frames[frame];
        let position = add(s.r[body], apply(&s.rot[body], arm));
        (position, product(&s.rot[body], &turn))
    }

    /// Lets rows come this close to losing rank, in parts of what they are at the start, before the oracle stops.
    pub fn set_closest(&mut self, closest: f64) {
        self.closest = closest;
    }

    /// Fixes the number of independent rows.
    pub fn set_rank(&mut self, rank: usize) {
        self.rank = rank;
        let start = self.start();
        self.choose(&start);
    }

    fn rank_at(&self, s: &State) -> usize {
        let values = self.singular_values(s);
        let largest = values.first().copied().unwrap_or(0.0);
        values.iter().filter(|x| **x > 1e-8 * largest).count()
    }

    /// Singular values of all rows, each of norm one, over velocities in sizes and radians.
    pub fn singular_values(&self, s: &State) -> Vec<f64> {
        singular_values(&self.geometric(s)).0
    }

    /// Degrees of freedom at a state.
    pub fn freedoms(&self, s: &State) -> usize {
        6 * self.bodies() - self.rank_at(s)
    }

    /// G over velocities in sizes per second and radians per second, rows of norm one.
    fn geometric(&self, s: &State) -> Matrix {
        let mut g = self.matrix(s);
        let size = self.size();
        for i in 0..g.rows {
            for (k, x) in g.row_mut(i).iter_mut().enumerate() {
                *x *= if k % 6 < 3 { size } else { 1.0 };
            }
        }
        g.normalise_rows();
        g
    }

    /// All rows over (V, w) of the bodies.
    fn matrix(&self, s: &State) -> Matrix {
        let mut g = Matrix::zeros(self.rows.len(), 6 * self.bodies());
        for (i, row) in self.rows.iter().enumerate() {
            self.fill(row, s, g.row_mut(i));
        }
        g
    }

    fn fill(&self, row: &Row, s: &State, out: &mut [f64]) {
        let n = self.bodies();
        row.gradient(self, s, &mut |body, linear, angular| {
            if body < n {
                let angular = apply_transposed(&s.rot[body], angular);
                for k in 0..3 {
                    out[6 * body + k] += linear[k];
                    out[6 * body + 3 + k] += angular[k];
                }
            }
        });
    }

    /// Chooses the rows to use from here on.
    fn choose(&mut self, s: &State) {
        let mut g = self.weighted(s, &(0..self.rows.len()).collect::<Vec<_>>());
        g.normalise_rows();
        let found = independent_rows(&g, self.rank);
        self.chosen = found.rows;
        self.chosen.sort_unstable();
    }

    /// Some rows of G M^(−1/2).
    fn weighted(&self, s: &State, rows: &[usize]) -> Matrix {
        let mut g = Matrix::zeros(rows.len(), 6 * self.bodies());
        for (k, i) in rows.iter().enumerate() {
            self.fill(&self.rows[*i], s, g.row_mut(k));
        }
        for k in 0..g.rows {
            for (x, inertia) in g.row_mut(k).chunks_exact_mut(6).zip(&self.inertias) {
                let root = inertia.mass.sqrt();
                x[..3].iter_mut().for_each(|x| *x /= root);
                let turned = solve_lower(&inertia.root, [x[3], x[4], x[5]]);
                x[3..].copy_from_slice(&turned);
            }
        }
        g
    }

    /// M^(−1/2) x, in place.
    fn unweigh(&self, x: &mut [f64]) {
        for (x, inertia) in x.chunks_exact_mut(6).zip(&self.inertias) {
            let root = inertia.mass.sqrt();
            x[..3].iter_mut().for_each(|x| *x /= root);
            let turned = solve_upper(&inertia.root, [x[3], x[4], x[5]]);
            x[3..].copy_from_slice(&turned);
        }
    }

    /// The change of velocities, smallest in energy, that changes the chosen rows by `right`.
    fn smallest(&self, s: &State, mut right: Vec<f64>) -> Vec<f64> {
        if self.chosen.is_empty() {
            return vec![0.0; 6 * self.bodies()];
        }
        let mut g = self.weighted(s, &self.chosen);
        let norms = g.normalise_rows();
        right.iter_mut().zip(norms).for_each(|(b, n)| *b /= n);
        let mut x = least_norm(&g, &right);
        self.unweigh(&mut x);
        x
    }

    /// Moves all bodies by small displacements and turns (in their own axes).
    fn moved(&self, s: &State, x: &[f64]) -> State {
        let mut s = s.clone();
        for (b, x) in x.chunks_exact(6).enumerate() {
            s.r[b] = add(s.r[b], [x[0], x[1], x[2]]);
            let d = [0.5 * x[3], 0.5 * x[4], 0.5 * x[5]];
            let rate = quaternion_rate(s.e[b], d);
            let e: [f64; 4] = std::array::from_fn(|k| s.e[b][k] + rate[k]);
            s.e[b] = unit(e);
        }
        s.update();
        s
    }

    /// Closes all joints, then makes velocities fit.
    fn project(&self, s: &State, iterations: usize) -> State {
        let mut s = s.clone();
        s.e.iter_mut().for_each(|e| *e = unit(*e));
        s.update();
        for _ in 0..iterations {
            if self.chosen.is_empty() {
                break;
            }
            let right = self
                .chosen
                .iter()
                .map(|i| -self.rows[*i].value(self, &s))
                .collect();
            let x = self.smallest(&s, right);
            s = self.moved(&s, &x);
        }
        self.project_velocities(&mut s);
        s
    }

    /// Makes velocities fit, with the least energy.
    pub fn project_velocities(&self, s: &mut State) {
        let right = self.chosen.iter().map(|i| -self.rows[*i].rate(self, s)).collect();
        let x = self.smallest(s, right);
        for (b, x) in x.chunks_exact(6).enumerate() {
            let (v, w) = s.velocity(b);
            s.set_velocity(b, add(v, [x[0], x[1], x[2]]), add(w, [x[3], x[4], x[5]]));
        }
    }

    /// By how much any row is violated, in sizes or radians.
    pub fn opening(&self, s: &State) -> f64 {
        self.row_openings(s).fold(0.0, f64::max)
    }

    fn row_openings(&self, s: &State) -> impl Iterator<Item = f64> {
        let size = self.size();
        let one = move |row: &Row| row.value(self, s).abs() / if row.is_length() { size } else { 1.0 };
        self.rows.iter().map(one)
    }

    /// Openings in units of tolerances: of lengths, and of angles.
    pub fn openings(&self, s: &State, length: f64, angle: f64) -> (f64, String) {
        let mut worst = (0.0, String::new());
        for row in &self.rows {
            let gap = row.value(self, s).abs() / if row.is_length() { length } else { angle };
            if gap > worst.0 || !gap.is_finite() {
                worst = (gap, row.name().to_string());
            }
        }
        worst
    }

    /// The same of velocities: in units of the tolerances of lengths per second and of angles per second.
    pub fn rates(&self, s: &State, length: f64, angle: f64) -> (f64, String) {
        let mut worst = (0.0, String::new());
        for row in &self.rows {
            let rate = row.rate(self, s).abs() / if row.is_length() { length } else { angle };
            if rate > worst.0 || !rate.is_finite() {
                worst = (rate, row.name().to_string());
            }
        }
        worst
    }

    /// The row that is violated most.
    pub fn worst_row(&self, s: &State) -> String {
        let worst = self
            .row_openings(s)
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1));
        worst.map_or(String::new(), |(i, gap)| {
            format!("{} by {gap:.1e}", self.rows[i].name())
        })
    }

    /// Largest violation on velocities, in sizes or radians per second.
    pub fn velocity_gap(&self, s: &State) -> f64 {
        let size = self.size();
        let one = |row: &Row| row.rate(self, s).abs() / if row.is_length() { size } else { 1.0 };
        self.rows.iter().map(one).fold(0.0, f64::max)
    }

    /// A position next to one, off by about `distance` sizes and radians along what is free; `None` where joints open.
    pub fn nearby(&self, s: &State, random: &mut Random, distance: f64) -> Option<State> {
        let size = self.size();
        let n = 6 * self.bodies();
        // A random direction without its share in the rows.
        let (values, vectors) = singular_values(&self.geometric(s));
        let mut x: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let first = values.first().copied().unwrap_or(0.0);
        for (k, value) in values.iter().enumerate() {
            if *value > 1e-8 * first {
                let v = vectors.row(k);
                let share: f64 = x.iter().zip(v).map(|(a, b)| a * b).sum();
                x.iter_mut().zip(v).for_each(|(x, v)| *x -= share * v);
            }
        }
        let most = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (k, x) in x.iter_mut().enumerate() {
            *x *= distance / most * if k % 6 < 3 { size } else { 1.0 };
        }
        let there = self.project(&self.moved(s, &x), 20);
        (there.is_finite() && self.opening(&there) < 1e-10).then_some(there)
    }

    /// Accelerations (V̇, ẇ) of all bodies with the rows that are chosen.
    fn accelerations(&self, s: &State) -> Vec<f64> {
        let mut a = self.free_accelerations(s);
        if self.chosen.is_empty() {
            return a;
        }
        let mut g = Matrix::zeros(1, a.len());
        let mut right = Vec::with_capacity(self.chosen.len());
        for i in &self.chosen {
            g.entries.fill(0.0);
            self.fill(&self.rows[*i], s, g.row_mut(0));
            right.push(-self.rows[*i].rest(self, s) - g.times(&a)[0]);
        }
        let x = self.smallest(s, right);
        a.iter_mut().zip(x).for_each(|(a, x)| *a += x);
        a
    }

    /// The same, corrected by what rounding leaves of G a + γ: a moment of inertia far below the others makes large
    /// accelerations of it.
    fn refined_accelerations(&self, s: &State) -> Vec<f64> {
        let mut a = self.accelerations(s);
        for _ in 0..2 {
            let mut g = Matrix::zeros(1, a.len());
            let rest = |i: &usize| {
                g.entries.fill(0.0);
                self.fill(&self.rows[*i], s, g.row_mut(0));
                -self.rows[*i].rest(self, s) - g.times(&a)[0]
            };
            let right = self.chosen.iter().map(rest).collect();
            let x = self.smallest(s, right);
            a.iter_mut().zip(x).for_each(|(a, x)| *a += x);
        }
        a
    }

    /// Accelerations of the frames of all bodies at a state.
    pub fn frame_accelerations(&mut self, s: &State) -> Vec<BodyAcceleration> {
        self.choose(s);
        let a = self.refined_accelerations(s);
        (0..self.bodies())
            .map(|b| {
                let a = &a[6 * b..][..6];
                let arm = scale(-1.0, apply(&s.rot[b], self.inertias[b].centre));
                let angular = apply(&s.rot[b], [a[3], a[4], a[5]]);
                let turning = cross(s.om[b], cross(s.om[b], arm));
                let linear = add([a[0], a[1], a[2]], add(cross(angular, arm), turning));
                BodyAcceleration { linear, angular }
            })
            .collect()
    }

    /// Kinetic and potential energy.
    pub fn energies(&self, s: &State) -> (f64, f64) {
        let kinetic = |(b, i): (usize, &Inertia)| {
            let turning = dot(s.w[b], apply(&i.tensor, s.w[b]));
            0.5 * (i.mass * dot(s.v[b], s.v[b]) + turning)
        };
        let kinetic = self.inertias.iter().enumerate().map(kinetic).sum();
        (kinetic, self.loads(s).energy)
    }

    /// The value of a scalar coordinate, turns counted; `None` for Cardan angles of free joints.
    fn coordinate_value(&self, s: &State, (joint, k): (usize, usize)) -> Option<f64> {
        let has = self.mechanism.joints[joint].kind != JointKind::FreeCardan || k < 3;
        has.then(|| rows::coordinate(&self.mechanism, (joint, k), &self.frames).value(self, s))
    }

    /// Rates of a joint's coordinates, and its angular velocity in the axes of the second frame.
    pub fn joint_rates(&self, s: &State, joint: usize) -> (Vec<f64>, V3) {
        let joint = &self.mechanism.joints[joint];
        let (a, b) = (self.frames[joint.from], self.frames[joint.to]);
        let (ra, rb) = (product(&s.rot[a.body], &a.turn), product(&s.rot[b.body], &b.turn));
        let relative = sub(s.om[b.body], s.om[a.body]);
        let mut rates: Vec<f64> = Vec::new();
        for k in 0..joint.start.len() {
            if joint.kind == JointKind::FreeCardan && k >= 3 {
                break;
            }
            rates.push(Scalar::of(joint, k, &self.frames).rate(self, s));
        }
        if joint.kind == JointKind::FreeCardan {
            let angles = cardan_of(&product(&transposed(&ra), &rb));
            let first = about([1.0, 0.0, 0.0], angles[0]);
            let second = product(&first, &about([0.0, 1.0, 0.0], angles[1]));
            let axes = [[1.0, 0.0, 0.0], column(&first, 1), column(&second, 2)];
            let w = apply_transposed(&ra, relative);
            let volume = dot(axes[0], cross(axes[1], axes[2]));
            for k in 0..3 {
                let others = cross(axes[(k + 1) % 3], axes[(k + 2) % 3]);
                rates.push(dot(w, others) / volume);
            }
        }
        (rates, apply_transposed(&rb, relative))
    }

    /// How far apart two states are: positions in sizes and rotations in radians, velocities in units of each.
    pub fn distance(&self, a: &State, b: &State) -> Distance {
        let mut d = Distance::default();
        for k in 0..self.bodies() {
            let (x, y) = (self.motion(a, k), self.motion(b, k));
            let turn = product(&transposed(&x.rotation), &y.rotation);
            d.position = d.position.max(largest(sub(x.position, y.position)));
            d.rotation = d.rotation.max(norm(rotation_vector(&turn)));
            d.velocity = d.velocity.max(largest(sub(x.velocity, y.velocity)));
            d.turning = d
                .turning
                .max(largest(sub(x.angular_velocity, y.angular_velocity)));
        }
        d
    }

    /// The largest position, velocity and angular velocity of any body: what relative tolerances refer to.
    pub fn extent(&self, s: &State) -> [f64; 3] {
        let mut most = [self.size(), self.size() / self.tau(), 1.0 / self.tau()];
        for k in 0..self.bodies() {
            let x = self.motion(s, k);
            for (m, v) in most.iter_mut().zip([x.position, x.velocity, x.angular_velocity]) {
                *m = m.max(largest(v));
            }
        }
        most
    }
}

/// How far apart two states are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distance {
    /// Of positions, m.
    pub position: f64,
    /// Of rotations, rad.
    pub rotation: f64,
    /// Of velocities, m/s.
    pub velocity: f64,
    /// Of angular velocities, rad/s.
    pub turning: f64,
}
