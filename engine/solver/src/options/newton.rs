//! Options of the corrector iteration.

/// Parameters of the stopping rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// Corrections at most.
    pub max_iterations: usize,
    /// A rate above this counts as divergence (DASSL: 0.9).
    pub rejection_rate: f64,
    /// Share of the tolerance the iteration error may use up. DASSL's 0.33 leaves noise in the
    /// solution that keeps order and step low; a tighter share costs few iterations and saves steps.
    pub share: f64,
    /// Give up as soon as the estimated rate says the limit on iterations will not do.
    pub look_ahead: bool,
    /// Take corrections at the level of rounding for convergence.
    pub accept_rounding: bool,
    /// Take the rate of an earlier step with the same matrix for that of this one. It grows as the solution goes away
    /// from where the Jacobian was evaluated; an error test finds that out, and where there is none nothing does.
    pub remember: bool,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            max_iterations: 4,
            rejection_rate: 0.9,
            share: 0.05,
            look_ahead: true,
            accept_rounding: true,
            remember: true,
        }
    }
}
