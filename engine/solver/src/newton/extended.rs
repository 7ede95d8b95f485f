//! Jacobians that follow their inputs: Arnold (26).
//!
//! Where prescribed motions change the geometry, ∂F/∂y changes with them although y hardly does. What
//! ∂²F/∂uᵢ∂y says about that is evaluated once, and ∂F/∂y follows at the cost of a matrix addition:
//!
//! ∂F/∂y(t) ≈ ∂F/∂y(t̄) + Σ ∂²F/∂uᵢ∂y (uᵢ(t) − uᵢ(t̄)).
//!
//! u, u̇ and ü of a motion are inputs of their own. ∂F/∂ẏ is evaluated anew in each update, so that a
//! mass matrix that depends on u needs nothing more.
//!
//! Whether that pays cannot be known beforehand. Where it is to be used only if it pays, evaluations
//! of ∂F/∂y that are made anyway are compared first: when the change between two of them foretells the next one
//! by the way of the inputs, the second derivatives are bought, as soon as evaluations for want of convergence
//! have cost as much; and they are dropped again when the run goes on dearer than before.

use crate::equations::{Equations, Purpose};
use crate::explain::Because;
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
    /// Where the inputs are followed only if that pays: what is known about it.
    watch: Option<Watch>,
}

/// What evaluations of ∂F/∂y tell about following the inputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Watch {
    /// Whether the inputs are followed.
    wanted: bool,
    /// ∂F/∂y at the evaluation before that of the base, and the inputs there.
    before: Matrix,
    at_before: Vec<f64>,
    /// Evaluations in a row that can be compared: no restart between them.
    samples: u32,
    /// Evaluations in a row that the inputs foretold.
    votes: u32,
    /// Time and work at the begin of the comparison: the first evaluation for want of convergence, or the
    /// last change.
    since: Option<(f64, f64)>,
    /// Work per time before the inputs were followed.
    rate: f64,
    /// What the slopes have cost at most.
    price: f64,
    /// What evaluations for want of convergence have cost since the slopes were last dropped, in residuals.
    paid: f64,
    /// How many times the price that must be: four times more when slopes are dropped.
    patience: f64,
    /// Largest value of each input so far: u, u̇ and ü have other units.
    sizes: Vec<f64>,
    /// Room for the largest entry of each row.
    rows: Vec<f64>,
}

/// What must be left of the change of ∂F/∂y at most for following to help.
const EXPLAINED: f64 = 0.7;
/// Evaluations in a row that decide.
const VOTES: u32 = 2;
/// Work after which following is judged, in units of the price of the slopes.
const ENOUGH: f64 = 4.0;
/// Work per time, in units of that before, from which on following does not pay; motions change.
const WORSE: f64 = 1.2;

impl Following {
    /// For a system with this many inputs.
    pub fn new(inputs: usize, f_y: &Matrix, only_if_it_pays: bool) -> Self {
        let watch = only_if_it_pays.then(|| Watch {
            wanted: false,
            before: f_y.clone(),
            at_before: vec![0.0; inputs],
            samples: 0,
            votes: 0,
            since: None,
            rate: 0.0,
            price: 0.0,
            paid: 0.0,
            patience: 1.0,
            sizes: vec![0.0; inputs],
            rows: vec![0.0; f_y.n()],
        });
        Self {
            watch,
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

    /// Whether the inputs are to be followed.
    pub fn is_wanted(&self) -> bool {
        self.watch.as_ref().is_none_or(|w| w.wanted)
    }

    /// Judges by a new evaluation whether following the inputs pays, before
    /// [`evaluated`](Self::evaluated); the reason where that changes. `cost` is that of the evaluation where
    /// it was made for want of convergence.
    pub fn judge(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        f_y: &Matrix,
        cost: Option<f64>,
    ) -> Option<Because> {
        let watch = self.watch.as_mut()?;
        equations.system.input_values(at.t, &mut self.now);
        for (size, u) in watch.sizes.iter_mut().zip(&self.now) {
            *size = size.max(u.abs());
        }
        watch.paid += cost.unwrap_or(0.0);
        if cost.is_none() {
            (watch.samples, watch.votes) = (0, 0);
        }
        watch.samples += 1;
        let mut verdict = None;
        let rows = &mut watch.rows;
        let spent = equations.counters.residual_equivalents();
        if cost.is_some() && watch.since.is_none() {
            watch.since = Some((at.t, spent));
        }
        let (begin, before) = watch.since.unwrap_or((at.t, spent));
        let rate = if at.t > begin {
            (spent - before) / (at.t - begin)
        } else {
            0.0
        };
        if watch.wanted {
            // Evaluations are made where following did not suffice: they tell nothing about where it did.
            // What counts is the work.
            let tried = spent - before >= ENOUGH * watch.price;
            if self.slopes.is_empty() || (tried && rate > WORSE * watch.rate) {
                verdict = Some(Because::InputsDoNotPay {
                    depends: !self.slopes.is_empty(),
                    before: watch.rate,
                    now: rate,
                });
                self.slopes.clear();
                self.known = false;
                (watch.wanted, watch.votes, watch.paid) = (false, 0, 0.0);
                watch.since = Some((at.t, spent));
                watch.patience *= 4.0;
            }
        } else if watch.samples > 2 {
            // How far along the way from the evaluation before the last to the last one the inputs have gone
            // since then.
            let (mut along, mut length) = (0.0, 0.0);
            for k in 0..self.now.len() {
                let unit = watch.sizes[k].max(f64::MIN_POSITIVE);
                let last = (self.at_base[k] - watch.at_before[k]) / unit;
                along += last * (self.now[k] - self.at_base[k]) / unit;
                length += last * last;
            }
            let way = if length > 0.0 { along / length } else { 0.0 };
            let (base, before) = (self.base.values(), watch.before.values());
            let (change, left) = compare(at, rows, f_y, &self.base, |k| way * (base[k] - before[k]));
            watch.votes = if left <= EXPLAINED * change {
                watch.votes + 1
            } else {
                0
            };
            let price = (cost.unwrap_or(0.0) + 2.0) * self.now.len() as f64 + 1.0;
            if watch.votes >= VOTES && watch.paid >= watch.patience * price {
                let paid = watch.paid;
                verdict = Some(Because::InputsExplain {
                    change,
                    left,
                    price,
                    paid,
                });
                (watch.wanted, watch.votes) = (true, 0);
                (watch.rate, watch.price) = (rate, price);
                watch.since = Some((at.t, spent));
            }
        }
        watch.before.values_mut().copy_from_slice(self.base.values());
        watch.at_before.copy_from_slice(&self.at_base);
        verdict
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
        if !self.is_wanted() {
            return Ok(());
        }
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

/// The change of ∂F/∂y since `base`, and what is left of it when `foretold(place)` is taken off: root mean
/// squares over all entries in units of the largest in their row, weighted by the tolerances.
fn compare(
    at: &JacobianPoint<'_>,
    rows: &mut [f64],
    f_y: &Matrix,
    base: &Matrix,
    foretold: impl Fn(usize) -> f64,
) -> (f64, f64) {
    let reciprocal = at.weights.reciprocal();
    rows.fill(0.0);
    f_y.for_each(|i, j, value| rows[i] = rows[i].max((value / reciprocal[j]).abs()));
    let (mut change, mut left, mut k) = (0.0, 0.0, 0);
    f_y.for_each(|i, j, value| {
        if rows[i] > 0.0 {
            let unit = reciprocal[j] * rows[i];
            let moved = value - base.values()[k];
            change += (moved / unit).powi(2);
            left += ((moved - foretold(k)) / unit).powi(2);
        }
        k += 1;
    });
    (change.sqrt(), left.sqrt())
}
