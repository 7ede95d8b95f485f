//! ∂F/∂y and ∂F/∂ẏ, kept apart where the structure allows, so that a new step size costs no
//! new evaluation.

mod colouring;
#[cfg(test)]
mod conformance;
mod differences;
mod forward;
mod known;

pub use colouring::group_columns;
pub use differences::Differences;
pub use forward::Forward;

use crate::equations::Equations;
use crate::linear::Matrix;
use holonom_dae::{DerivativeForm, Rejection, Structure, Weights};
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
    /// Renews ∂F/∂ẏ alone, where it depends on the state (Arnold (25)); nothing to do elsewhere.
    fn evaluate_derivative_part(
        &mut self,
        equations: &mut Equations<'_>,
        at: &JacobianPoint<'_>,
        out: &mut SplitJacobian,
    ) -> Result<(), Rejection>;
    /// Everything later evaluations depend on.
    fn checkpoint(&self) -> Vec<f64>;
    /// Takes back what `checkpoint` gave.
    fn restore(&mut self, state: &[f64]);
}

/// One way to obtain Jacobians, as listed to users.
pub struct Entry {
    /// Name in options and reports.
    pub name: &'static str,
    /// One line for `holonom list`.
    pub description: &'static str,
    /// Where it comes from.
    pub literature: &'static str,
    /// Builds the engine. `combined`: difference α ∂F/∂ẏ + ∂F/∂y in one, as DASSL does.
    pub build: fn(structure: &Structure, sparse: bool, combined: bool) -> Box<dyn JacobianEngine>,
    /// Whether the sparsity pattern must be known.
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
        build: |structure, sparse, combined| {
            let groups = (0..structure.dimension()).map(|j| vec![j]).collect();
            Box::new(Differences::new("fd-dense", structure, sparse, combined, groups))
        },
        needs_pattern: false,
        needs_duals: false,
    },
    Entry {
        name: "fd-grouped",
        description: "one-sided differences, structurally independent columns together",
        literature: "Arnold (20); [Curtis, Powell, Reid 1974]",
        build: |structure, sparse, combined| {
            let groups = group_columns(structure);
            Box::new(Differences::new(
                "fd-grouped",
                structure,
                sparse,
                combined,
                groups,
            ))
        },
        needs_pattern: true,
        needs_duals: false,
    },
    Entry {
        name: "ad-dense",
        description: "exact derivatives by dual numbers, eight columns at a time",
        literature: "Callejo, García de Jalón 2014, §3",
        build: |structure, sparse, combined| {
            let groups = (0..structure.dimension()).map(|j| vec![j]).collect();
            Box::new(Forward::new("ad-dense", structure, sparse, combined, groups))
        },
        needs_pattern: false,
        needs_duals: true,
    },
    Entry {
        name: "ad-grouped",
        description: "exact derivatives by dual numbers, eight groups of independent columns at a time",
        literature: "Callejo, García de Jalón 2014, §3; [Curtis, Powell, Reid 1974]",
        build: |structure, sparse, combined| {
            let groups = group_columns(structure);
            Box::new(Forward::new("ad-grouped", structure, sparse, combined, groups))
        },
        needs_pattern: true,
        needs_duals: true,
    },
];

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|e| e.name == name)
}

/// A pair of matrices for this structure, in its sparsity pattern or dense; ∂F/∂ẏ already
/// filled in where it is constant.
pub fn allocate(structure: &Structure, sparse: bool, combined: bool) -> SplitJacobian {
    let n = structure.dimension();
    let f_y = match &structure.sparsity {
        Some(pattern) if sparse => Matrix::sparse(pattern.clone()),
        _ => Matrix::dense(n),
    };
    let mut f_yp = f_y.clone();
    let separated = !combined && structure.derivative != DerivativeForm::Unknown;
    if separated {
        let entries: Vec<(usize, usize, f64)> = match &structure.derivative {
            DerivativeForm::Identity => (0..n)
                .filter(|i| structure.variables[*i].kind.is_differential())
                .map(|i| (i, i, 1.0))
                .collect(),
            DerivativeForm::Constant(entries) => entries.clone(),
            DerivativeForm::Mass(_) | DerivativeForm::Unknown => Vec::new(),
        };
        for (i, j, value) in entries {
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

/// Where entry (i, j) lies among the values of a matrix.
fn position(matrix: &Matrix, i: usize, j: usize) -> Option<usize> {
    match matrix {
        Matrix::Dense { n, .. } => Some(j * n + i),
        Matrix::Sparse { pattern, .. } => pattern.position(i, j),
    }
}
