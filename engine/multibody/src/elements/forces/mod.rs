//! Force elements. One file per kind, one line in the registry.
//!
//! ```
//! use holonom_multibody::elements::forces::FORCES;
//! use holonom_multibody::description::fields::note;
//!
//! let spring = FORCES.iter().find(|force| force.name == "spring-damper").unwrap();
//! let fields = note(|visitor| (spring.fields)(&mut (spring.template)(), visitor));
//! assert!(fields.iter().any(|noted| noted.field.name == "stiffness" && noted.field.unit == "N/m"));
//! assert_eq!((spring.template)().info().name, "spring-damper");
//! ```

use super::scene::{Loads, Scene};
use crate::description::fields::Fields;
use crate::description::{ForceKind, Mirror};
use holonom_algebra::Real;

/// What a kind of force element has to say.
pub trait ForceLaw {
    /// Adds its loads.
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>);
    /// Energy stored in it; none when its forces have no potential.
    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T>;
    /// Nodes whose wrench, or the generalised force of whose coordinate, it adds to.
    fn nodes(&self) -> [Option<usize>; 2];
}

/// An entry of the registry: what users need to know about a kind of force element.
#[derive(Debug)]
pub struct ForceInfo {
    /// Name in model files and reports.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// It can be written in a model file. A law in Rust cannot.
    pub in_files: bool,
    /// The kind as absent fields leave it.
    pub template: fn() -> ForceKind,
    /// Shows the fields of an element of this kind; one of another kind has none to show.
    pub fields: fn(&mut ForceKind, &mut dyn Fields),
    /// Makes an element of this kind its mirror image; its frames have become theirs already.
    pub mirror: fn(&mut ForceKind, &mut Mirror),
}

mod calspan_tyre;
mod expression;
mod linear_tyre;
mod tmeasy_tyre;

macro_rules! registry {
    ($($(#[$doc:meta])* $file:ident $kind:ident,)* + $($more:ident $more_kind:ident,)*) => {
        $(mod $file;)*
        $(pub use $file::$kind;)*

        /// All kinds of force elements.
        pub const FORCES: &[&ForceInfo] = &[$(&$file::FORCE,)* $(&$more::FORCE,)*];

        impl ForceKind {
            /// The registry's entry of the kind.
            pub fn info(&self) -> &'static ForceInfo {
                match self {
                    $(Self::$kind { .. } => &$file::FORCE,)*
                    $(Self::$more_kind { .. } => &$more::FORCE,)*
                }
            }
        }

        /// A force element of any kind.
        #[derive(Clone, Debug)]
        pub enum ForceElement {
            $($(#[$doc])* $kind($kind),)*
        }

        $(impl From<$kind> for ForceElement {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        })*

        impl ForceElement {
            /// Adds its loads.
            pub fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
                match self { $(Self::$kind(f) => f.evaluate(scene, loads),)* }
            }

            /// Energy stored in it; none when its forces have no potential.
            pub fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
                match self { $(Self::$kind(f) => f.energy(scene),)* }
            }

            /// Nodes whose wrench, or the generalised force of whose coordinate, it adds to.
            pub fn nodes(&self) -> [Option<usize>; 2] {
                match self { $(Self::$kind(f) => f.nodes(),)* }
            }
        }
    };
}

registry! {
    /// A force and a torque over time.
    applied Applied,
    /// Spring and damper between two points.
    spring_damper SpringDamper,
    /// Spring and damper about an axis.
    torsion_spring TorsionSpring,
    /// Spring, damper and motor on a coordinate.
    joint_spring JointSpring,
    /// A user's law between two frames.
    user User,
    /// A tyre with any law.
    tyre Tyre,
    // Kinds that become another element.
    +
    expression Expression,
    linear_tyre LinearTyre,
    calspan_tyre CalspanTyre,
    tmeasy_tyre TmeasyTyre,
}
