//! Which step sizes of the linear-implicit Euler method are stable, from the linearised mechanism.
//!
//! Two answers, side by side:
//! * **Mode by mode**, as Burgermeister §2: a mode with eigenvalue λ is q̈ = −aq − bq̇ with a = |λ|², b = −2 Re λ, and
//!   [`step_limit`](StiffTerms::step_limit) knows its limits. This tells which motion is to blame. It is exact where
//!   the damping leaves the modes apart, and otherwise a guide: stiff terms see stiffness and damping, not
//!   eigenvalues.
//! * **The whole model**: the step itself, linearised with its constraints, its stabilisation, the elements that count
//!   as stiff and the states of elements, which go explicitly. Its eigenvalues decide.
//!
//! What is not a damped mode is told apart: motions that creep back, states of elements, motions that grow by
//! themselves, and directions that nothing holds.
//!
//! `exact` and `j2` are both stable for all step sizes, but not alike: `exact` damps an oscillation that `j2` keeps,
//! by 1/√(1 + h²a) per step without damping. Forces that the constraints turn into stiffness (−∂(Gᵀλ)/∂q) are in no
//! matrix of the step: with them `j2` has limits too, and undamped motions that only they hold grow slowly.

mod linear;

pub use linear::LinearStep;

use crate::AnalysisError;
use crate::dense::Complex;
use crate::tangent::State;
use core::fmt;
use holonom_dae::ElementSet;
use holonom_multibody::start::Assembled;
use holonom_solver::stepper::{
    Level, LinearImplicitEuler, LinearImplicitOptions, MotionState, Ordering, Partition, StepLimit,
    StiffTerms,
};

/// Growth that counts as none, in parts of the fastest rate of the model: far above the rounding of eigenvalues.
const GROWTH: f64 = 1e-9;
/// Real and imaginary parts below this part of the eigenvalue are rounding.
const ROUNDING: f64 = 1e-9;
/// Steps from which on nothing is fast enough to follow, in parts of the slowest motion.
const FARTHEST: f64 = 100.0;
/// Parts of the time of the fastest motion: the first steps that are tried, and the shortest.
const FIRST: f64 = 0.1;
const SHORTEST: f64 = 1e-5;

/// What kind of motion an eigenvalue belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// A conjugate pair that decays or keeps: a damped mode.
    Oscillates,
    /// Real and negative, with displacements: it creeps back. a and b are those of its shape, and λ one of the roots
    /// of λ² + bλ + a.
    Creeps,
    /// Real and negative, of states of elements alone. These go explicitly, with limit 2/|λ|.
    States,
    /// Real and negative, but no damped mode: mixed with states of elements, or the other half of one that grows.
    Decays,
    /// Positive real part: it grows by itself, whatever the step size.
    Grows,
}

impl MotionKind {
    /// Name in tables and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oscillates => "oscillates",
            Self::Creeps => "creeps back",
            Self::States => "states",
            Self::Decays => "decays",
            Self::Grows => "unstable by itself",
        }
    }
}

/// The limits of one mode.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeLimit {
    /// Eigenvalue, 1/s; of a conjugate pair the one with positive imaginary part.
    pub eigenvalue: Complex,
    /// What it is.
    pub kind: MotionKind,
    /// Stiffness by mass, 1/s².
    pub a: f64,
    /// Damping by mass, 1/s.
    pub b: f64,
    /// Stable steps for each of [`StiffTerms::ALL`]; empty for motions that are no damped modes, of which only the
    /// whole model can tell.
    pub limits: Vec<StepLimit>,
}

/// The limit of the whole model for one choice of stiff terms.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelLimit {
    /// The method, as chosen but for the stiff terms, and for what does not go with them.
    pub options: LinearImplicitOptions,
    /// Steps that are stable: nothing grows that does not grow by itself. Up to the first step size that is not.
    pub limit: StepLimit,
    /// Factor by which deviations grow at most in a step of the size asked for.
    pub factor: f64,
    /// Whether a step of this size is stable.
    pub is_stable: bool,
}

/// Stable step sizes of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The step size asked for.
    pub h: f64,
    /// The stiff terms asked for.
    pub terms: StiffTerms,
    /// Modes, the fastest first.
    pub modes: Vec<ModeLimit>,
    /// Zero eigenvalues: directions that nothing holds, and motions of constant speed in them. Stable with any step.
    pub zeros: usize,
    /// The whole model with each of [`StiffTerms::ALL`].
    pub limits: Vec<ModelLimit>,
    /// The largest positive real part of an eigenvalue, 1/s, or zero: how fast the model grows by itself.
    pub growth: f64,
}

/// The advice for a mechanism at a state, with the method and step size of a run.
///
/// Exact at rest and in steady motion; elsewhere that of the equations frozen there.
///
/// # Errors
/// Options that do not go together, singular positions.
///
/// ```
/// use holonom_analysis::{modes::state_of, step_size::advice};
/// use holonom_multibody::Description;
/// use holonom_multibody::description::{Body, Joint};
/// use holonom_solver::stepper::{LinearImplicitOptions, StepLimit, StiffTerms};
/// use std::sync::Arc;
///
/// let start = Description::new("pendulum")
///     .gravity([0.0, 0.0, -9.0])
///     .body(Body::new("bob", 2.0).centre([1.0, 0.0, 0.0]))
///     .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, 1.0, 0.0]).start(std::f64::consts::FRAC_PI_2, 0.0))
///     .compile()
///     .map(Arc::new)?
///     .assemble(&Default::default())?;
/// let advice = advice(&start, &state_of(&start), &LinearImplicitOptions::default(), 1e-3)?;
/// assert!(advice.is_stable() && advice.limit(StiffTerms::J2) == StepLimit::Any);
/// assert!((advice.limit(StiffTerms::J1).value() - 2.0 / 3.0).abs() < 1e-3); // h²a = 4
/// println!("{advice}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn advice(
    start: &Assembled,
    state: &State,
    options: &LinearImplicitOptions,
    h: f64,
) -> Result<Advice, AnalysisError> {
    options.check()?;
    // The method itself says which elements count as stiff.
    let stiff = if options.partition == Partition::All {
        None
    } else {
        let mut mechanical = start.mechanical();
        let mut at = MotionState::new(&mechanical);
        at.t = state.t;
        at.q.copy_from_slice(&state.q);
        at.v.copy_from_slice(&state.v);
        at.x.copy_from_slice(&state.x);
        at.lambda.copy_from_slice(&state.lambda);
        let euler = LinearImplicitEuler::new(&mut mechanical, h, &at, options.clone())?;
        euler.stiff_elements().map(<[usize]>::to_vec)
    };
    let set = stiff.as_deref().map_or(ElementSet::All, ElementSet::Some);
    LinearStep::of(start, state, set)?.advice(options, h)
}

impl LinearStep {
    /// The advice for the linear system.
    ///
    /// # Errors
    /// Options that do not go together, singular matrices of the step.
    pub fn advice(&self, options: &LinearImplicitOptions, h: f64) -> Result<Advice, AnalysisError> {
        options.check()?;
        let spectrum = self.eigenvalues()?;
        let rates = Rates::new(spectrum.shapes.iter().map(|(value, _)| *value));
        let mut modes: Vec<ModeLimit> = (spectrum.shapes.iter())
            .map(|(value, shape)| self.mode(*value, shape, options.ordering))
            .collect();
        modes.sort_by(|a, b| b.eigenvalue.abs().total_cmp(&a.eigenvalue.abs()));
        let mut limits = Vec::new();
        for &terms in StiffTerms::ALL {
            let options = with_terms(options, terms);
            let factors = self.factors(&options, h)?;
            limits.push(ModelLimit {
                limit: self.first_unstable(&options, &rates, &modes, terms)?,
                factor: factors.iter().copied().fold(0.0, f64::max),
                is_stable: rates.admits(&factors, h),
                options,
            });
        }
        Ok(Advice {
            h,
            terms: options.stiff_terms,
            modes,
            zeros: spectrum.zeros,
            limits,
            growth: rates.growth,
        })
    }

    /// Step sizes that are stable: up to the first one at which something grows that does not grow by itself.
    ///
    /// # Errors
    /// Options that do not go together, singular matrices of the step.
    pub fn limit(&self, options: &LinearImplicitOptions) -> Result<StepLimit, AnalysisError> {
        options.check()?;
        let spectrum = self.eigenvalues()?;
        let rates = Rates::new(spectrum.shapes.iter().map(|(value, _)| *value));
        let modes: Vec<ModeLimit> = (spectrum.shapes.iter())
            .map(|(value, shape)| self.mode(*value, shape, options.ordering))
            .collect();
        self.first_unstable(options, &rates, &modes, options.stiff_terms)
    }

    fn mode(&self, eigenvalue: Complex, shape: &[Complex], ordering: Ordering) -> ModeLimit {
        let size = eigenvalue.abs();
        let clean = |x: f64, beside: f64| if x.abs() < ROUNDING * beside { 0.0 } else { x };
        let (kind, a, b) = if eigenvalue.re > ROUNDING * size {
            (MotionKind::Grows, size * size, -2.0 * eigenvalue.re)
        } else if eigenvalue.im != 0.0 {
            (
                MotionKind::Oscillates,
                size * size,
                clean(-2.0 * eigenvalue.re, size),
            )
        } else {
            match self.damping(shape) {
                Some(b) => {
                    let a = clean(-eigenvalue.re * (eigenvalue.re + b), size * size);
                    if a >= 0.0 && b >= 0.0 {
                        (MotionKind::Creeps, a, b)
                    } else {
                        (MotionKind::Decays, a, b)
                    }
                }
                None => (MotionKind::States, 0.0, size),
            }
        };
        let limits = StiffTerms::ALL.iter().filter_map(|terms| match kind {
            MotionKind::Grows | MotionKind::Decays => None,
            MotionKind::States => Some(StepLimit::UpTo(2.0 / size)),
            MotionKind::Oscillates | MotionKind::Creeps => Some(terms.step_limit(ordering, a, b)),
        });
        ModeLimit {
            eigenvalue,
            kind,
            a,
            b,
            limits: limits.collect(),
        }
    }

    fn first_unstable(
        &self,
        options: &LinearImplicitOptions,
        rates: &Rates,
        modes: &[ModeLimit],
        terms: StiffTerms,
    ) -> Result<StepLimit, AnalysisError> {
        if rates.fastest == 0.0 {
            return Ok(StepLimit::Any);
        }
        let is_stable =
            |h: f64| -> Result<bool, AnalysisError> { Ok(rates.admits(&self.factors(options, h)?, h)) };
        let place = StiffTerms::ALL.iter().position(|t| *t == terms).unwrap_or(0);
        let guessed = (modes.iter().filter_map(|mode| mode.limits.get(place)))
            .map(|limit| limit.value())
            .filter(|limit| *limit > 0.0)
            .fold(1.0 / rates.fastest, f64::min);
        let mut low = f64::max(FIRST * guessed, SHORTEST / rates.fastest);
        while !is_stable(low)? {
            if low <= SHORTEST / rates.fastest {
                return Ok(StepLimit::Never);
            }
            low = f64::max(0.25 * low, SHORTEST / rates.fastest);
        }
        let mut high = low;
        loop {
            // Closely where the fastest motions are, and in larger strides where all are slow against the step.
            high *= if high * rates.fastest < FARTHEST {
                1.25
            } else {
                3.0
            };
            if !is_stable(high)? {
                break;
            }
            low = high;
            if high * rates.slowest > FARTHEST {
                return Ok(StepLimit::Any);
            }
        }
        while high - low > 1e-4 * high {
            let middle = 0.5 * (low + high);
            match is_stable(middle)? {
                true => low = middle,
                false => high = middle,
            }
        }
        Ok(StepLimit::UpTo(low))
    }
}

/// The rates of the model by itself.
struct Rates {
    fastest: f64,
    slowest: f64,
    growth: f64,
    /// How many grow.
    growing: usize,
}

impl Rates {
    fn new(values: impl Iterator<Item = Complex>) -> Self {
        let mut rates = Self {
            fastest: 0.0,
            slowest: f64::INFINITY,
            growth: 0.0,
            growing: 0,
        };
        for value in values {
            let size = value.abs();
            rates.fastest = rates.fastest.max(size);
            rates.slowest = rates.slowest.min(size);
            if value.re > ROUNDING * size {
                rates.growth = rates.growth.max(value.re);
                rates.growing += if value.im == 0.0 { 1 } else { 2 };
            }
        }
        rates
    }

    /// Whether the method adds no growth: no more motions grow than do by themselves, and none twice as fast.
    fn admits(&self, factors: &[f64], h: f64) -> bool {
        let nothing = GROWTH * self.fastest;
        let rates = factors.iter().map(|factor| factor.ln() / h);
        let growing = rates
            .clone()
            .filter(|rate| *rate > nothing || rate.is_nan())
            .count();
        growing <= self.growing && rates.fold(0.0, f64::max) <= 2.0 * self.growth + nothing
    }
}

/// The same method with other stiff terms; what does not go with them gives way.
fn with_terms(options: &LinearImplicitOptions, stiff_terms: StiffTerms) -> LinearImplicitOptions {
    let mut with = LinearImplicitOptions {
        stiff_terms,
        ..options.clone()
    };
    if !stiff_terms.needs_matrices() {
        with.partition = Partition::All;
        with.shares = 1;
    }
    if with.check().is_err() {
        with.ordering = Ordering::PositionsFirst;
    }
    if with.check().is_err() {
        with.assembly = Level::Index1;
    }
    if with.check().is_err() {
        with = LinearImplicitOptions {
            stiff_terms,
            assembly: Level::Index1,
            ..LinearImplicitOptions::default()
        };
    }
    with
}

impl Advice {
    /// The whole model with some stiff terms.
    pub fn model(&self, terms: StiffTerms) -> Option<&ModelLimit> {
        self.limits
            .iter()
            .find(|limit| limit.options.stiff_terms == terms)
    }

    /// Stable steps of the whole model with some stiff terms.
    pub fn limit(&self, terms: StiffTerms) -> StepLimit {
        self.model(terms).map_or(StepLimit::Never, |limit| limit.limit)
    }

    /// How fast the method grows at the step size asked for, 1/s, where it does.
    pub fn growth_with(&self, terms: StiffTerms) -> f64 {
        self.model(terms)
            .map_or(f64::NAN, |limit| limit.factor.ln() / self.h)
    }

    /// Whether the limits are those of runs: nothing grows by itself where the model has been linearised. In the middle of a
    /// motion it often does, for the moment, and what the method adds then says nothing about the whole.
    pub fn is_promise(&self) -> bool {
        self.growth == 0.0
    }

    /// What a step leaves of the fastest oscillation: with `exact`, with `j2`, and in the model; none where nothing
    /// oscillates.
    ///
    /// `exact` is the implicit Euler method, 1/|1 − hλ|. `j2` has the same matrix, but moves positions with the velocities
    /// before the step: √((1 + h²a)/(1 + hb + h²a)), which is 1 without damping.
    pub fn left_of_oscillation(&self) -> Option<[f64; 3]> {
        let mode = (self.modes.iter()).find(|mode| mode.kind == MotionKind::Oscillates)?;
        let h = self.h;
        let (hb, hha) = (h * mode.b, h * h * mode.a);
        let whole = 1.0 + hb + hha;
        let exact = whole.sqrt().recip();
        Some([
            exact,
            ((1.0 + hha) / whole).sqrt(),
            (h * mode.eigenvalue.re).exp(),
        ])
    }

    /// Whether nothing grows, with the method and step size asked for, that does not grow by itself.
    pub fn is_stable(&self) -> bool {
        self.model(self.terms).is_some_and(|limit| limit.is_stable)
    }
}

/// Modes that are shown: the fastest ones decide.
const SHOWN: usize = 8;

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Largest stable step size [s], from the linearised model")?;
        write!(
            f,
            "{:<24} {:<16} {:>10} {:>10}",
            "eigenvalue [1/s]", "", "a [1/s²]", "b [1/s]"
        )?;
        for terms in StiffTerms::ALL {
            write!(f, " {:>10}", terms.name())?;
        }
        writeln!(f)?;
        for mode in self.modes.iter().take(SHOWN) {
            let Complex { re, im } = mode.eigenvalue;
            let value = if im == 0.0 {
                format!("{re:.4}")
            } else {
                format!("{re:.4} ± {im:.4} i")
            };
            write!(f, "{value:<24} {:<16}", mode.kind.name())?;
            match mode.kind {
                MotionKind::States | MotionKind::Decays | MotionKind::Grows => {
                    write!(f, " {:>10} {:>10}", "–", "–")?
                }
                _ => write!(f, " {:>10.3e} {:>10.3e}", mode.a, mode.b)?,
            }
            for k in 0..StiffTerms::ALL.len() {
                match mode.limits.get(k) {
                    Some(limit) => write!(f, " {limit:>10}")?,
                    None => write!(f, " {:>10}", "–")?,
                }
            }
            writeln!(f)?;
        }
        if self.modes.len() > SHOWN {
            writeln!(f, "… and {} slower ones", self.modes.len() - SHOWN)?;
        }
        if self.zeros > 0 {
            let any = " any".to_string();
            writeln!(
                f,
                "{:<24} {:<16} {:>10} {:>10}{}",
                0,
                format!("free ({})", self.zeros),
                0,
                0,
                {
                    StiffTerms::ALL
                        .iter()
                        .map(|_| format!("{any:>11}"))
                        .collect::<String>()
                }
            )?;
        }
        write!(f, "{:<63}", "whole model")?;
        for limit in &self.limits {
            write!(f, " {:>10}", limit.limit)?;
        }
        writeln!(f)?;
        if self.growth > 0.0 {
            writeln!(
                f,
                "The model itself is unstable here, with growth rates up to {:.3e} 1/s; the limits concern \
                 only the growth added by the method. Such a state does not show whether a run stays \
                 bounded: use a state of rest or of steady motion.",
                self.growth
            )?;
        }
        if let (StiffTerms::Exact | StiffTerms::J2, Some([exact, j2, model])) =
            (self.terms, self.left_of_oscillation())
        {
            writeln!(
                f,
                "Per step, the amplitude of the fastest oscillation is multiplied by {exact:.4} with \
                 `exact`, {j2:.4} with `j2` and {model:.4} in the model; `exact` also damps undamped \
                 oscillations, `j2` does not."
            )?;
        }
        let (name, growth) = (self.terms.name(), self.growth_with(self.terms));
        if self.is_stable() {
            let stable = if self.is_promise() {
                "stable"
            } else {
                "adds no growth of its own"
            };
            write!(f, "h = {} s with `{name}`: {stable}", self.h)
        } else {
            write!(
                f,
                "h = {} s with `{name}`: NOT stable, deviations grow at a rate of {growth:.3e} 1/s",
                self.h
            )
        }
    }
}
