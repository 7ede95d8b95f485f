//! Which element has no finite value.

use super::Workspace;
use crate::diagnostic::{Thing, ThingKind};
use crate::model::Model;
use holonom_algebra::Wrench;

fn is_finite(wrench: &Wrench<f64>) -> bool {
    let parts = wrench.force.0.iter().chain(&wrench.moment.0);
    parts.into_iter().all(|x| x.is_finite())
}

impl Workspace<f64> {
    /// The first control or force element without a finite value; time, positions, velocities
    /// and states must have been set.
    pub fn without_value(&mut self, model: &Model) -> Option<Thing> {
        self.evaluate_controls(model);
        for &k in &model.control_order {
            if !self.known.controls[k + 1].is_finite() {
                return Some(ThingKind::Control.named(&model.controls[k].name));
            }
        }
        for force in &model.forces {
            self.clear_loads();
            let (scene, mut loads) = self.scene(model);
            force.element.evaluate(&scene.of(&force.states), &mut loads);
            let coordinates = self.loads.generalised.iter().chain(&self.loads.driven);
            let finite =
                coordinates.into_iter().all(|x| x.is_finite()) && self.loads.wrenches.iter().all(is_finite);
            if !finite {
                return Some(ThingKind::Force.named(&force.name));
            }
        }
        let mut rates = vec![0.0; self.known.x.len()];
        self.state_rates(model, &mut rates);
        let odd = |states: &std::ops::Range<usize>| rates[states.clone()].iter().any(|x| !x.is_finite());
        let control = model.controls.iter().find(|control| odd(&control.states));
        let force = model.forces.iter().find(|force| odd(&force.states));
        let control = control.map(|control| ThingKind::Control.named(&control.name));
        control.or_else(|| force.map(|force| ThingKind::Force.named(&force.name)))
    }
}
