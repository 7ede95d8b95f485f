//! The description: bodies, markers, joints and couplings.

use super::elements::{Joint as UrdfJoint, Link, LoopJoint, Robot};
use super::mimic::{self, Positions};
use super::notes::listed;
use super::tree::{self, Edge, Tree};
use super::xml::{Reader, quoted};
use super::{Base, Imported, LoopEnd, Options, Renamed, resistance, turned};
use core::ops::Range;
use holonom_algebra::{Mat3, Pose, Vec3};
use holonom_multibody::Description;
use holonom_multibody::description::{Body, Constraint, Frame, Joint, JointKind, Marker, frame};
use holonom_multibody::forest::Hint;

/// The link that is the ground.
const WORLD: &str = "world";

/// Where a link's frame is.
#[derive(Clone)]
struct Seat {
    /// Number of the body; none for the ground.
    body: Option<usize>,
    /// The link's frame in that body.
    pose: Frame,
    /// The same in the words of the description.
    reference: String,
}

/// Builds the description; none, with errors, when the robot is broken.
pub(super) fn build(reader: &mut Reader, robot: Robot, file: &str, options: &Options) -> Option<Imported> {
    let name = match &robot.name {
        Some(name) if !name.trim().is_empty() => name.clone(),
        _ => {
            let stem = std::path::Path::new(file).file_stem();
            let name = stem.map_or("robot".into(), |s| s.to_string_lossy()).into_owned();
            let message = format!(
                "the robot has no name; it is called {} after the file",
                quoted(&name)
            );
            let help = Some("write <robot name=\"…\">");
            reader.notes.add(robot.span.clone(), message, help);
            name
        }
    };
    tree::check_loops(reader, &robot);
    let tree = tree::build(reader, &robot);
    let held = match &tree {
        Some(tree) => {
            world_is_root(reader, &robot, tree, options);
            without_mass(reader, &robot, tree, options)
        }
        None => vec![false; robot.joints.len()],
    };
    let positions = mimic::positions(reader, &robot.joints, &robot.joint_names, &held, options);
    let tree = tree?;
    if !reader.errors.is_empty() {
        // Loops are checked below against seats that may be wrong.
        return None;
    }
    let mut build = Build {
        description: Description::new(name),
        seats: vec![None; robot.links.len()],
        markers: Vec::new(),
        positions,
        robot,
    };
    build.root(reader, tree.root, options);
    let mut joint_names = vec![None; build.robot.joints.len()];
    for edge in &tree.joints {
        joint_names[edge.joint] = build.joint(edge);
    }
    build.followers(&tree);
    build.description.forces = resistance::forces(reader, &build.robot, &tree, &build.positions, options);
    for index in 0..build.robot.loops.len() {
        build.close(reader, index);
    }
    Some(build.finish(reader, joint_names))
}

fn world_is_root(reader: &mut Reader, robot: &Robot, tree: &Tree, options: &Options) {
    let Some(world) = robot.link_names.find(WORLD) else {
        return;
    };
    let link = &robot.links[world];
    if world != tree.root {
        let message = format!("link {}: it is the ground, but a joint carries it", quoted(WORLD));
        let help = "make it the root, or rename it";
        reader.error(link.span.clone(), message, Some(help.to_string()));
    } else if options.base == Base::Free {
        let message = format!("link {}: the root is the ground and cannot float", quoted(WORLD));
        let help = "read the file with a fixed base, or rename the link";
        reader.error(link.span.clone(), message, Some(help.to_string()));
    } else if link.mass != 0.0 {
        let message = format!(
            "the mass of the link {} is not used: it is the ground",
            quoted(WORLD)
        );
        reader.notes.add(link.span.clone(), message, None);
    }
}

/// The joints that are to keep their positions because nothing they move has mass; what is free
/// must have it rigidly.
fn without_mass(reader: &mut Reader, robot: &Robot, tree: &Tree, options: &Options) -> Vec<bool> {
    let mut held = vec![false; robot.joints.len()];
    let mut carries: Vec<bool> = robot.links.iter().map(|link| link.mass > 0.0).collect();
    // A moment of inertia is enough for what turns.
    let mut turns: Vec<bool> = robot.links.iter().map(|link| !link.is_frame()).collect();
    if robot.links[tree.root].name == WORLD {
        carries[tree.root] = false;
    }
    let mut rigid = carries.clone();
    for edge in tree.joints.iter().rev() {
        carries[edge.parent] |= carries[edge.child];
        turns[edge.parent] |= turns[edge.child];
        rigid[edge.parent] |= rigid[edge.child] && robot.joints[edge.joint].kind == JointKind::Fixed;
    }
    if !carries[tree.root] {
        if !reader.errors.is_empty() {
            // The mass may be in what could not be read.
            return held;
        }
        let message = "no link of the robot has mass".to_string();
        let help = "add <inertial> to the links that move";
        reader.error(robot.span.clone(), message, Some(help.to_string()));
        return held;
    }
    let mut floating = |link: &Link| {
        let message = format!(
            "link {} floats, but neither it nor a link fixed to it has mass",
            quoted(&link.name)
        );
        let help = "add <inertial> to it";
        reader.error(link.span.clone(), message, Some(help.to_string()));
    };
    if options.base == Base::Free && !rigid[tree.root] {
        floating(&robot.links[tree.root]);
    }
    for edge in &tree.joints {
        if robot.joints[edge.joint].kind == JointKind::Free && carries[edge.child] && !rigid[edge.child] {
            floating(&robot.links[edge.child]);
        }
    }
    // A fixed root may be without mass; so may be what it carries by fixed joints.
    let mut reported = vec![false; robot.links.len()];
    for edge in &tree.joints {
        let joint = &robot.joints[edge.joint];
        let moves = match joint.kind {
            JointKind::Fixed => {
                reported[edge.child] = reported[edge.parent];
                continue;
            }
            JointKind::Revolute => turns[edge.child],
            _ => carries[edge.child],
        };
        if moves {
            continue;
        }
        held[edge.joint] = true;
        if !reader.strict {
            let fate = "locked, because it moves nothing with mass";
            let (span, name) = (joint.span.clone(), Some(joint.name.as_str()));
            reader.notes.count("joint", fate, span, name);
        } else if !reported[edge.parent] {
            let link = &robot.links[edge.child];
            let message = format!(
                "link {}: the joint {} moves it, but neither it nor anything behind it has mass",
                quoted(&link.name),
                quoted(&joint.name)
            );
            let help = "add <inertial>, or make the joint fixed";
            reader.error(link.span.clone(), message, Some(help.to_string()));
        }
        reported[edge.child] = true;
    }
    held
}

/// A planar joint moves across z of its frames: they are turned so that z is the axis. For an axis
/// x its coordinates are along y and z, for an axis y along z and x.
fn across(kind: JointKind, axis: [f64; 3]) -> Frame {
    let unit = Vec3::unit;
    let rotation = match axis {
        _ if kind != JointKind::Planar => Mat3::identity(),
        [0.0, 0.0, z] if z > 0.0 => Mat3::identity(),
        [x, 0.0, 0.0] if x > 0.0 => Mat3::from_columns(unit(1), unit(2), unit(0)),
        [0.0, y, 0.0] if y > 0.0 => Mat3::from_columns(unit(2), unit(0), unit(1)),
        axis => frame::along([0.0; 3], axis).rotation,
    };
    Pose::new(rotation, Vec3::zero())
}

struct Build {
    description: Description,
    seats: Vec<Option<Seat>>,
    /// Links that became markers, with their bodies.
    markers: Vec<(String, Range<usize>)>,
    positions: Positions,
    robot: Robot,
}

impl Build {
    fn root(&mut self, reader: &mut Reader, root: usize, options: &Options) {
        let link = &self.robot.links[root];
        let ground = Seat {
            body: None,
            pose: Pose::identity(),
            reference: "ground".to_string(),
        };
        let seat = if link.name == WORLD {
            ground
        } else if link.is_frame() && options.base == Base::Fixed {
            self.marker_link(root, &ground, Pose::identity())
        } else {
            let name = self.robot.joint_names.fresh(format!("{}_base", link.here));
            let kind = match options.base {
                Base::Fixed => JointKind::Fixed,
                Base::Free => JointKind::Free,
            };
            let what = match options.base {
                Base::Fixed => "fixed to the ground",
                Base::Free => "free",
            };
            let message = format!(
                "the root link {} is {what}, by the joint {}",
                quoted(&link.name),
                quoted(&name)
            );
            let span = link.span.clone();
            reader.notes.add(span, message, None);
            let here = link.here.clone();
            let seat = self.body_link(root);
            self.description
                .joints
                .push(Joint::new(name, kind, "ground", here));
            seat
        };
        self.seats[root] = Some(seat);
    }

    /// A link as a body of its own.
    fn body_link(&mut self, link: usize) -> Seat {
        let Link {
            here,
            mass,
            centre,
            inertia,
            unphysical,
            ..
        } = &self.robot.links[link];
        let mut body = Body::new(here.clone(), *mass).centre(*centre).inertia(*inertia);
        body.unphysical = *unphysical;
        self.description.bodies.push(body);
        Seat {
            body: Some(self.description.bodies.len() - 1),
            pose: Pose::identity(),
            reference: here.clone(),
        }
    }

    /// A link as a marker on the body before it.
    fn marker_link(&mut self, link: usize, on: &Seat, pose: Frame) -> Seat {
        let Link { name, here, span, .. } = &self.robot.links[link];
        let seat = Seat {
            body: on.body,
            pose,
            reference: format!("{}.{here}", self.body_name(on.body)),
        };
        self.markers.push((
            format!("{} is {}", quoted(name), quoted(&seat.reference)),
            span.clone(),
        ));
        let here = here.clone();
        self.mark(on.body, here, pose);
        seat
    }

    fn body_name(&self, body: Option<usize>) -> &str {
        body.map_or("ground", |body| &self.description.bodies[body].name)
    }

    fn mark(&mut self, body: Option<usize>, name: String, frame: Frame) {
        let markers = match body {
            Some(body) => &mut self.description.bodies[body].markers,
            None => &mut self.description.ground,
        };
        markers.push(Marker { name, frame });
    }

    /// A frame on a link for a joint: the link's own or a marker with the joint's name, which is
    /// changed where a link has the same.
    fn frame_for(&mut self, on: &Seat, offset: &Frame, joint: &str) -> String {
        if offset.rotation == Mat3::identity() && offset.position == Vec3::zero() {
            return on.reference.clone();
        }
        let mut name = joint.to_string();
        if self.robot.link_names.is_taken(&name) {
            name.push_str("_joint");
            while self.robot.link_names.is_taken(&name) || self.robot.joint_names.is_taken(&name) {
                name.push('_');
            }
        }
        let reference = format!("{}.{name}", self.body_name(on.body));
        self.mark(on.body, name, on.pose.then(offset));
        reference
    }

    /// Adds a joint of the tree with its child; gives its name unless the child became a marker.
    fn joint(&mut self, edge: &Edge) -> Option<String> {
        let parent = self.seats[edge.parent].clone()?;
        let UrdfJoint {
            here,
            kind,
            origin,
            axis,
            ..
        } = &self.robot.joints[edge.joint];
        let (here, mut kind, origin, axis) = (here.clone(), *kind, *origin, *axis);
        let locked = self.positions.locked[edge.joint];
        let one = [JointKind::Revolute, JointKind::Prismatic].contains(&kind);
        if locked && !one {
            kind = JointKind::Fixed;
        }
        if kind == JointKind::Fixed && self.robot.links[edge.child].is_frame() {
            let seat = self.marker_link(edge.child, &parent, parent.pose.then(&origin));
            self.seats[edge.child] = Some(seat);
            return None;
        }
        let turn = across(kind, axis);
        let from = self.frame_for(&parent, &origin.then(&turn), &here);
        let seat = self.body_link(edge.child);
        let to = self.frame_for(&seat, &turn, &here);
        let mut joint = Joint::new(here.clone(), kind, from, to);
        if kind.info().has_axis {
            joint = joint.axis(axis);
        }
        let start = self.positions.starts[edge.joint];
        if locked && one {
            joint = joint.locked(0, start);
        } else if start != 0.0 {
            joint = joint.start(start, 0.0);
        }
        self.seats[edge.child] = Some(seat);
        self.description.joints.push(joint);
        Some(here)
    }

    /// `<mimic>`: position − multiplier · other = offset; what follows a joint that stands still
    /// is locked.
    fn followers(&mut self, tree: &Tree) {
        for edge in &tree.joints {
            let UrdfJoint { here, mimic, .. } = &self.robot.joints[edge.joint];
            let led = self.positions.leaders[edge.joint].filter(|_| !self.positions.locked[edge.joint]);
            let (Some(mimic), Some(leader)) = (mimic, led) else {
                continue;
            };
            let name = self.robot.joint_names.fresh(format!("{here}_mimic"));
            let other = self.robot.joints[leader].here.as_str();
            let terms = [(here.as_str(), 1.0), (other, -mimic.multiplier)];
            let coupling = Constraint::coupling(name, terms, mimic.offset);
            self.description.constraints.push(coupling);
        }
    }

    /// Adds a joint that closes a loop. It is cut, so that the joints of the file stay the tree.
    fn close(&mut self, reader: &mut Reader, index: usize) {
        let LoopJoint {
            here,
            span,
            kind,
            ends,
            axis,
        } = &self.robot.loops[index];
        let (here, kind, axis, span) = (here.clone(), *kind, *axis, span.clone());
        let place = format!("loop joint {}", quoted(&here));
        let ends = ends.clone().map(|(end, _)| {
            let LoopEnd { link, position, rpy } = end;
            // Links that do not exist have been reported.
            let seat = self.seats[self.robot.link_names.find(&link)?].clone()?;
            Some((seat, turned::frame(position, rpy)))
        });
        let [Some((first, at_first)), Some((second, at_second))] = ends else {
            return;
        };
        if first.body == second.body {
            let body = quoted(self.body_name(first.body));
            let message = format!("{place}: both ends are on the same body, {body}");
            reader.error(
                span,
                message,
                Some("name two links that move against each other".to_string()),
            );
            return;
        }
        let turn = across(kind, axis);
        let from = self.frame_for(&first, &at_first.then(&turn), &here);
        let to = self.frame_for(&second, &at_second.then(&turn), &here);
        let mut joint = Joint::new(here, kind, from, to).hint(Hint::Cut);
        if kind.info().has_axis {
            joint = joint.axis(axis);
        }
        self.description.joints.push(joint);
    }

    fn finish(self, reader: &mut Reader, joint_names: Vec<Option<String>>) -> Imported {
        let Robot {
            links,
            joints,
            link_names,
            joint_names: names,
            ..
        } = self.robot;
        if let Some((_, span)) = self.markers.first() {
            let all: Vec<String> = self.markers.iter().map(|(text, _)| text.clone()).collect();
            let message = format!("links without mass became markers: {}", listed(&all));
            reader.notes.add(span.clone(), message, None);
        }
        for (joint, start) in joints.iter().zip(&self.positions.starts) {
            if let Some([lower, upper]) = joint.limits
                && (*start < lower || *start > upper)
            {
                let what = "initial position";
                let fate = "outside the limits of the joint";
                let name = Some(joint.name.as_str());
                reader.notes.count(what, fate, joint.span.clone(), name);
            }
        }
        let mut description = self.description;
        for (link, seat) in links.iter().zip(&self.seats) {
            let Some(seat) = seat else { continue };
            let shapes = link.visuals.iter().map(|visual| {
                let mut shape = visual.shape.clone().at(visual.frame);
                shape.on.clone_from(&seat.reference);
                shape
            });
            description.shapes.extend(shapes);
        }
        link_names.note_renamed(reader);
        names.note_renamed(reader);
        let seats = links.into_iter().zip(self.seats);
        Imported {
            description,
            notes: Vec::new(),
            links: seats
                .map(|(link, seat)| Renamed {
                    urdf: link.name,
                    here: seat.map(|s| s.reference),
                })
                .collect(),
            joints: joints
                .into_iter()
                .zip(joint_names)
                .map(|(joint, here)| Renamed {
                    urdf: joint.name,
                    here,
                })
                .collect(),
        }
    }
}
