//! The planar pendulum in Cartesian coordinates, with its closed-form solution.
//!
//! A point mass on a massless rod, released at rest from the horizontal [IFToMM library of
//! multibody benchmarks, A01]: m = 1, l = 1, g = 9.81, from (−1, 0), [0, 10].
//! ```text
//! m ẍ = −x λ,  m ÿ = −m g − y λ,  0 = (x² + y² − l²)/2
//! ```

use super::Problem;
use super::constrained::{ConstrainedMotion, Form, Start};
use core::f64::consts::FRAC_1_SQRT_2;
use holonom_algebra::Real;

/// Mass.
pub const MASS: f64 = 1.0;
/// Length of the rod.
pub const LENGTH: f64 = 1.0;
/// Gravity.
pub const GRAVITY: f64 = 9.81;

/// The mechanics of the pendulum.
#[derive(Clone, Copy, Debug)]
pub struct Pendulum;

impl ConstrainedMotion for Pendulum {
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
        mass[0] = T::constant(MASS);
        mass[3] = T::constant(MASS);
    }

    fn force<T: Real>(&self, _: T, _: &[T], _: &[T], force: &mut [T]) {
        force[0] = T::zero();
        force[1] = T::constant(-MASS * GRAVITY);
    }

    fn constraint<T: Real>(&self, _: T, q: &[T], g: &mut [T]) {
        g[0] = (q[0] * q[0] + q[1] * q[1] - LENGTH * LENGTH) * 0.5;
    }

    fn constraint_matrix<T: Real>(&self, _: T, q: &[T], matrix: &mut [T]) {
        matrix[0] = q[0];
        matrix[1] = q[1];
    }

    fn constraint_rate<T: Real>(&self, _: T, _: &[T], rate: &mut [T]) {
        rate[0] = T::zero();
    }

    fn constraint_bias<T: Real>(&self, _: T, _: &[T], v: &[T], gamma: &mut [T]) {
        gamma[0] = v[0] * v[0] + v[1] * v[1];
    }
}

/// Kinetic plus potential energy at y = (x, y, vx, vy, …); zero all along the solution.
pub fn energy(y: &[f64]) -> f64 {
    MASS * (0.5 * (y[2] * y[2] + y[3] * y[3]) + GRAVITY * y[1])
}

/// (x, y, vx, vy, λ) at time t.
///
/// With the angle p from the downward vertical, sin(p/2) = k cd(ωt, k), ω² = g/l and
/// k = sin(π/4); hence cos(p/2) = k′ nd, ṗ = −2 k k′ ω sd [DLMF §22.19]. The multiplier follows
/// from the acceleration constraint and the energy: λ = m (v² − g y)/l² = −3 m g y/l².
pub fn exact(t: f64) -> [f64; 5] {
    let omega = (GRAVITY / LENGTH).sqrt();
    let k = FRAC_1_SQRT_2;
    let complement = FRAC_1_SQRT_2;
    let (sn, cn, dn) = jacobi_elliptic(omega * t, k);
    let (sin_half, cos_half) = (k * cn / dn, complement / dn);
    let rate = -2.0 * k * complement * omega * sn / dn;
    let sin = 2.0 * sin_half * cos_half;
    // Exact in sin(p/2), and without cancellation where the pendulum passes the horizontal.
    let cos = (cos_half - sin_half) * (cos_half + sin_half);
    let (x, y) = (-LENGTH * sin, -LENGTH * cos);
    [
        x,
        y,
        y * rate,
        -x * rate,
        -3.0 * MASS * GRAVITY * y / (LENGTH * LENGTH),
    ]
}

/// sn, cn and dn of u for the modulus 0 < k < 1, by the descending Landen transformation over
/// the arithmetic–geometric mean [DLMF §22.20(ii)].
pub fn jacobi_elliptic(u: f64, k: f64) -> (f64, f64, f64) {
    let (mut a, mut b) = (1.0, ((1.0 - k) * (1.0 + k)).sqrt());
    let mut ratios = [0.0; 12];
    let mut n = 0;
    while n < ratios.len() {
        let c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        ratios[n] = c / a;
        n += 1;
        if c.abs() <= 1e-17 * a {
            break;
        }
    }
    let mut phi = f64::powi(2.0, n as i32) * a * u;
    for ratio in ratios[..n].iter().rev() {
        phi = 0.5 * (phi + (ratio * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    (sn, cn, (1.0 - (k * sn).powi(2)).sqrt())
}

/// `pendulum-index1`, `-index2`, `-index3`, `-ggl`.
pub fn problem(form: Form) -> Problem {
    let start = Start {
        motion: Pendulum,
        title: "planar pendulum in Cartesian coordinates",
        q0: vec![-LENGTH, 0.0],
        v0: vec![0.0, 0.0],
        t_end: 10.0,
        reference: exact(10.0).to_vec(),
        digits: 14.0,
        provenance: "closed form in Jacobi elliptic functions",
    };
    start.problem(format!("pendulum-{}", form.name()), form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_form_has_the_published_values() {
        // IFToMM A01, own values to 20 digits.
        for (t, x, y) in [
            (0.0, -1.0, 0.0),
            (1.0, 0.98629175113187531936, -0.16501085312554116875),
            (5.0, -0.9423054350437573355, -0.33475433841400058079),
            (10.0, -0.27508746257611686005, -0.96141920509912506427),
            (2.3678419475762374493, -1.0, 0.0),
        ] {
            let e = exact(t);
            assert!(
                (e[0] - x).abs() < 2e-14 && (e[1] - y).abs() < 2e-14,
                "t = {t}: {e:?}"
            );
        }
    }

    #[test]
    fn closed_form_solves_the_equations() {
        let h = 1e-3;
        for i in 0..50 {
            let t = 0.2 * f64::from(i) + 0.05;
            let [x, y, vx, vy, lambda] = exact(t);
            assert!((x * x + y * y - 1.0).abs() < 1e-14);
            assert!((x * vx + y * vy).abs() < 1e-13);
            assert!(energy(&exact(t)).abs() < 1e-13);
            // Central differences of fourth order.
            let d = |c: usize| {
                let e = |s: f64| exact(t + s * h)[c];
                (8.0 * (e(1.0) - e(-1.0)) - (e(2.0) - e(-2.0))) / (12.0 * h)
            };
            let expected = [vx, vy, -x * lambda, -GRAVITY - y * lambda];
            for (c, e) in expected.into_iter().enumerate() {
                assert!((d(c) - e).abs() < 1e-7, "component {c} at {t}");
            }
        }
    }
}
