//! The bound of Burgermeister §3.4: how far one projection step lets the constraints go, on time intervals of any
//! length.
//!
//! With one Newton step (11) per time step the error of the constraints goes on like
//! ‖g₁‖ ≤ C₂‖g₀‖² + h C₁‖g₀‖ + h³C₀, where, at every step,
//! ```text
//! A₁ = ½ ‖g_qq(v, v)‖    A₂ = ½ ‖g_qq(P·, P·)‖    A₃ = ‖g_qq(v, P·)‖    P = M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹
//! C₂ = A₂                C₁ = A₃ + h A₂A₁         C₀ = A₃A₁ + h A₂A₁²
//! ```
//! The constants are the largest along a run. Under (13) errors that begin below g_lim stay below it.
//!
//! Second derivatives of g need nothing new: γ(v) = g_qq(v, v) + 2 g_qt v + g_tt is what
//! [`constraint_bias`](Mechanical::constraint_bias) gives, and a quadratic form is known from its values. Constraints
//! that depend on time are those of the source with time as one more coordinate, of velocity 1, that no projection
//! moves: γ takes the place of g_qq(v, v), and g_qq(v, p) + g_qt p that of g_qq(v, p). Norms are the largest entry and
//! what it induces, to be compared with the largest |gᵢ|.

use super::options::{Projections, Stabilisation};
use crate::linear::BoundedSolver;
use crate::stepper::{Advance, RealTime};
use core::fmt;
use holonom_dae::{InputError, Mechanical, Rejection};

/// Constants of §3.4 along a run, and what was observed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DriftBound {
    /// Step size.
    pub h: f64,
    /// Steps of the run.
    pub steps: u64,
    /// Steps at which the constants were computed.
    pub samples: u64,
    /// Largest A₁, A₂ and A₃.
    pub curvature: [f64; 3],
    /// Largest C₀.
    pub c0: f64,
    /// Largest C₁.
    pub c1: f64,
    /// Largest C₂.
    pub c2: f64,
    /// Largest |gᵢ| at the start.
    pub start: f64,
    /// Largest |gᵢ| after any step.
    pub observed: f64,
    /// What rounding of the positions alone makes of g: ε Σ|Gᵢⱼ| max|q|, the largest.
    ///
    /// The proof of §3.4 has real numbers. A computed q₁ = q̃ − Δq is rounded, by ε/2 of every entry, and so is what it is
    /// computed from and g where it is looked at: to first order each changes g by Σ|Gᵢⱼ| (ε/2) max|q| at most. One such for the
    /// position that is kept and one for the evaluation of g make this number, whatever the mechanism. It counts where
    /// bounds are as small as rounding: on the circle at 1 ms, 0.25 % of g_lim.
    pub rounding: f64,
    /// Whether a step could not be done, which ended the run.
    pub is_held: bool,
}

impl DriftBound {
    /// The two numbers of condition (13): h C₁, which must be below 1, and (1 − hC₁)² − 4h³C₀C₂, which must be
    /// positive.
    pub fn condition(&self) -> [f64; 2] {
        let first = self.h * self.c1;
        [
            first,
            (1.0 - first).powi(2) - 4.0 * self.h.powi(3) * self.c0 * self.c2,
        ]
    }

    /// Whether condition (13) is met.
    pub fn holds(&self) -> bool {
        let [first, second] = self.condition();
        first < 1.0 && second > 0.0
    }

    /// g_lim, where condition (13) is met.
    pub fn limit(&self) -> Option<f64> {
        let [first, second] = self.condition();
        // The smaller root of C₂g² − (1 − hC₁)g + h³C₀, without cancellation.
        self.holds()
            .then(|| 2.0 * self.h.powi(3) * self.c0 / (1.0 - first + second.sqrt()))
    }

    /// Whether the run kept to the bound: (13) is met, and neither the start nor any step is beyond g_lim by more than
    /// [`rounding`](Self::rounding), of which the proof takes no notice.
    pub fn is_kept(&self) -> bool {
        let most = f64::max(self.start, self.observed);
        !self.is_held && self.limit().is_some_and(|limit| most <= limit + self.rounding)
    }

    /// g_lim over the largest |gᵢ| observed: how much the bound leaves.
    pub fn factor(&self) -> Option<f64> {
        self.limit().map(|limit| limit / self.observed)
    }
}

impl fmt::Display for DriftBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.condition();
        writeln!(
            f,
            "Bound of the constraint error after one projection step per time step, h = {} s, {} steps, constants at \
             {} of them",
            self.h, self.steps, self.samples
        )?;
        writeln!(
            f,
            "  C0 = {:.3e}, C1 = {:.3e}, C2 = {:.3e}",
            self.c0, self.c1, self.c2
        )?;
        let met = if self.holds() { "met" } else { "NOT met" };
        writeln!(
            f,
            "  condition {met}: h C1 = {first:.3e} (below 1), (1 − h C1)² − 4 h³ C0 C2 = {second:.3e} (above 0)"
        )?;
        let observed = format!(
            "largest |g| at the start {:.3e}, observed {:.3e}",
            self.start, self.observed
        );
        match (self.limit(), self.factor()) {
            (Some(limit), Some(factor)) => {
                write!(f, "  g_lim = {limit:.3e}, {observed}: ")?;
                match (self.is_kept(), factor) {
                    (true, factor) => write!(f, "kept, with a factor of {factor:.3}")?,
                    (false, _) => write!(f, "NOT kept")?,
                }
            }
            _ => write!(f, "  no bound: choose a smaller step; {observed}")?,
        }
        if self.is_held {
            write!(f, "\n  the run ended early: a step could not be done")?;
        }
        Ok(())
    }
}

/// Runs on for so many steps and finds the constants on the way, at every `every`-th step.
///
/// Allocates and costs n_g² evaluations of γ per step it looks at: an analysis, not for loops with hardware.
///
/// ```
/// use holonom_dae::problems::circular_track::CircularTrack;
/// use holonom_solver::stepper::{LinearImplicitOptions, MotionState, RealTime, drift_bound};
///
/// let track = CircularTrack::new();
/// let mut start = MotionState::new(&track);
/// (start.q[0], start.v[1]) = (1.0, 1.0);
/// let mut track = RealTime::new(Box::new(track), 1e-3, start, LinearImplicitOptions::default())?;
/// let bound = drift_bound(&mut track, 1000, 1)?;
/// // On a circle v ⟂ P, so that A₃ = 0, A₁ = v², A₂ = ¼, and g_lim is h⁴/4.
/// assert!(bound.holds() && (bound.limit().unwrap_or(0.0) / 2.5e-13 - 1.0).abs() < 0.01);
/// assert!(bound.observed < 1.01 * 2.5e-13);
/// # Ok::<(), holonom_dae::InputError>(())
/// ```
///
/// # Errors
/// Options that the bound does not speak of, or a state where the model cannot be evaluated.
pub fn drift_bound(system: &mut RealTime<'_>, steps: u64, every: u64) -> Result<DriftBound, InputError> {
    check(system)?;
    let mut bound = DriftBound {
        h: system.h(),
        start: system.violation(),
        ..DriftBound::default()
    };
    let (n, m, n_q) = {
        let mechanical = system.mechanical();
        (mechanical.n_v(), mechanical.n_g(), mechanical.n_q())
    };
    let mut memory = Memory::new(n, m, n_q);
    for step in 0..steps {
        if step % every.max(1) == 0 {
            let [a1, a2, a3] = memory.curvature(system).map_err(|rejection| InputError::Option {
                option: "bound",
                value: format!("at t = {}", system.state().t),
                remedy: format!(
                    "{rejection}, so the constants of the bound cannot be computed; end the run earlier"
                ),
            })?;
            let h = bound.h;
            for (most, now) in bound.curvature.iter_mut().zip([a1, a2, a3]) {
                *most = most.max(now);
            }
            bound.c2 = bound.c2.max(a2);
            bound.c1 = bound.c1.max(a3 + h * a2 * a1);
            bound.c0 = bound.c0.max(a3 * a1 + h * a2 * a1 * a1);
            bound.rounding = bound.rounding.max(memory.rounding(&system.state().q));
            bound.samples += 1;
        }
        if system.step() != Advance::Done {
            bound.is_held = true;
            break;
        }
        bound.steps += 1;
        bound.observed = bound.observed.max(system.violation());
    }
    Ok(bound)
}

/// The proof needs one Newton step, positions that move with velocities that satisfy their constraint, and a
/// constraint.
fn check(system: &mut RealTime<'_>) -> Result<(), InputError> {
    let options = system.method().options().clone();
    let refuse = |option: &'static str, value: String, remedy: &str| {
        Err(InputError::Option {
            option,
            value,
            remedy: remedy.into(),
        })
    };
    if options.stabilisation != Stabilisation::Projection {
        let value = format!("`{}`", options.stabilisation.name());
        return refuse(
            "stabilisation",
            value,
            "the bound exists only for projection; choose `projection`",
        );
    }
    if let Projections::Fixed(k) = options.projections
        && k != 1
    {
        return refuse(
            "projection_steps",
            k.to_string(),
            "the bound holds only for one projection step; choose 1",
        );
    }
    if options.moves_with_new_velocities() {
        let value = format!("`{}`, `{}`", options.stiff_terms.name(), options.ordering.name());
        let remedy = "the bound requires positions to be updated with the old velocities, which satisfy \
        their constraint; choose `j2` and `positions-first`";
        return refuse("stiff_terms", value, remedy);
    }
    if system.mechanical().n_g() == 0 {
        return refuse(
            "bound",
            "asked for".into(),
            "the model has no constraint that could drift; remove the option",
        );
    }
    Ok(())
}

struct Memory {
    n: usize,
    m: usize,
    /// Gᵀ, then M⁻¹Gᵀ, then P, column by column.
    projector: Vec<f64>,
    matrix: Vec<f64>,
    schur: BoundedSolver,
    column: Vec<f64>,
    /// q̃.
    ahead: Vec<f64>,
    rates: Vec<f64>,
    /// γ at 0, at the columns of P, and at one more place.
    rest: Vec<f64>,
    single: Vec<f64>,
    gamma: Vec<f64>,
    other: Vec<f64>,
    v: Vec<f64>,
    sums: Vec<f64>,
}

impl Memory {
    fn new(n: usize, m: usize, n_q: usize) -> Self {
        Self {
            n,
            m,
            projector: vec![0.0; n * m],
            matrix: vec![0.0; n * m],
            schur: BoundedSolver::new(m),
            column: vec![0.0; m],
            ahead: vec![0.0; n_q],
            rates: vec![0.0; n_q],
            rest: vec![0.0; m],
            single: vec![0.0; m * m],
            gamma: vec![0.0; m],
            other: vec![0.0; m],
            v: vec![0.0; n],
            sums: vec![0.0; m],
        }
    }

    /// A₁, A₂ and A₃ of the next step: the largest at q_n and at q̃.
    fn curvature(&mut self, system: &mut RealTime<'_>) -> Result<[f64; 3], Rejection> {
        let h = system.h();
        let state = system.state().clone();
        let mechanical = system.mechanical();
        self.find_projector(mechanical, state.t, &state.q)?;
        mechanical.velocity_map(&state.q, &state.v, &mut self.rates);
        for (ahead, (q, rate)) in self.ahead.iter_mut().zip(state.q.iter().zip(&self.rates)) {
            *ahead = q + h * rate;
        }
        mechanical.normalise(&mut self.ahead);
        let ahead = std::mem::take(&mut self.ahead);
        let mut most = [0.0; 3];
        for (t, q) in [(state.t, &state.q), (state.t + h, &ahead)] {
            let here = self.curvature_at(mechanical, t, q, &state.v)?;
            for (most, here) in most.iter_mut().zip(here) {
                *most = f64::max(*most, here);
            }
        }
        self.ahead = ahead;
        Ok(most)
    }

    /// ε Σ|Gᵢⱼ| max|q| with the matrix last evaluated.
    fn rounding(&self, q: &[f64]) -> f64 {
        let row = |i: usize| {
            self.matrix
                .iter()
                .skip(i)
                .step_by(self.m)
                .map(|g| g.abs())
                .sum::<f64>()
        };
        f64::EPSILON * largest(q) * (0..self.m).map(row).fold(0.0, f64::max)
    }

    /// P = M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹.
    fn find_projector(
        &mut self,
        mechanical: &mut dyn Mechanical,
        t: f64,
        q: &[f64],
    ) -> Result<(), Rejection> {
        let (n, m) = (self.n, self.m);
        mechanical.constraint_matrix(t, q, &mut self.matrix)?;
        for i in 0..m {
            let row = &mut self.projector[i * n..(i + 1) * n];
            for (j, x) in row.iter_mut().enumerate() {
                *x = self.matrix[i + j * m];
            }
            mechanical.solve_mass(t, q, row)?;
        }
        for k in 0..m {
            for i in 0..m {
                let solved = &self.projector[k * n..(k + 1) * n];
                let sum = solved
                    .iter()
                    .enumerate()
                    .map(|(j, x)| self.matrix[i + j * m] * x)
                    .sum();
                self.schur.matrix()[i + k * m] = sum;
            }
        }
        // Rows that take no part are zero, and so are their columns of P.
        for i in (0..m).filter(|&i| !mechanical.takes_part(i)) {
            self.schur.matrix()[i * (m + 1)] = 1.0;
        }
        self.schur.factorise();
        // P = Z S⁻¹ and S is symmetric: row by row, Pᵀ = S⁻¹ Zᵀ.
        for j in 0..n {
            for i in 0..m {
                self.column[i] = self.projector[j + i * n];
            }
            self.schur.solve(&mut self.column);
            for i in 0..m {
                self.projector[j + i * n] = self.column[i];
            }
        }
        match self.projector.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(Rejection::NonFinite { row }),
            None => Ok(()),
        }
    }

    fn curvature_at(
        &mut self,
        mechanical: &mut dyn Mechanical,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<[f64; 3], Rejection> {
        let (n, m) = (self.n, self.m);
        mechanical.constraint_bias(t, q, v, &mut self.gamma)?;
        let a1 = 0.5 * largest(&self.gamma);
        // A₃: 4 (g_qq(v, p) + g_qt p) = γ(v + p) − γ(v − p), with p as long as v for the rounding.
        let length = norm(v);
        self.sums.fill(0.0);
        for j in 0..m {
            let p = &self.projector[j * n..(j + 1) * n];
            let own = norm(p);
            let scale = if length > 0.0 && own > 0.0 {
                length / own
            } else {
                1.0
            };
            for (sign, out) in [(scale, &mut self.gamma), (-scale, &mut self.other)] {
                for ((x, v), p) in self.v.iter_mut().zip(v).zip(p) {
                    *x = v + sign * p;
                }
                mechanical.constraint_bias(t, q, &self.v, out)?;
            }
            for ((sum, a), b) in self.sums.iter_mut().zip(&self.gamma).zip(&self.other) {
                *sum += (0.25 * (a - b) / scale).abs();
            }
        }
        let a3 = largest(&self.sums);
        // A₂: 2 g_qq(p, p') = γ(p + p') − γ(p) − γ(p') + γ(0).
        self.v.fill(0.0);
        mechanical.constraint_bias(t, q, &self.v, &mut self.rest)?;
        for j in 0..m {
            let p = &self.projector[j * n..(j + 1) * n];
            mechanical.constraint_bias(t, q, p, &mut self.single[j * m..(j + 1) * m])?;
        }
        self.sums.fill(0.0);
        for j in 0..m {
            for k in 0..=j {
                let pair = self.projector[j * n..(j + 1) * n]
                    .iter()
                    .zip(&self.projector[k * n..(k + 1) * n]);
                for (x, (p, other)) in self.v.iter_mut().zip(pair) {
                    *x = p + other;
                }
                mechanical.constraint_bias(t, q, &self.v, &mut self.gamma)?;
                // g_qq is symmetric: pairs of two count twice.
                let times = if j == k { 1.0 } else { 2.0 };
                for i in 0..m {
                    let both = self.gamma[i] - self.single[j * m + i] - self.single[k * m + i] + self.rest[i];
                    self.sums[i] += times * (0.5 * both).abs();
                }
            }
        }
        Ok([a1, 0.5 * largest(&self.sums), a3])
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| f64::max(most, x.abs()))
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
