//! What may stand in for a full evaluation of the Jacobian.

/// Cheap updates that a policy may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// What the policy is known with: partitioned for `classical`, none for `dassl`.
    #[default]
    Auto,
    /// Every change is a full evaluation.
    None,
    /// New α, ∂F/∂ẏ and G with otherwise kept ∂F/∂y.
    Partitioned,
    /// The same, with ∂F/∂y following the inputs.
    Extended,
}

/// One kind of update, as listed to users.
pub struct Entry {
    /// Name in options and reports.
    pub name: &'static str,
    /// One line for `holonom list`.
    pub description: &'static str,
    /// Where it comes from.
    pub literature: &'static str,
    /// The choice it stands for.
    pub choice: Update,
}

/// All kinds of updates but `auto`.
pub const REGISTRY: &[Entry] = &[
    Entry {
        name: "none",
        description: "every change, including that of the step size, causes a full evaluation",
        literature: "Arnold §2.3",
        choice: Update::None,
    },
    Entry {
        name: "partitioned",
        description: "a new step size updates ∂F/∂ẏ and the constraints and reuses the rest of ∂F/∂y, without residual evaluations",
        literature: "Arnold (24), (25)",
        choice: Update::Partitioned,
    },
    Entry {
        name: "extended",
        description: "as `partitioned`; in addition, ∂F/∂y follows prescribed motions using second derivatives evaluated once",
        literature: "Arnold (26)",
        choice: Update::Extended,
    },
];

impl Update {
    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        REGISTRY
            .iter()
            .find(|e| e.choice == self)
            .map_or("auto", |e| e.name)
    }

    /// Whether differences are taken of α ∂F/∂ẏ + ∂F/∂y in one, where the policy does so by itself or
    /// not.
    pub fn combines(self, policy: bool) -> bool {
        match self {
            Self::Auto => policy,
            Self::None => true,
            Self::Partitioned | Self::Extended => false,
        }
    }
}

/// The choice of this name, `auto` included.
///
/// ```
/// use holonom_solver::refresh::update::{Update, find};
/// assert_eq!(find("extended"), Some(Update::Extended));
/// assert_eq!(find("auto"), Some(Update::Auto));
/// assert_eq!(find("guessed"), None);
/// ```
pub fn find(name: &str) -> Option<Update> {
    if name == Update::Auto.name() {
        return Some(Update::Auto);
    }
    REGISTRY.iter().find(|e| e.name == name).map(|e| e.choice)
}
