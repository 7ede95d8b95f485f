//! One step of the generalised-α method.

use super::options::Coefficients;
use crate::linear::BoundedSolver;
use holonom_dae::{
    Counters, ElementSet, EquationLevel, Mechanical, MechanicalLayout, Rejection, Structure, Weights,
};
use serde::{Deserialize, Serialize};

/// Iterations at most.
const ITERATIONS: u32 = 10;
/// Share of the tolerance that the iteration may leave.
const SHARE: f64 = 0.02;
/// Iterations that a step needs with matrices that fit. More of them are weighed against new matrices, whose
/// columns come eight at a time and cost about as much as an iteration each.
const USUAL: u32 = 2;

/// On what level a constraint is kept by its multiplier λ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Position,
    Velocity,
}

/// Where the method stands: t, y, ẏ are with the stepper.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Motion {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub x: Vec<f64>,
    /// v̇.
    pub w: Vec<f64>,
    /// The accelerations of the method: v̇ at t + (α_m − α_f) h.
    pub a: Vec<f64>,
    /// ẋ.
    pub s: Vec<f64>,
    pub lambda: Vec<f64>,
    pub eta: Vec<f64>,
}

impl Motion {
    pub fn new(mechanical: &dyn Mechanical) -> Self {
        let (q, v, x, g) = (
            mechanical.n_q(),
            mechanical.n_v(),
            mechanical.n_x(),
            mechanical.n_g(),
        );
        let zeros = |n| vec![0.0; n];
        Self {
            q: zeros(q),
            v: zeros(v),
            x: zeros(x),
            w: zeros(v),
            a: zeros(v),
            s: zeros(x),
            lambda: zeros(g),
            eta: zeros(g),
        }
    }

    pub fn copy_from(&mut self, other: &Self) {
        for (to, from) in [
            (&mut self.q, &other.q),
            (&mut self.v, &other.v),
            (&mut self.x, &other.x),
            (&mut self.w, &other.w),
            (&mut self.a, &other.a),
            (&mut self.s, &other.s),
            (&mut self.lambda, &other.lambda),
            (&mut self.eta, &other.eta),
        ] {
            to.copy_from_slice(from);
        }
    }
}

/// The matrices of the iteration with what they were made for; part of a checkpoint.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Matrices {
    mass: Vec<f64>,
    f_q: Vec<f64>,
    f_v: Vec<f64>,
    matrix: Vec<f64>,
    /// G at the beginning of the step they were factorised for; empty without η.
    #[serde(default)]
    matrix_from: Vec<f64>,
    /// ∂s/∂x, column by column.
    s_x: Vec<f64>,
    /// Step size they are factorised for; none where they have to be.
    h: Option<f64>,
    pub stale: bool,
    /// Iterations beyond the usual since they were evaluated.
    extra: u32,
    /// The rate of convergence seen with them.
    rate: f64,
}

/// The method for one system, with its memory.
pub(super) struct Method {
    pub c: Coefficients,
    kept: Vec<Kept>,
    /// Whether positions are kept by multipliers η besides.
    pub stabilised: bool,
    pub matrices: Matrices,
    /// Whether the factors belong to the matrices and their step size.
    factorised: bool,
    lu: BoundedSolver,
    schur: BoundedSolver,
    states: BoundedSolver,
    /// G at the beginning of the step: the direction of η.
    matrix_from: Vec<f64>,
    matrix: Vec<f64>,
    force: Vec<f64>,
    mass_times: Vec<f64>,
    rows: Vec<f64>,
    rate: Vec<f64>,
    g: Vec<f64>,
    right: Vec<f64>,
    delta_q: Vec<f64>,
    moved: Vec<f64>,
    rates: Vec<f64>,
    rates_plus: Vec<f64>,
    dx: Vec<f64>,
    increment: Vec<f64>,
}

impl Method {
    /// Allocates; `None` for a form of the equations that the method does not know.
    pub fn new(mechanical: &dyn Mechanical, structure: &Structure, c: Coefficients) -> Option<Self> {
        let (n_q, n, n_x, m) = (
            mechanical.n_q(),
            mechanical.n_v(),
            mechanical.n_x(),
            mechanical.n_g(),
        );
        let layout = structure.layout.as_ref()?;
        let stabilised = !layout.eta.is_empty();
        // Lengths of Euler parameters are kept by the way rotations are added, not by multipliers.
        let rows = structure.equations.iter().enumerate();
        let rows = rows.filter(|(i, _)| !layout.sigma.contains(i));
        let kept: Vec<Kept> = rows
            .filter_map(|(_, row)| match row.level {
                // With η the velocities are kept by λ, and all positions by η.
                EquationLevel::Position if !stabilised => Some(Kept::Position),
                EquationLevel::Velocity => Some(Kept::Velocity),
                _ => None,
            })
            .collect();
        if kept.len() != m || layout.lambda.len() != m {
            return None;
        }
        let zeros = |n: usize| vec![0.0; n];
        Some(Self {
            c,
            kept,
            stabilised,
            matrices: Matrices {
                mass: zeros(n * n),
                f_q: zeros(n * n),
                f_v: zeros(n * n),
                matrix: zeros(m * n),
                matrix_from: zeros(if stabilised { m * n } else { 0 }),
                s_x: zeros(n_x * n_x),
                h: None,
                stale: true,
                extra: 0,
                rate: 0.0,
            },
            factorised: false,
            lu: BoundedSolver::new(n + m),
            schur: BoundedSolver::new(if stabilised { m } else { 0 }),
            states: BoundedSolver::new(n_x),
            matrix_from: zeros(m * n),
            matrix: zeros(m * n),
            force: zeros(n),
            mass_times: zeros(n),
            rows: zeros(m),
            rate: zeros(m),
            g: zeros(m),
            right: zeros(n + m),
            delta_q: zeros(n),
            moved: zeros(n_q),
            rates: zeros(n_x),
            rates_plus: zeros(n_x),
            dx: zeros(n_x),
            increment: zeros(structure.dimension()),
        })
    }

    /// Whether multipliers λ keep positions.
    pub fn keeps_positions(&self) -> bool {
        self.kept.contains(&Kept::Position)
    }

    /// From `from` over h to `to`, which holds the prediction of v̇, x, λ and η.
    pub fn step(
        &mut self,
        mechanical: &mut dyn Mechanical,
        counters: &mut Counters,
        (layout, weights): (&MechanicalLayout, &Weights),
        (t, h): (f64, f64),
        from: &Motion,
        to: &mut Motion,
    ) -> Result<(), Rejection> {
        if self.stabilised {
            mechanical.constraint_matrix(t - h, &from.q, &mut self.matrix_from)?;
        }
        // What a matrix that was good enough for the last step cannot do, a new one can.
        loop {
            let fresh = self.matrices.stale;
            self.prepare(mechanical, counters, (t, h), from, to)?;
            let done = self.iterate(mechanical, counters, (layout, weights), (t, h), from, to);
            match done {
                Ok(iterations) => {
                    let k = &mut self.matrices;
                    k.extra += iterations.saturating_sub(USUAL);
                    k.stale = k.extra as usize > 2 + from.v.len() / 4;
                    return Ok(());
                }
                Err(Rejection::Divergence | Rejection::SlowConvergence) if !fresh => {
                    self.matrices.stale = true;
                    to.w.copy_from_slice(&from.w);
                    to.x.copy_from_slice(&from.x);
                    to.lambda.copy_from_slice(&from.lambda);
                    to.eta.fill(0.0);
                }
                Err(rejection) => {
                    self.matrices.stale = true;
                    return Err(rejection);
                }
            }
        }
    }

    /// Takes out of an error `e` of velocities what the next steps take out: components across the constraints, which λ
    /// corrects, and most of what belongs to stiff forces: (M − γ' f_v − β' f_q)⁻¹ M on the tangent space.
    pub fn filter(
        &mut self,
        mechanical: &mut dyn Mechanical,
        counters: &mut Counters,
        (t, q): (f64, &[f64]),
        e: &mut [f64],
    ) -> Result<(), Rejection> {
        let n = e.len();
        mechanical.apply_mass(t, q, e, &mut self.mass_times)?;
        self.right[..n].copy_from_slice(&self.mass_times);
        self.right[n..].fill(0.0);
        self.lu.solve(&mut self.right);
        counters.solves += 1;
        e.copy_from_slice(&self.right[..n]);
        if self.keeps_positions() {
            // Rounding of positions divided by h stands across the constraints. The factors are from another place, where that
            // is another direction: once more with what is left in this one.
            let m = self.rows.len();
            self.right[..n].fill(0.0);
            for i in 0..m {
                let left: f64 = (0..n).map(|j| self.matrix[i + j * m] * e[j]).sum();
                self.right[n + i] = if mechanical.takes_part(i) { -left } else { 0.0 };
            }
            self.lu.solve(&mut self.right);
            counters.solves += 1;
            for (e, d) in e.iter_mut().zip(&self.right) {
                *e += d;
            }
        }
        Ok(())
    }

    /// q and v at the end of the step from v̇, with η.
    fn place(&mut self, mechanical: &mut dyn Mechanical, h: f64, from: &Motion, to: &mut Motion) {
        let c = self.c;
        for i in 0..from.v.len() {
            let a0 = from.a[i];
            let a1 = c.a1(a0, from.w[i], to.w[i]);
            to.a[i] = a1;
            self.delta_q[i] = from.v[i] + h * ((0.5 - c.beta) * a0 + c.beta * a1);
            to.v[i] = from.v[i] + h * ((1.0 - c.gamma) * a0 + c.gamma * a1);
        }
        if self.stabilised {
            let m = to.eta.len();
            for (d, column) in self.delta_q.iter_mut().zip(self.matrix_from.chunks_exact(m)) {
                *d -= dot(column, &to.eta);
            }
        }
        mechanical.advance(&from.q, h, &self.delta_q, &mut to.q);
    }

    /// The matrices of the iteration, where they are stale, and their factors for this h.
    fn prepare(
        &mut self,
        mechanical: &mut dyn Mechanical,
        counters: &mut Counters,
        (t, h): (f64, f64),
        from: &Motion,
        to: &mut Motion,
    ) -> Result<(), Rejection> {
        let (n, m, n_x) = (from.v.len(), from.lambda.len(), from.x.len());
        if self.matrices.stale {
            self.place(mechanical, h, from, to);
            let k = &mut self.matrices;
            mechanical.set_states(&to.x);
            mechanical.mass(t, &to.q, &mut k.mass)?;
            mechanical.force_jacobians(
                t,
                &to.q,
                &to.v,
                &to.lambda,
                ElementSet::All,
                &mut k.f_q,
                &mut k.f_v,
            )?;
            if m > 0 {
                mechanical.constraint_matrix(t, &to.q, &mut k.matrix)?;
            }
            if n_x > 0 {
                mechanical.state_rates(t, &to.q, &to.v, &to.lambda, &mut self.rates)?;
                for j in 0..n_x {
                    let x = to.x[j];
                    let d = f64::EPSILON.sqrt() * x.abs().max(1e-3);
                    to.x[j] = x + d;
                    mechanical.set_states(&to.x);
                    mechanical.state_rates(t, &to.q, &to.v, &to.lambda, &mut self.rates_plus)?;
                    to.x[j] = x;
                    for i in 0..n_x {
                        k.s_x[i + j * n_x] = (self.rates_plus[i] - self.rates[i]) / d;
                    }
                    counters.residuals += 1;
                }
            }
            (k.stale, k.extra, k.rate) = (false, 0, 0.0);
            k.h = None;
            counters.jacobians += 1;
            counters.mass_evaluations += 1;
        }
        let k = &mut self.matrices;
        let known = k.h == Some(h);
        if known && self.factorised {
            return Ok(());
        }
        if !known && m > 0 {
            // G turns fastest and costs least.
            self.place(mechanical, h, from, to);
            mechanical.constraint_matrix(t, &to.q, &mut self.matrices.matrix)?;
        }
        let k = &mut self.matrices;
        if !known && self.stabilised {
            k.matrix_from.copy_from_slice(&self.matrix_from);
        }
        let (beta, gamma) = (
            h * h * self.c.beta * self.c.share(),
            h * self.c.gamma * self.c.share(),
        );
        let all = self.lu.matrix();
        all.fill(0.0);
        for j in 0..n {
            for i in 0..n {
                let at = i + j * n;
                all[i + j * (n + m)] = k.mass[at] - gamma * k.f_v[at] - beta * k.f_q[at];
            }
            for i in 0..m {
                let g = k.matrix[i + j * m];
                all[n + i + j * (n + m)] = g;
                all[j + (n + i) * (n + m)] = g;
            }
        }
        for i in (0..m).filter(|&i| !mechanical.takes_part(i)) {
            all[(n + i) * (n + m + 1)] = 1.0;
        }
        self.lu.factorise();
        if self.stabilised {
            let s = self.schur.matrix();
            for j in 0..m {
                for i in 0..m {
                    // The move is along G at the beginning of the step: past a singular position the two differ in sign.
                    s[i + j * m] = (0..n)
                        .map(|c| k.matrix[i + c * m] * k.matrix_from[j + c * m])
                        .sum();
                }
                if !mechanical.takes_part(j) {
                    s[j + j * m] = 1.0;
                }
            }
            self.schur.factorise();
        }
        if n_x > 0 {
            let s = self.states.matrix();
            for (s, slope) in s.iter_mut().zip(&k.s_x) {
                *s = -0.5 * h * slope;
            }
            (0..n_x).for_each(|i| s[i * (n_x + 1)] += 1.0);
            self.states.factorise();
        }
        k.h = Some(h);
        self.factorised = true;
        // Factors that a checkpoint does not keep were counted before.
        counters.factorisations += u64::from(!known);
        Ok(())
    }

    /// Simplified Newton iteration for (v̇, λ, η, x); gives the number of iterations.
    fn iterate(
        &mut self,
        mechanical: &mut dyn Mechanical,
        counters: &mut Counters,
        (layout, weights): (&MechanicalLayout, &Weights),
        (t, h): (f64, f64),
        from: &Motion,
        to: &mut Motion,
    ) -> Result<u32, Rejection> {
        let (n, m) = (from.v.len(), from.lambda.len());
        let (beta, gamma) = (
            h * h * self.c.beta * self.c.share(),
            h * self.c.gamma * self.c.share(),
        );
        let rounding = (64.0 * f64::EPSILON * weights.bound_of_solution()).clamp(1e-3 * SHARE, 0.3);
        let mut last = f64::INFINITY;
        for iteration in 0..ITERATIONS {
            self.place(mechanical, h, from, to);
            mechanical.set_states(&to.x);
            mechanical.force(t, &to.q, &to.v, &to.lambda, &mut self.force)?;
            mechanical.apply_mass(t, &to.q, &to.w, &mut self.mass_times)?;
            counters.residuals += 1;
            counters.residuals_corrector += 1;
            for i in 0..n {
                self.right[i] = self.force[i] - self.mass_times[i];
            }
            if m > 0 {
                mechanical.constraint_matrix(t, &to.q, &mut self.matrix)?;
                self.constraint_rows(mechanical, (t, beta, gamma), to)?;
                for (r, column) in self.right.iter_mut().zip(self.matrix.chunks_exact(m)) {
                    *r -= dot(column, &to.lambda);
                }
                self.right[n..].copy_from_slice(&self.rows);
            }
            if let Some(row) = crate::equations::first_non_finite(&self.right) {
                let unknown = if row < n {
                    layout.v.start + row
                } else {
                    layout.lambda.start + row - n
                };
                return Err(Rejection::NonFinite { row: unknown });
            }
            self.lu.solve(&mut self.right);
            counters.solves += 1;
            counters.newton_iterations += 1;
            if crate::equations::first_non_finite(&self.right).is_some() {
                return Err(Rejection::SingularMatrix {
                    row: layout.v.start,
                    column: layout.v.start,
                    structural: false,
                });
            }
            self.correct_states(mechanical, (t, h), from, to)?;

            let (dw, dl) = self.right.split_at(n);
            self.increment.fill(0.0);
            let d = &mut self.increment;
            for i in 0..n {
                to.w[i] += dw[i];
                d[layout.v.start + i] = gamma * dw[i];
                // Positions move by V(q) of this.
                self.delta_q[i] = beta * dw[i];
            }
            for (i, dl) in dl.iter().enumerate() {
                to.lambda[i] += dl;
                d[layout.lambda.start + i] = *dl;
            }
            if self.stabilised {
                // h G Gᵀ δη = g + β' G δv̇.
                for i in 0..m {
                    let along: f64 = (0..n).map(|j| self.matrix[i + j * m] * self.delta_q[j]).sum();
                    self.g[i] = (self.g[i] + along) / h;
                }
                self.schur.solve(&mut self.g);
                for i in 0..m {
                    to.eta[i] += self.g[i];
                }
                for (dq, column) in self.delta_q.iter_mut().zip(self.matrix_from.chunks_exact(m)) {
                    *dq -= h * dot(column, &self.g);
                }
            }
            mechanical.velocity_map(&to.q, &self.delta_q, &mut self.moved);
            d[layout.q.clone()].copy_from_slice(&self.moved);
            d[layout.x.clone()].copy_from_slice(&self.dx);
            let size = weights.norm(d);
            let mut rate = self.matrices.rate;
            if iteration > 0 {
                // Other parts of the solution may converge more slowly than what is seen first.
                rate = (size / last).max(rate * 0.5);
                self.matrices.rate = rate;
                // Rounding determines v̇ and λ up to ε/h and ε/h²; what counts with powers of h has converged.
                // Next to singular positions rounding is amplified: corrections go to and fro by a part of the share.
                if rate > 0.9 && weights.graded_norm(d) < rounding.max(0.5 * SHARE) {
                    self.place(mechanical, h, from, to);
                    return Ok(iteration + 1);
                }
                if rate > 2.0 {
                    return Err(Rejection::Divergence);
                }
            }
            let left = if iteration == 0 {
                size
            } else {
                size * rate / (1.0 - rate).max(1e-3)
            };
            // One more placement makes q, v and a those of the last increment.
            if left < SHARE || size < 1e-3 * SHARE {
                self.place(mechanical, h, from, to);
                return Ok(iteration + 1);
            }
            last = size;
        }
        Err(Rejection::SlowConvergence)
    }

    /// rows := what the constraints ask of δv̇, in G δv̇ = rows; g := g(t, q) for η.
    fn constraint_rows(
        &mut self,
        mechanical: &mut dyn Mechanical,
        (t, beta, gamma): (f64, f64, f64),
        to: &Motion,
    ) -> Result<(), Rejection> {
        let m = self.rows.len();
        if self.stabilised || self.kept.contains(&Kept::Position) {
            mechanical.constraint(t, &to.q, &mut self.g)?;
        }
        if self.kept.contains(&Kept::Velocity) {
            mechanical.constraint_rate(t, &to.q, &mut self.rate)?;
        }
        for i in 0..m {
            self.rows[i] = match self.kept[i] {
                Kept::Position => -self.g[i] / beta,
                Kept::Velocity => {
                    let velocity: f64 =
                        to.v.iter()
                            .enumerate()
                            .map(|(j, v)| self.matrix[i + j * m] * v)
                            .sum();
                    -(velocity + self.rate[i]) / gamma
                }
            };
            if !mechanical.takes_part(i) {
                self.rows[i] = -to.lambda[i];
            }
        }
        Ok(())
    }

    /// x of elements by the trapezoidal rule, a simplified Newton step behind the mechanics.
    fn correct_states(
        &mut self,
        mechanical: &mut dyn Mechanical,
        (t, h): (f64, f64),
        from: &Motion,
        to: &mut Motion,
    ) -> Result<(), Rejection> {
        if to.x.is_empty() {
            return Ok(());
        }
        mechanical.state_rates(t, &to.q, &to.v, &to.lambda, &mut to.s)?;
        for i in 0..to.x.len() {
            self.dx[i] = from.x[i] + 0.5 * h * (from.s[i] + to.s[i]) - to.x[i];
        }
        self.states.solve(&mut self.dx);
        for (x, d) in to.x.iter_mut().zip(&self.dx) {
            *x += d;
        }
        Ok(())
    }

    /// Takes back the matrices of a checkpoint; false when they do not fit.
    pub fn restore(&mut self, matrices: &Matrices) -> bool {
        let fits = matrices.mass.len() == self.matrices.mass.len()
            && matrices.matrix.len() == self.matrices.matrix.len()
            && matrices.matrix_from.len() == self.matrices.matrix_from.len()
            && matrices.s_x.len() == self.matrices.s_x.len();
        if fits {
            self.matrices = matrices.clone();
            self.factorised = false;
        }
        fits
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
