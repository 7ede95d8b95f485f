//! Creep forces.

use super::{Coefficients, Patch};
use holonom_algebra::Real;

/// How fast the wheel slides over the rail, by the travel speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Creepage<T> {
    /// ν_x, along the rail.
    pub longitudinal: T,
    /// ν_y, across it in the tangent plane.
    pub lateral: T,
    /// φ, about the normal, 1/m.
    pub spin: T,
}

/// Forces on the wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CreepForces<T> {
    /// F_x, N.
    pub longitudinal: T,
    /// F_y, N.
    pub lateral: T,
    /// M_z about the normal, N m.
    pub moment: T,
}

/// How linear forces are bounded by friction; u is their resultant by μ N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Saturation {
    /// Johnson and Vermeulen, extended to spin by Shen, Hedrick and Elkins: the factor
    /// 1 − u/3 + u²/27 up to u = 3, then 1/u. Continuous with its first derivative.
    #[default]
    ShenHedrickElkins,
    /// The factor tanh(u)/u.
    Tanh,
}

/// The law of creep forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreepLaw {
    /// Kalker's linear theory, F_x = −G a b C₁₁ ν_x, F_y = −G a b (C₂₂ ν_y + √(a b) C₂₃ φ),
    /// M_z = G a b (√(a b) C₂₃ ν_y − a b C₃₃ φ), with saturation.
    Kalker(Saturation),
    /// Polach's method. It has no moment of its own: Kalker's linear moment is reduced as the force
    /// along the creepage is.
    Polach,
}

/// How much of the stiffness of clean bodies remains in Polach's law: contamination, roughness and
/// water between them make the rise of the force over creepage flatter.
///
/// F = −(2 μ N/π)(k_A ε/(1 + (k_A ε)²) + arctan(k_S ε)) with k_S ≤ k_A ≤ 1; both 1 give the plain law.
/// For small creepages the force is (k_A + k_S)/2 times Kalker's, for large ones μ N as before. The
/// force of spin is not reduced (O. Polach, Creep forces in simulations of traction vehicles running
/// on adhesion limit, Wear 258, 2005).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// k_A, for the area of adhesion.
    pub adhesion: f64,
    /// k_S, for the area of slip.
    pub slip: f64,
}

impl Reduction {
    /// Clean bodies.
    pub const NONE: Self = Self {
        adhesion: 1.0,
        slip: 1.0,
    };
}

impl Default for Reduction {
    fn default() -> Self {
        Self::NONE
    }
}

/// Friction that falls with the sliding velocity w, μ = μ₀ ((1 − A) exp(−B w) + A).
///
/// A is the ratio of the coefficient at high velocity to that at none; 1 leaves it constant (O. Polach,
/// as [`Reduction`]).
///
/// ```
/// use holonom_multibody::rail::FallingFriction;
/// let rail = FallingFriction { ratio: 0.4, decay: 0.6 };
/// assert_eq!(rail.factor(0.0), 1.0);
/// assert!((rail.factor(100.0_f64) - 0.4).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FallingFriction {
    /// A.
    pub ratio: f64,
    /// B, s/m.
    pub decay: f64,
}

impl FallingFriction {
    /// Friction that does not depend on the velocity.
    pub const CONSTANT: Self = Self {
        ratio: 1.0,
        decay: 0.0,
    };

    /// μ/μ₀ at a sliding velocity in m/s, zero or positive.
    pub fn factor<T: Real>(&self, velocity: T) -> T {
        (velocity * -self.decay).exp() * (1.0 - self.ratio) + self.ratio
    }
}

impl Default for FallingFriction {
    fn default() -> Self {
        Self::CONSTANT
    }
}

/// Creepages below this are rounded: nobody measures them.
const NOTHING: f64 = 1e-9;

impl CreepLaw {
    /// All laws.
    pub const ALL: [Self; 3] = [
        Self::Kalker(Saturation::ShenHedrickElkins),
        Self::Kalker(Saturation::Tanh),
        Self::Polach,
    ];

    /// Its name in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kalker(Saturation::ShenHedrickElkins) => "kalker",
            Self::Kalker(Saturation::Tanh) => "kalker-tanh",
            Self::Polach => "polach",
        }
    }

    /// Forces for an ellipse with its coefficients, the shear modulus G and the limit of friction
    /// μ N > 0.
    ///
    /// Finite with finite first derivatives also without creepage.
    pub fn forces<T: Real>(
        self,
        patch: &Patch<T>,
        coefficients: &Coefficients<T>,
        shear_modulus: f64,
        limit: T,
        creep: &Creepage<T>,
    ) -> CreepForces<T> {
        self.reduced_forces(&Reduction::NONE, patch, coefficients, shear_modulus, limit, creep)
    }

    /// The same between bodies that are not clean. Kalker's laws know no such reduction.
    pub fn reduced_forces<T: Real>(
        self,
        reduction: &Reduction,
        patch: &Patch<T>,
        coefficients: &Coefficients<T>,
        shear_modulus: f64,
        limit: T,
        creep: &Creepage<T>,
    ) -> CreepForces<T> {
        match self {
            Self::Kalker(saturation) => kalker(saturation, patch, coefficients, shear_modulus, limit, creep),
            Self::Polach => polach(reduction, patch, coefficients, shear_modulus, limit, creep),
        }
    }
}

/// Kalker's linear moment about the normal.
fn linear_moment<T: Real>(stiffness: T, area: T, c: &Coefficients<T>, creep: &Creepage<T>) -> T {
    stiffness * (area.sqrt() * c.c23 * creep.lateral - area * c.c33 * creep.spin)
}

fn kalker<T: Real>(
    saturation: Saturation,
    patch: &Patch<T>,
    c: &Coefficients<T>,
    shear_modulus: f64,
    limit: T,
    creep: &Creepage<T>,
) -> CreepForces<T> {
    let area = patch.a * patch.b;
    let (stiffness, radius) = (area * shear_modulus, area.sqrt());
    let longitudinal = -(stiffness * c.c11 * creep.longitudinal);
    let lateral = -(stiffness * (c.c22 * creep.lateral + radius * c.c23 * creep.spin));
    let moment = linear_moment(stiffness, area, c, creep);
    // √ has no slope at zero; u is that of a force of 10⁻⁹ of the limit there.
    let square = (longitudinal.square() + lateral.square()) / limit.square();
    let u = (square + NOTHING * NOTHING).sqrt();
    let factor = match saturation {
        Saturation::ShenHedrickElkins => {
            let below = u * (u / 27.0 - 1.0 / 3.0) + 1.0;
            T::select(u.value() <= 3.0, below, u.recip())
        }
        Saturation::Tanh => u.tanh() / u,
    };
    CreepForces {
        longitudinal: longitudinal * factor,
        lateral: lateral * factor,
        moment: moment * factor,
    }
}

/// O. Polach, with the signs for which small creepages give Kalker's linear forces.
fn polach<T: Real>(
    reduction: &Reduction,
    patch: &Patch<T>,
    c: &Coefficients<T>,
    shear_modulus: f64,
    limit: T,
    creep: &Creepage<T>,
) -> CreepForces<T> {
    let (a, b) = (patch.a, patch.b);
    let (sx, sy) = (creep.longitudinal, creep.lateral);
    let tiny = NOTHING * NOTHING;
    // Spin moves the creepage that counts, s_yC, only where it makes it larger.
    let with_spin = (sy + creep.spin * a).square();
    let alone = sy.square();
    let lateral_square = T::select(with_spin.value() > alone.value(), with_spin, alone);
    let total_square = sx.square() + lateral_square + tiny;
    let total = total_square.sqrt();
    let stiffness = a * b * shear_modulus;
    let square = sx.square() + alone + tiny;
    // The coefficient of a direction; without creepage that of the axis, so that slopes exist there.
    // The force by creepage, and its share of that of the linear theory.
    let resultant = |own: T| {
        let blend = (c.c11 * sx).square() + (c.c22 * sy).square() + own.square() * tiny;
        let coefficient = (blend / square).sqrt();
        let linear = stiffness * coefficient;
        let e = linear * total / limit * core::f64::consts::FRAC_PI_4;
        let (adhering, slipping) = (e * reduction.adhesion, e * reduction.slip);
        let traction = adhering / (adhering.square() + 1.0) + slipping.atan();
        let force = limit * traction / total * core::f64::consts::FRAC_2_PI;
        (force, force / linear)
    };
    let longitudinal = -(sx * resultant(c.c11).0);
    let (across, share) = resultant(c.c22);
    let sliding = -(sy * across);

    let k = -((-(a / b)).exp() * 6.3) + 7.3;
    let gradient = b * (a * b).sqrt() * c.c23 * (8.0 / 3.0 * shear_modulus) / (limit * k);
    let e = (lateral_square + tiny).sqrt() * gradient;
    let e2 = e.square();
    let d = (e2 - 1.0) / (e2 + 1.0);
    // 1 − δ² = (2 e/(1 + e²))², which needs no root.
    let rest = e * 2.0 / (e2 + 1.0);
    let shape = e * (d.square() * (d * (-1.0 / 3.0) + 0.5) - 1.0 / 6.0) + rest.powi(3) * (1.0 / 3.0);
    let spinning = -(a * limit * k * shape * creep.spin / total * (9.0 / 16.0));
    CreepForces {
        longitudinal,
        lateral: sliding + spinning,
        moment: linear_moment(stiffness, a * b, c, creep) * share,
    }
}
