//! How far contacts, stops and impacts are from acting.

use super::Equations;
use super::memory::EquationsWorkspace;
use crate::model::Model;
use holonom_dae::{Gap, Point};

/// The force elements that act only within a range, by their numbers.
fn forces(model: &Model) -> impl Iterator<Item = usize> {
    (0..model.forces.len()).filter(|k| model.forces[*k].element.has_gap())
}

impl Equations {
    pub(super) fn count_gaps(&self) -> usize {
        forces(&self.model).count() + self.contacts.len()
    }

    /// First those of force elements, then those of impacts.
    pub(super) fn measure_gaps(
        &self,
        at: Point<'_, f64>,
        work: &mut EquationsWorkspace<f64>,
        gaps: &mut [Gap],
    ) {
        let (model, l, w) = (&*self.model, self.layout(), &mut work.mechanism);
        w.set_time(model, at.t);
        w.set_positions(model, &at.y[l.q.clone()]);
        w.set_velocities(model, &at.y[l.v.clone()]);
        let scene = w.known.scene(model);
        let first = gaps.len() - self.contacts.len();
        let elements = forces(model).map(|k| &model.forces[k].element);
        for (gap, element) in gaps.iter_mut().zip(elements) {
            *gap = element.gap(&scene).unwrap_or(Gap::NONE);
        }
        let rows = &self.active[self.active.len() - self.contacts.len()..];
        for ((gap, row), closed) in gaps[first..].iter_mut().zip(rows).zip(at.discrete) {
            let constraint = &model.constraints[model.rows[*row].constraint];
            *gap = match constraint.impact() {
                Some(impact) if *closed == 0.0 => impact.gap(&scene),
                _ => Gap::NONE,
            };
        }
    }

    pub(super) fn name_of_gap(&self, gap: usize) -> String {
        let force = forces(&self.model).nth(gap);
        let impact = || self.contacts.get(gap.checked_sub(forces(&self.model).count())?);
        match force {
            Some(k) => self.model.forces[k].name.clone(),
            None => impact().map_or(String::new(), |contact| contact.name.clone()),
        }
    }
}
