//! When to renew what: a policy hears of a situation and answers with a plan.
//!
//! A pure state machine: it knows no matrices and no solver, and can be tested by feeding it
//! situations. What a plan does is counted by the corrector that carries it out. What a policy remembers from one
//! situation to the next is part of a checkpoint.

#[cfg(test)]
mod conformance;
mod tuning;
pub mod update;

registry! {
    /// All policies.
    Entry:
    classical,
    dassl,
    every_step,
}

pub use classical::Classical;
pub use dassl::Dassl;
pub use update::Update;

use crate::registry::registry;
use crate::settings::{Factory, Owned};
use crate::state::State;
use serde::{Deserialize, Serialize};

/// Why the question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// There is no matrix yet.
    FirstStep,
    /// A new step begins (α may have changed).
    NewStep,
    /// The corrector converges, but too slowly.
    SlowConvergence,
    /// The corrector diverges or left the domain.
    Divergence,
    /// The last attempt failed its error test.
    ErrorTestFailure,
    /// The user or the driver asks for it (restart after an event).
    Requested,
    /// The linear solver did not reach its accuracy.
    Stalled,
    /// The new Jacobian fails its test: the estimated sparsity pattern lacks entries.
    PatternViolated,
}

/// What to do with ∂F/∂y and ∂F/∂ẏ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Renewal {
    /// Go on with what there is.
    Keep,
    /// New ∂F/∂ẏ and α with kept ∂F/∂y: Arnold (22), (24), (25). Of ∂F/∂y only the matrix G of constraints is
    /// new, where the system gives it by itself.
    PartitionedUpdate,
    /// The same, with ∂F/∂y following the inputs: Arnold (26).
    ExtendedUpdate,
    /// Evaluate everything anew.
    FullEvaluation,
    /// Evaluate everything anew with nothing left out, and enlarge the estimated sparsity pattern by
    /// what is found: Arnold §3.1.
    RegroupSparsity,
}

/// What to do with the operator that corrections are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperatorPlan {
    /// Go on with it.
    Keep,
    /// Make it anew from the linearisation.
    Refresh,
}

/// A number by which policies with several phases tell them apart; operators that work in several ways follow it, see
/// [`LinearSolver::enter`](crate::linear::LinearSolver::enter). 0 for all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase(pub u8);

/// What to do about a situation. To keep everything after a failure means that nothing helps but a smaller step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// With the linearisation.
    pub linearisation: Renewal,
    /// With the operator.
    pub operator: OperatorPlan,
    /// The phase from now on.
    pub phase: Phase,
}

impl Plan {
    /// Whether everything stays.
    pub fn keeps(&self) -> bool {
        (self.linearisation, self.operator) == (Renewal::Keep, OperatorPlan::Keep)
    }
}

/// An operator is made anew whenever the linearisation is, and only then; there is one phase.
impl From<Renewal> for Plan {
    fn from(linearisation: Renewal) -> Self {
        Self {
            linearisation,
            operator: match linearisation {
                Renewal::Keep => OperatorPlan::Keep,
                _ => OperatorPlan::Refresh,
            },
            phase: Phase::default(),
        }
    }
}

/// What has changed in ∂F/∂y since it was evaluated or last brought up to date, and can be followed without
/// evaluating it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Inputs by which derivatives of ∂F/∂y are known.
    pub inputs: bool,
    /// The matrix G of constraints, which the system gives by itself.
    pub constraints: bool,
}

/// What the policy may look at.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Why it is asked.
    pub reason: Reason,
    /// The phase so far.
    pub phase: Phase,
    /// α now over α of the matrix in use.
    pub alpha_ratio: f64,
    /// Whether ∂F/∂ẏ and ∂F/∂y are kept apart.
    pub separated: bool,
    /// Whether ∂F/∂y was evaluated at this very point.
    pub fresh: bool,
    /// What of ∂F/∂y can be brought up to date without evaluating it.
    pub moved: Moved,
    /// Corrections beyond what a fresh matrix needs since ∂F/∂y was evaluated or brought up to date in part.
    pub recent_excess: f64,
    /// Whether the matrix in use has the α of this step.
    pub matched: bool,
    /// Corrections since the last full evaluation beyond what a fresh matrix needs.
    pub excess: f64,
    /// Cost of a full evaluation in residuals.
    pub cost: f64,
    /// What speaks against the estimated sparsity pattern, in units of what looking for missing
    /// entries costs: failures and slow convergence with a fresh matrix, a failed test. From
    /// 1 on it is time to look; zero when nothing can be missing.
    pub doubt: f64,
}

impl Situation {
    /// Whether entries missing in the sparsity pattern are the likely cause.
    pub fn pattern_is_doubtful(&self) -> bool {
        self.doubt >= 1.0
    }
}

/// A refresh policy.
pub trait RefreshPolicy: Send {
    /// Name in options and reports.
    fn name(&self) -> &'static str;
    /// The answer to a situation.
    fn decide(&mut self, situation: &Situation) -> Plan;
    /// What it remembers, for checkpoints; none for a policy that goes by the situation alone.
    fn save(&self) -> Option<State> {
        None
    }
    /// Takes back what [`save`](Self::save) gave; false where it does not fit.
    fn load(&mut self, state: &State) -> bool {
        let _ = state;
        false
    }
}

/// One policy, as listed to users.
pub struct Entry {
    /// Name in options and reports.
    pub name: &'static str,
    /// One line for `holonom list`.
    pub description: &'static str,
    /// Where it comes from.
    pub literature: &'static str,
    /// Whether differences are taken of α ∂F/∂ẏ + ∂F/∂y in one, and nothing but what the original of the policy has is
    /// used by `auto`: the baseline of comparisons.
    pub combined_differences: bool,
    /// Its options, if it has some.
    pub options: Option<Factory>,
    /// Builds the policy.
    pub build: fn(&Owned) -> Box<dyn RefreshPolicy>,
}
