//! Joints, and what refers to them.

use super::Reader;
use super::table_reader::TableReader;
use crate::tree::{Kind, Table, Value};
use core::ops::Range;
use holonom_algebra::{CardanAngles, Quaternion};
use holonom_multibody::description::{Coordinate, CoordinateMotion, CoordinateRef, Hold, Joint, JointKind};
use holonom_multibody::diagnostic::ThingKind;
use holonom_multibody::elements::joints::{CoordinateInfo, JOINTS};
use holonom_multibody::forest::Hint;
use holonom_text::nearest;

/// Wishes about tree and cut, as written.
pub(crate) const HINTS: [(&str, Hint); 3] = [("auto", Hint::Auto), ("tree", Hint::Tree), ("cut", Hint::Cut)];

/// Keys of the initial values of a coordinate.
const FIXED: [&str; 2] = ["start", "velocity"];

impl Reader<'_, '_> {
    pub(super) fn joint(&mut self, table: &Table) {
        let mut fields = TableReader::new(self, table, "a joint");
        let name = fields.name(ThingKind::Joint);
        let names: Vec<&str> = JOINTS.iter().map(|j| j.name).collect();
        let kind = fields.required("kind", &format!("one of {}", names.join(", ")));
        let kind = kind.and_then(|value| fields.reader.choice(value, "kind of joint", &names));
        let Some(kind) = kind.map(|index| (JOINTS[index].template)()) else {
            return;
        };
        let mut joint = Joint::new(&name, kind, "", "");
        joint.fields(&mut fields);
        let hint = fields.optional("hint");
        let info = kind.info();
        for (index, coordinate) in info.coordinates.iter().enumerate() {
            if let Some(value) = fields.optional(coordinate.name) {
                let read = fields.reader.coordinate_start(value, coordinate, &name);
                joint.coordinates.resize_with(index + 1, Coordinate::default);
                joint.coordinates[index] = read;
            }
        }
        // What says nothing is not kept, so that writing and reading are inverse.
        while joint
            .coordinates
            .last()
            .is_some_and(|c| *c == Coordinate::default())
        {
            joint.coordinates.pop();
        }
        let (mut locked, mut fixed) = (None, [None; 2]);
        if info.has_orientation {
            let orientation = fields.optional("orientation");
            let angular_velocity = fields.optional("angular_velocity");
            locked = fields.optional("orientation_locked");
            fixed = ["orientation_fixed", "angular_velocity_fixed"].map(|key| fields.optional(key));
            if let Some(start) = orientation.and_then(|value| fields.reader.orientation(value)) {
                joint.orientation = start;
                joint.orientation_hold = Hold::Stated;
            }
            if let Some(omega) = angular_velocity.and_then(|value| fields.reader.numbers(value, "rad/s")) {
                joint.angular_velocity = omega;
                joint.angular_velocity_hold = Hold::Stated;
            }
        }
        fields.finish();
        if let Some(locked) = locked.and_then(|value| self.flag(value)) {
            joint.orientation_locked = locked;
        }
        let holds = [&mut joint.orientation_hold, &mut joint.angular_velocity_hold];
        for ((value, hold), key) in fixed
            .into_iter()
            .zip(holds)
            .zip(["orientation", "angular_velocity"])
        {
            let Some(value) = value else { continue };
            match self.flag(value) {
                Some(true) if *hold == Hold::Free => {
                    let text = format!("joint \"{name}\": `{key}_fixed` fixes a value that is not given");
                    self.error_with_help(&value.span, text, format!("give `{key}`, or remove this"));
                }
                Some(true) if joint.orientation_locked => {
                    let text =
                        format!("joint \"{name}\": the orientation is locked, so `fixed` has no effect");
                    self.error_with_help(&value.span, text, format!("remove `{key}_fixed`"));
                }
                Some(true) => *hold = Hold::Fixed,
                _ => {}
            }
        }
        if let Some(value) = hint
            && let Some(index) = self.choice(value, "hint", &HINTS.map(|(name, _)| name))
        {
            joint.hint = HINTS[index].1;
        }
        self.model.description.joints.push(joint);
    }

    /// Start and motion of one coordinate: a number, or a table.
    fn coordinate_start(&mut self, value: &Value, info: &CoordinateInfo, joint: &str) -> Coordinate {
        let mut coordinate = Coordinate::default();
        let Kind::Table(table) = &value.kind else {
            coordinate.position = self.number(value, info.unit);
            coordinate.position_hold = Hold::Stated;
            return coordinate;
        };
        let thing = format!("`{}` of joint \"{joint}\"", info.name);
        let mut fields = TableReader::new(self, table, thing.clone());
        let start = fields.optional("start");
        let velocity = fields.optional("velocity");
        let locked = fields.optional("locked");
        let follows = fields.optional("follows");
        let fixed = fields.optional("fixed");
        fields.finish();
        if let Some(start) = start {
            coordinate.position = self.number(start, info.unit);
            coordinate.position_hold = Hold::Stated;
        }
        if let Some(velocity) = velocity {
            coordinate.velocity = self.number(velocity, &format!("{}/s", info.unit));
            coordinate.velocity_hold = Hold::Stated;
        }
        if let Some(locked) = locked
            && self.flag(locked) == Some(true)
        {
            coordinate.motion = CoordinateMotion::Locked;
            // It says more than how the start is meant.
            coordinate.position_hold = Hold::Free;
        }
        if let Some(follows) = follows {
            if let Some(other) = start.or(velocity).or(locked).or(fixed) {
                let text = format!("{thing} follows a function of time, which already determines this");
                self.error_with_help(&other.span, text, "remove it, or `follows`");
            }
            coordinate.motion = CoordinateMotion::Prescribed(self.motion(follows, info.unit));
        } else if let Some(fixed) = fixed {
            self.fixed(fixed, &mut coordinate, &thing);
        }
        coordinate
    }

    /// Which initial values of a coordinate are kept at all events: `true` for those that are given, or
    /// a list of their keys.
    fn fixed(&mut self, value: &Value, coordinate: &mut Coordinate, thing: &str) {
        if coordinate.motion == CoordinateMotion::Locked {
            let text = format!("{thing} is locked, so `fixed` has no effect");
            self.error_with_help(&value.span, text, "remove `fixed`, or `locked`");
            return;
        }
        let given = [coordinate.position_hold, coordinate.velocity_hold].map(|hold| hold != Hold::Free);
        let wanted = match &value.kind {
            Kind::Flag(false) => return,
            Kind::Flag(true) => given,
            _ => {
                let Some(keys) = self.list(value) else { return };
                let mut wanted = [false; 2];
                for key in keys {
                    match self.choice(key, "initial value to fix", &FIXED) {
                        Some(which) if given[which] => wanted[which] = true,
                        Some(which) => {
                            let name = FIXED[which];
                            let text = format!("{thing}: `{name}` is fixed, but not given");
                            self.error_with_help(&key.span, text, format!("add `{name}`, or remove this"));
                        }
                        None => {}
                    }
                }
                wanted
            }
        };
        if wanted == [false; 2] {
            if given == [false; 2] {
                let text = format!("{thing}: `fixed` needs an initial value or velocity");
                self.error_with_help(&value.span, text, "add `start` or `velocity`, or remove `fixed`");
            }
            return;
        }
        let holds = [&mut coordinate.position_hold, &mut coordinate.velocity_hold];
        for (hold, wanted) in holds.into_iter().zip(wanted) {
            if wanted {
                *hold = Hold::Fixed;
            }
        }
    }

    /// A start orientation: four Euler parameters, or a table with angles.
    fn orientation(&mut self, value: &Value) -> Option<[f64; 4]> {
        let Kind::Table(table) = &value.kind else {
            return self.quaternion(value);
        };
        let mut fields = TableReader::new(self, table, "an orientation");
        let angles = fields.required("cardan", "angles about x, y and z [rad]");
        fields.finish();
        let angles = self.numbers(angles?, "rad")?;
        let matrix = CardanAngles(angles).rotation_matrix();
        Some(Quaternion::from_rotation_matrix(&matrix).0)
    }

    /// `joint`, `joint.angle` or `joint.0`.
    pub(super) fn coordinate(&mut self, text: &str, span: &Range<usize>) -> CoordinateRef {
        let (joint, part) = match text.split_once('.') {
            Some((joint, part)) => (joint, Some(part)),
            None => (text, None),
        };
        let reference = |index| CoordinateRef {
            joint: joint.to_string(),
            index,
        };
        let Some(kind) = self.joint_kind(joint) else {
            let names = self.joints.keys().map(String::as_str);
            let help = match (!self.session.is_full()).then(|| nearest(joint, names)).flatten() {
                Some(name) => format!("did you mean \"{name}\"?"),
                None => "add it or correct the name".to_string(),
            };
            self.error_with_help(span, format!("there is no joint \"{joint}\""), help);
            return reference(0);
        };
        let known: Vec<&str> = kind.info().coordinates.iter().map(|c| c.name).collect();
        let index = match part {
            None if known.len() > 1 => {
                let text = format!(
                    "the {} joint \"{joint}\" has several coordinates",
                    kind.info().name
                );
                let help = format!(
                    "name one of them: \"{joint}.{}\"",
                    known.join(&format!("\", \"{joint}."))
                );
                self.error_with_help(span, text, help);
                Some(0)
            }
            None => Some(0),
            Some(part) => known.iter().position(|name| *name == part),
        };
        match index {
            Some(index) if index < known.len() => reference(index),
            _ => {
                let kind = kind.info().name;
                let text = match part {
                    Some(part) => format!("the {kind} joint \"{joint}\" has no coordinate `{part}`"),
                    None => format!("the {kind} joint \"{joint}\" has no coordinate"),
                };
                let help = match known.as_slice() {
                    [] => "use a joint with one coordinate, such as a revolute joint".to_string(),
                    known => format!("it has {}", known.join(", ")),
                };
                self.error_with_help(span, text, help);
                reference(0)
            }
        }
    }

    /// The unit of a coordinate that exists.
    pub(super) fn coordinate_unit(&self, reference: &CoordinateRef) -> Option<&'static str> {
        let kind = self.joint_kind(&reference.joint)?;
        Some(kind.info().coordinates.get(reference.index)?.unit)
    }

    fn joint_kind(&self, name: &str) -> Option<JointKind> {
        let joints = &self.model.description.joints;
        self.joints.get(name).map(|index| joints[*index].kind)
    }

    /// Gives the joints their numbers: all are known now.
    pub(super) fn number_joints(&mut self) {
        for (index, joint) in self.model.description.joints.iter().enumerate() {
            self.joints.entry(joint.name.clone()).or_insert(index);
        }
    }
}
