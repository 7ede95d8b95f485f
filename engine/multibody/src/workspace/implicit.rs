//! Explicit accelerations of scalars that carry derivatives: see [`implicit`].

use super::Workspace;
use crate::formalism::{cholesky, implicit, rnea};
use crate::model::Model;
use crate::tree::{Geometry, Node, NodeKind};
use holonom_algebra::{Orientation, PlaneTurn, Real, Wrench};
use holonom_dae::Rejection;

/// The plain evaluation behind accelerations with derivatives.
#[derive(Clone, Debug)]
pub(super) struct Values<T: Real> {
    mechanism: Workspace<f64>,
    /// Dense M, where rods couple branches of the tree.
    factor: Vec<f64>,
    /// Accelerations.
    a: Vec<f64>,
    /// The same as constants.
    held: Vec<T>,
}

impl<T: Real> Values<T> {
    /// Allocates for a model.
    pub fn new(model: &Model) -> Self {
        let n = model.tree.n_v;
        Self {
            mechanism: Workspace::new(model),
            factor: vec![0.0; if model.rods.is_empty() { 0 } else { n * n }],
            a: vec![0.0; n],
            held: vec![T::zero(); n],
        }
    }

    /// Takes over the values of what accelerations depend on: the state and the loads.
    fn take_over(&mut self, model: &Model, from: &Workspace<T>) {
        let to = &mut self.mechanism;
        let plain = |from: &[T], to: &mut [f64]| {
            for (to, from) in to.iter_mut().zip(from) {
                *to = from.value();
            }
        };
        for (to, from) in to.known.signals.iter_mut().zip(&from.known.signals) {
            plain(from, to);
        }
        plain(&from.known.v, &mut to.known.v);
        plain(&from.loads.generalised, &mut to.loads.generalised);
        let nodes = model.tree.nodes.iter().zip(&from.known.geometry);
        for (to, (node, from)) in to.known.geometry.iter_mut().zip(nodes).skip(1) {
            take_over_geometry(node, from, to);
        }
        if !model.needs_world {
            return;
        }
        for (to, from) in to.loads.wrenches.iter_mut().zip(&from.loads.wrenches) {
            *to = Wrench::new(from.moment.value(), from.force.value());
        }
        for (to, from) in to.known.world.iter_mut().zip(&from.known.world) {
            to.rotation = from.rotation.value();
        }
        if !model.rods.is_empty() {
            for (to, from) in to.known.world.iter_mut().zip(&from.known.world) {
                to.position = from.position.value();
                to.omega = from.omega.value();
                to.velocity = from.velocity.value();
            }
        }
    }
}

/// Takes over what moves of the geometry of a node.
#[inline(always)]
fn take_over_geometry<T: Real>(node: &Node, from: &Geometry<T>, to: &mut Geometry<f64>) {
    use NodeKind::{Ball, RevoluteTurned, Screw};
    if matches!(node.kind, RevoluteTurned | Ball | Screw) || node.prescribed.is_some() {
        to.rotation = from.rotation.value();
    }
    if matches!(
        node.kind,
        NodeKind::RevoluteX | NodeKind::RevoluteY | NodeKind::RevoluteZ
    ) {
        to.turn = from.turn.value();
    }
    if node.kind.slides() {
        to.offset = from.offset.value();
    }
}

impl<T: Real> Workspace<T> {
    /// out := M⁻¹ f for the loads given so far, with values from the plain evaluation to the bit.
    pub(super) fn explicit_by_values(
        &mut self,
        values: &mut Values<T>,
        model: &Model,
        out: &mut [T],
    ) -> Result<(), Rejection> {
        values.take_over(model, self);
        values
            .mechanism
            .explicit(model, &mut values.factor, &mut values.a)?;
        for (held, a) in values.held.iter_mut().zip(&values.a) {
            *held = T::constant(*a);
        }
        if model.rods.is_empty() {
            let (tree, loaded) = (&model.tree, model.needs_world);
            if loaded {
                self.loads.turn(&self.known.world);
            }
            let applied = loaded.then_some(self.loads.applied.as_slice());
            let (geometry, work, plain) = (&self.known.geometry, &mut self.rnea, &values.mechanism);
            rnea::loads(
                tree,
                geometry,
                &self.known.signals,
                &self.known.v,
                &values.held,
                applied,
                work,
            );
            let tau = &self.loads.generalised;
            implicit::slopes(tree, geometry, &plain.known.geometry, &plain.aba, tau, work, out);
        } else {
            self.newton_euler(model, &values.held, out);
            cholesky::solve(&values.factor, model.tree.n_v, out);
            out.iter_mut().for_each(|x| *x = -*x);
        }
        for (out, a) in out.iter_mut().zip(&values.a) {
            *out = out.with_value(*a);
        }
        Ok(())
    }
}
