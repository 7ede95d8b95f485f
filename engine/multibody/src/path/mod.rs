//! Paths to follow: lines in the x–y plane of a frame, known by their arc. One file per
//! kind, one line in the registry.
//!
//! z of the path's frame points up, x forward, y to the left (ISO 8855). A path has a direction, a
//! curvature that is continuous, and a lane where its kind has one: borders on both sides, so that a
//! vehicle can be seen to leave it.
//!
//! ```
//! use holonom_multibody::path::{Iso3888One, PATHS, PathCurve};
//! let course = PathCurve::new(&Iso3888One::new(1.8).into())?;
//! // In section 3, between borders 1.2 × 1.8 m + 0.25 m apart.
//! let [left, right] = course.clearances(57.5, [57.5, 3.0]).ok_or("a lane")?;
//! assert!((left + right - 2.41_f64).abs() < 1e-12);
//! assert!(PATHS.iter().any(|path| path.name == "points"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod lanes;
mod spline;

use crate::diagnostic::Diagnostic;
use crate::fields::{Field, Fields};
use crate::tyre::smooth::rise;
use core::fmt::Debug;
use holonom_algebra::Real;
use holonom_expression::curve::{Curve, CurveError};
use thiserror::Error;

/// Why numbers make no path.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", Diagnostic::from(self))]
#[non_exhaustive]
pub enum PathError {
    /// A number outside its bounds.
    Bounds {
        /// The name of its field, and what it is.
        quantity: [&'static str; 2],
        /// The number.
        value: f64,
        /// What is allowed.
        bounds: &'static str,
    },
    /// x and y do not belong together.
    Lengths {
        /// Values of x.
        x: usize,
        /// Values of y.
        y: usize,
    },
    /// Too few points.
    TooFew {
        /// Points given.
        found: usize,
        /// Points needed.
        needed: usize,
    },
    /// More points than memory should hold.
    TooMany {
        /// Points given.
        found: usize,
        /// Points allowed.
        most: usize,
    },
    /// Two points in a row at the same place.
    SamePlace {
        /// Number of the first, from 0.
        index: usize,
        /// Its x.
        x: f64,
        /// Its y.
        y: f64,
    },
    /// Points that make no curve.
    Curve(#[from] CurveError),
}

impl From<&PathError> for Diagnostic {
    fn from(error: &PathError) -> Self {
        match error {
            PathError::Bounds {
                quantity,
                value,
                bounds,
            } => Self::out_of_bounds(*quantity, *value, bounds),
            PathError::Lengths { x, y } => {
                Self::new(format!("the lengths of `x` ({x}) and `y` ({y}) differ"))
                    .remedy("give the same number of values")
                    .field("x")
            }
            PathError::TooFew { found, needed } => Self::new(format!(
                "the number of different points is {found}, but must be at least {needed}"
            ))
            .remedy("add points"),
            PathError::TooMany { found, most } => Self::new(format!(
                "there are {found} points, but at most {most} are allowed"
            ))
            .remedy("leave some out"),
            PathError::SamePlace { index, x, y } => Self::new(format!(
                "points {} and {} coincide at ({x}, {y})",
                index + 1,
                index + 2
            ))
            .remedy("remove one of them"),
            PathError::Curve(error) => Self::new(error.to_string()).remedy("correct it"),
        }
    }
}

/// A point of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathPoint<T> {
    /// Where it is.
    pub place: [T; 2],
    /// The unit tangent, forwards.
    pub tangent: [T; 2],
    /// Curvature, positive for a bend to the left.
    pub curvature: T,
}

impl<T: Real> PathPoint<T> {
    /// Components of a vector along the path and to its left.
    pub fn components(&self, [x, y]: [T; 2]) -> [T; 2] {
        let [cos, sin] = self.tangent;
        [x * cos + y * sin, y * cos - x * sin]
    }
}

/// A path ready for evaluation.
#[derive(Clone, Debug)]
pub struct PathCurve {
    shape: Shape,
    /// Length of a round of a closed path.
    round: Option<f64>,
    lane: Option<Lane>,
}

#[derive(Clone, Debug)]
enum Shape {
    /// A circle from the origin along x, or that line itself.
    Arc { curvature: f64 },
    /// Splines over the arc.
    Spline { x: Box<Curve>, y: Box<Curve> },
}

/// Borders on both sides.
#[derive(Clone, Debug)]
enum Lane {
    /// As far on both sides of the path.
    Constant { half: f64 },
    /// Borders over x: held outside the knots, between them with the quintic step.
    Borders {
        /// x, y of the left border, y of the right one.
        knots: Vec<[f64; 3]>,
    },
}

/// A kind of path as a description has it. Its default has the values of absent fields.
pub trait DescribedPath: Clone + Debug + Default + PartialEq {
    /// Name in model files and reports.
    const NAME: &str;
    /// One sentence for users.
    const DOC: &str;

    /// Shows its fields.
    fn fields(&mut self, visitor: &mut dyn Fields);
    /// The path ready for evaluation.
    ///
    /// # Errors
    /// When its numbers make none.
    fn curve(&self) -> Result<PathCurve, PathError>;
}

/// An entry of the registry: what users need to know about a kind of path.
#[derive(Debug)]
pub struct PathInfo {
    /// Name in model files and reports.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// The kind as absent fields leave it.
    pub template: fn() -> PathKind,
}

const fn info_of<P: DescribedPath>(template: fn() -> PathKind) -> PathInfo {
    PathInfo {
        name: P::NAME,
        doc: P::DOC,
        template,
    }
}

macro_rules! registry {
    ($($(#[$doc:meta])* $file:ident $kind:ident,)*) => {
        $(mod $file;)*
        $(pub use $file::$kind;)*

        /// What a path looks like.
        #[derive(Clone, Debug, PartialEq)]
        pub enum PathKind {
            $($(#[$doc])* $kind($kind),)*
        }

        $(impl From<$kind> for PathKind {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        })*

        /// All kinds of paths.
        pub const PATHS: &[&PathInfo] = &[$(const { &info_of::<$kind>(|| $kind::default().into()) },)*];

        impl PathKind {
            /// The registry's entry of the kind.
            pub fn info(&self) -> &'static PathInfo {
                match self {
                    $(Self::$kind(_) => const { &info_of::<$kind>(|| $kind::default().into()) },)*
                }
            }

            /// Shows the fields that are special to the kind.
            pub fn fields(&mut self, visitor: &mut dyn Fields) {
                match self {
                    $(Self::$kind(path) => path.fields(visitor),)*
                }
            }
        }

        impl PathCurve {
            /// The path of a kind.
            ///
            /// # Errors
            /// When its numbers make none.
            pub fn new(kind: &PathKind) -> Result<Self, PathError> {
                match kind {
                    $(PathKind::$kind(path) => path.curve(),)*
                }
            }
        }
    };
}

registry! {
    /// The x axis.
    straight Straight,
    /// A circle through the origin, begun along x.
    circle Circle,
    /// A smooth line through points.
    points Points,
    /// A smooth line through points in a file.
    file File,
    /// The double lane change of ISO 3888-1.
    iso_3888_1 Iso3888One,
    /// The obstacle avoidance of ISO 3888-2.
    iso_3888_2 Iso3888Two,
}

impl PathCurve {
    /// Length of a round of a closed path; none for a path that ends nowhere or goes on straight.
    pub fn round(&self) -> Option<f64> {
        self.round
    }

    /// The arc within the first round.
    fn within<T: Real>(&self, s: T) -> T {
        match self.round {
            Some(round) => s - (s.value() / round).floor() * round,
            None => s,
        }
    }

    /// The point at an arc s. Before its beginning and behind its end an open path goes on straight.
    ///
    /// ```
    /// use holonom_multibody::path::{Circle, PathCurve};
    /// let circle = PathCurve::new(&Circle { radius: 50.0, lane: 0.0 }.into())?;
    /// let quarter = circle.at(25.0 * std::f64::consts::PI);
    /// assert!((quarter.place[0] - 50.0_f64).hypot(quarter.place[1] - 50.0) < 1e-12);
    /// # Ok::<(), holonom_multibody::path::PathError>(())
    /// ```
    pub fn at<T: Real>(&self, s: T) -> PathPoint<T> {
        let s = self.within(s);
        match &self.shape {
            Shape::Arc { curvature } if *curvature == 0.0 => PathPoint {
                place: [s, T::zero()],
                tangent: [T::one(), T::zero()],
                curvature: T::zero(),
            },
            Shape::Arc { curvature } => {
                let (sin, cos) = (s * *curvature).sin_cos();
                let radius = 1.0 / curvature;
                PathPoint {
                    place: [sin * radius, (-cos + 1.0) * radius],
                    tangent: [cos, sin],
                    curvature: T::constant(*curvature),
                }
            }
            Shape::Spline { x, y } => {
                let ([x, dx, ddx], [y, dy, ddy]) = (x.jet(s), y.jet(s));
                // One but for the splines' error: s is the arc.
                let scale = (dx.square() + dy.square()).sqrt().recip();
                PathPoint {
                    place: [x, y],
                    tangent: [dx * scale, dy * scale],
                    curvature: (dx * ddy - dy * ddx) * scale.powi(3),
                }
            }
        }
    }

    /// Distances of a place from the left and from the right border of the lane, positive within it;
    /// none where there is no lane. `s` is the arc of the path beside the place.
    pub fn clearances<T: Real>(&self, s: T, [x, y]: [T; 2]) -> Option<[T; 2]> {
        match self.lane.as_ref()? {
            Lane::Constant { half } => {
                let point = self.at(s);
                let [_, left] = point.components([x - point.place[0], y - point.place[1]]);
                Some([-left + *half, left + *half])
            }
            Lane::Borders { knots } => {
                let next = knots.partition_point(|knot| knot[0] <= x.value());
                let before = knots.get(next.saturating_sub(1))?;
                // The same knot twice outside of all.
                let after = knots.get(next).filter(|_| next > 0).unwrap_or(before);
                let width = after[0] - before[0];
                let place = if width > 0.0 {
                    (x - before[0]) / width
                } else {
                    x * 0.0
                };
                let [share, _] = rise(place);
                let [left, right] = [1, 2].map(|k| share * (after[k] - before[k]) + before[k]);
                Some([left - y, y - right])
            }
        }
    }

    /// Whether there are borders.
    pub fn has_lane(&self) -> bool {
        self.lane.is_some()
    }

    /// The arc of the point nearest to a place, found by search along the path between two arcs.
    ///
    /// ```
    /// use holonom_multibody::path::{Circle, PathCurve};
    /// let circle = PathCurve::new(&Circle { radius: 50.0, lane: 0.0 }.into())?;
    /// let s = circle.nearest([70.0, 50.0], [0.0, 200.0]);
    /// assert!((s - 25.0 * std::f64::consts::PI).abs() < 1e-9);
    /// # Ok::<(), holonom_multibody::path::PathError>(())
    /// ```
    pub fn nearest(&self, [x, y]: [f64; 2], [from, to]: [f64; 2]) -> f64 {
        const STEPS: usize = 1000;
        let distance = |s: f64| {
            let [a, b] = self.at(s).place;
            (x - a).hypot(y - b)
        };
        let step = (to - from) / STEPS as f64;
        let near = (0..=STEPS)
            .map(|k| from + step * k as f64)
            .min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
            .unwrap_or(from);
        // Newton's method for the foot of the perpendicular, kept near the best of the points.
        let mut s = near;
        for _ in 0..50 {
            let point = self.at(s);
            let [along, left] = point.components([x - point.place[0], y - point.place[1]]);
            let slope = (1.0 - point.curvature * left).max(0.1);
            let next = (s + along / slope).clamp((near - step).max(from), (near + step).min(to));
            if (next - s).abs() <= 1e-14 * (1.0 + s.abs()) {
                return next;
            }
            s = next;
        }
        s
    }

    /// A smooth line through points.
    fn through(points: &[[f64; 2]], closed: bool) -> Result<Self, PathError> {
        spline::through(points, closed)
    }

    /// A circle from the origin along x, or that line itself.
    fn arc(curvature: f64) -> Self {
        Self {
            shape: Shape::Arc { curvature },
            round: (curvature != 0.0).then(|| core::f64::consts::TAU / curvature.abs()),
            lane: None,
        }
    }

    /// The path with a lane of constant width, with the path in its middle; none for no width.
    fn with_lane(mut self, width: f64) -> Self {
        self.lane = (width > 0.0).then_some(Lane::Constant { half: 0.5 * width });
        self
    }
}

const LANE: Field = Field::optional(
    "lane",
    "m",
    "Width of the lane, centred on the path; zero for no lane.",
);
const CLOSED: Field = Field::optional("closed", "", "Connects the last point to the first.");

/// The width of a lane.
fn lane_width(lane: f64) -> Result<f64, PathError> {
    not_negative(["lane", "the width of the lane"], lane)
}

fn not_negative(quantity: [&'static str; 2], value: f64) -> Result<f64, PathError> {
    bounded(
        quantity,
        value,
        value >= 0.0 && value.is_finite(),
        "zero or positive",
    )
}

fn bounded(
    quantity: [&'static str; 2],
    value: f64,
    good: bool,
    bounds: &'static str,
) -> Result<f64, PathError> {
    if good {
        Ok(value)
    } else {
        Err(PathError::Bounds {
            quantity,
            value,
            bounds,
        })
    }
}

#[cfg(test)]
mod tests;
