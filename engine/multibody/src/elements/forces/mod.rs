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
use core::ops::Range;
use holonom_algebra::Real;
use holonom_dae::Gap;

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
    /// Scalars that users want to see of it, sixteen at most, besides what its reach shows: channels, and
    /// what sensors read. On a single coordinate they stand in place of the force on it. Their values come
    /// from [`shown`](Self::shown).
    fn outputs(&self) -> Vec<ShownValue> {
        Vec::new()
    }
    /// Values of [`outputs`](Self::outputs), in their order.
    fn shown<T: Real>(&self, _scene: &Scene<T>, _out: &mut [T]) {}
    /// What its laws that are written as expressions depend on: that of each law of one variable, in the order of its
    /// fields. As many as a [`User`] law has at most.
    fn law_inputs<T: Real>(&self, _scene: &Scene<T>, _out: &mut [T]) {}
    /// How far it is from acting, where it acts only within a narrow range of the state. Steps are searched for ranges
    /// that were passed without an evaluation in them.
    fn gap(&self, _scene: &Scene<f64>) -> Option<Gap> {
        None
    }
    /// Its own states; asked for when a model is compiled. Their values are in
    /// [`Scene::own`], in this order.
    fn states(&self) -> Vec<OwnState> {
        Vec::new()
    }
    /// ẋ = s(t, q, v, x, λ) of the own states. Like [`evaluate`](Self::evaluate), it may depend on
    /// the nodes that the sparsity names for the element only.
    fn rates<T: Real>(&self, _scene: &Scene<T>, _out: &mut [T]) {}
    /// Rows whose multipliers it reads, by their number in
    /// [`Model::rows`](crate::model::Model::rows); none unless its forces depend on λ.
    fn multipliers(&self) -> Range<usize> {
        0..0
    }
}

/// Scalars that an element shows at most.
pub(crate) const MOST_SHOWN: usize = 16;

/// Inputs of the laws of an element at most.
pub(crate) const MOST_LAW_INPUTS: usize = User::INPUTS;

/// A scalar that an element shows.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownValue {
    /// Name within the element: the channel is called `element.name`.
    pub name: &'static str,
    /// Unit, `1` for pure numbers.
    pub unit: &'static str,
    /// What it is, in a sentence.
    pub doc: &'static str,
}

/// An own state of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnState {
    /// Name within the element: the state is called `element.name`.
    pub name: String,
    /// Unit, `1` for pure numbers.
    pub unit: &'static str,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// Value at the start.
    pub start: f64,
}

impl OwnState {
    /// A state with its name, unit, meaning and start value.
    pub fn new(name: impl Into<String>, unit: &'static str, doc: &'static str, start: f64) -> Self {
        Self {
            name: name.into(),
            unit,
            doc,
            start,
        }
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

mod calspan_tyre;
mod characteristic;
mod contact;
mod expression;
mod expression_law;
pub(crate) mod faults;
mod line;
mod linear_tyre;
mod one_sided;
mod reach;
pub(crate) mod seen;
mod tmeasy_tyre;

pub use air_spring::GasLaw;
pub use anti_roll_bar::AntiRollLaw;
pub use bump_stop::StopLaw;
pub use bushing::BushingLaw;
pub use characteristic::{Characteristic, CharacteristicCurve, Picture, geometry};
pub use contact::ContactLaw;
pub use creep::CreepData;
pub use cylinder_contact::Cylinders;
pub use expression_law::ExpressionLaw;
pub use joint_anti_roll_bar::JointAntiRollLaw;
pub use joint_friction::FrictionPlace;
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

            /// Scalars that it shows besides what its reach shows.
            pub fn outputs(&self) -> Vec<ShownValue> {
                match self { $(Self::$kind(f) => f.outputs(),)* }
            }

            /// Their values.
            pub fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self { $(Self::$kind(f) => f.shown(scene, out),)* }
            }

            /// What its laws that are written as expressions depend on.
            pub fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self { $(Self::$kind(f) => f.law_inputs(scene, out),)* }
            }

            /// How far it is from acting, where it acts only within a narrow range of the state.
            pub fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
                match self { $(Self::$kind(f) => f.gap(scene),)* }
            }

            /// Its own states.
            pub fn states(&self) -> Vec<OwnState> {
                match self { $(Self::$kind(f) => f.states(),)* }
            }

            /// Derivatives of its own states.
            pub fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self { $(Self::$kind(f) => f.rates(scene, out),)* }
            }

            /// Rows whose multipliers it reads.
            pub fn multipliers(&self) -> Range<usize> {
                match self { $(Self::$kind(f) => f.multipliers(),)* }
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
    /// A tyre with any law.
    tyre Tyre,
    /// Spring and damper in series.
    maxwell Maxwell,
    /// Friction on a coordinate of a joint.
    joint_friction JointFriction,
    /// A wheel that creeps on its rail.
    creep Creep,
    // Kinds that become another element.
    +
    expression Expression,
    linear_tyre LinearTyre,
    calspan_tyre CalspanTyre,
    tmeasy_tyre TmeasyTyre,
}
