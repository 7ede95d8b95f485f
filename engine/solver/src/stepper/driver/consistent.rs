//! States between steps satisfy the constraints as those at the ends of steps do.

use super::{Integrator, tolerances};
use crate::stepper::projection::Projection;
use holonom_dae::{Failure, Rejection};

/// Violations up to so many tolerances are those of the method and are left alone.
const FITS: f64 = 1.0;

impl Integrator<'_> {
    /// Polynomials through states that satisfy constraints need not satisfy them: the solution seen from outside
    /// is moved to the nearest state that does. Where none is found that is closed as the ends of steps are, the
    /// run ends.
    pub(super) fn bring_to_constraints(&mut self, t: f64) -> Result<(), Failure> {
        let misfit = self.system.misfit(t, &self.y, tolerances(&self.options));
        let misses = |x: f64| x.is_nan() || x > FITS;
        if !(misfit.positions.is_some_and(misses) || misses(misfit.velocities)) {
            return Ok(());
        }
        // Not closer than before where there is no nearest state, next to singular positions: that is judged below.
        let _ = self.project(t, misfit.positions.is_some());
        self.system
            .opening(t, &self.y, tolerances(&self.options))
            .map_err(|kind| Failure {
                t,
                ..self.failed(kind)
            })
    }

    /// Positions, where they are kept, and velocities. Next to singular positions small errors of positions turn the
    /// velocities that fit them.
    fn project(&mut self, t: f64, positions: bool) -> Result<(), Rejection> {
        let structure = self.system.structure();
        let Some(l) = structure.layout.clone() else {
            return Ok(());
        };
        let Some(mechanical) = self.system.mechanical() else {
            return Ok(());
        };
        let projection = self
            .projection
            .get_or_insert_with(|| Box::new(Projection::new(mechanical)));
        let (q, rest) = self.y.split_at_mut(l.v.start);
        let (q, v) = (&mut q[l.q.clone()], &mut rest[..l.v.len()]);
        projection.factorise(mechanical, t, q)?;
        if positions {
            projection.positions(mechanical, t, q)?;
        }
        projection.velocities(mechanical, t, q, v)
    }
}
