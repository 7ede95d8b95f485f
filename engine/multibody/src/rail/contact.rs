//! Where a wheel touches a rail.
//!
//! The rail is a cylinder along its x axis with a profile in the y–z plane; the wheel is a surface of
//! revolution about its axle. Seen along the rail, the wheel has an outline, and both touch where
//! outline and profile do: the normal of a prismatic rail has no component along x, so that of the
//! wheel has none there either. For the circle of radius R(s) around the axle n this fixes the point
//! of the outline in closed form. With κ = n_x² and the centre c,
//!
//! y = c_y + (s − B) n_y + A n_z,  z = c_z + (s − B) n_z − A n_y,
//! A = R √(1 − κ (1 + R′²))/(1 − κ),  B = R R′ κ/(1 − κ),
//!
//! exactly, for any yaw and roll.

use super::taylor::Taylor;
use super::{Profile, RailError, positive};
use holonom_algebra::{Real, Vec3};
use std::sync::Arc;

/// The wheel in the axes of the rail: origin at the rail's nominal contact point, x along it, y to
/// the left, z up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen<T> {
    /// Centre of the rolling circle.
    pub centre: Vec3<T>,
    /// Axle, a unit vector to the left.
    pub axle: Vec3<T>,
}

/// The contact, in the axes of the rail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<T> {
    /// Gap, m: negative when the bodies overlap.
    pub gap: T,
    /// Derivative of the gap by the centre: along the normal that points to the wheel. Its length
    /// is one for a cone and 1/cos δ for profiles, whose gap is measured upwards.
    pub force: Vec3<T>,
    /// Load of a unit force about the centre: ġ = force·u + moment·w.
    pub moment: Vec3<T>,
    /// Unit normal, to the wheel.
    pub normal: Vec3<T>,
    /// From the centre of the wheel to the contact point.
    pub arm: Vec3<T>,
    /// Place of the contact on the wheel, along the axle and outwards from the rolling circle, m.
    pub place: T,
    /// Rolling radius there, m.
    pub radius: T,
    /// Half the sums of the curvatures along and across the direction of rolling, 1/m.
    pub curvatures: [T; 2],
}

/// A conical wheel on a round rail head: the closed form.
///
/// g = (f_z (c_z + ρ) + f_y c_y) − r₀/√(1 + γ²) − ρ with ρ the radius of the head and f the unit
/// normal: the distance of the centre of the head from the outline, which is a straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Radius of the rolling circle r₀, m.
    pub radius: f64,
    /// Slope γ by which the radius decreases outwards.
    pub conicity: f64,
    /// Radius ρ of the rail head, m.
    pub head: f64,
}

/// Profiles of wheel and rail as functions of the distance s, outwards from the rolling circle.
///
/// Their gap D(s) is smoothed quasi-elastically: with the weights p ∝ exp(−D/ε) of points along the
/// profile, the contact point is Σ p s, and the gap −ε ln(mean exp(−D/ε)). Where the rigid contact
/// point jumps, this one moves within a displacement of about ε by the difference of slopes. The
/// width of the weights also gives the curvature across, ε/variance.
#[derive(Clone, Debug)]
pub struct Profiles {
    /// Radius of the rolling circle, m.
    radius: f64,
    /// ε, m.
    smoothing: f64,
    /// Distance of the points, m.
    step: f64,
    /// s, R and R′ of the wheel.
    points: Vec<[f64; 3]>,
    /// Largest |R′|.
    steepest: f64,
    /// Height of the rail over s.
    rail: Profile,
}

/// A wheel and its rail.
#[derive(Clone, Debug)]
pub enum ContactGeometry {
    /// A cone on a round head.
    Cone {
        /// Its numbers.
        cone: Cone,
        /// 1 for the left wheel, −1 for the right one.
        side: f64,
    },
    /// Two profiles.
    Profiles {
        /// The profiles.
        profiles: Arc<Profiles>,
        /// 1 for the left wheel, −1 for the right one.
        side: f64,
    },
}

/// Most points of a profile.
const MOST_POINTS: usize = 20_000;
/// Points that are this many ε above the lowest weigh nothing.
const HIGH: f64 = 40.0;

impl Cone {
    /// Checks the numbers.
    ///
    /// # Errors
    /// When a radius is not positive or the conicity no usable slope.
    pub fn check(&self) -> Result<(), RailError> {
        positive("the radius of the wheel", self.radius)?;
        positive("the radius of the rail head", self.head)?;
        if self.conicity.abs() < 1.0 {
            return Ok(());
        }
        Err(RailError::OutOfRange {
            quantity: "the conicity",
            value: self.conicity,
            bounds: "between -1 and 1",
        })
    }

    fn touch<T: Real>(&self, seen: &Seen<T>) -> Touch<T> {
        let (u, [nx, ny, nz], [_, cy, cz]) = (-self.conicity, seen.axle.0, seen.centre.0);
        let q = 1.0 + u * u;
        let turned = turned(nx, u);
        let rest = -(turned * q) + 1.0;
        let w = rest.sqrt();
        let scale = ((-turned + 1.0) * q.sqrt()).recip();
        let (fy, fz) = ((ny * u - nz * w) * scale, (ny * w + nz * u) * scale);
        let gap = fz * (cz + self.head) + fy * cy - (self.radius / q.sqrt() + self.head);
        // The point of the wheel nearest to the head; the one of the rail is the gap away.
        let reach = gap + self.head;
        let (ay, az) = (reach * fy - cy, reach * fz - cz - self.head);
        let place = (ay * ny + az * nz + turned * (self.radius * u)) / rest;
        let radius = place * u + self.radius;
        let arm = Vec3([nx * (place + radius * u), ay, az]);
        let normal = Vec3([T::zero(), fy, fz]);
        Touch {
            gap,
            force: normal,
            moment: arm.cross(normal),
            normal,
            arm,
            place,
            radius,
            curvatures: [
                rolling_curvature(normal, seen.axle, radius, self.radius),
                T::constant(0.5 / self.head),
            ],
        }
    }

    fn motion<T: Real>(&self, [cy, cz]: [Taylor<T>; 2], [nx, ny, nz]: [Taylor<T>; 3]) -> Taylor<T> {
        let u = -self.conicity;
        let q = 1.0 + u * u;
        let turned = turning(nx, u);
        let w = turned.scale(-q).plus(1.0).sqrt();
        let scale = turned.scale(-1.0).plus(1.0).scale(q.sqrt()).recip();
        let along = (ny * w + nz.scale(u)) * cz.plus(self.head) + (ny.scale(u) - nz * w) * cy;
        (along * scale).plus(-self.radius / q.sqrt() - self.head)
    }
}

/// Half the curvature of the wheel along the direction of rolling (Meusnier), finite also where a
/// cone comes to its tip and for a wheel that lies flat.
fn rolling_curvature<T: Real>(normal: Vec3<T>, axle: Vec3<T>, radius: T, nominal: f64) -> T {
    let along = normal.dot(axle);
    let least = 0.1 * nominal;
    let radius = T::select(radius.value() > least, radius, T::constant(least));
    (-along.square() + (1.0 + 1e-12)).sqrt() / radius * 0.5
}

/// κ = n_x², held where the wheel stands across the rail and has no outline: there contact has no
/// meaning, but numbers stay finite.
fn turned<T: Real>(nx: T, steepest: f64) -> T {
    let (square, most) = (nx.square(), most_turned(steepest));
    T::select(square.value() < most, square, T::constant(most))
}

fn most_turned(steepest: f64) -> f64 {
    0.999 / (1.0 + steepest * steepest)
}

/// The same along a motion.
fn turning<T: Real>(nx: Taylor<T>, steepest: f64) -> Taylor<T> {
    let (square, most) = (nx * nx, most_turned(steepest));
    match square.0[0].value() < most {
        true => square,
        false => Taylor(square.0.map(|x| T::select(true, T::zero(), x))).plus(most),
    }
}

impl Profiles {
    /// Points of a wheel profile against a rail.
    ///
    /// `wheel` is what the radius has more than `radius` at the distance s outwards from the rolling
    /// circle, `rail` the height of the rail there. Points are `step` apart within `range`; a tenth
    /// of a millimetre to a millimetre suits a smoothing of 10⁻⁵ m.
    ///
    /// # Errors
    /// When a number is out of range or the wheel's profile not finite.
    pub fn new(
        radius: f64,
        wheel: impl Into<Profile>,
        rail: impl Into<Profile>,
        range: [f64; 2],
        step: f64,
        smoothing: f64,
    ) -> Result<Self, RailError> {
        let (wheel, rail) = (wheel.into(), rail.into());
        positive("the radius of the wheel", radius)?;
        positive("the smoothing", smoothing)?;
        positive("the step along the profile", step)?;
        let [first, last] = range;
        if !(first.is_finite() && last.is_finite() && first < last) {
            return Err(RailError::OutOfRange {
                quantity: "the end of the profile",
                value: last,
                bounds: "finite and beyond its beginning",
            });
        }
        let count = ((last - first) / step).round().max(1.0);
        if count >= MOST_POINTS as f64 {
            return Err(RailError::TooMany {
                what: "the profile of the wheel",
                points: count + 1.0,
                most: MOST_POINTS,
            });
        }
        let mut points = Vec::with_capacity(count as usize + 1);
        for k in 0..=count as usize {
            let s = first + (last - first) * k as f64 / count;
            let [more, slope, _] = wheel.jet(s);
            if !(more.is_finite() && slope.is_finite()) {
                return Err(RailError::NotFinite {
                    profile: "the profile of the wheel",
                    at: s,
                });
            }
            positive("the radius of the wheel along its profile", radius + more)?;
            points.push([s, radius + more, slope]);
        }
        if !(rail.jet(0.0).iter().all(|y: &f64| y.is_finite())) {
            return Err(RailError::NotFinite {
                profile: "the profile of the rail",
                at: 0.0,
            });
        }
        Ok(Self {
            radius,
            smoothing,
            step: (last - first) / count,
            steepest: points
                .iter()
                .fold(0.0, |most: f64, p: &[f64; 3]| most.max(p[2].abs())),
            points,
            rail,
        })
    }

    /// Radius of the rolling circle, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// A and B of a point, divided by R and R R′, and their derivatives by κ.
    #[inline]
    fn outline<T: Real>(turned: T, slope: f64) -> [T; 4] {
        let q = 1.0 + slope * slope;
        let root = (-(turned * q) + 1.0).sqrt();
        let inverse = (-turned + 1.0).recip();
        let square = inverse.square();
        [
            root * inverse,
            turned * inverse,
            root * square - inverse / root * (0.5 * q),
            square,
        ]
    }

    /// The rigid gap at a point; not a number where the profiles end.
    #[inline]
    fn rigid(&self, point: &[f64; 3], centre: [f64; 2], axle: [f64; 3]) -> f64 {
        let ([cy, cz], [nx, ny, nz], [s, radius, slope]) = (centre, axle, *point);
        let [a, b, ..] = Self::outline(turned(nx, self.steepest), slope);
        let (a, along) = (a * radius, s - b * radius * slope);
        let height = self.rail.height(cy + along * ny + a * nz);
        cz + along * nz - a * ny - height
    }

    /// The lowest rigid gap.
    fn lowest<T: Real>(&self, seen: &Seen<T>) -> f64 {
        let (centre, axle) = values(seen);
        let gaps = self.points.iter().map(|point| self.rigid(point, centre, axle));
        // `min` passes over what is not a number.
        gaps.fold(f64::INFINITY, f64::min)
    }

    fn touch<T: Real>(&self, seen: &Seen<T>) -> Touch<T> {
        let lowest = self.lowest(seen);
        let (centre, axle) = values(seen);
        let ([nx, ny, nz], [_, cy, cz]) = (seen.axle.0, seen.centre.0);
        let turned = turned(nx, self.steepest);
        let zero = T::zero();
        let mut sum = zero;
        let mut slope_mean = zero;
        let mut by_axle = [zero; 3];
        let mut arm = [zero; 3];
        let [mut place, mut square, mut radius_mean] = [zero; 3];
        for point in &self.points {
            let above = self.rigid(point, centre, axle) - lowest;
            if above.is_nan() || above >= HIGH * self.smoothing {
                continue;
            }
            let [s, radius, slope] = *point;
            let [a, b, da, db] = Self::outline(turned, slope);
            let (a, da) = (a * radius, da * radius);
            let (b, db) = (b * (radius * slope), db * (radius * slope));
            let along = -b + s;
            let (y, z) = (along * ny + a * nz, along * nz - a * ny);
            let [height, incline, _] = self.rail.jet(cy + y);
            let gap = cz + z - height;
            let weight = (-((gap - lowest) / self.smoothing)).exp();
            let by_turn = -(db * nz) - da * ny - incline * (da * nz - db * ny);
            sum += weight;
            slope_mean += weight * incline;
            for (mean, value) in
                by_axle
                    .iter_mut()
                    .zip([nx * by_turn * 2.0, -(incline * along) - a, along - incline * a])
            {
                *mean += weight * value;
            }
            for (mean, value) in arm.iter_mut().zip([nx * (s + radius * slope), y, z]) {
                *mean += weight * value;
            }
            place += weight * s;
            square += weight * (s * s);
            radius_mean += weight * radius;
        }
        let share = sum.recip();
        let force = Vec3([zero, -(slope_mean * share), T::one()]);
        let length = force.norm_squared().sqrt();
        let normal = force.scale(length.recip());
        let (place, radius) = (place * share, radius_mean * share);
        // A tenth of a step keeps the curvature finite where a single point counts.
        let variance = square * share - place.square() + (0.1 * self.step).powi(2);
        let curvature = (variance * length.powi(3)).recip() * (0.5 * self.smoothing);
        Touch {
            gap: (sum / self.points.len() as f64).ln() * -self.smoothing + lowest,
            force,
            moment: seen.axle.cross(Vec3(by_axle).scale(share)),
            normal,
            arm: Vec3(arm).scale(share),
            place,
            radius,
            curvatures: [
                rolling_curvature(normal, seen.axle, radius, self.radius),
                curvature,
            ],
        }
    }

    fn motion<T: Real>(
        &self,
        seen: &Seen<T>,
        [cy, cz]: [Taylor<T>; 2],
        [nx, ny, nz]: [Taylor<T>; 3],
    ) -> Taylor<T> {
        let lowest = self.lowest(seen);
        let (centre, axle) = values(seen);
        let turned = turning(nx, self.steepest);
        let inverse = turned.scale(-1.0).plus(1.0).recip();
        let mut sum = Taylor::constant(0.0);
        for point in &self.points {
            let above = self.rigid(point, centre, axle) - lowest;
            if above.is_nan() || above >= HIGH * self.smoothing {
                continue;
            }
            let [s, radius, slope] = *point;
            let root = turned.scale(-(1.0 + slope * slope)).plus(1.0).sqrt();
            let a = (root * inverse).scale(radius);
            let along = (turned * inverse).scale(-radius * slope).plus(s);
            let y = cy + along * ny + a * nz;
            let height = y.chain(self.rail.jet(y.0[0]));
            let gap = cz + along * nz - a * ny - height;
            sum = sum + gap.plus(-lowest).scale(-1.0 / self.smoothing).exp();
        }
        let mean = sum.scale(1.0 / self.points.len() as f64);
        mean.ln().scale(-self.smoothing).plus(lowest)
    }
}

/// Centre (y, z) and axle as numbers.
fn values<T: Real>(seen: &Seen<T>) -> ([f64; 2], [f64; 3]) {
    let [_, y, z] = seen.centre.0;
    ([y.value(), z.value()], seen.axle.0.map(T::value))
}

impl ContactGeometry {
    fn side(&self) -> f64 {
        match self {
            Self::Cone { side, .. } | Self::Profiles { side, .. } => *side,
        }
    }

    /// Radius of the rolling circle, m.
    pub fn radius(&self) -> f64 {
        match self {
            Self::Cone { cone, .. } => cone.radius,
            Self::Profiles { profiles, .. } => profiles.radius,
        }
    }

    /// The contact for a place of the wheel.
    ///
    /// ```
    /// use holonom_multibody::rail::{Cone, ContactGeometry, Seen};
    /// use holonom_algebra::Vec3;
    /// let cone = Cone { radius: 0.5, conicity: 0.05, head: 0.3 };
    /// let left = ContactGeometry::Cone { cone, side: 1.0 };
    /// // 4 mm to the left: nearer to the flange, on a larger radius.
    /// let touch = left.touch(&Seen { centre: Vec3([0.0, 0.004, 0.5]), axle: Vec3::unit(1) });
    /// assert!(touch.radius > 0.5);
    /// ```
    pub fn touch<T: Real>(&self, seen: &Seen<T>) -> Touch<T> {
        let side = self.side();
        // The right wheel is the image of the left one.
        let flip = |v: Vec3<T>| Vec3([v.0[0], v.0[1] * side, v.0[2]]);
        let flip_axle = |v: Vec3<T>| Vec3([v.0[0] * side, v.0[1], v.0[2] * side]);
        let image = Seen {
            centre: flip(seen.centre),
            axle: flip_axle(seen.axle),
        };
        let touch = match self {
            Self::Cone { cone, .. } => cone.touch(&image),
            Self::Profiles { profiles, .. } => profiles.touch(&image),
        };
        Touch {
            force: flip(touch.force),
            // Moments and turns of an image have the other sign along its plane.
            moment: flip_axle(touch.moment),
            normal: flip(touch.normal),
            arm: flip(touch.arm),
            ..touch
        }
    }

    /// g, ġ and g̈ for a motion: centre and axle with their first two derivatives.
    pub fn motion<T: Real>(&self, centre: [Vec3<T>; 3], axle: [Vec3<T>; 3]) -> [T; 3] {
        let side = self.side();
        let part = |of: &[Vec3<T>; 3], k: usize, sign: f64| Taylor(of.map(|v| v.0[k] * sign));
        let c = [part(&centre, 1, side), part(&centre, 2, 1.0)];
        let n = [part(&axle, 0, side), part(&axle, 1, 1.0), part(&axle, 2, side)];
        match self {
            Self::Cone { cone, .. } => cone.motion(c, n).0,
            Self::Profiles { profiles, .. } => {
                let seen = Seen {
                    centre: Vec3([T::zero(), c[0].0[0], c[1].0[0]]),
                    axle: Vec3(n.map(|n| n.0[0])),
                };
                profiles.motion(&seen, c, n).0
            }
        }
    }
}
