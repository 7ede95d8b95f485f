//! What a step costs, known before the first one.

use core::fmt;

/// Evaluations and operations of one step: a constant of the model and the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Mass matrices.
    pub mass: u32,
    /// Forces.
    pub force: u32,
    /// Directional derivatives of the forces.
    pub derivative: u32,
    /// Evaluations of the whole mechanism for ∂f/∂q and ∂f/∂v, eight directions at a time; with shares, of the step
    /// that renews most, here and in the next two.
    pub jacobian_sweeps: u32,
    /// Evaluations of single stiff elements, by four coordinates at a time.
    pub jacobian_elements: u32,
    /// Derivatives of their loads that are projected on coordinates.
    pub jacobian_projections: u32,
    /// Constraints g.
    pub constraint: u32,
    /// Constraint matrices G.
    pub constraint_matrix: u32,
    /// Partial time derivatives g_t.
    pub constraint_rate: u32,
    /// Acceleration terms γ.
    pub constraint_bias: u32,
    /// Rates of own states.
    pub state_rates: u32,
    /// Products with V(q), those inside exponential maps included.
    pub velocity_map: u32,
    /// Dense factorisations.
    pub factorisations: u32,
    /// Their multiplications and additions.
    pub factorisation_flops: u64,
    /// Solves with factorised matrices.
    pub solves: u32,
    /// Their multiplications and additions.
    pub solve_flops: u64,
}

impl Work {
    /// Name and number of everything, in the order of the declaration.
    pub fn rows(&self) -> [(&'static str, u64); 16] {
        [
            ("mass", self.mass.into()),
            ("force", self.force.into()),
            ("derivative", self.derivative.into()),
            ("jacobian_sweeps", self.jacobian_sweeps.into()),
            ("jacobian_elements", self.jacobian_elements.into()),
            ("jacobian_projections", self.jacobian_projections.into()),
            ("constraint", self.constraint.into()),
            ("constraint_matrix", self.constraint_matrix.into()),
            ("constraint_rate", self.constraint_rate.into()),
            ("constraint_bias", self.constraint_bias.into()),
            ("state_rates", self.state_rates.into()),
            ("velocity_map", self.velocity_map.into()),
            ("factorisations", self.factorisations.into()),
            ("factorisation_flops", self.factorisation_flops),
            ("solves", self.solves.into()),
            ("solve_flops", self.solve_flops),
        ]
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, count) in self.rows().into_iter().filter(|(_, count)| *count > 0) {
            write!(f, "{separator}{count} {name}")?;
            separator = ", ";
        }
        Ok(())
    }
}
