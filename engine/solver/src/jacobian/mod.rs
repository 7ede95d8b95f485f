//! ∂F/∂y and ∂F/∂ẏ, kept apart where the structure allows, so that a new step size costs no
//! new evaluation.

mod colouring;
#[cfg(test)]
mod conformance;
mod differences;
mod direction;
mod forward;
mod grouping;
mod known;
mod packs;
pub mod sparsity;

pub use colouring::{Ordering, best_groups, group_columns, groups_in_order};
pub use differences::Differences;
pub use forward::Forward;
pub use grouping::{GroupingState, PatternChange, PatternUse};
pub use packs::cost_of_packs;
pub use sparsity::Sparsity;

use crate::equations::Equations;
use crate::linear::Matrix;
use crate::state::State;
use holonom_dae::{DerivativeForm, Pattern, Rejection, Structure, Weights};
use serde::{Deserialize, Serialize};

/// The two parts of the iteration matrix α ∂F/∂ẏ + ∂F/∂y.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SplitJacobian {
    /// ∂F/∂y; the whole iteration matrix when the parts are not separated.
    pub f_y: Matrix,
    /// ∂F/∂ẏ; zero when the parts are not separated.
    pub f_yp: Matrix,
    /// Whether the parts are apart.
    pub separated: bool,
    /// α at the evaluation: the only one a matrix that is not separated is good for.
    pub alpha: f64,
}

/// Where and how a Jacobian is wanted.
pub struct JacobianPoint<'a> {
    /// Time.
    pub t: f64,
    /// Unknowns.
    pub y: &'a [f64],
    /// Derivatives.
    pub yp: &'a [f64],
    /// F(t, y, ẏ): the nominal value F⁰.
    pub residual: &'a [f64],
    /// Leading coefficient.
    pub alpha: f64,
    /// Step size: h ẏ tells how far a variable moves.
    pub h: f64,
    /// Tolerances tell the size below which a variable does not matter.
    pub weights: &'a Weights,
}

/// A way to obtain the Jacobian.
pub trait JacobianEngine: Send {
    /// Name in options and reports.
    fn name(&self) -> &'static str;
    /// Evaluates both parts. On a rejection `out` is left unusable.
    fn evaluate(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection>;
    /// Renews what needs no evaluation of columns: ∂F/∂ẏ where it depends on the state, Arnold (25), and of
    /// ∂F/∂y what the matrix G of constraints makes up.
    fn renew_given(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection>;
    /// Whether G is among that, for systems that give it by itself.
    fn holds_constraints(&self) -> bool;
    /// Evaluates both parts with nothing left out, and enlarges an estimated pattern by what is
    /// found: Ω := Ω ∪ Σ, Arnold §3.1. The same as [`evaluate`](Self::evaluate) without an estimate.
    fn regroup(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection>;
    /// Whether evaluations begin from the residual at the point.
    fn uses_residual(&self) -> bool {
        true
    }
    /// What there is to say about the pattern in use.
    fn pattern_use(&self) -> PatternUse;
    /// The last change of the pattern in use; none on a second call.
    fn take_change(&mut self) -> Option<PatternChange>;
    /// Takes this pattern for the estimate, for systems whose pattern is known from an earlier run;
    /// nothing happens where no estimate is wanted.
    fn assume_pattern(&mut self, pattern: &Pattern);
    /// Everything later evaluations depend on.
    fn checkpoint(&self) -> State;
    /// Takes back what `checkpoint` gave.
    fn restore(&mut self, state: &State);
}

/// How an engine is to work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setup {
    /// Store matrices in the declared pattern instead of densely.
    pub sparse: bool,
    /// Difference α ∂F/∂ẏ + ∂F/∂y in one, as DASSL does.
    pub combined: bool,
    /// Where the pattern comes from by which columns are grouped.
    pub sparsity: Sparsity,
}

/// One way to obtain Jacobians, as listed to users.
pub struct Entry {
    /// Name in options and reports.
    pub name: &'static str,
    /// One line for `holonom list`.
    pub description: &'static str,
    /// Where it comes from.
    pub literature: &'static str,
    /// Builds the engine.
    pub build: fn(structure: &Structure, setup: Setup) -> Box<dyn JacobianEngine>,
    /// Whether it groups columns by a sparsity pattern.
    pub needs_pattern: bool,
    /// Whether the system must be able to evaluate its residual with dual numbers.
    pub needs_duals: bool,
}

/// All ways to obtain Jacobians.
pub const REGISTRY: &[Entry] = &[
    Entry {
        name: "fd-dense",
        description: "one-sided differences, one column at a time",
        literature: "Arnold (16), (17)",
        build: |structure, setup| Box::new(Differences::dense(structure, setup)),
        needs_pattern: false,
        needs_duals: false,
    },
    Entry {
        name: "fd-grouped",
        description: "one-sided differences, structurally independent columns together",
        literature: "Arnold (20); [Curtis, Powell, Reid 1974]; [Coleman, Garbow, Moré 1984]",
        build: |structure, setup| Box::new(Differences::grouped(structure, setup)),
        needs_pattern: true,
        needs_duals: false,
    },
    Entry {
        name: "ad-dense",
        description: "exact derivatives by dual numbers, eight columns at a time",
        literature: "Callejo, García de Jalón 2014, §3",
        build: |structure, setup| Box::new(Forward::dense(structure, setup)),
        needs_pattern: false,
        needs_duals: true,
    },
    Entry {
        name: "ad-grouped",
        description: "exact derivatives by dual numbers, eight groups of independent columns at a time",
        literature: "Callejo, García de Jalón 2014, §3; [Curtis, Powell, Reid 1974]",
        build: |structure, setup| Box::new(Forward::grouped(structure, setup)),
        needs_pattern: true,
        needs_duals: true,
    },
];

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|e| e.name == name)
}

/// The engine that `auto` takes: with exact derivatives or differences, of grouped columns or single ones.
pub fn automatic(exact: bool, grouped: bool) -> &'static Entry {
    let fits = |entry: &&Entry| (entry.needs_duals, entry.needs_pattern) == (exact, grouped);
    REGISTRY.iter().find(fits).unwrap_or(&REGISTRY[0])
}

/// A pair of matrices for this structure, in its sparsity pattern or dense; ∂F/∂ẏ already
/// filled in where it is constant.
pub fn allocate(structure: &Structure, sparse: bool, combined: bool) -> SplitJacobian {
    let n = structure.dimension();
    let f_y = match &structure.sparsity {
        Some(pattern) if sparse => Matrix::sparse((**pattern).clone()),
        _ => Matrix::dense(n),
    };
    let mut f_yp = f_y.clone();
    let separated = !combined && structure.derivative != DerivativeForm::Unknown;
    if separated {
        for (i, j, value) in derivative_entries(structure) {
            if let Some(k) = position(&f_yp, i, j) {
                f_yp.values_mut()[k] += value;
            }
        }
    }
    SplitJacobian {
        f_y,
        f_yp,
        separated,
        alpha: 0.0,
    }
}

/// The entries of ∂F/∂ẏ as far as the structure gives them, with their values where these are
/// constant and zero where not.
fn derivative_entries(structure: &Structure) -> Vec<(usize, usize, f64)> {
    match &structure.derivative {
        DerivativeForm::Identity => (0..structure.dimension())
            .filter(|i| structure.variables[*i].kind.is_differential())
            .map(|i| (i, i, 1.0))
            .collect(),
        DerivativeForm::Constant(entries) => entries.clone(),
        DerivativeForm::Mass(pattern) => pattern.entries().map(|(i, j)| (i, j, 0.0)).collect(),
        DerivativeForm::Unknown => Vec::new(),
    }
}

/// Where entry (i, j) lies among the values of a matrix.
fn position(matrix: &Matrix, i: usize, j: usize) -> Option<usize> {
    match matrix {
        Matrix::Dense { n, .. } => Some(j * n + i),
        Matrix::Sparse { pattern, .. } => pattern.position(i, j),
    }
}
