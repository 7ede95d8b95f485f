//! The velocity of a coordinate follows a function of time; the position is integrated.

use super::{ConstraintElement, ConstraintKind, CoordinateSum, DescribedConstraint};
use crate::fields::{Field, Fields};
use crate::description::{Constraint, CoordinateRef, Mirror};
use crate::elements::faults::Faults;
use crate::elements::references::Resolve;
use crate::signal::Signal;

/// The velocity of a coordinate follows a function of time, by a force that appears as multiplier: 1 row. The position is
/// integrated from the start of the joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityDriver {
    /// The coordinate.
    pub coordinate: CoordinateRef,
    /// Its velocity, rad/s or m/s.
    pub velocity: Signal,
}

impl DescribedConstraint for VelocityDriver {
    const NAME: &str = "velocity-driver";
    const DOC: &str = "The velocity of a coordinate follows a function of time; the multiplier is the driving force.";
    const ROWS: usize = 1;

    fn fields(&mut self, visitor: &mut dyn Fields) {
        let Self { coordinate, velocity } = self;
        visitor.coordinate(&Field::required("coordinate", "", "Driven coordinate."), coordinate);
        let doc = "Function that the velocity of the coordinate follows.";
        visitor.velocity(&Field::required("velocity", "rad/s or m/s", doc), velocity);
    }

    fn faults(&self, faults: &mut Faults) {
        faults.motion("the velocity", &self.velocity);
    }

    fn attach(&self, to: &mut dyn Resolve) -> Option<ConstraintElement> {
        let sum = CoordinateSum {
            terms: vec![(to.coordinate(&self.coordinate)?, 1.0)],
            offset: 0.0,
            signal: Some(self.velocity.clone()),
            rate: true,
        };
        Some(sum.into())
    }

    fn mirror(&mut self, mirror: &mut Mirror) {
        let sign = mirror.coordinate(&self.coordinate);
        mirror.signal(&mut self.velocity, sign);
    }

    fn shown_signs(&self, mirror: &Mirror) -> Vec<(&'static str, f64)> {
        vec![("force", mirror.coordinate(&self.coordinate))]
    }
}

/// Constructors.
impl Constraint {
    /// The velocity of a coordinate follows a function of time; the force required is the multiplier. The position is
    /// integrated from the joint's initial value.
    pub fn velocity_driver(
        name: impl Into<String>,
        coordinate: impl Into<CoordinateRef>,
        velocity: Signal,
    ) -> Self {
        let coordinate = coordinate.into();
        Self::new(
            name,
            ConstraintKind::VelocityDriver(VelocityDriver { coordinate, velocity }),
        )
    }
}
