//! Detection of steps that are limited by stability rather than accuracy.

use super::history::History;
use holonom_dae::Weights;
use serde::{Deserialize, Serialize};

/// Options of the detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StabilityOptions {
    /// Whether it is on.
    pub enabled: bool,
}

impl Default for StabilityOptions {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// State of the detection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stability {
    cap: Option<usize>,
}

impl Stability {
    /// Forgets everything.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// The highest order allowed now.
    pub fn max_order(&self, max_order: usize) -> usize {
        self.cap.map_or(max_order, |c| c.min(max_order))
    }

    /// Looks at an accepted step.
    pub fn observe(
        &mut self,
        _options: &StabilityOptions,
        _k: usize,
        _h: f64,
        _e: &[f64],
        _history: &History,
        _weights: &Weights,
    ) {
    }
}
