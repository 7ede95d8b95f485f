//! [`Checkpoint`]: everything the rest of a run depends on.

use crate::explain::Decision;
use crate::state::State;
use holonom_dae::Counters;
use serde::{Deserialize, Serialize};

/// State of a run between two steps. Serialisable; a run resumed from it gives the same bits
/// as the run it was taken from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Version of the format.
    pub version: u32,
    /// Number of unknowns, to notice a checkpoint of another system.
    pub dimension: usize,
    /// Fingerprint of the names of variables, equations and events.
    pub system: u64,
    /// Fingerprint of the numerical options.
    pub options: u64,
    /// Strategy names, to notice other options: stepper, Jacobian, linear solver, policy.
    pub strategies: [String; 4],
    /// Method history, kept matrices, rate memory.
    pub stepper: State,
    /// Discrete variables.
    #[serde(with = "crate::numbers::many")]
    pub discrete: Vec<f64>,
    /// Values of the event functions at the last step and what is known about each.
    pub events: super::events::EventMemory,
    /// What is known about excitations.
    pub foresight: super::driver::ForesightMemory,
    /// What is known about laws that act only within narrow ranges.
    pub hindsight: super::driver::HindsightMemory,
    /// What has been measured of methods, where they are chosen.
    pub pilot: Option<super::driver::PilotMemory>,
    /// What has been decided so far, besides what the method keeps itself.
    pub decisions: Vec<Decision>,
    /// Counters so far.
    pub counters: Counters,
    /// Time of the solution as seen from outside, at most that of the last step.
    pub t: f64,
    /// The last output time delivered.
    pub outputs_to: Option<f64>,
}

impl Checkpoint {
    /// Prepares a run that goes on to a later end than the one that was stated when the checkpoint was taken.
    pub fn extend_to(&mut self, t_end: f64) {
        self.foresight.extend_to(t_end);
        if let Some(pilot) = &mut self.pilot {
            pilot.extend_to(t_end);
        }
    }
}

/// The format written by this build.
pub const VERSION: u32 = 11;

/// A hash of texts that is the same on every machine (FNV-1a).
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}
