//! Sine and cosine together, short enough to be inlined into a residual.
//!
//! Cody and Waite, *Software Manual for the Elementary Functions* (1980): subtract the nearest
//! multiple of π/2 in parts, then polynomials on [−π/4, π/4] around the leading terms. A fused
//! multiply–add makes the subtraction exact with parts of full length. The polynomials are
//! minimax in relative error (Remez exchange), of relative error 2⁻⁵⁷·⁹ and 2⁻⁶³·⁹.

/// Beyond this the parts of π/2 no longer carry enough digits for the last place.
#[cfg(any(target_feature = "fma", target_arch = "aarch64"))]
const LIMIT: f64 = 1e5;

/// sin x = x + x³ P(x²).
#[cfg(any(target_feature = "fma", target_arch = "aarch64"))]
const SINE: [f64; 6] = [
    -0.166_666_666_666_666_3,
    0.008_333_333_333_322_118,
    -0.000_198_412_698_295_894_06,
    2.755_731_362_133_778_5e-6,
    -2.505_074_775_510_123e-8,
    1.589_622_969_598_635_6e-10,
];

/// cos x = 1 − x²/2 + x⁴ Q(x²).
#[cfg(any(target_feature = "fma", target_arch = "aarch64"))]
const COSINE: [f64; 6] = [
    0.041_666_666_666_666_595,
    -0.001_388_888_888_887_305_6,
    2.480_158_728_885_160_2e-5,
    -2.755_731_417_926_631e-7,
    2.087_570_083_770_253_3e-9,
    -1.135_853_629_266_462e-11,
];

/// Six coefficients by Estrin's scheme: a chain of three operations instead of five.
#[cfg(any(target_feature = "fma", target_arch = "aarch64"))]
#[inline(always)]
fn polynomial(c: &[f64; 6], z: f64, z2: f64) -> f64 {
    let low = c[1].mul_add(z, c[0]);
    let middle = c[3].mul_add(z, c[2]);
    let high = c[5].mul_add(z, c[4]);
    high.mul_add(z2, middle).mul_add(z2, low)
}

/// Sine and cosine of `x`, each within one unit in the last place for |x| ≤ 10⁵.
///
/// Larger arguments, those that are not finite, and machines without a fused multiply–add go
/// to the standard library. The sine is exactly odd and the cosine exactly even.
///
/// ```
/// let (s, c) = holonom_algebra::sin_cos(0.5);
/// assert!((s - 0.5f64.sin()).abs() < 2e-16 && (c - 0.5f64.cos()).abs() < 2e-16);
/// ```
#[cfg(any(target_feature = "fma", target_arch = "aarch64"))]
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() <= LIMIT { reduced(x) } else { x.sin_cos() }
}

/// The scheme itself, for arguments within [`LIMIT`].
#[cfg(any(target_feature = "fma", target_arch = "aarch64"))]
#[inline(always)]
fn reduced(x: f64) -> (f64, f64) {
    /// π/2 as an unevaluated sum. The second part has 33 bits, so that its product with the
    /// number of quarter turns (below 2¹⁷) is exact.
    const HALF_PI: [f64; 3] = [
        core::f64::consts::FRAC_PI_2,
        6.123_233_995_384_61e-17,
        3.521_559_865_183_2e-27,
    ];
    /// 1.5·2⁵²: adding it rounds to an integer, which then stands in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = x.mul_add(core::f64::consts::FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let quadrant = shifted.to_bits();
    // x − n π/2 = r + tail. The first difference is exact: both operands are multiples of 2⁻⁵³
    // and the result is below one. So is first − r: either r is below 2⁻³³ and exact itself, or
    // `first` is the larger term and Dekker's two-sum applies.
    let first = (-n).mul_add(HALF_PI[0], x);
    let r = (-n).mul_add(HALF_PI[1], first);
    let tail = (-n).mul_add(HALF_PI[2], (-n).mul_add(HALF_PI[1], first - r));
    let z = r * r;
    let z2 = z * z;
    // sin(r + tail) = sin r + tail cos r, cos(r + tail) = cos r − tail sin r.
    let half = 0.5 * r;
    let sine = r + (r * z).mul_add(polynomial(&SINE, z, z2), (-half * r).mul_add(tail, tail));
    // The sum above loses the sign of a negative zero. Else r has the sign of the sine: no
    // double is nearer to a multiple of π/2 than 2⁻⁶² (Muller, Elementary Functions, on range
    // reduction), and the tail is below 2⁻⁷⁰ or a rounding error of r.
    let sine = sine.copysign(r);
    // 1 − r²/2 = leading + rest without loss.
    let leading = (-half).mul_add(r, 1.0);
    let rest = (-half).mul_add(r, 1.0 - leading);
    let cosine = leading + z2.mul_add(polynomial(&COSINE, z, z2), (-r).mul_add(tail, rest));
    // Odd quadrants exchange the two. The sine changes sign in quadrants 2 and 3, the cosine in
    // 1 and 2. On bits, because arguments change quadrants at random and branches would miss.
    let (sine, cosine) = (sine.to_bits(), cosine.to_bits());
    let exchange = (sine ^ cosine) & (quadrant & 1).wrapping_neg();
    let sign_of_sine = (quadrant & 2) << 62;
    let sign_of_cosine = ((quadrant + 1) & 2) << 62;
    (
        f64::from_bits(sine ^ exchange ^ sign_of_sine),
        f64::from_bits(cosine ^ exchange ^ sign_of_cosine),
    )
}

/// Sine and cosine of `x` by the standard library: without a fused multiply–add in hardware
/// the scheme for the other machines would be slower and less accurate.
#[cfg(not(any(target_feature = "fma", target_arch = "aarch64")))]
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    x.sin_cos()
}
