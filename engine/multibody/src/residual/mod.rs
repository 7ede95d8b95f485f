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
mod memory;
mod pieces;
mod places;
mod readings;
mod rows;
mod stretch;
mod structure;
mod switches;
mod system;

pub use assembled::UnsuitableForm;
pub use equations::Equations;
pub(crate) use loops::{Loops, LoopsRoom};

use core::fmt;
use core::str::FromStr;
pub use holonom_dae::{Form, UnknownName};

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
                let found = <$type>::ALL.into_iter().find(|x| x.name() == s);
                found.ok_or_else(|| UnknownName::new($what, s, <$type>::ALL.map(<$type>::name)))
            }
        }
    )*};
}
names! {
    Formalism, "formalism";
    GglMetric, "metric";
}
