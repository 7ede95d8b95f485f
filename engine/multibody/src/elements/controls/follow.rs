//! A frame beside a path: what sensors of paths and drivers have in common.

use crate::description::Pursuit;
use crate::elements::references::Attached;
use crate::elements::scene::Scene;
use crate::path::PathPoint;
use crate::tyre::smooth::at_least;
use holonom_algebra::{Orientation, Real};

/// The frame in the coordinates of the path's kind, before its signs are applied.
#[derive(Clone, Copy)]
pub(super) struct Seen<T> {
    /// Place.
    pub place: [T; 2],
    /// Velocity.
    pub velocity: [T; 2],
    /// Where the front is, in the plane; not of length one on a slope.
    pub front: [T; 2],
    /// Angular velocity about the normal of the plane.
    pub turn: T,
}

/// Least 1 − κ e·n: nearer to the centre of a bend the foot would run away.
const NEAREST: f64 = 0.1;

/// The arc s of the point beside the frame is an own state with
///
/// ṡ = (v·t + e·t/τ)/(1 − κ e·n),  e = p − r(s),
///
/// p and v being place and velocity of the frame seen from that of the path, r, t, n, κ point,
/// tangent, normal and curvature of the path. Then d(e·t)/dt = −(e·t)/τ: once s is the foot of the
/// perpendicular it stays so exactly, and a wrong start is forgotten with the time constant τ. A search
/// for the nearest point would jump where two points are equally near, as at the crossing of a path
/// with itself; the state does not.
impl Pursuit<Attached> {
    /// −1 where left and right of the kind have changed places.
    pub(super) fn hand(&self) -> f64 {
        self.path.signs[0] * self.path.signs[1]
    }

    pub(super) fn seen<T: Real>(&self, scene: &Scene<T>) -> Seen<T> {
        let (path, frame) = (scene.frame(&self.path.frame), scene.frame(&self.frame));
        let arm = frame.origin - path.origin;
        let carried = path.velocity + path.omega.cross(arm);
        let forward = if self.reversed { -1.0 } else { 1.0 };
        let plane = |vector: holonom_algebra::Vec3<T>| {
            let [x, y, _] = path.axes.transpose_times(vector).0;
            [x * self.path.signs[0], y * self.path.signs[1]]
        };
        Seen {
            place: plane(arm),
            velocity: plane(frame.velocity - carried),
            front: plane(frame.axes.column(0)).map(|x| x * forward),
            turn: (frame.omega - path.omega).dot(path.axes.column(2)) * self.hand(),
        }
    }

    /// Along and left of a point of the path.
    pub(super) fn error<T: Real>(&self, seen: &Seen<T>, point: &PathPoint<T>) -> [T; 2] {
        let [x, y] = seen.place;
        point.components([x - point.place[0], y - point.place[1]])
    }

    /// ṡ.
    pub(super) fn rate<T: Real>(&self, seen: &Seen<T>, s: T) -> T {
        let point = self.path.curve.at(s);
        let [along, left] = self.error(seen, &point);
        let [speed, _] = point.components(seen.velocity);
        (speed + along * (1.0 / self.settling)) / at_least(-(point.curvature * left) + 1.0, NEAREST)
    }
}

/// u between two limits: the identity but for a parabola over 2 % of the range at each of them, which
/// makes it continuously differentiable.
pub(super) fn limited<T: Real>(u: T, [low, high]: [f64; 2]) -> T {
    /// Part of the range over which a limit is approached.
    const SOFT: f64 = 0.02;
    let soft = SOFT * (high - low);
    // x where x ≤ −s, 0 where x ≥ s, x − (x + s)²/(4 s) between.
    let below_zero = |x: T| {
        let bend = x - (x + soft).square() * (0.25 / soft);
        let beyond = T::select(x.value() >= soft, T::zero(), bend);
        T::select(x.value() <= -soft, x, beyond)
    };
    let y = below_zero(u - high) + high;
    -below_zero(-y + low) + low
}
