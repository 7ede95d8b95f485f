//! The corrector iteration at one point, Arnold (18):
//! y ← y − c J̄⁻¹ F(t, y, αy + β), with the matrix kept over many steps.

use super::corrector::{Corrector, CorrectorStep, Scheme};
use super::iteration::Iteration;
use super::operator::{Direct, IterationOperator, Placed, Shift};
use super::tuning::LINEAR_ACCURACY;
use crate::equations::Equations;
use crate::linear::LinearSolver;
use crate::state::State;
use holonom_dae::{Rejection, Weights};

/// Solves systems F(t, y, αy + β) = 0, one after the other.
pub struct PointSolver {
    operator: Direct,
    predicted: Vec<f64>,
    derivative_predicted: Vec<f64>,
    delta: Vec<f64>,
}

impl PointSolver {
    /// With the linearisations of this corrector, by this linear solver.
    pub fn new(corrector: &Corrector, solver: Box<dyn LinearSolver>) -> Self {
        let operator = Direct::new(corrector.linearisation(), solver);
        let n = corrector.linearisation().parts().f_y.n();
        Self {
            operator,
            predicted: vec![0.0; n],
            derivative_predicted: vec![0.0; n],
            delta: vec![0.0; n],
        }
    }

    /// Improves the predicted `y`, `yp` until they solve the system; `e` receives y minus its
    /// prediction. On a rejection `y` and `yp` hold the last iterate.
    pub fn solve(
        &mut self,
        corrector: &mut Corrector,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: CorrectorStep,
        (y, yp, e): (&mut [f64], &mut [f64], &mut [f64]),
    ) -> Result<(), Rejection> {
        let mut point = Point {
            t: step.t,
            y,
            yp,
            e,
            room: self,
        };
        corrector.solve(equations, weights, step, &mut point)
    }

    /// What later solves depend on, besides the corrector.
    pub fn checkpoint(&self) -> (State, bool) {
        self.operator.checkpoint()
    }

    /// Takes back what [`checkpoint`](Self::checkpoint) gave, after the corrector has.
    pub fn restore(&mut self, state: &(State, bool), corrector: &Corrector) {
        let alpha = corrector.operator_alpha();
        self.operator.restore(state, corrector.linearisation(), alpha);
    }
}

/// F(t, y, αy + β) = 0, from a prediction.
struct Point<'a> {
    t: f64,
    y: &'a mut [f64],
    yp: &'a mut [f64],
    /// y minus its prediction.
    e: &'a mut [f64],
    room: &'a mut PointSolver,
}

impl Placed for Point<'_> {
    fn place(&self) -> (f64, &[f64], &[f64]) {
        (self.t, self.y, self.yp)
    }

    fn operator(&mut self) -> &mut dyn IterationOperator {
        &mut self.room.operator
    }
}

impl Scheme for Point<'_> {
    const NEEDS_MATCH: bool = false;

    fn work(&self) -> f64 {
        1.0
    }

    fn begin(
        &mut self,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        step: &CorrectorStep,
    ) -> Result<(), Rejection> {
        c.look(equations, (step.t, self.y, self.yp))?;
        c.predict_residual();
        self.room.predicted.copy_from_slice(self.y);
        self.room.derivative_predicted.copy_from_slice(self.yp);
        Ok(())
    }

    fn residual_for_jacobian(
        &mut self,
        _: &mut Corrector,
        _: &mut Equations<'_>,
        _: &CorrectorStep,
    ) -> Result<(), Rejection> {
        // It is that of the prediction.
        Ok(())
    }

    fn shift(&self, step: &CorrectorStep) -> Shift<'static> {
        Shift {
            alpha: step.alpha,
            h: step.h,
            pairs: &[],
        }
    }

    fn iterate(
        &mut self,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection> {
        // The factor c of Arnold (18) for a matrix made for another α [Burrage et al. 1980].
        let factor = 2.0 / (1.0 + step.alpha / c.operator_alpha());
        let mut newton = *c.newton();
        let rule = newton.rule;
        let mut corrections = Correction {
            point: self,
            c,
            equations,
            weights,
            step,
            factor,
            corrections: 0,
        };
        let done = newton.run(&rule, &mut corrections);
        c.set_newton(newton);
        done
    }

    fn respect_bounds(
        &mut self,
        c: &mut Corrector,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let Self { y, yp, e, .. } = self;
        c.within_bounds(weights, y, |y, i, d| {
            y[i] += d;
            e[i] += d;
            yp[i] += step.alpha * d;
        })
    }

    fn rewind(&mut self, c: &mut Corrector) {
        self.y.copy_from_slice(&self.room.predicted);
        self.yp.copy_from_slice(&self.room.derivative_predicted);
        c.rewind_residual();
    }
}

/// Corrections of a point.
struct Correction<'a, 'p, 'e> {
    point: &'a mut Point<'p>,
    c: &'a mut Corrector,
    equations: &'a mut Equations<'e>,
    weights: &'a Weights,
    step: &'a CorrectorStep,
    factor: f64,
    corrections: u32,
}

impl Iteration for Correction<'_, '_, '_> {
    fn correct(&mut self) -> Result<f64, Rejection> {
        let Self {
            point, c, equations, ..
        } = self;
        if self.corrections > 0 {
            c.look(equations, (self.step.t, point.y, point.yp))?;
        }
        let PointSolver { operator, delta, .. } = &mut *point.room;
        delta.copy_from_slice(c.last_residual());
        c.carry(delta);
        let scaling = &c.linearisation().scaling;
        if scaling.is_used() {
            for (d, s) in delta.iter_mut().zip(&scaling.scales().rows) {
                *d *= s * self.factor;
            }
        } else {
            for d in &mut *delta {
                *d *= self.factor;
            }
        }
        let solved = operator.solve(delta, LINEAR_ACCURACY);
        equations.counters.solves += 1;
        equations.counters.newton_iterations += 1;
        match solved {
            Ok(solved) => equations.counters.krylov_iterations += u64::from(solved.iterations),
            Err(stalled) => {
                equations.counters.krylov_iterations += u64::from(stalled.iterations);
                c.solver_stalled();
                return Err(Rejection::SlowConvergence);
            }
        }
        self.corrections += 1;
        if scaling.is_used() {
            for (d, s) in delta.iter_mut().zip(&scaling.scales().columns) {
                *d *= s;
            }
        }
        if self.corrections == 1 {
            for (e, d) in point.e.iter_mut().zip(&*delta) {
                *e = -d;
            }
        } else {
            for (e, d) in point.e.iter_mut().zip(&*delta) {
                *e -= d;
            }
        }
        let alpha = self.step.alpha;
        for ((y, yp), d) in point.y.iter_mut().zip(point.yp.iter_mut()).zip(&*delta) {
            *y -= d;
            *yp -= alpha * d;
        }
        Ok(self.weights.norm(delta))
    }

    fn rounding(&self) -> f64 {
        100.0 * f64::EPSILON * self.weights.norm(&self.point.room.predicted)
    }

    fn is_amplified_rounding(&mut self, _: f64, share: f64) -> bool {
        let small = share.max(self.c.amplified_rounding(self.weights));
        self.weights.graded_norm(&self.point.room.delta) <= small
    }
}
