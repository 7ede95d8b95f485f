//! Parts in mechanisms: an axle described once, in a car twice, the second time mirrored.

mod mirrored;

use crate::compile::names::Names;
use crate::description::{CoordinateRef, Description, Document, Frame, Marker};
use crate::diagnostic::{Diagnostic, ThingKind};
use crate::fields::{Field, Fields};
use crate::mirror::Axis;
use crate::names::GROUND;
use crate::signal::Signal;
use holonom_algebra::Pose;
use holonom_expression::Expression;
use std::collections::HashSet;

/// Where and under which names a part is included.
///
/// ```
/// use holonom_multibody::description::{Axis, frame};
/// use holonom_multibody::include::Placement;
///
/// let left = Placement::new("left_").on("car.front").at(frame::at([0.0, 0.7, 0.0]));
/// let right = Placement::new("right_").on("car.front").at(frame::at([0.0, -0.7, 0.0])).mirror(Axis::Y);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Goes before all names of the part.
    pub prefix: String,
    /// Frame of the host that carries the part: `body`, `body.marker` or `ground`.
    pub on: String,
    /// Where the part's ground is in that frame.
    pub frame: Frame,
    /// Take the mirror image of the part, in the plane through the origin of its ground at a
    /// right angle to this axis of its ground.
    pub mirror: Option<Axis>,
}

impl Placement {
    /// On the ground, as the part is described.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            on: GROUND.to_string(),
            frame: Pose::identity(),
            mirror: None,
        }
    }

    /// On a frame of the host.
    pub fn on(mut self, frame: impl Into<String>) -> Self {
        self.on = frame.into();
        self
    }

    /// With the part's ground at a pose in that frame.
    pub fn at(mut self, frame: Frame) -> Self {
        self.frame = frame;
        self
    }

    /// As the mirror image in the plane at a right angle to an axis of the part's ground.
    pub fn mirror(mut self, axis: Axis) -> Self {
        self.mirror = Some(axis);
        self
    }

    /// Name of the marker that stands for the part's ground.
    pub fn ground_marker(&self) -> String {
        if self.prefix.is_empty() {
            // A marker may not be called "ground".
            "part_ground".to_string()
        } else {
            format!("{}{GROUND}", self.prefix)
        }
    }
}

impl Description {
    /// Adds the things of another mechanism.
    ///
    /// All names of the part get the prefix, those of markers on its bodies excepted. Its ground
    /// becomes a frame of the host: a marker `prefix` + `ground`, and its markers on the ground
    /// become markers `prefix` + name there. Gravity is that of the host. Loads in ground axes are
    /// turned with the part. References between the part and the host are made afterwards, by the
    /// new names.
    ///
    /// ```
    /// use holonom_multibody::Description;
    /// use holonom_multibody::description::{Axis, Body, Joint, frame};
    /// use holonom_multibody::include::Placement;
    ///
    /// let leg = Description::new("leg")
    ///     .ground_marker("hip", frame::at([0.0, 0.2, 0.0]))
    ///     .body(Body::ball("foot", 1.0, 0.1).marker("top", frame::at([0.0, 0.0, 0.5])))
    ///     .joint(Joint::revolute("hip", "ground.hip", "foot.top").axis([1.0, 0.0, 0.0]).start(0.3, 0.0));
    /// let walker = Description::new("walker")
    ///     .body(Body::ball("trunk", 10.0, 0.3))
    ///     .joint(Joint::free("float", "ground", "trunk"))
    ///     .include(leg.clone(), &Placement::new("left_").on("trunk"))?
    ///     .include(leg, &Placement::new("right_").on("trunk").mirror(Axis::Y))?;
    /// let right = &walker.joints[2];
    /// assert_eq!((right.name.as_str(), right.from.as_str()), ("right_hip", "trunk.right_hip"));
    /// // Both swing outwards by the same angle.
    /// assert_eq!((right.axis, right.coordinates[0].position), ([-1.0, 0.0, 0.0], 0.3));
    /// assert_eq!(walker.compile()?.tree.n_v, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The frame that should carry the part does not exist, or a load would have to keep
    /// the directions of a ground that turns.
    pub fn include(mut self, part: Self, placement: &Placement) -> Result<Self, Diagnostic> {
        self.add_part(part, placement)?;
        Ok(self)
    }

    /// The same as [`Description::include`], in place; nothing is added when it fails.
    ///
    /// # Errors
    /// See there.
    pub fn add_part(&mut self, part: Self, placement: &Placement) -> Result<(), Diagnostic> {
        let include = ThingKind::Include.named(&placement.prefix);
        let host = Names::new(self).frame(&placement.on);
        let host = host.map_err(|error| error.of(&include))?;
        let mut part = match placement.mirror {
            Some(axis) => part.mirrored(axis),
            None => part,
        };
        let pose = host.frame.then(&placement.frame);
        let on_ground = host.body == 0;
        turn_loads(&mut part, &pose, on_ground, placement)?;

        // Nothing has to stand for the part's ground where it is the host's.
        let same = on_ground && placement.prefix.is_empty() && pose == Pose::identity();
        let carrier = Names::new(self).body(host.body).to_string();
        let mut rename = Rename {
            prefix: &placement.prefix,
            ground: if same {
                GROUND.to_string()
            } else {
                format!("{carrier}.{}", placement.ground_marker())
            },
            carrier: &carrier,
            roads: part.roads.iter().map(|road| road.name.clone()).collect(),
            paths: part.paths.iter().map(|path| path.name.clone()).collect(),
            things: part.things().map(str::to_string).collect(),
        };
        rename.all(&mut part);

        let markers = match host.body {
            0 => &mut self.ground,
            body => &mut self.bodies[body - 1].markers,
        };
        if !same {
            markers.push(Marker {
                name: placement.ground_marker(),
                frame: pose,
            });
        }
        for marker in part.ground {
            markers.push(Marker {
                name: format!("{}{}", placement.prefix, marker.name),
                frame: pose.then(&marker.frame),
            });
        }
        self.bodies.append(&mut part.bodies);
        self.joints.append(&mut part.joints);
        self.constraints.append(&mut part.constraints);
        self.rods.append(&mut part.rods);
        self.forces.append(&mut part.forces);
        self.roads.append(&mut part.roads);
        self.controls.append(&mut part.controls);
        self.tracks.append(&mut part.tracks);
        self.paths.append(&mut part.paths);
        self.inputs.append(&mut part.inputs);
        self.hints.append(&mut part.hints);
        self.shapes.append(&mut part.shapes);
        Ok(())
    }
}

impl Description {
    /// Names of all that has channels of its own.
    fn things(&self) -> impl Iterator<Item = &str> {
        let bodies = self.bodies.iter().map(|x| &x.name);
        let joints = self.joints.iter().map(|x| &x.name);
        let constraints = self.constraints.iter().map(|x| &x.name);
        let rods = self.rods.iter().map(|x| &x.name);
        let forces = self.forces.iter().map(|x| &x.name);
        let controls = self.controls.iter().map(|x| &x.name);
        let held = bodies.chain(joints).chain(constraints).chain(rods);
        held.chain(forces).chain(controls).map(String::as_str)
    }
}

/// Components in the axes of the part's ground become components in those of the host's.
fn turn_loads(
    part: &mut Description,
    pose: &Frame,
    on_ground: bool,
    placement: &Placement,
) -> Result<(), Diagnostic> {
    for element in &mut part.forces {
        let vectors = element.kind.ground_vectors();
        if !on_ground && !vectors.is_empty() {
            let fault = format!(
                "the components of force \"{}\" are in the axes of the part's ground, which turns with \"{}\"",
                element.name, placement.on
            );
            let include = ThingKind::Include.named(&placement.prefix);
            let remedy = "let the force follow its frame, or include the part on the ground";
            return Err(include.fault(fault).remedy(remedy).field("on"));
        }
        for components in vectors {
            let turned = pose.rotation.0.map(|row| Signal::combined(row, components));
            *components = turned;
        }
    }
    Ok(())
}

/// New names for the things of a part and for what refers to them.
struct Rename<'a> {
    prefix: &'a str,
    /// The frame that stands for the part's ground.
    ground: String,
    /// The body that carries the part.
    carrier: &'a str,
    /// Roads of the part; others are the host's.
    roads: Vec<String>,
    /// Paths of the part; others are the host's.
    paths: Vec<String>,
    /// What in the part has channels of its own.
    things: HashSet<String>,
}

impl Rename<'_> {
    fn all(&mut self, part: &mut Description) {
        let prefix = self.prefix;
        let longer = |name: &mut String| name.insert_str(0, prefix);
        for body in &mut part.bodies {
            longer(&mut body.name);
        }
        for joint in &mut part.joints {
            longer(&mut joint.name);
            joint.fields(self);
        }
        for constraint in &mut part.constraints {
            longer(&mut constraint.name);
            constraint.kind.fields(self);
        }
        for rod in &mut part.rods {
            longer(&mut rod.name);
            rod.fields(self);
        }
        for force in &mut part.forces {
            longer(&mut force.name);
            force.kind.fields(self);
        }
        for road in &mut part.roads {
            longer(&mut road.name);
            road.fields(self);
        }
        for control in &mut part.controls {
            longer(&mut control.name);
            control.kind.fields(self);
        }
        for track in &mut part.tracks {
            longer(&mut track.name);
            track.fields(self);
        }
        for path in &mut part.paths {
            longer(&mut path.name);
            path.fields(self);
        }
        for hint in &mut part.hints {
            hint.fields(self);
        }
        for shape in &mut part.shapes {
            shape.fields(self);
        }
        for input in &mut part.inputs {
            longer(&mut input.name);
        }
    }

    /// Controls that a function of time names.
    fn controls(&self, signal: &mut Signal) {
        let name = |name: &str| match name {
            "t" => name.to_string(),
            _ => format!("{}{name}", self.prefix),
        };
        signal.change_expressions(&mut |expression| {
            (expression.variables().len() > 1).then(|| expression.with_variables(name))
        });
    }
}

impl Fields for Rename<'_> {
    fn number(&mut self, _: &Field, _: &mut f64) {}
    fn vector(&mut self, _: &Field, _: &mut [f64; 3]) {}
    fn symmetric(&mut self, _: &Field, _: &mut [f64; 6]) {}
    fn numbers(&mut self, _: &Field, _: &mut Vec<f64>) {}
    fn signal(&mut self, _: &Field, value: &mut Signal) {
        self.controls(value);
    }
    fn signals(&mut self, _: &Field, value: &mut [Signal; 3]) {
        value.iter_mut().for_each(|signal| self.controls(signal));
    }
    fn channel(&mut self, _: &Field, value: &mut String) {
        let kind = value.find(':').map_or(0, |colon| colon + 1);
        let (first, rest) = match value[kind..].split_once('.') {
            Some((first, rest)) => (first, !rest.is_empty()),
            None => (&value[kind..], false),
        };
        let at = match first {
            _ if !rest || self.things.contains(first) => kind,
            // Of the whole mechanism, which is the host's then.
            "energy" | "momentum" | "angular_momentum" | "residual" => return,
            // The name of the thing follows.
            "constraint" | "input" => kind + first.len() + 1,
            _ => kind,
        };
        value.insert_str(at, self.prefix);
    }
    fn expressions(&mut self, _: &Field, _: &[&'static str], _: &mut [Expression; 3]) {}
    fn expression(&mut self, _: &Field, _: &[&'static str], _: &mut Expression) {}
    fn matrix(&mut self, _: &Field, _: &mut [[f64; 6]; 6]) {}
    fn frame(&mut self, _: &Field, value: &mut String) {
        *value = match value.split_once('.') {
            None if value == GROUND => self.ground.clone(),
            Some((GROUND, marker)) => format!("{}.{}{marker}", self.carrier, self.prefix),
            _ => format!("{}{value}", self.prefix),
        };
    }
    fn frames(&mut self, field: &Field, value: &mut Vec<String>) {
        value.iter_mut().for_each(|frame| self.frame(field, frame));
    }
    fn coordinate(&mut self, _: &Field, value: &mut CoordinateRef) {
        value.joint.insert_str(0, self.prefix);
    }
    fn terms(&mut self, _: &Field, value: &mut Vec<(CoordinateRef, f64)>) {
        for (coordinate, _) in value {
            coordinate.joint.insert_str(0, self.prefix);
        }
    }
    fn flag(&mut self, _: &Field, _: &mut bool) {}
    fn choice(&mut self, _: &Field, _: &[&'static str], _: &mut usize) {}
    fn road(&mut self, _: &Field, value: &mut String) {
        if self.roads.contains(value) {
            value.insert_str(0, self.prefix);
        }
    }
    fn path(&mut self, _: &Field, value: &mut String) {
        if self.paths.contains(value) {
            value.insert_str(0, self.prefix);
        }
    }
    fn constraint(&mut self, _: &Field, value: &mut String) {
        value.insert_str(0, self.prefix);
    }
    fn document(&mut self, _: &Field, _: &mut Document) {}
    fn text(&mut self, _: &Field, _: &mut String) {}
    fn points(&mut self, _: &Field, _: &mut Vec<[f64; 3]>) {}
}
