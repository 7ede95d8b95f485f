//! Where the pattern comes from by which columns are grouped.

/// Where the pattern comes from by which columns are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sparsity {
    /// The declared pattern, and the estimated one as soon as it is settled and gives clearly
    /// fewer groups; the estimated one alone where none is declared.
    #[default]
    Auto,
    /// The pattern the system declares: mechanisms trace theirs from topology and elements.
    Traced,
    /// The entries that matter in a full difference Jacobian, Arnold §3.1.
    Estimated,
}

impl Sparsity {
    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        REGISTRY
            .iter()
            .find(|e| e.choice == self)
            .map_or("auto", |e| e.name)
    }
}

/// One origin of patterns, as listed to users.
pub struct Entry {
    /// Name in options and reports.
    pub name: &'static str,
    /// One line for `holonom list`.
    pub description: &'static str,
    /// Where it comes from.
    pub literature: &'static str,
    /// The choice it stands for.
    pub choice: Sparsity,
}

/// All origins of patterns but `auto`, which chooses between them in the run.
pub const REGISTRY: &[Entry] = &[
    Entry {
        name: "traced",
        description: "the pattern declared by the system; for mechanisms it follows exactly from topology and elements",
        literature: "Arnold §3.1",
        choice: Sparsity::Traced,
    },
    Entry {
        name: "estimated",
        description: "significant entries of a full Jacobian at the start, enlarged if the corrector converges poorly",
        literature: "Arnold §3.1",
        choice: Sparsity::Estimated,
    },
];

/// The choice of this name, `auto` included.
///
/// ```
/// use holonom_solver::jacobian::sparsity::{Sparsity, find};
/// assert_eq!(find("estimated"), Some(Sparsity::Estimated));
/// assert_eq!(find("auto"), Some(Sparsity::Auto));
/// assert_eq!(find("guessed"), None);
/// ```
pub fn find(name: &str) -> Option<Sparsity> {
    if name == Sparsity::Auto.name() {
        return Some(Sparsity::Auto);
    }
    REGISTRY.iter().find(|e| e.name == name).map(|e| e.choice)
}
