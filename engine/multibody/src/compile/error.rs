//! What can be wrong with a description. Every message names the thing, the place and the remedy.

use core::fmt;
use thiserror::Error;

/// All faults of a description, in the order in which they were found; printed one per line.
///
/// ```
/// use holonom_multibody::Description;
/// use holonom_multibody::description::{Body, Joint};
///
/// let errors = Description::new("demo")
///     .body(Body::new("wheel", -1.0))
///     .joint(Joint::free("float", "ground", "whel"))
///     .compile()
///     .unwrap_err();
/// assert_eq!(errors.0.len(), 2);
/// assert!(errors.to_string().contains("did you mean \"wheel\"?"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ModelErrors(pub Vec<ModelError>);

impl fmt::Display for ModelErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ModelErrors {}

/// What a misspelt name may have meant.
fn guess(suggestion: &Option<String>, otherwise: &str) -> String {
    match suggestion {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => format!("; {otherwise}"),
    }
}

fn count(number: usize) -> String {
    match number {
        0 => "no coordinates".to_string(),
        1 => "1 coordinate".to_string(),
        _ => format!("{number} coordinates"),
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "it has none".to_string(),
        [one] => format!("it has only number 0 ({one})"),
        [.., last] => format!("it has numbers 0 to {} ({} … {last})", names.len() - 1, names[0]),
    }
}

/// One fault of a description. A `place` is the thing at fault in words, like `joint "knee"`.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Nothing to simulate.
    #[error("the mechanism \"{name}\" has no bodies; add a body and a joint that carries it")]
    Empty {
        /// The mechanism.
        name: String,
    },
    /// Two things of one name.
    #[error("{place}: the name \"{name}\" is already used by {other}; rename one of them")]
    DuplicateName {
        /// The later one.
        place: String,
        /// The earlier one.
        other: String,
        /// The name.
        name: String,
    },
    /// A name that references could not spell.
    #[error("{place}: a name must not {problem}; choose another one")]
    BadName {
        /// The thing.
        place: String,
        /// What it must not do.
        problem: &'static str,
    },
    /// A frame on a body that does not exist.
    #[error(
        "{place}: there is no body \"{name}\"{}",
        guess(suggestion, "add it or correct the name")
    )]
    UnknownBody {
        /// Who refers to it.
        place: String,
        /// The name.
        name: String,
        /// A similar one that exists.
        suggestion: Option<String>,
    },
    /// A frame that its body does not have.
    #[error(
        "{place}: {} has no marker \"{name}\"{}",
        owner(body),
        guess(suggestion, "add it or attach to the body's own frame")
    )]
    UnknownMarker {
        /// Who refers to it.
        place: String,
        /// The body.
        body: String,
        /// The marker.
        name: String,
        /// A similar one that exists.
        suggestion: Option<String>,
    },
    /// A coordinate of a joint that does not exist.
    #[error(
        "{place}: there is no joint \"{name}\"{}",
        guess(suggestion, "add it or correct the name")
    )]
    UnknownJoint {
        /// Who refers to it.
        place: String,
        /// The name.
        name: String,
        /// A similar one that exists.
        suggestion: Option<String>,
    },
    /// A coordinate that the joint does not have.
    #[error(
        "{place}: the {kind} joint \"{joint}\" has no coordinate number {index}; {}{}",
        listed(coordinates),
        if *has_orientation { ", its orientation is not a coordinate (the angles of a free-cardan joint are)" } else { "" }
    )]
    UnknownCoordinate {
        /// Who refers to it.
        place: String,
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// The number asked for.
        index: usize,
        /// Names of the coordinates there are.
        coordinates: Vec<&'static str>,
        /// There are Euler parameters besides.
        has_orientation: bool,
    },
    /// Infinite or not a number.
    #[error("{place}: {quantity} is not a finite number; correct it")]
    NotFinite {
        /// The thing.
        place: String,
        /// What about it.
        quantity: String,
    },
    /// Zero or less where something positive is needed.
    #[error("{place}: {quantity} is {value}, but must be positive; {remedy}")]
    NotPositive {
        /// The thing.
        place: String,
        /// What about it.
        quantity: &'static str,
        /// What it is.
        value: f64,
        /// What helps.
        remedy: &'static str,
    },
    /// Mass below zero.
    #[error("{place}: the mass is {mass} kg, but must not be negative; correct it")]
    NegativeMass {
        /// The thing.
        place: String,
        /// Its mass.
        mass: f64,
    },
    /// A principal moment below zero.
    #[error(
        "body \"{body}\": one of the principal moments of inertia {} is negative; check the signs of the products of inertia, and that the moments are about the centre of mass",
        moments(principal)
    )]
    IndefiniteInertia {
        /// The body.
        body: String,
        /// Its principal moments, ascending.
        principal: [f64; 3],
    },
    /// A principal moment above the sum of the others.
    #[error(
        "body \"{body}\": no rigid body has the principal moments of inertia {}: the largest exceeds the sum of the others; for a planar body set the moments about x and y to at least half of the one about z",
        moments(principal)
    )]
    ImpossibleInertia {
        /// The body.
        body: String,
        /// Its principal moments, ascending.
        principal: [f64; 3],
    },
    /// Moments of inertia without mass.
    #[error(
        "body \"{body}\" has a moment of inertia but no mass; give it a mass, or remove the moment of inertia"
    )]
    InertiaWithoutMass {
        /// The body.
        body: String,
    },
    /// A frame whose axes are not at right angles.
    #[error(
        "{place}: the orientation is not a rotation matrix (orthonormal and right-handed); create it with frame::oriented or frame::along"
    )]
    NotARotation {
        /// The marker.
        place: String,
    },
    /// No axis.
    #[error(
        "joint \"{joint}\": the axis has no direction; specify three numbers that are not all zero and neither extremely small nor large"
    )]
    ZeroAxis {
        /// The joint.
        joint: String,
    },
    /// Something set that the kind of joint does not have.
    #[error("joint \"{joint}\": a {kind} joint has no {setting}; {remedy}")]
    NotForThisKind {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// What was set.
        setting: &'static str,
        /// What helps.
        remedy: &'static str,
    },
    /// More coordinates than the joint has.
    #[error(
        "joint \"{joint}\": {} given, but a {kind} joint has {}{}",
        count(*given),
        count(*allowed),
        if *has_orientation { " besides its orientation (to lock or prescribe angles, use a free-cardan joint or three revolute joints; orientation_locked locks the entire orientation)" }
        else { "; remove the others" }
    )]
    TooManyCoordinates {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// How many are given.
        given: usize,
        /// How many there are.
        allowed: usize,
        /// There are Euler parameters besides.
        has_orientation: bool,
    },
    /// A start value that something else decides.
    #[error(
        "joint \"{joint}\": {coordinate} is {state}, so its initial {quantity} cannot be set; set it to zero"
    )]
    UselessStart {
        /// The joint.
        joint: String,
        /// Which coordinate.
        coordinate: &'static str,
        /// Locked or prescribed.
        state: &'static str,
        /// Value or velocity.
        quantity: &'static str,
    },
    /// Euler parameters of length zero.
    #[error(
        "joint \"{joint}\": the initial orientation is the zero quaternion; use (1, 0, 0, 0) for no rotation"
    )]
    ZeroQuaternion {
        /// The joint.
        joint: String,
    },
    /// Both ends on one body.
    #[error(
        "{place}: both ends are attached to {}; attach one of them to another body",
        owner(body)
    )]
    SameBody {
        /// The thing.
        place: String,
        /// The body.
        body: String,
    },
    /// No joint leads to the bodies.
    #[error(
        "no joint connects {} to the ground; add one (a free joint, if {} to move freely)",
        quoted(bodies),
        if bodies.len() == 1 { "the body is" } else { "they are" }
    )]
    Disconnected {
        /// The bodies, connected among each other.
        bodies: Vec<String>,
    },
    /// Joints without a constraint form in a loop.
    #[error(
        "the joints {} form a loop that cannot be cut, because each of them is free, locked, prescribed or has the hint \"tree\"; release one of them",
        quoted(joints)
    )]
    RequiredLoop {
        /// The joints, in order around the loop.
        joints: Vec<String>,
    },
    /// Wishes about tree and cut that cannot be met.
    #[error("{message}")]
    Topology {
        /// What the forest says.
        message: String,
        /// The joint it is about.
        joint: Option<String>,
    },
    /// A joint that cannot be cut, with the hint to cut it.
    #[error("joint \"{joint}\" has the hint \"cut\", but {reason}; remove the hint")]
    CannotCut {
        /// The joint.
        joint: String,
        /// Why it has to be in the tree.
        reason: &'static str,
    },
    /// A coordinate of a cut joint.
    #[error(
        "{place}: the joint \"{joint}\" is cut to open a loop, so it has no coordinate; give it hint = \"tree\" (and release another joint of the loop){}",
        if *alternative { ", or use a torsion spring or a spring-damper between its frames" } else { "" }
    )]
    CutCoordinate {
        /// Who refers to it.
        place: String,
        /// The joint.
        joint: String,
        /// A force element between frames could do the same.
        alternative: bool,
    },
    /// A force depends on the reaction of a joint that must stay in the tree.
    #[error(
        "{place} uses the reaction of the joint \"{joint}\", which cannot be cut for this purpose: it has the hint `tree`, locked or prescribed coordinates, or six degrees of freedom; release it, or specify a constant normal force"
    )]
    ReactionOfTreeJoint {
        /// The force element.
        place: String,
        /// The joint.
        joint: String,
    },
    /// A control that does not exist.
    #[error("{place}: there is no control \"{name}\"{}", match suggestion {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => "; add one of that name".to_string(),
    })]
    UnknownControl {
        /// Who refers to it.
        place: String,
        /// The name.
        name: String,
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// A sensor cannot read its channel.
    #[error("{place} cannot read \"{channel}\": {reason}")]
    CannotSense {
        /// The sensor.
        place: String,
        /// The channel.
        channel: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// A transfer function without order.
    #[error(
        "{place}: the denominator of a transfer function must be non-zero and of at least the degree of the numerator, and there may be at most as many initial values as its degree; correct the coefficients"
    )]
    ImproperTransferFunction {
        /// The control.
        place: String,
    },
    /// Controls that need each other's outputs at the same instant.
    #[error(
        "the controls {} depend on each other's outputs at the same instant (an algebraic loop); insert a `lag`",
        ring.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" -> ")
    )]
    ControlRing {
        /// Their names, each needing the next, the last the first.
        ring: Vec<String>,
    },
    /// A motion that should follow a control.
    #[error(
        "{place}: a prescribed motion cannot follow the control \"{control}\", because its derivatives are unknown; use a `servo`, or a `joint-spring` with the control in `motor`"
    )]
    MotionOfControl {
        /// Who follows it.
        place: String,
        /// The control.
        control: String,
    },
    /// A name that expressions cannot use.
    #[error(
        "{place}: the name of a control must start with a letter, contain only letters, digits and _, and not be reserved in expressions; choose another name or prefix"
    )]
    ControlName {
        /// The control.
        place: String,
    },
    /// Limits in the wrong order.
    #[error("{place}: the lower limit {low} must be below the upper limit {high}; correct `low` or `high`")]
    Limits {
        /// The control.
        place: String,
        /// Least output.
        low: f64,
        /// Largest output.
        high: f64,
    },
    /// Limits that do not count.
    #[error(
        "{place}: the limits `low` and `high` have no effect without `limited = true`; add it, or remove them"
    )]
    UnusedLimits {
        /// The control.
        place: String,
    },
    /// A coordinate that cannot react.
    #[error("{place}: {coordinate} of the joint \"{joint}\" is already {state}; {remedy}")]
    CoordinateTaken {
        /// Who refers to it.
        place: String,
        /// The joint.
        joint: String,
        /// The coordinate.
        coordinate: &'static str,
        /// Locked, prescribed or driven.
        state: String,
        /// What helps.
        remedy: &'static str,
    },
    /// A coupling without a coordinate that could follow.
    #[error("{place}: none of its coordinates can move; {remedy}")]
    CouplingWithoutFreedom {
        /// The coupling.
        place: String,
        /// What helps.
        remedy: &'static str,
    },
    /// A coordinate twice in one sum.
    #[error("{place}: {coordinate} of the joint \"{joint}\" appears twice; combine its factors")]
    RepeatedTerm {
        /// The coupling.
        place: String,
        /// The joint.
        joint: String,
        /// The coordinate.
        coordinate: &'static str,
    },
    /// A factor of zero in a sum.
    #[error("{place}: the factor of the joint \"{joint}\" is zero; remove the term or correct the factor")]
    ZeroFactor {
        /// The coupling.
        place: String,
        /// The joint.
        joint: String,
    },
    /// A constraint between frames that do not move with respect to each other.
    #[error(
        "{place}: no free coordinate moves its ends relative to each other; remove it or release a joint between them"
    )]
    ConstraintWithoutFreedom {
        /// The constraint or rod.
        place: String,
    },
    /// A load on the ground.
    #[error("{place}: it acts only on the ground, which does not move; attach it to a body")]
    LoadOnGround {
        /// The force.
        place: String,
    },
    /// A user's law of the wrong size.
    #[error(
        "{place}: the law has {inputs} inputs and {outputs} outputs, but needs {} and {} \
         (time, position, rotation matrix, velocity, angular velocity; force, torque)",
        crate::elements::forces::User::INPUTS,
        crate::elements::forces::User::OUTPUTS
    )]
    WrongLaw {
        /// The force.
        place: String,
        /// Inputs of the law.
        inputs: usize,
        /// Outputs of the law.
        outputs: usize,
    },
    /// An expression of a force with a variable that laws do not have.
    #[error("{place}: {error}")]
    LawVariables {
        /// The force.
        place: String,
        /// What is wrong.
        error: holonom_expression::ExpressionError,
    },
    /// A number of a force that is not in its range.
    #[error("{place}: `{field}` is {value}, but must {need}; {remedy}")]
    OutOfRange {
        /// The force.
        place: String,
        /// The field, as it is called in model files.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it must do.
        need: &'static str,
        /// What helps.
        remedy: &'static str,
    },
    /// Values of a force that do not fit each other.
    #[error("{place}: {problem}; {remedy}")]
    Mismatch {
        /// The force.
        place: String,
        /// The field at which it shows, as it is called in model files.
        field: &'static str,
        /// What is wrong.
        problem: &'static str,
        /// What helps.
        remedy: &'static str,
    },
    /// A free coordinate that accelerates nothing.
    #[error(
        "joint \"{joint}\": no inertia resists a motion of {coordinate}; give body \"{body}\" {}, or lock \
         the coordinate",
        if *turning { "(or a body carried by it) a moment of inertia" } else { "(or a body carried by it) a mass" }
    )]
    NoInertia {
        /// The joint.
        joint: String,
        /// The coordinate.
        coordinate: String,
        /// The body on the joint.
        body: String,
        /// The coordinate is an angle.
        turning: bool,
    },
    /// A start position in which the mass matrix is singular.
    #[error(
        "joint \"{joint}\": no inertia resists a motion of {coordinate} in the initial position; start from \
         another position{}",
        if *cardan { ", or use a joint with Euler parameters (free, spherical)" } else { " or give the bodies masses and moments of inertia" }
    )]
    SingularStart {
        /// The joint.
        joint: String,
        /// The coordinate.
        coordinate: String,
        /// Three angles in a row may be the cause.
        cardan: bool,
    },
    /// A road that does not exist.
    #[error(
        "{place}: there is no road \"{name}\"{}",
        guess(suggestion, "add it or correct the name")
    )]
    UnknownRoad {
        /// Who refers to it.
        place: String,
        /// The name.
        name: String,
        /// A similar one that exists.
        suggestion: Option<String>,
    },
    /// A path that does not exist.
    #[error(
        "{place}: there is no path \"{name}\"{}",
        guess(suggestion, "add it or correct the name")
    )]
    UnknownPath {
        /// Who refers to it.
        place: String,
        /// The name.
        name: String,
        /// A similar one that exists.
        suggestion: Option<String>,
    },
    /// A wheel-rail constraint that does not exist.
    #[error(
        "{place}: there is no wheel-rail constraint \"{name}\"{}",
        guess(suggestion, "add it or correct the name")
    )]
    UnknownContact {
        /// Who refers to it.
        place: String,
        /// The name.
        name: String,
        /// A similar one that exists.
        suggestion: Option<String>,
    },
    /// Data that make no road or tyre.
    #[error("{place}: {reason}")]
    BadData {
        /// The road or the force.
        place: String,
        /// What is wrong.
        reason: String,
    },
}

/// What a fault is about, to find it in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The thing in words, like `joint "knee"`; none when the whole mechanism is to blame.
    pub place: Option<String>,
    /// A name in it that is at fault.
    pub name: Option<&'a str>,
    /// The field that is at fault, as it is called in model files; more of them when it may be
    /// given in several ways.
    pub fields: &'a [&'static str],
}

impl ModelError {
    /// What the fault is about.
    pub fn subject(&self) -> Subject<'_> {
        let joint = |joint: &str| format!("joint \"{joint}\"");
        let (place, name) = match self {
            Self::DuplicateName { place, name, .. } => (place.clone(), Some(name)),
            Self::UnknownRoad { place, name, .. }
            | Self::UnknownContact { place, name, .. }
            | Self::UnknownPath { place, name, .. }
            | Self::UnknownBody { place, name, .. }
            | Self::UnknownMarker { place, name, .. }
            | Self::UnknownJoint { place, name, .. }
            | Self::UnknownControl { place, name, .. } => (place.clone(), Some(name)),
            Self::MotionOfControl { place, control } => (place.clone(), Some(control)),
            Self::ControlRing { ring } => match ring.first() {
                Some(first) => (format!("control \"{first}\""), None),
                None => return Subject::default(),
            },
            Self::UnknownCoordinate { place, joint, .. }
            | Self::CutCoordinate { place, joint, .. }
            | Self::ReactionOfTreeJoint { place, joint }
            | Self::CoordinateTaken { place, joint, .. }
            | Self::RepeatedTerm { place, joint, .. }
            | Self::ZeroFactor { place, joint } => (place.clone(), Some(joint)),
            Self::BadName { place, .. }
            | Self::NotFinite { place, .. }
            | Self::NotPositive { place, .. }
            | Self::NegativeMass { place, .. }
            | Self::NotARotation { place }
            | Self::SameBody { place, .. }
            | Self::CouplingWithoutFreedom { place, .. }
            | Self::ConstraintWithoutFreedom { place }
            | Self::LoadOnGround { place }
            | Self::LawVariables { place, .. }
            | Self::OutOfRange { place, .. }
            | Self::Mismatch { place, .. }
            | Self::CannotSense { place, .. }
            | Self::ImproperTransferFunction { place }
            | Self::ControlName { place }
            | Self::Limits { place, .. }
            | Self::UnusedLimits { place }
            | Self::WrongLaw { place, .. }
            | Self::BadData { place, .. } => (place.clone(), None),
            Self::IndefiniteInertia { body, .. }
            | Self::ImpossibleInertia { body, .. }
            | Self::InertiaWithoutMass { body } => (owner(body), None),
            Self::Disconnected { bodies } => match bodies.first() {
                Some(body) => (owner(body), None),
                None => return Subject::default(),
            },
            Self::RequiredLoop { joints } => match joints.last() {
                Some(last) => (joint(last), None),
                None => return Subject::default(),
            },
            Self::ZeroAxis { joint: name }
            | Self::NotForThisKind { joint: name, .. }
            | Self::TooManyCoordinates { joint: name, .. }
            | Self::UselessStart { joint: name, .. }
            | Self::ZeroQuaternion { joint: name }
            | Self::CannotCut { joint: name, .. }
            | Self::NoInertia { joint: name, .. }
            | Self::SingularStart { joint: name, .. } => (joint(name), None),
            Self::Topology {
                joint: Some(name), ..
            } => (joint(name), None),
            Self::Empty { .. } | Self::Topology { joint: None, .. } => return Subject::default(),
        };
        Subject {
            place: Some(place),
            name: name.map(String::as_str),
            fields: self.fields(),
        }
    }

    /// The field that is at fault.
    fn fields(&self) -> &[&'static str] {
        match self {
            Self::NegativeMass { .. } => &["mass"],
            Self::IndefiniteInertia { .. }
            | Self::ImpossibleInertia { .. }
            | Self::InertiaWithoutMass { .. } => &["inertia", "solid"],
            Self::NotPositive { quantity, .. } => match *quantity {
                "the length" | "the distance" => &["length"],
                "the radius" => &["radius"],
                "the time constant" => &["time_constant"],
                "the time constant of the filter" => &["filter"],
                _ => &[],
            },
            Self::ZeroAxis { .. } => &["axis"],
            Self::ZeroQuaternion { .. } => &["orientation"],
            Self::CannotCut { .. } => &["hint"],
            Self::UselessStart { coordinate, .. } => match *coordinate {
                "angle" => &["angle"],
                "displacement" => &["displacement"],
                "the orientation" => &["angular_velocity", "orientation"],
                _ => &[],
            },
            Self::LoadOnGround { .. } => &["frame", "wheel"],
            Self::OutOfRange { field, .. } | Self::Mismatch { field, .. } => core::slice::from_ref(field),
            Self::CannotSense { .. } => &["channel"],
            Self::ImproperTransferFunction { .. } => &["denominator"],
            Self::Limits { .. } | Self::UnusedLimits { .. } => &["low", "high"],
            _ => &[],
        }
    }
}

fn owner(body: &str) -> String {
    if body == "ground" {
        "the ground".to_string()
    } else {
        format!("body \"{body}\"")
    }
}

fn quoted(names: &[String]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    all.join(", ")
}

fn moments(principal: &[f64; 3]) -> String {
    let [a, b, c] = principal.map(|m| {
        let rounded: f64 = format!("{m:.4e}").parse().unwrap_or(m);
        match rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) {
            true => rounded.to_string(),
            false => format!("{rounded:e}"),
        }
    });
    format!("{a}, {b} and {c} kg m²")
}
