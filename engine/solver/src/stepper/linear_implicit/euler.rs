//! [`LinearImplicitEuler`]: the step itself. One linear system, no iteration.
//!
//! A step from (t₀, q₀, v₀) to t₁ = t₀ + h with A = M − h J_v and the stiff terms J_q, J_v, all at t₀:
//!
//! * `index1`: λ from (5c), then the velocities from (3) with this λ:
//!   ```text
//!   ( M  Gᵀ ) ( * )   (  f )
//!   ( G  0  ) ( λ ) = ( −γ ),    A (v₁ − v₀)/h = f + h J_q v₀ − Gᵀλ
//!   ```
//! * `index2`: positions first, then (6b) with G₁ at the new ones:
//!   ```text
//!   ( A   Gᵀ ) ( (v₁ − v₀)/h )   (   f + h J_q v₀   )
//!   ( G₁  D  ) (      λ      ) = ( −(G₁v₀ + g_t)/h )
//!   ```
//! That λ belongs to M and not to A is how the source has it: λ = (G M⁻¹Gᵀ)⁻¹(g_qq(u, u) + G M⁻¹f) follows (5c) in
//! §3.1, and (3) is a step “if λ is given” (§2). With A in both places (5c) would hold for the accelerations of the step
//! itself: another method, which the source does not have.
//!
//! Baumgarte adds 2α (G v + g_t) + β g, or α g, to the constraint. D is zero, and −ε/h with regularisation.
//! There is no ∂f/∂t, which order 1 does not need.
//!
//! Forces that depend on multipliers take those of the step before. Own states of elements go explicitly,
//! with the new positions and velocities: x₁ = x₀ + h s(t₁, q₁, v₁, x₀, λ).

use super::options::{Level, LinearImplicitOptions, Ordering, Projections, Stabilisation, StiffTerms};
use super::partition;
use super::stabilise::{MOST_NEWTON_STEPS, baumgarte};
use super::state::MotionState;
use super::work::Work;
use crate::linear::BoundedSolver;
use holonom_dae::{ElementSet, InputError, JacobianPlan, Mechanical, Rejection};
use serde::{Deserialize, Serialize};

/// What belongs to a position: kept for the next step, where it is needed again.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) mass: Vec<f64>,
    pub(super) matrix: Vec<f64>,
    /// (M Gᵀ; G 0), factorised where projections or the step need it.
    pub(super) optimisation: BoundedSolver,
}

/// What has been chosen at the start and what is renewed in shares: needed to go on from a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Matrices {
    elements: Option<Vec<usize>>,
    epsilon: Vec<f64>,
    next_share: usize,
    /// Empty where every step renews all of them.
    f_q: Vec<f64>,
    f_v: Vec<f64>,
}

/// The linear-implicit Euler method for mechanical systems with bounded work per step.
///
/// Used through [`RealTime`](crate::stepper::RealTime) or as stepper `linear-implicit-euler`; directly by
/// analyses that look into single steps.
#[derive(Clone, Debug)]
pub struct LinearImplicitEuler {
    pub(super) options: LinearImplicitOptions,
    alpha: f64,
    beta: f64,
    pub(super) n: usize,
    pub(super) m: usize,
    n_x: usize,
    /// Numbers of the stiff elements; all where there are none.
    elements: Option<Vec<usize>>,
    /// Shares in which the matrices are renewed, one in a step, and the next one.
    plan: JacobianPlan,
    next_share: usize,
    pub(super) at: Place,
    pub(super) next: Place,
    step_matrix: BoundedSolver,
    f_q: Vec<f64>,
    f_v: Vec<f64>,
    force: Vec<f64>,
    external: Vec<f64>,
    zero: Vec<f64>,
    pub(super) along: Vec<f64>,
    pub(super) right: Vec<f64>,
    /// Solution of (11); `right` may hold the step meanwhile.
    pub(super) correction: Vec<f64>,
    pub(super) g: Vec<f64>,
    pub(super) g_t: Vec<f64>,
    rates: Vec<f64>,
    pub(super) moved: Vec<f64>,
    x_rates: Vec<f64>,
    /// ε of the regularisation, row by row.
    pub(super) epsilon: Vec<f64>,
}

impl LinearImplicitEuler {
    /// Gets ready for steps of size `h` of this system, beginning at `start`: chooses the stiff elements
    /// and evaluates everything once.
    ///
    /// # Errors
    /// Options that do not go together, unknown names of elements, or a start where the model cannot be
    /// evaluated.
    pub fn new(
        mechanical: &mut dyn Mechanical,
        h: f64,
        start: &MotionState,
        options: LinearImplicitOptions,
    ) -> Result<Self, InputError> {
        options.check()?;
        if !(h > 0.0 && h.is_finite()) {
            return Err(InputError::Option {
                option: "fixed_step",
                value: h.to_string(),
                remedy: "give a positive, finite step size".into(),
            });
        }
        let (alpha, beta) = baumgarte(&options, h)?;
        let (n, m, n_x, n_q) = (
            mechanical.n_v(),
            mechanical.n_g(),
            mechanical.n_x(),
            mechanical.n_q(),
        );
        let place = Place {
            mass: vec![0.0; n * n],
            matrix: vec![0.0; m * n],
            optimisation: BoundedSolver::new(n + m),
        };
        let mut euler = Self {
            alpha,
            beta,
            n,
            m,
            n_x,
            elements: None,
            plan: JacobianPlan::default(),
            next_share: 0,
            at: place.clone(),
            next: place,
            step_matrix: BoundedSolver::new(match options.assembly {
                Level::Index1 => n,
                Level::Index2 => n + m,
            }),
            f_q: vec![0.0; n * n],
            f_v: vec![0.0; n * n],
            force: vec![0.0; n],
            external: vec![0.0; n],
            zero: vec![0.0; n],
            along: vec![0.0; n],
            right: vec![0.0; n + m],
            correction: vec![0.0; n + m],
            g: vec![0.0; m],
            g_t: vec![0.0; m],
            rates: vec![0.0; n_q],
            moved: vec![0.0; n_q],
            x_rates: vec![0.0; n_x],
            epsilon: vec![0.0; m],
            options,
        };
        euler.elements = partition::stiff_elements(mechanical, &euler.options.partition, h, start)?;
        euler.plan(mechanical);
        let started = euler.start(mechanical, start).and_then(|()| {
            euler.choose_epsilon(h);
            // A first step, not kept: whatever a model allocates when first asked for, it has now.
            let mut away = start.clone();
            euler.step(mechanical, h, start, &mut away)
        });
        // A step that cannot be done is no fault of the options: the first real one will tell.
        let evaluated = started.and_then(|()| euler.start(mechanical, start));
        match evaluated {
            Ok(()) | Err(Rejection::NonFinite { .. }) => Ok(euler),
            Err(rejection) => Err(InputError::Option {
                option: "stepper",
                value: "`linear-implicit-euler`".into(),
                remedy: format!("{rejection} at the start; choose another initial position"),
            }),
        }
    }

    /// What a checkpoint needs.
    pub(super) fn matrices(&self) -> Matrices {
        let kept = |matrix: &Vec<f64>| {
            if self.plan.shares > 1 {
                matrix.clone()
            } else {
                Vec::new()
            }
        };
        Matrices {
            elements: self.elements.clone(),
            epsilon: self.epsilon.clone(),
            next_share: self.next_share,
            f_q: kept(&self.f_q),
            f_v: kept(&self.f_v),
        }
    }

    /// Takes back what [`matrices`](Self::matrices) gave; false when it is of another model.
    pub(super) fn restore(&mut self, mechanical: &mut dyn Mechanical, matrices: &Matrices) -> bool {
        let known = matrices.elements.iter().flatten();
        if known.into_iter().any(|&k| k >= mechanical.n_elements()) || matrices.epsilon.len() != self.m {
            return false;
        }
        self.elements.clone_from(&matrices.elements);
        self.epsilon.copy_from_slice(&matrices.epsilon);
        self.plan(mechanical);
        let size = if self.plan.shares > 1 { self.n * self.n } else { 0 };
        if matrices.f_q.len() != size
            || matrices.f_v.len() != size
            || matrices.next_share >= self.plan.shares.max(1)
        {
            return false;
        }
        self.f_q.fill(0.0);
        self.f_v.fill(0.0);
        self.f_q[..size].copy_from_slice(&matrices.f_q);
        self.f_v[..size].copy_from_slice(&matrices.f_v);
        self.next_share = matrices.next_share;
        true
    }

    /// Fixes the shares in which matrices are renewed.
    fn plan(&mut self, mechanical: &mut dyn Mechanical) {
        if !self.options.stiff_terms.needs_matrices() {
            return;
        }
        self.plan = mechanical.plan_jacobians(set(&self.elements), self.options.shares as usize);
    }

    /// Begins at another state: evaluates what is kept from step to step there.
    ///
    /// # Errors
    /// The model cannot be evaluated there.
    pub fn start(&mut self, mechanical: &mut dyn Mechanical, state: &MotionState) -> Result<(), Rejection> {
        self.begin(mechanical, state)?;
        mechanical.set_states(&state.x);
        self.next_share = 0;
        for _ in 0..self.plan.shares {
            self.renew(mechanical, state)?;
        }
        Ok(())
    }

    /// The same, with the matrices as they are.
    pub(super) fn begin(
        &mut self,
        mechanical: &mut dyn Mechanical,
        state: &MotionState,
    ) -> Result<(), Rejection> {
        self.arrive(mechanical, state.t, &state.q)?;
        self.commit();
        Ok(())
    }

    /// Makes the step just done the one that the next goes on from.
    pub fn commit(&mut self) {
        std::mem::swap(&mut self.at, &mut self.next);
    }

    /// One step of size h to `to`, from where the last one was committed. `to.t` is the time it ends at,
    /// and set by the caller, who knows it without accumulated rounding.
    ///
    /// # Errors
    /// The model cannot be evaluated, or the result is not finite: `to` is then of no use.
    pub fn step(
        &mut self,
        mechanical: &mut dyn Mechanical,
        h: f64,
        from: &MotionState,
        to: &mut MotionState,
    ) -> Result<(), Rejection> {
        mechanical.set_states(&from.x);
        self.forces(mechanical, h, from)?;
        match self.options.assembly {
            Level::Index1 => self.step_index1(mechanical, h, from, to)?,
            Level::Index2 => self.step_index2(mechanical, h, from, to)?,
        }
        if self.n_x > 0 {
            mechanical.state_rates(to.t, &to.q, &to.v, &to.lambda, &mut self.x_rates)?;
            for ((x, x0), rate) in to.x.iter_mut().zip(&from.x).zip(&self.x_rates) {
                *x = x0 + h * rate;
            }
        }
        match to.first_non_finite() {
            None => Ok(()),
            Some(row) => Err(Rejection::NonFinite { row }),
        }
    }

    /// Constraints on acceleration level: velocities from what is known at the beginning of the step.
    fn step_index1(
        &mut self,
        mechanical: &mut dyn Mechanical,
        h: f64,
        from: &MotionState,
        to: &mut MotionState,
    ) -> Result<(), Rejection> {
        let (n, m) = (self.n, self.m);
        if m > 0 {
            mechanical.constraint_bias(from.t, &from.q, &from.v, &mut self.right[n..])?;
        }
        if m > 0 && self.options.stabilisation == Stabilisation::Baumgarte {
            mechanical.constraint_rate(from.t, &from.q, &mut self.g_t)?;
            mechanical.constraint(from.t, &from.q, &mut self.g)?;
            add_product(&self.at.matrix, m, &from.v, &mut self.g_t);
            for i in 0..m {
                self.right[n + i] += 2.0 * self.alpha * self.g_t[i] + self.beta * self.g[i];
            }
        }
        if m > 0 {
            // λ, and with it the accelerations of the explicit method.
            for (c, (f, e)) in self
                .correction
                .iter_mut()
                .zip(self.force.iter().zip(&self.external))
            {
                *c = f + e;
            }
            for (c, r) in self.correction[n..].iter_mut().zip(&self.right[n..]) {
                *c = -r;
            }
            self.at.optimisation.solve(&mut self.correction);
            self.right[n..].copy_from_slice(&self.correction[n..]);
        }
        if self.is_solved_with_multipliers() {
            self.right[..n].copy_from_slice(&self.correction[..n]);
        } else {
            let (forces, lambda) = self.right.split_at_mut(n);
            for (f, column) in forces.iter_mut().zip(self.at.matrix.chunks_exact(m.max(1))) {
                *f -= column.iter().zip(lambda.iter()).map(|(g, l)| g * l).sum::<f64>();
            }
            self.step_matrix.matrix().copy_from_slice(&self.at.mass);
            self.subtract_stiff_terms(h);
            self.step_matrix.factorise();
            self.step_matrix.solve(&mut self.right[..n]);
        }
        self.take_velocities(h, from, to);
        let v = if self.options.moves_with_new_velocities() {
            &to.v
        } else {
            &from.v
        };
        if self.options.ordering == Ordering::VelocitiesFirst {
            mechanical.advance(&from.q, h, v, &mut to.q);
        } else {
            mechanical.velocity_map(&from.q, v, &mut self.rates);
            for ((q, q0), rate) in to.q.iter_mut().zip(&from.q).zip(&self.rates) {
                *q = q0 + h * rate;
            }
            mechanical.normalise(&mut to.q);
        }
        self.project_positions(mechanical, to)?;
        self.arrive(mechanical, to.t, &to.q)?;
        self.project_velocities(mechanical, to)
    }

    /// Constraints on velocity level, (6): positions first, then velocities that fit them.
    fn step_index2(
        &mut self,
        mechanical: &mut dyn Mechanical,
        h: f64,
        from: &MotionState,
        to: &mut MotionState,
    ) -> Result<(), Rejection> {
        let (n, m) = (self.n, self.m);
        mechanical.velocity_map(&from.q, &from.v, &mut self.rates);
        for ((q, q0), rate) in to.q.iter_mut().zip(&from.q).zip(&self.rates) {
            *q = q0 + h * rate;
        }
        mechanical.normalise(&mut to.q);
        // After it (6b) is one step of the form of Gear, Gupta and Leimkuhler, (9).
        self.project_positions(mechanical, to)?;
        self.arrive(mechanical, to.t, &to.q)?;
        if m > 0 {
            mechanical.constraint_rate(to.t, &to.q, &mut self.g_t)?;
            add_product(&self.next.matrix, m, &from.v, &mut self.g_t);
            if self.damps_positions() {
                mechanical.constraint(to.t, &to.q, &mut self.g)?;
                for (c, g) in self.g_t.iter_mut().zip(&self.g) {
                    *c += self.alpha * g;
                }
            }
        }
        for i in 0..m {
            self.right[n + i] = -self.g_t[i] / h;
            if self.options.stabilisation == Stabilisation::Regularisation && mechanical.takes_part(i) {
                self.right[n + i] -= self.epsilon[i] / h * from.lambda[i];
            }
        }
        self.fill_step_matrix(mechanical, h);
        self.step_matrix.factorise();
        self.step_matrix.solve(&mut self.right);
        self.take_velocities(h, from, to);
        Ok(())
    }

    /// The upper right-hand side: f + h J_q v₀.
    fn forces(
        &mut self,
        mechanical: &mut dyn Mechanical,
        h: f64,
        from: &MotionState,
    ) -> Result<(), Rejection> {
        let n = self.n;
        mechanical.force(from.t, &from.q, &from.v, &from.lambda, &mut self.force)?;
        if self.plan.shares > 0 {
            self.renew(mechanical, from)?;
        }
        self.along.fill(0.0);
        if self.options.ordering == Ordering::PositionsFirst {
            match self.options.stiff_terms {
                StiffTerms::Exact | StiffTerms::J1 | StiffTerms::J2 => {
                    add_product(&self.f_q, n, &from.v, &mut self.along);
                }
                StiffTerms::J3 => mechanical.force_derivative(
                    from.t,
                    &from.q,
                    &from.v,
                    &from.lambda,
                    &from.v,
                    &self.zero,
                    &mut self.along,
                )?,
                StiffTerms::None => {}
            }
        }
        for i in 0..n {
            self.right[i] = self.force[i] + self.external[i] + h * self.along[i];
        }
        Ok(())
    }

    /// Renews the next share of the matrices.
    fn renew(&mut self, mechanical: &mut dyn Mechanical, from: &MotionState) -> Result<(), Rejection> {
        let share = self.next_share;
        self.next_share = (share + 1) % self.plan.shares.max(1);
        mechanical.renew_jacobians(
            from.t,
            &from.q,
            &from.v,
            &from.lambda,
            set(&self.elements),
            share,
            &mut self.f_q,
            &mut self.f_v,
        )
    }

    /// M, G and the matrix of the projection at a new place.
    fn arrive(&mut self, mechanical: &mut dyn Mechanical, t: f64, q: &[f64]) -> Result<(), Rejection> {
        let (n, m) = (self.n, self.m);
        mechanical.mass(t, q, &mut self.next.mass)?;
        if m > 0 {
            mechanical.constraint_matrix(t, q, &mut self.next.matrix)?;
        }
        if self.keeps_optimisation() {
            let Place {
                mass,
                matrix,
                optimisation,
            } = &mut self.next;
            fill_saddle(optimisation.matrix(), (n, m), mass, matrix, matrix);
            for i in (0..m).filter(|&i| !mechanical.takes_part(i)) {
                optimisation.matrix()[(n + i) * (n + m + 1)] = 1.0;
            }
            optimisation.factorise();
        }
        Ok(())
    }

    /// (A Gᵀ; G₁ D).
    fn fill_step_matrix(&mut self, mechanical: &dyn Mechanical, h: f64) {
        let (n, m) = (self.n, self.m);
        fill_saddle(
            self.step_matrix.matrix(),
            (n, m),
            &self.at.mass,
            &self.at.matrix,
            &self.next.matrix,
        );
        self.subtract_stiff_terms(h);
        let regular = self.options.stabilisation == Stabilisation::Regularisation;
        let values = self.step_matrix.matrix();
        for i in 0..m {
            values[(n + i) * (n + m + 1)] = match mechanical.takes_part(i) {
                false => 1.0,
                true if regular => -self.epsilon[i] / h,
                true => 0.0,
            };
        }
    }

    /// Makes A of the M that the matrix of the step begins with.
    fn subtract_stiff_terms(&mut self, h: f64) {
        let n = self.n;
        let (by_v, by_q) = match self.options.stiff_terms {
            StiffTerms::Exact | StiffTerms::J2 => (h, h * h),
            StiffTerms::J1 => (h, 0.0),
            StiffTerms::J3 | StiffTerms::None => return,
        };
        let size = self.step_matrix.size();
        for (j, column) in self
            .step_matrix
            .matrix()
            .chunks_exact_mut(size)
            .take(n)
            .enumerate()
        {
            let terms = self.f_v[j * n..].iter().zip(&self.f_q[j * n..]);
            for (a, (f_v, f_q)) in column[..n].iter_mut().zip(terms) {
                *a -= by_v * f_v + by_q * f_q;
            }
        }
    }

    /// v₁ = v₀ + h a, and the multipliers.
    fn take_velocities(&self, h: f64, from: &MotionState, to: &mut MotionState) {
        for ((v, v0), a) in to.v.iter_mut().zip(&from.v).zip(&self.right) {
            *v = v0 + h * a;
        }
        to.lambda.copy_from_slice(&self.right[self.n..]);
    }

    /// The options.
    pub fn options(&self) -> &LinearImplicitOptions {
        &self.options
    }

    /// Numbers of the force elements that count as stiff; `None`: all of them, and gyroscopic forces.
    pub fn stiff_elements(&self) -> Option<&[usize]> {
        self.elements.as_deref()
    }

    /// Generalised forces from outside, added to those of the model until they are changed.
    pub fn external_forces(&mut self) -> &mut [f64] {
        &mut self.external
    }

    /// Evaluations and operations of a step: the same in every step, whatever the numbers are.
    pub fn work(&self) -> Work {
        let constrained = u32::from(self.m > 0);
        let index1 = u32::from(self.options.assembly == Level::Index1);
        let projections = match (self.projects(), self.options.projections) {
            (false, _) => 0,
            (true, Projections::Fixed(k)) => k,
            (true, Projections::Converged) => MOST_NEWTON_STEPS,
        };
        let projected = u32::from(self.projects());
        let damped = constrained * u32::from(self.damps_positions());
        let kept = u32::from(self.keeps_optimisation());
        let in_step = u32::from(!self.is_solved_with_multipliers());
        // Positions, and with index 1 multipliers and velocities.
        let with_kept = projections + index1 * (kept + projected);
        let place = &self.at.optimisation;
        Work {
            mass: 1,
            force: 1,
            derivative: u32::from(self.options.stiff_terms == StiffTerms::J3),
            jacobian_sweeps: self.plan.sweeps as u32,
            jacobian_elements: self.plan.elements as u32,
            jacobian_projections: self.plan.projections as u32,
            constraint: projections + damped,
            constraint_matrix: constrained,
            constraint_rate: constrained * (1 - index1) + index1 * (damped + projected),
            constraint_bias: constrained * index1,
            state_rates: u32::from(self.n_x > 0),
            velocity_map: 1 + projections,
            factorisations: in_step + kept,
            factorisation_flops: u64::from(in_step) * self.step_matrix.factorisation_flops()
                + u64::from(kept) * place.factorisation_flops(),
            solves: in_step + with_kept,
            solve_flops: u64::from(in_step) * self.step_matrix.solve_flops()
                + u64::from(with_kept) * place.solve_flops(),
        }
    }

    pub(super) fn projects(&self) -> bool {
        self.m > 0 && self.options.stabilisation == Stabilisation::Projection
    }

    /// Whether the explicit method needs no more than the system that gives λ.
    fn is_solved_with_multipliers(&self) -> bool {
        self.m > 0 && self.options.assembly == Level::Index1 && self.options.stiff_terms == StiffTerms::None
    }

    /// Whether (M Gᵀ; G 0) is factorised at every position.
    fn keeps_optimisation(&self) -> bool {
        self.m > 0 && (self.projects() || self.options.assembly == Level::Index1)
    }

    fn damps_positions(&self) -> bool {
        matches!(
            self.options.stabilisation,
            Stabilisation::Baumgarte | Stabilisation::Regularisation
        )
    }
}

fn set(elements: &Option<Vec<usize>>) -> ElementSet<'_> {
    match elements {
        Some(numbers) => ElementSet::Some(numbers),
        None => ElementSet::All,
    }
}

/// out := out + A x, A column by column with `rows` rows.
pub(super) fn add_product(a: &[f64], rows: usize, x: &[f64], out: &mut [f64]) {
    for (column, x) in a.chunks_exact(rows.max(1)).zip(x) {
        for (out, a) in out.iter_mut().zip(column) {
            *out += a * x;
        }
    }
}

/// (M Gᵀ; L 0).
fn fill_saddle(values: &mut [f64], (n, m): (usize, usize), mass: &[f64], matrix: &[f64], lower: &[f64]) {
    let size = n + m;
    for j in 0..n {
        values[j * size..j * size + n].copy_from_slice(&mass[j * n..(j + 1) * n]);
        values[j * size + n..(j + 1) * size].copy_from_slice(&lower[j * m..(j + 1) * m]);
    }
    for i in 0..m {
        let column = &mut values[(n + i) * size..(n + i + 1) * size];
        for j in 0..n {
            column[j] = matrix[i + j * m];
        }
        column[n..].fill(0.0);
    }
}
