//! Euler parameters: quaternions as rotations, scalar part first.
//!
//! Conventions of Shabana, *Dynamics of Multibody Systems*, ch. 2, and Nikravesh,
//! *Computer-Aided Analysis of Mechanical Systems*, ch. 6: the rotation matrix takes body
//! components to reference components, angular velocities are in body axes. Plain arrays
//! serve as vectors and, by rows, as matrices.

use crate::Real;
use core::ops::Mul;

/// A quaternion e = (e₀, e₁, e₂, e₃), scalar part first.
///
/// Rotations are those of e/|e|: an integrator may let the length drift.
///
/// ```
/// use holonom_algebra::Quaternion;
/// let quarter = Quaternion::from_axis_angle([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2);
/// let turned = quarter.rotate([1.0, 0.0, 0.0]);
/// assert!((turned[1] - 1.0).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quaternion<T>(pub [T; 4]);

/// The quaternion product e ∘ p: first the rotation p, then e.
impl<T: Real> Mul for Quaternion<T> {
    type Output = Self;
    #[inline]
    fn mul(self, p: Self) -> Self {
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (self.0, p.0);
        Self([
            a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
            a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
            a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
            a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
        ])
    }
}

/// c₀ + c₁ z + c₂ z² + … by Horner's rule.
#[inline]
fn series<T: Real, const N: usize>(c: [f64; N], z: T) -> T {
    c.iter().rev().fold(T::zero(), |sum, c| sum * z + *c)
}

impl<T: Real> Quaternion<T> {
    /// No rotation.
    #[inline]
    pub fn identity() -> Self {
        Self([T::one(), T::zero(), T::zero(), T::zero()])
    }

    /// A constant quaternion.
    #[inline]
    pub fn constant(e: Quaternion<f64>) -> Self {
        Self(e.0.map(T::constant))
    }

    /// The values without derivatives.
    #[inline]
    pub fn value(self) -> Quaternion<f64> {
        Quaternion(self.0.map(T::value))
    }

    /// The conjugate: the inverse rotation.
    #[inline]
    pub fn conjugate(self) -> Self {
        let [e0, e1, e2, e3] = self.0;
        Self([e0, -e1, -e2, -e3])
    }

    /// |e|².
    #[inline]
    pub fn norm_squared(self) -> T {
        let [e0, e1, e2, e3] = self.0;
        e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3
    }

    /// |e|.
    #[inline]
    pub fn norm(self) -> T {
        self.norm_squared().sqrt()
    }

    /// e/|e|; not finite for the zero quaternion.
    #[inline]
    pub fn normalised(self) -> Self {
        let r = self.norm().recip();
        Self(self.0.map(|e| e * r))
    }

    /// The rotation matrix of e/|e|, from body to reference components.
    ///
    /// Division by |e|² instead of a normalisation spares the square root.
    #[inline]
    pub fn rotation_matrix(self) -> [[T; 3]; 3] {
        let [e0, e1, e2, e3] = self.0;
        // With k = 2/|e|², e₀² + eᵢ² − … becomes 1 − k (eⱼ² + eₖ²).
        let k = T::constant(2.0) / self.norm_squared();
        let (k1, k2, k3) = (e1 * k, e2 * k, e3 * k);
        let (x, y, z) = (e0 * k1, e0 * k2, e0 * k3);
        let (xx, yy, zz) = (e1 * k1, e2 * k2, e3 * k3);
        let (xy, xz, yz) = (e1 * k2, e1 * k3, e2 * k3);
        let one = T::one();
        [
            [one - (yy + zz), xy - z, xz + y],
            [xy + z, one - (xx + zz), yz - x],
            [xz - y, yz + x, one - (xx + yy)],
        ]
    }

    /// A vector from body to reference components.
    #[inline]
    pub fn rotate(self, v: [T; 3]) -> [T; 3] {
        self.rotation_matrix()
            .map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
    }

    /// The matrix V of the rate map ė = V ω = ½ e ∘ (0, ω), ω in body axes.
    ///
    /// VᵀV = ¼|e|² I and Vᵀe = 0.
    #[inline]
    pub fn rate_matrix(self) -> [[T; 3]; 4] {
        let [h0, h1, h2, h3] = self.0.map(|e| e * 0.5);
        [[-h1, -h2, -h3], [h0, -h3, h2], [h3, h0, -h1], [-h2, h1, h0]]
    }

    /// ė = V ω for the angular velocity ω in body axes.
    #[inline]
    pub fn rate(self, omega: [T; 3]) -> [T; 4] {
        self.rate_matrix()
            .map(|row| row[0] * omega[0] + row[1] * omega[1] + row[2] * omega[2])
    }

    /// Vᵀ g: a generalised force on e as a torque in body axes.
    #[inline]
    pub fn rate_transposed(self, g: [T; 4]) -> [T; 3] {
        let v = self.rate_matrix();
        core::array::from_fn(|j| v[0][j] * g[0] + v[1][j] * g[1] + v[2][j] * g[2] + v[3][j] * g[3])
    }

    /// The angular velocity ω in body axes of the motion ė: 4 Vᵀ ė/|e|².
    ///
    /// A change of length in ė is ignored.
    #[inline]
    pub fn angular_velocity(self, rate: [T; 4]) -> [T; 3] {
        let k = T::constant(4.0) / self.norm_squared();
        self.rate_transposed(rate).map(|w| w * k)
    }

    /// The rotation by `angle` about the unit vector `axis`.
    #[inline]
    pub fn from_axis_angle(axis: [T; 3], angle: T) -> Self {
        let (s, c) = (angle * 0.5).sin_cos();
        Self([c, axis[0] * s, axis[1] * s, axis[2] * s])
    }

    /// The exponential: the rotation by |φ| about φ/|φ|, smooth at φ = 0.
    ///
    /// ```
    /// use holonom_algebra::Quaternion;
    /// let phi = [0.1, -0.2, 0.3];
    /// let back = Quaternion::exponential(phi).logarithm();
    /// assert!((0..3).all(|i| (back[i] - phi[i]).abs() < 1e-15));
    /// ```
    pub fn exponential(phi: [T; 3]) -> Self {
        let z = (phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]) * 0.25;
        // cos h and sin h/(2h) with h = |φ|/2 = √z; the series where √z has no derivative. The
        // first term left out is below 10⁻²⁰.
        let (c, s) = if z.value() < 2.5e-3 {
            let c = series(
                [
                    1.0,
                    -1.0 / 2.0,
                    1.0 / 24.0,
                    -1.0 / 720.0,
                    1.0 / 40_320.0,
                    -1.0 / 3_628_800.0,
                ],
                z,
            );
            let s = series([1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0], z);
            (c, s * 0.5)
        } else {
            let h = z.sqrt();
            let (s, c) = h.sin_cos();
            (c, s / (h * 2.0))
        };
        Self([c, phi[0] * s, phi[1] * s, phi[2] * s])
    }

    /// The logarithm: the rotation vector φ of e/|e| with |φ| ≤ π.
    ///
    /// Of the two quaternions ±e of a rotation the one with e₀ ≥ 0 is taken.
    pub fn logarithm(self) -> [T; 3] {
        let e = if self.0[0].value() < 0.0 {
            self.0.map(|e| -e)
        } else {
            self.0
        };
        let z = e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
        let w = e[0];
        // 2 arctan(√z/w)/√z, with t = z/w²; the first term left out is below 10⁻¹⁹.
        let k = if z.value() < 1e-3 * w.value() * w.value() {
            let t = z / (w * w);
            let c = [1.0, -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0];
            series(c, t) / w * 2.0
        } else {
            let r = z.sqrt();
            r.atan2(w) / r * 2.0
        };
        [e[1] * k, e[2] * k, e[3] * k]
    }

    /// The rotation of `other` as seen from this frame: ē ∘ p, Rᵀ(e) R(p).
    #[inline]
    pub fn relative(self, other: Self) -> Self {
        self.conjugate() * other
    }
}

impl Quaternion<f64> {
    /// The unit quaternion of a rotation matrix, with e₀ ≥ 0.
    ///
    /// Shepperd, *J. Guidance and Control* 1 (1978) 223: divide by the largest component, of
    /// which there is always one with 4eᵢ² ≥ 1. A matrix that is slightly not orthogonal gives
    /// a nearby rotation.
    pub fn from_rotation_matrix(r: &[[f64; 3]; 3]) -> Self {
        let trace = r[0][0] + r[1][1] + r[2][2];
        let skew = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
        let largest = (0..3).fold(0, |m, i| if r[i][i] > r[m][m] { i } else { m });
        // Each branch is 4 eₘ e with m the largest component.
        let e = if trace >= r[largest][largest] {
            Quaternion([1.0 + trace, skew[0], skew[1], skew[2]])
        } else {
            let mut e = [skew[largest], 0.0, 0.0, 0.0];
            for j in 0..3 {
                e[j + 1] = r[largest][j] + r[j][largest];
            }
            e[largest + 1] = 1.0 - trace + 2.0 * r[largest][largest];
            Quaternion(e)
        };
        let e = e.normalised();
        if e.0[0] < 0.0 {
            Quaternion(e.0.map(|e| -e))
        } else {
            e
        }
    }
}
