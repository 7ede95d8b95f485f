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

pub use crate::Form;
use crate::{
    DerivativeForm, Equation, EquationLevel, Mechanical, MechanicalLayout, Pattern, Point, Rejection,
    Residual, Sizes, Structure, Variable, VariableKind,
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
    /// The equations of `motion` in the given form; [`Form::Ode`] is the motion without its constraints.
    pub fn new(motion: P, form: Form) -> Self {
        // The patterns in storage order, so that values can be handed over one by one.
        let sorted = |mut entries: Vec<(usize, usize)>| {
            entries.sort_unstable_by_key(|&(i, j)| (j, i));
            entries.dedup();
            entries
        };
        let m = if form == Form::Ode { 0 } else { motion.n_g() };
        let entries = if m == 0 {
            Vec::new()
        } else {
            motion.constraint_entries()
        };
        Self {
            n: motion.positions().len(),
            m,
            mass_entries: sorted(motion.mass_entries()),
            constraint_entries: sorted(entries),
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
        self.form.layout(&Sizes {
            positions: self.n,
            velocities: self.n,
            rows: self.m,
            holonomic: self.m,
            ..Sizes::default()
        })
    }

    fn variables(&self) -> Vec<Variable> {
        let layout = self.layout();
        let variable = |name, kind| self.form.variable(name, kind);
        let numbered = |symbol: &str, kind, range: Range<usize>| -> Vec<Variable> {
            let names = (0..range.len()).map(|i| format!("{symbol}[{i}]"));
            names.map(|name| variable(name, kind)).collect()
        };
        let (positions, velocities) = (self.motion.positions(), self.motion.velocities());
        let mut variables: Vec<_> = positions
            .into_iter()
            .map(|name| variable(name, VariableKind::Position))
            .collect();
        variables.extend(
            velocities
                .into_iter()
                .map(|name| variable(name, VariableKind::Velocity)),
        );
        variables.extend(numbered("lambda", VariableKind::Multiplier, layout.lambda));
        variables.extend(numbered("eta", VariableKind::StabilisingMultiplier, layout.eta));
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
        let level = self.form.level(true);
        let levels = if self.form == Form::Ggl {
            vec![level, Position]
        } else {
            vec![level]
        };
        for level in levels {
            let word = match level {
                Acceleration => "acceleration",
                Velocity => "velocity",
                _ => "position",
            };
            equations.extend((0..self.m).map(|i| Equation::new(format!("{word} constraint[{i}]"), level)));
        }
        self.form.scale(&mut equations);
        equations
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
            transposed: self.form.transposed(&self.layout()),
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
        if m > 0 {
            self.motion.constraint_matrix(t, q, &mut work.matrix);
        }
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
            Form::Ode => {}
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
        let constrained = self.form != Form::Ode;
        constrained.then(|| Box::new(Mechanics::new(self.motion.clone())) as Box<dyn Mechanical>)
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
