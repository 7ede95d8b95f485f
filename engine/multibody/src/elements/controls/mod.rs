//! Controls: scalar signals that depend on the motion, with states of their own. One file per
//! kind, one line in the registry.
//!
//! A control is known by its name: every function of time of a force element, and every input of
//! another control, may use it, as in `motor = "3*controller"`. Outputs are computed one after the
//! other, each after those that it uses directly; a ring of direct use is refused when a model is
//! compiled.
//!
//! ```
//! use holonom_multibody::elements::controls::CONTROLS;
//! assert!(CONTROLS.iter().any(|control| control.name == "pid"));
//! ```

use super::called::{Called, ElementKind};
use super::faults::Faults;
use super::forces::OwnState;
use super::references::{Named, ResolveControl};
use super::scene::Scene;
use crate::fields::Fields;
use crate::mirror::Mirror;
use crate::observable::Observed;
use crate::path::PathCurve;
use crate::signal::Signal;
use crate::tree::Attachment;
use core::fmt::Debug;
use holonom_algebra::Real;

mod custom;
pub(crate) mod follow;

pub use custom::{CustomControl, CustomControlLaw};
pub use driver_speed::SpeedLaw;
pub use driver_steering::SteeringLaw;
pub use transfer_function::{CanonicalForm, Polynomials};

/// A control: a scalar signal that depends on the motion, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Name, unique in the mechanism; expressions use it, so it is made of letters, digits and _.
    pub name: String,
    /// What it does.
    pub kind: ControlKind,
}

impl<K: Into<ControlKind>> From<Called<K>> for Control {
    fn from(element: Called<K>) -> Self {
        Self::new(element.name, element.kind)
    }
}

/// A kind of control as a description has it. Its default has the values of absent fields.
pub trait DescribedControl: Clone + Debug + Default + PartialEq {
    /// Name in model files and reports.
    const NAME: &str;
    /// One sentence for users.
    const DOC: &str;
    /// It can be written in a model file.
    const IN_FILES: bool = true;

    /// Shows its fields. Everything that it refers to is among them.
    fn fields(&mut self, visitor: &mut dyn Fields);
    /// What is wrong with its numbers.
    fn faults(&self, _faults: &mut Faults) {}
    /// What is wrong with it on the path that it refers to.
    fn path_faults(&self, _path: &PathCurve, _faults: &mut Faults) {}
    /// The control in a compiled mechanism; none where something it refers to does not exist.
    fn attach(&self, to: &mut dyn ResolveControl) -> Option<ControlElement>;
    /// Makes it its mirror image: its output is the same when the mechanism moves in the mirror. A control that reads
    /// controls only is its own image.
    fn mirror(&mut self, _mirror: &mut Mirror) {}
    /// Its output as a function of time and other controls, where it is nothing else.
    fn formula(&self) -> Option<&Signal> {
        None
    }
}

/// What a kind of control has to say.
pub trait ControlLaw {
    /// Its output. Inputs are [`Scene::value`]s, own states are in [`Scene::own`].
    fn output<T: Real>(&self, scene: &Scene<T>) -> T;
    /// Whether the output depends on the inputs directly, not through own states only.
    fn direct(&self) -> bool {
        true
    }
    /// Its own states; asked for when a model is compiled.
    fn states(&self) -> Vec<OwnState> {
        Vec::new()
    }
    /// Derivatives of the own states. All outputs are known.
    fn rates<T: Real>(&self, _scene: &Scene<T>, _out: &mut [T]) {}
    /// Sets own states that begin with what the control sees at the start, and says whether there are any.
    fn begin(&self, _scene: &Scene<f64>, _own: &mut [f64]) -> bool {
        false
    }
    /// The set point whose rate it follows, too. A search for an equilibrium holds it.
    fn set_point(&self) -> Option<&Signal> {
        None
    }
    /// The same, to be changed.
    fn set_point_mut(&mut self) -> Option<&mut Signal> {
        None
    }
    /// The two frames it reads besides its inputs, where it does: by the motion of the second against
    /// the first. A control whose output is not [direct](Self::direct) reads them in its rates only.
    fn frames(&self) -> Option<[Attachment; 2]> {
        None
    }
}

/// An entry of the registry: what users need to know about a kind of control.
#[derive(Debug)]
pub struct ControlInfo {
    /// Name in model files and reports.
    pub name: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// It can be written in a model file.
    pub in_files: bool,
    /// The kind as absent fields leave it.
    pub template: fn() -> ControlKind,
}

const fn info_of<C: DescribedControl>(template: fn() -> ControlKind) -> ControlInfo {
    ControlInfo {
        name: C::NAME,
        doc: C::DOC,
        in_files: C::IN_FILES,
        template,
    }
}

/// The entry of a kind of another crate.
pub(crate) fn info<C: DescribedControl + Send + Sync + 'static>() -> &'static ControlInfo {
    const { &info_of::<C>(|| ControlKind::custom(C::default())) }
}

macro_rules! registry {
    ($($(#[$doc:meta])* $file:ident $kind:ident($described:ty),)*) => {
        $(mod $file;)*
        $(pub use $file::$kind;)*

        /// What a control does. Inputs are numbers or expressions of t and controls.
        #[derive(Clone, Debug, PartialEq)]
        pub enum ControlKind {
            $($(#[$doc])* $kind($described),)*
            /// A kind of another crate.
            Custom(CustomControl),
        }

        $(impl ElementKind for $described {
            type Element = Control;
        })*

        $(impl From<$described> for ControlKind {
            fn from(kind: $described) -> Self {
                Self::$kind(kind)
            }
        })*

        /// All kinds of controls.
        pub const CONTROLS: &[&ControlInfo] = &[$(const { &info_of::<$described>(|| <$described>::default().into()) }),*];

        impl ControlKind {
            /// The registry's entry of the kind.
            pub fn info(&self) -> &'static ControlInfo {
                match self {
                    $(Self::$kind(_) => const { &info_of::<$described>(|| <$described>::default().into()) },)*
                    Self::Custom(c) => c.0.info(),
                }
            }

            /// Shows the fields of the control.
            pub fn fields(&mut self, visitor: &mut dyn Fields) {
                match self {
                    $(Self::$kind(c) => c.fields(visitor),)*
                    Self::Custom(c) => c.0.fields(visitor),
                }
            }

            /// Adds what is wrong with its numbers.
            pub fn faults(&self, faults: &mut Faults) {
                match self {
                    $(Self::$kind(c) => c.faults(faults),)*
                    Self::Custom(c) => c.0.faults(faults),
                }
            }

            /// Adds what is wrong with it on the path that it refers to.
            pub fn path_faults(&self, path: &PathCurve, faults: &mut Faults) {
                match self {
                    $(Self::$kind(c) => c.path_faults(path, faults),)*
                    Self::Custom(c) => c.0.path_faults(path, faults),
                }
            }

            /// The control in a compiled mechanism; none where something it refers to does not exist.
            pub fn attach(&self, to: &mut dyn ResolveControl) -> Option<ControlElement> {
                match self {
                    $(Self::$kind(c) => c.attach(to),)*
                    Self::Custom(c) => c.0.attach(to),
                }
            }

            /// Makes it its mirror image.
            pub fn mirror(&mut self, mirror: &mut Mirror) {
                match self {
                    $(Self::$kind(c) => c.mirror(mirror),)*
                    Self::Custom(c) => c.0.mirror(mirror),
                }
            }

            /// Its output as a function of time and other controls, where it is nothing else.
            pub fn formula(&self) -> Option<&Signal> {
                match self {
                    $(Self::$kind(c) => c.formula(),)*
                    Self::Custom(c) => c.0.formula(),
                }
            }
        }

        /// A control of any kind.
        #[derive(Clone, Debug)]
        pub enum ControlElement {
            $($(#[$doc])* $kind($kind),)*
            /// A control of another crate.
            Custom(CustomControlLaw),
        }

        $(impl From<$kind> for ControlElement {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        })*

        impl ControlElement {
            /// Its output; what a sensor reads must be in the place of its output.
            pub fn output<T: Real>(&self, scene: &Scene<T>) -> T {
                match self {
                    $(Self::$kind(c) => c.output(scene),)*
                    Self::Custom(c) => c.output(scene),
                }
            }

            /// What it reads without delay: the value is to be in the place of its output before that is
            /// computed.
            pub(crate) fn observes(&self) -> Option<&Observed> {
                match self {
                    Self::Sensor(sensor) => sensor.channel.observed.as_ref(),
                    _ => None,
                }
            }

            /// Name of its kind.
            pub fn kind_name(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => <$described as DescribedControl>::NAME,)*
                    Self::Custom(c) => c.kind,
                }
            }

            /// Whether the output depends on the inputs directly.
            pub fn direct(&self) -> bool {
                match self {
                    $(Self::$kind(c) => c.direct(),)*
                    Self::Custom(c) => c.direct(),
                }
            }

            /// Its own states.
            pub fn states(&self) -> Vec<OwnState> {
                match self {
                    $(Self::$kind(c) => c.states(),)*
                    Self::Custom(c) => c.states(),
                }
            }

            /// Derivatives of its own states.
            pub fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self {
                    $(Self::$kind(c) => c.rates(scene, out),)*
                    Self::Custom(c) => c.rates(scene, out),
                }
            }

            /// Sets own states that begin with what the control sees at the start, and says whether there
            /// are any.
            pub fn begin(&self, scene: &Scene<f64>, own: &mut [f64]) -> bool {
                match self {
                    $(Self::$kind(c) => c.begin(scene, own),)*
                    Self::Custom(c) => c.begin(scene, own),
                }
            }

            /// The set point whose rate it follows, too.
            pub fn set_point(&self) -> Option<&Signal> {
                match self {
                    $(Self::$kind(c) => c.set_point(),)*
                    Self::Custom(c) => c.set_point(),
                }
            }

            /// The same, to be changed.
            pub fn set_point_mut(&mut self) -> Option<&mut Signal> {
                match self {
                    $(Self::$kind(c) => c.set_point_mut(),)*
                    Self::Custom(c) => c.set_point_mut(),
                }
            }

            /// The two frames it reads besides its inputs.
            pub fn frames(&self) -> Option<[Attachment; 2]> {
                match self {
                    $(Self::$kind(c) => c.frames(),)*
                    Self::Custom(c) => c.frames(),
                }
            }
        }
    };
}

registry! {
    /// A channel of the mechanism as a signal.
    sensor Sensor(Sensor<Named>),
    /// A function of time and other controls.
    expression Expression(Expression),
    /// Proportional, integral and derivative action.
    pid Pid(Pid),
    /// A rational transfer function.
    transfer_function TransferFunction(TransferFunction<Named>),
    /// A first-order lag.
    lag Lag(Lag),
    /// An output that changes with a limited rate.
    rate_limit RateLimit(RateLimit),
    /// What its input was some time ago.
    dead_time DeadTime(DeadTime),
    /// Where a frame is beside a path.
    path_sensor PathSensor(PathSensor<Named>),
    /// A driver who steers along a path.
    driver_steering DriverSteering(DriverSteering<Named>),
    /// A driver who holds a speed.
    driver_speed DriverSpeed(DriverSpeed<Named>),
}
