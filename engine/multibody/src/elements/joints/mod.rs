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
//! assert_eq!(JointKind::Cylindrical.motions(), [Primitive::Turn(2), Primitive::Slide(2)]);
//! assert_eq!(JointKind::Cylindrical.cut_rows().len(), joint.rows_when_cut());
//! assert!(JOINTS.iter().any(|joint| joint.name == "free-cardan"));
//! ```

use super::faults::Faults;

use crate::elements::constraints::PairRow;
use crate::elements::constraints::relative::Relative;
use crate::fields::Fields;
use holonom_algebra::Real;

pub(crate) mod coordinates;

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

/// A kind of joint, by both its faces.
pub(crate) trait DescribedJoint {
    /// Name in model files and reports.
    const NAME: &str;
    /// One sentence for users.
    const DOC: &str;
    /// Scalar coordinates in order; the orientation of a ball is not among them.
    const COORDINATES: &[CoordinateInfo] = &[];
    /// The axis of the joint can be chosen.
    const HAS_AXIS: bool = false;
    /// There is a ball, with Euler parameters.
    const HAS_ORIENTATION: bool = false;
    /// There is no constraint form.
    const TREE_ONLY: bool = false;
    /// It is always cut: its motions are more than its freedoms.
    const CUT_ONLY: bool = false;
    /// The second frame moves freely in the first, as a vehicle over the ground.
    const MOVES_FREELY: bool = false;
    /// Number of the first of three coordinates that are angles about axes in a sequence: they cannot tell all turns
    /// apart when the middle one is a right angle.
    const CARDAN_ANGLES: Option<usize> = None;

    /// Shows the fields that are special to the kind.
    fn fields(_kind: &mut JointKind, _visitor: &mut dyn Fields) {}
    /// What is wrong with its numbers.
    fn faults(_kind: JointKind, _faults: &mut Faults) {}
    /// Changes the numbers inside the kind to those of its mirror image.
    fn mirror(_kind: &mut JointKind) {}
    /// A motion of the joint in the tree: from the first frame to the second, one for each scalar coordinate in order,
    /// and the ball last.
    fn motion(kind: JointKind, index: usize) -> Option<Primitive>;
    /// The joint when cut: conditions between the first frame and the second.
    fn cut_rows(_kind: JointKind) -> Vec<CutRow> {
        Vec::new()
    }
    /// Value (0), rate (1) or acceleration (2) of a scalar coordinate of the joint when cut.
    fn coordinate<T: Real>(kind: JointKind, index: usize, order: usize, relative: &Relative<T>) -> T {
        coordinates::of_motion(Self::motion(kind, index), order, relative)
    }
}

/// An entry of the registry: what users need to know about a kind of joint.
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
    /// It is always cut.
    pub cut_only: bool,
    /// The second frame moves freely in the first.
    pub moves_freely: bool,
    /// Number of the first of three coordinates that are Cardan angles.
    pub cardan_angles: Option<usize>,
    /// The kind as an absent field leaves it.
    pub template: fn() -> JointKind,
}

impl JointInfo {
    /// Number of velocity coordinates.
    pub fn freedoms(&self) -> usize {
        match self.tree_only {
            true => self.coordinates.len() + if self.has_orientation { 3 } else { 0 },
            false => 6 - self.rows_when_cut(),
        }
    }

    /// Number of rows when cut; zero for a joint that stays in the tree.
    pub fn rows_when_cut(&self) -> usize {
        (self.template)().cut_rows().len()
    }
}

const fn info_of<J: DescribedJoint>(template: fn() -> JointKind) -> JointInfo {
    JointInfo {
        name: J::NAME,
        doc: J::DOC,
        coordinates: J::COORDINATES,
        has_axis: J::HAS_AXIS,
        has_orientation: J::HAS_ORIENTATION,
        tree_only: J::TREE_ONLY,
        cut_only: J::CUT_ONLY,
        moves_freely: J::MOVES_FREELY,
        cardan_angles: J::CARDAN_ANGLES,
        template,
    }
}

macro_rules! joints {
    ($($(#[$doc:meta])* $file:ident $kind:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),* })?,)*) => {
        $(mod $file;)*

        /// The kind of a joint.
        ///
        /// Axes are those of the frame the joint starts from; the main axis is z unless set.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum JointKind {
            $($(#[$doc])* $kind $({ $($(#[$field_doc])* $field: $type),* })?,)*
        }

        /// All kinds of joints.
        pub const JOINTS: &[&JointInfo] = &[
            $(const { &info_of::<$file::$kind>(|| JointKind::$kind $({ $($field: Default::default()),* })?) },)*
        ];

        impl JointKind {
            /// The registry's entry of the kind.
            pub fn info(self) -> &'static JointInfo {
                match self {
                    $(Self::$kind { .. } => const {
                        &info_of::<$file::$kind>(|| JointKind::$kind $({ $($field: Default::default()),* })?)
                    },)*
                }
            }

            /// Shows the fields that are special to the kind; `Joint::fields` shows those that joints have in common,
            /// too.
            pub fn fields(&mut self, visitor: &mut dyn Fields) {
                match self {
                    $(Self::$kind { .. } => $file::$kind::fields(self, visitor),)*
                }
            }

            /// Adds what is wrong with its numbers.
            pub fn faults(self, faults: &mut Faults) {
                match self {
                    $(Self::$kind { .. } => $file::$kind::faults(self, faults),)*
                }
            }

            /// Changes the numbers inside the kind to those of its mirror image.
            pub fn mirror(&mut self) {
                match self {
                    $(Self::$kind { .. } => $file::$kind::mirror(self),)*
                }
            }

            /// A motion of the joint in the tree, from the first frame to the second: one for each scalar coordinate in
            /// order, and the ball last.
            pub fn motion(self, index: usize) -> Option<Primitive> {
                match self {
                    $(Self::$kind { .. } => $file::$kind::motion(self, index),)*
                }
            }

            /// All its motions.
            pub fn motions(self) -> Vec<Primitive> {
                (0..).map_while(|index| self.motion(index)).collect()
            }

            /// The joint when cut: conditions between the first frame and the second.
            pub fn cut_rows(self) -> Vec<CutRow> {
                match self {
                    $(Self::$kind { .. } => $file::$kind::cut_rows(self),)*
                }
            }

            /// Value (0), rate (1) or acceleration (2) of a scalar coordinate of the joint when cut.
            pub(crate) fn coordinate<T: Real>(self, index: usize, order: usize, relative: &Relative<T>) -> T {
                match self {
                    $(Self::$kind { .. } => $file::$kind::coordinate(self, index, order, relative),)*
                }
            }
        }
    };
}

/// Hands all kinds of joints to a macro: their files, with their names as variants and the numbers inside them.
macro_rules! each_joint {
    ($then:ident) => {
        $then! {
            /// No freedom.
            fixed Fixed,
            /// One angle about the axis.
            revolute Revolute,
            /// One displacement along the axis.
            prismatic Prismatic,
            /// Angle about and displacement along the axis: coordinates (angle, displacement).
            cylindrical Cylindrical,
            /// Angle about the axis with a proportional displacement.
            helical Helical {
                /// Displacement per angle, m/rad.
                pitch: f64
            },
            /// Two angles: about x of the first frame, then about y of the second.
            universal Universal,
            /// Two shafts along z that bend at a point and turn at the same speed: always cut.
            constant_velocity ConstantVelocity,
            /// Displacements along x and y and an angle about z: coordinates (x, y, angle).
            planar Planar,
            /// Free turning: Euler parameters, angular velocity in the axes of the second frame.
            spherical Spherical,
            /// Position in the first frame and Euler parameters.
            free Free,
            /// Position in the first frame and Cardan angles about x, y, z.
            free_cardan FreeCardan,
            /// Position, yaw about z, pitch about the new y and roll about the own x: the frame of a track.
            track Track,
        }
    };
}
pub(crate) use each_joint;

each_joint!(joints);

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
