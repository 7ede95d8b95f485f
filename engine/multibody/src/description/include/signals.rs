//! Signals with factors.

use crate::signal::Signal;

/// factor · u(t).
pub(super) fn scaled(signal: &Signal, factor: f64) -> Signal {
    if factor == 1.0 {
        return signal.clone();
    }
    match signal {
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
        Signal::Sum(parts) => Signal::Sum(parts.iter().map(|part| scaled(part, factor)).collect()),
        Signal::Scaled(k, signal) => scaled(signal, k * factor),
        Signal::Expression(_) | Signal::Function(_) | Signal::Track { .. } => {
            Signal::Scaled(factor, Box::new(signal.clone()))
        }
    }
}

/// Σ factor · u(t), without the terms that are zero.
pub(super) fn combined(factors: [f64; 3], signals: &[Signal; 3]) -> Signal {
    let zero = |signal: &Signal| matches!(signal, Signal::Polynomial(c) if c.iter().all(|c| *c == 0.0));
    let terms = factors.iter().zip(signals);
    let terms = terms.filter(|(factor, signal)| **factor != 0.0 && !zero(signal));
    let mut terms: Vec<Signal> = terms.map(|(factor, signal)| scaled(signal, *factor)).collect();
    match terms.len() {
        0 => Signal::constant(0.0),
        1 => terms.remove(0),
        _ => Signal::Sum(terms),
    }
}
