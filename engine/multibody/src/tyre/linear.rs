//! Constant stiffness within the friction ellipse.

use super::smooth::at_least;
use super::{Contact, Forces};
use holonom_algebra::Real;

/// F_x = C_κ κ and F_y = −C_α tan α − C_γ γ, rounded off towards the ellipse
/// (F_x/μ_x F_z)² + (F_y/μ_y F_z)² = 1: both are multiplied by (1 + ρ⁴)^−1/4 with ρ the
/// length of (F_x/μ_x F_z, F_y/μ_y F_z). The pneumatic trail shrinks by the square of this factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// C_κ, N.
    pub slip_stiffness: f64,
    /// C_α, N/rad.
    pub cornering_stiffness: f64,
    /// C_γ, N/rad.
    pub camber_stiffness: f64,
    /// Load at which the stiffnesses hold, to which they are proportional, N; zero: they are
    /// constant.
    pub nominal_load: f64,
    /// μ_x.
    pub friction_x: f64,
    /// μ_y.
    pub friction_y: f64,
    /// Pneumatic trail for small slip, m.
    pub trail: f64,
}

impl Default for Linear {
    fn default() -> Self {
        Self {
            slip_stiffness: 0.0,
            cornering_stiffness: 0.0,
            camber_stiffness: 0.0,
            nominal_load: 0.0,
            friction_x: 1.0,
            friction_y: 1.0,
            trail: 0.0,
        }
    }
}

/// A force that nobody feels, N: where the rounding at zero load ends.
const NOTHING: f64 = 1e-6;

/// Factor (1 + ρ⁴)^−1/4 for the ratio of a squared force to a squared limit, both in N².
pub(super) fn ellipse<T: Real>(square: T, limit: T) -> T {
    let total = limit.square().square() + square.square() + NOTHING.powi(4);
    limit / total.sqrt().sqrt()
}

impl Linear {
    /// Forces at a contact.
    pub fn forces<T: Real>(&self, contact: &Contact<T>) -> Forces<T> {
        let load = at_least(contact.load, 0.0);
        let share = if self.nominal_load > 0.0 {
            load / self.nominal_load
        } else {
            T::one()
        };
        let [mu_x, mu_y] = [self.friction_x, self.friction_y].map(|mu| mu * contact.friction);
        let x = contact.kappa * share * self.slip_stiffness;
        let y =
            -(contact.lateral * self.cornering_stiffness + contact.camber * self.camber_stiffness) * share;
        // In units in which the ellipse is a circle with the radius μ_y F_z.
        let ratio = if mu_x > 0.0 { mu_y / mu_x } else { 1.0 };
        let square = (x * ratio).square() + y.square();
        let factor = ellipse(square, load * mu_y);
        let lateral = y * factor;
        Forces {
            longitudinal: x * factor,
            lateral,
            overturning: T::zero(),
            resistance: T::zero(),
            aligning: -lateral * factor.square() * contact.rolling * self.trail,
            gyration: T::zero(),
        }
    }
}
