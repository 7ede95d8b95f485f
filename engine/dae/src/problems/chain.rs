//! A chain of pendulums on a moving suspension point [Arnold, Fuchs, Führer 2004, §4.2.1].
//!
//! N point masses of 1 kg on massless rods of 1 m; αᵢ is the angle of rod i against the vertical.
//! The suspension moves with 0.3 sin ωt and 0.2 sin ωt in x and y; [0, 200], from rest. With
//! u = (ẍ, ÿ + g) of the suspension and μᵢⱼ = N − max(i, j), i = 0 … N − 1,
//! ```text
//! Σⱼ μᵢⱼ (cos(αᵢ − αⱼ) v̇ⱼ + sin(αᵢ − αⱼ) vⱼ²) + (N − i)(u₁ cos αᵢ + u₂ sin αᵢ) = 0,  α̇ = v
//! ```
//! in three ways: solved for v̇ with O(N) operations, as a residual with O(N) operations, and as
//! a residual with the O(N²) operations of the formula.

use super::{Problem, Reference, builder, extrapolation};
use crate::{
    DerivativeForm, Equation, EquationLevel, Hidden, MechanicalLayout, Pattern, Point, Rejection, Residual,
    Structure, Variable, VariableKind,
};
use holonom_algebra::Real;

/// Default number of bodies.
pub const BODIES: usize = 12;
/// Default frequency of the suspension in rad/s.
pub const OMEGA: f64 = 0.05;

const GRAVITY: f64 = 9.81;
const T_END: f64 = 200.0;

/// How the equations of motion are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formalism {
    /// F = (α̇ − v, v̇ − φ) with O(N) operations, Arnold (2) and (10).
    Explicit,
    /// F = (α̇ − v, M v̇ − ψ) with O(N) operations, Arnold (3) and (9).
    Residual,
    /// The same through the entries of M, O(N²) operations.
    ResidualN2,
}

impl Formalism {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Explicit, Self::Residual, Self::ResidualN2];

    /// Name of the problem in this formalism.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "chain-explicit",
            Self::Residual => "chain-residual",
            Self::ResidualN2 => "chain-residual-n2",
        }
    }
}

/// The equations.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// Number of bodies N.
    pub n: usize,
    /// Frequency of the suspension in rad/s.
    pub omega: f64,
    /// How they are evaluated.
    pub formalism: Formalism,
}

/// Workspace of a [`Chain`].
#[derive(Debug)]
pub struct Workspace<T> {
    sin: Vec<T>,
    cos: Vec<T>,
    a: Vec<T>,
    b: Vec<T>,
}

impl Chain {
    /// Acceleration of the suspension, gravity included.
    fn suspension<T: Real>(&self, t: T) -> [T; 2] {
        let s = (t * self.omega).sin() * -(self.omega * self.omega);
        [s * 0.3, s * 0.2 + GRAVITY]
    }

    /// The same at a point where an input may be shifted.
    fn input<T: Real>(&self, at: &Point<'_, T>) -> [T; 2] {
        let mut u = self.suspension(at.t);
        if let Some((k, shift)) = at.shift {
            u[k] += T::constant(shift);
        }
        u
    }

    fn sines<T: Real>(&self, angles: &[T], work: &mut Workspace<T>) {
        for i in 0..self.n {
            (work.sin[i], work.cos[i]) = angles[i].sin_cos();
        }
    }

    /// r := M w − ψ: accelerations of the masses down the chain, forces up.
    fn residual_rows<T: Real>(&self, u: [T; 2], v: &[T], w: &[T], work: &mut Workspace<T>, r: &mut [T]) {
        let [mut x, mut y] = u;
        for i in 0..self.n {
            let centripetal = v[i] * v[i];
            x += work.cos[i] * w[i] - work.sin[i] * centripetal;
            y += work.sin[i] * w[i] + work.cos[i] * centripetal;
            (work.a[i], work.b[i]) = (x, y);
        }
        let (mut x, mut y) = (T::zero(), T::zero());
        for i in (0..self.n).rev() {
            x += work.a[i];
            y += work.b[i];
            r[i] = work.cos[i] * x + work.sin[i] * y;
        }
    }

    /// r := M w − ψ, entry by entry.
    fn residual_rows_n2<T: Real>(&self, u: [T; 2], v: &[T], w: &[T], work: &Workspace<T>, r: &mut [T]) {
        let (sin, cos) = (&work.sin, &work.cos);
        for i in 0..self.n {
            let mut sum = (cos[i] * u[0] + sin[i] * u[1]) * (self.n - i) as f64;
            for j in 0..self.n {
                let mu = (self.n - i.max(j)) as f64;
                let tangential = (cos[i] * cos[j] + sin[i] * sin[j]) * w[j];
                let centripetal = (sin[i] * cos[j] - cos[i] * sin[j]) * (v[j] * v[j]);
                sum += (tangential + centripetal) * mu;
            }
            r[i] = sum;
        }
    }

    /// φ := v̇, from the tensions of the rods, which solve a tridiagonal system: the relative
    /// acceleration of neighbouring masses along a rod is the centripetal one.
    fn accelerations<T: Real>(&self, u: [T; 2], v: &[T], work: &mut Workspace<T>, phi: &mut [T]) {
        let n = self.n;
        let Workspace {
            sin,
            cos,
            a: pivot,
            b: tension,
        } = work;
        let along = |i: usize, j: usize| sin[i] * sin[j] + cos[i] * cos[j];
        for i in 0..n {
            tension[i] = v[i] * v[i];
            pivot[i] = T::constant(if i == 0 { 1.0 } else { 2.0 });
        }
        tension[0] -= sin[0] * u[0] - cos[0] * u[1];
        for i in 1..n {
            let coupling = along(i - 1, i);
            let factor = coupling / pivot[i - 1];
            pivot[i] -= factor * coupling;
            let previous = tension[i - 1];
            tension[i] += factor * previous;
        }
        for i in (0..n).rev() {
            if i + 1 < n {
                let next = tension[i + 1];
                tension[i] += along(i, i + 1) * next;
            }
            tension[i] /= pivot[i];
        }
        // The component across the rod.
        let across = |i: usize, j: usize| sin[j] * cos[i] - cos[j] * sin[i];
        for i in 0..n {
            let mut sum = if i == 0 {
                -(cos[0] * u[0] + sin[0] * u[1])
            } else {
                tension[i - 1] * across(i, i - 1)
            };
            if i + 1 < n {
                sum += tension[i + 1] * across(i, i + 1);
            }
            phi[i] = sum;
        }
    }
}

impl Residual for Chain {
    type Workspace<T: Real> = Workspace<T>;

    fn structure(&self) -> Structure {
        let n = self.n;
        let position = |i| Variable::new(format!("alpha[{i}]"), VariableKind::Position);
        let velocity = |i| Variable::new(format!("v[{i}]"), VariableKind::Velocity);
        let kinematic = |i| Equation::new(format!("d/dt alpha[{i}]"), EquationLevel::Kinematic);
        let dynamic = |i| Equation::new(format!("d/dt v[{i}]"), EquationLevel::Dynamic);
        let identity = (0..n).map(|i| (i, i));
        let mass = (0..n * n).map(|k| (n + k % n, n + k / n));
        Structure {
            variables: (0..n).map(position).chain((0..n).map(velocity)).collect(),
            equations: (0..n).map(kinematic).chain((0..n).map(dynamic)).collect(),
            derivative: match self.formalism {
                Formalism::Explicit => DerivativeForm::Identity,
                _ => DerivativeForm::Mass(Pattern::from_entries(2 * n, 2 * n, identity.chain(mass)).into()),
            },
            sparsity: None,
            transposed: Vec::new(),
            layout: Some(MechanicalLayout {
                x: 0..0,
                q: 0..n,
                v: n..2 * n,
                lambda: 2 * n..2 * n,
                eta: 2 * n..2 * n,
                sigma: 2 * n..2 * n,
                readings: 2 * n..2 * n,
            }),
            forces_depend_on_multipliers: false,
        }
    }

    fn workspace<T: Real>(&self) -> Workspace<T> {
        let zeros = || vec![T::zero(); self.n];
        Workspace {
            sin: zeros(),
            cos: zeros(),
            a: zeros(),
            b: zeros(),
        }
    }

    fn residual<T: Real>(
        &self,
        at: Point<'_, T>,
        work: &mut Workspace<T>,
        r: &mut [T],
    ) -> Result<(), Rejection> {
        let (q, v) = at.y.split_at(self.n);
        let (qp, w) = at.yp.split_at(self.n);
        let (kinematic, dynamic) = r.split_at_mut(self.n);
        for i in 0..self.n {
            kinematic[i] = qp[i] - v[i];
        }
        let u = self.input(&at);
        self.sines(q, work);
        match self.formalism {
            Formalism::Residual => self.residual_rows(u, v, w, work, dynamic),
            Formalism::ResidualN2 => self.residual_rows_n2(u, v, w, work, dynamic),
            Formalism::Explicit => {
                self.accelerations(u, v, work, dynamic);
                for i in 0..self.n {
                    dynamic[i] = w[i] - dynamic[i];
                }
            }
        }
        Ok(())
    }

    fn inputs(&self) -> usize {
        2
    }

    fn input_values(&self, t: f64, values: &mut [f64]) {
        values.copy_from_slice(&self.suspension(t));
    }

    fn excitations(&self) -> usize {
        2
    }

    fn excitation_values(&self, t: f64, values: &mut [f64]) {
        values.copy_from_slice(&self.suspension(t));
    }

    fn hidden(&self) -> Hidden {
        Hidden::Nothing
    }

    fn derivative_matrix(
        &self,
        at: Point<'_, f64>,
        work: &mut Workspace<f64>,
        values: &mut [f64],
    ) -> Result<(), Rejection> {
        let n = self.n;
        self.sines(&at.y[..n], work);
        let (identity, mass) = values.split_at_mut(n);
        identity.fill(1.0);
        for j in 0..n {
            for i in 0..n {
                let cos = work.cos[i] * work.cos[j] + work.sin[i] * work.sin[j];
                mass[i + j * n] = (n - i.max(j)) as f64 * cos;
            }
        }
        Ok(())
    }
}

/// y = (α, v) at the given times, which ascend from 0; by extrapolation, good to about 10⁻¹³.
pub fn reference(n: usize, omega: f64, times: &[f64]) -> Vec<Vec<f64>> {
    reference_within(n, omega, times, 1e-17)
}

/// The same with the local error per step below `tol`. Rounding ends its use: with 256 bodies, 10⁻¹⁵ takes 4 s and is
/// good to 2·10⁻¹², 10⁻¹⁶ takes five times as long, and 10⁻¹⁷ more than half an hour.
pub fn reference_within(n: usize, omega: f64, times: &[f64], tol: f64) -> Vec<Vec<f64>> {
    let chain = Chain {
        n,
        omega,
        formalism: Formalism::Explicit,
    };
    let mut work = chain.workspace();
    let f = |t: f64, y: &[f64], dy: &mut [f64]| {
        let (q, v) = y.split_at(n);
        dy[..n].copy_from_slice(v);
        chain.sines(q, &mut work);
        chain.accelerations(chain.suspension(t), v, &mut work, &mut dy[n..]);
    };
    extrapolation::integrate(f, 0.0, &vec![0.0; 2 * n], times, tol)
}

/// `chain-explicit`, `chain-residual`, `chain-residual-n2` with N bodies and the frequency ω.
/// The reference is there for the default size; [`reference()`] makes others.
pub fn problem(formalism: Formalism, n: usize, omega: f64) -> Problem {
    let name = formalism.name();
    let is_default = n == BODIES && omega == OMEGA;
    Problem {
        name: if is_default {
            name.into()
        } else {
            format!("{name}:{n}:{omega}")
        },
        title: "chain of pendulums on a moving suspension point",
        t0: 0.0,
        t_end: T_END,
        y0: vec![0.0; 2 * n],
        yp0: vec![0.0; 2 * n],
        atol_factor: 1.0,
        reference: is_default.then(|| Reference {
            t: T_END,
            y: END.to_vec(),
            digits: 10.5,
            provenance: "own: extrapolation of order 16, tolerances 1e-18 and 1e-19",
        }),
        build: builder(Chain { n, omega, formalism }),
    }
}

/// The default chain at the end of the interval, at the tolerance 10⁻¹⁹.
const END: [f64; 2 * BODIES] = [
    -4.02463626847127210e-5,
    -4.01483814548353658e-5,
    -4.00695694438545430e-5,
    -4.00006721724084418e-5,
    -3.99301095243671678e-5,
    -3.98472973118131353e-5,
    -3.97438281200299494e-5,
    -3.96055709080732826e-5,
    -3.94630848622650539e-5,
    -3.93375543708863407e-5,
    -3.91259370502688224e-5,
    -3.89405695333119197e-5,
    -6.01483754881931531e-6,
    -6.22925381997292586e-6,
    -6.44258034327176237e-6,
    -6.57262908260877254e-6,
    -6.61637137741098686e-6,
    -6.84905568850913073e-6,
    -7.11147206552884439e-6,
    -7.12014183307517528e-6,
    -6.94640445524204121e-6,
    -6.56840592792614125e-6,
    -5.65364974854241958e-6,
    -3.81773810656454645e-6,
];
