//! One member of a family of types for each scalar: generic code that calls objects.
//!
//! A method generic over [`Real`] cannot be called through `dyn`. An object can have one trait per scalar instead,
//! `dyn At<f64>`, `dyn At<Dual4>` and so on, and generic code picks the one of its scalar with [`Real::member`].
//!
//! ```
//! use holonom_algebra::{Dual4, Dual8, Dual12, EachScalar, Family, Real, Trace};
//!
//! trait Law {
//!     fn force<T: Real>(&self, x: T) -> T;
//! }
//! trait LawAt<T> {
//!     fn force_at(&self, x: T) -> T;
//! }
//! impl<L: Law, T: Real> LawAt<T> for L {
//!     fn force_at(&self, x: T) -> T {
//!         self.force(x)
//!     }
//! }
//! trait Object: LawAt<f64> + LawAt<Dual4> + LawAt<Dual8> + LawAt<Dual12> + LawAt<Trace> {}
//! impl<L: Law> Object for L {}
//!
//! struct Members<'a>(&'a ());
//! impl<'a> Family for Members<'a> {
//!     type Of<T: Real> = &'a dyn LawAt<T>;
//! }
//! fn twice<T: Real>(law: &dyn Object, x: T) -> T {
//!     let members = EachScalar::<Members> { f64: law, dual4: law, dual8: law, dual12: law, trace: law };
//!     T::member(&members).force_at(x) * 2.0
//! }
//!
//! struct Cubic;
//! impl Law for Cubic {
//!     fn force<T: Real>(&self, x: T) -> T {
//!         x.powi(3)
//!     }
//! }
//! assert_eq!(twice(&Cubic, 2.0), 16.0);
//! assert_eq!(twice(&Cubic, Dual4::variable(2.0, 1)).derivative(1), 24.0);
//! assert_eq!(twice(&Cubic, Dual12::variable(2.0, 11)).derivative(11), 24.0);
//! ```

use crate::{Dual4, Dual8, Dual12, Real, Trace};

/// A type for each scalar.
pub trait Family {
    /// The type for a scalar.
    type Of<T: Real>: Copy;
}

/// The members of a family for all scalars of the engine.
pub struct EachScalar<F: Family> {
    /// For `f64`.
    pub f64: F::Of<f64>,
    /// For [`Dual4`].
    pub dual4: F::Of<Dual4>,
    /// For [`Dual8`].
    pub dual8: F::Of<Dual8>,
    /// For [`Dual12`].
    pub dual12: F::Of<Dual12>,
    /// For [`Trace`].
    pub trace: F::Of<Trace>,
}
