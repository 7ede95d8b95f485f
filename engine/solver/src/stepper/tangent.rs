//! [`Tangent`]: errors of velocities along the constraints, where the error test does not see them.
//!
//! Where multipliers keep positions alone, velocities follow from positions divided by the step size, and what lies across
//! the constraints is noise of that size: they count with h in the error test. Across the constraints such errors are gone
//! with the next step. What lies along them stays, and counts for little where h is small: in a fast turn next to a singular
//! position positions hardly move, but velocities change by all they have. The part along the constraints, measured by M
//! as multipliers do, is no noise, and is tested without h.

use super::projection::Projection;
use crate::equations::Equations;
use core::ops::Range;
use holonom_dae::{MechanicalLayout, System, Weights};

/// Room for the test. Allocates when made, not afterwards.
pub(super) struct Tangent {
    layout: MechanicalLayout,
    projection: Projection,
    /// That of the step before, and its time.
    before: Option<(f64, Projection)>,
    /// The time of the last one.
    at: f64,
    along: Vec<f64>,
}

impl Tangent {
    /// For a mechanism whose velocities count with the step size in these weights; none for others. `projects`: for
    /// [`project`](Self::project).
    pub fn new(system: &mut dyn System, weights: &Weights, projects: bool) -> Option<Self> {
        let layout = system.structure().layout.clone()?;
        if layout.lambda.is_empty() || !layout.v.clone().any(|i| weights.counts_by_step(i)) {
            return None;
        }
        let mechanical = system.mechanical()?;
        let projection = Projection::new(mechanical);
        let before = projects.then(|| (f64::NAN, Projection::new(mechanical)));
        Some(Self {
            along: vec![0.0; layout.v.len()],
            layout,
            projection,
            before,
            at: f64::NAN,
        })
    }

    /// Where velocities are among the unknowns.
    pub fn velocities(&self) -> Range<usize> {
        self.layout.v.clone()
    }

    /// Brings velocities to the constraints at the end (t, y) of a step from `from`: errors across them would lie along them
    /// in the next step, where the directions have turned. At a singular position they stay what they are.
    ///
    /// Returns the norm, in full, of the part of what is taken out that lay along the constraints where the step began: by
    /// about so much the turn of the directions has made errors across the constraints errors along them.
    pub fn project(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        [from, t]: [f64; 2],
        y: &mut [f64],
    ) -> f64 {
        let Some(mechanical) = equations.system.mechanical() else {
            return 0.0;
        };
        let n = y.len();
        let (q, rest) = y.split_at_mut(self.layout.v.start);
        let (q, v) = (&q[self.layout.q.clone()], &mut rest[..self.along.len()]);
        self.along.copy_from_slice(v);
        equations.counters.factorisations += 1;
        self.at = t;
        let done = self
            .projection
            .factorise(mechanical, t, q)
            .and_then(|()| self.projection.velocities(mechanical, t, q, v));
        if done.is_err() || v.iter().any(|v| !v.is_finite()) {
            v.copy_from_slice(&self.along);
            self.at = f64::NAN;
            return 0.0;
        }
        for (d, v) in self.along.iter_mut().zip(v) {
            *d -= *v;
        }
        let before = self.before.as_mut().filter(|(at, _)| *at == from);
        let done = before.map(|(_, before)| before.tangential(mechanical, &mut self.along));
        match done {
            Some(Ok(())) => norm(&self.along, &weights.reciprocal()[self.layout.v.clone()], n),
            _ => 0.0,
        }
    }

    /// The step projected last was accepted.
    pub fn accepted(&mut self) {
        if let Some((at, before)) = &mut self.before {
            core::mem::swap(before, &mut self.projection);
            *at = self.at;
        }
    }

    /// Norm of the part along the constraints at (t, y) of an error `e`, in full; zero where all of it is within the
    /// limit, and at singular positions, where nothing tells what lies along them.
    pub fn norm(
        &mut self,
        equations: &mut Equations<'_>,
        weights: &Weights,
        (t, y): (f64, &[f64]),
        e: &[f64],
        limit: f64,
    ) -> f64 {
        let v = self.layout.v.clone();
        let Some(mechanical) = equations
            .system
            .mechanical()
            .filter(|_| norm_of(weights, e, v.clone()) > limit)
        else {
            return 0.0;
        };
        self.along.copy_from_slice(&e[v.clone()]);
        let q = &y[self.layout.q.clone()];
        equations.counters.factorisations += 1;
        let done = self
            .projection
            .factorise(mechanical, t, q)
            .and_then(|()| self.projection.tangential(mechanical, &mut self.along));
        match done {
            Ok(()) => norm(&self.along, &weights.reciprocal()[v], e.len()),
            Err(_) => 0.0,
        }
    }
}

/// Norm of the errors of some variables, in full, as a part of that of all.
pub(super) fn norm_of(weights: &Weights, e: &[f64], range: Range<usize>) -> f64 {
    norm(&e[range.clone()], &weights.reciprocal()[range], e.len())
}

fn norm(e: &[f64], weights: &[f64], n: usize) -> f64 {
    let sum: f64 = e.iter().zip(weights).map(|(e, w)| (e * w).powi(2)).sum();
    (sum / n as f64).sqrt()
}
