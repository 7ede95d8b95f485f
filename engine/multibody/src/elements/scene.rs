//! What elements see: frames in the world, coordinates, time; and where their loads go.

use crate::kinematics::world::{WorldNode, world_positions, world_velocities};
use crate::signal::Signal;
use crate::tree::{Attachment, Geometry, NodeKind, Tree};
use core::ops::{Deref, Range};
use holonom_algebra::{Orientation, Real, Vec3, Wrench};

/// The state of the mechanism as elements see it.
#[derive(Clone, Copy)]
pub struct Scene<'a, T: Real> {
    /// The spanning tree.
    pub tree: &'a Tree,
    /// Motion of all nodes in the ground's axes.
    pub world: &'a [WorldNode<T>],
    /// Positions.
    pub q: &'a [T],
    /// Velocities.
    pub v: &'a [T],
    /// Accelerations, where they have been given; empty stands for zero.
    pub a: &'a [T],
    /// [u, u̇, ü] of the prescribed coordinates.
    pub signals: &'a [[T; 3]],
    /// Time.
    pub t: T,
    /// Own states of all elements; empty where there are none.
    pub x: &'a [T],
    /// Own states of the element that is evaluated: its part of `x`.
    pub own: &'a [T],
    /// Multipliers of all rows by their number in [`Model::rows`](crate::model::Model::rows); zero
    /// for rows that do not take part, and where multipliers are not known. Read by elements that
    /// name their rows in [`ForceLaw::multipliers`](super::forces::ForceLaw::multipliers) only.
    pub lambda: &'a [T],
    /// The time, then the outputs of all controls by their number; empty where there are none.
    pub controls: &'a [T],
    /// The sides on which switches of expressions are kept, two numbers for each; empty where they follow their
    /// operands.
    pub sides: &'a [f64],
}

/// A frame in the world, everything in the ground's axes.
#[derive(Clone, Copy, Debug)]
pub struct FrameState<T: Real> {
    /// Orientation: the columns are the frame's axes.
    pub axes: T::Orientation,
    /// From the node's origin to the frame's.
    pub arm: Vec3<T>,
    /// Origin.
    pub origin: Vec3<T>,
    /// Angular velocity.
    pub omega: Vec3<T>,
    /// Velocity of the origin.
    pub velocity: Vec3<T>,
}

impl<'a, T: Real> Scene<'a, T> {
    /// The scene for the element whose own states are these of `x`.
    #[inline]
    pub fn of(&self, states: &Range<usize>) -> Scene<'a, T> {
        Scene {
            own: self.x.get(states.clone()).unwrap_or(&[]),
            ..*self
        }
    }

    /// The value of a function of time and its rate; that of controls is not known and left out.
    #[inline]
    pub fn value_and_rate(&self, signal: &Signal) -> [T; 2] {
        match signal {
            Signal::Expression(expression) if expression.variables().len() > 1 => {
                [self.value(signal), T::zero()]
            }
            Signal::Sum(parts) => {
                let mut sum = [T::zero(); 2];
                for part in parts {
                    let [value, rate] = self.value_and_rate(part);
                    sum[0] += value;
                    sum[1] += rate;
                }
                sum
            }
            Signal::Scaled(factor, signal) => self.value_and_rate(signal).map(|x| x * *factor),
            _ => {
                let [value, rate, _] = signal.evaluate(self.t);
                [value, rate]
            }
        }
    }

    /// The value of a function of time, which may name controls in a compiled model.
    #[inline]
    pub fn value(&self, signal: &Signal) -> T {
        match signal {
            Signal::Expression(expression) if expression.variables().len() > 1 => {
                expression.evaluate_on(self.controls, self.sides)
            }
            Signal::Sum(parts) => {
                let mut sum = T::zero();
                for part in parts {
                    sum += self.value(part);
                }
                sum
            }
            Signal::Scaled(factor, signal) => self.value(signal) * *factor,
            _ => signal.evaluate(self.t)[0],
        }
    }

    /// Position and velocity of a frame.
    #[inline]
    pub fn frame(&self, at: &Attachment) -> FrameState<T> {
        let node = &self.world[at.node];
        let arm = node.rotation.times_constant(at.frame.position);
        FrameState {
            axes: node.rotation.then_constant(&at.frame.rotation),
            arm,
            origin: node.position + arm,
            omega: node.omega,
            velocity: node.velocity + node.omega.cross(arm),
        }
    }

    /// Angular acceleration and acceleration of the origin of a frame (without gravity).
    #[inline]
    pub fn acceleration(&self, at: &Attachment) -> (Vec3<T>, Vec3<T>) {
        let node = &self.world[at.node];
        let arm = node.rotation.times_constant(at.frame.position);
        let carried = node.alpha.cross(arm) + node.omega.cross(node.omega.cross(arm));
        (node.alpha, node.acceleration + carried)
    }

    /// Value, rate and acceleration of the scalar coordinate of a node, free or prescribed.
    #[inline]
    pub fn coordinate(&self, node: usize) -> [T; 3] {
        let n = &self.tree.nodes[node];
        debug_assert!(n.kind != NodeKind::Ball);
        match n.prescribed {
            Some(s) => self.signals[s],
            None => [
                self.q[n.q],
                self.v[n.v],
                self.a.get(n.v).copied().unwrap_or(T::zero()),
            ],
        }
    }
}

/// A scene in which all nodes are placed in the ground's frame.
#[derive(Clone, Copy)]
pub struct Placed<'a, T: Real>(Scene<'a, T>);

/// A scene in which all nodes are placed and move in the ground's frame.
#[derive(Clone, Copy)]
pub struct Moving<'a, T: Real>(Placed<'a, T>);

impl<'a, T: Real> Placed<'a, T> {
    /// Places all nodes.
    pub fn new(scene: Scene<'a, T>, geometry: &[Geometry<T>], world: &'a mut [WorldNode<T>]) -> Self {
        world_positions(scene.tree, geometry, world);
        Self(Scene { world, ..scene })
    }

    /// A scene whose nodes have been placed.
    pub(crate) fn known(scene: Scene<'a, T>) -> Self {
        Self(scene)
    }
}

impl<'a, T: Real> Moving<'a, T> {
    /// Places and moves all nodes.
    pub fn new(scene: Scene<'a, T>, geometry: &[Geometry<T>], world: &'a mut [WorldNode<T>]) -> Self {
        world_positions(scene.tree, geometry, world);
        world_velocities(scene.tree, geometry, scene.signals, scene.v, world);
        Self(Placed(Scene { world, ..scene }))
    }

    /// A scene whose nodes have been placed and moved, for which the caller vouches.
    #[doc(hidden)]
    pub fn known(scene: Scene<'a, T>) -> Self {
        Self(Placed(scene))
    }
}

impl<'a, T: Real> Deref for Placed<'a, T> {
    type Target = Scene<'a, T>;

    fn deref(&self) -> &Scene<'a, T> {
        &self.0
    }
}

impl<'a, T: Real> Deref for Moving<'a, T> {
    type Target = Placed<'a, T>;

    fn deref(&self) -> &Placed<'a, T> {
        &self.0
    }
}

/// Where loads go: wrenches on nodes (about the node's origin, ground's axes) and generalised
/// forces on coordinates.
pub struct Loads<'a, T> {
    /// One per node.
    pub wrenches: &'a mut [Wrench<T>],
    /// One per velocity coordinate.
    pub generalised: &'a mut [T],
    /// One per prescribed coordinate, by the number of its signal: what its drive holds against.
    pub driven: &'a mut [T],
}

impl<T: Real> Loads<'_, T> {
    /// The same for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> Loads<'_, T> {
        Loads {
            wrenches: self.wrenches,
            generalised: self.generalised,
            driven: self.driven,
        }
    }

    /// Adds a force and a moment at the point `arm` away from the origin of a node.
    #[inline]
    pub fn add(&mut self, node: usize, arm: Vec3<T>, force: Vec3<T>, moment: Vec3<T>) {
        self.wrenches[node] += Wrench::new(moment + arm.cross(force), force);
    }

    /// Adds a generalised force on the scalar coordinate of a node. On a prescribed one it moves
    /// nothing; the drive that leads the coordinate carries it.
    #[inline]
    pub fn add_generalised(&mut self, tree: &Tree, node: usize, force: T) {
        *self.generalised_on(tree, node) += force;
    }

    /// The generalised force on the scalar coordinate of a node, free or prescribed.
    #[inline]
    pub fn generalised_on(&mut self, tree: &Tree, node: usize) -> &mut T {
        let n = &tree.nodes[node];
        match n.prescribed {
            Some(signal) => &mut self.driven[signal],
            None => &mut self.generalised[n.v],
        }
    }
}
