//! Road surfaces: height and slope over the x–y plane of a frame. One file per kind, one line in the registry.
//!
//! Every surface gives its height h(x, y) and the exact gradient, for all scalars of the engine. z
//! of the road's frame points up, x along the road, y to the left (ISO 8855).
//!
//! ```
//! use holonom_multibody::road::{Bump, ROADS, Surface};
//! let bump = Bump { start: 1.0, length: 2.0, height: 0.1 };
//! let surface = Surface::new(&bump.into())?;
//! let top = surface.at(2.0, 0.3);
//! assert!((top.height - 0.1_f64).abs() < 1e-15 && top.slope[0].abs() < 1e-15);
//! assert!(ROADS.iter().any(|road| road.name == "iso-8608"));
//! # Ok::<(), holonom_multibody::road::RoadError>(())
//! ```

mod profile;

pub use iso_8608::RandomProfiles;

use crate::diagnostic::Diagnostic;
use crate::fields::Fields;
use crate::tyre::smooth::rise;
use core::fmt::Debug;
use holonom_algebra::{Real, Vec3};
use holonom_expression::ExpressionError;
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
    /// An expression of a variable that the place on a road has not.
    Variable(#[from] ExpressionError),
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
            RoadError::Variable(error) => error.into(),
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
    /// Height and slope of a road that is the same at all y.
    pub fn along(height: T, slope: T) -> Self {
        Self {
            height,
            slope: [slope, T::zero()],
        }
    }

    /// The unit normal, upwards.
    pub fn normal(&self) -> Vec3<T> {
        let [x, y] = self.slope;
        let length = (x.square() + y.square() + 1.0).sqrt();
        Vec3([-x, -y, T::one()]).scale(length.recip())
    }
}

/// A kind of road as a description has it. Its default has the values of absent fields.
pub trait DescribedRoad: Clone + Debug + Default + PartialEq {
    /// Name in model files and reports.
    const NAME: &str;
    /// One sentence for users.
    const DOC: &str;
    /// Its height is zero everywhere.
    const FLAT: bool = false;
    /// The road ready for evaluation, often the same type.
    type Law: RoadLaw + Clone + Debug;

    /// Shows its fields.
    fn fields(&mut self, visitor: &mut dyn Fields);
    /// The road ready for evaluation.
    ///
    /// # Errors
    /// When its numbers make none.
    fn law(&self) -> Result<Self::Law, RoadError>;
}

/// Height and slope of a kind of road.
pub trait RoadLaw {
    /// Height and gradient at a point.
    fn at<T: Real>(&self, x: T, y: T) -> Elevation<T>;
}

/// An entry of the registry: what users need to know about a kind of road.
#[derive(Debug)]
pub struct RoadInfo {
    /// Name in model files and reports.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// Its height is zero everywhere.
    pub flat: bool,
    /// The kind as absent fields leave it.
    pub template: fn() -> RoadKind,
}

const fn info_of<R: DescribedRoad>(template: fn() -> RoadKind) -> RoadInfo {
    RoadInfo {
        name: R::NAME,
        doc: R::DOC,
        flat: R::FLAT,
        template,
    }
}

macro_rules! registry {
    ($($(#[$doc:meta])* $file:ident $kind:ident,)*) => {
        $(mod $file;)*
        $(pub use $file::$kind;)*

        /// What a road looks like.
        #[derive(Clone, Debug, PartialEq)]
        pub enum RoadKind {
            $($(#[$doc])* $kind($kind),)*
        }

        $(impl From<$kind> for RoadKind {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        })*

        /// All kinds of roads.
        pub const ROADS: &[&RoadInfo] = &[$(const { &info_of::<$kind>(|| $kind::default().into()) },)*];

        impl RoadKind {
            /// The registry's entry of the kind.
            pub fn info(&self) -> &'static RoadInfo {
                match self {
                    $(Self::$kind(_) => const { &info_of::<$kind>(|| $kind::default().into()) },)*
                }
            }

            /// Shows the fields that are special to the kind.
            pub fn fields(&mut self, visitor: &mut dyn Fields) {
                match self {
                    $(Self::$kind(road) => road.fields(visitor),)*
                }
            }
        }

        /// A surface ready for evaluation. Copies share its data.
        #[derive(Clone, Debug)]
        pub enum Surface {
            $($(#[$doc])* $kind(<$kind as DescribedRoad>::Law),)*
        }

        impl Surface {
            /// The surface of a kind.
            ///
            /// # Errors
            /// When its numbers make none.
            pub fn new(kind: &RoadKind) -> Result<Self, RoadError> {
                Ok(match kind {
                    $(RoadKind::$kind(road) => Self::$kind(road.law()?),)*
                })
            }

            /// Whether its height is zero everywhere.
            pub fn is_flat(&self) -> bool {
                match self {
                    $(Self::$kind(_) => $kind::FLAT,)*
                }
            }

            /// Height and gradient at a point.
            pub fn at<T: Real>(&self, x: T, y: T) -> Elevation<T> {
                match self {
                    $(Self::$kind(road) => road.at(x, y),)*
                }
            }
        }
    };
}

registry! {
    /// The plane z = 0.
    flat Flat,
    /// A height over x and y.
    height Height,
    /// Two profiles along x.
    tracks Tracks,
    /// A random profile after ISO 8608.
    iso_8608 Iso8608,
    /// A bump: a full wave of the cosine.
    bump Bump,
    /// A smooth rise to another height.
    ramp Ramp,
}

/// Weight of the left track: 0 at y = −track/2 and right of it, 1 at track/2, with its slope.
fn left_share<T: Real>(y: T, track: f64) -> [T; 2] {
    let [share, slope] = rise(y / track + 0.5);
    [share, slope / track]
}

fn blended<T: Real>(y: T, track: f64, [a, da]: [T; 2], [b, db]: [T; 2]) -> Elevation<T> {
    let [share, slope] = left_share(y, track);
    Elevation {
        height: b + (a - b) * share,
        slope: [db + (da - db) * share, (a - b) * slope],
    }
}

fn finite(quantity: [&'static str; 2], value: f64) -> Result<f64, RoadError> {
    bounded(quantity, value, value.is_finite(), "finite")
}

fn positive(quantity: [&'static str; 2], value: f64) -> Result<f64, RoadError> {
    bounded(quantity, value, value > 0.0 && value.is_finite(), "positive")
}

fn not_negative(quantity: [&'static str; 2], value: f64) -> Result<f64, RoadError> {
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
) -> Result<f64, RoadError> {
    if good {
        Ok(value)
    } else {
        Err(RoadError::Bounds {
            quantity,
            value,
            bounds,
        })
    }
}

#[cfg(test)]
mod tests;
