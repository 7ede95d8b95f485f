//! The discrete Fourier transform of any length.

use std::f64::consts::{PI, TAU};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// A number with this direction on the unit circle.
    fn turn(angle: f64) -> Self {
        let (im, re) = angle.sin_cos();
        Self { re, im }
    }

    fn conjugate(self) -> Self {
        Self {
            re: self.re,
            im: -self.im,
        }
    }

    fn times(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }

    /// Absolute value.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }
}

/// Xₖ = Σⱼ xⱼ exp(−2πi jk/n), in place, in O(n log n) operations for any n.
pub fn transform(x: &mut [Complex]) {
    if x.len().is_power_of_two() {
        radix_two(x);
    } else if !x.is_empty() {
        bluestein(x);
    }
}

/// Lengths that are powers of two [Cooley and Tukey 1965].
fn radix_two(x: &mut [Complex]) {
    let n = x.len();
    if n < 2 {
        return;
    }
    // Order of reversed bits.
    let shift = usize::BITS - n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> shift;
        if i < j {
            x.swap(i, j);
        }
    }
    let turns: Vec<Complex> = (0..n / 2)
        .map(|k| Complex::turn(-TAU * k as f64 / n as f64))
        .collect();
    let mut half = 1;
    while half < n {
        let stride = n / (2 * half);
        for block in x.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let t = b.times(turns[k * stride]);
                (*a, *b) = (a.plus(t), a.minus(t));
            }
        }
        half *= 2;
    }
}

/// Any length: jk = (j² + k² − (k − j)²)/2 turns the sum into a convolution, which transforms of
/// a power of two do [Bluestein 1970].
fn bluestein(x: &mut [Complex]) {
    let n = x.len();
    let m = (2 * n - 1).next_power_of_two();
    // j² mod 2n keeps the angle accurate for large j.
    let chirp: Vec<Complex> = (0..n as u64)
        .map(|j| {
            let square = u128::from(j) * u128::from(j) % (2 * n as u128);
            Complex::turn(-PI * square as f64 / n as f64)
        })
        .collect();
    let mut a = vec![Complex::default(); m];
    let mut b = vec![Complex::default(); m];
    for j in 0..n {
        a[j] = x[j].times(chirp[j]);
        b[j] = chirp[j].conjugate();
        if j > 0 {
            b[m - j] = b[j];
        }
    }
    radix_two(&mut a);
    radix_two(&mut b);
    // The inverse is the conjugate of the transform of the conjugate, over m.
    for (a, b) in a.iter_mut().zip(&b) {
        *a = a.times(*b).conjugate();
    }
    radix_two(&mut a);
    for k in 0..n {
        let y = a[k].conjugate().times(chirp[k]);
        x[k] = Complex {
            re: y.re / m as f64,
            im: y.im / m as f64,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition.
    fn direct(x: &[Complex]) -> Vec<Complex> {
        let n = x.len();
        let term = |k: usize, j: usize| x[j].times(Complex::turn(-TAU * ((j * k) % n) as f64 / n as f64));
        let sum = |k| (0..n).fold(Complex::default(), |sum, j| sum.plus(term(k, j)));
        (0..n).map(sum).collect()
    }

    #[test]
    fn like_the_definition() {
        for n in [1, 2, 3, 4, 5, 7, 8, 12, 31, 64, 100, 127, 128, 360, 1009] {
            // Irregular numbers of order one.
            let x: Vec<Complex> = (0..n)
                .map(|j| Complex {
                    re: (1.7 * (j * j) as f64).sin(),
                    im: (0.3 + 2.9 * j as f64).cos(),
                })
                .collect();
            let wanted = direct(&x);
            let mut found = x.clone();
            transform(&mut found);
            for (a, b) in found.iter().zip(&wanted) {
                assert!(a.minus(*b).abs() < 1e-11 * (n as f64).max(10.0), "{n}");
            }
        }
        transform(&mut []);
    }

    #[test]
    fn long_transforms_keep_their_digits() {
        // Energy is kept: Σ|X|² = n Σ|x|².
        for n in [1 << 17, 100_003] {
            let mut x: Vec<Complex> = (0..n)
                .map(|j| Complex {
                    re: (0.1 * j as f64).sin(),
                    im: 0.0,
                })
                .collect();
            let energy = |x: &[Complex]| x.iter().map(|c| c.abs().powi(2)).sum::<f64>();
            let before = energy(&x);
            transform(&mut x);
            let after = energy(&x) / n as f64;
            assert!((after / before - 1.0).abs() < 1e-12, "{n}: {after} {before}");
        }
    }
}
