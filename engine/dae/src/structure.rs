//! What is known about a system besides its residual: kinds of variables and equations, the
//! form of ∂F/∂ẏ, sparsity, scaling in h.
//!
//! Everything here is optional knowledge that makes integration cheaper or safer;
//! [`Structure::unknown`] is always correct.

use crate::{InputError, LazyPattern, MechanicalLayout, Pattern};
use core::ops::Range;

/// How a variable takes part in the error test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorTest {
    /// With its full error.
    Full,
    /// With its error times this power of the step size (sizes above 1 count as 1), as index-2
    /// (1) and index-3 (2) variables need: their error does not fall with h at low order.
    StepPower(i32),
    /// Not at all.
    Excluded,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// Its derivative occurs in the equations; no mechanical meaning.
    Differential,
    /// Position coordinate q.
    Position,
    /// Velocity coordinate v.
    Velocity,
    /// Its derivative does not occur.
    Algebraic,
    /// Multiplier λ of position constraints.
    Multiplier,
    /// Multiplier η of the stabilised (GGL) form.
    StabilisingMultiplier,
    /// What a sensor reads of accelerations and multipliers; like these it follows from derivatives.
    Reading,
}

impl VariableKind {
    /// Whether the derivative of the variable occurs in the equations.
    pub fn is_differential(self) -> bool {
        matches!(self, Self::Differential | Self::Position | Self::Velocity)
    }
}

/// [`Structure::local_error_factor`] where multipliers keep positions alone, and where they keep velocities.
const POSITIONS_ALONE: f64 = 300.0;
const VELOCITIES: f64 = 8.0;

/// One unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name for reports and messages.
    pub name: String,
    /// What it is.
    pub kind: VariableKind,
    /// Differentiation index of the variable: 1 for differential and index-1 algebraic ones.
    pub index: u8,
    /// The variable must not fall below this value.
    pub lower_bound: Option<f64>,
    /// Typical size, where known: improves difference increments.
    pub scale: Option<f64>,
    /// Columns of the iteration matrix are scaled by this power of h.
    pub step_power: i8,
}

impl Variable {
    /// A variable of the given kind, index 1, unbounded, of unknown size.
    pub fn new(name: impl Into<String>, kind: VariableKind) -> Self {
        Self {
            name: name.into(),
            kind,
            index: 1,
            lower_bound: None,
            scale: None,
            step_power: 0,
        }
    }

    /// Sets the differentiation index, which decides how the variable enters the error test. The
    /// scaling of its column is set apart, by [`step_power`](Self::step_power).
    pub fn index(mut self, index: u8) -> Self {
        self.index = index;
        self
    }

    /// Sets the lower bound.
    pub fn at_least(mut self, bound: f64) -> Self {
        self.lower_bound = Some(bound);
        self
    }

    /// Sets the power of h by which the column is scaled.
    pub fn step_power(mut self, power: i8) -> Self {
        self.step_power = power;
        self
    }
}

/// What an equation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquationLevel {
    /// A differential equation without mechanical meaning.
    Differential,
    /// An algebraic equation without mechanical meaning.
    Algebraic,
    /// q̇ = V(q) v and its stabilised form.
    Kinematic,
    /// M v̇ = f − Gᵀλ.
    Dynamic,
    /// g(t, q) = 0.
    Position,
    /// G v + g_t = 0.
    Velocity,
    /// G v̇ + γ = 0.
    Acceleration,
}

/// One row of the residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    /// Name for reports and messages.
    pub name: String,
    /// What it says.
    pub level: EquationLevel,
    /// Rows of the iteration matrix are scaled by this power of h.
    pub step_power: i8,
}

impl Equation {
    /// An equation with the scaling usual for its level: rows with derivatives carry α ~ 1/h.
    pub fn new(name: impl Into<String>, level: EquationLevel) -> Self {
        use EquationLevel::*;
        Self {
            name: name.into(),
            level,
            step_power: match level {
                Differential | Kinematic | Dynamic | Acceleration => 1,
                Algebraic | Position | Velocity => 0,
            },
        }
    }

    /// Sets the power of h by which the row is scaled.
    pub fn step_power(mut self, power: i8) -> Self {
        self.step_power = power;
        self
    }
}

/// The form of ∂F/∂ẏ.
///
/// All but `Unknown` give ∂F/∂ẏ and ∂F/∂y apart, so that a changed α costs a matrix addition
/// instead of a new evaluation, Arnold (22)–(26).
#[derive(Clone, Debug, PartialEq)]
pub enum DerivativeForm {
    /// F_i = ẏ_i − … for every differential variable i, no derivative in the other rows.
    Identity,
    /// Depends on t and y and is delivered by the system in this pattern, Arnold (25).
    Mass(LazyPattern),
    /// Constant: (row, column, value).
    Constant(Vec<(usize, usize, f64)>),
    /// Anything else: differenced together with ∂F/∂y at the current α, Arnold (16).
    Unknown,
}

/// Columns of ∂F/∂y that are the transpose of another block and need no evaluation:
/// `∂F[rows]/∂y[columns] = ± (∂F[source_rows]/∂y[source_columns])ᵀ`, zero in all other rows.
///
/// With G v + g_t among the equations, the columns of λ and η are of this kind: they hold Gᵀ. Where the columns are those of
/// λ and the system has [mechanics](crate::System::mechanical), their source is taken for
/// [its matrix of constraints](crate::Mechanical::constraint_matrix), and with a block for η so are the derivatives of
/// position constraints by q: updates of the Jacobian renew them from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransposedBlock {
    /// The columns that are given.
    pub columns: Range<usize>,
    /// The rows in which they are not zero.
    pub rows: Range<usize>,
    /// Rows of the block they are the transpose of.
    pub source_rows: Range<usize>,
    /// Columns of the block they are the transpose of.
    pub source_columns: Range<usize>,
    /// Whether the sign changes.
    pub negated: bool,
}

/// What is known about a system besides its residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// The unknowns, in the order of y.
    pub variables: Vec<Variable>,
    /// The equations, in the order of the residual.
    pub equations: Vec<Equation>,
    /// The form of ∂F/∂ẏ.
    pub derivative: DerivativeForm,
    /// Possible non-zeros of α ∂F/∂ẏ + ∂F/∂y, where known.
    pub sparsity: Option<LazyPattern>,
    /// Columns that need no evaluation.
    pub transposed: Vec<TransposedBlock>,
    /// Where q, v, λ and η lie, for a mechanical system.
    pub layout: Option<MechanicalLayout>,
    /// Forces depend on λ (friction, creep), so that ∂F/∂λ is not Gᵀ alone.
    pub forces_depend_on_multipliers: bool,
}

impl Structure {
    /// `n` unknowns about which nothing is known.
    pub fn unknown(n: usize) -> Self {
        Self {
            variables: (0..n)
                .map(|i| Variable::new(format!("y[{i}]"), VariableKind::Differential))
                .collect(),
            equations: (0..n)
                .map(|i| Equation::new(format!("F[{i}]"), EquationLevel::Differential))
                .collect(),
            derivative: DerivativeForm::Unknown,
            sparsity: None,
            transposed: Vec::new(),
            layout: None,
            forces_depend_on_multipliers: false,
        }
    }

    /// An explicit ODE ẏ = φ(t, y), written F = ẏ − φ.
    pub fn ode<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self::semi_explicit(names, std::iter::empty::<String>())
    }

    /// A semi-explicit index-1 system: F = ẏ − φ for the first variables, 0 = ψ for the rest.
    pub fn semi_explicit<S: Into<String>, A: Into<String>>(
        differential: impl IntoIterator<Item = S>,
        algebraic: impl IntoIterator<Item = A>,
    ) -> Self {
        let mut variables = Vec::new();
        let mut equations = Vec::new();
        for name in differential {
            let name = name.into();
            equations.push(Equation::new(format!("d/dt {name}"), EquationLevel::Differential));
            variables.push(Variable::new(name, VariableKind::Differential));
        }
        for name in algebraic {
            let name = name.into();
            equations.push(Equation::new(
                format!("equation for {name}"),
                EquationLevel::Algebraic,
            ));
            variables.push(Variable::new(name, VariableKind::Algebraic));
        }
        Self {
            variables,
            equations,
            derivative: DerivativeForm::Identity,
            sparsity: None,
            transposed: Vec::new(),
            layout: None,
            forces_depend_on_multipliers: false,
        }
    }

    /// Declares the sparsity pattern.
    pub fn with_sparsity(mut self, pattern: Pattern) -> Self {
        self.sparsity = Some(pattern.into());
        self
    }

    /// Declares that no variable may fall below zero.
    pub fn non_negative(mut self) -> Self {
        for v in &mut self.variables {
            v.lower_bound = Some(0.0);
        }
        self
    }

    /// Number of unknowns.
    pub fn dimension(&self) -> usize {
        self.variables.len()
    }

    /// The variables with a lower bound, and the bound.
    pub fn lower_bounds(&self) -> Vec<(usize, f64)> {
        let all = self.variables.iter().enumerate();
        all.filter_map(|(i, v)| v.lower_bound.map(|b| (i, b))).collect()
    }

    /// Refuses start values below their lower bounds.
    pub fn check_bounds(&self, y0: &[f64]) -> Result<(), InputError> {
        for (v, &value) in self.variables.iter().zip(y0) {
            if let Some(bound) = v.lower_bound
                && value < bound
            {
                let name = v.name.clone();
                return Err(InputError::BelowBound { name, value, bound });
            }
        }
        Ok(())
    }

    /// The error test that suits the index of each variable.
    ///
    /// Index-1 variables count fully, velocities of index-3 forms with a power of the step
    /// size. Multipliers, and what sensors read of them, do not count, not even in index-1 forms: they follow from derivatives,
    /// so their local error does not fall with h at low order and says little about the others
    /// [Brenan, Campbell, Petzold 1996, §5.4].
    pub fn default_error_test(&self) -> Vec<ErrorTest> {
        self.variables
            .iter()
            .map(|v| match (v.kind, v.index) {
                (
                    VariableKind::Multiplier | VariableKind::StabilisingMultiplier | VariableKind::Reading,
                    _,
                ) => ErrorTest::Excluded,
                (_, 1) => ErrorTest::Full,
                (kind, index) if kind.is_differential() => ErrorTest::StepPower(i32::from(index) - 1),
                _ => ErrorTest::Excluded,
            })
            .collect()
    }

    /// The error test of methods whose steps do not look back: variables of index 2 and 3 count with h and
    /// h², multipliers as others.
    pub fn error_test_by_index(&self) -> Vec<ErrorTest> {
        let power = |v: &Variable| match v.index {
            1 => ErrorTest::Full,
            index => ErrorTest::StepPower(i32::from(index) - 1),
        };
        self.variables.iter().map(power).collect()
    }

    /// The error test of explicit methods: whatever has a derivative counts fully, because nothing is divided by the step
    /// size; the rest is not integrated.
    pub fn error_test_in_full(&self) -> Vec<ErrorTest> {
        let test = |v: &Variable| match v.kind.is_differential() {
            true => ErrorTest::Full,
            false => ErrorTest::Excluded,
        };
        self.variables.iter().map(test).collect()
    }

    /// How much smaller than the tolerance local errors must be for the global error to be in
    /// proportion to it, by the form of the equations.
    ///
    /// * Index 3: only the positions are really tested, and their local errors enter without
    ///   the factor h that they have when velocities are tested too.
    /// * Index 1 of constrained mechanics: positions and velocities drift off the constraints,
    ///   nothing pulls them back.
    /// * Index 2 and the stabilised form: errors of the multipliers, which are not tested, enter
    ///   the velocities.
    ///
    /// The numbers are measured (pendulum, car axle and Andrews' mechanism in all forms).
    pub fn local_error_factor(&self) -> f64 {
        let has = |level| self.equations.iter().any(|e| e.level == level);
        if self.variables.iter().any(|v| v.index == 3) {
            POSITIONS_ALONE
        } else if has(EquationLevel::Acceleration) {
            20.0
        } else if has(EquationLevel::Velocity) || has(EquationLevel::Position) {
            VELOCITIES
        } else {
            1.0
        }
    }

    /// The same for the part of errors of velocities that the constraints leave alone, over
    /// [`local_error_factor`](Self::local_error_factor): that part adds up as where velocities are tested.
    pub fn factor_along(&self) -> f64 {
        (VELOCITIES / self.local_error_factor()).min(1.0)
    }

    /// Refuses a structure that contradicts itself. Patterns that are not built yet are left to
    /// [`check_patterns`](Self::check_patterns).
    pub fn check(&self) -> Result<(), InputError> {
        let n = self.dimension();
        let err = |s: String| Err(InputError::Structure(s));
        if self.equations.len() != n {
            return err(format!(
                "{} equations for {n} variables; their numbers must be equal",
                self.equations.len()
            ));
        }
        if n == 0 {
            return err("no variables; a system needs at least one".into());
        }
        if let DerivativeForm::Constant(c) = &self.derivative
            && let Some((i, j, _)) = c.iter().find(|(i, j, v)| *i >= n || *j >= n || !v.is_finite())
        {
            return err(format!(
                "entry ({i}, {j}) of the constant ∂F/∂ẏ is outside the system or not finite"
            ));
        }
        for b in &self.transposed {
            let inside = |r: &Range<usize>| r.start <= r.end && r.end <= n;
            if ![&b.columns, &b.rows, &b.source_rows, &b.source_columns]
                .iter()
                .all(|r| inside(r))
                || b.columns.len() != b.source_rows.len()
                || b.rows.len() != b.source_columns.len()
            {
                return err(format!(
                    "the transposed block at columns {:?} has inconsistent ranges",
                    b.columns
                ));
            }
            self.check_multipliers(b)?;
        }
        for v in &self.variables {
            if !(1..=3).contains(&v.index) {
                return err(format!(
                    "variable `{}` has index {}; 1, 2 or 3 are possible",
                    v.name, v.index
                ));
            }
            if let Some(bound) = v.lower_bound.filter(|b| !b.is_finite()) {
                return err(format!(
                    "the lower bound of variable `{}` is {bound}; give a finite number, or none",
                    v.name
                ));
            }
            if let Some(scale) = v.scale.filter(|s| !s.is_finite() || *s <= 0.0) {
                return err(format!(
                    "the scale of variable `{}` is {scale}; give a positive, finite number, or none",
                    v.name
                ));
            }
        }
        let mass = match &self.derivative {
            DerivativeForm::Mass(m) => Some(m),
            _ => None,
        };
        match self.sparsity.iter().chain(mass).all(LazyPattern::is_built) {
            true => self.check_patterns(),
            false => Ok(()),
        }
    }

    /// Refuses patterns that contradict each other or the rest of a structure that [`check`](Self::check) accepts.
    /// Builds them.
    pub fn check_patterns(&self) -> Result<(), InputError> {
        let n = self.dimension();
        let err = |s: String| Err(InputError::Structure(s));
        if let DerivativeForm::Mass(m) = &self.derivative
            && (m.n_rows() != n || m.n_columns() != n)
        {
            return err(format!(
                "the pattern of ∂F/∂ẏ is {} × {}, the system has {n} unknowns",
                m.n_rows(),
                m.n_columns()
            ));
        }
        if let Some(p) = &self.sparsity {
            if p.n_rows() != n || p.n_columns() != n {
                return err(format!(
                    "the sparsity pattern is {} × {}, the system has {n} unknowns",
                    p.n_rows(),
                    p.n_columns()
                ));
            }
            let missing = match &self.derivative {
                DerivativeForm::Identity => (0..n)
                    .filter(|i| self.variables[*i].kind.is_differential())
                    .map(|i| (i, i))
                    .find(|(i, j)| p.position(*i, *j).is_none()),
                DerivativeForm::Mass(m) => m.entries().find(|(i, j)| p.position(*i, *j).is_none()),
                DerivativeForm::Constant(c) => c
                    .iter()
                    .map(|(i, j, _)| (*i, *j))
                    .find(|(i, j)| p.position(*i, *j).is_none()),
                DerivativeForm::Unknown => None,
            };
            if let Some((i, j)) = missing {
                return err(format!(
                    "the sparsity pattern leaves out entry ({}, {}) of ∂F/∂ẏ; add it",
                    self.equations[i].name, self.variables[j].name
                ));
            }
        }
        self.transposed.iter().try_for_each(|b| self.check_transposed(b))
    }

    /// Refuses a transposed block of multipliers that forces depend on.
    fn check_multipliers(&self, b: &TransposedBlock) -> Result<(), InputError> {
        if self.forces_depend_on_multipliers {
            let multiplier = |j: &usize| {
                self.variables[*j].kind == VariableKind::Multiplier
                    || self.layout.as_ref().is_some_and(|l| l.lambda.contains(j))
            };
            if let Some(j) = b.columns.clone().find(multiplier) {
                return Err(InputError::Structure(format!(
                    "forces depend on the multipliers, so that the column of `{}` is not the transpose of \
                     another block; leave out that transposed block",
                    self.variables[j].name
                )));
            }
        }
        Ok(())
    }

    /// Refuses a transposed block, its ranges known to fit, of which the pattern holds one side only.
    fn check_transposed(&self, b: &TransposedBlock) -> Result<(), InputError> {
        let err = |s: String| Err(InputError::Structure(s));
        let Some(p) = &self.sparsity else {
            return Ok(());
        };
        for (j, i_source) in b.columns.clone().zip(b.source_rows.clone()) {
            for (i, j_source) in b.rows.clone().zip(b.source_columns.clone()) {
                // Both left out is a zero that both sides agree on; one alone loses the entry.
                let (target, source) = (p.position(i, j), p.position(i_source, j_source));
                let (missing, present) = match (target, source) {
                    (None, Some(_)) => ((i, j), (i_source, j_source)),
                    (Some(_), None) => ((i_source, j_source), (i, j)),
                    _ => continue,
                };
                return err(format!(
                    "the sparsity pattern leaves out entry (`{}`, `{}`) but not (`{}`, `{}`), which is its \
                     counterpart in a transposed block; add it",
                    self.equations[missing.0].name,
                    self.variables[missing.1].name,
                    self.equations[present.0].name,
                    self.variables[present.1].name
                ));
            }
        }
        Ok(())
    }
}
