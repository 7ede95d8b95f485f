//! Controls that are functions of time alone, in chains of expressions and as sensors of driven coordinates.

use super::controls::Bind;
use crate::description::{Control, Description};
use crate::elements::constraints::ConstraintElement;
use crate::elements::controls::ControlElement;
use crate::model::{Model, ModelControl};
use crate::observable::Observable;
use crate::signal::Signal;
use holonom_expression::Expression as Formula;
use std::sync::Arc;

/// Notes the functions of time in expressions that name controls, where these are functions of time themselves.
pub(super) fn excite(model: &Model, description: &Description, bind: &mut Bind<'_>) {
    // Numbers of controls mean nothing where one could not be compiled.
    if model.controls.len() != description.controls.len() {
        return;
    }
    let mut known: Vec<Option<Formula>> = vec![None; model.controls.len()];
    // Each pass finds those that name only what is known.
    loop {
        let mut more = false;
        for (k, control) in model.controls.iter().enumerate() {
            if known[k].is_none()
                && let Some(found) = of_time(model, (control, &description.controls[k]), &bind.names, &known)
            {
                known[k] = Some(found);
                more = true;
            }
        }
        if !more {
            break;
        }
    }
    if known.iter().all(Option::is_none) {
        return;
    }
    let own = known
        .iter()
        .flatten()
        .map(|e| Signal::Expression(Arc::new(e.clone())));
    let own: Vec<Signal> = own.filter(|signal| !signal.parts().is_empty()).collect();
    bind.excited_by(own);
    for mixed in core::mem::take(&mut bind.mixed) {
        if let Some(timed) = over_time(&mixed, &known) {
            let parts = timed.parts_of(0).into_iter();
            bind.excited_by(parts.map(|part| Signal::Expression(Arc::new(part))));
        }
    }
}

/// Variable 0 is t, and k + 1 the control k.
fn over_time(formula: &Formula, known: &[Option<Formula>]) -> Option<Formula> {
    formula.with(|variable| variable.checked_sub(1).and_then(|k| known.get(k)?.as_ref()))
}

/// The output of a control, if it depends on time alone.
fn of_time(
    model: &Model,
    (control, described): (&ModelControl, &Control),
    names: &[&str],
    known: &[Option<Formula>],
) -> Option<Formula> {
    let signal = match (&control.element, described.kind.formula()) {
        // As described: the compiled one may have switches in it.
        (_, Some(value)) => {
            let formula = value.as_expression()?.over_variables(names).ok()?;
            let formula = over_time(&formula, known)?;
            let others = (1..formula.variables().len()).any(|k| formula.uses(k));
            let alone = !others && formula.uses(0);
            return alone.then(|| formula.over_variables(&["t"]).ok()).flatten();
        }
        (ControlElement::Sensor(sensor), _) => {
            let observed = sensor.channel.observed.as_ref()?;
            let read = match &observed.observable {
                Observable::Control { control } => {
                    Signal::Expression(Arc::new(known.get(*control)?.clone()?))
                }
                Observable::Coordinate { node, order: 0 } => driven(model, *node)?.clone(),
                function if observed.place == 0 => function.time_function(model, &model.inputs)?.clone(),
                _ => return None,
            };
            Signal::Scaled(sensor.factor, Box::new(read))
        }
        _ => return None,
    };
    let formula = signal.as_expression()?;
    formula.uses(0).then_some(formula)
}

/// What the coordinate of a node follows.
fn driven(model: &Model, node: usize) -> Option<&Signal> {
    if let Some(signal) = model.tree.nodes.get(node)?.prescribed {
        return model.signals.get(signal);
    }
    model
        .constraints
        .iter()
        .find_map(|constraint| match &constraint.element {
            ConstraintElement::Coordinates(sum)
                if !sum.rate && matches!(sum.terms[..], [(only, 1.0)] if only == node) =>
            {
                sum.signal.as_ref()
            }
            _ => None,
        })
}
