//! The matrices of a nonlinear solve: when they are renewed, and how. What is solved with them is a
//! [`Scheme`]: F at one new point ([`point`](super::point)), or at all stages of a step.

use super::extended::Following;
use super::memory::Memory;
use super::metric::{Metric, MetricState};
use super::pattern_log::PatternEvent;
use super::point::Point;
use super::scheme::Scheme;
use super::{NewtonOptions, RateMemory};
use crate::equations::Equations;
use crate::explain::{Decision, Decisions};
use crate::jacobian::{JacobianEngine, PatternUse, SplitJacobian};
use crate::linear::{LinearSolver, Matrix};
use crate::refresh::{Action, Moved, Reason, RefreshPolicy, Situation};
use crate::state::State;
use holonom_dae::{Pattern, Rejection, Structure, Timing, VariableKind, Weights};
use serde::{Deserialize, Serialize};

/// The corrector with the matrices it keeps.
pub struct Corrector {
    pub(super) options: NewtonOptions,
    pub(super) engine: Box<dyn JacobianEngine>,
    pub(super) linear: Box<dyn LinearSolver>,
    pub(super) policy: Box<dyn RefreshPolicy>,
    pub(super) split: SplitJacobian,
    pub(super) matrix: Matrix,
    pub(super) memory: Memory,
    pub(super) metric: Option<Metric>,
    pub(super) row_powers: Vec<i8>,
    pub(super) column_powers: Vec<i8>,
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
    pub(super) rounding_is_new: bool,
    /// Usual sizes of positions, zero for other variables and where none is given.
    pub(super) position_sizes: Vec<f64>,
    pub(super) pattern_log: Vec<PatternEvent>,
    /// Where ∂F/∂y follows the inputs.
    pub(super) following: Option<Following>,
    /// Where the engine gives α ∂F/∂ẏ + ∂F/∂y only and the parts are wanted: room for ∂F/∂y.
    pub(super) taken_apart: Option<Matrix>,
    /// Whether a matrix may be kept when α changes.
    pub(super) partitioned: bool,
    /// Noise from which on rounding counts as amplified, where that is watched.
    pub(super) noise_limit: Option<f64>,
    pub(super) decisions: Decisions,
}

/// Rounding that reaches this part of the share is amplified: as next to singular positions, where it
/// comes out divided by what is left of the smallest singular value. Elsewhere it stays below a
/// thousandth of that: of the shipped models 10⁻⁹ to 4·10⁻⁶ of the tolerance, 5·10⁻⁵ to 3·10⁻³ next to the singular
/// positions of `n-four-bar`.
const AMPLIFIED: f64 = 0.01;

/// A fresh matrix should contract faster than this.
const POOR_RATE: f64 = 0.25;

/// Everything later iterations depend on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorrectorState {
    split: SplitJacobian,
    linear: State,
    memory: Memory,
    metric: Option<MetricState>,
    engine: State,
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
            metric: Metric::new(structure, split.separated),
            matrix: split.f_y.clone(),
            split,
            memory: Memory::default(),
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
            position_sizes: (structure.variables.iter())
                .map(|v| {
                    v.scale
                        .filter(|_| v.kind == VariableKind::Position)
                        .unwrap_or(0.0)
                })
                .collect(),
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

    /// Keeps a decision that was made elsewhere with those of its own.
    pub fn decided(&mut self, decision: Decision) {
        self.decisions.add(decision);
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

    /// Equations were exchanged for others: nothing that is known about the matrices holds any more, least of all
    /// which entries they have.
    pub fn equations_exchanged(&mut self) {
        self.memory.requested = true;
        self.memory.rate = RateMemory::default();
        self.doubt_pattern();
    }

    /// A step was accepted.
    pub fn step_accepted(&mut self) {
        self.memory.step_accepted();
        if let Some(metric) = &mut self.metric {
            metric.state.steps += 1;
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
        self.begin_to_carry();
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
        let moved = self.moved(equations, t);
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
                    let moved = self.moved(equations, t);
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
                    let moved = self.moved(equations, t);
                    action = self.policy.decide(&self.situation(reason, alpha, fresh, moved));
                    if action == Action::Keep {
                        return Err(rejection);
                    }
                    scheme.rewind(self);
                }
            }
        }
    }

    pub(super) fn situation(&self, reason: Reason, alpha: f64, fresh: bool, moved: Moved) -> Situation {
        Situation {
            reason,
            alpha_ratio: alpha / self.memory.alpha,
            separated: self.split.separated && self.partitioned,
            fresh,
            moved,
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

    /// What has changed until `t` and can be followed without evaluating ∂F/∂y.
    pub(super) fn moved(&mut self, equations: &mut Equations<'_>, t: f64) -> Moved {
        let memory = &self.memory;
        Moved {
            inputs: match &mut self.following {
                Some(following) if following.is_useful() && memory.followed_at != Some(t) => {
                    following.has_moved(equations, t)
                }
                _ => false,
            },
            constraints: memory.gives_constraints && memory.constraints_at != Some(t),
        }
    }

    /// Something happened that missing entries would explain.
    pub(super) fn doubt_pattern(&mut self) {
        if self.engine.pattern_use().estimated {
            self.memory.doubt += self.price_of_looking();
        }
    }

    /// Residuals that a full evaluation with nothing left out costs.
    pub(super) fn price_of_looking(&self) -> f64 {
        self.engine.pattern_use().complete_groups as f64
    }

    /// Everything later iterations depend on.
    pub fn checkpoint(&self) -> CorrectorState {
        CorrectorState {
            split: self.split.clone(),
            linear: self.linear.checkpoint(),
            memory: self.memory,
            metric: self.metric.as_ref().map(|m| m.state),
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
        if let Some((metric, state)) = self.metric.as_mut().zip(state.metric) {
            metric.state = state;
        }
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
