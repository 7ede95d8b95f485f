//! What joints and constraints transmit at a state of motion.

use super::Workspace;
use crate::formalism::reactions::{Motion, Reaction, ReactionElement, ReactionLoad};
use crate::model::Model;

impl Workspace<f64> {
    /// All reactions, in the order of [`ReactionElement::all`], with what sensors read as the workspace has
    /// it. Rows that are not `active` transmit nothing. All components are marked unique; who knows the dependent rows
    /// corrects it.
    pub fn reactions(&mut self, model: &Model, active: &[usize], motion: &Motion<'_>) -> Vec<Reaction> {
        self.set_time(model, motion.t);
        self.set_positions(model, motion.q);
        self.set_velocities(model, motion.v);
        self.show_motion(model);
        self.set_states(motion.x);
        self.set_multipliers(model, active, motion.lambda);
        self.clear_loads();
        self.add_forces(model);
        self.add_multipliers(model, active, motion.lambda, -1.0);
        let mut rest = vec![0.0; model.tree.n_v];
        self.newton_euler(model, motion.a, &mut rest);
        let mut multipliers = vec![0.0; model.rows.len()];
        for (&row, &l) in active.iter().zip(motion.lambda) {
            multipliers[row] = l;
        }
        let mut view = self.view(model, Some(&multipliers));
        let reaction = |element: ReactionElement| {
            let load = element.load(&mut view);
            let components = match load {
                ReactionLoad::Wrench(_) => 6,
                ReactionLoad::Generalised(_) => 1,
            };
            Reaction {
                name: element.name(model).to_owned(),
                element,
                load,
                unique: vec![true; components],
            }
        };
        ReactionElement::all(model).into_iter().map(reaction).collect()
    }
}
