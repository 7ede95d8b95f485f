//! Reference problems with verified solutions: what every solver here is measured on.
//!
//! [`all`] lists them, [`find`] looks one up by its name. One file per problem; the mechanical
//! ones share the assembly in [`constrained`]. References come from the IVP test set (own values
//! recomputed in quadruple precision where the published ones are not good enough), from closed
//! forms, or from [`extrapolation`].

pub mod akzo_nobel;
pub mod andrews;
pub mod brusselator;
pub mod car_axle;
pub mod chain;
pub mod circular_track;
pub mod constrained;
mod dense;
pub mod extrapolation;
pub mod hires;
pub mod linear;
pub mod pendulum;
pub mod pollution;
pub mod robertson;
pub mod transistor_amplifier;
pub mod van_der_pol;

use crate::{Bound, Residual, Structure, System, VariableKind};
use chain::Formalism;
use constrained::Form;

/// A known solution at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Time of the values.
    pub t: f64,
    /// Values of y; NaN where a component has no reference.
    pub y: Vec<f64>,
    /// Digits that are certain in the worst component.
    pub digits: f64,
    /// Where the values come from.
    pub provenance: &'static str,
}

/// An initial-value problem with everything needed to run and judge it.
pub struct Problem {
    /// Name on the command line.
    pub name: String,
    /// One line on what it is.
    pub title: &'static str,
    /// Start of the interval.
    pub t0: f64,
    /// End of the interval.
    pub t_end: f64,
    /// Consistent start values.
    pub y0: Vec<f64>,
    /// Their derivatives.
    pub yp0: Vec<f64>,
    /// a in atol = a · rtol, the measure of the digits too.
    pub atol_factor: f64,
    /// The solution at the end of the interval, where known.
    pub reference: Option<Reference>,
    /// Builds the equations.
    pub build: Box<dyn Fn() -> Box<dyn System> + Send + Sync>,
}

/// Every problem, in its default size.
pub fn all() -> Vec<Problem> {
    vec![
        robertson::ode(),
        robertson::dae(),
        van_der_pol::mu_1000(),
        van_der_pol::epsilon(),
        hires::problem(),
        pollution::problem(),
        akzo_nobel::problem(),
        transistor_amplifier::problem(),
        pendulum::problem(Form::Index1),
        pendulum::problem(Form::Index2),
        pendulum::problem(Form::Index3),
        pendulum::problem(Form::Ggl),
        car_axle::problem(Form::Ggl),
        andrews::problem(Form::Ggl),
        chain::problem(Formalism::Explicit, chain::BODIES, chain::OMEGA),
        chain::problem(Formalism::Residual, chain::BODIES, chain::OMEGA),
        chain::problem(Formalism::ResidualN2, chain::BODIES, chain::OMEGA),
        linear::problem(1),
        linear::problem(2),
        linear::problem(3),
        brusselator::problem(brusselator::POINTS),
    ]
}

/// The problem of this name, if there is one.
///
/// Sizes follow the name: `chain-residual:16` (16 bodies), `chain-residual:16:0.05` (and the
/// frequency), `brusselator:5000` (grid points). `car-axle` and `andrews` also exist as
/// `car-axle-index3` and so on.
///
/// ```
/// use holonom_dae::problems;
/// assert_eq!(problems::find("chain-explicit:5").unwrap().y0.len(), 10);
/// assert!(problems::find("no-such-problem").is_none());
/// ```
pub fn find(name: &str) -> Option<Problem> {
    if let Some((stem, sizes)) = name.split_once(':') {
        return sized(stem, sizes);
    }
    if let Some(problem) = all().into_iter().find(|p| p.name == name) {
        return Some(problem);
    }
    let (stem, form) = name.rsplit_once('-')?;
    let form = Form::CONSTRAINED.into_iter().find(|f| f.name() == form)?;
    match stem {
        "car-axle" => Some(car_axle::problem(form)),
        "andrews" => Some(andrews::problem(form)),
        _ => None,
    }
}

/// A problem of selectable size, from the part of its name behind the first colon.
fn sized(stem: &str, sizes: &str) -> Option<Problem> {
    let (size, omega) = match sizes.split_once(':') {
        Some((size, omega)) => (size, Some(omega)),
        None => (sizes, None),
    };
    let size: usize = size.parse().ok().filter(|n| (1..=10_000_000).contains(n))?;
    if stem == "brusselator" {
        return omega.is_none().then(|| brusselator::problem(size));
    }
    let formalism = Formalism::ALL.into_iter().find(|f| f.name() == stem)?;
    let omega = match omega {
        Some(text) => text.parse().ok().filter(|w: &f64| w.is_finite())?,
        None => chain::OMEGA,
    };
    Some(chain::problem(formalism, size, omega))
}

/// The function behind [`Problem::build`].
fn builder<R: Residual + Clone + 'static>(residual: R) -> Box<dyn Fn() -> Box<dyn System> + Send + Sync> {
    Box::new(move || Box::new(Bound::new(residual.clone())))
}

/// The provenance of most references.
const QUADRUPLE: &str = "own: Radau IIA of order 13 in quadruple precision, two tolerances; \
                         agrees with the IVP test set to the digits the latter has";

/// Groups of variables that are judged apart, because their accuracy differs by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Differential variables of ODEs and index-1 systems, and algebraic ones of index 1.
    Plain,
    /// Positions of mechanical systems.
    Positions,
    /// Velocities of constrained mechanical systems.
    Velocities,
    /// Multipliers and other variables of higher index.
    Multipliers,
}

impl Group {
    /// The group of variable `i`.
    pub fn of(structure: &Structure, i: usize) -> Self {
        let variable = &structure.variables[i];
        match variable.kind {
            VariableKind::Position => Self::Positions,
            VariableKind::Velocity => Self::Velocities,
            VariableKind::Multiplier | VariableKind::StabilisingMultiplier | VariableKind::Reading => {
                Self::Multipliers
            }
            _ if variable.index > 1 => Self::Multipliers,
            _ => Self::Plain,
        }
    }
}

/// Mixed-error significant correct digits of the components of one group, as the IVP test set
/// defines them: −log₁₀ max |y − ref| / (a + |ref|). `None` when the group is empty.
pub fn digits(structure: &Structure, reference: &[f64], y: &[f64], a: f64, group: Group) -> Option<f64> {
    let mut worst: Option<f64> = None;
    for i in 0..y.len() {
        if Group::of(structure, i) == group && !reference[i].is_nan() {
            let e = (y[i] - reference[i]).abs() / (a + reference[i].abs());
            // NaN counts as no digits at all.
            let e = if e.is_nan() { f64::INFINITY } else { e };
            worst = Some(worst.map_or(e, |w| w.max(e)));
        }
    }
    worst.map(|w| -w.max(1e-17).log10())
}
