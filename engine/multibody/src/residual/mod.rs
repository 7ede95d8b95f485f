//! The equations of motion as F(t, y, ẏ) = 0: every index, both formalisms.
//!
//! Rows as in Arnold (9) (`residual`) or (10) (`explicit`):
//! ```text
//! kinematic      q̇ − V(q)(v − W Gᵀη) + e σ
//! dynamic        M v̇ − f + Gᵀλ            or   v̇ − M⁻¹(f − Gᵀλ)
//! acceleration   G v̇ + γ
//! velocity       G v + g_t
//! own states     ẋ − s(t, q, v, x, λ)
//! position       g
//! open contact   λ, and η where there is one, instead of its position or velocity
//! length         (eᵀe − 1)/2 for every set of Euler parameters
//! reading        ρ − c(t, q, v, x, λ, v̇, ρ) for what sensors read of accelerations, reactions and totals
//! ```
//! y = (q, v, x, λ, η, σ, ρ) in this order; which of them a form has is listed at [`Form`]. Forces and
//! own states take ρ as given, so that a sensor may read what depends on it: s(t, q, v, x, λ, ρ),
//! f(t, q, v, x, λ, ρ).

mod assembled;
mod equations;
mod gaps;
mod impacts;
mod laws;
mod loops;
mod places;
mod readings;
mod stretch;
mod structure;
mod switches;

pub use assembled::UnsuitableForm;
pub use equations::Equations;
pub(crate) use loops::{Loops, LoopsRoom};

use crate::diagnostic::Diagnostic;
use core::fmt;
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

impl Form {
    /// All forms.
    pub const ALL: [Self; 5] = [Self::Ode, Self::Index1, Self::Index2, Self::Index3, Self::Ggl];

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

    /// Whether lengths of Euler parameters are kept by multipliers σ.
    pub(crate) fn keeps_lengths(self) -> bool {
        matches!(self, Self::Index2 | Self::Index3 | Self::Ggl)
    }
}

/// How the dynamic rows are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Formalism {
    /// Recursive Newton–Euler, Arnold (9): the cheaper one.
    #[default]
    Residual,
    /// Articulated bodies, Arnold (10).
    Explicit,
}

impl Formalism {
    /// All formalisms.
    pub const ALL: [Self; 2] = [Self::Residual, Self::Explicit];

    /// The name used in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Residual => "residual",
            Self::Explicit => "explicit",
        }
    }

    /// One sentence for users.
    pub fn doc(self) -> &'static str {
        match self {
            Self::Residual => "Recursive Newton–Euler, M v̇ − f + Gᵀλ; the cheaper formalism.",
            Self::Explicit => "Articulated-body algorithm, v̇ − M⁻¹ (f − Gᵀλ): computes v̇ explicitly.",
        }
    }
}

/// The metric W in which the stabilised form moves positions back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GglMetric {
    /// W = I, Arnold (7a).
    #[default]
    Identity,
    /// W = M⁻¹, Burgermeister (9a).
    Mass,
}

impl GglMetric {
    /// All metrics.
    pub const ALL: [Self; 2] = [Self::Identity, Self::Mass];

    /// The name used in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Mass => "mass",
        }
    }
}

/// A name that stands for none of the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Diagnostic::from(self))]
pub struct UnknownName {
    /// What was looked for.
    pub what: &'static str,
    /// The name given.
    pub found: String,
    /// The names there are.
    pub known: String,
}

impl From<&UnknownName> for Diagnostic {
    fn from(error: &UnknownName) -> Self {
        Self::sentence(format!("unknown {} `{}`", error.what, error.found))
            .remedy(format!("choose from {}", error.known))
    }
}

macro_rules! names {
    ($($type:ty, $what:literal;)*) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
        impl FromStr for $type {
            type Err = UnknownName;
            fn from_str(s: &str) -> Result<Self, UnknownName> {
                <$type>::ALL.into_iter().find(|x| x.name() == s).ok_or_else(|| UnknownName {
                    what: $what,
                    found: s.to_owned(),
                    known: <$type>::ALL.map(|x| format!("`{}`", x.name())).join(", "),
                })
            }
        }
    )*};
}
names! {
    Form, "form of the equations";
    Formalism, "formalism";
    GglMetric, "metric";
}
