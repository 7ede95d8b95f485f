//! Small mechanisms: dense matrices, all ranks from singular values.

use super::local::{INDETERMINATE, Local, NewtonStep, length};
use super::search::DEPENDENT;
use super::{Stability, StaticsError};
use crate::AnalysisError;
use crate::dense::{Lu, Matrix, Svd, dot, eigen, largest};
use crate::reduced::{constraint_matrix, scaled_rows};
use crate::tangent::{Equation, Sizes, Tangent};

/// Derivatives and motions that the constraints allow.
#[derive(Clone)]
pub(super) struct Dense {
    tangent: Tangent,
    /// Displacements that keep the constraints on positions, divided by √M_ii.
    free: Matrix,
    /// Those that keep the constraints on velocities as well.
    rolling: Matrix,
}

impl Dense {
    pub fn new(tangent: Tangent, equation: &Equation, weight: &[f64]) -> Self {
        let g = constraint_matrix(&tangent, equation.sizes);
        let scaled = scaled_rows(&g, weight);
        let all: Vec<usize> = (0..weight.len()).collect();
        Self {
            free: Svd::new(&scaled.part(&equation.holonomic, &all)).null_space(DEPENDENT),
            rolling: Svd::new(&scaled).null_space(DEPENDENT),
            tangent,
        }
    }

    /// The tangent of all unknowns, scaled, with the scales of its columns: displacements, multipliers,
    /// states.
    fn scaled_tangent(&self, local: &Local, equation: &Equation) -> (Matrix, Vec<f64>) {
        let Sizes {
            v: n, x: n_x, rows, ..
        } = equation.sizes;
        let (states, rates) = (&self.tangent.states, &self.tangent.rates);
        let row = |i: usize| local.weight.get(i).copied().unwrap_or(1.0);
        let k =
            Matrix::from_fn(n + n_x, n, |i, j| states[(i, j)] / row(i) / local.weight[j]).times(&self.free);
        let size = k.norm() / (k.columns().max(1) as f64).sqrt();
        let size = if size > 0.0 { size } else { 1.0 };
        let n_free = self.free.columns();
        let mut all = Matrix::zeros(n + n_x, n_free + rows + n_x);
        let mut scale = vec![size; n_free];
        all.put(0, 0, &k);
        let lambda = Matrix::from_fn(n + n_x, rows, |i, j| rates[(i, n + n_x + j)] / row(i));
        all.put(0, n_free, &lambda);
        let own = Matrix::from_fn(n + n_x, n_x, |i, j| states[(i, 2 * n + j)] / row(i));
        all.put(0, n_free + rows, &own);
        for j in n_free..all.columns() {
            let length = dot(all.column(j), all.column(j)).sqrt();
            scale.push(if length > 0.0 { length } else { 1.0 });
        }
        for (j, s) in scale.iter().enumerate() {
            all.column_mut(j).iter_mut().for_each(|x| *x /= s);
        }
        (all, scale)
    }

    /// The shortest Newton step: displacements, then states.
    pub fn newton_step(&self, local: &Local, equation: &Equation) -> NewtonStep {
        let (a, scale) = self.scaled_tangent(local, equation);
        let svd = Svd::new(&a);
        let right: Vec<f64> = local.rest.iter().map(|r| -r).collect();
        let w = svd.least_squares(&right, INDETERMINATE * svd.values.first().copied().unwrap_or(0.0));
        let rest: Vec<f64> = a
            .times_vector(&w)
            .iter()
            .zip(&right)
            .map(|(a, b)| a - b)
            .collect();
        let w: Vec<f64> = w.iter().zip(&scale).map(|(w, s)| w / s).collect();
        let n_free = self.free.columns();
        let step = self.free.times_vector(&w[..n_free]);
        NewtonStep {
            displacement: step.iter().zip(&local.weight).map(|(s, w)| s / w).collect(),
            states: w[n_free + equation.sizes.rows..].to_vec(),
            remainder: length(&rest),
            // Directions that nothing resists are not in the shortest step.
            resisted: 1.0,
        }
    }

    /// Tangent stiffness along the motions that the constraints allow, then states.
    pub fn stiffness(&self, local: &Local) -> Matrix {
        let n = local.weight.len();
        let n_x = local.rest.len() - n;
        let states = &self.tangent.states;
        let row = |i: usize| local.weight.get(i).copied().unwrap_or(1.0);
        let column = |j: usize| if j < n { j } else { n + j };
        let all = Matrix::from_fn(n + n_x, n + n_x, |i, j| states[(i, column(j))] / row(i) / row(j));
        let mut basis = Matrix::zeros(n + n_x, self.rolling.columns() + n_x);
        basis.put(0, 0, &self.rolling);
        basis.put(n, self.rolling.columns(), &Matrix::identity(n_x));
        basis.transpose().times(&all.times(&basis))
    }

    /// An implicit step of pseudo-time, and the work of the present forces along it, negated.
    pub fn relaxation_step(
        &self,
        local: &Local,
        stiffness: &Matrix,
        sigma: f64,
    ) -> (Vec<f64>, Vec<f64>, f64) {
        let (n, m) = (local.weight.len(), self.rolling.columns());
        let mut a = stiffness.clone();
        for i in 0..a.rows() {
            a[(i, i)] += sigma;
        }
        let mut w: Vec<f64> = self.rolling.transpose_times_vector(&local.rest[..n]);
        w.extend(&local.rest[n..]);
        let force = w.clone();
        w.iter_mut().for_each(|x| *x = -*x);
        Lu::new(a).solve(&mut w);
        let slope = dot(&force[..m], &w[..m]);
        let step = self.rolling.times_vector(&w[..m]);
        let step = step.iter().zip(&local.weight).map(|(s, w)| s / w).collect();
        (step, w[m..].to_vec(), slope)
    }

    pub fn stability(&self, local: &Local) -> Result<Stability, StaticsError> {
        let stiffness = self.stiffness(local);
        let m = self.rolling.columns();
        let part: Vec<usize> = (0..m).collect();
        // States of elements follow: their part is eliminated.
        let reduced = condensed(&stiffness, m).unwrap_or_else(|| stiffness.part(&part, &part));
        let found = eigen(&reduced, &vec![1.0; m], INDETERMINATE).map_err(AnalysisError::from)?;
        let unstable = found.values.iter().filter(|x| x.re < 0.0).count();
        Ok(Stability {
            unstable,
            neutral: found.zeros,
            stable: m - unstable - found.zeros,
        })
    }

    /// The displacement that grows most from an unstable position, its largest entry 1.
    pub fn growing(&self, local: &Local) -> Result<Option<Vec<f64>>, StaticsError> {
        let stiffness = self.stiffness(local);
        let m = self.rolling.columns();
        let part: Vec<usize> = (0..m).collect();
        let reduced = condensed(&stiffness, m).unwrap_or_else(|| stiffness.part(&part, &part));
        let found = eigen(&reduced, &vec![1.0; m], INDETERMINATE).map_err(AnalysisError::from)?;
        let worst = (found.values.iter().zip(&found.vectors))
            .filter(|(value, _)| value.re < 0.0)
            .min_by(|(a, _), (b, _)| a.re.total_cmp(&b.re));
        let Some((_, vector)) = worst else {
            return Ok(None);
        };
        let real: Vec<f64> = vector.iter().map(|x| x.re).collect();
        let step = self.rolling.times_vector(&real);
        let step: Vec<f64> = step.iter().zip(&local.weight).map(|(s, w)| s / w).collect();
        let longest = largest(&step);
        Ok((longest > 0.0 && longest.is_finite()).then(|| step.iter().map(|s| s / longest).collect()))
    }

    /// A basis of the displacements that nothing resists.
    pub fn open(&self, local: &Local, equation: &Equation) -> Vec<Vec<f64>> {
        let (a, scale) = self.scaled_tangent(local, equation);
        let svd = Svd::new(&a);
        let null = svd.null_space(INDETERMINATE * svd.values.first().copied().unwrap_or(0.0));
        let n_free = self.free.columns();
        let shift = |j: usize| -> Vec<f64> {
            let w: Vec<f64> = (0..n_free).map(|i| null[(i, j)] / scale[i]).collect();
            let s = self.free.times_vector(&w);
            s.iter().zip(&local.weight).map(|(s, w)| s / w).collect()
        };
        // Multipliers alone are no displacement.
        let moving = Matrix::from_fn(n_free, null.columns(), |i, j| null[(i, j)]);
        let turned = Svd::new(&moving);
        let count = turned.rank(1e-6);
        (0..count)
            .map(|k| {
                let mut s = vec![0.0; local.weight.len()];
                for j in 0..null.columns() {
                    for (s, x) in s.iter_mut().zip(shift(j)) {
                        *s += turned.right[(j, k)] * x;
                    }
                }
                s
            })
            .collect()
    }
}

/// The first m rows and columns with the others eliminated; none where they cannot be.
fn condensed(a: &Matrix, m: usize) -> Option<Matrix> {
    let (first, rest): (Vec<usize>, Vec<usize>) = ((0..m).collect(), (m..a.rows()).collect());
    if rest.is_empty() {
        return None;
    }
    let lu = Lu::new(a.part(&rest, &rest));
    if lu.smallest_pivot() < 1e-12 {
        return None;
    }
    let solved = a
        .part(&first, &rest)
        .times(&lu.solve_matrix(a.part(&rest, &first)));
    let own = a.part(&first, &first);
    Some(Matrix::from_fn(m, m, |i, j| own[(i, j)] - solved[(i, j)]))
}
