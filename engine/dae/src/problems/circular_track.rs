//! Circular track: a point mass on a circle, driven at constant speed, for drift over long times.
//!
//! [Burgermeister §4.1]. The source gives no parameters; here m = 1, radius 1, a PI controller for the tangential speed
//! and a force F_R away from the centre:
//! ```text
//! m ẍ = F_PI τ + F_R n − 2 x λ,    0 = x₁² + x₂² − 1,    n = x/|x|,  τ = (−n₂, n₁)
//! F_PI = K_P e + K_I z,    ż = e,    e = V − τ·ẋ
//! ```
//! with V = 1, K_P = 10, K_I = 5, F_R = 10. The controller makes good what integration errors do to the speed, and the
//! outward force adds to what they do to the radius. z is an own state, so that this is [`Mechanical`] without
//! residual form.

use super::constrained::{ConstrainedMotion, Mechanics};
use crate::{ElementSet, Mechanical, Rejection};
use holonom_algebra::Real;

/// Speed that is kept.
pub const SPEED: f64 = 1.0;
/// Proportional gain.
pub const PROPORTIONAL: f64 = 10.0;
/// Integral gain.
pub const INTEGRAL: f64 = 5.0;
/// Force away from the centre.
pub const OUTWARD: f64 = 10.0;

/// The mass with the controller's integral as a number.
#[derive(Clone, Copy, Debug, Default)]
struct Mass {
    integral: f64,
}

impl ConstrainedMotion for Mass {
    fn positions(&self) -> Vec<String> {
        vec!["x".into(), "y".into()]
    }

    fn velocities(&self) -> Vec<String> {
        vec!["vx".into(), "vy".into()]
    }

    fn n_g(&self) -> usize {
        1
    }

    fn mass_entries(&self) -> Vec<(usize, usize)> {
        vec![(0, 0), (1, 1)]
    }

    fn constraint_entries(&self) -> Vec<(usize, usize)> {
        vec![(0, 0), (0, 1)]
    }

    fn mass<T: Real>(&self, _: T, _: &[T], mass: &mut [T]) {
        mass[0] = T::constant(1.0);
        mass[3] = T::constant(1.0);
    }

    fn force<T: Real>(&self, _: T, q: &[T], v: &[T], force: &mut [T]) {
        let scale = (q[0] * q[0] + q[1] * q[1]).sqrt().recip();
        let (nx, ny) = (q[0] * scale, q[1] * scale);
        let error = -(v[1] * nx - v[0] * ny) + SPEED;
        let along = error * PROPORTIONAL + INTEGRAL * self.integral;
        force[0] = nx * OUTWARD - along * ny;
        force[1] = ny * OUTWARD + along * nx;
    }

    fn constraint<T: Real>(&self, _: T, q: &[T], g: &mut [T]) {
        g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    }

    fn constraint_matrix<T: Real>(&self, _: T, q: &[T], matrix: &mut [T]) {
        matrix[0] = q[0] * 2.0;
        matrix[1] = q[1] * 2.0;
    }

    fn constraint_rate<T: Real>(&self, _: T, _: &[T], rate: &mut [T]) {
        rate[0] = T::zero();
    }

    fn constraint_bias<T: Real>(&self, _: T, _: &[T], v: &[T], gamma: &mut [T]) {
        gamma[0] = (v[0] * v[0] + v[1] * v[1]) * 2.0;
    }
}

/// The mass on its track: q = (x, y), x = (z).
///
/// ```
/// use holonom_dae::Mechanical;
/// use holonom_dae::problems::circular_track::CircularTrack;
/// let mut track = CircularTrack::new();
/// let (mut lambda, mut a) = ([0.0], [0.0; 2]);
/// track.accelerations(0.0, &[1.0, 0.0], &[0.0, 1.0], &mut lambda, &mut a)?;
/// // Kept on the circle at constant speed: v²/r inwards.
/// assert!((a[0] + 1.0).abs() < 1e-14 && a[1].abs() < 1e-14);
/// # Ok::<(), holonom_dae::Rejection>(())
/// ```
#[derive(Debug)]
pub struct CircularTrack {
    inner: Mechanics<Mass>,
}

impl CircularTrack {
    /// The mass at rest in its memory: everything comes with the state.
    pub fn new() -> Self {
        Self {
            inner: Mechanics::new(Mass::default()),
        }
    }
}

impl Default for CircularTrack {
    fn default() -> Self {
        Self::new()
    }
}

impl Mechanical for CircularTrack {
    fn n_q(&self) -> usize {
        2
    }

    fn n_v(&self) -> usize {
        2
    }

    fn n_g(&self) -> usize {
        1
    }

    fn n_x(&self) -> usize {
        1
    }

    fn n_elements(&self) -> usize {
        self.inner.n_elements()
    }

    fn element_name(&self, element: usize) -> &str {
        self.inner.element_name(element)
    }

    fn set_states(&mut self, x: &[f64]) {
        self.inner.motion_mut().integral = x[0];
    }

    fn state_rates(
        &mut self,
        _t: f64,
        q: &[f64],
        v: &[f64],
        _lambda: &[f64],
        out: &mut [f64],
    ) -> Result<(), Rejection> {
        out[0] = SPEED - (q[0] * v[1] - q[1] * v[0]) / (q[0] * q[0] + q[1] * q[1]).sqrt();
        Ok(())
    }

    fn mass(&mut self, t: f64, q: &[f64], mass: &mut [f64]) -> Result<(), Rejection> {
        self.inner.mass(t, q, mass)
    }

    fn apply_mass(&mut self, t: f64, q: &[f64], x: &[f64], out: &mut [f64]) -> Result<(), Rejection> {
        self.inner.apply_mass(t, q, x, out)
    }

    fn solve_mass(&mut self, t: f64, q: &[f64], x: &mut [f64]) -> Result<(), Rejection> {
        self.inner.solve_mass(t, q, x)
    }

    fn force(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        force: &mut [f64],
    ) -> Result<(), Rejection> {
        self.inner.force(t, q, v, lambda, force)
    }

    fn force_derivative(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        x: &[f64],
        w: &[f64],
        out: &mut [f64],
    ) -> Result<(), Rejection> {
        self.inner.force_derivative(t, q, v, lambda, x, w, out)
    }

    fn force_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &[f64],
        elements: ElementSet<'_>,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) -> Result<(), Rejection> {
        self.inner.force_jacobians(t, q, v, lambda, elements, f_q, f_v)
    }

    fn constraint(&mut self, t: f64, q: &[f64], g: &mut [f64]) -> Result<(), Rejection> {
        self.inner.constraint(t, q, g)
    }

    fn constraint_matrix(&mut self, t: f64, q: &[f64], matrix: &mut [f64]) -> Result<(), Rejection> {
        self.inner.constraint_matrix(t, q, matrix)
    }

    fn constraint_rate(&mut self, t: f64, q: &[f64], g_t: &mut [f64]) -> Result<(), Rejection> {
        self.inner.constraint_rate(t, q, g_t)
    }

    fn constraint_bias(&mut self, t: f64, q: &[f64], v: &[f64], gamma: &mut [f64]) -> Result<(), Rejection> {
        self.inner.constraint_bias(t, q, v, gamma)
    }

    fn accelerations(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        lambda: &mut [f64],
        accelerations: &mut [f64],
    ) -> Result<(), Rejection> {
        self.inner.accelerations(t, q, v, lambda, accelerations)
    }
}
