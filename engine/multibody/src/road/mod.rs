//! Road surfaces: height and slope over the x–y plane of a frame. One line in the registry per kind.
//!
//! Every surface gives its height h(x, y) and the exact gradient, for all scalars of the engine. z
//! of the road's frame points up, x along the road, y to the left (ISO 8855).
//!
//! ```
//! use holonom_multibody::road::{ROADS, RoadKind, Surface};
//! let bump = RoadKind::Bump { start: 1.0, length: 2.0, height: 0.1 };
//! let surface = Surface::new(&bump)?;
//! let top = surface.at(2.0, 0.3);
//! assert!((top.height - 0.1_f64).abs() < 1e-15 && top.slope[0].abs() < 1e-15);
//! assert!(ROADS.iter().any(|road| road.name == "iso-8608"));
//! # Ok::<(), holonom_multibody::road::RoadError>(())
//! ```

mod profile;
mod registry;

pub use profile::Profile;
pub use registry::{ROADS, RoadInfo, RoadKind};

use crate::diagnostic::Diagnostic;
use crate::tyre::smooth::rise;
use core::f64::consts::TAU;
use holonom_algebra::{Real, Vec3};
use holonom_expression::Expression;
use std::sync::Arc;
use thiserror::Error;

/// Why numbers make no road.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", Diagnostic::from(self))]
#[non_exhaustive]
pub enum RoadError {
    /// A number outside its bounds.
    Bounds {
        /// The name of its field, and what it is.
        quantity: [&'static str; 2],
        /// The number.
        value: f64,
        /// What is allowed.
        bounds: &'static str,
    },
    /// No harmonic lies between the wave numbers.
    NoHarmonics,
    /// More points than memory should hold.
    TooFine {
        /// Points needed.
        points: f64,
        /// Points allowed.
        most: usize,
    },
}

impl From<&RoadError> for Diagnostic {
    fn from(error: &RoadError) -> Self {
        match error {
            RoadError::Bounds {
                quantity,
                value,
                bounds,
            } => Self::out_of_bounds(*quantity, *value, bounds),
            RoadError::NoHarmonics => {
                Self::new("no multiple of 1/length lies between `lowest` and `highest`")
                    .remedy("increase `length`")
                    .field("length")
            }
            RoadError::TooFine { points, most } => Self::new(format!(
                "the profile would need {points} points, but at most {most} are allowed"
            ))
            .remedy("reduce `length` or `highest`")
            .field("length"),
        }
    }
}

/// Height of a surface at a point, and its gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elevation<T> {
    /// Height h.
    pub height: T,
    /// (∂h/∂x, ∂h/∂y).
    pub slope: [T; 2],
}

impl<T: Real> Elevation<T> {
    /// The unit normal, upwards.
    pub fn normal(&self) -> Vec3<T> {
        let [x, y] = self.slope;
        let length = (x.square() + y.square() + 1.0).sqrt();
        Vec3([-x, -y, T::one()]).scale(length.recip())
    }
}

/// A surface ready for evaluation. Copies share its data.
#[derive(Clone, Debug)]
pub enum Surface {
    /// h = 0.
    Flat,
    /// An expression of x and y.
    Height(Expression),
    /// Two profiles along x at y = ± track/2 with a smooth transition between them.
    Tracks {
        /// Height along the left track, an expression of x.
        left: Expression,
        /// The same on the right.
        right: Expression,
        /// Distance of the tracks, m.
        track: f64,
    },
    /// Random profiles.
    Random {
        /// The left one.
        left: Arc<Profile>,
        /// The right one; none where both are the same.
        right: Option<Arc<Profile>>,
        /// Distance of the tracks, m.
        track: f64,
        /// Length after x = 0 over which the roughness grows to its full size, m.
        fade: f64,
    },
    /// h/2 (1 − cos(2π (x − start)/length)).
    Bump {
        /// Where it begins, m.
        start: f64,
        /// Its length, m.
        length: f64,
        /// Its height, m.
        height: f64,
    },
    /// A smooth rise from zero to a height.
    Ramp {
        /// Where it begins, m.
        start: f64,
        /// Its length, m.
        length: f64,
        /// The height behind it, m.
        height: f64,
    },
}

/// A function known with two derivatives at the value of x, as a number with its derivatives.
///
/// The Taylor polynomial has the right value and first derivatives, which is all that the scalars
/// of the engine carry; the function itself is evaluated in plain numbers.
fn composed<T: Real>(x: T, [value, slope, curvature]: [f64; 3]) -> [T; 2] {
    let shift = x - x.value();
    [shift * slope + value, shift * curvature + slope]
}

/// Weight of the left track: 0 at y = −track/2 and right of it, 1 at track/2, with its slope.
fn left_share<T: Real>(y: T, track: f64) -> [T; 2] {
    let [share, slope] = rise(y / track + 0.5);
    [share, slope / track]
}

impl Surface {
    /// The surface of a kind.
    ///
    /// # Errors
    /// When its numbers make none.
    pub fn new(kind: &RoadKind) -> Result<Self, RoadError> {
        kind.surface()
    }

    /// Height and gradient at a point.
    pub fn at<T: Real>(&self, x: T, y: T) -> Elevation<T> {
        let along = |height: T, slope: T| Elevation {
            height,
            slope: [slope, T::zero()],
        };
        match self {
            Self::Flat => along(T::zero(), T::zero()),
            Self::Height(h) => {
                let [height, by_x, _] = h.partial(&[x, y], 0);
                let [_, by_y, _] = h.partial(&[x, y], 1);
                Elevation {
                    height,
                    slope: [by_x, by_y],
                }
            }
            Self::Tracks { left, right, track } => {
                let ([a, da, _], [b, db, _]) = (left.partial(&[x], 0), right.partial(&[x], 0));
                blended(y, *track, [a, da], [b, db])
            }
            Self::Random {
                left,
                right,
                track,
                fade,
            } => {
                let a = composed(x, left.jet(x.value()));
                let mut road = match right {
                    Some(right) => blended(y, *track, a, composed(x, right.jet(x.value()))),
                    None => along(a[0], a[1]),
                };
                if *fade > 0.0 {
                    let [share, slope] = rise(x / *fade);
                    let [by_x, by_y] = road.slope;
                    road.slope = [by_x * share + road.height * slope / *fade, by_y * share];
                    road.height *= share;
                }
                road
            }
            Self::Bump {
                start,
                length,
                height,
            } => {
                let u = (x - *start) * (TAU / length);
                let inside = u.value() > 0.0 && u.value() < TAU;
                let (sin, cos) = u.sin_cos();
                let zero = T::zero();
                along(
                    T::select(inside, (-cos + 1.0) * (0.5 * height), zero),
                    T::select(inside, sin * (0.5 * height * TAU / length), zero),
                )
            }
            Self::Ramp {
                start,
                length,
                height,
            } => {
                let [share, slope] = rise((x - *start) / *length);
                along(share * *height, slope * (height / length))
            }
        }
    }
}

fn blended<T: Real>(y: T, track: f64, [a, da]: [T; 2], [b, db]: [T; 2]) -> Elevation<T> {
    let [share, slope] = left_share(y, track);
    Elevation {
        height: b + (a - b) * share,
        slope: [db + (da - db) * share, (a - b) * slope],
    }
}

#[cfg(test)]
mod tests;
