//! What the elements of URDF may contain, read into plain structs.

use super::names::{Names, suggestion};
use super::turned::frame;
use super::visuals::{self, Materials, Visual};
use super::xml::{Reader, quoted};
use super::{LoopEnd, Options};
use core::ops::Range;
use holonom_algebra::{Pose, Sym3, Vec3};
use holonom_multibody::description::{Frame, JointKind};
use roxmltree::Node;
use std::collections::HashSet;

/// A name and where it stands.
pub(super) struct Named {
    pub name: String,
    pub span: Range<usize>,
}

pub(super) struct Link {
    pub name: String,
    /// Its name in Holonom.
    pub here: String,
    pub span: Range<usize>,
    pub mass: f64,
    pub centre: [f64; 3],
    /// About the centre of mass, in the link's axes: xx, yy, zz, xy, yz, zx.
    pub inertia: [f64; 6],
    /// No body has this inertia.
    pub unphysical: bool,
    pub visuals: Vec<Visual>,
}

impl Link {
    /// Whether it is nothing but a frame.
    pub fn is_frame(&self) -> bool {
        self.mass == 0.0 && self.inertia == [0.0; 6]
    }
}

pub(super) struct Joint {
    pub name: String,
    /// Its name in Holonom.
    pub here: String,
    pub span: Range<usize>,
    pub kind: JointKind,
    pub origin: Frame,
    pub parent: Option<Named>,
    pub child: Option<Named>,
    pub axis: [f64; 3],
    pub damping: f64,
    /// Coulomb friction, N m or N.
    pub friction: f64,
    /// Lowest and highest position, in this order.
    pub limits: Option<[f64; 2]>,
    /// Largest torque or force of the motor.
    pub effort: Option<f64>,
    pub mimic: Option<Mimic>,
}

pub(super) struct Mimic {
    pub joint: Named,
    pub multiplier: f64,
    pub offset: f64,
}

pub(super) struct LoopJoint {
    pub here: String,
    pub span: Range<usize>,
    pub kind: JointKind,
    pub ends: [(LoopEnd, Range<usize>); 2],
    pub axis: [f64; 3],
}

pub(super) struct Robot {
    pub name: Option<String>,
    pub span: Range<usize>,
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
    pub loops: Vec<LoopJoint>,
    pub link_names: Names,
    pub joint_names: Names,
    /// Names on elements that could not be read: not to be reported as missing.
    pub unread: HashSet<String>,
    /// Some links or joints could not be read: what hangs together is not known.
    pub incomplete: bool,
    /// Colours of pictures.
    materials: Materials,
}

const KNOWN: [&str; 4] = ["link", "joint", "loop_joint", "material"];
const OTHER: &str = "for other programs only";
const REAL: &str = "for the real robot only";
const ROBOT_UNUSED: [(&str, &str); 5] = [
    ("transmission", "not used: add a force or a coupling for a drive"),
    ("gazebo", OTHER),
    ("ros2_control", OTHER),
    ("sensor", OTHER),
    ("mujoco", OTHER),
];
const LINK_UNUSED: [(&str, &str); 5] = [
    ("collision", "not used: contact geometry is not supported"),
    ("contact", OTHER),
    ("sensor", OTHER),
    ("audio_source", OTHER),
    ("self_collision_checking", OTHER),
];
const JOINT_UNUSED: [(&str, &str); 3] = [
    ("calibration", REAL),
    ("safety_controller", REAL),
    ("hardwareInterface", OTHER),
];
const NOT_HONOURED: &str = "not used";

/// Reads all elements; none when the text is no robot at all.
pub(super) fn read(reader: &mut Reader, root: Node, options: &Options) -> Option<Robot> {
    let span = reader.tag(root);
    let name = root.tag_name().name();
    if name != "robot" {
        let help = match name {
            "sdf" | "mujoco" | "COLLADA" => format!("<{name}> is another format; convert it to URDF"),
            _ => "a robot is <robot name=\"…\"> … </robot>".to_string(),
        };
        reader.error(span, format!("<{name}> is not a robot"), Some(help));
        return None;
    }
    reader.attributes(root, "the robot", &["name", "version"]);
    let before = reader.errors.len();
    let children = reader.children(root, "the robot", &KNOWN, &ROBOT_UNUSED);
    let mut robot = Robot {
        name: root.attribute("name").map(str::to_string),
        span,
        links: Vec::new(),
        joints: Vec::new(),
        loops: Vec::new(),
        link_names: Names::new("link"),
        joint_names: Names::new("joint"),
        unread: HashSet::new(),
        incomplete: reader.errors.len() > before,
        materials: visuals::materials(root),
    };
    for child in &children {
        match child.tag_name().name() {
            "link" => robot.link(reader, *child),
            "joint" => robot.joint(reader, *child, options),
            "material" => {}
            _ => robot.loop_joint(reader, *child),
        }
    }
    if robot.incomplete {
        let strangers = root
            .children()
            .filter(|c| c.is_element() && !KNOWN.contains(&c.tag_name().name()));
        let names = strangers.filter_map(|c| c.attribute("name"));
        robot.unread.extend(names.map(str::to_string));
    }
    robot.given_loops(reader, options);
    Some(robot)
}

impl Robot {
    fn link(&mut self, reader: &mut Reader, node: Node) {
        let Some((name, span)) = reader.name(node, "name", "a link") else {
            self.incomplete = true;
            return;
        };
        let owner = format!("link {}", quoted(name));
        reader.attributes(node, &owner, &["name", "type"]);
        let number = self.links.len();
        let here = self.link_names.add(reader, name, number, span.clone());
        let mut link = Link {
            name: name.to_string(),
            here,
            span,
            mass: 0.0,
            centre: [0.0; 3],
            inertia: [0.0; 6],
            unphysical: false,
            visuals: Vec::new(),
        };
        let before = reader.errors.len();
        let children = reader.children(node, &owner, &["inertial", "visual"], &LINK_UNUSED);
        for child in children.iter().filter(|child| child.has_tag_name("visual")) {
            let visual = visuals::read(reader, *child, &self.materials, name);
            link.visuals.extend(visual);
        }
        if let Some(inertial) = reader.single(&children, "inertial", &owner) {
            link.inertial(reader, inertial, &owner);
        }
        if reader.errors.len() > before {
            // Not to be reported as a link without mass besides.
            link.mass = 1.0;
        }
        self.links.push(link);
    }

    fn joint(&mut self, reader: &mut Reader, node: Node, options: &Options) {
        let Some((name, span)) = reader.name(node, "name", "a joint") else {
            self.incomplete = true;
            return;
        };
        let owner = format!("joint {}", quoted(name));
        reader.attributes(node, &owner, &["name", "type"]);
        let number = self.joints.len();
        let here = self.joint_names.add(reader, name, number, span.clone());
        let known = ["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"];
        let children = reader.children(node, &owner, &known, &JOINT_UNUSED);
        let kind = joint_kind(reader, node, &owner, &JOINT_TYPES);
        let mut joint = Joint {
            name: name.to_string(),
            here,
            span,
            // Any setting fits a revolute joint: one error for a wrong type is enough.
            kind: kind.unwrap_or(JointKind::Revolute),
            origin: Pose::identity(),
            parent: None,
            child: None,
            axis: [1.0, 0.0, 0.0],
            damping: 0.0,
            friction: 0.0,
            limits: None,
            effort: None,
            mimic: None,
        };
        if let Some(origin) = reader.single(&children, "origin", &owner) {
            joint.origin = placement(reader, origin, &owner);
        }
        let mut end = |element| {
            let node = reader.single_required(node, &children, element, &owner)?;
            reader.leaf(node, &owner, &["link"]);
            named(reader, node, "link", &owner)
        };
        joint.parent = end("parent");
        joint.child = end("child");
        self.incomplete |= kind.is_none() || joint.parent.is_none() || joint.child.is_none();
        if let Some(node) = reader.single(&children, "axis", &owner) {
            let useless = [JointKind::Fixed, JointKind::Free].contains(&joint.kind);
            if useless {
                let span = reader.tag(node);
                let fate = "not used: the joint has none";
                reader.notes.count("axis vector", fate, span, Some(name));
            }
            // Fixed joints often have the axis 0 0 0.
            if !useless || reader.strict {
                joint.axis = axis(reader, node, &owner, name);
            }
            if useless {
                joint.axis = [1.0, 0.0, 0.0];
            }
        }
        let continuous = node.attribute("type") == Some("continuous");
        if let Some(node) = reader.single(&children, "limit", &owner) {
            joint.limit(reader, node, &owner, continuous, options);
        }
        if let Some(node) = reader.single(&children, "dynamics", &owner) {
            joint.dynamics(reader, node, &owner, options);
        }
        if let Some(node) = reader.single(&children, "mimic", &owner) {
            joint.mimic = mimic(reader, node, &owner);
        }
        self.joints.push(joint);
    }

    fn loop_joint(&mut self, reader: &mut Reader, node: Node) {
        let Some((name, span)) = reader.name(node, "name", "a loop joint") else {
            return;
        };
        let owner = format!("loop joint {}", quoted(name));
        reader.attributes(node, &owner, &["name", "type"]);
        let here = self.joint_names.add(reader, name, usize::MAX, span.clone());
        let children = reader.children(node, &owner, &["link1", "link2", "axis"], &[]);
        let kind = joint_kind(reader, node, &owner, &LOOP_TYPES);
        let given = reader.single(&children, "axis", &owner);
        let axis = given.map_or([1.0, 0.0, 0.0], |node| axis(reader, node, &owner, name));
        if let (Some(node), Some(kind)) = (given, kind)
            && !(kind.info().has_axis || kind == JointKind::Planar)
        {
            let span = reader.tag(node);
            let fate = "not used: the joint has none";
            reader.notes.count("axis vector", fate, span, Some(name));
        }
        let mut end = |element| {
            let node = reader.single_required(node, &children, element, &owner)?;
            reader.leaf(node, &owner, &["link", "xyz", "rpy"]);
            let [position, rpy] = ["xyz", "rpy"].map(|attribute| triple(reader, node, attribute, &owner));
            let link = named(reader, node, "link", &owner)?;
            let end = LoopEnd {
                link: link.name,
                position,
                rpy,
            };
            Some((end, link.span))
        };
        if let (Some(first), Some(second), Some(kind)) = (end("link1"), end("link2"), kind) {
            self.loops.push(LoopJoint {
                here,
                span,
                kind,
                ends: [first, second],
                axis,
            });
        }
    }

    /// Loops from elsewhere are shown at the robot's tag.
    fn given_loops(&mut self, reader: &mut Reader, options: &Options) {
        for given in &options.loops {
            let span = self.span.clone();
            let here = self
                .joint_names
                .add(reader, &given.name, usize::MAX, span.clone());
            if given.kind.info().tree_only {
                let kind = given.kind.info().name;
                let message = format!(
                    "loop joint {}: a {kind} joint closes no loop",
                    quoted(&given.name)
                );
                reader.error(span, message, Some("leave it out".to_string()));
                continue;
            }
            let ends = [&given.first, &given.second].map(|end| (end.clone(), span.clone()));
            self.loops.push(LoopJoint {
                here,
                span,
                kind: given.kind,
                ends,
                axis: given.axis,
            });
        }
    }
}

impl Link {
    fn inertial(&mut self, reader: &mut Reader, node: Node, owner: &str) {
        reader.attributes(node, owner, &[]);
        let children = reader.children(node, owner, &["origin", "mass", "inertia"], &[]);
        let before = reader.errors.len();
        let origin = match reader.single(&children, "origin", owner) {
            Some(origin) => placement(reader, origin, owner),
            None => Pose::identity(),
        };
        if let Some(mass) = reader.single_required(node, &children, "mass", owner) {
            reader.leaf(mass, owner, &["value"]);
            self.mass = reader.number_required(mass, "value", owner).unwrap_or(0.0);
            if self.mass < 0.0 {
                let span = reader.tag(mass);
                let message = format!("{owner}: the mass {} kg is negative", self.mass);
                reader.error(span, message, Some("correct it".to_string()));
            }
        }
        let Some(inertia) = reader.single_required(node, &children, "inertia", owner) else {
            return;
        };
        const ENTRIES: [&str; 6] = ["ixx", "iyy", "izz", "ixy", "iyz", "ixz"];
        reader.leaf(inertia, owner, &ENTRIES);
        let missing: Vec<&str> = ENTRIES
            .into_iter()
            .filter(|e| !inertia.has_attribute(*e))
            .collect();
        if !missing.is_empty() {
            let span = reader.tag(inertia);
            let message = format!("{owner}: <inertia> lacks {}", missing.join(", "));
            reader.error(span, message, Some("write all six, zeros as well".to_string()));
        }
        let entries = ENTRIES.map(|entry| reader.number(inertia, entry, owner).unwrap_or(0.0));
        self.centre = origin.position.0;
        // I in the link's axes: R I Rᵀ, with R the orientation of the inertial frame.
        self.inertia = Sym3(entries).rotated(&origin.rotation).0;
        if reader.errors.len() > before {
            return;
        }
        let span = reader.tag(inertia);
        let fault = if self.mass == 0.0 && entries != [0.0; 6] {
            Some(NO_MASS)
        } else {
            impossible(entries)
        };
        let Some(fault) = fault else { return };
        self.unphysical = true;
        if reader.strict {
            let message = format!("{owner}: {}", fault.message);
            reader.error(span, message, Some(fault.help.to_string()));
        } else {
            let name = Some(self.name.as_str());
            reader.notes.count(fault.counted, AS_WRITTEN, span, name);
        }
    }
}

/// Why no body has an inertia.
struct Fault {
    message: &'static str,
    help: &'static str,
    /// Of several links, for a note.
    counted: &'static str,
}

const AS_WRITTEN: &str = "used as written, although physically impossible";

const NO_MASS: Fault = Fault {
    message: "it has a moment of inertia but no mass",
    help: "give it a mass, or leave out <inertial>",
    counted: "moment% of inertia without mass",
};
const NEGATIVE: Fault = Fault {
    message: "a principal moment of inertia is negative",
    help: "check the signs; ixy, ixz and iyz are entries of the matrix",
    counted: "inertia% with a negative principal moment",
};
const TOO_LARGE: Fault = Fault {
    message: "one principal moment of inertia is larger than the sum of the others",
    help: "no body has such an inertia; for a thin plate they are equal",
    counted: "inertia% with a principal moment above the sum of the others",
};

/// Why no body has this inertia. The moments of mass along the axes, ½ tr(I) − I, are positive as
/// well: the triangle inequality of the principal moments.
fn impossible(entries: [f64; 6]) -> Option<Fault> {
    let largest = entries.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
    if largest == 0.0 {
        return None;
    }
    // Scaled, so that products neither overflow nor vanish; what rounded data lack is allowed.
    let scaled = entries.map(|e| e / largest);
    let [xx, yy, zz, xy, yz, zx] = scaled;
    let half = 0.5 * (xx + yy + zz);
    let definite = |[xx, yy, zz, xy, yz, zx]: [f64; 6], slack: f64| {
        let (x, y, z) = (xx + slack, yy + slack, zz + slack);
        let minor = x * y - xy * xy;
        let determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * zx) + zx * (xy * yz - y * zx);
        x > 0.0 && minor > 0.0 && determinant > 0.0
    };
    if !definite(scaled, 1e-6) {
        Some(NEGATIVE)
    } else if !definite([half - xx, half - yy, half - zz, -xy, -yz, -zx], 0.5e-6) {
        Some(TOO_LARGE)
    } else {
        None
    }
}

impl Joint {
    fn limit(&mut self, reader: &mut Reader, node: Node, owner: &str, continuous: bool, options: &Options) {
        let known = [
            "lower",
            "upper",
            "effort",
            "velocity",
            "acceleration",
            "deceleration",
            "jerk",
        ];
        reader.leaf(node, owner, &known);
        let [lower, upper, effort, velocity, ..] = known.map(|name| reader.number(node, name, owner));
        let span = reader.tag(node);
        let stops = lower.is_some() || upper.is_some();
        let one = [JointKind::Revolute, JointKind::Prismatic].contains(&self.kind) && !continuous;
        let name = Some(self.name.as_str());
        if stops && !one {
            let fate = "not used: the joint has none";
            reader.notes.count("position limit", fate, span.clone(), name);
        } else if stops {
            // URDF's own defaults.
            let [lower, upper] = [lower.unwrap_or(0.0), upper.unwrap_or(0.0)];
            if lower > upper {
                let message = format!("{owner}: the lower limit is above the upper one");
                let help = "exchange them".to_string();
                reader.odd(span.clone(), message, "neither is used", Some(help));
            } else if lower == upper {
                let fate = "not used: the lower one equals the upper one";
                reader.notes.count("position limit", fate, span.clone(), name);
            } else {
                self.limits = Some([lower, upper]);
                let fate = match options.limits {
                    true => "turned into end stops",
                    false => "left out, as asked for",
                };
                reader.notes.count("position limit", fate, span.clone(), name);
            }
        }
        self.effort = effort;
        for (value, what) in [(effort, "effort limit"), (velocity, "velocity limit")] {
            if value.is_some() {
                let fate = "not used: add motors as forces in a model file";
                reader.notes.count(what, fate, span.clone(), name);
            }
        }
        for extra in &known[4..] {
            if node.has_attribute(*extra) {
                let what = format!("{extra} limit");
                reader.notes.count(&what, NOT_HONOURED, span.clone(), name);
            }
        }
    }

    fn dynamics(&mut self, reader: &mut Reader, node: Node, owner: &str, options: &Options) {
        reader.leaf(node, owner, &["damping", "friction"]);
        let damping = reader.number(node, "damping", owner).unwrap_or(0.0);
        let friction = reader.number(node, "friction", owner).unwrap_or(0.0);
        let span = reader.tag(node);
        let name = Some(self.name.as_str());
        let one = [JointKind::Revolute, JointKind::Prismatic].contains(&self.kind);
        let honoured = [options.damping, options.friction];
        let values = [(damping, "damping coefficient"), (friction, "friction value")];
        for ((value, what), honoured) in values.into_iter().zip(honoured) {
            if value == 0.0 {
                continue;
            }
            if !one {
                let fate = "not used: it is defined for joints with one coordinate";
                reader.notes.count(what, fate, span.clone(), name);
            } else if !honoured {
                let fate = "left out, as asked for";
                reader.notes.count(what, fate, span.clone(), name);
            }
        }
        if one {
            self.damping = damping;
        }
        if one && friction < 0.0 {
            let message = format!("{owner}: the friction {friction} is negative");
            reader.odd(span, message, "it is not used", Some("correct it".to_string()));
        } else if one {
            self.friction = friction;
            if friction != 0.0 && options.friction {
                let fate = "turned into Coulomb friction";
                reader.notes.count("friction value", fate, span, name);
            }
        }
    }
}

fn mimic(reader: &mut Reader, node: Node, owner: &str) -> Option<Mimic> {
    reader.leaf(node, owner, &["joint", "multiplier", "offset"]);
    let multiplier = reader.number(node, "multiplier", owner).unwrap_or(1.0);
    let offset = reader.number(node, "offset", owner).unwrap_or(0.0);
    let joint = named(reader, node, "joint", owner)?;
    Some(Mimic {
        joint,
        multiplier,
        offset,
    })
}

const JOINT_TYPES: [(&str, JointKind); 6] = [
    ("revolute", JointKind::Revolute),
    ("continuous", JointKind::Revolute),
    ("prismatic", JointKind::Prismatic),
    ("fixed", JointKind::Fixed),
    ("floating", JointKind::Free),
    ("planar", JointKind::Planar),
];
const LOOP_TYPES: [(&str, JointKind); 8] = [
    ("revolute", JointKind::Revolute),
    ("continuous", JointKind::Revolute),
    ("prismatic", JointKind::Prismatic),
    ("fixed", JointKind::Fixed),
    ("planar", JointKind::Planar),
    ("cylindrical", JointKind::Cylindrical),
    ("universal", JointKind::Universal),
    ("spherical", JointKind::Spherical),
];

fn joint_kind(
    reader: &mut Reader,
    node: Node,
    owner: &str,
    types: &[(&str, JointKind)],
) -> Option<JointKind> {
    let (name, span) = reader.name(node, "type", owner)?;
    if let Some((_, kind)) = types.iter().find(|(n, _)| *n == name) {
        return Some(*kind);
    }
    let known: Vec<&str> = types.iter().map(|(n, _)| *n).collect();
    let near = suggestion(reader, name, known.iter().copied()).map_or(String::new(), |s| s + " ");
    let help = format!("{near}the types are {}", known.join(", "));
    reader.error(
        span,
        format!("{owner}: the type {} is not known", quoted(name)),
        Some(help),
    );
    None
}

fn named(reader: &mut Reader, node: Node, attribute: &str, owner: &str) -> Option<Named> {
    let (name, span) = reader.name(node, attribute, owner)?;
    Some(Named {
        name: name.to_string(),
        span,
    })
}

fn triple(reader: &mut Reader, node: Node, attribute: &str, owner: &str) -> [f64; 3] {
    match node.attribute_node(attribute) {
        Some(attribute) => reader.numbers(attribute, owner),
        None => [0.0; 3],
    }
}

/// A joint's axis; x where it is wrong.
fn axis(reader: &mut Reader, node: Node, owner: &str, name: &str) -> [f64; 3] {
    const X: [f64; 3] = [1.0, 0.0, 0.0];
    reader.leaf(node, owner, &["xyz"]);
    let before = reader.errors.len();
    let Some(attribute) = reader.required(node, "xyz", owner) else {
        return X;
    };
    let axis: [f64; 3] = reader.numbers(attribute, owner);
    if reader.errors.len() > before {
        return X;
    }
    let Some(unit) = Vec3(axis).normalised() else {
        let message = format!("{owner}: the axis has no direction");
        let help = "write a direction such as xyz=\"0 0 1\"";
        reader.error(attribute.range(), message, Some(help.to_string()));
        return X;
    };
    if (unit.dot(Vec3(axis)) - 1.0).abs() > 1e-3 {
        let fate = "scaled to length 1";
        reader
            .notes
            .count("axis vector", fate, attribute.range(), Some(name));
    }
    axis
}

fn placement(reader: &mut Reader, node: Node, owner: &str) -> Frame {
    reader.leaf(node, owner, &["xyz", "rpy"]);
    let position = triple(reader, node, "xyz", owner);
    let rpy = triple(reader, node, "rpy", owner);
    frame(position, rpy)
}
