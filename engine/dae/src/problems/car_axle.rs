//! Car axle: two wheels on springs, one of them on a wavy road.
//!
//! [IVP test set, problem CARAXIS], k = M ε²/2 = 5·10⁻⁴, the right end of the road moves with
//! yb = r sin ωt, xb = √(L² − yb²); [0, 3].
//! ```text
//! k ẍl = (L₀ − Ll) xl/Ll        − xb λ₁ − 2 (xl − xr) λ₂
//! k ÿl = (L₀ − Ll) yl/Ll − k g  − yb λ₁ − 2 (yl − yr) λ₂
//! k ẍr = (L₀ − Lr)(xr − xb)/Lr          + 2 (xl − xr) λ₂
//! k ÿr = (L₀ − Lr)(yr − yb)/Lr − k g    + 2 (yl − yr) λ₂
//! 0 = xb xl + yb yl,  0 = (xl − xr)² + (yl − yr)² − L²
//! ```
//! Everything is inlined into the residual, of which calls took a seventh of the time.
//!
//! Our constraint forces are −Gᵀλ, the source's +Gᵀλ: the multipliers here, in the equations as
//! in the reference, are the source's with the opposite sign.

use super::Problem;
use super::constrained::{ConstrainedMotion, Form, Start};
use holonom_algebra::Real;

/// Length of the axle.
const L: f64 = 1.0;
/// Length of the unloaded springs.
const L0: f64 = 0.5;
/// Amplitude and angular frequency of the road.
const R: f64 = 0.1;
const OMEGA: f64 = 10.0;
/// Mass of a wheel in the scaled equations: M ε²/2.
const K: f64 = 10.0 * 1e-2 * 1e-2 / 2.0;
const GRAVITY: f64 = 1.0;

/// The mechanics of the axle.
#[derive(Clone, Copy, Debug)]
pub struct CarAxle;

/// (xb, yb).
#[inline(always)]
fn road<T: Real>(t: T) -> [T; 2] {
    let yb = (t * OMEGA).sin() * R;
    [(-(yb * yb) + L * L).sqrt(), yb]
}

/// (xb, yb) with the first and second derivatives, from xb² + yb² = L².
#[inline(always)]
fn road_motion<T: Real>(t: T) -> [[T; 2]; 3] {
    let (sin, cos) = (t * OMEGA).sin_cos();
    let (y, dy, ddy) = (sin * R, cos * (R * OMEGA), sin * (-R * OMEGA * OMEGA));
    let x = (-(y * y) + L * L).sqrt();
    let dx = -(y * dy) / x;
    let ddx = -(dx * dx + dy * dy + y * ddy) / x;
    [[x, y], [dx, dy], [ddx, ddy]]
}

impl ConstrainedMotion for CarAxle {
    fn positions(&self) -> Vec<String> {
        ["xl", "yl", "xr", "yr"].map(String::from).to_vec()
    }

    fn velocities(&self) -> Vec<String> {
        ["vxl", "vyl", "vxr", "vyr"].map(String::from).to_vec()
    }

    fn n_g(&self) -> usize {
        2
    }

    fn mass_entries(&self) -> Vec<(usize, usize)> {
        (0..4).map(|i| (i, i)).collect()
    }

    fn constraint_entries(&self) -> Vec<(usize, usize)> {
        vec![(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3)]
    }

    #[inline(always)]
    fn mass<T: Real>(&self, _: T, _: &[T], mass: &mut [T]) {
        for i in 0..4 {
            mass[5 * i] = T::constant(K);
        }
    }

    #[inline(always)]
    fn force<T: Real>(&self, t: T, q: &[T], _: &[T], force: &mut [T]) {
        let [xb, yb] = road(t);
        let (xr, yr) = (q[2] - xb, q[3] - yb);
        // (L₀ − length)/length of either spring.
        let left = (q[0] * q[0] + q[1] * q[1]).sqrt().recip() * L0 - 1.0;
        let right = (xr * xr + yr * yr).sqrt().recip() * L0 - 1.0;
        force[0] = left * q[0];
        force[1] = left * q[1] - K * GRAVITY;
        force[2] = right * xr;
        force[3] = right * yr - K * GRAVITY;
    }

    #[inline(always)]
    fn constraint<T: Real>(&self, t: T, q: &[T], g: &mut [T]) {
        let [xb, yb] = road(t);
        let (dx, dy) = (q[0] - q[2], q[1] - q[3]);
        g[0] = xb * q[0] + yb * q[1];
        g[1] = dx * dx + dy * dy - L * L;
    }

    #[inline(always)]
    fn constraint_matrix<T: Real>(&self, t: T, q: &[T], matrix: &mut [T]) {
        let [xb, yb] = road(t);
        let (dx, dy) = ((q[0] - q[2]) * 2.0, (q[1] - q[3]) * 2.0);
        (matrix[0], matrix[2]) = (xb, yb);
        (matrix[1], matrix[3], matrix[5], matrix[7]) = (dx, dy, -dx, -dy);
    }

    #[inline(always)]
    fn constraint_rate<T: Real>(&self, t: T, q: &[T], rate: &mut [T]) {
        let [_, [dx, dy], _] = road_motion(t);
        rate[0] = dx * q[0] + dy * q[1];
        rate[1] = T::zero();
    }

    fn constraint_bias<T: Real>(&self, t: T, q: &[T], v: &[T], gamma: &mut [T]) {
        let [_, [dx, dy], [ddx, ddy]] = road_motion(t);
        let (ex, ey) = (v[0] - v[2], v[1] - v[3]);
        gamma[0] = (dx * v[0] + dy * v[1]) * 2.0 + ddx * q[0] + ddy * q[1];
        gamma[1] = (ex * ex + ey * ey) * 2.0;
    }
}

/// `car-axle` (stabilised form), `car-axle-index1`, `-index2`, `-index3`.
pub fn problem(form: Form) -> Problem {
    let start = Start {
        motion: CarAxle,
        title: "car axle on a wavy road",
        q0: vec![0.0, L0, L, L0],
        v0: vec![-L0 * R * OMEGA / L, 0.0, -L0 * R * OMEGA / L, 0.0],
        t_end: 3.0,
        reference: vec![
            4.9345578427524092132e-2,
            4.9698946023000810676e-1,
            1.0417425248854261152,
            3.7391102726536581936e-1,
            -7.7058368403592084284e-2,
            7.4468665920684164914e-3,
            1.755681575354173663e-2,
            7.7034104377960106312e-1,
            // λ with the opposite sign of the source's.
            4.7368865908533265153e-3,
            1.1046803312595658399e-3,
        ],
        digits: 15.9,
        provenance: "own: Radau IIA of order 13 in quadruple precision, confirmed in minimal \
                     coordinates; the published values have 9 to 14 digits; sign of λ changed",
    };
    let name = match form {
        Form::Ggl => "car-axle".into(),
        _ => format!("car-axle-{}", form.name()),
    };
    start.problem(name, form)
}
