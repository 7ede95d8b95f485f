//! What a run cost, counted the same way everywhere.

use serde::{Deserialize, Serialize};

/// Work counters of a run. Deterministic: two runs of the same build on the same input agree
/// exactly, so tests compare them with `==`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Accepted steps.
    pub steps: u64,
    /// Attempts rejected by the error test.
    pub rejected_error: u64,
    /// Attempts rejected because the corrector did not converge.
    pub rejected_convergence: u64,
    /// Order reductions because stability, not accuracy, limited the step.
    pub order_reductions_stability: u64,
    /// All residual evaluations, those for Jacobians and the start included (#fc).
    pub residuals: u64,
    /// Residual evaluations of the corrector alone (#fcw).
    pub residuals_corrector: u64,
    /// Those of `residuals` that solved for the accelerations, v̇ = M⁻¹(f − Gᵀλ) with λ from the constraints: the slopes of
    /// explicit methods.
    #[serde(default)]
    pub accelerations: u64,
    /// Evaluations of the residual with dual numbers, eight directions each or, where fewer are left,
    /// four; not among `residuals`.
    pub residuals_dual: u64,
    /// Full evaluations of the Jacobian (#Je).
    pub jacobians: u64,
    /// Cheap updates of the iteration matrix: a changed α on kept ∂F/∂y, Arnold (22)–(25).
    pub updates_partitioned: u64,
    /// Updates of ∂F/∂y by what it owes to the inputs, Arnold (26).
    pub updates_extended: u64,
    /// Evaluations of ∂F/∂ẏ alone (the mass matrix).
    pub mass_evaluations: u64,
    /// Evaluations of the matrix G of constraints alone, for updates of ∂F/∂y.
    #[serde(default)]
    pub constraint_evaluations: u64,
    /// New estimates of the sparsity pattern.
    pub sparsity_updates: u64,
    /// Factorisations of the iteration matrix.
    pub factorisations: u64,
    /// Sparse factorisations that had to choose new pivots.
    pub repivotings: u64,
    /// Solves with a factorised matrix.
    pub solves: u64,
    /// Iterations of the corrector.
    pub newton_iterations: u64,
    /// Iterations of Krylov methods.
    pub krylov_iterations: u64,
    /// Refresh cycles begun (three-phase policy).
    pub refresh_cycles: u64,
    /// Events located.
    pub events: u64,
    /// Restarts after a discrete update.
    pub restarts: u64,
    /// Steps that were cut short afterwards, because something acts inside of them that no evaluation had seen.
    #[serde(default)]
    pub steps_cut: u64,
    /// Evaluations of gaps and of what laws depend on, to find out: those of the kinematics alone.
    #[serde(default)]
    pub looks: u64,
    /// Exchanges of constraint rows for others that say the same and are better conditioned.
    #[serde(default)]
    pub row_changes: u64,
    /// Those of `residuals_dual` with four directions.
    #[serde(default)]
    pub residuals_dual4: u64,
    /// Those of `residuals_dual` with twelve directions.
    #[serde(default)]
    pub residuals_dual12: u64,
}

/// What evaluations cost in plain residuals. Constants, so that counts stay counts: the medians of what
/// `cargo run --release -p holonom-models --example dual_cost` measures for the shipped models in both
/// formalisms, rounded up to the next half, so that nothing but plain residuals is flattered.
pub mod cost {
    /// The residual with twelve derivative directions (median 3.9, from 1.5 to 5.8).
    pub const DUAL12: f64 = 4.0;
    /// The residual with eight derivative directions (median 2.8, from 1.3 to 3.4).
    pub const DUAL8: f64 = 3.0;
    /// The residual with four derivative directions (median 2.0, from 1.2 to 2.8).
    pub const DUAL4: f64 = 2.5;
    /// ∂F/∂ẏ alone, where it depends on the state (median 0.3, from 0.04 to 4).
    pub const MASS: f64 = 0.5;
    /// G alone, where it is renewed in ∂F/∂y (median 0.22, from 0.07 to 0.33).
    pub const CONSTRAINTS: f64 = 0.5;
    /// The kinematics alone, for a look at gaps and at what laws depend on.
    pub const LOOK: f64 = 0.5;

    // The rest of the work of a run, for comparisons of methods: fitted to measured times of some 470 runs of generated
    // mechanisms (`cargo run --release -p holonom-experiments --example choice_cost`).

    /// Accelerations instead of a residual, of an open mechanism.
    pub const ACCELERATION: f64 = 0.9;
    /// The same with constraints, whose multipliers are solved for.
    pub const CONSTRAINED_ACCELERATION: f64 = 1.8;
    /// Jacobians in units of their evaluations with dual numbers: the matrix is filled, too.
    pub const FILLING: f64 = 2.5;
    /// An iteration of a corrector besides its residuals: solving, norms, predictions.
    pub const ITERATION: f64 = 0.5;
    /// A factorisation of an iteration matrix.
    pub const FACTORISATION: f64 = 1.0;
}

impl Counters {
    /// All evaluations of the equations in units of a plain residual, those with dual numbers, of
    /// ∂F/∂ẏ, of G and of the kinematics at their [`cost`]: one figure for how dear a run was, whatever its Jacobians are made of.
    /// Factorisations and solves are not in it.
    ///
    /// ```
    /// use holonom_dae::{Counters, cost};
    /// let run = Counters { residuals: 100, residuals_dual: 3, residuals_dual4: 1, ..Counters::default() };
    /// assert_eq!(run.residual_equivalents(), 100.0 + 2.0 * cost::DUAL8 + cost::DUAL4);
    /// let run = Counters { residuals_dual: 3, residuals_dual12: 1, ..Counters::default() };
    /// assert_eq!(run.residual_equivalents(), 2.0 * cost::DUAL8 + cost::DUAL12);
    /// ```
    pub fn residual_equivalents(&self) -> f64 {
        let others = self.residuals_dual4 + self.residuals_dual12;
        let eight = self.residuals_dual.saturating_sub(others);
        self.residuals as f64
            + cost::DUAL8 * eight as f64
            + cost::DUAL4 * self.residuals_dual4 as f64
            + cost::DUAL12 * self.residuals_dual12 as f64
            + cost::MASS * self.mass_evaluations as f64
            + cost::CONSTRAINTS * self.constraint_evaluations as f64
            + cost::LOOK * self.looks as f64
    }

    /// Work of a run in units of a plain residual, with all that evaluations do not contain: for comparisons of methods. Beside
    /// measured times of generated mechanisms the medians of `bdf`, `radau` and `dormand-prince` agree to 6 %, and half
    /// of the runs to 20 %; [`residual_equivalents`](Self::residual_equivalents) alone flatter `bdf` by a quarter on open
    /// mechanisms and overcharge `radau` by nearly a half on loops.
    ///
    /// ```
    /// use holonom_dae::{Counters, cost};
    /// let run = Counters { residuals: 100, accelerations: 100, ..Counters::default() };
    /// assert_eq!(run.work(false), 100.0 * cost::ACCELERATION);
    /// ```
    pub fn work(&self, constrained: bool) -> f64 {
        let acceleration = match constrained {
            true => cost::CONSTRAINED_ACCELERATION,
            false => cost::ACCELERATION,
        };
        let plain = Self {
            residuals_dual: 0,
            residuals_dual4: 0,
            residuals_dual12: 0,
            ..*self
        };
        let duals = self.residual_equivalents() - plain.residual_equivalents();
        plain.residual_equivalents()
            + (acceleration - 1.0) * self.accelerations as f64
            + cost::FILLING * duals
            + cost::ITERATION * self.newton_iterations as f64
            + cost::FACTORISATION * self.factorisations as f64
    }

    /// Name and value of every counter, in the order of the declaration.
    pub fn rows(&self) -> [(&'static str, u64); 27] {
        [
            ("steps", self.steps),
            ("rejected_error", self.rejected_error),
            ("rejected_convergence", self.rejected_convergence),
            ("order_reductions_stability", self.order_reductions_stability),
            ("residuals", self.residuals),
            ("residuals_corrector", self.residuals_corrector),
            ("residuals_dual", self.residuals_dual),
            ("jacobians", self.jacobians),
            ("updates_partitioned", self.updates_partitioned),
            ("updates_extended", self.updates_extended),
            ("mass_evaluations", self.mass_evaluations),
            ("constraint_evaluations", self.constraint_evaluations),
            ("sparsity_updates", self.sparsity_updates),
            ("factorisations", self.factorisations),
            ("repivotings", self.repivotings),
            ("solves", self.solves),
            ("newton_iterations", self.newton_iterations),
            ("krylov_iterations", self.krylov_iterations),
            ("refresh_cycles", self.refresh_cycles),
            ("events", self.events),
            ("restarts", self.restarts),
            ("steps_cut", self.steps_cut),
            ("looks", self.looks),
            ("row_changes", self.row_changes),
            ("residuals_dual4", self.residuals_dual4),
            ("residuals_dual12", self.residuals_dual12),
            ("accelerations", self.accelerations),
        ]
    }
}

/// Where the time went, in seconds. Not deterministic, hence apart from [`Counters`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The whole run.
    pub total: f64,
    /// Evaluation of Jacobians.
    pub jacobian: f64,
    /// Factorisations.
    pub factorisation: f64,
    /// Consistent start.
    pub start: f64,
}
