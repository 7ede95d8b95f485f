//! diffsol: methods in Rust for M ẏ = f(t, y) with a constant, perhaps singular M. BDF of variable order, the
//! diagonally implicit TR-BDF2 and ESDIRK34, and the explicit Tsitouras 4(5).
//!
//! Dense matrices of nalgebra; with faer's the same runs took 1.5 to 2.7 times as long (8 to 512 unknowns). Products with the
//! Jacobian are forward differences around a kept value of the right-hand side, so a Jacobian costs n + 1
//! evaluations. Differential–algebraic equations of index 1 only. Multipliers and lifted accelerations
//! are kept out of the error test by an absolute tolerance of 10⁶, as for DASSL; there is one norm here too.

use crate::interface::{Counted, Run, Settings, cpu_time, excluded, split_outputs, targets};
use crate::lifted::Lifted;
use crate::mass::{Mass, constant_mass};
use ::diffsol::{
    DiffsolError, NalgebraLU, NalgebraMat, OdeBuilder, OdeEquations, OdeSolverMethod, Op, Vector,
};
use core::cell::RefCell;
use holonom_dae::System;
use holonom_dae::problems::Problem;

/// Absolute tolerance that takes a variable out of every test.
const LOOSE: f64 = 1e6;

/// The methods there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Bdf,
    TrBdf2,
    Esdirk34,
    Tsit45,
}

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
pub fn integrate_bdf(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate(Method::Bdf, system, problem, settings)
}

/// Integrates with TR-BDF2, order 2.
pub fn integrate_tr_bdf2(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate(Method::TrBdf2, system, problem, settings)
}

/// Integrates with ESDIRK34, order 4.
pub fn integrate_esdirk34(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate(Method::Esdirk34, system, problem, settings)
}

/// Integrates with Tsitouras' explicit method of order 5.
pub fn integrate_tsit45(
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    integrate(Method::Tsit45, system, problem, settings)
}

/// Integrates; a mass matrix that depends on the state by way of more unknowns.
fn integrate(
    method: Method,
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    if system.structure().variables.iter().any(|v| v.index > 1) {
        return Err("diffsol takes equations of index 1 at most".into());
    }
    let mass = constant_mass(system, problem);
    if method == Method::Tsit45 && !matches!(mass, Ok(Mass::Identity)) {
        return Err("an explicit method takes explicit ODEs ẏ = f(t, y) alone".into());
    }
    match mass {
        Ok(mass) => {
            let left_out = excluded(system.structure());
            integrate_linear(method, &mass, &left_out, system, problem, settings)
        }
        Err(reason) => {
            let Some(mut lifted) = Lifted::new(system, problem) else {
                return Err(reason);
            };
            let problem = lifted.problem(problem);
            let mass = constant_mass(&mut lifted, &problem)?;
            // Accelerations are no unknowns of the other codes, and not judged.
            let mut left_out = excluded(lifted.structure());
            left_out
                .iter_mut()
                .zip(lifted.derivatives())
                .for_each(|(out, derivative)| *out |= derivative);
            let run = integrate_linear(method, &mass, &left_out, &mut lifted, &problem, settings)?;
            Ok(lifted.lower(run))
        }
    }
}

/// Chooses the method for equations that are set up, whose type depends on whether they have a mass matrix.
macro_rules! solve {
    ($equations:expr, $method:expr, $task:expr) => {{
        let equations = $equations.map_err(refusal)?;
        match $method {
            Method::Bdf => follow(equations.bdf::<NalgebraLU<f64>>(), $task),
            Method::TrBdf2 => follow(equations.tr_bdf2::<NalgebraLU<f64>>(), $task),
            Method::Esdirk34 => follow(equations.esdirk34::<NalgebraLU<f64>>(), $task),
            Method::Tsit45 => follow(equations.tsit45(), $task),
        }
    }};
}

fn refusal(error: DiffsolError) -> String {
    format!("diffsol refuses the problem: {error}")
}

/// What is to be done.
struct Task<'a> {
    problem: &'a Problem,
    settings: &'a Settings<'a>,
    right: &'a RefCell<Right<'a>>,
    start: f64,
}

/// Integrates M ẏ = f(t, y) with a constant M, some variables left out of all tests.
fn integrate_linear(
    method: Method,
    mass: &Mass,
    left_out: &[bool],
    system: &mut dyn System,
    problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    let n = system.structure().dimension();
    let atol: Vec<f64> = left_out
        .iter()
        .map(|out| if *out { LOOSE } else { settings.atol })
        .collect();
    let right = RefCell::new(Right {
        counted: Counted::new(system, settings.limit),
        zero: vec![0.0; n],
        moved: vec![0.0; n],
        base: vec![0.0; n],
        base_at: (f64::NAN, Vec::with_capacity(n)),
    });
    let task = &Task {
        problem,
        settings,
        right: &right,
        start: cpu_time(),
    };
    let builder = OdeBuilder::<NalgebraMat<f64>>::new()
        .t0(problem.t0)
        .rtol(settings.rtol)
        .atol(atol)
        .rhs_implicit(
            |y: &[f64], _p: &[f64], t: f64, f: &mut [f64]| right.borrow_mut().value(t, y, f),
            |y: &[f64], _p: &[f64], t: f64, v: &[f64], out: &mut [f64]| {
                right.borrow_mut().product(t, y, v, out)
            },
        )
        .init(
            |_p: &[f64], _t: f64, y: &mut [f64]| y.copy_from_slice(&problem.y0),
            n,
        );
    // y := M v + β y.
    let product = |v: &[f64], _p: &[f64], _t: f64, beta: f64, y: &mut [f64]| {
        y.iter_mut().for_each(|y| *y *= beta);
        match mass {
            Mass::Identity => y.iter_mut().zip(v).for_each(|(y, v)| *y += v),
            Mass::Diagonal(m) => (0..n).for_each(|i| y[i] += m[i] * v[i]),
            Mass::Full(m) => {
                for j in (0..n).filter(|j| v[*j] != 0.0) {
                    (0..n).for_each(|i| y[i] += m[i + n * j] * v[j]);
                }
            }
        }
    };
    match mass {
        Mass::Identity => solve!(builder.build(), method, task),
        _ => solve!(builder.mass(product).build(), method, task),
    }
}

/// Goes from target to target.
fn follow<'a, Eqn, S>(solver: Result<S, DiffsolError>, task: &Task<'_>) -> Result<Run, String>
where
    Eqn: OdeEquations<T = f64> + 'a,
    S: OdeSolverMethod<'a, Eqn>,
{
    let settings = task.settings;
    let mut solver = solver.map_err(refusal)?;
    let mut run = Run::default();
    let targets = targets(task.problem, settings);
    let mut computed: Vec<Vec<f64>> = Vec::with_capacity(targets.len());
    let expired = || task.right.borrow().counted.expired;
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
            if expired() {
                break 'targets;
            }
        }
        match solver.interpolate(*target) {
            Ok(y) => computed.push(y.clone_as_vec()),
            Err(error) => {
                run.failure = Some(format!("output at t = {target:.6e}: {error}"));
                break;
            }
        }
    }
    run.cpu = cpu_time() - task.start;

    let statistics = solver.get_statistics();
    run.steps = statistics.number_of_steps as u64;
    run.error_failures = statistics.number_of_error_test_failures as u64;
    run.convergence_failures = statistics.number_of_nonlinear_solver_fails as u64;
    let calls = solver.problem().eqn().rhs().statistics();
    run.residuals_own = calls.number_of_calls as u64;
    run.jacobians = calls.number_of_matrix_evals as u64;
    run.residuals = task.right.borrow().counted.calls;
    run.y = solver.state().y.clone_as_vec();
    split_outputs(computed, settings, &mut run);
    if expired() {
        run.cut(settings.limit);
    }
    Ok(run)
}
