//! Composite bodies: the mass matrix in O(N d), with d the depth of the tree.
//!
//! Inertias are collected in the axes of the nodes, where they are cheap to carry. The loads
//! I S and the motions S are then expressed in the axes of the ground about one point, so that
//! an entry S · I S of the matrix is a product of six numbers and nothing is carried from node to
//! node for it. The point is the first on the way that turns: far from the ground's origin
//! nothing is lost by cancellation, and motions before it are slides, which need no point.

use crate::kinematics::freedom::{Freedom, by_kind};
use crate::kinematics::world::turned_offset;
use crate::tree::{Geometry, Tree};
use holonom_algebra::{Composite, Inertia, Mat3, Orientation, Oriented, Real, Twist, Vec3};

/// Memory of the recursion.
#[derive(Clone, Debug)]
pub struct CrbaWork<T: Real> {
    /// One entry per node.
    nodes: Vec<CrbaNode<T>>,
    /// S in the axes of the ground, one column per velocity.
    motions: Vec<Twist<T>>,
}

#[derive(Clone, Debug)]
struct CrbaNode<T: Real> {
    /// Inertia of the node and all beyond it, node axes.
    composite: Composite<T>,
    /// Node axes to those of the ground.
    rotation: T::Orientation,
    /// Origin, seen from the first node on the way that turns, in the axes of the ground.
    position: Vec3<T>,
    /// Whether it or something below turns.
    turns: bool,
}

impl<T: Real> CrbaWork<T> {
    /// Memory for a tree.
    pub fn new(tree: &Tree) -> Self {
        let node = CrbaNode {
            composite: Composite::new(&Inertia::zero()),
            rotation: T::Orientation::constant(&Mat3::identity()),
            position: Vec3::zero(),
            turns: false,
        };
        let mut nodes = vec![node; tree.nodes.len()];
        for i in 1..nodes.len() {
            let node = &tree.nodes[i];
            nodes[i].turns = node.kind.turns() || nodes[node.parent].turns;
        }
        Self {
            nodes,
            motions: vec![Twist::zero(); tree.n_v],
        }
    }
}

/// Fills the lower triangle of M (column by column, n_v × n_v); entries of coordinates that do
/// not support each other are left as they are, which should be zero.
pub fn crba<T: Real>(tree: &Tree, geometry: &[Geometry<T>], work: &mut CrbaWork<T>, mass: &mut [T]) {
    let n = tree.n_v;
    let CrbaWork { nodes, motions } = work;
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1) {
        let (before, from) = nodes.split_at_mut(i);
        let (parent, w) = (&before[node.parent], &mut from[0]);
        by_kind!(T, *node, *g, |r, _p, f| {
            w.rotation = Oriented::<T>::after(&r, &parent.rotation);
            if parent.turns {
                w.position = parent.position + turned_offset(node, g, &parent.rotation);
            }
            if node.prescribed.is_none() {
                f.columns(&w.rotation, &w.position, &mut motions[node.v..]);
            }
        });
        w.composite = Composite::new(&node.inertia);
    }
    for (i, (node, g)) in tree.nodes.iter().zip(geometry).enumerate().skip(1).rev() {
        let (before, from) = nodes.split_at_mut(i);
        let (parent, w) = (&mut before[node.parent], &from[0]);
        by_kind!(T, *node, *g, |r, p, f| {
            if node.parent != 0 {
                parent.composite.add(&w.composite.to_parent(&r, p));
            }
            if node.prescribed.is_none() {
                for k in 0..size::<T, _>(&f) {
                    // What accelerates everything beyond along coordinate k.
                    let load = f
                        .composite_load(&w.composite, k)
                        .to_parent(&w.rotation, w.position);
                    let row = node.v + k;
                    let mut column = row;
                    while let Some(motion) = motions.get(column) {
                        mass[column * n + row] = motion.power(&load);
                        column = tree.below[column];
                    }
                }
            }
        });
    }
}

/// Number of velocities.
#[inline(always)]
pub(super) fn size<T: Real, F: Freedom<T>>(_: &F) -> usize {
    F::N
}
