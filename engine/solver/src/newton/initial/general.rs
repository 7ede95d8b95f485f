//! Index 1 in general: derivatives and algebraic variables from the linearised equations.

use super::{MAX_ITERATIONS, evaluate, is_explicit, probe_derivative_form, worst_row};
use crate::equations::{Equations, Purpose};
use crate::jacobian::{self, JacobianPoint, SplitJacobian};
use crate::linear::{self, LinearSolver, Matrix};
use crate::options::{Options, Start};
use holonom_dae::{InputError, Rejection, Structure, Weights};

/// Index 1 in general.
pub(super) struct General<'a> {
    pub(super) structure: &'a Structure,
    pub(super) options: &'a Options,
    pub(super) weights: &'a Weights,
    pub(super) span: f64,
}

impl General<'_> {
    pub(super) fn solve(
        &self,
        equations: &mut Equations<'_>,
        mode: Start,
        t: f64,
        y: &mut [f64],
        yp: &mut [f64],
        r: &mut [f64],
    ) -> Result<usize, InputError> {
        let n = y.len();
        // An explicit ODE: the derivative is there for the taking.
        if is_explicit(self.structure) {
            for i in 0..n {
                yp[i] -= r[i];
            }
            // Were the form as declared, the residual would vanish now. It is looked at next to
            // ẏ, not at ẏ: a derivative that was right when given says nothing about the form.
            match probe_derivative_form(equations, self.structure, t, y, yp, &vec![0.0; n])? {
                Some(probed) => r.copy_from_slice(&probed),
                None => evaluate(equations, self.structure, t, y, yp, r)?,
            }
            return Ok(1);
        }
        let h = self.small_step(t, yp);
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
        // The matrix of a backward Euler step of vanishing size.
        let alpha = 1.0 / h;
        let mut j = split.f_y.clone();
        j.combine(alpha, &split.f_yp, &split.f_y);
        let mut solver = self.solver(n, sparse);
        if let Err(singular) = solver.factorise(&j) {
            return Err(self.singular(singular, r));
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
        let mut values_found = false;
        self.micro_steps(equations, solver.as_mut(), t, y, yp, r, h, &mut values_found)
            .map_err(|error| match error {
                InputError::NoConsistentStart {
                    equation,
                    residual,
                    iterations,
                    ..
                } if values_found => InputError::NoConsistentStart {
                    stage: "derivatives",
                    equation,
                    residual,
                    iterations,
                    remedy: "consistent values were found, but no matching derivatives: the index may be \
                    higher than declared; declare it, and give values that also satisfy the hidden \
                    constraints",
                },
                other => other,
            })
    }

    /// Backward Euler steps of vanishing size h, for ∂F/∂ẏ singular and not diagonal.
    ///
    /// With E := ∂F/∂ẏ, sought are y on the algebraic equations with E (y − y₀) = 0, and ẏ that
    /// satisfies the equations and stays on the algebraic ones. In turns,
    ///
    /// 1. F(t, y, ẏ + (y − y₀)/h) = 0 is solved for y. With ẏ = 0 this is a backward Euler step:
    ///    E y drifts by h E ẏ. With ẏ from the second stage the drift is taken back but for
    ///    O(h²), then O(h³), and so on.
    /// 2. F(t + h, y + hẏ, ẏ) = 0 is solved for ẏ: the step from y, whose end satisfies the
    ///    algebraic equations at t + h, so that ẏ satisfies their time derivative. What its end
    ///    differs from its start is then taken out: F(t, y, ẏ) = 0.
    ///
    /// h need not go to the limit of rounding for this, which would spoil the algebraic part.
    /// `values_found` is set when the first stage succeeds: a failure later on is one of ẏ.
    fn micro_steps(
        &self,
        equations: &mut Equations<'_>,
        solver: &mut dyn LinearSolver,
        t: f64,
        y: &mut [f64],
        yp: &mut [f64],
        r: &mut [f64],
        mut h: f64,
        values_found: &mut bool,
    ) -> Result<usize, InputError> {
        /// Turns of the two stages; two suffice unless E depends on y.
        const TURNS: usize = 5;
        let n = y.len();
        let y0 = y.to_vec();
        let mut iterations = 0;
        yp.fill(0.0);
        for turn in 0..TURNS {
            if turn > 0 {
                h = self.small_step(t, yp).min(h);
                self.renew(equations, solver, t, y, yp, r, h)?;
            }
            let alpha = 1.0 / h;
            let before = y.to_vec();
            let mut rate: Vec<f64> = (0..n).map(|i| yp[i] + (y[i] - y0[i]) * alpha).collect();
            evaluate(equations, self.structure, t, y, &rate, r)?;
            iterations += self.iterate(equations, solver, t, y, &mut rate, r, |_| false, alpha)?;
            *values_found = true;
            if turn == 0 {
                self.renew(equations, solver, t, y, yp, r, h)?;
            }
            let mut end: Vec<f64> = (0..n).map(|i| y[i] + h * yp[i]).collect();
            evaluate(equations, self.structure, t + h, &end, yp, r)?;
            iterations += self.iterate(equations, solver, t + h, &mut end, yp, r, |_| false, alpha)?;
            self.polish(equations, solver, t, y, yp, r, alpha)?;
            let moved: Vec<f64> = (0..n).map(|i| y[i] - before[i]).collect();
            if turn > 0 && self.weights.norm(&moved) <= 1e-8 {
                break;
            }
        }
        // Measured by what it would move in a step of this size.
        let mut d = r.to_vec();
        solver.solve(&mut d);
        if self.weights.norm(&d) > 1e-3 {
            let row = worst_row(r);
            return Err(InputError::NoConsistentStart {
                stage: "derivatives",
                equation: self.structure.equations[row].name.clone(),
                residual: r[row],
                iterations,
                remedy: "the derivatives do not converge",
            });
        }
        Ok(iterations)
    }

    /// Corrects ẏ at fixed y until F(t, y, ẏ) falls no further. (α ∂F/∂ẏ + ∂F/∂y)⁻¹ as
    /// approximate inverse of α ∂F/∂ẏ leaves the derivative of the algebraic equations alone.
    fn polish(
        &self,
        equations: &mut Equations<'_>,
        solver: &mut dyn LinearSolver,
        t: f64,
        y: &[f64],
        yp: &mut [f64],
        r: &mut [f64],
        alpha: f64,
    ) -> Result<(), InputError> {
        evaluate(equations, self.structure, t, y, yp, r)?;
        let mut d = r.to_vec();
        solver.solve(&mut d);
        for _ in 0..4 {
            let trial: Vec<f64> = yp.iter().zip(&d).map(|(yp, d)| yp - alpha * d).collect();
            let mut r_trial = vec![0.0; r.len()];
            if equations
                .residual(Purpose::Other, t, y, &trial, &mut r_trial)
                .is_err()
            {
                return Ok(());
            }
            let mut d_trial = r_trial.clone();
            solver.solve(&mut d_trial);
            if self.weights.norm(&d_trial) >= 0.5 * self.weights.norm(&d) {
                return Ok(());
            }
            yp.copy_from_slice(&trial);
            r.copy_from_slice(&r_trial);
            d = d_trial;
        }
        Ok(())
    }

    /// Factorises α ∂F/∂ẏ + ∂F/∂y with α = 1/h at (t, y, ẏ).
    fn renew(
        &self,
        equations: &mut Equations<'_>,
        solver: &mut dyn LinearSolver,
        t: f64,
        y: &[f64],
        yp: &[f64],
        r: &mut [f64],
        h: f64,
    ) -> Result<(), InputError> {
        evaluate(equations, self.structure, t, y, yp, r)?;
        let (split, _) = self.linearise(equations, t, y, yp, r, h)?;
        let mut j = split.f_y.clone();
        j.combine(1.0 / h, &split.f_yp, &split.f_y);
        solver
            .factorise(&j)
            .map(|_| ())
            .map_err(|singular| self.singular(singular, r))
    }

    /// A step along ẏ that moves nothing by more than a hundredth of its tolerance, and not so
    /// small that rounding would hide it.
    fn small_step(&self, t: f64, yp: &[f64]) -> f64 {
        let speed = self.weights.norm(yp);
        let mut h = 1e-6 * self.span;
        if speed * h > 1e-2 {
            h = (1e-2 / speed).max(1e-5 * h);
        }
        // t + h must differ from t by h.
        let spacing = f64::EPSILON * t.abs();
        if h < 1e6 * spacing {
            h = (t + h.max(16.0 * spacing)) - t;
        }
        h
    }

    /// A matrix that determines no derivatives and algebraic variables, as a message.
    fn singular(&self, singular: linear::Singular, r: &[f64]) -> InputError {
        let row = match singular {
            linear::Singular::Structural { row, .. }
            | linear::Singular::Numerical { row, .. }
            | linear::Singular::NonFinite { row, .. } => row,
        };
        InputError::NoConsistentStart {
            stage: "solution for derivatives and algebraic variables",
            equation: self.structure.equations[row].name.clone(),
            residual: r[row],
            iterations: 0,
            remedy: "it is redundant: look for a variable that no equation determines",
        }
    }

    fn solver(&self, n: usize, sparse: bool) -> Box<dyn LinearSolver> {
        linear::direct(n, sparse)
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
        let (entry, linear) = self.options.resolve(&*equations.system);
        let sparse = linear.sparse && self.structure.sparsity.is_some();
        let mut split = jacobian::allocate(self.structure, sparse, false);
        // One matrix is wanted, with nothing left out.
        let setup = jacobian::Setup {
            sparse,
            combined: false,
            sparsity: jacobian::Sparsity::Traced,
        };
        let mut engine = (entry.build)(self.structure, setup);
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
                remedy: "the residual is not finite near the initial values: move them into the domain of \
                the equations",
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
    /// y_i and, times `alpha`, to ẏ_i. `r` is the residual at the start of it.
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
        // Corrections of derivatives count by what they move over the interval.
        let size = |d: &[f64]| {
            let scaled: Vec<f64> = (0..n)
                .map(|i| if to_derivative(i) { d[i] * self.span } else { d[i] })
                .collect();
            self.weights.norm(&scaled)
        };
        let mut last = f64::INFINITY;
        for iteration in 1..=MAX_ITERATIONS {
            let mut d = r.to_vec();
            solver.solve(&mut d);
            let norm = size(&d);
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
                    size(&next) < norm * (1.0 - 0.1 * factor) || norm < 1e-3
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
                    return Err(InputError::NoConsistentStart {
                        stage: "derivatives and algebraic variables",
                        equation: self.structure.equations[row].name.clone(),
                        residual: r[row],
                        iterations: iteration,
                        remedy: "no values near the given ones satisfy it: correct the initial values",
                    });
                }
            }
            last = norm;
            // A matrix that converges slowly is renewed at the new point.
            if iteration % 4 == 0 {
                let h = if alpha == 0.0 {
                    self.small_step(t, yp)
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
