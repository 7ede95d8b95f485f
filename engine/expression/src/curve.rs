//! Functions given by points: tables and splines.

use crate::Dimension;
use core::fmt;
use holonom_algebra::Real;
use thiserror::Error;

mod csv;
mod refusal;

pub use csv::Column;
pub use csv::points as points_of_text;
pub use refusal::{Refusal, forget_refusal, watch_refusals};

/// Most points of a curve.
pub const MAX_POINTS: usize = 4_000_000;

/// What happens between the points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines: corners at the points.
    Linear,
    /// The cubic spline with continuous second derivative. Its end pieces run through without a
    /// break at the second and the last but one point ("not-a-knot"), so that cubics are
    /// reproduced; with fewer than four points its second derivative is zero at both ends
    /// ("natural").
    #[default]
    Spline,
    /// Cubic pieces that are monotone where the points are: F. N. Fritsch, R. E. Carlson,
    /// SIAM J. Numer. Anal. 17 (1980) 238–246. The second derivative jumps at the points.
    Monotone,
}

impl Interpolation {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Linear, Self::Spline, Self::Monotone];

    /// Its name in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Spline => "spline",
            Self::Monotone => "monotone",
        }
    }
}

/// What happens outside the points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extrapolation {
    /// The value at the end.
    #[default]
    Hold,
    /// The tangent at the end.
    Linear,
    /// Not a number: a solver then rejects the step. [`watch_refusals`] tells which table it was.
    Refuse,
}

impl Extrapolation {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Hold, Self::Linear, Self::Refuse];

    /// Its name in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Linear => "linear",
            Self::Refuse => "refuse",
        }
    }
}

/// Why points make no curve.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CurveError {
    /// Fewer than two points.
    #[error("the table \"{name}\" has {points} points; it needs at least two")]
    TooFew {
        /// Name of the curve.
        name: String,
        /// Points given.
        points: usize,
    },
    /// More than [`MAX_POINTS`].
    #[error("the table \"{name}\" has {points} points; at most {MAX_POINTS} are allowed")]
    TooMany {
        /// Name of the curve.
        name: String,
        /// Points given.
        points: usize,
    },
    /// x and y do not belong together.
    #[error(
        "the lengths of x ({x}) and y ({y}) in the table \"{name}\" differ; give the same number of values"
    )]
    Lengths {
        /// Name of the curve.
        name: String,
        /// Values of x.
        x: usize,
        /// Values of y.
        y: usize,
    },
    /// A number that is not finite.
    #[error("point {} of the table \"{name}\" is not finite: ({x}, {y})", index + 1)]
    NotFinite {
        /// Name of the curve.
        name: String,
        /// Number of the point, from 0.
        index: usize,
        /// Its x.
        x: f64,
        /// Its y.
        y: f64,
    },
    /// x does not rise.
    #[error(
        "x of the table \"{name}\" must be increasing, but {after} at point {} follows {before}",
        index + 1
    )]
    NotRising {
        /// Name of the curve.
        name: String,
        /// Number of the point, from 0.
        index: usize,
        /// x of the point before.
        before: f64,
        /// x of the point.
        after: f64,
    },
    /// Points so close or values so far apart that slopes overflow.
    #[error("the table \"{name}\" is too steep at point {}: its slope is not a finite number", index + 1)]
    TooSteep {
        /// Name of the curve.
        name: String,
        /// Number of the point, from 0.
        index: usize,
    },
    /// A text that cannot be read.
    #[error("the table \"{name}\", line {line}: {fault}{}", remedy.iter().map(|r| format!("; {r}")).collect::<String>())]
    Csv {
        /// Name of the curve.
        name: String,
        /// Line in the text, from 1.
        line: usize,
        /// What is wrong there.
        fault: String,
        /// What helps.
        remedy: Option<String>,
    },
}

/// A function y(x) through given points.
///
/// ```
/// use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
/// let x = vec![0.0, 1.0, 2.0, 3.0];
/// let y = x.iter().map(|x: &f64| x.powi(3)).collect();
/// let cubic = Curve::new("cubic", x, y, Interpolation::Spline, Extrapolation::Refuse)?;
/// let [y, dy, ddy] = cubic.jet(1.5);
/// assert!((y - 3.375).abs() + (dy - 6.75).abs() + (ddy - 9.0).abs() < 1e-12);
/// assert!(cubic.evaluate(4.0).is_nan());
/// # Ok::<(), holonom_expression::curve::CurveError>(())
/// ```
#[derive(Clone)]
pub struct Curve {
    name: String,
    x: Vec<f64>,
    y: Vec<f64>,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
    /// Piece k is Σ cᵢ (x − xₖ)ⁱ.
    pieces: Vec<[f64; 4]>,
    /// What x and y are, where that is known.
    dimensions: [Option<Dimension>; 2],
}

impl Curve {
    /// A curve through the points (xₖ, yₖ).
    ///
    /// # Errors
    /// When there are fewer than two points or too many, x does not rise, or a number is not
    /// finite.
    pub fn new(
        name: impl Into<String>,
        x: Vec<f64>,
        y: Vec<f64>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<Self, CurveError> {
        let name = name.into();
        let points = x.len();
        if points != y.len() {
            let y = y.len();
            return Err(CurveError::Lengths { name, x: points, y });
        }
        if points < 2 {
            return Err(CurveError::TooFew { name, points });
        }
        if points > MAX_POINTS {
            return Err(CurveError::TooMany { name, points });
        }
        if let Some(index) = (0..points).find(|&k| !(x[k].is_finite() && y[k].is_finite())) {
            let (x, y) = (x[index], y[index]);
            return Err(CurveError::NotFinite { name, index, x, y });
        }
        if let Some(index) = (1..points).find(|&k| x[k] <= x[k - 1]) {
            return Err(CurveError::NotRising {
                name,
                index,
                before: x[index - 1],
                after: x[index],
            });
        }
        let steps: Vec<f64> = x.windows(2).map(|x| x[1] - x[0]).collect();
        let slopes: Vec<f64> = steps
            .iter()
            .zip(y.windows(2))
            .map(|(h, y)| (y[1] - y[0]) / h)
            .collect();
        let pieces: Vec<[f64; 4]> = match interpolation {
            Interpolation::Linear => slopes.iter().zip(&y).map(|(d, y)| [*y, *d, 0.0, 0.0]).collect(),
            Interpolation::Spline => hermite(&y, &steps, &slopes, &spline(&steps, &slopes)),
            Interpolation::Monotone => hermite(&y, &steps, &slopes, &monotone(&slopes)),
        };
        let finite = |piece: &[f64; 4]| piece.iter().all(|c| c.is_finite());
        if let Some(index) = pieces.iter().position(|piece| !finite(piece)) {
            return Err(CurveError::TooSteep { name, index });
        }
        Ok(Self {
            name,
            x,
            y,
            interpolation,
            extrapolation,
            pieces,
            dimensions: [None; 2],
        })
    }

    /// What x and y are, where the text they were read from has units.
    pub fn dimensions(&self) -> [Option<Dimension>; 2] {
        self.dimensions
    }

    /// Its name: how expressions call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Values of x.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Values of y.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// What happens between the points.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// What happens outside.
    pub fn extrapolation(&self) -> Extrapolation {
        self.extrapolation
    }

    /// The first and the last x.
    pub fn range(&self) -> [f64; 2] {
        [self.x[0], self.x[self.x.len() - 1]]
    }

    /// Whether its second derivative is continuous within its range.
    pub fn is_smooth(&self) -> bool {
        self.interpolation == Interpolation::Spline
    }

    /// The pieces that meet a range, each with the part of it that does, counted from where the piece begins.
    pub fn pieces_within(&self, lo: f64, hi: f64, mut visit: impl FnMut([f64; 4], f64, f64)) {
        let [first, last] = self.range();
        let (lo, hi) = (lo.max(first), hi.min(last));
        if lo > hi {
            return;
        }
        let end = self.pieces.len();
        let from = self.x.partition_point(|knot| *knot <= lo).clamp(1, end) - 1;
        for k in from..end {
            let x = self.x[k];
            if x > hi {
                break;
            }
            visit(self.pieces[k], lo.max(x) - x, hi.min(self.x[k + 1]) - x);
        }
    }

    /// y at x.
    pub fn evaluate<T: Real>(&self, x: T) -> T {
        self.jet(x)[0]
    }

    /// The polynomial between two neighbouring knots: coefficients of the powers of the distance from
    /// the first one.
    pub fn piece(&self, number: usize) -> [f64; 4] {
        self.pieces[number]
    }

    /// The number of the polynomial at x: 0 before the first point, one more than there are pieces behind the last one.
    pub fn piece_at(&self, x: f64) -> usize {
        let [first, last] = self.range();
        match x {
            _ if x < first => 0,
            _ if x > last => self.pieces.len() + 1,
            _ => self
                .x
                .partition_point(|knot| *knot <= x)
                .clamp(1, self.pieces.len()),
        }
    }

    /// y, y′ and y″ at x.
    pub fn jet<T: Real>(&self, x: T) -> [T; 3] {
        let at = x.value();
        let [first, last] = self.range();
        let end = self.pieces.len() - 1;
        // Derivatives may vanish or be constant; a recording scalar must see x all the same.
        let seen = |y: [T; 3]| y.map(|y| T::select(true, y, x));
        if at < first || at > last {
            let knot = if at < first { first } else { last };
            let [value, slope] = if at < first {
                [self.y[0], self.pieces[0][1]]
            } else {
                let [_, b, c, d] = self.pieces[end];
                let h = last - self.x[end];
                [self.y[end + 1], b + h * (2.0 * c + h * (3.0 * d))]
            };
            return seen(match self.extrapolation {
                Extrapolation::Hold => [T::constant(value), T::zero(), T::zero()],
                Extrapolation::Linear => [(x - knot) * slope + value, T::constant(slope), T::zero()],
                Extrapolation::Refuse => {
                    refusal::note(&self.name, at, [first, last]);
                    [T::constant(f64::NAN); 3]
                }
            });
        }
        let piece = self.x.partition_point(|knot| *knot <= at).clamp(1, end + 1) - 1;
        let [a, b, c, d] = self.pieces[piece];
        let u = x - self.x[piece];
        seen([
            ((u * d + c) * u + b) * u + a,
            (u * (3.0 * d) + 2.0 * c) * u + b,
            u * (6.0 * d) + 2.0 * c,
        ])
    }
}

/// Without the points, of which there may be millions.
impl fmt::Debug for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Curve")
            .field("name", &self.name)
            .field("points", &self.x.len())
            .field("range", &self.range())
            .field("interpolation", &self.interpolation)
            .field("extrapolation", &self.extrapolation)
            .finish()
    }
}

/// The pieces follow from the rest.
impl PartialEq for Curve {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.interpolation == other.interpolation
            && self.extrapolation == other.extrapolation
            && self.x == other.x
            && self.y == other.y
    }
}

/// Cubic pieces from values and derivatives at the points.
fn hermite(y: &[f64], steps: &[f64], slopes: &[f64], m: &[f64]) -> Vec<[f64; 4]> {
    (0..steps.len())
        .map(|k| {
            let (h, d) = (steps[k], slopes[k]);
            let c = (3.0 * d - 2.0 * m[k] - m[k + 1]) / h;
            [y[k], m[k], c, (m[k] + m[k + 1] - 2.0 * d) / h / h]
        })
        .collect()
}

/// Derivatives at the points that make the second derivative continuous: a tridiagonal system,
/// C. de Boor, A Practical Guide to Splines, ch. IV.
fn spline(h: &[f64], d: &[f64]) -> Vec<f64> {
    let n = h.len() + 1;
    // Rows (below, diagonal, above | right-hand side).
    let (first, last) = if n < 4 {
        ([2.0, 1.0, 3.0 * d[0]], [1.0, 2.0, 3.0 * d[n - 2]])
    } else {
        let end = |h0: f64, h1: f64, d0: f64, d1: f64| {
            let sum = h0 + h1;
            [h1, sum, ((h0 + 2.0 * sum) * h1 * d0 + h0 * h0 * d1) / sum]
        };
        let [diagonal, above, right] = end(h[0], h[1], d[0], d[1]);
        let [corner, below, right_end] = end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
        ([diagonal, above, right], [below, corner, right_end])
    };
    let row = |k: usize| {
        if k == 0 {
            [0.0, first[0], first[1], first[2]]
        } else if k == n - 1 {
            [last[0], last[1], 0.0, last[2]]
        } else {
            let (a, b) = (h[k - 1], h[k]);
            [b, 2.0 * (a + b), a, 3.0 * (b * d[k - 1] + a * d[k])]
        }
    };
    // Elimination without exchange: the rows between the ends are dominated by their diagonal.
    let mut m = vec![0.0; n];
    let mut above = vec![0.0; n];
    for k in 0..n {
        let [below, diagonal, up, right] = row(k);
        let (before, before_right) = match k {
            0 => (0.0, 0.0),
            _ => (above[k - 1], m[k - 1]),
        };
        let pivot = diagonal - below * before;
        above[k] = up / pivot;
        m[k] = (right - below * before_right) / pivot;
    }
    for k in (0..n - 1).rev() {
        m[k] -= above[k] * m[k + 1];
    }
    m
}

/// Derivatives at the points by Fritsch and Carlson.
fn monotone(d: &[f64]) -> Vec<f64> {
    let n = d.len() + 1;
    let mut m: Vec<f64> = (0..n)
        .map(|k| match k {
            0 => d[0],
            _ if k == n - 1 => d[n - 2],
            _ if d[k - 1].signum() * d[k].signum() <= 0.0 => 0.0,
            _ => 0.5 * d[k - 1] + 0.5 * d[k],
        })
        .collect();
    for k in 0..d.len() {
        if d[k] == 0.0 {
            (m[k], m[k + 1]) = (0.0, 0.0);
            continue;
        }
        // Inside the circle of radius 3 a cubic is monotone.
        let (a, b) = (m[k] / d[k], m[k + 1] / d[k]);
        let radius = a.hypot(b);
        if radius > 3.0 {
            let shrink = 3.0 / radius;
            (m[k], m[k + 1]) = (shrink * a * d[k], shrink * b * d[k]);
        }
    }
    m
}

#[cfg(test)]
mod tests;
