//! [`Projection`]: the nearest state that satisfies the constraints.

use crate::linear::{LinearSolver, LuDense, Matrix};
use holonom_dae::{Mechanical, MechanicalLayout, Rejection};

/// Projections end when they move the state by no more than this, relative to its size.
const CONVERGED: f64 = 1e-14;
/// Corrections of a projection at most; it begins near the constraints, so that two or three are enough.
const MOST_CORRECTIONS: usize = 5;

/// Room to bring positions and velocities to the constraints. Allocates when made, not afterwards.
pub(in crate::stepper) struct Projection {
    g: Vec<f64>,
    mass: Vec<f64>,
    matrix: Vec<f64>,
    saddle: Matrix,
    lu: LuDense,
    right: Vec<f64>,
    moved: Vec<f64>,
    /// Positions to go back to.
    before: Vec<f64>,
}

impl Projection {
    pub fn new(mechanical: &mut dyn Mechanical) -> Self {
        let (n_q, n, m) = (mechanical.n_q(), mechanical.n_v(), mechanical.n_g());
        let size = if m > 0 { n + m } else { 0 };
        Self {
            g: vec![0.0; m],
            mass: vec![0.0; if m > 0 { n * n } else { 0 }],
            matrix: vec![0.0; m * n],
            saddle: Matrix::dense(size),
            lu: LuDense::new(size),
            right: vec![0.0; size],
            moved: vec![0.0; n_q],
            before: vec![0.0; n_q],
        }
    }

    /// q and then v to the nearest point, measured by M, where g = 0 and G v + g_t = 0.
    pub fn project(
        &mut self,
        mechanical: &mut dyn Mechanical,
        l: &MechanicalLayout,
        t: f64,
        y: &mut [f64],
    ) -> Result<(), Rejection> {
        mechanical.normalise(&mut y[l.q.clone()]);
        if self.g.is_empty() {
            return Ok(());
        }
        self.factorise(mechanical, t, &y[l.q.clone()])?;
        self.positions(mechanical, t, &mut y[l.q.clone()])?;
        let (q, v) = y.split_at_mut(l.v.start);
        self.velocities(mechanical, t, &q[l.q.clone()], &mut v[..l.v.len()])
    }

    /// The matrix of both projections at q, near where they end: the iterations converge fast.
    pub fn factorise(&mut self, mechanical: &mut dyn Mechanical, t: f64, q: &[f64]) -> Result<(), Rejection> {
        let (m, n) = (self.g.len(), self.right.len() - self.g.len());
        mechanical.mass(t, q, &mut self.mass)?;
        mechanical.constraint_matrix(t, q, &mut self.matrix)?;
        let values = self.saddle.values_mut();
        values.fill(0.0);
        for j in 0..n {
            let column = &mut values[j * (n + m)..(j + 1) * (n + m)];
            column[..n].copy_from_slice(&self.mass[j * n..(j + 1) * n]);
            column[n..].copy_from_slice(&self.matrix[j * m..(j + 1) * m]);
        }
        for i in 0..m {
            let column = &mut values[(n + i) * (n + m)..(n + i + 1) * (n + m)];
            for j in 0..n {
                column[j] = self.matrix[i + j * m];
            }
            if !mechanical.takes_part(i) {
                column[n + i] = 1.0;
            }
        }
        // At a singular position there is no nearest point; a step of another size ends beside it.
        self.lu
            .factorise(&self.saddle)
            .map(|_| ())
            .map_err(|_| Rejection::Divergence)
    }

    /// q to g = 0, with the matrix [factorised](Self::factorise) last; where that fails it stays what it is.
    pub fn positions(
        &mut self,
        mechanical: &mut dyn Mechanical,
        t: f64,
        q: &mut [f64],
    ) -> Result<(), Rejection> {
        let n = self.right.len() - self.g.len();
        self.before.copy_from_slice(q);
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            mechanical.constraint(t, q, &mut self.g)?;
            self.right[..n].fill(0.0);
            self.right[n..].copy_from_slice(&self.g);
            self.lu.solve(&mut self.right);
            mechanical.velocity_map(q, &self.right[..n], &mut self.moved);
            for (q, d) in q.iter_mut().zip(&self.moved) {
                *q -= d;
            }
            mechanical.normalise(q);
            last = largest(&self.moved) / largest(q).max(1.0);
            if last <= CONVERGED {
                break;
            }
        }
        // Who ends this far from the constraints began too far away.
        if last.is_nan() || last > CONVERGED.sqrt() {
            q.copy_from_slice(&self.before);
            return Err(Rejection::Divergence);
        }
        Ok(())
    }

    /// Takes out of changes of velocities what lies across the constraints, with the matrix [factorised](Self::factorise)
    /// last.
    pub fn tangential(&mut self, mechanical: &mut dyn Mechanical, v: &mut [f64]) -> Result<(), Rejection> {
        let (m, n) = (self.g.len(), self.right.len() - self.g.len());
        self.g.fill(0.0);
        for (v, column) in v.iter().zip(self.matrix.chunks_exact(m)) {
            for (g, a) in self.g.iter_mut().zip(column) {
                *g += a * v;
            }
        }
        self.right[..n].fill(0.0);
        for (i, (right, g)) in self.right[n..].iter_mut().zip(&self.g).enumerate() {
            *right = if mechanical.takes_part(i) { *g } else { 0.0 };
        }
        self.lu.solve(&mut self.right);
        for (v, d) in v.iter_mut().zip(&self.right[..n]) {
            *v -= d;
        }
        match v.iter().all(|v| v.is_finite()) {
            true => Ok(()),
            false => Err(Rejection::Divergence),
        }
    }

    /// v to G v + g_t = 0 at q, with the matrix [factorised](Self::factorise) last.
    pub fn velocities(
        &mut self,
        mechanical: &mut dyn Mechanical,
        t: f64,
        q: &[f64],
        v: &mut [f64],
    ) -> Result<(), Rejection> {
        let (m, n) = (self.g.len(), self.right.len() - self.g.len());
        mechanical.constraint_matrix(t, q, &mut self.matrix)?;
        for _ in 0..MOST_CORRECTIONS {
            mechanical.constraint_rate(t, q, &mut self.g)?;
            for (v, column) in v.iter().zip(self.matrix.chunks_exact(m)) {
                for (g, a) in self.g.iter_mut().zip(column) {
                    *g += a * v;
                }
            }
            self.right[..n].fill(0.0);
            self.right[n..].copy_from_slice(&self.g);
            self.lu.solve(&mut self.right);
            for (v, d) in v.iter_mut().zip(&self.right[..n]) {
                *v -= d;
            }
            if largest(&self.right[..n]) <= CONVERGED * largest(v).max(1.0) {
                break;
            }
        }
        Ok(())
    }
}

/// The largest entry by size; nothing for entries that are no numbers.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}
