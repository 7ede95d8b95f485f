//! The scalars of Holonom behind one trait, and the vectors of mechanics over them.
//!
//! A residual is written once, generic over [`Real`]; the solvers evaluate it with `f64` for
//! values, with [`Dual4`] or [`Dual8`] for exact derivatives, and with [`Trace`] for its
//! sparsity. Nothing here allocates but the sets of a [`Trace`].

mod trig;
mod scalar;
mod euler_parameters;
mod cardan;

pub use cardan::CardanAngles;
pub use euler_parameters::Quaternion;
pub use scalar::{
    Articulated, AxisRotation, Composite, Dual, Dual4, Dual8, Dual12, DualOrientation, DualTurn, EachScalar,
    Family, Formula, Function, FunctionError, Fused, Generic, Inertia, MAX_ARGUMENTS, Mat3, NoRotation,
    Orientation, Oriented, Plain, PlaneTurn, Pose, Real, Rotation, SinCos, Sym3, Trace, Twist, Vec3, Wrench,
};
pub use trig::sin_cos;
