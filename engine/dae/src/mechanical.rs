//! [`Mechanical`]: the equations of motion with their parts apart.
//!
//! q̇ = V(q) v, M v̇ = f − Gᵀλ, 0 = g(t, q), with G := (∂g/∂q) V(q). Steppers that use the
//! parts (linear-implicit Euler, projection, RK4, trapezoidal rule, generalised-α) work on
//! this; the residual forms in `problems` and later in the multibody crate derive a
//! [`System`](crate::System) from it.

use crate::Rejection;
use core::ops::Range;

/// Where positions, velocities and multipliers lie in y.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MechanicalLayout {
    /// Positions q.
    pub q: Range<usize>,
    /// Velocities v.
    pub v: Range<usize>,
    /// Own states x of elements, ẋ = s(t, q, v, x, λ); empty without them.
    pub x: Range<usize>,
    /// Multipliers λ; empty where eliminated.
    pub lambda: Range<usize>,
    /// Multipliers η of the stabilised form; empty in the other forms.
    pub eta: Range<usize>,
    /// Multipliers σ that keep the lengths of Euler parameters; empty without them.
    pub sigma: Range<usize>,
    /// What sensors read of accelerations and multipliers, as unknowns ρ; empty without them.
    pub readings: Range<usize>,
}

/// Which force elements a Jacobian is assembled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementSet<'a> {
    /// All of them.
    All,
    /// Those with the given numbers: the stiff ones.
    Some(&'a [usize]),
}

/// How Jacobians are renewed: in shares, each at most this much work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JacobianPlan {
    /// Number of shares.
    pub shares: usize,
    /// Evaluations of the whole mechanism with derivatives, eight directions at a time.
    pub sweeps: usize,
    /// Evaluations of single elements with derivatives, by four coordinates at a time.
    pub elements: usize,
    /// Derivatives of loads that are projected on coordinates: for every element, coordinates read times coordinates
    /// acted on, by position and by velocity.
    pub projections: usize,
}

/// A mechanical system. Matrices are dense, column by column, unless said otherwise; nothing
/// allocates after construction.
pub trait Mechanical: Send {
    /// Number of position coordinates.
    fn n_q(&self) -> usize;
    /// Number of velocity coordinates.
    fn n_v(&self) -> usize;
    /// Number of constraint equations.
    fn n_g(&self) -> usize;

    /// Sets the discrete variables that everything is computed with from now on.
    fn set_discrete(&mut self, _discrete: &[f64]) {}

    /// Whether a constraint equation takes part, with the discrete variables set. One that does not
    /// is zero everywhere, and so is its multiplier.
    fn takes_part(&self, _row: usize) -> bool {
        true
    }

    /// Number of own states x of elements.
    fn n_x(&self) -> usize {
        0
    }

    /// Sets the own states that forces and accelerations are computed with from now on.
    fn set_states(&mut self, _x: &[f64]) {}

    /// Sets what sensors read of accelerations and multipliers: forces are computed with it from now on,
    /// and [`accelerations`](Self::accelerations) begin their search there.
    fn set_readings(&mut self, _readings: &[f64]) {}

    /// What sensors read, as last set or found with the accelerations.
    fn readings(&self, _out: &mut [f64]) {}

    /// out := ẋ = s(t, q, v, x, λ) with the states and readings set.
    fn state_rates(
        &mut self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _lambda: &[f64],
        _out: &mut [f64],
    ) -> Result<(), Rejection> {
        Ok(())
    }

    /// out := V(q) x, from n_v to n_q entries; the identity unless positions are Euler parameters.
    fn velocity_map(&mut self, _q: &[f64], x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }

    /// Brings q back to where it means something after a projection step: Euler parameters to
    /// length one.
    fn normalise(&mut self, _q: &mut [f64]) {}

    /// out := q after a time h at the velocities v held in the axes of the bodies: q + h V(q) v, and
    /// the exponential map where positions are Euler parameters.
    ///
    /// `out` may start with anything.
    fn advance(&mut self, q: &[f64], h: f64, v: &[f64], out: &mut [f64]) {
        self.velocity_map(q, v, out);
        for (out, q) in out.iter_mut().zip(q) {
            *out = q + h * *out;
        }
    }

    /// Number of force elements, as numbered in an [`ElementSet`].
    fn n_elements(&self) -> usize {
        0
    }

    /// Name of a force element.
    fn element_name(&self, _element: usize) -> &str {
        ""
    }

    /// M(t, q), n_v × n_v.
    fn mass(&mut self, t: f64, q: &[f64], mass: &mut [f64]) -> Result<(), Rejection>;

    /// out := M(t, q) x.
    fn apply_mass(&mut self, t: f64, q: &[f64], x: &[f64], out: &mut [f64]) -> Result<(), Rejection>;

    /// x := M(t, q)⁻¹ x.
    fn solve_mass(&mut self, t: f64, q: &[f64], x: &mut [f64]) -> Result<(), Rejection>;

    /// f(t, q, v, λ): applied and gyroscopic forces, without −Gᵀλ.
    fn force(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        force: &mut [f64],
    ) -> Result<(), Rejection>;

    /// out := f_q V x + f_v w: the directional derivative of the forces along q̇ = V x, v̇ = w.
    fn force_derivative(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        x: &[f64],
        w: &[f64],
        out: &mut [f64],
    ) -> Result<(), Rejection>;

    /// (∂f/∂q) V and ∂f/∂v, n_v × n_v each, of the chosen elements.
    fn force_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        elements: ElementSet<'_>,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection>;

    /// Prepares [`renew_jacobians`](Self::renew_jacobians) for these elements, in at most so many shares of about equal
    /// work. Allocates; independent of the state.
    fn plan_jacobians(&mut self, _elements: ElementSet<'_>, _shares: usize) -> JacobianPlan {
        JacobianPlan {
            shares: 1,
            sweeps: 1,
            ..JacobianPlan::default()
        }
    }

    /// Renews one share of (∂f/∂q) V and ∂f/∂v of the elements last given to
    /// [`plan_jacobians`](Self::plan_jacobians), and leaves the other entries alone. All shares on
    /// matrices of zeros are what [`force_jacobians`](Self::force_jacobians) gives.
    fn renew_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        elements: ElementSet<'_>,
        _share: usize,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection> {
        self.force_jacobians(t, q, v, lambda, elements, f_q, f_v)
    }

    /// g(t, q).
    fn constraint(&mut self, t: f64, q: &[f64], g: &mut [f64]) -> Result<(), Rejection>;

    /// G(t, q), n_g × n_v.
    fn constraint_matrix(&mut self, t: f64, q: &[f64], matrix: &mut [f64]) -> Result<(), Rejection>;

    /// g_t(t, q): the part of the velocity constraint G v + g_t that does not depend on v.
    fn constraint_rate(&mut self, t: f64, q: &[f64], g_t: &mut [f64]) -> Result<(), Rejection>;

    /// γ(t, q, v): the rest of the acceleration constraint d/dt (G v + g_t) = G v̇ + γ.
    fn constraint_bias(&mut self, t: f64, q: &[f64], v: &[f64], gamma: &mut [f64]) -> Result<(), Rejection>;

    /// v̇ and λ from M v̇ = f − Gᵀλ, G v̇ + γ = 0. Where f depends on λ, the value on entry is
    /// where the search for a solution of both begins. Readings are found with them.
    fn accelerations(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &mut [f64],
        accelerations: &mut [f64],
    ) -> Result<(), Rejection>;
}
