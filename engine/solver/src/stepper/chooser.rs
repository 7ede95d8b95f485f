//! `stepper = "auto"`: the method to begin with, and the implicit one to try where an explicit one is limited by stability.
//!
//! Before the first step the largest eigenvalue of ẏ = f(t, y) is estimated by power iteration. If the motion that
//! belongs to it dies out early in a run in which stability would ask for many more steps, the problem is stiff. Else an
//! explicit method begins, and what is measured in the run decides ([`Pilot`](super::driver)). Where the step size is
//! given, what counts is whether it follows the fastest motion. Everything is decided by counted evaluations and
//! estimated errors, never by a clock.

use super::bdf::BdfOptions;
use super::dormand_prince::{self, Rates};
use crate::equations::Equations;
use crate::explain::Because;
use crate::options::Options;

/// Evaluations for the largest eigenvalue.
const EVALUATIONS: usize = 8;
/// |h λ| of the longest stable step.
pub(super) const BORDER: f64 = 6.0;
/// Estimates of the eigenvalue in a row that differ by no more than this have converged.
const CONVERGED: f64 = 0.1;
/// Steps at the border of the stability domain after which an explicit method is limited by it.
pub(super) const PATIENCE: u32 = 10;
/// A motion with e⁻¹ of its size left after 1/50 of the run is gone for most of it.
const DIES_OUT: f64 = 50.0;
/// Explicit steps that are few enough for any run.
const FEW: f64 = 100.0;
/// Unknowns from which on factorisations are what a step costs, and the tolerance from which on several of them in
/// a step do not pay.
const LARGE: usize = 200;
const LOOSE: f64 = 1e-5;
/// The same where the fastest motion does not oscillate: all orders of `bdf` are stable there.
const MODERATE: f64 = 1e-7;
/// Work that `radau` takes for every output between its steps, whose states it refines, and the share of the work left
/// up to which that does not matter.
const REFINED: f64 = 2.0;
const MINOR: f64 = 0.05;
/// The same as counted.
const OUTPUT: f64 = 1.1;
/// Evaluations in a step of the explicit method.
pub(super) const STAGES: f64 = 12.0;
/// |h λ| up to which a given step follows the fastest motion: bdf of order 5, the order of runs with a given step, errs
/// by (10/137) (h λ)⁶ < 10⁻⁷ a step there, and no oscillation grows faster than that.
const FOLLOWED: f64 = 0.1;

/// The method to begin with, and why.
pub(super) fn choose(
    equations: &mut Equations<'_>,
    options: &Options,
    (t, y): (f64, &[f64]),
    span: f64,
) -> (&'static str, Because) {
    let usual = BdfOptions::default();
    if options.own::<BdfOptions>().max_order < usual.max_order || options.is_baseline() {
        return ("bdf", Because::OfBdf);
    }
    let Some(mut along) = Along::new(equations, t, y) else {
        return implicit(equations, options, Because::NotExplicit);
    };
    // That a run is stiff does not settle whether given steps follow its motion.
    let settling = if options.fixed_step.is_some() { 0.0 } else { span };
    let Some(fastest) = along.fastest(equations, settling) else {
        return implicit(equations, options, Because::NotExplicit);
    };
    let Fastest { radius, decay } = fastest;
    let smooth = equations.system.events().is_empty();
    if let Some(h) = options.fixed_step {
        // A method of several steps begins with order one, after every event again.
        return match h * radius <= FOLLOWED && smooth {
            true => (
                "bdf",
                Because::Followed {
                    steps: 1.0 / (h * radius),
                },
            ),
            false => implicit(equations, options, Because::FixedStep),
        };
    }
    let by_stability = span * radius / BORDER;
    if fastest.dies_out(span) {
        let because = Because::DiesOut { by_stability, decay };
        let loose = options.tolerances.rtol >= MODERATE && fastest.is_real();
        let outputs = options.outputs.len() as f64;
        return match loose || is_refined(outputs, STAGES * by_stability) {
            true => ("bdf", because),
            false => implicit(equations, options, because),
        };
    }
    (dormand_prince::NAME, Because::NotStiff { by_stability })
}

/// The largest eigenvalue at (t, y), for a run that goes on for `span`; none where it cannot be found.
pub(super) fn radius(equations: &mut Equations<'_>, (t, y): (f64, &[f64]), span: f64) -> Option<f64> {
    let fastest = Along::new(equations, t, y)?.fastest(equations, span)?;
    Some(fastest.radius)
}

/// Whether an explicit method can be used.
pub(super) fn is_explicit(equations: &mut Equations<'_>) -> bool {
    Rates::new(equations.system).is_ok()
}

/// The implicit method that is likely to need less work, where an explicit one would need `left` and outputs are wanted
/// for another `outputs` times.
pub(super) fn likely(equations: &Equations<'_>, options: &Options, outputs: f64, left: f64) -> &'static str {
    let restarts = !equations.system.events().is_empty();
    let loose = options.tolerances.rtol >= LOOSE && !restarts;
    match loose || is_refined(outputs, left) {
        true => "bdf",
        false => "radau",
    }
}

/// Work of a method for an output between its steps, which comparisons leave out.
pub(super) fn output_work(name: &str) -> f64 {
    if name == "radau" { OUTPUT } else { 0.0 }
}

/// Whether outputs would be a large part of the work of `radau`.
fn is_refined(outputs: f64, left: f64) -> bool {
    REFINED * outputs > MINOR * left
}

/// What takes the place of an explicit method that failed; none if it may go on.
pub(super) fn replace(
    equations: &Equations<'_>,
    options: &Options,
    in_use: &str,
    failed: bool,
) -> Option<(&'static str, Because)> {
    let is_explicit = in_use == dormand_prince::NAME;
    (failed && is_explicit).then(|| implicit(equations, options, Because::ExplicitFailed))
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
#[derive(Clone, Copy)]
struct Fastest {
    /// |λ|.
    radius: f64,
    /// −Re λ.
    decay: f64,
}

impl Fastest {
    /// Whether stability asks for many steps in a run of this length.
    fn is_long(self, span: f64) -> bool {
        span * self.radius > BORDER * FEW
    }

    /// The same, and the motion is gone for most of them.
    fn dies_out(self, span: f64) -> bool {
        self.is_long(span) && self.decay * span > DIES_OUT
    }

    /// Whether it dies out without oscillating.
    fn is_real(self) -> bool {
        self.decay > (1.0 - CONVERGED) * self.radius
    }

    /// Whether a later estimate leads to the same choice: both die out in the same way, or they have converged. A slow
    /// motion may stand out for a while before a fast one does, not the other way round; few steps may become many.
    fn is_settled(self, later: Self, span: f64) -> bool {
        let alike = self.dies_out(span) && later.dies_out(span) && self.is_real() == later.is_real();
        let converged = (self.radius - later.radius).abs() <= CONVERGED * later.radius;
        alike || converged && later.is_long(span)
    }
}

/// f along y + ε z.
struct Along<'a> {
    rates: Rates,
    t: f64,
    y: &'a [f64],
    /// f(t, y).
    base: Vec<f64>,
    moved: Vec<f64>,
    /// Of y, but no less than one.
    size: f64,
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A displacement for derivatives.
const NEAR: f64 = 1.5e-8;

impl<'a> Along<'a> {
    /// None where there is no f, or none at y.
    fn new(equations: &mut Equations<'_>, t: f64, y: &'a [f64]) -> Option<Self> {
        let mut rates = Rates::new(equations.system).ok()?;
        let mut base = vec![0.0; y.len()];
        let t = dormand_prince::behind(t);
        rates.begin(y);
        rates.evaluate(equations, t, y, &mut base).ok()?;
        Some(Self {
            rates,
            t,
            y,
            base,
            moved: vec![0.0; y.len()],
            size: norm(y).max(1.0),
        })
    }

    /// All motions take part in the first z: numbers without a pattern.
    fn first_direction(&self) -> Vec<f64> {
        (0..self.y.len()).map(|i| (1.0 + 1.7 * i as f64).sin()).collect()
    }

    /// (f(y + ε z) − f(y))/ε over the distance given, relative to the size of y; none where z vanishes or f cannot be
    /// evaluated.
    fn slope(
        &mut self,
        equations: &mut Equations<'_>,
        z: &[f64],
        distance: f64,
        out: &mut [f64],
    ) -> Option<()> {
        let epsilon = distance * self.size / norm(z);
        if !epsilon.is_finite() {
            return None;
        }
        for ((m, y), z) in self.moved.iter_mut().zip(self.y).zip(z) {
            *m = y + epsilon * z;
        }
        // What is not integrated has no rate, and nothing is written there.
        out.fill(0.0);
        self.rates.evaluate(equations, self.t, &self.moved, out).ok()?;
        for (o, b) in out.iter_mut().zip(&self.base) {
            *o = (*o - b) / epsilon;
        }
        Some(())
    }

    /// Estimate of the largest eigenvalue of ∂f/∂y, or pair of them, by power iteration with differences, until it is
    /// settled for a run of this length; none where f cannot be evaluated next to y.
    fn fastest(&mut self, equations: &mut Equations<'_>, span: f64) -> Option<Fastest> {
        let mut z: [Vec<f64>; 3] = std::array::from_fn(|_| vec![0.0; self.y.len()]);
        z[2] = self.first_direction();
        let mut found: Option<Fastest> = None;
        for k in 0..EVALUATIONS {
            z.rotate_left(1);
            let [_, from, to] = &mut z;
            // Nothing is left where powers of the Jacobian vanish.
            if norm(from) == 0.0 {
                break;
            }
            self.slope(equations, from, NEAR, to)?;
            if k == 0 {
                continue;
            }
            let estimate = dominant(&z);
            let settled = found.is_some_and(|f| f.is_settled(estimate, span));
            found = Some(estimate);
            if settled {
                break;
            }
        }
        Some(found.unwrap_or_else(|| dominant(&z)))
    }
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
