//! What is done against drift: projection, Baumgarte's parameters, the scale of the regularisation.

use super::euler::{LinearImplicitEuler, add_product};
use super::options::{Level, LinearImplicitOptions, Projections, Stabilisation};
use super::state::MotionState;
use crate::linear::BoundedSolver;
use holonom_dae::{InputError, Mechanical, Rejection};

/// Newton steps at most of a projection that is to converge.
pub(super) const MOST_NEWTON_STEPS: u32 = 50;
/// A correction relative to the positions that ends such a projection.
const CONVERGED: f64 = 1e-15;

/// α and β, given or best: those that end an error in g and ġ within two steps.
///
/// With w = g and ẇ = G v + g_t a step is w₁ = w₀ + h ẇ₀, ẇ₁ = (1 − 2hα) ẇ₀ − hβ w₀ (§3.2); its eigenvalues are
/// zero for α = 1/h, β = 1/h². Where positions move with the new velocities it is w₁ = w₀ + h ẇ₁, and they are for
/// α = 1/(2h), β = 1/h²; the former values are unstable then, which is what §4.3 met in veDYNA. Zero for other
/// stabilisations.
///
/// # Errors
/// Given values with which errors grow at this step size.
pub fn baumgarte(options: &LinearImplicitOptions, h: f64) -> Result<(f64, f64), InputError> {
    if !matches!(
        options.stabilisation,
        Stabilisation::Baumgarte | Stabilisation::Regularisation
    ) {
        return Ok((0.0, 0.0));
    }
    let new = options.moves_with_new_velocities();
    let alpha = options.alpha.unwrap_or(if new { 0.5 / h } else { 1.0 / h });
    let beta = options.beta.unwrap_or(1.0 / (h * h));
    let (a, b) = (h * alpha, h * h * beta);
    let (decays, condition) = match options.assembly {
        Level::Index2 => (a < 2.0, "hα < 2"),
        Level::Index1 if new => (4.0 * a + b < 4.0, "4hα + h²β < 4"),
        Level::Index1 => (b < 2.0 * a && 4.0 * a < 4.0 + b, "h²β < 2hα < 2 + h²β/2"),
    };
    if decays {
        return Ok((alpha, beta));
    }
    let index2 = options.assembly == Level::Index2;
    Err(InputError::Option {
        option: "baumgarte_alpha",
        value: format!(
            "{alpha}{}",
            if index2 {
                String::new()
            } else {
                format!(" with β = {beta}")
            }
        ),
        remedy: format!(
            "constraint errors grow for h = {h} unless {condition}; give smaller values, or none"
        ),
    })
}

/// Largest entry, and one where there is none.
fn size(x: &[f64]) -> f64 {
    x.iter().fold(1.0, |most, x| f64::max(most, x.abs()))
}

impl LinearImplicitEuler {
    /// The regularisation is measured by what the constraints feel of the masses.
    pub(super) fn choose_epsilon(&mut self, h: f64) {
        let (n, m) = (self.n, self.m);
        let mut mass = BoundedSolver::new(n);
        mass.matrix().copy_from_slice(&self.at.mass);
        mass.factorise();
        let mut largest = 0.0;
        for i in 0..m {
            for j in 0..n {
                self.along[j] = self.at.matrix[i + j * m];
            }
            mass.solve(&mut self.along);
            let s: f64 = (0..n).map(|j| self.at.matrix[i + j * m] * self.along[j]).sum();
            self.epsilon[i] = s;
            largest = f64::max(largest, s);
        }
        // Rows that consist of zeros at the start borrow the scale of the others.
        for e in &mut self.epsilon {
            let scale = if *e > 1e-12 * largest { *e } else { largest };
            *e = self.options.epsilon * h * if scale > 0.0 { scale } else { 1.0 };
        }
    }

    /// Newton steps (11) towards g(t₁, q) = 0, with the matrix at the beginning of the step.
    pub(super) fn project_positions(
        &mut self,
        mechanical: &mut dyn Mechanical,
        to: &mut MotionState,
    ) -> Result<(), Rejection> {
        if !self.projects() {
            return Ok(());
        }
        let n = self.n;
        let (steps, until) = match self.options.projections {
            Projections::Fixed(k) => (k, None),
            Projections::Converged => (MOST_NEWTON_STEPS, Some(CONVERGED)),
        };
        for _ in 0..steps {
            mechanical.constraint(to.t, &to.q, &mut self.g)?;
            let correction = &mut self.correction;
            correction[..n].fill(0.0);
            correction[n..].copy_from_slice(&self.g);
            self.at.optimisation.solve(correction);
            mechanical.velocity_map(&to.q, &correction[..n], &mut self.moved);
            let mut largest = 0.0;
            for (q, d) in to.q.iter_mut().zip(&self.moved) {
                *q -= d;
                largest = f64::max(largest, d.abs());
            }
            mechanical.normalise(&mut to.q);
            if until.is_some_and(|limit| largest <= limit * size(&to.q)) {
                break;
            }
        }
        Ok(())
    }

    /// Velocities with G v + g_t = 0 next to the given ones, measured by M. Exact: the condition is linear.
    pub(super) fn project_velocities(
        &mut self,
        mechanical: &mut dyn Mechanical,
        to: &mut MotionState,
    ) -> Result<(), Rejection> {
        if !self.projects() {
            return Ok(());
        }
        let (n, m) = (self.n, self.m);
        mechanical.constraint_rate(to.t, &to.q, &mut self.g_t)?;
        add_product(&self.next.matrix, m, &to.v, &mut self.g_t);
        self.right[..n].fill(0.0);
        self.right[n..].copy_from_slice(&self.g_t);
        self.next.optimisation.solve(&mut self.right);
        for (v, d) in to.v.iter_mut().zip(&self.right) {
            *v -= d;
        }
        Ok(())
    }
}
