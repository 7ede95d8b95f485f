//! Tyres: laws from slip and load to forces.
//!
//! Axes and signs are those of ISO 8855 and the PAC2002 files: x forward, y to the left, z up at the
//! contact point. With V_x the velocity of the wheel centre along x and V_s that of the tread at the
//! contact point,
//!
//! - κ = −V_sx/|V_x|: positive when driving, F_x = C_κ κ for small slip;
//! - tan α = V_sy/|V_x|: positive when the tread slides to the left, F_y = −C_α α;
//! - γ: positive when the wheel leans to the right (a turn about x), F_y then points to the right.
//!
//! Sources: H. B. Pacejka, Tyre and Vehicle Dynamics (Magic Formula, transient slip); G. Rill, Road
//! Vehicle Dynamics (TMeasy). All laws are finite and have finite first derivatives at zero slip,
//! zero load and standstill.
//!
//! ```
//! use holonom_multibody::tyre::{Contact, Linear, TyreLaw};
//! let tyre = TyreLaw::Linear(Linear { cornering_stiffness: 50e3, slip_stiffness: 80e3, ..Linear::default() });
//! let forces = tyre.forces(&Contact { load: 4000.0, lateral: 0.01, ..Contact::default() });
//! assert!((forces.lateral + 500.0).abs() < 0.05);
//! ```

mod calspan;
mod linear;
mod magic_formula;
pub(crate) mod smooth;
pub mod tir;
mod tmeasy;

pub use calspan::Calspan;
pub use linear::Linear;
pub use magic_formula::{Coefficient, MagicFormula};
pub use tmeasy::{Tmeasy, TmeasyAxis};

use holonom_algebra::Real;
use smooth::at_least;

/// What a law sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<T> {
    /// Load F_z, N; laws treat negative loads as zero.
    pub load: T,
    /// Longitudinal slip κ.
    pub kappa: T,
    /// Lateral slip tan α.
    pub lateral: T,
    /// Camber γ, rad.
    pub camber: T,
    /// Velocity V_x, m/s.
    pub speed: T,
    /// Which way it rolls: 1 forward, −1 backward, less near standstill. The pneumatic trail
    /// changes sides with it.
    pub rolling: T,
    /// Length of the contact patch, m.
    pub patch: T,
    /// Friction of the road as a factor of that of the tyre's data; laws that divide by it do not
    /// take it for less than a millionth.
    pub friction: f64,
}

impl<T: Real> Default for Contact<T> {
    /// Rolling forward without slip and without load.
    fn default() -> Self {
        Self {
            load: T::zero(),
            kappa: T::zero(),
            lateral: T::zero(),
            camber: T::zero(),
            speed: T::zero(),
            rolling: T::one(),
            patch: T::zero(),
            friction: 1.0,
        }
    }
}

/// What a law answers: forces on the wheel at the contact point, besides the load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forces<T> {
    /// F_x, N.
    pub longitudinal: T,
    /// F_y, N.
    pub lateral: T,
    /// M_x, N m: overturning.
    pub overturning: T,
    /// Size of the moment against rolling, N m.
    pub resistance: T,
    /// M_z, N m: aligning.
    pub aligning: T,
    /// Mass of the gyroscopic moment, kg: M_z gains it times the velocity of rolling r_e Ω and the rate of the
    /// lateral deflection.
    pub gyration: T,
}

impl<T: Real> Forces<T> {
    fn scaled(self, factor: T) -> Self {
        Self {
            longitudinal: self.longitudinal * factor,
            lateral: self.lateral * factor,
            overturning: self.overturning * factor,
            resistance: self.resistance * factor,
            aligning: self.aligning * factor,
            gyration: self.gyration * factor,
        }
    }
}

/// A law of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum TyreLaw {
    /// Constant stiffness within the friction ellipse.
    Linear(Linear),
    /// Side force of the Calspan model.
    Calspan(Calspan),
    /// TMeasy.
    Tmeasy(Box<Tmeasy>),
    /// Magic Formula.
    MagicFormula(Box<MagicFormula>),
}

impl TyreLaw {
    /// Forces at a contact.
    pub fn forces<T: Real>(&self, contact: &Contact<T>) -> Forces<T> {
        match self {
            Self::Linear(law) => law.forces(contact),
            Self::Calspan(law) => law.forces(contact),
            Self::Tmeasy(law) => law.forces(contact),
            Self::MagicFormula(law) => law.forces(contact),
        }
    }

    /// Relaxation lengths along x and y, m, of a law that knows them.
    pub fn relaxation<T: Real>(&self, load: T, camber: T) -> Option<[T; 2]> {
        match self {
            Self::Linear(_) | Self::Calspan(_) => None,
            Self::Tmeasy(law) => Some(law.relaxation(load)),
            Self::MagicFormula(law) => Some(law.relaxation(load, camber)),
        }
    }
}

/// The least friction that laws divide by.
const LEAST_FRICTION: f64 = 1e-6;

/// The load at which a law is evaluated, within its bounds, and the share of the result that
/// counts: outside the bounds forces stay proportional to the load, so that they vanish with it.
fn bounded<T: Real>(load: T, [low, high]: [f64; 2]) -> (T, T) {
    let load = at_least(load, 0.0);
    let used = smooth::at_most(at_least(load, low), high);
    (used, load / used)
}

#[cfg(test)]
mod tests;
