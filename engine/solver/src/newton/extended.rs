//! Jacobians that follow their inputs: Arnold (26).
//!
//! Where prescribed motions change the geometry, ∂F/∂y changes with them although y hardly does. What
//! ∂²F/∂uᵢ∂y says about that is evaluated once, and ∂F/∂y follows at the cost of a matrix addition:
//!
//! ∂F/∂y(t) ≈ ∂F/∂y(t̄) + Σ ∂²F/∂uᵢ∂y (uᵢ(t) − uᵢ(t̄)).
//!
//! u, u̇ and ü of a motion are inputs of their own. ∂F/∂ẏ is evaluated anew in each update, so that a
//! mass matrix that depends on u needs nothing more.

use crate::equations::{Equations, Purpose};
use crate::jacobian::{JacobianEngine, JacobianPoint, SplitJacobian};
use crate::linear::Matrix;
use holonom_dae::Rejection;
use serde::{Deserialize, Serialize};

/// Increment of an input, in units of its value or of 1: differences of Jacobians that are differences
/// themselves need a large one.
const INCREMENT: f64 = 1e-3;

/// A small way off for variable `j`, different for each.
fn aside(j: usize) -> f64 {
    /// Its multiples spread evenly.
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    1e-3 * (1.0 + (GOLDEN * (j + 1) as f64).fract())
}

/// What ∂F/∂y owes to the inputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Following {
    /// ∂F/∂y at its last evaluation, and the inputs there.
    base: Matrix,
    at_base: Vec<f64>,
    /// The inputs on which ∂F/∂y depends, with the derivative by each.
    slopes: Vec<(usize, Matrix)>,
    /// Whether the slopes have been looked for.
    known: bool,
    /// Full evaluations since then.
    evaluations: u32,
    /// Inputs now.
    now: Vec<f64>,
}

impl Following {
    /// For a system with this many inputs.
    pub fn new(inputs: usize, f_y: &Matrix) -> Self {
        Self {
            base: f_y.clone(),
            at_base: vec![0.0; inputs],
            slopes: Vec::new(),
            known: false,
            evaluations: 0,
            now: vec![0.0; inputs],
        }
    }

    /// Whether there is anything to follow.
    pub fn is_useful(&self) -> bool {
        !self.slopes.is_empty()
    }

    /// Whether an input has changed by more than rounding since ∂F/∂y was evaluated.
    pub fn has_moved(&mut self, equations: &mut Equations<'_>, t: f64) -> bool {
        equations.system.input_values(t, &mut self.now);
        let moved = |k: usize| {
            let (now, then) = (self.now[k], self.at_base[k]);
            (now - then).abs() > 1e-12 * (now.abs() + then.abs())
        };
        self.slopes.iter().any(|&(k, _)| moved(k))
    }

    /// Takes note of a full evaluation, and evaluates the slopes where that is due: at the first one,
    /// and when as many full evaluations have followed as the slopes cost, so that they no longer pay.
    pub fn evaluated(
        &mut self,
        engine: &mut dyn JacobianEngine,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        split: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        equations.system.input_values(at.t, &mut self.at_base);
        self.base.values_mut().copy_from_slice(split.f_y.values());
        self.evaluations += 1;
        let due = !self.known || (self.is_useful() && self.evaluations as usize > 2 * self.slopes.len());
        if !due {
            return Ok(());
        }
        let found = self.find_slopes(engine, equations, at, split);
        equations.system.shift_input(None);
        // What the engine wrote last belongs to a shifted input.
        split.f_y.values_mut().copy_from_slice(self.base.values());
        let restored = engine.evaluate_derivative_part(equations, at, split);
        if found.is_err() {
            self.slopes.clear();
        }
        self.known = found.is_ok();
        self.evaluations = 0;
        restored
    }

    fn find_slopes(
        &mut self,
        engine: &mut dyn JacobianEngine,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        split: &mut SplitJacobian,
    ) -> Result<(), Rejection> {
        self.slopes.clear();
        // Beside the point: a chain that hangs straight feels no load along it.
        let beside: Vec<f64> = at.y.iter().enumerate().map(|(j, y)| y + aside(j)).collect();
        let mut without = at.residual.to_vec();
        equations.residual(Purpose::Other, at.t, &beside, at.yp, &mut without)?;
        let mut residual = without.clone();
        for k in 0..self.at_base.len() {
            let shift = INCREMENT * self.at_base[k].abs().max(1.0);
            equations.system.shift_input(Some((k, shift)));
            equations.residual(Purpose::Other, at.t, &beside, at.yp, &mut residual)?;
            // What F does not depend on at all, such as the place of a mechanism in space, has no slope.
            if residual == without {
                continue;
            }
            equations.residual(Purpose::Other, at.t, at.y, at.yp, &mut residual)?;
            let shifted = JacobianPoint {
                residual: &residual,
                ..*at
            };
            engine.evaluate(equations, &shifted, split)?;
            let mut slope = split.f_y.clone();
            let largest = self.base.values().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut any = false;
            for (s, b) in slope.values_mut().iter_mut().zip(self.base.values()) {
                let difference = *s - b;
                // Differences of differences: what is rounding stays out.
                *s = if difference.abs() > 1e-7 * largest {
                    any = true;
                    difference / shift
                } else {
                    0.0
                };
            }
            if any {
                self.slopes.push((k, slope));
            }
        }
        Ok(())
    }

    /// ∂F/∂y at the inputs of a time.
    pub fn follow(&mut self, equations: &mut Equations<'_>, t: f64, f_y: &mut Matrix) {
        equations.system.input_values(t, &mut self.now);
        let values = f_y.values_mut();
        values.copy_from_slice(self.base.values());
        for (k, slope) in &self.slopes {
            let change = self.now[*k] - self.at_base[*k];
            for (x, s) in values.iter_mut().zip(slope.values()) {
                *x += s * change;
            }
        }
    }
}
