//! Forces that consist of smooth pieces, over what they depend on.
//!
//! First those that are written as expressions, with the inputs of [laws](super::laws), and behind them those of force
//! elements of their own kind, such as stops and contacts.

use super::Equations;
use super::laws::placed;
use super::memory::EquationsWorkspace;
use crate::elements::forces::ForceElement;
use crate::model::{LawFunction, Model};
use holonom_dae::Point;
use holonom_expression::Expression;
use holonom_expression::curve::forget_refusal;

/// The expressions among laws that consist of pieces, with where their inputs begin.
fn expressions(model: &Model) -> impl Iterator<Item = (&Expression, usize)> {
    placed(model).filter_map(|(law, begin, _)| match &law.function {
        LawFunction::Expression(function) if law.pieces => Some((function, begin + law.first)),
        _ => None,
    })
}

/// Elements with pieces of their own.
fn elements(model: &Model) -> impl Iterator<Item = (&ForceElement, [usize; 2])> {
    let each = model.forces.iter().map(|force| &force.element);
    let sized = each.map(|element| (element, element.piecewise()));
    sized.filter(|(_, [_, values])| *values > 0)
}

impl Equations {
    /// Inputs of the expressions; none where there is none with pieces.
    fn inputs_of_expressions(&self) -> usize {
        match expressions(&self.model).next() {
            Some(_) => self.count_laws()[0],
            None => 0,
        }
    }

    pub(super) fn count_pieces(&self) -> [usize; 2] {
        let sizes = elements(&self.model).map(|(_, size)| size);
        let begin = [self.inputs_of_expressions(), expressions(&self.model).count()];
        sizes.fold(begin, |[a, b], [inputs, values]| [a + inputs, b + values])
    }

    pub(super) fn inputs_of_pieces(
        &self,
        at: Point<'_, f64>,
        work: &mut EquationsWorkspace<f64>,
        inputs: &mut [f64],
    ) {
        let model = &*self.model;
        let (of_expressions, mut rest) = inputs.split_at_mut(self.inputs_of_expressions());
        if of_expressions.is_empty() {
            let (l, w) = (self.layout(), &mut work.mechanism);
            w.set_time(model, at.t);
            w.set_positions(model, &at.y[l.q.clone()]);
            w.set_velocities(model, &at.y[l.v.clone()]);
        } else {
            self.inputs_of_laws(at, work, of_expressions);
        }
        let scene = work.mechanism.known.scene(model);
        for (element, [count, _]) in elements(model) {
            let (own, behind) = rest.split_at_mut(count);
            element.piecewise_inputs(&scene, own);
            rest = behind;
        }
    }

    pub(super) fn values_of_pieces(
        &self,
        inputs: &[f64],
        discrete: &[f64],
        values: &mut [f64],
        pieces: &mut [u64],
    ) {
        let model = &*self.model;
        let sides = &discrete[discrete.len() - model.sides()..];
        let mut own = values.iter_mut().zip(pieces.iter_mut());
        let mut count = 0;
        for ((function, begin), (value, piece)) in expressions(model).zip(&mut own) {
            (*value, *piece) = function.evaluate_piece(&inputs[begin..], sides);
            count += 1;
        }
        forget_refusal();
        let (mut values, mut pieces) = (&mut values[count..], &mut pieces[count..]);
        let mut rest = &inputs[self.inputs_of_expressions()..];
        for (element, [wide, many]) in elements(model) {
            let (own, behind) = rest.split_at(wide);
            let (value, more) = values.split_at_mut(many);
            let (piece, others) = pieces.split_at_mut(many);
            element.piecewise_values(own, value, piece);
            (rest, values, pieces) = (behind, more, others);
        }
    }
}
