//! Functions of time as a file would say them.
//!
//! Mirroring and turning a part leaves scaled functions and sums of them. Writing makes expressions
//! of these; made here already, a model equals the one that is read after writing it.

use holonom_expression::Expression;
use holonom_multibody::Signal;
use holonom_multibody::description::fields::{Field, Look};
use holonom_multibody::description::{CoordinateMotion, Description};
use std::sync::Arc;

/// Makes numbers and expressions of all functions of time.
pub(super) fn plain_signals(description: &mut Description) {
    for joint in &mut description.joints {
        for coordinate in &mut joint.coordinates {
            if let CoordinateMotion::Prescribed(signal) = &mut coordinate.motion {
                plain(signal);
            }
        }
    }
    for constraint in &mut description.constraints {
        constraint.kind.fields(&mut Plain);
    }
    for force in &mut description.forces {
        force.kind.fields(&mut Plain);
    }
    for control in &mut description.controls {
        control.kind.fields(&mut Plain);
    }
    for track in &mut description.tracks {
        track.fields(&mut Plain);
    }
}

/// A signal that no expression can say stays as it is: writing refuses it.
fn plain(signal: &mut Signal) {
    let is_plain = match &*signal {
        Signal::Expression(_) => true,
        Signal::Polynomial(coefficients) => coefficients.len() == 1,
        _ => false,
    };
    if is_plain {
        return;
    }
    let scope = signal.scope();
    let text = signal.to_expression_text();
    if let Some(expression) = text.and_then(|text| Expression::parse(&text, &scope, None).ok()) {
        *signal = match expression.value() {
            Some(value) => Signal::constant(value),
            None => Signal::Expression(Arc::new(expression.over_used())),
        };
    }
}

struct Plain;

impl Look for Plain {
    fn signal(&mut self, _: &Field, value: &mut Signal) {
        plain(value);
    }
    fn signals(&mut self, _: &Field, value: &mut [Signal; 3]) {
        value.iter_mut().for_each(plain);
    }
}
