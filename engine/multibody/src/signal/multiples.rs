//! Signals with factors.

use super::Signal;

impl Signal {
    /// factor · u(t).
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        if factor == 1.0 {
            return self.clone();
        }
        match self {
            Signal::Polynomial(c) => Signal::Polynomial(c.iter().map(|c| c * factor).collect()),
            Signal::Harmonic {
                offset,
                amplitude,
                frequency,
                phase,
            } => Signal::Harmonic {
                offset: offset * factor,
                amplitude: amplitude * factor,
                frequency: *frequency,
                phase: *phase,
            },
            Signal::Sum(parts) => Signal::Sum(parts.iter().map(|part| part.scaled(factor)).collect()),
            Signal::Scaled(k, signal) => signal.scaled(k * factor),
            Signal::Expression(_) | Signal::Function(_) | Signal::Track { .. } => {
                Signal::Scaled(factor, Box::new(self.clone()))
            }
        }
    }

    /// Σ factor · u(t), without the terms that are zero.
    pub(crate) fn combined(factors: [f64; 3], signals: &[Self; 3]) -> Self {
        let zero = |signal: &Signal| matches!(signal, Signal::Polynomial(c) if c.iter().all(|c| *c == 0.0));
        let terms = factors.iter().zip(signals);
        let terms = terms.filter(|(factor, signal)| **factor != 0.0 && !zero(signal));
        let mut terms: Vec<Signal> = terms.map(|(factor, signal)| signal.scaled(*factor)).collect();
        match terms.len() {
            0 => Signal::constant(0.0),
            1 => terms.remove(0),
            _ => Signal::Sum(terms),
        }
    }
}
