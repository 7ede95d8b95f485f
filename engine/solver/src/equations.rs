//! [`Equations`]: the system under integration together with the counters of the run, so that
//! no evaluation can be forgotten in the count.

use holonom_dae::{Counters, Rejection, System};

/// What a residual evaluation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The corrector iteration (#fcw).
    Corrector,
    /// A difference Jacobian or the consistent start.
    Other,
}

/// A system and its counters, borrowed for the length of a step.
pub struct Equations<'a> {
    /// The system.
    pub system: &'a mut dyn System,
    /// The counters of the run.
    pub counters: &'a mut Counters,
}

impl Equations<'_> {
    /// r := F(t, y, ẏ), counted and checked: NaN and infinities are a rejection.
    pub fn residual(
        &mut self,
        purpose: Purpose,
        t: f64,
        y: &[f64],
        yp: &[f64],
        r: &mut [f64],
    ) -> Result<(), Rejection> {
        self.count(purpose);
        self.system.residual(t, y, yp, r)?;
        finite(r)
    }

    /// The same with the rows of motion solved for the accelerations, for systems that have it.
    pub fn explicit_residual(
        &mut self,
        purpose: Purpose,
        t: f64,
        y: &[f64],
        yp: &[f64],
        r: &mut [f64],
    ) -> Result<(), Rejection> {
        self.count(purpose);
        self.system.explicit_residual(t, y, yp, r)?;
        finite(r)
    }

    fn count(&mut self, purpose: Purpose) {
        self.counters.residuals += 1;
        if purpose == Purpose::Corrector {
            self.counters.residuals_corrector += 1;
        }
    }
}

fn finite(r: &[f64]) -> Result<(), Rejection> {
    match first_non_finite(r) {
        None => Ok(()),
        Some(row) => Err(Rejection::NonFinite { row }),
    }
}

/// The first entry that is NaN or infinite.
pub fn first_non_finite(v: &[f64]) -> Option<usize> {
    // x·0 is zero for finite x and NaN otherwise: one branch for the whole vector.
    let sum: f64 = v.iter().map(|x| x * 0.0).sum();
    if sum == 0.0 {
        None
    } else {
        v.iter().position(|x| !x.is_finite())
    }
}
