//! Narrow features of the state that are known by their width: roads under tyres.

use crate::elements::forces::ForceElement;
use crate::elements::scene::Scene;
use crate::model::Model;

/// Coordinates and features of an element; none for elements without narrow features.
fn sizes(element: &ForceElement) -> [usize; 2] {
    match element {
        ForceElement::Tyre(tyre) if tyre.is_uneven() => [2, 1],
        _ => [0; 2],
    }
}

/// The same of all elements.
pub(super) fn count(model: &Model) -> [usize; 2] {
    let each = model.forces.iter().map(|force| sizes(&force.element));
    each.fold([0; 2], |[a, b], [c, d]| [a + c, b + d])
}

/// Coordinates in a scene.
pub(super) fn coordinates(model: &Model, scene: &Scene<'_, f64>, coordinates: &mut [f64]) {
    let mut rest = coordinates;
    for force in &model.forces {
        let (own, behind) = rest.split_at_mut(sizes(&force.element)[0]);
        rest = behind;
        match &force.element {
            ForceElement::Tyre(tyre) if tyre.is_uneven() => own.copy_from_slice(&tyre.place(scene)),
            _ => {}
        }
    }
}

/// Distances along the coordinates that features are at least as wide as.
pub(super) fn widths(model: &Model, widths: &mut [f64]) {
    let mut rest = widths;
    for force in &model.forces {
        let (own, behind) = rest.split_at_mut(sizes(&force.element)[0]);
        rest = behind;
        own.fill(match &force.element {
            ForceElement::Tyre(tyre) => tyre.shortest_obstacle(),
            _ => f64::INFINITY,
        });
    }
}

/// Features for coordinates.
pub(super) fn values(model: &Model, coordinates: &[f64], values: &mut [f64]) {
    let (mut from, mut to) = (coordinates, values);
    for force in &model.forces {
        let [inputs, outputs] = sizes(&force.element);
        let (own, more) = from.split_at(inputs);
        let (out, behind) = to.split_at_mut(outputs);
        (from, to) = (more, behind);
        match &force.element {
            ForceElement::Tyre(tyre) if tyre.is_uneven() => out[0] = tyre.height([own[0], own[1]]),
            _ => {}
        }
    }
}
