//! Tree joints to nodes: as few rotations as possible.
//!
//! The way through a joint is a chain of constant frames and primitive motions. A cursor walks
//! it: the last node, and the constant pose from there. A motion whose axis is exactly a positive
//! coordinate axis of the last node's frame gets an aligned node, without any rotation, and the
//! cursor's orientation is carried on behind it (R Turn(a) = Turn(R a) R); any other motion gets
//! a node turned so that z is its axis.
//!
//! A joint that the tree runs through from its second frame to its first is the inverse sequence.
//! Turn(−x) = F Turn(x) F with F half a turn about an axis at a right angle: the coordinates keep
//! value and sign of the description. Only a ball is described in the direction of the tree: its
//! Euler parameters are the conjugate ones, its angular velocity is that of the first frame in
//! its own axes, seen from the second.

use super::names::Place;
use crate::description::{Body, Coordinate, CoordinateMotion, Description, Frame, Hold, Joint};
use crate::elements::joints::Primitive;
use crate::forest::{Forest, Graph};
use crate::model::{JointPlace, ModelBody, ModelJoint, ModelMarker};
use crate::signal::Signal;
use crate::tree::Attachment;
use crate::tree::{NodeKind, Tree};
use holonom_algebra::{Inertia, Mat3, Pose, Quaternion, Sym3, Vec3};

/// The part of a model that the tree decides.
pub(super) struct Lowered {
    pub tree: Tree,
    pub bodies: Vec<ModelBody>,
    /// Tree joints by their number in the description; none for cut ones.
    pub joints: Vec<Option<ModelJoint>>,
    pub signals: Vec<Signal>,
    pub position_names: Vec<String>,
    pub velocity_names: Vec<String>,
    pub q0: Vec<f64>,
    pub v0: Vec<f64>,
    pub position_holds: Vec<Hold>,
    pub velocity_holds: Vec<Hold>,
}

impl Lowered {
    /// A frame on a body as a frame on a node.
    pub fn attachment(&self, place: &Place) -> Attachment {
        let body = &self.bodies[place.body];
        Attachment {
            node: body.node,
            frame: then(&body.frame, &place.frame),
        }
    }
}

/// Builds the nodes in the order of the forest.
pub(super) fn lower(
    description: &Description,
    graph: &Graph,
    forest: &Forest,
    ends: &[[Place; 2]],
) -> Lowered {
    let mut bodies: Vec<ModelBody> = description.bodies.iter().map(unplaced).collect();
    bodies.insert(
        0,
        ModelBody {
            name: super::names::GROUND.to_string(),
            node: 0,
            frame: Pose::identity(),
            mass: 0.0,
            markers: Vec::new(),
        },
    );
    let mut lowered = Lowered {
        tree: Tree::new(Vec3(description.gravity)),
        bodies,
        joints: vec![None; graph.edges.len()],
        signals: Vec::new(),
        position_names: Vec::new(),
        velocity_names: Vec::new(),
        q0: Vec::new(),
        v0: Vec::new(),
        position_holds: Vec::new(),
        velocity_holds: Vec::new(),
    };
    for tree_joint in &forest.joints {
        let joint = &description.joints[tree_joint.edge];
        let [from, to] = &ends[tree_joint.edge];
        let (near, far) = if tree_joint.reversed {
            (to, from)
        } else {
            (from, to)
        };
        let turn = axis_frame(joint);
        let start = lowered.attachment(near);
        let mut walk = Walk {
            node: start.node,
            pose: then(&start.frame, &turn),
            joint,
            reversed: tree_joint.reversed,
            lowered: &mut lowered,
        };
        let first = walk.lowered.tree.nodes.len();
        let coordinates = walk.all();
        let (node, pose) = (walk.node, walk.pose);
        let last = lowered.tree.nodes.len();
        let body = &mut lowered.bodies[tree_joint.child];
        body.node = node;
        body.frame = then(&pose, &then(&far.frame, &turn).inverse());
        let inertia = inertia_at(&description.bodies[tree_joint.child - 1], &body.frame);
        add_inertia(&mut lowered.tree, node, inertia);
        lowered.joints[tree_joint.edge] = Some(ModelJoint {
            name: joint.name.clone(),
            kind: joint.kind,
            place: JointPlace::Tree {
                nodes: first..last,
                reversed: tree_joint.reversed,
            },
            from: lowered.attachment(from),
            to: lowered.attachment(to),
            coordinates,
            locked: locked(joint),
        });
    }
    let markers = core::iter::once(&description.ground).chain(description.bodies.iter().map(|b| &b.markers));
    for (body, markers) in lowered.bodies.iter_mut().zip(markers) {
        let placed = markers.iter().map(|marker| ModelMarker {
            name: marker.name.clone(),
            frame: Attachment {
                node: body.node,
                frame: then(&body.frame, &marker.frame),
            },
        });
        body.markers = placed.collect();
    }
    lowered
}

/// The values of locked coordinates.
fn locked(joint: &Joint) -> Vec<Option<f64>> {
    let described = |index: usize| joint.coordinates.get(index);
    let value = |index: usize| match described(index) {
        Some(c) if matches!(c.motion, CoordinateMotion::Locked) => Some(c.position),
        _ => None,
    };
    (0..joint.kind.info().coordinates.len()).map(value).collect()
}

/// Adds inertia, given in the node's frame, to a node.
pub(super) fn add_inertia(tree: &mut Tree, node: usize, inertia: Inertia) {
    let node = &mut tree.nodes[node];
    node.inertia = node.inertia + inertia;
    node.has_inertia = !node.inertia.is_zero();
}

/// The orientation that takes z to the axis of a joint.
pub(super) fn axis_frame(joint: &Joint) -> Frame {
    let rotation = match joint.axis {
        [0.0, 0.0, z] if z > 0.0 => Mat3::identity(),
        [x, 0.0, 0.0] if x > 0.0 => permutation(0),
        [0.0, y, 0.0] if y > 0.0 => permutation(1),
        axis => crate::description::frame::along([0.0; 3], axis).rotation,
    };
    Pose::new(rotation, Vec3::zero())
}

fn unplaced(body: &Body) -> ModelBody {
    ModelBody {
        name: body.name.clone(),
        node: 0,
        frame: Pose::identity(),
        mass: body.mass,
        markers: Vec::new(),
    }
}

/// The inertia of a body in a frame in which the body's has the given pose.
fn inertia_at(body: &Body, frame: &Frame) -> Inertia {
    let central = Sym3(body.inertia).rotated(&frame.rotation);
    Inertia::at_centre(body.mass, frame.point(Vec3(body.centre)), &central)
}

/// The cyclic permutation that takes z to axis `a`.
fn permutation(a: usize) -> Mat3<f64> {
    Mat3::from_columns(Vec3::unit((a + 1) % 3), Vec3::unit((a + 2) % 3), Vec3::unit(a))
}

/// Half a turn about an axis at a right angle to axis `a`. That for x and for y is the same, so
/// that a reversed universal joint has no rotation between its angles.
fn flip(a: usize) -> Pose<f64> {
    let mut rotation = Mat3::identity();
    let about = if a == 2 { 0 } else { 2 };
    for i in (0..3).filter(|&i| i != about) {
        rotation.0[i][i] = -1.0;
    }
    Pose::new(rotation, Vec3::zero())
}

/// X_PB · X_BC, with rounding removed where the result is a permutation of axes.
fn then(a: &Frame, b: &Frame) -> Frame {
    let mut pose = a.then(b);
    // A few units in the last place: what products of inverse rotations leave.
    const ROUNDING: f64 = 1e-15;
    let near = pose.rotation.0.map(|row| row.map(f64::round));
    let rounded = pose.rotation.0.iter().flatten().zip(near.iter().flatten());
    if rounded.into_iter().all(|(x, n)| (x - n).abs() <= ROUNDING) {
        // Adding zero makes −0 positive.
        pose.rotation = Mat3(near.map(|row| row.map(|x| x + 0.0)));
    }
    pose
}

/// The axis along which a unit vector points exactly.
fn exact_axis(direction: Vec3<f64>) -> Option<usize> {
    (0..3).find(|&a| direction == Vec3::unit(a))
}

/// The displacement of the second frame in the first at coordinate `x`.
pub(super) fn displaced(primitive: Primitive, x: f64) -> Frame {
    match primitive {
        Primitive::Turn(a) => {
            let axis = Vec3::<f64>::unit(a);
            Pose::new(
                Mat3(Quaternion::from_axis_angle(axis.0, x).rotation_matrix()),
                Vec3::zero(),
            )
        }
        Primitive::Slide(a) => Pose::new(Mat3::identity(), Vec3::unit(a).scale(x)),
        Primitive::Screw { pitch } => then(
            &displaced(Primitive::Slide(2), pitch * x),
            &displaced(Primitive::Turn(2), x),
        ),
        Primitive::Ball => Pose::identity(),
    }
}

/// The way through one joint.
struct Walk<'a> {
    node: usize,
    pose: Frame,
    joint: &'a Joint,
    reversed: bool,
    lowered: &'a mut Lowered,
}

impl Walk<'_> {
    /// Walks all motions; gives the node of each scalar coordinate, 0 for locked ones.
    fn all(&mut self) -> Vec<usize> {
        let joint = self.joint;
        let info = joint.kind.info();
        let motions = joint.kind.motions();
        let mut nodes = vec![0; info.coordinates.len()];
        let before = self.lowered.tree.nodes.len();
        for step in 0..motions.len() {
            let index = if self.reversed {
                motions.len() - 1 - step
            } else {
                step
            };
            match motions[index] {
                Primitive::Ball => self.ball(),
                motion => nodes[index] = self.scalar(motion, index),
            }
        }
        if self.lowered.tree.nodes.len() == before {
            let kind = match self.pose.rotation == Mat3::identity() {
                true => NodeKind::Fixed,
                false => NodeKind::FixedTurned,
            };
            self.push(kind, self.pose, 0.0, None);
            self.pose = Pose::identity();
        }
        nodes
    }

    fn push(&mut self, kind: NodeKind, placement: Frame, pitch: f64, prescribed: Option<usize>) {
        let tree = &mut self.lowered.tree;
        self.node = tree.push(self.node, kind, placement, pitch, prescribed, Inertia::zero());
    }

    fn scalar(&mut self, motion: Primitive, index: usize) -> usize {
        let rest = Coordinate::default();
        let coordinate = self.joint.coordinates.get(index).unwrap_or(&rest);
        let prescribed = match &coordinate.motion {
            CoordinateMotion::Locked => {
                let step = displaced(motion, coordinate.position);
                let step = if self.reversed { step.inverse() } else { step };
                self.pose = then(&self.pose, &step);
                return 0;
            }
            CoordinateMotion::Prescribed(signal) => {
                self.lowered.signals.push(signal.clone());
                Some(self.lowered.signals.len() - 1)
            }
            CoordinateMotion::Free => {
                let name = self.coordinate_name(index);
                self.lowered.position_names.push(name.clone());
                self.lowered.velocity_names.push(name);
                self.lowered.q0.push(coordinate.position);
                self.lowered.v0.push(coordinate.velocity);
                self.lowered.position_holds.push(coordinate.position_hold);
                self.lowered.velocity_holds.push(coordinate.velocity_hold);
                None
            }
        };
        let axis = match motion {
            Primitive::Turn(a) | Primitive::Slide(a) => a,
            _ => 2,
        };
        if self.reversed {
            self.pose = then(&self.pose, &flip(axis));
        }
        self.moving(motion, axis, prescribed);
        if self.reversed {
            self.pose = then(&self.pose, &flip(axis));
        }
        self.node
    }

    /// Adds the node of a scalar motion; the cursor is behind it then.
    fn moving(&mut self, motion: Primitive, axis: usize, prescribed: Option<usize>) {
        let turned = |a: usize| Pose::new(permutation(a), Vec3::zero());
        let (aligned, kind, pitch) = match motion {
            Primitive::Slide(_) => (
                Some([NodeKind::PrismaticX, NodeKind::PrismaticY, NodeKind::PrismaticZ]),
                NodeKind::PrismaticTurned,
                0.0,
            ),
            Primitive::Screw { pitch } => (None, NodeKind::Screw, pitch),
            _ => (
                Some([NodeKind::RevoluteX, NodeKind::RevoluteY, NodeKind::RevoluteZ]),
                NodeKind::RevoluteTurned,
                0.0,
            ),
        };
        let direction = exact_axis(self.pose.rotation.column(axis));
        if let (Some(kinds), Some(along)) = (aligned, direction) {
            let placement = Pose::new(Mat3::identity(), self.pose.position);
            self.push(kinds[along], placement, pitch, prescribed);
            self.pose.position = Vec3::zero();
        } else {
            let placement = then(&self.pose, &turned(axis));
            self.push(kind, placement, pitch, prescribed);
            self.pose = turned(axis).inverse();
        }
    }

    fn ball(&mut self) {
        let joint = self.joint;
        // Scaled first, so that squares neither overflow nor vanish.
        let largest = joint.orientation.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        let e = Quaternion(joint.orientation.map(|e| e / largest)).normalised();
        let e = if self.reversed { e.conjugate() } else { e };
        if joint.orientation_locked {
            self.pose = then(&self.pose, &Pose::new(Mat3(e.rotation_matrix()), Vec3::zero()));
            return;
        }
        let omega = if self.reversed {
            // Of the first frame in its own axes: −R ω, with R = (conjugate)⁻¹.
            e.conjugate().rotate(joint.angular_velocity).map(|w| 0.0 - w)
        } else {
            joint.angular_velocity
        };
        let lowered = &mut *self.lowered;
        lowered.q0.extend(e.0);
        lowered.v0.extend(omega);
        lowered.position_holds.extend([joint.orientation_hold; 3]);
        lowered.velocity_holds.extend([joint.angular_velocity_hold; 3]);
        let name = |part: &str| format!("{}.{part}", joint.name);
        lowered.position_names.extend(["e0", "e1", "e2", "e3"].map(name));
        lowered.velocity_names.extend(["wx", "wy", "wz"].map(name));
        self.push(NodeKind::Ball, self.pose, 0.0, None);
        self.pose = Pose::identity();
    }

    fn coordinate_name(&self, index: usize) -> String {
        let info = self.joint.kind.info();
        if info.freedoms() == 1 {
            self.joint.name.clone()
        } else {
            format!("{}.{}", self.joint.name, info.coordinates[index].name)
        }
    }
}
