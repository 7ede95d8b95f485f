//! Observables: when they are known, what they depend on, and their values.

use super::depends::{Depends, Reads, constraint_nodes, support};
use super::energy;
use super::reactions::{ReactionLoad, drive};
use super::rnea::RneaNode;
use crate::description::Input;
use crate::elements::constraints::ConstraintElement;
use crate::elements::constraints::ConstraintLaw as _;
use crate::elements::constraints::relative::Relative;
use crate::elements::forces::seen;
use crate::elements::joints::coordinates;
use crate::elements::scene::{Loads, Moving, Placed, Scene};
use crate::model::{JointPlace, Model};
use crate::observable::{FrameQuantity, Observable, Observed, Stage, TimeFunction};
use crate::signal::Signal;
use crate::tree::Attachment;
use holonom_algebra::{Mat3, Orientation, Pose, Quaternion, Real, Vec3, Wrench};

/// Values of an observable at most.
pub(crate) const LARGEST: usize = seen::VALUES;

/// A mechanism at an instant, as far as it is known.
pub(crate) struct View<'a, T: Real> {
    pub model: &'a Model,
    /// Functions of time besides those of the model.
    pub inputs: &'a [Input],
    pub scene: Scene<'a, T>,
    /// Used meanwhile and left as they were.
    pub loads: Loads<'a, T>,
    /// Multipliers of all rows, zero for those that do not take part.
    pub multipliers: &'a [T],
    /// The loads that cross the nodes.
    pub crossing: &'a [RneaNode<T>],
    /// Memory for the directions of the rows of one constraint.
    pub directions: &'a mut [Wrench<T>],
}

impl Observable {
    /// When it is known.
    pub fn stage(&self, model: &Model) -> Stage {
        use FrameQuantity as F;
        // Controls may depend on multipliers, or on what sensors read of accelerations.
        let late = model.needs_lambda || !model.readings.is_empty();
        let controls = if late {
            Stage::Acceleration
        } else {
            Stage::Velocity
        };
        let by_order = |order: usize| [Stage::Position, Stage::Velocity, Stage::Acceleration][order.min(2)];
        match self {
            Self::Constant(_)
            | Self::Ball { .. }
            | Self::Orientation { .. }
            | Self::State { .. }
            | Self::Time(_) => Stage::Position,
            Self::Force { force } | Self::Power { force } => {
                let force = &model.forces[*force];
                let through = late && !force.controls.is_empty();
                match through || !force.element.multipliers().is_empty() {
                    true => Stage::Acceleration,
                    false => Stage::Velocity,
                }
            }
            Self::Stored { force } => match model.forces[*force].controls.is_empty() {
                true => Stage::Position,
                false => controls,
            },
            Self::Energy if model.forces.iter().any(|f| !f.controls.is_empty()) => controls,
            Self::Control { .. } => controls,
            Self::Energy | Self::Momentum => Stage::Velocity,
            Self::Coordinate { order, .. }
            | Self::CutCoordinate { order, .. }
            | Self::Spin { order, .. }
            | Self::Gap { order, .. }
            | Self::Clearance { order, .. }
            | Self::LargestGap { order } => by_order(*order),
            Self::Frame { quantity, .. } => match quantity {
                F::Position | F::Orientation => Stage::Position,
                F::Velocity | F::AngularVelocity => Stage::Velocity,
                F::Acceleration | F::AngularAcceleration => Stage::Acceleration,
            },
            Self::Multiplier { .. } | Self::Contact { .. } => Stage::Acceleration,
            Self::Reaction(_) | Self::Drive { .. } => Stage::Reaction,
        }
    }

    /// Whether sensors evaluate it where they are. Otherwise it is an unknown of the equations for them: what
    /// follows from accelerations or from multipliers, or belongs to the whole mechanism, see
    /// [`ModelReading`](crate::model::ModelReading).
    pub(crate) fn is_direct(&self, model: &Model) -> bool {
        match self {
            Self::Multiplier { .. }
            | Self::State { .. }
            | Self::Control { .. }
            | Self::Force { .. }
            | Self::Power { .. }
            | Self::Stored { .. } => true,
            Self::Energy | Self::Momentum | Self::LargestGap { .. } => false,
            _ => self.stage(model) <= Stage::Velocity,
        }
    }

    /// Whether its value at a place is a component in the ground's axes.
    pub(crate) fn is_in_ground_axes(&self, place: usize) -> bool {
        match self {
            Self::Frame { .. } | Self::Momentum => true,
            Self::Force { .. } => place < seen::SCALARS,
            _ => false,
        }
    }

    /// Whether it needs nodes in the ground's frame.
    pub(crate) fn needs_world(&self) -> bool {
        !matches!(
            self,
            Self::Constant(_)
                | Self::Coordinate { .. }
                | Self::Ball { .. }
                | Self::Multiplier { .. }
                | Self::State { .. }
                | Self::Control { .. }
                | Self::Time(_)
        )
    }

    /// Whether it depends on multipliers when accelerations are given.
    pub(crate) fn needs_multipliers(&self) -> bool {
        matches!(
            self,
            Self::Multiplier { .. } | Self::Contact { .. } | Self::Reaction(_) | Self::Drive { .. }
        )
    }

    /// The function of time that it is.
    pub(crate) fn time_function<'a>(&self, model: &'a Model, inputs: &'a [Input]) -> Option<&'a Signal> {
        match *self {
            Self::Time(TimeFunction::Prescribed(signal)) => model.signals.get(signal),
            Self::Time(TimeFunction::Followed(constraint)) => model.constraints[constraint].element.signal(),
            Self::Time(TimeFunction::Input(input)) => inputs.get(input).map(|input| &input.signal),
            _ => None,
        }
    }
}

impl Observed {
    /// What it depends on; `outputs` is what the outputs of controls do, of those that it reads at least.
    pub(crate) fn depends(&self, model: &Model, outputs: &[Reads]) -> Depends {
        let mut d = Depends::default();
        let all = || 1..model.tree.nodes.len();
        let mut nodes = Vec::new();
        match &self.observable {
            Observable::Constant(_) | Observable::Time(_) => {}
            Observable::Coordinate { node, .. } | Observable::Ball { node, .. } => nodes.push(*node),
            Observable::CutCoordinate { joint, .. }
            | Observable::Orientation { joint }
            | Observable::Spin { joint, .. } => {
                let [from, to] = joint_frames(model, *joint);
                nodes = super::depends::between(model, from.node, to.node);
            }
            Observable::Frame { body, marker, .. } => {
                nodes = support(model, frame_of(model, *body, *marker).node);
            }
            Observable::Reaction(element) => d.reaction(model, *element, outputs),
            Observable::Drive { node } => {
                d.reads.nodes.extend(support(model, *node));
                d.through(model, *node, outputs);
                // What constraints put on the coordinate.
                for constraint in &model.constraints {
                    if let ConstraintElement::Coordinates(sum) = &constraint.element
                        && sum.terms.iter().any(|term| term.0 == *node)
                    {
                        d.reads.rows.extend(constraint.rows.clone());
                    }
                }
            }
            Observable::Multiplier { row, .. } | Observable::Contact { row } => {
                d.reads.rows.insert(*row);
            }
            Observable::Force { force } if !self.observable.is_in_ground_axes(self.place) => {
                d.reads
                    .add(&Reads::of_force(model, &model.forces[*force], outputs));
            }
            // Where nothing reacts, the work of a load depends on the way in the ground's frame.
            Observable::Force { force } | Observable::Power { force } | Observable::Stored { force } => {
                d.force(model, &model.forces[*force], outputs);
            }
            Observable::State { state } => {
                d.reads.states.insert(*state);
            }
            Observable::Control { control } => d.reads.add(&outputs[*control]),
            Observable::Energy => {
                for force in &model.forces {
                    d.force(model, force, outputs);
                }
                nodes.extend(all());
            }
            Observable::Momentum => nodes.extend(all()),
            Observable::Gap { constraint, .. } => {
                nodes = constraint_nodes(model, &model.constraints[*constraint].element);
            }
            Observable::Clearance { impact, .. } => {
                nodes = super::depends::between(model, impact.plane.node, impact.body.node);
            }
            Observable::LargestGap { .. } => {
                let constraints = model.constraints.iter();
                nodes.extend(constraints.flat_map(|c| constraint_nodes(model, &c.element)));
            }
        }
        if self.observable.stage(model) >= Stage::Acceleration {
            d.accelerations.extend(&nodes);
        }
        d.reads.nodes.extend(nodes);
        if let Some(axes) = &self.axes {
            d.reads.nodes.extend(support(model, axes.node));
        }
        d
    }

    /// The value.
    pub(crate) fn value<T: Real>(&self, view: &mut View<'_, T>) -> T {
        let mut values = [T::zero(); LARGEST];
        view.evaluate(&self.observable, &mut values);
        self.of_values(view, &values)
    }

    /// The value, from all values of the observable.
    pub(crate) fn of_values<T: Real>(&self, view: &View<'_, T>, values: &[T]) -> T {
        let Some(axes) = &self.axes else {
            return values[self.place];
        };
        if let Observable::Frame {
            body,
            marker,
            quantity: FrameQuantity::Orientation,
        } = self.observable
        {
            let at = frame_of(view.model, body, marker);
            let [first, second] = [axes, &at].map(|frame| view.scene.frame(frame).axes);
            return euler(&first.relative(&second).to_matrix().0)[self.place];
        }
        let first = self.place - self.place % 3;
        let mut vector = Vec3([values[first], values[first + 1], values[first + 2]]);
        if let Observable::Frame {
            quantity: FrameQuantity::Position,
            ..
        } = self.observable
        {
            vector -= view.scene.frame(axes).origin;
        }
        along(&view.scene, axes, self.place % 3, vector)
    }
}

impl<T: Real> View<'_, T> {
    /// Fills the values of an observable, which must be known by now.
    pub fn evaluate(&mut self, observable: &Observable, out: &mut [T]) {
        let (model, scene) = (self.model, &self.scene);
        let relative = |joint: usize| {
            let [from, to] = joint_frames(model, joint);
            Relative::new(scene, from, to)
        };
        match observable {
            Observable::Constant(value) => out[0] = T::constant(*value),
            Observable::Coordinate { node, order } => out[0] = scene.coordinate(*node)[*order],
            Observable::CutCoordinate { joint, index, order } => {
                let kind = model.joints[*joint].kind;
                out[0] = kind.coordinate(*index, *order, &relative(*joint));
            }
            Observable::Ball { node, reversed } => {
                let e = ball(scene.q, model.tree.nodes[*node].q, *reversed);
                out[..4].copy_from_slice(&e.0);
            }
            Observable::Orientation { joint } => {
                let [a, b] = joint_frames(model, *joint).map(|frame| scene.frame(frame).axes);
                out[..4].copy_from_slice(&euler(&a.relative(&b).to_matrix().0));
            }
            Observable::Spin { joint, order } => put(out, coordinates::spin(*order, &relative(*joint))),
            Observable::Frame {
                body,
                marker,
                quantity,
            } => motion(scene, &frame_of(model, *body, *marker), *quantity, out),
            Observable::Reaction(element) => match element.load(self) {
                ReactionLoad::Wrench(load) => {
                    put(out, load.force);
                    put(&mut out[3..], load.moment);
                }
                ReactionLoad::Generalised(force) => out[0] = force,
            },
            Observable::Drive { node } => {
                out[0] = drive(&model.tree, self.crossing, self.loads.driven, *node);
            }
            Observable::Multiplier { row, sign } => out[0] = self.multipliers[*row] * *sign,
            Observable::Contact { row } => {
                // M v̇ = f − Gᵀλ; open contacts have λ = 0 exactly.
                let multiplier = self.multipliers[*row];
                out[0] = T::zero() - multiplier;
                out[1] = T::constant(f64::from(u8::from(multiplier.value() != 0.0)));
            }
            Observable::Force { force } => {
                let force = &model.forces[*force];
                let values = seen::values(&force.element, &scene.of(&force.states), &mut self.loads);
                out[..values.len()].copy_from_slice(&values);
            }
            Observable::Power { force } => {
                let force = &model.forces[*force];
                out[0] = seen::power(&force.element, &scene.of(&force.states), &mut self.loads);
            }
            Observable::Stored { force } => {
                let force = &model.forces[*force];
                let energy = force.element.energy(&scene.of(&force.states));
                out[0] = energy.unwrap_or(T::zero());
            }
            Observable::State { state } => out[0] = scene.x[*state],
            Observable::Control { control } => out[0] = scene.controls[control + 1],
            Observable::Energy => {
                out[0] = energy::kinetic_energy(&Moving::known(*scene), &model.rods);
                out[1] = energy::potential_energy(&Placed::known(*scene), &model.rods, &model.forces);
                out[2] = out[0] + out[1];
            }
            Observable::Momentum => {
                let momentum = energy::momentum(&Moving::known(*scene), &model.rods);
                put(out, momentum.force);
                put(&mut out[3..], momentum.moment);
            }
            Observable::Gap { constraint, order } => {
                let element = &model.constraints[*constraint].element;
                gap(element, scene, *order, &mut out[..element.rows()]);
            }
            Observable::Clearance { impact, order } => match order {
                0 => impact.position(scene, &mut out[..1]),
                _ => impact.velocity(scene, &mut out[..1]),
            },
            Observable::LargestGap { order } => {
                let mut most = T::zero();
                let mut rows = [T::zero(); LARGEST];
                for c in model.constraints.iter().filter(|c| c.impact().is_none()) {
                    let rows = &mut rows[..c.rows.len()];
                    gap(&c.element, scene, *order, rows);
                    most = largest(most, rows);
                }
                out[0] = most;
            }
            Observable::Time(_) => {
                if let Some(signal) = observable.time_function(model, self.inputs) {
                    out[..3].copy_from_slice(&signal.evaluate(scene.t));
                }
            }
        }
    }
}

/// Frames of a joint whose z axis is the joint's axis. Balls have no axis to choose; of other joints in the
/// tree the frames are not needed.
pub(crate) fn joint_frames(model: &Model, joint: usize) -> [&Attachment; 2] {
    let joint = &model.joints[joint];
    if let JointPlace::Cut { constraint } = joint.place
        && let ConstraintElement::Pair(pair) = &model.constraints[constraint].element
    {
        return [&pair.from, &pair.to];
    }
    [&joint.from, &joint.to]
}

/// The frame of a body or of a marker on it.
pub(crate) fn frame_of(model: &Model, body: usize, marker: Option<usize>) -> Attachment {
    let body = &model.bodies[body];
    match marker {
        Some(marker) => body.markers[marker].frame,
        None => Attachment {
            node: body.node,
            frame: body.frame,
        },
    }
}

fn gap<T: Real>(element: &ConstraintElement, scene: &Scene<T>, order: usize, out: &mut [T]) {
    match order {
        0 => element.position(scene, out),
        _ => element.velocity(scene, out),
    }
}

fn motion<T: Real>(scene: &Scene<T>, at: &Attachment, quantity: FrameQuantity, out: &mut [T]) {
    let node = &scene.world[at.node];
    let arm = || node.rotation.times_constant(at.frame.position);
    match quantity {
        FrameQuantity::Position => put(out, node.position + arm()),
        FrameQuantity::Orientation => {
            let axes = node.rotation.then_constant(&at.frame.rotation);
            out[..4].copy_from_slice(&euler(&axes.to_matrix().0));
        }
        FrameQuantity::Velocity => put(out, node.velocity + node.omega.cross(arm())),
        FrameQuantity::AngularVelocity => put(out, node.omega),
        FrameQuantity::Acceleration => put(out, scene.acceleration(at).1),
        FrameQuantity::AngularAcceleration => put(out, node.alpha),
    }
}

fn put<T: Real>(out: &mut [T], x: Vec3<T>) {
    out[..3].copy_from_slice(&x.0);
}

/// The largest magnitude; NaN stays visible.
fn largest<T: Real>(most: T, rows: &[T]) -> T {
    rows.iter().fold(most, |most, x| {
        let x = x.abs();
        T::select(x.value() > most.value() || x.value().is_nan(), x, most)
    })
}

/// Whether a frame is that of the ground.
pub(crate) fn is_ground(frame: &Attachment) -> bool {
    frame.node == 0 && frame.frame == Pose::identity()
}

/// A component of a vector in the axes of a frame.
pub(crate) fn along<T: Real>(scene: &Scene<T>, axes: &Attachment, component: usize, vector: Vec3<T>) -> T {
    // The ground's axes as they are: nothing is rounded there.
    if axes.node == 0 && axes.frame.rotation == Mat3::identity() {
        return vector.0[component];
    }
    let axis = axes.frame.rotation.column(component);
    scene.world[axes.node].rotation.times_constant(axis).dot(vector)
}

/// Euler parameters of a ball in the tree that begin at `at` in q, of length one.
pub(crate) fn ball<T: Real>(q: &[T], at: usize, reversed: bool) -> Quaternion<T> {
    let e = Quaternion([q[at], q[at + 1], q[at + 2], q[at + 3]]).normalised();
    if reversed { e.conjugate() } else { e }
}

/// Euler parameters of a rotation matrix with w ≥ 0, by the largest component as
/// [`Quaternion::from_rotation_matrix`] does.
pub(crate) fn euler<T: Real>(r: &[[T; 3]; 3]) -> [T; 4] {
    let value = Quaternion::from_rotation_matrix(&r.map(|row| row.map(T::value))).0;
    let largest = (0..4).fold(0, |m, i| if value[i].abs() > value[m].abs() { i } else { m });
    let (t, skew) = (
        r[0][0] + r[1][1] + r[2][2],
        [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]],
    );
    // 4 eₘ e, which has the length 4 eₘ.
    let mut e = [T::zero(); 4];
    match largest {
        0 => {
            e[0] = t + 1.0;
            e[1..].copy_from_slice(&skew);
        }
        m => {
            let i = m - 1;
            for k in 0..3 {
                e[1 + k] = if k == i {
                    r[i][i] * 2.0 - t + 1.0
                } else {
                    r[i][k] + r[k][i]
                };
            }
            e[0] = skew[i];
        }
    }
    let square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    let mut scale = square.sqrt().recip();
    if e[0].value() < 0.0 {
        scale = -scale;
    }
    e.map(|x| x * scale)
}
