//! How far the polynomial of a step is from the equations of motion, in units of the error test.

use super::super::dormand_prince::Rates;
use super::super::{Stepper, setup};
use crate::equations::Equations;
use crate::options::Options;
use core::ops::Range;
use holonom_dae::{ErrorTest, System, Weights};

/// Effect on velocities, in tolerances, that is to be seen.
pub(super) const EFFECT: f64 = 10.0;

/// Change of velocities in a step, in tolerances, by which accelerations of its polynomial may differ from those of the
/// equations. In steps of mechanisms without narrow ranges it is 70 at most.
pub(super) const UNSATISFIED: f64 = 1000.0;

/// Accelerations by the equations, compared with those of a step's polynomial.
pub(super) struct Defect {
    weights: Weights,
    judged: Vec<bool>,
    rates: Option<Rates>,
    y: Vec<f64>,
    yp: Vec<f64>,
    slopes: Vec<f64>,
}

impl Defect {
    /// Room for a system; none for its derivatives where it is `off`.
    pub fn new(system: &mut dyn System, options: &Options, off: bool) -> Self {
        let rates = if off { None } else { Rates::new(system).ok() };
        let n = system.structure().dimension();
        let tests = system.structure().default_error_test();
        Self {
            // Those of the method may be tightened.
            weights: setup::weights(options, system.structure()),
            judged: tests
                .into_iter()
                .map(|test| test != ErrorTest::Excluded)
                .collect(),
            rates,
            y: vec![0.0; n],
            yp: vec![0.0; n],
            slopes: vec![0.0; n],
        }
    }

    /// Whether derivatives can be evaluated.
    pub fn is_possible(&self) -> bool {
        self.rates.is_some()
    }

    /// Whether what the method does for outputs makes the polynomial satisfy the equations at a time, and hardly changes
    /// it: stiff forces tell of errors that are within the tolerance.
    pub fn is_mended(&mut self, equations: &mut Equations<'_>, stepper: &mut dyn Stepper, t: f64) -> bool {
        stepper.interpolate(t, &mut self.y, &mut self.yp);
        self.slopes.copy_from_slice(&self.y);
        stepper.refine(equations, t, &mut self.y, &mut self.yp);
        for (change, y) in self.slopes.iter_mut().zip(&self.y) {
            *change -= y;
        }
        let moved = self.weights.error_norm(&self.slopes);
        moved > 0.0 && moved <= EFFECT
    }

    /// Of each variable one over its tolerance at the end of a step; zero where it has none.
    pub fn weights(&mut self, stepper: &dyn Stepper) -> impl Iterator<Item = f64> + '_ {
        self.weights.update(stepper.y(), 1.0);
        let each = self.weights.reciprocal().iter().zip(&self.judged);
        each.map(|(weight, judged)| if *judged { *weight } else { 0.0 })
    }

    /// The variables whose derivatives are compared: velocities, or all where there is no mechanism.
    pub fn range(&self, system: &dyn System) -> Range<usize> {
        let layout = system.structure().layout.as_ref();
        layout.map_or(0..self.y.len(), |layout| layout.v.clone())
    }

    /// The largest difference at a time inside of the last step, in tolerances of velocities per second, or of all
    /// variables where there is no mechanism; none where derivatives cannot be evaluated.
    pub fn measure(&mut self, equations: &mut Equations<'_>, stepper: &dyn Stepper, t: f64) -> Option<f64> {
        self.compare(equations, stepper, t)?;
        let all = self.range(equations.system).filter(|k| self.judged[*k]);
        let size = all.map(|k| self.slopes[k].abs());
        Some(size.fold(0.0, f64::max))
    }

    /// The differences of all variables in [`range`](Self::range), with their signs, in the same units; zero where there
    /// is no tolerance.
    pub fn measure_each(
        &mut self,
        equations: &mut Equations<'_>,
        stepper: &dyn Stepper,
        t: f64,
        out: &mut [f64],
    ) -> Option<()> {
        self.compare(equations, stepper, t)?;
        for (out, k) in out.iter_mut().zip(self.range(equations.system)) {
            *out = if self.judged[k] { self.slopes[k] } else { 0.0 };
        }
        Some(())
    }

    /// Leaves the differences in tolerances in `slopes`.
    fn compare(&mut self, equations: &mut Equations<'_>, stepper: &dyn Stepper, t: f64) -> Option<()> {
        let rates = self.rates.as_mut()?;
        self.weights.update(stepper.y(), 1.0);
        stepper.interpolate(t, &mut self.y, &mut self.yp);
        rates.begin(&self.y);
        rates.evaluate(equations, t, &self.y, &mut self.slopes).ok()?;
        let weights = self.weights.reciprocal();
        for k in self.range(equations.system) {
            self.slopes[k] = (self.slopes[k] - self.yp[k]) * weights[k];
        }
        Some(())
    }
}
