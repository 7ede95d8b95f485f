//! Analyses of mechanisms that are not runs: where they rest, how they vibrate, and how they answer.
//!
//! * [`statics`]: positions in which a mechanism rests, with its stability and what it leaves open.
//! * [`modes`]: eigenvalues, damping and shapes of small motions, with all constraints.
//! * [`linearize`]: A, B, C, D from inputs to channels.
//! * [`response`]: the answer to harmonic inputs, over frequency.
//! * [`step_size`]: which steps of fixed size are stable.
//! * [`branch`]: one branch of equilibria while a parameter changes.
//! * [`trim`]: steady motion of vehicles, straight on and in turns, with the inputs that it takes.
//!
//! Derivatives are exact ones of dual numbers; constraints are eliminated, not approximated.
//!
//! ```
//! use holonom_analysis::{modes, statics};
//! use holonom_multibody::Description;
//! use holonom_multibody::description::{Body, Joint};
//! use std::sync::Arc;
//!
//! let model = Description::new("pendulum")
//!     .gravity([0.0, 0.0, -9.81])
//!     .body(Body::new("bob", 2.0).centre([1.0, 0.0, 0.0]))
//!     .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, 1.0, 0.0]).start(0.3, 0.0))
//!     .compile()
//!     .map(Arc::new)?;
//! let rest = statics::equilibrium(&model.assemble(&Default::default())?, &Default::default())?;
//! assert!((rest.state.q[0] - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
//! let found = modes::modes(&rest.start, &rest.state)?;
//! assert!((found.modes[0].eigenvalue.im - 9.81_f64.sqrt()).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod dense;
pub mod order;
mod sparse;
mod tangent;
mod reduced;
pub mod modes;
pub mod statics;
pub mod branch;
pub mod linearize;
pub mod response;
pub mod step_size;
pub mod trim;
#[cfg(test)]
mod tests;

pub use tangent::{State, displacement_names, velocity_names};

use dense::NoConvergence;
use holonom_dae::{InputError, Rejection};
use holonom_multibody::diagnostic::Diagnostic;

/// Why a mechanism could not be linearised.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", Diagnostic::from(self))]
pub enum AnalysisError {
    /// The constraints are dependent at this position, although not elsewhere.
    Singular,
    /// The mass matrix is singular.
    NoAccelerations,
    /// The equations cannot be evaluated.
    Rejected(#[from] Rejection),
    /// Eigenvalues were not found.
    Eigenvalues(#[from] NoConvergence),
    /// Options of a method that do not go together.
    Options(#[from] InputError),
}

impl From<&AnalysisError> for Diagnostic {
    fn from(error: &AnalysisError) -> Self {
        match error {
            AnalysisError::Singular => Self::sentence(
                "the position is singular: the constraints do not determine the possible motions there",
            )
            .remedy(
                "move the mechanism slightly away from it, with other initial values or another prescribed value",
            ),
            AnalysisError::NoAccelerations => Self::sentence(
                "the accelerations cannot be computed there: a body without mass or inertia may be able to move \
                 on its own",
            )
            .remedy("give it mass and inertia"),
            AnalysisError::Rejected(rejection) => Self::sentence(format!(
                "the equations of motion cannot be evaluated at this state ({rejection})"
            ))
            .remedy("check tables and expressions there"),
            AnalysisError::Eigenvalues(error) => Self::sentence(error.to_string()),
            AnalysisError::Options(error) => Self::sentence(error.to_string()),
        }
    }
}
