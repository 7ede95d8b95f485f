//! How an evaluation or a step can end short of success.
//!
//! A [`Rejection`] is recoverable: the stepper tries again with a smaller step or a fresh
//! matrix. A [`Failure`] is final for the run; it says where, why, which rows were worst and
//! what to do about it. What was computed up to there is kept by the caller.

use core::fmt;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why an attempt was thrown away. Cheap to pass around: no strings, no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Error, Serialize, Deserialize)]
pub enum Rejection {
    /// The residual has a NaN or an infinity in this row.
    #[error("the residual is not finite in row {row}")]
    NonFinite {
        /// Row of the residual.
        row: usize,
    },
    /// The residual function itself declined to evaluate there (outside its domain).
    #[error("the residual cannot be evaluated at this point")]
    OutsideDomain,
    /// Forces depend on multipliers and no multipliers were found that agree with them.
    #[error("no multipliers are consistent with the forces that depend on them")]
    NoMultipliers,
    /// Forces depend on what a sensor reads of accelerations or reactions, and these on the forces, in
    /// a ring without a solution, or with many.
    #[error(
        "the reading of sensor {reading} and the forces that depend on it have no unique solution: the gain \
         of this algebraic loop is 1"
    )]
    SingularRing {
        /// Number of a reading in the ring.
        reading: usize,
    },
    /// The corrector iteration diverges.
    #[error("the corrector iteration diverges")]
    Divergence,
    /// The corrector iteration converges too slowly.
    #[error("the corrector iteration converges too slowly")]
    SlowConvergence,
    /// The iteration matrix has no inverse.
    #[error("the iteration matrix is singular (row {row}, column {column})")]
    SingularMatrix {
        /// A row that depends on the others.
        row: usize,
        /// The column without pivot.
        column: usize,
        /// Singular for any values in this sparsity pattern.
        structural: bool,
    },
    /// The step goes across the border of two smooth pieces of a force and is to end there.
    #[error("the step goes across the border of two smooth pieces of a force")]
    PassedBorder,
    /// The local error exceeds the tolerance.
    #[error("the local error is {ratio:.2} times the tolerance")]
    ErrorTest {
        /// Weighted norm of the estimated local error (accepted when at most 1).
        ratio: f64,
    },
    /// A variable left its bounds by more than the tolerance.
    #[error("variable {variable} falls below its lower bound")]
    BelowBound {
        /// Index of the variable.
        variable: usize,
    },
}

/// What was wrong with the input of a run, found before the first step.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InputError {
    /// A vector has the wrong length.
    #[error("{what} has {found} entries, but the system has {expected} unknowns; pass one entry per unknown")]
    WrongSize {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The right length.
        expected: usize,
    },
    /// A start value is NaN or infinite.
    #[error("the initial value of {what} `{name}` (entry {index}) is {value}; give a finite number")]
    NonFiniteStart {
        /// "y" or "ẏ".
        what: &'static str,
        /// Name of the variable.
        name: String,
        /// Its index.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// A start value lies below the lower bound declared for its variable.
    #[error(
        "the initial value of `{name}` is {value}, below its lower bound {bound}; start at or above the \
         bound, or correct the bound"
    )]
    BelowBound {
        /// Name of the variable.
        name: String,
        /// Its start value.
        value: f64,
        /// Its lower bound.
        bound: f64,
    },
    /// A tolerance is zero, negative or not a number.
    #[error("the {what} tolerance{} is {value}; {remedy}", .name.as_ref().map(|n| format!(" of `{n}`")).unwrap_or_default())]
    Tolerance {
        /// "relative" or "absolute".
        what: &'static str,
        /// The variable, for a per-component tolerance.
        name: Option<String>,
        /// The offending value.
        value: f64,
        /// What to give instead.
        remedy: &'static str,
    },
    /// The end of the interval does not lie after its start.
    #[error("the end time {t_end} is not after the start time {t0}; give a later end time")]
    Interval {
        /// Start of the interval.
        t0: f64,
        /// End asked for.
        t_end: f64,
    },
    /// An option has an impossible value.
    #[error("option `{option}` is {value}: {remedy}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value, as text.
        value: String,
        /// What is allowed.
        remedy: String,
    },
    /// The structure that came with the system contradicts itself.
    #[error("the structure of the system is inconsistent: {0}")]
    Structure(String),
    /// The start values do not satisfy the equations and assembly was switched off.
    #[error(
        "the initial values do not satisfy equation `{equation}` (residual {residual:.3e}); `{variable}` \
         would change by {moves:.3e} ({times:.0} times its tolerance). Correct the initial values or let the \
         program assemble them (`Start::Assemble`)"
    )]
    InconsistentStart {
        /// Name of the worst equation.
        equation: String,
        /// Its residual.
        residual: f64,
        /// The variable that would move most.
        variable: String,
        /// By how much.
        moves: f64,
        /// The same in units of the tolerance.
        times: f64,
    },
    /// Assembly was asked for, but an equation cannot be met near the given start.
    #[error(
        "no consistent initial values near the given ones: the residual of equation `{equation}` remains \
         {residual:.3e} after {iterations} iterations ({stage}); {remedy}"
    )]
    NoConsistentStart {
        /// positions, velocities, or accelerations and multipliers.
        stage: &'static str,
        /// The equation that cannot be met.
        equation: String,
        /// Its residual at the best point found.
        residual: f64,
        /// Iterations spent.
        iterations: usize,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A checkpoint does not belong to this system or these options.
    #[error("the checkpoint does not match: {0}")]
    Checkpoint(String),
}

/// Why a run ended before its goal.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FailureKind {
    /// Found before the first step.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The step size fell to the spacing of floating-point numbers.
    #[error("the step size fell to {h:.3e} at order {order} because {reason}. {remedy}")]
    StepTooSmall {
        /// The step size at the end.
        h: f64,
        /// The order at the end.
        order: usize,
        /// The reason of the last rejection.
        reason: Rejection,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The solution leaves every bound in finite time.
    #[error(
        "`{variable}` grows without bound: it is {value:.3e} here and would double within about {doubles:.1e} of the \
         independent variable, so no solution goes on. Check the signs of forces and gains, and for a force or damping \
         that grows faster than in proportion to what it drives; limit it, or end the run earlier"
    )]
    Unbounded {
        /// The variable that grows fastest relative to its size.
        variable: String,
        /// Its value at the end.
        value: f64,
        /// Its value divided by its rate.
        doubles: f64,
    },
    /// A step of fixed size failed.
    #[error(
        "a step of the fixed size {h:.3e} failed because {reason}{}. Shorten the step; if that does not help, check the \
         signs of forces and gains",
        match .grown {
            Some((variable, value)) => format!(": `{variable}` has grown to {value:.3e}"),
            None => String::new(),
        }
    )]
    StepTooLong {
        /// The step size.
        h: f64,
        /// Why it failed.
        reason: Rejection,
        /// A variable that grows without bound, and its value.
        grown: Option<(String, f64)>,
    },
    /// The step size fell because the tolerance of a variable is below what rounding lets it be determined to.
    #[error(
        "the tolerances are below rounding error: the step size fell to {h:.3e} at order {order} because \
         {reason}. Rounding limits the accuracy of `{variable}` to {rounding:.1e} here, but the error test \
         requires {judged:.1e} for a tolerance of {tolerance:.1e}. Give it an absolute tolerance of \
         {advice:.0e} or more"
    )]
    BelowRounding {
        /// The step size at the end.
        h: f64,
        /// The order at the end.
        order: usize,
        /// The reason of the last rejection.
        reason: Rejection,
        /// The variable with the tolerance that is furthest below.
        variable: String,
        /// What rounding lets it be determined to.
        rounding: f64,
        /// Its tolerance as given.
        tolerance: f64,
        /// The same as steps are judged by it.
        judged: f64,
        /// An absolute tolerance that can be met.
        advice: f64,
    },
    /// The residual stays NaN or infinite however small the step.
    #[error(
        "the residual of equation `{equation}` is not finite here, and smaller steps do not help. Check that \
         row for a division by zero, the root or logarithm of a negative number, or an unbounded force"
    )]
    NonFinite {
        /// Name of the equation.
        equation: String,
    },
    /// The iteration matrix is singular.
    #[error(
        "the iteration matrix is {} singular: equation `{equation}` gives no new information about `{variable}`. \
         Look for a variable that no equation determines, a redundant constraint, or an index higher than declared",
        if *.structural { "structurally" } else { "numerically" }
    )]
    SingularMatrix {
        /// Name of an equation that depends on the others.
        equation: String,
        /// Name of the variable left undetermined.
        variable: String,
        /// For any values in this sparsity pattern.
        structural: bool,
    },
    /// A variable falls below its lower bound however small the step.
    #[error(
        "variable `{variable}` falls below its lower bound, and smaller steps do not help. Check the sign of \
         the terms that reduce it, tighten its absolute tolerance, or correct the bound"
    )]
    BelowBound {
        /// Name of the variable.
        variable: String,
    },
    /// The tolerances ask for more digits than the arithmetic has.
    #[error("the tolerances are too tight for double precision here; multiply them by at least {factor:.1e}")]
    TooMuchAccuracy {
        /// Factor by which the tolerances must grow.
        factor: f64,
    },
    /// The allowed number of steps is used up.
    #[error(
        "the limit of {steps} steps was reached before the end time; raise `max_steps` or loosen the tolerances"
    )]
    TooManySteps {
        /// The limit.
        steps: u64,
    },
    /// The allowed computing time is used up.
    #[error("the time limit of {seconds} s was reached; raise `time_limit` or loosen the tolerances")]
    TimeLimit {
        /// The limit.
        seconds: f64,
    },
    /// An event the run was told to wait for never came.
    #[error(
        "event `{name}` was required but its function never changed sign up to t = {t_end}{}",
        if *.touched {
            ": it touches zero without crossing. Use a function that changes sign, not a square or an absolute value"
        } else {
            ". Check its sign and direction, or extend the interval"
        }
    )]
    EventNeverFired {
        /// Name of the event.
        name: String,
        /// End of the interval.
        t_end: f64,
        /// Whether the function came to zero without crossing it.
        touched: bool,
    },
    /// An event function sits at exactly zero, so its sign means nothing.
    #[error(
        "event `{name}` is exactly zero over {steps} steps, so no sign change can be found; give a function \
         that is non-zero except at the event"
    )]
    EventAlwaysZero {
        /// Name of the event.
        name: String,
        /// Consecutive steps at zero.
        steps: u32,
    },
    /// An event function is NaN or infinite.
    #[error("the function of event `{name}` is not finite")]
    EventNotFinite {
        /// Name of the event.
        name: String,
    },
    /// A loop came apart.
    #[error("{row} is violated by {gap:.3e} {unit}, more than the permitted {allowed:.1e} {unit}. {remedy}")]
    LoopOpen {
        /// The row of the constraint, with the constraint named.
        row: String,
        /// By how much it is violated.
        gap: f64,
        /// Its unit.
        unit: &'static str,
        /// How much would be tolerable.
        allowed: f64,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A joint of a loop is closed in another way than it means: axes opposite, or a screw half a turn off.
    #[error(
        "joint `{joint}` flipped within one step: its constraint rows are satisfied, but axes that should coincide are opposite or exchanged, or a screw is half a turn off its thread. {remedy}"
    )]
    TurnedOver {
        /// The joint.
        joint: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A mechanism came out of a singular position in another direction than it went in.
    #[error(
        "near a singular position of {constraints}, the motion changed to another branch: the mechanism can \
         continue in more than one way there, and its loops were open by {gap:.1e} of their size, too much \
         to distinguish the branches. {remedy}"
    )]
    BranchChanged {
        /// The constraints, named.
        constraints: String,
        /// Largest violation near the singular position, in parts of the size of the mechanism or rad.
        gap: f64,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A mechanism turns round close to a singular position, and the run cannot tell how exactly.
    #[error(
        "the mechanism came close to a singular position of {constraints} and turned round there (its independent rows \
         were within {distance:.1e} of dependence), but {fault}. {remedy}"
    )]
    NearlySingular {
        /// The constraints, named.
        constraints: String,
        /// Least distance of the rows from dependence on the way, in parts of the largest seen.
        distance: f64,
        /// Why the result is not to be trusted.
        fault: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// No step leads on from a singular position.
    #[error(
        "the mechanism is at or close to a singular position of {constraints} ({coordinates}) and cannot step past it: \
         the last attempt, {h:.1e} s at order {order}, failed because {reason}. {remedy}"
    )]
    SingularPosition {
        /// The constraints, named.
        constraints: String,
        /// The coordinates there.
        coordinates: String,
        /// The step size at the end.
        h: f64,
        /// The order at the end.
        order: usize,
        /// The reason of the last rejection.
        reason: Rejection,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A switch slides along its border, and the method is explicit.
    #[error(
        "{name} switches back and forth indefinitely, because it drives the state back to the switching point from both sides. The explicit method `{stepper}` cannot handle this: use `radau`, `bdf` or `auto`, or smooth the law, for example `tanh(v/0.001)` instead of `sign(v)`"
    )]
    SwitchSlides {
        /// The switch, with its place.
        name: String,
        /// The method.
        stepper: &'static str,
    },
    /// A switch is passed again and again at its border.
    #[error(
        "{name} switched {count} times while the state stayed at the switching point. Smooth the law, for example `tanh(v/0.001)` instead of `sign(v)`, add hysteresis, or use a friction element"
    )]
    SwitchChattering {
        /// The switch, with its place.
        name: String,
        /// How often it was passed.
        count: u32,
    },
    /// Events follow each other without time going on.
    #[error(
        "event `{name}` occurred {count} times at the same instant: the discrete update does not leave the \
         event surface. Move the state off the surface in the update, or end the run there"
    )]
    EventChattering {
        /// Name of the event.
        name: String,
        /// How often it fired.
        count: u32,
    },
}

/// A named row or variable with a number, for messages.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue {
    /// Name of the equation or variable.
    pub name: String,
    /// Its residual or weighted error.
    pub value: f64,
}

/// A run that ended before its goal: what, where and the worst rows by name.
#[derive(Clone, Debug, PartialEq, Error)]
pub struct Failure {
    /// What happened.
    #[source]
    pub kind: FailureKind,
    /// Time reached.
    pub t: f64,
    /// Step size in use.
    pub h: f64,
    /// Order in use.
    pub order: usize,
    /// The rows or variables that were worst at the end, worst first.
    pub worst: Vec<NamedValue>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let FailureKind::Input(error) = &self.kind {
            return error.fmt(f);
        }
        write!(f, "at t = {}: {}", self.t, self.kind)?;
        if !self.worst.is_empty() {
            write!(f, " (worst:")?;
            for w in &self.worst {
                write!(f, " `{}` {:.2e}", w.name, w.value)?;
            }
            write!(f, ")")?;
        }
        Ok(())
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self {
            kind: error.into(),
            t: f64::NAN,
            h: 0.0,
            order: 0,
            worst: Vec::new(),
        }
    }
}
