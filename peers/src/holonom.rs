//! Holonom's own solver behind the same interface as its peers.
//!
//! NOT CONNECTED YET: the solver crate is being written. What goes here, and nothing else has to
//! change: build the default solver for `system`, wrap the system in
//! [`Counted`](crate::interface::Counted) or take `Counters::residuals`, honour
//! [`Settings`](crate::interface::Settings) (with `like_dassl`: refresh policy `dassl`, stability
//! detection off), time from construction to the last output with
//! [`cpu_time`](crate::interface::cpu_time), fill a [`Run`](crate::interface::Run), and set
//! [`CONNECTED`] to true.

use crate::interface::{Run, Settings};
use holonom_dae::System;
use holonom_dae::problems::Problem;

/// Whether [`integrate`] does anything yet.
pub const CONNECTED: bool = false;

/// Integrates with Holonom.
pub fn integrate(
    _system: &mut dyn System,
    _problem: &Problem,
    settings: &Settings<'_>,
) -> Result<Run, String> {
    let _ = settings.like_dassl;
    Err("Holonom's solver is not connected to this program yet (src/holonom.rs)".into())
}
