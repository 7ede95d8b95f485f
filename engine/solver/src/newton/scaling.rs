//! Rows and columns by powers of the step size: what belongs to a higher index grows or falls with it.

use holonom_dae::Structure;
use serde::{Deserialize, Serialize};

/// Scales of rows and columns.
pub struct Scaling {
    row_powers: Vec<i8>,
    column_powers: Vec<i8>,
    /// Whether the powers differ, so that scaling is worth anything.
    differs: bool,
    scales: Scales,
}

/// The scales in use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scales {
    /// Of each row.
    pub rows: Vec<f64>,
    /// Of each column.
    pub columns: Vec<f64>,
}

impl Scaling {
    /// As the structure asks for; all scales are 1 until [`set`](Self::set).
    pub fn new(structure: &Structure) -> Self {
        let row_powers: Vec<i8> = structure.equations.iter().map(|e| e.step_power).collect();
        let column_powers: Vec<i8> = structure.variables.iter().map(|v| v.step_power).collect();
        let differs = |p: &[i8]| p.iter().any(|x| *x != p[0]);
        Self {
            differs: differs(&row_powers) || differs(&column_powers),
            scales: Scales {
                rows: vec![1.0; row_powers.len()],
                columns: vec![1.0; column_powers.len()],
            },
            row_powers,
            column_powers,
        }
    }

    /// Scales for steps of size `h`.
    pub fn set(&mut self, h: f64) {
        if self.differs {
            fill(&mut self.scales.rows, &self.row_powers, h);
            fill(&mut self.scales.columns, &self.column_powers, h);
        }
    }

    /// Whether any scale differs from 1.
    pub fn is_used(&self) -> bool {
        self.differs
    }

    /// The scales in use.
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// Takes back the scales of a checkpoint.
    pub fn restore(&mut self, scales: &Scales) {
        self.scales.clone_from(scales);
    }
}

/// scale := h^power, with h rounded to a power of two so that scaling adds no rounding.
fn fill(scale: &mut [f64], powers: &[i8], h: f64) {
    let exponent = h.abs().log2().round() as i32;
    for (s, p) in scale.iter_mut().zip(powers) {
        let power = (exponent * i32::from(*p)).clamp(-900, 900);
        // 2^power, by its exponent alone.
        *s = f64::from_bits(((1023 + power) as u64) << 52);
    }
}
