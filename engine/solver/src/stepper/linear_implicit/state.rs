//! [`MotionState`]: where a mechanical system is.

use holonom_dae::Mechanical;
use serde::{Deserialize, Serialize};

/// Where a mechanical system is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotionState {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Own states of elements.
    pub x: Vec<f64>,
    /// Multipliers.
    pub lambda: Vec<f64>,
}

impl MotionState {
    /// Zeros of the right sizes.
    pub fn new(mechanical: &dyn Mechanical) -> Self {
        Self {
            t: 0.0,
            q: vec![0.0; mechanical.n_q()],
            v: vec![0.0; mechanical.n_v()],
            x: vec![0.0; mechanical.n_x()],
            lambda: vec![0.0; mechanical.n_g()],
        }
    }

    /// Takes over another one, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
        self.x.copy_from_slice(&other.x);
        self.lambda.copy_from_slice(&other.lambda);
    }

    /// Place of the first number that is NaN or infinite, counted over q, v, x and λ.
    pub fn first_non_finite(&self) -> Option<usize> {
        let all = self.q.iter().chain(&self.v).chain(&self.x).chain(&self.lambda);
        // x·0 is zero for finite x and NaN otherwise: no branch for the single number.
        let sum: f64 = all.clone().map(|x| x * 0.0).sum();
        if sum == 0.0 && self.t.is_finite() {
            return None;
        }
        Some(all.clone().position(|x| !x.is_finite()).unwrap_or(0))
    }
}
