//! The scalars of Holonom behind one trait, and the vectors of mechanics over them.
//!
//! A residual is written once, generic over [`Real`]; the solvers evaluate it with `f64` for
//! values, with [`Dual4`] or [`Dual8`] for exact derivatives, and with [`Trace`] for its
//! sparsity. Nothing here allocates but the sets of a [`Trace`].

mod cardan;
mod dual;
mod euler_parameters;
mod function;
mod member;
mod orientation;
mod rotation;
mod scalar;
mod spatial;
mod trace;
mod trig;
mod turn;
mod vec3;

pub use cardan::CardanAngles;
pub use dual::{Dual, Dual4, Dual8, Dual12, DualOrientation, DualTurn};
pub use euler_parameters::Quaternion;
pub use function::{Formula, Function, FunctionError, Generic, MAX_ARGUMENTS, Plain};
pub use member::{EachScalar, Family};
pub use orientation::{Orientation, Oriented};
pub use rotation::{AxisRotation, NoRotation, Rotation};
pub use scalar::{Fused, Real};
pub use spatial::{Articulated, Composite, Inertia, Pose, Twist, Wrench};
pub use trace::Trace;
pub use trig::sin_cos;
pub use turn::{PlaneTurn, SinCos};
pub use vec3::{Mat3, Sym3, Vec3};
