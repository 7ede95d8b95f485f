//! Why a run does what it does: one list of decisions, those before the first step and each change
//! later on, with the counted numbers behind them. `holonom run --explain` prints it.

use crate::refresh::Reason;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// What a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// Integration method.
    Stepper,
    /// How Jacobians are obtained.
    Jacobian,
    /// Where the sparsity pattern comes from by which columns are grouped.
    Sparsity,
    /// What may stand in for a full evaluation.
    Update,
    /// Linear solver.
    Linear,
    /// What follows a rejected attempt of a mechanism with loops: new Jacobians, or nothing special.
    Care,
    /// Which of the constraint rows that depend on each other take part.
    Rows,
    /// How rows of motion are divided by the mass matrix.
    Metric,
    /// What acts inside of a step that was cut short.
    Cut,
}

impl Subject {
    /// As in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stepper => "stepper",
            Self::Jacobian => "jacobian",
            Self::Sparsity => "sparsity",
            Self::Update => "update",
            Self::Linear => "linear",
            Self::Care => "care",
            Self::Rows => "rows",
            Self::Metric => "mass matrix",
            Self::Cut => "step cut",
        }
    }
}

/// The reason for a decision, with the numbers it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Because {
    /// The settings name it.
    Named,
    /// The policy `dassl` is the baseline of comparisons: differences, no updates.
    Baseline,
    /// A mechanism with dual numbers: exact, and at most little dearer than differences.
    Exact {
        /// Groups of columns.
        groups: usize,
        /// What a Jacobian costs with dual numbers, in plain residuals.
        exact: f64,
        /// The same with differences.
        differences: f64,
    },
    /// Differences: no mechanism, or no dual numbers.
    Differences {
        /// Groups of columns.
        groups: usize,
        /// Unknowns.
        unknowns: usize,
        /// Whether dual numbers would be there on request.
        duals: bool,
    },
    /// The size of the matrix and the part of it that can be non-zero.
    Density {
        /// Unknowns.
        unknowns: usize,
        /// Part of the entries that are in the declared pattern.
        density: f64,
    },
    /// Columns are evaluated one by one.
    OneByOne,
    /// The declared pattern misses nothing.
    Declared {
        /// Groups of columns.
        groups: usize,
    },
    /// The estimated pattern changed, or was looked at.
    Pattern {
        /// What changed; none when nothing was missing.
        change: Option<Change>,
        /// Why the Jacobian was evaluated.
        reason: Reason,
    },
    /// No estimate yet: the first Jacobian gives one.
    NotYetEstimated {
        /// Groups of columns until then.
        groups: usize,
    },
    /// A changed step size costs no evaluation, and there are no inputs to follow.
    NoInputs,
    /// Inputs are watched: their second derivatives are evaluated when that is likely to pay.
    InputsWatched {
        /// Number of inputs.
        inputs: usize,
    },
    /// Changes of ∂F/∂y come from the inputs.
    InputsExplain {
        /// Change of ∂F/∂y since the evaluation before.
        change: f64,
        /// What is left of it with the inputs of the evaluation before.
        left: f64,
        /// What the second derivatives cost at most, in plain residuals.
        price: f64,
        /// What evaluations for want of convergence have cost so far.
        paid: f64,
    },
    /// Following the inputs does not pay.
    InputsDoNotPay {
        /// Whether ∂F/∂y depends on inputs at all.
        depends: bool,
        /// Plain residuals per step before the inputs were followed.
        before: f64,
        /// The same since then.
        now: f64,
    },
    /// A setting is given that only `bdf` has: the highest order, or the policy `dassl`.
    OfBdf,
    /// Equations that cannot be written ẏ = f(t, y).
    NotExplicit,
    /// The step size is given: nothing may depend on an error estimate or on stability.
    FixedStep,
    /// The step size is given and follows the fastest motion: one solution a step is enough.
    Followed {
        /// Steps in which the fastest motion changes by its own size.
        #[serde(with = "crate::numbers::one")]
        steps: f64,
    },
    /// An explicit method begins: nothing known at the start speaks against it.
    NotStiff {
        /// Steps in the run that stability asks for.
        #[serde(with = "crate::numbers::one")]
        by_stability: f64,
    },
    /// Another method is tried.
    Trial {
        /// Work to the end of the run with the method in use, in plain residuals.
        #[serde(with = "crate::numbers::one")]
        left: f64,
    },
    /// A method on trial stays.
    Better {
        /// Its work per simulated second, in plain residuals.
        #[serde(with = "crate::numbers::one")]
        now: f64,
        /// That of the method before.
        #[serde(with = "crate::numbers::one")]
        before: f64,
    },
    /// A method on trial gives way to the one before.
    Worse {
        /// Its work per simulated second, in plain residuals.
        #[serde(with = "crate::numbers::one")]
        now: f64,
        /// That of the method before.
        #[serde(with = "crate::numbers::one")]
        before: f64,
    },
    /// The method in use could not go on.
    Failed,
    /// The fastest motion dies out early, and stability would go on to ask for short explicit steps.
    DiesOut {
        /// Steps in the run that stability asks for.
        #[serde(with = "crate::numbers::one")]
        by_stability: f64,
        /// Rate at which it decays, 1/s.
        #[serde(with = "crate::numbers::one")]
        decay: f64,
    },
    /// An explicit method could not go on.
    ExplicitFailed,
    /// A switch slides along its border, which is stiff.
    Slides,
    /// Many unknowns and a loose tolerance: one real factorisation is better than several complex ones.
    LargeAndLoose {
        /// Unknowns.
        unknowns: usize,
        /// Relative tolerance.
        rtol: f64,
    },
    /// Rows that were dropped because the others imply them are better conditioned here.
    BetterConditioned,
    /// Rounding, amplified by the matrix.
    Rounding {
        /// What it does to the solution, in units of the tolerance.
        noise: f64,
        /// From here on it is amplified.
        limit: f64,
    },
    /// A step had passed what acts inside of it without an evaluation there.
    PassedInStep {
        /// Size of the step.
        #[serde(with = "crate::numbers::one")]
        h: f64,
    },
    /// The mass matrix changes much from step to step.
    MassChanges {
        /// Part of an error in velocities that its change in one step leaves behind after a correction.
        left: f64,
        /// From here on that is too much.
        limit: f64,
    },
}

/// A change of the sparsity pattern in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Groups before; none for a first estimate.
    pub before: Option<usize>,
    /// Groups now.
    pub groups: usize,
}

/// One decision.
///
/// ```
/// use holonom_solver::explain::{Because, Decision, Subject};
/// let decision = Decision {
///     t: Some(2.5),
///     subject: Subject::Update,
///     chosen: "partitioned".into(),
///     because: Because::InputsDoNotPay { depends: true, before: 20.0, now: 30.0 },
/// };
/// assert!(decision.to_string().starts_with("update at t = 2.5: partitioned"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Time of the step; none before the first.
    pub t: Option<f64>,
    /// What it is about.
    pub subject: Subject,
    /// What was chosen, as in settings.
    pub chosen: Cow<'static, str>,
    /// Why.
    pub because: Because,
}

impl Decision {
    /// Before the first step.
    pub fn at_start(subject: Subject, chosen: &'static str, because: Because) -> Self {
        Self {
            t: None,
            subject,
            chosen: chosen.into(),
            because,
        }
    }

    /// A change of the integration method in a run.
    pub(crate) fn stepper(t: f64, chosen: &'static str, because: Because) -> Self {
        Self {
            t: Some(t),
            subject: Subject::Stepper,
            chosen: chosen.into(),
            because,
        }
    }

    /// A change of updates in a run.
    pub(crate) fn update(t: f64, because: Because) -> Self {
        let chosen = match because {
            Because::InputsExplain { .. } => "extended",
            _ => "partitioned",
        };
        Self {
            t: Some(t),
            subject: Subject::Update,
            chosen: chosen.into(),
            because,
        }
    }

    /// An exchange of constraint rows.
    pub(crate) fn rows(t: f64, words: String) -> Self {
        Self {
            t: Some(t),
            subject: Subject::Rows,
            chosen: words.into(),
            because: Because::BetterConditioned,
        }
    }

    /// More or less care after rejected attempts.
    pub(crate) fn care(t: f64, noise: f64, limit: f64, careful: bool) -> Self {
        Self {
            t: Some(t),
            subject: Subject::Care,
            chosen: if careful { "careful" } else { "usual" }.into(),
            because: Because::Rounding { noise, limit },
        }
    }

    /// A step ends where something begins to act that it did not see.
    pub(crate) fn cut(t: f64, name: String, h: f64) -> Self {
        Self {
            t: Some(t),
            subject: Subject::Cut,
            chosen: format!("{name} begins to act here").into(),
            because: Because::PassedInStep { h },
        }
    }

    /// Rows of motion are solved for the accelerations.
    pub(crate) fn metric(t: f64, left: f64, limit: f64) -> Self {
        Self {
            t: Some(t),
            subject: Subject::Metric,
            chosen: "of every iterate".into(),
            because: Because::MassChanges { left, limit },
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject.name())?;
        if let Some(t) = self.t {
            write!(f, " at t = {}", short(t))?;
        }
        write!(f, ": {}, {}", self.chosen, self.because)
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Named => write!(f, "named in the settings"),
            Self::BetterConditioned => write!(f, "better conditioned here"),
            Self::Baseline => write!(
                f,
                "because the policy `dassl` is the baseline: differences and no updates"
            ),
            Self::Exact {
                groups,
                exact,
                differences,
            } => write!(
                f,
                "exact: a Jacobian of {groups} {} costs as much as {exact} plain residuals, compared with \
                 {differences} for differences",
                counted(groups, "group")
            ),
            Self::Differences {
                groups,
                unknowns,
                duals,
            } => {
                let why = if duals {
                    "these equations are not those of a mechanism"
                } else {
                    "these equations cannot be evaluated with dual numbers"
                };
                write!(
                    f,
                    "because {why}: {groups} {} for {unknowns} {}",
                    counted(groups, "residual"),
                    counted(unknowns, "column")
                )
            }
            Self::Density { unknowns, density } => write!(
                f,
                "for {unknowns} unknowns with {:.0} % possible non-zero entries",
                100.0 * density
            ),
            Self::OneByOne => write!(f, "because columns are evaluated one by one"),
            Self::Declared { groups } => write!(
                f,
                "the declared pattern, which is complete: {groups} {}",
                counted(groups, "group")
            ),
            Self::NotYetEstimated { groups } => write!(
                f,
                "until a settled estimate saves a quarter of the cost of the {groups} groups"
            ),
            Self::Pattern { change, reason } => {
                let why = match reason {
                    Reason::SlowConvergence => "slow convergence with a new Jacobian",
                    Reason::Divergence => "divergence with a new Jacobian",
                    Reason::PatternViolated => "the Jacobian failed its test",
                    Reason::FirstStep => "the first evaluation",
                    _ => "a regular evaluation",
                };
                match change {
                    None => write!(f, "as before: {why}, but no entries are missing"),
                    Some(Change {
                        before: Some(before),
                        groups,
                    }) => write!(f, "{groups} groups instead of {before} after {why}"),
                    Some(Change { before: None, groups }) => write!(f, "{groups} groups after {why}"),
                }
            }
            Self::NoInputs => write!(
                f,
                "because a new step size then needs no evaluation; there are no prescribed motions to follow"
            ),
            Self::InputsWatched { inputs } => write!(
                f,
                "because a new step size then needs no evaluation; following the {inputs} {} will be tried \
                 if it may be cheaper",
                counted(inputs, "input")
            ),
            Self::InputsExplain {
                change,
                left,
                price,
                paid,
            } => write!(
                f,
                "because with constant inputs the Jacobian would have changed only {:.0} % as much; second \
                 derivatives cost at most {} residuals, evaluations caused by slow convergence have cost {} \
                 so far",
                100.0 * left / change,
                short(price),
                short(paid)
            ),
            Self::InputsDoNotPay { depends: false, .. } => {
                write!(f, "because the Jacobian does not depend on the inputs")
            }
            Self::InputsDoNotPay { before, now, .. } => write!(
                f,
                "because a step has cost {} residuals since the inputs are followed, compared with {} before",
                short(now),
                short(before)
            ),
            Self::OfBdf => write!(
                f,
                "because `max_order` or the policy `dassl` is set, which no other method has"
            ),
            Self::NotExplicit => write!(f, "because the equations cannot be solved for the derivatives"),
            Self::Followed { steps } => write!(
                f,
                "because the prescribed step size resolves the fastest motion, whose time constant is {} \
                 steps: one solve per step is sufficient",
                short(steps.floor())
            ),
            Self::FixedStep => write!(
                f,
                "because the step size is prescribed, so an unconditionally stable \
            method is needed"
            ),
            Self::NotStiff { by_stability } => write!(
                f,
                "because an explicit method is cheapest unless stability limits it: at the start, stability requires {} \
                 {} for the run",
                short(by_stability.ceil()),
                counted(by_stability.ceil() as usize, "step")
            ),
            Self::Trial { left } => write!(
                f,
                "on trial, because about {} residuals of work are left",
                short(left.round())
            ),
            Self::Better { now, before } => write!(
                f,
                "because a simulated second costs {} residuals with it, compared with {} before",
                short(now),
                short(before)
            ),
            Self::Worse { now, before } => write!(
                f,
                "as before, because a simulated second would cost {} residuals with the other method, compared with {}",
                short(now),
                short(before)
            ),
            Self::Failed => write!(f, "because the previous method could not continue"),
            Self::DiesOut { by_stability, decay } => write!(
                f,
                "because the fastest motion decays at a rate of {} 1/s, but stability would still require {} \
                 explicit steps",
                short(decay),
                short(by_stability.ceil())
            ),
            Self::ExplicitFailed => write!(f, "because the explicit method could not continue"),
            Self::Slides => write!(f, "because a switch slides along its border, which is stiff"),
            Self::LargeAndLoose { unknowns, rtol } => write!(
                f,
                "because with {unknowns} unknowns at a tolerance of {rtol:.0e}, one real factorisation per \
                 step is cheaper than several complex ones"
            ),
            Self::Rounding { noise, limit } => {
                let sign = if noise >= limit { "above" } else { "below" };
                write!(
                    f,
                    "because rounding errors are {noise:.1e} of the tolerance, {sign} the limit of {limit:.0e}"
                )
            }
            Self::PassedInStep { h } => write!(
                f,
                "and a step of {} s had passed it without an evaluation: shorter steps follow",
                short(h)
            ),
            Self::MassChanges { left, limit } => write!(
                f,
                "because the mass matrix changes so much in one step that a fraction of {} of an error \
                 remains, above {limit}: its inverse is computed with the articulated-body algorithm",
                short(left)
            ),
        }
    }
}

impl Because {
    /// The smaller work per simulated second of a method on trial and the one before.
    pub(crate) fn rate(&self) -> Option<f64> {
        match *self {
            Self::Better { now, before } | Self::Worse { now, before } => Some(now.min(before)),
            _ => None,
        }
    }

    /// Why a stepper was chosen, without numbers: for summaries.
    pub fn in_short(&self) -> &'static str {
        match self {
            Self::OfBdf => "because of a setting that only `bdf` has",
            Self::NotExplicit => "because the equations cannot be solved for the derivatives",
            Self::FixedStep => "because the prescribed step size needs an unconditionally stable method",
            Self::Followed { .. } => "because the prescribed step size resolves the fastest motion",
            Self::NotStiff { .. } => "because the model is not stiff",
            Self::DiesOut { .. } => "because the model is stiff",
            Self::Trial { .. } => "on trial",
            Self::Better { .. } => "because it needs less work",
            Self::Worse { .. } => "because the other method needed more work",
            Self::Failed => "because the other method could not go on",
            Self::ExplicitFailed => "because the explicit method could not go on",
            Self::Slides => "because a switch slides along its border",
            Self::LargeAndLoose { .. } => "because the model is large and the tolerance loose",
            _ => "for the reasons that `--explain` gives",
        }
    }
}

/// The word in singular or plural.
fn counted(n: usize, word: &str) -> String {
    if n == 1 {
        word.to_string()
    } else {
        format!("{word}s")
    }
}

/// A number with four digits, without zeros at its end.
fn short(x: f64) -> String {
    let text = format!("{x:.3e}");
    text.parse::<f64>().map_or(text, |x| x.to_string())
}

/// The decisions of a run, the first ones of too many.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decisions(Vec<Decision>);

/// Decisions kept. Room for all of them is made at once: stepping does not allocate.
const MOST: usize = 256;

impl Default for Decisions {
    fn default() -> Self {
        Self(Vec::with_capacity(MOST))
    }
}

impl Decisions {
    /// Adds one.
    pub fn add(&mut self, decision: Decision) {
        if self.0.len() < MOST {
            self.0.push(decision);
        }
    }

    /// Takes back those of a checkpoint.
    pub(crate) fn restore(&mut self, saved: &Self) {
        self.0.clear();
        self.0.extend(saved.0.iter().take(MOST).cloned());
    }

    /// All of them, in order.
    pub fn list(&self) -> &[Decision] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_bounded() {
        let mut decisions = Decisions::default();
        for k in 0..2 * MOST {
            decisions.add(Decision::care(k as f64, 1e-3, 1e-5, true));
        }
        assert_eq!(decisions.list().len(), MOST);
        let text = decisions.list()[2].to_string();
        assert_eq!(
            text,
            "care at t = 2: careful, because rounding errors are 1.0e-3 of the tolerance, above the limit of 1e-5"
        );
    }
}
