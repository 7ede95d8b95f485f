//! Small constrained mechanical systems: from M, f, g, G to the residual forms.
//!
//! A problem implements [`ConstrainedMotion`] once; [`Assembly`] makes a [`Residual`] of it in
//! any [`Form`], with rows as in Arnold (9):
//! ```text
//! kinematic      q̇ − v + Gᵀη
//! dynamic        M v̇ − f + Gᵀλ
//! acceleration   G v̇ + γ
//! velocity       G v + g_t
//! position       g
//! ```
//! Which of them a form has is listed at [`Form`]; y = (q, v, λ, η) in this order.

mod mechanics;
mod start;
#[cfg(test)]
mod tests;

pub use mechanics::Mechanics;
pub(super) use start::Start;

use crate::{
    DerivativeForm, Equation, EquationLevel, Mechanical, MechanicalLayout, Pattern, Point, Rejection,
    Residual, Structure, TransposedBlock, Variable, VariableKind,
};
use core::ops::Range;
use holonom_algebra::Real;

/// Constrained motion q̇ = v, M(t, q) v̇ = f(t, q, v) − Gᵀλ, 0 = g(t, q).
///
/// Matrices are dense, column by column, and zero on entry; only the declared entries are used.
pub trait ConstrainedMotion: Clone + Send + Sync + 'static {
    /// Names of the positions.
    fn positions(&self) -> Vec<String>;
    /// Names of the velocities.
    fn velocities(&self) -> Vec<String>;
    /// Number of constraints.
    fn n_g(&self) -> usize;
    /// Possible non-zeros (row, column) of M.
    fn mass_entries(&self) -> Vec<(usize, usize)>;
    /// Possible non-zeros (row, column) of G.
    fn constraint_entries(&self) -> Vec<(usize, usize)>;
    /// M(t, q), n_q × n_q.
    fn mass<T: Real>(&self, t: T, q: &[T], mass: &mut [T]);
    /// f(t, q, v).
    fn force<T: Real>(&self, t: T, q: &[T], v: &[T], force: &mut [T]);
    /// g(t, q).
    fn constraint<T: Real>(&self, t: T, q: &[T], g: &mut [T]);
    /// G(t, q) = ∂g/∂q, n_g × n_q.
    fn constraint_matrix<T: Real>(&self, t: T, q: &[T], matrix: &mut [T]);
    /// g_t(t, q) = ∂g/∂t.
    fn constraint_rate<T: Real>(&self, t: T, q: &[T], rate: &mut [T]);
    /// γ(t, q, v): the rest of the acceleration constraint G v̇ + γ = 0.
    fn constraint_bias<T: Real>(&self, t: T, q: &[T], v: &[T], gamma: &mut [T]);
}

/// The forms of the equations of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Constraints on acceleration level, y = (q, v, λ).
    Index1,
    /// Constraints on velocity level, y = (q, v, λ).
    Index2,
    /// Constraints on position level, y = (q, v, λ).
    Index3,
    /// Constraints on velocity and position level, y = (q, v, λ, η)
    /// [Gear, Gupta, Leimkuhler 1985], Arnold (7).
    Ggl,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 4] = [Self::Index1, Self::Index2, Self::Index3, Self::Ggl];

    /// The name used in the names of problems.
    pub fn name(self) -> &'static str {
        match self {
            Self::Index1 => "index1",
            Self::Index2 => "index2",
            Self::Index3 => "index3",
            Self::Ggl => "ggl",
        }
    }
}

/// A [`ConstrainedMotion`] written as F(t, y, ẏ) = 0.
#[derive(Clone, Debug)]
pub struct Assembly<P> {
    motion: P,
    form: Form,
    n: usize,
    m: usize,
    mass_entries: Vec<(usize, usize)>,
    constraint_entries: Vec<(usize, usize)>,
}

/// Workspace of an [`Assembly`].
#[derive(Debug)]
pub struct Workspace<T> {
    mass: Vec<T>,
    matrix: Vec<T>,
    force: Vec<T>,
}

impl<P: ConstrainedMotion> Assembly<P> {
    /// The equations of `motion` in the given form.
    pub fn new(motion: P, form: Form) -> Self {
        // The patterns in storage order, so that values can be handed over one by one.
        let sorted = |mut entries: Vec<(usize, usize)>| {
            entries.sort_unstable_by_key(|&(i, j)| (j, i));
            entries.dedup();
            entries
        };
        Self {
            n: motion.positions().len(),
            m: motion.n_g(),
            mass_entries: sorted(motion.mass_entries()),
            constraint_entries: sorted(motion.constraint_entries()),
            motion,
            form,
        }
    }

    /// The motion behind the equations.
    pub fn motion(&self) -> &P {
        &self.motion
    }

    /// Where q, v, λ and η lie.
    pub fn layout(&self) -> MechanicalLayout {
        let (n, m) = (self.n, self.m);
        let end = 2 * n + m;
        MechanicalLayout {
            x: 0..0,
            q: 0..n,
            v: n..2 * n,
            lambda: 2 * n..end,
            eta: end..if self.form == Form::Ggl { end + m } else { end },
            sigma: 0..0,
            readings: 0..0,
        }
    }

    fn variables(&self) -> Vec<Variable> {
        // Indices of v and λ, powers of h for the columns of q.
        let (index_v, index_lambda, power_q) = match self.form {
            Form::Index1 => (1, 1, 0),
            Form::Index2 | Form::Ggl => (1, 2, 0),
            Form::Index3 => (2, 3, 1),
        };
        let position = |name| Variable::new(name, VariableKind::Position).step_power(power_q);
        let velocity = |name| Variable::new(name, VariableKind::Velocity).index(index_v);
        let multiplier = |name: &str, kind, index, i: usize| {
            Variable::new(format!("{name}[{i}]"), kind)
                .index(index)
                .step_power(-1)
        };
        let mut variables: Vec<_> = self.motion.positions().into_iter().map(position).collect();
        variables.extend(self.motion.velocities().into_iter().map(velocity));
        variables
            .extend((0..self.m).map(|i| multiplier("lambda", VariableKind::Multiplier, index_lambda, i)));
        if self.form == Form::Ggl {
            let kind = VariableKind::StabilisingMultiplier;
            variables.extend((0..self.m).map(|i| multiplier("eta", kind, 2, i)));
        }
        variables
    }

    fn equations(&self) -> Vec<Equation> {
        use EquationLevel::{Acceleration, Dynamic, Kinematic, Position, Velocity};
        let mut equations = Vec::new();
        for name in self.motion.positions() {
            equations.push(Equation::new(format!("d/dt {name}"), Kinematic));
        }
        for name in self.motion.velocities() {
            equations.push(Equation::new(format!("d/dt {name}"), Dynamic));
        }
        let levels: &[EquationLevel] = match self.form {
            Form::Index1 => &[Acceleration],
            Form::Index2 => &[Velocity],
            Form::Index3 => &[Position],
            Form::Ggl => &[Velocity, Position],
        };
        for &level in levels {
            let word = match level {
                Acceleration => "acceleration",
                Velocity => "velocity",
                _ => "position",
            };
            equations.extend((0..self.m).map(|i| Equation::new(format!("{word} constraint[{i}]"), level)));
        }
        // Index 3: q ~ h v ~ h² λ; the rows follow [Petzold, Lötstedt 1986].
        if self.form == Form::Index3 {
            for equation in &mut equations {
                equation.step_power = match equation.level {
                    Kinematic => 0,
                    Position => -1,
                    _ => 1,
                };
            }
        }
        equations
    }

    fn transposed(&self) -> Vec<TransposedBlock> {
        let (n, m) = (self.n, self.m);
        let block =
            |columns: Range<usize>, rows: Range<usize>, source_columns: Range<usize>| TransposedBlock {
                columns,
                rows,
                source_rows: 2 * n..2 * n + m,
                source_columns,
                negated: false,
            };
        let lambda = 2 * n..2 * n + m;
        match self.form {
            // G occurs in ∂F/∂ẏ only; the v-columns of the constraint rows hold ∂γ/∂v.
            Form::Index1 => Vec::new(),
            Form::Index2 => vec![block(lambda, n..2 * n, n..2 * n)],
            Form::Index3 => vec![block(lambda, n..2 * n, 0..n)],
            Form::Ggl => vec![
                block(lambda, n..2 * n, n..2 * n),
                block(2 * n + m..2 * (n + m), 0..n, n..2 * n),
            ],
        }
    }
}

impl<P: ConstrainedMotion> Residual for Assembly<P> {
    type Workspace<T: Real> = Workspace<T>;

    fn structure(&self) -> Structure {
        let n = self.n;
        let variables = self.variables();
        // blockdiag(I, M, 0), and G below M in the index-1 form.
        let identity = (0..n).map(|i| (i, i));
        let mass = self.mass_entries.iter().map(|&(i, j)| (n + i, n + j));
        let acceleration = self.constraint_entries.iter().map(|&(i, j)| (2 * n + i, n + j));
        let acceleration = acceleration.filter(|_| self.form == Form::Index1);
        let size = variables.len();
        let pattern = Pattern::from_entries(size, size, identity.chain(mass).chain(acceleration));
        Structure {
            equations: self.equations(),
            variables,
            derivative: DerivativeForm::Mass(pattern.into()),
            sparsity: None,
            transposed: self.transposed(),
            layout: Some(self.layout()),
            forces_depend_on_multipliers: false,
        }
    }

    fn workspace<T: Real>(&self) -> Workspace<T> {
        Workspace {
            mass: vec![T::zero(); self.n * self.n],
            matrix: vec![T::zero(); self.m * self.n],
            force: vec![T::zero(); self.n],
        }
    }

    fn residual<T: Real>(
        &self,
        at: Point<'_, T>,
        work: &mut Workspace<T>,
        r: &mut [T],
    ) -> Result<(), Rejection> {
        let (n, m, t) = (self.n, self.m, at.t);
        let (q, v, lambda) = (&at.y[..n], &at.y[n..2 * n], &at.y[2 * n..2 * n + m]);
        let (qp, vp) = (&at.yp[..n], &at.yp[n..2 * n]);
        self.motion.mass(t, q, &mut work.mass);
        self.motion.constraint_matrix(t, q, &mut work.matrix);
        self.motion.force(t, q, v, &mut work.force);
        let (kinematic, rest) = r.split_at_mut(n);
        let (dynamic, rows) = rest.split_at_mut(n);
        // q̇ − v and M v̇ − f + Gᵀλ.
        for i in 0..n {
            kinematic[i] = qp[i] - v[i];
            dynamic[i] = -work.force[i];
        }
        for &(i, j) in &self.mass_entries {
            dynamic[i] += work.mass[i + j * n] * vp[j];
        }
        for &(i, j) in &self.constraint_entries {
            dynamic[j] += work.matrix[i + j * m] * lambda[i];
        }
        // The constraints, and Gᵀη in the stabilised form.
        match self.form {
            Form::Index1 => {
                self.motion.constraint_bias(t, q, v, rows);
                self.add_product(&work.matrix, vp, rows);
            }
            Form::Index2 => {
                self.motion.constraint_rate(t, q, rows);
                self.add_product(&work.matrix, v, rows);
            }
            Form::Index3 => self.motion.constraint(t, q, rows),
            Form::Ggl => {
                let eta = &at.y[2 * n + m..];
                for &(i, j) in &self.constraint_entries {
                    kinematic[j] += work.matrix[i + j * m] * eta[i];
                }
                let (velocity, position) = rows.split_at_mut(m);
                self.motion.constraint_rate(t, q, velocity);
                self.add_product(&work.matrix, v, velocity);
                self.motion.constraint(t, q, position);
            }
        }
        Ok(())
    }

    fn derivative_matrix(
        &self,
        at: Point<'_, f64>,
        work: &mut Workspace<f64>,
        values: &mut [f64],
    ) -> Result<(), Rejection> {
        let (n, m) = (self.n, self.m);
        let q = &at.y[..n];
        self.motion.mass(at.t, q, &mut work.mass);
        values[..n].fill(1.0);
        // Column by column: the entries of M, then those of G where they belong.
        let mut mass = self.mass_entries.iter().peekable();
        let mut matrix = self.constraint_entries.iter().peekable();
        if self.form == Form::Index1 {
            self.motion.constraint_matrix(at.t, q, &mut work.matrix);
        }
        let mut place = n;
        for column in 0..n {
            while let Some(&(i, j)) = mass.next_if(|e| e.1 == column) {
                values[place] = work.mass[i + j * n];
                place += 1;
            }
            if self.form == Form::Index1 {
                while let Some(&(i, j)) = matrix.next_if(|e| e.1 == column) {
                    values[place] = work.matrix[i + j * m];
                    place += 1;
                }
            }
        }
        Ok(())
    }

    fn mechanical(&self) -> Option<Box<dyn Mechanical>> {
        Some(Box::new(Mechanics::new(self.motion.clone())))
    }
}

impl<P: ConstrainedMotion> Assembly<P> {
    /// rows := rows + G x.
    fn add_product<T: Real>(&self, matrix: &[T], x: &[T], rows: &mut [T]) {
        for &(i, j) in &self.constraint_entries {
            rows[i] += matrix[i + j * self.m] * x[j];
        }
    }
}
