//! [`Form`]: on which level the constraints of a mechanism enter F, and what follows from it.

use crate::{Equation, EquationLevel, MechanicalLayout, TransposedBlock, Variable, VariableKind};
use core::fmt;
use core::ops::Range;
use core::str::FromStr;

/// The forms of the equations of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// No constraints: y = (q, v); tree systems only.
    Ode,
    /// Constraints on acceleration level: y = (q, v, λ).
    Index1,
    /// Constraints on velocity level: y = (q, v, λ, σ).
    Index2,
    /// Constraints on position level (nonholonomic ones on velocity level): y = (q, v, λ, σ).
    Index3,
    /// Constraints on velocity and position level: y = (q, v, λ, η, σ)
    /// [Gear, Gupta, Leimkuhler 1985], Arnold (7).
    Ggl,
}

/// How many entries of y a mechanism needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Positions.
    pub positions: usize,
    /// Velocities.
    pub velocities: usize,
    /// Own states of elements.
    pub states: usize,
    /// Rows of constraints.
    pub rows: usize,
    /// Those that are conditions on positions.
    pub holonomic: usize,
    /// Sets of Euler parameters.
    pub lengths: usize,
    /// Readings of sensors.
    pub readings: usize,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 5] = [Self::Ode, Self::Index1, Self::Index2, Self::Index3, Self::Ggl];

    /// The forms that have constraints.
    pub const CONSTRAINED: [Self; 4] = [Self::Index1, Self::Index2, Self::Index3, Self::Ggl];

    /// The name used in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ode => "ode",
            Self::Index1 => "index1",
            Self::Index2 => "index2",
            Self::Index3 => "index3",
            Self::Ggl => "ggl",
        }
    }

    /// One sentence for users.
    pub fn doc(self) -> &'static str {
        match self {
            Self::Ode => "No constraints: mechanisms without loops.",
            Self::Index1 => "Constraints on accelerations; positions drift.",
            Self::Index2 => "Constraints on velocities; positions drift slightly.",
            Self::Index3 => "Constraints on positions.",
            Self::Ggl => "Constraints on velocities and positions: no drift [Gear, Gupta, Leimkuhler 1985].",
        }
    }

    /// Where the parts of y lie. There are multipliers σ where constraints are not differentiated to accelerations, and
    /// multipliers η where positions are stabilised.
    ///
    /// ```
    /// use holonom_dae::{Form, Sizes};
    /// let sizes = Sizes { positions: 2, velocities: 2, rows: 1, holonomic: 1, ..Sizes::default() };
    /// assert_eq!(Form::Ggl.layout(&sizes).eta, 5..6);
    /// assert!(Form::Index3.layout(&sizes).eta.is_empty());
    /// ```
    pub fn layout(self, sizes: &Sizes) -> MechanicalLayout {
        let mut end = 0;
        let mut next = |length: usize| -> Range<usize> {
            let start = end;
            end += length;
            start..end
        };
        let only = |holds: bool, length: usize| if holds { length } else { 0 };
        let keeps_lengths = matches!(self, Self::Index2 | Self::Index3 | Self::Ggl);
        MechanicalLayout {
            q: next(sizes.positions),
            v: next(sizes.velocities),
            x: next(sizes.states),
            lambda: next(only(self != Self::Ode, sizes.rows)),
            eta: next(only(self == Self::Ggl, sizes.holonomic)),
            sigma: next(only(keeps_lengths, sizes.lengths)),
            readings: next(sizes.readings),
        }
    }

    /// A variable of a kind, with its index and the power of h that scales its column. Own states
    /// ([`VariableKind::Differential`]) are taken not to depend on multipliers.
    pub fn variable(self, name: impl Into<String>, kind: VariableKind) -> Variable {
        let (velocity, multiplier, power) = match self {
            Self::Ode | Self::Index1 => (1, 1, 0),
            Self::Index2 | Self::Ggl => (1, 2, 0),
            Self::Index3 => (2, 3, 1),
        };
        let variable = Variable::new(name, kind);
        match kind {
            VariableKind::Position => variable.step_power(power),
            VariableKind::Velocity => variable.index(velocity),
            // Readings are on the level of v̇ and λ.
            VariableKind::Multiplier | VariableKind::Reading => variable.index(multiplier).step_power(-1),
            VariableKind::StabilisingMultiplier => variable.index(2).step_power(-1),
            VariableKind::Differential | VariableKind::Algebraic => variable,
        }
    }

    /// The level of the row that belongs to a multiplier λ.
    pub fn level(self, holonomic: bool) -> EquationLevel {
        match self {
            Self::Ode | Self::Index1 => EquationLevel::Acceleration,
            Self::Index3 if holonomic => EquationLevel::Position,
            Self::Index2 | Self::Index3 | Self::Ggl => EquationLevel::Velocity,
        }
    }

    /// Sets the powers of h that scale the rows. Index 3: q ~ h v ~ h² λ [Petzold, Lötstedt 1986].
    pub fn scale(self, equations: &mut [Equation]) {
        use EquationLevel::{Kinematic, Position, Velocity};
        if self == Self::Index3 {
            for equation in equations {
                equation.step_power = match equation.level {
                    Kinematic | Velocity => 0,
                    Position => -1,
                    _ => 1,
                };
            }
        }
    }

    /// The columns of λ and η that are transposes of G, where the rows of motion are M v̇ − f + Gᵀλ with f that does not
    /// depend on λ, q̇ = v, and all rows are conditions on positions. In index 1, G occurs in ∂F/∂ẏ only; the columns
    /// of v hold ∂γ/∂v.
    pub fn transposed(self, layout: &MechanicalLayout) -> Vec<TransposedBlock> {
        let MechanicalLayout {
            q, v, lambda, eta, ..
        } = layout;
        let block = |columns: &Range<usize>, rows: &Range<usize>, sources: &Range<usize>| TransposedBlock {
            columns: columns.clone(),
            rows: rows.clone(),
            source_rows: lambda.clone(),
            source_columns: sources.clone(),
            negated: false,
        };
        match self {
            Self::Ode | Self::Index1 => Vec::new(),
            Self::Index2 => vec![block(lambda, v, v)],
            Self::Index3 => vec![block(lambda, v, q)],
            Self::Ggl => vec![block(lambda, v, v), block(eta, q, v)],
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Form {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|form| form.name() == name);
        found.ok_or_else(|| UnknownName::new("form of the equations", name, Self::ALL.map(Self::name)))
    }
}

/// A name that stands for none of the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{found}`; choose from {known}")]
pub struct UnknownName {
    /// What was looked for.
    pub what: &'static str,
    /// The name given.
    pub found: String,
    /// The names there are.
    pub known: String,
}

impl UnknownName {
    /// A name that is none of these.
    pub fn new<const N: usize>(what: &'static str, found: &str, known: [&str; N]) -> Self {
        Self {
            what,
            found: found.to_owned(),
            known: known.map(|name| format!("`{name}`")).join(", "),
        }
    }
}
