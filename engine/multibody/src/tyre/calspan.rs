//! The side force of the Calspan model, as the IAVSD road-vehicle benchmark uses it.

use super::linear::ellipse;
use super::smooth::{at_most, root};
use super::{Contact, Forces, LEAST_FRICTION, bounded};
use holonom_algebra::Real;

/// Side force by a polynomial of the slip angle (P. Frik, G. Leister, W. Schwartz, Vehicle System
/// Dynamics 22 (1993) 215–253).
///
/// With μ = (B₁ F_z + B₃ + B₄ F_z²) SN and S = A₁ F_z (F_z − A₂) − A₀ A₂:
/// ᾱ = S/(A₂ μ F_z) (α + α_γ), α_γ = −A₂ A₃ (A₄ − F_z) F_z/(A₄ S) γ,
/// F_y = μ F_z g(ᾱ), g = ᾱ − ᾱ|ᾱ|/3 + ᾱ³/27 for |ᾱ| < 3, else ±1, and
/// M_z = (A_F1 F_z + A_F2 |F_y|) F_y. Above the load A₂ the stiffness is that at A₂.
///
/// The benchmark has no longitudinal force. Here F_x = C_κ κ, rounded off at μ F_z, and F_y gets
/// the factor √(1 − (F_x/μ F_z)²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calspan {
    /// A₀, N/rad.
    pub a0: f64,
    /// A₁, 1/rad.
    pub a1: f64,
    /// A₂, N.
    pub a2: f64,
    /// A₃, 1/rad.
    pub a3: f64,
    /// A₄, N.
    pub a4: f64,
    /// B₁, 1/N.
    pub b1: f64,
    /// B₃.
    pub b3: f64,
    /// B₄, 1/N².
    pub b4: f64,
    /// SN: skid number.
    pub skid: f64,
    /// A_F1, m/N.
    pub trail1: f64,
    /// A_F2, m/N.
    pub trail2: f64,
    /// C_κ, N.
    pub slip_stiffness: f64,
}

impl Default for Calspan {
    /// The tyre of the benchmark, without longitudinal force.
    fn default() -> Self {
        Self {
            a0: 2625.0,
            a1: 14.47,
            a2: 12930.0,
            a3: 2.29,
            a4: 18175.0,
            b1: -4.64e-5,
            b3: 1.216,
            b4: 2.18e-11,
            skid: 1.0274,
            trail1: -1.71e-5,
            trail2: 1.71e-5,
            slip_stiffness: 0.0,
        }
    }
}

/// Share of A₂ below which forces are proportional to the load.
const LOWEST: f64 = 1e-3;

impl Calspan {
    /// Forces at a contact.
    pub fn forces<T: Real>(&self, contact: &Contact<T>) -> Forces<T> {
        // μ would turn negative for loads far beyond A₂: the data end there.
        let (load, share) = bounded(contact.load, [LOWEST * self.a2, self.a2]);
        let limit = self.friction(load) * load * contact.friction.max(LEAST_FRICTION);
        // S/A₂ < 0 and α_γ S/A₂: the latter has no pole where S has a zero.
        let stiffness = load * (load / self.a2 - 1.0) * self.a1 - self.a0;
        let thrust = (-load + self.a4) * load * (-self.a3 / self.a4);
        let bar = (stiffness * contact.lateral.atan() + thrust * contact.camber) / limit;
        let size = bar.abs();
        let inside = size.value() < 3.0;
        let end = T::select(bar.value() < 0.0, -T::one(), T::one());
        let g = T::select(inside, bar - bar * size / 3.0 + bar.powi(3) / 27.0, end);
        let (longitudinal, rest) = if self.slip_stiffness > 0.0 {
            let wanted = contact.kappa * self.slip_stiffness;
            let factor = ellipse(wanted.square(), limit);
            let used = wanted * factor / limit;
            let rest = at_most(-used.square() + 1.0, 1.0);
            (wanted * factor, root(rest, 1e-12))
        } else {
            (T::zero(), T::one())
        };
        let lateral = limit * g * rest;
        let trail = load * self.trail1 + lateral.abs() * self.trail2;
        Forces {
            longitudinal,
            lateral,
            overturning: T::zero(),
            resistance: T::zero(),
            aligning: trail * lateral * contact.rolling,
            gyration: T::zero(),
        }
        .scaled(share)
    }

    /// μ at a load.
    pub fn friction<T: Real>(&self, load: T) -> T {
        (load * (load * self.b4 + self.b1) + self.b3) * self.skid
    }
}
