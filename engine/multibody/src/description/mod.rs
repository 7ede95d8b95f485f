//! What the user said: bodies, joints, constraints and forces by name.
//!
//! SI units throughout (m, kg, s, rad, N); z is up unless the gravity says otherwise. A frame is
//! named `"body"` or `"body.marker"`; the fixed world is `"ground"`.

use crate::forest::Hint;
use crate::signal::Signal;
use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};

mod builder;
pub mod formulas;
mod handle;
mod hint;
mod path;
mod road;
mod shape;
mod shown;
mod track;

pub use crate::document::Document;
pub use crate::elements::called::{Called, ElementKind};
pub use crate::elements::constraints::{Constraint, ConstraintKind};
pub use crate::elements::controls::{Control, ControlKind};
pub use crate::elements::forces::{Force, ForceKind};
pub use crate::elements::joints::JointKind;
pub use crate::elements::mount::{Carcass, Mount};
pub use crate::elements::pursuit::Pursuit;
pub use crate::fields;
pub use crate::mirror::{Axis, Mirror};
pub use crate::names::CoordinateRef;
pub use handle::{Handle, Part};
pub use hint::StartHint;
pub use path::Path;
pub use road::Road;
pub use shape::{COLOURS, SHAPES, Shape, ShapeInfo, ShapeKind, shape_thing};
pub use track::Track;

/// A mechanism as described: nothing is checked until it is compiled.
///
/// Descriptions are equal when all their parts are, in the same order and to the last bit of every
/// number.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Name of the mechanism.
    pub name: String,
    /// Acceleration of free fall, m/s²; (0, 0, −9.81) unless set.
    pub gravity: [f64; 3],
    /// Bodies besides the ground.
    pub bodies: Vec<Body>,
    /// Markers on the ground.
    pub ground: Vec<Marker>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Constraints besides joints.
    pub constraints: Vec<Constraint>,
    /// Slender bodies kept as a distance and a mass matrix on their end points.
    pub rods: Vec<Rod>,
    /// Force elements.
    pub forces: Vec<Force>,
    /// Road surfaces.
    pub roads: Vec<Road>,
    /// Controls: signals that depend on the motion.
    pub controls: Vec<Control>,
    /// Frames that travel along tracks.
    pub tracks: Vec<Track>,
    /// Paths to follow.
    pub paths: Vec<Path>,
    /// Functions of time with names, which sensors may read as `input.` and the name. Elements have
    /// those that they use in themselves.
    pub inputs: Vec<Input>,
    /// Poses near which loops are to close.
    pub hints: Vec<StartHint>,
    /// What can be seen.
    pub shapes: Vec<Shape>,
}

/// A function of time of the model that is a channel as well.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Name; the channel is `input.` and this.
    pub name: String,
    /// Unit of its value.
    pub unit: String,
    /// The function.
    pub signal: Signal,
}

/// Position and orientation of a frame in another.
pub type Frame = Pose<f64>;

/// A frame on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Name, unique on the body.
    pub name: String,
    /// Where it is in the body's frame.
    pub frame: Frame,
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name, unique in the mechanism.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the body's frame, m.
    pub centre: [f64; 3],
    /// Moment of inertia about the centre of mass in the axes of the body's frame, kg m²:
    /// xx, yy, zz, xy, yz, zx (entries of the matrix, no minus signs).
    pub inertia: [f64; 6],
    /// Accepts moments of inertia that no rigid body can have, as robot descriptions contain them.
    /// The equations of motion remain defined as long as the mass matrix is positive definite.
    pub unphysical: bool,
    /// Frames on it.
    pub markers: Vec<Marker>,
}

/// What happens to one coordinate of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CoordinateMotion {
    /// It moves freely.
    #[default]
    Free,
    /// It keeps its start value.
    Locked,
    /// It follows a function of time (rheonomic joint).
    Prescribed(Signal),
}

/// How firmly an initial value is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// Not stated: the value is where assembly begins, and it moves as the constraints need.
    #[default]
    Free,
    /// Stated: kept where the constraints allow it, else changed as little as possible and reported.
    Stated,
    /// Fixed: kept, or the start is refused.
    Fixed,
}

/// One scalar coordinate of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinate {
    /// Start value: rad or m.
    pub position: f64,
    /// Start velocity: rad/s or m/s.
    pub velocity: f64,
    /// How firmly the start value is meant.
    pub position_hold: Hold,
    /// How firmly the start velocity is meant.
    pub velocity_hold: Hold,
    /// What happens to it.
    pub motion: CoordinateMotion,
}

/// A joint between two frames. Coordinates describe the second frame seen from the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name, unique in the mechanism.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// First frame.
    pub from: String,
    /// Second frame.
    pub to: String,
    /// Main axis in both frames, for the kinds that have one.
    pub axis: [f64; 3],
    /// Scalar coordinates, in the order of the kind; missing ones are not stated. The
    /// orientation of `Spherical` and `Free` is not among them. Initial values of a joint that is cut
    /// count as those of the others do.
    pub coordinates: Vec<Coordinate>,
    /// Start orientation, scalar first, for `Spherical` and `Free`.
    pub orientation: [f64; 4],
    /// Start angular velocity in the axes of the second frame, for `Spherical` and `Free`.
    pub angular_velocity: [f64; 3],
    /// How firmly the start orientation is meant.
    pub orientation_hold: Hold,
    /// How firmly the start angular velocity is meant.
    pub angular_velocity_hold: Hold,
    /// Keep the start orientation, for `Spherical` and `Free`.
    pub orientation_locked: bool,
    /// Wish about tree or cut.
    pub hint: Hint,
}

/// A slender body with spherical joints at both ends and no inertia about its axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Rod {
    /// Name, unique in the mechanism.
    pub name: String,
    /// Frame of one end.
    pub from: String,
    /// Frame of the other end.
    pub to: String,
    /// Length, m.
    pub length: f64,
    /// Mass, kg; may be zero.
    pub mass: f64,
}

/// Helpers to write frames.
pub mod frame {
    use super::{Frame, Mat3, Pose, Quaternion, Vec3};

    /// A parallel frame at a position.
    pub fn at(position: [f64; 3]) -> Frame {
        Pose::new(Mat3::identity(), Vec3(position))
    }

    /// A frame at a position with Euler parameters, scalar first.
    pub fn oriented(position: [f64; 3], quaternion: [f64; 4]) -> Frame {
        Pose::new(Mat3(Quaternion(quaternion).rotation_matrix()), Vec3(position))
    }

    /// A frame at a position whose z axis points along `z`.
    pub fn along(position: [f64; 3], z: [f64; 3]) -> Frame {
        let z = Vec3(z).normalised().unwrap_or(Vec3([0.0, 0.0, 1.0]));
        let x = z.perpendicular();
        Pose::new(Mat3::from_columns(x, z.cross(x), z), Vec3(position))
    }
}
