//! `stepper = "auto"`: an explicit method where stability does not limit its steps, an implicit one elsewhere.
//!
//! Before the first step the largest eigenvalue of ẏ = f(t, y) is estimated by power iteration. If the motion that
//! belongs to it dies out early in a run in which stability would ask for many more steps, the problem is stiff. Else
//! one explicit step of the size that is just stable is tried: if its error would allow much longer steps, it is stiff
//! too.
//! In the run, an explicit method that stays at the border of its stability domain gives way. Everything is decided
//! by counted evaluations and estimated errors, never by a clock.

use super::dormand_prince::{self, Rates};
use crate::equations::Equations;
use crate::explain::Because;
use crate::options::Options;
use holonom_dae::Weights;

/// Name in options.
pub const AUTO: &str = "auto";

/// Evaluations for the largest eigenvalue.
const EVALUATIONS: usize = 8;
/// |h λ| of the step that is tried.
const BORDER: f64 = 5.0;
/// A step longer by this factor makes up for what an implicit method costs more.
const WORTHWHILE: f64 = 4.0;
/// Steps at the border of the stability domain after which an explicit method gives way.
const PATIENCE: u32 = 10;
/// A motion with e⁻¹ of its size left after 1/50 of the run is gone for most of it.
const DIES_OUT: f64 = 50.0;
/// Explicit steps that are few enough for any run.
const FEW: f64 = 100.0;
/// Unknowns from which on factorisations are what a step costs, and the tolerance from which on several of them in
/// a step do not pay.
const LARGE: usize = 200;
const LOOSE: f64 = 1e-5;

/// The method to begin with, and why.
pub(super) fn choose(
    equations: &mut Equations<'_>,
    options: &Options,
    weights: Weights,
    (t, y): (f64, &[f64]),
    span: f64,
) -> (&'static str, Because) {
    if options.fixed_step.is_some() {
        return implicit(equations, options, Because::FixedStep);
    }
    let Ok(mut rates) = Rates::new(equations.system) else {
        return implicit(equations, options, Because::NotExplicit);
    };
    let Some(Fastest { radius, decay }) = fastest(&mut rates, equations, t, y) else {
        return implicit(equations, options, Because::NotExplicit);
    };
    let by_stability = span * radius / BORDER;
    if decay * span > DIES_OUT && by_stability > FEW {
        return implicit(equations, options, Because::DiesOut { by_stability, decay });
    }
    // A step may not be longer than the whole run, or than allowed.
    let h = (BORDER / radius).min(span).min(options.max_step);
    let error = dormand_prince::trial_error(rates, equations, weights, (t, y), h);
    let longer = error.max(1e-30).powf(-1.0 / dormand_prince::ORDER as f64);
    if error.is_finite() && (longer <= WORTHWHILE || by_stability <= 1.0) {
        return (dormand_prince::NAME, Because::NotStiff { by_stability, longer });
    }
    match error.is_finite() {
        true => implicit(equations, options, Because::Stiff { by_stability, longer }),
        // The trial left the domain: a shorter step may not.
        false => (
            dormand_prince::NAME,
            Because::NotStiff {
                by_stability,
                longer: 0.0,
            },
        ),
    }
}

/// What takes the place of an explicit method that failed, or made so many steps at the border; none if it may go on.
pub(super) fn replace(
    equations: &Equations<'_>,
    options: &Options,
    in_use: &str,
    at_border: u32,
    failed: bool,
) -> Option<(&'static str, Because)> {
    let because = match failed {
        _ if in_use != dormand_prince::NAME => return None,
        true => Because::ExplicitFailed,
        false if at_border >= PATIENCE => Because::AtBorder { steps: at_border },
        false => return None,
    };
    Some(implicit(equations, options, because))
}

/// The implicit method for these equations, for the reason given or one of its own.
fn implicit(equations: &Equations<'_>, options: &Options, because: Because) -> (&'static str, Because) {
    let unknowns = equations.system.structure().dimension();
    let events = equations.system.events().len();
    let rtol = options.tolerances.rtol;
    if unknowns > LARGE && rtol >= LOOSE && events == 0 {
        return ("bdf", Because::LargeAndLoose { unknowns, rtol });
    }
    ("radau", because)
}

/// The motion with the largest |λ|.
struct Fastest {
    /// |λ|.
    radius: f64,
    /// −Re λ.
    decay: f64,
}

/// Estimate of the largest eigenvalue of ∂f/∂y, or pair of them, by power iteration with differences; none where f
/// cannot be evaluated.
fn fastest(rates: &mut Rates, equations: &mut Equations<'_>, t: f64, y: &[f64]) -> Option<Fastest> {
    let n = y.len();
    let (mut base, mut image, mut moved) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    rates.evaluate(equations, t, y, &mut base).ok()?;
    // All motions take part in numbers without a pattern.
    let mut z: [Vec<f64>; 3] = std::array::from_fn(|_| vec![0.0; n]);
    for (i, z) in z[2].iter_mut().enumerate() {
        *z = (1.0 + 1.7 * i as f64).sin();
    }
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let size = norm(y).max(1.0);
    for _ in 0..EVALUATIONS {
        z.rotate_left(1);
        let [_, from, to] = &mut z;
        let length = norm(from);
        if !(length > 0.0 && length.is_finite()) {
            break;
        }
        let epsilon = f64::EPSILON.sqrt() * size / length;
        for ((m, y), z) in moved.iter_mut().zip(y).zip(from.iter()) {
            *m = y + epsilon * z;
        }
        rates.evaluate(equations, t, &moved, &mut image).ok()?;
        for ((z, i), b) in to.iter_mut().zip(&image).zip(&base) {
            *z = (i - b) / epsilon;
        }
    }
    Some(dominant(&z))
}

/// λ² = a λ + b fitted to three vectors of a power iteration, z₂ = a z₁ + b z₀: the last ones hold little but the
/// motion that grows fastest, which is a pair where it oscillates.
fn dominant([z0, z1, z2]: &[Vec<f64>; 3]) -> Fastest {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (s00, s01, s11) = (dot(z0, z0), dot(z0, z1), dot(z1, z1));
    let (r0, r1) = (dot(z0, z2), dot(z1, z2));
    let determinant = s00 * s11 - s01 * s01;
    let tiny = f64::MIN_POSITIVE.sqrt();
    if s11 <= 0.0 || !determinant.is_finite() || !r1.is_finite() {
        return Fastest {
            radius: tiny,
            decay: 0.0,
        };
    }
    // One real eigenvalue is left when the vectors are parallel.
    let (a, b) = if determinant > 1e-10 * s00 * s11 {
        (
            (s00 * r1 - s01 * r0) / determinant,
            (s11 * r0 - s01 * r1) / determinant,
        )
    } else {
        (r1 / s11, 0.0)
    };
    let discriminant = a * a + 4.0 * b;
    if discriminant < 0.0 {
        return Fastest {
            radius: (-b).sqrt().max(tiny),
            decay: -0.5 * a,
        };
    }
    let root = 0.5 * (a + discriminant.sqrt().copysign(a));
    Fastest {
        radius: root.abs().max(tiny),
        decay: -root,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// z₀, A z₀, A² z₀ of a two by two matrix.
    fn powers(a: [[f64; 2]; 2]) -> [Vec<f64>; 3] {
        let times = |z: &[f64]| vec![a[0][0] * z[0] + a[0][1] * z[1], a[1][0] * z[0] + a[1][1] * z[1]];
        let z0 = vec![0.7, 0.3];
        let z1 = times(&z0);
        let z2 = times(&z1);
        [z0, z1, z2]
    }

    #[test]
    fn pairs_and_single_eigenvalues_are_found() {
        // Oscillation of 30 rad/s with decay 2 1/s.
        let f = dominant(&powers([[0.0, 1.0], [-904.0, -4.0]]));
        assert!((f.radius - 904f64.sqrt()).abs() < 1e-6 && (f.decay - 2.0).abs() < 1e-6);
        // Two real eigenvalues, −500 and −1.
        let f = dominant(&powers([[-500.0, 0.0], [0.0, -1.0]]));
        assert!((f.radius - 500.0).abs() < 1e-6 && (f.decay - 500.0).abs() < 1e-6);
        // Nothing moves.
        let f = dominant(&powers([[0.0, 0.0], [0.0, 0.0]]));
        assert!(f.radius > 0.0 && f.radius < 1e-100);
    }
}
