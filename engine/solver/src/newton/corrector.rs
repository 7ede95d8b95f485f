//! The nonlinear solve of a step: a [`Linearisation`], an operator made from it, a [`Newton`] iteration and a policy that says
//! when the first two are renewed. What is solved with them is a [`Scheme`]: F at one new point
//! ([`PointSolver`](super::PointSolver)), or at all stages of a step.

use super::NewtonOptions;
use super::bounds::Bounds;
use super::iteration::{Newton, NewtonState};
use super::linearisation::{Linearisation, LinearisationState};
use super::operator::{Placed, Shift};
use super::pattern_log::PatternEvent;
use super::rounding::{Rounding, RoundingState};
use super::tuning::POOR_RATE;
use crate::equations::Equations;
use crate::explain::{Decision, Decisions};
use crate::jacobian::{JacobianEngine, JacobianPoint, PatternUse, SplitJacobian};
use crate::refresh::{Moved, OperatorPlan, Phase, Plan, Reason, RefreshPolicy, Renewal, Situation};
use crate::state::State;
use holonom_dae::{Pattern, Rejection, Structure, Timing, Weights};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The owners of a nonlinear solve, and what they have in common.
pub struct Corrector {
    pub(super) linearisation: Linearisation,
    pub(super) newton: Newton,
    policy: Policy,
    pub(super) standing: Standing,
    pub(super) rounding: Rounding,
    pub(super) bounds: Bounds,
    pub(super) residuals: Residuals,
    room: Vec<f64>,
    decisions: Decisions,
    /// Time spent on factorisations, s.
    seconds: f64,
}

/// The refresh policy with what is asked of it.
struct Policy {
    policy: Box<dyn RefreshPolicy>,
    /// A full evaluation is wanted at the next opportunity.
    requested: bool,
    /// Whether a linearisation may be kept when α changes.
    partitioned: bool,
    phase: Phase,
}

/// What the operator in use was made for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Standing {
    /// Whether there is one.
    pub exists: bool,
    pub alpha: f64,
    /// Its solver gave up in the iteration at hand.
    stalled: bool,
}

/// Residuals that are looked at more than once.
pub(super) struct Residuals {
    /// At the last place.
    pub last: Vec<f64>,
    /// Where the Jacobian is evaluated.
    pub at_jacobian: Vec<f64>,
}

/// Everything later iterations depend on, besides the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorrectorState {
    linearisation: LinearisationState,
    newton: NewtonState,
    policy: Option<State>,
    requested: bool,
    phase: Phase,
    standing: Standing,
    rounding: RoundingState,
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

/// A nonlinear system with the operator by which it is solved.
pub(crate) trait Scheme: Placed {
    /// Whether the operator must have the α of the step, because nothing makes up for another one.
    const NEEDS_MATCH: bool;

    /// Residuals that one correction takes.
    fn work(&self) -> f64;

    /// Gets ready to iterate from the prediction.
    fn begin(
        &mut self,
        corrector: &mut Corrector,
        equations: &mut Equations<'_>,
        step: &CorrectorStep,
    ) -> Result<(), Rejection>;

    /// Gives the corrector the residual where the Jacobian is evaluated.
    fn residual_for_jacobian(
        &mut self,
        corrector: &mut Corrector,
        equations: &mut Equations<'_>,
        step: &CorrectorStep,
    ) -> Result<(), Rejection>;

    /// What the operator is to be made for.
    fn shift(&self, step: &CorrectorStep) -> Shift<'static>;

    /// Iterates with the operator in use, from the prediction.
    fn iterate(
        &mut self,
        corrector: &mut Corrector,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection>;

    /// After convergence: moves what fell below its bound back onto it.
    fn respect_bounds(
        &mut self,
        corrector: &mut Corrector,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection>;

    /// Back to the prediction, to the bit: differences from a residual that belongs to another rounding
    /// of y would show entries where there are none.
    fn rewind(&mut self, corrector: &mut Corrector);
}

impl Corrector {
    /// Allocates everything the iteration needs.
    pub fn new(
        structure: &Structure,
        options: NewtonOptions,
        engine: Box<dyn JacobianEngine>,
        policy: Box<dyn RefreshPolicy>,
        parts: SplitJacobian,
    ) -> Self {
        let n = structure.dimension();
        Self {
            linearisation: Linearisation::new(structure, engine, parts),
            newton: Newton::new(options),
            policy: Policy {
                policy,
                requested: false,
                partitioned: true,
                phase: Phase::default(),
            },
            standing: Standing {
                exists: false,
                alpha: 0.0,
                stalled: false,
            },
            rounding: Rounding::new(structure),
            bounds: Bounds::new(structure),
            residuals: Residuals {
                last: vec![0.0; n],
                at_jacobian: vec![0.0; n],
            },
            room: vec![0.0; n],
            decisions: Decisions::default(),
            seconds: 0.0,
        }
    }

    /// Keeps ∂F/∂ẏ and ∂F/∂y apart also where the structure does not tell ∂F/∂ẏ, at the price of a second
    /// evaluation; `partitioned`: whether ∂F/∂y may be kept when α changes.
    pub fn keep_apart(&mut self, partitioned: bool) {
        self.linearisation.keep_apart();
        self.policy.partitioned = partitioned;
    }

    /// Lets ∂F/∂y follow the inputs of the system, Arnold (26): from the first evaluation on, or as
    /// soon as that is likely to pay, and as long as it does.
    pub fn follow_inputs(&mut self, inputs: usize, only_if_it_pays: bool) {
        self.linearisation.follow_inputs(inputs, only_if_it_pays);
    }

    /// Whether ∂F/∂y follows inputs now.
    pub fn follows_inputs(&self) -> bool {
        self.linearisation.follows_inputs()
    }

    /// Solves to this share of the tolerance at most, and watches whether rounding is amplified
    /// ([`is_noisy`](Self::is_noisy)).
    pub fn be_careful(&mut self, share: f64) {
        self.newton.rule.share = self.newton.rule.share.min(share);
        self.rounding.watch(share);
    }

    /// Whether rounding is amplified so much that it disturbs the iteration, as next to singular
    /// positions; yes where nothing is known about it, and no where nobody asked for care.
    pub fn is_noisy(&self) -> bool {
        self.rounding.is_noisy()
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
        self.linearisation.pattern_use()
    }

    /// Changes of the estimated sparsity pattern so far, the first thousand of them.
    pub fn pattern_log(&self) -> &[PatternEvent] {
        self.linearisation.pattern_log()
    }

    /// Takes this pattern for the estimate, where one is wanted: knowledge from an earlier run
    /// saves the full evaluation at the start.
    pub fn assume_pattern(&mut self, pattern: &Pattern) {
        self.linearisation.assume_pattern(pattern);
    }

    /// Accuracy to which rounding lets each variable be determined, when there is something
    /// new about it since the last call; zero where unknown.
    pub fn new_rounding(&mut self) -> Option<&[f64]> {
        self.rounding.take_new()
    }

    /// The same, whether new or not.
    pub(crate) fn rounding(&self) -> &[f64] {
        self.rounding.each()
    }

    /// Corrections that rounding alone produces, see [`Rounding::amplified`].
    pub(crate) fn amplified_rounding(&self, weights: &Weights) -> f64 {
        self.rounding.amplified(weights)
    }

    /// Residual at the last point looked at: tells the worst rows after a failure.
    pub fn last_residual(&self) -> &[f64] {
        &self.residuals.last
    }

    /// The residual looked at last is that of the prediction, where the Jacobian is evaluated.
    pub(crate) fn predict_residual(&mut self) {
        self.residuals.at_jacobian.copy_from_slice(&self.residuals.last);
    }

    /// Back to the residual of the prediction.
    pub(crate) fn rewind_residual(&mut self) {
        self.residuals.last.copy_from_slice(&self.residuals.at_jacobian);
    }

    /// The iteration, to be run.
    pub(crate) fn newton(&self) -> &Newton {
        &self.newton
    }

    /// The iteration after it has run.
    pub(crate) fn set_newton(&mut self, newton: Newton) {
        self.newton = newton;
    }

    /// The linear solver gave up.
    pub(crate) fn solver_stalled(&mut self) {
        self.standing.stalled = true;
    }

    /// Where the time went.
    pub fn timing(&self) -> Timing {
        Timing {
            jacobian: self.linearisation.seconds,
            factorisation: self.seconds,
            ..Timing::default()
        }
    }

    /// Asks for a full evaluation at the next opportunity.
    pub fn request_evaluation(&mut self) {
        self.policy.requested = true;
    }

    /// Equations were exchanged for others: nothing that is known about the matrices holds any more, least of all
    /// which entries they have.
    pub fn equations_exchanged(&mut self) {
        self.policy.requested = true;
        self.newton.forget_rate();
        self.linearisation.doubt_pattern();
    }

    /// A step was accepted.
    pub fn step_accepted(&mut self) {
        self.linearisation.step_accepted(self.newton.cost());
    }

    /// α of the operator in use.
    pub(crate) fn operator_alpha(&self) -> f64 {
        self.standing.alpha
    }

    /// Solves the system of a scheme, renewing linearisation and operator as the policy says.
    pub(crate) fn solve<S: Scheme>(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: CorrectorStep,
        scheme: &mut S,
    ) -> Result<(), Rejection> {
        let alpha = step.alpha;
        if self.linearisation.begin_to_carry() {
            self.policy.requested = true;
        }
        let (t, ..) = scheme.place();
        self.newton.begin(alpha, scheme.work());
        self.standing.stalled = false;
        let mut reason = if !self.standing.exists {
            Reason::FirstStep
        } else if self.policy.requested {
            Reason::Requested
        } else if step.after_error_failure {
            Reason::ErrorTestFailure
        } else {
            Reason::NewStep
        };
        let (mut fresh, mut looked) = (false, false);
        let mut plan = self.ask(equations, (t, alpha), reason, fresh);
        if S::NEEDS_MATCH && plan.keeps() && alpha != self.standing.alpha {
            plan = Plan {
                phase: plan.phase,
                ..Plan::from(if self.policy.partitioned {
                    Renewal::PartitionedUpdate
                } else {
                    Renewal::FullEvaluation
                })
            };
        }
        scheme.begin(self, equations, &step)?;
        loop {
            fresh |= evaluates(plan);
            let refreshed = self.refresh(reason, plan, equations, weights, &step, scheme);
            looked |= plan.linearisation == Renewal::RegroupSparsity || matches!(refreshed, Ok(true));
            match refreshed {
                Ok(_) => {}
                // Missing entries can make a matrix singular.
                Err(rejection @ Rejection::SingularMatrix { .. }) if fresh && !looked => {
                    self.linearisation.doubt_pattern();
                    reason = Reason::Divergence;
                    plan = self.ask(equations, (t, alpha), reason, fresh);
                    if plan.linearisation != Renewal::RegroupSparsity {
                        return Err(rejection);
                    }
                    continue;
                }
                Err(rejection) => return Err(rejection),
            }
            self.newton.set_out();
            match scheme.iterate(self, equations, weights, &step) {
                Ok(()) => {
                    if fresh {
                        let poorly = self.newton.rate().rate.is_some_and(|r| r > POOR_RATE);
                        self.linearisation.converged_poorly(poorly);
                    }
                    return scheme.respect_bounds(self, weights, &step);
                }
                Err(rejection) => {
                    reason = match rejection {
                        _ if std::mem::take(&mut self.standing.stalled) => Reason::Stalled,
                        Rejection::SlowConvergence => Reason::SlowConvergence,
                        _ => Reason::Divergence,
                    };
                    if fresh && !looked {
                        self.linearisation.doubt_pattern();
                    }
                    plan = self.ask(equations, (t, alpha), reason, fresh);
                    if plan.keeps() {
                        return Err(rejection);
                    }
                    scheme.rewind(self);
                }
            }
        }
    }

    /// What the policy says to do.
    fn ask(
        &mut self,
        equations: &mut Equations<'_>,
        (t, alpha): (f64, f64),
        reason: Reason,
        fresh: bool,
    ) -> Plan {
        let moved = self.linearisation.moved(equations, t);
        let situation =
            self.policy
                .situation(&self.linearisation, self.standing, alpha, reason, fresh, moved);
        self.policy.policy.decide(&situation)
    }

    /// Carries out a plan; tells whether entries missing in the sparsity pattern were looked for.
    fn refresh<S: Scheme>(
        &mut self,
        reason: Reason,
        plan: Plan,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &CorrectorStep,
        scheme: &mut S,
    ) -> Result<bool, Rejection> {
        let CorrectorStep { alpha, h, .. } = *step;
        self.policy.phase = plan.phase;
        if plan.keeps() {
            return Ok(false);
        }
        let carries = self.linearisation.carries();
        if evaluates(plan) && carries {
            self.linearisation
                .solve_for_accelerations(equations, scheme.place())?;
        } else if evaluates(plan) {
            scheme.residual_for_jacobian(self, equations, step)?;
        }
        let refreshes = plan.operator == OperatorPlan::Refresh;
        // Whatever happens below, the old operator is gone.
        self.standing.exists &= !refreshes;
        let (t, y, yp) = scheme.place();
        self.linearisation.prepare_metric(weights);
        let solved = self.linearisation.take_solved();
        let at = JacobianPoint {
            t,
            y,
            yp: if carries { &solved.yp } else { yp },
            residual: if carries {
                &solved.residual
            } else {
                &self.residuals.at_jacobian
            },
            alpha,
            h,
            weights,
        };
        let renewed = match plan.linearisation {
            Renewal::Keep => Ok(false),
            Renewal::PartitionedUpdate => self.linearisation.renew_given(equations, &at).map(|()| false),
            Renewal::ExtendedUpdate => self.linearisation.follow(equations, &at).map(|()| false),
            Renewal::FullEvaluation | Renewal::RegroupSparsity => {
                let look = plan.linearisation == Renewal::RegroupSparsity;
                let (policy, standing) = (&mut self.policy, self.standing);
                let mut looks_now = |linearisation: &Linearisation| {
                    let nothing = Moved::default();
                    let reason = Reason::PatternViolated;
                    let situation = policy.situation(linearisation, standing, alpha, reason, true, nothing);
                    policy.policy.decide(&situation).linearisation == Renewal::RegroupSparsity
                };
                let evaluated = self.linearisation.evaluate(
                    (reason, look),
                    equations,
                    &at,
                    &mut self.decisions,
                    &mut looks_now,
                );
                if evaluated.is_ok() {
                    self.policy.requested = false;
                }
                evaluated
            }
        };
        self.linearisation.put_solved(solved);
        let looked = renewed?;
        if !refreshes {
            return Ok(looked);
        }
        let start = Instant::now();
        self.linearisation.scaling.set(h);
        let shift = scheme.shift(step);
        let made = scheme
            .operator()
            .refresh(&self.linearisation, shift, plan.phase, equations.counters)
            .map_err(|singular| singular.rejection(|i| i))?;
        self.seconds += start.elapsed().as_secs_f64();
        equations.counters.repivotings += u64::from(made.repivoted);
        (self.standing.exists, self.standing.alpha) = (true, alpha);
        self.newton.forget_rate();
        let (t, ..) = scheme.place();
        let decision = self.linearisation.judge_metric(
            equations,
            &mut |b| scheme.operator().solve_roughly(b),
            (t, alpha),
            weights,
            &mut self.room,
        );
        if let Some(decision) = decision {
            self.decisions.add(decision);
        }
        if evaluates(plan) && self.linearisation.parts().separated {
            let found = self
                .rounding
                .estimate(&self.linearisation, scheme, equations.counters, weights);
            if let Some(found) = found {
                let decision = Decision::care(t, found.noise, found.limit, found.amplified);
                self.decisions.add(decision);
            }
        }
        Ok(looked)
    }

    /// Evaluates the parts of the Jacobian at a point of a scheme's own choice. The operator at hand
    /// belongs to another one from then on.
    pub(crate) fn evaluate_at(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
    ) -> Result<(), Rejection> {
        self.standing.exists = false;
        self.linearisation.evaluate_aside(equations, at)
    }

    /// The scheme has an operator made from the parts at hand for this α; it is good for the step at hand only.
    pub(crate) fn has_made_operator(&mut self, alpha: f64) {
        (self.standing.exists, self.standing.alpha) = (true, alpha);
        self.policy.requested = true;
        self.newton.begin_anew(alpha);
    }

    /// Everything later iterations depend on, besides the operator.
    pub fn checkpoint(&self) -> CorrectorState {
        CorrectorState {
            linearisation: self.linearisation.checkpoint(),
            newton: self.newton.checkpoint(),
            policy: self.policy.policy.save(),
            requested: self.policy.requested,
            phase: self.policy.phase,
            standing: self.standing,
            rounding: self.rounding.checkpoint(),
            decisions: self.decisions.clone(),
        }
    }

    /// Takes back what [`checkpoint`](Self::checkpoint) gave; false where the state of the policy does not fit.
    pub fn restore(&mut self, state: &CorrectorState) -> bool {
        self.linearisation.restore(&state.linearisation);
        self.newton.restore(state.newton);
        (self.policy.requested, self.policy.phase) = (state.requested, state.phase);
        self.standing = state.standing;
        self.rounding.restore(&state.rounding);
        self.decisions.restore(&state.decisions);
        match &state.policy {
            Some(saved) => self.policy.policy.load(saved),
            None => true,
        }
    }
}

/// Whether ∂F/∂y is evaluated.
fn evaluates(plan: Plan) -> bool {
    matches!(
        plan.linearisation,
        Renewal::FullEvaluation | Renewal::RegroupSparsity
    )
}

impl Policy {
    fn situation(
        &self,
        linearisation: &Linearisation,
        standing: Standing,
        alpha: f64,
        reason: Reason,
        fresh: bool,
        moved: Moved,
    ) -> Situation {
        let age = linearisation.age();
        Situation {
            reason,
            phase: self.phase,
            alpha_ratio: alpha / standing.alpha,
            separated: linearisation.parts().separated && self.partitioned,
            fresh,
            moved,
            recent_excess: age.recent_excess,
            matched: alpha == standing.alpha,
            excess: age.excess,
            cost: age.cost,
            doubt: linearisation.doubt(),
        }
    }
}
