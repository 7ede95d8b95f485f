//! What is known at one position: derivatives, motions that the constraints allow, unbalanced forces.

use super::{OpenDirection, Stability, StaticsError, Unbalanced};
use crate::AnalysisError;
use crate::dense::{Lu, Matrix, Svd, dot, eigen, largest};
use crate::displacement_names;
use crate::modes::echelon;
use crate::order::places;
use crate::tangent::{Equation, Sizes, State, Tangent};
use holonom_multibody::Model;
use std::cmp::Reverse;

/// Singular values of the scaled tangent below this part of the largest count as zero.
const INDETERMINATE: f64 = 1e-11;

/// What is known at one position.
#[derive(Clone)]
pub(super) struct Local {
    pub state: State,
    pub tangent: Tangent,
    pub weight: Vec<f64>,
    /// Displacements that keep the constraints on positions, divided by √M_ii.
    pub free: Matrix,
    /// Those that keep the constraints on velocities as well.
    pub rolling: Matrix,
    /// Unbalanced forces divided by √M_ii, then rates of states.
    pub rest: Vec<f64>,
    /// Length of it.
    pub length: f64,
    /// Size of what adds up to it.
    pub size: f64,
    /// States that keep what motion leaves in them, with their change by displacements.
    pub kept: Vec<(usize, Vec<f64>)>,
}

impl Local {
    /// The tangent of all unknowns, scaled, with the scales of its columns: displacements, multipliers,
    /// states.
    fn scaled_tangent(&self, equation: &Equation) -> (Matrix, Vec<f64>) {
        let Sizes {
            v: n, x: n_x, rows, ..
        } = equation.sizes;
        let (states, rates) = (&self.tangent.states, &self.tangent.rates);
        let row = |i: usize| self.weight.get(i).copied().unwrap_or(1.0);
        let k =
            Matrix::from_fn(n + n_x, n, |i, j| states[(i, j)] / row(i) / self.weight[j]).times(&self.free);
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
    pub fn newton_step(&self, equation: &Equation) -> (Vec<f64>, Vec<f64>) {
        let (a, scale) = self.scaled_tangent(equation);
        let svd = Svd::new(&a);
        let right: Vec<f64> = self.rest.iter().map(|r| -r).collect();
        let w = svd.least_squares(&right, INDETERMINATE * svd.values.first().copied().unwrap_or(0.0));
        let w: Vec<f64> = w.iter().zip(&scale).map(|(w, s)| w / s).collect();
        let n_free = self.free.columns();
        let step = self.free.times_vector(&w[..n_free]);
        let step = step.iter().zip(&self.weight).map(|(s, w)| s / w).collect();
        (step, w[n_free + equation.sizes.rows..].to_vec())
    }

    /// Tangent stiffness along the motions that the constraints allow, then states.
    pub fn stiffness(&self) -> Matrix {
        let n = self.weight.len();
        let n_x = self.rest.len() - n;
        let states = &self.tangent.states;
        let row = |i: usize| self.weight.get(i).copied().unwrap_or(1.0);
        let column = |j: usize| if j < n { j } else { n + j };
        let all = Matrix::from_fn(n + n_x, n + n_x, |i, j| states[(i, column(j))] / row(i) / row(j));
        let mut basis = Matrix::zeros(n + n_x, self.rolling.columns() + n_x);
        basis.put(0, 0, &self.rolling);
        basis.put(n, self.rolling.columns(), &Matrix::identity(n_x));
        basis.transpose().times(&all.times(&basis))
    }

    /// An implicit step of pseudo-time, and the work of the present forces along it, negated.
    pub fn relaxation_step(&self, stiffness: &Matrix, sigma: f64) -> (Vec<f64>, Vec<f64>, f64) {
        let (n, m) = (self.weight.len(), self.rolling.columns());
        let mut a = stiffness.clone();
        for i in 0..a.rows() {
            a[(i, i)] += sigma;
        }
        let mut w: Vec<f64> = self.rolling.transpose_times_vector(&self.rest[..n]);
        w.extend(&self.rest[n..]);
        let force = w.clone();
        w.iter_mut().for_each(|x| *x = -*x);
        Lu::new(a).solve(&mut w);
        let slope = dot(&force[..m], &w[..m]);
        let step = self.rolling.times_vector(&w[..m]);
        let step = step.iter().zip(&self.weight).map(|(s, w)| s / w).collect();
        (step, w[m..].to_vec(), slope)
    }

    /// Work of the forces at another position along a step from here, negated.
    pub fn work(&self, other: &Self, step: &[f64]) -> f64 {
        (0..step.len())
            .map(|i| other.rest[i] * other.weight[i] * step[i])
            .sum()
    }

    pub fn stability(&self) -> Result<Stability, StaticsError> {
        let stiffness = self.stiffness();
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
    pub fn growing(&self) -> Result<Option<Vec<f64>>, StaticsError> {
        let stiffness = self.stiffness();
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
        let step: Vec<f64> = step.iter().zip(&self.weight).map(|(s, w)| s / w).collect();
        let longest = largest(&step);
        Ok((longest > 0.0 && longest.is_finite()).then(|| step.iter().map(|s| s / longest).collect()))
    }

    pub fn open(&self, equation: &Equation) -> Vec<OpenDirection> {
        let (a, scale) = self.scaled_tangent(equation);
        let svd = Svd::new(&a);
        let null = svd.null_space(INDETERMINATE * svd.values.first().copied().unwrap_or(0.0));
        let n_free = self.free.columns();
        let shift = |j: usize| -> Vec<f64> {
            let w: Vec<f64> = (0..n_free).map(|i| null[(i, j)] / scale[i]).collect();
            let s = self.free.times_vector(&w);
            s.iter().zip(&self.weight).map(|(s, w)| s / w).collect()
        };
        // Multipliers alone are no displacement.
        let moving = Matrix::from_fn(n_free, null.columns(), |i, j| null[(i, j)]);
        let turned = Svd::new(&moving);
        let count = turned.rank(1e-6);
        let basis: Vec<Vec<f64>> = (0..count)
            .map(|k| {
                let mut s = vec![0.0; self.weight.len()];
                for j in 0..null.columns() {
                    for (s, x) in s.iter_mut().zip(shift(j)) {
                        *s += turned.right[(j, k)] * x;
                    }
                }
                s
            })
            .collect();
        let names = displacement_names(&equation.model);
        let direction = |s: &Vec<f64>| {
            let places = places(&s.iter().map(|x| x.abs()).collect::<Vec<_>>());
            let mut order: Vec<usize> = (0..s.len()).filter(|&i| s[i] != 0.0).collect();
            order.sort_by_key(|&i| Reverse(places[i]));
            let coordinates = order.iter().map(|&i| (names[i].clone(), s[i])).collect();
            OpenDirection { coordinates }
        };
        echelon(&basis, &self.weight).iter().map(direction).collect()
    }

    pub fn worst(&self, model: &Model) -> Vec<Unbalanced> {
        let mut order: Vec<usize> = (0..self.weight.len()).collect();
        order.sort_by(|&a, &b| self.rest[b].abs().total_cmp(&self.rest[a].abs()));
        let most = order.first().map_or(0.0, |&i| self.rest[i].abs());
        let names = displacement_names(model);
        let force = |&i: &usize| Unbalanced {
            name: names[i].clone(),
            force: -self.rest[i] * self.weight[i],
        };
        order
            .iter()
            .filter(|&&i| self.rest[i].abs() > 1e-3 * most)
            .take(3)
            .map(force)
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

/// States whose rates vanish with the velocity, wherever they and the positions are, with ∂ẋ/∂v.
pub(super) fn kept(tangent: &Tangent, n: usize, n_x: usize) -> Vec<(usize, Vec<f64>)> {
    let keeps = |k: &usize| {
        let row = n + k;
        let still = |j: usize| tangent.states[(row, j)] == 0.0;
        tangent.rest[row] == 0.0 && (0..n).all(still) && (2 * n..2 * n + n_x).all(still)
    };
    let change = |k: usize| {
        let rate = tangent.rates[(n + k, n + k)];
        (0..n).map(|j| -tangent.states[(n + k, n + j)] / rate).collect()
    };
    (0..n_x).filter(keeps).map(|k| (k, change(k))).collect()
}

/// Carries kept states along with displacements: the tangent of forces then has their stiffness, and
/// their own rows say that nothing else changes them.
pub(super) fn carry(tangent: &mut Tangent, n: usize, kept: &[(usize, Vec<f64>)]) {
    let rows = tangent.states.rows();
    for (k, change) in kept {
        for i in 0..rows {
            let stiffness = tangent.states[(i, 2 * n + k)];
            for (j, c) in change.iter().enumerate() {
                tangent.states[(i, j)] += stiffness * c;
            }
            tangent.states[(i, 2 * n + k)] = 0.0;
        }
        tangent.states[(n + k, 2 * n + k)] = 1.0;
    }
}
