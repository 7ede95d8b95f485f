//! Own states of controls that begin with what the controls see at the start.

use crate::mechanical::MechanicalModel;
use holonom_dae::{Mechanical, Rejection};

/// Passes until controls that see each other agree.
const PASSES: usize = 100;

/// A difference between two passes, relative, that is rounding.
const TOLERANCE: f64 = 1e-12;

/// Why there is no beginning.
pub(super) enum NoBeginning {
    /// The motion cannot be computed.
    Rejected(Rejection),
    /// The control with this number sees what it does itself, amplified.
    Ring(usize),
}

/// Sets those states in `x`, with the accelerations and multipliers that go with them.
pub(super) fn begin(
    mechanical: &mut MechanicalModel,
    (t, q, v): (f64, &[f64], &[f64]),
    x: &mut [f64],
    lambda: &mut [f64],
    a: &mut [f64],
) -> Result<(), NoBeginning> {
    let model = mechanical.model().clone();
    let mut before = x.to_vec();
    let mut changed = None;
    for _ in 0..PASSES {
        changed = None;
        let work = mechanical.workspace();
        work.evaluate_controls(&model);
        let scene = work.known.scene(&model);
        for (number, control) in model.controls.iter().enumerate() {
            let own = &mut x[control.states.clone()];
            let seen = scene.of(&control.states);
            if control.element.begin(&seen, own) {
                let apart = own.iter().zip(&before[control.states.clone()]);
                if apart
                    .into_iter()
                    .any(|(x, y)| (x - y).abs() > TOLERANCE * x.abs().max(y.abs()))
                {
                    changed = Some(number);
                }
            }
        }
        if changed.is_none() {
            return Ok(());
        }
        before.copy_from_slice(x);
        mechanical.set_states(x);
        let found = mechanical.accelerations(t, q, v, lambda, a);
        found.map_err(NoBeginning::Rejected)?;
    }
    match changed {
        Some(number) => Err(NoBeginning::Ring(number)),
        None => Ok(()),
    }
}
