//! Mechanics: positions and velocities moved onto their constraints.

use super::{MAX_ITERATIONS, worst_row};
use crate::linear::{self, LinearSolver, Matrix};
use holonom_dae::{EquationLevel, InputError, Mechanical, MechanicalLayout, Structure};

/// Projection of a mechanical system onto its constraints.
pub(super) struct Projection {
    n_v: usize,
    n_g: usize,
    kkt: Matrix,
    solver: Box<dyn LinearSolver>,
    rhs: Vec<f64>,
}

impl Projection {
    pub(super) fn new(mechanical: &dyn Mechanical) -> Self {
        let (n_v, n_g) = (mechanical.n_v(), mechanical.n_g());
        // Without constraints nothing is projected.
        let n = if n_g > 0 { n_v + n_g } else { 0 };
        Self {
            n_v,
            n_g,
            kkt: Matrix::dense(n),
            solver: linear::direct(n, false),
            rhs: vec![0.0; n],
        }
    }

    /// Positions, velocities, then accelerations and multipliers.
    pub(super) fn project(
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
        if !layout.x.is_empty() {
            mechanical.set_states(&y[layout.x.clone()]);
        }
        if !layout.readings.is_empty() {
            mechanical.set_readings(&y[layout.readings.clone()]);
        }
        mechanical.normalise(&mut q);
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
        if !layout.x.is_empty() {
            let rates = &mut yp[layout.x.clone()];
            mechanical.state_rates(t, &q, &v, &lambda, rates).map_err(|_| {
                let level = EquationLevel::Differential;
                self.error(
                    structure,
                    "rates of element states",
                    level,
                    0,
                    f64::NAN,
                    iterations,
                )
            })?;
        }
        y[layout.q.clone()].copy_from_slice(&q);
        y[layout.v.clone()].copy_from_slice(&v);
        yp[layout.q.clone()].copy_from_slice(&qp);
        yp[layout.v.clone()].copy_from_slice(&a);
        if layout.lambda.len() == self.n_g {
            y[layout.lambda.clone()].copy_from_slice(&lambda);
            yp[layout.lambda.clone()].fill(0.0);
        }
        if !layout.readings.is_empty() {
            mechanical.readings(&mut y[layout.readings.clone()]);
            yp[layout.readings.clone()].fill(0.0);
        }
        for range in [&layout.eta, &layout.sigma] {
            y[range.clone()].fill(0.0);
            yp[range.clone()].fill(0.0);
        }
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
            remedy: "the constraints cannot be satisfied from here, or are redundant: correct the initial \
            values or the geometry",
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
        // A row that takes no part is zero: its multiplier is then zero as well.
        for i in (0..n_g).filter(|&i| !mechanical.takes_part(i)) {
            k[(n_v + i) * n + n_v + i] = 1.0;
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
                let mut trial: Vec<f64> = q.iter().zip(&qx).map(|(q, x)| q + factor * x).collect();
                mechanical.normalise(&mut trial);
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
