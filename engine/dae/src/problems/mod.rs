//! Reference problems with verified solutions: what every solver here is measured on.

use crate::{Structure, System, VariableKind};

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
            VariableKind::Multiplier | VariableKind::StabilisingMultiplier => Self::Multipliers,
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
