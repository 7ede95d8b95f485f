//! ∂F/∂y and ∂F/∂ẏ at a place of the past: how they are got, how old they are, and what they cost.

use super::extended::Following;
use super::metric::{Metric, MetricState, Solved};
use super::pattern_log::{MOST_EVENTS, PatternEvent};
use super::scaling::{Scales, Scaling};
use super::tuning::MOST_PATIENCE;
use crate::equations::{Equations, Purpose};
use crate::explain::{Decision, Decisions};
use crate::jacobian::{JacobianEngine, JacobianPoint, PatternUse, SplitJacobian};
use crate::linear::Matrix;
use crate::refresh::{Moved, Reason};
use crate::state::State;
use holonom_dae::{Pattern, Rejection, Structure, Weights};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The parts of the Jacobian in use.
pub struct Linearisation {
    engine: Box<dyn JacobianEngine>,
    parts: SplitJacobian,
    /// Scales of rows and columns for the operators made from it.
    pub scaling: Scaling,
    /// Where the engine gives α ∂F/∂ẏ + ∂F/∂y only and the parts are wanted: room for ∂F/∂y.
    taken_apart: Option<Matrix>,
    /// Where ∂F/∂y follows the inputs.
    following: Option<Following>,
    /// Where rows of motion may be carried to the mass matrix in use.
    metric: Option<Metric>,
    age: Age,
    suspicion: Suspicion,
    log: Vec<PatternEvent>,
    /// Time spent on evaluations, s.
    pub seconds: f64,
}

/// What has happened since the parts were evaluated.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Age {
    /// Fewest corrections of a step since ∂F/∂y was evaluated; 0 before the first.
    fewest: u32,
    /// Residuals for corrections beyond the fewest, summed over the steps since then.
    pub excess: f64,
    /// The same since ∂F/∂y was evaluated or brought up to date in part.
    pub recent_excess: f64,
    /// Time at which it did.
    followed_at: Option<f64>,
    /// Whether the system gives the matrix G of its constraints by itself; known from the first evaluation on.
    pub gives_constraints: bool,
    /// Time for which G in the matrix was last renewed.
    constraints_at: Option<f64>,
    /// Residuals the last evaluation of ∂F/∂y took.
    pub cost: f64,
}

/// What speaks against an estimated sparsity pattern.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Suspicion {
    /// Whether the iteration converged poorly although the matrix was fresh.
    poor: bool,
    /// Work that missing entries may have caused since they were last looked for, in residuals.
    doubt: f64,
    /// How many times the price of looking for missing entries the doubt must reach: doubled when
    /// nothing was found, so that other causes of slow convergence do not cost much.
    patience: f64,
}

/// Everything later evaluations depend on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinearisationState {
    parts: SplitJacobian,
    engine: State,
    following: Option<Following>,
    metric: Option<MetricState>,
    age: Age,
    suspicion: Suspicion,
    scales: Scales,
}

/// What the last step in a row cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepCost {
    /// Corrections.
    pub corrections: u32,
    /// Residuals of each.
    pub work: f64,
    /// Whether the iteration began with nothing known about its rate of convergence.
    pub blind: bool,
}

impl Linearisation {
    /// Allocates what evaluations need; `parts` is room for their results.
    pub fn new(structure: &Structure, engine: Box<dyn JacobianEngine>, parts: SplitJacobian) -> Self {
        Self {
            engine,
            metric: Metric::new(structure, parts.separated),
            parts,
            scaling: Scaling::new(structure),
            taken_apart: None,
            following: None,
            age: Age {
                fewest: 0,
                excess: 0.0,
                recent_excess: 0.0,
                followed_at: None,
                gives_constraints: false,
                constraints_at: None,
                cost: f64::MAX,
            },
            suspicion: Suspicion {
                poor: false,
                doubt: 0.0,
                patience: 1.0,
            },
            log: Vec::new(),
            seconds: 0.0,
        }
    }

    /// Keeps ∂F/∂ẏ and ∂F/∂y apart also where the structure does not tell ∂F/∂ẏ, at the price of a second
    /// evaluation.
    pub fn keep_apart(&mut self) {
        if !self.parts.separated {
            self.taken_apart = Some(self.parts.f_y.clone());
            self.parts.separated = true;
        }
    }

    /// Lets ∂F/∂y follow the inputs of the system, Arnold (26): from the first evaluation on, or as
    /// soon as that is likely to pay, and as long as it does.
    pub fn follow_inputs(&mut self, inputs: usize, only_if_it_pays: bool) {
        if inputs > 0 && self.parts.separated {
            self.following = Some(Following::new(inputs, &self.parts, only_if_it_pays));
        }
    }

    /// Whether ∂F/∂y follows inputs now.
    pub fn follows_inputs(&self) -> bool {
        self.following.as_ref().is_some_and(Following::is_wanted)
    }

    /// ∂F/∂y and ∂F/∂ẏ.
    pub fn parts(&self) -> &SplitJacobian {
        &self.parts
    }

    /// out := (α ∂F/∂ẏ + ∂F/∂y) x, in the scaling in use.
    pub fn apply(&self, alpha: f64, x: &[f64], out: &mut [f64]) {
        let Scales { rows, columns } = self.scaling.scales();
        out.fill(0.0);
        let mut add =
            |k: f64, matrix: &Matrix| matrix.for_each(|i, j, v| out[i] += k * v * columns[j] * x[j]);
        add(1.0, &self.parts.f_y);
        if self.parts.separated {
            add(alpha, &self.parts.f_yp);
        }
        for (o, r) in out.iter_mut().zip(rows) {
            *o *= r;
        }
    }

    /// How old it is.
    pub(super) fn age(&self) -> &Age {
        &self.age
    }

    /// Name of the engine.
    pub fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// What the Jacobian engine says about its sparsity pattern.
    pub fn pattern_use(&self) -> PatternUse {
        self.engine.pattern_use()
    }

    /// Changes of the estimated sparsity pattern so far, the first thousand of them.
    pub fn pattern_log(&self) -> &[PatternEvent] {
        &self.log
    }

    /// Takes this pattern for the estimate, where one is wanted.
    pub fn assume_pattern(&mut self, pattern: &Pattern) {
        self.engine.assume_pattern(pattern);
    }

    /// A step was accepted: what it cost in corrections tells how well ∂F/∂y still serves.
    pub(super) fn step_accepted(&mut self, cost: StepCost) {
        let StepCost {
            corrections,
            work,
            blind,
        } = cost;
        let age = &mut self.age;
        age.fewest = if age.fewest == 0 {
            corrections
        } else {
            age.fewest.min(corrections)
        };
        // A matrix of which no rate is known takes a second correction to learn it, however good it is.
        let needed = if blind { age.fewest.max(2) } else { age.fewest };
        let excess = work * f64::from(corrections.saturating_sub(needed));
        age.excess += excess;
        age.recent_excess += excess;
        if self.suspicion.poor {
            self.suspicion.doubt += work * f64::from(corrections.saturating_sub(1));
        }
        if let Some(metric) = &mut self.metric {
            metric.state.steps += 1;
        }
    }

    /// Whether an iteration with fresh parts converged poorly, as missing entries would explain.
    pub(super) fn converged_poorly(&mut self, poorly: bool) {
        self.suspicion.poor = poorly && self.engine.pattern_use().estimated;
    }

    /// Something happened that missing entries would explain.
    pub(super) fn doubt_pattern(&mut self) {
        if self.engine.pattern_use().estimated {
            self.suspicion.doubt += self.price_of_looking();
        }
    }

    /// What speaks against the pattern, in units of what looking for missing entries costs.
    pub(super) fn doubt(&self) -> f64 {
        if self.engine.pattern_use().estimated {
            self.suspicion.doubt / (self.suspicion.patience * self.price_of_looking())
        } else {
            0.0
        }
    }

    /// Residuals that a full evaluation with nothing left out costs.
    fn price_of_looking(&self) -> f64 {
        self.engine.pattern_use().complete_groups as f64
    }

    /// What has changed until `t` and can be followed without evaluating ∂F/∂y.
    pub(super) fn moved(&mut self, equations: &mut Equations<'_>, t: f64) -> Moved {
        let age = &self.age;
        Moved {
            inputs: match &mut self.following {
                Some(following) if following.is_useful() && age.followed_at != Some(t) => {
                    following.has_moved(equations, t)
                }
                _ => false,
            },
            constraints: age.gives_constraints && age.constraints_at != Some(t),
        }
    }

    /// Evaluates ∂F/∂y and ∂F/∂ẏ, with nothing left out where `look`; tells whether missing entries were looked for.
    /// Where the evaluation itself shows that entries are missing, `looks_now` is asked whether to look at once.
    pub(super) fn evaluate(
        &mut self,
        (reason, look): (Reason, bool),
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        decisions: &mut Decisions,
        looks_now: &mut dyn FnMut(&Self) -> bool,
    ) -> Result<bool, Rejection> {
        let start = Instant::now();
        let (mut reason, mut look) = (reason, look);
        let mut before = equations.counters.residual_equivalents();
        let mut evaluated = self.engine.pattern_use().groups;
        if !look {
            self.evaluate_parts(equations, at, false)?;
            if self.engine.pattern_use().violated {
                // Proof, not just suspicion.
                self.suspicion.doubt = self.suspicion.patience * self.price_of_looking();
                reason = Reason::PatternViolated;
                look = looks_now(self);
            }
        }
        if look {
            equations.counters.sparsity_updates += 1;
            before = equations.counters.residual_equivalents();
            evaluated = self.engine.pattern_use().complete_groups;
            self.evaluate_parts(equations, at, true)?;
            self.suspicion.doubt = 0.0;
        }
        // What the next one will cost, in proportion to its groups.
        let ratio = self.engine.pattern_use().groups as f64 / evaluated.max(1) as f64;
        let holds = self.engine.holds_constraints() && !self.carries();
        self.age = Age {
            fewest: 0,
            excess: 0.0,
            recent_excess: 0.0,
            followed_at: Some(at.t),
            gives_constraints: holds && equations.system.mechanical().is_some(),
            constraints_at: Some(at.t),
            cost: (equations.counters.residual_equivalents() - before) * ratio,
        };
        if let Some(following) = &mut self.following {
            let stale = !matches!(reason, Reason::FirstStep | Reason::Requested);
            let cost = self.age.cost;
            let (engine, f_y) = (self.engine.as_mut(), &self.parts.f_y);
            let judged = following.judge(engine, equations, at, f_y, stale.then_some(cost));
            if let Some(because) = judged {
                decisions.add(Decision::update(at.t, because));
            }
            following.evaluated(engine, equations, at, f_y);
        }
        self.seconds += start.elapsed().as_secs_f64();
        self.suspicion.poor = false;
        let change = self.engine.take_change();
        if look && change.is_none() {
            self.suspicion.patience = (2.0 * self.suspicion.patience).min(MOST_PATIENCE);
        }
        equations.counters.sparsity_updates += u64::from(change.is_some() && !look);
        if (look || change.is_some()) && self.log.len() < MOST_EVENTS {
            let event = PatternEvent {
                t: at.t,
                reason,
                change,
            };
            self.log.push(event);
            decisions.add(event.decision());
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
        let Self { engine, parts, .. } = self;
        let mut evaluate = |at: &JacobianPoint<'_>, parts: &mut SplitJacobian| {
            if look {
                engine.regroup(equations, at, parts)
            } else {
                engine.evaluate(equations, at, parts)
            }
        };
        let Some(f_y) = &mut self.taken_apart else {
            return evaluate(at, parts);
        };
        // ∂F/∂y is the matrix for α = 0, and ∂F/∂ẏ what the one for α has more.
        parts.f_yp.set_zero();
        let without = JacobianPoint { alpha: 0.0, ..*at };
        evaluate(&without, parts)?;
        f_y.values_mut().copy_from_slice(parts.f_y.values());
        evaluate(at, parts)?;
        std::mem::swap(&mut parts.f_y, f_y);
        parts.f_yp.add_scaled(1.0 / at.alpha, f_y);
        parts.f_yp.add_scaled(-1.0 / at.alpha, &parts.f_y);
        parts.separated = true;
        Ok(())
    }

    /// Evaluates the parts at a point of a scheme's own choice; this does not make them any younger.
    pub(crate) fn evaluate_aside(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
    ) -> Result<(), Rejection> {
        let start = Instant::now();
        self.evaluate_parts(equations, at, false)?;
        self.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Renews what needs no evaluation of columns: ∂F/∂ẏ, and of ∂F/∂y the matrix G of constraints.
    pub(super) fn renew_given(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
    ) -> Result<(), Rejection> {
        equations.counters.updates_partitioned += 1;
        // Without G nothing of ∂F/∂y is any newer.
        if self.age.gives_constraints {
            self.age.recent_excess = 0.0;
        }
        self.renew(equations, at)
    }

    /// The same, with ∂F/∂y following the inputs.
    pub(super) fn follow(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
    ) -> Result<(), Rejection> {
        equations.counters.updates_extended += 1;
        (self.age.recent_excess, self.age.followed_at) = (0.0, Some(at.t));
        if let Some(following) = &mut self.following {
            following.follow(equations, at.t, &mut self.parts.f_y);
        }
        self.renew(equations, at)
    }

    /// Where rows of motion are carried to the mass matrix in use, that stays where ∂F/∂y was evaluated.
    fn renew(&mut self, equations: &mut Equations<'_>, at: &JacobianPoint<'_>) -> Result<(), Rejection> {
        self.age.constraints_at = Some(at.t);
        if self.carries() {
            return Ok(());
        }
        self.engine.renew_given(equations, at, &mut self.parts)
    }

    /// Whether rows of motion are brought to the mass matrix in use.
    pub fn carries(&self) -> bool {
        self.metric.as_ref().is_some_and(|m| m.state.carried)
    }

    /// Carries rows of motion from now on, where that was found to be needed; whether it begins: what is kept of ∂F/∂y
    /// may be older than M₀, and belongs to the same place from the next evaluation on.
    pub(super) fn begin_to_carry(&mut self) -> bool {
        self.metric.as_mut().is_some_and(Metric::begin_to_carry)
    }

    /// Finds where to evaluate the Jacobian instead of at the given place: see [`Solved`].
    pub(super) fn solve_for_accelerations(
        &mut self,
        equations: &mut Equations<'_>,
        at: (f64, &[f64], &[f64]),
    ) -> Result<(), Rejection> {
        match &mut self.metric {
            Some(metric) => metric.solve_for_accelerations(equations, at, self.engine.uses_residual()),
            None => Ok(()),
        }
    }

    /// That place, taken out for as long as the rest is needed; this does not allocate.
    pub(super) fn take_solved(&mut self) -> Solved {
        self.metric.as_mut().map(Metric::take_solved).unwrap_or_default()
    }

    /// Puts it back.
    pub(super) fn put_solved(&mut self, solved: Solved) {
        if let Some(metric) = &mut self.metric {
            metric.put_solved(solved);
        }
    }

    /// Before the mass matrix is renewed: what it makes of a known error.
    pub(super) fn prepare_metric(&mut self, weights: &Weights) {
        if let Some(metric) = &mut self.metric {
            metric.prepare(&self.parts.f_yp, weights);
        }
    }

    /// After it, with an operator made from the new one that `solve` applies the inverse of: how much it has changed;
    /// whether rows are to be carried from now on. `room` is for one vector.
    pub(super) fn judge_metric(
        &mut self,
        equations: &mut Equations<'_>,
        solve: &mut dyn FnMut(&mut [f64]),
        (t, alpha): (f64, f64),
        weights: &Weights,
        room: &mut [f64],
    ) -> Option<Decision> {
        let metric = self.metric.as_mut()?;
        if !metric.is_to_be_judged() {
            return None;
        }
        let Scales { rows, columns } = self.scaling.scales();
        metric.difference(&self.parts.f_yp, alpha, room);
        for (d, s) in room.iter_mut().zip(rows) {
            *d *= s;
        }
        solve(room);
        equations.counters.solves += 1;
        for (d, s) in room.iter_mut().zip(columns) {
            *d *= s;
        }
        let left = weights.norm(room);
        let explicit = equations.system.has_explicit_residual();
        metric.judge(t, left, room.len(), self.age.gives_constraints, explicit)
    }

    /// r := F as the matrix in use takes it.
    pub(super) fn residual(
        &self,
        equations: &mut Equations<'_>,
        (t, y, yp): (f64, &[f64], &[f64]),
        r: &mut [f64],
    ) -> Result<(), Rejection> {
        if self.carries() {
            equations.explicit_residual(Purpose::Corrector, t, y, yp, r)
        } else {
            equations.residual(Purpose::Corrector, t, y, yp, r)
        }
    }

    /// Brings the rows of motion of a right-hand side to the mass matrix in use, where they are carried.
    pub(super) fn carry(&mut self, r: &mut [f64]) {
        if let Some(metric) = &mut self.metric {
            metric.carry(&self.parts.f_yp, r);
        }
    }

    /// Everything later evaluations depend on.
    pub(super) fn checkpoint(&self) -> LinearisationState {
        LinearisationState {
            parts: self.parts.clone(),
            engine: self.engine.checkpoint(),
            following: self.following.clone(),
            metric: self.metric.as_ref().map(|m| m.state),
            age: self.age,
            suspicion: self.suspicion,
            scales: self.scaling.scales().clone(),
        }
    }

    /// Takes back what [`checkpoint`](Self::checkpoint) gave.
    pub(super) fn restore(&mut self, state: &LinearisationState) {
        self.parts = state.parts.clone();
        self.engine.restore(&state.engine);
        if let Some((following, saved)) = self.following.as_mut().zip(state.following.as_ref()) {
            following.restore(saved);
        }
        if let Some((metric, state)) = self.metric.as_mut().zip(state.metric) {
            metric.state = state;
        }
        (self.age, self.suspicion) = (state.age, state.suspicion);
        self.scaling.restore(&state.scales);
    }
}
