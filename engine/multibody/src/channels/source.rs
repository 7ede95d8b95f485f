//! Where the values of channels come from.

use super::catalogue::Tables;
use crate::elements::constraints::relative::Relative;
use crate::elements::controls::probe::{ball, euler};
use crate::elements::forces::seen;
use crate::elements::joint_motion;
use crate::elements::scene::Loads;
use crate::formalism::energy;
use crate::formalism::reactions::{ReactionLoad, drive};
use crate::model::Model;
use crate::tree::Attachment;
use crate::workspace::Workspace;
use holonom_algebra::{Orientation, Real, Vec3, Wrench};

/// What must be known before a source can be evaluated. Each stage needs those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// t and q.
    Position,
    /// v.
    Velocity,
    /// v̇ and λ.
    Acceleration,
    /// The loads that cross the joints.
    Reaction,
}

/// What a frame can be asked for; all in the ground's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FrameQuantity {
    Position,
    Orientation,
    Velocity,
    AngularVelocity,
    Acceleration,
    AngularAcceleration,
}

/// A few values that are computed together. A channel is one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// A locked coordinate, or its rate.
    Constant(f64),
    /// Value (0), rate (1) or acceleration (2) of a scalar coordinate of the tree.
    Coordinate { node: usize, order: usize },
    /// The same of coordinate `index` of a cut joint, from the motion of its frames.
    CutCoordinate {
        joint: usize,
        index: usize,
        order: usize,
    },
    /// Euler parameters of a ball in the tree.
    Ball { node: usize, reversed: bool },
    /// Euler parameters of a joint from the orientation of its frames.
    Orientation { joint: usize },
    /// Angular velocity (1) or acceleration (2) of a joint.
    Spin { joint: usize, order: usize },
    /// Motion of a body or marker.
    Frame { frame: usize, quantity: FrameQuantity },
    /// Force x, y, z and torque x, y, z; or one generalised force.
    Reaction { reaction: usize },
    /// Force or torque by which a prescribed coordinate is led.
    Drive { node: usize },
    /// Tension of a distance or rod: its multiplier.
    Tension { row: usize },
    /// Force that presses on a contact, and whether it is closed.
    Contact { row: usize },
    /// Force x, y, z and torque x, y, z, then what the kind of element has besides.
    Force { force: usize },
    /// An own state of an element.
    State { state: usize },
    /// The output of a control.
    Control { control: usize },
    /// Energy stored in a force element.
    Stored { force: usize },
    /// Power of a force element.
    Power { force: usize },
    /// Kinetic, potential, total.
    Energy,
    /// Linear x, y, z, angular x, y, z.
    Momentum,
    /// g of the rows of a constraint.
    Gap { constraint: usize },
    /// G v + g_t of the rows of a constraint.
    GapRate { constraint: usize },
    /// Largest |g|.
    LargestGap,
    /// Largest |G v + g_t|.
    LargestGapRate,
    /// Value, rate, acceleration of a signal.
    Input { input: usize },
}

/// Values that any source but those of constraints may have.
pub(crate) const LARGEST: usize = seen::VALUES;

impl Source {
    /// What it needs.
    pub fn stage(self, model: &Model) -> Stage {
        use FrameQuantity as F;
        // Controls may depend on multipliers, or on what sensors read of accelerations.
        let late = model.needs_lambda || !model.readings.is_empty();
        let controls = if late {
            Stage::Acceleration
        } else {
            Stage::Velocity
        };
        match self {
            Self::Constant(_)
            | Self::Ball { .. }
            | Self::Orientation { .. }
            | Self::State { .. }
            | Self::Gap { .. }
            | Self::LargestGap
            | Self::Input { .. } => Stage::Position,
            Self::Force { force } | Self::Power { force } => {
                let force = &model.forces[force];
                let through = late && !force.controls.is_empty();
                match through || !force.element.multipliers().is_empty() {
                    true => Stage::Acceleration,
                    false => Stage::Velocity,
                }
            }
            Self::Stored { force } => match model.forces[force].controls.is_empty() {
                true => Stage::Position,
                false => controls,
            },
            Self::Energy if model.forces.iter().any(|f| !f.controls.is_empty()) => controls,
            Self::Control { .. } => controls,
            Self::Energy | Self::Momentum | Self::GapRate { .. } | Self::LargestGapRate => Stage::Velocity,
            Self::Coordinate { order, .. } | Self::CutCoordinate { order, .. } | Self::Spin { order, .. } => {
                [Stage::Position, Stage::Velocity, Stage::Acceleration][order.min(2)]
            }
            Self::Frame { quantity, .. } => match quantity {
                F::Position | F::Orientation => Stage::Position,
                F::Velocity | F::AngularVelocity => Stage::Velocity,
                F::Acceleration | F::AngularAcceleration => Stage::Acceleration,
            },
            Self::Tension { .. } | Self::Contact { .. } => Stage::Acceleration,
            Self::Reaction { .. } | Self::Drive { .. } => Stage::Reaction,
        }
    }
}

/// Memory for evaluations.
#[derive(Clone, Debug)]
pub(crate) struct Scratch<T> {
    /// Zero between evaluations.
    wrenches: Vec<Wrench<T>>,
    /// Zero between evaluations.
    generalised: Vec<T>,
    /// Zero between evaluations.
    driven: Vec<T>,
    rows: Vec<T>,
    /// All that always hold.
    all_rows: Vec<usize>,
}

impl<T: Real> Scratch<T> {
    pub fn new(model: &Model) -> Self {
        Self {
            wrenches: vec![Wrench::zero(); model.tree.nodes.len()],
            generalised: vec![T::zero(); model.tree.n_v],
            driven: vec![T::zero(); model.tree.n_signals],
            rows: vec![T::zero(); model.switched().start],
            all_rows: (0..model.switched().start).collect(),
        }
    }

    fn loads(&mut self) -> Loads<'_, T> {
        Loads {
            wrenches: &mut self.wrenches,
            generalised: &mut self.generalised,
            driven: &mut self.driven,
        }
    }
}

/// What sources are evaluated from, filled up to their stage.
pub(crate) struct State<'a, T: Real> {
    pub model: &'a Model,
    pub tables: &'a Tables,
    pub work: &'a mut Workspace<T>,
    /// Multipliers of all rows, zero for those that do not take part.
    pub multipliers: &'a [T],
    pub scratch: &'a mut Scratch<T>,
}

impl<T: Real> State<'_, T> {
    /// Fills the values of a source.
    pub fn evaluate(&mut self, source: Source, out: &mut [T]) {
        let (model, tables) = (self.model, self.tables);
        match source {
            Source::Constant(value) => out[0] = T::constant(value),
            Source::Coordinate { node, order } => out[0] = self.work.scene(model).0.coordinate(node)[order],
            Source::CutCoordinate { joint, index, order } => {
                let [from, to] = &tables.joints[joint];
                let relative = Relative::new(&self.work.scene(model).0, from, to);
                out[0] = joint_motion::coordinate(model.joints[joint].kind, index, order, &relative);
            }
            Source::Ball { node, reversed } => {
                let e = ball(&self.work.q, model.tree.nodes[node].q, reversed);
                out[..4].copy_from_slice(&e.0);
            }
            Source::Orientation { joint } => {
                let [from, to] = &tables.joints[joint];
                let scene = self.work.scene(model).0;
                let (a, b) = (scene.frame(from).axes, scene.frame(to).axes);
                out[..4].copy_from_slice(&euler(&a.relative(&b).to_matrix().0));
            }
            Source::Spin { joint, order } => {
                let [from, to] = &tables.joints[joint];
                let scene = self.work.scene(model).0;
                let relative = Relative::new(&scene, from, to);
                put(out, joint_motion::spin(order, &relative));
            }
            Source::Frame { frame, quantity } => self.frame(&tables.frames[frame], quantity, out),
            Source::Reaction { reaction } => {
                match tables.reactions[reaction].load(model, self.work, self.multipliers) {
                    ReactionLoad::Wrench(load) => {
                        put(out, load.force);
                        put(&mut out[3..], load.moment);
                    }
                    ReactionLoad::Generalised(force) => out[0] = force,
                }
            }
            Source::Drive { node } => out[0] = drive(model, self.work, node),
            Source::Tension { row } => out[0] = self.multipliers[row],
            Source::Contact { row } => {
                // M v̇ = f − Gᵀλ; open contacts have λ = 0 exactly.
                let multiplier = self.multipliers[row];
                out[0] = T::zero() - multiplier;
                out[1] = T::constant(f64::from(u8::from(multiplier.value() != 0.0)));
            }
            Source::Force { force } => {
                let scene = self.work.scene(model).0;
                let force = &model.forces[force];
                let scene = scene.of(&force.states);
                let values = seen::values(&force.element, &scene, &mut self.scratch.loads());
                out[..values.len()].copy_from_slice(&values);
            }
            Source::State { state } => out[0] = self.work.x[state],
            Source::Control { control } => out[0] = self.work.controls[control + 1],
            Source::Stored { force } => {
                let scene = self.work.scene(model).0;
                let force = &model.forces[force];
                out[0] = force
                    .element
                    .energy(&scene.of(&force.states))
                    .unwrap_or(T::zero());
            }
            Source::Power { force } => {
                let scene = self.work.scene(model).0;
                let force = &model.forces[force];
                let scene = scene.of(&force.states);
                out[0] = energy::force_power(&force.element, &scene, &mut self.scratch.loads());
            }
            Source::Energy => {
                let scene = self.work.scene(model).0;
                out[0] = energy::kinetic_energy(&scene, &model.rods);
                out[1] = energy::potential_energy(&scene, &model.rods, &model.forces);
                out[2] = out[0] + out[1];
            }
            Source::Momentum => {
                let momentum = energy::momentum(&self.work.scene(model).0, &model.rods);
                put(out, momentum.force);
                put(&mut out[3..], momentum.moment);
            }
            Source::Gap { constraint } => {
                let scene = self.work.scene(model).0;
                let c = &model.constraints[constraint];
                c.element.position(&scene, &mut out[..c.rows.len()]);
            }
            Source::GapRate { constraint } => {
                let scene = self.work.scene(model).0;
                let c = &model.constraints[constraint];
                c.element.velocity(&scene, &mut out[..c.rows.len()]);
            }
            Source::LargestGap => {
                let s = &mut *self.scratch;
                self.work.constraint(model, &s.all_rows, &mut s.rows);
                out[0] = largest(&s.rows);
            }
            Source::LargestGapRate => {
                let s = &mut *self.scratch;
                self.work.constraint_velocity(model, &s.all_rows, &mut s.rows);
                out[0] = largest(&s.rows);
            }
            Source::Input { input } => {
                let values = tables.inputs[input].evaluate(self.work.t);
                out[..3].copy_from_slice(&values);
            }
        }
    }

    fn frame(&mut self, at: &Attachment, quantity: FrameQuantity, out: &mut [T]) {
        let scene = self.work.scene(self.model).0;
        match quantity {
            FrameQuantity::Position => {
                let node = &scene.world[at.node];
                put(
                    out,
                    node.position + node.rotation.times_constant(at.frame.position),
                );
            }
            FrameQuantity::Orientation => {
                let axes = scene.world[at.node].rotation.then_constant(&at.frame.rotation);
                out[..4].copy_from_slice(&euler(&axes.to_matrix().0));
            }
            FrameQuantity::Velocity => {
                let node = &scene.world[at.node];
                let arm = node.rotation.times_constant(at.frame.position);
                put(out, node.velocity + node.omega.cross(arm));
            }
            FrameQuantity::AngularVelocity => put(out, scene.world[at.node].omega),
            FrameQuantity::Acceleration => put(out, scene.acceleration(at).1),
            FrameQuantity::AngularAcceleration => put(out, scene.world[at.node].alpha),
        }
    }
}

fn put<T: Real>(out: &mut [T], x: Vec3<T>) {
    out[..3].copy_from_slice(&x.0);
}

/// The largest magnitude; NaN stays visible.
fn largest<T: Real>(rows: &[T]) -> T {
    rows.iter().fold(T::zero(), |most, x| {
        let x = x.abs();
        T::select(x.value() > most.value() || x.value().is_nan(), x, most)
    })
}
