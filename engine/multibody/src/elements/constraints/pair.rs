//! Rows between two frames: what cut joints, points and distances are made of.

use super::ConstraintLaw;
use super::relative::Relative;
use super::start_row::StartRow;
use crate::elements::constraints::RowLevel;
use crate::elements::scene::{Loads, Scene};
use crate::signal::Signal;
use crate::tree::Attachment;
use holonom_algebra::{Real, Twist, Vec3, Wrench};

/// Some rows between two frames, all holonomic.
#[derive(Clone, Debug)]
pub struct Pair {
    /// First frame.
    pub from: Attachment,
    /// Second frame.
    pub to: Attachment,
    /// The rows.
    pub rows: Vec<PairRow>,
    /// What the length of a distance has besides its constant part: a function of time.
    pub length: Option<Signal>,
}

/// One row. With a the axes of the first frame, b those of the second and d from the first origin
/// to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairRow {
    /// a·d = 0: no displacement along an axis of the first frame.
    Along {
        /// The axis, 0 to 2.
        axis: usize,
    },
    /// a·b = 0: two axes stay at a right angle.
    Perpendicular {
        /// Axis of the first frame, 0 to 2.
        from: usize,
        /// Axis of the second frame, 0 to 2.
        to: usize,
    },
    /// |d| − L = 0. Not differentiable, and not finite, at d = 0.
    Distance {
        /// The distance L, or its constant part.
        length: f64,
    },
    /// z = p θ for displacement and angle along and about the common z axis, as
    /// p (sin(z/p) cos θ − cos(z/p) sin θ) = 0 with cos θ = x_a·x_b, sin θ = y_a·x_b.
    ///
    /// Turns need not be counted: the row is smooth and repeats after each. It is p sin(z/p − θ),
    /// which also vanishes half a turn away from the thread; start near the right root. With
    /// p = 0 the row is z = 0.
    Screw {
        /// Displacement per angle, p.
        pitch: f64,
    },
    /// (y_a·x_b − x_a·y_b)/2 = 0: the one frame is turned against the other about an axis in their x–y planes.
    Untwisted,
    /// A row of the start problem, never of the equations of motion.
    Start(StartRow),
}

/// sin and cos of z/p and of θ, for a screw.
struct Thread<T> {
    x: Vec3<T>,
    y: Vec3<T>,
    z: Vec3<T>,
    turning: Vec3<T>,
    sin: T,
    cos: T,
    cos_angle: T,
    sin_angle: T,
}

impl<T: Real> Thread<T> {
    #[inline]
    fn new(relative: &Relative<T>, pitch: f64) -> Self {
        let (x, y, z) = (
            relative.first_axis(0),
            relative.first_axis(1),
            relative.first_axis(2),
        );
        let turning = relative.second_axis(0);
        let (sin, cos) = (z.dot(relative.distance) * (1.0 / pitch)).sin_cos();
        Self {
            x,
            y,
            z,
            turning,
            sin,
            cos,
            cos_angle: x.dot(turning),
            sin_angle: y.dot(turning),
        }
    }

    /// sin(z/p) x − cos(z/p) y: the row is p times this on x_b.
    #[inline]
    fn across(&self) -> Vec3<T> {
        self.x.scale(self.sin) - self.y.scale(self.cos)
    }

    /// cos(z/p) x + sin(z/p) y: the derivative of [`across`](Self::across) by z/p.
    #[inline]
    fn along(&self) -> Vec3<T> {
        self.x.scale(self.cos) + self.y.scale(self.sin)
    }
}

impl PairRow {
    /// Whether g is an angle where it is small, not a length.
    pub(crate) fn is_angle(&self) -> bool {
        match self {
            Self::Perpendicular { .. } | Self::Untwisted => true,
            Self::Start(row) => row.is_angle(),
            Self::Along { .. } | Self::Distance { .. } | Self::Screw { .. } => false,
        }
    }

    /// g.
    fn position<T: Real>(&self, relative: &Relative<T>) -> T {
        let d = relative.distance;
        match *self {
            Self::Along { axis } => relative.first_axis(axis).dot(d),
            Self::Perpendicular { from, to } => relative.first_axis(from).dot(relative.second_axis(to)),
            Self::Distance { length } => d.norm() - length,
            Self::Untwisted => {
                let [x, y] = [0, 1].map(|k| relative.first_axis(k));
                (y.dot(relative.second_axis(0)) - x.dot(relative.second_axis(1))) * 0.5
            }
            Self::Start(row) => row.position(relative),
            Self::Screw { pitch: 0.0 } => relative.first_axis(2).dot(d),
            Self::Screw { pitch } => {
                let t = Thread::new(relative, pitch);
                (t.sin * t.cos_angle - t.cos * t.sin_angle) * pitch
            }
        }
    }

    /// (f, m) of ġ = f·u + m·w.
    fn direction<T: Real>(&self, relative: &Relative<T>) -> Wrench<T> {
        let force = |f| Wrench::new(Vec3::zero(), f);
        match *self {
            Self::Along { axis } => force(relative.first_axis(axis)),
            Self::Perpendicular { from, to } => {
                // a·(w × b)
                Wrench::new(
                    relative.second_axis(to).cross(relative.first_axis(from)),
                    Vec3::zero(),
                )
            }
            Self::Distance { .. } => {
                let d = relative.distance;
                force(d.scale(d.norm().recip()))
            }
            Self::Untwisted => {
                let [x, y] = [0, 1].map(|k| relative.first_axis(k));
                let moment = relative.second_axis(0).cross(y) - relative.second_axis(1).cross(x);
                Wrench::new(moment.scale(0.5), Vec3::zero())
            }
            Self::Start(row) => row.direction(relative),
            Self::Screw { pitch: 0.0 } => force(relative.first_axis(2)),
            Self::Screw { pitch } => {
                let t = Thread::new(relative, pitch);
                let slope = t.cos * t.cos_angle + t.sin * t.sin_angle;
                Wrench::new(t.turning.cross(t.across()).scale(pitch), t.z.scale(slope))
            }
        }
    }

    /// g̈, for velocities (w, u) and accelerations (ẇ, u̇) seen from the first frame.
    fn acceleration<T: Real>(
        &self,
        relative: &Relative<T>,
        velocity: &Twist<T>,
        acceleration: &Twist<T>,
    ) -> T {
        let (w, u) = (velocity.angular, velocity.linear);
        let (dw, du) = (acceleration.angular, acceleration.linear);
        // Second derivative of an axis of the second frame.
        let bent = |b: Vec3<T>| dw.cross(b) + w.cross(w.cross(b));
        match *self {
            Self::Along { axis } => relative.first_axis(axis).dot(du),
            Self::Perpendicular { from, to } => relative.first_axis(from).dot(bent(relative.second_axis(to))),
            Self::Distance { .. } => {
                let d = relative.distance;
                let inverse = d.norm().recip();
                let rate = d.dot(u) * inverse;
                (u.norm_squared() + d.dot(du) - rate.square()) * inverse
            }
            Self::Untwisted => {
                let [x, y] = [0, 1].map(|k| relative.first_axis(k));
                (y.dot(bent(relative.second_axis(0))) - x.dot(bent(relative.second_axis(1)))) * 0.5
            }
            // No accelerations are asked for at the start problem.
            Self::Start(_) => T::constant(f64::NAN),
            Self::Screw { pitch: 0.0 } => relative.first_axis(2).dot(du),
            Self::Screw { pitch } => {
                // g = p across·b with b = x_b: across' = (ż/p) along, along' = −(ż/p) across.
                let t = Thread::new(relative, pitch);
                let (rate, rest) = (t.z.dot(u), t.z.dot(du));
                let (across, along) = (t.across(), t.along());
                let b = t.turning;
                along.dot(b) * rest - across.dot(b) * rate.square() * (1.0 / pitch)
                    + along.dot(w.cross(b)) * rate * 2.0
                    + across.dot(bent(b)) * pitch
            }
        }
    }

    fn name(&self) -> String {
        const AXES: [&str; 3] = ["x", "y", "z"];
        match *self {
            Self::Along { axis } => AXES[axis].to_string(),
            Self::Perpendicular { from, to } => format!("{}-{}", AXES[from], AXES[to]),
            Self::Distance { .. } => "distance".to_string(),
            Self::Untwisted => "turn".to_string(),
            Self::Screw { .. } => "screw".to_string(),
            Self::Start(row) => row.name(),
        }
    }
}

impl Pair {
    /// Whether the rows vanish also where the frames are turned over: products of axes, and screws.
    pub(crate) fn has_branches(&self) -> bool {
        let kind = |row: &PairRow| matches!(row, PairRow::Screw { pitch } if *pitch != 0.0);
        self.is_parallel() || self.rows.iter().any(kind)
    }

    /// The rows keep the z axes parallel.
    fn is_parallel(&self) -> bool {
        let has = |from, to| self.rows.contains(&PairRow::Perpendicular { from, to });
        has(2, 0) && (has(2, 1) || has(1, 2) && has(0, 1))
    }

    /// The least of the cosines that are one where the rows are closed as the joint means it, and −1 or 0 where
    /// they vanish elsewhere: of the angles between axes that should coincide, and of the angle by which a screw is
    /// off its thread.
    pub(crate) fn branch<T: Real>(&self, scene: &Scene<T>) -> f64 {
        let mut least = 1.0_f64;
        if !self.has_branches() {
            return least;
        }
        let relative = Relative::new(scene, &self.from, &self.to);
        let cosine = |k: usize| relative.first_axis(k).dot(relative.second_axis(k)).value();
        for row in &self.rows {
            match *row {
                PairRow::Perpendicular { from, .. } if self.is_parallel() => {
                    least = least.min(cosine(from));
                }
                PairRow::Screw { pitch } if pitch != 0.0 => {
                    let t = Thread::new(&relative, pitch);
                    least = least.min((t.cos * t.cos_angle + t.sin * t.sin_angle).value());
                }
                _ => {}
            }
        }
        least
    }

    /// The row that vanishes on the meant branch only, for one that does elsewhere, too.
    pub(crate) fn on_branch(&self, row: PairRow) -> PairRow {
        let all = self.rows.contains(&PairRow::Perpendicular { from: 0, to: 1 });
        match row {
            PairRow::Perpendicular { from, to } if self.is_parallel() => {
                // A wrong angle between two axes is a turn about the third.
                let axis = 3 - from - to;
                PairRow::Start(if all {
                    StartRow::Twist { axis }
                } else {
                    StartRow::Tilt { axis }
                })
            }
            PairRow::Screw { pitch } if pitch != 0.0 => PairRow::Start(StartRow::Thread { pitch }),
            row => row,
        }
    }
}

impl Pair {
    /// Takes derivative number `order` of the length that depends on time off the rows of distances.
    fn lengthen<T: Real>(&self, t: T, order: usize, out: &mut [T]) {
        let Some(length) = &self.length else { return };
        let length = length.evaluate(t)[order];
        for (out, row) in out.iter_mut().zip(&self.rows) {
            if matches!(row, PairRow::Distance { .. }) {
                *out -= length;
            }
        }
    }
}

impl ConstraintLaw for Pair {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn levels(&self) -> Vec<RowLevel> {
        vec![RowLevel::Holonomic; self.rows.len()]
    }

    fn row_names(&self) -> Vec<String> {
        self.rows.iter().map(PairRow::name).collect()
    }

    fn sides(&self) -> Option<[Attachment; 2]> {
        Some([self.from, self.to])
    }

    fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]) {
        let relative = Relative::new(scene, &self.from, &self.to);
        for (g, row) in g.iter_mut().zip(&self.rows) {
            *g = row.position(&relative);
        }
        self.lengthen(scene.t, 0, g);
    }

    fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let velocity = relative.velocity();
        for (out, row) in out.iter_mut().zip(&self.rows) {
            *out = velocity.power(&row.direction(&relative));
        }
        self.lengthen(scene.t, 1, out);
    }

    fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let velocity = relative.velocity();
        let acceleration = relative.acceleration(&velocity);
        for (out, row) in out.iter_mut().zip(&self.rows) {
            *out = row.acceleration(&relative, &velocity, &acceleration);
        }
        self.lengthen(scene.t, 2, out);
    }

    fn directions<T: Real>(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>> {
        let relative = Relative::new(scene, &self.from, &self.to);
        for (out, row) in out.iter_mut().zip(&self.rows) {
            *out = row.direction(&relative);
        }
        Some(relative.point())
    }

    fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
        let relative = Relative::new(scene, &self.from, &self.to);
        let mut sum = Wrench::zero();
        for (row, multiplier) in self.rows.iter().zip(multipliers) {
            sum += row.direction(&relative).scale(*multiplier);
        }
        relative.add_load(&sum, loads);
    }

    fn is_angle(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(PairRow::is_angle)
    }

    fn has_torque(&self) -> bool {
        let force_only = |row: &PairRow| matches!(row, PairRow::Along { .. } | PairRow::Distance { .. });
        !self.rows.iter().all(force_only)
    }

    fn signal(&self) -> Option<&Signal> {
        self.length.as_ref()
    }

    fn signal_mut(&mut self) -> Option<&mut Signal> {
        self.length.as_mut()
    }
}
