//! The rows of F(t, y, ẏ).

use super::memory::EquationsWorkspace;
use super::{Equations, Form, Formalism, GglMetric};
use crate::formalism::cholesky;
use crate::workspace::{JointLoads, Workspace};
use holonom_algebra::Real;
use holonom_dae::{MechanicalLayout, Point, Rejection};

/// Rate at which lengths of Euler parameters are pulled to one in the forms without multiplier
/// for them, 1/s.
const LENGTH_RATE: f64 = 1.0;

impl Equations {
    fn kinematic<T: Real>(
        &self,
        at: &Point<'_, T>,
        l: &MechanicalLayout,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
    ) -> Result<(), Rejection> {
        let (q, v) = (&at.y[l.q.clone()], &at.y[l.v.clone()]);
        let w = &mut work.mechanism;
        let rates = &mut r[l.q.clone()];
        if l.eta.is_empty() {
            Workspace::velocity_map(&self.model, q, v, rates);
        } else {
            // v − W Gᵀη
            let x = &mut work.stabilised;
            let eta = self.masked(&at.y[l.eta.clone()], at.discrete, &mut work.multipliers);
            let scratch = (&mut work.factor[..], &mut work.projected[..]);
            self.stabilisation(&work.active, eta, w, scratch, x)?;
            for (x, v) in x.iter_mut().zip(v) {
                *x = *v - *x;
            }
            Workspace::velocity_map(&self.model, q, x, rates);
        }
        for (r, yp) in rates.iter_mut().zip(&at.yp[l.q.clone()]) {
            *r = *yp - *r;
        }
        let keeps_lengths = !l.sigma.is_empty();
        for (k, &i) in self.quaternions.iter().enumerate() {
            let e = &q[i..i + 4];
            let square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
            if keeps_lengths {
                let sigma = at.y[l.sigma.start + k];
                for j in 0..4 {
                    r[i + j] += e[j] * sigma;
                }
                r[l.sigma.start + k] = (square - 1.0) * 0.5;
            } else {
                let pull = (-square + 1.0) * LENGTH_RATE;
                for j in 0..4 {
                    r[i + j] -= e[j] * pull;
                }
            }
        }
        Ok(())
    }

    /// out := W Gᵀη.
    fn stabilisation<T: Real>(
        &self,
        active: &[usize],
        eta: &[T],
        w: &mut Workspace<T>,
        (factor, projected): (&mut [T], &mut [T]),
        out: &mut [T],
    ) -> Result<(), Rejection> {
        let model = &*self.model;
        w.clear_loads();
        w.add_multipliers_of(model, active, &self.holonomic, eta);
        w.project_loads(model, out);
        if self.metric == GglMetric::Mass {
            if model.rods.is_empty() {
                projected.copy_from_slice(out);
                w.factorise_tree_mass(model);
                w.solve_tree_mass(model, projected, out);
            } else {
                w.mass(model, factor);
                cholesky::factorise(factor, model.tree.n_v).map_err(|_| Rejection::OutsideDomain)?;
                cholesky::solve(factor, model.tree.n_v, out);
            }
        }
        Ok(())
    }

    fn dynamic<T: Real>(
        &self,
        at: &Point<'_, T>,
        l: &MechanicalLayout,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
        formalism: Formalism,
    ) -> Result<(), Rejection> {
        let model = &*self.model;
        let w = &mut work.mechanism;
        w.clear_loads();
        w.add_forces(model);
        if !l.x.is_empty() {
            w.state_rates_after_forces(model, &mut r[l.x.clone()]);
            for (r, xp) in r[l.x.clone()].iter_mut().zip(&at.yp[l.x.clone()]) {
                *r = *xp - *r;
            }
        }
        if !l.lambda.is_empty() {
            let lambda = self.masked(&at.y[l.lambda.clone()], at.discrete, &mut work.multipliers);
            w.add_multipliers(model, &work.active, lambda, -1.0);
        }
        let vp = &at.yp[l.v.clone()];
        let rows = &mut r[l.v.clone()];
        match formalism {
            Formalism::Residual => w.newton_euler(model, vp, rows),
            Formalism::Explicit => {
                w.explicit(model, &mut work.factor, rows)?;
                if !l.readings.is_empty() {
                    work.accelerations.copy_from_slice(rows);
                }
                for (r, a) in rows.iter_mut().zip(vp) {
                    *r = *a - *r;
                }
            }
        }
        Ok(())
    }

    /// ρ less the channels. The accelerations are those of the formalism: v̇ as the unknown it is, or
    /// as articulated bodies give it, so that only the rows of v hold derivatives then.
    fn reading_rows<T: Real>(
        &self,
        at: &Point<'_, T>,
        l: &MechanicalLayout,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
    ) {
        if l.readings.is_empty() {
            return;
        }
        let lambda = self.masked(&at.y[l.lambda.clone()], at.discrete, &mut work.multipliers);
        let (a, loads) = match self.formalism {
            Formalism::Residual => (&at.yp[l.v.clone()], JointLoads::Known),
            Formalism::Explicit => (work.accelerations.as_slice(), JointLoads::Unknown),
        };
        let rows = &mut r[l.readings.clone()];
        work.mechanism
            .measure(&self.model, (&work.active, lambda), a, loads, rows);
        for (r, reading) in rows.iter_mut().zip(&at.y[l.readings.clone()]) {
            *r = *reading - *r;
        }
    }

    fn constraint_rows<T: Real>(
        &self,
        at: &Point<'_, T>,
        l: &MechanicalLayout,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
    ) {
        let (w, rows) = (&mut work.mechanism, &mut work.rows);
        let (model, active) = (&*self.model, &work.active);
        match self.form {
            Form::Ode => {}
            Form::Index1 => {
                w.set_accelerations(model, Some(&at.yp[l.v.clone()]));
                w.constraint_acceleration(model, active, &mut r[l.lambda.clone()]);
            }
            Form::Index2 => w.constraint_velocity(model, active, &mut r[l.lambda.clone()]),
            Form::Index3 => {
                // Velocities first: where a row is a condition on positions, g takes its place.
                if self.holonomic.len() < active.len() {
                    w.constraint_velocity(model, active, &mut r[l.lambda.clone()]);
                }
                w.constraint(model, &work.positions, rows);
                for (&k, &g) in self.holonomic.iter().zip(rows.iter()) {
                    r[l.lambda.start + k] = g;
                }
            }
            Form::Ggl => {
                w.constraint_velocity(model, active, &mut r[l.lambda.clone()]);
                w.constraint(model, &work.positions, &mut r[l.eta.clone()]);
            }
        }
        // An open contact carries no force, and nothing needs to be stabilised.
        let contacts = self.open_or_closed(at.discrete).iter().enumerate();
        for (k, _) in contacts.filter(|(_, c)| **c == 0.0) {
            for range in [&l.lambda, &l.eta].into_iter().filter(|range| !range.is_empty()) {
                let i = range.end - self.contacts.len() + k;
                r[i] = at.y[i];
            }
        }
    }

    /// F(t, y, ẏ), with the rows of motion in the given formalism.
    pub(super) fn evaluate<T: Real>(
        &self,
        at: Point<'_, T>,
        work: &mut EquationsWorkspace<T>,
        r: &mut [T],
        formalism: Formalism,
    ) -> Result<(), Rejection> {
        let l = self.layout();
        self.follow(at.discrete, work);
        let w = &mut work.mechanism;
        w.set_sides(at.discrete);
        w.set_time(&self.model, at.t);
        w.shift_signal(at.shift);
        w.set_positions(&self.model, &at.y[l.q.clone()]);
        w.set_velocities(&self.model, &at.y[l.v.clone()]);
        w.set_states(&at.y[l.x.clone()]);
        // λ is an unknown of every form that has it: also index 1 takes forces that depend on it
        // as they are, not from the step before.
        w.set_multipliers(&self.model, &work.active, &at.y[l.lambda.clone()]);
        w.set_readings(&at.y[l.readings.clone()]);
        self.dynamic(&at, l, work, r, formalism)?;
        self.reading_rows(&at, l, work, r);
        self.kinematic(&at, l, work, r)?;
        self.constraint_rows(&at, l, work, r);
        Ok(())
    }
}
