//! Where the values of channels come from.

use super::catalogue::Tables;
use super::joint_motion;
use crate::elements::constraints::relative::Relative;
use crate::elements::forces::seen;
use crate::elements::scene::Loads;
use crate::formalism::energy;
use crate::formalism::reactions::ReactionLoad;
use crate::model::{Attachment, Model};
use crate::workspace::Workspace;
use holonom_algebra::{Quaternion, Vec3, Wrench};

/// What must be known before a source can be evaluated. Each stage needs those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
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
pub(super) enum FrameQuantity {
    Position,
    Orientation,
    Velocity,
    AngularVelocity,
    Acceleration,
    AngularAcceleration,
}

/// A few values that are computed together. A channel is one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
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
pub(super) const LARGEST: usize = seen::VALUES;

impl Source {
    /// What it needs.
    pub fn stage(self, model: &Model) -> Stage {
        use FrameQuantity as F;
        match self {
            Self::Constant(_)
            | Self::Ball { .. }
            | Self::Orientation { .. }
            | Self::Stored { .. }
            | Self::State { .. }
            | Self::Gap { .. }
            | Self::LargestGap
            | Self::Input { .. } => Stage::Position,
            Self::Force { force } | Self::Power { force } => {
                let force = &model.forces[force];
                // Controls may depend on multipliers.
                let through = model.needs_lambda && !force.controls.is_empty();
                match through || !force.element.multipliers().is_empty() {
                    true => Stage::Acceleration,
                    false => Stage::Velocity,
                }
            }
            Self::Control { .. } => match model.needs_lambda {
                true => Stage::Acceleration,
                false => Stage::Velocity,
            },
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
            Self::Reaction { .. } => Stage::Reaction,
        }
    }
}

/// Memory for evaluations.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// Zero between evaluations.
    wrenches: Vec<Wrench<f64>>,
    /// Zero between evaluations.
    generalised: Vec<f64>,
    rows: Vec<f64>,
    /// All that always hold.
    all_rows: Vec<usize>,
}

impl Scratch {
    pub fn new(model: &Model) -> Self {
        Self {
            wrenches: vec![Wrench::zero(); model.tree.nodes.len()],
            generalised: vec![0.0; model.tree.n_v],
            rows: vec![0.0; model.switched().start],
            all_rows: (0..model.switched().start).collect(),
        }
    }

    fn loads(&mut self) -> Loads<'_, f64> {
        Loads {
            wrenches: &mut self.wrenches,
            generalised: &mut self.generalised,
        }
    }
}

/// What sources are evaluated from, filled up to their stage.
pub(super) struct State<'a> {
    pub tables: &'a Tables,
    pub work: &'a mut Workspace<f64>,
    /// Multipliers of all rows, zero for those that do not take part.
    pub multipliers: &'a [f64],
    pub scratch: &'a mut Scratch,
}

impl State<'_> {
    /// Fills the values of a source.
    pub fn evaluate(&mut self, source: Source, out: &mut [f64]) {
        let tables = self.tables;
        let model = &*tables.model;
        match source {
            Source::Constant(value) => out[0] = value,
            Source::Coordinate { node, order } => out[0] = self.work.scene(model).0.coordinate(node)[order],
            Source::CutCoordinate { joint, index, order } => {
                let [from, to] = &tables.joints[joint];
                let relative = Relative::new(&self.work.scene(model).0, from, to);
                out[0] = joint_motion::coordinate(model.joints[joint].kind, index, order, &relative);
            }
            Source::Ball { node, reversed } => {
                let at = model.tree.nodes[node].q;
                let q = &self.work.q;
                let e = Quaternion([q[at], q[at + 1], q[at + 2], q[at + 3]]).normalised();
                let e = if reversed { e.conjugate() } else { e };
                out[..4].copy_from_slice(&e.0);
            }
            Source::Orientation { joint } => {
                let [from, to] = &tables.joints[joint];
                let scene = self.work.scene(model).0;
                let (a, b) = (scene.frame(from).axes, scene.frame(to).axes);
                out[..4].copy_from_slice(&orientation(&a.transpose().matrix(&b).0));
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
            Source::Tension { row } => out[0] = self.multipliers[row],
            Source::Contact { row } => {
                // M v̇ = f − Gᵀλ; open contacts have λ = 0 exactly.
                out[0] = 0.0 - self.multipliers[row];
                out[1] = f64::from(u8::from(self.multipliers[row] != 0.0));
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
                out[0] = force.element.energy(&scene.of(&force.states)).unwrap_or(0.0);
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

    fn frame(&mut self, at: &Attachment, quantity: FrameQuantity, out: &mut [f64]) {
        let scene = self.work.scene(&self.tables.model).0;
        match quantity {
            FrameQuantity::Position => {
                let node = &scene.world[at.node];
                put(out, node.position + node.rotation.times(at.frame.position));
            }
            FrameQuantity::Orientation => {
                let axes = scene.world[at.node].rotation.matrix(&at.frame.rotation);
                out[..4].copy_from_slice(&orientation(&axes.0));
            }
            FrameQuantity::Velocity => {
                let node = &scene.world[at.node];
                let arm = node.rotation.times(at.frame.position);
                put(out, node.velocity + node.omega.cross(arm));
            }
            FrameQuantity::AngularVelocity => put(out, scene.world[at.node].omega),
            FrameQuantity::Acceleration => put(out, scene.acceleration(at).1),
            FrameQuantity::AngularAcceleration => put(out, scene.world[at.node].alpha),
        }
    }
}

fn put(out: &mut [f64], x: Vec3<f64>) {
    out[..3].copy_from_slice(&x.0);
}

/// Euler parameters with w ≥ 0.
fn orientation(rotation: &[[f64; 3]; 3]) -> [f64; 4] {
    let e = Quaternion::from_rotation_matrix(rotation).0;
    if e[0] < 0.0 { e.map(|x| -x) } else { e }
}

/// The largest magnitude; NaN stays visible.
fn largest(rows: &[f64]) -> f64 {
    rows.iter().fold(
        0.0,
        |most: f64, x| if x.is_nan() { f64::NAN } else { most.max(x.abs()) },
    )
}
