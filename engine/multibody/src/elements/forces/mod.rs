//! Force elements. One file per kind, one line in the registry.

use super::scene::{Loads, Scene};
use holonom_algebra::Real;

mod applied;
mod joint_spring;
mod spring_damper;
mod torsion_spring;
mod user;

pub use applied::Applied;
pub use joint_spring::JointSpring;
pub use spring_damper::SpringDamper;
pub use torsion_spring::TorsionSpring;
pub use user::User;

/// What a kind of force element has to say.
pub trait ForceLaw {
    /// Adds its loads.
    fn evaluate<T: Real>(&self, scene: &Scene<T>, loads: &mut Loads<T>);
    /// Energy stored in it; none when its forces have no potential.
    fn energy<T: Real>(&self, scene: &Scene<T>) -> Option<T>;
    /// Nodes whose wrench, or the generalised force of whose coordinate, it adds to.
    fn nodes(&self) -> [Option<usize>; 2];
}

macro_rules! registry {
    ($($(#[$doc:meta])* $kind:ident,)*) => {
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
    Applied,
    /// Spring and damper between two points.
    SpringDamper,
    /// Spring and damper about an axis.
    TorsionSpring,
    /// Spring, damper and motor on a coordinate.
    JointSpring,
    /// A user's law between two frames.
    User,
}
