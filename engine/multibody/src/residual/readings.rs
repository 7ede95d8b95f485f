//! Derivatives by v̇ of what sensors read as unknowns.

use super::Equations;
use crate::model::Model;
use crate::workspace::JointLoads;
use crate::workspace::Workspace;
use holonom_algebra::{Dual8, Real};
use holonom_dae::{MechanicalLayout, Point};

/// Memory of derivatives of readings by accelerations.
#[derive(Debug)]
pub(super) struct ReadingSlopes {
    work: Workspace<Dual8>,
    q: Vec<Dual8>,
    v: Vec<Dual8>,
    a: Vec<Dual8>,
    lambda: Vec<Dual8>,
    out: Vec<Dual8>,
    /// All of them, column by column.
    pub slopes: Vec<f64>,
}

impl ReadingSlopes {
    pub fn new(model: &Model, l: &MechanicalLayout) -> Self {
        let zero = Dual8::constant(0.0);
        Self {
            work: Workspace::new(model),
            q: vec![zero; l.q.len()],
            v: vec![zero; l.v.len()],
            a: vec![zero; l.v.len()],
            lambda: vec![zero; l.lambda.len()],
            out: vec![zero; l.readings.len()],
            slopes: vec![0.0; l.v.len() * l.readings.len()],
        }
    }
}

impl Equations {
    /// Fills ∂c/∂v̇ of the channels c of all readings, which are affine in v̇.
    pub(super) fn reading_slopes(
        &self,
        at: &Point<'_, f64>,
        l: &MechanicalLayout,
        active: &[usize],
        d: &mut ReadingSlopes,
    ) {
        let model = &*self.model;
        let constants = |from: &[f64], to: &mut [Dual8]| {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = Dual8::constant(from);
            }
        };
        constants(&at.y[l.q.clone()], &mut d.q);
        constants(&at.y[l.v.clone()], &mut d.v);
        constants(&at.y[l.lambda.clone()], &mut d.lambda);
        let w = &mut d.work;
        w.set_time(model, Dual8::constant(at.t));
        w.shift_signal(at.shift);
        w.set_positions(model, &d.q);
        w.set_velocities(model, &d.v);
        constants(&at.y[l.x.clone()], &mut w.known.x);
        constants(&at.y[l.readings.clone()], &mut w.known.readings);
        w.set_multipliers(model, active, &d.lambda);
        w.evaluate_controls(model);
        let (n, count) = (l.v.len(), l.readings.len());
        for first in (0..n).step_by(8) {
            constants(&at.yp[l.v.clone()], &mut d.a);
            let last = n.min(first + 8);
            for j in first..last {
                d.a[j] = Dual8::variable(at.yp[l.v.start + j], j - first);
            }
            let w = &mut d.work;
            w.measure(model, (active, &d.lambda), &d.a, JointLoads::Unknown, &mut d.out);
            for j in first..last {
                for (k, out) in d.out.iter().enumerate() {
                    d.slopes[j * count + k] = out.derivative(j - first);
                }
            }
        }
    }
}
