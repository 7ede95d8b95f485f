//! Derivatives of the forces of a single element, through the joints between its frames only.
//!
//! A load depends on the motion of the frames that its element reaches, f = f(R, p, ω, ṗ), and acts on the coordinates
//! that move one against the other. How a frame moves with a coordinate of its way is known in closed form: with the
//! axis φ, the slide s, the origin o of the joint and the motion (ω₀, ṗ₀) of the node before it,
//!
//! ```text
//! δp = φ × (p − o) + s,  δR = φ × R,  δω = φ × (ω − ω₀),
//! δṗ = ω₀ × δp + φ × (ṗ − ṗ₀ − ω₀ × (p − p₀))          by position,
//! δω = φ,  δṗ = φ × (p − o) + s                        by velocity.
//! ```
//! The law of the element is evaluated with dual numbers that begin there, and its loads are projected on axes that turn
//! along: exact, geometric stiffness included. The work is that of the law for every four coordinates that it reads, and
//! of coordinates read times coordinates acted on; the rest of the mechanism does not enter.

use super::DualMemory;
use crate::elements::forces::Reach;
use crate::kinematics::world::WorldNode;
use crate::model::Model;
use crate::tree::{NodeKind, Tree};
use crate::workspace::Workspace;
use holonom_algebra::{Dual8, DualOrientation, Orientation, Real, Vec3, Wrench};

/// Coordinates of an evaluation: each has a direction for its position and one for its velocity.
pub(super) const COLUMNS: usize = 4;

/// A velocity coordinate, with its joint.
#[derive(Clone, Copy, Debug)]
struct Freedom {
    v: usize,
    node: usize,
    /// Which of the axes of a node that turns freely.
    axis: usize,
}

/// One evaluation of one element.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    force: usize,
    /// What it is differentiated by.
    columns: Vec<Freedom>,
    /// What it acts on.
    rows: Vec<Freedom>,
    /// Nodes of its frames, or of its coordinates.
    nodes: Vec<usize>,
    /// It acts on coordinates, not on frames.
    by_coordinate: bool,
    /// Whether a column moves a node, columns × nodes.
    moves: Vec<bool>,
    /// Whether loads on a node act on a row, rows × nodes.
    carries: Vec<bool>,
    /// Whether a column moves the axis of a row, rows × columns.
    turns: Vec<bool>,
}

/// Whether `node` comes after `joint` on its way from the ground, or is its node.
fn is_moved(tree: &Tree, joint: usize, mut node: usize) -> bool {
    while node > joint {
        node = tree.nodes[node].parent;
    }
    node == joint
}

fn freedoms(tree: &Tree, nodes: &[usize]) -> Vec<Freedom> {
    let of = |&node: &usize| {
        let n = &tree.nodes[node];
        (0..n.n_v()).map(move |axis| Freedom {
            v: n.v + axis,
            node,
            axis,
        })
    };
    nodes.iter().flat_map(of).collect()
}

/// Axis and slide of a coordinate, in the ground's axes.
fn motion(tree: &Tree, world: &[WorldNode<f64>], at: &Freedom) -> (Vec3<f64>, Vec3<f64>) {
    let (node, rotation) = (&tree.nodes[at.node], &world[at.node].rotation);
    let nothing = Vec3::zero();
    match node.kind {
        NodeKind::Fixed | NodeKind::FixedTurned => (nothing, nothing),
        NodeKind::RevoluteX => (rotation.column(0), nothing),
        NodeKind::RevoluteY => (rotation.column(1), nothing),
        NodeKind::RevoluteZ | NodeKind::RevoluteTurned => (rotation.column(2), nothing),
        NodeKind::PrismaticX => (nothing, rotation.column(0)),
        NodeKind::PrismaticY => (nothing, rotation.column(1)),
        NodeKind::PrismaticZ | NodeKind::PrismaticTurned => (nothing, rotation.column(2)),
        NodeKind::Screw => {
            let axis = rotation.column(2);
            (axis, axis.scale(node.pitch))
        }
        NodeKind::Ball => (rotation.column(at.axis), nothing),
    }
}

/// Sets the derivative along a direction.
fn along(x: &mut Vec3<Dual8>, direction: usize, dx: Vec3<f64>) {
    for a in 0..3 {
        x[a] = x[a].with_derivative(direction, dx[a]);
    }
}

/// A node that does not move.
fn resting(world: &WorldNode<f64>) -> WorldNode<Dual8> {
    WorldNode {
        rotation: DualOrientation::constant(&world.rotation),
        position: Vec3::constant(world.position),
        omega: Vec3::constant(world.omega),
        velocity: Vec3::constant(world.velocity),
        alpha: Vec3::zero(),
        acceleration: Vec3::zero(),
    }
}

impl Piece {
    /// The evaluations of an element that `acts` on some nodes, by those `chosen` of the velocities it reads.
    pub fn all(model: &Model, force: usize, acts: &[usize], chosen: &dyn Fn(usize) -> bool) -> Vec<Self> {
        let tree = &model.tree;
        let reach = model.forces[force].element.reach();
        let mut nodes: Vec<usize> = reach.nodes().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let rows = freedoms(tree, acts);
        let read: Vec<Freedom> = rows.iter().copied().filter(|at| chosen(at.v)).collect();
        let piece = |columns: &[Freedom]| {
            let over = |from: &[Freedom], to: &[usize]| -> Vec<bool> {
                let pairs = from
                    .iter()
                    .flat_map(|at| to.iter().map(move |&node| (at.node, node)));
                pairs.map(|(joint, node)| is_moved(tree, joint, node)).collect()
            };
            let turns = rows.iter().flat_map(|row| {
                let by = |column: &Freedom| is_moved(tree, column.node, row.node);
                columns.iter().map(by).collect::<Vec<_>>()
            });
            Self {
                force,
                columns: columns.to_vec(),
                nodes: nodes.clone(),
                by_coordinate: matches!(reach, Reach::Coordinate(_) | Reach::Coordinates(_)),
                moves: over(columns, &nodes),
                carries: over(&rows, &nodes),
                turns: turns.collect(),
                rows: rows.clone(),
            }
        };
        read.chunks(COLUMNS).map(piece).collect()
    }

    /// Products of a row and a direction.
    pub fn projections(&self) -> usize {
        self.rows.len() * 2 * self.columns.len()
    }

    /// Adds its derivatives to (∂f/∂q) V and ∂f/∂v. `work` is at the state, with the time in `memory` too.
    pub fn add(
        &self,
        model: &Model,
        work: &Workspace<f64>,
        memory: &mut DualMemory,
        f_q: &mut [f64],
        f_v: &mut [f64],
    ) {
        let tree = &model.tree;
        let dual = &mut memory.work;
        dual.set_sides(&work.known.sides);
        for &node in &self.nodes {
            self.rest(tree, work, dual, node);
        }
        for (direction, at) in self.columns.iter().enumerate() {
            self.seed(tree, work, dual, direction, at);
        }
        let force = &model.forces[self.force];
        for k in force.states.clone() {
            dual.known.x[k] = Dual8::constant(work.known.x[k]);
        }
        for row in force.element.multipliers() {
            dual.known.lambda[row] = Dual8::constant(work.known.lambda[row]);
        }
        let (scene, mut loads) = dual.scene(model);
        force.element.evaluate(&scene.of(&force.states), &mut loads);
        let n = tree.n_v;
        for (i, row) in self.rows.iter().enumerate() {
            let f = if self.by_coordinate {
                dual.loads.generalised[row.v]
            } else {
                self.project(tree, work, dual, i, row) + dual.loads.generalised[row.v]
            };
            for (direction, column) in self.columns.iter().enumerate() {
                let place = column.v * n + row.v;
                f_q[place] += f.derivative(direction);
                f_v[place] += f.derivative(COLUMNS + direction);
            }
        }
    }

    /// A node without derivatives and without loads.
    fn rest(&self, tree: &Tree, work: &Workspace<f64>, dual: &mut Workspace<Dual8>, node: usize) {
        let n = &tree.nodes[node];
        for k in n.q..n.q + n.n_q() {
            dual.known.q[k] = Dual8::constant(work.known.q[k]);
        }
        for k in n.v..n.v + n.n_v() {
            dual.known.v[k] = Dual8::constant(work.known.v[k]);
        }
        if self.by_coordinate {
            if let Some(s) = n.prescribed {
                dual.known.signals[s] = work.known.signals[s].map(Dual8::constant);
            }
        } else {
            dual.known.world[node] = resting(&work.known.world[node]);
            dual.loads.wrenches[node] = Wrench::zero();
        }
        // What acts on coordinates does so on those that it reads.
        for row in &self.rows {
            dual.loads.generalised[row.v] = Dual8::constant(0.0);
        }
    }

    /// The derivatives that a column begins with.
    fn seed(
        &self,
        tree: &Tree,
        work: &Workspace<f64>,
        dual: &mut Workspace<Dual8>,
        direction: usize,
        at: &Freedom,
    ) {
        let by_velocity = COLUMNS + direction;
        let joint = &tree.nodes[at.node];
        if self.by_coordinate {
            dual.known.q[joint.q] = dual.known.q[joint.q].with_derivative(direction, 1.0);
            dual.known.v[at.v] = dual.known.v[at.v].with_derivative(by_velocity, 1.0);
            return;
        }
        let (axis, slide) = motion(tree, &work.known.world, at);
        let (origin, before) = (
            work.known.world[at.node].position,
            &work.known.world[joint.parent],
        );
        let moved = &self.moves[direction * self.nodes.len()..];
        for (&node, _) in self.nodes.iter().zip(moved).filter(|(_, moves)| **moves) {
            let (rest, moving) = (&work.known.world[node], &mut dual.known.world[node]);
            let position = axis.cross(rest.position - origin) + slide;
            along(&mut moving.position, direction, position);
            moving.rotation = moving.rotation.with_turn(direction, axis);
            along(
                &mut moving.omega,
                direction,
                axis.cross(rest.omega - before.omega),
            );
            let carried = before.velocity + before.omega.cross(rest.position - before.position);
            let velocity = before.omega.cross(position) + axis.cross(rest.velocity - carried);
            along(&mut moving.velocity, direction, velocity);
            along(&mut moving.omega, by_velocity, axis);
            along(&mut moving.velocity, by_velocity, position);
        }
    }

    /// The generalised force on row `i`: φ·(moment about o) + s·force, of all nodes that the joint carries.
    fn project(
        &self,
        tree: &Tree,
        work: &Workspace<f64>,
        dual: &Workspace<Dual8>,
        i: usize,
        row: &Freedom,
    ) -> Dual8 {
        let (axis0, slide0) = motion(tree, &work.known.world, row);
        let origin0 = work.known.world[row.node].position;
        let mut axis = Vec3::<Dual8>::constant(axis0);
        let mut slide = Vec3::<Dual8>::constant(slide0);
        let mut origin = Vec3::<Dual8>::constant(origin0);
        let turned = &self.turns[i * self.columns.len()..];
        for (direction, (column, turns)) in self.columns.iter().zip(turned).enumerate() {
            if !turns {
                continue;
            }
            let (by, by_slide) = motion(tree, &work.known.world, column);
            along(&mut axis, direction, by.cross(axis0));
            along(&mut slide, direction, by.cross(slide0));
            let from = origin0 - work.known.world[column.node].position;
            along(&mut origin, direction, by.cross(from) + by_slide);
        }
        let node = &tree.nodes[row.node];
        let slides = !node.kind.turns() || node.kind == NodeKind::Screw;
        let mut sum = Dual8::constant(0.0);
        let carried = &self.carries[i * self.nodes.len()..];
        for (&k, _) in self.nodes.iter().zip(carried).filter(|(_, carries)| **carries) {
            let load = &dual.loads.wrenches[k];
            if node.kind.turns() {
                let arm = dual.known.world[k].position - origin;
                sum += axis.dot(load.moment + arm.cross(load.force));
            }
            if slides {
                sum += slide.dot(load.force);
            }
        }
        sum
    }
}
