//! Some modes of large mechanisms from sparse matrices.
//!
//! Small motions δs = W⁻¹ T ξ, W = √M_ii, T a sparse basis of what the constraints allow, obey
//! (λ² M + λ C + K) ξ + R λ = 0 with the states of elements, multipliers and readings as further unknowns. This holds
//! where constraints do not turn with time and where all of them hold positions as well: at rest, and of trees in
//! steady motion.

use super::damped::Damped;
use super::undamped::Undamped;
use super::{Completeness, Selection};
use crate::AnalysisError;
use crate::dense::Complex;
use crate::sparse::{Sparse, null_basis};
use crate::tangent::{Equation, Sizes, State};

/// Combinations of constraints below this part of the others are none.
const DEPENDENT: f64 = 1e-10;

/// (2π f)².
pub(super) fn at_frequency(hertz: f64) -> f64 {
    (core::f64::consts::TAU * hertz).powi(2)
}

/// What was found: eigenvalues with shapes in the basis, then states.
#[derive(Default)]
pub(super) struct Large {
    pub values: Vec<Complex>,
    pub shapes: Vec<Vec<Complex>>,
    pub zeros: usize,
    /// Directions that nothing resists, all and those with a shape.
    pub free: usize,
    pub rigid: Vec<Vec<Complex>>,
    /// Eigenvalues there are besides the zeros.
    pub all: usize,
    /// The largest backward error.
    pub residual: f64,
    pub completeness: Completeness,
}

/// The sparse linear equations: rows of forces, states and readings divided by weights.
pub(super) struct Pencil {
    /// Displacements with forces or with others that have some, and the coordinates they are.
    pub n: usize,
    coordinates: Vec<usize>,
    /// Coordinates that no force depends on and that no other moves: two zero eigenvalues each.
    pub alone: Vec<usize>,
    /// States of elements.
    pub states: usize,
    /// √M_ii of all coordinates.
    pub weight: Vec<f64>,
    /// From ξ to displacements.
    pub basis: Sparse,
    /// By ξ: K, C, M.
    pub stiffness: Sparse,
    pub damping: Sparse,
    pub mass: Sparse,
    /// By x and ẋ.
    pub by_states: Sparse,
    pub by_rates: Sparse,
    /// By λ and ρ, columns of length one.
    pub pull: Sparse,
    /// Whether forces depend on readings of sensors.
    pub forces_read: bool,
    /// Whether nothing moves.
    pub at_rest: bool,
}

impl Pencil {
    /// The equations at a state; none where the constraints turn with time, or hold velocities only.
    pub fn new(equation: &mut Equation, at: &State) -> Result<Option<Self>, AnalysisError> {
        let sizes = equation.sizes;
        let Sizes {
            v: n, x: n_x, rows, ..
        } = sizes;
        if equation.holonomic.len() < rows {
            return Ok(None);
        }
        let tangent = equation.sparse_tangent(at)?;
        let weight = tangent.weights(n);
        let g = tangent.scaled_constraints(sizes, &weight);
        if rows > 0 {
            let gradient = equation.sparse_velocity_gradient(at)?;
            let most = gradient.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if most > 1e-12 {
                return Ok(None);
            }
        }
        let basis = null_basis(&g, DEPENDENT);
        if basis.columns() + rows != n {
            return Err(AnalysisError::Singular);
        }
        let wanted: Vec<usize> = (0..n + n_x).chain(n + n_x + rows..tangent.rates.rows()).collect();
        let m = wanted.len();
        let row = |i: usize| weight.get(i).copied().unwrap_or(1.0);
        let states = tangent.states.select_rows(&wanted).scaled(row, |_| 1.0);
        let rates = tangent.rates.select_rows(&wanted).scaled(row, |_| 1.0);
        let by = |a: Sparse| a.scaled(|_| 1.0, |j| weight[j]);
        // δv = (λ − W) δs, W of turning axes.
        let turning = equation.turning_entries(&at.v);
        let (k, c, mass) = (
            by(states.block(0..m, 0..n)),
            by(states.block(0..m, n..2 * n)),
            by(rates.block(0..m, 0..n)),
        );
        let (mut stiffness, mut damping) = (k, c.clone());
        if !turning.is_empty() {
            let turning: Vec<_> = turning
                .iter()
                .map(|&(i, j, x)| (i, j, -x * weight[i] / weight[j]))
                .collect();
            let turning = Sparse::from_triplets(n, n, &turning);
            stiffness = sum(&stiffness, &c.times_matrix(&turning));
            damping = sum(&damping, &mass.times_matrix(&turning));
        }
        let others = rates.block(0..m, n + n_x..rates.columns());
        let mut lengths = vec![0.0_f64; others.columns()];
        others.entries().for_each(|(_, j, x)| lengths[j] += x * x);
        let unit = |j: usize| Some(lengths[j].sqrt()).filter(|l| *l > 0.0).unwrap_or(1.0);
        let pull = others.scaled(|_| 1.0, unit);
        let forces_read =
            (rows..pull.columns()).any(|j| pull.column(j).any(|(i, x)| i < n + n_x && x != 0.0));
        let all = Self {
            n,
            coordinates: (0..n).collect(),
            alone: Vec::new(),
            states: n_x,
            stiffness: stiffness.times_matrix(&basis),
            damping: damping.times_matrix(&basis),
            mass: mass.times_matrix(&basis),
            by_states: states.block(0..m, 2 * n..2 * n + n_x),
            by_rates: rates.block(0..m, n..n + n_x),
            pull: match forces_read {
                true => pull,
                false => pull.block(0..m, 0..rows),
            },
            forces_read,
            at_rest: at.v.iter().all(|v| *v == 0.0),
            basis,
            weight,
        };
        Ok(Some(all.without_alone()))
    }

    /// Takes coordinates out that are in no force and move by themselves, such as the turns of bodies held at their
    /// centres: there may be many.
    fn without_alone(mut self) -> Self {
        let n = self.n;
        // Columns of the basis that are single coordinates.
        let mut column = vec![None; n];
        let mut single = vec![0; n];
        for j in 0..self.basis.columns() {
            let mut own = self.basis.column(j);
            if let (Some((i, _)), None) = (own.next(), own.next()) {
                column[i] = Some(j);
            }
            self.basis.column(j).for_each(|(i, _)| single[i] += 1);
        }
        let mut is_alone: Vec<bool> = (0..n).map(|i| column[i].is_some() && single[i] == 1).collect();
        let mut coordinate = vec![None; self.basis.columns()];
        for (i, j) in column.iter().enumerate() {
            if let Some(j) = j {
                coordinate[*j] = Some(i);
            }
        }
        for a in [
            &self.stiffness,
            &self.damping,
            &self.by_states,
            &self.by_rates,
            &self.pull,
        ] {
            let most = a.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let by_displacements = a.columns() == coordinate.len() && !core::ptr::eq(a, &self.pull);
            for (i, j, _) in a.entries().filter(|e| e.2.abs() > 1e-14 * most) {
                if i < n {
                    is_alone[i] = false;
                }
                if by_displacements && let Some(own) = coordinate[j] {
                    is_alone[own] = false;
                }
            }
        }
        // Inertia may couple them among themselves only.
        loop {
            let before = is_alone.iter().filter(|a| **a).count();
            for (i, j, x) in self.mass.entries() {
                let own = coordinate[j];
                if x == 0.0 || own == Some(i) {
                    continue;
                }
                let both = i < n && is_alone[i] && own.is_some_and(|own| is_alone[own]);
                if !both {
                    if i < n {
                        is_alone[i] = false;
                    }
                    if let Some(own) = own {
                        is_alone[own] = false;
                    }
                }
            }
            if before == is_alone.iter().filter(|a| **a).count() {
                break;
            }
        }
        if !is_alone.contains(&true) {
            return self;
        }
        let rows: Vec<usize> = (0..self.stiffness.rows())
            .filter(|&i| i >= n || !is_alone[i])
            .collect();
        let columns: Vec<usize> = (0..coordinate.len())
            .filter(|&j| coordinate[j].is_none_or(|i| !is_alone[i]))
            .collect();
        for a in [&mut self.stiffness, &mut self.damping, &mut self.mass] {
            *a = a.select_rows(&rows).select_columns(&columns);
        }
        for a in [&mut self.by_states, &mut self.by_rates, &mut self.pull] {
            *a = a.select_rows(&rows);
        }
        let (alone, kept): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| is_alone[i]);
        self.basis = self.basis.select_rows(&kept).select_columns(&columns);
        self.n = kept.len();
        (self.alone, self.coordinates) = (alone, kept);
        self
    }

    /// The modes that were asked for.
    pub fn solve(&self, selection: Selection) -> Result<Large, AnalysisError> {
        let mut found = match Undamped::new(self) {
            Some(undamped) => undamped.solve(selection)?,
            None => Damped::new(self).solve(selection)?,
        };
        found.zeros += 2 * self.alone.len();
        found.free += self.alone.len();
        Ok(found)
    }

    /// Degrees of freedom.
    pub fn degrees_of_freedom(&self) -> usize {
        self.basis.columns() + self.alone.len()
    }

    /// Displacements, velocities and states of a shape with its eigenvalue.
    pub fn all(&self, lambda: Complex, shape: &[Complex]) -> Vec<Complex> {
        let free = self.basis.columns();
        let part = |f: fn(&Complex) -> f64| {
            let xi: Vec<f64> = shape[..free].iter().map(f).collect();
            self.basis.times(&xi)
        };
        let (re, im) = (part(|z| z.re), part(|z| z.im));
        let mut s = vec![Complex::ZERO; self.weight.len()];
        for (k, &i) in self.coordinates.iter().enumerate() {
            s[i] = Complex::new(re[k] / self.weight[i], im[k] / self.weight[i]);
        }
        let v: Vec<Complex> = s.iter().map(|s| *s * lambda).collect();
        let x = shape[free..].iter().copied();
        s.into_iter().chain(v).chain(x).collect()
    }
}

fn sum(a: &Sparse, b: &Sparse) -> Sparse {
    let all: Vec<_> = a.entries().chain(b.entries()).collect();
    Sparse::from_triplets(a.rows(), a.columns(), &all)
}
