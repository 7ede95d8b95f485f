//! Start values and references of constrained problems.

use super::{Assembly, ConstrainedMotion, Form, Mechanics};
use crate::Mechanical;
use crate::problems::{Problem, Reference, builder};

/// Everything about an initial-value problem of a [`ConstrainedMotion`] but its form.
#[derive(Clone, Debug)]
pub(in crate::problems) struct Start<P> {
    pub motion: P,
    pub title: &'static str,
    pub q0: Vec<f64>,
    pub v0: Vec<f64>,
    pub t_end: f64,
    /// q, v, λ at the end.
    pub reference: Vec<f64>,
    pub digits: f64,
    pub provenance: &'static str,
}

impl<P: ConstrainedMotion> Start<P> {
    /// The problem in the given form. v̇ and λ at the start come from the equations; the
    /// derivatives of λ and η do not occur in them and are given as zero. The reference is that of the
    /// constrained motion: [`Form::Ode`] has none.
    pub(in crate::problems) fn problem(self, name: String, form: Form) -> Problem {
        let free = form == Form::Ode;
        let (n, m) = (self.q0.len(), if free { 0 } else { self.motion.n_g() });
        let (mut lambda, mut acceleration) = (vec![0.0; m], vec![0.0; n]);
        let mut mechanics = Mechanics::new(self.motion.clone());
        let (q, v) = (&self.q0, &self.v0);
        let found = match free {
            true => mechanics
                .force(0.0, q, v, &[], &mut acceleration)
                .and_then(|()| mechanics.solve_mass(0.0, q, &mut acceleration)),
            false => mechanics.accelerations(0.0, q, v, &mut lambda, &mut acceleration),
        };
        // A singular start would leave NaN, which no test of the start lets pass.
        if found.is_err() {
            acceleration.fill(f64::NAN);
        }
        let mut y0 = self.q0;
        let mut yp0 = self.v0.clone();
        y0.extend(self.v0);
        y0.extend(lambda);
        yp0.extend(acceleration);
        let mut y_end = self.reference;
        let size = 2 * n + if form == Form::Ggl { 2 * m } else { m };
        for vector in [&mut y0, &mut yp0, &mut y_end] {
            vector.resize(size, 0.0);
        }
        Problem {
            name,
            title: self.title,
            t0: 0.0,
            t_end: self.t_end,
            y0,
            yp0,
            atol_factor: 1.0,
            reference: (!free).then_some(Reference {
                t: self.t_end,
                y: y_end,
                digits: self.digits,
                provenance: self.provenance,
            }),
            build: builder(Assembly::new(self.motion, form)),
        }
    }
}
