//! diffsol: variable-order BDF in Rust, dense matrices of nalgebra; explicit ODEs only.
//!
//! Products with the Jacobian are forward differences around a kept value of the right-hand side,
//! so a Jacobian costs n + 1 evaluations.

use crate::interface::{Counted, Run, Settings, cpu_time, split_outputs, targets};
use ::diffsol::{NalgebraLU, NalgebraMat, OdeBuilder, OdeEquations, OdeSolverMethod, Op};
use core::cell::RefCell;
use holonom_dae::problems::Problem;
use holonom_dae::{DerivativeForm, System};

/// The system with what differences need.
struct Right<'a> {
    counted: Counted<'a>,
    zero: Vec<f64>,
    moved: Vec<f64>,
    base: Vec<f64>,
    base_at: (f64, Vec<f64>),
}

impl Right<'_> {
    /// f := −F(t, y, 0); NaN where it cannot be evaluated.
    fn value(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        match self.counted.residual(t, y, &self.zero, f) {
            Ok(()) => f.iter_mut().for_each(|f| *f = -*f),
            Err(_) => f.fill(f64::NAN),
        }
    }

    /// out := (∂f/∂y) v.
    fn product(&mut self, t: f64, y: &[f64], v: &[f64], out: &mut [f64]) {
        if self.base_at.0 != t || self.base_at.1 != y {
            let mut base = core::mem::take(&mut self.base);
            self.value(t, y, &mut base);
            self.base = base;
            self.base_at.0 = t;
            self.base_at.1.clear();
            self.base_at.1.extend_from_slice(y);
        }
        // The increment is the root of the rounding unit of the variable that moves most.
        let size = y
            .iter()
            .zip(v)
            .map(|(y, v)| y.abs() * v.abs())
            .fold(0.0, f64::max);
        let length = v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let h = f64::EPSILON.sqrt() * (size / length).max(1e-5) / length;
        if !h.is_finite() {
            out.fill(0.0);
            return;
        }
        let mut moved = core::mem::take(&mut self.moved);
        for ((m, y), v) in moved.iter_mut().zip(y).zip(v) {
            *m = y + h * v;
        }
        self.value(t, &moved, out);
        self.moved = moved;
        for (o, b) in out.iter_mut().zip(&self.base) {
            *o = (*o - b) / h;
        }
    }
}

/// Integrates with diffsol's BDF.
pub fn integrate(system: &mut dyn System, problem: &Problem, settings: &Settings<'_>) -> Result<Run, String> {
    let structure = system.structure();
    if structure.derivative != DerivativeForm::Identity
        || structure.variables.iter().any(|v| !v.kind.is_differential())
    {
        return Err("only explicit ODEs ẏ = f(t, y) are given to diffsol".into());
    }
    let n = structure.dimension();
    let right = RefCell::new(Right {
        counted: Counted::new(system),
        zero: vec![0.0; n],
        moved: vec![0.0; n],
        base: vec![0.0; n],
        base_at: (f64::NAN, Vec::with_capacity(n)),
    });
    let targets = targets(problem, settings);
    let mut computed: Vec<Vec<f64>> = Vec::with_capacity(targets.len());

    let start = cpu_time();
    let equations = OdeBuilder::<NalgebraMat<f64>>::new()
        .t0(problem.t0)
        .rtol(settings.rtol)
        .atol([settings.atol])
        .rhs_implicit(
            |y: &[f64], _p: &[f64], t: f64, f: &mut [f64]| right.borrow_mut().value(t, y, f),
            |y: &[f64], _p: &[f64], t: f64, v: &[f64], out: &mut [f64]| {
                right.borrow_mut().product(t, y, v, out)
            },
        )
        .init(
            |_p: &[f64], _t: f64, y: &mut [f64]| y.copy_from_slice(&problem.y0),
            n,
        )
        .build()
        .map_err(|e| format!("diffsol refuses the problem: {e}"))?;
    let mut run = Run::default();
    let mut solver = equations
        .bdf::<NalgebraLU<f64>>()
        .map_err(|e| format!("diffsol refuses the problem: {e}"))?;
    'targets: for target in &targets {
        while solver.state().t < *target {
            let t = solver.state().t;
            if solver.get_statistics().number_of_steps as u64 >= settings.max_steps {
                run.failure = Some(format!(
                    "more than {} steps, given up at t = {t:.6e}",
                    settings.max_steps
                ));
                break 'targets;
            }
            if let Err(error) = solver.step() {
                run.failure = Some(format!("at t = {t:.6e}: {error}"));
                break 'targets;
            }
        }
        match solver.interpolate(*target) {
            Ok(y) => computed.push((0..n).map(|i| y[i]).collect()),
            Err(error) => {
                run.failure = Some(format!("output at t = {target:.6e}: {error}"));
                break;
            }
        }
    }
    run.cpu = cpu_time() - start;

    let statistics = solver.get_statistics();
    run.steps = statistics.number_of_steps as u64;
    run.error_failures = statistics.number_of_error_test_failures as u64;
    run.convergence_failures = statistics.number_of_nonlinear_solver_fails as u64;
    let calls = equations.eqn().rhs().statistics();
    run.residuals_own = calls.number_of_calls as u64;
    run.jacobians = calls.number_of_matrix_evals as u64;
    run.residuals = right.borrow().counted.calls;
    run.y = (0..n).map(|i| solver.state().y[i]).collect();
    split_outputs(computed, settings, &mut run);
    Ok(run)
}
