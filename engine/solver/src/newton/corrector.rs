//! The matrices of a nonlinear solve: when they are renewed, and how. What is solved with them is a
//! [`Scheme`]: F at one new point ([`point`](super::point)), or at all stages of a step.

use super::extended::Following;
use super::pattern_log::{MOST_EVENTS, PatternEvent};
use super::point::Point;
use super::scheme::Scheme;
use super::{NewtonOptions, RateMemory};
use crate::equations::Equations;
use crate::explain::{Decision, Decisions};
use crate::jacobian::{EngineState, JacobianEngine, JacobianPoint, PatternUse, SplitJacobian};
use crate::linear::{LinearSolver, Matrix, SolverState};
use crate::refresh::{Action, Reason, RefreshPolicy, Situation};
use holonom_dae::{Pattern, Rejection, Structure, Timing, Weights};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The corrector with the matrices it keeps.
pub struct Corrector {
    pub(super) options: NewtonOptions,
    engine: Box<dyn JacobianEngine>,
    pub(super) linear: Box<dyn LinearSolver>,
    policy: Box<dyn RefreshPolicy>,
    pub(super) split: SplitJacobian,
    pub(super) matrix: Matrix,
    pub(super) memory: Memory,
    row_powers: Vec<i8>,
    column_powers: Vec<i8>,
    /// Whether the powers differ, so that scaling is worth anything.
    pub(super) scaled: bool,
    pub(super) row_scale: Vec<f64>,
    pub(super) column_scale: Vec<f64>,
    pub(super) lower_bounds: Vec<(usize, f64)>,
    /// Where the time went.
    pub timing: Timing,
    pub(super) residual: Vec<f64>,
    pub(super) residual_predicted: Vec<f64>,
    pub(super) predicted: Vec<f64>,
    pub(super) derivative_predicted: Vec<f64>,
    pub(super) delta: Vec<f64>,
    /// Accuracy to which rounding lets each variable be determined, from the last evaluation.
    pub(super) rounding: Vec<f64>,
    rounding_is_new: bool,
    pattern_log: Vec<PatternEvent>,
    /// Where ∂F/∂y follows the inputs.
    following: Option<Following>,
    /// Where the engine gives α ∂F/∂ẏ + ∂F/∂y only and the parts are wanted: room for ∂F/∂y.
    taken_apart: Option<Matrix>,
    /// Whether a matrix may be kept when α changes.
    partitioned: bool,
    /// Noise from which on rounding counts as amplified, where that is watched.
    noise_limit: Option<f64>,
    decisions: Decisions,
}

/// Rounding that reaches this part of the share is amplified: as next to singular positions, where it
/// comes out divided by what is left of the smallest singular value. Elsewhere it stays below a
/// thousandth of that: of the shipped models 10⁻⁹ to 4·10⁻⁶ of the tolerance, 5·10⁻⁵ to 3·10⁻³ next to the singular
/// positions of `n-four-bar`.
const AMPLIFIED: f64 = 0.01;

/// A fresh matrix should contract faster than this.
const POOR_RATE: f64 = 0.25;
/// Longest patience with a doubtful pattern, see [`Memory::patience`].
const MOST_PATIENCE: f64 = 256.0;

/// Growth of entries in a factorisation beyond which solves are refined once.
const MUCH_GROWTH: f64 = 1e6;

/// What the corrector remembers from step to step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Memory {
    pub(super) has_matrix: bool,
    /// A full evaluation is wanted at the next opportunity.
    requested: bool,
    /// The factorisation let entries grow: solves are refined.
    pub(super) refine: bool,
    /// α of the factorised matrix.
    pub(super) alpha: f64,
    /// α of the last iteration: another α means another iteration.
    alpha_last: f64,
    pub(super) rate: RateMemory,
    /// Corrections in the iteration at hand.
    pub(super) corrections: u32,
    /// Fewest corrections of a step since ∂F/∂y was evaluated; 0 before the first.
    fewest: u32,
    /// Whether the iteration at hand began with nothing known about its rate of convergence.
    blind: bool,
    /// Residuals that a correction takes.
    work: f64,
    /// Residuals for corrections beyond the fewest, summed over the steps since then.
    excess: f64,
    /// The same since ∂F/∂y was evaluated or followed the inputs.
    recent_excess: f64,
    /// Time at which it did.
    followed_at: Option<f64>,
    /// Residuals the last evaluation of ∂F/∂y took.
    cost: f64,
    /// Whether the iteration converged poorly although the matrix was fresh.
    poor: bool,
    /// Work that missing entries may have caused since they were last looked for, in residuals.
    doubt: f64,
    /// How many times the price of looking for missing entries the doubt must reach: doubled when
    /// nothing was found, so that other causes of slow convergence do not cost much.
    patience: f64,
    /// What rounding does to the solution, in units of the tolerance; the most of it since it was found
    /// amplified; none while nothing is known.
    noise: Option<f64>,
}

/// Everything later iterations depend on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorrectorState {
    split: SplitJacobian,
    linear: SolverState,
    memory: Memory,
    engine: EngineState,
    following: Option<Following>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    rounding: Vec<f64>,
    decisions: Decisions,
}

/// One nonlinear system F(t, y, αy + β) = 0 to be solved.
#[derive(Clone, Copy, Debug)]
pub struct CorrectorStep {
    /// Time of the new point; of the last one for a step in stages.
    pub t: f64,
    /// Leading coefficient.
    pub alpha: f64,
    /// Step size.
    pub h: f64,
    /// Whether the attempt before failed its error test.
    pub after_error_failure: bool,
}

impl Corrector {
    /// Allocates everything the iteration needs.
    pub fn new(
        structure: &Structure,
        options: NewtonOptions,
        engine: Box<dyn JacobianEngine>,
        linear: Box<dyn LinearSolver>,
        policy: Box<dyn RefreshPolicy>,
        split: SplitJacobian,
    ) -> Self {
        let n = structure.dimension();
        let row_powers: Vec<i8> = structure.equations.iter().map(|e| e.step_power).collect();
        let column_powers: Vec<i8> = structure.variables.iter().map(|v| v.step_power).collect();
        let differs = |p: &[i8]| p.iter().any(|x| *x != p[0]);
        Self {
            options,
            engine,
            linear,
            policy,
            matrix: split.f_y.clone(),
            split,
            memory: Memory {
                has_matrix: false,
                requested: false,
                refine: false,
                alpha: 0.0,
                alpha_last: 0.0,
                rate: RateMemory::default(),
                corrections: 0,
                fewest: 0,
                blind: true,
                work: 1.0,
                excess: 0.0,
                recent_excess: 0.0,
                followed_at: None,
                cost: f64::MAX,
                poor: false,
                doubt: 0.0,
                patience: 1.0,
                noise: None,
            },
            scaled: differs(&row_powers) || differs(&column_powers),
            row_powers,
            column_powers,
            row_scale: vec![1.0; n],
            column_scale: vec![1.0; n],
            lower_bounds: structure.lower_bounds(),
            timing: Timing::default(),
            residual: vec![0.0; n],
            residual_predicted: vec![0.0; n],
            predicted: vec![0.0; n],
            derivative_predicted: vec![0.0; n],
            delta: vec![0.0; n],
            rounding: vec![0.0; n],
            rounding_is_new: false,
            pattern_log: Vec::new(),
            following: None,
            taken_apart: None,
            partitioned: true,
            noise_limit: None,
            decisions: Decisions::default(),
        }
    }

    /// Keeps ∂F/∂ẏ and ∂F/∂y apart also where the structure does not tell ∂F/∂ẏ, at the price of a second
    /// evaluation; `partitioned`: whether ∂F/∂y may be kept when α changes.
    pub fn keep_apart(&mut self, partitioned: bool) {
        if !self.split.separated {
            self.taken_apart = Some(self.split.f_y.clone());
            self.split.separated = true;
        }
        self.partitioned = partitioned;
    }

    /// Lets ∂F/∂y follow the inputs of the system, Arnold (26): from the first evaluation on, or as
    /// soon as that is likely to pay, and as long as it does.
    pub fn follow_inputs(&mut self, inputs: usize, only_if_it_pays: bool) {
        if inputs > 0 && self.split.separated {
            self.following = Some(Following::new(inputs, &self.split, only_if_it_pays));
        }
    }

    /// Whether ∂F/∂y follows inputs now.
    pub fn follows_inputs(&self) -> bool {
        self.following.as_ref().is_some_and(Following::is_wanted)
    }

    /// Solves to this share of the tolerance at most, and watches whether rounding is amplified
    /// ([`is_noisy`](Self::is_noisy)).
    pub fn be_careful(&mut self, share: f64) {
        self.options.share = self.options.share.min(share);
        self.noise_limit = Some(AMPLIFIED * share);
    }

    /// Whether rounding is amplified so much that it disturbs the iteration, as next to singular
    /// positions; yes where nothing is known about it, and no where nobody asked for care.
    pub fn is_noisy(&self) -> bool {
        let noise = self.memory.noise;
        self.noise_limit
            .is_some_and(|limit| noise.is_none_or(|noise| noise >= limit))
    }

    /// What was decided in the run, and why.
    pub fn decisions(&self) -> &[Decision] {
        self.decisions.list()
    }

    /// What the Jacobian engine says about its sparsity pattern.
    pub fn pattern_use(&self) -> PatternUse {
        self.engine.pattern_use()
    }

    /// Changes of the estimated sparsity pattern so far, the first thousand of them.
    pub fn pattern_log(&self) -> &[PatternEvent] {
        &self.pattern_log
    }

    /// Takes this pattern for the estimate, where one is wanted: knowledge from an earlier run
    /// saves the full evaluation at the start.
    pub fn assume_pattern(&mut self, pattern: &Pattern) {
        self.engine.assume_pattern(pattern);
    }

    /// Accuracy to which rounding lets each variable be determined, when there is something
    /// new about it since the last call; zero where unknown.
    pub fn new_rounding(&mut self) -> Option<&[f64]> {
        std::mem::take(&mut self.rounding_is_new).then_some(&self.rounding)
    }

    /// Names of the Jacobian engine, the linear solver and the policy in use.
    pub fn names(&self) -> [&'static str; 3] {
        [self.engine.name(), self.linear.name(), self.policy.name()]
    }

    /// Residual at the last point looked at: tells the worst rows after a failure.
    pub fn last_residual(&self) -> &[f64] {
        &self.residual
    }

    /// Asks for a full evaluation at the next opportunity.
    pub fn request_evaluation(&mut self) {
        self.memory.requested = true;
    }

    /// A step was accepted: what it cost in corrections tells how well ∂F/∂y still serves.
    pub fn step_accepted(&mut self) {
        let m = &mut self.memory;
        m.fewest = if m.fewest == 0 {
            m.corrections
        } else {
            m.fewest.min(m.corrections)
        };
        // A matrix of which no rate is known takes a second correction to learn it, however good it is.
        let needed = if m.blind { m.fewest.max(2) } else { m.fewest };
        let excess = m.work * f64::from(m.corrections.saturating_sub(needed));
        m.excess += excess;
        m.recent_excess += excess;
        if m.poor {
            m.doubt += m.work * f64::from(m.corrections.saturating_sub(1));
        }
    }

    /// Improves the predicted `y`, `yp` until they solve the system; `e` receives y minus its
    /// prediction. On a rejection `y` and `yp` hold the last iterate.
    pub fn correct(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: CorrectorStep,
        y: &mut [f64],
        yp: &mut [f64],
        e: &mut [f64],
    ) -> Result<(), Rejection> {
        self.solve(equations, weights, step, &mut Point { t: step.t, y, yp, e })
    }

    /// Solves the system of a scheme, renewing the matrices as the policy says.
    pub(crate) fn solve<S: Scheme>(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: CorrectorStep,
        scheme: &mut S,
    ) -> Result<(), Rejection> {
        let alpha = step.alpha;
        let (t, ..) = scheme.place();
        self.memory.work = scheme.work();
        if alpha != self.memory.alpha_last {
            self.memory.rate.s = RateMemory::default().s;
            self.memory.alpha_last = alpha;
        }
        let reason = match &self.memory {
            m if !m.has_matrix => Reason::FirstStep,
            m if m.requested => Reason::Requested,
            _ if step.after_error_failure => Reason::ErrorTestFailure,
            _ => Reason::NewStep,
        };
        let mut reason = reason;
        let (mut fresh, mut looked) = (false, false);
        let moved = self.inputs_moved(equations, t);
        let mut action = self.policy.decide(&self.situation(reason, alpha, fresh, moved));
        if S::NEEDS_MATCH && action == Action::Keep && alpha != self.memory.alpha {
            action = if self.partitioned {
                Action::PartitionedUpdate
            } else {
                Action::FullEvaluation
            };
        }
        scheme.begin(self, equations, &step)?;
        loop {
            fresh |= matches!(action, Action::FullEvaluation | Action::RegroupSparsity);
            let refreshed = self.refresh(reason, action, equations, weights, &step, scheme);
            looked |= action == Action::RegroupSparsity || matches!(refreshed, Ok(true));
            match refreshed {
                Ok(_) => {}
                // Missing entries can make a matrix singular.
                Err(rejection @ Rejection::SingularMatrix { .. }) if fresh && !looked => {
                    self.doubt_pattern();
                    reason = Reason::Divergence;
                    let moved = self.inputs_moved(equations, t);
                    action = self.policy.decide(&self.situation(reason, alpha, fresh, moved));
                    if action != Action::RegroupSparsity {
                        return Err(rejection);
                    }
                    continue;
                }
                Err(rejection) => return Err(rejection),
            }
            self.memory.blind = !self.memory.rate.is_known();
            match scheme.iterate(self, equations, weights, &step) {
                Ok(()) => {
                    if fresh {
                        let poor = self.memory.rate.rate.is_some_and(|r| r > POOR_RATE);
                        self.memory.poor = poor && self.engine.pattern_use().estimated;
                    }
                    return scheme.respect_bounds(self, weights, &step);
                }
                Err(rejection) => {
                    reason = match rejection {
                        Rejection::SlowConvergence => Reason::SlowConvergence,
                        _ => Reason::Divergence,
                    };
                    if fresh && !looked {
                        self.doubt_pattern();
                    }
                    let moved = self.inputs_moved(equations, t);
                    action = self.policy.decide(&self.situation(reason, alpha, fresh, moved));
                    if action == Action::Keep {
                        return Err(rejection);
                    }
                    scheme.rewind(self);
                }
            }
        }
    }

    fn situation(&self, reason: Reason, alpha: f64, fresh: bool, inputs_moved: bool) -> Situation {
        Situation {
            reason,
            alpha_ratio: alpha / self.memory.alpha,
            separated: self.split.separated && self.partitioned,
            fresh,
            inputs_moved,
            recent_excess: self.memory.recent_excess,
            matched: alpha == self.memory.alpha,
            excess: self.memory.excess,
            cost: self.memory.cost,
            doubt: if self.engine.pattern_use().estimated {
                self.memory.doubt / (self.memory.patience * self.price_of_looking())
            } else {
                0.0
            },
        }
    }

    /// Whether ∂F/∂y can follow inputs that have changed since it was evaluated or followed them.
    fn inputs_moved(&mut self, equations: &mut Equations<'_>, t: f64) -> bool {
        match &mut self.following {
            Some(following) if following.is_useful() && self.memory.followed_at != Some(t) => {
                following.has_moved(equations, t)
            }
            _ => false,
        }
    }

    /// Something happened that missing entries would explain.
    fn doubt_pattern(&mut self) {
        if self.engine.pattern_use().estimated {
            self.memory.doubt += self.price_of_looking();
        }
    }

    /// Residuals that a full evaluation with nothing left out costs.
    fn price_of_looking(&self) -> f64 {
        self.engine.pattern_use().complete_groups as f64
    }

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
                let situation = self.situation(reason, at.alpha, true, false);
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

    /// Carries out what the policy decided; tells whether entries missing in the sparsity pattern
    /// were looked for.
    fn refresh<S: Scheme>(
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
        if evaluates {
            scheme.residual_for_jacobian(self, equations, step)?;
        }
        let (t, y, yp) = scheme.place();
        let mut looked = false;
        // Whatever happens below, the old matrix is gone.
        self.memory.has_matrix &= action == Action::Keep;
        // Taken out for as long as the rest of `self` is needed; this does not allocate.
        let residual = std::mem::take(&mut self.residual_predicted);
        let at = JacobianPoint {
            t,
            y,
            yp,
            residual: &residual,
            alpha,
            h,
            weights,
        };
        let renewed = match action {
            Action::Keep => Ok(()),
            Action::FullEvaluation | Action::RegroupSparsity => self
                .evaluate(reason, action, equations, &at)
                .map(|found| looked = found),
            Action::PartitionedUpdate => {
                equations.counters.updates_partitioned += 1;
                self.engine
                    .evaluate_derivative_part(equations, &at, &mut self.split)
            }
            Action::ExtendedUpdate => {
                equations.counters.updates_extended += 1;
                (self.memory.recent_excess, self.memory.followed_at) = (0.0, Some(t));
                if let Some(following) = &mut self.following {
                    following.follow(equations, t, &mut self.split.f_y);
                }
                self.engine
                    .evaluate_derivative_part(equations, &at, &mut self.split)
            }
        };
        self.residual_predicted = residual;
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
    fn estimate_rounding<S: Scheme>(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        scheme: &mut S,
    ) {
        // Taken out for as long as the rest of `self` is needed; this does not allocate.
        let mut delta = std::mem::take(&mut self.delta);
        delta.fill(0.0);
        let (t, y, yp) = scheme.place();
        self.split.f_y.for_each(|i, j, v| delta[i] += (v * y[j]).abs());
        self.split.f_yp.for_each(|i, j, v| delta[i] += (v * yp[j]).abs());
        for (d, s) in delta.iter_mut().zip(&self.row_scale) {
            *d *= f64::EPSILON * s;
        }
        scheme.solve_scaled(self, &mut delta);
        equations.counters.solves += 1;
        for ((r, d), s) in self.rounding.iter_mut().zip(&delta).zip(&self.column_scale) {
            *r = 2.0 * (d * s).abs();
        }
        self.delta = delta;
        self.rounding_is_new = true;
        // A matrix that is singular to rounding gives no number; checkpoints need one.
        let noise = weights.graded_norm(&self.rounding);
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

    /// Everything later iterations depend on.
    pub fn checkpoint(&self) -> CorrectorState {
        CorrectorState {
            split: self.split.clone(),
            linear: self.linear.checkpoint(),
            memory: self.memory,
            engine: self.engine.checkpoint(),
            following: self.following.clone(),
            row_scale: self.row_scale.clone(),
            column_scale: self.column_scale.clone(),
            rounding: self.rounding.clone(),
            decisions: self.decisions.clone(),
        }
    }

    /// Takes back what [`checkpoint`](Self::checkpoint) gave.
    pub fn restore(&mut self, state: &CorrectorState) {
        self.split = state.split.clone();
        self.linear.restore(&state.linear);
        self.memory = state.memory;
        self.engine.restore(&state.engine);
        self.following.clone_from(&state.following);
        self.row_scale.copy_from_slice(&state.row_scale);
        self.column_scale.copy_from_slice(&state.column_scale);
        self.rounding.copy_from_slice(&state.rounding);
        self.rounding_is_new = true;
        self.decisions.restore(&state.decisions);
        self.form_matrix(self.memory.alpha);
    }
}

/// scale := h^power, with h rounded to a power of two so that scaling adds no rounding.
fn fill_scale(scale: &mut [f64], powers: &[i8], h: f64) {
    let exponent = h.abs().log2().round() as i32;
    for (s, p) in scale.iter_mut().zip(powers) {
        *s = 2f64.powi((exponent * i32::from(*p)).clamp(-900, 900));
    }
}
