//! The contact ellipse of Hertz.

use super::{RailError, poisson_ratio, positive};
use holonom_algebra::Real;
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
use std::sync::Arc;

/// Semi-axes of a contact ellipse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch<T> {
    /// Along the direction of rolling, m.
    pub a: T,
    /// Across it, m.
    pub b: T,
}

/// Two bodies of one elastic material: a = m (3 (1 − ν²) N/(2 E (A + B)))^⅓, b likewise with n.
///
/// A and B are half the sums of the curvatures along and across. With κ = b/a ≤ 1 and the complete
/// elliptic integrals K, E of 1 − κ², A/B = (K − E)/(E/κ² − K) and m³ = 2 E/(π κ²), n = κ m
/// (K. L. Johnson, Contact Mechanics, section 4.2). The logarithms of a/b and of m n are smooth
/// functions of ln(A/B) with no exchange of roles at A = B; they are kept as splines, which are
/// better than 10⁻⁷.
#[derive(Clone, Debug)]
pub struct Hertz {
    modulus: f64,
    poisson: f64,
    /// ln(a/b) over ln(A/B).
    ratio: Arc<Curve>,
    /// ln(m n) over ln(A/B).
    size: Arc<Curve>,
}

/// Below about this force the ellipse does not vanish, N: derivatives stay finite.
const LIGHT: f64 = 1.0;
/// Ends of the splines in ln(a/b); beyond, tangents.
const END: i32 = 160;
/// Their step.
const STEP: f64 = 0.05;

impl Hertz {
    /// The law for Young's modulus, Pa, and Poisson's ratio of both bodies.
    ///
    /// # Errors
    /// When the modulus is not positive or the ratio not between 0 and ½.
    pub fn new(modulus: f64, poisson: f64) -> Result<Self, RailError> {
        positive("Young's modulus", modulus)?;
        poisson_ratio(poisson)?;
        let points: Vec<[f64; 3]> = (-END..=END)
            .rev()
            .map(|k| {
                let x = f64::from(k) * STEP;
                let [y, size] = along(x.abs());
                [y.copysign(-x), x, size]
            })
            .collect();
        let column = |k: usize| points.iter().map(|p| p[k]).collect::<Vec<f64>>();
        let curve = |name: &str, k: usize| {
            let linear = Extrapolation::Linear;
            let curve = Curve::new(name, column(0), column(k), Interpolation::Spline, linear);
            // The points rise; were they not to, no modulus would do.
            let fault = |_| RailError::NotFinite {
                profile: "the contact ellipse",
                at: 0.0,
            };
            curve.map(Arc::new).map_err(fault)
        };
        Ok(Self {
            modulus,
            poisson,
            ratio: curve("a/b", 1)?,
            size: curve("m n", 2)?,
        })
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        self.poisson
    }

    /// Shear modulus G = E/(2 (1 + ν)), Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.modulus / (2.0 * (1.0 + self.poisson))
    }

    /// The ellipse for a normal force and half the sums of curvatures A along, B across the
    /// direction of rolling, 1/m; both positive. Forces of less than about 1 N count as that.
    pub fn patch<T: Real>(&self, load: T, along: T, across: T) -> Patch<T> {
        let pressed = (load + (load.square() + LIGHT * LIGHT).sqrt()) * 0.5;
        let place = (along / across).ln();
        let compliance = 1.5 * (1.0 - self.poisson * self.poisson) / self.modulus;
        let scale = (pressed * compliance / (along + across)).powf(1.0 / 3.0);
        let mean = (self.size.evaluate(place) * 0.5).exp() * scale;
        let stretch = (self.ratio.evaluate(place) * 0.5).exp();
        Patch {
            a: mean * stretch,
            b: mean / stretch,
        }
    }
}

/// |ln(A/B)| and ln(m n) for x = ln(a/b) ≥ 0.
fn along(x: f64) -> [f64; 2] {
    let g = (-x).exp();
    let e2 = -(-2.0 * x).exp_m1();
    // Arithmetic-geometric mean: K = π/(2 M), E = K (1 − e²/2 − r) with r = Σ 2ⁿ⁻¹ cₙ², n ≥ 1.
    let (mut p, mut q, mut rest, mut factor) = (1.0_f64, g, 0.0, 1.0);
    for _ in 0..40 {
        let c = 0.5 * (p - q);
        rest += factor * c * c;
        factor *= 2.0;
        (p, q) = (0.5 * (p + q), (p * q).sqrt());
        if c == 0.0 {
            break;
        }
    }
    let k = core::f64::consts::FRAC_PI_2 / p;
    let e = k * (1.0 - 0.5 * e2 - rest);
    let share = if e2 > 0.0 { rest / e2 } else { 0.0 };
    // K − E and κ² (E/κ² − K), both divided by K e².
    let ratio = g * g * (0.5 + share) / (0.5 - share);
    [
        -ratio.ln(),
        x / 3.0 + (e / core::f64::consts::FRAC_PI_2).ln() * (2.0 / 3.0),
    ]
}
