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
    /// On what it acts, and so what its loads depend on.
    fn reach(&self) -> Reach<'_>;
    /// Whether [`energy`](Self::energy) gives one.
    fn stores_energy(&self) -> bool {
        true
    }
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

mod characteristic;
mod contact;
mod expression;
pub(crate) mod faults;
mod line;
mod one_sided;
mod reach;

pub use air_spring::GasLaw;
pub use anti_roll_bar::AntiRollLaw;
pub use bump_stop::StopLaw;
pub use bushing::BushingLaw;
pub use characteristic::{Characteristic, CharacteristicCurve};
pub use contact::ContactLaw;
pub use cylinder_contact::Cylinders;
pub use joint_anti_roll_bar::JointAntiRollLaw;
pub use nonlinear_spring::{SpringCurves, SpringLaw};
pub use plane_contact::Shape;
pub use reach::Reach;
pub use servo::ServoLaw;

pub(crate) use joint_stop::faults as joint_stop_faults;
pub(crate) use sphere_contact::faults as sphere_contact_faults;

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
            pub fn nodes(&self) -> [Option<usize>; 3] {
                self.reach().nodes()
            }

            /// On what it acts, and so what its loads depend on.
            pub fn reach(&self) -> Reach<'_> {
                match self { $(Self::$kind(f) => f.reach(),)* }
            }

            /// Whether [`energy`](Self::energy) gives one.
            pub fn stores_energy(&self) -> bool {
                match self { $(Self::$kind(f) => f.stores_energy(),)* }
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
    /// Curved spring and damper between two points.
    nonlinear_spring NonlinearSpring,
    /// Curved spring and damper on a coordinate.
    nonlinear_joint_spring NonlinearJointSpring,
    /// Elastic bearing.
    bushing Bushing,
    /// Torsion bar between two points.
    anti_roll_bar AntiRollBar,
    /// Torsion bar between two coordinates.
    joint_anti_roll_bar JointAntiRollBar,
    /// Gas in a bellows.
    air_spring AirSpring,
    /// One-sided stop between two points.
    bump_stop BumpStop,
    /// End stops of a coordinate.
    joint_stop JointStop,
    /// Sphere, cylinder or box on a plane.
    plane_contact PlaneContact,
    /// Two spheres.
    sphere_contact SphereContact,
    /// Two cylinders.
    cylinder_contact CylinderContact,
    /// Given force along a line and torque about an axis.
    actuator Actuator,
    /// Drive to a set point.
    servo Servo,
    // Kinds that become another element.
    +
    expression Expression,
}
