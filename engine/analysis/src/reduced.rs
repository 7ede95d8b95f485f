//! Linear equations of motion without constraints: in independent coordinates.
//!
//! Some coordinates are chosen as independent, by pivoting, so that the others follow from the
//! constraints: δs_d = −G_d⁻¹ G_i δs_i. With T from the independent to all displacements, velocities and
//! states, and L that picks the independent ones, the full linear equations δẇ = 𝒜 δw become
//! ż = L 𝒜 T z. Since L is constant and L T = I, this holds along motions as well, where T changes
//! with time: L Ṫ = 0. The geometric stiffness −∂(Gᵀλ)/∂q and the change of the constraints along the
//! motion are in 𝒜, which comes from the constraints on accelerations.

use crate::AnalysisError;
use crate::dense::{Lu, Matrix, independent_columns};
use crate::tangent::{Equation, Sizes, State, Tangent};

/// Columns of G with less than this part of the longest left count as dependent.
const DEPENDENT: f64 = 1e-9;

/// ż = A z, with what belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Reduced {
    pub a: Matrix,
    /// Coordinates whose displacements are states.
    pub positions: Vec<usize>,
    /// Coordinates whose velocities are states.
    pub velocities: Vec<usize>,
    /// From z to all of (s, v, x).
    pub from_states: Matrix,
    /// From z to (v̇, ẋ, λ).
    pub rates: Matrix,
    /// √M_ii: weights of coordinates.
    pub weight: Vec<f64>,
    /// (v̇, ẋ, λ) of every unit of (s, v, x).
    pub solved: Matrix,
    /// Factors of the derivatives by (v̇, ẋ, λ).
    pub factors: Lu,
    /// 𝒜: the rates of (s, v, x).
    pub full: Matrix,
    /// Dependent displacements per gap of the conditions on positions, n_v × holonomic rows.
    pub closing: Matrix,
    /// Dependent velocities per what is left of the conditions on velocities, n_v × rows.
    pub slowing: Matrix,
    /// ∂(G v + g_t)/∂s.
    pub gradient: Matrix,
}

impl Reduced {
    pub fn new(equation: &mut Equation, at: &State) -> Result<Self, AnalysisError> {
        let tangent = equation.tangent(at)?;
        let gradient = equation.velocity_gradient(at)?;
        let Sizes {
            v: n, x: n_x, rows, ..
        } = equation.sizes;
        let weight = weights(&tangent, n);
        let g = constraint_matrix(&tangent, equation.sizes);
        let holonomic = equation.holonomic.clone();
        let others: Vec<usize> = (0..rows).filter(|k| !holonomic.contains(k)).collect();
        let all: Vec<usize> = (0..n).collect();

        // Dependent coordinates: first for the conditions on positions, then more for the others.
        let scaled = scaled_rows(&g, &weight);
        let chosen = independent_columns(&scaled.part(&holonomic, &all), &all, DEPENDENT);
        if chosen.len() < holonomic.len() {
            return Err(AnalysisError::Singular);
        }
        let positions: Vec<usize> = all.iter().copied().filter(|i| !chosen.contains(i)).collect();
        let s_from_xi = dependent(&g.part(&holonomic, &all), &chosen, &positions, n)?;
        let reduced = scaled_rows(&g.part(&others, &all).times(&s_from_xi), &{
            positions.iter().map(|&i| weight[i]).collect::<Vec<_>>()
        });
        let more: Vec<usize> = (0..positions.len()).collect();
        let more = independent_columns(&reduced, &more, DEPENDENT);
        if more.len() < others.len() {
            return Err(AnalysisError::Singular);
        }
        let mut slow = chosen.clone();
        slow.extend(more.iter().map(|&k| positions[k]));
        let velocities: Vec<usize> = all.iter().copied().filter(|i| !slow.contains(i)).collect();
        let v_from_zeta = dependent(&g, &slow, &velocities, n)?;
        let closing = particular(&g.part(&holonomic, &all), &chosen, n)?;
        let slowing = particular(&g, &slow, n)?;

        let (n_xi, n_zeta) = (positions.len(), velocities.len());
        let size = n_xi + n_zeta + n_x;
        let mut from_states = Matrix::zeros(2 * n + n_x, size);
        from_states.put(0, 0, &s_from_xi);
        // δv = … − G_d⁻¹ (∂(G v + g_t)/∂s) δs.
        from_states.put(n, 0, &slowing.times(&gradient).times(&s_from_xi));
        from_states.put(n, n_xi, &v_from_zeta);
        from_states.put(2 * n, n_xi + n_zeta, &Matrix::identity(n_x));

        let (factors, solved) = tangent.solve().ok_or(AnalysisError::NoAccelerations)?;
        let mut full = Matrix::zeros(2 * n + n_x, 2 * n + n_x);
        full.put(0, 0, &equation.turning(&at.v));
        full.put(0, n, &Matrix::identity(n));
        let moving: Vec<usize> = (0..n + n_x).collect();
        full.put(n, 0, &solved.part(&moving, &(0..2 * n + n_x).collect::<Vec<_>>()));
        let picked: Vec<usize> = (positions.iter().copied())
            .chain(velocities.iter().map(|i| n + i))
            .chain(2 * n..2 * n + n_x)
            .collect();
        let a = full
            .times(&from_states)
            .part(&picked, &(0..size).collect::<Vec<_>>());
        Ok(Self {
            a,
            rates: solved.times(&from_states),
            solved,
            positions,
            velocities,
            from_states,
            weight,
            factors,
            full,
            closing,
            slowing,
            gradient,
        })
    }

    /// Where z stands among (s, v, x).
    pub fn picked(&self) -> Vec<usize> {
        let n = self.weight.len();
        (self.positions.iter().copied())
            .chain(self.velocities.iter().map(|i| n + i))
            .chain(2 * n..self.from_states.rows())
            .collect()
    }
}

/// √M_ii.
pub(crate) fn weights(tangent: &Tangent, n: usize) -> Vec<f64> {
    let entry = |i: usize| tangent.rates[(i, i)].abs().sqrt();
    (0..n)
        .map(|i| if entry(i) > 0.0 { entry(i) } else { 1.0 })
        .collect()
}

/// G of the active rows.
pub(crate) fn constraint_matrix(tangent: &Tangent, sizes: Sizes) -> Matrix {
    let first = sizes.v + sizes.x;
    Matrix::from_fn(sizes.rows, sizes.v, |i, j| tangent.rates[(first + i, j)])
}

/// Columns divided by weights, then rows of length one.
pub(crate) fn scaled_rows(g: &Matrix, weight: &[f64]) -> Matrix {
    let mut scaled = Matrix::from_fn(g.rows(), g.columns(), |i, j| g[(i, j)] / weight[j]);
    for i in 0..g.rows() {
        let length = (0..g.columns())
            .map(|j| scaled[(i, j)].powi(2))
            .sum::<f64>()
            .sqrt();
        if length > 0.0 {
            for j in 0..g.columns() {
                scaled[(i, j)] /= length;
            }
        }
    }
    scaled
}

/// −G_d⁻¹, in the rows of the dependent coordinates.
fn particular(g: &Matrix, chosen: &[usize], n: usize) -> Result<Matrix, AnalysisError> {
    let rows: Vec<usize> = (0..g.rows()).collect();
    let lu = Lu::new(g.part(&rows, chosen));
    if lu.smallest_pivot() < 1e-13 {
        return Err(AnalysisError::Singular);
    }
    let inverse = lu.solve_matrix(Matrix::identity(g.rows()));
    let mut out = Matrix::zeros(n, g.rows());
    for (k, &i) in chosen.iter().enumerate() {
        for j in 0..g.rows() {
            out[(i, j)] = -inverse[(k, j)];
        }
    }
    Ok(out)
}

/// All coordinates from the free ones: G x = 0.
fn dependent(g: &Matrix, chosen: &[usize], free: &[usize], n: usize) -> Result<Matrix, AnalysisError> {
    let rows: Vec<usize> = (0..g.rows()).collect();
    let lu = Lu::new(g.part(&rows, chosen));
    if lu.smallest_pivot() < 1e-13 {
        return Err(AnalysisError::Singular);
    }
    let solved = lu.solve_matrix(g.part(&rows, free));
    let mut out = Matrix::zeros(n, free.len());
    for (j, &i) in free.iter().enumerate() {
        out[(i, j)] = 1.0;
        for (k, &d) in chosen.iter().enumerate() {
            out[(d, j)] = -solved[(k, j)];
        }
    }
    Ok(out)
}
