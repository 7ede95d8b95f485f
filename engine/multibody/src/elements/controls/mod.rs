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

use super::forces::OwnState;
use super::scene::Scene;
use crate::description::fields::Fields;
use crate::description::{ControlKind, Mirror};
use crate::model::Attachment;
use crate::signal::Signal;
use holonom_algebra::Real;

pub(crate) mod follow;
pub(crate) mod probe;

pub use driver_speed::SpeedLaw;
pub use driver_steering::SteeringLaw;
pub use follow::Follow;
pub use probe::{ForceReading, Probe};

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
    /// Shows the fields of a control of this kind; one of another kind has none to show.
    pub fields: fn(&mut ControlKind, &mut dyn Fields),
    /// Makes a control of this kind its mirror image: its output is the same when the mechanism
    /// moves in the mirror.
    pub mirror: fn(&mut ControlKind, &mut Mirror),
}

/// A control that reads controls only is its own mirror image.
fn same(_: &mut ControlKind, _: &mut Mirror) {}

fn zero() -> Signal {
    Signal::constant(0.0)
}

macro_rules! registry {
    ($($(#[$doc:meta])* $file:ident $kind:ident,)*) => {
        $(mod $file;)*
        $(pub use $file::$kind;)*

        /// All kinds of controls.
        pub const CONTROLS: &[&ControlInfo] = &[$(&$file::CONTROL),*];

        impl ControlKind {
            /// The registry's entry of the kind.
            pub fn info(&self) -> &'static ControlInfo {
                match self {
                    $(Self::$kind { .. } => &$file::CONTROL,)*
                }
            }
        }

        /// A control of any kind.
        #[derive(Clone, Debug)]
        pub enum ControlElement {
            $($(#[$doc])* $kind($kind),)*
        }

        $(impl From<$kind> for ControlElement {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        })*

        impl ControlElement {
            /// Its output; that of a sensor is read by its probe instead.
            pub fn output<T: Real>(&self, scene: &Scene<T>) -> T {
                match self { $(Self::$kind(c) => c.output(scene),)* }
            }

            /// The force element it reads, and what of it.
            pub(crate) fn reads_force(&self) -> Option<(usize, ForceReading)> {
                match self {
                    Self::Sensor(Sensor { probe: Probe::Force { force, reading, .. }, .. }) => {
                        Some((*force, *reading))
                    }
                    _ => None,
                }
            }

            /// Name of its kind.
            pub fn kind_name(&self) -> &'static str {
                match self { $(Self::$kind(_) => $file::CONTROL.name,)* }
            }

            /// Whether the output depends on the inputs directly.
            pub fn direct(&self) -> bool {
                match self { $(Self::$kind(c) => c.direct(),)* }
            }

            /// Its own states.
            pub fn states(&self) -> Vec<OwnState> {
                match self { $(Self::$kind(c) => c.states(),)* }
            }

            /// Derivatives of its own states.
            pub fn rates<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
                match self { $(Self::$kind(c) => c.rates(scene, out),)* }
            }

            /// Sets own states that begin with what the control sees at the start, and says whether there
            /// are any.
            pub fn begin(&self, scene: &Scene<f64>, own: &mut [f64]) -> bool {
                match self { $(Self::$kind(c) => c.begin(scene, own),)* }
            }

            /// The two frames it reads besides its inputs.
            pub fn frames(&self) -> Option<[Attachment; 2]> {
                match self { $(Self::$kind(c) => c.frames(),)* }
            }
        }
    };
}

registry! {
    /// A channel of the mechanism as a signal.
    sensor Sensor,
    /// A function of time and other controls.
    expression Expression,
    /// Proportional, integral and derivative action.
    pid Pid,
    /// A rational transfer function.
    transfer_function TransferFunction,
    /// A first-order lag.
    lag Lag,
    /// What its input was some time ago.
    dead_time DeadTime,
    /// Where a frame is beside a path.
    path_sensor PathSensor,
    /// A driver who steers along a path.
    driver_steering DriverSteering,
    /// A driver who holds a speed.
    driver_speed DriverSpeed,
}
