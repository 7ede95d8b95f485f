//! The matrices of the corrector: ∂F/∂y and ∂F/∂ẏ, evaluated or carried on as the policy decided, scaled and
//! factorised, and what rounding does to a solution with them.

use super::RateMemory;
use super::corrector::{Corrector, CorrectorStep};
use super::metric::Metric;
use super::pattern_log::{MOST_EVENTS, PatternEvent};
use super::scheme::Scheme;
use crate::equations::Equations;
use crate::explain::Decision;
use crate::jacobian::{JacobianPoint, SplitJacobian};
use crate::refresh::{Action, Moved, Reason};
use holonom_dae::{Rejection, Weights};
use std::time::Instant;

/// Longest patience with a doubtful pattern, see `Memory::patience`.
const MOST_PATIENCE: f64 = 256.0;

/// Growth of entries in a factorisation beyond which solves are refined once.
const MUCH_GROWTH: f64 = 1e6;

impl Corrector {
    /// Evaluates ∂F/∂y; tells whether missing entries were looked for.
    fn evaluate(
        &mut self,
        reason: Reason,
        action: Action,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
    ) -> Result<bool, Rejection> {
        let start = Instant::now();
        let mut reason = reason;
        let mut look = action == Action::RegroupSparsity;
        let mut before = equations.counters.residual_equivalents();
        let mut evaluated = self.engine.pattern_use().groups;
        if !look {
            self.evaluate_parts(equations, at, false)?;
            if self.engine.pattern_use().violated {
                // Proof, not just suspicion.
                self.memory.doubt = self.memory.patience * self.price_of_looking();
                reason = Reason::PatternViolated;
                let situation = self.situation(reason, at.alpha, true, Moved::default());
                look = self.policy.decide(&situation) == Action::RegroupSparsity;
            }
        }
        if look {
            equations.counters.sparsity_updates += 1;
            before = equations.counters.residual_equivalents();
            evaluated = self.engine.pattern_use().complete_groups;
            self.evaluate_parts(equations, at, true)?;
            self.memory.doubt = 0.0;
        }
        // What the next one will cost, in proportion to its groups.
        let ratio = self.engine.pattern_use().groups as f64 / evaluated.max(1) as f64;
        self.memory.cost = (equations.counters.residual_equivalents() - before) * ratio;
        (self.memory.fewest, self.memory.excess) = (0, 0.0);
        (self.memory.recent_excess, self.memory.followed_at) = (0.0, Some(at.t));
        self.memory.constraints_at = Some(at.t);
        self.memory.gives_constraints =
            self.engine.holds_constraints() && !self.carries() && equations.system.mechanical().is_some();
        if let Some(following) = &mut self.following {
            let stale = !matches!(reason, Reason::FirstStep | Reason::Requested);
            let cost = self.memory.cost;
            let (engine, f_y) = (self.engine.as_mut(), &self.split.f_y);
            let judged = following.judge(engine, equations, at, f_y, stale.then_some(cost));
            if let Some(because) = judged {
                self.decisions.add(Decision::update(at.t, because));
            }
            following.evaluated(engine, equations, at, f_y);
        }
        self.timing.jacobian += start.elapsed().as_secs_f64();
        self.memory.requested = false;
        self.memory.poor = false;
        let change = self.engine.take_change();
        if look && change.is_none() {
            self.memory.patience = (2.0 * self.memory.patience).min(MOST_PATIENCE);
        }
        equations.counters.sparsity_updates += u64::from(change.is_some() && !look);
        if (look || change.is_some()) && self.pattern_log.len() < MOST_EVENTS {
            let event = PatternEvent {
                t: at.t,
                reason,
                change,
            };
            self.pattern_log.push(event);
            self.decisions.add(Decision::pattern(event));
        }
        Ok(look)
    }

    /// Evaluates ∂F/∂y and ∂F/∂ẏ; `look`: with nothing left out.
    fn evaluate_parts(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        look: bool,
    ) -> Result<(), Rejection> {
        let Self { engine, split, .. } = self;
        let mut evaluate = |at: &JacobianPoint<'_>, split: &mut SplitJacobian| {
            if look {
                engine.regroup(equations, at, split)
            } else {
                engine.evaluate(equations, at, split)
            }
        };
        let Some(f_y) = &mut self.taken_apart else {
            return evaluate(at, split);
        };
        // ∂F/∂y is the matrix for α = 0, and ∂F/∂ẏ what the one for α has more.
        split.f_yp.set_zero();
        let without = JacobianPoint { alpha: 0.0, ..*at };
        evaluate(&without, split)?;
        f_y.values_mut().copy_from_slice(split.f_y.values());
        evaluate(at, split)?;
        std::mem::swap(&mut split.f_y, f_y);
        split.f_yp.add_scaled(1.0 / at.alpha, f_y);
        split.f_yp.add_scaled(-1.0 / at.alpha, &split.f_y);
        split.separated = true;
        Ok(())
    }

    /// Renews what needs no evaluation of columns. Where rows of motion are carried to the mass matrix in use, that
    /// stays where ∂F/∂y was evaluated.
    fn renew_given(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
    ) -> Result<(), Rejection> {
        if self.carries() {
            return Ok(());
        }
        self.engine.renew_given(equations, at, &mut self.split)
    }

    /// Carries out what the policy decided; tells whether entries missing in the sparsity pattern
    /// were looked for.
    pub(super) fn refresh<S: Scheme>(
        &mut self,
        reason: Reason,
        action: Action,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &CorrectorStep,
        scheme: &mut S,
    ) -> Result<bool, Rejection> {
        let CorrectorStep { alpha, h, .. } = *step;
        let evaluates = matches!(action, Action::FullEvaluation | Action::RegroupSparsity);
        let carries = self.carries();
        if evaluates && carries {
            self.solve_for_accelerations(equations, scheme.place())?;
        } else if evaluates {
            scheme.residual_for_jacobian(self, equations, step)?;
        }
        let (t, y, yp) = scheme.place();
        let mut looked = false;
        // Whatever happens below, the old matrix is gone.
        self.memory.has_matrix &= action == Action::Keep;
        // Taken out for as long as the rest of `self` is needed; this does not allocate.
        let mut solved = self.metric.as_mut().map(Metric::take_solved).unwrap_or_default();
        let residual = std::mem::take(&mut self.residual_predicted);
        let at = JacobianPoint {
            t,
            y,
            yp: if carries { &solved.yp } else { yp },
            residual: if carries { &solved.residual } else { &residual },
            alpha,
            h,
            weights,
        };
        if action != Action::Keep
            && let Some(metric) = &mut self.metric
        {
            metric.prepare(&self.split.f_yp, weights);
        }
        let renewed = match action {
            Action::Keep => Ok(()),
            Action::FullEvaluation | Action::RegroupSparsity => self
                .evaluate(reason, action, equations, &at)
                .map(|found| looked = found),
            Action::PartitionedUpdate => {
                equations.counters.updates_partitioned += 1;
                // Without G nothing of ∂F/∂y is any newer.
                if self.memory.gives_constraints {
                    self.memory.recent_excess = 0.0;
                }
                self.memory.constraints_at = Some(t);
                self.renew_given(equations, &at)
            }
            Action::ExtendedUpdate => {
                equations.counters.updates_extended += 1;
                (self.memory.recent_excess, self.memory.followed_at) = (0.0, Some(t));
                if let Some(following) = &mut self.following {
                    following.follow(equations, t, &mut self.split.f_y);
                }
                self.memory.constraints_at = Some(t);
                self.renew_given(equations, &at)
            }
        };
        self.residual_predicted = residual;
        if let Some(metric) = &mut self.metric {
            std::mem::swap(&mut solved, &mut metric.solved);
        }
        renewed?;
        if action == Action::Keep {
            return Ok(false);
        }
        let start = Instant::now();
        self.scale_for(h);
        let factorised = scheme
            .factorise(self, equations, step)
            .map_err(|singular| singular.rejection(|i| i))?;
        self.timing.factorisation += start.elapsed().as_secs_f64();
        equations.counters.repivotings += u64::from(factorised.repivoted);
        self.memory.has_matrix = true;
        self.memory.refine = factorised.pivot_growth > MUCH_GROWTH;
        self.memory.alpha = alpha;
        self.memory.rate = RateMemory::default();
        self.judge_metric(equations, (scheme.place().0, alpha), weights, |c, d| {
            scheme.solve_scaled(c, d)
        });
        if evaluates && self.split.separated {
            self.estimate_rounding(equations, weights, scheme);
        }
        Ok(looked)
    }

    /// Scales rows and columns by their powers of `h`.
    pub(crate) fn scale_for(&mut self, h: f64) {
        if self.scaled {
            fill_scale(&mut self.row_scale, &self.row_powers, h);
            fill_scale(&mut self.column_scale, &self.column_powers, h);
        }
    }

    /// Evaluates the parts of the Jacobian at a point of a scheme's own choice. The factors at hand
    /// belong to another one from then on.
    pub(crate) fn evaluate_at(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
    ) -> Result<(), Rejection> {
        let start = Instant::now();
        self.memory.has_matrix = false;
        self.evaluate_parts(equations, at, false)?;
        self.timing.jacobian += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// There are factors of the parts at hand for this α; they are good for the step at hand only.
    pub(crate) fn has_factors(&mut self, alpha: f64) {
        let m = &mut self.memory;
        (m.has_matrix, m.requested) = (true, true);
        (m.alpha, m.alpha_last) = (alpha, alpha);
        m.rate = RateMemory::default();
    }

    /// α ∂F/∂ẏ + ∂F/∂y in the scaling in use.
    pub(super) fn form_matrix(&mut self, alpha: f64) {
        if self.split.separated {
            self.matrix.combine(alpha, &self.split.f_yp, &self.split.f_y);
        } else {
            self.matrix.values_mut().copy_from_slice(self.split.f_y.values());
        }
        if self.scaled {
            self.matrix
                .scale_rows_columns(&self.row_scale, &self.column_scale);
        }
    }

    /// What rounding in the residual does to the solution: J⁻¹ applied to ε times the size of
    /// the terms of each row. Tolerances below that cannot be met (y₃ = 1 − y₁ − y₂ ~ 10⁻¹⁴ is
    /// known to 10⁻¹⁶, whatever is asked for), and insisting would drive the step to zero.
    ///
    /// What is amplified is told by this alone. Tolerances of systems of a higher index take a second sample into account: terms also come from lengths,
    /// which are no unknowns, so that a position counts with its usual size even where it is zero, and signs alternate,
    /// because rounding of one sign everywhere may cancel.
    fn estimate_rounding<S: Scheme>(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        scheme: &mut S,
    ) {
        self.sample_rounding(equations, scheme, false);
        for (r, d) in self.rounding.iter_mut().zip(&self.delta) {
            *r = *d;
        }
        let noise = weights.graded_norm(&self.rounding);
        if weights.reserve() > 1.0 {
            self.sample_rounding(equations, scheme, true);
            for (r, d) in self.rounding.iter_mut().zip(&self.delta) {
                *r = r.max(*d);
            }
        }
        self.rounding_is_new = true;
        let (t, ..) = scheme.place();
        // A matrix that is singular to rounding gives no number; checkpoints need one.
        let noise = if noise.is_finite() { noise } else { f64::MAX };
        let known = self.memory.noise.is_some();
        let before = self.is_noisy();
        // Once amplified, always: a mechanism that comes near a singular position comes near others.
        let once = self.memory.noise.filter(|_| before);
        self.memory.noise = Some(once.map_or(noise, |once| once.max(noise)));
        if let Some(limit) = self.noise_limit
            && (self.is_noisy() != before || !known)
        {
            self.decisions
                .add(Decision::care(t, noise, limit, self.is_noisy()));
        }
    }

    /// delta := twice what rounding does to each variable, in one of two samples.
    fn sample_rounding<S: Scheme>(&mut self, equations: &mut Equations<'_>, scheme: &mut S, second: bool) {
        // Taken out for as long as the rest of `self` is needed; this does not allocate.
        let mut delta = std::mem::take(&mut self.delta);
        delta.fill(0.0);
        let (_, y, yp) = scheme.place();
        let sizes = &self.position_sizes;
        self.split.f_y.for_each(|i, j, v| {
            let size = if second {
                y[j].abs().max(sizes[j])
            } else {
                y[j].abs()
            };
            delta[i] += v.abs() * size;
        });
        self.split.f_yp.for_each(|i, j, v| delta[i] += (v * yp[j]).abs());
        for (k, (d, s)) in delta.iter_mut().zip(&self.row_scale).enumerate() {
            let sign = if second && k % 2 == 1 { -1.0 } else { 1.0 };
            *d *= sign * f64::EPSILON * s;
        }
        scheme.solve_scaled(self, &mut delta);
        equations.counters.solves += 1;
        for (d, s) in delta.iter_mut().zip(&self.column_scale) {
            *d = 2.0 * (*d * s).abs();
        }
        self.delta = delta;
    }
}

/// scale := h^power, with h rounded to a power of two so that scaling adds no rounding.
fn fill_scale(scale: &mut [f64], powers: &[i8], h: f64) {
    let exponent = h.abs().log2().round() as i32;
    for (s, p) in scale.iter_mut().zip(powers) {
        let power = (exponent * i32::from(*p)).clamp(-900, 900);
        // 2^power, by its exponent alone.
        *s = f64::from_bits(((1023 + power) as u64) << 52);
    }
}
