//! Rows of motion in the metric of the matrix in use.
//!
//! M v̇ − f and v̇ − M⁻¹ f have the same solutions, and Newton's method with new matrices takes the same way
//! to them. With kept matrices it does not. Let J be the matrix of the second. The first has M(q) J, what is
//! kept of it M₀ J₀ from a place before, and an error goes on with
//! ```text
//! 1 − J₀⁻¹ M₀⁻¹ M(q) J   instead of   1 − J₀⁻¹ J.
//! ```
//! J differs from J₀ by terms of the order h, but M₀⁻¹ M(q) − 1 does not fall with h: a turn by θ since M₀
//! gives θ times the condition of M, 100 for a body of radius of gyration 0.1 m whose frame lies 1 m from its centre
//! of mass. Errors of accelerations that inertia resists much enter those that it resists little.
//!
//! The rate of convergence is then known in no step but those with two corrections, what one correction leaves is
//! noise in the history, and neither order nor step size can grow. The remedy takes M⁻¹ where the residual is
//! evaluated and M₀ where the matrix was:
//! ```text
//! M₀ (v̇ − M(q)⁻¹ f)
//! ```
//! goes with the matrix kept, whatever its age, and converges as v̇ − M⁻¹ f does. It takes articulated bodies
//! instead of the recursion of Newton and Euler, and the matrix of constraints is no longer renewed alone, since its
//! transpose would have to be brought to M₀ as well. So it is used from where on M is found to change too much from
//! step to step ([`Metric::judge`]).

use super::tuning::{METRIC_PATIENCE, MOST_PER_STEP, MOST_WITH_CONSTRAINTS};
use crate::equations::{Equations, Purpose};
use crate::explain::Decision;
use crate::linear::Matrix;
use core::ops::Range;
use holonom_dae::{DerivativeForm, Rejection, Structure, Weights};
use serde::{Deserialize, Serialize};

/// What there is to know about M in the rows of motion, for residuals that have it there.
pub(super) struct Metric {
    /// Rows of motion, and columns of velocities.
    v: Range<usize>,
    /// An error of velocities in units of the tolerance, and M₀ times it.
    probe: Vec<f64>,
    before: Vec<f64>,
    solved: Solved,
    /// Steps between the last two renewals.
    since: u32,
    pub(super) state: MetricState,
}

/// Where the Jacobian is evaluated when rows are carried: ẏ with the accelerations that solve the rows of motion, and
/// the residual there.
///
/// The derivative of M (v̇ − M⁻¹ f) is M J only where v̇ = M⁻¹ f: what a prediction misses of it would be multiplied by
/// M⁻¹ ∂M/∂q.
#[derive(Default)]
pub(super) struct Solved {
    pub(super) yp: Vec<f64>,
    pub(super) residual: Vec<f64>,
}

/// What of it later steps depend on.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct MetricState {
    /// Rows of motion are brought to M₀.
    pub(super) carried: bool,
    /// From the next iteration on.
    wanted: bool,
    /// Whether there is an M₀.
    known: bool,
    /// Accepted steps since M₀.
    pub(super) steps: u32,
    /// Times M₀ was renewed.
    renewals: u32,
    /// Times in a row that M was found to change too much.
    streak: u32,
}

impl Metric {
    /// None where the residual has no M or the parts of the Jacobian are not apart.
    pub(super) fn new(structure: &Structure, separated: bool) -> Option<Self> {
        let layout = structure.layout.as_ref().filter(|_| separated)?;
        let DerivativeForm::Mass(pattern) = &structure.derivative else {
            return None;
        };
        let v = layout.v.clone();
        // Forms by articulated bodies have 1 there.
        let mut entries = pattern.entries();
        if !entries.any(|(i, j)| i != j && v.contains(&i) && v.contains(&j)) {
            return None;
        }
        let n = structure.dimension();
        Some(Self {
            solved: Solved {
                yp: vec![0.0; n],
                residual: vec![0.0; n],
            },
            since: 1,
            probe: vec![0.0; v.len()],
            before: vec![0.0; v.len()],
            v,
            state: MetricState::default(),
        })
    }

    pub(super) fn take_solved(&mut self) -> Solved {
        std::mem::take(&mut self.solved)
    }

    pub(super) fn put_solved(&mut self, solved: Solved) {
        self.solved = solved;
    }

    /// out := M₀ x.
    fn apply(&self, f_yp: &Matrix, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let Range { start, end } = self.v;
        match f_yp {
            Matrix::Dense { n, values } => {
                for (x, j) in x.iter().zip(start..end) {
                    for (out, m) in out.iter_mut().zip(&values[j * n + start..]) {
                        *out += m * x;
                    }
                }
            }
            Matrix::Sparse { pattern, values } => {
                for (x, j) in x.iter().zip(start..end) {
                    for (&i, m) in pattern.column(j).iter().zip(&values[pattern.range(j)]) {
                        if self.v.contains(&i) {
                            out[i - start] += m * x;
                        }
                    }
                }
            }
        }
    }

    /// M₀ (v̇ − M⁻¹ f) from v̇ − M⁻¹ f, where rows are carried.
    pub(super) fn carry(&mut self, f_yp: &Matrix, r: &mut [f64]) {
        if !self.state.carried {
            return;
        }
        let rows = &mut r[self.v.clone()];
        self.probe.copy_from_slice(rows);
        self.apply(f_yp, &self.probe, rows);
    }

    /// Before M₀ is renewed: what it makes of an error of one tolerance in each velocity. The signs differ from
    /// time to time, so that what one choice hides another shows.
    pub(super) fn prepare(&mut self, f_yp: &Matrix, weights: &Weights) {
        let state = &mut self.state;
        if state.wanted || !state.known {
            return;
        }
        state.renewals = state.renewals.wrapping_add(1);
        let reciprocal = &weights.reciprocal()[self.v.clone()];
        for (k, (probe, w)) in self.probe.iter_mut().zip(reciprocal).enumerate() {
            // A bit of a product with the golden ratio.
            let bit = (k as u32 + 1)
                .wrapping_mul(state.renewals)
                .wrapping_mul(0x9e37_79b9)
                >> 31;
            *probe = (1.0 - 2.0 * f64::from(bit)) / w;
        }
        let mut before = std::mem::take(&mut self.before);
        self.apply(f_yp, &self.probe, &mut before);
        self.before = before;
    }

    /// After it: α (M − M₀) times the error, in rows of the whole system.
    pub(super) fn difference(&mut self, f_yp: &Matrix, alpha: f64, out: &mut [f64]) {
        out.fill(0.0);
        let rows = &mut out[self.v.clone()];
        self.apply(f_yp, &self.probe, rows);
        for (row, before) in rows.iter_mut().zip(&self.before) {
            *row = alpha * (*row - before);
        }
    }
}

impl Metric {
    /// Carries rows of motion from now on, where that was found to be needed; whether it begins.
    pub(super) fn begin_to_carry(&mut self) -> bool {
        let begins = self.state.wanted && !self.state.carried;
        self.state.carried |= begins;
        begins
    }

    /// Finds where to evaluate the Jacobian instead of at the given place: see [`Solved`].
    pub(super) fn solve_for_accelerations(
        &mut self,
        equations: &mut Equations<'_>,
        (t, y, yp): (f64, &[f64], &[f64]),
        needs_residual: bool,
    ) -> Result<(), Rejection> {
        let Solved { yp: solved, residual } = &mut self.solved;
        equations.explicit_residual(Purpose::Other, t, y, yp, residual)?;
        solved.copy_from_slice(yp);
        let v = self.v.clone();
        for (solved, r) in solved[v.clone()].iter_mut().zip(&residual[v]) {
            *solved -= r;
        }
        if needs_residual {
            equations.residual(Purpose::Other, t, y, solved, residual)?;
        }
        Ok(())
    }

    /// Whether there was an M₀ to compare with, after it was renewed.
    pub(super) fn is_to_be_judged(&mut self) -> bool {
        self.since = self.state.steps.max(1);
        self.state.steps = 0;
        !self.state.wanted && std::mem::replace(&mut self.state.known, true)
    }

    /// Judges how much M has changed since it was last evaluated: `left` is the norm of the part of an error that the
    /// matrix before would have left behind for this alone, of `n` unknowns.
    pub(super) fn judge(
        &mut self,
        t: f64,
        left: f64,
        n: usize,
        gives_constraints: bool,
        explicit: bool,
    ) -> Option<Decision> {
        // In units of the error: one tolerance in each velocity.
        let part = (self.probe.len() as f64 / n as f64).sqrt();
        let left = left / part / f64::from(self.since);
        let limit = if gives_constraints {
            MOST_WITH_CONSTRAINTS
        } else {
            MOST_PER_STEP
        };
        let state = &mut self.state;
        // NaN is no sign of anything.
        state.streak = if left > limit { state.streak + 1 } else { 0 };
        if state.streak < METRIC_PATIENCE || !explicit {
            return None;
        }
        state.wanted = true;
        Some(Decision::metric(t, left, limit))
    }
}
