//! [`NodeLoads`]: what elements do to nodes and coordinates.

use crate::elements::scene::Loads;
use crate::kinematics::world::WorldNode;
use crate::model::Model;
use holonom_algebra::{Orientation, Real, Wrench};

/// Loads of elements.
#[derive(Clone, Debug)]
pub struct NodeLoads<T> {
    /// Wrenches on nodes, about their origins, ground's axes; they stay zero when no element needs
    /// the world.
    pub wrenches: Vec<Wrench<T>>,
    /// Generalised forces on coordinates.
    pub generalised: Vec<T>,
    /// The same on prescribed coordinates, by their signals.
    pub driven: Vec<T>,
    /// The wrenches in the axes of the nodes, filled by `turn`.
    pub(super) applied: Vec<Wrench<T>>,
    /// Whether elements put wrenches on nodes.
    loaded: bool,
}

impl<T: Real> NodeLoads<T> {
    pub(super) fn new(model: &Model) -> Self {
        let n = model.tree.nodes.len();
        Self {
            wrenches: vec![Wrench::zero(); n],
            generalised: vec![T::zero(); model.tree.n_v],
            driven: vec![T::zero(); model.tree.n_signals],
            applied: vec![Wrench::zero(); n],
            loaded: model.needs_world,
        }
    }

    /// Where elements put their loads.
    #[inline]
    pub fn targets(&mut self) -> Loads<'_, T> {
        Loads {
            wrenches: &mut self.wrenches,
            generalised: &mut self.generalised,
            driven: &mut self.driven,
        }
    }

    pub(super) fn clear(&mut self) {
        if self.loaded {
            self.wrenches.fill(Wrench::zero());
        }
        self.generalised.fill(T::zero());
        self.driven.fill(T::zero());
    }

    /// Turns the wrenches into the axes of the nodes.
    pub(super) fn turn(&mut self, world: &[WorldNode<T>]) {
        for ((a, w), node) in self.applied.iter_mut().zip(&self.wrenches).zip(world).skip(1) {
            *a = Wrench::new(
                node.rotation.transpose_times(w.moment),
                node.rotation.transpose_times(w.force),
            );
        }
    }
}
