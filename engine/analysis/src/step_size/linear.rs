//! A step of the linear-implicit Euler method as a linear map of small deviations.
//!
//! At rest and in steady motion this is the derivative of the step, with geometric stiffness, constraints and states
//! of elements. What enters the matrices of the step (∂f/∂q and ∂f/∂v of the stiff elements) is kept apart from how
//! forces really change, which decides.

use crate::AnalysisError;
use crate::dense::{Complex, Lu, Matrix, eigen};
use crate::modes::{ZERO, scales};
use crate::reduced::{Reduced, constraint_matrix};
use crate::tangent::{Equation, Sizes, State};
use holonom_dae::{ElementSet, Mechanical};
use holonom_multibody::start::Assembled;
use holonom_solver::stepper::{
    Level, LinearImplicitOptions, Ordering, Stabilisation, StiffTerms, baumgarte_parameters,
};

/// What linear-implicit steps are made of, linearised at a state.
///
/// Of a mechanism by [`advice`](super::advice), of a linear system M q̈ = −K q − D q̇ with
/// [`oscillators`](Self::oscillators).
#[derive(Clone, Debug)]
pub struct LinearStep {
    n: usize,
    n_x: usize,
    mass: Matrix,
    /// G, rows × n.
    constraint: Matrix,
    /// Forces on velocities by −λ: Gᵀ, less what forces take of λ.
    pull: Matrix,
    /// Forces by (s, v, x), with geometric stiffness.
    force: Matrix,
    /// The rest of the constraints on accelerations by (s, v, x).
    bias: Matrix,
    /// ẋ by (s, v, x), and by λ.
    rates: Matrix,
    rates_by_lambda: Matrix,
    /// δṡ = δv + W δs.
    turning: Matrix,
    /// ∂(G v + g_t)/∂s.
    gradient: Matrix,
    /// ∂f/∂s of all elements, for `j3`.
    all_q: Matrix,
    /// ∂f/∂s and ∂f/∂v of the stiff ones.
    stiff_q: Matrix,
    stiff_v: Matrix,
    /// From independent states to (s, v, x), and where they stand there.
    from_states: Matrix,
    picked: Vec<usize>,
    /// Scales in which independent states, and all of (s, v, x), are alike.
    scale: Vec<f64>,
    full_scale: Vec<f64>,
}

impl LinearStep {
    /// M q̈ = −K q − D q̇, symmetric or not, without constraints. All of it enters the matrices of the step.
    ///
    /// ```
    /// use holonom_analysis::dense::Matrix;
    /// use holonom_analysis::step_size::LinearStep;
    /// use holonom_solver::stepper::{LinearImplicitOptions, StepLimit, StiffTerms};
    ///
    /// let one = |x: f64| Matrix::from_fn(1, 1, |_, _| x);
    /// let step = LinearStep::oscillators(one(2.0), one(200.0), one(0.0))?;
    /// let options = LinearImplicitOptions { stiff_terms: StiffTerms::J1, ..LinearImplicitOptions::default() };
    /// let StepLimit::UpTo(h) = step.limit(&options)? else { panic!("J1 has a limit") };
    /// assert!((h - 0.2).abs() < 1e-4); // h²a = 4
    /// # Ok::<(), holonom_analysis::AnalysisError>(())
    /// ```
    ///
    /// # Errors
    /// A singular mass matrix, or matrices that are not square and of one size.
    pub fn oscillators(mass: Matrix, stiffness: Matrix, damping: Matrix) -> Result<Self, AnalysisError> {
        let n = mass.rows();
        if [&mass, &stiffness, &damping]
            .iter()
            .any(|a| a.rows() != n || a.columns() != n || !a.is_finite())
        {
            return Err(AnalysisError::NoAccelerations);
        }
        if n > 0 && Lu::new(mass.clone()).smallest_pivot() < 1e-14 {
            return Err(AnalysisError::NoAccelerations);
        }
        let negative = |a: &Matrix| Matrix::from_fn(n, n, |i, j| -a[(i, j)]);
        let (all_q, stiff_v) = (negative(&stiffness), negative(&damping));
        let mut force = Matrix::zeros(n, 2 * n);
        force.put(0, 0, &all_q);
        force.put(0, n, &stiff_v);
        let weight: Vec<f64> = (0..n)
            .map(|i| mass[(i, i)].abs().sqrt().max(f64::MIN_POSITIVE))
            .collect();
        let most = |a: &Matrix| {
            let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            all.map(|(i, j)| (a[(i, j)] / (weight[i] * weight[j])).abs())
                .fold(0.0, f64::max)
        };
        let omega = match (most(&stiffness).sqrt(), most(&damping)) {
            (k, _) if k > 0.0 => k,
            (_, d) if d > 0.0 => d,
            _ => 1.0,
        };
        let scale: Vec<f64> = (weight.iter().map(|w| 1.0 / w))
            .chain(weight.iter().map(|w| omega / w))
            .collect();
        Ok(Self {
            n,
            n_x: 0,
            mass,
            constraint: Matrix::zeros(0, n),
            pull: Matrix::zeros(n, 0),
            force,
            bias: Matrix::zeros(0, 2 * n),
            rates: Matrix::zeros(0, 2 * n),
            rates_by_lambda: Matrix::zeros(0, 0),
            turning: Matrix::zeros(n, n),
            gradient: Matrix::zeros(0, n),
            stiff_q: all_q.clone(),
            all_q,
            stiff_v,
            from_states: Matrix::identity(2 * n),
            picked: (0..2 * n).collect(),
            full_scale: scale.clone(),
            scale,
        })
    }

    /// Of a mechanism at a state, with the elements that count as stiff.
    pub(super) fn of(start: &Assembled, state: &State, stiff: ElementSet<'_>) -> Result<Self, AnalysisError> {
        let mut equation = Equation::new(start.model.clone(), start.rows.active.clone());
        let reduced = Reduced::new(&mut equation, state)?;
        let tangent = equation.tangent(state)?;
        let Sizes {
            v: n,
            x: n_x,
            rows: m,
            ..
        } = equation.sizes;
        let part =
            |rows: core::ops::Range<usize>, columns: core::ops::Range<usize>, sign: f64, of: &Matrix| {
                Matrix::from_fn(rows.len(), columns.len(), |i, j| {
                    sign * of[(rows.start + i, columns.start + j)]
                })
            };
        let (velocities, own, constraints) = (0..n, n..n + n_x, n + n_x..n + n_x + m);
        let all = 0..2 * n + n_x;
        let mut mechanical = start.mechanical();
        mechanical.set_states(&state.x);
        let mut jacobians = |elements| -> Result<[Matrix; 2], AnalysisError> {
            let (mut f_q, mut f_v) = (vec![0.0; n * n], vec![0.0; n * n]);
            mechanical.force_jacobians(
                state.t,
                &state.q,
                &state.v,
                &state.lambda,
                elements,
                &mut f_q,
                &mut f_v,
            )?;
            Ok([f_q, f_v].map(|data| Matrix::from_fn(n, n, |i, j| data[j * n + i])))
        };
        let [all_q, _] = jacobians(ElementSet::All)?;
        let [stiff_q, stiff_v] = jacobians(stiff)?;
        let scale = scales(&reduced);
        // The same for all of (s, v, x): velocities ω₀ times larger.
        let n_xi = reduced.positions.len();
        let omega = (reduced.velocities.iter().zip(&scale[n_xi..]))
            .next()
            .map_or(1.0, |(&i, scale)| scale * reduced.weight[i]);
        let mut full_scale: Vec<f64> = reduced.weight.iter().map(|w| 1.0 / w).collect();
        full_scale.extend(reduced.weight.iter().map(|w| omega / w));
        full_scale.extend(&scale[scale.len() - n_x..]);
        Ok(Self {
            n,
            n_x,
            mass: part(velocities.clone(), velocities.clone(), 1.0, &tangent.rates),
            constraint: constraint_matrix(&tangent, equation.sizes),
            pull: part(velocities.clone(), constraints.clone(), 1.0, &tangent.rates),
            force: part(velocities, all.clone(), -1.0, &tangent.states),
            bias: part(constraints.clone(), all.clone(), 1.0, &tangent.states),
            rates: part(own.clone(), all, -1.0, &tangent.states),
            rates_by_lambda: part(own, constraints, -1.0, &tangent.rates),
            turning: equation.turning(&state.v),
            gradient: reduced.gradient.clone(),
            all_q,
            stiff_q,
            stiff_v,
            picked: reduced.picked(),
            from_states: reduced.from_states,
            scale,
            full_scale,
        })
    }

    /// Whether a step keeps deviations on the constraints, linearly: independent states are enough then.
    fn keeps_constraints(&self, options: &LinearImplicitOptions) -> bool {
        self.constraint.rows() == 0
            || options.assembly == Level::Index2 && !self.regularises(options)
            || options.stabilisation == Stabilisation::Projection
    }

    /// Whether multipliers go on from step to step, as states do.
    fn regularises(&self, options: &LinearImplicitOptions) -> bool {
        self.constraint.rows() > 0 && options.stabilisation == Stabilisation::Regularisation
    }

    /// The diagonal of G M⁻¹ Gᵀ; rows that consist of zeros borrow the largest one, as the method does.
    fn inertia_of_rows(&self) -> Result<Vec<f64>, AnalysisError> {
        let (n, m) = (self.n, self.constraint.rows());
        let solved = regular(Lu::new(self.mass.clone()))?.solve_matrix(self.constraint.transpose());
        let own = |i: usize| {
            (0..n)
                .map(|j| self.constraint[(i, j)] * solved[(j, i)])
                .sum::<f64>()
        };
        let found: Vec<f64> = (0..m).map(own).collect();
        let largest = found.iter().copied().fold(0.0, f64::max);
        let scale = |s: f64| match (s > 1e-12 * largest, largest > 0.0) {
            (true, _) => s,
            (false, true) => largest,
            (false, false) => 1.0,
        };
        Ok(found.into_iter().map(scale).collect())
    }

    /// The map of a step of size h, of independent states where these are enough, and of (s, v, x) otherwise, with λ
    /// behind where multipliers go on from step to step.
    pub(super) fn map(&self, options: &LinearImplicitOptions, h: f64) -> Result<Matrix, AnalysisError> {
        let (n, m) = (self.n, self.constraint.rows());
        let reduced = self.keeps_constraints(options);
        let regularises = self.regularises(options);
        let size = 2 * n + self.n_x;
        let all = if regularises { size + m } else { size };
        let basis = if reduced {
            self.from_states.clone()
        } else {
            Matrix::from_fn(size, all, |i, j| f64::from(u8::from(i == j)))
        };
        let rows =
            |from: usize, count: usize| Matrix::from_fn(count, basis.columns(), |i, j| basis[(from + i, j)]);
        let (s0, v0, x0) = (rows(0, n), rows(n, n), rows(2 * n, self.n_x));
        let forces = self.force.times(&basis);
        let along = match (options.ordering, options.stiff_terms) {
            (Ordering::VelocitiesFirst, _) | (_, StiffTerms::None) => Matrix::zeros(n, basis.columns()),
            (_, StiffTerms::J3) => self.all_q.times(&v0),
            _ => self.stiff_q.times(&v0),
        };
        let (by_v, by_q) = match options.stiff_terms {
            StiffTerms::Exact | StiffTerms::J2 => (h, h * h),
            StiffTerms::J1 => (h, 0.0),
            StiffTerms::J3 | StiffTerms::None => (0.0, 0.0),
        };
        let a = Matrix::from_fn(n, n, |i, j| {
            self.mass[(i, j)] - by_v * self.stiff_v[(i, j)] - by_q * self.stiff_q[(i, j)]
        });
        let (alpha, beta) = baumgarte_parameters(options, h)?;
        let upper = sum(&forces, h, &along);
        let move_with = |v: &Matrix| sum(&sum(&s0, h, &self.turning.times(&s0)), h, v);
        let projects = m > 0 && options.stabilisation == Stabilisation::Projection;
        let (s1, v1, lambda);
        match options.assembly {
            Level::Index1 => {
                let gap = sum(&self.constraint.times(&v0), 1.0, &self.gradient.times(&s0));
                let bias = sum(
                    &sum(&self.bias.times(&basis), 2.0 * alpha, &gap),
                    beta,
                    &self.constraint.times(&s0),
                );
                lambda = self.saddle(&self.mass, &forces, &bias, -1.0)?.1;
                let right = sum(&upper, -1.0, &self.pull.times(&lambda));
                let lu = regular(Lu::new(a))?;
                v1 = sum(&v0, h, &lu.solve_matrix(right));
                let moved = move_with(if options.moves_with_new_velocities() {
                    &v1
                } else {
                    &v0
                });
                s1 = self.projected(projects, moved)?;
            }
            Level::Index2 => {
                s1 = self.projected(projects, move_with(&v0))?;
                let gap = sum(
                    &sum(&self.constraint.times(&v0), 1.0, &self.gradient.times(&s1)),
                    alpha,
                    &self.constraint.times(&s1),
                );
                let (rate, found) = if regularises {
                    // G a − (ε/h) λ₁ = −gap/h − (ε/h) λ₀ with ε = options.epsilon · h G M⁻¹ Gᵀ.
                    let inertia = self.inertia_of_rows()?;
                    let soft: Vec<f64> = inertia.iter().map(|s| options.epsilon * s).collect();
                    let lower = Matrix::from_fn(m, all, |i, j| {
                        let before = f64::from(u8::from(size + i == j));
                        -gap[(i, j)] / h - soft[i] * before
                    });
                    self.soft_saddle(&a, &upper, &lower, 1.0, &soft)?
                } else {
                    self.saddle(&a, &upper, &gap, -1.0 / h)?
                };
                v1 = sum(&v0, h, &rate);
                lambda = found;
            }
        }
        let v1 = if projects && options.assembly == Level::Index1 {
            let gap = sum(&self.constraint.times(&v1), 1.0, &self.gradient.times(&s1));
            let zero = Matrix::zeros(n, v1.columns());
            sum(&v1, -1.0, &self.saddle(&self.mass, &zero, &gap, 1.0)?.0)
        } else {
            v1
        };
        let mut after = Matrix::zeros(if regularises { all } else { size }, basis.columns());
        after.put(0, 0, &s1);
        after.put(n, 0, &v1);
        after.put(2 * n, 0, &x0);
        if regularises {
            after.put(size, 0, &lambda);
        }
        let moved = Matrix::from_fn(size, basis.columns(), |i, j| after[(i, j)]);
        let rates = sum(
            &self.rates.times(&moved),
            1.0,
            &self.rates_by_lambda.times(&lambda),
        );
        after.put(2 * n, 0, &sum(&x0, h, &rates));
        let columns: Vec<usize> = (0..basis.columns()).collect();
        Ok(if reduced {
            after.part(&self.picked, &columns)
        } else {
            after
        })
    }

    /// x and λ of (A Gᵀ; G 0)(x; λ) = (upper; factor · lower).
    fn saddle(
        &self,
        a: &Matrix,
        upper: &Matrix,
        lower: &Matrix,
        factor: f64,
    ) -> Result<(Matrix, Matrix), AnalysisError> {
        self.soft_saddle(a, upper, lower, factor, &[])
    }

    /// The same of (A Gᵀ; G −D), D diagonal.
    fn soft_saddle(
        &self,
        a: &Matrix,
        upper: &Matrix,
        lower: &Matrix,
        factor: f64,
        soft: &[f64],
    ) -> Result<(Matrix, Matrix), AnalysisError> {
        let (n, m) = (self.n, self.constraint.rows());
        let mut matrix = Matrix::zeros(n + m, n + m);
        matrix.put(0, 0, a);
        matrix.put(0, n, &self.pull);
        matrix.put(n, 0, &self.constraint);
        for (i, soft) in soft.iter().enumerate() {
            matrix[(n + i, n + i)] = -soft;
        }
        let mut right = Matrix::zeros(n + m, upper.columns());
        right.put(0, 0, upper);
        right.put(n, 0, &sum(&Matrix::zeros(m, upper.columns()), factor, lower));
        let solved = regular(Lu::new(matrix))?.solve_matrix(right);
        let part =
            |from: usize, count: usize| Matrix::from_fn(count, upper.columns(), |i, j| solved[(from + i, j)]);
        Ok((part(0, n), part(n, m)))
    }

    /// Positions after a Newton step (11), linearly.
    fn projected(&self, projects: bool, s: Matrix) -> Result<Matrix, AnalysisError> {
        if !projects {
            return Ok(s);
        }
        let zero = Matrix::zeros(self.n, s.columns());
        let (moved, _) = self.saddle(&self.mass, &zero, &self.constraint.times(&s), 1.0)?;
        Ok(sum(&s, -1.0, &moved))
    }

    /// The factor by which deviations grow at most in a step of size h: the largest |z| of its eigenvalues.
    ///
    /// # Errors
    /// Singular matrices of the step.
    pub fn factor(&self, options: &LinearImplicitOptions, h: f64) -> Result<f64, AnalysisError> {
        Ok(self.factors(options, h)?.into_iter().fold(0.0, f64::max))
    }

    /// |z| of all eigenvalues of a step; those that are one because something rests or drifts only once.
    pub(super) fn factors(&self, options: &LinearImplicitOptions, h: f64) -> Result<Vec<f64>, AnalysisError> {
        if baumgarte_parameters(options, h).is_err() {
            // Errors in the constraints grow.
            return Ok(vec![f64::INFINITY]);
        }
        let map = self.map(options, h)?;
        let mut scale = if self.keeps_constraints(options) {
            self.scale.clone()
        } else {
            self.full_scale.clone()
        };
        if self.regularises(options) {
            // Multipliers that give accelerations ω² times as large as the displacements.
            let omega = match (scale.first(), scale.get(self.n)) {
                (Some(s), Some(v)) => v / s,
                _ => 1.0,
            };
            let inertia = self.inertia_of_rows()?;
            scale.extend(inertia.iter().map(|s| omega * omega / s.sqrt()));
        }
        let scale = &scale;
        // z = 1 + hμ: what rests or drifts is μ = 0, found by rank, so that chains of ones do not spread.
        let rate = Matrix::from_fn(map.rows(), map.rows(), |i, j| {
            (map[(i, j)] - f64::from(u8::from(i == j))) / h
        });
        if map.rows() == 0 {
            return Ok(Vec::new());
        }
        let found = eigen(&rate, scale, ZERO)?;
        let size = |z: &Complex| (1.0 + h * z.re).hypot(h * z.im);
        let ones = (found.zeros > 0).then_some(1.0);
        Ok(found.values.iter().map(size).chain(ones).collect())
    }

    /// ż = A z of independent states: eigenvalues, scaled as the modes are.
    pub(super) fn eigenvalues(&self) -> Result<Spectrum, AnalysisError> {
        let (n, m) = (self.n, self.constraint.rows());
        let size = 2 * n + self.n_x;
        let forces = self.force.times(&self.from_states);
        let bias = self.bias.times(&self.from_states);
        let (a, lambda) = self.saddle(&self.mass, &forces, &bias, -1.0)?;
        let rows = |from: usize, count: usize| {
            Matrix::from_fn(count, self.from_states.columns(), |i, j| {
                self.from_states[(from + i, j)]
            })
        };
        let mut rate = Matrix::zeros(size, self.from_states.columns());
        rate.put(0, 0, &sum(&rows(n, n), 1.0, &self.turning.times(&rows(0, n))));
        rate.put(n, 0, &a);
        let own = sum(
            &self.rates.times(&self.from_states),
            1.0,
            &self.rates_by_lambda.times(&lambda),
        );
        debug_assert_eq!(lambda.rows(), m);
        rate.put(2 * n, 0, &own);
        let columns: Vec<usize> = (0..self.from_states.columns()).collect();
        let found = eigen(&rate.part(&self.picked, &columns), &self.scale, ZERO)?;
        let shapes = (found.values.iter().zip(found.vectors))
            .filter(|(value, _)| value.im >= 0.0)
            .map(|(value, z)| {
                let mut w = vec![Complex::ZERO; size];
                for (j, z) in z.iter().enumerate() {
                    for (i, w) in w.iter_mut().enumerate() {
                        *w += z.scale(self.from_states[(i, j)]);
                    }
                }
                (*value, w)
            })
            .collect();
        Ok(Spectrum {
            shapes,
            zeros: found.zeros,
        })
    }

    /// φᴴ M φ and −φᴴ F_v φ of the displacements of a shape: what a damped mode has of damping by mass. None for
    /// shapes of own states alone.
    pub(super) fn damping(&self, shape: &[Complex]) -> Option<f64> {
        let n = self.n;
        let form = |of: &dyn Fn(usize, usize) -> f64| {
            let mut sum = 0.0;
            for i in 0..n {
                for j in 0..n {
                    // The real part is that of the symmetric part, all that damps.
                    sum += of(i, j) * (shape[i].re * shape[j].re + shape[i].im * shape[j].im);
                }
            }
            sum
        };
        let mass = form(&|i, j| self.mass[(i, j)]);
        let weight: f64 = (0..n)
            .map(|i| self.mass[(i, i)] * (shape[i].re.powi(2) + shape[i].im.powi(2)))
            .sum();
        let own: f64 = shape[2 * n..].iter().map(|z| z.abs()).fold(0.0, f64::max);
        let moves = weight.is_finite() && weight > 1e-24 * own * own && mass > 0.0;
        moves.then(|| -form(&|i, j| self.force[(i, n + j)]) / mass)
    }
}

/// Eigenvalues that are not zero, one of every conjugate pair, with their shapes in (s, v, x).
pub(super) struct Spectrum {
    pub shapes: Vec<(Complex, Vec<Complex>)>,
    pub zeros: usize,
}

/// A + factor · B.
fn sum(a: &Matrix, factor: f64, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), a.columns(), |i, j| a[(i, j)] + factor * b[(i, j)])
}

fn regular(lu: Lu) -> Result<Lu, AnalysisError> {
    if lu.smallest_pivot() < 1e-15 {
        return Err(AnalysisError::NoAccelerations);
    }
    Ok(lu)
}
