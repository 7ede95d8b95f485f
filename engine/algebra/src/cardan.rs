//! Cardan angles: successive rotations about the body's x, y and z axes.
//!
//! R = Rₓ(α) R_y(β) R_z(γ), from body to reference components (Wittenburg, *Dynamics of
//! Multibody Systems*, ch. 2, there Bryan angles). Plain arrays serve as vectors and, by rows,
//! as matrices.

use crate::Real;

/// Cardan angles (α, β, γ) about x, y and z.
///
/// ```
/// use holonom_algebra::CardanAngles;
/// let angles = CardanAngles([0.3, -0.4, 0.5]);
/// let back = CardanAngles::from_rotation_matrix(&angles.rotation_matrix());
/// assert!((0..3).all(|i| (back.0[i] - angles.0[i]).abs() < 1e-15));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CardanAngles<T>(pub [T; 3]);

impl<T: Real> CardanAngles<T> {
    /// The rotation matrix, from body to reference components.
    pub fn rotation_matrix(self) -> [[T; 3]; 3] {
        let [(sa, ca), (sb, cb), (sc, cc)] = self.0.map(T::sin_cos);
        let (sasb, casb) = (sa * sb, ca * sb);
        [
            [cb * cc, -(cb * sc), sb],
            [ca * sc + sasb * cc, ca * cc - sasb * sc, -(sa * cb)],
            [sa * sc - casb * cc, sa * cc + casb * sc, ca * cb],
        ]
    }

    /// The angles of a rotation matrix, with |β| ≤ π/2.
    ///
    /// At the singularity, where only α ± γ is determined, the angles still reproduce the
    /// matrix; their derivatives do not exist there.
    pub fn from_rotation_matrix(r: &[[T; 3]; 3]) -> Self {
        let alpha = (-r[1][2]).atan2(r[2][2]);
        // Undo the first rotation, whatever α became: what remains is R_y R_z without noise.
        let (sa, ca) = alpha.sin_cos();
        let beta = r[0][2].atan2(ca * r[2][2] - sa * r[1][2]);
        let gamma = (ca * r[1][0] + sa * r[2][0]).atan2(ca * r[1][1] + sa * r[2][1]);
        Self([alpha, beta, gamma])
    }

    /// The matrix H of ω = H φ̇, ω in body axes.
    pub fn rate_matrix(self) -> [[T; 3]; 3] {
        let [_, b, c] = self.0;
        let ((sb, cb), (sc, cc)) = (b.sin_cos(), c.sin_cos());
        let (zero, one) = (T::zero(), T::one());
        [[cb * cc, sc, zero], [-(cb * sc), cc, zero], [sb, zero, one]]
    }

    /// The matrix H⁻¹ of φ̇ = H⁻¹ ω, ω in body axes; not finite at the singularity.
    pub fn inverse_rate_matrix(self) -> [[T; 3]; 3] {
        let [_, b, c] = self.0;
        let ((sb, cb), (sc, cc)) = (b.sin_cos(), c.sin_cos());
        let (zero, one) = (T::zero(), T::one());
        let (c_over, s_over) = (cc / cb, sc / cb);
        [
            [c_over, -s_over, zero],
            [sc, cc, zero],
            [-(sb * c_over), sb * s_over, one],
        ]
    }

    /// The angular velocity ω in body axes of the rates φ̇.
    pub fn angular_velocity(self, rates: [T; 3]) -> [T; 3] {
        self.rate_matrix()
            .map(|row| row[0] * rates[0] + row[1] * rates[1] + row[2] * rates[2])
    }

    /// The rates φ̇ of the angular velocity ω in body axes; not finite at the singularity.
    pub fn rates(self, omega: [T; 3]) -> [T; 3] {
        self.inverse_rate_matrix()
            .map(|row| row[0] * omega[0] + row[1] * omega[1] + row[2] * omega[2])
    }

    /// How far β is from the nearest odd multiple of π/2, where the rates become infinite.
    ///
    /// Between 0 (singular) and π/2 (β = 0).
    pub fn distance_to_singularity(self) -> f64 {
        let turns = self.0[1].value() / core::f64::consts::PI - 0.5;
        (turns - turns.round()).abs() * core::f64::consts::PI
    }
}
