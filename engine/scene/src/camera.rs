//! [`Camera`]: from space to the picture.

use holonom_algebra::Vec3;

/// From where a scene is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// From in front, the right and above.
    #[default]
    Corner,
    /// Along the axis of most joints where these are parallel, else from the corner.
    Auto,
    /// Against x.
    X,
    /// Along y: x to the right.
    Y,
    /// From above.
    Top,
}

impl View {
    /// Names for users.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("corner", Self::Corner),
        ("x", Self::X),
        ("y", Self::Y),
        ("top", Self::Top),
    ];
}

/// A perspective picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point in the middle of the picture.
    pub target: Vec3<f64>,
    /// From the target to the eye, a unit vector.
    pub direction: Vec3<f64>,
    /// Up in the picture.
    pub up: Vec3<f64>,
    /// Distance of the eye from the target.
    pub distance: f64,
}

/// Half the vertical angle of view: its tangent.
pub const TANGENT: f64 = 0.25;

impl Camera {
    /// A camera that has a sphere in its picture.
    pub fn around(centre: [f64; 3], radius: f64, view: View, up: [f64; 3], axes: &[[f64; 3]]) -> Self {
        let up = Vec3(up).normalised().unwrap_or(Vec3([0.0, 0.0, 1.0]));
        // Two directions on the horizon.
        let x = Vec3([1.0, 0.0, 0.0]);
        let along = (x - up.scale(x.dot(up))).normalised();
        let front = along.filter(|v| v.norm() > 0.5 && up.dot(x).abs() < 0.9);
        let front = front.unwrap_or(Vec3([0.0, 1.0, 0.0]));
        let side = up.cross(front);
        let corner = (front.scale(0.55) - side.scale(0.78) + up.scale(0.42)).normalised();
        let corner = corner.unwrap_or(up);
        let (direction, up) = match view {
            View::Corner => (corner, up),
            View::X => (front, up),
            View::Y => (-side, up),
            View::Top => (up, side),
            View::Auto => match common(axes) {
                // A little aside, so that depth is seen.
                Some(axis) => {
                    let towards = if axis.dot(corner) < 0.0 { -axis } else { axis };
                    let aside = corner - towards.scale(corner.dot(towards));
                    let aside = aside.normalised().unwrap_or(Vec3::zero());
                    let direction = (towards + aside.scale(0.45)).normalised().unwrap_or(towards);
                    (direction, up)
                }
                None => (corner, up),
            },
        };
        let up = if up.cross(direction).norm() < 0.1 {
            front
        } else {
            up
        };
        Self {
            target: Vec3(centre),
            direction,
            up,
            distance: radius / TANGENT * 1.12,
        }
    }

    /// Right, up and towards the eye.
    pub fn basis(&self) -> [Vec3<f64>; 3] {
        let right = self
            .up
            .cross(self.direction)
            .normalised()
            .unwrap_or(Vec3([1.0, 0.0, 0.0]));
        [right, self.direction.cross(right), self.direction]
    }

    /// A point in the picture: x to the right and y upwards, both from −1 to 1 over the height of the picture, and the
    /// distance in front of the eye.
    pub fn project(&self, point: Vec3<f64>) -> [f64; 3] {
        let [right, up, back] = self.basis();
        let d = point - self.target;
        let depth = self.distance - d.dot(back);
        let k = 1.0 / (depth * TANGENT);
        [d.dot(right) * k, d.dot(up) * k, depth]
    }

    /// Moves the eye so that all points are in a picture of this width by height, with a margin.
    pub fn fit(mut self, points: &[[f64; 3]], aspect: f64) -> Self {
        const MARGIN: f64 = 1.12;
        let [right, up, back] = self.basis();
        for _ in 0..2 {
            let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            let mut distance = 0.0_f64;
            for point in points {
                let d = Vec3(*point) - self.target;
                let (x, y, z) = (d.dot(right), d.dot(up), d.dot(back));
                low = [low[0].min(x), low[1].min(y)];
                high = [high[0].max(x), high[1].max(y)];
                let wide = (x.abs() / aspect).max(y.abs());
                distance = distance.max(z + MARGIN * wide / TANGENT);
            }
            if distance > 0.0 && distance.is_finite() {
                self.distance = distance;
                let middle = right.scale(0.5 * (low[0] + high[0])) + up.scale(0.5 * (low[1] + high[1]));
                self.target += middle;
            }
        }
        self
    }
}

/// The direction that all axes share; none where they differ.
fn common(axes: &[[f64; 3]]) -> Option<Vec3<f64>> {
    let mut axes = axes
        .iter()
        .map(|axis| Vec3(*axis))
        .filter(|axis| axis.norm() > 0.5);
    let first = axes.next()?;
    axes.all(|axis| axis.dot(first).abs() > 0.999).then_some(first)
}
