//! Profiles composed of straight lines, arcs of circles and polynomials, in millimetres as standards
//! give them.

use holonom_algebra::Real;
use holonom_expression::Expression;

/// A piece of a profile: height z over s, both in mm.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    /// Σ cₖ sᵏ.
    Polynomial([f64; 9]),
    /// z = centre ± √(r² − (s − s₀)²): s₀, centre, and r with the sign.
    Arc([f64; 3]),
}

impl Piece {
    const fn line(at_zero: f64, slope: f64) -> Self {
        Self::Polynomial([at_zero, slope, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    }

    /// z, z′, z″.
    #[inline]
    fn jet<T: Real>(&self, s: T) -> [T; 3] {
        match self {
            Self::Polynomial(c) => {
                let zero = T::zero();
                let start = [zero, zero, zero];
                let [z, d, half] = c
                    .iter()
                    .rev()
                    .fold(start, |[z, d, half], c| [z * s + *c, d * s + z, half * s + d]);
                [z, d, half * 2.0]
            }
            Self::Arc([middle, centre, radius]) => {
                let x = s - *middle;
                let root = (-x.square() + radius * radius).sqrt();
                let sign = radius.signum();
                let slope = -(x / root) * sign;
                let bend = -(root.powi(3).recip() * (sign * radius * radius));
                [root * sign + *centre, slope, bend]
            }
        }
    }
}

/// A profile of pieces, for s in m outwards.
///
/// Beyond its ends it goes on along its tangents.
#[derive(Clone, Debug, PartialEq)]
pub struct PiecewiseProfile {
    /// Pieces and where they end, mm, s rising.
    pieces: Vec<(f64, Piece)>,
    /// Where the first begins, mm.
    begin: f64,
}

impl PiecewiseProfile {
    /// The wheel profile S1002 for flanges of 28 mm (EN 13715; UIC 510-2): what the radius has more
    /// than at the rolling circle over s, outwards from there.
    ///
    /// From the flange outwards: its back and its tip, an arc to the face of 70°, the arc of 13 mm at
    /// the throat, two polynomials of degrees 7 and 8 for the tread and the chamfer of 1 : 15. Lengths
    /// and coefficients as passed on by H. Netter, DLR; pieces meet within 5·10⁻⁴ mm, the rounding of
    /// the centre of the throat.
    ///
    /// ```
    /// use holonom_multibody::rail::PiecewiseProfile;
    /// let [more, slope, _] = PiecewiseProfile::s1002().jet(0.0_f64);
    /// // Tread of about 1 : 30 at the rolling circle.
    /// assert_eq!((more, slope), (0.0, -3.358537058e-2));
    /// ```
    pub fn s1002() -> Self {
        let chamfer = Piece::line(1.364_323_640, -0.066_666_667);
        let tread = Piece::Polynomial([
            0.0,
            -3.358_537_058e-2,
            1.565_681_624e-3,
            -2.810_427_944e-5,
            5.844_240_864e-8,
            -1.562_379_023e-8,
            5.309_217_349e-15,
            -5.957_839_843e-12,
            2.646_656_573e-13,
        ]);
        let root = Piece::Polynomial([
            -4.320_221_063e3,
            -1.038_384_026e3,
            -1.065_501_873e2,
            -6.051_367_875,
            -2.054_332_446e-1,
            -4.169_739_389e-3,
            -4.687_195_829e-5,
            -2.252_755_540e-7,
            0.0,
        ]);
        Self {
            begin: -69.0,
            pieces: vec![
                (-62.764_705_882, Piece::Arc([-49.5, 9.519_259_302, 20.5])),
                (-49.662_510_381, Piece::Arc([-55.0, 16.0, 12.0])),
                (
                    -39.764_473_993,
                    Piece::Arc([-58.558_326_413, 8.834_924_130, 20.0]),
                ),
                (-38.426_669_071, Piece::line(-93.576_667_419, -2.747_477_419)),
                (-35.0, Piece::Arc([-26.210_665, 16.446, -13.0])),
                (-26.0, root),
                (32.157_96, tread),
                (60.0, chamfer),
            ],
        }
    }

    /// The head of the rail 60E1, also called UIC 60 (EN 13674-1), upright: height over s from the
    /// middle of its top. Arcs of 300 mm over 20.456 mm, 80 mm up to a width of 52.053 mm and 13 mm
    /// down to the sides of 1 : 20, where the head is 72 mm wide.
    pub fn rail_60e1() -> Self {
        let mut middle = [0.0, -300.0];
        let mut right = Vec::with_capacity(4);
        let mut radius = 300.0;
        // Neighbours touch: their centres and the joint are on one line.
        for (joint, next) in [(0.5 * 20.456, 80.0), (0.5 * 52.053, 13.0)] {
            right.push((joint, [middle[0], middle[1], radius]));
            let sin: f64 = (joint - middle[0]) / radius;
            let cos = (1.0 - sin * sin).sqrt();
            middle = [
                middle[0] + (radius - next) * sin,
                middle[1] + (radius - next) * cos,
            ];
            radius = next;
        }
        let length = 20.0_f64.hypot(1.0);
        let (side, depth) = (middle[0] + radius * 20.0 / length, middle[1] + radius / length);
        right.push((side, [middle[0], middle[1], radius]));
        let line = |sign: f64| Piece::line(depth + 20.0 * side, -20.0 * sign);
        let bottom = side + 0.5;
        let mut pieces = vec![(-side, line(-1.0))];
        // The left half: each arc ends where the one above it begins.
        for k in (1..right.len()).rev() {
            let [s, z, r] = right[k].1;
            pieces.push((-right[k - 1].0, Piece::Arc([-s, z, r])));
        }
        pieces.extend(right.iter().map(|(end, arc)| (*end, Piece::Arc(*arc))));
        pieces.push((bottom, line(1.0)));
        Self {
            begin: -bottom,
            pieces,
        }
    }

    /// Where it begins and ends, m.
    pub fn range(&self) -> [f64; 2] {
        let end = self.pieces.last().map_or(self.begin, |(end, _)| *end);
        [1e-3 * self.begin, 1e-3 * end]
    }

    /// Height at s, m, with its first two derivatives.
    pub fn jet<T: Real>(&self, s: T) -> [T; 3] {
        let x = s * 1e3;
        let [begin, end] = [self.begin, self.range()[1] * 1e3];
        let at = x.value().clamp(begin, end);
        let found = self.pieces.partition_point(|(end, _)| *end < at);
        let Some((_, piece)) = self.pieces.get(found.min(self.pieces.len().saturating_sub(1))) else {
            return [T::zero(); 3];
        };
        let is_inside = at == x.value();
        let held = T::select(is_inside, x, T::constant(at));
        let [z, slope, bend] = piece.jet(held);
        let beyond = T::select(is_inside, T::zero(), x - at);
        [
            (z + slope * beyond) * 1e-3,
            slope,
            T::select(is_inside, bend * 1e3, T::zero()),
        ]
    }
}

/// The profile of a wheel or a rail over s, m.
#[derive(Clone, Debug, PartialEq)]
pub enum Profile {
    /// An expression of one variable, also a table.
    Law(Expression),
    /// Pieces of a standard.
    Pieces(PiecewiseProfile),
}

impl Profile {
    /// Height at s with its first two derivatives.
    #[inline]
    pub fn jet<T: Real>(&self, s: T) -> [T; 3] {
        match self {
            Self::Law(law) => law.jet(s),
            Self::Pieces(pieces) => pieces.jet(s),
        }
    }

    /// Height at s.
    #[inline]
    pub(super) fn height(&self, s: f64) -> f64 {
        match self {
            Self::Law(law) => law.evaluate(&[s]),
            Self::Pieces(pieces) => pieces.jet(s)[0],
        }
    }
}

impl From<&Expression> for Profile {
    fn from(law: &Expression) -> Self {
        Self::Law(law.clone())
    }
}

impl From<PiecewiseProfile> for Profile {
    fn from(pieces: PiecewiseProfile) -> Self {
        Self::Pieces(pieces)
    }
}
