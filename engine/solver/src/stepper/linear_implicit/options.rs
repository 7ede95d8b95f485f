//! What can be chosen, and which choices do not go together.

use crate::settings::SettingKind::{Choice, Count, Names, Number};
use crate::settings::{OwnOptions, Setting, SettingValue, Storable, settings_of};
use holonom_dae::{InputError, Mechanical};
use std::fmt;

/// A choice with names for files and the command line.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$entry:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            $($(#[$entry])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Name in files and on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The one of this name.
            pub fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|x| x.name() == name)
            }

            fn names() -> Vec<&'static str> {
                Self::ALL.iter().map(|x| x.name()).collect()
            }
        }

        impl Storable for $name {
            fn load(value: SettingValue) -> Option<Self> {
                match value {
                    SettingValue::Name(name) => Self::find(&name),
                    _ => None,
                }
            }

            fn store(&self) -> Option<SettingValue> {
                Some(self.name().into())
            }
        }
    };
}

choice! {
    /// Which derivatives of the forces the step contains, Burgermeister §2. For q̈ = −aq − bq̇ it is
    /// stable with steps h as stated.
    StiffTerms {
        /// J_exact, and positions that move with the new velocities: stable for all h, and damps what
        /// `j2` does not.
        Exact = "exact",
        /// J₁: forces by positions and by velocities, h²a ≤ 2hb + 4.
        J1 = "j1",
        /// J₂: f_v + h f_q in place of f_v, stable for all h.
        #[default]
        J2 = "j2",
        /// J₃: one directional derivative f_q v and no matrix, hb ≤ 2 and h²a ≤ 4 − 2hb.
        J3 = "j3",
        /// Explicit Euler: unstable wherever ha > b.
        None = "none",
    }
}

impl StiffTerms {
    /// Whether ∂f/∂q and ∂f/∂v are needed as matrices.
    pub fn needs_matrices(self) -> bool {
        matches!(self, Self::Exact | Self::J1 | Self::J2)
    }
}

choice! {
    /// On which level the constraints are kept in a step, Burgermeister §3.1.
    Level {
        /// Acceleration: G v̇ + γ = 0 at the beginning of the step.
        Index1 = "index1",
        /// Velocity: G v + g_t = 0 at the end of the step, (6).
        #[default]
        Index2 = "index2",
    }
}

choice! {
    /// What is done against drift off the constraints, Burgermeister §3.2 to §3.4.
    Stabilisation {
        /// Nothing: the error in g grows with time.
        None = "none",
        /// g and ġ are mixed into the constraint: error O(h²).
        Baumgarte = "baumgarte",
        /// Newton steps (11) for the positions, then velocities that satisfy their constraint exactly:
        /// error O(h³).
        #[default]
        Projection = "projection",
        /// Sequential regularisation of order 1 [Ascher, Lin 1997]: multipliers follow the error of the
        /// velocity constraint, and dependent constraints do no harm.
        Regularisation = "regularisation",
    }
}

choice! {
    /// What comes first in a step.
    Ordering {
        /// Positions with the old velocities, then velocities, (6).
        #[default]
        PositionsFirst = "positions-first",
        /// Velocities, then positions with the new velocities by the exponential map, (14): one
        /// evaluation of every part of the model, as in veDYNA.
        VelocitiesFirst = "velocities-first",
    }
}

/// Which force elements count as stiff: only these enter the matrices of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Partition {
    /// All of them, and the gyroscopic forces.
    #[default]
    All,
    /// Those that are, for the step size, in the model linearised at the start.
    Auto,
    /// Those named.
    Named(Vec<String>),
}

/// Newton steps of the projection of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projections {
    /// So many.
    Fixed(u32),
    /// As many as it takes; not in real time.
    Converged,
}

/// Options of the linear-implicit Euler method.
///
/// ```
/// use holonom_solver::stepper::{LinearImplicitOptions, Stabilisation};
/// let options = LinearImplicitOptions {
///     stabilisation: Stabilisation::Baumgarte,
///     ..LinearImplicitOptions::default()
/// };
/// assert!(options.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearImplicitOptions {
    /// Derivatives of the forces in the step.
    pub stiff_terms: StiffTerms,
    /// Level of the constraints.
    pub assembly: Level,
    /// What is done against drift.
    pub stabilisation: Stabilisation,
    /// What comes first.
    pub ordering: Ordering,
    /// Which force elements are stiff.
    pub partition: Partition,
    /// Steps over which the matrices are renewed, a fixed share in each.
    pub shares: u32,
    /// α of Baumgarte and of the regularisation; 1/h unless given, 1/(2h) where positions move with the new
    /// velocities.
    pub alpha: Option<f64>,
    /// β of Baumgarte with `index1`; 1/h² unless given.
    pub beta: Option<f64>,
    /// Newton steps of the projection.
    pub projections: Projections,
    /// ε of the regularisation relative to h G M⁻¹ Gᵀ, row by row, at the start.
    pub epsilon: f64,
}

impl OwnOptions for LinearImplicitOptions {
    const SETTINGS: &'static [Setting<Self>] = settings_of!(Self:
        "stiff_terms" = stiff_terms: Choice(StiffTerms::names), "Force derivatives used by `linear-implicit-euler`.";
        "assembly" = assembly: Choice(Level::names), "Constraint level used by `linear-implicit-euler`: `index1` (acceleration) or `index2` (velocity).";
        "stabilisation" = stabilisation: Choice(Stabilisation::names), "How `linear-implicit-euler` prevents constraint drift.";
        "ordering" = ordering: Choice(Ordering::names), "Whether `linear-implicit-euler` updates positions or velocities first.";
        "stiff" = partition: Names(|| vec![AUTO, ALL]), "Force elements whose derivatives `linear-implicit-euler` uses: names, `auto` for those that are stiff at the start, or `all`.";
        "jacobian_shares" = shares: Count, "Number of steps over which `linear-implicit-euler` spreads the update of these derivatives.";
        "baumgarte_alpha" = alpha: Number("1/s"), "Parameter α of `baumgarte` and `regularisation`.", automatic "1/h";
        "baumgarte_beta" = beta: Number("1/s^2"), "Parameter β of `baumgarte` with `index1`.", automatic "1/h²";
        "projection_steps" = projections: Count, "Newton iterations of `projection` per step; 0 iterates to convergence, which is not suitable for real time.";
        "regularisation_epsilon" = epsilon: Number(""), "ε of `regularisation`, relative to h G M⁻¹ Gᵀ at the start.";
    );

    fn check(&self) -> Result<(), InputError> {
        Self::check(self)
    }

    fn idle(&self, setting: &str) -> Option<String> {
        let needed = match setting {
            "projection_steps" => Stabilisation::Projection,
            "regularisation_epsilon" => Stabilisation::Regularisation,
            _ => return None,
        };
        let other = self.stabilisation != needed;
        other.then(|| format!("`stabilisation = \"{}\"`", self.stabilisation.name()))
    }
}

/// Words for choices among the force elements.
const AUTO: &str = "auto";
const ALL: &str = "all";

impl Storable for Partition {
    fn load(value: SettingValue) -> Option<Self> {
        let SettingValue::Names(names) = value else {
            return None;
        };
        Some(match names.as_slice() {
            [word] if word == ALL => Self::All,
            [word] if word == AUTO => Self::Auto,
            _ => Self::Named(names),
        })
    }

    fn store(&self) -> Option<SettingValue> {
        Some(SettingValue::Names(match self {
            Self::All => vec![ALL.into()],
            Self::Auto => vec![AUTO.into()],
            Self::Named(names) => names.clone(),
        }))
    }
}

impl Storable for Projections {
    fn load(value: SettingValue) -> Option<Self> {
        match u32::load(value)? {
            0 => Some(Self::Converged),
            steps => Some(Self::Fixed(steps)),
        }
    }

    fn store(&self) -> Option<SettingValue> {
        Some(SettingValue::Count(match self {
            Self::Fixed(steps) => u64::from(*steps),
            Self::Converged => 0,
        }))
    }
}

/// The four choices by their names.
impl fmt::Display for LinearImplicitOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (assembly, stabilisation) = (self.assembly.name(), self.stabilisation.name());
        let (terms, ordering) = (self.stiff_terms.name(), self.ordering.name());
        write!(f, "{terms}, {assembly}, {stabilisation}, {ordering}")
    }
}

impl Default for LinearImplicitOptions {
    fn default() -> Self {
        Self {
            stiff_terms: StiffTerms::default(),
            assembly: Level::default(),
            stabilisation: Stabilisation::default(),
            ordering: Ordering::default(),
            partition: Partition::default(),
            shares: 1,
            alpha: None,
            beta: None,
            projections: Projections::Fixed(1),
            epsilon: 1e-3,
        }
    }
}

/// Most Newton steps of a projection that can be asked for.
const MOST_PROJECTIONS: u32 = 100;

impl LinearImplicitOptions {
    /// Whether positions move with the new velocities.
    pub fn moves_with_new_velocities(&self) -> bool {
        self.stiff_terms == StiffTerms::Exact || self.ordering == Ordering::VelocitiesFirst
    }

    /// Refuses what makes no sense together.
    ///
    /// # Errors
    /// The option to blame, with the reason.
    pub fn check(&self) -> Result<(), InputError> {
        let refuse = |option: &'static str, value: &str, reason: &str| {
            Err(InputError::Option {
                option,
                value: value.into(),
                remedy: reason.into(),
            })
        };
        let (terms, level) = (self.stiff_terms, self.assembly);
        if self.ordering == Ordering::VelocitiesFirst {
            let reason = match terms {
                StiffTerms::Exact => {
                    "`stiff_terms = \"exact\"` already updates positions with the new velocities; remove \
                     `ordering`, or choose `j2`"
                }
                StiffTerms::J3 => {
                    "(14) has no term h f_q v, which is all that `j3` consists of; choose `j2`, `j1` or `none`"
                }
                _ => "",
            };
            if !reason.is_empty() {
                return refuse("ordering", "`velocities-first`", reason);
            }
        }
        if level == Level::Index2 && self.moves_with_new_velocities() {
            let what = if terms == StiffTerms::Exact {
                "`stiff_terms = \"exact\"`"
            } else {
                "`ordering = \"velocities-first\"`"
            };
            let reason = format!(
                "the velocity constraint at the end of the step needs the new positions first, but {what} \
                 computes them last; choose `index1`"
            );
            return refuse("assembly", "`index2`", &reason);
        }
        if self.stabilisation == Stabilisation::Regularisation && level == Level::Index1 {
            let reason = "multipliers follow the error of the velocity constraint, which `index1` does not have; choose `assembly = \"index2\"`";
            return refuse("stabilisation", "`regularisation`", reason);
        }
        if !terms.needs_matrices() {
            let name = format!("`{}`", terms.name());
            if self.partition != Partition::All {
                let reason = "it has no matrix in which elements could take part or not; leave `stiff` out, or choose `j2`";
                return refuse("stiff_terms", &name, reason);
            }
            if self.shares > 1 {
                let reason = "it has no matrix to update in parts; remove `jacobian_shares`, or choose `j2`";
                return refuse("stiff_terms", &name, reason);
            }
        }
        self.check_numbers()
    }

    /// Refuses what makes no sense for this model with steps of size `h`: names that it does not have, and
    /// Baumgarte parameters with which errors grow.
    ///
    /// # Errors
    /// The option to blame, with the reason.
    pub fn check_with(&self, h: f64, mechanical: &dyn Mechanical) -> Result<(), InputError> {
        self.check()?;
        super::stabilise::baumgarte(self, h)?;
        super::partition::check_names(mechanical, &self.partition)
    }

    fn check_numbers(&self) -> Result<(), InputError> {
        let refuse = |option: &'static str, value: String, remedy: &str| {
            Err(InputError::Option {
                option,
                value,
                remedy: remedy.into(),
            })
        };
        let damped = match self.stabilisation {
            Stabilisation::Baumgarte => true,
            Stabilisation::Regularisation => true,
            Stabilisation::None | Stabilisation::Projection => false,
        };
        for (name, value) in [("baumgarte_alpha", self.alpha), ("baumgarte_beta", self.beta)] {
            let Some(x) = value else { continue };
            if !damped {
                let reason = "it has no use without `stabilisation = \"baumgarte\"` or `\"regularisation\"`";
                return refuse(name, x.to_string(), reason);
            }
            if !(x > 0.0 && x.is_finite()) {
                let reason = "ÿ + 2αẏ + βy = 0 must decay: give a positive, finite number";
                return refuse(name, x.to_string(), reason);
            }
        }
        if let Some(beta) = self.beta
            && self.assembly == Level::Index2
        {
            let reason = "with `assembly = \"index2\"` g takes part with α alone; leave it out";
            return refuse("baumgarte_beta", beta.to_string(), reason);
        }
        if !(self.epsilon > 0.0 && self.epsilon.is_finite()) {
            let reason = "give a positive, finite number";
            return refuse("regularisation_epsilon", self.epsilon.to_string(), reason);
        }
        if let Projections::Fixed(k) = self.projections
            && !(1..=MOST_PROJECTIONS).contains(&k)
        {
            let reason = "give 1 to 100, or 0 to iterate to convergence, which is not suitable for real time";
            return refuse("projection_steps", k.to_string(), reason);
        }
        if self.shares == 0 {
            return refuse("jacobian_shares", "0".into(), "give at least 1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination is accepted, or refused with a reason that says what to do instead.
    #[test]
    fn combinations() {
        let mut accepted = 0;
        for &stiff_terms in StiffTerms::ALL {
            for &assembly in Level::ALL {
                for &stabilisation in Stabilisation::ALL {
                    for &ordering in Ordering::ALL {
                        let options = LinearImplicitOptions {
                            stiff_terms,
                            assembly,
                            stabilisation,
                            ordering,
                            ..LinearImplicitOptions::default()
                        };
                        match options.check() {
                            Ok(()) => accepted += 1,
                            Err(error) => assert!(error.to_string().contains("choose"), "{error}"),
                        }
                    }
                }
            }
        }
        // Positions first: index 1 with three stabilisations for five terms, index 2 with four for
        // all but `exact`. Velocities first: index 1 with three, for `j1`, `j2` and `none`.
        assert_eq!(accepted, 5 * 3 + 4 * 4 + 3 * 3);
    }

    #[test]
    fn numbers() {
        let with = |change: fn(&mut LinearImplicitOptions)| {
            let mut options = LinearImplicitOptions::default();
            change(&mut options);
            options.check().expect_err("nonsense").to_string()
        };
        assert!(with(|o| o.alpha = Some(1.0)).contains("no use"));
        assert!(with(|o| o.projections = Projections::Fixed(0)).contains("1 to 100"));
        assert!(with(|o| o.shares = 0).contains("at least 1"));
        assert!(with(|o| o.epsilon = f64::NAN).contains("positive"));
        let baumgarte = |alpha, beta, assembly| LinearImplicitOptions {
            stabilisation: Stabilisation::Baumgarte,
            assembly,
            alpha,
            beta,
            ..LinearImplicitOptions::default()
        };
        assert!(baumgarte(Some(-1.0), None, Level::Index1).check().is_err());
        assert!(baumgarte(None, Some(1.0), Level::Index2).check().is_err());
        assert!(baumgarte(Some(100.0), Some(1e4), Level::Index1).check().is_ok());
    }
}
