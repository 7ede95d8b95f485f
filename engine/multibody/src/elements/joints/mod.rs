//! Joints, one file each, with both faces: the primitive motions that stand for the joint in the
//! tree, and the rows that stand for it when it is cut.
//!
//! | joint | coordinates | rows when cut |
//! |---|---|---|
//! | `fixed` | – | 6 |
//! | `revolute` | angle | 5 |
//! | `prismatic` | displacement | 5 |
//! | `cylindrical` | angle, displacement | 4 |
//! | `helical` | angle | 5 |
//! | `universal` | angle_x, angle_y | 4 |
//! | `planar` | x, y, angle | 3 |
//! | `spherical` | Euler parameters | 3 |
//! | `free` | x, y, z, Euler parameters | stays in the tree |
//! | `free-cardan` | x, y, z, angle_x, angle_y, angle_z | stays in the tree |
//!
//! ```
//! use holonom_multibody::description::JointKind;
//! use holonom_multibody::elements::joints::{JOINTS, Primitive};
//!
//! let joint = JointKind::Cylindrical.info();
//! assert_eq!((joint.motions)(JointKind::Cylindrical), [Primitive::Turn(2), Primitive::Slide(2)]);
//! assert_eq!((joint.cut_rows)(JointKind::Cylindrical).len(), 4);
//! assert!(JOINTS.iter().any(|joint| joint.name == "free-cardan"));
//! ```

use crate::elements::constraints::PairRow;
use crate::fields::Fields;

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

/// A primitive motion of the second frame in the first: one node of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// A turn about axis 0, 1 or 2.
    Turn(usize),
    /// A slide along axis 0, 1 or 2.
    Slide(usize),
    /// A turn about z with a slide along it.
    Screw {
        /// Displacement per angle, m/rad.
        pitch: f64,
    },
    /// Free turning.
    Ball,
}

/// A row of the cut joint with the direction it blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutRow {
    /// Direction, for the names of rows and reactions.
    pub name: &'static str,
    /// The condition.
    pub row: PairRow,
}

/// A scalar coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordinateInfo {
    /// Name, such as `angle`.
    pub name: &'static str,
    /// Unit of its position.
    pub unit: &'static str,
}

/// An entry of the registry: all there is to know about a kind of joint.
#[derive(Debug)]
pub struct JointInfo {
    /// Name in model files and reports.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// Scalar coordinates in order; the orientation of a ball is not among them.
    pub coordinates: &'static [CoordinateInfo],
    /// The axis of the joint can be chosen.
    pub has_axis: bool,
    /// There is a ball, with Euler parameters.
    pub has_orientation: bool,
    /// There is no constraint form.
    pub tree_only: bool,
    /// The kind as an absent field leaves it.
    pub template: JointKind,
    /// Shows the fields that are special to the kind; [`Joint::fields`](crate::description::Joint::fields)
    /// shows those that joints have in common, too.
    pub fields: fn(&mut JointKind, &mut dyn Fields),
    /// The joint in the tree: motions from the first frame to the second, one for each scalar
    /// coordinate in order, and the ball last.
    pub motions: fn(JointKind) -> Vec<Primitive>,
    /// The joint when cut: conditions between the first frame and the second.
    pub cut_rows: fn(JointKind) -> Vec<CutRow>,
}

impl JointInfo {
    /// Number of velocity coordinates.
    pub fn freedoms(&self) -> usize {
        self.coordinates.len() + if self.has_orientation { 3 } else { 0 }
    }
}

macro_rules! joints {
    ($($file:ident $kind:ident),* $(,)?) => {
        $(mod $file;)*

        /// All kinds of joints.
        pub const JOINTS: &[&JointInfo] = &[$(&$file::JOINT),*];

        impl JointKind {
            /// The registry's entry of the kind.
            pub fn info(self) -> &'static JointInfo {
                match self {
                    $(Self::$kind { .. } => &$file::JOINT,)*
                }
            }
        }
    };
}

joints! {
    fixed Fixed,
    revolute Revolute,
    prismatic Prismatic,
    cylindrical Cylindrical,
    helical Helical,
    universal Universal,
    planar Planar,
    spherical Spherical,
    free Free,
    free_cardan FreeCardan,
    track Track,
}

/// Most kinds have no fields of their own.
fn no_fields(_: &mut JointKind, _: &mut dyn Fields) {}

const fn radians(name: &'static str) -> CoordinateInfo {
    CoordinateInfo { name, unit: "rad" }
}

const fn metres(name: &'static str) -> CoordinateInfo {
    CoordinateInfo { name, unit: "m" }
}

const fn along(axis: usize) -> CutRow {
    CutRow {
        name: ["x", "y", "z"][axis],
        row: PairRow::Along { axis },
    }
}

/// A right angle between two axes, named by the axis about which it blocks turning.
const fn perpendicular(from: usize, to: usize) -> CutRow {
    CutRow {
        name: ["turn_x", "turn_y", "turn_z"][3 - from - to],
        row: PairRow::Perpendicular { from, to },
    }
}

/// The origins coincide.
const POINT: [CutRow; 3] = [along(0), along(1), along(2)];

/// The z axes are parallel. A wrong angle between z of the first frame and x of the second is
/// a turn about y.
const PARALLEL: [CutRow; 2] = [perpendicular(2, 1), perpendicular(2, 0)];

/// The frames are parallel.
const ALIGNED: [CutRow; 3] = [perpendicular(1, 2), perpendicular(2, 0), perpendicular(0, 1)];
