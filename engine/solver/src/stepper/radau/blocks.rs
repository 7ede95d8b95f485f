//! The linear systems of a step: one real block γ/h ∂F/∂ẏ + ∂F/∂y, and one complex block
//! (α + iβ)/h ∂F/∂ẏ + ∂F/∂y for each pair of stages.

use super::coefficients::Method;
use super::elimination::{Coupling, Eliminated, Plan, RestColumn, Target};
use crate::jacobian::SplitJacobian;
use crate::linear::{Complex, Factorised, LinearSolver, LuComplex, LuDense, Matrix, Singular};
use holonom_dae::{Counters, Structure};

/// Complex blocks of the method with most stages.
const MOST_PAIRS: usize = 3;

/// The factorised blocks of a dense Jacobian.
pub(super) struct Blocks {
    plan: Plan,
    coupling: Coupling,
    matrix: Matrix,
    real: (Eliminated<f64>, LuDense),
    complex: Vec<(Eliminated<Complex>, LuComplex)>,
    rest: Vec<f64>,
    rest_complex: Vec<Complex>,
}

impl Blocks {
    pub fn new(structure: &Structure) -> Self {
        Self::with(Plan::new(structure))
    }

    fn with(plan: Plan) -> Self {
        let m = plan.rest();
        Self {
            coupling: Coupling::new(&plan),
            matrix: Matrix::dense(m),
            real: (Eliminated::new(&plan), LuDense::new(m)),
            complex: (0..MOST_PAIRS)
                .map(|_| (Eliminated::new(&plan), LuComplex::new(m)))
                .collect(),
            rest: vec![0.0; m],
            rest_complex: vec![Complex::default(); m],
            plan,
        }
    }

    /// Whether rows are eliminated before the factorisation.
    pub fn eliminates(&self) -> bool {
        self.plan.eliminated() > 0
    }

    /// Leaves all rows in the matrix.
    pub fn keep_all_rows(&mut self) {
        if self.eliminates() {
            *self = Self::with(Plan::nothing(self.plan.rest() + self.plan.eliminated()));
        }
    }

    /// Forms and factorises all blocks of a method for step size `h`.
    pub fn factorise(
        &mut self,
        method: &Method,
        h: f64,
        split: &SplitJacobian,
        scales: (&[f64], &[f64]),
        counters: &mut Counters,
    ) -> Result<Factorised, Singular> {
        let (plan, coupling) = (&self.plan, &mut self.coupling);
        if !coupling.load(plan, split.f_y.values(), scales.0, scales.1) {
            // K is not diagonal after all: everything stays from now on.
            self.keep_all_rows();
            self.coupling
                .load(&self.plan, split.f_y.values(), scales.0, scales.1);
        }
        let Self {
            plan,
            coupling,
            matrix,
            real,
            complex,
            ..
        } = self;
        let whole = |singular| match singular {
            Singular::Structural { row, column } => {
                let (row, column) = plan.original(row, column);
                Singular::Structural { row, column }
            }
            Singular::Numerical { row, column } => {
                let (row, column) = plan.original(row, column);
                Singular::Numerical { row, column }
            }
            Singular::NonFinite { row, column } => {
                let (row, column) = plan.original(row, column);
                Singular::NonFinite { row, column }
            }
        };
        let (eliminated, lu) = real;
        eliminated.form(plan, coupling, split, scales, method.gamma / h, matrix)?;
        counters.factorisations += 1;
        let mut factorised = lu.factorise(matrix).map_err(whole)?;
        for ((eliminated, lu), &(alpha, beta)) in complex.iter_mut().zip(method.complex) {
            let lambda = Complex::new(alpha / h, beta / h);
            lu.clear();
            eliminated.form(plan, coupling, split, scales, lambda, lu)?;
            counters.factorisations += 1;
            let this = lu.factorise().map_err(whole)?;
            factorised.pivot_growth = factorised.pivot_growth.max(this.pivot_growth);
        }
        Ok(factorised)
    }

    /// b := (γ/h ∂F/∂ẏ + ∂F/∂y)⁻¹ b, in the scaling of the factorisation.
    pub fn solve_real(&mut self, b: &mut [f64]) {
        let (eliminated, lu) = &mut self.real;
        eliminated.reduce(&self.plan, &self.coupling, |i| b[i], &mut self.rest);
        lu.solve(&mut self.rest);
        eliminated.extend(&self.plan, &self.coupling, &self.rest, |j, x| b[j] = x);
    }

    /// The same with complex block `k`.
    pub fn solve_complex(&mut self, k: usize, re: &mut [f64], im: &mut [f64]) {
        let (eliminated, lu) = &mut self.complex[k];
        let b = |i: usize| Complex::new(re[i], im[i]);
        eliminated.reduce(&self.plan, &self.coupling, b, &mut self.rest_complex);
        lu.solve_complex(&mut self.rest_complex);
        eliminated.extend(&self.plan, &self.coupling, &self.rest_complex, |j, x| {
            (re[j], im[j]) = (x.re, x.im);
        });
    }
}

impl Target<Complex> for LuComplex {
    fn set_column(&mut self, j: usize, lambda: Complex, rest: RestColumn<'_>) {
        let (re, im) = self.column_mut(j);
        for ((x, y), &i) in re.iter_mut().zip(im).zip(rest.rows) {
            let scale = rest.row_scale[i] * rest.scale;
            *x = (lambda.re * rest.f_yp[i] + rest.f_y[i]) * scale;
            *y = lambda.im * rest.f_yp[i] * scale;
        }
    }

    fn subtract(&mut self, j: usize, coefficient: Complex, d: &[f64]) {
        let (re, im) = self.column_mut(j);
        for ((x, y), d) in re.iter_mut().zip(im).zip(d) {
            *x -= coefficient.re * d;
            *y -= coefficient.im * d;
        }
    }
}
