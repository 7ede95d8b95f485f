//! One real matrix, solved with by a linear solver of the registry.

use super::{IterationOperator, Shift};
use crate::linear::{Factorised, LinearSolver, Matrix, Singular, Solved, Stalled};
use crate::newton::linearisation::Linearisation;
use crate::refresh::Phase;
use crate::state::State;
use holonom_dae::Counters;

/// Growth of entries in a factorisation beyond which solves are refined once.
const MUCH_GROWTH: f64 = 1e6;

/// Relative accuracy of solves for estimates.
const ROUGHLY: f64 = 1e-2;

/// α ∂F/∂ẏ + ∂F/∂y as a matrix, and a solver for it.
pub struct Direct {
    matrix: Matrix,
    solver: Box<dyn LinearSolver>,
    alpha: f64,
    /// The factorisation let entries grow: solves are refined.
    refines: bool,
}

impl Direct {
    /// Room for matrices like those of the linearisation.
    pub fn new(linearisation: &Linearisation, solver: Box<dyn LinearSolver>) -> Self {
        Self {
            matrix: linearisation.parts().f_y.clone(),
            solver,
            alpha: 0.0,
            refines: false,
        }
    }

    fn form(&mut self, linearisation: &Linearisation, alpha: f64) {
        self.alpha = alpha;
        let parts = linearisation.parts();
        if parts.separated {
            self.matrix.combine(alpha, &parts.f_yp, &parts.f_y);
        } else {
            self.matrix.values_mut().copy_from_slice(parts.f_y.values());
        }
        if linearisation.scaling.is_used() {
            let scales = linearisation.scaling.scales();
            self.matrix.scale_rows_columns(&scales.rows, &scales.columns);
        }
    }

    /// State of the solver, and whether solves are refined.
    pub fn checkpoint(&self) -> (State, bool) {
        (self.solver.checkpoint(), self.refines)
    }

    /// Takes back what [`checkpoint`](Self::checkpoint) gave for this linearisation and α.
    pub fn restore(&mut self, (solver, refines): &(State, bool), linearisation: &Linearisation, alpha: f64) {
        self.solver.restore(solver);
        self.refines = *refines;
        self.form(linearisation, alpha);
    }
}

impl IterationOperator for Direct {
    fn refresh(
        &mut self,
        linearisation: &Linearisation,
        shift: Shift<'_>,
        phase: Phase,
        counters: &mut Counters,
    ) -> Result<Factorised, Singular> {
        self.form(linearisation, shift.alpha);
        self.solver.enter(phase);
        counters.factorisations += 1;
        let factorised = self.solver.factorise(&self.matrix)?;
        self.refines = factorised.pivot_growth > MUCH_GROWTH;
        Ok(factorised)
    }

    fn solve(&mut self, b: &mut [f64], tolerance: f64) -> Result<Solved, Stalled> {
        if self.refines {
            self.solver.solve_refined(&self.matrix, b);
            return Ok(Solved::DIRECTLY);
        }
        self.solver.solve_to(b, tolerance)
    }

    fn solve_roughly(&mut self, b: &mut [f64]) {
        // What a solver that gave up has found will do.
        let _ = self.solver.solve_to(b, ROUGHLY);
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }
}
