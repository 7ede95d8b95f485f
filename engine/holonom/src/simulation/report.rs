//! What a run reports at its end.

use super::GimbalLock;
use holonom_dae::{Counters, Timing};
use holonom_solver::explain::Decision;
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It reached its end.
    #[default]
    Finished,
    /// It was interrupted; what was computed is kept.
    Interrupted,
    /// It failed; what was computed is kept.
    Failed,
}

/// The strategies a run used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Form of the equations.
    pub form: String,
    /// How they are evaluated.
    pub formalism: String,
    /// Integration method; `kinematic` where nothing was integrated.
    pub stepper: String,
    /// How Jacobians were obtained.
    pub jacobian: String,
    /// Sparsity pattern by which columns were grouped at the end; `none` where each was alone.
    #[serde(default)]
    pub sparsity: String,
    /// Linear solver.
    pub linear: String,
    /// When Jacobians and factorisations were renewed.
    pub refresh: String,
    /// What could stand in for a full evaluation of the Jacobian.
    #[serde(default)]
    pub update: String,
}

/// Largest violations of the constraints, dropped rows among them: at the start, at every step, in every
/// output row and at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConstraintReport {
    /// max |g|.
    pub position: f64,
    /// max |G v + g_t|.
    pub velocity: f64,
}

/// Energy at the ends of the run, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyReport {
    /// Kinetic and potential energy at the start.
    pub start: f64,
    /// The same at the end.
    pub end: f64,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunReport {
    /// How it ended.
    pub status: Status,
    /// Why it ended early; empty otherwise.
    pub message: String,
    /// Time reached, s.
    pub t: f64,
    /// Values of the recorded channels at that time, with their names.
    pub last: Vec<(String, f64)>,
    /// Rows written.
    pub rows: u64,
    /// What was used.
    pub used: Used,
    /// Names of the force elements that counted as stiff, where `linear-implicit-euler` did not take all of them.
    pub stiff: Option<Vec<String>>,
    /// Work.
    pub counters: Counters,
    /// Where the time went, s.
    pub timing_s: Timing,
    /// Time that output rows took from the integrating thread, s: sampling and writing those it made
    /// itself; copying states for the second thread and waiting for it ([`OutputThread`]). What is
    /// done for every row is timed with one in seventeen.
    ///
    /// [`OutputThread`]: super::OutputThread
    pub output_s: f64,
    /// Time the second thread spent on sampling and writing output rows, s, while the integration
    /// went on; from one row in seventeen.
    pub output_beside_s: f64,
    /// Violations of the constraints.
    pub constraint: ConstraintReport,
    /// Energy.
    pub energy: EnergyReport,
    /// Output rows whose accelerations could not be computed.
    pub failed_rows: u64,
    /// Output rows in singular positions.
    pub singular_rows: u64,
    /// Joints with Cardan angles that came close to gimbal lock.
    pub gimbal_lock: Vec<GimbalLock>,
    /// Why strategies were chosen, and every change in the run.
    pub explain: Vec<Decision>,
}
