//! The linear systems of a step: one real block γ/h ∂F/∂ẏ + ∂F/∂y, and one complex block
//! (α + iβ)/h ∂F/∂ẏ + ∂F/∂y for each pair of stages.

use super::elimination::{Coupling, Eliminated, Plan, RestColumn, Target};
use super::{IterationOperator, Shift};
use crate::jacobian::SplitJacobian;
use crate::linear::{
    Complex, Factorised, LinearSolver, LuComplex, LuDense, LuSparse, Matrix, Singular, Solved, SparseLu,
    SparseState, Stalled,
};
use crate::newton::linearisation::Linearisation;
use crate::newton::scaling::Scales;
use crate::refresh::Phase;
use holonom_dae::{Counters, Structure};
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// Complex blocks of the method with most stages.
const MOST_PAIRS: usize = 3;

/// The factorised blocks.
pub enum Blocks {
    /// Of a dense Jacobian, without the kinematic rows.
    Dense(Box<Dense>),
    /// Of a sparse one: the order of elimination takes care of the kinematic rows.
    Sparse(Box<Sparse>),
}

/// What the solves of later steps depend on and a factorisation does not give back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum BlocksState {
    /// Whether the kinematic rows are eliminated.
    Dense(bool),
    /// The pivots that were chosen.
    Sparse(Box<SparseState>, Vec<SparseState<Complex>>),
}

impl Blocks {
    /// Room for the blocks of Jacobians stored like this one.
    pub fn new(structure: &Structure, f_y: &Matrix) -> Self {
        match f_y.pattern() {
            None => Self::Dense(Box::new(Dense::with(Plan::new(structure)))),
            Some(_) => Self::Sparse(Box::new(Sparse::new(f_y))),
        }
    }

    /// Forms and factorises all blocks.
    fn factorise(
        &mut self,
        shift: Shift<'_>,
        split: &SplitJacobian,
        scales: &Scales,
        counters: &mut Counters,
    ) -> Result<Factorised, Singular> {
        let scales = (scales.rows.as_slice(), scales.columns.as_slice());
        match self {
            Self::Dense(dense) => dense.factorise(shift, split, scales, counters),
            Self::Sparse(sparse) => sparse.factorise(shift, split, scales, counters),
        }
    }

    /// b := (α ∂F/∂ẏ + ∂F/∂y)⁻¹ b.
    pub fn solve_real(&mut self, b: &mut [f64]) {
        match self {
            Self::Dense(dense) => dense.solve_real(b),
            Self::Sparse(sparse) => sparse.real.solve(b),
        }
    }

    /// The same with complex block `k`.
    pub fn solve_complex(&mut self, k: usize, re: &mut [f64], im: &mut [f64]) {
        match self {
            Self::Dense(dense) => dense.solve_complex(k, re, im),
            Self::Sparse(sparse) => sparse.solve_complex(k, re, im),
        }
    }

    /// What later solves depend on and [`refresh`](IterationOperator::refresh) does not give back.
    pub fn checkpoint(&self) -> BlocksState {
        match self {
            Self::Dense(dense) => BlocksState::Dense(dense.plan.eliminated() > 0),
            Self::Sparse(sparse) => BlocksState::Sparse(
                Box::new(sparse.real.state().clone()),
                sparse.complex.iter().map(|lu| lu.state().clone()).collect(),
            ),
        }
    }

    /// Takes back what `checkpoint` gave; the factors are to be computed. False where it does not fit.
    pub fn restore(&mut self, state: &BlocksState) -> bool {
        match (self, state) {
            (Self::Dense(dense), BlocksState::Dense(eliminates)) => {
                if !eliminates {
                    dense.keep_all_rows();
                }
            }
            (Self::Sparse(sparse), BlocksState::Sparse(real, complex)) => {
                sparse.real.set_state(real);
                for (lu, state) in sparse.complex.iter_mut().zip(complex) {
                    lu.set_state(state);
                }
            }
            _ => return false,
        }
        true
    }
}

impl IterationOperator for Blocks {
    fn refresh(
        &mut self,
        linearisation: &Linearisation,
        shift: Shift<'_>,
        _phase: Phase,
        counters: &mut Counters,
    ) -> Result<Factorised, Singular> {
        let scales = linearisation.scaling.scales();
        self.factorise(shift, linearisation.parts(), scales, counters)
    }

    fn solve(&mut self, b: &mut [f64], _tolerance: f64) -> Result<Solved, Stalled> {
        self.solve_real(b);
        Ok(Solved::DIRECTLY)
    }

    fn solve_roughly(&mut self, b: &mut [f64]) {
        self.solve_real(b);
    }

    fn alpha(&self) -> f64 {
        match self {
            Self::Dense(dense) => dense.alpha,
            Self::Sparse(sparse) => sparse.alpha,
        }
    }
}

/// The blocks of a dense Jacobian.
pub struct Dense {
    alpha: f64,
    plan: Plan,
    coupling: Coupling,
    matrix: Matrix,
    real: (Eliminated<f64>, LuDense),
    complex: Vec<(Eliminated<Complex>, LuComplex)>,
    rest: Vec<f64>,
    rest_complex: Vec<Complex>,
}

impl Dense {
    fn with(plan: Plan) -> Self {
        let m = plan.rest();
        Self {
            alpha: 0.0,
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

    /// Leaves all rows in the matrix.
    fn keep_all_rows(&mut self) {
        if self.plan.eliminated() > 0 {
            *self = Self::with(Plan::nothing(self.plan.rest() + self.plan.eliminated()));
        }
    }

    fn factorise(
        &mut self,
        shift: Shift<'_>,
        split: &SplitJacobian,
        scales: (&[f64], &[f64]),
        counters: &mut Counters,
    ) -> Result<Factorised, Singular> {
        self.alpha = shift.alpha;
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
        eliminated.form(plan, coupling, split, scales, shift.alpha, matrix)?;
        counters.factorisations += 1;
        let mut factorised = lu.factorise(matrix).map_err(whole)?;
        for ((eliminated, lu), &(alpha, beta)) in complex.iter_mut().zip(shift.pairs) {
            let lambda = Complex::new(alpha / shift.h, beta / shift.h);
            lu.clear();
            eliminated.form(plan, coupling, split, scales, lambda, lu)?;
            counters.factorisations += 1;
            let this = lu.factorise().map_err(whole)?;
            factorised.pivot_growth = factorised.pivot_growth.max(this.pivot_growth);
        }
        Ok(factorised)
    }

    fn solve_real(&mut self, b: &mut [f64]) {
        let (eliminated, lu) = &mut self.real;
        eliminated.reduce(&self.plan, &self.coupling, |i| b[i], &mut self.rest);
        lu.solve(&mut self.rest);
        eliminated.extend(&self.plan, &self.coupling, &self.rest, |j, x| b[j] = x);
    }

    fn solve_complex(&mut self, k: usize, re: &mut [f64], im: &mut [f64]) {
        let (eliminated, lu) = &mut self.complex[k];
        let b = |i: usize| Complex::new(re[i], im[i]);
        eliminated.reduce(&self.plan, &self.coupling, b, &mut self.rest_complex);
        lu.solve_complex(&mut self.rest_complex);
        eliminated.extend(&self.plan, &self.coupling, &self.rest_complex, |j, x| {
            (re[j], im[j]) = (x.re, x.im);
        });
    }
}

/// The blocks of a sparse Jacobian.
pub struct Sparse {
    alpha: f64,
    matrix: Matrix,
    values: Vec<Complex>,
    real: LuSparse,
    complex: Vec<SparseLu<Complex>>,
    /// Blocks that have pivots.
    used: usize,
}

impl Sparse {
    fn new(f_y: &Matrix) -> Self {
        let n = f_y.n();
        Self {
            alpha: 0.0,
            matrix: f_y.clone(),
            values: vec![Complex::default(); f_y.values().len()],
            real: LuSparse::new(n),
            complex: (0..MOST_PAIRS).map(|_| SparseLu::new(n)).collect(),
            used: 0,
        }
    }

    fn factorise(
        &mut self,
        shift: Shift<'_>,
        split: &SplitJacobian,
        (rows, columns): (&[f64], &[f64]),
        counters: &mut Counters,
    ) -> Result<Factorised, Singular> {
        let SplitJacobian { f_y, f_yp, .. } = split;
        self.alpha = shift.alpha;
        self.matrix.combine(shift.alpha, f_yp, f_y);
        self.matrix.scale_rows_columns(rows, columns);
        counters.factorisations += 1;
        let mut factorised = self.real.factorise(&self.matrix)?;
        let Some(pattern) = f_y.pattern() else {
            return Ok(factorised);
        };
        for (k, (lu, &(alpha, beta))) in self.complex.iter_mut().zip(shift.pairs).enumerate() {
            for j in 0..pattern.n_columns() {
                for p in pattern.range(j) {
                    let scale = rows[pattern.rows()[p]] * columns[j];
                    let (m, s) = (f_yp.values()[p] / shift.h, f_y.values()[p]);
                    self.values[p] = Complex::new((alpha * m + s) * scale, beta * m * scale);
                }
            }
            counters.factorisations += 1;
            let this = lu.factorise_values(pattern, &self.values)?;
            // The first pivots of a block met in the middle of a run are new ones too.
            factorised.repivoted |= this.repivoted || k >= self.used;
            factorised.pivot_growth = factorised.pivot_growth.max(this.pivot_growth);
        }
        self.used = self.used.max(shift.pairs.len());
        Ok(factorised)
    }

    fn solve_complex(&mut self, k: usize, re: &mut [f64], im: &mut [f64]) {
        // The right-hand side is read before the solution is written.
        let (re, im) = (
            Cell::from_mut(re).as_slice_of_cells(),
            Cell::from_mut(im).as_slice_of_cells(),
        );
        let b = |i: usize| Complex::new(re[i].get(), im[i].get());
        let solved = self.complex[k].solve_values(b, |j, x| {
            re[j].set(x.re);
            im[j].set(x.im);
        });
        if !solved {
            re.iter().chain(im).for_each(|x| x.set(f64::NAN));
        }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use holonom_dae::{
        DerivativeForm, Equation, EquationLevel, MechanicalLayout, Pattern, Variable, VariableKind,
    };

    const N: usize = 9;

    /// Four positions, of which two turn together, four velocities and a multiplier.
    fn structure(sparsity: bool) -> Structure {
        let kinds = [
            (VariableKind::Position, 4),
            (VariableKind::Velocity, 4),
            (VariableKind::Multiplier, 1),
        ];
        let levels = [
            (EquationLevel::Kinematic, 4),
            (EquationLevel::Dynamic, 4),
            (EquationLevel::Velocity, 1),
        ];
        let variables = kinds
            .iter()
            .flat_map(|&(kind, n)| vec![Variable::new("y", kind); n]);
        let equations = levels
            .iter()
            .flat_map(|&(level, n)| vec![Equation::new("F", level); n]);
        let possible = |&(i, j): &(usize, usize)| i == j || i > 3 || j > 3 || (sparsity && i < 2 && j < 2);
        let places = (0..N * N).map(|k| (k % N, k / N)).filter(possible);
        Structure {
            variables: variables.collect(),
            equations: equations.collect(),
            derivative: DerivativeForm::Identity,
            sparsity: sparsity.then(|| Pattern::from_entries(N, N, places).into()),
            transposed: Vec::new(),
            layout: Some(MechanicalLayout {
                q: 0..4,
                v: 4..8,
                x: 8..8,
                lambda: 8..9,
                eta: 9..9,
                sigma: 9..9,
                readings: 9..9,
            }),
            forces_depend_on_multipliers: false,
        }
    }

    /// Parts of a Jacobian with entries where the structure allows them.
    fn parts(structure: &Structure, storage: &Matrix) -> SplitJacobian {
        let mut seed = 5_u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut f_y, mut f_yp) = (storage.clone(), storage.clone());
        let place = |i: usize, j: usize| match storage.pattern() {
            None => Some(i + j * N),
            Some(p) => p.position(i, j),
        };
        for j in 0..N {
            for i in 0..N {
                let allowed = match &structure.sparsity {
                    Some(p) => p.position(i, j).is_some(),
                    None => i == j || i > 3 || j > 3,
                };
                let value = next();
                if let Some(k) = place(i, j).filter(|_| allowed) {
                    f_y.values_mut()[k] = value;
                    f_yp.values_mut()[k] = f64::from(u8::from(i == j && i < 8));
                }
            }
        }
        SplitJacobian {
            f_y,
            f_yp,
            separated: true,
            alpha: 0.0,
        }
    }

    /// Solutions with all blocks of the method of seven stages, in scaled rows and columns.
    fn solutions(blocks: &mut Blocks, split: &SplitJacobian) -> Vec<f64> {
        let shift = Shift {
            alpha: 150.0,
            h: 0.05,
            pairs: &[(8.0, 2.0), (6.5, 5.5), (4.0, 9.0)],
        };
        let rows: Vec<f64> = (0..N).map(|i| 2f64.powi(i as i32 % 3 - 1)).collect();
        let columns: Vec<f64> = (0..N).map(|i| 2f64.powi(1 - i as i32 % 3)).collect();
        let mut counters = Counters::default();
        blocks
            .factorise(shift, split, &Scales { rows, columns }, &mut counters)
            .unwrap();
        assert_eq!(counters.factorisations, 4);
        let mut all: Vec<f64> = (0..N).map(|i| 1.0 + i as f64).collect();
        blocks.solve_real(&mut all);
        for k in 0..3 {
            let (mut re, mut im) = (vec![1.0; N], (0..N).map(|i| i as f64).collect::<Vec<_>>());
            blocks.solve_complex(k, &mut re, &mut im);
            all.extend(re.iter().chain(&im));
        }
        all
    }

    fn assert_close(a: &[f64], b: &[f64]) {
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "{a} for {b}");
        }
    }

    #[test]
    fn elimination_and_sparsity_change_nothing() {
        for with_pattern in [false, true] {
            let structure = structure(with_pattern);
            let split = parts(&structure, &Matrix::dense(N));
            let mut reduced = Blocks::new(&structure, &split.f_y);
            assert!(matches!(reduced.checkpoint(), BlocksState::Dense(true)));
            let mut whole = Blocks::Dense(Box::new(Dense::with(Plan::nothing(N))));
            let expected = solutions(&mut whole, &split);
            assert_close(&solutions(&mut reduced, &split), &expected);
            if let Some(pattern) = &structure.sparsity {
                let split = parts(&structure, &Matrix::sparse((**pattern).clone()));
                let mut sparse = Blocks::new(&structure, &split.f_y);
                assert_close(&solutions(&mut sparse, &split), &expected);
            }
        }
    }

    /// Without a pattern K is taken for diagonal until it turns out not to be.
    #[test]
    fn an_assumption_that_fails_is_given_up() {
        let structure = structure(false);
        let mut split = parts(&structure, &Matrix::dense(N));
        split.f_y.values_mut()[1] = 0.7;
        let mut reduced = Blocks::new(&structure, &split.f_y);
        let mut whole = Blocks::Dense(Box::new(Dense::with(Plan::nothing(N))));
        let expected = solutions(&mut whole, &split);
        assert_close(&solutions(&mut reduced, &split), &expected);
        assert!(matches!(reduced.checkpoint(), BlocksState::Dense(false)));
    }
}
