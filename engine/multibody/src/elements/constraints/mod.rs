//! Constraints: rows of g(q, t) = 0 or G v + g_t = 0. One file per kind, one line in the registry.
//!
//! Rows between two frames depend on the motion of the second relative to the first only. Seen
//! from the first frame, with u the velocity of the second origin and w the relative angular
//! velocity, each row is ġ = f·u + m·w; (f, m) is then also the load of a unit multiplier, at the
//! second origin, and the opposite at the same point on the first side (virtual power).

use super::called::{Called, ElementKind};
use super::faults::Faults;
use super::references::{Named, Resolve};
use super::scene::{Loads, Scene};
use crate::fields::Fields;
use crate::mirror::Mirror;
use crate::signal::Signal;
use crate::tree::Attachment;
use core::fmt::Debug;
use holonom_algebra::{Real, Vec3, Wrench};

mod coordinate_sum;
mod custom;
mod pair;
pub mod relative;
mod start_row;

pub use coordinate_sum::CoordinateSum;
pub use custom::{CustomConstraint, CustomConstraintLaw};
pub use impact::REST_SPEED;
pub(crate) use impact::TOUCHING;
pub use pair::{Pair, PairRow};
pub use start_row::StartRow;
pub use wheel_rail::{ProfileKind, WheelRailShape};

/// What kind of condition a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLevel {
    /// A condition on positions.
    Holonomic,
    /// A condition on velocities only.
    Nonholonomic,
}

/// A constraint besides joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Name, unique in the mechanism.
    pub name: String,
    /// What it says.
    pub kind: ConstraintKind,
}

impl<K: Into<ConstraintKind>> From<Called<K>> for Constraint {
    fn from(element: Called<K>) -> Self {
        Self::new(element.name, element.kind)
    }
}

/// A kind of constraint as a description has it. Its default has the values of absent fields.
pub trait DescribedConstraint: Clone + Debug + Default + PartialEq {
    /// Name in model files and reports.
    const NAME: &str;
    /// One sentence for users.
    const DOC: &str;
    /// Number of rows.
    const ROWS: usize;
    /// It opens and closes at events.
    const SWITCHED: bool = false;
    /// It keeps a wheel on a rail, and its multiplier is the normal force, which creep forces need.
    const ROLLING_CONTACT: bool = false;
    /// In a mirror that turns z the first frame, in whose axes the reaction is, is turned about x.
    const FIRST_FRAME_TURNS: bool = false;

    /// Shows its fields. Everything that it refers to is among them.
    fn fields(&mut self, visitor: &mut dyn Fields);
    /// What is wrong with its numbers.
    fn faults(&self, _faults: &mut Faults) {}
    /// The element on the nodes of a tree; none where something it refers to does not exist.
    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement>;
    /// Makes it its mirror image; its frames have become theirs already. Nothing changes where only distances count.
    fn mirror(&mut self, _mirror: &mut Mirror) {}
    /// Signs that scalars seen of it get in the mirror image, before it becomes that image.
    fn shown_signs(&self, _mirror: &Mirror) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

/// What a kind of constraint has to say.
///
/// `acceleration` is the derivative of `velocity` along the motion, `velocity` that of `position`
/// (for holonomic rows), and `loads` the transpose of the linear part of `velocity`; the tests
/// check all three for every kind.
pub trait ConstraintLaw {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Kind of each row.
    fn levels(&self) -> Vec<RowLevel>;
    /// Name of each row for reports, such as `x`.
    fn row_names(&self) -> Vec<String>;
    /// The two frames whose relative motion the rows depend on: first, second. None when the
    /// rows depend on coordinates directly.
    fn sides(&self) -> Option<[Attachment; 2]>;
    /// g; 0 for nonholonomic rows.
    fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]);
    /// G v + g_t.
    fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]);
    /// G v̇ + γ for the accelerations in the scene.
    fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]);
    /// Fills the load of a unit multiplier of each row on the second side and gives the point
    /// (in the ground's frame) it acts at. None, and nothing filled, when there are no sides.
    fn directions<T: Real>(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>>;
    /// Adds Gᵀ λ.
    fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>);
    /// Whether g of a row is an angle where it is small, not a length.
    fn is_angle(&self, _row: usize) -> bool {
        false
    }
    /// Whether the load of a row has a torque at the origin of the second frame.
    fn has_torque(&self) -> bool {
        true
    }
    /// The function of time in it: what a driver or its velocity follows, or the length of a distance.
    fn signal(&self) -> Option<&Signal> {
        None
    }
    /// The same, to be changed.
    fn signal_mut(&mut self) -> Option<&mut Signal> {
        None
    }
}

/// An entry of the registry of kinds: what users need to know about a kind of constraint. Several
/// kinds may come from one element.
#[derive(Debug)]
pub struct ConstraintInfo {
    /// Name in model files and reports.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// It opens and closes at events.
    pub switched: bool,
    /// It keeps a wheel on a rail.
    pub rolling_contact: bool,
    /// In a mirror that turns z the first frame is turned about x.
    pub first_frame_turns: bool,
    /// The kind as absent fields leave it.
    pub template: fn() -> ConstraintKind,
}

const fn info_of<C: DescribedConstraint>(template: fn() -> ConstraintKind) -> ConstraintInfo {
    ConstraintInfo {
        name: C::NAME,
        doc: C::DOC,
        rows: C::ROWS,
        switched: C::SWITCHED,
        rolling_contact: C::ROLLING_CONTACT,
        first_frame_turns: C::FIRST_FRAME_TURNS,
        template,
    }
}

/// The entry of a kind of another crate.
pub(crate) fn info<C: DescribedConstraint + Send + Sync + 'static>() -> &'static ConstraintInfo {
    const { &info_of::<C>(|| ConstraintKind::custom(C::default())) }
}

macro_rules! registry {
    (
        $($(#[$only_doc:meta])* $only_file:ident $only:ident,)*
        + $($(#[$doc:meta])* $file:ident $kind:ident,)*
        + $($(#[$law_doc:meta])* $variant:ident($law:ident),)*
    ) => {
        $(mod $only_file;)*
        $(mod $file;)*
        $(pub use $only_file::$only;)*
        $(pub use $file::$kind;)*

        /// What a constraint says.
        #[derive(Clone, Debug, PartialEq)]
        pub enum ConstraintKind {
            $($(#[$only_doc])* $only($only),)*
            $($(#[$doc])* $kind($kind<Named>),)*
            /// A kind of another crate.
            Custom(CustomConstraint),
        }

        $(impl ElementKind for $only {
            type Element = Constraint;
        })*

        $(impl From<$only> for ConstraintKind {
            fn from(kind: $only) -> Self {
                Self::$only(kind)
            }
        })*

        $(impl ElementKind for $kind<Named> {
            type Element = Constraint;
        })*

        $(impl From<$kind<Named>> for ConstraintKind {
            fn from(kind: $kind<Named>) -> Self {
                Self::$kind(kind)
            }
        })*

        /// All kinds of constraints besides joints.
        pub const CONSTRAINTS: &[&ConstraintInfo] = &[
            $(const { &info_of::<$only>(|| $only::default().into()) },)*
            $(const { &info_of::<$kind<Named>>(|| $kind::<Named>::default().into()) },)*
        ];

        impl ConstraintKind {
            /// The registry's entry of the kind.
            pub fn info(&self) -> &'static ConstraintInfo {
                match self {
                    $(Self::$only(_) => const { &info_of::<$only>(|| $only::default().into()) },)*
                    $(Self::$kind(_) => const { &info_of::<$kind<Named>>(|| $kind::<Named>::default().into()) },)*
                    Self::Custom(c) => c.0.info(),
                }
            }

            /// Shows the fields of the constraint.
            pub fn fields(&mut self, visitor: &mut dyn Fields) {
                match self {
                    $(Self::$only(c) => c.fields(visitor),)*
                    $(Self::$kind(c) => c.fields(visitor),)*
                    Self::Custom(c) => c.0.fields(visitor),
                }
            }

            /// Adds what is wrong with its numbers.
            pub fn faults(&self, faults: &mut Faults) {
                match self {
                    $(Self::$only(c) => c.faults(faults),)*
                    $(Self::$kind(c) => c.faults(faults),)*
                    Self::Custom(c) => c.0.faults(faults),
                }
            }

            /// The element on the nodes of a tree; none where something it refers to does not exist.
            pub fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
                match self {
                    $(Self::$only(c) => c.attach(to),)*
                    $(Self::$kind(c) => c.attach(to),)*
                    Self::Custom(c) => c.0.attach(to),
                }
            }

            /// Makes it its mirror image; its frames have become theirs already.
            pub fn mirror(&mut self, mirror: &mut Mirror) {
                match self {
                    $(Self::$only(c) => c.mirror(mirror),)*
                    $(Self::$kind(c) => c.mirror(mirror),)*
                    Self::Custom(c) => c.0.mirror(mirror),
                }
            }

            /// Signs that scalars seen of it get in the mirror image.
            pub fn shown_signs(&self, mirror: &Mirror) -> Vec<(&'static str, f64)> {
                match self {
                    $(Self::$only(c) => c.shown_signs(mirror),)*
                    $(Self::$kind(c) => c.shown_signs(mirror),)*
                    Self::Custom(c) => c.0.shown_signs(mirror),
                }
            }
        }

        /// A constraint of any kind.
        #[derive(Clone, Debug)]
        pub enum ConstraintElement {
            $($(#[$law_doc])* $variant($law),)*
            $($(#[$doc])* $kind($kind),)*
            /// A constraint of another crate.
            Custom(CustomConstraintLaw),
        }

        $(impl From<$law> for ConstraintElement {
            fn from(law: $law) -> Self {
                Self::$variant(law)
            }
        })*

        $(impl From<$kind> for ConstraintElement {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        })*

        impl ConstraintElement {
            /// Number of rows.
            pub fn rows(&self) -> usize {
                match self {
                    $(Self::$variant(c) => c.rows(),)*
                    $(Self::$kind(c) => c.rows(),)*
                    Self::Custom(c) => c.rows(),
                }
            }

            /// Kind of each row.
            pub fn levels(&self) -> Vec<RowLevel> {
                match self {
                    $(Self::$variant(c) => c.levels(),)*
                    $(Self::$kind(c) => c.levels(),)*
                    Self::Custom(c) => c.levels(),
                }
            }

            /// Name of each row for reports, such as `x`.
            pub fn row_names(&self) -> Vec<String> {
                match self {
                    $(Self::$variant(c) => c.row_names(),)*
                    $(Self::$kind(c) => c.row_names(),)*
                    Self::Custom(c) => c.row_names(),
                }
            }

            /// The two frames whose relative motion the rows depend on: first, second; none for
            /// rows of coordinates. The paths of a
            /// [`ModelConstraint`](crate::model::ModelConstraint) belong to them in this order.
            pub fn sides(&self) -> Option<[Attachment; 2]> {
                match self {
                    $(Self::$variant(c) => c.sides(),)*
                    $(Self::$kind(c) => c.sides(),)*
                    Self::Custom(c) => c.sides(),
                }
            }

            /// g; 0 for nonholonomic rows.
            pub fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]) {
                match self {
                    $(Self::$variant(c) => c.position(scene, g),)*
                    $(Self::$kind(c) => c.position(scene, g),)*
                    Self::Custom(c) => c.position(scene, g),
                }
            }

            /// G v + g_t for the velocities in the scene.
            pub fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self {
                    $(Self::$variant(c) => c.velocity(scene, out),)*
                    $(Self::$kind(c) => c.velocity(scene, out),)*
                    Self::Custom(c) => c.velocity(scene, out),
                }
            }

            /// G v̇ + γ for the accelerations in the scene; v̇ = 0 there gives γ.
            pub fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self {
                    $(Self::$variant(c) => c.acceleration(scene, out),)*
                    $(Self::$kind(c) => c.acceleration(scene, out),)*
                    Self::Custom(c) => c.acceleration(scene, out),
                }
            }

            /// Fills the load of a unit multiplier of each row on the second side, in the
            /// ground's axes, and gives the point it acts at; the opposite acts there on the
            /// first side. None, and nothing filled, for rows of coordinates.
            pub fn directions<T: Real>(&self, scene: &Scene<T>, out: &mut [Wrench<T>]) -> Option<Vec3<T>> {
                match self {
                    $(Self::$variant(c) => c.directions(scene, out),)*
                    $(Self::$kind(c) => c.directions(scene, out),)*
                    Self::Custom(c) => c.directions(scene, out),
                }
            }

            /// Adds Gᵀ λ, as wrenches on nodes and generalised forces.
            pub fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
                match self {
                    $(Self::$variant(c) => c.loads(scene, multipliers, loads),)*
                    $(Self::$kind(c) => c.loads(scene, multipliers, loads),)*
                    Self::Custom(c) => c.loads(scene, multipliers, loads),
                }
            }

            /// Whether g of a row is an angle where it is small, not a length.
            pub(crate) fn is_angle(&self, row: usize) -> bool {
                match self {
                    $(Self::$variant(c) => c.is_angle(row),)*
                    $(Self::$kind(c) => c.is_angle(row),)*
                    Self::Custom(c) => c.is_angle(row),
                }
            }

            /// Whether the load of a row has a torque at the origin of the second frame.
            pub(crate) fn has_torque(&self) -> bool {
                match self {
                    $(Self::$variant(c) => c.has_torque(),)*
                    $(Self::$kind(c) => c.has_torque(),)*
                    Self::Custom(c) => c.has_torque(),
                }
            }

            /// The function of time in it: what a driver or its velocity follows, or the length of a distance.
            pub fn signal(&self) -> Option<&Signal> {
                match self {
                    $(Self::$variant(c) => c.signal(),)*
                    $(Self::$kind(c) => c.signal(),)*
                    Self::Custom(c) => c.signal(),
                }
            }

            /// The same, to be changed.
            pub fn signal_mut(&mut self) -> Option<&mut Signal> {
                match self {
                    $(Self::$variant(c) => c.signal_mut(),)*
                    $(Self::$kind(c) => c.signal_mut(),)*
                    Self::Custom(c) => c.signal_mut(),
                }
            }
        }
    };
}

impl ConstraintElement {
    /// The two frames of rows that join them as a joint does, which a wheel on its way is not.
    pub(crate) fn joined(&self) -> Option<[Attachment; 2]> {
        match self {
            Self::Pair(_) | Self::Custom(_) => self.sides(),
            _ => None,
        }
    }

    /// The length of a distance, if it is a function of time.
    pub fn length_over_time(&self) -> Option<&Signal> {
        match self {
            Self::Pair(pair) => pair.length.as_ref(),
            _ => None,
        }
    }
}

registry! {
    // Kinds that become another element.
    /// The origins of two frames coincide.
    point Point,
    /// The origins of two frames keep a distance.
    distance Distance,
    /// A sum of coordinates is constant: gears, racks, belts.
    coupling Coupling,
    /// A coordinate follows a function of time.
    driver Driver,
    /// The velocity of a coordinate follows a function of time.
    velocity_driver VelocityDriver,
    // Kinds with a law of their own.
    +
    /// A wheel rolls without slipping on a plane.
    rolling Rolling,
    /// A point or a ball hits a plane and rebounds: a contact that opens and closes at events.
    impact Impact,
    /// A wheel touches its rail.
    wheel_rail WheelRail,
    // Laws that others become.
    +
    /// Rows between two frames: cut joints, points, distances.
    Pair(Pair),
    /// A sum of coordinates or of their velocities: gears and drivers.
    Coordinates(CoordinateSum),
}
