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
//! Whether that pays cannot be known beforehand. Where it is to be used only if it pays, a look is taken as soon as
//! evaluations for want of convergence have cost as much as one (the rule of the ski rental): ∂F/∂y is evaluated at the state
//! of now with the inputs of the evaluation before. What then is left of the change between the two, the state has done,
//! and no following of the inputs would help. Only where little is left the second derivatives are bought. They are dropped
//! again when steps have become dearer. To extrapolate the change along the way of the inputs instead needs no look, but is
//! no proof: inputs and state move together, and what the state does then seems to come from the inputs.

use super::tuning::{ENOUGH, EXPLAINED, INCREMENT, WORSE};
use crate::equations::{Equations, Purpose};
use crate::explain::Because;
use crate::jacobian::{JacobianEngine, JacobianPoint, SplitJacobian};
use crate::linear::Matrix;
use holonom_dae::Rejection;
use serde::{Deserialize, Serialize};

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
    /// Room for ∂F/∂y with other inputs.
    other: SplitJacobian,
    /// Where the inputs are followed only if that pays: what is known about it.
    watch: Option<Watch>,
    #[serde(skip)]
    room: Room,
}

/// Room for evaluations, so that none of them allocates.
#[derive(Clone, Debug, Default)]
struct Room {
    beside: Vec<f64>,
    without: Vec<f64>,
    residual: Vec<f64>,
    /// Matrices for slopes.
    matrices: Vec<Matrix>,
}

/// What evaluations of ∂F/∂y tell about following the inputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Watch {
    /// Whether the inputs are followed.
    wanted: bool,
    /// Time of the evaluation of the base; none before the first and after a restart.
    base_time: Option<f64>,
    /// Steps and work at the begin of the comparison: the first evaluation for want of convergence, or the
    /// last change.
    since: Option<(u64, f64)>,
    /// Work per step before the inputs were followed.
    rate: f64,
    /// What the slopes have cost at most.
    price: f64,
    /// What evaluations for want of convergence have cost since slopes were last dropped, in residuals.
    paid: f64,
    /// How many times the price of a look that must be: four times more when one was in vain, or slopes were.
    patience: f64,
    /// Room for the largest entry of each row.
    rows: Vec<f64>,
}

impl Following {
    /// For a system with this many inputs.
    pub fn new(inputs: usize, split: &SplitJacobian, only_if_it_pays: bool) -> Self {
        let watch = only_if_it_pays.then(|| Watch {
            wanted: false,
            base_time: None,
            since: None,
            rate: 0.0,
            price: 0.0,
            paid: 0.0,
            patience: 1.0,
            rows: vec![0.0; split.f_y.n()],
        });
        let mut following = Self {
            watch,
            base: split.f_y.clone(),
            at_base: vec![0.0; inputs],
            slopes: Vec::with_capacity(inputs),
            known: false,
            evaluations: 0,
            now: vec![0.0; inputs],
            other: split.clone(),
            room: Room::default(),
        };
        following.make_room();
        following
    }

    /// Makes room for all slopes that there can be.
    fn make_room(&mut self) {
        let (n, inputs) = (self.base.n(), self.at_base.len());
        for vector in [
            &mut self.room.beside,
            &mut self.room.without,
            &mut self.room.residual,
        ] {
            vector.resize(n, 0.0);
        }
        self.slopes.reserve(inputs - self.slopes.len());
        while self.room.matrices.len() + self.slopes.len() < inputs {
            self.room.matrices.push(self.base.clone());
        }
    }

    /// Takes over what a checkpoint holds.
    pub fn restore(&mut self, saved: &Self) {
        self.clone_from(saved);
        self.make_room();
    }

    /// Nothing is known about slopes any more.
    fn drop_slopes(&mut self) {
        let matrices = self.slopes.drain(..).map(|(_, matrix)| matrix);
        self.room.matrices.extend(matrices);
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
        engine: &mut dyn JacobianEngine,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        f_y: &Matrix,
        cost: Option<f64>,
    ) -> Option<Because> {
        let useful = self.is_useful();
        let watch = self.watch.as_mut()?;
        let base_time = watch.base_time.replace(at.t);
        let cost = cost?;
        let so_far = (
            equations.counters.steps,
            equations.counters.residual_equivalents(),
        );
        let (begin, before) = *watch.since.get_or_insert(so_far);
        let spent = so_far.1 - before;
        let rate = spent / so_far.0.saturating_sub(begin).max(1) as f64;
        if watch.wanted {
            // Evaluations are made where following did not suffice: they tell nothing about where it did.
            // What counts is the work.
            let tried = spent >= ENOUGH * watch.price;
            if !(!useful || tried && rate > WORSE * watch.rate) {
                return None;
            }
            let verdict = Because::InputsDoNotPay {
                depends: useful,
                before: watch.rate,
                now: rate,
            };
            (watch.wanted, watch.paid) = (false, 0.0);
            watch.since = Some(so_far);
            watch.patience *= 4.0;
            self.drop_slopes();
            self.known = false;
            return Some(verdict);
        }
        watch.paid += cost;
        // With differences a residual more; at most that. One evaluation alone never pays for a look: it is compared with
        // that of the start, where the state settles and the inputs have hardly moved.
        let look = cost + 1.0;
        let base_time = base_time.filter(|_| watch.paid >= watch.patience * look)?;
        let looked = evaluate_at(
            engine,
            equations,
            at,
            base_time,
            &mut self.room.residual,
            &mut self.other,
        )
        .map(|()| compare(at, &mut watch.rows, f_y, &self.base, &self.other.f_y));
        // The state of now may not go with the inputs of then: nothing is learnt.
        let Some((change, left)) = looked.ok().filter(|(change, left)| *left < EXPLAINED * change) else {
            watch.patience *= 4.0;
            return None;
        };
        let price = (look + 1.0) * self.now.len() as f64 + 1.0;
        let paid = watch.paid;
        watch.wanted = true;
        (watch.rate, watch.price) = (rate, price);
        // From the next evaluation on: what the slopes cost is no reason to give them up.
        watch.since = None;
        Some(Because::InputsExplain {
            change,
            left,
            price,
            paid,
        })
    }

    /// Takes note of a full evaluation, and evaluates the slopes where that is due: at the first one,
    /// and when as many full evaluations have followed as the slopes cost, so that they no longer pay.
    pub fn evaluated(
        &mut self,
        engine: &mut dyn JacobianEngine,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        f_y: &Matrix,
    ) {
        equations.system.input_values(at.t, &mut self.at_base);
        self.base.values_mut().copy_from_slice(f_y.values());
        self.evaluations += 1;
        let due = !self.known || (self.is_useful() && self.evaluations as usize > 2 * self.slopes.len());
        if !self.is_wanted() || !due {
            return;
        }
        let found = self.find_slopes(engine, equations, at);
        equations.system.shift_input(None);
        if found.is_err() {
            self.drop_slopes();
        }
        self.known = found.is_ok();
        self.evaluations = 0;
    }

    fn find_slopes(
        &mut self,
        engine: &mut dyn JacobianEngine,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
    ) -> Result<(), Rejection> {
        self.drop_slopes();
        // Beside the point: a chain that hangs straight feels no load along it.
        for (j, (beside, y)) in self.room.beside.iter_mut().zip(at.y).enumerate() {
            *beside = y + aside(j);
        }
        let room = &mut self.room;
        equations.residual(Purpose::Other, at.t, &room.beside, at.yp, &mut room.without)?;
        for k in 0..self.at_base.len() {
            let shift = INCREMENT * self.at_base[k].abs().max(1.0);
            equations.system.shift_input(Some((k, shift)));
            let room = &mut self.room;
            equations.residual(Purpose::Other, at.t, &room.beside, at.yp, &mut room.residual)?;
            // What F does not depend on at all, such as the place of a mechanism in space, has no slope.
            if room.residual == room.without {
                continue;
            }
            evaluate_at(engine, equations, at, at.t, &mut room.residual, &mut self.other)?;
            let mut slope = room.matrices.pop().unwrap_or_else(|| self.base.clone());
            let largest = self.base.values().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut any = false;
            let both = self.other.f_y.values().iter().zip(self.base.values());
            for (s, (other, base)) in slope.values_mut().iter_mut().zip(both) {
                let difference = other - base;
                // Differences of differences: what is rounding stays out.
                *s = if difference.abs() > 1e-7 * largest {
                    any = true;
                    difference / shift
                } else {
                    0.0
                };
            }
            match any {
                true => self.slopes.push((k, slope)),
                false => self.room.matrices.push(slope),
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

/// ∂F/∂y at the point, but with the inputs of time `t`, or shifted ones.
fn evaluate_at(
    engine: &mut dyn JacobianEngine,
    equations: &mut Equations<'_>,
    at: &JacobianPoint<'_>,
    t: f64,
    residual: &mut [f64],
    out: &mut SplitJacobian,
) -> Result<(), Rejection> {
    residual.copy_from_slice(at.residual);
    if engine.uses_residual() {
        equations.residual(Purpose::Other, t, at.y, at.yp, residual)?;
    }
    let residual = &*residual;
    engine.evaluate(equations, &JacobianPoint { t, residual, ..*at }, out)
}

/// The change of ∂F/∂y since `base`, and what is left of it in `other`: root mean
/// squares over all entries in units of the largest in their row, weighted by the tolerances.
fn compare(
    at: &JacobianPoint<'_>,
    rows: &mut [f64],
    f_y: &Matrix,
    base: &Matrix,
    other: &Matrix,
) -> (f64, f64) {
    let reciprocal = at.weights.reciprocal();
    rows.fill(0.0);
    f_y.for_each(|i, j, value| rows[i] = rows[i].max((value / reciprocal[j]).abs()));
    let (mut change, mut left, mut k) = (0.0, 0.0, 0);
    f_y.for_each(|i, j, value| {
        if rows[i] > 0.0 {
            let unit = reciprocal[j] * rows[i];
            change += ((value - base.values()[k]) / unit).powi(2);
            left += ((other.values()[k] - base.values()[k]) / unit).powi(2);
        }
        k += 1;
    });
    (change.sqrt(), left.sqrt())
}
