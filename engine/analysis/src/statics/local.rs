//! What is known at one position: derivatives, motions that the constraints allow, unbalanced forces.

use super::dense::Dense;
use super::sparse::{self, Large};
use super::{OpenDirection, Stability, StaticsError, Unbalanced, Unsettled};
use crate::dense::{Matrix, dot};
use crate::displacement_names;
use crate::modes::echelon;
use crate::order::places;
use crate::tangent::{Equation, State};
use holonom_multibody::Model;
use std::cmp::Reverse;

/// Singular values of the scaled tangent below this part of the largest count as zero.
pub(super) const INDETERMINATE: f64 = 1e-11;

/// Open directions that are told by a basis with as many zeros as there can be.
const FEW: usize = 64;

/// What is known at one position.
#[derive(Clone)]
pub(super) struct Local {
    pub state: State,
    pub weight: Vec<f64>,
    /// Unbalanced forces divided by √M_ii, then rates of states.
    pub rest: Vec<f64>,
    /// Length of it.
    pub length: f64,
    /// Size of what adds up to it.
    pub size: f64,
    /// States that keep what motion leaves in them, with their change by displacements.
    pub kept: Vec<Kept>,
    pub linear: Linear,
}

/// A state that keeps what motion leaves in it, with its change by displacements, all or those that matter.
pub(super) type Kept = (usize, Vec<(usize, f64)>);

/// The linear equations of small and of large mechanisms.
#[derive(Clone)]
pub(super) enum Linear {
    Dense(Box<Dense>),
    Sparse(Box<Large>),
}

/// The tangent stiffness along the motions that the constraints allow.
pub(super) enum Stiffness {
    Dense(Matrix),
    Sparse(sparse::Stiffness),
}

/// A Newton step, with what the tangent says about it.
pub(super) struct NewtonStep {
    /// Displacements; not finite where there is no step.
    pub displacement: Vec<f64>,
    /// Changes of states of elements.
    pub states: Vec<f64>,
    /// What remains unbalanced after the step as far as the tangent tells: forces along which nothing gives way.
    pub remainder: f64,
    /// How much the displacement is resisted, in parts of an average one: next to nothing along a direction that
    /// nothing resists.
    pub resisted: f64,
}

impl Stiffness {
    pub fn norm(&self) -> f64 {
        match self {
            Self::Dense(k) => k.norm(),
            Self::Sparse(k) => k.norm,
        }
    }
}

impl Local {
    /// The shortest Newton step: displacements, then states.
    pub fn newton_step(&self, equation: &Equation) -> NewtonStep {
        match &self.linear {
            Linear::Dense(dense) => dense.newton_step(self, equation),
            Linear::Sparse(large) => large.newton_step(self, equation),
        }
    }

    pub fn stiffness(&self) -> Stiffness {
        match &self.linear {
            Linear::Dense(dense) => Stiffness::Dense(dense.stiffness(self)),
            Linear::Sparse(large) => Stiffness::Sparse(large.stiffness(self)),
        }
    }

    /// An implicit step of pseudo-time, and the work of the present forces along it, negated.
    pub fn relaxation_step(&self, stiffness: &Stiffness, sigma: f64) -> (Vec<f64>, Vec<f64>, f64) {
        match (&self.linear, stiffness) {
            (Linear::Dense(dense), Stiffness::Dense(k)) => dense.relaxation_step(self, k, sigma),
            (Linear::Sparse(large), Stiffness::Sparse(k)) => large.relaxation_step(self, k, sigma),
            _ => (vec![f64::NAN; self.weight.len()], Vec::new(), f64::NAN),
        }
    }

    /// Work of the forces at another position along a step from here, negated.
    pub fn work(&self, other: &Self, step: &[f64]) -> f64 {
        (0..step.len())
            .map(|i| other.rest[i] * other.weight[i] * step[i])
            .sum()
    }

    pub fn stability(&self) -> Result<Stability, StaticsError> {
        match &self.linear {
            Linear::Dense(dense) => dense.stability(self),
            Linear::Sparse(large) => large.stability(self),
        }
    }

    /// The displacement that grows most from an unstable position, its largest entry 1.
    pub fn growing(&self) -> Result<Option<Vec<f64>>, StaticsError> {
        match &self.linear {
            Linear::Dense(dense) => dense.growing(self),
            Linear::Sparse(large) => large.growing(self),
        }
    }

    pub fn open(&self, equation: &Equation) -> Result<Vec<OpenDirection>, StaticsError> {
        let basis = match &self.linear {
            Linear::Dense(dense) => dense.open(self, equation),
            Linear::Sparse(large) => large.open(self)?,
        };
        let names = displacement_names(&equation.model);
        let direction = |s: &Vec<f64>| {
            let places = places(&s.iter().map(|x| x.abs()).collect::<Vec<_>>());
            let mut order: Vec<usize> = (0..s.len()).filter(|&i| s[i] != 0.0).collect();
            order.sort_by_key(|&i| Reverse(places[i]));
            let coordinates = order.iter().map(|&i| (names[i].clone(), s[i])).collect();
            OpenDirection { coordinates }
        };
        if basis.len() > FEW {
            let one = |s: &Vec<f64>| {
                let most = s
                    .iter()
                    .fold(0.0_f64, |m, x| if x.abs() > m.abs() { *x } else { m });
                direction(&s.iter().map(|x| x / most).collect())
            };
            return Ok(basis.iter().map(one).collect());
        }
        Ok(echelon(&basis, &self.weight).iter().map(direction).collect())
    }

    /// The coordinates that a displacement moves most, the largest first.
    pub fn farthest(&self, model: &Model, step: &[f64]) -> Vec<Unsettled> {
        let mut order: Vec<usize> = (0..self.weight.len()).collect();
        order.sort_by(|&a, &b| step[b].abs().total_cmp(&step[a].abs()));
        let most = order.first().map_or(0.0, |&i| step[i].abs());
        let names = displacement_names(model);
        let one = |&i: &usize| Unsettled {
            name: names[i].clone(),
            step: step[i],
        };
        let far = order.iter().filter(|&&i| step[i].abs() > 1e-3 * most);
        far.take(3).map(one).collect()
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

/// ∫(∂ẋ/∂v) ds along a way.
pub(super) fn along(change: &[(usize, f64)], way: &[f64]) -> f64 {
    change.iter().map(|&(i, c)| c * way[i]).sum()
}

/// The length of a vector.
pub(super) fn length(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
