//! Narrow features of the state that are known by their width: roads under tyres.

use crate::elements::forces::ForceElement;
use crate::elements::scene::Scene;
use crate::model::Model;

/// Coordinates and features of an element; none for elements without narrow features.
fn sizes(element: &ForceElement) -> [usize; 2] {
    match element.place_size() {
        0 => [0; 2],
        size => [size, 1],
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
        if !own.is_empty() {
            force.element.place(scene, own);
        }
    }
}

/// Distances along the coordinates that features are at least as wide as.
pub(super) fn widths(model: &Model, widths: &mut [f64]) {
    let mut rest = widths;
    for force in &model.forces {
        let (own, behind) = rest.split_at_mut(sizes(&force.element)[0]);
        rest = behind;
        own.fill(force.element.feature_width());
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
        if !out.is_empty() {
            out.fill(force.element.profile(own));
        }
    }
}
