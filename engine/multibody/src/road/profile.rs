//! Random profiles after ISO 8608: harmonics with given amplitudes and random phases.

use core::f64::consts::TAU;

/// A periodic profile: a cubic spline through equidistant samples of a sum of harmonics.
///
/// z(x) = Σ √(2 G(nₖ) Δn) cos(2π nₖ x + φₖ) with nₖ = k/L, Δn = 1/L and
/// G(n) = G(n₀) (n/n₀)^−w, n₀ = 0.1/m, in the notation of ISO 8608. The coefficients of the spline
/// come from the same spectrum: on the grid a cubic B-spline multiplies a harmonic by
/// (2 + cos 2πk/N)/3.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Profile {
    period: f64,
    /// Weights of the B-splines, a power of two of them.
    coefficients: Vec<f64>,
}

/// What a profile is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spectrum {
    /// G(n₀), m³.
    pub roughness: f64,
    /// Exponent w.
    pub waviness: f64,
    /// Lowest and highest wave number, 1/m.
    pub range: [f64; 2],
    /// Period L, m.
    pub length: f64,
}

/// n₀ of ISO 8608, 1/m.
pub(super) const REFERENCE: f64 = 0.1;

/// Most samples of a profile.
pub(super) const MAX_SAMPLES: usize = 1 << 22;

/// Samples per shortest wave at least: the spline then keeps it to 10⁻³ of its amplitude.
const SAMPLES_PER_WAVE: f64 = 16.0;

impl Spectrum {
    /// Numbers k of the first and the last harmonic.
    pub fn harmonics(&self) -> [f64; 2] {
        let [low, high] = self.range;
        // A bound that is a multiple belongs to the range in spite of rounding.
        [
            (low * self.length - 1e-9).ceil().max(1.0),
            (high * self.length + 1e-9).floor(),
        ]
    }

    /// Samples that a profile needs.
    pub fn samples(&self) -> f64 {
        let wanted = SAMPLES_PER_WAVE * self.harmonics()[1].max(1.0);
        wanted.log2().ceil().exp2()
    }

    fn density(&self, n: f64) -> f64 {
        self.roughness * (n / REFERENCE).powf(-self.waviness)
    }

    /// Amplitudes and phases of the left and the right track. Between them the coherence is
    /// c^(n/n₀): c at n₀, less for shorter waves.
    fn draw(&self, seed: u64, coherence: f64, size: usize) -> [Vec<[f64; 2]>; 2] {
        let mut random = SplitMix(seed);
        let mut tracks = [vec![[0.0; 2]; size], vec![[0.0; 2]; size]];
        let [first, last] = self.harmonics().map(|k| k as usize);
        for k in first..=last.min(size / 2 - 1) {
            let n = k as f64 / self.length;
            let amplitude = (2.0 * self.density(n) / self.length).sqrt();
            let spline = 3.0 / (2.0 + (TAU * k as f64 / size as f64).cos());
            let [a, b] = [0, 1].map(|_| {
                let (sin, cos) = (TAU * random.next()).sin_cos();
                [cos, sin].map(|x| x * amplitude * spline)
            });
            let common = coherence.powf(n / REFERENCE);
            let own = (1.0 - common * common).max(0.0).sqrt();
            tracks[0][k] = a;
            tracks[1][k] = [0, 1].map(|i| common * a[i] + own * b[i]);
        }
        tracks
    }

    /// The profiles of two tracks.
    pub fn profiles(&self, seed: u64, coherence: f64) -> [Profile; 2] {
        let size = self.samples() as usize;
        self.draw(seed, coherence, size).map(|mut spectrum| {
            transform(&mut spectrum);
            Profile {
                period: self.length,
                coefficients: spectrum.into_iter().map(|[real, _]| real).collect(),
            }
        })
    }
}

impl Profile {
    /// Height, slope and second derivative at x.
    pub fn jet(&self, x: f64) -> [f64; 3] {
        let n = self.coefficients.len();
        if !x.is_finite() {
            return [f64::NAN; 3];
        }
        let turns = x / self.period;
        let s = (turns - turns.floor()) * n as f64;
        let cell = s.floor();
        let t = s - cell;
        // n is a power of two.
        let at = |shift: usize| self.coefficients[(cell as usize + n - 1 + shift) & (n - 1)];
        let [a, b, c, d] = [0, 1, 2, 3].map(at);
        let u = 1.0 - t;
        let height = (a * u * u * u + d * t * t * t) / 6.0
            + b * (2.0 / 3.0 - t * t + 0.5 * t * t * t)
            + c * (2.0 / 3.0 - u * u + 0.5 * u * u * u);
        let slope = (d * t * t - a * u * u) / 2.0 + b * (1.5 * t * t - 2.0 * t) + c * (2.0 * u - 1.5 * u * u);
        let curvature = a * u + d * t + b * (3.0 * t - 2.0) + c * (3.0 * u - 2.0);
        let scale = n as f64 / self.period;
        [height, slope * scale, curvature * scale * scale]
    }
}

/// The generator SplitMix64: G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014.
struct SplitMix(u64);

impl SplitMix {
    /// A number in [0, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// xⱼ = Σ Xₖ exp(2πi jk/N) in place, for N a power of two: the fast Fourier transform of Cooley
/// and Tukey.
pub(super) fn transform(x: &mut [[f64; 2]]) {
    let n = x.len();
    let bits = n.trailing_zeros();
    if n < 2 || !n.is_power_of_two() {
        return;
    }
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            x.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (sin, cos) = (TAU * k as f64 / (2 * half) as f64).sin_cos();
            for start in (k..n).step_by(2 * half) {
                let ([a, b], [c, d]) = (x[start], x[start + half]);
                let (re, im) = (c * cos - d * sin, c * sin + d * cos);
                x[start] = [a + re, b + im];
                x[start + half] = [a - re, b - im];
            }
        }
        half *= 2;
    }
}
