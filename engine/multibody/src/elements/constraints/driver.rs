//! A coordinate follows a function of time by a force, which is the multiplier.

use super::{ConstraintElement, ConstraintKind, CoordinateSum, DescribedConstraint};
use crate::fields::{Field, Fields};
use crate::description::{Constraint, CoordinateRef, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;
use crate::signal::Signal;

/// A coordinate follows a function of time, by a force that appears as multiplier: 1 row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Driver {
    /// The coordinate.
    pub coordinate: CoordinateRef,
    /// What it follows.
    pub signal: Signal,
}

impl DescribedConstraint for Driver {
    const NAME: &str = "driver";
    const DOC: &str = "A coordinate follows a function of time; the multiplier is the driving force.";
    const ROWS: usize = 1;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { coordinate, signal } = self;
        visitor.coordinate(&Field::required("coordinate", "", "Driven coordinate."), coordinate);
        visitor.motion(&Field::required("follows", "rad or m", "Function that the coordinate follows."), signal);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.motion("the motion", &self.signal);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        let sum = CoordinateSum {
            terms: vec![(to.coordinate(&self.coordinate)?, 1.0)],
            offset: 0.0,
            signal: Some(self.signal.clone()),
            rate: false,
        };
        Some(sum.into())
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        let sign = mirror.coordinate(&self.coordinate);
        mirror.signal(&mut self.signal, sign);
    }

    fn shown_signs(&self, mirror: &Mirror) -> Vec<(&'static str, f64)> {
        vec![("force", mirror.coordinate(&self.coordinate))]
    }
}

/// Constructors.
impl Constraint {
    /// A coordinate follows a function of time; the force it takes is the multiplier.
    pub fn driver(name: impl Into<String>, coordinate: impl Into<CoordinateRef>, signal: Signal) -> Self {
        let coordinate = coordinate.into();
        Self::new(name, ConstraintKind::Driver(Driver { coordinate, signal }))
    }
}
