//! Consistent start values.
//!
//! * **Mechanics** (index 1, 2, 3 and GGL): positions are projected onto g = 0, then velocities
//!   onto G v + g_t = 0, both moving the least in the mass metric; accelerations and
//!   multipliers follow from M v̇ + Gᵀλ = f, G v̇ + γ = 0.
//! * **Index 1**: differential variables stay, their derivatives and the algebraic variables
//!   are computed.
//! * **Index 1 with a singular, not diagonal ∂F/∂ẏ**: one backward Euler step of vanishing size
//!   at frozen time moves y onto the algebraic equations.

use crate::equations::{Equations, Purpose};
use crate::jacobian::{self, JacobianPoint, SplitJacobian};
use crate::linear::{self, LinearSolver, Matrix};
use crate::options::{Options, Start};
use holonom_dae::{
    DerivativeForm, EquationLevel, InputError, Mechanical, MechanicalLayout, Rejection, Structure, Weights,
};

/// A variable that was moved to make the start consistent.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Name of the variable.
    pub name: String,
    /// Value given.
    pub from: f64,
    /// Value used.
    pub to: f64,
}

/// What the consistent start did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartReport {
    /// Variables whose value moved by more than rounding, largest movement in tolerances first.
    pub moved: Vec<Moved>,
    /// The same for derivatives.
    pub moved_derivatives: Vec<Moved>,
    /// Iterations spent.
    pub iterations: usize,
    /// Largest residual at the end.
    pub residual: f64,
}

const MAX_ITERATIONS: usize = 50;

/// Makes (y, ẏ) consistent at `t`, or checks that it is, as `mode` demands.
pub fn make_consistent(
    equations: &mut Equations<'_>,
    options: &Options,
    mode: Start,
    t: f64,
    span: f64,
    y: &mut [f64],
    yp: &mut [f64],
) -> Result<StartReport, InputError> {
    let structure = equations.system.structure().clone();
    let n = structure.dimension();
    let mut weights = Weights::plain(options.tolerances.clone(), n);
    weights.update(y, 1.0);
    let given = (y.to_vec(), yp.to_vec());
    let mut r = vec![0.0; n];
    evaluate(equations, &structure, t, y, yp, &mut r)?;
    let residual_given = r.clone();

    let layout = structure.layout.clone();
    let iterations = match (equations.system.mechanical(), layout) {
        (Some(mechanical), Some(layout)) => {
            let moved = Projection::new(mechanical).project(mechanical, &structure, &layout, t, y, yp)?;
            evaluate(equations, &structure, t, y, yp, &mut r)?;
            moved
        }
        _ => General {
            structure: &structure,
            options,
            weights: &weights,
            span,
        }
        .solve(equations, mode, t, y, yp, &mut r)?,
    };

    let report = report(&structure, &weights, &given, (y, yp), iterations, &r);
    if mode == Start::Check {
        // Consistent means: what would have moved lies within the tolerance.
        let worst = (0..n)
            .map(|i| (i, (y[i] - given.0[i]).abs() * weights.reciprocal()[i]))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0, 0.0));
        if worst.1 > 1.0 {
            let row = worst_row(&residual_given);
            return Err(InputError::InconsistentStart {
                equation: structure.equations[row].name.clone(),
                residual: residual_given[row],
                variable: structure.variables[worst.0].name.clone(),
                moves: (y[worst.0] - given.0[worst.0]).abs(),
                times: worst.1,
            });
        }
        y.copy_from_slice(&given.0);
        // Derivatives given slightly wrong do no harm; wildly wrong ones mislead the predictor.
        return Ok(StartReport {
            moved: Vec::new(),
            ..report
        });
    }
    Ok(report)
}

/// The residual, with a rejection turned into a message.
fn evaluate(
    equations: &mut Equations<'_>,
    structure: &Structure,
    t: f64,
    y: &[f64],
    yp: &[f64],
    r: &mut [f64],
) -> Result<(), InputError> {
    equations.residual(Purpose::Other, t, y, yp, r).map_err(|rejection| {
        let row = match rejection {
            Rejection::NonFinite { row } => row,
            _ => 0,
        };
        InputError::NoConsistentStart {
            stage: "evaluation of the residual at the start",
            equation: structure.equations[row].name.clone(),
            residual: r[row],
            iterations: 0,
            remedy: "the residual is not finite there: check the start values and that row for a division by zero \
                     or the root of a negative number",
        }
    })
}

fn worst_row(r: &[f64]) -> usize {
    (0..r.len())
        .max_by(|a, b| r[*a].abs().total_cmp(&r[*b].abs()))
        .unwrap_or(0)
}

fn report(
    structure: &Structure,
    weights: &Weights,
    given: &(Vec<f64>, Vec<f64>),
    (y, yp): (&[f64], &[f64]),
    iterations: usize,
    r: &[f64],
) -> StartReport {
    let collect = |from: &[f64], to: &[f64], prefix: &str| {
        let mut moved: Vec<(f64, Moved)> = (0..from.len())
            .filter(|&i| (to[i] - from[i]).abs() > 1e-12 * (1.0 + from[i].abs()))
            .map(|i| {
                let name = format!("{prefix}{}", structure.variables[i].name);
                let size = (to[i] - from[i]).abs() * weights.reciprocal()[i];
                (
                    size,
                    Moved {
                        name,
                        from: from[i],
                        to: to[i],
                    },
                )
            })
            .collect();
        moved.sort_by(|a, b| b.0.total_cmp(&a.0));
        moved.into_iter().map(|(_, m)| m).collect()
    };
    StartReport {
        moved: collect(&given.0, y, ""),
        moved_derivatives: collect(&given.1, yp, "d/dt "),
        iterations,
        residual: r.iter().fold(0.0, |m, x| m.max(x.abs())),
    }
}

/// Index 1 in general.
struct General<'a> {
    structure: &'a Structure,
    options: &'a Options,
    weights: &'a Weights,
    span: f64,
}

impl General<'_> {
    fn solve(
        &self,
        equations: &mut Equations<'_>,
        mode: Start,
        t: f64,
        y: &mut [f64],
        yp: &mut [f64],
        r: &mut [f64],
    ) -> Result<usize, InputError> {
        let n = y.len();
        let differential: Vec<bool> = self
            .structure
            .variables
            .iter()
            .map(|v| v.kind.is_differential())
            .collect();
        // An explicit ODE: the derivative is there for the taking.
        if self.structure.derivative == DerivativeForm::Identity && differential.iter().all(|d| *d) {
            for i in 0..n {
                yp[i] -= r[i];
            }
            evaluate(equations, self.structure, t, y, yp, r)?;
            return Ok(1);
        }
        let h = self.small_step(yp);
        let (split, sparse) = self.linearise(equations, t, y, yp, r, h)?;
        let higher_index = self.structure.variables.iter().any(|v| v.index > 1);
        if !higher_index && mode == Start::Assemble {
            // Unknowns: derivatives of differential variables, values of the others.
            let by_derivative = columns_with_entries(&split.f_yp);
            let mut k = split.f_y.clone();
            replace_columns(&mut k, &split.f_yp, &by_derivative);
            let mut solver = self.solver(n, sparse);
            let regular =
                solver.factorise(&k).is_ok() && solver.reciprocal_condition(norm_1(&k)) > 1e3 * f64::EPSILON;
            if regular {
                return self.iterate(equations, solver.as_mut(), t, y, yp, r, |i| by_derivative[i], 0.0);
            }
        }
        // One backward Euler step of vanishing size at frozen time.
        let alpha = 1.0 / h;
        let mut j = split.f_y.clone();
        j.combine(alpha, &split.f_yp, &split.f_y);
        let mut solver = self.solver(n, sparse);
        if let Err(singular) = solver.factorise(&j) {
            let (row, _) = match singular {
                linear::Singular::Structural { row, column }
                | linear::Singular::Numerical { row, column }
                | linear::Singular::NonFinite { row, column } => (row, column),
            };
            return Err(InputError::NoConsistentStart {
                stage: "solution for derivatives and algebraic variables",
                equation: self.structure.equations[row].name.clone(),
                residual: r[row],
                iterations: 0,
                remedy: "it gives no new information about the unknowns: look for a variable that no equation determines",
            });
        }
        // Values that satisfy the equations already are left alone.
        let mut d = r.to_vec();
        solver.solve(&mut d);
        if !higher_index && self.weights.norm(&d) <= 1e-6 {
            return Ok(0);
        }
        if higher_index {
            // Hidden constraints are out of reach here: accept a good start, refuse a bad one.
            let worst = (0..n)
                .map(|i| (i, d[i].abs() * self.weights.reciprocal()[i]))
                .filter(|(i, _)| self.structure.variables[*i].index == 1)
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .unwrap_or((0, 0.0));
            if worst.1 > 1.0 {
                let row = worst_row(r);
                return Err(InputError::InconsistentStart {
                    equation: self.structure.equations[row].name.clone(),
                    residual: r[row],
                    variable: self.structure.variables[worst.0].name.clone(),
                    moves: d[worst.0].abs(),
                    times: worst.1,
                });
            }
            return Ok(0);
        }
        self.iterate(equations, solver.as_mut(), t, y, yp, r, |_| false, alpha)
    }

    /// A step along ẏ that moves nothing by more than a hundredth of its tolerance.
    fn small_step(&self, yp: &[f64]) -> f64 {
        let speed = self.weights.norm(yp);
        let h = 1e-6 * self.span;
        if speed * h > 1e-2 { 1e-2 / speed } else { h }
    }

    fn solver(&self, n: usize, sparse: bool) -> Box<dyn LinearSolver> {
        let name = if sparse { "lu-sparse" } else { "lu-dense" };
        linear::build(name, n, self.structure.sparsity.as_ref())
            .unwrap_or_else(|| (linear::REGISTRY[0].build)(n, None))
    }

    /// ∂F/∂y and ∂F/∂ẏ apart, also for systems of unknown form.
    fn linearise(
        &self,
        equations: &mut Equations<'_>,
        t: f64,
        y: &[f64],
        yp: &[f64],
        r: &[f64],
        h: f64,
    ) -> Result<(SplitJacobian, bool), InputError> {
        let (jacobian_name, linear_name) = self.options.resolve(self.structure);
        let sparse = linear_name == "lu-sparse";
        let mut split = jacobian::allocate(self.structure, sparse, false);
        let entry = jacobian::find(jacobian_name).unwrap_or(&jacobian::REGISTRY[0]);
        let mut engine = (entry.build)(self.structure, sparse, false);
        let mut at = JacobianPoint {
            t,
            y,
            yp,
            residual: r,
            alpha: 0.0,
            h,
            weights: self.weights,
        };
        let fail = |rejection: Rejection| {
            let row = match rejection {
                Rejection::NonFinite { row } => row,
                _ => 0,
            };
            InputError::NoConsistentStart {
                stage: "differences of the residual at the start",
                equation: self.structure.equations[row].name.clone(),
                residual: r[row],
                iterations: 0,
                remedy: "the residual is not finite next to the start values: move them into the domain",
            }
        };
        engine.evaluate(equations, &at, &mut split).map_err(fail)?;
        if !split.separated {
            // α = 0 gave ∂F/∂y; a second evaluation at α = 1/h gives ∂F/∂ẏ by subtraction.
            let f_y = split.f_y.clone();
            at.alpha = 1.0 / h;
            engine.evaluate(equations, &at, &mut split).map_err(fail)?;
            split.f_yp = split.f_y.clone();
            split.f_yp.add_scaled(-1.0, &f_y);
            let largest = split.f_yp.max_abs();
            for v in split.f_yp.values_mut() {
                // What rounding left of a zero is not an entry.
                *v = if v.abs() < 1e-6 * largest { 0.0 } else { *v * h };
            }
            split.f_y = f_y;
        }
        Ok((split, sparse))
    }

    /// Newton with a kept matrix: correction d goes to ẏ_i where `to_derivative(i)`, else to
    /// y_i and, times `alpha`, to ẏ_i.
    fn iterate(
        &self,
        equations: &mut Equations<'_>,
        solver: &mut dyn LinearSolver,
        t: f64,
        y: &mut [f64],
        yp: &mut [f64],
        r: &mut [f64],
        to_derivative: impl Fn(usize) -> bool,
        alpha: f64,
    ) -> Result<usize, InputError> {
        let n = y.len();
        let start = (y.to_vec(), yp.to_vec());
        // In a backward Euler step ẏ is (y − y₀)/h.
        if alpha != 0.0 {
            yp.fill(0.0);
            evaluate(equations, self.structure, t, y, yp, r)?;
        }
        let mut last = f64::INFINITY;
        for iteration in 1..=MAX_ITERATIONS {
            let mut d = r.to_vec();
            solver.solve(&mut d);
            let scaled: Vec<f64> = (0..n)
                .map(|i| if to_derivative(i) { d[i] * self.span } else { d[i] })
                .collect();
            let norm = self.weights.norm(&scaled);
            // Converged to rounding, or as far as rounding lets the residual fall.
            let floor = 1e-10;
            if norm <= floor || (norm < 1e-3 && norm >= 0.5 * last) {
                return Ok(iteration);
            }
            let mut factor = 1.0;
            loop {
                let (mut y_try, mut yp_try) = (y.to_vec(), yp.to_vec());
                for i in 0..n {
                    if to_derivative(i) {
                        yp_try[i] -= factor * d[i];
                    } else {
                        y_try[i] -= factor * d[i];
                        yp_try[i] -= factor * alpha * d[i];
                    }
                }
                let mut r_try = vec![0.0; n];
                let inside = equations
                    .residual(Purpose::Other, t, &y_try, &yp_try, &mut r_try)
                    .is_ok();
                let better = inside && {
                    let mut next = r_try.clone();
                    solver.solve(&mut next);
                    let scaled: Vec<f64> = (0..n)
                        .map(|i| {
                            if to_derivative(i) {
                                next[i] * self.span
                            } else {
                                next[i]
                            }
                        })
                        .collect();
                    self.weights.norm(&scaled) < norm * (1.0 - 0.1 * factor) || norm < 1e-3
                };
                if better {
                    y.copy_from_slice(&y_try);
                    yp.copy_from_slice(&yp_try);
                    r.copy_from_slice(&r_try);
                    break;
                }
                factor *= 0.5;
                if factor < 1e-4 {
                    let row = worst_row(r);
                    let error = InputError::NoConsistentStart {
                        stage: "derivatives and algebraic variables",
                        equation: self.structure.equations[row].name.clone(),
                        residual: r[row],
                        iterations: iteration,
                        remedy: "no start near the given one satisfies it: correct the given values",
                    };
                    y.copy_from_slice(&start.0);
                    yp.copy_from_slice(&start.1);
                    return Err(error);
                }
            }
            last = norm;
            // A matrix that converges slowly is renewed at the new point.
            if iteration % 4 == 0 {
                let h = if alpha == 0.0 {
                    self.small_step(yp)
                } else {
                    1.0 / alpha
                };
                let (split, _) = self.linearise(equations, t, y, yp, r, h)?;
                let mut k = split.f_y.clone();
                if alpha == 0.0 {
                    let by_derivative: Vec<bool> = (0..n).map(&to_derivative).collect();
                    replace_columns(&mut k, &split.f_yp, &by_derivative);
                } else {
                    k.combine(alpha, &split.f_yp, &split.f_y);
                }
                if solver.factorise(&k).is_err() {
                    break;
                }
            }
        }
        let row = worst_row(r);
        Err(InputError::NoConsistentStart {
            stage: "derivatives and algebraic variables",
            equation: self.structure.equations[row].name.clone(),
            residual: r[row],
            iterations: MAX_ITERATIONS,
            remedy: "the iteration does not converge: start closer to a solution",
        })
    }
}

/// Which columns have any entry.
fn columns_with_entries(m: &Matrix) -> Vec<bool> {
    match m {
        Matrix::Dense { n, values } => values.chunks(*n).map(|c| c.iter().any(|v| *v != 0.0)).collect(),
        Matrix::Sparse { pattern, values } => (0..pattern.n_columns())
            .map(|j| values[pattern.range(j)].iter().any(|v| *v != 0.0))
            .collect(),
    }
}

/// Takes the marked columns from `source`.
fn replace_columns(target: &mut Matrix, source: &Matrix, marked: &[bool]) {
    match (target, source) {
        (Matrix::Dense { n, values }, Matrix::Dense { values: from, .. }) => {
            for j in (0..*n).filter(|j| marked[*j]) {
                values[j * *n..(j + 1) * *n].copy_from_slice(&from[j * *n..(j + 1) * *n]);
            }
        }
        (Matrix::Sparse { pattern, values }, Matrix::Sparse { values: from, .. }) => {
            for j in (0..pattern.n_columns()).filter(|j| marked[*j]) {
                let range = pattern.range(j);
                values[range.clone()].copy_from_slice(&from[range]);
            }
        }
        _ => {}
    }
}

/// ‖A‖₁.
fn norm_1(m: &Matrix) -> f64 {
    let column = |c: &[f64]| c.iter().map(|v| v.abs()).sum::<f64>();
    match m {
        Matrix::Dense { n, values } => values.chunks(*n).map(column).fold(0.0, f64::max),
        Matrix::Sparse { pattern, values } => (0..pattern.n_columns())
            .map(|j| column(&values[pattern.range(j)]))
            .fold(0.0, f64::max),
    }
}

/// Projection of a mechanical system onto its constraints.
struct Projection {
    n_v: usize,
    n_g: usize,
    kkt: Matrix,
    solver: Box<dyn LinearSolver>,
    rhs: Vec<f64>,
}

impl Projection {
    fn new(mechanical: &dyn Mechanical) -> Self {
        let (n_v, n_g) = (mechanical.n_v(), mechanical.n_g());
        let n = n_v + n_g;
        Self {
            n_v,
            n_g,
            kkt: Matrix::dense(n),
            solver: linear::build("lu-dense", n, None)
                .unwrap_or_else(|| (linear::REGISTRY[0].build)(n, None)),
            rhs: vec![0.0; n],
        }
    }

    /// Positions, velocities, then accelerations and multipliers.
    fn project(
        &mut self,
        mechanical: &mut dyn Mechanical,
        structure: &Structure,
        layout: &MechanicalLayout,
        t: f64,
        y: &mut [f64],
        yp: &mut [f64],
    ) -> Result<usize, InputError> {
        let mut q = y[layout.q.clone()].to_vec();
        let mut v = y[layout.v.clone()].to_vec();
        let mut iterations = 0;
        if self.n_g > 0 {
            iterations = self.positions(mechanical, structure, t, &mut q)?;
            self.velocities(mechanical, structure, t, &q, &mut v)?;
        }
        let mut lambda = vec![0.0; self.n_g];
        if layout.lambda.len() == self.n_g {
            lambda.copy_from_slice(&y[layout.lambda.clone()]);
        }
        let mut a = vec![0.0; self.n_v];
        mechanical
            .accelerations(t, &q, &v, &mut lambda, &mut a)
            .map_err(|_| {
                self.error(
                    structure,
                    "accelerations and multipliers",
                    EquationLevel::Dynamic,
                    0,
                    f64::NAN,
                    iterations,
                )
            })?;
        let mut qp = vec![0.0; q.len()];
        mechanical.velocity_map(&q, &v, &mut qp);
        y[layout.q.clone()].copy_from_slice(&q);
        y[layout.v.clone()].copy_from_slice(&v);
        yp[layout.q.clone()].copy_from_slice(&qp);
        yp[layout.v.clone()].copy_from_slice(&a);
        if layout.lambda.len() == self.n_g {
            y[layout.lambda.clone()].copy_from_slice(&lambda);
            yp[layout.lambda.clone()].fill(0.0);
        }
        y[layout.eta.clone()].fill(0.0);
        yp[layout.eta.clone()].fill(0.0);
        Ok(iterations)
    }

    fn error(
        &self,
        structure: &Structure,
        stage: &'static str,
        level: EquationLevel,
        row: usize,
        residual: f64,
        iterations: usize,
    ) -> InputError {
        let of_level = |l: EquationLevel| {
            structure
                .equations
                .iter()
                .filter(move |e| e.level == l)
                .nth(row)
                .map(|e| e.name.clone())
        };
        let equation = of_level(level)
            .or_else(|| of_level(EquationLevel::Position))
            .or_else(|| of_level(EquationLevel::Velocity))
            .or_else(|| of_level(EquationLevel::Acceleration))
            .unwrap_or_else(|| format!("constraint {row}"));
        InputError::NoConsistentStart {
            stage,
            equation,
            residual,
            iterations,
            remedy: "the constraints cannot be met from here, or depend on each other: correct the start or the geometry",
        }
    }

    /// [M Gᵀ; G 0] at (t, q), factorised.
    fn factorise(&mut self, mechanical: &mut dyn Mechanical, t: f64, q: &[f64]) -> Result<(), usize> {
        let (n_v, n_g, n) = (self.n_v, self.n_g, self.n_v + self.n_g);
        let mut mass = vec![0.0; n_v * n_v];
        let mut g = vec![0.0; n_g * n_v];
        mechanical.mass(t, q, &mut mass).map_err(|_| 0usize)?;
        mechanical.constraint_matrix(t, q, &mut g).map_err(|_| 0usize)?;
        self.kkt.set_zero();
        let k = self.kkt.values_mut();
        for j in 0..n_v {
            k[j * n..j * n + n_v].copy_from_slice(&mass[j * n_v..(j + 1) * n_v]);
            for i in 0..n_g {
                k[j * n + n_v + i] = g[j * n_g + i];
                k[(n_v + i) * n + j] = g[j * n_g + i];
            }
        }
        self.solver.factorise(&self.kkt).map(|_| ()).map_err(|s| match s {
            linear::Singular::Structural { row, .. }
            | linear::Singular::Numerical { row, .. }
            | linear::Singular::NonFinite { row, .. } => row.saturating_sub(n_v),
        })
    }

    /// Smallest movement in the mass metric with G x = −residual.
    fn correction(&mut self, residual: &[f64]) -> &[f64] {
        self.rhs[..self.n_v].fill(0.0);
        for (r, g) in self.rhs[self.n_v..].iter_mut().zip(residual) {
            *r = -g;
        }
        self.solver.solve(&mut self.rhs);
        &self.rhs[..self.n_v]
    }

    fn positions(
        &mut self,
        mechanical: &mut dyn Mechanical,
        structure: &Structure,
        t: f64,
        q: &mut Vec<f64>,
    ) -> Result<usize, InputError> {
        let stage = "projection of the positions";
        let mut g = vec![0.0; self.n_g];
        let mut qx = vec![0.0; q.len()];
        let norm = |g: &[f64]| g.iter().map(|x| x * x).sum::<f64>().sqrt();
        let fail = |p: &Self, g: &[f64], iterations: usize| {
            let row = worst_row(g);
            p.error(structure, stage, EquationLevel::Position, row, g[row], iterations)
        };
        mechanical
            .constraint(t, q, &mut g)
            .map_err(|_| fail(self, &g, 0))?;
        let mut last = f64::INFINITY;
        for iteration in 0..MAX_ITERATIONS {
            let size = norm(&g);
            // As far down as rounding allows: the next correction no longer helps.
            if size == 0.0 || (size < 1e-10 && size >= 0.5 * last) {
                return Ok(iteration);
            }
            last = size;
            if let Err(row) = self.factorise(mechanical, t, q) {
                let row = row.min(self.n_g - 1);
                return Err(self.error(structure, stage, EquationLevel::Position, row, g[row], iteration));
            }
            let x = self.correction(&g).to_vec();
            mechanical.velocity_map(q, &x, &mut qx);
            let mut factor = 1.0;
            loop {
                let trial: Vec<f64> = q.iter().zip(&qx).map(|(q, x)| q + factor * x).collect();
                let inside = mechanical.constraint(t, &trial, &mut g).is_ok();
                if inside && (norm(&g) < size * (1.0 - 0.1 * factor) || size < 1e-10) {
                    *q = trial;
                    break;
                }
                factor *= 0.5;
                if factor < 1e-6 {
                    let _ = mechanical.constraint(t, q, &mut g);
                    return Err(fail(self, &g, iteration));
                }
            }
        }
        Err(fail(self, &g, MAX_ITERATIONS))
    }

    fn velocities(
        &mut self,
        mechanical: &mut dyn Mechanical,
        structure: &Structure,
        t: f64,
        q: &[f64],
        v: &mut [f64],
    ) -> Result<(), InputError> {
        let stage = "projection of the velocities";
        let (n_v, n_g) = (self.n_v, self.n_g);
        if let Err(row) = self.factorise(mechanical, t, q) {
            return Err(self.error(
                structure,
                stage,
                EquationLevel::Velocity,
                row.min(n_g - 1),
                f64::NAN,
                0,
            ));
        }
        let mut matrix = vec![0.0; n_g * n_v];
        let mut w = vec![0.0; n_g];
        // Twice: the second pass removes the rounding of the first.
        for _ in 0..2 {
            let evaluated = mechanical
                .constraint_matrix(t, q, &mut matrix)
                .and_then(|()| mechanical.constraint_rate(t, q, &mut w));
            if evaluated.is_err() {
                return Err(self.error(structure, stage, EquationLevel::Velocity, 0, f64::NAN, 0));
            }
            for j in 0..n_v {
                for i in 0..n_g {
                    w[i] += matrix[j * n_g + i] * v[j];
                }
            }
            for (v, x) in v.iter_mut().zip(self.correction(&w)) {
                *v += x;
            }
        }
        Ok(())
    }
}
