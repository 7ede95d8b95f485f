//! What `auto` stands for: Jacobian engine, linear solver, updates.

use crate::jacobian::{self, Sparsity, sparsity};
use crate::linear;
use crate::options::{AUTO, Options};
use crate::refresh;
use crate::refresh::update::{self, Update};
use holonom_dae::System;

impl Options {
    /// The Jacobian engine and the linear solver after resolving `auto`.
    ///
    /// Mechanisms get exact derivatives: next to singular positions the rounding of differences
    /// is as large as what is left of the matrix.
    pub fn resolve(&self, system: &dyn System) -> (&'static jacobian::Entry, &'static linear::Entry) {
        let structure = system.structure();
        let n = structure.dimension();
        let density = || {
            let entries = structure.sparsity.as_ref().map(|p| p.len() as f64);
            entries.map_or(1.0, |entries| entries / (n * n) as f64)
        };
        let linear = linear::find(&self.linear).unwrap_or_else(|| linear::automatic(n, density()));
        let jacobian = jacobian::find(&self.jacobian).unwrap_or_else(|| {
            let exact = self.has_exact_jacobian(system);
            jacobian::automatic(
                exact,
                exact || structure.sparsity.is_some() || self.sparsity != AUTO,
            )
        });
        (jacobian, linear)
    }

    /// Whether exact derivatives are what `auto` takes: for mechanisms of bodies and joints. A policy that is the
    /// baseline of comparisons works with differences.
    pub(crate) fn has_exact_jacobian(&self, system: &dyn System) -> bool {
        let structure = system.structure();
        structure.sparsity.is_some()
            && structure.layout.is_some()
            && system.has_duals()
            && !self.is_baseline()
    }

    /// Whether the policy is one that differences α ∂F/∂ẏ + ∂F/∂y in one.
    pub(crate) fn is_baseline(&self) -> bool {
        refresh::find(&self.refresh).is_some_and(|entry| entry.combined_differences)
    }

    /// Where the sparsity pattern comes from.
    pub(crate) fn sparsity_choice(&self) -> Sparsity {
        sparsity::find(&self.sparsity).unwrap_or_default()
    }

    /// What may stand in for a full evaluation.
    pub(crate) fn update_choice(&self) -> Update {
        update::find(&self.update).unwrap_or_default()
    }

    /// The same for a system with this many inputs, with `auto` resolved.
    pub(crate) fn update_in_use(&self, inputs: usize) -> Update {
        match self.update_choice() {
            Update::Auto if self.is_baseline() => Update::None,
            Update::Auto => Update::Partitioned,
            Update::Extended if inputs == 0 => Update::Partitioned,
            other => other,
        }
    }
}
