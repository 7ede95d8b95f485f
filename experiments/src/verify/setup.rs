//! What all runs of `holonom verify` have in common.

use crate::measure::{self, Run};
use holonom::format::Settings;
use holonom::problems::Problem;
use holonom::simulation::solver_options;
use holonom::{Options, Quiet};

/// Settings of all runs.
pub struct Setup {
    /// Strategies asked for.
    pub settings: Settings,
    /// Seconds after which a run is given up.
    pub time_limit: f64,
}

impl Setup {
    /// Options with these tolerances.
    pub fn options(&self, rtol: f64, atol: f64) -> Options {
        solver_options(&Settings {
            rtol: Some(rtol),
            atol: Some(atol),
            time_limit: Some(self.time_limit),
            ..self.settings.clone()
        })
    }

    /// Solves a problem with this relative tolerance.
    pub fn solve(&self, problem: &Problem, rtol: f64) -> Run {
        let options = self.options(rtol, rtol * problem.atol_factor);
        measure::problem(problem, problem.t_end, options, &mut Quiet)
    }
}
