//! `stepper = "auto"`: an explicit method where stability does not limit its steps, an implicit one elsewhere.
//!
//! Before the first step the largest eigenvalue of ẏ = f(t, y) is estimated by power iteration, and one explicit
//! step of the size that is just stable is tried: if its error would allow much longer steps, the problem is stiff.
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
    let Some(radius) = spectral_radius(&mut rates, equations, t, y) else {
        return implicit(equations, options, Because::NotExplicit);
    };
    // A step may not be longer than the whole run, or than allowed.
    let h = (BORDER / radius).min(span).min(options.max_step);
    let error = dormand_prince::trial_error(rates, equations, weights, (t, y), h);
    let longer = error.max(1e-30).powf(-1.0 / dormand_prince::ORDER as f64);
    let by_stability = span * radius / BORDER;
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

/// Estimate of the largest |λ| of ∂f/∂y by power iteration with differences; none where f cannot be evaluated.
///
/// Oscillations turn the vector without stretching it evenly, so that the mean over several products counts.
fn spectral_radius(rates: &mut Rates, equations: &mut Equations<'_>, t: f64, y: &[f64]) -> Option<f64> {
    let n = y.len();
    let (mut base, mut image, mut moved) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    rates.evaluate(equations, t, y, &mut base).ok()?;
    // All modes take part in numbers without a pattern.
    let mut z: Vec<f64> = (0..n).map(|i| (1.0 + 1.7 * i as f64).sin()).collect();
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let size = norm(y).max(1.0);
    let (mut logarithms, mut counted) = (0.0, 0);
    for k in 0..EVALUATIONS {
        let length = norm(&z);
        if !(length > 0.0 && length.is_finite()) {
            break;
        }
        let epsilon = f64::EPSILON.sqrt() * size / length;
        for ((m, y), z) in moved.iter_mut().zip(y).zip(&z) {
            *m = y + epsilon * z;
        }
        rates.evaluate(equations, t, &moved, &mut image).ok()?;
        for ((z, i), b) in z.iter_mut().zip(&image).zip(&base) {
            *z = (i - b) / epsilon;
        }
        // The first products sort the modes; an even number of later ones is counted.
        let stretch = norm(&z) / length;
        if k >= EVALUATIONS / 2 && stretch > 0.0 {
            logarithms += stretch.ln();
            counted += 1;
        }
    }
    let radius = if counted > 0 {
        (logarithms / f64::from(counted)).exp()
    } else {
        0.0
    };
    radius.is_finite().then_some(radius.max(f64::MIN_POSITIVE.sqrt()))
}
