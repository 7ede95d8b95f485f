//! Tracks given by curvature, cant and gradient along their arc.

use super::{RailError, positive};
use holonom_algebra::Real;
use holonom_expression::Expression;
use holonom_expression::kinks::Tables;

/// A track in a frame: it starts at the origin along x; the curvature κ(s) bends it to the left, the
/// gradient i(s), rise by horizontal length, leads it upwards, and the cant φ(s), a turn about its
/// tangent, raises its left rail. s is the length along the track itself, so that ṡ is the speed.
///
/// With the yaw ψ = ∫ κ ds and the slope θ = arctan i, the position is
/// ∫ (cos θ cos ψ, cos θ sin ψ, sin θ) ds. Integrals are found by Gauss's quadrature from points that
/// are kept; their derivatives need none. The pitch is −θ: z points up and y to the left. Before its
/// beginning and behind its length the track goes on straight, with cant and gradient of its ends.
///
/// Velocities are continuous where curvature, cant and gradient are continuous and the latter two
/// have no corners: a curvature that rises linearly is a clothoid. `smoothstep`, 10 u³ − 15 u⁴ + 6 u⁵,
/// suits all three: with it accelerations are continuous, too.
#[derive(Clone, Debug)]
pub struct TrackCurve {
    curvature: Expression,
    cant: Expression,
    gradient: Expression,
    length: f64,
    /// s, ψ, x, y, z at the ends of cells, s rising.
    cells: Vec<[f64; 5]>,
}

/// Points and weights of Gauss on (0, 1), degree 11.
const GAUSS: [[f64; 2]; 6] = [
    [0.033_765_242_898_423_975, 0.085_662_246_189_585_17],
    [0.169_395_306_766_867_74, 0.180_380_786_524_069_3],
    [0.380_690_406_958_401_55, 0.233_956_967_286_345_52],
    [0.619_309_593_041_598_5, 0.233_956_967_286_345_52],
    [0.830_604_693_233_132_3, 0.180_380_786_524_069_3],
    [0.966_234_757_101_576, 0.085_662_246_189_585_17],
];
/// Longest cell, m.
const CELL: f64 = 5.0;
/// Most cells.
const MOST_CELLS: usize = 2_000_000;

impl TrackCurve {
    /// A level track of some length; curvature, 1/m, and cant, rad, are expressions of one variable.
    ///
    /// ```
    /// use holonom_expression::{Expression, Scope};
    /// use holonom_multibody::rail::TrackCurve;
    /// let scope = Scope::new().variable("s");
    /// let circle = Expression::parse("0.01", &scope, None).unwrap();
    /// let track = TrackCurve::new(&circle, &Expression::zero(), 400.0)?;
    /// let quarter = track.place(50.0 * std::f64::consts::PI);
    /// assert!((quarter.x - 100.0).abs() < 1e-10 && (quarter.y - 100.0).abs() < 1e-10);
    /// # Ok::<(), holonom_multibody::rail::RailError>(())
    /// ```
    ///
    /// # Errors
    /// When the length is not positive or too long, or an expression not finite along it.
    pub fn new(curvature: &Expression, cant: &Expression, length: f64) -> Result<Self, RailError> {
        Self::with_gradient(curvature, cant, &Expression::zero(), length)
    }

    /// The same with a gradient, rise by horizontal length.
    ///
    /// # Errors
    /// As for a level track.
    pub fn with_gradient(
        curvature: &Expression,
        cant: &Expression,
        gradient: &Expression,
        length: f64,
    ) -> Result<Self, RailError> {
        positive("the length of the track", length)?;
        let cells = (length / CELL).ceil().max(1.0);
        if cells > MOST_CELLS as f64 {
            return Err(RailError::TooMany {
                what: "the track",
                points: cells + 1.0,
                most: MOST_CELLS,
            });
        }
        let count = cells as usize;
        let mut ends: Vec<f64> = (0..=count).map(|k| length * k as f64 / cells).collect();
        // Corners of tables belong to the ends of cells, where quadrature does not mind them.
        for table in curvature.tables().iter().chain(gradient.tables().iter()) {
            ends.extend(table.x().iter().copied().filter(|s| *s > 0.0 && *s < length));
        }
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let mut track = Self {
            curvature: curvature.clone(),
            cant: cant.clone(),
            gradient: gradient.clone(),
            length,
            cells: Vec::with_capacity(ends.len()),
        };
        let mut at = [0.0; 5];
        for s in ends {
            let [psi, x, y, z] = track.from(at, s);
            at = [s, psi, x, y, z];
            let finite = |e: &Expression| e.jet(s).iter().all(|y: &f64| y.is_finite());
            let profile = match [curvature, cant, gradient].map(finite) {
                [true, true, true] if at.iter().all(|x| x.is_finite()) => {
                    track.cells.push(at);
                    continue;
                }
                [_, false, _] => "the cant",
                [_, _, false] => "the gradient",
                _ => "the curvature",
            };
            return Err(RailError::NotFinite { profile, at: s });
        }
        Ok(track)
    }

    /// Length, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Places at which curvature, cant or gradient begin, end or have corners, both ends of the track among them.
    pub(crate) fn breaks(&self) -> Vec<f64> {
        let mut places = vec![0.0, self.length];
        for profile in [&self.curvature, &self.cant, &self.gradient] {
            let kinks = profile.kinks(0, Tables::WithCorners);
            places.extend(kinks.into_iter().filter(|s| *s > 0.0 && *s < self.length));
        }
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }

    /// Yaw at s from that at the beginning of a cell.
    fn yaw(&self, from: f64, yaw: f64, s: f64) -> f64 {
        let step = s - from;
        let bend = |place: f64| -> f64 { self.curvature.evaluate(&[from + step * place]) };
        yaw + step
            * GAUSS
                .iter()
                .map(|[place, weight]| weight * bend(*place))
                .sum::<f64>()
    }

    /// Cosine and sine of the slope.
    fn slope(&self, s: f64) -> [f64; 2] {
        let gradient: f64 = self.gradient.evaluate(&[s]);
        let cos = gradient.hypot(1.0).recip();
        [cos, gradient * cos]
    }

    /// Yaw and position at s from those at the beginning of a cell.
    fn from(&self, [from, yaw, x, y, z]: [f64; 5], s: f64) -> [f64; 4] {
        let step = s - from;
        let mut d = [0.0; 3];
        for [place, weight] in GAUSS {
            let at = from + step * place;
            let (sin, cos) = self.yaw(from, yaw, at).sin_cos();
            let [level, rise] = self.slope(at);
            for (d, part) in d.iter_mut().zip([level * cos, level * sin, rise]) {
                *d += weight * part;
            }
        }
        let [dx, dy, dz] = d;
        [
            self.yaw(from, yaw, s),
            x + step * dx,
            y + step * dy,
            z + step * dz,
        ]
    }

    /// Where the track is at s.
    pub fn place(&self, s: f64) -> TrackPlace {
        let inside = s.clamp(0.0, self.length);
        let cell = self.cells.partition_point(|cell| cell[0] <= inside).max(1) - 1;
        let begin = self.cells.get(cell).copied().unwrap_or([0.0; 5]);
        let [yaw, x, y, z] = self.from(begin, inside);
        let (sin, cos) = yaw.sin_cos();
        let [level, rise] = self.slope(inside);
        let beyond = s - inside;
        TrackPlace {
            x: x + beyond * level * cos,
            y: y + beyond * level * sin,
            z: z + beyond * rise,
            yaw,
        }
    }

    /// The coordinates of [`COORDINATES`](Self::COORDINATES) by number, with their first two
    /// derivatives by time, for s, ṡ and s̈.
    pub fn coordinate<T: Real>(&self, number: usize, [s, speed, gain]: [T; 3]) -> [T; 3] {
        let at = s.value();
        let is_inside = (0.0..=self.length).contains(&at);
        // Outside, only the position goes on.
        let held = T::select(is_inside, s, T::constant(at.clamp(0.0, self.length)));
        let along = |[f, df, ddf]: [T; 3]| [f, df * speed, ddf * speed.square() + df * gain];
        let inside = |law: &Expression| {
            let [f, df, ddf] = law.jet(held);
            [
                f,
                T::select(is_inside, df, T::zero()),
                T::select(is_inside, ddf, T::zero()),
            ]
        };
        if number == 5 {
            return along(inside(&self.cant));
        }
        // θ = arctan i.
        let [gradient, steeper, bending] = inside(&self.gradient);
        let level_square = (gradient.square() + 1.0).recip();
        let turning = steeper * level_square;
        if number == 4 {
            let second = bending * level_square - gradient * turning.square() * 2.0;
            return along([-gradient.atan(), -turning, -second]);
        }
        let level = level_square.sqrt();
        let rise = gradient * level;
        let place = self.place(at);
        if number == 2 {
            return along([(s - at) * rise + place.z, rise, level * turning]);
        }
        let [bend, slope, _] = inside(&self.curvature);
        let bend = T::select(is_inside, bend, T::zero());
        // First derivatives by s are known: a scalar that carries derivatives gets them.
        let yaw = (s - at) * bend + place.yaw;
        if number == 3 {
            return along([yaw, bend, slope]);
        }
        let (sin, cos) = yaw.sin_cos();
        let sinking = rise * turning;
        match number {
            0 => {
                let second = -(sinking * cos) - level * sin * bend;
                along([(s - at) * level * cos + place.x, level * cos, second])
            }
            _ => {
                let second = level * cos * bend - sinking * sin;
                along([(s - at) * level * sin + place.y, level * sin, second])
            }
        }
    }

    /// Names of the coordinates.
    pub const COORDINATES: [&'static str; 6] = ["x", "y", "z", "yaw", "pitch", "cant"];
}

impl PartialEq for TrackCurve {
    fn eq(&self, other: &Self) -> bool {
        (self.length == other.length && self.curvature == other.curvature)
            && (self.cant == other.cant && self.gradient == other.gradient)
    }
}

/// A point of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackPlace {
    /// Position along x, m.
    pub x: f64,
    /// Position along y, m.
    pub y: f64,
    /// Height, m.
    pub z: f64,
    /// Angle of the tangent about z, rad.
    pub yaw: f64,
}
