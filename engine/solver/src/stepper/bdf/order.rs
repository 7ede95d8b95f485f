//! Local error estimates at neighbouring orders and the choice of the next order and step.

use super::coefficients::Coefficients;
use super::history::History;
use holonom_dae::Weights;
use serde::{Deserialize, Serialize};

/// Error estimates of an attempt at order k. `term[j]` estimates ‖h^{j+1} y^{(j+1)}‖ for
/// order j, which is what orders are compared by; `error[j]` is the local error at order j.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Estimates {
    /// At order k.
    pub error: f64,
    /// At order k.
    pub term: f64,
    /// At order k − 1.
    pub error_below: f64,
    /// At order k − 1.
    pub term_below: f64,
    /// Whether order k − 1 looks at least as good.
    pub lower: bool,
}

/// ‖a + b‖ in the error weights.
fn norm_of_sum(a: &[f64], b: &[f64], w: &[f64]) -> f64 {
    let sum: f64 = a
        .iter()
        .zip(b)
        .zip(w)
        .map(|((a, b), w)| ((a + b) * w).powi(2))
        .sum();
    (sum / a.len() as f64).sqrt()
}

/// ‖a + b + c‖ in the error weights.
fn norm_of_three(a: &[f64], b: &[f64], c: &[f64], w: &[f64]) -> f64 {
    let sum: f64 = (a.iter().zip(b).zip(c).zip(w))
        .map(|(((a, b), c), w)| ((a + b + c) * w).powi(2))
        .sum();
    (sum / a.len() as f64).sqrt()
}

impl Estimates {
    /// From the correction `e` of an attempt at order `k` whose history is already φ*.
    pub fn new(
        k: usize,
        e_norm: f64,
        e: &[f64],
        history: &History,
        c: &Coefficients,
        weights: &Weights,
    ) -> Self {
        let w = weights.reciprocal_error();
        let error = c.sigma[k] * e_norm;
        let term = (k + 1) as f64 * error;
        let mut s = Self {
            error,
            term,
            ..Self::default()
        };
        if k > 1 {
            s.error_below = c.sigma[k - 1] * norm_of_sum(history.column(k), e, w);
            s.term_below = k as f64 * s.error_below;
            s.lower = if k > 2 {
                let two_below =
                    c.sigma[k - 2] * norm_of_three(history.column(k - 1), history.column(k), e, w);
                let term_two_below = (k - 1) as f64 * two_below;
                s.term_below.max(term_two_below) <= term
            } else {
                s.term_below <= 0.5 * term
            };
        }
        s
    }
}

/// ‖e − φ_{k+2}‖/(k + 2): the error at order k + 1, known after two steps at order k.
pub fn error_above(k: usize, e: &[f64], history: &History, weights: &Weights) -> f64 {
    let w = weights.reciprocal_error();
    let sum: f64 = (e.iter().zip(history.column(k + 1)).zip(w))
        .map(|((e, p), w)| ((e - p) * w).powi(2))
        .sum();
    (sum / e.len() as f64).sqrt() / (k + 2) as f64
}

/// Step-size factor for an error `estimate` at order `k`, aiming at half the tolerance.
pub fn step_factor(estimate: f64, k: usize) -> f64 {
    (2.0 * estimate + 1e-4).powf(-1.0 / (k + 1) as f64)
}
