//! Wheel and rail: where they touch and what creeps there.
//!
//! Axes at the contact: x along the rail in the direction of travel, y to the left, z up. Creepages
//! are velocities of the wheel against the rail at the contact point divided by the travel speed;
//! spin is the angular velocity about the normal divided by it. Forces act on the wheel and are
//! negative for positive creepage.
//!
//! - [`Hertz`]: the contact ellipse from curvatures and normal force.
//! - [`KalkerTable`]: coefficients of Kalker's linear theory over the ellipse and Poisson's ratio.
//! - [`CreepLaw`]: Kalker's linear forces with saturation, and Polach's.
//! - [`ContactGeometry`]: gap, contact point, angle and curvature over the pose of the wheel.
//! - [`PiecewiseProfile`]: the standard profiles S1002 and 60E1.
//! - [`TrackCurve`]: a track given by curvature and cant along its arc.
//!
//! Sources: J. J. Kalker, Three-Dimensional Elastic Bodies in Rolling Contact, 1990 (table E.3);
//! O. Polach, A fast wheel-rail forces calculation computer code, 1999; K. L. Johnson, Contact
//! Mechanics, 1985.
//!
//! ```
//! use holonom_multibody::rail::{CreepLaw, Creepage, Hertz, KalkerTable, Saturation};
//! let steel = Hertz::new(2.1e11, 0.28)?;
//! // A wheel of 0.46 m on a rail head of 0.3 m with 60 kN.
//! let patch = steel.patch(60e3, 0.5 / 0.46, 0.5 / 0.3);
//! let table = KalkerTable::new(steel.poisson())?;
//! let law = CreepLaw::Kalker(Saturation::ShenHedrickElkins);
//! let creep = Creepage { longitudinal: 1e-5, lateral: 0.0, spin: 0.0 };
//! let forces = law.forces(&patch, &table.coefficients(&patch), steel.shear_modulus(), 60e3 * 0.3, &creep);
//! assert!(forces.longitudinal < 0.0);
//! # Ok::<(), holonom_multibody::rail::RailError>(())
//! ```

mod contact;
mod creep;
mod hertz;
mod kalker;
mod profile;
mod taylor;
mod track;

pub use contact::{Cone, ContactGeometry, Profiles, Seen, Touch};
pub use creep::{CreepForces, CreepLaw, Creepage, FallingFriction, Reduction, Saturation};
pub use hertz::{Hertz, Patch};
pub use kalker::{Coefficients, KalkerTable};
pub use profile::{PiecewiseProfile, Profile};
pub use track::{TrackCurve, TrackPlace};

use crate::diagnostic::Diagnostic;
use thiserror::Error;

/// Why data make no contact or track.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", Diagnostic::from(self))]
#[non_exhaustive]
pub enum RailError {
    /// A number outside its range.
    OutOfRange {
        /// What it is.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        bounds: &'static str,
    },
    /// A profile that is no number somewhere.
    NotFinite {
        /// Which one.
        profile: &'static str,
        /// Where.
        at: f64,
    },
    /// Too many points of a profile or a track.
    TooMany {
        /// Of what.
        what: &'static str,
        /// Points needed.
        points: f64,
        /// Points allowed.
        most: usize,
    },
}

impl From<&RailError> for Diagnostic {
    fn from(error: &RailError) -> Self {
        match error {
            RailError::OutOfRange {
                quantity,
                value,
                bounds,
            } => Self::out_of_bounds(["", quantity], *value, bounds),
            RailError::NotFinite { profile, at } => {
                Self::new(format!("{profile} has no finite value at s = {at} m"))
                    .remedy("correct it or its range")
            }
            RailError::TooMany { what, points, most } => Self::new(format!(
                "{what} would need {points} points, but at most {most} are allowed"
            ))
            .remedy("increase the step"),
        }
    }
}

/// Refuses what is not positive.
fn positive(quantity: &'static str, value: f64) -> Result<(), RailError> {
    let bounds = "positive";
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(RailError::OutOfRange {
            quantity,
            value,
            bounds,
        }),
    }
}

/// Refuses a Poisson's ratio that the tables do not know.
fn poisson_ratio(value: f64) -> Result<(), RailError> {
    match (0.0..=0.5).contains(&value) {
        true => Ok(()),
        false => Err(RailError::OutOfRange {
            quantity: "Poisson's ratio",
            value,
            bounds: "from 0 to 0.5",
        }),
    }
}

#[cfg(test)]
mod tests;
