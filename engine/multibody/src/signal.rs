//! Functions of time: u(t) with its first two derivatives.

use core::fmt;
use holonom_algebra::Real;
use std::sync::Arc;

/// A user's function t ↦ [u, u̇, ü].
pub type SignalFunction = dyn Fn(f64) -> [f64; 3] + Send + Sync;

/// An excitation u(t), with u̇ and ü as rheonomic joints need them, Arnold (4)–(6).
///
/// ```
/// use holonom_multibody::Signal;
/// let u = Signal::harmonic(0.1, 2.0, 0.0);
/// let [x, v, a] = u.evaluate(0.0_f64);
/// assert_eq!((x, v, a), (0.0, 0.2, 0.0));
/// ```
#[derive(Clone)]
pub enum Signal {
    /// Σ cₖ tᵏ.
    Polynomial(Vec<f64>),
    /// offset + amplitude · sin(ω t + phase).
    Harmonic {
        /// Mean value.
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// Angular frequency ω in rad/s.
        frequency: f64,
        /// Phase in rad.
        phase: f64,
    },
    /// Sum of other signals.
    Sum(Vec<Signal>),
    /// A user's function.
    Function(Arc<SignalFunction>),
}

impl Signal {
    /// A constant.
    pub fn constant(value: f64) -> Self {
        Self::Polynomial(vec![value])
    }

    /// offset + rate · t.
    pub fn linear(offset: f64, rate: f64) -> Self {
        Self::Polynomial(vec![offset, rate])
    }

    /// amplitude · sin(ω t + phase).
    pub fn harmonic(amplitude: f64, frequency: f64, phase: f64) -> Self {
        Self::Harmonic {
            offset: 0.0,
            amplitude,
            frequency,
            phase,
        }
    }

    /// A user's function t ↦ [u, u̇, ü].
    pub fn function(f: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(f))
    }

    /// Whether all numbers in it are finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Polynomial(c) => c.iter().all(|x| x.is_finite()),
            Self::Harmonic {
                offset,
                amplitude,
                frequency,
                phase,
            } => [offset, amplitude, frequency, phase]
                .iter()
                .all(|x| x.is_finite()),
            Self::Sum(s) => s.iter().all(Self::is_finite),
            Self::Function(_) => true,
        }
    }

    /// [u, u̇, ü] at time t.
    pub fn evaluate<T: Real>(&self, t: T) -> [T; 3] {
        match self {
            Self::Polynomial(c) => {
                // Horner for the value and both derivatives at once.
                let (mut u, mut du, mut ddu) = (T::zero(), T::zero(), T::zero());
                for &k in c.iter().rev() {
                    ddu = ddu * t + du * 2.0;
                    du = du * t + u;
                    u = u * t + k;
                }
                [u, du, ddu]
            }
            Self::Harmonic {
                offset,
                amplitude,
                frequency,
                phase,
            } => {
                let (s, c) = (t * *frequency + *phase).sin_cos();
                let u = s * *amplitude;
                [
                    u + *offset,
                    c * (*amplitude * frequency),
                    -(u * (frequency * frequency)),
                ]
            }
            Self::Sum(parts) => {
                let mut sum = [T::zero(); 3];
                for p in parts {
                    for (a, b) in sum.iter_mut().zip(p.evaluate(t)) {
                        *a += b;
                    }
                }
                sum
            }
            Self::Function(f) => {
                let at = t.value();
                let [u, du, ddu] = f(at);
                // Chain rule along t; the third derivative is a difference of the second.
                let dt = t - at;
                let step = 1e-5 * at.abs().max(1.0);
                let third = (f(at + step)[2] - f(at - step)[2]) / (2.0 * step);
                [dt * du + u, dt * ddu + du, dt * third + ddu]
            }
        }
    }
}

/// Users' functions are equal when they are the same object.
impl PartialEq for Signal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Polynomial(a), Self::Polynomial(b)) => a == b,
            (
                Self::Harmonic {
                    offset,
                    amplitude,
                    frequency,
                    phase,
                },
                Self::Harmonic {
                    offset: o,
                    amplitude: a,
                    frequency: f,
                    phase: p,
                },
            ) => [offset, amplitude, frequency, phase] == [o, a, f, p],
            (Self::Sum(a), Self::Sum(b)) => a == b,
            (Self::Function(a), Self::Function(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Polynomial(c) => f.debug_tuple("Polynomial").field(c).finish(),
            Self::Harmonic {
                offset,
                amplitude,
                frequency,
                phase,
            } => write!(f, "Harmonic({offset} + {amplitude} sin({frequency} t + {phase}))"),
            Self::Sum(s) => f.debug_tuple("Sum").field(s).finish(),
            Self::Function(_) => f.write_str("Function(..)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        let signals = [
            Signal::Polynomial(vec![1.0, -2.0, 0.5, 0.25]),
            Signal::Harmonic {
                offset: 0.3,
                amplitude: 2.0,
                frequency: 3.0,
                phase: 0.4,
            },
            Signal::Sum(vec![Signal::linear(1.0, 2.0), Signal::harmonic(1.0, 2.0, 0.1)]),
        ];
        let h = 1e-5;
        for s in &signals {
            let (a, b, c) = (s.evaluate(0.7 - h), s.evaluate(0.7), s.evaluate(0.7 + h));
            assert!(((c[0] - a[0]) / (2.0 * h) - b[1]).abs() < 1e-8);
            assert!(((c[1] - a[1]) / (2.0 * h) - b[2]).abs() < 1e-8);
        }
    }
}
