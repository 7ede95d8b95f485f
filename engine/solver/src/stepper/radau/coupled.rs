//! Newton's method for all stages together, with a Jacobian of its own for every stage.
//!
//! The usual iteration takes one Jacobian for the whole step. Where constraints lose rank that cannot
//! converge: let φ be the distance from the singular position and ψ the motion that is free there, so that
//! the constraint reads φψ = 0 with φ of either sign. With the matrix of a stage at φ_J the error in ψ at
//! stage i goes on with 1 − φ_i/φ_J, which is above 1 as soon as the singular position lies between the two,
//! however short the step. With the Jacobian of each stage it is zero. The price is a matrix of s times the
//! size, so this comes after the usual iteration has failed.

use super::MOST_NOISE;
use super::coefficients::Method;
use super::stages::{Outcome, Stages, combine};
use crate::equations::{Equations, Purpose};
use crate::jacobian::{JacobianPoint, SplitJacobian};
use crate::linear::{self, LinearSolver, Matrix};
use crate::newton::operator::IterationOperator;
use crate::newton::{Corrector, CorrectorStep, Iteration, NewtonOptions, RateMemory, Scales, Scheme};
use crate::refresh::Phase;
use holonom_dae::{DerivativeForm, Pattern, Rejection, Structure, Weights};

/// Corrections at most: from a usable prediction it takes three or four.
const MOST_CORRECTIONS: usize = 8;

/// The matrix of all stages, (A⁻¹)_ij ∂F_i/∂ẏ / h + δ_ij ∂F_i/∂y in row i and column j. There is none before
/// it is needed.
pub(super) struct Coupled {
    /// Where ∂F/∂ẏ may have entries, of a sparse Jacobian.
    derivative: Option<Pattern>,
    rooms: Vec<Room>,
    /// The one in use.
    used: usize,
}

/// The matrix and its solver, for a number of stages.
struct Room {
    stages: usize,
    matrix: Matrix,
    solver: Box<dyn LinearSolver>,
    b: Vec<f64>,
    /// Rounding in the residuals.
    noise: Vec<f64>,
}

impl Coupled {
    pub fn new(structure: &Structure, f_y: &Matrix) -> Self {
        Self {
            derivative: f_y.pattern().map(|pattern| derivative_places(structure, pattern)),
            rooms: Vec::new(),
            used: 0,
        }
    }

    /// Solves the system of the stages from their prediction, and leaves the parts of the Jacobian of the
    /// middle stage in the corrector.
    pub fn solve(
        &mut self,
        stages: &mut Stages<'_>,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let (n, s) = (stages.y0.len(), stages.method.s);
        let rule = NewtonOptions {
            max_iterations: MOST_CORRECTIONS,
            look_ahead: false,
            ..stages.newton
        };
        c.scale_for(stages.h);
        stages.outcome = Outcome::default();
        self.make_room(&c.linearisation().parts().f_y, n, s);
        if let Some(room) = self.rooms.get_mut(self.used) {
            // Pivots are chosen anew in every step: the results depend on this step alone.
            room.solver.forget();
        }
        let mut newton = *c.newton();
        let mut corrections = Correction {
            rounding: 100.0 * f64::EPSILON * weights.graded_norm(stages.y0),
            coupled: self,
            stages,
            c,
            equations,
            weights,
            step,
        };
        let done = newton.run(&rule, &mut corrections);
        c.set_newton(newton);
        done?;
        // The error estimate takes the usual operators.
        let shift = stages.shift(step);
        let made = (stages.blocks).refresh(c.linearisation(), shift, Phase::default(), equations.counters);
        made.map_err(|singular| singular.rejection(|i| i))?;
        c.has_made_operator(step.alpha);
        stages.respect_bounds(c, weights, step)
    }

    /// What rounding in the residuals does to the solution, in the norm of corrections, and not more than the
    /// error allowed leaves room for: a stage close to a singular position is known to few digits.
    fn rounding(&mut self, column_scale: &[f64], weights: &Weights) -> f64 {
        let Some(Room { solver, noise, .. }) = self.rooms.get_mut(self.used) else {
            return 0.0;
        };
        solver.solve(noise);
        let (n, all, mut sum) = (column_scale.len(), noise.len(), 0.0);
        for noise in noise.chunks_exact_mut(n) {
            for (x, scale) in noise.iter_mut().zip(column_scale) {
                *x *= scale;
            }
            let norm = weights.graded_norm(noise);
            sum += norm * norm;
        }
        (sum * n as f64 / all as f64).sqrt().min(MOST_NOISE)
    }

    /// The matrix, and minus the residuals, of all stages; the middle one comes last.
    fn form(
        &mut self,
        stages: &mut Stages<'_>,
        c: &mut Corrector,
        equations: &mut Equations<'_>,
        weights: &Weights,
        step: &CorrectorStep,
    ) -> Result<(), Rejection> {
        let (method, h) = (stages.method, stages.h);
        let (n, s) = (stages.y0.len(), method.s);
        let middle = s / 2;
        for k in 0..s {
            let i = (middle + 1 + k) % s;
            let room = &mut *stages.room;
            let z = &room.z[i * n..(i + 1) * n];
            for ((y, y0), z) in room.y.iter_mut().zip(stages.y0).zip(z) {
                *y = y0 + z;
            }
            combine(&method.a_inverse[i * s..(i + 1) * s], &room.z, &mut room.yp);
            room.yp.iter_mut().for_each(|x| *x /= h);
            let t = stages.t0 + method.c[i] * h;
            equations.residual(Purpose::Corrector, t, &room.y, &room.yp, &mut room.r)?;
            let at = JacobianPoint {
                t,
                y: &room.y,
                yp: &room.yp,
                residual: &room.r,
                alpha: step.alpha,
                h,
                weights,
            };
            c.evaluate_at(equations, &at)?;
            let row_scale = &c.linearisation().scaling.scales().rows;
            let Some(Room { b, noise, .. }) = self.rooms.get_mut(self.used) else {
                continue;
            };
            let b = &mut b[i * n..(i + 1) * n];
            for ((b, r), scale) in b.iter_mut().zip(&room.r).zip(row_scale) {
                *b = -r * scale;
            }
            let noise = &mut noise[i * n..(i + 1) * n];
            noise.fill(0.0);
            let SplitJacobian { f_y, f_yp, .. } = c.linearisation().parts();
            f_y.for_each(|i, j, v| noise[i] += (v * room.y[j]).abs());
            f_yp.for_each(|i, j, v| noise[i] += (v * room.yp[j]).abs());
            for (x, scale) in noise.iter_mut().zip(row_scale) {
                *x *= 2.0 * f64::EPSILON * scale;
            }
            self.store(method, i, h, c);
        }
        Ok(())
    }

    /// Puts the parts of the Jacobian of stage `i` into its rows of the matrix.
    fn store(&mut self, method: &Method, i: usize, h: f64, c: &Corrector) {
        let SplitJacobian { f_y, f_yp, .. } = c.linearisation().parts();
        let (n, s) = (f_y.n(), method.s);
        let Some(Room { matrix, .. }) = self.rooms.get_mut(self.used) else {
            return;
        };
        let Scales { rows, columns } = c.linearisation().scaling.scales();
        for (k, a) in method.a_inverse[i * s..(i + 1) * s].iter().enumerate() {
            let of_y = f64::from(u8::from(k == i));
            for j in 0..n {
                let part = f_yp.column_values(j).iter().zip(f_y.column_values(j));
                let values = part.map(|(m, y)| a / h * m + of_y * y);
                match matrix {
                    Matrix::Dense {
                        n: whole,
                        values: target,
                    } => {
                        let start = i * n + (k * n + j) * *whole;
                        for ((x, value), row) in target[start..].iter_mut().zip(values).zip(rows) {
                            *x = value * row * columns[j];
                        }
                    }
                    Matrix::Sparse {
                        pattern,
                        values: target,
                    } => {
                        let places = f_y.pattern().map_or(&[][..], |p| p.column(j));
                        for (value, &row) in values.zip(places) {
                            if let Some(p) = pattern.position(i * n + row, k * n + j) {
                                target[p] = value * rows[row] * columns[j];
                            }
                        }
                    }
                }
            }
        }
    }

    /// Makes room for so many stages; there is none before it is needed.
    fn make_room(&mut self, f_y: &Matrix, n: usize, s: usize) {
        let known = self.rooms.iter().position(|room| room.stages == s);
        self.used = known.unwrap_or(self.rooms.len());
        if known.is_none() {
            self.rooms.push(Room {
                stages: s,
                matrix: self.matrix(f_y, s),
                solver: linear::direct(n * s, self.derivative.is_some()),
                b: vec![0.0; n * s],
                noise: vec![0.0; n * s],
            });
        }
    }

    fn matrix(&self, f_y: &Matrix, s: usize) -> Matrix {
        let n = f_y.n();
        let Some((pattern, derivative)) = f_y.pattern().zip(self.derivative.as_ref()) else {
            return Matrix::dense(n * s);
        };
        let blocks = (0..s * s).map(|b| (b / s, b % s));
        let entries = blocks.flat_map(|(a, b)| {
            let part = if a == b { pattern } else { derivative };
            part.entries().map(move |(i, j)| (a * n + i, b * n + j))
        });
        Matrix::sparse(Pattern::from_entries(n * s, n * s, entries))
    }
}

/// Corrections of all stages, each with its Jacobian.
struct Correction<'a, 's, 'e> {
    coupled: &'a mut Coupled,
    stages: &'a mut Stages<'s>,
    c: &'a mut Corrector,
    equations: &'a mut Equations<'e>,
    weights: &'a Weights,
    step: &'a CorrectorStep,
    rounding: f64,
}

impl Iteration for Correction<'_, '_, '_> {
    fn correct(&mut self) -> Result<f64, Rejection> {
        let Self {
            coupled,
            stages,
            c,
            equations,
            weights,
            ..
        } = self;
        let (n, s) = (stages.y0.len(), stages.method.s);
        coupled.form(stages, c, equations, weights, self.step)?;
        let Some(Room {
            matrix, solver, b, ..
        }) = coupled.rooms.get_mut(coupled.used)
        else {
            return Err(Rejection::Divergence);
        };
        {
            equations.counters.factorisations += 1;
            let factorised = solver.factorise(matrix);
            factorised.map_err(|singular| singular.rejection(|i| i % n))?;
            solver.solve_refined(matrix, b);
        }
        equations.counters.solves += 1;
        equations.counters.newton_iterations += 1;
        let column_scale = &c.linearisation().scaling.scales().columns;
        let mut sum = 0.0;
        let z = stages.room.z[..n * s].chunks_exact_mut(n);
        for (z, b) in z.zip(b.chunks_exact_mut(n)) {
            for ((z, d), scale) in z.iter_mut().zip(b.iter_mut()).zip(column_scale) {
                *d *= scale;
                *z += *d;
            }
            let norm = weights.graded_norm(b);
            sum += norm * norm;
        }
        Ok((sum / s as f64).sqrt())
    }

    fn rounding(&self) -> f64 {
        self.rounding
    }

    fn judged(&mut self, corrections: u32, _: RateMemory) {
        self.stages.outcome.corrections = corrections;
    }

    fn is_amplified_rounding(&mut self, norm: f64, _: f64) -> bool {
        let columns = &self.c.linearisation().scaling.scales().columns;
        norm <= self.coupled.rounding(columns, self.weights)
    }
}

/// Places of ∂F/∂ẏ in the pattern of the Jacobian.
fn derivative_places(structure: &Structure, pattern: &Pattern) -> Pattern {
    let n = structure.dimension();
    match &structure.derivative {
        DerivativeForm::Identity => {
            let kinds = structure.variables.iter().enumerate();
            let differential = kinds.filter(|(_, v)| v.kind.is_differential());
            Pattern::from_entries(n, n, differential.map(|(i, _)| (i, i)))
        }
        DerivativeForm::Mass(mass) => (**mass).clone(),
        DerivativeForm::Constant(c) => Pattern::from_entries(n, n, c.iter().map(|(i, j, _)| (*i, *j))),
        DerivativeForm::Unknown => pattern.clone(),
    }
}
