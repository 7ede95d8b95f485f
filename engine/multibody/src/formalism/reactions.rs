//! Reactions: what joints and constraints transmit at a given state of motion.
//!
//! Sign and axes are the same everywhere: the load **on the second frame's body** (`to`), at the
//! origin of the second frame, in the axes of the first (`from`); the opposite acts, at the same
//! point, on the first frame's body. Which way the spanning tree runs makes no difference. The load
//! is all that crosses the joint: also springs, motors, drivers and gears on its coordinates.
//! With the reactions of all joints and constraints cut free, every body obeys Newton and Euler
//! under its weight and the force elements between frames.

use super::observe::View;
use super::rnea::RneaNode;
pub use crate::elements::observable::ReactionElement;
use crate::elements::scene::Scene;
use crate::model::{JointPlace, Model};
use crate::tree::{Attachment, NodeKind, Tree};
use holonom_algebra::{Orientation, Real, Vec3, Wrench};

impl ReactionElement {
    /// All there are in a model: joints, then constraints and rods.
    pub fn all(model: &Model) -> Vec<Self> {
        let mut cut = vec![false; model.constraints.len()];
        for joint in &model.joints {
            if let JointPlace::Cut { constraint } = joint.place {
                cut[constraint] = true;
            }
        }
        let joints = (0..model.joints.len()).map(Self::Joint);
        let constraints = (0..model.constraints.len()).filter(|&c| !cut[c]);
        joints.chain(constraints.map(Self::Constraint)).collect()
    }

    /// Its name in the model.
    pub fn name(self, model: &Model) -> &str {
        match self {
            Self::Joint(j) => &model.joints[j].name,
            Self::Constraint(c) => &model.constraints[c].name,
        }
    }

    /// First and second frame; none for constraints on coordinates.
    pub fn sides(self, model: &Model) -> Option<[Attachment; 2]> {
        match self {
            Self::Joint(j) => Some([model.joints[j].from, model.joints[j].to]),
            Self::Constraint(c) => model.constraints[c].element.sides(),
        }
    }

    /// The load it transmits; the loads that cross the nodes and the multipliers must be known.
    pub(crate) fn load<T: Real>(self, view: &mut View<'_, T>) -> ReactionLoad<T> {
        let model = view.model;
        let (constraint, [from, to]) = match self {
            Self::Joint(j) => {
                let joint = &model.joints[j];
                match &joint.place {
                    JointPlace::Tree { nodes, reversed } => {
                        return ReactionLoad::Wrench(transmitted(view, joint, nodes.end - 1, *reversed));
                    }
                    JointPlace::Cut { constraint } => (*constraint, [joint.from, joint.to]),
                }
            }
            Self::Constraint(c) => match model.constraints[c].element.sides() {
                Some(sides) => (c, sides),
                // M v̇ = f − Gᵀλ.
                None => return ReactionLoad::Generalised(-view.multipliers[model.constraints[c].rows.start]),
            },
        };
        let c = &model.constraints[constraint];
        let directions = &mut view.directions[..c.rows.len()];
        let point = c.element.directions(&view.scene, directions);
        let mut sum = Wrench::zero();
        for (direction, multiplier) in directions.iter().zip(&view.multipliers[c.rows.clone()]) {
            sum += direction.scale(-*multiplier);
        }
        let Some(point) = point else {
            return ReactionLoad::Generalised(T::zero());
        };
        ReactionLoad::Wrench(seen(&view.scene, &from, &to, point, &sum))
    }
}

/// What is transmitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReactionLoad<T = f64> {
    /// Force (N) and moment (N m) on the second frame's body, at the second frame's origin, in the
    /// axes of the first frame.
    Wrench(Wrench<T>),
    /// Force or torque −λ of a constraint on coordinates: each coordinate feels it times its
    /// factor in the constraint. Of a driver, the force or torque of the drive.
    Generalised(T),
}

/// A reaction at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// Name of the joint or constraint.
    pub name: String,
    /// What it belongs to.
    pub element: ReactionElement,
    /// What is transmitted.
    pub load: ReactionLoad,
    /// Whether the load follows from the motion, by component: force x, y, z, moment x, y, z; one
    /// entry for a constraint on coordinates. Where it does not, because constraints say the same
    /// thing twice, the value is one of many.
    pub unique: Vec<bool>,
}

/// The state of motion for which reactions are asked.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Accelerations v̇.
    pub a: &'a [f64],
    /// Own states of elements.
    pub x: &'a [f64],
    /// Multipliers of the active rows.
    pub lambda: &'a [f64],
}

/// The force or torque by which the prescribed coordinate of a node is led: what crosses the node along
/// its motion less what elements put on the coordinate. As the coordinate runs from the first frame to the
/// second, whichever way the tree runs, so does the drive.
pub(crate) fn drive<T: Real>(tree: &Tree, crossing: &[RneaNode<T>], driven: &[T], node: usize) -> T {
    use NodeKind as K;
    let Wrench { moment, force } = crossing[node].load;
    let n = &tree.nodes[node];
    let along = match n.kind {
        K::RevoluteX => moment[0],
        K::RevoluteY => moment[1],
        K::RevoluteZ | K::RevoluteTurned => moment[2],
        K::PrismaticX => force[0],
        K::PrismaticY => force[1],
        K::PrismaticZ | K::PrismaticTurned => force[2],
        K::Screw => moment[2] + force[2] * n.pitch,
        // Prescribed coordinates are scalars.
        K::Fixed | K::FixedTurned | K::Ball => T::zero(),
    };
    let put_on = n.prescribed.and_then(|signal| driven.get(signal));
    along - put_on.copied().unwrap_or(T::zero())
}

/// The load on the second frame's body through a tree joint whose last node is `tip`.
fn transmitted<T: Real>(
    view: &View<'_, T>,
    joint: &crate::model::ModelJoint,
    tip: usize,
    reversed: bool,
) -> Wrench<T> {
    let node = &view.scene.world[tip];
    // What the tree's inner side does to its outer side, at the node's origin in its axes.
    let load = &view.crossing[tip].load;
    let sign = T::constant(if reversed { -1.0 } else { 1.0 });
    let outer = Wrench::new(
        node.rotation.times(load.moment).scale(sign),
        node.rotation.times(load.force).scale(sign),
    );
    seen(&view.scene, &joint.from, &joint.to, node.position, &outer)
}

/// A load given at a point in the ground's axes, at the second origin in the axes of the first frame.
fn seen<T: Real>(
    scene: &Scene<T>,
    from: &Attachment,
    to: &Attachment,
    point: Vec3<T>,
    load: &Wrench<T>,
) -> Wrench<T> {
    let node = &scene.world[to.node];
    let origin = node.position + node.rotation.times_constant(to.frame.position);
    let axes = scene.world[from.node]
        .rotation
        .then_constant(&from.frame.rotation);
    let moment = load.moment + (point - origin).cross(load.force);
    Wrench::new(axes.transpose_times(moment), axes.transpose_times(load.force))
}
