//! Reactions: what joints and constraints transmit at a given state of motion.
//!
//! Sign and axes are the same everywhere: the load **on the second frame's body** (`to`), at the
//! origin of the second frame, in the axes of the first (`from`); the opposite acts, at the same
//! point, on the first frame's body. Which way the spanning tree runs makes no difference. The load
//! is all that crosses the joint: also springs, motors, drivers and gears on its coordinates.
//! With the reactions of all joints and constraints cut free, every body obeys Newton and Euler
//! under its weight and the force elements between frames.

use crate::kinematics::world::{world_positions, world_velocities};
use crate::model::{JointPlace, Model};
use crate::tree::Attachment;
use crate::tree::NodeKind;
use crate::workspace::Workspace;
use holonom_algebra::{Orientation, Real, Vec3, Wrench};

/// What a reaction belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReactionElement {
    /// A joint, in the tree or cut: number in [`Model::joints`].
    Joint(usize),
    /// A constraint that is no cut joint: number in [`Model::constraints`].
    Constraint(usize),
}

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

    /// The load it transmits, from the Newton–Euler loads in `work` and the multipliers of all rows.
    pub(crate) fn load<T: Real>(
        self,
        model: &Model,
        work: &mut Workspace<T>,
        multipliers: &[T],
    ) -> ReactionLoad<T> {
        let (constraint, [from, to]) = match self {
            Self::Joint(j) => {
                let joint = &model.joints[j];
                match &joint.place {
                    JointPlace::Tree { nodes, reversed } => {
                        return ReactionLoad::Wrench(transmitted(work, joint, nodes.end - 1, *reversed));
                    }
                    JointPlace::Cut { constraint } => (*constraint, [joint.from, joint.to]),
                }
            }
            Self::Constraint(c) => match model.constraints[c].element.sides() {
                Some(sides) => (c, sides),
                // M v̇ = f − Gᵀλ.
                None => return ReactionLoad::Generalised(-multipliers[model.constraints[c].rows.start]),
            },
        };
        let c = &model.constraints[constraint];
        // The workspace has room for the largest constraint: nothing is allocated.
        let mut directions = std::mem::take(&mut work.directions);
        let (scene, _, _) = work.scene(model);
        let point = c.element.directions(&scene, &mut directions[..c.rows.len()]);
        let mut sum = Wrench::zero();
        for (direction, multiplier) in directions.iter().zip(&multipliers[c.rows.clone()]) {
            sum += direction.scale(-*multiplier);
        }
        work.directions = directions;
        let Some(point) = point else {
            return ReactionLoad::Generalised(T::zero());
        };
        ReactionLoad::Wrench(seen(work, &from, &to, point, &sum))
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

/// All reactions, in the order of [`ReactionElement::all`], with what sensors read as the workspace has
/// it. Rows that are not `active` transmit nothing. All components are marked unique; who knows the dependent rows corrects it.
pub fn reactions(
    model: &Model,
    work: &mut Workspace<f64>,
    active: &[usize],
    motion: &Motion<'_>,
) -> Vec<Reaction> {
    place(model, work, motion.t, motion.q);
    work.set_velocities(model, motion.v);
    world_velocities(
        &model.tree,
        &work.geometry,
        &work.signals,
        motion.v,
        &mut work.world,
    );
    work.set_states(motion.x);
    work.set_multipliers(model, active, motion.lambda);
    work.clear_loads();
    work.add_forces(model);
    work.add_multipliers(model, active, motion.lambda, -1.0);
    let mut rest = vec![0.0; model.tree.n_v];
    work.newton_euler(model, motion.a, &mut rest);
    let mut multipliers = vec![0.0; model.rows.len()];
    for (&row, &l) in active.iter().zip(motion.lambda) {
        multipliers[row] = l;
    }
    let reaction = |element: ReactionElement| {
        let load = element.load(model, work, &multipliers);
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

/// Places all nodes, also in the ground's frame when no element needs that.
pub(crate) fn place(model: &Model, work: &mut Workspace<f64>, t: f64, q: &[f64]) {
    work.set_time(model, t);
    work.set_positions(model, q);
    if !model.needs_world {
        world_positions(&model.tree, &work.geometry, &mut work.world);
    }
}

/// The force or torque by which the prescribed coordinate of a node is led: what crosses the node along
/// its motion less what elements put on the coordinate. As the coordinate runs from the first frame to the
/// second, whichever way the tree runs, so does the drive.
pub(crate) fn drive<T: Real>(model: &Model, work: &Workspace<T>, node: usize) -> T {
    use NodeKind as K;
    let Wrench { moment, force } = work.rnea[node].load;
    let n = &model.tree.nodes[node];
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
    let put_on = n.prescribed.and_then(|signal| work.driven.get(signal));
    along - put_on.copied().unwrap_or(T::zero())
}

/// The load on the second frame's body through a tree joint whose last node is `tip`.
fn transmitted<T: Real>(
    work: &Workspace<T>,
    joint: &crate::model::ModelJoint,
    tip: usize,
    reversed: bool,
) -> Wrench<T> {
    let node = &work.world[tip];
    // What the tree's inner side does to its outer side, at the node's origin in its axes.
    let load = &work.rnea[tip].load;
    let sign = T::constant(if reversed { -1.0 } else { 1.0 });
    let outer = Wrench::new(
        node.rotation.times(load.moment).scale(sign),
        node.rotation.times(load.force).scale(sign),
    );
    seen(work, &joint.from, &joint.to, node.position, &outer)
}

/// A load given at a point in the ground's axes, at the second origin in the axes of the first frame.
fn seen<T: Real>(
    work: &Workspace<T>,
    from: &Attachment,
    to: &Attachment,
    point: Vec3<T>,
    load: &Wrench<T>,
) -> Wrench<T> {
    let node = &work.world[to.node];
    let origin = node.position + node.rotation.times_constant(to.frame.position);
    let axes = work.world[from.node].rotation.then_constant(&from.frame.rotation);
    let moment = load.moment + (point - origin).cross(load.force);
    Wrench::new(axes.transpose_times(moment), axes.transpose_times(load.force))
}
