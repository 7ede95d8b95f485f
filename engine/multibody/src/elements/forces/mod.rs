//! Force elements. One file per kind, one line in the registry.
//!
//! ```
//! use holonom_multibody::elements::forces::FORCES;
//! use holonom_multibody::description::fields::note;
//!
//! let spring = FORCES.iter().find(|force| force.name == "spring-damper").unwrap();
//! let fields = note(|visitor| (spring.template)().fields(visitor));
//! assert!(fields.iter().any(|noted| noted.field.name == "stiffness" && noted.field.unit == "N/m"));
//! assert_eq!((spring.template)().info().name, "spring-damper");
//! ```

use super::called::{Called, ElementKind};
use super::faults::Faults;
use super::references::{Named, Resolve};
use super::scene::{Loads, Scene};
use crate::description::{CoordinateRef, Mirror};
use crate::fields::Fields;
use crate::signal::Signal;
use crate::tree::Attachment;
use core::fmt::Debug;
use core::ops::Range;
use holonom_algebra::{Function, Real};
use holonom_dae::Gap;
use std::sync::Arc;

/// A force element.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Name, unique in the mechanism.
    pub name: String,
    /// What it does.
    pub kind: ForceKind,
}

impl<K: Into<ForceKind>> From<Called<K>> for Force {
    fn from(element: Called<K>) -> Self {
        Self::new(element.name, element.kind)
    }
}

/// A kind of force element as a description has it. Its default has the values of absent fields.
pub trait DescribedForce: Clone + Debug + Default + PartialEq {
    /// Name in model files and reports.
    const NAME: &str;
    /// One sentence for users.
    const DOC: &str;
    /// It can be written in a model file. A law in Rust cannot.
    const IN_FILES: bool = true;

    /// Shows its fields. Everything that it refers to is among them.
    fn fields(&mut self, visitor: &mut dyn Fields);
    /// What is wrong with its numbers.
    fn faults(&self, _faults: &mut Faults) {}
    /// The element on the nodes of a tree; none where something it refers to does not exist.
    fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement>;
    /// Makes it its mirror image; its frames have become theirs already. Nothing changes where only distances count.
    fn mirror(&mut self, _mirror: &mut Mirror) {}
    /// Signs that scalars seen of it get in the mirror image, before it becomes that image. The forces on its
    /// coordinates have their signs, which are given in the order of its fields.
    fn shown_signs(&self, _mirror: &Mirror, on_coordinates: &[f64]) -> Vec<(&'static str, f64)> {
        let names = ["force", "second_force"];
        names.into_iter().zip(on_coordinates.iter().copied()).collect()
    }
    /// Vectors over time in the axes of the ground, which turn with the part that is included.
    fn ground_vectors(&mut self) -> Vec<&mut [Signal; 3]> {
        Vec::new()
    }
    /// The coordinate of a joint whose reaction its force depends on: only a cut joint has it as an unknown.
    fn reaction(&self) -> Option<&CoordinateRef> {
        None
    }
    /// A law that is given as a function, of which nothing but its values is known.
    fn function(&self) -> Option<&Arc<dyn Function>> {
        None
    }
}

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
    /// Whether [`gap`](Self::gap) gives one.
    fn has_gap(&self) -> bool {
        false
    }
    /// Numbers of inputs and values of what in it consists of smooth pieces. Methods of high order end steps at the
    /// borders of pieces. Laws that are written as expressions are not among them.
    fn piecewise(&self) -> [usize; 2] {
        [0; 2]
    }
    /// The inputs: smooth functions of the motion.
    fn piecewise_inputs(&self, _scene: &Scene<f64>, _out: &mut [f64]) {}
    /// The values, in any unit, and the number of the piece on which each is.
    fn piecewise_values(&self, _inputs: &[f64], _values: &mut [f64], _pieces: &mut [u64]) {}
    /// Coordinates of a place on which it depends by a profile with narrow features, such as that of a wheel on an
    /// uneven road; zero for none. Steps are searched for features that were passed without an evaluation in them.
    fn place_size(&self) -> usize {
        0
    }
    /// The place, in that many coordinates.
    fn place(&self, _scene: &Scene<f64>, _out: &mut [f64]) {}
    /// Width of the narrowest feature that it follows.
    fn feature_width(&self) -> f64 {
        f64::INFINITY
    }
    /// The profile at a place.
    fn profile(&self, _place: &[f64]) -> f64 {
        0.0
    }
    /// A length that must be positive, which may be a function of time.
    fn length_over_time(&self) -> Option<&Signal> {
        None
    }
    /// Tension that would remain where the ends of its line coincide, and cannot act without a direction.
    fn tension_without_length(&self) -> f64 {
        0.0
    }
    /// Its own states; asked for when a model is compiled. Their values are in
    /// [`Scene::own`], in this order.
    fn states(&self) -> Vec<OwnState> {
        Vec::new()
    }
    /// ẋ = s(t, q, v, x, λ) of the own states. Like [`evaluate`](Self::evaluate), it may depend on
    /// the nodes that the sparsity names for the element only.
    fn rates<T: Real>(&self, _scene: &Scene<T>, _out: &mut [T]) {}
    /// A wheel that rolls on a road: its frame, with y along the axle, and its radius.
    fn wheel(&self) -> Option<(&Attachment, f64)> {
        None
    }
    /// The set point whose rate it follows, too. A search for an equilibrium holds it.
    fn set_point(&self) -> Option<&Signal> {
        None
    }
    /// The same, to be changed.
    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        None
    }
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
}

mod contact;
mod custom;
mod expression_law;
mod line;
mod one_sided;
mod reach;
pub(crate) mod seen;

pub use air_spring::{EnclosedGas, GasLaw};
pub use anti_roll_bar::AntiRollLaw;
pub use bump_stop::StopLaw;
pub use bushing::{BushingLaw, BushingLoads};
pub use cable::CableLaw;
pub use contact::ContactLaw;
pub use creep::{CreepData, CreepLaws};
pub use custom::{CustomForce, CustomForceLaw};
pub use cylinder_contact::Cylinders;
pub use expression_law::ExpressionLaw;
pub use joint_anti_roll_bar::JointAntiRollLaw;
pub use nonlinear_spring::{SpringCurves, SpringLaw};
pub use plane_contact::Shape;
pub use reach::Reach;
pub use seen::force_power;
pub use servo::ServoLaw;
pub use tyre::TyreLaws;

const fn info_of<F: DescribedForce>(template: fn() -> ForceKind) -> ForceInfo {
    ForceInfo {
        name: F::NAME,
        doc: F::DOC,
        in_files: F::IN_FILES,
        template,
    }
}

/// The entry of a kind of another crate.
pub(crate) fn info<F: DescribedForce + Send + Sync + 'static>() -> &'static ForceInfo {
    const { &info_of::<F>(|| ForceKind::custom(F::default())) }
}

macro_rules! registry {
    (
        $($(#[$doc:meta])* $file:ident $kind:ident,)*
        + $($(#[$more_doc:meta])* $more:ident $more_kind:ident,)*
    ) => {
        $(mod $file;)*
        $(mod $more;)*
        $(pub use $file::$kind;)*
        $(pub use $more::$more_kind;)*

        /// What a force element does.
        ///
        /// Two users' laws are equal when they are the same object.
        #[derive(Clone, Debug, PartialEq)]
        pub enum ForceKind {
            $($(#[$doc])* $kind($kind<Named>),)*
            $($(#[$more_doc])* $more_kind($more_kind),)*
            /// A kind of another crate.
            Custom(CustomForce),
        }

        $(impl ElementKind for $kind<Named> {
            type Element = Force;
        })*

        $(impl From<$kind<Named>> for ForceKind {
            fn from(kind: $kind<Named>) -> Self {
                Self::$kind(kind)
            }
        })*

        $(impl ElementKind for $more_kind {
            type Element = Force;
        })*

        $(impl From<$more_kind> for ForceKind {
            fn from(kind: $more_kind) -> Self {
                Self::$more_kind(kind)
            }
        })*

        /// All kinds of force elements.
        pub const FORCES: &[&ForceInfo] = &[
            $(const { &info_of::<$kind<Named>>(|| $kind::<Named>::default().into()) },)*
            $(const { &info_of::<$more_kind>(|| $more_kind::default().into()) },)*
        ];

        impl ForceKind {
            /// The registry's entry of the kind.
            pub fn info(&self) -> &'static ForceInfo {
                match self {
                    $(Self::$kind(_) => const { &info_of::<$kind<Named>>(|| $kind::<Named>::default().into()) },)*
                    $(Self::$more_kind(_) => const { &info_of::<$more_kind>(|| $more_kind::default().into()) },)*
                    Self::Custom(f) => f.0.info(),
                }
            }

            /// Shows the fields of the element.
            pub fn fields(&mut self, visitor: &mut dyn Fields) {
                match self {
                    $(Self::$kind(f) => f.fields(visitor),)*
                    $(Self::$more_kind(f) => f.fields(visitor),)*
                    Self::Custom(f) => f.0.fields(visitor),
                }
            }

            /// Adds what is wrong with its numbers.
            pub fn faults(&self, faults: &mut Faults) {
                match self {
                    $(Self::$kind(f) => f.faults(faults),)*
                    $(Self::$more_kind(f) => f.faults(faults),)*
                    Self::Custom(f) => f.0.faults(faults),
                }
            }

            /// The element on the nodes of a tree; none where something it refers to does not exist.
            pub fn attach(&self, to: &mut dyn Resolve) -> Option<ForceElement> {
                match self {
                    $(Self::$kind(f) => f.attach(to),)*
                    $(Self::$more_kind(f) => f.attach(to),)*
                    Self::Custom(f) => f.0.attach(to),
                }
            }

            /// Makes it its mirror image; its frames have become theirs already.
            pub fn mirror(&mut self, mirror: &mut Mirror) {
                match self {
                    $(Self::$kind(f) => f.mirror(mirror),)*
                    $(Self::$more_kind(f) => f.mirror(mirror),)*
                    Self::Custom(f) => f.0.mirror(mirror),
                }
            }

            /// Signs that scalars seen of it get in the mirror image.
            pub fn shown_signs(&self, mirror: &Mirror, on_coordinates: &[f64]) -> Vec<(&'static str, f64)> {
                match self {
                    $(Self::$kind(f) => f.shown_signs(mirror, on_coordinates),)*
                    $(Self::$more_kind(f) => f.shown_signs(mirror, on_coordinates),)*
                    Self::Custom(f) => f.0.shown_signs(mirror, on_coordinates),
                }
            }

            /// Vectors over time in the axes of the ground.
            pub fn ground_vectors(&mut self) -> Vec<&mut [Signal; 3]> {
                match self {
                    $(Self::$kind(f) => f.ground_vectors(),)*
                    $(Self::$more_kind(f) => f.ground_vectors(),)*
                    Self::Custom(f) => f.0.ground_vectors(),
                }
            }

            /// The coordinate of a joint whose reaction its force depends on.
            pub fn reaction(&self) -> Option<&CoordinateRef> {
                match self {
                    $(Self::$kind(f) => f.reaction(),)*
                    $(Self::$more_kind(f) => f.reaction(),)*
                    Self::Custom(f) => f.0.reaction(),
                }
            }

            /// A law that is given as a function.
            pub fn function(&self) -> Option<&Arc<dyn Function>> {
                match self {
                    $(Self::$kind(f) => f.function(),)*
                    $(Self::$more_kind(f) => f.function(),)*
                    Self::Custom(f) => f.0.function(),
                }
            }
        }

        /// A force element of any kind.
        #[derive(Clone, Debug)]
        pub enum ForceElement {
            $($(#[$doc])* $kind($kind),)*
            /// An element of another crate.
            Custom(CustomForceLaw),
        }

        $(impl From<$kind> for ForceElement {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        })*

        impl ForceElement {
            /// Adds its loads.
            pub fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>) {
                match self {
                    $(Self::$kind(f) => f.evaluate(scene, loads),)*
                    Self::Custom(f) => f.evaluate(scene, loads),
                }
            }

            /// Energy stored in it; none when its forces have no potential.
            pub fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T> {
                match self {
                    $(Self::$kind(f) => f.energy(scene),)*
                    Self::Custom(f) => f.energy(scene),
                }
            }

            /// Nodes whose wrench, or the generalised force of whose coordinate, it adds to.
            pub fn nodes(&self) -> impl Iterator<Item = usize> {
                self.reach().nodes()
            }

            /// On what it acts, and so what its loads depend on.
            pub fn reach(&self) -> Reach<'_> {
                match self {
                    $(Self::$kind(f) => f.reach(),)*
                    Self::Custom(f) => f.reach(),
                }
            }

            /// Whether [`energy`](Self::energy) gives one.
            pub fn stores_energy(&self) -> bool {
                match self {
                    $(Self::$kind(f) => f.stores_energy(),)*
                    Self::Custom(f) => f.stores_energy(),
                }
            }

            /// Scalars that it shows besides what its reach shows.
            pub fn outputs(&self) -> Vec<ShownValue> {
                match self {
                    $(Self::$kind(f) => f.outputs(),)*
                    Self::Custom(f) => f.outputs(),
                }
            }

            /// Their values.
            pub fn shown<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self {
                    $(Self::$kind(f) => f.shown(scene, out),)*
                    Self::Custom(f) => f.shown(scene, out),
                }
            }

            /// What its laws that are written as expressions depend on.
            pub fn law_inputs<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self {
                    $(Self::$kind(f) => f.law_inputs(scene, out),)*
                    Self::Custom(f) => f.law_inputs(scene, out),
                }
            }

            /// How far it is from acting, where it acts only within a narrow range of the state.
            pub fn gap(&self, scene: &Scene<f64>) -> Option<Gap> {
                match self {
                    $(Self::$kind(f) => f.gap(scene),)*
                    Self::Custom(f) => f.gap(scene),
                }
            }

            /// Whether it has such a distance.
            pub fn has_gap(&self) -> bool {
                match self {
                    $(Self::$kind(f) => f.has_gap(),)*
                    Self::Custom(f) => f.has_gap(),
                }
            }

            /// Numbers of inputs and values of what in it consists of smooth pieces.
            pub fn piecewise(&self) -> [usize; 2] {
                match self {
                    $(Self::$kind(f) => f.piecewise(),)*
                    Self::Custom(f) => f.piecewise(),
                }
            }

            /// The inputs of that.
            pub fn piecewise_inputs(&self, scene: &Scene<f64>, out: &mut [f64]) {
                match self {
                    $(Self::$kind(f) => f.piecewise_inputs(scene, out),)*
                    Self::Custom(f) => f.piecewise_inputs(scene, out),
                }
            }

            /// Its values and pieces.
            pub fn piecewise_values(&self, inputs: &[f64], values: &mut [f64], pieces: &mut [u64]) {
                match self {
                    $(Self::$kind(f) => f.piecewise_values(inputs, values, pieces),)*
                    Self::Custom(f) => f.piecewise_values(inputs, values, pieces),
                }
            }

            /// Coordinates of a place on which it depends by a profile with narrow features.
            pub fn place_size(&self) -> usize {
                match self {
                    $(Self::$kind(f) => f.place_size(),)*
                    Self::Custom(f) => f.place_size(),
                }
            }

            /// The place.
            pub fn place(&self, scene: &Scene<f64>, out: &mut [f64]) {
                match self {
                    $(Self::$kind(f) => f.place(scene, out),)*
                    Self::Custom(f) => f.place(scene, out),
                }
            }

            /// Width of the narrowest feature that it follows.
            pub fn feature_width(&self) -> f64 {
                match self {
                    $(Self::$kind(f) => f.feature_width(),)*
                    Self::Custom(f) => f.feature_width(),
                }
            }

            /// The profile at a place.
            pub fn profile(&self, place: &[f64]) -> f64 {
                match self {
                    $(Self::$kind(f) => f.profile(place),)*
                    Self::Custom(f) => f.profile(place),
                }
            }

            /// A length that must be positive, which may be a function of time.
            pub fn length_over_time(&self) -> Option<&Signal> {
                match self {
                    $(Self::$kind(f) => f.length_over_time(),)*
                    Self::Custom(f) => f.length_over_time(),
                }
            }

            /// Tension that would remain where the ends of its line coincide.
            pub fn tension_without_length(&self) -> f64 {
                match self {
                    $(Self::$kind(f) => f.tension_without_length(),)*
                    Self::Custom(f) => f.tension_without_length(),
                }
            }

            /// Its own states.
            pub fn states(&self) -> Vec<OwnState> {
                match self {
                    $(Self::$kind(f) => f.states(),)*
                    Self::Custom(f) => f.states(),
                }
            }

            /// Derivatives of its own states.
            pub fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self {
                    $(Self::$kind(f) => f.rates(scene, out),)*
                    Self::Custom(f) => f.rates(scene, out),
                }
            }

            /// A wheel that rolls on a road.
            pub fn wheel(&self) -> Option<(&Attachment, f64)> {
                match self {
                    $(Self::$kind(f) => f.wheel(),)*
                    Self::Custom(f) => f.wheel(),
                }
            }

            /// The set point whose rate it follows, too.
            pub fn set_point(&self) -> Option<&Signal> {
                match self {
                    $(Self::$kind(f) => f.set_point(),)*
                    Self::Custom(f) => f.set_point(),
                }
            }

            /// The same, to be changed.
            pub fn set_point_mut(&mut self) -> Option<&mut Signal> {
                match self {
                    $(Self::$kind(f) => f.set_point_mut(),)*
                    Self::Custom(f) => f.set_point_mut(),
                }
            }

            /// Rows whose multipliers it reads.
            pub fn multipliers(&self) -> Range<usize> {
                match self {
                    $(Self::$kind(f) => f.multipliers(),)*
                    Self::Custom(f) => f.multipliers(),
                }
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
    /// Cable over points.
    cable Cable,
    // Kinds that become another element.
    +
    /// A law between two frames, written as expressions.
    expression Expression,
    /// A tyre of constant stiffness within the friction ellipse.
    linear_tyre LinearTyre,
    /// A tyre with the side force of the Calspan model.
    calspan_tyre CalspanTyre,
    /// A TMeasy tyre.
    tmeasy_tyre TmeasyTyre,
}
