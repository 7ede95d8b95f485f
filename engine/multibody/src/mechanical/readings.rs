//! What sensors read at a motion that is known.

use super::MechanicalModel;
use crate::formalism::lu;
use crate::workspace::JointLoads;
use holonom_algebra::{Dual8, Real};
use holonom_dae::Rejection;

/// Newton iterations for readings that forces depend on.
const MAXIMUM_ITERATIONS: usize = 30;

/// A difference of readings and channels, relative, that is rounding.
const TOLERANCE: f64 = 1e-12;

/// One from which a step of Newton's method leads to rounding.
const NEARLY: f64 = 1e-9;

impl MechanicalModel {
    /// measured := the channels of all readings at the accelerations and multipliers given; time,
    /// positions and velocities must have been set.
    pub(super) fn measure(&mut self, accelerations: &[f64], lambda: &[f64]) {
        let active = (self.active.as_slice(), lambda);
        let out = &mut self.implicit.measured;
        self.work
            .measure(&self.model, active, accelerations, JointLoads::Unknown, out);
    }

    /// Finds what sensors read at a motion with given accelerations and multipliers, whether these are
    /// those of the forces or not. It is in the workspace afterwards.
    ///
    /// # Errors
    /// Loads that depend on what is read of them in a ring without a solution.
    pub fn find_readings(
        &mut self,
        (t, q, v): (f64, &[f64], &[f64]),
        accelerations: &[f64],
        lambda: &[f64],
    ) -> Result<(), Rejection> {
        if self.model.readings.is_empty() {
            return Ok(());
        }
        self.place(t, q);
        self.work.set_velocities(&self.model, v);
        self.work.set_multipliers(&self.model, &self.active, lambda);
        if self.work.known.readings.iter().any(|x| !x.is_finite()) {
            self.work.known.readings.fill(0.0);
        }
        let mut before = f64::INFINITY;
        for _ in 0..MAXIMUM_ITERATIONS {
            self.work.evaluate_controls(&self.model);
            self.measure(accelerations, lambda);
            let gap = self.readings_apart().fold(0.0, f64::max);
            if self.implicit.readings == 0 || gap <= TOLERANCE || before <= NEARLY && gap <= NEARLY {
                self.work.known.readings.copy_from_slice(&self.implicit.measured);
                self.work.evaluate_controls(&self.model);
                return Ok(());
            }
            before = gap;
            self.step_readings((t, q, v), accelerations, lambda)?;
        }
        let worst = self
            .readings_apart()
            .enumerate()
            .max_by(|x, y| x.1.total_cmp(&y.1));
        Err(Rejection::SingularRing {
            reading: worst.map_or(0, |(reading, _)| reading),
        })
    }

    /// ρ := ρ + (I − c')⁻¹(c − ρ).
    fn step_readings(
        &mut self,
        (t, q, v): (f64, &[f64], &[f64]),
        accelerations: &[f64],
        lambda: &[f64],
    ) -> Result<(), Rejection> {
        let count = self.work.known.readings.len();
        // The search with the accelerations has at least as many unknowns.
        let mut matrix = std::mem::take(&mut self.implicit.matrix);
        let mut d = self.dual_memory();
        let m = &mut *d;
        let constants = |from: &[f64], to: &mut [Dual8]| {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = Dual8::constant(from);
            }
        };
        constants(q, &mut m.q);
        constants(v, &mut m.v);
        constants(accelerations, &mut m.a);
        constants(lambda, &mut m.lambda);
        self.set_dual(t, lambda, m);
        for first in (0..count).step_by(8) {
            let last = count.min(first + 8);
            constants(&self.work.known.readings, &mut m.work.known.readings);
            for j in first..last {
                m.work.known.readings[j] = Dual8::variable(self.work.known.readings[j], j - first);
            }
            m.work.evaluate_controls(&self.model);
            let active = (self.active.as_slice(), m.lambda.as_slice());
            m.work
                .measure(&self.model, active, &m.a, JointLoads::Unknown, &mut m.readings);
            for j in first..last {
                for (i, reading) in m.readings.iter().enumerate() {
                    let unit = if i == j { 1.0 } else { 0.0 };
                    matrix[j * count + i] = unit - reading.derivative(j - first);
                }
            }
        }
        self.dual = Some(d);
        let step = &mut self.implicit.step[..count];
        let pairs = self.implicit.measured.iter().zip(&self.work.known.readings);
        for (step, (c, x)) in step.iter_mut().zip(pairs) {
            *step = c - x;
        }
        let solved = lu::solve_unit_less(
            &mut matrix[..count * count],
            &mut self.implicit.sizes[..count * count],
            count,
            step,
        );
        for (x, step) in self.work.known.readings.iter_mut().zip(step) {
            *x += *step;
        }
        self.implicit.matrix = matrix;
        solved.map_err(|reading| Rejection::SingularRing { reading })
    }
}
