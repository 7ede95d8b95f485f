//! What the user said: bodies, joints, constraints and forces by name.
//!
//! SI units throughout (m, kg, s, rad, N); z is up unless the gravity says otherwise. A frame is
//! named `"body"` or `"body.marker"`; the fixed world is `"ground"`.

use crate::Signal;
use crate::channels::Input;
use crate::forest::Hint;
use holonom_algebra::{Mat3, Pose, Quaternion, Vec3};

mod builder;
mod document;
pub mod fields;
pub mod formulas;
mod hint;
pub(crate) mod include;
mod path;
mod road;
mod shape;
mod track;
mod tyre;

pub use crate::elements::constraints::ConstraintKind;
pub use crate::elements::controls::ControlKind;
pub use crate::elements::forces::ForceKind;
pub use document::Document;
pub use hint::StartHint;
pub use include::{Axis, IncludeError, Mirror, Placement};
pub use path::{Path, Pursuit};
pub use road::Road;
pub use shape::{COLOURS, SHAPES, Shape, ShapeInfo, ShapeKind, shape_kind};
pub use track::Track;
pub use tyre::{Carcass, Mount};

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

/// The kind of a joint.
///
/// Axes are those of the frame the joint starts from; the main axis is z unless set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// No freedom.
    Fixed,
    /// One angle about the axis.
    Revolute,
    /// One displacement along the axis.
    Prismatic,
    /// Angle about and displacement along the axis: coordinates (angle, displacement).
    Cylindrical,
    /// Angle about the axis with a proportional displacement.
    Helical {
        /// Displacement per angle, m/rad.
        pitch: f64,
    },
    /// Two angles: about x of the first frame, then about y of the second.
    Universal,
    /// Displacements along x and y and an angle about z: coordinates (x, y, angle).
    Planar,
    /// Free turning: Euler parameters, angular velocity in the axes of the second frame.
    Spherical,
    /// Position in the first frame and Euler parameters.
    Free,
    /// Position in the first frame and Cardan angles about x, y, z.
    FreeCardan,
    /// Displacements along x and y, yaw about z, then roll about the new x: the frame of a track.
    Track,
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

/// One coordinate of a joint, by the joint's name and the number of the coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoordinateRef {
    /// Joint.
    pub joint: String,
    /// Number of the coordinate, from 0.
    pub index: usize,
}

/// A constraint besides joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Name, unique in the mechanism.
    pub name: String,
    /// What it says.
    pub kind: ConstraintKind,
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

/// A force element.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Name, unique in the mechanism.
    pub name: String,
    /// What it does.
    pub kind: ForceKind,
}

/// A control: a scalar signal that depends on the motion, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Name, unique in the mechanism; expressions use it, so it is made of letters, digits and _.
    pub name: String,
    /// What it does.
    pub kind: ControlKind,
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
