//! Sums of joint coordinates: gears, racks, belts; with a signal also drivers.

use super::ConstraintLaw;
use crate::elements::constraints::RowLevel;
use crate::elements::scene::{Loads, Scene};
use crate::signal::Signal;
use crate::tree::Attachment;
use holonom_algebra::{Real, Vec3, Wrench};

/// Σ factor · coordinate − offset − u(t) = 0: 1 row. With `rate`, Σ factor · velocity − u(t) = 0 instead.
#[derive(Clone, Debug)]
pub struct CoordinateSum {
    /// Nodes with a scalar coordinate, free or prescribed, and their factors.
    pub terms: Vec<(usize, f64)>,
    /// The constant part of the right-hand side.
    pub offset: f64,
    /// The part of the right-hand side that depends on time.
    pub signal: Option<Signal>,
    /// The row is one on velocities: the signal is the derivative of the sum.
    pub rate: bool,
}

impl CoordinateSum {
    /// Derivative number `order` of the sum, minus the corresponding one of the signal.
    fn sum<T: Real>(&self, scene: &Scene<T>, order: usize) -> T {
        let mut sum = T::zero();
        for &(node, factor) in &self.terms {
            sum += scene.coordinate(node)[order] * factor;
        }
        if let Some(signal) = &self.signal {
            sum -= signal.evaluate(scene.t)[order - usize::from(self.rate)];
        }
        sum
    }
}

impl ConstraintLaw for CoordinateSum {
    fn rows(&self) -> usize {
        1
    }

    fn levels(&self) -> Vec<RowLevel> {
        vec![match self.rate {
            true => RowLevel::Nonholonomic,
            false => RowLevel::Holonomic,
        }]
    }

    fn row_names(&self) -> Vec<String> {
        vec!["sum".to_string()]
    }

    fn sides(&self) -> Option<[Attachment; 2]> {
        None
    }

    fn position<T: Real>(&self, scene: &Scene<T>, g: &mut [T]) {
        g[0] = match self.rate {
            true => T::zero(),
            false => self.sum(scene, 0) - self.offset,
        };
    }

    fn velocity<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        out[0] = self.sum(scene, 1);
    }

    fn acceleration<T: Real>(&self, scene: &Scene<T>, out: &mut [T]) {
        out[0] = self.sum(scene, 2);
    }

    fn directions<T: Real>(&self, _: &Scene<T>, _: &mut [Wrench<T>]) -> Option<Vec3<T>> {
        None
    }

    fn loads<T: Real>(&self, scene: &Scene<T>, multipliers: &[T], loads: &mut Loads<T>) {
        for &(node, factor) in &self.terms {
            loads.add_generalised(scene.tree, node, multipliers[0] * factor);
        }
    }

    fn signal(&self) -> Option<&Signal> {
        self.signal.as_ref()
    }

    fn signal_mut(&mut self) -> Option<&mut Signal> {
        self.signal.as_mut()
    }
}
