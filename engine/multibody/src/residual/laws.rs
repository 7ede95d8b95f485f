//! Laws that may change within a short range of the state, over what they depend on.
//!
//! Inputs are those of each force element with such laws, one after the other, and at last the time and all controls,
//! where laws read them. They are smooth in time, so that a few of them tell all others; a law is evaluated with these as
//! often as it takes to see what is in it.

use super::Equations;
use super::memory::EquationsWorkspace;
use crate::elements::forces::{MOST_LAW_INPUTS, User};
use crate::model::{LawFunction, Model, ModelLaw};
use holonom_dae::Point;
use holonom_expression::curve::forget_refusal;

/// Number of inputs of a law, or of all those of one element.
fn width(model: &Model, law: &ModelLaw) -> usize {
    match law.force {
        Some(_) => MOST_LAW_INPUTS,
        None => 1 + model.controls.len(),
    }
}

/// Number of values of a law.
fn values_of(law: &ModelLaw) -> usize {
    match law.function {
        LawFunction::Expression(_) => 1,
        LawFunction::User(_) => User::OUTPUTS,
    }
}

/// Each law with where its inputs begin, and whether they are other ones than those of the law before.
pub(super) fn placed(model: &Model) -> impl Iterator<Item = (&ModelLaw, usize, bool)> {
    let (mut next, mut begin, mut known) = (0, 0, None);
    model.laws.iter().map(move |law| {
        let new = known != Some(law.force);
        if new {
            known = Some(law.force);
            begin = next;
            next += width(model, law);
        }
        (law, begin, new)
    })
}

impl Equations {
    /// Numbers of inputs and of values.
    pub(super) fn count_laws(&self) -> [usize; 2] {
        let model = &*self.model;
        let inputs = placed(model).map(|(law, begin, _)| begin + width(model, law));
        let values = model.laws.iter().map(values_of);
        [inputs.max().unwrap_or(0), values.sum()]
    }

    pub(super) fn inputs_of_laws(
        &self,
        at: Point<'_, f64>,
        work: &mut EquationsWorkspace<f64>,
        inputs: &mut [f64],
    ) {
        let (model, l, w) = (&*self.model, self.layout(), &mut work.mechanism);
        w.set_sides(at.discrete);
        w.set_time(model, at.t);
        w.set_positions(model, &at.y[l.q.clone()]);
        w.set_velocities(model, &at.y[l.v.clone()]);
        if model.laws.iter().any(|law| law.force.is_none()) {
            w.set_states(&at.y[l.x.clone()]);
            w.set_multipliers(model, &work.active, &at.y[l.lambda.clone()]);
            w.set_readings(&at.y[l.readings.clone()]);
            w.evaluate_controls(model);
        }
        self.inputs_of_laws_at_hand(work, inputs);
        forget_refusal();
    }

    /// The same as the mechanism stands after the last evaluation, and its time.
    pub(super) fn inputs_of_laws_at_hand(
        &self,
        work: &mut EquationsWorkspace<f64>,
        inputs: &mut [f64],
    ) -> Option<f64> {
        let model = &*self.model;
        let scene = work.mechanism.known.scene(model);
        for (law, begin, _) in placed(model).filter(|(_, _, new)| *new) {
            let own = &mut inputs[begin..begin + width(model, law)];
            match law.force {
                Some(force) => model.forces[force].element.law_inputs(&scene, own),
                None => own.copy_from_slice(scene.controls),
            }
        }
        Some(scene.t)
    }

    pub(super) fn values_of_laws(&self, inputs: &[f64], discrete: &[f64], values: &mut [f64]) {
        let sides = &discrete[discrete.len() - self.model.sides()..];
        let mut rest = values;
        for (law, begin, _) in placed(&self.model) {
            let (own, behind) = rest.split_at_mut(values_of(law));
            rest = behind;
            let inputs = &inputs[begin..begin + width(&self.model, law)];
            match &law.function {
                LawFunction::Expression(function) => {
                    own[0] = function.evaluate_on(&inputs[law.first..], sides);
                }
                LawFunction::User(function) => function.evaluate_f64(&inputs[..User::INPUTS], own),
            }
        }
        forget_refusal();
    }

    pub(super) fn name_of_law(&self, value: usize) -> String {
        let mut end = 0;
        let mut laws = self.model.laws.iter();
        let law = laws.find(|law| {
            end += values_of(law);
            value < end
        });
        law.map_or(String::new(), |law| law.place.clone())
    }
}
