//! When to renew what: a policy hears a reason and answers an action.
//!
//! A pure state machine: it knows no matrices and no solver, and can be tested by feeding it
//! situations. Every action is counted by the corrector that carries it out.

mod classical;
#[cfg(test)]
mod conformance;
mod dassl;
pub mod update;

pub use classical::Classical;
pub use dassl::Dassl;
pub use update::Update;

use crate::settings::{Factory, Owned};
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
    /// The new Jacobian fails its test: the estimated sparsity pattern lacks entries.
    PatternViolated,
}

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Go on with the matrix there is; after a failure: nothing helps but a smaller step.
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
    fn decide(&mut self, situation: &Situation) -> Action;
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

/// All policies.
pub const REGISTRY: &[Entry] = &[
    Entry {
        name: "classical",
        description: "reuses ∂F/∂y as long as the corrector converges well; a change of α costs a matrix addition",
        literature: "own; Arnold (22)–(25)",
        combined_differences: false,
        options: None,
        build: |_| Box::new(Classical),
    },
    Entry {
        name: "dassl",
        description: "DASSL's rule: re-evaluate everything after slow convergence, a failure or a large change of α",
        literature: "Arnold §2.3 (a)–(c); [Brenan, Campbell, Petzold 1996]",
        combined_differences: true,
        options: None,
        build: |_| Box::new(Dassl),
    },
];

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|e| e.name == name)
}
