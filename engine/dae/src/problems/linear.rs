//! Linear systems of index 1, 2 and 3 with time-dependent coefficients and known solutions.
//!
//! F = E (ẏ − ẏ*) − K(t) (y − y*), with E = diag(1, …, 1, 0, …, 0) and a smooth y*(t): the same
//! as E ẏ = K(t) y + r(t) with r := E ẏ* − K y*, but without rounding errors of r. In Hessenberg
//! form the blocks of K are
//! ```text
//! index 1   ẋ = A x + B z, 0 = C x + D z            D regular
//! index 2   ẋ = A x + B z, 0 = C x                  C B regular
//! index 3   ẇ = A₁₁ w + A₁₂ x, ẋ = A₂₁ w + A₂₂ x + B z, 0 = C w    C A₁₂ B regular
//! ```
//! Every coefficient oscillates on its own: K_ij(t) = K_ij (1 + 0.2 sin(t + i + 2j)).

use super::{Problem, Reference, builder};
use crate::{
    DerivativeForm, Equation, EquationLevel, Pattern, Point, Rejection, Residual, Structure, Variable,
    VariableKind,
};
use holonom_algebra::Real;

const T_END: f64 = 5.0;

const K_1: [&[f64]; 5] = [
    &[-1.0, 0.5, 0.0, 0.8, -0.3],
    &[0.3, -2.0, 0.7, 0.0, 0.6],
    &[0.0, -0.4, -0.5, 1.0, 0.2],
    &[0.5, -1.0, 0.3, 2.0, 0.4],
    &[0.2, 0.6, -0.8, -0.5, 1.5],
];

const K_2: [&[f64]; 6] = [
    &[-1.0, 0.4, 0.0, 0.2, 1.0, 0.0],
    &[-0.3, -0.8, 0.5, 0.0, 0.0, 1.0],
    &[0.2, 0.0, -1.5, 0.6, 0.5, 0.0],
    &[0.0, -0.7, -0.4, -1.2, 0.0, 0.3],
    &[1.0, 0.2, 0.4, 0.0, 0.0, 0.0],
    &[0.1, -1.0, 0.0, 0.5, 0.0, 0.0],
];

const K_3: [&[f64]; 8] = [
    &[-0.2, 0.1, 0.0, 1.0, 0.2, 0.0, 0.0, 0.0],
    &[0.0, -0.1, 0.3, 0.0, 1.0, 0.3, 0.0, 0.0],
    &[0.1, 0.0, -0.2, 0.1, 0.0, 1.0, 0.0, 0.0],
    &[-4.0, 1.0, 0.0, -0.5, 0.2, 0.0, 1.0, 0.0],
    &[1.0, -5.0, 0.5, 0.0, -0.6, 0.1, 0.0, 1.0],
    &[0.0, 0.5, -3.0, 0.2, 0.0, -0.7, 0.4, 0.2],
    &[1.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0],
    &[0.0, 1.0, -0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
];

/// The equations.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    index: u8,
    coefficients: &'static [&'static [f64]],
}

/// Workspace of a [`Linear`]: y − y*.
pub type Workspace<T> = Vec<T>;

/// Component i of y* and of its derivative:
/// y*_i = sin(ω_i t + i) + b_i exp(−t/2), ω_i = 1 + i/4, b_i = (i + 1)/10.
fn component<T: Real>(i: usize, t: T) -> (T, T) {
    let i = i as f64;
    let (omega, b) = (1.0 + 0.25 * i, 0.1 * (i + 1.0));
    let (sin, cos) = (t * omega + i).sin_cos();
    let decay = (t * -0.5).exp() * b;
    (sin + decay, cos * omega - decay * 0.5)
}

impl Linear {
    /// The system of index 1, 2 or 3.
    ///
    /// # Panics
    /// For any other index.
    #[track_caller]
    pub fn new(index: u8) -> Self {
        let coefficients: &'static [&'static [f64]] = match index {
            1 => &K_1,
            2 => &K_2,
            3 => &K_3,
            _ => panic!("index {index}; 1, 2 and 3 are possible"),
        };
        Self { index, coefficients }
    }

    /// Number of unknowns.
    pub fn dimension(&self) -> usize {
        self.coefficients.len()
    }

    /// The solution y* at time t.
    pub fn exact(&self, t: f64) -> Vec<f64> {
        (0..self.dimension()).map(|i| component(i, t).0).collect()
    }

    /// The derivative of the solution at time t.
    pub fn exact_derivative(&self, t: f64) -> Vec<f64> {
        (0..self.dimension()).map(|i| component(i, t).1).collect()
    }

    /// Number of algebraic variables; they come last.
    fn n_algebraic(&self) -> usize {
        2
    }

    fn coefficient<T: Real>(&self, i: usize, j: usize, t: T) -> T {
        ((t + (i + 2 * j) as f64).sin() * 0.2 + 1.0) * self.coefficients[i][j]
    }
}

impl Residual for Linear {
    type Workspace<T: Real> = Workspace<T>;

    fn structure(&self) -> Structure {
        let n = self.dimension();
        let n_differential = n - self.n_algebraic();
        let mut variables = Vec::with_capacity(n);
        let mut equations = Vec::with_capacity(n);
        for i in 0..n_differential {
            // Index 3: w ~ h x ~ h² z, as positions, velocities and multipliers.
            let (letter, index, column, row) = match (self.index, i < 3) {
                (3, true) => ('w', 1, 1, 0),
                (3, false) => ('x', 2, 0, 1),
                _ => ('x', 1, 0, 1),
            };
            let name = format!("{letter}[{i}]");
            let equation = Equation::new(format!("d/dt {name}"), EquationLevel::Differential);
            equations.push(equation.step_power(row));
            let variable = Variable::new(name, VariableKind::Differential);
            variables.push(variable.index(index).step_power(column));
        }
        let (column, row) = match self.index {
            1 => (0, 0),
            2 => (-1, 0),
            _ => (-1, -1),
        };
        for i in n_differential..n {
            let equation = Equation::new(format!("equation {i}"), EquationLevel::Algebraic);
            equations.push(equation.step_power(row));
            let variable = Variable::new(format!("z[{i}]"), VariableKind::Algebraic);
            variables.push(variable.index(self.index).step_power(column));
        }
        let entries = (0..n * n).map(|k| (k % n, k / n));
        let possible =
            |&(i, j): &(usize, usize)| self.coefficients[i][j] != 0.0 || (i == j && i < n_differential);
        Structure {
            variables,
            equations,
            derivative: DerivativeForm::Identity,
            sparsity: Some(Pattern::from_entries(n, n, entries.filter(possible)).into()),
            transposed: Vec::new(),
            layout: None,
            forces_depend_on_multipliers: false,
        }
    }

    fn workspace<T: Real>(&self) -> Workspace<T> {
        vec![T::zero(); self.dimension()]
    }

    fn residual<T: Real>(
        &self,
        at: Point<'_, T>,
        deviation: &mut Workspace<T>,
        r: &mut [T],
    ) -> Result<(), Rejection> {
        let n = self.dimension();
        for i in 0..n {
            let (y, yp) = component(i, at.t);
            deviation[i] = at.y[i] - y;
            r[i] = if i < n - self.n_algebraic() {
                at.yp[i] - yp
            } else {
                T::zero()
            };
        }
        for i in 0..n {
            for j in 0..n {
                if self.coefficients[i][j] != 0.0 {
                    r[i] -= self.coefficient(i, j, at.t) * deviation[j];
                }
            }
        }
        Ok(())
    }
}

/// `linear-index1`, `linear-index2`, `linear-index3`.
///
/// # Panics
/// For any other index.
#[track_caller]
pub fn problem(index: u8) -> Problem {
    let system = Linear::new(index);
    Problem {
        name: format!("linear-index{index}"),
        title: "linear system in Hessenberg form with a known solution",
        t0: 0.0,
        t_end: T_END,
        y0: system.exact(0.0),
        yp0: system.exact_derivative(0.0),
        atol_factor: 1.0,
        reference: Some(Reference {
            t: T_END,
            y: system.exact(T_END),
            digits: 15.5,
            provenance: "closed form",
        }),
        build: builder(system),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Determinant of a product of blocks, to which the last must fit with two columns.
    fn determinant(blocks: &[(&Linear, [usize; 2], [usize; 2])], t: f64) -> f64 {
        let mut product = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
        for (system, rows, columns) in blocks {
            product = product
                .iter()
                .map(|left| {
                    (columns[0]..columns[1])
                        .map(|j| {
                            let entries = (rows[0]..rows[1]).map(|i| system.coefficient(i, j, t));
                            left.iter().zip(entries).map(|(l, k)| l * k).sum()
                        })
                        .collect()
                })
                .collect();
        }
        product[0][0] * product[1][1] - product[0][1] * product[1][0]
    }

    #[test]
    fn index_is_as_said_on_the_whole_interval() {
        let systems = [1, 2, 3].map(Linear::new);
        for k in 0..=100 {
            let t = 0.01 * f64::from(k) * T_END;
            let d1 = determinant(&[(&systems[0], [3, 5], [3, 5])], t);
            let d2 = determinant(&[(&systems[1], [4, 6], [0, 4]), (&systems[1], [0, 4], [4, 6])], t);
            let k3 = &systems[2];
            let d3 = determinant(
                &[(k3, [6, 8], [0, 3]), (k3, [0, 3], [3, 6]), (k3, [3, 6], [6, 8])],
                t,
            );
            assert!(
                d1.abs() > 0.5 && d2.abs() > 0.5 && d3.abs() > 0.5,
                "{d1} {d2} {d3} at {t}"
            );
        }
    }

    #[test]
    fn derivative_of_the_solution_is_right() {
        let system = Linear::new(3);
        let h = 1e-5;
        let (a, b) = (system.exact(1.0 - h), system.exact(1.0 + h));
        for (i, d) in system.exact_derivative(1.0).into_iter().enumerate() {
            assert!(((b[i] - a[i]) / (2.0 * h) - d).abs() < 1e-8);
        }
    }
}
