//! Lower bounds of variables.

use holonom_dae::{Rejection, Structure, Weights};

/// The variables with a lower bound.
pub struct Bounds(Vec<(usize, f64)>);

impl Bounds {
    /// As the structure declares them.
    pub fn new(structure: &Structure) -> Self {
        Self(structure.lower_bounds())
    }

    /// Moves variables that fell below their bound back onto it, by calling `move_by` with their number and
    /// the distance, when that is within this share of the tolerance; rejects otherwise. Rounding alone may carry a
    /// variable across its bound.
    pub fn respect(
        &self,
        (rounding, share): (&[f64], f64),
        weights: &Weights,
        y: &mut [f64],
        mut move_by: impl FnMut(&mut [f64], usize, f64),
    ) -> Result<(), Rejection> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut sum = 0.0;
        let mut worst = (0.0, 0);
        for &(i, bound) in &self.0 {
            let below = bound - y[i];
            let d = if below > 2.0 * rounding[i] {
                below * weights.reciprocal()[i]
            } else {
                0.0
            };
            sum += d * d;
            if d > worst.0 {
                worst = (d, i);
            }
        }
        if (sum / y.len() as f64).sqrt() > share {
            return Err(Rejection::BelowBound { variable: worst.1 });
        }
        for &(i, bound) in &self.0 {
            let d = bound - y[i];
            if d > 0.0 {
                move_by(y, i, d);
                y[i] = bound;
            }
        }
        Ok(())
    }
}
